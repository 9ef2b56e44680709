"""Rights: whoever acts is looked up in the file, in the transaction of what they do.

What a program remembers of its person may be old: another one may have disabled the account since,
given it another role, or reset its password. Each of these raises its generation.
"""

# Why it is so: decisions/accounts.md

from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from sqlite3 import Connection
from typing import Concatenate, ParamSpec, TypeVar

from qhub_desktop.core.errors import SessionOverError
from qhub_desktop.core.person import ROLES, Role, check_role
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.database import Database, Repository, snapshot

IN_USE = "people/in use"  # the state that says that nobody works here without an account

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")
Subject = TypeVar("Subject", bound=Repository)
Work = Callable[Concatenate[Subject, Connection, Inputs], Output]


def requires(
    *roles: Role,
) -> Callable[[Work[Subject, Inputs, Output]], Work[Subject, Inputs, Output]]:
    """Let a method that `reads` or `writes` work only for an account of these roles.

    It raises as `check_account` does, and nothing is read or written then.
    """

    def decorate(work: Work[Subject, Inputs, Output]) -> Work[Subject, Inputs, Output]:
        @wraps(work)
        def method(
            subject: Subject, db: Connection, /, *args: Inputs.args, **kwargs: Inputs.kwargs
        ) -> Output:
            with nullcontext() if db.in_transaction else snapshot(db):
                check_account(db, subject.database, roles)
                return work(subject, db, *args, **kwargs)

        return method

    return decorate


def check_account(db: Connection, database: Database, roles: Collection[Role] = ROLES) -> None:
    """Raise SessionOverError unless the account that acts is as it was when its person signed in,
    and UserError for one of another role. At a station without accounts, everybody may do all.
    """
    person = database.person
    if person is None:
        if are_in_use(db):
            raise SessionOverError(
                _("People sign in here now. Sign in with an account of your own to go on.")
            )
        return
    row = db.execute(
        "SELECT role, is_disabled, generation FROM people WHERE id = ?", (person.id,)
    ).fetchone()
    if row is None or row[1]:
        raise SessionOverError(
            _(
                "The account {name} was disabled, so nothing more can be done with it. Whoever"
                " manages the accounts can let it in again."
            ).format(name=person.name)
        )
    if row[2] != person.generation:
        raise SessionOverError(
            _(
                "The account {name} was changed in another program: its role, its agents or its"
                " password. Sign in again to go on."
            ).format(name=person.name)
        )
    check_role(replace(person, role=row[0]), roles)


def are_in_use(db: Connection) -> bool:
    """Return whether people sign in here."""
    return db.execute("SELECT 1 FROM state WHERE key = ?", (IN_USE,)).fetchone() is not None
