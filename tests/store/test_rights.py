"""Everything that an administrator alone may do, and every new turn, after another program has
disabled, demoted or reset the account of whoever does it in an open one.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qhub_desktop.core import keystore
from qhub_desktop.core.budget import Budget
from qhub_desktop.core.errors import SessionOverError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.store import Store
from qhub_desktop.store import __file__ as store_file
from qhub_desktop.store.backups import make
from qhub_desktop.tools.audit_files import export_audit
from tests.chat.fakes import Person
from tests.conftest import LEAVING
from tests.program import offline_program
from tests.store.second_program import DEFECT
from tests.store.test_people import account

if TYPE_CHECKING:
    from qhub_desktop.app import Program

BUDGET = Budget("station", "", "day", 1.0)
Act = Callable[["Program", Path], Awaitable[object]]


async def _restore(program: Program, _folder: Path) -> None:
    program.restore(make(program.store.path, "manual"))


async def _other_agent(program: Program, folder: Path) -> None:
    shutil.copytree(RESOURCES / "agents" / "qualidade", folder / "other")
    await program.agent_catalogue.import_folder(folder / "other")


async def _setting(program: Program, _folder: Path) -> None:
    kept = program.store.settings.load_now()
    await program.store.settings.save({**kept, "rounds": 3})


ADMINISTRATORS: dict[str, Act] = {
    "an account made": lambda p, _: p.accounts.add("zoe", "admin", None),
    "a role": lambda p, _: p.store.people.change("rui", "admin", None),
    "an account disabled": lambda p, _: p.store.people.set_disabled("rui", is_disabled=True),
    "a password reset": lambda p, _: p.store.people.reset_secret("rui", secret="x", kind="pin"),
    "the accounts": lambda p, _: p.store.people.listed(),
    "conversations that are nobody's": lambda p, _: p.store.people.unclaimed(),
    "a budget": lambda p, _: p.store.costs.set_budget(BUDGET),
    "budgets": lambda p, _: p.store.costs.set_budgets("person", "rui", {"day": 1.0}),
    "a budget taken away": lambda p, _: p.store.costs.remove_budget("station", "", "day"),
    "the budgets": lambda p, _: p.store.costs.all_standings(),
    "what somebody spent": lambda p, _: p.store.costs.spendings("person", "rui"),
    "everybody's costs": lambda p, _: p.store.costs.totals("person"),
    "a conversation handed over": lambda p, _: p.store.people.hand_over(
        ConversationId("ab"), "ana"
    ),
    "a setting": _setting,
    "audited reading": lambda p, _: p.store.settings.save(
        {**p.store.settings.load_now(), "is_audited_reading": True}
    ),
    "conversations of others": lambda p, _: p.store.audited_reading(p.chosen.policy).listed("rui"),
    "one of them": lambda p, _: p.store.audited_reading(p.chosen.policy).read(
        "rui", ConversationId("ab")
    ),
    "the log": lambda p, _: p.store.audit.listed(),
    "the log verified": lambda p, _: p.store.audit.verify(),
    "the log exported": lambda p, folder: export_audit(p.store.audit, folder / "log.csv"),
    "an agent edited": lambda p, _: p.agent_catalogue.save(
        replace(p.agents["qualidade"], name="X"), after=0
    ),
    "an agent restored": lambda p, _: p.agent_catalogue.restore("qualidade", 0),
    "an agent as it ships": lambda p, _: p.agent_catalogue.restore_shipped("qualidade"),
    "an agent removed": lambda p, _: p.agent_catalogue.remove("qualidade"),
    "an agent copied": lambda p, _: p.agent_catalogue.duplicate("qualidade"),
    "an agent taken in": _other_agent,
    "an agent exported": lambda p, folder: p.agent_catalogue.export("qualidade", folder / "x"),
    "an agent tried out": lambda p, _: p.agent_catalogue.rehearse(
        p.agents["qualidade"], "olá", Person()
    ),
    "versions of an agent": lambda p, _: p.agent_catalogue.versions("qualidade"),
    "agents that ship anew": lambda p, _: p.agent_catalogue.outdated(),
    "a key": lambda p, _: p.save_key("sk-ant-" + "x" * 20),
    "a login of the proxy": lambda p, _: p.network.save_login("ana", "x"),
    "a host without encryption": lambda p, _: p.allow_unencrypted("example.org"),
    "a safety copy": _restore,
}
EVERYBODY: dict[str, Act] = {
    "a conversation": lambda p, _: p.store.conversations.create("qualidade"),
    "a defect": lambda p, _: p.store.defects.add(DEFECT),
    "an append taken back": lambda p, _: p.store.defects.take_back(1),
    "how the program looks": lambda p, _: p.store.settings.save(
        {**p.store.settings.load_now(), "theme": "dark"}
    ),
}


@pytest.fixture
def program(home: Path, request: pytest.FixtureRequest) -> Program:
    """An open program, which ana, an administrator, uses."""
    keystore.keep_for_session()
    made = offline_program(home)

    async def leave() -> None:
        await made.close()
        keystore.leave()

    request.node.stash[LEAVING] = leave
    return made


async def people_of(program: Program) -> None:
    """Ana, who works there, eva, an administrator too, and rui."""
    people = program.store
    ana = await account(people, "ana", "admin")
    await account(people, "eva", "admin")
    await account(people, "rui")
    program.enter(ana)


CHANGES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "disabled": lambda other: other.people.set_disabled("ana", is_disabled=True),
    "demoted": lambda other: other.people.change("ana", "operador", None),
    "reset": lambda other: other.people.reset_secret("ana", secret="x", kind="password"),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_nothing_is_done_any_more_with_an_account_that_another_program_changed(
    program: Program, home: Path, tmp_path: Path, change: str
) -> None:
    await people_of(program)
    talk = await program.store.conversations.create("qualidade")
    turns = program.turns
    other = Store.open(home)
    other.enter(await other.people.find("eva"))
    await CHANGES[change](other)
    before, refused = _contents(other), list[str]()

    for name, act in (ADMINISTRATORS | EVERYBODY).items():
        with pytest.raises(SessionOverError, match="The account ana was"):
            await act(program, tmp_path)
        refused.append(name)
    with pytest.raises(SessionOverError):
        await turns.reply(talk.id, "quantos defeitos?", audience=Person())
    with pytest.raises(SessionOverError):
        await program.outbox.put(talk.id, "quantos?")

    assert refused == [*ADMINISTRATORS, *EVERYBODY]
    assert _contents(other) == before
    assert program.wanted_restore is None
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "log.csv").exists()
    other.close()


async def test_an_administrator_may_do_all_of_it_and_an_operator_nothing(
    program: Program, tmp_path: Path
) -> None:
    await people_of(program)
    ana = program.person
    assert ana is not None
    rui = await program.store.people.find("rui")
    agents = dict(program.agents)
    program.store.enter(rui)
    for name, act in ADMINISTRATORS.items():
        if "agent" in name or "one of them" in name:
            continue  # asked by the catalogue, which knows its person; of nobody's conversation
        with pytest.raises(UserError, match="Administrator") as refused:
            await act(program, tmp_path)
        assert not isinstance(refused.value, SessionOverError), name
    program.store.enter(ana)
    kept = program.store.settings.load_now()
    await program.store.settings.save({**kept, "is_audited_reading": True})
    for name in (
        "an account made",
        "a role",
        "the log",
        "the log exported",
        "a key",
        "an agent edited",
    ):
        await ADMINISTRATORS[name](program, tmp_path)
    assert program.agents["qualidade"].name != agents["qualidade"].name


async def test_a_program_of_nobody_does_nothing_once_another_has_made_accounts(
    program: Program, home: Path, tmp_path: Path
) -> None:
    other = Store.open(home)
    await account(other, "ana", "admin")
    for act in (ADMINISTRATORS | EVERYBODY).values():
        with pytest.raises(SessionOverError, match="People sign in here now"):
            await act(program, tmp_path)
    other.close()


async def test_ones_own_new_password_ends_the_other_programs_and_not_this_one(
    program: Program, home: Path
) -> None:
    await people_of(program)
    other = Store.open(home)
    other.enter(program.person)
    assert program.person is not None
    await program.store.people.replace_own_secret(program.person, secret="x", kind="password")
    await program.store.conversations.create("qualidade")
    with pytest.raises(SessionOverError, match="Sign in again"):
        await other.conversations.create("qualidade")
    other.close()


def _contents(store: Store) -> list[str]:
    """Return all that is stored, but for the log of what was refused."""

    def dump(db: object) -> list[str]:
        lines: list[str] = [*db.iterdump()]  # type: ignore[attr-defined]
        return [line for line in lines if "INSERT INTO" in line and '"state"' not in line]

    return store.settings.database.run_now(dump)


# What a program keeps for itself, whoever uses it, or of work that was let begin.
OF_THE_PROGRAM = {
    "agents": set[str](),
    "audit_repository": {"add", "add_export"},
    "conversations": {"set_unread", "purge"},
    "costs": {"claim_warning", "reserve"},
    "dashboards": {"keep_rows", "keep_thumbnail"},
    "datasets": {
        "pin",
        "unpin",
        "rename",
        "set_used",
        "replace",
        "keep_reading",
        "keep_told_figures",
        "forget_released",
    },
    "defects": {"keep_mapping"},
    "documents": {"add_found", "copy_attachments", "record", "fail", "note_look", "note_read"},
    "messages": {"put_block", "end", "add_usage"},
    "monitors": {"record", "note_problem"},
    "outbox": {"recover", "release", "fail", "finish", "note_error"},
    "people": {"begin_try", "refuse", "succeed"},
    "point_notes": set[str](),
    "questions": {"add", "settle", "give_up"},
    "sent": {"add", "add_usage", "sweep"},
    "settings": {"save_state"},
    "audited_reading": {"listed", "read"},  # which ask by themselves
}


def test_every_write_asks_whose_it_is_or_is_the_programs_own() -> None:
    unasked: dict[str, set[str]] = {}
    for file in Path(store_file).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = [ast.unparse(each) for each in node.decorator_list]
                if "writes" in marks and not any(each.startswith("requires(") for each in marks):
                    unasked.setdefault(file.stem, set()).add(node.name)
    assert unasked == {file: names for file, names in OF_THE_PROGRAM.items() if names}
