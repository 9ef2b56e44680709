"""Guarding the program itself from its pages, on a thread that no page can keep busy.

A page in a process of its own can still flood ours with things to do, faster than they are done:
then nothing on the window's thread comes to its turn, and what waits there fills the memory.
"""

import os
import time
from collections import deque
from dataclasses import dataclass
from threading import Event, Lock

from qhub_desktop.core.worker import in_background
from qhub_desktop.ui.pages import renderer
from qhub_desktop.ui.pages.endings import Ending

LOOK_S = 0.25
MOMENT_S = 0.02
MOST_BYTES = 768 * 1024 * 1024  # for one page
MOST_GROWTH_BYTES = 400 * 1024 * 1024  # of the program itself, in as long as GROWTH_LOOKS
GROWTH_LOOKS = 20
LONGEST_SILENCE_S = 2.0  # of the window's thread
BUSY = 0.4  # of a processor: what a page must use to be suspected


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
        used_s = renderer.processor_s(self.process_id)
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
                self._end_condemned()
                continue
            now = time.monotonic()
            passed, looked_at = now - looked_at, now
            with self._lock:
                pages = [each for each in self._guarded if each.process_id and not each.ending]
                if not self._guarded:
                    self._is_looking = False
                    return
            if passed > 4 * LOOK_S:  # the computer slept, or was too busy for this thread itself
                self.beat()
            has_beaten, beaten_at = self._alive_at != beaten_at, self._alive_at
            own.append(renderer.memory_bytes(os.getpid()))
            for each in pages:
                each.look(passed, has_beaten=has_beaten)
                if renderer.memory_bytes(each.process_id) > MOST_BYTES:
                    self.end(each, "memory")
            has_grown = own[-1] - min(own) > MOST_GROWTH_BYTES
            silence_s = now - beaten_at
            is_silent = silence_s > LONGEST_SILENCE_S
            if (has_grown or is_silent) and pages:
                suspect = max(pages, key=lambda each: each.share)
                is_at_it = suspect.used_since_beat_s > BUSY * silence_s
                if suspect.share > BUSY and (has_grown or is_at_it) and not suspect.ending:
                    self.end(suspect, "flooding")
                    own.clear()
                    self.beat()

    def _end_condemned(self) -> None:
        time.sleep(MOMENT_S)
        self._has_condemned.clear()
        with self._lock:
            condemned = [each for each in self._guarded if each.ending]
            self._guarded = [each for each in self._guarded if not each.ending]
        for each in condemned:
            if each.process_id:
                renderer.end(each.process_id)


GUARD = Guard()
