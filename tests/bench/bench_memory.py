"""The largest files: how much memory both processes of ours take at most, and how long it takes.

Run it as `python -m tests.bench bench_memory`; it needs 4 GB of disk, and Linux to see the memory.
The goal: a million-row .xlsx and a .csv of 1 GB with less than 1.5 GB.
"""

import tempfile
from pathlib import Path

from tests.bench.bench_import import LIBRARIES, ours
from tests.bench.exports import make_local, make_plain, make_quoted, make_workbook
from tests.bench.record import Figure, record

SHEET_ROWS = 1_000_000
TEXT_ROWS = 17_500_000  # 1.04 GB
LIMIT_MB = 1_500


def measure(folder: Path) -> dict[str, dict[str, Figure]]:
    """One file after the other; each is gone before the next is made."""
    figures: dict[str, dict[str, Figure]] = {}
    for name, make, rows in (
        ("1,000,000 x 8.xlsx, shared texts", make_workbook, SHEET_ROWS),
        ("1,000,000 x 8.xlsx, texts in the cells", _with_own_texts, SHEET_ROWS),
        ("1 GB.csv", make_plain, TEXT_ROWS),
        ("1 GB quoted.csv", make_quoted, TEXT_ROWS * 4 // 5),
        ("1 GB cp1252.csv", make_local, TEXT_ROWS),
    ):
        file = make(folder / name, rows)
        size_mb = file.stat().st_size / 1e6
        seen = ours(file)
        file.unlink()
        both_mb = seen["child_mb"] + seen["parent_mb"]
        figures[name] = {"size_mb": size_mb, "both_mb": both_mb, **seen}
    return figures


def _with_own_texts(file: Path, rows: int) -> Path:
    return make_workbook(file, rows, has_shared_texts=False)


def main() -> None:
    """Measure, print, keep."""
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder))
    record("memory", figures, libraries=LIBRARIES)
    above = [name for name, found in figures.items() if float(found["both_mb"]) >= LIMIT_MB]
    print(f"Above {LIMIT_MB} MB: {', '.join(above) or 'none'}.")


if __name__ == "__main__":
    main()
