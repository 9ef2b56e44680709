"""Which tables are tables of defects, and which of their columns holds what."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import duckdb
import pandas as pd
import pytest

from qhub_desktop.core.dataset import DEFECT_FIELDS, DatasetProfile
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.data import profile
from qhub_desktop.data.defect_recognition import (
    MappingProposal,
    certain_mapping,
    meaning_of,
    propose,
)

ROWS = 40


def profiled(columns: Mapping[str, Sequence[Any]]) -> DatasetProfile:
    """A table's profile, made as that of any imported file is."""
    frame = pd.DataFrame(dict(columns))
    with duckdb.connect() as db:
        db.register("frame", frame)
        days = [name for name in columns if isinstance(columns[name][0], date)]
        typed = ", ".join(f'CAST("{name}" AS DATE) AS "{name}"' for name in days)
        changed = f" REPLACE ({typed})" if typed else ""
        db.execute(f"CREATE TABLE rows AS SELECT *{changed} FROM frame")
        found = profile.profile_columns(db, "rows")
        preview = profile.preview(db, "rows", found)
    return DatasetProfile(
        id="0123456789ab-1",
        dataset="export",
        file="export.csv",
        sheet=None,
        sheets=(),
        rows=len(frame),
        sha256="",
        columns=found,
        preview=preview,
    )


def spread(*values: Any) -> list[Any]:
    """Forty cells of these values in turn."""
    return [values[place % len(values)] for place in range(ROWS)]


def days() -> list[date]:
    return [date(2026, 3, 1) + timedelta(days=place // 3) for place in range(ROWS)]


def numbers() -> list[int]:
    return list(range(1, ROWS + 1))


def proposed(columns: Mapping[str, Sequence[Any]]) -> MappingProposal:
    found = propose(profiled(columns))
    assert found is not None
    return found


def test_the_demo_data_is_recognised_whole_and_for_certain() -> None:
    log = pd.read_csv(DEMO_DATA / "defeitos.csv", parse_dates=["data"])
    columns = {name: list(log[name]) for name in log.columns}
    columns["data"] = [day.date() for day in log["data"]]

    found = proposed(columns)

    assert found.mapping.columns == tuple((name, name) for name in DEFECT_FIELDS)
    assert (found.missing, found.unknown, found.is_certain) == ((), (), True)


EXPORTS: dict[str, tuple[dict[str, Sequence[Any]], dict[str, str]]] = {
    "SAP": (
        {
            "Nº Registo": numbers(),
            "Dt. Registo": days(),
            "Shift": spread("M", "T", "N"),
            "Colaborador": spread("Júlia", "Carlos", "Pedro"),
            "Cód. Defeito": spread("Falta Tinta", "Casca de laranja", "Lixo"),
            "Peça/Material": spread("ABS Cinza", "PP Negro"),
            "Suporte": spread("R10", "R11", "R12"),
            "Pos.": spread(1, 2, 3, 4, 5),
        },
        {
            "id": "Nº Registo",
            "data": "Dt. Registo",
            "turno": "Shift",
            "operador": "Colaborador",
            "tipo_defeito": "Cód. Defeito",
            "material": "Peça/Material",
            "rack": "Suporte",
            "posicao": "Pos.",
        },
    ),
    "English": (
        {
            "RecordID": numbers(),
            "InspectionDate": days(),
            "ShiftName": spread("morning", "evening", "night"),
            "Operator Name": spread("Ann", "Bob"),
            "DefectType": spread("orange peel", "dirt", "run", "fish-eye"),
            "Part Number": spread("P-1", "P-2"),
            "Rack No.": spread(11, 12),
            "Position": spread(1, 2, 3),
        },
        {
            "id": "RecordID",
            "data": "InspectionDate",
            "turno": "ShiftName",
            "operador": "Operator Name",
            "tipo_defeito": "DefectType",
            "material": "Part Number",
            "rack": "Rack No.",
            "posicao": "Position",
        },
    ),
    "by content alone": (
        {
            "A": days(),
            "B": spread("Casca de laranja", "SUJIDADE", "escorridos", "Óleo"),
            "C": spread("Manhã", "Tarde", "Noite"),
            "D": spread("R10", "R11", "R9"),
            "E": spread(1, 2, 3, 4, 5, 6, 7),
        },
        {"data": "A", "tipo_defeito": "B", "turno": "C", "rack": "D", "posicao": "E"},
    ),
    "words that nobody knows": (
        {
            "Data": days(),
            "Turno": spread(1, 2, 3),
            "Defeito": spread("Zarcão", "Bolha"),
            "Gancheira": spread("G1", "G2"),
        },
        {"data": "Data", "turno": "Turno", "tipo_defeito": "Defeito", "rack": "Gancheira"},
    ),
    "the description, not the code": (
        {
            "Data do defeito": days(),
            "Código defeito": spread(1, 2, 3),
            "Descrição do defeito": spread("Lixo", "Gordura", "Crateras"),
            "Hora": spread(8, 9, 10),
            "Turno do dia": spread("manha", "tarde", "noite"),
            "Qtd. defeitos": spread(1, 2),
        },
        {
            "data": "Data do defeito",
            "tipo_defeito": "Descrição do defeito",
            "turno": "Turno do dia",
        },
    ),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_table_of_defects_is_recognised_whatever_its_columns_are_called(name: str) -> None:
    columns, expected = EXPORTS[name]

    assert dict(proposed(columns).mapping.columns) == expected


def test_words_are_translated_and_the_others_are_named() -> None:
    found = proposed(
        {
            "Data": days(),
            "Turno": spread("1.º turno", "2º Turno", "Equipa C"),
            "Defeito": spread("Falta Tinta", "03 - Casca de laranja", "Zarcão", "LIXO "),
        }
    )

    mapping = found.mapping
    assert mapping.meaning("tipo_defeito", "Falta Tinta") == "falta_tinta"
    assert mapping.meaning("tipo_defeito", "03 - Casca de laranja") == "casca_laranja"
    assert mapping.meaning("tipo_defeito", "LIXO ") == "lixo"
    assert mapping.meaning("turno", "1.º turno") == "manha"
    assert mapping.meaning("tipo_defeito", "Zarcão") == "Zarcão"
    assert set(found.unknown) == {("tipo_defeito", "Zarcão"), ("turno", "Equipa C")}
    assert not found.is_certain
    assert "rack" in found.missing


ORDINARY: dict[str, dict[str, Sequence[Any]]] = {
    "sales": {
        "Data": days(),
        "Cliente": spread("A", "B", "C"),
        "Tipo": spread("fatura", "recibo"),
        "Valor": spread(1.5, 2.5),
    },
    "waste collection": {
        "Data": days(),
        "Tipo": spread("lixo", "papel", "vidro", "plástico"),
        "Turno": spread("manhã", "noite"),
        "Toneladas": spread(1.5, 2.5),
    },
    "food": {
        "Data": days(),
        "Categoria": spread("gordura", "proteína", "fibra", "outros"),
        "Gramas": spread(10, 20, 30),
    },
    "faults in programs": {
        "Defect ID": numbers(),
        "Defect Type": spread("crash", "layout", "typo"),
        "Created": days(),
        "Assignee": spread("Ann", "Bob"),
    },
    "measurements": {
        "Data": days(),
        "Turno": spread("M", "T", "N"),
        "Operador": spread("Júlia", "Rui"),
        "Espessura": spread(80.1, 81.2, 79.9),
        "Posição": spread(1, 2, 3),
    },
    "defects a day": {
        "Data": days(),
        "Turno": spread("manha", "tarde", "noite"),
        "Defeitos": spread(4, 7, 2),
        "Peças": spread(400, 380),
    },
    "people": {
        "Nome": [f"Pessoa {each}" for each in numbers()],
        "Sexo": spread("M", "F"),
        "Nascimento": days(),
        "Nº": numbers(),
    },
    "stock": {
        "Material": spread("ABS", "PP"),
        "Rack": spread("R10", "R11"),
        "Posição": spread(1, 2, 3),
        "Quantidade": spread(10, 20),
        "Data": days(),
    },
    "maintenance": {
        "Data": days(),
        "Tipo": spread("preventiva", "corretiva"),
        "Motivo": spread("óleo", "correia", "filtro"),
        "Técnico": spread("Rui", "Ana"),
        "Turno": spread("manha", "tarde"),
    },
    "only words": {"Defeito": spread("lixo", "gordura"), "Custo": spread(1.5, 2.0)},
}


@pytest.mark.parametrize("name", ORDINARY)
def test_a_table_of_something_else_is_left_alone(name: str) -> None:
    found = profiled(ORDINARY[name])

    assert propose(found) is None
    assert certain_mapping(found) is None


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("Manhã", "manha"),
        ("M", "manha"),
        ("1", "manha"),
        ("1º", "manha"),
        ("Turno 2", "tarde"),
        ("T", "tarde"),
        ("T1", "manha"),
        ("turno da noite", "noite"),
        ("3.º turno (noite)", "noite"),
        ("06h-14h", "manha"),
        ("14:00 - 22:00", "tarde"),
        ("22-6", "noite"),
        ("NIGHT SHIFT", "noite"),
        ("A", None),
        ("1 - noite", None),
        ("férias", None),
    ],
)
def test_shifts_are_known_however_they_are_written(word: str, meaning: str | None) -> None:
    assert meaning_of("turno", word) == meaning


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("Lixos", "lixo"),
        ("sujidade", "lixo"),
        ("FALTA DE TINTA", "falta_tinta"),
        ("falta_tinta", "falta_tinta"),
        ("F. Tinta", "falta_tinta"),
        ("C. laranja", "casca_laranja"),
        ("Orange Peel (CL)", "casca_laranja"),
        ("D07 olho de peixe", "crateras"),
        ("Sags", "escorrido"),
        ("outra", "outros"),
        ("falta", None),
        ("risco", None),
        ("", None),
        ("07", None),
    ],
)
def test_types_of_defect_are_known_however_they_are_written(word: str, meaning: str | None) -> None:
    assert meaning_of("tipo_defeito", word) == meaning
