"""Nothing that a service says is kept as it came: keys, floods, redirects, calls with one id."""

import base64
import gzip
import json
import logging
import sys
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from qhub_desktop.chat.claude import credentials
from qhub_desktop.core import crash, untrusted
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import Done, ErrorHappened, TextAdded
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, turns_with
from tests.chat.requests import PATIENT, claude_at, hear
from tests.wire import Call, Refusal, WireServer, answer, calls, thinking
from tests.wire.events import events, sse
from tests.wire.scenes import Raw, Scene, Script

# As the service makes them, as a gateway does, and as people do.
KEYS = (
    "sk-ant-api03-Zq8Hn2kLw0Xc5Rb7Vt1Ym4Gd9Jf6Ps3Ea-Ui_Oy8Kr2Nv5Tz7Wq1Bx4Cm6Dl9Fh3Gj0-pQAA",
    "gw_7f3c9a1e5b2d8f4a6c0e",
    "fabrica-2026",
)


@pytest.fixture(autouse=True)
def no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secrets of this test are no other test's."""
    before = untrusted._Secrets
    monkeypatch.setattr(untrusted, "_Secrets", type("_Secrets", (before,), {}))


def _echoes(key: str) -> Iterator[str]:
    """What a service may answer that quotes the request."""
    yield f"invalid header: Authorization: Bearer {key}"
    yield json.dumps({"headers": {"x-api-key": key}})
    yield f"x-api-key={quote(key)}&model=claude"
    yield f"cannot use {key.upper()}"
    yield f"Basic {base64.b64encode(key.encode()).decode()}"
    yield f"{key}{key}\n\t{key}"
    if len(key) > 40:
        yield f"the key {key[:30]}... is not known"
        yield f"the key ...{key[-30:]} is not known"
    yield "x" * (200 - len(key) // 2) + key  # cut in the middle of it


def _scenes(key: str, said: str) -> Iterator[Scene]:
    """Every place of an answer that can hold a text."""
    for status in (400, 401, 403, 404, 407, 409, 413, 418, 422, 451):
        yield Refusal(status, "invalid_request_error", said)
        yield Refusal(status, said, "no")
        yield Refusal(status, "api_error", "no", error_code=said)
    yield Refusal(403, html=f"<h1>{said}</h1>")
    yield Raw(said.encode(), 400, kind="text/plain")
    yield Raw(json.dumps({"error": {"type": [said], "message": {"a": said}}}).encode(), 400)
    error = {"type": "error", "error": {"type": "api_error", "message": said}}
    yield Raw(sse(error))
    begun = b"".join(sse(each) for each in [*events(answer("Bom dia"), "m")][:4])
    yield Raw(begun + sse({"type": "error", "error": {"type": said, "message": said}}))
    yield Raw(begun + f"event: content_block_delta\ndata: {said}\n\n".encode())
    yield answer(f"Bom dia {said} boa noite")
    yield answer(f"Bom dia {said}", size=1).broken_off("reset", after=len(said) + 4)
    yield thinking(f"Penso em {said}.", "Pronto")
    yield calls(Call("somar", {"valores": said, said: [said]}), text=said)
    yield calls(Call(said, {}, id=said))
    yield Raw(b"", 307, (("location", f"https://{quote(key)}.example.com/{quote(said)}"),))


@pytest.mark.parametrize("key", KEYS)
async def test_a_key_that_a_service_quotes_is_stored_shown_logged_and_printed_nowhere(
    key: str,
    folder: Path,
    store: Store,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    reports = crash.CrashReporter(tmp_path / "logs")
    # Every place with the first echo, and every echo in a seventh of the places.
    scenes = [
        scene
        for number, said in enumerate(_echoes(key))
        for place, scene in enumerate(_scenes(key, said))
        if not number or (place + number) % 7 == 0
    ]
    person = Person()
    with WireServer(_one_for_each_question(scenes)) as server:
        models = ({"id": f"model-of-{key}", "lifecycle": "active"},)
        server._stage.models = (*server._stage.models, *models)
        async with claude_at(server.url, key=key, settings=PATIENT) as claude:
            turns = turns_with(store, claude)
            for _ in scenes:
                talk = (await store.conversations.create(AGENT.id)).id
                person.saw.append(TextAdded("\n"))
                await turns.reply(talk, "Quantos?", audience=person)
            with pytest.raises(UserError) as gone:
                await claude.test_connection(Settings(model="claude-gone"))
    logging.getLogger("qhub_desktop").warning("%s", str(gone.value))
    store.close()
    reports.close()

    assert len([each for each in person.saw if isinstance(each, Done)]) == len(scenes)
    printed = capfd.readouterr()
    seen = [repr(person.saw), str(gone.value), printed.out, printed.err]
    kept = [file.read_bytes().decode("utf-8", "replace") for file in _files(folder, tmp_path)]
    assert len(kept) > 2
    for text in (*seen, *kept):
        _assert_without(key, text)


def _assert_without(key: str, text: str) -> None:
    shortest = min(2 * untrusted.PART, len(key))
    for form in (key, quote(key), base64.b64encode(key.encode()).decode().rstrip("=")):
        for start in range(len(form) - shortest + 1):
            assert form[start : start + shortest].lower() not in text.lower()


def _files(*folders: Path) -> list[Path]:
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def _one_for_each_question(scenes: list[Scene]) -> Script:
    """The next scene for each question; what comes after a tool or a new try is an end."""
    left = iter(scenes)

    def next_scene(body: dict[str, Any]) -> Scene:
        last = body["messages"][-1]["content"]
        goes_on = isinstance(last, list) and last[0]["type"] == "tool_result"
        return answer("Fim.") if goes_on else next(left, answer("Fim."))

    return next_scene


@pytest.fixture
def no_secret_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide no secret of earlier tests, one of which may be the beginning of this one's."""
    for name in ("blocks", "shortest", "beginnings"):
        monkeypatch.setattr(untrusted._Secrets, name, getattr(untrusted._Secrets, name))
    monkeypatch.setattr(untrusted._Secrets, "forms", ())


@pytest.mark.usefixtures("no_secret_before")
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 11, 40])
def test_a_key_that_arrives_in_pieces_is_found(key: str, size: int) -> None:
    untrusted.use_secret(key)
    text = f"Antes {key} entre {key[: len(key) // 2]} e {key}{key} fim"
    stream = untrusted.StreamFilter()

    shown = [stream.feed(text[start : start + size]) for start in range(0, len(text), size)]
    shown.append(stream.finish())

    assert key not in "".join(shown)
    assert "".join(shown).startswith("Antes <secret> entre ")
    assert "".join(shown).endswith(" fim")


def test_a_stored_key_that_begins_as_the_one_in_use_is_hidden_whole() -> None:
    former = "sk-ant-api03-" + "Zq7" * 25
    untrusted.use_secret("sk-ant-api03-" + "Ab9" * 25)

    hidden = untrusted.hide_stored_secrets(f"refused: x-api-key: {former}")

    assert hidden == f"refused: x-api-key: {untrusted.HIDDEN}"


def test_text_without_a_key_is_left_alone_and_none_of_it_waits() -> None:
    for key in KEYS:
        untrusted.use_secret(key)
    stream = untrusted.StreamFilter()
    text = "Há 62 defeitos de lixo; sk é uma sigla, fabrica também. 😀"

    assert "".join([*(stream.feed(each) for each in text), stream.finish()]) == text
    assert stream.feed("Bom dia.") == "Bom dia."


def test_a_key_is_no_part_of_the_message_of_any_error() -> None:
    untrusted.use_secret(KEYS[1])

    assert KEYS[1] not in str(UserError(f"The file {KEYS[1]} is not there."))


def test_a_password_in_an_address_is_in_use() -> None:
    service = credentials.chosen_endpoint(Settings(endpoint="https://u:geheim-99@gw.example"), {})

    assert untrusted.hide_secrets("geheim-99") == "<secret>"
    assert "geheim" not in service.host


async def test_an_unexpected_error_is_printed_without_the_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    untrusted.use_secret(KEYS[1])
    with crash.CrashReporter(tmp_path):
        crash.report(ValueError(f"bad header {KEYS[1]}"))

    printed = capsys.readouterr().err
    assert "ValueError" in printed
    assert KEYS[1] not in printed


BOMB = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
PACKED = BOMB.compress(bytes(400_000_000)) + BOMB.flush()


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/plain"])
async def test_a_body_that_unpacks_to_gigabytes_is_read_in_part(status: int, kind: str) -> None:
    scene = Raw(PACKED, status, (("content-encoding", "gzip"),), kind=kind)
    with WireServer(lambda _body: scene) as server:
        async with claude_at(server.url, settings=PATIENT) as claude:
            await hear(claude)  # loads the SDK
            tracemalloc.start()
            heard = await hear(claude)
            _now, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()

    assert heard.failure is not None
    assert most < 100_000_000


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
async def test_a_gateway_that_packs_its_answers_is_understood(pack: Any) -> None:
    name = "gzip" if pack is gzip.compress else "deflate"
    body = pack(b"".join(sse(each) for each in events(answer("Sessenta e dois."), "m")))
    refusal = pack(json.dumps({"error": {"type": "permission_error", "message": "Não."}}).encode())
    packed = (("content-encoding", name),)
    with WireServer([Raw(body, 200, packed), Raw(refusal, 403, packed)]) as server:
        async with claude_at(server.url) as claude:
            heard, refused = await hear(claude), await hear(claude)

    assert (heard.failure, heard.text) == (None, "Sessenta e dois.")
    assert "(Não.)" in str(refused.failure)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["{other}/v1/messages", "//{netloc}/x", "http://{netloc}"])
async def test_the_key_does_not_follow_to_another_host(status: int, where: str) -> None:
    with WireServer(lambda _body: answer("Olá.")) as other:
        location = where.format(other=other.url, netloc=other.url.partition("//")[2])
        scene = Raw(b"", status, (("location", location),))
        with WireServer(lambda _body: scene) as server:
            async with claude_at(server.url) as claude:
                heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert "sends on to another address" in str(heard.failure)
    assert other.url in str(heard.failure)
    assert (other.requests, other.lookups) == ([], [])
    assert len(server.requests) == 1


async def test_a_way_to_another_path_of_the_same_host_is_followed() -> None:
    scenes: list[Scene] = [Raw(b"", 307, (("location", "/v1/messages"),)), answer("62")]
    with WireServer(scenes) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, "62")


@pytest.mark.parametrize("host", ["gateway.invalid", "10.255.255.1:8080", "[2001:db8::1]"])
@pytest.mark.parametrize("scheme", ["http", "HTTP"])
async def test_a_key_goes_nowhere_without_encryption_unless_the_person_allows_it(
    scheme: str, host: str
) -> None:
    settings = Settings(engine="claude", endpoint=f"{scheme}://{host}", heartbeat_s=0.2)
    async with claude_at("", settings=settings) as claude:
        heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "setup"
    assert "without encryption" in str(heard.failure)
    assert host in str(heard.failure)


async def test_a_host_that_the_person_allowed_gets_its_key_without_encryption() -> None:
    settings = Settings(
        engine="claude",
        endpoint="http://gateway.invalid",
        unencrypted_host="gateway.invalid",
        heartbeat_s=0.2,
    )
    async with claude_at("", settings=settings) as claude:
        heard = await hear(claude)

    assert "cannot be reached" in str(heard.failure)


@pytest.mark.parametrize("ids", [("a", "a"), ("a", "a", "a"), ("a", "a_2", "a"), ("", "")])
async def test_calls_with_one_id_are_calls_of_their_own(ids: tuple[str, ...], store: Store) -> None:
    asked = [Call("somar", {"valores": [n]}, id=id_) for n, id_ in enumerate(ids)]
    # In one round, and once more in the next.
    scenes: list[Scene] = [calls(*asked), calls(*asked), answer("Fim."), answer("Outra.")]
    talk = (await store.conversations.create(AGENT.id)).id
    person = Person()
    with WireServer(scenes) as server:
        async with claude_at(server.url) as claude:
            turns = turns_with(store, claude)
            await turns.reply(talk, "Soma.", audience=person)
            await turns.reply(talk, "E agora?", audience=person)

    assert [each.reason for each in person.all(Done)] == ["complete", "complete"]
    blocks = (await store.messages.latest(talk))[1].blocks
    made = [each for each in blocks if isinstance(each, ToolCall)]
    results = [each for each in blocks if isinstance(each, ToolResult)]
    assert len({each.id for each in made}) == 2 * len(ids)
    assert [each.content for each in results] == [{"soma": n} for n in range(len(ids))] * 2


async def test_a_history_with_two_calls_of_one_id_is_sendable(store: Store) -> None:
    talk = (await store.conversations.create(AGENT.id)).id
    await store.messages.add(talk, "user")
    twice = [ToolCall("a", "somar", {"valores": [n]}) for n in (1, 2)]
    results = [ToolResult("a", {"soma": n}) for n in (1, 2)]
    await store.messages.add(talk, "assistant", [*twice, *results])
    person = Person()
    with WireServer([answer("Sim.")]) as server:
        async with claude_at(server.url) as claude:
            await turns_with(store, claude).reply(talk, "E agora?", audience=person)

    assert person.all(ErrorHappened) == []
