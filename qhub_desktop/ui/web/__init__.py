"""Untrusted pages, shown in a sandbox; what they tried in vain, and why one was ended.

`locked_view.LockedView` is what the rest of the window uses. The web engine itself is loaded with
the first page: only `web_view`, `isolated_profile` and `web_engine` import it, and the first two
are not imported outside this package.
"""

from typing import Literal

from qhub_desktop.core.values import dataclass

SCHEME = "qhub"  # of the addresses that pages are served at, from memory

Attempt = Literal[
    "request",  # an address outside the page
    "navigation",  # to another address
    "window",  # a pop-up
    "dialog",  # alert, confirm, prompt, beforeunload
    "download",
    "file",  # a file chooser
    "permission",  # camera, location, clipboard, notifications and the like
    "policy",  # a violation of the content-security policy or the sandbox
]
MOST = 200  # a page that tries endlessly must not fill our memory
LONGEST = 300  # characters


@dataclass(frozen=True, slots=True)
class Blocked:
    """One blocked attempt; `what` is its address or message."""

    attempt: Attempt
    what: str


class BlockedAttempts:
    """Blocked attempts of one page, without repetition, in order; at most MOST."""

    def __init__(self) -> None:
        self._kept: dict[Blocked, None] = {}

    def add(self, attempt: Attempt, what: str) -> None:
        """Record an attempt."""
        if len(self._kept) < MOST:
            self._kept[Blocked(attempt, what[:LONGEST])] = None

    def clear(self) -> None:
        """Forget all attempts, before another page is shown."""
        self._kept.clear()

    @property
    def all(self) -> tuple[Blocked, ...]:
        """All attempts so far."""
        return tuple(self._kept)


Ending = Literal[
    "spinning",  # did not answer
    "memory",  # held too much
    "flooding",  # kept the program itself too busy
    "strayed",  # navigated to another page
    "died",  # its process ended by itself
]
