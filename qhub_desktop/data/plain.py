"""The quick way in for plain text tables: the database's own reader, checked line by line."""

import shutil
from pathlib import Path

import duckdb

from qhub_desktop.data.columns import literal
from qhub_desktop.data.formats.sheet import PlainText
from qhub_desktop.data.tidying import TidySheet

MOST_COLUMNS = 500
COPY_CHARACTERS = 2**20


def load_plain(
    db: duckdb.DuckDBPyConnection, tidy: TidySheet, plain: PlainText, folder: Path
) -> bool:
    """Fill the table `raw` with the lines under the header; false if they are not all alike.

    Nothing is taken on trust: there must be as many rows as lines, each with a cell for every name
    in the header. Where that is not so, the table is gone again and the careful reader goes on
    with the rows. Measured on 1,000,000 x 8: 1.5 s of processor time instead of 8.
    """
    is_simple = tidy.read_rows == 1 and not tidy.blank_rows and 1 < len(tidy.header) < MOST_COLUMNS
    if not is_simple:
        return False
    source, copy = plain.file, folder / "plain.csv"
    if plain.encoding != "utf-8":
        with (
            plain.file.open("r", encoding=plain.encoding, newline="") as original,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(original, target, COPY_CHARACTERS)
        source = copy
    names = [f"c{position}" for position in range(len(tidy.header))]
    columns = ", ".join(f"{name}: 'VARCHAR'" for name in names)
    all_blank = " AND ".join(f"nullif(trim({name}), '') IS NULL" for name in names)
    newline = "\\r\\n" if plain.newline == "\r\n" else "\\n"
    try:
        db.execute(
            f"CREATE TABLE raw AS FROM read_csv({literal(str(source))}, auto_detect = false,"
            f" header = false, skip = 1, delim = {literal(plain.delimiter)}, quote = '',"
            f" escape = '', new_line = {literal(newline)}, columns = {{{columns}}})"
        )
    except duckdb.Error:
        return False  # the careful reader says better what is the matter
    finally:
        copy.unlink(missing_ok=True)
    counted = db.execute(f"SELECT count(*), count(*) FILTER ({all_blank}) FROM raw").fetchone()
    if counted != (plain.lines - 1, 0):
        db.execute("DROP TABLE raw")
        return False
    tidy.account_for(plain.lines - 1)
    return True
