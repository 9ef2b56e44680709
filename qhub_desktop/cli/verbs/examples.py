"""Example verbs: answers that teach a model, proposed, approved and retired."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.errors import UsageError
from qhub_desktop.core.examples import LONGEST_NOTE
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    from qhub_desktop.core.examples import Example


def declare(verbs: Verbs) -> None:
    """Declare `examples`."""
    examples = verbs.add_parser("examples", help=_("answers that teach a model"))
    examples.set_defaults(run=_list)
    doing = examples.add_subparsers(dest="doing", metavar="DOING")
    listing = doing.add_parser("list", help=_("those that wait first"))
    listing.set_defaults(run=_list)
    add = doing.add_parser("add", help=_("propose an answer, without its figures"))
    add.set_defaults(run=_add)
    add.add_argument("conversation", metavar="CONVERSATION")
    add.add_argument("message", nargs="?", type=positive, metavar="MESSAGE")
    add.add_argument("--answer", default="", metavar="T", help=_("as it should have been"))
    add.add_argument(
        "--note",
        default="",
        metavar="T",
        help=_("the rule that it shows, in at most {most} characters").format(most=LONGEST_NOTE),
    )
    approve = doing.add_parser("approve", help=_("tell it from the next question on"))
    approve.set_defaults(run=_approve)
    retire = doing.add_parser("retire", help=_("tell it no more"))
    retire.set_defaults(run=_retire)
    for each in (approve, retire):
        each.add_argument("id", type=positive, metavar="ID")
    match = doing.add_parser("match", help=_("which would be told with a question"))
    match.set_defaults(run=_match)
    match.add_argument("question", metavar="QUESTION")
    match.add_argument("--agent", metavar="ID", help=_("of this agent alone"))
    for each in (listing, add, approve, retire, match):
        add_json_option(each, is_nested=True)
    add_json_option(examples)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    _print(await services.store.reviews.examples.listed(), asked)


async def _add(services: CommandServices, asked: argparse.Namespace) -> None:
    if len(asked.note) > LONGEST_NOTE:
        raise UsageError(_("Say it in at most {most} characters.").format(most=LONGEST_NOTE))
    made = await services.examples.add(
        ConversationId(asked.conversation),
        None if asked.message is None else MessageId(asked.message),
        words=asked.answer,
        note=asked.note,
    )
    _tell(made, asked)


async def _approve(services: CommandServices, asked: argparse.Namespace) -> None:
    _tell(await services.store.reviews.examples.approve(asked.id), asked)


async def _retire(services: CommandServices, asked: argparse.Namespace) -> None:
    _tell(await services.store.reviews.examples.retire(asked.id), asked)


async def _match(services: CommandServices, asked: argparse.Namespace) -> None:
    agents = [asked.agent] if asked.agent else [*services.agents]
    found = [
        each
        for agent in agents
        for each in await services.examples.match(asked.question, agent=agent)
    ]
    _print(found, asked)


def _print(found: list[Example], asked: argparse.Namespace) -> None:
    if asked.json:
        print_json([each.object for each in found])
        return
    for each in found:
        print(_line(each))
    if not found:
        print(_("There is no example."))


def _tell(example: Example, asked: argparse.Namespace) -> None:
    print_json(example.object) if asked.json else print(_line(example))


def _line(example: Example) -> str:
    states = {"proposed": _("proposed"), "active": _("active"), "retired": _("retired")}
    question = one_line(example.question)
    return f"{example.id:>4}  {states[example.state]:<10}  {example.agent:<10}  {question}"
