"""Header detection: titles above a table, the rows of its header, its columns' names."""

# Why it is so: decisions/importing-files.md

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import combinations, pairwise

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.column_sample import like_values
from qhub_desktop.data.ingest.findings import LISTED, quoted
from qhub_desktop.data.ingest.layout_recognition import (
    are_answers,
    are_facts,
    are_import_ids,
    are_levels,
    are_numbers_of_columns,
    are_periods,
    completes,
    equal_blocks,
    facts_above,
    is_answer,
    is_caption,
    is_key,
    is_of_pivot,
    joined,
    labelled,
    said_of_each,
)
from qhub_desktop.data.ingest.limits_above import limits_above
from qhub_desktop.data.ingest.raw_table import (
    as_text,
    counting_numbers,
    form_of,
    is_blank,
    is_missing_word,
    is_name,
    is_name_of_codes,
    is_unit,
    steps_of,
)
from qhub_desktop.data.ingest.readers.sheet import CellError, Merge, Value, address
from qhub_desktop.data.ingest.rows_between import is_unit_label, without_comments

HEAD_ROWS = 60  # looked at to find the header
BODY_ROWS = 25  # below a row, to judge whether it is their header
WIDE = 0.6  # of the columns must have a name, in a table of texts
HALF = 0.5  # of them must, where values tell the header from what is below it
NAME_LIKE = 0.8
LEAST_BODY_ROWS = 3  # to compare numbers of columns with
SPARSE_ROWS = 8  # of few cells, may stand between a header and the first row of values
LONGEST_LABEL = 48  # of a row under the names; above them, titles of groups may be longer
MOST_HEADER_ROWS = 4  # under the names
ROWS_OVER_IDS = 2  # of a survey tool: its names of questions, and their words
LONGEST_SHORT = 2  # letters of a unit that may be written as a name
MOST_CENTRED = 4  # labels whose groups are looked for
MONTH_DAYS = (28, 29, 30, 31)
FEW_STEPS, MANY_STEPS = 4, 8  # numbers as names: beside a name, and alone or in unequal steps

Row = Sequence[Value]


@dataclass(frozen=True, slots=True)
class Heading:
    """Layout of a sheet's first rows: titles, header and where the body begins.

    Rows count from 0, from the sheet's corner.
    """

    names: tuple[str, ...]  # as in the file, "" where there is none; may be fewer than columns
    titles: tuple[int, ...]  # rows above the header that hold something
    blanks: tuple[int, ...]  # rows above the body that hold nothing
    header: int | None  # the first row of the header
    header_rows: int
    body: int  # where the rows begin
    findings: tuple[Finding, ...] = ()
    numbering: tuple[int, ...] = ()  # rows under the header that number the columns

    def under(self, preamble: Sequence[Row]) -> "Heading":
        """Return the heading of the same rows under those of a preamble."""
        above = len(preamble)
        used = {place for place, row in enumerate(preamble) if not all(map(is_blank, row))}
        if not above:
            return self
        return replace(
            self,
            titles=(*sorted(used), *(each + above for each in self.titles)),
            blanks=(*sorted({*range(above)} - used), *(each + above for each in self.blanks)),
            header=None if self.header is None else self.header + above,
            body=self.body + above,
            numbering=tuple(each + above for each in self.numbering),
        )


def detect_header(
    rows: Sequence[Row],
    *,
    merges: Sequence[Merge] = (),
    chosen: int | None = None,
    has_names: bool = False,
    corner: tuple[int, int] = (0, 0),
) -> Heading:
    """Return the heading of a sheet that begins with these rows.

    `chosen` is the last row of the header as the person chose it, from 0; -1 for no header. With
    `has_names` the format itself says that the first row holds the names. `corner` is where in the
    file the rows begin, for the addresses in findings.
    """
    head = _Head(without_comments(rows), merges, corner)
    filled = head.filled
    if not any(filled):
        return Heading((), (), tuple(range(len(rows))), None, 0, len(rows))
    if has_names:
        return head.heading(first=0, last=0)
    if chosen is not None:
        if chosen < 0:
            return head.heading_without_header(next(n for n, row in enumerate(filled) if row))
        last = min(chosen, len(rows) - 1)
        return head.heading(first=head.top_of(last), last=last)
    if (ids := head.import_ids()) is not None:
        top = max(ids - ROWS_OVER_IDS, head.first_used)
        return replace(
            head.heading(first=top, last=ids), findings=(head.header_rows_finding(top, ids),)
        )
    header = head.find_header_row()
    if header is None:
        first = next(n for n, row in enumerate(filled) if len(row) * 2 > head.width_below(n))
        return head.heading_without_header(first)
    last, numbering, said = head.rows_under(header)
    top = head.top_of(header)
    return replace(
        head.heading(first=top, last=last, numbering=numbering),
        findings=(
            *head.groups_left_out(top, last),
            *head.numbers_as_names(header, last),
            *said,
            *head.values_as_names(last),
        ),
    )


class _Head:
    """The first rows of a sheet, which its header is looked for in."""

    def __init__(
        self, rows: Sequence[Row], merges: Sequence[Merge], corner: tuple[int, int]
    ) -> None:
        self.rows = rows
        self.merges = merges
        self.filled = [
            [place for place, cell in enumerate(row) if not is_blank(cell)] for row in rows
        ]
        self._corner = corner
        self._facts = limits_above(rows, self.filled) or facts_above(rows, self.filled)
        self._typed = self._columns_of_values()

    @property
    def first_used(self) -> int:
        """The first row that holds something."""
        return next(number for number, places in enumerate(self.filled) if places)

    def import_ids(self) -> int | None:
        """Return the row of a survey tool's own ids, the last of its names, if there is one."""
        near = range(self.first_used, min(self.first_used + ROWS_OVER_IDS + 2, len(self.rows)))
        return next((number for number in near if are_import_ids(self.rows[number])), None)

    def find_header_row(self) -> int | None:
        """Return the likeliest header row, a row of names above the first row of values, if any."""
        used = [number for number, places in enumerate(self.filled) if places]
        if max(map(len, self.filled)) == 1:
            return used[0] if self._stands_out(used[0]) else None
        first = self._first_row_of_values(after=self._facts - 1)
        if first is None:
            return self._first_wide_row(used)
        header = self._header_above(used, first)
        while header is None:
            # A few cells may be facts above the table, as in 'Week | 7'.
            if len(self.filled[first]) >= HALF * self.width_below(first):
                return None
            first = self._first_row_of_values(after=first)
            if first is None:
                return None
            header = self._header_above(used, first)
        # A first row of data may hold a word where the others have a number: the names are as many.
        while (
            header > self._facts
            and not self._are_keys(header)
            and len(self.filled[header - 1]) >= len(self.filled[header])
            and self._is_header(header - 1)
        ):
            header -= 1
        return header

    def _header_above(self, used: Sequence[int], first: int) -> int | None:
        """Return the row of names nearest above a row; rows of few cells may stand between them."""
        above = [number for number in used if self._facts <= number < first][-SPARSE_ROWS - 1 :]
        return next((number for number in reversed(above) if self._is_header(number)), None)

    def _columns_of_values(self) -> set[int]:
        """Return the columns in which most rows have values; none in a table of texts only."""
        rows = range(self._facts, len(self.rows))
        used = [number for number in rows if len(self.filled[number]) > 1]
        # A table under this one may have fewer columns: its rows tell nothing of these.
        usual = sorted(len(self.filled[number]) for number in used)[len(used) // 2 :]
        used = [number for number in used if len(self.filled[number]) >= HALF * usual[0]]
        lower = used[len(used) // 2 :] if len(used) > 3 else used[-1:]
        counted = Counter(
            place
            for number in lower
            for place in self.filled[number]
            if not is_name(self.rows[number][place])
        )
        return {place for place, count in counted.items() if count * 2 > len(lower)}

    def _first_row_of_values(self, *, after: int = -1) -> int | None:
        """Return the first row with values where most rows have them."""
        for number, places in enumerate(self.filled):
            if number <= after or len(places) < 2:
                continue
            there = [self.rows[number][place] for place in places if place in self._typed]
            # A formula that has failed may stand in a header too; alone it stands for a value.
            # A dash may stand among units.
            sound = [
                cell
                for cell in there
                if not isinstance(cell, CellError) and not is_missing_word(cell)
            ]
            values = sum(not is_name(cell) for cell in sound)
            is_of_values = values * 2 >= len(sound) and (values > 0 or (not sound and bool(there)))
            forms = (
                self._are_periods,
                self._are_steps,
                self._is_numbering,
                self._is_of_levels,
                self._is_of_channels,
            )
            if is_of_values and not any(are_names(number) for are_names in forms):
                return number
        return None

    def _first_wide_row(self, used: Sequence[int]) -> int | None:
        """Return the first row as wide as those below it, if it can be a header."""
        for number in filter(self._facts.__le__, used):
            if len(self.filled[number]) >= max(2, WIDE * self.width_below(number)):
                are_days = any(map(self._are_steps, (number, number + 1)))
                is_other = are_days or not self._is_like_below(number)
                return number if is_other and self._is_header(number) else None
        return None

    def _is_header(self, number: int) -> bool:
        """Return whether a row is wide enough for a header, and consists of names."""
        cells = [
            cell
            for cell in self.rows[number]
            if not is_blank(cell) and not isinstance(cell, CellError)
        ]
        if len(cells) < max(2, HALF * self.width_below(number)):
            return False
        named = sum(map(is_name, cells)) / len(cells)
        if named >= NAME_LIKE or self._are_periods(number) or self._are_levels(number - 1, number):
            return True
        if self._is_of_channels(number):
            return True
        # What counts the columns under their names does so with numbers in equal steps.
        has_names = self._is_numbering(number) and any(map(self._is_header, range(number)))
        return self._are_steps(number) and not has_names

    def width_below(self, number: int) -> int:
        """Return the number of columns that most of the rows under this one use."""
        below = [places for places in self.filled[number + 1 :] if places][:BODY_ROWS]
        wide = [len(places) for places in below if len(places) > 1]
        if not wide:
            return len(self.filled[number])
        return sorted(wide)[len(wide) // 2]

    def _stands_out(self, number: int) -> bool:
        """Return whether the first cell of a single column is its name: unlike all below it."""
        place = self.filled[number][0]
        below = [
            self.rows[each][self.filled[each][0]]
            for each in range(number + 1, len(self.rows))
            if self.filled[each]
        ]
        value = self.rows[number][place]
        return is_name(value) and value not in below

    def _below(self, number: int, place: int) -> list[Value]:
        """Return the cells of a column in the rows under this one."""
        return [
            row[place]
            for row in self.rows[number + 1 : number + 1 + BODY_ROWS]
            if place < len(row) and not is_blank(row[place])
        ]

    def _is_like_below(self, number: int) -> bool:
        """Return whether a row of texts is more of what stands under it: a code of the same form,
        or a word that comes again.
        """
        if any(merge.row == number and merge.last_row > number for merge in self.merges):
            return False  # names over several rows
        header = [self.rows[number][place] for place in self.filled[number]]
        is_alike = False
        for place in self.filled[number]:
            cell = self.rows[number][place]
            below = [
                row[place]
                for row in self.rows[number + 1 :]
                if place < len(row)
                and not is_blank(row[place])
                and [row[each] for each in self.filled[number] if each < len(row)] != header
            ]
            forms = {form_of(each) for each in below}
            if len(below) > 2 and len(forms) == 1 and "9" in next(iter(forms)):
                if form_of(cell) not in forms:
                    return False  # a name above codes
                is_alike = True
            is_alike = is_alike or (is_name(cell) and cell in below)
        return is_alike

    def top_of(self, number: int) -> int:
        """Return the first row of a header: labels of groups stand above its names."""
        first = number
        while first > self._facts and (
            self._is_group_row(first - 1, first) or self._goes_on(first - 1)
        ):
            first -= 1
        return first

    def _goes_on(self, upper: int) -> bool:
        """Return whether a row of names goes on in the next one: a name is merged over both, or the
        first one comes again, as where a program wrote it for each row of a merged cell.
        """
        one, other = self.filled[upper], self.filled[upper + 1]
        if not one or not other:
            return False
        if any(
            merge.row <= upper < merge.last_row and merge.column == merge.last_column == one[0]
            for merge in self.merges
        ):
            return len(one) > 1 and one[0] not in other
        first = self.rows[upper][one[0]]
        return (
            len(one) > 1
            and one[0] == other[0]
            and is_name(first)
            and self.rows[upper + 1][one[0]] == first
            and {*one} <= {*other}
            and [*self.rows[upper]] != [*self.rows[upper + 1]]
            and all(
                is_name(self.rows[upper + 1][place]) or self._are_periods(upper + 1)
                for place in other
            )
        )

    def rows_under(self, header: int) -> tuple[int, tuple[int, ...], tuple[Finding, ...]]:
        """Return the last row of a header, the rows that number its columns, and the findings."""
        last, doubted = header, False
        while last + 1 < len(self.rows) and last - header < MOST_HEADER_ROWS:
            used = range(last + 1, len(self.rows))
            after = next((number for number in used if self.filled[number]), last + 1)
            if self.filled[after] and self._goes_on_below_blank(header, after):
                last, doubted = after, True
                continue
            match self._kind_under(last + 1):
                case "sure":
                    last += 1
                case "likely":
                    last, doubted = last + 1, True
                case _:
                    break
        at = last + 1
        numbering = (at,) if at < len(self.rows) and self._is_numbering(at) else ()
        if not doubted:
            return last, numbering, ()
        return last, numbering, (self.header_rows_finding(header, last),)

    def _kind_under(self, number: int) -> str:
        """Return whether a row under the names is 'sure' to be of the header, 'likely', or not."""
        places = self.filled[number]
        cells = [self.rows[number][place] for place in places]
        if not any(self.filled[number + 1 :]):
            return ""
        if (
            self._goes_on(number - 1)
            or self._are_levels(number - 1, number)
            or completes(self.rows[number], self._across(number - 1))
        ):
            return "sure"
        if are_answers(self.rows, number):
            return "likely"
        unnamed = set(places).difference(self.filled[number - 1])
        if self._are_steps(number) and any(is_name(self.rows[number][place]) for place in unnamed):
            return "likely"  # numbers under the names of weekdays, beside a name of their own
        if self._is_numbering(number):
            return ""
        if not all(is_name(cell) or is_missing_word(cell) for cell in cells):
            return ""
        if self._is_unit_row(number):
            return "sure"
        # As many names as above, over nothing but values: they may be as long as they like.
        is_whole = (
            len(self._typed) > 1
            and {*places} == {*self.filled[number - 1]}
            and all(
                place in self._typed or not any(map(is_name, self._below(number, place)))
                for place in places
            )
        )
        if any(len(as_text(cell)) > LONGEST_LABEL for cell in cells) and not is_whole:
            return ""  # a sentence, or a row of data whose separators were others
        if self._completes_some(number):
            return "likely"
        valued = [place for place in places if place in self._typed and place < len(self.rows[-1])]
        valued = [place for place in valued if is_name(self.rows[number][place])]
        named = [place for place in places if place not in self._typed]
        least = 1 if self._are_keys(number - 1) else 2
        if len(valued) < least or any(self._is_of_column(number, place) for place in named):
            return ""
        if not named or self._is_group_row(number - 1, number):
            # Two whole rows of names may be names, and texts in the first row of data.
            is_twice = set(places) <= {*self.filled[number - 1]} and not self._across(number - 1)
            return "likely" if is_twice and len(places) == len(self.filled[number - 1]) else "sure"
        return "likely" if len(valued) == len(self._typed) else ""

    def _are_keys(self, number: int) -> bool:
        """Return whether a row has a program's own names for columns, over a row of words."""
        if number + 1 >= len(self.rows) or len(self.filled[number]) < 2:
            return False
        lower = [self.rows[number + 1][place] for place in self.filled[number + 1]]
        cells = [as_text(self.rows[number][place]).strip() for place in self.filled[number]]
        return (
            all(map(is_key, cells[1:]))
            and (len(cells) > 2 or self._typed.issuperset(self.filled[number]))
            and not any(map(is_blank, cells))
            and len(lower) >= NAME_LIKE * len(cells)
            and all(map(is_name, lower))
            and not all(is_key(as_text(cell).strip()) for cell in lower)
        )

    def _goes_on_below_blank(self, header: int, number: int) -> bool:
        """Return whether a row goes on with the names above blank rows: it leaves out the first
        one, which all rows below fill.
        """
        places, first = self.filled[number], self.filled[header][0]
        cells = [self.rows[number][place] for place in places]
        below = [each for each in self.filled[number + 1 :][:BODY_ROWS] if each]
        names = [each for each in below if first not in each]
        return (
            not all(self.filled[header:number])
            and places[0] > first
            and {*places} <= {*self._effective(header)}
            and all(is_name(cell) and len(as_text(cell)) <= LONGEST_LABEL for cell in cells)
            and len(below) - len(names) > 1
            and below[: len(names)] == names
            and len(names) < MOST_HEADER_ROWS
        )

    def _completes_some(self, number: int) -> bool:
        """Return whether a row ends the names of a few columns: it leaves out the first one, and
        half of all, which the rows below fill, and none of its words comes again in its column.
        """
        places, above = self.filled[number], self.filled[number - 1]
        if len(places) < 2 or places[0] == above[0] or not set(places) <= {*above}:
            return False
        below = [each for each in self.filled[number + 1 :][:BODY_ROWS] if each]
        whole = [each for each in below if len(each) >= NAME_LIKE * len(above)]
        return (
            len(places) * 2 <= len(above)
            and len(whole) >= LEAST_BODY_ROWS
            and len(whole) == len(below)
            and not any(self._is_of_column(number, place) for place in places)
        )

    def _is_of_column(self, number: int, place: int) -> bool:
        """Return whether a text is one more of those below it."""
        cell, below = self.rows[number][place], self._below(number, place)
        forms = Counter(map(form_of, below))
        return cell in below or ("9" in form_of(cell) and forms[form_of(cell)] * 2 > len(below))

    def header_rows_finding(self, first: int, last: int) -> Finding:
        """Report that several rows were read as the header."""
        row, column = self._corner
        at = address(row + first + 1, column)
        return findings.HEADER_ROWS.finding(cells=(at,), first=row + first + 1, last=row + last + 1)

    def _is_unit_row(self, number: int) -> bool:
        """Return whether a row under names holds the units of columns of values, and no value."""
        cells = {place: self.rows[number][place] for place in self.filled[number]}
        texts = {place: cell.strip() for place, cell in cells.items() if isinstance(cell, str)}
        if len(texts) < len(cells):
            return False
        units = [place for place, text in texts.items() if not is_missing_word(text)]
        units = units[int(bool(units) and is_unit_label(texts[units[0]])) :]
        if not any(place in self._typed for place in units):
            return False
        if not all(is_unit(texts[place], is_sure=place not in self._typed) for place in units):
            return False
        if any(self._is_of_column(number, place) for place in units):
            return False
        if not any(is_unit(texts[place], is_sure=True) for place in units):
            bare = sum(place not in self.filled[number - 1] for place in units)
            are_names = all(texts[at].istitle() and len(texts[at]) > LONGEST_SHORT for at in units)
            if are_names or bare * 2 >= len(units):
                return False  # people under their shifts
        return len(units) > 1 or is_unit(texts[units[0]], is_sure=True)

    def _are_units_of_names(self, first: int, number: int) -> bool:
        """Return whether a row holds units, and not names ('min', 'max') under group labels."""
        if not self._is_unit_row(number):
            return False
        named = {place for row in range(first, number) for place in self.filled[row]}
        valued = [place for place in self.filled[number] if place in self._typed]
        texts = [as_text(self.rows[number][place]).strip() for place in valued]
        return named.issuperset(self.filled[number]) or any(
            is_unit(text, is_sure=True) for text in texts
        )

    def _is_numbering(self, number: int) -> bool:
        """Return whether a row numbers the columns, and is no row of data that begins with 1, 2."""
        numbers = self._numbers(number)
        below = {place: self._below(number, place) for place in numbers}
        if len(numbers) < 3 or max(map(len, below.values())) < LEAST_BODY_ROWS:
            return False  # too few to tell
        given = {place: self.rows[number][place] for place in numbers}
        return are_numbers_of_columns(given, numbers, below)

    def _numbers(self, number: int) -> dict[int, int]:
        """Return the numbers of a row that counts 1, 2, 3 from left to right, by their columns."""
        places = self.filled[number]
        found = counting_numbers({place: self.rows[number][place] for place in places})
        width = max(map(len, self.filled[number + 1 :]), default=0)
        return found if len(places) >= max(3, width - 1) else {}

    def _effective(self, number: int) -> list[int]:
        """Return the columns that a row of the header names, merged ranges in full."""
        spans = (range(each.column, each.last_column + 1) for each in self._across(number))
        return sorted({*self.filled[number]}.union(*spans))

    def _across(self, number: int) -> list[Merge]:
        """Return the ranges of a row that are merged over several columns of it alone."""
        found = [each for each in self.merges if each.row == number == each.last_row]
        return sorted(
            (each for each in found if each.last_column > each.column), key=lambda each: each.column
        )

    def _is_of_channels(self, number: int) -> bool:
        """Return whether a row numbers channels beside a name, above a row of their units."""
        places = self.filled[number]
        is_over_units = (
            number + 2 < len(self.rows)
            and places == self.filled[number + 1]
            and self._is_unit_row(number + 1)
        )
        if not is_over_units or not is_name(self.rows[number][places[0]]):
            return False
        numbers = [as_text(self.rows[number][place]).strip() for place in places[1:]]
        return all(text.isdecimal() for text in numbers) and len({*numbers}) == len(numbers)

    def _is_of_levels(self, number: int) -> bool:
        """Return whether a row is the upper or the lower one of two levels of a header."""
        return self._are_levels(number - 1, number) or self._are_levels(number, number + 1)

    def _are_levels(self, upper: int, lower: int) -> bool:
        """Return whether two rows are levels of a header of which numbers or dates are labels."""
        if upper < 0 or lower + 1 >= len(self.rows):
            return False
        one, other = self.rows[upper], self.rows[lower]
        labels = [one[at] for at in self.filled[upper]] + [other[at] for at in self.filled[lower]]
        if all(map(is_name, labels)):
            return False
        spans = self._across(upper)
        groups = [
            (each.column, [*range(each.column, each.last_column + 1)])
            for each in spans
            if not is_blank(one[each.column])
        ] or labelled(one, other)
        used = [number for number in range(lower + 1, len(self.rows)) if self.filled[number]]
        below = [self.rows[number] for number in used[:BODY_ROWS]]
        return are_levels(one, other, groups, below, is_merged=bool(spans))

    def _is_group_row(self, upper: int, lower: int) -> bool:
        """Return whether the upper row holds labels of groups of the names in the lower one."""
        above, below = self.filled[upper], self._effective(lower)
        if not above or not below:
            return False
        if any(is_other(self.rows[upper]) for is_other in (is_of_pivot, are_facts, is_caption)):
            return False
        if self._are_levels(upper, lower):
            return True
        if not all(is_name(self.rows[upper][place]) for place in above):
            return False
        if not all(is_name(self.rows[lower][place]) for place in self.filled[lower]):
            return False
        spans = self._across(upper)
        whole = len(set(above) | set(below))
        is_grouping = any(
            merge.last_column - merge.column + 1 < whole
            and {*range(merge.column, merge.last_column + 1)} <= set(below)
            for merge in spans
        )
        merged = {merge.column for merge in spans}
        if is_grouping:
            # A title may be merged too, but a label of its own has no name below it.
            return all(place in merged or place not in below for place in above)
        if self._blocks(upper, lower):
            return True
        names = [
            as_text(self.rows[lower][place]).strip().casefold() for place in self.filled[lower]
        ]
        if len(set(names)) < len(names) and len(above) * 2 >= len(below):
            return True  # these names alone would not tell the columns apart
        if len(above) == 1 and above[0] > 0 and lower + 1 < len(self.rows):
            # One label over labels of groups: it stands where the first of them does.
            return above[0] == below[0] and self._is_group_row(lower, lower + 1)
        # Without merged cells: labels with room for several names, or with a name of their own.
        if len(above) < 2 or set(above) >= set(below):
            return False
        covered = [
            len([place for place in below if start <= place < end])
            for start, end in pairwise([*above, max(below) + 1])
        ]
        return max(covered) > 1 and all(
            count != 1 or place not in below or is_answer(as_text(self.rows[lower][place]))
            for count, place in zip(covered, above, strict=True)
        )

    def _blocks(self, upper: int, lower: int) -> dict[int, range]:
        """Return for each label the columns of its block, unless labels are merged over theirs."""
        return {} if self._across(upper) else equal_blocks(self.rows[upper], self.rows[lower])

    def heading(self, *, first: int, last: int, numbering: tuple[int, ...] = ()) -> Heading:
        """Return the heading whose header is these rows."""
        width = max(len(self.rows[number]) for number in range(first, last + 1))
        names = [""] * width
        for number in range(first, last + 1):
            labels = _labels(self.rows[number], width)
            if are_import_ids(self.rows[number]):
                continue
            if number < last and self._are_levels(number, number + 1):
                labels = said_of_each(self.rows[number], labels)
            is_units = number > first and self._are_units_of_names(first, number)
            if number < last:
                labels = self._spread(labels, number, last, names)
            else:
                labels = self._spread_merged(labels, number)
            for place, label in enumerate(labels):
                is_none = is_missing_word(label) or is_unit_label(label)
                if (is_units and is_none) or (number > first and names[place] and is_answer(label)):
                    continue
                if is_units and label and names[place] and label[0] not in "[(":
                    label = f"({label})"  # noqa: PLW2901  the unit of the name above it
                names[place] = joined(names[place], label)
        body = last + 1 + len(numbering)
        return Heading(
            names=tuple(names),
            titles=tuple(number for number in range(first) if self.filled[number]),
            blanks=tuple(number for number in range(first) if not self.filled[number]),
            header=first,
            header_rows=last - first + 1,
            body=body,
            numbering=numbering,
        )

    def _spread(self, labels: list[str], number: int, last: int, above: Sequence[str]) -> list[str]:
        """Spread group labels over all the names that they stand above.

        Not beyond the group that they are in, by the labels `above`, nor into merged cells.
        """
        if any(merge.row == number and merge.last_column > merge.column for merge in self.merges):
            return self._spread_merged(labels, number)
        if blocks := self._blocks(number, number + 1):
            for place, block in blocks.items():
                for each in block:
                    labels[each] = labels[place]
            return labels
        below = self._named_below(number, last)
        if (centred := self._centred(number, below)) is not None:
            return [
                labels[centred[place]] if place in centred else "" for place in range(len(labels))
            ]
        spread: list[str] = []
        for place, label in enumerate(labels):
            follows = (
                bool(spread and spread[-1])
                and not label
                and place in below
                and above[place] == above[place - 1]
                and not self._is_merged(number, place)
            )
            spread.append(spread[-1] if follows else label)
        return spread

    def _named_below(self, number: int, last: int) -> set[int]:
        """Return the columns that the rows of a header under one name."""
        return {
            place
            for row in range(number + 1, last + 1)
            if not self._is_unit_row(row)
            for place in self._effective(row)
        }

    def groups_left_out(self, first: int, last: int) -> tuple[Finding, ...]:
        """Report labels over groups of columns that are in no name, for nothing tells over which
        columns they stand.
        """
        row, column = self._corner
        return tuple(
            findings.GROUPS_LEFT_OUT.finding(
                cells=(address(row + number, column + self.filled[number][0]),),
                row=row + number + 1,
                labels=", ".join(as_text(self.rows[number][each]) for each in self.filled[number]),
            )
            for number in range(first, last)
            if not self._across(number)
            and not self._blocks(number, number + 1)
            and not self._are_levels(number, number + 1)
            and self._centred(number, self._named_below(number, last)) == {}
        )

    def _is_merged(self, number: int, place: int) -> bool:
        """Return whether a cell is a part of a merged range."""
        return any(
            each.row <= number <= each.last_row and each.column <= place <= each.last_column
            for each in self.merges
        )

    def _centred(self, number: int, below: AbstractSet[int]) -> dict[int, int] | None:
        """Return the label's place for each column, where labels stand over the middle of their
        groups: the first has a column of values to its left. Empty if the groups are not certain;
        None where labels stand over the first column of their groups.
        """
        places = self.filled[number]
        start = places[0] if places else 0
        while start - 1 in below and start - 1 in self._typed:
            start -= 1
        if len(places) < 2 or start == places[0]:
            return None
        end = max(below) + 1
        if len({last - first for first, last in pairwise((*places, end))}) == 1:
            return None  # groups of one size from their labels on
        off = {
            ends: max(
                abs(2 * place - (first + last - 1)) if first <= place < last else end
                for place, (first, last) in zip(places, pairwise((start, *ends, end)), strict=True)
            )
            for ends in combinations(range(start + 1, end), len(places) - 1)
            if len(places) <= MOST_CENTRED
        }
        # Over four columns the middle is one of two; where all stand right over it, they do so.
        ways = [ends for ends, most in off.items() if most == min([1, *off.values()])]
        if len(ways) != 1:
            return {}
        return {
            column: place
            for place, (first, last) in zip(places, pairwise((start, *ways[0], end)), strict=True)
            for column in range(first, last)
        }

    def _spread_merged(self, labels: list[str], number: int) -> list[str]:
        spread = [*labels]
        for merge in self.merges:
            if merge.row == number:
                for place in range(merge.column, min(merge.last_column + 1, len(labels))):
                    spread[place] = labels[merge.column]
        return spread

    def heading_without_header(self, body: int) -> Heading:
        """Return the heading of a table without names, whose rows begin at `body`."""
        return Heading(
            names=(),
            titles=tuple(number for number in range(body) if self.filled[number]),
            blanks=tuple(number for number in range(body) if not self.filled[number]),
            header=None,
            header_rows=0,
            body=body,
            findings=(findings.NO_HEADER.finding(),),
        )

    def _are_periods(self, number: int) -> bool:
        """Return whether the cells that are no names are years, or days, above other numbers."""
        row, places = self.rows[number], self.filled[number]
        odd = [place for place in places if not is_name(row[place])]
        if len(odd) < 2 or not (len(odd) < len(places) or self._has_free_corner(number)):
            return False
        below = [cell for place in odd for cell in self._below(number, place)]
        return are_periods([row[place] for place in odd], below)

    def _are_steps(self, number: int) -> bool:
        """Return whether the cells that are no names rise or fall evenly, and few rows below do:
        wavelengths, hours or sizes as names.
        """
        places = self.filled[number] if number < len(self.rows) else ()
        odd = [place for place in places if not is_name(self.rows[number][place])]
        if len(odd) < FEW_STEPS or odd[-1] - odd[0] + 1 != len(odd):
            return False
        is_beside_name = len(odd) < len(self.filled[number]) or self._has_free_corner(number)
        kind = steps_of(self.rows[number][odd[0] : odd[-1] + 1])
        if not kind or len(odd) < (FEW_STEPS if kind == "even" and is_beside_name else MANY_STEPS):
            return False
        below = [
            row[odd[0] : odd[-1] + 1]
            for row, places in zip(self.rows[number + 1 :], self.filled[number + 1 :], strict=True)
            if len(places) > 1
        ][:BODY_ROWS]
        alike = sum(steps_of(row) in (kind, "even") for row in below)
        place = self.filled[number][0]
        is_named = is_name_of_codes(self.rows[number][place], self._below(number, place))
        return len(below) > 1 and (alike * 5 <= len(below) or is_named)

    def _has_free_corner(self, number: int) -> bool:
        """Return whether a row leaves out the first column, which most rows below it fill."""
        below = [places for places in self.filled[number + 1 :] if len(places) > 1][:BODY_ROWS]
        first = self.filled[number][0] - 1
        return sum(places[0] == first for places in below) * 2 > len(below)

    def numbers_as_names(self, first: int, last: int) -> tuple[Finding, ...]:
        """Report names that are numbers, and could be a row of data, or the days of a month."""
        for number in range(first, last + 1):
            if not self._are_steps(number) or self._are_periods(number):
                continue
            cells = [as_text(cell).strip() for cell in self.rows[number] if not is_name(cell)]
            days = [*map(str, range(1, len(cells) + 1))]
            at = address(self._corner[0] + number, self._corner[1])
            if cells == days and len(days) in MONTH_DAYS:
                return (findings.DAYS_AS_NAMES.finding(cells=(at,)),)
            if number == first:
                row_number = self._corner[0] + number + 1
                return (findings.NUMBERS_AS_NAMES.finding(cells=(at,), row=row_number),)
        return ()

    def values_as_names(self, last: int) -> tuple[Finding, ...]:
        """Report names that look like values of their columns, and are not known to be names."""
        is_known = are_answers(self.rows, last) or self._is_of_levels(last)
        if is_known or self._are_periods(last) or self._are_steps(last):
            return ()
        row, column = self._corner
        told = like_values(self.rows[last], self.rows[last + 1 :])
        names = [as_text(self.rows[last][place]) for place in told]
        if not told:
            return ()
        cells = [address(row + last, column + place) for place in told[:LISTED]]
        shown = quoted(names, most=LISTED)
        sentence = findings.VALUES_AS_NAMES
        return (sentence.finding(len(names), cells, names=shown, row=row + last + 1),)


def _labels(row: Row, width: int) -> list[str]:
    labels = [" ".join(as_text(cell).split()) for cell in row]
    return labels + [""] * (width - len(labels))
