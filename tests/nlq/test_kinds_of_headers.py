"""Kinds of questions whose words are headers and values, over small tables of many trades."""

from dataclasses import replace
from datetime import timedelta

import pytest

from qhub_desktop.nlq.query_ast import (
    Ask,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    Number,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import data
from tests.nlq.schemas import (
    FIRST_DAY,
    LINES,
    all_mean,
    at_once,
    by,
    plan_over,
    rows_of,
    table,
    understood,
)


@pytest.mark.parametrize(
    ("headers", "questions"),
    [
        (
            ("ShipCountry", "FreightCost"),
            ("frete por país", "freight by country", "custo do frete por país"),
        ),
        (
            ("Cod_Equip", "QtdPeças"),
            ("quantidade de peças por equipamento", "quantity by equipment"),
        ),
        (("Tp. Avaria", "Dur. (min)"), ("duração por tipo de avaria", "duration by failure type")),
        (("Nom. Fornec.", "Vlr. Total"), ("valor total por fornecedor", "total value by supplier")),
        (("Lieferant", "Gesamtgewicht"), ("total weight by supplier", "weight by supplier")),
        (("MachineNo", "RunHours"), ("hours by machine", "run hours by machine")),
        (("Proveedor", "Importe"), ("montante por fornecedor", "amount by supplier")),
        (("Kst.", "Betrag"), ("montante por centro de custo", "amount by cost centre")),
    ],
)
def test_headers_are_shortened_glued_or_in_another_language(
    headers: tuple[str, str], questions: tuple[str, ...]
) -> None:
    entity, amount = headers
    made = table("export", {"Nr": "key", "Datum": "day", entity: "A1,B2,C3,D4", amount: "#"})

    all_mean(made, by(made, entity, Measure("sum", amount)), *questions)


@pytest.mark.parametrize(
    ("header", "values", "questions"),
    [
        (
            "Turno",
            "T1,T2,T3",
            ("consumo do 2 turno", "consumo no segundo turno", "consumption in the second shift"),
        ),
        ("Linha", "L1,L2,L3", ("consumo da linha 2", "consumption of line 2")),
        (
            "Shift",
            "Shift 1,Shift 2,Shift 3",
            ("consumo do 2.º turno", "consumo no segundo turno", "consumption in the 2nd shift"),
        ),
        ("Piso", "P1,P2,P3", ("consumo do segundo piso", "consumo do piso 2")),
    ],
)
def test_a_number_beside_a_column_names_its_value(
    header: str, values: str, questions: tuple[str, ...]
) -> None:
    made = table(
        "leituras", {"Registo": "key", "Data": "day", header: values, "Consumo (kWh)": "#"}
    )
    total = Measure("sum", "Consumo (kWh)")

    second = Filter(header, (values.split(",")[1],))
    all_mean(made, Number(rows_of(made, second), total), *questions)
    top = GroupBy(rows_of(made), Dimension(header), total, n=3, order="most")
    all_mean(made, top, f"os 3 {header.lower()}s com mais consumo")


@pytest.mark.parametrize(
    ("code", "name", "questions"),
    [
        ("Nº Funcionário", "Nome", ("quem fez mais horas?", "que funcionário fez mais horas?")),
        (
            "Employee ID",
            "Employee Name",
            ("who has the most hours?", "quem tem mais horas?", "employee with the most hours"),
        ),
        (
            "Cód. Operador",
            "Operador",
            (
                "que operador tem mais horas?",
                "operador com mais horas",
                "operator with the most hours",
            ),
        ),
    ],
)
def test_codes_are_told_by_the_names_beside_them(
    code: str, name: str, questions: tuple[str, ...]
) -> None:
    made = data(
        "horas",
        {
            code: ("integer", [101 + place % 4 for place in range(LINES)]),
            name: (
                "category",
                [
                    ("Ana Reis", "Rui Melo", "Eva Paz", "Gil Cruz")[place % 4]
                    for place in range(LINES)
                ],
            ),
            "Dia": ("date", [FIRST_DAY + timedelta(days=place) for place in range(LINES)]),
            "Horas": ("number", [place % 7 + 0.5 for place in range(LINES)]),
        },
    )

    all_mean(
        made,
        GroupBy(rows_of(made), Dimension(name), Measure("sum", "Horas"), n=1, order="most"),
        *questions,
    )


STOPS = table(
    "stops",
    {
        "Stop": "key",
        "Date": "day",
        "Reason": "Jam,Power,Total,Cleaning",
        "T": "#29",
        "Max": "#40",
        "Type": "Planned,Unplanned",
    },
)
ALARMS = table(
    "alarmes",
    {
        "Alarme": "key",
        "Data": "day",
        "Motivo": "Calor,Total,Rede",
        "T": "#29",
        "Máx.": "#40",
        "Tipo": "A1,B1",
    },
)


def test_cues_that_are_headers_or_values_are_taken_for_them() -> None:
    all_mean(
        STOPS,
        by(STOPS, "Reason"),
        "stops by reason",
        "paragens por motivo",
        "how many stops per reason?",
    )
    all_mean(STOPS, by(STOPS, "Type"), "stops by type", "how many stops by type?")
    all_mean(
        STOPS,
        by(STOPS, "Reason", Measure("mean", "T")),
        "average T by reason",
        "T médio por motivo",
        "T médio por reason",
    )
    all_mean(STOPS, by(STOPS, "Reason", Measure("mean", "Max")), "average max by reason")
    all_mean(STOPS, Number(rows_of(STOPS), Measure("max", "T")), "maximum T", "T máximo")
    all_mean(STOPS, Number(rows_of(STOPS), Measure("max", "Max")), "maximum of max")
    all_mean(
        STOPS,
        Number(rows_of(STOPS, Filter("Reason", ("Total",)))),
        "how many stops with reason Total?",
        "quantas paragens com motivo Total?",
        "stops with reason Total",
    )
    all_mean(ALARMS, by(ALARMS, "Motivo"), "alarmes por motivo", "quantos alarmes por motivo?")
    all_mean(ALARMS, by(ALARMS, "Tipo"), "alarmes por tipo", "alarms by type")
    all_mean(
        ALARMS,
        Number(rows_of(ALARMS), Measure("mean", "T")),
        "T médio",
        "média de T",
        "average T",
        "average of T",
    )
    all_mean(
        ALARMS,
        Number(rows_of(ALARMS, Filter("Motivo", ("Total",)))),
        "quantos alarmes com motivo Total?",
    )


@pytest.mark.parametrize(
    ("row", "kinds", "questions"),
    [
        (
            "pedido",
            ("Tipo de pedido", "Tipo de cliente"),
            (
                "pedidos por tipo de cliente",
                "requests by client type",
                "quantos pedidos por tipo de cliente?",
            ),
        ),
        (
            "ocorrência",
            ("Tipo de ocorrência", "Tipo de local"),
            ("ocorrências por tipo de local", "quantas ocorrências por tipo de local?"),
        ),
        (
            "order",
            ("Order type", "Customer type"),
            (
                "orders by customer type",
                "encomendas por tipo de cliente",
                "how many orders per customer type?",
            ),
        ),
    ],
)
def test_a_type_is_that_of_what_is_named(
    row: str, kinds: tuple[str, str], questions: tuple[str, ...]
) -> None:
    made = table(
        f"{row}s", {f"{row} n.º": "key", "Data": "day", kinds[0]: "K1,K2,K3", kinds[1]: "A,B"}
    )

    all_mean(made, by(made, kinds[1]), *questions)
    first = kinds[0].lower()
    all_mean(
        made, by(made, kinds[0]), f"{row}s by {first}" if "type" in first else f"{row}s por {first}"
    )


@pytest.mark.parametrize(
    ("row", "rows_", "en"),
    [
        ("Ordem de trabalho", "ordens de trabalho", "work orders"),
        ("Nota de encomenda", "notas de encomenda", "purchase orders"),
        ("Auto de notícia", "autos de notícia", ""),
        ("Pedido de compra", "pedidos de compra", ""),
    ],
)
def test_rows_are_called_by_several_words(row: str, rows_: str, en: str) -> None:
    made = table("registos", {row: "key", "Data": "day", "Equipa": "Azul,Norte,Sul", "Horas": "#9"})
    gender = "as" if rows_[:2] in ("or", "no") else "os"

    all_mean(made, Number(rows_of(made)), f"quant{gender} {rows_} há?", f"número de {rows_}")
    all_mean(made, by(made, "Equipa"), f"{rows_} por equipa", *([f"{en} by team"] if en else []))
    all_mean(
        made,
        Number(rows_of(made, Filter("Equipa", ("Norte",)))),
        f"quant{gender} {rows_} da equipa Norte?",
    )


@pytest.mark.parametrize(
    ("header", "values"),
    [("Sexo", "F,M"), ("Género", "Feminino,Masculino"), ("Gender", "Female,Male")],
)
def test_values_named_side_by_side_are_told_apart(header: str, values: str) -> None:
    made = table("pessoal", {"Nome": "key", "Admissão": "day", header: values, "Idade": "#60"})
    women, men = values.split(",")

    for question in ("idade média dos homens e das mulheres", "average age of men and women"):
        plan = understood(question, schema_index_of(made.profile))
        assert isinstance(plan, GroupBy), question
        assert (plan.dimension.column, plan.measure) == (header, Measure("mean", "Idade"))
    all_mean(
        made,
        Number(rows_of(made, Filter(header, (women,))), Measure("mean", "Idade")),
        "idade média das mulheres",
        "average age of women",
    )
    all_mean(
        made,
        Number(rows_of(made, Filter(header, (men,)))),
        "quantos homens há?",
        "how many men are there?",
    )


@pytest.mark.parametrize(
    ("first", "second", "questions"),
    [
        ("Vendas (€)", "Devoluções (€)", ("quanto dinheiro?",)),
        ("Frete (€)", "Seguro (€)", ("quanto gastámos?", "how much did we spend?", "valor médio")),
        ("Altura (cm)", "Largura (cm)", ("média em cm", "qual a média?")),
    ],
)
def test_of_two_equal_amounts_the_person_is_asked(
    first: str, second: str, questions: tuple[str, ...]
) -> None:
    made = table("registos", {"Registo": "key", "Data": "day", first: "#", second: "#"})

    for question in questions:
        plan = at_once(question, schema_index_of(made.profile))

        assert isinstance(plan, Ask), question
        readings = [each for _, each in plan.readings if isinstance(each, Number)]
        assert [each.measure.column for each in readings] == [first, second]


@pytest.mark.parametrize(
    ("sheet", "amount", "questions"),
    [
        ("Viagens", "Km", ("quantas viagens?", "how many rows in sheet Viagens?")),
        ("Avarias", "Custo (€)", ("quantas avarias?", "quantos registos na folha Avarias?")),
        ("Abastecimentos", "Litros", ("quantos abastecimentos?",)),
    ],
)
def test_of_several_sheets_the_one_that_is_named_is_asked(
    sheet: str, amount: str, questions: tuple[str, ...]
) -> None:
    book = {
        name: table(name.lower(), {f"{name} n.º": "key", "Data": "day", "Carro": "A,B", last: "#"})
        for name, last in (
            ("Viagens", "Km"),
            ("Avarias", "Custo (€)"),
            ("Abastecimentos", "Litros"),
        )
    }
    indexes = [
        schema_index_of(replace(made.profile, sheet=name, sheets=tuple(book)))
        for name, made in book.items()
    ]
    word = amount.split(" (", maxsplit=1)[0].lower()

    for question in questions:
        assert understood(question, *indexes) == Number(rows_of(book[sheet])), question
    wanted = by(book[sheet], "Carro", Measure("sum", amount))
    assert understood(f"{word} por carro", *indexes) == wanted


@pytest.mark.parametrize("question", ["montante por mês", "amount by month"])
def test_of_two_equal_plans_the_person_is_asked(question: str) -> None:
    amounts = ("Vendas (€)", "Devoluções (€)")
    made = table("caixa", {"Registo": "key", "Data": "day", amounts[0]: "#", amounts[1]: "#"})

    plan = at_once(question, schema_index_of(made.profile))

    assert isinstance(plan, Ask)
    by_month = [
        GroupBy(rows_of(made), Dimension("Data", "month"), Measure("sum", each)) for each in amounts
    ]
    assert [each for _, each in plan.readings] == by_month


@pytest.mark.parametrize(
    ("header", "questions"),
    [
        ("Nome", ("quantidade por nome", "quantidade média por nome", "average of qtd by name")),
        ("Name", ("quantity by name", "average quantity by name", "média da qtd por nome")),
        ("Ordem", ("quantidade média por ordem",)),
    ],
)
def test_a_column_called_as_an_order_of_rows_is_grouped_by(
    header: str, questions: tuple[str, ...]
) -> None:
    made = table("registos", {header: "Rui,Ana,Zé", "Turno": "A,B", "Qtd": "#"})

    for question in questions:
        plan = plan_over(made, question)
        assert isinstance(plan, GroupBy), question
        assert plan.dimension == Dimension(header), question
    plan = plan_over(made, "quantidade média por turno ordenado por nome")
    assert isinstance(plan, GroupBy)
    assert (plan.dimension, plan.order) == (Dimension("Turno"), "name")


def test_without_such_a_column_it_is_still_an_order() -> None:
    made = table("registos", {"Turno": "A,B", "Qtd": "#"})
    plan = plan_over(made, "quantidade média por turno por nome")

    assert isinstance(plan, GroupBy)
    assert (plan.dimension, plan.order) == (Dimension("Turno"), "name")


@pytest.mark.parametrize(("header", "said"), [("quantidade", "quantidade"), ("Qtd", "qtd")])
def test_a_quantity_of_some_value_is_its_sum_where_a_column_has_it(header: str, said: str) -> None:
    made = table("peças", {"tipo": "tampa,base", "acabamento": "pintada,crua,polida", header: "#"})
    lids = rows_of(
        made,
        Filter("acabamento", ("pintada",)),
        Filter("tipo", ("tampa",)),
    )
    total = Number(lids, Measure("sum", header))

    all_mean(made, total, f"{said} total de tampas pintadas", f"{said} de tampas pintadas")
    all_mean(made, Number(lids), "quantas tampas pintadas há?", "número de tampas pintadas")


def test_a_quantity_of_some_value_is_its_rows_where_no_column_has_it() -> None:
    made = table("peças", {"tipo": "tampa,base", "acabamento": "pintada,crua,polida"})

    counted = Number(rows_of(made, Filter("tipo", ("tampa",))))
    all_mean(made, counted, "quantidade total de tampas", "quantidade de tampas")


def test_a_number_under_a_head_of_several_columns_is_grouped_by() -> None:
    """Words that stand over several columns count nothing: 'Dados', of 'Dados Turno'."""
    made = data(
        "fabrico",
        {
            "Dados Turno": ("integer", [1 + place % 3 for place in range(LINES)]),
            "Dados Hora": ("integer", [place % 24 for place in range(LINES)]),
            "Dados Máquina": ("category", [f"M{place % 4}" for place in range(LINES)]),
            "Total Rejeitado": ("integer", [place % 7 for place in range(LINES)]),
        },
    )
    rejected = GroupBy(rows_of(made), Dimension("Dados Turno"), Measure("sum", "Total Rejeitado"))
    roles = schema_index_of(made.profile).roles

    assert [*roles.values()] == ["code", "code", "name", "amount"]
    all_mean(made, rejected, "quantos rejeitados por turno", "rejeitados por turno")
