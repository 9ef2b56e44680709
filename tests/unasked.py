"""An audience that nobody sits in: what an answer asks the person stays without an answer."""

from collections.abc import Callable

from qhub_desktop.core.asking import Reply, Unanswered
from qhub_desktop.core.message import Clarification


class Unasked:
    """The part of an audience that is asked in the middle of an answer."""

    async def ask(self, _question: Clarification, _hold: Callable[[], None]) -> Reply:
        """Answer for nobody."""
        return Unanswered("ninguem")
