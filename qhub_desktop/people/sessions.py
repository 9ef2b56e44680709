"""Sessions: signed tokens that say who signed in and until when, kept in the key store if asked."""

import hashlib
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.keystore import forget_secret, read_secret, save_secret
from qhub_desktop.core.person import Person

HOURS = 8
REMEMBERED_DAYS = 30
ALGORITHM = "HS256"
SKEW = timedelta(minutes=5)

Now = Callable[[], datetime]


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
        lasts = timedelta(days=REMEMBERED_DAYS) if is_remembered else timedelta(hours=HOURS)
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
