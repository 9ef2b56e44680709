"""Layout recognition: tables that are no list of records under their names.

Labels of groups that are written once, records that stand in columns, and months as calendars
show themselves. None of them is read otherwise unless a person asks for it: each is told, with
what to do.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from qhub_desktop.core.dataset import Finding
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.header_detection import Heading
from qhub_desktop.data.ingest.raw_table import (
    RawTable,
    as_text,
    begins_blank,
    is_blank,
    is_missing_word,
    is_moment,
    is_name,
)
from qhub_desktop.data.ingest.readers.sheet import Value, address

GROUP_COLUMNS = 3  # from the left, may hold labels of groups
LEAST_BLANK = 1 / 3  # of the rows have no label of their own
LEAST_FIELDS, LEAST_RECORDS = 3, 2
DAYS, WEEKS = range(28, 32), 4  # of a month

FEWEST_LABELS = 4  # of a form
_LABEL = re.compile(r"[^\W\d_][^:;]{0,40}:")

Row = Sequence[Value]


def group_columns(raw: RawTable) -> list[int]:
    """Return the columns, from the left, whose labels stand in the first row of each group only.

    No label comes again in its column, or in the group to the left, and beside each cell that is
    blank stands something.
    """
    found: list[int] = []
    for position in range(min(GROUP_COLUMNS, raw.width - 1)):
        if not _may_have_blanks(raw, position):
            break
        blank = _blank(raw, position)
        beside = range(position + 1, min(position + 1 + GROUP_COLUMNS, raw.width))
        lacking = " AND ".join(_blank(raw, each) for each in (position, *beside))
        rows, blanks, labels, is_first_blank, alone = aggregates(
            raw.db,
            [
                "count(*)",
                f"count(*) FILTER ({blank})",
                f"count(DISTINCT (part, c{position})) FILTER (NOT {blank})",
                f"first({blank} ORDER BY place)",
                f"count(*) FILTER ({lacking})",
            ],
            _in_parts(raw, position if found else 0),
        )
        are_once = 1 < labels == rows - blanks and not is_first_blank and not alone
        if not are_once or blanks < LEAST_BLANK * rows:
            break
        found.append(position)
    return found


def fill_down(raw: RawTable, positions: Sequence[int]) -> None:
    """Give every row of a group the labels of its first row."""
    for position in reversed(positions):  # the parts are told by the blanks to the left
        blank = _blank(raw, position)
        label = f"last_value(CASE WHEN NOT {blank} THEN c{position} END IGNORE NULLS)"
        raw.db.execute(
            f"UPDATE raw SET c{position} = label FROM (SELECT place,"
            f" {label} OVER (PARTITION BY part ORDER BY place) AS label"
            f" FROM {_in_parts(raw, position)}) AS labels WHERE raw.rowid = labels.place"
        )


def _blank(raw: RawTable, position: int) -> str:
    return raw.is_blank(position)


def _may_have_blanks(raw: RawTable, position: int) -> bool:
    """Return whether a column may have blank cells, by a comparison that skips whole blocks."""
    condition = raw.is_null(position)
    if raw.may_have_blanks(position):
        condition += f" OR {begins_blank(f'c{position}')}"
    some = f"SELECT 1 FROM {raw.column(position)} WHERE {condition} LIMIT 1"
    return raw.db.execute(some).fetchone() is not None


def _in_parts(raw: RawTable, position: int) -> str:
    """Return SQL for the rows with the number of their group by the column to the left."""
    if not position:
        return "(SELECT *, 1 AS part FROM body)"
    left = f"count(*) FILTER (NOT {_blank(raw, position - 1)}) OVER (ORDER BY place)"
    return f"(SELECT *, {left} AS part FROM body)"


def unlike_records(rows: Sequence[Row], heading: Heading, corner: tuple[int, int]) -> list[Finding]:
    """Report a small sheet, given whole, that has its records in columns or is a calendar."""
    at = address(corner[0] + (heading.header or 0), corner[1])
    if _is_calendar(rows):
        return [findings.calendar(at)]
    labels = _labels_of_form(rows)
    if labels:
        return [findings.form(labels, at)]
    if heading.header is not None and _is_transposed(rows[heading.body :]):
        return [findings.records_in_columns(at)]
    return []


def _labels_of_form(rows: Sequence[Row]) -> list[str]:
    """Return the labels of a form, as 'Client:', with values beside them; none of another sheet.

    They stand in several rows and places, each once, and most rows begin with one.
    """
    found: list[str] = []
    used = [[cell for cell in row if not is_blank(cell)] for row in rows]
    used = [row for row in used if row]
    for row in used:
        texts = [as_text(cell).strip() for cell in row]
        found += [text for text, cell in zip(texts, row, strict=True)
                  if isinstance(cell, str) and _LABEL.fullmatch(text)]  # fmt: skip
    begin = sum(bool(_LABEL.fullmatch(as_text(row[0]).strip())) for row in used)
    is_form = len(found) >= FEWEST_LABELS and len(set(found)) * 5 > len(found) * 4
    return found if is_form and begin * 3 >= len(used) else []


def _is_transposed(rows: Sequence[Row]) -> bool:
    """Return whether rows have values of one kind each, under a name, and columns of several."""
    fields = [row for row in rows if sum(not is_blank(cell) for cell in row) > 1]
    if len(fields) < LEAST_FIELDS or any(is_blank(row[0]) or not is_name(row[0]) for row in fields):
        return False
    if len({as_text(row[0]).strip().casefold() for row in fields}) < len(fields):
        return False
    kinds = [{_kind(cell) for cell in row[1:]} - {""} for row in fields]
    if any(len(each) > 1 for each in kinds):
        return False
    counted = Counter(kind for each in kinds for kind in each)
    others = counted.total() - max(counted.values(), default=0)
    columns = [*zip_longest(*(row[1:] for row in fields))]
    mixed = [len({_kind(cell) for cell in column} - {""}) > 1 for column in columns]
    is_so = len(mixed) >= LEAST_RECORDS and all(mixed)
    return is_so and (others > 1 or len(counted) > 2)


def _kind(cell: Value) -> str:
    """Return the kind of a cell's value; nothing where it has none."""
    if is_blank(cell) or is_missing_word(cell):
        return ""
    if is_moment(cell):
        return "moment"
    return "name" if isinstance(cell, bool) or is_name(cell) else "number"


def _is_calendar(rows: Sequence[Row]) -> bool:
    """Return whether the numbers of a sheet are the days of a month, a week in a row or so."""
    days: list[int] = []
    used = 0
    for row in rows:
        numbers = [as_text(cell).strip() for cell in row if _kind(cell) == "number"]
        used += len(numbers) in range(1, 8)
        days += [int(number) if re.fullmatch(r"\d{1,2}", number) else 0 for number in numbers]
    return len(days) in DAYS and days == [*range(1, len(days) + 1)] and used >= WEEKS
