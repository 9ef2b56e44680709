"""Judges of stored answers: one that only counts and compares, at no cost, on this computer."""

import re
from collections.abc import Iterator
from typing import get_args

from qhub_desktop.chat.number_check import check_numbers, said_before
from qhub_desktop.core.errors import Fault
from qhub_desktop.core.feedback import AnswerCase, AnswerVerdict
from qhub_desktop.core.message import Message, Notice, NumberCheck, ToolResult, number_line
from qhub_desktop.core.text import Language, fold, lexicons
from qhub_desktop.core.text import gettext as _

_FAULTS = frozenset(get_args(Fault))
_LEAST_WORDS = 3  # that only one language has, to tell which one a text is in
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|«[^»\n]*»", re.DOTALL)


def judge_offline(case: AnswerCase) -> tuple[AnswerVerdict, NumberCheck]:
    """Judge an answer by its numbers, its errors and its language. To be called off the window's
    thread.
    """
    numbers = numbers_of(case)
    faults = [*_faults(case, numbers)]
    return AnswerVerdict(case.answer.id, not faults, " ".join(faults)), numbers


def numbers_of(case: AnswerCase) -> NumberCheck:
    """Return where the numbers of an answer are from: as it was checked then, else checked now."""
    for block in case.answer.blocks:
        if isinstance(block, NumberCheck):
            return block
    given = said_before(case.before)
    return check_numbers(case.answer.blocks, question=case.question.text, given=given)


def _faults(case: AnswerCase, numbers: NumberCheck) -> Iterator[str]:
    results = [each for each in case.answer.blocks if isinstance(each, ToolResult)]
    if numbers.count("unsupported"):
        has_tool = any(not each.is_error for each in results)
        yield number_line(numbers) if has_tool else _("It has numbers, and asked no tool.")
    if case.answer.end == "failed" or any(map(_is_fault, case.answer.blocks)):
        yield _("It ended with an error.")
    elif results and all(each.is_error for each in results):
        yield _("All of its calls failed.")
    asked, told = language_in(case.question.text), _language_of(case.answer)
    if asked is not None and told is not None and asked != told:
        yield _("It is in another language than its question.")


def _is_fault(block: object) -> bool:
    return isinstance(block, Notice) and block.kind in _FAULTS


def _language_of(answer: Message) -> Language | None:
    return language_in(_CODE.sub(" ", answer.text))


def language_in(text: str) -> Language | None:
    """Return the language of a text by its small words; None where they do not tell it."""
    said = re.findall(r"[^\W\d_]+", fold(text))
    counts = {
        language: sum(word in words for word in said) for language, words in _small_words().items()
    }
    order = sorted(counts, key=counts.__getitem__, reverse=True)
    if counts[order[0]] < _LEAST_WORDS or counts[order[0]] <= 2 * sum(
        counts[each] for each in order[1:]
    ):
        return None
    return order[0]


def _small_words() -> dict[Language, frozenset[str]]:
    """Return the small words by language that no other language has."""
    files = lexicons("stop_words")
    words = {name: frozenset(file.get("stop_words", ())) for name, file in files.items()}
    return {
        name: own.difference(*(other for each, other in words.items() if each != name))
        for name, own in words.items()
    }
