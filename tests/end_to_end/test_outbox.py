"""Questions that wait for Claude, on the command line: from no network to the last answer."""

import socket
from collections.abc import Mapping

import pytest

from tests.end_to_end.qhub_process import qhub, qhub_in_turn
from tests.wire.scenes import answer
from tests.wire.server import WireServer


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def at(port: int) -> Mapping[str, str]:
    return {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "key-for-tests"}


def test_what_is_asked_without_a_network_is_answered_when_it_is_back() -> None:
    port = closed_port()

    first = qhub("ask", "--queue", "--json", "porquê tanto lixo?")
    talk = first.conversation
    second = qhub("ask", "--queue", "--conversation", talk, "e o que fazer?")
    third = qhub("ask", "--queue", "--json", "que turno melhorou?")
    withdrawn = qhub("outbox", "withdraw", str(third.lines[-1]["id"]), "--json")
    (waiting,) = qhub("outbox", "--json").lines
    failed = qhub("outbox", "send", environment=at(port))
    with WireServer([answer("Por causa do filtro."), answer("Mudar o filtro.")], port=port):
        sent = qhub("outbox", "--json", "send", environment=at(port))
    (whole,) = qhub("show", talk, "--json").lines
    (left,) = qhub("outbox", "--json").lines

    assert (first.code, second.code, withdrawn.code) == (0, 0, 0)
    assert withdrawn.lines[0]["state"] == "withdrawn"
    assert [each["text"] for each in waiting] == ["porquê tanto lixo?", "e o que fazer?"]
    assert {each["conversation"] for each in waiting} == {talk}
    assert failed.code == 1
    assert "127.0.0.1" in failed.err
    assert sent.code == 0
    assert [each["text"] for each in sent.all("sending")] == [
        "porquê tanto lixo?",
        "e o que fazer?",
    ]
    assert sent.lines[-1] == {"type": "outbox", "sent": 2, "waiting": 0}
    assert [message["text"] for message in whole["messages"]] == [
        "porquê tanto lixo?",
        "Por causa do filtro.",
        "e o que fazer?",
        "Mudar o filtro.",
    ]
    assert left == []


@pytest.mark.parametrize(
    "places",
    [
        {"ANTHROPIC_BASE_URL": "http://127.0.0.1:{port}"},
        {"ANTHROPIC_BASE_URL": "http://localhost:{port}"},  # perhaps of two addresses
        {"ANTHROPIC_BASE_URL": "https://qhub.invalid", "HTTPS_PROXY": "http://127.0.0.1:{port}"},
        {"ANTHROPIC_BASE_URL": "https://qhub.invalid", "ALL_PROXY": "socks5://127.0.0.1:{port}"},
    ],
)
def test_where_nothing_listens_the_command_line_says_so_at_once(places: dict[str, str]) -> None:
    port = closed_port()
    environment = {name: place.format(port=port) for name, place in places.items()}
    environment["ANTHROPIC_API_KEY"] = "key-for-tests"

    queued, asked, sent = qhub_in_turn(
        [
            ("ask", "--queue", "porquê tanto lixo?"),
            ("ask", "--engine", "claude", "--json", "porquê?"),
            ("outbox", "--json", "send"),
        ],
        environment=environment,
    )

    assert (queued.code, asked.code, sent.code) == (0, 1, 1)
    assert asked.all("status") == []
    assert sent.lines == [{"type": "outbox", "sent": 0, "waiting": 1}]
    assert len(asked.err.splitlines()) == len(sent.err.splitlines()) == 1


def test_a_person_reads_what_waits_and_why() -> None:
    qhub("ask", "--queue", "porquê tanto lixo?")
    sent = qhub("outbox", "send", environment={"ANTHROPIC_API_KEY": ""})
    told = qhub("outbox")
    empty = qhub("outbox", "withdraw", "99")

    assert sent.code == 1
    assert "porquê tanto lixo?" in told.out
    assert sent.err.strip() in told.out  # what is in the way
    assert empty.code == 1
    assert "99" in empty.err
