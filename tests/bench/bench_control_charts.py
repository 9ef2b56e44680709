"""Control charts of 100,000 points: the numbers and all eight rules of Nelson, without drawing.

Run it as `python -m tests.bench bench_control_charts`. The goal: a chart of individuals, with its
moving ranges and all eight rules, within 200 ms.
"""

import time
from collections.abc import Callable

import numpy as np

from qhub_desktop.quality.attribute_charts import defective_shares
from qhub_desktop.quality.run_rules import NELSON, rule_flags, signals_of
from qhub_desktop.quality.variable_charts import averages, individuals
from qhub_desktop.quality.weighted_charts import cusum, ewma
from tests.bench.record import Figure, record

POINTS = 100_000
TIMES = 7


def measure() -> dict[str, dict[str, Figure]]:
    """The first time, with what has to be imported, and the median of the next."""
    rng = np.random.default_rng(17)
    calm = rng.normal(100.0, 2.0, POINTS)
    drifting = np.cumsum(rng.normal(0.0, 1.0, POINTS))
    rows = calm.reshape(-1, 5)
    counts = rng.binomial(400, 0.03, POINTS)
    work: dict[str, Callable[[], object]] = {
        "individuals and moving ranges, eight rules": lambda: individuals(calm),
        "the same, nearly every point a signal": lambda: individuals(drifting),
        "the eight rules alone": lambda: signals_of(rule_flags(calm, 100.0, 2.0, NELSON)),
        "20,000 averages of 5 with ranges": lambda: averages(rows),
        "p chart": lambda: defective_shares(counts, 400),
        "EWMA of individuals, both made": lambda: ewma(individuals(calm)),
        "CUSUM of individuals, both made": lambda: cusum(individuals(calm)),
    }
    figures: dict[str, dict[str, Figure]] = {}
    for name, run in work.items():
        first, *next_ones = [_taken_ms(run) for _time in range(TIMES)]
        figures[name] = {"first_ms": first, "median_ms": float(np.median(next_ones))}
    return figures


def _taken_ms(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measure, print, keep."""
    record("control_charts", measure(), libraries=("scipy",))


if __name__ == "__main__":
    main()
