import re
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from qhub_desktop.core import text
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui import theme
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.controls.buttons import ICONS, agent_icon, icon
from qhub_desktop.ui.theme import DARK, LIGHT, Palette, contrast, style_sheet

SOURCES = Path(theme.__file__).parent
AA_TEXT = 4.5
AA_GRAPHIC = 3.0


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_as_wcag_aa_asks(palette: Palette) -> None:
    grounds = (palette.page, palette.panel, palette.card, palette.hover, palette.chosen)

    assert all(contrast(palette.text, ground) >= AA_TEXT for ground in grounds)
    assert all(contrast(palette.quiet, ground) >= AA_TEXT for ground in grounds)
    for colour in (palette.accent, palette.good, palette.warn, palette.bad):
        assert all(contrast(colour, ground) >= AA_TEXT for ground in grounds[:3])
    assert contrast(palette.text, palette.user_message) >= AA_TEXT
    assert contrast(palette.on_accent, palette.accent) >= AA_TEXT


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_typed_in_has_a_visible_edge(palette: Palette) -> None:
    assert contrast(palette.edge, palette.card) >= AA_GRAPHIC


def test_the_sheet_names_only_icons_that_exist() -> None:
    named = re.findall(r'url\("([^"]+)"\)', style_sheet(LIGHT, 1.0) + style_sheet(DARK, 1.0))

    assert named
    assert all(Path(name).is_file() for name in named)


def test_every_icon_that_the_window_names_exists() -> None:
    names = {
        name
        for source in SOURCES.rglob("*.py")
        for name in re.findall(
            r'(?:icon_name=|icon\(|pixmap\(|IconButton\(\s*)"([a-z-]+)"',
            source.read_text(encoding="utf-8"),
        )
    }

    assert len(names) > 20
    assert {name for name in names if not (ICONS / f"{name}.svg").is_file()} == set()


def test_an_icon_takes_the_colour_it_is_given(qapp: QApplication) -> None:
    drawn = icon("plus", "#FF0000", size_px=24).pixmap(24).toImage()

    assert drawn.pixelColor(12, 12).name() == "#ff0000"
    assert drawn.pixelColor(1, 1).alpha() == 0


def test_an_agent_without_an_icon_has_a_speech_bubble(qapp: QApplication) -> None:
    drawn = agent_icon("", "#000000").pixmap(24).toImage()

    assert drawn == icon("chat", "#000000", size_px=24).pixmap(24).toImage()


def test_operators_get_larger_text_and_targets(qapp: QApplication) -> None:
    usual = Appearance(qapp, Settings(language="en"))
    before = qapp.font().pointSizeF()
    usual.apply_settings(Settings(language="en", is_operator_mode=True))
    button = QPushButton("Report")
    button.ensurePolished()

    assert qapp.font().pointSizeF() == pytest.approx(before * 1.25)
    assert button.sizeHint().height() >= 44
    usual.apply_settings(Settings(language="en"))
    usual.close()


def test_zoom_goes_in_steps_and_stops_at_the_ends(qapp: QApplication) -> None:
    appearance = Appearance(qapp, Settings(language="en"))

    appearance.zoom_by(1)
    assert appearance.zoom == 1.1
    appearance.zoom_by(100)
    assert appearance.zoom == 2.0
    appearance.zoom_by(-100)
    assert appearance.zoom == 0.8
    appearance.zoom_to(1.0)
    appearance.close()


def test_the_theme_can_be_set_by_hand(qapp: QApplication) -> None:
    appearance = Appearance(qapp, Settings(language="en", theme="dark"))
    assert appearance.palette is DARK

    appearance.apply_settings(Settings(language="en", theme="light"))
    assert appearance.palette is LIGHT
    appearance.apply_settings(Settings(language="en", theme="system"))
    appearance.close()


def test_qts_own_words_follow_the_language(qapp: QApplication) -> None:
    appearance = Appearance(qapp, Settings(language="en"))

    appearance.set_language("pt")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancelar"
    assert text.language() == "pt"
    field = QLineEdit()
    menu = field.createStandardContextMenu()
    said = [action.text().split("\t")[0].replace("&", "") for action in menu.actions()]
    assert [words for words in said if words] == [
        "Desfazer",
        "Refazer",
        "Cortar",
        "Copiar",
        "Colar",
        "Eliminar",
        "Selecionar tudo",
    ]
    assert QCoreApplication.translate("QFileDialog", "Look in:") != "Look in:"
    appearance.set_language("en")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Cancel"
    appearance.close()
