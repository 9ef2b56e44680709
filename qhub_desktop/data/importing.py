"""The child that reads one file into databases of ours, sheet by sheet."""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb

from qhub_desktop.core.child import Parent
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data import profiling, tidying
from qhub_desktop.data.columns import literal, quoted
from qhub_desktop.data.deciding import decide
from qhub_desktop.data.formats import format_of
from qhub_desktop.data.formats.sheet import Opened, RawSheet
from qhub_desktop.data.keeping import ROWS_FILE, Receipt, write_profile, write_receipt
from qhub_desktop.data.naming import dataset_name
from qhub_desktop.data.plain import load_plain
from qhub_desktop.data.tidying import TidySheet

COLUMNS_LIMIT = 4_000
SPILL = "spill"
# How far an import is when the rows are read, and when their types are known.
READ_SHARE = 0.6
DECIDED_SHARE = 0.9
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
}

Tell = Callable[[str, float | None], None]


def import_file(parent: Parent) -> int:
    """Do the one import that is asked for, and say how it goes."""
    request: Any = parent.receive()

    def tell(text: str, share: float | None) -> None:
        parent.send({"progress": text, "share": share})

    try:
        ids = read_into(
            Path(request["file"]), Path(request["folder"]), sha256=request["sha256"], tell=tell
        )
    except UserError as error:
        parent.send({"error": str(error)})
        return 1
    except (MemoryError, duckdb.OutOfMemoryException):
        return 1  # the parent says it better: with what limit, and what to do
    except (OSError, duckdb.IOException):
        parent.send(
            {
                "error": _(
                    "The data could not be read or stored. Check that the disk has room and that"
                    " the file is not in use, and drop it again."
                )
            }
        )
        return 1
    parent.send({"done": list(ids)})
    return 0


def read_into(file: Path, folder: Path, *, sha256: str, tell: Tell) -> list[str]:
    """Read every sheet that holds something into `folder`; gives the data sets' ids."""
    tell(_("Opening {file}").format(file=file.name), None)
    opened = format_of(file).open(file)
    with file.open("rb") as again:
        if hashlib.file_digest(again, "sha256").hexdigest() != sha256:
            raise UserError(
                _("{file} was changed while it was read. Drop it again.").format(file=file.name)
            )
    ids: list[str] = []
    for sheet in opened.read:
        id_ = f"{sha256[:12]}-{sheet.number}"
        profile = _keep(
            sheet, folder / id_, file, opened.sheets, sha256, _of_all(tell, sheet, opened)
        )
        if profile is not None:
            write_profile(folder / id_, profile)
            ids.append(id_)
    if not ids:
        raise UserError(
            _("{file} holds no data. Check that you exported the right sheet.").format(
                file=file.name
            )
        )
    write_receipt(folder, sha256, Receipt(tuple(ids), opened.sheets))
    return ids


def _of_all(tell: Tell, sheet: RawSheet, opened: Opened) -> Tell:
    """Tell of one sheet as a share of the whole file."""
    count = max(1, len(opened.sheets))

    def tell_of_all(text: str, share: float | None) -> None:
        tell(text, None if share is None else (sheet.number - 1 + share) / count)

    return tell_of_all


def _keep(
    sheet: RawSheet,
    folder: Path,
    file: Path,
    sheets: tuple[str, ...],
    sha256: str,
    tell: Tell,
) -> DatasetProfile | None:
    """Store one sheet; nothing if it is empty."""
    folder.mkdir(parents=True)
    # The raw text lives in memory, and spills to this folder where there is too much of it.
    with duckdb.connect(":memory:", config={**LIMITS, "temp_directory": str(folder / SPILL)}) as db:
        width = _fill_raw(db, tidy := TidySheet(), sheet, file, folder, tell)
        if not tidy.header:
            shutil.rmtree(folder)
            return None
        _account(db, tidy, file)
        tell(_("Working out what each column is"), READ_SHARE)
        names, warnings = _store(db, tidy, sheet, width, folder / ROWS_FILE)
        tell(_("Counting"), DECIDED_SHARE)
        columns = profiling.profile_columns(db, "kept.rows")
        preview = profiling.preview(db, "kept.rows", columns)
        db.execute("DETACH kept")
    shutil.rmtree(folder / SPILL, ignore_errors=True)
    assert len(names) == len(columns)
    return DatasetProfile(
        id=folder.name,
        dataset=dataset_name(file.stem, sheet=sheet.name, number=sheet.number),
        file=file.name,
        sheet=sheet.name,
        sheets=sheets,
        rows=tidy.kept_rows,
        sha256=sha256,
        columns=columns,
        preview=preview,
        warnings=(*sheet.warnings, *tidying.receipt(tidy), *warnings),
    )


def _fill_raw(
    db: duckdb.DuckDBPyConnection,
    tidy: TidySheet,
    sheet: RawSheet,
    file: Path,
    folder: Path,
    tell: Tell,
) -> int:
    """Every cell as text into the table `raw`; gives how many columns there are."""
    body = tidy.begin(sheet)
    if sheet.plain is not None:
        tell(_rows_of(file.name, sheet.plain.lines - 1), 0)
    if sheet.plain is not None and load_plain(db, tidy, sheet.plain, folder):
        return len(tidy.header)
    what = sheet.name or file.name
    width = 0
    for chunk in tidy.chunks(body, is_text=sheet.is_text):
        wanted = max(len(chunk[0]), len(tidy.header))
        if wanted > COLUMNS_LIMIT:
            raise UserError(
                _(
                    "{file} has {count} columns, and at most {limit} can be read."
                    " Export only those that you need."
                ).format(file=file.name, count=wanted, limit=COLUMNS_LIMIT)
            )
        width = _widen(db, width, wanted)
        padding = (None,) * (width - len(chunk[0]))
        with db.appender("raw") as appender:
            appender.append_rows([(*row, *padding) for row in chunk] if padding else chunk)
        tell(_rows_of(what, tidy.kept_rows), sheet.done())
    return _widen(db, width, len(tidy.header))


def _rows_of(what: str, count: int) -> str:
    words = ngettext("{what}: {count} row", "{what}: {count} rows", count)
    return words.format(what=what, count=number(count, digits=0))


def _widen(db: duckdb.DuckDBPyConnection, width: int, wanted: int) -> int:
    if width == 0 and wanted:
        columns = ", ".join(f"c{position} VARCHAR" for position in range(wanted))
        db.execute(f"CREATE TABLE raw ({columns})")
        width = wanted
    for position in range(width, wanted):
        db.execute(f"ALTER TABLE raw ADD COLUMN c{position} VARCHAR")
    return max(width, wanted)


def _account(db: duckdb.DuckDBPyConnection, tidy: TidySheet, file: Path) -> None:
    """Refuse to go on unless every row of the file is where it should be."""
    row = db.execute("SELECT count(*) FROM raw").fetchone()
    if not tidy.is_complete or row is None or row[0] != tidy.kept_rows:
        raise UserError(
            _("Some rows of {file} were lost while reading, so it was not used.").format(
                file=file.name
            )
        )


def _store(
    db: duckdb.DuckDBPyConnection, tidy: TidySheet, sheet: RawSheet, width: int, target: Path
) -> tuple[Sequence[str], list[str]]:
    """The typed table, in a database of its own."""
    positions = _worth_keeping(db, tidy, width)
    header = [tidy.header[each] if each < len(tidy.header) else "" for each in range(width)]
    names, warnings = tidying.names_of(header, positions)
    decided = decide(
        db,
        names,
        positions=positions,
        kinds=[frozenset(tidy.kinds[position]) for position in positions],
        decimal=sheet.decimal,
        is_text=sheet.is_text,
    )
    selected = ", ".join(
        f"{each.expression} AS {quoted(name)}" for each, name in zip(decided, names, strict=True)
    )
    db.execute(f"ATTACH {literal(str(target))} AS kept")
    db.execute(f"CREATE TABLE kept.rows AS SELECT {selected} FROM raw")
    return names, [*warnings, *(warning for each in decided for warning in each.warnings)]


def _worth_keeping(db: duckdb.DuckDBPyConnection, tidy: TidySheet, width: int) -> list[int]:
    """The columns that have a name or at least one value."""
    unnamed = [
        position
        for position in range(width)
        if position >= len(tidy.header) or not tidy.header[position]
    ]
    if not unnamed:
        return list(range(width))
    counted = db.execute(
        "SELECT " + ", ".join(f"count(nullif(trim(c{each}), ''))" for each in unnamed) + " FROM raw"
    ).fetchone()
    assert counted is not None
    empty = {
        position
        for position, count in zip(unnamed, counted, strict=True)
        if not count and "flaw" not in tidy.kinds[position]
    }
    return [position for position in range(width) if position not in empty]
