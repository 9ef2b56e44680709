"""Effects of tool calls: what a call wrote carries its id, so that no call writes twice."""

import json
from collections.abc import Callable
from sqlite3 import Connection
from typing import cast

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.values import dataclass


@dataclass(frozen=True, slots=True)
class CallKey:
    """A tool call: the answer that it stands in, and its id there."""

    message: MessageId
    call: str


def call_key(message: MessageId | None, call: str) -> CallKey | None:
    """Return the key of a call as a tool knows it; None for one that no answer has made."""
    return None if message is None or not call else CallKey(message, call)


def once(db: Connection, key: CallKey | None, write: Callable[[], JsonObject]) -> JsonObject:
    """Write for a call, and return the result; where it has written, return its first result.

    Inside the transaction of the write. An id is a call's own in its answer alone: some services
    count anew with each. So one from another answer of the conversation is the same call only where
    nobody has been told its result.
    """
    if key is None:
        return write()
    before = db.execute(
        """SELECT message, result FROM effects
            WHERE conversation = (SELECT conversation FROM messages WHERE id = ?) AND call = ?""",
        (key.message, key.call),
    ).fetchone()
    if before is not None:
        message, result = before
        if message == key.message or not _is_told(db, CallKey(message, key.call)):
            return cast("JsonObject", json.loads(result))
    made = write()
    db.execute(
        """INSERT INTO effects (conversation, call, message, result)
            SELECT conversation, ?, id, ? FROM messages WHERE id = ?
            ON CONFLICT DO UPDATE SET message = excluded.message, result = excluded.result""",
        (key.call, json.dumps(made), key.message),
    )
    return made


def _is_told(db: Connection, key: CallKey) -> bool:
    found = db.execute(
        """SELECT 1 FROM blocks WHERE message = ? AND kind = 'tool_result' AND json_valid(data)
            AND json_extract(data, '$.call_id') = ?
            AND NOT coalesce(json_extract(data, '$.is_error'), 0)""",
        (key.message, key.call),
    )
    return found.fetchone() is not None
