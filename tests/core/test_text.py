"""Words without case and accents."""

import pytest

from qhub_desktop.core.text import fold, fold_in_place, fold_name


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Medição", "medicao"), ("2ª ﬁla", "2a fila"), ("A\N{NO-BREAK SPACE}™", "a tm"), ("ß", "ß")],
)
def test_words_are_compared_without_case_accents_and_ligatures(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_name_is_the_same_with_a_space_and_with_an_underscore() -> None:
    assert fold_name(" Tipo de Peça ") == fold_name("tipo_de_peca")


@pytest.mark.parametrize(
    "text", ["Medição nº 2", "İstanbul ﬁla", "A\N{NO-BREAK SPACE}b", "e\u0301", "𝔸ß"]
)
def test_what_is_folded_in_place_keeps_every_place(text: str) -> None:
    folded = fold_in_place(text)

    assert len(folded) == len(text)
    assert folded == fold_in_place(folded)


def test_signs_that_are_no_accents_stay_where_places_are_kept() -> None:
    assert fold_in_place("Nº\N{NARROW NO-BREAK SPACE}DE PEÇAS") == "nº de pecas"
