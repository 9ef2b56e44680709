"""Paths: of what ships with the program, and of the person's own data."""

import os
import sys
from pathlib import Path

import platformdirs


def _shipped() -> Path:
    """Return the folder of resources/ and data/: the packaged program's, or the source's."""
    bundle = getattr(sys, "_MEIPASS", None)
    return Path(bundle) if bundle else Path(__file__).resolve().parents[2]


RESOURCES = _shipped() / "resources"
DEMO_DATA = _shipped() / "data"


def data_folder() -> Path:
    """Return the folder for the person's data: `QHUB_HOME`, or the platform's own."""
    moved = os.environ.get("QHUB_HOME")
    return Path(moved) if moved else Path(platformdirs.user_data_dir("QHub", appauthor=False))


def home() -> Path:
    """Return the folder for the person's data. It exists, or OSError is raised."""
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def exports() -> Path:
    """Return the folder for files that are made for the person. It exists.

    Where `QHUB_HOME` is given, or nothing may be written to the documents, it is beside the rest.
    """
    if "QHUB_HOME" not in os.environ:
        folder = platformdirs.user_documents_path() / "QHub"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            pass
        else:
            return folder
    folder = home() / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
