"""Receipt of an import: how the rows of the file add up, as a view and as text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby

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

from qhub_desktop.core.dataset import (
    TYPE_NAMES,
    ApartKind,
    DatasetProfile,
    Finding,
    ImportChoices,
    ImportReport,
    SetApart,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.layouts import (
    add_to,
    column_of,
    make_label,
    make_markup_label,
    row_of,
)
from qhub_desktop.ui.controls.plain_text import breakable
from qhub_desktop.ui.theme import BODY_PT, GRID_PX, SMALL_PT, theme

SEPARATORS: dict[str, str] = {
    ";": gettext_noop("semicolon"),
    ",": gettext_noop("comma"),
    "\t": gettext_noop("tab"),
    "|": gettext_noop("bar"),
    " ": gettext_noop("space"),
    "fixed width": gettext_noop("fixed width"),  # no symbol
}
# Each name ends in what a doubt calls the encoding.
ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "cp1252": gettext_noop("Windows (cp1252)"),
    "utf-16": "UTF-16",
    "cp850": gettext_noop("DOS (cp850)"),
    "utf-8 twice": gettext_noop("UTF-8, written twice"),
    "mac-roman": gettext_noop("Western, Mac (mac-roman)"),
    "cp1250": gettext_noop("Central European (cp1250)"),
    "iso8859-2": gettext_noop("Central European (iso8859-2)"),
    "cp852": gettext_noop("Central European, DOS (cp852)"),
    "cp1251": gettext_noop("Cyrillic (cp1251)"),
    "koi8-r": gettext_noop("Cyrillic (koi8-r)"),
    "koi8-u": gettext_noop("Cyrillic (koi8-u)"),
    "iso8859-5": gettext_noop("Cyrillic (iso8859-5)"),
    "cp866": gettext_noop("Cyrillic, DOS (cp866)"),
    "mac-cyrillic": gettext_noop("Cyrillic, Mac (mac-cyrillic)"),
    "cp1253": gettext_noop("Greek (cp1253)"),
    "iso8859-7": gettext_noop("Greek (iso8859-7)"),
    "cp1254": gettext_noop("Turkish (cp1254)"),
    "iso8859-9": gettext_noop("Turkish (iso8859-9)"),
    "cp1257": gettext_noop("Baltic (cp1257)"),
    "cp1255": gettext_noop("Hebrew (cp1255)"),
    "cp1256": gettext_noop("Arabic (cp1256)"),
    "cp874": gettext_noop("Thai (cp874)"),
    "cp932": gettext_noop("Japanese, Shift-JIS (cp932)"),
    "euc_jis_2004": gettext_noop("Japanese, EUC (euc_jis_2004)"),
    "gb18030": gettext_noop("Simplified Chinese (gb18030)"),
    "big5hkscs": gettext_noop("Traditional Chinese (big5hkscs)"),
    "cp949": gettext_noop("Korean (cp949)"),
}
_APART_NAMES: dict[ApartKind, str] = {
    "title": gettext_noop("above the table"),
    "note": gettext_noop("notes"),
    "blank": gettext_noop("blank"),
    "total": gettext_noop("totals"),
    "repeated_header": gettext_noop("the header again"),
    "numbering": gettext_noop("numbers of the columns"),
    "group": gettext_noop("titles of groups"),
}
_MAX_APART_ROWS = 40  # rows listed per kind; a header repeated on 20,000 pages is clear by then


@dataclass(frozen=True, slots=True)
class BalanceLine:
    """Line of the receipt: a number of rows, and why they are or are not part of the data set."""

    label: str
    rows: int
    where: str = ""


def summary(report: ImportReport) -> tuple[str, str]:
    """Return what was done and what is in doubt, a few words each; empty if nothing."""
    done = []
    if repaired := len(report.repaired):
        words = ngettext("{count} repair", "{count} repairs", repaired)
        done.append(words.format(count=number(repaired, digits=0)))
    if apart := report.rows_apart:
        words = ngettext("{count} row set apart", "{count} rows set apart", apart)
        done.append(words.format(count=number(apart, digits=0)))
    doubts = len(report.doubtful)
    in_doubt = ngettext("{count} doubt", "{count} doubts", doubts).format(count=doubts)
    return " · ".join(done), in_doubt if doubts else ""


def facts(profile: DatasetProfile, report: ImportReport) -> Iterator[tuple[str, str]]:
    """Yield the properties of the file and how it was read, as names and values."""
    yield _("File"), profile.file
    if profile.sheet is not None:
        place = ""
        if len(profile.sheets) > 1 and profile.sheet in profile.sheets:
            place = _("{position} of {count}").format(
                position=profile.sheets.index(profile.sheet) + 1, count=len(profile.sheets)
            )
        yield _("Sheet"), f"{profile.sheet} ({place})" if place else profile.sheet
    if profile.area:
        yield _("Cells"), profile.area
    yield _("Format"), report.format
    if report.encoding is not None:
        yield _("Encoding"), encoding_name(report.encoding)
    if report.separator is not None:
        yield _("Separator"), separator_name(report.separator)
    if report.decimal is not None:
        comma, point = _("comma"), _("point")
        yield _("Decimals"), comma if report.decimal == "," else point
    yield _("Header"), header_name(report)
    if chosen := choices_text(report.choices):
        yield _("You chose"), chosen


def header_name(report: ImportReport) -> str:
    """Return the rows of the header in words."""
    if not report.header_row:
        return _("none; the columns were numbered")
    return row_range_text(report.header_row - max(report.header_rows, 1) + 1, report.header_row)


def separator_name(separator: str) -> str:
    """Return a separator as it looks, with its name."""
    name = SEPARATORS.get(separator)
    if name is None:
        return separator
    is_seen = len(separator) == 1 and not separator.isspace()
    return f"{separator}  ({_(name)})" if is_seen else _(name)


def encoding_name(encoding: str) -> str:
    """Return the usual name of an encoding."""
    plain = encoding.lower()
    if plain == "utf-8-sig":
        return _("UTF-8 with a mark at the start")
    known = ENCODINGS.get(plain)
    return _(known) if known is not None else encoding


def choices_text(choices: ImportChoices) -> str:
    """Describe the choices that the person made; empty if none."""
    said = []
    if choices.header_row is not None:
        row = _("header in row {row}").format(row=choices.header_row)
        said.append(row if choices.header_row else _("no header"))
    if choices.separator is not None:
        said.append(separator_name(choices.separator))
    if choices.encoding is not None:
        said.append(encoding_name(choices.encoding))
    said.extend(f"{name}: {_(TYPE_NAMES[type_])}" for name, type_ in choices.types)
    if choices.totals is not None:
        said.append(_("totals set apart") if choices.totals == "apart" else _("totals kept"))
    if choices.table is not None:
        one = _("table {number} of the sheet").format(number=choices.table)
        said.append(one if choices.table else _("the sheet as one table"))
    if choices.filled_down:
        said.append(_("labels filled down"))
    elif choices.filled_down is False:
        said.append(_("titles of groups set apart"))
    if choices.transposed:
        said.append(_("rows and columns exchanged"))
    return "; ".join(said)


def offers(finding: Finding, choices: ImportChoices) -> list[tuple[str, ImportChoices]]:
    """Return other ways to read what a finding is about: what each does, and its choices."""
    if (offer := finding.offer) is not None:
        types = {**dict(choices.types), offer.column: offer.type}
        words = ngettext(
            "Read as {type}; {count} cell becomes missing",
            "Read as {type}; {count} cells become missing",
            offer.missing,
        ).format(type=_(TYPE_NAMES[offer.type]), count=number(offer.missing, digits=0))
        return [(words, replace(choices, types=tuple(types.items())))]
    match finding.kind:
        case "totals_kept":
            return [(_("Set them apart"), replace(choices, totals="apart"))]
        case "totals_set_apart" | "totals_above":
            return [(_("Keep as data"), replace(choices, totals="kept"))]
        case "header_rows":
            digits = "".join(filter(str.isdigit, finding.cells[0]))
            row = int(digits) - 1
            return [(_("Only row {row}").format(row=row), replace(choices, header_row=row))]
        case "labels_once":
            return [(_("Fill down"), replace(choices, filled_down=True))]
        case "labels_filled":
            return [(_("Leave blank"), replace(choices, filled_down=None))]
        case "groups_as_column":
            return [(_("Without this column"), replace(choices, filled_down=False))]
        case "groups_set_apart":
            return [(_("As a column"), replace(choices, filled_down=None))]
        case "records_in_columns":
            turned = replace(choices, transposed=True, header_row=None, types=())
            return [(_("Exchange rows and columns"), turned)]
        case "transposed":
            back = replace(choices, transposed=None, header_row=None, types=())
            return [(_("As in the file"), back)]
        case "numbers_as_names" | "values_as_names":
            return [(_("No header"), replace(choices, header_row=0))]
        case "tables_read_apart":
            return [(_("Read as one table"), replace(choices, table=0))]
        case "several_tables":
            return [
                (_("Read only {area}").format(area=area), replace(choices, table=number_))
                for number_, area in enumerate(finding.cells, 1)
            ]
        case _:
            return []


def withdrawal(choices: ImportChoices) -> list[tuple[str, ImportChoices]]:
    """Return the offer to let the program decide again on rows and tables, if a person did."""
    automatic = replace(choices, totals=None, table=None)
    return [] if automatic == choices else [(_("Let the program decide"), automatic)]


def balance_lines(report: ImportReport) -> tuple[list[BalanceLine], bool]:
    """Return the rows excluded from the data set, and whether the remainder was all read."""
    header = report.header_rows if report.header_row else 0
    taken = []
    if header:
        taken.append(BalanceLine(_("header"), header, header_name(report)))
    for kind, rows in _by_kind(report.set_apart):
        count = sum(each.last_row - each.row + 1 for each in rows)
        where = row_range_text(rows[0].row, rows[0].last_row) if len(rows) == 1 else ""
        taken.append(BalanceLine(_(_APART_NAMES[kind]), count, where))
    balance = report.rows_present - sum(line.rows for line in taken)
    return taken, balance == report.rows_read


def set_apart_lines(report: ImportReport) -> Iterator[tuple[str, int, list[tuple[str, str]]]]:
    """Yield the rows set apart by kind: its name, their number, and the place and text of each."""
    for kind, rows in _by_kind(report.set_apart):
        shown = [
            (row_range_text(each.row, each.last_row), each.text) for each in rows[:_MAX_APART_ROWS]
        ]
        if more := len(rows) - len(shown):
            shown.append((_("and {count} more").format(count=number(more, digits=0)), ""))
        yield _(_APART_NAMES[kind]), sum(each.last_row - each.row + 1 for each in rows), shown


def row_range_text(first: int, last: int) -> str:
    """Format a range of rows, as Excel numbers them."""
    if first == last:
        return _("row {row}").format(row=first)
    return _("rows {first}-{last}").format(first=first, last=last).replace("-", "\N{EN DASH}")


def report_text(profile: DatasetProfile, report: ImportReport) -> str:
    """Format the whole report as text, to be pasted into a mail."""
    lines = [_("Import report"), ""]
    lines += [f"{name}: {value}" for name, value in facts(profile, report)]
    lines += [f"SHA-256: {profile.sha256}", ""]
    taken, is_sound = balance_lines(report)
    present, read = _("rows present"), _("rows read")
    lines.append(f"{present}: {number(report.rows_present, digits=0)}")
    lines += [f"- {line.label}: {number(line.rows, digits=0)}" for line in taken]
    lines.append(f"= {read}: {number(report.rows_read, digits=0)}")
    lines.append(balance_sentence(is_sound=is_sound))
    if report.facts:
        lines += ["", _("What the file says of its data")]
        lines += [f"- {name}: {value}" for name, value in report.facts]
    lines += _finding_lines(_("Repaired"), report.repaired)
    apart = list(set_apart_lines(report))
    if apart:
        lines += ["", _("Set apart")]
    for kind, _count, rows in apart:
        lines += [f"- {kind}, {where}: {text}".rstrip(": ") for where, text in rows]
    lines += _finding_lines(_("In doubt"), report.doubtful)
    return "\n".join(lines) + "\n"


def balance_sentence(*, is_sound: bool) -> str:
    """Return the sentence that says whether every row of the file is accounted for."""
    if is_sound:
        return _("Every row is accounted for.")
    return _("These rows do not add up. Do not rely on this data set, and send us the file.")


def _finding_lines(heading: str, findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    lines = ["", heading]
    for finding in findings:
        cells = f" [{', '.join(finding.cells)}]" if finding.cells else ""
        lines.append(f"- {finding.text} ({number(finding.count, digits=0)}){cells}")
    return lines


def _by_kind(set_apart: Sequence[SetApart]) -> Iterator[tuple[ApartKind, list[SetApart]]]:
    order = list(_APART_NAMES)
    ordered = sorted(set_apart, key=lambda each: (order.index(each.kind), each.row))
    for kind, rows in groupby(ordered, key=lambda each: each.kind):
        yield kind, list(rows)


_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse
_LINKED = (
    _SELECTABLE
    | Qt.TextInteractionFlag.LinksAccessibleByMouse
    | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
)
_OFFER = "offer:"  # before the number of an offer, in a link
_MAX_CELLS = 12
_MAX_FINDINGS = 50
_TOP = Qt.AlignmentFlag.AlignTop


class ReceiptView(QScrollArea):
    """Scrolling view of the report, with all text selectable.

    Signals:
        cell_clicked: the address of a cell to show.
        offer_clicked: the choices to read the file again under.
    """

    cell_clicked = Signal(str)
    offer_clicked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[DatasetProfile, ImportReport] | None = None
        self._offers: list[ImportChoices] = []
        self.setAccessibleName(_("Import report"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        theme().on_change(self._restyle)

    @property
    def text(self) -> str:
        """Report as plain text, for copying."""
        return report_text(*self._shown) if self._shown else ""

    def show_report(self, profile: DatasetProfile, report: ImportReport) -> None:
        """Show a report, scrolled to its top."""
        self._shown = (profile, report)
        self._offers = []
        inside = QWidget()
        inside.setAutoFillBackground(False)
        column = column_of(owner=inside, margins=(0, 0, GRID_PX, 0), spacing=2 * GRID_PX)
        add_to(column, self._make_balance(report), self._make_facts(facts(profile, report)))
        if links := self._offer_links(withdrawal(report.choices)):
            column.addWidget(self._linked(links))
        self._add_groups(column, report)
        column.addStretch(1)
        self.setWidget(inside)

    def _restyle(self) -> None:
        if self._shown:
            self.show_report(*self._shown)

    def _make_balance(self, report: ImportReport) -> QFrame:
        """Lay out the subtraction: rows present, minus the rows set apart, equals rows read."""
        palette = theme().palette
        slip = QFrame()
        slip.setProperty("kind", "card")
        grid = QGridLayout(slip)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        taken, is_sound = balance_lines(report)
        _add_balance_line(grid, "", _("rows present"), report.rows_present)
        for line in taken:
            words = f"{line.label} · {line.where}" if line.where else line.label
            _add_balance_line(grid, "\N{MINUS SIGN}", words, line.rows, role="quiet")
        rule = QFrame()
        rule.setProperty("kind", "line")
        rule.setFixedHeight(1)
        grid.addWidget(rule, grid.rowCount(), 0, 1, 3)
        _add_balance_line(grid, "=", _("rows read"), report.rows_read, role="heading")
        row = grid.rowCount()
        name, colour = ("check", palette.good) if is_sound else ("warning", palette.bad)
        verdict = row_of(margins=(0, 6, 0, 0), spacing=6)
        verdict.addWidget(self._icon_label(name, colour), 0, _TOP)
        sentence = balance_sentence(is_sound=is_sound)
        verdict.addWidget(_label(sentence, role="good" if is_sound else "bad"), 1)
        grid.addLayout(verdict, row, 0, 1, 3)
        return slip

    def _make_facts(self, pairs: Iterable[tuple[str, str]]) -> QLabel:
        quiet = f"color:{theme().palette.quiet};white-space:nowrap;padding-right:14px"
        lines = "".join(
            f'<tr><td style="{quiet}">{escape(name)}</td><td>{escape(breakable(value))}</td></tr>'
            for name, value in pairs
        )
        label = self._rich_label(f'<table cellspacing="2">{lines}</table>')
        label.setContentsMargins(0, 0, 0, 0)
        return label

    def _add_groups(self, column: QVBoxLayout, report: ImportReport) -> None:
        palette = theme().palette
        if not (report.repaired or report.set_apart or report.doubtful):
            calm = _("Nothing had to be repaired or set apart, and nothing is in doubt.")
            column.addWidget(_label(calm, role="quiet"))
        if doubts := report.doubtful:
            warn = palette.warn
            column.addLayout(self._make_heading("warning", warn, _("In doubt"), len(doubts)))
            self._add_findings(column, doubts, report.choices)
        if repairs := report.repaired:
            good = palette.good
            column.addLayout(self._make_heading("check", good, _("Repaired"), len(repairs)))
            self._add_findings(column, repairs, report.choices)
        if report.set_apart:
            quiet = palette.quiet
            add_to(column, self._make_heading("archive", quiet, _("Set apart"), report.rows_apart))
            self._add_apart(column, report)
        if report.facts:
            words = _("What the file says of its data")
            column.addLayout(self._make_heading("info", palette.quiet, words, len(report.facts)))
            column.addWidget(self._make_facts(report.facts))

    def _make_heading(self, name: str, colour: str, words: str, count: int) -> QHBoxLayout:
        row = row_of(margins=(0, 4, 0, 0))
        row.addWidget(self._icon_label(name, colour))
        row.addWidget(_label(words, role="heading", is_wrapped=False))
        row.addWidget(_label(number(count, digits=0), role="quiet", is_wrapped=False))
        row.addStretch(1)
        return row

    def _add_findings(
        self, column: QVBoxLayout, findings: Sequence[Finding], choices: ImportChoices
    ) -> None:
        for finding in findings[:_MAX_FINDINGS]:
            places = self._cell_links(finding)
            below = f'<br><span style="{self._small_style}">{places}</span>' if places else ""
            links = self._offer_links(offers(finding, choices))
            column.addWidget(
                self._linked(f"{escape(finding.text)}{below}" + (f"<br>{links}" if links else ""))
            )
        more = len(findings) - _MAX_FINDINGS
        if more > 0:
            words = _("and {count} more, which the copied report has")
            column.addWidget(self._rich_label(escape(words.format(count=number(more, digits=0)))))

    def _linked(self, html: str) -> QLabel:
        label = self._rich_label(html)
        label.setTextInteractionFlags(_LINKED)
        label.linkActivated.connect(self._on_link_activated)
        return label

    def _offer_links(self, offered: Iterable[tuple[str, ImportChoices]]) -> str:
        """Format other ways to read the file as links; empty if there are none."""
        links: list[str] = []
        for words, choices in offered:
            links.append(
                f'<a href="{_OFFER}{len(self._offers)}" style="color:{theme().palette.accent}">'
                f"{escape(words)}</a>"
            )
            self._offers.append(choices)
        return " \N{NO-BREAK SPACE}".join(links)

    def _on_link_activated(self, link: str) -> None:
        if link.startswith(_OFFER):
            self.offer_clicked.emit(self._offers[int(link.removeprefix(_OFFER))])
        else:
            self.cell_clicked.emit(link)

    def _cell_links(self, finding: Finding) -> str:
        """Format the cells of a finding as links, or only their number if no cells are known."""
        shown = finding.cells[:_MAX_CELLS]
        if not shown:
            times = f"{number(finding.count, digits=0)}\N{MULTIPLICATION SIGN}"
            return times if finding.count > 1 else ""
        style = f"color:{theme().palette.accent};text-decoration:none"
        links = [f'<a href="{escape(cell)}" style="{style}">{escape(cell)}</a>' for cell in shown]
        is_whole = any(":" in cell for cell in shown)  # a range covers all cells
        rest = 0 if is_whole else finding.count - len(shown)
        more = _("and {count} more").format(count=number(rest, digits=0))
        return " \N{NO-BREAK SPACE}".join(links) + (f"  {more}" if rest > 0 else "")

    def _add_apart(self, column: QVBoxLayout, report: ImportReport) -> None:
        for kind, count, rows in set_apart_lines(report):
            lines = "".join(
                f'<tr><td style="white-space:nowrap;padding-right:10px">{escape(where)}</td>'
                f"<td>{escape(text)}</td></tr>"
                for where, text in rows
            )
            heading = f"{escape(kind)} · {number(count, digits=0)}"
            column.addWidget(
                self._rich_label(
                    f'{heading}<table style="{self._small_style}" cellspacing="1">{lines}</table>'
                )
            )

    @property
    def _small_style(self) -> str:
        size = self.font().pointSizeF() * SMALL_PT / BODY_PT
        return f"color:{theme().palette.quiet};font-size:{size:.1f}pt"

    def _rich_label(self, html: str) -> QLabel:
        """Create one label for a whole group, since a report may have hundreds of lines."""
        label = make_markup_label(html, is_wrapped=True)
        label.setTextInteractionFlags(_SELECTABLE)
        label.setContentsMargins(26, 0, 0, 0)
        return label

    def _icon_label(self, name: str, colour: str) -> QLabel:
        sign = make_label()
        sign.setPixmap(pixmap(name, colour, size_px=18, ratio=self.devicePixelRatioF()))
        return sign


def _add_balance_line(
    grid: QGridLayout, sign: str, words: str, rows: int, *, role: str = ""
) -> None:
    row = grid.rowCount()
    counted = _label(number(rows, digits=0), role=role, is_wrapped=False)
    counted.setAlignment(Qt.AlignmentFlag.AlignRight)
    grid.addWidget(_label(sign, role=role, is_wrapped=False), row, 0, _TOP)
    grid.addWidget(_label(words, role=role), row, 1, _TOP)
    grid.addWidget(counted, row, 2, _TOP)


def _label(words: str, *, role: str = "", is_wrapped: bool = True) -> QLabel:
    label = make_label(words, role=role, is_wrapped=is_wrapped)
    label.setTextInteractionFlags(_SELECTABLE)
    return label
