"""The type that all texts of a column have, if there is one, and what nearly was one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
)
from qhub_desktop.data.column_texts import MISSING, ColumnTexts
from qhub_desktop.data.raw import Kind

# A type is tried when so much of the sample has it.
LIKELY = 0.8
CODE_DIGITS = 6

_FAMILY: dict[Kind, set[str]] = {
    "number": {NUMBERS},
    "boolean": {BOOLEANS},
    "date": {DATES},
    "datetime": {DATES},
    "time": {TIMES},
    "duration": {DURATIONS, TIMES},
}


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


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A candidate that all of the `present` texts fit but for a few."""

    strays: int
    present: int
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Unfit:
    """No candidate fits; `nearest` has the fewest texts against it."""

    nearest: NearMiss | None = None


def find_fit(
    texts: ColumnTexts, choices: Sequence[Candidate], *, is_text: bool, is_named_date: bool
) -> Fit | Unfit:
    """The first type that every text has, and the cells that have a type share.

    With `is_text` the file gives its cells no types.
    """
    cells = texts.cells
    if cells.text is None or (cells.kinds and not cells.is_of_one_kind):
        return Unfit()
    choices = _thinkable(texts, choices)
    if cells.kinds:
        family = set.union(*(_FAMILY[kind] for kind in cells.kinds))
        likely = [each for each in choices if each.plural in family and texts.share(each) > 0]
    else:
        likely = [each for each in choices if texts.share(each) >= LIKELY]
    try:
        return _first_fit(texts, likely, is_text=is_text, is_named_date=is_named_date)
    finally:
        texts.forget()


def _thinkable(texts: ColumnTexts, choices: Sequence[Candidate]) -> list[Candidate]:
    """The choices but those whose sign occurs nowhere."""
    written = "".join(texts.sample)
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


def _first_fit(
    texts: ColumnTexts, likely: Sequence[Candidate], *, is_text: bool, is_named_date: bool
) -> Fit | Unfit:
    nearest: NearMiss | None = None
    for position, candidate in enumerate(likely):
        match _tried(texts, candidate):
            case NearMiss() as miss:
                if nearest is None or miss.strays < nearest.strays:
                    nearest = miss
            case Fit() as fit if not is_text and candidate.type == "integer" and _are_codes(texts):
                return fit if is_named_date else Unfit(nearest)
            case Fit() as fit:
                rivals = tuple(
                    rival
                    for rival in likely[position + 1 :]
                    if _differs(candidate, rival) and isinstance(_tried(texts, rival), Fit)
                )
                return replace(fit, rivals=rivals)
    return Unfit(nearest)


def _tried(texts: ColumnTexts, candidate: Candidate) -> Fit | NearMiss | None:
    """Whether all texts are of this type, but for words that stand for nothing."""
    strays, present = texts.counts(candidate.stray, "{} IS NOT NULL".format)
    words = 0
    if strays:
        (words,) = texts.counts(lambda text: f"lower({text}) IN ({MISSING})")
        if words != strays:
            return NearMiss(strays - words, present, candidate) if words < strays else None
    if candidate.distinct > 1 and not texts.cells.kinds:
        (distinct,) = texts.figures(
            f"count(DISTINCT lower({texts.sql})) FILTER (NOT {candidate.stray(texts.sql)})"
        )
        if distinct < candidate.distinct:
            return None
    return Fit(candidate, words) if words < present else None


def _are_codes(texts: ColumnTexts) -> bool:
    """Whether the digits that a workbook holds as text are of one length, as in telephones."""
    if texts.cells.kinds:
        return False
    shortest, longest = texts.figures(f"min(length({texts.sql})), max(length({texts.sql}))")
    return bool(shortest == longest and shortest >= CODE_DIGITS)


def _differs(one: Candidate, other: Candidate) -> bool:
    """Whether two types of the same kind read the same text as different values."""
    return (
        one.type == other.type
        and one.plural == other.plural
        and (one.decimal, one.order) != (other.decimal, other.order)
    )
