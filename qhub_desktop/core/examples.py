"""Examples that teach a model: a good answer of the past, without any figure or value of data."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal

from qhub_desktop.core.citations import plain_citations
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.message import Message, ToolCall, ToolResult
from qhub_desktop.core.result_widgets import Chart, Kpi, Study, TableView
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import fold
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.values import dataclass

ExampleState = Literal["proposed", "active", "retired"]
NUMBER, VALUE = "‹n›", "‹valor›"
LONGEST_NOTE = 200  # characters of the rule that an example shows
LONGEST_EXAMPLE = 700  # characters of one as it is told
_LONGEST_KEPT = 2_000  # characters of a question or an answer
_LEAST_VALUE = 2
_SCHEMA = {"colunas", "tipos", "conjunto", "dataset"}  # name data, and are none
_FIGURE = re.compile(r"\d+(?:[.,:/\u00a0\u202f]\d+)*")
_WORDS_APART = r"[\s_]+(?:d[aeo]s?\s+)?"  # 'falta de tinta' is 'falta_tinta'


@dataclass(frozen=True, slots=True)
class TaughtCall:
    """A call of a tool, as an example shows it."""

    name: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the calls that answered it, and the answer with marks for figures and values.

    `plan` is the kind of plan that the offline reader makes of the question; `version` that of the
    agent then; `note` is the rule that it shows.
    """

    id: int
    agent: str
    version: int
    state: ExampleState
    question: str
    plan: str
    calls: tuple[TaughtCall, ...]
    answer: str
    note: str
    created: datetime

    @property
    def object(self) -> JsonObject:
        """What the command line tells of it."""
        return {
            "id": self.id,
            "agent": self.agent,
            "state": self.state,
            "question": self.question,
            "calls": [{"name": each.name, "input": each.input} for each in self.calls],
            "answer": self.answer,
            "note": self.note,
        }

    @property
    def text(self) -> str:
        """How a model is told of it: a line each for question, calls, answer and note."""
        calls = "; ".join(f"{each.name} {_written(each.input)}" for each in self.calls)
        head = [f"P: {one_line(self.question, most=150)}"]
        head += [f"F: {one_line(calls, most=250)}"] if calls else []
        foot = [f"N: {one_line(self.note, most=LONGEST_NOTE)}"] if self.note else []
        room = LONGEST_EXAMPLE - sum(len(each) + 1 for each in (*head, *foot)) - len("R: ")
        return "\n".join([*head, f"R: {one_line(self.answer, most=room)}", *foot])


@dataclass(frozen=True, slots=True)
class ExampleDraft:
    """What is kept of an answer as an example."""

    question: str
    calls: tuple[TaughtCall, ...]
    answer: str
    note: str


def drafted(question: str, answer: Message, *, words: str = "", note: str = "") -> ExampleDraft:
    """Return an answer as an example, `words` in the place of its own where it was corrected.

    No figure stands in what is told of the answer, and none of its results anywhere; nor does a
    value of the data, but for those that the question names.
    """
    results = [each for each in answer.blocks if isinstance(each, ToolResult)]
    found = [*_found(results)]
    figures = {number for each in found for number in _figures(str(each))}
    values = [each for each in found if isinstance(each, str) and _is_value(each)]
    asked = fold(question)
    unasked = [each for each in values if fold(each) not in asked]

    def without(text: str) -> str:
        return _without_figures(_without_values(text, unasked), figures)

    told = _without_values(plain_citations(words or answer.text), values)
    calls = [each for each in answer.blocks if isinstance(each, ToolCall)]
    return ExampleDraft(
        _without_figures(question, figures)[:_LONGEST_KEPT],
        tuple(TaughtCall(each.name, _cleaned(each.input, without, figures)) for each in calls),
        _FIGURE.sub(NUMBER, told)[:_LONGEST_KEPT],
        _without_figures(" ".join(note.split()), figures)[:LONGEST_NOTE],
    )


def _cleaned(given: JsonObject, without: Callable[[str], str], figures: set[str]) -> JsonObject:
    def clean(value: Json) -> Json:
        match value:
            case bool():
                return value
            case str():
                return without(value)
            case int() | float():
                return NUMBER if _figures(str(value)) & figures else value
            case list():
                return [clean(each) for each in value]
            case dict():
                return {name: clean(each) for name, each in value.items()}
            case _:
                return value

    return {name: clean(each) for name, each in given.items()}


def _found(results: Iterable[ToolResult]) -> Iterator[object]:
    """Yield what stands in results: texts, numbers, days."""
    for result in results:
        yield from _inside(result.content)
        for widget in result.widgets:
            match widget:
                case Chart(data=table) | TableView(table=table):
                    yield from _cells([table])
                case Study(tables=tables, points=points, facts=facts, verdict=verdict):
                    yield from _cells(each.table for each in tables)
                    yield from _cells([] if points is None else [points])
                    yield from (value for _name, value in facts)
                    yield from _FIGURE.findall(verdict)
                case Kpi(value=value):
                    yield value
                case _:
                    pass


def _cells(tables: Iterable[Table]) -> Iterator[object]:
    return (cell for table in tables for row in table.rows for cell in row)


def _inside(value: Json) -> Iterator[object]:
    match value:
        case dict():
            for name, each in value.items():
                yield from _FIGURE.findall(name)
                if name not in _SCHEMA:
                    yield from _inside(each)
        case list():
            for each in value:
                yield from _inside(each)
        case bool() | None:
            return
        case _:
            yield value


def _is_value(text: str) -> bool:
    return len(text.strip()) >= _LEAST_VALUE and any(map(str.isalpha, text))


def _figures(text: str) -> set[str]:
    """Return the figures of a text: whole, and in their parts."""
    return {part for each in _FIGURE.findall(text) for part in (each, *re.findall(r"\d+", each))}


def _without_figures(text: str, figures: Collection[str]) -> str:
    def mark(found: re.Match[str]) -> str:
        return NUMBER if _figures(found[0]) & {*figures} else found[0]

    return _FIGURE.sub(mark, text)


def _without_values(text: str, values: Sequence[str]) -> str:
    for value in sorted(set(values), key=len, reverse=True):
        parts = [re.escape(each) for each in re.split(r"[\s_]+", value.strip()) if each]
        pattern = rf"(?<!\w){_WORDS_APART.join(parts)}(?!\w)"
        text = re.sub(pattern, VALUE, text, flags=re.IGNORECASE)
    return text


def _written(given: JsonObject) -> str:
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def calls_from(stored: Json) -> tuple[TaughtCall, ...]:
    """Return the calls of an example as they are stored."""
    listed = stored if isinstance(stored, list) else []
    pairs = [each for each in listed if isinstance(each, dict)]
    return tuple(
        TaughtCall(str(each.get("name")), given)
        for each in pairs
        if isinstance(given := each.get("input"), dict)
    )
