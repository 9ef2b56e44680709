"""What is known of a column before it is studied: doubts, limits and what else its file says."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.nlq.column_roles import is_limit
from qhub_desktop.nlq.tokenizer import without_unit
from qhub_desktop.quality.findings import Doubt, NotComputableError
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
        text = ngettext(
            "{count} row repeats an earlier one, cell for cell: it may be there by mistake.",
            "{count} rows repeat an earlier one, cell for cell: they may be there by mistake.",
            profile.duplicate_rows,
        )
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


def with_known_limits(rows: Selection, given: Mapping[str, Any]) -> JsonObject:
    """Return the input of a capability study with the limits that the file gives, if none is given.

    Blocks: the words for limits are loaded with the first use.
    """
    from qhub_desktop.nlq.schema_index import schema_index_of
    from qhub_desktop.nlq.study_columns import limits

    if rows.select is not None or not given.keys().isdisjoint(("lie", "lse")):
        return {**given}
    try:
        column = rows.measured(given.get("coluna"))
    except NotComputableError:  # columns x1 to xn; what else is wrong is said when it is read
        column = ""
    return {**limits(schema_index_of(rows.profile), column), **given}


def facts_of_column(rows: Selection, column: str | None) -> tuple[tuple[str, str], ...]:
    """Return what the file says of a characteristic besides its limits: its class, and so on."""
    report = rows.profile.report
    if report is None or column is None or rows.select is not None:
        return ()
    own = re.compile(rf"(.+) {re.escape(without_unit(rows.column(column)).strip())}", re.IGNORECASE)
    found = ((own.fullmatch(name), value) for name, value in report.facts)
    return tuple(
        (name[1], value) for name, value in found if name is not None and not is_limit(name[1])
    )
