"""Popups, menus, windows of their own, the keys and commands of windows, and a search box."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QMenu,
    QStyle,
    QStyleOption,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import add_clear_button, icon
from qhub_desktop.ui.controls.layouts import column_of, make_label
from qhub_desktop.ui.controls.plain_text import make_action, one_line, set_title, set_tooltip
from qhub_desktop.ui.controls.screens import keep_on_screen
from qhub_desktop.ui.theme import GRID_PX, theme

EDGE_PX = 4  # margin between a popup and the edge of the screen
_ALT_GR = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier  # on Windows
_COMMAND_KEYS = _ALT_GR | Qt.KeyboardModifier.MetaModifier
SCREEN_SHARE = 0.9  # largest share of the screen's width and height for a detail window


class PopupFrame(QFrame):
    """Popup card with round corners, deleted when it closes."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("kind", "popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Outside the round corners.
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    def open_at(self, place: QPoint) -> None:
        """Show the popup at a position, moved as needed to fit the screen."""
        self.adjustSize()
        room = self.screen().availableGeometry().adjusted(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX)
        x = max(room.left(), min(place.x(), room.right() - self.width()))
        y = max(room.top(), min(place.y(), room.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.focusNextChild()  # Enter and Tab are the popup's now

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt paints no background of a translucent window, not even a style sheet's.
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.end()
        super().paintEvent(event)


def make_menu(owner: QWidget) -> QMenu:
    """Return an empty menu that is deleted when it closes."""
    menu = QMenu(owner)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """Entry of the command palette; `group` and `shortcut` are shown in a muted colour."""

    label: str
    icon: str
    run: Callable[[], object]
    group: str = ""
    shortcut: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """Command of the window; `label` is the translated label, the first key is the one shown."""

    label: str
    icon: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    is_listed: bool = True  # in the command palette

    @property
    def shortcut(self) -> str:
        """Shortcut in the platform's notation."""
        if not self.keys:
            return ""
        return QKeySequence(self.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)


def add_shortcuts(commands: Sequence[Command], window: QWidget) -> list[QAction]:
    """Create actions whose shortcuts work anywhere in the window."""
    actions = []
    for command in commands:
        if not command.keys:
            continue
        action = make_action(command.label, window)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.triggered.connect(lambda _checked=False, run=command.run: run())
        window.addAction(action)
        actions.append(action)
    return actions


def palette_entries(commands: Sequence[Command]) -> list[PaletteEntry]:
    """Return the commands as entries of the command palette."""
    return [
        PaletteEntry(command.label, command.icon, command.run, shortcut=command.shortcut)
        for command in commands
        if command.is_listed
    ]


CLOSE_KEYS = ("Ctrl+W", "Ctrl+F4")
WindowKeys = Sequence[tuple[str, str]]  # keys as Qt writes them, and what they do


def add_window_keys(window: QWidget, keys: WindowKeys = ()) -> None:
    """Let Ctrl+W close a window, and F1 show its keys: these, and those that every window has."""
    close = QAction(window)
    close.setShortcuts([QKeySequence(each) for each in CLOSE_KEYS])
    close.triggered.connect(window.close)
    help_ = QAction(window)
    help_.setShortcut(QKeySequence("F1"))
    ways = f"Esc, {CLOSE_KEYS[0]}"
    shown = [*keys, (ways, _("Close the window")), ("F1", _("Show the keys"))]
    help_.triggered.connect(lambda: open_key_help(window, shown))
    window.addActions([close, help_])


def open_key_help(window: QWidget, keys: WindowKeys) -> PopupFrame:
    """Show the keys of a window over its middle, until another key or a click."""
    popup = PopupFrame(window)
    popup.setAccessibleName(_("Keys"))
    grid = QGridLayout(popup)
    grid.setContentsMargins(2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX)
    grid.setHorizontalSpacing(3 * GRID_PX)
    grid.setVerticalSpacing(GRID_PX // 2)
    grid.addWidget(make_label(_("Keys"), role="heading"), 0, 0, 1, 2)
    for row, (key, what) in enumerate(keys, 1):
        grid.addWidget(make_label(key, role="quiet"), row, 0)
        grid.addWidget(make_label(what), row, 1)
    popup.adjustSize()
    middle = window.mapToGlobal(window.rect().center())
    popup.open_at(middle - popup.rect().center())
    return popup


def fit_screen(window: QWidget, size: QSize) -> None:
    """Give a window this size, or what the screen has room for; its frame stays on the screen."""
    window.resize(size.boundedTo(window.screen().availableSize() * SCREEN_SHARE))
    keep_on_screen(window)


def types_text(event: QKeyEvent) -> bool:
    """Return whether a key types something, other than the space that presses buttons."""
    commands = event.modifiers() & _COMMAND_KEYS
    is_command = commands not in (Qt.KeyboardModifier.NoModifier, _ALT_GR)
    text = event.text()
    return not is_command and text.isprintable() and bool(text.strip())


class OwnWindow(QWidget):
    """Window of its own, deleted when closed: by Esc, Ctrl+W or its frame; F1 shows its keys."""

    def __init__(self, parent: QWidget | None, keys: WindowKeys = ()) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_window_keys(self, keys)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


class DetailWindow(QDialog):
    """Separate window with an enlarged view of one item, deleted when it closes."""

    def __init__(
        self, owner: QWidget | None, title: str, *, subtitle: str = "", size: QSize
    ) -> None:
        super().__init__(owner)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, on=False)
        set_title(self, title)
        add_window_keys(self)
        self.column = column_of(owner=self, margins=2 * GRID_PX)
        self._add_label(one_line(title), "title")
        if subtitle:
            self._add_label(subtitle, "small")
        fit_screen(self, size)

    def add(self, widget: QWidget) -> None:
        """Add a widget that fills the remaining space."""
        self.column.addWidget(widget, 1)

    def add_note(self, text: str) -> None:
        """Add a small note at the bottom."""
        self._add_label(text, "small")

    def _add_label(self, text: str, role: str) -> None:
        words = make_label(text, role=role, is_wrapped=True)
        self.column.addWidget(words)


class SearchBox(QLineEdit):
    """Search field: Escape clears it, the down key moves to the results.

    Signals:
        down_pressed: the down key was pressed.
    """

    down_pressed = Signal()

    def __init__(self, name: str, *, shortcut: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(_("Search"))
        self.setAccessibleName(name)
        set_tooltip(self, f"{name} ({shortcut})" if shortcut else name)
        add_clear_button(self)
        # Drops are handled by the window.
        self.setAcceptDrops(False)
        self._search_action = make_action(_("Search"), self)
        self.addAction(self._search_action, QLineEdit.ActionPosition.LeadingPosition)
        theme().register(self._restyle)

    def _restyle(self) -> None:
        self._search_action.setIcon(icon("search", theme().palette.quiet, size_px=16))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Down:
                self.down_pressed.emit()
            case _:
                super().keyPressEvent(event)
