"""The gallery: every scene can be rendered, shows what belongs to it, and can be read aloud."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.gallery.__main__ import modules_here, scenes

LOOK = "dark-pt-100"
OTHER_LOOK = "light-en-100"
MOST_ALIKE = 0.995  # of a picture's points: more of one colour is an empty window
# Scenes with names of their own making; the others ask an engine, which finds columns by name.
NAMED = ("chat", "data", "dashboards", "outbox", "understanding", "widgets")


def problems_in(folder: Path) -> dict[str, str]:
    """What the scenes' inspection has found."""
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.txt")}


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
    assert problems_in(tmp_path) == {}


def test_no_scene_reads_a_name_as_markup(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.gallery", str(tmp_path), OTHER_LOOK, *NAMED]
    subprocess.run(command, check=True, env={**os.environ, "QHUB_GALLERY_NAMES": "hostile"})

    assert problems_in(tmp_path) == {}
    assert list(tmp_path.glob("chat-*.png"))
