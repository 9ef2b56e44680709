"""Scatter plots and heat maps."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Cells, Points
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Table
from tests.charts.tables import marks, table


def test_points_belong_to_their_series() -> None:
    rows = [("b", 1.0, 2.0), ("a", 3.0, 4.0), ("b", 5.0, 6.0), ("a", None, 1.0), (None, 1.0, 1.0)]
    asked = table({"linha": "text", "x": "number", "y": "number"}, *rows)

    figure = draw("scatter", "", asked, by="linha")

    series = {
        points.name: list(zip(points.x, points.y, strict=True)) for points in marks(figure, Points)
    }
    assert series == {"a": [(3.0, 4.0)], "b": [(1.0, 2.0), (5.0, 6.0)]}
    assert figure.subtitle == "N = 3 · 2 rows without a value left out"


def test_an_identity_is_not_a_measure(defects: Table) -> None:
    asked = table({"id": "integer", "x": "number", "y": "number"}, (1, 2.0, 3.0), (2, 4.0, 5.0))

    figure = draw("scatter", "", asked)

    assert (figure.x.label, figure.y.label) == ("x", "y")


def test_a_huge_cloud_is_thinned_evenly_and_keeps_its_outermost_points() -> None:
    chance = np.random.default_rng(2)
    x, y = chance.normal(size=(2, 50_000)).tolist()
    x[777], y[888] = 99.0, -99.0
    asked = table({"x": "number", "y": "number"}, *zip(x, y, strict=True))

    figure = draw("scatter", "", asked)

    (points,) = marks(figure, Points)
    assert len(points.x) <= 20_000
    assert 99.0 in points.x
    assert -99.0 in points.y
    assert np.mean(points.y) == pytest.approx(np.mean(y), abs=0.05)
    assert "N = 50,000" in figure.subtitle
    assert "of 50,000 points drawn" in figure.subtitle
    assert draw("scatter", "", asked) == figure


def test_cells_hold_the_cross_table(defects: Table) -> None:
    frame = pd.read_csv(DEMO_DATA / "defeitos.csv")
    oracle = pd.crosstab(frame["posicao"], frame["rack"])

    figure = draw("heatmap", "Rack e posição", defects, x="rack", by="posicao")

    (cells,) = marks(figure, Cells)
    assert figure.y.categories == tuple(str(each) for each in oracle.index)
    assert [list(row) for row in cells.values] == oracle[list(figure.x.categories)].values.tolist()
    assert cells.labels[1][figure.x.categories.index("R13")] == str(oracle.loc[2, "R13"])
    assert "N = 200" in figure.subtitle


def test_many_cells_carry_no_numbers(defects: Table) -> None:
    (cells,) = marks(draw("heatmap", "", defects, x="data", by="posicao"), Cells)

    assert len(cells.values) * len(cells.values[0]) > 150
    assert cells.labels == ()


def test_days_of_one_year_are_short_and_the_axis_names_the_year() -> None:
    rows = [(date(2026, 2, day), "noite", day) for day in (1, 2)]
    asked = table({"dia": "date", "turno": "category", "n": "integer"}, *rows)

    figure = draw("heatmap", "", asked, x="dia", by="turno")

    assert figure.x.categories == ("01/02", "02/02")
    assert figure.x.label == "dia · 2026"


def test_a_query_without_some_pairs_leaves_their_cells_empty() -> None:
    rows = [("manha", "ABS", 1.5), ("noite", "PP", 2.5)]
    asked = table({"turno": "text", "material": "text", "taxa": "number"}, *rows)

    (cells,) = marks(draw("heatmap", "", asked, x="turno", by="material"), Cells)

    np.testing.assert_equal(np.array(cells.values), [[1.5, np.nan], [np.nan, 2.5]])
    assert cells.labels == (("1.50", ""), ("", "2.50"))


def test_a_heat_map_needs_two_kinds_of_category() -> None:
    with pytest.raises(ToolError, match="duas colunas de categorias"):
        draw("heatmap", "", table({"turno": "text", "n": "number"}, ("noite", 1.5)))


def test_many_names_stand_down_the_side() -> None:
    asked = table(
        {"turno": "text", "rack": "text"}, *((f"t{at % 2}", f"r{at % 9}") for at in range(40))
    )
    turned = table(
        {"rack": "text", "turno": "text"}, *((f"r{at % 9}", f"t{at % 2}") for at in range(40))
    )

    for each in (asked, turned):
        figure = draw("heatmap", "", each)
        assert len(figure.x.categories) == 2
        assert len(figure.y.categories) == 9


def test_the_smaller_of_many_series_share_one() -> None:
    rows = [(f"s{at:02}", float(n), float(n * at)) for at in range(12) for n in range(1, 14 - at)]

    figure = draw("scatter", "", table({"s": "text", "a": "number", "b": "number"}, *rows), by="s")

    series = marks(figure, Points)
    assert len(series) == 8
    assert [len(each.x) for each in series] == [13, 12, 11, 10, 9, 8, 7, 6 + 5 + 4 + 3 + 2]
