"""The web engine's view and page, which refuse everything that a page can ask for."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from weakref import WeakMethod

from PySide6.QtCore import (
    QByteArray,
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

from qhub_desktop.charts import html_document
from qhub_desktop.core.codec import Json
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.theme import Palette
from qhub_desktop.ui.web import BlockedAttempts, watchdog
from qhub_desktop.ui.web.isolated_profile import ISOLATED_WORLD, IsolatedProfile
from qhub_desktop.ui.web.watchdog import HeartbeatMonitor

_NAMES = ("page", "panel", "card", "line", "text", "quiet", "accent", "good", "warn", "bad")


def initial_style_script(palette: Palette) -> str:
    """Return JavaScript for the isolated world that colours the template, to run before the
    page's.
    """
    return (
        f"var colours = new CSSStyleSheet(); colours.replaceSync({_sheet(palette)});"
        "document.adoptedStyleSheets.push(colours);"
    )


def restyle_script(palette: Palette) -> str:
    """Return JavaScript that recolours a loaded page and tells its charts."""
    return (
        f"colours.replaceSync({_sheet(palette)});"
        "document.dispatchEvent(new Event('qhub-appearance'));"
    )


def _sheet(palette: Palette) -> str:
    colours = {name: getattr(palette, name) for name in _NAMES}
    colours |= {f"series-{place}": each for place, each in enumerate(palette.series, 1)}
    rules = "".join(f"--{name}: {colour};" for name, colour in colours.items())
    scheme = "dark" if palette.is_dark else "light"
    # On paper the template keeps its own colours.
    return json.dumps(f"@media screen {{ :root[data-qhub] {{ color-scheme: {scheme}; {rules} }} }}")


POINTS_A_PIXEL = 0.75  # CSS has 96 pixels to the inch, paper 72 points
# Scripts click links, too: the person is asked only about a link that follows their own input.
TOUCH_S = 1.0
REQUEST_COST = 10  # see watchdog.HeartbeatMonitor.charge
CHANGE_COST = 5  # of a change of address or title, in messages: too many are a flood
_OUTSIDE = ("http", "https", "mailto")
_TOUCHES = (QEvent.Type.MouseButtonRelease, QEvent.Type.KeyPress, QEvent.Type.TouchEnd)
_REFUSALS = ("Blocked ", "Ignored call to ", "Unsafe attempt ", "Not allowed to ")


LOOK_MS = 60  # between two measurements of a page that has changed
CALM_LOOKS = 2  # without a change: the page rests
MOST_LOOKS = 40  # at a page that never rests
GLANCE_MS = 500  # between two measurements of a page that rests


@dataclass(frozen=True, slots=True)
class Extent:
    """Room that the content of a page takes, in its own pixels, and the width that it was given.

    A pinned page has something that stays at the foot of its view.
    """

    height: int
    width: int
    given_width: int
    is_pinned: bool


class ExtentObserver(QObject):
    """Measures the content of a page until it rests, and again when it has changed.

    Signals:
        rested: the Extent of the content, when it is another one.
    """

    rested = Signal(object)

    def __init__(self, page: "WebPage", screen_px: int) -> None:
        super().__init__(page)
        self._page = page
        self._screen_px = screen_px
        self._told: Extent | None = None
        self._last: Extent | None = None
        self._looks = 0
        self._calm = 0
        self._is_asking = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._ask)

    def start(self) -> None:
        """Measure until the page rests, beginning now."""
        self._looks = self._calm = 0
        self._is_asking = False  # a page that was frozen meanwhile does not answer
        self._timer.start(LOOK_MS)
        self._ask()

    def stop(self) -> None:
        """Stop measuring."""
        self._timer.stop()

    def _ask(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            script = f"extent({self._screen_px})"
            self._page.runJavaScript(script, ISOLATED_WORLD.value, self._on_answered)

    def _on_answered(self, said: object) -> None:
        self._is_asking = False
        if not self._timer.isActive() or not isinstance(said, str) or not said:
            return
        values = json.loads(said)
        if None in values:  # a page can make its own measures no numbers
            return
        found = Extent(*values)
        if self._timer.interval() == GLANCE_MS:
            if found != self._told:
                self.start()
            return
        self._looks += 1
        self._calm = self._calm + 1 if found == self._last else 0
        self._last = found
        if self._calm >= CALM_LOOKS or self._looks >= MOST_LOOKS:
            self._timer.setInterval(GLANCE_MS)
            if found != self._told:
                self._told = found
                self.rested.emit(found)


class WebPage(QWebEnginePage):
    """A page in its isolated profile.

    Signals:
        link_clicked: the person clicked on a link to this outside address.
        ended: the page's process has ended, with its Ending.
        measured: Extent of the content, each time that it has come to rest.
    """

    link_clicked = Signal(QUrl)
    ended = Signal(str)
    measured = Signal(object)

    def __init__(
        self, isolated: IsolatedProfile, blocked: BlockedAttempts, parent: QObject
    ) -> None:
        super().__init__(isolated.profile, parent)
        self._isolated = isolated
        self._blocked = blocked
        self._may_navigate = False  # to its own address, once for each `open`
        self._touched_at = -TOUCH_S
        self._extent: ExtentObserver | None = None
        self.watch = HeartbeatMonitor(self._ask, self.renderProcessPid, self)
        self.watch.failed.connect(self.watch.end)
        self.renderProcessPidChanged.connect(self.watch.update_process_id)
        self.loadStarted.connect(self.watch.update_process_id)
        self.setAudioMuted(True)
        self.permissionRequested.connect(self._on_permission_requested)
        self.fullScreenRequested.connect(self._on_full_screen_requested)
        self.fileSystemAccessRequested.connect(self._on_file_system_access_requested)
        self.registerProtocolHandlerRequested.connect(self._on_protocol_handler_requested)
        self.newWindowRequested.connect(self._on_new_window_requested)
        self.renderProcessTerminated.connect(self._on_render_process_terminated)
        isolated.on_request = self._on_request
        self.titleChanged.connect(self._on_title_changed)
        self.contentsSizeChanged.connect(self._on_contents_size_changed)
        self.urlChanged.connect(self._on_url_changed)

    def open(self) -> None:
        """Load the page that the profile serves."""
        self._may_navigate = True
        self.setUrl(self._isolated.address)
        self.watch.start()

    def collect(self, then: Callable[[int], None]) -> None:
        """Fetch violations of the policy into the blocked attempts; `then` is given their
        number.
        """

        def on_answer(refused: object) -> None:
            found = json.loads(refused) if isinstance(refused, str) and refused else []
            for each in found:
                self._blocked.add("policy", str(each))
            then(len(found))

        self.runJavaScript("JSON.stringify(refused.splice(0))", ISOLATED_WORLD.value, on_answer)

    def measure(self, *, screen_px: int) -> None:
        """Measure the content from now on; what is as high as its view counts as `screen_px`."""
        if self._extent is None:
            self._extent = ExtentObserver(self, screen_px)
            self._extent.rested.connect(self.measured)
        self._extent.start()

    def stop_measuring(self) -> None:
        """Stop measuring."""
        if self._extent is not None:
            self._extent.stop()
            self._extent = None

    def touched(self) -> None:
        """Note that the person has just clicked or pressed a key on the page."""
        self._touched_at = time.monotonic()
        if self._extent is not None:
            self._extent.start()

    def rest(self) -> None:
        """Freeze a hidden page until `wake`."""
        self.watch.stop()
        if self._extent is not None:
            self._extent.stop()
        if not self.isVisible():
            self.setLifecycleState(QWebEnginePage.LifecycleState.Frozen)

    def wake(self) -> None:
        """Run the page again, once it is visible."""
        self.setLifecycleState(QWebEnginePage.LifecycleState.Active)
        if self.watch.ending is None:
            self.watch.start()
            if self._extent is not None:
                self._extent.start()

    def print_landscape(self, then: Callable[[bytes], None]) -> None:
        """Print the page as a PDF on the sheets of its own @page rule, else on A4 landscape."""
        layout = QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Landscape,
            QMarginsF(10, 10, 10, 10),
            QPageLayout.Unit.Millimeter,
        )
        self._print(layout, then)

    def print_on_paper(self, size: QSize, then: Callable[[bytes], None]) -> None:
        """Print the page as a PDF on paper of `size` CSS pixels, in as many sheets as it takes."""
        points = QSizeF(size) * POINTS_A_PIXEL
        paper = QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
        portrait = QPageLayout.Orientation.Portrait
        margins = QMarginsF(*[16 * POINTS_A_PIXEL] * 4)
        self._print(QPageLayout(paper, portrait, margins, QPageLayout.Unit.Point), then)

    def _print(self, layout: QPageLayout, then: Callable[[bytes], None]) -> None:
        def hand_over(content: QByteArray) -> None:
            # One click on the paper, which a link may cover unseen, would send what its address
            # says. An action of an unknown kind does nothing, and is as long.
            then(bytes(content.data()).replace(b"/S /URI", b"/S /Nop"))

        self.printToPdf(hand_over, layout)

    def _ask(self, answered: Callable[[], None]) -> None:
        self.collect(lambda _count: answered())

    @override
    def acceptNavigationRequest(
        self, url: QUrl | str, type: QWebEnginePage.NavigationType, isMainFrame: bool
    ) -> bool:
        self.watch.charge(REQUEST_COST)
        url = QUrl(url)
        if isMainFrame and self._may_navigate and url == self._isolated.address:
            self._may_navigate = False
            return True
        is_clicked = type is QWebEnginePage.NavigationType.NavigationTypeLinkClicked
        is_person = time.monotonic() - self._touched_at < TOUCH_S
        if isMainFrame and is_clicked and is_person and url.scheme() in _OUTSIDE:
            self.link_clicked.emit(url)
        self._blocked.add("navigation", url.toString())
        return False

    @override
    def createWindow(self, type: QWebEnginePage.WebWindowType) -> None:  # type: ignore[override]
        """Open no window."""

    @override
    def javaScriptAlert(self, securityOrigin: QUrl | str, msg: str) -> None:
        self._blocked.add("dialog", msg)

    @override
    def javaScriptConfirm(self, securityOrigin: QUrl | str, msg: str) -> bool:
        self._blocked.add("dialog", msg)
        return False

    @override
    def javaScriptPrompt(
        self, securityOrigin: QUrl | str, msg: str, defaultValue: str
    ) -> tuple[bool, str]:
        self._blocked.add("dialog", msg)
        return False, ""

    @override
    def javaScriptConsoleMessage(
        self,
        level: QWebEnginePage.JavaScriptConsoleMessageLevel,
        message: str,
        lineNumber: int,
        sourceID: str,
    ) -> None:
        self.watch.charge(1)
        if message.startswith(_REFUSALS):
            self._blocked.add("policy", message)

    @override
    def chooseFiles(
        self,
        mode: QWebEnginePage.FileSelectionMode,
        oldFiles: Sequence[str],
        acceptedMimeTypes: Sequence[str],
    ) -> list[str]:
        self._blocked.add("file", ", ".join(acceptedMimeTypes))
        return []

    def _on_permission_requested(self, permission: QWebEnginePermission) -> None:
        self._blocked.add("permission", permission.permissionType().name)
        permission.deny()

    def _on_full_screen_requested(self, request: QWebEngineFullScreenRequest) -> None:
        self._blocked.add("permission", "FullScreen")
        request.reject()

    def _on_file_system_access_requested(self, request: QWebEngineFileSystemAccessRequest) -> None:
        self._blocked.add("permission", "FileSystem")
        request.reject()

    def _on_protocol_handler_requested(
        self, request: QWebEngineRegisterProtocolHandlerRequest
    ) -> None:
        self._blocked.add("permission", "ProtocolHandler")
        request.reject()

    def _on_new_window_requested(self, request: QWebEngineNewWindowRequest) -> None:
        self._blocked.add("window", request.requestedUrl().toString())

    def _on_request(self) -> None:
        self.watch.charge(REQUEST_COST)

    def _on_title_changed(self) -> None:
        self.watch.charge(CHANGE_COST)

    def _on_contents_size_changed(self) -> None:
        self.watch.charge(1)

    def _on_url_changed(self, url: QUrl) -> None:
        self.watch.charge(CHANGE_COST)
        # Going to about:blank passes no acceptNavigationRequest; what is shown then is not our
        # page.
        if (url.scheme(), url.host(), url.path()) != self._isolated.place:
            self._blocked.add("navigation", url.toString())
            self.watch.end("strayed")

    def _on_render_process_terminated(self) -> None:
        self.watch.stop()
        self.stop_measuring()
        self.ended.emit(self.watch.ending or "died")


class WebView(QWebEngineView):
    """View of one page, without drops and without the web engine's context menu.

    While `may_scroll` is false, wheel events go to the parent.
    """

    def __init__(
        self, address: QUrl, blocked: BlockedAttempts, *, may_scroll: Callable[[], bool]
    ) -> None:
        super().__init__()
        # Weak: a strong reference to the owner would make a cycle, ended by the garbage collector
        # only, after the profile that the page stands on, which crashes.
        self._may_scroll = WeakMethod(may_scroll)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setAcceptDrops(False)
        self._isolated = IsolatedProfile(address, blocked, library=html_document.library)
        self.locked_page = WebPage(self._isolated, blocked, self)
        self.setPage(self.locked_page)
        # Qt deletes children in the order of their adoption: a page must go before its profile.
        self._isolated.setParent(self)

    @override
    def childEvent(self, event: QChildEvent) -> None:
        # The web engine draws in a child of its own, which gets the keys and the mouse. Do not call
        # event.child(): PySide takes 0.1 s to find out the child's class.
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
        """Load a document with its data, in these colours."""
        # Without data define no `qhub`: an exported page brings its own.
        bridge = html_document.bridge(data) if data else ""
        self._isolated.serve(document, bridge=bridge, colours=initial_style_script(palette))
        self.locked_page.open()

    def apply_palette(self, palette: Palette) -> None:
        """Recolour the loaded page."""
        self.locked_page.runJavaScript(restyle_script(palette), ISOLATED_WORLD.value)

    def close_page(self) -> None:
        """End the page and its process."""
        self.locked_page.watch.stop()
        self.locked_page.stop_measuring()
        self._isolated.close()
        process_id = self.locked_page.renderProcessPid()
        # A spinning page would not react to being closed.
        if process_id:
            watchdog.kill(process_id)
