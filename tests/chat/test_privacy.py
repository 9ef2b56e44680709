"""What an agent's privacy lets leave: of a planted cell nothing, whatever tool gave it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qhub_desktop.app import Program
from qhub_desktop.chat.agent_files import load_agents
from qhub_desktop.chat.agents import Agent
from qhub_desktop.chat.claude.citations import SentPassages
from qhub_desktop.chat.claude.messages_api import request_body
from qhub_desktop.chat.privacy import PROMPT
from qhub_desktop.chat.router import Router
from qhub_desktop.core.citations import citation_mark
from qhub_desktop.core.codec import Json
from qhub_desktop.core.documents import Citation, DocumentPlace
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import Answering, ModelRequest, Privacy, ToolUsed
from qhub_desktop.core.message import WRONG_INPUT, Gives, Text, ToolCall, ToolResult, ToolSpec
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.settings import Settings
from tests.chat.fakes import Person
from tests.chat.requests import answered, asked, claude_at, hear, request_of, result
from tests.wire import Call, WireServer, answer, calls
from tests.wire.scenes import Scene

PLANTED = "Zx9Qsegredo"
PLANTED_NUMBER = 90210.75
GIVES: dict[str, Gives] = {
    "agregar": "aggregates",
    "gerar_grafico": "shown",
    "plano_amostragem": "nothing",
}
CLOSED = tuple(ToolSpec(name, "", {"type": "object"}, gives) for name, gives in GIVES.items())


def _body(request: ModelRequest) -> str:
    body = request_body(
        request,
        model="claude-sonnet-5-5",
        has_thinking=False,
        passages=SentPassages(are_cited=True),
    )
    return json.dumps(body, ensure_ascii=False)


def _request(
    content: Json,
    privacy: Privacy = "aggregates",
    *,
    tool: str = "consultar_dados",
    is_error: bool = False,
) -> ModelRequest:
    call = ToolCall("a", tool, {"pedido": "tudo"})
    shown = answered(call, result("a", content, is_error=is_error), Text("Pronto."))
    request = request_of(asked("Mostra."), shown, asked("E agora?"))
    return replace(request, privacy=privacy, closed_tools=CLOSED)


_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-9, 9)
    | st.text("abc ", max_size=5)
    | st.sampled_from([PLANTED, f"valor {PLANTED}.", f"{PLANTED}-7", PLANTED_NUMBER])
)
_KEYS = st.sampled_from(["linhas", "colunas", "total", "valor", "output", "erro", "x"]) | st.just(
    PLANTED
)
CONTENTS = st.recursive(
    _LEAVES,
    lambda inside: st.lists(inside, max_size=7) | st.dictionaries(_KEYS, inside, max_size=4),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(
    content=CONTENTS,
    is_error=st.booleans(),
    tool=st.sampled_from(
        ["consultar_dados", "gerar_grafico", "executar_python", "contar_defeitos"]
    ),
)
def test_what_a_tool_gives_the_person_tells_a_model_nothing(
    content: Any, is_error: bool, tool: str
) -> None:
    body = _body(_request(content, tool=tool, is_error=is_error))

    # Not even whether it went well: a query can be made to fail where a cell has a value.
    assert body == _body(_request(None, tool=tool))


def test_a_call_that_is_wrong_by_itself_is_told_so() -> None:
    wrong: Json = {"erro": "Entrada inválida. titulo: falta", **WRONG_INPUT}

    assert "titulo: falta" in _body(_request(wrong, tool="gerar_grafico", is_error=True))
    assert "titulo: falta" not in _body(_request(wrong, tool="consultar_dados", is_error=True))


def test_passages_of_documents_leave_only_where_rows_may() -> None:
    passage = Citation(3, "ab" * 32, f"{PLANTED}.pdf", "", "", DocumentPlace(page=3), PLANTED)
    found = ToolResult("a", {"encontradas": 1}, passages=(passage,))
    mark = citation_mark(passage, 1)
    shown = answered(
        ToolCall("a", "procurar_documentos", {"pergunta": "?"}),
        found,
        Text(f"Sim {mark}."),
        passage,
    )
    request = request_of(asked("Mostra."), shown, asked("E agora?"))

    assert PLANTED in _body(request)
    assert PLANTED not in _body(replace(request, privacy="aggregates", closed_tools=CLOSED))
    with pytest.raises(UserError):
        _body(replace(request, privacy="nothing"))


@pytest.mark.parametrize("tool", ["agregar", "plano_amostragem"])
def test_aggregates_and_what_holds_nothing_of_the_data_leave_whole(tool: str) -> None:
    assert '\\"contagem\\":62' in _body(_request({"contagem": 62}, tool=tool))


def test_what_the_offline_engine_told_does_not_leave_later() -> None:
    told = answered(Text(f"O valor é {PLANTED}."), engine="offline")
    request = request_of(asked("Qual?"), told, asked("E agora?"))

    assert PLANTED in _body(request)
    body = _body(replace(request, privacy="aggregates"))
    assert PLANTED not in body
    assert PROMPT[:20] in json.loads(body)["system"][0]["text"]


def _agents(privacy: Privacy) -> Mapping[str, Agent]:
    return {
        name: replace(each, privacy=privacy)
        for name, each in load_agents(RESOURCES / "agents").items()
    }


def _plant(file: Path) -> Path:
    lines = [f"{n},lixo,manha,2026-02-{n:02},{n}.5,normal" for n in range(1, 20)]
    lines.append(f"20,{PLANTED}tipo,noite,2026-02-20,{PLANTED_NUMBER},{PLANTED}")
    head = "id,tipo_defeito,turno,data,espessura,obs"
    file.write_text("\n".join([head, *lines]), encoding="utf-8")
    return file


SQL = "SELECT * FROM pecas"
ATTACKS: list[tuple[str, dict[str, Any]]] = [
    # Tools that are not there for it, and SQL where there is none.
    ("contar_defeitos", {}),
    ("perfil_dados", {}),
    ("consultar_dados", {"sql": SQL}),
    ("executar_python", {"codigo": "print(pecas)", "descricao": "tudo"}),
    ("gerar_tabela", {"titulo": "Tudo", "consulta": SQL}),
    ("gerar_kpi", {"titulo": "Erro", "consulta": "SELECT error(obs) FROM pecas"}),
    ("gerar_dashboard", {"titulo": "P", "html": "<p>", "dados": {"a": SQL}}),
    ("capacidade", {"coluna": "espessura", "lse": 9, "onde": "obs IS NOT NULL"}),
    # What it may ask for, aimed at the planted row.
    ("agregar", {"por": ["obs"]}),
    ("agregar", {"por": ["espessura", "tipo_defeito"]}),
    ("agregar", {"filtros": [{"coluna": "turno", "valores": ["noite"]}]}),
    ("agregar", {"medidas": [{"calculo": "soma", "coluna": "espessura"}]}),
    ("agregar", {"medidas": [{"calculo": "maximo", "coluna": "espessura"}]}),
    ("agregar", {"medidas": [{"calculo": "media", "coluna": "espessura"}], "por": ["turno"]}),
]
SHOWN: list[tuple[str, dict[str, Any]]] = [
    ("gerar_tabela", {"titulo": "Tudo", "consulta": {"por": ["obs"]}}),
    (
        "gerar_kpi",
        {
            "titulo": "Máximo",
            "consulta": {"medidas": [{"calculo": "maximo", "coluna": "espessura"}]},
        },
    ),
    (
        "gerar_grafico",
        {
            "tipo": "bar",
            "titulo": "Tipos",
            "consulta": {"por": ["tipo_defeito"]},
            "y": ["contagem"],
        },
    ),
]


async def test_on_the_wire_no_call_gives_away_a_cell_and_the_person_sees_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _plant(tmp_path / "peças.csv")
    given = [*ATTACKS, *SHOWN]
    made = [Call(name, {**values}, id=f"c{n}") for n, (name, values) in enumerate(given)]
    scenes: list[Scene] = [calls(*made), answer("Pronto."), answer("Pronto.")]
    person = Person()
    with WireServer(scenes) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        program = Program(engine="claude")
        program.__dict__["agents"] = _agents("aggregates")  # as an administrator would have it
        talk = (await program.store.conversations.create("analise")).id
        (profile,) = await program.workspace.load(file)
        await program.store.datasets.pin(talk, profile.id, profile.dataset)
        await program.turns.reply(talk, "Há diferença entre turnos?", audience=person)
        await program.turns.reply(talk, "E mais?", audience=person)
        await program.close()

    bodies = [json.dumps(each.body, ensure_ascii=False) for each in server.requests]
    assert len(bodies) == 3
    assert not [body for body in bodies if PLANTED in body or str(PLANTED_NUMBER) in body]
    told = {each["name"]: each for each in server.requests[0].body["tools"]}
    assert {"agregar", "gerar_tabela", "teste_hipotese"} <= told.keys()
    assert not {"consultar_dados", "executar_python", "perfil_dados", "top_defeitos"} & told.keys()
    schemas = json.dumps([each["input_schema"] for each in told.values()], ensure_ascii=False)
    assert "SELECT" not in schemas
    assert "condição SQL" not in schemas
    shown = [each.result for each in person.all(ToolUsed)][len(ATTACKS) :]
    assert [each.is_error for each in shown] == [False] * len(SHOWN)
    assert PLANTED in repr(shown[0].widget)
    assert str(PLANTED_NUMBER) in repr(shown[1].widget)


async def test_under_rows_an_agent_has_sql_and_no_closed_forms(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([answer("Pronto.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        program = Program(engine="claude")
        talk = (await program.store.conversations.create("analise")).id
        await program.turns.reply(talk, "Porquê tanto lixo?", audience=Person())
        await program.close()

    told = [each["name"] for each in server.requests[0].body["tools"]]
    assert "consultar_dados" in told
    assert "agregar" not in told


async def test_the_offline_engine_answers_an_agent_of_aggregates_with_all_its_tools(
    home: Path,
) -> None:
    program = Program(engine="offline")
    program.__dict__["agents"] = _agents("aggregates")
    talk = (await program.store.conversations.create("analise")).id
    person = Person()
    await program.turns.reply(talk, "Mostra os defeitos por rack num gráfico", audience=person)
    await program.close()

    used = person.all(ToolUsed)
    assert used
    assert not any(each.result.is_error for each in used)


async def test_a_service_is_never_asked_for_an_agent_from_which_nothing_may_leave() -> None:
    with WireServer([answer("62")]) as server:
        for engine in ("auto", "claude"):
            chosen = Settings(engine=engine)
            async with claude_at(server.url, settings=chosen) as claude:
                router = Router(
                    claude=claude,
                    offline=_Offline(),
                    is_small_talk=lambda _text: False,
                    settings=lambda chosen=chosen: chosen,  # type: ignore[misc]
                )
                under_way = answered(ToolCall("a", "x", {}), ToolResult("a", {}))
                for messages in ((asked("Olá"),), (asked("Olá"), under_way)):
                    request = replace(request_of(*messages), privacy="nothing")
                    heard = await hear(router, request)
                    assert heard.of(Answering) == [Answering("offline")]
                straight = await hear(claude, replace(request_of(), privacy="nothing"))
                router.close()
            assert isinstance(straight.failure, UserError)
            assert "leave this computer" in str(straight.failure)

    assert server.requests == []


class _Offline:
    """An engine that needs nothing."""

    async def stream(self, _request: ModelRequest) -> Any:
        yield Answering("offline")


@pytest.mark.parametrize("written", ["Rows", "", "none"])
def test_a_privacy_that_is_none_is_no_agent(written: str, tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "x"
    folder.mkdir(parents=True)
    source = RESOURCES / "agents" / "analise"
    for each in source.iterdir():
        (folder / each.name).write_bytes(each.read_bytes())
    toml = folder / "agent.toml"
    toml.write_text(f'privacy = "{written}"\n' + toml.read_text("utf-8"), encoding="utf-8")

    with pytest.raises(UserError, match="privacy"):
        load_agents(tmp_path / "agents")
