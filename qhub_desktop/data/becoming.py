"""What one column becomes, and what there is to say about it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.table import ColumnType
from qhub_desktop.data import doubts
from qhub_desktop.data.candidates import AMOUNTS, DATES, NUMBERS, PERCENTAGES, Candidate
from qhub_desktop.data.choosing import as_chosen
from qhub_desktop.data.column_texts import MISSING, ColumnTexts
from qhub_desktop.data.day_numbers import days_of
from qhub_desktop.data.fitting import Fit, NearMiss, Unfit


@dataclass
class Decided:
    """How to store one column: SQL over the view `body`, and what to tell about it."""

    expression: str
    repaired: list[Finding] = field(default_factory=list)
    doubtful: list[Finding] = field(default_factory=list)


def become(texts: ColumnTexts, name: str, fit: Fit | Unfit, *, is_text: bool) -> Decided:
    """The conversion, and a word on what was not certain.

    With `is_text` the file gives its cells no types.
    """
    match fit:
        case Fit():
            return _converted(texts, name, fit, is_text=is_text)
        case Unfit(nearest):
            return _left(texts, name, nearest)


def become_chosen(
    texts: ColumnTexts, name: str, type_: ColumnType, choices: Sequence[Candidate]
) -> Decided:
    """What the person wants; what does not fit is missing, and said."""
    display = texts.cells.display
    if type_ in ("text", "category"):
        return Decided(display)
    plain = {"integer": ("integer", "number"), "number": ("integer", "number")}
    wanted = plain.get(type_, ("date", "datetime") if type_ in ("date", "datetime") else (type_,))
    fitting = [each for each in choices if each.type in wanted]
    best = max(fitting, key=lambda each: (texts.share(each), each.type == type_))
    decided = Decided(as_chosen(texts.cells, type_, best))
    lost = f"({display}) IS NOT NULL AND ({decided.expression}) IS NULL"
    if count := texts.count(lost):
        found = doubts.not_of_chosen_type(name, count, texts.addresses(lost))
        decided.doubtful.append(found)
    return decided


def _converted(texts: ColumnTexts, name: str, fit: Fit, *, is_text: bool) -> Decided:
    """The texts as values of the type that they have."""
    value = texts.sql
    if fit.words:
        value = f"CASE WHEN lower({value}) NOT IN ({MISSING}) THEN {value} END"
    expression = fit.candidate.conversion.format(v=value)
    own = texts.cells.own
    decided = Decided(expression if own is None else f"coalesce({own}, {expression})")
    _tell_fit(decided, texts, name, fit)
    if not is_text:
        _tell_stored_as_text(decided, texts, name, fit)
    if fit.words:
        decided.repaired.append(_missing_words(texts, name, fit.words))
    if not texts.cells.kinds and fit.candidate.plural == NUMBERS:
        _as_days(decided, texts, name)
    return decided


def _tell_fit(decided: Decided, texts: ColumnTexts, name: str, fit: Fit) -> None:
    """Say how the texts were read, and how they could have been."""
    chosen = fit.candidate
    example = min(texts.sample, key=lambda text: (len(text), text)) if texts.sample else ""
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


def _tell_stored_as_text(decided: Decided, texts: ColumnTexts, name: str, fit: Fit) -> None:
    is_there = f"{texts.sql} IS NOT NULL"
    count = texts.count(is_there) - fit.words
    decided.repaired.append(
        doubts.stored_as_text(name, fit.candidate.plural, count, texts.addresses(is_there))
    )


def _left(texts: ColumnTexts, name: str, nearest: NearMiss | None) -> Decided:
    """The type that the file itself gives, or the text as it stands."""
    cells = texts.cells
    if cells.text is None:
        decided = Decided(_own_expression(texts))
        if cells.kinds == {"number"}:
            _as_days(decided, texts, name)
        return decided
    if cells.kinds and cells.is_of_one_kind and texts.are_only_missing_words:
        (count,) = texts.figures(f"count({texts.sql})")
        decided = Decided(_own_expression(texts))
        if count:
            decided.repaired.append(_missing_words(texts, name, count))
        return decided
    decided = Decided(cells.display)
    if cells.kinds:
        decided.doubtful.append(_mixed(texts, name))
    elif nearest is not None and nearest.strays < nearest.present / 2:
        decided.doubtful.append(_strays(texts, name, nearest))
    return decided


def _own_expression(texts: ColumnTexts) -> str:
    """The values of cells that the file itself gives a type."""
    kinds, own = texts.cells.kinds, texts.cells.own
    if own is None:
        return texts.cells.display if kinds else "NULL::VARCHAR"
    if kinds == {"number"}:
        fractions, largest = texts.figures(
            f"count(*) FILTER ({own} <> floor({own})), max(abs({own}))"
        )
        is_whole = not fractions and largest is not None and largest < 1e18
        return f"CAST({own} AS BIGINT)" if is_whole else f"CAST({own} AS DOUBLE)"
    if "datetime" in kinds:
        is_timed = texts.count(f"CAST({own} AS TIME) <> TIME '00:00:00'")
        return own if is_timed else f"CAST({own} AS DATE)"
    return own


def _as_days(decided: Decided, texts: ColumnTexts, name: str) -> None:
    """Make days of numbers that are days."""
    days = days_of(texts, name, decided.expression)
    if days is None:
        return
    decided.expression = days.expression
    if days.is_compact:
        for each in [each for each in decided.repaired if each.kind == "text_as_number"]:
            decided.repaired.remove(each)
            decided.repaired.append(doubts.stored_as_text(name, DATES, each.count, each.cells))
    decided.repaired.append(days.told)


def _missing_words(texts: ColumnTexts, name: str, count: int) -> Finding:
    is_one = f"lower({texts.sql}) IN ({MISSING})"
    return doubts.missing_words(name, count, texts.examples(is_one), texts.addresses(is_one))


def _mixed(texts: ColumnTexts, name: str) -> Finding:
    display = texts.cells.display
    is_text = f"{texts.sql} IS NOT NULL"
    texts_, filled = texts.figures(f"count(*) FILTER ({is_text}), count({display})")
    is_odd = is_text
    if texts_ * 2 > filled:
        is_odd = f"({display}) IS NOT NULL AND {texts.sql} IS NULL"
    return doubts.mixed_column(
        name,
        min(texts_, filled - texts_),
        filled,
        texts.examples(is_odd),
        texts.addresses(is_odd),
    )


def _strays(texts: ColumnTexts, name: str, nearest: NearMiss) -> Finding:
    is_stray = nearest.candidate.stray(texts.sql)
    condition = f"{is_stray} AND lower({texts.sql}) NOT IN ({MISSING})"
    return doubts.strays(
        name,
        nearest.strays,
        nearest.present,
        nearest.candidate.plural,
        texts.examples(condition),
        texts.addresses(condition),
    )
