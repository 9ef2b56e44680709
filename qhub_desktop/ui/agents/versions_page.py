"""Page of an agent's versions: who changed it and when, what differs, and the way back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QWidget

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import visible
from qhub_desktop.tools.agent_catalogue import AgentRecord, DiffKind, EarlierAgent, compare
from qhub_desktop.ui.chat.markdown_style import monospace
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import column_layout, make_label, row_layout
from qhub_desktop.ui.people.lists import make_list, make_row
from qhub_desktop.ui.theme import GRID_PX, SMALL_PT, mix, scaled_pt, theme

SHIPPED = -1  # stands for what ships, among the numbers of versions
_NUMBER = Qt.ItemDataRole.UserRole
_SIGNS: dict[DiffKind, str] = {"added": "+ ", "removed": "- ", "same": "  ", "gap": "…"}


@dataclass(frozen=True, slots=True)
class _Row:
    """One version, or what ships now."""

    number: int
    agent: Agent | None
    cells: tuple[str, str, str, str]


class VersionsPage(QWidget):
    """The versions, latest first, the comparison of one, and its restoring.

    Signals:
        restore_requested: the number of a version, or SHIPPED.
    """

    restore_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        self._current: Agent | None = None
        self._lines: Sequence[tuple[DiffKind, str]] = ()
        self.list = make_list(_("Versions"), [_("Version"), _("When"), _("Who"), _("Note")], wide=3)
        self.list.itemSelectionChanged.connect(self._on_selected)
        self.against = QComboBox()
        self.against.setAccessibleName(_("Compared with"))
        against: tuple[tuple[str, Callable[[_Row], Agent | None]], ...] = (
            (_("Compared with the version before"), self._before),
            (_("Compared with the present one"), lambda _row: self._current),
        )
        self._others = [other for _words, other in against]
        for words, _other in against:
            self.against.addItem(words)
        self.against.activated.connect(lambda _place: self._on_selected())
        self.restore_button = TextButton(_("Restore this version"), icon_name="undo")
        self.restore_button.clicked.connect(self._on_restore)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setProperty("kind", "field")
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(_("What differs"))
        self.note = make_label(role="quiet", is_wrapped=True)
        middle = row_layout(spacing=GRID_PX)
        middle.addWidget(self.against)
        middle.addStretch(1)
        middle.addWidget(self.restore_button)
        column = column_layout(self, margins=(0, 0, 0, 0), spacing=GRID_PX)
        column.addWidget(self.note)
        column.addWidget(self.list, 2)
        column.addLayout(middle)
        column.addWidget(self.text, 3)
        theme().register(self._restyle)

    def show_versions(
        self, record: AgentRecord, versions: Sequence[EarlierAgent], *, is_outdated: bool
    ) -> None:
        """Show the versions of an agent."""
        self._current = record.agent
        self._rows = [_row_of(each) for each in versions]
        if record.shipped is not None and (is_outdated or not versions):
            cells = (_("ships"), "", "", _("what comes with this version of the program"))
            self._rows.append(_Row(SHIPPED, record.shipped, cells))
        self.note.setText(
            _("Another version of this agent ships now than the one that was edited: compare.")
            if is_outdated
            else _("Nobody has changed it: it is as it ships.")
        )
        self.note.setVisible(is_outdated or not versions)
        self.list.clear()
        for row in self._rows:
            item = make_row(row.cells)
            item.setData(0, _NUMBER, row.number)
            self.list.addTopLevelItem(item)
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)
        self._on_selected()

    def _selected(self) -> _Row | None:
        items = self.list.selectedItems()
        number = items[0].data(0, _NUMBER) if items else None
        return next((row for row in self._rows if row.number == number), None)

    def _before(self, row: _Row) -> Agent | None:
        place = self._rows.index(row) + 1
        return self._rows[place].agent if place < len(self._rows) else row.agent

    def _on_selected(self) -> None:
        row = self._selected()
        other = None if row is None else self._others[self.against.currentIndex()](row)
        is_back = self.against.currentIndex() == 1
        self._lines = ()
        if row is not None:
            # Against the present one it is told what restoring it would change.
            pair = (other, row.agent)
            self._lines = compare(*pair)
        self.restore_button.setEnabled(
            row is not None and row.agent is not None and row.agent != self._current
        )
        self._show_lines(is_back=is_back)

    def _show_lines(self, *, is_back: bool = False) -> None:
        palette = theme().palette
        self.text.clear()
        if not self._lines:
            same = _("It is the present one.") if is_back else _("Nothing differs.")
            self.text.setPlainText(same if self._rows else "")
            return
        tints = {
            "added": mix(palette.card, palette.good, 0.18),
            "removed": mix(palette.card, palette.bad, 0.18),
        }
        cursor = QTextCursor(self.text.document())
        cursor.beginEditBlock()
        for place, (kind, line) in enumerate(self._lines):
            form = QTextBlockFormat()
            if kind in tints:
                form.setBackground(QColor(tints[kind]))
            if place:
                cursor.insertBlock(form)
            else:
                cursor.setBlockFormat(form)
            cursor.insertText(_SIGNS[kind] + visible(line))
        cursor.endEditBlock()

    def _restyle(self) -> None:
        self.text.setFont(monospace(scaled_pt(SMALL_PT)))
        self._show_lines(is_back=self.against.currentIndex() == 1)

    def _on_restore(self) -> None:
        if (row := self._selected()) is not None:
            self.restore_requested.emit(row.number)


def _row_of(earlier: EarlierAgent) -> _Row:
    version = earlier.version
    if version.number == 0:
        note = _("as it shipped when it was first edited")
        return _Row(0, earlier.agent, ("0", moment(version.at), "–", note))
    note = version.note
    if version.content is None:
        note = _("removed")
    elif earlier.agent is None:
        note = _("can not be read")
    cells = (str(version.number), moment(version.at), version.person or "–", note)
    return _Row(version.number, earlier.agent, cells)
