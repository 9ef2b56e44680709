"""Grouping and ranking: dimensions, grain of time, order, limit, times between columns."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.nlq.grouping import compared_column, grain_for, is_best_most
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    Dimension,
    GroupBy,
    Measure,
    Order,
    Query,
    Rows,
    RowSelection,
    TimeUnit,
    is_unranked,
    select,
    top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.word_meanings import RANKED


def main_dimension(index: SchemaIndex, scope: RowSelection) -> Dimension | None:
    """Return the default dimension: the first category that no filter fixes."""
    settled = {each.column for each in scope.filters if each.relation == "is"}
    left = [column for column in index.categories if column not in settled]
    return Dimension(left[0]) if left else None


def with_time(frame: QuestionFrame, dimensions: Sequence[Dimension]) -> list[Dimension]:
    """Return the dimensions with the days before them, if no time is among them yet."""
    column = frame.index.date_column
    if column is None or any(each.grain for each in dimensions):
        return [*dimensions]
    return [Dimension(column, grain_for(frame.index, frame.period)), *dimensions]


def order_of(frame: QuestionFrame) -> Order:
    """Return the order that the words ask for."""
    if frame.has("by_name"):
        return "name"
    names = [each.column for each in frame.columns]
    if frame.has("ascending"):
        said = frame.words_of("#ascending")
        return "most" if is_best_most(said, names, frame.index) else "least"
    if frame.has("descending") and is_best_most(frame.words_of("#descending"), names, frame.index):
        return "least"
    if frame.has("descending", "by_value") or (frame.has("sort") and frame.has("most")):
        return "most"
    return "least" if frame.has("sort") and frame.has("least") else ""


def with_order(wanted: Query, order: Order, *, is_cumulative: bool = False) -> Query:
    """Apply an order to a grouped query."""
    if not order and not is_cumulative:
        return wanted
    match wanted:
        case GroupBy() if is_unranked(wanted):
            is_time = is_cumulative and bool(wanted.dimension.grain)
            return replace(wanted, order=order or wanted.order, is_cumulative=is_time)
        case GroupBy(within=None) if order == "name":
            return replace(wanted, n=None, order="name")
        case _:
            return wanted


TOP = 5


def top_query(frame: QuestionFrame, dimensions: Sequence[Dimension]) -> Query | None:
    """Build a ranking: the groups with the most rows, or the fewest."""
    scope, several = frame.scope, compared_column(frame.scope)
    if several is not None and not dimensions and frame.number is None:
        # 'o Carlos tem mais que a Julia?'
        return GroupBy(scope, Dimension(several), is_share=frame.has("percent"))
    dimension = dimensions[0] if dimensions else main_dimension(frame.index, scope)
    if dimension is None:
        return None
    within = dimension if _asks_within(frame, scope, dimension) else None
    kind = frame.index.type_column
    if within is not None and kind is not None:
        dimension = Dimension(kind)
    return top(
        scope,
        dimension,
        frame.number or 1 if within else limit_of(frame),
        within=within,
        order="least" if frame.has("least", "min", "best") else "most",
        is_share=frame.has("percent"),
    )


def ranked_rows(frame: QuestionFrame, numeric: Sequence[str]) -> Query | None:
    """Build rows ranked by a number or a date: 'a ação mais cara', 'the 5 units with most torque'.

    What is asked of them stands after the superlative: 'highest NOx, and when?'. A column named
    before it is what is ranked, and no row, unless it tells rows apart.
    """
    index = frame.index
    rising, falling = frame.has("min", "least", "first"), frame.has("max", "most", "top", "last")
    asked = [each for each in frame.dimensions if index.is_moment(each.column)]
    if frame.has("outliers", "correlation", "distribution", "trend", "describe"):
        return None
    by_time = frame.has("by") or len(asked) < len(frame.dimensions)
    if by_time or not (rising or falling) or frame.has("mean", "sum") or _counts_first(frame):
        return None
    if asked and not _is_asked_after(frame, asked[0].column):
        return None
    ranked = _ranked_column(frame, numeric)
    is_of_time = frame.has("first", "last") and not frame.has("max", "min", "most", "least", "top")
    if is_of_time and numeric and index.date_column is not None:
        ranked = index.date_column  # 'as últimas 6 medições, com data e P1'
    if ranked is None:
        return None
    named = [each.column for each in frame.columns if each.column != ranked]
    before = _named_before_superlative(frame, named)
    if any(not index.is_identity(name) for name in before):
        return None
    names_rows = bool(frame.noun or before or frame.has("rows", "data") or frame.names_dataset)
    asks_more = any(name not in before for name in named)
    if not (frame.number is not None or names_rows or asks_more or index.is_moment(ranked)):
        return None
    n = frame.number or (TOP if frame.is_plural and names_rows else 1)
    asked_for = [*named, *(each.column for each in asked)]
    called = [name for name in index.telling if index.is_identity(name)]
    columns = tuple(dict.fromkeys([*called, *asked_for])) if asked_for else ()
    return Rows(frame.scope, n, "least" if rising else "most", ranked, columns)


def _counts_first(frame: QuestionFrame) -> bool:
    """Return whether rows are counted: 'how many', before any superlative."""
    cues = [each.name for each in frame.parts if each.kind == "cue"]
    first = next((cue for cue in cues if cue == "#count" or cue in RANKED), "")
    return first == "#count"


def _is_asked_after(frame: QuestionFrame, column: str) -> bool:
    """Return whether a grain of time stands after the superlative: 'mais caro, e em que dia?'"""
    names = [each.name for each in frame.parts]
    cues = [at for at, name in enumerate(names) if name in RANKED]
    return bool(cues) and column in names[cues[0] :]


def ranks_groups(frame: QuestionFrame) -> bool:
    """Return whether a column stands before a superlative: 'que turno teve o maior custo'."""
    named = [each.column for each in frame.columns if not frame.index.is_measure(each.column)]
    return frame.has("which") or bool(_named_before_superlative(frame, named))


def _ranked_column(frame: QuestionFrame, numeric: Sequence[str]) -> str | None:
    """Return the column that a superlative is about: the next number, else the one before."""
    index = frame.index
    fitting = [*numeric, *(each.column for each in frame.columns if index.is_moment(each.column))]
    place = next(
        (at for at, part in enumerate(frame.parts) if part.kind == "cue" and part.name in RANKED),
        len(frame.parts),
    )
    after = [each.name for each in frame.parts[place:] if each.kind == "column"]
    before = [each.name for each in frame.parts[:place] if each.kind == "column"]
    for name in (*after, *reversed(before)):
        if name in numeric:
            return name
    return next((name for name in (*after, *reversed(before)) if name in fitting), None)


def _named_before_superlative(frame: QuestionFrame, named: Sequence[str]) -> list[str]:
    """Return the columns of names that stand before the superlative: 'que turno teve mais'."""
    found: list[str] = []
    is_top = False
    for part in frame.parts:
        if part.kind == "cue" and part.name == "#top":
            is_top = True  # 'top 3 motivos': they stand right behind it
            continue
        if part.kind == "number":
            continue
        if (part.kind == "cue" and part.name in RANKED) or (is_top and found):
            return found
        if part.kind == "column" and part.name in named:
            found.append(part.name)
    return found


def ranked_by_amount(
    frame: QuestionFrame, numeric: list[str], dimensions: list[Dimension]
) -> tuple[list[str], list[Dimension]]:
    """Take an amount after 'por' as the criterion: 'top 3 referências por produção'."""
    ranks = frame.has("top", "most", "least", "max", "min", "worst", "sort")
    if numeric or len(dimensions) < 2 or not ranks:
        return numeric, dimensions
    index = frame.index
    amounts = [each for each in dimensions if index.is_measure(each.column)]
    rest = [each for each in dimensions if each not in amounts]
    return ([each.column for each in amounts], rest) if rest else (numeric, dimensions)


def limit_of(frame: QuestionFrame) -> int:
    """Return the length of a ranking: as said, else one, or `TOP` after a plural."""
    if frame.number is not None:
        return frame.number
    if frame.is_plural or (frame.has("top") and not frame.has("which")):
        return TOP
    return 1


def _asks_within(frame: QuestionFrame, scope: RowSelection, dimension: Dimension) -> bool:
    """Return whether types are ranked in each group: 'o defeito mais frequente por turno'."""
    kind = frame.index.type_column
    is_by = dimension in frame.dimensions and not dimension.grain
    if frame.has("worst", "best"):
        return False  # ranks the racks: 'por rack, só os 3 piores'
    is_of_types = frame.has_subject and kind is not None and scope.filter_on(kind) is None
    return is_by and is_of_types and dimension.column != kind


def elapsed_query(frame: QuestionFrame) -> Query | None:
    """Build the time between two columns: 'dias entre a abertura e o fecho', in the unit said."""
    index = frame.index
    moments = [each.column for each in frame.columns if index.is_moment(each.column)]
    if len(moments) == 1 and frame.has("duration"):
        moments += [each.column for each in frame.dimensions if index.is_moment(each.column)]
    moments = [*dict.fromkeys(moments)]
    kind = frame.measure_kind or "mean"
    asks_time = frame.has("grain_day", "grain_hour", "duration") or frame.measure_kind is not None
    if len(moments) != 2 or not asks_time:
        return None
    unit: TimeUnit = "hours" if frame.has("grain_hour") else "days"
    start, end = sorted(moments, key=lambda name: str(frame.index.column(name).min))
    measure = Measure(kind, end, quantile=frame.quantile, since=start, unit=unit)
    rest = [each for each in frame.dimensions if each.column not in moments]
    return select(frame.scope, rest[:1], measure)
