"""Tables as values: their columns found by name."""

import pytest

from qhub_desktop.core.codec import pack, unpack
from qhub_desktop.core.table import Column, ColumnRows, Table

TABLE = Table(
    (Column("turno", "text"), Column("n", "integer"), Column("nota", "text")),
    (("noite", 1, "a"), ("tarde", 2, None)),
)


def test_columns_are_taken_in_the_order_of_asking() -> None:
    assert TABLE.of(["n", "turno"]) == Table(
        (Column("n", "integer"), Column("turno", "text")), ((1, "noite"), (2, "tarde"))
    )


def test_an_unknown_column_is_no_column() -> None:
    assert [*TABLE.cells("n")] == [1, 2]
    for take in (TABLE.cells, TABLE.column, lambda name: TABLE.of([name])):
        with pytest.raises(KeyError, match="linha"):
            take("linha")


def test_rows_of_columns_are_rows_like_any_other() -> None:
    rows = ColumnRows(["noite", "tarde"], [1, 2], ["a", None])
    assert len(rows) == 2
    assert rows[-1] == ("tarde", 2, None)
    assert rows[:1] == TABLE.rows[:1]
    with pytest.raises(IndexError):
        rows[2]
    assert rows == TABLE.rows
    assert rows == ColumnRows(["noite", "tarde"], [1, 2], ["a", None])
    assert rows != ColumnRows(["noite", "tarde"], [1, 3], ["a", None])
    table = Table(TABLE.columns, rows)
    assert hash(table) == hash(TABLE)
    assert unpack(Table, pack(table)) == TABLE
    with pytest.raises(ValueError, match="lengths"):
        ColumnRows([1, 2], [1])
