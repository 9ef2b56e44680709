"""Backup verbs: safety copies, made and restored even where the database does not open."""

import argparse
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar, get_args

from qhub_desktop.cli.keyboard import confirm
from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import Verbs, add_json_option, add_overwrite_option, check_free
from qhub_desktop.core import text
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import NoAccountsError, UserError, data_folder_error
from qhub_desktop.core.paths import data_folder
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import LanguageChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.store import FILE
from qhub_desktop.store.backups import (
    Backup,
    Examined,
    Examiner,
    label_of,
    listed,
    make,
    make_at,
    problem_of,
)
from qhub_desktop.store.recovery import (
    account_in,
    accounts_in,
    find_backup,
    newest_sound,
    restore,
    shown_moment,
    stored_language,
    what_changes,
)

Output = TypeVar("Output")


def declare(verbs: Verbs) -> None:
    """Declare `backup` and `restore`."""
    backup = verbs.add_parser("backup", help=_("a verified safety copy of all that is stored"))
    backup.set_defaults(run_alone=_backup, roles=ADMINS, is_store_there=_is_there)
    backup.add_argument("--to", type=Path, metavar="PATH", help=_("this file, or into this folder"))
    add_overwrite_option(backup)
    doing = backup.add_subparsers(dest="doing", metavar="DOING")
    list_ = doing.add_parser("list", help=_("the safety copies, the newest first"))
    list_.set_defaults(run_alone=_list, roles=ADMINS, is_store_there=_is_there)
    add_json_option(list_, is_nested=True)
    add_json_option(backup)

    back = verbs.add_parser(
        "restore", help=_("go back to a safety copy, or repair damaged data with the newest")
    )
    back.set_defaults(
        run_alone=_restore, roles=ADMINS, is_store_there=_is_there, signs_in_to_copy=True
    )
    back.add_argument(
        "name", nargs="?", metavar="NAME|PATH", help=_("as the list tells (default: the newest)")
    )
    back.add_argument("--yes", action="store_true", help=_("what would change is right"))
    add_json_option(back)


async def _backup(asked: argparse.Namespace) -> None:
    # Not for the other commands: it loads figures and widgets.
    from qhub_desktop.data.export.output import check_writable

    path = _database()
    if asked.to is None:
        made = await _on_thread(partial(make, path, "manual"))
    else:
        target = asked.to / f"{path.stem}-backup{path.suffix}" if asked.to.is_dir() else asked.to
        check_free(target, asked)
        check_writable(target)
        made = await _on_thread(partial(make_at, path, target))
    if asked.json:
        print_json(_object(made, await _on_thread(partial(Examiner().examine, made.path))))
        return
    print(_("Safety copy made, and verified: {path}").format(path=made.path))


async def _list(asked: argparse.Namespace) -> None:
    """Print the copies, each verified anew."""
    path = _database(must_exist=False)
    try:
        found = listed(path)
    except OSError as error:
        raise data_folder_error(error, path.parent) from error
    examiner = Examiner()
    for each in found:
        examined = await _on_thread(partial(examiner.examine, each.path))
        if asked.json:
            print_json(_object(each, examined))
            continue
        size = number(each.size / 1e6, digits=1)
        state = _("sound")
        if examined.doubt:
            state = _("sound, but it cannot be proven that nobody has changed it")
        if examined.problem:
            state = _("damaged ({problem})").format(problem=examined.problem)
        print(
            f"{each.name}\n    {shown_moment(each)}  {size} MB  {label_of(each.reason)}  {state}",
            flush=True,
        )
    if not found and not asked.json:
        print(_("There is no safety copy yet. Make one with: qhub backup"))


async def _restore(asked: argparse.Namespace) -> str | None:
    """Go back to a copy; return why nothing was changed, if so."""
    path = _database(must_exist=False)
    backup = (
        find_backup(path, asked.name)
        if asked.name
        else await _on_thread(partial(newest_sound, path))
    )
    if backup is None and (not path.exists() or not await _on_thread(partial(problem_of, path))):
        return _("There is no safety copy to go back to, and nothing to repair.")
    changes = (
        await _on_thread(partial(what_changes, path, backup))
        if backup is not None
        else _("There is no safety copy. What can still be read of the damaged file is kept.")
    )
    told = _object(backup, Examined("")) if backup is not None else None
    if not asked.json:
        print(changes)
    elif not asked.yes:
        print_json({"backup": told, "text": changes})
    by = await _administrator(asked, backup)
    if not asked.yes:
        question = _("Put that in the place of what there is now, which is kept?")
        if asked.json or not await confirm(question):
            return _("Nothing was changed. If it is right, say so with --yes.")
    done = await _on_thread(partial(restore, path, backup, by=by))
    if asked.json:
        print_json(
            {
                "backup": told,
                "kept_as": str(done.kept_as) if done.kept_as else None,
                "was_damaged": done.was_damaged,
                "messages": done.messages,
                "changes": changes,
                "text": done.sentence,
            }
        )
        return None
    print(done.sentence)
    return None


async def _administrator(asked: argparse.Namespace, backup: Backup | None) -> str:
    """Return the administrator who goes back to a copy, "" where there are no accounts.

    Where the data that there are tell nobody to be an administrator, the copy has to: they may be
    damaged or gone so that somebody could become one. Raises UserError.
    """
    if asked.actor is not None:
        return str(asked.actor.name)
    if backup is None:
        return ""
    if not await _on_thread(partial(accounts_in, backup.path)):
        if asked.caller is not None:
            raise NoAccountsError
        return ""
    if asked.caller is None:
        raise UserError(
            _(
                "Say who you are: --as NAME. An administrator of this safety copy goes back to it,"
                " with the password of then."
            )
        )
    from qhub_desktop.people.accounts import administrator_of_copy

    find = partial(account_in, backup.path)
    return (await administrator_of_copy(find, asked.caller.name, asked.caller.secret())).name


def _is_there() -> bool:
    return (data_folder() / FILE).is_file()


def _database(*, must_exist: bool = True) -> Path:
    """Return the path of the database, and speak the language that it has stored."""
    path = data_folder() / FILE
    if must_exist and not path.is_file():
        raise UserError(_("There is nothing to copy: {path} is not there yet.").format(path=path))
    if (spoken := stored_language(path)) in get_args(LanguageChoice) and spoken:
        text.use(spoken)
    return path


async def _on_thread(work: Callable[[], Output]) -> Output:
    with closing(Worker("backups")) as worker:
        return await worker.run(work)


def _object(backup: Backup, examined: Examined) -> JsonObject:
    return {
        "name": backup.name,
        "path": str(backup.path),
        "reason": backup.reason,
        "detail": backup.detail,
        "made": backup.made.isoformat(),
        "size": backup.size,
        "is_sound": not examined.problem,
        "doubt": examined.doubt,
    }
