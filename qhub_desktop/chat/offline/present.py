"""Numbers as a picture, a table or one large figure: what of them can be shown so."""

from dataclasses import replace

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dimensions import grouped, main_dimension
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import (
    AsChart,
    AsKpi,
    AsTable,
    AsWorkbook,
    ByShift,
    ChartKind,
    Correlation,
    Count,
    Data,
    Dimension,
    Distinct,
    Duplicates,
    GroupBy,
    Measured,
    Missing,
    Numbers,
    Outliers,
    Readings,
    Rows,
    Summary,
    Top,
)

BARS = 10  # a ranking of one is no picture


def presented(wanted: Numbers, asked: Asked, *, is_new: bool = True) -> Data:
    """Numbers in the form that a question asks for, or as they are."""
    if asked.has("workbook"):
        return AsWorkbook(tabled(wanted, asked.index), asked.chart_kind)
    if asked.has("table") and not isinstance(wanted, Rows):
        return AsTable(tabled(wanted, asked.index))
    if asked.has("kpi") and isinstance(wanted, (Count, Measured)):
        return AsKpi(wanted)
    kind = asked.chart_kind
    if kind is None and not asked.has("chart", "trend"):
        return wanted
    return drawn(wanted, asked.index, kind, is_new=is_new)


def drawn(wanted: Numbers, index: Index, kind: ChartKind | None, *, is_new: bool) -> Data:
    """Numbers as a picture, or as they are if there is nothing to draw."""
    if kind == "histogram" and isinstance(wanted, GroupBy) and wanted.measure.column:
        return AsChart(Readings(wanted.scope, (wanted.measure.column,)), kind, is_new=is_new)
    if kind == "box" and isinstance(wanted, GroupBy) and wanted.measure.column:
        readings = Readings(wanted.scope, (wanted.measure.column,), wanted.dimension)
        return AsChart(readings, kind, is_new=is_new)
    if kind == "scatter" and not (isinstance(wanted, Readings) and len(wanted.columns) > 1):
        kind = None  # there are no two numbers to set against each other
    shape = charted(wanted, index)
    return wanted if shape is None else AsChart(shape, kind, is_new=is_new)


def charted(wanted: Numbers, index: Index) -> Numbers | None:
    """What is drawn of some numbers."""
    match wanted:
        case ByShift() | GroupBy(n=None) | Readings():
            return wanted
        case GroupBy(n=n):
            return replace(wanted, n=max(n or 0, BARS))
        case Top(scope=scope, dimension=dimension, within=within) if within is not None:
            return GroupBy(scope, within, split=dimension)
        case Top(n=n):
            return replace(wanted, n=BARS) if n == 1 else wanted
        case Measured(scope, measure) if measure.kind not in ("rate", "share", "distinct"):
            return Readings(scope, (measure.column,))
        case Correlation(scope, columns):
            return Readings(scope, columns)
        case Outliers(scope, column) | Summary(scope, column):
            return Readings(scope, (column,))
        case Measured() | Missing() | Duplicates():
            return None
        case Distinct(scope, column):
            return grouped(scope, [Dimension(column)], index, is_share=False)
        case Count() | Rows():
            main = main_dimension(index, wanted.scope)
            is_share = isinstance(wanted, Count) and wanted.is_share
            return grouped(wanted.scope, [main], index, is_share=is_share) if main else None


def tabled(wanted: Numbers, index: Index) -> Numbers:
    """What a table shows of some numbers."""
    match wanted:
        case Count() | Distinct():
            return charted(wanted, index) or wanted
        case Top(within=within) if within is not None:
            return charted(wanted, index) or wanted
        case Top(n=1):
            return replace(wanted, n=BARS)
        case _:
            return wanted
