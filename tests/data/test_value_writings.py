"""Writings of values: what a column's name, or all of its cells, say of how they are to be read."""

import random
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, cast

import pytest
from openpyxl import Workbook

from qhub_desktop.core.dataset import Finding, ImportChoices
from qhub_desktop.core.table import ColumnType
from tests.data.conftest import Imported, Read, read_here


def _findings(found: Imported) -> list[Finding]:
    report = found.profile.report
    assert report is not None
    return [*report.repaired, *report.doubtful]


def _told(found: Imported) -> set[str]:
    return {each.kind for each in _findings(found)}


def _text_of(found: Imported, kind: str) -> str:
    return " ".join(each.text for each in _findings(found) if each.kind == kind)


_MINUTES_FIRST = (
    "Süre (dk:sn)",
    "Tempo mm:ss",
    "Duración [min:seg]",
    "Zeit MM:SS",
    "Time (m:s)",
    "Время (мин:сек)",
    "時間（分:秒）",
    "Czas [min : sek.]",
)
_HOURS_FIRST = ("Zeit (h:min)", "Duração (hh:mm)", "Время ч:мин")


@pytest.mark.parametrize("name", [*_MINUTES_FIRST, *_HOURS_FIRST])
def test_a_name_says_what_the_parts_of_short_lengths_are(
    read: Read, tmp_path: Path, name: str
) -> None:
    chance = random.Random(name)
    lengths = [(chance.randrange(24), chance.randrange(60)) for _ in range(20)]
    if name in _HOURS_FIRST:
        lengths.append((31, 5))  # beyond a day: else they are times of day
    file = tmp_path / "tempos.csv"
    lines = [f"Lote;{name}", *(f"L{n};{a:02}:{b:02}" for n, (a, b) in enumerate(lengths))]
    file.write_text("\r\n".join(lines), encoding="utf-8", newline="")

    (found,) = read(file)

    assert [row[1] for row in found.rows] == pytest.approx([a + b / 60 for a, b in lengths])
    told = "hours" if name in _HOURS_FIRST else "minutes"
    assert told in _text_of(found, "durations")
    assert "short_lengths" not in _told(found)


@pytest.mark.parametrize(
    "name", ["Hora (hh:mm)", "Início", "Abfahrt (Std:Min)", "Mass m:n", "h:min:s", "Turno s:m"]
)
def test_other_names_leave_times_of_day(read: Read, tmp_path: Path, name: str) -> None:
    file = tmp_path / "horas.csv"
    lines = [f"Lote;{name}", *(f"L{n};{n:02}:{n * 2:02}" for n in range(24))]
    file.write_text("\r\n".join(lines), encoding="utf-8", newline="")

    (found,) = read(file)

    assert found.types[1] == "time"
    assert found.rows[3][1] == time(3, 6)


@pytest.mark.parametrize("name", ["Ciclo (mm:ss)", "Hora"])
def test_cells_of_hours_under_a_name_of_minutes_are_doubted(
    read: Read, tmp_path: Path, name: str
) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Lote", name])
    for number in range(12):
        sheet.append([f"L{number}", time(number, 30)])
    book.save(tmp_path / "ciclos.xlsx")

    (found,) = read(tmp_path / "ciclos.xlsx")

    assert found.types[1] == "time"
    assert ("times_or_lengths" in _told(found)) == (name != "Hora")


def _written(tmp_path: Path, name: str, cells: Sequence[str], *, separator: str = ";") -> Path:
    file = tmp_path / "valores.csv"
    lines = [f"Lote{separator}{name}", *(f"L{n}{separator}{cell}" for n, cell in enumerate(cells))]
    file.write_text("\r\n".join(lines), encoding="utf-8", newline="")
    return file


_READ: dict[str, tuple[str, list[str], list[Any], str]] = {
    "sign behind a percentage": (
        "Desv.",
        ["12,3- %", "4,5 %", "0,0 %", "1.250,0- %", "7,5-%", "3 %-"],
        [-0.123, 0.045, 0.0, -12.5, -0.075, -0.03],
        "percent_as_fraction",
    ),
    "percent sign first": (
        "Tork",
        ["%12,6", "%55,8", "%7", "-%3,5", "% 20,1", "%-4,0"],
        [0.126, 0.558, 0.07, -0.035, 0.201, -0.04],
        "percent_as_fraction",
    ),
    "days of a plan": ("Dur.", ["10d", "0d", "-5d", "35d"], [10, 0, -5, 35], "unit_removed"),
    "hours of a plan": ("Work", ["4h", "16h", "2.5h", "80h"], [4, 16, 2.5, 80], "unit_removed"),
    "days in words": (
        "Férias",
        ["10 dias", "1 dia", "18,5 dias", "0 dias"],
        [10, 1, 18.5, 0],
        "unit_removed",
    ),
    "conductance": (
        "Leitfähigkeit",
        ["1 490,2 µS/cm", "916,5 µS/cm", "805,2 µS/cm"],
        [1490.2, 916.5, 805.2],
        "unit_removed",
    ),
    "acidity": ("Valor", ["6,95 pH", "7,17 pH", "7,0 pH"], [6.95, 7.17, 7], "unit_removed"),
    "weather data": (
        "time(UTC)",
        ["20180101:0000", "20180101:0110", "20191231:2300"],
        [datetime(2018, 1, 1), datetime(2018, 1, 1, 1, 10), datetime(2019, 12, 31, 23)],
        "",
    ),
    "two blanks": (
        "Sample date",
        ["18 Oct 2022  9:08:24 AM", "18 Oct 2022 10:08:24 AM", "28 Oct 2022  1:05:00 PM"],
        [
            datetime(2022, 10, 18, 9, 8, 24),
            datetime(2022, 10, 18, 10, 8, 24),
            datetime(2022, 10, 28, 13, 5),
        ],
        "",
    ),
    "two blanks in figures": (
        "Data",
        ["18/10/2022   9:08", "19/10/2022  10:30", "20/10/2022  23:59"],
        [
            datetime(2022, 10, 18, 9, 8),
            datetime(2022, 10, 19, 10, 30),
            datetime(2022, 10, 20, 23, 59),
        ],
        "",
    ),
    "status letters": (
        "Finish",
        ["08-Jan-24 A", "10-Jan-24*", "12-Feb-24", "13-Feb-24 A*"],
        [date(2024, 1, 8), date(2024, 1, 10), date(2024, 2, 12), date(2024, 2, 13)],
        "marks_left_out",
    ),
    "status letters behind a clock": (
        "Start",
        ["08-Jan-24 08:00 A", "10-Jan-24 17:00", "12-Feb-24 16:30 A"],
        [datetime(2024, 1, 8, 8), datetime(2024, 1, 10, 17), datetime(2024, 2, 12, 16, 30)],
        "marks_left_out",
    ),
    "marks of provisional days": (
        "Datum",
        ["18.03.2024*", "19.03.2024", "25.03.2024 *"],
        [date(2024, 3, 18), date(2024, 3, 19), date(2024, 3, 25)],
        "marks_left_out",
    ),
    "Japanese lengths": (
        "標準時間",
        ["15分", "1時間30分", "2時間", "2時間半", "45分"],
        [0.25, 1.5, 2, 2.5, 0.75],
        "durations",
    ),
    "Chinese lengths": (
        "耗时",
        ["15分钟", "45分钟", "30分钟10秒"],
        [15, 45, 30 + 1 / 6],
        "durations",
    ),
    "Korean lengths": ("소요", ["1시간 30분", "2시간", "20분"], [1.5, 2, 1 / 3], "durations"),
    "years of eras": (
        "前回実施日",
        ["R5.10.1", "R6.3.23", "H31.4.30", "S64.1.7"],
        [date(2023, 10, 1), date(2024, 3, 23), date(2019, 4, 30), date(1989, 1, 7)],
        "",
    ),
    "lengths of one part among others": (
        "Tempo",
        ["1h 30m", "45m", "2h", "1h 15m"],
        [1.5, 0.75, 2, 1.25],
        "durations",
    ),
    "lengths in German words": (
        "Dauer",
        ["2 Std 30 min", "3 Stunden 15 Minuten", "1 Tag 2 Stunden"],
        [2.5, 3.25, 26],
        "durations",
    ),
}


@pytest.mark.parametrize("kind", _READ)
def test_values_in_unusual_writings_are_read(read: Read, tmp_path: Path, kind: str) -> None:
    name, cells, values, told = _READ[kind]

    (found,) = read(_written(tmp_path, name, cells * 3))

    expected = [*values] * 3
    if isinstance(values[0], date):
        assert [row[1] for row in found.rows] == expected
    else:
        assert [row[1] for row in found.rows] == pytest.approx(expected)
    assert not told or told in _told(found)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Rev.", ["R1.2.3", "R5.10.1", "R2.4.12", "S1.1.1"]),  # revisions
        ("Ref.", ["A-2024-01-05", "B-2024-02-06", "C-2024-03-07"]),
        ("Lote", ["2024/1234", "2024/1240", "2024/2250"]),
        ("Ecrã", ["3D", "2D", "4D"]),
        ("Sala", ["12 A", "13 B", "14 C", "15 A"]),
        ("Peça", ["10 AB", "12 AB", "15 AB"]),
        ("IP", ["10.0.0.1", "10.0.0.2", "192.168.1.7"]),
        ("Versão", ["1.2.3", "1.10.4", "2.0.1"]),
        ("Ficheiro", ["2024-03-05_dados.csv", "2024-03-06_dados.csv", "2024-03-07_dados.csv"]),
        ("成績", ["A分", "B分", "C分"]),
        ("Tamanho", ["10x20", "12x30", "15x40"]),
        ("Telefone", ["+351 912 345 678", "+351 913 456 789", "+351 914 567 890"]),
        ("Nota", ["ver 3", "ver 4", "ver 5"]),
        ("Lote", ["Lote 01/03/2024", "Lote 02/03/2024", "Lote 03/03/2024"]),
        ("Item", ["10SET86X", "11SET68X", "12SET60X"]),
    ],
)
def test_codes_stay_texts_and_are_not_doubted(
    read: Read, tmp_path: Path, name: str, cells: list[str]
) -> None:
    (found,) = read(_written(tmp_path, name, cells * 3))

    assert found.types[1] in ("text", "category")
    assert [row[1] for row in found.rows] == cells * 3
    assert _told(found) & {"unread_values", "marks_left_out"} == set()


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("点", ["95分", "80分", "72分"]),  # minutes, or points
        ("Data", ["2024-03-05 (qua)", "2024-03-06 (qui)", "2024-03-07 (sex)"]),
        ("Data", ["05/03/2024 A.", "06/03/2024 B.", "07/03/2024 A."]),
        ("Quota", ["12,5 % aprox", "13,5 %~", "~14,1 %", "~15,2 %", "~16,3 %", "~11,1 %"]),
        ("Hora", ["8:05 xyz", "9:10 abc", "10:15 xyz", "11:30 xyz"]),
        ("Massa", ["12,5 abc", "13,5 abc", "14,25 abc", "15,5 abc", "ver nota 7"]),
        ("Início", ["12-Mar-2024 ??", "13-Mar-2024 ??", "14-Mar-2024 ok"]),
    ],
)
def test_shapes_of_values_that_are_not_read_are_said(
    read: Read, tmp_path: Path, name: str, cells: list[str]
) -> None:
    (found,) = read(_written(tmp_path, name, cells * 3))

    assert found.types[1] in ("text", "category")
    assert _told(found) & {"unread_values", "mixed_column"}


def _offers(found: Imported) -> list[tuple[str, str, int]]:
    offers = [each.offer for each in _findings(found)]
    return [(each.column, each.type, each.missing) for each in offers if each is not None]


@pytest.mark.parametrize(
    ("words", "write", "type_"),
    [
        (("I/O Timeout", "Bad Input"), lambda n: f"{n / 4:.2f}", "number"),
        (("ver obs.", "partiu"), str, "number"),
        (("Resultados", "Máximo"), lambda n: f"{n % 24:02}:{n:02}", "time"),
        (("amanhã", "férias"), lambda n: f"{n % 28 + 1:02}/03/2024", "date"),
    ],
)
def test_a_column_that_a_few_words_keep_text_is_offered_as_its_type(
    read: Read, tmp_path: Path, words: tuple[str, str], write: Callable[[int], str], type_: str
) -> None:
    cells = [words[n % 2] if n % 8 == 3 else write(n) for n in range(40)]
    file = _written(tmp_path, "Valor", cells)

    (found,) = read(file)

    assert found.types[1] in ("text", "category")
    missing = sum(cell in words for cell in cells)
    assert _offers(found) == [("Valor", type_, missing)]

    choices = ImportChoices(types=(("Valor", cast("ColumnType", type_)),))
    (taken,) = read_here(file, tmp_path / "again", choices=choices)
    assert (taken.types[1], taken.profile.columns[1].missing) == (type_, missing)
    assert _offers(taken) == []


def test_codes_and_words_are_not_offered_as_a_type(read: Read, tmp_path: Path) -> None:
    cells = [f"A{n}" if n % 2 else str(n * 1000) for n in range(40)]

    (found,) = read(_written(tmp_path, "Ref", cells))

    assert found.types[1] == "text"
    assert _offers(found) == []


@pytest.mark.parametrize(
    ("currency", "others"),
    [("TL", "plain"), ("€", "plain"), ("kr", "plain"), ("EUR", "cells"), ("£", "cells")],
)
def test_amounts_of_one_currency_among_plain_numbers_are_numbers(
    read: Read, tmp_path: Path, currency: str, others: str
) -> None:
    chance = random.Random(currency)
    amounts = [round(chance.uniform(1_000, 90_000), 2) for _ in range(40)]
    are_marked = [chance.random() < 0.4 for _ in amounts]
    texts = [
        f"{amount:,.2f}".translate(str.maketrans(",.", ".,")) + f" {currency}" * is_marked
        for amount, is_marked in zip(amounts, are_marked, strict=True)
    ]
    if others == "plain":
        file = _written(tmp_path, "Custo", texts)
    else:
        book = Workbook()
        sheet = book.active
        assert sheet is not None
        sheet.append(["Lote", "Custo"])
        for text, amount, is_marked in zip(texts, amounts, are_marked, strict=True):
            sheet.append(["L", text if is_marked else amount])
        file = tmp_path / "custos.xlsx"
        book.save(file)

    (found,) = read(file)

    assert [row[1] for row in found.rows] == pytest.approx(amounts)
    assert "currency_removed" in _told(found)


def test_amounts_of_two_currencies_among_plain_numbers_stay_text(
    read: Read, tmp_path: Path
) -> None:
    cells = ["1.200,50", "980,10 EUR", "750,00 USD", "1.100,75", "640,20 EUR", "99,90"] * 4

    (found,) = read(_written(tmp_path, "Custo", cells))

    assert found.types[1] in ("text", "category")
    assert "mixed_column" in _told(found)


@pytest.mark.parametrize("name", ["Cod", "Código", "Code article", "Codice"])
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_codes_with_a_point_keep_their_zeros(
    read: Read, tmp_path: Path, name: str, kind: str
) -> None:
    chance = random.Random(name)
    codes = [f"{chance.randrange(1000, 9999)}.{n:02}" for n in range(30)]
    if kind == "csv":
        file = _written(tmp_path, name, codes)
    else:
        book = Workbook()
        sheet = book.active
        assert sheet is not None
        for row in (["Lote", name], *(["L", code] for code in codes)):
            sheet.append(row)
        file = tmp_path / "codigos.xlsx"
        book.save(file)

    (found,) = read(file)

    assert [row[1] for row in found.rows] == codes
    assert "kept_as_text" in _told(found)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("Encoder", [f"{1000 + n * 7}.{n % 100:02}" for n in range(30)]),
        ("Cod", [f"{n}.50" for n in range(30)]),
        ("Cod", [*["1200.50"] * 3, *(f"{1000 + n}.10" for n in range(28))]),
        ("Preço", [f"{1000 + n * 7}.{n % 100:02}" for n in range(30)]),
    ],
)
def test_numbers_with_a_point_are_numbers(
    read: Read, tmp_path: Path, name: str, texts: list[str]
) -> None:
    (found,) = read(_written(tmp_path, name, texts))

    assert [row[1] for row in found.rows] == pytest.approx([float(each) for each in texts])


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        ([f"{n + 1:02}/04/24  07:{n:02}  CD{n}77KN" for n in range(20)], True),
        ([f"{n + 12}.500     {n + 17}.440" for n in range(20)], True),
        ([f"Rottame  ferroso {n}" for n in range(20)], False),  # a slip of the keyboard
        ([f"Peça {n}  " for n in range(20)], False),
        ([f"{n}  A" if n < 5 else f"Nota {n}" for n in range(20)], False),
    ],
)
def test_columns_of_a_print_that_were_read_as_one_are_doubted(
    read: Read, tmp_path: Path, cells: list[str], is_told: bool
) -> None:
    (found,) = read(_written(tmp_path, "Pesagem", cells))

    assert ("glued_columns" in _told(found)) == is_told
