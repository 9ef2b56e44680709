"""Data sets with their rows and profiles: the demo file, and two made of plain columns."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import mean

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.data.profile import PREVIEW_ROWS
from qhub_desktop.data.value_counts import LISTED_VALUES, TOP_VALUES

DEMO_TYPES: dict[str, ColumnType] = {"id": "integer", "posicao": "integer", "data": "date"}


@dataclass(frozen=True)
class Data:
    """A data set: what is known of it, and its rows."""

    profile: DatasetProfile
    rows: tuple[Mapping[str, Cell], ...]

    @property
    def table(self) -> Table:
        """The rows under columns of the types that the profile says."""
        columns = tuple(Column(each.name, each.type) for each in self.profile.columns)
        return Table(columns, tuple(tuple(row.values()) for row in self.rows))


def demo() -> Data:
    """The station's defect log."""
    with (DEMO_DATA / "defeitos.csv").open(encoding="utf-8-sig", newline="") as file:
        read = list(csv.DictReader(file))
    types = {name: DEMO_TYPES.get(name, "category") for name in read[0]}
    columns = {
        name: (type_, [_cell(row[name], type_) for row in read]) for name, type_ in types.items()
    }
    return data("defeitos", columns)


def measurements() -> Data:
    """Paint thickness, with English headers."""
    return data(
        "measurements",
        {
            "Sample ID": ("integer", list(range(1, 41))),
            "Measured At": ("date", [date(2026, 3, 1 + place % 28) for place in range(40)]),
            "Paint Line": ("category", ["Line A", "Line B"] * 20),
            "Thickness (µm)": ("number", [30 + place / 10 for place in range(40)]),
            "Gloss": ("number", [80 + place % 7 for place in range(40)]),
            "Colour": ("category", ["Black", "White", "Red", "White"] * 10),
            "Result": ("category", ["OK", "OK", "OK", "NOK"] * 10),
        },
        file="Measurements March.xlsx",
    )


def production() -> Data:
    """What the machines made."""
    return data(
        "producao",
        {
            "Data": ("date", [date(2026, 1, 1 + place % 31) for place in range(60)]),
            "Turno": ("category", ["Manhã", "Tarde", "Noite"] * 20),
            "Máquina": ("category", ["M1", "M2", "M3", "M4"] * 15),
            "Peças produzidas": ("integer", [100 + place for place in range(60)]),
            "Sucata": ("integer", [place % 5 for place in range(60)]),
            "Cliente": ("category", ["Norte Lda", "Sul SA"] * 30),
        },
        file="produção.xlsx",
    )


def wide(columns: int) -> Data:
    """A data set as wide as exports of machines are."""
    return data(
        "wide",
        {
            f"Sensor {place} Zone {place % 9}": (
                ("number", [float(place + row) for row in range(40)])
                if place % 2
                else ("category", [f"state {place} {row}" for row in range(40)])
            )
            for place in range(columns)
        },
    )


def data(
    dataset: str, columns: Mapping[str, tuple[ColumnType, Sequence[Cell]]], *, file: str = ""
) -> Data:
    """A data set made from its columns' cells."""
    profiles = tuple(_column(name, type_, cells) for name, (type_, cells) in columns.items())
    cells_by_row = zip(*(cells for _, cells in columns.values()), strict=True)
    rows = tuple(dict(zip(columns, row, strict=True)) for row in cells_by_row)
    profile = DatasetProfile(
        id=f"test-{dataset}",
        dataset=dataset,
        file=file or f"{dataset}.csv",
        sheet=None,
        sheets=(),
        rows=len(rows),
        sha256="",
        columns=profiles,
        preview=Table(
            tuple(Column(each.name, each.type) for each in profiles),
            tuple(tuple(row.values()) for row in rows[:PREVIEW_ROWS]),
        ),
    )
    return Data(profile, rows)


def _column(name: str, type_: ColumnType, cells: Sequence[Cell]) -> ColumnProfile:
    known = [cell for cell in cells if cell is not None]
    numbers = [cell for cell in known if isinstance(cell, (int, float))]
    days = [cell for cell in known if isinstance(cell, date)]
    texts = sorted({cell for cell in known if isinstance(cell, str)})
    spread: Sequence[float] | Sequence[date] = numbers or days
    return ColumnProfile(
        name=name,
        type=type_,
        missing=len(cells) - len(known),
        distinct=len(set(known)),
        min=min(spread) if spread else None,
        max=max(spread) if spread else None,
        mean=mean(numbers) if numbers else None,
        top=tuple(Counter(known).most_common(TOP_VALUES)),
        values=tuple(texts) if TOP_VALUES < len(texts) <= LISTED_VALUES else (),
    )


def _cell(text: str, type_: ColumnType) -> Cell:
    match type_:
        case "integer":
            return int(text)
        case "date":
            return date.fromisoformat(text)
        case _:
            return text
