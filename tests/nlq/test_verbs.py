"""Verbs of questions: what only says what is done changes no plan, what became of rows counts."""

import pytest

from qhub_desktop.nlq.query_ast import Ask, Count, Filter, Plan, Unknown
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.verbs import question_words, verbs
from tests.nlq.schemas import OVER_ALL, Trade, by, check, rows_of, table, understood

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
        "carregar carreguei carregue carregaram carregado",
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
    said = question_words()
    names = {state: verbs().states(state) for each in said["state"].values() for state in each}

    assert names
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
        Count(trade.scope),
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

    assert plan == Count(rows_of(SHIPMENTS, Filter("Motorista", ("Rui",))))


@pytest.mark.parametrize("verb", ["moved", "handled", "hauled", "stacked", "unloaded"])
def test_an_activity_of_a_group_changes_no_plan(verb: str) -> None:
    plan = understood(f"how many loads were {verb} per driver?", schema_index_of(SHIPMENTS.profile))

    assert plan == by(SHIPMENTS, "Motorista")
