"""Upkeep verbs: what is read from the file of the plant's own words, and updates."""

from __future__ import annotations  # the lighter commands do not load what reads words

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    from qhub_desktop.nlq.user_lexicon import UserLexicon
    from qhub_desktop.updates import Status


def declare(verbs: Verbs) -> None:
    """Declare `vocabulary` and `update`."""
    words = verbs.add_parser("vocabulary", help=_("the plant's own words"))
    words.set_defaults(run=_tell)
    words.add_argument(
        "--check", action="store_true", help=_("fail where something in the file is wrong")
    )
    add_json_option(words)
    update = verbs.add_parser("update", help=_("new versions in the folder of updates"))
    update.set_defaults(run=_update)
    doing = update.add_mutually_exclusive_group()
    doing.add_argument("--check", action="store_true", help=_("only look (as without any word)"))
    doing.add_argument(
        "--install",
        action="store_true",
        help=_("verify what is offered, and install it when the window is next started"),
    )
    add_json_option(update)


async def _tell(_desk: CommandServices, asked: argparse.Namespace) -> str | None:
    """Print the path and contents of the vocabulary file; with --check, return its errors."""
    import qhub_desktop.charts.catalogue  # noqa: F401  publishes the charts' words
    from qhub_desktop.nlq.lexicon import shipped_words
    from qhub_desktop.nlq.user_lexicon import describe, read_user_lexicon, user_lexicon_file

    file = user_lexicon_file()
    words = read_user_lexicon(file, shipped_words())
    if asked.json:
        print_json(
            {
                "file": str(file),
                "is_there": words.is_there,
                "phrases": words.phrase_count,
                "problems": [
                    {"line": each.line or None, "text": each.problem} for each in words.problems
                ],
            }
        )
    else:
        print(file)
        print(describe(words))
        for complaint in () if asked.check else words.problems:
            print(f"! {complaint}")
    return _problems(words) if asked.check else None


def _problems(words: UserLexicon) -> str | None:
    return "\n".join(map(str, words.problems)) or None


async def _update(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Print what is offered; with --install, return why it will not be installed, if so."""
    from qhub_desktop.updates import Offered, prepared_sentence

    updates = services.updates
    status = await updates.check()
    failure = None
    if asked.install:
        if not isinstance(status, Offered):
            return status.sentence
        if not status.is_prepared:
            await updates.prepare(status.release)
            status = Offered(status.release, is_prepared=True)
        if updates.obstacle:
            failure = prepared_sentence(status.release.version, updates.obstacle)
    if asked.json:
        print_json(_object(status, updates.version))
    if asked.json or failure is not None:
        return failure
    print(status.sentence)
    if isinstance(status, Offered) and status.release.notes:
        print(one_line(status.release.notes))
    return None


def _object(status: Status, version: str) -> JsonObject:
    from qhub_desktop.updates import Offered

    if not isinstance(status, Offered):
        state = "current" if status.offered == version else "older" if status.offered else "none"
        return {
            "version": version,
            "state": state,
            "offered": status.offered or None,
            "text": status.sentence,
        }
    release = status.release
    return {
        "version": version,
        "state": "prepared" if status.is_prepared else "offered",
        "offered": release.version,
        "file": release.file,
        "size": release.size,
        "sha256": release.sha256,
        "notes": release.notes,
        "text": status.sentence,
    }
