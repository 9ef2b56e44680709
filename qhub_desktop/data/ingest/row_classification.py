"""Row classification: blank rows, totals, notes below the table and repeated headers.

These are set apart from the data, never dropped: each is reported with its row and its text.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from qhub_desktop.core.dataset import ApartKind, Finding, SetApart, TotalsChoice
from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import fold_in_place, words_of
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.raw_table import (
    BLANKS,
    RawTable,
    as_number,
    decimals_in,
    is_blank_sql,
    numbers_sql,
    untagged,
)
from qhub_desktop.data.ingest.readers.sheet import address

TAIL_ROWS = 200  # looked at for notes
SUSPECTS_LIMIT = 20_000  # rows that begin like a total; beyond, the word is a value like others
TEXT_CHARACTERS = 200
COMPARED_COLUMNS = 10  # of a header, before it is compared whole
LABELLED_COLUMNS = 40  # of text, in which a total may be named
SEARCHED_ROWS = 20_000  # up to here a total is looked for among rows that lack nothing
SUMMED_COLUMNS = 60  # of numbers, that a total may sum up
BARE_ROWS = 2_000  # of numbers alone, that may be totals without a label
SMALL = 99  # up to here a number without a label may be the sum of others by chance
STARTS = 40  # of groups above a total, that it may sum up
MOST_APART = 0.1  # of the rows may be totals before the person is asked


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
# As spreadsheets name the subtotals that they make: 'R12 Total'.
_OF_TOTAL = re.compile(rf"(.+?)[\s:\-–]+(?:{_labels('total')})[\s:.=]*", re.IGNORECASE)
_SUSPECT = (
    rf"^\s*({_labels('total', 'sum', 'summary', 'summary_prefix', gap='.?')})"
    rf"|[\s:\-–]({_labels('total')})[\s:.=]*$"
)
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


def set_apart(
    raw: RawTable, header: Sequence[str], *, totals: TotalsChoice | None = None
) -> tuple[tuple[SetApart, ...], list[Finding]]:
    """Create the view `body` of the rows that are data, with their `place`; return the others, and
    what could be taken otherwise. `totals` is what the person chose for rows that may be totals.
    """
    found: dict[int, tuple[ApartKind, str]] = {}
    for place in _blank(raw):
        found[place] = ("blank", "")
    for suspect in _repeated_headers(raw, header):
        found[suspect.place] = ("repeated_header", _text_of(suspect))
    proven, unproven = ([], []) if totals == "kept" else _totals(raw, found)
    for suspect in [*proven, *unproven] if totals == "apart" else proven:
        found[suspect.place] = ("total", _text_of(suspect))
    for suspect in _notes(raw, found):
        found[suspect.place] = ("note", _text_of(suspect))
    _make_body(raw, found)
    said: list[Finding] = []
    if totals is None and unproven:
        said.append(findings.totals_kept(len(unproven), _cells_of(raw, unproven)))
    if totals is None and len(proven) > max(1, MOST_APART * (raw.rows - len(found) + len(proven))):
        said.append(findings.totals_set_apart(len(proven), _cells_of(raw, proven)))
    return tuple(_grouped(found, raw.first_row)), said


def _cells_of(raw: RawTable, rows: Sequence[_Row]) -> tuple[str, ...]:
    """Return the addresses of the first cells of rows."""
    return tuple(
        address(raw.first_row + each.place, raw.first_column + each.filled[0])
        for each in rows[: findings.LISTED]
    )


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


def _totals(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]]
) -> tuple[list[_Row], list[_Row]]:
    """Return the rows that are totals, and those that are called so and can't be told from data.

    A total sums up the rows above it, of the table or of its group, and lacks a cell that those
    have. Its label alone says nothing: 'Total' and 'Mean' are values like others in many a column.
    """
    texts = [
        position for position, form in enumerate(raw.column_kinds) if form in ("text", "mixed")
    ]
    labelled = _labelled(raw, found, texts[:LABELLED_COLUMNS]) if raw.width > 1 else []
    last = _last_place(raw, found)
    known = {each.place for each in labelled}
    others = [each for each in _without_label(raw, last) if each.place not in {*known, *found}]
    suspects = sorted([*labelled, *others], key=lambda each: each.place)
    if not suspects or raw.rows < 2:
        return [], []
    usually_filled = _usually_filled(raw, found, suspects)
    lacking = {
        each.place
        for each in suspects
        if _lacks(each, usually_filled) or (each.place in known and _is_only_label(each, raw))
    }
    if not labelled and not lacking:
        return [], []
    sums = _Sums(raw, suspects, known)
    ends = _ends(suspects, last, found)
    proven = sums.prove(lacking, ends, single=False)
    if proven:
        # Where there are totals, a group of one row has one too.
        proven = sums.prove(lacking, ends, single=True)
    unproven = [
        each
        for each in labelled
        if each.place not in proven
        and any(_is_numeric(cell) for cell in each.cells)
        and each.place in lacking | sums.doubted
    ]
    # Where most of the labels stand in rows that lack nothing, the column holds such words.
    are_told = len(proven & known) + len(unproven) > len(labelled) / 2
    return [each for each in suspects if each.place in proven], unproven if are_told else []


def _without_label(raw: RawTable, last: int) -> list[_Row]:
    """Return the last row, and those of numbers alone that have nothing in the first column."""
    found = {each.place: each for each in _select(raw, f"rowid = {last}")}
    if 1 < raw.rows <= SEARCHED_ROWS:
        blank = is_blank_sql(0, raw.column_kinds[0])
        some = _select(raw, blank, limit=BARE_ROWS + 1)
        bare = [each for each in some if _is_bare(each)]
        # Where many rows have no key, they are rows like others.
        if len(some) <= BARE_ROWS and len(bare) * 3 <= raw.rows:
            found |= {each.place: each for each in bare}
    return list(found.values())


def _labelled(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]], texts: Sequence[int]
) -> list[_Row]:
    """Return the rows with a label of a total or of another summary; none if they are too many."""
    if not texts:
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
    begun = [
        each
        for each in _select(raw, condition, limit=SUSPECTS_LIMIT + 1)
        if each.place not in found
    ]
    if len(begun) > min(SUSPECTS_LIMIT, raw.rows / 2):
        return []
    return [each for each in begun if any(_is_label(each, place, raw) for place in each.filled)]


def _is_bare(each: _Row) -> bool:
    """Return whether a row holds numbers only, without a label."""
    return bool(each.filled) and all(_is_numeric(each.cells[place]) for place in each.filled)


def _lacks(each: _Row, usually_filled: Sequence[bool]) -> bool:
    """Return whether a row has no cell where others have one."""
    return any(
        usually_filled[place] and not each.cells[place] for place in range(len(usually_filled))
    )


def _is_only_label(each: _Row, raw: RawTable) -> bool:
    """Return whether a row's label stands in the only column that can name rows."""
    texts = [place for place in each.filled if not _is_numeric(each.cells[place])]
    return len(texts) == 1 and all(
        place == texts[0] or form not in ("text", "mixed", "date", "datetime")
        for place, form in enumerate(raw.column_kinds)
        if place not in each.filled or not _is_numeric(each.cells[place])
    )


def _ends(suspects: Sequence[_Row], last: int, found: dict[int, tuple[ApartKind, str]]) -> set[int]:
    """Return the places of the suspects below which nothing else stands."""
    known = {each.place for each in suspects}
    ends: set[int] = set()
    place = last
    while place in known or place in found:
        ends.add(place)
        place -= 1
    return ends


class _Sums:
    """Sums, means, extremes and counts of the rows between those that may be totals."""

    def __init__(self, raw: RawTable, suspects: Sequence[_Row], labelled: AbstractSet[int]) -> None:
        self._suspects = suspects
        self._labelled = labelled
        self.doubted: set[int] = set()  # places of the last rows that sum up, and lack nothing
        self._positions = [
            position
            for position in range(raw.width)
            if any(_is_numeric(each.cells[position]) for each in suspects)
        ][:SUMMED_COLUMNS]
        # By twice the number of suspects above; a suspect that is no total stands between.
        self._segments: dict[int, list[_Segment]] = {}
        self._given: dict[int, list[float | None]] = {}  # by a suspect's place
        if self._positions:
            self._compute(raw)

    def _compute(self, raw: RawTable) -> None:
        # A text is read twice, with a point and with a comma before decimals: a sum that holds in
        # the wrong reading holds in the right one.
        cells = [value for position in self._positions for value in numbers_sql(raw, position)]
        raw.db.execute("CREATE TEMP TABLE suspects (place BIGINT, number BIGINT)")
        with raw.db.appender("suspects") as appender:
            appender.append_rows([(each.place, n) for n, each in enumerate(self._suspects, 1)])
        among = "(SELECT place FROM suspects)"
        selected = ", ".join(
            f"count({cell}), sum({cell}), min({cell}), max({cell}), sum(({cell}) * ({cell}))"
            for cell in cells
        )
        rows = raw.db.execute(
            f"SELECT coalesce(number, 0), {selected} FROM (FROM raw SELECT *, rowid AS place"
            f" WHERE rowid NOT IN {among}) rows ASOF LEFT JOIN suspects"
            " ON rows.place > suspects.place GROUP BY 1"
        ).fetchall()
        for number, *counted in rows:
            parts = [counted[at : at + 5] for at in range(0, len(counted), 5)]
            self._segments[2 * number] = [_Segment(*(part or 0 for part in each)) for each in parts]
        given = raw.db.execute(
            f"SELECT rowid, {', '.join(cells)} FROM raw WHERE rowid IN {among}"
        ).fetchall()
        self._given = {place: values for place, *values in given}
        raw.db.execute("DROP TABLE suspects")

    def prove(self, lacking: AbstractSet[int], ends: AbstractSet[int], *, single: bool) -> set[int]:
        """Return the places of the totals among the rows of `lacking`; `ends` have nothing below.

        With `single`, a group may be of one row. What is no total is a row that others sum up.
        """
        whole = {number: [*parts] for number, parts in self._segments.items()}
        proven: set[int] = set()
        after = 0  # where the rows under the last total begin
        for number, each in enumerate(self._suspects):
            is_end = each.place in ends
            if each.place not in lacking | ends or not self._is_sum(
                number, after, is_end=is_end, least=1 if single else 2
            ):
                self._absorb(number)
            elif each.place in lacking:
                proven.add(each.place)
                after = 2 * number + 2
            else:
                self.doubted.add(each.place)
                self._absorb(number)
        self._segments = whole
        return proven

    def _absorb(self, number: int) -> None:
        """Count a suspect among the rows under it."""
        given = self._given.get(self._suspects[number].place, [])
        ones = [
            _Segment(0, 0.0, 0.0, 0.0, 0.0)
            if value is None
            else _Segment(1, value, value, value, value * value)
            for value in given
        ]
        if ones:
            self._segments[2 * number + 1] = ones

    def _is_sum(self, number: int, after: int, *, is_end: bool, least: int) -> bool:
        """Return whether most numbers of a suspect sum up at least so many rows above it.

        Without a label all have to, and those `after` the last total, or all rows.
        """
        each = self._suspects[number]
        given = self._given.get(each.place, [])
        starts = sorted(start for start in self._segments if start <= 2 * number)
        if not starts or not any(given):
            return False
        is_labelled = each.place in self._labelled
        if not is_labelled:
            groups = {start for start in starts if start >= after}
            for start in {starts[0], *([min(groups)] if groups else [])}:
                sums, _others, all_ = self._held(number, given, start, 2)
                # One small number may be a sum by chance.
                is_large = max(abs(value or 0.0) for value in given) > SMALL
                if sums == all_ > (0 if is_end and start == starts[0] and is_large else 1):
                    return True
            return False
        for start in sorted({starts[0], *starts[-STARTS:]}, reverse=True):
            sums, others, all_ = self._held(number, given, start, least)
            if sums > 0 and sums * 2 >= all_:
                return True
            may_be_other = is_end or self._follows_total(number)
            is_group = start in (starts[0], starts[-1])
            if may_be_other and is_group and sums + others == all_ > 0:
                return True
        return False

    def _follows_total(self, number: int) -> bool:
        """Return whether a suspect stands right below another, in a block of summaries."""
        return number > 0 and (self._suspects[number - 1].place == self._suspects[number].place - 1)

    def _held(
        self, number: int, given: Sequence[float | None], start: int, least: int
    ) -> tuple[int, int, int]:
        """Return how many numbers are sums, how many other summaries, and how many there are."""
        sums = others = all_ = 0
        each = self._suspects[number]
        for at, position in enumerate(self._positions):
            text = each.cells[position]
            if not _is_numeric(text):
                continue
            readings = [
                (given[2 * at + reading], self._over(2 * at + reading, start, number))
                for reading in (0, 1)
            ]
            known = [(value, part) for value, part in readings if value is not None and part.count]
            if not known or max(part.count for _value, part in known) < least:
                continue
            all_ += 1
            step = 10.0 ** -decimals_in(text)
            if any(_is_near(value, part.sum, step, part.count) for value, part in known):
                sums += 1
            elif any(
                _is_near(value, other, step, 1) for value, part in known for other in part.others()
            ):
                others += 1
        return sums, others, all_

    def _over(self, reading: int, start: int, number: int) -> "_Segment":
        """Return the rows from a segment to the one right above a suspect as one segment."""
        parts = [
            self._segments[each][reading]
            for each in range(start, 2 * number + 1)
            if each in self._segments
        ]
        return _joined(parts)


@dataclass(frozen=True, slots=True)
class _Segment:
    """The numbers of one column in some rows, summed up."""

    count: int
    sum: float
    min: float
    max: float
    squares: float

    def others(self) -> list[float]:
        """Return the mean, the extremes, the count and the standard deviations."""
        mean = self.sum / self.count
        spread = max(0.0, self.squares - self.sum * mean)
        deviations = [(spread / self.count) ** 0.5]
        if self.count > 1:
            deviations.append((spread / (self.count - 1)) ** 0.5)
        return [mean, self.min, self.max, float(self.count), *deviations]


def _joined(parts: Sequence[_Segment]) -> _Segment:
    """Return segments as one."""
    counted = [part for part in parts if part.count]
    return _Segment(
        sum(part.count for part in counted),
        sum(part.sum for part in counted),
        min((part.min for part in counted), default=0.0),
        max((part.max for part in counted), default=0.0),
        sum(part.squares for part in counted),
    )


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


def _is_label(each: _Row, place: int, raw: RawTable) -> bool:
    """Return whether a cell labels a summary, of everything or of a value of its column."""
    text = each.cells[place]
    if _PLAIN_TOTAL.fullmatch(text) or _SUMMARY.fullmatch(text):
        return True
    named = _TOTAL_OF.fullmatch(text) or _OF_TOTAL.fullmatch(text)
    if named is None:
        return False
    column = untagged(place, raw.column_kinds[place])
    known = raw.db.execute(
        f"SELECT 1 FROM raw WHERE lower(trim({column})) = lower(?)"
        f" OR lower(?) IN ({_TOTAL_PARTS}) LIMIT 1",
        [named[1], named[1].split()[0]],
    ).fetchone()
    return known is not None


def _is_near(value: float, computed: float, step: float, count: int) -> bool:
    """Return whether a number is what was computed, but for rounding of it and of `count` terms."""
    rounding = 0.51 * step * (1 if step >= 1 else max(1.0, count**0.5))
    return abs(value - computed) <= max(1e-6 * abs(value), rounding if step > 1e-9 else 0.0)


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


def _last_place(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> int:
    place = raw.rows - 1
    while place in found:
        place -= 1
    return place


def _is_numeric(text: str) -> bool:
    return as_number(text) is not None


def _text_of(suspect: _Row) -> str:
    return " ".join(cell for cell in suspect.cells if cell)[:TEXT_CHARACTERS]
