"""The only list of chart kinds: the model's schema, the vocabulary and the labels read this one.

A kind is declared beside the function that draws it, in `charts`, and published here, because the
layers that read the list (the engine without a model above all) do not know `charts`. Loading
`charts.recipes` publishes it; the toolbox that draws does that, so every process that answers
questions has the list. Child processes that read, write or print files have it not and need none:
a figure is drawn by its marks, whatever kind it is of.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from qhub_desktop.core.text import Language

# What a query has to give: a row for each category or moment ("parts": of one whole), single
# measurements (with a column that groups them), two categories and a value, two numbers.
Takes = Literal["groups", "parts", "values", "grouped values", "matrix", "pair"]
# What can be shown: amounts by category, by moment, by two of them, single measurements, pairs.
Shape = Literal["groups", "times", "split", "values", "pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartKind:
    """A kind of chart, as everything but its drawing needs to know it."""

    name: str  # in tools, plans and stored messages
    label: str  # a text of the catalogue
    takes: Takes
    suits: frozenset[Shape] = frozenset()  # for which the answer's menu offers it
    words: Mapping[Language, str]  # phrases that name it in a question, parted by commas
    place: int = 100  # in lists: the usual kinds come first
    precedence: int = 100  # of several kinds that one question names, the greatest is meant


_published: dict[str, ChartKind] = {}


def publish(kinds: Iterable[ChartKind]) -> None:
    """Make these the kinds there are."""
    _published.clear()
    _published.update((each.name, each) for each in sorted(kinds, key=lambda kind: kind.place))


def chart_kinds() -> tuple[ChartKind, ...]:
    """Every kind, the usual ones first.

    Raises:
        RuntimeError: `charts.recipes` was not loaded. An empty list would only make the engine
            understand less than it can.

    """
    if not _published:
        raise RuntimeError(
            "No chart kind is published: import qhub_desktop.charts.catalogue first."
        )
    return tuple(_published.values())


def takes(name: str | None) -> Takes | None:
    """What the kind of that name is drawn from; nothing where there is no such kind."""
    return next((each.takes for each in chart_kinds() if each.name == name), None)
