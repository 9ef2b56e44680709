"""The tool that writes Excel files for the person."""

from pathlib import Path

import openpyxl
import pytest
from openpyxl.workbook import Workbook

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.paths import exports
from tests.tools.conftest import ToolHarness

TOP = "SELECT tipo_defeito, count(*) AS total FROM defeitos GROUP BY 1 ORDER BY 2 DESC, 1"


def opened(name: object) -> Workbook:
    return openpyxl.load_workbook(exports() / str(name))


async def test_queries_become_sheets_with_charts_and_their_source(harness: ToolHarness) -> None:
    told = await harness.result(
        "exportar_excel",
        titulo="Defeitos: resumo",
        folhas=[
            {"nome": "Top", "consulta": TOP, "grafico": "bar"},
            {"nome": "Todos", "consulta": "SELECT * FROM defeitos"},
        ],
    )

    book = opened(told["ficheiro"])
    assert told["ficheiro"] == "Defeitos resumo.xlsx"
    assert told["folhas"] == book.sheetnames == ["Top", "Todos"]
    assert len(vars(book["Top"])["_charts"]) == 1
    rows = list(book["Top"].iter_rows(values_only=True))
    assert rows[0][0] == "Top"
    assert ("lixo", 62) in rows
    everything = list(book["Todos"].iter_rows(values_only=True))
    assert everything[-1][0] == 200
    assert "200" in str(everything[1][0])


async def test_what_was_shown_is_taken_by_its_number_from_the_last(harness: ToolHarness) -> None:
    for name, given in (
        ("gerar_grafico", {"tipo": "barh", "titulo": "Barras", "consulta": TOP}),
        ("gerar_kpi", {"titulo": "Total", "valor": 200}),
    ):
        await harness.show(name, **given)

    told = await harness.result(
        "exportar_excel",
        titulo="Mostrado",
        folhas=[{"nome": "KPI", "widget": 1}, {"nome": "Gráfico", "widget": 2}],
    )

    book = opened(told["ficheiro"])
    assert book["KPI"]["B4"].value == 200
    assert len(vars(book["Gráfico"])["_charts"]) == 1


async def test_a_table_that_showed_its_first_rows_is_saved_with_all(
    harness: ToolHarness, tmp_path: Path
) -> None:
    file = tmp_path / "muitas.csv"
    file.write_text("n\n" + "\n".join(map(str, range(1_500))), encoding="utf-8")
    await harness.drop(file)
    await harness.show("gerar_tabela", titulo="Tudo", consulta="SELECT * FROM muitas")

    told = await harness.result(
        "exportar_excel", titulo="a", folhas=[{"nome": "Tudo", "widget": 1}]
    )

    assert told["linhas"] == 1_500


async def test_no_file_is_ever_replaced(harness: ToolHarness) -> None:
    names = [
        (
            await harness.result(
                "exportar_excel", titulo="x" * 90, folhas=[{"nome": "a", "consulta": TOP}]
            )
        )["ficheiro"]
        for _each in range(3)
    ]

    assert names == [f"{'x' * 60}{ending}.xlsx" for ending in ("", " (2)", " (3)")]


async def test_the_model_is_told_a_name_and_no_place(harness: ToolHarness, tmp_path: Path) -> None:
    told = await harness.result(
        "exportar_excel", titulo="a", folhas=[{"nome": "a", "consulta": TOP}]
    )

    assert str(tmp_path) not in str(told)
    assert told == {"estado": "gravado", "ficheiro": "a.xlsx", "folhas": ["a"], "linhas": 8}


@pytest.mark.parametrize(
    ("sheet", "complaint"),
    [
        ({"nome": "a"}, "ou uma consulta, ou o número"),
        ({"nome": "a", "consulta": TOP, "widget": 1}, "ou uma consulta, ou o número"),
        ({"nome": "a", "widget": 1}, "só foram mostrados 0"),
        ({"nome": "a", "consulta": "DELETE FROM defeitos"}, "SELECT"),
        ({"nome": "a", "consulta": "FROM range(100001)"}, "100001 linhas"),
    ],
)
async def test_what_can_not_be_exported_is_said_to_the_model_and_writes_nothing(
    harness: ToolHarness, sheet: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ToolError, match=complaint):
        await harness.use("exportar_excel", titulo="a", folhas=[sheet])

    assert not any(exports().iterdir())


def test_the_tool_asks_for_no_approval(harness: ToolHarness) -> None:
    assert not harness.tools["exportar_excel"].needs_approval
