"""Versions of the agents: each edit is one, with who made it and when; none is ever changed."""

# Why it is so: decisions/agents.md

import json
from dataclasses import replace
from datetime import datetime
from sqlite3 import Connection

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import append
from qhub_desktop.store.database import (
    Repository,
    from_us,
    now_us,
    read_json,
    reads,
    reads_now,
    writes,
)
from qhub_desktop.store.rights import requires

_SELECT_VERSIONS = "SELECT agent, number, at, person, note, content FROM agent_versions"
_LATEST = """SELECT agent, max(number), at, person, note, content FROM agent_versions
    GROUP BY agent ORDER BY agent"""  # SQLite takes the other columns from the row of the maximum


@dataclass(frozen=True, slots=True)
class AgentVersion:
    """An agent as it was from then on.

    `content` is None where it was removed. Number 0 is what had shipped when it was first edited,
    and nobody's. `person` is empty at a station without accounts. `name` is what a removed one was
    called last, where it is the version that holds.
    """

    agent: str
    number: int
    at: datetime
    person: str
    note: str
    content: JsonObject | None
    name: str = ""


class AgentRepository(Repository):
    """All versions. What adds one stands in the audit log, in the same transaction."""

    @reads_now
    def latest_now(self, db: Connection) -> list[AgentVersion]:
        """Return the version that holds of each agent that was edited. Blocks: for start-up."""
        return _latest(db)

    @reads
    def latest(self, db: Connection) -> list[AgentVersion]:
        """Return the version that holds of each agent that was edited."""
        return _latest(db)

    @reads
    @requires(*ADMINS)
    def originals(self, db: Connection) -> dict[str, JsonObject]:
        """Return what had shipped of each agent when it was first edited."""
        rows = db.execute(f"{_SELECT_VERSIONS} WHERE number = 0 AND content IS NOT NULL")
        return {version.agent: version.content or {} for version in map(_version, rows)}

    @reads
    @requires(*ADMINS)
    def listed(self, db: Connection, agent: str) -> list[AgentVersion]:
        """List the versions of an agent, the latest first; none where it is as it ships."""
        rows = db.execute(
            f"{_SELECT_VERSIONS} WHERE agent = ? ORDER BY number DESC", (sanitize(agent),)
        )
        return [_version(row) for row in rows]

    @writes
    @requires(*ADMINS)
    def add(
        self,
        db: Connection,
        agent: str,
        content: JsonObject | None,
        *,
        after: int,
        note: str,
        detail: JsonObject,
        shipped: JsonObject | None,
    ) -> AgentVersion:
        """Add a version; without content, one that removes the agent.

        `after` is the number of the version that was edited, 0 for an agent as it ships, whose
        content is then kept as well. Raises UserError where somebody has added another meanwhile.
        """
        last = db.execute(
            f"{_SELECT_VERSIONS} WHERE agent = ? ORDER BY number DESC LIMIT 1", (agent,)
        ).fetchone()
        if last is not None and last[1] != after:
            before = _version(last)
            raise UserError(
                _(
                    "Meanwhile {who} has saved version {number} of this agent ({when}). Nothing was"
                    " overwritten: open the agent again, and compare."
                ).format(
                    who=before.person or _("somebody"),
                    number=before.number,
                    when=moment(before.at),
                )
            )
        if last is None and shipped is not None:
            _insert(db, (agent, 0, now_us(), "", "", json.dumps(shipped)))
        number = after + 1
        packed = None if content is None else json.dumps(content)
        said = " ".join(sanitize(note).split())
        _insert(db, (agent, number, now_us(), self.database.actor, said, packed))
        append(db, self.database.actor, "agent", agent, {"version": number, **detail})
        row = db.execute(
            f"{_SELECT_VERSIONS} WHERE agent = ? AND number = ?", (agent, number)
        ).fetchone()
        return _version(row)


def _latest(db: Connection) -> list[AgentVersion]:
    found = [_version(row) for row in db.execute(_LATEST).fetchall()]
    return [each if each.content is not None else _named(db, each) for each in found]


def _named(db: Connection, removed: AgentVersion) -> AgentVersion:
    row = db.execute(
        f"{_SELECT_VERSIONS} WHERE agent = ? AND content IS NOT NULL ORDER BY number DESC LIMIT 1",
        (removed.agent,),
    ).fetchone()
    name = (_version(row).content or {}).get("name") if row is not None else None
    return replace(removed, name=name) if isinstance(name, str) else removed


def _insert(db: Connection, row: tuple[str, int, int, str, str, str | None]) -> None:
    db.execute("INSERT INTO agent_versions VALUES (?, ?, ?, ?, ?, ?)", row)


def _version(row: tuple[str, int, int, str, str, str | None]) -> AgentVersion:
    agent, number, at, person, note, packed = row
    content = None if packed is None else _content(packed)
    return AgentVersion(agent, number, from_us(at), person, note, content)


def _content(packed: str) -> JsonObject:
    """Decode a version; of a damaged one nothing, which no agent can be made of."""
    try:
        content = read_json(packed)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
