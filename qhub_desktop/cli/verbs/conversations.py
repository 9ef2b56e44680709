"""Conversation verbs: the list, and a whole conversation."""

import argparse

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, add_search_option
from qhub_desktop.core.codec import JsonObject, plain
from qhub_desktop.core.message import Message
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment

WHOLE = 1_000_000  # more messages than any conversation has


def declare(verbs: Verbs) -> None:
    """Declare `conversations` and `show`."""
    conversations = verbs.add_parser("conversations", help=_("the conversations, newest first"))
    conversations.set_defaults(run=_list)
    add_search_option(conversations)
    add_json_option(conversations)

    show = verbs.add_parser("show", help=_("a conversation, whole"))
    show.set_defaults(run=_show)
    show.add_argument("id", metavar="ID")
    add_json_option(show)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.conversations.listed(search=asked.search)
    if asked.json:
        print_json(
            [
                {
                    "id": each.id,
                    "agent": each.agent,
                    "title": each.title,
                    "created": each.created.isoformat(),
                    "updated": each.updated.isoformat(),
                    "snippet": each.snippet,
                }
                for each in found
            ]
        )
        return
    for each in found:
        print(f"{each.id}  {moment(each.updated.astimezone())}  {each.agent:<10}  {each.title}")


async def _show(services: CommandServices, asked: argparse.Namespace) -> None:
    conversation = await services.store.conversations.find(asked.id)
    messages = await services.store.messages.latest(asked.id, limit=WHOLE)
    if asked.json:
        print_json(
            {
                "id": conversation.id,
                "agent": conversation.agent,
                "title": conversation.title,
                "created": conversation.created.isoformat(),
                "messages": [_message_object(message) for message in messages],
            }
        )
        return
    print(conversation.title)
    agent = services.agents.get(conversation.agent)
    for message in messages:
        who = _("You") if message.role == "user" else agent.name if agent else conversation.agent
        print(f"\n{who} · {moment(message.created.astimezone())}\n{message.text}")


def _message_object(message: Message) -> JsonObject:
    return {
        "id": message.id,
        "role": message.role,
        "created": message.created.isoformat(),
        "engine": message.engine,
        "end": message.end,
        "text": message.text,
        "blocks": [plain(block) for block in message.blocks],
    }
