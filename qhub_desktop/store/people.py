"""People with an account, the wrong secrets that were tried, and which conversations are whose."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection, IntegrityError

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import Person, Role, SecretKind
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import MalformedContentError
from qhub_desktop.store.audit import Action, append
from qhub_desktop.store.database import (
    Repository,
    from_us,
    now_us,
    read_json,
    reads,
    reads_now,
    writes,
)

IN_USE = "people/in use"  # the state that says that nobody works here without an account
_SELECT = """SELECT id, name, role, agents, kind, is_disabled, must_change, generation
    FROM people"""


@dataclass(frozen=True, slots=True)
class Failures:
    """How often in a row a wrong secret was given for a name, and until when none is tried."""

    count: int
    until: datetime


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """A conversation that a repair has saved, and of which nothing tells whose it was."""

    id: str
    messages: int
    first: datetime
    last: datetime


class PeopleRepository(Repository):
    """All accounts. What changes one stands in the audit log, in the same transaction."""

    @reads_now
    def are_in_use(self, db: Connection) -> bool:
        """Return whether people sign in here. Blocks: for start-up."""
        return are_in_use(db)

    @reads
    def listed(self, db: Connection) -> list[Person]:
        """List everybody, by name."""
        return [_person(row) for row in db.execute(f"{_SELECT} ORDER BY name")]

    @reads
    def find(self, db: Connection, name: str) -> Person:
        """Find one by the name of the account. Raises UserError if there is none."""
        return _named(db, name)

    @reads
    def with_id(self, db: Connection, id_: int) -> Person | None:
        """Find one by the id."""
        row = db.execute(f"{_SELECT} WHERE id = ?", (id_,)).fetchone()
        return _person(row) if row else None

    @reads
    def with_secret(self, db: Connection, name: str) -> tuple[Person, str] | None:
        """Find one with the hash of their secret; None if there is no such account."""
        row = db.execute(f"{_SELECT} WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        (secret,) = db.execute("SELECT secret FROM people WHERE id = ?", (row[0],)).fetchone()
        return _person(row), secret

    @writes
    def add(
        self,
        db: Connection,
        name: str,
        role: Role,
        agents: Sequence[str] | None,
        *,
        secret: str,
        kind: SecretKind,
        must_change: bool,
    ) -> Person:
        """Make an account. The first is an administrator's: from then on everybody signs in.

        What the station had becomes theirs. Raises UserError for a name that is taken, and for a
        first account of another role.
        """
        made = insert_account(
            db, name, role, agents, secret=secret, kind=kind, must_change=must_change
        )
        self._log(db, "account", name, made="yes", role=role, agents=_packed(agents) or "*")
        return made

    @writes
    def change(self, db: Connection, name: str, role: Role, agents: Sequence[str] | None) -> Person:
        """Give somebody another role, or other agents. Raises UserError for the last admin."""
        before = _named(db, name)
        if before.is_admin and role != "admin":
            _check_not_last(db, before)
        db.execute(
            "UPDATE people SET role = ?, agents = ?, generation = generation + 1 WHERE id = ?",
            (role, _packed(agents), before.id),
        )
        self._log(db, "account", name, role=role, agents=_packed(agents) or "*")
        return _named(db, name)

    @writes
    def set_disabled(self, db: Connection, name: str, *, is_disabled: bool) -> Person:
        """Keep somebody out, or let them in again. Raises UserError for the last admin."""
        before = _named(db, name)
        if is_disabled and before.is_admin:
            _check_not_last(db, before)
        db.execute(
            "UPDATE people SET is_disabled = ?, generation = generation + 1 WHERE id = ?",
            (is_disabled, before.id),
        )
        self._log(db, "account", name, disabled="yes" if is_disabled else "no")
        return _named(db, name)

    @writes
    def set_secret(
        self, db: Connection, name: str, *, secret: str, kind: SecretKind, must_change: bool
    ) -> Person:
        """Replace the hash of somebody's secret, and forget the wrong ones that were tried."""
        before = _named(db, name)
        db.execute(
            """UPDATE people SET secret = ?, kind = ?, must_change = ?, generation = generation + 1
                WHERE id = ?""",
            (secret, kind, must_change, before.id),
        )
        db.execute("DELETE FROM failures WHERE name = ?", (name,))
        self._log(db, "account", name, reset="yes" if must_change else "own")
        return _named(db, name)

    @reads
    def unclaimed(self, db: Connection) -> list[Unclaimed]:
        """List the conversations that are nobody's, without anything that was said in them."""
        if not are_in_use(db):
            return []  # the station's own
        rows = db.execute(
            """SELECT c.id, count(m.id), c.created, c.updated FROM conversations c
                LEFT JOIN messages m ON m.conversation = c.number
                WHERE c.owner = 0 AND c.is_deleted = 0 GROUP BY c.number ORDER BY c.number"""
        )
        return [
            Unclaimed(id_, count, from_us(first), from_us(last)) for id_, count, first, last in rows
        ]

    @writes
    def hand_over(self, db: Connection, id_: str, name: str) -> None:
        """Give somebody a conversation that is nobody's. Raises UserError if it is not."""
        person = _named(db, name)
        changed = db.execute(
            "UPDATE conversations SET owner = ? WHERE id = ? AND owner = 0 AND is_deleted = 0",
            (person.id, id_),
        )
        if not are_in_use(db) or not changed.rowcount:
            raise UserError(
                _(
                    "The conversation {id} is not one that belongs to nobody. See those: qhub admin"
                    " recovered list."
                ).format(id=id_)
            )
        self._log(db, "account", name, handed_over=id_)

    @reads
    def failures(self, db: Connection, name: str) -> Failures:
        """Return the wrong secrets in a row for a name, which may be no account's."""
        row = db.execute("SELECT count, until FROM failures WHERE name = ?", (name,)).fetchone()
        count, until = row or (0, 0)
        return Failures(count, from_us(until))

    @writes
    def fail(self, db: Connection, name: str, *, until: datetime, why: str) -> None:
        """Count a wrong secret for a name, and let no other be tried until then."""
        db.execute(
            """INSERT INTO failures VALUES (?, 1, ?) ON CONFLICT DO UPDATE
                SET count = count + 1, until = excluded.until""",
            (name, int(until.timestamp() * 1_000_000)),
        )
        self._log(db, "refused", name, why=why)

    @writes
    def succeed(self, db: Connection, name: str) -> None:
        """Forget the wrong secrets for a name that has given the right one."""
        db.execute("DELETE FROM failures WHERE name = ?", (name,))
        append(db, name, "sign in", name, {})

    def _log(self, db: Connection, action: Action, subject: str, **detail: str) -> None:
        append(db, self.database.actor, action, subject, dict(detail))


def insert_account(
    db: Connection,
    name: str,
    role: Role,
    agents: Sequence[str] | None,
    *,
    secret: str,
    kind: SecretKind,
    must_change: bool,
) -> Person:
    """Make an account inside a transaction, as `PeopleRepository.add` does; nothing is logged."""
    is_first = not are_in_use(db)
    if is_first and role != "admin":
        raise UserError(
            _("The first account is an administrator's. Make that one first, then the others.")
        )
    try:
        made = db.execute(
            """INSERT INTO people (name, role, agents, secret, kind, must_change, created)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (name, role, _packed(agents), secret, kind, must_change, now_us()),
        ).lastrowid
    except IntegrityError as error:
        raise UserError(
            _("There is an account '{name}' already. Choose another name.").format(name=name)
        ) from error
    if is_first:
        db.execute("INSERT OR REPLACE INTO state VALUES (?, 'true')", (IN_USE,))
        db.execute("UPDATE conversations SET owner = ? WHERE owner = 0", (made,))
        db.execute("UPDATE dashboards SET author = ? WHERE visibility = 'me'", (name,))
    return _named(db, name)


def are_in_use(db: Connection) -> bool:
    """Return whether people sign in here."""
    return db.execute("SELECT 1 FROM state WHERE key = ?", (IN_USE,)).fetchone() is not None


def _named(db: Connection, name: str) -> Person:
    row = db.execute(f"{_SELECT} WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise UserError(
            _("There is no account '{name}'. See them all: qhub admin people list.").format(
                name=name
            )
        )
    return _person(row)


def _check_not_last(db: Connection, admin: Person) -> None:
    others = "SELECT 1 FROM people WHERE role = 'admin' AND is_disabled = 0 AND id <> ?"
    if db.execute(others, (admin.id,)).fetchone() is None:
        raise UserError(
            _("'{name}' is the last administrator. Make another one first.").format(name=admin.name)
        )


def _packed(agents: Sequence[str] | None) -> str | None:
    return None if agents is None else json.dumps(list(agents))


def _unpacked(agents: str) -> tuple[str, ...]:
    listed = read_json(agents)
    if not isinstance(listed, list):
        raise MalformedContentError("not a list")
    return tuple(map(str, listed))


def _person(row: tuple[int, str, Role, str | None, SecretKind, int, int, int]) -> Person:
    id_, name, role, agents, kind, is_disabled, must_change, generation = row
    return Person(
        id_,
        name,
        role,
        None if agents is None else _unpacked(agents),
        kind,
        is_disabled=bool(is_disabled),
        must_change=bool(must_change),
        generation=generation,
    )
