"""Tables made by seed, read as they are in truth: how many, by what they put to the test.

Run it as `python -m tests.bench.bench_generated_texts`. The tests read one to three seeds of the
same kinds; here are five of each, for the chances that few seeds do not take.
"""

import tempfile
import time
from pathlib import Path

from qhub_desktop.core import text
from qhub_desktop.core.errors import UserError
from tests.bench.record import Figure, record
from tests.data.conftest import read_here
from tests.data.nasty.by_seed import SORTS, by_seed
from tests.data.nasty.truth import Case
from tests.data.test_generated_texts import wrong_in
from tests.data.test_nasty import refusal

SEEDS = range(5)


def is_right(case: Case, folder: Path) -> bool:
    """Read a case in a folder of its own, and tell what is wrong."""
    try:
        wrong = wrong_in(lambda file: read_here(file, folder / "shelf"), folder, case)
    except UserError as error:
        wrong = refusal(error, case.truth)
    if wrong:
        print(case.name, *wrong, sep="\n  ")
    return not wrong


def main() -> None:
    """Read every kind from every seed, and keep how many of them came out right."""
    text.use("en")  # which the names are written in that the program gives to columns
    figures: dict[str, dict[str, Figure] | Figure] = {}
    for sort in SORTS:
        started = time.process_time()
        read = []
        for case in by_seed(sort, *SEEDS):
            with tempfile.TemporaryDirectory() as folder:
                read.append(is_right(case, Path(folder)))
        each_ms = (time.process_time() - started) * 1000 / len(read)
        figures[sort] = {"files": len(read), "right": sum(read), "each_ms": round(each_ms, 1)}
    record("generated_texts", figures)


if __name__ == "__main__":
    main()
