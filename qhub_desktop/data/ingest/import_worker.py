"""The import process: reads one file, sheet by sheet, into a database for each."""

import errno
import re
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

import duckdb

from qhub_desktop.core.codec import Json, unpack
from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import UserError, data_folder_error
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.columns import versionless_name
from qhub_desktop.data.ingest.dataset_store import (
    Preset,
    Receipt,
    sha256_of,
    without_trailing_blanks,
    write_head,
    write_profile,
    write_receipt,
)
from qhub_desktop.data.ingest.loader import Sheet
from qhub_desktop.data.ingest.raw_table import as_text
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.catalogue import format_of
from qhub_desktop.data.ingest.readers.rejection import (
    UNPACKED,
    explain_os_error,
    file_changed,
    private_copy,
)
from qhub_desktop.data.ingest.readers.sheet import (
    InputFile,
    Merge,
    ParsedFile,
    RawSheet,
    Tell,
    Value,
)
from qhub_desktop.data.ingest.readers.sniff import FileFormat
from qhub_desktop.data.ingest.sheet_import import import_sheet
from qhub_desktop.data.ingest.table_regions import find_regions, range_address
from qhub_desktop.data.ingest.type_patterns import candidates

AUTOMATIC = ImportChoices()
# Of sheets in which several tables are looked for, all by all and by choice.
REGION_ROWS = 5_000
PLAIN_ROWS = 2_000  # of a text file that the database can read by itself
MOST_ROWS = 200_000
SPILL = "spill"
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "600MB",  # it takes twice as much of the 2 GB that a child has
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
}


def import_file(parent: Parent) -> list[Json]:
    """Do the one import that is requested; return the ids of its data sets.

    Raises UserError if the file cannot be read, MemoryError if the database lacks memory.
    """
    if parent.is_silent:
        _warm_up()
    request: Any = parent.receive()
    try:
        ids = read_into(
            Path(request["file"]),
            Path(request["folder"]),
            name=request["name"],
            sha256=request["sha256"],
            tell=parent.tell,
            password=request["password"],
            choices=unpack(ImportChoices, request["choices"]),
            only=request["only"],
            table=request["table"],
            presets=unpack(cast("Any", tuple[Preset, ...]), request["presets"]),
        )
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error  # the parent has the sentence: the limit, the next step
    except duckdb.IOException as error:
        folder = Path(request["folder"]).parent
        raise data_folder_error(OSError(errno.EIO, str(error)), folder) from error
    return [*ids]


def _warm_up() -> None:
    """Load what the first large file would wait for, before there is a request."""
    for library in ("fastexcel", "nanoarrow.c_array_stream", "numpy"):
        import_module(library)
    import_module("chardet.models").load_models()
    number(1, digits=0)  # loads how the language writes numbers
    for each in candidates(","):
        re.compile(each.hint or each.pattern, re.ASCII)
    with duckdb.connect(":memory:") as db:
        db.execute("SELECT 1")


def read_into(
    file: Path,
    folder: Path,
    *,
    sha256: str,
    tell: Tell,
    name: str = "",
    password: str | None = None,
    choices: ImportChoices = AUTOMATIC,
    only: int | None = None,
    table: int = 0,
    presets: Sequence[Preset] = (),
) -> list[str]:
    """Import every sheet that holds something into `folder`; return the ids, biggest first.

    `choices` are for sheet `only` where that is given, or for that `table` of several in it, and
    then no other is read. `presets` decide where nothing is chosen. Raises UserError if the file
    cannot be read.
    """
    name = name or file.name
    source = InputFile(file, name, password, choices, folder / UNPACKED, tell)
    try:
        return _read_into(source, folder, sha256=sha256, only=only, table=table, presets=presets)
    except OSError as error:
        raise explain_os_error(error, name) from error
    except BaseException as error:
        # A panic of a reader written in Rust, on a file that it had not expected. It is no
        # Exception, and has no name that could be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise rejection.given_up(source, error) from error


class _Databases:
    """Databases in memory, one for each sheet. Owns them until closed.

    The first is opened, and each is closed, beside other work: both take as long as reading
    several megabytes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._beside = ThreadPoolExecutor(1, "databases")
        self._count = 0
        self._ahead: Future[duckdb.DuckDBPyConnection] | None
        self._ahead = self._beside.submit(self._opened)

    @contextmanager
    def one(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Provide a database without any table."""
        spill = self._folder / f"{SPILL} {self._count}"
        # Where one before is being closed, this waits for it: only one of them fits into memory.
        db = (self._ahead or self._beside.submit(self._opened)).result()
        self._ahead = None
        self._count += 1
        try:
            yield db
        finally:
            self._beside.submit(_close, db, spill)

    def close(self) -> None:
        """Wait until nothing of them is left."""
        if self._ahead is not None:
            self._beside.submit(self._ahead.result().close)
        self._beside.shutdown()

    def _opened(self) -> duckdb.DuckDBPyConnection:
        # The raw cells live in memory, and spill to a folder where there are too many of them.
        spill = self._folder / f"{SPILL} {self._count}"
        return duckdb.connect(":memory:", config={**LIMITS, "temp_directory": str(spill)})


def _close(db: duckdb.DuckDBPyConnection, spill: Path) -> None:
    db.close()
    shutil.rmtree(spill, ignore_errors=True)


def _read_into(
    source: InputFile,
    folder: Path,
    *,
    sha256: str,
    only: int | None,
    table: int,
    presets: Sequence[Preset],
) -> list[str]:
    name = source.name
    source.tell(_("Opening {file}").format(file=name), None)
    with (
        closing(_Databases(folder)) as databases,
        ThreadPoolExecutor(1, "hashing") as beside,
    ):
        path = private_copy(source.path, source.folder)
        hashed = beside.submit(sha256_of, path)
        source = replace(source, path=path)
        made = _read_sheets(
            source, folder, databases, sha256=sha256, only=only, table=table, presets=presets
        )
        if hashed.result() != sha256:
            raise file_changed(name)
        write_receipt(folder, sha256, made)
    return [*made.ids]


def _read_sheets(
    source: InputFile,
    folder: Path,
    databases: _Databases,
    *,
    sha256: str,
    only: int | None,
    table: int,
    presets: Sequence[Preset],
) -> Receipt:
    format_ = format_of(source)
    parsed = format_.open(source)
    profiles: list[DatasetProfile] = []
    hidden: set[str] = set()
    for raw_sheet in parsed.read:
        if only is not None and raw_sheet.number != only:
            continue
        sheet = _sheet_with_preset(raw_sheet, source, format_, parsed, presets, sha256)
        # What was read as one table, and is read again by itself, stays one.
        is_one = only is not None and not table
        with databases.one() as db:
            for each in _tables_of(sheet, presets, only=table, is_one=is_one):
                # Several are small, and to open a database costs as much as to look at one of them.
                db.execute("DROP SCHEMA IF EXISTS sheet CASCADE; CREATE SCHEMA sheet; USE sheet")
                made = import_sheet(each, folder, db)
                if made is None:
                    continue
                profile, head = made
                write_profile(folder / profile.id, profile)
                write_head(folder / profile.id, head)
                profiles.append(profile)
                if raw_sheet.is_hidden:
                    hidden.add(profile.id)
    if not profiles:
        raise UserError(
            _("{file} holds no data. Check that you exported the right sheet.").format(
                file=source.name
            )
        )
    # What the workbook does not show is never the first.
    profiles.sort(key=lambda each: (each.id in hidden, -each.rows * len(each.columns)))
    return Receipt(tuple(profile.id for profile in profiles), parsed.sheets, is_checked=True)


def _sheet_with_preset(
    raw_sheet: RawSheet,
    source: InputFile,
    format_: FileFormat,
    parsed: ParsedFile,
    presets: Sequence[Preset],
    sha256: str,
) -> Sheet:
    """Return one sheet with all that is known about reading it, under a preset if one fits."""
    sheet = Sheet(raw_sheet, source, format_.name, parsed.sheets, sha256, source.choices)
    if source.choices != AUTOMATIC or not presets:
        return sheet
    return with_preset(sheet, format_, presets)


def _tables_of(sheet: Sheet, presets: Sequence[Preset], *, only: int, is_one: bool) -> list[Sheet]:
    """Return the tables of a sheet, each as a sheet of its own; the sheet itself if it `is_one`.

    `only` is the number of the one to return; the sheet itself if it has fewer.
    """
    raw = sheet.raw
    only = only or sheet.choices.table or 0
    if sheet.choices.table == 0 or raw.has_names or raw.header is not None:
        return [sheet]
    if raw.columns is not None and not only:
        return [sheet]  # reading it row by row would take many times as long
    rows = sheet.all_rows(MOST_ROWS if only else PLAIN_ROWS if raw.plain else REGION_ROWS)
    if rows is None:
        return [sheet]
    sheet.is_searched = True
    above = raw.preamble
    regions = find_regions([*((),) * above, *rows[above:]], raw.merges)
    if len(regions.tables) < 2:
        sheet.remainder = tuple(raw.first_row + each for each in regions.remainder)
        return [sheet]
    sheet.areas = tuple(
        range_address(
            Merge(each.row, each.column, each.last_row, each.last_column),
            first_row=raw.first_row,
            first_column=raw.first_column,
        )
        for each in regions.tables
    )
    if is_one or not (regions.are_sure or only):
        return [sheet]
    cropped = [sheet.crop(rows, each, n) for n, each in enumerate(regions.tables, 1)]
    if only:
        return cropped[only - 1 : only] or [sheet]
    for each in cropped:
        _choose_for_table(each, presets)
    return cropped


def _choose_for_table(sheet: Sheet, presets: Sequence[Preset]) -> None:
    """Give one of several tables the choices that are saved for its shape, if there are any."""
    sheet.choices = next(
        (
            shape.choices
            for shape in presets
            if not (shape.choices.separator or shape.choices.encoding) and _matches(sheet, shape)
        ),
        replace(
            AUTOMATIC,
            separator=sheet.choices.separator,
            encoding=sheet.choices.encoding,
            totals=sheet.choices.totals,
        ),
    )


def with_preset(sheet: Sheet, format_: FileFormat, shapes: Sequence[Preset]) -> Sheet:
    """Return the sheet under the choices saved for its shape, if there are any."""
    for shape in shapes:
        if shape.choices.separator or shape.choices.encoding:
            if not sheet.raw.is_text or sheet.raw.separator is None:
                continue
            source = replace(sheet.source, choices=shape.choices)
            again = next(iter(format_.open(source).read))
            other = Sheet(again, source, sheet.format, sheet.sheets, sheet.sha256, shape.choices)
            if _matches(other, shape):
                return other
        elif _matches(sheet, shape):
            sheet.choices = shape.choices
            return sheet
    return sheet


def _matches(sheet: Sheet, shape: Preset) -> bool:
    first_row, first_column = sheet.raw.first_row, sheet.raw.first_column
    head: Sequence[Sequence[Value]] = sheet.head
    if shape.choices.transposed:
        first_row, first_column, head = first_column, first_row, [*zip_longest(*head)]
    place = max(shape.row, 1) - 1 - first_row
    if not 0 <= place < len(head):
        return False
    names = (" ".join(as_text(cell).split()) for cell in head[place])
    cells = (*("",) * first_column, *names)
    if not shape.row:
        is_of_name = versionless_name(Path(sheet.source.name).stem) == shape.file
        return is_of_name and len(cells) == len(shape.names)
    return without_trailing_blanks(cells) == shape.names
