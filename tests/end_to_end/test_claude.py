"""The whole loop through the real SDK, against a local service that speaks the wire format."""

import os
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.paths import DEMO_DATA
from tests.end_to_end.qhub_process import Called, qhub
from tests.wire.scenes import Scene, answer, calls, rate_limited
from tests.wire.server import WireServer

SHIFTS = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno ORDER BY n DESC"


def ask(server: WireServer, question: str, *more: str | Path, engine: str = "claude") -> Called:
    environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-for-tests"}
    call = ("ask", "--engine", engine, "--json", *more, question)
    return qhub(*call, environment=environment)


def test_words_two_tools_a_chart_and_a_conclusion() -> None:
    script: list[Scene] = [
        calls(("top_defeitos", {"n": 3}), ("defeitos_por_turno", {}), text="Vou contar."),
        calls(("gerar_grafico", {"tipo": "bar", "titulo": "Por turno", "consulta": SHIFTS})),
        answer("A manhã tem mais: **73**."),
    ]
    with WireServer(script) as server:
        called = ask(server, "como estão os turnos?")
        bodies = [request.body for request in server.requests]

    assert called.code == 0, called.err
    assert called.text == "Vou contar.A manhã tem mais: **73**."
    used = {each["name"]: each for each in called.all("tool_use")}
    assert list(used) == ["top_defeitos", "defeitos_por_turno", "gerar_grafico"]
    assert used["top_defeitos"]["result"]["top"][0] == {
        "tipo": "lixo",
        "total": 62,
        "percentagem": 31.0,
    }
    (chart,) = called.all("chart")
    assert chart["data"]["kind"] == "bar"
    assert chart["data"]["data"]["rows"] == [["manha", 73], ["tarde", 68], ["noite", 59]]
    assert chart["data"]["source"]["rows_used"] == 200
    assert len(called.all("usage")) == 3
    assert called.all("usage")[0]["cost_usd"] > 0
    assert called.lines[-1] == {"type": "done", "reason": "complete", "cause": ""}
    assert [message["role"] for message in bodies[2]["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert "200 linhas" in str(bodies[0]["system"])


def test_a_file_is_in_sight_of_the_model_for_the_whole_conversation(tmp_path: Path) -> None:
    export = tmp_path / "medidas.csv"
    export.write_text("peça;espessura\nA;1,5\nB;2,5\n", encoding="utf-8")
    with WireServer([answer("ok"), answer("ok")]) as server:
        first = ask(server, "que dizes disto?", "--file", export)
        ask(server, "e agora?", "--conversation", first.conversation)
        systems = [str(request.body["system"]) for request in server.requests]

    assert len(systems) == 2
    assert all("medidas.csv" in system and "espessura" in system for system in systems)
    assert not any("1.5 |" in system and "A |" in system for system in systems)


def test_wrong_input_goes_back_to_the_model_which_corrects_it() -> None:
    script: list[Scene] = [
        calls(("top_defeitos", {"n": 0})),
        calls(("top_defeitos", {"n": 1})),
        answer("Lixo."),
    ]
    with WireServer(script) as server:
        called = ask(server, "o pior?")
        results = [part for request in server.requests for part in tool_results(request.body)]

    assert [used["is_error"] for used in called.all("tool_use")] == [True, False]
    assert results[0]["is_error"] is True
    assert called.code == 0


def test_nobody_confirms_on_the_command_line_so_nothing_is_written() -> None:
    defect = {
        "tipo_defeito": "lixo",
        "turno": "manha",
        "operador": "Julia",
        "material": "ABS_Cinza",
        "rack": "R10",
        "posicao": 3,
    }
    with WireServer([calls(("registar_defeito", defect)), answer("Não gravei.")]) as server:
        called = ask(server, "regista", "--agent", "qualidade")
    counted = qhub("ask", "--engine", "offline", "--json", "quantos defeitos?")

    assert called.all("approval")[0]["input"] == defect
    assert "200" in counted.text


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ([rate_limited(retry_after_s=1), answer("depois")], None),
        ([answer("um dois três quatro cinco seis sete").broken_off("reset", after=2)], "cut"),
        ([answer("um dois três quatro cinco seis sete").broken_off("close", after=2)], "cut"),
    ],
)
def test_faults_are_waited_out_or_told_and_what_arrived_is_kept(
    script: list[Scene], kind: str | None
) -> None:
    with WireServer(script) as server:
        called = ask(server, "conta")

    if kind is None:
        assert called.code == 0
        assert called.all("status")[0]["kind"] == "retrying"
        assert called.all("status")[0]["wait_s"] is not None
        return
    (kept,) = qhub("show", called.conversation, "--json").lines
    assert called.code == 1
    assert called.all("error")[0]["kind"] == kind
    assert called.all("error")[0]["action"] == "retry"
    assert kept["messages"][1]["text"] == called.text != ""


def test_with_the_service_gone_the_offline_engine_answers_the_same_question() -> None:
    with WireServer([]) as server:
        gone = server.url
    environment = {"ANTHROPIC_BASE_URL": gone, "ANTHROPIC_API_KEY": "key-for-tests"}

    called = qhub("ask", "--json", "qual é o defeito mais frequente?", environment=environment)

    assert called.code == 0
    assert "62" in called.text
    assert called.all("status")[-1]["kind"] == "offline"


def test_the_key_is_nowhere_on_disk(home: Path) -> None:
    with WireServer([answer("olá")]) as server:
        ask(server, "que dizes disto?", "--file", DEMO_DATA / "defeitos.xlsx")
        assert server.requests  # small talk would not have used the key

    files = [file for file in home.rglob("*") if file.is_file()]
    assert home / "qhub.db" in files
    for file in files:
        assert b"key-for-tests" not in file.read_bytes(), file
    assert os.environ.get("ANTHROPIC_API_KEY") is None


def tool_results(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        part
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "tool_result"
    ]
