"""A hundred pages in one conversation, scrolled through: what the program and its pages hold.

Memory is what each process holds for itself, the web engine's processes included. Goal: flat, so
that the hundredth page costs no more than its picture.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dev
from qhub_desktop.ui.chat.artifact import ArtifactCard
from tests.bench.record import record

PAGES = 100
LOOKS = (10, 50, 100)
PAGE = """<h2>Defeitos por turno, {n}</h2>
<div class="chart-container"><canvas id="c"></canvas></div>
<script>new Chart(document.getElementById("c"), {{type: "bar", data: {{
  labels: ["manhã", "tarde", "noite"], datasets: [{{label: "defeitos", data: [73, 68, {n}]}}]
}}}});</script>"""


def main() -> None:
    """Print and keep the figures."""
    with tempfile.TemporaryDirectory() as home:
        surroundings = {**os.environ, "QHUB_HOME": home}
        surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.bench_artifacts", "--inside"],
            check=True,
            cwd=dev.ROOT,
            encoding="utf-8",
            env=surroundings,
            stdout=subprocess.PIPE,
        )
    figures: dict[str, float] = {}
    for line in done.stdout.splitlines():
        name, _equals, figure = line.partition(" = ")
        figures[name] = float(figure)
    first, last = (figures[f"after {count} pages, MB"] for count in (LOOKS[0], LOOKS[-1]))
    figures["each page after the first ten, MB"] = (last - first) / (LOOKS[-1] - LOOKS[0])
    record("artifacts", figures)


def inside() -> None:
    """Scroll through them in this process, and print what was seen."""
    import qasync
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    with qasync.QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_scroll_through())
    sys.stdout.flush()
    os._exit(0)


async def _scroll_through() -> None:
    from PySide6.QtWidgets import QWidget

    from qhub_desktop.ui.chat.answer import AnswerView
    from qhub_desktop.ui.chat.transcript import Transcript

    transcript = Transcript()
    answer = AnswerView(make_card=lambda _widget: QWidget())
    answer.show_text("".join(f"```html\n{PAGE.format(n=n)}\n```\n" for n in range(PAGES)))
    transcript.append(answer)
    transcript.resize(900, 700)
    transcript.show()
    await asyncio.sleep(0.5)
    longest, most = 0.0, 0
    print(f"before the first page, MB = {_held_mb()}")
    for number, card in enumerate(answer.entries(ArtifactCard), 1):
        stage = card.stage
        assert stage is not None
        transcript.lay_out_now()
        transcript.ensureWidgetVisible(stage)
        until = time.monotonic() + 1
        while stage.view is None and time.monotonic() < until:
            last = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - last - 0.005) if number > 1 else 0.0
        if stage.view is None:  # three others are in sight: it waits to be clicked
            stage.wake()
        assert stage.view is not None
        await stage.view.until_loaded(30)
        most = max(
            most,
            sum(
                each.stage is not None and each.stage.view is not None
                for each in answer.entries(ArtifactCard)
            ),
        )
        if number in LOOKS:
            await asyncio.sleep(1)
            print(f"after {number} pages, MB = {_held_mb()}")
    print(f"pages awake at most = {most}")
    print(f"longest the loop stood still from the second page on, ms = {longest * 1000}")


def _held_mb() -> float:
    from qhub_desktop.ui.web.watchdog import memory_bytes

    return sum(map(memory_bytes, _family(os.getpid()))) / 2**20


def _family(process: int) -> list[int]:
    """A process and all that it has started."""
    found = [process]
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        for child in listed.read_text(encoding="ascii").split():
            found += _family(int(child))
    return found


if __name__ == "__main__":
    inside() if "--inside" in sys.argv else main()
