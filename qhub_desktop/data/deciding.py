"""What each column is, decided over every row: one value that does not fit decides for text."""

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.table import ColumnType
from qhub_desktop.data import doubts
from qhub_desktop.data.candidates import (
    AMOUNTS,
    BOOLEANS,
    CURRENCIES,
    DATES,
    DURATIONS,
    NUMBERS,
    PERCENTAGES,
    TIMES,
    Candidate,
    candidates,
)
from qhub_desktop.data.cells import ERROR_WORDS, Cells, cleaned, columns_of, trimmed
from qhub_desktop.data.choosing import COMPACT, EPOCH, as_chosen
from qhub_desktop.data.columns import literal
from qhub_desktop.data.formats.sheet import Decimal, address
from qhub_desktop.data.missing import MISSING_WORDS
from qhub_desktop.data.naming import slug
from qhub_desktop.data.raw import Kind, RawTable
from qhub_desktop.data.structure import BLANKS

SAMPLE_ROWS = 1_000
SEEN = "seen"  # a column's different texts, while its type is looked for
# A type is tried when so much of the sample has it.
LIKELY = 0.8
EXAMPLES = 3
CODE_DIGITS = 6
GLIMPSED = 30  # values of which one must be of a type for it to be thought of
NEW = 0.97  # of a sample: above, its texts repeat too seldom to be looked at once each
LISTED = 5  # addresses in a finding
_MISSING = ", ".join(map(literal, MISSING_WORDS))
# Days of a spreadsheet's calendar that can be told from plain numbers: 1954 to 2119.
SERIALS = (20_000, 80_000)
_DATE_NAMES = {"data", "date", "dia", "day", "datum", "fecha", "dt"}

_FAMILY: dict[Kind, set[str]] = {
    "number": {NUMBERS},
    "boolean": {BOOLEANS},
    "date": {DATES},
    "datetime": {DATES},
    "time": {TIMES},
    "duration": {DURATIONS, TIMES},
}


@dataclass
class Decided:
    """How to store one column: SQL over the view `body`, and what to tell about it."""

    expression: str
    repaired: list[Finding] = field(default_factory=list)
    doubtful: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fit:
    """A candidate that fits every text, and those that would fit with another meaning."""

    candidate: Candidate
    words: int = 0  # texts that stand for nothing
    rivals: tuple[Candidate, ...] = ()

    def preferring(self, *, decimal: str, order: str) -> "Fit":
        """What remains when the other columns of the file leave no doubt."""
        for each in (self.candidate, *self.rivals):
            if (each.decimal and each.decimal == decimal) or (each.order and each.order == order):
                return Fit(each, self.words)
        return self


def decide(
    raw: RawTable,
    names: Sequence[str],
    *,
    positions: Sequence[int],
    decimal: Decimal,
    is_text: bool,
    chosen: dict[str, ColumnType],
) -> tuple[list[Decided], list[Finding]]:
    """What the columns at `positions` become, and what there is to say of the whole sheet.

    With `is_text` the file gives its cells no types. `chosen` are the person's, by column name.
    """
    found = columns_of(raw, positions)
    samples = _samples(raw, found)
    columns = [
        _Column(raw, cells, name, sample)
        for cells, name, sample in zip(found, names, samples, strict=True)
    ]
    choices = candidates(decimal)
    free = [column for column in columns if column.name not in chosen]
    fits = {column.name: column.fit(choices, is_text=is_text) for column in free}
    unfit = [column for column in columns if column.cells.text and not fits.get(column.name)]
    for column, cells in zip(unfit, cleaned(raw, [each.cells for each in unfit]), strict=True):
        if cells == column.cells and column.is_padded:
            cells = trimmed(cells)  # noqa: PLW2901  a column is looked at once more at most
        if cells != column.cells:
            column.take(cells)
            fits[column.name] = column.fit(choices, is_text=is_text)
    sure = [fit.candidate for fit in fits.values() if fit and not fit.rivals]
    known_decimal = _only({each.decimal for each in sure if each.decimal})
    known_order = _only({each.order for each in sure if each.order})
    decided: list[Decided] = []
    for column in columns:
        if column.name in chosen:
            decided.append(column.become_chosen(chosen[column.name], choices))
            continue
        fit = fits[column.name]
        if fit is not None:
            fit = fit.preferring(decimal=known_decimal, order=known_order)
        decided.append(column.become(fit, is_text=is_text))
    return decided, _errors(raw, [column.cells for column in columns])


class _Column:
    """One column of the body."""

    def __init__(self, raw: RawTable, cells: Cells, name: str, sample: Counter[str]) -> None:
        self.name = name
        self._raw = raw
        self.cells = cells
        self._column = raw.column(cells.position)
        self._sample = sample
        self._meant = {
            value: count for value, count in sample.items() if value.lower() not in MISSING_WORDS
        }
        self._text = cells.text or "NULL"
        self._nearest: tuple[int, int, Candidate] | None = None
        self._has_seen = False

    @property
    def is_padded(self) -> bool:
        """Whether a type was near, and blanks around some texts may have kept it away."""
        if self._nearest is None:
            return False
        (count,) = self._one(
            f"count(*) FILTER (trim({self._text}, {literal(BLANKS)}) <> {self._text})"
        )
        return bool(count)

    def take(self, cells: Cells) -> None:
        """Go on with cleaner texts."""
        self.cells = cells
        if cells.error is not None:
            for value in [each for each in self._meant if each.upper() in ERROR_WORDS]:
                del self._sample[value], self._meant[value]
        self._text = cells.text or "NULL"
        self._nearest = None

    def fit(self, choices: Sequence[Candidate], *, is_text: bool) -> Fit | None:
        """The first type that every text has, and the cells that have a type share."""
        cells = self.cells
        if cells.text is None or (cells.kinds and not cells.is_of_one_kind):
            return None
        choices = self._thinkable(choices)
        if cells.kinds:
            family = set.union(*(_FAMILY[kind] for kind in cells.kinds))
            likely = [each for each in choices if each.plural in family and self._share(each) > 0]
        else:
            likely = [each for each in choices if self._share(each) >= LIKELY]
        try:
            return self._first_fit(likely, is_text=is_text)
        finally:
            self._forget()

    def _first_fit(self, likely: Sequence[Candidate], *, is_text: bool) -> Fit | None:
        for position, candidate in enumerate(likely):
            words = self._words_besides(candidate)
            if words is None:
                continue
            if not is_text and candidate.type == "integer" and self._are_codes():
                return None if not self._is_named_date() else Fit(candidate, words)
            rivals = tuple(
                rival
                for rival in likely[position + 1 :]
                if _differs(candidate, rival) and self._words_besides(rival) is not None
            )
            return Fit(candidate, words, rivals)
        return None

    def become(self, fit: Fit | None, *, is_text: bool) -> Decided:
        """The conversion, and a word on what was not certain."""
        cells = self.cells
        if fit is None:
            return self._stay()
        decided = Decided(self._converted(fit))
        self._tell(decided, fit, is_text=is_text)
        if fit.words:
            decided.repaired.append(self._missing_words(fit.words))
        if not cells.kinds and fit.candidate.plural == NUMBERS:
            self._as_serial(decided)
        return decided

    def become_chosen(self, type_: ColumnType, choices: Sequence[Candidate]) -> Decided:
        """What the person wants; what does not fit is missing, and said."""
        if type_ in ("text", "category"):
            return Decided(self.cells.display)
        plain = {"integer": ("integer", "number"), "number": ("integer", "number")}
        wanted = plain.get(
            type_, ("date", "datetime") if type_ in ("date", "datetime") else (type_,)
        )
        fitting = [each for each in choices if each.type in wanted]
        best = max(fitting, key=lambda each: (self._share(each), each.type == type_))
        expression = as_chosen(self.cells, type_, best)
        decided = Decided(expression)
        lost = f"({self.cells.display}) IS NOT NULL AND ({expression}) IS NULL"
        (count,) = self._one(f"count(*) FILTER ({lost})")
        if count:
            decided.doubtful.append(
                doubts.not_of_chosen_type(self.name, count, self._addresses(lost))
            )
        return decided

    def _stay(self) -> Decided:
        """The type that the file itself gives, or the text as it stands."""
        cells = self.cells
        if cells.text is None:
            decided = Decided(self._own_expression())
            if cells.kinds == {"number"}:
                self._as_serial(decided)
            return decided
        if cells.kinds and cells.is_of_one_kind and self._is_only_words():
            (count,) = self._one(f"count({self._text})")
            decided = Decided(self._own_expression())
            if count:
                decided.repaired.append(self._missing_words(count))
            return decided
        decided = Decided(cells.display)
        if cells.kinds:
            decided.doubtful.append(self._mixed())
        elif self._nearest is not None and self._nearest[0] < self._nearest[1] / 2:
            decided.doubtful.append(self._strays())
        return decided

    def _own_expression(self) -> str:
        cells = self.cells
        if cells.own is None:
            return "NULL::VARCHAR" if not cells.kinds else cells.display
        if cells.kinds == {"number"}:
            (fractions, largest) = self._one(
                f"count(*) FILTER ({cells.own} <> floor({cells.own})), max(abs({cells.own}))"
            )
            is_whole = not fractions and largest is not None and largest < 1e18
            return f"CAST({cells.own} AS BIGINT)" if is_whole else f"CAST({cells.own} AS DOUBLE)"
        if cells.kinds & {"datetime"}:
            (timed,) = self._one(f"count(*) FILTER (CAST({cells.own} AS TIME) <> TIME '00:00:00')")
            return cells.own if timed else f"CAST({cells.own} AS DATE)"
        return cells.own

    def _converted(self, fit: Fit) -> str:
        value = self._text
        if fit.words:
            value = f"CASE WHEN lower({value}) NOT IN ({_MISSING}) THEN {value} END"
        expression = fit.candidate.conversion.format(v=value)
        return expression if self.cells.own is None else f"coalesce({self.cells.own}, {expression})"

    def _tell(self, decided: Decided, fit: Fit, *, is_text: bool) -> None:
        chosen, name = fit.candidate, self.name
        example = min(self._sample, key=lambda text: (len(text), text)) if self._sample else ""
        if fit.rivals and chosen.decimal:
            decided.doubtful.append(doubts.decimal_mark(name, example, chosen.decimal))
        elif fit.rivals:
            decided.doubtful.append(doubts.day_month(name, example))
        elif chosen.order == "mdy":
            decided.repaired.append(doubts.month_first(name))
        if chosen.plural == PERCENTAGES:
            decided.repaired.append(doubts.percent_as_fraction(name, example))
        elif chosen.plural == AMOUNTS:
            decided.repaired.append(doubts.currency_removed(name, example))
        if not is_text:
            condition = f"{self._text} IS NOT NULL"
            (count,) = self._one(f"count(*) FILTER ({condition})")
            decided.repaired.append(
                doubts.stored_as_text(
                    name, chosen.plural, count - fit.words, self._addresses(condition)
                )
            )

    def _as_serial(self, decided: Decided) -> None:
        """A spreadsheet's day numbers, in a column that says it holds dates."""
        if not self._is_named_date():
            return
        value = decided.expression
        lowest, highest, fractions = self._one(
            f"min({value}), max({value}), count(*) FILTER ({value} <> floor({value}))"
        )
        if lowest is not None and not fractions and COMPACT[0] <= lowest <= highest <= COMPACT[1]:
            self._as_compact(decided, lowest)
            return
        if lowest is None or not SERIALS[0] <= lowest <= highest <= SERIALS[1]:
            return
        if fractions:
            decided.expression = (
                f"(CAST({EPOCH} AS TIMESTAMP)"
                f" + to_microseconds(CAST(round(({value}) * 86400) * 1000000 AS BIGINT)))"
            )
        else:
            decided.expression = f"({EPOCH} + CAST({value} AS INTEGER))"
        decided.repaired.append(doubts.serial_dates(self.name))

    def _as_compact(self, decided: Decided, example: int) -> None:
        """Dates as SAP writes them: 20260131."""
        value = f"TRY_STRPTIME(CAST(CAST({decided.expression} AS BIGINT) AS VARCHAR), '%Y%m%d')"
        lost, present = self._one(f"count({decided.expression}) - count({value}), count({value})")
        if present and not lost:
            decided.expression = f"CAST({value} AS DATE)"
            told = [each for each in decided.repaired if each.kind == "text_as_number"]
            for each in told:
                decided.repaired.remove(each)
                decided.repaired.append(
                    doubts.stored_as_text(self.name, DATES, each.count, each.cells)
                )
            decided.repaired.append(doubts.compact_dates(self.name, str(int(example))))

    def _missing_words(self, count: int) -> Finding:
        condition = f"lower({self._text}) IN ({_MISSING})"
        return doubts.missing_words(
            self.name, count, self._examples(condition), self._addresses(condition)
        )

    def _mixed(self) -> Finding:
        cells = self.cells
        is_text = f"{self._text} IS NOT NULL"
        texts, filled = self._one(f"count(*) FILTER ({is_text}), count({cells.display})")
        odd = (
            is_text
            if texts * 2 <= filled
            else f"({cells.display}) IS NOT NULL AND {self._text} IS NULL"
        )
        return doubts.mixed_column(
            self.name, min(texts, filled - texts), filled, self._examples(odd), self._addresses(odd)
        )

    def _strays(self) -> Finding:
        assert self._nearest is not None
        strays, present, candidate = self._nearest
        condition = f"{self._stray(candidate)} AND lower({self._text}) NOT IN ({_MISSING})"
        return doubts.strays(
            self.name,
            strays,
            present,
            candidate.plural,
            self._examples(condition),
            self._addresses(condition),
        )

    def _is_only_words(self) -> bool:
        (others,) = self._one(f"count(*) FILTER (lower({self._text}) NOT IN ({_MISSING}))")
        return bool(others == 0)

    def _is_named_date(self) -> bool:
        return bool(_DATE_NAMES & set(slug(self.name).split("_")))

    def _thinkable(self, choices: Sequence[Candidate]) -> list[Candidate]:
        """The choices but those whose sign occurs nowhere."""
        written = "".join(self._sample)
        if not any(map(str.isdigit, written)):
            return [each for each in choices if each.plural == BOOLEANS]
        has_percent, has_colon = "%" in written, ":" in written
        has_currency = any(each in written for each in CURRENCIES)
        has_date = any(each in written for each in "-/. ")
        skipped = {
            *([] if has_percent else [PERCENTAGES]),
            *([] if has_currency else [AMOUNTS]),
            *([] if has_colon else [TIMES, DURATIONS]),
            *([] if has_date else [DATES]),
        }
        return [each for each in choices if each.plural not in skipped]

    def _are_codes(self) -> bool:
        """Whether the digits that a workbook holds as text are of one length, as in telephones."""
        if self.cells.kinds:
            return False
        shortest, longest = self._one(f"min(length({self._text})), max(length({self._text}))")
        return bool(shortest == longest and shortest >= CODE_DIGITS)

    def _share(self, candidate: Candidate) -> float:
        counted = self._meant
        if not counted:
            return 0
        pattern = re.compile(candidate.pattern, re.ASCII)
        first = list(islice(counted, GLIMPSED))
        if not any(map(pattern.fullmatch, first)):
            return 0
        matching = sum(count for value, count in counted.items() if pattern.fullmatch(value))
        return matching / sum(counted.values())

    def _words_besides(self, candidate: Candidate) -> int | None:
        """How many texts are words for nothing, if all the others are of this type."""
        strays, present = self._strays_among(candidate)
        words = 0
        if strays:
            (words,) = self._counts(lambda text: f"lower({text}) IN ({_MISSING})")
            if words != strays:
                if strays - words > 0 and (
                    self._nearest is None or strays - words < self._nearest[0]
                ):
                    self._nearest = (strays - words, present, candidate)
                return None
        if candidate.distinct > 1 and not self.cells.kinds:
            (distinct,) = self._one(
                f"count(DISTINCT lower({self._text})) FILTER (NOT {self._stray(candidate)})"
            )
            if distinct < candidate.distinct:
                return None
        return int(words) if words < present else None

    def _strays_among(self, candidate: Candidate) -> tuple[int, int]:
        """How many texts are not of this type, and how many texts there are."""
        strays, present = self._counts(
            lambda text: self._stray(candidate, text), "{} IS NOT NULL".format
        )
        return strays, present

    def _counts(self, *conditions: Callable[[str], str]) -> tuple[int, ...]:
        """Of how many texts each condition, which makes SQL of SQL for a text, is true.

        Where texts repeat, each is looked at once, in a fraction of the time.
        """
        sampled = sum(self._sample.values())
        if len(self._sample) > sampled * NEW:
            asked = [f"count(*) FILTER ({each(self._text)})" for each in conditions]
            return self._one(", ".join(asked))
        if not self._has_seen:
            self._raw.db.execute(
                f"CREATE TEMP TABLE {SEEN} AS SELECT v, count(*) AS times"
                f" FROM (SELECT {self._text} AS v FROM {self._column}) GROUP BY v"
            )
            self._has_seen = True
        asked = [f"coalesce(sum(times) FILTER ({each('v')}), 0)::BIGINT" for each in conditions]
        row = self._raw.db.execute(f"SELECT {', '.join(asked)} FROM {SEEN}").fetchone()
        assert row is not None
        return row

    def _forget(self) -> None:
        if self._has_seen:
            self._raw.db.execute(f"DROP TABLE {SEEN}")
            self._has_seen = False

    def _stray(self, candidate: Candidate, text: str = "") -> str:
        text = text or self._text
        slow = f"NOT regexp_full_match({text}, {literal(candidate.pattern)})"
        if not candidate.is_sure:
            slow += f" OR ({candidate.conversion.format(v=text)}) IS NULL"
        if candidate.quick == "false":
            return f"({text} IS NOT NULL AND ({slow}))"
        quick = candidate.quick.format(v=text)
        return f"CASE WHEN {text} IS NULL OR coalesce({quick}, false) THEN false ELSE {slow} END"

    def _examples(self, condition: str) -> list[str]:
        rows = self._raw.db.execute(
            f"SELECT DISTINCT {self.cells.display} AS v FROM {self._column} WHERE {condition}"
            f" ORDER BY v LIMIT {EXAMPLES}"
        ).fetchall()
        return [value for (value,) in rows]

    def _addresses(self, condition: str) -> tuple[str, ...]:
        return addresses(self._raw, self.cells.position, condition)

    def _one(self, selected: str) -> tuple[Any, ...]:
        row = self._raw.db.execute(f"SELECT {selected} FROM {self._column}").fetchone()
        assert row is not None
        return row


def addresses(raw: RawTable, position: int, condition: str) -> tuple[str, ...]:
    """Where in the file the first cells of a column are for which this SQL is true."""
    rows = raw.db.execute(
        f"SELECT place FROM {raw.column(position)} WHERE {condition} ORDER BY place LIMIT {LISTED}"
    ).fetchall()
    return tuple(address(raw.first_row + place, raw.first_column + position) for (place,) in rows)


def _errors(raw: RawTable, found: Sequence[Cells]) -> list[Finding]:
    """The cells that hold an error, of all columns together."""
    flawed = [each for each in found if each.error is not None]
    if not flawed:
        return []
    total = 0
    places: list[tuple[int, int]] = []
    kinds: Counter[str] = Counter()
    for each in flawed:
        column = f"c{each.position}"
        name = (
            f"substr({column}, 3)"
            if raw.forms[each.position] == "mixed"
            else f"upper(trim({column}))"
        )
        for kind, count in raw.db.execute(
            f"SELECT {name}, count(*) FROM {raw.column(each.position)} WHERE {each.error}"
            " GROUP BY 1"
        ).fetchall():
            kinds[kind] += count
            total += count
        places += [
            (place, each.position)
            for (place,) in raw.db.execute(
                f"SELECT place FROM {raw.column(each.position)} WHERE {each.error}"
                f" ORDER BY place LIMIT {LISTED}"
            ).fetchall()
        ]
    listed = tuple(
        address(raw.first_row + place, raw.first_column + position)
        for place, position in sorted(places)[:LISTED]
    )
    return [doubts.error_cells(total, kinds, listed)]


def _samples(raw: RawTable, found: Sequence[Cells]) -> list[Counter[str]]:
    """Some texts of each column: the first, and some from anywhere."""
    selected = ", ".join(each.text or "NULL" for each in found)
    somewhere = random.Random(1)  # noqa: S311  the same rows each time, and no period of the file's
    places = sorted(somewhere.sample(range(raw.rows), min(raw.rows, SAMPLE_ROWS)))
    rows = [
        *raw.db.execute(f"SELECT {selected} FROM body LIMIT {SAMPLE_ROWS}").fetchall(),
        *raw.db.execute(
            f"SELECT {selected} FROM body WHERE place IN (SELECT unnest({places}::BIGINT[]))"
        ).fetchall(),
    ]
    return [
        Counter(
            text for row in rows if row[number] is not None and (text := row[number].strip(BLANKS))
        )
        for number in range(len(found))
    ]


def _differs(one: Candidate, other: Candidate) -> bool:
    """Whether two types of the same kind read the same text as different values."""
    return (
        one.type == other.type
        and one.plural == other.plural
        and (one.decimal, one.order) != (other.decimal, other.order)
    )


def _only(values: set[Any]) -> str:
    return str(next(iter(values))) if len(values) == 1 else ""
