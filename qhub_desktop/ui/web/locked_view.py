"""The locked view: a widget that shows an untrusted page, and says so when it was stopped."""

# Why it is so: decisions/web-pages.md

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QMetaObject, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QHideEvent, QImage, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedLayout, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.codec import Json
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import column_of, make_label, row_of
from qhub_desktop.ui.desktop import open_url
from qhub_desktop.ui.theme import Palette, theme
from qhub_desktop.ui.web import SCHEME, Blocked, BlockedAttempts, Ending, web_engine

if TYPE_CHECKING:
    from qhub_desktop.ui.web.web_view import Extent, WebView

LONGEST_ADDRESS = 300


class StoppedNotice(QWidget):
    """Notice in place of a stopped page: why it was stopped, and a button to load it again.

    Signals:
        reload_asked: the button was pressed.
    """

    reload_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._why = make_label()
        self._why.setWordWrap(True)
        self._why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reload_button = TextButton(_("Load the page again"), icon_name="retry")
        self.reload_button.clicked.connect(self.reload_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch()
        column.addWidget(self._why)
        column.addWidget(self.reload_button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()

    def tell(self, ending: Ending) -> None:
        """Show why the page was stopped."""
        self._why.setText(_why(ending))


class LinkQuestion(QFrame):
    """Banner that asks before a link is opened in the system's browser; it does not block the page.

    Signals:
        agreed: the address to open, a QUrl.
    """

    agreed = Signal(QUrl)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self._url = QUrl()
        self._words = make_label()
        self._words.setWordWrap(True)
        self.open_button = TextButton(_("Open in the browser"), on_click=self._on_open_clicked)
        self.stay_button = TextButton(_("Stay here"), on_click=self.hide)
        row_of(
            (self._words, 1), self.open_button, self.stay_button, owner=self, margins=(12, 6, 6, 6)
        )
        self.hide()

    def ask(self, url: QUrl) -> None:
        """Show where the link leads, host first."""
        self._url = url
        # Fully encoded, as it will be sent: an address can carry data of the page, and a host in
        # Unicode can look like another.
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if len(address) > LONGEST_ADDRESS:
            address = f"{address[:LONGEST_ADDRESS]}… ({len(address)})"
        self._words.setText(
            _("The page wants to leave the program and open {host}:\n{address}").format(
                host=url.host(QUrl.ComponentFormattingOption.FullyEncoded) or url.scheme(),
                address=address,
            )
        )
        self.show()

    def _on_open_clicked(self) -> None:
        self.hide()
        self.agreed.emit(self._url)


def _why(ending: Ending) -> str:
    match ending:
        case "spinning":
            return _("This page did not stop computing, so it was stopped.")
        case "memory":
            return _("This page wanted too much memory, so it was stopped.")
        case "flooding":
            return _("This page kept the program too busy, so it was stopped.")
        case "strayed":
            return _("This page tried to become another one, so it was stopped.")
        case "died":
            return _("This page has broken down. The rest of the program is sound.")


@dataclass(frozen=True, slots=True)
class Embedding:
    """Sizes of a view that is as high as its content.

    The page is drawn on a pane at least `pane_px` high, of which the view shows the upper part:
    it never learns how high its view is, and so cannot grow with it. A page that wants to be as
    high as the screen is as high as `screen_px`.
    """

    pane_px: int
    screen_px: int


class _Pane(QWidget):
    """Shows the upper part of a web view that is higher than this."""

    def __init__(self) -> None:
        super().__init__()
        self._web: QWidget | None = None
        self._least_height = 0

    def hold(self, web: QWidget) -> None:
        """Show a web view, in place of the one before."""
        self._web = web
        web.setParent(self)
        self._place()
        web.show()

    def set_least_height(self, height: int) -> None:
        """Set how high the web view is at least."""
        self._least_height = height
        self._place()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        if self._web is not None and isValid(self._web):
            self._web.setGeometry(0, 0, self.width(), max(self.height(), self._least_height))


ANSWER_S = 10.0  # longer than `watchdog.HeartbeatMonitor` waits before it stops a page
Answer = TypeVar("Answer")
LEAST_ZOOM = 0.6  # of a page that is too wide: below that its text is too small
BAR_PX = 16  # of a scroll bar
TALLEST_PX = 16_000  # the height comes from the page, which is not trusted


class LockedView(QWidget):
    """Widget that shows one document, which can reach nothing but itself and its `qhub.data`.

    `document` is a complete one, as `charts.html_document.build` makes it. `address` only tells
    pages apart, as in `qhub://dashboards/0123456789ab`. A hidden view does not run: to take a
    picture without a window, show it with WA_DontShowOnScreen.

    Signals:
        loaded: the document and its resources are loaded.
        stopped: the page was stopped, with its Ending; the view shows a StoppedNotice.
        titled: title of the document; untrusted text.
        measured: height of the content in pixels, at most TALLEST_PX, when it has come to rest;
            only of an embedded view.
    """

    loaded = Signal()
    stopped = Signal(str)
    titled = Signal(str)
    measured = Signal(int)

    def __init__(
        self,
        document: str,
        data: Mapping[str, Json] | None = None,
        *,
        palette: Palette | None = None,
        address: str = "",
        open_link: Callable[[QUrl], object] = open_url,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._data = dict(data or {})
        self._palette = palette
        if palette is None:
            theme().on_change(self._restyle)
        self._address = QUrl(address or f"{SCHEME}://pages/{secrets.token_hex(6)}")
        self._blocked = BlockedAttempts()
        self._web: WebView | None = None
        self._links: tuple[QMetaObject.Connection, ...] = ()
        self._ending: Ending | None = None
        self._is_loaded = False
        self._at_load: list[Callable[[bool], None]] = []
        self._zoom = 1.0
        self._content_height = 0  # pixels, at the last measurement
        self._embedding: Embedding | None = None
        self._is_zoomed_out = False
        self._unanswered: set[asyncio.Future[Any]] = set()
        self._notice = StoppedNotice()
        self._notice.reload_asked.connect(self.reload)
        self._question = LinkQuestion()
        self._question.agreed.connect(open_link)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._notice)
        self._pane = _Pane()
        self._stack.addWidget(self._pane)
        column_of((self._stack, 1), self._question, owner=self, spacing=0)
        self._open()

    @property
    def blocked(self) -> tuple[Blocked, ...]:
        """Blocked attempts, each once; complete after `is_alive`."""
        return self._blocked.all

    @property
    def ending(self) -> Ending | None:
        """Why the page was stopped; None while it runs."""
        return self._ending

    @property
    def is_asking(self) -> bool:
        """Whether the question about a clicked link is open."""
        return not self._question.isHidden()

    @property
    def title(self) -> str:
        """Title of the document; untrusted, show it as plain text."""
        return self._web.title() if self._web else ""

    @property
    def content_size(self) -> QSize:
        """Size of the document in pixels, at most TALLEST_PX each way."""
        if self._web is None:
            return QSize()
        size = self._web.locked_page.contentsSize().toSize()
        return size.boundedTo(QSize(TALLEST_PX, TALLEST_PX))

    def embed(self, embedding: Embedding) -> None:
        """Show the page in a scroll area, which gets the wheel first, and measure its content."""
        self._embedding = embedding
        self._pane.set_least_height(embedding.pane_px)

    def stop_measuring(self) -> None:
        """Stop measuring a page that never comes to rest."""
        if self._web is not None:
            self._web.locked_page.stop_measuring()

    def show_document(self, document: str, data: Mapping[str, Json] | None = None) -> None:
        """Load another document, or the same one with other data."""
        self._document = document
        self._data = dict(data or {})
        self.reload()

    def reload(self) -> None:
        """Load the document anew, also after it was stopped."""
        self._close_web()
        self._blocked.clear()
        self._open()

    def stop(self) -> None:
        """End the page's process; nothing runs until `reload`."""
        self._close_web()

    def zoom_to(self, zoom: float) -> None:
        """Scale the page by a factor."""
        self._zoom = zoom
        if self._web:
            self._web.setZoomFactor(zoom)

    def apply_palette(self, palette: Palette) -> None:
        """Colour the shipped template; documents of their own follow the system's colour scheme."""
        self._palette = palette
        if self._web:
            self._web.apply_palette(palette)

    def _restyle(self) -> None:
        if self._web:
            self._web.apply_palette(theme().palette)

    async def until_loaded(self, timeout_s: float = ANSWER_S) -> bool:
        """Wait until the document is loaded, or the one that replaced it meanwhile.

        Return False if it was stopped first or takes longer than `timeout_s`.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._web and not self._is_loaded and not self._ending:
                    await self._answer(self._at_load.append, timeout_s)
        return self._is_loaded

    async def is_alive(self) -> bool:
        """Ping the page and return whether it answers; `blocked` is complete afterwards."""
        if self._web is None or self._ending:
            return False
        return await self._answer(self._web.locked_page.collect) is not None

    async def text(self) -> str:
        """Return the page's plain text; "" if it does not answer."""
        if self._web is None or self._ending:
            return ""
        return await self._answer(self._web.locked_page.toPlainText) or ""

    async def picture(self) -> QImage:
        """Return a picture of what is visible now, in device pixels."""
        if self._web is None:
            return self.grab().toImage()
        return self._web.grab().toImage()

    async def pdf(self) -> bytes:
        """Return the page as a PDF in its print styles, on A4 landscape where they say no other
        sheet; empty if it does not answer.
        """
        if self._web is None or self._ending:
            return b""
        return await self._answer(self._web.locked_page.print_landscape) or b""

    async def pdf_on_paper(self, size: QSize) -> bytes:
        """Return the page as a PDF on paper of `size` CSS pixels; empty if it does not answer."""
        if self._web is None or self._ending:
            return b""
        print_on_paper = self._web.locked_page.print_on_paper
        return await self._answer(lambda then: print_on_paper(size, then)) or b""

    async def _answer(
        self, ask: Callable[[Callable[[Answer], None]], None], timeout_s: float = ANSWER_S
    ) -> Answer | None:
        """Await an answer of the page; None if it is stopped first or `timeout_s` have passed."""
        done: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

        def settle(answer: Answer | None) -> None:
            if not done.done():
                done.set_result(answer)

        self._unanswered.add(done)
        try:
            ask(settle)
            async with asyncio.timeout(timeout_s):
                return await done
        except TimeoutError:
            return None
        finally:
            self._unanswered.discard(done)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._embedding is None or event.oldSize().width() == event.size().width():
            return
        if self._is_zoomed_out:
            self._is_zoomed_out = False
            self.zoom_to(1.0)
        if self._web and self._is_loaded and not self._ending:
            self._web.locked_page.measure(screen_px=self._embedding.screen_px)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._web:
            self._web.locked_page.wake()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._web:
            self._web.locked_page.rest()

    def _open(self) -> None:
        web_engine.start()
        # Loads the web engine: not before the first page.
        from qhub_desktop.ui.web.web_view import WebView

        self._ending = None
        self._is_loaded = False
        web = WebView(self._address, self._blocked, may_scroll=self._may_scroll)
        page = web.locked_page
        # No lambdas: one would keep this view alive until the page is destroyed, and the view would
        # be destroyed in the middle of that, which crashes.
        self._links = (
            page.loadFinished.connect(self._on_load_finished),
            page.titleChanged.connect(self.titled),
            page.measured.connect(self._on_measured),
            page.link_clicked.connect(self._question.ask),
            page.ended.connect(self._on_ended),
        )
        self._web = web
        self._pane.hold(web)
        self._stack.setCurrentWidget(self._pane)
        web.setZoomFactor(self._zoom)
        web.open(self._document, self._data, self._palette or theme().palette)

    def _may_scroll(self) -> bool:
        """Whether the wheel scrolls the page: in a scroll area, only once the page has the
        focus.
        """
        if self._embedding is None:
            return True
        # Else the wheel is the conversation's, also over a page that nobody has clicked.
        is_higher = self._content_height > self.height()
        focus: QWidget | None = self.window().focusWidget()
        return is_higher and focus is not None and self.isAncestorOf(focus)

    def _close_web(self) -> None:
        if self._web is None:
            return
        self._give_up()
        # Late signals of this page, such as the end of its process, must not be taken for the next.
        for link in self._links:
            QObject.disconnect(link)
        self._links = ()
        self._web.close_page()
        self._web.deleteLater()
        self._web = None
        self._question.hide()

    def _on_load_finished(self, is_ok: bool) -> None:  # noqa: FBT001  Qt's signal
        if is_ok:
            self._is_loaded = True
            for each in self._at_load:
                each(True)  # noqa: FBT003  is loaded
            self._at_load.clear()
            if self._web is not None and self._embedding is not None:
                self._web.locked_page.measure(screen_px=self._embedding.screen_px)
            self.loaded.emit()

    def _on_measured(self, extent: "Extent") -> None:
        assert self._web is not None
        assert self._embedding is not None
        share = extent.given_width / max(1, extent.width)
        is_too_wide = extent.width > extent.given_width
        if is_too_wide and share >= LEAST_ZOOM and not self._is_zoomed_out:
            self._is_zoomed_out = True
            self.zoom_to(self._zoom * share)  # it is measured again at that width
            return
        bar = BAR_PX if is_too_wide else 0
        self._content_height = min(round(extent.height * self._zoom) + bar, TALLEST_PX)
        # All of the view must be in sight, if it has scroll bars or something pinned at its edges.
        is_higher = self._content_height > self._embedding.pane_px
        is_whole = is_too_wide or is_higher or extent.is_pinned
        self._pane.set_least_height(0 if is_whole else self._embedding.pane_px)
        self.measured.emit(self._content_height)

    def _on_ended(self, ending: Ending) -> None:
        self._ending = ending
        self._give_up()
        self._question.hide()
        self._notice.tell(ending)
        self._stack.setCurrentWidget(self._notice)
        self.stopped.emit(ending)

    def _give_up(self) -> None:
        for each in self._unanswered:
            if not each.done():
                each.set_result(None)
        self._at_load.clear()
