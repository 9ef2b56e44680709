"""Signals: what people do with an answer, which tells how good it was without being asked."""

from typing import Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.message import ChosenPlan, Interpretation, Message
from qhub_desktop.core.text import fold, words_of

SignalKind = Literal[
    "shown",  # a card
    "opened",
    "copied",
    "exported",
    "pinned",
    "suggested",  # a question that was offered was asked
    "retried",
    "edited",  # the question
    "changed",  # what was understood
    "refused",  # 'não era isso'
    "stopped",
    "left",  # a workflow, before its end
]
LONGEST_REFUSAL = 60  # characters of words that only say that it was not it


def signal_of(
    question: str, wanted: JsonObject | None, before: Message | None
) -> SignalKind | None:
    """Return what the next question tells of the answer before; None for nothing."""
    if before is None or before.role != "assistant":
        return None
    understood = [block for block in before.blocks if isinstance(block, Interpretation)]
    offered = [choice for each in understood for choice in each.next]
    if any(choice.label == question and (choice.plan or None) == wanted for choice in offered):
        return "suggested"
    if wanted is not None:
        plans = [each.plan for each in understood]
        is_repeat = ChosenPlan(wanted).call is not None or wanted in plans
        return "retried" if is_repeat else "changed"
    said = " ".join(fold(question).replace(",", " ").split())
    is_short = len(said) <= LONGEST_REFUSAL
    return "refused" if is_short and said.startswith(words_of("signals", "refused")) else None
