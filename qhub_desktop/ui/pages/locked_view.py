"""The locked view: an untrusted page in a widget, with notices of what was stopped."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QMetaObject, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent, QImage, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.json_values import Json
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import WordButton
from qhub_desktop.ui.pages import engine
from qhub_desktop.ui.pages.reasons import Blocked, Blockings, Ending
from qhub_desktop.ui.theme import Palette, theme

if TYPE_CHECKING:
    from qhub_desktop.ui.pages.web_view import WebView

LONGEST_ADDRESS = 300


class StoppedNotice(QWidget):
    """Stands where a page was, says why it is not there any more, and offers to load it again.

    Signals:
        reload_asked: the person wants the page again.
    """

    reload_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._why = QLabel()
        self._why.setWordWrap(True)
        self._why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reload_button = WordButton(_("Load the page again"), icon_name="retry")
        self.reload_button.clicked.connect(self.reload_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch()
        column.addWidget(self._why)
        column.addWidget(self.reload_button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()

    def tell(self, ending: Ending) -> None:
        """Say why the page was stopped."""
        self._why.setText(_why(ending))


class LinkQuestion(QFrame):
    """Asks before a link of a page is opened in the system's browser; the page waits for nothing.

    Signals:
        agreed: the address to open, a QUrl.
    """

    agreed = Signal(QUrl)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self._url = QUrl()
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self.open_button = WordButton(_("Open in the browser"))
        self.open_button.clicked.connect(self._on_open_clicked)
        self.stay_button = WordButton(_("Stay here"))
        self.stay_button.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(8)
        row.addWidget(self._words, 1)
        row.addWidget(self.open_button)
        row.addWidget(self.stay_button)
        self.hide()

    def ask(self, url: QUrl) -> None:
        """Show where the link leads, host first, and wait for the person."""
        self._url = url
        # As it will be sent: an address can carry a page's data, and a host can look like another.
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


ANSWER_S = 10.0  # longer than the watch waits before it ends a page
Answer = TypeVar("Answer")
TALLEST_PX = 16_000  # what a page says of its height is not to be trusted either


class LockedView(QWidget):
    """Shows one document, which can reach nothing but itself and its `qhub.data`.

    `document` is a whole one: `charts.pages.document` makes it of anything. `address` tells pages
    apart, as in `qhub://dashboards/0123456789ab`; it is only a name. A view that is not shown does
    not run: for a picture of one that nobody is to see, show it with WA_DontShowOnScreen.

    Signals:
        loaded: the document and all that belongs to it is there.
        stopped: the page was ended (an Ending), and the view says so and offers to load it again.
        resized: the size of the document in pixels, for a view as high as its content.
        titled: the document's title, which may be anything.
        measured: how high the content is in pixels, as far as it is sensible.
    """

    loaded = Signal()
    stopped = Signal(str)
    resized = Signal(QSize)
    titled = Signal(str)
    measured = Signal(int)

    def __init__(
        self,
        document: str,
        data: Mapping[str, Json] | None = None,
        *,
        palette: Palette | None = None,
        address: str = "",
        open_link: Callable[[QUrl], object] = QDesktopServices.openUrl,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._data = dict(data or {})
        self._palette = palette
        if palette is None:
            theme().follow(self._restyle)
        self._address = QUrl(address or f"{engine.SCHEME}://pages/{secrets.token_hex(6)}")
        self._blockings = Blockings()
        self._web: WebView | None = None
        self._links: tuple[QMetaObject.Connection, ...] = ()
        self._ending: Ending | None = None
        self._is_loaded = False
        self._at_load: list[Callable[[bool], None]] = []
        self._zoom = 1.0
        self._content_height = 0  # when it was measured last
        self.is_embedded = False  # in something that scrolls, which gets the wheel first
        self._unanswered: set[asyncio.Future[Any]] = set()
        self._notice = StoppedNotice()
        self._notice.reload_asked.connect(self.reload)
        self._question = LinkQuestion()
        self._question.agreed.connect(open_link)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._notice)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._stack, 1)
        column.addWidget(self._question)
        self._open()

    @property
    def blocked(self) -> tuple[Blocked, ...]:
        """What the page tried and was not let, each once; `is_alive` brings it up to date."""
        return self._blockings.all

    @property
    def ending(self) -> Ending | None:
        """Why the page was stopped; nothing while it runs."""
        return self._ending

    @property
    def is_asking(self) -> bool:
        """Whether a link was clicked, and the person is asked where it may lead."""
        return not self._question.isHidden()

    @property
    def title(self) -> str:
        """The document's title, which may be anything: show it as plain text."""
        return self._web.title() if self._web else ""

    @property
    def content_size(self) -> QSize:
        """The size of the document in pixels, as far as it is sensible."""
        if self._web is None:
            return QSize()
        size = self._web.locked_page.contentsSize().toSize()
        return size.boundedTo(QSize(TALLEST_PX, TALLEST_PX))

    def measure(self) -> None:
        """Find out how high the content is, whatever the view's height; see `measured`."""
        if self._web is not None and not self._ending:
            self._web.locked_page.measure()

    def show_document(self, document: str, data: Mapping[str, Json] | None = None) -> None:
        """Show another document, or the same with other data, from its beginning."""
        self._document = document
        self._data = dict(data or {})
        self.reload()

    def reload(self) -> None:
        """Show the document from its beginning; after it was stopped, too."""
        self._close_web()
        self._blockings.clear()
        self._open()

    def stop(self) -> None:
        """End the page's process; nothing of it runs until `reload`."""
        self._close_web()

    def zoom_to(self, zoom: float) -> None:
        """Show everything in it so many times as large."""
        self._zoom = zoom
        if self._web:
            self._web.setZoomFactor(zoom)

    def wear(self, palette: Palette) -> None:
        """Show the shipped template in these colours; other documents follow the system's."""
        self._palette = palette
        if self._web:
            self._web.wear(palette)

    def _restyle(self) -> None:
        if self._web:
            self._web.wear(theme().palette)

    async def until_loaded(self, timeout_s: float = ANSWER_S) -> bool:
        """Wait for the document, or for what is shown in its stead meanwhile.

        False if it was stopped first, or takes too long.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._web and not self._is_loaded and not self._ending:
                    await self._answer(self._at_load.append, timeout_s)
        return self._is_loaded

    async def is_alive(self) -> bool:
        """Whether the page still answers; `blocked` is complete afterwards."""
        if self._web is None or self._ending:
            return False
        return await self._answer(self._web.locked_page.collect) is not None

    async def text(self) -> str:
        """What the page says, without its looks; "" if it does not answer."""
        if self._web is None or self._ending:
            return ""
        return await self._answer(self._web.locked_page.toPlainText) or ""

    async def picture(self) -> QImage:
        """What is on the screen now, in the pixels of the screen."""
        if self._web is None:
            return self.grab().toImage()
        return self._web.grab().toImage()

    async def pdf(self) -> bytes:
        """The page on A4 landscape, as its print styles have it; empty if it does not answer."""
        if self._web is None or self._ending:
            return b""
        return await self._answer(self._web.locked_page.print_landscape) or b""

    async def roll(self, size: QSize) -> bytes:
        """The page as a PDF on paper of this size in pixels; empty if it does not answer."""
        if self._web is None or self._ending:
            return b""
        print_roll = self._web.locked_page.print_roll
        return await self._answer(lambda then: print_roll(size, then)) or b""

    async def _answer(
        self, ask: Callable[[Callable[[Answer], None]], None], timeout_s: float = ANSWER_S
    ) -> Answer | None:
        """What the page answers; nothing if it is stopped first, or does not answer."""
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
        engine.start()
        from qhub_desktop.ui.pages.web_view import WebView  # the web engine: not before here

        self._ending = None
        self._is_loaded = False
        web = WebView(self._address, self._blockings, may_scroll=self._may_scroll)
        page = web.locked_page
        # A lambda would keep this view, until the page's own end ends it in the middle of that.
        self._links = (
            page.loadFinished.connect(self._on_load_finished),
            page.contentsSizeChanged.connect(self._on_contents_size_changed),
            page.titleChanged.connect(self.titled),
            page.measured.connect(self._on_measured),
            page.link_clicked.connect(self._question.ask),
            page.ended.connect(self._on_ended),
        )
        self._web = web
        self._stack.addWidget(web)
        self._stack.setCurrentWidget(web)
        web.setZoomFactor(self._zoom)
        web.open(self._document, self._data, self._palette or theme().palette)

    def _may_scroll(self) -> bool:
        """Whether the wheel is the page's: within what scrolls, only once it was clicked."""
        if not self.is_embedded:
            return True
        is_higher = self._content_height > self.height()
        focus: QWidget | None = self.window().focusWidget()
        return is_higher and focus is not None and self.isAncestorOf(focus)

    def _close_web(self) -> None:
        if self._web is None:
            return
        self._give_up()
        # What is still said of this page, that its process is gone, is not said of the next one.
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
                each(True)  # noqa: FBT003  the answer to whether it is loaded
            self._at_load.clear()
            self.loaded.emit()

    def _on_contents_size_changed(self) -> None:
        self.resized.emit(self.content_size)

    def _on_measured(self, height: int) -> None:
        self._content_height = min(height, TALLEST_PX)
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
