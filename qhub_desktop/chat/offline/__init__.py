"""The embedded engine: question -> plan -> tool calls -> sentences, without a model."""

from datetime import date

from qhub_desktop.chat.offline.engine import Offline

__all__ = ["Offline", "is_talk"]


def is_talk(text: str) -> bool:
    """Whether this only greets, thanks, says goodbye, or asks who answers and what can be asked.

    The first call loads what the engine needs to read (80 ms), so call it on a thread.
    """
    from qhub_desktop.chat.offline.plan import (
        Abilities,
        Goodbye,
        Greeting,
        Help,
        Identity,
        Thanks,
    )
    from qhub_desktop.chat.offline.understand import NOTHING, understand_one

    plan = understand_one(text, NOTHING, (), today=date.today()).plan
    return isinstance(plan, Greeting | Thanks | Goodbye | Help | Abilities | Identity)
