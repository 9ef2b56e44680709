"""What each command does."""

import argparse

from qhub_desktop.cli.desk import CommandDesk
from qhub_desktop.cli.outbox import let_wait
from qhub_desktop.cli.printing import JsonAudience, TextAudience, print_json, table_lines
from qhub_desktop.cli.profiles import profile_lines, profile_object
from qhub_desktop.core.codec import plain
from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.message import Message
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, moment, ngettext, number

DEFAULT_AGENT = "analise"
WHOLE = 1_000_000  # more messages than any conversation has


async def ask(desk: CommandDesk, asked: argparse.Namespace) -> str | None:
    """Answer a question; returns the sentence to fail with, if it failed."""
    desk.workspace.warm()
    conversation = await _conversation(desk, asked)
    if asked.json:
        print_json({"type": "conversation", "id": conversation})
    for path in asked.file:
        for profile in await desk.workspace.load(path, sheet=asked.sheet, password=asked.password):
            await desk.store.pin_dataset(conversation, profile.id, profile.dataset)
    if asked.queue:
        await let_wait(desk, conversation, asked)
        return None
    audience = JsonAudience() if asked.json else TextAudience()
    await desk.engine.reply(conversation, asked.question, audience=audience)
    return audience.failure


async def profile(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print what a file holds."""
    found = await _loaded(desk, asked)
    if asked.json:
        print_json(profile_object(found))
        return
    for line in profile_lines(found):
        print(line)


async def sql(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print what a SELECT over a file gives."""
    desk.workspace.warm()
    profiles = await _loaded(desk, asked)
    tables = {each.dataset: each.id for each in profiles}
    try:
        answer = await desk.workspace.query(asked.select, tables, limit=asked.limit)
    except ToolError as error:
        raise UserError(str(error)) from error
    if not asked.json:
        print(table_lines(answer.table, row_count=answer.row_count))
        return
    print_json(
        {
            "columns": answer.table.names,
            "types": [column.type for column in answer.table.columns],
            "rows": answer.table.rows,
            "row_count": answer.row_count,
        }
    )


async def export(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Write what a file holds, or what a SELECT over it gives, to another file."""
    found = (await _loaded(desk, asked))[0]
    try:
        written = await desk.workspace.export(found.id, asked.target.absolute(), sql=asked.sql)
    except ToolError as error:
        raise UserError(str(error)) from error
    if asked.json:
        print_json({"file": str(asked.target), "rows": written.rows, "warnings": [*written.notes]})
        return
    rows_text = ngettext("{count} row", "{count} rows", written.rows)
    print(f"{asked.target.name} · {rows_text.format(count=number(written.rows, digits=0))}")
    for note in written.notes:
        print(f"! {note}")


async def agents(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print the agents."""
    listed = [
        {
            "id": agent.id,
            "name": agent.name,
            "summary": agent.summary[language()],
            "tools": agent.tools,
        }
        for agent in desk.agents.values()
    ]
    if asked.json:
        print_json(listed)
        return
    for each in listed:
        print(f"{each['id']:<12}{each['name']}: {each['summary']}")


async def conversations(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print the conversations, newest first."""
    found = await desk.store.conversations(search=asked.search)
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


async def show(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print a conversation, whole."""
    conversation = await desk.store.conversation(asked.id)
    messages = await desk.store.messages(asked.id, limit=WHOLE)
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
    for message in messages:
        who = _("You") if message.role == "user" else desk.agents[conversation.agent].name
        print(f"\n{who} · {moment(message.created.astimezone())}\n{message.text}")


async def _loaded(desk: CommandDesk, asked: argparse.Namespace) -> tuple[DatasetProfile, ...]:
    """The data sets of the file that is asked about, read as the call says."""
    choices = ImportChoices(
        header_row=asked.header, separator=asked.separator, encoding=asked.encoding
    )
    return await desk.workspace.load(
        asked.path,
        sheet=asked.sheet,
        password=asked.password,
        choices=None if choices == ImportChoices() else choices,
    )


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


async def _conversation(desk: CommandDesk, asked: argparse.Namespace) -> str:
    if asked.conversation is None:
        return (await desk.store.create_conversation(asked.agent or DEFAULT_AGENT)).id
    found = await desk.store.conversation(asked.conversation)
    if asked.agent not in (None, found.agent):
        raise UserError(
            _("Conversation {id} is with the agent {agent}. Leave --agent out.").format(
                id=found.id, agent=found.agent
            )
        )
    return found.id
