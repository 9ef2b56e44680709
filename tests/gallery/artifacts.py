"""Artifacts in an answer: being written, drawn, paused, broken off."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.events import TextAdded
from qhub_desktop.core.message import Text
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.artifact import ArtifactCard
from tests.gallery._talk import live, question, staged, stored

WRITTEN = Path(__file__).parents[1] / "ui_artifacts" / "written"
Scene = Callable[[], QWidget | Awaitable[QWidget]]
SETTLE_S = 1.5  # for a chart to be drawn
PATIENCE_S = 30

CHART = """<div class="dashboard-grid">
<div class="kpi-card"><div class="kpi-label">Defeitos</div><div class="kpi-value">200</div></div>
<div class="kpi-card"><div class="kpi-label">Por turno</div><div class="kpi-value">66,7</div></div>
</div>
<h2>Defeitos por turno</h2>
<div class="chart-container"><canvas id="c"></canvas></div>
<script>new Chart(document.getElementById("c"), {type: "bar", data: {
  labels: ["manhã", "tarde", "noite"], datasets: [{label: "defeitos", data: [73, 68, 59]}]}});
</script>"""
PART = """<svg viewBox="0 0 300 110" width="300" height="110"><title>Rack R12, de frente</title>
<rect x="10" y="10" width="280" height="90" rx="20" fill="none" stroke="currentColor"/>
<circle cx="90" cy="55" r="9" fill="#e5484d"/><text x="106" y="60" fill="currentColor">lixo</text>
</svg>"""


def being_written() -> QWidget:
    """The block is still open."""
    words = f"Aqui está o turno em imagem:\n\n```html\n{CHART[:420]}"
    return live("mostra o turno numa página", TextAdded(words))


async def drawn() -> QWidget:
    """A page with a chart, and a drawing."""
    text = f"Aqui está:\n\n```html\n{CHART}\n```\n\nE a peça:\n\n```svg\n{PART}\n```\n"
    answer = stored(Text(text))
    return await _shown(answer, awake=2)


async def as_models_write_them() -> QWidget:
    """A document with charts in boxes without a height, one without its library, a drawing."""
    names = ("charts_in_grid.html", "tailwind.html", "drawing_viewbox.svg")
    sources = [(each.rpartition(".")[2], (WRITTEN / each).read_text("utf-8")) for each in names]
    answer = stored(Text("\n".join(f"```{kind}\n{source}\n```\n" for kind, source in sources)))
    stage = await _shown(answer, awake=len(names))
    stage.resize(stage.width(), 2400)
    return stage


async def the_source() -> QWidget:
    """What the page was written as, and a drawing that is paused."""
    text = f"```html\n{CHART}\n```\n\n```svg\n{PART}\n```\n\n```html\n<p>Ficou a meio"
    answer = stored(Text(text))
    stage = await _shown(answer, awake=2)
    page, drawing, _broken = answer.entries(ArtifactCard)
    page.source_button.setChecked(True)
    assert drawing.stage is not None
    drawing.stage.fall_asleep()
    return stage


async def _shown(answer: AnswerView, *, awake: int) -> QWidget:
    stage = staged(question("mostra o turno numa página"), answer)
    stage.show()
    for card in answer.entries(ArtifactCard)[:awake]:
        assert card.stage is not None
        card.stage.wake()
        assert card.stage.view is not None
        await card.stage.view.until_loaded(PATIENCE_S)
    await asyncio.sleep(SETTLE_S)
    return stage


SCENES: dict[str, Scene] = {
    "artifact-being-written": being_written,
    "artifacts-drawn": drawn,
    "artifact-source": the_source,
    "artifacts-as-models-write-them": as_models_write_them,
}
