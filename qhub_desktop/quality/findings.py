"""Findings of a method beside its numbers: why it refuses, and what to doubt."""

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.values import dataclass


class NotComputableError(UserError):
    """The data do not carry the method; the text says what is missing, and the next step."""

    def __init__(self, kind: str, message: str) -> None:
        """Take a stable word for tests and programs, and a sentence for people."""
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason to be careful with a result: a stable word, and a sentence for people."""

    kind: str
    text: str
