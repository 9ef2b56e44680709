"""Patterns: what a person asks again and again, counted from the plans of their own questions."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

LOOKED_AT = 30  # conversations
LEAST = 3  # of them, in which the same is asked
MOST = 5  # patterns that are kept
SAME_HOURS = 2  # within which most are asked, for an hour to be told
MOSTLY = 0.6
# What the same question has another of from day to day.
_PASSING = {"period", "dataset", "until", "noun"}


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question with the plan that it was computed by. `changed` is a part of what was understood
    that the person changed, and to what.
    """

    text: str
    asked: datetime
    plan: JsonObject
    changed: tuple[str, str] | None = None


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
    conversations: Sequence[Sequence[PlannedQuestion]], refused: Collection[str] = ()
) -> list[Pattern]:
    """Return what at least 3 of the conversations have in common, the most frequent first.

    `refused` are keys of patterns that the person does not want.
    """
    questions: dict[str, list[tuple[int, PlannedQuestion]]] = defaultdict(list)
    changes: Counter[tuple[str, str]] = Counter()
    for number, conversation in enumerate(conversations):
        for each in conversation:
            questions[_key(each.plan)].append((number, each))
        changes.update({each.changed for each in conversation if each.changed is not None})
    found = [*_repeated(questions, len(conversations)), *_changed(changes, len(conversations))]
    wanted = [each for each in found if each.key not in refused]
    return sorted(wanted, key=lambda each: (-each.seen, each.key))[:MOST]


def _repeated(
    questions: dict[str, list[tuple[int, PlannedQuestion]]], of: int
) -> Iterator[Pattern]:
    for key, asked in questions.items():
        seen = len({number for number, _question in asked})
        if seen < LEAST:
            continue
        latest = max((question for _number, question in asked), key=lambda each: each.asked)
        hour = _usual_hour([question.asked.hour for _number, question in asked])
        text = _("Often asks: «{question}»").format(question=latest.text)
        if hour is not None:
            text = _("{text}, at about {hour}:00").format(text=text, hour=f"{hour:02}")
        yield Pattern(f"question {key}", text, latest.text, seen, of)


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


def _key(plan: JsonObject) -> str:
    return json.dumps(_lasting(plan), sort_keys=True, ensure_ascii=False)


def _lasting(value: Json) -> Any:
    """Return a plan without what changes from day to day."""
    if isinstance(value, dict):
        return {name: _lasting(each) for name, each in value.items() if name not in _PASSING}
    return [_lasting(each) for each in value] if isinstance(value, list) else value
