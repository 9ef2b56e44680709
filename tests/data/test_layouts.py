"""Layouts of sheets by seed: what is read otherwise than it is in truth is said to be in doubt."""

from pathlib import Path

import pytest
import xlsxwriter

from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.core.errors import UserError
from tests.data.conftest import Read, read_here
from tests.data.nasty import layouts
from tests.data.nasty.layouts import Maker
from tests.data.test_nasty import differences, refusal
from tests.data.writers import grids

SEEDS = 10  # of each layout; more are tried by hand


@pytest.mark.parametrize("maker", layouts.MAKERS, ids=lambda maker: maker.__name__)
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
