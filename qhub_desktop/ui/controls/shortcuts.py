"""Commands of the window: one list for shortcuts, menus and the command palette."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from qhub_desktop.ui.controls.plain_text import make_action


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
