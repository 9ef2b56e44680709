"""What a file is, is told by its content; what is no table is refused with what to do instead."""

import errno
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.data.ingest.readers.rejection import explain_os_error, private_copy
from tests.data.readers.conftest import Give
from tests.data.writers import grids

NOISE = bytes((number * 7_919 + number // 251) % 256 for number in range(3_000))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"MZ\x90\0" + NOISE, "not a table"),
        ("a.csv", bytes(4_096), "not a table"),
        ("a.xlsx", b"%PDF-1.7\n%\xe2\xe3", "is a PDF"),
        ("a.xlsx", b"\x89PNG\r\n\x1a\n" + bytes(50), "is a picture"),
        ("a.bmp", b"BM" + NOISE, "is a picture"),
        ("a.docx", grids.zipped({"word/document.xml": b"<w/>"}), "is a document"),
        ("a.pptx", grids.zipped({"ppt/presentation.xml": b"<p/>"}), "is a document"),
        ("a.rtf", b"{\\rtf1\\ansi x}", "is a document"),
        ("a.vcf", b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana\r\nEND:VCARD\r\n", "holds addresses"),
        ("a.ics", b"\xef\xbb\xbfBEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n", "is a calendar"),
        ("a.tex", b"% ensaio\n\\documentclass{article}\n\\end{document}\n", "is a document"),
        ("a.txt", b"\\begin{tabular}{ll}\na & b\\\\\n\\end{tabular}\n", "is a document"),
        ("a.sta", b":20:X1\r\n:25:12/34\r\n:28C:1/1\r\n:60F:C26EUR1,\r\n", "bank statement"),
        ("a.sta", b"{1:F01X}{2:I940X}{4:\n:20:X1\n:25:12/34\n-}\n", "bank statement"),
        ("a.db", b"SQLite format 3\0" + NOISE, "is a database"),
        ("a.accdb", b"\0\1\0\0Standard ACE DB\0" + NOISE, "is a database"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + NOISE, "compressed archive"),
        ("a.xls", b"\x09\x04\x06\0\0\0\x10\0" + bytes(100), "very old kind"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), "damaged"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "ends in the middle"),
        ("a.xml", b"<?xml version='1.0'?><svg/>", "is a picture"),
        ("a.xml", b"<?xml version='1.0'?><!DOCTYPE svg PUBLIC 'x' 'y'><svg a='1'/>", "a picture"),
        ("~$a.xlsx", b"\x05Maria" + bytes(159), "without '~\\$'"),
    ],
)
def test_what_is_no_table_is_refused_by_its_content(
    give: Give, name: str, content: bytes, words: str
) -> None:
    with pytest.raises(UserError, match=words) as caught:
        give(name, content)
    assert str(caught.value).startswith(name)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "content", [b"begin:vcard;x\n1;2\n3;4\n", b":20:;x\n1;2\n3;4\n", b"\\beginning;x\n1;2\n3;4\n"]
)
def test_a_heading_like_the_start_of_another_kind_is_one_of_a_table(
    give: Give, content: bytes
) -> None:
    (given,) = give("a.csv", content)
    assert given.rows[1:] == [["1", "2"], ["3", "4"]]


def test_a_text_with_a_few_zero_bytes_is_still_a_text(give: Give) -> None:
    (given,) = give("a.csv", b"a;b\n" + b"1;2\n" * 300 + b"3;\0\n")
    assert given.format == "CSV"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "x"), "no longer there"),
        (PermissionError(errno.EACCES, "x"), "another program holds it"),
        (IsADirectoryError(errno.EISDIR, "x"), "is a folder"),
        (OSError(errno.ENOSPC, "x"), "no room left on the disk"),
        (OSError(errno.EIO, "x"), "does not answer"),
        (TimeoutError(errno.ETIMEDOUT, "x"), "does not answer"),
        (OSError(errno.EINVAL, "x"), "could not be read or stored"),
    ],
)
def test_each_failure_of_a_disk_has_its_sentence(error: OSError, words: str) -> None:
    sentence = str(explain_os_error(error, "dados.csv"))
    assert words in sentence
    assert "dados.csv" in sentence
    assert sentence.endswith(".")


def test_what_is_read_is_a_copy_that_nobody_writes_to(tmp_path: Path) -> None:
    file = tmp_path / "dados.csv"
    file.write_bytes(b"a\n1\n")
    copy = private_copy(file, tmp_path / "copies")
    file.write_bytes(b"b\n2\n")
    assert copy.read_bytes() == b"a\n1\n"
    assert copy.suffix == ".csv"


def test_a_file_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        private_copy(tmp_path / "nada.csv", tmp_path / "copies")
    assert "no longer there" in str(explain_os_error(caught.value, "nada.csv"))
