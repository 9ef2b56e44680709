"""Form of a new dashboard: its title, and cards chosen among those of recent answers."""

from __future__ import annotations  # the store is imported when it is first read

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dashboard import MOST_CARDS
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Choice, Interpretation, Message, ToolResult, has_form
from qhub_desktop.core.result_widgets import DashboardLink, Kpi, Study, TableView, Widget, title_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, number
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.chat.approvals import ChoiceButton
from qhub_desktop.ui.controls.forms import FormDialog, caption, text_field
from qhub_desktop.ui.controls.layouts import column_of, make_label, scrolled
from qhub_desktop.ui.controls.plain_text import entered
from qhub_desktop.ui.tasks import cancel_with

if TYPE_CHECKING:
    from qhub_desktop.ui.services import DashboardContext

CONVERSATIONS, MESSAGES = 20, 30  # that are looked through, of each conversation
MOST_OFFERED = 60
LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class OfferedCard:
    """A widget of an answer, which may be put on a dashboard, and the plan of its question."""

    widget: Widget
    conversation: ConversationId
    plan: JsonObject | None = None


class NewDashboardWindow(FormDialog):
    """Form of a new dashboard: a tile for each card that recent answers have.

    Signals:
        submitted: title and list of OfferedCard, in the order in which they were pressed.
    """

    submitted = Signal(str, list)

    def __init__(self, context: DashboardContext, owner: QWidget | None) -> None:
        super().__init__(
            owner,
            _("New dashboard"),
            subtitle=_("Press the cards in the order in which they are to stand."),
            size=QSize(620, 640),
            done=_("Make the dashboard"),
            tasks=context.tasks,
        )
        self._context = context
        self.tiles: dict[ChoiceButton, OfferedCard] = {}
        self.chosen: list[OfferedCard] = []
        self.title_field = text_field(_("Name of the dashboard"), most=LONGEST_TITLE)
        self.column.addWidget(caption(self.title_field, _("Name of the dashboard")))
        self.column.addWidget(self.title_field)
        self.note = make_label(_("Looking through the recent answers…"), role="quiet")
        self.note.setWordWrap(True)
        self._inside = QWidget()
        self._list: QVBoxLayout = column_of(owner=self._inside, spacing=6)
        self._area = scrolled(self._inside)
        self._area.setAccessibleName(_("Cards"))
        self._area.hide()
        self.column.addWidget(self.note)
        self.column.addWidget(self._area, 1)
        self._end_form()
        self.title_field.setFocus()
        cancel_with(self, context.tasks.start(self._load()))

    async def _load(self) -> None:
        """Offer the cards of the latest answers, the latest conversation first."""
        conversations = await self._context.conversations.listed(limit=CONVERSATIONS)
        for conversation in sorted(conversations, key=lambda each: each.updated, reverse=True):
            if len(self.tiles) >= MOST_OFFERED:
                break
            messages = await self._context.messages.latest(conversation.id, limit=MESSAGES)
            if not isValid(self):
                return
            found = [*_widgets(messages)][: MOST_OFFERED - len(self.tiles)]
            if found:
                when = moment(conversation.updated.astimezone().replace(second=0))
                self._add_heading(f"{one_line(conversation.title) or '…'} · {when}")
            for widget, plan in found:
                self._add_tile(OfferedCard(widget, conversation.id, plan))
        self._list.addStretch(1)
        self._area.setVisible(bool(self.tiles))
        self.note.setVisible(not self.tiles)
        self.note.setText(
            _(
                "No answer has a chart, a table or an indicator yet. Ask for one in a conversation,"
                " and choose it here."
            )
        )
        self.save_button.setEnabled(bool(self.tiles))

    def _add_heading(self, words: str) -> None:
        self._list.addWidget(make_label(words, role="small", is_wrapped=True))

    def _add_tile(self, offered: OfferedCard) -> None:
        tile = ChoiceButton(Choice(one_line(title_of(offered.widget)), {}))
        tile.set_icon(_icon_of(offered.widget))
        tile.setCheckable(True)
        tile.setAutoDefault(False)
        tile.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        tile.toggled.connect(lambda is_on: self._on_toggled(offered, is_on=is_on))
        self.tiles[tile] = offered
        self._list.addWidget(tile)

    def _on_toggled(self, offered: OfferedCard, *, is_on: bool) -> None:
        self.chosen = [each for each in self.chosen if each is not offered]
        if is_on:
            self.chosen.append(offered)
        self.problem.tell("")
        for tile, each in self.tiles.items():
            place = next((at for at, card in enumerate(self.chosen, 1) if card is each), None)
            tile.show_value("" if place is None else number(place))

    @override
    def _on_submitted(self) -> None:
        title = " ".join(entered(self.title_field.text(), "").split())
        if not title:
            self.problem.tell(
                _("A dashboard needs a title. Write at least one letter."), role="bad"
            )
            self.title_field.setFocus()
        elif not self.chosen:
            self.problem.tell(
                _("Press at least one card, which is then on the dashboard."), role="bad"
            )
        elif len(self.chosen) > MOST_CARDS:
            words = _("A dashboard holds {most} cards. Take some off.")
            self.problem.tell(words.format(most=MOST_CARDS), role="bad")
        else:
            self.submitted.emit(title, [*self.chosen])
            self.close()


def _widgets(messages: list[Message]) -> Iterator[tuple[Widget, JsonObject | None]]:
    """Yield what answers have shown with their plans, the latest first, each title once."""
    seen: set[str] = set()
    for message in reversed(messages):
        understood = [each for each in message.blocks if isinstance(each, Interpretation)]
        plan = next((each.plan for each in understood if has_form(each)), None)
        for block in reversed(message.blocks):
            if not isinstance(block, ToolResult):
                continue
            for widget in block.widgets:
                if not isinstance(widget, DashboardLink) and title_of(widget) not in seen:
                    seen.add(title_of(widget))
                    yield widget, plan


def _icon_of(widget: Widget) -> str:
    match widget:
        case TableView():
            return "columns"
        case Kpi():
            return "number"
        case Study():
            return "engine"
        case _:
            return "chart"
