"""Which files may be dropped, judged by their names: what is in them is read later, elsewhere."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from qhub_desktop.core.text import gettext as _

MOST_FILES = 50  # of one folder


@cache
def suffixes() -> tuple[str, ...]:
    """The endings of the kinds that can be read, each with its dot."""
    from qhub_desktop.data.formats import FORMATS  # not before the first drag

    return tuple(suffix for each in FORMATS for suffix in each.suffixes)


def is_accepted(path: Path) -> bool:
    """Whether its name promises a table, or it is a folder."""
    return path.suffix.lower() in suffixes() or path.is_dir()


def refusal(paths: Sequence[Path]) -> str:
    """Why none of these can be used; empty if one can."""
    if any(is_accepted(path) for path in paths):
        return ""
    kinds = sorted({path.suffix.lower().removeprefix(".") or path.name for path in paths})
    return _("{kinds}: only tables can be read, as {accepted}.").format(
        kinds=", ".join(kinds), accepted=kinds_in_words()
    )


def kinds_in_words() -> str:
    """The kinds of file that can be used."""
    return ", ".join(suffix.removeprefix(".") for suffix in suffixes())


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files themselves; of a folder, the tables that lie in it."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(each for each in path.iterdir() if each.is_file() and is_accepted(each))
        # '~$book.xlsx' is what Excel writes beside a workbook that is open.
        files.extend([each for each in inside if not each.name.startswith("~$")][:MOST_FILES])
    return files
