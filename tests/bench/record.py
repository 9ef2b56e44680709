"""What was measured, kept beside the measurements with its date and versions."""

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
NAMED = ("PySide6_Essentials", "qasync", "anthropic", "httpx2", "duckdb", "pyqtgraph", "numpy")

Figure = float | int | str


def record(
    name: str,
    figures: Mapping[str, Mapping[str, Figure] | Figure],
    *,
    libraries: Sequence[str] = (),
) -> Path:
    """Print the figures as a table, and write them to results/<name>.json.

    A figure's name ends in its unit: `cpu_s`, `longest_stall_ms`. A mapping of mappings is a table
    with a row each. `libraries` are those whose versions matter beside our own.
    """
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    kept = {
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": f"{platform.system()}, {os.cpu_count()} cores",
        "versions": {each: version(each) for each in (*NAMED, *libraries)},
        "figures": figures,
    }
    file.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(_table(figures))
    return file


def _table(figures: Mapping[str, Mapping[str, Figure] | Figure]) -> str:
    rows: list[list[str]] = []
    columns: list[str] = []
    for value in figures.values():
        if isinstance(value, Mapping):
            columns += [each for each in value if each not in columns]
    if columns:
        rows.append(["", *columns])
    for name, value in figures.items():
        if isinstance(value, Mapping):
            rows.append([name, *(_shown(value.get(each, "")) for each in columns)])
        else:
            rows.append([name, _shown(value)])
    widths = [
        max(len(row[place]) for row in rows if place < len(row))
        for place in range(max(map(len, rows)))
    ]
    return "\n".join(
        "  ".join(
            cell.ljust(widths[place]) if place == 0 else cell.rjust(widths[place])
            for place, cell in enumerate(row)
        )
        for row in rows
    )


def _shown(value: Figure) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit("This is no measurement: run one, as in `python -m tests.bench bench_stream`.")
