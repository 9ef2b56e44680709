"""Tables as values: their columns found by name."""

import pytest

from qhub_desktop.core.table import Column, Table

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
