"""Notes of a person: whose they are, how many there are, and that a deleted one is nowhere."""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.context import Context
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.memory import (
    MEMORY_CHARACTERS,
    MOST_NOTES,
    MOST_VERSIONS,
    NOTE_CHARACTERS,
    Memory,
    Written,
    edited,
    is_path,
    private_kind,
)
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.store import Store
from qhub_desktop.store.database import connect
from qhub_desktop.store.memories import Place
from tests.store.test_people import account

MARKER = "prefere tabelas a cada gráfico de barras"


def _text(text: str) -> Callable[[str | None], str]:
    return lambda _before: text


async def put(store: Store, name: str, text: str, place: Place | None = None) -> Written:
    written = await store.memories.edit(
        f"/memories/{name}", _text(text), origin="person", place=place
    )
    assert written is not None
    return written


def _in_room(notes: list[Memory]) -> bool:
    counted = [each for each in notes if each.is_counted]
    return (
        len(counted) <= MOST_NOTES and sum(len(each.text) for each in counted) <= MEMORY_CHARACTERS
    )


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../x",
        "/memories/%2e%2e/x",
        "/memories\\x",
        "/etc/passwd",
        "/memories/a/b/c",
        "/memories/Turno",
        "/memories/",
        "/memories/estacao",
        "/memories/" + 61 * "a",
        "/memories/a\n",
        "memories/a",
    ],
)
def test_no_other_path_is_one(path: str) -> None:
    assert not is_path(path)
    assert is_path("/memories/clientes/fabrica-2_norte")


async def test_41_notes_put_the_one_unused_longest_into_the_archive(store: Store) -> None:
    for number in range(MOST_NOTES):
        assert (await put(store, f"n{number}", "x")).archived == ()
    await store.memories.set_pinned("/memories/n0", is_pinned=True)
    await store.memories.note_use(["/memories/n1"])

    written = await put(store, "n40", "y")

    assert written.archived == ("/memories/n2",)
    notes = await store.memories.listed()
    assert _in_room(notes)
    assert len(notes) == 41
    assert [each.name for each in await store.memories.listed(search="N2")][-1] == "n2"


async def test_a_rewrite_is_counted_as_it_will_be(store: Store) -> None:
    for number in range(7):
        await put(store, f"n{number}", 1000 * "x")
    await put(store, "last", 990 * "x")

    assert (await put(store, "n3", 1000 * "y")).archived == ()
    assert (await put(store, "n3", 990 * "y")).archived == ()
    assert (await put(store, "last", 1000 * "x")).archived == ()
    assert (await put(store, "more", 11 * "z")).archived == ("/memories/n0",)
    assert _in_room(await store.memories.listed())


async def test_nothing_is_refused_though_everything_is_pinned(store: Store) -> None:
    for number in range(8):
        await put(store, f"n{number}", 1000 * "x")
        await store.memories.set_pinned(f"/memories/n{number}", is_pinned=True)

    written = await put(store, "new", 3000 * "y")

    assert written.archived == ("/memories/new",)
    assert (written.cut_from, len(written.note.text)) == (3000, NOTE_CHARACTERS)
    assert _in_room(await store.memories.listed())


async def test_a_write_is_undone_to_the_version_before_and_a_new_note_to_nothing(
    store: Store,
) -> None:
    talk = (await store.conversations.create("analise")).id
    answer = (await store.messages.add(talk, "assistant")).id
    await put(store, "turno", "Trabalha de manhã.", Place(talk, answer, "c1"))
    await put(store, "turno", "Trabalha à noite.", Place(talk, answer, "c2"))

    note = await store.memories.undo(talk, "c2")
    assert note is not None
    assert (note.text, note.conversation, note.message) == ("Trabalha de manhã.", talk, answer)

    assert await store.memories.undo(talk, "c1") is None
    assert await store.memories.listed() == []
    with pytest.raises(UserError, match="deleted since"):
        await store.memories.undo(talk, "c1")


async def test_what_was_changed_since_is_not_undone(store: Store) -> None:
    talk = (await store.conversations.create("analise")).id
    await put(store, "turno", "a", Place(talk, None, "c1"))
    await put(store, "turno", "b")

    with pytest.raises(UserError, match="changed"):
        await store.memories.undo(talk, "c1")
    assert (await store.memories.find("/memories/turno")).text == "b"


async def test_the_same_call_again_writes_nothing(store: Store) -> None:
    talk = (await store.conversations.create("analise")).id
    place = Place(talk, None, "c1")
    await put(store, "lista", "a", place)

    again = await store.memories.edit(
        "/memories/lista", lambda before: f"{before}b", origin="model", place=place
    )

    assert again is not None
    assert again.note.text == "a"


async def test_the_last_20_versions_are_kept(store: Store, tmp_path: Path) -> None:
    for number in range(MOST_VERSIONS + 5):
        await put(store, "turno", f"v{number}")

    with closing(connect(store.path)) as db:
        kept = [text for (text,) in db.execute("SELECT text FROM memory_versions ORDER BY id")]
    assert kept == [f"v{number}" for number in range(5, MOST_VERSIONS + 5)]
    (note,) = await store.memories.listed()
    assert note.version_count == MOST_VERSIONS
    earlier = await store.memories.earlier(note.path)
    assert [each.text for each in earlier] == kept[-2::-1]


async def test_a_note_outlives_the_conversation_it_is_from(store: Store) -> None:
    talk = (await store.conversations.create("analise")).id
    answer = (await store.messages.add(talk, "assistant")).id
    await put(store, "turno", "Noite.", Place(talk, answer, "c1"))

    with closing(connect(store.path)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM messages WHERE id = ?", (answer,))

    note = await store.memories.find("/memories/turno")
    assert (note.text, note.conversation, note.message) == ("Noite.", "", None)
    await put(store, "turno", "Tarde.", Place(talk, None, "c2"))
    undone = await store.memories.undo(talk, "c2")
    assert undone is not None
    assert undone.text == "Noite."


async def test_notes_are_one_persons_and_the_stations_an_administrators(store: Store) -> None:
    await put(store, "turno", "De todos, antes de haver contas.")
    await put(store, "estacao/regras", "Parar às 14h.")
    ana, rui = await account(store, "ana", "admin"), await account(store, "rui")

    store.enter(ana)
    assert [each.name for each in await store.memories.listed()] == ["estacao/regras", "turno"]
    talk = (await store.conversations.create("analise")).id
    await put(store, "estacao/regras", "Parar às 15h.")

    store.enter(rui)
    assert [each.text for each in await store.memories.listed()] == ["Parar às 15h."]
    for refused in (
        lambda: put(store, "estacao/regras", "Nunca parar."),
        lambda: store.memories.delete("/memories/estacao/regras"),
        lambda: store.memories.find("/memories/turno"),
        # The answer of whoever was here before ends after the change of person.
        lambda: put(store, "turno", "x", Place(talk, None, "c1")),
    ):
        with pytest.raises(UserError):
            await refused()
    assert await store.memories.clear() == 0

    with closing(connect(store.path)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM people WHERE name = 'ana'")
        assert db.execute("SELECT path FROM memories").fetchall() == [("/memories/estacao/regras",)]


async def test_a_deleted_note_is_nowhere(store: Store) -> None:
    path = "/memories/graficos"
    talk = (await store.conversations.create("analise")).id
    told = "- graficos: " + MARKER + "\n- turno: Noite.\nOutras: a, graficos"
    await store.messages.add(talk, "user", [Text("olá"), Context({"memoria": told})])
    await store.messages.add(
        talk, "user", [Text("e?"), Context({"memoria": f"Mudou:\n- graficos: {MARKER}"})]
    )
    call = ToolCall("c1", "memoria", {"comando": "create", "caminho": path, "texto": MARKER})
    view = ToolCall("c2", "memoria", {"comando": "view", "caminho": "/memories"})
    listed: JsonObject = {"notas": [{"caminho": path, "texto": MARKER[:20] + "…"}]}
    answer = await store.messages.add(
        talk,
        "assistant",
        [call, ToolResult("c1", {}), view, ToolResult("c2", listed), Text(f"Sei: {MARKER}.")],
    )
    await store.messages.end(answer.id, "complete", engine="claude")
    await put(store, "graficos", MARKER, Place(talk, answer.id, "c1"))
    await put(store, "graficos", "curto e mudado depois")
    sent: JsonObject = {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": f"<contexto>\n<memoria>\n{told}\n</memoria>"}],
            }
        ]
    }
    await store.sent.add(host="h", path="/", model="m", body=sent, message=answer.id, days=30)

    await store.memories.delete(path)

    with closing(connect(store.path)) as db:
        assert not [table for table in _dump(db) if MARKER[:20] in table]
    first, second, answered = await store.messages.latest(talk)
    assert first.blocks == (Text("olá"), Context({"memoria": "- turno: Noite.\nOutras: a"}))
    assert second.blocks == (Text("e?"),)
    assert answered.text == "Sei: (apagado)."
    assert (await store.integrity.check()).damaged == ()
    assert await store.conversations.listed(search="tabelas") == []
    assert (await store.integrity.check()).damaged == ()


def _dump(db: sqlite3.Connection) -> list[str]:
    rows = [*db.iterdump()]
    rows += [
        zlib.decompress(content).decode()
        for (content,) in db.execute("SELECT content FROM sent_parts")
    ]
    return rows


@pytest.mark.parametrize(
    "text",
    [
        "A chave é sk-ant-api03-abcdefghijklmnopqrstu",
        "A palavra-passe do Rui é verão",
        "O Rui está de baixa",
        "A Ana está grávida",
        "The operator has diabetes",
        "O Carlos é sindicalizado",
        "union member since May",
        "A Júlia é muçulmana",
        "O Pedro é um operador ucraniano",
        "Votou no outro partido",
        "Margareta divorciou-se",
        "her husband works here",
        "Estou de baixa por depressão",
        "tenho uma hérnia e não levanto racks",
        "fui operado às costas",
        "tomo antidepressivos",
        "I was ill last week",
        "I'm deaf in one ear",
        "I belong to the union",
        "rezo às cinco",
        "I'm Brazilian",
        "nasci em Angola",
        "voto no outro partido",
        "sou de esquerda",
        "a minha mulher trabalha cá",
        "moro em Braga",
        "tenho dois filhos",
        "I have two kids",
        "ganho 1200 euros",
    ],
)
def test_what_is_never_written(text: str) -> None:
    assert private_kind(text)


@pytest.mark.parametrize(
    "text",
    [
        "Trabalha no turno da noite e quer percentagens com uma casa",
        "Suporte partido na rack R12 conta como descasque",
        "PP_Negro vem sempre com gordura; limpar com álcool",
        "A política de qualidade manda parar acima de 3 %",
        "Os ficheiros vêm ordenados por data, em união (UNION ALL)",
        "O fornecedor chinês entrega à terça",
        "Pressão baixa na cabine 2; formação de saúde e segurança à segunda",
        "prefers charts to tables, and dates as dd/mm",
        "A cabine 2 trabalha com depressão de 20 Pa, e a pressão está baixa",
        "A linha foi operada a 60 °C; o furo é cego e a superfície fica deprimida",
        "A rack é de esquerda; o defeito nasceu na R12",
        "The hole is blind, and the surface is depressed near the gate",
        "I was in the morning shift, on the left side of the line",
    ],
)
def test_what_a_plant_says_is_written(text: str) -> None:
    assert private_kind(text) == ""


def test_edits_fit_or_are_none() -> None:
    assert edited("create", "a", text="b") == "b"
    assert edited("str_replace", "a b a", text="c", old="b") == "a c a"
    assert edited("str_replace", "a b a", text="c", old="a") is None
    assert edited("insert", "a\nb", text="c", line=1) == "a\nc\nb"
    assert edited("insert", "a", text="c") == "a\nc"
    assert edited("insert", "a", text="c", line=2) is None
    assert edited("insert", None, text="c") is None
