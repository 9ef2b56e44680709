"""Messages: what comes back, block by block, what a kill leaves open, and what calls have cost."""

import asyncio
from datetime import date, timedelta
from pathlib import Path

import pytest

from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.figure import Axis, Bars, Figure
from qhub_desktop.core.message import (
    INTERRUPTED,
    Block,
    Chip,
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Notice,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.store import Store
from qhub_desktop.store.database import connect
from tests.store.conftest import faults

SOURCE = Provenance("defeitos", "defeitos.xlsx", "Folha1", 59, 200, "SELECT 1")
TABLE = Table(
    (Column("dia", "date"), Column("valor", "number")),
    ((date(2026, 2, 1), 1.5), (None, float("inf"))),
)
FIGURE = Figure(
    "Top 5", (Bars((0.0, 1.0), (0.0, 0.0), (21.0, 9.0)),), x=Axis("tipo", "category", ("lixo", "é"))
)


def call(id_: str) -> ToolCall:
    return ToolCall(id_, "top_defeitos", {"n": 5})


def interrupted(id_: str) -> ToolResult:
    return ToolResult(id_, INTERRUPTED, is_error=True)


async def reopened(store: Store, blocks: list[Block]) -> tuple[Block, ...]:
    """The blocks of an answer that was never ended, as they are read."""
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant")
    for position, block in enumerate(blocks):
        await store.messages.put_block(answer.id, position, block)
    (read,) = await store.messages.latest(made.id)
    return read.blocks


async def test_every_block_comes_back_as_it_was_after_reopening(folder: Path) -> None:
    blocks: list[Block] = [
        Text("Com acentos: ção, 😀, emoji 🧪."),
        call("a"),
        ToolResult("a", {"top": [["lixo", 62]]}, Chart("bar", FIGURE, TABLE, SOURCE), SOURCE, ms=9),
        call("b"),
        ToolResult("b", None, TableView("Tudo", TABLE, 200)),
        call("c"),
        ToolResult("c", [1, None, True], Kpi("Total", 200.0), is_error=True),
        Notice("cut", "A ligação caiu."),
        Interpretation({"n": 5}, (Chip("order", "do maior", (Choice("do menor", {"n": -5}),)),)),
        Clarification("Qual?", (Choice("lixo", {"n": 1}), Choice("outro", {}))),
    ]
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    asked = await store.messages.add(made.id, "user", [Text("Top 5?"), ChosenPlan({"n": 5})])
    answer = await store.messages.add(made.id, "assistant")
    for position, block in enumerate(blocks):
        await store.messages.put_block(answer.id, position, block)
    await store.messages.end(answer.id, "limit", engine="claude-x")
    await store.messages.rate(answer.id, -1)
    store.close()

    store = Store.open(folder)
    read = await store.messages.latest(made.id)
    store.close()

    assert read == [
        asked,
        Message(
            answer.id,
            "assistant",
            tuple(blocks),
            answer.created,
            engine="claude-x",
            end="limit",
            rating=-1,
        ),
    ]
    assert faults(folder) == []


async def test_a_question_is_complete_at_once_and_an_answer_is_open_until_ended(
    store: Store,
) -> None:
    made = await store.conversations.create("analise")
    asked = await store.messages.add(made.id, "user", [Text("Quantos?")])
    answer = await store.messages.add(made.id, "assistant")
    assert (asked.end, answer.end) == ("complete", None)

    await store.messages.end(answer.id, "cancelled", engine="offline")

    assert [message.end for message in await store.messages.latest(made.id)] == [
        "complete",
        "cancelled",
    ]


async def test_a_growing_text_replaces_itself(store: Store) -> None:
    blocks = await reopened(store, [Text("Há "), call("a"), interrupted("a")])
    assert blocks[0] == Text("Há ")
    (made,) = await store.conversations.listed()
    (answer,) = await store.messages.latest(made.id)

    await store.messages.put_block(answer.id, 0, Text("Há 62 de lixo."))

    (answer,) = await store.messages.latest(made.id)
    assert answer.blocks == (Text("Há 62 de lixo."), call("a"), interrupted("a"))


async def test_reasoning_is_never_stored_and_keeps_its_place_free(
    store: Store, folder: Path
) -> None:
    thought = Reasoning({"thinking": "segredo"})
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant", [thought, Text("um")])
    await store.messages.put_block(answer.id, 2, thought)
    await store.messages.put_block(answer.id, 3, Text("dois"))
    await store.messages.put_block(answer.id, 1, Text("um!"))

    assert answer.blocks == (Text("um"),)
    assert (await store.messages.latest(made.id))[0].blocks == (Text("um!"), Text("dois"))
    store.close()
    assert b"segredo" not in (folder / "qhub.db").read_bytes()


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ([call("a")], [call("a"), interrupted("a")]),
        (
            [Text("x"), call("a"), call("b"), ToolResult("a", 1)],
            [Text("x"), call("a"), call("b"), ToolResult("a", 1), interrupted("b")],
        ),
        (
            [call("a"), call("b"), ToolResult("b", 1), Text("depois")],
            [call("a"), call("b"), ToolResult("b", 1), interrupted("a"), Text("depois")],
        ),
        (
            [call("a"), call("b"), ToolResult("a", 1), call("c"), ToolResult("c", 2)],
            [
                call("a"),
                call("b"),
                ToolResult("a", 1),
                interrupted("b"),
                call("c"),
                ToolResult("c", 2),
            ],
        ),
        (
            [call("a"), call("b"), ToolResult("b", 1), call("c"), ToolResult("a", 2)],
            [
                call("a"),
                call("b"),
                ToolResult("b", 1),
                call("c"),
                ToolResult("a", 2),
                interrupted("c"),
            ],
        ),
    ],
)
async def test_a_call_left_open_is_given_a_result_next_to_its_round(
    store: Store, stored: list[Block], read: list[Block]
) -> None:
    assert await reopened(store, stored) == tuple(read)


async def test_closing_a_call_on_reading_writes_nothing(store: Store) -> None:
    await reopened(store, [call("a")])
    (made,) = await store.conversations.listed()
    (answer,) = await store.messages.latest(made.id)

    await store.messages.put_block(answer.id, 1, ToolResult("a", {"total": 200}))

    (answer,) = await store.messages.latest(made.id)
    assert answer.blocks == (call("a"), ToolResult("a", {"total": 200}))


async def test_messages_are_read_page_by_page_from_the_end(store: Store) -> None:
    made = await store.conversations.create("analise")
    other = await store.conversations.create("analise")
    for number in range(7):
        await store.messages.add(made.id, "user", [Text(str(number))])
        await store.messages.add(other.id, "user", [Text("outra")])

    last = await store.messages.latest(made.id, limit=3)
    earlier = await store.messages.latest(made.id, before=last[0].id, limit=3)
    first = await store.messages.latest(made.id, before=earlier[0].id, limit=3)

    assert [[message.text for message in page] for page in (first, earlier, last)] == [
        ["0"],
        ["1", "2", "3"],
        ["4", "5", "6"],
    ]
    assert await store.messages.latest(made.id, before=first[0].id) == []


async def test_a_superseded_message_and_all_after_it_are_hidden_but_on_disk(
    store: Store, folder: Path
) -> None:
    made = await store.conversations.create("analise")
    other = await store.conversations.create("analise")
    first, second = [
        await store.messages.add(made.id, "user", [Text(word)]) for word in ("crateras", "gordura")
    ]
    await store.messages.add(other.id, "user", [Text("gordura noutra")])
    answer = await store.messages.add(made.id, "assistant")

    await store.messages.supersede(second.id)
    await store.messages.put_block(answer.id, 0, Text("gordura"))
    await store.messages.end(answer.id, "complete", engine="offline")

    assert await store.messages.latest(made.id) == [first]
    found = await store.conversations.listed(search="gordura")
    assert [each.id for each in found] == [other.id]
    store.close()
    with connect(folder / "qhub.db") as db:
        assert db.execute("SELECT count(*) FROM messages").fetchone() == (4,)
        assert db.execute("SELECT count(*) FROM blocks").fetchone() == (4,)
    db.close()
    assert faults(folder) == []


async def test_a_block_of_a_later_version_costs_only_itself(store: Store, folder: Path) -> None:
    await reopened(store, [Text("antes"), call("a"), ToolResult("a", 1), Text("depois")])
    (made,) = await store.conversations.listed()
    with connect(folder / "qhub.db") as db:
        db.execute("UPDATE blocks SET form = 99 WHERE position = 1")
    db.close()

    (answer,) = await store.messages.latest(made.id)

    assert [type(block) for block in answer.blocks] == [Text, Notice, Text]


async def test_a_checkpoint_writes_as_little_in_a_long_conversation_as_in_a_new_one(
    folder: Path,
) -> None:
    store = Store.open(folder)
    answers = []
    for count in (0, 300):
        made = await store.conversations.create("analise")
        for number in range(count):
            await store.messages.add(made.id, "user", [Text(f"pergunta {number} " * 20)])
        answers.append(await store.messages.add(made.id, "assistant", [Text("uma")]))
    store.close()

    grown_bytes = []
    for answer in answers:
        store = Store.open(folder)
        log = folder / "qhub.db-wal"
        await store.messages.put_block(answer.id, 0, Text("uma p"))
        before = log.stat().st_size
        await store.messages.put_block(answer.id, 0, Text("uma palavra"))
        grown_bytes.append(log.stat().st_size - before)
        store.close()

    new, long = grown_bytes
    assert new > 0
    assert long <= 2 * new


async def test_what_a_cancelled_caller_asked_for_is_still_written(store: Store) -> None:
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant")
    tasks = [
        asyncio.create_task(store.messages.put_block(answer.id, position, Text(str(position))))
        for position in range(50)
    ]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)

    (read,) = await store.messages.latest(made.id)

    assert all(isinstance(end, asyncio.CancelledError) for end in ends)
    assert read.text.split() == [str(position) for position in range(50)]


async def test_todays_cost_is_the_sum_of_todays_calls(store: Store, folder: Path) -> None:
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant")
    assert await store.messages.spent_today() == 0
    calls = [
        UsageCounted("claude-x", 1000, 200, 300, 400, 0.25),
        UsageCounted("local", 10, 20, 0, 0, None),
        UsageCounted("claude-x", 1, 2, 3, 4, 0.5),
    ]
    for call in calls:
        await store.messages.add_usage(answer.id, call)

    assert await store.messages.usage(answer.id) == calls
    assert await store.messages.spent_today() == 0.75

    with connect(folder / "qhub.db") as db:
        (day,) = db.execute("SELECT DISTINCT day FROM usage").fetchone()
        yesterday = (date.fromisoformat(day) - timedelta(days=1)).isoformat()
        db.execute("UPDATE usage SET day = ? WHERE cost_usd = 0.5", (yesterday,))
    db.close()
    assert await store.messages.spent_today() == 0.25
