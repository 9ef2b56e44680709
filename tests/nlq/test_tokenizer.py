"""Words of a question: split, stemmed, their slips and their meaning in two languages."""

from datetime import date

import pytest

from qhub_desktop.nlq.date_units import Calendar
from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.tokenizer import one_edit_away, stem, tokenize, without_unit

CALENDAR = Calendar(today=date(2026, 3, 4), last=date(2026, 2, 28))


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("defeito", "defeitos"),
        ("operador", "operadores"),
        ("posicao", "posicoes"),
        ("material", "materiais"),
        ("linha", "linhas"),
        ("shift", "shifts"),
        ("category", "categories"),
        ("class", "classes"),
        ("core", "cores"),
        ("rack", "racks"),
        ("serie", "series"),
        ("imagem", "imagens"),
    ],
)
def test_singular_and_plural_have_one_stem(one: str, many: str) -> None:
    assert stem(one) == stem(many)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tipo_defeito", ["tipo", "defeito"]),
        ("TipoDefeito", ["tipo", "defeito"]),
        ("Defect Type", ["defect", "type"]),
        ("what's up", ["whats", "up"]),
        ("é a Júlia?", ["é", "a", "julia"]),
        ("R12, R13", ["r12", "r13"]),
        ("acima de 4,5", ["acima", "de", "4,5"]),
        ("x >= 3", ["x", ">=", "3"]),
        ("", []),
    ],
)
def test_words_are_split_and_made_plain(text: str, words: list[str]) -> None:
    assert [word.normalized for word in tokenize(text)] == words


def test_words_in_quotes_are_known_to_be_quoted() -> None:
    assert [word.text for word in tokenize("a rack «azul» e 'verde'") if word.is_quoted] == [
        "azul",
        "verde",
    ]


def test_units_are_no_part_of_a_name() -> None:
    assert without_unit("Thickness (µm)").strip() == "Thickness"
    assert without_unit("(µm)") == "(µm)"


def test_a_slip_is_one_letter_away() -> None:
    known = {"defeito", "turno"}

    assert one_edit_away("defieto", known) == "defeito"
    assert one_edit_away("defito", known) == "defeito"
    assert one_edit_away("turmo", known) == "turno"
    assert one_edit_away("manhas", known) is None
    assert one_edit_away("sala", {"bala", "mala", "salas"}) == "salas"  # the same first letter
    assert one_edit_away("sala", {"mala", "bala"}) == "bala"


def test_a_capital_or_a_digit_makes_a_name() -> None:
    assert [word.is_name for word in tokenize("a Julia e o rack r12")] == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("name", "lemmas"),
    [
        ("tipo_defeito", ("type", "defect")),
        ("Defect Type", ("defect", "type")),
        ("Turno", ("shift",)),
        ("casca_laranja", ("orange_peel",)),
        ("casca de laranja", ("orange_peel",)),
        ("orange peel", ("orange_peel",)),
        ("PP_Negro", ("pp", "black")),
    ],
)
def test_names_in_two_languages_have_one_meaning(name: str, lemmas: tuple[str, ...]) -> None:
    assert current_lexicon().lemmas(name) == lemmas
