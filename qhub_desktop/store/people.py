"""People with an account, the wrong secrets that were tried, and which conversations are whose."""

# Why it is so: decisions/accounts.md

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from sqlite3 import Connection, IntegrityError

from qhub_desktop.core.errors import SessionOverError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.person import (
    ADMINS,
    ROLES,
    Person,
    Role,
    SecretKind,
    drawn_as,
    may_have,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import MalformedContentError
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import Action, append
from qhub_desktop.store.database import (
    Repository,
    from_us,
    now_us,
    read_json,
    reads,
    reads_now,
    transaction,
    writes,
)
from qhub_desktop.store.rights import IN_USE, are_in_use, check_account, requires

WAIT_CAP_S = 3600.0  # whatever stands in the file
LONGEST_TRY_S = 10.0  # a secret is compared in 0.04 s, on a very busy computer in some seconds
CLOCKS_DIFFER_S = 60.0  # two programs may read the time since the computer's start a little apart
_SELECT_PEOPLE = """SELECT id, name, role, agents, kind, is_disabled, must_change, generation
    FROM people"""


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """A conversation that a repair has saved, and of which nothing tells whose it was."""

    id: ConversationId
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
    def check_account(self, db: Connection, *roles: Role) -> None:
        """Raise as `store.rights.check_account` does: before what is done outside of the file."""
        check_account(db, self.database, roles or ROLES)

    @reads_now
    def check_account_now(self, db: Connection, *roles: Role) -> None:
        """Check as `check_account` does. Blocks: for what closes the window."""
        check_account(db, self.database, roles or ROLES)

    @reads
    @requires(*ADMINS)
    def listed(self, db: Connection) -> list[Person]:
        """List everybody, by name."""
        return [_person(row) for row in db.execute(f"{_SELECT_PEOPLE} ORDER BY name")]

    @reads
    def find(self, db: Connection, name: str) -> Person:
        """Find one by the name of the account. Raises UserError if there is none."""
        return named_in(db, name)

    @reads
    def with_id(self, db: Connection, id_: int) -> Person | None:
        """Find one by the id."""
        row = db.execute(f"{_SELECT_PEOPLE} WHERE id = ?", (id_,)).fetchone()
        return _person(row) if row else None

    @reads
    def with_secret(self, db: Connection, name: str) -> tuple[Person, str] | None:
        """Find one with the hash of their secret; None if there is no such account."""
        row = db.execute(f"{_SELECT_PEOPLE} WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        (secret,) = db.execute("SELECT secret FROM people WHERE id = ?", (row[0],)).fetchone()
        return _person(row), secret

    @reads
    def with_pin(self, db: Connection) -> list[str]:
        """List who signs in with a PIN, by name: they choose their face where they work."""
        return [
            name
            for (name,) in db.execute(
                "SELECT name FROM people WHERE kind = 'pin' AND is_disabled = 0 ORDER BY name"
            )
        ]

    @reads
    def has_administrator(self, db: Connection) -> bool:
        """Return whether an administrator can sign in with a password."""
        row = db.execute(
            """SELECT 1 FROM people
                WHERE role = 'admin' AND kind = 'password' AND is_disabled = 0"""
        ).fetchone()
        return row is not None

    async def add(
        self,
        name: str,
        role: Role,
        agents: Sequence[str] | None,
        *,
        secret: str,
        kind: SecretKind,
        must_change: bool,
    ) -> Person:
        """Make an account. The first is an administrator's: from then on everybody signs in.

        What the station had becomes theirs, and this program acts for them. Raises UserError for a
        name that is taken or looks like another, and for a first account of another role.
        """

        def work(db: Connection) -> Person:
            with transaction(db):
                check_account(db, self.database, ADMINS)
                is_first = not are_in_use(db)
                made = insert_account(
                    db, name, role, agents, secret=secret, kind=kind, must_change=must_change
                )
                detail = {"made": "yes", "role": role, "agents": _packed(agents) or "*"}
                self._log(db, "account", name, **detail)
            if is_first:
                self.database.person = made
            return made

        return await self.database.run(work)

    @writes
    @requires(*ADMINS)
    def change(self, db: Connection, name: str, role: Role, agents: Sequence[str] | None) -> Person:
        """Give somebody another role, or other agents.

        Raises UserError for the last administrator, and for a role with rights over others of
        whoever has a PIN: it would have to sign them in once more to be replaced, so their password
        is reset first.
        """
        before = named_in(db, name)
        if before.is_admin and role != "admin":
            check_not_last(db, before)
        if not may_have(role, before.kind):
            raise UserError(
                _(
                    "'{name}' signs in with a PIN, which is for operators alone. Reset their"
                    " password first, then give them the role."
                ).format(name=name)
            )
        db.execute(
            "UPDATE people SET role = ?, agents = ?, generation = generation + 1 WHERE id = ?",
            (role, _packed(agents), before.id),
        )
        self._log(db, "account", name, role=role, agents=_packed(agents) or "*")
        return named_in(db, name)

    @writes
    @requires(*ADMINS)
    def set_disabled(self, db: Connection, name: str, *, is_disabled: bool) -> Person:
        """Keep somebody out, or let them in again. Raises UserError for the last admin."""
        before = named_in(db, name)
        if is_disabled and before.is_admin:
            check_not_last(db, before)
        db.execute(
            "UPDATE people SET is_disabled = ?, generation = generation + 1 WHERE id = ?",
            (is_disabled, before.id),
        )
        self._log(db, "account", name, disabled="yes" if is_disabled else "no")
        return named_in(db, name)

    @writes
    @requires(*ADMINS)
    def reset_secret(self, db: Connection, name: str, *, secret: str, kind: SecretKind) -> Person:
        """Replace the hash of somebody's secret by one that they have to replace."""
        reset = _set_secret(db, named_in(db, name), secret, kind, must_change=True)
        self._log(db, "account", name, reset="yes")
        return reset

    async def replace_own_secret(self, person: Person, *, secret: str, kind: SecretKind) -> Person:
        """Replace the hash of the secret with which this person has just signed in.

        The program in which they work goes on. Raises SessionOverError where the account was
        disabled, changed or reset meanwhile.
        """

        def work(db: Connection) -> Person:
            with transaction(db):
                now = named_in(db, person.name)
                if now.is_disabled or now.generation != person.generation:
                    raise SessionOverError(
                        _("Your account was changed just now. Sign in again, and try once more.")
                    )
                changed = _set_secret(db, now, secret, kind, must_change=False)
                append(db, person.name, "account", person.name, {"reset": "own"})
            here = self.database.person
            if here is not None and here.id == changed.id:
                self.database.person = changed
            return changed

        return await self.database.run(work)

    @reads
    @requires(*ADMINS)
    def unclaimed(self, db: Connection) -> list[Unclaimed]:
        """List the conversations without an owner, without anything that was said in them."""
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
    @requires(*ADMINS)
    def hand_over(self, db: Connection, id_: ConversationId, name: str) -> None:
        """Give a conversation without an owner to a person. Raises UserError if it has one."""
        person = named_in(db, name)
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

    @writes
    def begin_try(
        self,
        db: Connection,
        name: str,
        *,
        wait_after_s: Callable[[int], float],
        uptime_s: Callable[[], float],
    ) -> float | None:
        """Count a try for a name as a wrong one before its secret is compared; 0 to compare it now.

        Else nothing is counted: what is left of the wait is returned, in seconds, or None where it
        depends on tries that are being compared just now; `refuse` or `succeed` ends each. Whoever
        tries takes the wait of a wrong try (`wait_after_s` of how many those are) before anything
        is compared, in one transaction: of tries in many programs at once no more are compared than
        of tries one after the other. `succeed` gives it back.

        A wait passes by `uptime_s`, the time since the computer's start, never by its clock: set
        ahead it buys no try, and set to another year and back it keeps nobody out. Smaller than
        when the wait was last looked at, that time tells of a new start, and all of it has passed
        since. While the computer is off, a wait stands still; none is longer than `WAIT_CAP_S`.
        """
        now_s = uptime_s()  # read here: no other program can have looked later than this one
        count, pending, wait_us, looked_us = db.execute(
            "SELECT count, pending, wait_us, uptime_us FROM failures WHERE name = ?", (name,)
        ).fetchone() or (0, 0, 0, 0)
        passed_s = now_s - looked_us / 1e6
        if passed_s < 0:
            passed_s = now_s if passed_s < -CLOCKS_DIFFER_S else 0.0
        if passed_s > LONGEST_TRY_S:
            pending = 0  # those programs were ended, and their tries count
        left_s = max(min(wait_us / 1e6, WAIT_CAP_S) - passed_s, 0.0)
        if left_s and pending:
            return None
        wait_s = left_s
        if not left_s:
            count, pending = count + 1, pending + 1
            wait_s = min(wait_after_s(count), WAIT_CAP_S)
        db.execute(
            "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)",
            (name, count, pending, round(wait_s * 1e6), round(now_s * 1e6)),
        )
        return left_s

    @writes
    def refuse(self, db: Connection, name: str, *, why: str) -> None:
        """End a try for a name that was wrong; it was counted when it began."""
        db.execute("UPDATE failures SET pending = max(pending - 1, 0) WHERE name = ?", (name,))
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
    _check_kind(role, kind)
    for (other,) in db.execute("SELECT name FROM people"):
        if other != name and drawn_as(other) == drawn_as(name):
            raise UserError(
                _("The account '{other}' looks the same as '{name}'. Choose another name.").format(
                    other=other, name=name
                )
            )
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
        db.execute(
            "UPDATE memories SET owner = ? WHERE owner = 0 AND path NOT GLOB '/memories/estacao/*'",
            (made,),
        )
        db.execute("UPDATE refused_services SET owner = ?", (made,))
        db.execute("UPDATE dashboards SET author = ? WHERE visibility = 'me'", (name,))
        db.execute("UPDATE appended SET owner = ?", (made,))
    return named_in(db, name)


def _set_secret(
    db: Connection, person: Person, secret: str, kind: SecretKind, *, must_change: bool
) -> Person:
    """Replace the hash, and forget the wrong ones that were tried. Inside a transaction."""
    _check_kind(person.role, kind)
    db.execute(
        """UPDATE people SET secret = ?, kind = ?, must_change = ?, generation = generation + 1
            WHERE id = ?""",
        (secret, kind, must_change, person.id),
    )
    db.execute("DELETE FROM failures WHERE name = ?", (person.name,))
    return named_in(db, person.name)


def _check_kind(role: Role, kind: SecretKind) -> None:
    if not may_have(role, kind):
        raise UserError(
            _("A PIN is for operators at a shared station. Choose a password of 8 characters.")
        )


def named_in(db: Connection, name: str) -> Person:
    """Find a person by the name of the account. Raises UserError if there is none."""
    row = db.execute(f"{_SELECT_PEOPLE} WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise UserError(
            _("There is no account '{name}'. See them all: qhub admin people list.").format(
                name=name
            )
        )
    return _person(row)


def check_not_last(db: Connection, admin: Person) -> None:
    """Raise UserError for the last administrator who can sign in."""
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
