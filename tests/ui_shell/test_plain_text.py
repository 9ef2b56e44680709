"""Texts from outside, whatever they hold, are shown as they stand."""

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import Qt as Core
from PySide6.QtGui import QFont, QFontMetrics, QImage, QKeySequence, Qt, QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import ElidedLabel, make_label
from qhub_desktop.ui.controls.plain_text import (
    MAX_LINE_CHARACTERS,
    MAX_TOOLTIP_CHARACTERS,
    add_action,
    breakable,
    elided,
    entered,
    one_line,
    set_caption,
    set_title,
    set_tooltip,
    tooltip,
)

MARKUP = (
    '<img src="{picture}">',
    "<b>bold</b>",
    "<a href='http://x'>go</a>",
    "<!doctype html><p>page",
    "<?xml version='1.0'?><p>page",
    "&lt;script&gt;",
)
PLACES = ("{}", "  {}", "first\n{}", "{} · text", "file {}.csv")
OTHERS = ("R&D", "&amp;", "100 %1", "a < b > c", "a[*].csv", "tab\tafter", "x\u202egpj.exe")
HOSTILE = [
    *(place.format(markup) for place, markup in itertools.product(PLACES, MARKUP)),
    *OTHERS,
]


@pytest.fixture
def picture(tmp_path: Path, qapp: QApplication) -> str:
    """The address of a picture that is there, and would be drawn."""
    assert qapp is not None
    file = tmp_path / "picture.png"
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(Core.GlobalColor.red)
    image.save(str(file))
    return file.as_uri()


class _Opening(QTextDocument):
    """Document that tells what it is asked to open, as the one of a tool tip would."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[object] = []
        self.setHtml(html)

    @override
    def loadResource(self, _kind: int, name: object) -> object:
        self.opened.append(name)
        return None


@pytest.mark.parametrize("name", HOSTILE)
def test_a_tool_tip_shows_the_text_and_opens_nothing(name: str, picture: str) -> None:
    text = name.replace("{picture}", picture)
    widget = QWidget()

    set_tooltip(widget, text)

    shown = widget.toolTip()
    if not Qt.mightBeRichText(shown):
        # Long lines are broken; how long this one is depends on the folder of the test.
        assert "".join(shown.split()) == "".join(text.replace("\u202e", "").split())
        return
    document = _Opening(shown)
    document.size()  # lays out, and asks for the pictures
    assert "".join(document.toPlainText().split()) == "".join(text.split())
    assert document.opened == []
    assert "<img" not in document.toHtml()
    assert "<a " not in document.toHtml()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_label_shows_the_text_and_never_guesses(name: str, qtbot: QtBot) -> None:
    for label in (make_label(name), ElidedLabel(name)):
        qtbot.addWidget(label)

        assert label.textFormat() is Core.TextFormat.PlainText
        assert label.text() == name.replace("\u202e", "")


@pytest.mark.parametrize("name", HOSTILE)
def test_buttons_and_menus_have_no_mnemonic_and_one_line(name: str, qtbot: QtBot) -> None:
    menu = QMenu()
    plain, styled = QPushButton(), TextButton(name)
    for widget in (menu, plain, styled):
        qtbot.addWidget(widget)
    set_caption(plain, name)
    action = add_action(menu, name)

    for text in (plain.text(), styled.text(), action.text()):
        assert QKeySequence.mnemonic(text).isEmpty()
        assert text.replace("&&", "&") == one_line(name)
        assert not set(text) & set("\n\t\u202e")
    assert styled.accessibleName() == name


@pytest.mark.parametrize("name", HOSTILE)
def test_a_title_shows_the_text_on_one_line(name: str, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)

    set_title(window, name)

    assert window.windowTitle().replace("[*][*]", "[*]") == one_line(name)
    assert window.windowTitle().count("[*]") % 2 == 0


def test_no_text_is_longer_than_a_screen_can_show(qtbot: QtBot) -> None:
    button = QPushButton()
    label = ElidedLabel("x" * 10_000)
    for widget in (button, label):
        qtbot.addWidget(widget)

    set_caption(button, "x" * 10_000)
    set_title(button, "x" * 10_000)

    assert len(button.text()) == len(button.windowTitle()) == MAX_LINE_CHARACTERS
    assert label.minimumSizeHint().width() < 100


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "\n" * 500, "um dois <b>três</b>\n" * 90, f"{'palavra ' * 60}\nfim"]
)
def test_a_tool_tip_is_no_larger_than_a_screen(text: str, qtbot: QtBot) -> None:
    tip = QLabel(tooltip(text))
    qtbot.addWidget(tip)

    assert tip.sizeHint().width() < 1_366
    assert tip.sizeHint().height() < 768
    assert tooltip(text).count("x") <= MAX_TOOLTIP_CHARACTERS


def test_qt_would_have_drawn_the_picture(picture: str, qtbot: QtBot) -> None:
    text = f'<img src="{picture}">'
    guessing = QLabel(text)
    qtbot.addWidget(guessing)

    assert Qt.mightBeRichText(text)
    assert guessing.sizeHint().height() >= 64
    assert make_label(text).sizeHint().height() < 64


def test_no_name_makes_a_label_wider_than_a_column(qtbot: QtBot) -> None:
    label = make_label("x" * 10_000 + " é" * 40, is_wrapped=True)
    qtbot.addWidget(label)
    path = "/".join(["pasta de medições"] * 30)

    assert label.minimumSizeHint().width() < 300
    assert breakable(path) == path  # a path that is copied is one


@pytest.mark.parametrize("name", [*HOSTILE, "x\u202e" * 900])
@pytest.mark.parametrize("limit", [20, 32_767])
def test_a_field_changes_nothing_that_the_person_left_as_it_was(
    name: str, limit: int, qtbot: QtBot
) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    field.setMaxLength(limit)

    field.setText(one_line(name))

    assert not set(field.text()) & set("\n\t\u202e")
    assert entered(field.text(), name, limit=limit) == name
    field.setText(" another ")
    assert entered(field.text(), name, limit=limit) == "another"


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_painted_on_a_line_turns_no_words_around(name: str, qtbot: QtBot) -> None:
    assert qtbot is not None
    metrics = QFontMetrics(QFont())

    line = elided(f"{name}\n\u202e{name}", metrics, 10_000)

    assert not set(line) & set("\n\r\t\u202e")
    assert elided("x" * 1_000, metrics, 60).endswith("…")
