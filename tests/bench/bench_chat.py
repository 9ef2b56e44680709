"""The conversation page under load: an answer of 5,000 deltas a second, and 2,000 messages opened.

Run it as `python -m tests.bench.bench_chat`. Goals: no stall of 50 ms while an answer streams, the
last thousand deltas at most half as dear again as the first, and the first paint of a long
conversation within 500 ms.
"""

import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import qasync
from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from typing_extensions import override

from qhub_desktop.core.events import Done, TextAdded
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.core.settings import Settings
from qhub_desktop.store.messages import MessageRepository
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.history import History
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.chat.turn import Turn
from tests.bench.record import Figure, record

DELTAS_PER_S = 5_000
BATCH = 10  # deltas between two steps of the loop
MESSAGES = 2_000
BODY = """\
## Resumo {n}

O defeito mais frequente é **lixo**, com `62` de 200 registos, e a noite tem a menor parte deles.

- rack R12: ver os filtros
- rack R10: ver a pressão
    - e a temperatura

| turno | total |
|:------|------:|
| manhã |    73 |
| tarde |    68 |

```sql
SELECT turno, count(*) FROM defeitos GROUP BY turno
```

"""
STRUCTURED = "".join(BODY.format(n=n) for n in range(70))
PROSE = ("O defeito mais frequente é lixo, com 62 de 200 registos. " * 8 + "\n\n") * 55
CODE = "```python\n" + "total = total + 1  # mais um registo do turno\n" * 520 + "```\n"
TEXTS = {"structured": STRUCTURED, "prose": PROSE, "code": CODE}


def deltas(text: str) -> list[str]:
    """The text in pieces of four characters."""
    return [text[at : at + 4] for at in range(0, len(text), 4)]


async def streamed(text: str) -> dict[str, Figure]:
    """An answer as the page shows it."""
    transcript = _transcript()
    answer = AnswerView(make_card=lambda _widget: QWidget())
    transcript.append(answer)
    await asyncio.sleep(0.1)
    turn = Turn(answer)
    ended = asyncio.Event()
    turn.ended.connect(ended.set)

    def feed(words: str) -> None:
        turn.show(TextAdded(words))

    figures = await _fed(text, feed, lambda: _finish(turn, ended))
    assert answer.text == text.strip()
    transcript.deleteLater()
    return figures


async def plain(text: str) -> dict[str, Figure]:
    """The floor: words appended to a plain text field, thirty times a second."""
    field = QPlainTextEdit()
    field.resize(800, 690)
    field.show()
    await asyncio.sleep(0.1)
    waiting: list[str] = []

    def flush() -> None:
        if waiting:
            field.moveCursor(QTextCursor.MoveOperation.End)
            field.insertPlainText("".join(waiting))
            waiting.clear()

    timer = QTimer(field, interval=33)
    timer.timeout.connect(flush)
    timer.start()
    figures = await _fed(text, waiting.append, lambda: asyncio.sleep(0.1))
    timer.stop()
    field.deleteLater()
    return figures


async def opened() -> dict[str, Figure]:
    """A conversation of 2,000 messages, from the click to its first paint and to all 30 widgets."""
    pages = _Pages()
    gc.collect()
    before_mb = _resident_mb()
    transcript = _transcript()
    history = History(
        ConversationId("x"),
        pages,
        transcript,
        make_question=lambda message: QuestionView(message.text, message=message.id),
        make_answer=lambda message: AnswerView(
            make_card=lambda _widget: QWidget(), message=message.id
        ),
    )
    with _stalls() as gaps:
        begun = time.perf_counter()
        opening = asyncio.create_task(history.open())
        for _step in range(1_000):
            await asyncio.sleep(0)
            if transcript.entries:
                break
        transcript.grab()  # paints at once
        first_ms = (time.perf_counter() - begun) * 1000
        await opening
        all_ms = (time.perf_counter() - begun) * 1000
        await asyncio.sleep(0.1)
    return {
        "first_paint_ms": first_ms,
        "all_30_ms": all_ms,
        "memory_mb": _resident_mb() - before_mb,
        **gaps.figures,
    }


@dataclass
class _Gaps:
    """The longest that the loop stood still: by the clock, and in work of its own.

    The two part where other programs keep the machine busy.
    """

    longest_s: float = 0.0
    longest_cpu_s: float = 0.0

    @property
    def figures(self) -> dict[str, Figure]:
        return {
            "longest_stall_ms": self.longest_s * 1000,
            "longest_work_ms": self.longest_cpu_s * 1000,
        }


class _Pages(MessageRepository):
    """Messages in memory: the store has a measurement of its own."""

    def __init__(self) -> None:
        when = datetime(2026, 2, 1, tzinfo=UTC)
        self._messages = [
            Message(MessageId(at), "assistant", (Text(BODY.format(n=at)),), when, end="complete")
            if at % 2
            else Message(MessageId(at), "user", (Text(f"pergunta {at}"),), when, end="complete")
            for at in range(MESSAGES)
        ]

    @override
    async def latest(
        self, conversation: ConversationId, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        del conversation
        return self._messages[:before][-limit:]


async def _finish(turn: Turn, ended: asyncio.Event) -> None:
    turn.show(Done("complete"))
    await ended.wait()
    await asyncio.sleep(0.1)


async def _fed(
    text: str, feed: Callable[[str], object], finish: Callable[[], Awaitable[None]]
) -> dict[str, Figure]:
    pieces = deltas(text)
    cpu_at: list[float] = []
    with _stalls() as gaps:
        begun = time.perf_counter()
        for at in range(0, len(pieces), BATCH):
            cpu_at.append(time.process_time())
            for piece in pieces[at : at + BATCH]:
                feed(piece)
            due = begun + (at + BATCH) / DELTAS_PER_S
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
        cpu_at.append(time.process_time())
        await finish()
        cpu_s = time.process_time() - cpu_at[0]
    thousand = 1_000 // BATCH
    return {
        "characters": len(text),
        "cpu_s": cpu_s,
        "first_1000_cpu_s": cpu_at[thousand] - cpu_at[0],
        "last_1000_cpu_s": cpu_at[-1] - cpu_at[-1 - thousand],
        **gaps.figures,
    }


@contextmanager
def _stalls() -> Iterator["_Gaps"]:
    """How long the loop stood still, each time that it did."""
    gaps = _Gaps()

    async def tick() -> None:
        last, busy = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0.002)
            now, busy_now = time.perf_counter(), time.thread_time()
            gaps.longest_s = max(gaps.longest_s, now - last - 0.002)
            gaps.longest_cpu_s = max(gaps.longest_cpu_s, busy_now - busy)
            last, busy = now, busy_now

    ticking = asyncio.get_running_loop().create_task(tick())
    try:
        yield gaps
    finally:
        ticking.cancel()


def _transcript() -> Transcript:
    transcript = Transcript()
    transcript.resize(800, 690)
    transcript.show()
    return transcript


def _resident_mb() -> float:
    if sys.platform != "linux":
        return 0.0
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _measure() -> dict[str, dict[str, Figure]]:
    await streamed(STRUCTURED[:4_000])  # first use of fonts and layouts is not what is measured
    found = {"floor, plain text": await plain(STRUCTURED)}
    for name, text in TEXTS.items():
        found[f"streamed {name}"] = await streamed(text)
    found[f"{MESSAGES} messages"] = await opened()
    return found


def main() -> int:
    """Measure, and keep what was found."""
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        application = QApplication([])
        application.setQuitOnLastWindowClosed(False)
        Appearance(application, Settings(theme="light"))
        with qasync.QEventLoop(application) as loop:
            record("chat", loop.run_until_complete(_measure()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
