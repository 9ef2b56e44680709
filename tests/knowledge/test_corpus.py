"""Documents of every format are read as they are: a short form, without those that need OCR.

The whole corpus with OCR, and 2,000 mutated files, are read by tests/bench/fuzz_documents.py.
"""

import random
from pathlib import Path

import pytest

from qhub_desktop.core.documents import DocumentText
from qhub_desktop.core.errors import UserError
from qhub_desktop.knowledge.passages import LEAST, MOST
from qhub_desktop.knowledge.reading import read_document
from tests.bench.mutating import mutated
from tests.knowledge.corpus import FILES, TRUTH, content_of, rendered
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes
from tests.knowledge.reading import differences, read, sheets

PLAIN = [
    name
    for name in FILES
    if not any(passage.get("ocr") for passage in TRUTH[name].get("passages", ()))
]
MUTATED = 60
LINES = (
    "Limpar a zona com álcool isopropílico.",
    "Esperar dez minutos à sombra.",
    "Medir o brilho.",
)


def test_every_document_has_its_truth() -> None:
    assert list(TRUTH) == list(FILES)
    assert len(FILES) >= 40


@pytest.mark.parametrize("name", PLAIN)
def test_a_document_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    assert differences(name, tmp_path) == []


def test_passages_are_no_longer_than_they_may_be_and_no_shorter_than_they_must(
    tmp_path: Path,
) -> None:
    names = [name for name in PLAIN if "passages" in TRUTH[name] and not TRUTH[name].get("locked")]

    found: list[DocumentText] = [read(name, tmp_path / str(at)) for at, name in enumerate(names)]

    assert max(len(passage.text) for each in found for passage in each.passages) <= MOST
    for each in found:
        # A shorter one has no neighbour under its own heading, on its own page.
        for one, other in zip(each.passages, each.passages[1:], strict=False):
            is_together = (one.place.headings, one.place.page, one.place.slide, one.place.part) == (
                other.place.headings,
                other.place.page,
                other.place.slide,
                other.place.part,
            )
            assert not (is_together and len(one.text) < LEAST and len(other.text) < LEAST)


def test_a_scan_that_lies_upside_down_is_read_in_order_and_its_lines_are_where_they_are(
    tmp_path: Path,
) -> None:
    page = PdfPage((300, 90))
    for number, line in enumerate(LINES):
        page.text(20, 65 - 22 * number, line, size=11)
    (picture,) = rendered(pdf_bytes([page]), turn=2)
    file = tmp_path / "a.png"
    picture.save(file)

    found = read_document(file, name="a.png")

    (passage,) = found.passages
    assert " ".join(passage.text.split()) == " ".join(LINES)
    assert passage.certainty is not None
    assert passage.certainty > 0.8
    tops = [rectangle[1] for rectangle in passage.place.rectangles]
    assert tops == sorted(tops, reverse=True)
    assert passage.place.page is None


def test_a_scan_that_is_not_to_be_read_says_so(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(content_of("digitalizada.pdf"))

    found = read_document(file, name="a.pdf", ocr="never")

    assert found.passages == ()
    assert found.warnings == ("Scanned pages were not read, as asked: 1 of 1.",)


def test_mutated_files_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    names = [name for name in PLAIN if len(content_of(name)) < 100_000 and content_of(name)]
    for number in range(MUTATED):
        chance = random.Random(number)
        name, other = chance.choice(names), chance.choice(names)
        file = tmp_path / f"{number}{Path(name).suffix}"
        file.write_bytes(mutated(chance, content_of(name), content_of(other)) or b" ")
        said, found = "", None
        try:
            found = read_document(file, name=file.name, ocr="never", sheets=sheets)
        except UserError as error:
            said = str(error)
        assert said.endswith(".") if found is None else all(each.text for each in found.passages)
