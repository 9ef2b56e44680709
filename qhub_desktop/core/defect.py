"""One reported paint defect, and the words the plant has for it."""

from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

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
COLUMNS = ("id", "data", "turno", "operador", "tipo_defeito", "material", "rack", "posicao")


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
