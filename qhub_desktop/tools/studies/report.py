"""Report of a study: a PDF to be signed and an Excel file to go on with, side by side.

Both say what an auditor asks: method, estimator, rows, filters, exclusions, who, when, with which
version, and the fingerprint of the data. What was changed by hand is marked on both.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop import __version__
from qhub_desktop.charts import html_document
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.study import HEADS, PointNote, Study, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import day_words, moment, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.export.native_charts import native_chart
from qhub_desktop.data.export.output import (
    OutputSheet,
    atomic_write,
    check_writable,
    os_errors_as_user_errors,
)
from qhub_desktop.tools.studies.customer_page import ReportOrigin, customer_page
from qhub_desktop.tools.widget_pages import (
    PageDocument,
    drawing_place,
    drawings_of,
    facts_html,
    html_text,
    table_html,
)

if TYPE_CHECKING:
    from qhub_desktop.data.export_service import ExportService
    from qhub_desktop.tools.page_printer import Printer

# What stands on a sheet is small and close, and what belongs together stays on one sheet.
_STYLE = """
body { font-size: 12px; }
h1 { margin: 0 0 4px; font-size: 22px; }
h2 { margin: 0 0 6px; font-size: 14px; }
.report-part { break-inside: avoid; margin: 18px 0 0; }
.report-part.is-long { break-inside: auto; }
.report-part.is-beside > .qhub-scroll { columns: 2; column-gap: 24px; }
.report-verdict { margin: 12px 0 4px; font-weight: 600; }
.report-marked { margin: 8px 0; padding: 6px 10px; border-left: 3px solid #9A6700;
  background: #F5F6F8; }
.data-table th, .data-table td { padding: 2px 8px; font-size: 11px; }
.report-sql { margin: 8px 0 0; padding: 8px; white-space: pre-wrap; font-size: 10px; }
.report-signatures { display: flex; gap: 32px; margin-top: 64px; }
.report-signatures > div { flex: 1; padding-top: 4px; border-top: 1px solid #5B6470; }
"""
_STUDY = "study"  # the element that its figures are drawn in
_MOST_POINTS = 80  # of those printed, in two columns on a sheet; all are in the workbook
_ROWS_A_SHEET = 42  # more never fit on one
_NARROW = 6  # columns of a table that has room for itself beside
_LEAST_PX = 11  # size of letters that are read with ease
_LINE_PX = 1060  # size of letters at which one of them, and no more, fills a line
_FIRST_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class StudyReports:
    """Writer of reports."""

    def __init__(self, exports: "ExportService", printer: "Printer") -> None:
        self._exports = exports
        self._printer = printer

    async def write(
        self, study: Study, target: Path, origin: ReportOrigin, *, is_one_page: bool = False
    ) -> tuple[Path, Path]:
        """Write a PDF, on one page for a customer if so wished, and a workbook of the same name.

        Existing files are replaced only by complete ones. Raises UserError if one cannot be
        written; the other may have been.
        """
        document, book = target.with_suffix(".pdf"), target.with_suffix(".xlsx")
        for each in (document, book):
            check_writable(each)
        make = customer_page if is_one_page else report_page
        await self._print(lambda: make(study, origin), document)
        await self._exports.export_sheets(report_sheets(study, origin), book, title=study.title)
        return document, book

    async def _print(self, make: Callable[[], PageDocument], target: Path) -> None:
        worker = Worker("report")
        try:
            with os_errors_as_user_errors(target), scratch_folder() as folder:
                page = await worker.run(make)
                made = folder / "report.pdf"
                await self._printer(page, made)
                await worker.run(_put, made, target)
        finally:
            worker.abandon()


def _put(made: Path, target: Path) -> None:
    with atomic_write(target) as draft:
        draft.write_bytes(made.read_bytes())


def report_facts(study: Study, origin: ReportOrigin) -> tuple[tuple[str, str], ...]:
    """Return what a report says of its making, beside the study's own facts: names and values."""
    facts = [(_(label), origin.head.get(name, "")) for name, label in HEADS.items()]
    facts += [
        (_("Made by"), origin.who or _("not known: the computer names nobody")),
        (_("Made on"), moment(origin.when)),
        (_("Program"), f"QHub Desktop {__version__}"),
    ]
    source = study.source
    if source is not None:
        names = " · ".join(part for part in (source.file, source.sheet) if part)
        used = source.rows_total if source.rows_used is None else source.rows_used
        facts += [
            (_("Data"), names),
            (
                _("SHA-256 of the data"),
                origin.sha256 or _("none: the data are the defect log"),
            ),
            (
                _("Rows used"),
                _("{used} of {total}").format(
                    used=number(used, digits=0), total=number(source.rows_total, digits=0)
                ),
            ),
        ]
    where = (study.arguments or {}).get("onde")
    facts.append((_("Condition on the rows"), str(where) if where else _("none: all rows")))
    facts.append((_("Changes by hand"), number(len(study.overrides), digits=0)))
    return tuple((name, value) for name, value in facts if value)


def report_page(study: Study, origin: ReportOrigin) -> PageDocument:
    """Make the page that the PDF is printed from: on the first sheet what it is and what it says,
    then the tables, the method, the data, and who signs.
    """
    styles = f"<style>{html_document.shipped('figures.css')}{_STYLE}</style>"
    parts = [
        styles,
        f"<h1>{html_text(study.title)}</h1>",
        f'<p class="qhub-when">{html_text(_origin_line(study, origin))}</p>',
        *_verdict(study),
        drawing_place(_STUDY),
    ]
    parts += [_table_part(view) for view in _report_tables(study, origin)]
    parts.append(_part(_("Method"), facts_html(study.facts)))
    query = study.source.sql if study.source is not None else ""
    sql = f'<pre class="report-sql">{html_text(query.strip())}</pre>' if query else ""
    parts.append(_part(_("How this was made"), facts_html(report_facts(study, origin)) + sql))
    if study.points is not None:
        parts.append(_points_part(study.points))
    parts.append(_signature_lines())
    document = html_document.build("\n".join(parts), title=study.title)
    return PageDocument(
        study.title, document, {}, "portrait", drawings_of(_STUDY, study), origin.foot
    )


def _origin_line(study: Study, origin: ReportOrigin) -> str:
    source = study.source
    names = (source.file, source.sheet or "") if source is not None else ()
    return " · ".join(filter(None, (*names, origin.who, moment(origin.when))))


def _verdict(study: Study) -> Iterator[str]:
    """Yield the verdict, its first sentence on a line of its own, then what one should know."""
    first, *rest = _FIRST_SENTENCE.split(study.verdict, maxsplit=1)
    if len(first) > _LINE_PX / _LEAST_PX:
        cut = max(first.rfind(sign, 0, _LINE_PX // _LEAST_PX) for sign in (": ", "; ", ", "))
        if cut > 0:
            first, *rest = first[: cut + 1], " ".join([first[cut + 2 :], *rest])
    size_px = min(15, max(_LEAST_PX, _LINE_PX / max(1, len(first))))
    yield f'<p class="report-verdict" style="font-size: {size_px:.1f}px">{html_text(first)}</p>'
    yield from (f"<p>{html_text(each)}</p>" for each in rest)
    if study.doubts:
        yield _marked(study.doubts)
    if study.overrides:
        words = _("Contains changes by hand ({count}):")
        heading = words.format(count=number(len(study.overrides), digits=0))
        yield _marked((heading, *(each.sentence for each in study.overrides)))


def _marked(sentences: Iterable[str]) -> str:
    return f'<p class="report-marked">{"<br>".join(map(html_text, sentences))}</p>'


def _part(title: str, inside: str) -> str:
    """Return a part with its heading, which stays on one sheet if it fits on one."""
    if not inside:
        return ""
    return f'<section class="report-part"><h2>{html_text(title)}</h2>{inside}</section>'


def _points_part(points: Table) -> str:
    if len(points.rows) <= _MOST_POINTS:
        return _table_part(TableView(_("Points"), points, len(points.rows)))
    told = _("All {count} points are in the Excel file of the same name.")
    return f"<p>{html_text(told.format(count=number(len(points.rows), digits=0)))}</p>"


def _table_part(view: TableView) -> str:
    rows = len(view.table.rows)
    kind = "report-part"
    if rows > _ROWS_A_SHEET // 2 and len(view.table.columns) <= _NARROW:
        kind += " is-beside"
    elif rows > _ROWS_A_SHEET:
        kind += " is-long"
    return f'<section class="{kind}"><h2>{html_text(view.title)}</h2>{table_html(view)}</section>'


def _report_tables(study: Study, origin: ReportOrigin) -> Iterator[TableView]:
    """Yield the tables of a report: with the violations their causes and actions, then what else
    was noted.
    """
    noted: dict[str, list[PointNote]] = {}
    for note in origin.notes:
        noted.setdefault(day_words(note.label), []).append(note)
    for view in study.tables:
        yield _with_notes(view, noted) if study.method == "carta_controlo" else view
    rest = tuple((label, *_noted(notes)) for label, notes in noted.items())
    if rest:
        columns = (Column(_("Point"), "text"), *_noted_columns())
        others, title = _("Causes and actions on other points"), _("Causes and actions")
        is_rest = len(rest) < len({day_words(note.label) for note in origin.notes})
        yield TableView(others if is_rest else title, Table(columns, rest), len(rest))


def _with_notes(view: TableView, noted: dict[str, list[PointNote]]) -> TableView:
    """Return the violations with what was noted on their points, which are taken out of `noted`."""
    labels = [str(row[0]) for row in view.table.rows]
    rows = [
        (*row, *_noted(noted.get(label, ())))
        for label, row in zip(labels, view.table.rows, strict=True)
    ]
    for label in labels:
        noted.pop(label, None)
    columns = (*view.table.columns, *_noted_columns())
    return replace(view, table=Table(columns, tuple(rows)))


def _noted_columns() -> tuple[Column, ...]:
    return tuple(Column(name, "text") for name in (_("Cause"), _("Action"), _("Noted by")))


def _noted(notes: Sequence[PointNote]) -> tuple[str, ...]:
    told = [(note.cause, note.action, _signed(note)) for note in notes]
    return tuple("; ".join(filter(None, each)) for each in zip(*told, strict=True)) or ("", "", "")


def _signed(note: PointNote) -> str:
    return ", ".join(filter(None, (note.by, moment(note.at.astimezone()))))


def _note_sentence(note: PointNote) -> str:
    words = _("Point {label}: cause: {cause}; action: {action} ({signed})")
    return words.format(
        label=day_words(note.label),
        cause=note.cause or "–",
        action=note.action or "–",
        signed=_signed(note),
    )


def _signature_lines() -> str:
    places = "".join(
        f"<div>{html_text(words)}</div>"
        for words in (_("Prepared by, date"), _("Approved by, date"))
    )
    return f'<div class="report-part report-signatures">{places}</div>'


def report_sheets(study: Study, origin: ReportOrigin) -> list[OutputSheet]:
    """Make the sheets of the workbook: the summary, the charts, the points, the tables."""
    columns = (Column(_("fact"), "text"), Column(_("value"), "text"))
    marked = tuple(each.sentence for each in study.overrides)
    notes = (*marked, *study.doubts, study.verdict, *map(_note_sentence, origin.notes))
    sql = study.source.sql if study.source is not None else ""
    facts = (
        *study.facts,
        *report_facts(study, origin),
        *((("SQL", " ".join(sql.split())),) if sql else ()),
    )
    sheets = [OutputSheet(_("Report"), Table(columns, facts), study.title, notes)]
    for figure in (each for row in study.panels for each in row):
        drawn = native_chart(figure)
        if drawn is not None:
            sheets.append(
                OutputSheet(figure.title, drawn.table, figure.title, (figure.subtitle,), figure)
            )
    if study.points is not None:
        sheets.append(OutputSheet(_("Points"), study.points, _("Points")))
    sheets += [OutputSheet(each.title, each.table, each.title) for each in study.tables]
    return sheets
