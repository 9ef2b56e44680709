"""What was sent: as it went out, in little room, and no longer than was asked."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core import untrusted
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.ids import MessageId
from qhub_desktop.store import Store, sent
from qhub_desktop.store.database import now_us
from qhub_desktop.store.deletion import DAY_US
from tests.store.test_people import account

MARK: JsonObject = {"type": "ephemeral"}


def _conversation(rounds: int) -> list[JsonObject]:
    """The requests of a conversation, each with all that was said before it."""
    text = random.Random(7)
    prompt = " ".join(f"regra{text.random()}" for _ in range(400))
    tools: list[Any] = [
        {"name": f"t{n}", "description": f"Ferramenta {text.random()} " * 20} for n in range(12)
    ]
    messages: list[Any] = []
    bodies: list[JsonObject] = []
    for number in range(rounds):
        said = " ".join(f"palavra{text.random()}" for _ in range(30))
        messages.append({"role": "user", "content": [{"type": "text", "text": f"{number} {said}"}]})
        *before, last = messages
        marked = {**last, "content": [{**last["content"][0], "cache_control": MARK}]}
        bodies.append(
            {
                "model": "claude-sonnet-5-5",
                "max_tokens": 4096,
                "messages": [*before, marked],
                "stream": True,
                "system": [{"type": "text", "text": prompt, "cache_control": MARK}],
                "tools": tools,
            }
        )
        messages.append(
            {"role": "assistant", "content": [{"type": "text", "text": f"resposta {said}"}]}
        )
    return bodies


async def _add(
    store: Store, body: JsonObject, message: MessageId | None = None, days: int = 30
) -> int:
    return await store.sent.add(
        host="gateway", path="/v1/messages", model="m", body=body, message=message, days=days
    )


async def test_a_long_conversation_is_kept_whole_and_in_a_tenth_of_its_room(store: Store) -> None:
    bodies = _conversation(40)

    talk = (await store.conversations.create("analise")).id
    answers = [(await store.messages.add(talk, "assistant")).id for _body in bodies]
    kept = [
        await _add(store, body, message=answer)
        for answer, body in zip(answers, bodies, strict=True)
    ]

    for id_, body in zip(kept, bodies, strict=True):
        assert await store.sent.body(id_) == body
        assert list(await store.sent.body(id_)) == list(body)
    listed = await store.sent.latest(limit=100)
    assert [each.message for each in listed] == answers[::-1]
    assert sum(each.size for each in listed) > 10 * await store.sent.kept_bytes()
    (only,) = await store.sent.latest(limit=10, message=answers[7])
    assert only.size == len(json.dumps(bodies[7], ensure_ascii=False, separators=(",", ":")))


async def test_a_body_of_any_shape_comes_back(store: Store) -> None:
    shapes: list[JsonObject] = [
        {},
        {"messages": "Olá"},
        {"messages": [{"role": "user", "content": "Olá"}]},
        {"messages": [["x"], None, {"content": [None, [1, 2]]}]},
        {"system": "És um teste.", "tools": [{"cache_control": MARK}]},
        {"system": [{"cache_control": None, "text": "x"}]},
    ]
    for shape in shapes:
        assert await store.sent.body(await _add(store, shape)) == shape


async def test_what_a_request_took_is_kept_beside_it(store: Store) -> None:
    first, second = [await _add(store, {"model": "m"}) for _ in range(2)]
    usage = UsageCounted("m", 10, 20, cache_read_tokens=30, cache_write_tokens=40, cost_usd=0.25)
    await store.sent.add_usage(second, usage)

    told = {each.id: each.usage for each in await store.sent.latest(limit=2)}

    assert told == {first: None, second: usage}


async def test_no_key_in_use_is_kept(store: Store, folder: Path) -> None:
    untrusted.use_secret("gw_planted-key-0123456789")
    said = "a chave é gw_planted-key-0123456789, ouviste?"
    body: JsonObject = {"messages": [{"role": "user", "content": [{"text": said}]}], "x": said}

    kept = await store.sent.body(await _add(store, body))

    assert "planted-key" not in json.dumps(kept)
    assert "ouviste" in json.dumps(kept)


async def test_what_is_too_old_goes_and_leaves_no_part_behind(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = _conversation(2)[0], {**_conversation(3)[2], "tools": []}
    now = now_us()
    monkeypatch.setattr(sent, "now_us", lambda: now - 10 * DAY_US)
    first = await _add(store, old)
    monkeypatch.setattr(sent, "now_us", lambda: now)
    second = await _add(store, new)

    await store.sent.sweep(days=7)

    assert [each.id for each in await store.sent.latest(limit=9)] == [second]
    assert await store.sent.body(first) == {}
    assert await store.sent.body(second) == new
    await store.sent.sweep(days=0)
    assert await store.sent.kept_bytes() == 0


async def test_there_is_an_end_to_the_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent, "MOST_BYTES", 100_000)
    text = random.Random(3)

    for _number in range(100):
        words = " ".join(str(text.random()) for _ in range(300))
        await _add(store, {"messages": [{"role": "user", "content": [{"text": words}]}]})

    assert await store.sent.kept_bytes() < 200_000
    assert len(await store.sent.latest(limit=200)) > 5


async def test_texts_of_documents_sent_for_no_answer_are_for_administrators(store: Store) -> None:
    body: JsonObject = {"input": ["Só da chefia."]}
    given: Any = {"host": "vectors", "path": "/v1/embeddings", "model": "", "body": body}
    id_ = await store.sent.add(**given, message=None, days=30)
    assert await store.sent.body(id_) == body  # nobody signs in here yet
    people = [await account(store, "ana", "admin"), await account(store, "rui"), None]

    seen = []
    for person in people:
        store.enter(person)
        (listed,) = await store.sent.latest(limit=9)
        seen.append((listed.address, await store.sent.body(id_)))

    assert seen == [("vectors/v1/embeddings", shown) for shown in (body, {}, {})]


async def test_what_was_sent_for_somebody_is_seen_by_nobody_else(store: Store) -> None:
    body: JsonObject = {"messages": [{"role": "user", "content": [{"text": "Só meu."}]}]}
    ana, rui = await account(store, "ana", "admin"), await account(store, "rui")
    store.enter(ana)
    talk = (await store.conversations.create("analise")).id
    answer = (await store.messages.add(talk, "assistant")).id
    theirs, nobodys = await _add(store, body, message=answer), await _add(store, {"model": "m"})
    seen: dict[str | None, tuple[list[int], bool]] = {}
    for person in (ana, rui, None):
        store.enter(person)
        listed = [each.id for each in await store.sent.latest(limit=9)]
        seen[person.name if person else None] = (listed, bool(await store.sent.body(theirs)))

    assert seen == {
        "ana": ([nobodys, theirs], True),
        "rui": ([nobodys], False),
        None: ([nobodys], False),
    }
