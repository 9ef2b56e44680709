"""Contents of a workbook: its sheets, the widgets they come from, and its colours."""

from dataclasses import dataclass

from qhub_desktop.core.figure import Figure, Role
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.widgets import Chart, Kpi, Provenance, TableView, Widget


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet to be: a table under its title and notes, with a chart beside it.

    `name` need not be one that Excel takes. Where there is a figure, `table` holds the rows that it
    was drawn from.
    """

    name: str
    table: Table
    title: str = ""
    notes: tuple[str, ...] = ()
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: how many rows, and sentences about what could not go in as it was."""

    rows: int
    notes: tuple[str, ...] = ()


def sheet_of(widget: Widget, *, name: str = "") -> Sheet:
    """The widget as one sheet; a workbook makes two of it where the chart needs values of its own.

    `name` is the sheet's, where it is not the widget's title.
    """
    source = source_notes(widget.source)
    match widget:
        case Chart(figure=figure, data=data):
            notes = (figure.subtitle, *source)
            return Sheet(name or figure.title, data, figure.title, notes, figure)
        case TableView(title=title, table=table, row_count=count):
            notes = (_first_rows(len(table.rows), count), *source)
            return Sheet(name or title, table, title, notes)
        case Kpi(title=title):
            return Sheet(name or title, table_of(widget), title, source)


def table_of(widget: Widget) -> Table:
    """The numbers of a widget as a table."""
    match widget:
        case Chart(data=data):
            return data
        case TableView(table=table):
            return table
        case Kpi():
            columns = (
                Column(_("indicator"), "text"),
                Column(_("value"), "text" if isinstance(widget.value, str) else "number"),
                Column(_("unit"), "text"),
                Column(_("change"), "number"),
                Column(_("target"), "number"),
            )
            row = (widget.title, widget.value, widget.unit or None, widget.change, widget.target)
            return Table(columns, (row,))


def source_notes(source: Provenance | None) -> tuple[str, ...]:
    """The line under a widget, and the query that gave its numbers."""
    if source is None:
        return ()
    names = " · ".join(part for part in (source.dataset, source.file, source.sheet) if part)
    total = number(source.rows_total)
    if source.rows_used is None:
        rows = _("of {total} rows").format(total=total)
    else:
        rows = _("{used} of {total} rows").format(used=number(source.rows_used), total=total)
    line = _("Source: {names} · {rows}").format(names=names, rows=rows)
    query = " ".join(source.sql.split())
    return (line, f"SQL: {query}") if query else (line,)


def _first_rows(shown: int, count: int) -> str:
    if shown >= count:
        return ""
    return _("first {shown} of {count} rows").format(shown=number(shown), count=number(count))


ACCENT = "#0B6E99"
TEXT = "#1B1D21"
QUIET = "#5B6470"
LINE = "#E2E5EA"
PAPER = "#FFFFFF"
GOOD = "#1E7F4F"
BAD = "#C0362C"
SERIES = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#F0E442",
    "#6B7280",
)
ROLES: dict[Role, str] = {
    "centre": GOOD,
    "limit": BAD,
    "target": QUIET,
    "good": GOOD,
    "bad": BAD,
    "quiet": QUIET,
}


def colour(role: Role, series: int) -> str:
    """What a mark is drawn in."""
    return SERIES[series % len(SERIES)] if role == "series" else ROLES[role]
