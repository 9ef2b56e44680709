"""The whole window: first start, at work, narrow, a file over it, settings, palette."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pyqtgraph  # noqa: F401  a chart is drawn at once where it is loaded
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.app import Program
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.keystore import KeyPlace
from qhub_desktop.core.paths import DEMO_DATA, RESOURCES, home
from qhub_desktop.core.settings import Section
from qhub_desktop.core.text import language
from qhub_desktop.ui.settings.local_model import LocalModelField
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.updates import Offered
from tests.chat.local.tiny_model import make_model
from tests.gallery._main_window import live_through, main_window, window_of
from tests.keyrings import KeptAt
from tests.program import offline_program, passing_folder
from tests.updates.offers import Administrator
from tests.waiting import until

LARGE = (1366, 768)
SMALL = (1024, 640)
_ASKED = {
    "pt": ("Qual é o defeito mais frequente?", "Mostra num gráfico"),
    "en": ("What is the most frequent defect?", "Show it in a chart"),
}


async def opened(size: tuple[int, int] = LARGE, **settings: object) -> MainWindow:
    """A window with a past, nothing asked yet."""
    _program, window = await opened_with_program(size, **settings)
    return window


async def opened_with_program(
    size: tuple[int, int] = LARGE, **settings: object
) -> tuple[Program, MainWindow]:
    """The same, and the program behind it."""
    program, window = main_window(**settings)
    await live_through(program)
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(*size)
    await window.open()
    window.frame.new_conversation("qualidade")
    await window.frame.show_datasets()
    return program, window


async def at_work(size: tuple[int, int] = LARGE) -> MainWindow:
    """A file was dropped, and two questions answered."""
    window = await opened(size)
    await dropped(window)
    for question in _ASKED[language()]:
        await answered(window, question)
    card = window.frame.panel.cards[0]
    card.columns[2].setChecked(True)
    card.columns[7].setChecked(True)
    return window


async def where_others_read() -> MainWindow:
    """The window of an operator where administrators may read what everybody says."""
    program = offline_program(passing_folder())
    station = replace(program.settings, is_audited_reading=True, station="Estação P2")
    program.chosen.replace(station)
    await program.accounts.add("ana", "admin", None, secret="k3pt-4sdf-xq9z")
    program.enter((await program.accounts.add("rui", "operador", None, secret="4071")).person)
    window = window_of(program)
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(*LARGE)
    await window.open()
    return window


async def dropped(window: MainWindow) -> None:
    """The demo workbook, brought in."""
    arrived = asyncio.Event()
    window.frame.datasets_shown.connect(arrived.set)
    before = window.frame.panel.profiles
    window.controller.files.import_files([DEMO_DATA / "defeitos.xlsx"])
    while window.frame.panel.profiles == before:
        arrived.clear()
        await arrived.wait()


async def answered(window: MainWindow, question: str) -> None:
    """A question, and its whole answer."""
    page = window.frame.centre.page
    ended = asyncio.Event()

    def on_running_changed(_conversation: ConversationId, is_running: bool) -> None:
        if not is_running:
            ended.set()

    page.running_changed.connect(on_running_changed)
    page.ask(question)
    await ended.wait()


async def with_file_dropped() -> MainWindow:
    """What a file holds, before anything is asked."""
    window = await opened()
    await dropped(window)
    return window


def hovering(file: str) -> Callable[[], Awaitable[QWidget]]:
    """A file is held over the window."""

    async def scene() -> QWidget:
        window = await opened()
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(Path(file)))])
        event = QDragEnterEvent(
            QPoint(300, 300),
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(window, event)
        return window

    return scene


def settings(
    section: Section, place: KeyPlace = "system", **typed: str
) -> Callable[[], Awaitable[QWidget]]:
    """The settings at one section, some values typed over."""

    async def scene() -> QWidget:
        window = await opened(places=KeptAt(place))
        dialog = window.controller.open_settings(section)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        for name, value in typed.items():
            dialog.fields[name].type_in(value)
        return dialog

    return scene


def local_model(*, is_tried: bool = False) -> Callable[[], Awaitable[QWidget]]:
    """The settings of the engine with a local model chosen, and another beside it."""

    async def scene() -> QWidget:
        folder = home() / "Modelos"
        for name in ("Qwen3 4B Instruct", "SmolLM3 3B"):
            make_model(folder / f"{name.replace(' ', '-')}.gguf", name=name)
        window = await opened(local_model=str(folder / "Qwen3-4B-Instruct.gguf"))
        dialog = window.controller.open_settings("engine")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        part = dialog.part(LocalModelField)
        await until(lambda: part.others.count() > 1)
        if is_tried:
            part.try_button.click()
            await until(lambda: "tokens" in part.result.text())
            dialog.resize(dialog.width(), 768)
        return dialog

    return scene


def updates(offer: str, *, is_prepared: bool = False) -> Callable[[], Awaitable[QWidget]]:
    """The settings of updates, after a look into a folder that offers this version, if any."""

    async def scene() -> QWidget:
        administrator = Administrator(home() / "QHub")
        administrator.folder.mkdir(parents=True, exist_ok=True)
        if offer:
            notes = "Importa livros protegidos; o painel da parede muda de página sozinho."
            administrator.offer(offer, data=b"MZ" * 1_000_000, notes=notes)
        program, window = await opened_with_program()
        program.chosen.replace(
            replace(
                program.settings,
                updates="tell",
                update_folder=str(administrator.folder),
                update_key=administrator.public_key,
            )
        )
        status = await program.updates.check()
        if is_prepared and isinstance(status, Offered):
            await program.updates.prepare(status.release)
        # Where a share would stand; the dialog only shows it.
        shown = replace(program.settings, update_folder="//servidor/qualidade/QHub")
        program.chosen.replace(replace(shown, update_key="3f" * 32))
        dialog = window.controller.open_settings("updates")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        return dialog

    return scene


async def choosing() -> MainWindow:
    """The command palette is open."""
    window = await opened()
    window.controller.open_palette()
    return window


async def told() -> MainWindow:
    """Something went wrong, and something was deleted."""
    window = await opened()
    window.frame.banner.show_error("The key was refused. Check it in Settings, then ask again.")
    toast = window.frame.banner.toast
    toast.offer_undo("Retrabalho rack R12", window.frame.new_conversation)
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "first": opened,
    "at_work": at_work,
    "narrow": lambda: at_work(SMALL),
    "file": with_file_dropped,
    "drop": hovering("defeitos.xlsx"),
    "refused": hovering("photo.png"),
    "palette": choosing,
    "told": told,
    "reading": where_others_read,
    "operators": lambda: opened(is_operator_mode=True),
    "settings_general": settings("general", logo=str(RESOURCES / "icons" / "chart.svg")),
    "settings_engine": settings("engine"),
    "settings_local_model": local_model(),
    "settings_local_model_tried": local_model(is_tried=True),
    "settings_local_model_gone": settings("engine", local_model="C:/modelos/Qwen3-4B.gguf"),
    "settings_no_key_store": settings("engine", place="none"),
    "settings_network": settings("network"),
    "settings_limits": settings("limits", rounds="99"),
    "settings_times": settings("time"),
    "settings_updates": updates("9.0.0"),
    "settings_updates_prepared": updates("9.0.0", is_prepared=True),
}
