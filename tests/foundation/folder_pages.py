"""The page of each folder of the package: `python -m tests.foundation.folder_pages` writes them.

A page says what the folder is for and has a line for each module, all of it from docstrings.
"""

import argparse
import ast
import sys
from collections.abc import Mapping
from pathlib import Path

import qhub_desktop

PACKAGE = Path(qhub_desktop.__file__).parent
NAME = "README.md"
TITLE = "qhub_desktop"
OWN_LINES = 40  # of an `__init__.py` that holds more than the names of its folder
# What the page of the whole package says besides: these pages are written by hand.
BOOKS = """\
[ARCHITECTURE.md](ARCHITECTURE.md) has the layers, the ways through them and where to add what,
[decisions/](decisions/README.md) why it is so, [CONTRIBUTING.md](CONTRIBUTING.md) what to do before
handing in, [LICENCES.md](LICENCES.md) the licences of what ships.
"""


def folders() -> tuple[Path, ...]:
    """List the folders of the package that hold modules, the package first."""
    return tuple(sorted({file.parent for file in PACKAGE.rglob("*.py")}))


def page(folder: Path) -> str:
    """Return what the page of a folder should hold."""
    place = folder.relative_to(PACKAGE).as_posix()
    lines = [f"# {TITLE if folder == PACKAGE else place}", "", summary(folder / "__init__.py")]
    if folder == PACKAGE:
        lines += ["", BOOKS.rstrip()]
    inner = [each for each in folders() if each.parent == folder]
    modules = [each for each in sorted(folder.glob("*.py")) if each.name != "__init__.py"]
    lines += _table("folder", {f"[{each.name}/]({each.name}/{NAME})": each for each in inner})
    own = folder / "__init__.py"
    if folder != PACKAGE and len(own.read_text(encoding="utf-8").splitlines()) > OWN_LINES:
        modules.insert(0, own)
    lines += _table("module", {f"`{each.name}`": each for each in modules})
    return "\n".join(lines) + "\n"


def _table(heading: str, places: Mapping[str, Path]) -> list[str]:
    """Return the lines of a table of folders or modules; none of an empty one."""
    if not places:
        return []
    files = {name: each / "__init__.py" if each.is_dir() else each for name, each in places.items()}
    rows = [f"| {name} | {_cell(summary(file))} |" for name, file in files.items()]
    return ["", f"| {heading} | what it is |", "|---|---|", *rows]


def summary(module: Path) -> str:
    """Return the first line of a module's docstring; "" where it has none."""
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


def _cell(text: str) -> str:
    """Return a text that ends no cell of a table."""
    return text.replace("|", "\\|")


def main() -> int:
    """Write the pages that are not as they should be, or with `--check` only name them."""
    parser = argparse.ArgumentParser(description="Pages of the package's folders.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; end with 1 if one is old"
    )
    is_checked = parser.parse_args().check
    old = [folder for folder in folders() if not is_current(folder)]
    for folder in old:
        if not is_checked:
            (folder / NAME).write_text(page(folder), encoding="utf-8", newline="\n")
        print((folder / NAME).relative_to(PACKAGE.parent).as_posix())
    if old and is_checked:
        print("Not as the docstrings have it: run python -m tests.foundation.folder_pages")
    return int(is_checked and bool(old))


def is_current(folder: Path) -> bool:
    """Return whether the page of a folder holds what it should."""
    target = folder / NAME
    return target.exists() and target.read_text(encoding="utf-8") == page(folder)


if __name__ == "__main__":
    sys.exit(main())
