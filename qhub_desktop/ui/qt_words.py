"""Qt's own words in the person's language: those that this program can show."""

from PySide6.QtCore import QTranslator
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark

_CONTEXTS = frozenset(
    {"QLineEdit", "QWidgetTextControl", "QAbstractSpinBox", "QPlatformTheme", "QDialogButtonBox"}
)
# As Qt has them, with their mnemonics: the menus of fields, and the standard buttons.
_WORDS = frozenset(
    {
        mark("&Undo"),
        mark("&Redo"),
        mark("Cu&t"),
        mark("&Copy"),
        mark("&Paste"),
        mark("Delete"),
        mark("Select All"),
        mark("&Select All"),
        mark("Copy &Link Location"),
        mark("OK"),
        mark("Open"),
        mark("Save"),
        mark("Cancel"),
        mark("Close"),
        mark("Discard"),
        mark("Apply"),
        mark("Help"),
        mark("&Yes"),
        mark("&No"),
    }
)


class QtWords(QTranslator):
    """Goes before Qt's own catalogues, which for Portuguese are of two spellings."""

    @override
    def isEmpty(self) -> bool:
        return False  # Qt takes no notice of an empty one

    @override
    def translate(
        self, context: str, sourceText: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        # None leaves the text to the catalogues that were installed before.
        return _(sourceText) if context in _CONTEXTS and sourceText in _WORDS else None
