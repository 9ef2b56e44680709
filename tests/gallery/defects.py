"""The form of defects: empty, after defects of this shift, filled in from words, and in gloves."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.ui.shell.defect_window import DefectWindow
from tests.gallery.shell import answered, opened
from tests.waiting import until

SAID: JsonObject = {"tipo_defeito": "lixo", "material": "ABS_Cinza", "rack": "R7", "posicao": 55}


async def empty(*, is_operator_mode: bool = False) -> DefectWindow:
    """Nothing was recorded here yet."""
    window = await opened(is_operator_mode=is_operator_mode)
    form = window.controller.windows.open_defects()
    await until(lambda: form.fields, "the fields")
    return form


async def recorded(*, is_operator_mode: bool = False) -> DefectWindow:
    """Three alike were recorded, and the next type is chosen."""
    form = await empty(is_operator_mode=is_operator_mode)
    form.fill({"tipo_defeito": "lixo", "operador": "Julia", "material": "PP_Negro", "rack": "R12"})
    form.fill({"posicao": 4, "quantos": 3})
    form.record_button.click()
    await until(lambda: form.fields["tipo_defeito"].value is None, "the record")
    await until(form.repeat_button.isEnabled, "the pause")
    form.fields["tipo_defeito"].tiles["gordura"].click()
    return form


async def said() -> DefectWindow:
    """Filled in with what was said, of which one value is no tile."""
    form = await empty()
    form.fill({**SAID, "data": "2026-02-27", "quantos": 2})
    return form


async def in_words() -> QWidget:
    """The answer to a report in words, with the way to the form."""
    window = await opened()
    await answered(window, "regista um defeito: lixo, rack R12")
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "empty": empty,
    "recorded": recorded,
    "operators": lambda: recorded(is_operator_mode=True),
    "said": said,
    "in_words": in_words,
}
