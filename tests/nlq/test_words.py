"""How words are compared, and days found."""

from datetime import date

import pytest

from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.temporal import Calendar, find_days
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


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("quantos em 12/02/2026?", date(2026, 2, 12), date(2026, 2, 12)),
        ("2026-02-12", date(2026, 2, 12), date(2026, 2, 12)),
        ("em 12/2", date(2026, 2, 12), date(2026, 2, 12)),
        ("12.2.2026", date(2026, 2, 12), date(2026, 2, 12)),
        ("no dia 12", date(2026, 2, 12), date(2026, 2, 12)),
        ("12 de fevereiro", date(2026, 2, 12), date(2026, 2, 12)),
        ("February 12th, 2025", date(2025, 2, 12), date(2025, 2, 12)),
        ("em dezembro", date(2025, 12, 1), date(2025, 12, 31)),
        ("em Fevereiro", date(2026, 2, 1), date(2026, 2, 28)),
        ("in May 2025", date(2025, 5, 1), date(2025, 5, 31)),
        ("in 2025", date(2025, 1, 1), date(2025, 12, 31)),
        ("hoje", date(2026, 3, 4), date(2026, 3, 4)),
        ("yesterday", date(2026, 3, 3), date(2026, 3, 3)),
        ("esta semana", date(2026, 3, 2), date(2026, 3, 8)),
        ("last week", date(2026, 2, 23), date(2026, 3, 1)),
        ("este mês", date(2026, 3, 1), date(2026, 3, 31)),
        ("no mês passado", date(2026, 2, 1), date(2026, 2, 28)),
        ("nos últimos 7 dias", date(2026, 2, 26), date(2026, 3, 4)),
        ("the last 2 weeks", date(2026, 2, 19), date(2026, 3, 4)),
        ("entre 2026-02-01 e 2026-02-05", date(2026, 2, 1), date(2026, 2, 5)),
        ("from 5/2 to 1/2", date(2026, 2, 1), date(2026, 2, 5)),
        ("de 1 a 10 de fevereiro", date(2026, 2, 1), date(2026, 2, 10)),
        ("desde 15/02", date(2026, 2, 15), None),
        ("até fevereiro", None, date(2026, 2, 28)),
        ("after 2026-02-10", date(2026, 2, 11), None),
        ("antes de 10/02", None, date(2026, 2, 9)),
    ],
)
def test_days_are_found(text: str, first: date | None, last: date | None) -> None:
    rest, span = find_days(text, CALENDAR)

    assert span == (first, last)
    assert len(rest) == len(text)


@pytest.mark.parametrize(
    "text", ["30/02/2026", "entre 3 e 6", "top 5", "R12", "may I ask", "de manhã", "por dia"]
)
def test_what_is_no_day_is_left_alone(text: str) -> None:
    assert find_days(text, CALENDAR) == (text, None)
