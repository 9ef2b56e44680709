"""Programs that ask at once on one data folder, and what they spend together of a budget.

`python -m tests.soak.budgets --programs 20 --times 3`: each time on a new folder and for each
budget, so many processes of the real command line ask a service that speaks the wire format, takes
some seconds for an answer, and says that each cost `--cost` US dollars. Fails if a budget was
overrun by more than one answer.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from qhub_desktop.core.budget import Budget, BudgetStanding
from qhub_desktop.store import Store
from tests.end_to_end.qhub_process import QHUB
from tests.wire import Usage, WireServer, answer

BUDGETS_USD = (0.10, 0.05)
TOKEN_USD = 10 / 1_000_000  # of an answer, by the model that is asked where nobody chose one
WORDS = "Porque a noite tem menos gente. "


def overrun_usd(
    folder: Path, usd: float, *, programs: int, cost_usd: float, held_s: float
) -> float:
    """Return by how much so many programs overran a budget, and print what became of them."""
    store = Store.open(folder)
    asyncio.run(store.costs.set_budget(Budget("station", "", "day", usd)))
    took = Usage(0, round(cost_usd / TOKEN_USD))
    scene = answer(WORDS, size=1, pace=len(WORDS) / held_s, usage=took)
    with WireServer(lambda _body: scene) as server:
        environment = {
            **os.environ,
            "QHUB_HOME": str(folder),
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "key-for-tests",
        }
        ends = _ask(programs, environment)
        requests = len(server.requests)
    standing: BudgetStanding = asyncio.run(store.costs.all_standings())[0]
    store.close()
    over_usd = standing.spent_usd - usd
    print(
        f"{usd:.2f} US$: {requests} requests, {standing.spent_usd:.2f} US$ spent,"
        f" {standing.reserved_usd:.2f} reserved at the end, over by {over_usd:.2f}"
    )
    for end, count in ends.most_common():
        print(f"    {count} x {end}", flush=True)
    return over_usd


def _ask(programs: int, environment: Mapping[str, str]) -> Counter[str]:
    """Let so many programs ask at once; return how they ended, and how often."""
    asking = [
        subprocess.Popen(
            [QHUB, "ask", "--engine", "claude", "--yes", "porque temos tanto lixo?"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        for _each in range(programs)
    ]
    said = [each.communicate()[1].strip() for each in asking]
    return Counter(
        f"{each.returncode} {(last.splitlines() or ['answered'])[-1]}"
        for each, last in zip(asking, said, strict=True)
    )


def main() -> int:
    """Run by command; the exit code is 1 if a budget was overrun by more than one answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--cost", type=float, default=1.0, help="of one answer, in US dollars")
    parser.add_argument("--held", type=float, default=4.0, help="seconds that an answer takes")
    asked = parser.parse_args()
    worst_usd = -1.0
    for _time in range(asked.times):
        for usd in BUDGETS_USD:
            with tempfile.TemporaryDirectory() as folder:
                over_usd = overrun_usd(
                    Path(folder),
                    usd,
                    programs=asked.programs,
                    cost_usd=asked.cost,
                    held_s=asked.held,
                )
            worst_usd = max(worst_usd, over_usd)
    is_kept = worst_usd <= asked.cost + 1e-9
    print(f"{'Kept' if is_kept else 'NOT KEPT'}: over by {worst_usd:.2f} US$ at most.")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
