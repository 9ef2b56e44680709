"""Dashboards: the list, one with cards to arrange, and the card in a conversation."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qhub_desktop.app import Program
from qhub_desktop.core import text
from qhub_desktop.core.dashboard import DashboardSpec, PageBlock, with_card
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, TableView
from qhub_desktop.core.text import language
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.ui.chat.answer import DashboardCard
from qhub_desktop.ui.dashboards.card_list import CardList
from qhub_desktop.ui.dashboards.dashboard_window import ScheduleDialog
from qhub_desktop.ui.dashboards.new_dashboard import NewDashboardWindow
from qhub_desktop.ui.dashboards.windows import DashboardWindows
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import GRID_PX
from tests.gallery._main_window import main_window, services_of
from tests.waiting import until

Scene = Callable[[], QWidget | Awaitable[QWidget]]

_TITLES = {
    "pt": ("Reunião da manhã", "Linha 2: pintura", "Retrabalho por rack"),
    "en": ("Morning meeting", "Line 2: paint", "Rework by rack"),
}


async def contents_of(program: Program, title: str) -> tuple[ConversationId, DashboardSpec]:
    """A number, a chart and a table, pinned; and the conversation that they are from."""
    conversation = (await program.store.conversations.create("analise")).id
    context = ToolContext(conversation, await program.conversation_datasets.profiles(conversation))
    by_shift = "SELECT turno, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY 2 DESC"
    contents = DashboardSpec(title)
    for name, given in (
        ("gerar_kpi", {"titulo": "Total", "consulta": "SELECT count(*) FROM defeitos"}),
        ("gerar_grafico", {"tipo": "bar", "titulo": "Por turno", "consulta": by_shift}),
        ("gerar_tabela", {"titulo": "Turnos", "consulta": by_shift}),
    ):
        widget = (await program.tools[name].prepare(dict(given))(context)).widget
        assert isinstance(widget, (Chart, TableView, Kpi))
        contents = with_card(contents, widget, conversation)
    return conversation, contents


async def the_list() -> QWidget:
    """Several dashboards, none of them opened yet."""
    spoken = language()
    program, window = main_window()
    text.use(spoken)  # a new program speaks as its settings say
    if not await program.store.dashboards.listed():
        for title in _TITLES[language()]:
            conversation, contents = await contents_of(program, title)
            await program.store.dashboards.create(
                contents, author=program.user, agent="analise", conversation=conversation
            )
    tasks = Tasks(lambda _error: None)
    windows = DashboardWindows(
        services_of(program).dashboards(tasks),
        banner=lambda: window.frame.banner,
        open_form=lambda *_given: None,
        parent=window,
    )
    shown = windows.open_list()
    await shown.refresh()
    shown.resize(1080, 720)
    return shown


async def cards() -> QWidget:
    """The cards of one, to be arranged."""
    spoken = language()
    program, _window = main_window()
    text.use(spoken)
    _conversation, contents = await contents_of(program, _TITLES[language()][0])
    column = CardList()
    column.show_cards(contents.cards, (PageBlock(0, "Total"), PageBlock(1, "Turnos")))
    column.resize(column.width(), 480)
    return column


async def new() -> QWidget:
    """A new one, some of whose cards are chosen."""
    spoken = language()
    program, window = main_window()
    text.use(spoken)
    conversation, contents = await contents_of(program, _TITLES[language()][0])
    await program.store.conversations.rename(conversation, _TITLES[language()][1])
    blocks = [
        block
        for card in contents.cards
        for block in (ToolCall(card.id, "", {}), ToolResult(card.id, {}, card.widget))
    ]
    await program.store.messages.add(conversation, "assistant", blocks)
    context = services_of(program).dashboards(Tasks(lambda _error: None))
    form = NewDashboardWindow(context, window)
    await until(lambda: len(form.tiles) >= len(contents.cards), "the cards")
    form.title_field.setText(_TITLES[language()][0])
    for tile in [*form.tiles][:2]:
        tile.click()
    return form


def in_a_conversation() -> QWidget:
    """What an answer shows of a page that it has made."""
    host = QWidget()
    column = QVBoxLayout(host)
    column.setContentsMargins(*[3 * GRID_PX] * 4)
    link = DashboardLink(_TITLES[language()][0], "qhub://dashboards/0123456789ab")
    column.addWidget(DashboardCard(link))
    column.addStretch(1)
    host.resize(760, 160)
    return host


def another_time() -> QWidget:
    """A time that is none."""
    dialog = ScheduleDialog(None, None)
    dialog.time_edit.setText("0")
    dialog.save_button.click()
    dialog.resize(420, dialog.sizeHint().height())
    return dialog


SCENES: dict[str, Scene] = {
    "list": the_list,
    "cards": cards,
    "new": new,
    "another-time": another_time,
    "in-a-conversation": in_a_conversation,
}
