"""A stored answer on the page again: nothing is run, its results are shown as they were kept."""

from collections.abc import Iterator

from qhub_desktop.core.errors import Fault
from qhub_desktop.core.events import Action, QuestionAsked
from qhub_desktop.core.messages import Message, Notice, Reasoning, Text, ToolCall, ToolResult
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.understanding import Asked, Understood, Wanted
from qhub_desktop.core.widgets import DashboardLink
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.trouble import action_for

_FAULTS: tuple[Fault, ...] = (
    "key",
    "credit",
    "model",
    "rate",
    "overloaded",
    "network",
    "cut",
    "stalled",
    "malformed",
    "refused",
    "other",
)


def play(answer: AnswerView, message: Message, *, is_last: bool) -> Iterator[None]:
    """Fill an answer from what was kept, block by block.

    Only in the last answer is there anything left to do about a trouble.
    """
    for block in message.blocks:
        match block:
            case Text(text):
                answer.show_text(text)
            case ToolCall(id_, name, given):
                answer.start_tool(id_, name, given)
            case ToolResult():
                answer.finish_tool(
                    block.call_id,
                    block.content,
                    ms=block.ms,
                    is_error=block.is_error,
                    source=block.source,
                )
                if isinstance(block.widget, DashboardLink):
                    answer.show_dashboard(block.widget)
                elif block.widget is not None:
                    yield
                    answer.add_widget(block.widget)
            case Notice(kind, text):
                _show_notice(answer, kind, text, is_last=is_last)
            case Understood():
                answer.add_understanding(block)
            case Asked(text, choices):
                answer.add_choice(QuestionAsked(text, choices))
            case Reasoning() | Wanted():
                pass
        yield
    if message.end is None:
        action: Action = "retry" if is_last else ""
        answer.add_mark(_("Interrupted: what had arrived was kept."), sign="stop", action=action)
    answer.end(message.end or "complete", "")
    answer.foot.set_rating(message.rating)


def _show_notice(answer: AnswerView, kind: str, text: str, *, is_last: bool) -> None:
    fault = next((each for each in _FAULTS if each == kind), None)
    if fault is not None:
        answer.add_trouble(text, action_for(fault) if is_last else "")
    else:
        answer.add_mark(text, sign="engine" if kind == "offline" else "info")
