"""Reasons why a page is gone, and what it tried and was refused."""

from dataclasses import dataclass
from typing import Literal

Attempt = Literal[
    "request",  # an address outside the page
    "navigation",  # going elsewhere
    "window",  # a pop-up
    "dialog",  # alert, confirm, prompt, or leaving asked about
    "download",
    "file",  # choosing a file of the person's
    "permission",  # camera, location, clipboard, notifications and the like
    "policy",  # what the page's policy or its sandbox forbids
]
MOST = 200  # a page that tries without end must not fill our memory
LONGEST = 300


@dataclass(frozen=True, slots=True)
class Blocked:
    """One thing that was not let; `what` is the address or the words."""

    attempt: Attempt
    what: str


class Blockings:
    """The attempts of one page, each once, in their order; no more than MOST."""

    def __init__(self) -> None:
        self._kept: dict[Blocked, None] = {}

    def add(self, attempt: Attempt, what: str) -> None:
        """Remember one more."""
        if len(self._kept) < MOST:
            self._kept[Blocked(attempt, what[:LONGEST])] = None

    def clear(self) -> None:
        """Forget them: another page is shown."""
        self._kept.clear()

    @property
    def all(self) -> tuple[Blocked, ...]:
        """Every attempt so far."""
        return tuple(self._kept)


Ending = Literal[
    "spinning",  # it did not answer
    "memory",  # it held too much
    "flooding",  # it kept the program itself too busy
    "strayed",  # it became another page
    "died",  # its process ended by itself
]
