import asyncio
from pathlib import Path

import pytest

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Bars
from qhub_desktop.core.result_widgets import Chart, Kpi, TableView
from tests.tools.conftest import ToolHarness

BY_SHIFT = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno ORDER BY n DESC"


async def test_a_chart_is_drawn_from_a_query_and_knows_its_source(harness: ToolHarness) -> None:
    outcome = await harness.use(
        "gerar_grafico", tipo="bar", titulo="Turnos", consulta=f"{BY_SHIFT} LIMIT 2"
    )

    assert isinstance(outcome.widget, Chart)
    (bars,) = [mark for mark in outcome.widget.figure.marks if isinstance(mark, Bars)]
    assert list(bars.end) == [73, 68]
    assert outcome.widget.source is not None
    assert outcome.widget.source.rows_used == 200
    assert outcome.content == {"estado": "mostrado", "linhas": 2, "colunas": ["turno", "n"]}


async def test_a_filtered_query_says_how_many_rows_took_part(harness: ToolHarness) -> None:
    outcome = await harness.use(
        "gerar_tabela",
        titulo="Noite",
        consulta="SELECT rack, count(*) FROM defeitos WHERE turno = 'noite' GROUP BY rack",
    )

    assert outcome.source is not None
    assert (outcome.source.rows_used, outcome.source.rows_total) == (59, 200)


async def test_a_chart_can_be_given_its_values(harness: ToolHarness) -> None:
    outcome = await harness.use(
        "gerar_grafico",
        tipo="bar",
        titulo="Dados",
        categorias=["a", "b"],
        series=[{"nome": "n", "valores": [1, 2.5]}],
    )

    assert isinstance(outcome.widget, Chart)
    assert outcome.widget.data.rows == (("a", 1.0), ("b", 2.5))
    assert outcome.source is None


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("gerar_grafico", {"tipo": "bar", "titulo": "x"}, "consulta"),
        (
            "gerar_grafico",
            {
                "tipo": "bar",
                "titulo": "x",
                "categorias": ["a"],
                "series": [{"nome": "n", "valores": [1, 2]}],
            },
            "igual número",
        ),
        (
            "gerar_grafico",
            {"tipo": "radar", "titulo": "x", "consulta": BY_SHIFT},
            r"tipo: tem de ser 'bar', .* ou '\w+'$",
        ),
        (
            "gerar_grafico",
            {"tipo": "bar", "titulo": "x", "consulta": "SELECT nada"},
            "this SQL: .*nada",
        ),
        ("gerar_tabela", {"titulo": "x"}, "consulta"),
        ("gerar_tabela", {"titulo": "x", "colunas": ["a"], "linhas": [[1, 2]]}, "1 valores"),
        ("gerar_kpi", {"titulo": "x"}, "consulta"),
        ("gerar_kpi", {"titulo": "x", "consulta": BY_SHIFT}, "uma linha"),
        ("consultar_dados", {"sql": "DELETE FROM defeitos"}, "SELECT"),
        ("consultar_dados", {"sql": "SELECT 1", "conjunto": "outro"}, "defeitos"),
        ("perfil_dados", {"folha": "Folha9"}, "Folha9"),
    ],
)
async def test_what_cannot_be_shown_is_said_so_that_a_model_can_mend_it(
    harness: ToolHarness, name: str, given: dict[str, object], words: str
) -> None:
    with pytest.raises(ToolError, match=words):
        await harness.use(name, **given)


async def test_a_table_keeps_its_first_rows_and_the_true_count(harness: ToolHarness) -> None:
    outcome = await harness.use(
        "gerar_tabela", titulo="Muitas", consulta="SELECT * FROM range(5000) AS numbers(n)"
    )

    assert isinstance(outcome.widget, TableView)
    assert outcome.widget.row_count == 5000
    assert len(outcome.widget.table.rows) == 1000


async def test_a_number_comes_from_a_query(harness: ToolHarness) -> None:
    outcome = await harness.use(
        "gerar_kpi",
        titulo="Defeitos",
        consulta="SELECT count(*) FROM defeitos",
        alvo=180,
        estado="mau",
    )

    assert isinstance(outcome.widget, Kpi)
    assert (outcome.widget.value, outcome.widget.standing) == (200, "bad")


async def test_rows_come_with_types_and_the_true_count(harness: ToolHarness) -> None:
    asked = await harness.result(
        "consultar_dados", sql="SELECT id, data FROM defeitos ORDER BY id", limite=2
    )

    assert asked["linhas"] == [[1, "2026-02-11"], [2, "2026-02-12"]]
    assert asked["tipos"] == ["integer", "date"]
    assert asked["total_linhas"] == 200


async def test_the_profile_is_of_every_row(harness: ToolHarness, tmp_path: Path) -> None:
    export = tmp_path / "medidas.csv"
    export.write_text("peça;x\nA;1,5\nB;2,5\nC;\n", encoding="utf-8")
    await harness.drop(export)

    profile = await harness.result("perfil_dados")

    assert (profile["ficheiro"], profile["linhas"]) == ("medidas.csv", 3)
    assert profile["colunas"][1]["media"] == 2.0
    assert profile["colunas"][1]["em_falta"] == 1
    assert (await harness.result("perfil_dados", conjunto="defeitos"))["linhas"] == 200


async def test_the_profile_tells_what_repeats_and_what_lies_far_out(
    harness: ToolHarness, tmp_path: Path
) -> None:
    export = tmp_path / "medidas.csv"
    readings = [10, 11, 12, 11, 10, 12, 90]
    export.write_text(
        "posto;cota\n" + "".join(f"7;{reading}\n" for reading in readings), encoding="utf-8"
    )
    await harness.drop(export)

    profile = await harness.result("perfil_dados")

    assert (profile["linhas_repetidas"], profile["colunas_constantes"]) == (3, ["posto"])
    assert profile["colunas"][1]["quartis"] == [10.5, 11, 12]
    assert profile["colunas"][1]["atipicos"] == 1


async def test_two_files_of_one_name_are_told_apart(harness: ToolHarness, tmp_path: Path) -> None:
    for folder, content in (("a", "x\n1\n"), ("b", "x\n2\n3\n")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "lote.csv"
        file.write_text(content, encoding="utf-8")
        await harness.drop(file)

    first = await harness.result("consultar_dados", sql="SELECT x FROM lote")
    second = await harness.result("consultar_dados", sql="SELECT x FROM lote_2")

    assert (first["linhas"], second["linhas"]) == ([[1]], [[2], [3]])


async def test_a_question_waits_for_a_file_that_is_on_its_way(
    harness: ToolHarness, tmp_path: Path
) -> None:
    talk = (await harness.store.conversations.create("analise")).id
    export = tmp_path / "lote.csv"
    export.write_text("x\n1\n", encoding="utf-8")

    with harness.conversation_datasets.importing(talk):
        waiting = asyncio.create_task(harness.conversation_datasets.profiles_after_imports(talk))
        (profile,) = await harness.workspace.load(export)
        assert not waiting.done()
        await harness.store.datasets.pin(talk, profile.id, profile.dataset)

    assert [each.dataset for each in await waiting] == ["defeitos", "lote"]


def test_schemas_speak_the_words_of_the_contract(harness: ToolHarness) -> None:
    schema = harness.tools["gerar_grafico"].spec.schema

    assert schema["required"] == ["tipo", "titulo"]
    assert "title" not in schema
    assert "titulo" in schema["properties"]  # type: ignore[operator]
    assert {
        name: tool.declared.risk for name, tool in harness.tools.items() if tool.needs_approval
    } == {"registar_defeito": "write"}


QUOTIENTS = "SELECT turno, sum(id) / (count(*) - count(*)) AS q FROM defeitos GROUP BY turno"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("consultar_dados", {"sql": QUOTIENTS}),
        ("gerar_tabela", {"titulo": "q", "consulta": QUOTIENTS}),
        (
            "gerar_grafico",
            {"titulo": "q", "tipo": "bar", "consulta": f"{QUOTIENTS} UNION ALL SELECT 'x', 1.5"},
        ),
        ("exportar_excel", {"titulo": "q", "folhas": [{"nome": "q", "consulta": QUOTIENTS}]}),
        ("gerar_dashboard", {"titulo": "q", "html": "<p>q</p>", "dados": {"q": QUOTIENTS}}),
    ],
)
async def test_a_division_by_zero_is_told_to_the_model_whatever_tool_met_it(
    harness: ToolHarness, name: str, given: dict[str, object]
) -> None:
    told = await harness.result(name, **given)

    (warning,) = told["avisos"]
    assert warning.startswith("3 ")
    assert "zero" in warning


async def test_an_indicator_that_a_division_by_zero_made_is_refused_with_the_reason(
    harness: ToolHarness,
) -> None:
    with pytest.raises(ToolError, match="zero"):
        await harness.use("gerar_kpi", titulo="q", consulta="SELECT count(*) / 0 FROM defeitos")
