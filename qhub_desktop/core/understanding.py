"""What was understood of a question: shown in parts, each of which the person can change."""

from dataclasses import dataclass
from typing import Literal

from qhub_desktop.core.json_values import JsonObject

Part = Literal["dataset", "measure", "dimension", "filter", "period", "chart", "order", "reading"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a part could say instead, and the whole plan that this would make.

    An empty plan means that the label is the next question.
    """

    label: str
    plan: JsonObject


@dataclass(frozen=True, slots=True)
class Chip:
    """One part of what was understood, and what it could say instead."""

    part: Part
    label: str
    choices: tuple[Choice, ...] = ()
    is_kept: bool = False  # carried over from the question before


@dataclass(frozen=True, slots=True)
class Understood:
    """In an answer: the plan that it was computed by, and the parts to change it with."""

    plan: JsonObject
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """In a question, beside its words: the plan that the person chose, to be computed as it is."""

    plan: JsonObject


@dataclass(frozen=True, slots=True)
class Asked:
    """In an answer: it asks back, with what the person may answer."""

    text: str
    choices: tuple[Choice, ...]
