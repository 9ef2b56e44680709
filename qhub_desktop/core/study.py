"""Study: the result of a statistical method as figures, facts, tables and doubts.

Its tables, and where their numbers came from, are those that other results show too.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import Language, gettext_noop, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

# The tools that make studies: a form shows the input of each.
STUDY_TOOLS = frozenset(
    ["carta_controlo", "pareto", "rendimento", "capacidade", "estudo_rr", "teste_hipotese",
     "plano_amostragem"]
)  # fmt: skip
PAGED = ("capacidade", "estudo_rr")  # the studies that customers want on a page
HEADS: Mapping[str, str] = {  # of the head, in order, by the names under which they are kept
    "customer": gettext_noop("Customer"),
    "supplier": gettext_noop("Supplier, plant"),
    "part": gettext_noop("Part"),
    "number": gettext_noop("Part number, revision"),
    "characteristic": gettext_noop("Characteristic"),
    "process": gettext_noop("Process, machine"),
    "gauge": gettext_noop("Measuring equipment"),
    "remark": gettext_noop("Remark"),
}
EXCLUDED, FROZEN = "excluir", "congelar"  # fields of the tools that a person changes on the card


@dataclass(frozen=True, slots=True)
class Provenance:
    """Source of numbers, for the line under a widget and the click on it.

    `rows_used` of `rows_total` rows took part; both are of the data set, not of the result.
    `rows_used` is `None` where a query is too intricate to tell. `undefined` counts the results
    that a division by zero has made, which are missing.
    """

    dataset: str  # the name that SQL knows
    file: str  # the name that the person knows
    sheet: str | None
    rows_used: int | None
    rows_total: int
    sql: str
    undefined: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on what the person and the model should know of the result."""
        return undefined_warnings(self.undefined)


def undefined_warnings(count: int, *, language: Language | None = None) -> tuple[str, ...]:
    """Return the sentence on results that are no finite numbers; nothing where there are none."""
    if not count:
        return ()
    words = ngettext(
        "{count} result is no number, as of a division by zero, and is missing.",
        "{count} results are no numbers, as of a division by zero, and are missing.",
        count,
        language=language,
    )
    return (words.format(count=number(count, digits=0, language=language)),)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table under a title. `row_count` is the true count where `table` holds only the first."""

    title: str
    table: Table
    row_count: int
    source: Provenance | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """A point that breaks rules: its row in `Study.points`, the rules' codes, the lowest first.

    `words` says each rule in a sentence, in the same order; rules may have numbers of the person's
    own, so the sentences come from where they were applied.
    """

    point: int
    rules: tuple[str, ...]  # as in `quality.run_rules`
    words: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each rule says; its code where there are no words."""
        return self.words if len(self.words) == len(self.rules) else self.rules


@dataclass(frozen=True, slots=True)
class PointNote:
    """Cause and action that somebody noted on a point, which its label names."""

    label: str
    cause: str
    action: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Override:
    """Change by a person's hand: points left out, frozen limits, another estimator."""

    what: str  # a sentence
    reason: str
    by: str

    @property
    def sentence(self) -> str:
        """What was changed, why and by whom."""
        words = _("Changed by hand: {what}").format(what=self.what.rstrip("."))
        details = ", ".join(part for part in (self.reason.rstrip("."), self.by) if part)
        return f"{words} ({details})." if details else f"{words}."


@dataclass(frozen=True, slots=True)
class Study:
    """The result of one method on one selection of one data set.

    `doubts` are read before `verdict`. `panels` are rows of figures, drawn as one picture. `points`
    has a row for each point drawn in the first panel (label, statistic, limits, subgroup size), in
    order. `arguments` are those of the tool `method`: the same call computes the study again, and
    a changed one computes it with a point left out or with frozen limits. `opens` are arguments of
    the same tool, each for a row of the first table, which opens a study of its own.
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
    opens: tuple[JsonObject, ...] = ()

    @property
    def can_exclude(self) -> bool:
        """Whether the same call with a point left out computes the study again."""
        return self.arguments is not None and self.method in ("carta_controlo", "capacidade")

    @property
    def can_freeze(self) -> bool:
        """Whether its limits can be kept for later data; they are not already."""
        is_chart = self.method == "carta_controlo" and not self.opens
        return is_chart and not (self.arguments or {FROZEN: 1}).get(FROZEN)

    @property
    def has_frozen_limits(self) -> bool:
        """Whether it is a control chart whose limits are fit to watch later data."""
        return self.method == "carta_controlo" and bool((self.arguments or {}).get(FROZEN))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the study says in words: doubts first, then verdict, overrides and facts."""
        facts = (_("{name}: {value}").format(name=name, value=value) for name, value in self.facts)
        return (*self.doubts, self.verdict, *(each.sentence for each in self.overrides), *facts)


@dataclass(frozen=True, slots=True)
class AskedStudy:
    """Study that a form begins with: its tool, the input, and the field to begin at.

    Without a tool it is the one that fits the data; without an input, what the columns suggest.
    """

    method: str = ""
    given: JsonObject | None = None
    field: str = ""


def label_of(study: Study, point: int) -> str:
    """Return the label of a point: what its row in `points` begins with."""
    assert study.points is not None
    return str(study.points.rows[point][0])


def subject_of(study: Study) -> str:
    """Return what notes on points are kept under: the same for every version of one chart.

    A version with a point left out, or with frozen limits, is the same chart of the same data.
    """
    given = {
        name: value
        for name, value in (study.arguments or {}).items()
        if name not in (EXCLUDED, FROZEN) and value is not None
    }
    source = study.source
    names = [source.dataset, source.file, source.sheet or ""] if source is not None else []
    text = json.dumps([study.method, names, given], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


codec.register_tags({Study: "study", TableView: "table"})
