"""What the window can be told, and with which keys."""

from __future__ import annotations  # the window itself is built from this

from functools import partial
from typing import TYPE_CHECKING

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.shortcuts import Command

if TYPE_CHECKING:
    from qhub_desktop.ui.main_window import MainWindow


def commands_of(window: MainWindow) -> list[Command]:
    """In the order in which the palette lists them."""
    return [
        Command(_("New conversation"), "plus", window.frame.begin, ("Ctrl+N",)),
        Command(_("Report a defect"), "pencil", window.frame.report),
        Command(_("Add files"), "attach", window.choose_files, ("Ctrl+O",)),
        Command(_("Paste a table"), "table", window.paste),
        Command(_("Find in this conversation"), "search", window.find_words, ("Ctrl+F",)),
        Command(_("Search every conversation"), "search", window.search_all, ("Ctrl+Shift+F",)),
        Command(_("Stop the answer"), "stop", window.stop),
        Command(_("Settings"), "gear", window.open_settings, ("Ctrl+,",)),
        Command(_("Light or dark"), "moon", window.toggle_theme),
        Command(_("Hide or show the agents"), "sidebar-left", window.frame.toggle_sidebar, ("F9",)),
        Command(_("Hide or show the data"), "sidebar-right", window.frame.toggle_panel, ("F10",)),
        Command(_("Full screen"), "full-screen", window.toggle_full_screen, ("F11",)),
        Command(_("Larger text"), "zoom-in", partial(window.zoom, 1), ("Ctrl++", "Ctrl+=")),
        Command(_("Smaller text"), "zoom-out", partial(window.zoom, -1), ("Ctrl+-",)),
        Command(_("Text of the usual size"), "text", partial(window.zoom, 0), ("Ctrl+0",)),
        Command("", "", window.open_palette, ("Ctrl+K",), is_listed=False),
    ]
