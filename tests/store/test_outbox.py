"""What waits for Claude: kept, ordered, taken back, and never sent twice after a kill."""

import asyncio
import sys
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import EndReason, Text
from qhub_desktop.store import Store

KILLED = """
import asyncio, os, sys
from pathlib import Path
from qhub_desktop.store import Store

async def main():
    store = Store.open(Path(sys.argv[1]))
    (first, *_others) = await store.outbox.listed()
    assert await store.outbox.lock() and await store.outbox.claim(first.id)
    await store.outbox.place(first.id)
    print("sending", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def asked(store: Store, *questions: str) -> ConversationId:
    """A conversation in which these wait."""
    made = await store.conversations.create("analise")
    for question in questions:
        await store.outbox.put(made.id, question, user="maria")
    return made.id


async def waiting(store: Store) -> list[str]:
    return [each.text for each in await store.outbox.listed()]


async def test_what_waits_is_there_after_a_restart_in_the_order_of_asking(folder: Path) -> None:
    store = Store.open(folder)
    made = await asked(store, "Porquê?", "E em março?")
    store.close()

    again = Store.open(folder)
    found = await again.outbox.listed()
    again.close()

    assert [each.text for each in found] == ["Porquê?", "E em março?"]
    assert [(each.conversation, each.agent, each.user) for each in found] == [
        (made, "analise", "maria")
    ] * 2
    assert [each.state for each in found] == ["waiting", "waiting"]


async def test_a_question_pressed_twice_waits_once(store: Store) -> None:
    made = await asked(store, "Porquê?")
    again = await store.outbox.put(made, " Porquê? ")

    assert await waiting(store) == ["Porquê?"]
    assert again == (await store.outbox.listed())[0]


async def test_what_is_withdrawn_is_never_sent(store: Store) -> None:
    await asked(store, "Porquê?", "E em março?")
    first, _second = await store.outbox.listed()
    taken = await store.outbox.withdraw(first.id)

    assert taken.state == "withdrawn"
    assert await waiting(store) == ["E em março?"]
    assert not await store.outbox.claim(first.id)
    with pytest.raises(UserError, match="does not wait any more"):
        await store.outbox.withdraw(first.id)
    with pytest.raises(UserError, match="No question 99"):
        await store.outbox.withdraw(99)


async def test_what_is_on_its_way_cannot_be_withdrawn(store: Store) -> None:
    await asked(store, "Porquê?")
    (question,) = await store.outbox.listed()
    assert await store.outbox.claim(question.id)

    with pytest.raises(UserError, match="being answered just now"):
        await store.outbox.withdraw(question.id)
    assert not await store.outbox.claim(question.id)


async def test_only_one_program_sends_at_a_time(store: Store, folder: Path) -> None:
    other = Store.open(folder)
    assert await store.outbox.lock()
    assert not await other.outbox.lock()

    await store.outbox.unlock()
    assert await other.outbox.lock()
    other.close()
    assert await store.outbox.lock()


async def test_a_killed_sender_leaves_the_question_waiting_and_the_way_free(
    store: Store, folder: Path
) -> None:
    made = await asked(store, "Porquê?", "E em março?")
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert killed.stdout is not None
    assert (await killed.stdout.readline()).strip() == b"sending"
    assert not await store.outbox.lock()
    killed.kill()
    await killed.wait()

    assert await store.outbox.lock()
    assert await store.outbox.recover() == []
    first, _second = await store.outbox.listed()
    assert (first.text, first.state) == ("Porquê?", "waiting")
    # The question was in the conversation already, and is not put there again.
    assert await store.outbox.claim(first.id)
    assert await store.outbox.place(first.id) == first.message
    assert [each.text for each in await store.messages.latest(made)] == ["Porquê?"]


@pytest.mark.parametrize(
    ("end", "is_sent"),
    [("complete", True), ("limit", True), ("failed", False), ("cancelled", False), (None, False)],
)
async def test_after_a_kill_an_answer_that_came_to_its_end_counts(
    store: Store, end: EndReason | None, is_sent: bool
) -> None:
    made = await asked(store, "Porquê?")
    (question,) = await store.outbox.listed()
    await store.outbox.claim(question.id)
    await store.outbox.place(question.id)
    answer = await store.messages.add(made, "assistant", [Text("Porque sim.")])
    if end is not None:
        await store.messages.end(answer.id, end, engine="claude-sonnet-5-5")

    answered = await store.outbox.recover()

    assert [each.text for each in answered] == (["Porquê?"] if is_sent else [])
    assert await waiting(store) == ([] if is_sent else ["Porquê?"])
    assert (await store.conversations.find(made)).is_unread is is_sent


async def test_a_question_that_others_followed_is_asked_again_at_the_end(store: Store) -> None:
    made = await asked(store, "Porquê?")
    (question,) = await store.outbox.listed()
    await store.outbox.claim(question.id)
    first = await store.outbox.place(question.id)
    await store.outbox.release(question.id, "no network")
    await store.messages.add(made, "user", [Text("Quantos são?")])

    await store.outbox.claim(question.id)
    second = await store.outbox.place(question.id)

    assert second > first
    assert [each.text for each in await store.messages.latest(made)] == [
        "Porquê?",
        "Quantos são?",
        "Porquê?",
    ]


async def test_what_was_refused_stays_in_sight_and_can_be_renewed(store: Store) -> None:
    await asked(store, "Porquê?")
    (question,) = await store.outbox.listed()
    await store.outbox.claim(question.id)
    await store.outbox.fail(question.id, "The account has no credit left.")
    (failed,) = await store.outbox.listed()
    assert (failed.state, failed.attempts, failed.error) == (
        "failed",
        1,
        "The account has no credit left.",
    )
    assert not await store.outbox.claim(question.id)

    await store.outbox.requeue(question.id)
    assert await store.outbox.claim(question.id)


async def test_what_is_in_the_way_is_kept_with_all_that_waits(store: Store) -> None:
    await asked(store, "Porquê?", "E em março?")
    await store.outbox.note_error("There is no key.")

    assert [each.error for each in await store.outbox.listed()] == ["There is no key."] * 2


async def test_an_answer_unseen_marks_the_conversation_until_it_is_opened(store: Store) -> None:
    made = await asked(store, "Porquê?", "E em março?")
    first, second = await store.outbox.listed()
    await store.outbox.finish(first.id, is_seen=True)
    assert not (await store.conversations.find(made)).is_unread
    await store.outbox.finish(second.id, is_seen=False)
    assert [each.is_unread for each in await store.conversations.listed()] == [True]

    await store.conversations.set_unread(made, is_unread=False)
    assert [each.is_unread for each in await store.conversations.listed()] == [False]


async def test_a_deleted_conversation_asks_nothing_until_it_is_back(store: Store) -> None:
    made = await asked(store, "Porquê?")
    await store.conversations.set_deleted(made, is_deleted=True)
    assert await waiting(store) == []
    await store.conversations.set_deleted(made, is_deleted=False)
    assert await waiting(store) == ["Porquê?"]
