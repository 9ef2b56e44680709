"""What each column is, decided over every row: one value that does not fit decides for text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.candidates import Candidate, candidates
from qhub_desktop.data.columns import literal
from qhub_desktop.data.formats.sheet import Decimal
from qhub_desktop.data.tidying import Kind

SAMPLE_ROWS = 1_000
# A type is tried when so much of the sample has it.
LIKELY = 0.8
# A column that stays text for so few of its values is worth a warning.
FEW = 0.2
EXAMPLES = 3
BLANKS = " \t\r\n\v\f\N{NO-BREAK SPACE}"
_BLANK_CODES = ", ".join(str(ord(blank)) for blank in BLANKS)
WHOLE = literal(r"-?\d{1,18}")

# What a spreadsheet's own types become; text and mixtures are looked at instead.
_OWN: dict[frozenset[Kind], str] = {
    frozenset({"boolean"}): "{v} = 'TRUE'",
    frozenset({"date"}): "{v}::DATE",
    frozenset({"datetime"}): "{v}::TIMESTAMP",
    frozenset({"date", "datetime"}): "{v}::TIMESTAMP",
    frozenset({"time"}): "{v}::TIME",
}


@dataclass(frozen=True, slots=True)
class Decided:
    """How to store one column: an SQL expression over the raw text, and what to tell about it."""

    expression: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Fit:
    """A candidate that fits every value, and those that would fit with another meaning."""

    candidate: Candidate
    rivals: tuple[Candidate, ...] = ()

    def preferring(self, *, decimal: str, order: str) -> "_Fit":
        """What remains when the other columns of the file leave no doubt."""
        for each in (self.candidate, *self.rivals):
            if (each.decimal and each.decimal == decimal) or (each.order and each.order == order):
                return _Fit(each)
        return self


def decide(
    db: duckdb.DuckDBPyConnection,
    names: Sequence[str],
    *,
    positions: Sequence[int],
    kinds: Sequence[frozenset[Kind]],
    decimal: Decimal,
    is_text: bool,
) -> list[Decided]:
    """What columns of the table `raw` become: those at `positions`, named c0, c1, …

    `kinds` are the types that the file itself gives the cells of each column; with `is_text` it
    gives none.
    """
    rows = [
        *db.execute(f"FROM raw LIMIT {SAMPLE_ROWS}").fetchall(),
        *db.execute(
            f"FROM raw USING SAMPLE reservoir({SAMPLE_ROWS} ROWS) REPEATABLE (1)"
        ).fetchall(),
    ]
    columns = [
        _Column(db, position, name, [row[position] for row in rows], is_padded=is_padded)
        for position, name, is_padded in zip(positions, names, _padded(db, positions), strict=True)
    ]
    choices = candidates(decimal)
    fits = {
        position: fit
        for position, column in enumerate(columns)
        if not _is_own(kinds[position]) and (fit := column.fit(choices)) is not None
    }
    sure = [fit.candidate for fit in fits.values() if not fit.rivals]
    known_decimal = _only({each.decimal for each in sure if each.decimal})
    known_order = _only({each.order for each in sure if each.order})
    decided: list[Decided] = []
    for position, column in enumerate(columns):
        if _is_own(kinds[position]):
            decided.append(column.keep_kind(kinds[position]))
        elif position in fits:
            fit = fits[position].preferring(decimal=known_decimal, order=known_order)
            is_retyped = not is_text and kinds[position] == {"text"}
            decided.append(column.become(fit, is_retyped=is_retyped))
        else:
            decided.append(column.stay_text())
    return decided


class _Column:
    """One raw column."""

    def __init__(
        self,
        db: duckdb.DuckDBPyConnection,
        position: int,
        name: str,
        sample: Sequence[str | None],
        *,
        is_padded: bool,
    ) -> None:
        self._db = db
        self._name = name
        self._raw = f"c{position}"
        self._trimmed = (
            f"nullif(trim({self._raw}, {literal(BLANKS)}), '')" if is_padded else self._raw
        )
        values = (value.strip() for value in sample if value is not None)
        self._sample = Counter(value for value in values if value)
        self._nearest: tuple[int, int, Candidate] | None = None

    def keep_kind(self, kinds: frozenset[Kind]) -> Decided:
        """The type that the file itself gives every cell."""
        if not kinds - {"flaw"}:
            return Decided("NULL::VARCHAR")
        if kinds - {"flaw"} == {"number"}:
            (fractions,) = self._one(
                f"count(*) FILTER (NOT regexp_full_match({self._raw}, {WHOLE})"
                f" AND {self._trimmed} IS NOT NULL)"
            )
            return Decided(f"{self._trimmed}::{'DOUBLE' if fractions else 'BIGINT'}")
        return Decided(_OWN[kinds - {"flaw"}].format(v=self._trimmed))

    def fit(self, choices: Sequence[Candidate]) -> _Fit | None:
        """The first type that every value has."""
        likely = [each for each in choices if self._share(each) >= LIKELY]
        for position, candidate in enumerate(likely):
            if not self._strays(candidate):
                rivals = tuple(
                    rival
                    for rival in likely[position + 1 :]
                    if _differs(candidate, rival) and not self._strays(rival)
                )
                return _Fit(candidate, rivals)
        return None

    def become(self, fit: _Fit, *, is_retyped: bool) -> Decided:
        """The conversion, and a word on what was not certain."""
        chosen = fit.candidate
        warnings: list[str] = []
        if fit.rivals and chosen.decimal:
            warnings.append(
                _(
                    "Column {name}: a value such as {example} could be read in two ways;"
                    " '{mark}' was taken to stand before the decimals."
                ).format(name=self._name, example=min(self._sample), mark=chosen.decimal)
            )
        elif fit.rivals:
            warnings.append(
                _(
                    "Column {name}: day and month could be swapped in every date;"
                    " they were read as day/month."
                ).format(name=self._name)
            )
        elif chosen.order == "mdy":
            warnings.append(
                _("Column {name}: its dates are written month/day, and were read so.").format(
                    name=self._name
                )
            )
        if is_retyped:
            warnings.append(
                _("Column {name}: its {kind} are stored as text in the file.").format(
                    name=self._name, kind=_(chosen.plural)
                )
            )
        return Decided(chosen.conversion.format(v=self._trimmed), tuple(warnings))

    def stay_text(self) -> Decided:
        """The text as it stands; where little keeps it from being more, that is named."""
        expression = f"CASE WHEN {self._trimmed} IS NOT NULL THEN {self._raw} END"
        if self._nearest is None:
            return Decided(expression)
        strays, present, candidate = self._nearest
        if strays > present * FEW:
            return Decided(expression)
        found = self._db.execute(
            f"SELECT DISTINCT {self._trimmed} AS v FROM raw"
            f" WHERE {self._stray(candidate)} ORDER BY v LIMIT {EXAMPLES}"
        ).fetchall()
        warning = ngettext(
            "Column {name}: {count} of {present} values does not read as {kind} ({examples}),"
            " so the whole column is text.",
            "Column {name}: {count} of {present} values are not {kind} ({examples}),"
            " so the whole column is text.",
            strays,
        ).format(
            name=self._name,
            count=number(strays, digits=0),
            present=number(present, digits=0),
            kind=_(candidate.plural),
            examples=", ".join(f"'{value}'" for (value,) in found),
        )
        return Decided(expression, (warning,))

    def _share(self, candidate: Candidate) -> float:
        if not self._sample:
            return 0
        pattern = re.compile(candidate.pattern, re.ASCII)
        matching = sum(count for value, count in self._sample.items() if pattern.fullmatch(value))
        return matching / self._sample.total()

    def _strays(self, candidate: Candidate) -> int:
        """How many of all values are not of this type; all, where there are too few different."""
        strays, present = self._one(
            f"count(*) FILTER ({self._stray(candidate)}), count({self._trimmed})"
        )
        if not strays and candidate.distinct > 1:
            (distinct,) = self._one(f"count(DISTINCT lower({self._trimmed}))")
            if distinct < candidate.distinct:
                return int(present)
        if strays and (self._nearest is None or strays < self._nearest[0]):
            self._nearest = (strays, present, candidate)
        return int(strays)

    def _stray(self, candidate: Candidate) -> str:
        slow = (
            f"NOT regexp_full_match({self._trimmed}, {literal(candidate.pattern)})"
            f" OR ({candidate.conversion.format(v=self._trimmed)}) IS NULL"
        )
        quick = candidate.quick.format(v=self._trimmed)
        return (
            f"CASE WHEN {self._trimmed} IS NULL OR coalesce({quick}, false) THEN false"
            f" ELSE {slow} END"
        )

    def _one(self, selected: str) -> tuple[Any, ...]:
        row = self._db.execute(f"SELECT {selected} FROM raw").fetchone()
        assert row is not None
        return row


def _padded(db: duckdb.DuckDBPyConnection, positions: Sequence[int]) -> list[bool]:
    """Of each column, whether any of its texts is empty, or begins or ends with a blank.

    Looking costs a tenth of trimming: 0.08 s for a million texts.
    """
    counts = ", ".join(
        f"count(*) FILTER (unicode(c{position}) IN (-1, {_BLANK_CODES})"
        f" OR unicode(right(c{position}, 1)) IN ({_BLANK_CODES}))"
        for position in positions
    )
    row = db.execute(f"SELECT {counts} FROM raw").fetchone()
    assert row is not None
    return [count > 0 for count in row]


def _is_own(kinds: frozenset[Kind]) -> bool:
    own = kinds - {"flaw"}
    return not own or own == {"number"} or own in _OWN


def _differs(one: Candidate, other: Candidate) -> bool:
    """Whether two types of the same kind read the same text as different values."""
    return one.type == other.type and (one.decimal, one.order) != (other.decimal, other.order)


def _only(values: set[Any]) -> str:
    return str(next(iter(values))) if len(values) == 1 else ""
