"""Sentences of a passage, as they are quoted."""

import pytest

from qhub_desktop.core.citations import sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("O A. Pires guarda. Fim.", ["O A. Pires guarda. ", "Fim."]),
        ("1. Abrir. Ver o pó.\n2. Fechar.", ["1. Abrir. ", "Ver o pó.\n", "2. Fechar."]),
        ("Fale com o Sr. Nunes. Depois saia.", ["Fale com o Sr. Nunes. ", "Depois saia."]),
        ("máx. 2 vezes. Não mais.", ["máx. 2 vezes. ", "Não mais."]),
    ],
)
def test_no_sentence_ends_in_a_name_or_after_the_number_of_an_item(
    text: str, parts: list[str]
) -> None:
    assert sentences(text) == parts
