"""How quick the store is: opening, checkpoints, 100,000 messages searched, 2,000 opened.

Run it as `python -m tests.bench.bench_store`; goals stand beside the figures.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median

from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from qhub_desktop.store.database import connect, transaction
from qhub_desktop.store.digests import block_rows, digest_of, record_all_digests

MESSAGES = 100_000
CONVERSATIONS = 1_000
LONG = 2_000
VOCABULARY = (
    "o defeito mais frequente à noite é lixo com falta de tinta na posição do rack e a casca de"
    " laranja escorrido gordura crateras descasque operador turno manhã tarde material peça linha"
    " estação análise gráfico tabela percentagem total por semana câmara pintura temperatura"
)
SEARCHES = (
    "l",  # the first key of a search
    "de",
    "lix",
    "gordura noite",
    "posicao",
    "percentagem análise câmara",
    "k123",  # rare
    "k99999",  # one message
    "zzz",  # none
)

RECALLED = ("lixo", "gordura noite", "cabine de pintura", "percentagem semanal", "k99999", "xaile")


def _sentence(number: int, chance: random.Random) -> str:
    words = VOCABULARY.split()
    return " ".join(chance.choices(words, k=chance.randint(8, 80))) + f" k{number}"


async def _fill(folder: Path) -> ConversationId:
    """Many conversations of 100 messages, and a long one; the id of the long one."""
    store = Store.open(folder)
    long = await store.conversations.create("analise")
    ids = [(await store.conversations.create("qualidade")).id for _ in range(CONVERSATIONS)]
    store.close()
    chance = random.Random(7)
    db = connect(folder / "qhub.db")
    numbers = dict(db.execute("SELECT id, number FROM conversations").fetchall())
    owners = [numbers[long.id]] * LONG + [
        numbers[ids[number * CONVERSATIONS // MESSAGES]] for number in range(MESSAGES)
    ]
    with transaction(db):
        for number, owner in enumerate(owners, start=1):
            text = _sentence(number, chance)
            db.execute(
                'INSERT INTO messages (id, conversation, role, created, engine, "end")'
                " VALUES (?, ?, ?, ?, 'offline', 'complete')",
                (number, owner, "assistant" if number % 2 else "user", number),
            )
            db.execute(
                "INSERT INTO blocks"
                " VALUES (?, 0, 'text', 1, json_object('type', 'text', 'text', ?))",
                (number, text),
            )
            db.execute("INSERT INTO texts VALUES (?, ?)", (number, text))
    start = time.perf_counter()
    with transaction(db):
        record_all_digests(db)
    taken = (time.perf_counter() - start) * 1000
    print(f"{'the digests of an earlier file':44} {taken:8.2f} ms  goal 3,000 ms")
    db.close()
    return long.id


def _digest_times(folder: Path) -> list[float]:
    """How long the digests of the long conversation take, its rows once read."""
    with closing(connect(folder / "qhub.db")) as db:
        rows = [block_rows(db, MessageId(message)) for message in range(1, LONG + 1)]
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        for message, each in enumerate(rows):
            digest_of(MessageId(message), each)
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


async def _times(work: Callable[[], Awaitable[object]], *, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


def _print(name: str, taken: list[float], goal: str = "") -> None:
    p95 = taken[min(len(taken) - 1, int(len(taken) * 0.95))]
    print(f"{name:44}  median {median(taken):8.2f} ms  p95 {p95:8.2f} ms  {goal}")


async def main() -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        start = time.perf_counter()
        Store.open(folder / "new").close()
        print(f"{'a new file, made and closed':44} {(time.perf_counter() - start) * 1000:8.2f} ms")

        long = await _fill(folder)
        size = (folder / "qhub.db").stat().st_size / 1e6
        print(f"{'a file of 102,000 messages':44} {size:8.1f} MB")
        start = time.perf_counter()
        store = Store.open(folder)
        print(
            f"{'opening that file':44} {(time.perf_counter() - start) * 1000:8.2f} ms  goal 15 ms"
        )

        everything: list[float] = []
        for search in SEARCHES:
            taken = await _times(partial(store.conversations.listed, search=search), times=15)
            found = await store.conversations.listed(search=search)
            everything += taken
            _print(f"search {search!r}, {len(found)} found", taken)
        _print("search, all of these", sorted(everything), "goal p95 150 ms")

        recalled: list[float] = []
        for search in RECALLED:
            taken = await _times(partial(store.recall.find, search), times=15)
            recalled += taken
            _print(f"recall {search!r}", taken)
        _print("recall, all of these", sorted(recalled), "goal p95 150 ms")

        _print("the list, 200 of 1,001", await _times(store.conversations.listed, times=20))
        _print(
            "the last 30 of 2,000",
            await _times(lambda: store.messages.latest(long, limit=30), times=20),
        )
        _print(
            "all 2,000",
            await _times(lambda: store.messages.latest(long, limit=LONG), times=5),
            "goal 500 ms",
        )

        _print("their digests alone", _digest_times(folder), "goal 5 % of reading them")

        for name, conversation in (
            ("in an empty conversation", (await store.conversations.create("analise")).id),
            ("after 2,000 messages", long),
        ):
            answer = await store.messages.add(conversation, "assistant")
            text = Text("palavra " * 1_000)
            taken = await _times(partial(store.messages.put_block, answer.id, 0, text), times=50)
            _print(f"a checkpoint of 8 KB {name}", taken)
            start = time.perf_counter()
            await store.messages.end(answer.id, "complete", engine="offline")
            print(f"{'its end':44} {(time.perf_counter() - start) * 1000:8.2f} ms")
        store.close()


if __name__ == "__main__":
    asyncio.run(main())
