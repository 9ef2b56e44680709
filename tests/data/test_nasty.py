"""Small nasty files: each is read as it is in truth, or the report says what is doubtful."""

from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.data.workspace import Workspace
from tests.data.conftest import Read
from tests.data.nasty.corpus import FILES, TRUTH, all_cases, is_same
from tests.data.nasty.truth import Truth, as_json, check, from_json, receipt_of

NAMES = sorted(path.name for path in FILES.iterdir())
Rows = list[tuple[Any, ...]]


def truth_of(name: str) -> Truth:
    return from_json((TRUTH / f"{name}.json").read_text(encoding="utf-8"))


TRUTHS = {name: truth_of(name) for name in NAMES}
HERE = [name for name in NAMES if not TRUTHS[name].in_child]
IN_CHILD = [name for name in NAMES if TRUTHS[name].in_child]


def differences(found: list[tuple[DatasetProfile, Rows]], truth: Truth) -> list[str]:
    """In what a reading is wrong, without having said that something is doubtful."""
    unaccounted = [words for profile, _rows in found for words in receipt_of(profile)]
    if unaccounted:
        return unaccounted
    is_doubted = any(each.report and each.report.doubtful for each, _rows in found)
    if truth.is_honest and is_doubted:
        return []
    if truth.error:
        return ["it was read, and should have been refused"]
    if len(found) != len(truth.sheets):
        return [f"{len(found)} data sets were made, not {len(truth.sheets)}"]
    pairs = zip(found, truth.sheets, strict=True)
    return [words for (profile, rows), sheet in pairs for words in check(profile, rows, sheet)]


def refusal(error: UserError, truth: Truth) -> list[str]:
    """In what a refusal is not what the file is worth."""
    sentence = str(error)
    if not truth.error:
        return [] if truth.is_honest else [f"it was refused: {sentence}"]
    lacking = [word for word in truth.error if word.casefold() not in sentence.casefold()]
    found = [f"'{word}' is not in: {sentence}" for word in lacking]
    return found if sentence.endswith(".") else [*found, f"no sentence: {sentence}"]


@pytest.mark.parametrize("name", HERE)
def test_a_nasty_file_is_read_right_or_honestly(read: Read, name: str) -> None:
    truth = TRUTHS[name]
    try:
        found = [(each.profile, each.rows) for each in read(FILES / name)]
    except UserError as error:
        wrong = refusal(error, truth)
    else:
        wrong = differences(found, truth)
    assert wrong == []


@pytest.mark.parametrize("name", IN_CHILD)
async def test_a_hostile_file_ends_in_a_sentence(workspace: Workspace, name: str) -> None:
    truth = TRUTHS[name]
    try:
        profiles = await workspace.load(FILES / name, password=truth.password)
    except UserError as error:
        wrong = refusal(error, truth)
    else:
        wrong = differences([(each, await rows_of(workspace, each)) for each in profiles], truth)
    assert wrong == []


async def rows_of(workspace: Workspace, profile: DatasetProfile) -> Rows:
    answer = await workspace.query("FROM d", {"d": profile.id}, limit=100)
    return list(answer.table.rows)


async def test_a_folder_under_the_name_of_a_table_is_said_to_be_one(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "pasta.csv").mkdir()
    with pytest.raises(UserError, match="folder"):
        await workspace.load(tmp_path / "pasta.csv")


def test_the_scripts_make_what_lies_here() -> None:
    made = {case.name: case for case in all_cases()}
    assert sorted(made) == NAMES
    for case in made.values():
        assert is_same((FILES / case.name).read_bytes(), case.content), case.name
        assert (TRUTH / f"{case.name}.json").read_text(encoding="utf-8") == as_json(case.truth)


def test_every_truth_can_be_read_back() -> None:
    for case in all_cases():
        assert from_json(as_json(case.truth)) == case.truth
