"""Plays every story of dashboards at a window, each in a process of its own."""

import subprocess
import sys

import pytest

from tests.ui_dashboards.stories import STORIES


@pytest.mark.parametrize("story", [each.__name__ for each in STORIES])
def test_at_the_window(story: str) -> None:
    played = subprocess.run(
        [sys.executable, "-m", "tests.ui_dashboards.stories", story],
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
        timeout=300,
    )
    assert played.returncode == 0, played.stderr[-3000:]
