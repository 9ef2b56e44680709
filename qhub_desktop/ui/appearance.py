"""The appearance of the application: light or dark, its scale, Qt's own words."""

import sys

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory
from typing_extensions import override

from qhub_desktop.core import text
from qhub_desktop.core.settings import LanguageChoice, Settings, ThemeChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.ui.theme import (
    BODY_PT,
    DARK,
    LIGHT,
    OPERATOR_SCALE,
    OPERATOR_TARGET_PX,
    TARGET_PX,
    Palette,
    style_sheet,
    theme,
)

_CONTEXTS = frozenset(
    {"QLineEdit", "QWidgetTextControl", "QAbstractSpinBox", "QPlatformTheme", "QDialogButtonBox"}
)
# As Qt has them, with their mnemonics: the menus of fields, and the standard buttons.
_WORDS = frozenset(
    {
        gettext_noop("&Undo"),
        gettext_noop("&Redo"),
        gettext_noop("Cu&t"),
        gettext_noop("&Copy"),
        gettext_noop("&Paste"),
        gettext_noop("Delete"),
        gettext_noop("Select All"),
        gettext_noop("&Select All"),
        gettext_noop("Copy &Link Location"),
        gettext_noop("OK"),
        gettext_noop("Open"),
        gettext_noop("Save"),
        gettext_noop("Cancel"),
        gettext_noop("Close"),
        gettext_noop("Discard"),
        gettext_noop("Apply"),
        gettext_noop("Help"),
        gettext_noop("&Yes"),
        gettext_noop("&No"),
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


ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
_HALF = 128  # of a colour's lightness
_FONTS = ("Segoe UI Variable Text", "Segoe UI")


class Appearance(QObject):
    """Dresses the application, and dresses it anew when the system or the person changes.

    Signals:
        changed: the palette or a size is another one, and everything that styles by it has done so.
    """

    changed = Signal()

    def __init__(self, application: QApplication, settings: Settings) -> None:
        super().__init__()
        self._application = application
        self._theme: ThemeChoice = settings.theme
        self._is_operator_mode = settings.is_operator_mode
        self._zoom = 1.0
        self._translators: list[QTranslator] = []
        native = "windows11" if "windows11" in QStyleFactory.keys() else "Fusion"  # noqa: SIM118  not a dict
        application.setStyle(native)
        self._hints = application.styleHints()
        self._is_system_dark = self._first_guess()
        self._set_scheme()
        self._hints.colorSchemeChanged.connect(self._on_color_scheme_changed)
        self._dress()

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        match self._theme:
            case "light":
                return LIGHT
            case "dark":
                return DARK
            case "system":
                return DARK if self._is_system_dark else LIGHT

    @property
    def scale(self) -> float:
        """What every size of text is multiplied by."""
        return self._zoom * (OPERATOR_SCALE if self._is_operator_mode else 1.0)

    @property
    def target_px(self) -> int:
        """How high a control is, at least."""
        return OPERATOR_TARGET_PX if self._is_operator_mode else TARGET_PX

    @property
    def zoom(self) -> float:
        """The person's own zoom, 1 for none."""
        return self._zoom

    def choose(self, settings: Settings) -> None:
        """Look as the settings say."""
        self._choose_theme(settings.theme)
        if settings.is_operator_mode != self._is_operator_mode:
            self._is_operator_mode = settings.is_operator_mode
            self._dress()

    def zoom_to(self, zoom: float) -> None:
        """Use the offered zoom that is nearest."""
        nearest = min(ZOOMS, key=lambda offered: abs(offered - zoom))
        if nearest != self._zoom:
            self._zoom = nearest
            self._dress()

    def zoom_by(self, steps: int) -> None:
        """So many steps larger, or smaller."""
        position = ZOOMS.index(self._zoom) + steps
        self.zoom_to(ZOOMS[max(0, min(position, len(ZOOMS) - 1))])

    def speak(self, language: LanguageChoice) -> None:
        """Let our own words and Qt's be in this language; what is on the screen is built anew."""
        text.use(language)
        QLocale.setDefault(QLocale(text.LOCALES[language]))
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = _translators() if language == "pt" else []
        for translator in self._translators:
            self._application.installTranslator(translator)

    def close(self) -> None:
        """Stop watching the system."""
        self._hints.colorSchemeChanged.disconnect(self._on_color_scheme_changed)

    def _choose_theme(self, theme: ThemeChoice) -> None:
        if theme != self._theme:
            self._theme = theme
            self._set_scheme()
            self._ask_system()
            self._dress()

    def _set_scheme(self) -> None:
        """Tell Qt, too: the platform's own parts, such as the title bar, follow where they can."""
        if self._theme == "system":
            self._hints.unsetColorScheme()
            return
        from PySide6.QtCore import Qt  # see _first_guess

        is_dark = self._theme == "dark"
        self._hints.setColorScheme(Qt.ColorScheme.Dark if is_dark else Qt.ColorScheme.Light)

    def _first_guess(self) -> bool:
        """Whether the system is dark, by the palette that Qt begins with.

        Asking for the scheme loads every enumeration of Qt's: 27 ms, before the first paint.
        """
        if self._application.styleSheet():  # dressed by us before
            return self._hints.colorScheme().name == "Dark"
        return self._application.palette().window().color().lightness() < _HALF

    def _ask_system(self) -> None:
        if self._theme == "system":
            self._is_system_dark = self._hints.colorScheme().name == "Dark"

    def _on_color_scheme_changed(self) -> None:
        self._ask_system()
        self._dress()

    def _dress(self) -> None:
        palette = self.palette
        font = QFont(self._application.font())
        if sys.platform == "win32":
            font.setFamilies(list(_FONTS))
        font.setPointSizeF(BODY_PT * self.scale)
        self._application.setFont(font)
        self._application.setPalette(qt_palette(palette))
        self._application.setStyleSheet(style_sheet(palette, self.scale, target_px=self.target_px))
        theme().wear(palette)
        self.changed.emit()


def qt_palette(palette: Palette) -> QPalette:
    """The tokens as Qt's own roles, for what the style sheet does not reach."""
    role = QPalette.ColorRole
    colours = {
        role.Window: palette.page,
        role.WindowText: palette.text,
        role.Base: palette.card,
        role.AlternateBase: palette.panel,
        role.Text: palette.text,
        role.Button: palette.card,
        role.ButtonText: palette.text,
        role.BrightText: palette.bad,
        role.ToolTipBase: palette.card,
        role.ToolTipText: palette.text,
        role.PlaceholderText: palette.quiet,
        role.Highlight: palette.accent,
        role.HighlightedText: palette.on_accent,
        role.Accent: palette.accent,
        role.Link: palette.accent,
        role.LinkVisited: palette.accent,
        role.Light: palette.card,
        role.Midlight: palette.panel,
        role.Mid: palette.line,
        role.Dark: palette.edge,
        role.Shadow: palette.line,
    }
    made = QPalette()
    for each, colour in colours.items():
        made.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, each, QColor(palette.quiet))
    return made


def _translators() -> list[QTranslator]:
    """Qt's own Portuguese. Brazil's is whole, Portugal's goes over it as far as it reaches, and
    ours over both.
    """
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    loaded: list[QTranslator] = []
    for name in ("qtbase_pt_BR", "qt_pt_PT"):
        translator = QTranslator()
        if translator.load(name, folder):
            loaded.append(translator)
    return [*loaded, QtWords()]  # the last is asked first
