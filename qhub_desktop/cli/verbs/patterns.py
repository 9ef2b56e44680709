"""Pattern verbs: what the person asks again and again, counted now, or not wanted."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    from qhub_desktop.core.patterns import Pattern

NO_REST = timedelta(0)  # who asks at the terminal waits for no conversation to come to rest


def declare(verbs: Verbs) -> None:
    """Declare `patterns`."""
    patterns = verbs.add_parser("patterns", help=_("what you ask again and again"))
    patterns.set_defaults(run=_list)
    doing = patterns.add_subparsers(dest="doing", metavar="DOING")
    run = doing.add_parser("run", help=_("count them now"))
    run.set_defaults(run=_run)
    delete = doing.add_parser("delete", help=_("never count one again"))
    delete.set_defaults(run=_delete)
    delete.add_argument("number", type=positive, metavar="N", help=_("as the list tells"))
    for each in (run, delete):
        add_json_option(each, is_nested=True)
    add_json_option(patterns)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    _check_on(services)
    _print(await services.store.patterns.listed(rest=NO_REST), asked)


async def _run(services: CommandServices, asked: argparse.Namespace) -> None:
    _check_on(services)
    store = services.store
    try:
        await services.pattern_reader.read(rest=NO_REST)
    except QHubError as error:  # they are counted all the same
        print(one_line(str(error)), file=sys.stderr)
    _print(await store.patterns.refresh(store.memories, rest=NO_REST), asked)


async def _delete(services: CommandServices, asked: argparse.Namespace) -> None:
    _check_on(services)
    store = services.store
    found = await store.patterns.listed(rest=NO_REST)
    if asked.number > len(found):
        raise UserError(_("There is no pattern {number}.").format(number=asked.number))
    await store.patterns.refuse(found[asked.number - 1].key)
    _print(await store.patterns.refresh(store.memories, rest=NO_REST), asked)


def _check_on(services: CommandServices) -> None:
    """Raise UserError where habits are not counted."""
    if not services.chosen.settings.patterns:
        raise UserError(_("Habits are not counted here: qhub flags set patterns on."))


def _print(found: list[Pattern], asked: argparse.Namespace) -> None:
    if asked.json:
        print_json([_object(number, each) for number, each in enumerate(found, 1)])
        return
    for number, each in enumerate(found, 1):
        print(f"{number}  {each.line}")
    if not found:
        print(_("Nothing is asked again and again."))


def _object(number: int, each: Pattern) -> JsonObject:
    return {"id": number, "text": each.text, "seen": each.seen, "of": each.of}
