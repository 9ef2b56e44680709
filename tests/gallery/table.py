"""The full table of a data set: as it opens, at work, its filters, nothing found."""

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint
from PySide6.QtWidgets import QMenu, QWidget

from qhub_desktop.core.paths import home
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.data.query.view_spec import Between, Contains, NoneOf, RowView
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.ui.controls.layouts import make_label
from qhub_desktop.ui.table.window import TableWindow
from qhub_desktop.ui.tasks import Tasks
from tests.waiting import until

ROWS = 12_345


def _records() -> Table:
    chance = random.Random(11)
    start = date(2026, 1, 5)
    types = ("lixo", "casca de laranja", "escorrido", "bolha", "gordura", None)
    rows: list[tuple[Cell, ...]] = []
    for at in range(ROWS):
        day = start + timedelta(days=at // 150)
        moment = datetime(day.year, day.month, day.day, 6 + at % 16, at * 7 % 60)
        rows.append(
            (
                at + 1,
                day,
                moment,
                ("manhã", "tarde", "noite")[at % 3],
                chance.choice(("J. Silva", "M. Gonçalves", "A. Conceição", "R. Teixeira")),
                chance.choice(types),
                f"000{chance.randint(10, 99)}-{chance.choice('ABC')}",
                round(chance.gauss(84, 2.4), 2) if chance.random() > 0.03 else None,
                round(chance.random() * 4000, 2),
                chance.random() > 0.2,
                chance.choice(
                    (None, None, "filtro da cabine trocado depois da paragem de 20 min na estufa")
                ),
            )
        )
    columns = (
        Column("id", "integer"),
        Column("data", "date"),
        Column("registado em", "datetime"),
        Column("turno", "category"),
        Column("operador", "category"),
        Column("tipo de defeito", "category"),
        Column("rack", "text"),
        Column("espessura (µm)", "number"),
        Column("custo", "number"),
        Column("ok", "boolean"),
        Column("observações", "text"),
    )
    return Table(columns, tuple(rows))


async def opened() -> TableWindow:
    """As it opens."""
    workspace = Workspace(Path(tempfile.mkdtemp(dir=home())))
    profile = await workspace.register("records", "defeitos-fevereiro.xlsx", _records())
    window = TableWindow(profile, workspace=workspace, tasks=Tasks(print), parent=None)
    window.destroyed.connect(workspace.close)
    window.resize(1366, 728)
    window.grid.update_row_height()
    await settled(window)
    window.ensurePolished()
    if (parts := window.layout()) is not None:
        parts.activate()  # what opens over it wants to know where things are
    return window


async def settled(window: TableWindow) -> None:
    """Until the rows are those that are wanted."""
    if window.view_task is not None:
        await window.view_task


async def filtered() -> TableWindow:
    """Sorted by two columns, filtered by three, some cells selected."""
    window = await opened()
    window.sort(7, "down")
    window.sort(1, "up", is_more=True)
    window.filter(5, NoneOf("tipo de defeito", ("lixo", None)))
    window.filter(1, Between("data", date(2026, 1, 20), date(2026, 2, 28)))
    window.filter(4, Contains("operador", "conceicao"))
    await settled(window)
    window.hide_column(0)
    model = window.model
    window.grid.selectionModel().select(
        QItemSelection(model.index(3, 7), model.index(12, 8)),
        QItemSelectionModel.SelectionFlag.Select,
    )
    return window


async def found() -> TableWindow:
    """Words that were looked for, far down."""
    window = await opened()
    window.find_line.line_edit.setText("casca")
    await until(lambda: window.find_line.count)
    for _step in range(3):
        await _find_next(window)
    return window


async def _find_next(window: TableWindow) -> None:
    before = window.find_line.count
    window.find_line.step_requested.emit(1)
    await until(lambda: window.find_line.count != before)


async def over(window: QWidget, popup: QWidget, place: QPoint) -> QWidget:
    """What has opened over the table, drawn into its window, for it is a window apart."""
    await asyncio.sleep(0.3)
    picture = popup.grab()
    popup.close()
    shown = make_label()
    shown.setParent(window)
    shown.setAccessibleName("popup")
    shown.setPixmap(picture)
    shown.resize(picture.deviceIndependentSize().toSize())
    shown.move(QPoint(min(place.x(), window.width() - shown.width() - 8), place.y()))
    shown.show()
    return window


def _under(window: TableWindow, column: int) -> QPoint:
    """Where the menu of a column opens."""
    return window.mapFromGlobal(window.grid.header.menu_position(column))


async def values() -> QWidget:
    """Which values a column may have."""
    window = await opened()
    window.filter(5, NoneOf("tipo de defeito", ("lixo", None)))
    await settled(window)
    return await over(window, window.open_filter(5), _under(window, 5))


async def span() -> QWidget:
    """From when to when."""
    window = await opened()
    window.filter(1, Between("data", date(2026, 1, 20)))
    await settled(window)
    return await over(window, window.open_filter(1), _under(window, 1))


async def statistics() -> QWidget:
    """What a column of numbers comes to, and one of words."""
    window = await filtered()
    await over(window, window.open_statistics(5), _under(window, 3))
    return await over(window, window.open_statistics(7), _under(window, 7))


async def export() -> QWidget:
    """How many rows would be written."""
    window = await filtered()
    window.export_button.click()
    (menu,) = window.findChildren(QMenu)
    button = window.export_button
    return await over(window, menu, button.mapTo(window, QPoint(0, button.height())))


async def nothing() -> TableWindow:
    """Filters that leave no row."""
    window = await opened()
    window.filter(4, Contains("operador", "ninguém"))
    await settled(window)
    assert window.view != RowView()
    return window


SCENES: dict[str, Callable[[], Awaitable[QWidget]]] = {
    "opened": opened,
    "filtered": filtered,
    "found": found,
    "values": values,
    "span": span,
    "statistics": statistics,
    "export": export,
    "nothing": nothing,
}
