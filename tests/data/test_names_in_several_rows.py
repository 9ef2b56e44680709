"""Names of columns in several rows, as survey tools and data banks write them."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.data.conftest import Imported, Read
from tests.data.writers import grids

Line = Sequence[Any]


def written(lines: Sequence[Line], file: Path, *merges: str) -> Path:
    """Write lines as text or as a workbook, by the file's name."""
    if file.suffix == ".csv":
        file.write_text(grids.csv_text([tuple(line) for line in lines]), "utf-8")
        return file
    book = openpyxl.Workbook()
    for line in lines:
        book.worksheets[0].append([None if cell == "" else cell for cell in line])
    for each in merges:
        book.worksheets[0].merge_cells(each)
    book.save(file)
    return file


def told(imported: Imported) -> set[str]:
    assert imported.profile.report is not None
    return {each.kind for each in imported.profile.report.doubtful}


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("has_words", [True, False])
def test_the_ids_of_a_survey_tool_end_its_names(
    read: Read, tmp_path: Path, count: int, suffix: str, has_words: bool
) -> None:
    names = ["StartDate", "Progress", "ResponseId", "Q1", "Q2_1", "Q2_TEXT"]
    words = ["Start Date", "Progress", "Response ID", "Como avalia a pintura?", "Cor - hoje", "x"]
    ids = [f'{{"ImportId":"{name}","timeZone":"Europe/Lisbon"}}' for name in names]
    rows = [
        [f"2026-03-0{n + 1} 10:00:00", 100, f"R_{n}abc", "Boa", n, "sim, é"] for n in range(count)
    ]

    (imported,) = read(written([names, *[words] * has_words, ids, *rows], tmp_path / f"q{suffix}"))

    assert len(imported.rows) == count
    assert [name.split()[0] for name in imported.names] == names
    assert not any("ImportId" in name for name in imported.names)
    if count > 1:
        assert imported.types[1] == "integer"


ANSWERS = (
    ("Response", "Open-Ended Response"),
    ("Resposta", "Resposta aberta"),
    ("Antwort", "Offene Beantwortung"),
)


@pytest.mark.parametrize(("one", "open_"), ANSWERS)
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize("choices", [2, 5])
def test_questions_stand_over_the_answers_of_their_columns(
    read: Read, tmp_path: Path, choices: int, suffix: str, one: str, open_: str
) -> None:
    chance = random.Random(choices)
    colours = ["Preto", "Branco", "Cinza", "Azul", "Verde"][:choices]
    questions = [
        "RespondentID", "Gosta da cor?", "Que cores já viu?", *[""] * (choices - 1),
        "Ordene as linhas", "", "Porquê?",
    ]  # fmt: skip
    answers = ["", one, *colours, "Linha 1", "Linha 2", open_]
    rows = [
        [
            3292870000 + n,
            chance.choice(["Sim", "Não"]),
            *(chance.choice([colour, ""]) for colour in colours),
            chance.randint(1, 2),
            chance.randint(1, 2),
            f"porque {n}",
        ]
        for n in range(30)
    ]

    (imported,) = read(written([questions, answers, *rows], tmp_path / f"respostas{suffix}"))

    assert len(imported.rows) == 30
    assert imported.names == [
        "RespondentID", "Gosta da cor?", *(f"Que cores já viu? {colour}" for colour in colours),
        "Ordene as linhas Linha 1", "Ordene as linhas Linha 2", "Porquê?",
    ]  # fmt: skip


def test_a_row_that_only_says_that_answers_follow_is_no_data(read: Read, tmp_path: Path) -> None:
    lines = [
        ["Qual é o turno?", "", "Houve paragem?", "Gostou?"],
        ["Response", "Outro", "Response", "Response"],
        *([("Manhã", "Noite")[n % 2], "", ("Sim", "Não")[n % 3 > 0], "Sim"] for n in range(12)),
    ]

    (imported,) = read(written(lines, tmp_path / "inquerito.csv"))

    assert len(imported.rows) == 12
    assert imported.names[0] == "Qual é o turno?"
    assert "header_rows" in told(imported)


KEYS = (
    ("MATNR", "MAKTX", "WERKS", "MENGE", "MEINS"),
    ("mat_nr", "mat_text", "plant_1", "qty_2", "unit_3"),
    ("Sourcekey", "X_1", "X_2", "X_3", "X_4"),
)


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize("numbers", [1, 3])
def test_a_programs_keys_stand_over_the_names(
    read: Read, tmp_path: Path, numbers: int, suffix: str, keys: Sequence[str]
) -> None:
    chance = random.Random(numbers)
    names = ["Material", "Texto breve", "Centro", "Quantidade de peças no período", "Unidade"]
    rows = [
        [
            100200 + n if numbers > 1 else f"M-{n}",
            f"peça {n % 7}",
            chance.randint(1, 4) if numbers > 1 else chance.choice(["Ovar", "Maia"]),
            chance.randint(10, 500),
            "PÇ",
        ]
        for n in range(20)
    ]

    (imported,) = read(written([keys, names, *rows], tmp_path / f"lista{suffix}"))

    assert len(imported.rows) == 20
    assert imported.types[3] == "integer"
    assert all(name in of for name, of in zip(names, imported.names, strict=True))
    assert "header_rows" in told(imported)


@pytest.mark.parametrize("wide", [2, 3])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_what_stands_over_keys_is_a_title(
    read: Read, tmp_path: Path, suffix: str, wide: int
) -> None:
    keys = ["Sourcekey", "RWTC_1", "RBRTE_2"][:wide]
    names = ["Date", "Preço à vista de um barril de petróleo no terminal de Sines", "Outro"][:wide]
    rows = [[f"2026-{n + 1:02}-15", 60 + n / 4, "" if n < 9 else n][:wide] for n in range(12)]
    lines: list[Line] = [["Voltar ao índice", "Dados 1: petróleo"], keys, names, *rows]

    (imported,) = read(written(lines, tmp_path / f"precos{suffix}"))

    assert len(imported.rows) == 12
    assert imported.types[:2] == ["date", "number"]
    assert [name.split()[0] for name in imported.names] == keys


def test_names_go_on_below_blank_rows(read: Read, tmp_path: Path) -> None:
    lines: list[Line] = [
        ["Zona", "Contributo", "Mudanças acumuladas", ""],
        [],
        [],
        ["", "", "desde o trimestre", "desde a base (%)"],
        ["", "(%)", "", ""],
        *([f"Z{n}", f"b{n}", f"c{n}", f"d{n}"] for n in range(4)),
    ]

    (imported,) = read(written(lines, tmp_path / "zonas.xlsx", "C1:D1", "C4:C5", "D4:D5"))

    assert len(imported.rows) == 4
    assert imported.names == [
        "Zona",
        "Contributo (%)",
        "Mudanças acumuladas desde o trimestre",
        "Mudanças acumuladas desde a base (%)",
    ]
    assert "header_rows" in told(imported)


@pytest.mark.parametrize(
    "first", [["", "b0", "c0", "d0"], ["Z0", "b0", "", ""], ["Z0", "b0", "c0", "d0"]]
)
def test_data_below_a_blank_row_is_no_part_of_the_names(
    read: Read, tmp_path: Path, first: Line
) -> None:
    """A row that lacks the first cell is told; one that has it is data."""
    lines: list[Line] = [
        ["Zona", "Contributo", "Mudanças", "Base"],
        [],
        first,
        *([f"Z{n}", f"b{n}", f"c{n}", f"d{n}"] for n in range(1, 5)),
    ]

    (imported,) = read(written(lines, tmp_path / "zonas.xlsx"))

    assert len(imported.rows) == 5 or (not first[0] and "header_rows" in told(imported))


@pytest.mark.parametrize("people", [("Ana", "Rui", "Eva", "Ivo"), ("ANA", "RUI", "EVA", "IVO")])
def test_people_under_their_shifts_are_no_units(
    read: Read, tmp_path: Path, people: Sequence[str]
) -> None:
    lines: list[Line] = [
        ["", "Manhã", "", "Noite", ""],
        ["Dia", *people],
        *([f"dia {n}", n + 11, n + 25, n + 37, n + 49] for n in range(6)),
    ]

    (imported,) = read(written(lines, tmp_path / "turnos.xlsx"))

    shifts = ("Manhã", "Manhã", "Noite", "Noite")
    assert imported.names[1:] == [f"{a} {b}" for a, b in zip(shifts, people, strict=True)]


def test_units_under_names_stay_units(read: Read, tmp_path: Path) -> None:
    lines: list[Line] = [
        ["Lote", "Peso", "Tempo", "Pressão"],
        ["", "kg", "min", "Bar"],
        *([f"L{n}", n + 0.5, n + 11, n + 2] for n in range(6)),
    ]

    (imported,) = read(written(lines, tmp_path / "lotes.xlsx"))

    assert imported.names == ["Lote", "Peso (kg)", "Tempo (min)", "Pressão (Bar)"]


@pytest.mark.parametrize("is_merged", [True, False])
@pytest.mark.parametrize("products", [1, 3])
def test_a_first_name_that_comes_again_or_is_merged_down_is_of_one_header(
    read: Read, tmp_path: Path, products: int, is_merged: bool
) -> None:
    chance = random.Random(products)
    width = 1 + 2 * products
    names = ["Soja", "Milho", "Trigo"][:products] * 2
    blank = [""] * (products - 1)
    again = "" if is_merged else "Município"
    lines: list[Line] = [
        ["Tabela 16 - Área plantada"],
        ["Município", "Ano x Produto", *[""] * (width - 2)],
        [again, "2020", *blank, "2021", *blank],
        [again, *names],
        *([f"Vila {n}", *(chance.randint(10, 900) for _cell in names)] for n in range(9)),
        ["Fonte: Instituto"],
    ]
    if is_merged:
        file = written(lines, tmp_path / "tabela.xlsx", "A2:A4")
    else:
        file = written(lines, tmp_path / "tabela.csv")

    (imported,) = read(file)

    assert len(imported.rows) == 9
    assert set(imported.types[1:]) == {"integer"}
    assert imported.names[0] == "Município"
    years = ["2020"] * products + ["2021"] * products
    for year, product, name in zip(years, names, imported.names[1:], strict=True):
        assert name.endswith(f"{year} {product}")


@pytest.mark.parametrize("lead", [[], ["Fonte: Instituto", "Tabela 16"]])
def test_a_header_of_several_rows_that_comes_again_is_no_data(
    read: Read, tmp_path: Path, lead: Sequence[str]
) -> None:
    lines: list[Line] = []
    for variable in ("Área plantada (ha)", "Produção (t)", "Valor (%)"):
        lines += [[each] for each in (*lead, f"Variável - {variable}")]
        lines += [["Cód.", "Vila", "Ano", ""], ["Cód.", "Vila", "2020", "2021"]]
        lines += [["Cód.", "Vila", "Soja", "Soja"]]
        lines += [[35001 + n, f"Vila {n}", n + 10, n + 20] for n in range(6)]

    tables = read(written(lines, tmp_path / "blocos.csv"))

    assert sum(len(each.rows) for each in tables) == 18
    assert all(each.types[2:4] == ["integer", "integer"] for each in tables)
    is_in_column = any("Variável - Produção (t)" in row for row in tables[0].rows)
    assert len(tables) == 3 or is_in_column or "titles_differ" in told(tables[0])


@pytest.mark.parametrize("sign", ["-", "–"])
def test_a_dash_under_a_name_is_no_unit(read: Read, tmp_path: Path, sign: str) -> None:
    lines: list[Line] = [
        ("Sample", "Day", "Place", "pH", "Conductivity", "COD", "Iron"),
        ("", "", "", sign, "µS/cm", "mg/l O2", "µg/l"),
    ]
    lines += [
        (f"V-{at}", f"{at + 1}.4.2024", f"P{at % 3}", 7.1 + at / 100, 712 + at, 9 + at, 31 + at)
        for at in range(20)
    ]

    (imported,) = read(written(lines, tmp_path / "lab.xlsx", "A1:A2", "B1:B2", "C1:C2"))

    assert imported.names[3:] == ["pH", "Conductivity µS/cm", "COD mg/l O2", "Iron µg/l"]
    assert imported.types[3:] == ["number", "integer", "integer", "integer"]
