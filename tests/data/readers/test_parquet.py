"""Parquet files: values to their last digit, columns under the names that the file gives them."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from tests.data.conftest import Imported, Read


@pytest.fixture
def written(read: Read, tmp_path: Path) -> Any:
    """A file of columns, read."""

    def write(columns: dict[str, Any]) -> Imported:
        file = tmp_path / "medidas.parquet"
        pl.DataFrame(columns).write_parquet(file)
        (imported,) = read(file)
        return imported

    return write


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (pl.Series([2**64 - 1, 2**64 - 2, 7], dtype=pl.UInt64), "text", None),
        (pl.Series([10**18, 10**18 + 1, -3]), "text", None),
        (pl.Series([2**53 + 1, 2**53, -3]), "integer", [2**53 + 1, 2**53, -3]),
        (pl.Series([5, 7, 9], dtype=pl.UInt64), "integer", [5, 7, 9]),
        (pl.Series(["12345678901234567890.5", "1"]).cast(pl.Decimal(30, 2)), "text", None),
        (pl.Series(["1234567.25", "0.10"]).cast(pl.Decimal(30, 2)), "number", [1234567.25, 0.1]),
    ],
)
def test_numbers_keep_all_their_digits(
    written: Any, values: pl.Series, type_: str, expected: list[Any] | None
) -> None:
    imported = written({"n": list(range(len(values))), "valor": values})
    found = imported.column("valor")
    assert found == (expected or values.cast(pl.String).to_list())
    assert imported.types[1] in (type_, "category" if type_ == "text" else type_)
    report = imported.profile.report
    assert [each.kind for each in report.repaired] == ["kept_as_text"] * (type_ == "text")
    assert not report.doubtful


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_lengths_of_time_have_their_unit(written: Any, unit: Any) -> None:
    lengths = [timedelta(minutes=5), timedelta(minutes=90), None, timedelta(seconds=-30)]
    imported = written({"ciclo": pl.Series(lengths, dtype=pl.Duration(unit)), "n": [1, 2, 3, 4]})
    assert imported.column("ciclo") == [5 / 60, 1.5, None, -30 / 3600]
    assert "were read as hours" in imported.warned


def test_no_column_takes_the_name_of_another(written: Any) -> None:
    imported = written({"Valor": [1], "VALOR": [10], "valor_1": [7], "valor_2": [8], "x": [9]})
    assert imported.names == ["Valor", "VALOR_3", "valor_1", "valor_2", "x"]
    assert imported.rows == [(1, 10, 7, 8, 9)]
    assert "renamed: VALOR → VALOR_3" in imported.warned


def test_columns_with_parts_are_one_each(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "partes.parquet"
    duckdb.connect(":memory:").execute(
        "COPY (SELECT 1 AS a, {'x': 1, 'Y': [2, 3]} AS parte, 2 AS A_, MAP {'k': 1} AS m)"
        f" TO '{file.as_posix()}' (FORMAT parquet)"
    )
    (imported,) = read(file)
    assert imported.names == ["a", "parte", "A_", "m"]
    assert imported.rows[0][:3] == (1, '{"x":1,"Y":[2,3]}', 2)
