"""Entries of the audit log in the person's words: what was done, to what, and the details."""

import json
from typing import get_args

from qhub_desktop.core.budget import PERIODS, SCOPES, Budget
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.person import ROLE_LABELS
from qhub_desktop.core.settings import setting_infos
from qhub_desktop.core.text import fold, gettext_noop, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import parse_json
from qhub_desktop.store.audit import Action, parse_heads
from qhub_desktop.store.audit_repository import AuditEntry

ACTIONS: dict[Action, str] = {
    "sign in": gettext_noop("signed in"),
    "sign out": gettext_noop("signed out"),
    "refused": gettext_noop("sign-in refused"),
    "account": gettext_noop("account changed"),
    "agent": gettext_noop("agent changed"),
    "setting": gettext_noop("setting changed"),
    "budget": gettext_noop("budget changed"),
    "approved": gettext_noop("approved"),
    "declined": gettext_noop("declined"),
    "export": gettext_noop("exported"),
    "delete": gettext_noop("deleted"),
    "restore": gettext_noop("brought back"),
    "repair": gettext_noop("damage repaired"),
    "read": gettext_noop("conversation read"),
}
_WHY = {
    "unknown": gettext_noop("There is no such account."),
    "secret": gettext_noop("The password or PIN was wrong."),
    "disabled": gettext_noop("The account is disabled."),
}
_AGENT = {
    "edited": gettext_noop("Version {number}."),
    "restored": gettext_noop("Version {number}: as {source} was."),
    "copied": gettext_noop("Version {number}: a copy of {source}."),
    "imported": gettext_noop("Version {number}: from the folder {source}."),
    "removed": gettext_noop("Version {number}: removed."),
}
# What a subject begins with, where it is not a name of its own.
_SUBJECTS = {
    "conversation": gettext_noop("conversation {name}"),
    "conversations": gettext_noop("the list of conversations"),
    "all conversations": gettext_noop("all conversations"),
    "safety copy": gettext_noop("safety copy {name}"),
    "costs": gettext_noop("the costs"),
    "agent": gettext_noop("agent {name}"),
    "audit": gettext_noop("the log"),
    "key": gettext_noop("the key of the service"),
    "document": gettext_noop("document {name}"),
    "collection": gettext_noop("the collection {name}"),
    "append": gettext_noop("defects added as number {name}"),
}


def action_words(entry: AuditEntry) -> str:
    """Return what was done, as a list shows it; an action of a later program as it is written."""
    return next(
        (_(label) for action, label in ACTIONS.items() if action == entry.action), entry.action
    )


def action_of(words: str) -> str:
    """Return the action of these words: as they are shown, in English, or as they are stored.

    Others may be a later program's: they come back as they are.
    """
    meant = fold(words)
    for action, label in ACTIONS.items():
        if meant in (action, fold(_(label)), fold(label)):
            return action
    return words


def subject_words(entry: AuditEntry) -> str:
    """Return to what it was done."""
    subject = entry.subject
    if entry.action == "setting" and (about := setting_infos().get(subject)) is not None:
        return _(about.label)
    if entry.action == "budget" and (budget := _budget(subject)) is not None:
        return budget.title
    for start, words in _SUBJECTS.items():
        if subject == start or subject.startswith(f"{start} "):
            return _(words).format(name=subject.removeprefix(start).strip()).rstrip()
    return subject


def detail_words(entry: AuditEntry) -> str:
    """Return the details as sentences; those of a later program by their names."""
    detail = dict(entry.detail)
    match entry.action, detail:
        case "refused", {"why": str(why)} if why in _WHY:
            return _(_WHY[why])
        case "account", {"role": _any}:
            return _account(detail)
        case "account", {"handed_over": str(id_)}:
            return _("Given the recovered conversation {id}.").format(id=id_)
        case "account", {"disabled": str(state)}:
            return _("Disabled.") if state == "yes" else _("Enabled.")
        case "account", {"deleted": "yes"}:
            return _("Deleted, with everything that was theirs.")
        case "account", {"reset": str(state)}:
            own = _("Changed by its person.")
            return _("Reset: it is to be replaced.") if state == "yes" else own
        case "agent", {"version": int(version), "how": str(how), **more} if how in _AGENT:
            told = _(_AGENT[how]).format(number=version, source=_compact(more.get("from", "")))
            if how == "edited" and isinstance(changed := more.get("changed"), str):
                told += " " + _("Changed: {fields}.").format(fields=changed)
            return told
        case "setting", {"before": before, "after": after}:
            return _("From {before} to {after}.").format(
                before=_value(entry.subject, before), after=_value(entry.subject, after)
            )
        case "setting", {"service": str(service), "state": str(state)}:
            kept = _("Kept for {service}.").format(service=service)
            return (
                kept if state == "kept" else _("Forgotten for {service}.").format(service=service)
            )
        case "budget", {"usd": float(usd) | int(usd)}:
            return _("{amount} US$").format(amount=number(usd, digits=2))
        case "budget", {"removed": True}:
            return _("Taken away.")
        case "read", {"of": str(name)}:
            return _read(name, detail)
        case "export", {"folder": str(folder)}:
            return _export(folder, None)
        case "export", {"file": str(file)}:
            return _export(file, detail.get("rows"))
        case "delete", {"file": str(file), "rows": int(rows), "of": str(name)}:
            said = ngettext("{count} row from {file}.", "{count} rows from {file}.", rows)
            if not file:
                said = ngettext("{count} recorded by hand.", "{count} recorded by hand.", rows)
            told = said.format(count=number(rows), file=file)
            return told + (" " + _("Added by {name}.").format(name=name) if name else "")
        case "restore", {"messages": int(count), **more}:
            return _restore(count, more.get("left"))
        case "repair", {"messages": int(count), "apart": int(apart)}:
            return _repair(count, apart)
        case (("approved" | "declined"), {"conversation": str(talk), "input": given, **more}):
            told = _("In conversation {name}: {given}").format(name=talk, given=_compact(given))
            if "changed" in more:
                changed = _compact(more["changed"])
                told += " " + _("Changed to: {given}").format(given=changed)
            return told
        case _:
            return ", ".join(f"{name}: {_compact(value)}" for name, value in detail.items())


def _account(detail: JsonObject) -> str:
    role = detail["role"]
    role = next((_(label) for each, label in ROLE_LABELS.items() if each == role), role)
    made = _("Made.") if detail.get("made") == "yes" else ""
    written = detail.get("agents")
    if written == "*" or not isinstance(written, str):
        agents = _("every agent")
    else:
        try:
            named = parse_json(written)
        except ValueError:
            named = written
        agents = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
    told = _("{role}; agents: {agents}.").format(role=role, agents=agents or _("none"))
    return f"{made} {told}".lstrip()


def _repair(messages: int, apart: int) -> str:
    said = ngettext("{count} message.", "{count} messages.", messages)
    told = [said.format(count=number(messages))]
    if apart:
        said = ngettext("{count} was set apart.", "{count} were set apart.", apart)
        told.append(said.format(count=number(apart)))
    return " ".join(told)


def _restore(messages: int, left: Json) -> str:
    told = []
    if messages:
        said = ngettext("{count} message saved.", "{count} messages saved.", messages)
        told.append(said.format(count=number(messages)))
    if heads := parse_heads(left):
        last = max(each.count for each in heads)
        told.append(_("The log went up to entry {number} before.").format(number=number(last)))
    return " ".join(told)


def _read(name: str, detail: JsonObject) -> str:
    told = _("Of {name}.").format(name=name)
    if isinstance(words := detail.get("search"), str):
        told += " " + _("Searched for: {words}").format(words=words)
    return told


def _export(file: str, rows: Json) -> str:
    if not isinstance(rows, int) or not rows:
        return _("To {file}.").format(file=file)
    said = ngettext("{count} row to {file}.", "{count} rows to {file}.", rows)
    return said.format(count=number(rows), file=file)


def _budget(subject: str) -> Budget | None:
    scope, _mark, rest = subject.partition(" ")
    name, _mark, period = rest.rpartition(" ")
    for known in SCOPES:
        for each in PERIODS:
            if (scope, period) == (known, each):
                return Budget(known, name, each, 0.0)
    return None


def _value(name: str, value: Json) -> str:
    """Return a setting's value in words."""
    about = setting_infos().get(name)
    if value is None:
        return _("the usual")
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if about is not None:
        for choice, label in about.choices:
            if choice == value:
                return _(label)
    if isinstance(value, int | float):
        return number(value)
    return f"'{value}'" if isinstance(value, str) else _compact(value)


def _compact(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


assert set(ACTIONS) == set(get_args(Action)), "every action has words"
