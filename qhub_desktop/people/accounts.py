"""Signing in: accounts, whose secrets are kept as Argon2 hashes alone, and their sessions.

A session is a signed token that says who signed in and until when, kept in the key store if asked.
"""

# Why it is so: decisions/accounts.md

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.keystore import forget_secret, read_secret, save_secret
from qhub_desktop.core.person import (
    LONGEST_SECRET,
    FirstAccount,
    Person,
    Role,
    SecretKind,
    account_name,
    may_have,
    new_account_name,
)
from qhub_desktop.core.secret_rules import kind_of_secret
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MOST_FACES = 24  # that are looked through faster than a name is typed
FREE_TRIES = 3  # wrong ones in a row that cost no wait
FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 900.0
PATIENCE_S, LOOK_S = 20.0, 0.1  # for other programs that sign in with the same name
# Without what is taken for another: 0 and O, 1 and l.
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
MADE_GROUPS, GROUP_LETTERS = 3, 4  # 60 bits, read out at a desk
SESSION_HOURS = 8
REMEMBERED_DAYS = 30
ALGORITHM = "HS256"
SKEW = timedelta(minutes=5)

Now = Callable[[], datetime]


class People(Protocol):
    """Store of the accounts, by the names of `account_name`."""

    async def with_secret(self, name: str) -> tuple[Person, str] | None:
        """Find one with the hash of the secret."""
        ...

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
        """Make one."""
        ...

    async def reset_secret(self, name: str, *, secret: str, kind: SecretKind) -> Person:
        """Replace the hash of somebody's secret by one that they have to replace."""
        ...

    async def replace_own_secret(self, person: Person, *, secret: str, kind: SecretKind) -> Person:
        """Replace the hash of the secret with which somebody has just signed in."""
        ...

    async def with_pin(self) -> list[str]:
        """List who signs in with a PIN, by name."""
        ...

    async def has_administrator(self) -> bool:
        """Return whether an administrator can sign in with a password."""
        ...

    async def begin_try(
        self, name: str, *, wait_after_s: Callable[[int], float], uptime_s: Callable[[], float]
    ) -> float | None:
        """Count a try as a wrong one before it is compared; 0 to compare it now.

        Else how long to wait, in seconds, or None where others are being compared just now.
        """
        ...

    async def refuse(self, name: str, *, why: str) -> None:
        """Note that a try was wrong."""
        ...

    async def succeed(self, name: str) -> None:
        """Forget the wrong ones."""
        ...


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that was made or reset, with the secret where the program chose it.

    `secret` is for showing once; it is kept nowhere.
    """

    person: Person
    secret: str | None


class Accounts:
    """The accounts of a station, and the one way in.

    `uptime_s` tells the time since the computer's start, the same to every program on it.
    """

    def __init__(self, people: People, *, uptime_s: Callable[[], float] = time.monotonic) -> None:
        self._people = people
        self._uptime_s = uptime_s

    async def sign_in(self, written: str, secret: str) -> Person:
        """Return who signs in. Raises UserError if the name or the secret is wrong.

        It says the same, and takes as long, whether there is such an account or not. After a few
        wrong secrets for a name none is tried for a while, not even the right one.
        """
        try:
            name = account_name(written)
        except UserError:
            await self._compare(None, secret)
            raise _wrong() from None
        await self._begin_try(name)
        found = await self._people.with_secret(name)
        is_right = await self._compare(found[1] if found else None, secret)
        if found is None or not is_right or found[0].is_disabled:
            why = "unknown" if found is None else "secret" if not is_right else "disabled"
            await self._people.refuse(name, why=why)
            raise _wrong()
        await self._people.succeed(name)
        return await self._with_a_fit_secret(found[0])

    async def with_pin(self) -> list[str]:
        """List who signs in with a PIN, by name; none where there are too many to look through."""
        names = await self._people.with_pin()
        return names if len(names) <= MOST_FACES else []

    async def _begin_try(self, name: str) -> None:
        """Take the wait of a wrong try. Raises UserError while one is to be waited for.

        Programs that sign in at once wait for one another: each may have the right secret.
        """
        for _look in range(round(PATIENCE_S / LOOK_S)):
            left_s = await self._people.begin_try(
                name, wait_after_s=_wait_s, uptime_s=self._uptime_s
            )
            if left_s is not None:
                break
            await asyncio.sleep(LOOK_S)
        else:
            raise UserError(
                _("Several programs sign in with this name just now. Try again in a moment.")
            )
        if left_s > 0:
            raise _locked(left_s)

    async def _with_a_fit_secret(self, person: Person) -> Person:
        """Return who has signed in, unless it was with a PIN that gives rights over others.

        An earlier version let a PIN outlive a promotion. It is no way in any more, but for an
        administrator where no other could reset it: they have to choose a password first.
        """
        if not person.needs_password:
            return person
        if not person.is_admin or await self._people.has_administrator():
            raise UserError(
                _(
                    "This account has a PIN, which is for operators alone. An administrator has to"
                    " reset its password."
                )
            )
        return replace(person, must_change=True)

    async def add(
        self, written: str, role: Role, agents: Sequence[str] | None, *, secret: str | None = None
    ) -> NewAccount:
        """Make an account; without a secret one is chosen, which its person has to replace.

        Raises UserError for a name or a secret that cannot be one, and for a PIN that is not an
        operator's.
        """
        name = new_account_name(written)
        chosen, kind = _chosen(secret, role, name)
        person = await self._people.add(
            name,
            role,
            agents,
            secret=await _hashed(chosen),
            kind=kind,
            must_change=secret is None,
        )
        return NewAccount(person, chosen if secret is None else None)

    async def reset(self, person: Person, *, secret: str | None = None) -> NewAccount:
        """Give somebody a new secret, which they have to replace; without one it is chosen."""
        chosen, kind = _chosen(secret, person.role, person.name)
        changed = await self._people.reset_secret(
            person.name, secret=await _hashed(chosen), kind=kind
        )
        return NewAccount(changed, chosen if secret is None else None)

    async def change_own(self, person: Person, *, old: str, new: str) -> Person:
        """Replace one's own secret. Raises UserError if the old one is wrong."""
        now = await self.sign_in(person.name, old)
        if new == old:
            raise UserError(_("Choose another one than the old one."))
        chosen, kind = _chosen(new, now.role, now.name)
        return await self._people.replace_own_secret(now, secret=await _hashed(chosen), kind=kind)

    @cached_property
    def _nobodys(self) -> str:
        return _hasher().hash(secrets.token_hex())

    async def _compare(self, kept: str | None, secret: str) -> bool:
        """Compare with a hash; with none it takes as long."""
        return await asyncio.to_thread(self._compare_now, kept, secret[:LONGEST_SECRET])

    def _compare_now(self, kept: str | None, secret: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        nobodys = self._nobodys  # made with the first sign-in, whoever it is
        try:
            _hasher().verify(kept or nobodys, secret)
            return kept is not None
        except (VerificationError, InvalidHashError):
            return False


async def make_first_account(written: str, secret: str) -> FirstAccount:
    """Return the account of an administrator, which is kept nowhere yet.

    Raises UserError for a name or a password that cannot be one.
    """
    name = new_account_name(written)
    chosen, _kind = _chosen(secret, "admin", name)
    return FirstAccount(name, await _hashed(chosen))


async def administrator_of_copy(
    find: Callable[[str], tuple[Person, str] | None], written: str, secret: str
) -> Person:
    """Return the administrator of a safety copy who goes back to it. Nothing is written.

    `find` looks an account up in it, with the hash of its secret, and blocks. Raises UserError for
    a wrong name or secret, and for who is no administrator there.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    def compare() -> Person | None:
        found = find(account_name(written))
        if found is None:
            return None
        try:
            _hasher().verify(found[1], secret[:LONGEST_SECRET])
        except (VerificationError, InvalidHashError):
            return None
        return found[0]

    person = await asyncio.to_thread(compare)
    if person is None or person.is_disabled:
        raise UserError(
            _(
                "The name or the password is wrong. It is that of an administrator when the safety"
                " copy was made."
            )
        )
    if not person.is_admin:
        raise UserError(
            _(
                "'{name}' is no administrator in this safety copy: one of them goes back to it."
            ).format(name=person.name)
        )
    return person


def made_secret() -> str:
    """Choose a password that can be read out."""
    groups = (
        "".join(secrets.choice(LETTERS) for _letter in range(GROUP_LETTERS))
        for _group in range(MADE_GROUPS)
    )
    return "-".join(groups)


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher  # 30 ms, which only who signs in pays for

    # OWASP's first choice (Password Storage Cheat Sheet): 46 MB, 40 ms on a desk's computer.
    return PasswordHasher(time_cost=1, memory_cost=47_104, parallelism=1)


async def _hashed(secret: str) -> str:
    return await asyncio.to_thread(lambda: _hasher().hash(secret))


def _chosen(secret: str | None, role: Role, name: str) -> tuple[str, SecretKind]:
    if secret is None:
        return made_secret(), "password"
    kind = kind_of_secret(secret, name)
    if not may_have(role, kind):
        raise UserError(
            _("A PIN is for operators at a shared station. Choose a password of 8 characters.")
        )
    return secret, kind


def _wait_s(failures: int) -> float:
    if failures < FREE_TRIES:
        return 0.0
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(failures - FREE_TRIES, 20))


def _wrong() -> UserError:
    return UserError(
        _("The name or the password is wrong. Whoever manages the accounts can reset it.")
    )


def _locked(left_s: float) -> UserError:
    seconds = max(1, round(left_s))
    if seconds >= 60:
        minutes = -(-seconds // 60)
        wait = ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
    else:
        wait = ngettext("{count} second", "{count} seconds", seconds).format(count=seconds)
    return UserError(
        _("Too many wrong tries with this name. Wait {wait}, then try again.").format(wait=wait)
    )


class Sessions:
    """Tokens of one data folder. What blocks is for a thread of its own."""

    def __init__(self, home: Path, *, now: Now = lambda: datetime.now(UTC)) -> None:
        # A token of another data folder is none here.
        self._home = hashlib.sha256(str(home).encode("utf-8", "replace")).hexdigest()[:16]
        self._now = now
        self._key_account = f"session-key-{self._home}"
        self._account = f"session-{self._home}"
        self._own_key = secrets.token_hex(32)  # where there is no key store: until the program ends

    def issue(self, person: Person, *, is_remembered: bool = False) -> str:
        """Sign a session of a person: for a shift, or for a month where it is remembered."""
        import jwt  # 40 ms, which only who signs in pays for

        now = self._now()
        lasts = timedelta(days=REMEMBERED_DAYS) if is_remembered else timedelta(hours=SESSION_HOURS)
        claims = {
            "sub": str(person.id),
            "gen": person.generation,
            "aud": self._home,
            "iat": now,
            "exp": now + lasts,
        }
        return jwt.encode(claims, self._key(), algorithm=ALGORITHM)

    def holder(self, token: str) -> tuple[int, int] | None:
        """Return whose session a token is, by id and generation; None if it does not hold."""
        import jwt

        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key(),
                algorithms=[ALGORITHM],
                audience=self._home,
                options={
                    "require": ["sub", "exp", "aud", "iat"],
                    # By the clock that was given, not by the system's.
                    "verify_exp": False,
                    "verify_iat": False,
                },
            )
            until = datetime.fromtimestamp(float(claims["exp"]), UTC)
            begun = datetime.fromtimestamp(float(claims["iat"]), UTC)
            # A clock that was put back does not make a session longer.
            if not begun - SKEW <= self._now() < until:
                return None
            return int(claims["sub"]), int(claims["gen"])
        except (jwt.InvalidTokenError, KeyError, TypeError, ValueError, OverflowError, OSError):
            return None

    def remember(self, person: Person) -> None:
        """Keep a session on this computer. Raises UserError where nothing can be kept."""
        save_secret(self._account, self.issue(person, is_remembered=True))

    def remembered(self) -> tuple[int, int] | None:
        """Return whose session is kept on this computer, by id and generation."""
        token = read_secret(self._account)
        return None if token is None else self.holder(token)

    def forget(self) -> None:
        """Keep no session on this computer any more. Raises UserError if the store is silent."""
        if read_secret(self._account) is not None:
            forget_secret(self._account)

    def _key(self) -> str:
        if (kept := read_secret(self._key_account)) is not None:
            return kept
        with suppress(UserError):  # then sessions end with the program
            save_secret(self._key_account, self._own_key)
        return self._own_key
