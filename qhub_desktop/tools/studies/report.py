"""Report of a study: a PDF to be signed and an Excel file to go on with, side by side.

Both say what an auditor asks: method, estimator, rows, filters, exclusions, who, when, with which
version, and the fingerprint of the data. What was changed by hand is marked on both.
"""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop import __version__
from qhub_desktop.charts import html_document
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.export.native_charts import native_chart
from qhub_desktop.data.export.output import (
    OutputSheet,
    atomic_write,
    check_writable,
    os_errors_as_user_errors,
)
from qhub_desktop.tools.widget_pages import (
    PageDocument,
    figure_scripts,
    html_text,
    widget_html,
)

if TYPE_CHECKING:
    from qhub_desktop.data.export_service import ExportService
    from qhub_desktop.tools.dashboard_export import Printer

# Figures are drawn for the screen first: as high there as on paper, nothing has to be shrunk.
_AS_ON_PAPER = """
.qhub-panels .qhub-figure { height: 190px; }
.qhub-panels.is-single .qhub-figure { height: 320px; }
.qhub-panels.is-tight .qhub-figure { height: 138px; }
"""
_STUDY = "study"  # the element that its figures are drawn in


@dataclass(frozen=True, slots=True)
class ReportOrigin:
    """Origin of a report: who has it made, when, and of which data.

    `sha256` is the fingerprint of the file that the data set was read from, and empty for the
    station's own defect log.
    """

    who: str
    when: datetime
    sha256: str = ""
    notes: tuple[str, ...] = ()  # causes and actions that were noted on points


class StudyReports:
    """Writer of reports."""

    def __init__(self, exports: "ExportService", printer: "Printer") -> None:
        self._exports = exports
        self._printer = printer

    async def write(self, study: Study, target: Path, origin: ReportOrigin) -> tuple[Path, Path]:
        """Write a PDF and a workbook of the same name; return both.

        Existing files are replaced only by complete ones. Raises UserError if one cannot be
        written; the other may have been.
        """
        document, book = target.with_suffix(".pdf"), target.with_suffix(".xlsx")
        for each in (document, book):
            check_writable(each)
        await self._print(study, document, origin)
        await self._exports.export_sheets(report_sheets(study, origin), book, title=study.title)
        return document, book

    async def _print(self, study: Study, target: Path, origin: ReportOrigin) -> None:
        worker = Worker("report")
        try:
            with os_errors_as_user_errors(target), scratch_folder() as folder:
                page = await worker.run(report_page, study, origin)
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
    facts = [
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
                origin.sha256 or _("none: the data are the station's own log"),
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
    """Make the page that the PDF is printed from."""
    styles = f"<style>{html_document.shipped('figures.css')}{_AS_ON_PAPER}</style>"
    parts = [styles, f"<h1>{html_text(study.title)}</h1>"]
    if study.overrides:
        marked = _("Contains changes by hand ({count}), listed below.").format(
            count=number(len(study.overrides), digits=0)
        )
        parts.append(f'<p class="qhub-doubt"><strong>{html_text(marked)}</strong></p>')
    parts.append(widget_html(_STUDY, study))
    parts += [f'<p class="qhub-doubt">{html_text(note)}</p>' for note in origin.notes]
    rows = "".join(
        f"<tr><th>{html_text(name)}</th><td>{html_text(value)}</td></tr>"
        for name, value in report_facts(study, origin)
    )
    heading = _("How this was made")
    parts.append(f"<h2>{html_text(heading)}</h2>")
    parts.append(f'<table class="data-table qhub-facts"><tbody>{rows}</tbody></table>')
    if study.source is not None and study.source.sql:
        parts.append(f'<pre style="white-space: pre-wrap">{html_text(study.source.sql)}</pre>')
    parts.append(_signature_lines())
    parts += [
        *figure_scripts(_STUDY, study),
        f"<script>{html_document.shipped('figures.js')}</script>",
    ]
    document = html_document.build("\n".join(parts), title=study.title)
    return PageDocument(study.title, document, {})


def _signature_lines() -> str:
    places = "".join(
        f'<td style="border-top: 1px solid; padding-top: 4px">{html_text(words)}</td>'
        for words in (_("Prepared by, date"), _("Approved by, date"))
    )
    style = "width: 100%; margin-top: 64px; border-spacing: 32px 0"
    return f'<table style="{style}"><tr>{places}</tr></table>'


def report_sheets(study: Study, origin: ReportOrigin) -> list[OutputSheet]:
    """Make the sheets of the workbook: the summary, the charts, the points, the tables."""
    columns = (Column(_("fact"), "text"), Column(_("value"), "text"))
    marked = tuple(each.sentence for each in study.overrides)
    notes = (*marked, *study.doubts, study.verdict, *origin.notes)
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
