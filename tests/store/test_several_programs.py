"""Several programs on one file, and programs that are killed."""

import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import INTERRUPTED, Block, Text, ToolCall, ToolResult
from qhub_desktop.store import Store
from tests.store.conftest import faults
from tests.store.second_program import puts

ROOT = Path(__file__).parents[2]


def started(mode: str, folder: Path, name: str = "") -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.second_program", mode, str(folder), name],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        bufsize=0,
    )


def killed_after(child: "subprocess.Popen[bytes]", seconds: float) -> bytes:
    """What it had said when it was killed, hard."""
    with pytest.raises(subprocess.TimeoutExpired):
        child.communicate(timeout=seconds)
    child.kill()
    said: bytes = child.communicate()[0]
    return said


def stored_after(count: int) -> tuple[Block, ...]:
    """The answer as it is read when so many of its writes were done."""
    blocks = dict(islice(puts(), count))
    ordered = [blocks[position] for position in sorted(blocks)]
    if ordered and isinstance(ordered[-1], ToolCall):
        ordered.append(ToolResult(ordered[-1].id, INTERRUPTED, is_error=True))
    return tuple(ordered)


async def test_a_kill_at_any_moment_costs_at_most_the_checkpoint_under_way(folder: Path) -> None:
    chance = random.Random(20)
    for _kill in range(20):
        child = started("stream", folder)
        assert child.stdout is not None
        conversation = ConversationId(child.stdout.readline().decode().strip())
        done = killed_after(child, chance.uniform(0.001, 0.15)).count(b".")

        assert faults(folder) == []
        store = Store.open(folder)
        asked, answer = await store.messages.latest(conversation)
        found = await store.conversations.listed(search="pergunta não se perde")
        store.close()

        assert asked.blocks == (Text("Uma pergunta que não se perde"),)
        assert answer.end is None
        assert answer.blocks in (stored_after(done), stored_after(done + 1))
        assert found[0].id == conversation


async def test_a_kill_while_the_file_is_made_leaves_one_that_opens(tmp_path: Path) -> None:
    chance = random.Random(21)
    for kill in range(8):
        folder = tmp_path / f"station {kill}"
        child = started("stream", folder)
        killed_after(child, chance.uniform(0.05, 0.3))

        store = Store.open(folder)
        assert len((await store.defects.log()).rows) == 200
        store.close()
        assert faults(folder) == []


async def test_programs_that_make_the_file_together_make_it_once(tmp_path: Path) -> None:
    for attempt in range(3):
        folder = tmp_path / f"station {attempt}"
        children = [started("open", folder) for _ in range(4)]

        assert [child.wait() for child in children] == [0, 0, 0, 0]
        for child in children:
            child.communicate()
        store = Store.open(folder)
        assert len((await store.defects.log()).rows) == 200
        store.close()


async def test_programs_that_write_together_lose_nothing_of_each_other(folder: Path) -> None:
    names = ("um", "dois", "tres")
    children = [started("write", folder, name) for name in names]
    assert [child.wait() for child in children] == [0, 0, 0]
    for child in children:
        child.communicate()

    store = Store.open(folder)
    assert store.settings.load_now() == {f"setting {name}": name for name in names}
    assert len(await store.conversations.listed()) == 120
    for name in names:
        assert len(await store.conversations.listed(search=f"pergunta {name}")) == 40
        assert len(await store.conversations.listed(search=f"resposta {name}")) == 40
    assert [row[0] for row in (await store.defects.log()).rows] == list(range(1, 204))
    store.close()
    assert faults(folder) == []


async def test_two_programs_pin_the_same_data_set_once(folder: Path) -> None:
    store = Store.open(folder)
    conversation = (await store.conversations.create("analise")).id
    programs = [started("pin", folder, conversation) for _program in range(2)]
    for each in programs:
        each.communicate(timeout=300)

    assert [each.returncode for each in programs] == [0, 0]
    assert [pin.name for pin in await store.datasets.pinned(conversation)] == ["dados"]
    assert await store.settings.state("the same") == {"number": 499}
    store.close()
