"""Makes the pack that reads scans: `ocr_files.py FOLDER ARCHIVE PACKAGE...`.

FOLDER becomes the pack, ARCHIVE is the name under which it is handed out, the packages are those
that the program lacks. It runs with the packages and the Python that the program is packed from:
their libraries load in no other.
"""

import compileall
import importlib.metadata
import py_compile
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from pack_files import describe, needed_files

from qhub_desktop.core.packs import ABOUT_FILE, OCR, this_python
from qhub_desktop.knowledge.readers.ocr import PACKAGES, try_engine


def main() -> int:
    """Make the pack; 0, or a sentence."""
    folder, archive, names = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    shutil.rmtree(folder, ignore_errors=True)
    packages = folder / PACKAGES
    for name in names:
        copy_package(importlib.metadata.distribution(name), packages)
    # Never compared with the sources' time, which an archive does not keep.
    checked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compiled = compileall.compile_dir(
        packages, quiet=1, stripdir=str(packages), invalidation_mode=checked
    )
    if not compiled:
        sys.exit("A module of the packages cannot be compiled: see above.")
    describe(folder, archive, made_for=this_python())
    OCR.shipped = folder / ABOUT_FILE
    OCR.use(folder)
    sys.path.insert(0, str(packages))  # before the whole packages: what was left out is missed
    try_engine()
    return 0


def copy_package(package: importlib.metadata.Distribution, target: Path) -> None:
    """Copy what a package needs to run."""
    for name in needed_files(package):
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(package.locate_file(name)), place)


if __name__ == "__main__":
    sys.exit(main())
