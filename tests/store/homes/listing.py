"""What is in a data folder, as the program itself tells it: to keep, and to compare with."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

from qhub_desktop.app import Program
from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.settings import changed_settings

MOST_MESSAGES = 1_000
CHART = "5f2a"  # that a point was noted on


async def contents_of(program: Program) -> JsonObject:
    """List everything that a person could find in the data folder of a program."""
    return {
        "settings": changed_settings(program.settings),
        "states": await _states(program),
        "conversations": [
            await _conversation(program, each.id, _said(each))
            for each in await program.store.conversations.listed(include_archived=True)
        ],
        "defects": _said(await program.store.defects.log()),
        "dashboards": [
            {
                "dashboard": _said(each),
                "versions": [
                    {
                        "version": _said(version),
                        "contents": _said(
                            await program.store.dashboards.contents(each.id, version=version.number)
                        ),
                    }
                    for version in await program.store.dashboards.versions(each.id)
                ],
                "rows": _said(await program.store.dashboards.rows(each.id)),
            }
            for each in await program.store.dashboards.listed()
        ],
        "outbox": _said(await program.store.outbox.listed()),
        "agents": [
            _said(await program.store.agents.listed(each.id))
            for each in program.agent_catalogue.records()
        ],
        "monitors": _said(await program.store.monitors.listed()),
        "violations": _said(await program.store.monitors.violations()),
        "point_notes": _said(await program.store.point_notes.of(CHART)),
        "documents": _said(await program.store.documents.listed()),
        "collections": _said(await program.store.documents.collections()),
        "watched_folders": _said(await program.store.documents.watched()),
        "memories": _said(await program.store.memories.listed()),
        "budgets": _said(await program.store.costs.budgets()),
        "sent": [
            {"request": _said(each), "body": await program.store.sent.body(each.id)}
            for each in await program.store.sent.latest(limit=MOST_MESSAGES)
        ],
    }


async def _states(program: Program) -> JsonObject:
    talks = [each.id for each in await program.store.conversations.listed(include_archived=True)]
    keys = ["window", "wall", *(f"draft/{talk}" for talk in talks)]
    return {key: await program.store.settings.state(key) for key in keys}


async def _conversation(program: Program, id_: ConversationId, listed: Json) -> JsonObject:
    messages = await program.store.messages.latest(id_, limit=MOST_MESSAGES)
    pins = await program.store.datasets.pinned(id_, include_unused=True)
    datasets: list[Json] = []
    for pin in pins:
        profile = await program.workspace.profile(pin.dataset_id)
        names = [column.name for column in profile.columns]
        answer = await program.workspace.query("FROM d", {"d": pin.dataset_id}, limit=100)
        datasets.append(
            {
                "pin": _said(pin),
                "profile": _said(profile),
                "head": _said(await program.workspace.head(pin.dataset_id)),
                "rows": _said(answer.table),
                "readings": _said(await program.store.datasets.readings(names)),
            }
        )
    return {
        "conversation": listed,
        "messages": [_said(message) for message in messages],
        "usage": [_said(await program.store.messages.usage(message.id)) for message in messages],
        "datasets": datasets,
    }


def _said(value: object) -> Json:
    """A value as JSON, with moments in UTC, wherever the test runs."""
    return _in_utc(plain(value))


def _in_utc(value: Json) -> Json:
    match value:
        case dict():
            return {key: _in_utc(each) for key, each in value.items()}
        case list():
            return [_in_utc(each) for each in cast("Sequence[Json]", value)]
        case str() if "T" in value and value[:2] == "20":
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                return value
            return value if moment.tzinfo is None else moment.astimezone(UTC).isoformat()
        case _:
            return value
