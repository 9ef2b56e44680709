"""Programs that sign in at once: how many secrets are compared, and whether honest ones get in.

Run it as `python -m tests.bench.bench_sign_in`. Each program is a process of its own, held at its
start until all are there. Of 24 wrong PINs no more are to be compared than of 24 one after the
other, where the third costs the first wait; of 20 right ones every one is to sign in. The exit code
says whether both hold.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.people.accounts import FREE_TRIES, Accounts
from qhub_desktop.store import Store
from tests.bench.record import record

PIN = "4071"
WRONG, RIGHT = 24, 20


class _Counting(Accounts):
    compared = 0

    @override
    async def _compare(self, kept: str | None, secret: str) -> bool:
        self.compared += 1
        return await super()._compare(kept, secret)


async def _sign_in(folder: Path, secret: str) -> str:
    store = Store.open(folder)
    # Time stands still: on a busy computer the first wait would pass before all have tried.
    accounts = _Counting(store.people, uptime_s=lambda: 50_000.0)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    try:
        await accounts.sign_in("rui", secret)
        outcome = "in"
    except UserError:
        outcome = "out"
    store.close()
    return f"{accounts.compared} {outcome}"


def _at_once(folder: Path, secrets: Sequence[str]) -> tuple[int, int, float]:
    """Sign in with each secret in a process of its own; count the compared and those let in."""
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", __spec__.name, str(folder), secret],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for secret in secrets
    ]
    for each in programs:
        assert each.stdout is not None
        each.stdout.readline()
    began = time.monotonic()
    for each in programs:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    told = [each.communicate()[0].split() for each in programs]
    took_s = time.monotonic() - began
    return sum(int(compared) for compared, _out in told), sum(o == "in" for _c, o in told), took_s


def main() -> int:
    """Measure, and return the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = Store.open(folder)
        accounts = Accounts(store.people)

        async def fill() -> None:
            await accounts.add("ana", "admin", None, secret="uma frase longa")
            await accounts.add("rui", "operador", None, secret=PIN)

        asyncio.run(fill())
        store.close()
        right, signed_in, right_s = _at_once(folder, [PIN] * RIGHT)
        wrong, guessed, wrong_s = _at_once(folder, [f"{5000 + 7 * n}" for n in range(WRONG)])
    record(
        "sign_in",
        {
            "right": {"programs": RIGHT, "compared": right, "signed_in": signed_in, "s": right_s},
            "wrong": {"programs": WRONG, "compared": wrong, "signed_in": guessed, "s": wrong_s},
        },
    )
    return 0 if (signed_in, guessed) == (RIGHT, 0) and wrong <= FREE_TRIES else 1


if __name__ == "__main__":
    if sys.argv[1:]:
        print(asyncio.run(_sign_in(Path(sys.argv[1]), sys.argv[2])))
        sys.exit(0)
    sys.exit(main())
