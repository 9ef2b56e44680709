"""The same rows as files of different kinds; the bytes are the same each time they are made."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from html import escape
from typing import Any

import openpyxl
import xlwt
from openpyxl.worksheet.worksheet import Worksheet

Cell = str | int | float | bool | date | datetime | time | timedelta | None
Grid = Sequence[Sequence[Any]]  # of cells; anything else is a mistake that shows at once

THEN = (2026, 2, 1, 0, 0, 0)
_MODIFIED = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")


def spoken(cell: Cell) -> str:
    """A cell as a Portuguese program writes it into a text file."""
    match cell:
        case None:
            return ""
        case bool():
            return "VERDADEIRO" if cell else "FALSO"
        case float():
            return str(cell).replace(".", ",")
        case datetime():
            return cell.strftime("%d/%m/%Y %H:%M:%S")
        case date():
            return cell.strftime("%d/%m/%Y")
        case time():
            return cell.strftime("%H:%M:%S")
        case timedelta():
            seconds = int(cell.total_seconds())
            return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        case _:
            return str(cell)


def csv_text(grid: Grid, *, delimiter: str = ";", newline: str = "\r\n") -> str:
    """A text table, with quotation marks only where they are needed."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, delimiter=delimiter, lineterminator=newline)
    writer.writerows([spoken(cell) for cell in row] for row in grid)
    return target.getvalue()


def xlsx(sheets: Grid | Mapping[str, Grid], change: Callable[[Any], None] | None = None) -> bytes:
    """A workbook; `change` is given the openpyxl book, or its only sheet, before it is saved."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    named = sheets if isinstance(sheets, Mapping) else {"Dados": sheets}
    for name, grid in named.items():
        fill(book.create_sheet(name), grid)
    if change is not None:
        change(book if isinstance(sheets, Mapping) else book.worksheets[0])
    target = io.BytesIO()
    book.save(target)
    return settled(target.getvalue())


def fill(sheet: Worksheet, grid: Grid, *, row: int = 1, column: int = 1) -> None:
    """Put the cells in their places; blank ones are not written at all."""
    for number, cells in enumerate(grid, start=row):
        for place, value in enumerate(cells, start=column):
            if value is None:
                continue
            cell = sheet.cell(number, place)
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"  # text, whatever it begins with
            elif isinstance(value, timedelta):
                cell.number_format = "[h]:mm:ss"


def settled(content: bytes, parts: Mapping[str, bytes] | None = None) -> bytes:
    """A zip without the time it was made at; `parts` take the place of its own."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            part = (parts or {}).get(name, source.read(name))
            _put(made, name, _MODIFIED.sub(rb"\g<1>2026-02-01T00:00:00Z\g<2>", part))
    return target.getvalue()


def zipped(parts: Mapping[str, bytes], *, is_deflated: bool = True) -> bytes:
    """A zip of these parts."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name, part in parts.items():
            _put(made, name, part, is_deflated=is_deflated)
    return target.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """The parts of a zip."""
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        return {name: source.read(name) for name in source.namelist()}


def _put(made: zipfile.ZipFile, name: str, part: bytes, *, is_deflated: bool = True) -> None:
    entry = zipfile.ZipInfo(name, THEN)
    entry.compress_type = zipfile.ZIP_DEFLATED if is_deflated else zipfile.ZIP_STORED
    made.writestr(entry, part)


def xls(sheets: Grid | Mapping[str, Grid], change: Callable[[Any], None] | None = None) -> bytes:
    """A workbook as Excel 97 to 2003 wrote it; `change` is given the xlwt book."""
    book = xlwt.Workbook()
    for name, grid in (sheets if isinstance(sheets, Mapping) else {"Dados": sheets}).items():
        sheet = book.add_sheet(name)
        for number, cells in enumerate(grid):
            for place, value in enumerate(cells):
                if value is not None:
                    sheet.write(number, place, *_styled(value))
    if change is not None:
        change(book)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _styled(value: Cell) -> tuple[Any, ...]:
    match value:
        case datetime():
            return value, xlwt.easyxf(num_format_str="DD/MM/YYYY HH:MM:SS")
        case date():
            return value, xlwt.easyxf(num_format_str="DD/MM/YYYY")
        case time():
            return value, xlwt.easyxf(num_format_str="HH:MM:SS")
        case timedelta():
            days = value.total_seconds() / 86_400
            return days, xlwt.easyxf(num_format_str="[H]:MM:SS")
        case _:
            return (value,)


_ODS_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document-content'
    ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2">'
    "<office:body><office:spreadsheet>"
)
_ODS_TYPE = b"application/vnd.oasis.opendocument.spreadsheet"
_ODS_MANIFEST = (
    b'<?xml version="1.0"?><manifest:manifest'
    b' xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    b'<manifest:file-entry manifest:full-path="/" manifest:media-type="' + _ODS_TYPE + b'"/>'
    b'<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    b"</manifest:manifest>"
)


def ods(sheets: Grid | Mapping[str, Grid]) -> bytes:
    """A spreadsheet as LibreOffice writes it."""
    body = _ODS_HEAD
    for name, grid in (sheets if isinstance(sheets, Mapping) else {"Dados": sheets}).items():
        rows = "".join(
            f"<table:table-row>{''.join(map(_ods_cell, cells))}</table:table-row>"
            if any(cell is not None for cell in cells)
            else "<table:table-row><table:table-cell/></table:table-row>"
            for cells in grid
        )
        body += f'<table:table table:name="{escape(name)}">{rows}</table:table>'
    body += "</office:spreadsheet></office:body></office:document-content>"
    parts = {
        "mimetype": _ODS_TYPE,
        "content.xml": body.encode("utf-8"),
        "META-INF/manifest.xml": _ODS_MANIFEST,
    }
    return zipped(parts, is_deflated=False)


def _ods_cell(cell: Cell) -> str:
    match cell:
        case None:
            return "<table:table-cell/>"
        case bool():
            typed = f'office:value-type="boolean" office:boolean-value="{str(cell).lower()}"'
        case int() | float():
            typed = f'office:value-type="float" office:value="{cell!r}"'
        case datetime():
            typed = f'office:value-type="date" office:date-value="{cell.isoformat()}"'
        case date():
            typed = f'office:value-type="date" office:date-value="{cell.isoformat()}"'
        case time():
            typed = f'office:value-type="time" office:time-value="{cell.strftime("PT%HH%MM%SS")}"'
        case timedelta():
            hours, minutes, seconds = spoken(cell).split(":")
            typed = f'office:value-type="time" office:time-value="PT{hours}H{minutes}M{seconds}S"'
        case _:
            typed = 'office:value-type="string"'
    return f"<table:table-cell {typed}><text:p>{escape(spoken(cell))}</text:p></table:table-cell>"


def html(grid: Grid, *, encoding: str = "cp1252") -> bytes:
    """A web page as programs write it under the name of a workbook."""
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(spoken(cell))}</td>" for cell in row) + "</tr>"
        for row in grid
    )
    page = (
        f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={encoding}">'
        f"</head><body><table border=1>\n{rows}\n</table></body></html>"
    )
    return page.encode(encoding)


def spreadsheetml(sheets: Grid | Mapping[str, Grid]) -> bytes:
    """A workbook as Excel 2003 wrote it into one XML file."""
    body = (
        '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n'
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
        ' xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">\n'
    )
    for name, grid in (sheets if isinstance(sheets, Mapping) else {"Dados": sheets}).items():
        body += f'<Worksheet ss:Name="{escape(name)}"><Table>\n'
        for row in grid:
            body += f"<Row>{_spreadsheetml_cells(row)}</Row>\n"
        body += "</Table></Worksheet>\n"
    return (body + "</Workbook>\n").encode("utf-8")


def _spreadsheetml_cells(row: Sequence[Cell]) -> str:
    made = ""
    is_after_blank = False
    for number, cell in enumerate(row, start=1):
        if cell is None:
            is_after_blank = True
            continue
        place = f' ss:Index="{number}"' if is_after_blank else ""
        is_after_blank = False
        match cell:
            case bool():
                type_, text = "Boolean", str(int(cell))
            case int() | float():
                type_, text = "Number", repr(cell)
            case datetime():
                type_, text = "DateTime", cell.isoformat(timespec="milliseconds")
            case date():
                type_, text = "DateTime", f"{cell.isoformat()}T00:00:00.000"
            case _:
                type_, text = "String", spoken(cell)
        made += f'<Cell{place}><Data ss:Type="{type_}">{escape(text)}</Data></Cell>'
    return made
