"""File verbs: profile a file, query it in SQL or compute with Python, export it."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from qhub_desktop.cli.printing import format_table, one_line, print_json, tell_progress
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_file_option,
    add_json_option,
    add_overwrite_option,
    add_password_option,
    add_sheet_option,
    check_free,
    column_type,
    encoding,
    positive,
    row_number,
    separator,
)
from qhub_desktop.core.codec import JsonObject, plain
from qhub_desktop.core.dataset import (
    TYPE_NAMES,
    ColumnProfile,
    DatasetProfile,
    Finding,
    ImportChoices,
    ImportReport,
)
from qhub_desktop.core.errors import ToolError, UserError, unreadable
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.untrusted_files import decoded, read_regular

SQL_ROWS = 1000
MOST_CODE_BYTES = 10_000_000
TOP_VALUES = 5  # of each column, in the profile for programs


def declare(verbs: Verbs) -> None:
    """Declare `profile`, `sql`, `python` and `export`."""
    profile = verbs.add_parser("profile", help=_("what a file holds"))
    profile.set_defaults(run=_profile)
    add_file_option(profile)
    add_sheet_option(profile)
    profile.add_argument(
        "--table",
        type=positive,
        default=1,
        metavar="N",
        help=_("this of the tables listed (default: the first)"),
    )

    sql = verbs.add_parser("sql", help=_("a SELECT over a file"))
    sql.set_defaults(run=_sql)
    add_file_option(sql)
    sql.add_argument("select", metavar="SELECT")
    sql.add_argument("--sheet", metavar="NAME", help=_("only this sheet"))
    sql.add_argument("--limit", type=positive, default=SQL_ROWS, metavar="N", help=_("most rows"))

    python = verbs.add_parser("python", help=_("a file of Python, run locked away over files"))
    python.set_defaults(run=_python)
    python.add_argument(
        "--file", action="append", type=Path, default=[], metavar="PATH", help=_("a file to load")
    )
    what = python.add_mutually_exclusive_group(required=True)
    what.add_argument("code", type=Path, nargs="?", metavar="CODEFILE")
    what.add_argument(
        "--add", type=Path, metavar="PACK.zip", help=_("add the pack of the safe Python")
    )
    add_json_option(python)

    export = verbs.add_parser("export", help=_("a file's data as .xlsx, .csv or .dfq"))
    export.set_defaults(run=_export)
    add_file_option(export)
    export.add_argument(
        "target", type=Path, metavar="TARGET", help=_("ends in .xlsx, .csv or .dfq")
    )
    add_sheet_option(export)
    add_overwrite_option(export)
    export.add_argument("--sql", metavar="SELECT", help=_("only what this SELECT gives"))

    for each in (profile, sql, export):
        each.add_argument(
            "--header", type=row_number, metavar="N", help=_("the names' row; 0: none")
        )
        each.add_argument(
            "--separator", type=separator, metavar="C", help=_("what parts the cells; or tab")
        )
        each.add_argument(
            "--type",
            action="append",
            type=column_type,
            default=[],
            metavar="COLUMN=TYPE",
            help=_("read this column as number, date, text…; what is none becomes missing"),
        )
        each.add_argument("--encoding", type=encoding, metavar="NAME", help=_("of a text file"))
        each.add_argument(
            "--totals", choices=("kept", "apart"), help=_("rows of totals: as data, or set apart")
        )
        add_password_option(each)
        add_json_option(each)


async def _profile(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print the profile of a file.

    Raises UserError if the file cannot be read, or has fewer tables than the one asked for.
    """
    found = await _loaded(services, asked)
    if asked.table > len(found):
        words = ngettext(
            "{file} has only {count} table.", "{file} has only {count} tables.", len(found)
        )
        raise UserError(words.format(file=found[0].file, count=number(len(found), digits=0)))
    if asked.json:
        print_json(profile_object(found, shown=asked.table))
        return
    for line in profile_lines(found, shown=asked.table):
        print(line)


async def _sql(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print the result of a SELECT over a file.

    Raises UserError if the file cannot be read or the query fails.
    """
    services.workspace.warm()
    profiles = await _loaded(services, asked)
    tables = {each.dataset: each.id for each in profiles}
    try:
        answer = await services.workspace.query(asked.select, tables, limit=asked.limit)
    except ToolError as error:
        raise UserError(str(error)) from error
    if not asked.json:
        print(format_table(answer.table, row_count=answer.row_count))
        for warning in answer.warnings:
            print(f"! {warning}")
        return
    told = {
        "columns": answer.table.names,
        "types": [column.type for column in answer.table.columns],
        "rows": answer.table.rows,
        "row_count": answer.row_count,
    }
    print_json({**told, "warnings": answer.warnings} if answer.warnings else told)


async def _export(services: CommandServices, asked: argparse.Namespace) -> None:
    """Write the data of a file, or the result of a SELECT over it, to another file.

    Raises UserError if the file cannot be read or the query fails.
    """
    # Not for the other commands: it loads figures and widgets.
    from qhub_desktop.data.export.output import check_other_file

    check_other_file(asked.target, asked.path)
    check_free(asked.target, asked)
    found = (await _loaded(services, asked))[0]
    try:
        written = await services.workspace.export(found.id, asked.target.absolute(), sql=asked.sql)
    except ToolError as error:
        raise UserError(str(error)) from error
    if asked.json:
        print_json({"file": str(asked.target), "rows": written.rows, "warnings": [*written.notes]})
        return
    rows_text = ngettext("{count} row", "{count} rows", written.rows)
    print(f"{asked.target.name} · {rows_text.format(count=number(written.rows, digits=0))}")
    for note in written.notes:
        print(f"! {note}")


async def _python(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Run a file of code as the tool would, or add the pack that runs it; return the code's error,
    unless that is printed as JSON.

    Raises UserError if a file cannot be read, or there is nothing that could run the code.
    """
    from qhub_desktop.tools.datasets import run_object

    if asked.add is not None:
        said = await services.python_tools.add_pack(asked.add, tell_progress)
        if asked.json:
            print_json({"added": str(asked.add)})
        else:
            print(said)
        return None
    try:
        code = decoded(read_regular(asked.code, most_bytes=MOST_CODE_BYTES))
    except (OSError, ValueError) as error:
        raise unreadable(error, asked.code) from error
    found: dict[str, DatasetProfile] = {}
    for path in asked.file:
        for profile in await services.workspace.load(path):
            name, number_ = profile.dataset, 2
            while name in found:
                name, number_ = f"{profile.dataset}_{number_}", number_ + 1
            found[name] = replace(profile, dataset=name)
    log = await services.conversation_datasets.log()
    found.setdefault(log.dataset, log)
    try:
        run = await services.python_tools.compute(
            code, [*found.values()], on_progress=tell_progress
        )
    except ToolError as error:
        # What a model is told to do instead is nothing for a person.
        why = error.__cause__ if isinstance(error.__cause__, UserError) else UserError(str(error))
        raise why from error
    if asked.json:
        figures = [await services.python_tools.chart(each) for each in run.figures]
        print_json(run_object(run, figures))
        return None
    if run.output:
        print(run.output)
    for each in run.tables:
        print(format_table(each.table, row_count=each.row_count))
    for figure in run.figures:
        print(f"{figure.title} ({figure.kind})")
        print(format_table(figure.table, row_count=len(figure.table.rows)))
    return run.error


async def _loaded(
    services: CommandServices, asked: argparse.Namespace
) -> tuple[DatasetProfile, ...]:
    """Import the file with the options of the call, and return its data sets.

    Raises UserError if the file cannot be read.
    """
    choices = ImportChoices(
        header_row=asked.header,
        separator=asked.separator,
        encoding=asked.encoding,
        totals=asked.totals,
        types=tuple(dict(asked.type).items()),
    )
    found = await services.workspace.load(
        asked.path,
        sheet=asked.sheet,
        password=asked.password,
        choices=None if choices == ImportChoices() else choices,
    )
    names = {column.name for profile in found for column in profile.columns}
    if unknown := [name for name, _type in asked.type if name not in names]:
        words = _("{file} has no column {column}.")
        raise UserError(words.format(file=found[0].file, column=", ".join(unknown)))
    return found


def profile_object(found: Sequence[DatasetProfile], *, shown: int = 1) -> JsonObject:
    """Return the profile of one data set of a file as JSON, with the reports of all.

    Its fields are a stable interface for other programs.
    """
    first = found[shown - 1]
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
                "area": each.area,
                "dataset": each.dataset,
                "rows": each.rows,
                "columns": len(each.columns),
                "table": place,
                "warnings": [*each.warnings],
                "report": plain(each.report),
            }
            for place, each in enumerate(found, 1)
        ],
    }


def profile_lines(found: Sequence[DatasetProfile], *, shown: int = 1) -> Iterator[str]:
    """Yield the lines of the profile for a person: one data set, and the names of the others."""
    first = found[shown - 1]
    yield _headline(first)
    yield format_table(_column_table(first.columns), row_count=len(first.columns))
    if count := first.duplicate_rows:
        words = ngettext(
            "{count} row repeats an earlier one.", "{count} rows repeat an earlier one.", count
        )
        yield words.format(count=number(count, digits=0))
    if constant := [column.name for column in first.columns if column.is_constant]:
        yield one_line(_("The same in every row: {columns}.").format(columns=", ".join(constant)))
    if first.report is not None:
        if first.report.facts:
            yield "\n" + _("What the file says of its data")
            yield from (one_line(f"  {name}: {value}") for name, value in first.report.facts)
        yield from _report_lines(first.report, first.warnings)
    for place, other in enumerate(found, 1):
        if other is not first:
            yield f"--table {place}: {_headline(other)}"


def _headline(profile: DatasetProfile) -> str:
    sheet = f" · {profile.sheet}" if profile.sheet else ""
    rows = ngettext("{count} row", "{count} rows", profile.rows)
    size = rows.format(count=number(profile.rows, digits=0))
    return one_line(f"{profile.file}{sheet} · {size} · {profile.dataset}")


def _column_table(columns: Sequence[ColumnProfile]) -> Table:
    """Return a table with a row per column, under headings in the person's language."""
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
    """Yield the sentences of the import report, with the cells that each is about."""
    told = {finding.text for finding in (*report.repaired, *report.doubtful)}
    apart = [warning for warning in warnings if warning not in told]
    for heading, sentences in (
        (_("Repaired"), [*map(_sentence, report.repaired)]),
        (_("Set apart"), apart),
        (_("In doubt"), [*map(_sentence, report.doubtful)]),
    ):
        if sentences:
            yield f"\n{heading}"
            yield from (one_line(f"  ! {sentence}") for sentence in sentences)


def _sentence(finding: Finding) -> str:
    cells = f" [{', '.join(finding.cells)}]" if finding.cells else ""
    # In double quotes, which the shells of Windows and Linux both know.
    offer = finding.offer
    way = f' --type "{offer.column}={offer.type}"' if offer is not None else ""
    return f"{finding.text}{cells}{way}"


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
