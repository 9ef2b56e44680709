"""Workbooks written letter by letter, for what no library would write."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

from qhub_desktop.data.ingest.readers.sheet import address
from tests.data.writers.grids import Cell, Grid, zipped

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"

_FIRST_DAY = datetime(1899, 12, 30)  # as Excel counts days from March 1900 on
_A_DAY = timedelta(days=1)

# The formats by their place: 0 General, 1 date, 2 0.0%, 3 h:mm:ss, 4 [h]:mm:ss, 5 00000, 6 text,
# 7 date and time.
STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="00000"/>'
    "</numFmts>"
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
    '<borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>'
    '<cellXfs count="8"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/>'
    '<xf numFmtId="10" applyNumberFormat="1"/><xf numFmtId="21" applyNumberFormat="1"/>'
    '<xf numFmtId="46" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/>'
    '<xf numFmtId="49" applyNumberFormat="1"/>'
    '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)


def worksheet(rows: Sequence[str], *, more: str = "", head: str = "") -> str:
    """A sheet's XML from the inside of its rows; `head` stands before them, `more` behind."""
    inside = "".join(f'<row r="{number}">{row}</row>' for number, row in enumerate(rows, 1) if row)
    return (
        f'{_HEAD}<worksheet xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{head}'
        f"<sheetData>{inside}</sheetData>{more}</worksheet>"
    )


def text(place: str, words: str) -> str:
    """A cell with its text in it."""
    escaped = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escaped}</t></is></c>'


def number(place: str, value: str, *, style: int = 0) -> str:
    """A cell with a number as it is written in the file."""
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def workbook(
    sheets: Mapping[str, str],
    *,
    shared: str | None = None,
    properties: str = "",
    parts: Mapping[str, bytes] | None = None,
) -> bytes:
    """A workbook of sheets' XML; `parts` come on top, or take another's place."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{place}" r:id="rId{place}"/>'
        for place, name in enumerate(sheets, start=1)
    )
    related = "".join(
        f'<Relationship Id="rId{place}" Type="{_OFFICE}/worksheet"'
        f' Target="worksheets/sheet{place}.xml"/>'
        for place in range(1, len(sheets) + 1)
    )
    related += f'<Relationship Id="rId90" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{place}.xml"'
        f' ContentType="{_KIND}.worksheet+xml"/>'
        for place in range(1, len(sheets) + 1)
    )
    made: dict[str, bytes] = {}
    if shared is not None:
        related += (
            f'<Relationship Id="rId91" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
        )
        kinds += (
            f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_KIND}.sharedStrings+xml"/>'
        )
        made["xl/sharedStrings.xml"] = shared.encode("utf-8")
    texts = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>{kinds}</Types>',
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{properties}'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{related}</Relationships>",
        "xl/styles.xml": STYLES,
    }
    made = {name: part.encode("utf-8") for name, part in texts.items()} | made
    for place, sheet in enumerate(sheets.values(), start=1):
        made[f"xl/worksheets/sheet{place}.xml"] = sheet.encode("utf-8")
    return zipped({**made, **(parts or {})})


def exactly(grid: Grid) -> bytes:
    """A workbook of these cells, its numbers to the last digit (openpyxl writes sixteen)."""
    rows = [
        "".join(_cell(address(row, column), value) for column, value in enumerate(cells))
        for row, cells in enumerate(grid)
    ]
    return workbook({"Dados": worksheet(rows)})


def _cell(place: str, value: Cell) -> str:
    match value:
        case None:
            return ""
        case str():
            return text(place, value)
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return number(place, repr(value))
        case datetime():
            return number(place, repr((value - _FIRST_DAY) / _A_DAY), style=7)
        case date():
            return number(place, str((value - _FIRST_DAY.date()).days), style=1)
        case time():
            seconds = value.hour * 3600 + value.minute * 60 + value.second
            return number(place, repr(seconds / 86_400), style=3)
        case timedelta():
            return number(place, repr(value / _A_DAY), style=4)
