"""Each rule by which questions are read, with questions that it reads and others that it does not.

They stand in `rule_examples.toml`; that a rule was used is taken from what `qhub ask --explain`
tells. The kinds of words and of agreement that it tells are held likewise.
"""

import logging
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from typing_extensions import override

from qhub_desktop.nlq.dialogue import selection
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, interpret
from qhub_desktop.nlq.rules import RULES
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from qhub_desktop.nlq.semantic import slots
from tests.nlq.profiles import demo, measurements, production
from tests.nlq.schemas import TODAY, TRADES, table

FILE = tomllib.loads(Path(__file__).with_name("rule_examples.toml").read_text(encoding="utf-8"))
EXAMPLES: dict[str, Any] = FILE["rules"]
NAMED = {
    *RULES,
    *(f"words.{each}" for each in get_args(slots.Kind)),
    *(f"readers.{each}" for each in get_args(selection.Kind)),
}
LANGUAGES = ("pt", "en")


@cache
def tables() -> dict[str, SchemaIndex]:
    """The tables that questions are asked of, by their names."""
    small = [table(name, columns) for name, columns in FILE["tables"].items()]
    known = [*small, demo(), production(), measurements(), *(each.data for each in TRADES)]
    return {each.profile.dataset: schema_index_of(each.profile) for each in known}


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.told = ""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Keep the last of what is told."""
        self.told = record.getMessage()


@pytest.fixture(scope="module")
def listener() -> Iterator[_Listener]:
    log, listener = logging.getLogger(selection.__name__), _Listener()
    before, heeds = log.level, log.propagate
    log.addHandler(listener)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    yield listener
    log.removeHandler(listener)
    log.setLevel(before)
    log.propagate = heeds


@cache
def rules_used(listener: _Listener, question: str, index: SchemaIndex) -> set[str]:
    """The rules by which a question was read."""
    listener.told = ""
    interpret(question, INITIAL_STATE, [index], today=TODAY)
    found = re.findall(r"(?m)^(?:  by|rules of the best plan:) (.*)$", listener.told)
    words = re.findall(r"(?m)^ +-?[\d.]+  '.*': (\w+)", listener.told)
    readers = re.findall(r"(?m)^both readers: (\w+)", listener.told)
    return {
        *(name for each in found for name in each.split(", ")),
        *(f"words.{each}" for each in words),
        *(f"readers.{each}" for each in readers),
    }


def test_every_rule_has_questions_in_both_languages_and_near_misses() -> None:
    asked = {name: EXAMPLES.get(name, {}) for name in NAMED}
    lacking = {
        name: [key for key in (*LANGUAGES, "not") if not given.get(key)]
        for name, given in asked.items()
    }
    allowed = {
        name: [each for each in LANGUAGES if each != given["only"]] if "only" in given else []
        for name, given in asked.items()
    }

    assert lacking == allowed
    assert sorted({*EXAMPLES} - NAMED) == []


def test_every_rule_says_what_it_reads() -> None:
    assert [name for name, purpose in RULES.items() if not purpose] == []


@pytest.mark.parametrize("rule", EXAMPLES)
def test_a_rule_reads_its_examples_and_nothing_beside(rule: str, listener: _Listener) -> None:
    given = EXAMPLES[rule]
    index = tables()[given["table"]]

    def read(questions: Sequence[str]) -> list[str]:
        return [each for each in questions if rule in rules_used(listener, each, index)]

    examples = [each for key in LANGUAGES for each in given.get(key, ())]
    assert read(examples) == examples
    assert read(given["not"]) == []
