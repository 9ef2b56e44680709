"""Words that passages are found by, and codes."""

import pytest

from qhub_desktop.knowledge.words import asked_codes, codes, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quantas vezes posso polir a mesma peça?", ("vezes", "polir", "peca")),
        ("Does the coating adhere?", ("coati", "adher")),
        ("pré-tratamento, 2K, 120000 ciclos, 5 %", ("pre", "trata", "2k", "120000", "ciclo")),
        ("o que é que a de", ()),
        ("", ()),
    ],
)
def test_terms_of_a_text(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("text", ["aderência", "aderem", "ADERENTE", "adere"])
def test_words_of_one_family_are_one_term(text: str) -> None:
    assert terms(text) == ("adere",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("IT-PIN-041 rev. 6", "IT-PIN-041"),
        ("ver it_pin-041.", "IT-PIN-041"),
        ("IT\N{NON-BREAKING HYPHEN}PIN\N{NON-BREAKING HYPHEN}041", "IT-PIN-041"),
        ("IT-PIN 041", "IT-PIN-041"),
        ("alarme E-3042, e depois", "E-3042"),
        ("alarme e3042", "E-3042"),
        ("segundo TL 226", "TL-226"),
        ("segundo TL226", "TL-226"),
        ("GS 97034-2", "GS-97034-2"),
        ("cor RAL 9005", "RAL-9005"),
        ("SC-11B", "SC-11-B"),
        ("D17.5013", "D-17-5013"),
        ("5H0-853-651", "5-H-0-853-651"),
        ("ordem 4500123456", "4500123456"),
    ],
)
def test_a_code_is_one_however_it_is_written(text: str, found: str) -> None:
    assert codes(text) == (found,)
    assert found in asked_codes(text)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-11-30", "30.11.2026", "10:30", "20mm", "12h30", "25 m2", "de 30 COM 20", "FASE 2"),
        *("rev.6", "pág.3", "1,5 bar", "rev. 6", "60-80 °C"),
    ],
)
def test_dates_measures_and_numbers_of_sections_are_no_codes(text: str) -> None:
    assert codes(text) == ()


def test_a_question_has_codes_in_small_letters_too() -> None:
    assert asked_codes("o que diz a tl 226 e a iso 2409?") == ("TL-226", "ISO-2409")
    assert codes("o que diz a tl 226 e a iso 2409?") == ()
    assert asked_codes("temperatura de 200 graus no dia 12, com 100 peças") == ()


def test_two_codes_on_both_sides_of_a_slash_are_two() -> None:
    assert codes("SC-11/SC-12 e SC-11") == ("SC-11", "SC-12")
