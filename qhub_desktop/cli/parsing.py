"""Arguments that several verbs take, and what their words are read as.

The functions that read an argument raise ValueError, which argparse turns into a usage error.
"""

import argparse
import codecs
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  it has no other name
else:
    Verbs = object


def take_json(parser: argparse.ArgumentParser, *, is_nested: bool = False) -> None:
    """Declare --json. A nested verb takes it before its name as well as after."""
    # Suppressed where it is not given, so that the outer parser's value is left alone.
    default = argparse.SUPPRESS if is_nested else False
    parser.add_argument("--json", action="store_true", default=default, help=_("for programs"))


def take_password(parser: argparse.ArgumentParser) -> None:
    """Declare --password."""
    parser.add_argument("--password", metavar="WORD", help=_("of a protected workbook"))


def take_file(parser: argparse.ArgumentParser) -> None:
    """Declare the path of a file, which comes first."""
    parser.add_argument("path", type=Path, metavar="PATH")


def take_sheet(parser: argparse.ArgumentParser) -> None:
    """Declare --sheet, for a verb that works with one."""
    parser.add_argument("--sheet", metavar="NAME", help=_("this sheet (default: the first)"))


def take_search(parser: argparse.ArgumentParser) -> None:
    """Declare --search, for a verb that lists."""
    parser.add_argument("--search", default="", metavar="WORDS", help=_("with these words"))


def positive(text: str) -> int:
    """Read a whole number from 1 on."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def row_number(text: str) -> int:
    """Read the number of a row; 0 for none."""
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def separator(text: str) -> str:
    """Read the character that parts cells, which may be called by its name."""
    value = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    if len(value) != 1:
        raise ValueError(text)
    return value


def encoding(text: str) -> str:
    """Read the name of a text encoding."""
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise ValueError(text) from error
