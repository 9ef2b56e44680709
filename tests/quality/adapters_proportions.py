"""Adapters from reference cases to tests of counts, shares and rates."""

from collections.abc import Callable, Mapping
from typing import Any

from qhub_desktop.quality.event_rates import compare_rates, estimate_rate, estimate_share
from qhub_desktop.quality.proportion_tests import chi_square, compare_proportions, fisher

Case = Mapping[str, Any]
Answer = dict[str, Any]


def _given(case: Case) -> dict[str, Any]:
    """Return data and parameters together; an empty one is a list."""
    return {**(case.get("input") or {}), **(case.get("params") or {})}


def _shares(given: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return counts and totals; a table has a row of successes and failures for each group."""
    if "table" in given:
        return [row[0] for row in given["table"]], [sum(row) for row in given["table"]]
    return given["successes"], given["n"]


def table_test(case: Case) -> Answer:
    """Answer the chi-square test of a table, or of shares."""
    given = _given(case)
    table = given.get("table")
    if table is None:
        counts, totals = _shares(given)
        table = [[count, total - count] for count, total in zip(counts, totals, strict=True)]
    found = chi_square(table)
    return {
        "statistic": found.statistic,
        "df": found.degrees,
        "p": found.p,
        "expected": found.expected,
        "pearson_residuals": found.pearson_residuals,
        "adjusted_residuals": found.adjusted_residuals,
        "cramers_v": found.effect,
        "n_expected_below_5": found.expected_below_5,
    }


def exact(case: Case) -> Answer:
    """Answer Fisher's exact test."""
    given = _given(case)
    table = given.get("table")
    if table is None:
        counts, totals = _shares(given)
        table = [[count, total - count] for count, total in zip(counts, totals, strict=True)]
    found = fisher(table)
    return {"p": found.p, "fisher_p": found.p}


def shares(case: Case) -> Answer:
    """Answer the comparison of shares without continuity correction, with chi-square's keys too."""
    given = _given(case)
    counts, totals = _shares(given)
    pair = len(counts) == 2
    confidence = given.get("confidence", 0.95)
    found = compare_proportions(
        counts, totals, method="z" if pair else "chi_square", confidence=confidence
    )
    return table_test(case) | {
        "p": found.p,
        "estimates": found.shares,
        "z": found.z,
        "diff": found.difference,
        "ci95_diff_wald": found.difference_interval,
        "fisher_p": found.fisher_p,
    }


def rates(case: Case) -> Answer:
    """Answer a share, a rate, and two rates compared: those that the case gives."""
    given = _given(case)
    confidence = given.get("confidence", 0.95)
    answer: Answer = {}
    if "x" in given:
        share = estimate_share(given["x"], given["n"], given.get("p0"), confidence=confidence)
        answer |= {"clopper": share.exact, "wilson": share.wilson, "binom_p": share.p}
    if "pois_x" in given:
        rate = estimate_rate(given["pois_x"], given.get("pois_T", 1), confidence=confidence)
        answer |= {"poisson_ci": rate.interval, "poisson_rate": rate.rate}
    if "two" in given:
        two = compare_rates(given["two"]["x"], given["two"]["T"], confidence=confidence)
        answer |= {
            "two_rate_ratio": two.ratio,
            "two_rate_p": two.p,
            "two_rate_ci": two.interval,
        }
    return answer


ADAPTERS: dict[str, Callable[[Case], Answer]] = {
    "chi2": table_test,
    "fisher": exact,
    "prop*": shares,
    "rates": rates,
}
