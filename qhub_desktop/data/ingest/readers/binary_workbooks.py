"""Excel's binary workbooks, .xls and .xlsb: calamine's cells, with the errors that it drops."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from xml.parsers import expat

import python_calamine as calamine

from qhub_desktop.data.ingest.readers import ole_container, rejection, xls_records, xlsb_records
from qhub_desktop.data.ingest.readers.scan import Look, Mended
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile, RawSheet
from qhub_desktop.data.ingest.readers.sniff import Content, file_format


def _is_xls(content: Content) -> bool:
    return not content.streams.isdisjoint(("Workbook", "Book"))


def _is_xlsb(content: Content) -> bool:
    return "xl/workbook.bin" in content.parts


@file_format("Excel (.xls)", suffixes=(".xls",), sniff=_is_xls, place=2)
def read_xls(source: InputFile) -> ParsedFile:
    """Every sheet of a workbook of Excel 5 to 2003."""
    names = ole_container.stream_names(source)
    content = ole_container.read_stream(source, "Workbook" if "Workbook" in names else "Book")
    try:
        looks = xls_records.looks(content)
    except (xls_records.BrokenError, struct.error) as error:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error
    # Before calamine sees the file: a cell far off makes it end the process.
    for name, look in looks:
        look.check(source, name)
    book = _book(source)
    if len(book.sheets_metadata) != len(looks):
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN)
    by_name = {
        sheet.name: look for sheet, (_name, look) in zip(book.sheets_metadata, looks, strict=True)
    }
    return _opened(source, book, by_name)


@file_format("Excel (.xlsb)", suffixes=(".xlsb",), sniff=_is_xlsb, place=3)
def read_xlsb(source: InputFile) -> ParsedFile:
    """Every sheet of a binary workbook of Excel 2007 and later."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            looks = xlsb_records.looks(archive)
    except (
        EOFError,
        KeyError,
        NotImplementedError,
        ValueError,
        expat.ExpatError,
        struct.error,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error
    for name, look in looks.items():
        look.check(source, name)
    return _opened(source, _book(source), looks)


def _book(source: InputFile) -> calamine.CalamineWorkbook:
    try:
        # By its bytes: by its path, the kind would be guessed from the name.
        return calamine.load_workbook(io.BytesIO(source.path.read_bytes()))
    except calamine.CalamineError as error:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error


def _opened(
    source: InputFile, book: calamine.CalamineWorkbook, looks: Mapping[str, Look]
) -> ParsedFile:
    names = tuple(
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ == calamine.SheetTypeEnum.WorkSheet
    )
    return ParsedFile(names, _sheets(source, book, names, looks))


def _sheets(
    source: InputFile,
    book: calamine.CalamineWorkbook,
    names: tuple[str, ...],
    looks: Mapping[str, Look],
) -> Iterator[RawSheet]:
    for number, name in enumerate(names, start=1):
        try:
            sheet = book.get_sheet_by_name(name)
        except calamine.CalamineError as error:
            raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error
        if raw := Mended(sheet, looks.get(name, Look())).as_sheet(name, number):
            yield raw
