"""What is known of a data set: its file, its columns, and what they hold."""

from dataclasses import dataclass

from qhub_desktop.core.table import Cell, ColumnType, Table


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column over every row of the data set.

    `mean` and `std` (sample, n - 1) are for numbers only. `top` holds the most frequent values with
    their counts, most frequent first. `histogram` holds 12 equal classes from min to max.
    """

    name: str
    type: ColumnType
    missing: int
    distinct: int
    min: Cell = None
    max: Cell = None
    mean: float | None = None
    std: float | None = None
    quartiles: tuple[float, float, float] | None = None
    top: tuple[tuple[Cell, int], ...] = ()
    histogram: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetProfile:
    """One data set: a sheet of a file as the workspace keeps it."""

    id: str  # unique for ever: content and sheet
    dataset: str  # the name SQL knows it by
    file: str  # the name the person knows it by
    sheet: str | None
    sheets: tuple[str, ...]
    rows: int
    sha256: str
    columns: tuple[ColumnProfile, ...]
    preview: Table  # the first rows
    warnings: tuple[str, ...] = ()

    def column(self, name: str) -> ColumnProfile | None:
        """One column by its exact name."""
        return next((column for column in self.columns if column.name == name), None)
