"""Layout recognition: facts, levels of a header, lines among rows, tables that are no list.

Labels of groups that are written once, records that stand in columns or on several lines, and
months as calendars show themselves. None of them is read otherwise unless a person asks for it:
each is told, with what to do. Titles over groups of rows become a column, unless it is not wanted.
"""

# Why it is so: decisions/importing-files.md

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise, takewhile, zip_longest
from textwrap import shorten

from qhub_desktop.core.dataset import ApartKind, Finding
from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.findings import LISTED, quoted
from qhub_desktop.data.ingest.raw_table import (
    RawTable,
    as_text,
    begins_blank,
    counting_numbers,
    form_of,
    is_blank,
    is_missing_word,
    is_name,
    is_other_size,
    is_timestamp,
    numeric_columns,
    select,
    select_places,
    steps_of,
    untagged,
)
from qhub_desktop.data.ingest.raw_table import Row as TextRow
from qhub_desktop.data.ingest.readers.sheet import Merge, Value, address

FEWEST_PAIRS, MOST_PAIRS = 4, 40  # rows of a form
LEAST_FIELDS, LEAST_RECORDS, LEAST_LINES = 3, 2, 2
DAYS, WEEKS = range(28, 32), 4  # of a month
_YEAR = re.compile(r"(?:19|20)\d\d")
MOSTLY = 0.8  # of periods are years
_DATED = re.compile(r"[^\W\d].*\s\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}(?:\s\d\d?:\d\d(?::\d\d)?)?")
WIDEST_FACT = 2  # cells
LEAST_FACTS = 3  # without colons, in rows of two cells
# Words of Chinese and Japanese have no blanks between them.
_FACT = re.compile(r"[^:：]{1,60}(?::(?:\s.*)?|：.*|(?<=[\u3040-\u9fff]):.*)", re.DOTALL)

MOST_LONE = 2_000  # rows of one cell, that may be titles of groups
LONGEST_TITLE = 80
LEAST_FOLDED = 4  # columns of a list whose groups can be folded
LONGEST_NAME = 48  # of a question, in the name of its column
LACKING_COLUMNS = 40  # beside a title, to see quickly that it stands alone
MOST_COMMENTED = 2_000  # that begin with the sign of a comment
# The last is the mark of a program in place of a value, as in '$RT_OFF$'.
_COMMENT_SQL = r"^\s*(#|//|;;|[;!*%]+\s*\pL|(?i:REM)\s|\$\w+\$\s*$)"
_NO_UNIT = "-–— "  # what stands under a name without a unit
_MAY_BE_COMMENT = " OR ".join(
    f"(c0 >= {sql_literal(sign)} AND c0 < {sql_literal(chr(ord(sign) + 1))})"
    for sign in "#/;$!*%Rr"
)
_SIGN = re.compile("^[#/;$!*%Rr]")  # in one of these columns
_RUNTIME = re.compile(r"\$RT_\w+\$")  # beside which such a program fills all cells
_LINE_SIGNS = "[-=_*~+#–—]"
_RULE = re.compile(rf"(?:{_LINE_SIGNS}\s?){{2,}}")
_LINE = re.compile(rf"({_LINE_SIGNS})\s?(?:\1\s?){{2,}}|({_LINE_SIGNS})\2+\s?[\w(\"'].*", re.DOTALL)

FEWEST_LABELS = 4  # of a form
_LABEL = re.compile(r"[^\W\d_][^:;]{0,40}:")

_PIVOT_VALUES = tuple(f"{words} " for words in words_of("files", "pivot_values"))
_KEY = re.compile(r"[A-Za-z_$/][\w$/.#-]{1,40}", re.ASCII)
_ANSWERS = frozenset(words_of("files", "answers"))

Row = Sequence[Value]
Apart = tuple[ApartKind, str]  # why a row is set apart, and what stood there


def are_facts(row: Row) -> bool:
    """Return whether the cells of a row are names with a colon, each with its value in the same
    cell or in the next one: 'Operator: Ana', or 'Operator: | Ana'.

    Behind one, words that end with a day are a fact, too: 'Printed on 09/01/2026'.
    """
    cells = [as_text(cell).strip() for cell in row]
    places = [place for place, cell in enumerate(cells) if cell]
    named = [place for place in places if _FACT.fullmatch(cells[place])]
    if not named or named[0] != places[0]:
        return False
    values = [
        place for place in places if place not in named and not _DATED.fullmatch(cells[place])
    ]
    return all(place - 1 in named and cells[place - 1].endswith(":") for place in values)


def is_caption(row: Row) -> bool:
    """Return whether a row is of a fact with its number, and a few words beside it, as above the
    days of one person: 'Number: 001054 | | Jane Doe'.
    """
    cells = [text for cell in row if (text := as_text(cell).strip())]
    if len(cells) not in (2, 3) or is_blank(row[0]):
        return False
    _name, colon, value = cells[0].partition(":")
    is_numbered = bool(colon and re.search(r"\d", value)) and bool(_FACT.fullmatch(cells[0]))
    return is_numbered and all(
        is_name(cell) and not re.search(r"[\d:]", cell) for cell in cells[1:]
    )


def facts_above(rows: Sequence[Row], filled: Sequence[Sequence[int]]) -> int:
    """Return the number of the row that follows facts about a table: names and a value each, with
    colons, or in rows of two cells with a blank row or more names under them; 0 if there are none.
    """
    end = pairs = 0
    for number, (row, places) in enumerate(zip(rows, filled, strict=True)):
        if len(places) > 1 and not are_facts(row):
            break
        pairs += are_facts(row)
        end = number + 1
    if pairs > 1:
        return end if end < len(rows) else 0
    block = [*takewhile(lambda number: 0 < len(filled[number]) < 3, range(len(rows)))]
    facts = [rows[number] for number in block if len(filled[number]) == 2]
    header = next((n for n in range(len(block), len(rows)) if filled[n]), None)
    if len(facts) < LEAST_FACTS or header is None:
        return 0
    if header == len(block) and len(filled[header]) <= WIDEST_FACT:
        return 0  # without a blank row, only above a wider one
    seconds = {is_name(row[filled[number][-1]]) for number, row in zip(block, facts, strict=False)}
    are_named = all(is_name(rows[number][filled[number][0]]) for number in block)
    is_header = len(filled[header]) > 1 and all(is_name(rows[header][p]) for p in filled[header])
    return header if are_named and len(seconds) > 1 and is_header else 0


def are_levels(
    upper: Row,
    lower: Row,
    groups: Sequence[tuple[int, Sequence[int]]],
    below: Sequence[Row],
    *,
    is_merged: bool,
) -> bool:
    """Return whether numbers or dates in two rows are labels: of groups, as years over months, or
    of the columns of each group, as trials under operators. `groups` are the columns of each label.
    """
    places = [place for place, cell in enumerate(lower) if not is_blank(cell)]
    labels = [as_text(upper[place]).strip() for place, _columns in groups]
    if not groups or any(one == other for one, other in pairwise(labels)):
        return False
    if not is_merged and len(groups) < 2:
        return False
    columns = [[place for place in own if place in places] for _label, own in groups]
    covered = set().union(*columns)
    odd = {place for place, cell in enumerate(upper) if not is_blank(cell) and not is_name(cell)}
    if odd - {place for _label, own in groups for place in own} or not all(columns):
        return False
    if any(not _is_label(upper[place]) for place in odd):
        return False
    under = {place for place in places if not is_name(lower[place])}
    if under - covered or max(map(len, columns)) < 2:
        return False
    if not under:
        # The names have to come again under each label, unless the labels are merged.
        texts = [[as_text(lower[place]).strip().casefold() for place in own] for own in columns]
        return is_merged or all(own == texts[0] for own in texts)
    if not all(under.issuperset(own) and _tells_apart([lower[p] for p in own]) for own in columns):
        return False
    if len(columns) == 1:
        counted = counting_numbers({place: lower[place] for place in columns[0]})
        return places == columns[0] and bool(counted) and _fills_beside(below, covered)
    alike = sum(len({_cells(row, own) for own in columns}) == 1 for row in below)
    return len({_cells(lower, own) for own in columns}) == 1 and alike * 2 < len(below)


def _cells(row: Row, places: Sequence[int]) -> tuple[str, ...]:
    return tuple(as_text(row[place]).strip() if place < len(row) else "" for place in places)


def _is_label(cell: Value) -> bool:
    """Return whether a number or a date may be the label of a group: a day, a year, a week."""
    return is_timestamp(cell) or bool(re.fullmatch(r"\d{1,4}", as_text(cell).strip()))


def _tells_apart(cells: Sequence[Value]) -> bool:
    """Return whether numbers rise in equal steps, or days differ."""
    if all(map(is_timestamp, cells)):
        return len({*map(as_text, cells)}) == len(cells)
    return steps_of(cells) == "even" or len(cells) == 1


def _fills_beside(rows: Sequence[Row], covered: AbstractSet[int]) -> bool:
    """Return whether most rows have cells in other columns, too."""
    beside = [any(not is_blank(c) for at, c in enumerate(r) if at not in covered) for r in rows]
    return sum(beside) * 2 > len(rows)


def equal_blocks(upper: Row, lower: Row) -> dict[int, range]:
    """Return for each label the columns of its group, where the names below come in equal blocks
    ('min, max, min, max') and each block has one label, wherever it stands above it.
    """
    filled = [place for place, cell in enumerate(upper) if not is_blank(cell)]
    texts = {
        place: as_text(cell).strip().casefold()
        for place, cell in enumerate(lower)
        if not is_blank(cell)
    }
    times = Counter(texts.values())
    repeated = [place for place, text in texts.items() if times[text] > 1]
    count = times[texts[repeated[0]]] if repeated else 0
    size = len(repeated) // count if count else 0
    if size < 2 or size * count != len(repeated):
        return {}
    blocks = [repeated[start : start + size] for start in range(0, len(repeated), size)]
    if len({tuple(texts[place] for place in block) for block in blocks}) > 1:
        return {}
    found: dict[int, range] = {}
    for block in blocks:
        labels = [place for place in filled if block[0] <= place <= block[-1]]
        if len(labels) != 1 or block[-1] - block[0] + 1 != size:
            return {}
        found[labels[0]] = range(block[0], block[-1] + 1)
    return found


def labelled(upper: Row, lower: Row) -> list[tuple[int, list[int]]]:
    """Return the columns of each label, where labels stand above each of their columns, at the left
    of them, or anywhere above equal blocks.
    """
    texts = {at: as_text(cell).strip() for at, cell in enumerate(upper) if not is_blank(cell)}
    runs: list[tuple[int, list[int]]] = []
    for at, text in texts.items():
        if runs and runs[-1][1][-1] == at - 1 and texts[runs[-1][0]] == text:
            runs[-1][1].append(at)
        else:
            runs.append((at, [at]))
    # A label of its own may stand beside those of groups.
    if runs and runs[0][1] == [0] and len(runs) > 2:
        runs = runs[1:]
    if all(len(columns) > 1 for _at, columns in runs):
        return runs
    if blocks := equal_blocks(upper, lower):
        return [(at, [*columns]) for at, columns in blocks.items()]
    width = max((at for at, cell in enumerate(lower) if not is_blank(cell)), default=0) + 1
    ends = [*(at for at, _columns in runs[1:]), width]
    return [(at, [*range(at, end)]) for (at, _columns), end in zip(runs, ends, strict=True)]


def are_numbers_of_columns(
    given: Mapping[int, Value], numbers: Mapping[int, int], below: Mapping[int, Sequence[Value]]
) -> bool:
    """Return whether the counting numbers of a row differ from what is below them: they stand above
    words or dates, or as whole numbers above fractions or far larger ones.
    """
    odd = small = 0
    for place, cells in below.items():
        cell = given[place]
        values = [each for each in cells if not is_name(each)]
        words = len(cells) - len(values)
        dates = sum(not isinstance(each, int | float) and is_timestamp(each) for each in values)
        is_other_kind = isinstance(cell, str) != isinstance(cells[0], str) if cells else False
        is_marked = isinstance(cell, str) and not cell.strip().isdigit()
        if (words + dates) * 2 > len(cells) or (is_other_kind and values) or is_marked:
            odd += bool(cells)
        elif values:
            others = sum(is_other_size(each, numbers[place]) for each in values)
            small += others * 2 > len(values)
    return odd > 0 or small * 2 > len(numbers)


def are_periods(cells: Sequence[Value], below: Sequence[Value]) -> bool:
    """Return whether cells are different days or years, mostly, above other kinds of values."""
    values = [as_text(cell).strip() for cell in cells]
    if all(map(is_timestamp, cells)) and len(set(values)) == len(values):
        return not any(map(is_timestamp, below)) and bool(below)
    years = [value for value in values if _YEAR.fullmatch(value)]
    if len(set(years)) < len(years) or len(years) < MOSTLY * len(values):
        return False
    alike = sum(bool(_YEAR.fullmatch(as_text(cell).strip())) for cell in below)
    return alike * 5 <= len(below)


def completes(row: Row, spans: Sequence[Merge]) -> bool:
    """Return whether a row holds only names under cells of the row above that are merged over them,
    two or more under each: the other names are merged downwards, or have no more to say.
    """
    filled = {place for place, cell in enumerate(row) if not is_blank(cell)}
    covered = [{*range(each.column, each.last_column + 1)} & filled for each in spans]
    under = [places for places in covered if places]
    is_all = bool(under) and set().union(*under) == filled
    return is_all and all(len(e) > 1 for e in under) and all(is_name(row[at]) for at in filled)


def are_import_ids(row: Row) -> bool:
    """Return whether each cell of a row is an object of JSON, as survey tools write them under the
    words of their questions, for themselves.
    """
    found = [text for cell in row if (text := as_text(cell).strip())]
    return len(found) > 1 and all(each[0] == "{" and each[-1] == "}" for each in found)


def are_answers(rows: Sequence[Row], number: int) -> bool:
    """Return whether a row under questions says what stands in their columns, as survey tools have
    it: that it is the answer, or the one answer that each column is for.
    """
    row, names = rows[number], rows[number - 1]
    below = [each for each in rows[number + 1 :] if not all(map(is_blank, each))]
    filled = [place for place, cell in enumerate(row) if not is_blank(cell)]
    if not below or not filled:
        return False
    known = [place for place in filled if is_answer(as_text(row[place]))]
    if len(known) > 1 and len(known) == sum(not is_blank(each) for each in names):
        return True
    if filled[0] == 0 or any(is_blank(each[0]) for each in below):
        return False
    only: list[int] = []
    for place in filled:
        values = {as_text(each[place]).strip() for each in below if place < len(each)} - {""}
        only += [place] if values == {as_text(row[place]).strip()} else []
    sure = {*known, *only}
    others = [place for place in filled if place not in sure]
    is_told = len(known) > 0 or len(only) > 1
    # A question with several answers stands over the first of them.
    begins = {
        at for at in range(len(names) - 1) if not is_blank(names[at]) and is_blank(names[at + 1])
    }
    are_under = all(is_blank(names[each]) or each in begins for each in others)
    return is_told and len(sure) >= len(others) and are_under


def is_key(text: str) -> bool:
    """Return whether a text has the form of a program's own name for a column: 'MATNR', 'q1_2'."""
    return bool(_KEY.fullmatch(text)) and (text.isupper() or bool(re.search(r"[\d_]", text)))


def is_answer(label: str) -> bool:
    """Return whether a label says no more than that an answer stands under it."""
    return label.strip().casefold() in _ANSWERS


def is_of_pivot(row: Row) -> bool:
    """Return whether a row says what a pivot table computes, over what its columns are of."""
    texts = [as_text(cell).strip().casefold() for cell in row if not is_blank(cell)]
    return len(texts) < 3 and texts[0].startswith(_PIVOT_VALUES)


def said_of_each(row: Row, labels: list[str]) -> list[str]:
    """Return the labels of groups with what their numbers are of, as in 'Week | 9 | 10'."""
    numbers = {place for place, cell in enumerate(row) if labels[place] and not is_name(cell)}
    if not numbers or not labels[0] or 0 in numbers:
        return labels
    return [
        f"{labels[0]} {label}" if place in numbers else label if place else ""
        for place, label in enumerate(labels)
    ]


def joined(name: str, label: str) -> str:
    """Return a name with one more label behind it, of a sentence its first words.

    A dash under a name says that it has no unit.
    """
    if (
        not name
        or not label
        or "".join(name.split()).casefold() == "".join(label.split()).casefold()
    ):
        return name or label
    if not label.strip(_NO_UNIT):
        return name
    is_long = len(label) > LONGEST_NAME
    return f"{name} {shorten(label, LONGEST_NAME, placeholder='…') if is_long else label}"


def comments(
    raw: RawTable,
    found: Mapping[int, Apart],
    titles: Sequence[str],
    first: Sequence[TextRow],
) -> list[TextRow]:
    """Return the lines that begin with the sign of a comment, where no row of data does; the sign
    of several lines above the names is one wherever it stands.
    """
    if raw.width < 2 or not raw.may_have_blanks(0):
        return []
    if not raw.may_lack(0) and not raw.may_match([0], _SIGN):
        return []
    # The database compares, and skips, far quicker than it searches.
    may_be = f"({begins_blank('c0')} OR {_MAY_BE_COMMENT})"
    is_one = f"{may_be} AND regexp_matches(c0, {sql_literal(_COMMENT_SQL)})"
    signed = [each for each in select(raw, is_one, limit=MOST_COMMENTED) if each.place not in found]
    if len(signed) >= MOST_COMMENTED:
        return []  # they are no exceptions
    typical = typical_cells(first, found)
    told = [
        each
        for each in signed
        if each.cells[0].startswith("$")
        and (_RUNTIME.match(each.cells[0]) or len(each.filled) < typical)
    ]
    told = told if len(told) * 2 < raw.rows else []
    numeric = numeric_columns(first)
    for sign in ("#", "//", ";", "!", "*", "%", "rem"):
        rows = [each for each in signed if each.cells[0].lower().startswith(sign)]
        if any(_is_code(each, sign) and len(each.filled) >= typical for each in rows):
            rows = [each for each in rows if not _is_code(each, sign)]
        is_known = sum(title.startswith(sign) for title in titles) > 1
        are_words = all(_is_sentence(each, typical, numeric) for each in rows)
        if (is_known or are_words) and len(rows) * 2 < raw.rows:
            told += rows
    return told + _behind_delimiter(raw, found)


def _behind_delimiter(raw: RawTable, found: Mapping[int, Apart]) -> list[TextRow]:
    """Return the lines whose sign of a comment is the delimiter: a text alone in the second column,
    with a blank before it, under a first column that has a cell in all other rows.
    """
    if raw.column_kinds[1] not in ("text", "mixed") or 1 in raw.typed:
        return []
    if not raw.may_lack(0):
        return []
    blank = raw.is_blank(0)
    lacking = [each for each in select(raw, blank, limit=MOST_COMMENTED) if each.place not in found]
    alone = [each for each in lacking if each.filled == [1]]
    if len(alone) != len(lacking) or not alone or len(alone) * 2 >= raw.rows:
        return []
    text = untagged(1, raw.column_kinds[1])
    is_text = f"regexp_matches({text}, '^ +\\pL\\S* ')"
    return alone if len(select(raw, f"{blank} AND {is_text}")) == len(alone) else []


def _is_sentence(each: TextRow, typical: int, numeric: AbstractSet[int]) -> bool:
    """Return whether a row is a text alone, which commas in it may have parted into a few cells."""
    if len(each.filled) == 1:
        return True
    is_short = len(each.filled) < typical and each.filled == [*range(len(each.filled))]
    cells = [each.cells[place] for place in each.filled]
    words = all(any(map(str.isalpha, cell)) for cell in cells)
    odd = [cells[place] for place in numeric if place < len(cells)]
    return is_short and words and any(not any(map(str.isdigit, cell)) for cell in odd)


def _is_code(each: TextRow, sign: str) -> bool:
    """Return whether the first cell is one word with a sign before it, as in '#12'."""
    return bool(re.fullmatch(rf"{re.escape(sign)}[^\s#/;]*\d[^\s#/;]*", each.cells[0].strip()))


def separators(
    raw: RawTable, found: Mapping[int, Apart], first: Sequence[TextRow]
) -> list[TextRow]:
    """Return the rows of one cell that is a line, with or without words in it, and those under the
    names of which each cell is one.
    """
    ruled = [
        each
        for each in first
        if len(each.filled) > 1 and all(_RULE.fullmatch(each.cells[at]) for at in each.filled)
    ]
    told = [each for each in _lone_rows(raw, found) if _LINE.fullmatch(each.cells[0])]
    return [each for each in [*ruled, *told] if each.place not in found]


def _lone_rows(raw: RawTable, found: Mapping[int, Apart]) -> list[TextRow]:
    """Return the rows with nothing but a text in the first column; none if they are too many."""
    if raw.width < 2 or raw.column_kinds[0] not in ("text", "mixed"):
        return []
    # By cells without a value the database skips nearly all rows.
    others = range(1, min(raw.width, LACKING_COLUMNS))
    if not all(map(raw.may_lack, others)):
        return []
    lacking = " AND ".join(f"c{position} IS NULL" for position in others)
    some = select(raw, f"{lacking} AND c0 IS NOT NULL", limit=MOST_LONE + 1)
    lone = [each for each in some if each.place not in found and each.filled == [0]]
    return lone if len(some) <= MOST_LONE and len(lone) * 2 <= raw.rows else []


def _marked_rows(raw: RawTable, found: Mapping[int, Apart]) -> list[TextRow]:
    """Return the rows with nothing but a text beside the first column, which holds a sign, as in
    lists that can be folded, or the key of the group that begins there.
    """
    if raw.width < LEAST_FOLDED or any(
        raw.column_kinds[at] not in ("text", "mixed") for at in (0, 1)
    ):
        return []
    others = range(2, min(raw.width, LACKING_COLUMNS))
    if not all(map(raw.may_lack, others)):
        return []
    lacking = " AND ".join(f"c{position} IS NULL" for position in others)
    some = select(raw, f"{lacking} AND c0 IS NOT NULL AND c1 IS NOT NULL", limit=MOST_LONE + 1)
    marked = [
        each
        for each in some
        if each.place not in found
        and each.filled == [0, 1]
        and any(map(str.isalpha, each.cells[1]))
    ]
    near = {place for each in marked for place in (each.place - 1, each.place + 1)}
    keys = {each.place: each.cells[0] for each in select_places(raw, sorted(near))}
    marked = [
        each
        for each in marked
        if not any(map(str.isalnum, each.cells[0]))
        or keys.get(each.place - 1) != each.cells[0] == keys.get(each.place + 1)
    ]
    return marked if len(some) <= MOST_LONE and len(marked) * 2 <= raw.rows else []


def group_titles(
    raw: RawTable,
    found: Mapping[int, Apart],
    titles: Sequence[str],
    first: Sequence[TextRow],
    *,
    pages: str,
) -> tuple[list[TextRow], str]:
    """Return the rows that hold a title over the rows under them, and the title of those above the
    first, if it stands above the names.

    There has to be one over every row, and it cannot be one more value of its column. `pages` is
    the pattern of the number of a page.
    """
    alone = _lone_rows(raw, found) or _marked_rows(raw, found)
    lone = {each.place: each for each in alone}
    if not lone:
        return [], ""
    at = alone[0].filled[-1]
    headers = {place for place, (kind, _text) in found.items() if kind == "repeated_header"}
    under = {place: _next(raw, place, found) for place in lone}
    notes: set[int | None] = {None}
    while len(lone) > (2 if len(notes) > 1 else 1) and under[max(lone)] in notes:
        notes.add(max(lone))  # under the table
        del lone[max(lone)]
    if any(under[place] is None or under[place] in lone for place in lone):
        return [], ""
    label = ""
    if _next(raw, -1, found) not in lone:
        above = {_next(raw, place, found, headers) for place in lone}
        # A header of several rows comes again with all of them.
        if not titles or not headers or above != {at for at in headers if at - 1 not in headers}:
            return [], ""
        label = titles[-1]
    texts = [*filter(None, [label]), *(lone[place].cells[at] for place in sorted(lone))]
    if len(texts) < 2 or any(one == other for one, other in pairwise(texts)):
        return [], ""
    if any(len(text) > LONGEST_TITLE for text in texts) or _are_of_pages(texts, pages):
        return [], ""
    rows = [each for each in first if each.place not in lone and each.place not in found]
    cells = [each.cells[at] for each in rows if each.cells[at]]
    if not _are_titles(texts, cells, rows, raw.rows - len(found) - len(lone)):
        return [], ""
    return [lone[place] for place in sorted(lone)], label


def _next(
    raw: RawTable, place: int, found: Mapping[int, Apart], wanted: AbstractSet[int] = frozenset()
) -> int | None:
    """Return the next row that is not set apart, or is one of the wanted ones."""
    places = range(place + 1, raw.rows)
    return next((each for each in places if each in wanted or each not in found), None)


def _are_of_pages(texts: Sequence[str], pages: str) -> bool:
    """Return whether titles differ in no more than the number of a page or the time of printing."""
    bare = {"".join(filter(str.isalpha, text)) for text in texts}
    is_numbered = any(re.fullmatch(pages, text, re.IGNORECASE) for text in texts)
    is_timed = any(re.search(r"\d:\d\d|\d[/.-]\d+[/.-]\d", text) for text in texts)
    return is_numbered or (len(bare) == 1 and bare != {""} and is_timed)


def _are_titles(
    texts: Sequence[str], cells: Sequence[str], rows: Sequence[TextRow], count: int
) -> bool:
    """Return whether texts are unlike the cells of their column in the other rows."""
    if not rows or set(texts) & set(cells):
        return False
    forms = Counter(re.sub("9+", "9", form_of(cell)) for cell in cells)
    own = {re.sub("9+", "9", form_of(text)) for text in texts}
    if not forms or all(forms[form] == 0 for form in own):
        usual = max(forms, key=forms.__getitem__, default="")
        if not cells or forms[usual] * 2 > len(cells) or any("9" in form for form in forms):
            return True
    # Words among words: all other rows have to be whole, and several under each title.
    typical = typical_cells(rows, {})
    whole = [each for each in rows if len(each.filled) * 4 > typical * 3]
    return typical > 1 and len(whole) == len(rows) and count >= 2 * len(texts)


def typical_cells(first: Sequence[TextRow], found: Mapping[int, Apart]) -> int:
    """Return the median number of cells in the first rows."""
    counts = sorted(len(each.filled) for each in first if each.place not in found)
    return counts[len(counts) // 2] if counts else 0


def unlike_records(
    rows: Sequence[Row], corner: tuple[int, int], *, header: int | None, body: int
) -> list[Finding]:
    """Report a small sheet, given whole, that has its records in columns or is a calendar.

    `header` is where its header begins, and `body` where its rows do.
    """
    at = address(corner[0] + (header or 0), corner[1])
    if _is_calendar(rows):
        return [findings.CALENDAR.finding(cells=(at,))]
    filled = [[place for place, cell in enumerate(row) if not is_blank(cell)] for row in rows]
    labels = _labels_of_form(rows[facts_above(rows, filled) :])  # those above a table are no form
    if labels:
        told = quoted(labels, most=LISTED)
        return [findings.FORM.finding(len(labels), (at,), labels=told)]
    if header is not None and _is_transposed(rows[body:]):
        return [findings.RECORDS_IN_COLUMNS.finding(cells=(at,))]
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
    return found if is_form and begin * 3 >= len(used) else _labels_of_pairs(rows)


def _labels_of_pairs(rows: Sequence[Row]) -> list[str]:
    """Return the labels of a form whose columns are by turns labels, each once and without a digit,
    and values of several kinds; none of another sheet.
    """
    used = [row for row in rows if not all(map(is_blank, row))]
    columns = [*zip_longest(*used)] if FEWEST_PAIRS <= len(used) <= MOST_PAIRS else []
    columns = [each for each in columns if not all(map(is_blank, each))]
    if len(columns) < LEAST_LINES * 2 or len(columns) % 2:
        return []
    labels = [cell for column in columns[::2] for cell in column if not is_blank(cell)]
    texts = [as_text(cell).strip() for cell in labels]
    are_labels = all(map(is_name, labels)) and not any(re.search(r"\d", text) for text in texts)
    kinds = [{kind_of(cell) for cell in column} - {""} for column in columns[1::2]]
    are_mixed = any(len(each) > 1 for each in kinds) and all("name" in each for each in kinds)
    is_one = len({text.casefold() for text in texts}) == len(texts) > len(used)
    return texts if are_labels and are_mixed and is_one else []


def _is_transposed(rows: Sequence[Row]) -> bool:
    """Return whether rows have values of one kind each, under a name, and columns of several."""
    fields = [row for row in rows if sum(not is_blank(cell) for cell in row) > 1]
    if len(fields) < LEAST_FIELDS or any(is_blank(row[0]) or not is_name(row[0]) for row in fields):
        return False
    if len({as_text(row[0]).strip().casefold() for row in fields}) < len(fields):
        return False
    kinds = [{kind_of(cell) for cell in row[1:]} - {""} for row in fields]
    if any(len(each) > 1 for each in kinds):
        return False
    counted = Counter(kind for each in kinds for kind in each)
    others = counted.total() - max(counted.values(), default=0)
    columns = [*zip_longest(*(row[1:] for row in fields))]
    mixed = [len({kind_of(cell) for cell in column} - {""}) > 1 for column in columns]
    is_so = len(mixed) >= LEAST_RECORDS and all(mixed)
    return is_so and (others > 1 or len(counted) > 2)


def kind_of(cell: Value) -> str:
    """Return the kind of a cell's value; nothing where it has none."""
    if is_blank(cell) or is_missing_word(cell):
        return ""
    if is_timestamp(cell):
        return "timestamp"
    return "name" if isinstance(cell, bool) or is_name(cell) else "number"


def _is_calendar(rows: Sequence[Row]) -> bool:
    """Return whether the numbers of a sheet are the days of a month, a week in a row or so."""
    days: list[int] = []
    used = 0
    for row in rows:
        numbers = [as_text(cell).strip() for cell in row if kind_of(cell) == "number"]
        used += len(numbers) in range(1, 8)
        days += [int(number) if re.fullmatch(r"\d{1,2}", number) else 0 for number in numbers]
    return len(days) in DAYS and days == [*range(1, len(days) + 1)] and used >= WEEKS
