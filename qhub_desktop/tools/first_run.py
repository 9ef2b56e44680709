"""First run: what a station begins with, asked before anything is stored, kept in one go."""

# Why it is so: decisions/accounts.md

from __future__ import annotations  # the service's client is imported when it is first needed

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import RESOURCES, policy_files
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import (
    Choices,
    Policy,
    Settings,
    changed_settings,
    read_policy,
    valid_settings,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.store import Beginning, begin_station, is_unused
from qhub_desktop.store.sent import HeldRequests

if TYPE_CHECKING:
    from qhub_desktop.chat.claude.client import Claude
    from qhub_desktop.chat.claude.credentials import Endpoint
    from qhub_desktop.core.keystore import KeyPlace

VARIABLE = "QHUB_FIRST_RUN"
SKIP = "skip"  # begins with demo data and without accounts, and asks nothing: set by dev.py


def first_run_due(home: Path) -> FirstRun | None:
    """Return what asks how to begin, where nothing has used the data folder before.

    Raises UserError for an administrator's policy that cannot be used.
    """
    if os.environ.get(VARIABLE) == SKIP or not is_unused(home):
        return None
    return FirstRun(home, read_policy(policy_files()))


class FirstRun:
    """Makes the data folder as it was chosen. Owns a thread until closed."""

    def __init__(self, home: Path, policy: Policy) -> None:
        self.home = home
        self.policy = policy
        self.settings = valid_settings({}, policy)[0]
        self._environment: Mapping[str, str] = policy.environment(os.environ)
        self._worker = Worker("first-run")
        self._sent = HeldRequests()

    def service(self, settings: Settings) -> Endpoint:
        """Return the service that a key is for. Raises UserError if its address is malformed."""
        from qhub_desktop.chat.claude.credentials import chosen_endpoint

        return chosen_endpoint(settings, self._environment)

    async def key_place(self) -> KeyPlace:
        """Return where a key would be kept on this computer."""
        from qhub_desktop.core.keystore import KEY_FILE, place

        return await self._worker.run(place, self.home / KEY_FILE)

    async def has_key(self, settings: Settings) -> bool:
        """Return whether there is a key already, or the service needs no key."""
        from qhub_desktop.chat.claude.credentials import read_key

        service = self.service(settings)
        if not service.needs_key:
            return True
        return bool(await self._worker.run(read_key, service, self._environment))

    async def test_connection(self, key: str, settings: Settings) -> str:
        """Ask the service for a word; return a sentence about the answer.

        What was sent is kept with the data folder, once that is made. Raises UserError or
        ServiceError: what to correct.
        """
        return await self._claude.test_connection(settings, key=key or None)

    async def begin(self, chosen: Choices) -> str:
        """Make the data folder; return the administrator's name, "" where nobody signs in.

        The key is kept first: whatever ends the program after it, all is asked again. Raises
        UserError if something cannot be kept; then nothing is.
        """
        from qhub_desktop.people.accounts import make_first_account

        admin = None
        if chosen.has_accounts:
            admin = await make_first_account(chosen.admin, chosen.secret)
        kept = await self._worker.run(self._keep_key, chosen) if chosen.key else None
        beginning = Beginning(
            self._to_store(chosen.settings),
            admin,
            chosen.has_demo_data,
            key_host=self.service(chosen.settings).host if kept else "",
            sent=self._sent,
        )
        try:
            is_begun = await self._worker.run(begin_station, self.home, beginning)
            if not is_begun:
                raise UserError(
                    _(
                        "Another QHub program has begun to use {folder} meanwhile, so nothing that"
                        " was chosen here is kept. Close this, and start QHub again."
                    ).format(folder=self.home)
                )
        except UserError:
            if kept is not None:
                await self._worker.run(kept.undo)
            raise
        return admin.name if admin else ""

    async def close(self) -> None:
        """Let go of the thread, and of connections."""
        if "_claude" in vars(self):
            await self._claude.close()
        self._worker.close()

    @cached_property
    def _claude(self) -> Claude:
        from qhub_desktop.chat.claude.client import Claude
        from qhub_desktop.chat.claude.credentials import read_key
        from qhub_desktop.chat.claude.pricing import load_prices

        return Claude(
            settings=lambda: self.settings,
            key=lambda service: read_key(service, self._environment),
            prices=load_prices(RESOURCES, self.home),
            environment=self._environment,
            log=self._sent,
        )

    def _to_store(self, settings: Settings) -> JsonObject:
        own = changed_settings(settings)
        return {name: own[name] for name in own if name not in self.policy.fixed}

    def _keep_key(self, chosen: Choices) -> _KeptKey:
        from qhub_desktop.chat.claude.credentials import save_key
        from qhub_desktop.core import keystore

        file = self.home / keystore.KEY_FILE
        is_new_file = chosen.key_choice == "file" and not file.exists()
        if chosen.key_choice == "file":
            keystore.unlock(file, chosen.passphrase)
        elif chosen.key_choice == "session":
            keystore.keep_for_session()
        service = self.service(chosen.settings)
        kept = _KeptKey(
            service, keystore.read_secret(service.account), file if is_new_file else None
        )
        try:
            save_key(service, chosen.key)
        except UserError:
            kept.undo()
            raise
        return kept


@dataclass(frozen=True, slots=True)
class _KeptKey:
    """A key that was kept, with what was there before it and the file that was made for it."""

    service: Endpoint
    before: str | None = field(repr=False)
    new_file: Path | None

    def undo(self) -> None:
        """Leave what was there before. Blocks."""
        from qhub_desktop.core import keystore

        with suppress(UserError):  # a store that is silent now
            if self.before is None:
                keystore.forget_secret(self.service.account)
            else:
                keystore.save_secret(self.service.account, self.before)
        if self.new_file is not None:
            self.new_file.unlink(missing_ok=True)
        keystore.leave()
