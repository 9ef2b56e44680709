"""A file read once more as the person wants it, and files of its shape from then on."""

import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from qhub_desktop.core.dataset import DatasetProfile, Finding, ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import ColumnType
from qhub_desktop.data.workspace import Progress, Workspace
from tests.data.conftest import Imported, read_here
from tests.data.nasty.truth import receipt_of

Cells = list[list[object]]
Load = Callable[[Path], Awaitable[DatasetProfile]]
Choose = Callable[[Path, ImportChoices], Imported]

PLAIN = "código;turno;valor\n00123;A;1,5\n00124;B;2,5\n"
TITLED = "Linha;Semana;\nPintura;{week};\npeça;turno;valor\nP1;A;{value}\nP2;B;7\n"
THIRD_ROW = ImportChoices(header_row=3)


@pytest.fixture
def load(workspace: Workspace) -> Load:
    """Load a file of one sheet."""

    async def load_one(file: Path) -> DatasetProfile:
        (profile,) = await workspace.load(file)
        assert receipt_of(profile) == []
        return profile

    return load_one


@pytest.fixture
def choose(tmp_path: Path) -> Choose:
    """Read a file of one sheet as is chosen, in this process."""

    def choose_here(file: Path, wanted: ImportChoices) -> Imported:
        (imported,) = read_here(file, tmp_path / "shelf", choices=wanted)
        return imported

    return choose_here


def written(tmp_path: Path, name: str, text: str, *, encoding: str = "utf-8") -> Path:
    file = tmp_path / name
    file.write_bytes(text.encode(encoding))
    return file


def book(file: Path, sheets: dict[str, Cells]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(file)
    return file


def names(profile: DatasetProfile) -> list[str]:
    return [column.name for column in profile.columns]


def types(profile: DatasetProfile) -> list[str]:
    return [column.type for column in profile.columns]


def finding(profile: DatasetProfile, kind: str) -> Finding:
    assert profile.report is not None
    found = (*profile.report.repaired, *profile.report.doubtful)
    return next(each for each in found if each.kind == kind)


def choices(profile: DatasetProfile) -> ImportChoices:
    assert profile.report is not None
    return profile.report.choices


async def rows(workspace: Workspace, profile: DatasetProfile) -> list[tuple[object, ...]]:
    answer = await workspace.query("FROM d", {"d": profile.id}, limit=100)
    return list(answer.table.rows)


async def test_another_row_becomes_the_header_and_those_above_it_titles(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "a.csv", TITLED.format(week=7, value=1)))
    again = await workspace.read_again(first.id, THIRD_ROW)
    assert names(again) == ["peça", "turno", "valor"]
    assert await rows(workspace, again) == [("P1", "A", 1), ("P2", "B", 7)]
    assert again.report is not None
    assert (again.report.header_row, again.report.header_rows) == (3, 1)
    assert [(each.kind, each.row) for each in again.report.set_apart] == [
        ("title", 1),
        ("title", 2),
    ]
    assert receipt_of(again) == []


async def test_no_row_is_the_header_if_the_person_says_so(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "a.csv", "peça;cor\nP1;azul\nP2;verde\n"))
    again = await workspace.read_again(first.id, ImportChoices(header_row=0))
    assert names(again) == ["column_1", "column_2"]
    assert await rows(workspace, again) == [("peça", "cor"), ("P1", "azul"), ("P2", "verde")]
    assert again.report is not None
    assert again.report.header_row is None
    assert receipt_of(again) == []


@pytest.mark.parametrize("row", [1, 2, 4, 6, 7, 40, 2_000])
def test_whatever_row_is_chosen_no_row_is_lost(choose: Choose, tmp_path: Path, row: int) -> None:
    cells: Cells = [[None], ["Relatório"], [], ["a", "b"], [1, 2], [3, 4], ["Total", 6]]
    file = book(tmp_path / "a.xlsx", {"Dados": cells})
    again = choose(file, ImportChoices(header_row=row)).profile
    assert receipt_of(again) == []
    assert again.report is not None
    # A spreadsheet's first used row is the first that is there to be read.
    assert again.report.rows_present == 6


async def test_a_chosen_type_counts_and_what_does_not_fit_is_missing_and_named(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    text = "lote;medida;dia\n001;1,5;01/02/2026\n002;partida;02/02/2026\n003;2,5;ontem\n"
    first = await load(written(tmp_path, "a.csv", text))
    assert types(first) == ["text", "text", "text"]
    wanted = ImportChoices(types=(("lote", "integer"), ("medida", "number"), ("dia", "date")))
    again = await workspace.read_again(first.id, wanted)
    assert types(again) == ["integer", "number", "date"]
    assert await rows(workspace, again) == [
        (1, 1.5, date(2026, 2, 1)),
        (2, None, date(2026, 2, 2)),
        (3, 2.5, None),
    ]
    assert again.report is not None
    assert [(each.kind, each.count, each.cells) for each in again.report.doubtful] == [
        ("not_of_chosen_type", 1, ("B3",)),
        ("not_of_chosen_type", 1, ("C4",)),
    ]
    assert "Column medida: 1 cell is not of the chosen type and was read as missing: B3." in (
        again.warnings
    )


def test_numbers_of_a_workbook_become_the_text_that_they_show(
    choose: Choose, tmp_path: Path
) -> None:
    file = book(tmp_path / "a.xlsx", {"S": [["n", "x"], [1, 0.5], [20, 1.25]]})
    again = choose(file, ImportChoices(types=(("n", "text"), ("x", "text"))))
    assert again.rows == [("1", "0.5"), ("20", "1.25")]


DAY, HOUR = datetime(2026, 1, 31), datetime(2026, 1, 31, 5)


@pytest.mark.parametrize(
    ("type_", "cells", "expected"),
    [
        ("integer", [1, 0.5, 3.0, 1e300], [1, None, 3, None]),
        ("integer", ["1,0", "1,5", " 007 ", "+5"], [1, None, 7, 5]),
        ("integer", ["123456789012345678", "12-34", "1.2.3"], [123456789012345678, None, None]),
        ("integer", [DAY, HOUR], [None, None]),
        ("number", ["0,5", "1.2.3", "12-34", "x"], [0.5, None, None, None]),
        ("number", [1, "1,5", "partida"], [1.0, 1.5, None]),
        ("boolean", [0, 1, 2], [False, True, None]),
        ("boolean", ["sim", "não", "talvez"], [True, False, None]),
        ("date", [46053, 20260131, 1e300, -1], [DAY.date(), DAY.date(), None, None]),
        ("date", ["31/01/2026", "31/02/2026", "ontem"], [DAY.date(), None, None]),
        ("datetime", [46053, 46053 + 5 / 24, 0.5], [DAY, HOUR, None]),
        ("datetime", ["31/01/2026 05:00", "31/01/2026", "05:00"], [HOUR, DAY, None]),
    ],
)
def test_a_cell_that_is_not_of_the_chosen_type_is_missing_and_never_another_value(
    choose: Choose,
    tmp_path: Path,
    type_: ColumnType,
    cells: list[object],
    expected: list[object],
) -> None:
    file = book(tmp_path / "a.xlsx", {"S": [["n", "x"], *([1, cell] for cell in cells)]})
    again = choose(file, ImportChoices(types=(("x", type_),)))
    assert again.column("x") == expected
    assert again.types[1] == type_
    lost = [f"B{row}" for row, value in enumerate(expected, start=2) if value is None]
    if lost:
        assert finding(again.profile, "not_of_chosen_type").cells == tuple(lost)


@pytest.mark.parametrize(
    ("separator", "expected"), [("|", ["a", "b;c", "d;e"]), (";", ["a|b", "c|d", "e"])]
)
def test_another_separator_parts_the_cells_otherwise(
    choose: Choose, tmp_path: Path, separator: str, expected: list[str]
) -> None:
    file = written(tmp_path, "a.txt", "a|b;c|d;e\n1|2;3|4;5\n6|7;8|9;1\n")
    again = choose(file, ImportChoices(separator=separator))
    assert again.names == expected
    assert again.profile.report is not None
    assert again.profile.report.separator == separator
    assert receipt_of(again.profile) == []


@pytest.mark.parametrize(
    ("encoding", "expected"), [("cp850", "lilás"), ("cp1252", "lil\N{NO-BREAK SPACE}s")]
)
def test_another_encoding_reads_the_same_bytes_as_other_letters(
    choose: Choose, tmp_path: Path, encoding: str, expected: str
) -> None:
    file = written(tmp_path, "a.csv", "peça;cor\nP1;lilás\nP2;âmbar\n", encoding="cp850")
    again = choose(file, ImportChoices(encoding=encoding))
    assert again.rows[0] == ("P1", expected)
    assert again.profile.report is not None
    assert again.profile.report.encoding == encoding


def test_letters_that_an_encoding_can_not_read_are_doubted(choose: Choose, tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", PLAIN, encoding="cp1252")
    again = choose(file, ImportChoices(encoding="utf-8"))
    assert again.names[0] == "c\ufffddigo"
    assert again.profile.report is not None
    assert again.profile.report.doubtful


async def test_every_way_of_reading_is_a_data_set_of_its_own_that_says_how(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "a.csv", PLAIN))
    wanted = (
        ImportChoices(header_row=0),
        ImportChoices(header_row=1),
        ImportChoices(header_row=1, types=(("valor", "text"),)),
    )
    made = [await workspace.read_again(first.id, each) for each in wanted]
    assert [choices(each) for each in made] == list(wanted)
    assert len({first.id, *(each.id for each in made)}) == 1 + len(wanted)
    assert all(each.sha256 == first.sha256 for each in made)
    assert {(each.file, each.dataset, each.origin) for each in made} == {
        (first.file, first.dataset, first.origin)
    }
    assert await rows(workspace, first) == [("00123", "A", 1.5), ("00124", "B", 2.5)]
    assert await workspace.read_again(made[0].id, wanted[1]) == made[1]


async def test_the_same_file_dropped_again_is_what_it_became(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    file = written(tmp_path, "a.csv", TITLED.format(week=7, value=1))
    again = await workspace.read_again((await load(file)).id, THIRD_ROW)
    heard: list[Progress] = []
    assert await workspace.load(file, on_progress=heard.append) == (again,)
    assert len(heard) == 1


async def test_a_workbook_of_which_one_sheet_was_read_again_keeps_its_others(
    workspace: Workspace, tmp_path: Path
) -> None:
    sheets: dict[str, Cells] = {
        "Um": [["a", "b"], [1, 2], [3, 4]],
        "Dois": [["x", "y", "z"], ["c", "d", "e"], [5, 6, 7], [8, 9, 1]],
    }
    file = book(tmp_path / "a.xlsx", sheets)
    two, one = await workspace.load(file)
    again = await workspace.read_again(two.id, ImportChoices(header_row=2))
    assert (again.sheet, names(again)) == ("Dois", ["c", "d", "e"])
    assert set(await workspace.load(file)) == {again, one}
    assert again.dataset == two.dataset


async def test_the_next_export_of_the_same_shape_is_read_the_same_way(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "semana7.csv", TITLED.format(week=7, value=1)))
    wanted = replace(THIRD_ROW, types=(("valor", "text"),))
    await workspace.read_again(first.id, wanted)

    later = await load(written(tmp_path, "semana8.csv", TITLED.format(week=8, value=99)))

    assert choices(later) == wanted
    assert await rows(workspace, later) == [("P1", "A", "99"), ("P2", "B", "7")]


async def test_a_choice_is_remembered_by_the_next_start_of_the_program(tmp_path: Path) -> None:
    found: list[DatasetProfile] = []
    for week in (7, 8):
        workspace = Workspace(tmp_path / "datasets")
        try:
            file = written(tmp_path, f"s{week}.csv", TITLED.format(week=week, value=1))
            found += await workspace.load(file)
            if week == 7:
                await workspace.read_again(found[0].id, THIRD_ROW)
        finally:
            workspace.close()
    assert [choices(each) for each in found] == [ImportChoices(), THIRD_ROW]


async def test_a_separator_and_an_encoding_are_remembered_too(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    text = "a|b;c|d;e\n1|2;3|4;5\n{value}|7;8|ç;1\n"
    wanted = ImportChoices(separator="|", encoding="cp1252")
    first = await load(written(tmp_path, "a.txt", text.format(value=6), encoding="cp1252"))
    made = await workspace.read_again(first.id, wanted)
    later = await load(written(tmp_path, "b.txt", text.format(value=9), encoding="cp1252"))
    assert choices(later) == wanted
    assert names(later) == names(made) == ["a", "b;c", "d;e"]


async def test_a_table_in_an_archive_is_remembered_as_well(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    text = "a|b;c|d;e\n1|2;3|4;5\n{value}|7;8|9;1\n"
    wanted = ImportChoices(separator="|")
    for number in (6, 9):
        with zipfile.ZipFile(tmp_path / f"{number}.zip", "w") as archive:
            archive.writestr("dados.csv", text.format(value=number))
    first = await load(tmp_path / "6.zip")
    await workspace.read_again(first.id, wanted)
    later = await load(tmp_path / "9.zip")
    assert (choices(later), names(later)) == (wanted, ["a", "b;c", "d;e"])


async def test_a_large_workbook_is_remembered_as_well_and_its_dates_are_shown_as_dates(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    for number in (1, 2):
        options = {"default_date_format": "dd/mm/yyyy"}
        with xlsxwriter.Workbook(tmp_path / f"{number}.xlsx", options) as made:
            sheet = made.add_worksheet()
            sheet.write_row(2, 1, ["Semana", number])
            sheet.write_row(3, 1, ["n", "medida", "dia", "peça"])
            for row in range(12_000):
                day = date(2026, 2, 1 + row % 28)
                sheet.write_row(row + 4, 1, [row, row / 7, day, f"peça {row % 9}"])
    wanted = ImportChoices(header_row=4, types=(("n", "text"),))
    await workspace.read_again((await load(tmp_path / "1.xlsx")).id, wanted)
    later = await load(tmp_path / "2.xlsx")
    assert (choices(later), later.rows) == (wanted, 12_000)
    assert types(later) == ["text", "number", "date", "category"]
    assert (await workspace.head(later.id))[2:5] == (
        ("", "Semana", "2", "", ""),
        ("", "n", "medida", "dia", "peça"),
        ("", "0", "0", "2026-02-01", "peça 0"),
    )


async def test_files_of_another_shape_are_read_as_ever(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "a.csv", TITLED.format(week=7, value=1)))
    await workspace.read_again(first.id, THIRD_ROW)
    for text in (
        "Linha;Semana;\nPintura;8;\npeça;turno;outra\nP1;A;1\n",
        "Linha;Semana;\npeça;turno;valor\nP1;A;1\n",
    ):
        assert choices(await load(written(tmp_path, "b.csv", text))) == ImportChoices()


async def test_that_a_file_has_no_header_says_nothing_of_other_files(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "balança_01.csv", "peça;cor\nP1;azul\nP2;verde\n"))
    no_header = ImportChoices(header_row=0)
    await workspace.read_again(first.id, no_header)

    same = await load(written(tmp_path, "balança_02.csv", "P3;azul\nP4;verde\n"))
    other = await load(written(tmp_path, "turnos.csv", "turno;total\nA;7\nB;8\n"))

    assert choices(same) == no_header
    assert choices(other) == ImportChoices()
    assert names(other) == ["turno", "total"]


@pytest.mark.parametrize(
    "wanted",
    [
        THIRD_ROW,
        ImportChoices(header_row=0),
        ImportChoices(separator=","),
    ],
)
async def test_going_back_to_automatic_forgets_what_was_chosen(
    workspace: Workspace, load: Load, tmp_path: Path, wanted: ImportChoices
) -> None:
    first = await load(written(tmp_path, "s7.csv", TITLED.format(week=7, value=1)))
    made = await workspace.read_again(first.id, wanted)
    back = await workspace.read_again(made.id, ImportChoices())
    assert back == first
    later = await load(written(tmp_path, "s8.csv", TITLED.format(week=8, value=2)))
    assert choices(later) == ImportChoices()
    assert names(later) == names(first)


async def test_the_last_choice_counts_and_not_the_one_before(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "s7.csv", TITLED.format(week=7, value=1)))
    made = await workspace.read_again(first.id, THIRD_ROW)
    second = ImportChoices(header_row=1)
    await workspace.read_again(made.id, second)
    later = await load(written(tmp_path, "s8.csv", TITLED.format(week=8, value=2)))
    assert choices(later) == second


async def test_what_is_chosen_at_once_goes_before_what_is_remembered(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "s7.csv", TITLED.format(week=7, value=1)))
    await workspace.read_again(first.id, THIRD_ROW)
    file = written(tmp_path, "s8.csv", TITLED.format(week=8, value=2))
    (chosen,) = await workspace.load(file, choices=ImportChoices(header_row=1))
    assert names(chosen)[:2] == ["Linha", "Semana"]
    (plain,) = await workspace.load(file, choices=ImportChoices())
    assert choices(plain) == ImportChoices()


@pytest.mark.parametrize("fate", ["gone", "changed"])
async def test_a_file_that_is_gone_or_changed_is_not_read_again(
    workspace: Workspace, load: Load, tmp_path: Path, fate: str
) -> None:
    file = written(tmp_path, "a.csv", PLAIN)
    first = await load(file)
    if fate == "gone":
        file.unlink()
    else:
        file.write_text(PLAIN + "00125;C;3\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"a\.csv is no longer .*\.$"):
        await workspace.read_again(first.id, ImportChoices(header_row=2))
    assert await workspace.profile(first.id) == first
    assert (tmp_path / "datasets" / "choices.json").exists() is False


async def test_a_copy_that_was_kept_is_read_where_the_file_has_gone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "datasets", keeps_files=lambda: True)
    try:
        file = written(tmp_path, "a.csv", PLAIN)
        (first,) = await workspace.load(file)
        file.unlink()
        again = await workspace.read_again(first.id, ImportChoices(header_row=2))
        assert names(again) == ["00123", "A", "1,5"]
        assert (again.file, again.origin) == ("a.csv", str(file))
    finally:
        workspace.close()


async def test_the_first_rows_are_shown_as_they_stand_in_the_file(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    first = await load(written(tmp_path, "a.csv", PLAIN))
    head = await workspace.head(first.id)
    assert head == (("código", "turno", "valor"), ("00123", "A", "1,5"), ("00124", "B", "2,5"))
    again = await workspace.read_again(first.id, ImportChoices(header_row=0))
    assert await workspace.head(again.id) == head
    long = await load(written(tmp_path, "b.csv", "n\n" + "1\n" * 100))
    assert len(await workspace.head(long.id)) == 40
    assert await workspace.head("nothing") == ()


async def test_the_first_rows_of_a_sheet_begin_at_its_first_row_and_column(
    workspace: Workspace, load: Load, tmp_path: Path
) -> None:
    made = openpyxl.Workbook()
    sheet = made.worksheets[0]
    cells: dict[str, str | float | date] = {"B3": "n", "C3": "dia", "B4": 1.5}
    for place, cell in {**cells, "C4": date(2026, 2, 1)}.items():
        sheet[place] = cell
    made.save(tmp_path / "a.xlsx")
    profile = await load(tmp_path / "a.xlsx")
    assert await workspace.head(profile.id) == (
        (),
        (),
        ("", "n", "dia"),
        ("", "1.5", "2026-02-01"),
    )
