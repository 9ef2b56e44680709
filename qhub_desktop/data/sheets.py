"""One sheet of a file into a database of its own, with the receipt of every row."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data import profiling, structure
from qhub_desktop.data.accounting import above, check_body, report_on, sentences
from qhub_desktop.data.asking import figures
from qhub_desktop.data.becoming import Decided
from qhub_desktop.data.columns import literal, quoted
from qhub_desktop.data.deciding import decide
from qhub_desktop.data.heading import names_of
from qhub_desktop.data.incoming import Sheet
from qhub_desktop.data.keeping import ROWS_FILE, id_of
from qhub_desktop.data.loading import READ_SHARE, Head, Loaded, load
from qhub_desktop.data.naming import dataset_name

SPILL = "spill"
WIDE_COLUMNS = 400
# A column of text takes 14 MB of addresses while it is made, however few rows it has: a hundred at
# once took all there are. In parts every cell is written twice, so few columns stay together.
MADE_AT_ONCE = 50
PART_COLUMNS = 25
DECIDED_SHARE = 0.85  # how far an import is when the types are known
# Rows stored together. A quarter of the database's usual: two threads share a million rows evenly,
# and write them a fifth quicker.
GROUPS = "(ROW_GROUP_SIZE 30720)"
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "600MB",  # it takes twice as much of the 2 GB of addresses that a child has
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
}


def read_sheet(sheet: Sheet, folder: Path) -> tuple[DatasetProfile, Head] | None:
    """Store one sheet under `folder`; nothing if it is empty."""
    begun = sheet.from_first_cell()
    if begun is None:
        return None
    id_ = id_of(begun.sha256, begun.raw.number, begun.choices)
    target = folder / id_
    target.mkdir()
    # The raw cells live in memory, and spill to this folder where there are too many of them.
    with duckdb.connect(":memory:", config={**LIMITS, "temp_directory": str(target / SPILL)}) as db:
        if max(map(len, begun.head)) > WIDE_COLUMNS:
            db.execute("SET threads = 1")  # each thread holds 32 KB of every column
        loaded = load(db, begun)
        profile = _store(loaded, id_, target)
        head = loaded.shown_head()
    shutil.rmtree(target / SPILL, ignore_errors=True)
    return profile, head


def _store(loaded: Loaded, id_: str, folder: Path) -> DatasetProfile:
    """Set rows apart, decide on the columns, keep the rest as a table of types."""
    sheet, raw, heading = loaded.sheet, loaded.sheet.raw, loaded.heading
    db = loaded.table.db
    apart = (*above(loaded), *structure.set_apart(loaded.table, heading.names))
    check_body(loaded, apart)
    sheet.tell(_("Working out what each column is"), READ_SHARE)
    positions = _worth_keeping(loaded)
    names, named = names_of(
        heading.names, positions, row=loaded.header_row, first_column=raw.first_column
    )
    decided, errors = decide(
        loaded.table,
        names,
        positions=positions,
        decimal=raw.decimal,
        is_text=raw.is_text,
        chosen=dict(sheet.choices.types),
    )
    rows = _keep(db, decided, names, folder / ROWS_FILE)
    sheet.tell(_("Counting"), DECIDED_SHARE)
    columns = profiling.profile_columns(db, "kept.rows")
    preview = profiling.preview(db, "kept.rows", columns)
    duplicates = profiling.duplicate_rows(db, "kept.rows", columns)
    db.execute("DETACH kept")
    report = report_on(
        loaded,
        rows=rows,
        apart=apart,
        positions=positions,
        named=named,
        decided=decided,
        errors=errors,
    )
    return DatasetProfile(
        id=id_,
        dataset=dataset_name(Path(sheet.source.name).stem, sheet=raw.name, number=raw.number),
        file=sheet.source.name,
        sheet=raw.name,
        sheets=sheet.sheets,
        rows=rows,
        sha256=sheet.sha256,
        columns=columns,
        preview=preview,
        warnings=sentences(report),
        report=report,
        duplicate_rows=duplicates,
    )


def _worth_keeping(loaded: Loaded) -> list[int]:
    """The columns that have a name or at least one value; one at least."""
    names, raw = loaded.heading.names, loaded.table
    every = range(raw.width)
    unnamed = [position for position in every if position >= len(names) or not names[position]]
    counted = figures(
        raw.db,
        [
            f"count(*) FILTER (NOT ({structure.is_blank_sql(position, raw.forms[position])}))"
            for position in unnamed
        ],
        "body",
    )
    empty = {position for position, count in zip(unnamed, counted, strict=True) if not count}
    return [position for position in every if position not in empty] or [0]


def _keep(
    db: duckdb.DuckDBPyConnection, decided: Sequence[Decided], names: Sequence[str], target: Path
) -> int:
    """Make the typed table, some columns at a time: each holds memory for all of its steps."""
    selected = [
        f"{each.expression} AS {quoted(name)}" for each, name in zip(decided, names, strict=True)
    ]
    size = MADE_AT_ONCE if len(selected) <= MADE_AT_ONCE else PART_COLUMNS
    parts = [selected[start : start + size] for start in range(0, len(selected), size)]
    db.execute(f"ATTACH {literal(str(target))} AS kept {GROUPS}")
    if len(parts) == 1:
        db.execute(f"CREATE TABLE kept.rows AS SELECT {', '.join(selected)} FROM body")
    else:
        for number, part in enumerate(parts):
            db.execute(f"CREATE TABLE part{number} AS SELECT {', '.join(part)} FROM body")
        joined = " POSITIONAL JOIN ".join(f"part{number}" for number in range(len(parts)))
        db.execute(f"CREATE TABLE kept.rows AS SELECT * FROM {joined}")
    (rows,) = figures(db, ["count(*)"], "kept.rows")
    return int(rows)
