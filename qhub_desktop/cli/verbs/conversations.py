"""Conversation verbs: questions and their answers, the outbox, the agents, the list."""

from __future__ import annotations  # the lighter commands do not load what sends

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.cli.keyboard import confirm
from qhub_desktop.cli.printing import JsonAudience, TextAudience, print_json, quote_lines
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_file_option,
    add_json_option,
    add_other_option,
    add_overwrite_option,
    add_password_option,
    add_search_option,
    check_free,
    positive,
)
from qhub_desktop.cli.verbs.network import ask_proxy_login
from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.events import CostAsked, CostChoice
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message, NumberCheck, QueuedQuestion
from qhub_desktop.core.person import account_name
from qhub_desktop.core.settings import EngineChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, moment, ngettext, number
from qhub_desktop.store.deletion import UNDONE_DAYS

if TYPE_CHECKING:
    from qhub_desktop.chat.outbox import Play
    from qhub_desktop.tools.deletion import Deleted, HoldingCopies

# The log of how questions are read; the engine itself is loaded later.
EXPLANATIONS = "qhub_desktop.nlq.dialogue.selection"
WHOLE = 1_000_000  # more messages than any conversation has


def declare(verbs: Verbs) -> None:
    """Declare `ask`, `outbox`, `agents`, `conversations` and `show`."""
    ask = verbs.add_parser("ask", help=_("ask a question and watch the answer"))
    ask.set_defaults(run=_ask)
    ask.add_argument(
        "--agent", metavar="NAME", help=_("who answers, as `qhub agents` lists (default: analise)")
    )
    ask.add_argument(
        "--engine",
        choices=get_args(EngineChoice),
        help=_("what answers (default: the setting)"),
    )
    ask.add_argument(
        "--file", action="append", type=Path, default=[], metavar="PATH", help=_("a file to load")
    )
    ask.add_argument("--sheet", metavar="NAME", help=_("only this sheet of the files"))
    ask.add_argument("--conversation", metavar="ID", help=_("go on with this conversation"))
    ask.add_argument(
        "--queue", action="store_true", help=_("let it wait for Claude until there is a network")
    )
    ask.add_argument(
        "--explain",
        action="store_true",
        help=_("tell how the offline engine reads it, on standard error"),
    )
    reading = ask.add_mutually_exclusive_group()
    reading.add_argument(
        "--readings",
        action="store_true",
        help=_("print what it may mean, with the values, as JSON, and answer nothing"),
    )
    reading.add_argument(
        "--reading", type=positive, metavar="N", help=_("answer this one of what it may mean")
    )
    ask.add_argument("question", metavar="QUESTION")
    add_answer_option(ask)
    add_password_option(ask)
    add_json_option(ask)

    outbox = verbs.add_parser("outbox", help=_("the questions that wait for Claude"))
    outbox.set_defaults(run=_list_waiting)
    doing = outbox.add_subparsers(dest="doing", metavar="DOING")
    withdraw = doing.add_parser("withdraw", help=_("take a question back"))
    withdraw.set_defaults(run=_withdraw)
    withdraw.add_argument("number", type=positive, metavar="ID", help=_("as the list tells"))
    send = doing.add_parser("send", help=_("send now what waits"))
    send.set_defaults(run=_send_waiting)
    for each in (withdraw, send):
        add_json_option(each, is_nested=True)
    add_json_option(outbox)

    agents = verbs.add_parser("agents", help=_("the agents"))
    agents.set_defaults(run=_agents)
    add_json_option(agents)

    _declare_conversations(verbs)

    show = verbs.add_parser("show", help=_("a conversation, whole"))
    show.set_defaults(run=_show)
    show.add_argument("id", metavar="ID")
    add_other_option(show)
    add_json_option(show)


def _declare_conversations(verbs: Verbs) -> None:
    conversations = verbs.add_parser("conversations", help=_("the conversations, newest first"))
    conversations.set_defaults(run=_list)
    doing = conversations.add_subparsers(dest="doing", metavar="DOING")
    export = doing.add_parser("export", help=_("write one to a file: .md, .json or .pdf"))
    export.set_defaults(run=_export)
    export.add_argument("id", metavar="ID")
    export.add_argument("--to", type=Path, required=True, metavar="FILE", help=_("this file"))
    add_overwrite_option(export)
    import_ = doing.add_parser("import", help=_("take in one that was exported as .json"))
    import_.set_defaults(run=_import)
    add_file_option(import_)
    check = doing.add_parser("check", help=_("verify the messages, and repair damaged ones"))
    check.set_defaults(run=_check)
    check.add_argument("id", nargs="?", metavar="ID", help=_("this one alone"))
    check.add_argument(
        "--repair", action="store_true", help=_("from the safety copies, after making one")
    )
    delete = doing.add_parser(
        "delete", help=_("delete one; for {days} days it can be restored").format(days=UNDONE_DAYS)
    )
    delete.set_defaults(run=_delete)
    delete.add_argument("--forever", action="store_true", help=_("for good, at once"))
    restore = doing.add_parser("restore", help=_("bring back one that was deleted"))
    restore.set_defaults(run=_restore)
    for each in (delete, restore):
        each.add_argument("id", metavar="ID")
    for each in (export, import_, check, delete, restore):
        add_json_option(each, is_nested=True)
    add_search_option(conversations)
    add_other_option(conversations)
    add_json_option(conversations)


async def _ask(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Answer a question; return the error message if it failed, or None."""
    services.workspace.warm()
    if asked.explain:
        _print_explanations()
    conversation = await _conversation(services, asked)
    if asked.json and not asked.readings:
        print_json({"type": "conversation", "id": conversation})
    for path in asked.file:
        for profile in await services.workspace.load(
            path, sheet=asked.sheet, password=asked.password
        ):
            await services.store.datasets.pin(conversation, profile.id, profile.dataset)
    if await services.screen.blocks(asked.question):  # whatever else is asked of it
        return await answer_question(services, conversation, asked.question, asked)
    if asked.queue:
        await queue_question(services, conversation, asked)
        return None
    if asked.readings:
        await _print_readings(services, conversation, asked.question)
        return None
    wanted = None
    if asked.reading is not None:
        wanted = await _chosen_plan(services, conversation, asked.question, asked.reading)
    return await answer_question(services, conversation, asked.question, asked, wanted=wanted)


async def _print_readings(
    services: CommandServices, conversation: ConversationId, question: str
) -> None:
    """Print what a question may mean and what each comes to; it is not asked."""
    found = await services.readings.read(conversation, question)
    readings: list[Json] = []
    for each in found.readings:
        value = await services.readings.value(conversation, each.plan)
        readings.append({**_object(each), "value": plain(value)})
    print_json({"conversation": conversation, **_object(found), "readings": readings})


def _object(value: object) -> JsonObject:
    fields = plain(value)
    assert isinstance(fields, dict)
    return fields


async def _chosen_plan(
    services: CommandServices, conversation: ConversationId, question: str, number: int
) -> JsonObject:
    """Return the plan of a reading by its number. Raises UserError where there is none."""
    found = await services.readings.read(conversation, question)
    if number > len(found.readings):
        told = ngettext(
            "That can be read in {count} way: see --readings.",
            "That can be read in {count} ways: see --readings.",
            len(found.readings),
        )
        raise UserError(told.format(count=len(found.readings)))
    return found.readings[number - 1].plan


def add_answer_option(parser: argparse.ArgumentParser) -> None:
    """Declare --answer and --yes, for a verb that has a question answered."""
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="TEXT",
        help=_("to a question that the answer asks: words, an option, or its number; repeatable"),
    )
    parser.add_argument(
        "--yes", action="store_true", help=_("send it without asking, whatever it may cost")
    )


async def answer_question(
    services: CommandServices,
    conversation: ConversationId,
    words: str,
    asked: argparse.Namespace,
    *,
    wanted: JsonObject | None = None,
) -> str | None:
    """Have a question answered; return the error message if that failed, or None.

    `wanted` is the plan that was chosen for it.
    """
    await confirm_unencrypted_key(services, asked)
    audience = JsonAudience(asked.answer) if asked.json else TextAudience(asked.answer)
    unsent = ""

    async def confirm_cost(request: CostAsked) -> CostChoice:
        nonlocal unsent
        cost = _("This question may cost about {usd} US$.").format(
            usd=number(request.usd, digits=2)
        )
        question = _("{cost} Send it all the same?").format(cost=cost)
        if not asked.json and await confirm(question):
            return "send"
        unsent = _("{cost} It was not sent: add --yes, or ask with --engine offline.").format(
            cost=cost
        )
        return "cancel"

    await services.turns.reply(
        conversation,
        words,
        audience=audience,
        wanted=wanted,
        confirm=None if asked.yes else confirm_cost,
    )
    if (
        isinstance(audience, TextAudience)
        and audience.fault == "proxy_login"
        and await ask_proxy_login(services, why=audience.failure or "")
    ):
        audience = TextAudience(asked.answer)
        await services.turns.retry(conversation, audience=audience)
    return unsent or audience.failure


def _print_explanations() -> None:
    """Print how each question is read, as the engine's log has it."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    log = logging.getLogger(EXPLANATIONS)
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate = False


async def _conversation(services: CommandServices, asked: argparse.Namespace) -> ConversationId:
    if asked.conversation is None:
        return (await services.store.conversations.create(_agent(services, asked.agent))).id
    found = await services.store.conversations.find(asked.conversation)
    if asked.agent not in (None, found.agent):
        raise UserError(
            _("Conversation {id} is with the agent {agent}. Leave --agent out.").format(
                id=found.id, agent=found.agent
            )
        )
    return found.id


def _agent(services: CommandServices, chosen: str | None) -> str:
    """Return the id of the agent to ask, of those that the person may use."""
    ids = [*services.agents]
    if chosen is None and ids:
        return DEFAULT_AGENT if DEFAULT_AGENT in ids else ids[0]
    if chosen not in ids:
        raise UserError(
            _("There is no agent '{name}'. There are: {names}.").format(
                name=chosen or DEFAULT_AGENT, names=", ".join(ids) or "-"
            )
        )
    return chosen


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
    if asked.other is None:
        found = await services.store.conversations.listed(search=asked.search)
    else:
        reading = services.store.audited_reading(services.chosen.policy)
        found = await reading.listed(account_name(asked.other), search=asked.search)
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


async def _export(services: CommandServices, asked: argparse.Namespace) -> None:
    _check_own(asked)
    check_free(asked.to, asked)
    await services.conversation_files.export(asked.id, asked.to)
    if asked.json:
        print_json({"id": asked.id, "file": str(asked.to)})
        return
    print(_("Written: {path}").format(path=asked.to))


async def _import(services: CommandServices, asked: argparse.Namespace) -> None:
    _check_own(asked)
    imported = await services.conversation_files.import_file(asked.path)
    made = imported.conversation
    if asked.json:
        told: JsonObject = {"id": made.id, "agent": made.agent, "title": made.title}
        print_json({**told, "left_out": [*imported.left_out]} if imported.left_out else told)
        return
    print(_("Taken in as the conversation {id}: {title}").format(id=made.id, title=made.title))
    if imported.notice:
        print(imported.notice)


async def _check(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Print what is damaged; return how much of it is left, or None."""
    from qhub_desktop.store.verified_messages import damage_text

    _check_own(asked)
    integrity = services.store.integrity
    report = await (integrity.repair if asked.repair else integrity.check)(asked.id)
    if asked.json:
        print_json({"checked": report.checked, "damaged": report.damaged})
    else:
        for each in report.damaged:
            source = each.repaired_from
            repaired = "" if source is None else _("Repaired: {source}").format(source=source)
            words = f"{damage_text(each.kind)} {repaired}".rstrip()
            print(f"{each.conversation}  {each.message}  {words}")
        told = ngettext("{count} message verified.", "{count} messages verified.", report.checked)
        print(told.format(count=report.checked))
    if not report.left:
        return None
    left = ngettext(
        "{count} message is damaged. Repair it with: qhub conversations check --repair",
        "{count} messages are damaged. Repair them with: qhub conversations check --repair",
        report.left,
    )
    return left.format(count=report.left)


async def _delete(services: CommandServices, asked: argparse.Namespace) -> None:
    """Delete a conversation: so that it can be restored, or for good."""
    _check_own(asked)
    conversations = services.store.conversations
    if not asked.forever:
        await conversations.find(asked.id)
        await conversations.set_deleted(asked.id, is_deleted=True)
        if asked.json:
            print_json({"id": asked.id, "forever": False, "days": UNDONE_DAYS})
            return
        said = _("Deleted. For {days} days it comes back with: qhub conversations restore {id}")
        print(said.format(days=UNDONE_DAYS, id=asked.id))
        return
    deleted = await services.deletion.delete_conversation(asked.id)
    copies = await services.deletion.holding_copies()
    if asked.json:
        print_json(
            {"id": asked.id, "forever": True, **deleted_object(deleted, copies)},
        )
        return
    print_deleted(deleted, copies)


async def _restore(services: CommandServices, asked: argparse.Namespace) -> None:
    _check_own(asked)
    await services.store.conversations.set_deleted(asked.id, is_deleted=False)
    found = await services.store.conversations.find(asked.id)
    if asked.json:
        print_json({"id": found.id, "title": found.title})
    else:
        print(_("{title} is in the list again.").format(title=found.title or found.id))


def deleted_object(deleted: Deleted, copies: HoldingCopies) -> JsonObject:
    """Return what went for good, and which safety copies still hold it, for programs."""
    return {
        "deleted": {**deleted.rows},
        "complete": deleted.is_complete,
        "copies": copies.count,
        "copies_until": copies.until.isoformat() if copies.until else None,
    }


def print_deleted(deleted: Deleted, copies: HoldingCopies) -> None:
    """Print what went for good, and which safety copies still hold it."""
    for name, count in deleted.rows.items():
        print(f"{name:<24}{number(count):>10}")
    for notice in filter(None, (deleted.notice, copies.notice)):
        print(notice)


def _check_own(asked: argparse.Namespace) -> None:
    if asked.other is not None:
        raise UserError(
            _("Only one's own conversations are written to files, taken in, deleted or restored.")
        )


async def _show(services: CommandServices, asked: argparse.Namespace) -> None:
    messages: Sequence[Message]
    if asked.other is None:
        you = _("You")
        conversation = await services.store.conversations.find(asked.id)
        messages = await services.store.messages.latest(asked.id, limit=WHOLE)
    else:
        you = account_name(asked.other)
        reading = services.store.audited_reading(services.chosen.policy)
        whole = await reading.read(you, asked.id)
        conversation, messages = whole.conversation, whole.messages
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
    name = services.agent_catalogue.name_of(conversation.agent)
    for message in messages:
        who = you if message.role == "user" else name
        words = message.text or message.blocked_words or ""
        print(f"\n{who} · {moment(message.created.astimezone())}\n{words}")
        cited = [block for block in message.blocks if isinstance(block, Citation)]
        print("\n".join(quote_lines(message.text, cited)), end="\n" if cited else "")


def _message_object(message: Message) -> JsonObject:
    checked = (block.counts for block in message.blocks if isinstance(block, NumberCheck))
    return {
        "id": message.id,
        "role": message.role,
        "created": message.created.isoformat(),
        "engine": message.engine,
        "end": message.end,
        "text": message.text,
        "figures": next(checked, None),
        "blocks": [plain(block) for block in message.blocks],
    }


async def queue_question(
    services: CommandServices, conversation: ConversationId, asked: argparse.Namespace
) -> None:
    """Queue a question in the outbox instead of asking it."""
    question = await services.outbox.put(conversation, asked.question)
    if asked.json:
        print_json({"type": "waiting", **_question_object(question)})
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


async def _list_waiting(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.outbox.listed()
    if asked.json:
        print_json([_question_object(each) for each in found])
        return
    for each in found:
        when = moment(each.created.astimezone())
        print(f"{each.id:>4}  {when}  {each.conversation}  {_question_state(each)}  {each.text}")
        if each.error:
            print(f"      {each.error}")
    if not found:
        print(_("No question waits for Claude."))


async def _withdraw(services: CommandServices, asked: argparse.Namespace) -> None:
    question = await services.store.outbox.withdraw(asked.number)
    if asked.json:
        print_json(_question_object(question))
        return
    print(_("Withdrawn: {question}").format(question=question.text))


async def _send_waiting(services: CommandServices, asked: argparse.Namespace) -> str | None:
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
            print_json({"type": "sending", **_question_object(question)})
            await play(JsonAudience())
        else:
            audience = TextAudience()
            audience.show_question(question.text)
            await play(audience)
        return True

    def tell(self, question: QueuedQuestion) -> None:  # noqa: ARG002  it was printed
        """Count an answered question."""
        self.sent += 1


def _question_state(question: QueuedQuestion) -> str:
    match question.state:
        case "sending":
            return _("being answered")
        case "failed":
            return _("refused")
        case _:
            return _("waiting")


def _question_object(question: QueuedQuestion) -> JsonObject:
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
