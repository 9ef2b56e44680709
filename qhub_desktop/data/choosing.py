"""What the cells of a column become under the type that the person has chosen for it.

What is not of that type is missing and never another value: no number is rounded, and nothing is
taken out of a text that is not written as its type is.
"""

from qhub_desktop.core.table import ColumnType
from qhub_desktop.data.candidates import Candidate
from qhub_desktop.data.cells import Cells
from qhub_desktop.data.columns import literal
from qhub_desktop.data.day_numbers import moment_of
from qhub_desktop.data.structure import BLANKS

_CAST: dict[ColumnType, str] = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "boolean": "BOOLEAN",
}


def as_chosen(cells: Cells, type_: ColumnType, written: Candidate) -> str:
    """SQL for the cells as values of a type; their texts are `written` so, if they are of it."""
    parts: list[str] = []
    if cells.own is not None:
        parts.append(_own(cells.own, type_, is_number=cells.kinds == {"number"}))
    if cells.text is not None:
        parts.append(_read(cells.text, type_, written))
    return f"coalesce({', '.join(parts)})" if parts else f"NULL::{_CAST[type_]}"


def _own(value: str, type_: ColumnType, *, is_number: bool) -> str:
    if not is_number:
        return f"TRY_CAST({value} AS {_CAST[type_]})"
    match type_:
        case "integer":
            return _whole(value)
        case "boolean":
            return f"CASE {value} WHEN 0 THEN false WHEN 1 THEN true END"
        case "date" | "datetime":
            return f"TRY_CAST({moment_of(value)} AS {_CAST[type_]})"
        case _:
            return f"TRY_CAST({value} AS {_CAST[type_]})"


def _read(text: str, type_: ColumnType, written: Candidate) -> str:
    bare = f"trim({text}, {literal(BLANKS)})"
    if type_ not in ("integer", "number"):
        return f"TRY_CAST({_if_so(bare, written)} AS {_CAST[type_]})"
    # Zeros in front make a code of a number, unless the person says that it is one.
    bare = rf"regexp_replace({bare}, '^\+?(-?)0*(\d)', '\1\2')"
    value = _if_so(bare, written)
    if type_ == "number":
        return f"TRY_CAST({value} AS DOUBLE)"
    exact = rf"CASE WHEN regexp_full_match({bare}, '-?\d{{1,18}}') THEN TRY_CAST({bare} AS BIGINT)"
    return f"{exact} ELSE {_whole(value)} END"


def _if_so(text: str, written: Candidate) -> str:
    is_so = f"regexp_full_match({text}, {literal(written.pattern)})"
    return f"CASE WHEN {is_so} THEN ({written.conversion.format(v=text)}) END"


def _whole(value: str) -> str:
    return f"CASE WHEN ({value}) = floor({value}) THEN TRY_CAST({value} AS BIGINT) END"
