"""The program without its window: every object as `app` builds it, on a folder of its own."""

import atexit
import shutil
import tempfile
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.core import text


def offline_program(folder: Path) -> Program:
    """Build the program that answers without a model; the language that is spoken stays."""
    spoken = text.language()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QHUB_HOME", str(folder))
        program = Program(engine="offline")
    text.use(spoken)
    return program


def passing_folder() -> Path:
    """Make a folder that goes when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="qhub-gallery-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
