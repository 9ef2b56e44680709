"""Hostile code reaches nothing, and leaves nothing behind."""

import pytest

from qhub_desktop.sandbox import PythonService
from tests.sandbox.conftest import Canaries, OwnChildren
from tests.sandbox.hostile import ENDLESS, ODD, REFUSED

PARTS = 4  # each a test, so that they share the cores


def _filled(code: str, canaries: Canaries) -> str:
    for name, value in canaries.names().items():
        code = code.replace(name, value)
    return code


async def _escaped(
    codes: dict[str, str], python: PythonService, canaries: Canaries, *, limit_s: float
) -> tuple[dict[str, object], dict[str, str | None]]:
    """Run every piece of code; return what it reached, or what the next run was told, and its error."""
    found: dict[str, object] = {}
    errors: dict[str, str | None] = {}
    for name, code in codes.items():
        run = await python.run(_filled(code, canaries), limit_s=limit_s)
        errors[name] = run.error
        after = await python.run("import math\nprint(math.sqrt(16), sum([1, 2]), pd.__name__)")
        reached = canaries.touched(f"{run.output}{run.error}{run.tables}{run.figures}")
        if reached or after.output != "4.0 3 pandas\n":
            found[name] = reached or (after.output, after.error)
        assert len(run.output) < 5_200
        assert len(run.error or "") <= 2_000
    return found, errors


@pytest.mark.parametrize("part", range(PARTS))
async def test_code_that_reaches_out_is_refused(
    part: int, python: PythonService, canaries: Canaries
) -> None:
    codes = dict([*REFUSED.items()][part::PARTS])

    escaped, errors = await _escaped(codes, python, canaries, limit_s=20)

    assert escaped == {}
    assert [name for name, error in errors.items() if error is None] == []


async def test_code_that_seems_to_end_well_reaches_nothing(
    python: PythonService, canaries: Canaries
) -> None:
    escaped, _errors = await _escaped(ODD, python, canaries, limit_s=20)

    assert escaped == {}


async def test_code_without_end_is_stopped(python: PythonService, canaries: Canaries) -> None:
    escaped, errors = await _escaped(ENDLESS, python, canaries, limit_s=0.7)

    assert escaped == {}
    assert set(errors.values()) == {"The code was stopped after 0.7 s, which is all it is allowed."}


async def test_nothing_is_left_running(
    python: PythonService, canaries: Canaries, own_children: OwnChildren
) -> None:
    await python.run("print(1)")
    own = own_children()
    assert own

    for name in ("process by fork", "process by popen", "process by threads"):
        await python.run(_filled(REFUSED[name], canaries))

    assert own_children() == own
    python.close()
    assert not own_children()


def test_there_are_enough_of_them() -> None:
    assert len(REFUSED) + len(ODD) + len(ENDLESS) >= 60
