"""Limits above or under the names of a table: read in any layout, and filled into studies."""

from pathlib import Path

import pytest

from qhub_desktop.core.codec import Json
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.study_columns import fitting_study, study_input
from tests.data.conftest import read_here

NAMES = "Peça;Subgrupo;Cota (mm)"
READINGS = [f"{at};{(at - 1) // 5 + 1};{(1000 + at * 37 % 11 - 5) / 100}" for at in range(1, 41)]
ROWS = "\n".join(READINGS).replace(".", ",")
BOTH: dict[str, Json] = {"lie": 9.9, "lse": 10.1}
LAYOUTS = {
    "alone": ("Nominal;10,00\nLSL;9,90\nUSL;10,10", BOTH | {"alvo": 10.0}),
    "over a blank row": ("LSL;9,90\nUSL;10,10\nNominal;10,00\n", BOTH | {"alvo": 10.0}),
    "with units": ("Nominal;10,00;mm\nLIE;9,90;mm\nLSE;10,10;mm", BOTH | {"alvo": 10.0}),
    "with a colon": ("LIE:;9,90 mm\nLSE:;10,10 mm", BOTH),
    "over its column": ("LIE;;9,90\nLSE;;10,10", BOTH),
    "side by side": ("LSL;9,90;USL;10,10", BOTH),
    "in words": ("Limite inferior;9,90\nLimite superior;10,10\nAlvo;10,00", BOTH | {"alvo": 10.0}),
    "under a title": ("Medições da linha 2\nLSL;9,90\nUSL;10,10", BOTH),
    "with one missing": ("Nominal;\nLIE;9,90\nLSE;10,10", BOTH),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_limits_above_the_names_are_offered_to_studies(tmp_path: Path, layout: str) -> None:
    above, limits = LAYOUTS[layout]
    file = tmp_path / "cotas.csv"
    file.write_text(f"{above}\n{NAMES}\n{ROWS}\n", encoding="utf-8")

    (found,) = read_here(file, tmp_path / "kept")

    report, index = found.profile.report, schema_index_of(found.profile)
    assert [each.name for each in found.profile.columns] == NAMES.split(";")
    assert len(found.rows) == len(READINGS)
    assert report is not None
    assert not report.doubtful
    assert fitting_study(index) == "capacidade"
    assert study_input("capacidade", index) == {
        "coluna": "Cota (mm)",
        "subgrupo": "Subgrupo",
        **limits,
    }


def test_limits_in_english_with_points(tmp_path: Path) -> None:
    file = tmp_path / "sizes.csv"
    above = "Target,10.00\nLower spec limit,9.90\nUpper spec limit,10.10"
    rows = "\n".join(READINGS).replace(";", ",")
    file.write_text(f"{above}\nPart,Subgroup,Diameter\n{rows}\n", encoding="utf-8")

    (found,) = read_here(file, tmp_path / "kept")

    given = study_input("capacidade", schema_index_of(found.profile))
    assert given["coluna"] == "Diameter"
    assert {name: given[name] for name in ("lie", "lse", "alvo")} == BOTH | {"alvo": 10.0}


def test_limits_of_several_columns_go_to_each(tmp_path: Path) -> None:
    file = tmp_path / "cotas.csv"
    rows = "\n".join(f"{each};{number % 7}" for number, each in enumerate(ROWS.splitlines()))
    file.write_text(f"LSL;;9,90;0\nUSL;;10,10;6\n{NAMES};Folga\n{rows}\n", encoding="utf-8")

    (found,) = read_here(file, tmp_path / "kept")

    report = found.profile.report
    assert report is not None
    assert report.facts == (
        ("LSL Cota (mm)", "9,90"),
        ("LSL Folga", "0"),
        ("USL Cota (mm)", "10,10"),
        ("USL Folga", "6"),
    )
    given = study_input("capacidade", schema_index_of(found.profile))
    assert (given["lie"], given["lse"]) == (9.9, 10.1)


UNDER = {
    "alone": ("Nominal;;10,00\nLSL;;9,90\nUSL;;10,10", BOTH | {"alvo": 10.0}),
    "with units": ("Unidade;;mm\nLIE;;9,90\nLSE;;10,10", BOTH),
    "in words": ("Alvo;;10\nLimite inferior;;9,9\nLimite superior;;10,1", BOTH | {"alvo": 10.0}),
}


@pytest.mark.parametrize("layout", UNDER)
@pytest.mark.parametrize("is_at_end", [False, True], ids=["under", "at the end"])
def test_limits_under_the_names_are_offered_too(
    tmp_path: Path, layout: str, is_at_end: bool
) -> None:
    under, limits = UNDER[layout]
    file = tmp_path / "cotas.csv"
    body = [ROWS, under] if is_at_end else [under, ROWS]
    file.write_text("\n".join([NAMES, *body, ""]), encoding="utf-8")

    (found,) = read_here(file, tmp_path / "kept")

    index = schema_index_of(found.profile)
    assert len(found.rows) == len(READINGS)
    assert fitting_study(index) == "capacidade"
    given = study_input("capacidade", index)
    assert {name: given[name] for name in ("lie", "lse", "alvo") if name in given} == limits


@pytest.mark.parametrize(
    "above",
    [
        "Min;9,90\nMax;10,10",  # summaries have such labels, too
        "LSL;9,90",  # one alone is a row like others
    ],
)
def test_what_may_be_data_is_no_limit(tmp_path: Path, above: str) -> None:
    file = tmp_path / "cotas.csv"
    file.write_text(f"{above}\nPeça;Cota\np1;9,95\np2;10,01\np3;10,02\n", encoding="utf-8")

    (found,) = read_here(file, tmp_path / "kept")

    assert found.profile.report is not None
    assert not found.profile.report.facts
