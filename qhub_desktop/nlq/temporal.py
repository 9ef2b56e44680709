"""Days in a question: found, and resolved.

Units (`date_grammar`) are put together to ranges, to spans that are open to one side, and to pairs,
in which one says what the other leaves out: 'de 5 a 11 de janeiro vs de 19 a 25'.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Literal

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.date_grammar import HINT, PREPOSITION, units_at, words
from qhub_desktop.nlq.date_units import (
    ALONE,
    LEANING,
    PAIRED,
    Calendar,
    Span,
    Unit,
    completed,
    days_of,
    of_kind,
    unit_before,
    unit_of_now,
)
from qhub_desktop.nlq.lexicon import date_patterns, role_pattern
from qhub_desktop.nlq.tokenizer import Place, normalize_in_place

_AHEAD = re.compile(rf"\b(?:{'|'.join(date_patterns('ahead'))})\b")
_RELATIVE = re.compile(rf"\b(?:{'|'.join(date_patterns('relative'))})\b")


def says_relatively(text: str, rest: str) -> bool:
    """Return whether what was blanked out counts from today."""
    return bool(_RELATIVE.search(normalize_in_place(text))) and not _RELATIVE.search(
        normalize_in_place(rest)
    )


def says_ahead(text: str, rest: str) -> bool:
    """Return whether what was blanked out is still to come: 'nos próximos 30 dias'."""
    said, left = (len(_AHEAD.findall(normalize_in_place(each))) for each in (text, rest))
    return said > left


Side = Literal["", "since", "until", "after", "before"]
Joint = Literal["", "and", "versus", "towards"]
_MOST = 12  # spans that are joined
_FAR = 6  # months: of two that are further apart, the later one is of the year after


@dataclass(frozen=True, slots=True)
class _Said:
    """A unit, a range of two or a span that is open to one side, as it is said."""

    start: int
    end: int
    first: Unit
    last: Unit | None = None
    side: Side = ""
    joint: Joint = ""  # how it is joined to the one before
    is_two: bool = False  # no range, though it is said like one: 'subiu de 2021 a 2022'

    @property
    def strength(self) -> int:
        """How much is said, of the two units in a range."""
        return max(self.first.strength, self.last.strength if self.last else LEANING)

    @property
    def units(self) -> tuple[Unit, ...]:
        """Its one or two units."""
        return (self.first,) if self.last is None else (self.first, self.last)


def days_in(text: str, calendar: Calendar) -> tuple[tuple[Place, Span], ...]:
    """Return the spans of days in a text in their order, and where each stands."""
    plain = normalize_in_place(text)
    return _spans(plain, calendar) if _hint().search(plain) else ()


def with_years(text: str, calendar: Calendar, names: Callable[[str], bool]) -> str:
    """Return a text in which quarters by their codes have a year: 'Q2' becomes 'Q2 2025'.

    `names` says of a code that it is what something in the data is called.
    """
    if _ANY_YEAR.search(text):
        return text

    def completed_code(match: re.Match[str]) -> str:
        code = match[0]
        if names(code.lower()):
            return code
        number = int(re.sub(r"\D", "", code))
        return f"{code} {calendar.year_of(3 * number - 2)}"

    return _bare_code().sub(completed_code, text)


_ANY_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@cache
def _bare_code() -> re.Pattern[str]:
    codes = words("quarter_code")
    return re.compile(rf"(?<![\w/.-])(?:{codes}[1-4]|[1-4]{codes})(?![\w'/-])", re.IGNORECASE)


@cache
def _hint() -> re.Pattern[str]:
    return re.compile(HINT)


@lru_cache(maxsize=256)
def _spans(text: str, calendar: Calendar) -> tuple[tuple[Place, Span], ...]:
    """Return the spans of days in a normalized text, and where each stands."""
    said: list[_Said] = []
    at = 0
    while (start := _WORD_BEGINNING.search(text, at)) is not None:
        found = _said_at(text, start.start(), calendar)
        said += found
        at = found[-1].end if found else _after_word(text, start.start())
    return tuple(_merged(_resolved(said, calendar)))


_WORD_BEGINNING = re.compile(r"(?<![\w'’])(?<!\d[.,:/-])['’\w]")
_WORD_END = re.compile(r".\w*", re.DOTALL)


def _after_word(text: str, at: int) -> int:
    match = _WORD_END.match(text, at)
    assert match is not None
    return match.end()


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The patterns between units; compiled when a question first has days."""

    openings: tuple[tuple[re.Pattern[str], bool], ...]  # each with whether it says 'between'
    to: re.Pattern[str]
    and_: re.Pattern[str]
    slash: re.Pattern[str]
    joint: re.Pattern[str]
    versus: re.Pattern[str]
    sides: tuple[tuple[Side, re.Pattern[str]], ...]
    onwards: re.Pattern[str]
    grown: re.Pattern[str]
    compared: re.Pattern[str]
    goes_on: re.Pattern[str]


@cache
def _grammar() -> _Grammar:
    of, the = words("of", "in"), f"(?:{words('the')} )?"
    spans = f"{words('years', 'months')} (?:{of} )?"
    begins, ends = (f"(?:{the}{words(each)} {of} {the})?" for each in ("begin", "end"))
    return _Grammar(
        openings=tuple(
            (re.compile(pattern), is_between)
            for pattern, is_between in (
                (f"{words('between')} {the}", True),
                (f"{words('between')} {the}{spans}", True),
                (f"{words('from')} {the}", False),
                (f"(?:{words('from')}|{PREPOSITION}) {the}{spans}", False),
                (f"(?:{PREPOSITION} )?{words('week')} {words('of', 'from')} {the}", False),
            )
        ),
        to=re.compile(rf" ?[-–—] ?| {words('to')} {the}"),
        and_=re.compile(f" {words('and')} {the}"),
        slash=re.compile(" ?/ ?"),
        joint=re.compile(
            rf"(?P<and> {words('and', 'or')} | ?[&+] ?|, ?(?:{words('and', 'or')} )?)"
            rf"|(?P<versus>,? {words('versus')}\.? )|(?P<towards> {words('towards')} )"
        ),
        versus=re.compile(
            rf" {words('versus')}\.? (?:(?:{words('from', 'between')}|{PREPOSITION}) )*$"
        ),
        sides=(
            (
                "since",
                re.compile(f"(?:{words('since')}|(?P<day>{words('since_day')})) {begins}"),
            ),
            ("until", re.compile(f"{words('until')} {ends}")),
            ("until", re.compile(f"{words('before')} {the}{words('end')} {of} {the}")),
            ("after", re.compile(f"{words('after')} ")),
            ("before", re.compile(f"{words('before')} ")),
        ),
        onwards=re.compile(rf" (?:{words('onwards')}(?!\w)|{words('onwards_last')}(?! ?\w))"),
        grown=re.compile(rf"\b{words('grown')}"),
        compared=re.compile(rf"\b{words('compared')}"),
        goes_on=re.compile(
            rf"\W*$|[^\w ]| (?:{role_pattern('words', 'of', 'by', 'and', 'or')}"
            rf"|{words('versus', 'in')})(?!\w)"
        ),
    )


def _said_at(text: str, at: int, calendar: Calendar) -> list[_Said]:
    """Return the span that begins at a place, with those that are joined to it; [] if none does."""
    best: list[_Said] = []
    for single in _singles_at(text, at, calendar):
        chain = _chain(text, single, calendar)
        if chain and (not best or chain[-1].end > best[-1].end):
            best = chain
    return best


def _singles_at(text: str, at: int, calendar: Calendar) -> list[_Said]:
    """Return what may begin at a place, alone or not, the longest first."""
    grammar = _grammar()
    found: list[_Said] = []
    for side, pattern in grammar.sides:
        if (match := pattern.match(text, at)) is not None:
            is_bare = side == "since" and bool(match["day"])
            units = units_at(text, match.end(), calendar)
            opened = (_open(text, at, side, each, is_bare=is_bare) for each in units)
            found += [each for each in opened if each is not None]
    starts = {at: False}
    for pattern, is_between in grammar.openings:
        if (match := pattern.match(text, at)) is not None:
            starts[match.end()] = is_between
    for start, is_between in starts.items():
        for unit in units_at(text, start, calendar):
            ranges = _ranges(text, unit, calendar, is_between=is_between, is_opened=start > at)
            found += [replace(each, start=at) for each in ranges]
            if start == at:
                found.append(_Said(at, unit.end, unit))
                if (match := grammar.onwards.match(text, unit.end)) is not None:
                    found.append(_Said(at, match.end(), unit, side="since"))
    return sorted(found, key=lambda each: (-each.end, -each.strength))


def _open(text: str, at: int, side: Side, unit: Unit, *, is_bare: bool) -> _Said | None:
    """Return a span that is open to one side, if enough is said for one."""
    if unit.strength < PAIRED:
        return None
    said = replace(unit, strength=ALONE)
    if (onwards := _grammar().onwards.match(text, unit.end)) is not None:
        return _Said(at, onwards.end(), said, side=side)
    if unit.kind == "year" and is_bare:
        return _Said(at, unit.end, said)  # 'orders from 2023'
    is_round = unit.kind == "year" and unit.strength < ALONE and (unit.year or 0) % 100 == 0
    if is_round and side == "until":
        return None  # 'até 2000' is rather a number
    return _Said(at, unit.end, said, side=side)


def _ranges(
    text: str, first: Unit, calendar: Calendar, *, is_between: bool, is_opened: bool
) -> list[_Said]:
    """Return the ranges that a unit may begin."""
    grammar = _grammar()
    found: list[_Said] = []
    for pattern in (grammar.to, grammar.and_, grammar.slash):
        is_and = pattern is grammar.and_
        if is_and and not is_between:
            continue
        if (match := pattern.match(text, first.end)) is None:
            continue
        for last in units_at(text, match.end(), calendar):
            made = _paired(first, last)
            if made is None or (is_and and all(_is_doubtful(each) for each in made)):
                continue
            if pattern is grammar.slash and not _may_be_parted(*made):
                continue
            said = _Said(first.start, last.end, *made)
            has_change = _may_be_changed(*made) and grammar.grown.search(text)
            is_word = match[0].strip().isalpha() and (is_and or not is_opened)
            if has_change or (is_word and _are_compared(text, said)):
                said = replace(said, is_two=True)
            found.append(said)
    return found


def _may_be_changed(first: Unit, last: Unit) -> bool:
    """Return whether what grew from one to another is compared: years, a month with the next."""
    is_next = first.kind == last.kind == "month" and first.year == last.year
    return first.kind == "year" or (is_next and (first.month or 0) + 1 == last.month)


def _are_compared(text: str, said: _Said) -> bool:
    """Return whether two ends are compared with each other, and not a range with another."""
    grammar = _grammar()
    after = grammar.joint.match(text, said.end)
    is_first = after is not None and bool(after["versus"])
    is_second = grammar.versus.search(text[: said.start]) is not None
    return bool(grammar.compared.search(text)) and not (is_first or is_second)


def _is_doubtful(unit: Unit) -> bool:
    return unit.is_doubtful and unit.strength < PAIRED


def _may_be_parted(first: Unit, last: Unit) -> bool:
    """Return whether a stroke joins two units: 'jan/fev', and days that are written with years."""
    is_day = first.kind == last.kind == "day" and bool(first.year and last.year)
    return is_day or first.kind == last.kind == "month"


_MIXED = ("day", "month", "relative", "week", "quarter")


def _paired(first: Unit, last: Unit) -> tuple[Unit, Unit] | None:
    """Return the ends of a range, each with what kind the other says it is; None if it is none."""
    one, other = of_kind(first, last), of_kind(last, first)
    strengths = sorted((one.strength, other.strength))
    if one.kind == other.kind == "number":
        return one, other  # of days, if those beside it are: 'de 5 a 11 de maio vs de 19 a 25'
    if "number" in (one.kind, other.kind) or "ordinal" in (one.kind, other.kind):
        return None
    if strengths[1] < PAIRED and one.kind != "month":
        return None
    one, other = (each if each.kind == "day" else completed(each, other) for each in (one, other))
    if one.kind != other.kind:
        is_mixed = one.kind in _MIXED and other.kind in _MIXED and strengths[0] == ALONE
        return (one, other) if is_mixed else None
    if one.kind == "year" and (one.year or 0) >= (other.year or 0):
        return None
    return one, other


def _chain(text: str, first: _Said, calendar: Calendar) -> list[_Said]:
    """Return what is said from a place on, as long as one span is joined to the next."""
    chain = [*_apart(first)]
    while len(chain) < _MOST and (match := _grammar().joint.match(text, chain[-1].end)):
        joint: Joint = "and" if match["and"] else "versus" if match["versus"] else "towards"
        following = _joined(text, match.end(), chain, joint, calendar)
        if following is None:
            break
        chain += _apart(following)
    while chain:
        completed_chain = _completed(chain, calendar)
        if completed_chain is not None:
            return completed_chain
        chain.pop()
    return []


def _apart(said: _Said) -> tuple[_Said, ...]:
    """Return the two units of what is no range but a pair, else the range itself."""
    if not said.is_two or said.last is None:
        return (said,)
    first, last = (replace(each, strength=ALONE) for each in (said.first, said.last))
    return (
        _Said(said.start, first.end, first, joint=said.joint),
        _Said(last.start, last.end, last, joint="versus"),
    )


def _joined(
    text: str, at: int, chain: Sequence[_Said], joint: Joint, calendar: Calendar
) -> _Said | None:
    """Return what is joined to the last of a chain: the longest that fits it."""
    before = chain[-1]
    unit = before.units[-1]
    if before.strength == ALONE and not before.side:
        try:
            days = _days_of(before, calendar)
        except (ValueError, OverflowError):
            return None
        beside = unit_before(text, at, unit, days)
        if beside is None and (now := unit_of_now(text, at, unit, calendar)) is not None:
            beside = now if _grammar().goes_on.match(text, now.end) else None
        if beside is not None:
            return _Said(at, beside.end, beside, joint=joint)
    for each in _singles_at(text, at, calendar):
        if (year := _year_alone(each)) is not None and _has_months(before):
            return _in_another_year(before, each, year, joint)
        if _fits(text, each, before):
            return replace(each, joint=joint)
    return None


def _year_alone(said: _Said) -> int | None:
    """Return the year that is all that is said, if so."""
    unit = said.first
    if said.last is not None or said.side:
        return None
    if unit.kind == "relative" and unit.grain == "year" and unit.span[0] is not None:
        return unit.span[0].year
    return unit.year if unit.kind == "year" else None


def _has_months(said: _Said) -> bool:
    """Return whether a span is a part of a year that is said, too."""
    is_part = all(unit.kind not in ("year", "relative") for unit in said.units)
    return is_part and any(unit.year for unit in said.units) and not said.side


def _in_another_year(before: _Said, said: _Said, year: int, joint: Joint) -> _Said:
    """Return the same span of another year: 'maio de 2025 e de 2026'."""
    by = year - max(unit.year or 0 for unit in before.units)
    first, last = (
        None if each is None else replace(each, year=each.year and each.year + by)
        for each in (before.first, before.last)
    )
    assert first is not None
    return _Said(said.start, said.end, first, last, joint=joint)


def _fits(text: str, said: _Said, before: _Said) -> bool:
    """Return whether what follows may be joined: alone, or of the same kind as what is before."""
    if said.strength == ALONE:
        return True
    unit, near = said.units[-1], before.units[-1]
    is_bare = any(each.kind in ("number", "ordinal") for each in said.units)
    if is_bare and _grammar().goes_on.match(text, said.end) is None:
        return False  # 'no dia 12 e 3 turnos'
    return of_kind(unit, near).kind == of_kind(near, unit).kind


def _completed(chain: Sequence[_Said], calendar: Calendar) -> list[_Said] | None:
    """Return spans, each with what those beside it say for it; None if too little is said."""
    strong = [place for place, each in enumerate(chain) if each.strength == ALONE]
    if not strong and not _is_enough(chain):
        return None
    done = [*chain]
    for place in reversed(range(len(done) - 1)):
        done[place] = _beside(done[place], done[place + 1])
    for place in range(1, len(done)):
        done[place] = _beside(done[place], done[place - 1])
    if any(unit.kind in ("number", "ordinal") for each in done for unit in each.units):
        return None
    kinds = {each.units[-1].kind for each in done}
    if len(kinds) > 1 and any(each.strength < ALONE for each in chain):
        return None
    try:
        for each in done:
            _days_of(each, calendar)
    except (ValueError, OverflowError):
        return None
    return done


def _is_enough(chain: Sequence[_Said]) -> bool:
    """Return whether spans of which none stands alone say together that they are days."""
    last = chain[-1]
    units = [unit for each in chain for unit in each.units]
    is_of_months = all(each.kind == "month" for each in units)
    if len(units) < 2 or (max(each.strength for each in units) < PAIRED and not is_of_months):
        return False
    if units[0].kind == "year" and len(chain) > 1:
        return last.joint == "towards"  # two years that are named alone may be numbers
    is_range = len(chain) == 1
    return is_range or not all(each.is_doubtful for each in units) or last.joint == "versus"


def _beside(said: _Said, other: _Said) -> _Said:
    """Return a span with the kind and the month that the one beside it says."""
    near = other.units[-1]
    if near.kind == "week of a day" and said.last is None and said.first.kind == "day":
        return replace(said, first=replace(said.first, kind=near.kind))  # 'com a de 19/05'
    if said.last is not None:
        last = completed(of_kind(said.last, near), near)
        return replace(said, first=of_kind(said.first, last), last=last)
    return replace(said, first=completed(of_kind(said.first, near), near))


def _days_of(said: _Said, calendar: Calendar) -> Span:
    """Return the first and the last day of a span. Raises ValueError for a day that is none."""
    if said.last is not None:
        return _days_of_range(said.first, said.last, calendar)
    first, last = days_of(said.first, calendar)
    match said.side:
        case "since":
            return first, None
        case "until":
            return None, last
        case "after" if last is not None:
            return last + timedelta(days=1), None
        case "before" if first is not None:
            return None, first - timedelta(days=1)
    return first, last


def _days_of_range(first: Unit, last: Unit, calendar: Calendar) -> Span:
    if first.kind == last.kind == "day" and first.month is None:
        end = days_of(last, calendar)[1]
        assert end is not None
        return _up_to(end, first.number), end
    if first.kind == last.kind == "day" and last.month is None:
        start = days_of(first, calendar)[0]
        assert start is not None
        if last.number >= start.day:
            return start, start.replace(day=last.number)
        following = (start.replace(day=1) + timedelta(days=31)).replace(day=last.number)
        return start, following
    first, last = _of_one_year(first, last, calendar)
    edges = [*days_of(first, calendar), *days_of(last, calendar)]
    said = [each for each in edges if each is not None]
    return min(said), max(said)


def _up_to(last: date, number: int) -> date:
    """Return the last day of a number up to another day: 'de 28 a 3 de março' begins before it."""
    if number <= last.day:
        return last.replace(day=number)
    return (last.replace(day=1) - timedelta(days=1)).replace(day=number)


def _of_one_year(first: Unit, last: Unit, calendar: Calendar) -> tuple[Unit, Unit]:
    """Return the ends of a range with their years: 'de novembro a fevereiro' ends in the next."""
    if first.place is None or last.place is None:
        return first, last
    turns = int(first.place > last.place)
    if first.year is None and last.year is None:
        first = replace(first, year=calendar.year_of(int(first.place) + 1))
        if first.kind == "week":
            first = replace(first, year=calendar.last.year - turns)
    if first.year is None:
        return replace(first, year=(last.year or 0) - turns), last
    if last.year is None:
        return first, replace(last, year=first.year + turns)
    return first, last


def _resolved(said: Sequence[_Said], calendar: Calendar) -> list[tuple[_Said, Span]]:
    """Return spans with their days; one says the year for the others that are joined to it."""
    done = [*said]
    for place in reversed(range(len(done) - 1)):
        if done[place + 1].joint:
            done[place] = _in_year_of(done[place], done[place + 1], is_later=False)
    for place in range(1, len(done)):
        if done[place].joint:
            done[place] = _in_year_of(done[place], done[place - 1], is_later=True)
    found = []
    for each, original in zip(done, said, strict=True):
        try:
            found.append((each, _days_of(each, calendar)))
        except (ValueError, OverflowError):  # the 29th of February
            found.append((original, _days_of(original, calendar)))
    return found


def _in_year_of(said: _Said, other: _Said, *, is_later: bool) -> _Said:
    """Return a span in the year of another, where it says none; of the same months it has its own.

    December and January of 2026 are two months that follow each other.
    """
    years = [each.year for each in other.units if each.year is not None]
    places = [each.place for each in said.units]
    if not years or None in places or any(each.year is not None for each in said.units):
        return said
    others = [each.place for each in other.units]
    if others == places or None in others:
        return said
    near, far = places[0], others[-1] if is_later else others[0]
    assert near is not None
    assert far is not None
    turn = (far - near >= _FAR) if is_later else -(near - far >= _FAR)
    year = (years[-1] if is_later else years[0]) + turn
    return replace(said, first=replace(said.first, year=year))


def _merged(found: Sequence[tuple[_Said, Span]]) -> list[tuple[Place, Span]]:
    """Return spans of days with their places; those that are one side of a comparison are one."""
    is_compared = any(each.joint == "versus" for each, _ in found)
    runs: list[list[tuple[_Said, Span]]] = []
    for said, span in found:
        if runs and said.joint == "and" and _follows(runs[-1][-1], (said, span)):
            runs[-1].append((said, span))
        else:
            runs.append([(said, span)])
    made = []
    for run in runs:
        is_one = len(run) > 2 or (is_compared and len(runs) > 1)
        if is_one or (len(run) == 2 and any(_is_shared(each) for each, _ in run)):
            made.append(((run[0][0].start, run[-1][0].end), (run[0][1][0], run[-1][1][1])))
        else:
            made += [((each.start, each.end), span) for each, span in run]
    return made


def _is_shared(said: _Said) -> bool:
    """Return whether days or weeks are said by their numbers after one word: 'dias 12 e 13'."""
    return said.first.kind in ("day", "week") and said.first.strength < ALONE


def _follows(before: tuple[_Said, Span], after: tuple[_Said, Span]) -> bool:
    """Return whether a span begins on the day after another of its kind."""
    kinds = {each.kind for said in (before[0], after[0]) for each in said.units}
    end, start = before[1][1], after[1][0]
    if len(kinds) > 1 or end is None or start is None:
        return False
    return start == end + timedelta(days=1)
