"""What an agent's privacy lets leave: of a planted cell nothing, whatever tool gave it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qhub_desktop.app import Program
from qhub_desktop.chat.agent_files import load_agents
from qhub_desktop.chat.claude.messages_api import request_body
from qhub_desktop.chat.privacy import PROMPT
from qhub_desktop.chat.router import Router
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import Answering, ModelRequest, Privacy, ToolUsed
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.settings import Settings
from tests.chat.fakes import Person
from tests.chat.requests import TOOLS, answered, asked, claude_at, hear, request_of, result
from tests.wire import Call, WireServer, answer, calls
from tests.wire.scenes import Scene

PLANTED = "Zx9Qsegredo"
PLANTED_NUMBER = 90210.75
COUNTING = tuple(replace(each, gives="counts") for each in TOOLS)


def _body(request: ModelRequest) -> str:
    return json.dumps(request_of_body(request), ensure_ascii=False)


def request_of_body(request: ModelRequest) -> Any:
    return request_body(request, model="claude-sonnet-5-5", has_thinking=False)


def _request(
    content: Json, privacy: Privacy, *, tool: str = "consultar_dados", is_error: bool = False
) -> ModelRequest:
    call = ToolCall("a", tool, {"sql": "SELECT obs FROM dados"})
    shown = answered(call, result("a", content, is_error=is_error), Text("Pronto."))
    request = request_of(asked("Mostra."), shown, asked("E agora?"), tools=COUNTING)
    return replace(request, privacy=privacy)


_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-9, 9)
    | st.text("abc ", max_size=5)
    | st.sampled_from([PLANTED, f"valor {PLANTED}.", f"{PLANTED}-7", PLANTED_NUMBER])
)
_KEYS = st.sampled_from(
    ["linhas", "colunas", "total", "por_tipo", "top", "tipo", "valor", "output", "erro", "x"]
) | st.just(PLANTED)
CONTENTS = st.recursive(
    _LEAVES,
    lambda inside: st.lists(inside, max_size=7) | st.dictionaries(_KEYS, inside, max_size=4),
    max_leaves=25,
)


@settings(max_examples=600, deadline=None)
@given(content=CONTENTS, is_error=st.booleans())
def test_a_planted_cell_never_leaves_whatever_the_result_is(content: Any, is_error: bool) -> None:
    body = _body(_request(content, "aggregates", is_error=is_error))

    assert PLANTED not in body
    assert str(PLANTED_NUMBER) not in body


@settings(max_examples=400, deadline=None)
@given(
    counts=st.dictionaries(st.text("abcde", min_size=1, max_size=3), st.integers(0, 50)),
    planted=st.integers(1, 4),
    shift=st.integers(1, 4),
)
def test_a_group_of_few_rows_is_not_named_by_a_tool_that_counts(
    counts: dict[str, int], planted: int, shift: int
) -> None:
    groups: dict[str, Json] = {**counts, PLANTED: planted}
    contents: list[Json] = [
        {"total": sum(counts.values()) + planted, "por_tipo": groups, "fonte": f"{PLANTED}.csv"},
        {"por_turno": groups, "por_tipo": {PLANTED: {"manha": planted}, "lixo": {PLANTED: shift}}},
        {"top": [{"tipo": name, "total": count} for name, count in groups.items()]},
    ]
    for content in contents:
        body = _body(_request(content, "aggregates", tool="contar_defeitos"))
        assert PLANTED not in body
        for name, count in counts.items():
            if count >= 5 and name != "tipo":
                assert f'\\"{name}\\"' in body


def test_counts_of_large_groups_and_means_of_many_rows_leave() -> None:
    counted = _body(_request({"por_tipo": {"lixo": 62}}, "aggregates", tool="contar_defeitos"))
    rows: list[Json] = [[f"{PLANTED}{number}", number + 0.5] for number in range(10)]
    listed = _body(
        _request({"colunas": ["obs", PLANTED], "linhas": rows, "total_linhas": 10}, "aggregates")
    )

    assert '\\"lixo\\":62' in counted
    assert '\\"total_linhas\\":10' in listed
    assert '\\"media\\":5.0' in listed
    assert '\\"obs\\"' in listed
    assert PLANTED not in listed


def test_an_error_keeps_its_words_and_loses_what_it_quotes() -> None:
    said = f"Conversion Error: Could not convert string '{PLANTED}' to INT32 in column obs"
    body = _body(_request({"erro": said}, "aggregates", is_error=True))

    assert "Conversion Error: Could not convert string '…'" in body
    assert "column obs" in body


def test_what_the_offline_engine_told_does_not_leave_later() -> None:
    told = answered(Text(f"O valor é {PLANTED}."), engine="offline")
    request = request_of(asked("Qual?"), told, asked("E agora?"))

    assert PLANTED in _body(request)
    body = _body(replace(request, privacy="aggregates"))
    assert PLANTED not in body
    assert PROMPT[:20] in json.loads(body)["system"][0]["text"]


@pytest.mark.parametrize("privacy", ["rows", "aggregates"])
async def test_on_the_wire_no_tool_gives_away_a_cell_and_the_person_sees_it(
    privacy: Privacy, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "peças.csv"
    lines = [f"{n},lixo,manha,2026-02-{n:02},{n}.5,normal" for n in range(1, 20)]
    lines.append(f"20,{PLANTED}tipo,noite,2026-02-20,{PLANTED_NUMBER},{PLANTED}")
    head = "id,tipo_defeito,turno,data,espessura,obs"
    file.write_text("\n".join([head, *lines]), encoding="utf-8")
    sql = "SELECT * FROM pecas"
    asked_tools: list[tuple[str, dict[str, Any]]] = [
        ("contar_defeitos", {}),
        ("top_defeitos", {"n": 50}),
        ("defeitos_por_turno", {}),
        ("perfil_dados", {}),
        ("consultar_dados", {"sql": sql}),
        ("consultar_dados", {"sql": "SELECT max(espessura) FROM pecas"}),
        ("consultar_dados", {"sql": "SELECT obs, count(*) FROM pecas GROUP BY 1"}),
        ("consultar_dados", {"sql": "PIVOT pecas ON obs USING count(*) GROUP BY turno"}),
        ("consultar_dados", {"sql": "SELECT CAST(obs AS INTEGER) FROM pecas"}),
        ("gerar_tabela", {"titulo": "Tudo", "consulta": sql}),
        ("gerar_kpi", {"titulo": "Máximo", "consulta": "SELECT max(espessura) FROM pecas"}),
        (
            "gerar_grafico",
            {
                "tipo": "bar",
                "titulo": "Tudo",
                "consulta": "SELECT obs, espessura FROM pecas",
                "x": "obs",
                "y": ["espessura"],
            },
        ),
    ]
    made = [Call(name, {**given}, id=f"c{n}") for n, (name, given) in enumerate(asked_tools)]
    scenes: list[Scene] = [calls(*made), answer("Pronto."), answer("Pronto.")]
    person = Person()
    with WireServer(scenes) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        program = Program(engine="claude")
        agents = {
            name: replace(each, privacy=privacy)
            for name, each in load_agents(RESOURCES / "agents").items()
        }
        program.__dict__["agents"] = agents  # as an administrator would have it
        talk = (await program.store.conversations.create("analise")).id
        (profile,) = await program.workspace.load(file)
        await program.store.datasets.pin(talk, profile.id, profile.dataset)
        await program.turns.reply(talk, "Mostra tudo.", audience=person)
        await program.turns.reply(talk, "E mais?", audience=person)
        await program.close()

    bodies = [json.dumps(each.body, ensure_ascii=False) for each in server.requests]
    assert len(bodies) == 3
    leaks = [PLANTED in body or str(PLANTED_NUMBER) in body for body in bodies]
    assert any(leaks) == (privacy == "rows")
    used = person.all(ToolUsed)
    assert [each.call.name for each in used] == [name for name, _given in asked_tools]
    seen = sum(PLANTED in repr(each.result) for each in used)
    assert seen >= 8
    assert '\\"lixo\\":19' in bodies[1]


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
