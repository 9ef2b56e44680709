"""Other readers on the same files, each in a process of its own: `rivals NAME FILE [FOLDER]`.

Prints the seconds that reading alone took and those of the processor, without those it took to load
the library. They step back as our own import does, so that a busy machine is as hard on all.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from qhub_desktop.core.processes.child import NICENESS

# Every reader loads its own library and no other: a process is to cost what it costs alone.

LOCAL = "delim = ';', decimal_separator = ',', dateformat = '%d/%m/%Y', encoding = 'latin-1'"


def nothing(_file: Path, _folder: Path) -> Callable[[], object]:
    """A Python that reads nothing: what every process costs."""
    return lambda: None


def pandas_openpyxl(file: Path, _folder: Path) -> Callable[[], object]:
    """What most scripts do."""
    import pandas as pd

    return lambda: pd.read_excel(file, engine="openpyxl")


def calamine(file: Path, _folder: Path) -> Callable[[], object]:
    """The raw reader of cells, as lists."""
    import python_calamine

    return lambda: python_calamine.load_workbook(file).get_sheet_by_index(0).to_python()


def fastexcel_arrow(file: Path, _folder: Path) -> Callable[[], object]:
    """The raw reader of columns, as Arrow."""
    import fastexcel

    return lambda: (
        fastexcel.read_excel(file).load_sheet(0, schema_sample_rows=None).__arrow_c_array__()
    )


def polars_excel(file: Path, _folder: Path) -> Callable[[], object]:
    """A frame by the same raw reader."""
    import polars as pl

    return lambda: pl.read_excel(file, engine="calamine")


def duckdb_store(file: Path, folder: Path) -> Callable[[], object]:
    """The database's own reader, its rows kept in a file."""
    return _duckdb(file, folder, "", "")


def duckdb_store_summarize(file: Path, folder: Path) -> Callable[[], object]:
    """The same, and what the database knows of every column."""
    return _duckdb(file, folder, "", "SUMMARIZE kept.rows")


def duckdb_store_local(file: Path, folder: Path) -> Callable[[], object]:
    """The database's own reader, told all about the file's way of writing."""
    return _duckdb(file, folder, f", {LOCAL}", "")


def polars_csv(file: Path, _folder: Path) -> Callable[[], object]:
    """A frame with its dates."""
    import polars as pl

    return lambda: pl.read_csv(file, try_parse_dates=True)


def polars_csv_local(file: Path, _folder: Path) -> Callable[[], object]:
    """The same, told all about the file's way of writing."""
    import polars as pl

    def read() -> object:
        frame = pl.read_csv(file, separator=";", decimal_comma=True, encoding="cp1252")
        return frame.with_columns(pl.col("data").str.to_date("%d/%m/%Y"))

    return read


def pandas_csv(file: Path, _folder: Path) -> Callable[[], object]:
    """A frame with its dates."""
    import pandas as pd

    return lambda: pd.read_csv(file, parse_dates=["data"])


def pandas_csv_local(file: Path, _folder: Path) -> Callable[[], object]:
    """The same, told all about the file's way of writing."""
    import pandas as pd

    return lambda: pd.read_csv(
        file, sep=";", decimal=",", encoding="cp1252", parse_dates=["data"], date_format="%d/%m/%Y"
    )


def _duckdb(file: Path, folder: Path, options: str, after: str) -> Callable[[], object]:
    import duckdb

    def read() -> None:
        with duckdb.connect(":memory:", config={"threads": 2}) as db:
            db.execute(f"ATTACH '{folder / 'rival.duckdb'}' AS kept")
            db.execute(f"CREATE TABLE kept.rows AS FROM read_csv('{file}'{options})")
            db.execute("CHECKPOINT kept")
            if after:
                db.execute(after).fetchall()

    return read


RIVALS = {
    rival.__name__: rival
    for rival in (
        nothing,
        pandas_openpyxl,
        calamine,
        fastexcel_arrow,
        polars_excel,
        duckdb_store,
        duckdb_store_summarize,
        duckdb_store_local,
        polars_csv,
        polars_csv_local,
        pandas_csv,
        pandas_csv_local,
    )
}


def main(name: str, file: str, folder: str) -> None:
    """Read, and print the seconds."""
    if sys.platform != "win32":
        os.nice(NICENESS)
    read = RIVALS[name](Path(file), Path(folder))
    start, busy = time.perf_counter(), time.process_time()
    found = read()
    print(json.dumps([time.perf_counter() - start, time.process_time() - busy]))
    del found


if __name__ == "__main__":
    main(*sys.argv[1:])
