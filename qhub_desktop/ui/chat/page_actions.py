"""What the window does for the conversations that it shows."""

from __future__ import annotations  # the classes below are for the type checker alone

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from qhub_desktop.core.dashboard import DashboardSpec
    from qhub_desktop.core.dataset import ImportChoices
    from qhub_desktop.core.documents import Citation
    from qhub_desktop.core.events import StatusChanged, UsageCounted
    from qhub_desktop.core.result_widgets import Study, Widget
    from qhub_desktop.core.settings import Section
    from qhub_desktop.core.study import AskedStudy
    from qhub_desktop.ui.charts.card import WidgetCard
    from qhub_desktop.ui.chat.empty_state import ProfileCard


Retry = Callable[[], object]


@dataclass(frozen=True, slots=True)
class PageActions:
    """Actions handed down to each part of the page, which calls what a person has asked for there.

    Texts are ids of conversations and dashboards, or questions; numbers those of messages and of
    questions in the outbox. `note_export` is told of a file and its rows; `monitor` opens its menu
    at the button; `show_proxy_refusal` asks for a login only where nobody has declined to give one,
    and with a login the question is asked again by what is given to it.
    """

    show_status: Callable[[StatusChanged], object]
    show_usage: Callable[[UsageCounted], object]
    show_saved: Callable[[], object]
    choose_files: Callable[[], object]
    import_files: Callable[[Sequence[Path]], object]
    import_table: Callable[[str], object]
    read_again: Callable[[ProfileCard, ImportChoices], object]
    queue: Callable[[ConversationId, str], object]  # a conversation's question
    withdraw: Callable[[int], object]
    renew: Callable[[int], object]
    open_settings: Callable[[Section], object]
    ask_proxy_login: Callable[[Retry], object]
    show_proxy_refusal: Callable[[Retry], object]
    open_sent: Callable[[MessageId], object]
    open_note: Callable[[str], object]  # by its path, to be edited
    open_defects: Callable[[JsonObject], object]  # the form, filled in
    open_question_form: Callable[[JsonObject], object]  # by a plan, or empty
    open_study: Callable[[ConversationId, AskedStudy], object]  # its panel, filled in
    open_message: Callable[[ConversationId, MessageId], object]
    open_citations: Callable[[Sequence[Citation], int], object]  # all, and the one to show
    open_dashboard: Callable[[str], object]
    keep_dashboard: Callable[[DashboardSpec, ConversationId], object]
    pin: Callable[[Widget, ConversationId, JsonObject | None], object]  # with its plan
    monitor: Callable[[Study, ConversationId, QWidget], object]
    save_workbook: Callable[[WidgetCard, Path], object]
    note_export: Callable[[Path, int], object]
