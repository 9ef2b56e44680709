"""Records in JSON and columns in Parquet: every value exactly, nothing of an object lost."""

import itertools
import json
import random
from datetime import UTC, date, datetime, time
from decimal import Decimal
from math import prod
from pathlib import Path
from typing import Any

import duckdb
import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.data.ingest.readers.sheet import CellError
from tests.data.readers.conftest import Give

SERVICE = b'{"d": {"results": [{"a": 1}], "__next": "x"}}'


def parquet(folder: Path, select: str) -> bytes:
    file = folder / "made.parquet"
    with duckdb.connect() as db:
        db.execute(f"COPY ({select}) TO '{file.as_posix()}' (FORMAT parquet)")
    return file.read_bytes()


def test_records_are_rows_under_the_names_of_all(give: Give) -> None:
    (given,) = give("a.json", b'\xef\xbb\xbf[{"a": 1, "b": "00123"},\n {"c": true, "a": null}]')
    assert given.format == "JSON"
    assert given.sheet.has_names
    assert given.rows == [["a", "b", "c"], [1, "00123", None], [None, None, True]]


def test_an_object_a_line_is_a_record(give: Give) -> None:
    (given,) = give("a.txt", b'{"a": 1}\r\n\r\n{"a": 2, "b": 3}\r\n')
    assert given.rows == [["a", "b"], [1, None], [2, 3]]


def test_numbers_keep_every_digit(give: Give) -> None:
    text = b'[{"a": 376012345678901234, "b": 0.1, "c": 1e-10, "d": 123456789012345678901234,'
    text += b' "e": 0.12345678901234567890123, "f": NaN, "g": 1.50}]'
    (given,) = give("a.json", text)
    assert given.rows[1] == [
        376012345678901234,
        0.1,
        1e-10,
        "123456789012345678901234",
        "0.12345678901234567890123",
        CellError("NaN"),
        1.5,
    ]


def test_objects_in_records_are_columns_and_lists_stay_text_and_are_said(give: Give) -> None:
    text = '[{"a": {"ç": [1, null], "b": {"c": {"d": 1}}}, "a.ç": 2, "e": {}}, {"a": 3}]'
    (given,) = give("a.json", text.encode())
    assert given.rows == [
        ["a.ç", "a.b.c", "a.ç (2)", "e", "a"],
        ["[1, null]", '{"d": 1}', 2, "{}", None],
        [None, None, None, None, 3],
    ]
    assert given.said == ["lists_in_cells"]
    assert "a.ç" in given.sheet.doubtful[0].text


def test_objects_of_very_many_names_stay_json(give: Give) -> None:
    many = ", ".join(f'"d{n}": [{n}]' for n in range(300))
    (given,) = give("a.json", f'[{{"a": {{{many}}}, "b": 1}}, {{"b": 2}}]'.encode())
    assert given.rows == [["a", "b"], [f"{{{many}}}", 1], [None, 2]]
    assert not given.said


def test_a_name_that_stands_twice_keeps_both_values(give: Give) -> None:
    (given,) = give("a.json", b'[{"a": 1, "a": 2}]')
    assert given.rows == [["a", "a (2)"], [1, 2]]


def test_the_list_inside_an_answer_is_found_and_the_rest_is_said(give: Give) -> None:
    (given,) = give("a.json", SERVICE)
    assert given.rows == [["a"], [1]]
    assert given.said == ["beside_records"]
    assert "d.__next" in given.sheet.doubtful[0].text


def test_several_lists_are_sheets(give: Give) -> None:
    one, two = give("a.json", b'{"um": [{"a": 1}], "dois": [{"b": 2}]}')
    assert one.names == ("um", "dois")
    assert (one.rows, two.rows) == ([["a"], [1]], [["b"], [2]])
    assert not one.said


@pytest.mark.parametrize(
    "content",
    [
        '{"peça": {"0": "Cuba", "1": null}, "peso": {"0": 1.5, "1": 2}}',
        '{"peça": ["Cuba", null], "peso": [1.5, 2]}',
    ],
)
def test_columns_of_cells_are_turned_into_rows(give: Give, content: str) -> None:
    (given,) = give("a.json", content.encode())
    assert given.sheet.has_names
    assert given.rows == [["peça", "peso"], ["Cuba", 1.5], [None, 2]]
    assert not given.said


def test_numbers_of_rows_that_were_chosen_are_a_column(give: Give) -> None:
    (given,) = give("a.json", b'{"a": {"7": 1, "3": 2}, "b": {"7": "x", "3": "y"}}')
    assert given.rows == [["index", "a", "b"], [7, 1, "x"], [3, 2, "y"]]


def _cube(seed: int, *, is_sparse: bool, is_old: bool) -> tuple[bytes, list[list[object]]]:
    """A cube of JSON-stat, and its rows."""
    chance = random.Random(seed)
    sizes = [chance.randint(1, 4) for _dimension in range(chance.randint(1, 4))]
    ids = [f"d{number}" for number in range(len(sizes))]
    dimensions: dict[str, Any] = {}
    for id_, size in zip(ids, sizes, strict=True):
        codes = chance.sample([f"c{number}" for number in range(9)], size)
        index = codes if chance.random() < 0.5 else {code: n for n, code in enumerate(codes)}
        label = {code: f"{id_} {code}" for code in sorted(codes)}
        dimensions[id_] = {"label": id_, "category": {"index": index, "label": label}}
    keys = itertools.product(
        *([f"{id_} {code}" for code in dimensions[id_]["category"]["index"]] for id_ in ids)
    )
    values = [chance.choice((None, chance.randrange(900) / 8)) for _cell in range(prod(sizes))]
    rows: list[list[object]] = [[*ids, "value"]]
    rows += [[*key, value] for key, value in zip(keys, values, strict=True)]
    given = {str(n): v for n, v in enumerate(values) if v is not None} if is_sparse else values
    cube: dict[str, object] = {"value": given}
    if is_old:
        cube["dimension"] = {**dimensions, "id": ids, "size": sizes}
        return json.dumps({"dataset": cube}).encode(), rows
    cube |= {"version": "2.0", "class": "dataset", "id": ids, "size": sizes}
    return json.dumps({**cube, "dimension": dimensions}).encode(), rows


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("is_old", [False, True])
def test_a_cube_of_statistics_is_a_row_for_each_cell(
    give: Give, seed: int, *, is_sparse: bool, is_old: bool
) -> None:
    content, rows = _cube(seed, is_sparse=is_sparse, is_old=is_old)
    (given,) = give("a.json", content)
    assert given.sheet.has_names
    assert given.rows == rows


def test_what_is_doubted_in_a_cube_and_stands_beside_it_is_told(give: Give) -> None:
    (given,) = give(
        "a.json",
        b'{"class": "dataset", "source": "x", "id": ["t"], "size": [2], "value": [1, null],'
        b' "status": {"1": ":"}, "dimension": {"t": {"category": {"index": ["a", "b"]}}}}',
    )
    assert given.rows == [["t", "value", "status"], ["a", 1, None], ["b", None, ":"]]
    assert given.said == ["beside_records"]


def test_lists_of_cells_are_rows_without_names(give: Give) -> None:
    (given,) = give("a.json", b'[["a", "b"], [1, 2]]')
    assert not given.sheet.has_names
    assert given.rows == [["a", "b"], [1, 2]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'[{"a": 1}, {"a"', "ends in the middle"),
        (b'[{"a": 1}', "ends in the middle"),
        (b'[{"a": "b', "ends in the middle"),
        (b'{"a": [{"b": 1}]', "ends in the middle"),
        (b'[{"a": 1}] x', "not valid JSON: line 1 "),
        (b'\n\n[{"a": 1},\n {"a": 2, a}]', "not valid JSON: line 4 "),
        (b"[1, 2]", "not a list of records"),
        (b"[]", "not a list of records"),
        (b'{"a": [1, 2]}', "not a list of records"),
        (b'{"a": [1, 2], "b": [1]}', "not a list of records"),
        (b'{"a": [], "b": []}', "not a list of records"),
        (b'{"a": {"x": 1}, "b": {"x": 2}}', "not a list of records"),
        (b'{"a": {"0": 1}, "b": {"1": 2}}', "not a list of records"),
        (b"[" * 100_000, "not a list of records"),
        (b'[{"a": ' + b"9" * 5_000 + b"}, 1]", "not a list of records"),
    ],
)
def test_other_json_is_refused(give: Give, content: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words):
        give("a.json", content)


def test_a_log_in_brackets_is_no_json(give: Give) -> None:
    (given,) = give("a.csv", b"[Header];x\n1;2\n3;4\n")
    assert given.format != "JSON"


def test_columns_keep_their_types(give: Give, tmp_path: Path) -> None:
    content = parquet(
        tmp_path,
        "SELECT '00123' AS texto, 376012345678901234 AS id, 0.1::DOUBLE AS x, true AS ok,"
        " DATE '2026-02-01' AS dia, TIMESTAMP '2026-02-01 08:30:00' AS momento,"
        " TIME '08:30:00' AS hora, 1.25::DECIMAL(9, 2) AS curto,"
        " 12345678901234567890.12::DECIMAL(30, 2) AS longo, 2.5::DECIMAL(30, 2) AS meio,"
        " {'a': [1, 2]} AS dentro, NULL::INTEGER AS nada",
    )
    (given,) = give("a.csv", content)
    assert given.format == "Parquet"
    assert given.sheet.has_names
    assert given.rows == [
        ["texto", "id", "x", "ok", "dia", "momento", "hora", "curto", "longo", "meio", "dentro",
         "nada"],
        ["00123", 376012345678901234, 0.1, True, date(2026, 2, 1), datetime(2026, 2, 1, 8, 30),
         time(8, 30), 1.25, "12345678901234567890.12", 2.5, '{"a":[1,2]}', None],
    ]  # fmt: skip


def test_moments_with_a_zone_are_those_of_utc_and_said_to_be(give: Give, tmp_path: Path) -> None:
    seconds = int(datetime(2026, 2, 1, 8, 30, tzinfo=UTC).timestamp())
    (given,) = give("a.parquet", parquet(tmp_path, f"SELECT to_timestamp({seconds}) AS m"))
    assert given.rows[1] == [datetime(2026, 2, 1, 8, 30)]
    assert given.said == ["times_in_utc"]


def test_dates_beyond_every_calendar_stay_text(give: Give, tmp_path: Path) -> None:
    content = parquet(tmp_path, "SELECT unnest([DATE '0044-03-15 (BC)', DATE '2026-02-01']) AS d")
    (given,) = give("a.parquet", content)
    assert given.rows[2] == ["2026-02-01"]
    assert isinstance(given.rows[1][0], str)


def test_a_name_with_signs_of_a_pattern_is_one_file(give: Give, tmp_path: Path) -> None:
    (given,) = give("a[1].parquet", parquet(tmp_path, "SELECT 1.5::DECIMAL(4, 2) AS a"))
    assert given.rows[1] == [float(Decimal("1.5"))]


def test_damaged_columns_are_refused(give: Give, tmp_path: Path) -> None:
    content = parquet(tmp_path, "SELECT range AS a FROM range(1000)")
    with pytest.raises(UserError, match="ends in the middle"):
        give("a.parquet", content[:-50])
    with pytest.raises(UserError, match="damaged"):
        give("a.parquet", content[:20] + bytes(200) + content[220:])
