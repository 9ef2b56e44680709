"""Groups of rows under a row that sums them up: those rows, and a column with their labels."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.ingest.raw_table import RawTable, Row, is_numeric, select
from qhub_desktop.data.ingest.readers.sheet import listed

SEARCHED_ROWS = 20_000  # in longer tables only the first rows are looked at
FIRST_ROWS = 400
FEWEST_ROWS = 6
MOST_CHILDREN = 1_000  # rows of a group
FEW_GROUPS, SMALL = 3, 99  # small numbers of two groups may be sums by chance
FILLED = 0.9  # of its rows, a column of numbers has one
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class GroupTotals:
    """Rows that sum up those under them; with `labels`, these name the rows of their group."""

    rows: tuple[Row, ...]
    labels: tuple[tuple[int, str], ...] = ()


def totals_above(raw: RawTable, found: AbstractSet[int]) -> GroupTotals | None:
    """Return the rows that sum up those under them, if every row stands under one.

    One column of numbers at least has to hold nothing but sums and what they are of. A total of
    everything may stand above all or below.
    """
    if raw.rows < FEWEST_ROWS or raw.width < 2:
        return None
    rows = [each for each in select(raw, "true", limit=FIRST_ROWS) if each.place not in found]
    columns = _columns(rows)
    if not any(_begins_with_sum(values) for values in columns.values()):
        return None
    if raw.rows > FIRST_ROWS:
        if raw.rows > SEARCHED_ROWS:
            return None
        rows = [each for each in select(raw, "true") if each.place not in found]
        columns = _columns(rows)
    trees = {at: tree for at, values in columns.items() if (tree := _tree(values))}
    if not trees:
        return None
    at = max(trees, key=lambda each: len(trees[each]))
    tree = trees[at]
    agree = [each for each, values in columns.items() if _holds(values, tree)]
    tops = [columns[at][place] for place in tree]
    if len(agree) == 1 and len(tree) < FEW_GROUPS and median(tops) <= SMALL:
        return None
    totals = tuple(rows[place] for place in sorted(tree))
    return GroupTotals(totals, _labels(rows, tree, {*columns}))


def _columns(rows: Sequence[Row]) -> dict[int, list[float]]:
    """Return the columns of numbers that may be sums, by their places; a missing one counts 0."""
    found: dict[int, list[float]] = {}
    for at in range(len(rows[0].cells) if rows else 0):
        cells = [each.cells[at] for each in rows]
        filled = [cell for cell in cells if cell]
        if len(filled) < FILLED * len(cells) or not all(map(is_numeric, filled)):
            continue
        for mark in (".", ","):
            values = [_number(cell, mark) for cell in cells]
            if all(value is not None and value >= 0 for value in values):
                found[at] = [value or 0.0 for value in values]
                break
    return found


def _number(cell: str, mark: str) -> float | None:
    """Return the number of a cell whose decimals stand behind this mark; 0 for a blank one."""
    bare = "".join(each for each in cell if each.isdigit() or each in ".,-")
    bare = bare.replace("," if mark == "." else ".", "").replace(mark, ".")
    try:
        return float(bare or 0)
    except ValueError:
        return None


def _begins_with_sum(values: Sequence[float]) -> bool:
    """Return whether the first number, or the second under a total, sums up some below it."""
    return any(_group(values, {}, top) is not None for top in (0, 1))


def _tree(values: Sequence[float]) -> dict[int, list[int]] | None:
    """Return for each sum the places of what it sums up, level by level; None unless every number
    stands under one.
    """
    groups: dict[int, list[int]] = {}
    ends: dict[int, int] = {}
    for place in range(len(values) - 1, -1, -1):
        group = _group(values, ends, place)
        ends[place] = place + 1
        if group is not None:
            groups[place] = group
            ends[place] = ends.get(group[-1], group[-1] + 1)
    tops = []
    place = 0
    while place < len(values):
        tops.append(place)
        place = ends[place]
    if len(tops) > 1 and tops[-1] not in groups:
        last = tops.pop()  # a total of everything may stand below
        if not _is_near(values[last], sum(values[top] for top in tops)):
            return None
        groups[last] = tops
    leaves = len(values) - len(groups)
    is_whole = all(top in groups for top in tops)
    return groups if is_whole and len(groups) > 1 and leaves > len(groups) else None


def _group(values: Sequence[float], ends: Mapping[int, int], top: int) -> list[int] | None:
    """Return the places under a number that it sums up: two at least, whole groups by their sum."""
    if top >= len(values) or not values[top]:
        return None
    total, place = 0.0, top + 1
    group: list[int] = []
    while place < len(values) and len(group) < MOST_CHILDREN:
        is_full = _is_near(total, values[top])
        if (is_full and values[place]) or total > values[top] * (1 + ROUNDING):
            break
        total += values[place]
        group.append(place)
        place = ends.get(place, place + 1)
    some = sum(values[each] > 0 for each in group)
    return group if some > 1 and _is_near(total, values[top]) else None


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING * max(1.0, abs(other))


def _holds(values: Sequence[float], tree: Mapping[int, Sequence[int]]) -> bool:
    """Return whether a column's numbers are sums where another's are."""
    return any(values) and all(
        _is_near(values[top], sum(values[place] for place in group)) for top, group in tree.items()
    )


def _labels(
    rows: Sequence[Row], tree: Mapping[int, Sequence[int]], numbers: AbstractSet[int]
) -> tuple[tuple[int, str], ...]:
    """Return the labels of groups of one level; none if their rows know them already."""
    of_groups = [top for top in tree if not any(place in tree for place in tree[top])]
    under = {place for top in of_groups for place in tree[top]}
    if len(of_groups) < 2 or any(
        place not in under for place in range(len(rows)) if place not in tree
    ):
        return ()
    texts = {
        top: " ".join(cell for at, cell in enumerate(rows[top].cells) if cell and at not in numbers)
        for top in of_groups
    }
    known = {cell for place in under for cell in rows[place].cells if cell}
    if any(not text or text in known for text in texts.values()):
        return ()
    return tuple((rows[top].place, texts[top]) for top in sorted(of_groups))


def set_apart_finding(count: int, cells: tuple[str, ...]) -> Finding:
    """Report rows that sum up those under them, and were set apart."""
    return Finding(
        "totals_above",
        ngettext(
            "{count} row sums up those under it, and was set apart: {cells}.",
            "{count} rows sum up those under them, and were set apart: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def add_group_column(raw: RawTable, labels: Mapping[int, str], found: AbstractSet[int]) -> None:
    """Give each row the label that stands at its place, or above it: in the first column, if it
    holds nothing else, or in a new last one.
    """
    if raw.stored:
        raw.unpack()
    blank = raw.is_blank(0)
    own = raw.db.execute(f"SELECT rowid FROM raw WHERE NOT ({blank}) LIMIT {len(found) + 1}")
    column = 0 if all(place in found for (place,) in own.fetchall()) else raw.width
    if column:
        raw.widen(raw.width + 1)
        raw.column_kinds[-1] = "text"
    raw.db.execute("CREATE TEMP TABLE labels (place BIGINT, label VARCHAR)")
    with raw.db.appender("labels") as appender:
        appender.append_rows([*labels.items()])
    raw.db.execute(
        f"UPDATE raw SET c{column} = found.label FROM (SELECT rows.rowid AS place, label"
        " FROM raw AS rows ASOF JOIN labels ON rows.rowid >= labels.place) AS found"
        " WHERE raw.rowid = found.place"
    )
    raw.db.execute("DROP TABLE labels")
