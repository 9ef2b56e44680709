"""The agents: `qhub agents` lists those of the caller, `qhub admin agents` edits them all."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, row_number
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, moment

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.tools.agent_catalogue import AgentRecord, EarlierAgent

Run = Callable[[CommandServices, argparse.Namespace], Coroutine[Any, Any, None]]


def declare(verbs: Verbs) -> None:
    """Declare `agents`."""
    agents = verbs.add_parser("agents", help=_("the agents"))
    agents.set_defaults(run=_agents)
    add_json_option(agents)


def declare_editing(doing: Verbs) -> None:
    """Declare `admin agents` and what it does."""
    agents = doing.add_parser("agents", help=_("the agents, their versions, as folders"))
    acts = agents.add_subparsers(dest="act", required=True, metavar="DOING")
    _verb(acts, "list", _list, _("every agent, and whether it is as it ships"))
    _named(acts, "show", _show, _("one agent, whole"))
    export = _named(acts, "export", _export, _("write one as a folder"))
    export.add_argument("folder", type=Path, metavar="FOLDER")
    export.add_argument(
        "--overwrite", action="store_true", help=_("replace an agent that is there")
    )
    import_ = _verb(acts, "import", _import, _("take one in; a known name gets a new version"))
    import_.add_argument("folder", type=Path, metavar="FOLDER")
    import_.add_argument("--name", default="", metavar="NAME", help=_("under this short name"))
    _named(acts, "duplicate", _duplicate, _("make a copy, to be changed"))
    _named(acts, "remove", _remove, _("take one away; what was said with it stays"))
    _named(acts, "versions", _versions, _("who changed it, and when"))
    restore = _named(acts, "restore", _restore, _("make it again what it was"))
    restore.add_argument("number", type=row_number, metavar="N", help=_("0: as it ships"))
    compare = _named(acts, "compare", _compare, _("what differs between two versions"))
    compare.add_argument("number", type=row_number, metavar="N", help=_("0: as it ships"))
    compare.add_argument(
        "other", nargs="?", type=row_number, metavar="M", help=_("default: the one that holds")
    )
    add_json_option(compare)
    note = _("what it was for")
    restore.add_argument("--note", default="", metavar="WORDS", help=note)
    for each in (export, import_, restore):
        add_json_option(each)


def _verb(group: Verbs, name: str, run: Run, about: str) -> argparse.ArgumentParser:
    parser = group.add_parser(name, help=about)
    parser.set_defaults(run=run, roles=ADMINS)
    if name in ("list", "show", "duplicate", "remove", "versions"):
        add_json_option(parser)
    return parser


def _named(group: Verbs, name: str, run: Run, about: str) -> argparse.ArgumentParser:
    parser = _verb(group, name, run, about)
    parser.add_argument("name", metavar="NAME", help=_("as the list tells"))
    return parser


async def _agents(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print the agents; as JSON with their tools, which take longer to load."""
    if asked.json:
        print_json(
            [
                {
                    "id": agent.id,
                    "name": agent.name,
                    "summary": agent.summary[language()],
                    "tools": list(agent.tools_of(services.tools)),
                }
                for agent in services.agents.values()
            ]
        )
        return
    for agent in services.agents.values():
        print(f"{agent.id:<12}{agent.name}: {agent.summary[language()]}")


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = services.agent_catalogue.records()
    outdated = await services.agent_catalogue.outdated()
    if asked.json:
        print_json([{**_object(each), "outdated": each.id in outdated} for each in found])
        return
    for each in found:
        state = record_state(each, is_outdated=each.id in outdated)
        print(f"{each.id:<20}{each.name:<24}{state}".rstrip())


async def _show(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.chat.agent_files import toml_of

    record = services.agent_catalogue.record(asked.name)
    agent = record.agent
    if asked.json:
        rules = {} if agent is None else _rules(agent, services)
        print_json({**_object(record), **_content(agent), "rules": rules})
        return
    if agent is None:
        print(f"{record.id}: {record_state(record)}")
        return
    print(f"{toml_of(agent)}\n{agent.prompt}\n")
    for name, rule in _rules(agent, services).items():
        print(f"{name:<24}{services.tools[name].declared.risk:<10}{rule}")


async def _export(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.agent_catalogue.export(asked.name, asked.folder, is_replacing=asked.overwrite)
    if asked.json:
        print_json({"id": asked.name, "folder": str(asked.folder)})
    else:
        print(_("Written: {path}").format(path=asked.folder))


async def _import(services: CommandServices, asked: argparse.Namespace) -> None:
    folder = asked.folder.absolute()  # '.' has no name of its own
    made = await services.agent_catalogue.import_folder(folder, name=asked.name)
    _print(made, asked)


async def _duplicate(services: CommandServices, asked: argparse.Namespace) -> None:
    _print(await services.agent_catalogue.duplicate(asked.name), asked)


async def _remove(services: CommandServices, asked: argparse.Namespace) -> None:
    _print(await services.agent_catalogue.remove(asked.name), asked)


async def _restore(services: CommandServices, asked: argparse.Namespace) -> None:
    catalogue = services.agent_catalogue
    _print(await catalogue.restore(asked.name, asked.number, note=asked.note), asked)


async def _versions(services: CommandServices, asked: argparse.Namespace) -> None:
    services.agent_catalogue.record(asked.name)  # raises UserError if there is none
    found = await services.agent_catalogue.versions(asked.name)
    if asked.json:
        print_json([_version_object(each) for each in found])
        return
    for each in found:
        version = each.version
        who = version.person or "-"
        state = "" if version.content is not None else _("removed")
        note = _("as it shipped") if version.number == 0 else version.note or state
        print(f"{version.number:>4}  {moment(version.at)}  {who:<20}{note}".rstrip())
    if not found:
        print(_("It is as it ships."))


async def _compare(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.tools.agent_catalogue import compare

    catalogue = services.agent_catalogue
    before = await catalogue.version(asked.name, asked.number)
    after = catalogue.record(asked.name).agent
    if asked.other is not None:
        after = await catalogue.version(asked.name, asked.other)
    lines = compare(before, after)
    if asked.json:
        print_json([{"kind": kind, "line": line} for kind, line in lines])
        return
    signs = {"added": "+ ", "removed": "- ", "same": "  ", "gap": "…"}
    for kind, line in lines:
        print(f"{signs[kind]}{line}")
    if not lines:
        print(_("Nothing differs."))


def record_state(record: AgentRecord, *, is_outdated: bool = False) -> str:
    """Return what is to be known of an agent besides its name."""
    if record.problem:
        return _("can not be read: {reason}").format(reason=record.problem)
    if record.is_removed:
        return _("removed")
    if record.is_as_shipped:
        return _("as it ships")
    if is_outdated:
        return _("version {number}, another one ships now").format(number=record.version)
    return _("version {number}").format(number=record.version)


def _rules(agent: Agent, services: CommandServices) -> JsonObject:
    return {name: agent.rule_of(tool) for name, tool in services.tools.items()}


def _content(agent: Agent | None) -> JsonObject:
    from qhub_desktop.chat.agent_files import content_of

    return {} if agent is None else content_of(agent)


def _object(record: AgentRecord) -> JsonObject:
    return {
        "id": record.id,
        "name": record.name,
        "version": record.version,
        "ships": record.shipped is not None,
        "as_shipped": record.is_as_shipped,
        "removed": record.is_removed,
        "problem": record.problem,
    }


def _version_object(earlier: EarlierAgent) -> JsonObject:
    version = earlier.version
    return {
        "version": version.number,
        "at": version.at.isoformat(),
        "person": version.person,
        "note": version.note,
        "removed": version.content is None,
        **_content(earlier.agent),
    }


def _print(record: AgentRecord, asked: argparse.Namespace) -> None:
    if asked.json:
        print_json(_object(record))
    else:
        print(f"{record.id}: {record_state(record)}")
