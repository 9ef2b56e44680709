"""Questions for statistical studies: the method, its numbers, the rows and columns they are of."""

from datetime import date

import pytest

from qhub_desktop.core.codec import Json
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
    plan_from_json,
    plan_to_json,
)
from qhub_desktop.nlq.schema_index import schema_index_of
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
    assert call.input == {
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
        return [(call.name, call.input) for call in executor.calls(asked)]

    drawn, studied = tools_called("pareto", "gerar_grafico", "consultar_dados")[-2:]
    assert drawn[0] == "gerar_grafico"
    assert studied == ("pareto", given)
    assert tools_called("gerar_grafico", "consultar_dados")[-1][0] == "gerar_grafico"
