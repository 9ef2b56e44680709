"""Row classification: blank rows, totals, notes below the table and repeated headers.

These are set apart from the data, never dropped: each is reported with its row and its text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from qhub_desktop.core.dataset import ApartKind, SetApart
from qhub_desktop.core.sql_text import sql_literal
from qhub_desktop.core.text import fold_in_place, words_of
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest.raw_table import TAG, ColumnKind, RawTable

BLANKS = " \t\r\n\v\f\N{NO-BREAK SPACE}"
_BLANK_CODES = ", ".join(str(ord(blank)) for blank in BLANKS)
TAIL_ROWS = 200  # looked at for notes
SUSPECTS_LIMIT = 20_000  # rows that begin like a total; beyond, the word is a value like others
TEXT_CHARACTERS = 200
COMPARED_COLUMNS = 10  # of a header, before it is compared whole
LABELLED_COLUMNS = 40  # of text, in which a total may be named
SEARCHED_ROWS = 20_000  # up to here a total is looked for among rows that lack nothing
SUMMED_ROWS = 200_000  # up to here a total in a table of few columns is checked by adding up


def _labels(*keys: str, gap: str = r"[\s_-]*") -> str:
    """Return a pattern of the languages' labels, with and without accents."""
    listed = {label for key in keys for label in words_of("files", key)}
    spelt = ("".join(map(_with_or_without_accent, label)).replace(" ", gap) for label in listed)
    return "|".join(sorted(spelt))


def _with_or_without_accent(letter: str) -> str:
    return letter if letter.isascii() else f"[{letter}{fold_in_place(letter)}]"


# What follows the word has to be a value that the table knows, as in 'Total R12'.
_TOTAL_OF = re.compile(
    rf"(?:{_labels('total')})[\s:.\-–]+(?:(?:{_labels('total_of')})\s+)?(.+?)[\s:.=]*",
    re.IGNORECASE,
)
_PLAIN_TOTAL = re.compile(
    rf"(?:(?:{_labels('total')})(?:\s+(?:{_labels('total_whole')}))?|{_labels('sum')})[\s:.=]*",
    re.IGNORECASE,
)
_SUMMARY = re.compile(rf"(?:{_labels('summary')})[\s:.=]*", re.IGNORECASE)
_SUSPECT = rf"^\s*({_labels('total', 'sum', 'summary', 'summary_prefix', gap='.?')})"
_TOTAL_PARTS = ", ".join(
    map(sql_literal, (*words_of("files", "total_whole"), *words_of("files", "total_part")))
)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that may not be data: its place in the table and its cells as text."""

    place: int
    cells: tuple[str, ...]

    @property
    def filled(self) -> list[int]:
        """The positions of cells that hold something."""
        return [position for position, cell in enumerate(self.cells) if cell]


def set_apart(raw: RawTable, header: Sequence[str]) -> tuple[SetApart, ...]:
    """Create the view `body` of the rows that are data, with their `place`; return the others."""
    found: dict[int, tuple[ApartKind, str]] = {}
    for place in _blank(raw):
        found[place] = ("blank", "")
    for suspect in _repeated_headers(raw, header):
        found[suspect.place] = ("repeated_header", _text_of(suspect))
    for suspect in _totals(raw, found):
        found[suspect.place] = ("total", _text_of(suspect))
    for suspect in _notes(raw, found):
        found[suspect.place] = ("note", _text_of(suspect))
    _make_body(raw, found)
    return tuple(_grouped(found, raw.first_row))


def _make_body(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> None:
    raw.db.execute("CREATE TABLE apart (place BIGINT)")
    if not found:
        raw.db.execute("CREATE VIEW body AS SELECT rowid AS place, * FROM raw")
        return
    with raw.db.appender("apart") as appender:
        appender.append_rows([(place,) for place in found])
    raw.kept = " WHERE rowid NOT IN (SELECT place FROM apart)"
    raw.db.execute(f"CREATE VIEW body AS SELECT rowid AS place, * FROM raw{raw.kept}")


def _grouped(found: dict[int, tuple[ApartKind, str]], first_row: int) -> Iterator[SetApart]:
    """Group neighbouring blank rows; all other rows stay single."""
    ordered = sorted(found.items())
    numbered = enumerate(ordered)
    for key, group in groupby(
        numbered,
        key=lambda item: (
            (item[1][1][0], item[1][0] - item[0])
            if item[1][1][0] == "blank"
            else (item[1][1][0], -1, item[0])
        ),
    ):
        places = [(place, what) for _number, (place, what) in group]
        yield SetApart(
            kind=key[0],
            row=first_row + places[0][0] + 1,
            last_row=first_row + places[-1][0] + 1,
            text=places[0][1][1],
        )


def _blank(raw: RawTable) -> list[int]:
    conditions = [is_blank_sql(position, form) for position, form in enumerate(raw.column_kinds)]
    rows = raw.db.execute(f"SELECT rowid FROM raw WHERE {' AND '.join(conditions)}").fetchall()
    return [place for (place,) in rows]


def is_blank_sql(position: int, form: ColumnKind) -> str:
    """Return SQL that is true where a column of `raw` holds nothing that can be seen."""
    column = f"c{position}"
    if form in ("text", "mixed"):
        return f"({column} IS NULL OR ({is_blank_text(column)}))"
    return f"{column} IS NULL"


def is_blank_text(column: str) -> str:
    """Return SQL that is true for a text of blanks only.

    Nearly every text shows by its first character that it is not blank; with CASE, the database
    trims only the others.
    """
    return (
        f"CASE WHEN unicode({column}) IN (-1, {_BLANK_CODES})"
        f" THEN trim({column}, {sql_literal(BLANKS)}) = '' ELSE false END"
    )


def _repeated_headers(raw: RawTable, header: Sequence[str]) -> list[_Row]:
    named = [
        position
        for position, name in enumerate(header)
        if name and position < raw.width and raw.column_kinds[position] in ("text", "mixed")
    ]
    needed = [position for position, name in enumerate(header) if name]
    if not named or len(named) < len(needed):
        return []
    condition = " AND ".join(
        f"c{position} = {sql_literal(header[position])}" for position in named[:COMPARED_COLUMNS]
    )
    return [
        each
        for each in _select(raw, condition)
        if all(each.cells[position] == header[position] for position in named)
    ]


def _totals(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> list[_Row]:
    texts = [
        position for position, form in enumerate(raw.column_kinds) if form in ("text", "mixed")
    ]
    texts = texts[:LABELLED_COLUMNS]
    if not texts or raw.width < 2:
        return []
    condition = " OR ".join(
        f"regexp_matches(c{position}, {sql_literal(_SUSPECT)}, 'i')" for position in texts
    )
    if raw.rows > SEARCHED_ROWS:
        # Searching every cell of a million rows for the words takes seconds. Above the end of the
        # table a total lacks cells that other rows have, and the database finds NULLs without
        # reading the cells, if the query is for them alone.
        lacking = " OR ".join(f"c{position} IS NULL" for position in range(raw.width))
        few = f"SELECT rowid FROM raw WHERE rowid >= {raw.rows - TAIL_ROWS} OR {lacking}"
        condition = f"rowid IN ({few}) AND ({condition})"
    suspects = [
        each
        for each in _select(raw, condition, limit=SUSPECTS_LIMIT + 1)
        if each.place not in found
    ]
    if len(suspects) > SUSPECTS_LIMIT:
        return []
    last = _last_place(raw, found)
    if not suspects:
        return _unlabelled_total(raw, found, last)
    usually_filled = _usually_filled(raw, found, suspects)
    totals: list[_Row] = []
    ends = {last}
    for each in reversed(suspects):
        if each.place in ends and _is_summary(each, usually_filled, raw):
            totals.append(each)
            ends.add(_previous_data_place(each.place, found, totals))
        elif _is_total(each, usually_filled, raw):
            totals.append(each)
    return totals


def _unlabelled_total(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]], last: int
) -> list[_Row]:
    """Find a last row of sums without a label: the cells that name other rows are empty."""
    ending = _select(raw, f"rowid = {last}")
    if not ending or raw.rows > SUMMED_ROWS:
        return []
    usually_filled = _usually_filled(raw, found, ending)
    each = ending[0]
    is_bare = all(_is_numeric(each.cells[place]) for place in each.filled)
    lacks = any(
        usually_filled[place] and not each.cells[place] for place in range(len(usually_filled))
    )
    if not (each.filled and is_bare and lacks):
        return []
    return ending if all(_adds_up(each, raw, [place]) for place in each.filled) else []


def _usually_filled(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]], suspects: Sequence[_Row]
) -> list[bool]:
    """Return for each column whether most rows outside `suspects` have something there."""
    counted = aggregates(
        raw.db,
        [
            f"count(*) FILTER (NOT ({is_blank_sql(position, form)}))"
            for position, form in enumerate(raw.column_kinds)
        ],
        "raw",
    )
    rows = max(1, raw.rows - len(found) - len(suspects))
    return [
        count - sum(bool(each.cells[position]) for each in suspects) > 0.7 * rows
        for position, count in enumerate(counted)
    ]


def _is_total(each: _Row, usually_filled: Sequence[bool], raw: RawTable) -> bool:
    """Return whether a row has a total's label, and lacks cells that others have or adds up."""
    label = next(
        (each.cells[place] for place in each.filled if _is_total_label(each, place, raw)), ""
    )
    if not label:
        return False
    lacking = sum(
        usually_filled[place] and not each.cells[place] for place in range(len(usually_filled))
    )
    if lacking and any(_is_numeric(each.cells[place]) for place in each.filled):
        return True
    if not lacking and each.place == raw.rows - 1 and _PLAIN_TOTAL.fullmatch(label):
        return any(_is_numeric(each.cells[place]) for place in each.filled)
    return bool(_PLAIN_TOTAL.fullmatch(label)) and _adds_up(each, raw)


def _is_total_label(each: _Row, place: int, raw: RawTable) -> bool:
    """Return whether a cell labels a total, of everything or of a value of its column."""
    text = each.cells[place]
    if _PLAIN_TOTAL.fullmatch(text):
        return True
    named = _TOTAL_OF.fullmatch(text)
    if named is None:
        return False
    column = untagged(place, raw.column_kinds[place])
    known = raw.db.execute(
        f"SELECT 1 FROM raw WHERE lower(trim({column})) = lower(?)"
        f" OR lower(?) IN ({_TOTAL_PARTS}) LIMIT 1",
        [named[1], named[1].split()[0]],
    ).fetchone()
    return known is not None


def _is_summary(each: _Row, usually_filled: Sequence[bool], raw: RawTable) -> bool:
    """Return whether a row at the very end sums the table up: a total, a mean, a maximum."""
    labels = [each.cells[place] for place in each.filled]
    if not any(_PLAIN_TOTAL.fullmatch(label) or _SUMMARY.fullmatch(label) for label in labels):
        return _is_total(each, usually_filled, raw)
    return any(_is_numeric(label) for label in labels) or len(labels) == 1


def _adds_up(each: _Row, raw: RawTable, places: Sequence[int] | None = None) -> bool:
    """Return whether a number of the row is the sum of those above it."""
    if each.place > SUMMED_ROWS or not each.place:
        return False
    for position in each.filled if places is None else places:
        form = raw.column_kinds[position]
        given = _number_in(each.cells[position], form)
        if given is None or not given:
            continue
        cells = raw.db.execute(
            f"SELECT {untagged(position, form)} FROM raw WHERE rowid < {each.place}"
        ).fetchall()
        values = [_number_in(cell or "", form) or 0.0 for (cell,) in cells]
        if abs(sum(values) - given) <= 1e-6 * max(1.0, abs(given)):
            return True
    return False


def _notes(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> list[_Row]:
    """Find rows of words under the table, from the end upwards."""
    if raw.width < 2:
        return []
    tail = _select(raw, f"rowid >= {max(0, raw.rows - TAIL_ROWS)}")
    typical = _typical_cells(raw, found)
    numeric = _numeric_columns(tail)
    notes: list[_Row] = []
    for each in reversed(tail):
        if each.place in found:
            continue
        is_after_gap = found.get(each.place - 1, ("", ""))[0] in ("blank", "total")
        if not _is_note(each, numeric, typical, is_after_gap=is_after_gap, is_last=not notes):
            break
        notes.append(each)
    if len(notes) + sum(each.place in found for each in tail) >= raw.rows:
        return []  # there is nothing else, so these rows are the data
    return notes if typical >= 2 else []


def _numeric_columns(rows: Sequence[_Row]) -> set[int]:
    """Return the columns in which most cells are numbers or dates."""
    width = max((len(each.cells) for each in rows), default=0)
    found: set[int] = set()
    for place in range(width):
        cells = [each.cells[place] for each in rows if each.cells[place]]
        if sum(any(map(str.isdigit, cell)) for cell in cells) * 2 > len(cells) + 4:
            found.add(place)
    return found


def _is_note(
    each: _Row, numeric: set[int], typical: int, *, is_after_gap: bool, is_last: bool
) -> bool:
    """Return whether a row at the end is a note: few cells, words where values stand."""
    texts = [each.cells[place] for place in each.filled]
    if len(texts) * 2 > max(2, typical) or any(map(_is_numeric, texts)):
        return False
    if numeric.intersection(each.filled) and not any(any(map(str.isdigit, text)) for text in texts):
        return True
    if len(texts) > 1:
        return False
    text = texts[0]
    is_sentence = (
        len(text.split()) > 2 or len(text) > 25 or text[0] in "*†¹²(" or text.endswith(".")
    )
    return is_after_gap or is_sentence or not is_last or ":" in text


def _typical_cells(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> int:
    """Return the median number of cells in the first rows."""
    rows = [each for each in _select(raw, "true", limit=TAIL_ROWS) if each.place not in found]
    counts = sorted(len(each.filled) for each in rows)
    return counts[len(counts) // 2] if counts else 0


def _select(raw: RawTable, condition: str, *, limit: int | None = None) -> list[_Row]:
    cells = ", ".join(untagged(position, form) for position, form in enumerate(raw.column_kinds))
    # Sorting thousands of columns takes a gigabyte; they come in the order of the file.
    rows: list[tuple[Any, ...]] = raw.db.execute(
        f"SELECT rowid, {cells} FROM raw WHERE {condition}" + (f" LIMIT {limit}" if limit else "")
    ).fetchall()
    return [
        _Row(place, tuple((cell or "").strip(BLANKS) for cell in others)) for place, *others in rows
    ]


def untagged(position: int, form: ColumnKind) -> str:
    """Return SQL for a column of `raw` as text, without the tags of mixed columns."""
    if form == "mixed":
        return (
            f"CASE WHEN starts_with(c{position}, {sql_literal(TAG)}) THEN substr(c{position}, 3)"
            f" ELSE c{position} END"
        )
    return f"CAST(c{position} AS VARCHAR)"


def _last_place(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> int:
    place = raw.rows - 1
    while place in found:
        place -= 1
    return place


def _previous_data_place(
    place: int, found: dict[int, tuple[ApartKind, str]], totals: Sequence[_Row]
) -> int:
    known = {each.place for each in totals}
    place -= 1
    while place in found or place in known:
        place -= 1
    return place


def as_number(text: str) -> float | None:
    """Return the number that a text stands for; for comparing sums, never for storing."""
    bare = re.sub(r"[\s€$£%]", "", text)
    if not re.fullmatch(r"[+-]?[\d.,']*\d[\d.,']*-?", bare):
        return None
    last = max(bare.rfind(","), bare.rfind("."))
    digits = re.sub(r"[.,']", "", bare)
    decimals = len(bare.rstrip("-")) - last - 1 if last >= 0 else 0
    is_grouping = (
        decimals == 3
        and (bare.count(",") + bare.count(".")) >= 1
        and (bare.count(bare[last]) > 1 or len(bare.lstrip("+-")) <= 7)
    )
    if last < 0 or is_grouping:
        decimals = 0
    sign = -1 if "-" in digits else 1
    return float(sign * int(digits.strip("+-") or 0) / 10**decimals)


def _number_in(text: str, form: ColumnKind) -> float | None:
    if form == "number":
        return float(text) if text else None
    return as_number(text)


def _is_numeric(text: str) -> bool:
    return as_number(text) is not None


def _text_of(suspect: _Row) -> str:
    return " ".join(cell for cell in suspect.cells if cell)[:TEXT_CHARACTERS]
