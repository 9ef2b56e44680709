"""Fiscal years: read once for each month in which they begin, asked about, then remembered."""

from datetime import date

import pytest

from qhub_desktop.nlq.dialogue.fiscal_years import fiscal_readings, fiscal_year_in
from qhub_desktop.nlq.query_ast import (
    Ask,
    GroupBy,
    Number,
)
from tests.nlq.profiles import Data
from tests.nlq.schemas import plan_at_once, table

FIRST, LAST = date(2024, 2, 1), date(2026, 9, 30)
SALES = table(
    "vendas",
    {"Data": "day", "Canal": "Loja,Site", "Montante (€)": "#900"},
)
ORDERS = table(
    "orders",
    {"Order": "key", "Order date": "day", "Region": "North,South", "Amount (EUR)": "#900"},
)


@pytest.mark.parametrize(
    ("question", "month", "days"),
    [
        ("vendas no ano fiscal 2025/26", 4, (date(2025, 4, 1), date(2026, 3, 31))),
        ("sales in FY26", 10, (date(2025, 10, 1), date(2026, 9, 30))),
        ("sales in fiscal year 2026 by channel", 1, (date(2026, 1, 1), date(2026, 12, 31))),
        ("vendas do último ano fiscal", 7, (date(2025, 7, 1), date(2026, 6, 30))),
        ("custo do exercício de 2025", 7, (date(2024, 7, 1), date(2025, 6, 30))),
        ("sales in Q1 FY26", 4, (date(2025, 4, 1), date(2025, 6, 30))),
        ("vendas no 4.º trimestre do ano fiscal 2026", 10, (date(2026, 7, 1), date(2026, 9, 30))),
        ("sales this fiscal year", 4, (date(2026, 4, 1), date(2027, 3, 31))),
        ("Umsatz im letzten Geschäftsjahr", 1, (date(2025, 1, 1), date(2025, 12, 31))),
    ],
)
def test_the_days_of_a_fiscal_year(question: str, month: int, days: tuple[date, date]) -> None:
    named = fiscal_year_in(question)

    assert named is not None
    assert named.days(month, LAST) == days


@pytest.mark.parametrize(
    "question",
    ["vendas por ano fiscal", "quantos exercícios por aluno", "FY26 vs FY25", "notas fiscais"],
)
def test_what_is_no_single_fiscal_year(question: str) -> None:
    assert fiscal_year_in(question) is None


def test_a_year_that_begins_with_the_data_comes_first() -> None:
    named = fiscal_year_in("sales in FY26")
    assert named is not None

    readings = fiscal_readings(named, "sales in FY26", date(2025, 7, 1), LAST, {})

    labels = [label for label, _ in readings]
    assert labels == ["01/07 – 30/06", "01/04 – 31/03", "01/10 – 30/09", "01/01 – 31/12"]


@pytest.mark.parametrize(
    ("dataset", "question", "made"),
    [
        (SALES, "montante no ano fiscal 2025/26 por canal", GroupBy),
        (SALES, "soma do montante do exercício de 2026", Number),
        (ORDERS, "total amount in FY26", Number),
        (ORDERS, "total amount by region in fiscal year 2026", GroupBy),
    ],
)
def test_which_year_is_meant_is_asked(
    dataset: Data, question: str, made: type[GroupBy | Number]
) -> None:
    plan = plan_at_once(dataset, question)

    assert isinstance(plan, Ask)
    assert len(plan.readings) == 4
    for _, each in plan.readings:
        assert isinstance(each, made)
        assert each.scope.period is not None
