"""Few pages are awake at a time: each has a process of its own, with some 50 MB."""

from typing import Protocol

from shiboken6 import isValid

MOST = 3


class Sleeper(Protocol):
    """A page that can be a picture for a while."""

    @property
    def is_in_sight(self) -> bool:
        """Whether any of it is to be seen."""
        ...

    def fall_asleep(self) -> None:
        """Become a picture, and end the page's process."""
        ...


class AwakePages:
    """Knows which pages are awake, the one that was wanted last at the end."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._awake: list[Sleeper] = []

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(isValid, self._awake))

    @property
    def has_room(self) -> bool:
        """Whether one more can be awake, and none that is in sight has to sleep for it."""
        awake = [each for each in self._awake if isValid(each)]
        return len(awake) < self._most or not all(each.is_in_sight for each in awake)

    def add(self, page: Sleeper) -> None:
        """Take in a page that is wanted now; another may have to sleep: best one out of sight."""
        others = [each for each in self._awake if isValid(each) and each is not page]
        self._awake = [*others, page]
        while len(self._awake) > self._most:
            others = self._awake[:-1]
            tired = next((each for each in others if not each.is_in_sight), others[0])
            self._awake.remove(tired)
            tired.fall_asleep()

    def remove(self, page: Sleeper) -> None:
        """Forget a page that sleeps."""
        self._awake = [each for each in self._awake if each is not page]
