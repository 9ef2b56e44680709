"""What a file holds and how it was read: for a person to read, or for a program."""

from collections.abc import Iterator, Sequence

from qhub_desktop.cli.printing import table_lines
from qhub_desktop.core.codec import plain
from qhub_desktop.core.dataset import (
    TYPE_NAMES,
    ColumnProfile,
    DatasetProfile,
    Finding,
    ImportReport,
)
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

TOP_VALUES = 5


def profile_object(found: Sequence[DatasetProfile]) -> JsonObject:
    """The first data set of a file, with the fields that other programs rely on."""
    first = found[0]
    return {
        "file": first.file,
        "sheet": first.sheet,
        "sheets": [*first.sheets],
        "rows": first.rows,
        "sha256": first.sha256,
        "dataset": first.dataset,
        "columns": [_column_object(column) for column in first.columns],
        "warnings": [*first.warnings],
        "report": plain(first.report),
        "duplicate_rows": first.duplicate_rows,
        "all_sheets": [
            {
                "sheet": each.sheet,
                "dataset": each.dataset,
                "rows": each.rows,
                "columns": len(each.columns),
            }
            for each in found
        ],
    }


def profile_lines(found: Sequence[DatasetProfile]) -> Iterator[str]:
    """The same as a person reads it."""
    first = found[0]
    yield _headline(first)
    yield table_lines(_column_table(first.columns), row_count=len(first.columns))
    if count := first.duplicate_rows:
        words = ngettext(
            "{count} row repeats an earlier one.", "{count} rows repeat an earlier one.", count
        )
        yield words.format(count=number(count, digits=0))
    if constant := [column.name for column in first.columns if column.is_constant]:
        yield _("The same in every row: {columns}.").format(columns=", ".join(constant))
    if first.report is not None:
        yield from _report_lines(first.report, first.warnings)
    for other in found[1:]:
        yield _headline(other)


def _headline(profile: DatasetProfile) -> str:
    sheet = f" · {profile.sheet}" if profile.sheet else ""
    rows = ngettext("{count} row", "{count} rows", profile.rows)
    size = rows.format(count=number(profile.rows, digits=0))
    return f"{profile.file}{sheet} · {size} · {profile.dataset}"


def _column_table(columns: Sequence[ColumnProfile]) -> Table:
    """A row for each column, under words of the person's language."""
    heads = (
        Column(_("column"), "text"),
        Column(_("type"), "text"),
        Column(_("missing"), "integer"),
        Column(_("distinct"), "integer"),
        Column(_("minimum"), "text"),
        Column(_("maximum"), "text"),
        Column(_("mean"), "number"),
        Column(_("outliers"), "integer"),
    )
    rows = (
        (
            each.name,
            _(TYPE_NAMES[each.type]),
            each.missing,
            each.distinct,
            each.min,
            each.max,
            each.mean,
            each.outliers,
        )
        for each in columns
    )
    return Table(heads, tuple(rows))


def _report_lines(report: ImportReport, warnings: Sequence[str]) -> Iterator[str]:
    """The report's sentences, with the cells that each is about."""
    told = {finding.text for finding in (*report.repaired, *report.doubtful)}
    apart = [warning for warning in warnings if warning not in told]
    for heading, sentences in (
        (_("Repaired"), [*map(_sentence, report.repaired)]),
        (_("Set apart"), apart),
        (_("In doubt"), [*map(_sentence, report.doubtful)]),
    ):
        if sentences:
            yield f"\n{heading}"
            yield from (f"  ! {sentence}" for sentence in sentences)


def _sentence(finding: Finding) -> str:
    cells = f" [{', '.join(finding.cells)}]" if finding.cells else ""
    return f"{finding.text}{cells}"


def _column_object(column: ColumnProfile) -> JsonObject:
    told = ("name", "type", "missing", "distinct", "min", "max", "mean", "std")
    top = [[plain(value), count] for value, count in column.top[:TOP_VALUES]]
    return {
        **{name: plain(getattr(column, name)) for name in told},
        "top": [*top],
        "quartiles": plain(column.quartiles),
        "outliers": column.outliers,
        "constant": column.is_constant,
    }
