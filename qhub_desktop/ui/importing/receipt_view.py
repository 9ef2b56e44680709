"""The receipt of an import: what the file was, how its rows add up, and what was done to them."""

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.dataset import DatasetProfile, Finding, ImportReport
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.importing import wording
from qhub_desktop.ui.theme import BODY_PT, GRID_PX, SMALL_PT, Palette

_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse
_LINKED = (
    _SELECTABLE
    | Qt.TextInteractionFlag.LinksAccessibleByMouse
    | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
)
_SHOWN_CELLS = 12
_SHOWN_FINDINGS = 50
_TOP = Qt.AlignmentFlag.AlignTop


class ReceiptView(QScrollArea):
    """Scrolls where the report is long; every text of it can be selected.

    Signals:
        cell_pressed: a cell's address, to be looked at.
    """

    cell_pressed = Signal(str)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._shown: tuple[DatasetProfile, ImportReport] | None = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)

    @property
    def text(self) -> str:
        """The report as text, to be copied."""
        return wording.as_text(*self._shown) if self._shown else ""

    def show_report(self, profile: DatasetProfile, report: ImportReport) -> None:
        """Show this report, from its beginning."""
        self._shown = (profile, report)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, GRID_PX, 0)
        column.setSpacing(2 * GRID_PX)
        column.addWidget(self._sum(report))
        column.addWidget(self._facts(wording.facts(profile, report)))
        self._add_groups(column, report)
        column.addStretch(1)
        self.setWidget(inside)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        if self._shown:
            self.show_report(*self._shown)

    def _sum(self, report: ImportReport) -> QFrame:
        """Rows present, less what is no row of data, are the rows read."""
        slip = QFrame()
        slip.setProperty("kind", "card")
        grid = QGridLayout(slip)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        taken, is_sound = wording.sum_lines(report)
        _sum_line(grid, "", _("rows present"), report.rows_present)
        for line in taken:
            words = f"{line.words} · {line.where}" if line.where else line.words
            _sum_line(grid, "\N{MINUS SIGN}", words, line.rows, role="quiet")
        rule = QFrame()
        rule.setProperty("kind", "line")
        rule.setFixedHeight(1)
        grid.addWidget(rule, grid.rowCount(), 0, 1, 3)
        _sum_line(grid, "=", _("rows read"), report.rows_read, role="heading")
        row = grid.rowCount()
        name, colour = ("check", self._palette.good) if is_sound else ("warning", self._palette.bad)
        verdict = QHBoxLayout()
        verdict.setContentsMargins(0, 6, 0, 0)
        verdict.setSpacing(6)
        verdict.addWidget(self._sign(name, colour), 0, _TOP)
        sentence = wording.sum_sentence(is_sound=is_sound)
        verdict.addWidget(_label(sentence, role="good" if is_sound else "bad"), 1)
        grid.addLayout(verdict, row, 0, 1, 3)
        return slip

    def _facts(self, pairs: Iterable[tuple[str, str]]) -> QLabel:
        quiet = f"color:{self._palette.quiet};white-space:nowrap;padding-right:14px"
        lines = "".join(
            f'<tr><td style="{quiet}">{escape(name)}</td><td>{escape(value)}</td></tr>'
            for name, value in pairs
        )
        label = self._rich(f'<table cellspacing="2">{lines}</table>')
        label.setContentsMargins(0, 0, 0, 0)
        return label

    def _add_groups(self, column: QVBoxLayout, report: ImportReport) -> None:
        if not (report.repaired or report.set_apart or report.doubtful):
            calm = _("Nothing had to be repaired or set apart, and nothing is in doubt.")
            column.addWidget(_label(calm, role="quiet"))
        if doubts := report.doubtful:
            warn = self._palette.warn
            column.addLayout(self._heading("warning", warn, _("In doubt"), len(doubts)))
            self._add_findings(column, doubts)
        if repairs := report.repaired:
            good = self._palette.good
            column.addLayout(self._heading("check", good, _("Repaired"), len(repairs)))
            self._add_findings(column, repairs)
        if report.set_apart:
            quiet = self._palette.quiet
            column.addLayout(self._heading("archive", quiet, _("Set apart"), report.rows_apart))
            self._add_apart(column, report)

    def _heading(self, name: str, colour: str, words: str, count: int) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(0, 4, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._sign(name, colour))
        row.addWidget(_label(words, role="heading", is_wrapped=False))
        row.addWidget(_label(number(count, digits=0), role="quiet", is_wrapped=False))
        row.addStretch(1)
        return row

    def _add_findings(self, column: QVBoxLayout, findings: Sequence[Finding]) -> None:
        for finding in findings[:_SHOWN_FINDINGS]:
            places = self._places(finding)
            below = f'<br><span style="{self._small}">{places}</span>' if places else ""
            said = self._rich(f"{escape(finding.text)}{below}")
            said.setTextInteractionFlags(_LINKED)
            said.linkActivated.connect(self.cell_pressed)
            column.addWidget(said)
        more = len(findings) - _SHOWN_FINDINGS
        if more > 0:
            words = _("and {count} more, which the copied report has")
            column.addWidget(self._rich(escape(words.format(count=number(more, digits=0)))))

    def _places(self, finding: Finding) -> str:
        """Where it is, as links; how often, where that is all there is to say."""
        shown = finding.cells[:_SHOWN_CELLS]
        if not shown:
            times = f"{number(finding.count, digits=0)}\N{MULTIPLICATION SIGN}"
            return times if finding.count > 1 else ""
        style = f"color:{self._palette.accent};text-decoration:none"
        links = [f'<a href="{escape(cell)}" style="{style}">{escape(cell)}</a>' for cell in shown]
        is_whole = any(":" in cell for cell in shown)  # a range says how far it goes
        rest = 0 if is_whole else finding.count - len(shown)
        more = _("and {count} more").format(count=number(rest, digits=0))
        return " \N{NO-BREAK SPACE}".join(links) + (f"  {more}" if rest > 0 else "")

    def _add_apart(self, column: QVBoxLayout, report: ImportReport) -> None:
        for kind, count, rows in wording.apart_lines(report):
            lines = "".join(
                f'<tr><td style="white-space:nowrap;padding-right:10px">{escape(where)}</td>'
                f"<td>{escape(text)}</td></tr>"
                for where, text in rows
            )
            heading = f"{escape(kind)} · {number(count, digits=0)}"
            column.addWidget(
                self._rich(f'{heading}<table style="{self._small}" cellspacing="1">{lines}</table>')
            )

    @property
    def _small(self) -> str:
        size = self.font().pointSizeF() * SMALL_PT / BODY_PT
        return f"color:{self._palette.quiet};font-size:{size:.1f}pt"

    def _rich(self, html: str) -> QLabel:
        """A paragraph of a group; one label, for a report may have hundreds of lines."""
        label = _label("")
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setText(html)
        label.setContentsMargins(26, 0, 0, 0)
        return label

    def _sign(self, name: str, colour: str) -> QLabel:
        sign = QLabel()
        sign.setPixmap(pixmap(name, colour, size_px=18, ratio=self.devicePixelRatioF()))
        return sign


def _sum_line(grid: QGridLayout, sign: str, words: str, rows: int, *, role: str = "") -> None:
    row = grid.rowCount()
    counted = _label(number(rows, digits=0), role=role, is_wrapped=False)
    counted.setAlignment(Qt.AlignmentFlag.AlignRight)
    grid.addWidget(_label(sign, role=role, is_wrapped=False), row, 0, _TOP)
    grid.addWidget(_label(words, role=role), row, 1, _TOP)
    grid.addWidget(counted, row, 2, _TOP)


def _label(words: str, *, role: str = "", is_wrapped: bool = True) -> QLabel:
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)  # cells of somebody's file
    label.setTextInteractionFlags(_SELECTABLE)
    label.setWordWrap(is_wrapped)
    if role:
        label.setProperty("role", role)
    return label
