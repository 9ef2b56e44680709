"""Erasure: a note taken out of the contexts, calls, answers and sent requests that told it."""

import json
import zlib
from collections.abc import Collection, Iterable
from sqlite3 import Connection

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json
from qhub_desktop.core.context import Context
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.memory import ERASED, ROOT, TOOL, without_note
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.database import read_json
from qhub_desktop.store.digests import is_as_recorded, record_digest
from qhub_desktop.store.messages import index

_SHORTEST = 6  # characters of a text that is looked for in others: 'sim' may stand anywhere


@dataclass(frozen=True, slots=True)
class Told:
    """A note that was told: every path that it had, and every text."""

    paths: Collection[str]
    texts: Collection[str]

    def erase(self, db: Connection, owner: int | None) -> None:
        """Take it out of everything that was said to this owner, to anybody if None; out of what
        was sent, too. Inside a transaction.
        """
        context, called, result, text = (
            codec.TAGS[each] for each in (Context, ToolCall, ToolResult, Text)
        )
        rows = db.execute(
            """SELECT b.message, b.position, b.kind, b.data FROM blocks b
                JOIN messages m ON m.id = b.message
                JOIN conversations c ON c.number = m.conversation
                WHERE (?1 IS NULL OR c.owner = ?1) AND (b.kind = ?2 OR (b.kind IN (?3, ?4, ?5)
                    AND EXISTS (SELECT 1 FROM blocks WHERE message = b.message AND kind = ?3
                        AND data LIKE ?6)))
                ORDER BY b.message, b.position""",
            (owner, context, called, result, text, f'%"{TOOL}"%'),
        ).fetchall()
        changed: set[MessageId] = set()
        is_sound: dict[
            MessageId, bool
        ] = {}  # a damaged message keeps the digest by which that is known
        for message, position, kind, data in rows:
            try:
                value = read_json(data)
            except ValueError:
                continue
            clean = self._context_without(value) if kind == context else self.without(value)
            if clean == value:
                continue
            if message not in is_sound:
                is_sound[message] = is_as_recorded(db, message)
            if clean is None:
                db.execute(
                    "DELETE FROM blocks WHERE message = ? AND position = ?", (message, position)
                )
                continue
            db.execute(
                "UPDATE blocks SET data = ? WHERE message = ? AND position = ?",
                (json.dumps(clean, separators=(",", ":")), message, position),
            )
            if kind == text:
                changed.add(message)
        for message in changed:
            index(db, message)
        for message, was_sound in is_sound.items():
            if was_sound:
                record_digest(db, message)
        self._erase_damaged(db)
        self._erase_sent(db)

    def _erase_damaged(self, db: Connection) -> None:
        for id_, row in db.execute("SELECT id, row FROM damaged").fetchall():
            value = read_json(row)
            if (clean := self.without(value)) != value:
                db.execute("UPDATE damaged SET row = ? WHERE id = ?", (json.dumps(clean), id_))

    def _erase_sent(self, db: Connection) -> None:
        for id_, content in db.execute("SELECT id, content FROM sent_parts").fetchall():
            try:
                value = read_json(zlib.decompress(content))
            except (ValueError, zlib.error):
                continue
            clean = self.without(value)
            if clean == value:
                continue
            packed = zlib.compress(json.dumps(clean, ensure_ascii=False).encode(), 6)
            # Under no digest of its own: it is not the part that a later request may have.
            db.execute(
                "UPDATE sent_parts SET digest = randomblob(16), size = ?, content = ? WHERE id = ?",
                (len(packed), packed, id_),
            )

    def _context_without(self, value: Json) -> Json:
        """Return a context without the note; None if nothing is left of it."""
        if not isinstance(value, dict) or not isinstance(sections := value.get("sections"), dict):
            return value
        told = sections.get("memoria")
        if not isinstance(told, str):
            return value
        left = self._section_without(told)
        kept = {name: each for name, each in sections.items() if name != "memoria"}
        kept |= {"memoria": left} if left else {}
        return {**value, "sections": kept} if kept else None

    def without(self, value: Json) -> Json:
        """Return a value in which nothing of the note is left."""
        match value:
            case str():
                return self._text_without(value)
            case list():
                return [self.without(each) for each in value]
            case dict():
                is_of_note = value.get("caminho") in self.paths
                return {
                    name: ERASED
                    if is_of_note and name in ("texto", "antigo")
                    else self.without(each)
                    for name, each in value.items()
                }
            case _:
                return value

    def _text_without(self, text: str) -> str:
        if text.startswith("{"):  # a result that was sent is JSON in a text
            try:
                value = read_json(text)
            except ValueError:
                pass
            else:
                clean = self.without(value)
                return text if clean == value else json.dumps(clean, ensure_ascii=False)
        if "<memoria>" in text:
            text = self._section_without(text)
        for each in _longest_first(self.texts):
            if len(each) >= _SHORTEST:
                text = text.replace(each, ERASED).replace(" ".join(each.split()), ERASED)
        return text

    def _section_without(self, text: str) -> str:
        for path in self.paths:
            text = without_note(text, path.removeprefix(f"{ROOT}/"))
        return text


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=len, reverse=True)
