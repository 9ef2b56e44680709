"""The tool: code over the conversation's data sets, its widgets, and what the model is told."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from qhub_desktop.core.codec import JsonObject, pack, unpack
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.result_widgets import Chart, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.tool import ToolContext, tools_of
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.sandbox import PythonService
from qhub_desktop.tools.datasets import PythonTools, python_names


@pytest.fixture
def tools(python: PythonService, workspace: Workspace) -> Iterator[PythonTools]:
    """The toolbox, over a workspace of this test alone."""
    made = PythonTools(python, workspace)
    yield made
    made.close()


async def _demo(workspace: Workspace) -> ToolContext:
    (profile,) = await workspace.load(DEMO_DATA / "defeitos.csv")
    return ToolContext(ConversationId("c"), (profile,))


async def test_code_computes_on_the_whole_data_set(
    tools: PythonTools, workspace: Workspace
) -> None:
    context = await _demo(workspace)

    output = await tools.executar_python(
        context,
        codigo="print(len(defeitos), defeitos.posicao.sum())\n"
        "t = defeitos.groupby('turno').size().rename('n')\n"
        "grafico('bar', 'Por turno', t, x='turno', y='n')\nt",
        descricao="Defeitos por turno",
    )

    assert not output.is_error
    assert output.content == {
        "output": "200 918\n",
        "sucesso": True,
        "tabelas": [
            {
                "titulo": "",
                "colunas": ["turno", "n"],
                "linhas": [["manha", 73], ["noite", 59], ["tarde", 68]],
                "total_linhas": 3,
            }
        ],
        "figuras": [{"titulo": "Por turno", "tipo": "bar", "linhas": 3}],
    }
    assert isinstance(output.widget, TableView)
    (chart,) = output.more
    assert isinstance(chart, Chart)
    assert chart.figure.title == "Por turno"


async def test_an_error_of_the_code_is_an_error_of_the_tool(
    tools: PythonTools, workspace: Workspace
) -> None:
    output = await tools.executar_python(
        await _demo(workspace), codigo="print('a')\ndefeitos['x']", descricao="falha"
    )

    assert output.is_error
    assert output.content == {"output": "a\n", "erro": "linha 2: defeitos['x']\nKeyError: 'x'"}


async def test_only_data_sets_that_are_named_are_handed_over(
    tools: PythonTools, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = await _demo(workspace)
    written: list[str] = []
    write = workspace.write_columns

    async def noting(dataset_id: str, target: Path) -> object:
        written.append(dataset_id)
        return await write(dataset_id, target)

    monkeypatch.setattr(workspace, "write_columns", noting)

    assert (await tools.compute("1 + 1", context.profiles)).output == "2"
    assert written == []
    found = await tools.compute("len(dados['defeitos'])", context.profiles)
    assert (found.output, len(written)) == ("200", 1)


async def test_what_does_not_fit_is_refused_before_anything_is_handed_over(
    tools: PythonTools, workspace: Workspace
) -> None:
    (profile,) = (await _demo(workspace)).profiles

    with pytest.raises(ToolError, match="Agregue primeiro com consultar_dados"):
        await tools.compute("len(defeitos)", (replace(profile, rows=100_000_000),))


async def test_walls_that_are_missing_are_told_with_those_that_stand(
    tools: PythonTools, python: PythonService, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Not active" not in await tools.check(lambda _progress: None)
    monkeypatch.setattr(python, "missing_walls", ("low integrity", "one process"))

    said = await tools.check(lambda _progress: None)

    assert said.endswith("Not active on this computer: low integrity, no further process.")


def test_the_model_is_told_of_types_the_same_whatever_the_data(tools: PythonTools) -> None:
    tool = tools_of(tools)["executar_python"]

    told = " ".join(tool.spec.description.split())

    assert told.startswith("Corre Python 3.15 com pandas 3 (pd), NumPy (np) e SciPy sobre os dados")
    assert "Os conjuntos de dados desta conversa são DataFrames, pelo nome" in told
    assert "integer é int64 (com falhas Int64), date e datetime datetime64" in told
    assert (tool.declared.risk, tool.declared.category) == ("compute", "compute")
    assert tool.declared.agents == ("analise",)
    assert tool.declared.code == "codigo"


async def test_names_keep_what_python_means_by_them(workspace: Workspace) -> None:
    (profile,) = (await _demo(workspace)).profiles

    def named(name: str) -> DatasetProfile:
        return replace(profile, dataset=name)

    names = python_names(map(named, ("print", "class", "pd", "dados", "match", "pecas")))

    assert names == ["print_", "class_", "pd_", "dados_", "match_", "pecas"]


def test_every_widget_of_a_result_is_kept() -> None:
    table = Table((Column("n", "integer"),), ((1,),))
    first, second = (TableView(title, table, 1) for title in ("a", "b"))
    result = ToolResult("c1", {"sucesso": True}, first, more=(second,))

    packed = pack(result)
    before = {name: each for name, each in cast("JsonObject", packed).items() if name != "more"}

    assert unpack(ToolResult, packed).widgets == (first, second)
    assert unpack(ToolResult, before).widgets == (first,)  # as earlier versions have stored it
