"""Quoted words on a page: where they stand, or that they do not."""

from pathlib import Path

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.knowledge.quotations import (
    PlacedWord,
    joined,
    likely_lines,
    likely_occurrences,
    located,
    occurrences,
    share_in,
)
from qhub_desktop.knowledge.readers.pdf import PdfWords
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes

WHOLE: tuple[Rectangle, ...] = ((0.0, 0.0, 1.0, 1.0),)


def line(top: float, words: str, left: float = 0.1) -> list[PlacedWord]:
    """Words beside each other, each a twentieth of the page wide."""
    return [
        PlacedWord(word, (left + 0.05 * place, top, left + 0.05 * (place + 1), top + 0.02))
        for place, word in enumerate(words.split())
    ]


PAGE = [
    *line(0.10, "Polir no máximo duas vezes a mesma"),
    *line(0.13, "peça, e registar a terceira como re-"),
    *line(0.16, "trabalho no posto P2."),
    *line(0.50, "Polir no máximo duas vezes por turno."),
]


def test_the_lines_of_a_quotation_are_found_where_its_passage_stands() -> None:
    places = located("polir no máximo duas vezes a mesma peça", PAGE, [(0.1, 0.1, 0.9, 0.18)])

    assert [round(place[1], 2) for place in places] == [0.10, 0.13]


def test_the_same_words_elsewhere_on_the_page_are_not_marked() -> None:
    places = located("Polir no máximo duas vezes", PAGE, [(0.1, 0.5, 0.9, 0.52)])

    assert {round(place[1], 2) for place in places} == {0.50}


def test_a_word_that_is_parted_at_a_lines_end_is_found_whole() -> None:
    places = located("registar a terceira como retrabalho", PAGE, WHOLE)

    assert [round(place[1], 2) for place in places] == [0.13, 0.16]


def test_nothing_is_marked_where_less_than_half_of_the_words_are_found() -> None:
    assert located("a estufa seca as peças em quarenta minutos", PAGE, WHOLE) == ()
    assert located("Polir no máximo duas vezes", PAGE, [(0.1, 0.7, 0.9, 0.9)]) == ()
    assert located("", PAGE, WHOLE) == ()


def test_what_is_looked_for_is_found_without_its_accents_and_over_lines() -> None:
    found = occurrences("MAXIMO duas", PAGE)

    assert [round(places[0][1], 2) for places in found] == [0.10, 0.50]
    assert len(occurrences("mesma peça", PAGE)[0]) == 2
    assert occurrences("  ", PAGE) == []


def test_neighbours_on_a_line_are_one_mark() -> None:
    assert len(joined(word.place for word in line(0.1, "a b c"))) == 1
    far = [PlacedWord("a", (0.1, 0.1, 0.15, 0.12)), PlacedWord("b", (0.6, 0.1, 0.65, 0.12))]
    assert len(joined(word.place for word in far)) == 2


SCANNED = [f"linha {number} do texto com palavras suas" for number in range(8)]
SCANNED_LINES = [
    (0.1, 0.1 * n, 0.1 + 0.01 * len(text), 0.1 * n + 0.02) for n, text in enumerate(SCANNED)
]


def test_of_a_scan_the_lines_are_taken_where_the_words_may_stand() -> None:
    lines, whole = SCANNED_LINES, " ".join(SCANNED)

    assert lines[4] in (found := likely_lines(SCANNED[4], whole, lines))
    assert set(found) <= {*lines[3:6]}
    assert likely_lines("do texto com palavras", whole, lines[:1]) == (lines[0],)
    assert likely_lines(whole, whole, lines) == tuple(lines)
    assert lines[0] in likely_lines(SCANNED[0], whole, lines)


def test_words_within_a_line_of_a_scan_have_that_line_alone() -> None:
    texts = ["curta", "uma linha bem mais comprida com a palavra rebarba no meio dela", "o fim"]
    lines = [(0.1, 0.1 * n, 0.1 + 0.01 * len(text), 0.1 * n + 0.02) for n, text in enumerate(texts)]
    # Its letters are twice as high, so that fewer stand in it.
    lines[0] = (0.1, 0.0, 0.1 + 0.02 * len(texts[0]), 0.04)

    assert likely_lines("a palavra rebarba", "\n".join(texts), lines) == (lines[1],)
    assert likely_occurrences("REBARBA", "\n".join(texts), lines) == [(lines[1],)]


def test_of_a_scan_nothing_is_taken_where_less_than_half_of_the_words_stand() -> None:
    whole = " ".join(SCANNED)

    assert likely_lines("linha 3 do verniz seco na estufa", whole, SCANNED_LINES) == ()
    assert likely_lines("palavras suas e mais nada aqui dito", whole, SCANNED_LINES) == ()
    assert likely_lines("linha 3 do texto na estufa", whole, SCANNED_LINES) != ()
    assert likely_lines("nada disto", "", SCANNED_LINES) == ()
    assert likely_lines("linha 3", whole, ()) == ()


def test_each_place_of_what_is_looked_for_in_a_scan_is_found() -> None:
    found = likely_occurrences("Palavras SUÁS", " ".join(SCANNED), SCANNED_LINES)

    assert len(found) == len(SCANNED)
    assert all(line in places for line, places in zip(SCANNED_LINES, found, strict=True))
    assert likely_occurrences("ausente", " ".join(SCANNED), SCANNED_LINES) == []
    assert likely_occurrences(" - ", " ".join(SCANNED), SCANNED_LINES) == []


def test_a_share_counts_words_in_their_order() -> None:
    assert share_in("duas vezes", "no máximo duas vezes") == 1
    assert share_in("duas vezes por turno", "duas vezes") == 0.5
    assert share_in("", "duas") == 0


def test_words_of_a_pdf_stand_where_they_are_shown(tmp_path: Path) -> None:
    page = PdfPage(turn=90)
    page.text(100, 700, "virada")
    upright = PdfPage()
    upright.text(59.5, 842 - 84.2, "direita", size=10)
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_bytes([page, upright]))
    words = PdfWords(file)

    (turned,) = words.on_page(1)
    (plain,) = words.on_page(2)
    nothing = words.on_page(3)
    words.close()

    assert (turned.text, plain.text, nothing) == ("virada", "direita", [])
    assert turned.place[0] > 0.7  # a page turned clockwise has its top at the right
    assert abs(plain.place[0] - 0.1) < 0.01
    assert abs(plain.place[3] - 0.1) < 0.02
