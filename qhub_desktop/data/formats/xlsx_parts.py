"""The parts of an Excel workbook: which of its files holds which sheet."""

import re
import zipfile
from xml.etree import ElementTree as ET

from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.sheet import Source

HEAD_BYTES = 2**20
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"


def refuse_declarations(archive: zipfile.ZipFile, source: Source) -> None:
    """Refuse document types: real workbooks have none, and entities that explode need one."""
    for entry in archive.infolist():
        if not entry.filename.endswith((".xml", ".rels", ".vml")):
            continue
        with archive.open(entry) as part:
            head = part.read(HEAD_BYTES)
        if b"<!DOCTYPE" in head.replace(b"\0", b""):
            raise refused.refusal(source, refused.UNSAFE, refused.FROM_SOURCE)


def sheets_of(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where each sheet's XML is, by the sheet's name."""
    targets = {
        element.get("Id", ""): element.get("Target", "")
        for element in _xml(archive, "xl/_rels/workbook.xml.rels")
    }
    found: dict[str, str] = {}
    for element in _xml(archive, "xl/workbook.xml").iter():
        if local(element.tag) == "sheet":
            relation = next((value for key, value in element.items() if key.endswith("}id")), "")
            target = targets.get(relation, "")
            part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            if part in archive.NameToInfo:
                found[element.get("name", "")] = part
    return found


def zero_styles(archive: zipfile.ZipFile) -> dict[int, int]:
    """The styles whose number format is nothing but zeros ('00000'), and how many they are.

    What such a cell shows is a code: '00123', where its value is 123.
    """
    if STYLES not in archive.NameToInfo:
        return {}
    root = _xml(archive, STYLES)
    formats = {
        element.get("numFmtId", ""): len(element.get("formatCode", ""))
        for element in root.iter()
        if local(element.tag) == "numFmt" and re.fullmatch("0{2,}", element.get("formatCode", ""))
    }
    cells = next((element for element in root if local(element.tag) == "cellXfs"), None)
    if not formats or cells is None:
        return {}
    return {
        number: formats[style.get("numFmtId", "")]
        for number, style in enumerate(cells)
        if style.get("numFmtId", "") in formats
    }


def local(tag: str) -> str:
    """An element's name without its namespace."""
    return tag.rpartition("}")[2]


def _xml(archive: zipfile.ZipFile, part: str) -> ET.Element:
    # Without a document type, which is refused first, there is no entity to expand.
    return ET.fromstring(archive.read(part))  # noqa: S314  see above
