"""What a question says of a study, over schemas of several trades: limits, lots, groups, names."""

from datetime import date, datetime, time, timedelta

import pytest

from qhub_desktop.core.codec import Json
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, interpret
from qhub_desktop.nlq.executor import PlanExecutor
from qhub_desktop.nlq.query_ast import Ask, AsStudy, Plan, Unknown
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.profiles import Data, data, demo

BATH = data(  # a bath, measured by day and hour
    "banho",
    {
        "Dia": ("date", [date(2026, 3, 2) + timedelta(at // 24) for at in range(96)]),
        "Hora": ("time", [time(6 + at % 24 // 4, at % 4 * 15) for at in range(96)]),
        "Turno": ("category", ["Manhã", "Tarde", "Noite"] * 32),
        "Cabine": ("category", ["C1", "C2"] * 48),
        "pH": ("number", [5.5 + at % 7 / 10 for at in range(96)]),
        "Condutividade (µS/cm)": ("number", [1200.5 + at % 11 for at in range(96)]),
    },
)
PRESS = data(  # a press, in English
    "press",
    {
        "Timestamp": ("datetime", [datetime(2026, 3, 2) + timedelta(hours=at) for at in range(60)]),
        "Machine": ("category", ["P1", "P2", "P3"] * 20),
        "Force (kN)": ("number", [80 + at % 9 / 10 for at in range(60)]),
        "Before": ("number", [10 + at % 5 / 10 for at in range(60)]),
        "After": ("number", [10.4 + at % 7 / 10 for at in range(60)]),
    },
)
CHECKED = data(  # counts beside what was looked at
    "verificacoes",
    {
        "Semana de": ("date", [date(2026, 1, 5) + timedelta(at) for at in range(40)]),
        "Estação": ("category", ["E1", "E2"] * 20),
        "Verificadas": ("integer", [300 + at * 3 for at in range(40)]),
        "Não conformes": ("integer", [at % 9 for at in range(40)]),
    },
)
JUDGED = data(
    "judgements",
    {
        "Part": ("integer", [1 + at % 10 for at in range(60)]),
        "Inspector": ("category", ["Ann", "Bob", "Cy"] * 20),
        "Trial": ("integer", [1 + at // 30 for at in range(60)]),
        "Result": ("category", ["pass", "fail", "pass", "pass"] * 15),
        "Reference": ("category", ["pass", "fail"] * 30),
    },
)
WIDE = data(
    "cavidades",
    {
        "Amostra": ("integer", list(range(1, 26))),
        **{f"Cav{at}": ("number", [5 + at / 10 + n % 4 / 100 for n in range(25)])
           for at in range(1, 5)},
    },
)  # fmt: skip
ONE_PART = data(
    "padrao",
    {
        "n": ("integer", list(range(1, 51))),
        "Leitura (mm)": ("number", [12 + at % 5 / 1000 for at in range(50)]),
    },
)


def plan(question: str, held: Data) -> Plan:
    return interpret(
        question, INITIAL_STATE, [schema_index_of(held.profile)], today=date(2026, 6, 1)
    ).plan


def called(question: str, held: Data, language: Language = "pt") -> tuple[str, Json]:
    """The tool that a question calls, and its input but for the data set."""
    found = plan(question, held)
    assert isinstance(found, AsStudy), (question, found)
    index = schema_index_of(held.profile)
    executor = PlanExecutor(index, AnswerLocale(language), tools=(), has_defect_tools=False)
    (call,) = executor.calls(found)
    given = {
        name: value for name, value in call.input.items() if name not in ("conjunto", "idioma")
    }
    return call.name, given


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("plano de amostragem, lote de 3 200 peças com NQA 0,65", {"nqa": 0.65, "lote": 3200}),
        ("plano de amostragem, lote de 15.000, NQA 1,5", {"nqa": 1.5, "lote": 15000}),
        ("sampling plan for a batch of 15,000 with AQL 0.4", {"nqa": 0.4, "lote": 15000}),
        ("sampling plan, lot size 35000, AQL = 2.5 %", {"nqa": 2.5, "lote": 35000}),
        ("NQA de 4 para 500 peças, nível geral I", {"nqa": 4.0, "lote": 500, "nivel": "I"}),
        ("plano de amostragem lote 10 mil NQA 1 nível 3",
         {"nqa": 1.0, "lote": 10000, "nivel": "III"}),
        ("AQL 1.0 lot of 800, special level S3, tightened",
         {"nqa": 1.0, "lote": 800, "nivel": "S-3", "severidade": "apertada"}),
        ("plano de amostragem que aceita 1 % e rejeita 6 %", {"mau": 6.0, "bom": 1.0}),
        ("sampling plan with AQL 1 % and LTPD 5 %", {"mau": 5.0, "bom": 1.0}),
        ("sampling plan, lot of 500, AQL 1, reduced inspection",
         {"nqa": 1.0, "lote": 500, "severidade": "reduzida"}),
        ("plano de amostragem, NQA 1 %, LTPD 5 %, lote de 900",
         {"mau": 5.0, "lote": 900, "bom": 1.0}),
        ("sampling plan: AQL 1% with producer's risk 5%, LTPD 6% with consumer's risk 10%",
         {"mau": 6.0, "bom": 1.0}),
        ("plano c=0 para rejeitar 1 % com 95 % de confiança", {"mau": 1.0, "confianca": 95.0}),
        ("plano com aceitação zero, 2,5 %", {"mau": 2.5}),
        ("c=0 plan to reject 0.65 %", {"mau": 0.65}),
    ],
)  # fmt: skip
def test_lots_and_levels_are_read_whole(question: str, given: dict[str, Json]) -> None:
    assert called(question, demo()) == ("plano_amostragem", given)


@pytest.mark.parametrize(
    "question",
    [
        "plano de amostragem dupla para um lote de 500 com NQA 1",
        "plano de amostragem com c = 0 e NQA 1 num lote de 500",
        "plano de amostragem, lote de 500, NQA 1, 7 ensaios",
        "plano de amostragem com NQA 1 %, risco do produtor 2 % e LTPD 6 %",
        "carta MEWMA do pH",
        "carta de controlo do pH com limites congelados",
    ],
)
def test_what_no_method_here_does_is_told(question: str) -> None:
    assert isinstance(plan(question, BATH), Unknown)


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("Cpk do pH entre 5,2 e 6,4", {"lie": 5.2, "lse": 6.4}),
        ("o pH é capaz? LIE=5,2, LSE=6,4", {"lie": 5.2, "lse": 6.4}),
        ("capacidade do pH com mínimo de 5,2", {"lie": 5.2}),
        ("capacidade do pH, no máximo 6,4", {"lse": 6.4}),
        ("Cpk do pH com LIE/LSE 5,2/6,4", {"lie": 5.2, "lse": 6.4}),
        ("Cp e Cpk do pH, spec 5,8 ± 0,6", {"lie": 5.2, "lse": 6.4, "alvo": 5.8}),
        ("what is the Ppk of pH, spec 5.8 +/- 0.6?", {"lie": 5.2, "lse": 6.4, "alvo": 5.8}),
        ("is pH capable with at most 6.4?", {"lse": 6.4}),
        ("capability of pH LSL 5.2 USL 6.4 target 5.8, subgroups of 4",
         {"subgrupo": 4, "lie": 5.2, "lse": 6.4, "alvo": 5.8}),
        ("Cpk do pH entre 5,2 e 6,4 com distribuição lognormal",
         {"lie": 5.2, "lse": 6.4, "modelo": "lognormal"}),
        ("Cpk do pH por cabine entre 5,2 e 6,4", {"lie": 5.2, "lse": 6.4, "por": "Cabine"}),
    ],
)  # fmt: skip
def test_limits_are_read_on_one_side_or_both(question: str, given: dict[str, Json]) -> None:
    tool, found = called(question, BATH)

    assert tool == "capacidade"
    assert isinstance(found, dict)
    numbers = {name: value for name, value in given.items() if isinstance(value, (int, float))}
    assert {name: found[name] for name in numbers} == pytest.approx(numbers)
    assert found == given | {"coluna": "pH"} | {name: found[name] for name in numbers}


PH = {"coluna": "pH"}


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("carta X-barra R do pH com subgrupos de 4", {"tipo": "xbar_r", "subgrupo": 4, **PH}),
        ("carta X-barra S do pH com subgrupos de 4", {"tipo": "xbar_s", "subgrupo": 4, **PH}),
        ("carta X̄-S do pH, 4 peças por subgrupo", {"tipo": "xbar_s", "subgrupo": 4, **PH}),
        ("Xbar-R chart of pH, subgroup size 4", {"tipo": "xbar_r", "subgrupo": 4, **PH}),
        ("o pH está sob controlo estatístico?", PH),
        ("is pH in statistical control?", PH),
        ("carta de controlo do pH por hora", {"periodo": "hora", **PH}),
        ("carta de controlo do pH por turno", {"periodo": "turno", **PH}),
        ("carta de controlo do pH com limites congelados nos primeiros 25", {"congelar": 25, **PH}),
        ("control chart of pH, freeze the limits at the first 25 points", {"congelar": 25, **PH}),
        ("carta de controlo do pH com novos limites a partir do ponto 31",
         {"etapas": ["31"], **PH}),
        ("carta de individuais do pH com as regras 1 a 3",
         {"tipo": "i", "regras": ["nelson1", "nelson2", "nelson3"], **PH}),
        ("control chart of pH with Western Electric rules",
         {"regras": ["we1", "we2", "we3", "we4"], **PH}),
        ("EWMA do pH com lambda 0,1 e L 2,7",
         {"tipo": "ewma", "parametros": {"peso": 0.1, "largura": 2.7}, **PH}),
        ("CUSUM chart of pH with k 0.25, h 8 and target 5.8",
         {"tipo": "cusum", "parametros": {"alvo": 5.8, "k": 0.25, "h": 8.0}, **PH}),
        ("carta de controlo do pH sem o ponto 12 (avaria da bomba)",
         {"excluir": [{"ponto": "12", "motivo": "avaria da bomba"}], **PH}),
        ("carta de controlo do pH ordenada por Dia", {"ordem": "Dia", **PH}),
        ("carta de individuais do pH pela mediana das amplitudes móveis",
         {"tipo": "i", "estimador": "median MR/d4", **PH}),
    ],
)  # fmt: skip
def test_options_of_a_control_chart_are_heard(question: str, given: dict[str, Json]) -> None:
    assert called(question, BATH) == ("carta_controlo", given)


@pytest.mark.parametrize(
    ("question", "held", "tool", "given"),
    [
        ("carta p das não conformes por dia", CHECKED, "carta_controlo",
         {"tipo": "p", "coluna": "Não conformes", "volume": "Verificadas", "periodo": "dia"}),
        ("FTQ por estação", CHECKED, "rendimento",
         {"defeituosas": "Não conformes", "volume": "Verificadas", "por": "Estação"}),
        ("a proporção de não conformes é diferente entre as estações?", CHECKED, "teste_hipotese",
         {"metodo": "proporcoes", "coluna": "Não conformes", "volume": "Verificadas",
          "por": "Estação"}),
        ("compara a variância do pH entre as cabines", BATH, "teste_hipotese",
         {"metodo": "levene", "coluna": "pH", "por": "Cabine"}),
        ("is the variance of Force different between machines?", PRESS, "teste_hipotese",
         {"metodo": "levene", "coluna": "Force (kN)", "por": "Machine"}),
        ("o pH segue uma distribuição normal?", BATH, "teste_hipotese",
         {"metodo": "normalidade", "coluna": "pH"}),
        ("is Force normally distributed?", PRESS, "teste_hipotese",
         {"metodo": "normalidade", "coluna": "Force (kN)"}),
        ("paired t test of Before and After", PRESS, "teste_hipotese",
         {"metodo": "t_emparelhado", "coluna": "Before", "par": "After"}),
        ("kappa between inspectors", JUDGED, "estudo_rr",
         {"metodo": "atributos", "peca": "Part", "operador": "Inspector",
          "referencia": "Reference", "coluna": "Result"}),
        ("estudo tipo 1 com referência 12 e tolerância 0,2: Cg e Cgk?", ONE_PART, "estudo_rr",
         {"metodo": "tipo1", "tolerancia": 0.2, "referencia": 12.0, "coluna": "Leitura (mm)"}),
        ("type 1 study, reference 12, tolerance 0.2, Cg with 20 % and 6 s", ONE_PART,
         "estudo_rr",
         {"metodo": "tipo1", "tolerancia": 0.2, "referencia": 12.0, "coluna": "Leitura (mm)"}),
        ("intervalo de tolerância 95/99 do pH", BATH, "teste_hipotese",
         {"metodo": "intervalo_tolerancia", "confianca": 95.0, "proporcao": 99.0,
          "coluna": "pH"}),
        ("tolerance interval of Force with 90 % confidence, 95 % of the parts", PRESS,
         "teste_hipotese",
         {"metodo": "intervalo_tolerancia", "confianca": 90.0, "proporcao": 95.0,
          "coluna": "Force (kN)"}),
        ("quantas peças preciso para ver uma diferença de 0,2 no pH com 80 % de potência?", BATH,
         "teste_hipotese",
         {"metodo": "tamanho_amostra", "potencia": 80.0, "diferenca": 0.2, "coluna": "pH"}),
        ("Xbar-R chart, each row is a subgroup", WIDE, "carta_controlo", {"tipo": "xbar_r"}),
        ("carta X-barra S, cada linha é um subgrupo", WIDE, "carta_controlo", {"tipo": "xbar_s"}),
    ],
)  # fmt: skip
def test_methods_are_told_apart_and_find_their_columns(
    question: str, held: Data, tool: str, given: dict[str, Json]
) -> None:
    assert called(question, held) == (tool, given)


def test_groups_beside_subgroups_of_a_number_are_asked_about() -> None:
    asked = plan("carta X-barra R do pH por cabine com subgrupos de 4", BATH)

    assert isinstance(asked, Ask)
    assert [name for name, _plan in asked.readings] == ["C1", "C2"]


@pytest.mark.parametrize(
    "question", ["média do pH por cabine", "quantas linhas com pH acima de 6?"]
)
def test_questions_that_name_no_method_are_no_studies(question: str) -> None:
    assert not isinstance(plan(question, BATH), AsStudy)


@pytest.mark.parametrize(
    ("question", "held", "given"),
    [
        ("regressão do pH em função da condutividade", BATH,
         {"metodo": "regressao", "coluna": "pH", "par": "Condutividade (µS/cm)"}),
        ("ajusta uma reta do pH por condutividade", BATH,
         {"metodo": "regressao", "coluna": "pH", "par": "Condutividade (µS/cm)"}),
        ("linear regression of After against Before", PRESS,
         {"metodo": "regressao", "coluna": "After", "par": "Before"}),
    ],
)  # fmt: skip
def test_a_regression_is_of_what_is_named_first_by_what_is_named_second(
    question: str, held: Data, given: dict[str, Json]
) -> None:
    assert called(question, held) == ("teste_hipotese", given)


@pytest.mark.parametrize(
    ("question", "phase"),
    [
        ("Cmk do pH entre 5,2 e 6,4", "maquina"),
        ("capacidade da máquina do pH entre 5,2 e 6,4", "maquina"),
        ("machine capability of the pH between 5.2 and 6.4", "maquina"),
        ("Ppk preliminar do pH entre 5,2 e 6,4", "inicial"),
        ("initial study of the pH, LSL 5.2, USL 6.4, Cpk", "inicial"),
    ],
)
def test_machines_and_first_studies_are_asked_for_by_name(question: str, phase: str) -> None:
    tool, given = called(question, BATH)
    assert tool == "capacidade"
    assert given == {"coluna": "pH", "lie": 5.2, "lse": 6.4, "estudo": phase}


def test_what_is_measured_beside_each_other_has_charts_of_its_own() -> None:
    assert called("carta de controlo do pH por cabine", BATH) == (
        "carta_controlo",
        {"coluna": "pH", "por": "Cabine"},
    )
    found = called("X-barra e R do pH por cabine", BATH)
    assert found is not None
    assert isinstance(found[1], dict)
    assert found[1]["subgrupo"] == "Cabine"


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("histograma do pH com limites 5,2 e 6,4", {"lie": 5.2, "lse": 6.4}),
        ("histograma do pH, LIE 5,2 e LSE 6,4", {"lie": 5.2, "lse": 6.4}),
        ("histogram of the pH with USL 6.4", {"lse": 6.4}),
    ],
)
def test_a_histogram_with_a_specification_is_that_of_capability(
    question: str, given: dict[str, Json]
) -> None:
    assert called(question, BATH) == ("capacidade", {"coluna": "pH", **given})


def test_a_histogram_without_one_is_no_study() -> None:
    assert not isinstance(plan("histograma do pH", BATH), AsStudy)
    assert not isinstance(plan("histograma do pH entre 5,2 e 6,4", BATH), AsStudy)


def test_normality_keeps_the_groups_that_are_named() -> None:
    assert called("o pH segue uma distribuição normal por cabine?", BATH) == (
        "teste_hipotese",
        {"metodo": "normalidade", "coluna": "pH", "por": "Cabine"},
    )


LIMITED = data(  # five readings a row beside their limits
    "vedantes",
    {
        "Amostra": ("integer", list(range(1, 31))),
        "Prensa": ("category", ["P1", "P2"] * 15),
        **{f"Leitura {at}": ("number", [20 + at / 10 + n % 6 / 10 for n in range(30)])
           for at in range(1, 5)},
        "LIE (mm)": ("number", [18.5] * 30),
        "LSE (mm)": ("number", [22.5] * 30),
    },
)  # fmt: skip
GAUGED = data(
    "relogio",
    {
        "Part": ("integer", [1 + at % 8 for at in range(48)]),
        "Operator": ("category", ["Ana", "Rui", "Eva"] * 16),
        "Trial": ("integer", [1 + at // 24 for at in range(48)]),
        "Gap (mm)": ("number", [3 + at % 7 / 10 for at in range(48)]),
    },
)


@pytest.mark.parametrize(
    ("question", "confidence", "share"),
    [
        ("intervalo de tolerância 90 % / 95 % de confiança do pH", 95.0, 90.0),
        ("intervalo de tolerância do pH, cobertura 99 % confiança 95 %", 95.0, 99.0),
        ("intervalo de tolerância do pH, confiança 95 % cobertura 99 %", 95.0, 99.0),
        ("intervalo de tolerância do pH com 95 % de confiança e 99 % de cobertura", 95.0, 99.0),
        ("tolerance interval of pH, 99 % of the parts with 90 % confidence", 90.0, 99.0),
        ("tolerance interval of pH, coverage 99 %, confidence 90 %", 90.0, 99.0),
        ("tolerance interval of pH, confidence 90 % and 99 %", 90.0, 99.0),
    ],
)
def test_a_share_and_a_confidence_are_of_the_words_beside_them(
    question: str, confidence: float, share: float
) -> None:
    assert called(question, BATH) == (
        "teste_hipotese",
        {"metodo": "intervalo_tolerancia", "confianca": confidence, "proporcao": share, **PH},
    )


def test_a_word_between_two_numbers_is_of_neither() -> None:
    found = plan("intervalo de tolerância do pH, 99 % confiança 95 %", BATH)

    assert isinstance(found, Unknown)
    assert "95" in found.words


def test_trials_parts_and_operators_are_never_what_was_measured() -> None:
    columns = {"peca": "Part", "operador": "Operator", "coluna": "Gap (mm)"}
    for said in ("R&R (anova), parts, operators and trials", "gauge R&R by trial and operator"):
        tool, given = called(said, GAUGED)
        assert tool == "estudo_rr"
        assert isinstance(given, dict)
        assert given | {"metodo": "anova"} == {"metodo": "anova", **columns}


def test_what_a_judgement_should_have_been_selects_no_rows() -> None:
    _tool, given = called("attribute agreement: how often do inspectors pass parts?", JUDGED)

    assert isinstance(given, dict)
    assert given["referencia"] == "Reference"
    assert "onde" not in given


BETWEEN = {"lie": 18.5, "lse": 22.5}


@pytest.mark.parametrize(
    ("question", "tool", "given"),
    [
        ("capabilidade, os limites estão nas colunas LIE e LSE", "capacidade", BETWEEN),
        ("Cpk por prensa entre 18 e 23", "capacidade",
         {"lie": 18.0, "lse": 23.0, "por": "Prensa"}),
        ("is it capable? spec 20 ± 2, by Prensa", "capacidade",
         {"lie": 18.0, "lse": 22.0, "alvo": 20.0, "por": "Prensa"}),
        ("carta X-barra R, subgrupos de 4", "carta_controlo", {"tipo": "xbar_r"}),
        ("Xbar-S chart, subgroup size 4", "carta_controlo", {"tipo": "xbar_s"}),
        ("carta X-barra R por prensa", "carta_controlo", {"tipo": "xbar_r", "por": "Prensa"}),
        ("carta X-barra R por amostra", "carta_controlo", {"tipo": "xbar_r"}),
    ],
)  # fmt: skip
def test_readings_beside_each_other_are_one_subgroup(
    question: str, tool: str, given: dict[str, Json]
) -> None:
    assert called(question, LIMITED) == (tool, given)


def test_another_size_of_subgroups_than_that_of_the_rows_is_told() -> None:
    assert plan("carta X-barra R com subgrupos de 3", LIMITED) == Unknown("value", ("3",))


PASSED = data(  # steps with what came in, and what was good the first time
    "etapas",
    {
        "Ordem": ("integer", [1 + at % 3 for at in range(24)]),
        "Operação": ("category", ["Corte", "Dobra", "Solda"] * 8),
        "Entradas": ("integer", [900 + at for at in range(24)]),
        "Boas à 1ª": ("integer", [850 + at for at in range(24)]),
        "Retrabalho": ("integer", [20 + at % 5 for at in range(24)]),
        "Defeitos": ("integer", [40 + at % 9 for at in range(24)]),
    },
)
CHANCES = data(
    "audit",
    {
        "Line": ("category", ["A", "B"] * 12),
        "Inspected": ("integer", [400 + at for at in range(24)]),
        "Rejected": ("integer", [at % 7 for at in range(24)]),
        "Defects": ("integer", [at % 11 for at in range(24)]),
        "Opportunities": ("integer", [5 + at % 2 for at in range(24)]),
    },
)
SURFACES = data(
    "surfaces",
    {
        "Plant": ("category", ["North", "South"] * 15),
        "Area (m²)": ("number", [2 + at % 5 / 10 for at in range(30)]),
        "Defects": ("integer", [at % 6 for at in range(30)]),
    },
)
LOTS = data(
    "resina",
    {
        "Reator": ("category", ["Reator 1", "Reator 2"] * 24),
        "Lote": ("category", [f"R{at % 12:02}" for at in range(48)]),
        "Molde": ("integer", [1 + at // 12 for at in range(48)]),
        "Dureza": ("number", [60 + at % 13 / 10 for at in range(48)]),
    },
)


@pytest.mark.parametrize(
    ("question", "unused", "given"),
    [
        ("o chefe só me pede mínimo de 5,2 no pH, qual o Ppk?", ("chefe", "pede"),
         {"lie": 5.2, **PH}),
        ("o pH não é normal, parece lognormal. Ppk com máximo 6,4", ("parece",),
         {"lse": 6.4, "modelo": "lognormal", **PH}),
        ("Cpk of pH between 5.2 and 6.4 as always", ("always",),
         {"lie": 5.2, "lse": 6.4, **PH}),
    ],
)  # fmt: skip
def test_words_that_say_nothing_of_a_study_are_told_and_it_is_made(
    question: str, unused: tuple[str, ...], given: dict[str, Json]
) -> None:
    found = plan(question, BATH)

    assert isinstance(found, AsStudy)
    assert found.unused == unused
    assert called(question, BATH) == ("capacidade", given)


@pytest.mark.parametrize(
    "question",
    [
        "Cpk do pH do cliente Renault entre 5,2 e 6,4",
        "Cpk do pH do cliente renault entre 5,2 e 6,4",
        "Cpk do pH do turno azul entre 5,2 e 6,4",
        "Cpk do pH da C9 entre 5,2 e 6,4",
        "Cpk of blue pH between 5.2 and 6.4",
        "Cpk do pH por cor entre 5,2 e 6,4",
        "Cpk do pH entre 5,2 e 6,4 que não da manhã fria",
        "carta de individuais do pH com limites congelados",
    ],
)
def test_values_options_and_negations_are_never_left_unused(question: str) -> None:
    assert not isinstance(plan(question, BATH), AsStudy)


@pytest.mark.parametrize(
    ("question", "held", "tool", "given"),
    [
        ("kappa de Cohen dos inspetores, ou não", JUDGED, "estudo_rr",
         {"metodo": "atributos", "peca": "Part", "operador": "Inspector",
          "referencia": "Reference", "coluna": "Result"}),
        ("o pH não é normal?", BATH, "teste_hipotese", {"metodo": "normalidade", **PH}),
        ("compara o pH das duas cabines, as variâncias não são iguais", BATH, "teste_hipotese",
         {"metodo": "t", "por": "Cabine", **PH}),
        ("há moldes diferentes na dureza? anova", LOTS, "teste_hipotese",
         {"metodo": "anova", "coluna": "Dureza", "por": "Molde"}),
        ("análise hierárquica da dureza: lote dentro de reator", LOTS, "estudo_rr",
         {"metodo": "aninhado", "operador": "Reator", "peca": "Lote", "coluna": "Dureza"}),
        ("u chart of defects per area", SURFACES, "carta_controlo",
         {"tipo": "u", "coluna": "Defects", "volume": "Area (m²)"}),
        ("Laney p' das não conformes", CHECKED, "carta_controlo",
         {"tipo": "laney_p", "coluna": "Não conformes", "volume": "Verificadas"}),
    ],
)  # fmt: skip
def test_methods_are_heard_by_other_words_of_theirs(
    question: str, held: Data, tool: str, given: dict[str, Json]
) -> None:
    assert called(question, held) == (tool, given)


@pytest.mark.parametrize(
    ("question", "held", "column"),
    [
        ("RTY por operação", PASSED, "Boas à 1ª"),
        ("FTQ", PASSED, "Boas à 1ª"),
        ("DPMO by line", CHANCES, "Opportunities"),
    ],
)
def test_a_yield_tells_the_columns_that_it_cannot_use(
    question: str, held: Data, column: str
) -> None:
    assert plan(question, held) == Unknown("unheeded", (column,))


def test_opportunities_that_are_named_are_those_of_a_yield() -> None:
    tool, given = called("DPMO with 5 opportunities", CHANCES)

    assert tool == "rendimento"
    assert isinstance(given, dict)
    assert given["oportunidades"] == 5


def test_the_reference_of_a_gauge_is_not_what_was_measured() -> None:
    held = data(
        "padrao",
        {
            "Leitura (mm)": ("number", [12 + at % 5 / 1000 for at in range(50)]),
            "Referência": ("number", [12.001] * 50),
        },
    )

    _tool, given = called("estudo tipo 1 com referência 12 e tolerância 0,2", held)

    assert isinstance(given, dict)
    assert given["coluna"] == "Leitura (mm)"


def test_a_convention_of_cg_that_is_not_the_usual_one_is_told() -> None:
    found = plan("type 1 study, reference 12, tolerance 0.2, Cg with 10 % and 4 s", ONE_PART)

    assert isinstance(found, Unknown)
