"""Card of a data set: its name, size, columns, and the actions on it."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Literal

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.controls.buttons import IconButton, IconLabel, TextButton, icon
from qhub_desktop.ui.controls.column_summary import ColumnView
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    column_of,
    make_label,
    make_markup_label,
    row_of,
)
from qhub_desktop.ui.controls.notices import Action, OfferBox
from qhub_desktop.ui.controls.plain_text import add_action, entered, one_line, set_tooltip
from qhub_desktop.ui.controls.popup import make_menu
from qhub_desktop.ui.controls.progress import ProgressLine
from qhub_desktop.ui.importing.receipt import summary
from qhub_desktop.ui.theme import theme

COLUMNS_PER_STEP = 24


class ColumnList(QWidget):
    """List of column views, each of which expands on its own."""

    def __init__(self, profile: DatasetProfile) -> None:
        super().__init__()
        self._profile = profile
        self.views: list[ColumnView] = []
        self.more_button = TextButton("", kind="link", on_click=self._add)
        self._column = column_of(self.more_button, owner=self, spacing=0)
        self._add()

    def _add(self) -> None:
        start = len(self.views)
        for position, column in enumerate(
            self._profile.columns[start : start + COLUMNS_PER_STEP], start
        ):
            view = ColumnView(column, rows=self._profile.rows)
            self.views.append(view)
            self._column.insertWidget(position, view)
        hidden = len(self._profile.columns) - len(self.views)
        next_ = min(hidden, COLUMNS_PER_STEP)
        words = ngettext("Show {count} more column", "Show {count} more columns", next_)
        self.more_button.set_caption(words.format(count=next_))
        self.more_button.setVisible(hidden > 0)


MAX_NAME_CHARACTERS = 60


class EditableName(QWidget):
    """Label that becomes a text field: Enter submits, Esc or losing the focus discards.

    Signals:
        renamed: the submitted text, if it differs from the name.
    """

    renamed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._label = ElidedLabel(role="small", mode=Qt.TextElideMode.ElideMiddle)
        self.field: QLineEdit | None = None  # a workbook has one name per sheet
        self._column = column_of(self._label, owner=self, spacing=None)
        self.show_name(name)

    def show_name(self, name: str) -> None:
        """Show this name."""
        self.name = name
        self._label.setText(_("in questions: {name}").format(name=name))

    def edit(self) -> QLineEdit:
        """Turn the label into a text field, and return the field."""
        if self.field is None:
            self.field = self._make_field()
        self._label.hide()
        self.field.setText(one_line(self.name))
        self.field.show()
        self.field.selectAll()
        self.field.setFocus()
        return self.field

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.edit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._label.isHidden():
            self._close()
        else:
            super().keyPressEvent(event)

    def _make_field(self) -> QLineEdit:
        field = text_field(_("Name in questions"), most=MAX_NAME_CHARACTERS)
        field.setAcceptDrops(False)
        field.returnPressed.connect(self._on_return_pressed)
        field.editingFinished.connect(self._close)
        self._column.addWidget(field)
        return field

    def _on_return_pressed(self) -> None:
        shown = self.field.text() if self.field else ""
        typed = entered(shown, self.name, limit=MAX_NAME_CHARACTERS)
        self._close()
        if typed and typed != self.name:
            self.renamed.emit(typed)

    def _close(self) -> None:
        if self.field is not None:
            self.field.hide()
        self._label.show()


Part = Literal["file", "sheet", "log"]  # alone in its file, one sheet of several, or the log


class DatasetCard(QFrame):
    """Collapsible card; its columns are created when it first expands, and each collapses too.

    Signals:
        preview_requested: show all rows.
        report_requested: show the import report.
        export_requested: export all rows to this format: "xlsx", "csv" or "dfq".
        renamed: the name that the person typed.
        exclude_requested: exclude it from questions, but keep it in the conversation.
        removal_requested: remove it from the conversation.
    """

    preview_requested = Signal()
    report_requested = Signal()
    export_requested = Signal(str)
    renamed = Signal(str)
    exclude_requested = Signal()
    removal_requested = Signal()

    def __init__(self, profile: DatasetProfile, *, part: Part, is_open: bool) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.profile = profile
        self.part = part
        self._columns: ColumnList | None = None
        self._progress_lines: list[ProgressLine] = []
        self.offers: list[OfferBox] = []
        self.name = EditableName(profile.dataset)
        self.name.renamed.connect(self.renamed)
        name, tip = ("chevron-up", _("Fold")) if is_open else ("chevron-down", _("Open"))
        self._expand_button = IconButton(name, tip, on_click=self._on_expand_clicked)
        self._icon_label = IconLabel("database", "accent")
        self.summary_label = make_markup_label(role="small", is_wrapped=True)
        self.summary_label.setMinimumWidth(24)
        self.summary_label.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.summary_label.linkActivated.connect(self.report_requested)
        self.extra = QWidget()
        self._offers = column_of(owner=self.extra, margins=(4, 0, 4, 2), spacing=6)
        self.extra.hide()
        self._body = QWidget()
        self._body_column = column_of(owner=self._body, spacing=2)
        column_of(
            self._make_header(),
            self.extra,
            self._body,
            owner=self,
            margins=(8, 10, 8, 8),
            spacing=6,
        )
        self._body.setVisible(is_open)
        if is_open:
            self._create_body()
        theme().register(self._restyle)

    @property
    def is_log(self) -> bool:
        """Whether it is the station's own defect log."""
        return self.part == "log"

    @property
    def columns(self) -> list[ColumnView]:
        """Column views created so far, in order."""
        return self._columns.views if self._columns else []

    @property
    def is_open(self) -> bool:
        """Whether the card is expanded."""
        return not self._body.isHidden()

    def show_name(self, profile: DatasetProfile) -> None:
        """Show the name of this profile, which differs from the former one in the name only."""
        self.profile = profile
        self.name.show_name(profile.dataset)

    def offer(self, words: str, actions: Sequence[Action]) -> OfferBox:
        """Show a message with actions on the card; the first action is the default."""
        box = OfferBox(words, actions)
        self.offers.append(box)
        self._offers.addWidget(box)
        self.extra.show()
        box.dismissed.connect(lambda: self._on_offer_dismissed(box))
        return box

    def begin(self, words: str) -> ProgressLine:
        """Show a progress line for a running task; `end` removes it."""
        line = ProgressLine(words)
        self._progress_lines.append(line)
        self._offers.addWidget(line)
        self.extra.show()
        return line

    def end(self, line: ProgressLine) -> None:
        """Remove the progress line of a finished task."""
        self._progress_lines.remove(line)
        line.hide()
        line.deleteLater()
        self._show_extra()

    def menu(self) -> QMenu:
        """Build the menu of all actions on the data set."""
        menu = make_menu(self)

        def add(words: str, name: str, do: Callable[[], object]) -> None:
            add_action(
                menu, words, lambda *_triggered: do(), picture=icon(name, theme().palette.quiet)
            )

        add(_("Show all rows"), "table", self.preview_requested.emit)
        if self.profile.report is not None:
            add(_("Import report"), "receipt", self.report_requested.emit)
        menu.addSeparator()
        add(_("Export to Excel…"), "save", lambda: self.export_requested.emit("xlsx"))
        add(_("Export as CSV…"), "save", lambda: self.export_requested.emit("csv"))
        menu.addSeparator()
        add(_("Copy name"), "copy", self._on_copy_chosen)
        if not self.is_log:
            add(_("Rename…"), "pencil", self.name.edit)
            menu.addSeparator()
            add(_("Do not use in the conversation"), "eye-off", self.exclude_requested.emit)
            add(_("Take it out of this conversation"), "trash", self.removal_requested.emit)
        return menu

    def _restyle(self) -> None:
        self._show_summary()

    def _make_header(self) -> QHBoxLayout:
        profile = self.profile
        title = profile.sheet if self.part == "sheet" and profile.sheet else profile.file
        if self.is_log:
            title = _("Defect log")
        size = _label(
            _non_breaking(size_text(profile, with_sheet=self.part == "file")), role="small"
        )
        self.setAccessibleName(f"{title}, {size_text(profile)}")
        words = column_of(spacing=1)
        words.addWidget(ElidedLabel(title, role="heading", mode=Qt.TextElideMode.ElideMiddle))
        words.addWidget(size)
        words.addWidget(self.name)
        words.addWidget(self.summary_label)
        head = row_of(margins=(8, 0, 0, 0))
        head.addWidget(self._make_use_box() if self.part == "sheet" else self._icon_label, 0, _TOP)
        head.addLayout(words, 1)
        head.addWidget(self._expand_button, 0, _TOP)
        return head

    def _make_use_box(self) -> QCheckBox:
        box = QCheckBox()
        box.setChecked(True)
        set_tooltip(box, _("Use in the conversation"))
        box.setAccessibleName(_("Use {sheet} in the conversation").format(sheet=self.profile.sheet))
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.toggled.connect(self.exclude_requested)
        return box

    def _make_button_row(self) -> QHBoxLayout:
        table = TextButton(_("Table"), icon_name="table", kind="flat")
        set_tooltip(table, _("Show all rows"))
        table.clicked.connect(self.preview_requested)
        report = IconButton("receipt", _("Import report"), on_click=self.report_requested)
        report.setVisible(self.profile.report is not None)
        export = IconButton("save", _("Export…"))
        export.clicked.connect(lambda: self._popup_below(self._export_menu(), export))
        more = IconButton("more", _("More"))
        more.clicked.connect(lambda: self._popup_below(self.menu(), more))
        return row_of(table, STRETCH, report, export, more, spacing=2)

    def _export_menu(self) -> QMenu:
        menu = make_menu(self)
        add_action(menu, _("Excel workbook…"), lambda: self.export_requested.emit("xlsx"))
        add_action(menu, _("CSV file…"), lambda: self.export_requested.emit("csv"))
        add_action(menu, _("Q-DAS file…"), lambda: self.export_requested.emit("dfq"))
        return menu

    def _popup_below(self, menu: QMenu, button: IconButton) -> None:
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _create_body(self) -> None:
        """Create the body on first expansion; most sheets of a workbook are never expanded."""
        if self._columns is not None:
            return
        profile = self.profile
        self._body_column.addLayout(self._make_button_row())
        for warning in [] if profile.report else profile.warnings:
            self._body_column.addWidget(_inset_label(warning, role="warn"))
        if profile.duplicate_rows:
            words = ngettext(
                "{count} row repeats an earlier one",
                "{count} rows repeat an earlier one",
                profile.duplicate_rows,
            )
            repeated = words.format(count=number(profile.duplicate_rows, digits=0))
            self._body_column.addWidget(_inset_label(repeated, role="small"))
        self._columns = ColumnList(profile)
        self._body_column.addWidget(self._columns)

    def _show_summary(self) -> None:
        palette = theme().palette
        done, doubts = summary(self.profile.report) if self.profile.report else ("", "")
        coloured = [
            f'<a href="report" style="color:{colour};text-decoration:none">'
            f"{escape(_non_breaking(words))}</a>"
            for words, colour in ((done, palette.accent), (doubts, palette.warn))
            if words
        ]
        self.summary_label.setText("<br>".join(coloured))
        self.summary_label.setVisible(bool(coloured))

    def _show_extra(self) -> None:
        self.extra.setVisible(bool(self.offers or self._progress_lines))

    def _on_offer_dismissed(self, box: OfferBox) -> None:
        self.offers.remove(box)
        self._show_extra()

    def _on_copy_chosen(self) -> None:
        QGuiApplication.clipboard().setText(self.profile.dataset)

    def _on_expand_clicked(self) -> None:
        self._create_body()
        self._body.setVisible(not self.is_open)
        self._expand_button.set_tooltip(_("Fold") if self.is_open else _("Open"))
        self._expand_button.set_icon("chevron-up" if self.is_open else "chevron-down")


_TOP = Qt.AlignmentFlag.AlignTop


def size_text(profile: DatasetProfile, *, with_sheet: bool = True) -> str:
    """Format the name of the sheet and the number of rows and columns."""
    rows = ngettext("{count} row", "{count} rows", profile.rows)
    columns = ngettext("{count} column", "{count} columns", len(profile.columns))
    return " · ".join(
        filter(
            None,
            (
                profile.sheet if with_sheet else None,
                rows.format(count=number(profile.rows, digits=0)),
                columns.format(count=len(profile.columns)),
            ),
        )
    )


def _non_breaking(size: str) -> str:
    """Make the spaces inside each part non-breaking, so that lines break between parts only."""
    return " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in size.split(" · "))


def _label(words: str, *, role: str) -> QLabel:
    label = make_label(words, role=role, is_wrapped=True)
    label.setMinimumWidth(24)  # a long sheet name must not widen the card
    return label


def _inset_label(words: str, *, role: str) -> QLabel:
    label = _label(words, role=role)
    label.setContentsMargins(8, 0, 8, 4)
    return label
