"""Password verb: a person replaces their own password or PIN."""

from __future__ import annotations

import argparse
import os
import sys

from qhub_desktop.cli.keyboard import is_terminal, typed_secret
from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import NEW_SECRET_VARIABLE, CommandServices, Verbs, add_json_option
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize


def declare(verbs: Verbs) -> None:
    """Declare `password`."""
    password = verbs.add_parser("password", help=_("replace your own password or PIN"))
    password.set_defaults(run=_replace, replaces_secret=True)
    add_json_option(password)


async def _replace(services: CommandServices, asked: argparse.Namespace) -> None:
    """Replace the secret of who has just signed in with it."""
    person = services.person
    if person is None:
        raise UserError(_("Nobody has an account here, so there is no password to replace."))
    new = await _new_secret()
    await services.accounts.change_own(person, old=asked.secret, new=new)
    if asked.json:
        print_json({"name": person.name, "changed": True})
    else:
        print(_("Your password is changed."))


async def _new_secret() -> str:
    """Return the new secret: the variable's, or what is typed twice."""
    # Out of the environment, which child processes are given.
    if given := sanitize(os.environ.pop(NEW_SECRET_VARIABLE, "")):
        return given
    if not is_terminal(sys.stdin):
        raise UserError(
            _("There is no new password. Set the environment variable {variable}.").format(
                variable=NEW_SECRET_VARIABLE
            )
        )
    new = await typed_secret(_("New password or PIN: "))
    if await typed_secret(_("The same once more: ")) != new:
        raise UserError(_("The two are not the same. Begin again."))
    return new
