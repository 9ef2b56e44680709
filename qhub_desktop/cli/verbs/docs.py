"""Document verbs: added, listed, removed, watched and searched, with the place of each passage."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from qhub_desktop.cli.printing import print_json, tell_progress
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import (
    Document,
    DocumentHit,
    DocumentState,
    OcrUse,
    Passage,
    SearchEngine,
)
from qhub_desktop.core.errors import UsageError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, ngettext
from qhub_desktop.core.untrusted import one_line

if TYPE_CHECKING:
    from qhub_desktop.tools.watched_folders import FolderLook

HITS = 6
LONGEST_WARNING = 600
STATES: dict[DocumentState, str] = {
    "queued": gettext_noop("waits to be read"),
    "words": gettext_noop("found by words"),
    "ready": gettext_noop("found by words and by meaning"),
    "superseded": gettext_noop("superseded"),
    "gone": gettext_noop("gone from its folder"),
    "failed": gettext_noop("could not be read"),
}


def declare(verbs: Verbs) -> None:
    """Declare `docs`."""
    docs = verbs.add_parser("docs", help=_("the plant's documents, found with the page"))
    docs.set_defaults(run=_run, do=_list)
    docs.add_argument(
        "--add-ocr", type=Path, metavar="PACK.zip", help=_("add the pack that reads scans")
    )
    doing = docs.add_subparsers(dest="doing", metavar="DOING")

    def verb(name: str, do: object, help_: str) -> argparse.ArgumentParser:
        parser = doing.add_parser(name, help=help_)
        parser.set_defaults(do=do)
        add_json_option(parser, is_nested=True)
        return parser

    verb("list", _list, _("the documents, and what became of each"))
    for name, do, help_ in (
        ("show", _show, _("one document, with its passages")),
        ("remove", _remove, _("take a document away, with its attachments and kept copy")),
    ):
        verb(name, do, help_).add_argument("id", type=positive, metavar="ID")
    verb("reindex", _reindex, _("read documents anew from their kept copies")).add_argument(
        "id", type=positive, nargs="?", metavar="ID", help=_("of one; else all")
    )
    add = verb("add", _add, _("keep files, or those of a folder, as documents"))
    add.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    _add_collection_option(add)
    add.add_argument(
        "--ocr", choices=get_args(OcrUse), default="auto", help=_("of scanned pages and pictures")
    )
    add.add_argument("--password", metavar="WORD", help=_("of a protected document"))
    add.add_argument("--wait", action="store_true", help=_("until they are found by meaning, too"))
    search = verb("search", _search, _("passages that fit words best, with their places"))
    search.add_argument("words", nargs="+", metavar="WORDS")
    _add_collection_option(search)
    _add_engine_option(search)
    search.add_argument(
        "-n", dest="count", type=positive, default=HITS, metavar="N", help=_("so many passages")
    )
    evaluate = verb("eval", _evaluate, _("how often the right passage is found; keeps nothing"))
    evaluate.add_argument("path", type=Path, metavar="FILE")
    _add_engine_option(evaluate)
    _declare_watch(verb("watch", _watched, _("folders whose files are documents")))
    add_json_option(docs)


def _declare_watch(watch: argparse.ArgumentParser) -> None:
    doing = watch.add_subparsers(dest="watching", metavar="DOING")
    add = doing.add_parser("add", help=_("watch a folder and those below it"))
    add.set_defaults(do=_watch)
    _add_collection_option(add)
    remove = doing.add_parser("remove", help=_("watch it no longer; its documents stay"))
    remove.set_defaults(do=_unwatch)
    for each in (add, remove):
        each.add_argument("path", type=Path, metavar="DIR")
    once = doing.add_parser("once", help=_("look now, and read what is new"))
    once.set_defaults(do=_look)
    for each in (add, remove, once):
        add_json_option(each, is_nested=True)


def _add_collection_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--collection", default="", metavar="NAME", help=_("of documents"))


def _add_engine_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        dest="searched_by",  # `engine` is who answers questions
        choices=get_args(SearchEngine),
        default="hybrid",
        help=_("by words and meaning, or by words alone"),
    )


async def _run(services: CommandServices, asked: argparse.Namespace) -> None:
    if asked.add_ocr is None:
        await asked.do(services, asked)
    elif asked.doing is None:
        await _add_ocr(services, asked)
    else:
        raise UsageError(
            _("--add-ocr stands alone. Add the pack first, then: qhub docs {verb}").format(
                verb=asked.doing
            )
        )


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    _print_documents(await services.documents.documents(), asked)


async def _add_ocr(services: CommandServices, asked: argparse.Namespace) -> None:
    said = await services.documents.add_ocr(asked.add_ocr, tell_progress)
    if asked.json:
        print_json({"added": str(asked.add_ocr)})
        return
    print(said)
    print(_("What was not read before is read by: qhub docs reindex"))


async def _show(services: CommandServices, asked: argparse.Namespace) -> None:
    document = await services.documents.document(asked.id)
    passages = await services.documents.passages(document)
    if asked.json:
        print_json({**document_object(document), "texts": [*map(_passage_object, passages)]})
        return
    _print_document(document)
    for each in passages:
        print(f"\n[{one_line(each.place.label_text)}]\n{each.text}")


async def _remove(services: CommandServices, asked: argparse.Namespace) -> None:
    document = await services.documents.document(asked.id)
    await services.documents.remove(asked.id)
    if asked.json:
        print_json({"removed": asked.id})
        return
    print(_("Removed: {name}").format(name=one_line(document.name)))


async def _reindex(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.documents.reindex(asked.id)
    await services.documents.indexing.finish(words_only=True)
    _print_documents(await services.documents.documents(), asked)


async def _add(services: CommandServices, asked: argparse.Namespace) -> None:
    documents = services.documents
    ids, refused = await documents.keep(
        asked.paths, collection=asked.collection, ocr=asked.ocr, password=asked.password
    )
    await documents.indexing.finish(words_only=not asked.wait)
    read = [each for each in await documents.documents() if each.id in ids]
    if read or not refused:
        _print_documents(read, asked)
    refused += (each.error for each in read if each.state == "failed")
    if refused:
        raise UserError("\n".join(refused))


def _print_documents(documents: Sequence[Document], asked: argparse.Namespace) -> None:
    if asked.json:
        print_json([document_object(each) for each in documents])
        return
    for each in documents:
        _print_document(each)
    if not documents:
        print(_("There are no documents here. Add some: qhub docs add PATH"))


def _print_document(document: Document) -> None:
    name, state = one_line(document.name), _(STATES[document.state])
    if document.state in ("words", "ready") and not document.passages:
        state = _("not found by its words: nothing in it was read")
    file = "" if name == document.file else f"  {one_line(document.file)}"
    collection = f" ({one_line(document.collection)})" if document.collection else ""
    print(f"{document.id}  {name}{file}{collection}: {state}")
    if document.error:
        print(f"    {one_line(document.error)}")
    for said in document.warnings:
        print(f"    ! {one_line(said, most=LONGEST_WARNING)}")


async def _search(services: CommandServices, asked: argparse.Namespace) -> None:
    # What was added elsewhere, or is to be read anew after an update: else nothing would be found.
    await services.documents.indexing.finish(words_only=True)
    result = await services.documents.search(
        " ".join(asked.words),
        collection=asked.collection,
        count=asked.count,
        engine=asked.searched_by,
    )
    if asked.json:
        print_json(
            {
                "engine": result.engine,
                "ms": round(result.ms, 1),
                "found": result.found,
                "hits": [*map(_hit_object, result.hits)],
            }
        )
        return
    for hit in result.hits:
        place = hit.passage.place.label_text
        cited = ", ".join(part for part in (hit.document.name, place) if part)
        print(f"[{one_line(cited)}]\n{hit.passage.text}\n")
    if not result.hits:
        print(_("Nothing was found."))


async def _evaluate(services: CommandServices, asked: argparse.Namespace) -> None:
    print_json(await services.documents.evaluate(asked.path, engine=asked.searched_by))


async def _watched(services: CommandServices, asked: argparse.Namespace) -> None:
    watched = await services.documents.watched()
    if asked.json:
        print_json(
            [
                {
                    "path": each.path,
                    "collection": each.collection,
                    "files": each.files,
                    "waiting": each.waiting,
                }
                for each in watched
            ]
        )
        return
    for each in watched:
        files = ngettext("{count} file", "{count} files", each.files).format(count=each.files)
        print(f"{one_line(each.path)}: {files}")
    if not watched:
        print(_("No folder is watched. Watch one: qhub docs watch add DIR"))


async def _watch(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.documents.watch(asked.path, collection=asked.collection)
    await _watched(services, asked)


async def _unwatch(services: CommandServices, asked: argparse.Namespace) -> None:
    await services.documents.unwatch(asked.path)
    await _watched(services, asked)


async def _look(services: CommandServices, asked: argparse.Namespace) -> None:
    looks = await services.documents.look()
    if asked.json:
        print_json([_look_object(each) for each in looks])
    else:
        for each in looks:
            read = ngettext("{count} file was read", "{count} files were read", each.read)
            print(f"{one_line(each.folder.path)}: {read.format(count=each.read)}")
    problems = [each.problem for each in looks if each.problem]
    if problems:
        raise UserError("\n".join(problems))


def _look_object(look: FolderLook) -> JsonObject:
    return {"path": look.folder.path, "read": look.read, "problem": look.problem}


def document_object(document: Document) -> JsonObject:
    """Return a document as `--json` prints it."""
    return {
        "id": document.id,
        "file": document.file,
        "name": document.name,
        "code": document.facts.code,
        "revision": document.facts.revision,
        "date": document.facts.issued,
        "customer": document.facts.customer,
        "title": document.title,
        "format": document.format,
        "collection": document.collection,
        "state": document.state,
        "pages": document.pages,
        "passages": document.passages,
        "embedded": document.embedded,
        "added": document.added,
        "path": document.path,
        "sha256": document.sha256,
        "parent": document.parent,
        "replaced_by": document.replaced_by,
        "error": document.error,
        "warnings": [*document.warnings],
    }


def _hit_object(hit: DocumentHit) -> JsonObject:
    document = hit.document
    return {
        "document": document.id,
        "file": document.file,
        "code": document.facts.code,
        "revision": document.facts.revision,
        "superseded": document.state == "superseded",
        **_passage_object(hit.passage),
        "score": round(hit.score, 4),
    }


def _passage_object(passage: Passage) -> JsonObject:
    place = passage.place
    return {
        "place": place.label_text,
        "page": place.page,
        "text": passage.text,
        "ocr": passage.certainty,
        "rects": [[*each] for each in place.rectangles],
    }
