"""The agents of a station, edited by an administrator, over a real program."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.chat.agent_files import load_agents
from qhub_desktop.core.budget import Budget
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import Done, ToolUsed
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.person import Person as Account
from qhub_desktop.core.person import Role
from qhub_desktop.store.audit_words import detail_words, subject_words
from qhub_desktop.tools.agent_catalogue import AgentCatalogue, compare
from tests.chat.fakes import Person
from tests.conftest import LEAVING
from tests.program import offline_program
from tests.wire import Usage, WireServer, answer

SECRET = "uma frase longa"


@pytest.fixture
def program(home: Path, request: pytest.FixtureRequest) -> Program:
    made = offline_program(home)
    request.node.stash[LEAVING] = made.close
    return made


async def as_role(program: Program, role: Role) -> Account:
    """Sign somebody in, beside an administrator."""
    made = await program.accounts.add("ana", "admin", None, secret=SECRET)
    if role == "admin":
        program.enter(made.person)
        return made.person
    program.enter((await program.accounts.add("rui", role, None, secret=SECRET)).person)
    assert program.person is not None
    return program.person


async def test_an_edit_is_seen_at_once_by_whoever_holds_the_agents(program: Program) -> None:
    held, catalogue, heard = program.agents, program.agent_catalogue, list[str]()
    stop = catalogue.listen(lambda: heard.append(held["qualidade"].name))
    edited = replace(held["qualidade"], name="Pintura")
    saved = await catalogue.save(edited, after=0, note="outro nome")
    stop()
    await catalogue.restore("qualidade", 0)

    assert (saved.version, saved.agent, heard) == (1, edited, ["Pintura"])
    assert held["qualidade"].name == "Qualidade"
    assert catalogue.record("qualidade").is_as_shipped
    versions = await catalogue.versions("qualidade")
    assert [each.version.number for each in versions] == [2, 1, 0]
    assert versions[2].agent == held["qualidade"]


async def test_another_program_learns_of_an_edit(program: Program, home: Path) -> None:
    other = offline_program(home)
    agents = other.agents
    edited = replace(program.agents["qualidade"], name="Pintura")
    await program.agent_catalogue.save(edited, after=0)
    await other.agent_catalogue.reload()
    names = [each.name for each in agents.values()]
    with pytest.raises(UserError, match="version 1 of this agent"):
        await other.agent_catalogue.save(replace(edited, name="Z"), after=0)
    await other.close()

    assert names == ["Pintura", "Análise"]


async def test_nobody_but_an_administrator_sees_or_edits_agents(
    program: Program, tmp_path: Path
) -> None:
    await as_role(program, "operador")
    catalogue, agent = program.agent_catalogue, program.agents["qualidade"]
    with pytest.raises(UserError, match="Administrator"):
        catalogue.records()
    for refused in (
        lambda: catalogue.save(replace(agent, name="x"), after=0),
        lambda: catalogue.restore("qualidade", 0),
        lambda: catalogue.restore_shipped("qualidade"),
        lambda: catalogue.remove("qualidade"),
        lambda: catalogue.duplicate("qualidade"),
        lambda: catalogue.versions("qualidade"),
        lambda: catalogue.export("qualidade", tmp_path / "x"),
        lambda: catalogue.import_folder(tmp_path),
        lambda: catalogue.rehearse(agent, "olá", Person()),
    ):
        with pytest.raises(UserError, match="Administrator"):
            await refused()
    assert await program.store.agents.latest() == []
    assert not (tmp_path / "x").exists()


async def test_every_edit_stands_in_the_log(program: Program, tmp_path: Path) -> None:
    await as_role(program, "admin")
    catalogue = program.agent_catalogue
    await catalogue.save(replace(program.agents["qualidade"], privacy="nothing"), after=0)
    await catalogue.export("qualidade", tmp_path / "x")
    await catalogue.import_folder(tmp_path / "x", name="cabine")
    await catalogue.remove("cabine")
    told = await program.store.audit.listed()

    assert [(each.person, each.action, each.subject, each.detail.get("how")) for each in told][
        :4
    ] == [
        ("ana", "agent", "cabine", "removed"),
        ("ana", "agent", "cabine", "imported"),
        ("ana", "export", "agent qualidade", None),
        ("ana", "agent", "qualidade", "edited"),
    ]
    assert [detail_words(each) for each in told][:4] == [
        "Version 2: removed.",
        "Version 1: from the folder x.",
        f"To {tmp_path / 'x'}.",
        "Version 1. Changed: privacy.",
    ]
    assert subject_words(told[2]) == "agent qualidade"


async def test_a_copy_has_the_tools_of_its_original(program: Program) -> None:
    catalogue = program.agent_catalogue
    copies = [(await catalogue.duplicate("analise")).agent for _number in range(2)]

    assert [each and (each.id, each.name) for each in copies] == [
        ("analise-2", "Análise (2)"),
        ("analise-3", "Análise (3)"),
    ]
    tools = program.agents["analise"].tools_of(program.tools)
    assert program.agents["analise-2"].tools_of(program.tools) == tools
    assert list(program.agents) == ["qualidade", "analise", "analise-2", "analise-3"]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({"registar_defeito": "always"}, "always asked first"),
        ({"registar_defeitos": "never"}, "no tool 'registar_defeitos'"),
        ({"data": "never"}, "no tool 'data'"),
    ],
)
async def test_a_rule_that_would_open_or_miss_something_is_refused(
    program: Program, rules: dict[str, str], told: str
) -> None:
    agent = replace(program.agents["qualidade"], rules=rules)  # type: ignore[arg-type]  # as read
    with pytest.raises(UserError, match=told):
        await program.agent_catalogue.save(agent, after=0)
    assert program.agents["qualidade"].rules == {}


async def test_one_that_was_removed_can_be_read_and_restored_but_not_asked(
    program: Program,
) -> None:
    catalogue, person = program.agent_catalogue, Person()
    talk = (await program.store.conversations.create("qualidade")).id
    await program.turns.reply(talk, "quantos defeitos?", audience=person)
    await catalogue.remove("qualidade")
    with pytest.raises(UserError, match="last agent"):
        await catalogue.remove("analise")
    await program.turns.reply(talk, "e por turno?", audience=person)
    messages = await program.store.messages.latest(talk)
    restored = await catalogue.restore("qualidade", 0)

    assert person.saw[-1] == Done("failed")
    assert len(messages) == 3  # nothing that was typed is lost
    assert "200" in messages[1].text
    copy = await catalogue.duplicate("analise")
    await catalogue.remove(copy.id)
    assert catalogue.name_of(copy.id) == "Análise (2)"
    assert restored.is_as_shipped
    assert list(program.agents) == ["qualidade", "analise"]


async def test_one_that_can_not_be_read_is_left_out_and_not_taken_as_it_ships(
    home: Path,
) -> None:
    first = offline_program(home)
    closed = replace(first.agents["qualidade"], privacy="nothing")
    await first.agent_catalogue.save(closed, after=0)
    await first.close()
    with closing(sqlite3.connect(home / "qhub.db")) as db:
        db.execute(
            "UPDATE agent_versions SET content = replace(content, 'nothing', 'none')"
            " WHERE number = 1"
        )
        db.commit()
    program = offline_program(home)
    record = program.agent_catalogue.record("qualidade")
    there = list(program.agents)
    await program.agent_catalogue.restore("qualidade", 0)
    back = list(program.agents)
    await program.close()

    assert there == ["analise"]
    assert "privacy" in record.problem
    assert not record.is_removed
    assert back == ["qualidade", "analise"]


async def test_an_edited_agent_stays_as_it_is_when_another_one_ships(
    program: Program, tmp_path: Path
) -> None:
    edited = replace(program.agents["qualidade"], name="Pintura")
    await program.agent_catalogue.save(edited, after=0)
    assert await program.agent_catalogue.outdated() == set()
    release = tmp_path / "agents"
    shutil.copytree(RESOURCES / "agents", release)
    (release / "qualidade" / "prompt.md").write_text("Outro.", "utf-8")
    later = AgentCatalogue(
        program.store,
        release,
        person=lambda: None,
        tools=lambda: program.tools,
        turns=lambda: program.turns,
    )
    later.load_now()

    assert later.agents["qualidade"] == edited
    assert await later.outdated() == {"qualidade"}
    restored = (await later.restore_shipped("qualidade")).agent
    assert restored is not None
    assert restored.prompt == "Outro."
    original = await later.version("qualidade", 0)
    assert original.prompt != "Outro."


async def test_a_draft_answers_its_question_and_leaves_nothing_behind(program: Program) -> None:
    draft = replace(program.agents["qualidade"], name="Rascunho", rules={"gerar_kpi": "ask"})
    person = Person()
    await program.agent_catalogue.rehearse(draft, "quantos defeitos há?", person)
    await program.agent_catalogue.rehearse(draft, "faz um painel com os defeitos por turno", person)

    assert [each for each in person.saw if isinstance(each, Done)] == [Done("complete")] * 2
    used = {each.call.name: each.result.content for each in person.all(ToolUsed)}
    assert "200" in str(used["contar_defeitos"])
    assert "nada foi feito" in str(used["gerar_dashboard"])
    assert await program.store.dashboards.listed() == []
    assert await program.store.conversations.listed(include_archived=True) == []
    assert await program.store.agents.latest() == []


async def test_a_draft_that_asks_claude_is_counted_and_kept_to_the_budgets(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = answer("Bom dia.", usage=Usage(1000, 500))
    with WireServer([reply]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        program = Program(engine="claude")
        draft = replace(program.agents["qualidade"], prompt="Fala de pintura.")
        question = "descreve o que se passou nesta semana"
        await program.agent_catalogue.rehearse(draft, question, Person())
        await program.store.costs.set_budget(Budget("agent", "qualidade", "day", 0.0))
        refused = Person()
        await program.agent_catalogue.rehearse(draft, question, refused)
        (spent,) = await program.store.costs.totals("agent")
        await program.close()

    assert len(server.requests) == 1
    assert "Fala de pintura." in str(server.requests[0].body["system"])
    assert (spent.key, spent.input_tokens) == ("qualidade", 1000)
    assert refused.saw[-1] == Done("failed")


async def test_an_existing_folder_is_not_overwritten_unasked(
    program: Program, tmp_path: Path
) -> None:
    catalogue = program.agent_catalogue
    await catalogue.export("analise", tmp_path / "x")
    with pytest.raises(UserError, match="already"):
        await catalogue.export("qualidade", tmp_path / "x")
    await catalogue.export("qualidade", tmp_path / "x", is_replacing=True)

    assert (await catalogue.import_folder(tmp_path / "x")).id == "qualidade"


def test_a_comparison_shows_what_was_added_and_removed() -> None:
    agent = load_agents(RESOURCES / "agents")["qualidade"]
    before = replace(agent, prompt="\n".join(f"linha {number}" for number in range(20)))
    other = replace(before, prompt=before.prompt.replace("linha 9", "linha nova"))

    lines = compare(before, other)
    assert ("removed", "linha 9") in lines
    assert ("added", "linha nova") in lines
    assert len(lines) == 7
    assert compare(other, other) == []
