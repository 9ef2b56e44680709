"""The watchdog: a thread that kills page processes which spin, flood or hoard memory.

It is a thread of its own since a page can keep the window's thread busy, and with it every timer.
"""

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

from qhub_desktop.core.processes.threads import in_background
from qhub_desktop.ui.web import Ending

# On Windows, errors of the system come through that psutil does not know; one of them would end the
# watchdog's thread.
FAILURES = (psutil.Error, OSError)


def kill(process_id: int) -> None:
    """Kill the process, if it still runs."""
    if not process_id:  # on Windows, 0 is the system's own process
        return
    with suppress(*FAILURES):
        psutil.Process(process_id).kill()


def memory_bytes(process_id: int) -> int:
    """Return the private memory of the process; 0 if it has ended."""
    if not process_id:
        return 0
    try:
        held = psutil.Process(process_id).memory_info()
    except FAILURES:
        return 0
    if sys.platform == "win32":
        return int(held.private)
    return int(held.rss - held.shared)


def processor_s(process_id: int) -> float:
    """Return the processor time used by the process; 0 if it has ended."""
    if not process_id:
        return 0.0
    try:
        used = psutil.Process(process_id).cpu_times()
    except FAILURES:
        return 0.0
    return float(used.user + used.system)


def renderer_process_ids() -> set[int]:
    """Return the ids of this program's renderer processes; takes some milliseconds."""
    program = os.getpid()
    found: dict[int, tuple[int, list[str]]] = {}
    try:
        children = psutil.Process(program).children(recursive=True)
    except FAILURES:
        return set()
    for each in children:
        with suppress(*FAILURES):  # it has ended meanwhile
            found[each.pid] = each.ppid(), each.cmdline()
    parents = {parent for parent, _words in found.values()}
    # On Linux renderers are forked from a zygote process and keep its command line: a zygote
    # without children, started by another zygote, is a renderer.
    return {
        process_id
        for process_id, (parent, words) in found.items()
        if "--type=renderer" in words
        or ("--type=zygote" in words and parent != program and process_id not in parents)
    }


LOOK_S = 0.25  # between two looks
MOMENT_S = 0.02  # for the web engine to return from the call in which a page was condemned
MOST_RENDERER_BYTES = 768 * 1024 * 1024  # for one page
MOST_GROWTH_BYTES = 400 * 1024 * 1024  # of the program itself, within GROWTH_LOOKS
GROWTH_LOOKS = 20
LONGEST_SILENCE_S = 2.0  # of the window's thread
# Processor time that makes a page suspect. It is not a share of the time that passed: on a busy
# computer a flooding page gets a small share, and after a sleep of the computer all shares are 0.
USED_IN_SILENCE_S = 0.8  # since the window's last heartbeat; starting a page takes less
AT_WORK = 0.1  # share of a processor, while the program grows and its window still responds


@dataclass(slots=True, eq=False)
class WatchedProcess:
    """The process of one page: its id once known, its use of the processor, and why it was
    killed.
    """

    process_id: int = 0
    ending: Ending | None = None
    share: float = 0.0  # of a processor, smoothed over looks: a single long task is harmless
    _looked_at: int = 0  # process id at the last look
    _used_s: float = 0.0  # processor time at the last look
    _used_at_beat_s: float = 0.0

    @property
    def used_since_beat_s(self) -> float:
        """Processor time used since the last heartbeat of the window's thread."""
        return self._used_s - self._used_at_beat_s

    def look(self, passed_s: float, *, has_beaten: bool) -> None:
        """Measure the use of the processor, `passed_s` after the last look."""
        used_s = processor_s(self.process_id)
        if self.process_id != self._looked_at:  # its start does not count
            self._looked_at, self._used_s, self._used_at_beat_s = self.process_id, used_s, used_s
        self.share = 0.75 * self.share + 0.25 * (used_s - self._used_s) / passed_s
        self._used_s = used_s
        if has_beaten:
            self._used_at_beat_s = used_s


class Watchdog:
    """Thread that measures all pages and the program itself, as long as there are pages."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watched: list[WatchedProcess] = []
        self._strays: dict[int, WatchedProcess] = {}  # whose page does not know its process yet
        self._alive_at = 0.0
        self._is_looking = False
        self._has_condemned = Event()

    def add(self, page: WatchedProcess) -> None:
        """Watch a page, too; starts the thread with the first."""
        self.beat()
        with self._lock:
            if page not in self._watched:
                self._watched.append(page)
            if not self._is_looking:
                self._is_looking = True
                in_background(self._run, "page-watchdog")

    def remove(self, page: WatchedProcess) -> None:
        """Stop watching a page."""
        with self._lock:
            if page in self._watched:
                self._watched.remove(page)

    def end(self, page: WatchedProcess, ending: Ending) -> None:
        """Kill the page's process soon, on the watchdog's thread."""
        # The caller may be inside a callback of the web engine, which crashes when the process of
        # its page is killed meanwhile.
        page.ending = ending
        self._has_condemned.set()

    def beat(self) -> None:
        """Note a heartbeat of the window's thread, which calls this twice a second."""
        self._alive_at = time.monotonic()

    def _run(self) -> None:
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
                pages = [each for each in self._watched if each.process_id and not each.ending]
                if not self._watched:
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
                if memory_bytes(each.process_id) > MOST_RENDERER_BYTES:
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
        """Find renderers whose page could not look up its process, for the window's thread
        hangs.
        """
        with self._lock:
            known = {each.process_id for each in self._watched}
        if 0 in known:
            for process_id in renderer_process_ids() - known - self._strays.keys():
                self._strays[process_id] = WatchedProcess(process_id)

    def _condemn(self, suspect: WatchedProcess, ending: Ending) -> None:
        """Kill a page for this reason; a stray that may be one of several pages only shows as
        "died".
        """
        if self._strays.pop(suspect.process_id, None):
            with self._lock:
                unknown = [each for each in self._watched if not each.process_id]
                if len(unknown) == 1:
                    unknown[0].process_id = suspect.process_id
                    suspect = unknown[0]
                else:
                    self._watched.append(suspect)
        self.end(suspect, ending)

    def _end_condemned(self) -> None:
        """Kill the condemned pages whose process is known; the others wait until it is."""
        with self._lock:
            condemned = [each for each in self._watched if each.ending and each.process_id]
            self._watched = [each for each in self._watched if each not in condemned]
        for each in condemned:
            kill(each.process_id)


WATCHDOG = Watchdog()

BEAT_MS = 500
UNANSWERED = 10  # heartbeats without an answer, of a page that uses the processor
SPUN_S = 2.0  # processor time meanwhile: a silent page that used less may only wait its turn
UNANSWERED_AT_REST = 60  # heartbeats without an answer, of any page
MOST_WORDS = 1_000  # cost allowed within one heartbeat


class HeartbeatMonitor(QObject):
    """Heartbeat of one page: pings it and reports when it must be stopped.

    It counts heartbeats, not seconds: a page is not to blame for a computer that slept, a window
    that was busy, or a process that a busy computer has not started yet.

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
        self._used_s = 0.0  # processor time of the page at the last ping
        self._watched = watched = WatchedProcess()
        # A page may be deleted with what shows it, without `stop`. Watched on, its process id would
        # soon be another program's.
        self.destroyed.connect(lambda _self: WATCHDOG.remove(watched))
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def ending(self) -> Ending | None:
        """Why the watchdog killed the page; None if it did not."""
        return self._watched.ending

    def end(self, ending: Ending) -> None:
        """Kill the page's process soon, and stop watching."""
        self._timer.stop()
        if self._watched.ending is None:
            self.update_process_id()
            WATCHDOG.end(self._watched, ending)

    def update_process_id(self) -> None:
        """Look up which process renders the page."""
        self._watched.process_id = self._process_id()

    def start(self) -> None:
        """Start watching, with all counters at zero."""
        self._asked += 1
        self._waiting = self._words = 0
        self._timer.start()
        WATCHDOG.add(self._watched)

    def stop(self) -> None:
        """Stop watching."""
        self._timer.stop()
        WATCHDOG.remove(self._watched)

    def charge(self, cost: int) -> None:
        """Charge a message of the page, by what it costs the window's thread; too many are a
        flood.
        """
        self._words += cost
        if self._words >= MOST_WORDS and self._timer.isActive():
            self.failed.emit("flooding")

    def _on_timeout(self) -> None:
        WATCHDOG.beat()
        self.update_process_id()
        self._words = 0
        self._waiting += 1
        if self._waiting > UNANSWERED and (self._has_spun() or self._waiting > UNANSWERED_AT_REST):
            self.failed.emit("spinning")
        elif self._waiting == 1:
            self._asked += 1
            self._used_s = processor_s(self._watched.process_id)
            asked = self._asked
            self._ask(lambda: self._on_answered(asked))

    def _has_spun(self) -> bool:
        used_s = processor_s(self._watched.process_id)
        return used_s - self._used_s > SPUN_S

    def _on_answered(self, asked: int) -> None:
        if asked == self._asked:
            self._waiting = 0
