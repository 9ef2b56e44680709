"""One person's data: whose they are by the schema, and gone from every file when they go."""

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from qhub_desktop.core.budget import Budget
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dashboard import DashboardSpec, NamedQuery
from qhub_desktop.core.errors import SessionOverError, UserError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Clarification, Text, ToolCall, ToolResult
from qhub_desktop.core.paths import EXPORTS
from qhub_desktop.core.patterns import Subject
from qhub_desktop.core.person import Person
from qhub_desktop.core.study import PointNote
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.store import Store
from qhub_desktop.store.backups import SafetyCopies
from qhub_desktop.store.database import connect, now_us
from qhub_desktop.store.deletion import DAY_US
from qhub_desktop.tools.deletion import Deletion
from tests.program import offline_program
from tests.store.conftest import faults
from tests.store.test_people import account
from tests.store.test_several_programs import started

MARKER = "Zwetschgenkuchen"
PERSONAL = {"owner", "person", "conversation", "message", "author", "user", "dashboard", "memory"}
# What stays, and why: a sum of the costs; a dashboard that others see; what the guard did, which
# whoever asked must not take out of the record.
STAYS = {("usage", "message"), ("dashboards", "conversation"), ("moderation", "conversation")}
# The log only grows, and tells by name who did what.
UNCHANGED = {("audit", "person")}


def test_no_table_keeps_what_is_a_persons_once_they_are_gone(store: Store, folder: Path) -> None:
    store.close()
    with closing(connect(folder / "qhub.db")) as db:
        tables = [
            name
            for (name,) in db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%search%'"
            )
        ]
        (leaving,) = db.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'people_leaving'"
        ).fetchone()
        seen = 0
        for table in tables:
            keys = {row[3]: row[6] for row in db.execute(f"PRAGMA foreign_key_list({table})")}
            columns = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
            goes = "CASCADE" in keys.values()
            for column in PERSONAL.intersection(columns):
                seen += 1
                place = (table, column)
                if place in UNCHANGED:
                    continue
                if column in keys:
                    assert keys[column] == ("SET NULL" if place in STAYS else "CASCADE"), place
                    assert column in first_columns(db, table), f"{place} is looked up by scanning"
                elif column == "owner":
                    assert keys.get("person") == "CASCADE" or f"UPDATE {table} " in leaving, place
                else:
                    assert goes or f"UPDATE {table} " in leaving, place
    assert seen > 15


def first_columns(db: sqlite3.Connection, table: str) -> set[str]:
    """The columns by which rows are found at once."""
    found = {
        row[1]
        for row in db.execute(f"PRAGMA table_xinfo({table})")
        if row[5] == 1  # of the primary key
    }
    for _at, index, _unique, _origin, is_partial in db.execute(f"PRAGMA index_list({table})"):
        if not is_partial:
            found.add(db.execute(f"PRAGMA index_info({index})").fetchone()[2])
    return found


async def leave_traces(store: Store, count: int) -> list[ConversationId]:
    """Leave something in each place of what an account can say; the conversations."""
    talks = []
    for number in range(count):
        talk = (await store.conversations.create("analise")).id
        await store.messages.add(talk, "user", [Text(f"{MARKER} {number}?")])
        said = await store.messages.add(talk, "assistant", [Text(f"Sim, {MARKER}.")])
        await store.messages.end(said.id, "complete", engine="claude")
        await store.datasets.pin(talk, f"{number:012x}-1", MARKER)
        talks.append(talk)
    answer = await store.messages.add(talks[-1], "assistant", [Text(MARKER)])
    await store.messages.add_usage(answer.id, UsageCounted("m", 10, 10, 0, 0, 0.25))
    await store.messages.end(answer.id, "complete", engine="claude")
    await store.memories.edit(f"/memories/{MARKER.lower()}", lambda _text: MARKER, origin="person")
    await store.datasets.keep_told_figures(talks[0], "0" * 12 + "-1", {"a": MARKER}, after=0)
    await store.outbox.put(talks[0], f"{MARKER} depois?")
    book = ToolResult("c1", {"estado": "gravado", "ficheiro": f"{MARKER}.xlsx"})
    await store.messages.add(talks[0], "assistant", [ToolCall("c1", "exportar_excel", {}), book])
    exports = store.path.parent / EXPORTS
    exports.mkdir(exist_ok=True)
    (exports / f"{MARKER}.xlsx").write_text(MARKER, encoding="utf-8")
    await store.questions.add(talks[0], answer.id, Clarification(f"{MARKER}?", ()), most=3)
    await store.settings.save_state(f"draft/{talks[0]}", MARKER)
    await store.settings.save_state("draft/new/analise", MARKER)
    await store.patterns.refuse(MARKER)
    reading = await store.patterns.begin_reading("analise")
    await store.messages.put_block(reading, 0, Text(MARKER))
    await store.messages.end(reading, "complete", engine="claude")
    await store.patterns.keep_subjects([Subject(MARKER, (MARKER,))])
    await store.conversations.set_deleted(talks[1], is_deleted=True)
    body: JsonObject = {
        "system": [{"type": "text", "text": "Regras de todos."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": MARKER}]}],
    }
    for sent_for in (answer.id, reading):
        await store.sent.add(host="h", path="/v1", model="m", body=body, message=sent_for, days=30)
    return talks


def rows_of(folder: Path, owner: int) -> dict[str, str]:
    """The digest of all that is one account's, by table."""
    of = "conversation IN (SELECT number FROM conversations WHERE owner = ?)"
    among = f"message IN (SELECT id FROM messages WHERE {of})"
    wanted = {
        "conversations": "owner = ?",
        **dict.fromkeys(("messages", "pins", "outbox", "questions", "told_figures"), of),
        **dict.fromkeys(("blocks", "texts", "usage", "sent"), among),
    }
    with closing(connect(folder / "qhub.db")) as db:
        found = {}
        for table, condition in wanted.items():
            rows = db.execute(f"SELECT * FROM {table} WHERE {condition} ORDER BY 1, 2", (owner,))
            listed = rows.fetchall()
            found[table] = f"{len(listed)} {hashlib.sha256(repr(listed).encode()).hexdigest()}"
        return found


def holding(folder: Path, marker: str) -> list[str]:
    """The files in which a word stands, in capitals or not."""
    return [
        each.relative_to(folder).as_posix()
        for each in folder.rglob("*")
        if each.is_file() and marker.lower().encode() in each.read_bytes().lower()
    ]


@pytest.fixture
def make_deletion(store: Store, folder: Path) -> Callable[[], Deletion]:
    """What deletes for good, over a workspace of nothing."""

    def make() -> Deletion:
        workspace = Workspace(folder / "workspace")
        return Deletion(store, lambda: workspace, SafetyCopies(store.path))

    return make


async def station(store: Store) -> tuple[Person, Person, Person]:
    """An administrator, one who goes and one who stays."""
    ana = await account(store, "ana", "admin")
    return ana, await account(store, "rui"), await account(store, "eva")


async def test_one_of_two_goes_and_nothing_of_theirs_is_in_any_file(
    store: Store, folder: Path, make_deletion: Callable[[], Deletion]
) -> None:
    ana, rui, eva = await station(store)
    store.enter(eva)
    for number in range(200):
        made = (await store.conversations.create("qualidade")).id
        await store.messages.add(made, "user", [Text(f"quantos defeitos {number}?")])
    talk = (await store.conversations.listed())[0].id
    kept_answer = await store.messages.add(talk, "assistant", [Text("São 200.")])
    body: JsonObject = {
        "system": [{"type": "text", "text": "Regras de todos."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "quantos?"}]}],
    }
    kept = await store.sent.add(
        host="h", path="/v1", model="m", body=body, message=kept_answer.id, days=30
    )
    store.enter(rui)
    await leave_traces(store, 200)
    before = rows_of(folder, eva.id)
    assert before["conversations"].startswith("200 ")
    assert "qhub.db" in " ".join(holding(folder, MARKER))

    store.enter(ana)
    counted = await store.personal_data.counts_of("rui")
    # Only counted; one conversation is of a model that read the questions.
    assert rows_of(folder, rui.id)["conversations"].startswith("201 ")
    deleted = await make_deletion().delete_person("rui")

    assert deleted.is_complete
    assert deleted.rows == counted
    assert (deleted.rows["people"], deleted.rows["conversations"]) == (1, 201)
    assert (deleted.rows["messages"], deleted.rows["texts"]) == (403, 402)
    assert holding(folder, MARKER) == []
    assert [*(folder / EXPORTS).iterdir()] == []
    assert (folder / "qhub.db-wal").stat().st_size == 0
    assert rows_of(folder, eva.id) == before
    assert faults(folder) == []
    store.enter(eva)
    assert await store.sent.body(kept) == body
    with closing(connect(folder / "qhub.db")) as db:
        assert db.execute("SELECT count(*) FROM sent_parts").fetchone() == (2,)
        assert db.execute("SELECT count(*) FROM conversations").fetchone() == (200,)


@pytest.mark.parametrize(
    "step", ["the rows", "the data sets", "the list of data sets", "the pages of the file"]
)
async def test_a_deletion_that_is_killed_after_a_step_goes_on_at_the_next_start(
    folder: Path, step: str
) -> None:
    store = Store.open(folder)
    await account(store, "ana", "admin")
    store.enter(await account(store, "rui"))
    await leave_traces(store, 3)
    store.close()
    child = started("delete", folder, step)
    assert child.stdout is not None
    assert child.stdout.readline().strip() == b"there"
    child.kill()
    child.communicate()

    program = offline_program(folder)
    try:
        await program.warm()

        assert not await program.store.is_deletion_due()
        assert await program.store.leaving_files() == []
        with pytest.raises(UserError):
            await program.store.people.find("rui")
    finally:
        await program.close()
    assert holding(folder, MARKER) == []
    assert [*(folder / EXPORTS).iterdir()] == []
    assert faults(folder) == []


async def test_what_others_see_and_the_plants_sums_stay(
    store: Store, folder: Path, make_deletion: Callable[[], Deletion]
) -> None:
    ana, rui, _eva = await station(store)
    for scope, name in (("station", ""), ("agent", "analise"), ("person", "rui")):
        await store.costs.set_budget(Budget(scope, name, "day", 5.0))  # type: ignore[arg-type]
    store.enter(rui)
    talks = await leave_traces(store, 3)
    page = DashboardSpec("Turnos", "<p></p>", (NamedQuery("n", "SELECT 1", talks[2]),))
    boards = [
        await store.dashboards.create(page, author="rui", agent="analise", conversation=talks[2])
        for _each in range(2)
    ]
    await store.dashboards.show_to(boards[0].id, "station")
    note = PointNote("p", "pistola", "limpa", "rui", datetime.now().astimezone())
    await store.point_notes.add("chart", note)

    store.enter(ana)
    spent = await store.messages.spent_today()
    await make_deletion().delete_person("rui")

    assert spent == 0.25
    assert await store.messages.spent_today() == spent
    standings = {each.budget.scope: each.spent_usd for each in await store.costs.all_standings()}
    assert standings == {"station": 0.25, "agent": 0.25}
    assert [each.key for each in await store.costs.totals("agent")] == ["analise"]
    assert [each.key for each in await store.costs.totals("person")] == [""]
    (shared,) = await store.dashboards.listed()
    assert (shared.id, shared.author) == (boards[0].id, f"#{rui.id}")
    assert [each.author for each in await store.dashboards.versions(shared.id)] == [shared.author]
    assert (await store.point_notes.of("chart"))[0].by == f"#{rui.id}"
    # Its data stay with it, and nothing that was said.
    assert shared.conversation == talks[2]
    assert len(await store.datasets.pinned(talks[2])) == 1
    assert await store.dashboards.state_of_data([talks[2]])
    assert await store.people.unclaimed() == []
    assert [each.id for each in await store.conversations.listed()] == []
    with pytest.raises(UserError):
        await store.people.find("rui")
    assert faults(folder) == []


async def test_an_account_that_was_deleted_ends_in_every_program(store: Store) -> None:
    ana, rui, _eva = await station(store)
    other = Store.open(store.path.parent)
    try:
        other.enter(rui)
        talk = await other.conversations.create("analise")
        answer = (await other.messages.add(talk.id, "assistant", [Text("um ")])).id
        store.enter(ana)
        await store.personal_data.delete("rui")
        with pytest.raises(SessionOverError):
            await other.conversations.create("analise")
        with pytest.raises(UserError):
            await other.messages.add(talk.id, "user", [Text("ainda?")])
        # An answer that was under way ends, and what it cost counts.
        with pytest.raises(UserError):
            await other.messages.put_block(answer, 0, Text("um dois"))
        await other.messages.add_usage(answer, UsageCounted("m", 1, 1, 0, 0, 0.5))
        await other.messages.end(answer, "failed", engine="claude")
        assert await store.messages.spent_today() == 0.5
    finally:
        other.close()


async def test_only_an_administrator_deletes_and_never_the_last_one(store: Store) -> None:
    ana, rui, _eva = await station(store)
    store.enter(rui)
    for refused in (
        lambda: store.personal_data.delete("eva"),
        lambda: store.personal_data.counts_of("eva"),
        lambda: store.personal_data.begin_export("eva", "eva.zip"),
        lambda: store.personal_data.said_in("eva", ConversationId("0a")),
        lambda: store.personal_data.rows_of("eva"),
    ):
        with pytest.raises(UserError):
            await refused()
    store.enter(ana)
    with pytest.raises(UserError, match="last administrator"):
        await store.personal_data.delete("ana")
    assert [each.name for each in await store.people.listed()] == ["ana", "eva", "rui"]


async def test_a_deleted_conversation_comes_back_for_a_month_and_then_is_gone(
    store: Store,
    folder: Path,
    make_deletion: Callable[[], Deletion],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talks = await leave_traces(store, 3)
    now = now_us()
    for days, is_due in ((29, False), (31, True)):
        for module in ("deletion", "conversations"):
            later = now + days * DAY_US
            monkeypatch.setattr(f"qhub_desktop.store.{module}.now_us", lambda later=later: later)
        assert await store.is_deletion_due() is is_due
        await make_deletion().sweep()
        if not is_due:
            await store.conversations.set_deleted(talks[1], is_deleted=False)
            await store.conversations.find(talks[1])
            monkeypatch.setattr("qhub_desktop.store.conversations.now_us", now_us)
            await store.conversations.set_deleted(talks[1], is_deleted=True)
    assert not await store.is_deletion_due()
    with pytest.raises(UserError):
        await store.conversations.set_deleted(talks[1], is_deleted=False)
    assert len(await store.conversations.listed()) == 2
    await make_deletion().delete_conversation(talks[0])
    await make_deletion().delete_conversation(talks[2])
    await store.settings.save_state("draft/new/analise", None)  # the station's own
    await make_deletion().sweep()
    monkeypatch.undo()
    assert holding(folder, f"{MARKER} ") == []
    assert faults(folder) == []


async def test_a_deletion_that_another_program_holds_up_goes_on_later(
    store: Store, folder: Path, make_deletion: Callable[[], Deletion]
) -> None:
    talks = await leave_traces(store, 2)
    with closing(connect(folder / "qhub.db")) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM messages").fetchone()
        deleted = await make_deletion().delete_conversation(talks[0])
        assert not deleted.is_complete
        assert "next time" in deleted.notice
        assert await store.is_deletion_due()
        reading.execute("ROLLBACK")
    await make_deletion().sweep()
    assert not await store.is_deletion_due()


async def test_a_draft_of_one_is_not_shown_to_another(store: Store) -> None:
    _ana, rui, eva = await station(store)
    store.enter(rui)
    await store.settings.save_state("draft/new/analise", "meu")
    store.enter(eva)
    assert store.settings.state_now("draft/new/analise") is None
    store.enter(rui)
    assert await store.settings.state("draft/new/analise") == "meu"


async def test_nobody_rates_or_reads_the_answer_of_somebody_else(store: Store) -> None:
    _ana, rui, eva = await station(store)
    store.enter(rui)
    talk = await store.conversations.create("analise")
    answer = (await store.messages.add(talk.id, "assistant", [Text("um")])).id
    await store.messages.add_usage(answer, UsageCounted("m", 1, 1, 0, 0, 0.5))
    store.enter(eva)
    with pytest.raises(UserError):
        await store.messages.rate(answer, 1)
    with pytest.raises(UserError):
        await store.messages.supersede(answer)
    assert await store.messages.usage(answer) == []
    store.enter(rui)
    await store.messages.rate(answer, -1)
    assert [each.rating for each in await store.messages.latest(talk.id)] == [-1]
    assert len(await store.messages.usage(answer)) == 1
