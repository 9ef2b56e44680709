"""The guard: a thread that watches page processes and ends those that spin, flood or hoard."""

import os
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock

import psutil
from PySide6.QtCore import QObject, QTimer, Signal

from qhub_desktop.core.processes.thread import in_background
from qhub_desktop.ui.pages.reasons import Ending


def end(process_id: int) -> None:
    """End the process at once; nothing happens if it has ended already."""
    if not process_id:
        return
    with suppress(psutil.Error):
        psutil.Process(process_id).kill()


def memory_bytes(process_id: int) -> int:
    """What the process holds for itself; 0 if it has ended."""
    if not process_id:
        return 0
    try:
        held = psutil.Process(process_id).memory_info()
    except psutil.Error:
        return 0
    if sys.platform == "win32":
        return int(held.private)
    return int(held.rss - held.shared)


def processor_s(process_id: int) -> float:
    """The processor time it has used; 0 if it has ended."""
    if not process_id:
        return 0.0
    try:
        used = psutil.Process(process_id).cpu_times()
    except psutil.Error:
        return 0.0
    return float(used.user + used.system)


def all_of_program() -> set[int]:
    """Those of this program's descendants that draw pages; takes some milliseconds."""
    program = os.getpid()
    told: dict[int, tuple[int, list[str]]] = {}
    for each in psutil.Process(program).children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            told[each.pid] = each.ppid(), each.cmdline()
    parents = {parent for parent, _words in told.values()}
    # On Linux they are copies, that keep its name, of a process that waits to be copied.
    return {
        process_id
        for process_id, (parent, words) in told.items()
        if "--type=renderer" in words
        or ("--type=zygote" in words and parent != program and process_id not in parents)
    }


LOOK_S = 0.25
MOMENT_S = 0.02
MOST_BYTES = 768 * 1024 * 1024  # for one page
MOST_GROWTH_BYTES = 400 * 1024 * 1024  # of the program itself, in as long as GROWTH_LOOKS
GROWTH_LOOKS = 20
LONGEST_SILENCE_S = 2.0  # of the window's thread
# What a page must use of a processor to be suspected. Not a share of the time that passed: on a
# busy computer a page that floods gets little of it, and on one that slept none has used any.
USED_IN_SILENCE_S = 0.8  # since the thread was alive; to start a page takes less
AT_WORK = 0.1  # of a processor, while the program grows; any, if it is silent as well


@dataclass(slots=True, eq=False)
class Guarded:
    """One page's process, as far as it is known, and why it was ended here."""

    process_id: int = 0
    ending: Ending | None = None
    share: float = 0.0  # of a processor: the mean of the last looks, for one long task is nothing
    _looked_at: int = 0  # the process that it was when it was looked at last
    _used_s: float = 0.0  # of a processor, until then
    _used_at_beat_s: float = 0.0

    @property
    def used_since_beat_s(self) -> float:
        """The processor time it has used since the window's thread was alive."""
        return self._used_s - self._used_at_beat_s

    def look(self, passed_s: float, *, has_beaten: bool) -> None:
        """Find out what it uses, so long after the last look."""
        used_s = processor_s(self.process_id)
        if self.process_id != self._looked_at:  # what it took to start is not held against it
            self._looked_at, self._used_s, self._used_at_beat_s = self.process_id, used_s, used_s
        self.share = 0.75 * self.share + 0.25 * (used_s - self._used_s) / passed_s
        self._used_s = used_s
        if has_beaten:
            self._used_at_beat_s = used_s


class Guard:
    """Looks at all pages and at the program itself, as long as there are pages."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._guarded: list[Guarded] = []
        self._strays: dict[int, Guarded] = {}  # whose page has not been told yet which they are
        self._alive_at = 0.0
        self._is_looking = False
        self._has_condemned = Event()

    def add(self, page: Guarded) -> None:
        """Guard this page, too."""
        self.beat()
        with self._lock:
            if page not in self._guarded:
                self._guarded.append(page)
            if not self._is_looking:
                self._is_looking = True
                in_background(self._look, "page-guard")

    def remove(self, page: Guarded) -> None:
        """Guard it no longer."""
        with self._lock:
            if page in self._guarded:
                self._guarded.remove(page)

    def end(self, page: Guarded, ending: Ending) -> None:
        """End the page's process, soon, and not on the caller's thread.

        That may be the web engine's in the middle of its own doing, which would not survive it.
        """
        page.ending = ending
        self._has_condemned.set()

    def beat(self) -> None:
        """The window's thread is alive: it calls this all the time."""
        self._alive_at = time.monotonic()

    def _look(self) -> None:
        own: deque[int] = deque(maxlen=GROWTH_LOOKS)
        looked_at = time.monotonic()
        beaten_at = 0.0
        while True:
            if self._has_condemned.wait(LOOK_S):
                time.sleep(MOMENT_S)
                self._has_condemned.clear()
                self._end_condemned()
                continue
            self._end_condemned()  # those whose process has become known
            now = time.monotonic()
            passed_s, looked_at = now - looked_at, now
            with self._lock:
                pages = [each for each in self._guarded if each.process_id and not each.ending]
                if not self._guarded:
                    self._is_looking = False
                    return
            has_beaten, beaten_at = self._alive_at != beaten_at, self._alive_at
            own.append(memory_bytes(os.getpid()))
            is_silent = now - beaten_at > LONGEST_SILENCE_S
            if is_silent:
                self._find_strays()
            else:
                self._strays.clear()
            looked = (*pages, *self._strays.values())
            for each in looked:
                each.look(passed_s, has_beaten=has_beaten)
                if memory_bytes(each.process_id) > MOST_BYTES:
                    self._condemn(each, "memory")
            has_grown = own[-1] - min(own) > MOST_GROWTH_BYTES
            suspects = [
                each
                for each in looked
                if not each.ending
                and (
                    (has_grown and (is_silent or each.share > AT_WORK))
                    or (is_silent and each.used_since_beat_s > USED_IN_SILENCE_S)
                )
            ]
            if suspects:
                self._condemn(max(suspects, key=lambda each: each.share), "flooding")
                own.clear()
                self.beat()

    def _find_strays(self) -> None:
        """The processes of pages that the window's thread has had no time to look up."""
        with self._lock:
            known = {each.process_id for each in self._guarded}
        if 0 in known:
            for process_id in all_of_program() - known - self._strays.keys():
                self._strays[process_id] = Guarded(process_id)

    def _condemn(self, suspect: Guarded, ending: Ending) -> None:
        """End a page. Where a stray may be one of several, that will only say that it died."""
        if self._strays.pop(suspect.process_id, None):
            with self._lock:
                unknown = [each for each in self._guarded if not each.process_id]
                if len(unknown) == 1:
                    unknown[0].process_id = suspect.process_id
                    suspect = unknown[0]
                else:
                    self._guarded.append(suspect)
        self.end(suspect, ending)

    def _end_condemned(self) -> None:
        """One whose process is not known yet waits until it is."""
        with self._lock:
            condemned = [each for each in self._guarded if each.ending and each.process_id]
            self._guarded = [each for each in self._guarded if each not in condemned]
        for each in condemned:
            end(each.process_id)


GUARD = Guard()


BEAT_MS = 500
UNANSWERED = 10
SPUN_S = 2.0  # of a processor, meanwhile: what is silent without it may only be waiting its turn
UNANSWERED_AT_REST = 60
MOST_WORDS = 1_000  # in one beat


class Watch(QObject):
    """Asks a page again and again, and says when it has to be stopped.

    Beats are counted, not seconds: a computer that slept, or a window that was busy, is no fault of
    the page. Nor is it one that its process has not come to start on a busy computer.

    Signals:
        failed: why the page must be stopped, an Ending.
    """

    failed = Signal(str)

    def __init__(
        self,
        ask: Callable[[Callable[[], None]], None],
        process_id: Callable[[], int],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._ask = ask
        self._process_id = process_id
        self._waiting = 0
        self._asked = 0
        self._words = 0
        self._used_s = 0.0  # by the page's process, when it was asked
        self._guarded = Guarded()
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def ending(self) -> Ending | None:
        """Why the guard ended the page, if it did."""
        return self._guarded.ending

    def end(self, ending: Ending) -> None:
        """End the page's process, soon, and with it all that the page does."""
        self._timer.stop()
        if self._guarded.ending is None:
            self.look_up()
            GUARD.end(self._guarded, ending)

    def look_up(self) -> None:
        """Find out again which process draws the page."""
        self._guarded.process_id = self._process_id()

    def start(self) -> None:
        """Watch from now on, with nothing held against the page."""
        self._asked += 1
        self._waiting = self._words = 0
        self._timer.start()
        GUARD.add(self._guarded)

    def stop(self) -> None:
        """Look away."""
        self._timer.stop()
        GUARD.remove(self._guarded)

    def heard(self, cost: int) -> None:
        """The page has said something, which cost the window's thread as much as so many words."""
        self._words += cost
        if self._words >= MOST_WORDS and self._timer.isActive():
            self.failed.emit("flooding")

    def _on_timeout(self) -> None:
        GUARD.beat()
        self.look_up()
        self._words = 0
        self._waiting += 1
        if self._waiting > UNANSWERED and (self._has_spun() or self._waiting > UNANSWERED_AT_REST):
            self.failed.emit("spinning")
        elif self._waiting == 1:
            self._asked += 1
            self._used_s = processor_s(self._guarded.process_id)
            asked = self._asked
            self._ask(lambda: self._on_answered(asked))

    def _has_spun(self) -> bool:
        used_s = processor_s(self._guarded.process_id)
        return used_s - self._used_s > SPUN_S

    def _on_answered(self, asked: int) -> None:
        if asked == self._asked:
            self._waiting = 0
