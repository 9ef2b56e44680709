"""Recall: a person's own messages found by their words, and what stands around one of them."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from sqlite3 import Connection
from typing import Literal

from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.memory import RECALL_TOOL
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import fold_in_place
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.conversations import MOST_WORDS, own_number, snippet_of
from qhub_desktop.store.database import Repository, as_us, from_us, reads
from qhub_desktop.store.rights import requires

SHORTEST_WORD = 3  # letters; shorter ones are in every message
LONGEST_SINGULAR = 4  # letters that a plural's s is not taken from
WEIGHED = 300  # messages with some of the words, the latest
NEAR = 2  # messages on either side of one


@dataclass(frozen=True, slots=True)
class RecalledMessage:
    """One message of the person's own: `text` is an excerpt around the words, or all of it."""

    conversation: ConversationId
    message: MessageId
    created: datetime
    agent: str
    title: str
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Recall:
    """Messages that were found, the best first; `is_partial` where none has all the words."""

    found: tuple[RecalledMessage, ...]
    is_partial: bool = False


_SELECT_SAID = """SELECT c.id, m.id, m.created, c.agent, c.title, m.role, t.text
    FROM {source} CROSS JOIN messages m ON m.id = {message}
    JOIN mine c ON c.number = m.conversation JOIN texts t ON t.message = m.id
    WHERE c.is_deleted = 0 AND m.is_superseded = 0 AND {condition}"""


_NO_RECALL = """NOT EXISTS (SELECT 1 FROM blocks b JOIN messages a ON a.id = b.message
    WHERE b.message IN (m.id, (SELECT min(n.id) FROM messages n
            WHERE n.conversation = m.conversation AND n.is_superseded = 0 AND n.id > m.id))
        AND a.engine = 'offline' AND b.kind = 'tool_call' AND instr(b.data, :recall))"""


class RecallRepository(Repository):
    """What the person has said and been told, in every conversation of theirs, archived ones too.

    What was deleted is never found, and nothing of anybody else's.
    """

    @reads
    @requires(*ROLES)
    def find(
        self,
        db: Connection,
        words: str,
        *,
        first: date | None = None,
        last: date | None = None,
        agent: str = "",
        conversation: ConversationId = NO_CONVERSATION,
        before: MessageId | None = None,
        limit: int = 5,
        characters: int = 300,
    ) -> Recall:
        """Find the latest messages with all of the words, else those with the most of them; without
        words the latest.

        `first` and `last` are days on the station's clock; of the conversation under way, only what
        stands before the message `before` is found. An answer that looks for what was said finds no
        earlier look of the offline engine, which said nothing but what it had found.
        """
        conditions = ["m.created >= :first", "m.created < :end"]
        given: dict[str, object] = {
            "first": 0 if first is None else as_us(_midnight(first)),
            "end": 2**62 if last is None else as_us(_midnight(last + timedelta(days=1))),
            "limit": limit,
        }
        if agent:
            conditions.append("c.agent = :agent")
            given["agent"] = agent
        if conversation:
            conditions.append("c.number = :number")
            given["number"] = own_number(db, conversation)
        if before is not None:
            conditions.append(
                """NOT (m.conversation = (SELECT conversation FROM messages WHERE id = :before)
                    AND m.id >= (SELECT max(id) FROM messages WHERE role = 'user' AND id <= :before
                        AND conversation = m.conversation))"""
            )
            conditions.append(_NO_RECALL)
            given |= {"before": before, "recall": RECALL_TOOL}
        condition = " AND ".join(conditions)
        asked = words_of(words)
        if not asked:
            select = _SELECT_SAID.format(source="texts s", message="s.message", condition=condition)
            latest = db.execute(f"{select} ORDER BY m.id DESC LIMIT :limit", given)
            return Recall(tuple(_message(row, "", characters) for row in latest))
        # The latest come first, by the index alone. To weigh every message that has a word of many
        # took 500 ms of 100,000, so of those with some of the words the latest are weighed.
        select = _SELECT_SAID.format(
            source="text_search s",
            message="s.rowid",
            condition=f"text_search MATCH :match AND {condition} ORDER BY s.rowid DESC LIMIT :most",
        )
        for joint, most in ((" ", limit), (" OR ", WEIGHED)):
            given |= {"match": joint.join(f'"{word}"*' for word in asked), "most": most}
            rows = db.execute(select, given).fetchall()
            if rows:
                best = sorted(rows, key=lambda row: -_words_in(row[-1], asked))[:limit]
                found = tuple(_message(row, " ".join(asked), characters) for row in best)
                return Recall(found, is_partial=joint != " ")
        return Recall(())

    @reads
    @requires(*ROLES)
    def around(
        self,
        db: Connection,
        conversation: ConversationId,
        message: MessageId,
        *,
        characters: int = 1_000,
    ) -> tuple[RecalledMessage, ...]:
        """Return a message of one's own and two on either side of it. Raises UserError for a
        conversation that is none of theirs; there may be no such message in it.
        """
        number = own_number(db, conversation)
        near = """SELECT id FROM messages WHERE conversation = :number AND is_superseded = 0
            AND id {} :message ORDER BY id {} LIMIT :near"""
        given = {"number": number, "message": message, "near": NEAR}
        ids = [id_ for (id_,) in db.execute(near.format(">", "ASC"), given)]
        given["near"] += 1
        ids += [id_ for (id_,) in db.execute(near.format("<=", "DESC"), given)]
        if message not in ids:
            return ()
        select = _SELECT_SAID.format(source="texts s", message="s.message", condition="m.id = ?")
        rows = [db.execute(select, (id_,)).fetchone() for id_ in sorted(ids)]
        return tuple(_message(row, "", characters) for row in rows if row is not None)


def words_of(search: str) -> list[str]:
    """Return the words of a search without accents, plurals by their singular."""
    words = "".join(each if each.isalnum() else " " for each in fold_in_place(sanitize(search)))
    long = [each.lower() for each in words.split() if len(each) >= SHORTEST_WORD or each.isdigit()]
    bare = [
        each[:-1] if len(each) > LONGEST_SINGULAR and each.endswith("s") else each for each in long
    ]
    return [*dict.fromkeys(bare)][:MOST_WORDS]


def _words_in(text: str, words: Sequence[str]) -> int:
    """Return how many of the words begin a word of the text."""
    said = re.findall(r"[^\W_]+", fold_in_place(text).lower())
    return sum(any(each.startswith(word) for each in said) for word in words)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()


def _message(
    row: tuple[ConversationId, MessageId, int, str, str, Literal["user", "assistant"], str],
    words: str,
    characters: int,
) -> RecalledMessage:
    conversation, message, created, agent, title, role, text = row
    shown = snippet_of(text, words, characters=characters)
    return RecalledMessage(conversation, message, from_us(created), agent, title, role, shown)
