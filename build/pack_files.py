"""Tells the files of a pack: which go into it, and what the program compares them with."""

import importlib.metadata
import json
import re
from collections.abc import Iterator
from pathlib import Path

from qhub_desktop.core import packs

# What reading pictures never loads.
UNREAD = re.compile(
    r"\.dist-info/|__pycache__/|\.pyi$|/tests?/|^\.\./|\.h$"
    r"|^onnxruntime/(transformers|tools|quantization|datasets|backend)/"
    r"|^cv2/(data|gapi|misc|mat_wrapper/test)/|opencv_videoio_ffmpeg"
)


def needed_files(package: importlib.metadata.Distribution) -> Iterator[str]:
    """Yield the files of a package without tests, headers, metadata and unused parts."""
    for file in package.files or ():
        name = file.as_posix()
        if not UNREAD.search(name):
            yield name


def describe(folder: Path, archive: str, *, made_for: str = "") -> None:
    """Write the description of a pack beside its files, under which name it is handed out in it."""
    files = {
        each.relative_to(folder).as_posix(): [each.stat().st_size, packs.sha256_of(each)]
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }
    told = {"archive": archive, **({"made_for": made_for} if made_for else {}), "files": files}
    (folder / packs.ABOUT_FILE).write_text(
        f"{json.dumps(told, indent=1)}\n", encoding="utf-8", newline="\n"
    )
