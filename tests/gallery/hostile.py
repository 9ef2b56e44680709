"""A real window over a real file whose every name tries to be more than a name."""

import asyncio
import html
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import xlsxwriter
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QGraphicsView,
    QGridLayout,
    QToolTip,
    QWidget,
)

from qhub_desktop.app import Program
from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.dashboard import DashboardSpec, with_card
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import QueuedQuestion, Text
from qhub_desktop.core.paths import home
from qhub_desktop.core.result_widgets import Chart, Kpi, TableView
from qhub_desktop.core.table import Column, Table, quoted
from qhub_desktop.core.text import file_name
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.ui.charts.card import chart_window
from qhub_desktop.ui.charts.plot_view import PlotView
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.artifact import ArtifactCard
from qhub_desktop.ui.controls.layouts import make_label
from qhub_desktop.ui.controls.notices import Remedy
from qhub_desktop.ui.dashboards.windows import DashboardWindows
from qhub_desktop.ui.importing.report_window import ReportWindow
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.shell.outbox import QueuedList
from qhub_desktop.ui.table.window import TableWindow
from qhub_desktop.ui.tasks import Tasks
from tests.gallery._main_window import services_of
from tests.gallery._talk import question, staged, stored
from tests.gallery.shell import LARGE, SMALL, answered, opened_with_program
from tests.gallery.table import over, settled
from tests.waiting import until

Scene = Callable[[], QWidget | Awaitable[QWidget]]

MARKUP = '<img src="file:///hostile.png"><b>bold</b>'
SIGNS = "&File R&D &amp; %1 {x}"
TURNED = "one\nnext\u202eline\x1b[31m\t🏭"
LONG = "x" * 10_000
ENDLESS = f"{MARKUP} {SIGNS} {TURNED} {LONG}"
SHIFTS = (f"{MARKUP} manhã", f"{SIGNS} tarde", f"{TURNED} noite", f"{LONG} fim")
COLUMNS = (
    f"{MARKUP} data",
    f"{SIGNS} {TURNED} turno",
    f"espessura {LONG}",
    f"{MARKUP} {SIGNS}\nnota",
)
SHEET = "<b>R&D<b> &File 🏭 %1 {x}"
ROWS = 120
PAGE_S = 2.0  # for a page to be drawn
PAGE_PATIENCE_S = 30.0
SETTLE_S = 0.5  # for charts to be laid out


def _file() -> Path:
    folder = home() / "hostile"
    folder.mkdir(exist_ok=True)
    # Windows allows no more in a name.
    signs = "" if sys.platform == "win32" else '<img src="hostile.png"> '
    file = folder / f"{signs}&File R&D %1 {{x}} \u202ename 🏭 {'y' * 120}.xlsx"
    if file.exists():
        return file
    with xlsxwriter.Workbook(folder / "new.xlsx", {"strings_to_urls": False}) as book:
        sheet = book.add_worksheet(SHEET)
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, COLUMNS)
        for row in range(1, ROWS + 1):
            sheet.write_datetime(row, 0, datetime(2026, 2, 1 + row % 27), day)
            sheet.write_string(row, 1, SHIFTS[row % len(SHIFTS)])
            sheet.write_number(row, 2, 20 + row % 13 / 3)
            sheet.write_string(row, 3, ENDLESS if row % 9 == 0 else f"{MARKUP} {row}")
    (folder / "new.xlsx").replace(file)
    return file


async def dropped(size: tuple[int, int] = LARGE) -> MainWindow:
    """The file is in, its card and its first columns are open."""
    _program, window = await _dropped(size)
    return window


async def _dropped(size: tuple[int, int] = LARGE) -> tuple[Program, MainWindow]:
    program, window = await opened_with_program(size)
    window.controller.files.import_files([await asyncio.to_thread(_file)])
    panel = window.frame.panel
    await until(lambda: any(each.file.endswith("y.xlsx") for each in panel.profiles))
    card = panel.cards[0]
    for column in card.columns[:3]:
        column.setChecked(True)
    return program, window


async def at_work(size: tuple[int, int] = LARGE) -> MainWindow:
    """Questions with such names were asked, and answered with a chart and a table."""
    window = await dropped(size)
    await answered(window, f"linhas por turno num gráfico {ENDLESS}")
    await answered(window, "linhas por turno num gráfico")
    return window


async def listed() -> MainWindow:
    """Conversations, a search and a notice, all under such names."""
    window = await dropped()
    conversations = window.frame.sidebar._conversations
    for name in (ENDLESS, *SHIFTS[:3]):
        made = await conversations.create("qualidade")
        await conversations.rename(made.id, name)
    await window.frame.sidebar.refresh()
    window.frame.banner.show_note(ENDLESS, Remedy(ENDLESS[:60], window.frame.new_conversation))
    window.frame.banner.toast.offer_undo(ENDLESS, window.frame.new_conversation)
    return window


async def refused() -> MainWindow:
    """An error that quotes such a name."""
    window = await dropped()
    window.frame.banner.show_error(ENDLESS)
    return window


async def menus() -> QWidget:
    """The menus of a data set and of a conversation."""
    window = await listed()
    sidebar = window.frame.sidebar
    (first, *_more) = await sidebar._conversations.listed()
    await over(window, sidebar.menu_for(first), QPoint(40, 300))
    return await over(window, window.frame.panel.cards[0].menu(), QPoint(700, 300))


async def palette() -> MainWindow:
    """The palette lists conversations."""
    window = await listed()
    window.controller.open_palette()
    return window


async def waiting() -> MainWindow:
    """Questions that wait, and one that was refused."""
    window = await at_work(SMALL)
    view = window.frame.centre.page.view
    assert view is not None
    window.frame.centre.page.show_queued(_queued(view.conversation))
    return window


def _queued(conversation: ConversationId) -> list[QueuedQuestion]:
    asked = datetime(2026, 2, 28, 14, 2).astimezone()
    first = QueuedQuestion(1, conversation, "qualidade", MARKUP, ENDLESS, asked)
    return [first, replace(first, id=2, state="failed", error=ENDLESS)]


def queued() -> QWidget:
    """The list of questions that wait."""
    shown = QueuedList()
    shown.show_questions(_queued(ConversationId("x")))
    return shown


async def _table() -> TableWindow:
    window = await dropped()
    panel = window.frame.panel
    table = panel.preview(panel.profiles[0])
    table.resize(1366, 728)
    table.grid.update_row_height()
    await settled(table)
    table.ensurePolished()
    return table


async def table() -> QWidget:
    """All rows, one cell looked at."""
    window = await _table()
    window.grid.setCurrentIndex(window.model.index(8, 3))
    return window


async def table_filters() -> QWidget:
    """What a column may be filtered by, and its menu."""
    window = await _table()
    return await over(window, window.open_filter(1), QPoint(140, 120))


async def table_statistics() -> QWidget:
    """What columns come to."""
    window = await _table()
    await over(window, window.open_statistics(1), QPoint(120, 120))
    return await over(window, window.open_statistics(2), QPoint(620, 120))


async def report() -> QWidget:
    """The import report."""
    window = await dropped()
    panel = window.frame.panel
    found = panel.report(panel.profiles[0])
    assert isinstance(found, ReportWindow)
    return found


async def _dashboards() -> tuple[DashboardWindows, str, DashboardSpec]:
    """A dashboard of a number, a chart and a table, in the list."""
    program, window = await _dropped()
    (profile,) = [each for each in window.frame.panel.profiles if each.file.endswith("y.xlsx")]
    conversation = (await program.store.conversations.create("analise")).id
    await program.store.datasets.pin(conversation, profile.id, profile.dataset)
    context = ToolContext(conversation, await program.conversation_datasets.profiles(conversation))
    turno, count = (quoted(profile.columns[place].name) for place in (1, 2))
    rows = f"FROM {quoted(profile.dataset)}"
    contents = DashboardSpec(ENDLESS)
    for name, given in (
        ("gerar_kpi", {"consulta": f"SELECT min({turno}) {rows}", "unidade": ENDLESS}),
        (
            "gerar_grafico",
            {"tipo": "bar", "consulta": f"SELECT {turno}, count(*) AS {count} {rows} GROUP BY 1"},
        ),
        ("gerar_tabela", {"consulta": rows}),
    ):
        tool = program.tools[name].prepare({"titulo": ENDLESS, **given})
        widget = (await tool(context)).widget
        assert isinstance(widget, (Chart, TableView, Kpi))
        contents = with_card(contents, widget, conversation)
    made = await program.store.dashboards.create(
        contents, author=ENDLESS, agent="analise", conversation=conversation
    )
    windows = DashboardWindows(
        services_of(program).dashboards(Tasks(lambda _error: None)),
        banner=lambda: window.frame.banner,
        open_form=lambda *_given: None,
        parent=window,
    )
    await program.store.dashboards.show_to(made.id, "station")
    await program.dashboards.refresh(made.id)
    return windows, made.id, contents


async def dashboards() -> QWidget:
    """The list of dashboards, with the menu of one."""
    windows, _id, _contents = await _dashboards()
    shown = windows.open_list()
    shown.resize(1080, 720)
    await shown.refresh()
    return await over(shown, shown.menu_for(shown.tiles[0].dashboard), QPoint(300, 300))


async def dashboard() -> QWidget:
    """One of them, its cards to be arranged."""
    windows, id_, _contents = await _dashboards()
    windows.open(id_)
    await until(lambda: id_ in windows.open_windows and windows.open_windows[id_].view is not None)
    page = windows.open_windows[id_]
    page.arrange_button.setChecked(True)
    page.resize(1080, 720)
    await asyncio.sleep(PAGE_S)
    return page


async def wall() -> QWidget:
    """The wall."""
    windows, id_, _contents = await _dashboards()
    shown = windows.open_wall([id_])
    await until(lambda: shown.view is not None)
    await asyncio.sleep(PAGE_S)
    return shown


async def enlarged() -> QWidget:
    """A chart in a window of its own."""
    _windows, _id, contents = await _dashboards()
    (chart,) = [each.widget for each in contents.cards if isinstance(each.widget, Chart)]
    window = chart_window(None, chart.figure)
    window.resize(1180, 760)
    return window


# A library that the page asks for, a heading that names it, and a second page without any.
_TITLE = html.escape(ENDLESS)
_LIBRARY = f"https://x/{MARKUP[10:]}{LONG[:300]}.js"
PAGES = (
    ("html", f"<title>{_TITLE}</title><p>{SIGNS}</p><script src='{_LIBRARY}'></script>"),
    ("svg", f"<svg viewBox='0 0 9 9' width='90' height='90'><title>{_TITLE[:900]}</title></svg>"),
    ("jsx", f"export default () => <h1>{LONG[:200]}</h1>"),
)


def _answer() -> AnswerView:
    return stored(Text("\n\n".join(f"```{kind}\n{source}\n```" for kind, source in PAGES)))


async def artifacts() -> QWidget:
    """Pages of a model with such titles, one paused, one that could not be saved."""
    answer = _answer()
    stage = staged(question(ENDLESS), answer)
    stage.resize(stage.width(), 2 * stage.height())
    stage.show()
    first, drawing, last = answer.entries(ArtifactCard)
    for card in (first, drawing):
        assert card.stage is not None
        card.stage.wake()
        assert card.stage.view is not None
        await card.stage.view.until_loaded(PAGE_PATIENCE_S)
    assert drawing.stage is not None
    drawing.stage.fall_asleep()
    (home() / "hostile").mkdir(exist_ok=True)
    first._write_html(str(home() / "hostile" / file_name(ENDLESS, ".html")))
    last._write_html(str(home() / f"no {SIGNS} {'y' * 120}" / file_name(ENDLESS, ".html")))
    await asyncio.sleep(PAGE_S)
    return stage


def artifact_source() -> QWidget:
    """What such a page was written as."""
    answer = _answer()
    answer.entries(ArtifactCard)[1].source_button.setChecked(True)
    stage = staged(question("mostra"), answer)
    stage.resize(stage.width(), 2 * stage.height())
    return stage


_kept: list[QWidget] = []  # what a window stands on that is shown alone


async def artifact_enlarged() -> QWidget:
    """Such a page in a window of its own."""
    answer = _answer()
    stage = staged(question("mostra"), answer)
    stage.show()
    window = answer.entries(ArtifactCard)[1].enlarge()
    _kept.append(stage)
    await asyncio.sleep(PAGE_S)
    return window


async def export_dialog() -> QWidget:
    """Where all rows are to be written."""
    window = await dropped()
    panel = window.frame.panel
    panel.cards[0].export_requested.emit("xlsx")
    await until(lambda: window.findChildren(QFileDialog))
    (dialog,) = window.findChildren(QFileDialog)
    return dialog


async def exported() -> QWidget:
    """A file was written under such a name, another could not be."""
    window = await dropped()
    panel = window.frame.panel
    folder = home() / "hostile"
    for target in (folder / f"none {'y' * 150}" / "file.csv", folder / file_name(ENDLESS, ".csv")):
        await asyncio.wait([panel.export.start(panel.profiles[0], target)])
    return window


def _names() -> Table:
    rows = tuple(
        (name, group, 3 * place + size, 2.5 * size)
        for place, name in enumerate((*SHIFTS, ENDLESS))
        for size, group in enumerate((MARKUP, TURNED, SIGNS))
    )
    columns = (
        Column(COLUMNS[1], "category"),
        Column(COLUMNS[0], "category"),
        Column(COLUMNS[2], "integer"),
        Column(COLUMNS[3], "number"),
    )
    return Table(columns, rows)


async def tool_tips() -> QWidget:
    """What charts, cards and the heads of tables say under the mouse, each tip beside its own."""
    group, by, total, other = COLUMNS[1], COLUMNS[0], COLUMNS[2], COLUMNS[3]
    stage = QWidget()
    stage.setAutoFillBackground(True)
    grid = QGridLayout(stage)
    table = _names()
    drawn = (
        draw("bar", ENDLESS, table, x=group, by=by, y=[total]),
        draw("barh", ENDLESS, table, x=group, y=[total]),
        draw("pie", ENDLESS, table, x=group, y=[total]),
        draw("scatter", ENDLESS, table, x=total, y=[other], by=by),
        draw("heatmap", ENDLESS, table, x=group, by=by, y=[total]),
        draw("pareto", ENDLESS, table, x=group, y=[total]),
    )
    plots = [PlotView(figure) for figure in drawn]
    for place, plot in enumerate(plots):
        plot.setMinimumWidth(420)
        grid.addWidget(plot, place // 2, place % 2 * 2)
    stage.resize(LARGE[0], 1100)
    stage.show()
    await asyncio.sleep(SETTLE_S)
    tips = [await _hovered(plot) for plot in plots]
    for place, tip in enumerate(tips):
        grid.addWidget(tip, place // 2, place % 2 * 2 + 1)
    for column in (0, 2):
        grid.setColumnStretch(column, 1)
    return stage


async def _hovered(plot: PlotView) -> QWidget:
    """Move the mouse to the first mark of a chart; return a picture of what Qt then shows."""
    viewport = plot.findChildren(QGraphicsView)[0].viewport()

    def hover() -> bool:
        # Again where the chart was laid out anew meanwhile.
        places = (
            QPointF(x, y) for y in range(4, plot.height(), 6) for x in range(4, plot.width(), 6)
        )
        at = next(place for place in places if plot.scene.tooltip_at(place))
        none, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        moved = QMouseEvent(QEvent.Type.MouseMove, at, viewport.mapToGlobal(at), none, none, keys)
        QApplication.sendEvent(viewport, moved)
        return QToolTip.isVisible()

    await until(hover, "the tool tip")
    tip = next(each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel"))
    shown = make_label()
    shown.setAccessibleName("tool tip")
    shown.setToolTip(QToolTip.text())
    shown.setPixmap(tip.grab())
    QToolTip.hideText()
    await until(lambda: not QToolTip.isVisible(), "the end of the tool tip")
    return shown


LOOKS = ("dark-pt-100", "light-en-125")  # long names take seconds to paint, and differ in no colour

SCENES: dict[str, Scene] = {
    "dropped": dropped,
    "narrow": lambda: at_work(SMALL),
    "at-work": at_work,
    "listed": listed,
    "refused": refused,
    "menus": menus,
    "palette": palette,
    "waiting": waiting,
    "queued": queued,
    "table": table,
    "table-filters": table_filters,
    "table-statistics": table_statistics,
    "report": report,
    "dashboards": dashboards,
    "dashboard": dashboard,
    "wall": wall,
    "enlarged": enlarged,
    "artifacts": artifacts,
    "artifact-source": artifact_source,
    "artifact-enlarged": artifact_enlarged,
    "export-dialog": export_dialog,
    "exported": exported,
    "tool-tips": tool_tips,
}
