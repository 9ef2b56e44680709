"""Reporting a defect in words: which of its fields a sentence gives, and which are missing."""

import re
from collections.abc import Mapping
from datetime import date

from qhub_desktop.nlq.language_files import small_words
from qhub_desktop.nlq.parser.question_frame import QuestionFrame
from qhub_desktop.nlq.tokenizer import plain

Fields = tuple[tuple[str, str | int], ...]
NEEDED = ("tipo_defeito", "turno", "operador", "material", "rack", "posicao")
_POSITION = re.compile(rf"\b(?:{'|'.join(small_words('position'))})\s*[:=]?\s*(\d{{1,4}})\b")


def reported(asked: QuestionFrame, question: str, *, today: date | None) -> Fields:
    """The fields that a sentence gives. The day is `today` unless it says another."""
    found: dict[str, str | int] = {}
    for each in asked.filters:
        field = asked.index.profile.defect_field(each.column)
        if (
            field is not None
            and field in NEEDED
            and each.relation == "is"
            and isinstance(each.values[0], str)
        ):
            found[field] = each.values[0]
    if position := _POSITION.search(plain(question)):
        found["posicao"] = int(position[1])
    if asked.period is not None and asked.period.start is not None:
        found["data"] = asked.period.start.isoformat()
    elif today is not None:
        found["data"] = today.isoformat()
    return _in_order(found)


def continued(before: Fields, more: Fields) -> Fields:
    """A report with more of its fields."""
    return _in_order(dict(before) | dict(more))


def missing(fields: Fields) -> tuple[str, ...]:
    """The fields that a report still needs."""
    given = dict(fields)
    return tuple(name for name in NEEDED if name not in given)


def is_complete(fields: Fields) -> bool:
    """Whether a report can be made."""
    return not missing(fields)


def _in_order(found: Mapping[str, str | int]) -> Fields:
    return tuple((name, found[name]) for name in (*NEEDED, "data") if name in found)
