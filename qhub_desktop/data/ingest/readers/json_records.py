"""JSON records (.json, .ndjson): objects in a list, one a line, lists in an object, or columns."""

import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import Sentence
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.encoding import decode
from qhub_desktop.data.ingest.readers.sheet import (
    CellError,
    InputFile,
    ParsedFile,
    RawSheet,
    Value,
    fraction,
    whole,
)
from qhub_desktop.data.ingest.readers.sniff import MARKUP, Content, file_format

TEXT_LIMIT_BYTES = 200 * 2**20
FIELDS_TOLD = 10
_BESIDE_RECORDS = Sentence(
    "beside_records", "Beside the records, the file holds {names}, which is not read."
)
_LISTS_IN_CELLS = Sentence("lists_in_cells", "Lists inside the records stay text, in {names}.")
WRAPPER_DEPTH = 4  # {"d": {"results": [...]}} is what SAP's services send
FEWEST_COLUMNS = 2  # lists of equal length that are columns; one alone is just a list
NESTED_DEPTH = 2
CELLS = 2_000_000  # of a cube
CUBE = {"version", "class", "id", "size", "dimension", "value", "status", "role"}
NESTED_COLUMNS = 200  # that objects in records may add
ROW_NAME = "index"  # as pandas calls the numbers of rows
_ROW_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_BETWEEN = re.compile(r"[\s,]*")
BLANKS = "\ufeff \t\r\n"
JSON_SUFFIXES = (".json", ".ndjson", ".jsonl")
# An opened bracket alone may begin a machine's log ("[Header]"), so what follows counts too.
_BEGINNING = re.compile(r'\{\s*(?:"|\}\s*$)|\[\s*[\[{\]]')


def _is_json(content: Content) -> bool:
    is_called_so = content.source.name.lower().endswith(JSON_SUFFIXES)
    return bool(_BEGINNING.match(content.text)) or (
        is_called_so and content.text.startswith(("{", "["))
    )


@file_format("JSON", suffixes=JSON_SUFFIXES, sniff=_is_json, rank=MARKUP + 3, place=10)
def read_json(source: InputFile) -> ParsedFile:
    """Read every list of records, each as a sheet of its own."""
    if source.path.stat().st_size > TEXT_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.AS_TEXT)
    found = decode(source.path.read_bytes(), chosen=source.choices.encoding)
    try:
        tables = _tables(found.text.strip(BLANKS))
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc) or error.msg.startswith("Unterminated"):
            raise rejection.refusal(source, rejection.CUT_OFF, rejection.EXPORT_AGAIN) from error
        above = found.text[: -len(found.text.lstrip(BLANKS))].count("\n")
        raise UserError(
            _("{file} is not valid JSON: line {line} cannot be read. {step}").format(
                file=source.name, line=error.lineno + above, step=_(rejection.EXPORT_AGAIN)
            )
        ) from error
    except (ValueError, RecursionError) as error:  # lists in lists in lists
        raise rejection.refusal(source, rejection.OTHER_JSON, rejection.FROM_SOURCE) from error
    if not tables:
        raise rejection.refusal(source, rejection.OTHER_JSON, rejection.FROM_SOURCE)
    sheets = (
        table.as_sheet(number, found.encoding, is_alone=len(tables) == 1)
        for number, table in enumerate(tables, start=1)
    )
    names = tuple(sanitize(table.name) for table in tables)
    return ParsedFile(names if len(tables) > 1 else (), sheets)


@dataclass
class _Table:
    """A list of records, iterated once for their names and once for their rows."""

    name: str
    records: Iterable[Any]
    unread: Sequence[str] = ()  # what else stands in the file
    names: dict[str, int] = field(default_factory=dict)  # with their columns
    is_named: bool = True  # objects; otherwise lists, whose cells have no names
    depth: int = NESTED_DEPTH  # of objects in objects whose values are columns
    lists: set[str] = field(default_factory=set)  # names of columns with lists, which stay text
    count: int = 0
    yielded: int = 0

    @property
    def is_table(self) -> bool:
        """Whether all records are objects, or all lists. Collects the names on the way."""
        kinds: set[type] = set()
        outer: dict[str, None] = {}
        for record in self.records:
            self.count += 1
            kinds.add(type(record))
            if isinstance(record, dict):
                outer.update(dict.fromkeys(record))
                flat = _flat(record, self.depth)
                self.lists.update(name for name, value in flat.items() if isinstance(value, list))
                for name in flat:
                    self.names.setdefault(name, len(self.names))
            if len(self.names) > len(outer) + NESTED_COLUMNS:
                self.depth = 0  # the names are data, as those of days or of parts
        if not self.depth:
            self.names = {name: place for place, name in enumerate(outer)}
            self.lists &= outer.keys()
        self.is_named = kinds == {dict}
        return self.is_named or kinds == {list}

    def as_sheet(self, number: int, encoding: str, *, is_alone: bool) -> RawSheet:
        """Return the records as rows of a sheet."""
        return RawSheet(
            name=None if is_alone else sanitize(self.name),
            number=number,
            rows=self._rows(),
            is_text=False,
            doubtful=[*beside_records(self.unread), *lists_in_cells(sorted(self.lists))],
            share_read=lambda: self.yielded / max(1, self.count),
            encoding=encoding,
            has_names=self.is_named,
        )

    def _rows(self) -> Iterator[Sequence[Value]]:
        if self.is_named:
            yield [*map(sanitize, self.names)]
        for record in self.records:
            self.yielded += 1
            if not self.is_named:
                yield [_cell(value) for value in record]
                continue
            row: list[Value] = [None] * len(self.names)
            for name, value in _flat(record, self.depth).items():
                row[self.names[name]] = _cell(value)
            yield row


@dataclass(frozen=True, slots=True)
class _ListElements:
    """The elements of a list, decoded one by one: all at once take many times the memory."""

    text: str
    place: int
    end: str  # what ends the list; nothing for objects that just follow each other

    def __iter__(self) -> Iterator[Any]:
        place = self._next(self.place)
        while place < len(self.text):
            if self.end and self.text.startswith(self.end, place):
                if (rest := self._next(place + 1)) < len(self.text):
                    raise json.JSONDecodeError("more behind the list's end", self.text, rest)
                return
            value, place = _DECODER.raw_decode(self.text, place)
            yield value
            place = self._next(place)
        if self.end:
            raise json.JSONDecodeError("the list has no end", self.text, len(self.text))

    def _next(self, place: int) -> int:
        found = _BETWEEN.match(self.text, place)
        return found.end() if found else place


def _tables(text: str) -> list[_Table]:
    if text.startswith("["):
        table = _Table("", _ListElements(text, 1, "]"))
        return [table] if table.is_table else []
    first, end = _DECODER.raw_decode(text)
    if end < len(text):
        table = _Table("", _ListElements(text, 0, ""))
        return [table] if table.is_table else []
    if not isinstance(first, dict):
        return []
    for cube in (first, first.get("dataset")):
        if isinstance(cube, dict) and (cells := _of_cube(cube)) is not None:
            others = [name for name in cube if name not in CUBE]
            table = _Table("", cells, others)
            return [table] if table.is_table else []
    if (records := _by_columns(first)) is not None:
        table = _Table("", records)
        return [table] if table.is_table else []
    unread: list[str] = []
    tables = [
        table
        for name, records in _lists(first, "", WRAPPER_DEPTH, unread)
        if (table := _Table(name, records, unread)).is_table
    ]
    if not tables and not any(isinstance(value, dict | list) for value in first.values()):
        table = _Table("", [first])
        return [table] if table.is_table else []
    return tables


def _of_cube(cube: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return a record for every cell of a cube of JSON-stat; None of another object."""
    dimensions, values = cube.get("dimension"), cube.get("value")
    if not isinstance(dimensions, dict) or not isinstance(values, list | dict):
        return None
    ids = cube.get("id", dimensions.get("id"))
    sizes = cube.get("size", dimensions.get("size"))
    if not isinstance(ids, list) or not isinstance(sizes, list) or len(ids) != len(sizes):
        return None
    try:
        labels = [_categories(dimensions[id_], size) for id_, size in zip(ids, sizes, strict=True)]
        cells = math.prod(sizes)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    status = cube.get("status")
    status = status if isinstance(status, list | dict) else {}
    places = range(len(values)) if isinstance(values, list) else values
    if not 0 < cells <= CELLS or not {str(each) for each in places} <= {*map(str, range(cells))}:
        return None
    if isinstance(values, list) and len(values) != cells:
        return None
    records: list[dict[str, Any]] = []
    for place, keys in enumerate(itertools.product(*labels)):
        record = dict(zip(map(str, ids), keys, strict=True))
        record["value"] = _at(values, place)
        if status:
            record["status"] = _at(status, place)
        records.append(record)
    return records


def _categories(dimension: dict[str, Any], size: int) -> list[str]:
    """Return the labels of a dimension's categories, in their order; with codes where alike."""
    category = dimension["category"]
    label = category.get("label", {})
    index = category.get("index", list(label))
    codes = sorted(index, key=index.__getitem__) if isinstance(index, dict) else index
    if len(codes) != size:
        raise ValueError("another number of categories")
    names = [str(label.get(code, code)) for code in codes]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({code})" for name, code in zip(names, codes, strict=True)]


def _at(cells: list[Any] | dict[str, Any], place: int) -> Any:
    if isinstance(cells, dict):
        return cells.get(str(place))
    return cells[place] if place < len(cells) else None


def _by_columns(holder: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the records of an object of columns, each a list or an object; None of another.

    pandas writes the cells of a column under the numbers of their rows.
    """
    columns = list(holder.values())
    if len(columns) < FEWEST_COLUMNS or not columns[0]:
        return None
    if all(isinstance(column, list) for column in columns):
        rows = list(map(str, range(len(columns[0]))))
        if any(len(column) != len(rows) for column in columns):
            return None
        cells = columns
    elif all(isinstance(column, dict) for column in columns):
        rows = list(columns[0])
        if not all(map(_ROW_NUMBER.fullmatch, rows)):
            return None
        if any(column.keys() != columns[0].keys() for column in columns):
            return None
        cells = [[column[row] for row in rows] for column in columns]
    else:
        return None
    if any(isinstance(cell, dict | list) for column in cells for cell in column):
        return None
    names = list(holder)
    if rows != list(map(str, range(len(rows)))) and ROW_NAME not in holder:
        # Numbers that tell more than the order, as of rows that were chosen, are kept.
        names, cells = [ROW_NAME, *names], [list(map(int, rows)), *cells]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def _lists(
    holder: dict[str, Any], path: str, depth: int, unread: list[str]
) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of objects inside an object; append the names of all else to `unread`."""
    for name, value in holder.items():
        where = f"{path}.{name}" if path else name
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            yield where, value
        elif isinstance(value, dict) and depth:
            yield from _lists(value, where, depth - 1, unread)
        else:
            unread.append(where)


def beside_records(unread: Sequence[str]) -> list[Finding]:
    """Return the finding on what else stands in a file of records; none if there is nothing."""
    return _on_names(_BESIDE_RECORDS, unread)


def lists_in_cells(names: Sequence[str]) -> list[Finding]:
    """Return the finding on columns whose cells are lists; none if there are none."""
    return _on_names(_LISTS_IN_CELLS, names)


def _on_names(sentence: Sentence, names: Sequence[str]) -> list[Finding]:
    told = sanitize(", ".join(names[:FIELDS_TOLD]))
    return [sentence.finding(len(names), names=told)] if names else []


def _flat(record: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return a record with the values of objects in it under joined names: machine.line."""
    if not depth or not any(isinstance(value, dict) for value in record.values()):
        return record
    pairs: list[tuple[str, Any]] = []
    for name, value in record.items():
        if isinstance(value, dict) and value:
            inner = _flat(value, depth - 1)
            pairs.extend((f"{name}.{each}", cell) for each, cell in inner.items())
        else:
            pairs.append((name, value))
    return _object(pairs)


def _cell(value: Any) -> Value:
    """Return the value of a cell; what is nested stays JSON."""
    if isinstance(value, dict | list):
        nested = json.dumps(value, ensure_ascii=False, default=lambda error: error.name)
        return sanitize(nested)
    plain: Value = sanitize(value) if isinstance(value, str) else value
    return plain


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, renaming keys that occur twice so that no value is lost."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    made = {}
    for name, value in pairs:
        number = 2
        free = name
        while free in made:
            free = f"{name} ({number})"
            number += 1
        made[free] = value
    return made


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=fraction, parse_int=whole, parse_constant=CellError
)
