"""A local service that speaks the Messages wire format over real HTTP, and fails on command."""

import json
import select
import socket
import ssl
import struct
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from typing_extensions import override

from tests.wire.events import content, events, model, sse, whole
from tests.wire.rules import Issued, complaint
from tests.wire.scenes import (
    Answer,
    Broken,
    Call,
    NoAnswer,
    Raw,
    Refusal,
    Scene,
    Script,
    Thought,
)

MODELS = (
    {"id": "claude-sonnet-5-5", "lifecycle": "active"},
    {"id": "claude-haiku-5-5", "lifecycle": "active"},
    {"id": "claude-opus-5-5", "lifecycle": "active"},
    {
        "id": "claude-sonnet-4-5",
        "lifecycle": "deprecated",
        "retires_at": "2026-11-30T00:00:00Z",
    },
)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    client: tuple[str, int]  # the same for as long as the connection is


@dataclass(slots=True)
class _Stage:
    """What every connection shares: the script, what came in, and who has gone."""

    script: Script
    key: str | None
    models: tuple[dict[str, Any], ...]
    requests: list[Request] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)
    batches: dict[str, str] = field(default_factory=dict)  # by their names: the lines of results
    issued: Issued = field(default_factory=Issued)
    left: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_scene(self, request: Request) -> Scene:
        """The scene for this request."""
        with self.lock:
            self.requests.append(request)
            if callable(self.script):
                return self.script(request.body)
            place = len(self.requests) - 1
            if place < len(self.script):
                return self.script[place]
        return Refusal(400, "invalid_request_error", "The script of this test is over.")


class WireServer:
    """Plays a script on 127.0.0.1 until closed: `with WireServer([answer("Olá")]) as server:`.

    A script is a list of scenes, one for each POST of /v1/messages, or a function from the
    request's body to a scene. With a `key` it refuses every other one; with a `certificate`, a
    file that holds its key too, it speaks TLS.
    """

    def __init__(
        self,
        script: Script,
        *,
        key: str | None = None,
        models: tuple[dict[str, Any], ...] = MODELS,
        certificate: Path | None = None,
        port: int = 0,
    ) -> None:
        self._stage = _Stage(script, key, models)
        self._http = _Http(("127.0.0.1", port), _Connection)
        self._http.stage = self._stage
        self._scheme = "http"
        if certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """Every message request so far, refused ones too."""
        return self._stage.requests

    @property
    def lookups(self) -> list[str]:
        """The paths of every GET so far."""
        return self._stage.lookups

    def wait_for_leaving(self, *, timeout_s: float = 5) -> bool:
        """Wait until a client has closed its connection in the middle of an answer."""
        return self._stage.left.acquire(timeout=timeout_s)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and hang up on everybody."""
        self._stage.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    stage: _Stage

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that hangs up is part of many plays; anything else must be seen.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _LeftError(ConnectionError):
    """The client has gone."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    @override
    def log_message(self, *_args: Any) -> None:
        """Tests are quiet."""

    def do_GET(self) -> None:
        """The models that exist."""
        stage = self.server.stage
        path = self.path.partition("?")[0]
        stage.lookups.append(path)
        if not self._is_allowed():
            return self._refuse(Refusal(401, "authentication_error", "invalid x-api-key"))
        models = {each["id"]: model(each) for each in stage.models}
        if path.startswith("/v1/messages/batches/"):
            return self._tell_batch(path.split("/")[4:])
        if path == "/v1/models":
            listed = list(models.values())
            self._send(200, json.dumps({"data": listed, "has_more": False}).encode())
        elif (name := path.removeprefix("/v1/models/")) in models:
            self._send(200, json.dumps(models[name]).encode())
        else:
            self._refuse(Refusal(404, "not_found_error", f"model: {name}"))
        return None

    def do_POST(self) -> None:
        """The next scene, if the request is one that the service would take."""
        stage = self.server.stage
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/v1/messages/batches":
            return self._begin_batch(json.loads(raw))
        if self.path != "/v1/messages":
            return self._refuse(Refusal(404, html="<h1>Not Found</h1>"))
        body = json.loads(raw)
        headers = {name.lower(): value for name, value in self.headers.items()}
        scene = stage.next_scene(Request(self.path, headers, body, self.client_address))
        if not self._is_allowed():
            return self._refuse(Refusal(401, "authentication_error", "invalid x-api-key"))
        if fault := complaint(body, stage.issued):
            return self._refuse(Refusal(400, "invalid_request_error", fault))
        # A play that refuses the model by name says so itself; here the service does.
        known = {each["id"] for each in stage.models}
        if body["model"].startswith("claude-") and body["model"] not in known:
            return self._refuse(Refusal(404, "not_found_error", f"model: {body['model']}"))
        match scene:
            case Refusal():
                self._refuse(scene)
            case NoAnswer("stall"):
                self._keep_silent()
            case NoAnswer(how):
                self._hang_up(how)
            case Raw(content, status, more, kind):
                self._send(status, content, kind=kind, headers=more)
            case Answer() if body.get("stream"):
                self._stream(scene, body["model"])
            case Answer():
                self._remember(scene)
                self._send(200, json.dumps(whole(scene, body["model"])).encode())
        return None

    def _begin_batch(self, body: dict[str, Any]) -> None:
        """Play the scene of each request at once; the batch is done at the second look."""
        stage = self.server.stage
        if not self._is_allowed():
            return self._refuse(Refusal(401, "authentication_error", "invalid x-api-key"))
        lines = []
        headers = {name.lower(): value for name, value in self.headers.items()}
        for each in body["requests"]:
            params = each["params"]
            if params.get("stream") or (fault := complaint(params, stage.issued)):
                fault = "stream" if params.get("stream") else fault
                return self._refuse(Refusal(400, "invalid_request_error", fault))
            scene = stage.next_scene(Request(self.path, headers, params, self.client_address))
            result: dict[str, Any] = {"type": "errored", "error": {"type": "error"}}
            if isinstance(scene, Answer):
                result = {"type": "succeeded", "message": whole(scene, params["model"])}
            lines.append({"custom_id": each["custom_id"], "result": result})
        name = f"msgbatch_{len(stage.batches) + 1:08d}"
        stage.batches[name] = "".join(json.dumps(each) + "\n" for each in reversed(lines))
        return self._send(200, json.dumps(self._batch(name, "in_progress")).encode())

    def _tell_batch(self, parts: list[str]) -> None:
        stage = self.server.stage
        name, looks = parts[0], stage.lookups.count(self.path)
        if not self._is_allowed() or name not in stage.batches:
            return self._refuse(Refusal(404, "not_found_error", "batch"))
        if parts[1:] == ["results"]:
            return self._send(200, stage.batches[name].encode(), kind="application/x-jsonl")
        state = "in_progress" if looks < 2 else "ended"
        return self._send(200, json.dumps(self._batch(name, state)).encode())

    def _batch(self, name: str, state: str) -> dict[str, Any]:
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": state,
            "results_url": f"https://elsewhere.example/{name}" if state == "ended" else None,
        }

    def _is_allowed(self) -> bool:
        key = self.server.stage.key
        given = (self.headers.get("x-api-key"), self.headers.get("authorization"))
        return key is None or given[0] == key or given[1] == f"Bearer {key}"

    def _refuse(self, refusal: Refusal) -> None:
        error: dict[str, Any] = {"type": refusal.type, "message": refusal.message}
        if refusal.error_code:
            error["details"] = {"error_code": refusal.error_code}
        content = {"type": "error", "error": error, "request_id": "req_test"}
        body = refusal.html.encode() if refusal.html else json.dumps(content).encode()
        kind = "text/html" if refusal.html else "application/json"
        self._send(refusal.status, body, kind=kind, headers=refusal.headers)

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        kind: str = "application/json",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.send_response(status)
        for name, value in (("content-type", kind), ("content-length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, scene: Answer, model: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", "req_test")
        self.end_headers()
        try:
            self._play(scene, model)
        except ConnectionError:
            self.server.stage.left.release()
            self.close_connection = True

    def _play(self, scene: Answer, model: str) -> None:
        broken = scene.broken
        begun = time.perf_counter()
        deltas = 0
        for event in events(scene, model):
            is_delta = event["type"] == "content_block_delta"
            if broken is not None and (deltas >= broken.after and (is_delta or not broken.after)):
                return self._break_off(broken)
            if is_delta and scene.pace is not None:
                self._rest_until(begun + deltas / scene.pace)
            deltas += is_delta
            self._chunk(sse(event))
        if broken is not None:
            return self._break_off(broken)
        self._remember(scene)
        return self._end()

    def _break_off(self, broken: Broken) -> None:
        match broken.how:
            case "end":
                self._end()
            case "stall":
                self._keep_silent()
            case "pings":
                while True:
                    self._chunk(sse({"type": "ping"}))
                    self._rest_until(time.perf_counter() + 0.02)
            case "error":
                fault = {"type": broken.error, "message": "Something went wrong."}
                self._chunk(sse({"type": "error", "error": fault}))
                self._end()
            case "malformed":
                self._chunk(b'event: content_block_delta\ndata: {"type": "content_bl\n\n')
                self._end()
            case "utf8":
                self._chunk(b"event: content_block_delta\ndata: \xff\xfe\xff\n\n")
                self._end()
            case "reset" | "close":
                self._hang_up(broken.how)

    def _hang_up(self, how: str) -> None:
        if how == "reset":
            # Lingering for no time makes the close a reset.
            linger = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _keep_silent(self) -> None:
        try:
            while True:
                self._rest_until(time.perf_counter() + 0.02)
        except ConnectionError:
            self.server.stage.left.release()
            self.close_connection = True

    def _rest_until(self, moment: float) -> None:
        """Wait, and notice when the client leaves or the play is over."""
        while (rest := moment - time.perf_counter()) > 0:
            if self.server.stage.closing.wait(min(rest, 0.02)):
                raise _LeftError
        if self.server.stage.closing.is_set():
            raise _LeftError
        is_readable = bool(select.select([self.connection], [], [], 0)[0])
        if is_readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise _LeftError

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _remember(self, scene: Answer) -> None:
        issued = self.server.stage.issued
        thoughts = [each for each in scene.blocks if isinstance(each, Thought)]
        for each in thoughts:
            issued.thoughts[each.text if each.is_redacted else each.signature] = content(each)
        if thoughts:
            issued.thoughtful_calls.update(
                each.id for each in scene.blocks if isinstance(each, Call)
            )
