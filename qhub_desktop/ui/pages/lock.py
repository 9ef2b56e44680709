"""The lock around one page: a profile of its own, where only the page itself can be had.

Each layer would do by itself; a page has to get through all of them: the policy that comes with the
document, the interceptor of requests, and flags that leave Chromium no address to go to.
"""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QBuffer, QObject, QUrl
from PySide6.QtWebEngineCore import (
    QWebEngineDownloadRequest,
    QWebEngineNotification,
    QWebEngineProfile,
    QWebEngineScript,
    QWebEngineSettings,
    QWebEngineUrlRequestInfo,
    QWebEngineUrlRequestInterceptor,
    QWebEngineUrlRequestJob,
    QWebEngineUrlSchemeHandler,
)
from typing_extensions import override

from qhub_desktop.ui.pages.engine import SCHEME
from qhub_desktop.ui.pages.reasons import Blockings

# A world of scripts that the page can neither see nor change.
OURS = QWebEngineScript.ScriptWorldId.ApplicationWorld
THEIRS = QWebEngineScript.ScriptWorldId.MainWorld

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' {web}; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; "
    "frame-src 'none'; worker-src 'none'; object-src 'none'; manifest-src 'none'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; webrtc 'block'; "
    "sandbox allow-scripts"
)
# What the page might reach beside its address, by name; it gives no way back to them.
_DEPRIVED = """
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel',
  'WebTransport', 'WebSocket', 'WebSocketStream', 'EventSource', 'SharedWorker', 'BroadcastChannel',
  'Notification', 'PaymentRequest', 'PresentationRequest', 'SpeechRecognition',
  'webkitSpeechRecognition'])
  delete window[name];
delete HTMLInputElement.prototype.showPicker;
"""
# What is drawn behind and through other things is drawn by us, without a graphics processor: some
# hundred of them kept the thread that draws all pages busy for minutes, after their page was gone.
_PLAIN = """
const plain = new CSSStyleSheet();
plain.replaceSync('@layer qhub { *, *::before, *::after, *::backdrop { ' +
  'backdrop-filter: none !important; filter: none !important; mix-blend-mode: normal !important;' +
  ' } }');
document.adoptedStyleSheets.unshift(plain);
"""
# Collects what the policy refused, and lets a link that a person clicks go up to us. Events that
# the page makes itself are not trusted, and so not believed.
_WATCHING = """
var refused = [], seen = new Set();
document.addEventListener('securitypolicyviolation', event => {
  if (!event.isTrusted || seen.size >= 200) return;
  const said = event.effectiveDirective + ' ' + event.blockedURI;
  if (!seen.has(said)) { seen.add(said); refused.push(said.slice(0, 300)); }
}, true);
document.addEventListener('click', event => {
  if (!event.isTrusted) return;
  const link = event.composedPath().find(node => node.localName === 'a' && node.href);
  if (link && link.target) link.removeAttribute('target');
}, true);
document.addEventListener('click', event => {
  // The system's own dialog of colours would stand in front of the whole window.
  if (event.composedPath()[0].type === 'color') event.preventDefault();
}, true);
"""
# Settings that are not as wanted by default.
_OFF = (
    "AutoLoadIconsForPage",
    "BackForwardCacheEnabled",
    "DnsPrefetchEnabled",
    "ErrorPageEnabled",
    "FocusOnNavigationEnabled",
    "FullScreenSupportEnabled",
    "HyperlinkAuditingEnabled",
    "JavascriptCanAccessClipboard",
    "JavascriptCanOpenWindows",
    "JavascriptCanPaste",
    "LocalContentCanAccessFileUrls",
    "LocalContentCanAccessRemoteUrls",
    "LocalStorageEnabled",
    "NavigateOnDropEnabled",
    "PdfViewerEnabled",
    "PluginsEnabled",
    "ScreenCaptureEnabled",
    "TouchIconsEnabled",
    "WebGLEnabled",
    "XSSAuditingEnabled",
)
_ON = ("JavascriptEnabled", "PlaybackRequiresUserGesture", "WebRTCPublicInterfacesOnly")
_SETTINGS = dict.fromkeys(_OFF, False) | dict.fromkeys(_ON, True)


class Lock(QObject):
    """Owns the profile of one page, and serves that page from memory.

    `on_asked` is called for each thing that the page asks for, whatever comes of it. `library`
    returns the source of a library by its name, and raises KeyError for any other name.
    """

    def __init__(
        self, address: QUrl, blockings: Blockings, *, library: Callable[[str], str]
    ) -> None:
        super().__init__()
        self.address = address
        self.place = (address.scheme(), address.host(), address.path())
        self.on_asked: Callable[[], None] = _ignore
        self.profile = QWebEngineProfile(self)  # without a name: off the record
        self.profile.setPersistentCookiesPolicy(
            QWebEngineProfile.PersistentCookiesPolicy.NoPersistentCookies
        )
        self.profile.setHttpCacheType(QWebEngineProfile.HttpCacheType.NoCache)
        self.profile.setSpellCheckEnabled(False)
        self.profile.setPushServiceEnabled(False)
        self.profile.setNotificationPresenter(_close)
        self._blockings = blockings
        self.profile.downloadRequested.connect(self._on_download_requested)
        settings = self.profile.settings()
        for name, is_on in _SETTINGS.items():
            settings.setAttribute(QWebEngineSettings.WebAttribute[name], is_on)
        self._server = _Server(address, blockings, library, self)
        self.profile.installUrlSchemeHandler(SCHEME.encode(), self._server)
        self._guard = _Guard(address, blockings, self)
        self.profile.setUrlRequestInterceptor(self._guard)

    def hold(self, document: str, *, bridge: str, colours: str) -> None:
        """Serve this document from now on, with these scripts before any of its own."""
        self._server.document = document.encode("utf-8", "replace")
        scripts = self.profile.scripts()
        scripts.clear()
        scripts.insert(
            [
                _script("deprived", _DEPRIVED, THEIRS, is_in_frames=True),
                _script("plain", _PLAIN, THEIRS, is_in_frames=True),
                _script("bridge", bridge, THEIRS, is_in_frames=False),
                _script("watching", _WATCHING + colours, OURS, is_in_frames=False),
            ]
        )

    def close(self) -> None:
        """The page is over; what it had asked for may still come."""
        self.on_asked = _ignore

    def _on_download_requested(self, download: QWebEngineDownloadRequest) -> None:
        self._blockings.add("download", download.url().toString())
        download.cancel()


class _Server(QWebEngineUrlSchemeHandler):
    """Answers for the page's own address, and for the libraries under /web/."""

    def __init__(
        self, address: QUrl, blockings: Blockings, library: Callable[[str], str], lock: Lock
    ) -> None:
        super().__init__(lock)
        self._lock = lock
        self._library = library
        self.document = b""
        self._address = address
        self._blockings = blockings
        web = f"{SCHEME}://{address.host()}/web/"
        # A list for each name, which the type stubs do not know of.
        self._headers: Any = {
            b"Content-Security-Policy": [_POLICY.format(web=web).encode()],
            b"X-Content-Type-Options": [b"nosniff"],
            b"Referrer-Policy": [b"no-referrer"],
            b"Cache-Control": [b"no-store"],
            b"X-DNS-Prefetch-Control": [b"off"],
            b"Permissions-Policy": [_NO_PERMISSIONS],
        }

    @override
    def requestStarted(self, job: QWebEngineUrlRequestJob) -> None:
        self._lock.on_asked()
        url = job.requestUrl()
        found = self._found(url) if job.requestMethod() == b"GET" else None
        if found is None:
            self._blockings.add("request", url.toString())
            job.fail(QWebEngineUrlRequestJob.Error.RequestDenied)
            return
        kind, content = found
        buffer = QBuffer(job)
        buffer.setData(content)
        job.setAdditionalResponseHeaders(self._headers)
        job.reply(kind, buffer)

    def _found(self, url: QUrl) -> tuple[bytes, bytes] | None:
        if url.host() != self._address.host():
            return None
        if url.path() == self._address.path():
            return b"text/html;charset=utf-8", self.document
        try:
            library = self._library(url.path().removeprefix("/web/"))
        except KeyError:
            return None
        return b"text/javascript;charset=utf-8", library.encode()


class _Guard(QWebEngineUrlRequestInterceptor):
    """Lets nothing through but the page's own address, and what the page holds itself."""

    def __init__(self, address: QUrl, blockings: Blockings, lock: Lock) -> None:
        super().__init__(lock)
        self._lock = lock
        self._host = address.host()
        self._blockings = blockings

    @override
    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        self._lock.on_asked()
        url = info.requestUrl()
        if url.scheme() == SCHEME and url.host() == self._host:
            return
        is_document = info.resourceType() in _DOCUMENTS
        if url.scheme() in ("data", "blob") and not is_document:
            return
        info.block(True)  # noqa: FBT003  Qt's own way
        self._blockings.add("request", url.toString())


_DOCUMENTS = (
    QWebEngineUrlRequestInfo.ResourceType.ResourceTypeMainFrame,
    QWebEngineUrlRequestInfo.ResourceType.ResourceTypeSubFrame,
)
_NO_PERMISSIONS = ", ".join(
    f"{name}=()"
    for name in (
        "accelerometer",
        "autoplay",
        "bluetooth",
        "camera",
        "clipboard-read",
        "clipboard-write",
        "display-capture",
        "fullscreen",
        "geolocation",
        "gyroscope",
        "hid",
        "idle-detection",
        "local-fonts",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "picture-in-picture",
        "screen-wake-lock",
        "serial",
        "usb",
        "web-share",
        "window-management",
        "xr-spatial-tracking",
    )
).encode()


def _script(
    name: str, source: str, world: QWebEngineScript.ScriptWorldId, *, is_in_frames: bool
) -> QWebEngineScript:
    script = QWebEngineScript()
    script.setName(name)
    # In a function of its own only where the page could see what it declares.
    script.setSourceCode(f"(()=>{{{source}}})()" if world is THEIRS else source)
    script.setWorldId(world)
    script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
    script.setRunsOnSubFrames(is_in_frames)
    return script


def _ignore() -> None:
    """Nobody counts."""


def _close(notification: QWebEngineNotification) -> None:
    notification.close()
