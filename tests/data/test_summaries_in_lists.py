"""Sums with their unit or behind a star, statistics under groups, remarks, and thin tables."""

import random
from pathlib import Path
from statistics import mean, stdev

import pytest

from tests.data.conftest import Imported, Read

SEEDS = range(2)


def read_lines(read: Read, folder: Path, lines: list[str], name: str = "lista.csv") -> Imported:
    """Lines of text, read as one table."""
    file = folder / name
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (imported,) = read(file)
    return imported


def comma(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("unit", ["zł", "kg", "€", "kg/h", "EUR"])
def test_sums_with_their_unit_are_set_apart(
    read: Read, tmp_path: Path, unit: str, seed: int
) -> None:
    chance = random.Random(f"{unit} {seed}")
    lines, values = ["Fornecedor;Artigo;Stock"], []
    for supplier in ("Berner", "Nordlack"):
        group = [round(chance.uniform(20, 900), 2) for _row in range(chance.randint(4, 9))]
        lines += [f"{supplier};A-{chance.randint(100, 999)};{comma(each)} {unit}" for each in group]
        lines.append(f"Subtotal {supplier};;{comma(sum(group))} {unit}")
        values += group
    lines.append(f"Total;;{comma(sum(values))} {unit}")

    imported = read_lines(read, tmp_path, lines)

    assert imported.profile.rows == len(values)
    assert sum(imported.column("Stock")) == pytest.approx(sum(values))


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_behind_a_star_with_their_value_are_set_apart(
    read: Read, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    lines, values = ["Material;Plant;Doc;Quantity"], []
    for material in ("400012", "400018"):
        group = [chance.randint(1, 900) for _row in range(5)]
        lines += [f"{material};1200;49{chance.randint(10**5, 10**6 - 1)};{each}-" for each in group]
        lines.append(f"* {material};;;{sum(group)}-")
        values += group
    lines.append(f"**;;;{sum(values)}-")

    imported = read_lines(read, tmp_path, lines)

    assert imported.profile.rows == len(values)
    assert sum(imported.column("Quantity")) == -sum(values)


@pytest.mark.parametrize("words", [("Mean", "Std. Dev."), ("Mittelwert", "Std.abw.")])
def test_statistics_under_each_group_are_set_apart(
    read: Read, tmp_path: Path, words: tuple[str, str]
) -> None:
    """The deviations are of numbers with more digits than the list has."""
    chance = random.Random(7)
    lines, values = ["Sample;Time;Zone;Gloss;Haze"], []
    for part in range(6):
        whole = [(chance.uniform(80, 95), chance.uniform(4, 9)) for _zone in range(3)]
        shown = [(round(a, 1), round(b, 1)) for a, b in whole]
        lines += [f"P{part};13:0{n};Z{n};{a};{b}" for n, (a, b) in enumerate(shown)]
        means = (mean(column) for column in zip(*shown, strict=True))
        spreads = (stdev(column) for column in zip(*whole, strict=True))
        lines.append(f"{words[0]};;;" + ";".join(f"{each:.2f}" for each in means))
        lines.append(f"{words[1]};;;" + ";".join(f"{each:.2f}" for each in spreads))
        values += shown

    imported = read_lines(read, tmp_path, lines)

    assert imported.profile.rows == len(values)
    assert sum(imported.column("Gloss")) == pytest.approx(sum(a for a, _b in values))


@pytest.mark.parametrize("word", ["Μέσος όρος", "Ortalama", "평균", "Średnia", "Moyenne"])
def test_a_mean_at_the_end_is_set_apart_in_many_languages(
    read: Read, tmp_path: Path, word: str
) -> None:
    values = [21.5 + n % 7 / 10 for n in range(9)]
    lines = ["Day;Shift;Value", *(f"{n + 1}/3/2031;A;{each:.1f}" for n, each in enumerate(values))]

    imported = read_lines(read, tmp_path, [*lines, f"{word};;{mean(values):.1f}"])

    assert imported.profile.rows == 9
    assert sum(imported.column("Value")) == pytest.approx(sum(values))


def test_a_mean_of_other_rows_is_told(read: Read, tmp_path: Path) -> None:
    rows = [f"P{n};13:0{n};{80 + n}.5" for n in range(8)]
    lines = ["Sample;Time;Gloss", *rows[:4], "Mean;;12.5", *rows[4:]]

    imported = read_lines(read, tmp_path, lines)

    assert imported.profile.report is not None
    assert imported.profile.rows == 9
    assert "totals_kept" in [each.kind for each in imported.profile.report.doubtful]


def test_remarks_between_aligned_lines_part_no_columns(read: Read, tmp_path: Path) -> None:
    lines = ["# Station BC2", "Date        Rob  Bell rpm   HV kV"]
    for day in range(1, 25):
        volts = " -.-" if day % 9 == 0 else f"{57 + day / 10:.1f}"
        lines.append(f"2026-03-{day:02}  R{day % 4}      {41900 + day}    {volts}")
        if day % 8 == 0:
            lines.append("# colour change -> C1X Alpine White, nozzle 2")

    imported = read_lines(read, tmp_path, lines, "robos.dat")

    assert imported.names == ["Date", "Rob", "Bell rpm", "HV kV"]
    assert imported.profile.rows == 24
    assert [imported.column("HV kV")[n] for n in (0, 8, 17)] == [57.1, None, None]


def test_a_list_of_few_values_under_many_names_is_a_table(read: Read, tmp_path: Path) -> None:
    above = [f"\tA{n}\t{n}\tDefault\t{4 + n / 10:.2f}\tmg/ml\t280" for n in range(12)]
    below = [f"{n}\tInterp\t\t\t\t\t\t" for n in range(9)]
    names = ["Plate\tWell\tSample\tUser\tconc.\tunits\tCursor", *above, ""]
    file = tmp_path / "proteinas.txt"
    curve = "Sample\tCurve\tRef c\tRef A\tStd 1\tAbs 1\tStd 2\tAbs 2"
    file.write_text("\n".join([*names, curve, *below]) + "\n", encoding="utf-8")

    tables = {each.profile.rows: each for each in read(file)}

    assert sorted(tables) == [9, 12]
    assert tables[12].names[:5] == ["Plate", "Well", "Sample", "User", "conc."]
    assert sum(tables[12].column("conc.")) == pytest.approx(54.6)


def test_facts_in_chinese_above_the_names_are_no_labels(read: Read, tmp_path: Path) -> None:
    lines = ["入库明细", "编制单位:涂装车间;;单位:元", "序号;名称;金额"]
    lines += [f"{n};底漆;{n * 10}" for n in range(1, 8)]

    imported = read_lines(read, tmp_path, lines)

    assert imported.names == ["序号", "名称", "金额"]
    assert sum(imported.column("金额")) == 280


def test_what_changes_every_sum_is_told_first(read: Read, tmp_path: Path) -> None:
    rows = [f"P{n};{'x' if n == 3 else n};{80 + n}.5" for n in range(8)]
    lines = ["Sample;Lot;Gloss", *rows[:4], "Mean;;12.5", *rows[4:]]

    imported = read_lines(read, tmp_path, lines)

    assert imported.profile.report is not None
    kinds = [each.kind for each in imported.profile.report.doubtful]
    assert kinds == ["totals_kept", "mixed_column"]


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_that_keep_the_key_of_their_group_are_set_apart(
    read: Read, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    lines, whole = ["Center;Account;Name;Date;Document;Value;Currency"], []
    for account, name in ((620100, "Paint"), (620300, "Solvents"), (641000, "Maintenance")):
        group = [chance.randint(-30_000, 90_000) / 100 for _row in range(chance.randint(4, 9))]
        lines += [
            f"{chance.choice((4711, 4712))};{account};{name};2031-03-0{n + 1};{9000 + n};{each};EUR"
            for n, each in enumerate(group)
        ]
        lines.append(f";{account};{name};;;{sum(group):.2f};EUR")
        whole += group
    lines.append(f";;;;;{sum(whole):.2f};EUR")

    imported = read_lines(read, tmp_path, lines)

    assert imported.profile.rows == len(whole)
    assert sum(imported.column("Value")) == pytest.approx(sum(whole))
