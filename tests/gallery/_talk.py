"""A conversation page to be looked at: questions, answers as they come or as they were stored."""

from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtWidgets import QVBoxLayout, QWidget

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.events import ChatEvent, CostAsked
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Block, Message, ToolCall, ToolResult
from qhub_desktop.core.result_widgets import Widget
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.composer import Composer
from qhub_desktop.ui.chat.history import replay
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.chat.turn import Turn

WIDTH_PX = 800  # what the panels of a 1366 px window leave
HEIGHT_PX = 690
NOW = datetime(2026, 2, 28, 14, 2, 11, tzinfo=UTC)


def staged(*entries: QWidget, typed: str | None = None, width: int = WIDTH_PX) -> QWidget:
    """A page with these entries, and the box under them."""
    stage = QWidget()
    stage.setAutoFillBackground(True)
    transcript = Transcript()
    composer = Composer()
    composer.question_box.set_placeholder("Pergunte sobre os dados, ou largue um ficheiro…")
    if typed:
        composer.question_box.set_text(typed)
    column = QVBoxLayout(stage)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(transcript, 1)
    column.addWidget(composer)
    for entry in entries:
        transcript.append(entry)
    stage.resize(width, HEIGHT_PX)
    return stage


def live(words: str, *events: ChatEvent | CostAsked, is_over: bool = False) -> QWidget:
    """A page whose answer comes as these events."""
    answer = AnswerView(make_card=card_maker())
    answer.footer.set_last(is_last=True)
    stage = staged(question(words), answer)
    composer = stage.findChild(Composer)
    assert composer is not None
    composer.set_answering(is_answering=not is_over)
    turn = Turn(answer)
    for event in events:
        turn.show(event)
    # Nobody sees the stage yet: do not wait as long as an unseen answer may.
    turn.flush()
    return stage


def stored(*blocks: Block) -> AnswerView:
    """An answer as it is shown on reopening."""
    message = Message(MessageId(2), "assistant", blocks, NOW, "offline", "complete")
    answer = AnswerView(make_card=card_maker(), message=MessageId(2))
    answer.footer.set_last(is_last=True)
    for _block in replay(answer, message, is_last=True):
        pass
    return answer


def called(
    name: str,
    given: JsonObject,
    content: Json,
    *,
    ms: int = 12,
    widget: Widget | None = None,
    bad: bool = False,
) -> list[Block]:
    """A call, and what came of it."""
    call = ToolCall(f"{name} {given}", name, given)
    return [call, ToolResult(call.id, content, widget, is_error=bad, ms=ms)]


def card_maker() -> Callable[[Widget], QWidget]:
    """What makes the cards of an answer."""
    from qhub_desktop.ui.charts.card import WidgetCard

    return WidgetCard


def question(text: str) -> QuestionView:
    """What the person said."""
    return QuestionView(text, message=MessageId(1))
