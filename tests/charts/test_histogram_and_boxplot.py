"""Histograms and boxes."""

import numpy as np
import pandas as pd
import pytest

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Bars, Line, Points
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Table
from tests.charts.tables import marks, table


def _numbers(count: int, seed: int = 3) -> list[float]:
    return [float(each) for each in np.random.default_rng(seed).normal(80, 3, size=count)]


def test_classes_follow_freedman_and_diaconis() -> None:
    values = _numbers(500)
    counts, edges = np.histogram(values, bins="fd")

    figure = draw("histogram", "", table({"v": "number"}, *((each,) for each in values)))

    (bars,) = marks(figure, Bars)
    assert bars.end == tuple(counts.astype(float))
    assert bars.at == pytest.approx(((edges[1:] + edges[:-1]) / 2).tolist())
    assert sum(bars.end) == 500
    assert (figure.x.lower, figure.x.upper) == pytest.approx((edges[0], edges[-1]))


def test_values_without_a_middle_half_fall_back_to_sturges() -> None:
    values = [0.5] * 60 + [1.5, 2.5, 3.5]

    figure = draw("histogram", "", table({"v": "number"}, *((each,) for each in values)))

    assert marks(figure, Bars)[0].end == tuple(
        np.histogram(values, bins="sturges")[0].astype(float)
    )


def test_there_are_at_most_sixty_classes() -> None:
    values = [*_numbers(2_000), 10_000.0]

    figure = draw("histogram", "", table({"v": "number"}, *((each,) for each in values)))

    assert len(marks(figure, Bars)[0].end) == 60
    assert sum(marks(figure, Bars)[0].end) == 2_001


def test_values_that_differ_by_rounding_alone_are_one_class() -> None:
    values = [0.3] * 50 + [0.1 + 0.2] * 50

    figure = draw("histogram", "", table({"v": "number"}, *((each,) for each in values)))

    assert max(marks(figure, Bars)[0].end) == 100


def test_few_whole_numbers_have_a_class_each(defects: Table) -> None:
    oracle = pd.read_csv(DEMO_DATA / "defeitos.csv")["posicao"]

    figure = draw("histogram", "Posição", defects)

    (bars,) = marks(figure, Bars)
    assert bars.at == tuple(float(each) for each in range(1, 11))
    assert bars.end == tuple(oracle.value_counts().sort_index().astype(float))
    assert figure.subtitle == "N = 200 · mean 4.59 · s 2.30"


def test_missing_values_are_counted_out() -> None:
    figure = draw("histogram", "", table({"v": "number"}, (1.5,), (None,), (2.5,)))

    assert "N = 2 " in figure.subtitle
    assert "1 row without a value left out" in figure.subtitle


def test_boxes_have_quartiles_of_type_seven_and_whiskers_within_their_fence() -> None:
    values = {"B": [*_numbers(80, 5), 120.0], "A": _numbers(61, 8)}
    rows = [(name, each) for name, numbers in values.items() for each in numbers]

    figure = draw("box", "", table({"linha": "category", "v": "number"}, *rows))

    (bars,), (points,) = marks(figure, Bars), marks(figure, Points)
    frame = pd.DataFrame(rows, columns=["linha", "v"]).groupby("linha")["v"]
    assert figure.x.categories == ("A", "B")
    assert bars.start == pytest.approx(frame.quantile(0.25).tolist())
    assert bars.end == pytest.approx(frame.quantile(0.75).tolist())
    stems, medians = marks(figure, Line)
    assert list(medians.y[::3]) == pytest.approx(frame.median().tolist())
    reach = 1.5 * (frame.quantile(0.75) - frame.quantile(0.25))
    for at, name in enumerate(("A", "B")):
        low = frame.quantile(0.25)[name] - reach[name]
        high = frame.quantile(0.75)[name] + reach[name]
        inside = [each for each in values[name] if low <= each <= high]
        outside = sorted(set(values[name]) - set(inside))
        drawn = [y for x, y in zip(stems.x, stems.y, strict=True) if x == at]
        assert (min(drawn), max(drawn)) == (min(inside), max(inside))
        assert [y for x, y in zip(points.x, points.y, strict=True) if x == at] == outside


def test_several_columns_stand_beside_each_other() -> None:
    asked = table({"antes": "number", "depois": "number"}, (1.0, 2.0), (2.0, 3.0), (3.0, None))

    figure = draw("box", "", asked, y=["antes", "depois"])

    assert figure.x.categories == ("antes", "depois")
    assert "N = 5" in figure.subtitle


def test_kinds_without_numbers_are_refused_in_words() -> None:
    asked = table({"turno": "text", "tipo": "text"}, ("noite", "lixo"))

    for kind, words in (
        ("histogram", "uma coluna numérica"),
        ("box", "uma coluna numérica"),
        ("scatter", "duas colunas numéricas; há só: nenhuma"),
    ):
        with pytest.raises(ToolError, match=words):
            draw(kind, "", asked)


def test_a_column_without_any_value_is_refused_in_words() -> None:
    with pytest.raises(ToolError, match="'v' não tem valores"):
        draw("histogram", "", table({"v": "number"}, (None,), (None,)))


def test_of_many_categories_those_with_most_values_have_a_box() -> None:
    rows = [(f"c{at:02}", float(n)) for at in range(40) for n in range(3 + at)]

    figure = draw("box", "", table({"peça": "text", "v": "number"}, *rows))

    assert figure.x.categories == tuple(f"c{at:02}" for at in range(10, 40))
    assert "of 40" in figure.subtitle
