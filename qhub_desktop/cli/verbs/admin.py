"""The administrator's verbs: people, agents and their versions, the demo's accounts, the log."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import (
    NEW_SECRET_VARIABLE,
    CommandServices,
    Verbs,
    add_file_option,
    add_json_option,
    add_overwrite_option,
    check_free,
    positive,
    row_number,
)
from qhub_desktop.cli.verbs.conversations import deleted_object, print_deleted
from qhub_desktop.cli.verbs.costs import declare_budgets
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import (
    ADMINS,
    ROLE_LABELS,
    ROLES,
    Person,
    Role,
    account_name,
    reading_notice,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.people.accounts import NewAccount
    from qhub_desktop.store.audit import LogHead
    from qhub_desktop.store.audit_repository import AuditEntry
    from qhub_desktop.tools.agent_catalogue import AgentRecord, EarlierAgent

Run = Callable[[CommandServices, argparse.Namespace], Coroutine[Any, Any, str | None]]
# The accounts of the product's own demo, made only where somebody asks for them.
DEMO: tuple[tuple[str, Role, tuple[str, ...] | None], ...] = (
    ("admin@demo.com", "admin", None),
    ("rui@demo.com", "responsavel", None),
    ("julia@demo.com", "operador", ("qualidade",)),
)


def declare(verbs: Verbs) -> None:
    """Declare `admin` and what it does."""
    admin = verbs.add_parser("admin", help=_("accounts, and the log of what was done"))
    doing = admin.add_subparsers(dest="doing", required=True, metavar="DOING")
    _declare_people(doing)
    demo = _verb(doing, "demo", _demo, _("make the demo's three accounts, in a new data folder"))
    add_json_option(demo)
    declare_budgets(doing)
    reading = _verb(
        doing, "reading", _reading, _("whether administrators may read everybody's conversations")
    )
    reading.add_argument("state", choices=("on", "off"), nargs="?", help=_("switch it"))
    add_json_option(reading)
    _declare_agents(doing)
    recovered = doing.add_parser(
        "recovered", help=_("conversations that a repair has saved, and that are nobody's")
    )
    acts = recovered.add_subparsers(dest="act", required=True, metavar="DOING")
    unclaimed = _verb(acts, "list", _list_recovered, _("when they were, and how long"))
    giving = _verb(acts, "give", _give_recovered, _("give one to whoever had it"))
    giving.add_argument("id", metavar="ID")
    giving.add_argument("--to", dest="name", required=True, metavar="NAME")
    for each in (unclaimed, giving):
        add_json_option(each)
    audit = doing.add_parser("audit", help=_("who did what"))
    looks = audit.add_subparsers(dest="look", required=True, metavar="DOING")
    listing = _verb(looks, "list", _list_audit, _("the latest entries"))
    listing.add_argument(
        "--of", dest="person_name", default="", metavar="NAME", help=_("of this account")
    )
    listing.add_argument("--action", default="", metavar="ACTION", help=_("of this kind"))
    listing.add_argument("--search", default="", metavar="WORD", help=_("with this word"))
    listing.add_argument(
        "--last", type=positive, default=50, metavar="N", help=_("so many (default: %(default)s)")
    )
    exporting = _verb(looks, "export", _export_audit, _("the whole log to a CSV file"))
    add_file_option(exporting)
    add_overwrite_option(exporting)
    heading = _verb(
        looks, "head", _print_head, _("number and hash of the last entry, to be kept elsewhere")
    )
    verifying = _verb(looks, "verify", _verify_audit, _("whether an entry was changed or removed"))
    verifying.add_argument(
        "--head",
        type=head,
        metavar="N:HASH",
        help=_("compare with a last entry that was kept elsewhere"),
    )
    for each in (listing, exporting, heading, verifying):
        add_json_option(each)


def _declare_people(doing: Verbs) -> None:
    people = doing.add_parser("people", help=_("the people who may sign in"))
    acts = people.add_subparsers(dest="act", required=True, metavar="DOING")
    add = _verb(acts, "add", _add, _("make an account; the first is an administrator's"))
    add.add_argument("name", metavar="NAME", help=_("an e-mail or a short name"))
    add.add_argument("--role", choices=ROLES, required=True)
    _add_agents_option(add)
    listing = _verb(acts, "list", _list, _("everybody with an account"))
    change = _verb(acts, "change", _change, _("another role, or other agents"))
    change.add_argument("name", metavar="NAME")
    change.add_argument("--role", choices=ROLES)
    _add_agents_option(change)
    disable = _verb(acts, "disable", _disable, _("keep somebody out; what is theirs stays"))
    enable = _verb(acts, "enable", _enable, _("let somebody in again"))
    reset = _verb(acts, "reset", _reset, _("a new password, which they have to replace"))
    for each in (disable, enable, reset):
        each.add_argument("name", metavar="NAME")
    importing = _verb(
        acts, "import", _import, _("accounts from a CSV file with name, role, agents, budget")
    )
    add_file_option(importing)
    export = _verb(acts, "export", _export_person, _("everything that is somebody's, as a ZIP"))
    export.add_argument("name", metavar="NAME")
    export.add_argument("--out", type=Path, required=True, metavar="ZIP", help=_("this file"))
    add_overwrite_option(export)
    delete = _verb(
        acts, "delete", _delete_person, _("delete an account, and everything that is theirs")
    )
    delete.add_argument("name", metavar="NAME")
    delete.add_argument("--yes", action="store_true", help=_("nobody can bring it back"))
    for each in (add, listing, change, disable, enable, reset, importing, export, delete):
        add_json_option(each)


def _declare_agents(doing: Verbs) -> None:
    agents = doing.add_parser("agents", help=_("the agents, their versions, as folders"))
    acts = agents.add_subparsers(dest="act", required=True, metavar="DOING")
    listing = _verb(acts, "list", _list_agents, _("every agent, and whether it is as it ships"))
    show = _named(acts, "show", _show_agent, _("one agent, whole"))
    export = _named(acts, "export", _export_agent, _("write one as a folder"))
    export.add_argument("folder", type=Path, metavar="FOLDER")
    export.add_argument(
        "--overwrite", action="store_true", help=_("replace an agent that is there")
    )
    importing = _verb(
        acts, "import", _import_agent, _("take one in; a known name gets a new version")
    )
    importing.add_argument("folder", type=Path, metavar="FOLDER")
    importing.add_argument("--name", default="", metavar="NAME", help=_("under this short name"))
    duplicate = _named(acts, "duplicate", _duplicate_agent, _("make a copy, to be changed"))
    remove = _named(acts, "remove", _remove_agent, _("take one away; what was said with it stays"))
    versions = _named(acts, "versions", _list_versions, _("who changed it, and when"))
    restore = _named(acts, "restore", _restore_agent, _("make it again what it was"))
    restore.add_argument("number", type=row_number, metavar="N", help=_("0: as it ships"))
    restore.add_argument("--note", default="", metavar="WORDS", help=_("what it was for"))
    compare = _named(acts, "compare", _compare_versions, _("what differs between two versions"))
    compare.add_argument("number", type=row_number, metavar="N", help=_("0: as it ships"))
    compare.add_argument(
        "other", nargs="?", type=row_number, metavar="M", help=_("default: the one that holds")
    )
    for each in (listing, show, export, importing, duplicate, remove, versions, restore, compare):
        add_json_option(each)


def _verb(group: Verbs, name: str, run: Run, about: str) -> argparse.ArgumentParser:
    parser = group.add_parser(name, help=about)
    parser.set_defaults(run=run, roles=ADMINS)
    return parser


def _named(group: Verbs, name: str, run: Run, about: str) -> argparse.ArgumentParser:
    parser = _verb(group, name, run, about)
    parser.add_argument("name", metavar="NAME", help=_("as the list tells"))
    return parser


def _add_agents_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agents", metavar="A,B", help=_("the agents that they may use (default: every agent)")
    )


async def _add(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.people.file import parse_agents

    agents = parse_agents(asked.agents, services.agents)
    secret = _new_secret(services, asked)
    made = await services.accounts.add(asked.name, asked.role, agents, secret=secret)
    _print_new([made], is_json=asked.json, is_list=False)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.people.listed()
    if asked.json:
        print_json([_object(each) for each in found])
        return
    for each in found:
        state = _("disabled") if each.is_disabled else ""
        agents = _("every agent") if each.agents is None else ", ".join(each.agents)
        print(f"{each.name:<28}{_(ROLE_LABELS[each.role]):<18}{agents:<24}{state}".rstrip())
    if not found:
        print(_("Nobody has an account: the station works without signing in."))


async def _change(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.people.file import parse_agents

    before = await services.store.people.find(_name(asked))
    agents = before.agents if asked.agents is None else parse_agents(asked.agents, services.agents)
    changed = await services.store.people.change(before.name, asked.role or before.role, agents)
    _print(changed, asked)


async def _disable(services: CommandServices, asked: argparse.Namespace) -> None:
    _print(await services.store.people.set_disabled(_name(asked), is_disabled=True), asked)


async def _enable(services: CommandServices, asked: argparse.Namespace) -> None:
    _print(await services.store.people.set_disabled(_name(asked), is_disabled=False), asked)


async def _reset(services: CommandServices, asked: argparse.Namespace) -> None:
    person = await services.store.people.find(_name(asked))
    made = await services.accounts.reset(person, secret=_new_secret(services, asked))
    _print_new([made], is_json=asked.json, is_list=False)


async def _import(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Make the accounts of a file; return what could not be made, line by line."""
    from qhub_desktop.people.file import import_accounts

    done = await import_accounts(
        services.accounts, services.store.costs, asked.path, services.agents
    )
    _print_new(done.made, is_json=asked.json, is_list=True)
    return "\n".join(done.problems) or None


async def _export_person(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.tools.person_files import export_person

    check_free(asked.out, asked)
    count = await export_person(services, _name(asked), asked.out)
    if asked.json:
        print_json({"name": _name(asked), "file": str(asked.out), "conversations": count})
        return
    said = ngettext("{count} conversation in {file}.", "{count} conversations in {file}.", count)
    print(said.format(count=count, file=asked.out))


async def _delete_person(services: CommandServices, asked: argparse.Namespace) -> None:
    """Delete an account and everything that is its person's, once that is confirmed."""
    name = _name(asked)
    if not asked.yes:
        counts = await services.store.personal_data.counts_of(name)
        raise UserError(
            _(
                "'{name}' would be gone for good, with everything that is theirs (conversations:"
                " {conversations}, messages: {messages}). Write that to a file first (qhub admin"
                " people export), then add --yes."
            ).format(
                name=name,
                conversations=counts.get("conversations", 0),
                messages=counts.get("messages", 0),
            )
        )
    deleted = await services.deletion.delete_person(name)
    copies = await services.deletion.holding_copies()
    if asked.json:
        print_json(deleted_object(deleted, copies))
    else:
        print_deleted(deleted, copies)


async def _demo(services: CommandServices, asked: argparse.Namespace) -> None:
    if await services.store.people.listed():
        raise UserError(
            _("There are accounts here already. The demo's are for a data folder of their own.")
        )
    made = [
        await services.accounts.add(name, role, agents, secret=None) for name, role, agents in DEMO
    ]
    _print_new(made, is_json=asked.json, is_list=True)


async def _list_recovered(services: CommandServices, asked: argparse.Namespace) -> None:
    """List the conversations without an owner, without showing what was said in them."""
    found = await services.store.people.unclaimed()
    if asked.json:
        print_json(
            [
                {
                    "id": each.id,
                    "messages": each.messages,
                    "first": each.first.isoformat(),
                    "last": each.last.isoformat(),
                }
                for each in found
            ]
        )
        return
    for each in found:
        said = ngettext("{count} message", "{count} messages", each.messages)
        count = said.format(count=each.messages)
        print(f"{each.id}  {moment(each.first)} - {moment(each.last)}  {count}")
    if not found:
        print(_("Every conversation belongs to somebody."))


async def _give_recovered(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.store.people.hand_over(asked.id, _name(asked))
    if asked.json:
        print_json({"id": asked.id, "to": _name(asked)})
    else:
        print(_("{id} belongs to {name} now.").format(id=asked.id, name=_name(asked)))


async def _reading(services: CommandServices, asked: argparse.Namespace) -> None:
    """Tell whether audited reading is on; switch it where that is asked."""
    from qhub_desktop.store.audited_reading import SETTING

    reading = services.store.audited_reading(services.chosen.policy)
    if asked.state is not None:
        wanted = asked.state == "on"
        services.chosen.check(SETTING, wanted)
        kept = services.store.settings.load_now()
        await services.store.settings.save({**kept, SETTING: wanted})
    is_on = await reading.is_on()
    if asked.json:
        print_json({"on": is_on})
    else:
        off = _("Nobody reads the conversations of others here.")
        print(reading_notice() if is_on else off)


async def _list_audit(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.store.audit_words import (
        ACTIONS,
        action_of,
        action_words,
        detail_words,
        subject_words,
    )

    action = action_of(asked.action)
    found = await services.store.audit.listed(
        person=asked.person_name, action=action, search=asked.search, limit=asked.last
    )
    if action and not found and action not in ACTIONS:
        names = ", ".join(_(label) for label in ACTIONS.values())
        raise UserError(
            _("Nothing of the kind '{kind}' is in the log. There are: {names}.").format(
                kind=action, names=names
            )
        )
    if asked.json:
        print_json([_entry_object(each) for each in found])
        return
    for each in found:
        who = f"{moment(each.at)}  {each.person or '-':<24}"
        about = f"{action_words(each)}: {subject_words(each)}"
        print(one_line(f"{each.id:>6}  {who}{about}. {detail_words(each)}".rstrip()))


async def _export_audit(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.tools.audit_files import export_audit

    check_free(asked.path, asked)
    count = await export_audit(services.store.audit, asked.path)
    if asked.json:
        print_json({"file": str(asked.path), "entries": count})
    else:
        said = ngettext("{count} entry in {file}.", "{count} entries in {file}.", count)
        print(said.format(count=count, file=asked.path))


async def _print_head(services: CommandServices, asked: argparse.Namespace) -> None:
    last = await services.store.audit.head()
    if asked.json:
        print_json({"entry": last.count, "hash": last.hash})
    else:
        print(last)


async def _verify_audit(services: CommandServices, asked: argparse.Namespace) -> str | None:
    verdict = await services.store.audit.verify(elsewhere=asked.head)
    if asked.json:
        print_json(
            {
                "whole": verdict.is_whole,
                "entries": verdict.entries,
                "broken": verdict.broken,
                "head": verdict.head.hash,
                "last": verdict.head.count,
                "problems": list(verdict.problems),
                "notes": list(verdict.notes),
            }
        )
    elif verdict.is_whole:
        print(verdict.sentence)
    return None if verdict.is_whole else verdict.sentence


def head(text: str) -> LogHead:
    """Parse number and hash of an entry. Raises ValueError for anything else."""
    from qhub_desktop.store.audit import parse_head

    return parse_head(text)


def _name(asked: argparse.Namespace) -> str:
    return account_name(asked.name)


def _new_secret(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Return the secret for somebody else; None to have one chosen.

    Where nobody signs in, QHUB_SECRET can only be meant for the account.
    """
    given = os.environ.pop(NEW_SECRET_VARIABLE, "") or None
    if given is None and services.person is None:
        given = asked.secret
    return given


def _object(person: Person) -> JsonObject:
    return {
        "name": person.name,
        "role": person.role,
        "agents": None if person.agents is None else list(person.agents),
        "kind": person.kind,
        "disabled": person.is_disabled,
        "must_change": person.must_change,
    }


def _entry_object(entry: AuditEntry) -> JsonObject:
    return {
        "id": entry.id,
        "at": entry.at.isoformat(),
        "person": entry.person,
        "action": entry.action,
        "subject": entry.subject,
        "detail": entry.detail,
    }


def _print(person: Person, asked: argparse.Namespace) -> None:
    if asked.json:
        print_json(_object(person))
    else:
        print(f"{person.name}: {_(ROLE_LABELS[person.role])}")


def _print_new(made: Sequence[NewAccount], *, is_json: bool, is_list: bool) -> None:
    """Print new accounts, with the secrets that were chosen: they are never shown again."""
    objects: list[JsonObject] = [{**_object(each.person), "secret": each.secret} for each in made]
    if is_json:
        print_json([*objects] if is_list else objects[0])
        return
    for each in made:
        role = _(ROLE_LABELS[each.person.role])
        print(f"{each.person.name}: {role}" + (f"  {each.secret}" if each.secret else ""))
    if any(each.secret for each in made):
        print(_("These passwords are shown once. Each is replaced at the first sign-in."))


async def _list_agents(services: CommandServices, asked: argparse.Namespace) -> None:
    found = services.agent_catalogue.records()
    outdated = await services.agent_catalogue.outdated()
    if asked.json:
        print_json([{**_agent_object(each), "outdated": each.id in outdated} for each in found])
        return
    for each in found:
        state = _record_state(each, is_outdated=each.id in outdated)
        print(f"{each.id:<20}{each.name:<24}{state}".rstrip())


async def _show_agent(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.chat.agent_files import toml_of

    record = services.agent_catalogue.record(asked.name)
    agent = record.agent
    if asked.json:
        rules = {} if agent is None else _agent_rules(agent, services)
        print_json({**_agent_object(record), **_agent_content(agent), "rules": rules})
        return
    if agent is None:
        print(f"{record.id}: {_record_state(record)}")
        return
    print(f"{toml_of(agent)}\n{agent.prompt}\n")
    for name, rule in _agent_rules(agent, services).items():
        print(f"{name:<24}{services.tools[name].declared.risk:<10}{rule}")


async def _export_agent(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.agent_catalogue.export(asked.name, asked.folder, is_replacing=asked.overwrite)
    if asked.json:
        print_json({"id": asked.name, "folder": str(asked.folder)})
    else:
        print(_("Written: {path}").format(path=asked.folder))


async def _import_agent(services: CommandServices, asked: argparse.Namespace) -> None:
    folder = asked.folder.absolute()  # '.' has no name of its own
    made = await services.agent_catalogue.import_folder(folder, name=asked.name)
    _print_agent(made, asked)


async def _duplicate_agent(services: CommandServices, asked: argparse.Namespace) -> None:
    _print_agent(await services.agent_catalogue.duplicate(asked.name), asked)


async def _remove_agent(services: CommandServices, asked: argparse.Namespace) -> None:
    _print_agent(await services.agent_catalogue.remove(asked.name), asked)


async def _restore_agent(services: CommandServices, asked: argparse.Namespace) -> None:
    catalogue = services.agent_catalogue
    _print_agent(await catalogue.restore(asked.name, asked.number, note=asked.note), asked)


async def _list_versions(services: CommandServices, asked: argparse.Namespace) -> None:
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


async def _compare_versions(services: CommandServices, asked: argparse.Namespace) -> None:
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


def _record_state(record: AgentRecord, *, is_outdated: bool = False) -> str:
    """Return what is to be known of an agent besides its name."""
    if record.problem:
        return _("cannot be read: {reason}").format(reason=record.problem)
    if record.is_removed:
        return _("removed")
    if record.is_as_shipped:
        return _("as it ships")
    if is_outdated:
        return _("version {number}, another one ships now").format(number=record.version)
    return _("version {number}").format(number=record.version)


def _agent_rules(agent: Agent, services: CommandServices) -> JsonObject:
    return {name: agent.rule_of(tool) for name, tool in services.tools.items()}


def _agent_content(agent: Agent | None) -> JsonObject:
    from qhub_desktop.chat.agent_files import content_of

    return {} if agent is None else content_of(agent)


def _agent_object(record: AgentRecord) -> JsonObject:
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
        **_agent_content(earlier.agent),
    }


def _print_agent(record: AgentRecord, asked: argparse.Namespace) -> None:
    if asked.json:
        print_json(_agent_object(record))
    else:
        print(f"{record.id}: {_record_state(record)}")
