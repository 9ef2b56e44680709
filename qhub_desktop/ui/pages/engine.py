"""Starting the web engine: once, late, and with every way out closed before it runs."""

import os
import sys
from functools import cache

from qhub_desktop.core.processes.thread import LOADING, in_background, until_loaded

SCHEME = "qhub"
FLAGS = (
    # No name and no address leads anywhere: closes prefetching and preconnecting, which ask nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # Chromium does not enforce the policy's webrtc 'block'; without these STUN packets went out.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-domain-reliability",
    "--no-pings",
    "--dns-prefetch-disable",
    # Our process would share a crash of the graphics driver, whose bugs a page could reach; charts
    # do not need it, and starting is quicker by a third, with 60 MB less.
    "--disable-gpu",
    "--disable-3d-apis",
    "--disable-speech-api",
    "--disable-notifications",
    "--disable-file-system",
    "--disable-features=WebBluetooth,WebUSB,WebHID,WebSerial,WebXR,WebGPU,SharedWorker,DirectSockets",
    # One page may hold 384 MB of objects; what it holds beside them is the watch's affair.
    "--js-flags=--max-old-space-size=384",
)


def warm() -> None:
    """Load the web engine's libraries on a thread, so that the first page waits for less."""
    _warming()


@cache
def _warming() -> object:
    return in_background(_load, f"{LOADING}pages")


def _load() -> None:
    _prepare_surroundings()
    import PySide6.QtWebEngineWidgets  # noqa: F401  100 MB of libraries


@cache
def start() -> None:
    """Make the web engine ready for its first profile: once, with a QApplication there."""
    _prepare_surroundings()
    until_loaded()
    from PySide6.QtWebEngineCore import QWebEngineUrlScheme

    scheme = QWebEngineUrlScheme(SCHEME.encode())
    scheme.setSyntax(QWebEngineUrlScheme.Syntax.Host)
    # Without a flag: not secure, so that neither service workers, clipboard nor location exist for
    # it; not local, so that it may not name files; nothing may fetch from it.
    scheme.setFlags(QWebEngineUrlScheme.Flag(0))
    QWebEngineUrlScheme.registerScheme(scheme)


def leave(code: int) -> int:
    """End the program, once all that has to be kept is kept; returns where there is no web engine.

    Qt would wait for the thread that draws the pages, which a page can give work for minutes. And
    Python would end under a thread that still loads parts of Qt, which crashes.
    """
    until_loaded()
    if "PySide6.QtWebEngineCore" not in sys.modules:
        return code
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


def _prepare_surroundings() -> None:
    # Not added to what is there: others' flags could open a debugging port, or a way out.
    os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = " ".join(
        f'"{flag}"' if " " in flag else flag for flag in FLAGS
    )
    for unwanted in ("QTWEBENGINE_REMOTE_DEBUGGING", "QTWEBENGINE_DISABLE_SANDBOX"):
        os.environ.pop(unwanted, None)
    if sys.platform == "linux" and os.geteuid() == 0:
        # Chromium refuses to start its sandbox as root, which nobody is at a station: only
        # containers that build and test are. Everything else here holds without it.
        os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
