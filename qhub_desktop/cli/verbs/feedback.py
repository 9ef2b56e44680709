"""Feedback verbs: thumbs that people give to answers, and what they do with those."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import UsageError
from qhub_desktop.core.feedback import LONGEST_WORDS, REASONS, reason_of
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, number

if TYPE_CHECKING:
    from qhub_desktop.core.feedback import Feedback


def declare(verbs: Verbs) -> None:
    """Declare `feedback` and `signals`."""
    feedback = verbs.add_parser("feedback", help=_("what people say of answers"))
    feedback.set_defaults(run=_list, open=False)
    doing = feedback.add_subparsers(dest="doing", metavar="DOING")
    listing = doing.add_parser("list", help=_("all that you may see, the latest first"))
    listing.set_defaults(run=_list)
    listing.add_argument("--open", action="store_true", help=_("what waits for a review"))
    give = doing.add_parser("give", help=_("say that an answer was good or poor"))
    give.set_defaults(run=_give)
    give.add_argument("conversation", metavar="CONVERSATION")
    give.add_argument("message", nargs="?", type=positive, metavar="MESSAGE")
    give.add_argument("rating", choices=("up", "down"))
    give.add_argument("--reason", default="", metavar="R", help=", ".join(REASONS))
    give.add_argument(
        "--text",
        default="",
        metavar="T",
        help=_("why, in at most {most} characters").format(most=LONGEST_WORDS),
    )
    resolve = doing.add_parser("resolve", help=_("note that a poor answer was dealt with"))
    resolve.set_defaults(run=_resolve)
    resolve.add_argument("id", type=positive, metavar="ID")
    resolve.add_argument("--note", default="", metavar="T", help=_("what was done"))
    for each in (listing, give, resolve):
        add_json_option(each, is_nested=True)
    add_json_option(feedback)
    signals = verbs.add_parser("signals", help=_("what people do with answers, added up"))
    signals.set_defaults(run=_signals)
    signals.add_argument("--by", choices=("agent", "day", "workflow"), help=_("one line for each"))
    add_json_option(signals)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.reviews.feedback.listed(is_open=True if asked.open else None)
    if asked.json:
        print_json([each.object for each in found])
        return
    for each in found:
        print(_line(each))
    if not found:
        print(_("Nobody has said anything of an answer."))


async def _give(services: CommandServices, asked: argparse.Namespace) -> None:
    if len(asked.text) > LONGEST_WORDS:
        raise UsageError(_("Say it in at most {most} characters.").format(most=LONGEST_WORDS))
    given = await services.store.reviews.feedback.give(
        ConversationId(asked.conversation),
        None if asked.message is None else MessageId(asked.message),
        is_good=asked.rating == "up",
        reason=reason_of(asked.reason) if asked.reason else "",
        text=asked.text,
    )
    _tell(given, asked)


async def _resolve(services: CommandServices, asked: argparse.Namespace) -> None:
    _tell(await services.store.reviews.feedback.resolve(asked.id, note=asked.note), asked)


async def _signals(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.reviews.signals.totals(asked.by)
    if asked.json:
        print_json(found if asked.by else found[0])
        return
    labels = {
        "shown": _("cards shown"),
        "clicked": _("used"),
        "ctr": _("share used"),
        "suggested": _("suggestions asked"),
        "retried": _("asked again"),
        "edited": _("questions edited"),
        "stopped": _("answers stopped"),
        "left": _("forms left"),
    }
    for each in found:
        name = one_line(str(each.pop(asked.by))) + ": " if asked.by else ""
        print(name + ", ".join(f"{labels[key]} {_told(value)}" for key, value in each.items()))
    if not found:
        print(_("Nothing was counted yet."))


def _told(value: Json) -> str:
    return number(value) if isinstance(value, int | float) else "-"


def _tell(feedback: Feedback, asked: argparse.Namespace) -> None:
    print_json(feedback.object) if asked.json else print(_line(feedback))


def _line(feedback: Feedback) -> str:
    verdict = _("good") if feedback.is_good else _("poor")
    state = _("waits for a review") if feedback.is_open else ""
    said = [verdict, feedback.reason_words, one_line(feedback.text), state]
    head = f"{feedback.id:>4}  {moment(feedback.created.replace(second=0))}"
    place = f"{feedback.conversation} {feedback.message}"
    return f"{head}  {place}  {', '.join(each for each in said if each)}"
