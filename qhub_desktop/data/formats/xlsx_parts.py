"""The parts of an Excel workbook: which of its files holds which sheet."""

import zipfile
from xml.etree import ElementTree as ET

from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.sheet import Source

HEAD_BYTES = 2**20
STRINGS = "xl/sharedStrings.xml"


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


def local(tag: str) -> str:
    """An element's name without its namespace."""
    return tag.rpartition("}")[2]


def _xml(archive: zipfile.ZipFile, part: str) -> ET.Element:
    # Without a document type, which is refused first, there is no entity to expand.
    return ET.fromstring(archive.read(part))  # noqa: S314  see above
