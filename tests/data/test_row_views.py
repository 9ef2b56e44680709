"""The rows of a data set as a person looks at them: any part, in any order, with any filter."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from qhub_desktop.core import text
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.data.query.service import CellRange
from qhub_desktop.data.query.view_spec import (
    Between,
    Contains,
    Direction,
    Empty,
    Filter,
    NoneOf,
    NotEmpty,
    OneOf,
    RowView,
)
from qhub_desktop.data.workspace import Workspace

READINGS = Table(
    (
        Column("rowid", "integer"),  # the database has a secret column of that name
        Column("dia", "date"),
        Column("quando", "datetime"),
        Column('peça "nova"', "text"),
        Column("peso", "number"),
        Column("ok", "boolean"),
    ),
    (
        (10, date(2026, 2, 3), datetime(2026, 2, 3, 8, 30), "Não conforme", 1234.5, True),
        (
            9,
            date(2026, 1, 20),
            datetime(2026, 1, 20, 23, 59),
            "'; DROP TABLE rows; --",
            2.25,
            False,
        ),
        (100, None, datetime(2026, 1, 21), "PEÇA\N{NO-BREAK SPACE}nº 1", None, None),
        (2, date(2026, 2, 1), None, None, -0.5, True),
        (9, date(2025, 12, 31), None, "(a.c)+", 2.25, True),
    ),
)
NAME = READINGS.columns[3].name


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace for all: looking leaves no trace."""
    opened = Workspace(tmp_path_factory.mktemp("shared"), query_s=10)
    yield opened
    opened.close()


async def ids(workspace: Workspace, view: RowView) -> list[Cell]:
    """The first column of the rows of a view."""
    await workspace.register("readings", "readings", READINGS)
    page = await workspace.views.page("readings", view, start=0, count=100)
    assert page.total == len(page.table.rows)
    return list(page.table.cells("rowid"))


async def long(workspace: Workspace, tmp_path: Path, *, rows: int = 3_000) -> str:
    """A file with many rows, by id."""
    file = tmp_path / "long.csv"
    lines = (f"{at};{at % 7};linha {at % 100}" for at in range(rows))
    file.write_text("\n".join(["n;resto;nome", *lines]), encoding="utf-8")
    (profile,) = await workspace.load(file)
    return profile.id


async def test_any_page_of_a_file_is_read_by_its_position(
    shared: Workspace, tmp_path: Path
) -> None:
    dataset = await long(shared, tmp_path)

    page = await shared.views.page(dataset, RowView(), start=2_500, count=200)
    last = await shared.views.page(dataset, RowView(), start=2_990, count=200)

    assert (page.start, page.total) == (2_500, 3_000)
    assert list(page.table.cells("n")) == list(range(2_500, 2_700))
    assert page.numbers[0] == 2_501
    assert len(last.table.rows) == 10


async def test_the_pages_of_a_sorted_and_filtered_view_make_the_whole_of_it(
    shared: Workspace, tmp_path: Path
) -> None:
    dataset = await long(shared, tmp_path)
    view = RowView((("resto", "down"), ("n", "up")), (NoneOf("resto", (3,)),))

    rows: list[tuple[Cell, ...]] = []
    numbers: list[int] = []
    for start in range(0, 3_000, 200):
        page = await shared.views.page(dataset, view, start=start, count=200)
        rows += page.table.rows
        numbers += page.numbers

    wanted = sorted((at for at in range(3_000) if at % 7 != 3), key=lambda at: (-(at % 7), at))
    assert [row[0] for row in rows] == wanted
    assert numbers == [at + 1 for at in wanted]


async def test_rows_are_written_out_for_the_clipboard_in_the_order_of_the_view(
    shared: Workspace, tmp_path: Path
) -> None:
    dataset = await long(shared, tmp_path)
    view = RowView((("n", "down"),), (NoneOf("resto", (3,)),))

    parts = await shared.views.clipboard(
        dataset, view, start=0, count=2_800, columns=["nome", None, "n"]
    )

    wanted = sorted((at for at in range(3_000) if at % 7 != 3), reverse=True)
    lines = "\n".join(each.lines for each in parts).split("\n")
    assert lines == [f"linha {at % 100}\t\t{at}" for at in wanted]
    assert sum(each.count for each in parts) == len(wanted)
    markup = "".join(each.markup for each in parts)
    assert markup.count("<tr>") == len(wanted)
    assert markup.startswith("<tr><td style=")
    assert f'<td></td><td x:num="{wanted[0]}">{wanted[0]}</td></tr>' in markup


async def test_cells_arrive_exactly_as_they_are_kept(shared: Workspace) -> None:
    await shared.register("readings", "readings", READINGS)

    page = await shared.views.page("readings", RowView(), start=0, count=10)

    assert page.table.rows == READINGS.rows
    assert page.table.names == READINGS.names


@pytest.mark.parametrize(
    ("sort", "wanted"),
    [
        ((("rowid", "up"),), [2, 9, 9, 10, 100]),
        ((("peso", "down"), ("dia", "up")), [10, 9, 9, 2, 100]),
        ((("dia", "up"),), [9, 9, 2, 10, 100]),
        ((("dia", "down"),), [10, 2, 9, 9, 100]),
        (((NAME, "up"),), [9, 9, 10, 100, 2]),
        ((("ok", "down"),), [10, 2, 9, 9, 100]),
    ],
)
async def test_sorting_goes_by_what_cells_are_and_leaves_the_empty_at_the_end(
    shared: Workspace, sort: tuple[tuple[str, Direction], ...], wanted: list[int]
) -> None:
    assert await ids(shared, RowView(sort)) == wanted


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        (Contains(NAME, "peca n"), [100]),
        (Contains(NAME, "NAO CONF"), [10]),
        (Contains(NAME, "(a.c)+"), [9]),
        (Contains(NAME, "';"), [9]),
        (Contains("peso", "1 234,5"), [10]),
        (Contains("dia", "01/2026"), [9]),
        (OneOf(NAME, ("'; DROP TABLE rows; --",)), [9]),
        (OneOf("peso", (2.25, None)), [9, 100, 9]),
        (OneOf("dia", (date(2026, 2, 1),)), [2]),
        (OneOf("ok", (False,)), [9]),
        (OneOf("ok", ()), []),
        (NoneOf("peso", (2.25,)), [10, 100, 2]),
        (NoneOf("peso", (2.25, None)), [10, 2]),
        (Between("peso", -1, 2.25), [9, 2, 9]),
        (Between("peso", upper=0), [2]),
        (Between("dia", date(2026, 1, 20), date(2026, 2, 1)), [9, 2]),
        (Between("quando", date(2026, 1, 20), date(2026, 1, 20)), [9]),
        (Between("quando", datetime(2026, 1, 21), None), [10, 100]),
        (Empty(NAME), [2]),
        (NotEmpty(NAME), [10, 9, 100, 9]),
    ],
)
async def test_a_filter_leaves_the_rows_that_it_describes(
    shared: Workspace, wanted: Filter, rows: list[int]
) -> None:
    text.use("pt")

    assert await ids(shared, RowView(filters=(wanted,))) == rows


async def test_filters_on_several_columns_all_hold(shared: Workspace) -> None:
    view = RowView(filters=(OneOf("rowid", (9, 10)), Between("dia", lower=date(2026, 1, 1))))

    assert await ids(shared, view) == [10, 9]


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("nao", [10]),
        ("100", [100]),
        ("2,25", [9, 9]),
        ("31/12", [9]),
        ("23:59", [9]),
        ("sim", [10, 2, 9]),
        ("nowhere", []),
    ],
)
async def test_words_are_found_in_every_column_as_the_person_reads_it(
    shared: Workspace, words: str, rows: list[int]
) -> None:
    text.use("pt")

    assert await ids(shared, RowView(find=words)) == rows


async def test_finding_goes_from_place_to_place_and_round_the_end(
    shared: Workspace, tmp_path: Path
) -> None:
    dataset = await long(shared, tmp_path)
    view = RowView((("n", "down"),))

    found = [await shared.views.find(dataset, view, "LINHA 42", start=-1, step="next")]
    for _each in range(2):
        assert found[-1] is not None
        found.append(
            await shared.views.find(
                dataset, view, "LINHA 42", start=found[-1].position, step="next"
            )
        )
    back = await shared.views.find(dataset, view, "linha 42", start=57, step="previous")

    places = [(each.position, each.column, each.number, each.total) for each in found if each]
    assert places == [(57, 2, 1, 30), (157, 2, 2, 30), (257, 2, 3, 30)]
    assert back is not None
    assert (back.position, back.number) == (2_957, 30)
    assert await shared.views.find(dataset, view, "linha 420", start=0, step="next") is None


async def test_values_are_counted_under_the_filters_on_other_columns(shared: Workspace) -> None:
    await shared.register("readings", "readings", READINGS)
    view = RowView(filters=(OneOf("rowid", (9, 100)), OneOf("peso", (1234.5,))))

    counted = await shared.views.values("readings", "peso", view)
    few = await shared.views.values("readings", "rowid", RowView(), limit=1)
    searched = await shared.views.values("readings", NAME, RowView(), words="peca")

    assert counted.values == ((2.25, 2), (None, 1))
    assert (few.values, few.distinct) == (((9, 2),), 4)
    assert [value for value, _count in searched.values] == ["PEÇA\N{NO-BREAK SPACE}nº 1"]


async def test_cells_are_summed_up_as_in_a_spreadsheet(shared: Workspace) -> None:
    await shared.register("readings", "readings", READINGS)
    view = RowView((("rowid", "up"),))

    some = await shared.views.summary(
        "readings", view, [CellRange(0, 3, ("peso", NAME)), CellRange(4, 1, ("dia",))]
    )
    whole = await shared.views.summary("readings", RowView(), [CellRange(0, 5, ("rowid",))])

    assert (some.filled, some.numbers, some.total) == (5, 3, 4.0)
    assert (some.least, some.most) == (-0.5, 2.25)
    assert (whole.total, whole.mean) == (130, 26)
    assert isinstance(whole.total, int)


async def test_rows_held_anew_are_seen_at_once(shared: Workspace) -> None:
    await shared.register("log", "log", Table((Column("n", "integer"),), ((1,),)))
    await shared.views.page("log", RowView(), start=0, count=9)

    await shared.register("log", "log", Table((Column("n", "integer"),), ((1,), (2,))))
    page = await shared.views.page("log", RowView(), start=0, count=9)

    assert page.total == 2


async def test_the_demo_log_can_be_looked_at_in_many_ways_in_a_row(shared: Workspace) -> None:
    (profile,) = await shared.load(DEMO_DATA / "defeitos.csv")
    totals = []

    for shift in ("manha", "tarde", "noite") * 3:
        for direction in ("up", "down"):
            view = RowView((("data", direction),), (OneOf("turno", (shift,)),))
            totals.append((await shared.views.page(profile.id, view, start=0, count=5)).total)

    assert sum(totals) == 6 * 200


async def test_a_data_set_that_is_gone_is_said(shared: Workspace) -> None:
    with pytest.raises(UserError):
        await shared.views.page("0123456789ab-1", RowView(), start=0, count=10)


async def test_what_is_no_finite_number_is_an_empty_cell_at_the_end_of_every_order(
    shared: Workspace,
) -> None:
    numbers = (1.5, float("inf"), 0.5, float("-inf"), float("nan"))
    rows = tuple((place, each) for place, each in enumerate(numbers))
    table = Table((Column("n", "integer"), Column("q", "number")), rows)
    await shared.register("quotients", "quotients", table)
    whole = CellRange(0, 5, ("q",))

    up = await shared.views.page("quotients", RowView(sort=(("q", "up"),)), start=0, count=9)
    down = await shared.views.page("quotients", RowView(sort=(("q", "down"),)), start=0, count=9)
    summary = await shared.views.summary("quotients", RowView(), [whole])

    assert list(up.table.cells("q")) == [0.5, 1.5, None, None, None]
    assert list(down.table.cells("q")) == [1.5, 0.5, None, None, None]
    assert (summary.filled, summary.total, summary.most) == (2, 2.0, 1.5)
