"""Half characters at every border: nothing crashes, and no conversation becomes unsendable."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.chat.outbox import Outbox
from qhub_desktop.core.events import Done, ErrorHappened, TextAdded
from qhub_desktop.core.message import Message, Text
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, turns_with
from tests.chat.requests import claude_at
from tests.end_to_end.qhub_process import qhub, qhub_in_turn
from tests.wire import Call, WireServer, answer, calls, thinking
from tests.wire.events import events
from tests.wire.scenes import Answer, Raw, Scene

BROKEN = (
    "\ud83d",
    "\ude00",
    "meio \ud83d carácter",
    "\ude00\ud83d",
    "\ud83d\ud83d\ude00",
    "fim \udcff",
    "\udc80\udc81 nome \0",
)


def _scenes(text: str) -> Iterator[Answer]:
    """Every place of an answer that can hold a text."""
    for size in (1, 2, 100):
        yield answer(text, size=size)
        yield thinking(f"Penso {text}.", text, size=size)
        yield calls(Call("somar", {"valores": [1], text: text}), text=text, size=size)
        yield calls(Call(text, {"a": [text, {text: text}]}, id=text))
        yield calls(Call("somar", {}, raw_input='{"valores": ["' + text.replace("\0", "") + '"]}'))


def _raw(scene: Answer) -> Raw:
    """As a service writes it that escapes all that is not ASCII."""
    told = [json.dumps(each) for each in events(scene, "claude-sonnet-5-5")]
    return Raw("".join(f"event: x\ndata: {each}\n\n" for each in told).encode())


@pytest.mark.parametrize("text", BROKEN)
async def test_a_service_that_says_half_characters_leaves_a_conversation_that_goes_on(
    text: str, store: Store, folder: Path
) -> None:
    person = Person()
    for scene in _scenes(text):
        talk = (await store.conversations.create(AGENT.id)).id
        left: list[Scene] = [_raw(scene)]

        def next_scene(_body: dict[str, Any], left: list[Scene] = left) -> Scene:
            return left.pop() if left else answer("Fim.")

        with WireServer(next_scene) as server:
            async with claude_at(server.url) as claude:
                turns = turns_with(store, claude)
                await turns.reply(talk, "Quantos?", audience=person)
                await turns.reply(talk, "E agora?", audience=person)
        _assert_text(await store.messages.latest(talk))

    assert person.all(ErrorHappened) == []
    assert {each.reason for each in person.all(Done)} == {"complete"}
    assert len(await store.conversations.listed()) == len([*_scenes(text)])


async def test_the_halves_of_a_character_in_two_deltas_become_one(store: Store) -> None:
    talk = (await store.conversations.create(AGENT.id)).id
    person = Person()
    with WireServer([_raw(answer("Bom \ud83d\ude00 dia", size=1))]) as server:
        async with claude_at(server.url) as claude:
            await turns_with(store, claude).reply(talk, "Olá bom dia", audience=person)

    assert "".join(each.content for each in person.all(TextAdded)) == "Bom 😀 dia"


@pytest.mark.parametrize("text", BROKEN)
async def test_what_is_typed_or_pasted_can_be_sent(text: str, store: Store) -> None:
    talk = (await store.conversations.create(AGENT.id)).id
    person = Person()
    with WireServer(lambda _body: answer("Fim.")) as server:
        async with claude_at(server.url, settings=Settings(engine="claude")) as claude:
            turns = turns_with(store, claude)

            async def is_no_small_talk(_text: str) -> bool:
                return False

            outbox = Outbox(
                queue=store.outbox,
                turns=turns,
                claude=claude,
                settings=lambda: Settings(engine="claude"),
                is_small_talk=is_no_small_talk,
                user=text,
            )
            await turns.reply(talk, f"a {text}", audience=person)
            asked = (await store.messages.latest(talk))[0]
            await turns.edit(talk, asked.id, f"b {text}", audience=person)
            queued = await outbox.put(talk, f"c {text}")
            await outbox.withdraw(queued.id)

    assert person.all(ErrorHappened) == []
    _assert_text(await store.messages.latest(talk))
    (listed,) = await store.conversations.listed()
    listed.title.encode()


@pytest.mark.parametrize("text", BROKEN)
async def test_a_history_that_holds_half_a_character_is_mended_when_it_is_read(
    text: str, store: Store
) -> None:
    talk = (await store.conversations.create(AGENT.id)).id
    await store.messages.add(talk, "user", [Text("Quantos?")])
    given = await store.messages.add(talk, "assistant", [Text("Sessenta.")])
    stored = json.dumps({"type": "text", "text": text})  # as an earlier version did

    def spoil(db: Any) -> None:
        db.execute("UPDATE blocks SET data = ? WHERE message = ?", (stored, given.id))

    await store.messages.database.run(spoil)
    person = Person()
    with WireServer([answer("Fim.")]) as server:
        async with claude_at(server.url) as claude:
            await turns_with(store, claude).reply(talk, "E agora?", audience=person)

    assert person.all(ErrorHappened) == []
    _assert_text(await store.messages.latest(talk))


def test_what_is_whole_is_left_alone() -> None:
    whole = "ção 😀 \N{ZERO WIDTH JOINER} \ufffd Ω\n\tfim"

    assert sanitize(whole) == whole


@pytest.mark.skipif(sys.platform == "win32", reason="Arguments are text there.")
@pytest.mark.parametrize("text", [b"caf\xe9 \xff\xed\xa0\xbd"])
def test_an_argument_that_is_no_text_is_a_question_all_the_same(text: bytes) -> None:
    broken = os.fsdecode(text)
    asked = qhub("ask", "--engine", "offline", "--json", f"quantos defeitos {broken}?")

    assert (asked.code, asked.err) == (0, "")
    assert asked.lines[-1]["type"] == "done"
    shown, *others = qhub_in_turn(
        [
            ("show", asked.conversation),
            ("conversations", "--search", broken),
            ("show", broken),
            ("ask", "--conversation", broken, "olá"),
            ("ask", "--queue", "--engine", "claude", f"porquê {broken}"),
            ("outbox",),
        ]
    )
    assert shown.code == 0
    assert not any("Traceback" in called.err for called in others)
    assert not list(Path(os.environ["QHUB_HOME"], "logs").glob("crash-*")), others


def _assert_text(messages: list[Message]) -> None:
    for message in messages:
        json.dumps(repr(message.blocks), ensure_ascii=False).encode()
        assert "\\ud8" not in repr(message.blocks)
        assert "\\udc" not in repr(message.blocks)
