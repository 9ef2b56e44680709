"""Questions that are not sure: answered by a short list of readings, each with its value."""

from dataclasses import replace

import pytest

from qhub_desktop.core.message import Clarification, Interpretation
from qhub_desktop.core.readings import MOST_READINGS
from qhub_desktop.nlq.dialogue.selection import unlike
from qhub_desktop.nlq.query_ast import (
    AsChart,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    RowSelection,
    Several,
    plan_from_json,
    plan_to_json,
    query_of,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, demo, production
from tests.nlq.schemas import plan_at_once, table

CATCH = table(
    "pesca",
    {"Data": "day", "Lota": "Aveiro,Peniche", "Espécie": "Sardinha,Carapau", "Peso (kg)": "#50"},
)
ORDERS = table(
    "orders",
    {"Order No": "key", "Order Date": "day", "Country": "PT,ES,FR", "Amount": "#900"},
)
REJECTS = table(
    "rejeitos",
    {
        "Data": "day",
        "Linha": "Linha 1,Linha 2,Linha 3",
        "Peça": "P1,P2,P3",
        "Defeito Principal": "Escorrido,Risco,Bolha",
        "Qtd. Produzida (un)": "#400",
        "Qtd. Rejeitada (un)": "#9",
        "Qtd. Retrabalhada (un)": "#7",
    },
)
REPORTS = table(
    "apontamentos",
    {
        "Data": "day",
        "Item": "AX,BX,CX",
        "Tipo": "Produção,Refugo,Parada",
        "Qtd. boas": "#90",
        "Qtd. refugo": "#9",
    },
)
SERVICES = table(
    "servicos",
    {
        "Ordem": "key",
        "Data pedido": "day",
        "Executante1": "Rui Pinto,Ana Costa,José Lima",
        "Executante2": "Rui Pinto,Carla Reis,José Lima?",
        "Estado": "Concluído,Pendente",
    },
)


async def listed(talks: Talks, question: str, *of: Data) -> tuple[str, Clarification]:
    """What is said, and the readings to choose from."""
    answer = await talks(*of or (CATCH,)).ask(question)
    assert answer.asked is not None, answer.text
    return answer.text, answer.asked


async def test_a_reading_is_listed_with_its_value_and_not_claimed(talks: Talks) -> None:
    total = sum(int(str(row["Peso (kg)"])) for row in CATCH.rows)

    text, asked = await listed(talks, "peso total brumoso")

    assert text.startswith("Não sei o que fazer com “brumoso” nesta pergunta.")
    assert "**" not in text  # no number leads
    assert asked.choices[0].label == "Soma de Peso"
    assert asked.choices[0].value.replace("\N{NO-BREAK SPACE}", "") == f"{total} kg"


async def test_what_is_pressed_is_answered_with_the_number_that_was_shown(talks: Talks) -> None:
    talk = talks(CATCH)
    doubt = await talk.ask("peso total brumoso")
    assert doubt.asked is not None

    answer = await talk.choose(plan_from_json(doubt.asked.choices[0].plan))

    shown = doubt.asked.choices[0].value.removesuffix(" kg")
    assert answer.text.startswith(f"**{shown}** kg é a soma de Peso")


async def test_groups_are_valued_by_their_first_three(talks: Talks) -> None:
    _text, asked = await listed(talks, "total amount flubber by country", ORDERS)

    value = asked.choices[0].value

    assert value.count(" · ") == 2
    assert [value.count(each) for each in ("PT", "ES", "FR")] == [1, 1, 1]


async def test_a_word_with_several_readings_has_a_value_each(talks: Talks) -> None:
    text, asked = await listed(talks, "how many in 3?", demo())

    assert text == "“3” can be read in several ways."
    assert [each.label for each in asked.choices] == ["posicao", "data: 03/02"]
    told = [each.value.rpartition(": ") for each in asked.choices]
    assert all(
        number.isdigit() and rows.startswith("Number of defects") for rows, _, number in told
    ), told


@pytest.mark.parametrize(
    "question",
    [
        "peso total brumoso por lota",
        "peso brumoso em março",
        "quantas descargas brumosas em Aveiro",
    ],
)
async def test_a_list_is_short_and_says_nothing_twice(talks: Talks, question: str) -> None:
    _text, asked = await listed(talks, question)

    labels = [each.label for each in asked.choices]
    assert 1 <= len(labels) == len({*labels}) <= MOST_READINGS


async def test_a_question_of_nothing_here_lists_no_number(talks: Talks) -> None:
    answer = await talks(demo()).ask("xyz")

    assert (answer.asked, answer.calls) == (None, ())


async def test_a_name_that_is_not_in_the_data_is_said_and_nothing_listed(talks: Talks) -> None:
    answer = await talks(demo()).ask("defeitos do Alberto")

    assert answer.text.startswith("Não encontrei “Alberto” nestes dados.")
    assert (answer.asked, answer.calls) == (None, ())


async def test_readings_of_several_files_name_the_file_first(talks: Talks) -> None:
    answer = await talks(CATCH, production()).ask("peso total por lota")

    assert answer.text.startswith("pesca.csv · ")


async def test_an_answer_of_the_only_file_does_not_name_it_first(talks: Talks) -> None:
    answer = await talks(CATCH).ask("peso total por lota")

    assert answer.text.startswith("**")


async def test_a_highest_group_is_not_listed_as_all_groups(talks: Talks) -> None:
    _text, asked = await listed(talks, "qual a lota com mais peso brumoso?")

    best = next(
        each
        for each in asked.choices
        if isinstance(query := query_of(plan_from_json(each.plan)), GroupBy) and query.n == 1
    )
    assert best.label == "Lota com o valor mais alto de soma de Peso"
    assert not isinstance(query_of(plan_from_json(best.plan)), Number)


async def test_what_rows_are_called_is_not_told_as_unclear(talks: Talks) -> None:
    text, asked = await listed(talks, "quantas descargas brumosas em Aveiro?")

    assert "descargas" not in text
    assert asked.choices


async def test_sums_of_the_same_groups_stand_beside_each_other(talks: Talks) -> None:
    talk = talks(production())
    conversation = await talk.begin()
    everything = RowSelection("producao")
    sums = [
        GroupBy(everything, Dimension("Máquina"), Measure("sum", column))
        for column in ("Peças produzidas", "Sucata")
    ]

    value = await talk.program.readings.value(conversation, plan_to_json(Several(tuple(sums))))

    rows = [row for row in production().rows if row["Máquina"] == "M4"]
    made = [sum(int(str(row[each])) for row in rows) for each in ("Peças produzidas", "Sucata")]
    assert value is not None
    told = {name: number.replace(",", "") for name, number in value.groups}
    assert len(told) == 3
    assert told["M4"] == f"{made[0]} / {made[1]}"


async def test_a_number_that_no_word_tells_the_kind_of_has_each_kind_listed(talks: Talks) -> None:
    _text, asked = await listed(talks, "peso brumoso")

    assert [each.label for each in asked.choices] == [
        "Soma de Peso",
        "Média de Peso",
        "Número de linhas",
    ]
    assert all(each.value for each in asked.choices)


async def test_a_number_whose_kind_is_said_is_listed_alone(talks: Talks) -> None:
    _text, asked = await listed(talks, "peso médio brumoso")

    assert [each.label for each in asked.choices] == ["Média de Peso"]


def test_a_reading_that_another_holds_is_listed_once() -> None:
    index = schema_index_of(production().profile)
    everything, machine = RowSelection("producao"), Dimension("Máquina")
    all_, more = GroupBy(everything, machine), GroupBy(everything, machine, n=450, order="most")
    first, shifts = replace(more, n=1), GroupBy(everything, Dimension("Turno"))

    assert unlike([first, all_, shifts], [index]) == (first, shifts)
    assert unlike([all_, more], [index]) == (all_,)
    assert unlike([shifts, more], [index]) == (shifts, all_)
    assert unlike([all_, first], [index]) == (all_, first)


@pytest.mark.parametrize(
    ("question", "condition"),
    [("flights by state", "Trans States"), ("flights by time of day", "Time of day: Day")],
)
async def test_a_part_of_a_name_is_no_condition_where_it_names_a_column(
    talks: Talks, question: str, condition: str
) -> None:
    flights = table(
        "voos",
        {
            "Operator": "Trans States,Delta,United",
            "State": "TX,CA",
            "Time of day": "Day,Night",
        },
    )
    talk = talks(flights)
    answer = await talk.ask(question)

    (understood,) = (each for each in talk.messages[-1].blocks if isinstance(each, Interpretation))
    listed = [*understood.others, *(answer.asked.choices if answer.asked is not None else ())]
    assert understood.chips or listed
    assert not [each.label for each in listed if condition in each.label]


async def test_a_chart_that_cannot_be_drawn_is_answered_by_the_other_readings(
    talks: Talks,
) -> None:
    text, asked = await listed(talks, "faz o Pareto das peças rejeitadas", REJECTS)

    assert "precisa de uma coluna" not in text
    assert asked.choices[0].label == "Soma de Qtd. Rejeitada por Peça, em gráfico"
    assert all(each.value for each in asked.choices)


async def test_a_chart_that_cannot_be_drawn_is_not_listed(talks: Talks) -> None:
    _text, asked = await listed(talks, "pareto de custo por defeito", REJECTS)

    assert not [each.label for each in asked.choices if "Distribuição" in each.label]


@pytest.mark.parametrize(
    "question",
    [
        "faz-me o Pareto dos defeitos pelas peças rejeitadas",
        "Pareto dos defeitos por quantidade rejeitada",
    ],
)
def test_a_pareto_of_defects_adds_up_the_amount_that_was_named(question: str) -> None:
    drawn = plan_at_once(REJECTS, question)

    assert isinstance(drawn, AsChart)
    plan = drawn.of
    assert isinstance(plan, GroupBy)
    assert plan.dimension == Dimension("Defeito Principal")
    assert plan.measure == Measure("sum", "Qtd. Rejeitada (un)")


async def test_a_tool_that_fails_for_all_readings_tells_its_error(talks: Talks) -> None:
    answer = await talks(REJECTS, broken="consultar_dados").ask("peças rejeitadas por linha")

    assert "demorou demais" in answer.text
    assert answer.asked is None


@pytest.mark.parametrize(
    "question", ["taxa de refugo por item", "percentagem de refugo por item", "taxa de refugo"]
)
async def test_a_rate_that_names_a_value_and_an_amount_lists_both(
    talks: Talks, question: str
) -> None:
    _text, asked = await listed(talks, question, REPORTS)

    amounts, rows, *_more = (query_of(plan_from_json(each.plan)) for each in asked.choices)
    assert isinstance(amounts, GroupBy | Number)
    assert amounts.measure.kind == "rate"
    assert isinstance(rows, GroupBy | Number)
    assert rows.measure.kind == "share"
    assert all("ercentagem" in each.label for each in asked.choices)


async def test_money_that_no_column_tells_is_said_before_other_amounts(talks: Talks) -> None:
    text, asked = await listed(talks, "qual foi o custo do retrabalho por linha?", REJECTS)

    assert text.startswith("Não sei o que fazer com “custo” nesta pergunta.")
    assert asked.choices[0].label == "Soma de Qtd. Retrabalhada por Linha"


@pytest.mark.parametrize(
    "question",
    [
        (
            "quantas peças é que nós produzimos na linha 3 durante o mês de fevereiro,"
            " o total produzido mesmo, não só as boas"
        ),
        "peças produzidas na linha 3 em fevereiro, não apenas as boas",
    ],
)
async def test_what_is_said_besides_and_restricts_nothing_is_only_marked(
    talks: Talks, question: str
) -> None:
    text, asked = await listed(talks, question, REJECTS)

    assert text.startswith("Não sei o que fazer com “boas” nesta pergunta.")
    plan = query_of(plan_from_json(asked.choices[0].plan))
    assert isinstance(plan, Number)
    assert plan.measure == Measure("sum", "Qtd. Produzida (un)")
    assert [each.values for each in plan.scope.filters] == [("Linha 3",)]
    assert plan.scope.period is not None


async def test_what_is_left_out_behind_a_comma_is_not_passed_over(talks: Talks) -> None:
    answer = await talks(REJECTS).ask("peças produzidas na linha 3, sem ferrugem")

    assert answer.text.startswith("Não encontrei “ferrugem”")


@pytest.mark.parametrize(
    "question",
    ["registos por executante", "qual o executante com mais serviços concluídos"],
)
async def test_a_word_of_numbered_columns_lists_each_of_them(talks: Talks, question: str) -> None:
    _text, asked = await listed(talks, question, SERVICES)

    plans = [query_of(plan_from_json(each.plan)) for each in asked.choices[:2]]
    grouped = [each.dimension.column for each in plans if isinstance(each, GroupBy)]
    assert grouped == ["Executante1", "Executante2"]
    assert all(each.value for each in asked.choices)


@pytest.mark.parametrize(
    "question", ["em que mês houve mais encomendas", "encomendas por operador", "material por mês"]
)
async def test_the_log_is_not_listed_beside_a_file_by_a_shared_word(
    talks: Talks, question: str
) -> None:
    answer = await talks(demo(), SERVICES).ask(question)

    assert "defeitos" not in answer.text
    choices = () if answer.asked is None else answer.asked.choices
    assert not [each.label for each in choices if "efeitos" in each.label]


async def test_a_share_of_rows_is_listed_once() -> None:
    index = schema_index_of(REPORTS.profile)
    refused = (Filter("Tipo", ("Refugo",)),)
    of_rows = Number(RowSelection("apontamentos", refused), is_share=True)
    same = Number(RowSelection("apontamentos"), Measure("share", part=refused))
    in_march = Number(RowSelection("apontamentos", (Filter("Item", ("AX",)),)), same.measure)

    assert unlike([of_rows, same, in_march], [index]) == (of_rows, in_march)


async def test_a_reading_chosen_while_it_was_typed_is_remembered(talks: Talks) -> None:
    listed_first = await talks(CATCH).ask("peso total turvo")
    assert listed_first.asked is not None
    taken = listed_first.asked.choices[0]

    typed = await talks(CATCH).choose(plan_from_json(taken.plan), said="peso total turvo")

    assert typed.asked is None
    assert "“peso total turvo”" in typed.text
