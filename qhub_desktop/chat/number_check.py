"""Check of the numbers in an answer: each is looked for in what the tools returned.

A number is supported where a result holds it, rounded as it is written; derived where it comes of
numbers of one list that the answer names (their sum, a difference, a ratio, a share); else
unsupported. Dates, years, times, ordinals, numbers of items and of norms, names with digits, and
whatever is quoted, code or a formula are no numbers of this check.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from functools import cache, cached_property
from itertools import accumulate, chain, islice, permutations, product
from typing import TypeGuard, cast

from qhub_desktop.core.message import (
    Block,
    CheckedNumber,
    Message,
    NumberCheck,
    NumberState,
    Text,
    ToolResult,
)
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, Study, TableView
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import fold, fold_in_place, month_names, words_of
from qhub_desktop.core.values import dataclass

MOST_DERIVED = 12  # values of a list that a number may come of
_MOST_TEXT = 400  # characters of a result's text that numbers are read in
_MOST_OUTPUT = 20_000  # of one that has several lines
_SLACK = 1e-9
_HALF = 0.5
_NEAR = 30  # characters between two numbers that a share may be of, as in '62 of 200'
_MOST_MORE = 4  # derived numbers that others may come of
_MOST_NAMED = 100  # rows whose names are remembered
_NUMBERS = frozenset({int, float})
_MOST = 1e300  # nothing endless, and no whole number that is no float

_NUMBER = re.compile(
    r"(?<![\w.,/])(?P<digits>\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?"
    r"|\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
    r"(?P<after>[ \u00a0\u202f]?(?:%|‰|[^\W\d_]+)?)"
)
_HIDDEN = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"  # code
    r"|\$\$.*?\$\$|\$[^$\n]+\$|\\\(.*?\\\)|\\\[.*?\\\]"  # formulas
    r"|«[^»\n]*»|“[^”\n]*”|\"[^\"\n]*\"|^[ ]*>[^\n]*$"  # quoted
    r"|\[(?:\\.|[^\[\]\\])*\]\(qhub-[^)\n]*\)|\]\([^)\n]*\)|https?://\S+"  # marks and addresses
    r"|^[ \t]*\d{1,3}[.)](?=\s)|^[ \t]*\|[ \t]*\d{1,2}\.?[ \t]*(?=\|[ \t]*[*`]*[^\W\d])"  # of items
    r"|\b\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d(?::\d\d)?)?|\b\d\d?[-/.]\d\d?[-/.]\d{2,4}\b"
    r"|\b\d\d?/\d\d?\b(?![\d,])|\b\d\d?:\d\d(?::\d\d)?\b|\b\d\d?h(?:\d\d)?\b"
    r"|\b\d+(?:\.?[ºª°](?!\s?c\b)|\.[oa]\b|st\b|nd\b|rd\b|th\b)"  # ordinals
    r"|\b\d+(?:\.\d{1,2}){2,}\b|\b\d[ds]\b"  # numbers of sections, 8D and 5S
    r"|[^\W\d]+(?:[-_./]?\d+)+(?:[-_./][\w]+)*|\b\d+[-_]?[^\W\d_]+\d+\w*"  # names with digits
    r"|\w+\.(?:csv|xlsx?|tsv|txt|pdf|docx?|json|ods)\b",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_PAIRED = re.compile(r"[^\d\n]{0,30}[(|][^\w\n]{0,3}")
_IN_RESULT = re.compile(r"(\d+(?:[.,\u00a0\u202f ]\d+)*)([ \u00a0]?%)?")
_WORD_OR_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?%?|[^\W\d_][^\s=:]*")
_AROUND_NAMES = " \u00a0*_|(-–—:=\"'»«>"
_DAYS = re.compile(r"^ ?(?:[-–]|a|e|ate|to|and|until) ?\d{1,2}\b")
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")
_MULTIPLES = {"mil": 1e3, "thousand": 1e3, "k": 1e3}
_TIME_UNITS = {"h", "min", "s", "seg", "d", "hora", "horas", "minutos", "segundos", "dias"} | {
    "hours", "hour", "minutes", "seconds", "days"
}  # fmt: skip
_YEARS = range(1900, 2100)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a number's digits: its value, and by how much it may be rounded."""

    value: float
    within: float


@dataclass(frozen=True, slots=True)
class _Written:
    """A number as it stands in a text, its end behind a sign of per cent."""

    start: int
    end: int
    readings: tuple[_Reading, ...]
    unit: str
    sentence: str
    lead: str  # what stands between the number before it, or the line's start, and this one
    prior: tuple[_Reading, ...]  # of a number that this one follows as in '62 (31 %)'

    @property
    def has_three_digits(self) -> bool:
        """Whether it has a decimal, or three digits."""
        return any(each.within < _HALF or each.value >= 100 for each in self.readings)

    @property
    def is_share(self) -> bool:
        """Whether it is written in per cent or per mille."""
        return self.unit in ("%", "‰")


@dataclass(frozen=True, slots=True)
class _List:
    """Numbers of one list or column, each with the names in its row, of the result of a call."""

    call: str
    cells: tuple[tuple[tuple[str, ...], float], ...]
    wholes: tuple[float, ...]  # single numbers beside the list
    is_row: bool = False


def check_numbers(
    blocks: Sequence[Block], *, question: str = "", given: Iterable[str] = ()
) -> NumberCheck:
    """Check the numbers in the words of an answer against the results in it.

    What the `question` holds is the person's; `given` are further texts that a model was told, such
    as the profiles of data sets. To be called off the window's thread.
    """
    texts = [(at, block.text) for at, block in enumerate(blocks) if isinstance(block, Text)]
    written = [(at, each) for at, text in texts for each in _numbers_in(text)]
    if not written:
        return NumberCheck(())
    found = _Found()
    for block in blocks:
        if isinstance(block, ToolResult) and not block.is_error:
            found.add_result(block)
    held = _Held(found, found.sizes())
    asked, told = _values_in([question]), _values_in(given)

    def is_told(each: _Written) -> bool:
        # Of one and two digits, a few rows of data already hold nearly all there are.
        return each.has_three_digits and _among(each, told) is not None

    supports = {
        at: value
        for at, (_block, each) in enumerate(written)
        if (value := held.of(each)) is not None
    }
    rest = {
        at
        for at, (_block, each) in enumerate(written)
        if at not in supports and _among(each, asked) is None and not is_told(each)
    }
    words = fold(" ".join(text for _at, text in texts))
    said = frozenset(supports.values())
    lists = [(each, _told_of(each, words, said)) for each in found.lists] if rest else []
    derived: dict[int, tuple[str, float]] = {}
    for _pass in range(2):  # what comes of a list may itself be a part of what else does
        more = [value for _call, value in derived.values()][:_MOST_MORE]
        for at in sorted(rest - derived.keys()):
            for one, told_ in lists:
                value = _comes_of(written[at][1], one, [*told_, *more], asked[:3])
                if value is not None:
                    derived[at] = one.call, value
                    break
    checked = []
    for at, (place, each) in enumerate(written):
        state: NumberState = "supported"
        call = ""
        if at in supports:
            call = found.call_of(supports[at])
        elif at in derived:
            state, call = "derived", derived[at][0]
        elif at in rest:
            state = "unsupported"
        elif not is_told(each):
            state = "asked"
        checked.append(CheckedNumber(place, each.start, each.end, state, call))
    return NumberCheck(tuple(checked))


def said_before(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the words of earlier messages that a number may be of, without what was unsupported."""
    for message in messages:
        checks = [each for each in message.blocks if isinstance(each, NumberCheck)]
        marked = [each for check in checks for each in check.numbers if each.state == "unsupported"]
        for at, block in enumerate(message.blocks):
            if isinstance(block, Text):
                text = block.text
                for each in marked:
                    if each.block == at:
                        gap = " " * (each.end - each.start)
                        text = text[: each.start] + gap + text[each.end :]
                yield text


def number_places(text: str) -> list[tuple[int, int]]:
    """Return where the numbers of a text stand that are checked: start and end of each."""
    return [(each.start, each.end) for each in _numbers_in(text)]


def readable(text: str) -> str:
    """Return a text of the same length with blanks for all that is no number of this check."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _numbers_in(text: str) -> Iterator[_Written]:
    if not any(map(str.isdigit, text)):
        return
    clean = readable(text)
    folded = fold_in_place(clean)
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(folded)), len(folded)]
    last: tuple[int, tuple[_Reading, ...]] = 0, ()
    for found in _NUMBER.finditer(folded):
        digits, after = found["digits"], found["after"].strip()
        before = folded[max(0, found.start() - 24) : found.start()]
        if _is_named(digits, folded[found.end("digits") : found.end("digits") + 24], before):
            continue
        place = bisect_left(ends, found.start() + 1)
        sentence = folded[ends[place - 1] : ends[place]]
        end = found.end() if after in ("%", "‰") else found.end("digits")
        readings = tuple(_readings_of(digits, after, before))
        lead = folded[
            max(last[0], folded.rfind("\n", 0, found.start()), found.start() - 60) : found.start()
        ]
        prior = last[1] if _PAIRED.fullmatch(lead) else ()
        yield _Written(found.start(), end, readings, after, sentence, lead, prior)
        last = end, (*readings, *(last[1] if len(lead) < _NEAR else ()))[:4]


def _is_named(digits: str, after: str, before: str) -> bool:
    """Return whether a number is of a date or of a norm, by the words around it."""
    words = before.replace("(", " ").split()
    last = words[-1] if words else ""
    if last in words_of("documents", "standards") or before.endswith(":"):
        return True
    if not digits.isdecimal():
        return False
    if len(digits) == 4 and int(digits) in _YEARS:
        is_of_month = last in _months() or (len(words) > 1 and words[-2] in _months())
        return is_of_month or last in _cue("before_year") or before.endswith("/")
    following = [word.strip(".,;:)*") for word in _DAYS.sub("", after).split()[:2]]
    return len(digits) <= 2 and (last in _months() or not _months().isdisjoint(following))


@cache
def _months() -> frozenset[str]:
    return frozenset(fold(name) for name in month_names() if len(name) > 3)


@cache
def _cue(kind: str) -> tuple[str, ...]:
    return words_of("number_check", kind)


def _readings_of(digits: str, after: str, before: str) -> Iterator[_Reading]:
    times = _MULTIPLES.get(after, 1e6 if after.startswith(("milh", "million")) else 1.0)
    is_rounded = before.rstrip("*_ €$~≈").endswith(_cue("about")) or before.endswith(
        ("≈ ", "~", "≈")
    )
    for plain in _plain_forms(digits):
        decimals = len(plain.partition(".")[2])
        step = 10.0**-decimals
        if is_rounded and not decimals:
            step = 10.0 ** (len(plain) - len(plain.rstrip("0")))
        # A number that is said to be about another may be cut as well as rounded.
        within = step if is_rounded else step / 2
        yield _Reading(float(plain) * times, within * times)


def _plain_forms(digits: str) -> Iterator[str]:
    """Yield a number as Python writes it: twice where its one sign may part thousands."""
    bare = re.sub(r"[ \u00a0\u202f']", "", digits)
    signs = re.findall(r"[.,]", bare)
    if not signs:
        yield bare
    elif len(set(signs)) == 2 or (len(bare) != len(digits) and len(signs) == 1):
        whole, _sign, decimals = bare.rpartition(signs[-1])
        yield f"{re.sub('[.,]', '', whole)}.{decimals}"
    elif len(signs) > 1:
        yield re.sub("[.,]", "", bare)
    else:
        whole, _sign, decimals = bare.partition(signs[0])
        yield f"{whole}.{decimals}"
        if len(decimals) == 3 and len(whole) <= 3 and not whole.startswith("0"):
            yield whole + decimals


def _values_in(texts: Iterable[str]) -> list[float]:
    """Return the values of all numbers in some texts, sorted."""
    return sorted(
        {reading.value for text in texts for each in _numbers_in(text) for reading in each.readings}
    )


def _among(
    written: _Written, values: Sequence[float], scales: Sequence[float] = ()
) -> float | None:
    """Return the value that a number is written for, None where there is none."""
    for reading in written.readings:
        for times in scales or _scales(written):
            value, within = reading.value / times, reading.within / times
            lowest = value - within * (1 + _SLACK)
            place = bisect_left(values, lowest - abs(value) * _SLACK)
            if place < len(values) and values[place] <= value + within + abs(value) * _SLACK:
                return values[place]
    return None


def _scales(written: _Written) -> tuple[float, ...]:
    """Return by how much a value may have been multiplied to be written so."""
    if written.unit == "%":
        return (1.0, 100.0)
    if written.unit == "‰":
        return (1.0, 1000.0)
    return (1.0, 60.0, 1 / 60, 3600.0, 1 / 3600) if written.unit in _TIME_UNITS else (1.0,)


def _told_of(one: _List, words: str, said: frozenset[float]) -> list[float]:
    """Return the values of a list that an answer tells, by a name in their row or themselves."""
    told = (
        value
        for names, value in one.cells
        if value in said or (not one.is_row and any(_is_said(name, words) for name in names))
    )
    return [*islice(told, MOST_DERIVED)]


def _is_said(name: str, words: str) -> bool:
    """Return whether a folded text says a name, as 'falta de tinta' does 'falta_tinta'."""
    parts = [part for part in re.split(r"[_\W]+", name) if len(part) > 1]
    return bool(parts) and all(part in words for part in parts)


def _comes_of(
    written: _Written, one: _List, told: Sequence[float], asked: Sequence[float]
) -> float | None:
    """Return what a number is, if it is a sum, difference, ratio or share of what is told."""
    for value in _derived(written, one, told, asked):
        for reading in written.readings:
            if abs(reading.value - value) <= reading.within * (1 + _SLACK) + abs(value) * _SLACK:
                return value
    return None


def _derived(
    written: _Written, one: _List, told: Sequence[float], asked: Sequence[float]
) -> Iterator[float]:
    """Yield what a number may be that comes of a list, by what its sentence says of it."""
    values = [value for _names, value in one.cells]
    says = _said_in(written)
    total = sum(values)
    starts = [*accumulate(values)][1:MOST_DERIVED]  # of a ranking: its first two, three…
    wholes = (total, *one.wholes)
    yield total
    if says["mean"]:
        yield total / len(values)
    named: dict[str, list[float]] = {}
    for names, value in one.cells:
        for name in names:
            named.setdefault(name, []).append(value)
    yield from (sum(parts) for parts in named.values() if 1 < len(parts) < len(values))
    sums = [*(told and [sum(told)]), *(starts if says["sum"] or says["listed"] else ())]
    if says["sum"] or says["listed"]:
        yield from sums
    if says["rest"]:
        yield from (whole - each for whole in wholes for each in (*told, *sums))
    if written.is_share:
        prior = [each.value for each in written.prior]
        if prior:  # '62 of 200 (31 %)': of those alone
            yield from (100 * a / b for a, b in product(prior, (*prior, *wholes)) if b)
            if not says["difference"]:
                return
        for whole in filter(None, wholes):
            yield from (100 * each / whole for each in (*told, *sums))
            if says["rest"]:
                yield from (100 - 100 * each / whole for each in (*told, *sums))
        if says["rest"]:
            yield from (100 - each for each in told)
    pairs = permutations(told, 2)
    for a, b in chain(pairs, product(told, asked), product(asked, told)):
        if says["sum"] or one.is_row:
            yield a + b
        if says["difference"] or one.is_row:
            yield abs(a - b)
            if says["points"]:
                yield 100 * abs(a - b)
        if b and (says["ratio"] or written.is_share):
            yield a / b if not written.is_share else 100 * a / b
        if b and written.is_share and (says["difference"] or says["ratio"]):
            yield 100 * abs(a - b) / b


def _said_in(written: _Written) -> dict[str, bool]:
    kinds = ("difference", "sum", "ratio", "rest", "mean", "listed", "points")
    says = {kind: any(word in written.sentence for word in _cue(kind)) for kind in kinds}
    says["difference"] |= written.lead.endswith(("+", "-", "−"))
    return says


def _cells_of(row: object) -> Iterable[object]:
    if isinstance(row, dict):
        return row.values()
    return row if isinstance(row, list | tuple) else [row]


def _source_of(widget: object) -> Provenance | None:
    return getattr(widget, "source", None)


def _cell_of(word: str) -> str | float:
    """Return a word of a line as a cell: a number where it is one."""
    try:
        return float(word.rstrip("%").replace(",", "."))
    except ValueError:
        return word


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


class _Held:
    """All numbers of an answer's results, to be looked for."""

    def __init__(self, found: "_Found", numbers: Sequence[float]) -> None:
        self._all = numbers
        self._shares = found.shares
        self._rows = found.rows

    @cached_property
    def _parts(self) -> list[float]:
        return sorted({*self._shares, *(each for each in self._all if each % 1)})

    def of(self, written: _Written) -> float | None:
        """Return the number of a result that a written one is for, None for none."""
        if written.prior and written.is_share and not written.has_three_digits:
            # Whole per cents are as many as there are small counts: of those, none is a share.
            value = _among(written, self._parts, (1.0,))
            if value is None:
                value = _among(written, self._all[: bisect_left(self._all, 1.5)], (100.0,))
        else:
            value = _among(written, self._all)
        if value is None or not self._is_of_its_name(written):
            return None
        return value

    def _is_of_its_name(self, written: _Written) -> bool:
        """Return whether a number behind a name, as in 'lixo: 62', is of a row of that name."""
        words = written.lead.rstrip(_AROUND_NAMES).split()[-5:]
        if words and words[-1] in _cue("joined"):
            words.pop()
        if written.is_share or not words:
            return True
        for start in range(len(words)):
            numbers = self._of_name(words[start:])
            if numbers and start > 1 and words[start - 1] == "/":  # 'LIE / LSE: 36 / 48'
                numbers |= self._of_name(words[start - 2 : start - 1])
            if numbers:
                return _among(written, sorted(numbers)) is not None
        return True

    def _of_name(self, words: Sequence[str]) -> set[float]:
        """Return the numbers under a name, or under the same of one: 'subgrupos', 'subgrupo'."""
        name = " ".join(words).strip(_AROUND_NAMES)
        return self._rows.get(name, set()) | self._rows.get(name.removesuffix("s"), set())


class _Found:
    """All numbers of an answer's results, and their short lists."""

    def __init__(self) -> None:
        self.lists: list[_List] = []
        self.shares: set[float] = set()  # numbers under a name that says per cent
        self.rows: dict[str, set[float]] = {}  # by a folded name in them
        self._numbers: dict[str, list[float]] = {}  # by the call whose result has them
        self._sizes: dict[str, set[float]] = {}  # the same, once they are asked for

    def sizes(self) -> list[float]:
        """Return all numbers without their signs, sorted; several may be the same."""
        numbers = chain.from_iterable(self._numbers.values())
        return sorted([size for size in map(abs, numbers) if size < _MOST])

    def call_of(self, size: float) -> str:
        """Return the first call whose result has a number."""
        if len(self._numbers) > 1 and not self._sizes:
            self._sizes = {call: {*map(abs, each)} for call, each in self._numbers.items()}
        found = (call for call, each in self._sizes.items() if size in each)
        return next(found, next(iter(self._numbers)))

    def add_result(self, result: ToolResult) -> None:
        """Take in what a tool returned to a model, showed to the person, and read it from."""
        sources = [each for each in (result.source, *map(_source_of, result.widgets)) if each]
        read = [(each.rows_used or 0, each.rows_total) for each in sources]
        wholes = tuple(float(total) for total in {total for _used, total in read})
        self.add([part for one in read for part in one], result.call_id)
        for shown in (result.content, *result.widgets):
            self.add(shown, result.call_id, wholes)

    def add(self, value: object, call: str, wholes: tuple[float, ...] = ()) -> None:
        """Take in a value of a result; `wholes` are single numbers around it."""
        match value:
            case bool() | None | date() | time():
                return
            case int() | float():
                self._add_numbers([value], call)
            case str():
                self._add_text(value, call)
            case Table():
                rows = [dict(zip(value.names, row, strict=True)) for row in value.rows]
                self._add_rows(rows, call, wholes)
            case dict():
                named = [((fold(str(name)),), each) for name, each in value.items()]
                self._add_list(named, call, wholes)
                self._add_numbers([len(value)], call)
                self._add_row(value, call)
                if value and all(isinstance(each, dict) for each in value.values()):
                    rows = [{"": name, **each} for name, each in value.items()]
                    self._add_rows(rows, call, wholes)
                    return
                inside = (*wholes, *(each for each in value.values() if _is_number(each)))
                for name, each in value.items():
                    self._add_text(str(name), call)
                    self.add(each, call, inside[-MOST_DERIVED:])
            case list() | tuple():
                self._add_rows(value, call, wholes)
            case Chart(data=data):
                self.add(data, call, wholes)
            case TableView(table=table, row_count=count):
                self._add_numbers([count], call)
                self.add(table, call, wholes)
            case Kpi(value=one, change=change, target=target):
                self._add_row({"value": one, "%": change}, call)
                self.add([one, change, target], call)
            case Study():
                for each in ([*value.doubts, value.verdict], dict(value.facts)):
                    self.add(each, call)
                for part in (*value.tables, value.points):
                    self.add(part, call, wholes)

    def _add_numbers(self, numbers: Iterable[float], call: str) -> None:
        self._numbers.setdefault(call, []).extend(numbers)

    def _add_text(self, text: str, call: str) -> None:
        if "\n" in text and len(text) <= _MOST_OUTPUT:
            lines = [_WORD_OR_NUMBER.findall(line) for line in text.splitlines()]
            cells = [[*map(_cell_of, line)] for line in lines if line]
            self._add_rows(cells, call, (), are_named=False)  # its words are no names
        elif len(text) <= _MOST_TEXT and any(map(str.isdigit, text)):
            for found in _IN_RESULT.finditer(text):
                for each in {found[1], *found[1].split(" ")}:
                    values = [*map(float, _plain_forms(each))]
                    self._add_numbers(values, call)
                    self.shares.update(values if found[2] else ())

    def _add_row(self, row: Mapping[str, object], call: str, *, is_named: bool = True) -> None:
        """Remember the numbers of a row under its names, and those that are shares."""
        texts = [fold(each) for each in row.values() if isinstance(each, str)]
        numbers = [(name, abs(float(each))) for name, each in row.items() if _is_number(each)]
        if 1 < len(numbers) <= MOST_DERIVED:
            names = tuple(texts)
            cells = tuple((names, number) for _name, number in numbers)
            self.lists.append(_List(call, cells, (), is_row=True))
        for name, number in numbers if is_named else ():
            folded = fold(name)
            self.rows.setdefault(folded, set()).add(number)
            if any(word in folded for word in _cue("share_names")):
                self.shares.add(number)
        for text in texts if is_named else ():
            if len(text) > 1 and not text.isdecimal():
                self.rows.setdefault(text, set()).update(number for _name, number in numbers)

    def _add_rows(
        self,
        rows: Sequence[object],
        call: str,
        wholes: tuple[float, ...],
        *,
        are_named: bool = True,
    ) -> None:
        numbers: list[float] = [len(rows)]
        for row in rows:
            cells_of_row = _cells_of(row)
            if _NUMBERS.issuperset(map(type, cells_of_row)):
                numbers.extend(cast("Iterable[float]", cells_of_row))  # as most of a large result
                continue
            for each in cells_of_row:
                if type(each) is float or type(each) is int:
                    numbers.append(each)
                else:
                    self.add(each, call)
        self._add_numbers(numbers, call)
        for row in rows[:_MOST_NAMED]:
            named = dict(enumerate(row)) if isinstance(row, list | tuple) else row
            if isinstance(named, dict):
                cells = {str(name): each for name, each in named.items()}
                self._add_row(cells, call, is_named=are_named)
        if len(rows) > _MOST_NAMED:
            return
        columns: dict[object, list[tuple[tuple[str, ...], object]]] = {}
        for row in rows:
            named = dict(enumerate(row)) if isinstance(row, list | tuple) else row
            cells_ = named if isinstance(named, dict) else {0: named}
            names = tuple(fold(each) for each in cells_.values() if isinstance(each, str))
            for column, each in cells_.items():
                columns.setdefault(column, []).append((names, each))
        for column_ in columns.values():
            self._add_list(column_, call, wholes)

    def _add_list(
        self,
        cells: Iterable[tuple[tuple[str, ...], object]],
        call: str,
        wholes: tuple[float, ...],
    ) -> None:
        kept = tuple((names, abs(float(each))) for names, each in cells if _is_number(each))
        if kept and (len(kept) > 1 or wholes):
            self.lists.append(_List(call, kept, wholes))
