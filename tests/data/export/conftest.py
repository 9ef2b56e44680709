"""Workbooks as they are written, opened by a reader that shares none of our mistakes."""

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.workbook import Workbook

from qhub_desktop.data.export.output import OutputSheet
from qhub_desktop.data.export.xlsx import write_book

Written = Callable[..., Workbook]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write sheets, and open what came of it."""

    def write(*sheets: OutputSheet) -> Workbook:
        file = tmp_path / "written.xlsx"
        write_book(sheets, file)
        return openpyxl.load_workbook(file)

    return write
