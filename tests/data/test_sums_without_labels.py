"""Rows that are sums although nothing in them says so, and labels over groups of columns."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import duckdb
import openpyxl
import pytest

from qhub_desktop.core.dataset import SetApart
from qhub_desktop.data.ingest.raw_table import RawTable, Row
from qhub_desktop.data.ingest.totals import Sums
from tests.data.conftest import Imported, Read

Line = list[Any]
SEEDS = range(2)
NAMES = (
    ("Plant", "Material", "Unit", "Quantity", "Amount"),
    ("Fábrica", "Peça", "Unidade", "Quantidade", "Valor"),
    ("Werk", "Material", "Einheit", "Menge", "Betrag"),
)
UNITS = ("PC", "G", "FT")


def records(chance: random.Random, count: int) -> list[Line]:
    """Rows of a list: two texts, a unit and two measures."""
    return [
        [
            f"P{chance.randint(1, 3)}",
            f"M-{chance.randint(1000, 9999)}",
            chance.choice(UNITS),
            chance.randint(20, 400),
            round(chance.uniform(5, 900), 2),
        ]
        for _row in range(count)
    ]


def sums_of(rows: Sequence[Line]) -> Line:
    return ["", "", "", sum(row[3] for row in rows), round(sum(row[4] for row in rows), 2)]


def grand_total(chance: random.Random) -> tuple[list[Line], int]:
    rows = records(chance, chance.randint(8, 40))
    return [*rows, sums_of(rows)], len(rows)


def subtotals(chance: random.Random) -> tuple[list[Line], int]:
    groups = [records(chance, chance.randint(3, 9)) for _group in range(3)]
    lines = [line for group in groups for line in (*group, sums_of(group))]
    whole = [line for group in groups for line in group]
    return [*lines, sums_of(whole)], len(whole)


def total_by_unit(chance: random.Random) -> tuple[list[Line], int]:
    rows = records(chance, 24)
    lines = [["", "", "", sum(r[3] for r in rows if r[2] == each), ""] for each in UNITS]
    lines[0][4] = round(sum(row[4] for row in rows), 2)
    return [*rows, *lines], len(rows)


def written(lines: Sequence[Line], names: Sequence[str], file: Path) -> Path:
    """Write lines as text or as a workbook, by the file's name."""
    if file.suffix == ".csv":
        text = "\n".join(";".join(map(str, line)) for line in [names, *lines])
        file.write_text(text + "\n", "utf-8")
        return file
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for line in [list(names), *lines]:
        sheet.append([None if cell == "" else cell for cell in line])
    book.save(file)
    return file


def set_apart(imported: Imported) -> tuple[SetApart, ...]:
    assert imported.profile.report is not None
    return imported.profile.report.set_apart


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize("make", [grand_total, subtotals, total_by_unit])
@pytest.mark.parametrize("seed", SEEDS)
def test_arithmetic_sets_sums_apart(
    read: Read,
    tmp_path: Path,
    seed: int,
    make: Callable[[random.Random], tuple[list[Line], int]],
    suffix: str,
) -> None:
    lines, count = make(random.Random(seed))

    (imported,) = read(written(lines, NAMES[seed % 3], tmp_path / f"lista{suffix}"))

    assert len(imported.rows) == count
    assert sum(imported.column(imported.names[3])) == sum(
        line[3] for line in lines if line[0] and line[3]
    )
    apart = [each.row for each in set_apart(imported) if each.kind == "total"]
    assert apart == [number for number, line in enumerate(lines, 2) if not line[0]]


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_one_measure_are_set_apart_where_there_are_several(
    read: Read, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    lines: list[Line] = []
    for _group in range(4):
        lengths = [round(chance.uniform(0.1, 3), 3) for _row in range(chance.randint(2, 5))]
        lines += [[f"peça {chance.randint(1, 99)}", "", each, ""] for each in lengths]
        lines.append(["", "comprimento :", round(sum(lengths), 3), "m"])
    if seed % 2:
        whole = sum(line[2] for line in lines if line[0])
        lines.append(["", "comprimento :", round(whole, 3), "m"])

    (imported,) = read(written(lines, ("Peça", "", "L", ""), tmp_path / "corte.csv"))

    assert len(imported.rows) == sum(bool(line[0]) for line in lines)


@pytest.mark.parametrize(
    "words",
    [
        ("Number", "Average", "Maximum", "Minimum", "Range", "Std dev.", "RSD(%)"),
        ("Anzahl", "Mittelwert", "Max.", "Min.", "Spannweite", "Stabw", "RSD (%)"),
        ("Número", "Média", "Máximo", "Mínimo", "Amplitude", "Desvio padrão", "DPR (%)"),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_of_statistics_is_set_apart_whole(
    read: Read, tmp_path: Path, seed: int, words: Sequence[str]
) -> None:
    chance = random.Random(seed)
    columns = [[round(chance.uniform(2, 90), 2) for _row in range(4 + seed)] for _column in "ab"]
    lines: list[Line] = [
        [f"B{number}", "PIG", *cells] for number, cells in enumerate(zip(*columns, strict=True))
    ]
    functions: list[Callable[[Sequence[float]], float]] = [
        len, mean, max, min, lambda x: max(x) - min(x), stdev, lambda x: 100 * stdev(x) / mean(x),
    ]  # fmt: skip
    for word, function in zip(words, functions, strict=True):
        lines.append([word, "", *(round(function(each), 3) for each in columns)])

    (imported,) = read(written(lines, ("amostra", "tipo", "Al2O3", "As"), tmp_path / "lab.csv"))

    assert len(imported.rows) == 4 + seed
    assert mean(imported.column("Al2O3")) == pytest.approx(mean(columns[0]))


@pytest.mark.parametrize("first", ["noite", "CV-12", "totalmente", "sumário", "medianas"])
def test_words_that_begin_as_one_of_statistics_hide_no_total(
    read: Read, tmp_path: Path, first: str
) -> None:
    lines: list[Line] = [
        [first if number % 3 else "outro", f"P{number}", 10 + number] for number in range(12)
    ]
    lines.insert(6, ["Total", "", sum(line[2] for line in lines[:6])])

    (imported,) = read(written(lines, ("turno", "peça", "quantidade"), tmp_path / "dia.csv"))

    assert len(imported.rows) == 12


PIVOTS = (  # of LibreOffice, Excel and SAP: the total of everything, and of a group
    ("Total Result", "{} Result"),
    ("Gesamt Ergebnis", "{} Ergebnis"),
    ("Total Résultat", "{} Résultat"),
    ("Total Resultado", "{} Resultado"),
    ("Totale Risultato", "{} Risultato"),
    ("Gesamtergebnis", "{} Ergebnis"),
    ("Total general", "Total {}"),
    ("Total Geral", "{} Total"),
    ("Общий итог", "{} Итог"),
)


@pytest.mark.parametrize(("whole", "group"), PIVOTS)
def test_totals_of_pivot_tables_are_set_apart(
    read: Read, tmp_path: Path, whole: str, group: str
) -> None:
    chance = random.Random(len(whole))
    lines: list[Line] = []
    kept = 0
    for line in ("L1", "L2", "L3"):
        counts = [chance.randint(20, 400) for _shift in range(chance.randint(2, 5))]
        lines += [[line if not n else "", f"T{n}", each] for n, each in enumerate(counts)]
        lines.append([group.format(line), "", sum(counts)])
        kept += len(counts)
    lines.append([whole, "", sum(row[2] for row in lines if row[1])])

    (imported,) = read(written(lines, ("Linha", "Turno", "Peças"), tmp_path / "dinamica.xlsx"))

    assert len(imported.rows) == kept


@pytest.mark.parametrize("label", ["Somme des résultats", "Wszystkie", "*"])
def test_a_last_row_that_lacks_nothing_and_sums_up_all_is_told_or_apart(
    read: Read, tmp_path: Path, label: str
) -> None:
    chance = random.Random(3)
    cells = [[chance.randint(10, 90), chance.uniform(1, 9)] for _row in range(6)]
    lines: list[Line] = [[f"M{n}", a, round(b, 1)] for n, (a, b) in enumerate(cells)]
    lines.append([label, sum(x[1] for x in lines), round(sum(x[2] for x in lines), 1)])

    (imported,) = read(written(lines, ("Máquina", "Peças", "Horas"), tmp_path / "cruzada.csv"))

    assert len(imported.rows) == 6 or "The last row holds the sums of all" in imported.warned


def test_a_last_row_that_sums_up_some_columns_alone_is_data(read: Read, tmp_path: Path) -> None:
    lines: list[Line] = [["a", 10, 5], ["b", 20, 7], ["c", 70, 9], ["d", 100, 8]]

    (imported,) = read(written(lines, ("Peça", "Boas", "Horas"), tmp_path / "acaso.csv"))

    assert (len(imported.rows), imported.warned) == (4, "")


@pytest.mark.parametrize("word", ["Resultado", "Result"])
def test_a_result_that_only_lacks_a_cell_is_neither_apart_nor_told(
    read: Read, tmp_path: Path, word: str
) -> None:
    lines: list[Line] = [
        [f"A{n}", kind, 7 + n, "" if kind == word else "mm"]
        for n in range(5)
        for kind in ("Nominal", "Máximo X", "Lido", word)
    ]
    (imported,) = read(written(lines, ("amostra", "linha", "valor", "un"), tmp_path / "cert.csv"))

    assert len(imported.rows) == 20
    assert "total" not in imported.warned


@pytest.mark.parametrize("seed", SEEDS)
def test_what_may_be_totals_of_other_rows_is_told(read: Read, tmp_path: Path, seed: int) -> None:
    rows = records(random.Random(seed), 20)
    shown = rows[::2]  # as a filter shows them
    lines = [*rows, sums_of(shown), ["", "", "", "", 0.4]]

    (imported,) = read(written(lines, NAMES[0], tmp_path / "filtro.xlsx"))

    assert len(imported.rows) == 22
    assert "2 rows at the end have numbers and nothing of what names all other" in imported.warned


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_only_lack_something_stay(read: Read, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows = records(chance, 40)
    for row in chance.sample(rows, 6):
        row[0] = ""
    for row in chance.sample(rows, 4):
        row[0] = row[1] = ""

    (imported,) = read(written(rows, NAMES[1], tmp_path / "faltas.csv"))

    assert len(imported.rows) == 40
    assert set_apart(imported) == ()


# Levels of a hierarchy.


def regions(chance: random.Random, sizes: Sequence[int]) -> list[tuple[str, str, list[int]]]:
    """Municipalities by region, with two measures."""
    return [
        (f"Região {n}", f"Concelho {n}-{m}", [chance.randint(900, 9000), chance.randint(10, 800)])
        for n, size in enumerate(sizes)
        for m in range(size)
    ]


def added(places: Sequence[tuple[str, str, list[int]]]) -> list[int]:
    return [sum(each[2][at] for each in places) for at in (0, 1)]


@pytest.mark.parametrize("is_nested", [True, False])
@pytest.mark.parametrize("sizes", [(3, 4), (5, 2, 6), (12,) * 9])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_the_levels_above_the_others_are_told_as_that(
    read: Read, tmp_path: Path, suffix: str, sizes: Sequence[int], is_nested: bool
) -> None:
    places = regions(random.Random(len(sizes)), sizes)
    names = [*dict.fromkeys(each[0] for each in places)]
    upper: dict[str, Line] = {
        each: ["Região", each, *added([one for one in places if one[0] == each])] for each in names
    }
    lines: list[Line] = [["País", "Portugal", *added(places)]]
    if not is_nested:
        lines += upper.values()
    for region in names:
        lines += [upper[region]] * is_nested
        lines += [["Concelho", each[1], *each[2]] for each in places if each[0] == region]

    (imported,) = read(
        written(lines, ("Nível", "Local", "População", "Fogos"), tmp_path / f"censo{suffix}")
    )

    assert len(imported.rows) == len(places)
    assert sum(imported.column("Fogos")) == added(places)[1]
    assert f"{len(names) + 1} rows are of the levels above the others (Portugal, Região 0," in (
        imported.warned
    )


def test_rows_of_equal_sums_by_chance_are_data(read: Read, tmp_path: Path) -> None:
    lines: list[Line] = [
        ["a", 6, 9],
        ["b", 2, 1],
        ["c", 4, 3],
        ["d", 1, 2],
        ["e", 5, 3],
        ["f", 0, 1],
    ]

    (imported,) = read(written(lines, ("Peça", "Lixo", "Falhas"), tmp_path / "acaso.csv"))

    assert len(imported.rows) == 6


# Labels over groups of columns.


def headed(tmp_path: Path, head: Sequence[Line], width: int, *merges: str) -> Path:
    """Write a sheet with these rows above four rows of numbers."""
    chance = random.Random(1)
    body = [
        [f"linha {number}", *(chance.randint(1, 99) for _cell in range(width - 1))]
        for number in range(4)
    ]
    file = written([*head[1:], *body], head[0], tmp_path / "grupos.xlsx")
    if merges:
        book = openpyxl.load_workbook(file)
        for each in merges:
            book.worksheets[0].merge_cells(each)
        book.save(file)
    return file


def names_of(imported: Imported) -> list[str]:
    return imported.names


def test_a_label_ends_with_the_group_above_it_and_at_merged_cells(
    read: Read, tmp_path: Path
) -> None:
    head: list[Line] = [
        ["Peça", "Medidas", "", "", "Local", ""],
        ["", "largura", "altura", "peso", "", ""],
        ["", "mm", "mm", "g", "zona", "prateleira"],
    ]
    (imported,) = read(headed(tmp_path, head, 6, "B1:D1", "E1:F2", "A1:A3"))

    assert not any("peso" in name for name in names_of(imported)[4:])
    assert [name.split()[0] for name in names_of(imported)[4:]] == ["Local", "Local"]


def test_a_label_in_the_middle_of_its_group_is_of_no_column_where_that_is_not_certain(
    read: Read, tmp_path: Path
) -> None:
    head: list[Line] = [
        ["", "", "Manhã", "", "", "", "Noite", ""],
        ["", "Helena", "Ricardo", "Matilde", "Leonardo", "Zacarias", "Beatriz", "Gilberto"],
    ]
    (imported,) = read(headed(tmp_path, head, 8))

    assert names_of(imported)[1:] == [
        "Helena",
        "Ricardo",
        "Matilde",
        "Leonardo",
        "Zacarias",
        "Beatriz",
        "Gilberto",
    ]
    assert "Row 1 has labels over groups of columns (Manhã, Noite)" in imported.warned


def test_a_label_in_the_middle_of_its_group_is_of_the_nearest_columns(
    read: Read, tmp_path: Path
) -> None:
    head: list[Line] = [
        ["", "", "Manhã", "", "", "Noite", ""],
        ["", "Helena", "Ricardo", "Matilde", "Leonardo", "Zacarias", "Beatriz"],
    ]
    (imported,) = read(headed(tmp_path, head, 7))

    assert [name.split()[0] for name in names_of(imported)[1:]] == ["Manhã"] * 3 + ["Noite"] * 3


def test_a_row_that_ends_some_names_is_of_the_header_and_told(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "analise.csv"
    lines = [f"E{n},Calibrado,X{n}O2,{n}.5,%,Calculado,ok" for n in range(1, 7)]
    file.write_text(
        "Analito,Calibração,Composto,Teor,Unidade,Método,Estado\n,estado,fórmula,,,cálculo,\n"
        + "\n".join(lines)
        + "\n",
        "utf-8",
    )
    (imported,) = read(file)

    assert len(imported.rows) == 6
    assert names_of(imported)[1:3] == ["Calibração estado", "Composto fórmula"]
    assert "Rows 1 to 2 were read as the header" in imported.warned


@pytest.mark.parametrize("before", [0, 1, 6, 41, 160, 400])
def test_totals_are_proven_however_many_rows_before_are_none(before: int) -> None:
    """Rows called totals that sum up nothing, then totals of groups, then one of everything."""
    chance = random.Random(before)
    lines: list[tuple[str, float]] = []
    called: list[int] = []
    totals: set[int] = set()

    def add(count: int) -> float:
        drawn = [chance.randint(1_000, 90_000) / 100 for _row in range(count)]
        lines.extend(("data", each) for each in drawn)
        return sum(drawn)

    def call(value: float) -> int:
        called.append(len(lines))
        lines.append(("Total", value))
        return called[-1]

    whole = 0.0
    for _row in range(before):
        whole += add(2)
        call(-0.01)  # no total: those below sum it up
        whole -= 0.01
    if before:
        totals.add(call(whole))
    for _group in range(5):
        group = add(chance.randint(2, 4))
        whole += group
        totals.add(call(group))
    totals.add(call(whole))
    with duckdb.connect(":memory:") as db:
        raw = RawTable(db)
        raw.append([[label, f"{value:.2f}"] for label, value in lines])
        suspects = [Row(place, (lines[place][0], f"{lines[place][1]:.2f}")) for place in called]
        sums = Sums(raw, suspects, {*called}, set(), set())
        assert sums.prove({*called}, set(), single=False) == totals
        assert not sums.doubted
        assert sums.prove({*called} - totals, totals, single=False) == set()
        assert sums.doubted
