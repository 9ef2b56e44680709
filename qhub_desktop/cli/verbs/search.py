"""Search verbs: words in what the person has said and been told."""

from __future__ import annotations

import argparse
from datetime import date
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment

if TYPE_CHECKING:
    from qhub_desktop.store.recall import RecalledMessage


def declare(verbs: Verbs) -> None:
    """Declare `search`."""
    search = verbs.add_parser("search", help=_("words in your own conversations"))
    search.set_defaults(run=_search)
    search.add_argument("words", nargs="+", type=_word, metavar="WORDS")
    search.add_argument("--from", dest="first", type=date.fromisoformat, metavar="DATE")
    search.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DATE")
    search.add_argument("--limit", type=positive, default=20, metavar="N")
    add_json_option(search)


def _word(text: str) -> str:
    """Take a word to look for. Raises ArgumentTypeError for one without a letter or digit."""
    if not any(map(str.isalnum, text)):
        raise argparse.ArgumentTypeError(_("a word has a letter or a digit"))
    return text


async def _search(services: CommandServices, asked: argparse.Namespace) -> None:
    recall = await services.store.recall.find(
        " ".join(asked.words), first=asked.first, last=asked.last, limit=asked.limit
    )
    if asked.json:
        print_json([_object(each) for each in recall.found])
        return
    if recall.is_partial:
        print(_("No message has all of these words; these have some of them."))
    for each in recall.found:
        who = _("you") if each.role == "user" else each.agent
        print(f"{each.conversation}  {moment(each.created)}  {each.title}")
        print(f"  {who}: {each.text}")
    if not recall.found:
        print(_("Nothing was found."))


def _object(each: RecalledMessage) -> JsonObject:
    return {
        "conversation": each.conversation,
        "message": each.message,
        "created": each.created.isoformat(),
        "role": each.role,
        "excerpt": each.text,
    }
