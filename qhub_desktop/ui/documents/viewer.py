"""Viewer of documents: a page with the quoted passage marked, and the other hits one key away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget
from shiboken6 import isValid

from qhub_desktop.core.documents import Citation, Document, DocumentHit, Passage, Rectangle
from qhub_desktop.core.errors import PasswordNeededError, QHubError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.knowledge.quotations import (
    likely_lines,
    likely_occurrences,
    located,
    occurrences,
)
from qhub_desktop.ui.chat.attachments import PasswordField
from qhub_desktop.ui.chat.find import FindBar
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    column_of,
    make_label,
    row_of,
)
from qhub_desktop.ui.controls.notices import Banner, Remedy
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.popup import OwnWindow, fit_screen
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.documents.page_view import Mark, PageView
from qhub_desktop.ui.documents.pages import DocumentPages, PdfPages, PicturePages
from qhub_desktop.ui.documents.text_view import PassageText
from qhub_desktop.ui.tasks import LatestTask, Tasks, WidgetTasks, set_result_once
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrintDialog, QPrinter

    from qhub_desktop.tools.document_originals import OriginalState
    from qhub_desktop.tools.document_service import DocumentService

SIZE = QSize(980, 860)
PRINT_DPI = 200
_POINTS_PER_INCH = 72
_FIND_AFTER_S = 0.25


def cited(hit: DocumentHit) -> Citation:
    """Return a hit of a search as what a viewer shows: its whole passage."""
    document, passage = hit.document, hit.passage
    return Citation(
        document=document.id,
        sha256=document.sha256,
        file=document.file,
        code=document.facts.code,
        revision=document.facts.revision,
        place=passage.place,
        quote=passage.text,
        is_superseded=document.state == "superseded",
        certainty=passage.certainty,
    )


def ocr_text(certainty: float) -> str:
    """Return how certain the reading of a scanned passage is."""
    return _("read by OCR, {share} % certain").format(share=number(100 * certainty, digits=0))


def changed_text(document: Document, state: OriginalState) -> str:
    """Return that the file of a document has changed since it was read, or is gone; else ""."""
    match state:
        case "changed":
            return _("The file has changed since it was read; this is the copy that was kept.")
        case "gone":
            return _("The file is no longer at {path}; this is the copy that was kept.").format(
                path=document.path
            )
        case _:
            return ""


async def tell_revision(
    document: Document,
    documents: DocumentService,
    banner: Banner,
    open_document: Callable[[Document], object],
) -> None:
    """Say in a banner, and there alone, that a newer revision is in force, and offer it."""
    if document.state != "superseded" or document.replaced_by is None:
        banner.hide()
        return
    newer = await documents.document(document.replaced_by)
    banner.show_error(
        _("Superseded: {document} is in force.").format(document=newer.name),
        Remedy(_("Open the one in force"), lambda: open_document(newer)),
    )


class DocumentWindow(OwnWindow):
    """Window of one document at a time: that of the hit which is shown, or one without a hit."""

    def __init__(
        self, documents: DocumentService, *, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        keys = [
            ("F3", _("Next passage")),
            ("Shift+F3", _("Previous passage")),
            ("Ctrl+F", _("Find in the document")),
            ("Ctrl++", _("Larger")),
            ("Ctrl+-", _("Smaller")),
            ("Ctrl+0", _("As wide as the window, or text in its usual size")),
            ("Ctrl+P", _("Print")),
        ]
        super().__init__(parent, keys)
        self._documents = documents
        self._tasks = tasks
        self._work = WidgetTasks(self, tasks, self._on_error)
        self._showing = LatestTask(tasks)
        self._hits: Sequence[Citation] = ()
        self._at = 0
        self._passwords: dict[str, str] = {}  # by the bytes, as long as the window is there
        self.document: Document | None = None
        self.view: PageView | PassageText | None = None
        self.password_field: PasswordField | None = None
        self.print_dialog: QPrintDialog | None = None
        self._pages: DocumentPages | None = None
        self.state_banner, self.original_banner, self.mark_banner = (Banner() for _each in range(3))
        self._lay_out()
        self._add_keys()
        set_title(self, _("Document"))
        fit_screen(self, SIZE)
        self.destroyed.connect(self._showing.cancel)

    @property
    def told(self) -> list[str]:
        """Sentences of the banners that are shown, top to bottom."""
        banners = (self.state_banner, self.original_banner, self.mark_banner)
        return [banner.text for banner in banners if banner.text]

    @property
    def place_text(self) -> str:
        """What is said of the hit that is shown."""
        return self._place_label.text()

    # What is shown

    def show_hits(self, hits: Sequence[Citation], at: int = 0) -> None:
        """Show one of several passages; the others are a key away."""
        self._hits, self._at = hits, at
        self._showing.start(self._caught(self._show_hit()))

    def show_document(self, document: Document) -> None:
        """Show a document from its beginning."""
        self._hits = ()
        self._place_label.clear()
        self._showing.start(self._caught(self._show_document(document)))

    def step(self, by: int) -> None:
        """Go to the next passage, or to the one before."""
        if len(self._hits) > 1:
            self.show_hits(self._hits, (self._at + by) % len(self._hits))

    async def _caught(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except QHubError as error:
            if isValid(self):
                self._on_error(error)

    async def _show_hit(self) -> None:
        hit = self._hits[self._at]
        self._show_place(hit)
        document = await self._document_of(hit)
        if document is None:
            self._show_gone(hit)
            return
        await self._show_document(document)
        await self._mark(hit)

    async def _document_of(self, hit: Citation) -> Document | None:
        """Return the document of a citation, by its bytes where it was added anew."""
        try:
            document = await self._documents.document(hit.document)
        except UserError:
            document = None
        if document is not None and document.sha256 == hit.sha256:
            return document
        known = await self._documents.documents()
        return next((each for each in known if each.sha256 == hit.sha256), None)

    async def _show_document(self, document: Document) -> None:
        is_same = self.document is not None and self.document.sha256 == document.sha256
        self.document = document
        self._show_names(document)
        self.mark_banner.hide()
        if not is_same or self.view is None:
            self._clear()
            self._set_view(await self._open(document))
        if document.error:
            self.mark_banner.show_error(document.error)
        self._work.start(self._tell_state(document))

    def _show_gone(self, hit: Citation) -> None:
        """Show the quoted words alone."""
        self._clear()
        self.document = None
        self._title.setText(hit.label)
        self._file.setText(hit.file)
        self._file.show()
        set_title(self, hit.label)
        for banner in (self.original_banner, self.mark_banner):
            banner.hide()
        self.state_banner.show_error(
            _(
                "The document is kept no more. Add {file} again to see the page; it said: «{words}»"
            ).format(file=hit.file, words=" ".join(hit.quote.split()))
        )

    async def _open(self, document: Document) -> PageView | PassageText:
        path = await asyncio.to_thread(self._file_of, document)
        while path is not None and document.format in ("PDF", "Picture"):
            try:
                if document.format == "PDF":
                    self._pages = PdfPages(path, self._passwords.get(document.sha256, ""))
                else:
                    self._pages = await PicturePages.open(path)
                return PageView(self._pages)
            except PasswordNeededError as error:
                self._passwords[document.sha256] = await self._ask_password(document, str(error))
            except UserError as error:  # its text can be read all the same
                self.original_banner.show_error(str(error))
                break
        text = PassageText()
        await text.show_passages(await self._documents.passages(document))
        return text

    def _file_of(self, document: Document) -> Path | None:
        kept = self._documents.kept_file(document)
        return kept if kept.is_file() else None

    async def _ask_password(self, document: Document, sentence: str) -> str:
        typed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        field = self.password_field = PasswordField(document.file)
        field.submitted.connect(lambda word: set_result_once(typed, word))
        box = QWidget()
        said = make_label(sentence, is_wrapped=True)
        column_of(said, field, STRETCH, owner=box, margins=3 * GRID_PX)
        self._body.addWidget(box)
        self._body.setCurrentWidget(box)
        field.take_focus()
        try:
            return await typed
        finally:
            self.password_field = None
            if isValid(box):
                box.deleteLater()

    # Marks

    async def _mark(self, hit: Citation) -> None:
        view = self.view
        if isinstance(view, PassageText):
            is_marked = view.mark(hit.place, hit.quote)
        elif view is not None:
            is_marked = await self._mark_page(view, hit)
        else:
            return
        if not is_marked:
            self.mark_banner.show_note(
                _(
                    "Less than half of the quoted words were found here, so nothing is marked. They"
                    " are: «{words}»"
                ).format(words=" ".join(hit.quote.split()))
            )

    async def _mark_page(self, view: PageView, hit: Citation) -> bool:
        page = (hit.place.page or 1) - 1
        if not 0 <= page < view.count:
            view.mark(None)
            return False
        view.go_to(page)
        places = await self._places_of(hit, page)
        if view is self.view:
            view.mark(Mark(page, places) if places else None)
        return bool(places)

    async def _places_of(self, hit: Citation, page: int) -> tuple[Rectangle, ...]:
        assert self._pages is not None
        words = await self._pages.words(page)
        if places := located(hit.quote, words, hit.place.rectangles):
            return places
        # A scanned page has no words: those that were read in it tell where they stood.
        for each in await self._scanned():
            if each.place == hit.place:
                return likely_lines(hit.quote, each.text, hit.place.rectangles)
        return ()

    async def _scanned(self) -> list[Passage]:
        """Return the passages that were read by OCR."""
        if self.document is None:
            return []
        read = await self._documents.passages(self.document)
        return [each for each in read if each.certainty is not None]

    # What is told

    def _show_names(self, document: Document) -> None:
        name = document.name
        self._title.setText(name)
        facts = [document.file] if document.file != name else []
        facts += [each for each in (document.title, document.facts.customer) if each]
        self._file.setText(" · ".join(facts))
        self._file.setVisible(bool(facts))
        set_title(self, name)
        self._nav.setVisible(len(self._hits) > 1)

    def _show_place(self, hit: Citation) -> None:
        parts = []
        if len(self._hits) > 1:
            parts.append(
                _("Passage {place} of {count}").format(place=self._at + 1, count=len(self._hits))
            )
        parts += [hit.place.label_text] if hit.place.label_text else []
        if hit.certainty is not None:
            parts.append(ocr_text(hit.certainty))
        self._place_label.setText(" · ".join(parts))

    async def _tell_state(self, document: Document) -> None:
        await tell_revision(document, self._documents, self.state_banner, self.show_document)
        state = await self._documents.original(document)
        if self.document != document:
            return
        if said := changed_text(document, state):
            renew = Remedy(_("Read it anew"), lambda: self._work.start_kept(self._renew(document)))
            self.original_banner.show_note(said, renew if state == "changed" else None)
        else:
            self.original_banner.hide()

    async def _renew(self, document: Document) -> None:
        added = await self._documents.add([Path(document.path)], collection=document.collection)
        if added and isValid(self):
            self.show_document(added[0])

    def _on_error(self, error: QHubError) -> None:
        self.original_banner.show_error(str(error))

    # Zoom and print

    def _zoom(self, steps: int) -> None:
        if self.view is not None:
            self.view.zoom_by(steps)

    def _print(self) -> None:
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter

        if self.view is None:
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        dialog = self.print_dialog = QPrintDialog(printer, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(self.view, PageView):
            dialog.setMinMax(1, self.view.count)
        dialog.accepted.connect(lambda: self._work.start(self.print_on(printer)))
        QDialog.open(dialog)

    async def print_on(self, printer: QPrinter) -> None:
        """Print the pages that the printer was set to, or the text."""
        if isinstance(self.view, PassageText):
            self.view.print_(printer)
        elif self._pages is not None:
            await _print_pages(self._pages, printer)

    # Parts

    def _set_view(self, view: PageView | PassageText) -> None:
        self.view = view
        self._search.look_in(view, self._pages)
        self._body.addWidget(view)
        self._body.setCurrentWidget(view)
        is_paged = isinstance(view, PageView)
        self._page_label.setVisible(is_paged)
        if isinstance(view, PageView) and self._pages is not None:
            self._work.start(self._pages.measure())
            view.page_changed.connect(self._show_page)
            self._show_page(view.page)
        view.setFocus()

    def _clear(self) -> None:
        if self.view is not None:
            self._body.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
        self.view = self._pages = None
        self._search.look_in(None, None)
        self._page_label.hide()

    def _show_page(self, page: int) -> None:
        if isinstance(self.view, PageView):
            words = _("Page {page} of {count}")
            self._page_label.setText(words.format(page=page + 1, count=self.view.count))

    def _open_original(self) -> None:
        if self.document is not None:
            open_file(self._documents.kept_file(self.document))

    def _lay_out(self) -> None:
        self.find_bar = FindBar(_("Find in the document"))
        self.find_bar.hide()
        self._search = _Search(self.find_bar, self._scanned, self._tasks)
        self._title = ElidedLabel(role="heading")
        self._file = ElidedLabel(role="small")
        self._place_label = make_label(role="small")
        self._page_label = make_label(role="small")
        self.previous_button = IconButton(
            "chevron-up", _("Previous passage"), shortcut="Shift+F3", on_click=lambda: self.step(-1)
        )
        self.next_button = IconButton(
            "chevron-down", _("Next passage"), shortcut="F3", on_click=lambda: self.step(1)
        )
        self._nav = QWidget()
        row_of(self.previous_button, self.next_button, owner=self._nav, spacing=0)
        self._nav.hide()
        tools = row_of(
            self._page_label,
            GRID_PX,
            IconButton(
                "zoom-out", _("Smaller"), shortcut="Ctrl+-", on_click=lambda: self._zoom(-1)
            ),
            IconButton("zoom-in", _("Larger"), shortcut="Ctrl++", on_click=lambda: self._zoom(1)),
            IconButton("search", _("Find"), shortcut="Ctrl+F", on_click=self.find_bar.open),
            IconButton("print", _("Print"), shortcut="Ctrl+P", on_click=self._print),
            IconButton("enlarge", _("Open in its own program"), on_click=self._open_original),
            spacing=2,
        )
        names = column_of(self._title, self._file, spacing=0)
        head = row_of((names, 1), self._place_label, self._nav, tools, margins=(16, 8, 8, 8))
        finding = row_of(STRETCH, self.find_bar, margins=(8, 0, 16, 0))
        self._body = QStackedWidget()
        column_of(
            head,
            self.state_banner,
            self.original_banner,
            self.mark_banner,
            finding,
            (self._body, 1),
            owner=self,
            spacing=0,
        )

    def _add_keys(self) -> None:
        for keys, run in (
            ("F3", lambda: self.step(1)),
            ("Shift+F3", lambda: self.step(-1)),
            ("Ctrl+F", self.find_bar.open),
            ("Ctrl++", lambda: self._zoom(1)),
            ("Ctrl+=", lambda: self._zoom(1)),
            ("Ctrl+-", lambda: self._zoom(-1)),
            ("Ctrl+0", lambda: self._zoom(0)),
            ("Ctrl+P", self._print),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(run)


class _Search(QObject):
    """Search for words in the document that is shown: on its pages one by one, or in its text.

    `scanned` returns its passages that were read by OCR: their lines are found, not their words.
    """

    def __init__(
        self, bar: FindBar, scanned: Callable[[], Awaitable[list[Passage]]], tasks: Tasks
    ) -> None:
        super().__init__(bar)
        self._bar = bar
        self._scanned = scanned
        self._view: PageView | PassageText | None = None
        self._pages: DocumentPages | None = None
        self._finding = LatestTask(tasks)
        self._found: dict[int, list[tuple[Rectangle, ...]]] = {}  # by page, from 0
        self._count = self._place = 0
        bar.changed.connect(self._on_changed)
        bar.step_requested.connect(self._step)
        bar.closed.connect(self._close)
        self.destroyed.connect(self._finding.cancel)

    def look_in(self, view: PageView | PassageText | None, pages: DocumentPages | None) -> None:
        """Look in this document from now on."""
        self._close()
        self._view, self._pages = view, pages

    def _on_changed(self, words: str) -> None:
        self._finding.start_after(_FIND_AFTER_S, lambda: self._find(words))

    async def _find(self, words: str) -> None:
        self._found, self._count, self._place = {}, 0, 0
        view, pages = self._view, self._pages
        if isinstance(view, PassageText):
            self._count = view.mark_found(words)
        elif view is not None and pages is not None:
            start = view.page
            scanned: dict[int, list[Passage]] = {}
            for each in await self._scanned():
                scanned.setdefault((each.place.page or 1) - 1, []).append(each)
            for nth in range(view.count if words.strip() else 0):
                page = (start + nth) % view.count
                here = occurrences(words, await pages.words(page, searched=words))
                for each in scanned.get(page, ()):
                    here += likely_occurrences(words, each.text, each.place.rectangles)
                if here:
                    self._found[page] = here
                    self._count += len(here)
                    if len(self._found) == 1:
                        self._step(0)
                    self._bar.set_count(1, self._count)
        self._step(0)

    def _step(self, by: int) -> None:
        view = self._view
        if self._count:
            self._place = (self._place + by) % self._count
        if isinstance(view, PassageText) and self._count:
            view.step_to(self._place)
        elif isinstance(view, PageView):
            marks = [Mark(page, each) for page, every in self._found.items() for each in every]
            view.mark_found(self._found, marks[self._place] if marks else None)
        self._bar.set_count(self._place + 1, self._count)

    def _close(self) -> None:
        self._finding.cancel()
        self._bar.hide()
        self._found, self._count, self._place = {}, 0, 0
        if isinstance(self._view, PassageText):
            self._view.mark_found("")
        elif self._view is not None:
            self._view.mark_found({}, None)


async def _print_pages(pages: DocumentPages, printer: QPrinter) -> None:
    first, last = printer.fromPage() or 1, printer.toPage() or pages.count
    painter = QPainter(printer)
    try:
        for page in range(first - 1, min(last, pages.count)):
            width_px = round(pages.size(page).width() / _POINTS_PER_INCH * PRINT_DPI)
            image = await pages.picture(page, width_px)
            if page >= first:
                printer.newPage()
            room = painter.viewport()
            size = image.size().scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
            painter.drawImage(QRect(room.topLeft(), size), image)
    finally:
        painter.end()
