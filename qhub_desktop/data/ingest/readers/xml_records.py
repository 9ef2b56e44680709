"""Lists of like records in XML: bank statements (camt.053), feeds, IDocs, exports of programs.

The element that repeats is a row; what it and the elements in it say, as text or as attributes, are
its columns, named by their path. It is read twice: once for its shape, once for its rows.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Literal
from xml.parsers import expat
from xml.parsers.expat import errors

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.json_records import beside_records, lists_in_cells
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile, RawSheet, Value
from qhub_desktop.data.ingest.readers.sniff import MARKUP, Content, file_format
from qhub_desktop.data.ingest.readers.spreadsheetml import XmlHandler, read_xml

PATHS_LIMIT = 20_000  # different ones; with more, the names are data
DEPTH_LIMIT = 100
MOST_FIELDS = 1_000
RECORDS_SHARE = 0.5  # of all values; with fewer in the records, the file is about something else
FILLED_SHARE = 0.2  # of the cells; with fewer, the records are not alike
# A list inside the records is read instead of them where it holds nearly all that they do, is
# longer, and is missing from records that hold next to nothing.
INNER_SHARE, INNER_TIMES, LOST_SHARE = 0.8, 2, 0.1
BETWEEN = "; "  # values of one column in one record
LAST_BYTES = 1_024  # in which the outermost element ends, if the file is whole
# Without a declaration, text that begins with a tag is XML where it ends with the same.
_ROOT_WITH_CHILD = re.compile(r"<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?>\s*<[A-Za-z_!?]")
_SPACED_NUMBER = re.compile(r"[-+]?\d[\d.,\s]*-?")
# Pages, drawings, schemas, forms and definitions of reports repeat elements, too.
_NO_LIST = re.compile(
    r"/xhtml|/svg|XMLSchema$|XSL/|/MathML|/wsdl|reportdefinition|/office/|opendocument|docbook"
)
_CUT = (errors.XML_ERROR_NO_ELEMENTS, errors.XML_ERROR_UNCLOSED_TOKEN)
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance "


@dataclass(slots=True)
class _Values:
    """Values seen of the texts of an element, or of an attribute."""

    count: int = 0
    are_numbers: bool = True

    def note(self, text: str) -> None:
        self.count += 1
        self.are_numbers = self.are_numbers and bool(_SPACED_NUMBER.fullmatch(text))


@dataclass(slots=True, eq=False)
class _Element:
    """Elements seen at one path."""

    name: str
    children: dict[str, "_Element"] = field(default_factory=dict)
    values: dict[str | None, _Values] = field(default_factory=dict)  # by attribute; None is text
    count: int = 0
    holders: int = 0  # elements that hold at least one
    most: int = 0  # in one element

    @property
    def label(self) -> str:
        return _local(self.name)

    @property
    def size(self) -> int:
        """The number of values in it and in what it holds."""
        return sum(each.count for each in self.values.values()) + sum(
            each.size for each in self.children.values()
        )


@dataclass(frozen=True, slots=True)
class _Column:
    """Place of a column's values: in which element, and in which attribute if in any."""

    owner: _Element  # the record, or what holds several and is repeated in each
    element: _Element
    attribute: str | None
    name: str
    role: Literal["value", "count", "number"] = "value"  # how many there are, or which one it is
    is_list: bool = False  # there may be several in a record

    @property
    def values(self) -> _Values:
        """What was seen of its values."""
        return self.element.values[self.attribute]


def _is_xml(content: Content) -> bool:
    if content.is_xml:
        return True
    root = _ROOT_WITH_CHILD.match(content.text)
    if root is None:
        return False
    with content.source.path.open("rb") as opened:
        opened.seek(max(0, content.source.path.stat().st_size - LAST_BYTES))
        return opened.read().rstrip().endswith(f"</{root[1]}>".encode())


@file_format("XML", suffixes=(), sniff=_is_xml, rank=MARKUP + 4, place=19)
def read_xml_records(source: InputFile) -> ParsedFile:
    """Read the list that holds the most, each of its records as a row."""
    shape = _Shape(source)
    for _size in _parsed(source, shape):
        pass
    path = _list_in(shape.root)
    root = next(iter(shape.root.children.values()))
    if not path or _NO_LIST.search(root.name) or path[-1].size < root.size * RECORDS_SHARE:
        raise _no_list(source, root)
    record = path[-1]
    own = [*_columns(record, record, "", is_list=False)]
    values = sum(each.values.count for each in own if each.role == "value")
    if len(own) > MOST_FIELDS or values < record.count * len(own) * FILLED_SHARE:
        raise _no_list(source, root)
    above = [column for each in path[:-1] if each.most > 1 for column in _columns_above(each)]
    rows = _Rows(source, shape.root, record, [*above, *own])
    read = {(column.element, column.attribute) for column in (*above, *own)}
    lists = [each.name for each in own if each.is_list and each.role == "value"]
    sheet = RawSheet(
        name=None,
        number=1,
        rows=rows.read(),
        is_text=True,
        doubtful=[*beside_records([*_beside(root, "", read)]), *lists_in_cells(lists)],
        share_read=lambda: rows.share,
        has_names=True,
    )
    return ParsedFile((), iter([sheet]))


def _parsed(source: InputFile, elements: XmlHandler) -> Iterator[int]:
    """Parse the file, and yield how far it is read. Raises UserError, with the line at fault.

    What is written by hand may have a sign in it that XML has not, and is not cut off.
    """
    try:
        yield from read_xml(source, lambda: source.path.open("rb"), elements)
    except UserError as error:
        cause = error.__cause__
        if not isinstance(cause, expat.ExpatError) or expat.ErrorString(cause.code) in _CUT:
            raise
        text = _("{file} is not valid XML: line {line} cannot be read. {step}")
        raise UserError(
            text.format(file=source.name, line=cause.lineno, step=_(rejection.EXPORT_AGAIN))
        ) from cause


def _no_list(source: InputFile, root: _Element) -> UserError:
    what = _("{file} is XML of the kind '{root}', which is no table. {step}")
    return UserError(
        what.format(file=source.name, root=sanitize(root.label), step=_(rejection.FROM_SOURCE))
    )


def _list_in(top: _Element) -> list[_Element]:
    """Return the path to the list's element from the document's; nothing where none repeats.

    A list of one record is one where there is nothing else.
    """
    lists = [*_paths_to_lists(top, [])]
    if not lists:
        root = next(iter(top.children.values()))
        only = [*root.children.values()]
        is_record = len(only) == 1 and not root.values and not only[0].children
        return [root, *only] if is_record and len(only[0].values) > 1 else []
    path = _largest(lists)
    while inner := [each for each in _paths_to_lists(path[-1], []) if _is_instead(path[-1], each)]:
        path += _largest(inner)
    return path


def _largest(paths: Sequence[list[_Element]]) -> list[_Element]:
    return max(paths, key=lambda each: each[-1].size)


def _paths_to_lists(element: _Element, above: list[_Element]) -> Iterator[list[_Element]]:
    """Yield the paths to the nearest elements below that repeat."""
    for child in element.children.values():
        if child.most > 1:
            yield [*above, child]
        else:
            yield from _paths_to_lists(child, [*above, child])


def _is_instead(record: _Element, path: Sequence[_Element]) -> bool:
    """Whether a list inside records is to be read instead of them."""
    inner, own = path[-1], record.size - path[-1].size
    with_inner, holder = 1.0, record
    for each in path:
        with_inner *= each.holders / holder.count
        holder = each
    return (
        inner.size >= record.size * INNER_SHARE
        and inner.count >= record.count * INNER_TIMES
        and own * (1 - with_inner) <= record.size * LOST_SHARE
    )


def _columns(owner: _Element, element: _Element, path: str, *, is_list: bool) -> Iterator[_Column]:
    """Yield the columns of an element and of all that is in it."""
    if path and element.most > 1 and element.children:
        yield _Column(owner, element, None, f"{path} (n)", "count", is_list=True)
    for attribute in sorted(element.values, key=lambda each: each is not None):
        name = path if attribute is None else _joined(path, _local(attribute))
        yield _Column(owner, element, attribute, name or element.label, is_list=is_list)
    for child in element.children.values():
        name = _joined(path, child.label)
        yield from _columns(owner, child, name, is_list=is_list or child.most > 1)


def _columns_above(outer: _Element) -> Iterator[_Column]:
    """Yield the columns of an element that holds several records.

    They repeat in each of its records, so that numbers, which would be added up, are left out; the
    element's own number tells whose a record is.
    """
    yield _Column(outer, outer, None, outer.label, "number")
    for column in _columns(outer, outer, outer.label, is_list=False):
        if not column.is_list and column.role == "value" and not column.values.are_numbers:
            yield column


def _beside(element: _Element, path: str, read: set[tuple[_Element, str | None]]) -> Iterator[str]:
    """Yield the paths of what holds values that are in no row."""
    if any((element, each) not in read for each in element.values):
        yield path or element.label
    for child in element.children.values():
        yield from _beside(child, _joined(path, child.label), read)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


class _Shape:
    """Collects which elements there are below which, and how often."""

    def __init__(self, source: InputFile) -> None:
        self.root = _Element("")
        self._source = source
        self._paths = 0
        self._within: list[tuple[_Element, dict[str, int], list[str]]] = [(self.root, {}, [])]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        holder, seen, _text = self._within[-1]
        element = holder.children.get(name)
        if element is None:
            element = holder.children[name] = _Element(name)
            self._paths += 1
            if self._paths > PATHS_LIMIT or len(self._within) > DEPTH_LIMIT:
                raise _no_list(self._source, next(iter(self.root.children.values())))
        element.count += 1
        seen[name] = times = seen.get(name, 0) + 1
        element.holders += times == 1
        element.most = max(element.most, times)
        for attribute, text in _stated(attributes):
            element.values.setdefault(attribute, _Values()).note(text)
        self._within.append((element, {}, []))

    def end(self, _name: str) -> None:
        element, _seen, parts = self._within.pop()
        if text := "".join(parts).strip():
            element.values.setdefault(None, _Values()).note(text)

    def text(self, text: str) -> None:
        self._within[-1][2].append(text)


class _Rows:
    """Makes a row of each record."""

    def __init__(
        self, source: InputFile, top: _Element, record: _Element, columns: Sequence[_Column]
    ) -> None:
        self.share = 0.0
        self._source = source
        self._columns = columns
        self._record = record
        self._places = {
            (each.element, each.attribute, each.role == "value"): place
            for place, each in enumerate(columns)
        }
        self._within: list[tuple[_Element, list[str]]] = [(top, [])]
        # Of the record, and of each element that holds several: the texts by column.
        self._texts: dict[_Element, dict[int, list[str]]] = {each.owner: {} for each in columns}
        self._numbers = Counter[_Element]()
        self._first_rows: dict[_Element, int] = {}  # of those that have begun and not ended
        self._rows: list[list[Value]] = []

    def read(self) -> Iterator[Sequence[Value]]:
        """Yield the names, and then the row of each record."""
        yield _names(self._columns)
        whole = max(1, self._source.path.stat().st_size)
        for size in _parsed(self._source, self):
            self.share = size / whole
            if not self._first_rows:
                yield from self._rows
                self._rows = []
        yield from self._rows

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = self._within[-1][0].children[name]
        self._within.append((element, []))
        if element in self._texts:
            self._texts[element] = {}
            if element is not self._record:
                self._first_rows[element] = len(self._rows)
                self._numbers[element] += 1
        self._note(element, None, str(self._numbers[element]), is_value=False)
        for attribute, text in _stated(attributes):
            self._note(element, attribute, text)

    def end(self, _name: str) -> None:
        element, parts = self._within.pop()
        if text := "".join(parts).strip():
            self._note(element, None, text)
        if element is self._record:
            row: list[Value] = [None] * len(self._columns)
            self._fill(row, element)
            self._rows.append(row)
        elif element in self._first_rows:
            for row in self._rows[self._first_rows.pop(element) :]:
                self._fill(row, element)

    def text(self, text: str) -> None:
        self._within[-1][1].append(text)

    def _note(
        self, element: _Element, attribute: str | None, text: str, *, is_value: bool = True
    ) -> None:
        place = self._places.get((element, attribute, is_value))
        if place is not None:
            self._texts[self._columns[place].owner].setdefault(place, []).append(text)

    def _fill(self, row: list[Value], owner: _Element) -> None:
        for place, texts in self._texts[owner].items():
            is_count = self._columns[place].role == "count"
            row[place] = str(len(texts)) if is_count else sanitize(BETWEEN.join(texts))


def _names(columns: Sequence[_Column]) -> list[Value]:
    """Return the columns' names, each another: those of two namespaces may be alike."""
    names: dict[str, None] = {}
    for column in columns:
        name, number = column.name, 2
        while name in names:
            name, number = f"{column.name} ({number})", number + 1
        names[name] = None
    return [*map(sanitize, names)]


def _stated(attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the attributes that say something of the record, with their texts."""
    for attribute, text in attributes.items():
        if not attribute.startswith(_INSTANCE) and (text := text.strip()):
            yield attribute, text
