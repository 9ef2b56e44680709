"""Waiting for something to come about, in the event loop that brings it about."""

import asyncio
from collections.abc import Callable

PATIENCE_S = 60.0
LOOK_S = 0.005


async def until(is_so: Callable[[], object], what: str = "it") -> None:
    """Let the loop work until something is so; `what` names it where it never is."""
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE_S
    while not is_so():
        assert loop.time() < end, f"{what} did not come about within {PATIENCE_S:.0f} s"
        await asyncio.sleep(LOOK_S)
