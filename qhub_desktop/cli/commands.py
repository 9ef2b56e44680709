"""What each command does."""

import argparse

from qhub_desktop.cli.desk import CommandDesk
from qhub_desktop.cli.printing import JsonAudience, TextAudience, print_json, table_lines
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.messages import Message
from qhub_desktop.core.packing import plain
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, moment, ngettext, number

TOP_VALUES = 5
DEFAULT_AGENT = "analise"
WHOLE = 1_000_000  # more messages than any conversation has


async def ask(desk: CommandDesk, asked: argparse.Namespace) -> str | None:
    """Answer a question; returns the sentence to fail with, if it failed."""
    desk.workspace.warm()
    conversation = await _conversation(desk, asked)
    if asked.json:
        print_json({"type": "conversation", "id": conversation})
    for path in asked.file:
        for profile in await desk.workspace.load(path, sheet=asked.sheet):
            await desk.store.pin_dataset(conversation, profile.id, profile.dataset)
    audience = JsonAudience() if asked.json else TextAudience()
    await desk.engine.reply(conversation, asked.question, audience=audience)
    return audience.failure


async def profile(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print what a file holds."""
    found = (await desk.workspace.load(asked.path, sheet=asked.sheet))[0]
    if asked.json:
        print_json(profile_object(found))
        return
    sheet = f" · {found.sheet}" if found.sheet else ""
    rows_text = ngettext("{count} row", "{count} rows", found.rows)
    size = rows_text.format(count=number(found.rows, digits=0))
    print(f"{found.file}{sheet} · {size} · {found.dataset}")
    names = ("name", "type", "missing", "distinct", "min", "max", "mean")
    rows = tuple(tuple(getattr(column, name) for name in names) for column in found.columns)
    table = Table(tuple(Column(name, "text") for name in names), rows)
    print(table_lines(table, row_count=len(rows)))
    for warning in found.warnings:
        print(f"! {warning}")


async def sql(desk: CommandDesk, asked: argparse.Namespace) -> None:
    """Print what a SELECT over a file gives."""
    desk.workspace.warm()
    profiles = await desk.workspace.load(asked.path, sheet=asked.sheet)
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
    found = (await desk.workspace.load(asked.path, sheet=asked.sheet))[0]
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


def profile_object(found: DatasetProfile) -> JsonObject:
    """A profile with the fields that other programs rely on."""
    return {
        "file": found.file,
        "sheet": found.sheet,
        "sheets": [*found.sheets],
        "rows": found.rows,
        "sha256": found.sha256,
        "dataset": found.dataset,
        "columns": [_column_object(column) for column in found.columns],
        "warnings": [*found.warnings],
    }


def _column_object(column: ColumnProfile) -> JsonObject:
    told = ("name", "type", "missing", "distinct", "min", "max", "mean", "std")
    top = [[plain(value), count] for value, count in column.top[:TOP_VALUES]]
    return {**{name: plain(getattr(column, name)) for name in told}, "top": [*top]}


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
