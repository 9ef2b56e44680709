"""Upkeep verbs: a file's defects into the log, the plant's own words, and updates."""

from __future__ import annotations  # the lighter commands do not load what reads words

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_file_option,
    add_json_option,
    add_password_option,
    add_sheet_option,
    positive,
)
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

if TYPE_CHECKING:
    from qhub_desktop.nlq.user_lexicon import UserLexicon
    from qhub_desktop.updates import Status


def declare(verbs: Verbs) -> None:
    """Declare `defects`, `vocabulary` and `update`."""
    defects = verbs.add_parser("defects", help=_("a file's defects into the defect log"))
    doing = defects.add_subparsers(dest="doing", required=True, metavar="DOING")
    append = doing.add_parser("append", help=_("add a file's defects to the log, each once"))
    append.set_defaults(run=_append)
    add_file_option(append)
    add_sheet_option(append)
    append.add_argument("--yes", action="store_true", help=_("the columns shown are right"))
    add_password_option(append)
    undo = doing.add_parser("undo", help=_("take out what an append has added"))
    undo.set_defaults(run=_undo)
    undo.add_argument("number", type=positive, metavar="N", help=_("as the append told"))
    for each in (append, undo):
        add_json_option(each)

    words = verbs.add_parser("vocabulary", help=_("the plant's own words"))
    words.set_defaults(run=_tell)
    words.add_argument(
        "--check", action="store_true", help=_("fail where something in the file is wrong")
    )
    add_json_option(words)
    update = verbs.add_parser("update", help=_("new versions in the folder of updates"))
    update.set_defaults(run=_update)
    wanted = update.add_mutually_exclusive_group()
    wanted.add_argument("--check", action="store_true", help=_("only look (as without any word)"))
    wanted.add_argument(
        "--install",
        action="store_true",
        help=_("verify what is offered, and install it when the window is next started"),
    )
    add_json_option(update)


async def _tell(_services: CommandServices, asked: argparse.Namespace) -> str | None:
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
        for problem in () if asked.check else words.problems:
            print(f"! {problem}")
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


async def _append(services: CommandServices, asked: argparse.Namespace) -> str | None:
    # Not for the other commands: it loads the tools.
    from qhub_desktop.core.dataset import describe_append
    from qhub_desktop.tools.defects import DefectImporter

    log = DefectImporter(services.store.defects, services.conversation_datasets)
    loaded = await services.workspace.load(asked.path, sheet=asked.sheet, password=asked.password)
    profile = loaded[0]
    proposal = await log.proposal(profile)
    if proposal is None:
        raise UserError(
            _(
                "{file} does not look like a table of defects. It needs a column with types of"
                " defect, and one with dates."
            ).format(file=profile.file)
        )
    columns: dict[str, Json] = dict(proposal.mapping.columns)
    unknown: list[Json] = [word for _field, word in proposal.unknown]
    if not (asked.yes or proposal.is_confirmed):
        if asked.json:
            print_json({"columns": columns, "unknown": unknown})
        else:
            for field, column in columns.items():
                print(f"{field:<14}{column}")
            if unknown:
                words = ", ".join(map(str, unknown))
                print(_("Kept as they are: {words}").format(words=words))
        return _("Nothing was added. If the columns are right, say so with --yes.")
    if asked.yes and not proposal.is_confirmed:
        await log.confirm(profile, proposal.mapping)
    came = await log.append(profile, proposal.mapping)
    if asked.json:
        print_json({**asdict(came), "columns": columns, "unknown": unknown})
        return None
    print(describe_append(came))
    if came.id is not None:
        print(_("Undo: qhub defects undo {number}").format(number=came.id))
    return None


async def _undo(services: CommandServices, asked: argparse.Namespace) -> None:
    taken = await services.store.defects.take_back(asked.number)
    if asked.json:
        print_json({"removed": taken})
        return
    said = ngettext("{count} defect taken out", "{count} defects taken out", taken)
    print(said.format(count=number(taken, digits=0)))
