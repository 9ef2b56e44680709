"""A dashboard from the model's call to files on the disk, as other programs see it."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage
from PySide6.QtPdf import QPdfDocument

from tests.end_to_end.qhub_process import qhub
from tests.wire.scenes import answer, calls
from tests.wire.server import WireServer

PROGRAM = (sys.executable, "-m", "qhub_desktop")
PAGE = {
    "titulo": "Turnos",
    "html": """<h2 class="section-title">Turnos</h2>
<div class="dashboard-grid"><div class="kpi-card"><span>Total</span><strong id="n"></strong></div>
</div><div class="chart-container"><canvas id="c"></canvas></div>
<script>
const linhas = qhub.data.turnos.linhas;
document.getElementById("n").textContent = linhas.reduce((sum, row) => sum + row[1], 0);
new Chart(document.getElementById("c"), {type: "bar",
  data: {labels: linhas.map(l => l[0]), datasets: [{data: linhas.map(l => l[1])}]}});
</script>""",
    "dados": {"turnos": "SELECT turno, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY 2 DESC"},
}


@pytest.fixture
def made() -> tuple[str, str]:
    """The id of a dashboard that the model has made, and of the conversation in which it did."""
    with WireServer([calls(("gerar_dashboard", PAGE)), answer("Aqui está.")]) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-for-tests"}
        asked = qhub(
            *("ask", "--engine", "claude", "--json", "--agent", "qualidade", "faz um painel"),
            environment=environment,
        )
    assert asked.code == 0, asked.err
    (used,) = asked.all("tool_use")
    (shown,) = asked.all("dashboard")
    assert used["result"] == {"status": "ok", "url": shown["url"]}
    assert shown["title"] == "Turnos"
    found = re.fullmatch(r"qhub://dashboards/([0-9a-f]{12})", shown["url"])
    assert found is not None
    return found[1], asked.conversation


def test_a_dashboard_is_listed_refreshed_exported_and_brings_its_data_wherever_it_is_opened(
    made: tuple[str, str], tmp_path: Path
) -> None:
    id_, conversation = made
    kept = qhub("show", "--json", conversation).lines[0]
    blocks = [block for message in kept["messages"] for block in message["blocks"]]
    (link,) = [block["widget"] for block in blocks if block.get("widget")]
    assert link["url"] == f"qhub://dashboards/{id_}"
    (listed,) = qhub("dashboards", "--json").lines[0]
    assert (listed["id"], listed["title"], listed["agent"]) == (id_, "Turnos", "qualidade")
    assert id_ in qhub("dashboards").out
    with closing(sqlite3.connect(Path(os.environ["QHUB_HOME"]) / "qhub.db")) as db:
        db.execute(
            "INSERT INTO defects (data, turno, tipo_defeito) VALUES ('2026-03-01', 'noite', 'lixo')"
        )
        db.commit()

    refreshed = qhub("dashboards", "refresh", id_, "--json")
    page, book = tmp_path / "painel.html", tmp_path / "painel.xlsx"
    to_page = qhub("dashboards", "export", id_, "--out", page)
    to_book = qhub("dashboards", "export", f"qhub://dashboards/{id_}", "--out", book, "--json")

    assert refreshed.code == 0
    assert refreshed.lines[0]["results"][0]["rows"] == 3
    assert (to_page.code, to_book.code) == (0, 0)
    assert to_book.lines[0]["warnings"] == []
    assert "noite" in page.read_text(encoding="utf-8")
    (sheet,) = openpyxl.load_workbook(book).worksheets
    assert ["noite", 60] in [[cell.value for cell in row][:2] for row in sheet.iter_rows()]
    assert len(vars(sheet)["_charts"]) == 1

    opened = subprocess.run(
        [*PROGRAM, "--render", str(page), "--out", str(tmp_path / "seen.png"), "--seconds", "1"],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )

    told = json.loads(opened.stdout)
    assert "Total\n201" in told["text"]
    assert told["blocked"] == []
    assert told["alive"] is True


def test_paper_is_a4_landscape_and_a_picture_has_all_of_the_page(
    made: tuple[str, str], tmp_path: Path
) -> None:
    id_, _conversation = made
    paper, picture = tmp_path / "painel.pdf", tmp_path / "painel.png"
    assert qhub("dashboards", "export", id_, "--out", paper).code == 0
    assert qhub("dashboards", "export", id_, "--out", picture).code == 0

    held = QBuffer()
    held.setData(QByteArray(paper.read_bytes()))
    held.open(QIODevice.OpenModeFlag.ReadOnly)
    document = QPdfDocument()
    document.load(held)
    size = document.pagePointSize(0)
    words = document.getAllText(0).text()
    assert (round(size.width()), round(size.height())) == (842, 595)
    assert document.pageCount() == 1
    # The page's own script has run: only it knows the total.
    assert "200" in words
    assert "Turnos" in words
    drawn = QImage(str(picture))
    assert drawn.width() == 2560
    assert 700 < drawn.height() < 2000
    colours = {drawn.pixelColor(x, y).name() for x in range(0, 2560, 16) for y in range(0, 700, 16)}
    assert "#0072b2" in colours


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("export", "0123456789ab", "--out", "x.html"), "0123456789ab"),
        (("export", "painel", "--out", "x.html"), "painel"),
        (("refresh", "0123456789ab"), "0123456789ab"),
    ],
)
def test_what_is_not_there_is_said(call: tuple[str, ...], words: str) -> None:
    called = qhub("dashboards", *call)
    assert called.code == 1
    assert words in called.err
    assert called.out == ""
