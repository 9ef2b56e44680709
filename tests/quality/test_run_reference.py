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
