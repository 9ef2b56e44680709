"""The child of documents: reads files into the index, makes vectors, and searches."""

import os
from collections.abc import Iterator
from datetime import datetime, time
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, NoReturn

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.documents import DocumentReading
from qhub_desktop.core.errors import DamagedStoreError, QHubError, UserError
from qhub_desktop.core.packs import OCR
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.data.ingest.readers.sheet import CellError, RawSheet, Value
from qhub_desktop.knowledge.embedding import ONE_THREAD, Embedder
from qhub_desktop.knowledge.ranking import related_terms, vocabulary_of
from qhub_desktop.knowledge.words import codes, terms
from qhub_desktop.store.document_index import DocumentIndex, IndexedPassage
from qhub_desktop.tools.document_search import PassageSearch, SearchRequest, searched_text


def answer_requests(parent: Parent) -> NoReturn:
    """Serve requests until the parent process ends."""
    os.environ.update(ONE_THREAD)  # before NumPy is loaded
    worker = _Worker(parent)
    while True:
        request: Any = parent.receive()
        try:
            reply = worker.answer(request)
        except DamagedStoreError as error:
            parent.send({"done": {"problem": str(error), "is_damaged": True}})
        except QHubError as error:
            parent.send({"error": str(error), "kind": type(error).__name__})
        else:
            parent.send({"done": reply})


class _Worker:
    """The open index, and what is kept in memory for the next question."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._index: DocumentIndex | None = None
        self._search: PassageSearch | None = None

    def answer(self, request: Any) -> JsonObject:
        index = self._index = self._index or DocumentIndex(Path(request["index"]))
        self._search = self._search or PassageSearch(index)
        match request["do"]:
            case "read":
                return self._read(index, request)
            case "embed":
                return {"embedded": self._search.embed_some(request["most"])}
            case "sheet":
                return {"rows": _sheet(request)}
            case "try_ocr":
                _try_ocr(request)
                return {}
            case "search":
                asked = codec.unpack(SearchRequest, request["asked"])
                return codec.pack(self._search.answer(asked))  # type: ignore[return-value]
            case "evaluate":
                return self._evaluate(request)
            case other:
                raise ValueError(other)

    def _read(self, index: DocumentIndex, request: Any) -> JsonObject:
        from qhub_desktop.knowledge.reading import read_document

        _use_ocr_pack(request)
        name = request["name"]
        text = read_document(
            Path(request["file"]),
            name=name,
            ocr=request["ocr"],
            password=request["password"],
            attachments=Path(request["attachments"]),
            sheets=lambda file: sheets_of(file, name=name, password=request["password"]),
            on_progress=lambda done, of: self._parent.tell(name, done / of if of else None),
        )
        reading = DocumentReading(text.format, text.title, text.facts, text.pages, text.warnings)
        passages = (
            IndexedPassage(each, terms(whole), codes(whole))
            for each in text.passages
            for whole in (searched_text(each),)
        )
        try:
            index.put(request["sha256"], codec.pack(reading), passages)
        except DamagedStoreError:
            raise
        except UserError as error:  # a full disk is no fault of the document
            return {"problem": str(error)}
        return {"reading": codec.pack(reading), "attachments": [*text.attachments]}

    def _evaluate(self, request: Any) -> JsonObject:
        from qhub_desktop.knowledge import evaluation

        given = evaluation.read_evaluation_set(Path(request["file"]))
        vocabulary = vocabulary_of(request["synonyms"])
        search = evaluation.PassagesInMemory(
            given.passages,
            embedder=Embedder.load() if request["engine"] == "hybrid" else None,
            related=lambda question: related_terms(question, vocabulary),
        )
        return evaluation.evaluated(given.questions, search.search)


def sheets_of(
    file: Path, *, name: str, password: str | None = None
) -> Iterator[tuple[str, Iterator[tuple[str, ...]]]]:
    """Yield the sheets of a workbook or table, and the texts of their cells from A1 on.

    Raises UserError for what is none.
    """
    from qhub_desktop.data.ingest.readers.catalogue import format_of
    from qhub_desktop.data.ingest.readers.sheet import InputFile

    with scratch_folder() as unpacked:
        source = InputFile(file, name, password, folder=unpacked)
        for sheet in format_of(source).open(source).read:
            if not sheet.is_hidden:
                yield sheet.name or "", _rows_of(sheet)


def _sheet(request: Any) -> Json:
    """Return the cells of a sheet by its name, as far as it is read as a document; [] for none."""
    from qhub_desktop.knowledge.readers.workbook import MOST_COLUMNS, MOST_ROWS

    file, name = Path(request["file"]), request["name"]
    for sheet, rows in sheets_of(file, name=name, password=request["password"]):
        if sanitize(sheet) == request["sheet"]:
            return [[*row[:MOST_COLUMNS]] for row in islice(rows, MOST_ROWS)]
    return []


def _rows_of(sheet: RawSheet) -> Iterator[tuple[str, ...]]:
    rows = iter(sheet.rows)
    first = next(rows, None)
    if first is None:
        return
    above, before = sheet.corner() if sheet.corner else (sheet.first_row, sheet.first_column)
    yield from repeat((), above)
    for row in chain((first,), rows):
        yield (*repeat("", before), *map(_cell_text, row))


def _cell_text(value: Value) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:.12g}"  # as a sheet shows it, without what binary fractions add
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "minutes")
        case time():
            return value.isoformat("minutes")
        case CellError():
            return value.name
        case _:
            return str(value)


def _use_ocr_pack(request: Any) -> None:
    # This process finds no environment that would tell it where the pack is.
    OCR.use(Path(request["ocr_pack"]))


def _try_ocr(request: Any) -> None:
    from qhub_desktop.knowledge.readers.ocr import OcrMissingError, try_engine

    _use_ocr_pack(request)
    try:
        try_engine()
    except OcrMissingError as error:
        raise UserError(str(error)) from error
