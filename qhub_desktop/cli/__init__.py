"""Command line of the same engine: text for people, JSON lines for programs. No Qt here."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import cast

from qhub_desktop import __version__
from qhub_desktop.cli.keyboard import is_terminal, read_secret
from qhub_desktop.cli.printing import prepare_output, use_utf8
from qhub_desktop.cli.verbs import Caller, CommandServices, Verbs, verb_modules
from qhub_desktop.core.errors import (
    DamagedStoreError,
    NoAccountsError,
    QHubError,
    UsageError,
    UserError,
    is_reader_gone,
)
from qhub_desktop.core.keystore import KEY_FILE, unlock_when_needed
from qhub_desktop.core.person import ROLES, Person, check_role, reading_notice
from qhub_desktop.core.settings import EngineChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize

OpenServices = Callable[
    [EngineChoice | None, Caller | None], AbstractAsyncContextManager[CommandServices]
]
SECRET_VARIABLE = "QHUB_SECRET"  # noqa: S105  its name
PASSPHRASE_VARIABLE = "QHUB_PASSPHRASE"  # noqa: S105  its name


def main(arguments: Sequence[str], open_services: OpenServices) -> int:
    """Run one command, and return the exit code.

    0: success; 1: failure, with a sentence on standard error; 2: wrong usage.
    """
    prepare_output()
    # What had arrived is kept and counted, as with Ctrl+C; Windows ends a program without a word.
    signal.signal(signal.SIGTERM, lambda *_signal: signal.raise_signal(signal.SIGINT))
    asked = parse(arguments)
    # Out of the environment, which child processes are given.
    asked.secret = sanitize(os.environ.pop(SECRET_VARIABLE, "")) or None
    asked.passphrase = sanitize(os.environ.pop(PASSPHRASE_VARIABLE, ""))
    if asked.command == "version":
        print(__version__)
        return 0
    if asked.json:
        use_utf8(sys.stdout)
    try:
        failure = asyncio.run(_run(asked, open_services))
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except QHubError as error:
        failure = str(error)
    except KeyboardInterrupt:
        failure = _("Stopped. What had arrived is kept.")
    except OSError as error:
        # Windows' C library says EINVAL of a pipe that nobody reads.
        if not is_reader_gone(error):
            raise
        # The reader has closed the pipe; the interpreter must not flush to it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if failure is not None:
        print(failure, file=sys.stderr)
    return 0 if failure is None else 1


def tell_about_window(arguments: Sequence[str]) -> int:
    """Print what `qhub-desktop` may be asked, or its version; return the exit code.

    Raises SystemExit, as argparse does, once it has printed.
    """
    prepare_output()
    parser = argparse.ArgumentParser(
        prog="qhub-desktop",
        description=_("Opens the window of QHub Desktop, and the files in it."),
        epilog=_("On the command line, the same answers are given by: qhub --help"),
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help=_("data to open"))
    parser.add_argument("--version", action="version", version=__version__)
    for name, help_ in (
        ("--self-test", _("check that the program works on this computer")),
        ("--render", _("open a page as the program does, with no window")),
    ):
        parser.add_argument(name, action="store_true", help=f"{help_} ({name} --help)")
    parser.parse_args(arguments)
    return 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments; `run` of the result is the coroutine function of the verb.

    Raises SystemExit with code 2, after printing the usage, if the arguments are wrong.
    """
    asked = vars(make_parser(arguments[0] if arguments else "").parse_args(arguments))
    # Bytes that are no text arrive as half characters. Paths keep them, to find such files.
    words = {name: sanitize(each) for name, each in asked.items() if isinstance(each, str)}
    return argparse.Namespace(**{**asked, **words})


def make_parser(verb: str = "") -> argparse.ArgumentParser:
    """Create the parser of the whole command line; each module of verbs declares its own.

    With a verb, of no more of it than has this one: most of the others take as long as an answer's
    words.
    """
    parser = argparse.ArgumentParser(
        prog="qhub", description=_("Computed answers about a plant's quality data.")
    )
    verbs = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in verb_modules():
        module.declare(verbs)
        if verb in verbs.choices:
            break
    _add_person_option(verbs)
    # The one verb that needs no data folder.
    verbs.add_parser("version", help=_("the program's version"))
    return parser


def _add_person_option(verbs: Verbs, *, is_nested: bool = False) -> None:
    """Declare --as for every verb; a nested one accepts it before its name as well as after."""
    for parser in verbs.choices.values():
        nested = [each for each in parser._actions if isinstance(each.choices, dict)]  # noqa: SLF001  argparse tells it nowhere else
        for each in nested:
            _add_person_option(cast("Verbs", each), is_nested=True)
        parser.add_argument(
            "--as",
            dest="person",
            metavar="NAME",
            # Suppressed where it is not given, so that the outer parser's value is left alone.
            default=argparse.SUPPRESS if is_nested else None,
            help=_("the account that acts, where people sign in"),
        )


def _secret(asked: argparse.Namespace) -> str:
    """Return the secret of who signs in: from the environment, else from a person at a terminal."""
    if asked.secret is not None:
        return str(asked.secret)
    if not is_terminal(sys.stdin):
        raise UserError(
            _("There is no password. Set the environment variable {variable}.").format(
                variable=SECRET_VARIABLE
            )
        )
    asked.secret = read_secret(_("Password or PIN of {name}: ").format(name=asked.person))
    return str(asked.secret)


def _passphrase(asked: argparse.Namespace) -> str:
    """Return that of the encrypted file of keys; "" to go on without them.

    It is not the password of who signs in: the one opens an account, the other what the computer
    keeps for all.
    """
    if asked.passphrase or not is_terminal(sys.stdin):
        return str(asked.passphrase)
    return read_secret(_("Passphrase of the file of keys (empty: without a key): "))


async def _run(asked: argparse.Namespace, open_services: OpenServices) -> str | None:
    caller = Caller(asked.person, lambda: _secret(asked)) if asked.person is not None else None
    if run_alone := getattr(asked, "run_alone", None):  # a verb that needs no open store
        # Who it is can be asked of a sound one alone, and a damaged one is there to be repaired.
        asked.caller, asked.actor = caller, None
        is_to_copy = getattr(asked, "signs_in_to_copy", False)
        if asked.is_store_there():
            with suppress(DamagedStoreError, *([NoAccountsError] if is_to_copy else [])):
                async with open_services(None, caller) as services:
                    _check_person(services.person, asked)
                    asked.actor = services.person
        told: str | None = await run_alone(asked)
        return told
    async with open_services(getattr(asked, "engine", None), caller) as services:
        if services.trouble is not None:
            print(services.trouble, file=sys.stderr)
        _check_person(services.person, asked)
        if services.person is not None:
            await _tell_reading(services)
        unlock_when_needed(services.store.path.with_name(KEY_FILE), lambda: _passphrase(asked))
        async with services.safety_copies.kept_beside():
            failure: str | None = await asked.run(services, asked)
        with suppress(UserError):  # with the next command, or the next start of the window
            if await services.store.is_deletion_due():
                await services.deletion.sweep()
        return failure


def _check_person(person: Person | None, asked: argparse.Namespace) -> None:
    """Raise UserError if the verb is not theirs, or if they have to choose a password first."""
    check_role(person, getattr(asked, "roles", ROLES))
    if person is not None and person.must_change and not hasattr(asked, "replaces_secret"):
        raise UserError(
            _(
                "This password was chosen by somebody else. Choose your own before anything else:"
                " qhub password --as {name}, or in the window."
            ).format(name=person.name)
        )


async def _tell_reading(services: CommandServices) -> None:
    if await services.store.audited_reading(services.chosen.policy).is_on():
        print(reading_notice(), file=sys.stderr)
