"""Kinds of questions by what is set side by side: two values, two questions, answers before."""

from datetime import date, timedelta

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.dialogue.references import clauses_of
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, interpret
from qhub_desktop.nlq.query_ast import (
    Ask,
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
    Plan,
    RowSelection,
    Several,
    Unknown,
    distinct,
    is_count,
    is_distinct,
    is_top,
    top,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data
from tests.nlq.schemas import all_mean, at_once, chosen, plan_at_once, rows_of, understood

N = 90
TODAY = date(2026, 3, 1)
DAYS: list[Cell] = [date(2025, 10, 1) + timedelta(days=place) for place in range(N)]


def _of(*names: str) -> tuple[ColumnType, list[Cell]]:
    return "category", [names[place * 7 % 11 % len(names)] for place in range(N)]


def _numbers(most: int) -> tuple[ColumnType, list[Cell]]:
    return "integer", [1 + place * 37 % most for place in range(N)]


def _numbered(start: str, rows: int) -> tuple[ColumnType, list[Cell]]:
    """Numbers of things of which each has so many rows."""
    return "text", [f"{start}{100 + place // rows}" for place in range(N)]


WORKS = data(
    "obras",
    {
        "Nº OT": _numbered("OT", 1),
        "Data": ("date", DAYS),
        "Fiscal": _of("Eng. Costa", "Eng. Lopes", "Eng. Mota"),
        "Estado": _of("Concluída", "Em curso", "Suspensa"),
        "Prioridade": _of("Alta", "Média", "Baixa"),
        "Valor (€)": _numbers(83),
        "Horas": _numbers(71),
    },
)
ORDERS = data(
    "order_lines",
    {
        "OrderNo": _numbered("O", 3),
        "Date": ("date", DAYS),
        "Channel": _of("Web", "Shop", "Phone"),
        "Seller": _of("Dr. Adams", "Dr. Brown", "Dr. Clark", "Dr. Young"),
        "Product": _of("Tea", "Soap", "Salt", "Oil", "Rice"),
        "Revenue (EUR)": _numbers(53),
    },
)
RECEIPTS = data(
    "pedidos_out25",
    {
        "NumPedido": ("integer", [4000 + place // 4 for place in range(N)]),
        "DtPedido": ("date", DAYS),
        "Mesa": _of("M1", "M2", "M3", "M4"),
        "Total (€)": _numbers(61),
    },
)


def last(of: Data, *questions: str) -> Plan:
    """The plan of the last question of a conversation."""
    state, index = INITIAL_STATE, schema_index_of(of.profile)
    for each in questions:
        state = chosen(interpret(each, state, [index], today=TODAY), state)
    return state.plan


def told_apart(of: Data, column: str, *values: str, by: Measure | None = None) -> GroupBy:
    """Groups of the values that are compared."""
    scope = RowSelection(of.profile.dataset, (Filter(column, values),))
    return GroupBy(scope, Dimension(column), by or Measure())


def test_by_how_much_two_values_differ() -> None:
    costs = told_apart(WORKS, "Fiscal", "Eng. Costa", "Eng. Lopes", by=Measure("sum", "Valor (€)"))
    all_mean(
        WORKS,
        costs,
        "diferença de valor entre o Costa e o Lopes",
        "o valor do Costa é maior que o do Lopes? qual a diferença",
        "compara o valor do Costa com o do Lopes",
    )
    hours = told_apart(WORKS, "Estado", "Concluída", "Suspensa", by=Measure("mean", "Horas"))
    all_mean(WORKS, hours, "média de horas das concluídas vs suspensas, quanto de diferença?")
    sold = told_apart(ORDERS, "Channel", "Web", "Shop", by=Measure("sum", "Revenue (EUR)"))
    all_mean(
        ORDERS,
        sold,
        "revenue Web vs Shop, what's the difference",
        "how much higher is the revenue in Web than in Shop",
        "how much higher is the revenue in Web than in Shop, in %",
    )


TICKETS = data(
    "tickets",
    {
        "Ticket": _numbered("T", 1),
        "Customer": _of("Atlas", "Boreal", "Cetus"),
        "Opened": ("date", DAYS),
        "Hours": _numbers(71),
    },
)


def test_which_of_two_values_has_more() -> None:
    all_mean(
        TICKETS,
        told_apart(TICKETS, "Customer", "Atlas", "Boreal"),
        "does Atlas have more tickets than Boreal?",
        "has Atlas fewer tickets than the Boreal",
        "how many more tickets does Atlas have than Boreal?",
        "are there more tickets of Atlas than of Boreal?",
        "who has more tickets, Atlas or Boreal?",
        "which customer has fewer tickets: Atlas or Boreal?",
    )
    hours = told_apart(TICKETS, "Customer", "Atlas", "Boreal", by=Measure("sum", "Hours"))
    all_mean(
        TICKETS,
        hours,
        "did Atlas need more hours than Boreal?",
        "o Atlas tem mais hours do que o Boreal?",
        "o Atlas gastou menos hours que o Boreal",
    )


def test_more_than_a_number_compares_no_two_values() -> None:
    for asked in (
        "does Atlas have more than 20 tickets?",
        "does Atlas have more hours than last month?",
        "which customer has more tickets in January or February?",
    ):
        plan = understood(asked, schema_index_of(TICKETS.profile))
        compared = isinstance(plan, GroupBy) and plan.scope.filter_on("Customer") is not None
        assert not (compared and isinstance(plan, GroupBy) and plan.dimension.column == "Customer")


def test_a_title_before_every_name_tells_none_apart() -> None:
    brown = rows_of(ORDERS, Filter("Seller", ("Dr. Brown",)))
    all_mean(ORDERS, Number(brown, Measure("sum", "Revenue (EUR)")), "revenue of Brown")
    lopes = rows_of(WORKS, Filter("Fiscal", ("Eng. Lopes",)))
    all_mean(WORKS, Number(lopes), "quantas OT tem o Lopes")


async def test_the_difference_is_told_in_the_order_of_the_question(talks: Talks) -> None:
    text = (await talks(WORKS).told("compara as horas da prioridade alta com a baixa")).text
    other = (await talks(WORKS).told("compara as horas da prioridade baixa com a alta")).text

    assert "Alta face a Baixa: " in text, text
    assert " vezes." in text
    assert "Baixa face a Alta: " in other


def test_things_of_several_rows_are_counted_by_their_number() -> None:
    orders, receipts = rows_of(ORDERS), rows_of(RECEIPTS)
    all_mean(ORDERS, distinct(orders, "OrderNo"), "how many orders", "number of orders in total")
    all_mean(RECEIPTS, distinct(receipts, "NumPedido"), "quantos pedidos tivemos", "nº de pedidos")
    at_table = rows_of(RECEIPTS, Filter("Mesa", ("M2",)))
    all_mean(RECEIPTS, distinct(at_table, "NumPedido"), "qts pedidos na M2")
    by_channel = GroupBy(orders, Dimension("Channel"), Measure("distinct", "OrderNo"))
    all_mean(ORDERS, by_channel, "orders by channel")
    most = GroupBy(receipts, Dimension("Mesa"), Measure("distinct", "NumPedido"), n=1, order="most")
    all_mean(RECEIPTS, most, "que mesa teve mais pedidos?")


def test_each_of_two_questions_is_answered() -> None:
    late = rows_of(WORKS, Filter("Estado", ("Suspensa",)))
    worth = Number(late, Measure("sum", "Valor (€)"))
    assert last(WORKS, "quantas OT estão suspensas e quanto valem?") == Several(
        (Number(late, noun="OT"), worth)
    )
    web = rows_of(ORDERS, Filter("Channel", ("Web",)))
    revenue = Number(web, Measure("sum", "Revenue (EUR)"))
    # The first is not sure, orders or their lines: each is listed beside the second.
    asked = last(ORDERS, "how many orders in Web and what is the total revenue?")
    assert asked == Several((distinct(web, "OrderNo"), revenue))
    sold = Number(rows_of(RECEIPTS), Measure("sum", "Total (€)"))
    both = Several((sold, distinct(rows_of(RECEIPTS), "NumPedido")))
    assert last(RECEIPTS, "quanto vendemos e em quantos pedidos?") == both


@pytest.mark.parametrize(
    "question",
    [
        "quantas OT estão suspensas e quanto zurbam?",
        "quantas OT estão suspensas e qual a zurba média?",
    ],
)
def test_no_number_where_the_second_question_is_not_understood(question: str) -> None:
    assert isinstance(plan_at_once(WORKS, question), Unknown | Ask)


def test_where_a_sentence_is_two_questions() -> None:
    assert clauses_of("quantas são e em quantas obras?") == ("quantas são", "e quantas obras?")
    assert clauses_of("how many are late, and how much do they cost") == (
        "how many are late",
        "and how much do they cost",
    )
    for one in ("quantas houve em maio e junho?", "quantas há?", "horas por obra e quanto"):
        assert clauses_of(one) is None


def test_what_refers_to_the_answers_before() -> None:
    high = Number(rows_of(WORKS, Filter("Prioridade", ("Alta",))), noun="OT")
    first = "quantas OT de prioridade alta"
    low = last(WORKS, first, "e de baixa?")
    assert is_count(low)
    assert last(WORKS, first, "e de baixa?", "qual a diferença?") == Comparison(high, low)
    most = "que fiscal tem mais OT?"
    ranked = last(WORKS, most)
    assert is_top(ranked)
    assert ranked.n == 1
    assert last(WORKS, most, "e o segundo?") == top(ranked.scope, ranked.dimension, 2)
    web = Filter("Channel", ("Web",))
    of_all = Number(rows_of(ORDERS), Measure("share", "Revenue (EUR)", part=(web,)))
    for second in ("what share of the total is that?", "as a % of the total"):
        assert last(ORDERS, "total revenue of Web", second) == of_all


def test_what_share_of_the_rows_before() -> None:
    done, costly = Filter("Estado", ("Concluída",)), Filter("Prioridade", ("Alta",))
    part = Number(rows_of(WORKS, done), Measure("share", part=(costly,)))
    for second in (
        "que percentagem dessas é de prioridade alta?",
        "qual % disso é prioridade alta",
    ):
        assert last(WORKS, "quantas OT concluídas há", second) == part
    alone = Number(rows_of(WORKS, costly), Measure("share", part=(done,)))
    both = "quantas OT concluídas de prioridade alta há"
    assert last(WORKS, both, "que % de todas as de prioridade alta é isso?") == alone


def test_nothing_is_told_of_what_got_no_answer() -> None:
    for second in ("que % do total é isso?", "qual a diferença?", "e o segundo?"):
        assert isinstance(plan_at_once(WORKS, "valor das zurbas verdes", second), Unknown | Ask)


def test_a_thing_that_is_not_there_is_no_number_of_rows() -> None:
    for asked in ("qual foi a margem das concluídas?", "qual a rentabilidade do Costa"):
        assert isinstance(at_once(asked, schema_index_of(WORKS.profile)), Unknown | Ask)


def test_which_of_two_conditions_is_the_part() -> None:
    done, high = Filter("Estado", ("Concluída",)), Filter("Prioridade", ("Alta",))
    share = Number(rows_of(WORKS, high), Measure("share", part=(done,)))
    all_mean(WORKS, share, "percentagem de concluídas na prioridade alta")
    web = Filter("Channel", ("Web",))
    by_product = GroupBy(
        rows_of(ORDERS), Dimension("Product"), Measure("share", "Revenue (EUR)", part=(web,))
    )
    all_mean(ORDERS, by_product, "share of Web in the revenue by product")


def test_days_of_the_week_are_set_side_by_side() -> None:
    days = rows_of(RECEIPTS, Filter("DtPedido", (5, 6), grain="weekday"))
    by_day = GroupBy(days, Dimension("DtPedido", "weekday"), Measure("sum", "Total (€)"))
    all_mean(RECEIPTS, by_day, "vendas de sexta vs sábado", "compara as vendas de sexta com sábado")
    lines = last(RECEIPTS, "quantos pedidos acima de 100 € na M1")
    assert not is_distinct(lines)
    assert not is_count(lines)


JOBS = data(
    "servicos",
    {
        "Serviço": _numbered("S", 1),
        "Data pedido": ("date", DAYS),
        "Data de conclusão": ("date", [*DAYS[9:], *([None] * 9)]),
        "Estado": ("category", ["Concluído" if place < N - 9 else "Aberto" for place in range(N)]),
        "Stock": _numbers(41),
        "Stock mínimo": _numbers(23),
        "Idade": _numbers(80),
        "Pagamento": _of("Dinheiro", "Cartão"),
        "Valor (€)": _numbers(37),
    },
)


def test_what_a_word_stands_for_beside_others() -> None:
    closed = last(JOBS, "quantos serviços foram concluídos em novembro?")
    assert is_count(closed)
    assert closed.scope.period is not None
    assert closed.scope.period.column == "Data de conclusão"
    short = Filter("Stock", (), "below", other="Stock mínimo")
    all_mean(JOBS, Number(rows_of(JOBS, short)), "quantos serviços têm o stock abaixo do mínimo")
    old = Filter("Idade", (65.0,), "above")
    all_mean(JOBS, Number(rows_of(JOBS, old)), "quantos serviços acima dos 65 anos")
    paid = Number(rows_of(JOBS, Filter("Pagamento", ("Dinheiro",))), Measure("sum", "Valor (€)"))
    all_mean(JOBS, paid, "valor em dinheiro", "total vendido em dinheiro")
