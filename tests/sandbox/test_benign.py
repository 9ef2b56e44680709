"""Benign code gives what pandas and Python give outside."""

import contextlib
import io
from pathlib import Path

import numpy as np
import pandas as pd

from qhub_desktop.data.workspace import Workspace
from qhub_desktop.sandbox import PythonData, PythonService
from tests.sandbox.benign import COLUMNS, OVER_DATA, PLAIN, rows, text


async def test_code_without_data_prints_what_it_should(python: PythonService) -> None:
    wrong = {}
    for name, (code, expected) in PLAIN.items():
        run = await python.run(code)
        if (run.output.strip(), run.error) != (expected, None):
            wrong[name] = (run.output, run.error)

    assert wrong == {}


async def test_code_over_data_prints_what_pandas_prints(
    python: PythonService, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "pecas.csv"
    file.write_text(text(), encoding="utf-8")
    (profile,) = await workspace.load(file)
    frame = pd.DataFrame(rows(), columns=[*COLUMNS])
    frame["data"] = pd.to_datetime(frame["data"])
    wrong = {}
    async with python.handing_over() as folder:
        columns = await workspace.write_columns(profile.id, folder / "0")
        data = [PythonData("pecas", file.name, folder / "0", columns)]
        for name, code in OVER_DATA.items():
            run = await python.run(code, data)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(code, {"pecas": frame.copy(), "pd": pd, "np": np})
            if (run.output, run.error) != (printed.getvalue(), None):
                wrong[name] = (run.output, printed.getvalue(), run.error)

    assert wrong == {}


def test_there_are_enough_of_them() -> None:
    assert len(PLAIN) + len(OVER_DATA) >= 40
