"""What the words of a question find among the columns and values of a data set."""

import json
from dataclasses import replace
from datetime import date, datetime

import pytest

from qhub_desktop.cli.verbs.files import profile_object
from qhub_desktop.core.dataset import DefectMapping
from qhub_desktop.core.message import ToolCall
from qhub_desktop.nlq.dialogue.state import DialogueState
from qhub_desktop.nlq.grouping import is_part_amount, whole_of_amounts
from qhub_desktop.nlq.query_ast import (
    Ask,
    Number,
    Unknown,
    is_count,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.conftest import Talks
from tests.nlq.driver import ASKED_ON, interpret_all
from tests.nlq.profiles import Data, data, demo, production

RAREST = "Zélia Quintão"


def orders(*, notes: bool = False) -> Data:
    """Orders of 300 customers: 20 with five each, the others with two, the rarest with one."""
    first = ["Abel", "Bento", "Clara", "Duarte", "Elsa", "Flora", "Gil", "Hugo", "Iva", "Júlio"]
    last = [f"{one}{two}" for one in ("Mar", "Vil", "Cor", "Ser", "Tor") for two in first[:6]]
    named = [f"{one} {two.capitalize()}" for one in first for two in last][:299]
    customers = [each for place, each in enumerate(named) for _ in range(5 if place < 20 else 2)]
    customers.append(RAREST)
    columns: dict[str, tuple[str, list[str | int]]] = {
        "Cliente": ("text", [*customers]),
        "Quantidade": ("integer", [1 + place % 7 for place in range(len(customers))]),
    }
    if notes:
        said = ["encomenda", "por cliente", "12", "quantidade", "top", "média"]
        remarks = [f"{each} ver {place % 250}" for place, each in enumerate(customers)]
        columns["Notas"] = ("text", [*remarks[len(said) :], *said])
    return data("encomendas", columns)  # type: ignore[arg-type]


def asked(question: str, *sets: Data) -> DialogueState:
    """What a question comes to."""
    return interpret_all([(question, ASKED_ON.date())], [each.profile for each in sets])


async def test_a_question_about_the_rarest_of_300_customers_is_answered(talks: Talks) -> None:
    there = orders()
    assert RAREST not in dict(there.profile.columns[0].top)
    quantity = next(row["Quantidade"] for row in there.rows if row["Cliente"] == RAREST)

    for said in ("da Zélia Quintão", "do cliente zelia quintao", "da Quintão", "da zélia"):
        answer = await talks(there).ask(f"qual é a quantidade total {said}?")

        assert answer.text.startswith(f"**{quantity}**"), (said, answer.text)


PEOPLE = data(
    "pessoas",
    {
        "Gender": ("category", ["M", "F", "F", "M", "F"] * 4),
        "Country": ("category", ["PT", "PT", "ES", "DE", "BR"] * 4),
        "State": ("category", ["Open", "Closed", "Closed", "Pending", "Closed"] * 4),
        "Closed": ("date", [date(2026, 3, day) for day in range(1, 21)]),
    },
)


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("quantas mulheres?", 12),
        ("quantos homens portugueses?", 4),
        ("how many girls?", 12),
        ("quantos espanhóis há?", 4),
        ("quantos são de França?", None),
        ("quantos fecharam?", 12),  # the state, and not the column of dates
        ("quantos fecharam a 3 de março de 2026?", 1),
    ],
)
async def test_a_word_finds_a_code_and_a_verb_a_state(
    talks: Talks, question: str, count: int | None
) -> None:
    answer = await talks(PEOPLE).ask(question)

    assert answer.text.startswith(f"**{count}**") == (count is not None), answer.text
    assert (answer.asked is None) == (count is not None)
    assert ("“França”" in answer.text) == ("França" in question)


async def test_a_name_that_no_customer_has_is_told_as_unknown(talks: Talks) -> None:
    answer = await talks(orders()).ask("quantidade total do cliente Zebedeu?")

    assert not answer.calls
    assert "Zebedeu" in answer.text


def test_the_nearest_of_the_rare_names_is_told() -> None:
    towns = [f"{one}{two}" for one in ("Alma", "Bor", "Cas", "Vila") for two in "bcdfghjlmn"]
    there = data("envios", {"Destino": ("text", [*towns * 5, "Ourique"])})

    assert asked("quantas linhas com destino Oriquex", there).plan == Unknown(
        "value", ("Oriquex",), ("Ourique",)
    )


def test_a_name_that_several_customers_share_is_asked_back() -> None:
    few = [f"{each} Norte" for each in ("Aço", "Bloco", "Cal", "Duna")]
    others = [f"Cliente {place}" for place in range(10, 80)]
    there = data(
        "vendas",
        {
            "Cliente": ("text", [*others * 3, *few * 2]),
            "Quantidade": (
                "integer",
                [1 + place % 9 for place in range(3 * len(others) + 2 * len(few))],
            ),
        },
    )

    shared = asked("quantidade total do Norte", there).plan
    numbered = asked("quantidade total do cliente 77", there).plan

    assert isinstance(shared, Ask)
    assert [name for name, _plan in shared.readings] == few
    assert isinstance(numbered, Number)
    assert numbered.scope.filters[0].values == ("Cliente 77",)


@pytest.mark.parametrize(
    "question",
    [
        "quantas encomendas?",
        "quantidade por cliente",
        "top 12 clientes por quantidade",
        "quantidade média",
        "quantidade total",
    ],
)
def test_words_that_ask_for_something_are_no_rare_notes(question: str) -> None:
    bare, noted = asked(question, orders()), asked(question, orders(notes=True))

    assert not isinstance(bare.plan, Unknown)
    assert noted.plan == bare.plan


def test_a_rare_value_of_two_columns_is_asked_which() -> None:
    names = [f"Firma {place} {'xyz'[place % 3]}" for place in range(10, 100)]
    there = data(
        "envios",
        {
            "Remetente": ("text", [*names * 3, "Ourique"]),
            "Destino": ("text", [*reversed(names * 3), "Ourique"]),
        },
    )

    assert isinstance(asked("quantas linhas de Ourique?", there).plan, Ask)


async def test_rare_names_are_in_no_profile_that_leaves(talks: Talks) -> None:
    conversation = talks(orders())
    await conversation.ask("resume os dados")
    context = await conversation._context()
    assert RAREST in context.profiles[0].columns[0].values

    call = ToolCall("c1", "perfil_dados", {"conjunto": "encomendas"})
    told = await conversation._run(call, context)

    assert not told.is_error
    assert "Abel" in json.dumps(told.content)
    for each in (told.content, profile_object(context.profiles)):
        assert RAREST not in json.dumps(each, ensure_ascii=False)


def test_thousands_of_names_are_read_once_a_question_has_their_words() -> None:
    codes = [f"Peça {place} {'abcd'[place % 4]}x" for place in range(1000)]
    there = data("stock", {f"Col {'ABCDEFGHIJ'[n]}": ("text", codes * 2) for n in range(10)})
    index = schema_index_of(there.profile)

    assert schema_index_of(there.profile) is index
    assert len(index.values) < 1000
    assert not index.rare._read
    plan = asked("quantas linhas com peça 777 bx na Col C?", there).plan
    assert is_count(plan)
    assert [(each.column, each.values) for each in plan.scope.filters] == [
        ("Col C", ("Peça 777 bx",))
    ]
    assert 0 < len(index.rare._read) < 1000


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
    assert index.meanings == {"Tipo": {"F. Tinta": "falta_tinta"}}


def test_columns_to_group_by_begin_with_types_and_shifts() -> None:
    index = schema_index_of(demo().profile)

    assert index.categories == ("tipo_defeito", "turno", "operador", "material", "rack")


def test_a_columns_role_follows_from_its_name_type_and_values() -> None:
    index = schema_index_of(production().profile)

    assert index.is_amount("Peças produzidas")
    assert (is_part_amount(index, "Sucata"), is_part_amount(index, "Peças produzidas")) == (
        True,
        False,
    )
    assert whole_of_amounts(index, "Sucata") == "Peças produzidas"
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
