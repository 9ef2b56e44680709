"""The copy of every day: made once it is due and nobody is at work, given up at the end."""

import asyncio
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.store import Store
from qhub_desktop.store.backups import (
    AFTER_FAILURE_S,
    FIRST_LOOK_S,
    LONGEST_WAIT_S,
    LOOK_S,
    SafetyCopies,
    listed,
)


class Clock:
    """A day that goes by as fast as it is slept through, until nothing is left of it."""

    def __init__(self, *, lasts_s: float) -> None:
        self.now = datetime.now(UTC)
        self.end = self.now + timedelta(seconds=lasts_s)
        self.slept: list[float] = []

    async def sleep(self, duration_s: float) -> None:
        await asyncio.sleep(0)
        self.slept.append(duration_s)
        self.now += timedelta(seconds=duration_s)
        if self.now > self.end:
            raise asyncio.CancelledError


@pytest.fixture
def copies(folder: Path) -> Iterator[SafetyCopies]:
    Store.open(folder).close()
    made = SafetyCopies(folder / "qhub.db")
    yield made
    made.close()


async def lived(copies: SafetyCopies, clock: Clock) -> list[str]:
    """The copies' keeper through a clock's time; what it told."""
    told: list[str] = []
    with pytest.raises(asyncio.CancelledError):
        await copies.keep_daily(
            on_trouble=lambda error: told.append(str(error)),
            now=lambda: clock.now,
            sleep=clock.sleep,
        )
    return told


async def test_one_is_made_when_it_is_due_and_no_other_that_day(copies: SafetyCopies) -> None:
    clock = Clock(lasts_s=80_000)

    assert await lived(copies, clock) == []

    (made,) = await copies.listed()
    assert made.reason == "daily"
    assert clock.slept[0] == FIRST_LOOK_S
    assert set(clock.slept[1:]) == {LOOK_S}


async def test_one_made_by_hand_or_before_an_update_counts(copies: SafetyCopies) -> None:
    by_hand = await copies.make()

    await lived(copies, Clock(lasts_s=80_000))

    assert await copies.listed() == [by_hand]


async def test_work_is_not_disturbed_but_not_for_ever(copies: SafetyCopies) -> None:
    busy = copies.database.with_name("qhub.db-wal")

    class Busy(Clock):
        @override
        async def sleep(self, duration_s: float) -> None:
            await super().sleep(duration_s)
            busy.touch()
            moment = self.now.timestamp()
            os.utime(busy, (moment, moment))

    await lived(copies, Busy(lasts_s=LONGEST_WAIT_S - 10 * LOOK_S))
    assert await copies.listed() == []
    await lived(copies, Busy(lasts_s=LONGEST_WAIT_S + FIRST_LOOK_S + 10 * LOOK_S))
    assert len(await copies.listed()) == 1


async def test_a_failure_is_told_once_and_tried_again(copies: SafetyCopies) -> None:
    copies.folder.touch()  # something that is no folder
    clock = Clock(lasts_s=4 * AFTER_FAILURE_S)

    told = await lived(copies, clock)

    assert len(told) == 1
    assert "No safety copy" in told[0]
    assert clock.slept.count(AFTER_FAILURE_S) >= 3
    copies.folder.unlink()
    assert await lived(copies, Clock(lasts_s=10_000)) == []
    assert len(listed(copies.database)) == 1


async def test_one_that_is_being_made_is_given_up_at_the_end(folder: Path) -> None:
    store = Store.open(folder)
    await store.conversations.create("analise")
    store.close()
    copies = SafetyCopies(folder / "qhub.db")
    copies.close()

    with pytest.raises((UserError, RuntimeError)):
        await copies.make()
    assert not (folder / "backups").exists()
