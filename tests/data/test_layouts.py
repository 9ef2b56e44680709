"""Layouts of sheets by seed: what is read otherwise than it is in truth is said to be in doubt."""

import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
import xlsxwriter

from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.core.errors import UserError
from tests.data.conftest import Read, read_here
from tests.data.nasty import layouts, program_exports, station_sheets
from tests.data.nasty.layouts import Maker
from tests.data.test_nasty import differences, refusal
from tests.data.writers import grids

SEEDS = 3  # of each layout; `tests.bench.bench_generated_texts` reads five


@pytest.mark.parametrize(
    "maker",
    [*layouts.MAKERS, *station_sheets.MAKERS, *program_exports.MAKERS],
    ids=lambda maker: maker.__name__,
)
def test_a_layout_is_read_right_or_honestly(read: Read, tmp_path: Path, maker: Maker) -> None:
    wrong: dict[str, list[str]] = {}
    for seed in range(SEEDS):
        case = maker(seed)
        file = tmp_path / case.name
        file.write_bytes(case.content)
        try:
            found = [(each.profile, each.rows) for each in read(file)]
        except UserError as error:
            seen = refusal(error, case.truth)
        else:
            seen = differences(found, case.truth)
        if seen:
            wrong[case.name] = seen
    assert wrong == {}


def test_rows_that_are_called_totals_are_set_apart_when_asked(tmp_path: Path) -> None:
    case = layouts.totals_that_do_not(2)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (kept,) = read_here(file, tmp_path / "kept")
    (apart,) = read_here(file, tmp_path / "apart", choices=ImportChoices(totals="apart"))

    assert kept.profile.report is not None
    assert "totals_kept" in {each.kind for each in kept.profile.report.doubtful}
    assert len(apart.rows) == len(kept.rows) - 1


def test_true_totals_are_kept_when_asked(tmp_path: Path) -> None:
    case = layouts.totals_that_add_up(0)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (apart,) = read_here(file, tmp_path / "apart")
    (kept,) = read_here(file, tmp_path / "kept", choices=ImportChoices(totals="kept"))

    assert len(kept.rows) == len(apart.rows) + 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("label", ["Total", "Subtotal", "Total geral"])
def test_totals_among_reasons_that_lack_nothing_are_said(
    tmp_path: Path, label: str, seed: int
) -> None:
    rng = random.Random(seed)
    lines, sums = ["Dia;Turno;Motivo;Minutos"], 0
    for day in range(1, 3 + seed):
        for shift in ("Manhã", "Tarde"):
            minutes = [rng.randint(11, 90) for _ in range(rng.randint(2, 4))]
            lines += [f"{day + 12}-03-2026;{shift};Limpeza;{each}" for each in minutes]
            lines.append(f"{day + 12}-03-2026;{shift};{label};{sum(minutes)}")
            sums += 1
    file = tmp_path / "paragens.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    (kept,) = read_here(file, tmp_path / "kept")
    (apart,) = read_here(file, tmp_path / "apart", choices=ImportChoices(totals="apart"))

    assert kept.profile.report is not None
    said = [each for each in kept.profile.report.doubtful if each.kind == "totals_kept"]
    assert [each.count for each in said] == [sums]
    assert len(apart.rows) == len(kept.rows) - sums == len(lines) - 1 - sums


@pytest.mark.parametrize("label", ["Total operador", "Subtotal Manhã", "Total turno Manhã"])
def test_rows_with_names_of_totals_that_do_not_sum_up_are_said(tmp_path: Path, label: str) -> None:
    rows = [f"{day + 12}-03-2026;Manhã;Limpeza;{day * 7}" for day in range(9)]
    file = tmp_path / "paragens.csv"
    lines = ["Dia;Turno;Motivo;Minutos", *rows, f";;{label};9999"]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    (kept,) = read_here(file, tmp_path / "kept")

    assert len(kept.rows) == len(rows) + 1
    assert kept.profile.report is not None
    assert "totals_kept" in {each.kind for each in kept.profile.report.doubtful}


def test_a_sheet_of_several_tables_is_read_as_one_when_asked(tmp_path: Path) -> None:
    case = layouts.stacked_tables(0)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    apart = read_here(file, tmp_path / "apart")
    (one,) = read_here(file, tmp_path / "one", choices=ImportChoices(table=0))
    (second,) = read_here(file, tmp_path / "second", choices=ImportChoices(table=2))

    assert len(apart) == 2
    assert len(one.rows) > sum(len(each.rows) for each in apart)
    assert second.rows in [each.rows for each in apart]
    assert {each.profile.area for each in apart} > {second.profile.area}


@pytest.mark.parametrize("seed", range(4))
def test_labels_of_groups_are_filled_down_when_asked(tmp_path: Path, seed: int) -> None:
    case = layouts.labels_once(seed, depth=1 + seed % 2)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (once,) = read_here(file, tmp_path / "once")
    (filled,) = read_here(file, tmp_path / "filled", choices=ImportChoices(filled_down=True))

    depth = 1 + seed % 2
    expected, labels = [], [None] * depth
    for row in once.rows:
        labels = [own or above for own, above in zip(row[:depth], labels, strict=True)]
        expected.append((*labels, *row[depth:]))
    assert filled.rows == expected
    assert filled.profile.report is not None
    assert "labels_filled" in {each.kind for each in filled.profile.report.repaired}


@pytest.mark.parametrize("seed", range(4))
def test_titles_over_rows_are_no_column_when_it_is_not_wanted(tmp_path: Path, seed: int) -> None:
    case = station_sheets.titles_among_rows(seed)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (added,) = read_here(file, tmp_path / "added")
    (apart,) = read_here(file, tmp_path / "apart", choices=ImportChoices(filled_down=False))

    assert apart.names == added.names[:-1]
    assert apart.rows == [row[:-1] for row in added.rows]
    assert apart.profile.report is not None
    assert "groups_set_apart" in {each.kind for each in apart.profile.report.repaired}


@pytest.mark.parametrize("name", ["", "Turno"])
def test_titles_over_rows_stay_in_a_column_of_their_own(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.csv"
    shifts = ("Manhã;;", ";A-1;3", ";A-2;4", "Tarde;;", ";A-3;5", ";A-4;7")
    file.write_text("\n".join((f"{name};Lote;Peças", *shifts)), encoding="utf-8")

    (found,) = read_here(file, tmp_path / "found")

    assert found.names[1:] == ["Lote", "Peças"]
    assert [row[0] for row in found.rows] == ["Manhã"] * 2 + ["Tarde"] * 2


@pytest.mark.parametrize("name", ["", "Máquina"])
@pytest.mark.parametrize("mark", ["-", "+", "▼"])
def test_titles_behind_the_sign_of_a_fold_stay_in_a_column_of_their_own(
    tmp_path: Path, mark: str, name: str
) -> None:
    file = tmp_path / "a.csv"
    shifts = (
        f"{mark};Turno : 1;;;", ";28-CX;03;50;7", ";29-CX;04;160;4", ";;;210;11",
        f"{mark};Turno : 2;;;", ";28-CX;05;70;9", ";30-CX;07;700;2", ";;;770;11",
    )  # fmt: skip
    text = "\n".join((f"{name};Máquina;Hora;Peças;Falhas", *shifts))
    file.write_text(text, encoding="utf-8")

    (found,) = read_here(file, tmp_path / "found")

    assert found.names[:2] == ["group", "Máquina"]
    assert [row[0] for row in found.rows] == ["Turno : 1"] * 2 + ["Turno : 2"] * 2
    assert sum(found.column("Peças")) == 980


@pytest.mark.parametrize(
    "rows",
    [
        ("riscos;3;4", "bolhas;;", "grão;5;6", "fendas;1;2"),  # a reason that nobody has counted
        ("A-1;3;4", "A-2;;", "A-3;5;6", "A-4;;", "A-5;1;2"),  # codes
        ("riscos;;", "bolhas;;", "grão;5;6", "fendas;1;2", "gotas;4;4", "pó;2;3"),
        ("A-1;3;4", "A-2;4;9", "", "medido com o aparelho novo;;", "A-3;5;6"),
    ],
)
def test_rows_with_a_key_alone_are_no_titles(tmp_path: Path, rows: tuple[str, ...]) -> None:
    file = tmp_path / "a.csv"
    file.write_text("\n".join(("Chave;Manhã;Tarde", *rows)), encoding="utf-8")

    (found,) = read_here(file, tmp_path / "found")

    assert len(found.names) == 3
    assert len(found.rows) == len([*filter(None, rows)])


@pytest.mark.parametrize("seed", range(4))
def test_records_of_two_lines_are_told(tmp_path: Path, seed: int) -> None:
    case = station_sheets.records_on_two_lines(seed)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (found,) = read_here(file, tmp_path / "found")

    assert found.profile.report is not None
    assert "lines_of_records" in {each.kind for each in found.profile.report.doubtful}


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        (("Ana;pó;capô;ver;12", "Rui;grão;asa;ir;", "Eva;fio;aba;pôr;", "Ivo;véu;só;ler;7"), "12"),
        (
            ("Ana;pó;ver;a;1/3/2026", "Rui;fio;ir;b;", "Eva;ar;pôr;c;", "Ivo;só;ler;d;3/3/2026"),
            "1/3",
        ),
        (
            ("Turno;Linha;Ovar;Marta;14/03/2026", "Ana;3;4;5;15/03/2026", "Rui;4;5;6;16/03/2026"),
            "14",
        ),
    ],
)
def test_a_name_that_looks_like_a_value_of_its_column_is_told(
    tmp_path: Path, rows: tuple[str, ...], name: str
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("\n".join(rows), encoding="utf-8")

    (found,) = read_here(file, tmp_path / "found")

    assert found.profile.report is not None
    doubtful = found.profile.report.doubtful
    assert name in next(each.text for each in doubtful if each.kind == "values_as_names")


@pytest.mark.parametrize("seed", range(8))
def test_records_in_columns_are_told_and_exchanged_when_asked(tmp_path: Path, seed: int) -> None:
    case = layouts.records_in_columns(seed)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (found,) = read_here(file, tmp_path / "found")
    (turned,) = read_here(file, tmp_path / "turned", choices=ImportChoices(transposed=True))

    assert found.profile.report is not None
    assert "records_in_columns" in {each.kind for each in found.profile.report.doubtful}
    assert turned.names[0] == "Amostra"
    assert turned.column("Amostra") == [f"P-{n + 1}" for n in range(len(found.names) - 1)]
    types = dict(zip(turned.names, turned.types, strict=True))
    assert (types["Data"], types.get("pH", "number")) == ("date", "number")


def test_a_plain_table_is_not_told_to_have_its_records_in_columns(tmp_path: Path) -> None:
    for seed, maker in enumerate((layouts.units_under_names, layouts.group_labels) * 4):
        case = maker(seed)
        file = tmp_path / case.name
        file.write_bytes(case.content)
        for each in read_here(file, tmp_path / f"{seed}"):
            assert each.profile.report is not None
            assert "records_in_columns" not in {one.kind for one in each.profile.report.doubtful}


@pytest.mark.parametrize("seed", range(4))
def test_a_calendar_is_told(tmp_path: Path, seed: int) -> None:
    case = layouts.calendars(seed)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (found,) = read_here(file, tmp_path / "found")

    assert found.profile.report is not None
    assert "calendar" in {each.kind for each in found.profile.report.doubtful}


@pytest.mark.parametrize("seed", range(4))
def test_notes_among_rows_are_said_to_be_there(tmp_path: Path, seed: int) -> None:
    case = layouts.comments_among_rows(seed)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (found,) = read_here(file, tmp_path / "found")

    rows = [str(row) for _kind, row, _last in case.truth.sheets[0].apart]
    assert f"({', '.join(rows)})" in found.warned
    assert "below the table" not in found.warned


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_table_far_down_a_long_sheet_is_told_and_can_be_read_alone(
    tmp_path: Path, kind: str
) -> None:
    first = [(n, f"A-{n:06}", n / 8, f"peça de nome {n % 9}") for n in range(24_000)]
    second = [(f"2026-02-{n:02}", n * 3) for n in range(10, 20)]
    grid = [("n", "lote", "peso", "peça"), *first, (), ("dia", "defeitos"), *second]
    file = tmp_path / f"a.{kind}"
    if kind == "csv":
        file.write_text(grids.csv_text(grid), encoding="utf-8")
    else:
        with xlsxwriter.Workbook(file) as book:
            sheet = book.add_worksheet()
            for number, row in enumerate(grid):
                sheet.write_row(number, 0, row)

    (whole,) = read_here(file, tmp_path / "whole")
    (alone,) = read_here(file, tmp_path / "alone", choices=ImportChoices(table=2))

    assert whole.profile.report is not None
    (told,) = [each for each in whole.profile.report.doubtful if each.kind == "several_tables"]
    assert told.cells == ("A1:D24002", "A24003:D24013")
    assert (alone.names, len(alone.rows)) == (["dia", "defeitos"], 10)


def _beside(file: Path, *, goes_on: bool) -> None:
    """Write two lists side by side, one of them shorter, and something under a blank row."""
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Estufa", "Ciclo", "Graus"])
        sheet.write_row(0, 5, ["Motivo", "Turno", "Minutos"])
        for row in range(1, 12):
            if row == 8:
                continue
            sheet.write_row(row, 0, [f"E{row % 2}", f"C{row}", 80 + row / 4])
            if row < 5 or (goes_on and row > 8):
                sheet.write_row(row, 5, [f"M{row}", "ABC"[row % 3], row * 3])


def test_tables_of_a_sheet_share_a_database_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth: dict[str, list[tuple[str, str, float]]] = {}
    lines: list[str] = []
    for number, (key, value) in enumerate((("Lote", "Peso"), ("Peça", "Cor"), ("Cuba", "pH"))):
        rows = [(f"{key[0]}{row}", "ABC"[row % 3], row * 1.25) for row in range(1, 12 + number)]
        total = [("Total", "", sum(row[2] for row in rows))] if number < 2 else []
        shown = [f"{one},{other},{figure:.2f}" for one, other, figure in (*rows, *total)]
        lines += [f"{key},Turno,{value}", *shown, "", ""]
        truth[key] = rows
    file = tmp_path / "tabelas.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    opened: list[str] = []
    connect = duckdb.connect

    def count(database: str, **settings: Any) -> duckdb.DuckDBPyConnection:
        opened.append(database)
        return connect(database, **settings)

    with monkeypatch.context() as patched:
        patched.setattr("qhub_desktop.data.ingest.import_worker.duckdb.connect", count)
        found = read_here(file, tmp_path / "kept")
    assert {each.names[0]: each.rows for each in found} == truth
    assert len(opened) <= 2  # one to read into, and that with which the test looks at the rows


def test_lists_side_by_side_are_two_though_one_goes_on_under_a_blank_row(
    read: Read, tmp_path: Path
) -> None:
    _beside(tmp_path / "lado.xlsx", goes_on=False)
    found = read(tmp_path / "lado.xlsx")
    assert [each.names for each in found] == [
        ["Estufa", "Ciclo", "Graus"],
        ["Motivo", "Turno", "Minutos"],
    ]
    assert [len(each.rows) for each in found] == [10, 4]


def test_columns_that_all_go_on_under_a_blank_row_are_one_table(read: Read, tmp_path: Path) -> None:
    _beside(tmp_path / "uma.xlsx", goes_on=True)
    (found,) = read(tmp_path / "uma.xlsx")
    assert len(found.rows) == 10


def test_a_word_for_a_mean_that_is_a_value_is_no_total(tmp_path: Path) -> None:
    """Open orders lack an end and have invoiced nothing, and a priority is called 'Média'."""
    priorities = ("Alta", "Média", "Baixa", "Média")
    rows = [
        f"OT-{n};{priorities[n % 4]};{n % 7 + 1};{0 if n > 30 else 40 + n};{'' if n > 30 else 'x'}"
        for n in range(40)
    ]
    path = tmp_path / "ordens.csv"
    path.write_text("\n".join(["OT;Prioridade;Pessoas;Faturado;Fim", *rows]), encoding="utf-8")

    (kept,) = read_here(path, tmp_path / "kept")

    assert len(kept.rows) == len(rows)


SIGNS = (
    ("-", "Zero absoluto, não resultante de um cálculo ou arredondamento. Ex.: 14 anos de idade"),
    ("0", "Zero resultante de um cálculo ou arredondamento, como 400 kg ditos em toneladas"),
    ("..", "Valor que não se aplica, por ter unidades de medida que são distintas"),
)


@pytest.mark.parametrize("years", [2, 3, 7])
@pytest.mark.parametrize("notes", [0, 3, 60])
@pytest.mark.parametrize("delimiter", [";", ","])
def test_a_table_of_a_statistical_office_ends_above_its_notes(
    tmp_path: Path, delimiter: str, notes: int, years: int
) -> None:
    chance = random.Random(notes + years)
    rows = [[f"Estado {n}", *(str(chance.randint(10**5, 10**7)) for _y in range(years))]
            for n in range(20)]  # fmt: skip
    lines = [
        ["Tabela 77 - População residente estimada"],
        ["Variável - População residente estimada (Pessoas)"],
        ["Estado", "Ano"],
        ["Estado", *(str(2018 + year) for year in range(years))],
        *rows,
        ["Fonte: Instituto - Estimativas de População"],
        ["Notas"],
        *([f"{n} - População do município {n}: {n + 7}.059 habitantes, conforme Processo; nº {n}"]
          for n in range(notes)),
        [""],
        ["Legenda"],
        ["Símbolo", "Significado"],
        *SIGNS,
    ]  # fmt: skip
    file = tmp_path / "tabela77.csv"
    quoted = (delimiter.join(f'"{cell}"' for cell in line) for line in lines)
    file.write_text("\n".join(quoted), encoding="utf-8-sig")

    found, *legend = read_here(file, tmp_path / "found")

    assert len(found.rows) == 20
    assert all(each.names[0] == "Símbolo" for each in legend)
    assert found.types[1:] == ["integer"] * years
    assert sum(found.column(found.names[1])) == sum(int(row[1]) for row in rows)


def test_facts_with_a_day_above_the_names_are_in_no_name(tmp_path: Path) -> None:
    file = tmp_path / "ordens.xlsx"
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Listagem de ordens"])
        sheet.write_row(1, 0, ["Período: 01/01/2025 a 31/12/2025", "", "", "Emitido em 09/01/2026"])
        sheet.write_row(2, 0, ["Nº", "Linha", "Turno", "Equipamento", "Custo"])
        for row in range(3, 12):
            sheet.write_row(row, 0, [row, "L1", "manhã", "INJ-01", row * 1.5])

    (found,) = read_here(file, tmp_path / "kept")

    names = [each.name for each in found.profile.columns]
    assert names == ["Nº", "Linha", "Turno", "Equipamento", "Custo"]


def test_a_form_of_trials_is_offered_as_a_gauge_study(read: Read, tmp_path: Path) -> None:
    rows = [f"{part};{who};1,0{part};1,1{part}" for part in range(1, 6) for who in ("Ana", "Rui")]
    form, other = tmp_path / "form.csv", tmp_path / "other.csv"
    form.write_text("Peça;Operador;Ensaio 1;Ensaio 2\n" + "\n".join(rows), encoding="utf-8")
    other.write_text("Peça;Forno;Valor 1;Valor 2\n" + "\n".join(rows), encoding="utf-8")

    (found,), (calm,) = read(form), read(other)

    assert "R&R" in found.warned
    assert "R&R" not in calm.warned
    assert len(found.rows) == 10
