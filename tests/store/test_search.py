"""Finding words in titles and messages."""

from pathlib import Path

import pytest

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text, ToolCall
from qhub_desktop.store import Store
from qhub_desktop.store.conversations import snippet_of
from tests.store.conftest import faults


async def said(store: Store, question: str, answer: str = "") -> ConversationId:
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text(question)])
    if answer:
        reply = await store.messages.add(made.id, "assistant", [Text(answer)])
        await store.messages.end(reply.id, "complete", engine="offline")
    return made.id


@pytest.mark.parametrize(
    "search",
    [
        "posição",
        "posicao",
        "POSIÇÃO",
        "posic\u0327a\u0303o",
        "pos",
        "p",
        "média posição",
        "posicao med",
        "R12-3",
        "falta_tinta",
        "falta tin",
        '"posição"',
        "posição?",
        "posição (",
    ],
)
async def test_words_are_found_by_their_beginnings_whatever_their_accents(
    store: Store, search: str
) -> None:
    found = await said(store, "Qual é a média da Posição no rack R12-3, com falta_tinta?")
    await said(store, "Quantos hoje?")

    assert [each.id for each in await store.conversations.listed(search=search)] == [found]


@pytest.mark.parametrize(
    "search",
    ["siçao", "posição zzz", "???", '"', "posição NOT rack", "zzz OR rack", "text:rack", "*"],
)
async def test_what_is_not_there_is_not_found_and_no_character_is_special(
    store: Store, search: str
) -> None:
    await said(store, "Qual é a média da posição no rack?")

    assert await store.conversations.listed(search=search) == []


async def test_a_search_of_blanks_lists_everything(store: Store) -> None:
    made = await said(store, "Olá")

    assert [each.id for each in await store.conversations.listed(search="  ")] == [made]


async def test_a_pasted_page_is_a_search_like_any_other(store: Store) -> None:
    await said(store, "Olá")

    assert await store.conversations.listed(search='palavra "\0\ud83d ' * 5_000) == []


async def test_titles_are_searched_and_a_new_title_replaces_the_old(store: Store) -> None:
    made = await said(store, "Olá")
    await store.conversations.rename(made, "Retrabalho de fevereiro")
    await store.conversations.rename(made, "Relatório de março")

    assert await store.conversations.listed(search="retrabalho") == []
    (found,) = await store.conversations.listed(search="marco")
    assert (found.id, found.snippet) == (made, "")


async def test_an_answer_is_found_once_it_has_ended(store: Store) -> None:
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant")
    await store.messages.put_block(answer.id, 0, Text("As crateras"))
    await store.messages.put_block(answer.id, 1, ToolCall("a", "descasque", {"x": "descasque"}))
    await store.messages.put_block(answer.id, 2, Text("são doze"))
    assert await store.conversations.listed(search="crateras") == []

    await store.messages.end(answer.id, "complete", engine="offline")

    assert len(await store.conversations.listed(search="crateras doze")) == 1
    assert await store.conversations.listed(search="descasque") == []


async def test_a_block_changed_after_the_end_is_found_by_its_new_words(
    store: Store, folder: Path
) -> None:
    made = await said(store, "Olá", "gordura")
    answer = (await store.messages.latest(made))[-1]

    await store.messages.put_block(answer.id, 0, Text("escorrido"))

    assert await store.conversations.listed(search="gordura") == []
    assert len(await store.conversations.listed(search="escorrido")) == 1
    store.close()
    assert faults(folder) == []


async def test_words_of_an_answer_cut_by_a_kill_are_found_after_the_next_start(
    folder: Path,
) -> None:
    first = Store.open(folder)
    made = await first.conversations.create("analise")
    answer = await first.messages.add(made.id, "assistant", [Text("Só crateras")])

    second = Store.open(folder)
    assert len(await second.conversations.listed(search="crateras")) == 1

    # The first was alive after all, and goes on.
    await first.messages.put_block(answer.id, 0, Text("Só gordura"))
    assert await second.conversations.listed(search="crateras") == []
    await first.messages.end(answer.id, "complete", engine="offline")
    assert len(await second.conversations.listed(search="gordura")) == 1
    first.close()
    second.close()
    assert faults(folder) == []


async def test_found_conversations_come_pinned_first_then_the_latest(store: Store) -> None:
    first, second, third = [await said(store, f"lixo {number}") for number in range(3)]
    await store.conversations.set_pinned(first, is_pinned=True)
    await store.conversations.set_archived(second, is_archived=True)

    assert [each.id for each in await store.conversations.listed(search="lixo")] == [first, third]
    found = await store.conversations.listed(search="lixo", include_archived=True, limit=2)
    assert [each.id for each in found] == [first, third]


async def test_the_snippet_is_from_the_latest_message_that_has_the_words(store: Store) -> None:
    await said(store, "Quantas crateras há?", "Há doze crateras no rack R12.")

    (found,) = await store.conversations.listed(search="crat")

    assert found.snippet == "Há doze crateras no rack R12."


@pytest.mark.parametrize(
    ("text", "search", "snippet"),
    [
        ("um  dois\n\ntrês", "tres", "um dois três"),
        (
            "palavra " * 30 + "crateras à noite " + "outra " * 30,
            "CRÁT",
            "… palavra crateras à noite " + "outra " * 10 + "…",
        ),
        ("sem crateras " + "longo" * 40, "crateras", "sem crateras " + "longo" * 15 + "lo …"),
        ("x" * 40 + "-crateras " + "y" * 9, "crat", "… " + "x" * 11 + "-crateras " + "y" * 9),
        ("descrateras crateras", "crat", "descrateras crateras"),
        ("pontos", "...", "pontos"),
        ("", "x", ""),
    ],
)
def test_a_snippet_is_one_line_around_the_first_hit(text: str, search: str, snippet: str) -> None:
    assert snippet_of(text, search) == snippet
