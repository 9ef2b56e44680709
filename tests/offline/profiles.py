"""Data sets as they are profiled, made from the demo file and from plain columns."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from statistics import mean

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Cell, Column, ColumnType, Table

TYPES: dict[str, ColumnType] = {"id": "integer", "posicao": "integer", "data": "date"}
TOP_VALUES = 20


def demo_rows() -> list[dict[str, Cell]]:
    """The demo defects, with numbers and days as such."""
    with (DEMO_DATA / "defeitos.csv").open(encoding="utf-8-sig", newline="") as file:
        return [
            {name: _cell(text, TYPES.get(name, "category")) for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def profile_of(
    dataset: str, columns: Mapping[str, tuple[ColumnType, Sequence[Cell]]], *, file: str = ""
) -> DatasetProfile:
    """A data set's profile from its columns' cells."""
    profiles = tuple(_column(name, type_, cells) for name, (type_, cells) in columns.items())
    rows = max(len(cells) for _, cells in columns.values())
    return DatasetProfile(
        id=f"test-{dataset}",
        dataset=dataset,
        file=file or f"{dataset}.csv",
        sheet=None,
        sheets=(),
        rows=rows,
        sha256="",
        columns=profiles,
        preview=Table(tuple(Column(each.name, each.type) for each in profiles), ()),
    )


def demo() -> DatasetProfile:
    """The station's defect log."""
    rows = demo_rows()
    return profile_of(
        "defeitos",
        {name: (TYPES.get(name, "category"), [row[name] for row in rows]) for name in rows[0]},
    )


def measurements() -> DatasetProfile:
    """Paint thickness, with English headers."""
    lines = ["Line A", "Line B"] * 20
    return profile_of(
        "measurements",
        {
            "Sample ID": ("integer", list(range(1, 41))),
            "Measured At": ("date", [date(2026, 3, 1 + place % 28) for place in range(40)]),
            "Paint Line": ("category", lines),
            "Thickness (µm)": ("number", [30 + place / 10 for place in range(40)]),
            "Gloss": ("number", [80 + place % 7 for place in range(40)]),
            "Colour": ("category", ["Black", "White", "Red", "White"] * 10),
            "Result": ("category", ["OK", "OK", "OK", "NOK"] * 10),
        },
        file="Measurements March.xlsx",
    )


def production() -> DatasetProfile:
    """What the machines made."""
    return profile_of(
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


def _column(name: str, type_: ColumnType, cells: Sequence[Cell]) -> ColumnProfile:
    known = [cell for cell in cells if cell is not None]
    counted = Counter(known).most_common(TOP_VALUES)
    numbers = [float(cell) for cell in known if isinstance(cell, (int, float))]
    ordered = sorted(known, key=lambda cell: (str(type(cell)), cell))  # type: ignore[return-value]
    return ColumnProfile(
        name=name,
        type=type_,
        missing=len(cells) - len(known),
        distinct=len(set(known)),
        min=ordered[0],
        max=ordered[-1],
        mean=mean(numbers) if numbers else None,
        top=tuple(counted),
    )


def _cell(text: str, type_: ColumnType) -> Cell:
    match type_:
        case "integer":
            return int(text)
        case "date":
            return date.fromisoformat(text)
        case _:
            return text
