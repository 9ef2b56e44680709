"""Vectors by a service of the plant's own, over a real connection."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from typing_extensions import override

from qhub_desktop.chat.claude.embeddings import EmbeddingEndpoint
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store

Answer = Callable[[dict[str, Any]], tuple[int, object]]


class Served:
    """A service on this computer: what it was asked, and how it answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answer: Answer = in_disorder

    def handler(served) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                served.asked.append((self.path, body))
                status, said = served.answer(body)
                content = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            @override
            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        return Handler


def in_disorder(asked: dict[str, Any]) -> tuple[int, object]:
    rows = [{"index": n, "embedding": [n, len(t)]} for n, t in enumerate(asked["input"])]
    return 200, {"data": rows[::-1]}


@pytest.fixture
def served() -> Iterator[tuple[Served, str]]:
    made = Served()
    server = ThreadingHTTPServer(("127.0.0.1", 0), made.handler())
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield made, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_vectors_come_in_the_order_of_the_texts(served: tuple[Served, str]) -> None:
    service, address = served
    endpoint = EmbeddingEndpoint(lambda: Settings(embedding_endpoint=f"{address}/v1#bge-m3"))

    vectors = await endpoint.embed(["a", "bcd"])
    await endpoint.close()

    assert vectors == [[0.0, 1.0], [1.0, 3.0]]
    assert service.asked == [("/v1/embeddings", {"input": ["a", "bcd"], "model": "bge-m3"})]
    assert endpoint.model == f"{address}#bge-m3"


async def test_what_is_sent_is_kept_first_and_nothing_where_nothing_is_kept(
    served: tuple[Served, str], store: Store
) -> None:
    service, address = served
    service.answer = lambda _asked: (500, {})
    settings = Settings(embedding_endpoint=address)
    endpoint = EmbeddingEndpoint(lambda: settings, log=store.sent)
    talk = (await store.conversations.create("analise")).id
    answer = (await store.messages.add(talk, "assistant")).id

    for message in (None, answer):
        with pytest.raises(QHubError):
            await endpoint.embed(["Polir duas vezes."], message=message)
    kept = await store.sent.latest(limit=9)
    settings = Settings(embedding_endpoint=address, sent_days=0)
    with pytest.raises(QHubError):
        await endpoint.embed(["Polir três vezes."])
    await endpoint.close()

    assert [each.message for each in kept] == [answer, None]
    assert kept[0].address == f"{address.removeprefix('http://')}/v1/embeddings"
    assert len(service.asked) == 3
    assert not await store.sent.latest(limit=9)


def test_only_a_service_on_this_computer_is_said_to_be_there() -> None:
    for address, is_here in (("http://127.0.0.1:8080#m", True), ("http://vectors.plant", False)):
        endpoint = EmbeddingEndpoint(lambda at=address: Settings(embedding_endpoint=at))  # type: ignore[misc]
        assert endpoint.is_on_this_computer == is_here


@pytest.mark.parametrize(
    "answer",
    [
        (500, {"error": {"message": "no"}}),
        (200, b"<html>"),
        (200, {"data": []}),
        (200, {"data": [{"index": 0, "embedding": []}]}),
        (200, {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}),
        (200, {"data": [{"index": 0, "embedding": ["x"]}]}),
        (200, b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}'),
        (200, ["data"]),
    ],
)
async def test_what_makes_no_sense_is_told_and_never_kept(
    served: tuple[Served, str], answer: tuple[int, object]
) -> None:
    service, address = served
    service.answer = lambda _asked: answer
    endpoint = EmbeddingEndpoint(lambda: Settings(embedding_endpoint=address))

    with pytest.raises(QHubError):
        await endpoint.embed(["a"])
    await endpoint.close()


async def test_a_service_that_is_away_is_told() -> None:
    endpoint = EmbeddingEndpoint(lambda: Settings(embedding_endpoint="http://127.0.0.1:9"))

    with pytest.raises(QHubError, match=r"127\.0\.0\.1"):
        await endpoint.embed(["a"])
    await endpoint.close()
