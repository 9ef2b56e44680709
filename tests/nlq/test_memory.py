"""Memory requests offline: what is read as one, and what comes of it through the tool."""

from datetime import date

import pytest

from qhub_desktop.nlq.memory import Wish, memory_request
from qhub_desktop.nlq.requests import recall_call


@pytest.mark.parametrize(
    ("text", "wish", "about"),
    [
        ("Lembra-te que trabalho no turno da noite.", "remember", "Trabalho no turno da noite."),
        ("lembra-te de que a R12 é minha", "remember", "A R12 é minha"),
        ("Por favor, memoriza: quero tabelas", "remember", "Quero tabelas"),
        ("Não te esqueças que sou da linha 2", "remember", "Sou da linha 2"),
        ("Remember that I work nights", "remember", "I work nights"),
        ("please remember my rack is R12", "remember", "My rack is R12"),
        ("O que sabes de mim?", "tell", ""),
        ("que sabes sobre mim", "tell", ""),
        ("What do you know about me?", "tell", ""),
        ("Esquece que trabalho à noite", "forget", "trabalho à noite"),
        ("esquece o que te disse sobre a R12", "forget", "a R12"),
        ("esquece o meu turno", "forget", "meu turno"),
        ("Forget what I told you about my shift.", "forget", "my shift"),
        ("apaga tudo o que sabes de mim", "forget all", ""),
        ("Esquece tudo o que sabes sobre mim!", "forget all", ""),
        ("Forget everything you know about me", "forget all", ""),
        ("recorda que sou o Júlio", "remember", "Sou o Júlio"),
        ("guarda que uso sempre a linha 2", "remember", "Uso sempre a linha 2"),
        ("Podes lembrar-te que faço noites?", "remember", "Faço noites"),
        ("can you remember that I work nights?", "remember", "I work nights"),
        ("mostra-me o que sabes de mim", "tell", ""),
        ("que notas tens?", "tell", ""),
        ("what do you remember?", "tell", ""),
        ("apaga o que sabes de mim", "forget all", ""),
        ("delete all my notes", "forget all", ""),
    ],
)
def test_requests_are_read(text: str, wish: Wish, about: str) -> None:
    request = memory_request(text)

    assert request is not None
    assert (request.wish, request.about, request.may_be_data) == (wish, about, False)


@pytest.mark.parametrize(
    "text",
    [
        "quantos defeitos de lixo houve na noite?",
        "lembras-te do que vimos ontem?",
        "o que vimos ontem sobre crateras?",
        "apaga o filtro",
        "remember the last question?",
        "note the trend by shift",
        "o que sabes fazer?",
        "what do you know about the night shift?",
        "recorda os defeitos de ontem",
        "guarda o gráfico",
        "guarda que tipo de defeito houve?",
        "mostra as notas do turno",
    ],
)
def test_other_sentences_are_none(text: str) -> None:
    assert memory_request(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("já falámos de crateras?", "crateras"),
        ("procura nas conversas casca de laranja", "casca laranja"),
        ("have we discussed rack R12?", "rack r12"),
        ("search my conversations for craters", "craters"),
        ("já houve crateras?", None),
        ("procura crateras", None),
        ("did we have craters?", None),
    ],
)
def test_what_was_said_is_looked_for(text: str, words: str | None) -> None:
    found = recall_call(text, date(2026, 2, 28))

    assert (None if found is None else found[0]["palavras"]) == words


def test_a_filter_may_be_meant() -> None:
    request = memory_request("esquece o turno")

    assert request is not None
    assert request.may_be_data
