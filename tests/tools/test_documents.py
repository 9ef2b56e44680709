"""Documents searched by an agent, and quoted without a model, from files that were really read."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.documents import Citation, Collection, DocumentFacts
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message, ToolCall
from qhub_desktop.core.tool import ToolContext, ToolOutput, tools_of
from qhub_desktop.nlq.offline_engine import OfflineEngine
from qhub_desktop.store import Store
from qhub_desktop.tools.document_service import DocumentService
from qhub_desktop.tools.documents import CALL_CHARACTERS, DocumentTools
from tests.chat.fakes import Person, turns_with
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes
from tests.nlq.profiles import demo

POLISH = (
    "Antes de polir limpa-se a peça. A mesma peça pode ser polida no máximo duas vezes."
    " À terceira vai para lixagem. Regista-se no impresso."
)
ZONES = (
    "Na zona A permitem-se duas inclusões de 0,5 mm, a 300 mm uma da outra."
    " Na zona B permitem-se quatro inclusões."
)
OVEN = "A estufa de secagem trabalha a 80 graus durante 30 minutos."
DOOR = "O erro E-3024 da estufa é da porta: resolve-se ao fechar a porta."
AGENT = Agent(
    id="analise",
    name="Análise",
    summary={"pt": "", "en": ""},
    icon="",
    prompt="",
    tools=("procurar_documentos", "ler_pagina"),
    starters={"pt": (), "en": ()},
)


@pytest.fixture
def documents(store: Store, folder: Path, home: Path) -> Iterator[DocumentService]:
    """The documents of a station."""
    service = DocumentService(store.documents, folder)
    yield service
    service.close()


async def _add(
    documents: DocumentService, folder: Path, texts: dict[str, str], collection: str = ""
) -> list[int]:
    files = []
    for name, text in texts.items():
        file = folder / name
        file.write_text(text, encoding="utf-8")
        files.append(file)
    added = await documents.add(files, collection=collection)
    await documents.indexing.finish(words_only=True)
    return [each.id for each in added]


def _toolbox(store: Store, documents: DocumentService) -> DocumentTools:
    return DocumentTools(store.documents, lambda: documents)


async def _called(
    toolbox: DocumentTools, name: str, agent: str = "analise", **given: Any
) -> ToolOutput:
    work = tools_of(toolbox)[name].prepare(given)
    return await work(ToolContext(ConversationId("c"), (), agent=agent))


async def _told(
    store: Store,
    documents: DocumentService,
    question: str,
    profiles: tuple[DatasetProfile, ...] = (),
) -> Message:
    """Ask the offline engine, and return its stored answer."""
    engine = OfflineEngine()
    talk = (await store.conversations.create("analise")).id
    toolbox = _toolbox(store, documents)
    turns = turns_with(store, engine, agent=AGENT, toolbox=toolbox, profiles={talk: profiles})
    await turns.reply(talk, question, audience=Person())
    engine.close()
    return (await store.messages.latest(talk))[-1]


def _cited(answer: Message) -> list[Citation]:
    return [block for block in answer.blocks if isinstance(block, Citation)]


async def test_the_tools_are_offered_once_there_is_a_document(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    tool = tools_of(_toolbox(store, documents))["procurar_documentos"]
    assert not await tool.is_there()

    await _add(documents, tmp_path, {"polir.txt": POLISH})
    assert await tool.is_there()


async def test_a_search_gives_passages_to_cite_and_how_far_they_fit(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    (id_, _other) = await _add(documents, tmp_path, {"polir.txt": POLISH, "estufa.txt": OVEN})

    found = await _called(
        _toolbox(store, documents), "procurar_documentos", pergunta="polir a peça", n=1
    )

    (passage,) = found.passages
    assert (passage.document, passage.file, passage.quote) == (id_, "polir.txt", POLISH)
    assert len(passage.sha256) == 64
    assert isinstance(found.content, dict)
    assert found.content["passagens"] == [{"documento": "polir.txt", "palavras": 1.0}]


async def test_a_search_gives_no_more_than_its_characters(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    long = {f"{number}.txt": f"Verniz {number}. {'verniz ' * 120}" for number in range(12)}
    await _add(documents, tmp_path, long)

    found = await _called(
        _toolbox(store, documents), "procurar_documentos", pergunta="verniz", n=12
    )

    assert 8_000 < sum(len(each.quote) for each in found.passages) <= CALL_CHARACTERS
    assert isinstance(found.content, dict)
    told = found.content["passagens"]
    assert isinstance(told, list)
    assert len(told) == len(found.passages) < 12


async def test_a_document_is_named_by_its_code_its_revision_or_its_file(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    old, new = await _add(documents, tmp_path, {"a.txt": POLISH, "b.txt": POLISH + " Sempre."})
    await documents.edit(old, facts=DocumentFacts("IT-PIN-014", "5"))
    await documents.edit(new, facts=DocumentFacts("IT-PIN-014", "6"))
    toolbox = _toolbox(store, documents)

    for name, id_ in (("it-pin-014", new), ("IT-PIN-014 rev. 5", old), ("B.TXT", new)):
        found = await _called(toolbox, "procurar_documentos", pergunta="polir", documento=name)
        assert {each.document for each in found.passages} == {id_}
        assert {each.is_superseded for each in found.passages} == {id_ == old}
    with pytest.raises(ToolError, match=r"IT-PIN-014 rev\. 6"):
        await _called(toolbox, "procurar_documentos", pergunta="polir", documento="IT-PIN-041")


async def test_a_question_that_names_a_document_by_its_code_is_put_to_it(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    texts = {"a.txt": POLISH, "b.txt": "Ver IT-PIN-014 antes de polir.", "c.txt": OVEN}
    first, second, third = await _add(documents, tmp_path, texts)
    await documents.edit(first, facts=DocumentFacts("IT-PIN-014", "6"))
    await documents.edit(third, facts=DocumentFacts("IT-EST-003", "B"))
    toolbox = _toolbox(store, documents)

    for question, ids in (
        ("o que diz a it-pin 014 de polir?", {first}),
        ("a IT-LAV-777 de polir", {first, second}),  # the code of none: of every one
        ("a IT-EST-003 de polir", {first, second}),  # of one that has nothing of it
    ):
        found = await _called(toolbox, "procurar_documentos", pergunta=question)
        assert {each.document for each in found.passages} == ids, question


async def test_an_agent_finds_nothing_of_another_ones_collection(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    await documents.put_collection(Collection("Clientes", agents=("qualidade",)))
    await _add(documents, tmp_path, {"polir.txt": POLISH}, collection="Clientes")
    toolbox = _toolbox(store, documents)

    for agent, count in (("analise", 0), ("qualidade", 1)):
        found = await _called(toolbox, "procurar_documentos", agent, pergunta="polir a peça")
        assert len(found.passages) == count
    with pytest.raises(ToolError, match="Não há"):
        await _called(toolbox, "ler_pagina", documento="polir.txt", pagina=1)


async def test_a_page_is_read_alone_and_one_without_pages_says_so(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    await _add(documents, tmp_path, {"polir.txt": POLISH})
    pages = [PdfPage(), PdfPage()]
    for page, text in zip(pages, ("Limpa-se a pistola com solvente.", OVEN), strict=True):
        page.text(60, 700, text, size=8)
    file = tmp_path / "estufa.pdf"
    file.write_bytes(pdf_bytes(pages))
    await documents.add([file])
    await documents.indexing.finish(words_only=True)
    toolbox = _toolbox(store, documents)

    second = await _called(toolbox, "ler_pagina", documento="estufa.pdf", pagina=2)

    assert [(each.place.page, each.quote) for each in second.passages] == [(2, OVEN)]
    assert second.passages[0].place.rectangles
    with pytest.raises(ToolError, match="tem 2 páginas"):
        await _called(toolbox, "ler_pagina", documento="estufa.pdf", pagina=3)

    with pytest.raises(ToolError, match=r"polir\.txt não tem páginas"):
        await _called(toolbox, "ler_pagina", documento="polir.txt", pagina=1)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "quantas vezes posso polir a mesma peça?",
            "A mesma peça pode ser polida no máximo duas vezes.»",
        ),
        ("O que diz a instrução sobre polir a peça?", "polir"),
        ("peça polida vezes: what does the procedure say?", "duas vezes"),
    ],
)
async def test_a_question_to_documents_is_answered_word_for_word(
    store: Store, documents: DocumentService, tmp_path: Path, question: str, told: str
) -> None:
    await _add(documents, tmp_path, {"polir.txt": POLISH, "estufa.txt": OVEN})

    answer = await _told(store, documents, question)

    (cited,) = _cited(answer)
    assert cited.quote in POLISH
    assert told in answer.text
    assert answer.text.endswith("» [polir.txt, §1]")


async def test_a_title_is_no_answer(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    await _add(documents, tmp_path, {"estufa.txt": f"Temperatura da estufa\n{OVEN}"})

    answer = await _told(store, documents, "o que diz a instrução sobre a temperatura da estufa?")

    assert answer.text == f"«{OVEN}» [estufa.txt, §1]"


@pytest.mark.parametrize("zone", ["A", "B"])
async def test_a_quote_is_of_the_very_thing_that_is_asked_for(
    store: Store, documents: DocumentService, tmp_path: Path, zone: str
) -> None:
    await _add(documents, tmp_path, {"zonas.txt": ZONES})

    answer = await _told(store, documents, f"quantas inclusões se permitem na zona {zone}?")

    assert answer.text.startswith(f"«Na zona {zone}")


@pytest.mark.parametrize(
    "question",
    [
        "quantas inclusões se permitem na zona D?",  # there are a zone A and a zone B
        "quantas inclusões de verniz há na cabina 3?",
        "como se pinta o para-choques de fibra antes de polir?",
        "como se resolve o erro E-3042 da porta da estufa?",
        "qual é a capital de França?",  # begins as 'capítulo' does
        "a que temperatura cura o verniz?",  # its words stand in sentences apart
    ],
)
async def test_what_no_passage_says_is_only_shown_as_the_nearest(
    store: Store, documents: DocumentService, tmp_path: Path, question: str
) -> None:
    heading = "No capítulo do verniz vê-se a estufa. A temperatura mede-se à porta."
    texts = {"polir.txt": POLISH, "estufa.txt": OVEN, "porta.txt": DOOR, "guia.txt": heading}
    texts |= {"zonas.txt": ZONES, "cabina.txt": "Na cabina 2 há inclusões de verniz."}
    await _add(documents, tmp_path, texts)

    answer = await _told(store, documents, question)

    assert answer.text.startswith("O mais próximo que encontrei:\n\n- «")
    assert 1 <= len(_cited(answer)) <= 3
    assert "E-3024" not in answer.text


PLAN = """# Plano PC-217

| Característica | Especificação | Frequência |
|---|---|---|
| Brilho a 20 graus | 85 a 92 GU | 3 peças por turno |
| Dureza | mínimo H | 1 peça por semana |
"""
REPORT = """# Crateras no capot

## Descrição do problema

O cliente encontrou crateras em 14 capots, e as crateras estão no centro.

## Causa raiz

O filtro da rede de ar estava saturado.
"""
TRAINING = (
    "A Marta Lobo forma os operadores novos. New operators are trained by Marta Lobo."
    " A corrente do transportador leva óleo VG 220."
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("que brilho tem o PC-217?", "Brilho a 20 graus | 85 a 92 GU"),
        ("what caused the crateras?", "O filtro da rede de ar"),
        ("qual é a causa das crateras no capot?", "O filtro da rede de ar"),
        ("quem vai formar os operadores?", "Marta Lobo forma"),
        ("who is going to train the new operators?", "New operators are trained"),
        ("que óleo leva a corrente?", "leva óleo VG 220"),
    ],
)
async def test_what_data_cannot_tell_is_quoted_beside_them(
    store: Store, documents: DocumentService, tmp_path: Path, question: str, told: str
) -> None:
    await _add(documents, tmp_path, {"a.md": PLAN, "b.md": REPORT, "c.txt": TRAINING})

    answer = await _told(store, documents, question, (demo().profile,))

    assert answer.text.startswith("«")
    assert told in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "espessura do verniz no plano PC-217",  # 'Especificação' is another word
        "qual é a frequência no PC-217?",  # the header of a table tells no row
        "que óleo leva o compressor de ar?",
        "o que causou os escorridos no capot?",
        "quem vai formar os pintores?",
    ],
)
async def test_what_holds_only_some_words_of_a_question_is_no_answer(
    store: Store, documents: DocumentService, tmp_path: Path, question: str
) -> None:
    await _add(documents, tmp_path, {"a.md": PLAN, "b.md": REPORT, "c.txt": TRAINING})

    answer = await _told(store, documents, question)

    assert answer.text.startswith("O mais próximo que encontrei:\n\n- «")
    assert not [each for each in _cited(answer) if each.quote.startswith(("#", "Caract"))]


@pytest.mark.parametrize(
    "question", ["quem vai ter mais defeitos?", "porque é que há mais defeitos?"]
)
async def test_what_will_be_and_why_are_asked_of_the_data_that_they_name(
    store: Store, documents: DocumentService, tmp_path: Path, question: str
) -> None:
    await _add(documents, tmp_path, {"b.md": f"{REPORT}Os defeitos resultam dele."})

    answer = await _told(store, documents, question, (demo().profile,))

    assert not _cited(answer)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("quantas crateras por hora fazem parar a linha?", "Crateras | 2 | 4"),
        ("de quanto em quanto tempo mudo de luvas na sala de tintas?", "a cada 2 horas"),
        ("quantas horas dura o curso de segurança?", "O curso de segurança"),
    ],
)
async def test_what_data_do_not_explain_is_told_of_the_nearest_passages(
    store: Store, documents: DocumentService, tmp_path: Path, question: str, told: str
) -> None:
    table = "# Linha 2\n\n| Defeito | Paragem (peças/hora) | Nível |\n|---|---|---|\n"
    texts = {
        "a.md": f"{table}| Crateras | 2 | 4 |\n",
        "b.txt": "Na sala de tintas as luvas mudam-se a cada 2 horas.",
        "c.txt": "O curso de segurança é em maio.",
    }
    await _add(documents, tmp_path, texts)

    answer = await _told(store, documents, question, (demo().profile,))

    assert told in answer.text


@pytest.mark.parametrize(
    ("question", "cells"),
    [("que limite tem a dureza?", "A4:C4"), ("que limite tem a cor?", "A3:C3")],
)
async def test_a_row_of_a_table_is_cited_by_its_cells(
    store: Store, documents: DocumentService, tmp_path: Path, question: str, cells: str
) -> None:
    rows = [
        "CP-9;Plano de controlo",
        "Nome;Limite;Reação",
        "Cor;dE 1,3;parar",
        "Dureza;mínimo H;lixar",
    ]
    file = tmp_path / "cp.csv"
    file.write_text("\n".join([*rows, "Brilho;85 GU;separar"]), encoding="utf-8")
    await documents.add([file])
    await documents.indexing.finish(words_only=True)

    answer = await _told(store, documents, question)

    assert [each.place.cells for each in _cited(answer)] == [cells]


async def test_what_names_the_data_is_answered_of_the_data(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    await _add(documents, tmp_path, {"lixo.txt": "Defeitos de lixo na noite limpam-se a seco."})

    answer = await _told(store, documents, "quantos defeitos de lixo na noite?", (demo().profile,))

    assert not [
        each for each in answer.blocks if isinstance(each, ToolCall) and "documentos" in each.name
    ]


async def test_a_superseded_revision_is_quoted_where_it_is_named_and_said_to_be_old(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    new = POLISH.replace("duas vezes", "uma vez")
    ids = await _add(documents, tmp_path, {"a.txt": POLISH, "b.txt": new})
    for id_, revision in zip(ids, "56", strict=True):
        await documents.edit(id_, facts=DocumentFacts("IT-PIN-014", revision))

    now = await _told(store, documents, "quantas vezes posso polir a mesma peça?")
    then = await _told(
        store, documents, "quantas vezes se podia polir a mesma peça na IT-PIN-014 revisão 5?"
    )

    assert "uma vez" in now.text
    assert "[IT-PIN-014 rev. 6, §1]" in now.text
    assert "duas vezes" in then.text
    assert "[IT-PIN-014 rev. 5 (superseded), §1]" in then.text
    assert then.text.endswith("§1]\n\nEsta revisão foi substituída: há uma mais recente em vigor.")


async def test_what_is_not_read_yet_is_no_nothing(
    store: Store, documents: DocumentService, tmp_path: Path
) -> None:
    (tmp_path / "polir.txt").write_text(POLISH, encoding="utf-8")
    await documents.add([tmp_path / "polir.txt"])  # nothing runs that reads it

    answer = await _told(store, documents, "quantas vezes posso polir a mesma peça?")

    assert answer.text.endswith("1 documento está por ler: pergunte de novo daqui a pouco.")


async def test_with_no_document_the_answer_is_as_it_was(
    store: Store, documents: DocumentService
) -> None:
    answer = await _told(store, documents, "quantas vezes posso polir a mesma peça?")

    assert not [each for each in answer.blocks if isinstance(each, ToolCall)]
    assert replace(answer, blocks=()).text == ""
