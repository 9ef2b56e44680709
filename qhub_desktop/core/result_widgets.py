"""What a tool's result shows to a person: a chart, a table, one number or a study."""

from typing import Literal

from qhub_desktop.core import codec
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.study import Provenance, Study, TableView, undefined_warnings
from qhub_desktop.core.table import Table
from qhub_desktop.core.values import dataclass

__all__ = [
    "Chart",
    "DashboardLink",
    "Kpi",
    "Provenance",
    "Roles",
    "Shown",
    "Standing",
    "Study",
    "TableView",
    "Widget",
    "title_of",
    "undefined_warnings",
]

Standing = Literal["good", "warn", "bad", "neutral"]


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns that a chart was asked to draw, for drawing it again from other rows."""

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


Widget = Chart | TableView | Kpi | Study
Shown = Widget | DashboardLink

codec.register_tags({Chart: "chart", Kpi: "kpi", DashboardLink: "dashboard"})


def title_of(widget: Widget) -> str:
    """Return a widget's title."""
    return widget.figure.title if isinstance(widget, Chart) else widget.title
