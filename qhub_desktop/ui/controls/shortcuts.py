"""Everything the window can be told by keyboard: one list, for keys, menus and the palette."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to do. `group` and `shortcut` are shown in quiet."""

    words: str
    icon: str
    run: Callable[[], object]
    group: str = ""
    shortcut: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to do. `words` are in the person's language; the first key is the one shown."""

    words: str
    icon: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    is_listed: bool = True  # in the palette

    @property
    def shortcut(self) -> str:
        """The key, as the platform writes it."""
        if not self.keys:
            return ""
        return QKeySequence(self.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)


def bind(commands: Sequence[Command], window: QWidget) -> list[QAction]:
    """Let the keys work anywhere in the window."""
    actions = []
    for command in commands:
        if not command.keys:
            continue
        action = QAction(command.words, window)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.triggered.connect(lambda _checked=False, run=command.run: run())
        window.addAction(action)
        actions.append(action)
    return actions


def choices(commands: Sequence[Command]) -> list[Choice]:
    """The commands as the palette offers them."""
    return [
        Choice(command.words, command.icon, command.run, shortcut=command.shortcut)
        for command in commands
        if command.is_listed
    ]
