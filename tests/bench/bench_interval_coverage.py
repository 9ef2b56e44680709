"""Coverage: how often the 95 % intervals of Cp and Cpk hold the true index, by each estimator.

Run it as `python -m tests.bench bench_interval_coverage`. The goal: 94 to 96 of 100, for normal
values in any number from 25 up, centred or not.
"""

import itertools

import numpy as np

from qhub_desktop.quality.capability import Estimator, Indices, Specification, indices, within_sigma
from qhub_desktop.quality.distributions import TAILS, Lognormal, ModelName, Weibull
from qhub_desktop.quality.nonnormal import model_capability
from tests.bench.record import Figure, record

SEED = 20
SAMPLES = 6000
INDICES = (1.0, 1.67)
# The estimator, the size of a subgroup, how many of them; none is that of all values.
CASES: tuple[tuple[Estimator | None, int, int], ...] = (
    *(("MRbar/d2", 1, count) for count in (25, 50, 100, 200)),
    *(("Rbar/d2", 5, count) for count in (10, 25)),
    *(("Sbar/c4", 5, count) for count in (10, 25)),
    *(("pooled/c4", 5, count) for count in (10, 25)),
    ("Rbar/d2", 2, 25),
    *((None, 1, count) for count in (25, 100)),
)

MODELS: tuple[tuple[ModelName, Weibull | Lognormal], ...] = (
    ("weibull", Weibull(1.5, 10.0)),
    ("lognormal", Lognormal(1.0, 0.4)),
)


def measure() -> dict[str, dict[str, Figure]]:
    """Per cent of samples whose interval holds the true Cp, Cpk, and Cpk off the centre."""
    figures: dict[str, dict[str, Figure]] = {}
    for (estimator, size, count), index in itertools.product(CASES, INDICES):
        rng = np.random.default_rng([SEED, size, count])
        centred = Specification(-3 * index, 3 * index)
        off = Specification(-3 * index, 3 * index + 2)
        held = np.zeros(3)
        for _sample in range(SAMPLES):
            values = rng.standard_normal(size * count)
            found, one = (_indices(values, each, estimator, size) for each in (centred, off))
            assert found.cp is not None
            held += [
                (each.low or 0.0) <= index <= (each.high or 0.0)
                for each in (found.cp, found.cpk, one.cpk)
            ]
        cp, cpk, off_centre = (100 * held / SAMPLES).tolist()
        name = f"{estimator or 's'}, {count} of {size}, true index {index}"
        figures[name] = {
            "cp_percent": cp, "cpk_percent": cpk, "cpk_off_centre_percent": off_centre,
        }  # fmt: skip
    return figures | {
        f"{name}, {count} values, Ppk by its model": {"cpk_percent": _of_model(name, fit, count)}
        for name, fit in MODELS
        for count in (50, 100)
    }


def _of_model(name: ModelName, fit: Weibull | Lognormal, count: int) -> float:
    _low, median, high = fit.quantile(TAILS).tolist()
    specification = Specification(upper=median + 1.2 * (high - median))
    rng = np.random.default_rng([SEED, count])
    held = 0
    for _sample in range(SAMPLES // 4):
        values = fit.quantile(rng.random(count))
        found = model_capability(values, specification, name).overall.cpk
        held += (found.low or 0.0) <= 1.2 <= (found.high or 0.0)
    return 100 * held / (SAMPLES // 4)


def _indices(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    specification: Specification,
    estimator: Estimator | None,
    size: int,
) -> Indices:
    sizes = None if size == 1 else [size] * (len(values) // size)
    sigma, name, freedom = float(values.std(ddof=1)), "s", len(values) - 1.0
    if estimator is not None:
        within, name, freedom = within_sigma(values, sizes=sizes, estimator=estimator)
        assert within is not None
        sigma = within
    mean = float(values.mean())
    return indices(mean, sigma, name, specification, len(values), 0.95, freedom)


def main() -> None:
    """Measure, print, keep."""
    record(
        "interval_coverage", {**measure(), "seed": SEED, "samples": SAMPLES}, libraries=("scipy",)
    )


if __name__ == "__main__":
    main()
