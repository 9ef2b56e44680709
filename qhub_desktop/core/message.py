"""Messages: their blocks, the interpretation of a question, and questions in the outbox."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, cast

from qhub_desktop.core import codec
from qhub_desktop.core.citations import plain_citations
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.context import Context
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.result_widgets import Provenance, Shown
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.core.untrusted import LONGEST_NAME, one_line
from qhub_desktop.core.values import dataclass

Part = Literal["dataset", "measure", "dimension", "filter", "period", "chart", "order", "reading"]


# In a tool's result: the input that ran, where the person changed what the model wrote.
CHANGED_INPUT = "entrada_alterada_pela_pessoa"
# In the result of a call that its own input made fail: its words tell nothing of the data.
WRONG_INPUT: JsonObject = {"entrada": "inválida"}


# Of a call whose result was lost with the program, or with its row.
INTERRUPTED: Json = {"erro": "interrompido; pode ter sido executado"}


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternative for a part of an interpretation, with the whole plan that it makes.

    An empty plan means that the label is the next question. `value` is what it comes to, as
    printed, where that is known.
    """

    label: str
    plan: JsonObject
    value: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    """One part of what was understood, with its alternatives."""

    part: Part
    label: str
    choices: tuple[Choice, ...] = ()
    is_kept: bool = False  # carried over from the question before


@dataclass(frozen=True, slots=True)
class Interpretation:
    """In an answer: the plan that it was computed by, and the parts to change it with.

    `others` are other readings of the question, likeliest first. `step` is what the question made
    of the dialogue, for the engine that reads it instead of the words. `next` are questions that
    may be asked after the answer.
    """

    plan: JsonObject
    chips: tuple[Chip, ...]
    others: tuple[Choice, ...] = ()
    step: JsonObject | None = None
    next: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenPlan:
    """In a question, beside its words: the plan that the person chose, to be computed as it is.

    It may be a tool call to make once more, see `plan_of_call`.
    """

    plan: JsonObject

    @property
    def call(self) -> tuple[str, JsonObject] | None:
        """The tool to call again, and its input; None for any other plan."""
        match self.plan:
            case {"chamada": str(name), "entrada": dict(given)}:
                return name, given
            case _:
                return None


def plan_of_call(name: str, given: JsonObject) -> JsonObject:
    """Return the plan to call a tool once more with this input."""
    return {"chamada": name, "entrada": given}


RECORD_TOOL = "registar_defeito"  # whose input a form shows, too


def said_of_defect(block: "Interpretation | ToolCall") -> JsonObject | None:
    """Return what an answer has of a defect to record, as the tool's input; None for others."""
    match block:
        case ToolCall(_id, name, given) if name == RECORD_TOOL:
            return given
        case Interpretation({"type": "register", **more}):
            fields = more.get("fields")
            pairs = fields if isinstance(fields, list) else []
            return {str(each[0]): each[1] for each in pairs if isinstance(each, list)}
        case _:
            return None


def has_form(understood: "Interpretation") -> bool:
    """Return whether what was understood can be changed in the form of a question."""
    return understood.plan.get("type") in ("number", "group", "spread", "rows", "chart", "table")


@dataclass(frozen=True, slots=True)
class Clarification:
    """In an answer: it asks back, with what the person may answer.

    With a `call_id`, a tool's call waits for that answer for at most `wait_s`, then the answer goes
    on; without one nobody waits, and a choice is the next question.
    """

    text: str
    choices: tuple[Choice, ...]
    call_id: str = ""
    is_multiple: bool = False
    takes_text: bool = True
    wait_s: float | None = None


EndReason = Literal["complete", "limit", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words, in Markdown."""

    text: str


# What a tool gives a model: what may stand in single rows; what is shown to the person, of which it
# need know nothing; aggregates that may leave; or nothing of any data.
Gives = Literal["rows", "shown", "aggregates", "nothing"]


@dataclass(frozen=True)  # without slots: the schema is kept once it was made
class ToolSpec:
    """A tool as the model is told of it: its name, description and schema.

    A schema takes 5 ms to make, so that one may be `given` as what makes it: the offline engine
    asks for none. One that is `opened_by` another is told of only once that was called, or a
    person's words match the other's `cue`, a regular expression over folded text.
    """

    name: str
    description: str
    given: JsonObject | Callable[[], JsonObject]
    gives: Gives = "rows"
    opened_by: str = ""
    cue: str = ""

    @cached_property
    def schema(self) -> JsonObject:
        """Schema of the input, as the model reads it."""
        return self.given() if callable(self.given) else self.given


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Call of a tool by the model."""

    id: str
    name: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a call.

    Two readers, two fields: `content` goes to the model as JSON, `widget` to the person. `source`
    is where the numbers came from, whether or not a widget shows them. `more` are widgets beside
    the first one. `passages` are what the model reads of documents and may cite, quoted whole.
    """

    call_id: str
    content: Json
    widget: Shown | None = None
    source: Provenance | None = None
    is_error: bool = False
    ms: int = 0
    more: tuple[Shown, ...] = ()
    passages: tuple[Citation, ...] = ()

    @property
    def widgets(self) -> tuple[Shown, ...]:
        """Every widget, in order."""
        return self.more if self.widget is None else (self.widget, *self.more)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's thinking, in its own form, for the rounds of one turn. Never stored."""

    payload: JsonObject


# Kinds of notices: where a message is damaged or missing, and where one could not be repaired.
DAMAGED = "damaged"
LOST = "lost"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened to the answer, which the model is never told of."""

    kind: str  # an Error's fault, or a Status's kind
    text: str


# Where a number in an answer is from: a result of a tool or what the model was told; it comes of
# numbers of one list; the person's question; nothing that is known.
NumberState = Literal["supported", "derived", "asked", "unsupported"]


@dataclass(frozen=True, slots=True)
class CheckedNumber:
    """Number in a text block of an answer: its place, and the call whose result has it."""

    block: int
    start: int
    end: int
    state: NumberState
    call: str = ""


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """In an answer of a model, at its end: where each of its numbers is from."""

    numbers: tuple[CheckedNumber, ...]

    def count(self, state: NumberState) -> int:
        """Return how many numbers are of a state."""
        return sum(each.state == state for each in self.numbers)

    @property
    def counts(self) -> JsonObject:
        """How many are supported, derived and unsupported, by name."""
        return {
            "supported": self.count("supported"),
            "derived": self.count("derived"),
            "unsupported": self.count("unsupported"),
        }


def number_line(check: NumberCheck) -> str:
    """Return what is told of the numbers of an answer: how many no tool has computed."""
    if count := check.count("unsupported"):
        return ngettext(
            "{count} number comes from no tool.", "{count} numbers come from no tool.", count
        ).format(count=count)
    return _("Numbers checked.")


Block = (
    Text
    | ToolCall
    | ToolResult
    | Reasoning
    | Notice
    | Interpretation
    | ChosenPlan
    | Clarification
    | Context
    | Citation
    | NumberCheck
    | Guarded
)

codec.register_tags(
    {
        Text: "text",
        ToolCall: "tool_call",
        ToolResult: "tool_result",
        Reasoning: "reasoning",
        Notice: "notice",
        Interpretation: "understood",
        ChosenPlan: "wanted",
        Clarification: "asked",
        Context: "context",
        Citation: "citation",
        NumberCheck: "numbers",
        Guarded: "guard",
    }
)


def unpack_block(data: Json) -> Block:
    """Decode a message's block. Raises ValueError for data of another shape."""
    return cast("Block", codec.unpack(cast("Any", Block), data))


LOCAL = "local:"  # begins the engine of an answer by a model that runs inside this program


def answers_here(engine: str) -> bool:
    """Return whether who answers is on this computer, so that nothing leaves with what it gets."""
    return engine == "offline" or engine.startswith(LOCAL)


@dataclass(frozen=True, slots=True)
class Message:
    """Words of one side in one go; an answer holds its calls and their results, in order."""

    id: MessageId
    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]
    created: datetime
    engine: str = ""  # who answered: the model's name, or "offline", or "local:" and its name
    end: EndReason | None = None  # None: still being written, or cut by a crash
    rating: Literal[-1, 0, 1] = 0

    @property
    def text(self) -> str:
        """The words alone, citations as they are read."""
        words = (block.text for block in self.blocks if isinstance(block, Text))
        return plain_citations("\n\n".join(words))

    @property
    def blocked_words(self) -> str | None:
        """Words of a question that the guard has blocked; None for any other message.

        They are shown to its person, and told to nobody and nothing else.
        """
        blocked = (block for block in self.blocks if isinstance(block, Guarded))
        return next((each.words for each in blocked if each.action == "block"), None)


WaitingState = Literal[
    "waiting",
    "sending",
    "sent",  # answered, or stopped by the person
    "withdrawn",
    "failed",  # the service said no: sending it again as it is would not help
]


@dataclass(frozen=True, slots=True)
class QueuedQuestion:
    """One question in the outbox. `error` is what was in the way last; `message` is the question
    in its conversation, once it has been sent for the first time.
    """

    id: int
    conversation: ConversationId
    agent: str
    user: str
    text: str
    created: datetime
    state: WaitingState = "waiting"
    attempts: int = 0
    error: str = ""
    message: MessageId | None = None


RESULT_CHARACTERS = 20_000
CELL_CHARACTERS = 1_000
_NOTE_CHARACTERS = 500


def bounded(content: Json, *, most: int = RESULT_CHARACTERS) -> Json:
    """Return a tool's result as it is stored and sent to a model: at most so many characters.

    Of a list the first items stay, whole; of a text the first characters. What was cut is said
    beside what is left, under `cortado`.
    """
    cutter = _Cutter()
    if (whole := cutter.whole(content, most)) is not None and not cutter.cut_texts:
        return whole[0]
    cutter = _Cutter()
    kept, _size = cutter.fit(content, most - _NOTE_CHARACTERS, "resultado")
    cuts = [*cutter.cut_lists[:5]]
    if cutter.cut_texts:
        cuts.append(f"textos com mais de {CELL_CHARACTERS} caracteres: {cutter.cut_texts}")
    note = (
        f"Só o início, até {most} caracteres ({'; '.join(cuts)})."
        " Filtre, agregue ou peça menos colunas."
    )
    return {**(kept if isinstance(kept, dict) else {"resultado": kept}), "cortado": note}


class _Cutter:
    """Cuts a result to a size, counting what it cuts. Looks at no more than it keeps."""

    def __init__(self) -> None:
        self.cut_lists: list[str] = []
        self.cut_texts = 0

    def whole(self, value: Json, most: int) -> tuple[Json, int] | None:
        """Return a value with its texts cut, and its size; `None` if it does not fit."""
        if isinstance(value, (list, dict)):
            kept: list[tuple[str, Json]] = []
            size = 2
            is_list = isinstance(value, list)
            for field, each in value.items() if isinstance(value, dict) else enumerate(value):
                name = _key(str(field))
                inside = self.whole(each, most - size)
                if inside is None:
                    return None
                size += inside[1] + (2 if is_list else len(_written(name)) + 4)
                if size > most:
                    return None
                kept.append((name, inside[0]))
            return [each for _name, each in kept] if is_list else dict(kept), size
        if isinstance(value, str) and len(value) > CELL_CHARACTERS:
            self.cut_texts += 1
            value = f"{value[: CELL_CHARACTERS - 1]}…"
        size = len(repr(value)) if type(value) in (int, float) else len(_written(value))
        return (value, size) if size <= most else None

    def fit(self, value: Json, most: int, name: str) -> tuple[Json, int]:
        """Return as much of a value as fits, and its size."""
        match value:
            case list():
                return self._fit_list(value, most, name)
            case dict():
                return self._fit_object(value, most, name)
            case _:
                return self.whole(value, most) or (None, 4)

    def _note(self, name: str, kept: int, there_were: int) -> None:
        self.cut_lists.append(f"{one_line(name, most=40)}: {kept} de {there_were}")

    def _fit_list(self, value: list[Json], most: int, name: str) -> tuple[Json, int]:
        kept: list[Json] = []
        size = 2
        for each in value:
            cut_texts = self.cut_texts
            item = self.whole(each, most - size - 2)
            if item is None and kept:
                self.cut_texts = cut_texts
                break
            item = item or self.fit(each, most - size - 2, name)  # a first row wider than all
            kept.append(item[0])
            size += item[1] + 2
        if len(kept) < len(value):
            self._note(name, len(kept), len(value))
        return kept, size

    def _fit_object(self, value: dict[str, Json], most: int, name: str) -> tuple[Json, int]:
        # What is short comes first: the number of all rows must not be lost to the rows.
        order = sorted(value, key=lambda each: isinstance(value[each], (list, dict)))
        kept: dict[str, Json] = {}
        size = 2
        for place, field in enumerate(order):
            named = len(_written(_key(field))) + 4
            room = most - size - named
            share = room // (len(order) - place) if isinstance(value[field], (list, dict)) else room
            # What one leaves over is there for the next.
            item = self.whole(value[field], room) if place == len(order) - 1 else None
            item = item or self.fit(value[field], share, _key(field))
            if size + item[1] + named > most:
                self._note(name, len(kept), len(value))
                break
            kept[field] = item[0]
            size += item[1] + named
        return {_key(field): kept[field] for field in value if field in kept}, size


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if len(name) <= LONGEST_NAME and name.isprintable() else one_line(name)
