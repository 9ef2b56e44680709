"""A main window with a past: real objects on a folder of their own, and what was said before."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QApplication
from typing_extensions import override

from qhub_desktop.app import Program
from qhub_desktop.chat.claude.diagnosis import STEPS, Network, StepResult
from qhub_desktop.chat.claude.proxies import ProxyChoice
from qhub_desktop.core import text
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.keystore import KeyPlaces
from qhub_desktop.core.paths import home
from qhub_desktop.core.settings import LanguageChoice, Settings
from qhub_desktop.core.text import language
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.theme import theme
from tests.keyrings import KeptAt

PAST = (
    ("Top 5 defeitos no turno da noite", 0, True),
    ("Defeitos de fevereiro por rack", 0, False),
    ("Retrabalho rack R12", 0, False),
    ("Comparação entre turnos: manhã, tarde e noite", 1, False),
    ("Lixo no PP_Negro", 1, False),
    ("Posição dos escorridos", 3, False),
    ("Relatório para a reunião de segunda", 12, False),
    ("Casca de laranja", 12, False),
)


_latest: dict[str, MainWindow] = {}


async def _accepted(_key: str, _settings: Settings) -> str:
    return "OK"


async def _kept(_key: str) -> None:
    return None


async def _no_key() -> bool:
    return False


class Straight(Network):
    """A network without a proxy, whatever that of this computer is."""

    def __init__(self) -> None:
        pass  # it asks nobody

    @override
    async def proxy(self) -> tuple[ProxyChoice, bool]:
        return ProxyChoice("", "none"), False

    @override
    async def save_login(self, user: str, password: str) -> None:
        raise NotImplementedError(user, password)

    @override
    async def diagnose(self) -> AsyncIterator[StepResult]:
        for each in STEPS:
            yield StepResult(each, "skipped")

    @override
    async def report(self, findings: Sequence[StepResult]) -> JsonObject:
        raise NotImplementedError(findings)


def services_of(
    program: Program, places: KeyPlaces | None = None, network: Network | None = None
) -> AppServices:
    """What a window needs, with no network and no key store."""
    return replace(
        program.services(),
        test_connection=_accepted,
        save_key=_kept,
        has_key=_no_key,
        key_places=places or KeptAt(),
        network=lambda: network or Straight(),
    )


def main_window(**settings: object) -> tuple[Program, MainWindow]:
    """A window that is not shown yet, in the language in use."""
    places = cast("KeyPlaces | None", settings.pop("places", None))
    network = cast("Network | None", settings.pop("network", None))
    spoken = language()
    program = Program(engine="offline")
    text.use(spoken)  # a program speaks the language that its data folder knows
    return program, window_of(program, places=places, network=network, **settings)


def window_of(
    program: Program,
    *,
    places: KeyPlaces | None = None,
    network: Network | None = None,
    **settings: object,
) -> MainWindow:
    """A window of a program, which is not shown yet."""
    spoken = cast("LanguageChoice", language())
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    chosen = Settings(
        station="Station P2" if spoken == "en" else "Estação P2",
        language=spoken,
        theme="dark" if theme().palette.is_dark else "light",
        engine="offline",
        **settings,  # type: ignore[arg-type]  # a scene's own choices
    )
    program.chosen.replace(chosen)
    window = MainWindow(services_of(program, places, network), Appearance(application, chosen))
    # A scene may show a window of this one's alone, which is gone with it.
    _latest["window"] = window
    return window


async def live_through(program: Program, past: Sequence[tuple[str, int, bool]] = PAST) -> None:
    """Let questions have been asked on earlier days."""
    if await program.store.conversations.listed(limit=1):
        return
    now = datetime.now().astimezone()
    for minutes, (title, days, is_pinned) in enumerate(past):
        agent = "analise" if minutes % 2 else "qualidade"
        made = await program.store.conversations.create(agent)
        await program.store.conversations.rename(made.id, title)
        await program.store.conversations.set_pinned(made.id, is_pinned=is_pinned)
        moment = now - timedelta(days=days, minutes=minutes)
        _backdate(home(), made.id, moment)


def _backdate(folder: Path, conversation: ConversationId, moment: datetime) -> None:
    stamp = int(moment.timestamp() * 1_000_000)
    with sqlite3.connect(folder / "qhub.db") as db:
        db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (stamp, conversation))
    db.close()
