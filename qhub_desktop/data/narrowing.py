"""Numbers at given places of a sorted column, found without sorting it or holding it in memory.

The database's own quantiles hold the whole column, more than once while they grow: 17,500,000
numbers took 0.4 GB beside the limit that it is given. Counting how many numbers fall into each of
some thousand bins tells in which bin a place lies, and only that one is looked into.
"""

from collections.abc import Iterable

import duckdb

BINS = 4_096
SORTED = 100_000  # numbers that are sorted at once


def numbers_at(
    db: duckdb.DuckDBPyConnection,
    relation: str,
    amount: str,
    places: Iterable[int],
    *,
    within: tuple[float, float],
) -> dict[int, float]:
    """The numbers at these places, from 0, among those within the ends, which are finite.

    `amount` is SQL for a number of each row of the relation.
    """
    wanted = sorted(set(places))
    lower, upper = within
    width = (upper / BINS) - (lower / BINS)
    if width <= 0 or not wanted:
        return dict.fromkeys(wanted, lower)
    bins = db.execute(
        f"SELECT least({BINS - 1}, floor((amount - ?) / ?)) AS bin, count(*), min(amount),"
        f" max(amount) FROM (SELECT {amount} AS amount FROM {relation})"
        " WHERE amount BETWEEN ? AND ? GROUP BY bin ORDER BY bin",
        [lower, width, lower, upper],
    ).fetchall()
    found: dict[int, float] = {}
    before = 0
    for _bin, count, least, most in bins:
        inside = [place - before for place in wanted if before <= place < before + count]
        if not inside:
            pass
        elif least == most:
            found |= {before + place: least for place in inside}
        elif count <= SORTED:
            numbers = _sorted(db, relation, amount, within=(least, most))
            found |= {before + place: numbers[place] for place in inside}
        else:
            deeper = numbers_at(db, relation, amount, inside, within=(least, most))
            found |= {before + place: number for place, number in deeper.items()}
        before += count
    return found


def _sorted(
    db: duckdb.DuckDBPyConnection, relation: str, amount: str, *, within: tuple[float, float]
) -> list[float]:
    rows = db.execute(
        f"SELECT amount FROM (SELECT {amount} AS amount FROM {relation})"
        " WHERE amount BETWEEN ? AND ? ORDER BY amount",
        within,
    ).fetchall()
    return [number for (number,) in rows]
