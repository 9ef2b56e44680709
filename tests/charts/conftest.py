"""Charts in English, over the demo records and over small tables."""

import csv
from datetime import date

import pytest

from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Column, Table

CATEGORIES = ("turno", "operador", "tipo_defeito", "material", "rack")


@pytest.fixture(scope="session")
def defects() -> Table:
    """The 200 demo records, as they lie in the file."""
    with (DEMO_DATA / "defeitos.csv").open(encoding="utf-8", newline="") as file:
        rows = tuple(
            (
                int(row["id"]),
                date.fromisoformat(row["data"]),
                *(row[name] for name in CATEGORIES),
                int(row["posicao"]),
            )
            for row in csv.DictReader(file)
        )
    columns = (
        Column("id", "integer"),
        Column("data", "date"),
        *(Column(name, "category") for name in CATEGORIES),
        Column("posicao", "integer"),
    )
    return Table(columns, rows)
