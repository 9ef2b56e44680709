"""Doubts about a column before it is studied: what its import knows, and what it seems to be."""

import re
from collections.abc import Iterable

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.tools.studies.selection import Selection

_MOST_SAID = 3
_MOST_CAVITIES = 25  # values of a column that may name cavities or spindles
_MOST_COLUMNS = 3
_FEWEST_ROWS = 10


def import_doubts(rows: Selection, column: str | None) -> tuple[Doubt, ...]:
    """Repeat what the import of the data has to say of a column, and rows that are there twice."""
    profile = rows.profile
    doubts: list[Doubt] = []
    if profile.duplicate_rows:
        text = _("{count} rows repeat an earlier one, cell for cell: they may be there by mistake.")
        doubts.append(
            Doubt("duplicates", text.format(count=number(profile.duplicate_rows, digits=0)))
        )
    if column is None or rows.select is not None:
        return tuple(doubts)
    name = re.compile(rf"(?<!\w){re.escape(rows.column(column))}(?!\w)", re.IGNORECASE)
    said = [each for each in profile.warnings if name.search(each) is not None]
    return (*doubts, *(Doubt("import", each) for each in said[:_MOST_SAID]))


def doubts_of_column(rows: Selection, name: str) -> tuple[Doubt, ...]:
    """Say where a column numbers things: a serial number has no mean and no capability."""
    about = rows.profile.column(name)
    if about is None or about.type != "integer" or rows.profile.rows < _FEWEST_ROWS:
        return ()
    if about.distinct < rows.profile.rows - about.missing:
        return ()
    low, high = about.min, about.max
    if not isinstance(low, int) or not isinstance(high, int) or high - low >= 2 * about.distinct:
        return ()
    text = _(
        "{column} has another whole number in each row, one after the other: it looks like a serial"
        " number, which is no measurement."
    )
    return (Doubt("serial", text.format(column=quoted_name(name))),)


def possible_streams(rows: Selection, taken: Iterable[str | None]) -> tuple[str, ...]:
    """Return columns of few values that may name parallel streams: cavities, spindles."""
    out = {*taken}
    return tuple(
        each.name
        for each in rows.profile.columns
        if each.name in rows.types
        and each.name not in out
        and each.type in ("integer", "category", "text")
        and 2 <= each.distinct <= _MOST_CAVITIES
    )[:_MOST_COLUMNS]
