"""Reading of the documents of the corpus, and what of it differs from their truth."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl

from qhub_desktop.core.documents import DocumentPlace, DocumentText, Passage
from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.knowledge.reading import read_document
from tests.knowledge import corpus
from tests.knowledge.corpus import PASSWORD, TRUTH, make

NEAR = 0.015  # of a page: how far a rectangle may be from its place


def sheets(path: Path) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The sheets of a workbook, or a text with semicolons."""
    content = path.read_bytes()
    if not content.startswith(b"PK"):
        lines = content.decode("cp1252", "replace").splitlines()
        yield path.stem, [tuple(row) for row in csv.reader(lines, delimiter=";")]
        return
    for sheet in openpyxl.load_workbook(path).worksheets:
        rows = sheet.iter_rows(min_row=1, min_col=1, values_only=True)
        yield (
            sheet.title,
            [tuple("" if cell is None else str(cell) for cell in row) for row in rows],
        )


def read(name: str, folder: Path, *, password: str | None = None) -> DocumentText:
    """Read a document of the corpus."""
    (path,) = make(folder, [name])
    return read_document(
        path, name=name, sheets=sheets, password=password, attachments=folder / "attached"
    )


def differences(name: str, folder: Path) -> list[str]:
    """What of a document differs from its truth, in words."""
    truth = TRUTH[name]
    if "refused" in truth:
        return _refusal_differences(name, truth["refused"], folder)
    password = None
    if truth.get("locked"):
        try:
            read(name, folder)
        except PasswordNeededError:
            password = PASSWORD
        else:
            return ["it opened without its password"]
    found = read(name, folder, password=password)
    facts = found.facts
    expected: dict[str, tuple[Any, Any]] = {
        "format": (found.format, truth["format"]),
        "pages": (found.pages, truth.get("pages")),
        "facts": (
            [facts.code, facts.revision, facts.issued, facts.customer],
            truth.get("facts", ["", "", "", ""]),
        ),
        "attachments": (list(found.attachments), truth.get("attachments", [])),
        "passages": (len(found.passages), len(truth["passages"])),
        "warnings": (list(found.warnings), []),
    }
    wrong = [
        f"{what}: {is_}, not {to_be}" for what, (is_, to_be) in expected.items() if is_ != to_be
    ]
    whole = "\n".join(passage.text for passage in found.passages)
    wrong += [f"'{text}' is in it" for text in truth.get("hidden", []) if text in whole]
    for number, (passage, known) in enumerate(
        zip(found.passages, truth["passages"], strict=False), 1
    ):
        wrong += [f"passage {number}: {each}" for each in _passage_differences(passage, known)]
    return wrong


def _refusal_differences(name: str, said: str, folder: Path) -> list[str]:
    try:
        read(name, folder)
    except UserError as error:
        return [] if said in str(error) else [f"it was refused with: {error}"]
    return ["it was read"]


def _passage_differences(passage: Passage, known: dict[str, Any]) -> Iterator[str]:
    if not passage.text.startswith(known["starts"]):
        yield f"starts with {passage.text[:50]!r}"
    if not passage.text.endswith(known["ends"]):
        yield f"ends with {passage.text[-50:]!r}"
    yield from (
        f"lacks {name}"
        for name in known.get("holds", ())
        if getattr(corpus, name) not in passage.text
    )
    if (passage.certainty is not None) is not known.get("ocr", False):
        yield f"certainty {passage.certainty}"
    if passage.certainty is not None and not 0.8 <= passage.certainty <= 1:
        yield f"certainty {passage.certainty}"
    place = passage.place
    to_be = DocumentPlace(
        page=known.get("page"),
        label=known.get("label", ""),
        slide=known.get("slide"),
        sheet=known.get("sheet", ""),
        cells=known.get("cells", ""),
        part=known.get("part", ""),
        headings=tuple(known.get("headings", ())),
        paragraph=known.get("paragraph"),
        rectangles=place.rectangles,
    )
    if place != to_be:
        yield f"stands at {place}"
    box = known.get("box")
    if not box:
        if place.rectangles:
            yield "has rectangles"
        return
    around = [
        turn(each[side] for each in place.rectangles)
        for side, turn in enumerate((min, min, max, max))
    ]
    if any(abs(one - other) > NEAR for one, other in zip(around, box, strict=True)):
        yield f"its lines fill {around}"
