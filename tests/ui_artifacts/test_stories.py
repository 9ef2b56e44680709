"""Plays every story of artifacts at a window, each in a process of its own."""

import pytest

from tests.stories import play_apart
from tests.ui_artifacts.stories import STORIES


@pytest.mark.parametrize("story", [each.__name__ for each in STORIES])
def test_at_the_window(story: str) -> None:
    play_apart("tests.ui_artifacts.stories", story)
