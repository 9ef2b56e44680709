"""Rows as measurements in the Q-DAS ASCII transfer format (.dfq), which are read again alike."""

import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Cell, Column, is_numeric
from qhub_desktop.core.text import fold, gettext, ngettext, words_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.export.output import Exported
from qhub_desktop.data.qdas_fields import (
    BATCH,
    CLASS,
    IN_COUNTED_LINE,
    IN_LINE,
    INSPECTED_NAME,
    KIND,
    LIMITS,
    LOWER,
    MARK,
    MARK_EMPTY,
    MOMENT,
    NATURALS,
    NOMINAL,
    OF_CHARACTERISTIC,
    OF_FIELD,
    OF_PART,
    OWN_FIELD,
    SORTS,
    SPOKEN,
    UNIT,
    UPPER,
    field_called,
    written_moment,
)

ENDING = "\r\n"
LEFT_OUT_TOLD = 5  # columns in a note
_UNIT = re.compile(r"(.*\S)\s*[(\[]([^()\[\]]{1,20})[)\]]\s*")
_FIGURE = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_CLASS = re.compile(r"[0-4](?!\d)")
_SIGNS = re.compile(r"[\x00-\x1f\ufeff]+")
_ROLES = {LOWER: "lower", UPPER: "upper", NOMINAL: "target"}  # of limits, among [study_words]

Facts = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Characteristic:
    """A column of values: where it stands, its name and unit, and the column of what was counted
    in; `own` are the places of the fields that it alone has.
    """

    place: int
    name: str
    unit: str
    inspected: int | None
    own: dict[str, int]


class DfqWriter:
    """Writes rows to a text stream, which the caller opens and closes.

    The stream has the encoding "utf-8-sig" and `newline=""`.
    """

    def __init__(
        self, stream: io.TextIOBase, columns: Sequence[Column], *, facts: Facts, title: str
    ) -> None:
        self._stream = stream
        self._fields: dict[str, int] = {}  # that a row has once
        self._characteristics: list[_Characteristic] = []
        self._left_out = self._assign(columns)
        self._write_head(facts, title)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell: the columns that the format has no field for."""
        if not self._left_out:
            return ()
        names = ", ".join(self._left_out[:LEFT_OUT_TOLD])
        words = ngettext(
            "The format has no field for {count} column, which was left out: {names}.",
            "The format has no field for {count} columns, which were left out: {names}.",
            len(self._left_out),
        )
        return (words.format(count=len(self._left_out), names=names),)

    @property
    def has_values(self) -> bool:
        """Whether any column holds measurements."""
        return bool(self._characteristics)

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write these rows."""
        for row in rows:
            portions = [self._portion(row, each) for each in self._characteristics]
            self._line(OF_CHARACTERISTIC.join(portions))
            for key, place in self._fields.items():
                if key not in IN_LINE and (text := _field_text(key, row[place])):
                    self._line(f"{key}/0 {text}")

    def _line(self, text: str) -> None:
        self._stream.write(text + ENDING)

    def _assign(self, columns: Sequence[Column]) -> list[str]:
        """Find what each column is in the format; return the names of those that are nothing."""
        bare = {place: _bare(each.name) for place, each in enumerate(columns)}
        by_name = {fold(name): place for place, (name, _unit) in bare.items()}
        counted: dict[int, int] = {}
        own: dict[int, dict[str, int]] = {}
        left: list[int] = []
        values: list[int] = []
        for place, column in enumerate(columns):
            named, sign, of = column.name.partition(OWN_FIELD)
            of_whole = next(
                (
                    whole
                    for whole in by_name.values()
                    if _is_inspected(bare[place][0], bare[whole][0])
                ),
                None,
            )
            if sign and (key := field_called(named)) and fold(of) in by_name:
                own.setdefault(by_name[fold(of)], {})[key] = place
            elif (key := field_called(column.name)) and key not in self._fields:
                self._fields[key] = place
            elif of_whole is not None and is_numeric(column.type):
                counted[of_whole] = place
            elif is_numeric(column.type):
                values.append(place)
            elif column.type in ("date", "datetime"):
                left.insert(0, place)
            else:
                left.append(place)
        if left and MOMENT not in self._fields and columns[left[0]].type in ("date", "datetime"):
            self._fields[MOMENT] = left.pop(0)
        self._characteristics = [
            _Characteristic(place, *bare[place], counted.get(place), own.get(place, {}))
            for place in values
        ]
        return [columns[place].name for place in left]

    def _write_head(self, facts: Facts, title: str) -> None:
        known = {fold(name): value for name, value in facts}
        self._line(f"K0100 {len(self._characteristics)}")
        for key, name in OF_PART.items():
            text = next((known[each] for each in _in_all(name) if each in known), "")
            if key == "K1001":
                text = text or title
            if text:
                self._line(f"{key}/1 {_plain(text)}")
        is_only = len(self._characteristics) == 1
        for number, each in enumerate(self._characteristics, 1):
            about = {"K2001": str(number), "K2002": _plain(each.name)}
            about |= {KIND: "0" if each.inspected is None else "1"}
            about |= _told(known, each.name, is_only=is_only)
            if each.unit:
                about[UNIT] = _plain(each.unit)
            for key, text in sorted(about.items()):
                self._line(f"{key}/{number} {text}")

    def _portion(self, row: Sequence[Cell], about: _Characteristic) -> str:
        keys = IN_LINE if about.inspected is None else IN_COUNTED_LINE
        first = [_value_text(row[about.place])]
        if about.inspected is not None:
            first.insert(0, _value_text(row[about.inspected]))
        places = {**self._fields, **about.own}
        cells = [*(each or "0" for each in first)]
        for key in keys[len(first) :]:
            text = _field_text(key, row[places[key]]) if key in places else ""
            if key == MARK and not all(first):
                text = text if text not in ("", "0") else MARK_EMPTY
            cells.append(text or ("0" if key == MARK else ""))
        return OF_FIELD.join(cells).rstrip(OF_FIELD)


def write_dfq(
    draft: Path,
    columns: Sequence[Column],
    batches: Iterable[Sequence[tuple[Cell, ...]]],
    *,
    title: str,
    facts: Facts = (),
    on_rows: Callable[[int], None] = lambda _count: None,
) -> Exported:
    """Write rows to a file. Raises UserError where there is nothing that was measured."""
    written = 0
    with draft.open("w", encoding="utf-8-sig", newline="") as stream:
        lines = DfqWriter(stream, columns, facts=facts, title=title)
        if not lines.has_values:
            raise UserError(
                _("There is no column of measurements in {name}. Save it as .xlsx or .csv.").format(
                    name=title
                )
            )
        for batch in batches:
            lines.write(batch)
            written += len(batch)
            on_rows(len(batch))
    return Exported(written, lines.notes)


def _bare(name: str) -> tuple[str, str]:
    found = _UNIT.fullmatch(name)
    return (name.strip(), "") if found is None else (found[1], found[2])


def _in_all(text: str) -> set[str]:
    """Return a name in every language of the program, folded."""
    return {fold(text), *(fold(gettext(text, language=each)) for each in SPOKEN)}


def _is_inspected(name: str, of: str) -> bool:
    forms = (gettext(INSPECTED_NAME, language=each) for each in SPOKEN)
    return name in {each.format(name=of) for each in forms}


def _told(known: dict[str, str], name: str, *, is_only: bool) -> dict[str, str]:
    """Return what the facts tell of a characteristic: its limits, its class and its unit."""
    found: dict[str, str] = {}
    own = f" {fold(name)}"
    for said, value in known.items():
        label = said.removesuffix(own)
        if label == said and not is_only:
            continue
        figure = _FIGURE.match(value.strip())
        for key, role in _ROLES.items():
            words = {*map(fold, words_of("study_words", role)), *_in_all(LIMITS[key])}
            if label in words and figure is not None:
                found.setdefault(key, figure[0].replace(",", "."))
        for key, natural in NATURALS.items():
            if label in _in_all(natural) and figure is not None:
                found |= {key: figure[0].replace(",", "."), SORTS[key]: "2"}
        if label in _in_all("Unit"):
            found[UNIT] = _plain(value)
        if label in _in_all("Class") and (number := _CLASS.match(value)):
            found[CLASS] = number[0]
    return found


def _value_text(cell: Cell) -> str:
    if isinstance(cell, float):
        return repr(cell) if math.isfinite(cell) else ""
    return "" if cell is None else str(cell)


def _field_text(key: str, cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case datetime():
            return written_moment(cell) if key == MOMENT else str(cell)
        case date():
            moment = datetime(cell.year, cell.month, cell.day)
            return written_moment(moment) if key == MOMENT else str(cell)
    text = _plain(str(cell))
    return f"#{text}" if key == BATCH else text


def _plain(text: str) -> str:
    """Return a text on one line, without the signs that part fields."""
    return _SIGNS.sub(" ", text).strip()
