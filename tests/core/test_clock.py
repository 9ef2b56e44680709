"""A clock that shows a date which cannot be: told in a sentence, before anything is changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qhub_desktop.core import clock
from qhub_desktop.core.errors import UserError
from qhub_desktop.store import Store

# As Python takes the clock of the year 9999, and as Windows counts it on.
FAR = "def time(): raise OverflowError('timestamp too large to convert to C _PyTime_t')"
WRAPPED = "def time(): return -4.8e9"


@pytest.mark.parametrize("shown", [FAR, WRAPPED])
@pytest.mark.parametrize(
    "start", ["from qhub_desktop.app import command_line", "from qhub_desktop.__main__ import main"]
)
def test_a_program_does_not_start_by_a_date_that_cannot_be(
    shown: str, start: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    program = f"import time as clock\n{shown}\nclock.time = time\n{start}"

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={"QHUB_HOME": str(home), "PYTHONIOENCODING": "utf-8"},
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("O relógio deste computador mostra uma data impossível.")
    assert len(done.stderr.splitlines()) == 1
    assert not home.exists()


@pytest.mark.parametrize("zone", ["AAA-23:59", "AAA-24", "Nowhere/Land"])
def test_no_variable_begins_another_day(zone: str) -> None:
    program = "import qhub_desktop, time; print(time.strftime('%Y-%m-%d %H'))"
    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            encoding="utf-8",
            env={**os.environ, **given},
        ).stdout
        for given in ({}, {"TZ": zone}, {})
    ]
    assert told[1] in (told[0], told[2])


async def test_a_clock_that_is_set_so_while_the_program_runs_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path)
    monkeypatch.setattr(clock, "is_readable", lambda: False)
    try:
        with pytest.raises(UserError, match="date that cannot be"):
            await store.conversations.create("analise")
    finally:
        store.close()
