"""A whole session of the window in a process of its own, watched: `python -m … STORY [ARGUMENT]`.

`offline` tells every connection and every name that this process, or a child of it, has asked for.
`keyed` has a key and a password in a key store, a service that quotes them, a crash, an export, a
run of Python; it tells what of them its children held.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"

import keyring
import psutil
import qasync
from PySide6.QtWidgets import QApplication

from qhub_desktop.app import Program
from qhub_desktop.core import crash
from qhub_desktop.core.keystore import save_secret
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.settings import Settings, changed_settings, read_settings
from qhub_desktop.core.untrusted import use_secret
from qhub_desktop.tools.audit_files import export_audit
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.settings.network_fields import DiagnosisField
from qhub_desktop.ui.shell.main_window import MainWindow
from tests.keyrings import MemoryStore
from tests.wire import Call, Refusal, WireServer, answer, calls
from tests.wire.scenes import Scene

KEY = "sk-ant-api03-Pl4nt3dKeyZq8Hn2kLw0Xc5Rb7Vt1Ym4Gd9Jf6Ps3Ea"
PASSWORD = "geheim-Pl4nt3d-77"
ANSWER_S = 240  # the first run of Python on a busy machine


@asynccontextmanager
async def _window(application: QApplication, settings: Settings) -> AsyncIterator[MainWindow]:
    program = Program()
    await program.store.settings.save(changed_settings(settings))
    program.chosen.replace(settings)
    appearance = Appearance(application, settings)
    window = MainWindow(program.services(), appearance)
    window.show()
    await window.open()
    try:
        yield window
    finally:
        gone = asyncio.ensure_future(window.until_closed())
        await asyncio.sleep(0)
        window.close()
        await gone
        appearance.close()
        await program.close()


async def _ask(window: MainWindow, words: str) -> None:
    page = window.frame.centre.page
    ended = asyncio.Event()
    page.running_changed.connect(lambda _id, runs: None if runs else ended.set())
    page.ask(words)
    await asyncio.wait_for(ended.wait(), ANSWER_S)


async def start(application: QApplication, engine: str) -> object:
    """Open the window and close it."""
    async with _window(application, read_settings({"engine": engine})):
        await asyncio.sleep(1)  # what is done ahead of need has begun
    return "opened"


async def offline(application: QApplication) -> object:
    """Import, ask, draw, tabulate, export: all that a person does without a service."""
    async with _window(application, Settings(engine="auto")) as window:
        window.controller.files.import_files([DEMO_DATA / "defeitos.xlsx"])
        for words in ("quantos defeitos há?", "defeitos por turno num gráfico", "em tabela"):
            await _ask(window, words)
        services = window.controller.open_settings("network")
        await asyncio.sleep(0.5)
        services.close()
        program = window.controller._services
        (conversation, *_more) = await program.store.conversations.listed()
        messages = await program.store.messages.latest(conversation.id)
    return [each.text for each in messages]


def _scenes() -> list[Scene]:
    sql = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno"
    return [
        calls(Call("consultar_dados", {"sql": sql})),
        calls(Call("executar_python", {"codigo": "print(sum(range(10)))", "descricao": "Soma."})),
        calls(
            Call("exportar_excel", {"titulo": "Turnos", "folhas": [{"nome": "T", "consulta": sql}]})
        ),
        answer(f"A chave é {KEY} e a palavra é {PASSWORD}."),
        Refusal(400, "invalid_request_error", f"bad header x-api-key: {KEY}"),
    ]


async def keyed(application: QApplication) -> object:
    """Ask a service that quotes the key, crash, export, diagnose; look into every child."""
    keyring.set_keyring(MemoryStore())
    logging.getLogger("qhub_desktop").setLevel(logging.DEBUG)
    with WireServer(_scenes(), key=KEY) as server:
        settings = Settings(engine="claude", endpoint=server.url)
        async with _window(application, settings) as window:
            services = window.controller._services
            await services.save_key(KEY)
            await asyncio.to_thread(save_secret, "proxy plant:8080", f"carla\n{PASSWORD}")
            use_secret(PASSWORD)  # as signing in to the proxy does
            window.frame.sidebar.agent_chosen.emit("analise")
            await asyncio.sleep(0.2)
            await _ask(window, "Quantos por turno?")
            held = await asyncio.to_thread(_held_by_children)
            await _ask(window, "E agora?")
            crash.report(ValueError(f"could not send {KEY} by {PASSWORD}"))
            dialog = window.controller.open_settings("network")
            await dialog.part(DiagnosisField).save_report(
                Path(os.environ["QHUB_HOME"], "report.txt")
            )
            dialog.close()
            await _write_all(services, Path(os.environ["QHUB_HOME"]).parent)
        asked = [any(KEY in each for each in one.headers.values()) for one in server.requests]
    return {"held": held, "asked": asked}


async def _write_all(services: AppServices, folder: Path) -> None:
    """Export what can be exported, and make a safety copy."""
    store = services.store
    (conversation, *_more) = await store.conversations.listed()
    for suffix in (".md", ".json", ".pdf"):
        target = folder / f"conversation{suffix}"
        await services.conversation_files().export(conversation.id, target)
    await export_audit(store.audit, folder / "log.csv")
    await services.safety_copies().make("manual")


def _held_by_children() -> dict[str, list[str]]:
    """Return where the secrets stand in what belongs to the children, by their names."""
    held: dict[str, list[str]] = {}
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            name = " ".join(child.cmdline()[-3:]) or child.name()
            contents = _contents(child.pid)
            assert any(b"qhub_desktop" in content for _place, content in contents[2:]), "unread"
            held[f"{child.pid} {name}"] = [
                place for place, content in contents if _has_secret(content)
            ]
    return held


def _has_secret(content: bytes) -> bool:
    return any(
        each.encode(encoding) in content
        for each in (KEY, PASSWORD)
        for encoding in ("utf-8", "utf-16-le", "utf-32-le")
    )


def _contents(pid: int) -> list[tuple[str, bytes]]:
    folder = Path("/proc", str(pid))
    found = [(name, (folder / name).read_bytes()) for name in ("environ", "cmdline")]
    with (folder / "mem").open("rb", 0) as memory:
        for line in (folder / "maps").read_text("utf-8").splitlines():
            area, rights, *_more = line.split()
            begin, end = (int(each, 16) for each in area.split("-"))
            # What is larger is an engine's reserve of addresses, of which nothing is in use.
            if rights.startswith("r") and "w" in rights and end - begin < 512_000_000:
                with suppress(OSError, ValueError, OverflowError):
                    memory.seek(begin)
                    found.append((area, memory.read(end - begin)))
    return found


STORIES: dict[str, Callable[..., Awaitable[object]]] = {
    each.__name__: each for each in (start, offline, keyed)
}


def main() -> int:
    """Act the story that the command line names."""
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    story, *arguments = sys.argv[1:]
    with crash.install(Path(os.environ["QHUB_HOME"])), qasync.QEventLoop(application) as loop:
        told: Any = loop.run_until_complete(STORIES[story](application, *arguments))
    print(json.dumps(told), flush=True)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # nothing of Qt is let go of in an order that it does not expect
