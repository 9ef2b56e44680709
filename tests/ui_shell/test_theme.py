"""One theme: widgets register how they are styled, and are styled anew with every change."""

import importlib
import weakref

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QWidget
from pytestqt.qtbot import QtBot

from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.chart_body import is_preloaded
from qhub_desktop.ui.chat.turn import Turn
from qhub_desktop.ui.theme import DARK, LIGHT, Theme, theme
from tests.gallery import chat, outbox, understanding, widgets
from tests.gallery.__main__ import Scene

ROUND_MS = 30  # between two pictures
STILL_ROUNDS = 3  # so many pictures alike, one after the other
SCENES: list[Scene] = [
    chat.conversation,
    chat.tool_details,
    chat.errors,
    chat.code,
    chat.empty,
    chat.profile,
    understanding.parts,
    outbox.listed,
    widgets.tables,
]


class Styled(QLabel):
    """Tells the colours that it was styled in."""

    def __init__(self, worn: Theme) -> None:
        super().__init__()
        self._theme = worn
        self.seen: list[str] = []
        worn.register(self._restyle)

    def _restyle(self) -> None:
        self.seen.append(self._theme.palette.page)


def test_a_widget_is_styled_at_once_and_with_every_change(qtbot: QtBot) -> None:
    worn = Theme()
    label = Styled(worn)
    qtbot.addWidget(label)

    worn.set_palette(DARK)
    worn.set_palette(DARK)  # as after another size of text

    assert label.seen == [LIGHT.page, DARK.page, DARK.page]


@pytest.mark.usefixtures("qapp")
def test_the_theme_keeps_no_widget_alive() -> None:
    worn = Theme()
    label = Styled(worn)
    gone = weakref.ref(label)

    del label

    assert gone() is None  # without the collector: there is no ring
    worn.set_palette(DARK)


@pytest.mark.usefixtures("qapp")
def test_a_widget_that_qt_has_deleted_is_not_styled() -> None:
    worn = Theme()
    label = Styled(worn)
    shiboken6.delete(label)

    worn.set_palette(DARK)

    assert label.seen == [LIGHT.page]


def test_a_widget_may_make_others_while_it_is_styled(qtbot: QtBot) -> None:
    worn = Theme()
    made: list[Styled] = []

    class Maker(QWidget):
        def restyle(self) -> None:
            made[:] = [Styled(worn)]

    maker = Maker()
    qtbot.addWidget(maker)
    worn.register(maker.restyle)

    worn.set_palette(DARK)

    assert made[0].seen == [DARK.page]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_what_is_open_looks_like_what_is_opened_afterwards(
    scene: Scene, qapp: QApplication, qtbot: QtBot
) -> None:
    qtbot.waitUntil(is_preloaded)
    importlib.import_module("qhub_desktop.ui.charts.plot_view")  # a card without it is empty
    appearance = Appearance(qapp, Settings(theme="light"))
    before = _shown(scene, qtbot)

    appearance.apply_settings(Settings(theme="dark"))

    assert theme().palette is DARK
    assert _picture(before, qtbot) == _picture(_shown(scene, qtbot), qtbot)
    appearance.close()
    qapp.setStyleSheet("")


def _shown(scene: Scene, qtbot: QtBot) -> QWidget:
    widget = scene()
    assert isinstance(widget, QWidget)
    qtbot.addWidget(widget)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    for bar in widget.findChildren(QProgressBar):
        bar.setMaximum(max(bar.maximum(), 1))  # one that runs to and fro is never still
    widget.show()
    # An answer is shown in slices of some milliseconds: on a busy machine it is not whole at once.
    qtbot.waitUntil(lambda: not any(turn.is_behind for turn in widget.findChildren(Turn)))
    return widget


def _picture(widget: QWidget, qtbot: QtBot) -> QImage:
    """The picture of a widget once it is still: charts and texts are laid out by timers."""
    pictures = [widget.grab().toImage()]
    while len(pictures) <= STILL_ROUNDS or any(each != pictures[-1] for each in pictures):
        qtbot.wait(ROUND_MS)
        pictures = [*pictures[-STILL_ROUNDS:], widget.grab().toImage()]
    return pictures[-1]
