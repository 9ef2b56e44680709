"""Candidates: a type in one notation, with the pattern of its texts and their conversion."""

from dataclasses import dataclass

from qhub_desktop.core.table import ColumnType, sql_literal
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.data.ingest.readers.sheet import Decimal

NUMBERS = gettext_noop("numbers")
PERCENTAGES = gettext_noop("percentages")
AMOUNTS = gettext_noop("amounts of money")
DATES = gettext_noop("dates")
TIMES = gettext_noop("times")
DURATIONS = gettext_noop("durations")
QUANTITIES = gettext_noop("numbers with a unit")
BOOLEANS = gettext_noop("yes/no values")
PARENTHESES = "()"  # around a negative number, as accountants write it


@dataclass(frozen=True, slots=True)
class Candidate:
    """One type in one notation.

    `pattern` is what every value must match in full (Python and the database read it alike), and
    `conversion` is SQL that makes the value from the trimmed text `{v}`, or NULL where it cannot.
    """

    type: ColumnType
    label: str  # what its values are called, as a catalogue key
    pattern: str
    conversion: str
    decimal: Decimal | None = None
    order: str = ""  # of day and month, where they could be confused
    distinct: int = 1  # how many different values there must be
    signs: str = ""  # characters that every value has; letters stand for either case
    always_converts: bool = False  # whether what matches the pattern always has a value
    # A pattern of what stands behind the value, and has to be the same in all texts: its group.
    tail: str = ""
    hint: str = ""  # a pattern that one of the first texts shows, or the candidate is not tried
    # SQL that is true only where the pattern matches, and ten times quicker.
    fast_check: str | None = None
    day_form: str = ""  # of dates in figures, as strptime has it

    def is_surely(self, text: str) -> str:
        """Return SQL that is true only for texts of the type, by the quick check if any."""
        return "false" if self.fast_check is None else self.fast_check.format(v=text)

    def mismatch(self, text: str) -> str:
        """Return SQL that is true where this text is not of the type."""
        slow = f"NOT regexp_full_match({text}, {sql_literal(self.pattern)})"
        if not self.always_converts:
            slow += f" OR ({self.conversion.format(v=text)}) IS NULL"
        if self.fast_check is None:
            return f"({text} IS NOT NULL AND ({slow}))"
        fast_check = self.is_surely(text)
        return (
            f"CASE WHEN {text} IS NULL OR coalesce({fast_check}, false) THEN false ELSE {slow} END"
        )


def doubled(pattern: str) -> str:
    """Return a pattern for a conversion, in which braces stand around the text's place."""
    return pattern.replace("{", "{{").replace("}", "}}")
