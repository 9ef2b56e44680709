"""Cases with known answers, run through the functions that the tools call.

`python tests/quality/run_reference.py FILE.json` reads a file of cases, has each answered by the
adapter that its id names, holds the answers against what is expected, and ends with the line
`N passed, M failed`. A method that no adapter knows counts as failed.

Adapters stand in `tests/quality/adapters_<area>.py`, each with `ADAPTERS`: by prefix of a case's id
(`imr`, `rules.nelson`; a star at the end takes any rest), a function from the case to its answer,
a dictionary with the keys of `expected`. The longest prefix wins. A method that refuses
(`NotComputableError`) gives no value for any key, which is right where null is expected. Whatever
is wrong with a case, it is one that failed: the run goes on.
"""

import importlib
import json
import math
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # called by its path, nothing else says where the project is

from qhub_desktop.quality.findings import NotComputableError  # noqa: E402

UNTOLD = {"rel": 1e-9, "abs": 1e-12}  # where a case says no tolerance: rounding alone
SHARES = ("p.", "laney_p.")  # charts whose upper limit may be capped at 1
# Keys of data that name things, whatever they look like.
NAMES = frozenset({"part", "operator", "group", "groups", "shift", "shifts", "label", "labels"})
Case = Mapping[str, Any]
Adapter = Callable[[Case], Mapping[str, Any]]


def adapters() -> dict[str, Adapter]:
    """Return the adapters of every area, by prefix of a case's id."""
    found: dict[str, Adapter] = {}
    for file in sorted(Path(__file__).parent.glob("adapters_*.py")):
        area = importlib.import_module(f"tests.quality.{file.stem}")
        found |= area.ADAPTERS
    return found


def adapter_of(case_id: str, known: Mapping[str, Adapter]) -> Adapter | None:
    """Return the adapter whose prefix fits best, or nothing."""
    fitting = [
        prefix
        for prefix in known
        if case_id == prefix
        or case_id.startswith(f"{prefix}.")
        or (prefix.endswith("*") and case_id.startswith(prefix[:-1]))
    ]
    return known[max(fitting, key=len)] if fitting else None


def differences(case: Case, got: Mapping[str, Any]) -> list[str]:
    """Say, key by key, where the answer is not what is expected."""
    tolerance = case.get("tolerance") or {}
    by_key = tolerance.get("keys") or {}
    default = tolerance.get("default")
    found: list[str] = []
    for key, told in dict(case.get("expected") or {}).items():
        allowed = by_key.get(key) or (UNTOLD if default is None else default)
        # Rounded figures as printed in a book are for people to read, in every file of this shape.
        if allowed.get("informational") or key.startswith("published"):
            continue
        is_capped = key == "ucl" and str(case.get("id")).startswith(SHARES)
        expected = _capped(told) if is_capped else told
        answered = got[key] if key in got else got.get(f"{key}_1based")
        found += _compared(key, expected, answered, allowed)
    return found


def _capped(limits: Any) -> Any:
    """Return upper limits of shares with those above 1 as 1: a file may cap them or not."""
    if isinstance(limits, list):
        return [_capped(each) for each in limits]
    return min(limits, 1) if isinstance(limits, int | float) else limits


def _compared(path: str, expected: Any, got: Any, allowed: Mapping[str, float]) -> list[str]:
    """Hold one value against another, as deep as they go."""
    if path.rsplit(".", maxsplit=1)[-1].endswith("_1based"):
        return _positions_compared(path, expected, got)
    if expected is None:
        return [] if _is_nothing(got) else [f"{path}: a value, {got!r}, where none is expected"]
    if _is_nothing(got):
        return [f"{path}: no value"]
    if isinstance(expected, Mapping):
        if not isinstance(got, Mapping):
            return [f"{path}: {got!r} is not an object"]
        return [
            line
            for key, value in expected.items()
            for line in _compared(f"{path}.{key}", value, got.get(key), allowed)
        ]
    expected, got = _as_list(expected), _as_list(got)
    if isinstance(expected, list) or isinstance(got, list):
        return _vectors_compared(path, expected, got, allowed)
    if isinstance(expected, bool | str) or isinstance(got, bool | str):
        same = type(expected) is type(got) and expected == got
        return [] if same else [f"{path}: {got!r}, expected {expected!r}"]
    slack = allowed.get("abs", 0.0) + allowed.get("rel", 0.0) * abs(expected)
    near = got == expected or abs(got - expected) <= slack
    return [] if near else [f"{path}: {got!r}, expected {expected!r} (within {slack:.3g})"]


def _vectors_compared(
    path: str, expected: Any, got: Any, allowed: Mapping[str, float]
) -> list[str]:
    """Compare element by element; a number alone stands for a vector of that number."""
    if not isinstance(got, list):
        got = [got] * len(expected)
    if not isinstance(expected, list):
        expected = [expected] * max(len(got), 1)
    if len(expected) != len(got):
        return [f"{path}: {len(got)} values, expected {len(expected)}"]
    return [
        line
        for place, (one, other) in enumerate(zip(expected, got, strict=True))
        for line in _compared(f"{path}[{place}]", one, other, allowed)
    ]


def _positions_compared(path: str, expected: Any, got: Any) -> list[str]:
    """Compare positions exactly; none is an empty list."""
    if expected is None and got is not None and not _boxed(got):
        return []
    if expected is None or got is None:
        return [] if expected is got else [f"{path}: {got!r}, expected {expected!r}"]
    wanted = [int(each) for each in _boxed(expected)]
    given = [int(each) for each in _boxed(got)]
    return [] if wanted == given else [f"{path}: {given}, expected {wanted}"]


def _boxed(value: Any) -> list[Any]:
    value = _as_list(value)
    return value if isinstance(value, list) else [value]


def _as_list(value: Any) -> Any:
    """Return arrays and tuples as lists, and NumPy's numbers as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _is_nothing(value: Any) -> bool:
    if value is None:
        return True
    return (
        not isinstance(value, str)
        and hasattr(value, "__float__")
        and getattr(value, "ndim", 0) == 0
        and math.isnan(value)
    )


def with_numbers(case: Case) -> Case:
    """Return the case with figures that are written as texts, such as "12.5", as numbers."""
    kept = {"input": NAMES, "params": frozenset[str]()}
    return {
        **case,
        **{part: _numbered(case[part], names) for part, names in kept.items() if case.get(part)},
    }


def _numbered(value: Any, names: AbstractSet[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: each if str(key).lower() in names else _numbered(each, names)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_numbered(each, names) for each in value]
    if not isinstance(value, str) or not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?(e-?\d+)?", value):
        return value
    return float(value) if re.search(r"[.e]", value) else int(value)


def judge(case: Case, known: Mapping[str, Adapter]) -> list[str]:
    """Answer one case, and say what is wrong; nothing when it passes."""
    try:
        adapter = adapter_of(str(case["id"]), known)
        if adapter is None:
            return ["no adapter knows this method"]
        try:
            got = adapter(with_numbers(case))
        except NotComputableError as error:
            return [f"{line} ({error})" for line in differences(case, {})]
        return differences(case, got)
    except Exception as error:  # noqa: BLE001 - one broken case does not end the run
        place = traceback.extract_tb(error.__traceback__)[-1]
        name = Path(place.filename).name
        return [f"{type(error).__name__}: {error} ({name}:{place.lineno})"]


def cases_of(file: Path) -> list[Any]:
    """Read a file's cases: those below `cases`, or a list of them."""
    content = json.loads(file.read_text(encoding="utf-8-sig"))
    return list(content if isinstance(content, list) else content["cases"])


def main(arguments: list[str]) -> int:
    """Run the files that are named; return 0 when every case passes."""
    if not arguments:
        print(__doc__)
        return 2
    known = adapters()
    passed = failed = 0
    for name in arguments:
        for case in cases_of(Path(name)):
            wrong = judge(case, known)
            passed += not wrong
            failed += bool(wrong)
            if wrong:
                which = case.get("id") if isinstance(case, Mapping) else None
                more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
                told = f"FAILED {which or 'a case without id'}: {'; '.join(wrong[:3])}{more}"
                coding = sys.stdout.encoding or "utf-8"
                print(told.encode(coding, "replace").decode(coding))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
