"""The page of each folder of the package: `python -m tests.foundation.folder_pages` writes them.

A page says what the folder is for and has a line for each module, all of it from docstrings.
"""

import ast
from collections.abc import Mapping
from pathlib import Path

import qhub_desktop

PACKAGE = Path(qhub_desktop.__file__).parent
NAME = "README.md"
TITLE = "qhub_desktop"
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


def main() -> None:
    """Write the pages that are not as they should be, and name them."""
    for folder in folders():
        target, wanted = folder / NAME, page(folder)
        if not target.exists() or target.read_text(encoding="utf-8") != wanted:
            target.write_text(wanted, encoding="utf-8", newline="\n")
            print(target.relative_to(PACKAGE.parent))


if __name__ == "__main__":
    main()
