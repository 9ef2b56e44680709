"""The gallery: every scene can be rendered, and shows something."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.gallery.__main__ import modules_here, scenes


@pytest.mark.parametrize("module", modules_here())
def test_every_scene_makes_a_picture_with_something_on_it(tmp_path: Path, module: str) -> None:
    command = [sys.executable, "-m", "tests.gallery", str(tmp_path), "dark-pt-100", module]
    subprocess.run(command, check=True)

    for name, _scene in scenes([module]):
        picture = QImage(str(tmp_path / f"{name}-dark-pt-100.png"))
        step = max(1, picture.width() // 200)
        colours = {
            picture.pixel(x, y)
            for x in range(0, picture.width(), step)
            for y in range(0, picture.height(), step)
        }
        assert len(colours) > 2, name
