"""Tone: read from words, told to a model in one line, and never kept."""

import pytest

from qhub_desktop.chat.context import ToneSource
from qhub_desktop.core.context import Context
from qhub_desktop.core.events import Answering, RoundEnded
from qhub_desktop.core.message import Text
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.tone import BRIEF, tone_of, without_tone
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, ScriptedModel, turns_with


@pytest.mark.parametrize(
    "text",
    [
        "já te disse que é o turno da noite",
        "isto não funciona",
        "estou farto disto",
        "Não foi isso que pedi!",
        "está tudo errado outra vez",
        "pela terceira vez, quantos defeitos?",
        "quantos defeitos???",
        "I already told you, the night shift",
        "this doesn't work",
        "that's not what I asked",
    ],
)
def test_frustration_is_read_from_words(text: str) -> None:
    assert tone_of(text) == "frustrated"


@pytest.mark.parametrize(
    "text",
    [
        "estou com pressa, quantos defeitos?",
        "é urgente: total de hoje",
        "preciso disto já",
        "diz-me o total o mais depressa possível",
        "a linha está parada, o que faço?",
        "I need the total right now",
        "quick, I'm in a hurry",
    ],
)
def test_hurry_is_read_from_words(text: str) -> None:
    assert tone_of(text) == "hurried"


@pytest.mark.parametrize(
    "text",
    [
        "qual é a linha mais rápida?",
        "quantas encomendas urgentes houve?",
        "defeitos outra vez por turno",
        "o que não funciona na rack R12?",
        "tempo de espera por urgência",
        "quantos defeitos já houve hoje?",
        "which orders are urgent by customer?",
        "how many parts do not work?",
        "quem está farto de horas extra, por equipa",
        "",
    ],
)
def test_what_is_said_of_the_data_is_no_tone(text: str) -> None:
    assert tone_of(text) == "none"


@pytest.mark.parametrize("is_on", [True, False])
async def test_the_tone_is_told_and_never_stored(store: Store, *, is_on: bool) -> None:
    model = ScriptedModel([Answering("m"), RoundEnded("complete")])
    turns = turns_with(store, model, context=[ToneSource()], settings=Settings(tone=is_on))
    talk = (await store.conversations.create(AGENT.id)).id

    await turns.reply(talk, "isto não funciona", audience=Person())

    told = model.requests[0].messages[0].blocks[1:]
    assert told == ((Context({"tom": BRIEF}),) if is_on else ())
    question, *_answer = await store.messages.latest(talk)
    assert question.blocks == (Text("isto não funciona"),)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("estou com pressa: quantos defeitos por turno?", "quantos defeitos por turno?"),
        ("É urgente, total de hoje", "total de hoje"),
        ("quantos defeitos por turno? Estou com pressa!", "quantos defeitos por turno?"),
        ("já te disse, quero por turno", "quero por turno"),
        ("I'm in a hurry: defects by shift", "defects by shift"),
        ("this is useless, how many defects?", "how many defects?"),
        ("how many defects? This is useless!", "how many defects?"),
        ("mas isto está tudo errado, quantos defeitos?", "quantos defeitos?"),
        ("o rack R10 é urgente: quantos defeitos?", "o rack R10 é urgente: quantos defeitos?"),
        ("in a hurry: defects by shift", "defects by shift"),
        ("estou com pressa", "estou com pressa"),
        ("defeitos com urgencia por turno", "defeitos com urgencia por turno"),
    ],
)
def test_a_clause_that_only_shows_a_tone_is_no_part_of_the_question(text: str, left: str) -> None:
    assert without_tone(text) == left
