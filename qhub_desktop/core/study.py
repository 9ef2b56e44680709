"""A study: what a statistical method gives a person to see, to doubt, to judge and to keep."""

from dataclasses import dataclass

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.table import Table


@dataclass(frozen=True, slots=True)
class Signal:
    """A point that breaks rules: its row in `Study.points`, the rules' codes, the lowest first."""

    point: int
    rules: tuple[str, ...]  # as in `quality.run_rules`


@dataclass(frozen=True, slots=True)
class Override:
    """What a person changed by hand: points left out, frozen limits, another estimator."""

    what: str  # a sentence
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Study:
    """The result of one method on one selection of one data set.

    `doubts` are read before `verdict`. `panels` are rows of figures, drawn as one picture. `points`
    has a row for each point drawn in the first panel (label, statistic, limits, subgroup size), in
    order. `arguments` are those of the tool `method`: the same call computes the study again, and
    a changed one computes it with a point left out or with frozen limits.
    """

    method: str  # the tool's name
    title: str
    verdict: str
    doubts: tuple[str, ...] = ()
    panels: tuple[tuple[Figure, ...], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # name and value: method, estimator, n, period, …
    tables: tuple[TableView, ...] = ()
    points: Table | None = None
    signals: tuple[Signal, ...] = ()
    overrides: tuple[Override, ...] = ()
    arguments: JsonObject | None = None
    source: Provenance | None = None


codec.register_tags({Study: "study"})
