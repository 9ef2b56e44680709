"""The import process: reads one file, sheet by sheet, into a database for each."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import duckdb

from qhub_desktop.core.codec import Json, unpack
from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.columns import versionless_name
from qhub_desktop.data.ingest.dataset_store import (
    Receipt,
    sha256_of,
    write_head,
    write_profile,
    write_receipt,
)
from qhub_desktop.data.ingest.loader import Sheet
from qhub_desktop.data.ingest.presets import Preset, without_trailing_blanks
from qhub_desktop.data.ingest.raw_table import as_text
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.catalogue import format_of
from qhub_desktop.data.ingest.readers.rejection import (
    UNPACKED,
    explain_os_error,
    file_changed,
    private_copy,
)
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile, RawSheet, Tell
from qhub_desktop.data.ingest.readers.sniff import FileFormat
from qhub_desktop.data.ingest.sheet_import import import_sheet

AUTOMATIC = ImportChoices()


def import_file(parent: Parent) -> list[Json]:
    """Do the one import that is requested; return the ids of its data sets."""
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
            presets=unpack(cast("Any", tuple[Preset, ...]), request["presets"]),
        )
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error  # the parent has the sentence: the limit, the next step
    except duckdb.IOException as error:
        raise UserError(
            _(
                "The data could not be stored. Check that the disk has room, and drop the file"
                " again."
            )
        ) from error
    return [*ids]


def _warm_up() -> None:
    """Load what the first large file would wait for, before there is a request."""
    for library in ("fastexcel", "nanoarrow.c_array_stream"):
        import_module(library)
    number(1, digits=0)  # loads how the language writes numbers
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
    presets: Sequence[Preset] = (),
) -> list[str]:
    """Import every sheet that holds something into `folder`; return the ids, biggest first.

    `choices` are for sheet `only` where that is given, and then no other is read. `presets` decide
    where nothing is chosen. Raises UserError if the file cannot be read.
    """
    name = name or file.name
    source = InputFile(file, name, password, choices, folder / UNPACKED, tell)
    try:
        return _read_into(source, folder, sha256=sha256, only=only, presets=presets)
    except OSError as error:
        raise explain_os_error(error, name) from error
    except BaseException as error:
        # A panic of a reader written in Rust, on a file that it had not expected. It is no
        # Exception, and has no name that could be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error


def _read_into(
    source: InputFile,
    folder: Path,
    *,
    sha256: str,
    only: int | None,
    presets: Sequence[Preset],
) -> list[str]:
    name = source.name
    source.tell(_("Opening {file}").format(file=name), None)
    path = private_copy(source.path, source.folder)
    source = replace(source, path=path)
    with ThreadPoolExecutor(1, "hashing") as beside:
        hashed = beside.submit(sha256_of, path)
        made = _read_sheets(source, folder, sha256=sha256, only=only, presets=presets)
        if hashed.result() != sha256:
            raise file_changed(name)
    write_receipt(folder, sha256, made)
    return [*made.ids]


def _read_sheets(
    source: InputFile,
    folder: Path,
    *,
    sha256: str,
    only: int | None,
    presets: Sequence[Preset],
) -> Receipt:
    format_ = format_of(source)
    parsed = format_.open(source)
    profiles: list[DatasetProfile] = []
    for raw_sheet in parsed.read:
        if only is not None and raw_sheet.number != only:
            continue
        sheet = _sheet_with_preset(raw_sheet, source, format_, parsed, presets, sha256)
        made = import_sheet(sheet, folder)
        if made is None:
            continue
        profile, head = made
        write_profile(folder / profile.id, profile)
        write_head(folder / profile.id, head)
        profiles.append(profile)
    if not profiles:
        raise UserError(
            _("{file} holds no data. Check that you exported the right sheet.").format(
                file=source.name
            )
        )
    profiles.sort(key=lambda profile: -profile.rows * len(profile.columns))
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
    raw, head = sheet.raw, sheet.head
    place = max(shape.row, 1) - 1 - raw.first_row
    if not 0 <= place < len(head):
        return False
    names = (" ".join(as_text(cell).split()) for cell in head[place])
    cells = (*("",) * raw.first_column, *names)
    if not shape.row:
        is_of_name = versionless_name(Path(sheet.source.name).stem) == shape.file
        return is_of_name and len(cells) == len(shape.names)
    return without_trailing_blanks(cells) == shape.names
