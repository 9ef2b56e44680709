"""What was sent to services: each request as it went out, kept for a while in little room.

A request repeats most of the one before it: its parts (a block of the system prompt, a tool, a
block of a message) are kept once, compressed, and the request is a list of their numbers.
"""

from __future__ import annotations  # events bring all that is shown with them, 40 ms

import hashlib
import json
import zlib
from collections.abc import Iterator
from datetime import datetime
from sqlite3 import Connection
from typing import TYPE_CHECKING

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.documents import EMBEDDINGS_PATH
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.untrusted import hide_secrets, sanitize
from qhub_desktop.core.untrusted_files import parse_object
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.database import Repository, from_us, now_us, read_json, reads, writes
from qhub_desktop.store.deletion import DAY_US
from qhub_desktop.store.rights import are_in_use

if TYPE_CHECKING:
    from qhub_desktop.core.events import UsageCounted

MOST_BYTES = 64_000_000  # of all that is kept; the oldest goes
SWEPT_EVERY = 16  # requests: looking for what is too old costs more than keeping one more
_CACHE_MARK = "cache_control"  # moves from block to block with every request


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent; `message` is the answer that it was for, `size` that of its body.

    `usage` is None where the service told none: it failed, or was asked for something else.
    """

    id: int
    created: datetime
    message: MessageId | None
    host: str
    path: str
    model: str
    size: int
    usage: UsageCounted | None

    @property
    def address(self) -> str:
        """To whom it went, and which model was asked."""
        return f"{self.host}{self.path}" + (f" · {self.model}" if self.model else "")

    @property
    def amount(self) -> str:
        """How much it was, and what it took and cost."""
        parts = [
            _("{size} KB").format(size=number(self.size / 1000, digits=1)),
        ]
        if (took := self.usage) is not None:
            parts.append(
                _("{read} tokens read · {written} written").format(
                    read=number(took.read_tokens), written=number(took.output_tokens)
                )
            )
            if took.cost_usd is not None:
                parts.append(f"{number(took.cost_usd, digits=4)} US$")
        return " · ".join(parts)


class HeldRequests:
    """Log of requests that are sent before there is a place to keep them."""

    def __init__(self) -> None:
        self._held: list[tuple[int, str, str, str, JsonObject]] = []

    async def add(
        self,
        *,
        host: str,
        path: str,
        model: str,
        body: JsonObject,
        message: MessageId | None,  # noqa: ARG002  there is no answer yet that it could be for
        days: int,  # noqa: ARG002  they are kept for as long as the station's settings say
    ) -> int:
        """Hold a request, and return its number."""
        self._held.append((now_us(), host, path, model, body))
        return len(self._held)

    async def add_usage(self, id_: int, /, usage: UsageCounted) -> None:
        """Ignore what a request took: of questions that are no test."""

    async def sweep(self, *, days: int) -> None:
        """Drop what is older than so many days: nothing is."""

    def keep(self, db: Connection) -> None:
        """Keep what was held, inside a transaction."""
        for created, host, path, model, body in self._held:
            _insert(db, created, host=host, path=path, model=model, body=body, message=None)


# What was sent for a conversation is seen by its person; what was sent for none, by everybody: it
# holds nothing of anybody's, but for texts of documents, which not all may read.
_MINE = """(sent.message IS NULL OR EXISTS (SELECT 1 FROM messages
    JOIN mine ON mine.number = messages.conversation WHERE messages.id = sent.message))"""


class SentRepository(Repository):
    """The requests that were sent for the person's conversations, the latest first."""

    @writes
    def add(
        self,
        db: Connection,
        *,
        host: str,
        path: str,
        model: str,
        body: JsonObject,
        message: MessageId | None,
        days: int,
    ) -> int:
        """Keep a request, and return its number; what is older than `days` may go.

        What a secret in use is part of is kept without it.
        """
        id_ = _insert(db, now_us(), host=host, path=path, model=model, body=body, message=message)
        if id_ % SWEPT_EVERY == 0:
            _sweep(db, days)
        return id_

    @writes
    def add_usage(self, db: Connection, id_: int, usage: UsageCounted) -> None:
        """Keep what a request took, once the service has said it."""
        db.execute(
            """UPDATE sent SET input_tokens = ?, output_tokens = ?, cache_read_tokens = ?,
                cache_write_tokens = ?, cost_usd = ? WHERE id = ?""",
            (
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.cost_usd,
                id_,
            ),
        )

    @reads
    def latest(
        self, db: Connection, *, limit: int, message: MessageId | None = None
    ) -> list[SentRequest]:
        """List the latest requests, the latest first; those for one answer if it is given."""
        rows = db.execute(
            f"""SELECT id, created, message, host, path, model, size, input_tokens, output_tokens,
                cache_read_tokens, cache_write_tokens, cost_usd
                FROM sent WHERE (?1 IS NULL OR message = ?1) AND {_MINE}
                ORDER BY id DESC LIMIT ?2""",  # noqa: S608
            (message, limit),
        )
        return [_request(*row) for row in rows]

    @reads
    def body(self, db: Connection, id_: int) -> JsonObject:
        """Read the body of a request; {} where it is not kept any more, or not theirs.

        Texts of documents that were sent for no answer are for administrators.
        """
        person = self.database.person
        sees_all = not are_in_use(db) if person is None else person.role in ADMINS
        found = f"""SELECT manifest FROM sent
            WHERE id = ?1 AND {_MINE} AND (?2 OR message IS NOT NULL OR path <> ?3)"""  # noqa: S608
        row = db.execute(found, (id_, sees_all, EMBEDDINGS_PATH)).fetchone()
        return {} if row is None else _whole(db, _unpacked(row[0]))

    @reads
    def kept_bytes(self, db: Connection) -> int:
        """Return how much room the kept requests take."""
        return _kept_bytes(db)

    @writes
    def sweep(self, db: Connection, *, days: int) -> None:
        """Drop what is older than so many days, or more than there is room for."""
        _sweep(db, days)


def _insert(
    db: Connection,
    created: int,
    *,
    host: str,
    path: str,
    model: str,
    body: JsonObject,
    message: MessageId | None,
) -> int:
    written = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    id_ = db.execute(
        """INSERT INTO sent (created, message, host, path, model, size, manifest)
            VALUES (?, ?, ?, ?, ?, ?, x'')""",
        (created, message, host, path, model, len(written.encode("utf-8", "replace"))),
    ).lastrowid
    assert id_ is not None
    manifest = _Parts(db, id_).pack(body)
    db.execute("UPDATE sent SET manifest = ? WHERE id = ?", (_packed(manifest), id_))
    return id_


def _request(
    id_: int,
    created: int,
    message: MessageId | None,
    host: str,
    path: str,
    model: str,
    size: int,
    read: int | None,
    written: int,
    cache_read: int,
    cache_written: int,
    cost_usd: float | None,
) -> SentRequest:
    from qhub_desktop.core.events import UsageCounted

    usage = None
    if read is not None:
        usage = UsageCounted(model, read, written, cache_read, cache_written, cost_usd)
    return SentRequest(id_, from_us(created), message, host, path, model, size, usage)


class _Parts:
    """Keeps the parts of one request, each once for all requests."""

    def __init__(self, db: Connection, request: int) -> None:
        self._db = db
        self._request = request

    def pack(self, body: JsonObject) -> JsonObject:
        """Return a body with a number for each of its parts."""
        return {name: self._field(name, value) for name, value in body.items()}

    def _field(self, name: str, value: Json) -> Json:
        match name, value:
            case (("system" | "tools"), list(items)):
                return [self._part(each) for each in items]
            case "messages", list(messages):
                return [self._message(each) for each in messages]
            case _:
                return value

    def _message(self, message: Json) -> Json:
        if isinstance(message, dict) and isinstance(blocks := message.get("content"), list):
            return {**message, "content": [self._part(each) for each in blocks]}
        return [self._part(message)]

    def _part(self, value: Json) -> Json:
        mark = value.get(_CACHE_MARK) if isinstance(value, dict) else None
        if mark is not None and isinstance(value, dict):
            value = {name: each for name, each in value.items() if name != _CACHE_MARK}
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        content = sanitize(hide_secrets(text)).encode()
        digest = hashlib.sha256(content).digest()[:16]
        found = self._db.execute(
            "UPDATE sent_parts SET last = ? WHERE digest = ? RETURNING id",
            (self._request, digest),
        ).fetchone()
        if found is None:
            packed = zlib.compress(content, 6)
            found = self._db.execute(
                "INSERT INTO sent_parts (digest, last, size, content) VALUES (?, ?, ?, ?)"
                " RETURNING id",
                (digest, self._request, len(packed), packed),
            ).fetchone()
        number: int = found[0]
        return number if mark is None else [number, mark]


def _whole(db: Connection, manifest: JsonObject) -> JsonObject:
    """Put a request together again."""

    def part(place: Json) -> Json:
        number, mark = (place[0], place[1]) if isinstance(place, list) else (place, None)
        row = db.execute("SELECT content FROM sent_parts WHERE id = ?", (number,)).fetchone()
        value = read_json(zlib.decompress(row[0])) if row is not None else None
        return (
            {**value, _CACHE_MARK: mark} if mark is not None and isinstance(value, dict) else value
        )

    def message(packed: Json) -> Json:
        if isinstance(packed, dict) and isinstance(places := packed.get("content"), list):
            return {**packed, "content": [part(each) for each in places]}
        return part(packed[0]) if isinstance(packed, list) else packed

    def fields() -> Iterator[tuple[str, Json]]:
        for name, value in manifest.items():
            match name, value:
                case (("system" | "tools"), list(places)):
                    yield name, [part(each) for each in places]
                case "messages", list(messages):
                    yield name, [message(each) for each in messages]
                case _:
                    yield name, value

    return dict(fields())


def _packed(manifest: JsonObject) -> bytes:
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(sanitize(hide_secrets(text)).encode(), 6)


def _unpacked(packed: bytes) -> JsonObject:
    return parse_object(zlib.decompress(packed))


def _kept_bytes(db: Connection) -> int:
    parts = db.execute("SELECT coalesce(sum(size), 0) FROM sent_parts").fetchone()
    manifests = db.execute("SELECT coalesce(sum(length(manifest)), 0) FROM sent").fetchone()
    total: int = parts[0] + manifests[0]
    return total


def drop_unused_parts(db: Connection) -> None:
    """Drop the parts of requests that are gone, from the middle too. Inside a transaction."""
    last: dict[int, int] = {}
    for id_, manifest in db.execute("SELECT id, manifest FROM sent ORDER BY id"):
        last.update(dict.fromkeys(_part_numbers(_unpacked(manifest)), id_))
    parts = db.execute("SELECT id, last FROM sent_parts").fetchall()
    db.executemany(
        "DELETE FROM sent_parts WHERE id = ?", [(p,) for p, _l in parts if p not in last]
    )
    db.executemany(
        "UPDATE sent_parts SET last = ? WHERE id = ?",
        [(last[part], part) for part, before in parts if last.get(part, before) != before],
    )


def _part_numbers(manifest: JsonObject) -> Iterator[int]:
    """Yield the numbers of a request's parts, where `_Parts` has put them."""
    for name, value in manifest.items():
        if name not in ("system", "tools", "messages") or not isinstance(value, list):
            continue
        for each in value:
            places = each.get("content") if isinstance(each, dict) else each
            in_message = name == "messages" and isinstance(places, list)
            for place in places if in_message and isinstance(places, list) else [places]:
                number_ = place[0] if isinstance(place, list) else place
                if isinstance(number_, int):
                    yield number_


def _sweep(db: Connection, days: int) -> None:
    db.execute("DELETE FROM sent WHERE created <= ?", (now_us() - days * DAY_US,))
    while True:
        # A part belongs to every request from its first to its last: with that one gone, to none.
        db.execute("DELETE FROM sent_parts WHERE last NOT IN (SELECT id FROM sent)")
        count = db.execute("SELECT count(*) FROM sent").fetchone()[0]
        if not count or _kept_bytes(db) <= MOST_BYTES:
            return
        # A quarter at a time: requests that follow each other share most of their parts.
        db.execute(
            "DELETE FROM sent WHERE id IN (SELECT id FROM sent ORDER BY id LIMIT ?)",
            (count // 4 + 1,),
        )
