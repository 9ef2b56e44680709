"""Rankings: the most and the least, of groups and of rows, and how many of them."""

from collections.abc import Sequence

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dimensions import grouped, main_dimension, several_in
from qhub_desktop.chat.offline.plan import Dimension, Numbers, Rows, Scope, Top

TOP = 5


def top(asked: Asked, dimensions: Sequence[Dimension]) -> Numbers | None:
    """The groups with the most rows, or the fewest."""
    scope, several = asked.scope, several_in(asked.scope)
    if several is not None and not dimensions and asked.number is None:
        # 'o Carlos tem mais que a Julia?'
        return grouped(scope, [Dimension(several)], asked.index, is_share=asked.has("percent"))
    dimension = dimensions[0] if dimensions else main_dimension(asked.index, scope)
    if dimension is None:
        return None
    within = dimension if _asks_within(asked, scope, dimension) else None
    kind = asked.index.type_column
    if within is not None and kind is not None:
        dimension = Dimension(kind)
    return Top(
        scope,
        dimension,
        asked.number or 1 if within else how_many(asked),
        within=within,
        order="least" if asked.has("least", "min", "best") else "most",
        is_share=asked.has("percent"),
    )


def ranked_rows(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """'as 5 medições com brilho mais baixo': rows by one of their numbers."""
    rising, falling = asked.has("min", "least"), asked.has("max", "most", "top")
    is_of_rows = asked.number is not None and not asked.dimensions and len(numeric) == 1
    days = {asked.index.date_column}
    is_grouped = any(each.column not in days for each in dimensions)
    if not is_of_rows or is_grouped or not (rising or falling):
        return None
    return Rows(asked.scope, asked.number, "least" if rising else "most", numeric[0])


def by_amount(
    asked: Asked, numeric: list[str], dimensions: list[Dimension]
) -> tuple[list[str], list[Dimension]]:
    """'top 3 referências por produção': what is said after 'por' is what they are ranked by."""
    if numeric or len(dimensions) < 2 or not asked.has("top", "most", "least", "worst", "sort"):
        return numeric, dimensions
    index = asked.index
    amounts = [
        each for each in dimensions if index.is_number(each.column) and index.is_amount(each.column)
    ]
    rest = [each for each in dimensions if each not in amounts]
    return ([each.column for each in amounts], rest) if rest else (numeric, dimensions)


def how_many(asked: Asked) -> int:
    """How many a ranking has: as said, else one, or some where several are meant."""
    if asked.number is not None:
        return asked.number
    if asked.is_plural or (asked.has("top") and not asked.has("which")):
        return TOP
    return 1


def _asks_within(asked: Asked, scope: Scope, dimension: Dimension) -> bool:
    """'o defeito mais frequente por turno': a ranking of types in each group."""
    kind = asked.index.type_column
    is_by = dimension in asked.dimensions and not dimension.grain
    if asked.has("worst", "best"):
        return False  # 'por rack, só os 3 piores' ranks the racks
    is_of_types = asked.has_subject and kind is not None and scope.filter_on(kind) is None
    return is_by and is_of_types and dimension.column != kind
