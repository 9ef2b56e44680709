"""False alarms: how often stable processes are called unstable, or given a signal, by chance.

Run it as `python -m tests.bench bench_false_alarms`. The goal: a stable process of 25 to 200 points
is called unstable in 5 of 100 cases at most, by the rules that are usual; of values that are not
normal, by their own model.
"""

from collections.abc import Callable

import numpy as np

from qhub_desktop.quality.capability import Specification
from qhub_desktop.quality.control_charts import ChartPlan, ControlChart
from qhub_desktop.quality.run_rules import NELSON, FloatArray, Rules
from qhub_desktop.quality.sixpack import sixpack
from qhub_desktop.quality.stability import Stability, stability_of
from qhub_desktop.quality.variable_charts import averages, individuals
from qhub_desktop.tools.studies.control_study import ROUTINE
from tests.bench.record import Figure, record

SEED = 20
SERIES = 2000
LENGTHS = (25, 50, 100, 200)

Draw = Callable[[np.random.Generator, int], FloatArray]
Judge = Callable[[FloatArray, Rules], Stability]


def _charted(draw: Callable[[FloatArray, ChartPlan], ControlChart]) -> Judge:
    def judge(values: FloatArray, rules: Rules) -> Stability:
        return stability_of(draw(values, ChartPlan(rules=rules)), rules)

    return judge


def _by_lognormal(values: FloatArray, rules: Rules) -> Stability:
    return sixpack(
        values, Specification(1e-9, 1e9), plan=ChartPlan(rules=rules), model="lognormal"
    ).stability


def _normal(rng: np.random.Generator, count: int) -> FloatArray:
    return rng.normal(10.0, 2.0, count)


def _rows(rng: np.random.Generator, count: int) -> FloatArray:
    return rng.normal(10.0, 2.0, (count, 5))


def _lognormal(rng: np.random.Generator, count: int) -> FloatArray:
    return rng.lognormal(1.0, 0.6, count)


CASES: dict[str, tuple[Draw, Judge, Rules]] = {
    "I-MR, usual rules": (_normal, _charted(individuals), ROUTINE),
    "I-MR, all eight": (_normal, _charted(individuals), NELSON),
    "X-bar R of 5, usual rules": (_rows, _charted(averages), ROUTINE),
    "X-bar R of 5, all eight": (_rows, _charted(averages), NELSON),
    "capability of lognormal values by their model": (_lognormal, _by_lognormal, ROUTINE),
}


def measure() -> dict[str, dict[str, Figure]]:
    """Per cent of stable series with each grade, and what was told to be expected by chance."""
    figures: dict[str, dict[str, Figure]] = {}
    for name, (draw, judge, rules) in CASES.items():
        for count in LENGTHS:
            rng = np.random.default_rng([SEED, count])
            found = [judge(draw(rng, count), rules) for _series in range(SERIES)]
            chance = found[0].chance
            assert chance is not None
            figures[f"{name}, {count} points"] = {
                "unstable_percent": _share(found, lambda each: each.grade == "unstable"),
                "any_signal_percent": _share(found, lambda each: each.flagged > 0),
                "told_percent": 100 * chance.alarms,
                "flagged_mean": float(np.mean([each.flagged for each in found])),
                "told_mean": chance.expected,
            }
    return figures


def _share(found: list[Stability], holds: Callable[[Stability], bool]) -> float:
    return 100 * float(np.mean([holds(each) for each in found]))


def main() -> None:
    """Measure, print, keep."""
    record("false_alarms", {**measure(), "seed": SEED, "series": SERIES}, libraries=("scipy",))


if __name__ == "__main__":
    main()
