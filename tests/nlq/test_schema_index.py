"""What the words of a question find among the columns and values of a data set."""

from dataclasses import replace
from datetime import date, datetime

from qhub_desktop.core.dataset import DefectMapping
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import data, demo, production


def test_a_log_of_as_many_rows_with_other_words_has_an_index_of_its_own() -> None:
    """One defect was taken back, and another recorded."""
    before, after = (
        data("defeitos", {"operador": ("category", ["Ana", name])}).profile
        for name in ("Rui", "Zita")
    )

    assert ("zita",) not in schema_index_of(before).values
    assert ("zita",) in schema_index_of(after).values


def test_the_column_of_types_is_the_one_called_so_even_after_others_of_defects() -> None:
    zoned = data(
        "zonas",
        {
            "Zona do defeito": ("category", ["A", "B", "C"]),
            "Tipo de defeito": ("category", ["Lixo", "Risco", "Lixo"]),
        },
    )
    counted = data(
        "contagens",
        {"Defeitos": ("integer", [1, 2, 3]), "Defeito visto": ("category", ["x", "y", "x"])},
    )

    assert schema_index_of(zoned.profile).type_column == "Tipo de defeito"
    assert schema_index_of(counted.profile).type_column == "Defeito visto"


def test_a_files_words_are_counted_as_the_plants_and_other_columns_stay() -> None:
    profile = data(
        "ficheiro",
        {
            "Tipo": ("category", ["F. Tinta", "falta_tinta", "lixo", "F. Tinta"]),
            "Quem": ("category", ["F. Tinta", "Rui", "Rui", "Rui"]),
        },
    ).profile
    mapping = DefectMapping(
        (("tipo_defeito", "Tipo"),), (("tipo_defeito", "F. Tinta", "falta_tinta"),)
    )

    index = schema_index_of(replace(profile, defects=mapping))

    assert index.column("Tipo").top == (("falta_tinta", 3), ("lixo", 1))
    assert index.column("Tipo").distinct == 2
    assert index.column("Quem").top == (("Rui", 3), ("F. Tinta", 1))
    assert index.meanings("Tipo") == {"F. Tinta": "falta_tinta"}
    assert index.meanings("Quem") == {}


def test_columns_to_group_by_begin_with_types_and_shifts() -> None:
    index = schema_index_of(demo().profile)

    assert index.categories == ("tipo_defeito", "turno", "operador", "material", "rack")


def test_a_columns_role_follows_from_its_name_type_and_values() -> None:
    index = schema_index_of(production().profile)

    assert index.is_amount("Peças produzidas")
    assert (index.is_part("Sucata"), index.is_part("Peças produzidas")) == (True, False)
    assert index.whole_of_amounts("Sucata") == "Peças produzidas"
    assert index.measures == ("Peças produzidas", "Sucata")
    assert (index.first_day, index.last_day) == (date(2026, 1, 1), date(2026, 1, 31))
    assert index.hour_column is None


def test_numbers_of_rows_are_no_measure_and_those_that_repeat_are() -> None:
    numbered = data(
        "linhas",
        {
            "Nr": ("integer", [1, 2, 3]),
            "Peça ID": ("integer", [11, 12, 13]),
            "Lote ID": ("integer", [7, 7, 8]),
            "Hora": ("datetime", [datetime(2026, 2, 1, 6), datetime(2026, 2, 2, 14), None]),
        },
    )

    index = schema_index_of(numbered.profile)

    assert [index.is_row_number(name) for name in ("Nr", "Peça ID", "Lote ID")] == [
        True,
        True,
        False,
    ]
    assert index.hour_column == index.date_column
    assert (index.first_day, index.last_day) == (date(2026, 2, 1), date(2026, 2, 2))
