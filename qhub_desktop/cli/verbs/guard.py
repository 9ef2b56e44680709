"""Guard verbs: what the guard makes of a text, what it did, and whether it was right."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from typing import TYPE_CHECKING, get_args

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UsageError
from qhub_desktop.core.guard import GuardCategory
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import sanitize

if TYPE_CHECKING:
    from qhub_desktop.core.guard import ModerationEntry


def declare(verbs: Verbs) -> None:
    """Declare `guard`."""
    guard = verbs.add_parser("guard", help=_("what is stopped before a question is asked"))
    doing = guard.add_subparsers(dest="doing", metavar="DOING", required=True)
    check = doing.add_parser("check", help=_("tell what it makes of a text, and note nothing"))
    check.set_defaults(run=_check)
    check.add_argument("text", nargs="?", metavar="TEXT")
    check.add_argument(
        "--rules", action="store_true", help=_("name what is wrong in guard.toml, by line")
    )
    log = doing.add_parser("log", help=_("what it did, the latest first"))
    log.set_defaults(run=_log)
    log.add_argument("--category", choices=get_args(GuardCategory), help=_("only of this kind"))
    log.add_argument("--since", type=_day, metavar="DAY", help=_("from this day on: 2026-12-31"))
    review = doing.add_parser("review", help=_("say whether it was right"))
    review.set_defaults(run=_review)
    review.add_argument("id", type=positive, metavar="ID", help=_("as the log tells"))
    review.add_argument("review", choices=("right", "wrong"), metavar="right|wrong")
    for each in (check, log, review):
        add_json_option(each)


def _day(words: str) -> date:
    try:
        return date.fromisoformat(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(_("'{words}' is no day.").format(words=words)) from error


async def _check(services: CommandServices, asked: argparse.Namespace) -> str | None:
    if asked.rules == (asked.text is not None):
        raise UsageError(_("Give a text, or --rules."))
    if asked.rules:
        return _tell_rules(services, asked)
    found = await services.screen.verdict(sanitize(asked.text))
    if asked.json:
        print_json(
            {
                "action": found.action,
                "category": found.category,
                "rule": found.rule or None,
                "text": found.masked,
                "masked": found.masked != asked.text,
            }
        )
        return None
    what = f"{found.action}  {found.rule}".rstrip()
    print(what if found.masked == asked.text else f"{what}\n{one_line(found.masked)}")
    return None


def _tell_rules(services: CommandServices, asked: argparse.Namespace) -> str | None:
    rules = services.guard_reader.rules
    if asked.json:
        print_json(
            {
                "rules": [each.id for each in rules.rules],
                "off": sorted(rules.off),
                "faults": [
                    {"file": each.file, "line": each.line, "text": each.text}
                    for each in rules.faults
                ],
            }
        )
    else:
        for each in rules.faults:
            print(f"{each.file}:{each.line}: {one_line(each.text)}")
        print(_("Rules in use: {names}").format(names=", ".join(each.id for each in rules.rules)))
    return None


async def _log(services: CommandServices, asked: argparse.Namespace) -> None:
    store = services.moderation
    found = await store.listed(category=asked.category, since=asked.since)
    if asked.json:
        print_json([_object(each) for each in found])
    else:
        for each in found:
            _print(each)
        if not found:
            print(_("The guard has done nothing."))
    await _propose(services)


async def _review(services: CommandServices, asked: argparse.Namespace) -> None:
    entry = await services.moderation.review(asked.id, asked.review)
    if asked.json:
        print_json(_object(entry))
    else:
        _print(entry)
    await _propose(services)


async def _propose(services: CommandServices) -> None:
    """Say on standard error which rules are better switched off."""
    off = services.guard_reader.rules.off
    for rule in await services.moderation.proposed_off():
        if rule not in off:
            told = _('The rule {rule} was wrong twice: off = ["{rule}"] in guard.toml ends it.')
            print(told.format(rule=one_line(rule)), file=sys.stderr)


def _print(entry: ModerationEntry) -> None:
    parts = (
        f"{entry.id:>4}",
        moment(entry.created),
        entry.action,
        entry.rule,
        entry.review or "-",
        entry.person,
        entry.excerpt,
    )
    print(one_line("  ".join(filter(None, parts))))


def _object(entry: ModerationEntry) -> JsonObject:
    return {
        "id": entry.id,
        "created": entry.created.isoformat(),
        "category": entry.category,
        "rule": entry.rule,
        "action": entry.action,
        "excerpt": entry.excerpt,
        "review": entry.review or None,
    }
