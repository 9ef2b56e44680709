"""Documents added, found, replaced, watched and read again after a kill, by the real child."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from qhub_desktop.core.documents import Collection, Document, DocumentFacts
from qhub_desktop.core.errors import ServiceError, UserError
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.person import Role
from qhub_desktop.knowledge.embedding import model_problem
from qhub_desktop.store import Store
from qhub_desktop.tools.document_indexing import DocumentIndexing
from qhub_desktop.tools.document_service import DocumentService
from tests.knowledge.corpus import PLAN_HEADER, content_of
from tests.store.test_people import account

needs_model = pytest.mark.skipif(bool(model_problem()), reason="the model's file is not here")
POLISH = "A mesma peça pode ser polida no máximo duas vezes."
RACKS = "As suspensões são limpas todas as sextas-feiras."


@pytest.fixture
def documents(store: Store, folder: Path, home: Path) -> Iterator[DocumentService]:
    """The documents of a station."""
    service = DocumentService(store.documents, folder)
    yield service
    service.close()


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


async def added(documents: DocumentService, *files: Path, collection: str = "") -> list[Document]:
    found = await documents.add(files, collection=collection)
    await documents.indexing.finish(words_only=True)
    return [await documents.document(each.id) for each in found]


async def found_in(documents: DocumentService, question: str, **more: object) -> list[str]:
    result = await documents.search(question, engine="words", **more)  # type: ignore[arg-type]
    return [hit.document.file for hit in result.hits]


async def test_a_document_is_found_by_its_words_once_it_is_read(
    documents: DocumentService, tmp_path: Path
) -> None:
    file = written(tmp_path, "polir.txt", f"{RACKS}\n\n{POLISH}")

    (waiting,) = await documents.add([file])
    assert waiting.state == "queued"
    await documents.indexing.finish(words_only=True)
    result = await documents.search("quantas vezes posso polir a peça?", engine="words")

    assert POLISH in result.hits[0].passage.text
    assert (await documents.document(waiting.id)).state == "words"


async def test_the_same_bytes_are_found_again(documents: DocumentService, tmp_path: Path) -> None:
    (first,) = await added(documents, written(tmp_path, "a.txt", POLISH))
    (again,) = await added(documents, written(tmp_path, "b.txt", POLISH))

    assert again.id == first.id
    assert len(await documents.documents()) == 1


async def test_a_newer_revision_takes_the_place_of_the_old_one(
    documents: DocumentService, tmp_path: Path
) -> None:
    (tenth,) = await added(documents, written(tmp_path, "dez.txt", f"{POLISH} Dez."))
    (ninth,) = await added(documents, written(tmp_path, "nove.txt", f"{POLISH} Nove."))
    await documents.edit(tenth.id, facts=DocumentFacts("IT-PIN-014", "10"))
    await documents.edit(ninth.id, facts=DocumentFacts("it pin 014", "9"))

    old = await documents.document(ninth.id)
    assert (old.state, old.replaced_by) == ("superseded", tenth.id)
    assert await found_in(documents, "polida") == ["dez.txt"]
    everything = await found_in(documents, "polida", with_superseded=True)
    assert sorted(everything) == ["dez.txt", "nove.txt"]

    await documents.remove(tenth.id)
    assert (await documents.document(ninth.id)).state == "words"


async def test_what_was_edited_stays_when_the_document_is_read_again(
    documents: DocumentService, tmp_path: Path
) -> None:
    (document,) = await added(documents, written(tmp_path, "a.txt", f"IT-PIN-014 rev. 6\n{POLISH}"))
    await documents.edit(document.id, facts=DocumentFacts("IT-PIN-015", "2"))

    await documents.reindex()
    await documents.indexing.finish(words_only=True)

    assert (await documents.document(document.id)).facts == DocumentFacts("IT-PIN-015", "2")
    assert await found_in(documents, "polida") == ["a.txt"]


async def test_a_sheet_is_given_from_its_first_cell_on(
    documents: DocumentService, tmp_path: Path
) -> None:
    file = tmp_path / "plano de controlo.xlsx"
    file.write_bytes(content_of(file.name))
    (document,) = await added(documents, file)

    sheet = await documents.sheet(document, "Plano")
    other = await documents.sheet(document, "Reação")

    assert sheet.names[:3] == ("A", "B", "C")
    assert sheet.rows[1][:4] == ("Código", "PC-PIN-009", "Revisão", "4")
    assert (sheet.rows[4][0], sheet.rows[4][1]) == (None, PLAN_HEADER[0])  # the table begins at B5
    assert other.rows[0] == ("Defeito", "Ação")
    assert (await documents.sheet(document, "Outra")).rows == ()


async def test_one_document_is_read_again_and_the_others_are_left(
    documents: DocumentService, tmp_path: Path
) -> None:
    one, other = await added(
        documents,
        written(tmp_path, "a.txt", POLISH),
        written(tmp_path, "b.txt", "A estufa seca a 80 graus."),
    )

    await documents.reindex(one.id)

    states = [each.state for each in await documents.documents()]
    assert states == ["queued", "words"]
    await documents.indexing.finish(words_only=True)
    assert await found_in(documents, "polida") == ["a.txt"]
    assert (await documents.document(other.id)).state == "words"
    with pytest.raises(UserError):
        await documents.reindex(9_999)


async def test_a_collection_for_others_is_not_found_by_any_way(
    documents: DocumentService, store: Store, tmp_path: Path
) -> None:
    (secret,) = await added(
        documents, written(tmp_path, "custos.txt", POLISH), collection="Direção"
    )
    await documents.put_collection(Collection("Direção", ("admin",), ("analise",)))
    assert await found_in(documents, "polida", agent="qualidade") == []
    assert await found_in(documents, "polida", agent="analise") == ["custos.txt"]
    await account(store, "ana", "admin")
    store.enter(await account(store, "julia", "operador"))

    assert await documents.documents() == []
    assert await documents.collections() == []
    assert await found_in(documents, "polida") == []
    assert await found_in(documents, "polida", document=secret.id) == []
    for way in (
        documents.document(secret.id),
        documents.passages(secret),
        documents.page(secret, 1),
        documents.remove(secret.id),
    ):
        with pytest.raises(UserError):
            await way


@pytest.mark.parametrize(("role", "may"), [("operador", False), ("responsavel", True)])
async def test_who_answers_for_instructions_may_add_them(
    documents: DocumentService, store: Store, tmp_path: Path, role: Role, may: bool
) -> None:
    await account(store, "ana", "admin")
    store.enter(await account(store, "rui", role))

    try:
        await added(documents, written(tmp_path, "a.txt", POLISH))
    except UserError:
        assert not may
    assert len(await documents.documents()) == may


async def test_what_is_removed_leaves_nothing_behind(
    documents: DocumentService, tmp_path: Path, folder: Path
) -> None:
    (document,) = await added(documents, written(tmp_path, "a.txt", POLISH))
    kept = documents.kept_file(document)
    assert kept.read_text(encoding="utf-8") == POLISH

    await documents.remove(document.id)

    assert not kept.exists()
    assert await found_in(documents, "polida") == []
    documents.close()
    assert b"polida" not in (folder / "documents.db").read_bytes()


async def test_a_damaged_index_is_made_anew(
    documents: DocumentService, store: Store, tmp_path: Path, folder: Path
) -> None:
    await added(documents, written(tmp_path, "a.txt", POLISH))
    documents.close()
    (folder / "documents.db").write_bytes(b"no database at all" * 1000)

    again = DocumentService(store.documents, folder)
    await again.indexing.finish(words_only=True)

    assert await found_in(again, "polida") == ["a.txt"]
    again.close()


async def test_what_cannot_be_read_says_why_and_is_tried_again_when_added_again(
    documents: DocumentService, tmp_path: Path
) -> None:
    (document,) = await added(documents, written(tmp_path, "a.pdf", "%PDF-1.4 no more"))

    assert document.state == "failed"
    assert "a.pdf" in document.error
    assert (await documents.add([tmp_path / "a.pdf"]))[0].state == "queued"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(documents: DocumentService) -> Clock:
    made = Clock()
    documents.folders._clock = made
    return made


async def looked(documents: DocumentService, clock: Clock) -> None:
    await documents.folders.look_until_rest(clock.sleep)
    await documents.indexing.finish(words_only=True)


async def test_a_watched_folder_is_read_and_never_written_to(
    documents: DocumentService, clock: Clock, tmp_path: Path
) -> None:
    watched = tmp_path / "instruções"
    written(watched / "linha 2", "polir.txt", POLISH)
    written(watched, "~$polir.docx", "held")
    written(watched, "foto.raw", "other")
    before = {each: each.stat().st_mtime_ns for each in watched.rglob("*")}
    await documents.watch(watched)
    await looked(documents, clock)

    assert await found_in(documents, "polida") == ["polir.txt"]
    assert {each: each.stat().st_mtime_ns for each in watched.rglob("*")} == before
    (folder,) = await documents.watched()
    assert (folder.files, folder.waiting) == (1, 0)


async def test_a_file_is_read_once_it_rests(
    documents: DocumentService, clock: Clock, tmp_path: Path
) -> None:
    watched = tmp_path / "watched"
    file = written(watched, "polir.txt", "A mesma")
    await documents.watch(watched)
    (first,) = await documents.folders.look()
    clock.now += 1.9
    file.write_text(POLISH, encoding="utf-8")
    (second,) = await documents.folders.look()
    clock.now += 1.9
    (third,) = await documents.folders.look()
    clock.now += 0.2
    (fourth,) = await documents.folders.look()

    assert [look.read for look in (first, second, third, fourth)] == [0, 0, 0, 1]


async def test_a_deleted_file_is_marked_and_found_again_when_it_comes_back(
    documents: DocumentService, clock: Clock, tmp_path: Path
) -> None:
    watched = tmp_path / "watched"
    file = written(watched, "polir.txt", POLISH)
    await documents.watch(watched)
    await looked(documents, clock)

    file.unlink()
    await looked(documents, clock)
    (document,) = await documents.documents()
    assert document.state == "gone"
    assert await found_in(documents, "polida", with_superseded=True) == []

    file.write_text(POLISH, encoding="utf-8")
    await looked(documents, clock)
    assert await found_in(documents, "polida") == ["polir.txt"]
    assert len(await documents.documents()) == 1


async def test_a_folder_that_is_away_takes_nothing_with_it(
    documents: DocumentService, clock: Clock, tmp_path: Path
) -> None:
    watched = tmp_path / "watched"
    written(watched, "polir.txt", POLISH)
    await documents.watch(watched)
    await looked(documents, clock)

    watched.rename(tmp_path / "elsewhere")
    (look,) = await documents.folders.look()

    assert "watched" in look.problem
    assert await found_in(documents, "polida") == ["polir.txt"]


async def test_a_changed_file_takes_the_place_of_what_it_was(
    documents: DocumentService, clock: Clock, tmp_path: Path
) -> None:
    watched = tmp_path / "watched"
    file = written(watched, "polir.txt", POLISH)
    await documents.watch(watched)
    await looked(documents, clock)
    file.write_text(f"{POLISH} {RACKS}", encoding="utf-8")
    await looked(documents, clock)

    states = [each.state for each in await documents.documents()]
    assert states == ["superseded", "words"]


async def test_the_documents_of_a_folder_stay_when_it_is_watched_no_longer(
    documents: DocumentService, clock: Clock, tmp_path: Path
) -> None:
    watched = tmp_path / "watched"
    written(watched, "polir.txt", POLISH)
    await documents.watch(watched)
    await looked(documents, clock)
    await documents.unwatch(watched)

    assert await documents.watched() == []
    assert await found_in(documents, "polida") == ["polir.txt"]


async def test_a_table_is_found_with_its_cells(documents: DocumentService, tmp_path: Path) -> None:
    file = written(tmp_path, "plano.csv", "Característica;Limite\nEspessura;120\nBrilho;85\n")
    await added(documents, file)

    (hit,) = (await documents.search("limite da espessura", engine="words")).hits
    assert "120" in hit.passage.text


def waits(indexing: DocumentIndexing) -> tuple[int, str]:
    return indexing.progress.passages - indexing.progress.embedded, indexing.progress.pause


@needs_model
async def test_vectors_come_later_and_wait_for_the_battery_and_the_person(
    store: Store, folder: Path, home: Path, tmp_path: Path
) -> None:
    charge: list[float | None] = [0.29]
    documents = DocumentService(store.documents, folder, battery=lambda: charge[0])
    (document,) = await added(documents, written(tmp_path, "a.txt", POLISH))
    indexing = documents.indexing

    await indexing.finish(is_patient=True)
    assert waits(indexing) == (1, "battery")
    assert (await documents.search("polida")).engine == "words"
    charge[0] = None
    await indexing.pause(is_paused=True)
    await indexing.finish(is_patient=True)
    assert waits(indexing) == (1, "person")
    again = DocumentService(store.documents, folder, battery=lambda: None)
    await again.indexing.finish(is_patient=True)  # as a program that was started anew
    assert waits(again.indexing) == (1, "person")
    again.close()
    await indexing.pause(is_paused=False)
    await indexing.finish(is_patient=True)
    assert waits(indexing) == (0, "")

    assert (await documents.document(document.id)).state == "ready"
    assert (await documents.search("quantas vezes se pode dar lustro?")).engine == "hybrid"
    documents.close()


class Service:
    """Plays a model of the plant's own: its vectors tell how often two letters stand in a text."""

    model = "http://vectors.plant#letters"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: list[MessageId | None] = []
        self.is_away = False

    async def embed(
        self, texts: Sequence[str], *, message: MessageId | None = None
    ) -> list[list[float]]:
        if self.is_away:
            raise ServiceError("away")
        self.asked += texts
        self.answers.append(message)
        return [[1.0 + text.count("a"), 1.0 + text.count("z")] for text in texts]


@needs_model
async def test_a_service_of_the_plants_own_takes_the_place_of_the_model_once_it_has_all_vectors(
    store: Store, folder: Path, home: Path, tmp_path: Path
) -> None:
    services: list[Service | None] = [None]
    documents = DocumentService(store.documents, folder, service=lambda: services[0])
    texts = {"a.txt": "banana batata", "z.txt": "zzz azul zebra"}
    files = [written(tmp_path, name, text) for name, text in texts.items()]
    await documents.add(files, wait=True)
    services[0] = service = Service()

    assert (await documents.search("zzzz")).engine == "hybrid"  # by the vectors of before
    assert not service.asked
    await documents.indexing.finish()
    assert service.asked == [*texts.values()]
    hits = (await documents.search("zzzzzz")).hits
    assert [hit.document.file for hit in hits] == ["z.txt", "a.txt"]
    service.is_away = True
    assert (await documents.search("banana")).engine == "words"
    documents.close()


async def test_what_only_closed_agents_use_or_ask_is_sent_to_no_service(
    store: Store, folder: Path, home: Path, tmp_path: Path
) -> None:
    service = Service()
    documents = DocumentService(
        store.documents, folder, service=lambda: service, senders=lambda: {"aberto"}
    )
    used_by = {"": (), "closed": ("fechado",), "both": ("aberto", "fechado")}
    for name, agents in used_by.items():
        if name:
            await documents.put_collection(Collection(name, agents=agents))
        file = written(tmp_path, f"{name}.txt", f"banana zebra {name}")
        await documents.add([file], collection=name)
    await documents.indexing.finish()

    assert service.asked == ["banana zebra", "banana zebra both"]
    progress = documents.indexing.progress
    assert (progress.embedded, progress.passages) == (2, 2)
    answer = MessageId(7)
    closed = await documents.search("zebra", agent="fechado", message=answer)
    assert (closed.engine, closed.found) == ("words", 3)
    assert len(service.asked) == 2
    assert (await documents.search("zebra", agent="aberto", message=answer)).engine == "hybrid"
    assert service.answers[-1] == answer
    documents.close()


async def test_nothing_is_sent_where_every_agent_is_closed(
    store: Store, folder: Path, home: Path, tmp_path: Path
) -> None:
    service = Service()
    documents = DocumentService(store.documents, folder, service=lambda: service, senders=set)
    await documents.add([written(tmp_path, "a.txt", "banana")], wait=True)

    assert [hit.document.file for hit in (await documents.search("banana")).hits] == ["a.txt"]
    assert not service.asked
    documents.close()


READS_AND_DIES = """
import asyncio, sys
from pathlib import Path
from qhub_desktop.store import Store
from qhub_desktop.tools.document_indexing import DocumentIndexing
from qhub_desktop.tools.document_service import DocumentService

async def main() -> None:
    folder = Path(sys.argv[1])
    documents = DocumentService(Store.open(folder).documents, folder)
    await documents.add([Path(each) for each in sys.argv[2:]])
    print("added", flush=True)
    await documents.indexing.finish()

asyncio.run(main())
"""


def killed(arguments: list[str], after_s: float) -> None:
    """Run the program that reads until it is killed, so long after it has kept its files."""
    command = [sys.executable, "-c", READS_AND_DIES, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        time.sleep(after_s)
        program.kill()


@pytest.mark.parametrize("after_s", [0.0, 0.4, 1.5])
async def test_a_kill_in_the_middle_of_reading_loses_nothing(
    folder: Path, home: Path, tmp_path: Path, after_s: float
) -> None:
    files = [
        written(
            tmp_path, f"{number}.txt", "\n\n".join(f"{POLISH} {number} {n}" for n in range(200))
        )
        for number in range(3)
    ]
    await asyncio.to_thread(killed, [str(folder), *map(str, files)], after_s)

    store = Store.open(folder)
    documents = DocumentService(store.documents, folder)
    await documents.indexing.finish(words_only=True)
    found = await documents.documents()
    passages = [await documents.passages(each) for each in found]
    documents.close()
    store.close()

    assert [each.state for each in found] == ["words"] * 3
    for number, texts in enumerate(passages):
        whole = "\n".join(each.text for each in texts)
        assert [f"{POLISH} {number} {n}" in whole for n in range(200)] == [True] * 200


async def test_a_child_that_was_killed_is_started_again(
    documents: DocumentService, tmp_path: Path
) -> None:
    (document,) = await documents.add([written(tmp_path, "a.txt", POLISH)])
    await documents.indexing.finish(words_only=True)
    child = documents._searching._server
    await documents.search("polida", engine="words")
    assert child._child is not None
    child._child._process.kill()

    assert await found_in(documents, "polida") == [document.file]
