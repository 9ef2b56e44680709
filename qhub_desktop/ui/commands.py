"""What the window can be told, and with which keys."""

from functools import partial
from typing import Protocol

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.frame import Frame
from qhub_desktop.ui.shortcuts import Command


class Told(Protocol):
    """Who does what is told: the inside of the window."""

    frame: Frame

    def choose_files(self) -> None:
        """Offer the system's dialog."""

    def paste(self) -> None:
        """Bring in the table in the clipboard."""

    def find_words(self) -> None:
        """Look for words in the open conversation."""

    def search_all(self) -> None:
        """Look for words in all of them."""

    def stop(self) -> None:
        """End the answer under way."""

    def open_dashboards(self) -> object:
        """Show every dashboard."""

    def open_settings(self) -> object:
        """Offer the settings."""

    def open_palette(self) -> object:
        """Offer everything."""

    def toggle_theme(self) -> None:
        """Light becomes dark."""

    def toggle_full_screen(self) -> None:
        """Fill the screen, or no more."""

    def zoom(self, steps: int) -> None:
        """Larger or smaller text; 0 for the usual size."""


def commands_of(interior: Told) -> list[Command]:
    """In the order in which the palette lists them."""
    return [
        Command(_("New conversation"), "plus", interior.frame.begin, ("Ctrl+N",)),
        Command(_("Report a defect"), "pencil", interior.frame.report),
        Command(_("Dashboards"), "chart", interior.open_dashboards, ("Ctrl+D",)),
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
