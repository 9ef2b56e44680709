"""Passages of documents: how a service is given them, and what it cites is checked."""

from typing import Any

import pytest

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.citations import citation_of, plain_citations, sentences
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import Citation, DocumentPlace
from qhub_desktop.core.events import TextAdded
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.store import Store
from tests.chat.fakes import Person, turns_with
from tests.chat.requests import claude_at
from tests.wire import WireServer, Words, answer, calls, scenes
from tests.wire.scenes import cited

POLISHED = Citation(
    document=3,
    sha256="ab" * 32,
    file="IT-PIN-014.pdf",
    code="IT-PIN-014",
    revision="6",
    place=DocumentPlace(page=3, rectangles=((0.1, 0.2, 0.9, 0.22),)),
    quote="A mesma peça pode ser polida duas vezes.\nÀ terceira vai para lixagem. Use massa fina.",
)
DRIED = Citation(
    document=4,
    sha256="cd" * 32,
    file="estufa [cópia].docx",
    code="",
    revision="",
    place=DocumentPlace(headings=("4 Secagem",), paragraph=7),
    quote="A estufa trabalha a 80 °C durante 30 min.",
    certainty=0.93,
)
AGENT = Agent(
    id="analise",
    name="Análise",
    summary={"pt": "", "en": ""},
    icon="",
    prompt="És um assistente.",
    tools=("procurar_documentos",),
    starters={"pt": (), "en": ()},
)


class Passages:
    """A toolbox that finds the same two passages for any question."""

    @tool(label="A procurar…", category="data", risk="read")
    async def procurar_documentos(self, _context: ToolContext, *, pergunta: str) -> ToolOutput:
        """Passagens dos documentos."""
        content: JsonObject = {"pergunta": pergunta, "cortado": "só o início"}
        return ToolOutput(content, passages=(POLISHED, DRIED))


async def _answer(
    store: Store, server: WireServer, questions: int = 1, **settings: Any
) -> tuple[list[Message], Person]:
    """Ask a service, and return the stored conversation."""
    chosen = Settings(engine="claude", **settings)
    person = Person()
    talk: ConversationId = (await store.conversations.create("analise")).id
    async with claude_at(server.url, settings=chosen) as claude:
        turns = turns_with(store, claude, toolbox=Passages(), agent=AGENT, settings=chosen)
        for _each in range(questions):
            await turns.reply(talk, "Quantas vezes posso polir?", audience=person)
    return await store.messages.latest(talk), person


SEARCH = calls(("procurar_documentos", {"pergunta": "polir"}))


async def test_passages_go_as_search_results_and_citations_come_back_in_their_place(
    store: Store,
) -> None:
    said = scenes.Answer(
        (
            Words("Segundo a instrução, "),
            Words(
                "pode polir duas vezes",
                (cited("A mesma peça pode ser polida duas vezes.\n", at=0),),
            ),
            Words(". Depois, lixe.\n"),
            Words(
                "- Seque a 80 °C.\n", (cited("A estufa trabalha  a 80 °C durante 30 min.", at=1),)
            ),
            Words("- Fim."),
        ),
        "end_turn",
    )
    with WireServer([SEARCH, said]) as server:
        messages, person = await _answer(store, server)
        sent = server.requests[1].body["messages"][-1]["content"][0]["content"]

    assert [each["type"] for each in sent] == ["search_result", "search_result", "text"]
    assert sent[2]["text"] == "cortado: só o início"
    assert sent[0]["title"] == "IT-PIN-014 rev. 6, p. 3"
    assert "".join(each["text"] for each in sent[0]["content"]) == POLISHED.quote
    assert len(sent[0]["content"]) == 3
    assert sent[1]["title"].startswith("estufa [cópia].docx, 4 Secagem, §7")
    assert "93" in sent[1]["title"]
    stored = messages[-1]
    texts = [block.text for block in stored.blocks if isinstance(block, Text)]
    polished = "[IT-PIN-014 rev. 6, p. 3](qhub-citation:1)"
    dried = r"[estufa \[cópia\].docx, 4 Secagem, §7](qhub-citation:2)"
    whole = f"Segundo a instrução, pode polir duas vezes {polished}. Depois, lixe.\n"
    whole += f"- Seque a 80 °C. {dried}\n- Fim."
    assert texts == [whole]
    assert stored.text.endswith("- Seque a 80 °C. [estufa [cópia].docx, 4 Secagem, §7]\n- Fim.")
    first = citation_of("qhub-citation:1", stored.blocks)
    assert first is not None
    assert first.quote == "A mesma peça pode ser polida duas vezes."
    assert first.place == POLISHED.place
    shown = [event for event in person.saw if isinstance(event, Citation)]
    assert shown == [block for block in stored.blocks if isinstance(block, Citation)]
    streamed = "".join(event.content for event in person.saw if isinstance(event, TextAdded))
    assert streamed == texts[0]


@pytest.mark.parametrize(
    "location",
    [
        cited("A mesma peça pode ser polida três vezes.", at=0),
        cited("A mesma peça pode ser polida duas vezes.", at=1),
        cited("A mesma peça pode ser polida duas vezes.", at=7),
        cited("", at=0),
        {"type": "web_search_result_location", "cited_text": "A mesma peça", "url": "https://a.b"},
    ],
)
async def test_what_does_not_stand_in_its_passage_is_dropped(
    store: Store, location: dict[str, Any]
) -> None:
    said = scenes.Answer((Words("Pode três vezes.", (location,)), Words(" Sim.")), "end_turn")
    with WireServer([SEARCH, said]) as server:
        messages, _person = await _answer(store, server)

    assert not [block for block in messages[-1].blocks if isinstance(block, Citation)]
    assert messages[-1].text == "Pode três vezes. [no source] Sim."


async def test_of_one_true_and_one_false_citation_the_true_one_stays(store: Store) -> None:
    true, false = cited("Use massa fina.", at=0), cited("Use massa grossa.", at=0)
    said = scenes.Answer((Words("Massa fina.", (false, true)),), "end_turn")
    with WireServer([SEARCH, said]) as server:
        messages, _person = await _answer(store, server)

    assert messages[-1].text == "Massa fina. [IT-PIN-014 rev. 6, p. 3]"


async def test_an_earlier_answer_is_sent_again_with_its_passages_and_without_marks(
    store: Store,
) -> None:
    words = Words("Duas vezes.", (cited("À terceira vai para lixagem. ", at=0),))
    again = Words("Como disse.", (cited("Use massa fina.", at=2),))
    script: list[scenes.Scene] = [
        SEARCH,
        scenes.Answer((words,), "end_turn"),
        SEARCH,
        scenes.Answer((again,), "end_turn"),
    ]
    with WireServer(script) as server:
        messages, _person = await _answer(store, server, questions=2)
        before, after = server.requests[1].body["messages"], server.requests[3].body["messages"]

    assert before[2]["content"][0]["content"] == after[2]["content"][0]["content"]
    assert after[3]["content"] == [{"type": "text", "text": "Duas vezes."}]
    assert messages[-1].text == "Como disse. [IT-PIN-014 rev. 6, p. 3]"


async def test_a_service_without_citations_gets_numbers_and_answers_by_them(store: Store) -> None:
    said = "Pode duas vezes [1]. Seque [2, 9]; `lista[1]` fica. Três vezes [7]."
    with WireServer([SEARCH, answer(said, size=3), answer("Sim [1].")]) as server:
        messages, _person = await _answer(store, server, questions=2, endpoint=server.url)
        sent = server.requests[1].body["messages"][-1]["content"][0]["content"]
        history = server.requests[2].body["messages"]

    assert "[1] IT-PIN-014 rev. 6, p. 3\nA mesma peça pode ser polida duas vezes.\n" in sent
    assert sent.endswith("\n\ncortado: só o início")
    assert "\n\n[2] estufa [cópia].docx, 4 Secagem, §7" in sent
    assert messages[1].text == (
        "Pode duas vezes [IT-PIN-014 rev. 6, p. 3]. "
        "Seque [estufa [cópia].docx, 4 Secagem, §7]; `lista[1]` fica. Três vezes."
    )
    quotes = [block.quote for block in messages[1].blocks if isinstance(block, Citation)]
    assert quotes == [POLISHED.quote, DRIED.quote]
    assert history[3]["content"][0]["text"] == (
        "Pode duas vezes [1]. Seque [2]; `lista[1]` fica. Três vezes."
    )
    assert messages[-1].text == "Sim [IT-PIN-014 rev. 6, p. 3]."


async def test_without_passages_numbers_in_brackets_stay(store: Store) -> None:
    with WireServer([answer("Veja a[1] e [2].  \nFim. ", size=3)]) as server:
        messages, _person = await _answer(store, server, endpoint=server.url)

    assert messages[-1].text == "Veja a[1] e [2].  \nFim. "


def test_the_sentences_of_a_passage_joined_are_the_passage() -> None:
    passage = "Lixar no máx. 2 vezes a 2.5 bar. «Nunca» a seco! Ver 4.2.\nPasso | Tempo\n1 | 30 s"

    assert sentences(passage) == [
        "Lixar no máx. 2 vezes a 2.5 bar. ",
        "«Nunca» a seco! ",
        "Ver 4.2.\n",
        "Passo | Tempo\n",
        "1 | 30 s",
    ]


def test_a_link_of_another_scheme_or_number_cites_nothing() -> None:
    blocks = (Text("x"), POLISHED)

    assert citation_of("qhub-citation:1", blocks) == POLISHED
    for address in ("qhub-citation:0", "qhub-citation:2", "qhub-citation:x", "https://a.b:1"):
        assert citation_of(address, blocks) is None
    assert plain_citations("[a](https://a.b) [b](qhub-citation:12)") == "[a](https://a.b) [b]"
