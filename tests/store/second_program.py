"""A second program on the same file: writes as it is told, and says on stdout what is done."""

import asyncio
import sys
from collections.abc import Iterator
from datetime import date
from itertools import count
from pathlib import Path

from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Block, Text, ToolCall, ToolResult
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.store import Store
from qhub_desktop.store.backups import SafetyCopies
from qhub_desktop.store.datasets import DatasetRepository
from qhub_desktop.store.effects import CallKey
from qhub_desktop.store.personal_data import PersonalDataRepository
from qhub_desktop.tools.deletion import Deletion

DEFECT = Defect(date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)
CHECKPOINTS = 8  # of one text, before a tool is called


def puts() -> Iterator[tuple[int, Block]]:
    """What the engine stores of an answer without end: texts that grow, calls, their results."""
    for round_ in count():
        place = round_ * 3
        for checkpoint in range(1, CHECKPOINTS + 1):
            yield place, Text(f"Ronda {round_}: " + "mais uma palavra, " * checkpoint * 5)
        yield place + 1, ToolCall(f"c{round_}", "contar_defeitos", {"round": round_})
        yield place + 2, ToolResult(f"c{round_}", {"total": round_})


async def stream(folder: Path) -> None:
    """Ask, then answer for ever."""
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text("Uma pergunta que não se perde")])
    answer = await store.messages.add(made.id, "assistant")
    print(made.id, flush=True)
    for position, block in puts():
        await store.messages.put_block(answer.id, position, block)
        print(".", end="", flush=True)


async def write(folder: Path, name: str) -> None:
    """A busy minute of a window or a command line."""
    store = Store.open(folder)
    await store.settings.save({**store.settings.load_now(), f"setting {name}": name})
    for number in range(40):
        made = await store.conversations.create("analise")
        await store.messages.add(made.id, "user", [Text(f"pergunta {name} {number}")])
        answer = await store.messages.add(made.id, "assistant")
        await store.messages.put_block(answer.id, 0, Text(f"resposta {name}"))
        await store.messages.end(answer.id, "complete", engine="offline")
    await store.defects.add(DEFECT)
    store.close()


async def record(folder: Path, key: str) -> None:
    """Write a defect for a call, whose result is never stored."""
    store = Store.open(folder)
    message, call = key.split()
    await store.defects.record(DEFECT, CallKey(MessageId(int(message)), call))
    print("written", flush=True)
    await asyncio.sleep(60)


async def pin(folder: Path, conversation: ConversationId) -> None:
    """Pin the same data set again and again, and keep one thing under one key."""
    store = Store.open(folder)
    print("open", flush=True)
    for number in range(500):
        name = await store.datasets.pin(conversation, "the same", "dados")
        assert name == "dados", name
        await store.settings.save_state("the same", {"number": number})
    store.close()


async def delete(folder: Path, step: str) -> None:
    """Delete rui, and hang after a step until somebody kills this program."""
    store = Store.open(folder)
    store.enter(await store.people.find("ana"))
    owner, name = {
        "the rows": (PersonalDataRepository, "delete"),
        "the data sets": (Workspace, "remove"),
        "the list of data sets": (DatasetRepository, "forget_released"),
        "the pages of the file": (Store, "erase"),
    }[step]
    real = getattr(owner, name)

    async def hang(*given: object) -> None:
        await real(*given)
        print("there", flush=True)
        await asyncio.sleep(60)

    setattr(owner, name, hang)
    workspace = Workspace(folder / "workspace")
    await Deletion(store, lambda: workspace, SafetyCopies(store.path)).delete_person("rui")


def main(mode: str, folder: Path, name: str) -> None:
    """Do one of these."""
    match mode:
        case "open":
            Store.open(folder).close()
        case "record":
            asyncio.run(record(folder, name))
        case "delete":
            asyncio.run(delete(folder, name))
        case "pin":
            asyncio.run(pin(folder, ConversationId(name)))
        case "stream":
            asyncio.run(stream(folder))
        case "write":
            asyncio.run(write(folder, name))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
