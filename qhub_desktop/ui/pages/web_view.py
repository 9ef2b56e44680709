"""The web engine's view and page, with everything refused that a page could ask for."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from weakref import WeakMethod

from PySide6.QtCore import (
    QChildEvent,
    QEvent,
    QMarginsF,
    QObject,
    QSize,
    QSizeF,
    Qt,
    QTimer,
    QUrl,
    Signal,
)
from PySide6.QtGui import QPageLayout, QPageSize
from PySide6.QtWebEngineCore import (
    QWebEngineFileSystemAccessRequest,
    QWebEngineFullScreenRequest,
    QWebEngineNewWindowRequest,
    QWebEnginePage,
    QWebEnginePermission,
    QWebEngineRegisterProtocolHandlerRequest,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.charts import pages
from qhub_desktop.core.json_values import Json
from qhub_desktop.ui.pages import guard
from qhub_desktop.ui.pages.guard import Watch
from qhub_desktop.ui.pages.lock import OURS, Lock
from qhub_desktop.ui.pages.reasons import Blockings
from qhub_desktop.ui.theme import Palette

_NAMES = ("page", "panel", "card", "line", "text", "quiet", "accent", "good", "warn", "bad")


def begin(palette: Palette) -> str:
    """JavaScript for our own world, before the page's: dress the template in these colours."""
    return (
        f"var colours = new CSSStyleSheet(); colours.replaceSync({_sheet(palette)});"
        "document.adoptedStyleSheets.push(colours);"
    )


def change(palette: Palette) -> str:
    """The same for a page that is there already; charts hear of it."""
    return (
        f"colours.replaceSync({_sheet(palette)});"
        "document.dispatchEvent(new Event('qhub-appearance'));"
    )


def _sheet(palette: Palette) -> str:
    colours = {name: getattr(palette, name) for name in _NAMES}
    colours |= {f"series-{place}": each for place, each in enumerate(palette.series, 1)}
    rules = "".join(f"--{name}: {colour};" for name, colour in colours.items())
    scheme = "dark" if palette.is_dark else "light"
    # On paper the template's own colours hold.
    return json.dumps(f"@media screen {{ :root[data-qhub] {{ color-scheme: {scheme}; {rules} }} }}")


POINTS_A_PIXEL = 0.75  # CSS has 96 pixels to the inch, paper 72 points
TOUCH_S = 1.0  # a script clicks links, too: only one that follows a person's touch is asked about
REQUEST_COST = 10  # against what a page may cost us: see Watch
CHANGE_COST = 5
_OUTSIDE = ("http", "https", "mailto")
_TOUCHES = (QEvent.Type.MouseButtonRelease, QEvent.Type.KeyPress, QEvent.Type.TouchEnd)
_REFUSALS = ("Blocked ", "Ignored call to ", "Unsafe attempt ", "Not allowed to ")


class WebPage(QWebEnginePage):
    """One page under its lock.

    Signals:
        link_clicked: a person clicked on this address outside.
        ended: the page's process is gone, with the Ending.
        measured: how high its content is, in pixels.
    """

    link_clicked = Signal(QUrl)
    ended = Signal(str)
    measured = Signal(int)

    def __init__(self, lock: Lock, blockings: Blockings, parent: QObject) -> None:
        super().__init__(lock.profile, parent)
        self._lock = lock
        self._blockings = blockings
        self._may_navigate = False  # to its own address: once, for us
        self._touched_at = -TOUCH_S
        self.watch = Watch(self._ask, self.renderProcessPid, self)
        self.watch.failed.connect(self.watch.end)
        self.renderProcessPidChanged.connect(self.watch.look_up)
        self.loadStarted.connect(self.watch.look_up)
        self.setAudioMuted(True)
        self.permissionRequested.connect(self._on_permission_requested)
        self.fullScreenRequested.connect(self._on_full_screen_requested)
        self.fileSystemAccessRequested.connect(self._on_file_system_access_requested)
        self.registerProtocolHandlerRequested.connect(self._on_protocol_handler_requested)
        self.newWindowRequested.connect(self._on_new_window_requested)
        self.renderProcessTerminated.connect(self._on_render_process_terminated)
        lock.on_asked = self._on_asked
        self.titleChanged.connect(self._on_title_changed)
        self.contentsSizeChanged.connect(self._on_contents_size_changed)
        self.urlChanged.connect(self._on_url_changed)

    def open(self) -> None:
        """Load the page that the lock holds, from its beginning."""
        self._may_navigate = True
        self.setUrl(self._lock.address)
        self.watch.start()

    def collect(self, then: Callable[[int], None]) -> None:
        """Fetch into the blockings what the page's policy has refused; how many there were."""

        def on_answer(refused: object) -> None:
            found = json.loads(refused) if isinstance(refused, str) and refused else []
            for each in found:
                self._blockings.add("policy", str(each))
            then(len(found))

        self.runJavaScript("JSON.stringify(refused.splice(0))", OURS.value, on_answer)

    def measure(self) -> None:
        """Find out how high the content is, whatever the height of the view; see `measured`."""
        self.runJavaScript(
            "Math.ceil(Math.max(document.documentElement.offsetHeight,"
            " document.body ? document.body.scrollHeight : 0))",
            OURS.value,
            lambda found: self.measured.emit(int(found) if isinstance(found, int | float) else 0),
        )

    def touched(self) -> None:
        """A person has just clicked or pressed a key on the page."""
        self._touched_at = time.monotonic()

    def rest(self) -> None:
        """Nobody sees the page: nothing of it runs until `wake`."""
        self.watch.stop()
        if not self.isVisible():
            self.setLifecycleState(QWebEnginePage.LifecycleState.Frozen)

    def wake(self) -> None:
        """The page is seen again."""
        self.setLifecycleState(QWebEnginePage.LifecycleState.Active)
        if self.watch.ending is None:
            self.watch.start()

    def print_landscape(self, then: Callable[[bytes], None]) -> None:
        """The page as a PDF on A4 landscape."""
        # The margins of a page's own @page rule do not count when it is printed this way.
        layout = QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Landscape,
            QMarginsF(10, 10, 10, 10),
            QPageLayout.Unit.Millimeter,
        )
        self._print(layout, then)

    def print_roll(self, size: QSize, then: Callable[[bytes], None]) -> None:
        """The page as a PDF on paper of this size in pixels; the rest of it on more of the same."""
        points = QSizeF(size) * POINTS_A_PIXEL
        paper = QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
        portrait = QPageLayout.Orientation.Portrait
        margins = QMarginsF(*[16 * POINTS_A_PIXEL] * 4)
        self._print(QPageLayout(paper, portrait, margins, QPageLayout.Unit.Point), then)

    def _print(self, layout: QPageLayout, then: Callable[[bytes], None]) -> None:
        self.printToPdf(lambda content: then(bytes(content.data())), layout)

    def _ask(self, answered: Callable[[], None]) -> None:
        self.collect(lambda _count: answered())

    @override
    def acceptNavigationRequest(
        self, url: QUrl | str, type: QWebEnginePage.NavigationType, isMainFrame: bool
    ) -> bool:
        self.watch.heard(REQUEST_COST)
        url = QUrl(url)
        if isMainFrame and self._may_navigate and url == self._lock.address:
            self._may_navigate = False
            return True
        is_clicked = type is QWebEnginePage.NavigationType.NavigationTypeLinkClicked
        is_person = time.monotonic() - self._touched_at < TOUCH_S
        if isMainFrame and is_clicked and is_person and url.scheme() in _OUTSIDE:
            self.link_clicked.emit(url)
        self._blockings.add("navigation", url.toString())
        return False

    @override
    def createWindow(self, type: QWebEnginePage.WebWindowType) -> None:  # type: ignore[override]
        """No page opens a window."""

    @override
    def javaScriptAlert(self, securityOrigin: QUrl | str, msg: str) -> None:
        self._blockings.add("dialog", msg)

    @override
    def javaScriptConfirm(self, securityOrigin: QUrl | str, msg: str) -> bool:
        self._blockings.add("dialog", msg)
        return False

    @override
    def javaScriptPrompt(
        self, securityOrigin: QUrl | str, msg: str, defaultValue: str
    ) -> tuple[bool, str]:
        self._blockings.add("dialog", msg)
        return False, ""

    @override
    def javaScriptConsoleMessage(
        self,
        level: QWebEnginePage.JavaScriptConsoleMessageLevel,
        message: str,
        lineNumber: int,
        sourceID: str,
    ) -> None:
        self.watch.heard(1)
        if message.startswith(_REFUSALS):
            self._blockings.add("policy", message)

    @override
    def chooseFiles(
        self,
        mode: QWebEnginePage.FileSelectionMode,
        oldFiles: Sequence[str],
        acceptedMimeTypes: Sequence[str],
    ) -> list[str]:
        self._blockings.add("file", ", ".join(acceptedMimeTypes))
        return []

    def _on_permission_requested(self, permission: QWebEnginePermission) -> None:
        self._blockings.add("permission", permission.permissionType().name)
        permission.deny()

    def _on_full_screen_requested(self, request: QWebEngineFullScreenRequest) -> None:
        self._blockings.add("permission", "FullScreen")
        request.reject()

    def _on_file_system_access_requested(self, request: QWebEngineFileSystemAccessRequest) -> None:
        self._blockings.add("permission", "FileSystem")
        request.reject()

    def _on_protocol_handler_requested(
        self, request: QWebEngineRegisterProtocolHandlerRequest
    ) -> None:
        self._blockings.add("permission", "ProtocolHandler")
        request.reject()

    def _on_new_window_requested(self, request: QWebEngineNewWindowRequest) -> None:
        self._blockings.add("window", request.requestedUrl().toString())

    def _on_asked(self) -> None:
        self.watch.heard(REQUEST_COST)

    def _on_title_changed(self) -> None:
        self.watch.heard(CHANGE_COST)

    def _on_contents_size_changed(self) -> None:
        self.watch.heard(1)

    def _on_url_changed(self, url: QUrl) -> None:
        self.watch.heard(CHANGE_COST)
        # about:blank asks nobody. What stands there then is not our page any more.
        if (url.scheme(), url.host(), url.path()) != self._lock.place:
            self._blockings.add("navigation", url.toString())
            self.watch.end("strayed")

    def _on_render_process_terminated(self) -> None:
        self.watch.stop()
        self.ended.emit(self.watch.ending or "died")


class WebView(QWebEngineView):
    """Shows one page; nothing can be dropped on it, and it has no menu of the web engine's.

    Where the page may not scroll, the wheel goes to what it stands in.
    """

    def __init__(
        self, address: QUrl, blockings: Blockings, *, may_scroll: Callable[[], bool]
    ) -> None:
        super().__init__()
        # Whoever shows this view owns it: held here, it would be ended by the collector, too late.
        self._may_scroll = WeakMethod(may_scroll)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setAcceptDrops(False)
        self._lock = Lock(address, blockings, library=pages.library)
        self.locked_page = WebPage(self._lock, blockings, self)
        self.setPage(self.locked_page)
        # Qt deletes children in the order they came: a page has to go before its profile.
        self._lock.setParent(self)

    @override
    def childEvent(self, event: QChildEvent) -> None:
        # The web engine draws in a child of its own, which gets the keys and the mouse. To ask the
        # event for it costs a tenth of a second: of all Qt's classes, which one that may be.
        if event.added():
            QTimer.singleShot(0, self, self._watch_children)
        super().childEvent(event)

    def _watch_children(self) -> None:
        for child in self.findChildren(QWidget):
            child.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self.locked_page.touched()
        if event.type() == QEvent.Type.Wheel:
            may_scroll = self._may_scroll()
            if may_scroll is not None and not may_scroll():
                event.ignore()
                return True
        return super().eventFilter(watched, event)

    def open(self, document: str, data: Mapping[str, Json], palette: Palette) -> None:
        """Show this document with its data, in these colours."""
        # Without data there is no `qhub`, or an exported page could not bring its own.
        bridge = pages.bridge(data) if data else ""
        self._lock.hold(document, bridge=bridge, colours=begin(palette))
        self.locked_page.open()

    def wear(self, palette: Palette) -> None:
        """Dress what is shown in these colours."""
        self.locked_page.runJavaScript(change(palette), OURS.value)

    def close_page(self) -> None:
        """End the page, its process and its profile."""
        self.locked_page.watch.stop()
        self._lock.close()
        process_id = self.locked_page.renderProcessPid()
        # A page that spins would not hear that it is over.
        if process_id:
            guard.end(process_id)
