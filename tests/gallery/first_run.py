"""The questions of a station's first run, each as it is met, and some wrong answers."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit, QWidget
from typing_extensions import override

from qhub_desktop.core import text
from qhub_desktop.core.settings import Policy
from qhub_desktop.tools.first_run import FirstRun
from qhub_desktop.ui.people.first_run import FirstRunWindow
from qhub_desktop.ui.people.first_run_pages import EnginePage, FirstAccountPage
from tests.program import passing_folder
from tests.waiting import until

if TYPE_CHECKING:
    from qhub_desktop.core.keystore import KeyPlace


class _FirstRun(FirstRun):
    """On a computer with a key store, or without one."""

    place: "KeyPlace" = "system"

    @override
    async def key_place(self) -> "KeyPlace":
        return self.place


def opened(*, steps: int = 0, place: "KeyPlace" = "system", **fixed: object) -> FirstRunWindow:
    """The window after so many steps, in the language of the gallery."""
    folder = passing_folder()
    first_run = _FirstRun(folder, Policy({"language": text.language(), **fixed}))
    first_run.policy = Policy(fixed)
    first_run.place = place
    window = FirstRunWindow(first_run, set_language=lambda _language: None)
    for _step in range(steps):
        window.next_button.click()
    return window


def people() -> QWidget:
    """Several people, of whom the first is half written."""
    window = opened(steps=2)
    page = window.page
    assert isinstance(page, FirstAccountPage)
    page.tiles.tiles["several"].click()
    page.name.setText("ana@example.com")
    page.secret.set_text("uma frase longa")
    page.again.set_text("uma frase")
    window.next_button.click()
    return window


async def _claude(place: "KeyPlace" = "system", **fixed: object) -> FirstRunWindow:
    window = opened(steps=3, place=place, **fixed)
    page = window.page
    assert isinstance(page, EnginePage)
    page.tiles.tiles["auto"].click()
    await until(page.place.text)
    return window


async def key() -> QWidget:
    """Claude, with a key that is not there yet."""
    window = await _claude()
    window.next_button.click()
    return window


async def no_key_store() -> QWidget:
    """A computer without a key store."""
    window = await _claude("none")
    window.findChildren(QLineEdit)[0].setText("sk-ant-a-key")
    return window


async def fixed_service() -> QWidget:
    """A plant's own service, fixed by its administrator."""
    return await _claude(engine="auto", endpoint="https://gateway.plant.example/llm")


def leaving() -> QWidget:
    """Esc was pressed."""
    window = opened(steps=1)
    window.reject()
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "language": opened,
    "fixed": lambda: opened(station="Linha 2", engine="offline"),
    "station": lambda: opened(steps=1),
    "one_person": lambda: opened(steps=2),
    "people": people,
    "offline": lambda: opened(steps=3),
    "key": key,
    "no_key_store": no_key_store,
    "fixed_service": fixed_service,
    "data": lambda: opened(steps=4),
    "leaving": leaving,
}
