"""The viewer of documents: a real window on real files, read by the real child."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtPdf import QPdfDocument
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.documents import Citation, DocumentFacts
from qhub_desktop.tools.document_service import DocumentService
from qhub_desktop.ui.documents.page_view import PageView
from qhub_desktop.ui.documents.pages import PicturePages
from qhub_desktop.ui.documents.text_view import LEAST_PT, PassageText
from qhub_desktop.ui.documents.viewer import DocumentWindow, cited
from tests.gallery.documents import scan
from tests.knowledge.pdf_writer import PdfPage, pdf_bytes
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

RULE = "A mesma peça pode ser polida no máximo duas vezes"


def instruction(*lines: str, password: str = "") -> bytes:
    """A PDF with each line on a page of its own."""
    pages = []
    for words in lines:
        page = PdfPage()
        page.text(60, 700, words, size=12)
        pages.append(page)
    return pdf_bytes(pages, password=password)


def write(folder: Path, name: str, content: bytes) -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


async def hits(
    documents: DocumentService, words: str, *files: Path, password: str | None = None
) -> list[Citation]:
    """Passages of files that were added, found by words."""
    await documents.add(files, password=password)
    await documents.indexing.finish(words_only=True)
    result = await documents.search(words, engine="words", with_superseded=True)
    return [cited(hit) for hit in result.hits]


@asynccontextmanager
async def viewing(
    application: QApplication,
) -> AsyncIterator[tuple[WindowHarness, DocumentWindow, DocumentService]]:
    """A window of documents beside the main one."""
    async with opened(application) as harness:
        documents = harness.program.documents
        window = DocumentWindow(documents, tasks=harness.window.tasks, parent=harness.window)
        window.show()
        yield harness, window, documents


async def shown(window: DocumentWindow, citation: Citation) -> PageView | PassageText:
    """The view of a passage, once that was looked for."""
    window.show_hits([citation])
    await until(lambda: window.view is not None)
    view = window.view
    assert view is not None
    if isinstance(view, PageView):
        await until(lambda: view.quoted is not None or bool(window.mark_banner.text))
    else:
        await until(lambda: bool(view.marked_text) or bool(window.mark_banner.text))
    return view


async def test_a_passage_is_marked_on_its_page(qapp: QApplication, tmp_path: Path) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction("Primeira página", RULE, "Fim"))
        (hit, *_others) = await hits(documents, "polida duas vezes", file)

        view = await shown(window, hit)

        assert isinstance(view, PageView)
        assert view.quoted is not None
        assert (view.quoted.page, view.count) == (1, 3)
        ((left, top, _right, bottom),) = view.quoted.places
        assert abs(left - 60 / 595) < 0.01
        assert top < 1 - 700 / 842 < bottom + 0.005
        await until(lambda: view.is_drawn)
        assert window.told == []


async def test_a_document_that_could_not_be_read_says_why_and_no_place(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction(RULE))
        (hit,) = await hits(documents, "polida duas vezes", file)
        await shown(window, hit)
        assert window.place_text
        await documents.add([write(tmp_path, "vazio.pdf", b"")])
        await documents.indexing.finish(words_only=True)
        failed = next(each for each in await documents.documents() if each.state == "failed")

        window.show_document(failed)
        await until(lambda: bool(window.mark_banner.text))

        assert window.mark_banner.text == failed.error
        assert window.place_text == ""


async def test_words_that_do_not_stand_there_are_not_marked_and_that_is_said(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction(RULE))
        (hit,) = await hits(documents, "polida duas vezes", file)

        wrong = replace(hit, quote="Seca quarenta minutos na estufa antes do verniz brilhante")
        view = await shown(window, wrong)

        assert isinstance(view, PageView)
        assert view.quoted is None
        assert "Less than half" in window.mark_banner.text


async def test_other_hits_are_a_key_away_and_may_stand_in_other_documents(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        one = write(tmp_path, "a.pdf", instruction(RULE))
        other = write(tmp_path, "b.md", f"# Polir\n\n{RULE} por turno.\n".encode())
        found = await hits(documents, "polida duas vezes", one, other)
        assert len(found) == 2

        window.show_hits(found)
        await until(lambda: window.view is not None)
        first = window.document
        QTest.keyClick(window, Qt.Key.Key_F3)
        await until(lambda: window.document is not None and window.document != first)
        await until(lambda: window.place_text.startswith("Passage 2 of 2"))
        QTest.keyClick(window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
        await until(lambda: window.document == first)


async def test_text_without_pages_is_marked_in_its_paragraph(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        text = f"# Lavar\n\nAs suspensões são lavadas à sexta-feira.\n\n# Polir\n\n{RULE}.\n"
        file = write(tmp_path, "memo.md", text.encode())
        (hit, *_others) = await hits(documents, "polida duas vezes", file)

        view = await shown(window, replace(hit, quote=RULE))

        assert isinstance(view, PassageText)
        assert view.marked_text == RULE
        window.find_bar.set_search_text("SUSPENSOES")
        await until(lambda: window.find_bar.count == "1 of 1")


async def test_text_is_written_larger_and_as_before(qapp: QApplication, tmp_path: Path) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "memo.md", f"# Polir\n\n{RULE}.\n".encode())
        (hit, *_others) = await hits(documents, "polida duas vezes", file)
        view = await shown(window, hit)
        assert isinstance(view, PassageText)
        control, usual = Qt.KeyboardModifier.ControlModifier, view.document().size().height()

        QTest.keyClick(view, Qt.Key.Key_Plus, control)
        QTest.keyClick(view, Qt.Key.Key_Plus, control)
        QTest.keyClick(view, Qt.Key.Key_Minus, control)
        larger = view.document().size().height()
        QTest.keyClick(view, Qt.Key.Key_0, control)

        assert larger > usual
        assert view.document().size().height() == usual
        view.zoom_by(-1_000)
        assert view.font().pointSizeF() == LEAST_PT


async def test_a_scan_is_searched_and_what_does_not_stand_in_it_is_not_marked(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "ficha.pdf", scan())
        (hit, *_others) = await hits(documents, "mistura verniz minutos", file)
        assert hit.certainty is not None

        view = await shown(window, replace(hit, quote="Mistura: 4 partes de verniz"))
        assert isinstance(view, PageView)
        assert view.quoted is not None
        assert len(view.quoted.places) < len(hit.place.rectangles)
        window.find_bar.set_search_text("ENDURECEDOR")
        await until(lambda: window.find_bar.count == "1 of 1")
        wrong = replace(hit, quote="Mistura seca quarenta horas na lixa antes da montagem")
        window.show_hits([wrong])
        await until(lambda: "Less than half" in window.mark_banner.text)

        assert view.quoted is None


async def test_a_superseded_revision_says_so_and_leads_to_the_one_in_force(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        old = write(tmp_path, "cinco.pdf", instruction(f"{RULE} (cinco)"))
        new = write(tmp_path, "seis.pdf", instruction(f"{RULE} (seis)"))
        found = await hits(documents, "polida duas vezes", old, new)
        for each in found:
            revision = "5" if each.file == "cinco.pdf" else "6"
            await documents.edit(each.document, facts=DocumentFacts("IT-PIN-014", revision))

        await shown(window, next(each for each in found if each.file == "cinco.pdf"))
        await until(lambda: bool(window.state_banner.text))

        assert "IT-PIN-014 rev. 6" in window.state_banner.text
        window.state_banner.remedy_button.click()
        await until(lambda: window.document is not None and window.document.file == "seis.pdf")
        await until(lambda: not window.state_banner.text)


async def test_the_kept_copy_opens_and_a_change_or_loss_of_the_file_is_said(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction(RULE))
        (hit,) = await hits(documents, "polida duas vezes", file)
        file.write_bytes(instruction("Outra regra"))

        await shown(window, hit)
        await until(lambda: "has changed" in window.original_banner.text)
        file.unlink()
        await shown(window, hit)
        await until(lambda: "no longer" in window.original_banner.text)

        assert isinstance(window.view, PageView)
        assert window.view.quoted is not None


async def test_a_citation_of_a_document_that_was_removed_still_says_its_words(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction(RULE))
        (hit,) = await hits(documents, "polida duas vezes", file)
        await documents.remove(hit.document)

        window.show_hits([hit])
        await until(lambda: bool(window.state_banner.text))

        assert RULE in window.state_banner.text
        assert window.view is None


async def test_a_locked_document_asks_for_its_password(qapp: QApplication, tmp_path: Path) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "fechado.pdf", instruction(RULE, password="segredo"))
        (hit,) = await hits(documents, "polida duas vezes", file, password="segredo")

        window.show_hits([hit])
        await until(lambda: window.password_field is not None)
        field = window.password_field
        assert field is not None
        field.submitted.emit("segredo")
        await until(lambda: window.view is not None)
        view = window.view
        assert isinstance(view, PageView)
        await until(lambda: view.quoted is not None)


async def test_words_are_found_on_all_pages_without_accents(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction(RULE, "Nada", RULE))
        (hit, *_others) = await hits(documents, "polida duas vezes", file)
        view = await shown(window, hit)
        assert isinstance(view, PageView)

        window.find_bar.set_search_text("maximo")
        await until(lambda: window.find_bar.count == "1 of 2")
        window.find_bar.step_requested.emit(1)

        assert window.find_bar.count == "2 of 2"


async def test_pages_are_zoomed_and_printed(qapp: QApplication, tmp_path: Path) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        file = write(tmp_path, "polir.pdf", instruction(RULE, "Duas", "Três"))
        (hit, *_others) = await hits(documents, "polida duas vezes", file)
        view = await shown(window, hit)
        assert isinstance(view, PageView)
        before = view.zoom
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        assert view.zoom > before

        printer = QPrinter()
        printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        printer.setOutputFileName(str(tmp_path / "printed.pdf"))
        printer.setFromTo(2, 3)
        await window.print_on(printer)

        printed = QPdfDocument()
        assert printed.load(str(tmp_path / "printed.pdf")) == QPdfDocument.Error.None_
        assert printed.pageCount() == 2
        printed.close()


async def test_pages_of_other_sizes_are_shown_as_they_are(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with viewing(qapp) as (_harness, window, documents):
        wide, upright = PdfPage(size=(842.0, 595.0)), PdfPage()
        for page in (upright, wide):
            page.text(60, 500, RULE, size=12)
        file = write(tmp_path, "largo.pdf", pdf_bytes([upright, wide]))
        found = await hits(documents, "polida duas vezes", file)

        view = await shown(window, next(each for each in found if each.place.page == 2))

        assert isinstance(view, PageView)
        await until(lambda: view._sizes[1].width() > view._sizes[1].height())
        await until(lambda: 1 in view._drawn and view._drawn[1].width() > view._drawn[1].height())


async def test_a_picture_is_shown_upright(qapp: QApplication, tmp_path: Path) -> None:
    del qapp
    turned = Image.new("RGB", (200, 100), "white")
    exif = turned.getexif()
    exif[0x0112] = 6
    file = tmp_path / "foto.jpg"
    turned.save(file, exif=exif)

    pages = await PicturePages.open(file)
    image = await pages.picture(0, 100)
    pages.deleteLater()

    assert pages.count == 1
    assert image.width() < image.height()
