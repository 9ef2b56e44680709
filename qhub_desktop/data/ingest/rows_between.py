"""Rows inside the data that are not records, recognised by their layout.

These are titles of pages, limits of an instrument's columns, taxes between the items of invoices,
lines of comments above the names, and records that take several rows.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise, zip_longest

from qhub_desktop.core.dataset import ApartKind, Finding
from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import fold_in_place, words_of
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.findings import LISTED, listed
from qhub_desktop.data.ingest.layout_recognition import (
    LEAST_LINES,
    LEAST_RECORDS,
    kind_of,
    typical_cells,
)
from qhub_desktop.data.ingest.raw_table import (
    RawTable,
    Row,
    is_blank,
    is_missing_word,
    is_name,
    is_numeric,
    is_unit,
    numeric_columns,
    rows_matching,
    select,
    select_places,
)
from qhub_desktop.data.ingest.readers.sheet import Value, address

TITLE_ROWS = 5  # of a page, above its names or under them
PAGE_COLUMNS = 10  # of text, in which the number of a page may stand
LABELLED_COLUMNS = 40  # of text, in which a total, a tax or a limit may be named
MOST_PAGE_LINES = 20_000  # rows that may be lines of a page, or of taxes
SEARCHED_ROWS = 20_000  # up to here rows are looked for among those that lack nothing
MOST_LIMITS = 8  # rows under the names
FEWEST_DATA_ROWS = 5  # of data, beside limits or taxes
TOLD_LIMITS = 12  # in a finding
TAXED_SHARE = 0.7  # of the other rows have a cell that one of taxes lacks
MOST_COMMENTS = 30  # lines above the names
NAME_WORDS = 3  # at most, of a column's name
Apart = tuple[ApartKind, str]


def labels_of(*keys: str, gap: str = r"[\s_-]*") -> str:
    """Return a pattern of the languages' labels, with and without accents."""
    listed = {label for key in keys for label in words_of("files", key)}
    spelt = ("".join(map(_with_or_without_accent, label)).replace(" ", gap) for label in listed)
    return "|".join(sorted(spelt))


def _with_or_without_accent(letter: str) -> str:
    bare = fold_in_place(letter)
    return letter if bare == letter else f"[{letter}{bare}]"


PAGE = (
    rf"^\s*({labels_of('page')})"
    rf"\.?\s*:?\s*\d+(\s*({labels_of('page_of')}|/)\s*\d+)?\s*$"
)
_LIMIT = re.compile(rf"(?:{labels_of('limits', 'limits_vague')})[\s:.]*", re.IGNORECASE)
_VAGUE = re.compile(rf"(?:{labels_of('limits_vague')})[\s:.]*", re.IGNORECASE)
_UNITS = re.compile(rf"(?:{labels_of('unit_labels')})[\s:.]*", re.IGNORECASE)
_TAX = rf"^\s*(?:{labels_of('taxes')})(?:[\s(@:]*\d{{1,2}}(?:[.,]\d{{1,2}})?\s*%\s*\)?)?[\s:]*$"
_MAY_BE_TAX = re.compile(rf"^\s*(?:{labels_of('taxes')})", re.IGNORECASE)
_COMMENT = re.compile(r"(#+|//+|--+|!+|%+|;+|'+)\s*(?=\S)")


def titles_of_pages(
    raw: RawTable,
    found: Mapping[int, Apart],
    titles: Sequence[str],
    first: Sequence[Row],
) -> list[Row]:
    """Return the lines between the pages of an export: around its repeated names what stood above
    them first, or is no value of its column; anywhere the number of a page.
    """
    typical = typical_cells(first, found)
    headers = [place for place, (kind, _text) in found.items() if kind == "repeated_header"]
    near = {place + step for place in headers for step in range(-TITLE_ROWS, TITLE_ROWS + 1)}
    rows = _among(raw, near.difference(found)) if headers else []
    lines = {each.place: each for each in rows if _is_line(each, typical)}
    numeric = numeric_columns(first) if lines else set()
    forms = Counter(_form(each.text) for each in lines.values()) + Counter(map(_form, titles))
    told: dict[int, Row] = {}
    for header in headers:
        for step in (-1, 1):
            place = header + step
            while place in lines or found.get(place, ("",))[0] == "blank":
                each = lines.get(place)
                if each and (numeric.intersection(each.filled) or forms[_form(each.text)] > 1):
                    told[place] = each
                place += step
    texts = [at for at in _text_columns(raw)[:PAGE_COLUMNS] if at not in raw.typed]
    if texts and raw.width > 1:
        pages = " OR ".join(f"regexp_matches(c{at}, {sql_literal(PAGE)}, 'i')" for at in texts)
        looked_at = range(min(raw.width, LABELLED_COLUMNS))
        lacking = " OR ".join(map(raw.is_null, looked_at))
        sparse = f"SELECT rowid FROM raw WHERE {lacking}"
        few = f"rowid IN ({sparse}) AND ({pages})"
        # Where no cell is missing, the database would search every row all the same.
        has_sparse = (
            any(map(raw.may_lack, looked_at))
            and raw.db.execute(f"{sparse} LIMIT 1").fetchone() is not None
        )
        numbered = [
            each
            for each in (select(raw, few, limit=MOST_PAGE_LINES + 1) if has_sparse else ())
            if each.place not in found and _is_line(each, typical)
        ]
        # Where many rows say so, it is what the table is about.
        if len(numbered) * 4 <= raw.rows and len(numbered) <= MOST_PAGE_LINES:
            told |= {each.place: each for each in numbered}
    return list(told.values())


def _is_line(each: Row, typical: int) -> bool:
    """Return whether a row has words alone, and far fewer cells than others."""
    is_short = 0 < len(each.filled) * 2 <= max(2, typical) and typical > 1
    return is_short and not any(is_numeric(each.cells[place]) for place in each.filled)


def _form(text: str) -> str:
    return re.sub(r"\d+", "9", text)


def _among(raw: RawTable, places: AbstractSet[int]) -> list[Row]:
    return select_places(raw, sorted(place for place in places if 0 <= place < raw.rows))


def is_unit_label(text: str) -> bool:
    """Return whether a text says that units stand beside it."""
    return _UNITS.fullmatch(text) is not None


def is_limit_label(text: str, *, is_sure: bool = False) -> bool:
    """Return whether a text is the label of a limit; with `is_sure` no word of other uses, too."""
    return _LIMIT.fullmatch(text) is not None and not (is_sure and _VAGUE.fullmatch(text))


def limit_rows(
    raw: RawTable,
    found: Mapping[int, Apart],
    header: Sequence[str],
    first: Sequence[Row],
    last: Sequence[Row],
) -> tuple[list[Row], list[Finding]]:
    """Return the rows under the names, or at the end, that hold the limits or the units of their
    columns, and a finding that keeps them.

    Each has a label such as LSL or Nominal, no other words, and the label stands nowhere else.
    """
    rows = [each for each in first if each.place not in found]
    top = []
    for each in rows[:MOST_LIMITS]:
        if not _is_of_limits(each):
            break
        top.append(each)
    end = []
    known = {each.place for each in top}
    for each in reversed([each for each in last if each.place not in {*found, *known}]):
        if not _is_of_limits(each, is_sure=True):
            break
        end.append(each)
    limits = [*top, *reversed(end)]
    places = {each.place for each in limits}
    others = [each for each in rows if each.place not in places]
    kept = raw.rows - len(found) - len(limits)
    if not limits or kept < max(FEWEST_DATA_ROWS, len(limits) * 2):
        return [], []
    at = limits[0].filled[0]
    labels = {each.cells[each.filled[0]].casefold() for each in limits}
    if any(each.cells[at].casefold() in labels for each in others) or len(labels) < len(limits):
        return [], []
    is_sure = any(not _VAGUE.fullmatch(each.cells[each.filled[0]]) for each in limits)
    if len(limits) == 1 and not is_sure:
        return [], []
    return limits, [_limits_kept(raw, header, limits)]


def _is_of_limits(each: Row, *, is_sure: bool = False) -> bool:
    """Return whether a row has the label of a limit and numbers, or that of units and units."""
    cells = [each.cells[place].strip() for place in each.filled]
    if len(cells) < 2:
        return False
    label, values = cells[0], cells[1:]
    if is_limit_label(label, is_sure=is_sure):
        known = [value for value in values if not is_missing_word(value)]
        return bool(known) and all(map(is_numeric, known))
    return is_unit_label(label) and all(
        is_unit(value, is_sure=False) or is_missing_word(value) for value in values
    )


def _limits_kept(raw: RawTable, header: Sequence[str], limits: Sequence[Row]) -> Finding:
    """Report rows of limits or units, which were set apart, with what they hold."""
    told = []
    for each in limits:
        label, *places = each.filled
        values = [
            f"{header[at] if at < len(header) and header[at] else address(0, at)[:-1]}"
            f" {each.cells[at].strip()}"
            for at in places
        ]
        named = listed(values[:TOLD_LIMITS], of=len(values))
        told.append(f"{each.cells[label].strip()}: {named}")
    cells = tuple(
        address(raw.first_row + each.place, raw.first_column + each.filled[0])
        for each in limits[:LISTED]
    )
    return findings.LIMITS.finding(len(limits), cells, limits="; ".join(told))


def tax_rows(raw: RawTable, found: Mapping[int, Apart]) -> list[Row]:
    """Return the rows of taxes between those of items: they say so, as 'VAT 20 %', have a number,
    and lack a cell that most others have.
    """
    if not FEWEST_DATA_ROWS < raw.rows <= SEARCHED_ROWS or raw.width < 2:
        return []
    texts = [at for at in _text_columns(raw)[:LABELLED_COLUMNS] if at not in raw.typed]
    if not texts:
        return []
    if not raw.may_match(texts, _MAY_BE_TAX):
        return []
    some = [each for each in select(raw, rows_matching(texts, _TAX)) if each.place not in found]
    some = [each for each in some if any(is_numeric(each.cells[at]) for at in each.filled)]
    rows = raw.rows - len(found)
    if not some or len(some) * 2 > rows:
        return []
    filled = aggregates(
        raw.db,
        [f"count(*) FILTER (NOT ({raw.is_blank(at)}))" for at in range(raw.width)],
        "raw",
    )
    others = max(1, rows - len(some))
    usually = [
        count - sum(bool(each.cells[at]) for each in some) > TAXED_SHARE * others
        for at, count in enumerate(filled)
    ]
    return [each for each in some if each.lacks(usually)]


def without_comments(rows: Sequence[Sequence[Value]]) -> Sequence[Sequence[Value]]:
    """Return the first rows of a text with each line of comment above the names as one cell, so
    that its parts are taken for no names; and the names, if they are one, without its sign.
    """
    used = [n for n, row in enumerate(rows[:MOST_COMMENTS]) if not all(map(is_blank, row))]
    block = []
    for place in used:
        if not _comment_sign(rows[place]):
            break
        block.append(place)
    signs = {_comment_sign(rows[place]) for place in block}
    if not block and len(used) > 1 and _comment_sign(rows[used[1]]):
        names, units = rows[used[0]], rows[used[1]]
        is_under = _width(names) == _width(units) > 1 and all(map(is_name, _bare(units)))
        return [*rows[: used[1]], _bare(units), *rows[used[1] + 1 :]] if is_under else rows
    after = next((place for place in used if place > (block[-1] if block else -1)), None)
    if not block or len(signs) > 1 or after is None:
        return rows
    found: list[Sequence[Value]] = [*rows]
    names, below = rows[block[-1]], rows[after]
    is_named = all(is_name(cell) for cell in below if not is_blank(cell))
    if len(block) > 1 and _width(names) == _width(below) > 1 and not is_named:
        found[block[-1]] = _bare(names)
        block.pop()
    elif not is_named or len(used) < len(block) + 2:
        return rows
    else:
        if len(signs) == 1 and _comment_sign(below) == next(iter(signs)):
            found[after] = _bare(below)
    for place in block:
        if _width(rows[place]) > 1:
            whole = ", ".join(str(cell).strip() for cell in rows[place] if not is_blank(cell))
            found[place] = [whole, *[""] * (len(rows[place]) - 1)]
    return found


def names_in_comment(row: Sequence[Value], cell: str) -> list[Finding]:
    """Report names that stand in a line of comment and read like a remark; `cell` is its first."""
    texts = [str(each) for each in row if not is_blank(each)]
    is_remark = any(re.search(r"\d", text) or len(text.split()) > NAME_WORDS for text in texts)
    if not _comment_sign(row) or not is_remark:
        return []
    return [findings.COMMENT_AS_NAMES.finding(cells=(cell,), cell=cell)]


def _comment_sign(row: Sequence[Value]) -> str:
    """Return the sign of a comment that a row begins with; "" if there is none."""
    sign = _COMMENT.match(row[0]) if row and isinstance(row[0], str) else None
    return sign[1][0] if sign else ""


def _width(row: Sequence[Value]) -> int:
    return sum(not is_blank(cell) for cell in row)


def _bare(row: Sequence[Value]) -> list[Value]:
    return [_COMMENT.sub("", str(row[0]), count=1), *row[1:]]


def lines_of_records(
    rows: Sequence[Sequence[Value]], corner: tuple[int, int], *, body: int
) -> list[Finding]:
    """Report a sheet that begins with these rows, and whose records take several rows each."""
    lines = [row for row in rows[body:] if not all(map(is_blank, row))]
    starts = [number for number, row in enumerate(lines) if not is_blank(row[0])]
    lines, starts = lines[starts[0] if starts else 0 :], [each - starts[0] for each in starts]
    sizes = {after - before for before, after in pairwise(starts)}
    size = next(iter(sizes), 0)
    if len(starts) <= LEAST_RECORDS or len(sizes) != 1 or size < LEAST_LINES:
        return []
    columns = [[*zip_longest(*lines[line::size])] for line in range(size)]
    first = [{kind_of(cell) for cell in column} - {""} for column in columns[0]]
    for line in columns[1:]:
        kinds = [{kind_of(cell) for cell in column} - {""} for column in line]
        # A cell of another kind, or one where a record's first line has none.
        if any(own and not own & above for own, above in zip(kinds, first, strict=False)):
            at = address(corner[0] + body, corner[1])
            return [findings.LINES_OF_RECORDS.finding(cells=(at,), lines=size)]
    return []


def _text_columns(raw: RawTable) -> list[int]:
    return [position for position in range(raw.width) if raw.has_any_text(position)]
