"""Reading and embedding of documents: in a child, one after the other, resumed after a kill."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import Document, DocumentReading
from qhub_desktop.core.errors import DamagedStoreError, QHubError, UserError
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.packs import OCR, add_pack
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.child import (
    Child,
    ChildBugError,
    ChildGoneError,
    ChildMemoryError,
    Priority,
)
from qhub_desktop.core.processes.supervisor import ChildServer, OnProgress, Progress, receive_reply
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.embedding import Embedder
from qhub_desktop.knowledge.vectors import packed_vectors
from qhub_desktop.store.document_index import INDEX_FILE, DocumentIndex
from qhub_desktop.store.documents import DocumentRepository, KeptDocument, NewDocument
from qhub_desktop.tools.document_originals import Originals
from qhub_desktop.tools.document_search import searched_text

Output = TypeVar("Output")

MODE = "documents"
MEMORY_MB = 1_024
TRIAL_S = 120.0  # of a computer that is busy
READ_S = 1_800.0  # 3,000 pages, or 600 scanned ones
PASSAGES_AT_ONCE = 8  # embedded between two looks at what else is to be done: half a second
SENT_AT_ONCE = 16  # to a service of the plant's own
DEEPEST = 3  # of attachments in attachments
LEAST_BATTERY = 0.3
QUEUE_LOOK_S = 30.0  # another program may have added something
BUILT_IN = Embedder.model

Pause = Literal["", "person", "battery"]


class EmbeddingService(Protocol):
    """A service of the plant's own that makes vectors of texts."""

    @property
    def model(self) -> str:
        """Name of its model, with its address: vectors of two are never compared."""
        ...

    async def embed(
        self, texts: Sequence[str], *, message: MessageId | None = None
    ) -> list[list[float]]:
        """Return the vectors of texts, for an answer if it is given. Raises QHubError."""
        ...


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """Progress of the documents: the one that is read, and how many passages have vectors.

    `share` of the one that is read; `waiting` are those to be read after it.
    """

    reading: str = ""
    share: float | None = None
    waiting: int = 0
    passages: int = 0
    embedded: int = 0
    pause: Pause = ""
    problem: str = ""  # why no vectors are made

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be done, or can be."""
        is_embedded = self.embedded >= self.passages or bool(self.problem)
        return not self.reading and not self.waiting and is_embedded


Listener = Callable[[IndexingProgress], object]


class OpenIndex:
    """The index, opened when first needed, on a thread of its own; made anew when damaged."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / INDEX_FILE
        self._worker = Worker("documents")
        self._index: DocumentIndex | None = None

    async def run(self, work: Callable[[DocumentIndex], Output]) -> Output:
        """Wait for work on the index. Raises UserError if the disk is at fault."""
        return await self._worker.run(self._run, work)

    def close(self) -> None:
        """Let go of the file."""
        self._worker.run_now(self._let_go)
        self._worker.close()

    def _run(self, work: Callable[[DocumentIndex], Output]) -> Output:
        try:
            return work(self._opened())
        except DamagedStoreError:
            self._remove()
            return work(self._opened())

    async def remake(self) -> None:
        """Make the file anew: another process has found it damaged."""
        await self._worker.run(self._remove)

    def _remove(self) -> None:
        self._let_go()
        DocumentIndex.remove(self.path)

    def _opened(self) -> DocumentIndex:
        if self._index is None:
            self._index = DocumentIndex(self.path)
        return self._index

    def _let_go(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None


class DocumentChild:
    """A child that reads, embeds or searches, until closed; started anew after it has died."""

    def __init__(self, index: Path, *, priority: Priority) -> None:
        self._index = str(index)
        self._server = ChildServer(lambda: Child(MODE, memory_mb=MEMORY_MB, priority=priority))

    async def ask(
        self,
        request: JsonObject,
        *,
        failure: str,
        out_of_memory: str = "",
        out_of_time: str = "",
        on_progress: Callable[[Progress], None] = lambda _progress: None,
        limit_s: float | None = None,
    ) -> Any:
        """Return the child's reply. Raises QHubError, with these sentences where it died twice."""
        loop = asyncio.get_running_loop()
        whole = {**request, "index": self._index}

        def tell(progress: Progress) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(on_progress, progress)

        def talk(child: Child) -> object:
            child.send(whole)
            return receive_reply(child, tell)

        try:
            try:
                return await self._server.ask(talk, limit_s=limit_s)
            except ChildGoneError:  # ended from outside, or by what it read: once more tells
                return await self._server.ask(talk, limit_s=limit_s)
        except ChildMemoryError as error:
            raise UserError(out_of_memory or failure) from error
        except TimeoutError as error:
            raise UserError(out_of_time or failure) from error
        except (ChildGoneError, ChildBugError) as error:
            raise UserError(failure) from error

    async def rest(self) -> None:
        """End the process, until it is needed again."""
        await self._server.rest()

    def close(self) -> None:
        """End the process."""
        self._server.close()


class DocumentIndexing:
    """Reads what waits to be read, then makes vectors. Owns its child until closed.

    What was done is on the disk after each document and each few passages: a kill loses nothing
    but the one in work, which is read again.
    """

    def __init__(
        self,
        repository: DocumentRepository,
        originals: Originals,
        index: OpenIndex,
        *,
        service: Callable[[], EmbeddingService | None],
        senders: Callable[[], Collection[str] | None],
        battery: Callable[[], float | None],
    ) -> None:
        """Start nothing yet. The rest is as in `DocumentService`."""
        self._repository = repository
        self._originals = originals
        self._index = index
        self._service = service
        self._senders = senders
        self._battery = battery
        self._child = DocumentChild(index.path, priority="low")
        self._turn = asyncio.Lock()
        self._wake = asyncio.Event()
        self._passwords: dict[str, str] = {}  # by the bytes, and never on disk
        self.listeners: list[Listener] = []
        self.progress = IndexingProgress()

    @property
    def model(self) -> str:
        """Name of the model that vectors are made with."""
        service = self._service()
        return BUILT_IN if service is None else service.model

    def use_password(self, sha256: str, password: str) -> None:
        """Open the file with these bytes by a password, as long as the program runs."""
        self._passwords[sha256] = password

    def password(self, sha256: str) -> str | None:
        """Return the password that was typed for the file with these bytes, if any was."""
        return self._passwords.get(sha256)

    def wake(self) -> None:
        """Look now for what there is to be done."""
        self._wake.set()

    async def pause(self, *, is_paused: bool) -> None:
        """Make no vectors until further notice, or go on. What is added is read all the same."""
        await self._repository.pause(is_paused=is_paused)
        self.wake()

    async def run(self) -> None:
        """Work whenever there is something to be done, until cancelled."""
        while True:
            self._wake.clear()
            with suppress(QHubError):  # a busy file, a full disk: the next look will do it
                await self.finish(is_patient=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), QUEUE_LOOK_S)

    async def finish(self, *, words_only: bool = False, is_patient: bool = False) -> None:
        """Read all that waits, and make all vectors, unless `words_only`. Raises QHubError.

        Who is `patient` leaves the vectors for later where the battery is low or a pause was asked
        for; else they are made.
        """
        async with self._turn:
            try:
                await self._read_waiting()
                while not words_only and await self._embed_some(is_patient=is_patient):
                    await self._read_waiting()
            finally:
                self._tell(reading="", share=None)
                await self._child.rest()

    def close(self) -> None:
        """End the child."""
        self._child.close()

    # Reading

    async def add_ocr(self, archive: Path, on_progress: OnProgress) -> None:
        """Add the pack that reads scans, between two documents. Raises UserError."""
        async with self._turn:
            await self._child.rest()  # Windows replaces no file that a process has mapped
            await add_pack(OCR, archive, on_progress)

    async def try_ocr(self) -> None:
        """Read a picture that is made for it. Raises UserError where scans cannot be read here."""
        async with self._turn:
            try:
                await self._child.ask(
                    {"do": "try_ocr", **await asyncio.to_thread(_ocr_pack)},
                    failure=_("Scans cannot be read here: the process that reads them ended."),
                    limit_s=TRIAL_S,
                )
            finally:
                await self._child.rest()

    async def _read_waiting(self) -> None:
        while waiting := await self._unread():
            for position, kept in enumerate(waiting):
                left = len(waiting) - position - 1
                self._tell(reading=kept.document.file, share=None, waiting=left)
                await self._read(kept)
        self._tell(reading="", share=None, waiting=0)

    async def _unread(self) -> list[KeptDocument]:
        known = await self._index.run(lambda index: index.hashes())
        return [
            kept
            for kept in await self._repository.readable()
            if kept.document.sha256 not in known
            # Another document of the same bytes was recorded with its own reading.
            or not kept.document.format
        ]

    async def _read(self, kept: KeptDocument) -> None:
        document = kept.document
        known = await self._index.run(lambda index: index.reading(document.sha256))
        if known is not None:  # of another document with the same bytes
            await self._repository.copy_attachments(document.id)
            await self._repository.record(document.id, codec.unpack(DocumentReading, known))
            return
        with scratch_folder() as attached:
            try:
                reply = await self._ask_to_read(kept, attached)
            except QHubError as error:
                await self._repository.fail(document.id, str(error))
                return
            if "problem" in reply:
                if reply.get("is_damaged"):
                    await self._index.remake()
                raise UserError(reply["problem"])
            for name in reply["attachments"]:
                with suppress(QHubError):  # gone, or too large
                    await self._attach(document, attached / str(name))
        reading = codec.unpack(DocumentReading, reply["reading"])
        await self._repository.record(document.id, reading)
        await self._index.run(lambda index: index.finish(document.sha256))

    async def _ask_to_read(self, kept: KeptDocument, attached: Path) -> Any:
        document = kept.document
        source = self._originals.path(document.sha256, document.file)
        if not source.is_file():
            raise UserError(
                _("The kept copy of {file} is gone. Add the file again.").format(file=document.file)
            )
        return await self._child.ask(
            {
                "do": "read",
                "file": str(source),
                "name": document.file,
                "sha256": document.sha256,
                "ocr": kept.ocr,
                "password": self.password(document.sha256),
                "attachments": str(attached),
                **await asyncio.to_thread(_ocr_pack),
            },
            failure=_(
                "{file} could not be read: the process that reads it ended. Save it again where it"
                " was made, and add that file."
            ).format(file=document.file),
            out_of_memory=_(
                "{file} needs more memory than there is for it. Save it in parts, and add these."
            ).format(file=document.file),
            out_of_time=_("{file} took too long. Save it in parts, and add these.").format(
                file=document.file
            ),
            on_progress=lambda told: self._tell(share=told.share),
            limit_s=READ_S,
        )

    async def _attach(self, document: Document, file: Path) -> None:
        if await self._repository.depth(document.id) >= DEEPEST:
            return
        sha256 = await asyncio.to_thread(self._originals.keep, file)
        await self._repository.add_found(
            NewDocument(sha256, file.name, collection=document.collection, parent=document.id)
        )

    # Vectors

    async def _embed_some(self, *, is_patient: bool) -> bool:
        """Make the vectors of a few passages; return whether there may be more to be made."""
        pause: Pause = ""
        if is_patient:
            is_paused = await self._repository.is_paused()
            pause = "person" if is_paused else "battery" if self._is_battery_low() else ""
        await self._count(pause)
        if pause or self.progress.embedded >= self.progress.passages:
            return False
        service = self._service()
        try:
            if service is None:
                made = await self._child.ask(
                    {"do": "embed", "most": PASSAGES_AT_ONCE},
                    failure=_("The process that makes vectors of passages ended."),
                )
                count = int(made["embedded"])
            else:
                count = await self._embed_by(service)
        except QHubError as error:  # without a model, or while its service is away: words alone
            self._tell(problem=str(error))
            return False
        self._tell(problem="")
        return count > 0

    async def _embed_by(self, service: EmbeddingService) -> int:
        model = service.model
        but = await self._withheld()
        lacking = await self._index.run(
            lambda index: index.without_vector(model, SENT_AT_ONCE, but=but)
        )
        if not lacking:
            return 0
        vectors = packed_vectors(
            await service.embed([searched_text(each.passage) for each in lacking])
        )
        packed = {each.id: vector for each, vector in zip(lacking, vectors, strict=True)}
        await self._index.run(lambda index: index.keep_vectors(model, packed))
        return len(lacking)

    async def _count(self, pause: Pause) -> None:
        model, but = self.model, await self._withheld()
        passages, models = await self._index.run(
            lambda index: (index.count(but=but), index.models())
        )
        embedded = models.get(model, 0)
        if passages and embedded >= passages and len(models) > 1:
            await self._index.run(lambda index: index.drop_other_models(model))
        self._tell(passages=passages, embedded=embedded, pause=pause)

    async def _withheld(self) -> set[str]:
        """Return the SHA-256 of the documents whose texts the service in use must not get."""
        senders = self._senders()
        if self._service() is None or senders is None:
            return set()
        return await self._repository.withheld(senders)

    def _is_battery_low(self) -> bool:
        share = self._battery()
        return share is not None and share < LEAST_BATTERY

    def _tell(self, **changes: Any) -> None:
        told = replace(self.progress, **changes)
        if told != self.progress:
            self.progress = told
            for listener in [*self.listeners]:
                listener(told)


def _ocr_pack() -> JsonObject:
    """Return where the pack that reads scans is, or what is no such pack, for the child."""
    there = (folder for folder in OCR.places() if folder.is_dir())
    return {"ocr_pack": str(OCR.found() or next(there, OCR.own_place()))}
