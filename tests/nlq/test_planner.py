"""Questions to plans, in Portuguese and English, with and without accents, with slips."""

from dataclasses import replace
from datetime import date

import pytest

from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, DialogueState, interpret
from qhub_desktop.nlq.query_ast import (
    Abilities,
    AsChart,
    AsDashboard,
    AsKpi,
    AsTable,
    AsWorkbook,
    Columns,
    Comparison,
    Describe,
    Dimension,
    Filter,
    Goodbye,
    Greeting,
    GroupBy,
    Help,
    Identity,
    Measure,
    Number,
    Period,
    Plan,
    Profile,
    Query,
    Register,
    Rows,
    RowSelection,
    Spread,
    Thanks,
    Unknown,
    Why,
    distinct,
    top,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from tests.nlq.driver import interpret_all
from tests.nlq.profiles import data, demo, measurements, production, wide

TODAY = date(2026, 2, 20)
LOG = demo().profile
ALL = RowSelection("defeitos")


def is_(column: str, *values: str | float) -> Filter:
    return Filter(column, values)


def among(*filters: Filter, days: tuple[date | None, date | None] | None = None) -> RowSelection:
    period = None if days is None else Period("data", *days)
    return RowSelection("defeitos", filters, period)


def feb(first: int, last: int | None = None) -> tuple[date, date]:
    return date(2026, 2, first), date(2026, 2, last or first)


KIND, SHIFT, OPERATOR = Dimension("tipo_defeito"), Dimension("turno"), Dimension("operador")
MATERIAL, RACK, POSITION = Dimension("material"), Dimension("rack"), Dimension("posicao")
DAY = Dimension("data", "day")
DIRT, NIGHT, MORNING = is_("tipo_defeito", "lixo"), is_("turno", "noite"), is_("turno", "manha")
JULIA = is_("operador", "Julia")
MEAN, MOST = Measure("mean", "posicao"), Measure("max", "posicao")
REPORT = (
    ("tipo_defeito", "lixo"),
    ("turno", "noite"),
    ("operador", "Julia"),
    ("material", "PP_Negro"),
    ("rack", "R12"),
    ("posicao", 3),
    ("data", "2026-02-20"),
)

ALONE: list[tuple[str, Plan]] = [
    # between people
    ("Olá", Greeting()),
    ("oi!", Greeting()),
    ("hello", Greeting()),
    ("hi there", Greeting()),
    ("bom dia", Greeting("morning")),
    ("Boa tarde!", Greeting("afternoon")),
    ("boa noite", Greeting("night")),
    ("good morning", Greeting("morning")),
    ("obrigado", Thanks()),
    ("muito obrigada!", Thanks()),
    ("thanks a lot", Thanks()),
    ("thank you", Thanks()),
    ("adeus", Goodbye()),
    ("bye", Goodbye()),
    ("ajuda", Help()),
    ("preciso de ajuda", Help()),
    ("help me please", Help()),
    ("o que podes fazer?", Abilities()),
    ("o que sabes fazer", Abilities()),
    ("what can you do?", Abilities()),
    ("what can i ask you?", Abilities()),
    ("quem és tu?", Identity()),
    ("como te chamas?", Identity()),
    ("who are you?", Identity()),
    # counting
    ("quantos defeitos?", Number(ALL)),
    ("Quantos defeitos há no total?", Number(ALL)),
    ("quantos defeitos temos registados", Number(ALL)),
    ("how many defects are there?", Number(ALL)),
    ("número de defeitos", Number(ALL)),
    ("numero de falhas", Number(ALL)),
    ("total number of defects", Number(ALL)),
    ("quantas não conformidades?", Number(ALL)),
    ("todos os defeitos", Number(ALL)),
    ("quantas linhas?", Number(ALL)),
    ("how many rows?", Number(ALL)),
    ("quantos registos há?", Number(ALL)),
    ("Olá! Quantos defeitos?", Number(ALL)),
    ("podes dizer-me quantos defeitos há, por favor?", Number(ALL)),
    # with values
    ("quantos defeitos de lixo na noite?", Number(among(DIRT, NIGHT))),
    ("How many lixo defects were there at night?", Number(among(DIRT, NIGHT))),
    ("how many dirt defects on the night shift", Number(among(DIRT, NIGHT))),
    ("quantos defeitos no turno da manhã", Number(among(MORNING))),
    ("quantos defeitos da Julia?", Number(among(JULIA))),
    ("defeitos da Júlia à noite", Number(among(JULIA, NIGHT))),
    ("Julia's defects", Number(among(JULIA))),
    ("quantas falhas na R12", Number(among(is_("rack", "R12")))),
    ("rack 12", Number(among(is_("rack", "R12")))),
    ("defeitos na rack R99", Unknown("value", ("R99",))),
    ("defeitos no PP Negro", Number(among(is_("material", "PP_Negro")))),
    ("defects on black PP", Number(among(is_("material", "PP_Negro")))),
    ("quantos defeitos no ABS", Number(among(is_("material", "ABS_Cinza")))),
    ("casca de laranja", Number(among(is_("tipo_defeito", "casca_laranja")))),
    ("how many orange peel defects", Number(among(is_("tipo_defeito", "casca_laranja")))),
    ("quantos com falta de tinta?", Number(among(is_("tipo_defeito", "falta_tinta")))),
    ("quantos de casca?", Number(among(is_("tipo_defeito", "casca_laranja")))),
    ("quantos defeitos na posição 3?", Number(among(is_("posicao", 3.0)))),
    ("defects in position 7", Number(among(is_("posicao", 7.0)))),
    ("posição maior que 5", Number(among(Filter("posicao", (5.0,), "above")))),
    ("defeitos com posição >= 8", Number(among(Filter("posicao", (8.0,), "at least")))),
    ("position below 3", Number(among(Filter("posicao", (3.0,), "below")))),
    ("posição entre 3 e 6", Number(among(Filter("posicao", (3.0, 6.0), "between")))),
    ("defeitos exceto lixo", Number(among(replace(DIRT, relation="is not")))),
    ("defects except dirt", Number(among(replace(DIRT, relation="is not")))),
    ("quantos sem contar com lixo?", Number(among(replace(DIRT, relation="is not")))),
    ("que percentagem dos defeitos é lixo?", Number(among(DIRT), is_share=True)),
    ("what share of defects happen at night?", Number(among(NIGHT), is_share=True)),
    ("noite", Number(among(NIGHT))),
    # with days
    ("quantos defeitos hoje?", Number(among(days=feb(20)))),
    ("how many defects yesterday?", Number(among(days=feb(19)))),
    ("quantos defeitos em 12/02?", Number(among(days=feb(12)))),
    ("defeitos de 10 a 15 de fevereiro", Number(among(days=feb(10, 15)))),
    ("defects since February 15th", Number(among(days=(date(2026, 2, 15), None)))),
    ("lixo na semana passada", Number(among(DIRT, days=feb(9, 15)))),
    ("e no dia 11?", Number(among(days=feb(11)))),
    ("quantos defeitos ao sábado?", Number(among(Filter("data", (6,), grain="weekday")))),
    ("defects on Mondays by shift", GroupBy(among(Filter("data", (1,), grain="weekday")), SHIFT)),
    (
        "compara esta semana com a semana passada",
        Comparison(Number(among(days=feb(16, 22))), Number(among(days=feb(9, 15)))),
    ),
    # ranking
    ("qual é o defeito mais frequente?", top(ALL, KIND, 1)),
    ("qual e o defeito mais frequente", top(ALL, KIND, 1)),
    ("what is the most frequent defect?", top(ALL, KIND, 1)),
    ("what's the most common defect", top(ALL, KIND, 1)),
    ("qual o principal problema?", top(ALL, KIND, 1)),
    ("defeito mais comum à noite", top(among(NIGHT), KIND, 1)),
    ("qual o defeito menos frequente?", top(ALL, KIND, 1, "least")),
    ("top 5 defeitos na noite", top(among(NIGHT), KIND, 5)),
    ("Top 5 defects at night", top(among(NIGHT), KIND, 5)),
    ("top 3", top(ALL, KIND, 3)),
    ("os cinco defeitos mais comuns", top(ALL, KIND, 5)),
    ("the 3 most common defects", top(ALL, KIND, 3)),
    ("quais são os defeitos mais frequentes?", top(ALL, KIND, 5)),
    ("quem tem mais defeitos?", top(ALL, OPERATOR, 1)),
    ("who has the most defects?", top(ALL, OPERATOR, 1)),
    ("o operador com menos defeitos", top(ALL, OPERATOR, 1, "least")),
    ("which rack has the fewest defects?", top(ALL, RACK, 1, "least")),
    ("top 10 racks", top(ALL, RACK, 10)),
    ("em que turno há mais lixo?", top(among(DIRT), SHIFT, 1)),
    ("em que dia houve mais defeitos?", top(ALL, DAY, 1)),
    ("qual a posição mais frequente?", top(ALL, POSITION, 1)),
    ("os 3 materiais com mais lixo", top(among(DIRT), MATERIAL, 3)),
    ("defeito mais frequente por turno", top(ALL, KIND, 1, within=SHIFT)),
    ("most common defect for each operator", top(ALL, KIND, 1, within=OPERATOR)),
    ("pior turno", top(ALL, SHIFT, 1)),
    ("what are the main problems?", top(ALL, KIND, 5)),
    ("qual é o segundo defeito mais frequente?", top(ALL, KIND, 2)),
    # groups
    ("defeitos por turno", GroupBy(ALL, SHIFT)),
    ("defects by shift", GroupBy(ALL, SHIFT)),
    ("lixo por turno", GroupBy(among(DIRT), SHIFT)),
    ("MOSTRA OS DEFEITOS POR TURNO", GroupBy(ALL, SHIFT)),
    ("distribuição por turno", GroupBy(ALL, SHIFT)),
    ("defeitos por rack", GroupBy(ALL, RACK)),
    ("por material", GroupBy(ALL, MATERIAL)),
    ("quantos por operador", GroupBy(ALL, OPERATOR)),
    ("defects per operator", GroupBy(ALL, OPERATOR)),
    ("defeitos por tipo", GroupBy(ALL, KIND)),
    ("defeitos por TipoDefeito", GroupBy(ALL, KIND)),
    ("by defect type", GroupBy(ALL, KIND)),
    ("defeitos por operador em percentagem", GroupBy(ALL, OPERATOR, is_share=True)),
    ("defeitos por turno e operador", GroupBy(ALL, SHIFT, split=OPERATOR)),
    ("defects by material and shift", GroupBy(ALL, MATERIAL, split=SHIFT)),
    ("defeitos por dia", GroupBy(ALL, DAY)),
    ("daily defects", GroupBy(ALL, DAY)),
    ("defeitos por semana", GroupBy(ALL, Dimension("data", "week"))),
    ("defects per month", GroupBy(ALL, Dimension("data", "month"))),
    ("defeitos por dia da semana", GroupBy(ALL, Dimension("data", "weekday"))),
    (
        "quantos defeitos da Julia e do Carlos?",
        GroupBy(among(is_("operador", "Julia", "Carlos")), OPERATOR),
    ),
    ("compara a manhã com a noite", GroupBy(among(is_("turno", "manha", "noite")), SHIFT)),
    (
        "Julia vs Carlos por turno",
        GroupBy(among(is_("operador", "Julia", "Carlos")), SHIFT, split=OPERATOR),
    ),
    (
        "quantos defeitos nas racks R10 a R12?",
        GroupBy(among(is_("rack", "R10", "R11", "R12")), RACK),
    ),
    (
        "o Carlos tem mais defeitos que a Julia?",
        GroupBy(among(is_("operador", "Carlos", "Julia")), OPERATOR),
    ),
    # measures
    ("média da posição", Number(ALL, MEAN)),
    ("posição média do lixo", Number(among(DIRT), MEAN)),
    ("average position", Number(ALL, MEAN)),
    ("posicao maxima", Number(ALL, MOST)),
    ("média da posição por turno", GroupBy(ALL, SHIFT, MEAN)),
    ("mean position by operator", GroupBy(ALL, OPERATOR, MEAN)),
    # what there is
    ("quantos operadores há?", distinct(ALL, "operador")),
    ("how many racks are there?", distinct(ALL, "rack")),
    ("que materiais existem?", distinct(ALL, "material")),
    ("lista os tipos de defeito", distinct(ALL, "tipo_defeito")),
    ("que defeitos há?", distinct(ALL, "tipo_defeito")),
    ("que colunas tem?", Columns("defeitos")),
    ("which columns are there?", Columns("defeitos")),
    ("resume os dados", Describe("defeitos")),
    ("Summarise the data", Describe("defeitos")),
    ("o que tem este ficheiro?", Describe("defeitos")),
    ("quantos valores em falta?", Profile(ALL, "missing")),
    ("how many rows and columns?", Describe("defeitos")),
    ("lista os defeitos da Julia", Rows(among(JULIA))),
    ("mostra as primeiras 10 linhas", Rows(ALL, 10)),
    ("mostra os últimos 5 defeitos", Rows(ALL, 5, "last")),
    # as a picture, a table, a number
    ("Mostra os defeitos por rack num gráfico", AsChart(GroupBy(ALL, RACK))),
    ("Show the defects by rack in a chart", AsChart(GroupBy(ALL, RACK))),
    ("pareto dos defeitos", AsChart(GroupBy(ALL, KIND), "pareto")),
    ("gráfico circular dos defeitos por turno", AsChart(GroupBy(ALL, SHIFT), "pie")),
    ("gráfico de barras dos operadores", AsChart(GroupBy(ALL, OPERATOR), "bar")),
    ("histograma da posição", AsChart(Spread(ALL, ("posicao",)), "histogram")),
    ("boxplot da posição por turno", AsChart(Spread(ALL, ("posicao",), SHIFT), "box")),
    ("heatmap of defects by shift and type", AsChart(GroupBy(ALL, SHIFT, split=KIND), "heatmap")),
    ("evolução dos defeitos", AsChart(GroupBy(ALL, DAY))),
    ("defects over time", AsChart(GroupBy(ALL, DAY))),
    ("o lixo está a aumentar?", AsChart(GroupBy(among(DIRT), DAY))),
    ("is dirt increasing?", AsChart(GroupBy(among(DIRT), DAY))),
    ("correlação entre posição e rack", Spread(ALL, ("posicao",), RACK)),
    ("tabela de defeitos por rack", AsTable(GroupBy(ALL, RACK))),
    ("quantos defeitos? como kpi", AsKpi(Number(ALL))),
    # slips
    ("defetios por trno", GroupBy(ALL, SHIFT)),
    ("quantos defeitos da Margaretta", Number(among(is_("operador", "Margareta")))),
    ("qual o defeito mais frequnte", top(ALL, KIND, 1)),
    ("how many defcts at night", Number(among(NIGHT))),
    ("defeitos por matrial", GroupBy(ALL, MATERIAL)),
    # what data does not tell, and what is not in it
    ("porquê?", Why()),
    ("why is there so much dirt?", Why(among(DIRT))),
    ("qual é a capital de França?", Unknown()),
    ("conta-me uma piada", Unknown()),
    ("tell me a joke", Unknown()),
    ("asdfgh", Unknown()),
    ("apaga todos os defeitos", Unknown()),
    ("export to Excel", Unknown("nothing before")),
    ("defeitos por turno para Excel", AsWorkbook(GroupBy(ALL, SHIFT))),
    ("quantos defeitos na linha 3?", Unknown("value", ("linha",))),
    ("ok", Unknown()),
    ("", Unknown()),
    ("quantos defeitos do Miguel?", Unknown("value", ("Miguel",))),
    ("quantos defeitos de ferrugem?", Unknown("value", ("ferrugem",))),
    ("defeitos por cor", Unknown("column", ("cor",))),
    ("defects by machine", Unknown("column", ("machine",))),
    ("mostra num gráfico", Unknown("nothing before")),
    ("as a table", Unknown("nothing before")),
    # reporting
    (
        "registar um defeito de lixo na rack R12, posição 3, PP_Negro, turno da noite, Julia",
        Register(REPORT),
    ),
    ("report a defect: lixo, R12, position 3, black PP, night, Julia", Register(REPORT)),
    ("quero registar um defeito", Register((("data", "2026-02-20"),))),
]

CONVERSATIONS: list[list[tuple[str, Plan]]] = [
    [
        ("defeitos por turno", GroupBy(ALL, SHIFT)),
        ("exporta para o Excel", AsWorkbook(GroupBy(ALL, SHIFT))),
        ("e por material?", GroupBy(ALL, MATERIAL)),
        ("mostra num gráfico circular", AsChart(GroupBy(ALL, MATERIAL), "pie", is_new=False)),
        ("export it to Excel", AsWorkbook(GroupBy(ALL, MATERIAL), "pie")),
    ],
    [
        ("qual é o defeito mais frequente?", top(ALL, KIND, 1)),
        ("e por turno?", GroupBy(ALL, SHIFT)),
        ("mostra num gráfico", AsChart(GroupBy(ALL, SHIFT), is_new=False)),
        ("em barras horizontais", AsChart(GroupBy(ALL, SHIFT), "barh", is_new=False)),
        ("em tabela", AsTable(GroupBy(ALL, SHIFT))),
    ],
    [
        ("what is the most frequent defect?", top(ALL, KIND, 1)),
        ("and by shift?", GroupBy(ALL, SHIFT)),
        ("show it in a chart", AsChart(GroupBy(ALL, SHIFT), is_new=False)),
        ("as a pie", AsChart(GroupBy(ALL, SHIFT), "pie", is_new=False)),
        ("show it as a table", AsTable(GroupBy(ALL, SHIFT))),
    ],
    [
        ("quantos defeitos?", Number(ALL)),
        ("só à noite", Number(among(NIGHT))),
        ("e a Julia?", Number(among(NIGHT, JULIA))),
        ("e o Carlos?", Number(among(NIGHT, is_("operador", "Carlos")))),
        ("em percentagem", Number(among(NIGHT, is_("operador", "Carlos")), is_share=True)),
        ("e no total?", Number(ALL)),
    ],
    [
        ("top 5 defeitos na noite", top(among(NIGHT), KIND, 5)),
        ("top 3", top(among(NIGHT), KIND, 3)),
        ("e de manhã?", top(among(MORNING), KIND, 3)),
        ("e por material?", GroupBy(among(MORNING), MATERIAL)),
        ("e a noite?", GroupBy(among(NIGHT), MATERIAL)),
    ],
    [
        ("defeitos por operador", GroupBy(ALL, OPERATOR)),
        ("em percentagem", GroupBy(ALL, OPERATOR, is_share=True)),
        ("e a Julia?", Number(among(JULIA))),
    ],
    [
        ("lixo por turno", GroupBy(among(DIRT), SHIFT)),
        ("only at night", Number(among(DIRT, NIGHT))),
        ("what about by rack?", GroupBy(among(DIRT, NIGHT), RACK)),
    ],
    [
        ("média da posição", Number(ALL, MEAN)),
        ("e por turno?", GroupBy(ALL, SHIFT, MEAN)),
        ("e o máximo?", GroupBy(ALL, SHIFT, MOST)),
        ("só a Julia", GroupBy(among(JULIA), SHIFT, MOST)),
    ],
    [
        ("quem tem mais defeitos?", top(ALL, OPERATOR, 1)),
        ("e o material?", top(ALL, MATERIAL, 1)),
        ("mostra mais", top(ALL, MATERIAL, 5)),
    ],
    [
        ("quantos defeitos?", Number(ALL)),
        ("obrigado", Thanks()),
        ("porquê?", Why()),
        ("blá blá", Unknown()),
        ("e ontem?", Number(among(days=feb(19)))),
    ],
    [
        ("defeitos por turno num gráfico", AsChart(GroupBy(ALL, SHIFT))),
        ("e por material?", AsChart(GroupBy(ALL, MATERIAL))),
    ],
    [
        ("quero registar um defeito de lixo", Register((REPORT[0], REPORT[-1]))),
        ("rack R12, posição 3, PP Negro, noite, Julia", Register(REPORT)),
    ],
    [
        ("quantos defeitos há na noite?", Number(among(NIGHT))),
        ("quantos defeitos da Julia?", Number(among(JULIA))),
    ],
]


def understood(*questions: str) -> DialogueState:
    return interpret_all([(question, TODAY) for question in questions], [LOG])


@pytest.mark.parametrize(("question", "plan"), ALONE, ids=[question for question, _ in ALONE])
def test_a_question_is_understood(question: str, plan: Plan) -> None:
    assert understood(question).plan == plan


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        (
            "faz um painel com os defeitos por turno, top 5 racks e a tendência por dia",
            (GroupBy(ALL, SHIFT), top(ALL, RACK, 5), GroupBy(ALL, DAY)),
        ),
        (
            "make a dashboard with defects by shift and the top 3 materials",
            (GroupBy(ALL, SHIFT), top(ALL, MATERIAL, 3)),
        ),
        (
            "faz um painel com a posição média por turno e os 3 racks com mais defeitos",
            (GroupBy(ALL, SHIFT, MEAN), top(ALL, RACK, 3)),
        ),
        (
            "faz um painel com a percentagem por turno e o total",
            (GroupBy(ALL, SHIFT, is_share=True), Number(ALL)),
        ),
        (
            "dashboard with the total, the share by shift and the trend",
            (Number(ALL), GroupBy(ALL, SHIFT, is_share=True), GroupBy(ALL, DAY)),
        ),
        (
            "painel com a percentagem por turno",
            (GroupBy(ALL, SHIFT, is_share=True),),
        ),
        (
            "painel com quantos defeitos e a posição média por turno",
            (Number(ALL), GroupBy(ALL, SHIFT, MEAN)),
        ),
        (
            "painel com os defeitos da Julia por turno e por rack",
            (Number(among(JULIA)), GroupBy(among(JULIA), SHIFT), GroupBy(among(JULIA), RACK)),
        ),
        (
            "painel com os defeitos por turno de 3 e 4 de fevereiro",
            (Number(among(days=feb(3, 4))), GroupBy(among(days=feb(3, 4)), SHIFT)),
        ),
    ],
)
def test_a_dashboard_shows_each_wish(question: str, cards: tuple[Query, ...]) -> None:
    assert understood(question).plan == AsDashboard(cards)


@pytest.mark.parametrize("talk", CONVERSATIONS, ids=[talk[0][0] for talk in CONVERSATIONS])
def test_a_question_leans_on_those_before_it(talk: list[tuple[str, Plan]]) -> None:
    questions = [question for question, _ in talk]

    plans = [understood(*questions[: count + 1]).plan for count in range(len(questions))]

    assert plans == [plan for _, plan in talk]


@pytest.mark.parametrize(
    ("questions", "language"),
    [
        (["quantos defeitos?"], "pt"),
        (["how many defects?"], "en"),
        (["top 5"], "pt"),
        (["how many defects?", "top 5"], "en"),
        (["how many defects?", "e por turno?"], "pt"),
        (["quantos defeitos?", "and by shift?"], "en"),
        (["lixo"], "pt"),
        (["R12"], "pt"),
    ],
)
def test_the_language_is_the_question_s_or_else_that_of_the_one_before(
    questions: list[str], language: str
) -> None:
    assert understood(*questions).language == language


def test_a_verb_that_might_choose_rows_gets_no_answer() -> None:
    plan = understood("que defeitos voltaram por turno").plan

    assert plan == Unknown("unheeded", ("voltaram",))


class TestSeveralDataSets:
    """The data set that explains most of a question is asked; of several, the last dropped."""

    profiles = (LOG, measurements().profile, production().profile)

    @pytest.mark.parametrize(
        ("question", "plan"),
        [
            ("quantos defeitos?", Number(ALL)),
            ("lixo por turno", GroupBy(among(DIRT), SHIFT)),
            ("quantas linhas?", Number(RowSelection("producao"))),
            ("quantos registos nas measurements?", Number(RowSelection("measurements"))),
            ("resume o ficheiro produção.xlsx", Describe("producao")),
            ("defeitos por máquina", Unknown("column", ("máquina",))),
            (
                "average thickness by line",
                GroupBy(
                    RowSelection("measurements"),
                    Dimension("Paint Line"),
                    Measure("mean", "Thickness (µm)"),
                ),
            ),
            (
                "espessura média por cor",
                GroupBy(
                    RowSelection("measurements"),
                    Dimension("Colour"),
                    Measure("mean", "Thickness (µm)"),
                ),
            ),
            (
                "how many NOK by colour",
                GroupBy(
                    RowSelection("measurements", (Filter("Result", ("NOK",)),)), Dimension("Colour")
                ),
            ),
            ("line A", Number(RowSelection("measurements", (Filter("Paint Line", ("Line A",)),)))),
            (
                "thickness above 32,5",
                Number(RowSelection("measurements", (Filter("Thickness (µm)", (32.5,), "above"),))),
            ),
            (
                "que máquina tem mais sucata?",
                GroupBy(
                    RowSelection("producao"),
                    Dimension("Máquina"),
                    Measure("sum", "Sucata"),
                    n=1,
                    order="most",
                ),
            ),
            (
                "quantas peças produzidas por turno?",
                GroupBy(
                    RowSelection("producao"), Dimension("Turno"), Measure("sum", "Peças produzidas")
                ),
            ),
            (
                "peças produzidas da Norte Lda à noite",
                Number(
                    RowSelection(
                        "producao",
                        (Filter("Cliente", ("Norte Lda",)), Filter("Turno", ("Noite",))),
                    ),
                    Measure("sum", "Peças produzidas"),
                ),
            ),
            (
                "scatter of thickness against gloss",
                AsChart(
                    Spread(RowSelection("measurements"), ("Thickness (µm)", "Gloss")), "scatter"
                ),
            ),
        ],
    )
    def test_a_question_finds_its_data(self, question: str, plan: Plan) -> None:
        assert interpret_all([(question, TODAY)], self.profiles).plan == plan

    def test_a_follow_up_stays_with_what_was_talked_of(self) -> None:
        talk = [("lixo por turno", TODAY), ("e a noite?", TODAY)]

        assert interpret_all(talk, self.profiles).plan == Number(among(DIRT, NIGHT))


def test_a_column_is_found_among_two_hundred() -> None:
    question = "média do sensor 51 por sensor 12"

    plan = interpret_all([(question, TODAY)], [wide(200).profile]).plan

    assert plan == GroupBy(
        RowSelection("wide"), Dimension("Sensor 12 Zone 3"), Measure("mean", "Sensor 51 Zone 6")
    )


@pytest.mark.parametrize("name", ["Peso (kg)", "Peso", "Percentagem", "Percent"])
@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_column_is_meant_by_its_name_rather_than_a_share(name: str, language: str) -> None:
    word = name.split(maxsplit=1)[0].lower()
    held = data(
        "envios",
        {
            "Dia": ("date", [date(2026, 1, 3), date(2026, 2, 3), date(2026, 2, 5)]),
            name: ("number", ["10.5", "12", "9"]),
            "Destino": ("category", ["A", "B", "A"]),
        },
    )
    question = f"{word} por destino" if language == "pt" else f"{word} by destino"

    plan = interpret(question, INITIAL_STATE, [schema_index_of(held.profile)], today=TODAY).plan

    assert isinstance(plan, GroupBy)
    assert plan.measure.column == name
