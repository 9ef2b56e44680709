"""Whole conversations: calls carried out over real rows, and what is then said."""

from collections import Counter
from pathlib import Path
from statistics import mean
from typing import cast

import pytest

from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Message, Text, ToolCall, ToolResult
from qhub_desktop.core.result_widgets import Chart
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.answer.suggestions import suggestions
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.dialogue.state import interpret
from qhub_desktop.nlq.query_ast import Unknown
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.driver import ALL_TOOLS, ASKED_ON, QUALITY_TOOLS, Conversation, interpret_all
from tests.nlq.profiles import Data, data, demo, measurements, production
from tests.program import offline_program

BAR = "\N{NO-BREAK SPACE}"
SOCIAL = ["olá", "bom dia", "obrigado", "ajuda", "o que podes fazer?", "quem és?", "xyz"]


async def test_the_most_frequent_defect_then_by_shift_then_a_chart(talks: Talks) -> None:
    talk = talks(demo())

    first = await talk.ask("qual é o defeito mais frequente?")
    second = await talk.ask("e por turno?")
    third = await talk.ask("mostra num gráfico")

    assert first.tools == ["top_defeitos"]
    assert first.text.startswith(
        f"**62** de 200 defeitos (31{BAR}%) são **lixo**, o mais frequente. A seguir: falta_tinta"
    )
    assert "Fonte: defeitos.csv, 200 linhas." in first.text
    assert second.tools == ["defeitos_por_turno"]
    assert second.text.startswith(
        f"**73** de 200 defeitos (36,5{BAR}%) são de **manhã**, o maior número por turno."
    )
    assert "tarde com 68" in second.text
    assert "noite com 59" in second.text
    assert third.tools == ["gerar_grafico"]
    assert third.calls[0].input["x"] == "turno"
    drawn = third.results[0].widget
    assert isinstance(drawn, Chart)
    assert drawn.data.rows == (("manha", 73), ("tarde", 68), ("noite", 59))
    assert third.text.startswith("Aqui está o gráfico: Defeitos por turno.")


async def test_what_was_told_goes_to_excel_with_its_chart(talks: Talks) -> None:
    talk = talks(demo())

    await talk.ask("defeitos por turno")
    answer = await talk.ask("exporta para o Excel")

    (call,) = answer.calls
    assert call.name == "exportar_excel"
    assert call.input["titulo"] == "Defeitos por turno"
    (sheet,) = cast("list[dict[str, object]]", call.input["folhas"])
    assert (sheet["nome"], sheet["grafico"], sheet["x"]) == ("Defeitos por turno", "bar", "turno")
    written = cast("dict[str, object]", answer.results[0].content)
    assert written["estado"] == "gravado"
    assert written["folhas"] == ["Defeitos por turno"]


async def test_the_same_in_english(talks: Talks) -> None:
    talk = talks(demo())

    first = await talk.ask("what is the most frequent defect?")
    second = await talk.ask("and by shift?")
    third = await talk.ask("show it in a chart")

    assert first.text.startswith("**62** of 200 defects (31%) are **lixo**, the most frequent.")
    assert second.text.startswith(
        "**73** of 200 defects (36.5%) belong to **morning**, the most by shift."
    )
    assert "afternoon with 68" in second.text
    assert "night with 59" in second.text
    assert second.tools == ["defeitos_por_turno"]
    assert third.tools == ["gerar_grafico"]
    assert third.text.startswith("Here is the chart: Defects by shift.")


async def test_without_the_shift_tool_the_shifts_come_from_a_query(talks: Talks) -> None:
    talk = talks(demo(), tools=QUALITY_TOOLS)

    answer = await talk.ask("defeitos por turno")

    assert answer.tools == ["consultar_dados"]
    assert f"**73** de 200 defeitos (36,5{BAR}%) são de **manhã**" in answer.text
    assert "tarde com 68" in answer.text


@pytest.mark.parametrize("question", SOCIAL)
async def test_what_needs_no_data_calls_no_tool(talks: Talks, question: str) -> None:
    answer = await talks(demo()).ask(question)

    assert answer.tools == []
    assert answer.rounds == 1
    assert answer.text


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("quantos defeitos?", ["**200** defeitos.", "**lixo**, com 62"]),
        (
            "quantos defeitos de lixo na noite?",
            ["**21** defeitos (tipo: lixo, turno: noite): 10,5"],
        ),
        (
            "how many dirt defects at night?",
            ["**21** defects (type: lixo, shift: night): 10.5% of 200."],
        ),
        (
            "defeitos por material",
            ["**58** de 200 defeitos (29", "são de **ABS_Cinza**", "PA_Branco com 41"],
        ),
        ("defeitos por rack", ["são de **R12**", "média por rack é 22,2", "R11 com 37"]),
        ("média da posição", ["**4,59** é a média de posição, em 200 linhas", "vão de 1 a 10"]),
        (
            "average position",
            ["**4.59** is the mean of position, over 200 rows", "go from 1 to 10"],
        ),
        ("quantos operadores há?", ["**4** valores", "Julia (55)", "Margareta (44)"]),
        ("quantos defeitos em 2025?", ["**0** defeitos", "de 01/02/2026 a 28/02/2026"]),
        ("que percentagem dos defeitos é lixo?", [f"**31{BAR}%** dos defeitos", "62 de 200"]),
        ("quantos defeitos da Julia e do Carlos?", ["**107** defeitos", "Julia com 55"]),
        ("resume os dados", ["**200** linhas e 8 colunas", "média 4,59"]),
        ("que colunas há?", ["**8** colunas", "**posicao** (número inteiro)"]),
        ("lixo por turno", ["**21** cada: **tarde** e **noite** estão empatados"]),
        ("defeitos por tipo", ["falta_tinta com 31 (15,5", "média por tipo é 25"]),
    ],
)
async def test_numbers_are_those_of_the_data(talks: Talks, question: str, parts: list[str]) -> None:
    answer = await talks(demo()).ask(question)

    for part in parts:
        assert part in answer.text


async def test_the_best_of_each_group_agrees_with_the_rows(talks: Talks) -> None:
    source = demo()
    counts = Counter((row["operador"], row["tipo_defeito"]) for row in source.rows)
    pedro = max(count for (operator, _), count in counts.items() if operator == "Pedro")

    answer = await talks(source).ask("qual o defeito mais frequente de cada operador?")

    assert f"- Pedro: **lixo** {pedro} (" in answer.text


async def test_means_by_group_agree_with_the_rows(talks: Talks) -> None:
    source = measurements()
    expected = {
        colour: mean(
            float(str(row["Thickness (µm)"])) for row in source.rows if row["Colour"] == colour
        )
        for colour in ("Black", "White", "Red")
    }

    answer = await talks(demo(), source).ask("average thickness by colour")

    for colour, value in expected.items():
        assert f"| {colour} | {round(value, 2):g} |" in answer.text
    rounded = {colour: round(value, 2) for colour, value in expected.items()}
    top, least = max(rounded.values()), min(rounded.values())
    middle = round(mean(float(str(row["Thickness (µm)"])) for row in source.rows), 2)
    named = " and ".join(f"**{each}**" for each in sorted(rounded) if rounded[each] == top)
    assert answer.text.splitlines()[0] in {
        f"**{top:g}** µm is the mean of Thickness in {named}, the highest; "
        f"the lowest is {least:g} µm, in {last}. "
        f"Over all rows it is {middle:g} µm."
        for last in rounded
        if rounded[last] == least
    }


@pytest.mark.parametrize(
    "question",
    [
        "pareto dos defeitos",
        "evolução dos defeitos",
        "histograma da posição dos defeitos",
        "boxplot da posição dos defeitos por turno",
        "heatmap of defects by shift and type",
        "defeitos por dia da semana em gráfico",
        "defects per month as an area chart",
        "defeitos por operador em percentagem, num gráfico circular",
        "scatter of thickness against gloss",
        "espessura média por linha num gráfico",
        "thickness over time",
        "sucata por máquina em barras horizontais",
        "top 3 racks com mais defeitos num gráfico",
        "defeitos Julia vs Carlos por turno num gráfico",
    ],
)
async def test_a_chart_is_drawn_from_its_own_query(talks: Talks, question: str) -> None:
    # Production has a column of scrap, which defects may be, too.
    others = (production(),) if "sucata" in question else ()
    answer = await talks(demo(), measurements(), *others).ask(question)

    drawn = answer.results[-1].widget
    assert isinstance(drawn, Chart)
    assert drawn.figure.marks
    assert drawn.data.rows


async def test_a_new_chart_is_told_in_numbers_too(talks: Talks) -> None:
    answer = await talks(demo()).ask("mostra os defeitos por turno num gráfico")

    assert answer.tools == ["defeitos_por_turno", "gerar_grafico"]
    assert answer.rounds == 2
    assert answer.text.startswith("**73** de 200 defeitos")
    assert "Fonte" not in answer.text  # the chart says it


async def test_tables_and_single_numbers_are_shown(talks: Talks) -> None:
    talk = talks(demo())

    table = await talk.ask("defeitos por rack em tabela")
    rows = await talk.ask("lista os defeitos da Julia")
    large = await talk.ask("quantos defeitos da Julia? como kpi")

    assert table.tools == ["gerar_tabela"]
    assert rows.tools == ["gerar_tabela"]
    assert "**55** linhas" in rows.text
    assert large.tools == ["gerar_kpi"]


async def test_a_defect_is_reported_once_all_is_said(tmp_path: Path) -> None:
    program = offline_program(tmp_path)
    talk = Conversation(program, (demo(),))
    try:
        begun = await talk.ask("registar um defeito de lixo")
        ended = await talk.ask("rack R12, posição 3, PP Negro, noite, Julia")
        logged = await program.store.defects.log()
    finally:
        await program.close()

    assert begun.tools == []
    assert "**turno**, **operador**, **material**, **rack** e **posição**" in begun.text
    assert ended.calls[0].name == "registar_defeito"
    assert ended.calls[0].input == {
        "tipo_defeito": "lixo",
        "turno": "noite",
        "operador": "Julia",
        "material": "PP_Negro",
        "rack": "R12",
        "posicao": 3,
        "data": "2026-02-20",
    }
    assert "**201**" in ended.text
    assert len(logged.rows) == 201


async def test_a_report_that_is_not_confirmed_is_not_claimed(talks: Talks) -> None:
    talk = talks(demo(), is_confirmed=False)

    answer = await talk.ask("registar defeito gordura R13 posição 4 PA Branco manhã Margareta")

    assert answer.text == "Nada foi registado: não houve confirmação."


async def test_what_a_tool_could_not_do_is_said(talks: Talks) -> None:
    answer = await talks(demo(), broken="top_defeitos").ask("defeito mais frequente?")

    assert answer.text == "Não foi possível calcular: a consulta demorou demais"


async def test_an_agent_without_the_tool_says_so(talks: Talks) -> None:
    talk = talks(demo(), tools=["contar_defeitos"])

    answer = await talk.ask("how many defects by rack?")

    assert answer.tools == []
    assert "`consultar_dados`" in answer.text


async def test_what_is_not_understood_is_said_with_three_things_to_ask(talks: Talks) -> None:
    answer = await talks(demo()).ask("qual é a capital de França?")

    assert answer.text.startswith("Não percebi a pergunta.")
    assert len(answer.offered) == 3


async def test_a_name_that_is_not_in_the_data_gets_no_number(talks: Talks) -> None:
    answer = await talks(demo()).ask("quantos defeitos do Miguel?")

    assert answer.tools == []
    assert "“Miguel”" in answer.text


_PASTED = (
    *("a ", "e ", "x", "7", "12 ", ", ", '"', "(", "12/02/2026 ", "2026-02-12 ", "turno ", "lixo "),
    *("😀", "Aa", "o'", "por turno ", "top 5 ", "entre 1 e 5 ", "> 5 ", "ontem ", "a.", "\n", "% "),
    *("1;2026-02-11;manha;Julia\n", "quantos defeitos? ", "漢字", "e\u0301", "\u200b", "\ud800"),
    "No mês passado, no turno da noite, a Julia reparou que as peças tinham mais lixo. ",
)


async def test_what_is_too_long_for_a_question_is_told_so_and_the_topic_stays(talks: Talks) -> None:
    first = interpret_all([("quantos defeitos de lixo?", ASKED_ON.date())], [demo().profile])
    index = schema_index_of(demo().profile)
    for piece in _PASTED:
        pasted = (piece * 120_000)[:120_000]
        after = interpret(pasted, first, [index], today=ASKED_ON.date())
        assert after.plan == Unknown("too long"), piece
        assert after.topic == first.topic, piece
    assert interpret("9" * 400, first, [index], today=ASKED_ON.date()).plan == Unknown("too long")

    talk = talks(demo())
    await talk.ask("quantos defeitos de lixo?")
    answer = await talk.ask(_PASTED[-1] * 1500)
    assert answer.text.startswith("É um texto demasiado longo")
    assert len(answer.offered) == 3
    assert answer.tools == []
    assert "21" in (await talk.ask("e à noite?")).text


async def test_a_long_question_is_still_read(talks: Talks) -> None:
    question = (
        "Bom dia, " + "queria saber, por favor, se for possível, " * 8 + "quantos defeitos há?"
    )

    assert "200" in (await talks(demo()).ask(question)).text


async def test_a_word_that_stands_in_no_plan_gets_no_number(talks: Talks) -> None:
    answer = await talks(demo()).ask("que defeitos voltaram por turno")

    assert "Não sei o que “voltaram” muda no número" in answer.text
    assert not answer.calls


@pytest.mark.parametrize(
    "source", [demo(), measurements(), production()], ids=lambda each: each.profile.dataset
)
@pytest.mark.parametrize("language", ["pt", "en"])
async def test_what_is_suggested_can_be_answered(
    talks: Talks, source: Data, language: Language
) -> None:
    offered = suggestions(schema_index_of(source.profile), AnswerLocale(language), ALL_TOOLS)

    assert len(offered) == 3
    for question in offered:
        understood = interpret_all([(question, ASKED_ON.date())], [source.profile])
        assert not isinstance(understood.plan, Unknown), question
        assert understood.language == language, question
        sources = [demo(), source] if source.profile.dataset != "defeitos" else [source]
        answer = await talks(*sources).ask(question)
        assert any(each.isdigit() for each in answer.text) or "gerar_grafico" in answer.tools


async def test_the_last_dropped_export_of_defects_is_what_is_counted(talks: Talks) -> None:
    export = data(
        "defeitos_2",
        {
            "Tipo_Defeito": ("category", ["lixo", "lixo", "gordura"]),
            "Turno": ("category", ["manha", "noite", "noite"]),
        },
    )
    talk = talks(demo(), export)

    counted = await talk.ask("quantos defeitos na noite?")
    named = await talk.ask("quantas linhas nos defeitos_2?")

    assert counted.calls[0] == ToolCall("offline_1_1", "contar_defeitos", {"turno": "noite"})
    assert counted.text.startswith("**2** defeitos (turno: noite)")
    assert named.text.startswith("**3** defeitos")


async def test_an_export_with_other_names_is_counted_in_sql(talks: Talks) -> None:
    export = data(
        "export",
        {
            "Defect Type": ("category", ["dirt", "dirt", "crater"]),
            "Shift": ("category", ["M", "N", "N"]),
        },
    )

    answer = await talks(demo(), export).ask("what is the most frequent defect at night?")

    assert answer.tools == ["consultar_dados"]
    assert "crater" in answer.text
    assert "dirt" in answer.text


async def test_an_answer_streams_by_a_few_words(talks: Talks) -> None:
    answer = await talks(demo()).ask("top 5 defeitos na noite")

    assert len(answer.pieces) > 5
    assert all(len(piece.split()) <= 4 for piece in answer.pieces)


async def test_the_same_question_has_the_same_answer(talks: Talks) -> None:
    one = await talks(demo()).ask("top 5 defeitos na noite")
    other = await talks(demo()).ask("top 5 defeitos na noite")

    assert one == other


async def test_a_follow_up_leans_on_what_another_engine_was_asked(talks: Talks) -> None:
    """After a restart, and after answers by another model, only the messages are left."""
    call = ToolCall("toolu_1", "consultar_dados", {"sql": "SELECT 1"})
    said = Message(
        MessageId(2),
        "assistant",
        (call, ToolResult("toolu_1", {"linhas": []}), Text("62.")),
        ASKED_ON,
    )
    asked = Message(MessageId(1), "user", (Text("quantos defeitos de lixo?"),), ASKED_ON)
    talk = talks(demo(), messages=[asked, said])

    answer = await talk.ask("e por turno?")

    assert answer.calls[0].name == "defeitos_por_turno"
    assert answer.calls[0].input == {"tipo_defeito": "lixo"}


async def test_names_with_quotes_do_no_harm(talks: Talks) -> None:
    source = data(
        "odd",
        {
            'He said "x"; DROP': ("category", ["it's", "it's", "b"]),
            "total": ("integer", [1, 2, 3]),
        },
    )

    answer = await talks(source).ask("quantas linhas por he said x drop?")

    assert "it's" in answer.text


async def test_with_no_data_at_all_it_says_what_to_do(talks: Talks) -> None:
    talk = talks(tools=[])

    answer = await talk.ask("quantas linhas?")

    assert "Largue um ficheiro .csv ou .xlsx" in answer.text


def _own_defects() -> Data:
    """A file of defects without a shift or a rack, as a person exports it."""
    return data(
        "pintura",
        {
            "Operador": ("category", ["Ana", "Rui"] * 10),
            "Defeito": ("category", ["Bolha", "Risco", "Bolha", "Cratera"] * 5),
        },
    )


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("quantos defeitos por turno", "turno"),
        ("how many defects by shift", "shift"),
        ("qual o rack com mais defeitos?", "rack"),
    ],
)
@pytest.mark.parametrize("sees_log", [True, False])
async def test_the_log_does_not_answer_for_a_file_of_defects(
    talks: Talks, question: str, missing: str, sees_log: bool
) -> None:
    talk = talks(*([demo()] if sees_log else []), _own_defects())

    answer = await talk.ask(question)

    assert answer.asked is not None
    assert "**" not in answer.text
    told = [answer.text, *(each.label for each in answer.asked.choices)]
    assert any(missing in each for each in told)


async def test_the_log_still_answers_beside_files_that_have_no_defects(talks: Talks) -> None:
    answer = await talks(demo(), measurements()).ask("quantos defeitos por turno")

    assert "Fonte: defeitos.csv, 200 linhas." in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "quantos defeitos no registo de defeitos?",
        "o registo do posto",
        "defeitos do posto",
        "how many rows in the defect log?",
    ],
)
async def test_the_log_answers_where_it_is_named(talks: Talks, question: str) -> None:
    answer = await talks(demo(), _own_defects(), production()).ask(question)

    assert answer.text.startswith("defeitos.csv · **200**")


@pytest.mark.parametrize(
    "question",
    ["lixo por turno", "quantos à noite com lixo?", "total por material", "quem tem mais?"],
)
async def test_the_log_does_not_answer_for_a_word_of_it(talks: Talks, question: str) -> None:
    alone = await talks(demo()).ask(question)
    beside = await talks(demo(), measurements()).ask(question)

    assert "defeitos.csv" in alone.text
    choices = () if beside.asked is None else beside.asked.choices
    is_listed = any(each.label.startswith("defeitos.csv · ") for each in choices)
    assert is_listed == ("lixo" in question)  # a type of defect, of which the file knows nothing
    assert "defeitos.csv" not in beside.text


@pytest.mark.parametrize(
    "question", ["quantos defeitos há?", "defeitos por turno", "top 3 defeitos"]
)
async def test_defects_that_a_table_may_hold_as_numbers_are_asked_about(
    talks: Talks, question: str
) -> None:
    found = await talks(demo(), production()).program.readings.read(
        await talks(demo(), production()).begin(), question
    )
    answer = await talks(demo(), production()).ask(question)

    assert answer.asked is not None
    assert not found.is_sure
    assert "defeitos" in [each.dataset for each in found.readings]


async def test_a_follow_up_on_the_log_stays_there_beside_a_file_of_defects(talks: Talks) -> None:
    talk = talks(demo(), _own_defects())

    await talk.ask("lixo por turno no registo de defeitos")
    answer = await talk.ask("e a noite?")

    assert "Fonte: defeitos.csv, 21 de 200 linhas." in answer.text
