"""Appearance of the application: colour scheme, scale, and Qt's own translations."""

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
# Qt's source texts with their mnemonics: text field menus and standard buttons.
_QT_TEXTS = frozenset(
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


class QtTextTranslator(QTranslator):
    """Translator with priority over Qt's catalogues, whose Portuguese mixes two spellings."""

    @override
    def isEmpty(self) -> bool:
        return False  # Qt ignores an empty translator

    @override
    def translate(
        self, context: str, sourceText: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        # None falls back to the catalogues installed before.
        return _(sourceText) if context in _CONTEXTS and sourceText in _QT_TEXTS else None


ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
_MID_LIGHTNESS = 128  # midpoint of a colour's lightness (0 to 255)
_WINDOWS_FONTS = ("Segoe UI Variable Text", "Segoe UI")


class Appearance(QObject):
    """Styling of the application, updated when the system's scheme or the settings change.

    Signals:
        changed: palette or sizes have changed, and all widgets were restyled.
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
        self._style_hints = application.styleHints()
        self._is_system_dark = self._guess_system_dark()
        self._set_color_scheme()
        self._style_hints.colorSchemeChanged.connect(self._on_color_scheme_changed)
        self._apply()

    @property
    def palette(self) -> Palette:
        """Palette in use."""
        match self._theme:
            case "light":
                return LIGHT
            case "dark":
                return DARK
            case "system":
                return DARK if self._is_system_dark else LIGHT

    @property
    def scale(self) -> float:
        """Factor on every text size."""
        return self._zoom * (OPERATOR_SCALE if self._is_operator_mode else 1.0)

    @property
    def target_px(self) -> int:
        """Minimum height of a control."""
        return OPERATOR_TARGET_PX if self._is_operator_mode else TARGET_PX

    @property
    def zoom(self) -> float:
        """Zoom factor set by the user, 1 for none."""
        return self._zoom

    def apply_settings(self, settings: Settings) -> None:
        """Apply the theme and the operator mode of the settings."""
        self._set_theme(settings.theme)
        if settings.is_operator_mode != self._is_operator_mode:
            self._is_operator_mode = settings.is_operator_mode
            self._apply()

    def zoom_to(self, zoom: float) -> None:
        """Set the nearest available zoom factor."""
        nearest = min(ZOOMS, key=lambda offered: abs(offered - zoom))
        if nearest != self._zoom:
            self._zoom = nearest
            self._apply()

    def zoom_by(self, steps: int) -> None:
        """Zoom by a number of steps, larger or smaller."""
        position = ZOOMS.index(self._zoom) + steps
        self.zoom_to(ZOOMS[max(0, min(position, len(ZOOMS) - 1))])

    def set_language(self, language: LanguageChoice) -> None:
        """Switch the texts of application and Qt to a language; widgets must be rebuilt."""
        text.use(language)
        QLocale.setDefault(QLocale(text.LOCALES[language]))
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = _translators() if language == "pt" else []
        for translator in self._translators:
            self._application.installTranslator(translator)

    def close(self) -> None:
        """Stop following the system's colour scheme."""
        self._style_hints.colorSchemeChanged.disconnect(self._on_color_scheme_changed)

    def _set_theme(self, theme: ThemeChoice) -> None:
        if theme != self._theme:
            self._theme = theme
            self._set_color_scheme()
            self._read_system_scheme()
            self._apply()

    def _set_color_scheme(self) -> None:
        """Set Qt's colour scheme, which native parts such as the title bar follow."""
        if self._theme == "system":
            self._style_hints.unsetColorScheme()
            return
        from PySide6.QtCore import Qt  # see _guess_system_dark

        is_dark = self._theme == "dark"
        self._style_hints.setColorScheme(Qt.ColorScheme.Dark if is_dark else Qt.ColorScheme.Light)

    def _guess_system_dark(self) -> bool:
        """Guess from Qt's initial palette whether the system is dark.

        Querying the scheme loads all enumerations of Qt: 27 ms before the first paint.
        """
        if self._application.styleSheet():  # already styled by this application
            return self._style_hints.colorScheme().name == "Dark"
        return self._application.palette().window().color().lightness() < _MID_LIGHTNESS

    def _read_system_scheme(self) -> None:
        if self._theme == "system":
            self._is_system_dark = self._style_hints.colorScheme().name == "Dark"

    def _on_color_scheme_changed(self) -> None:
        self._read_system_scheme()
        self._apply()

    def _apply(self) -> None:
        palette = self.palette
        font = QFont(self._application.font())
        if sys.platform == "win32":
            font.setFamilies(list(_WINDOWS_FONTS))
        font.setPointSizeF(BODY_PT * self.scale)
        self._application.setFont(font)
        self._application.setPalette(qt_palette(palette))
        self._application.setStyleSheet(style_sheet(palette, self.scale, target_px=self.target_px))
        theme().set_palette(palette)
        self.changed.emit()


def qt_palette(palette: Palette) -> QPalette:
    """Map the palette to Qt's colour roles, for widgets the style sheet does not reach."""
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
    qt_colours = QPalette()
    for each, colour in colours.items():
        qt_colours.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        qt_colours.setColor(QPalette.ColorGroup.Disabled, each, QColor(palette.quiet))
    return qt_colours


def _translators() -> list[QTranslator]:
    """Return Qt's Brazilian catalogue (complete), then the European one (partial), then our own."""
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    loaded: list[QTranslator] = []
    for name in ("qtbase_pt_BR", "qt_pt_PT"):
        translator = QTranslator()
        if translator.load(name, folder):
            loaded.append(translator)
    return [*loaded, QtTextTranslator()]  # Qt asks the last one installed first
