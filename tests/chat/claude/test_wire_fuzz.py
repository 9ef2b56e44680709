"""A small part of the fuzz of the wire; the whole of it runs by command (`tests/wire/fuzz.py`)."""

from pathlib import Path

import pytest

from tests.wire.fuzz import run

STREAMS = 40


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_mutated_stream_leaves_an_end_a_sendable_history_and_no_key(
    seed: int, folder: Path
) -> None:
    tally = await run(STREAMS, seed, folder)

    assert tally.failures == []
    assert tally.ends.total() == STREAMS
    assert tally.ends["complete"] > 0
    assert tally.ends["failed"] > 0
