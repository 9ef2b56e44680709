"""Tables with a column a day, week, month or quarter, asked about by dates."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.wide_tables import unpivoted
from tests.nlq.conftest import Talks
from tests.nlq.profiles import Data, data

LINES = ("L1", "L1", "L2", "L2")
KINDS = ("Plano", "Real", "Plano", "Real")
Header = Callable[[int], str]

MONTHS = ("Jan", "Fev", "Mar", "Abr", "Mai", "Jun")
FORMS: dict[str, tuple[Header, Callable[[int], date]]] = {
    "day and month": (lambda place: f"{place + 1:02d}/03", lambda place: date(2026, 3, place + 1)),
    "whole day": (lambda place: f"2026-03-{place + 1:02d}", lambda place: date(2026, 3, place + 1)),
    "short month": (lambda place: MONTHS[place], lambda place: date(2026, place + 1, 1)),
    "month of a year": (
        lambda place: f"{place + 1:02d}/2026",
        lambda place: date(2026, place + 1, 1),
    ),
    "week": (
        lambda place: f"KW {place + 10}",
        lambda place: date(2026, 3, 2) + timedelta(weeks=place),
    ),
    "year": (lambda place: str(2021 + place), lambda place: date(2021 + place, 1, 1)),
}


def table(header: Header, *, has_total: bool = False) -> Data:
    """Six periods of four lines: the cell of a line `row` and a period is 10 * row + period."""
    columns: dict[str, tuple[ColumnType, Sequence[Cell]]] = {
        "Linha": ("category", LINES),
        "Tipo": ("category", KINDS),
    }
    for place in range(6):
        columns[header(place)] = ("integer", [10 * row + place for row in range(4)])
    if has_total:
        columns["Total"] = ("integer", [60 * row + 15 for row in range(4)])
    return data("plano", columns, file="plano 2026.xlsx")


@pytest.mark.parametrize("form", FORMS)
def test_headers_are_read_as_periods(form: str) -> None:
    header, day = FORMS[form]

    wide = unpivoted(table(header).profile)

    assert wide is not None
    assert [each for _, each in wide.days] == [day(place) for place in range(6)]
    assert [each.name for each in wide.profile.columns][:2] == ["Linha", "Tipo"]


@pytest.mark.parametrize("names", [["A1", "A2", "A3"], ["01/13", "45/01", "x"], ["G1", "G2", "G3"]])
def test_other_columns_of_numbers_are_no_periods(names: list[str]) -> None:
    columns: dict[str, tuple[ColumnType, Sequence[Cell]]] = {
        name: ("integer", [1, 2, 3]) for name in names
    }

    assert unpivoted(data("t", columns).profile) is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("has_total", [False, True])
async def test_cells_are_added_up_over_lines_and_periods(
    talks: Talks, form: str, *, has_total: bool
) -> None:
    source = table(FORMS[form][0], has_total=has_total)

    whole = await talks(source).ask("qual foi o total real?")
    by_line = await talks(source).ask("compara o plano e o real da linha L2")

    assert "**270**" in whole.text  # 10 * (1 + 3) * 6 + 2 * 15
    assert "135" in by_line.text  # 20 * 6 + 15
    assert "195" in by_line.text


async def test_a_period_selects_its_columns(talks: Talks) -> None:
    source = table(FORMS["short month"][0], has_total=True)

    month = await talks(source).ask("real em março")
    quarter = await talks(source).ask("plano no 1.º trimestre")
    most = await talks(source).ask("em que mês se produziu mais (real)?")

    assert "**44**" in month.text
    assert "**66**" in quarter.text
    assert "50" in most.text


async def test_lines_are_counted_as_they_stand_in_the_file(talks: Talks) -> None:
    source = table(FORMS["day and month"][0])

    answer = await talks(source).told("quantas linhas com tipo Real?")

    assert "**2**" in answer.text


DAYS_OF_WEEK = {
    "ordinals": ("2.ª", "3.ª", "4.ª", "5.ª", "6.ª"),
    "short": ("Seg", "Ter", "Qua", "Qui", "Sex"),
    "whole": ("Segunda-feira", "Terça-feira", "Quarta-feira", "Quinta-feira", "Sexta-feira"),
    "English": ("Mon", "Tue", "Wed", "Thu", "Fri"),
}
MONDAYS = [date(2026, 1, 5) + timedelta(weeks=place) for place in range(6)]


def of_weeks(
    names: Sequence[str], *, begins: Sequence[date] = MONDAYS, prices: Sequence[int] = ()
) -> Data:
    """Six weeks of two lines: the cell of a week and a day is 10 * week + day."""
    columns: dict[str, tuple[ColumnType, Sequence[Cell]]] = {
        "Linha": ("category", ("L1", "L2") * 6),
        "Início": ("date", [day for day in begins for _ in range(2)]),
    }
    for place, name in enumerate(names):
        columns[name] = ("integer", [10 * week + place for week in range(6) for _ in range(2)])
    if prices:
        columns["Preço (€)"] = ("integer", prices)
    return data("refeicoes", columns, file="refeicoes.xlsx")


@pytest.mark.parametrize("names", DAYS_OF_WEEK.values(), ids=DAYS_OF_WEEK)
async def test_columns_of_days_of_the_week_count_from_the_day_in_their_line(
    talks: Talks, names: Sequence[str]
) -> None:
    made = of_weeks(names)
    wide = unpivoted(made.profile)

    fridays = await talks(made).ask("qual é o total às sextas-feiras?")
    one_day = await talks(made).ask("qual é o total de 14/01/2026?")  # a Wednesday

    assert wide is not None
    assert wide.since == "Início"
    assert [each.name for each in wide.profile.columns] == ["Linha", wide.day, wide.value]
    assert (wide.profile.columns[1].min, wide.profile.columns[1].max) == (
        MONDAYS[0],
        MONDAYS[-1] + timedelta(days=4),
    )
    assert f"**{2 * sum(10 * week + 4 for week in range(6))}**" in fridays.text
    assert f"**{2 * (10 + 2)}**" in one_day.text


def test_days_of_the_week_without_one_on_which_it_begins_are_columns_as_others() -> None:
    names = DAYS_OF_WEEK["short"]
    odd = [day + timedelta(days=place) for place, day in enumerate(MONDAYS)]
    # From a Monday to a Monday, and days between.
    daily = [*(MONDAYS[0] + timedelta(days=place) for place in range(5)), MONDAYS[1]]

    assert unpivoted(of_weeks(names, begins=odd).profile) is None
    assert unpivoted(of_weeks(names, begins=daily).profile) is None


async def test_a_line_is_told_with_its_own_columns(talks: Talks) -> None:
    made = of_weeks(DAYS_OF_WEEK["short"], prices=range(12))

    answer = await talks(made).ask("qual foi o registo com o preço mais alto?")

    assert answer.text.startswith("**11** € é o maior valor de Preço")
