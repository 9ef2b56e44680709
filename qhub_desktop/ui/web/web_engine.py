"""The web engine: its start with every way out closed, its exit, and how many pages it may run."""

# Why it is so: decisions/web-pages.md

import os
import sys
from functools import cache
from typing import Protocol

from shiboken6 import isValid

from qhub_desktop.ui.gui_thread import Preload, until_loaded
from qhub_desktop.ui.web import SCHEME

FLAGS = (
    # Resolve no name and no address: prefetching and preconnecting pass no interceptor.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # Chromium does not enforce the policy's webrtc 'block': without these, STUN packets were seen.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-domain-reliability",
    "--no-pings",
    "--dns-prefetch-disable",
    # Pages are composed inside our process: a bug in the graphics driver would crash it, and pages
    # could reach such bugs. Charts need no GPU; starting is a third faster and takes 60 MB less.
    "--disable-gpu",
    "--disable-3d-apis",
    "--disable-speech-api",
    "--disable-notifications",
    "--disable-file-system",
    "--disable-features=WebBluetooth,WebUSB,WebHID,WebSerial,WebXR,WebGPU,SharedWorker,DirectSockets",
    # At most 384 MB of JavaScript objects a page; `watchdog` limits what a page holds beside them.
    "--js-flags=--max-old-space-size=384",
)


def preload() -> None:
    """Load the web engine's libraries on a thread, so that the first page opens sooner."""
    _preloading()


@cache
def _preloading() -> Preload:
    return Preload(_load, "pages")


def _load() -> None:
    _prepare_surroundings()
    import PySide6.QtWebEngineWidgets  # noqa: F401  100 MB of libraries


@cache
def start() -> None:
    """Prepare the web engine for its first profile, once; needs a QApplication."""
    _prepare_surroundings()
    until_loaded()
    from PySide6.QtWebEngineCore import QWebEngineUrlScheme

    # With the first page, after the application exists: it works until Chromium starts, and spares
    # every start the web engine's libraries.
    scheme = QWebEngineUrlScheme(SCHEME.encode())
    scheme.setSyntax(QWebEngineUrlScheme.Syntax.Host)
    # No flags: not secure, so it has no service workers, clipboard or location; not local, so it
    # cannot name files; not CORS-enabled, so nothing may fetch from it.
    scheme.setFlags(QWebEngineUrlScheme.Flag(0))
    QWebEngineUrlScheme.registerScheme(scheme)


def exit_process(code: int) -> int:
    """End the process at once if the web engine was loaded, else return `code`.

    Call it when everything is stored: nothing else is run or cleaned up.
    """
    # Exiting while a thread still loads parts of Qt crashes.
    until_loaded()
    if "PySide6.QtWebEngineCore" not in sys.modules:
        return code
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    # Qt would wait for the thread that composes pages, which a page can keep busy for minutes.
    os._exit(code)


def _prepare_surroundings() -> None:
    # Replace the variable: flags set by others could open a debugging port or another way out.
    os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = " ".join(
        f'"{flag}"' if " " in flag else flag for flag in FLAGS
    )
    for unwanted in ("QTWEBENGINE_REMOTE_DEBUGGING", "QTWEBENGINE_DISABLE_SANDBOX"):
        os.environ.pop(unwanted, None)
    if sys.platform == "linux" and os.geteuid() == 0:
        # Chromium refuses to start its sandbox as root. Only containers that build and test run as
        # root; all other locks hold without the sandbox.
        os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"


MOST_AWAKE = 3  # each has a process of its own, with some 50 MB


class Sleeper(Protocol):
    """A page that can be replaced by a picture of itself for a while."""

    @property
    def is_in_sight(self) -> bool:
        """Whether any part of the page is visible."""
        ...

    def fall_asleep(self) -> None:
        """Replace the page by its picture and end its process."""
        ...


class AwakePages:
    """Pages that have a process, least recently wanted first; at most `most` of them."""

    def __init__(self, most: int = MOST_AWAKE) -> None:
        self._most = most
        self._awake: list[Sleeper] = []

    @property
    def count(self) -> int:
        """Number of pages that are awake."""
        return sum(map(isValid, self._awake))

    @property
    def has_room(self) -> bool:
        """Whether one more page can be awake without putting a visible one to sleep."""
        awake = [each for each in self._awake if isValid(each)]
        return len(awake) < self._most or not all(each.is_in_sight for each in awake)

    def add(self, page: Sleeper) -> None:
        """Add or renew a page; where there are too many, put another to sleep, if possible a hidden
        one.
        """
        others = [each for each in self._awake if isValid(each) and each is not page]
        self._awake = [*others, page]
        while len(self._awake) > self._most:
            others = self._awake[:-1]
            tired = next((each for each in others if not each.is_in_sight), others[0])
            self._awake.remove(tired)
            tired.fall_asleep()

    def remove(self, page: Sleeper) -> None:
        """Remove a page that has fallen asleep."""
        self._awake = [each for each in self._awake if each is not page]
