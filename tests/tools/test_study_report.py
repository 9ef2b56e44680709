"""Reports of studies: what stands in them, and the two files."""

import random
import shutil
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import load_workbook

from qhub_desktop import __version__
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.study import PointNote, Study
from qhub_desktop.data.export_service import ExportService
from qhub_desktop.tools.studies.customer_page import ReportOrigin
from qhub_desktop.tools.studies.report import (
    StudyReports,
    report_facts,
    report_page,
    report_sheets,
)
from tests.tools.conftest import Drawn, ToolHarness
from tests.tools.test_control_study import csv, study_of

SHA = "ab" * 32
NOTE = PointNote("28", "filter", "filter changed", "Ana", datetime(2026, 3, 1, 9, 0))
ORIGIN = ReportOrigin("Rui Costa", datetime(2026, 3, 2, 14, 5), SHA, (NOTE,))


async def made(harness: ToolHarness, tmp_path: Path) -> Study:
    random.seed(11)
    rows = [f"{at % 2};{random.gauss(100, 4) + 40 * (at == 7):.3f}" for at in range(60)]
    await harness.drop(csv(tmp_path, "espessura.csv", "linha;espessura", rows))
    output = await harness.use(
        "carta_controlo",
        tipo="i",
        coluna="espessura",
        onde="linha = 0 OR espessura > 120",
        excluir=[{"ponto": "3", "motivo": "peça de ensaio"}],
    )
    assert not output.is_error, output.content
    return study_of(output)


async def test_a_report_says_how_it_was_made(harness: ToolHarness, tmp_path: Path) -> None:
    study = await made(harness, tmp_path)
    facts = dict(report_facts(study, ORIGIN))

    assert facts["Made by"] == "Rui Costa"
    assert facts["Made on"] == "02/03/2026 14:05"
    assert facts["Program"] == f"QHub Desktop {__version__}"
    assert facts["SHA-256 of the data"] == SHA
    assert facts["Condition on the rows"] == "linha = 0 OR espessura > 120"
    assert facts["Rows used"] == "31 of 60"


async def test_a_change_by_hand_is_marked_on_both(harness: ToolHarness, tmp_path: Path) -> None:
    study = await made(harness, tmp_path)
    page = report_page(study, ORIGIN).document
    summary = report_sheets(study, ORIGIN)[0]

    assert "Contains changes by hand (1)" in page
    assert "peça de ensaio" in page
    assert any("peça de ensaio" in note for note in summary.notes)
    assert "<td>filter changed</td>" in page
    assert any("filter changed" in note for note in summary.notes)


async def test_both_files_are_written(harness: ToolHarness, tmp_path: Path) -> None:
    study = await made(harness, tmp_path)
    printer = Drawn()
    reports = StudyReports(ExportService(), printer)

    document, book = await reports.write(study, tmp_path / "Relatório março.pdf", ORIGIN)

    assert document.stat().st_size > 0
    assert printer.pages[0].title == study.title
    sheets = load_workbook(book)
    texts = [str(cell.value) for row in sheets.worksheets[0] for cell in row if cell.value]
    assert SHA in texts
    assert sheets.worksheets[0].title == "Report"
    with zipfile.ZipFile(book) as parts:
        assert any(name.startswith("xl/charts/") for name in parts.namelist())
    points = sheets["Points"]
    assert points.max_row > len(study.points.rows if study.points else ())


async def test_nothing_is_written_where_nothing_can_be(
    harness: ToolHarness, tmp_path: Path
) -> None:
    study = await made(harness, tmp_path)
    reports = StudyReports(ExportService(), Drawn())
    gone = tmp_path / "gone"
    gone.mkdir()
    shutil.rmtree(gone)

    with pytest.raises(UserError):
        await reports.write(study, gone / "report.pdf", ORIGIN)
