"""Words without case and accents, names of files, and numbers."""

import pytest

from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import (
    decimals_of,
    file_name,
    fold,
    fold_in_place,
    fold_name,
    is_device_name,
    number,
    percent,
    value_words,
)


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


@pytest.mark.parametrize(
    "title", ["CON", "con.2026", "Com1", "COM¹", "lpt³", "CONIN$", "conout$", "nul .x", "Aux"]
)
def test_a_title_that_windows_keeps_for_a_device_becomes_a_file(title: str) -> None:
    assert is_device_name(title)
    assert not is_device_name(file_name(title, ".xlsx"))


@pytest.mark.parametrize("title", ["Conta", "com10", "consola.txt", "lpt", "CONIN"])
def test_a_title_that_only_begins_like_a_device_stays(title: str) -> None:
    assert not is_device_name(title)
    assert file_name(title, ".xlsx") == f"{title}.xlsx"


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (-0.00001, None, "0"),
        (-0.0, None, "0"),
        (-0.4, 0, "0"),
        (-0.00005, 2, "0.00"),
        (-0.6, 0, "-1"),
    ],
)
def test_zero_has_no_sign_however_it_came_about(
    value: float, digits: int | None, written: str
) -> None:
    assert number(value, digits=digits, language="en") == written


def test_a_share_that_is_nearly_zero_has_no_sign() -> None:
    assert percent(-0.0001, language="en") == "0%"
    assert percent(-0.001, language="en") == "-0.1%"


@pytest.mark.parametrize("value", [1e20, -1e28, 1.5e300, 10**25])
def test_a_number_too_long_to_be_read_is_written_with_its_power(value: float) -> None:
    assert "E" in number(value, language="pt")
    assert "E" in percent(value, language="pt")
    assert number(9e19, digits=0, language="en").startswith("90,000,000")


def test_a_day_or_a_moment_of_json_is_written_as_people_write_it() -> None:
    assert value_words("2026-02-28") == "28/02/2026"
    assert value_words("2026-02-28T14:02") == "28/02/2026 14:02"
    assert value_words("2026-02-31") == "2026-02-31"
    assert value_words("R-2026-02-28") == "R-2026-02-28"


def decimals(*values: float) -> int:
    return decimals_of(Table((Column("x", "number"),), tuple((each,) for each in values)), 0)


def test_what_was_worked_out_has_five_figures_and_what_was_read_has_all() -> None:
    assert decimals(83.192307, 7.5) == 3
    assert decimals(12345.678901) == 2
    assert decimals(0.123456) == 4
    assert decimals(25.0013, 25.1) == 4
    assert decimals(2047.63, 12.5) == 2
