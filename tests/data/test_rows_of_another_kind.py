"""Rows that are no records: sums beside rates, lengths of time, statistics and results at edges."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import openpyxl
import pytest

from qhub_desktop.core.dataset import ImportChoices
from tests.data.conftest import Imported, Read, read_here

SEEDS = range(2)
Line = Sequence[Any]


def text_file(lines: Sequence[Line], file: Path) -> Path:
    file.write_text("\n".join(";".join(map(str, line)) for line in lines) + "\n", "utf-8")
    return file


def workbook(lines: Sequence[Line], file: Path) -> Path:
    book = openpyxl.Workbook()
    for number, line in enumerate(lines, 1):
        for column, cell in enumerate(line, 1):
            if cell != "":
                book.worksheets[0].cell(number, column, cell)
    book.save(file)
    return file


def apart(imported: Imported, kind: str) -> list[int]:
    assert imported.profile.report is not None
    return [each.row for each in imported.profile.report.set_apart if each.kind == kind]


def doubts(imported: Imported) -> list[str]:
    assert imported.profile.report is not None
    return [each.kind for each in imported.profile.report.doubtful]


def deliveries(chance: random.Random, count: int) -> list[list[Any]]:
    """Suppliers with what they delivered, what was on time, its share, and their defects."""
    rows: list[list[Any]] = []
    for number in range(count):
        sent = chance.randint(40, 300)
        on_time = chance.randint(20, sent)
        share = round(on_time / sent, 4)
        rows.append([f"Supplier {number}", sent, on_time, share, chance.randint(5, 900)])
    return rows


@pytest.mark.parametrize("label", ["All suppliers", "Palmela", "Todos os fornecedores"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_last_row_of_sums_and_rates_is_set_apart_whatever_its_name(
    read: Read, tmp_path: Path, seed: int, label: str
) -> None:
    rows = deliveries(random.Random(seed), 12 + seed * 9)
    sent, on_time = (sum(row[at] for row in rows) for at in (1, 2))
    names = ["Supplier", "Deliveries", "On time", "OTD %", "PPM"]
    beside: list[Line] = [
        ["Month", "Plant", "Claims"],
        *[[f"M{n}", f"P{n % 3}", n + 4] for n in range(6)],
    ]
    left = [names, *rows, [label, sent, on_time, round(on_time / sent, 4), ""]]
    lines = [
        [*line, "", "", *(beside[number] if number < len(beside) else [])]
        for number, line in enumerate(left)
    ]

    imported = read(workbook(lines, tmp_path / "score.xlsx"))[0]

    assert sum(imported.column("Deliveries")) == sent
    assert apart(imported, "total") == [len(rows) + 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_last_row_that_sums_up_one_column_alone_stays(
    read: Read, tmp_path: Path, seed: int
) -> None:
    rows = deliveries(random.Random(seed), 12)
    sent, on_time = (sum(row[at] for row in rows) for at in (1, 2))
    last = ["Supplier 99", sent, on_time + 1, round(on_time / sent, 4), ""]
    names = ["Supplier", "Deliveries", "On time", "OTD %", "PPM"]

    (imported,) = read(text_file([names, *rows, last], tmp_path / "score.csv"))

    assert len(imported.rows) == len(rows) + 1


def length(minutes: int) -> str:
    sign = "-" if minutes < 0 else ""
    return f"{sign}{abs(minutes) // 60}:{abs(minutes) % 60:02}"


def days(chance: random.Random) -> tuple[list[Line], int]:
    """Days of one person, with the hours worked and what is over, and their sums in minutes."""
    rows: list[Line] = []
    worked = 0
    for day in range(1, 21):
        if day in (1, 8):
            rows.append(["Mo", f"{day}.5.2024", "", "", "", "", "off"])
            continue
        minutes = chance.randint(460, 540)
        worked += minutes
        times = [length(350 + day), length(380 + day + minutes)]
        rows.append(["Tu", f"{day}.5.2024", *times, length(minutes), length(minutes - 480), ""])
    return rows, worked


@pytest.mark.parametrize(
    ("number", "total"), [("Osobní číslo", "Celkem"), ("N.º", "Total"), ("Personalnr.", "Summe")]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_person_has_a_table_and_the_sums_of_lengths_are_set_apart(
    read: Read, tmp_path: Path, seed: int, number: str, total: str
) -> None:
    chance = random.Random(f"{seed} {number}")
    names = ["Day", "Date", "In", "Out", "Worked", "Over", "Note"]
    people = ["Jiří Novák", "Eva Lopes", "Tomáš Weiß"]
    lines: list[Line] = [["May 2024"], []]
    for place, person in enumerate(people):
        rows, worked = days(chance)
        over = worked - 480 * 18
        lines += [[f"{number}: 00{place}41", "", person], names, *rows]
        lines += [[total, "", "", "", length(worked), length(over)], []]

    found = read(workbook(lines, tmp_path / "days.xlsx"))

    assert [len(each.rows) for each in found] == [20] * len(people)
    assert all(each.names == names for each in found)
    assert all(len(apart(each, "total")) == 1 for each in found)
    titles = [each.profile.report.set_apart for each in found if each.profile.report]
    for person, rows_apart in zip(people, titles, strict=True):
        assert any(person in each.text for each in rows_apart if each.kind == "title")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_label_without_the_sum_of_lengths_is_asked_about(
    read: Read, tmp_path: Path, seed: int
) -> None:
    rows, worked = days(random.Random(seed))
    lines = [
        ["Day", "Date", "In", "Out", "Worked", "Over", "Note"],
        *rows,
        ["Total", "", "", "", length(worked + 7), length(-5), ""],
    ]

    (imported,) = read(text_file(lines, tmp_path / "days.csv"))

    assert len(imported.rows) == len(rows) + 1
    assert "totals_kept" in doubts(imported)


@pytest.mark.parametrize(
    "form",
    ["Average {}", "{} Average", "Média de {}", "Mittelwert {}", "Średnia: {}", "平均 {}"],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_with_the_value_that_they_are_of_are_set_apart(
    read: Read, tmp_path: Path, seed: int, form: str
) -> None:
    chance = random.Random(seed)
    lines: list[Line] = [["Run", "Time", "Place", "Small", "Large", "State"]]
    count, run = 0, 0
    for place in ("LOC01", "LOC02", "LOC03"):
        group = [[chance.randint(900, 9000), chance.randint(10, 90)] for _row in range(6)]
        for cells in group:
            run += 1
            lines.append([run, f"2024-09-24 0{place[-1]}:{run:02}:00", place, *cells, "OK"])
        means = [round(mean(column), 1) for column in zip(*group, strict=True)]
        lines.append(["", "", form.format(place), *means, ""])
        lines.append(["", "", f"95% UCL {place}", *(round(each * 1.07, 1) for each in means), ""])
        count += len(group)

    (imported,) = read(text_file(lines, tmp_path / "particles.csv"))

    assert len(imported.rows) == count
    assert {*imported.column("Place")} == {"LOC01", "LOC02", "LOC03"}


def test_a_value_that_begins_with_such_a_word_is_one(read: Read, tmp_path: Path) -> None:
    chance = random.Random(3)
    values = ["Palmela", "Number Palmela", "Range Palmela"]
    lines = [["Id", "Name", "Pieces"]]
    lines += [[str(n), values[n % 3], str(chance.randint(2, 900))] for n in range(30)]

    (imported,) = read(text_file(lines, tmp_path / "names.csv"))

    assert len(imported.rows) == 30


def readings(chance: random.Random, count: int) -> list[list[Any]]:
    return [
        [
            n + 1,
            f"2024-06-{1 + n // 24:02} {n % 24:02}:00",
            *(round(chance.uniform(5, 60), 1) for _c in "abc"),
        ]
        for n in range(count)
    ]


@pytest.mark.parametrize(
    "words", [("Min.", "Maks.", "Średnia"), ("Kleinste", "Größte", "Mittel"), ("min", "máx", "x")]
)
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_under_the_names_are_set_apart(
    read: Read, tmp_path: Path, seed: int, suffix: str, words: Sequence[str]
) -> None:
    rows = readings(random.Random(seed), 60 + 300 * seed)
    columns = [[row[at] for row in rows] for at in (2, 3, 4)]
    of_columns: list[Callable[[list[float]], float]] = [min, max, mean]
    top = [
        ["", word, *(round(of(column), 1) for column in columns)]
        for word, of in zip(words, of_columns, strict=True)
    ]
    write = text_file if suffix == ".csv" else workbook
    lines: list[Line] = [["No", "Moment", "T [°C]", "H [%]", "D [°C]"], *top, *rows]

    (imported,) = read(write(lines, tmp_path / f"logger{suffix}"))

    assert len(imported.rows) == len(rows)
    assert imported.types[1] == "datetime"
    assert sum(imported.column("H [%]")) == pytest.approx(sum(columns[1]))


@pytest.mark.parametrize("title", ["Resultados", "Results", "Ergebnis"])
@pytest.mark.parametrize("seed", SEEDS)
def test_results_below_the_points_of_a_logger_are_set_apart(
    read: Read, tmp_path: Path, seed: int, title: str
) -> None:
    chance = random.Random(seed)
    rows: list[Line] = [
        [f"00:{n // 12:02}:{n % 12 * 5:02}", *(round(chance.uniform(20, 190), 1) for _c in "abcd")]
        for n in range(120 * (seed + 1))
    ]
    peaks = [max(row[at] for row in rows) for at in range(1, 5)]
    lines: list[Line] = [
        ["Time", "Roof", "Door", "Sill", "Air"],
        *rows,
        [],
        [title],
        ["Peak", *peaks],
        ["Time > 170 °C (min)", *(round(chance.uniform(1, 20), 1) for _c in peaks)],
    ]

    (imported,) = read(text_file(lines, tmp_path / "profile.csv"))

    assert len(imported.rows) == len(rows)
    assert imported.types[0] == "time"


@pytest.mark.parametrize("seed", SEEDS)
def test_results_that_nothing_proves_are_kept_and_asked_about(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows = readings(chance, 40)
    lines: list[Line] = [
        ["No", "Moment", "T", "H", "D"],
        *rows,
        [],
        ["Soak", "", 3.5, 3.7, 3.6],
        ["Ramp", "", 0.1, 0.2, 0.3],
    ]
    file = text_file(lines, tmp_path / "logger.csv")

    (kept,) = read_here(file, tmp_path / "kept")
    (without,) = read_here(file, tmp_path / "without", choices=ImportChoices(totals="apart"))

    assert len(kept.rows) == len(rows) + 2
    assert "totals_kept" in doubts(kept)
    assert len(without.rows) == len(rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_readings_with_a_word_in_place_of_one_are_rows(
    read: Read, tmp_path: Path, seed: int
) -> None:
    rows = readings(random.Random(seed), 40)
    rows[-1][3] = "broken"

    (imported,) = read(text_file([["No", "Moment", "T", "H", "D"], *rows], tmp_path / "log.csv"))

    assert len(imported.rows) == len(rows)
    assert "totals_kept" not in doubts(imported)


@pytest.mark.parametrize(
    "words",
    [
        ("Latest three months", "Year to date", "% change"),
        ("Últimos três meses", "Ano até à data", "Variação (%)"),
        ("Letzte drei Monate", "Seit Jahresbeginn", "Änderung %"),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_summary_periods_under_a_series_of_months_are_set_apart(
    read: Read, tmp_path: Path, seed: int, words: Sequence[str]
) -> None:
    chance = random.Random(seed)
    months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    rows: list[Line] = [
        [
            2020 + n // 12 if n % 12 == 0 else "",
            months[n % 12],
            *(chance.randint(900, 4000) for _c in "abc"),
        ]
        for n in range(12 * 4 + 6)
    ]
    lines: list[Line] = [["Year", "Month", "All", "North", "South"], *rows]
    for word, last in zip(words, (3, 6), strict=False):
        sums = [sum(row[at] for row in rows[-last:]) for at in (2, 3, 4)]
        lines += [[], [word, "", *sums], [words[2], "", 5, -2, 3]]

    (imported,) = read(workbook(lines, tmp_path / "travel.xlsx"))

    assert len(imported.rows) == len(rows)
    assert sum(imported.column("All")) == sum(row[2] for row in rows)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("Anfangssaldo", "Endsaldo"),
        ("#Saldo początkowe", "#Saldo końcowe"),
        ("Opening balance", "Closing balance"),
        ("Saldo inicial", "Saldo final"),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_balances_of_accounts_are_no_movements(
    read: Read, tmp_path: Path, seed: int, opening: str, closing: str
) -> None:
    chance = random.Random(seed)
    lines: list[Line] = [["Date", "Kind", "Number", "Text", "Debit", "Credit", "Balance"]]
    moved = 0
    for account in ("4400 Material", "4650 Energy"):
        balance = chance.randint(100, 9000)
        lines += [[account], ["", "", "", opening, "", "", balance]]
        for n in range(9):
            debit, credit = (chance.randint(5, 500), 0) if n % 3 else (0, chance.randint(5, 90))
            balance += debit - credit
            amounts = [debit or "", credit or "", balance]
            lines.append([f"2024-03-{n + 1:02}", "INV", f"R{n}", "Gas", *amounts])
            moved += 1
        lines.append(["", "", "", closing, "", "", balance])

    (imported,) = read(workbook(lines, tmp_path / "account.xlsx"))

    assert len(imported.rows) == moved
    assert len([row for row in imported.rows if "2024" in str(row[0])]) == moved


def test_the_deviation_of_a_block_at_the_end_proves_it(read: Read, tmp_path: Path) -> None:
    chance = random.Random(5)
    values = [round(chance.uniform(19, 24), 1) for _row in range(30)]
    rows: list[Line] = [[n + 1, f"{each} µm", f"09:{n:02}:04"] for n, each in enumerate(values)]
    block: list[Line] = [
        ["Anzahl der Punkte", len(values), ""],
        ["Mittlere Schichtdicke", f"{mean(values):.1f} µm", ""],
        ["Streuung", f"{stdev(values):.2f} µm", ""],
        ["Dickste Stelle", f"{max(values)} µm", ""],
    ]

    (imported,) = read(
        text_file([["Nr", "Dicke", "Zeit"], *rows, [], *block], tmp_path / "dicke.csv")
    )

    assert imported.profile.rows == len(rows)
    assert imported.types[:2] == ["integer", "number"]


AGES = [f"{start}～{start + 4}" for start in range(0, 60, 5)]
BROAD = (("0～14", 3), ("15～44", 6), ("45+", 3))


def ages(chance: random.Random, total: str) -> list[Line]:
    """A total, ages, and the ages of children and adults again."""
    people = [[chance.randint(900, 9000) for _sex in "mf"] for _age in AGES]
    lines: list[Line] = [[total, *map(sum, zip(*people, strict=True))]]
    lines += [[age, *each] for age, each in zip(AGES, people, strict=True)]
    start = 0
    for name, count in BROAD:
        sums = [sum(column) for column in zip(*people[start : start + count], strict=True)]
        lines.append([name, *sums])
        start += count
    return lines


@pytest.mark.parametrize("total", ["総数", "Total", "Insgesamt", "All ages"])
@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_a_total_and_broad_groups_among_ages_are_set_apart(
    read: Read, tmp_path: Path, blocks: int, total: str
) -> None:
    chance = random.Random(f"{blocks} {total}")
    lines: list[Line] = [["Age", "Men", "Women"]]
    men = 0
    for block in range(blocks):
        rows = ages(chance, total)
        men += rows[0][1]
        lines += [[f"({block + 1}) Year {2015 + 5 * block}"], *rows] if blocks > 1 else rows

    (imported,) = read(workbook([*lines, [], ["As of 1 October."]], tmp_path / "people.xlsx"))

    assert len(imported.rows) == len(AGES) * blocks
    assert sum(imported.column("Men")) == men
    assert "totals_above" in doubts(imported)


def test_groups_of_which_one_does_not_add_up_stay(read: Read, tmp_path: Path) -> None:
    chance = random.Random(9)
    first, second = ages(chance, "Total"), ages(chance, "Total")
    second[3] = [second[3][0], second[3][1] + 5000, second[3][2] + 5000]
    lines = [["Age", "Men", "Women"], ["(1) 2015"], *first, ["(2) 2020"], *second]

    (imported,) = read(workbook(lines, tmp_path / "people.xlsx"))

    assert len(imported.rows) == len(first) + len(second)


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_record_of_the_file_among_those_of_measurements_is_none_of_them(
    read: Read, tmp_path: Path, seed: int, at_end: bool
) -> None:
    chance = random.Random(seed)
    rows: list[Line] = [
        [40, f"2022-10-17 08:{n:02}:47", f"Plate{n}", "OD", round(chance.uniform(0, 9), 4), "R", ""]
        for n in range(50)
    ]
    own: Line = [0, "2022-10-20 16:34:37", "#ARC#", "1.1a", "", "", "6.0.0 (1905)"]
    lines = [*rows, own] if at_end else [own, *rows]

    (imported,) = read(text_file(lines, tmp_path / "archive.txt"))

    assert len(imported.rows) == len(rows)
    assert apart(imported, "note") == [len(rows) + 1 if at_end else 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_first_row_that_only_lacks_cells_is_a_row(read: Read, tmp_path: Path, seed: int) -> None:
    rows = [["A", n, f"P{n}", n * 7 % 90, "ok", ""] for n in range(30)]
    rows[0] = ["B", 0, "P0", "", "", ""]
    names = ["Line", "No", "Part", "Size", "State", "Note"]

    (imported,) = read(text_file([names, *rows], tmp_path / f"parts{seed}.csv"))

    assert len(imported.rows) == len(rows)


@pytest.mark.parametrize("word", ["Approver", "Aprovado por", "Geprüft", "Zatwierdził"])
def test_who_signed_below_a_table_is_no_row(read: Read, tmp_path: Path, word: str) -> None:
    rows = [[f"Run{n // 5}", n % 5 + 1, n * 7 % 50, n * 70 % 500] for n in range(20)]
    signed = [f"{word} _ _ _ _", ":", "_ _ _ _ _ _ _", "2024-12-25"]
    names = ["Run", "Size", "Count", "Per mL"]

    (imported,) = read(text_file([names, *rows, [], signed], tmp_path / "runs.csv"))

    assert len(imported.rows) == len(rows)
    assert imported.types[1:] == ["integer"] * 3


def test_people_who_approve_are_rows(read: Read, tmp_path: Path) -> None:
    rows = [["Author", "Ana", "2024-01-02"], ["Reviewer", "Rui", "2024-01-05"]] * 4
    rows.append(["Approver", "Eva", "2024-01-09"])

    (imported,) = read(text_file([["Role", "Name", "Day"], *rows], tmp_path / "roles.csv"))

    assert len(imported.rows) == len(rows)


@pytest.mark.parametrize("word", ["Average", "Média", "Mittelwert"])
def test_the_rows_under_the_title_of_a_summary_are_asked_about(tmp_path: Path, word: str) -> None:
    chance = random.Random(word)
    lines: list[Line] = [["Run", "Size", "Count", "Per mL"]]
    for title in ("Run1", "Run2", "Run3", word):
        lines += [[title], *(["", 5 * n + 2, chance.randint(0, 90), n * 10] for n in range(5))]
    file = workbook(lines, tmp_path / "runs.xlsx")

    (kept,) = read_here(file, tmp_path / "kept")
    (without,) = read_here(file, tmp_path / "without", choices=ImportChoices(totals="apart"))

    assert "totals_kept" in doubts(kept)
    assert len(kept.rows) == 20
    assert len(without.rows) == 15
