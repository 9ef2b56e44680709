"""What is printed, read back from its PDF: the head and foot of each sheet, and whole tables."""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pypdfium2
import pytest
from openpyxl import load_workbook
from PySide6.QtGui import QColor, QImage

from qhub_desktop.core import text
from qhub_desktop.core.dashboard import id_in
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.result_widgets import DashboardLink
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.study import PointNote
from qhub_desktop.data.export_service import ExportService
from qhub_desktop.tools.page_printer import (
    MOST_LOGO_BYTES,
    Letterhead,
    PagePrinter,
    on_paper,
    read_letterhead,
)
from qhub_desktop.tools.studies.customer_page import ReportOrigin
from qhub_desktop.tools.studies.report import StudyReports
from qhub_desktop.tools.widget_pages import PageDocument
from tests.tools.conftest import ToolHarness
from tests.tools.test_control_study import csv, study_of

WHEN = datetime(2026, 3, 2, 14, 5)
NOTES = (
    PointNote("28", "filtro entupido", "filtro trocado", "Ana", WHEN),
    PointNote("40", "tinta nova", "", "Rui", WHEN),
)
SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'


@pytest.fixture
def logo(tmp_path: Path) -> Path:
    file = tmp_path / "logótipo.png"
    picture = QImage(200, 60, QImage.Format.Format_RGB32)
    picture.fill(QColor("#0B6E99"))
    assert picture.save(str(file))
    return file


@pytest.fixture
def portuguese() -> Iterator[None]:
    before = text.language()
    text.use("pt")
    yield
    text.use(before)


def sheets_of(file: Path) -> tuple[list[str], list[tuple[float, float]], int]:
    """The words and the size of each sheet of a PDF, and the number of pictures on the first."""
    with closing(pypdfium2.PdfDocument(file)) as document:
        words = []
        for page in document:
            with closing(page.get_textpage()) as found:
                words.append(" ".join(found.get_text_range().split()))
        sizes = [page.get_size() for page in document]
        pictures = [*document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])]
        return words, sizes, len(pictures)


@pytest.mark.usefixtures("portuguese")
async def test_a_printed_report_is_one_to_hand_on(
    harness: ToolHarness, tmp_path: Path, logo: Path
) -> None:
    random.seed(3)
    rows = [f"{random.gauss(100, 4) + 30 * (at == 27):.2f}" for at in range(60)]
    await harness.drop(csv(tmp_path, "espessura.csv", "espessura", rows))
    output = await harness.use("carta_controlo", tipo="i", coluna="espessura")
    study = study_of(output)
    settings = Settings(station="Estação P2", logo=str(logo))
    reports = StudyReports(ExportService(), PagePrinter(lambda: settings))

    document, _book = await reports.write(
        study, tmp_path / "relatório.pdf", ReportOrigin("Rui Costa", WHEN, "ab" * 32, NOTES)
    )

    words, sizes, pictures = sheets_of(document)
    first, last = words[0], words[-1]
    assert {(round(width), round(height)) for width, height in sizes} == {(595, 842)}
    for number, sheet in enumerate(words, start=1):
        assert "Estação P2" in sheet
        assert f"Página {number} de {len(words)}" in sheet
        assert study.title in sheet
        assert f"Rui Costa · 02/03/2026 14:05 · SHA-256 {'ab' * 32}" in sheet
    assert pictures == 1
    assert study.title in first
    assert study.verdict.split(". ")[0] in first
    assert "LSC = " in first  # the chart is drawn as in the window
    # Every table that fits on a sheet stands on one, with its heading.
    (violations,) = study.tables
    assert violations.table.rows
    for title, ends in (
        ("Violações", ("filtro entupido", "filtro trocado", "Ana, 02/03/2026 14:05")),
        ("Causas e ações noutros pontos", ("tinta nova",)),
        ("Método", [value for _name, value in study.facts]),
        ("Como foi feito", ("Rui Costa", "ab" * 32)),
        ("Pontos Ponto", [str(row[0]) for row in study.points.rows] if study.points else ()),
    ):
        on = [sheet for sheet in words if title in sheet]
        assert len(on) == 1, title
        assert [each for each in ends if " ".join(each.split()) not in on[0]] == [], title
    assert "Preparado por" in last
    assert "Aprovado por" in last


@pytest.mark.usefixtures("portuguese")
async def test_two_rows_of_charts_stand_on_one_sheet_with_their_data(
    harness: ToolHarness, tmp_path: Path
) -> None:
    names = ("turno", "operador", "material", "rack")
    charts = "".join(
        f'<div class="chart-container"><h3>Por {name}</h3><div style="height:260px">'
        f'<canvas data-chart="por_{name}"></canvas></div></div>'
        for name in names
    )
    made = await harness.use(
        "gerar_dashboard",
        titulo="Defeitos",
        html='<h1>Defeitos</h1><div class="dashboard-row"><div class="kpi-card"><h3>Ao todo</h3>'
        f'<p>200</p></div></div><div class="dashboard-grid">{charts}</div>',
        dados={
            f"por_{name}": f"SELECT {name}, count(*) AS n FROM defeitos GROUP BY {name}"
            for name in names
        },
    )
    assert isinstance(made.widget, DashboardLink)
    page = await harness.files.page(await harness.dashboards.filled(id_in(made.widget.url)))
    file = tmp_path / "painel.pdf"

    await PagePrinter(lambda: Settings(station="Estação P2"))(page, file)

    (words,), _sizes, _pictures = sheets_of(file)
    assert "Página 1 de 1" in words
    assert "Por turno · 3 linhas · defeitos.csv" in words
    assert "por_turno" not in words


@pytest.mark.usefixtures("portuguese")
async def test_a_customers_report_stands_on_one_page(harness: ToolHarness, tmp_path: Path) -> None:
    random.seed(3)
    rows = [f"{at // 5};{random.gauss(100, 4) + 30 * (at > 90):.2f}" for at in range(100)]
    await harness.drop(csv(tmp_path, "espessura.csv", "lote;espessura", rows))
    given = {"coluna": "espessura", "subgrupo": "lote", "lie": 80, "lse": 120}
    study = study_of(await harness.use("capacidade", **given))
    study = replace(study, doubts=study.doubts * 5)  # however much there is to say
    head = {"customer": "Fábrica & Filhos", "part": "Para-choques"}
    reports = StudyReports(ExportService(), PagePrinter(lambda: Settings(station="P2")))

    document, book = await reports.write(
        study, tmp_path / "p.pdf", ReportOrigin("Rui", WHEN, "ab" * 32, head=head), is_one_page=True
    )

    (sheet,), _sizes, _pictures = sheets_of(document)
    for words in ("Fábrica & Filhos", "Para-choques", "Rui, 02/03/2026 14:05", "ab" * 32, "LSC = "):
        assert words in sheet
    for view in study.tables:
        assert view.title in sheet
    assert "Aprovado por" in sheet
    cells = [cell.value for row in load_workbook(book).worksheets[0] for cell in row]
    assert "Fábrica & Filhos" in cells


def test_the_head_of_a_page_is_read(logo: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "logo.svg"
    drawing.write_text(SVG, encoding="utf-8")

    assert read_letterhead(Settings(station="P2")) == Letterhead("P2")
    assert read_letterhead(Settings(logo=str(logo))).logo.startswith("data:image/png;base64,")
    assert read_letterhead(Settings(logo=str(drawing))).logo.startswith("data:image/svg+xml;")


@pytest.mark.parametrize("content", [None, b"GIF89a", b"<html><svg>", b"\x89PNG" + bytes(9), b""])
def test_a_logo_that_is_none_is_refused(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "logo.png"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(UserError, match=r"logo\.png.*Settings"):
        read_letterhead(Settings(logo=str(file)))


def test_a_logo_is_of_bounded_size(tmp_path: Path) -> None:
    file = tmp_path / "logo.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(MOST_LOGO_BYTES))

    with pytest.raises(UserError, match="1 MB"):
        read_letterhead(Settings(logo=str(file)))


def test_no_name_gets_out_of_its_place_in_the_style() -> None:
    page = PageDocument('</style><script>a"b\\', "<p>x</p>", {})

    printed = on_paper(page, Letterhead('P"2</style>\n} @import')).document

    assert printed.count("</style>") == 1
    assert "<script" not in printed
    assert "@import" not in printed
