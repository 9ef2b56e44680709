"""Questions to the person in the middle of an answer: what came of them, and how long they wait."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Clarification
from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass

QuestionState = Literal["open", "answered", "skipped", "expired"]
# Out of time, passed over by the person, or nobody there to be asked.
Silence = Literal["prazo", "saltada", "ninguem"]
_QUESTION_QUOTED = re.compile(r"((?:>[^\n]*\n)+)\n(.+)", re.DOTALL)
# What a model is told whose question another program has answered meanwhile.
ANSWERED_ELSEWHERE = (
    "A pessoa já respondeu noutra janela: a resposta é a mensagem seguinte dela, que tem a sua"
    " própria resposta. Não continues; diz só isso."
)
HOLD_S = 10.0  # that the time stands still after a key or a mark: people think between words


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """What the person answered: options by their labels, words, or both."""

    options: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """That no answer came. It stands for no option, and is no consent."""

    reason: Silence


Reply = PersonAnswer | Unanswered


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question as it is kept, from before it is shown. `message` is the answer that asks it.

    One that is open or expired can still be answered: nobody may be waiting any more.
    """

    id: int
    conversation: ConversationId
    message: MessageId
    state: QuestionState
    question: Clarification

    @property
    def can_be_answered(self) -> bool:
        """Whether an answer is still wanted."""
        return self.state in ("open", "expired")


def reply_content(reply: Reply) -> JsonObject:
    """Write a reply as a model reads it."""
    match reply:
        case PersonAnswer(options, text):
            return {"estado": "respondida", "opcoes": [*options], "texto": text}
        case Unanswered(reason):
            return {"estado": "sem_resposta", "motivo": reason}


def read_reply(content: Json) -> PersonAnswer | None:
    """Read what `reply_content` wrote; None where it tells of no answer."""
    match content:
        case {"estado": "respondida", "opcoes": list(options), "texto": str(text)}:
            return PersonAnswer(tuple(map(str, options)), text)
        case _:
            return None


def state_of(reply: Reply) -> QuestionState:
    """Return what becomes of a question by its reply; where nobody was there, it stays open."""
    if isinstance(reply, PersonAnswer):
        return "answered"
    states: Mapping[Silence, QuestionState] = {
        "prazo": "expired",
        "saltada": "skipped",
        "ninguem": "open",
    }
    return states[reply.reason]


def read_answer(question: Clarification, words: str) -> PersonAnswer:
    """Read typed words: options by label or number, else the words themselves.

    Raises UserError where they are none of the options, and nothing else may be answered.
    """
    text = sanitize(words).strip()
    if (options := _options_in(question, text)) is not None:
        return PersonAnswer(options)
    if not text or (question.choices and not question.takes_text):
        raise UserError(
            _("'{words}' is none of the options: {options}.").format(
                words=text, options=", ".join(each.label for each in question.choices)
            )
        )
    return PersonAnswer(text=text)


def numbered_options(question: Clarification, numbers: Iterable[int]) -> PersonAnswer:
    """Return the answer of the options with these numbers, the first being 1.

    Raises UserError for one that is not there, and for several where only one may be chosen.
    """
    chosen = sorted(set(numbers))
    if not all(1 <= each <= len(question.choices) for each in chosen):
        raise UserError(
            _("There is no such option. There are {count}.").format(count=len(question.choices))
        )
    if len(chosen) > 1 and not question.is_multiple:
        raise UserError(_("Only one of the options can be chosen."))
    return PersonAnswer(tuple(question.choices[each - 1].label for each in chosen))


def answer_words(answer: PersonAnswer) -> str:
    """Write an answer in words."""
    return "\n".join(filter(None, [", ".join(answer.options), answer.text]))


def quoted_answer(question: Clarification, answer: PersonAnswer) -> str:
    """Write a late answer as the person's next message, with the question quoted."""
    quoted = "\n".join(f"> {line}".rstrip() for line in question.text.splitlines())
    return f"{quoted}\n\n{answer_words(answer)}"


def split_quote(text: str) -> tuple[list[str], str]:
    """Split a message into the lines of the question that it quotes, and the answer; no lines where
    it quotes none.
    """
    if (found := _QUESTION_QUOTED.fullmatch(text)) is None:
        return [], text
    return [line.removeprefix(">").strip() for line in found[1].splitlines()], found[2]


def _options_in(question: Clarification, text: str) -> tuple[str, ...] | None:
    whole = _option_in(question, text)
    if whole is not None or not question.is_multiple:
        return None if whole is None else (whole,)
    parts = [_option_in(question, part) for part in text.split(",")]
    found = [each for each in parts if each is not None]
    return tuple(dict.fromkeys(found)) if len(found) == len(parts) else None


def _option_in(question: Clarification, text: str) -> str | None:
    labels: Sequence[str] = [each.label for each in question.choices]
    by_label = {fold(label): label for label in labels}
    by_number = {str(place): label for place, label in enumerate(labels, start=1)}
    return by_label.get(fold(text)) or by_number.get(text.strip())


class AnswerTime:
    """Time to answer in, which stands still while the person types or marks.

    Entered, it raises TimeoutError when it is over. `on_held` is told of each key and mark.
    """

    def __init__(self, seconds: float, on_held: Callable[[], object]) -> None:
        self.limit = asyncio.timeout(seconds)
        self._on_held = on_held
        self._held_until = 0.0

    def hold(self) -> None:
        """Stand still for a moment: a key was pressed, or an option marked."""
        end = self.limit.when()
        if end is None or self.limit.expired():
            return
        now = asyncio.get_running_loop().time()
        until = now + HOLD_S
        self.limit.reschedule(end + until - max(now, self._held_until))
        self._held_until = until
        self._on_held()
