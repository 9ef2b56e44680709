"""Which chart is proposed for data of which shape, and what is said to be missing."""

import numpy as np
import pytest

from qhub_desktop.quality.chart_choice import (
    DataShape,
    Defectives,
    DefectLog,
    Defects,
    Measurements,
    PartsJudged,
    choose_chart,
)

RNG = np.random.default_rng(0)
CALM = RNG.binomial(200, 0.1, size=30)
UNEQUAL = RNG.binomial([200, 250] * 15, 0.1)
WILD = RNG.binomial(20_000, np.clip(RNG.normal(0.1, 0.03, size=30), 0.01, 0.9))


@pytest.mark.parametrize(
    ("shape", "kind", "estimator"),
    [
        (Measurements(), "i", "mr_mean"),
        (Measurements((1, 1, 1)), "i", "mr_mean"),
        (Measurements((5, 5, 5)), "xbar", "range"),
        (Measurements((5, 3, 4)), "xbar", "range"),
        (Measurements((12, 15, 11)), "xbar", "deviation"),
        (PartsJudged((40, 50, 45)), "p", None),
        (Defectives(CALM, [200] * 30), "np", None),
        (Defectives(UNEQUAL, [200, 250] * 15), "p", None),
        (Defectives(WILD, [20_000] * 30), "laney_p", None),
        (Defectives(CALM), "c", None),
        (Defects(CALM, [50] * 30), "c", None),
        (Defects(CALM, [50, 60] * 15), "u", None),
        (Defects(WILD, [20_000] * 30), "laney_u", None),
        (Defects(CALM), "c", None),
        (DefectLog(), "c", None),
    ],
)
def test_the_shape_asks_for_the_chart(shape: DataShape, kind: str, estimator: str | None) -> None:
    choice = choose_chart(shape)

    assert (choice.kind, choice.estimator) == (kind, estimator)
    assert choice.why.endswith(".")
    assert choice.subgroups.endswith(".")


def test_without_a_denominator_the_volume_is_asked_for() -> None:
    for shape in (Defectives(CALM), Defects(CALM), DefectLog()):
        assert "volume" in choose_chart(shape).missing
    assert choose_chart(Defects(CALM, [50] * 30)).missing == ""


def test_a_log_without_dates_lacks_them() -> None:
    assert len(choose_chart(DefectLog(has_moments=False)).missing) > len(
        choose_chart(DefectLog()).missing
    )
