"""The full table over a million rows of eight columns: how long things take, and the window stalls.

Run it as `python -m tests.bench.bench_table`. Goals: rows in sight at once, any page within 100 ms
however far down, and no stall of 50 ms whatever the process behind is doing.
"""

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import duckdb
import qasync
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import number
from qhub_desktop.data.ingest.dataset_store import ROWS_FILE, Receipt, write_profile, write_receipt
from qhub_desktop.data.profile import preview, profile_columns
from qhub_desktop.data.query.view_spec import Between, Contains, RowView
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.table.window import TableWindow
from qhub_desktop.ui.tasks import Tasks
from tests.bench.record import Figure, record

ROWS = 1_000_000
ID = "0123456789ab-1"
SQL = f"""
CREATE TABLE rows AS SELECT
    i AS id,
    DATE '2020-01-01' + (i % 2000)::INT AS dia,
    TIMESTAMP '2020-01-01' + to_minutes(i) AS quando,
    ['manhã', 'tarde', 'noite'][1 + i % 3] AS turno,
    'Operador ' || hash(i) % 5000 AS operador,
    (hash(i * 7) % 100000) / 100.0::DOUBLE AS peso,
    (hash(i + 3) % 10)::BIGINT AS posicao,
    'peça nº ' || hash(i * 3) || ' · observação' AS nota
FROM range({ROWS}) AS numbers(i)
"""


def main() -> None:
    """Print and keep the figures."""
    application = QApplication(sys.argv)
    application.setQuitOnLastWindowClosed(False)
    Appearance(application, Settings())
    with (
        qasync.QEventLoop(application) as loop,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        figures = loop.run_until_complete(_measured(Path(folder)))
    record("table", figures)


async def _measured(folder: Path) -> dict[str, dict[str, Figure] | Figure]:
    workspace = Workspace(folder, query_s=120)
    await asyncio.to_thread(_write, folder)
    profile = await workspace.profile(ID)
    await workspace.views.page(
        ID, RowView(), start=0, count=1
    )  # the process runs, as it does in the app
    number(1234.5)  # the app has written numbers before: the first one loads their rules
    gc.collect()
    figures: dict[str, dict[str, Figure] | Figure] = {}

    async def taken(name: str, does: Callable[[], object], is_done: Callable[[], object]) -> None:
        figures[name] = await _timed(does, is_done)

    started = time.perf_counter()
    window = TableWindow(profile, workspace=workspace, tasks=Tasks(_fail), parent=None)
    window.resize(1366, 728)
    window.show()
    window.grid.viewport().repaint()
    figures["open, the first rows painted"] = {"s": time.perf_counter() - started}
    model, grid = window.model, window.grid
    await taken("open, all of it settled", lambda: None, lambda: window.is_up_to_date)

    def is_row_there(row: int) -> Callable[[], bool]:
        return lambda: model.is_fetched(row)

    def go_to(row: int) -> Callable[[], object]:
        return lambda: grid.scrollTo(model.index(row, 0), grid.ScrollHint.PositionAtTop)

    idle_until = time.perf_counter() + 2
    await taken("nothing, for comparison", lambda: None, lambda: time.perf_counter() > idle_until)
    await taken("scroll to the middle", go_to(ROWS // 2), is_row_there(ROWS // 2))
    bar = grid.verticalScrollBar()
    figures["drag the bar from end to end, 300 steps"] = await _timed_coroutine(
        lambda: _dragged(bar.setValue, bar.maximum()), is_row_there(ROWS - 1)
    )
    settled = lambda: window.is_up_to_date  # noqa: E731  asked by each of these
    await taken("sort by a number", lambda: window.sort(5, "up"), settled)
    await taken("scroll to the middle, sorted", go_to(ROWS // 2), is_row_there(ROWS // 2))
    await taken("sort by a text, a million different", lambda: window.sort(7, "up"), settled)
    await taken("no sorting again", lambda: window.sort(7, None), settled)
    await taken("filter a number", lambda: window.filter(5, Between("peso", 10, 500)), settled)
    await taken("filter a text", lambda: window.filter(7, Contains("nota", "PECA Nº 12")), settled)
    window.chips.cleared.emit()
    if window.view_task is not None:
        await window.view_task
    words = window.find_line
    await taken(
        "find words in all columns",
        lambda: words.line_edit.setText("observacao"),
        lambda: words.count,
    )
    await taken(
        "the next place", lambda: words.step_requested.emit(1), lambda: words.count.startswith("2 ")
    )
    await taken("sum up a column", lambda: grid.select_column(5), window.selection_summary.text)
    grid.selectAll()
    await taken("copy 100,000 rows", window.copy, lambda: "100" in window.busy_bar.label.text())
    window.close()
    # Qt would delete the copied rows, a Python object, when Python has ended already.
    QGuiApplication.clipboard().clear()
    workspace.close()
    return figures


async def _dragged(move: Callable[[int], object], end: int) -> None:
    for step in range(301):
        move(end * step // 300)
        await asyncio.sleep(0.01)


async def _timed(does: Callable[[], object], is_done: Callable[[], object]) -> dict[str, Figure]:
    async def do() -> None:
        does()

    return await _timed_coroutine(do, is_done)


async def _timed_coroutine(
    do: Callable[[], Awaitable[None]], is_done: Callable[[], object]
) -> dict[str, Figure]:
    """How long it took, and the longest time in which the window could not have answered."""
    stalls, busy = [0.0], [0.0]
    begun = time.perf_counter()
    before, before_cpu = begun, time.thread_time()

    def beat() -> None:
        nonlocal before, before_cpu
        now, now_cpu = time.perf_counter(), time.thread_time()
        stalls.append(now - before)
        busy.append(now_cpu - before_cpu)
        before, before_cpu = now, now_cpu

    doing = asyncio.ensure_future(do())
    while not (doing.done() and is_done()):
        await asyncio.sleep(0.001)
        beat()
    await doing
    taken = time.perf_counter() - begun
    for _more in range(50):  # what is painted afterwards counts, too
        await asyncio.sleep(0.001)
        beat()
    return {
        "s": taken,
        "longest_stall_ms": 1000 * max(stalls),
        # What of it the window's own thread worked: the rest is other programs, on a busy machine.
        "of_it_own_ms": 1000 * max(busy),
    }


def _write(folder: Path) -> None:
    """A data set as an import leaves it, without importing a file."""
    place = folder / ID
    place.mkdir(parents=True)
    with duckdb.connect(str(place / ROWS_FILE)) as db:
        db.execute(SQL)
        columns = profile_columns(db, "rows")
        first = preview(db, "rows", columns)
    sha256 = ID.partition("-")[0] * 5
    profile = DatasetProfile(ID, "rows", "rows.csv", None, (), ROWS, sha256, columns, first)
    write_profile(place, profile)
    write_receipt(folder, sha256, Receipt((ID,), ()))


def _fail(error: Exception) -> None:
    raise error


if __name__ == "__main__":
    main()
