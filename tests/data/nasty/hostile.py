"""Files that are no tables, are broken, or were made to do harm: each is refused in a sentence."""

import io
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tests.data.nasty.every_format import HEADER, ROWS, TYPES
from tests.data.nasty.truth import Case, Truth, sheet
from tests.data.writers import grids
from tests.data.writers.handwritten_xlsx import number, text, workbook, worksheet

PASSWORD = "segredo"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89" + bytes(40)
# Not packed, so that what is cut off or flipped does not hang on how a machine packs.
BOOK = grids.zipped(grids.unzipped(grids.xlsx((HEADER, *ROWS))), is_deflated=False)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _empty()
    yield from _others()
    yield from _broken()
    yield from _bombs()
    yield from _locked()


def _refused(name: str, about: str, content: bytes, *words: str) -> Case:
    return Case(name, content, Truth(about, error=(name, *words), in_child=True))


def _empty() -> Iterator[Case]:
    yield _refused("empty.csv", "Nothing at all", b"", "empty")
    yield _refused("empty.xlsx", "Nothing at all", b"", "empty")
    yield _refused("blanks.csv", "Blanks and ends of lines", b"  \r\n\t\n \n;;\n" * 3)
    yield _refused("mark_only.csv", "A byte order mark and nothing else", b"\xef\xbb\xbf")
    yield _refused("nuls_only.csv", "NULs, as a crashed disk leaves them", bytes(4_096))
    yield _refused("no_cells.xlsx", "A workbook without a cell", grids.xlsx({"Um": (), "Dois": ()}))
    yield _refused("empty_list.json", "A list without records", b"[]")


def _others() -> Iterator[Case]:
    noise = bytes((number * 7_919 + number // 251) % 256 for number in range(3_000))
    yield _refused("binary.csv", "A program's bytes under the name of a table", b"MZ\x90\0" + noise)
    yield _refused("picture.xlsx", "A picture under the name of a workbook", PNG, "picture")
    yield _refused("picture.jpg", "A picture", b"\xff\xd8\xff\xe0" + noise, "picture")
    yield _refused("print.pdf", "A PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "PDF")
    letter = grids.zipped(
        {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w:document/>"}
    )
    yield _refused("letter.docx", "A letter", letter, "document")
    yield _refused("letter.xlsx", "A letter under the name of a workbook", letter, "document")
    slides = grids.zipped({"[Content_Types].xml": b"<Types/>", "ppt/presentation.xml": b"<p/>"})
    yield _refused("slides.pptx", "Slides", slides, "document")
    yield _refused("archive.7z", "Another kind of archive", b"7z\xbc\xaf\x27\x1c" + noise)
    yield _refused("text.rtf", "Formatted text", b"{\\rtf1\\ansi Ol\\'e1}")
    yield _refused("config.json", "Settings, which are no records", b'{"a": {"b": [1, 2, 3]}}')
    yield _refused("numbers.json", "A list, but not of records", b"[1, 2, 3]")
    yield _refused("cut.json", "Records that break off", b'[{"a": 1}, {"a": 2}, {"a"')
    deep = b"[" * 10_000 + b"]" * 10_000
    yield _refused("deep.json", "Lists in lists in lists", deep)
    yield _refused("drawing.xml", "XML of something else", b"<?xml version='1.0'?><svg><g/></svg>")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "registo.db"
        with closing(sqlite3.connect(file)) as db:
            db.execute("PRAGMA page_size = 512")
            db.execute("CREATE TABLE t (a, b)")
            db.commit()
        yield _refused("database.db", "A database", file.read_bytes())


def _broken() -> Iterator[Case]:
    yield _refused("cut_early.xlsx", "A workbook's first part only", BOOK[:900], "ends in")
    yield _refused("cut_late.xlsx", "A workbook without its end", BOOK[:-300], "ends in")
    yield _refused(
        "cut.xls", "An old workbook's first part only", grids.xls((HEADER, *ROWS))[:1_700]
    )
    yield _refused(
        "cut.ods", "A LibreOffice sheet without its end", grids.ods((HEADER, *ROWS))[:-200]
    )
    yield _refused("cut.parquet", "Columns without their end", b"PAR1" + bytes(range(200)))
    yield _refused("cut.zip", "A zip without its end", grids.zipped({"a.csv": b"a;b\n1;2\n"})[:-20])
    changed = bytearray(BOOK)
    with zipfile.ZipFile(io.BytesIO(BOOK)) as archive:
        entry = archive.getinfo("xl/worksheets/sheet1.xml")
    changed[entry.header_offset + 90] ^= 0xFF
    yield _refused("checksum.xlsx", "A flipped byte in the sheet", bytes(changed), "damaged")
    parts = grids.unzipped(BOOK)
    for name, part, words in (
        ("missing_sheet", "xl/worksheets/sheet1.xml", ()),
        ("missing_book", "xl/workbook.xml", ()),
    ):
        left = {key: value for key, value in parts.items() if key != part}
        yield _refused(f"{name}.xlsx", f"A workbook without {part}", grids.zipped(left), *words)
    cut = {**parts, "xl/worksheets/sheet1.xml": parts["xl/worksheets/sheet1.xml"][:700]}
    yield _refused("cut_xml.xlsx", "The sheet's XML breaks off", grids.zipped(cut))
    yield _refused(
        "fake.xlsx", "The first bytes of a zip, then nothing", b"PK\x03\x04" + bytes(100)
    )
    yield _refused("fake.xls", "The first bytes of an old workbook", OLE + bytes(504))


def _bombs() -> Iterator[Case]:
    declared = (
        b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "haha">'
        + b"".join(
            b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10)
            for letter in range(ord("b"), ord("k"))
        )
        + b"]>"
    )
    page = worksheet([text("A1", "LAUGH")]).encode()
    laughing = declared + page.split(b"?>", 1)[1].replace(b"LAUGH", b"&j;")
    yield _refused(
        "laughs.xlsx",
        "An entity that stands for a billion words",
        workbook({"Dados": ""}, parts={"xl/worksheets/sheet1.xml": laughing}),
    )
    yield _refused(
        "laughs.xml",
        "The same in one XML file",
        declared + grids.spreadsheetml((("LAUGH",),)).split(b"?>", 1)[1].replace(b"LAUGH", b"&j;"),
    )
    outside = page.replace(
        b"<worksheet", b'<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/hostname">]><worksheet', 1
    ).replace(b"LAUGH", b"&x;")
    yield _refused(
        "outside_entity.xlsx",
        "An entity that would read another file",
        workbook({"Dados": ""}, parts={"xl/worksheets/sheet1.xml": outside}),
    )
    yield _refused(
        "lying_size.xlsx", "A part that says it unpacks to 4 GB", _lying(BOOK, 0xF0000000)
    )
    yield _refused("lying_small.xlsx", "64 MB under a size of 1 KB", _swollen())
    shared = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<si><t>{'x' * 2**20}</t></si></sst>"
    )
    cells = '<c t="s"><v>0</v></c>' * 100
    many = worksheet(["<c/>"]).replace('<row r="1"><c/></row>', f"<row>{cells}</row>" * 200)
    yield Case(
        "shared_text.xlsx",
        workbook({"Dados": many}, shared=shared),
        Truth(
            "One text of a megabyte in 20,000 cells",
            error=("shared_text.xlsx",),
            in_child=True,
            is_honest=True,
        ),
    )
    corner = worksheet([text("A1", "a") + text("B1", "b")]).replace(
        "</sheetData>", f'<row r="1048576">{number("XFD1048576", "1")}</row></sheetData>'
    )
    yield Case(
        "last_corner.xlsx",
        workbook({"Dados": corner}),
        Truth(
            "Three cells, one of them in the last corner of all",
            error=("last_corner.xlsx",),
            in_child=True,
            is_honest=True,
        ),
    )
    beyond = worksheet([text("A1", "a") + number("B1", "1")]).replace(
        "</sheetData>", '<row r="4294967295"><c r="ZZZ4294967295"><v>1</v></c></row></sheetData>'
    )
    yield Case(
        "beyond_the_last_row.xlsx",
        workbook({"Dados": beyond}),
        Truth(
            "A row that no Excel has",
            error=("beyond_the_last_row.xlsx",),
            in_child=True,
            is_honest=True,
        ),
    )
    spans = (
        "<table><tr><td rowspan=99999999 colspan=99999999>x</td></tr><tr><td>1</td></tr></table>"
    )
    yield Case(
        "spans.html.xls",
        spans.encode(),
        Truth(
            "A cell that says it spans a hundred million columns",
            error=("spans.html.xls",),
            in_child=True,
            is_honest=True,
        ),
    )
    head, body = grids.ods((("a", "b"), (1, 2), (3, 4))), b'table:number-columns-repeated="16384"'
    parts = grids.unzipped(head)
    parts["content.xml"] = parts["content.xml"].replace(
        b"</table:table>",
        b'<table:table-row table:number-rows-repeated="1048570"><table:table-cell '
        + body
        + b"/></table:table-row></table:table>",
    )
    yield Case(
        "repeated_cells.ods",
        grids.zipped(parts, is_deflated=False),
        Truth(
            "Empty cells repeated to the last corner, as LibreOffice really writes them",
            (sheet("a b", "integer integer", [(1, 2), (3, 4)], name="Dados"),),
            in_child=True,
        ),
    )
    parts["content.xml"] = parts["content.xml"].replace(
        body + b"/>", body + b' office:value-type="float" office:value="1"/>'
    )
    yield Case(
        "repeated_values.ods",
        grids.zipped(parts, is_deflated=False),
        Truth(
            "A value repeated to the last corner",
            error=("repeated_values.ods",),
            in_child=True,
            is_honest=True,
        ),
    )
    inner = grids.zipped({"a.csv": b"a;b\n1;2\n"})
    for _level in range(4):
        inner = grids.zipped({"mais.zip": inner})
    yield _refused("zips_in_zips.zip", "A zip in a zip in a zip", inner)
    yield _refused(
        "zip_of_blanks.zip",
        "A table of 16 MB of blanks",
        grids.zipped({"dados.csv": b" " * 2**24}),
    )
    wide = ";".join(f"c{n}" for n in range(5_000))
    yield Case(
        "too_wide.csv",
        f"{wide}\n{';' * 4_999}1\n".encode(),
        Truth("5,000 columns", error=("too_wide.csv",), in_child=True, is_honest=True),
    )
    yield _refused(
        "climbing.zip", "A zip whose file would land elsewhere", grids.zipped({"../../x.txt": b""})
    )


def _lying(content: bytes, size: int) -> bytes:
    """The last entry of the zip says that it is larger than it is."""
    place = content.rfind(b"PK\x01\x02")
    return content[: place + 24] + struct.pack("<I", size) + content[place + 28 :]


def _swollen() -> bytes:
    parts = grids.unzipped(BOOK)
    page = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = page.replace(
        b"<sheetData>", b"<sheetData>" + b" " * 2**24, 1
    )
    made = grids.zipped(parts)
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = 0
        while (start := made.find(mark, start)) >= 0:
            name = start + (30 if place == 22 else 46)
            if made[name:].startswith(b"xl/worksheets/sheet1.xml"):
                made = made[: start + place] + struct.pack("<I", 1_024) + made[start + place + 4 :]
            start += 4
    assert zlib.crc32(made)
    return made


def _locked() -> Iterator[Case]:
    right = (sheet(HEADER, TYPES, ROWS, name="Dados"),)
    # The salt is chance, so the file is made once and kept; what is in it can still be compared.
    content = locked(BOOK)
    yield Case(
        "locked.xlsx",
        content,
        Truth("The password opens it", right, in_child=True, password=PASSWORD),
    )
    yield Case(
        "locked_no_password.xlsx",
        content,
        Truth("No password was given", error=("password",), in_child=True),
    )
    yield Case(
        "locked_wrong_password.xlsx",
        content,
        Truth("Another password was given", error=("password",), in_child=True, password="outro"),
    )
    parts = grids.zipped({"dados.csv": b"a;b\n1;2\n"})
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = parts.find(mark) + place
        parts = parts[:start] + b"\1" + parts[start + 1 :]
    yield _refused("locked.zip", "A zip with a password", parts)


def locked(content: bytes) -> bytes:
    """A workbook behind a password, as Excel protects it."""
    from msoffcrypto.format.ooxml import OOXMLFile

    target = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(PASSWORD, target)
    return target.getvalue()


def opened(content: bytes) -> bytes:
    """The workbook that is behind the password."""
    import msoffcrypto

    file = msoffcrypto.OfficeFile(io.BytesIO(content))
    file.load_key(password=PASSWORD)
    target = io.BytesIO()
    file.decrypt(target)
    return target.getvalue()
