"""Exported pages in Debian's Chromium: what gets out of every hostile page, opened from disk.

Each page is exported with rows, opened and clicked on, aimed at a host that only it names and at a
port of this computer. The browser's own log tells which hosts it looked up and what it asked for; a
server at the port hears connections and packets. Some pages without a wall are the control. Needs
`chromium` and `chromedriver` (apt install chromium chromium-driver), and takes ten minutes.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from qhub_desktop.charts import html_document
from tests.bench.record import Figure, record
from tests.ui_web import break_outs
from tests.ui_web.listener import Listener
from tests.ui_web.test_hostile import PAGES

FLAGS = (
    *("--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=800,600"),
)
ROWS: dict[str, Any] = {"rows": {"secret": ["plant 7"]}}
OPEN_S, CLICKED_S = 1.2, 0.6
PATIENCE_S = 20
CONTROL = ("image", "fetch", "location", "link_hint", "webrtc_stun", "frame_space")


def main() -> None:
    """Open all of them, and keep what got out."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        print("There is no chromium here: apt install chromium chromium-driver.")
        return
    sources = {name: (page, "t") for name, page in {**PAGES, **break_outs.pages()}.items()}
    sources |= {name: ("<p>x", title) for name, title in break_outs.titles().items()}
    with tempfile.TemporaryDirectory() as folder:
        told = _told(sources, Path(folder), is_walled=True)
    with tempfile.TemporaryDirectory() as folder:
        bare = _told({name: sources[name] for name in CONTROL}, Path(folder), is_walled=False)
    version = subprocess.run(["chromium", "--version"], capture_output=True, check=True).stdout
    rows: dict[str, Mapping[str, Figure] | Figure] = {
        "browser": version.decode().split(" built")[0].strip(),
        "pages": len(told),
    }
    for kind in ("requests", "heard", "names"):
        rows[f"pages with {kind}"] = sum(each[kind] > 0 for each in told.values())
    rows |= {name: each for name, each in told.items() if any(each.values())}
    rows |= {f"{name}, without a wall": each for name, each in bare.items()}
    record("exported_pages", rows)


def _told(
    sources: Mapping[str, tuple[str, str]], folder: Path, *, is_walled: bool
) -> dict[str, dict[str, int]]:
    """How many requests, knocks at the server and lookups of names came of each page."""
    heard = {}
    with Listener() as server, closing(_Browser(folder)) as browser:
        for name, (page, title) in sources.items():
            before = len(server.heard)
            # Nothing is listening under that name, so no request can be missed by being refused.
            aimed = [
                server.aimed(each.replace("SERVER", f"{_host(name)}:3478"))
                for each in (page, title)
            ]
            browser.visit(_file(folder, name, *aimed, is_walled=is_walled))
            heard[name] = len(server.heard) - before
    asked = [each for log in browser.logs for each in _events_in(log)]
    return {
        name: {
            "requests": sum(is_request and _host(name) in where for is_request, where in asked),
            "heard": heard[name],
            "names": sum(not is_request and _host(name) in where for is_request, where in asked),
        }
        for name in sources
    }


def _host(name: str) -> str:
    return f"{name.replace('_', '-')}.leak.test"


def _events_in(log: Path) -> Iterator[tuple[bool, str]]:
    """Requests (True) with their addresses, and lookups with their names, in a browser's log."""
    text = log.read_text(encoding="utf-8")
    try:
        told = json.loads(text)
    except ValueError:  # of a browser that was ended: its last line may be cut
        told = json.loads(f"{text[: text.rindex('},')]}}}]}}")
    kinds = {number: kind for kind, number in told["constants"]["logEventTypes"].items()}
    for event in told["events"]:
        given = event.get("params")
        match kinds[event["type"]]:
            case "URL_REQUEST_START_JOB" if given:
                yield True, urlsplit(str(given.get("url"))).netloc
            case "HOST_RESOLVER_MANAGER_JOB" if given:
                yield False, str(given.get("host"))


def _file(folder: Path, name: str, page: str, title: str, *, is_walled: bool) -> Path:
    whole = html_document.self_contained(html_document.build(page, title=title), ROWS, title=title)
    if not is_walled:
        whole = html_document.build(f"<script>{html_document.bridge(ROWS)}</script>{page}")
    file = folder / f"{name}.html"
    file.write_text(whole, encoding="utf-8", errors="replace", newline="\n")
    return file


class _Browser:
    """A browser, driven as its WebDriver has it, and begun anew where a page holds it up."""

    def __init__(self, folder: Path) -> None:
        self.logs: list[Path] = []
        self._folder = folder
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self._begin()

    def visit(self, file: Path) -> None:
        """Open a file in a tab of its own, click on it, and close the tab."""
        try:
            (first,) = self._ask("GET", "/window/handles")
            tab = self._ask("POST", "/window/new", {"type": "tab"})["handle"]
            self._ask("POST", "/window", {"handle": tab})
            self._ask("POST", "/url", {"url": file.as_uri()})
            time.sleep(OPEN_S)
            self._ask("POST", "/actions", {"actions": [_CLICK]})
            time.sleep(CLICKED_S)
            left = self._ask("DELETE", "/window")
            self._ask("POST", "/window", {"handle": first})
        except OSError as error:
            print(f"{file.stem} holds the browser up ({error}).", flush=True)
            self._end()
            self._begin()
            return
        assert left == [first], f"{file.stem} opened a window."

    def close(self) -> None:
        """End it, with its log written."""
        self._ask("DELETE", "")
        self._end()

    def _begin(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self._driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL
        )
        self.logs.append(self._folder / f"log{len(self.logs)}.json")
        own = [f"--log-net-log={self.logs[-1]}", f"--user-data-dir={self._folder / str(port)}"]
        own += ["--no-sandbox"] if os.geteuid() == 0 else []
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": [*FLAGS, *own]},
            "unhandledPromptBehavior": "dismiss",
            "timeouts": {"pageLoad": 10_000, "script": 5_000},
        }
        self._address = f"http://127.0.0.1:{port}/session"
        self._address += f"/{self._made(wanted)['sessionId']}"

    def _made(self, wanted: dict[str, Any]) -> Any:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
            except urllib.error.URLError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def _end(self) -> None:
        driver = psutil.Process(self._driver.pid)
        for each in [*driver.children(recursive=True), driver]:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        self._driver.wait()

    def _ask(self, method: str, path: str, given: object = None) -> Any:
        body = None if method != "POST" else json.dumps(given or {}).encode()
        request = urllib.request.Request(f"{self._address}{path}", data=body, method=method)
        request.add_header("Content-Type", "application/json")
        with self._open(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())["value"]


_CLICK = {
    "type": "pointer",
    "id": "mouse",
    "parameters": {"pointerType": "mouse"},
    "actions": [
        {"type": "pointerMove", "x": 200, "y": 150, "duration": 0},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerUp", "button": 0},
    ],
}


if __name__ == "__main__":
    main()
