"""The isolated profile of one page, which serves that page and nothing else.

Three layers, each sufficient by itself: the content-security policy sent with the document, the
interceptor of requests, and the flags of `web_engine`, which leave Chromium no address to resolve.
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

from qhub_desktop.charts.html_document import shipped
from qhub_desktop.ui.web import SCHEME, BlockedAttempts

# JavaScript worlds: what runs in the isolated one can be neither seen nor changed by the page.
ISOLATED_WORLD = QWebEngineScript.ScriptWorldId.ApplicationWorld
PAGE_WORLD = QWebEngineScript.ScriptWorldId.MainWorld

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' {web}; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; "
    "frame-src 'none'; worker-src 'none'; object-src 'none'; manifest-src 'none'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; webrtc 'block'; "
    "sandbox allow-scripts"
)
_DELETE_PICKER = "delete HTMLInputElement.prototype.showPicker;"  # opens a dialog of the system's
# Filters and blending are composed inside our process, without a GPU: some hundred of them kept
# the thread that draws all pages busy for minutes, even after their page was gone.
_DISABLE_COMPOSITING = """
const plain = new CSSStyleSheet();
plain.replaceSync('@layer qhub { *, *::before, *::after, *::backdrop { ' +
  'backdrop-filter: none !important; filter: none !important; mix-blend-mode: normal !important;' +
  ' } }');
document.adoptedStyleSheets.unshift(plain);
"""
# Collects violations of the policy, and opens links in the page itself so that we see the click.
# Ignores events that the page made up: those are not trusted.
_POLICY_REPORTER = """
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
  // The system's colour dialog would block the whole window.
  if (event.composedPath()[0].type === 'color') event.preventDefault();
}, true);
"""
# Settings whose default is not the wanted one.
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
_ON = (
    "JavascriptEnabled",
    "PlaybackRequiresUserGesture",
    "PreferCSSMarginsForPrinting",
    "WebRTCPublicInterfacesOnly",
)
_SETTINGS = dict.fromkeys(_OFF, False) | dict.fromkeys(_ON, True)


class IsolatedProfile(QObject):
    """Profile of one page, which is served from memory.

    `on_request` is called for each request of the page, granted or not. `library` returns the
    source of a library by its name, and raises KeyError for any other name.
    """

    def __init__(
        self, address: QUrl, blocked: BlockedAttempts, *, library: Callable[[str], str]
    ) -> None:
        super().__init__()
        self.address = address
        self.place = (address.scheme(), address.host(), address.path())
        self.on_request: Callable[[], None] = _ignore
        self.profile = QWebEngineProfile(self)  # without a name: off the record, nothing on disk
        self.profile.setPersistentCookiesPolicy(
            QWebEngineProfile.PersistentCookiesPolicy.NoPersistentCookies
        )
        self.profile.setHttpCacheType(QWebEngineProfile.HttpCacheType.NoCache)
        self.profile.setSpellCheckEnabled(False)
        self.profile.setPushServiceEnabled(False)
        self.profile.setNotificationPresenter(_close)
        self._blocked = blocked
        self.profile.downloadRequested.connect(self._on_download_requested)
        settings = self.profile.settings()
        for name, is_on in _SETTINGS.items():
            settings.setAttribute(QWebEngineSettings.WebAttribute[name], is_on)
        self._server = _SchemeHandler(address, blocked, library, self)
        self.profile.installUrlSchemeHandler(SCHEME.encode(), self._server)
        self._interceptor = _RequestInterceptor(address, blocked, self)
        self.profile.setUrlRequestInterceptor(self._interceptor)

    def serve(self, document: str, *, bridge: str, colours: str) -> None:
        """Serve this document from now on, running these scripts before its own."""
        self._server.document = document.encode("utf-8", "replace")
        scripts = self.profile.scripts()
        scripts.clear()
        scripts.insert(
            [
                _script(
                    "deprived",
                    shipped("deprived.js") + _DELETE_PICKER,
                    PAGE_WORLD,
                    is_in_frames=True,
                ),
                _script("plain", _DISABLE_COMPOSITING, PAGE_WORLD, is_in_frames=True),
                _script("bridge", bridge, PAGE_WORLD, is_in_frames=False),
                _script("watching", _POLICY_REPORTER + colours, ISOLATED_WORLD, is_in_frames=False),
                _script("extent", shipped("extent.js"), ISOLATED_WORLD, is_in_frames=False),
            ]
        )

    def close(self) -> None:
        """Stop reporting requests: some may still arrive while the page ends."""
        self.on_request = _ignore

    def _on_download_requested(self, download: QWebEngineDownloadRequest) -> None:
        self._blocked.add("download", download.url().toString())
        download.cancel()


class _SchemeHandler(QWebEngineUrlSchemeHandler):
    """Serves the page's own address, and the libraries under /web/."""

    def __init__(
        self,
        address: QUrl,
        blocked: BlockedAttempts,
        library: Callable[[str], str],
        isolated: IsolatedProfile,
    ) -> None:
        super().__init__(isolated)
        self._isolated = isolated
        self._library = library
        self.document = b""
        self._address = address
        self._blocked = blocked
        web = f"{SCHEME}://{address.host()}/web/"
        # Lists of values, which the type stubs do not know.
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
        self._isolated.on_request()
        url = job.requestUrl()
        found = self._found(url) if job.requestMethod() == b"GET" else None
        if found is None:
            self._blocked.add("request", url.toString())
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


class _RequestInterceptor(QWebEngineUrlRequestInterceptor):
    """Blocks every request but those to the page's own host and to its data: and blob:
    addresses.
    """

    def __init__(self, address: QUrl, blocked: BlockedAttempts, isolated: IsolatedProfile) -> None:
        super().__init__(isolated)
        self._isolated = isolated
        self._host = address.host()
        self._blocked = blocked

    @override
    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        self._isolated.on_request()
        url = info.requestUrl()
        if url.scheme() == SCHEME and url.host() == self._host:
            return
        is_document = info.resourceType() in _DOCUMENTS
        if url.scheme() in ("data", "blob") and not is_document:
            return
        info.block(True)  # noqa: FBT003  Qt's signature
        self._blocked.add("request", url.toString())


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
    # Wrapped in a function where the page could see its declarations.
    script.setSourceCode(f"(()=>{{{source}}})()" if world is PAGE_WORLD else source)
    script.setWorldId(world)
    script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
    script.setRunsOnSubFrames(is_in_frames)
    return script


def _ignore() -> None:
    """Do not count requests."""


def _close(notification: QWebEngineNotification) -> None:
    notification.close()
