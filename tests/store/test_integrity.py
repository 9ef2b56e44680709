"""Damage to stored messages: found as they are read, told, and repaired."""

import json
import random
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.chat.claude.citations import SentPassages
from qhub_desktop.chat.claude.messages_api import request_body
from qhub_desktop.chat.turn import trim_history
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import (
    DAMAGED,
    INTERRUPTED,
    LOST,
    Block,
    Message,
    Notice,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.store import Store
from qhub_desktop.store.audit_words import action_words, detail_words, subject_words
from qhub_desktop.store.backups import make
from qhub_desktop.store.database import connect
from tests.chat.requests import request_of
from tests.store.conftest import faults
from tests.store.test_people import account
from tests.wire.rules import Issued, complaint

HOMES = Path(__file__).parent / "homes"
ANSWERS: tuple[tuple[Block, ...], ...] = (
    (Text("São 200."),),
    (
        Text("Vou contar."),
        ToolCall("a", "contar_defeitos", {"turno": "noite"}),
        ToolCall("b", "top_defeitos", {}),
        ToolResult("a", {"total": 59}),
        ToolResult("b", {"top": [{"tipo": "lixo", "total": 21}]}),
        Text("São 59 à noite."),
    ),
    (ToolCall("a", "contar_defeitos", {}), ToolResult("a", {"total": 200}), Text("Ao todo 200.")),
)


async def talked(store: Store) -> ConversationId:
    """A conversation of six messages; its id."""
    made = await store.conversations.create("analise")
    for number, blocks in enumerate(ANSWERS, start=1):
        await store.messages.add(made.id, "user", [Text(f"Pergunta {number}?")])
        answer = await store.messages.add(made.id, "assistant")
        for position, block in enumerate(blocks):
            await store.messages.put_block(answer.id, position, block)
        await store.messages.end(answer.id, "complete", engine="claude-x")
    return made.id


def change(folder: Path, *statements: str) -> None:
    """Change the file as another program might."""
    with closing(sqlite3.connect(folder / "qhub.db", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def notices(messages: list[Message]) -> list[Notice]:
    return [each for message in messages for each in message.blocks if isinstance(each, Notice)]


async def test_what_nobody_has_touched_is_sound(store: Store, folder: Path) -> None:
    conversation = await talked(store)
    (first, *_more) = await store.messages.latest(conversation)
    await store.messages.supersede(MessageId(first.id + 4))
    await store.messages.add(conversation, "user", [Text("De outra forma?")])
    await store.messages.rate(MessageId(first.id + 1), 1)

    report = await store.integrity.check()

    assert (report.checked, report.damaged) == (5, ())
    assert notices(await store.messages.latest(conversation)) == []


DAMAGES = {
    "unreadable": 'UPDATE blocks SET data = \'{"type": "te\' WHERE message = {id} AND position = 0',
    "altered": "UPDATE blocks SET data = replace(data, '59', '95') WHERE message = {id}",
    "missing": "DELETE FROM messages WHERE id = {id}",
    "unanswered": "DELETE FROM blocks WHERE message = {id} AND position = 3",
    "empty": "DELETE FROM blocks WHERE message = {id}",
}


@pytest.mark.parametrize("kind", DAMAGES)
async def test_each_kind_of_damage_is_found_told_and_repaired_from_a_copy(
    store: Store, folder: Path, kind: str
) -> None:
    conversation = await talked(store)
    before = await store.messages.latest(conversation)
    copy = make(store.path, "manual")
    change(folder, DAMAGES[kind].replace("{id}", str(before[3].id)))
    files = folder / "qhub.db", folder / "qhub.db-wal"
    stored = [each.read_bytes() for each in files]

    read = await store.messages.latest(conversation)
    found = await store.integrity.check(conversation)

    assert [(each.message, each.kind) for each in found.damaged] == [(before[3].id, kind)]
    assert found.left == 1
    assert [each.kind for each in notices(read)] == [DAMAGED]
    assert [each.id for each in read] == [each.id for each in before]
    assert [each.read_bytes() for each in files] == stored

    repaired = await store.integrity.repair(conversation)

    assert [each.repaired_from for each in repaired.damaged] == [copy.name]
    assert repaired.left == 0
    assert await store.messages.latest(conversation) == before
    assert (await store.integrity.check()).damaged == ()
    assert any(".repair" in each.name for each in (folder / "backups").iterdir())
    assert faults(folder) == []


async def test_without_a_copy_the_words_come_back_and_the_rest_is_kept(
    store: Store, folder: Path
) -> None:
    conversation = await talked(store)
    before = await store.messages.latest(conversation)
    change(
        folder,
        DAMAGES["altered"].replace("{id}", str(before[3].id)),
        f"UPDATE blocks SET data = '' WHERE message = {before[4].id}",
        DAMAGES["empty"].replace("{id}", str(before[5].id)),
        f"DELETE FROM texts WHERE message = {before[5].id}",
        f"UPDATE messages SET role = 'user', engine = 'x' WHERE id = {before[1].id}",
    )

    repaired = await store.integrity.repair()
    (entry,) = [each for each in await store.audit.listed() if each.action == "repair"]
    assert (action_words(entry), subject_words(entry)) == (
        "damage repaired",
        "all conversations",
    )
    assert detail_words(entry).startswith(f"{len({each.message for each in repaired.damaged})} ")

    assert {each.message: each.repaired_from for each in repaired.damaged} == {
        before[1].id: "digest",
        before[3].id: "search",
        before[4].id: "search",
        before[5].id: "apart",
    }
    read = await store.messages.latest(conversation)
    assert read[:3] == before[:3]
    assert read[3].text == "Vou contar.\nSão 59 à noite."
    assert read[4].blocks == before[4].blocks
    assert [each.kind for each in notices(read)] == [LOST, LOST]
    assert (await store.integrity.check()).damaged == ()
    with closing(connect(folder / "qhub.db")) as db:
        kept = [json.loads(row) for (row,) in db.execute("SELECT row FROM damaged")]
    assert any("95" in str(row.get("data")) for row in kept)  # as it was found


async def test_neighbours_that_are_missing_are_told_of_once(store: Store, folder: Path) -> None:
    conversation = await talked(store)
    before = await store.messages.latest(conversation)
    change(
        folder,
        f"DELETE FROM messages WHERE id IN ({before[2].id}, {before[3].id}, {before[5].id})",
        f"DELETE FROM blocks WHERE message IN ({before[2].id}, {before[3].id}, {before[5].id})",
    )

    whole = await store.messages.latest(conversation)
    paged: list[Message] = []
    while page := await store.messages.latest(
        conversation, before=paged[0].id if paged else None, limit=2
    ):
        assert len(page) <= 2
        paged[:0] = page

    assert [each.text for each in notices(whole)] == [
        "2 messages are missing here.",
        "1 message is missing here.",
    ]
    assert paged == whole
    assert await store.integrity.count_damage(conversation) == (3, 0)


async def test_nothing_is_written_where_no_copy_can_be_made(store: Store, folder: Path) -> None:
    conversation = await talked(store)
    (folder / "backups").write_text("no folder", encoding="utf-8")
    change(folder, "UPDATE blocks SET data = '' WHERE position = 0")
    before = await store.messages.latest(conversation)

    with pytest.raises(UserError):
        await store.integrity.repair()

    assert await store.messages.latest(conversation) == before


async def test_files_of_earlier_versions_get_their_digests(folder: Path) -> None:
    with zipfile.ZipFile(HOMES / "schema_17.zip") as home:
        home.extractall(folder)

    store = Store.open(folder)
    store.enter(None)

    with closing(connect(folder / "qhub.db")) as db:
        (ended, digests) = db.execute(
            """SELECT (SELECT count(*) FROM messages WHERE is_superseded = 0 AND "end" NOT NULL),
                (SELECT count(*) FROM digests)"""
        ).fetchone()
        (altered,) = db.execute("SELECT max(id) FROM digests").fetchone()
    assert ended == digests > 5
    assert await store.find_damaged_conversations() == []
    change(folder, f"UPDATE blocks SET data = replace(data, 'e', 'a') WHERE message = {altered}")
    assert len(await store.find_damaged_conversations()) == 1
    store.close()


async def test_another_program_finds_damage_after_an_unclean_end(
    store: Store, folder: Path
) -> None:
    conversation = await talked(store)
    assert await store.find_damaged_conversations() == []
    change(folder, "DELETE FROM blocks WHERE position = 3")

    assert await store.find_damaged_conversations() == [conversation]


async def test_nobody_is_told_of_damage_in_conversations_of_others(
    store: Store, folder: Path
) -> None:
    eva, rui = [await account(store, name, "admin") for name in ("Eva", "Rui")]
    store.enter(eva)
    conversation = await talked(store)
    change(folder, "DELETE FROM blocks WHERE position = 3")

    assert await store.find_damaged_conversations() == [conversation]
    store.enter(rui)
    assert await store.find_damaged_conversations() == []


GARBLED: tuple[Callable[[random.Random, str], str], ...] = (
    lambda chance, text: text[: chance.randrange(len(text) or 1)],
    lambda chance, text: "",
    lambda chance, text: " ",
    lambda chance, text: "null",
    lambda chance, text: "[]",
    lambda chance, text: '{"type": "text", "text": 5}',
    lambda chance, text: '{"type": "text", "text": " "}',
    lambda chance, text: '{"type": "tool_call", "id": "z", "name": "", "input": [1]}',
    lambda chance, text: '{"type": "tool_call", "id": "z", "name": "?", "input": {}}',
    lambda chance, text: '{"type": "tool_result", "call_id": "nobody", "content": ""}',
    lambda chance, text: '{"type": "context", "sections": {"avisos": 3}}',
    lambda chance, text: "".join(
        chr(chance.choice([0x22, 0x7B, 0x41, 0xE9, 0x1F600])) for _each in text
    ),
)
COLUMNS = {
    "messages": ("id", "conversation", "role", "created", "engine", '"end"', "is_superseded"),
    "blocks": ("message", "position", "kind", "form", "data"),
}
NUMBERS = (0, 1, -1, 7, 99, 1 << 40, (1 << 62) - 1, -(1 << 62))
INTEGERS = {"id", "conversation", "created", "is_superseded", "message", "position", "form"}


def damage_one_row(db: sqlite3.Connection, chance: random.Random) -> None:
    """Garble, empty or delete one row of messages or blocks, as SQLite lets anybody."""
    table = chance.choice(["messages", "blocks", "blocks"])
    (row,) = chance.choice(db.execute(f"SELECT rowid FROM {table}").fetchall())
    if chance.random() < 0.25:
        db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        return
    column = chance.choice(COLUMNS[table])
    if column in INTEGERS:
        value: object = chance.choice(NUMBERS)
        marks = "?"
    else:
        (before,) = db.execute(
            f"SELECT {column} FROM {table} WHERE rowid = ?",
            (row,),
        ).fetchone()
        value = chance.choice(GARBLED)(chance, str(before))
        marks = "?"
        if chance.random() < 0.2:  # no text at all
            value, marks = bytes(chance.choices(range(256), k=12)), "CAST(? AS TEXT)"
        elif column == "role":
            value = chance.choice(["user", "assistant", "", "system"])
    db.execute(
        f"UPDATE OR IGNORE {table} SET {column} = {marks} WHERE rowid = ?",
        (value, row),
    )


async def test_whatever_single_row_is_damaged_the_next_request_is_accepted(
    store: Store, folder: Path
) -> None:
    conversation = await talked(store)
    unended = await store.messages.add(conversation, "user", [Text("E agora?")])
    answer = await store.messages.add(conversation, "assistant")
    for position, block in enumerate(ANSWERS[1][:4]):
        await store.messages.put_block(answer.id, position, block)
    chance = random.Random(36)
    told = 0
    with closing(sqlite3.connect(folder / "qhub.db", isolation_level=None)) as db:
        tables = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in COLUMNS}
        for _damage in range(1_000):
            damage_one_row(db, chance)

            history = await store.messages.latest(conversation, limit=20)
            asked = Message(
                MessageId(unended.id + 100),
                "user",
                (Text("Continua?"),),
                unended.created,
                end="complete",
            )
            for messages in (history, [*history, asked]):
                request = request_of(*trim_history(messages, 20) or (asked,))
                body = json.loads(
                    json.dumps(
                        request_body(
                            request,
                            model="claude-x",
                            has_thinking=False,
                            passages=SentPassages(are_cited=True),
                        )
                    )
                )
                assert complaint(body, Issued()) == ""
            told += bool(notices(history))
            db.execute("BEGIN")
            for name, rows in tables.items():
                db.execute(f"DELETE FROM {name}")
                marks = ", ".join("?" for _cell in rows[0])
                db.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            db.execute("COMMIT")
    assert told > 500  # the others garbled to what was there, or an answer without end


async def test_a_call_whose_result_was_lost_may_have_run(store: Store) -> None:
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text("Regista.")])
    answer = await store.messages.add(made.id, "assistant")
    await store.messages.put_block(answer.id, 0, ToolCall("a", "registar_defeito", {}))

    (_asked, read) = await store.messages.latest(made.id)

    assert read.blocks[1] == ToolResult("a", INTERRUPTED, is_error=True)
    assert INTERRUPTED == {"erro": "interrompido; pode ter sido executado"}
