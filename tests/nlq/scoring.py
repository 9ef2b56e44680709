"""Whether an answer of the engine is the one that pandas gives, by what the person is shown.

A question is right, left open (asked back or declined) or wrong with confidence. Numbers are looked
for where a reader finds them: the first one in bold. Groups are looked for in the rows that a tool
gave or a widget shows.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["right", "open", "wrong"]
Json = Any

_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_FIGURE = re.compile(r"[-−]?\d[\d.,\s\u00a0\u202f]*")
_WEEKDAYS = {
    name: str(number)
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "segunda terça quarta quinta sexta sábado domingo",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    )
    for number, name in enumerate(names.split(), start=1)
}
_NEAR = 1e-6


@dataclass
class Heard:
    """What came of one question: the words, the results and the widgets, in order."""

    text: str = ""
    plan: str = ""  # what kind of plan was understood
    tables: list[list[list[Json]]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # of rows, as tools and tables tell them
    is_asking: bool = False
    has_results: bool = False
    choices: list[str] = field(default_factory=list)

    def hear(self, event: Mapping[str, Json]) -> None:
        """One event as the command line prints it."""
        match event:
            case {"type": "text", "content": str(content)}:
                self.text += content
            case {"type": "question", "choices": list(choices)}:
                self.is_asking = True
                self.choices += choices
            case {"type": "understanding", "plan": {"type": str(kind)}}:
                self.plan = kind
            case {"type": "tool_use", "result": result, "is_error": False}:
                self.has_results = True
                self._result(result)
            case {"type": "table", "data": {"row_count": int(count), "table": table}}:
                self.counts.append(count)
                self.tables.append(table["rows"])
            case {"type": "chart", "data": {"data": {"rows": list(rows)}}}:
                self.tables.append(rows)
                self.counts.append(len(rows))

    def _result(self, result: Json) -> None:
        match result:
            case {"linhas": list(rows), "total_linhas": int(count)}:
                self.tables.append(rows)
                self.counts.append(count)
            case {"linhas": int(count)}:
                self.counts.append(count)
            case {"top": list(entries)}:
                rows = [[each["tipo"], each["total"], each["percentagem"]] for each in entries]
                self.tables.append(rows)
        if isinstance(result, dict):
            for name in ("por_tipo", "por_turno"):
                if isinstance(counts := result.get(name), dict):
                    self.tables.append([[label, count] for label, count in counts.items()])

    @property
    def is_open(self) -> bool:
        """Whether nothing was claimed: the engine asked back, or said that it cannot."""
        return self.is_asking or self.plan in ("unknown", "why", "ask")


def verdict(question: Mapping[str, Json], heard: Heard) -> Verdict:
    """What came of a question."""
    match question["expect"]:
        case "talk":
            wanted = question["plan"]["talk"]
            said = "help" if heard.plan == "abilities" else heard.plan
            return "right" if said == wanted and not heard.has_results else "wrong"
        case "ask":
            return "right" if heard.is_asking else "open" if heard.is_open else "wrong"
        case "decline":
            return "right" if heard.is_open else "wrong"
    if heard.is_open:
        return "open"
    return "right" if _is_answer(question, heard) else "wrong"


def _is_answer(question: Mapping[str, Json], heard: Heard) -> bool:
    match question["answer"]:
        case {"number": int() | float() as number}:
            return _is_first(number, heard.text)
        case {"pairs": [[_, first], [_, second]]} if heard.plan in ("comparison", "several"):
            return _are_first((float(first), float(second)), heard.text)
        case {"pairs": list(pairs), "ordered": is_ordered}:
            wanted = [(_label(label), float(value)) for label, value in pairs]
            cut = question["plan"].get("top")
            return any(
                _has_pairs(wanted, table[:cut] if is_ordered else table, is_ordered=is_ordered)
                for table in heard.tables
            )
        case {"cross": list(cells)}:
            wanted_cells = {(_label(a), _label(b)): float(value) for a, b, value in cells}
            return any(_has_cells(wanted_cells, table) for table in heard.tables)
        case {"rows": int(count)}:
            return count in heard.counts or _is_first(count, heard.text)
        case {"names": list(names)}:
            listed = [{_label(row[0]) for row in table if row} for table in heard.tables]
            wanted_names = set(map(_label, names))
            return wanted_names in listed or all(f"{name}" in heard.text for name in names)
        case {"columns": dict(columns)}:
            counted = [(_label(name), float(count)) for name, count in columns.items()]
            if not counted:
                return any(not table for table in heard.tables)
            return any(_has_pairs(counted, table, is_ordered=False) for table in heard.tables)
    return False


def _is_first(number: float, text: str) -> bool:
    """Whether the first bold figure is this number, as far as it is written."""
    for said in _figures(text):
        return any(_agrees(number, value, digits) for value, digits in said)
    return False


def _are_first(numbers: tuple[float, float], text: str) -> bool:
    """Whether the first two bold figures are these numbers, which a comparison tells by name."""
    said = [*_figures(text)][: len(numbers)]

    def fits(order: Iterable[float]) -> bool:
        return all(
            any(_agrees(number, value, digits) for value, digits in readings)
            for number, readings in zip(order, said, strict=True)
        )

    return len(said) == len(numbers) and (fits(numbers) or fits(reversed(numbers)))


def _figures(text: str) -> Iterator[list[tuple[float, int]]]:
    for bold in _BOLD.findall(text):
        if (found := _FIGURE.fullmatch(bold.strip().rstrip("%").strip())) is not None:
            yield list(_readings(found[0]))


def _readings(figure: str) -> Iterable[tuple[float, int]]:
    """A figure with Portuguese and with English separators, and its decimals."""
    bare = re.sub(r"[\s\u00a0\u202f]", "", figure.replace("−", "-"))
    for mark, gap in ((",", "."), (".", ",")):
        whole, _, decimals = bare.replace(gap, "").partition(mark)
        if re.fullmatch(r"-?\d+", whole) and re.fullmatch(r"\d*", decimals):
            yield float(f"{whole}.{decimals or 0}"), len(decimals)


def _agrees(number: float, said: float, digits: int) -> bool:
    if float(number).is_integer() and digits == 0:
        return said == number
    return abs(said - number) <= 0.5 * 10.0**-digits + _NEAR and (
        digits > 0 or abs(number) >= 1 or number == 0
    )


def _label(value: Json) -> str:
    text = str(value).strip()
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ]00:00:00.*", text):
        text = text[:10]
    return _WEEKDAYS.get(text.casefold(), text.casefold())


def _has_pairs(
    wanted: Sequence[tuple[str, float]], table: Sequence[Sequence[Json]], *, is_ordered: bool
) -> bool:
    """Whether some column of numbers beside the first column says so, and nothing else."""
    width = min((len(row) for row in table), default=0)
    for column in range(1, width):
        rows = [
            (_label(row[0]), row[column])
            for row in table
            if row[0] is not None and isinstance(row[column], int | float)
        ]
        if is_ordered:
            pairs = zip(rows, wanted, strict=False)
            if len(rows) == len(wanted) and all(_same(found, each) for found, each in pairs):
                return True
        elif _is_same_map(dict(rows), dict(wanted)):
            return True
    return False


def _is_same_map(found: Mapping[str, float], wanted: Mapping[str, float]) -> bool:
    present = {label: value for label, value in found.items() if value or label in wanted}
    return present.keys() == wanted.keys() and all(
        _is_near(present[label], value) for label, value in wanted.items()
    )


def _has_cells(wanted: Mapping[tuple[str, str], float], table: Sequence[Sequence[Json]]) -> bool:
    found = {
        (_label(row[0]), _label(row[1])): float(row[2])
        for row in table
        if len(row) >= 3 and None not in (row[0], row[1]) and isinstance(row[2], int | float)
    }
    for known in (found, {(b, a): value for (a, b), value in found.items()}):
        present = {cell: value for cell, value in known.items() if value}
        if present.keys() == wanted.keys():
            return all(_is_near(present[cell], value) for cell, value in wanted.items())
    return False


def _same(found: tuple[str, float], wanted: tuple[str, float]) -> bool:
    return found[0] == wanted[0] and _is_near(found[1], wanted[1])


def _is_near(found: float, wanted: float) -> bool:
    return abs(found - wanted) <= max(_NEAR, abs(wanted) * _NEAR) or (
        abs(found - wanted) <= 0.051 and abs(round(found, 1) - found) < _NEAR  # shares of tools
    )
