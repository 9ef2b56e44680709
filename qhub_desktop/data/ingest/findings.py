"""What an import has to say of its columns: what was repaired, and what could be read otherwise."""

from collections import Counter
from collections.abc import Sequence

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.ingest.type_patterns import BOOLEANS, DATES, TIMES

LISTED = 5  # addresses in a finding
_STORED = {DATES: "text_as_date", BOOLEANS: "text_as_boolean", TIMES: "text_as_time"}


def decimal_mark(name: str, example: str, mark: str) -> Finding:
    """Two readings of a number, and nothing that decides between them."""
    return Finding(
        "decimal_mark",
        _(
            "Column {name}: a value such as {example} could be read in two ways;"
            " '{mark}' was taken to stand before the decimals."
        ).format(name=name, example=example, mark=mark),
    )


def day_month(name: str, example: str) -> Finding:
    """No day above 12 in the whole column."""
    return Finding(
        "day_month",
        _(
            "Column {name}: day and month could be swapped in every date (as in {example});"
            " they were read as day/month."
        ).format(name=name, example=example),
    )


def month_first(name: str) -> Finding:
    """Days above 12 stand in second place."""
    return Finding(
        "month_first",
        _("Column {name}: its dates are written month/day, and were read so.").format(name=name),
    )


def percent_as_fraction(name: str, example: str) -> Finding:
    """As a spreadsheet itself does."""
    return Finding(
        "percent_as_fraction",
        _(
            "Column {name}: percentages such as {example} were read as fractions (50% = 0.5)."
        ).format(name=name, example=example),
    )


def currency_removed(name: str, example: str) -> Finding:
    """The sign of the currency is not part of the number."""
    return Finding(
        "currency_removed",
        _("Column {name}: amounts such as {example} were read as numbers.").format(
            name=name, example=example
        ),
    )


def stored_as_text(name: str, kind: str, count: int, cells: tuple[str, ...]) -> Finding:
    """A spreadsheet's cell that is text, with a value in it."""
    return Finding(
        _STORED.get(kind, "text_as_number"),
        ngettext(
            "Column {name}: {count} cell of {kind} is stored as text in the file.",
            "Column {name}: {count} cells of {kind} are stored as text in the file.",
            count,
        ).format(name=name, count=number(count, digits=0), kind=_(kind)),
        count,
        cells,
    )


def serial_dates(name: str) -> Finding:
    """Numbers of days since 1899-12-30."""
    return Finding(
        "serial_dates",
        _("Column {name}: it holds a spreadsheet's day numbers, which were read as dates.").format(
            name=name
        ),
    )


def compact_dates(name: str, example: str) -> Finding:
    """Year, month and day without anything between."""
    return Finding(
        "compact_dates",
        _("Column {name}: numbers such as {example} were read as dates (year, month, day).").format(
            name=name, example=example
        ),
    )


def missing_words(
    name: str, count: int, examples: Sequence[str], cells: tuple[str, ...]
) -> Finding:
    """Words for nothing in a column of values."""
    return Finding(
        "missing_words",
        ngettext(
            "Column {name}: {count} cell with {examples} was read as missing.",
            "Column {name}: {count} cells with {examples} were read as missing.",
            count,
        ).format(name=name, count=number(count, digits=0), examples=_quoted(examples)),
        count,
        cells,
    )


def error_cells(kinds: Counter[str], cells: tuple[str, ...]) -> Finding:
    """Cells in which a formula has failed, counted by the words that stand there."""
    count = kinds.total()
    return Finding(
        "error_cells",
        ngettext(
            "{count} cell holds an error ({kinds}) and was read as missing: {cells}.",
            "{count} cells hold errors ({kinds}) and were read as missing: {cells}.",
            count,
        ).format(
            count=number(count, digits=0),
            kinds=", ".join(f"{name} × {times}" for name, times in kinds.most_common()),
            cells=_listed(cells, count),
        ),
        count,
        cells,
    )


def mixed_column(
    name: str, count: int, present: int, examples: Sequence[str], cells: tuple[str, ...]
) -> Finding:
    """Cells of several kinds in a spreadsheet's column."""
    return Finding(
        "mixed_column",
        ngettext(
            "Column {name}: {count} of {present} cells is of another kind than the others"
            " ({examples}), so the whole column is text.",
            "Column {name}: {count} of {present} cells are of another kind than the others"
            " ({examples}), so the whole column is text.",
            count,
        ).format(
            name=name,
            count=number(count, digits=0),
            present=number(present, digits=0),
            examples=_quoted(examples),
        ),
        count,
        cells,
    )


def mismatches(
    name: str,
    count: int,
    present: int,
    kind: str,
    examples: Sequence[str],
    cells: tuple[str, ...],
) -> Finding:
    """Few texts keep a column from being more than text."""
    return Finding(
        "mixed_column",
        ngettext(
            "Column {name}: {count} of {present} values does not read as {kind} ({examples}),"
            " so the whole column is text.",
            "Column {name}: {count} of {present} values are not {kind} ({examples}),"
            " so the whole column is text.",
            count,
        ).format(
            name=name,
            count=number(count, digits=0),
            present=number(present, digits=0),
            kind=_(kind),
            examples=_quoted(examples),
        ),
        count,
        cells,
    )


def not_of_chosen_type(name: str, count: int, cells: tuple[str, ...]) -> Finding:
    """The person's choice leaves cells without a value."""
    return Finding(
        "not_of_chosen_type",
        ngettext(
            "Column {name}: {count} cell is not of the chosen type and was read as missing:"
            " {cells}.",
            "Column {name}: {count} cells are not of the chosen type and were read as missing:"
            " {cells}.",
            count,
        ).format(name=name, count=number(count, digits=0), cells=_listed(cells, count)),
        count,
        cells,
    )


def longer_rows(count: int, cells: tuple[str, ...]) -> Finding:
    """Cells to the right of the last name."""
    return Finding(
        "longer_rows",
        ngettext(
            "{count} row has more cells than the header; they are kept in extra columns.",
            "{count} rows have more cells than the header; they are kept in extra columns.",
            count,
        ).format(count=number(count, digits=0)),
        count,
        cells,
    )


def shorter_rows(count: int, cells: tuple[str, ...]) -> Finding:
    """Rows that end early."""
    return Finding(
        "shorter_rows",
        ngettext(
            "{count} row has fewer cells than the header; those that lack are missing.",
            "{count} rows have fewer cells than the header; those that lack are missing.",
            count,
        ).format(count=number(count, digits=0)),
        count,
        cells,
    )


def merged_filled(count: int, cells: tuple[str, ...]) -> Finding:
    """A merged range's value in every row that it covers."""
    return Finding(
        "merged_filled",
        ngettext(
            "{count} merged range was filled down: {cells}.",
            "{count} merged ranges were filled down: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=_listed(cells, count)),
        count,
        cells,
    )


def blank_columns(letters: Sequence[str]) -> Finding:
    """Columns that hold nothing, before or between those that hold something."""
    listed = tuple(letters[:LISTED])
    return Finding(
        "blank_columns",
        ngettext(
            "{count} blank column was left out: {columns}.",
            "{count} blank columns were left out: {columns}.",
            len(letters),
        ).format(count=len(letters), columns=", ".join(listed)),
        len(letters),
        listed,
    )


def no_rows() -> Finding:
    """A header and nothing else."""
    return Finding("no_rows", _("There are no rows under the header."))


def _listed(cells: Sequence[str], count: int) -> str:
    return ", ".join(cells) + (", …" if count > len(cells) else "")


def _quoted(values: Sequence[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)
