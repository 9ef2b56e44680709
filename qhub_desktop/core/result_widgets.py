"""What a tool's result shows to a person: a chart, a table or one number, and its source."""

from dataclasses import dataclass
from typing import Literal

from qhub_desktop.core import codec
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import Language, ngettext, number

Standing = Literal["good", "warn", "bad", "neutral"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where numbers came from, for the line under a widget and the click on it.

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
    """Return the sentence on results that are no numbers; nothing where there are none."""
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
class Roles:
    """Which columns a chart was asked to draw, for drawing it again from other rows."""

    x: str | None = None
    y: tuple[str, ...] = ()
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure, and the numbers it was drawn from."""

    kind: str  # its name in `core.figure`
    figure: Figure
    data: Table
    source: Provenance | None = None
    roles: Roles = Roles()


@dataclass(frozen=True, slots=True)
class TableView:
    """A table under a title. `row_count` is the true count where `table` holds only the first."""

    title: str
    table: Table
    row_count: int
    source: Provenance | None = None


@dataclass(frozen=True, slots=True)
class Kpi:
    """One number, its target and its trend.

    `change` is relative to the previous period (0.05 is +5 %).
    """

    title: str
    value: float | str
    unit: str = ""
    change: float | None = None
    target: float | None = None
    standing: Standing = "neutral"
    source: Provenance | None = None


@dataclass(frozen=True, slots=True)
class DashboardLink:
    """A stored page, by its address."""

    title: str
    url: str


Widget = Chart | TableView | Kpi
Shown = Widget | DashboardLink

codec.register_tags({Chart: "chart", TableView: "table", Kpi: "kpi", DashboardLink: "dashboard"})


def title_of(widget: Widget) -> str:
    """Return a widget's title."""
    return widget.figure.title if isinstance(widget, Chart) else widget.title
