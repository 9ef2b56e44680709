"""Ranges, pairs and open spans of time: over all months and years, in two languages, as typed."""

import itertools
from calendar import monthrange
from datetime import date, timedelta

import pytest

from qhub_desktop.core.text import fold
from qhub_desktop.nlq.date_units import Calendar, Span
from qhub_desktop.nlq.temporal import days_in
from qhub_desktop.nlq.times_of_day import Hours, hours_in
from qhub_desktop.nlq.tokenizer import blanked

CALENDAR = Calendar(today=date(2026, 5, 20), last=date(2026, 5, 18))
PT = [
    *("janeiro", "fevereiro", "março", "abril", "maio", "junho"),
    *("julho", "agosto", "setembro", "outubro", "novembro", "dezembro"),
]
EN = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
ALL = range(1, 13)
YEARS = range(2019, 2027)


def spans_of(question: str, calendar: Calendar = CALENDAR) -> list[Span]:
    """Return the spans of a question as its callers read them: the first, then the second."""
    return [span for _, span in days_in(question, calendar)[:2]]


def words_beside_days(question: str) -> list[str]:
    """Return the words that say no days."""
    places = [place for place, _ in days_in(question, CALENDAR)]
    return blanked(question, places, by=" ").split()


def as_typed(*phrases: str) -> list[str]:
    """Return phrases in the middle of questions, without capitals and accents, too."""
    return [
        made
        for phrase in phrases
        for made in (
            phrase,
            f"quantos defeitos {fold(phrase)}?",
            f"custo por turno {phrase}, por operador",
            f"{phrase.upper()} por turno",
        )
    ]


def check(phrases: list[str], *wanted: Span, calendar: Calendar = CALENDAR) -> None:
    """Assert that every phrase says some spans."""
    found = {each: spans_of(each, calendar) for each in as_typed(*phrases)}
    assert {each: spans for each, spans in found.items() if spans != [*wanted]} == {}


def year(first: int, last: int | None = None) -> Span:
    return date(first, 1, 1), date(last or first, 12, 31)


def month(number: int, of: int, count: int = 1) -> Span:
    end = of * 12 + number - 1 + count - 1
    last = monthrange(end // 12, end % 12 + 1)[1]
    return date(of, number, 1), date(end // 12, end % 12 + 1, last)


def week(number: int, of: int = 2026, count: int = 1) -> Span:
    monday = date.fromisocalendar(of, number, 1)
    return monday, monday + timedelta(days=7 * count - 1)


def begun(number: int) -> int:
    """Return the year of a month that is said without one."""
    return 2026 if number <= 5 else 2025


@pytest.mark.parametrize(("first", "last"), [*itertools.combinations(YEARS, 2)])
def test_a_range_of_years(first: int, last: int) -> None:
    check(
        [
            f"de {first} a {last}",
            f"de {first} até {last}",
            f"entre {first} e {last}",
            f"entre os anos de {first} e {last}",
            f"from {first} to {last}",
            f"between {first} and {last}",
            f"{first}-{last}",
            f"{first} a {last}",
            f"de '{first % 100} a '{last % 100}",
        ],
        year(first, last),
    )


@pytest.mark.parametrize("first", YEARS[:-1])
@pytest.mark.parametrize(
    "said",
    [
        "quanto cresceu de {} pra {}",
        "subiu de {} para {}",
        "mudou de {} p/ {}",
        "quanto aumentou de {} a {}",
        "how much did it grow from {} to {}",
        "what changed between {} and {}",
        "diferença entre {} e {}",
        "em {} e {}",
    ],
)
def test_what_changed_from_one_year_to_the_next_is_of_two(said: str, first: int) -> None:
    assert spans_of(said.format(first, first + 1)) == [year(first), year(first + 1)]


@pytest.mark.parametrize("said", YEARS)
def test_years_are_open_to_one_side(said: int) -> None:
    check(
        [f"desde {said}", f"since {said}", f"a partir de {said}", f"de {said} em diante"],
        (date(said, 1, 1), None),
    )
    check([f"até {said}", f"until {said}", f"até ao fim de {said}"], (None, date(said, 12, 31)))
    check([f"antes de {said}", f"before {said}"], (None, date(said - 1, 12, 31)))
    check([f"depois de {said}", f"after {said}"], (date(said + 1, 1, 1), None))


@pytest.mark.parametrize(("first", "last"), [*itertools.permutations(ALL, 2)])
def test_a_range_of_months(first: int, last: int) -> None:
    count = (last - first) % 12 + 1
    pt, en = (PT[first - 1], PT[last - 1]), (EN[first - 1], EN[last - 1])
    short = pt[0][:3], pt[1][:3]
    plain = [
        f"de {pt[0]} a {pt[1]}",
        f"entre {pt[0]} e {pt[1]}",
        f"de {pt[0]} até {pt[1]}",
        f"{pt[0]}/{pt[1]}",
        f"{en[0]} to {en[1]}",
        f"between {en[0]} and {en[1]}",
        f"{short[0]} a {short[1]}",
        f"{short[0]}-{short[1]}",
        f"{short[0]}/{short[1]}",
        f"from {en[0][:3]} to {en[1][:3]}",
    ]

    check(plain, month(first, begun(first), count))
    check(
        [f"{each}{said}" for each in plain for said in (" 2024", " de 2024", "/24", " '24")],
        month(first, 2024 - (last < first), count),
    )
    check(
        [f"de {pt[0]} de 2023 a {pt[1]}", f"from {en[0]} 2023 to {en[1]}"],
        month(first, 2023, count),
    )


@pytest.mark.parametrize("said", ALL)
def test_a_month_with_its_year(said: int) -> None:
    pt, en = PT[said - 1], EN[said - 1]
    check(
        [
            f"em {pt} de 2024",
            f"{pt}/2024",
            f"{pt[:3]} 2024",
            f"{pt[:3]}/24",
            f"{pt[:3]}. 2024",
            f"in {en} 2024",
            f"{en[:3]} '24",
            f"{said}/2024",
            f"em 2024-{said:02}",
            f"no mês de {pt} de 2024",
        ],
        month(said, 2024),
    )
    check([f"{pt} do ano passado", f"{en} last year"], month(said, 2025))
    check([f"desde {pt}", f"since {en}"], (month(said, begun(said))[0], None))
    before = date(begun(said), said, 1) - timedelta(days=1)
    check([f"antes de {pt}", f"before {en}"], (None, before))
    check([f"até ao fim de {pt}", f"until the end of {en}"], (None, month(said, begun(said))[1]))


@pytest.mark.parametrize(("first", "last"), [*itertools.permutations(ALL, 2)])
def test_two_months_are_two(first: int, last: int) -> None:
    pt, en = (PT[first - 1], PT[last - 1]), (EN[first - 1], EN[last - 1])
    said = [
        f"{pt[0]} vs {pt[1]}",
        f"{pt[0]} contra {pt[1]}",
        f"{pt[0]} com {pt[1]}",
        f"{pt[0]} p/ {pt[1]}",
        f"{en[0]} versus {en[1]}",
        f"diferença entre {pt[0]} e {pt[1]}",
        f"compare {en[0]} to {en[1]}",
    ]

    check(said, month(first, begun(first)), month(last, begun(last)))
    if abs(first - last) < 6:
        check([f"{each} de 2024" for each in said[:5]], month(first, 2024), month(last, 2024))
        check(
            [f"{pt[0]} de 2024 vs {pt[1]}", f"{en[0]} 2024 vs {en[1]}"],
            month(first, 2024),
            month(last, 2024),
        )
    check(
        [f"{pt[0]} e {pt[1]} de 2024"],
        month(first, 2023 if first - last >= 6 else 2024),
        month(last, 2024),
    )


def test_the_same_month_of_another_year() -> None:
    for said in ALL:
        pt, en = PT[said - 1], EN[said - 1]
        check(
            [
                f"{pt} de 2025 vs {pt} de 2024",
                f"{pt} de 2025 e de 2024",
                f"{en} 2025 vs 2024",
                f"{pt} de 2025 com o de 2024",
                f"{pt} de 2025 vs o mesmo mês do ano anterior",
                f"{en} 2025 vs same month last year",
            ],
            month(said, 2025),
            month(said, 2024),
        )


@pytest.mark.parametrize("first", range(1, 9))
def test_ranges_are_compared(first: int) -> None:
    pt, en = PT[first - 1 : first + 4], EN[first - 1 : first + 4]
    check(
        [
            f"{pt[0]} a {pt[2]} de 2025 vs {pt[3]} e {pt[4]} de 2025",
            f"{en[0]} to {en[2]} 2025 vs {en[3]} and {en[4]} 2025",
            f"de {pt[0]} a {pt[2]} com de {pt[3]} a {pt[4]} de 2025",
            f"{pt[0][:3]}-{pt[2][:3]} vs {pt[3][:3]}-{pt[4][:3]} 2025",
            f"{pt[0]}, {pt[1]} e {pt[2]} contra {pt[3]} e {pt[4]} de 2025",
        ],
        month(first, 2025, 3),
        month(first + 3, 2025, 2),
    )


@pytest.mark.parametrize("said", ALL)
def test_days_whose_month_is_said_once(said: int) -> None:
    pt, en, of = PT[said - 1], EN[said - 1], begun(said)

    def days(first: int, last: int) -> Span:
        return date(of, said, first), date(of, said, last)

    check(
        [
            f"de 5 a 11 de {pt}",
            f"5-11 de {pt}",
            f"5-11 {pt[:3]}",
            f"entre os dias 5 e 11 de {pt}",
            f"entre 5 e 11 de {pt}",
            f"do dia 5 ao dia 11 de {pt}",
            f"5 to 11 {en}",
            f"{en} 5 to 11",
            f"between the 5th and the 11th of {en}",
            f"de 05/{said:02} a 11/{said:02}",
            f"05/{said:02}-11/{said:02}",
            f"de 5 a 11/{said:02}",
        ],
        days(5, 11),
    )
    check(
        [
            f"de 5 a 11 de {pt} vs de 19 a 25",
            f"de 5 a 11 vs de 19 a 25 de {pt}",
            f"from 5 to 11 {en} vs 19 to 25",
            f"5 to 11 {en} vs 19 to 25 {en}",
            f"5-11 {pt[:3]} contra 19-25 {pt[:3]}",
            f"de 5 a 11/{said} com de 19 a 25/{said}",
        ],
        days(5, 11),
        days(19, 25),
    )
    check(
        [
            f"12 e 15 de {pt}",
            f"dias 12 e 15 de {pt}",
            f"12 de {pt} e 15 de {pt}",
            f"12 de {pt} vs 15",
            f"{en} 12th vs {en} 15th",
            f"12/{said:02} vs 15/{said:02}",
            f"on the 12th of {en} and the 15th",
        ],
        days(12, 12),
        days(15, 15),
    )
    check([f"dias 12 e 13 de {pt}", f"12 and 13 {en}"], days(12, 13))
    check(
        [f"segunda dia 12 de {pt}", f"quarta-feira, 12 de {pt}", f"Monday, 12 {en}"], days(12, 12)
    )
    check([f"primeira e segunda quinzena de {pt}"], days(1, 15), days(16, monthrange(of, said)[1]))
    check([f"primeira semana de {pt}", f"first week of {en}", f"1ª semana de {pt}"], days(1, 7))
    check([f"segunda semana de {pt}", f"2nd week of {en}"], days(8, 14))
    check([f"primeira quinzena de {pt}", f"1.ª quinzena de {pt[:3]}"], days(1, 15))
    end = monthrange(of, said)[1]
    check([f"2ª quinzena de {pt}", f"second half of {en}"], days(16, end))
    check([f"últimos 10 dias de {pt}", f"last ten days of {en}"], days(end - 9, end))
    check([f"10 primeiros dias de {pt}"], days(1, 10))
    check([f"primeiros 5 dias de {pt}", f"first 5 days of {en}"], days(1, 5))
    monday = date(of, said, 12) - timedelta(date(of, said, 12).weekday())
    check([f"na semana de 12 de {pt}", f"week of 12 {en}"], (monday, monday + timedelta(days=6)))
    check(
        [f"semana de 12/{said} com a de 19/{said}"],
        (monday, monday + timedelta(days=6)),
        (monday + timedelta(days=7), monday + timedelta(days=13)),
    )


@pytest.mark.parametrize("said", ALL)
def test_days_on_both_sides_of_the_end_of_a_month(said: int) -> None:
    of = begun(said)
    after, later = (1, of + 1) if said == 12 else (said + 1, of)
    check(
        [
            f"de 28/{said:02} a 04/{after:02}",
            f"28 de {PT[said - 1]} a 4 de {PT[after - 1]}",
            f"from {EN[said - 1]} 28 to {EN[after - 1]} 4",
            f"28 {PT[said - 1][:3]} - 4 {PT[after - 1][:3]}",
        ],
        (date(of, said, 28), date(later, after, 4)),
    )


@pytest.mark.parametrize("number", range(1, 5))
@pytest.mark.parametrize("of", [2024, 2025])
def test_quarters(number: int, of: int) -> None:
    en = ("first", "second", "third", "fourth")[number - 1]
    pt = ("primeiro", "segundo", "terceiro", "quarto")[number - 1]
    quarter = month(3 * number - 2, of, 3)
    check(
        [
            f"no {number}º trimestre de {of}",
            f"{pt} trimestre de {of}",
            f"{number}.º trim. {of}",
            f"{number}o tri/{of % 100}",
            f"{en} quarter of {of}",
            f"Q{number} {of}",
            f"Q{number}'{of % 100}",
            f"{number}T{of % 100}",
            f"{number}T {of}",
            f"T{number} {of}",
            f"trimestre {number} de {of}",
        ],
        quarter,
    )
    after, year_after = (1, of + 1) if number == 4 else (number + 1, of)
    check(
        [
            f"no {number}º trimestre de {of} e no {after}º de {year_after}",
            f"Q{number} {of} vs Q{after} {year_after}",
            f"{number}T{of % 100} vs {after}T{year_after % 100}",
            f"{number}.º trimestre de {of} com o {after}.º trimestre de {year_after}",
        ],
        quarter,
        month(3 * after - 2, year_after, 3),
    )
    if number < 4:
        check(
            [
                f"{number}.º e {number + 1}.º trimestre de {of}",
                f"Q{number} vs Q{number + 1} {of}",
            ],
            quarter,
            month(3 * number + 1, of, 3),
        )
        check(
            [
                f"do {number}.º ao 4.º trimestre de {of}",
                f"Q{number}-Q4 {of}",
                f"{number}T{of % 100} a 4T{of % 100}",
            ],
            month(3 * number - 2, of, 3 * (5 - number)),
        )
    check([f"desde o {number}º trimestre de {of}", f"since Q{number} {of}"], (quarter[0], None))


@pytest.mark.parametrize("number", [1, 2])
def test_halves_of_a_year(number: int) -> None:
    en, pt = ("first", "second")[number - 1], ("primeiro", "segundo")[number - 1]
    check(
        [
            f"{en} half of 2025",
            f"{pt} semestre de 2025",
            f"{number}º semestre de 2025",
            f"S{number} 2025",
            f"H{number} 2025",
            f"{number}S25",
            f"{pt[:-1]}a metade de 2025",
            f"{number}º semestre do ano passado",
        ],
        month(6 * number - 5, 2025, 6),
    )
    check(
        [f"H{number} 2024 vs H{number} 2025"],
        month(6 * number - 5, 2024, 6),
        month(6 * number - 5, 2025, 6),
    )


@pytest.mark.parametrize("number", range(10, 51))
def test_weeks(number: int) -> None:
    check(
        [
            f"semana {number}",
            f"na semana n.º {number}",
            f"week {number}",
            f"wk {number}",
            f"W{number} 2026",
            f"2026-W{number}",
            f"semana {number}/2026",
        ],
        week(number),
    )
    check(
        [
            f"semana {number} vs {number + 2}",
            f"week {number} vs week {number + 2}",
            f"semanas {number} e {number + 2}",
            f"S{number} vs S{number + 2}",
        ],
        week(number),
        week(number + 2),
    )
    check(
        [
            f"semanas {number} a {number + 2}",
            f"da semana {number} à semana {number + 2}",
            f"entre a semana {number} e a {number + 2}",
            f"weeks {number}-{number + 2}",
            f"W{number}-W{number + 2}",
        ],
        week(number, count=3),
    )
    check([f"semanas {number}-{number + 2} de 2025"], week(number, 2025, 3))
    check([f"{number}ª semana", f"{number}th week"], week(number))
    check([f"desde a semana {number}", f"since week {number}"], (week(number)[0], None))


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("primeira semana do mês", [(date(2026, 5, 1), date(2026, 5, 7))]),
        ("primeira quinzena deste mês", [(date(2026, 5, 1), date(2026, 5, 15))]),
        ("2ª quinzena do mês passado", [(date(2026, 4, 16), date(2026, 4, 30))]),
        ("first half of this month", [(date(2026, 5, 1), date(2026, 5, 15))]),
        (
            "segunda quinzena de abril vs primeira de maio",
            [(date(2026, 4, 16), date(2026, 4, 30)), (date(2026, 5, 1), date(2026, 5, 15))],
        ),
        ("de janeiro a maio de 2026 contra 2025", [month(1, 2026, 5), month(1, 2025, 5)]),
        ("jan-mai 2026 vs homólogo", [month(1, 2026, 5), month(1, 2025, 5)]),
        ("since march until may", [month(3, 2026, 3)]),
        ("a partir de março de 2025 até junho", [month(3, 2025, 4)]),
        ("out/24-mar/25", [month(10, 2024, 6)]),
        ("nesta semana e na passada", [week(21), week(20)]),
        ("week starting 11 May", [week(20)]),
        ("jan+fev", [month(1, 2026), month(2, 2026)]),
        ("2025-Q1", [month(1, 2025, 3)]),
        ("este mês e o anterior", [month(5, 2026), month(4, 2026)]),
        ("no último mês e no anterior", [month(4, 2026), month(3, 2026)]),
        ("mês passado vs este mês", [month(4, 2026), month(5, 2026)]),
        ("o mês passado e este", [month(4, 2026), month(5, 2026)]),
        ("last month vs the month before", [month(4, 2026), month(3, 2026)]),
        ("this week vs the one before", [week(21), week(20)]),
        ("esta semana e a anterior", [week(21), week(20)]),
        ("em março e no mês anterior", [month(3, 2026), month(2, 2026)]),
        ("em 2025 vs o ano anterior", [year(2025), year(2024)]),
        ("este ano vs ano passado", [year(2026), year(2025)]),
        ("last quarter vs the one before", [month(1, 2026, 3), month(10, 2025, 3)]),
        ("semestre passado", [month(7, 2025, 6)]),
        ("nos últimos 30 dias", [(date(2026, 4, 21), date(2026, 5, 20))]),
        ("past 2 weeks", [(date(2026, 5, 7), date(2026, 5, 20))]),
        (
            "last 2 weeks vs the 2 weeks before",
            [(date(2026, 5, 7), date(2026, 5, 20)), (date(2026, 4, 23), date(2026, 5, 6))],
        ),
        (
            "últimos 7 dias vs 7 dias anteriores",
            [(date(2026, 5, 14), date(2026, 5, 20)), (date(2026, 5, 7), date(2026, 5, 13))],
        ),
        ("year to date", [(date(2026, 1, 1), date(2026, 5, 20))]),
        ("ytd", [(date(2026, 1, 1), date(2026, 5, 20))]),
        ("desde o início do ano", [(date(2026, 1, 1), date(2026, 5, 20))]),
        ("desde o inicio do mes", [(date(2026, 5, 1), date(2026, 5, 20))]),
        ("ano passado", [year(2025)]),
        ("dia 12 e dia 13", [(date(2026, 5, 12),) * 2, (date(2026, 5, 13),) * 2]),
        ("dia 12 à noite", [(date(2026, 5, 12),) * 2]),
        ("na segunda dia 11", [(date(2026, 5, 11),) * 2]),
        ("ontem e no dia anterior", [(date(2026, 5, 19),) * 2, (date(2026, 5, 18),) * 2]),
    ],
)
def test_what_counts_from_today_or_from_what_is_said_before(said: str, wanted: list[Span]) -> None:
    check([said], *wanted)


@pytest.mark.parametrize(
    "text",
    [
        *("parado há mais de um ano", "há mais de 1 ano", "open for more than 2 weeks", "o mar"),
        *("mais de 5 de cada", "posições 2 e 4", "2 a 3 peças", "linha 5 de 6", "1/2", "1/2 turno"),
        *("de 3 a 6", "de 5 a 11", "3 vs 4", "turnos 1 vs 2", "5 a 7 vs 8 a 10", "2-3 defeitos"),
        *("entre 100 e 200", "between 2000 and 2020 pieces", "até 2000 euros", "até 2000", "set 2"),
        *("mais de 2000 peças", "acima de 2020", "linha 2022", "R$ 2.000 a 2.500", "de 3 para 5"),
        *("o set de peças", "set point", "sai out 5 vezes", "12 out of 20", "de out", "em out"),
        *("mar e terra", "may I ask", "march on", "dez peças", "sem 2 peças", "sem defeitos"),
        *("Q1", "T1", "1T", "S12", "máquina S2 e S3", "e o anterior", "the previous one"),
        *("primeira metade", "the second half", "o segundo dia", "sab e dom", "10-20 mm"),
        *("o mesmo mês", "out of 2025 orders", "set of 2025 parts"),
    ],
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert {each for each in as_typed(text) if spans_of(each)} == set()


def test_numbers_after_a_day_are_not_days() -> None:
    day = (date(2026, 5, 12),) * 2

    for text in ("no dia 12 e 3 turnos", "dia 12, 5 maiores", "dia 12 com 5 defeitos"):
        assert spans_of(text) == [day]


@pytest.mark.parametrize(
    "said", ["segunda dia 11", "segunda, dia 11", "segunda-feira 11/05", "Monday the 11th"]
)
def test_the_day_of_the_week_belongs_to_the_day(said: str) -> None:
    assert spans_of(f"defeitos {said}") == [(date(2026, 5, 11),) * 2]
    assert words_beside_days(f"defeitos {said}") == ["defeitos"]


@pytest.mark.parametrize(
    "said",
    [
        "compara de 5 a 11 de maio com de 12 a 18",
        "compara os defeitos de 5 a 11 de maio com os de 12 a 18",
        "compare 5 to 11 May with 12 to 18",
        "diferença entre 5 e 11 de maio vs de 12 a 18",
    ],
)
def test_ranges_that_are_compared_are_ranges(said: str) -> None:
    assert spans_of(said) == [
        (date(2026, 5, 5), date(2026, 5, 11)),
        (date(2026, 5, 12), date(2026, 5, 18)),
    ]


def test_the_text_asked_keeps_its_other_words() -> None:
    asked = "defeitos de 5 a 11 de janeiro vs de 19 a 25 por turno"

    assert words_beside_days(asked) == ["defeitos", "vs", "por", "turno"]


def _in_english(hour: int) -> str:
    return f"{hour % 12 or 12} {'pm' if hour >= 12 else 'am'}"


@pytest.mark.parametrize("first", range(24))
@pytest.mark.parametrize("length", [1, 8, 10])
def test_ranges_of_hours(first: int, length: int) -> None:
    last = (first + length) % 24
    wanted = Hours("between", (first, (last - 1) % 24))
    for text in (
        f"entre as {first}h e as {last}h",
        f"das {first} às {last}",
        f"das {first}h as {last}h",
        f"entre as {first} e as {last}",
        f"between {first}:00 and {last}:00",
        f"between {_in_english(first)} and {_in_english(last)}",
    ):
        _, found = hours_in(f"defeitos {text} por turno") or ((), None)
        assert (text, found) == (text, wanted)


@pytest.mark.parametrize(
    ("text", "hours", "rest"),
    [
        ("entre as 22h e as 8h da manhã", Hours("between", (22, 7)), ""),
        ("from 10 at night to 6 in the morning", Hours("between", (22, 5)), ""),
        ("das 2 às 4 da tarde", Hours("between", (14, 15)), ""),
        ("da meia-noite às 6h", Hours("between", (0, 5)), ""),
        ("antes das 8", Hours("below", (8,)), ""),
        ("antes das 8h da manhã", Hours("below", (8,)), ""),
        ("after 10 pm", Hours("at least", (22,)), ""),
        ("depois das 14 por turno", Hours("at least", (14,)), "por turno"),
        ("before noon", Hours("below", (12,)), ""),
        ("at 2 pm", Hours("is", (14,)), ""),
    ],
)
def test_the_half_of_the_day_belongs_to_the_hour(text: str, hours: Hours, rest: str) -> None:
    found = hours_in(text)

    assert found is not None
    assert found[1] == hours
    assert blanked(text, [found[0]], by=" ").strip() == rest


@pytest.mark.parametrize(
    "text",
    ["entre 1 e 2 horas", "depois de 2 horas", "depois das 14 peças", "as 3 maiores", "de 6 a 14"],
)
def test_lengths_of_time_and_numbers_are_no_times_of_day(text: str) -> None:
    assert hours_in(text) is None
