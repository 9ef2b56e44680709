"""Row classification: blank rows, totals, notes below the table and repeated headers.

These are set apart from the data, never dropped: each is reported with its row and its text.
"""

# Why it is so: decisions/importing-files.md

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING

from qhub_desktop.core.dataset import ApartKind, Finding, SetApart, TotalsChoice
from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.edge_rows import edge_rows, has_numbers, other_records
from qhub_desktop.data.ingest.findings import LISTED, Sentence, listed, quoted
from qhub_desktop.data.ingest.layout_recognition import (
    comments,
    group_titles,
    separators,
    typical_cells,
)
from qhub_desktop.data.ingest.raw_table import (
    RawTable,
    Row,
    begins_blank,
    is_amount,
    is_length_of_time,
    is_numeric,
    numeric_columns,
    rows_matching,
    select,
    select_places,
    untagged,
)
from qhub_desktop.data.ingest.readers.sheet import address
from qhub_desktop.data.ingest.rows_between import (
    LABELLED_COLUMNS,
    PAGE,
    SEARCHED_ROWS,
    labels_of,
    limit_rows,
    tax_rows,
    titles_of_pages,
)

if TYPE_CHECKING:
    from qhub_desktop.data.ingest.totals import GroupTotals, Sums

EDGE_ROWS = 200  # at the beginning and the end, looked at for what is usual and for notes
SUSPECTS_LIMIT = 20_000  # rows that begin like a total; beyond, the word is a value like others
FIRST_BLANK, BLANK_AT_ONCE = 4, 40  # columns that are looked at together for blank rows
HEADER_COLUMNS = 10  # of a header, before it is compared whole
BARE_ROWS = 2_000  # of numbers alone, that may be totals without a label
STATISTICS = 3  # rows of them under a table are a block
LEAST_OF_BALANCE = 4  # cells of a row, beside one that carries a balance forward
FEWEST_KEYED = 5  # rows, to tell what all of them have
LEAST_SUMMED, ROUNDED = 3, 0.06  # rows above a last one that sums them up, and what each may be off
NEAR = 1e-5  # what is further from a number is not the same in six decimals
ENDING_ROWS, MOST_ENDING = 3, 4  # rows at the end, and their cells
LEAST_ABOVE_NOTES = 5  # rows of several cells, above more notes than rows
LONGEST_VALUE, LONGEST_WORD = 40, 10  # characters in a column of numbers; under a line of words
TOTAL_WORDS = 4  # at most, of what a total is of
USUAL = 0.6  # of the rows fill a column
LACKED = 0.4  # of such columns, in a row that may be a sum
MOST_APART = 0.1  # of the rows may be totals before the person is asked


# What follows the word has to be a value that the table knows, as in 'Total R12'.
_TOTAL_OF = re.compile(
    rf"(?:{labels_of('total')})[\s:.\-–]+(?:(?:{labels_of('total_of')})\s+)?(.+?)[\s:.=]*",
    re.IGNORECASE,
)
_PLAIN_TOTAL = re.compile(
    rf"(?:(?:{labels_of('total')})(?:\s+(?:{labels_of('total_whole', 'result')}))?"
    rf"|{labels_of('sum')})[\s:.=]*",
    re.IGNORECASE,
)
_RESULT = re.compile(rf"(?:{labels_of('result')})[\s:.=]*", re.IGNORECASE)
_NO_DIGIT = re.compile(r"\D")
_STARS = re.compile(r"\*{1,4}")  # as SAP marks the totals of a list
_STARRED = re.compile(r"\*{1,4}\s*([^\s*].*)")  # with the value that it is of
_LEVEL = r"(?:\d{2}(?:[.,]\d+)?\s*%\s*)?"  # of confidence, before its limit
_SUMMARY = re.compile(
    rf"{_LEVEL}(?:{labels_of('summary')}|{labels_of('summary_signs')})(?:\s*[(\[]?%[)\]]?)?[\s:.=]*",
    re.IGNORECASE,
)
# With the value that it is of: 'Average LOC01', 'R12 Average'.
_SUMMARY_OF = re.compile(
    rf"{_LEVEL}(?:{labels_of('summary')})[\s:.\-–]+(?:(?:{labels_of('total_of')})\s+)?(.+?)[\s:.=]*",
    re.IGNORECASE,
)
_OF_SUMMARY = re.compile(
    rf"(.+?)[\s:\-–]+{_LEVEL}(?:{labels_of('summary')})[\s:.=]*", re.IGNORECASE
)
# As spreadsheets name the subtotals that they make: 'R12 Total'.
_OF_TOTAL = re.compile(rf"(.+?)[\s:\-–]+(?:{labels_of('total', 'result')})[\s:.=]*", re.IGNORECASE)
_BALANCE = re.compile(
    rf"#?(?:{labels_of('balance')})(?:\s+[^\W\d_]{{1,3}})?[\s\d:./-]*", re.IGNORECASE
)
_CARRIED = re.compile(rf"^\s*#?(?:{labels_of('balance_carried')})[\s:.]*$", re.IGNORECASE)
_SIGNATURE = re.compile(rf"(?:{labels_of('signatures')})[\s_.:…-]*$", re.IGNORECASE)
_END = re.compile(rf"[*\s-]*(?:{labels_of('end')})[*\s.-]*", re.IGNORECASE)
_FIGURE = re.compile(r"[\d.,+-]*")  # which most cells are, and no label
_LABELS = (_PLAIN_TOTAL, _SUMMARY, _STARS, _RESULT)
_LABELS_OF = (_TOTAL_OF, _OF_TOTAL, _STARRED, _SUMMARY_OF, _OF_SUMMARY)
_SUSPECT = (
    rf"^\s*{_LEVEL}({labels_of('total', 'sum', 'summary', 'result', gap='.?')})(\PL|$)"
    rf"|[\s:\-–]({labels_of('total', 'result', 'summary')})[\s:.=]*$|^\s*\*{{1,4}}(\s|\w|$)"
    rf"|^\s*({labels_of('summary_signs')})[\s:.=]*$"
)
# Found in every text in which the database finds that, and in few others.
_MAY_BE_SUSPECT = re.compile(
    rf"^\s*(?:{_LEVEL}(?:{labels_of('total', 'sum', 'summary', 'result', gap='.?')})|\*"
    rf"|{labels_of('summary_signs')})"
    rf"|[\s:\-–](?:{labels_of('total', 'result', 'summary')})[\s:.=]*$",
    re.IGNORECASE | re.DOTALL,
)
_TOTAL_PARTS = ", ".join(
    map(sql_literal, (*words_of("files", "total_whole"), *words_of("files", "total_part")))
)


def set_apart(
    raw: RawTable,
    header: Sequence[str],
    *,
    totals: TotalsChoice | None = None,
    titles: Sequence[str] = (),
    lines: Sequence[Sequence[str]] = (),
    has_group_column: bool = True,
) -> tuple[tuple[SetApart, ...], list[Finding]]:
    """Create the view `body` of the rows that are data, with their `place`; return the others, and
    what could be taken otherwise. `totals` is what the person chose for rows that may be totals;
    `titles` are the texts above the header, and `lines` its rows, if there are several. Titles over
    groups of rows become a last column, unless it is not wanted.
    """
    found: dict[int, tuple[ApartKind, str]] = {}
    first = select(raw, "true", limit=EDGE_ROWS)
    last = first
    if raw.rows > EDGE_ROWS:
        last = select(raw, f"rowid >= {raw.rows - EDGE_ROWS}")
    groups, label, told_of_form = _set_apart_by_form(
        raw, found, first, last, header=header, lines=lines, titles=titles
    )
    # Sums that stand above their rows, where the first row may be one.
    over, above = None, list[Finding]()
    if totals != "kept" and _may_begin_with_sum(first, found):
        from qhub_desktop.data.ingest.totals import levels_in_groups, totals_above

        if groups:
            over = levels_in_groups(raw, found.keys(), [each.place for each in groups])
        else:
            over = totals_above(raw, found.keys())
        above = [_sums_above(over, _cells_of(raw, over.rows))] if over else []
    labels = {0: label} | {each.place: each.cells[each.filled[-1]] for each in groups}
    if over is not None:
        labels = labels if groups else dict(over.labels)
        for suspect in over.rows:
            found[suspect.place] = ("group" if suspect.place in labels else "total", suspect.text)
    # Totals below their rows: proven by their sum, or doubted and asked about.
    ending = _may_end_with_sum(raw, first, found)
    proven, doubted = ([], []) if totals == "kept" else _totals(raw, header, found, ending=ending)
    if totals != "kept":
        doubted.append((_under_summaries(raw, groups, found), findings.TOTALS_KEPT))
    asked = [each for rows, _tell in doubted for each in rows] if totals == "apart" else []
    _add(found, "total", [*proven, *asked])
    edges = [] if totals == "kept" else edge_rows(raw, found, first, last)
    for edge in edges:
        # What is not proven at the top is told by the word among the values of its column.
        if edge.are_proven or (totals == "apart" and not edge.are_at_top):
            _add(found, "total", [each for each in edge.rows if has_numbers(each)])
            _add(found, "note", [each for each in edge.rows if not has_numbers(each)])
    doubted = [([each for each in rows if each.place not in found], t) for rows, t in doubted]
    told = {each.place for rows, _tell in doubted for each in rows}
    unlike = [row for edge in edges if not edge.are_at_top for row in edge.rows]
    unlike = [row for row in unlike if row.place not in {*found, *told} and has_numbers(row)]
    doubted.append((unlike, findings.EDGE_ROWS_KEPT))
    taxes = tax_rows(raw, found) if totals != "kept" else []
    _add(found, "total", taxes)
    _add(found, "note", _notes(raw, found, first, last))
    if (groups or (over and over.labels)) and has_group_column:
        from qhub_desktop.data.ingest.totals import add_group_column

        add_group_column(raw, labels, found.keys())
    _make_body(raw, found)
    said = _shorter_at_end(raw, found, first, last)
    said += told_of_form + (above if totals is None else [])
    if totals is None and taxes:
        said.append(findings.TAXES_SET_APART.finding(len(taxes), _cells_of(raw, taxes)))
    if totals is None:
        said += [tell.finding(len(rows), _cells_of(raw, rows)) for rows, tell in doubted if rows]
    if totals is None and len(proven) > max(1, MOST_APART * (raw.rows - len(found) + len(proven))):
        said.append(findings.TOTALS_SET_APART.finding(len(proven), _cells_of(raw, proven)))
    return tuple(_grouped(found, raw.first_row)), said


def _set_apart_by_form(
    raw: RawTable,
    found: dict[int, tuple[ApartKind, str]],
    first: Sequence[Row],
    last: Sequence[Row],
    *,
    header: Sequence[str],
    lines: Sequence[Sequence[str]],
    titles: Sequence[str],
) -> tuple[list[Row], str, list[Finding]]:
    """Set apart what a row's form alone tells: blanks, repeated headers, comments, notes.

    Returns the titles over groups of rows, the label of the first group, and what is doubtful.
    """
    for place in _blank(raw):
        found[place] = ("blank", "")
    for names in (header, *lines):
        _add(found, "repeated_header", _repeated_headers(raw, names))
    _add(found, "note", [*comments(raw, found, titles, first), *separators(raw, found, first)])
    groups, label = group_titles(raw, found, titles, first, pages=PAGE)
    _add(found, "group", groups)
    _add(found, "note", titles_of_pages(raw, found, titles, first))
    other = [] if groups else _other_titles(raw, found, titles)
    limits, kept = limit_rows(raw, found, header, first, last)
    _add(found, "note", limits)
    opening = first[0] if first and first[0].place not in found else None
    if opening and len(opening.filled) < typical_cells(first, found) and _has_balance(opening):
        _add(found, "note", [opening])
    _add(found, "note", other_records(raw, found, first, last))
    _add(found, "note", _balances(raw, found, typical_cells(first, found)))
    # Who signed for a total stands below it; what is a note only below a total is told after it.
    _add(found, "note", _notes(raw, found, first, last))
    return groups, label, other + kept


def _add(found: dict[int, tuple[ApartKind, str]], kind: ApartKind, suspects: Iterable[Row]) -> None:
    """Set these rows apart as of one kind."""
    for each in suspects:
        found[each.place] = (kind, each.text)


def _under_summaries(
    raw: RawTable, groups: Sequence[Row], found: Mapping[int, tuple[ApartKind, str]]
) -> list[Row]:
    """Return the rows of groups whose title is that of a summary, as 'Average' after three runs."""
    if not groups:
        return []
    ends = [*(each.place for each in groups[1:]), raw.rows]
    spans = [
        range(each.place, end)
        for each, end in zip(groups, ends, strict=True)
        if any(p.fullmatch(each.cells[each.filled[-1]]) for p in (_SUMMARY, _PLAIN_TOTAL))
    ]
    if not spans or len(spans) * 2 >= len(groups) or sum(map(len, spans)) > SUSPECTS_LIMIT:
        return []
    return select_places(raw, [at for span in spans for at in span if at not in found])


def _sums_above(found: "GroupTotals", cells: tuple[str, ...]) -> Finding:
    names = listed(found.names[:LISTED], of=len(found.names))
    sentence = findings.LEVELS_ABOVE if found.names else findings.TOTALS_ABOVE
    return sentence.finding(len(found.rows), cells, names=names)


def _may_begin_with_sum(first: Sequence[Row], found: Mapping[int, object]) -> bool:
    """Return whether a number of the first two rows sums up some of those below it."""
    for column in zip(*(each.cells for each in first if each.place not in found), strict=True):
        digits = [_NO_DIGIT.sub("", cell) for cell in column if is_numeric(cell) or not cell]
        for marked in (digits, [cell.replace(",", ".") for cell in column]):
            try:
                values = [float(each or 0) for each in marked]
            except ValueError:
                continue
            if any(_sums_up_some(values, top) for top in (0, 1)):
                return True
    return False


def _sums_up_some(values: Sequence[float], top: int) -> bool:
    """Return whether a number is the sum of some right below it, in six decimals."""
    number = round(values[top], 6) if top < len(values) else 0
    if not number:
        return False
    is_rising = min(values) >= 0
    total = 0.0
    for value in values[top + 1 :]:
        total += round(value, 6)
        # To round takes longer than all else, and hardly any sum is near.
        if not abs(total - number) > NEAR and round(total, 6) == number:
            return True
        if is_rising and total > number + NEAR:
            break
    return False


def _may_end_with_sum(raw: RawTable, first: Sequence[Row], found: Mapping[int, object]) -> bool:
    """Return whether each number of the last row of a short table may sum up all above it."""
    rows = [each.cells for each in first if each.place not in found]
    if raw.rows > EDGE_ROWS or len(rows) <= LEAST_SUMMED:
        return False
    is_so = False
    for column in zip(*rows, strict=True):
        if not is_numeric(column[-1]) or not all(is_numeric(cell) or not cell for cell in column):
            continue
        is_so = any(
            abs(sum(values[:-1]) - values[-1]) <= ROUNDED * len(values)
            for values in _readings(column)
        )
        if not is_so:
            break
    return is_so


def _readings(column: Sequence[str]) -> Iterator[list[float]]:
    """Yield the numbers of a column: with its comma for a mark of thousands, and of decimals."""
    for thousands in (",", "."):
        bare = [re.sub(r"[^\d.,-]", "", cell).replace(thousands, "") for cell in column]
        with suppress(ValueError):
            yield [float(cell.replace(",", ".") or 0) for cell in bare]


def _shorter_at_end(
    raw: RawTable,
    found: dict[int, tuple[ApartKind, str]],
    first: Sequence[Row],
    last: Sequence[Row],
) -> list[Finding]:
    """Report the rows above the word for the end that alone have half of the cells of others."""
    typical = typical_cells(first, found)
    kept = {each.place: each for each in (*first, *last) if each.place not in found}
    short = [each for each in kept.values() if len(each.filled) * 2 <= typical]
    end = _last_place(raw, found)
    is_end = all(each.place > end - ENDING_ROWS for each in short)
    has_end = any(_END.fullmatch(text) for _kind, text in found.values())
    is_so = short and is_end and has_end and typical >= MOST_ENDING
    return [findings.ROWS_UNLIKE.finding(len(short), _cells_of(raw, short))] if is_so else []


def _has_balance(each: Row) -> bool:
    return any(map(_BALANCE.fullmatch, each.cells))


def _balances(raw: RawTable, found: Mapping[int, tuple[ApartKind, str]], typical: int) -> list[Row]:
    """Return the rows that carry a balance forward at the start or the end of an account: its words
    and one number beside it, and no more cells.
    """
    texts = [at for at in _text_columns(raw)[:LABELLED_COLUMNS] if at not in raw.typed]
    if not texts or not FEWEST_KEYED < raw.rows <= SEARCHED_ROWS or typical < LEAST_OF_BALANCE:
        return []
    if not raw.may_match(texts, _CARRIED):
        return []
    rows = [
        each
        for each in select(raw, rows_matching(texts, _CARRIED.pattern), limit=BARE_ROWS)
        if each.place not in found
        and len(each.filled) == 2
        and sum(is_amount(each.cells[at]) for at in each.filled) == 1
    ]
    return rows if len(rows) * 4 <= raw.rows else []


def _cells_of(raw: RawTable, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the addresses of the first cells of rows."""
    return tuple(
        address(raw.first_row + each.place, raw.first_column + each.filled[0])
        for each in rows[:LISTED]
    )


def _make_body(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> None:
    raw.db.execute("CREATE TABLE apart (place BIGINT)")
    if not found:
        raw.db.execute("CREATE VIEW body AS SELECT rowid AS place, * FROM raw")
        return
    with raw.db.appender("apart") as appender:
        appender.append_rows([(place,) for place in found])
    raw.set_apart(frozenset(found))
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
    if not all(map(raw.may_lack, range(raw.width))):
        return []
    # Of a few columns hardly any row is blank, and every condition takes time to plan.
    is_short = raw.rows <= SEARCHED_ROWS
    starts = [0, *range(FIRST_BLANK, raw.width, BLANK_AT_ONCE)] if is_short else [0]
    found: set[int] | None = None
    for start, end in pairwise([*starts, raw.width]):
        some = range(start, min(raw.width, end))
        # By the first conditions the database skips nearly all rows.
        conditions = [
            f"(c{position} IS NULL OR {begins_blank(f'c{position}')})"
            for position in some
            if raw.may_have_blanks(position)
        ]
        conditions += [raw.is_blank(position) for position in some]
        rows = raw.db.execute(f"SELECT rowid FROM raw WHERE {' AND '.join(conditions)}").fetchall()
        blank = {place for (place,) in rows}
        found = blank if found is None else found & blank
        if not found:
            break
    return sorted(found or ())


def _repeated_headers(raw: RawTable, header: Sequence[str]) -> list[Row]:
    named = [
        position
        for position, name in enumerate(header)
        if name and position < raw.width and raw.has_any_text(position)
    ]
    needed = [position for position, name in enumerate(header) if name]
    if not named or len(named) < len(needed):
        return []
    if any(not raw.may_be(header[position], position) for position in named):
        return []
    held = raw.held
    if held is not None and header[named[0]] not in held.columns[named[0]]:
        return []
    condition = " AND ".join(
        f"c{position} = {sql_literal(header[position])}" for position in named[:HEADER_COLUMNS]
    )
    return [
        each
        for each in select(raw, condition)
        if all(each.cells[position] == header[position] for position in named)
    ]


def _other_titles(
    raw: RawTable, found: Mapping[int, tuple[ApartKind, str]], titles: Sequence[str]
) -> list[Finding]:
    """Report lines right above repeated names that say something else than those above the first:
    the rows under them are of other tables, and no column tells which.
    """
    lines = {
        place: text
        for place, (kind, text) in found.items()
        if kind == "note" and found.get(place + 1, ("",))[0] == "repeated_header"
    }
    texts = {_letters(text): text for text in [*titles[-1:], *lines.values()]}
    if len(texts) < 2:
        return []
    cells = tuple(address(raw.first_row + place, raw.first_column) for place in sorted(lines))
    told = quoted([*texts.values()], most=LISTED)
    return [findings.TITLES_DIFFER.finding(len(cells), cells[:LISTED], titles=told)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text)).casefold()


def _totals(
    raw: RawTable,
    header: Sequence[str],
    found: dict[int, tuple[ApartKind, str]],
    *,
    ending: bool,
) -> tuple[list[Row], list[tuple[list[Row], Sentence]]]:
    """Return the rows that are totals, and those that may be, with what tells them: rows that are
    called so and can't be told from data; those at the end that have numbers and nothing of what
    names the other rows; and the last one, if it lacks nothing and may sum up all (`ending`).

    A total sums up the rows above it, of the table or of its group, and lacks a cell that those
    have. Its label alone says nothing: 'Total' and 'Mean' are values like others in many a column.
    """
    texts = _text_columns(raw)[:LABELLED_COLUMNS]
    begun = _begun(raw, found, texts) if raw.width > 1 else []

    @cache
    def is_label(text: str, place: int) -> bool:
        return _is_label(text, place, raw)

    labelled = [each for each in begun if any(is_label(each.cells[at], at) for at in each.filled)]
    labelled += _named_otherwise(raw, header, found, begun, labelled, texts)
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
        if each.lacks(usually_filled) or (each.place in known and _is_only_label(each, raw))
    }
    if not labelled and not lacking and not ending:
        return [], []
    # It takes 90 ms to load, for the few sheets that come here.
    from qhub_desktop.data.ingest.totals import Sums

    results = {each.place for each in labelled if any(map(_RESULT.fullmatch, each.cells))}
    summaries = {each.place for each in labelled if any(map(_is_summary, each.cells))}
    sums = Sums(raw, _without_keys(raw, suspects, known), known, results, summaries & lacking)
    ends = _ends(suspects, last, found)
    proven = _proven(sums, labelled, others, lacking, ends, summaries & lacking)
    doubted = lacking | sums.doubted
    # Of several that lack nothing, most have to sum up what is above: one may do so by chance.
    summed = sums.prove(known, set(), single=False)
    if len(summed) > max(1, len(known) / 2):
        doubted |= summed
    proven = proven - _values(labelled, lacking | sums.doubted | summed, is_label)
    unproven = [
        each
        for each in labelled
        if each.place not in proven
        and any(is_amount(cell) or is_length_of_time(cell) for cell in each.cells)
        and each.place in (doubted - lacking if each.place in results else doubted)
    ]
    summing = [each for each in others if ending and each.place in sums.doubted - lacking]
    unkeyed = [
        each
        for each in others
        if each.place in ends & lacking
        and each.place not in proven
        and _lacks_every_key(each, raw, found, suspects)
    ]
    # Where most of the labels stand in rows that lack nothing, the column holds such words.
    are_told = len(proven & known) + len(unproven) > len(labelled) / 2
    return [each for each in suspects if each.place in proven], [
        (unproven if are_told else [], findings.TOTALS_KEPT),
        (sorted(unkeyed, key=lambda each: each.place), findings.UNNAMED_ROWS_KEPT),
        (summing, findings.LAST_ROW_SUMS),
    ]


def _proven(
    sums: "Sums",
    labelled: Sequence[Row],
    others: Sequence[Row],
    lacking: AbstractSet[int],
    ends: AbstractSet[int],
    summaries: AbstractSet[int],
) -> set[int]:
    """Return the places of the rows that their numbers, or those beside them, show to be totals or
    other summaries; `summaries` are called so and lack what others have.
    """
    proven = sums.prove(lacking, ends, single=False)
    if proven:
        # Where there are totals, a group of one row has one too.
        proven = sums.prove(lacking, ends, single=True)
    for place in sorted(summaries - proven):
        if place - 1 in proven & summaries:
            proven.add(place)  # a deviation under a mean, of numbers with more digits
    known = {each.place for each in labelled}
    proven |= sums.prove_repeated(lacking - known - proven)
    proven |= sums.prove_block([each for each in others if each.place in ends & lacking])
    block = [each.place for each in labelled if each.place in ends & lacking]
    if len(block) > STATISTICS and sum(place in proven for place in block) * 2 > len(block):
        proven |= {*block}  # statistics under a table, one of them rounded otherwise
    return proven


def _lacks_every_key(
    each: Row, raw: RawTable, found: dict[int, tuple[ApartKind, str]], suspects: Sequence[Row]
) -> bool:
    """Return whether a row has numbers and none of the words that all others have in two columns,
    or in one and something else that all others have.
    """
    places = {*found, *(suspect.place for suspect in suspects)}
    first = [row for row in select(raw, "true", limit=EDGE_ROWS) if row.place not in places]
    if len(first) < FEWEST_KEYED or not each.is_bare:
        return False
    always = [at for at in range(raw.width) if all(row.cells[at] for row in first)]
    keys = [at for at in always if not any(is_numeric(row.cells[at]) for row in first)]
    lacked = [at for at in always if not each.cells[at]]
    return len(lacked) > 1 and bool(keys) and all(at in lacked for at in keys)


def _values(
    labelled: Sequence[Row], unlike: AbstractSet[int], is_label: Callable[[str, int], bool]
) -> set[int]:
    """Return the places of rows whose label is a value like others: 'Média' among priorities.

    So it is where most rows with the word in that column are like others: none of `unlike`.
    """
    rows: dict[tuple[int, str], list[int]] = {}
    for each in labelled:
        for at in each.filled:
            if is_label(each.cells[at], at):
                rows.setdefault((at, each.cells[at].lower()), []).append(each.place)
    return {
        place
        for places in rows.values()
        if len(places) > 2 * sum(place in unlike for place in places)
        for place in places
    }


def _text_columns(raw: RawTable) -> list[int]:
    return [position for position in range(raw.width) if raw.has_any_text(position)]


def _without_label(raw: RawTable, last: int) -> list[Row]:
    """Return the last row, and those that have nothing in the first column, and lack others of the
    columns that most rows fill, or that hold numbers alone.
    """
    found = {each.place: each for each in select_places(raw, [last])}
    if 1 < raw.rows <= SEARCHED_ROWS and raw.may_lack(0):
        blank = raw.is_blank(0)
        some = select(raw, blank, limit=BARE_ROWS + 1)
        bare = [each for each in some if each.is_bare]
        if some and len(bare) < len(some):
            usual = _usual_columns(raw)
            bare = [
                each
                for each in some
                if each.is_bare
                or (
                    sum(not each.cells[at] for at in usual) >= LACKED * len(usual)
                    and any(map(is_numeric, each.cells))
                )
            ]
        # Where many rows have no key, they are rows like others.
        if len(some) <= BARE_ROWS and len(bare) * 3 <= raw.rows:
            found |= {each.place: each for each in bare}
    return list(found.values())


def _without_keys(raw: RawTable, suspects: Sequence[Row], labelled: AbstractSet[int]) -> list[Row]:
    """Return the suspects, those without a label but for numbers that the row above has too: such a
    number is the key of their group, as of an account.
    """
    places = [each.place - 1 for each in suspects if each.place not in labelled and each.place]
    if not places:
        return [*suspects]
    above = {each.place: each.cells for each in select_places(raw, places)}
    return [
        replace(
            each,
            cells=tuple(
                "" if cell == upper and is_numeric(cell) else cell
                for cell, upper in zip(each.cells, above[each.place - 1], strict=True)
            ),
        )
        if each.place not in labelled and each.place - 1 in above
        else each
        for each in suspects
    ]


def _usual_columns(raw: RawTable) -> list[int]:
    """Return the columns that most of the first rows fill."""
    first = select(raw, "true", limit=EDGE_ROWS)
    return [
        at
        for at in range(raw.width)
        if sum(bool(each.cells[at]) for each in first) > USUAL * len(first)
    ]


def _begun(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]], texts: Sequence[int]
) -> list[Row]:
    """Return the rows with the word of a total or of another summary; none if they are too many."""
    words = [position for position in texts if position not in raw.typed]
    if not words or not raw.may_match(words, _MAY_BE_SUSPECT):
        return []
    if raw.rows <= SEARCHED_ROWS:
        condition = rows_matching(words, _SUSPECT)
    else:
        # Searching every cell of a million rows for the words takes seconds. Above the end of the
        # table a total lacks cells that other rows have, and the database finds NULLs without
        # reading the cells, if the query is for them alone.
        lacking = " OR ".join(map(raw.is_null, range(raw.width)))
        few = f"SELECT rowid FROM raw WHERE rowid >= {raw.rows - EDGE_ROWS} OR {lacking}"
        condition = " OR ".join(
            f"regexp_matches(c{position}, {sql_literal(_SUSPECT)}, 'i')" for position in words
        )
        condition = f"rowid IN ({few}) AND ({condition})"
    begun = [
        each
        for each in select(raw, condition, limit=SUSPECTS_LIMIT + 1)
        # What only begins with such a word is like others, and hides no total.
        if each.place not in found and any(map(_may_be_label, each.cells))
    ]
    if len(begun) * 3 > raw.rows - len(found):
        # Names of so many rows, as 'CV-12', are values and hide no total.
        begun = [each for each in begun if any(map(_may_be_plain, each.cells))]
    # A block of statistics under the table may be longer than what it sums up.
    in_block = len(_ends(begun, _last_place(raw, found), found))
    if len(begun) == raw.rows - len(found):
        return []
    return begun if len(begun) - in_block <= min(SUSPECTS_LIMIT, raw.rows / 2) else []


def _may_be_plain(text: str) -> bool:
    return _may_be_label(text) and not (
        any(pattern.fullmatch(text) for pattern in (_SUMMARY_OF, _OF_SUMMARY))
        and not any(pattern.fullmatch(text) for pattern in (*_LABELS, *_LABELS_OF[:3]))
    )


def _may_be_label(text: str) -> bool:
    if _FIGURE.fullmatch(text):
        return False
    return any(pattern.fullmatch(text) for pattern in (*_LABELS, *_LABELS_OF))


def _is_summary(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in (_SUMMARY, _SUMMARY_OF, _OF_SUMMARY))


def _named_otherwise(
    raw: RawTable,
    header: Sequence[str],
    found: dict[int, tuple[ApartKind, str]],
    begun: Sequence[Row],
    labelled: Sequence[Row],
    texts: Sequence[int],
) -> list[Row]:
    """Return the rows with a total of something that their column doesn't know, and without a key.

    It is of a value of another column, or of a column, as in 'Subtotal morning' among reasons; of
    any words, as in 'Total operator', where all keys are missing.
    """
    known = {each.place for each in labelled}
    others = [
        each
        for each in begun
        if each.place not in known and any(_TOTAL_OF.fullmatch(cell) for cell in each.cells)
    ]
    if not others:
        return []
    usually_filled = _usually_filled(raw, found, [*labelled, *others])
    keys = {at for at in _columns_of_words(raw, found, begun) if usually_filled[at]}
    names = {name.strip().lower() for name in header if name}
    columns = [untagged(at, raw.column_kinds[at]) for at in texts]
    seen: dict[str, bool] = {}

    def is_known(name: str) -> bool:
        if name not in seen:
            among = " OR ".join(f"lower(trim({column})) = lower($1)" for column in columns)
            one = raw.db.execute(f"SELECT 1 FROM raw WHERE {among} LIMIT 1", [name]).fetchone()
            seen[name] = one is not None
        return seen[name]

    def is_one(each: Row, place: int) -> bool:
        named = _TOTAL_OF.fullmatch(each.cells[place])
        missing = {at for at in keys if not each.cells[at]}
        if named is None or not missing or not re.search(r"[^\W\d_]", named[1]):
            return False
        if missing >= keys - {place}:
            return len(named[1].split()) <= TOTAL_WORDS
        of_column, _blank, name = named[1].partition(" ")
        return (
            named[1].lower() in names
            or is_known(named[1])
            or (of_column.lower() in names and is_known(name.strip()))
        )

    return [each for each in others if any(is_one(each, place) for place in each.filled)]


def _columns_of_words(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]], but: Sequence[Row]
) -> set[int]:
    """Return the columns whose cells in the first rows are mostly no numbers."""
    left_out = {*found, *(each.place for each in but)}
    first = select(raw, "true", limit=EDGE_ROWS)
    rows = [each.cells for each in first if each.place not in left_out]
    columns = [[cell for cell in column if cell] for column in zip(*rows, strict=True)]
    return {at for at, cells in enumerate(columns) if sum(map(is_numeric, cells)) * 2 < len(cells)}


def _is_only_label(each: Row, raw: RawTable) -> bool:
    """Return whether a row's label stands in the only column that can name rows."""
    texts = [place for place in each.filled if not is_amount(each.cells[place])]
    return len(texts) == 1 and all(
        place == texts[0] or form not in ("text", "mixed", "date", "datetime")
        for place, form in enumerate(raw.column_kinds)
        if place not in each.filled or not is_numeric(each.cells[place])
    )


def _ends(suspects: Sequence[Row], last: int, found: dict[int, tuple[ApartKind, str]]) -> set[int]:
    """Return the places of the suspects below which nothing else stands."""
    known = {each.place for each in suspects}
    ends: set[int] = set()
    place = last
    while place in known or place in found:
        ends.add(place)
        place -= 1
    return ends


def _usually_filled(
    raw: RawTable, found: dict[int, tuple[ApartKind, str]], suspects: Sequence[Row]
) -> list[bool]:
    """Return for each column that a suspect lacks whether most other rows have something there."""
    lacked = [
        position
        for position in range(raw.width)
        if any(not each.cells[position] for each in suspects)
    ]
    counted = aggregates(
        raw.db,
        [f"count(*) FILTER (NOT ({raw.is_blank(position)}))" for position in lacked],
        "raw",
    )
    rows = max(1, raw.rows - len(found) - len(suspects))
    usually = {
        position: count - sum(bool(each.cells[position]) for each in suspects) > 0.7 * rows
        for position, count in zip(lacked, counted, strict=True)
    }
    return [usually.get(position, False) for position in range(raw.width)]


def _is_label(text: str, place: int, raw: RawTable) -> bool:
    """Return whether a text labels a summary, of everything or of a value of its column."""
    if _FIGURE.fullmatch(text):
        return False
    if any(pattern.fullmatch(text) for pattern in _LABELS):
        return True
    matches = (pattern.fullmatch(text) for pattern in _LABELS_OF)
    names = [match[1].strip() for match in matches if match]
    # Of some blanks the database does not take away, a name may consist.
    return any(_is_known(name, place, raw) for name in names if name)


def _is_known(name: str, place: int, raw: RawTable) -> bool:
    """Return whether a name is a value of a column, or a part that totals are of."""
    column = untagged(place, raw.column_kinds[place])
    known = raw.db.execute(
        f"SELECT 1 FROM raw WHERE lower(trim({column})) = lower(?)"
        f" OR lower(?) IN ({_TOTAL_PARTS}) LIMIT 1",
        [name, name.split(maxsplit=1)[0]],
    ).fetchone()
    return known is not None


def _notes(
    raw: RawTable,
    found: dict[int, tuple[ApartKind, str]],
    first: Sequence[Row],
    last: Sequence[Row],
) -> list[Row]:
    """Find rows of words under the table, among its last rows from the end upwards."""
    if raw.width < 2:
        return []
    typical = typical_cells(first, found)
    rows = [each for each in first if each.place not in found]
    whole = [*takewhile(lambda each: len(each.filled) > 1, rows)]
    if typical < 2 and len(whole) >= LEAST_ABOVE_NOTES:
        typical = typical_cells(whole, found)  # there are more notes than rows
    numeric = numeric_columns(last)
    lone = {each.place for each in last if len(each.filled) == 1}
    notes: list[Row] = []
    for each in reversed(last):
        if each.place in found:
            continue
        is_after_gap = found.get(each.place - 1, ("", ""))[0] in ("blank", "total")
        is_note = _is_note(
            each,
            numeric,
            typical,
            is_after_gap=is_after_gap,
            is_after_lone=each.place - 1 in lone,
            is_last=not notes,
        )
        if not is_note:
            break
        notes.append(each)
    if len(notes) + sum(each.place in found for each in last) >= raw.rows:
        return []  # there is nothing else, so these rows are the data
    return notes if typical >= 2 else []


def _is_note(
    each: Row,
    numeric: set[int],
    typical: int,
    *,
    is_after_gap: bool,
    is_after_lone: bool,
    is_last: bool,
) -> bool:
    """Return whether a row at the end is a note: few cells, words where values stand."""
    texts = [each.cells[place] for place in each.filled]
    if len(texts) < typical and _has_balance(each):
        return True
    has_word = any(not any(map(str.isdigit, each.cells[at])) for at in numeric & {*each.filled})
    if has_word and _SIGNATURE.match(texts[0]) and not any(map(is_numeric, texts)):
        return True
    if len(texts) == 1 and is_last and _END.fullmatch(texts[0]):
        return True
    if len(texts) < typical and all(re.search(r":(\s|$)", text) for text in texts):
        return True  # as in 'Signed: …', 'Date: …'
    longest = max((len(each.cells[at]) for at in numeric.intersection(each.filled)), default=0)
    if len(texts) == 2 < typical and longest > (LONGEST_WORD if is_after_lone else LONGEST_VALUE):
        return True  # the meaning of a sign, where values stand, or the names over such rows
    if len(texts) * 2 > max(2, typical) or any(map(is_numeric, texts)):
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


def _last_place(raw: RawTable, found: dict[int, tuple[ApartKind, str]]) -> int:
    place = raw.rows - 1
    while place in found:
        place -= 1
    return place
