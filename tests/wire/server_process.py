"""The local service in a process of its own, so that its work is not measured with a client's."""

import multiprocessing
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from tests.wire.scenes import Scene
from tests.wire.server import WireServer


class WireProcess:
    """A script played by another process: `with WireProcess([answer("Olá")]) as server:`."""

    def __init__(self, script: list[Scene]) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(script, there), daemon=True)
        self.url = ""

    def __enter__(self) -> Self:
        self._process.start()
        self.url = self._here.recv()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._here.send("enough")
        self._process.join()
        self._here.close()


def _serve(script: list[Scene], parent: Connection) -> None:
    with WireServer(script) as server:
        parent.send(server.url)
        parent.recv()
