"""Patterns: what a person asks again and again, by plans and by words, counted over questions."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

LOOKED_AT = 30  # conversations
LEAST = 3  # of them, in which the same is asked
MOST = 5  # patterns that are kept of those counted by plans, and as many subjects
MOST_WORDS = 4  # that tell the questions of a subject
_LEAST_LETTERS = 3  # of such a word
SAME_HOURS = 2  # within which most are asked, for an hour to be told
MOSTLY = 0.6
# What the same question has another of from day to day.
_PASSING = {"period", "dataset", "until", "noun"}


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, with the plan that it was computed by if the offline engine answered. `changed`
    is a part of what was understood that the person changed, and to what. One that `is_first` in
    its conversation says all by itself.
    """

    text: str
    asked: datetime
    plan: JsonObject | None = None
    changed: tuple[str, str] | None = None
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What some questions are about, as a model has named it: those with all of its words."""

    name: str
    words: tuple[str, ...]

    @property
    def key(self) -> str:
        """The same for the same words."""
        return _SUBJECT + " ".join(sorted(set(map(_stem, self.words))))


_SUBJECT = "subject "


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that comes again. `key` is the same as long as it does; `starter` is the question
    to offer, "" where there is none; `seen` of `of` conversations have it.
    """

    key: str
    text: str
    starter: str
    seen: int
    of: int

    @property
    def line(self) -> str:
        """The pattern on one line, with how often it was seen."""
        return _("{text} ({seen} of {of} conversations)").format(
            text=self.text, seen=self.seen, of=self.of
        )


def patterns_in(
    conversations: Sequence[Sequence[AskedQuestion]],
    refused: Collection[str] = (),
    *,
    subjects: Sequence[Subject] = (),
) -> list[Pattern]:
    """Return what at least 3 of the conversations have in common, the most frequent first.

    `refused` are keys of patterns that the person does not want. A subject is left out where its
    words do not bear it out, and where it tells nothing that the plans do not.
    """
    questions: dict[str, list[tuple[int, AskedQuestion]]] = defaultdict(list)
    changes: Counter[tuple[str, str]] = Counter()
    for number, conversation in enumerate(conversations):
        for each in conversation:
            if each.plan is not None:
                questions[_question_key(each.plan)].append((number, each))
        changes.update({each.changed for each in conversation if each.changed is not None})
    found = [*_repeated(questions, len(conversations)), *_changed(changes, len(conversations))]
    counted = _most_seen(each for each in found if each.key not in refused)
    told = {each.key for each in counted}
    named = _named(wanted_questions(conversations, refused), subjects, told)
    return sorted([*counted, *_most_seen(named)], key=_rank)


def wanted_questions(
    conversations: Sequence[Sequence[AskedQuestion]], refused: Collection[str]
) -> list[list[AskedQuestion]]:
    """Return the questions without those of patterns that were refused: they get no other name."""
    words = [key.removeprefix(_SUBJECT).split() for key in refused if key.startswith(_SUBJECT)]
    return [
        [
            each
            for each in conversation
            if (each.plan is None or _question_key(each.plan) not in refused)
            and not any(_has_words(each.text, those) for those in words)
        ]
        for conversation in conversations
    ]


def valid_subject(name: str, *words: str) -> Subject | None:
    """Return a subject by which questions can be counted; None for one that has no such words."""
    tells = 0 < len(words) <= MOST_WORDS and all(
        len(_stem(each)) >= _LEAST_LETTERS for each in words
    )
    return Subject(name, words) if name and tells else None


def _named(
    conversations: Sequence[Sequence[AskedQuestion]],
    subjects: Sequence[Subject],
    told: Collection[str],
) -> Iterator[Pattern]:
    """Yield a pattern for each subject that enough conversations have, counted by its words."""
    for subject in subjects:
        asked = [
            (number, each)
            for number, conversation in enumerate(conversations)
            for each in conversation
            if _has_words(each.text, subject.words)
        ]
        seen = len({number for number, _question in asked})
        is_new = any(
            each.plan is None or _question_key(each.plan) not in told for _n, each in asked
        )
        if seen < LEAST or not is_new:
            continue
        text = _("Often asks about: {subject}").format(subject=subject.name)
        starter = _starter(each for _number, each in asked)
        yield Pattern(subject.key, text, starter, seen, len(conversations))


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Return whether a question has all these words, whatever their endings."""
    said = _words(text)
    return all(any(each.startswith(_stem(word)) for each in said) for word in words)


def _stem(word: str) -> str:
    return "".join(_words(word)[:1]).rstrip("s")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))


def _most_seen(found: Iterable[Pattern]) -> list[Pattern]:
    return sorted(found, key=_rank)[:MOST]


def _rank(pattern: Pattern) -> tuple[int, str]:
    return -pattern.seen, pattern.key


def _repeated(questions: dict[str, list[tuple[int, AskedQuestion]]], of: int) -> Iterator[Pattern]:
    for key, asked in questions.items():
        seen = len({number for number, _question in asked})
        if seen < LEAST:
            continue
        starter = _starter(question for _number, question in asked)
        latest = max((question for _number, question in asked), key=lambda each: each.asked)
        hour = _usual_hour([question.asked.hour for _number, question in asked])
        text = _("Often asks: «{question}»").format(question=starter or latest.text)
        if hour is not None:
            text = _("{text}, at about {hour}:00").format(text=text, hour=f"{hour:02}")
        yield Pattern(key, text, starter, seen, of)


def _starter(questions: Iterable[AskedQuestion]) -> str:
    """Return the words last asked that stand alone; a follow-up begins no conversation."""
    alone = [each for each in questions if each.is_first]
    return max(alone, key=lambda each: each.asked).text if alone else ""


def _changed(changes: Counter[tuple[str, str]], of: int) -> Iterator[Pattern]:
    for (part, choice), seen in changes.items():
        if seen >= LEAST:
            text = _("Changes what is understood to: {choice}").format(choice=choice)
            yield Pattern(f"change {part} {choice}", text, "", seen, of)


def _usual_hour(hours: Sequence[int]) -> int | None:
    """Return the hour about which most fall; None where they lie apart."""
    near = {hour: sum(_apart(hour, each) < SAME_HOURS for each in hours) for hour in hours}
    hour = max(near, key=lambda each: (near[each], -each))
    return hour if len(hours) >= LEAST and near[hour] >= MOSTLY * len(hours) else None


def _apart(hour: int, other: int) -> int:
    return min((hour - other) % 24, (other - hour) % 24)


def _question_key(plan: JsonObject) -> str:
    return f"question {json.dumps(_lasting(plan), sort_keys=True, ensure_ascii=False)}"


def _lasting(value: Json) -> Any:
    """Return a plan without what changes from day to day."""
    if isinstance(value, dict):
        return {name: _lasting(each) for name, each in value.items() if name not in _PASSING}
    return [_lasting(each) for each in value] if isinstance(value, list) else value
