"""The panel of documents: listed, searched, changed, dropped; citations of an answer opened."""

import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtWidgets import QApplication, QLineEdit

from qhub_desktop.core.citations import citation_mark
from qhub_desktop.core.documents import Citation, DocumentPlace
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.knowledge.passages import corners
from qhub_desktop.tools.document_indexing import IndexingProgress
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import SourceRow
from qhub_desktop.ui.chat.history import replay
from qhub_desktop.ui.documents import panel as panel_module
from qhub_desktop.ui.documents.list_view import DocumentRow, HitRow
from qhub_desktop.ui.documents.panel import DocumentPanel
from qhub_desktop.ui.documents.viewer import DocumentWindow, cited
from qhub_desktop.ui.table.window import TableWindow
from tests.gallery._talk import NOW
from tests.knowledge.corpus import PASSWORD, content_of
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes
from tests.ui_shell.test_file_intake import Drag
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

RULE = "A mesma peça pode ser polida no máximo duas vezes."


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


async def open_panel(harness: WindowHarness) -> DocumentPanel:
    """The panel, once it lists the documents."""
    harness.window.frame.show_documents()
    panel = harness.window.frame.documents
    await until(lambda: panel._service is not None)
    return panel


def rows(panel: DocumentPanel) -> list[str]:
    return [row.document.file for row in panel.model.rows if isinstance(row, DocumentRow)]


async def added(panel: DocumentPanel, *files: Path) -> None:
    """Add files, and wait until they are read."""
    panel.add(files)
    names = {file.name for file in files}
    await until(lambda: names <= {e.file for e in panel.documents if e.state != "queued"})


def is_dated(panel: DocumentPanel, document: int) -> bool:
    return any(e.id == document and e.facts.issued == "2026-02-28" for e in panel.documents)


async def test_a_locked_document_is_read_once_its_password_is_typed(
    qapp: QApplication, tmp_path: Path
) -> None:
    file = tmp_path / "fechada.pdf"
    file.write_bytes(content_of(file.name))
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, file)
        (locked,) = panel.documents
        assert locked.state == "failed"

        dialog = panel.ask_password(locked)
        assert dialog.password.echoMode() == QLineEdit.EchoMode.Password
        dialog.password.setText(PASSWORD)
        dialog.save_button.click()

        await until(lambda: [each.state for each in panel.documents] in (["words"], ["ready"]))


async def test_documents_are_added_listed_and_found_by_their_words(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        assert not panel.empty_page.isHidden()
        await added(panel, write(tmp_path, "polir.md", RULE), write(tmp_path, "x.txt", "Nada aqui"))
        assert sorted(rows(panel)) == ["polir.md", "x.txt"]

        panel.search_box.setText("polida")
        await until(lambda: any(isinstance(row, HitRow) for row in panel.model.rows))

        assert rows(panel) == []
        hit = next(row for row in panel.model.rows if isinstance(row, HitRow))
        panel.list.opened.emit(hit)
        await until(lambda: harness.window.findChild(DocumentWindow) is not None)
        viewer = harness.window.findChild(DocumentWindow)
        assert viewer is not None
        await until(lambda: viewer.document is not None and viewer.document.file == "polir.md")
        await until(viewer.isVisible)


async def test_what_the_viewer_needs_is_loaded_once_the_panel_is_seen(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel_module, "VIEWER_MODULES", ("tabnanny",))
    monkeypatch.delitem(sys.modules, "tabnanny", raising=False)
    async with opened(qapp) as harness:
        panel = harness.window.frame.documents
        await until(lambda: panel._service is not None)
        await panel._refresh()
        assert "tabnanny" not in sys.modules

        await open_panel(harness)

        await until(lambda: "tabnanny" in sys.modules)


async def test_a_hit_in_a_sheet_opens_the_table_at_its_cells(
    qapp: QApplication, tmp_path: Path
) -> None:
    lines = [
        "Característica;Limite",
        *(f"Cota {n};{n} mm" for n in range(1, 400)),
        "Rebarba;0,2 mm",
    ]
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, write(tmp_path, "plano.csv", "\n".join(lines)))
        found = await panel.service.search("rebarba", engine="words")
        hit = cited(found.hits[0])
        windows = harness.window.controller.windows

        windows.open_hits([hit])
        await until(lambda: _selected(harness))

        table = harness.window.findChild(TableWindow)
        assert table is not None
        cells = corners(hit.place.cells)
        assert cells is not None
        assert _selected(harness)[0] == cells[:2]
        assert _selected(harness)[-1] == cells[2:]
        await until(lambda: table.model.is_fetched(400))
        assert [table.model.text(400, column) for column in (0, 1)] == ["Rebarba", "0,2 mm"]
        assert table.grid.visible_rows()[0] > 300
        assert harness.window.findChild(DocumentWindow) is None


async def test_a_sheet_whose_kept_copy_is_gone_is_shown_as_text(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, write(tmp_path, "plano.csv", "Cota;Limite\nRebarba;0,2 mm\nRisco;0 mm"))
        (document,) = panel.documents
        found = await panel.service.search("rebarba", engine="words")
        panel.service.kept_file(document).unlink()

        harness.window.controller.windows.open_hits([cited(found.hits[0])])

        await until(lambda: harness.window.findChild(DocumentWindow) is not None)
        assert harness.window.findChild(TableWindow) is None


def _selected(harness: WindowHarness) -> list[tuple[int, int]]:
    table = harness.window.findChild(TableWindow)
    chosen = [] if table is None else table.grid.selectionModel().selectedIndexes()
    return sorted((each.row(), each.column()) for each in chosen)


async def test_an_old_kind_is_refused_with_the_next_step_and_the_others_are_added(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)

        panel.add([write(tmp_path, "velho.doc", "x"), write(tmp_path, "polir.md", RULE)])
        await until(lambda: bool(panel.banner.text) and "polir.md" in rows(panel))

        assert ".docx" in panel.banner.text


async def test_facts_are_changed_and_a_newer_revision_replaces_the_older(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        files = [write(tmp_path, f"{name}.md", f"{RULE} {name}") for name in ("cinco", "seis")]
        await added(panel, *files)
        for document in [*panel.documents]:
            dialog = panel.edit(document)
            dialog.code.setText("IT-PIN-014")
            dialog.revision.setText("5" if document.file == "cinco.md" else "6")
            dialog.issued.setText("28/02/2026")
            dialog.save_button.click()
            await until(partial(is_dated, panel, document.id))

        await until(lambda: any(each.state == "superseded" for each in panel.documents))
        assert [each.file for each in panel.documents if each.state == "superseded"] == ["cinco.md"]
        assert rows(panel)[0] == "seis.md"


async def test_what_another_program_removed_is_gone_when_the_window_is_used_again(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, write(tmp_path, "polir.md", RULE))
        await panel.service.remove(panel.documents[0].id)
        assert rows(panel) == ["polir.md"]

        QApplication.sendEvent(harness.window, QEvent(QEvent.Type.WindowActivate))

        await until(lambda: rows(panel) == [])


async def test_a_date_that_is_none_is_told(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, write(tmp_path, "polir.md", RULE))

        dialog = panel.edit(panel.documents[0])
        dialog.issued.setText("ontem")
        dialog.save_button.click()

        assert "31/12/2026" in dialog.problem.text()
        dialog.close()


async def test_a_document_is_removed_after_a_question(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, write(tmp_path, "polir.md", RULE))

        panel.list.removal_requested.emit(panel.documents[0])
        assert panel.question.isVisible()
        assert len(panel.documents) == 1
        panel.remove_button.click()

        await until(lambda: not panel.documents)


async def test_a_document_is_read_again_by_its_menu(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        await added(panel, write(tmp_path, "polir.md", RULE))
        (document,) = panel.documents
        seen: list[str] = []
        panel.service.indexing.listeners.append(lambda told: seen.append(told.reading))

        menu = panel.open_menu(document, QPoint())
        next(each for each in menu.actions() if each.text() == "Read it again").trigger()

        await until(lambda: "polir.md" in seen)
        await until(lambda: [each.state for each in panel.documents] in (["words"], ["ready"]))


async def test_making_vectors_is_paused_and_goes_on(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        panel._on_progress(IndexingProgress(passages=10, embedded=4))
        assert panel.pause_button.isVisible()

        indexing, stored = panel.service.indexing, harness.program.store.documents
        panel.pause_button.click()
        await until(lambda: indexing.progress.pause == "person")
        assert await stored.is_paused()
        panel._on_progress(IndexingProgress(passages=10, embedded=4, pause="person"))
        panel.pause_button.click()
        await until(lambda: not indexing.progress.pause)

        assert not await stored.is_paused()
        panel._on_progress(IndexingProgress(passages=10, embedded=10))
        assert panel.progress_box.isHidden()


async def test_a_drop_on_the_panel_is_a_document_and_elsewhere_data(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        window = harness.window
        panel = await open_panel(harness)
        overlay = window.overlay
        table = write(tmp_path, "plano.csv", "passo;limite\npolir;2\nlixar;3\n")
        heard: list[list[Path]] = []
        overlay.documents_dropped.connect(heard.append)
        middle = panel.mapTo(window, panel.rect().center())

        overlay._look_at([Path("film.mp4")], middle)
        assert "pdf" in overlay.rejection
        is_over = []
        for place in (middle, QPoint(10, 10)):
            overlay._look_at([table], place)
            is_over.append(overlay._is_over_documents)
        assert is_over == [True, False]

        drag = Drag(table)
        drag.place = QPointF(middle)
        drag.enter(window)
        drag.drop(overlay)

        assert heard == [[table]]
        await until(lambda: "plano.csv" in rows(panel))


async def test_a_document_dropped_on_a_conversation_is_kept_and_a_table_offered(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        panel = await open_panel(harness)
        files = harness.window.controller.files
        page = PdfPage()
        page.text(60, 700, RULE)
        (tmp_path / "polir.pdf").write_bytes(pdf_bytes([page]))
        files.import_files([tmp_path / "polir.pdf"])
        await until(lambda: "polir.pdf" in {each.file for each in panel.documents})

        files.import_files([write(tmp_path, "plano.csv", "passo;limite\npolir;2\nlixar;3\n")])
        toast = harness.window.frame.banner.toast
        await until(lambda: "plano.csv" in toast.text)
        toast.buttons[-1].click()

        await until(lambda: "plano.csv" in {each.file for each in panel.documents})
        assert {each.file for each in harness.window.frame.panel.profiles} >= {"plano.csv"}


def _citation(**changes: object) -> Citation:
    values: dict[str, object] = {
        "document": 1,
        "sha256": "0" * 64,
        "file": "a.pdf",
        "code": "IT-PIN-014",
        "revision": "6",
        "place": DocumentPlace(page=3),
        "quote": RULE,
    }
    return Citation(**{**values, **changes})  # type: ignore[arg-type]


def test_citations_come_back_on_reopening_and_a_press_opens_them(qapp: QApplication) -> None:
    del qapp
    first, second = _citation(), _citation(revision="5", is_superseded=True)
    text = Text(f"Duas vezes {citation_mark(first, 1)}, antes três {citation_mark(second, 2)}.")
    answer = AnswerView(make_card=lambda _widget: AnswerView(make_card=lambda _w: answer))
    message = Message(MessageId(2), "assistant", (text, first, second), NOW, "offline", "complete")
    opened_: list[tuple[list[Citation], int]] = []
    answer.citations_opened.connect(lambda every, at: opened_.append((list(every), at)))

    for _block in replay(answer, message, is_last=True):
        pass

    (view,) = answer.views
    assert "[IT-PIN-014 rev. 6, p. 3]" in view.toPlainText()
    view.cited.emit("qhub-citation:2")
    view.cited.emit("qhub-citation:9")  # written by a model
    (sources,) = answer.entries(SourceRow)
    sources.buttons[0].click()
    assert opened_ == [([first, second], 1), ([first, second], 0)]
