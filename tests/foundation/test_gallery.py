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
# Long names take seconds to paint: one module of them takes as long as all others.
SLOW = "hostile"
OTHERS = [name for name in modules_here() if name != SLOW]
MOST_S = 540  # less than a test may take; a scene alone may take 120


def problems_in(folder: Path) -> dict[str, str]:
    """What the scenes' inspection has found."""
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.txt")}


def colours_of(picture: QImage) -> Counter[int]:
    """How often each colour is met at every fourth point of every fourth line."""
    pixels = picture.convertToFormat(QImage.Format.Format_RGB32)
    points = memoryview(pixels.constBits()).cast("I")
    width = picture.width()
    found: Counter[int] = Counter()
    for y in range(0, picture.height(), 4):
        found.update(points[y * width : (y + 1) * width : 4])
    return found


@pytest.mark.parametrize("modules", [[SLOW], *(OTHERS[n::4] for n in range(4))], ids="+".join)
def test_every_scene_makes_a_picture_with_something_on_it(
    tmp_path: Path, modules: list[str]
) -> None:
    command = [sys.executable, "-m", "tests.gallery", str(tmp_path), LOOK, *modules]
    subprocess.run(command, check=True, timeout=MOST_S)

    for name, _scene in scenes(modules):
        colours = colours_of(QImage(str(tmp_path / f"{name}-{LOOK}.png"))).most_common()
        assert len(colours) > 8, name
        assert colours[0][1] < MOST_ALIKE * sum(count for _colour, count in colours), name
    assert problems_in(tmp_path) == {}


def test_no_scene_reads_a_name_as_markup(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.gallery", str(tmp_path), OTHER_LOOK, *NAMED]
    names = {**os.environ, "QHUB_GALLERY_NAMES": "hostile"}
    subprocess.run(command, check=True, env=names, timeout=MOST_S)

    assert problems_in(tmp_path) == {}
    assert list(tmp_path.glob("chat-*.png"))
