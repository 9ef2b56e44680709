"""Connections to database files that must be there, and what reading a damaged one may raise."""

import sqlite3
from pathlib import Path
from typing import Literal
from urllib.parse import quote

# What SQLite says of a damaged file may quote it, and the quotation need not be text.
UNREADABLE = (sqlite3.Error, UnicodeDecodeError, OverflowError)


def open_existing(path: Path, *, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """Open a file that must be there: SQLite would make an empty one. Raises sqlite3.Error.

    What is opened to be read is left as it is, the log of its last writes too.
    """
    posix = path.absolute().as_posix()
    # A share's name is no part of the address before the path, which SQLite refuses.
    address = f"file://{quote(posix if posix.startswith('/') else f'/{posix}')}?mode={mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None)
