"""How answers are told: the number first, what it compares with, a picture, what to ask next."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.table import Cell
from qhub_desktop.core.untrusted import literal_markdown
from qhub_desktop.nlq import offline_engine
from qhub_desktop.nlq.dialogue.state import DialogueState, interpret
from qhub_desktop.nlq.query_ast import (
    Ask,
    Dimension,
    GroupBy,
    Number,
    RowSelection,
    Unknown,
)
from qhub_desktop.store import Beginning, begin_station
from tests.nlq.conftest import Talks
from tests.nlq.driver import ALL_TOOLS, ASKED_ON, Answer, Conversation, interpret_all
from tests.nlq.profiles import Data, data, demo, measurements, production
from tests.nlq.schemas import table
from tests.program import offline_program

BAR = "\N{NO-BREAK SPACE}"
SETS = {"log": (demo(),), "paint": (demo(), measurements()), "made": (demo(), production())}
ASKED = [
    ("log", "quantos defeitos?"),
    ("log", "how many defects?"),
    ("log", "quantos defeitos à noite?"),
    ("log", "how many defects in 2025?"),
    ("log", "que percentagem dos defeitos é lixo?"),
    ("log", "defeito mais frequente?"),
    ("log", "which operator has the fewest defects?"),
    ("log", "top 5 defeitos"),
    ("log", "defects by rack"),
    ("log", "defeitos por dia"),
    ("log", "cumulative defects by day"),
    ("log", "defeitos por operador e tipo"),
    ("log", "defeitos por rack em tabela"),
    ("log", "lista os defeitos da Julia"),
    ("log", "que valores faltam?"),
    ("log", "how many rows are duplicated?"),
    ("log", "resume os dados"),
    ("paint", "average thickness"),
    ("paint", "espessura máxima"),
    ("paint", "average thickness by colour"),
    ("paint", "correlation of thickness and gloss"),
    ("made", "sucata total da M1"),
    ("made", "peças produzidas por dia"),
]


def log_on(first: date, last: date, **wanted: str) -> int:
    """How many rows of the log are of these days."""
    return sum(
        first <= day <= last and all(row[name] == value for name, value in wanted.items())
        for row in demo().rows
        if isinstance(day := row["data"], date)
    )


def drawn(answer: Answer) -> Mapping[str, object]:
    """What the one picture of an answer was asked to show."""
    (call,) = [each for each in answer.calls if each.name == "gerar_grafico"]
    return call.input


@pytest.mark.parametrize(("name", "question"), ASKED)
async def test_an_answer_begins_with_its_number_in_bold(
    talks: Talks, name: str, question: str
) -> None:
    answer = await talks(*SETS[name]).ask(question)

    assert re.match(r"\*\*[\d.,\s]+", answer.text), answer.text


async def test_a_question_is_read_once_for_all_rounds_of_its_answer_and_the_next(
    talks: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def told(text: str, *given: Any, **named: Any) -> DialogueState:
        read.append(text)
        return interpret(text, *given, **named)

    monkeypatch.setattr(offline_engine, "interpret", told)
    talk = talks(demo())
    first, then = "quantos defeitos por rack neste ano?", "e só lixo, por turno?"

    answer = await talk.ask(first)
    await talk.ask(then)

    assert answer.rounds > 1
    assert (read.count(first), read.count(then)) == (1, 1)


async def test_the_best_of_each_group_begins_with_how_often_it_is_the_same(talks: Talks) -> None:
    answer = await talks(demo()).ask("defeito mais frequente por turno")

    assert answer.text.startswith("Em **3** de 3, **lixo** está em primeiro:")


async def test_days_are_told_with_their_column_and_compared_with_none(talks: Talks) -> None:
    now = log_on(date(2026, 2, 9), date(2026, 2, 15))

    answer = await talks(demo()).ask("quantos defeitos na última semana?")

    assert answer.text.startswith(f"**{now}** defeitos (data: de 09/02/2026 a 15/02/2026)")
    assert answer.tools == ["contar_defeitos"]


async def test_the_source_of_two_periods_tells_the_rows_of_each(talks: Talks) -> None:
    made = table("vendas", {"Dia": "day", "Valor (€)": "#900"})

    answer = await talks(made).ask("valor em janeiro e em fevereiro")

    days = [each["Dia"] for each in made.rows if isinstance(each["Dia"], date)]
    used = [sum(each.month == month for each in days) for month in (1, 2)]
    assert f"{used[0]} e {used[1]} de {len(days)} linhas" in answer.text


async def test_a_mean_of_some_days_is_told_beside_that_of_all(talks: Talks) -> None:
    answer = await talks(demo(), production()).ask(
        "média de peças produzidas de 15/01/2026 a 21/01/2026"
    )

    assert answer.text.startswith("**132,5** é a média de Peças produzidas (data: de 15/01/2026")
    assert "Em todas as linhas é 129,5" in answer.text


async def test_more_groups_than_a_sentence_holds_are_drawn(talks: Talks) -> None:
    answer = await talks(demo()).ask("defeitos por rack")

    racks = Counter(row["rack"] for row in demo().rows)
    content = answer.results[0].content
    assert answer.tools == ["consultar_dados", "gerar_grafico"]
    assert isinstance(content, dict)
    assert content["linhas"] == [[rack, count] for rack, count in sorted_by_count(racks)]
    assert "|" not in answer.text


def sorted_by_count(counts: Mapping[Cell, int]) -> list[tuple[str, int]]:
    """The largest first, then by name."""
    named = [(str(name), count) for name, count in counts.items()]
    return sorted(named, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.parametrize(
    "question", ["defeitos por turno", "quantos defeitos?", "defeito mais frequente?"]
)
async def test_what_fits_in_a_sentence_is_not_drawn(talks: Talks, question: str) -> None:
    answer = await talks(demo()).ask(question)

    assert "gerar_grafico" not in answer.tools


async def test_where_nothing_can_be_drawn_there_is_a_list(talks: Talks) -> None:
    without = [name for name in ALL_TOOLS if name != "gerar_grafico"]

    lacking = await talks(demo(), tools=without).ask("defeitos por rack")
    broken = await talks(demo(), broken="gerar_grafico").ask("defeitos por rack")

    assert "| R10 | 33 |" in lacking.text
    assert "| R10 | 33 |" in broken.text


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("defeitos por turno num gráfico circular", "pie"),
        ("defeitos por tipo num gráfico circular", "barh"),
        ("distribuição dos defeitos por material num gráfico", "bar"),
        ("evolução dos defeitos", "line"),
        ("defects per week", "line"),
        ("defeitos por operador e tipo", "heatmap"),
        ("defeitos por tipo e turno", "bar"),
        ("defeitos por rack", "barh"),
        ("pareto dos defeitos", "pareto"),
    ],
)
async def test_the_picture_is_of_the_kind_that_the_question_is(
    talks: Talks, question: str, kind: str
) -> None:
    answer = await talks(demo()).ask(question)

    assert drawn(answer)["tipo"] == kind


async def test_a_pie_of_many_parts_is_said_to_be_bars(talks: Talks) -> None:
    answer = await talks(demo()).ask("defects by type as a pie chart")

    assert "As bars: a pie of more than 6 parts is hard to read." in answer.text


async def test_time_is_told_by_its_peak_and_its_mean_alone(talks: Talks) -> None:
    answer = await talks(demo()).ask("defects per day")

    assert answer.text.startswith("**14** of 200 defects (7%) in **23/02/2026**, the peak;")
    first, *_source = answer.text.split("\n\n")
    assert first.endswith("the mean per day is 7.1.")  # no change that nobody asked for


async def test_a_running_total_says_when_half_of_it_was_there(talks: Talks) -> None:
    answer = await talks(demo()).ask("defeitos acumulados por dia")

    assert answer.text.startswith(
        "**200** defeitos ao todo até 28/02/2026, por dia; metade foi atingida em 15/02/2026."
    )


@pytest.mark.parametrize(("name", "question"), ASKED)
async def test_what_could_be_asked_next_is_understood(
    talks: Talks, name: str, question: str
) -> None:
    sources = SETS[name]

    answer = await talks(*sources).ask(question)

    assert len(answer.offered) == 2
    for follow_up in answer.offered:
        day = ASKED_ON.date()
        profiles = [each.profile for each in sources]
        understood = interpret_all([(question, day), (follow_up, day)], profiles)
        assert not isinstance(understood.plan, (Unknown, Ask)), follow_up
        talk = talks(*sources)
        await talk.ask(question)
        assert (await talk.ask(follow_up)).calls, follow_up


async def test_a_follow_up_is_about_what_was_answered(talks: Talks) -> None:
    talk = talks(demo())

    first = await talk.ask("defeito mais frequente à noite?")
    second = await talk.ask("E só lixo?")

    assert "E só lixo?" in first.offered
    assert second.text.startswith("**21** defeitos (turno: noite, tipo: lixo)")


async def test_a_cause_is_not_told_but_what_changed_and_where_is(talks: Talks) -> None:
    now = log_on(date(2026, 2, 22), date(2026, 2, 28))
    before = log_on(date(2026, 2, 15), date(2026, 2, 21))
    greasy = log_on(date(2026, 2, 22), date(2026, 2, 28), tipo_defeito="gordura")
    less = log_on(date(2026, 2, 15), date(2026, 2, 21), tipo_defeito="gordura")

    told = (await talks(demo()).ask("porquê?")).text
    said = (await talks(demo()).ask("why?")).text

    assert told.startswith("Os dados não dizem as causas")
    assert f"de {before} (de 15/02/2026 a 21/02/2026) para **{now}**" in told
    assert f"tipo gordura (de {less} para {greasy})" in told
    assert f"Onde se concentra: tipo lixo com 62 de 200 (31{BAR}%)" in told
    assert "O Claude pode procurar uma explicação" in told
    assert f"went from {before} (from 15/02/2026 to 21/02/2026) to **{now}**" in said
    assert "Claude can look for an explanation" in said


async def test_a_cause_is_asked_of_what_was_talked_of(talks: Talks) -> None:
    talk = talks(demo())
    dirt = log_on(date(2026, 2, 22), date(2026, 2, 28), tipo_defeito="lixo")

    await talk.ask("quantos defeitos de lixo?")
    answer = await talk.ask("porquê?")

    assert f"(tipo: lixo), de 13 (de 15/02/2026 a 21/02/2026) para **{dirt}**" in answer.text
    assert f"rack R11 com 18 de 62 (29{BAR}%), contra 18,5{BAR}% de todas as linhas" in answer.text


async def test_a_cause_of_a_mean_is_looked_for_in_means(talks: Talks) -> None:
    talk = talks(demo(), production())

    await talk.ask("média de peças produzidas por máquina")
    answer = await talk.ask("porquê?")

    assert "média de Peças produzidas, de 135,5" in answer.text
    assert "Mais longe de 129,5, o valor de todas as linhas: Máquina M1 (128)" in answer.text


async def test_without_days_there_is_no_change_to_tell(talks: Talks) -> None:
    answer = await talks(demo(), undated()).ask("porque há tantas peças na cor?")

    assert answer.tools == ["consultar_dados"]
    assert "Onde se concentra: Cor preto com 3 de 4" in answer.text
    assert "O que mudou" not in answer.text


async def test_a_cause_without_the_means_to_look_points_to_what_can_be_asked(talks: Talks) -> None:
    answer = await talks(demo(), tools=["contar_defeitos"]).ask("porquê?")

    assert answer.tools == []
    assert "Qual é o defeito mais frequente?" in answer.offered


async def test_a_summary_tells_groups_from_measures_and_what_lacks(talks: Talks) -> None:
    gaps = data(
        "gaps",
        {
            "Cor": ("category", ["preto", "preto", "branco", None]),
            "Peso": ("number", [1.0, 2.0, 3.0, 6.0]),
        },
    )

    answer = await talks(gaps).ask("resume os dados")

    assert answer.text.startswith("**4** linhas e 2 colunas em gaps.csv.")
    assert f"- **Cor**: preto 2 (50{BAR}%) e branco 1 (25{BAR}%)" in answer.text
    assert "- **Peso**: de 1 a 6, média 3" in answer.text
    assert f"- Cor está em branco em 1 de 4 (25{BAR}%)" in answer.text


def undated() -> Data:
    """Pieces without a day."""
    return data("pecas", {"Cor": ("category", ["preto", "preto", "preto", "branco"])})


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("taxa de sucata sobre produzidas por turno", "2 resultados não são números"),
        ("qual a taxa de sucata do turno tarde?", "1 resultado não é um número"),
        ("correlação de sucata e posto", "1 resultado não é um número"),
    ],
)
async def test_a_division_by_zero_is_said_and_never_told_as_a_number(
    talks: Talks, question: str, told: str
) -> None:
    stopped = data(
        "linha",
        {
            "Turno": ("category", ["Manhã", "Tarde", "Noite"]),
            "Sucata": ("integer", [3, 2, 0]),
            "Produzidas": ("integer", [100, 0, 0]),
            "Posto": ("integer", [1, 1, 1]),
        },
    )

    answer = await talks(stopped).ask(question)

    assert told in answer.text
    assert "**0**" not in answer.text
    assert "inf" not in answer.text


HOSTILE = "[abrir](https://evil.example/x) **_b_** `c` &lt;"


@pytest.mark.parametrize(
    "question",
    [
        "quantas linhas por tipo?",
        "qual o tipo mais frequente?",
        "descreve os dados",
        "que colunas há?",
        "quantos tipos diferentes?",
        "quantas linhas por zebra?",
        "que valores faltam?",
    ],
)
async def test_no_text_of_a_file_is_markup_in_an_answer(talks: Talks, question: str) -> None:
    kinds = [HOSTILE] * 6 + ["outro"] * 3
    zones = ["a", None, None] * 3
    source = data(
        "zonas",
        {"tipo": ("category", kinds), f"zona {HOSTILE}": ("category", zones)},
        file=f"zonas {HOSTILE}.csv",
    )

    answer = await talks(source).ask(question)

    told = answer.text.replace(literal_markdown(HOSTILE), "")
    assert told != answer.text, "the text of the file is not in the answer"
    assert "evil.example" not in told


NIGHTS = data(
    "paragens",
    {
        "Início": (
            "datetime",
            [datetime(2026, 2, 1 + at % 28, at % 24, at % 60) for at in range(200)],
        ),
        "Fim": ("datetime", [datetime(2026, 2, 1 + at % 28, 23 - at % 24, 5) for at in range(200)]),
        "Turno": ("time", [time(at % 24, at % 60) for at in range(200)]),
    },
)


@pytest.mark.parametrize(
    ("question", "column", "is_meant"),
    [
        ("quantas linhas entre as 22h e as 6h", "Início", lambda t: t >= time(22) or t < time(6)),
        ("quantas linhas depois das 14:30", "Início", lambda t: t >= time(14, 30)),
        ("quantas linhas às 06:06", "Início", lambda t: (t.hour, t.minute) == (6, 6)),
        ("quantas linhas com fim antes das 6h", "Fim", lambda t: t < time(6)),
        (
            "quantas linhas com turno das 23:10 às 1:15",
            "Turno",
            lambda t: not time(1, 15) <= t < time(23, 10),
        ),
    ],
)
async def test_times_of_day_select_the_rows_of_the_column_that_is_named(
    talks: Talks, question: str, column: str, is_meant: Callable[[time], bool]
) -> None:
    answer = await talks(NIGHTS).ask(question)

    cells = [row[column] for row in NIGHTS.rows]
    moments = [each.time() if isinstance(each, datetime) else each for each in cells]
    count = sum(is_meant(each) for each in moments if isinstance(each, time))
    assert answer.text.startswith(f"**{count}** "), answer.text


def test_hours_of_times_without_days_are_hours_of_the_day() -> None:
    times = data("leituras", {"Picagem": ("time", [time(at % 24, 5) for at in range(48)])}).profile

    by_hour, hours = (
        interpret_all([(question, date(2026, 2, 20))], [times]).plan
        for question in ("linhas por hora do dia", "quantas horas?")
    )

    assert isinstance(by_hour, GroupBy)
    assert by_hour.dimension == Dimension("Picagem", "hour")
    assert hours == Number(RowSelection("leituras"), noun="horas")  # each row is one


async def test_days_left_out_between_two_spans_are_left_out_of_every_answer(talks: Talks) -> None:
    talk = talks(demo())
    await talk.ask("defeitos da semana 6 e da semana 8")

    answer = await talk.ask("quantos?")

    first, second = (
        log_on(date(2026, 2, 2), date(2026, 2, 8)),
        log_on(date(2026, 2, 16), date(2026, 2, 22)),
    )
    assert answer.text.startswith(f"**{first + second}** "), answer.text
    assert "exceto de 09/02/2026 a 15/02/2026" in answer.text
    assert "período anterior" not in answer.text  # nothing of the same days is before it


async def test_small_numbers_are_told_by_the_digits_that_matter(talks: Talks) -> None:
    small = data("folgas", {"Folga": ("number", [0.0031, 0.0044, 0.0052])})

    answer = await talks(small).ask("média da folga")

    assert answer.text.startswith("**0,00423** "), answer.text
    assert "0,0031" in answer.text


async def test_a_summary_of_one_row_has_its_figures_in_their_places(talks: Talks) -> None:
    talk = talks(measurements())

    answer = await talk.ask("estatísticas da espessura no dia 28/03/2026")

    assert answer.text.startswith("**32,7** "), answer.text
    assert "vão de 32,7 a 32,7" in answer.text
    assert "| máximo | 32,7 |" in answer.text


async def test_a_running_total_is_listed_by_its_share_of_the_last(talks: Talks) -> None:
    answer = await talks(demo(), tools=["consultar_dados"]).ask("defeitos acumulados por semana")

    lines = [line for line in answer.text.splitlines() if line.startswith("| ")]
    assert lines[-1].endswith(f"| 200 | 100{BAR}% |"), answer.text


async def test_of_more_groups_than_are_fetched_none_is_said_to_be_the_last_or_the_least(
    talks: Talks,
) -> None:
    days = [date(2022, 1, 1) + timedelta(days=at) for at in range(1_200)]
    long = data(
        "leituras",
        {
            "Data": ("date", [*days, days[-1], days[-1]]),
            "Sonda": ("text", [f"S{at}" for at in range(1_202)]),
            "Valor": ("number", [1_202.5 - at for at in range(1_202)]),
        },
    )

    by_day = await talks(long).ask("linhas por dia")
    by_probe = await talks(long).ask("média de valor por sonda")

    assert by_day.text.startswith(f"**1{BAR}202** "), by_day.text
    assert "pico" not in by_day.text
    assert "mais baix" not in by_probe.text, by_probe.text


async def test_a_mean_per_day_counts_no_rows_without_a_day(talks: Talks) -> None:
    days = [date(2026, 2, 1 + at % 4) if at % 5 else None for at in range(20)]
    some = data("paragens", {"Data": ("date", days), "Máquina": ("category", ["A"] * 20)})

    answer = await talks(some).ask("média de linhas por dia")

    assert answer.text.startswith("**4**"), answer.text


async def test_a_log_that_has_no_row_yet_is_said_to_have_none(tmp_path: Path) -> None:
    begin_station(tmp_path, Beginning({}, None, has_demo_data=False))
    program = offline_program(tmp_path)

    asked = await Conversation(program, (demo(),)).ask("which defect is the most frequent?")
    counted = await Conversation(program, (demo(),)).ask("how many defects?")

    await program.close()
    assert "There is no row in defeitos.csv yet" in asked.text
    assert counted.text.startswith("**0**")
