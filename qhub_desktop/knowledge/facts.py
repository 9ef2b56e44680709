"""Facts of a document: code, revision, date and customer, from its first page and its headers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache

from qhub_desktop.core.documents import DocumentFacts
from qhub_desktop.core.text import fold_in_place, month_names, words_of
from qhub_desktop.core.values import dataclass

FIRST_LINES = 80  # of the first page; facts stand in its head or, at the latest, at its foot
LONGEST_VALUE = 60
HEAD_LINES = 8  # of the first page, where a code may be told in running text
LABEL_WORDS = 4  # before a code further down
NAMED = 6  # what the file's name says: more than a label in the text
LEAST_SCORE = 3  # of a code: a label, the file's name, or a header with the revision beside it
CELL = " | "  # between the cells of a row

# IT-PIN-014, PQ.07-03, TL 226, MOD012/3; letters, then a number, in parts.
_CODE = re.compile(
    r"(?<![\w/-])[A-Z]{1,6}(?:[-./_][A-Z]{1,6}){0,3}(?:[-./_ ]?\d{2,6}|[-./]\d{1,6})"
    r"(?:[-./]\d{1,4}){0,2}(?![\w-]|\.\d)"
)
# '8D-2025-017' in a file's name is a code of a report, '2025-017' where its title has it, too.
_NUMBER = re.compile(r"(?<![\w/-])(?:\d[A-Z]-\d{2,6}(?:-\d{1,4})?|(?:19|20)\d\d-\d{3,4})(?![\w-])")
_BETWEEN = re.compile(r"\s*(?:n\.?[ºo°]\.?\s*)?([:=]?)\s*")
_REVISION = r"(\d{1,3}(?:\.\d{1,2})?|[A-Z]\d?)(?![\w%]|[/.,-]\d)"
_DAY = r"(?P<day>\d{1,2})"
_DATES = (
    r"(?<!\d)(?P<year>(?:19|20)\d\d)[-./](?P<month>\d{1,2})[-./]" + _DAY + r"(?!\d)",
    r"(?<!\d)" + _DAY + r"[-./](?P<month>\d{1,2})[-./](?P<year>(?:19|20)\d\d)(?!\d)",
    r"(?<!\d)" + _DAY + r"(?:\s*(?:de|of|\.))?\s+(?P<name>[^\W\d_]+)\.?,?\s+(?:de\s+)?"
    r"(?P<year>(?:19|20)\d\d)(?!\d)",
    r"(?P<name>[^\W\d_]+)\s+" + _DAY + r",?\s+(?P<year>(?:19|20)\d\d)(?!\d)",
)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    folded: str
    is_header: bool
    number: int


def find_facts(
    headers: Sequence[str], first_page: Iterable[str], *, title: str = "", name: str = ""
) -> DocumentFacts:
    """Return what a document says of itself; empty where it says nothing.

    `headers` are the lines that stand on its pages' edges, `first_page` its own lines, a table's
    row with its cells between ' | '. `name` is the file's: it decides between codes, and is read
    where the text has none.
    """
    told = map(_own_part, [*_told(headers), *_told([title, *first_page][:FIRST_LINES])])
    lines = [
        _Line(text, fold_in_place(text), is_header=number < len(headers), number=number)
        for number, text in enumerate(told)
    ]
    stem = re.sub(r"[_\s]+", " ", name.rpartition(".")[0] or name)
    code = _code(lines, stem, title)
    revision = _revision(lines, code)
    named = stem.upper()
    if code and not revision and code in named:
        line = _Line(named, fold_in_place(named), is_header=True, number=0)
        revision = _revision([line], code)
    return DocumentFacts(code, revision, _issued(lines, code), _customer(lines))


def _told(rows: Iterable[str]) -> Iterator[str]:
    """Yield lines; of a table also each cell under its column's name, as 'name: cell'."""
    every = [(row, [each.strip() for each in row.split(CELL.strip())]) for row in rows]
    counts = [len(cells) for _row, cells in every] + [0, 0]
    for place, (row, cells) in enumerate(every):
        yield row.replace(CELL, "   ")
        if len(cells) == 1:
            continue
        # Names above one row of values; a longer table lists other things.
        is_alone = counts[place + 1] == len(cells) != counts[place + 2]
        under = (
            every[place + 1][1] if is_alone and counts[place - 1 : place] != [len(cells)] else ()
        )
        yield from (
            f"{name}: {cell}"
            for name, cell in (
                *zip(cells, under, strict=False),
                *zip(cells[::2], cells[1::2], strict=False),
            )
            if name and cell and _is_label(name)
        )


def _own_part(text: str) -> str:
    """Return a line up to what it says of another document: 'Versão 9. Substitui a versão 8'."""
    replaced = _label("replaces").search(fold_in_place(text))
    return text[: replaced.start()] if replaced else text


def _is_label(cell: str) -> bool:
    return any(
        _label(kind).fullmatch(fold_in_place(cell).rstrip(" :"))
        for kind in ("code", "revision", "issued", "customer")
    )


@cache
def _label(kind: str) -> re.Pattern[str]:
    """Return what matches the words before a fact, in folded text; the longest first."""
    words = sorted({fold_in_place(word) for word in words_of("documents", kind)}, key=len)
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, reversed(words))) + r")(?!\w)")


def _values(line: _Line, kind: str, value: str) -> Iterator[re.Match[str]]:
    """Yield the matches of `value` right after a label that states it, not in running text."""
    for label in _label(kind).finditer(line.folded):
        start = _BETWEEN.match(line.text, label.end())
        assert start is not None
        # It stands at the beginning of a line or a cell, or in brackets, or has a colon.
        is_stated = start[1] or not re.search(r"[\w.,;]\s?$", line.text[: label.start()])
        if not (is_stated or _CODE.search(line.text[: label.start()])):
            continue
        if found := re.compile(value).match(line.text, start.end()):
            yield found


def _code(lines: Sequence[_Line], stem: str, title: str) -> str:
    """Return the code that most speaks for: a label, a header, a revision beside it, the name."""
    scores: dict[str, int] = {}
    # A name in small letters has a code only if it could be nothing else: 'it-pin-014'.
    small = [code for code in _codes(stem.upper()) if code.count("-") > 1 and code not in stem]
    named = [*_codes(stem), *small]
    for line in lines:
        found = _codes(line.text)
        # A reference in the middle of the text is one to something else: '(ref. TK-55)'.
        is_near = line.is_header or line.number < HEAD_LINES
        labelled = {
            each[0]
            for each in _values(line, "code", _CODE.pattern)
            if is_near or len(line.text[: each.start()].split()) <= LABEL_WORDS
        }
        beside = any(_values(line, "revision", _REVISION))
        for place, code in enumerate(found):
            signs = (
                4 * (code in labelled)
                + 2 * line.is_header
                + 2 * (beside and place == 0)
                + (line.number < 3)
                + (not scores)
            )
            scores[code] = max(scores.get(code, 0), signs)
    numbers = [each for each in _NUMBER.findall(stem) if not each[1].isdigit() or each in title]
    for code in [*named, *numbers]:
        scores[code] = scores.get(code, 0) + NAMED
    best = max(scores, key=lambda code: scores[code], default="")
    return best if best and scores[best] >= LEAST_SCORE else ""


def _codes(text: str) -> list[str]:
    """Return the codes of a line, in order, without those of public standards."""
    standards = {word.upper() for word in words_of("documents", "standards")}
    revisions = {word.rstrip(".").upper() for word in words_of("documents", "revision")}
    others = standards | revisions
    return [
        each[0].rstrip(".")
        for each in _CODE.finditer(text)
        if re.split(r"[^A-Z]", each[0], maxsplit=1)[0] not in others
    ]


def _revision(lines: Sequence[_Line], code: str) -> str:
    """Return the revision: beside the code, else of a header, else the first that is said."""
    found: list[tuple[int, int, str]] = []
    for line in lines:
        for each in _values(line, "revision", _REVISION):
            rank = 0 if code and code in line.text else 1 if line.is_header else 2
            found.append((rank, line.number, each[1]))
    value = min(found)[2] if found else ""
    return (value.lstrip("0") or "0") if value.isdigit() else value


def _issued(lines: Sequence[_Line], code: str) -> str:
    """Return the date in ISO form: after its label, else beside the code or in a header."""
    kinds = [fold_in_place(word) for word in words_of("documents", "issued")]
    found: list[tuple[int, int, str]] = []
    for line in lines:
        for label in _label("issued").finditer(line.folded):
            after = line.text[label.end() : label.end() + LONGEST_VALUE]
            if (day := next(_days(after), None)) and day[0] <= len("  de: 20 "):
                found.append((kinds.index(label[0]), line.number, day[1]))
        if line.is_header or (code and code in line.text):
            found += [(len(kinds), line.number, each) for _at, each in _days(line.text)]
    return min(found)[2] if found else ""


def _days(text: str) -> Iterator[tuple[int, str]]:
    """Yield the dates of a text as (place, ISO form)."""
    months = {fold_in_place(name): number for name, number in month_names().items()}
    for pattern in _DATES:
        for found in re.finditer(pattern, text):
            parts = found.groupdict()
            month = months.get(fold_in_place(parts.get("name") or ""), parts.get("month"))
            try:
                day = date(int(parts["year"]), int(month or 0), int(parts["day"]))
            except ValueError:
                continue
            yield found.start(), day.isoformat()


def _customer(lines: Sequence[_Line]) -> str:
    """Return what stands after the label and a colon, up to the next gap or full stop."""
    for line in lines:
        for label in _label("customer").finditer(line.folded):
            after = re.match(r"\s*:\s*(\S.*)", line.text[label.end() :])
            if after is None:
                continue
            value = re.split(r"\s{3,}|\t|;|\s[–—|]\s", after[1], maxsplit=1)[0]
            value = value[: _sentence_end(value)].strip(" .,")
            if value and len(value) <= LONGEST_VALUE:
                return value
    return ""


def _sentence_end(text: str) -> int:
    """Return where the first sentence of a name ends: not after an initial or an abbreviation, as
    in 'J. Silva', 'Auto & Co. KG'; but after 'S.A.'.
    """
    abbreviations = words_of("documents", "abbreviations")
    for stop in re.finditer(r"([^\W\d_]\.)?([^\W_]+)\.(?=\s)", text):
        is_initial = len(stop[2]) == 1 and not stop[1]
        if not is_initial and fold_in_place(stop[2]) not in abbreviations:
            return stop.end()
    return len(text)
