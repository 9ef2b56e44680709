"""Figures on the screen."""

import gc
import math
import weakref
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.figure import (
    Axis,
    Band,
    Bars,
    Cells,
    Figure,
    Label,
    Line,
    Mark,
    Points,
    Rule,
    Slices,
    stair_steps,
)
from qhub_desktop.core.table import Column, Table
from qhub_desktop.ui.charts.axes import PlotAxes, layout_axes
from qhub_desktop.ui.charts.card import chart_window
from qhub_desktop.ui.charts.colormap import cell_colours
from qhub_desktop.ui.charts.marks import make_item
from qhub_desktop.ui.charts.plot_scene import Canvas
from qhub_desktop.ui.charts.plot_view import PlotView
from qhub_desktop.ui.charts.scales import height_px
from qhub_desktop.ui.charts.tooltips import describe_figure, hit_at
from qhub_desktop.ui.theme import DARK, LIGHT, Palette, theme

NOTHING = math.nan
BARS = Figure(
    "Shifts",
    (Bars((0, 1, 2), (0, 0, 0), (73, 68, 59), labels=("73", "68", "59")),),
    x=Axis("shift", "category", ("morning", "afternoon", "night")),
    y=Axis("count", lower=0),
)
EVERY_MARK = Figure(
    "Everything",
    (
        Band((0, 1, 2), (0, 1, NOTHING), (2, 3, NOTHING)),
        Line((0, 1, 2), (1, NOTHING, 3), name="a", is_dotted_at_points=True),
        Line((0, 2), (2, 2), name="b", role="limit", stroke="dashed"),
        Points((0, 1, NOTHING), (1, 2, 3), name="c"),
        Bars((0, 1), (0, 0), (2, -1)),
        Bars((1,), (0,), (2,), direction="horizontal"),
        Rule(2.5, label="limit"),
        Rule(1.5, direction="vertical", label="start", role="target"),
        Cells(((1, 2), (NOTHING, 4)), (("1", "2"), ("", "4"))),
        Label(1, 1, "here"),
    ),
)
RUNNING = Figure(
    "Pareto",
    (
        Bars((0, 1), (0, 0), (75, 25)),
        Rule(80, side="right"),
        Line((0, 1), (75, 100), side="right", name="Running total", is_dotted_at_points=True),
    ),
    x=Axis("type", "category", ("dirt", "grease")),
    y=Axis("count", lower=0, upper=100),
    right=Axis("Running total", lower=0, upper=100, unit="%"),
)
PIE = Figure("Types", (Slices(("dirt", "grease"), (75, 25), ("75%", "25%")),))


def shown(qtbot: QtBot, figure: Figure, *, is_pannable: bool = False) -> PlotView:
    view = PlotView(figure, is_pannable=is_pannable)
    qtbot.addWidget(view)
    view.resize(600, 320)
    with qtbot.waitExposed(view):
        view.show()
    return view


def wheel(view: PlotView, place: QPointF, keys: Qt.KeyboardModifier) -> QWheelEvent:
    event = QWheelEvent(
        place,
        view.mapToGlobal(place),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    canvas = view.findChild(Canvas)
    assert canvas is not None
    QApplication.sendEvent(canvas.viewport(), event)
    return event


def test_each_mark_has_an_item_on_the_view(qtbot: QtBot) -> None:
    view = shown(qtbot, EVERY_MARK)

    assert len(view.scene.items) == len(EVERY_MARK.marks)
    assert all(item.scene() is not None for item in view.scene.items)


@pytest.mark.parametrize("figure", [BARS, EVERY_MARK, RUNNING, PIE])
def test_every_figure_is_painted_in_both_appearances(qtbot: QtBot, figure: Figure) -> None:
    view = shown(qtbot, figure)
    light = view.grab().toImage()
    theme().set_palette(DARK)
    dark = view.grab().toImage()

    assert light.pixelColor(1, 319) == QColor(LIGHT.card)
    assert dark.pixelColor(1, 319) == QColor(DARK.card)
    assert light != dark


def test_a_bar_reaches_from_zero_to_its_value(qtbot: QtBot) -> None:
    view = shown(qtbot, BARS)
    picture = view.grab().toImage()

    inside, above = view.scene.to_widget(0, 70), view.scene.to_widget(0.3, 76)

    assert picture.pixelColor(inside.toPoint()).name().upper() == LIGHT.series[0]
    assert picture.pixelColor(above.toPoint()) == QColor(LIGHT.card)


def test_a_running_total_is_drawn_on_the_scale_of_the_right_axis(qtbot: QtBot) -> None:
    twice = replace(RUNNING, y=replace(RUNNING.y, upper=200.0))
    view = shown(qtbot, twice)

    line = view.scene.items[2]

    assert [float(each) for each in line.getData()[1]] == [150.0, 200.0]


def test_a_long_caption_leaves_the_one_on_the_right_alone(qtbot: QtBot) -> None:
    pictures = [
        shown(qtbot, replace(RUNNING, y=replace(RUNNING.y, label=label))).grab().toImage()
        for label in ("total", "total " * 500)
    ]

    caption = QRect(pictures[0].width() - 60, 0, 60, 14)
    assert pictures[0].copy(caption) == pictures[1].copy(caption)


def test_the_tooltip_names_what_is_under_the_mouse(qtbot: QtBot) -> None:
    bars, pie, running = shown(qtbot, BARS), shown(qtbot, PIE), shown(qtbot, RUNNING)

    assert bars.scene.tooltip_at(bars.scene.to_widget(1, 30)) == "afternoon\ncount: 68"
    assert bars.scene.tooltip_at(QPointF(0, 0)) == ""
    assert (
        running.scene.tooltip_at(running.scene.to_widget(1, 100)) == "grease\nRunning total: 100%"
    )
    centre = pie.rect().center()
    slices = {pie.scene.tooltip_at(QPointF(x, centre.y())) for x in range(0, centre.x(), 4)}
    assert "dirt\n75 · 75%" in slices


def test_a_long_name_does_not_cut_off_the_value_under_the_mouse(qtbot: QtBot) -> None:
    endless = "x" * 10_000
    long = replace(BARS, x=Axis(endless, "category", (endless,) * 3), y=Axis(endless, lower=0))
    slices = Slices((endless, "dirt"), (25, 75), ("25%", "75%"))
    bars, pie = shown(qtbot, long), shown(qtbot, Figure("Share", (slices,)))

    tips = {pie.scene.tooltip_at(QPointF(x, y)) for x in range(0, 400, 8) for y in range(0, 300, 8)}

    assert bars.scene.tooltip_at(bars.scene.to_widget(1, 30)).endswith("…: 68")
    assert any(tip.endswith("…\n25 · 25%") for tip in tips)


def test_the_wheel_alone_is_left_to_the_conversation(qtbot: QtBot) -> None:
    view = shown(qtbot, BARS)
    place = view.scene.to_widget(1, 30)

    plain = wheel(view, place, Qt.KeyboardModifier.NoModifier)
    after_plain = view.scene.viewport
    zoomed = wheel(view, place, Qt.KeyboardModifier.ControlModifier)

    assert not plain.isAccepted()
    assert after_plain == PlotAxes(BARS).full_view
    assert zoomed.isAccepted()
    assert view.scene.viewport.x[1] - view.scene.viewport.x[0] < 3
    assert view.scene.viewport.y == PlotAxes(BARS).full_view.y


def test_a_double_click_shows_everything_again(qtbot: QtBot) -> None:
    view = shown(qtbot, BARS)
    view.zoom(0.5)
    canvas = view.findChild(Canvas)
    assert canvas is not None

    QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton)

    assert view.scene.viewport == PlotAxes(BARS).full_view


@pytest.mark.parametrize("is_pannable", [True, False])
def test_only_an_enlarged_chart_is_moved_by_dragging(qtbot: QtBot, is_pannable: bool) -> None:
    view = shown(qtbot, BARS, is_pannable=is_pannable)
    view.zoom(0.5)
    before = view.scene.viewport
    canvas = view.findChild(Canvas)
    assert canvas is not None

    for kind, x in (
        (QEvent.Type.MouseButtonPress, 300),
        (QEvent.Type.MouseMove, 260),
        (QEvent.Type.MouseButtonRelease, 260),
    ):
        place = QPointF(x, 150)
        left = Qt.MouseButton.LeftButton
        event = QMouseEvent(
            kind, place, view.mapToGlobal(place), left, left, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(canvas.viewport(), event)

    assert (view.scene.viewport.x[0] > before.x[0]) is is_pannable


def test_zooming_out_ends_at_the_whole(qtbot: QtBot) -> None:
    view = shown(qtbot, EVERY_MARK)
    view.zoom(0.25)
    view.zoom(100)

    assert view.scene.viewport == PlotAxes(EVERY_MARK).full_view


def test_a_long_line_is_thinned_for_the_screen_only(qtbot: QtBot) -> None:
    count = 20_000
    line = Line(tuple(map(float, range(count))), tuple(float(at % 7) for at in range(count)))
    view = shown(qtbot, Figure("Long", (line,)))

    assert len(view.scene.items[0].getOriginalDataset()[0]) == count
    assert view.scene.items[0].opts["clipToView"]


def test_somebody_who_cannot_see_it_is_told_the_values(qtbot: QtBot) -> None:
    view = shown(qtbot, BARS)

    assert view.accessibleName() == "Shifts"
    assert view.accessibleDescription() == "morning 73, afternoon 68, night 59"


def test_names_down_the_side_make_a_chart_higher() -> None:
    names = tuple(f"cause {at}" for at in range(20))
    bars = Bars(tuple(range(20)), (0,) * 20, tuple(range(20)), direction="horizontal")

    lying = Figure("", (bars,), y=Axis("", "category", names))

    assert height_px(lying) > height_px(BARS)


@pytest.mark.parametrize("figure", [BARS, EVERY_MARK, RUNNING, PIE], ids=lambda each: each.title)
def test_a_view_let_go_of_is_gone_without_the_collector(qapp: QApplication, figure: Figure) -> None:
    view = PlotView(figure)
    view.show()
    view.grab()
    gone = weakref.ref(view)
    qapp.processEvents()
    gc.disable()
    try:
        view.close()
        del view

        assert gone() is None  # a ring of references would let the theme style a closed view
    finally:
        gc.enable()


def test_closed_chart_windows_are_not_styled_again(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = [chart_window(None, figure) for figure in (BARS, EVERY_MARK, RUNNING, PIE)]
    canvases = [window.findChild(Canvas) for window in windows]
    for window in windows:
        window.show()
    qapp.processEvents()
    built: list[Canvas] = []
    monkeypatch.setattr(Canvas, "setBackgroundBrush", lambda self, _brush: built.append(self))

    for window in windows:
        window.close()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    theme().set_palette(DARK)
    theme().set_palette(LIGHT)

    assert None not in canvases
    assert not [each for each in built if each in canvases]


def test_a_broken_line_is_described_by_the_points_it_has() -> None:
    gap = math.nan
    line = Line((0.0, 0.0, gap, 1.0), (1.5, 2.5, gap, 4.0), name="95 %")
    figure = Figure("Groups", (line,), x=Axis("shift", "category", ("day", "night")))

    assert describe_figure(figure) == "95 %: day 1.5, day 2.5, night 4"


@pytest.mark.parametrize(
    ("names", "is_whole"), [(("11/11", "12/11"), True), (("PP_Negro", "ABS_Cinza"), False)]
)
def test_a_date_is_never_broken_over_two_lines(
    qapp: QApplication, names: tuple[str, ...], is_whole: bool
) -> None:
    every = names * 10
    at = tuple(map(float, range(len(every))))
    bars = Bars(at, (0.0,) * 20, (1.0,) * 20)
    axes = PlotAxes(Figure("", (bars,), x=Axis("", "category", every)))
    font = QFontMetricsF(QApplication.font())
    widest = max(font.horizontalAdvance(name) for name in names)
    area = QRectF(0, 0, 20 * widest * 0.9, 300)

    layout = layout_axes(axes, axes.full_view, area, font)

    assert any("\n" in tick.text for tick in layout.bottom) is not is_whole


def test_a_point_of_a_probability_plot_tells_its_share() -> None:
    figure = Figure(
        "", (Points((90.0, 98.0), (-1.2816, 0.0)),), y=Axis("Probability", "probability")
    )
    hit = hit_at(PlotAxes(figure), 90.0, -1.2816, x_unit_px=10, y_unit_px=100)

    assert hit is not None
    assert hit.text == "90\nProbability: 10%"


def test_a_box_tells_its_median_its_quartiles_and_its_whiskers() -> None:
    rows = tuple((line, float(value)) for line in "AB" for value in range(1, 10))
    table = Table((Column("line", "category"), Column("mm", "number")), rows)
    figure = draw("box", "Box", table, x="line", y=["mm"])
    told = "A\nMedian: 5\nQuartiles: 3 – 7\nWhiskers: 1 – 9"

    for x, y in ((0.0, 5.0), (0.1, 6.5), (0.0, 1.1), (0.0, 9.0)):
        hit = hit_at(PlotAxes(figure), x, y, x_unit_px=100, y_unit_px=20)
        assert hit is not None
        assert hit.text == told
    assert hit_at(PlotAxes(figure), 0.5, 5.0, x_unit_px=100, y_unit_px=20) is None


@pytest.mark.parametrize(
    ("mark", "x", "y", "said"),
    [
        (Rule(4.2, label="LSC = 4.2"), 0.7, 4.25, "LSC = 4.2"),
        (Rule(2.0, "vertical", "LSL 2"), 2.02, 1.0, "LSL 2"),
        (Rule(4.2), 0.7, 4.25, "mm: 4.2"),
        (
            Line(*stair_steps((0, 1, 2), (5.0, 7.0, 7.0)), role="limit", label="LSC = 7"),
            0.2,
            5.1,
            "LSC = 5",
        ),
        (Rule(4.2, label="LSC = 4.2"), 0.7, 5.0, None),
    ],
)
def test_a_limit_tells_its_value(mark: Mark, x: float, y: float, said: str | None) -> None:
    figure = Figure("", (Bars((0, 1), (0, 0), (2, 3)), mark), y=Axis("mm"))

    hit = hit_at(PlotAxes(figure), x, y, x_unit_px=50, y_unit_px=20)

    assert (hit and hit.text) == said


@pytest.mark.parametrize(
    "mark", [Points((1.0, 1.0, 1.0), (1.0, 1.02, 1.04)), Bars((0, 1), (0, 0), (2, 3))]
)
def test_no_rim_erases_what_is_drawn_below(qapp: QApplication, mark: Points | Bars) -> None:
    item = make_item(mark, PlotAxes(Figure("", (mark,))), LIGHT)

    pen = item.opts["pen"]
    assert pen is None or pen.style() == Qt.PenStyle.NoPen


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_steps_part_colours_alike_on_both_sides_of_zero(palette: Palette) -> None:
    cells = Cells(((-9.0, -2.5, -1.0, 0.0), (1.0, 2.5, 9.0, math.nan)), steps=(2.0, 3.0))

    (far, below, low, none), (high, above, farther, empty) = cell_colours(cells, palette)

    assert low == none == high
    assert len({far, below, none, above, farther}) == 5
    assert empty == palette.panel
    smaller = Cells(((-2.5, 2.5),), steps=(2.0, 3.0))  # no map stretches its own range
    assert cell_colours(smaller, palette) == [[below, above]]
