"""Words of answers: what a number is, of which days, and how many others have it."""

from dataclasses import replace
from datetime import date

import pytest

from qhub_desktop.core.message import Interpretation
from qhub_desktop.core.result_widgets import Kpi
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.phrases import plan_title
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsKpi,
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    Grain,
    GroupBy,
    Measure,
    Number,
    Period,
    RowSelection,
    Several,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import data, production

STOPS = data(
    "paragens",
    {
        "Dia": ("date", [date(2026, 3, 2 + 7 * (place // 8)) for place in range(24)]),
        "Turno": ("integer", [1, 2, 3] * 8),
        "Operador": ("text", ["0417", "0417", "0902"] * 8),
        "Validado": ("boolean", [place % 4 > 0 for place in range(24)]),
        "Posto": ("category", [f"P{place % 6}" for place in range(24)]),
        "Duração (min)": ("number", [float(1 + place % 6) for place in range(24)]),
        "Peças": ("integer", [place % 3 for place in range(24)]),
    },
)
MINUTES = Measure("sum", "Duração (min)")
STOPPED = RowSelection("paragens")
LINE = data(
    "linha",
    {
        "Posto": ("category", ["A", "B", "C", "D", "E", "F"] * 4),
        "Boas": ("integer", [90] * 24),
        "Rejeitado": ("integer", [10] * 24),
        "Tempo (min)": ("number", [3.25] * 24),
    },
)
ALL = RowSelection("linha")
POST = Dimension("Posto")


async def told(talks: Talks, plan: DataPlan) -> str:
    """What is said of a plan."""
    return (await talks(LINE).choose(plan)).text


async def test_rows_sums_and_means_are_told_apart_in_text_and_parts(talks: Talks) -> None:
    for measure, text, part in (
        (Measure(), "**24** linhas.", "número de linhas"),
        (Measure("sum", "Boas"), "**2\N{NO-BREAK SPACE}160** é a soma de Boas", "soma de Boas"),
        (Measure("mean", "Boas"), "**90** é a média de Boas", "média de Boas"),
    ):
        talk = talks(LINE)
        answer = await talk.choose(Number(ALL, measure))
        (understood,) = (
            each for each in talk.messages[-1].blocks if isinstance(each, Interpretation)
        )

        assert answer.text.startswith(text)
        assert understood.chips[0].label == part


async def test_a_percentage_of_two_columns_has_a_name(talks: Talks) -> None:
    rate = Measure("rate", "Rejeitado", over="Boas", amount="Rejeitado")

    answer = await told(talks, Number(ALL, rate))
    grouped = await told(talks, GroupBy(ALL, POST, rate))

    assert answer.startswith("**10 %**: percentagem de Rejeitado sobre Boas + Rejeitado")
    assert grouped.startswith("**10 %** é a percentagem de Rejeitado sobre Boas + Rejeitado")


async def test_the_unit_stands_behind_the_number(talks: Talks) -> None:
    answer = await told(talks, Number(ALL, Measure("mean", "Tempo (min)")))

    assert answer.startswith("**3,25** min é a média de Tempo, em 24 linhas.")


async def test_those_that_are_level_beyond_three_are_counted(talks: Talks) -> None:
    answer = await told(talks, GroupBy(ALL, POST))

    assert answer.startswith("**4** cada: **A**, **B** e **C** estão empatados. Há 3 outros com 4.")


async def test_a_chart_has_the_groups_that_the_text_leaves_out(talks: Talks) -> None:
    talk = talks(production())
    by_day = Dimension("data", "day")

    answer = await talk.choose(AsChart(GroupBy(RowSelection("producao"), by_day)))

    assert answer.text.count("/2026") <= 3
    assert "gerar_grafico" in answer.tools


async def test_what_is_as_much_again_is_not_told_as_one_time(talks: Talks) -> None:
    two = RowSelection("linha", (Filter("Posto", ("A", "B")),))

    answer = await told(talks, GroupBy(two, POST, Measure("sum", "Boas")))

    assert "vezes" not in answer


@pytest.mark.parametrize(
    ("column", "grain", "named"),
    [
        ("Turno", "", "**turno 3**"),
        ("Operador", "", "**operador 0417**"),
        ("Validado", "", "**Validado sim**"),
        ("Posto", "", "**P"),
        ("Dia", "week", "semana de "),
        ("Dia", "month", "**03/2026**"),
    ],
)
async def test_a_group_that_says_nothing_alone_is_named_with_its_column(
    talks: Talks, column: str, grain: Grain, named: str
) -> None:
    answer = await talks(STOPS).choose(GroupBy(STOPPED, Dimension(column, grain), MINUTES))

    assert named in answer.text.split("\n\n")[0]


async def test_sums_are_compared_with_their_mean_and_means_with_that_of_all_rows(
    talks: Talks,
) -> None:
    by_post = Dimension("Posto")
    sums = await talks(STOPS).choose(GroupBy(STOPPED, by_post, MINUTES))
    means = await talks(STOPS).choose(GroupBy(STOPPED, by_post, Measure("mean", MINUTES.column)))
    least = await talks(STOPS).choose(GroupBy(STOPPED, by_post, Measure("min", MINUTES.column)))

    assert "A média por Posto é 14 min." in sums.text
    assert "Em todas as linhas é 3,5 min." in means.text
    assert "média" not in least.text  # a mean of minima is none of anything


async def test_more_groups_than_are_named_are_told_by_their_number(talks: Talks) -> None:
    ranked = await talks(STOPS).ask("top 5 postos num gráfico")

    assert "Os 5 juntos somam 20 de 24" in ranked.text


async def test_a_unit_stands_behind_limits_differences_and_columns(talks: Talks) -> None:
    minutes = MINUTES.column
    above = Filter(minutes, (4,), "above")
    rows = await talks(STOPS).choose(Number(RowSelection("paragens", (above,))))
    groups = await talks(STOPS).choose(
        GroupBy(STOPPED, Dimension("Posto"), MINUTES, having=Filter("", (14,), "above"))
    )
    two = RowSelection("paragens", (Filter("Posto", ("P5", "P0")),))
    against = await talks(STOPS).choose(GroupBy(two, Dimension("Posto"), MINUTES))
    table = await talks(STOPS).choose(GroupBy(STOPPED, Dimension("Turno"), MINUTES))

    assert rows.text.startswith("**8** linhas (Duração > 4 min)")
    assert "soma de Duração > 14 min" in groups.text
    assert "+20 min (+500" in against.text
    assert "| soma de Duração (min) |" in table.text


async def test_a_share_of_a_code_is_named_with_its_column(talks: Talks) -> None:
    part = Measure("share", part=(Filter("Turno", (2,)),))

    answer = await talks(STOPS).choose(GroupBy(STOPPED, Dimension("Operador"), part))

    assert "a percentagem de turno: 2" in answer.text


async def test_a_ranking_says_in_its_part_how_many_are_told(talks: Talks) -> None:
    talk = talks(STOPS)
    await talk.choose(GroupBy(STOPPED, Dimension("Posto"), MINUTES, n=3, order="least"))

    (understood,) = (each for each in talk.messages[-1].blocks if isinstance(each, Interpretation))
    (order,) = (each for each in understood.chips if each.part == "order")
    assert order.label == "os 3 mais baixos"


async def test_a_share_is_called_so_in_its_title(talks: Talks) -> None:
    rows, sums = GroupBy(STOPPED, POST, is_share=True), GroupBy(STOPPED, POST, MINUTES)

    titles = [
        plan_title(plan, schema_index_of(STOPS.profile), AnswerLocale("pt"))
        for plan in (rows, replace(rows, is_share=False), replace(sums, is_share=True), sums)
    ]

    assert titles == [
        "Percentagem das linhas (%) por Posto",
        "Linhas por Posto",
        "Soma de Duração (%) por Posto",
        "Soma de Duração por Posto",
    ]


async def test_compared_days_are_told_with_their_column_once(talks: Talks) -> None:
    weeks = [
        RowSelection("paragens", (), Period("Dia", date(2026, 3, day), date(2026, 3, day)))
        for day in (2, 9)
    ]
    both = [
        Comparison(*(Number(week, measure) for week in weeks)) for measure in (Measure(), MINUTES)
    ]
    index = schema_index_of(STOPS.profile)

    told = plan_title(Several(tuple(both)), index, AnswerLocale("pt"))

    assert told == (
        "Número de linhas (Dia): 02/03/2026 e 09/03/2026 e "
        "Soma de Duração (Dia): 02/03/2026 e 09/03/2026"
    )


async def test_a_number_shown_large_has_its_unit(talks: Talks) -> None:
    answer = await talks(STOPS).choose(AsKpi(Number(STOPPED, MINUTES)))

    assert answer.text.startswith("**84** min, em destaque acima: Soma de Duração.")
    (shown,) = (each.widget for each in answer.results if isinstance(each.widget, Kpi))
    assert shown.unit == "min"
