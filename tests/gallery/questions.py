"""The form of a question: as it opens, with all that can be chosen, wrong, and in gloves."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.question_form import Path
from qhub_desktop.ui.shell.question_window import QuestionWindow
from tests.gallery.shell import answered, dropped, opened
from tests.waiting import until

ONE: JsonObject = {
    "statistic": "count",
    "dimension": {"column": "turno", "grain": ""},
    "split": {"column": "material", "grain": ""},
    "filters": [{"column": "operador", "values": ["Julia", "Carlos"], "relation": "is"}],
    "period": {
        "column": "data",
        "start": {"date": "2026-02-02"},
        "end": {"date": "2026-02-20"},
        "said": "own",
    },
    "shown": "bar",
}


async def empty(*, is_operator_mode: bool = False) -> QuestionWindow:
    """A file was dropped, and nothing is chosen yet."""
    window = await opened(is_operator_mode=is_operator_mode)
    await dropped(window)
    form = window.controller.windows.open_question_form()
    await until(lambda: form.written, "the sentence")
    return form


async def filled(given: JsonObject, *, is_operator_mode: bool = False) -> QuestionWindow:
    """The same, filled in."""
    form = await empty(is_operator_mode=is_operator_mode)
    await chosen(form, (), given)
    return form


async def chosen(form: QuestionWindow, path: Path, value: Json) -> None:
    """Choose one thing, and wait for what comes of it."""
    assert form.form is not None
    given = dict(form.form.given)
    form.fill({**given, **value} if isinstance(value, dict) and not path else given)
    await until(lambda: form.making is not None and form.making.done(), "the form")


async def in_words() -> QWidget:
    """An answer with the way to the form behind what was understood, and the two buttons."""
    window = await opened()
    await dropped(window)
    await answered(window, "quantos defeitos por turno?")
    return window


async def kept() -> QWidget:
    """Questions that were kept are offered where a conversation begins."""
    window = await opened()
    patterns = window.controller._services.store.patterns
    await patterns.keep("Quantos defeitos por turno, nos últimos 7 dias, em barras")
    window.frame.new_conversation("qualidade")
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "empty": empty,
    "all": lambda: filled(ONE),
    "operators": lambda: filled(ONE, is_operator_mode=True),
    "wrong": lambda: filled({"statistic": "share"}),
    "distribution": lambda: filled({"statistic": "values", "shown": "histogram"}),
    "in_words": in_words,
    "kept": kept,
}
