"""Documents: how soon 500 pages are found, how quickly many passages are searched, and the look at
a watched folder.

Run it as `python -m tests.bench.bench_documents`. 500 pages are read from PDFs of 50 pages by the
real child; passages by the thousand are put into an index with vectors of chance, and searched
through the child with questions of a workshop, whose vectors it makes; a folder of 10,000 files is
looked at for the first time. The exit code says whether 500 pages are found by words within 60 s,
20,000 passages searched within 200 ms for 95 of 100 questions, and the look takes at most 5 s.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from qhub_desktop.core import codec
from qhub_desktop.core.documents import DocumentFacts, DocumentPlace, DocumentReading, Passage
from qhub_desktop.knowledge.vectors import packed_vectors
from qhub_desktop.knowledge.words import codes, terms
from qhub_desktop.store import Store
from qhub_desktop.store.document_index import DocumentIndex, IndexedPassage
from qhub_desktop.store.documents import NewDocument
from qhub_desktop.tools.document_indexing import BUILT_IN
from qhub_desktop.tools.document_service import DocumentService
from tests.bench.record import Figure, record
from tests.knowledge.evaluation_set import evaluation_content
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes

PAGES, PAGES_A_FILE, LINES = 500, 50, 45
MANY = (1_000, 20_000, 100_000)
WIDTH = 384
FILES = 10_000
LONGEST_READING_S, LONGEST_SEARCH_MS, LONGEST_LOOK_S = 60.0, 200.0, 5.0
EMBEDDED_S = 30.0


def _texts() -> list[str]:
    return [each["text"] for each in evaluation_content("open")["passages"]]


def _pdf(texts: Iterator[str]) -> bytes:
    pages = []
    for _page in range(PAGES_A_FILE):
        page = PdfPage()
        words = " ".join(next(texts) for _ in range(8)).split()
        for line in range(LINES):
            page.text(60, 780 - 16 * line, " ".join(words[line * 10 : line * 10 + 10]), size=9)
        pages.append(page)
    return pdf_bytes(pages)


async def _reading(folder: Path) -> dict[str, Figure]:
    chance = random.Random(1)
    texts = _texts()
    endless = iter(lambda: chance.choice(texts), None)
    files = []
    for number in range(PAGES // PAGES_A_FILE):
        files.append(folder / f"{number}.pdf")
        files[-1].write_bytes(_pdf(endless))
    store = Store.open(folder / "home")
    documents = DocumentService(store.documents, folder / "home")
    began = time.perf_counter()
    await documents.add(files)
    await documents.indexing.finish(words_only=True)
    words_s = time.perf_counter() - began
    found = await documents.documents()
    child = documents.indexing._child._server
    began, memory_mb = time.perf_counter(), 0.0
    while time.perf_counter() - began < EMBEDDED_S:
        if not await documents.indexing._embed_some(is_patient=False):
            break
        memory_mb = max(memory_mb, _memory_mb(child._child._process.pid if child._child else 0))
    took_s = time.perf_counter() - began
    passages = sum(each.passages for each in found)
    pages_a_minute = documents.indexing.progress.embedded / passages * PAGES / took_s * 60
    documents.close()
    store.close()
    return {
        "pages": sum(each.pages or 0 for each in found),
        "passages": passages,
        "words_s": words_s,
        "embedded_pages_a_minute": pages_a_minute,
        "child_mb": memory_mb,
    }


def _memory_mb(process: int) -> float:
    """The most that a process has had, where the system tells."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return 0.0
    (line,) = [
        each for each in status.read_text(encoding="ascii").splitlines() if each.startswith("VmHWM")
    ]
    return int(line.split()[1]) / 1_024


async def _searching(folder: Path, count: int) -> dict[str, Figure]:
    store = Store.open(folder)
    documents = DocumentService(store.documents, folder)
    texts = _texts()
    index = DocumentIndex(folder / "documents.db")
    chance = np.random.default_rng(1)
    for start in range(0, count, 1_000):
        sha256 = f"{start:064x}"
        some = [texts[(start + n) % len(texts)] for n in range(1_000)]
        put = [IndexedPassage(Passage(t, DocumentPlace(page=1)), terms(t), codes(t)) for t in some]
        reading = DocumentReading("PDF", "", DocumentFacts(), 1)
        index.put(sha256, codec.pack(reading), put)
        id_ = await store.documents.add(NewDocument(sha256, f"{start}.pdf"))
        await store.documents.record(id_, reading)
        index.finish(sha256)
        ids = [each.id for each in index.without_vector(BUILT_IN, 1_000)]
        vectors = packed_vectors(chance.standard_normal((len(ids), WIDTH)).astype(np.float32))
        index.keep_vectors(BUILT_IN, dict(zip(ids, vectors, strict=True)))
    index.close()
    questions = [each["q"] for each in evaluation_content("open")["questions"]]
    began = time.perf_counter()
    await documents.search(questions[0])
    first_ms = (time.perf_counter() - began) * 1_000
    times = sorted([(await documents.search(each)).ms for each in questions])
    words = sorted([(await documents.search(each, engine="words")).ms for each in questions])
    child = documents._searching._server._child
    figures: dict[str, Figure] = {
        "first_ms": first_ms,
        "median_ms": times[len(times) // 2],
        "p95_ms": times[int(0.95 * len(times))],
        "words_p95_ms": words[int(0.95 * len(words))],
        "child_mb": _memory_mb(child._process.pid if child else 0),
    }
    documents.close()
    store.close()
    return figures


async def _looking(folder: Path) -> dict[str, Figure]:
    watched = folder / "watched"
    for number in range(FILES):
        place = watched / f"{number % 100}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.txt").write_text("x", encoding="utf-8")
    store = Store.open(folder / "home")
    documents = DocumentService(store.documents, folder / "home")
    await documents.watch(watched)
    took: dict[str, Figure] = {}
    for name in ("first_look_s", "second_look_s"):
        began = time.perf_counter()
        (look,) = await documents.folders.look()
        assert look.resting == FILES
        took[name] = time.perf_counter() - began
    documents.close()
    store.close()
    return {"files": FILES, **took}


def main() -> int:
    """Measure, and return the exit code."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["QHUB_HOME"] = name
        folders = [Path(name, each) for each in ("reading", "looking", *map(str, MANY))]
        for folder in folders:
            folder.mkdir()
        reading = asyncio.run(_reading(folders[0]))
        looking = asyncio.run(_looking(folders[1]))
        searching = {
            f"{count:,} passages": asyncio.run(_searching(folder, count))
            for count, folder in zip(MANY, folders[2:], strict=True)
        }
    record("documents", {"500 pages": reading, "10,000 files": looking, **searching})
    is_good = (
        float(reading["words_s"]) <= LONGEST_READING_S
        and float(searching["20,000 passages"]["p95_ms"]) <= LONGEST_SEARCH_MS
        and float(looking["first_look_s"]) <= LONGEST_LOOK_S
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
