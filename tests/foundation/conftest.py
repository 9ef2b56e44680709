"""What the tests of the house itself stand on."""

from pathlib import Path

import pytest

from tests.foundation.scratch import ScratchTree


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchTree:
    """A copy of the program that the test may add to."""
    return ScratchTree(tmp_path / "tree")
