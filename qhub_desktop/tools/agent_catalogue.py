"""The agents of a station: those that ship, as they were edited here, by whom and when."""

# Why it is so: decisions/agents.md

from __future__ import annotations  # the public class comes first

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from qhub_desktop.chat.agent_files import (
    ICON,
    LONGEST_ID,
    LONGEST_NAME,
    PROMPT,
    TOML,
    agent_from,
    content_of,
    in_order,
    load_agents,
    read_folder,
    toml_of,
    write_folder,
)
from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import ADMINS, Person, check_role
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.core.events import Audience
    from qhub_desktop.core.tool import Tool
    from qhub_desktop.store import Store
    from qhub_desktop.store.agents import AgentVersion

HOW = Literal["edited", "restored", "copied", "imported", "removed"]


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent as an administrator sees it.

    `agent` is None where it was removed, or where its version cannot be read, for the reason in
    `problem`. `version` is 0 for one that is as it ships.
    """

    id: str
    agent: Agent | None
    version: int
    shipped: Agent | None
    problem: str = ""
    last_name: str = ""

    @property
    def name(self) -> str:
        """Name to show, also of one that is not there any more."""
        known = self.agent or self.shipped
        return self.last_name or (known.name if known is not None else self.id)

    @property
    def is_removed(self) -> bool:
        """Whether somebody has removed it."""
        return self.agent is None and not self.problem

    @property
    def is_as_shipped(self) -> bool:
        """Whether it is what ships, edited or not."""
        return self.agent is not None and self.agent == self.shipped


@dataclass(frozen=True, slots=True)
class EarlierAgent:
    """An agent as it was from one version on; None where it was removed, or cannot be read."""

    version: AgentVersion
    agent: Agent | None


class AgentCatalogue:
    """All agents, and those of the person who uses the program.

    `agents` is one mapping for good, by id, which changes when an agent does; so does what whoever
    holds it shows with the next conversation. What edits is for administrators, and raises
    UserError for others.
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        *,
        person: Callable[[], Person | None],
        tools: Callable[[], Mapping[str, Tool]],
        turns: Callable[[], TurnRunner],
    ) -> None:
        self._store = store
        self._folder = folder
        self._person = person
        self._tools = tools
        self._turns = turns
        self._shipped: dict[str, Agent] = {}
        self._latest: list[AgentVersion] = []
        self._records: dict[str, AgentRecord] = {}
        self._listeners: list[Callable[[], object]] = []
        self.agents: dict[str, Agent] = {}

    def load_now(self) -> None:
        """Read all agents. Blocks: for start-up. Raises UserError for damaged files that ship."""
        self._shipped = load_agents(self._folder)
        self._take(self._store.agents.latest_now())

    async def reload(self) -> None:
        """Read again what may have been edited in another program, and tell who listens."""
        latest = await self._store.agents.latest()
        if latest != self._latest:
            self._take(latest)
            for listener in tuple(self._listeners):
                listener()

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` after every change; what comes back ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def name_of(self, id_: str) -> str:
        """Return the name of an agent, also of one that was removed."""
        record = self._records.get(id_)
        return record.name if record is not None else id_

    @property
    def senders(self) -> set[str]:
        """Agents, whoever may use them, from which something may leave this computer."""
        known = (each.agent for each in self._records.values())
        return {each.id for each in known if each is not None and each.privacy != "nothing"}

    @property
    def tools(self) -> Mapping[str, Tool]:
        """All tools that there are. The first use loads them."""
        return self._tools()

    def records(self) -> list[AgentRecord]:
        """List all agents, those that were removed too."""
        self._check_role()
        return [*self._records.values()]

    def record(self, id_: str) -> AgentRecord:
        """Return one agent. Raises UserError if there is none."""
        self._check_role()
        if id_ not in self._records:
            raise UserError(
                _("There is no agent '{name}'. There are: {names}.").format(
                    name=id_, names=", ".join(self._records)
                )
            )
        return self._records[id_]

    async def outdated(self) -> set[str]:
        """Return the agents of which another version ships now than the one that was edited."""
        self._check_role()
        originals = await self._store.agents.originals()
        return {
            id_
            for id_, content in originals.items()
            if id_ in self._shipped and content_of(self._shipped[id_]) != content
        }

    async def versions(self, id_: str) -> list[EarlierAgent]:
        """List the versions of an agent, the latest first; none where it is as it ships."""
        self._check_role()
        listed = await self._store.agents.listed(id_)
        return [EarlierAgent(each, _readable(each)[0]) for each in listed]

    async def version(self, id_: str, number: int) -> Agent:
        """Return an agent as it was; number 0 is what ships. Raises UserError if it was not."""
        record = self.record(id_)
        found = {each.version.number: each for each in await self.versions(id_)}
        earlier = found[number].agent if number in found else None
        if number == 0 and earlier is None:
            earlier = record.shipped
        if earlier is None:
            raise UserError(
                _("There is no version {number} of '{name}' that can be used.").format(
                    number=number, name=id_
                )
            )
        return earlier

    def check(self, agent: Agent) -> None:
        """Raise UserError for tools that there are not, and for a write that would not be asked."""
        tools = self._tools()
        known = {*tools, *(tool.declared.category for tool in tools.values())}
        for name in (*(agent.tools or ()), *agent.rules):
            if name not in known or (name in agent.rules and name not in tools):
                raise UserError(
                    _("There is no tool '{name}'. There are: {names}.").format(
                        name=name, names=", ".join(tools)
                    )
                )
        for name, rule in agent.rules.items():
            if rule == "always" and tools[name].needs_approval:
                raise UserError(
                    _(
                        "'{name}' writes, so the person is always asked first. Its rule is 'ask' or"
                        " 'never'."
                    ).format(name=name)
                )

    async def save(self, agent: Agent, *, after: int, note: str = "") -> AgentRecord:
        """Store an agent as a new version, `after` the one that was edited.

        Raises UserError where somebody else has saved one meanwhile.
        """
        return await self._add(agent.id, agent, how="edited", note=note, after=after)

    async def restore(self, id_: str, number: int, *, note: str = "") -> AgentRecord:
        """Make an agent again what it was; number 0 is what had shipped when it was edited."""
        agent = await self.version(id_, number)
        return await self._add(id_, agent, how="restored", note=note, source=str(number))

    async def restore_shipped(self, id_: str) -> AgentRecord:
        """Make an agent again what ships now. Raises UserError if it does not ship."""
        shipped = self.record(id_).shipped
        if shipped is None:
            raise UserError(_("'{name}' was made here: it does not ship.").format(name=id_))
        return await self._add(id_, shipped, how="restored", source="shipped")

    async def remove(self, id_: str) -> AgentRecord:
        """Take an agent away; its conversations can still be read, and it can be restored.

        Raises UserError for the last one.
        """
        self._check_role()
        if all(each.agent is None for each in self._records.values() if each.id != id_):
            raise UserError(_("This is the last agent. Make another one first."))
        return await self._add(id_, None, how="removed")

    async def duplicate(self, id_: str) -> AgentRecord:
        """Make a copy under a name of its own, with the same tools."""
        source = self.record(id_).agent
        if source is None:
            raise UserError(_("'{name}' was removed. Restore it first.").format(name=id_))
        number = 2
        while f"{id_[: LONGEST_ID - 4]}-{number}" in self._records:
            number += 1
        copy = self._as_another(source, f"{id_[: LONGEST_ID - 4]}-{number}")
        copy = replace(copy, name=f"{source.name[: LONGEST_NAME - 6]} ({number})")
        return await self._add(copy.id, copy, how="copied", source=id_)

    async def import_folder(self, folder: Path, *, name: str = "") -> AgentRecord:
        """Take in an agent from a folder: a new one, or a new version of the one of that name.

        `name` is another short name for it. Raises UserError, with what is wrong, and stores
        nothing, for a folder that holds no sound one.
        """
        self._check_role()
        agent = await asyncio.to_thread(read_folder, folder)
        if name and name != agent.id:
            agent_from(name, content_of(agent))  # raises UserError for a name that is none
            agent = self._as_another(agent, name)
        return await self._add(agent.id, agent, how="imported", source=folder.name)

    async def export(self, id_: str, folder: Path, *, is_replacing: bool = False) -> None:
        """Write an agent to a folder, made if needed. Raises UserError if another one is there."""
        from qhub_desktop.data.export.output import check_writable, os_errors_as_user_errors

        agent = self.record(id_).agent
        if agent is None:
            raise UserError(_("'{name}' was removed. Restore it first.").format(name=id_))
        await self._store.people.check_account(*ADMINS)

        def write() -> None:
            with os_errors_as_user_errors(folder):
                if not is_replacing and os.path.lexists(folder / TOML):
                    raise UserError(
                        _("There is an agent in {folder} already. Choose another folder.").format(
                            folder=folder
                        )
                    )
                for name in (TOML, PROMPT, ICON) if folder.is_dir() else ():
                    check_writable(folder / name)
                write_folder(agent, folder)

        await asyncio.to_thread(write)
        await self._store.audit.add("export", f"agent {id_}", {"folder": str(folder)})

    async def rehearse(self, draft: Agent, question: str, audience: Audience) -> None:
        """Have a draft answer a question in a conversation of its own, which is in no list.

        It is answered by the engine of the settings, counted and paid for like all others.
        """
        self._check_role()
        self.check(draft)
        person = self._person()
        if person is not None and not person.may_use(draft.id):
            raise UserError(_("This agent is not one of yours, so you cannot ask it: see People."))
        talk = await self._store.conversations.create_rehearsal(draft.id)
        await self._turns().rehearsal(draft).reply(talk, question, audience=audience)

    def _check_role(self) -> None:
        check_role(self._person(), ADMINS)

    def _as_another(self, agent: Agent, id_: str) -> Agent:
        """Return the agent under another id, with rules for the tools that are declared by id."""
        other = replace(agent, id=id_)
        given = {
            name: agent.rule_of(tool)
            for name, tool in self._tools().items()
            if other.rule_of(tool) != agent.rule_of(tool)
        }
        return replace(other, rules={**agent.rules, **given})

    async def _add(
        self,
        id_: str,
        agent: Agent | None,
        *,
        how: HOW,
        note: str = "",
        source: str = "",
        after: int | None = None,
    ) -> AgentRecord:
        self._check_role()
        content = None
        if agent is not None:
            content = content_of(agent)
            agent_from(id_, content)  # raises UserError for what could not be read again
            self.check(agent)
        record = self._records.get(id_)
        before = content_of(record.agent) if record is not None and record.agent else {}
        changed = [name for name in content or () if (content or {})[name] != before.get(name)]
        if after is None:
            after = record.version if record is not None else 0
        shipped = self._shipped.get(id_)
        await self._store.agents.add(
            id_,
            content,
            after=after,
            note=note,
            detail={
                "how": how,
                **({"from": source} if source else {}),
                **({"changed": ", ".join(changed)} if changed else {}),
            },
            shipped=content_of(shipped) if shipped is not None else None,
        )
        await self.reload()
        return self._records[id_]

    def _take(self, latest: list[AgentVersion]) -> None:
        edited = {each.agent: each for each in latest}
        self._latest = latest
        self._records = {
            id_: self._record(id_, edited.get(id_)) for id_ in in_order({*self._shipped, *edited})
        }
        person = self._person()
        theirs = {
            id_: record.agent
            for id_, record in self._records.items()
            if record.agent is not None and (person is None or person.may_use(id_))
        }
        self.agents.clear()
        self.agents.update(theirs)

    def _record(self, id_: str, edited: AgentVersion | None) -> AgentRecord:
        shipped = self._shipped.get(id_)
        if edited is None:
            return AgentRecord(id_, shipped, 0, shipped)
        # One that cannot be read is left out: what ships may open what was closed in it.
        agent, problem = _readable(edited)
        return AgentRecord(id_, agent, edited.number, shipped, problem, edited.name)


def _readable(version: AgentVersion) -> tuple[Agent | None, str]:
    if version.content is None:
        return None, ""
    try:
        return agent_from(version.agent, version.content), ""
    except UserError as error:
        return None, str(error)


DiffKind = Literal["same", "added", "removed", "gap"]
_SIGNS: Mapping[str, DiffKind] = {"+": "added", "-": "removed", "@": "gap", " ": "same"}


def compare(before: Agent | None, after: Agent | None) -> list[tuple[DiffKind, str]]:
    """Return the lines that differ, with two around them; a gap stands for lines left out."""
    import difflib  # the first paint waits for this module

    lines = difflib.unified_diff(_lines(before), _lines(after), n=2, lineterm="")
    found = [*lines][2:]  # without the names of the two
    if found and re.match(r"@@ -[01],", found[0]):  # nothing is left out before it
        found = found[1:]
    return [(_SIGNS[line[0]], "" if line[0] == "@" else line[1:]) for line in found]


def _lines(agent: Agent | None) -> Sequence[str]:
    if agent is None:
        return []
    icon = ["", "icon.svg", agent.icon] if agent.icon else []
    return [*toml_of(agent).splitlines(), "", "prompt.md", *agent.prompt.split("\n"), *icon]
