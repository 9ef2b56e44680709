"""Measurements in the Q-DAS transfer format (.dfq; .dfd and .dfx): a column a characteristic.

What is told of the values stands in columns beside them. A file is lines of keys
(`data/qdas_fields.py`), and the values stand either in such lines or in lines without keys. What a
.dfd file describes and the .dfx file beside it holds, is read as one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import CountedSentence, Sentence, listed
from qhub_desktop.data.ingest.readers import encoding, rejection
from qhub_desktop.data.ingest.readers.sheet import (
    COLUMNS_LIMIT,
    InputFile,
    ParsedFile,
    RawSheet,
    Value,
    fraction,
    table_names,
    whole,
)
from qhub_desktop.data.ingest.readers.sniff import Content, file_format
from qhub_desktop.data.qdas_fields import (
    ALLOWANCES,
    BATCH,
    CLASS,
    CLASSES,
    COUNTED_KINDS,
    DEFECTIVE,
    EVENT,
    IN_COUNTED_LINE,
    IN_LINE,
    INSPECTED,
    INSPECTED_NAME,
    KIND,
    LIMITS,
    LOWER,
    MARK,
    MARK_EMPTY,
    MOMENT,
    NATURAL,
    NATURALS,
    NOMINAL,
    NUMBERED,
    OF_CHARACTERISTIC,
    OF_FIELD,
    OF_LIST,
    OF_PART,
    OF_VALUES,
    OWN_FIELD,
    SORTS,
    UNIT,
    UPPER,
    VALUE,
    moment_of,
)

MOST_QDAS_BYTES = 32 * 2**20
MOST_CHARACTERISTICS = COLUMNS_LIMIT // 32
UNREAD_TOLD = 5
FIELD_CHARACTERS = 255  # of any field, by the format

_KEYED = re.compile(r"[Kk](\d{4})(?:/(\d{0,6})(?:/\d{0,9})?)?(?:[ \t]+(.*)|)", re.DOTALL)
_BEGINS = re.compile(r"k(?:0100|100[0-9])[ /\t][^\r\n]*[\r\n]+(?:\s*[\r\n])*k\d{4}[ /\t]")
_VALUES = re.compile(r"[-+]?\d*[.,]?\d+(?:e[-+]?\d+)?(?:[\x0f\x14]|\s*[\r\n]|\s*$)")
_FIGURE = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d{1,4})?")
_WHOLE_FIGURE = re.compile(r"[-+]?\d+")

_QDAS_MARKED = CountedSentence(
    "qdas_marked",
    "{count} value is marked as not valid, and is missing here; its mark stands beside it.",
    "{count} values are marked as not valid, and are missing here; their marks stand beside them.",
)
_QDAS_BENEATH = Sentence(
    "qdas_beneath",
    "The characteristics of {part} were not measured together: their times or batches differ. Each"
    " has rows of its own.",
)
_QDAS_UNREAD = CountedSentence(
    "qdas_unread",
    "{count} line holds neither a field nor values, and was not read: {lines}.",
    "{count} lines hold neither fields nor values, and were not read: {lines}.",
)


@dataclass(eq=False)
class _Characteristic:
    """A characteristic with its values, and the fields of those that have them, by their place."""

    about: dict[str, str] = field(default_factory=dict)
    values: list[str] = field(default_factory=list)
    fields: dict[str, dict[int, str]] = field(default_factory=dict)

    @property
    def is_counted(self) -> bool:
        return self.about.get(KIND, "") in COUNTED_KINDS

    def said(self, key: str, place: int) -> str:
        return self.fields.get(key, {}).get(place, "")


@dataclass(eq=False)
class _Part:
    """A part with its characteristics, in their order."""

    about: dict[str, str] = field(default_factory=dict)
    by_index: dict[int, _Characteristic] = field(default_factory=dict)
    is_in_rows: bool = True  # the values stand in lines, each of which is a row

    @property
    def characteristics(self) -> list[_Characteristic]:
        return [*self.by_index.values()]

    @property
    def name(self) -> str:
        told = [self.about[key] for key in ("K1001", "K1002") if self.about.get(key)]
        return " ".join(told)


def _is_qdas(content: Content) -> bool:
    return _BEGINS.match(content.start) is not None or _is_values_alone(content)


def _is_values_alone(content: Content) -> bool:
    """Return whether a file of values has lost the description that it belongs to."""
    name = content.source.name.lower()
    return name.endswith(".dfx") and _VALUES.match(content.start) is not None


@file_format("Q-DAS", suffixes=(".dfq", ".dfd", ".dfx"), sniff=_is_qdas, place=11)
def read_qdas(source: InputFile) -> ParsedFile:
    """Read a table for each part."""
    if source.path.stat().st_size > MOST_QDAS_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.SPLIT)
    decoded = encoding.decode(source.path.read_bytes(), chosen=source.choices.encoding)
    reading = _Reading(source)
    # A mark in the middle stands where the description ends and the values begin.
    for number, line in enumerate(re.split(r"\r\n|[\n\r\ufeff]", decoded.text), 1):
        if text := line.strip(" \t\0"):
            reading.take(number, text)
    parts = [each for each in reading.parts if any(one.values for one in each.characteristics)]
    if not reading.has_description:
        raise rejection.refusal(source, rejection.QDAS_VALUES, rejection.QDAS_BESIDE)
    if not parts:
        raise rejection.refusal(source, rejection.QDAS_DESCRIPTION, rejection.QDAS_BESIDE)
    unread = reading.unread_finding()
    sheets = table_names([sanitize(each.name) for each in parts]) if len(parts) > 1 else []
    tables = [
        _sheet_of(part, number, sheets[number - 1] if sheets else None, decoded.encoding, unread)
        for number, part in enumerate(parts, 1)
    ]
    return ParsedFile(tuple(sheets), iter(tables))


class _Reading:
    """Lines read one after the other into parts with their characteristics."""

    def __init__(self, source: InputFile) -> None:
        self.parts: list[_Part] = [_Part()]
        self._part = self.parts[0]
        self.has_description = False
        self._source = source
        self._unread: list[int] = []
        self._latest: dict[int, _Characteristic] = {}  # by their numbers
        self._general: dict[str, str] = {}  # what is said of every characteristic
        self._same: dict[str, str] = {}  # the texts that come again and again, once

    def take(self, number: int, line: str) -> None:
        found = _KEYED.fullmatch(line)
        if found is not None and OF_FIELD not in line:
            self._take_field(
                f"K{found[1]}", int(found[2] or 1), self._once(found[3] or ""), found[2]
            )
        elif OF_FIELD in line or OF_CHARACTERISTIC in line or _FIGURE.fullmatch(line):
            self._take_values(line)
        else:
            self._unread.append(number)

    def unread_finding(self) -> list[Finding]:
        """Return the finding on lines that hold nothing that is known; none if there are none."""
        if not self._unread:
            return []
        told = [str(each) for each in self._unread[:UNREAD_TOLD]]
        lines = listed(told, of=len(self._unread))
        return [_QDAS_UNREAD.finding(len(self._unread), lines=lines)]

    def _once(self, text: str) -> str:
        text = sanitize(text.strip())[:FIELD_CHARACTERS]
        return self._same.setdefault(text, text)

    def _take_field(self, key: str, index: int, text: str, said: str | None) -> None:
        match key[1]:
            case "1":
                self._take_of_part(key, text)
            case "2" if said == "0":
                self._general[key] = text
            case "2":
                self.has_description = True
                self._described(index).about[key] = text
            case "0" if key in (VALUE, INSPECTED):
                self._valued(index).values.append(text)
                self._part.is_in_rows = False
            case "0" if key == DEFECTIVE or key in OF_VALUES:
                for each in self._latest.values() if said == "0" else [self._valued(index)]:
                    if each.values and text:
                        each.fields.setdefault(key, {})[len(each.values) - 1] = text
            case _:
                pass  # numbers of the whole file, groups and catalogues

    def _take_of_part(self, key: str, text: str) -> None:
        """Note what is said of a part; under another number it is another, perhaps one of before.

        Stations add a whole description for each part that they measure to the same file.
        """
        self.has_description = True
        if key in ("K1001", "K1002") and self._part.about.get(key, text) != text:
            known = (each for each in self.parts if each.about.get(key) == text)
            self._part = next(known, None) or _Part()
            if self._part not in self.parts:
                self.parts.append(self._part)
        self._part.about.setdefault(key, text)

    def _described(self, index: int) -> _Characteristic:
        """Return a characteristic of the part that is being described."""
        found = self._part.by_index.get(index)
        if found is None:
            if sum(len(each.by_index) for each in self.parts) >= MOST_CHARACTERISTICS:
                raise rejection.refusal(self._source, rejection.TOO_LONG, rejection.SPLIT)
            found = self._part.by_index[index] = _Characteristic({**self._general})
        self._latest[index] = found
        return found

    def _valued(self, index: int) -> _Characteristic:
        """Return the characteristic that values of this number belong to."""
        return self._latest.get(index) or self._described(index)

    def _take_values(self, line: str) -> None:
        """Take a line of values: one of each characteristic, in their order."""
        for index, portion in enumerate(line.split(OF_CHARACTERISTIC), 1):
            cells = portion.split(OF_FIELD)
            known = self._valued(index)
            is_counted = known.is_counted or (
                not known.about.get(KIND) and len(cells) > len(IN_LINE)
            )
            keys = IN_COUNTED_LINE if is_counted else IN_LINE
            known.values.append(self._once(cells[0]))
            for key, cell in islice(zip(keys, cells, strict=False), 1, None):
                if key and (text := self._once(cell)):
                    # An event is a number; a batch, which is not, is often written in its place.
                    own = BATCH if key == EVENT and text.startswith("#") else key
                    known.fields.setdefault(own, {})[len(known.values) - 1] = text


def _sheet_of(
    part: _Part, number: int, name: str | None, encoding_: str, unread: Sequence[Finding]
) -> RawSheet:
    columns = _Columns(part)
    return RawSheet(
        name=name,
        number=number,
        rows=columns.rows(),
        is_text=False,
        doubtful=[*columns.findings, *unread],
        encoding=encoding_,
        has_names=True,
        facts=columns.facts(),
    )


class _Columns:
    """The columns of a part: the fields of its values, and its characteristics."""

    def __init__(self, part: _Part) -> None:
        self._part = part
        self._characteristics = [each for each in part.characteristics if each.values]
        self._names = _names_of(self._characteristics)
        self._count = max(len(each.values) for each in self._characteristics)
        self.findings: list[Finding] = []
        self._shared: list[str] = []  # fields that a row has once
        self._own: list[tuple[str, int]] = []  # fields that characteristics of a row differ in
        self._is_beneath = not part.is_in_rows and any(
            self._differs(key) for key in (MOMENT, BATCH, "K0014")
        )
        if self._is_beneath:
            name = sanitize(part.name) or _("the part")
            self.findings.append(_QDAS_BENEATH.finding(part=name))
        for key in OF_VALUES:
            holders = [
                at
                for at, each in enumerate(self._characteristics)
                if any(
                    key != MARK or text not in ("0", MARK_EMPTY)
                    for text in each.fields.get(key, {}).values()
                )
            ]
            if not holders:
                continue
            if not self._is_beneath and (key == MARK or self._differs(key)):
                self._own += [(key, at) for at in holders]
            else:
                self._shared.append(key)
        if marked := sum(self._marked(each) for each in self._characteristics):
            self.findings.append(_QDAS_MARKED.finding(marked))

    def _differs(self, key: str) -> bool:
        """Return whether characteristics of one row tell different things of it."""
        told = [each.fields[key] for each in self._characteristics if key in each.fields]
        if len(told) < 2:
            return False
        first: dict[int, str] = {}
        return any(
            first.setdefault(place, text) != text for each in told for place, text in each.items()
        )

    def _marked(self, about: _Characteristic) -> int:
        return sum(
            text not in ("0", MARK_EMPTY) and bool(about.values[place])
            for place, text in about.fields.get(MARK, {}).items()
        )

    def rows(self) -> Iterator[Sequence[Value]]:
        """Yield the names of the columns, and then every row."""
        yield self._header()
        if not self._is_beneath:
            for place in range(self._count):
                yield self._row(place, self._characteristics)
            return
        for one in self._characteristics:
            for place in range(len(one.values)):
                yield self._row(place, [one])

    def _header(self) -> list[str]:
        names = [_(OF_VALUES[key]) for key in self._shared]
        for each, name in zip(self._characteristics, self._names, strict=True):
            unit = each.about.get(UNIT, "")
            if each.is_counted:
                names += [_(INSPECTED_NAME).format(name=name), name]
            else:
                names.append(f"{name} ({sanitize(unit)})" if unit else name)
        names += [f"{_(OF_VALUES[key])}{OWN_FIELD}{self._names[at]}" for key, at in self._own]
        return names

    def _row(self, place: int, told: Sequence[_Characteristic]) -> list[Value]:
        cells: list[Value] = []
        for key in self._shared:
            said = (each.said(key, place) for each in told)
            cells.append(_field_value(key, next(filter(None, said), "")))
        for each in self._characteristics:
            is_there = any(each is one for one in told) and place < len(each.values)
            text = each.values[place] if is_there else ""
            if each.is_counted:
                cells += [_number(text), _number(each.said(DEFECTIVE, place) if is_there else "")]
            else:
                is_valid = each.said(MARK, place) in ("", "0")
                cells.append(_number(text) if is_valid else None)
        cells += [
            _field_value(key, self._characteristics[at].said(key, place)) for key, at in self._own
        ]
        return cells

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return what the file says: of each characteristic its limits and so on, and of the part.

        The limits come first, and each names its characteristic.
        """
        told = [
            (f"{label} {name}", value)
            for each, name in zip(self._characteristics, self._names, strict=True)
            for label, value in _facts_of(each)
        ]
        part = [
            (_(name), sanitize(self._part.about[key]))
            for key, name in OF_PART.items()
            if self._part.about.get(key)
        ]
        return (*told, *part)


def _names_of(characteristics: Sequence[_Characteristic]) -> list[str]:
    """Return a different name for each: what describes it, with its number if that is another's."""
    described = [
        next((each.about[key] for key in ("K2002", "K2003", "K2001") if each.about.get(key)), "")
        for each in characteristics
    ]
    counted = Counter(map(str.casefold, described))
    names: list[str] = []
    for number, (each, name) in enumerate(zip(characteristics, described, strict=True), 1):
        own = each.about.get("K2001") or str(number)
        is_told = bool(name) and counted[name.casefold()] == 1
        named = name or _("Characteristic")
        full = sanitize(name if is_told else f"{named} {own}")
        names.append(f"{full} ({number})" if full in names else full)
    return names


def _facts_of(about: _Characteristic) -> Iterator[tuple[str, str]]:
    said = about.about
    nominal = _number(said.get(NOMINAL, ""))
    for key in (LOWER, UPPER):
        text = said.get(key, "")
        allowance = _number(said.get(ALLOWANCES[key], ""))
        if not text and isinstance(nominal, (int, float)) and isinstance(allowance, (int, float)):
            text = f"{nominal + allowance:.12g}"
        if not isinstance(_number(text), (int, float)):
            continue
        is_natural = said.get(SORTS[key], "") in NATURAL
        yield (_(NATURALS[key] if is_natural else LIMITS[key]), text.replace(",", "."))
    if isinstance(nominal, (int, float)):
        yield (_(LIMITS[NOMINAL]), said[NOMINAL].replace(",", "."))
    if said.get(UNIT):
        yield (_("Unit"), sanitize(said[UNIT]))
    if said.get(CLASS):
        name = CLASSES.get(said[CLASS])
        yield (_("Class"), f"{said[CLASS]} ({_(name)})" if name else sanitize(said[CLASS]))


def _number(text: str) -> Value:
    """Read a number; what is none stays a text, and nothing is missing."""
    if not text:
        return None
    if _WHOLE_FIGURE.fullmatch(text):
        return whole(text)
    if _FIGURE.fullmatch(text) is None:
        return text
    return fraction(text.replace(",", "."))


def _field_value(key: str, text: str) -> Value:
    if not text:
        return None
    if key == MOMENT:
        return moment_of(text)
    text = text.removeprefix("#").replace(OF_LIST, "; ")
    return whole(text) if key in NUMBERED and _WHOLE_FIGURE.fullmatch(text) else text
