"""The question being typed: its readings under the box, and how its words may go on."""

from collections.abc import Callable
from math import sin

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.message import Choice, Clarification, Interpretation, Text
from qhub_desktop.core.readings import (
    Completion,
    Reading,
    ReadingPart,
    Readings,
    ReadingValue,
    WordMark,
)
from qhub_desktop.core.result_widgets import Kpi
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.approvals import OtherReadings
from qhub_desktop.ui.chat.completion import CompletionList
from qhub_desktop.ui.chat.composer import Composer
from tests.gallery._talk import called, question, staged, stored

QUESTION = "quantos escorridos por turno em março na linha nova"
FILE = ReadingPart("file", "defeitos.xlsx")
MARCH = (
    ReadingPart("period", "Data de registo", is_strong=True),
    ReadingPart("period", "em março"),
)
RUNS = ReadingPart("filter", "Tipo de defeito: escorrido")
COUNTED = (ReadingPart("measure", "Número de registos"), RUNS, *MARCH, FILE)
BY_SHIFT = (("manhã", "103"), ("tarde", "88"), ("noite", "81"))
SHIFT = (ReadingPart("group", "por"), ReadingPart("group", "Turno", is_strong=True))
SPARK = tuple(20 + 9 * sin(day / 3) + day % 4 for day in range(31))


def _sum(name: str, *parts: ReadingPart) -> Reading:
    measure = (ReadingPart("measure", "Soma de"), ReadingPart("measure", name, is_strong=True))
    return Reading(f"Soma de {name}", (*measure, *parts, FILE), {"of": [name, len(parts)]}, "d")


READINGS = (
    _sum("Quantidade", RUNS, *SHIFT, *MARCH),
    Reading("Registos", COUNTED, {"of": 1}, "d"),
    _sum("Quantidade", RUNS, ReadingPart("period", "Data de pintura", is_strong=True), FILE),
    _sum("Peças retrabalhadas na segunda passagem", RUNS, *MARCH),
    _sum("Boas", *MARCH),
)
VALUES = (
    ReadingValue("272", (), SPARK),
    ReadingValue("3 grupos", BY_SHIFT),
    ReadingValue("1 240,5"),
    None,
    ReadingValue("3,4 min"),
)
MARKS = (
    WordMark(8, 18, "value"),
    WordMark(23, 28, "column"),
    WordMark(32, 37, "period"),
    WordMark(47, 51, "unused"),
)


def typed(words: str = QUESTION) -> tuple[QWidget, Composer]:
    """A page with an answer, and words in the box."""
    before = stored(
        *called("gerar_kpi", {}, "ok", widget=Kpi("Defeitos", 200, "")),
        Text("São 200 defeitos em fevereiro."),
    )
    stage = staged(question("Quantos defeitos em fevereiro?"), before, typed=words)
    composer = stage.findChild(Composer)
    assert composer is not None
    return stage, composer


def shown(
    *, count: int = 5, is_sure: bool = True, is_local: bool = False, valued: int = 5, down: int = 0
) -> QWidget:
    """A page whose question has been read."""
    stage, composer = typed()
    ignored = ("nova",)
    read = Readings(QUESTION, READINGS[:count], is_sure, MARKS, ignored)
    composer.strip.show_readings(read, is_local=is_local)
    composer.question_box.show_marks(MARKS)
    for at in range(min(count, valued)):
        composer.strip.show_value(at, VALUES[at])
    for _step in range(down):
        composer.strip.move_choice(1)
    return stage


def reading_sure() -> QWidget:
    """One reading leads; the others below."""
    return shown()


def reading_unsure() -> QWidget:
    """None leads; the values are on their way."""
    return shown(is_sure=False, valued=2)


def reading_chosen() -> QWidget:
    """The third was chosen with the keys."""
    return shown(down=2)


def reading_alone() -> QWidget:
    """There is one reading."""
    return shown(count=1)


def reading_local() -> QWidget:
    """Claude answers; the local answer stands below."""
    return shown(count=2, is_local=True)


def reading_stale() -> QWidget:
    """Another word is being typed."""
    stage = shown(count=3)
    composer = stage.findChild(Composer)
    assert composer is not None
    composer.strip.set_stale()
    return stage


def reading_none() -> QWidget:
    """Nothing is understood, and why."""
    stage, composer = typed("quantos parafusos")
    note = _("Not used: {words}").format(words="«parafusos»")
    composer.strip.show_readings(Readings("", note=note), is_local=False)
    return stage


def reading_gloves() -> QWidget:
    """Large targets."""
    stage = shown(count=4)
    composer = stage.findChild(Composer)
    assert composer is not None
    composer.set_operator_mode(is_operator_mode=True)
    return stage


def completing() -> QWidget:
    """A word has been begun."""
    stage, composer = typed("quantos esc")
    completions = CompletionList(stage)
    completions.show_completions(
        (
            Completion("escorridos", 8, "value", "Tipo de defeito"),
            Completion("escova", 8, "value", "Operação de acabamento manual"),
            Completion("Escala de avaliação", 8, "column", "defeitos.xlsx"),
            Completion("escassez", 8, "value"),
        ),
        least_px=composer.strip.least_px,
    )
    completions.place_at(QPoint(130, 600), 780)
    return stage


def others() -> QWidget:
    """An answer with its other readings unfolded, and one that lists what was meant."""
    listed = tuple(
        Choice(each.title, each.plan, value)
        for each, value in zip(
            READINGS, ("272", "manhã 103 · tarde 88 · noite 81", "3,4 min"), strict=False
        )
    )
    answer = stored(Text("São 272."), Interpretation({}, (), listed))
    (fold,) = answer.entries(OtherReadings)
    fold.fold_button.click()
    asked = stored(Clarification("O que quer saber?", listed))
    return staged(question(QUESTION), answer, question("quantos?"), asked)


SCENES: dict[str, Callable[[], QWidget]] = {
    each.__name__: each
    for each in (
        reading_sure,
        reading_unsure,
        reading_chosen,
        reading_alone,
        reading_local,
        reading_stale,
        reading_none,
        reading_gloves,
        completing,
        others,
    )
}
