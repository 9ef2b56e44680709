"""Paretos and pies: parts of a whole."""

from itertools import accumulate

import pandas as pd
import pytest

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core import text
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Bars, Line, Rule, Slices
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Table
from tests.charts.tables import marks, table


def test_a_pareto_descends_and_runs_up_to_the_whole(defects: Table) -> None:
    oracle = pd.read_csv(DEMO_DATA / "defeitos.csv")["tipo_defeito"].value_counts()

    figure = draw("pareto", "Pareto", defects, x="tipo_defeito")

    (bars,), (line,), (rule,) = marks(figure, Bars), marks(figure, Line), marks(figure, Rule)
    assert bars.end == tuple(oracle.astype(float))
    assert line.y == pytest.approx((oracle.cumsum() / oracle.sum() * 100).tolist())
    assert (line.side, rule.side, rule.value, rule.stroke) == ("right", "right", 80.0, "dashed")
    assert figure.right is not None
    assert (figure.right.lower, figure.right.upper, figure.right.unit) == (0.0, 100.0, "%")
    assert (figure.y.lower, figure.y.upper) == (0.0, 200.0)
    assert figure.subtitle == "N = 200 · 01/02/2026 – 28/02/2026"


def test_what_is_called_others_is_last_whatever_its_size() -> None:
    asked = table(
        {"tipo": "text", "total": "integer"}, ("outros", 50), ("lixo", 30), ("gordura", 40)
    )

    figure = draw("pareto", "", asked)

    assert figure.x.categories == ("gordura", "lixo", "outros")


def test_a_long_tail_joins_the_others_that_are_already_there() -> None:
    rows = [("Outros", 3), *((f"c{at:02}", 100 - at) for at in range(40))]
    asked = table({"tipo": "text", "total": "integer"}, *rows)

    figure = draw("pareto", "", asked)

    (bars,), (line,) = marks(figure, Bars), marks(figure, Line)
    assert len(bars.end) == 30
    assert figure.x.categories[-1] == "Others"
    assert bars.end[-1] == 3 + sum(100 - at for at in range(29, 40))
    assert list(line.y) == pytest.approx(
        [100 * each / sum(bars.end) for each in accumulate(bars.end)]
    )


def test_a_pie_has_at_most_eight_slices(defects: Table) -> None:
    rows = [(f"c{at}", 20 - at) for at in range(12)]

    figure = draw("pie", "", table({"tipo": "text", "total": "integer"}, *rows))

    (slices,) = marks(figure, Slices)
    assert len(slices.names) == 8
    assert slices.names[-1] == "Others"
    assert sum(slices.values) == sum(value for _name, value in rows)
    assert "tipo: the 7 largest of 12, the rest in Others" in figure.subtitle


def test_slices_say_their_share_in_the_language_of_the_person(defects: Table) -> None:
    english = marks(draw("pie", "", defects, x="tipo_defeito"), Slices)[0].labels
    text.use("pt")
    portuguese = marks(draw("pie", "", defects, x="tipo_defeito"), Slices)[0].labels

    assert english[:2] == ("31%", "15.5%")
    assert portuguese[:2] == ("31\N{NO-BREAK SPACE}%", "15,5\N{NO-BREAK SPACE}%")


@pytest.mark.parametrize("kind", ["pie", "pareto"])
def test_parts_of_a_whole_can_be_neither_negative_nor_nothing(kind: str) -> None:
    with pytest.raises(ToolError, match="valores negativos"):
        draw(kind, "", table({"a": "text", "n": "integer"}, ("x", -1), ("y", 2)))
    with pytest.raises(ToolError, match="o todo é zero"):
        draw(kind, "", table({"a": "text", "n": "integer"}, ("x", 0), ("y", 0)))


def test_a_pareto_has_one_series(defects: Table) -> None:
    with pytest.raises(ToolError, match="não aceita 'by'"):
        draw("pareto", "", defects, x="tipo_defeito", by="turno")


def test_a_part_of_unknown_size_is_left_out() -> None:
    asked = table(
        {"tipo": "text", "total": "integer"}, ("lixo", 30), ("bolha", None), ("gordura", 10)
    )

    figure = draw("pareto", "", asked)

    assert figure.x.categories == ("lixo", "gordura")
    assert list(marks(figure, Line)[0].y) == [75.0, 100.0]
