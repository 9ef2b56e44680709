"""Plans to answers: every kind of number, condition and form, computed by the program's own SQL."""

from datetime import date, datetime
from typing import Any

import pandas as pd
import pytest

from qhub_desktop.core.result_widgets import Chart, TableView
from qhub_desktop.nlq.answer.plan_editor import PlanEditor
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsDashboard,
    AsKpi,
    AsTable,
    AsWorkbook,
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    Grain,
    GroupBy,
    Measure,
    Number,
    Order,
    Period,
    Relation,
    Rows,
    RowSelection,
    Several,
    plan_from_json,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.driver import ALL_TOOLS, Answer
from tests.nlq.profiles import data

BAR = "\N{NO-BREAK SPACE}"
ORDERS = data(
    "orders",
    {
        "Order ID": ("integer", [101, 102, 103, 104, 105, 106, 107, 108]),
        "Customer": ("category", ["Anna", "Bruno", "Anna", "Carla", "Bruno", "Anna", "Carla", "A"]),
        "Order Date": (
            "date",
            [
                date(2007, 1, 5),
                date(2007, 2, 7),
                date(2007, 5, 9),
                date(2007, 11, 2),
                date(2008, 1, 5),
                date(2008, 3, 8),
                date(2008, 6, 1),
                date(2008, 8, 9),
            ],
        ),
        "Required Date": (
            "date",
            [
                date(2007, 1, 15),
                date(2007, 2, 10),
                date(2007, 5, 20),
                None,
                date(2008, 1, 12),
                date(2008, 3, 20),
                date(2008, 6, 5),
                date(2008, 8, 19),
            ],
        ),
        "Shipped At": (
            "datetime",
            [
                datetime(2007, 1, 10, 12),
                datetime(2007, 2, 12, 8),
                datetime(2007, 5, 20, 18),  # on the day that was required, and so not after it
                datetime(2007, 11, 9),
                None,
                datetime(2008, 3, 7, 6),  # before it was ordered
                datetime(2008, 6, 9),
                datetime(2008, 8, 19, 9),
            ],
        ),
        "Hours": ("number", [10.0, 20.5, 7.5, 12.0, 33.0, 8.0, 33.0, 5.0]),
        "Cost": ("number", [100.0, 200.0, 50.0, 80.0, 330.0, 64.0, 300.0, 40.0]),
        "Note": (
            "text",
            [
                "Avaria na linha",
                "sem nada",
                "AVÁRIA elétrica",
                "Linha desavariada",
                None,
                "avarias várias",
                "ok",
                "Paragem: avaria",
            ],
        ),
    },
)
FRAME = pd.DataFrame(list(ORDERS.rows))
ALL = RowSelection("orders")
BY_CUSTOMER = Dimension("Customer")
HOURS, COST = Measure("sum", "Hours"), Measure("sum", "Cost")
DAYS = Measure("mean", "Shipped At", since="Order Date", unit="days")


def where(*filters: Filter) -> RowSelection:
    return RowSelection("orders", filters)


def year(number: int) -> RowSelection:
    return RowSelection(
        "orders", (), Period("Order Date", date(number, 1, 1), date(number, 12, 31))
    )


def by(
    grain: Grain,
    measure: Measure = HOURS,
    *,
    n: int | None = None,
    order: Order = "",
    is_cumulative: bool = False,
    having: Filter | None = None,
) -> GroupBy:
    day = Dimension("Order Date", grain)
    return GroupBy(ALL, day, measure, n=n, order=order, is_cumulative=is_cumulative, having=having)


async def told(talks: Talks, plan: DataPlan, greeting: str = "olá") -> Answer:
    talk = talks(ORDERS)
    await talk.ask(greeting)
    return await talk.choose(plan)


def charts(answer: Answer) -> list[Chart]:
    return [each.widget for each in answer.results if isinstance(each.widget, Chart)]


def tables(answer: Answer) -> list[TableView]:
    return [each.widget for each in answer.results if isinstance(each.widget, TableView)]


def lines_of(answer: Answer) -> list[Any]:
    """The lines of the first query."""
    content: Any = answer.results[0].content
    lines: list[Any] = content["linhas"]
    return lines


def shown(number: float) -> str:
    """A number as Portuguese answers write it."""
    text = f"{round(number, 2):,.2f}".rstrip("0").rstrip(".")
    return text.replace(",", BAR).replace(".", ",")


ELAPSED = (FRAME["Shipped At"] - pd.to_datetime(FRAME["Order Date"])).dt.total_seconds()


@pytest.mark.parametrize(
    ("measure", "number", "also"),
    [
        (Measure("percentile", "Hours", quantile=0.9), FRAME.Hours.quantile(0.9), "percentil 90"),
        (Measure("percentile", "Hours", quantile=0.25), FRAME.Hours.quantile(0.25), "percentil 25"),
        (Measure("range", "Hours"), 28, "O máximo é 33 e o mínimo 5."),
        (Measure("range", "Order Date"), 582, "O máximo é 09/08/2008 e o mínimo 05/01/2007."),
        (Measure("ratio", "Cost", "Hours"), FRAME.Cost.sum() / FRAME.Hours.sum(), "razão entre"),
        (DAYS, ELAPSED.mean() / 86_400, "em 7 das 8 linhas"),
        (
            Measure("median", "Shipped At", since="Order Date", unit="hours"),
            ELAPSED.median() / 3_600,
            "a mediana de horas de Order Date a Shipped At",
        ),
        (
            Measure("max", "Shipped At", since="Order Date", unit="minutes"),
            ELAPSED.max() / 60,
            "Em 1 linha Shipped At é anterior a Order Date.",
        ),
        (
            Measure("percentile", "Shipped At", since="Order Date", unit="days", quantile=0.75),
            ELAPSED.quantile(0.75) / 86_400,
            "o percentil 75 de dias",
        ),
    ],
)
async def test_a_number_of_any_kind_comes_first(
    talks: Talks, measure: Measure, number: float, also: str
) -> None:
    answer = await told(talks, Number(ALL, measure))

    assert answer.text.startswith(f"**{shown(number)}**"), answer.text
    assert also in answer.text


@pytest.mark.parametrize(
    "measure",
    [
        Measure("percentile", "Hours", quantile=0.25),
        Measure("range", "Hours"),
        Measure("ratio", "Cost", "Hours"),
        Measure("median", "Hours"),
    ],
)
async def test_a_number_of_any_kind_is_computed_for_every_group(
    talks: Talks, measure: Measure
) -> None:
    groups = FRAME.groupby("Customer")
    expected = {
        "percentile": groups.Hours.quantile(0.25),
        "range": groups.Hours.max() - groups.Hours.min(),
        "ratio": groups.Cost.sum() / groups.Hours.sum(),
        "median": groups.Hours.median(),
    }[measure.kind]

    answer = await told(talks, GroupBy(ALL, BY_CUSTOMER, measure))

    found = {line[0]: line[1] for line in lines_of(answer)}
    assert found == pytest.approx(expected.to_dict())
    for name, number in expected.items():
        assert f"| {name} | {shown(number)}" in answer.text


async def test_times_between_columns_are_counted_for_groups_too(talks: Talks) -> None:
    answer = await told(talks, GroupBy(ALL, BY_CUSTOMER, DAYS), "hello")

    assert "Computed in 7 of the 8 rows; the others lack a date." in answer.text
    assert "In 1 row Shipped At is before Order Date." in answer.text


@pytest.mark.parametrize(
    ("wanted", "count", "said"),
    [
        (Filter("Shipped At", (), "above", other="Required Date"), 2, "depois de Required Date"),
        (Filter("Shipped At", (), "at most", other="Required Date"), 4, "em ou antes de Required"),
        (Filter("Cost", (), "above", other="Hours"), 8, "Cost > Hours"),
        (Filter("Note", ("avaria",), "contains"), 4, "Note: contém “avaria”"),
        (Filter("Note", ("avaria",), "lacks"), 4, "Note: não contém “avaria”"),
        (Filter("Note", (), "present"), 7, "Note: com valor"),
        (Filter("Required Date", (), "missing"), 1, "Required Date: vazia"),
        (Filter("Order Date", ("2008-01-05",), "above"), 3, "Order Date depois de 05/01/2008"),
        (Filter("Order Date", ("2008-01-05",), "at least"), 4, "em ou depois de 05/01/2008"),
        (Filter("Shipped At", ("2008-06-09",), "below"), 5, "Shipped At antes de 09/06/2008"),
        (Filter("Shipped At", ("2007-05-20",), "is"), 1, "Shipped At: 20/05/2007"),
        (
            Filter("Shipped At", ("2007-02-12T08:00:00", "2007-11-09T00:00:00"), "between"),
            3,
            "de 12/02/2007 08:00 a 09/11/2007",
        ),
    ],
)
async def test_rows_are_selected_by_any_condition(
    talks: Talks, wanted: Filter, count: int, said: str
) -> None:
    answer = await told(talks, Number(where(wanted)))

    assert answer.text.startswith(f"**{count}** "), answer.text
    assert said in answer.text


@pytest.mark.parametrize(
    ("relation", "other"),
    [("contains", "lacks"), ("present", "missing")],
)
async def test_a_condition_and_its_opposite_part_the_rows(
    talks: Talks, relation: Relation, other: Relation
) -> None:
    values = ("avaria",) if relation == "contains" else ()
    counts = []
    for each in (relation, other):
        answer = await told(talks, Number(where(Filter("Note", values, each))))
        counts.append(lines_of(answer)[0][0])

    assert sum(counts) == len(FRAME)


async def test_a_condition_on_groups_is_on_what_is_measured(talks: Talks) -> None:
    answer = await told(talks, by("quarter", having=Filter("", (30,), "above")))

    assert answer.text.startswith(
        "**3** grupos por trimestre de Order Date têm soma de Hours > 30."
    )
    assert "2007-T1 com 30,5; 2008-T1 com 41; 2008-T2 com 33" in answer.text


async def test_quarters_are_named_and_in_order(talks: Talks) -> None:
    answer = await told(talks, AsChart(by("quarter")), "hello")

    (chart,) = charts(answer)
    names = [str(row[0]) for row in chart.data.rows]
    assert names == ["2007-Q1", "2007-Q2", "2007-Q4", "2008-Q1", "2008-Q2", "2008-Q3"]
    assert answer.text.startswith("**41** is the sum of Hours in **2008-Q1**, the highest")


async def test_a_period_is_told_with_its_column_and_nothing_before_it(talks: Talks) -> None:
    first = Period("Order Date", date(2008, 1, 1), date(2008, 3, 31))

    answer = await told(talks, Number(RowSelection("orders", (), first)))

    assert answer.text.startswith("**2** linhas (Order Date: 2008-T1): 25")
    assert answer.tools == ["consultar_dados"]


async def test_two_numbers_are_compared_by_what_differs(talks: Talks) -> None:
    sums = Comparison(Number(year(2007), COST), Number(year(2008), COST))
    before = FRAME[[day.year == 2007 for day in FRAME["Order Date"]]].Cost.sum()
    after = FRAME.Cost.sum() - before

    answer = await told(talks, sums)
    drawn = await told(talks, AsChart(sums))
    listed = await told(talks, AsTable(sums))

    change = f"+304 (+70,7{BAR}%)"
    assert answer.text.startswith(
        f"**{shown(before)}** em 2007 e **{shown(after)}** em 2008: {change}"
    ), answer.text
    assert "é a soma de Cost" in answer.text
    assert charts(drawn)[0].data.rows == (("2007", before), ("2008", after))
    assert tables(listed)[0].table.rows == (("2007", before), ("2008", after))
    assert tables(listed)[0].title == "Soma de Cost (Order Date): 2007 e 2008"


async def test_a_comparison_names_filters_measures_and_points(talks: Talks) -> None:
    anna, carla = (where(Filter("Customer", (name,))) for name in ("Anna", "Carla"))

    counts = await told(talks, Comparison(Number(anna), Number(carla)), "hello")
    shares = await told(
        talks, Comparison(Number(anna, is_share=True), Number(carla, is_share=True)), "hello"
    )
    ends = (Measure("min", "Order Date"), Measure("max", "Order Date"))
    days = await told(talks, Comparison(*(Number(ALL, each) for each in ends)), "hello")

    assert counts.text.startswith("**3** (Customer: Anna) and **2** (Customer: Carla): -1 (-33.3%)")
    assert "-12.5 percentage points" in shares.text
    assert "582 days later" in days.text
    assert "(minimum of Order Date)" in days.text


async def test_several_numbers_are_told_each_and_stand_side_by_side(talks: Talks) -> None:
    several = Several((Number(ALL), Number(ALL, HOURS), Number(ALL, Measure("mean", "Cost"))))

    answer = await told(talks, several)
    listed = await told(talks, AsTable(several))
    drawn = await told(talks, AsChart(several))
    book = await told(talks, AsWorkbook(several))

    assert answer.text.startswith("**8** linhas.")
    assert "**129** é a soma de Hours" in answer.text
    assert "**145,5** é a média de Cost" in answer.text
    (table,) = tables(listed)
    assert table.table.rows == ((8, 129.0, 145.5),)
    assert table.table.names == ("Número de linhas", "Soma de Hours", "Média de Cost")
    assert [row[1] for row in charts(drawn)[0].data.rows] == [8, 129.0, 145.5]
    assert "**129** é a soma de Hours" in drawn.text
    assert not book.results[0].is_error


async def test_the_same_number_twice_has_its_result_twice(talks: Talks) -> None:
    answer = await told(talks, Several((Number(ALL), Number(ALL), Number(ALL, HOURS))))

    assert answer.tools == ["consultar_dados"] * 2
    assert answer.text.count("**8** linhas.") == 2
    assert "**129** é a soma de Hours" in answer.text


async def test_several_measures_of_the_same_groups_are_drawn_together(talks: Talks) -> None:
    several = Several((by("month"), by("month", COST)))

    drawn = await told(talks, AsChart(several))
    listed = await told(talks, AsTable(several))
    unasked = await told(talks, several)

    for chart in (charts(drawn)[0], charts(unasked)[0]):
        assert chart.kind == "line"
        assert chart.data.names == ("mês", "soma de Hours", "soma de Cost")
        assert chart.data.rows[0] == (date(2007, 1, 1), 10.0, 100.0)
    assert len(charts(drawn)) == 1
    assert len(tables(listed)[0].table.rows) == 8


async def test_several_of_different_groups_are_drawn_apart(talks: Talks) -> None:
    several = Several((by("year"), GroupBy(ALL, BY_CUSTOMER, COST)))

    drawn = await told(talks, AsChart(several))
    listed = await told(talks, AsTable(several))
    page = await told_on_a_page(talks, several)

    assert len(charts(drawn)) == 2
    assert "Soma de Hours em" not in drawn.text
    assert "é a soma de Hours em" in drawn.text
    assert len(tables(listed)) == 2
    assert len(page) == 2


async def told_on_a_page(talks: Talks, plan: Several) -> dict[str, object]:
    talk = talks(ORDERS, tools=[*ALL_TOOLS, "gerar_dashboard"])
    answer = await talk.choose(AsDashboard((plan,)))
    assert not answer.results[0].is_error, answer.results[0].content
    made = answer.calls[0].input["dados"]
    assert isinstance(made, dict)
    return {**made}


async def test_the_highest_row_is_told_by_its_value_and_what_was_asked(talks: Talks) -> None:
    highest = await told(talks, Rows(ALL, 1, "most", "Cost", ("Customer", "Order Date")))
    level = await told(talks, Rows(ALL, 1, "most", "Hours", ("Customer",)))
    oldest = await told(talks, Rows(ALL, 1, "least", "Order Date"), "hello")

    assert highest.text.startswith(
        "**330** é o maior valor de Cost: Customer **Bruno**, Order Date **05/01/2008**."
    ), highest.text
    assert "em 2 linhas: (Customer **Bruno**); (Customer **Carla**)" in level.text
    assert oldest.text.startswith("**05/01/2007** is the first Order Date: Order ID 101")


async def test_the_highest_rows_are_listed_and_shown_with_what_was_asked_first(
    talks: Talks,
) -> None:
    answer = await told(talks, Rows(ALL, 3, "most", "Cost", ("Customer",)))

    assert "1. **330** · Customer **Bruno**\n2. **300** · Customer **Carla**" in answer.text
    (table,) = tables(answer)
    assert table.table.names[:2] == ("Cost", "Customer")
    assert [row[0] for row in table.table.rows] == [330.0, 300.0, 200.0]


async def test_rows_are_counted_in_all_and_all_are_in_the_table(talks: Talks) -> None:
    every = await told(talks, Rows(where(Filter("Cost", (60,), "above"))))
    last = await told(talks, Rows(ALL, 3, "last", noun="strikes"))

    assert every.text.startswith("**6** linhas (Cost > 60).")
    assert len(tables(every)[0].table.rows) == 6
    assert last.text.startswith("**3** linhas, aqui chamadas “strikes”. Ao todo há **8**.")


async def test_rows_are_called_what_the_person_calls_them(talks: Talks) -> None:
    said = await told(talks, Number(where(Filter("Customer", ("Anna",))), noun="strikes"), "hello")

    assert said.text.startswith("**3** rows, here called “strikes” (Customer: Anna)")
    assert "strikes" not in str(said.calls[0].input)


async def test_shares_of_a_sum_are_told_in_percent(talks: Talks) -> None:
    answer = await told(talks, GroupBy(ALL, BY_CUSTOMER, COST, is_share=True))

    assert answer.text.startswith(f"**45,5{BAR}%** em **Bruno**, a maior parte: a soma de Cost")
    assert f"| Carla | 380 | 32,6{BAR}% |" in answer.text


async def test_running_totals_of_a_sum_are_drawn(talks: Talks) -> None:
    answer = await told(talks, by("month", is_cumulative=True))

    assert answer.text.startswith(
        "**129** é a soma de Hours ao todo até 08/2008, por mês de Order Date; metade"
    )
    assert answer.tools == ["consultar_dados", "gerar_grafico"]
    (chart,) = charts(answer)
    assert [row[-1] for row in chart.data.rows] == FRAME.Hours.cumsum().tolist()


@pytest.mark.parametrize("order", ["most", "least"])
async def test_the_best_day_is_told_with_its_value(talks: Talks, order: Order) -> None:
    chosen = by("day", COST, n=1, order=order)

    answer = await told(talks, chosen)

    best = {"most": "**330** é a soma de Cost em **05/01/2008**", "least": "**40** é a soma"}
    assert answer.text.startswith(best[order])


async def test_a_year_with_the_fewest_rows_is_told_by_rank(talks: Talks) -> None:
    late = where(Filter("Order Date", ("2007-02-01",), "above"))
    plan = GroupBy(late, Dimension("Order Date", "year"), n=1, order="least")

    answer = await told(talks, plan)

    assert answer.text.startswith(
        f"**3** de 7 linhas (42,9{BAR}%; Order Date depois de 01/02/2007)"
    )
    assert "**2007**, o menor número por ano" in answer.text


async def test_groups_beside_a_chart_are_left_to_it(talks: Talks) -> None:
    answer = await told(talks, AsChart(by("month", Measure("mean", "Cost"))))

    assert len(charts(answer)) == 1
    assert answer.text.startswith("**330** é a média de Cost em **01/2008**, o valor mais alto")
    assert " com " not in answer.text


async def test_a_number_shown_large_is_told_too(talks: Talks) -> None:
    answer = await told(talks, AsKpi(Number(ALL, DAYS)))

    assert answer.text.startswith(f"**{shown(ELAPSED.mean() / 86_400)}** dias, em destaque")


@pytest.mark.parametrize(
    "plan",
    [
        Number(ALL, DAYS),
        Number(ALL, Measure("ratio", "Cost", "Hours")),
        Number(where(Filter("Shipped At", (), "above", other="Required Date"))),
        Number(where(Filter("Note", ("avaria",), "contains"))),
        by("quarter", having=Filter("", (30,), "above")),
        Comparison(Number(year(2007), COST), Number(year(2008), COST)),
        Several((Number(ALL), Number(ALL, HOURS))),
        Several((by("month"), by("month", COST))),
        Rows(ALL, 3, "most", "Cost"),
    ],
)
async def test_every_choice_of_every_part_of_a_plan_can_be_computed(
    talks: Talks, plan: DataPlan
) -> None:
    chips = PlanEditor(schema_index_of(ORDERS.profile), AnswerLocale("en")).chips(plan)

    assert chips
    for chip in chips:
        for choice in chip.choices:
            made = plan_from_json(choice.plan)
            assert made != plan, (chip.label, choice.label)
            answer = await talks(ORDERS).choose(made)
            failed = [each.content for each in answer.results if each.is_error]
            assert not failed, (choice.label, failed)
