"""Memory verbs: what is known of the person, kept, pinned, deleted and exported by them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_json_option,
    add_overwrite_option,
    add_search_option,
    check_free,
)
from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.memory import (
    Memory,
    as_markdown,
    as_object,
    checked_path,
    checked_text,
    path_of,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.core.untrusted import one_line


def declare(verbs: Verbs) -> None:
    """Declare `memory`."""
    memory = verbs.add_parser("memory", help=_("what is known of you, and kept for later"))
    memory.set_defaults(run=_list, search="")
    doing = memory.add_subparsers(dest="doing", metavar="DOING")

    def verb(name: str, run: object, help_: str, *arguments: str) -> argparse.ArgumentParser:
        parser = doing.add_parser(name, help=help_)
        parser.set_defaults(run=run)
        for each in arguments:
            parser.add_argument(each.lower(), metavar=each)
        add_json_option(parser, is_nested=True)
        return parser

    add_search_option(verb("list", _list, _("the notes, with where each is from")))
    verb("show", _show, _("one note, whole"), "NAME")
    verb("put", _put, _("write a note, in the place of one that is there"), "NAME", "TEXT")
    verb("rename", _rename, _("give a note another name"), "NAME", "NEW")
    pin = verb("pin", _pin, _("tell a note always, and archive it last"), "NAME")
    pin.add_argument("--off", action="store_true", help=_("unpin it"))
    archive = verb("archive", _archive, _("keep a note without telling it"), "NAME")
    archive.add_argument("--off", action="store_true", help=_("bring it back"))
    verb("delete", _delete, _("delete a note, wherever it was told"), "NAME")
    clear = verb("clear", _clear, _("delete every note of yours"))
    clear.add_argument("--yes", action="store_true", help=_("without it nothing is deleted"))
    export = verb("export", _export, _("write all notes to a file: .json, or Markdown"))
    export.add_argument("path", type=Path, metavar="FILE")
    add_overwrite_option(export)
    services = verb("services", _services, _("services that no note is sent to"))
    services.add_argument("--refuse", metavar="HOST", help=_("send it no note from now on"))
    services.add_argument("--allow", metavar="HOST", help=_("send it notes again"))
    add_json_option(memory)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    notes = await services.store.memories.listed(search=asked.search)
    if asked.json:
        print_json([as_object(each) for each in notes])
        return
    for each in notes:
        marks = [_("pinned")] if each.is_pinned else []
        marks += [_("archived")] if each.is_archived else []
        told = f" ({', '.join(marks)})" if marks else ""
        print(f"{each.name}{told}: {one_line(each.text)}")
    if not notes:
        print(_("Nothing is known of you."))


async def _show(services: CommandServices, asked: argparse.Namespace) -> None:
    note = await services.store.memories.find(path_of(asked.name))
    print_json(as_object(note)) if asked.json else print(note.text)


async def _put(services: CommandServices, asked: argparse.Namespace) -> None:
    path = checked_path(asked.name)
    text = checked_text(asked.text)
    written = await services.store.memories.edit(path, lambda _before: text, origin="person")
    assert written is not None
    if asked.json:
        print_json({**as_object(written.note), "left": [*written.archived]})
        return
    print(_("Kept: {name}").format(name=written.note.name))
    for each in written.archived:
        print(_("Archived to make room: {name}").format(name=each))


async def _rename(services: CommandServices, asked: argparse.Namespace) -> None:
    new = checked_path(asked.new)
    note = await services.store.memories.rename(path_of(asked.name), new)
    _tell(note, asked)


async def _pin(services: CommandServices, asked: argparse.Namespace) -> None:
    path = path_of(asked.name)
    await services.store.memories.set_pinned(path, is_pinned=not asked.off)
    _tell(await services.store.memories.find(path), asked)


async def _archive(services: CommandServices, asked: argparse.Namespace) -> None:
    path = path_of(asked.name)
    await services.store.memories.set_archived(path, is_archived=not asked.off)
    _tell(await services.store.memories.find(path), asked)


async def _delete(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.store.memories.delete(path_of(asked.name))
    _tell_deleted(1, asked)


async def _clear(services: CommandServices, asked: argparse.Namespace) -> None:
    if not asked.yes:
        raise UserError(_("This deletes every note of yours, for good. Say --yes to do it."))
    _tell_deleted(await services.store.memories.clear(), asked)


async def _export(services: CommandServices, asked: argparse.Namespace) -> None:
    check_free(asked.path, asked)
    notes = await services.store.memories.listed()
    if asked.path.suffix.lower() == ".json":
        text = json.dumps([as_object(each) for each in notes], ensure_ascii=False, indent=1)
    else:
        text = as_markdown(notes)
    try:
        asked.path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(
            _("{path} cannot be written ({reason}).").format(
                path=asked.path, reason=reason_of(error)
            )
        ) from error
    if asked.json:
        print_json({"path": str(asked.path), "notes": len(notes)})
        return
    print(_("Written: {path}").format(path=asked.path))


async def _services(services: CommandServices, asked: argparse.Namespace) -> None:
    for host, is_refused in ((asked.refuse, True), (asked.allow, False)):
        if host:
            await services.store.memories.set_refused(host, is_refused=is_refused)
    refused = await services.store.memories.refused_services()
    if asked.json:
        print_json({"refused": refused})
        return
    print("\n".join(refused) or _("Notes may go to every service that is asked."))


def _tell(note: Memory, asked: argparse.Namespace) -> None:
    print_json(as_object(note)) if asked.json else print(f"{note.name}: {one_line(note.text)}")


def _tell_deleted(count: int, asked: argparse.Namespace) -> None:
    if asked.json:
        print_json({"deleted": count})
        return
    print(ngettext("{count} note deleted.", "{count} notes deleted.", count).format(count=count))
