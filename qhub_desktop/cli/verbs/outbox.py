"""Outbox verbs: list, withdraw and send the questions that wait for Claude."""

from __future__ import annotations  # the lighter commands do not load what sends

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import JsonAudience, TextAudience, confirm, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.message import QueuedQuestion
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext

if TYPE_CHECKING:
    from qhub_desktop.chat.outbox import Play


def declare(verbs: Verbs) -> None:
    """Declare `outbox`, with `withdraw` and `send`."""
    outbox = verbs.add_parser("outbox", help=_("the questions that wait for Claude"))
    outbox.set_defaults(run=_list)
    doing = outbox.add_subparsers(dest="doing", metavar="DOING")
    withdraw = doing.add_parser("withdraw", help=_("take a question back"))
    withdraw.set_defaults(run=_withdraw)
    withdraw.add_argument("number", type=positive, metavar="ID", help=_("as the list tells"))
    send = doing.add_parser("send", help=_("send now what waits"))
    send.set_defaults(run=_send)
    for each in (withdraw, send):
        add_json_option(each, is_nested=True)
    add_json_option(outbox)


async def queue_question(
    services: CommandServices, conversation: str, asked: argparse.Namespace
) -> None:
    """Queue a question in the outbox instead of asking it."""
    question = await services.outbox.put(conversation, asked.question)
    if asked.json:
        print_json({"type": "waiting", **_object(question)})
        return
    print(
        _("Waits for Claude as number {id}. Send it with: qhub outbox send").format(id=question.id)
    )


async def confirm_unencrypted_key(services: CommandServices, asked: argparse.Namespace) -> None:
    """Ask a person at a terminal before the key goes out unencrypted; else the engine refuses."""
    if asked.json or (host := await services.unencrypted_host()) is None:
        return
    question = _("The key would go to {host} without encryption. Send it all the same?")
    if await confirm(question.format(host=host)):
        await services.allow_unencrypted(host)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.outbox.listed()
    if asked.json:
        print_json([_object(each) for each in found])
        return
    for each in found:
        when = moment(each.created.astimezone())
        print(f"{each.id:>4}  {when}  {each.conversation}  {_state(each)}  {each.text}")
        if each.error:
            print(f"      {each.error}")
    if not found:
        print(_("No question waits for Claude."))


async def _withdraw(services: CommandServices, asked: argparse.Namespace) -> None:
    question = await services.store.outbox.withdraw(asked.number)
    if asked.json:
        print_json(_object(question))
        return
    print(_("Withdrawn: {question}").format(question=question.text))


async def _send(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Send the queued questions; return why some are still queued, or None."""
    # Questions that were refused before are sent again, since a person asks for it.
    for each in await services.outbox.waiting():
        if each.state == "failed":
            await services.outbox.requeue(each.id)
    await confirm_unencrypted_key(services, asked)
    presenter = _TerminalPresenter(is_json=asked.json)
    failure: str | None = None
    try:
        await services.outbox.send(presenter)
    except QHubError as error:
        failure = str(error)
    left = await services.outbox.waiting()
    if asked.json:
        print_json({"type": "outbox", "sent": presenter.sent, "waiting": len(left)})
    else:
        said = ngettext("{count} question answered.", "{count} questions answered.", presenter.sent)
        print(said.format(count=presenter.sent))
    refused = next((each.error for each in left if each.state == "failed"), None)
    return failure or refused


class _TerminalPresenter:
    """Output of every queued question with its answer."""

    def __init__(self, *, is_json: bool) -> None:
        self._is_json = is_json
        self.sent = 0

    async def present(self, question: QueuedQuestion, play: Play) -> bool:
        """Print the question, and the answer as it arrives."""
        if self._is_json:
            print_json({"type": "sending", **_object(question)})
            await play(JsonAudience())
        else:
            print(f"> {question.text}")
            await play(TextAudience())
        return True

    def tell(self, question: QueuedQuestion) -> None:  # noqa: ARG002  it was printed
        """Count an answered question."""
        self.sent += 1


def _state(question: QueuedQuestion) -> str:
    match question.state:
        case "sending":
            return _("being answered")
        case "failed":
            return _("refused")
        case _:
            return _("waiting")


def _object(question: QueuedQuestion) -> JsonObject:
    return {
        "id": question.id,
        "conversation": question.conversation,
        "agent": question.agent,
        "user": question.user,
        "text": question.text,
        "created": question.created.isoformat(),
        "state": question.state,
        "attempts": question.attempts,
        "error": question.error,
    }
