"""The limits of aggregate privacy: which figures of a data set may be told to a model.

Every count and every sum that is told is a linear equation over rows, with the value of a row as
its unknown. All equations of a conversation are looked at together, so that neither a difference
of two, nor the rest of a total, nor any other combination tells of few rows. What decides is the
leverage of a row in the system, the squared length of its unit vector's projection on what is
known: in a group of n rows whose sum is told it is 1/n, and it is 1 where the system can be solved
for the row. Leverage as in regression: https://en.wikipedia.org/wiki/Leverage_(statistics); audits
of sums as in Chin and Özsoyoğlu, Auditing and inference control in statistical databases (1982).
"""

# Why it is so: decisions/privacy.md

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from qhub_desktop.chat.privacy import LEAST_GROUP
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.table import Cell, quoted
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.aggregation import COUNTS, Keys

# Less than in a group of one row fewer than the least: no sum over so few rows can be worked out.
MOST_LEVERAGE = 1 / (LEAST_GROUP - 1) - 1e-6
# One row over 80 % of a sum, where the rest is one other row: 0.8² / (0.8² + 0.2²).
MOST_DOMINANCE = 16 / 17
DOMINANT_SHARE = 0.8  # of a sum, that one row may have at most
DIGITS = 3  # of a figure that is no count
# Of a vector's length: below it, it adds nothing. A set of n rows differs from one without a row of
# it by 1 / sqrt(n) of its length, and rounding errors stay under 1e-13.
_SAME = 1e-6

Floats = npt.NDArray[np.float64]
Members = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ToldQuery:
    """Sets of rows that figures were told of: a total, and groups by `keys`, which are SQL.

    `sets` lists them by the column that was summed up, or `COUNTS`. Of a data set that grows, rows
    up to the id `last` take part; there were `rows` of them.
    """

    keys: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    last: int | None = None
    rows: int = 0
    sets: Mapping[str, Sequence[Keys]] = field(default_factory=dict)

    @property
    def condition(self) -> str:
        """SQL of all conditions as one."""
        return " AND ".join(self.every_condition) or "true"

    @property
    def every_condition(self) -> tuple[str, ...]:
        """SQL of all conditions on the rows; none where every row takes part."""
        return self.conditions if self.last is None else (*self.conditions, f"id <= {self.last}")

    def without(self, some: Collection[str]) -> "ToldQuery":
        """Return the query as it would be without some of its conditions."""
        return replace(self, conditions=tuple(x for x in self.conditions if x not in some))

    def as_json(self) -> JsonObject:
        """Write it down."""
        sets: JsonObject = {
            column: [cast("Json", [*keys]) for keys in named] for column, named in self.sets.items()
        }
        return {
            "keys": [*self.keys],
            "conditions": [*self.conditions],
            "last": self.last,
            "rows": self.rows,
            "sets": sets,
        }

    @classmethod
    def from_json(cls, kept: JsonObject) -> "ToldQuery":
        """Read what `as_json` wrote."""
        read = cast("Any", kept)
        sets = {column: [tuple(keys) for keys in named] for column, named in read["sets"].items()}
        return cls(tuple(read["keys"]), tuple(read["conditions"]), read["last"], read["rows"], sets)


@dataclass(frozen=True, slots=True)
class Atoms:
    """Rows that no set of any query tells apart, atom by atom: labels, and what they weigh.

    `rows` holds the number of rows of each atom; `filled`, `squares` and `largest` hold, by column,
    the number of values, the sum of their squares and the greatest square.
    """

    labels: Mapping[str, Sequence[Cell]]  # by the SQL of a label
    rows: Floats
    filled: Mapping[str, Floats]
    squares: Mapping[str, Floats]
    largest: Mapping[str, Floats]

    @classmethod
    def sql(cls, table: str, queries: Sequence[ToldQuery], columns: Sequence[str]) -> str:
        """Write the SQL that gives atoms, to be read by `read`."""
        labels = _labels(queries)
        selected = [f"{label} AS l{place}" for place, label in enumerate(labels)]
        selected.append("count(*)")
        for name in columns:
            cells = f"CAST({quoted(name)} AS DOUBLE)"
            square = f"{cells} * {cells}"
            selected += [f"count({cells})", f"sum({square})", f"max({square})"]
        places = ", ".join(str(place + 1) for place in range(len(labels)))
        return f"SELECT {', '.join(selected)} FROM {quoted(table)} GROUP BY {places}"  # noqa: S608  names are quoted

    @classmethod
    def read(
        cls,
        found: Sequence[Sequence[Cell]],
        queries: Sequence[ToldQuery],
        columns: Sequence[str],
    ) -> "Atoms":
        """Read the rows that the SQL gave for the same queries and columns."""
        labels = _labels(queries)
        cells = list(zip(*found, strict=True))
        numbers = [
            np.array([0 if each is None else each for each in column], dtype=np.float64)
            for column in cells[len(labels) :]
        ]
        return cls(
            dict(zip(labels, cells, strict=False)),
            numbers[0],
            dict(zip(columns, numbers[1::3], strict=True)),
            dict(zip(columns, numbers[2::3], strict=True)),
            dict(zip(columns, numbers[3::3], strict=True)),
        )

    def members(self, query: ToldQuery, column: str) -> Members:
        """Return which atoms are in which of the query's sets of a column: atoms by sets."""
        told = query.sets.get(column, ())
        place = {keys: number for number, keys in enumerate(told)}
        inside = np.zeros((len(self.rows), len(told)), dtype=np.bool_)
        names = [self.labels[_text(key)] for key in query.keys]
        takes_part = np.ones(len(self.rows), dtype=np.bool_)
        for each in query.every_condition:
            takes_part &= np.array(self.labels[each], dtype=np.bool_)  # NULL is False
        for atom in map(int, np.flatnonzero(takes_part)):
            group = tuple(cast("str | None", each[atom]) for each in names)
            for keys in {(), group} & place.keys():
                inside[atom, place[keys]] = True
        return inside


def _labels(queries: Sequence[ToldQuery]) -> list[str]:
    """Return the SQL of what tells rows apart, each once."""
    named: dict[str, None] = {}
    for query in queries:
        named.update((each, None) for each in query.every_condition)
        named.update((_text(key), None) for key in query.keys)
    return [*named]


def _text(key: str) -> str:
    return f"CAST({key} AS VARCHAR)"


class Known:
    """Knowledge from sums over told sets: the span of the sets, atom by atom.

    `squares` and `largest` are an atom's sum of squared weights, and the greatest of them.
    """

    def __init__(self, squares: Floats, largest: Floats, *, most: float) -> None:
        self._weights = np.sqrt(squares)
        self._largest_share = np.divide(
            largest, squares, out=np.zeros_like(squares), where=squares > 0
        )
        self._most = most
        self._leverage = np.zeros_like(squares)
        self._basis = np.zeros((len(squares), 0))

    def new_direction(self, members: Members) -> Floats:
        """Return what a set adds to the span, as a unit vector; zeros where that is nothing."""
        vector: Floats = np.where(members, self._weights, 0.0)
        rest = vector
        for _again in range(2):  # once leaves rounding errors of the size of the vector's
            rest = rest - self._basis @ (self._basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length <= _SAME * float(np.linalg.norm(vector)):
            return np.zeros_like(vector)
        return rest / length

    def hides_rows(self, direction: Floats) -> bool:
        """Return whether every row stays hidden when this is known, too."""
        leverage = (self._leverage + np.square(direction)) * self._largest_share
        return bool((leverage <= self._most).all())  # what is no number is not hidden

    def add(self, direction: Floats) -> None:
        """Note that it is known."""
        if direction.any():
            self._basis = np.column_stack([self._basis, direction])
            self._leverage = self._leverage + np.square(direction)


def tellable_however(
    atoms: Atoms, told: Sequence[ToldQuery], asked: ToldQuery, column: str
) -> list[Keys]:
    """Return the sets that are `tellable`, also if conditions were left out of all queries.

    Whether a set is told must tell nothing of a person: where two sets differ by one if that one
    is ill, the second would be held back for the ill and told for the healthy. So it is held back
    for both, since without that condition the sets differ by a person. (Kenthapadi, Mishra and
    Nissim, Simulatable auditing, 2005, decide by nothing at all that is not told yet.)
    """
    sets = [*asked.sets[column]]
    for some in _choices(asked.conditions):
        ways = [each.without(some) for each in told if {*some} <= {*each.conditions}]
        sets = _apart(atoms, ways, replace(asked, sets={column: sets}).without(some), column)
        if sets[:1] != [()]:
            return []
    return tellable(atoms, told, replace(asked, sets={column: sets}), column)


def _choices(conditions: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for count in range(1, len(conditions) + 1):
        yield from combinations(conditions, count)


def _apart(atoms: Atoms, told: Sequence[ToldQuery], asked: ToldQuery, column: str) -> list[Keys]:
    """Return the asked sets that differ from every other one by nothing, or by a group of rows."""
    new = atoms.members(asked, column)
    known = [atoms.members(each, column) for each in told]
    sets = np.column_stack([*known, new]).astype(np.float64)
    sizes = atoms.rows @ sets
    common = (new * atoms.rows[:, None]).T @ sets
    differ = sizes[-new.shape[1] :, None] + sizes - 2 * common
    is_near = (differ > 0) & (differ < LEAST_GROUP)
    before = sets.shape[1] - new.shape[1]
    kept = [*range(before)]
    for place in [0, *sorted(range(1, new.shape[1]), key=lambda each: -sizes[before + each])]:
        if not is_near[place, kept].any():
            kept.append(before + place)
    return [keys for place, keys in enumerate(asked.sets[column]) if before + place in kept]


def tellable(atoms: Atoms, told: Sequence[ToldQuery], asked: ToldQuery, column: str) -> list[Keys]:
    """Return those of the asked sets of a column that may be told after what was told.

    The first of them is the total, without which none is. Then the larger go before the smaller, so
    that the second suppression, of a group from which another could be worked out, meets the small.
    """
    if column == COUNTS:
        rows = atoms.rows
        known = [Known(rows, np.ones_like(rows), most=MOST_LEVERAGE)]
    else:
        rows = atoms.filled[column]
        known = [
            Known(rows, np.sign(rows), most=MOST_LEVERAGE),
            Known(atoms.squares[column], atoms.largest[column], most=MOST_DOMINANCE),
        ]
    for query in told:
        for members in atoms.members(query, column).T:
            for each in known:
                each.add(each.new_direction(members))
    new = atoms.members(asked, column)
    sizes = new.T @ rows
    kept: set[int] = set()
    for place in [0, *sorted(range(1, new.shape[1]), key=lambda each: -sizes[each])]:
        directions = [each.new_direction(new[:, place]) for each in known]
        if all(each.hides_rows(way) for each, way in zip(known, directions, strict=True)):
            kept.add(place)
            for each, way in zip(known, directions, strict=True):
                each.add(way)
        elif place == 0:
            return []
    return [keys for place, keys in enumerate(asked.sets[column]) if place in kept]


def is_dominated(largest: float, total: float) -> bool:
    """Return whether one row makes up too much of a sum of absolute values."""
    return largest > DOMINANT_SHARE * total


def rounded(value: float) -> float:
    """Round to the digits that are told; a whole number stays one."""
    told = float(f"{value:.{DIGITS}g}")
    return int(told) if told.is_integer() and abs(told) < 1e15 else told
