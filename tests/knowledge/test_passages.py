"""Passages: how blocks are joined and parted, and what their places say."""

from qhub_desktop.core.documents import DocumentPlace, Rectangle
from qhub_desktop.knowledge.passages import (
    MOST,
    Block,
    column_letters,
    column_number,
    corners,
    joined_range,
    passages,
)

SENTENCE = "A peça só pode ser polida duas vezes na mesma zona da superfície. "


def test_a_long_paragraph_is_parted_where_sentences_end_and_each_part_has_its_lines() -> None:
    text = SENTENCE * 20
    lines: list[tuple[int, Rectangle]] = [
        (at * len(SENTENCE), (0.1, at / 20, 0.9, at / 20 + 0.04)) for at in range(20)
    ]

    found = list(passages([Block(text, DocumentPlace(page=2), lines=tuple(lines))]))

    assert "".join(each.text + " " for each in found) == text
    assert all(each.text.endswith("superfície.") and len(each.text) <= MOST for each in found)
    assert [len(each.place.rectangles) for each in found] == [
        each.text.count("A peça") for each in found
    ]
    assert sum(len(each.place.rectangles) for each in found) == 20


def test_no_passage_goes_across_a_heading_or_a_page() -> None:
    blocks = [
        Block("4 Método", DocumentPlace(page=1), level=1),
        Block("Limpar.", DocumentPlace(page=1)),
        Block("Secar.", DocumentPlace(page=2)),
        Block("4.1 Polir", DocumentPlace(page=2), level=2),
        Block("Polir.", DocumentPlace(page=2)),
        Block("5 Fim", DocumentPlace(page=2), level=1),
    ]

    found = [(each.text, each.place.page, each.place.headings) for each in passages(blocks)]

    assert found == [
        ("4 Método\nLimpar.", 1, ("4 Método",)),
        ("Secar.", 2, ("4 Método",)),
        ("4.1 Polir\nPolir.", 2, ("4 Método", "4.1 Polir")),
        ("5 Fim", 2, ("5 Fim",)),
    ]


def test_a_heading_at_the_foot_of_a_page_goes_before_what_it_heads() -> None:
    blocks = [
        Block("5 Registos", DocumentPlace(page=1), level=1),
        Block("Na ficha.", DocumentPlace(page=2)),
    ]

    assert [(each.text, each.place.headings) for each in passages(blocks)] == [
        ("Na ficha.", ("5 Registos",))
    ]


def test_every_passage_of_a_table_carries_its_header_row() -> None:
    rows = [
        Block(
            f"SC-{row} | {'x' * 60}",
            DocumentPlace(sheet="P", cells=f"B{row}:C{row}"),
            0,
            "Código | Valor",
        )
        for row in range(5, 35)
    ]

    found = list(passages(rows))

    assert len(found) > 2
    assert all(each.text.startswith("Código | Valor\nSC-") for each in found)
    assert found[0].place.cells.startswith("B5:C")
    assert found[-1].place.cells.endswith(":C34")


def test_a_word_that_never_ends_is_parted_all_the_same() -> None:
    found = list(passages([Block("x" * 5_000)]))

    assert "".join(each.text for each in found) == "x" * 5_000
    assert max(len(each.text) for each in found) <= MOST


def test_ranges_of_cells_are_joined() -> None:
    assert joined_range("B3:D3", "A9") == "A3:D9"
    assert joined_range("Z1", "AA2:AB2") == "Z1:AB2"
    assert joined_range("", "") == ""


def test_a_range_of_cells_is_read_back_by_its_corners() -> None:
    assert corners("B3:AA12") == (2, 1, 11, 26)
    assert corners("C7") == (6, 2, 6, 2)
    assert corners("Plano") is None
    assert [column_number(column_letters(number)) for number in range(800)] == [*range(800)]
