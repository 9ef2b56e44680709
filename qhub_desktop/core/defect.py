"""One reported paint defect, the words the plant has for it, and those that a file has instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

from qhub_desktop.core.folding import fold_name

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
TYPES: tuple[str, ...] = get_args(DefectType)
SHIFTS: tuple[str, ...] = get_args(Shift)
LOG_ID = "station-defects"  # of the station's log, among data sets
COLUMNS = ("id", "data", "turno", "operador", "tipo_defeito", "material", "rack", "posicao")

# The fields whose values are words of the plant's, and those words.
WORDS: Mapping[str, tuple[str, ...]] = {"tipo_defeito": TYPES, "turno": SHIFTS}


@dataclass(frozen=True, slots=True)
class Defect:
    """What the station knows of one defect; its id is given when it is stored."""

    date: date
    shift: str
    operator: str
    type: str
    material: str
    rack: str
    position: int


@dataclass(frozen=True, slots=True)
class DefectMapping:
    """Where a file keeps the plant's fields, and what its own words mean.

    `columns` holds (field, column), in the order of `COLUMNS`. `words` holds (field, word of the
    file, the plant's word), for types of defect and shifts; a word that is not in it is kept.
    """

    columns: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, str, str], ...] = ()

    def column(self, field: str) -> str | None:
        """The file's column for a field, if it has one."""
        return next((column for each, column in self.columns if each == field), None)

    def field(self, column: str) -> str | None:
        """The field that a column of the file holds, if it is one of the plant's."""
        return next((field for field, each in self.columns if each == column), None)

    def meanings(self, field: str) -> dict[str, str]:
        """The plant's words by the file's, where they differ."""
        return {
            word: meaning for each, word, meaning in self.words if each == field and word != meaning
        }

    def meaning(self, field: str, word: str) -> str:
        """What the plant calls this."""
        return self.meanings(field).get(word.strip(), word.strip())


@dataclass(frozen=True, slots=True)
class Appended:
    """What came of adding a file's rows to the log.

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
    """Whether a column has the plant's own name of a field, however it is written."""
    return fold_name(column) == field
