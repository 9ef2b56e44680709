"""Questions for statistical studies: the method, its numbers, the rows and columns they are of."""

from dataclasses import replace
from datetime import date

import pytest

from qhub_desktop.core.codec import Json
from qhub_desktop.core.dataset import ImportReport
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.answer.suggestions import suggestions
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, DialogueState, interpret
from qhub_desktop.nlq.executor import PlanExecutor
from qhub_desktop.nlq.query_ast import (
    AsChart,
    Ask,
    AsStudy,
    Filter,
    Number,
    Plan,
    RowSelection,
    Unknown,
    dataset_of,
    plan_from_json,
    plan_to_json,
)
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from tests.nlq.profiles import Data, data, demo, measurements, production

TODAY = date(2026, 6, 1)


def state(question: str, held: Data, before: DialogueState = INITIAL_STATE) -> DialogueState:
    return interpret(question, before, [schema_index_of(held.profile)], today=TODAY)


def plan(question: str, held: Data) -> Plan:
    return state(question, held).plan


def test_trials_in_columns_of_their_own_are_offered_as_one_study() -> None:
    held = data(
        "rr",
        {
            "Operators": ("category", ["A", "B"] * 5),
            "Parts": ("integer", [1 + at // 2 for at in range(10)]),
            "V1": ("number", [at + 0.5 for at in range(10)]),
            "V2": ("number", [at + 0.25 for at in range(10)]),
        },
    )
    asked = plan("faz o estudo R&R", held)

    assert isinstance(asked, Ask)
    assert [name for name, _ in asked.readings] == ["Parts × Operators × V1, V2", "V1", "V2"]
    whole, first, _second = (each for _, each in asked.readings)
    assert isinstance(whole, AsStudy)
    assert isinstance(first, AsStudy)
    assert "coluna" not in dict(whole.given)
    assert dict(first.given)["coluna"] == "V1"


@pytest.mark.parametrize(
    ("question", "tool", "given"),
    [
        ("faz uma carta p dos defeitos por dia", "carta_controlo", {"tipo": "p", "periodo": "dia"}),
        ("Carta C dos defeitos por turno", "carta_controlo", {"tipo": "c", "periodo": "turno"}),
        ("carta de controlo dos defeitos por semana", "carta_controlo", {"periodo": "semana"}),
        (
            "p chart of defects per day with 400 parts per day",
            "carta_controlo",
            {"tipo": "p", "volume": 400.0, "periodo": "dia"},
        ),
        ("carta p de Laney dos defeitos", "carta_controlo", {"tipo": "laney_p"}),
        (
            "há diferença entre turnos?",
            "teste_hipotese",
            {"coluna": "tipo_defeito", "por": "turno"},
        ),
        (
            "existe alguma diferença significativa entre os operadores?",
            "teste_hipotese",
            {"coluna": "tipo_defeito", "por": "operador"},
        ),
        (
            "is there a difference between shifts?",
            "teste_hipotese",
            {"coluna": "tipo_defeito", "por": "turno"},
        ),
        ("FTQ com 500 peças por dia", "rendimento", {"volume": 500.0}),
        (
            "mapa de concentração dos defeitos por rack e posição",
            "pareto",
            {"coluna": "rack", "por": "posicao"},
        ),
        (
            "plano de amostragem para um lote de 2000, NQA 2,5, nível S-3",
            "plano_amostragem",
            {"nqa": 2.5, "lote": 2000, "nivel": "S-3"},
        ),
        (
            "tightened sampling plan, lot of 500, AQL 1.0, level II",
            "plano_amostragem",
            {"nqa": 1.0, "lote": 500, "nivel": "II", "severidade": "apertada"},
        ),
    ],
)
def test_study_of_a_defect_log(question: str, tool: str, given: dict[str, Json]) -> None:
    assert plan(question, demo()) == AsStudy(
        Number(RowSelection("defeitos")),
        tool,
        tuple(given.items()),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("question", "tool", "given"),
    [
        (
            "qual é o Cpk da espessura entre 80 e 120?",
            "capacidade",
            {"lie": 80.0, "lse": 120.0},
        ),
        (
            "Cpk of thickness between 80 and 120",
            "capacidade",
            {"lie": 80.0, "lse": 120.0},
        ),
        ("capabilidade da espessura, LIE = 80, alvo 100", "capacidade", {"lie": 80.0, "alvo": 100}),
        (
            "sixpack da espessura 100 ± 20,5",
            "capacidade",
            {"lie": 79.5, "lse": 120.5, "alvo": 100.0},
        ),
        (
            "carta x-barra e R da espessura em subgrupos de 5",
            "carta_controlo",
            {"tipo": "xbar_r", "subgrupo": 5},
        ),
        ("estudo R&R da espessura", "estudo_rr", {}),
    ],
)
def test_study_of_a_measured_column(question: str, tool: str, given: dict[str, Json]) -> None:
    found = plan(question, measurements())
    assert isinstance(found, AsStudy)
    assert found.tool == tool
    assert dict(found.given) == {**given, "coluna": "Thickness (µm)"}
    assert plan_from_json(plan_to_json(found)) == found


def test_parts_of_all_parts_are_found() -> None:
    charted = plan("carta p da sucata por dia", production())
    assert isinstance(charted, AsStudy)
    assert dict(charted.given) == {
        "tipo": "p",
        "coluna": "Sucata",
        "volume": "Peças produzidas",
        "periodo": "dia",
    }
    yielded = plan("qual é o FTQ?", production())
    assert isinstance(yielded, AsStudy)
    assert dict(yielded.given) == {"defeituosas": "Sucata", "volume": "Peças produzidas"}


def test_several_columns_are_asked_about() -> None:
    asked = plan("Cp e Cpk, LIE 80 e LSE 120", measurements())
    assert isinstance(asked, Ask)
    assert [name for name, _plan in asked.readings] == ["Thickness (µm)", "Gloss"]
    assert all(isinstance(each, AsStudy) for _name, each in asked.readings)


@pytest.mark.parametrize(
    "question", ["carta i-mr da temperatura", "há diferença de espessura entre turnos?"]
)
def test_what_the_data_lacks_is_told(question: str) -> None:
    assert isinstance(plan(question, measurements()), Unknown)


def test_follow_ups_change_the_rows() -> None:
    first = state("faz uma carta c dos defeitos por dia", demo())
    second = state("e no turno da noite?", demo(), first)
    night = RowSelection("defeitos", (Filter("turno", ("noite",)),))
    assert isinstance(first.plan, AsStudy)
    assert second.plan == AsStudy(Number(night), "carta_controlo", first.plan.given)


def test_rows_become_a_condition() -> None:
    asked = plan("carta c dos defeitos por dia no turno da noite", demo())
    assert isinstance(asked, AsStudy)
    executor = PlanExecutor(
        schema_index_of(demo().profile), AnswerLocale("pt"), tools=(), has_defect_tools=True
    )
    (call,) = executor.calls(asked)
    assert call.name == "carta_controlo"
    assert {**call.input, "idioma": "pt"} == {
        "idioma": "pt",
        "tipo": "c",
        "periodo": "dia",
        "conjunto": "defeitos",
        "onde": "\"turno\" IN ('noite')",
    }


@pytest.mark.parametrize(
    "question", ["qual a diferença entre a manhã e a noite?", "quantos defeitos por turno?"]
)
def test_other_questions_stay_what_they_are(question: str) -> None:
    assert not isinstance(plan(question, demo()), AsStudy)


def test_column_with_the_name_of_an_index_is_a_column() -> None:
    held = data(
        "indices",
        {"Máquina": ("category", ["A", "B", "C"]), "Cpk": ("number", ["1.2", "1.4", "0.9"])},
    )
    assert isinstance(plan("qual é a média do Cpk?", held), Number)


def test_groups_that_are_not_named_are_asked_about() -> None:
    asked = plan("há diferença significativa de brilho?", measurements())
    assert isinstance(asked, Ask)
    names = [name for name, _plan in asked.readings]
    assert "Paint Line" in names
    for name, each in asked.readings:
        assert isinstance(each, AsStudy)
        assert dict(each.given) == {"coluna": "Gloss", "por": name}


@pytest.mark.parametrize(
    ("question", "method"),
    [
        ("teste de Levene dos defeitos por turno", "levene"),
        ("qui-quadrado dos defeitos por turno", "qui_quadrado"),
        ("Kruskal-Wallis test of defects by shift", "kruskal"),
        ("teste t dos defeitos por turno", "t"),
        ("há diferença entre turnos? (anova)", "anova"),
    ],
)
def test_a_test_asked_for_by_name_is_that_test(question: str, method: str) -> None:
    found = plan(question, demo())

    assert isinstance(found, AsStudy)
    assert dict(found.given)["metodo"] == method


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("pareto dos defeitos", {"coluna": "tipo_defeito", "conjunto": "defeitos"}),
        (
            "pareto dos defeitos no turno da noite",
            {"coluna": "tipo_defeito", "conjunto": "defeitos", "onde": "\"turno\" IN ('noite')"},
        ),
        ("pareto of defects by rack", {"coluna": "rack", "conjunto": "defeitos"}),
    ],
)
def test_a_pareto_is_drawn_and_studied_where_the_agent_has_its_tool(
    question: str, given: dict[str, Json]
) -> None:
    index = schema_index_of(demo().profile)
    asked = plan(question, demo())
    assert isinstance(asked, AsChart)

    def tools_called(*tools: str) -> list[tuple[str, object]]:
        executor = PlanExecutor(index, AnswerLocale("pt"), tools=tools, has_defect_tools=False)
        calls = executor.calls(asked)
        return [
            (call.name, {name: each for name, each in call.input.items() if name != "idioma"})
            for call in calls
        ]

    drawn, studied = tools_called("pareto", "gerar_grafico", "consultar_dados")[-2:]
    assert drawn[0] == "gerar_grafico"
    assert studied == ("pareto", given)
    assert tools_called("gerar_grafico", "consultar_dados")[-1][0] == "gerar_grafico"


GAUGE = data(
    "grr",
    {
        "Peça": ("integer", [1 + at % 10 for at in range(90)]),
        "Operador": ("category", ["Ana", "Rui", "Zé"] * 30),
        "Ensaio": ("integer", [1 + at // 30 for at in range(90)]),
        "Leitura": ("number", [20 + at % 7 / 10 for at in range(90)]),
    },
)
SUBGROUPS = data(
    "espessura",
    {
        "Amostra": ("integer", [1 + at // 5 for at in range(125)]),
        "Espessura (µm)": ("number", [30 + at % 9 / 10 for at in range(125)]),
        "Estado": ("category", ["OK", "OK", "OK", "OK", "NOK"] * 25),
    },
)
REJECTED = data(
    "producao",
    {
        "Data": ("date", [date(2026, 1, 1 + at) for at in range(31)]),
        "Linha": ("category", ["L1"] * 16 + ["L2"] * 15),
        "Produzidas": ("integer", [400 + at for at in range(31)]),
        "Rejeitadas": ("integer", [at % 7 for at in range(31)]),
    },
)
LIMITED = data(
    "cotas",
    {
        "Peça": ("integer", list(range(1, 51))),
        "Cota": ("number", [1280 + at % 9 / 10 for at in range(50)]),
        "LIE": ("number", [1279.5] * 50),
        "LSE": ("number", [1281.5] * 50),
        "LSC": ("number", [1281.0] * 50),  # of control, which specifies nothing
        "Nominal": ("number", [1280.5] * 50),
    },
)


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.parametrize(
    ("held", "tool", "given"),
    [
        (GAUGE, "estudo_rr", {"peca": "Peça", "operador": "Operador", "coluna": "Leitura"}),
        (
            SUBGROUPS,
            "carta_controlo",
            {"tipo": "xbar_r", "coluna": "Espessura (µm)", "subgrupo": "Amostra"},
        ),
        (
            REJECTED,
            "carta_controlo",
            {"tipo": "p", "coluna": "Rejeitadas", "volume": "Produzidas", "periodo": "dia"},
        ),
        (
            LIMITED,
            "capacidade",
            {"lie": 1279.5, "lse": 1281.5, "alvo": 1280.5, "coluna": "Cota"},
        ),
    ],
)
def test_columns_of_a_study_offer_it_with_what_they_tell(
    held: Data, tool: str, given: dict[str, Json], language: Language
) -> None:
    offered = suggestions(schema_index_of(held.profile), AnswerLocale(language), None)

    found = plan(offered[0], held)
    assert isinstance(found, AsStudy), offered
    assert (found.tool, dict(found.given)) == (tool, given)
    rest = [plan(each, held) for each in offered[1:]]
    assert not any(isinstance(each, (Ask, Unknown)) for each in rest), offered
    averaged = [each for each in rest if "kind='mean', column='Peça'" in repr(each)]
    assert not averaged


@pytest.mark.parametrize(
    ("question", "held", "given"),
    [
        (
            "estudo de capacidade da Cota",
            LIMITED,
            {"lie": 1279.5, "lse": 1281.5, "alvo": 1280.5, "coluna": "Cota"},
        ),
        ("carta p", REJECTED, {"tipo": "p", "coluna": "Rejeitadas", "volume": "Produzidas"}),
        (
            "faz um estudo de R&R",
            GAUGE,
            {"peca": "Peça", "operador": "Operador", "coluna": "Leitura"},
        ),
    ],
)
def test_a_study_takes_from_the_columns_what_is_not_said(
    question: str, held: Data, given: dict[str, Json]
) -> None:
    found = plan(question, held)

    assert isinstance(found, AsStudy)
    assert dict(found.given) == given


def test_limits_that_stand_above_the_table_are_filled_in() -> None:
    told = data("cotas", {"Cota": ("number", [80 + at % 9 / 10 for at in range(50)])})
    report = ImportReport("xlsx", 53, 50, facts=(("LSL", "79,5 mm"), ("USL", "81,5 mm")))
    index = schema_index_of(replace(told.profile, report=report))

    offered = suggestions(index, AnswerLocale("pt"), None)

    found = plan(offered[0], told)
    assert isinstance(found, AsStudy)
    assert dict(found.given) == {"lie": 79.5, "lse": 81.5, "coluna": "Cota"}


def test_a_study_is_offered_to_whom_it_is_allowed() -> None:
    index = schema_index_of(GAUGE.profile)

    assert not any(
        isinstance(plan(each, GAUGE), AsStudy)
        for each in suggestions(index, AnswerLocale("pt"), ["consultar_dados"])
    )


def _sheets(*held: tuple[str, Data]) -> list[SchemaIndex]:
    names = tuple(name for name, _each in held)
    return [
        schema_index_of(replace(each.profile, id=f"of {name}", sheet=name, sheets=names))
        for name, each in held
    ]


@pytest.mark.parametrize(
    "question",
    [
        "estudo R&R na folha GRR",
        "estudo R&R da folha “GRR”",
        "Estudo R&R de Leitura na folha grr",
        "R&R study in the GRR sheet",
        "R&R study of Leitura on sheet GRR",
    ],
)
def test_a_sheet_is_where_a_study_looks_and_no_value(question: str) -> None:
    indexes = _sheets(("Produção", REJECTED), ("GRR", GAUGE), ("GRR 2", SUBGROUPS))

    found = interpret(question, INITIAL_STATE, indexes, today=TODAY).plan

    assert isinstance(found, AsStudy), found
    assert dataset_of(found) == "grr"
    assert dict(found.given) == {"peca": "Peça", "operador": "Operador", "coluna": "Leitura"}


@pytest.mark.parametrize("place", range(3))
def test_a_study_is_of_the_sheet_that_has_its_columns(place: int) -> None:
    held = [("Produção", REJECTED), ("Espessura", SUBGROUPS)]
    indexes = _sheets(*held[:place], ("GRR", GAUGE), *held[place:])

    found = interpret("faz o estudo R&R", INITIAL_STATE, indexes, today=TODAY).plan

    assert isinstance(found, AsStudy), found
    assert dataset_of(found) == "grr"


def test_a_chart_is_of_the_sheet_that_has_its_column() -> None:
    notes = data("notas", {"Observação": ("text", ["Medido na sala B"])})
    indexes = _sheets(("Produção", REJECTED), ("GRR", GAUGE), ("Notas", notes))

    found = interpret("histograma de Leitura", INITIAL_STATE, indexes, today=TODAY).plan

    likeliest = found.readings[0][1] if isinstance(found, Ask) else found
    assert isinstance(likeliest, AsChart)
    assert dataset_of(likeliest) == "grr"


def test_rows_of_a_named_sheet_are_counted_there() -> None:
    indexes = _sheets(("Produção", REJECTED), ("GRR", SUBGROUPS))

    for question in ("quantas linhas há na folha GRR?", "how many rows in sheet GRR?"):
        found = interpret(question, INITIAL_STATE, indexes, today=TODAY).plan
        assert isinstance(found, Number), question
        assert found.scope.dataset == "espessura"
        assert not found.scope.filters
