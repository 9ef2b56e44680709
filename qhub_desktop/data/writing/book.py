"""What a workbook is to hold: its sheets, each a table, and the chart drawn from it."""

from dataclasses import dataclass

from qhub_desktop.core.figure import Figure
from qhub_desktop.core.table import Table


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet to be: a table under its title and notes, with a chart beside it.

    `name` need not be one that Excel takes. `kind` is the chart's recipe, where there is a figure;
    `table` then holds the rows that the figure was drawn from.
    """

    name: str
    table: Table
    title: str = ""
    notes: tuple[str, ...] = ()
    figure: Figure | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: how many rows, and sentences about what could not go in as it was."""

    rows: int
    notes: tuple[str, ...] = ()
