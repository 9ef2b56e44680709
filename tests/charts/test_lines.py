"""Lines and areas."""

import math
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.charts.lines import LONGEST_LINE, line_positions
from qhub_desktop.core.figure import Band, Line
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import ColumnType, Table
from tests.charts.tables import marks, table


def test_records_are_counted_by_day_with_zeros_for_quiet_days(defects: Table) -> None:
    frame = pd.read_csv(DEMO_DATA / "defeitos.csv", parse_dates=["data"])
    oracle = frame[frame["turno"] == "noite"].set_index("data").resample("D").size()
    days = pd.date_range("2026-02-01", "2026-02-28")
    oracle = oracle.reindex(days, fill_value=0)

    figure = draw("line", "Dias", defects, by="turno")

    night = next(line for line in marks(figure, Line) if line.name == "noite")
    assert night.y == tuple(oracle.astype(float))
    assert night.x == tuple(day.timestamp() for day in days)
    assert (figure.x.kind, figure.y.lower) == ("time", 0.0)


def test_a_missing_value_is_a_gap_and_is_said() -> None:
    rows = [(date(2026, 2, day), None if day == 3 else day * 1.5) for day in range(1, 6)]

    figure = draw("line", "", table({"dia": "date", "espessura": "number"}, *rows))

    (line,) = marks(figure, Line)
    assert math.isnan(line.y[2])
    assert [each for each in line.y if not math.isnan(each)] == [1.5, 3.0, 6.0, 7.5]
    assert "1 missing value" in figure.subtitle
    assert figure.y.lower is None


def test_series_measured_at_other_moments_than_each_other_are_lines_all_the_same() -> None:
    start = datetime(2026, 2, 1, 6)
    rows = [(start + timedelta(minutes=at), "AB"[at % 2], at * 0.5) for at in range(200)]

    figure = draw(
        "line",
        "",
        table({"t": "datetime", "bomba": "text", "v": "number"}, *rows),
        x="t",
        y=("v",),
        by="bomba",
    )

    first, second = marks(figure, Line)
    assert first.y == tuple(float(at) for at in range(100))
    assert second.y == tuple(at + 0.5 for at in range(100))
    assert set(np.diff(first.x)) == {120.0}


def test_days_are_drawn_in_their_order() -> None:
    rows = [(date(2026, 2, 2), 2), (date(2026, 2, 1), 1), (date(2026, 2, 3), 3)]

    (line,) = marks(draw("line", "", table({"dia": "date", "n": "integer"}, *rows)), Line)

    assert line.y == (1.0, 2.0, 3.0)
    assert list(line.x) == sorted(line.x)


def test_single_moments_are_counted_by_day_or_within_two_days_by_hour() -> None:
    start = datetime(2026, 2, 1, 6, 10)
    by_hour = [(start + timedelta(minutes=20 * at), f"p{at}") for at in range(12)]
    by_day = [(start + timedelta(hours=9 * at), f"p{at}") for at in range(12)]
    types: dict[str, ColumnType] = {"hora": "datetime", "peça": "text"}

    (hours,) = marks(draw("line", "", table(types, *by_hour)), Line)
    (days,) = marks(draw("line", "", table(types, *by_day)), Line)

    assert sum(hours.y) == 12
    assert set(np.diff(hours.x)) == {3600.0}
    assert sum(days.y) == 12
    assert set(np.diff(days.x)) == {86_400.0}


@pytest.mark.parametrize("y", [(), ("leitura",)], ids=["chosen", "named"])
def test_numbers_alone_are_drawn_along_their_rows(y: tuple[str, ...]) -> None:
    readings = table({"leitura": "number"}, (2.5,), (2.75,), (2.25,))

    (line,) = marks(draw("line", "", readings, y=y), Line)

    assert line.x == (1.0, 2.0, 3.0)
    assert line.y == (2.5, 2.75, 2.25)


def test_areas_stand_on_each_other(defects: Table) -> None:
    figure = draw("area", "", defects, by="turno")

    bands = marks(figure, Band)
    counts = pd.read_csv(DEMO_DATA / "defeitos.csv").groupby("data").size()
    assert set(bands[0].lower) == {0.0}
    assert bands[1].lower == bands[0].upper
    assert [each for each in bands[-1].upper if each] == counts.astype(float).tolist()
    assert "stacked" in figure.subtitle
    assert "stacked" not in draw("area", "", defects).subtitle  # one alone stands on nothing


def test_a_long_line_keeps_its_ends_and_every_extreme() -> None:
    chance = np.random.default_rng(1)
    heights = chance.normal(size=50_000)
    heights[[1_234, 44_444]] = [9.0, -9.0]
    heights[20_000:20_400] = np.nan

    kept = line_positions(heights.tolist())

    assert len(kept) <= LONGEST_LINE
    assert {0, 1_234, 44_444, 49_999} <= set(kept)
    assert list(kept) == sorted(set(kept))
    assert np.isnan(heights[list(kept)]).any()
    stretches = np.array_split(heights, 1_000)
    drawn = {float(heights[at]) for at in kept}
    assert all(float(np.nanmax(each)) in drawn for each in stretches if not np.isnan(each).all())


def test_the_subtitle_says_how_many_points_a_reduced_line_had() -> None:
    rows = [(at, float(at % 97)) for at in range(6_000)]

    figure = draw("line", "", table({"n": "integer", "v": "number"}, *rows), x="n")

    (line,) = marks(figure, Line)
    assert len(line.x) < 6_000
    assert (line.x[0], line.x[-1]) == (0.0, 5_999.0)
    assert "drawn from 6,000 points, every extreme kept" in figure.subtitle


@pytest.mark.parametrize("kind", ["line", "area"])
def test_names_can_be_drawn_along_too(kind: str) -> None:
    asked = table({"semana": "text", "n": "integer"}, ("S1", 3), ("S2", 5))

    figure = draw(kind, "", asked)

    assert figure.x.categories == ("S1", "S2")
    assert marks(figure, Line)[0].y == (3.0, 5.0)
