"""Defect verbs: append the defects of a file to the station's log, and undo that."""

import argparse
from dataclasses import asdict

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_file_option,
    add_json_option,
    add_password_option,
    add_sheet_option,
    positive,
)
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number


def declare(verbs: Verbs) -> None:
    """Declare `defects append` and `defects undo`."""
    defects = verbs.add_parser("defects", help=_("a file's defects into the station's log"))
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
