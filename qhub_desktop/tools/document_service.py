"""Documents of the plant as the rest of the program sees them: added, listed, searched, watched."""

import asyncio
import time
from collections.abc import Callable, Sequence
from collections.abc import Collection as CollectionOf
from dataclasses import replace
from pathlib import Path
from typing import Any

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import (
    Collection,
    Document,
    DocumentFacts,
    DocumentHit,
    DocumentSearchResult,
    OcrUse,
    Passage,
    SearchEngine,
    WatchedFolder,
)
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.machine import battery_share
from qhub_desktop.core.packs import OCR
from qhub_desktop.core.processes.supervisor import OnProgress
from qhub_desktop.core.processes.threads import PatientWorker, SilentError
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.passages import column_letters
from qhub_desktop.knowledge.ranking import Vocabulary, related_terms, vocabulary_of
from qhub_desktop.store.documents import DocumentRepository, KeptDocument, NewDocument
from qhub_desktop.tools.document_indexing import (
    BUILT_IN,
    DocumentChild,
    DocumentIndexing,
    EmbeddingService,
    OpenIndex,
)
from qhub_desktop.tools.document_originals import Originals, OriginalState, files_in, state_of
from qhub_desktop.tools.document_search import Ranked, SearchRequest
from qhub_desktop.tools.watched_folders import (
    FolderLook,
    WatchedFolders,
    checked_folder,
    watched_path,
)

FOLDER = "documents"
COPY_SILENCE_S = 30.0  # of a share that a file is copied from
MOST_HITS = 100
SEARCH_IDLE_S = 120.0  # the child that searches holds 160 MB; another is there in a second


class DocumentService:
    """The documents of a station. Owns its child processes and threads until closed.

    A document that the person may not read, or that the agent does not use, is not found by any
    way. Whatever raises, raises UserError.
    """

    def __init__(
        self,
        repository: DocumentRepository,
        home: Path,
        *,
        service: Callable[[], EmbeddingService | None] = lambda: None,
        senders: Callable[[], CollectionOf[str] | None] = lambda: None,
        synonyms: Callable[[], Sequence[Sequence[str]]] = tuple,
        battery: Callable[[], float | None] = battery_share,
    ) -> None:
        """`service` is the plant's own that makes vectors, if the settings name one; `senders` the
        agents whose questions and documents it may be sent, None for all; `synonyms` returns groups
        of words that mean the same, and blocks; `battery` the charge, 0 to 1, where the computer
        runs on it, else None.
        """
        self._repository = repository
        self._originals = Originals(home / FOLDER)
        self._index = OpenIndex(home)
        self._service = service
        self._senders = senders
        self._synonyms = synonyms
        self._vocabulary: tuple[object, Vocabulary] = ((), {})
        self._is_closed = False
        self._resting: asyncio.TimerHandle | None = None
        self._copying = PatientWorker("documents", silence_s=COPY_SILENCE_S)
        self._looking = PatientWorker("originals", silence_s=COPY_SILENCE_S)
        self._searching = DocumentChild(self._index.path, priority="normal")
        self.indexing = DocumentIndexing(
            repository,
            self._originals,
            self._index,
            service=service,
            senders=senders,
            battery=battery,
        )
        self.folders = WatchedFolders(repository, self._originals)

    async def run(self) -> None:
        """Read, embed and watch in the background, until cancelled."""
        await asyncio.to_thread(self._originals.sweep)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.indexing.run())
            group.create_task(self.folders.run(self._on_look))

    def close(self) -> None:
        """End every process, and let go of the index."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._resting is not None:
            self._resting.cancel()
        self.indexing.close()
        self._searching.close()
        self._index.close()

    # Documents

    async def add(
        self,
        paths: Sequence[Path],
        *,
        collection: str = "",
        ocr: OcrUse = "auto",
        password: str | None = None,
        wait: bool = False,
    ) -> list[Document]:
        """Keep files, and those of folders, as documents; the same bytes are found again.

        They are read in the background; who waits returns when they are read, and have vectors.
        Raises UserError for those that are refused, when all others are kept.
        """
        ids, refused = await self.keep(paths, collection=collection, ocr=ocr, password=password)
        if refused:
            raise UserError("\n".join(refused))
        if wait:
            await self.indexing.finish()
        return [each for each in await self.documents() if each.id in ids]

    async def keep(
        self,
        paths: Sequence[Path],
        *,
        collection: str = "",
        ocr: OcrUse = "auto",
        password: str | None = None,
    ) -> tuple[set[int], list[str]]:
        """Keep files as `add` does; return their ids, and a sentence on each that is refused."""
        ids, refused = set(), []
        for path in paths:
            try:
                files = await self._files_of(path)
            except UserError as error:
                refused.append(str(error))
                continue
            for file in files:
                try:
                    sha256 = await self._copy(file)
                except UserError as error:
                    refused.append(str(error))
                    continue
                if password is not None:
                    self.indexing.use_password(sha256, password)
                new = NewDocument(sha256, file.name, str(file.absolute()), collection, ocr=ocr)
                ids.add(await self._repository.add(new))
        self.indexing.wake()
        return ids, refused

    async def _copy(self, file: Path) -> str:
        try:
            return await self._copying.run(lambda life: self._originals.keep(file, life.beat))
        except SilentError as error:
            raise UserError(
                _("{file} does not answer. Check the network, and add it again.").format(
                    file=sanitize(file.name)
                )
            ) from error

    async def documents(
        self, *, include_superseded: bool = True, agent: str | None = None
    ) -> list[Document]:
        """List the documents, in the order in which they were added."""
        kept = await self._repository.listed(agent=agent)
        found = await self._with_states(kept)
        return [each for each in found if include_superseded or each.state != "superseded"]

    async def document(self, id_: int) -> Document:
        """Return a document by its id."""
        (found,) = await self._with_states([await self._repository.find(id_)])
        return found

    async def edit(
        self, id_: int, *, facts: DocumentFacts | None = None, collection: str | None = None
    ) -> Document:
        """Change what is known of a document, or its collection; return it."""
        await self._repository.edit(id_, facts, collection)
        return await self.document(id_)

    async def remove(self, id_: int) -> None:
        """Remove a document and its attachments, with their kept bytes."""
        hashes = await self._repository.remove(id_)
        await self._index.run(lambda index: index.drop(hashes))
        await asyncio.to_thread(self._originals.remove, hashes)

    async def reindex(self, id_: int | None = None) -> None:
        """Read one document anew from its kept original, or all, in the background."""
        hashes = await self._repository.retry(id_)
        await self._index.run(lambda index: index.clear() if id_ is None else index.drop(hashes))
        self.indexing.wake()

    async def ocr_missing(self) -> str | None:
        """Return a sentence where the packaged program lacks the pack that reads scans."""
        return await asyncio.to_thread(OCR.missing)

    async def add_ocr(self, archive: Path, on_progress: OnProgress) -> str:
        """Add the pack that reads scans, and try it; return a sentence."""
        await self.indexing.add_ocr(archive, on_progress)
        return await self.try_ocr()

    async def try_ocr(self) -> str:
        """Return a sentence where scans can be read here."""
        await self.indexing.try_ocr()
        return _("Scanned pages and pictures are read on this computer.")

    def kept_file(self, document: Document) -> Path:
        """Return where the kept copy of a document lies."""
        return self._originals.path(document.sha256, document.file)

    async def original(self, document: Document) -> OriginalState:
        """Return whether the file that a document was taken from is as it was, changed or gone."""
        if not document.path or document.parent is not None:
            return "unknown"
        try:
            return await self._looking.run(
                lambda life: state_of(Path(document.path), document.sha256, life.beat)
            )
        except SilentError:
            return "unknown"

    async def passages(self, document: Document) -> list[Passage]:
        """Return all passages of a document, in order."""
        await self._repository.find(document.id)
        return await self._index.run(lambda index: index.passages(document.sha256))

    async def page(self, document: Document, page: int) -> list[Passage]:
        """Return the passages of a page or slide, from 1; [] for one without any."""
        await self._repository.find(document.id)
        return await self._index.run(lambda index: index.page(document.sha256, page))

    async def sheet(self, document: Document, name: str) -> Table:
        """Return a sheet of the kept copy from A1 on, its columns named by their letters.

        Without a row where it has none of that name.
        """
        await self._repository.find(document.id)
        reply = await self._ask(
            {
                "do": "sheet",
                "file": str(self.kept_file(document)),
                "name": document.file,
                "sheet": name,
                "password": self.indexing.password(document.sha256),
            },
            failure=_("The sheet could not be opened. Its text can be read all the same."),
        )
        rows = reply["rows"]
        width = max(map(len, rows), default=0)
        columns = tuple(Column(column_letters(number), "text") for number in range(width))
        cells = (tuple(cell or None for cell in row) for row in rows)
        return Table(columns, tuple(row + (None,) * (width - len(row)) for row in cells))

    # Search

    async def search(
        self,
        question: str,
        *,
        collection: str = "",
        document: int | None = None,
        count: int = 6,
        engine: SearchEngine = "hybrid",
        with_superseded: bool = False,
        agent: str | None = None,
        message: MessageId | None = None,
    ) -> DocumentSearchResult:
        """Return the passages that fit a question best.

        Of all collections, or of one; of one document with its superseded revisions left aside.
        What was replaced is found only where it is asked for, what is gone never. The engine of
        the result is what was searched with: words alone where there is no vector yet. `message` is
        the answer that it is for.
        """
        began = time.perf_counter()
        asked = [
            each
            for each in await self.documents(agent=agent)
            if _is_searched(each, with_superseded=with_superseded)
            and collection in ("", each.collection)
            and document in (None, each.id, each.parent)
        ]
        # The same bytes may be several documents: one that came by itself goes first.
        by_hash = {each.sha256: each for each in reversed(asked) if each.parent is not None}
        by_hash |= {each.sha256: each for each in reversed(asked) if each.parent is None}
        if not by_hash or not question.strip():
            return DocumentSearchResult("words", _ms_since(began), 0, ())
        model, vector = (
            ("", ()) if engine == "words" else await self._vector_of(question, agent, message)
        )
        request = SearchRequest(
            question=question,
            hashes=tuple(by_hash),
            count=max(1, min(count, MOST_HITS)),
            model=model,
            vector=vector,
            related=await asyncio.to_thread(self._related, question),
        )
        reply = await self._ask(
            {"do": "search", "asked": codec.pack(request)},
            failure=_("The documents could not be searched. Try again."),
        )
        if "problem" in reply:
            await self._index.remake()
            self.indexing.wake()
            raise UserError(
                _(
                    "The index of the documents was damaged. It is made anew now: search again in"
                    " a while."
                )
            )
        ranked = codec.unpack(Ranked, reply)
        hits = tuple(
            DocumentHit(by_hash[each.sha256], each.passage, each.score, each.is_exact, each.share)
            for each in ranked.passages
        )
        return DocumentSearchResult(ranked.engine, _ms_since(began), ranked.found, hits)

    async def _ask(self, request: JsonObject, *, failure: str) -> Any:
        """Return the reply of the child, which ends when nobody has asked for a while."""
        if self._resting is not None:
            self._resting.cancel()
        loop = asyncio.get_running_loop()
        try:
            return await self._searching.ask(request, failure=failure)
        finally:
            rest = self._searching.rest
            self._resting = loop.call_later(SEARCH_IDLE_S, lambda: loop.create_task(rest()))

    def _related(self, question: str) -> tuple[str, ...]:
        synonyms = self._synonyms()
        if self._vocabulary[0] != synonyms:
            self._vocabulary = (synonyms, vocabulary_of(synonyms))
        return related_terms(question, self._vocabulary[1])

    async def _vector_of(
        self, question: str, agent: str | None, message: MessageId | None
    ) -> tuple[str, tuple[float, ...]]:
        """Return the model to search with, and the question's vector where a service makes it.

        While a model's vectors are not all there, those of the built-in one are used, where it has
        more, and for an agent whose questions may not be sent.
        """
        service, senders = self._service(), self._senders()
        if senders is not None and agent is not None and agent not in senders:
            service = None
        models = await self._index.run(lambda index: index.models())
        if service is None:
            return (BUILT_IN if models.get(BUILT_IN) else ""), ()
        if models.get(service.model, 0) < models.get(BUILT_IN, 0):
            return BUILT_IN, ()
        if not models.get(service.model):
            return "", ()
        try:
            (vector,) = await service.embed([question], message=message)
        except QHubError:  # it is away: words alone, as the engine of the result says
            return "", ()
        return service.model, tuple(vector)

    async def evaluate(self, file: Path, *, engine: SearchEngine) -> JsonObject:
        """Return how often the right passages of a file's questions are found; keeps nothing."""
        reply: JsonObject = await self._searching.ask(
            {
                "do": "evaluate",
                "file": str(file),
                "engine": engine,
                "synonyms": codec.pack(await asyncio.to_thread(self._synonyms)),
            },
            failure=_("The search could not be evaluated: its process ended."),
        )
        return reply

    # Collections and folders

    async def collections(self) -> list[Collection]:
        """List the collections that the person may read."""
        return await self._repository.collections()

    async def put_collection(self, collection: Collection) -> None:
        """Make a collection, or change who may read it and which agents use it."""
        await self._repository.put_collection(collection)

    async def watched(self) -> list[WatchedFolder]:
        """List the watched folders."""
        return await self._repository.watched()

    async def watch(self, folder: Path, *, collection: str = "") -> None:
        """Watch a folder and those below it from now on."""
        path = await asyncio.to_thread(checked_folder, folder)
        await self._repository.watch(path, collection)
        self.folders.wake()

    async def unwatch(self, folder: Path) -> None:
        """Watch a folder no longer; its documents stay."""
        await self._repository.unwatch(watched_path(folder))

    async def look(self) -> list[FolderLook]:
        """Look at the watched folders until what is there is kept, and read it."""
        looks = await self.folders.look_until_rest()
        await self.indexing.finish(words_only=True)
        return looks

    def _on_look(self, looks: Sequence[FolderLook]) -> None:
        if any(look.read for look in looks):
            self.indexing.wake()

    async def _files_of(self, path: Path) -> list[Path]:
        if not await asyncio.to_thread(path.is_dir):
            return [path]
        try:
            found = await self._copying.run(
                lambda life: sorted(Path(each.path) for each in files_in(path, life.beat))
            )
        except (OSError, SilentError) as error:
            raise UserError(
                _(
                    "The folder {folder} cannot be read. Check that it is there and that you may"
                    " open it."
                ).format(folder=sanitize(str(path)))
            ) from error
        if not found:
            raise UserError(
                _("There is no document in the folder {folder}. Choose another one.").format(
                    folder=sanitize(str(path))
                )
            )
        return found

    async def _with_states(self, kept: Sequence[KeptDocument]) -> list[Document]:
        model = self.indexing.model
        counts = await self._index.run(lambda index: index.counts(model))
        warnings = await self._index.run(lambda index: index.warnings())
        found = []
        for each in kept:
            passages, embedded = counts.get(each.document.sha256, (None, 0))
            state = each.state(passages, embedded)
            found.append(
                replace(
                    each.document,
                    state=state,
                    passages=passages or 0,
                    embedded=embedded,
                    warnings=warnings.get(each.document.sha256, ()),
                )
            )
        return found


def _is_searched(document: Document, *, with_superseded: bool) -> bool:
    return document.state in ("words", "ready") or (
        with_superseded and document.state == "superseded"
    )


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1_000
