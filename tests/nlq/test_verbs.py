"""Verbs of questions: what only says what is done changes no plan, what became of rows counts."""

import pytest

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.query_ast import (
    Ask,
    Filter,
    Number,
    Plan,
    Unknown,
)
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.shorthand import written_out_question
from qhub_desktop.nlq.verbs import question_words, verbs
from tests.nlq.schemas import OVER_ALL, Trade, at_once, by, check, rows_of, table, understood

SHIPMENTS = table(
    "cargas",
    {
        "Carga": "key",
        "Dia": "day",
        "Camião": "C1,C2,C3,C4",
        "Motorista": "Rui,Eva,Ivo",
        "Peso (kg)": "#400",
    },
)


def declined(plan: Plan | None) -> bool:
    """Whether no number is given: nothing is understood, or it is asked back."""
    return plan is None or isinstance(plan, Ask | Unknown)


@pytest.mark.parametrize(
    "forms",
    [
        "montar monta montou montaram montámos montava montavam montado montadas montando",
        "consumir consome consumiu consumiram consumimos consumia consumido consumindo",
        "carregar carreguei carregue carregaram carregando",
        "mexer mexeu mexeram mexemos mexido",
        "move moves moved moving",
        "ship ships shipped shipping",
        "carry carries carried carrying",
        "drive drives drove driven driving",
    ],
)
def test_every_form_leads_to_its_infinitive(forms: str) -> None:
    infinitive, *others = forms.replace("á", "a").split()

    for each in (infinitive, *others):
        form = verbs().form(each)
        assert form is not None, each
        assert form.infinitive == infinitive, each


def test_a_state_is_no_activity() -> None:
    for word in ("voltaram", "recusadas", "pagas", "entregues", "rejected", "hired", "lost"):
        assert verbs().states(word), word
        assert verbs().form(word) is None, word


def test_the_vocabulary_is_wide() -> None:
    said = question_words()
    activities = {
        language: {*said["verb"]["activity"][language], *said["verb"]["outcome"][language]}
        for language in ("pt", "en")
    }

    assert len(activities["pt"]) >= 700
    assert len(activities["en"]) >= 600
    for language in ("pt", "en"):
        of_states = [word for each in said["state"].values() for word in each.get(language, ())]
        assert len(of_states) >= 150


ACTIVITIES_PT = ("moveram", "misturaram", "pintaram", "despejaram", "fotografaram", "sacudiram")
ACTIVITIES_EN = ("move", "mix", "paint", "stack", "photograph", "haul")
PASSIVES_PT = ("movidas", "misturadas", "pintadas", "empilhadas", "fotografadas")
PASSIVES_EN = ("moved", "mixed", "painted", "stacked", "photographed", "driven", "hauled")


@OVER_ALL
def test_an_activity_changes_no_plan(trade: Trade) -> None:
    check(
        trade,
        Number(trade.scope),
        pt=(
            *(f"quant{{g}}s {{rows}} {verb}?" for verb in ACTIVITIES_PT),
            *(f"quant{{g}}s {{rows}} se {verb}?" for verb in ACTIVITIES_PT),
            *(f"quant{{g}}s {{rows}} foram {verb}?" for verb in PASSIVES_PT),
        ),
        en=(
            *(f"how many {{rows}} did we {verb}?" for verb in ACTIVITIES_EN),
            *(f"how many {{rows}} were {verb}?" for verb in PASSIVES_EN),
            *(f"how many {{rows}} have been {verb}?" for verb in PASSIVES_EN),
        ),
    )


@pytest.mark.parametrize("verb", ["montou", "escorregou", "empurrou", "misturou", "mexeu"])
def test_an_activity_beside_a_name_changes_no_plan(verb: str) -> None:
    plan = understood(f"quantas cargas {verb} o Rui?", schema_index_of(SHIPMENTS.profile))

    assert plan == Number(rows_of(SHIPMENTS, Filter("Motorista", ("Rui",))))


@pytest.mark.parametrize("verb", ["moved", "handled", "hauled", "stacked", "unloaded"])
def test_an_activity_of_a_group_changes_no_plan(verb: str) -> None:
    plan = understood(f"how many loads were {verb} per driver?", schema_index_of(SHIPMENTS.profile))

    assert plan == by(SHIPMENTS, "Motorista")


STATES_PT = (
    *("voltaram", "desistiram", "expiraram", "faleceram", "desapareceram"),
    *("foram devolvid{g}s", "foram recusad{g}s", "foram cancelad{g}s", "foram furtad{g}s"),
    *("foram apreendid{g}s", "foram reembolsad{g}s", "foram promovid{g}s", "foram contestad{g}s"),
)
STATES_EN = (
    *("were returned", "were refused", "were cancelled", "were stolen", "were seized", "were lost"),
    *("were refunded", "were promoted", "were disputed", "were hired", "got lost", "expired"),
    *("were withdrawn", "have been reimbursed", "were convicted", "were destroyed", "failed"),
)


@pytest.mark.parametrize("state", STATES_PT)
def test_a_state_without_a_match_is_never_passed_over(state: str) -> None:
    index = schema_index_of(SHIPMENTS.profile)
    said = state.format(g="a")

    for question in (
        f"quantas cargas {said}?",
        f"quantas {said}?",
        f"quantas cargas {said} por dia?",
    ):
        assert declined(at_once(question, index)), question


@pytest.mark.parametrize("state", STATES_EN)
def test_a_state_in_english_without_a_match_is_never_passed_over(state: str) -> None:
    index = schema_index_of(SHIPMENTS.profile)

    for question in (f"how many loads {state}?", f"how many loads {state} per driver?"):
        assert declined(at_once(question, index)), question


@pytest.mark.parametrize(
    "denied",
    [
        "quantas cargas não foram misturadas?",
        "how many loads were not mixed?",
        "quantas por pintar?",
    ],
)
def test_a_denied_activity_is_not_passed_over(denied: str) -> None:
    assert declined(understood(denied, schema_index_of(SHIPMENTS.profile)))


@pytest.mark.parametrize(
    "asked", ["quanto fotografou o Rui?", "quanto se misturou por dia?", "how much did Rui paint?"]
)
def test_an_amount_that_no_column_has_is_not_counted(asked: str) -> None:
    assert declined(at_once(asked, schema_index_of(SHIPMENTS.profile)))


def test_what_may_have_become_of_rows_is_not_passed_over_where_they_tell() -> None:
    told = table("instrumentos", {"Nº": "key", "Dia": "day", "Estado": "Em uso,Abatido,Parado"})
    untold = table("medidores", {"Nº": "key", "Dia": "day", "Sala": "S1,S2"})

    assert declined(at_once("quantos foram calibrados?", schema_index_of(told.profile)))
    assert understood("quantos medidores foram calibrados?", schema_index_of(untold.profile)) == (
        Number(rows_of(untold))
    )


STATUSES = table(
    "pedidos",
    {
        "Pedido": "key",
        "Dia": "day",
        "Loja": "Norte,Sul",
        "Estado": "Devolvido,Rejected,Contratado,Liquidado,Furtado",
    },
)


@pytest.mark.parametrize(
    ("value", "forms"),
    [
        ("Devolvido", "voltaram|foram devolvidos|foram restituídos|regressaram"),
        ("Rejected", "recusados|foram recusados|recusámos|foram indeferidos"),
        ("Contratado", "foram contratados|contratámos|recrutámos|recrutados"),
        ("Furtado", "roubados|foram roubados"),
    ],
)
def test_forms_of_a_state_reach_its_value(value: str, forms: str) -> None:
    wanted = Number(rows_of(STATUSES, Filter("Estado", (value,))))

    for form in forms.split("|"):
        for question in (f"quantos pedidos {form}?", f"quantos {form}?"):
            assert understood(question, schema_index_of(STATUSES.profile)) == wanted, question


@pytest.mark.parametrize(
    ("value", "forms"),
    [
        ("Devolvido", "were returned|have been returned"),
        ("Rejected", "were refused|were denied|were rejected"),
        ("Contratado", "were hired|have been recruited"),
        ("Furtado", "were stolen"),
    ],
)
def test_forms_of_a_state_reach_its_value_from_english(value: str, forms: str) -> None:
    wanted = Number(rows_of(STATUSES, Filter("Estado", (value,))))

    for form in forms.split("|"):
        question = f"how many {form}?"
        assert understood(question, schema_index_of(STATUSES.profile)) == wanted, question


@pytest.mark.parametrize(
    ("flag", "opposite"),
    [
        ("Aprovado", "reprovados"),
        ("Aprovado", "rejeitados"),
        ("Approved", "recusados"),
        ("Pago", "impagos"),
        ("Ativo", "inativos"),
        ("Válido", "inválidos"),
        ("Calibrated", "uncalibrated"),
        ("Completo", "incompletos"),
        ("Passed", "reprovados"),
    ],
)
def test_the_opposite_of_a_flag_is_its_no(flag: str, opposite: str) -> None:
    flagged = table("casos", {"Caso": "key", "Dia": "day", flag: "Sim,Não", "Zona": "Z1,Z2"})

    for question in (f"quantos casos {opposite}?", f"quantos casos estão {opposite}?"):
        plan = understood(question, schema_index_of(flagged.profile))
        assert plan == Number(rows_of(flagged, Filter(flag, ("Não",)))), question


def test_a_value_that_says_the_opposite_goes_before_the_no_of_a_flag() -> None:
    both = table(
        "exames", {"Exame": "key", "Dia": "day", "Aprovado": "Sim,Não", "Nota": "Boa,Reprovado"}
    )

    plan = understood("quantos exames reprovados?", schema_index_of(both.profile))

    assert plan == Number(rows_of(both, Filter("Nota", ("Reprovado",))))


# A question, then places where a filler may stand: in front, in the middle, at the end.
BEFORE_PT = (
    *("por acaso", "diz me lá", "uma pergunta rápida:", "só por curiosidade,", "ora bem,"),
    *("alguém me sabe dizer", "tens ideia de", "gostava de saber", "se faz favor,", "olha lá,"),
)
INSIDE_PT = ("afinal", "no fundo", "na prática", "por acaso", "tipo assim")
AFTER_PT = (
    *("por acaso", "se faz favor", "se não te importas", "segundo os dados", "nesta tabela"),
    *("afinal de contas", "que tens aí", "que eu saiba", "para o relatório", "pelo que vejo"),
)
BEFORE_EN = (
    *("quick question:", "just out of curiosity,", "any idea", "can u tell me", "pls tell me"),
    *("i was wondering", "does anyone know", "my boss wants to know", "by the way,", "okay so"),
)
INSIDE_EN = ("basically", "by any chance", "in fact", "generally speaking")
AFTER_EN = (
    *("by any chance", "if you don't mind", "as far as you know", "according to the data"),
    *("in this table", "for the report", "thanks in advance", "all in all", "on file"),
)


@OVER_ALL
def test_fillers_change_no_plan(trade: Trade) -> None:
    check(
        trade,
        Number(trade.where(Filter(trade["name"], (trade.names[1],)))),
        pt=(
            *(f"{each} quant{{g}}s {{rows}} de {{value}}?" for each in BEFORE_PT),
            *(f"quant{{g}}s {{rows}} {each} de {{value}}?" for each in INSIDE_PT),
            *(f"quant{{g}}s {{rows}} de {{value}} {each}?" for each in AFTER_PT),
        ),
        en=(
            *(f"{each} how many {{rows}} for {{value}}?" for each in BEFORE_EN),
            *(f"how many {{rows}} {each} for {{value}}?" for each in INSIDE_EN),
            *(f"how many {{rows}} for {{value}} {each}?" for each in AFTER_EN),
        ),
    )


@OVER_ALL
def test_shorthand_means_what_it_is_short_for(trade: Trade) -> None:
    pairs: tuple[tuple[Language, str, str], ...] = (
        ("pt", "qts {rows} por {name} msm?", "quantos {rows} por {name}?"),
        ("pt", "diz me tbm qts {rows} hj", "diz me também quantos {rows} hoje"),
        ("pt", "qtidade de {rows} p/ {name}", "quantidade de {rows} por {name}"),
        ("pt", "{amount} méd. p/ {name}", "{amount} média por {name}"),
        ("pt", "vlr máximo de {amount}", "valor máximo de {amount}"),
        ("en", "how many {rows} this mth?", "how many {rows} this month?"),
        ("en", "how many {rows} last wk", "how many {rows} last week"),
        ("en", "tot {amount} per {name} w/o {value}", "total {amount} per {name} without {value}"),
        ("en", "howmany {rows} w/ {name} {value}", "how many {rows} with {name} {value}"),
        ("en", "{rows} per qtr plz", "{rows} per quarter please"),
    )
    for language, short, full in pairs:
        assert trade.understood(short, language) == trade.understood(full, language), short


def test_what_the_table_is_called_by_is_no_shorthand() -> None:
    short = table("pesagens", {"Nº": "key", "Dia": "day", "Tbm": "Msm,Hj", "Forn": "A1,B2"})
    index = schema_index_of(short.profile)

    assert written_out_question("quantos com msm e hj por tbm?", index, "pt") == (
        "quantos com msm e hj por tbm?"
    )
    assert written_out_question("quantos HJ?", index, "pt") == "quantos HJ?"
    assert written_out_question("tot. por clts, dps", index, "pt") == "total por clientes, depois"


def test_no_shorthand_is_a_word_that_joins() -> None:
    short = [
        pair.split()[0] for each in question_words()["shorthand"].values() for pair in each["words"]
    ]

    assert [word for word in short if word in current_lexicon().joining] == []
    assert len(short) >= 300
    for language in ("pt", "en"):
        assert len(question_words()["filler"]["phrases"][language]) >= 250


@pytest.mark.parametrize(
    ("asked", "language"),
    [("quantas cargas avançadas?", "pt"), ("how many heavy cargas?", "en"), ("quanto pesa?", "pt")],
)
def test_what_says_how_rows_are_is_not_passed_over(asked: str, language: Language) -> None:
    plan = at_once(asked, schema_index_of(SHIPMENTS.profile))

    assert declined(plan) or "Peso (kg)" in repr(plan), (asked, language)


def test_a_value_in_capitals_is_no_word_that_joins() -> None:
    staff = table("pessoal", {"Nº": "key", "Dia": "day", "Departamento": "IT,RH", "Sala": "S1,S2"})

    plan = understood("quantos trabalham em IT?", schema_index_of(staff.profile))

    assert declined(plan) or plan == Number(rows_of(staff, Filter("Departamento", ("IT",))))
