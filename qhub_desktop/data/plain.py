"""The quick way in for plain text tables: the database's own reader, checked record by record."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb

from qhub_desktop.data.columns import literal
from qhub_desktop.data.formats.sheet import PlainText, Value
from qhub_desktop.data.heading import Heading
from qhub_desktop.data.raw import RawTable

MOST_COLUMNS = 500
COPY_CHARACTERS = 2**20
LINE_BYTES = 2**23  # and of a buffer: the quickest of several; else it would be 16 times that


def load_plain(
    raw: RawTable,
    plain: PlainText,
    heading: Heading,
    head: Sequence[Sequence[Value]],
    folder: Path,
) -> bool:
    """Fill the table with the records under the header; false, and no rows, if they are uneven.

    Nothing is taken on trust: there must be as many rows as were counted apart from any reader,
    each with a cell for every name. Where that is not so, the careful reader goes on.
    """
    width = len(heading.names)
    if plain.lines is None or not 1 < width < MOST_COLUMNS:
        return False
    above = head[: heading.body]
    if any("\n" in str(cell) or "\r" in str(cell) for row in above for cell in row):
        return False  # the database skips lines, not records
    source, copy = plain.file, folder / "plain.csv"
    if plain.encoding not in ("utf-8", "ascii"):
        with (
            plain.file.open("r", encoding=plain.encoding, newline="") as original,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(original, target, COPY_CHARACTERS)
        source = copy
    columns = ", ".join(f"c{position}: 'VARCHAR'" for position in range(width))
    newline = {"\r\n": "\\r\\n", "\r": "\\r"}.get(plain.newline, "\\n")
    quote = '"' if plain.has_quotes else ""
    try:
        raw.db.execute(
            f"CREATE TABLE raw AS FROM read_csv({literal(str(source))}, auto_detect = false,"
            f" header = false, skip = {heading.body}, delim = {literal(plain.delimiter)},"
            f" quote = {literal(quote)}, escape = {literal(quote)}, new_line = {literal(newline)},"
            f" max_line_size = {LINE_BYTES}, buffer_size = {LINE_BYTES},"
            f" columns = {{{columns}}})"
        )
    except duckdb.Error:
        return False  # the careful reader says better what is the matter
    finally:
        copy.unlink(missing_ok=True)
    counted = raw.db.execute("SELECT count(*) FROM raw").fetchone()
    assert counted is not None
    if counted[0] != plain.lines - heading.body:
        raw.db.execute("DROP TABLE raw")
        return False
    raw.forms = ["text"] * width
    raw.rows = counted[0]
    return True
