"""What an administrator has fixed, as the command line tells it."""

import json
from pathlib import Path

import pytest

from qhub_desktop import app
from qhub_desktop.cli import main


def test_what_is_wrong_in_a_policy_is_told_beside_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('[settings]\nlanguage = "pt"\nmotor = "offline"\n', encoding="utf-8")
    monkeypatch.setattr(app, "policy_files", lambda: (file,))

    code = main(["agents", "--json"], app._command_services)
    told = capsys.readouterr()

    assert code == 0
    assert {each["id"] for each in json.loads(told.out)} == {"analise", "qualidade"}
    assert f"Nem toda a política {file} se pode usar" in told.err
    assert "motor" in told.err
