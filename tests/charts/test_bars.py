"""Bars, standing and lying."""

import math
from datetime import date

import pandas as pd
import pytest

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.charts.grouping import MOST_SERIES
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Bars
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Table
from tests.charts.tables import marks, table


def test_records_are_counted_by_category_largest_first(defects: Table) -> None:
    oracle = pd.read_csv(DEMO_DATA / "defeitos.csv")["tipo_defeito"].value_counts()

    figure = draw("barh", "Tipos", defects, x="tipo_defeito")

    (bars,) = marks(figure, Bars)
    assert dict(zip(figure.y.categories, bars.end, strict=True)) == oracle.to_dict()
    assert list(bars.end) == sorted(bars.end, reverse=True)
    assert figure.subtitle == "N = 200"


def test_shifts_follow_each_other_as_in_the_plant(defects: Table) -> None:
    figure = draw("bar", "Turnos", defects, x="turno")

    assert figure.x.categories == ("manha", "tarde", "noite")


def test_a_query_keeps_its_order() -> None:
    asked = table({"turno": "text", "total": "integer"}, ("noite", 1), ("manha", 3), ("tarde", 2))

    figure = draw("bar", "Turnos", asked)

    assert figure.x.categories == ("noite", "manha", "tarde")
    assert marks(figure, Bars)[0].end == (1.0, 3.0, 2.0)


def test_two_categories_and_a_value_make_series_without_being_asked(defects: Table) -> None:
    frame = pd.read_csv(DEMO_DATA / "defeitos.csv")
    oracle = pd.crosstab(frame["operador"], frame["turno"])
    asked = table(
        {"operador": "category", "turno": "category", "total": "integer"},
        *(
            (str(name), str(shift), int(oracle.loc[name, shift]))
            for name in oracle.index
            for shift in oracle.columns
        ),
    )

    figure = draw("bar", "Operadores e turnos", asked)

    series = {bars.name: bars.end for bars in marks(figure, Bars)}
    assert series == {shift: tuple(oracle[shift].astype(float)) for shift in oracle.columns}


@pytest.mark.parametrize(("racks", "series"), [(MOST_SERIES, MOST_SERIES), (MOST_SERIES + 1, 1)])
def test_a_second_category_makes_series_while_their_colours_suffice(
    racks: int, series: int
) -> None:
    asked = table(
        {"operador": "category", "rack": "category", "total": "integer"},
        *((who, f"R{rack}", rack) for who in ("Ana", "Rui") for rack in range(racks)),
    )

    assert len(marks(draw("bar", "", asked, x="operador"), Bars)) == series


def test_shares_beside_counts_are_not_drawn() -> None:
    asked = table(
        {"tipo": "text", "total": "integer", "percentagem": "number"},
        ("lixo", 62, 31.0),
        ("gordura", 24, 12.0),
    )

    figure = draw("bar", "Top", asked)

    assert [bars.end for bars in marks(figure, Bars)] == [(62.0, 24.0)]
    assert figure.y.label == "total"


def test_bars_start_at_zero_and_carry_their_values_up_to_twelve() -> None:
    few = table({"a": "text", "n": "integer"}, *((f"c{at}", at) for at in range(1, 13)))
    many = table({"a": "text", "n": "integer"}, *((f"c{at}", at) for at in range(1, 14)))

    first, second = marks(draw("bar", "", few), Bars)[0], marks(draw("bar", "", many), Bars)[0]

    assert set(first.start) == {0.0}
    assert first.labels == tuple(str(at) for at in range(1, 13))
    assert second.labels == ()


def test_more_than_thirty_counts_keep_the_largest_and_the_rest_together() -> None:
    asked = table({"rack": "text", "total": "integer"}, *((f"R{at}", at) for at in range(1, 41)))

    figure = draw("bar", "Racks", asked)

    (bars,) = marks(figure, Bars)
    assert len(bars.end) == 30
    assert figure.x.categories[-1] == "Others"
    assert bars.end[-1] == sum(range(1, 12))
    assert sum(bars.end) == sum(range(1, 41))
    assert "rack: the 29 largest of 40, the rest in Others" in figure.subtitle


def test_means_are_never_added_up_as_others() -> None:
    asked = table({"rack": "text", "media": "number"}, *((f"R{at}", at + 0.5) for at in range(40)))

    figure = draw("bar", "Racks", asked)

    assert "Others" not in figure.x.categories
    assert "rack: the 30 largest of 40" in figure.subtitle


def test_repeated_categories_are_added_or_averaged_and_the_axis_says_so() -> None:
    added = draw("bar", "", table({"a": "text", "n": "integer"}, ("x", 2), ("x", 4), ("y", 1)))
    averaged = draw(
        "bar", "", table({"a": "text", "n": "number"}, ("x", 2.0), ("x", 4.0), ("y", 1.0))
    )

    assert (marks(added, Bars)[0].end, added.y.label) == ((6.0, 1.0), "Sum of n")
    assert (marks(averaged, Bars)[0].end, averaged.y.label) == ((3.0, 1.0), "Mean of n")


def test_bars_over_days_stand_where_the_days_are() -> None:
    asked = table(
        {"dia": "date", "total": "integer"},
        (date(2026, 2, 5), 3),
        (date(2026, 2, 1), 1),
        (date(2026, 2, 2), 2),
    )

    figure = draw("bar", "Dias", asked)

    (bars,) = marks(figure, Bars)
    day = 86_400.0
    first = pd.Timestamp("2026-02-01").timestamp()
    assert figure.x.kind == "time"
    assert bars.at == (first, first + day, first + 4 * day)
    assert bars.end == (1.0, 2.0, 3.0)


def test_missing_values_are_left_out_and_said() -> None:
    asked = table({"a": "text", "n": "integer"}, ("x", 2), (None, 4), ("y", None), ("z", 5))

    figure = draw("bar", "", asked)

    assert marks(figure, Bars)[0].end == (2.0, 5.0)
    assert figure.x.categories == ("x", "y", "z")
    assert "2 rows without a value left out" in figure.subtitle


def test_a_ninth_series_joins_the_others() -> None:
    rows = [(day, f"s{part}", part) for day in ("a", "b") for part in range(1, 11)]
    asked = table({"dia": "text", "parte": "text", "n": "integer"}, *rows)

    figure = draw("bar", "", asked, x="dia", y=["n"], by="parte")

    series = {bars.name: bars.end for bars in marks(figure, Bars)}
    assert len(series) == 8
    assert series["Others"] == (6.0, 6.0)


def test_negative_values_go_down_from_zero() -> None:
    figure = draw("bar", "", table({"a": "text", "n": "number"}, ("x", -2.5), ("y", 1.0)))

    assert figure.y.lower is None
    assert math.isclose(min(marks(figure, Bars)[0].end), -2.5)


def test_whole_numbers_as_names_are_not_grouped() -> None:
    figure = draw(
        "bar", "", table({"ano": "integer", "n": "integer"}, (2025, 7), (2026, 9)), x="ano"
    )

    assert figure.x.categories == ("2025", "2026")


@pytest.mark.parametrize(
    "kind", ["bar", "barh", "line", "area", "pie", "scatter", "pareto", "heatmap"]
)
def test_an_empty_table_is_refused_in_words(kind: str) -> None:
    with pytest.raises(ToolError, match="Não há linhas"):
        draw(kind, "", table({"a": "text", "n": "integer"}))


def test_unknown_names_are_refused_with_those_that_exist(defects: Table) -> None:
    with pytest.raises(ToolError, match=r"Não há coluna 'cor'.*tipo_defeito"):
        draw("bar", "", defects, x="cor")
    with pytest.raises(ToolError, match=r"Não há gráfico 'radar'.*pareto"):
        draw("radar", "", defects)
    with pytest.raises(ToolError, match=r"'turno' não é numérica.*posicao"):
        draw("bar", "", defects, y=["turno"])


def test_case_and_accents_of_a_column_do_not_matter(defects: Table) -> None:
    assert draw("bar", "", defects, x="Posição") == draw("bar", "", defects, x="posicao")


@pytest.mark.parametrize("kind", ["bar", "barh", "line", "area", "heatmap"])
@pytest.mark.parametrize("measured", [(), ("n",)])
def test_series_that_no_row_has_are_refused_with_the_reason(
    kind: str, measured: tuple[str, ...]
) -> None:
    empty = table(
        {"c": "category", "b": "category", "n": "number"}, ("a", None, 1.0), ("b", None, 2.0)
    )

    with pytest.raises(ToolError, match="nenhuma linha tem valor em 'c' e em 'b'"):
        draw(kind, "", empty, x="c", y=measured, by="b")


@pytest.mark.parametrize("kind", ["bar", "line", "pie"])
def test_categories_that_no_row_has_are_refused_with_the_reason(kind: str) -> None:
    empty = table({"c": "category", "n": "number"}, (None, 1.0), (None, 2.0))

    with pytest.raises(ToolError, match="nenhuma linha tem valor em 'c'"):
        draw(kind, "", empty, x="c", y=("n",))


def test_the_rest_of_the_series_joins_what_is_called_others_already() -> None:
    rows = [(f"t{each}", "a", 100 - each) for each in range(MOST_SERIES)]
    asked = table(
        {"t": "text", "c": "text", "n": "integer"}, *rows, ("Outros", "a", 500), ("Outros", "b", 1)
    )

    figure = draw("bar", "", asked, x="c", y=("n",), by="t")

    assert [each.name for each in marks(figure, Bars)] == [
        *(f"t{each}" for each in range(MOST_SERIES - 1)),
        "Others",
    ]
    assert marks(figure, Bars)[-1].end[0] == 500 + 100 - (MOST_SERIES - 1)
