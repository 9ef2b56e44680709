"""Data sets as values: columns, profiles, how a file was read, and which columns hold defects."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Literal, get_args

from qhub_desktop.core.table import Cell, ColumnType, Table
from qhub_desktop.core.text import fold_name, gettext_noop, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

DefectType = Literal[
    "lixo",
    "falta_tinta",
    "casca_laranja",
    "gordura",
    "descasque",
    "escorrido",
    "crateras",
    "outros",
]
Shift = Literal["manha", "tarde", "noite"]
DEFECT_TYPES: tuple[str, ...] = get_args(DefectType)
SHIFTS: tuple[str, ...] = get_args(Shift)
LOG_ID = "station-defects"  # of the station's log, among data sets
# The columns of the log, which are the fields of a defect.
DEFECT_FIELDS = ("id", "data", "turno", "operador", "tipo_defeito", "material", "rack", "posicao")

# The fields whose values are words of the plant's, and those words.
DEFECT_WORDS: Mapping[str, tuple[str, ...]] = {"tipo_defeito": DEFECT_TYPES, "turno": SHIFTS}


# When each of the plant's shifts begins, where the station's settings do not say it.
_USUAL_BEGINS: Mapping[str, str] = {"manha": "06:00", "tarde": "14:00", "noite": "22:00"}


def plant_shift(moment: datetime, begins: Mapping[str, str]) -> str:
    """Return the plant's shift at a moment; `begins` are the station's, by name, if it has any.

    A station's shift that has none of the plant's names gives way to the usual times.
    """
    clock = f"{moment:%H:%M}"
    for times in (begins, _USUAL_BEGINS):
        names = {begin.zfill(5): fold_name(name) for name, begin in times.items()}
        begun = [each for each in names if each <= clock] or [*names]
        found = [each for each in SHIFTS if begun and each in names[max(begun)]]
        if found:
            return found[0]
    return SHIFTS[0]  # not met: the usual times have the plant's names


@dataclass(frozen=True, slots=True)
class Defect:
    """Record of one defect; its id is given when it is stored."""

    date: date
    shift: str
    operator: str
    type: str
    material: str
    rack: str
    position: int


@dataclass(frozen=True, slots=True)
class LogInShort:
    """What is usual in the log, for whoever records the next defect.

    `values` are those of each field, the most frequent first; `today` counts each type; `last` is
    what this person recorded last, and when.
    """

    values: Mapping[str, tuple[str | int, ...]]
    today: Mapping[str, int]
    last: Defect | None = None
    recorded: datetime | None = None


@dataclass(frozen=True, slots=True)
class DefectMapping:
    """Mapping of a file's columns to the plant's fields, and of its words to the plant's.

    `columns` holds (field, column), in the order of `DEFECT_FIELDS`. `words` holds (field, word of
    the file, the plant's word), for types of defect and shifts; a word that is not in it is kept.
    """

    columns: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, str, str], ...] = ()

    def column(self, field: str) -> str | None:
        """Return the file's column for a field, if it has one."""
        return next((column for each, column in self.columns if each == field), None)

    def field(self, column: str) -> str | None:
        """Return the field that a column of the file holds, if it is one of the plant's."""
        return next((field for field, each in self.columns if each == column), None)

    def meanings(self, field: str) -> dict[str, str]:
        """Return the plant's words by the file's, where they differ."""
        return {
            word: meaning for each, word, meaning in self.words if each == field and word != meaning
        }

    def meaning(self, field: str, word: str) -> str:
        """Return the plant's word for a word of the file."""
        return self.meanings(field).get(word.strip(), word.strip())


@dataclass(frozen=True, slots=True)
class Appended:
    """Outcome of adding a file's rows to the log.

    Every row of the file is in one of the counts. `id` undoes it; none where nothing was added.
    """

    id: int | None
    added: int
    known: int  # in the log already
    contradicted: int = 0  # their number is in the log already, with other values
    undated: int = 0
    untyped: int = 0
    unplaced: int = 0  # their position is not a whole number

    @property
    def left_out(self) -> int:
        """Rows that are not in the log now."""
        return self.contradicted + self.undated + self.untyped + self.unplaced


def named_as(field: str, column: str) -> bool:
    """Return whether a column has the plant's own name of a field, without case and accents."""
    return fold_name(column) == field


TotalsChoice = Literal["apart", "kept"]
ApartKind = Literal["title", "note", "blank", "total", "repeated_header", "numbering", "group"]


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column over every row of the data set.

    `mean` and `std` (sample, n - 1) are for numbers only. `top` holds the most frequent values with
    their counts, most frequent first. Where texts have more values than that, but not very many,
    `values` holds all of them, by the alphabet, but for long ones: for finding what a question
    names, on this computer only. No prompt, list or export has it, as a name in one row is a
    person's. `histogram` holds 12 equal classes from min to max.
    `outliers` counts numbers further than 1.5 interquartile ranges outside the quartiles (Tukey).
    """

    name: str
    type: ColumnType
    missing: int
    distinct: int
    min: Cell = None
    max: Cell = None
    mean: float | None = None
    std: float | None = None
    quartiles: tuple[float, float, float] | None = None
    top: tuple[tuple[Cell, int], ...] = ()
    histogram: tuple[int, ...] = ()
    outliers: int = 0
    values: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[Cell, ...]:
        """Every value that the profile holds, the most frequent ones first."""
        most = tuple(value for value, _count in self.top)
        if not self.values:
            return most
        seen = frozenset(most)
        return *most, *(value for value in self.values if value not in seen)

    @property
    def is_constant(self) -> bool:
        """Whether every row holds the same value."""
        return self.distinct == 1 and not self.missing


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """Choices of the person about reading a file, where the program would decide otherwise.

    `header_row` is the row in the file, from 1, that holds the names (the last of several); 0 says
    that there is none. `types` are by the column's name. `totals` says whether rows that may be
    totals are set apart or kept. `table` is one of several in a sheet, from 1; 0 reads the sheet as
    one. `filled_down` gives every row the label of its group, or, if false, not even the title of
    its group, and `transposed` exchanges rows and columns. Nothing chosen is `ImportChoices()`.
    """

    header_row: int | None = None
    separator: str | None = None
    encoding: str | None = None
    types: tuple[tuple[str, ColumnType], ...] = ()
    totals: TotalsChoice | None = None
    table: int | None = None
    filled_down: bool | None = None
    transposed: bool | None = None


@dataclass(frozen=True, slots=True)
class SetApart:
    """Rows of the file that are not rows of the data set: `row` to `last_row`, from 1."""

    kind: ApartKind
    row: int
    last_row: int
    text: str = ""  # what stood there, shortened


@dataclass(frozen=True, slots=True)
class TypeOffer:
    """A type that a column of text may be read as, and how many of its cells would be missing."""

    column: str
    type: ColumnType
    missing: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about an import that the person may want to check.

    `kind` is a short fixed word for other programs, `text` a sentence in the person's language,
    `count` how many cells, rows or columns it is about, and `cells` where the first of them are
    in the file (B7, or A3:H3). `offer` is the type that most of the cells of its column have.
    """

    kind: str
    text: str
    count: int = 1
    cells: tuple[str, ...] = ()
    offer: TypeOffer | None = None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Report of how a file became a data set.

    Always: rows_present = rows_read + the header's rows + the rows set apart. `header_row` is the
    last row of the header, from 1; none where the names are the program's own. `facts` are names
    and values that the file has beside its rows, such as the operator; no model is told them.
    """

    format: str
    rows_present: int
    rows_read: int
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    header_row: int | None = None
    header_rows: int = 1  # how many rows the header takes
    set_apart: tuple[SetApart, ...] = ()
    repaired: tuple[Finding, ...] = ()
    doubtful: tuple[Finding, ...] = ()
    choices: ImportChoices = ImportChoices()
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def rows_apart(self) -> int:
        """How many rows were set apart."""
        return sum(each.last_row - each.row + 1 for each in self.set_apart)


@dataclass(frozen=True, slots=True)
class DatasetProfile:
    """One data set: a sheet of a file as the workspace keeps it."""

    id: str  # unique for ever: content, sheet and choices
    dataset: str  # the name SQL knows it by
    file: str  # the name the person knows it by
    sheet: str | None
    sheets: tuple[str, ...]
    rows: int
    sha256: str
    columns: tuple[ColumnProfile, ...]
    preview: Table  # the first rows
    warnings: tuple[str, ...] = ()  # the report's sentences
    report: ImportReport | None = None  # none for rows of the program's own
    origin: str = ""  # the path of the file it was last read from; never told to a model
    duplicate_rows: int = 0  # rows that repeat an earlier one, cell for cell
    defects: DefectMapping | None = None  # where it is a table of defects, as is known or confirmed
    area: str = ""  # where it stands, if the sheet holds several tables
    readings: tuple[tuple[str, str], ...] = ()  # words, each with the meaning chosen for it here

    @property
    def place(self) -> tuple[str, str | None, str]:
        """Where the rows stand: the file by its content, the sheet, and its part."""
        return (self.sha256, self.sheet, self.area)

    def column(self, name: str) -> ColumnProfile | None:
        """Return one column by its exact name."""
        return next((column for column in self.columns if column.name == name), None)

    def defect_column(self, field: str) -> str | None:
        """Return the column that holds one of the plant's fields of a defect, if one does."""
        if self.defects is not None:
            return self.defects.column(field)
        return next((each.name for each in self.columns if named_as(field, each.name)), None)

    def defect_field(self, column: str) -> str | None:
        """Return the plant's field of a defect that a column holds, if it is one."""
        if self.defects is not None:
            return self.defects.field(column)
        return next((field for field in DEFECT_FIELDS if named_as(field, column)), None)


TYPE_NAMES: dict[ColumnType, str] = {
    "integer": gettext_noop("whole number"),
    "number": gettext_noop("number"),
    "text": gettext_noop("text"),
    "category": gettext_noop("category"),
    "date": gettext_noop("date"),
    "datetime": gettext_noop("date and time"),
    "time": gettext_noop("time of day"),
    "boolean": gettext_noop("yes or no"),
}


def numbered_alike(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are one but for a number in turn, as of trials: 'V1', 'V2', 'V3'.

    None where there are no two, or several such rows of names.
    """
    series: dict[str, dict[int, str]] = {}
    for name in names:
        parts = re.fullmatch(r"(\D*)(\d{1,3})(\D*)", fold_name(name))
        if parts is not None:
            series.setdefault(f"{parts[1]}#{parts[3]}", {})[int(parts[2])] = name
    found = [
        tuple(each[number] for number in sorted(each))
        for each in series.values()
        if len(each) > 1 and max(each) - min(each) == len(each) - 1
    ]
    return found[0] if len(found) == 1 else ()


def describe_append(came: Appended) -> str:
    """Describe what came of an append, in the person's words; every row is counted in it."""
    counted = (
        (ngettext("{count} defect added", "{count} defects added", came.added), came.added),
        (
            ngettext(
                "{count} was in the log already", "{count} were in the log already", came.known
            ),
            came.known,
        ),
    )
    apart = (
        (ngettext("{count} without a date", "{count} without a date", came.undated), came.undated),
        (ngettext("{count} without a type", "{count} without a type", came.untyped), came.untyped),
        (
            ngettext(
                "{count} with a position that is not a whole number",
                "{count} with a position that is not a whole number",
                came.unplaced,
            ),
            came.unplaced,
        ),
        (
            ngettext(
                "{count} whose number the log has with other values",
                "{count} whose numbers the log has with other values",
                came.contradicted,
            ),
            came.contradicted,
        ),
    )
    said = [
        words.format(count=number(count, digits=0))
        for words, count in counted
        if count or words is counted[0][0]
    ]
    left = [words.format(count=number(count, digits=0)) for words, count in apart if count]
    sentence = ", ".join(said) + "."
    left_out = _("Left out: {reasons}.").format(reasons=", ".join(left))
    return f"{sentence} {left_out}" if left else sentence
