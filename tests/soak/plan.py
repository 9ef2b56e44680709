"""What is done during a soak, what the played model says to it, and the journal of it."""

import json
import re
from pathlib import Path
from typing import Any

from tests.wire.scenes import Scene, answer, calls

FULL_MINUTES = 120
# Of a full soak: 300 turns and 20 imports.
COUNTS: dict[str, int] = {"dashboard": 10, "import": 20, "page": 40, "chart": 60, "words": 190}

SHIFTS = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno ORDER BY n DESC"
PAGE = """```html
<canvas id="c"></canvas><script>new Chart(document.getElementById("c"), {{type: "bar", data: {{
  labels: ["manhã", "tarde"], datasets: [{{label: "defeitos", data: [73, {n}]}}]}}}});</script>
```"""
BOARD = """<h2 class="section-title">Turnos</h2><strong id="n"></strong>
<script>document.getElementById("n").textContent = qhub.data.turnos.linhas.length;</script>"""
PROSE = "O defeito mais frequente é **lixo**, com `62` de 200 registos.\n\n" * 12


def plan(minutes: float) -> list[str]:
    """Every act in order: the dashboards first, so that each later life has all, the rest mixed."""
    counts = {act: max(1, round(full * minutes / FULL_MINUTES)) for act, full in COUNTS.items()}
    places: list[tuple[float, str]] = [
        (0 if act == "dashboard" else (number + 0.5) / count, act)
        for act, count in counts.items()
        for number in range(count)
    ]
    return [act for _place, act in sorted(places)]


def scene(body: dict[str, Any]) -> Scene:
    """What the model says to a request, read off the person's last words."""
    content = body["messages"][-1]["content"]
    if "tool_result" in str(content):
        return answer("Aqui está.")
    found = re.findall(r"(dashboard|page|chart|words) (\d+), por favor", str(content))
    act, number = found[-1] if found else ("words", "0")
    if act == "dashboard":
        board = {"titulo": f"Turnos {number}", "html": BOARD, "dados": {"turnos": SHIFTS}}
        return calls(("gerar_dashboard", board))
    if act == "chart":
        bars = {"tipo": "bar", "titulo": f"Turnos {number}", "consulta": SHIFTS}
        return calls(("gerar_grafico", bars))
    return answer(PAGE.format(n=number) if act == "page" else PROSE, pace=400.0)


def entries(journal: Path) -> list[dict[str, Any]]:
    """All whole lines that one life after the other has written."""
    lines = journal.read_text(encoding="utf-8").split("\n")[:-1] if journal.exists() else []
    return [json.loads(line) for line in lines]
