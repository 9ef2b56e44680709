"""What the window can be told, and with which keys."""

from __future__ import annotations  # the interior itself is built from this

from functools import partial
from typing import TYPE_CHECKING

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.shortcuts import Command

if TYPE_CHECKING:
    from qhub_desktop.ui.interior import Interior


def commands_of(interior: Interior) -> list[Command]:
    """In the order in which the palette lists them."""
    return [
        Command(_("New conversation"), "plus", interior.frame.begin, ("Ctrl+N",)),
        Command(_("Report a defect"), "pencil", interior.frame.report),
        Command(_("Add files"), "attach", interior.choose_files, ("Ctrl+O",)),
        Command(_("Paste a table"), "table", interior.paste),
        Command(_("Find in this conversation"), "search", interior.find_words, ("Ctrl+F",)),
        Command(_("Search every conversation"), "search", interior.search_all, ("Ctrl+Shift+F",)),
        Command(_("Stop the answer"), "stop", interior.stop),
        Command(_("Settings"), "gear", interior.open_settings, ("Ctrl+,",)),
        Command(_("Light or dark"), "moon", interior.toggle_theme),
        Command(
            _("Hide or show the agents"), "sidebar-left", interior.frame.toggle_sidebar, ("F9",)
        ),
        Command(_("Hide or show the data"), "sidebar-right", interior.frame.toggle_panel, ("F10",)),
        Command(_("Full screen"), "full-screen", interior.toggle_full_screen, ("F11",)),
        Command(_("Larger text"), "zoom-in", partial(interior.zoom, 1), ("Ctrl++", "Ctrl+=")),
        Command(_("Smaller text"), "zoom-out", partial(interior.zoom, -1), ("Ctrl+-",)),
        Command(_("Text of the usual size"), "text", partial(interior.zoom, 0), ("Ctrl+0",)),
        Command("", "", interior.open_palette, ("Ctrl+K",), is_listed=False),
    ]
