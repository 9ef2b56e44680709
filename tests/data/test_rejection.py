"""Files that cannot be read: one sentence each, with what to do."""

import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.data.workspace import Workspace
from tests.data.conftest import Read


def zipped(**parts: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, part in parts.items():
            made.writestr(name.replace("__", "/").replace("_xml", ".xml"), part)
    return target.getvalue()


def workbook() -> bytes:
    target = io.BytesIO()
    book = openpyxl.Workbook()
    book.create_sheet("a").append(["x", 1])
    book.save(target)
    return target.getvalue()


def altered(part: str, change: bytes | None) -> bytes:
    """A workbook with other bytes in a part, or without it; its check sums are right."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as source,
        zipfile.ZipFile(target, "w") as made,
    ):
        for name in source.namelist():
            if name != part:
                made.writestr(name, source.read(name))
            elif change is not None:
                made.writestr(name, change)
    return target.getvalue()


SHEET = "xl/worksheets/sheet2.xml"
UNKNOWN_CELL = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    b'<row r="1"><c r="A1" t="zz"><v>1</v></c></row></sheetData></worksheet>'
)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3", "is a PDF"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50), "is a picture"),
        ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(50), "is a picture"),
        ("a.docx", zipped(word__document_xml=b"<w/>"), "is a document"),
        ("a.xlsx", b"", "empty"),
        ("a.csv", bytes(range(256)) * 4, "not a table"),
        ("a.json", b'{"a": [1, 2, 3]}', "not a list of records"),
        ("a.xlsx", workbook()[:900], "ends in the middle"),
        ("a.xlsx", workbook()[:-300], "ends in the middle"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "ends in the middle"),
        ("a.xlsx", altered(SHEET, b"<worksheet><sheetData><row>"), "damaged"),
        ("a.xlsx", altered("xl/workbook.xml", None), "lacks a part"),
        ("a.xlsx", altered("xl/_rels/workbook.xml.rels", None), "lacks a part"),
        ("a.xlsx", altered(SHEET, None), "lacks a part"),
        ("a.xlsx", altered(SHEET, UNKNOWN_CELL), "something in it that cannot be read here"),
        ("a.vsdx", altered("xl/workbook.xml", None).replace(b"xl/", b"vs/"), "not a table"),
        ("a.xlsx.pfile", b".pfile" + bytes(200), "confidentiality label"),
    ],
)
def test_what_is_no_table_is_refused_by_its_content(
    read: Read, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        read(file)
    assert name in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_workbook_under_another_name_is_read(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "dados.csv"
    file.write_bytes(workbook())
    (imported,) = read(file)
    assert imported.rows == [("x", 1)]


def test_a_text_table_under_the_name_of_a_workbook_is_read(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "dados.xlsx"
    file.write_bytes(b"a;b\n1;2\n")
    (imported,) = read(file)
    assert imported.rows == [(1, 2)]


def test_declarations_that_explode_are_refused(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "bomba.xlsx"
    bomb = (
        b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
        b"<worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>"
    )
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as source,
        zipfile.ZipFile(target, "w") as made,
    ):
        for name in source.namelist():
            made.writestr(name, bomb if name.endswith("sheet1.xml") else source.read(name))
    file.write_bytes(target.getvalue())
    with pytest.raises(UserError, match="XML declarations"):
        read(file)


def test_a_file_that_unpacks_to_over_a_gigabyte_is_refused(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "bomba.xlsx"
    blanks = bytes(2**20)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        made.writestr("xl/workbook.xml", "<workbook/>")
        with made.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for _ in range(1_030):
                part.write(blanks)
    with pytest.raises(UserError, match="1 GB"):
        read(file)


async def test_a_cell_in_the_last_corner_is_refused_and_the_next_file_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for place in ("A1", "XFD1048576"):
        sheet[place] = "x"
    file = tmp_path / "canto.xlsx"
    book.save(file)
    with pytest.raises(UserError, match=r"canto\.xlsx.* reaches as far as the cell XFD1048576"):
        await workspace.load(file)
    file.write_bytes(workbook())
    assert await workspace.load(file)


async def test_what_is_not_there_or_a_folder_is_said_to_be(
    workspace: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="no longer there"):
        await workspace.load(tmp_path / "nada.csv")
    with pytest.raises(UserError, match="is a folder"):
        await workspace.load(tmp_path)
