"""Rare exports: what banks, instruments, portals and typists write that few others do."""

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest
from openpyxl import Workbook

from qhub_desktop.core.dataset import Finding, ImportChoices
from tests.data.conftest import Imported, Read, read_here

Table = Callable[[str], Imported]


@pytest.fixture
def table(read: Read, tmp_path: Path) -> Table:
    """Import a table from text, as a file holds it."""

    def import_(text: str) -> Imported:
        file = tmp_path / "table.csv"
        file.write_text(text, encoding="utf-8", newline="")
        (imported,) = read(file)
        return imported

    return import_


def _kinds(found: Imported) -> set[str]:
    return {each.kind for each in _findings(found)}


def _findings(found: Imported) -> list[Finding]:
    report = found.profile.report
    assert report is not None
    return [*report.repaired, *report.doubtful]


@pytest.mark.parametrize("word", ["NaN", "nan"])
def test_a_column_of_nothing_but_no_numbers_is_missing(table: Table, word: str) -> None:
    found = table("poço;Cq;SQ\n" + "".join(f"A{n};{n}.5;{word}\n" for n in range(9)))

    assert found.column("SQ") == [None] * 9
    assert "missing_words" in _kinds(found)


def test_a_name_that_looks_like_no_number_stays(table: Table) -> None:
    found = table("id;nome\n" + "".join(f"{n};Nan Li\n" for n in range(9)))

    assert found.column("nome") == ["Nan Li"] * 9


@pytest.mark.parametrize("dashes", [5, 8, 20])
def test_a_line_of_dashes_in_a_cell_is_a_missing_number(table: Table, dashes: int) -> None:
    values = ["-" * dashes if n % 7 == 3 else f"{n},5" for n in range(30)]
    found = table("n;temp\n" + "".join(f"{n};{each}\n" for n, each in enumerate(values)))

    assert found.column("temp") == [None if n % 7 == 3 else n + 0.5 for n in range(30)]


def test_dates_of_which_a_third_are_words_are_doubted_and_offered(table: Table) -> None:
    days = ["Pending"] * 3 + [f"{n:02}-Dec-2019" for n in range(1, 8)]
    found = table("Date,Amount\n" + "".join(f"{day},£{n}.50\n" for n, day in enumerate(days)))

    (told,) = [each for each in _findings(found) if each.kind == "mixed_column"]
    assert told.offer is not None
    assert (told.offer.column, told.offer.type, told.offer.missing) == ("Date", "date", 3)


def test_the_plus_of_a_payment_is_read(table: Table) -> None:
    found = table('what,Amount\na,£67.40\nb,£8.99\nc,"£1,183.23"\nd,"+ £1,100.00"\n')

    assert found.column("Amount") == [67.4, 8.99, 1183.23, 1100.0]


@pytest.mark.parametrize("unit", ["szt.", "Stk", "pz", "uds", "pcs", "peças", "ks"])
@pytest.mark.parametrize("gap", [" ", "\N{NO-BREAK SPACE}"])
def test_pieces_are_counted_in_many_languages(table: Table, unit: str, gap: str) -> None:
    counts = [282, 1183, 428, 1125, 43, 12_500]
    cells = [f"{each:,}".replace(",", gap) for each in counts]
    found = table("nr;qtd\n" + "".join(f"R{n};{each} {unit}\n" for n, each in enumerate(cells)))

    assert found.column("qtd") == counts


def test_thousands_of_an_unknown_unit_are_doubted(table: Table) -> None:
    cells = ["282 qux", "1 183 qux", "428 qux", "1 125 qux", "43 qux"]
    found = table("nr;qtd\n" + "".join(f"R{n};{each}\n" for n, each in enumerate(cells)))

    assert "unread_values" in _kinds(found)


@pytest.mark.parametrize("zone", ["", " GMT+1"])
@pytest.mark.parametrize("gap", [" ", "\N{NO-BREAK SPACE}"])
def test_halves_of_the_day_are_read_as_spanish_writes_them(
    table: Table, zone: str, gap: str
) -> None:
    times = [datetime(2024, 3, 4 + n // 8, n * 3 % 24, n % 60, 11) for n in range(12)]
    lines = ["marca;n"]
    for n, each in enumerate(times):
        half = f"{'a' if each.hour < 12 else 'p'}.{gap}m."
        clock = f"{(each.hour - 1) % 12 + 1}:{each:%M:%S} {half}"
        lines.append(f"{each:%Y/%m/%d} {clock}{zone};{n}")
    found = table("\n".join(lines))

    assert found.column("marca") == times


def test_names_aligned_by_several_tabs_stand_over_their_columns(table: Table) -> None:
    rows = "".join(f"L{n}\tfim\t{n}.5\t{n * 3}\n" for n in range(12))
    found = table(f"lote\t\tfase\t\tmassa\t\t\tpasso\n{rows}")

    assert found.names == ["lote", "fase", "massa", "passo"]
    assert found.column("passo") == [n * 3 for n in range(12)]
    assert "gaps_in_header" in _kinds(found)


def test_a_nameless_column_of_values_keeps_its_place(table: Table) -> None:
    rows = "".join(f"L{n}\t{n}\t{n}.5\t{n * 3}\n" for n in range(12))
    found = table(f"lote\t\tmassa\tpasso\n{rows}")

    assert found.column("massa") == [n + 0.5 for n in range(12)]
    assert "gaps_in_header" not in _kinds(found)


def test_the_line_of_a_customer_over_the_papers_is_a_title(table: Table) -> None:
    lines = ["Conta;Documento;Data;Valor"]
    for key, name in (("411A", "Alfa SA"), ("411B", "Beta Lda"), ("411C", "Gama SA")):
        lines.append(f"{key};{name};;")
        lines += [f"{key};FA{n}{key[-1]};0{n}/03/2024;{n * 10},50" for n in range(1, 6)]
    found = table("\n".join(lines))

    assert len(found.rows) == 15
    assert sum(found.column("Valor")) == pytest.approx(3 * (150 + 2.5))
    assert found.rows[0][-1] == "Alfa SA"
    assert "groups_as_column" in _kinds(found)


def test_the_first_paper_of_a_customer_without_a_value_is_kept(table: Table) -> None:
    rows = [
        f"411{'ABC'[n // 4]};FA{n};" + (";" if n == 4 else f"01/03/2024;{n},50") for n in range(12)
    ]
    found = table("\n".join(["Conta;Documento;Data;Valor", *rows]))

    assert len(found.rows) == 12


@pytest.mark.parametrize("labels", [("規格上限", "規格下限"), ("上限", "下限")])
def test_limits_under_the_names_of_an_inspection_sheet_are_no_parts(
    table: Table, labels: tuple[str, str]
) -> None:
    parts = "".join(f"{n};12.0{n % 5};OK\n" for n in range(1, 13))
    found = table(f"No.;外径;判定\n{labels[0]};12.05;\n{labels[1]};11.95;\n{parts}")

    assert len(found.rows) == 12
    assert found.types[0] == "integer"


def test_days_and_serials_in_one_column_become_days_when_chosen(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "pessoal.xlsx"
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["nome", "entrada"])
    days = [date(2001, 8, 15), 36423, date(2017, 2, 25), 38000, 41000, 42000, 43000]
    for n, day in enumerate(days):
        sheet.append([f"P{n}", day])
    book.save(file)

    (found,) = read(file)
    (told,) = [each for each in _findings(found) if each.offer is not None]
    assert told.offer is not None
    assert (told.offer.type, told.offer.missing) == ("date", 0)
    choices = ImportChoices(types=(("entrada", told.offer.type),))
    (chosen,) = read_here(file, tmp_path / "chosen", choices=choices)

    assert chosen.column("entrada")[:3] == [date(2001, 8, 15), date(1999, 9, 20), date(2017, 2, 25)]


def test_days_of_which_some_have_two_figures_of_the_year_are_days(table: Table) -> None:
    days = ["05/06/2024", "18/06/24", "01/02/25", "13/08/2026", "9/10/2025"]
    found = table("\n".join(["Ordem;Fecho", *(f"OS-{n};{day}" for n, day in enumerate(days))]))

    assert found.types[1] == "date"
    assert [row[1] for row in found.rows][:3] == [
        date(2024, 6, 5),
        date(2024, 6, 18),
        date(2025, 2, 1),
    ]
