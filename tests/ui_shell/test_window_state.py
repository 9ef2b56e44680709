from dataclasses import asdict

from PySide6.QtCore import QMargins, QRect

from qhub_desktop.ui.controls.screens import USUAL_FRAME, kept_inside
from qhub_desktop.ui.shell.window_state import (
    WindowState,
    fit_to_screens,
    read_window_state,
)

LARGE = QRect(0, 0, 1920, 1040)
LAPTOP = QRect(0, 0, 1366, 728)
SECOND = QRect(1920, 0, 1920, 1080)


def test_the_first_window_stands_in_the_middle() -> None:
    place = fit_to_screens(WindowState(), [LARGE])

    assert (place.width(), place.height()) == (1366, 768)
    assert abs(place.center().x() - LARGE.center().x()) <= 1


def test_a_window_comes_back_where_it_was() -> None:
    place = WindowState(x=2000, y=40, width=1400, height=900)

    assert fit_to_screens(place, [LARGE, SECOND]) == QRect(2000, 40, 1400, 900)


def test_a_window_of_a_screen_that_is_gone_comes_to_the_main_one() -> None:
    place = WindowState(x=2000, y=40, width=1400, height=900)

    assert LAPTOP.contains(fit_to_screens(place, [LAPTOP]))


def test_a_window_is_no_larger_than_its_screen() -> None:
    place = WindowState(x=100, y=100, width=1800, height=1000)

    assert LAPTOP.contains(fit_to_screens(place, [LAPTOP]).marginsAdded(USUAL_FRAME))


def test_the_title_bar_of_the_first_window_is_on_a_small_screen() -> None:
    assert LAPTOP.contains(fit_to_screens(WindowState(), [LAPTOP]).marginsAdded(USUAL_FRAME))


def test_a_frame_larger_than_usual_is_kept_on_the_screen() -> None:
    frame = QMargins(9, 60, 9, 9)

    kept = kept_inside(QRect(0, 0, 1366, 728), frame, LAPTOP)

    assert kept.marginsAdded(frame) == LAPTOP


def test_a_title_above_the_screen_can_be_taken_hold_of_again() -> None:
    place = WindowState(x=100, y=-400, width=1000, height=700)

    assert fit_to_screens(place, [LARGE]).top() >= 0


def test_what_is_stored_can_be_damaged() -> None:
    assert read_window_state(None) == WindowState()
    assert read_window_state([1]) == WindowState()
    assert read_window_state({"width": "wide", "zoom": 1.5, "unknown": 1}) == WindowState(zoom=1.5)


def test_a_place_survives_the_disk() -> None:
    place = WindowState(x=1, y=2, width=3, height=4, has_panel=False, zoom=1.25, agent="analise")

    assert read_window_state(asdict(place)) == place
