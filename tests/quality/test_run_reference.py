"""The runner of reference cases: its rules of comparison, and what counts as failed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qhub_desktop.quality.findings import NotComputableError
from tests.quality import run_reference
from tests.quality.run_reference import differences, judge

EXACT = {"default": {"rel": 0, "abs": 0}}


def case(expected: Any, **tolerance: Any) -> dict[str, Any]:
    return {"id": "made.up", "expected": expected, "tolerance": {**EXACT, **tolerance}}


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({"lcl": 1.0}, {"lcl": 1, "more": 2}),
        ({"lcl": 1.0}, {"lcl": np.full(3, 1.0)}),
        ({"lcl": [1, 1, 1]}, {"lcl": 1.0}),
        ({"lcl": [1, 2]}, {"lcl": np.array([1.0, 2.0])}),
        ({"lcl": None}, {}),
        ({"lcl": None}, {"lcl": float("nan")}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        ({"beyond_1based": []}, {"beyond_1based": []}),
        ({"beyond_1based": 7}, {"beyond_1based": [7]}),
        ({"name": "pooled", "ok": True}, {"name": "pooled", "ok": np.bool_(True)}),
        ({"published": {"ucl": 1.2}, "published_ewma": [1]}, {}),
    ],
)
def test_these_answers_are_as_expected(expected: Any, got: Any) -> None:
    assert differences(case(expected), got) == []


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({"lcl": 1.0}, {"lcl": 1.0000001}),
        ({"lcl": 1.0}, {}),
        ({"lcl": 1.0}, {"lcl": []}),
        ({"lcl": 1.0}, {"lcl": float("nan")}),
        ({"lcl": [1, 2]}, {"lcl": 1.0}),
        ({"lcl": [1, 2]}, {"lcl": [1, 2, 3]}),
        ({"lcl": None}, {"lcl": 0.0}),
        ({"lcl": [1, None]}, {"lcl": [1, 2]}),
        ({"a": {"b": 1}}, {"a": {}}),
        ({"a": {"b": 1}}, {"a": 1}),
        ({"beyond_1based": []}, {}),
        ({"beyond_1based": []}, {"beyond_1based": [1]}),
        ({"beyond_1based": [1, 2]}, {"beyond_1based": [1]}),
        ({"ok": True}, {"ok": 1}),
        ({"name": "pooled"}, {"name": "Pooled"}),
    ],
)
def test_these_answers_are_not(expected: Any, got: Any) -> None:
    assert len(differences(case(expected), got)) == 1


def test_a_key_may_have_a_tolerance_of_its_own() -> None:
    made = case(
        {"lcl": 100.0, "ucl": 200.0, "note": 5},
        keys={"ucl": {"rel": 0.01, "abs": 1}, "note": {"informational": True}},
    )

    assert differences(made, {"lcl": 100.0, "ucl": 203.0}) == []
    assert len(differences(made, {"lcl": 100.0, "ucl": 203.1})) == 1
    assert len(differences(made, {"lcl": 100.1, "ucl": 203.0})) == 1


def test_no_position_is_right_where_none_is_expected() -> None:
    assert differences(case({"phase2_beyond_1based": None}), {"phase2_beyond_1based": []}) == []
    assert differences(case({"beyond": [3]}), {"beyond_1based": [3]}) == []


def test_upper_limits_of_shares_may_be_capped() -> None:
    shares = {**case({"ucl": [1.04, 0.9]}), "id": "p.made_up"}

    assert differences(shares, {"ucl": [1.0, 0.9]}) == []
    assert len(differences(shares, {"ucl": [1.0, 1.0]})) == 1
    assert len(differences({**shares, "id": "u.made_up"}, {"ucl": [1.0, 0.9]})) == 1


def test_without_a_tolerance_only_rounding_is_allowed() -> None:
    told = {"id": "made.up", "expected": {"x": 1 / 3}}

    assert differences(told, {"x": 1 - 2 / 3}) == []
    assert len(differences(told, {"x": 0.3333333})) == 1


def test_figures_may_be_written_as_texts() -> None:
    def answer(given: run_reference.Case) -> dict[str, Any]:
        return {
            "sum": sum(given["input"]["x"]),
            "group": given["input"]["group"],
            **given["params"],
        }

    written = {
        "id": "a.b",
        "input": {"x": ["1.5", "2", "-3e2"], "group": ["1", "2"]},
        "params": {"shift": "1.5", "name": "S-3"},
        "expected": {"sum": -296.5, "group": ["1", "2"], "shift": 1.5, "name": "S-3"},
    }

    assert judge(written, {"a": answer}) == []


@pytest.mark.parametrize(
    "broken",
    [
        None,
        "text",
        {},
        {"id": None},
        {"id": "imr.x"},
        {"id": "imr.x", "input": [], "params": [], "expected": {"center": 1}},
        {"id": "c.x", "input": {"defects": [1, 2, 3]}, "expected": {"center": 2}, "tolerance": "x"},
        {"id": "grr.x", "input": {"rows": []}, "params": [], "expected": {"ndc": 5}},
        {"id": "p.x", "input": {"defectives": [1, 2, 3]}, "expected": {"center": 1}},
    ],
)
def test_a_broken_case_has_failed_and_the_run_goes_on(broken: Any) -> None:
    assert judge(broken, run_reference.adapters())


def test_positions_are_exact_whatever_the_tolerance() -> None:
    made = case({"beyond_1based": [37]}, default={"rel": 1, "abs": 100})

    assert len(differences(made, {"beyond_1based": [38]})) == 1


def test_the_longest_prefix_answers() -> None:
    known = {"a": lambda _case: {"x": 1}, "a.b": lambda _case: {"x": 2}, "c*": lambda _case: {}}

    assert judge({"id": "a.z", "expected": {"x": 1}}, known) == []
    assert judge({"id": "a.b.z", "expected": {"x": 2}}, known) == []
    assert judge({"id": "candy", "expected": {}}, known) == []
    assert judge({"id": "ab.z", "expected": {}}, known) == ["no adapter knows this method"]


def test_a_refusal_gives_no_value() -> None:
    def refuse(_case: run_reference.Case) -> dict[str, Any]:
        raise NotComputableError("spread", "All values are equal.")

    assert judge({"id": "a", "expected": {"cpk": None}}, {"a": refuse}) == []
    assert "All values are equal." in judge({"id": "a", "expected": {"cpk": 1}}, {"a": refuse})[0]


def test_it_runs_by_its_path_and_ends_with_the_count(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    cases = [{"id": "unheard.of", "expected": {"x": 1}}]
    file.write_text(json.dumps({"cases": cases}), encoding="utf-8")

    ran = subprocess.run(
        [sys.executable, run_reference.__file__, str(file)],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert ran.stdout.splitlines()[-1] == "0 passed, 1 failed"
    assert ran.returncode == 1


def test_keys_that_say_of_which_sigma_they_are_have_answers() -> None:
    values = [9.8, 10.1, 10.0, 10.3, 9.9, 10.2, 10.0, 9.7, 10.1, 9.9]
    expected = dict.fromkeys(("ppm_below_overall", "ppm_above_overall", "Cpm_overall"), 0)
    made = {
        "id": "capability.own",
        "input": {"x": values},
        "params": {"lsl": 9.0, "usl": 11.0, "target": 10.0},
        "expected": expected,
    }
    adapter = run_reference.adapter_of("capability.own", run_reference.adapters())
    assert adapter is not None
    answer = adapter(made)
    deviation = np.std(values, ddof=1)

    assert answer["ppm_below_overall"] < answer["ppm_above_overall"] + 1
    assert answer["Cpm_overall"] == pytest.approx(2 / (6 * deviation), rel=0.01)


def test_yield_counts_those_that_were_not_right_the_first_time() -> None:
    made = {
        "id": "yield.rty.own",
        "input": {"units": [100, 90], "first_pass_ok": [95, 81], "defects": [9, 12]},
        "expected": {"fty": [0.95, 0.9], "rty": 0.855},
        "tolerance": {"default": {"rel": 1e-9, "abs": 0}},
    }
    adapter = run_reference.adapter_of("yield.rty.own", run_reference.adapters())
    assert adapter is not None
    assert differences(made, adapter(made)) == []
