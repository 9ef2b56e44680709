"""Answers quoted without a model: how often the right words are, and how often wrong ones.

Run it as `python -m tests.bench.bench_quotes [FILE.toml]...`, on other papers than those of
`tests/knowledge/quotes_*.toml`, too (their form: `tests/tools/quoted_papers.py`). Wrong answers and
those that only show the nearest are printed. The exit code says whether at most one answer in
twenty claims what is not so, and six in ten questions are answered.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from qhub_desktop.core import text
from tests.bench.record import record
from tests.tools.quoted_papers import FOLDER, judged, papers, shares

MOST_WRONG, LEAST_RIGHT = 0.05, 0.6


def main(files: list[str]) -> int:
    """Judge the files, or those that are kept, which alone are recorded."""
    text.use("pt")
    figures: dict[str, dict[str, float]] = {}
    for file in [Path(each) for each in files] or sorted(FOLDER.glob("quotes_*.toml")):
        with tempfile.TemporaryDirectory() as folder:
            found = asyncio.run(judged(papers(file), Path(folder), words_only=False))
        for kind, question, answer in found:
            if kind in ("wrong", "not claimed"):
                print(f"{kind}: {question}\n    {' '.join(answer.text.split())[:300]}")
        figures[file.stem] = shares(found)
    if files:
        print(figures)
    else:
        record("quotes", figures)
    is_good = all(
        each["wrong_share"] <= MOST_WRONG and each["right_share"] >= LEAST_RIGHT
        for each in figures.values()
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
