"""The person inside one life of the program: does what is planned when it is due, until killed.

`python -m tests.soak.driver JOURNAL MINUTES BEGAN FILE` appends to the journal, an object a line:
what was done, what failed, and how long the loop stood still in each interval.
"""

import asyncio
import json
import shutil
import sys
import time
from pathlib import Path

from tests.end_to_end.window_story import Person  # sets QT_API before Qt is loaded

from PySide6.QtWidgets import QApplication  # isort: skip

from qhub_desktop import app
from qhub_desktop.core.dashboard import EveryMinutes
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.chat.artifact import ArtifactCard
from qhub_desktop.ui.gui_thread import GcGuard
from qhub_desktop.ui.shell import window_loop
from qhub_desktop.ui.shell.main_window import MainWindow
from tests.soak.plan import entries, plan

TALK = 15  # acts in one conversation
TICK_S = 0.01
INTERVAL_S = 2.0  # of a stall's entry; the supervisor takes the longest of its own interval


class Worker:
    """The person at work, who keeps a journal that survives a kill."""

    def __init__(self, person: Person, journal: Path, source: Path) -> None:
        self._person = person
        self._dashboards = person.program.store.dashboards
        self._journal = journal.open("a", encoding="utf-8")
        self._source = source

    def write(self, **entry: object) -> None:
        self._journal.write(json.dumps({"at": time.time(), **entry}, ensure_ascii=False) + "\n")
        self._journal.flush()

    async def watch_stalls(self) -> None:
        last = since = time.perf_counter()
        longest = 0.0
        while True:
            await asyncio.sleep(TICK_S)
            now = time.perf_counter()
            longest, last = max(longest, now - last - TICK_S), now
            if now - since >= INTERVAL_S:
                self.write(stall_ms=longest * 1000)
                longest, since = 0.0, now

    async def hang_up_dashboards(self, known: frozenset[str] = frozenset()) -> int:
        """Open the dashboards that are not known, as they hang on the wall; how many."""
        controller = self._person.window.controller
        made = {each.id for each in await self._dashboards.listed()} - known
        for id_ in made:
            await self._dashboards.set_schedule(id_, EveryMinutes(1))
            controller.windows.open_dashboards()
            controller.windows.dashboards().open(id_)
        return len(made)

    async def do(self, number: int, act: str) -> None:
        """Do one act to its end, and write what must be found again."""
        try:
            if number % TALK == 0:
                self._person.window.frame.sidebar.agent_chosen.emit("analise")
                await asyncio.sleep(0.5)
            doing = self._import if act == "import" else self._ask
            told = {"stored": await doing(number, act)}
        except AssertionError as error:
            told = {"failed": str(error)}
        self.write(done=number, act=act, **told)

    async def _ask(self, number: int, act: str) -> str:
        person = self._person
        known = frozenset({each.id for each in await self._dashboards.listed()})
        words = f"{act} {number}, por favor"  # no two are the same: each is found again
        await person.ask(words)
        if act == "chart":
            await person.until("a chart", lambda: "Chart" in person.cards())
        elif act == "page":
            await person.until("the page is awake", self._is_page_awake)
        elif act == "dashboard":
            assert await self.hang_up_dashboards(known), "no dashboard was made"
        return words

    async def _import(self, number: int, act: str) -> str:
        file = await asyncio.to_thread(_copied, self._source, number)
        self._person.drop(file)
        await self._person.until("the file is in", lambda: file.name in self._person.files())
        return file.name

    def _is_page_awake(self) -> bool:
        view = self._person.page.view
        answer = None if view is None else view.last_answer
        cards = [] if answer is None else answer.entries(ArtifactCard)
        return bool(cards) and cards[-1].stage is not None and cards[-1].stage.view is not None


def _copied(source: Path, number: int) -> Path:
    target = shutil.copyfile(source, source.with_name(f"exporta_{number}.csv"))
    with target.open("a", encoding="utf-8") as file:  # the same content would be found again
        file.write(f"{10**6 + number},2026-01-01,noite,peça 1,80.5,1,R08,Júlia\n")
    return target


async def _live(program: app.Program, application: QApplication, *_others: object) -> None:
    journal, minutes, began = Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    done = max((each["done"] for each in entries(journal) if "done" in each), default=-1)
    _collector = GcGuard()
    window = MainWindow(program.services(), Appearance(application, program.settings))
    worker = Worker(Person(program, window), journal, Path(sys.argv[4]))
    watching = asyncio.ensure_future(worker.watch_stalls())
    await window.open()
    window.tasks.start(window.controller.keep_safe())  # as after every kill
    await worker.hang_up_dashboards()
    acts = plan(minutes)
    for number, act in list(enumerate(acts))[done + 1 :]:
        due = began + number * minutes * 60 / len(acts)
        await asyncio.sleep(max(0.0, due - time.time()))
        await worker.do(number, act)
    await watching  # until killed, as every life ends


if __name__ == "__main__":
    assert window_loop.run_one.__name__ == "run_one"
    window_loop.run_one = _live  # type: ignore[assignment]  # takes less
    app.run_window()
