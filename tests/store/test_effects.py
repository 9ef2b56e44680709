"""What a tool call wrote, once: by its id, whatever became of its result."""

import os
import random
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.store import Store
from qhub_desktop.store.effects import CallKey
from tests.store.conftest import faults

# 100 take 18 s: as many are asked for by hand, after a change of how effects are kept.
KILLS = int(os.environ.get("QHUB_TEST_KILLS", "20"))
DEFECT = Defect(date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)
ROOT = Path(__file__).parents[2]


async def called(store: Store, conversation: ConversationId, call: str) -> CallKey:
    """A call in an answer that has no end, and no result."""
    await store.messages.add(conversation, "user", [Text("Regista.")])
    answer = await store.messages.add(conversation, "assistant")
    await store.messages.put_block(answer.id, 0, ToolCall(call, "registar_defeito", {}))
    return CallKey(answer.id, call)


def recording(folder: Path, key: CallKey) -> "subprocess.Popen[bytes]":
    """A program that writes a defect for a call, and never stores its result."""
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.store.second_program", "record", str(folder)),
            f"{key.message} {key.call}",
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        bufsize=0,
    )


async def count(store: Store) -> int:
    return len((await store.defects.log()).rows)


async def test_the_same_call_again_returns_its_first_result(store: Store) -> None:
    conversation = (await store.conversations.create("qualidade")).id
    key = await called(store, conversation, "toolu_1")
    before = await count(store)

    first = await store.defects.record(DEFECT, key)
    again = await store.defects.record(DEFECT, key)
    in_the_next_answer = await store.defects.record(
        DEFECT, await called(store, conversation, "toolu_1")
    )

    assert first == again == in_the_next_answer
    assert await count(store) == before + 1


async def test_a_service_that_counts_its_calls_anew_writes_each(store: Store) -> None:
    conversation = (await store.conversations.create("qualidade")).id
    before = await count(store)
    for _turn in range(2):
        key = await called(store, conversation, "call_0")
        told = await store.defects.record(DEFECT, key)
        await store.messages.put_block(key.message, 1, ToolResult("call_0", told))
        await store.messages.end(key.message, "complete", engine="local")

    assert await count(store) == before + 2


async def test_what_a_call_wrote_before_a_kill_is_told_as_its_result(store: Store) -> None:
    conversation = (await store.conversations.create("qualidade")).id
    key = await called(store, conversation, "toolu_1")
    told = await store.defects.record(DEFECT, key)

    (_asked, answer) = await store.messages.latest(conversation)

    assert answer.blocks[1] == ToolResult("toolu_1", told)


async def test_a_kill_between_a_write_and_its_result_leaves_one_row(folder: Path) -> None:
    store = Store.open(folder)
    conversation = (await store.conversations.create("qualidade")).id
    rows = await count(store)
    chance = random.Random(36)
    for kill in range(KILLS):
        key = await called(store, conversation, f"toolu_{kill}")
        store.close()
        child = recording(folder, key)
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"  # and its result is not
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(chance.uniform(0, 0.004))
        child.kill()
        child.communicate()

        store = Store.open(folder)
        await store.defects.record(DEFECT, key)
        await store.messages.end(key.message, "failed", engine="")
        assert await count(store) == rows + kill + 1
    store.close()
    assert faults(folder) == []
