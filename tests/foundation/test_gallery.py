"""The gallery: every scene can be rendered, and shows what belongs to it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.gallery.__main__ import modules_here, scenes

LOOK = "dark-pt-100"
MOST_ALIKE = 0.995  # of a picture's points: more of one colour is an empty window


@pytest.mark.parametrize("modules", [modules_here()[half::2] for half in (0, 1)], ids="+".join)
def test_every_scene_makes_a_picture_with_something_on_it(
    tmp_path: Path, modules: list[str]
) -> None:
    command = [sys.executable, "-m", "tests.gallery", str(tmp_path), LOOK, *modules]
    subprocess.run(command, check=True)

    for name, _scene in scenes(modules):
        picture = QImage(str(tmp_path / f"{name}-{LOOK}.png"))
        points = [
            picture.pixel(x, y)
            for x in range(0, picture.width(), 4)
            for y in range(0, picture.height(), 4)
        ]
        colours = Counter(points).most_common()
        assert len(colours) > 8, name
        assert colours[0][1] < MOST_ALIKE * len(points), name
