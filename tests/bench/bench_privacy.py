"""Privacy of an agent of aggregates, attacked as a linear system; and what an honest answer takes.

Run it as `python -m tests.bench.bench_privacy`. For each seed: 500 random queries of sums over a
table of 60 rows go through the tool itself, and what it tells is solved for the rows, by least
squares and by least squares without negative values. A value is recovered if the solution is within
5 % of it in each of five draws of values over the same sets: by chance one draw in seventy is.
"""

import asyncio
import json
import random
import statistics
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from qhub_desktop.tools.disclosure import rounded
from tests.bench.record import Figure, record
from tests.tools.conftest import ToolHarness
from tests.tools.test_aggregates import Row, made_rows, measures, written

SEEDS = 3
QUERIES = 500
DRAWS = 5
CATEGORIES = ("turno", "operador", "tipo", "rack")
START = date(2026, 1, 1)


def asked(chance: random.Random, rows: list[Row]) -> dict[str, Any]:
    """Make one random query that the tool takes."""
    keys = chance.sample([*CATEGORIES, "data"], chance.choice([0, 0, 1, 1, 2, 3]))
    grain = chance.choice(["dia", "semana", "mes"])
    filters = []
    for name in chance.sample(CATEGORIES, chance.choice([0, 1, 1, 2])):
        values = sorted({row[name] for row in rows})
        chosen = chance.sample(values, chance.randint(1, len(values) - 1))
        filters.append({"coluna": name, "valores": chosen})
    given: dict[str, Any] = {
        "medidas": measures("soma"),
        "por": [{"coluna": key, "por": grain} if key == "data" else key for key in keys],
        "filtros": filters,
    }
    if chance.random() < 0.5:
        first, last = sorted(chance.sample(range(30), 2))
        days = [(START + timedelta(days=each)).isoformat() for each in (first, last)]
        given["periodo"] = {"de": days[0], "ate": days[1]}
    return given


def sets_of(given: dict[str, Any], told: dict[str, Any], rows: list[Row]) -> list[list[bool]]:
    """Return the rows of each sum that was told, worked out from the query alone."""
    inside = [
        all(row[each["coluna"]] in each["valores"] for each in given["filtros"])
        and _is_within(row["data"], given.get("periodo"))
        for row in rows
    ]
    sets = [inside] if told.get("total", {}).get("soma_custo") is not None else []
    width = len(given["por"])
    for line in told.get("linhas", ()):
        if line[-1] is not None:
            keys = [[_key(row, key) for key in given["por"]] == line[:width] for row in rows]
            sets.append([each and key for each, key in zip(inside, keys, strict=True)])
    return sets


def _is_within(day: date, period: dict[str, str] | None) -> bool:
    return period is None or period["de"] <= day.isoformat() <= period["ate"]


def _key(row: Row, key: str | dict[str, str]) -> str:
    if isinstance(key, str):
        return str(row[key])
    day: date = row["data"]
    match key["por"]:
        case "semana":
            day -= timedelta(days=day.weekday())
        case "mes":
            day = day.replace(day=1)
    return day.isoformat()


async def attack(seed: int) -> dict[str, Figure]:
    """Ask, solve, and count what was recovered."""
    chance = random.Random(seed)
    rows = made_rows(seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        harness = ToolHarness(Path(folder))
        await harness.drop(written(rows, Path(folder) / "custos.csv"))
        sets: list[list[bool]] = []
        answered, took = 0, []
        for _query in range(QUERIES):
            given = asked(chance, rows)
            began = time.perf_counter()
            told = json.loads(json.dumps(await harness.result("agregar", **given)))
            took.append(time.perf_counter() - began)
            answered += "total" in told
            sets += sets_of(given, told, rows)
        await harness.program.close()
    system = np.array(sets, dtype=float)
    leverage = (np.linalg.pinv(system) @ system).diagonal().max()
    hits = {"least_squares": np.ones(len(rows), bool), "not_negative": np.ones(len(rows), bool)}
    first = 0
    for draw in range(DRAWS):
        values = np.array([row["custo"] for row in made_rows(seed + 100 * draw)])
        sums = np.array([rounded(each) for each in system @ values])
        solved = np.linalg.lstsq(system, sums, rcond=1e-9)[0]
        near = np.abs(solved - values) < 0.05 * values
        first += int(near.sum()) if draw == 0 else 0
        hits["least_squares"] &= near
        hits["not_negative"] &= np.abs(nnls(system, sums)[0] - values) < 0.05 * values
    return {
        "answered": answered,
        "sums_told": len(sets),
        "rank": int(np.linalg.matrix_rank(system)),
        "largest_leverage": float(leverage),
        "within_5_percent_in_one_draw": first,
        **{f"recovered_{name}": int(each.sum()) for name, each in hits.items()},
        "median_ms": round(1000 * statistics.median(took), 1),
    }


def main() -> None:
    """Attack once for each seed."""
    record("privacy", {f"seed {seed}": asyncio.run(attack(seed)) for seed in range(SEEDS)})


if __name__ == "__main__":
    main()
