"""How long the command line takes from the call to the end of an offline answer."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.record import record
from tests.walks.calling import QHUB

RUNS = 7
FLOOR = "import json, sqlite3, argparse, asyncio"


def main() -> None:
    """Print and keep the figures."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QHUB_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        first_s = _once([QHUB, *_question("e por turno?")], environment)
        answers = [_once([QHUB, *_question("top 5 defeitos")], environment) for _ in range(RUNS)]
        floors = [_once([sys.executable, "-c", FLOOR], environment) for _ in range(RUNS)]
        fresh = []
        for number in range(RUNS):
            moved = {**environment, "QHUB_HOME": str(Path(home) / f"fresh-{number}")}
            fresh.append(_once([QHUB, *_question("top 5 defeitos")], moved))
    record(
        "offline",
        {
            "first call of all, s": first_s,
            "answer, median s": statistics.median(answers),
            "answer, longest s": max(answers),
            "answer in an empty data folder, median s": statistics.median(fresh),
            "bare interpreter, median s": statistics.median(floors),
            "answer / bare interpreter": statistics.median(answers) / statistics.median(floors),
        },
    )


def _question(question: str) -> list[str]:
    return ["ask", "--engine", "offline", "--json", question]


def _once(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
