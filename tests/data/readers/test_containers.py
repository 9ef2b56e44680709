"""Tables inside archives and behind passwords."""

import gzip
import io
import struct
import zipfile
import zlib

import pytest

from qhub_desktop.core.errors import PasswordNeededError, UserError
from tests.data.readers.conftest import Give
from tests.data.writers import grids
from tests.data.writers.xlsb import xlsb

TEXT = b"a;b\n1;2\n"
ROWS = [["a", "b"], ["1", "2"]]
PASSWORD = "Pintura-2026"
# How Office keeps the letters of a password apart, and the stream's key; see `zip_crypto`.
KEYS = (0x12345678, 0x23456789, 0x34567890)


def protected(content: bytes, password: str = PASSWORD) -> bytes:
    from msoffcrypto.format.ooxml import OOXMLFile

    target = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(password, target)
    return target.getvalue()


def step(key: int, byte: int) -> int:
    """One step of the checksum that the old encryption of zips is built on."""
    return zlib.crc32(bytes([byte]), key ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def zip_crypto(name: str, content: bytes, password: bytes) -> bytes:
    """A zip of one stored file under a password, by the old way that every program reads."""
    keys = list(KEYS)

    def update(byte: int) -> None:
        keys[0] = step(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = step(keys[2], keys[1] >> 24)

    def encrypted(byte: int) -> int:
        mask = keys[2] | 2
        update(byte)
        return byte ^ (((mask * (mask ^ 1)) >> 8) & 0xFF)

    for letter in password:
        update(letter)
    checksum = zlib.crc32(content)
    head = bytes(11) + bytes([checksum >> 24])
    data = bytes(encrypted(byte) for byte in head + content)
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w") as made:
        made.writestr(zipfile.ZipInfo(name, grids.THEN), data)
    raw = bytearray(plain.getvalue())
    for mark, flags, start in ((b"PK\3\4", 6, 14), (b"PK\1\2", 8, 16)):
        place = raw.index(mark)
        raw[place + flags] |= 1
        struct.pack_into("<III", raw, place + start, checksum, len(data), len(content))
    return bytes(raw)


def test_the_only_file_of_a_zip_is_read_as_what_it_is(give: Give) -> None:
    (given,) = give("a.zip", grids.zipped({"pasta/dados.csv": TEXT}))
    assert (given.format, given.rows) == ("CSV", ROWS)
    (given,) = give("a.zip", grids.zipped({"dados.xls": grids.xls([["a"]])}))
    assert (given.format, given.rows) == ("Excel (.xls)", [["a"]])


def test_what_a_system_leaves_in_a_zip_is_not_counted(give: Give) -> None:
    litter = {"__MACOSX/._dados.csv": b"\0", "pasta/.DS_Store": b"\0", "Thumbs.db": b"\0"}
    (given,) = give("a.zip", grids.zipped({"pasta/": b"", "dados.csv": TEXT, **litter}))
    assert given.rows == ROWS
    assert not given.said


def test_the_only_table_among_other_files_is_read_and_the_others_are_named(give: Give) -> None:
    (given,) = give("a.zip", grids.zipped({"leia-me.pdf": b"%PDF", "dados.csv": TEXT}))
    assert given.rows == ROWS
    assert "archive_others" in given.said
    assert "leia-me.pdf" in given.sheet.doubtful[0].text


def test_several_tables_are_named_and_none_is_chosen(give: Give) -> None:
    with pytest.raises(UserError, match=r"a\.zip holds 2 tables: um\.csv, dois\.csv\. Unpack it"):
        give("a.zip", grids.zipped({"um.csv": TEXT, "dois.csv": TEXT}))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (grids.zipped({"a.zip": grids.zipped({"a.csv": TEXT})}), "archive inside an archive"),
        (grids.zipped({"a.gz": gzip.compress(TEXT, mtime=0)}), "archive inside an archive"),
        (grids.zipped({"a.txt": b""}), "is empty"),
        (grids.zipped({"a.png": b"\x89PNG\r\n\x1a\n" + bytes(50)}), "is a picture"),
        (grids.zipped({"a.exe": b"MZ", "b.dll": b"MZ"}), "without a table"),
        (grids.zipped({}), "archive"),
        (grids.zipped({"a.csv": TEXT})[:-20], "ends in the middle"),
        (grids.zipped({"a.csv": TEXT}, is_deflated=False).replace(TEXT, b"a;b\n1;3\n"), "damaged"),
    ],
)
def test_other_archives_are_refused(give: Give, content: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words):
        give("a.zip", content)


def test_an_archive_of_too_much_is_refused_before_it_is_unpacked(give: Give) -> None:
    content = bytearray(grids.zipped({"dados.csv": TEXT}))
    place = content.rindex(b"PK\1\2")
    struct.pack_into("<I", content, place + 24, 2**31)
    with pytest.raises(UserError, match="more than 1 GB"):
        give("a.zip", bytes(content))


def test_a_compressed_table_is_read(give: Give) -> None:
    (given,) = give("dados.csv.gz", gzip.compress(TEXT))
    assert given.rows == ROWS
    with pytest.raises(UserError, match="damaged"):
        give("dados.csv.gz", gzip.compress(TEXT)[:-9])


def test_a_zip_opens_with_its_password_alone(give: Give) -> None:
    content = zip_crypto("dados.csv", TEXT, PASSWORD.encode())
    with pytest.raises(PasswordNeededError, match=r"a\.zip is protected by a password\. Type it"):
        give("a.zip", content)
    with pytest.raises(PasswordNeededError, match=r"The password of a\.zip is another one"):
        give("a.zip", content, password="outra")
    (given,) = give("a.zip", content, password=PASSWORD)
    assert given.rows == ROWS


def test_a_zip_with_newer_encryption_is_refused(give: Give) -> None:
    content = bytearray(zip_crypto("dados.csv", TEXT, b"x"))
    for mark, place in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        struct.pack_into("<H", content, content.index(mark) + place, 99)
    with pytest.raises(UserError, match="cannot be opened here") as caught:
        give("a.zip", bytes(content), password="x")
    assert not isinstance(caught.value, PasswordNeededError)


def test_a_protected_workbook_opens_with_its_password_alone(give: Give) -> None:
    content = protected(grids.xlsx([["a"], [1]]))
    with pytest.raises(PasswordNeededError, match=r"a\.xlsx is protected by a password\. Type it"):
        give("a.xlsx", content)
    with pytest.raises(PasswordNeededError, match=r"The password of a\.xlsx is another one"):
        give("a.xlsx", content, password=PASSWORD.lower())
    (given,) = give("a.xlsx", content, password=PASSWORD)
    assert given.rows[0] == ["a"]


def renamed(content: bytes, old: str, new: str) -> bytes:
    """An OLE file with another name for one of its streams, in its directory alone."""
    was = old.encode("utf-16-le").ljust(64, b"\0")
    place = next(at for at in range(0, len(content), 128) if content[at : at + 64] == was)
    entry = new.encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", 2 * len(new) + 2)
    return content[:place] + entry + content[place + len(entry) :]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("StrongEncryptionDataSpace", "DRMEncryptedDataSpace", "by a confidentiality label"),
        ("EncryptedPackage", "\tDRMContent", "by a confidentiality label"),
        ("EncryptionInfo", "Other", "in a way that cannot be opened here"),
    ],
)
def test_what_is_protected_in_other_ways_is_told_as_that(
    give: Give, old: str, new: str, words: str
) -> None:
    content = renamed(protected(grids.xlsx([["a"]])), old, new)
    for password in (None, PASSWORD):
        with pytest.raises(UserError, match=words) as caught:
            give("a.xlsx", content, password=password)
        assert not isinstance(caught.value, PasswordNeededError)


def test_an_archive_packed_in_an_unknown_way_is_told_as_that(give: Give) -> None:
    content = bytearray(grids.zipped({"a.csv": TEXT}))
    for mark, place in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        struct.pack_into("<H", content, content.index(mark) + place, 9)  # 'Deflate64', of Windows
    with pytest.raises(UserError, match="is packed in a way that cannot be read here"):
        give("a.zip", bytes(content))


def test_other_kinds_of_workbook_open_with_a_password_too(give: Give) -> None:
    rows = [[f"{number**5:x}"] for number in range(900)]  # the library writes no small packages
    book = protected(xlsb({"Um": rows}))
    (given,) = give("a.xlsb", book, password=PASSWORD)
    assert (given.format, given.rows) == ("Excel (.xlsb)", rows)
    (given,) = give("a.zip", grids.zipped({"a.xlsb": book}), password=PASSWORD)
    assert given.rows == rows


def test_what_excel_opens_without_asking_opens_here_as_well(give: Give) -> None:
    (given,) = give("a.xlsx", protected(grids.xlsx([["a"]]), "VelvetSweatshop"))
    assert given.rows == [["a"]]


def test_a_password_that_takes_hours_to_try_is_refused(give: Give) -> None:
    content = protected(grids.xlsx([["a"]]))
    # One digit more, one blank less: the description keeps its length.
    many = content.replace(b'spinCount="100000" ', b'spinCount="9000000"')
    assert many != content
    with pytest.raises(UserError, match="in a way that cannot be opened here"):
        give("a.xlsx", many, password=PASSWORD)


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_damaged_protected_workbook_ends_in_a_sentence(give: Give, place: float) -> None:
    content = protected(grids.xlsx([["a"]] * 500))
    start = int(len(content) * place)
    damaged = content[:start] + bytes(1_500) + content[start + 1_500 :]
    with pytest.raises(UserError):
        give("a.xlsx", damaged, password=PASSWORD)
    with pytest.raises(UserError):
        give("a.xlsx", content[:start], password=PASSWORD)
