"""What is measured of rows: a sum, a mean, an extreme, a rate or a share."""

from collections.abc import Sequence

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dimensions import order_of, over_time, several_in
from qhub_desktop.chat.offline.plan import Dimension, GroupBy, Measure, Measured, Numbers, Scope
from qhub_desktop.chat.offline.ranking import how_many


def measure_of(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> tuple[Measure | None, Scope]:
    """What is measured, and over which rows: a share is of those without what it is a share of."""
    scope = asked.scope
    if asked.has("rate") or (asked.has("percent") and len(numeric) > 1):
        return _rate(asked, numeric)
    if asked.has("part_of") and len(numeric) == 1 and asked.index.is_amount(numeric[0]):
        named = (each for each in scope.filters if each.relation == "is" and not each.grain)
        if (part := next(named, None)) is not None:  # 'que percentagem do custo é lixo?'
            return Measure("share", numeric[0], part=(part,)), scope.without(part.column)
    is_part = len(numeric) == 1 and asked.index.is_part(numeric[0])
    if is_part and asked.has("percent") and not asked.has("total"):
        return _rate(asked, numeric)  # '% de rejeitadas' is of what was produced
    if asked.has("part_of") and dimensions and not numeric and scope.filters:
        return _rate(asked, numeric)  # '% de OK por operador' is of each operator's
    if not numeric:
        return None, scope
    name = numeric[0]
    kind = asked.measure_kind
    if kind in ("max", "min") and dimensions and asked.index.is_amount(name):
        # 'que linha tem o maior retrabalho' ranks lines; 'o máximo por linha' is a maximum.
        kind = kind if asked.dimensions or not asked.has("which") else "sum"
    if kind is not None:
        return Measure(kind, name), scope
    if asked.has("distinct") and not asked.has_subject and not dimensions:
        return None, scope
    if asked.index.is_amount(name):
        return Measure("sum", name), scope
    if asked.has("most", "least", "top", "distinct") or asked.is_counted_column:
        return None, scope
    return (None, scope) if asked.has_subject else (Measure("mean", name), scope)


def measured(
    asked: Asked, measure: Measure, scope: Scope, dimensions: Sequence[Dimension]
) -> Numbers:
    """A measure of these rows: of all of them, or of each of the groups."""
    is_timed = asked.has("trend", "cumulative")
    dimensions = over_time(asked, dimensions) if is_timed else [*dimensions]
    several, named = several_in(scope), [each.column for each in dimensions]
    is_compared = asked.has("compare") or (not named and measure.kind != "sum")
    if several is not None and is_compared and len(named) < 2 and several not in named:
        dimensions.append(Dimension(several))
    if not dimensions:
        return Measured(scope, measure)
    split = dimensions[1] if len(dimensions) > 1 else None
    extremes = () if measure.kind in ("max", "min") else ("max", "min")
    is_ranked = asked.has("most", "least", "top", "worst", "best", *extremes) and not asked.has(
        "sort"
    )
    is_ranked = is_ranked or (asked.has("which") and not asked.dimensions)
    is_rising = asked.has("least", *extremes[1:]) and not asked.has("most")
    return GroupBy(
        scope,
        dimensions[0],
        measure,
        split,
        n=how_many(asked) if is_ranked and split is None else None,
        order=order_of(asked) or ("least" if is_rising else "most" if is_ranked else ""),
        is_share=asked.has("percent") and measure.kind == "sum",
        is_cumulative=asked.has("cumulative") and bool(dimensions[0].grain),
    )


def _rate(asked: Asked, numeric: Sequence[str]) -> tuple[Measure | None, Scope]:
    """'rejeitadas sobre boas', 'taxa de NOK': one sum by another, or a share of the rows."""
    scope = asked.scope
    if len(numeric) > 1:
        return Measure("rate", numeric[0], numeric[1]), scope
    if numeric:
        whole = asked.index.whole_of_amounts(numeric[0])
        return (Measure("rate", numeric[0], whole), scope) if whole else (None, scope)
    single = (
        each
        for each in scope.filters
        if each.relation == "is" and len(each.values) == 1 and not each.grain
    )
    part = next(single, None)
    if part is None:
        return None, scope
    return Measure("share", part=(part,)), scope.without(part.column)
