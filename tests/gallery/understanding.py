"""What an answer understood, in parts that can be changed; an answer that asks back."""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.chat.number_check import check_numbers
from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import Block, Chip, Choice, Clarification, Interpretation, Text
from qhub_desktop.core.result_widgets import Chart, Provenance
from qhub_desktop.core.table import Column, Table
from qhub_desktop.ui.chat.approvals import InterpretationRow
from tests.gallery._talk import WIDTH_PX, called, question, staged, stored

NARROW_PX = 460
COUNTS = Table(
    (Column("operador", "category"), Column("total", "integer")),
    (("Julia", 17), ("Carlos", 16), ("Pedro", 14), ("Margareta", 12)),
)
SOURCE = Provenance("defeitos", "defeitos.xlsx", "Folha1", 59, 200, "SELECT 1")


def _choices(*labels: str) -> tuple[Choice, ...]:
    return tuple(Choice(label, {"as": label}) for label in labels)


UNDERSTOOD = Interpretation(
    {"kind": "counts"},
    (
        Chip("measure", "contagem", _choices("soma de posicao", "média de posicao", "percentagem")),
        Chip("dimension", "operador", _choices("tipo de defeito", "material", "rack", "nenhum")),
        Chip("filter", "turno = noite", _choices("manhã", "tarde", "Retirar o filtro")),
        Chip("period", "fevereiro de 2026", _choices("janeiro de 2026", "tudo"), is_kept=True),
        Chip("chart", "barras", _choices("linhas", "Pareto", "só a tabela")),
        Chip("order", "do maior para o menor"),
    ),
    next=(
        Choice("E só Julia?", {}),
        Choice("Média de Espessura de tinta medida depois da estufa (µm) por semana e rack", {}),
    ),
)
ASKED = Clarification(
    "Há duas colunas de tempo. Qual é a que conta?",
    (
        Choice("Tempo de ciclo (s)", {"as": "ciclo"}),
        Choice("Tempo de secagem (min)", {"as": "secagem"}),
        Choice("Mostra-me as colunas & os seus tipos", {}),
    ),
)


def parts(*, width: int = WIDTH_PX) -> QWidget:
    """Under an answer: six parts, one of them kept, one that cannot be changed."""
    return staged(question("e por operador?"), stored(*_answer()), width=width)


def parts_in_little_room() -> QWidget:
    """The same beside two open panels, with a label that has to be cut."""
    long = "o operador que esteve de serviço na cabina de pintura no início do turno"
    understood = Interpretation(
        {}, (*UNDERSTOOD.chips[2:], Chip("dimension", long, _choices("rack"))), next=UNDERSTOOD.next
    )
    answer = stored(Text("À noite registaram-se **59** defeitos."), understood)
    return staged(question("e por operador?"), answer, width=NARROW_PX)


def parts_while_answering() -> QWidget:
    """Nothing can be changed while an answer is under way."""
    answer = stored(*_answer())
    answer.set_choices_enabled(can_choose=False)
    return staged(question("e por operador?"), answer)


async def choices() -> QWidget:
    """What else a part could say."""
    stage = parts()
    stage.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    stage.show()
    await asyncio.sleep(0.3)
    row = stage.findChild(InterpretationRow)
    assert row is not None
    part = row.parts[1]
    menu = part.choices_menu()
    menu.setParent(stage, Qt.WindowType.Widget)
    menu.move(part.mapTo(stage, QPoint(0, part.height() + 2)))
    menu.show()
    menu.adjustSize()
    menu.setActiveAction(menu.actions()[2])
    return stage


def asking_back() -> QWidget:
    """The answer is a question, with what may be said to it."""
    return staged(question("qual é o tempo médio?"), stored(ASKED))


def offered() -> QWidget:
    """A question that may mean one thing only, with a word that nothing was made of."""
    meant = "Média de Duração por Técnico (Data: 03/2026)"
    text = (
        "Não sei o que fazer com “atendeu” nesta pergunta. Não tenho a certeza do que se pergunta;"
        " o que se segue é uma leitura, não a resposta."
    )
    value = "Ana: 42,1 min · Rui: 38,4 min · Zé: 35 min"
    asked = Clarification("Uma leitura possível:", (Choice(meant, {"as": "mean"}, value),))
    return staged(
        question("em média quanto tempo atendeu cada técnico em março"), stored(Text(text), asked)
    )


def listed(*, width: int = WIDTH_PX) -> QWidget:
    """A question that may mean several things, each with what it comes to."""
    days = "Data de registo: 03/2026"
    readings = (
        Choice(f"Soma de Quantidade (Tipo de defeito: escorrido, {days})", {"as": "sum"}, "272"),
        Choice(f"Número de linhas (Tipo de defeito: escorrido, {days})", {"as": "count"}, "59"),
        Choice(
            f"Soma de Quantidade por Turno (Tipo de defeito: escorrido, {days})",
            {"as": "groups"},
            "noite: 118 · manhã: 96 · tarde: 58",
        ),
    )
    return staged(
        question("escorridos em março"),
        stored(
            Text("A pergunta pode ler-se de várias maneiras; a mais provável vem primeiro."),
            Clarification("Pode ser uma destas leituras:", readings),
        ),
        width=width,
    )


def listed_in_little_room() -> QWidget:
    """The same beside two open panels."""
    return listed(width=NARROW_PX)


def checked_numbers() -> QWidget:
    """A model's answer whose numbers were looked for: one is of no tool, one comes of two."""
    return staged(question("Lixo em fevereiro?"), stored(*_checked(MARKED)))


def checked_numbers_all_found() -> QWidget:
    """The same where each was found."""
    return staged(question("Lixo em fevereiro?"), stored(*_checked(FOUND)))


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    each.__name__: each
    for each in (
        parts,
        parts_in_little_room,
        parts_while_answering,
        choices,
        asking_back,
        offered,
        listed,
        listed_in_little_room,
        checked_numbers,
        checked_numbers_all_found,
    )
}


def _answer() -> list[Block]:
    chart = Chart(
        "barh", draw("barh", "Defeitos por operador, turno noite", COUNTS), COUNTS, SOURCE
    )
    return [
        *called("gerar_grafico", {"tipo": "barh"}, "ok", ms=31, widget=chart),
        Text("À noite, **Julia** tem mais registos: 17 de 59 (28,8 %)."),
        UNDERSTOOD,
    ]


FOUND = (
    "O **lixo** é o defeito mais frequente: **62** de 200 registos (31 %), mais 31 do que a falta"
    " de tinta.\n\n| Tipo | Registos |\n|:---|---:|\n| Lixo | 62 |\n| Falta de tinta | 31 |"
)
MARKED = f"{FOUND}\n\nEm janeiro eram **74**, por isso desceu 16,2 % desde então."


def _checked(words: str) -> list[Block]:
    content: Json = {"total": 200, "por_tipo": {"lixo": 62, "falta_tinta": 31}}
    blocks = [*called("contar_defeitos", {}, content, ms=9), Text(words)]
    return [*blocks, check_numbers(blocks)]
