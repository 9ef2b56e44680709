"""Form of a question: its controls with what may be chosen in each, and what the choices make."""

from collections.abc import Sequence
from typing import Protocol

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Part
from qhub_desktop.core.readings import ReadingValue
from qhub_desktop.core.result_widgets import Shown
from qhub_desktop.core.table import ColumnType
from qhub_desktop.core.values import dataclass

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class FormChoice:
    """One thing that may be chosen: what it is called, and the value that it gives."""

    label: str
    value: Json


@dataclass(frozen=True, slots=True)
class FormField:
    """One control: a list of choices, or without any a box for a value of a type.

    `path` is where its value stands in what the form is given; `problem` is what is wrong with it.
    A control that is `joined` belongs to the one before it.
    """

    path: Path
    part: Part
    label: str
    value: Json
    choices: tuple[FormChoice, ...] = ()
    type: ColumnType = "text"
    problem: str = ""
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The form as it is given, its controls, and the plan that they make.

    `plan` is None while something is missing or wrong. `note` says that a plan which the form was
    filled in with has more than it has controls for.
    """

    given: JsonObject
    fields: tuple[FormField, ...]
    plan: JsonObject | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A plan as a sentence; it `is_read` where it would be answered by exactly that plan."""

    text: str
    is_read: bool


@dataclass(frozen=True, slots=True)
class FormResult:
    """What the plan of a form comes to: in short, and as it is shown below an answer."""

    value: ReadingValue | None = None
    shown: Shown | None = None


def put(given: Json, path: Sequence[str | int], value: Json) -> Json:
    """Return what is given with another value at a place; None takes an item out of a list."""
    if not path:
        return value
    step, *rest = path
    match given:
        case list() if isinstance(step, int):
            items = [*given, *([None] if step == len(given) else [])]
            inner = put(items[step], rest, value) if step < len(items) else None
            if step < len(items):
                items[step : step + 1] = [] if inner is None else [inner]
            return items
        case dict() if isinstance(step, str):
            return {**given, step: put(given.get(step), rest, value)}
        case None:
            return put([] if isinstance(step, int) else {}, path, value)
        case _:
            return given


class FormSource(Protocol):
    """Makes the form of questions, and what it comes to; nothing of it is stored.

    Cancelled, each stops its work at once.
    """

    async def form(self, conversation: ConversationId, given: JsonObject) -> QuestionForm:
        """Return the form of what is given: nothing yet, its own input, or a plan to fill in."""
        ...

    async def result(self, conversation: ConversationId, plan: JsonObject) -> FormResult:
        """Return what a plan comes to."""
        ...

    async def sentence(self, conversation: ConversationId, plan: JsonObject) -> WrittenQuestion:
        """Return the sentence that asks for a plan."""
        ...
