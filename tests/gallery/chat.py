"""The conversation page: answers with widgets, troubles, questions to the person, empty states."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from PySide6.QtWidgets import QWidget

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.chat.agent_files import load_agents
from qhub_desktop.core.budget import Budget, BudgetSpentError, BudgetStanding
from qhub_desktop.core.codec import Json
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.events import (
    ApprovalAsked,
    CostAsked,
    Done,
    ErrorHappened,
    StatusChanged,
    TextAdded,
    ToolStarted,
    UsageCounted,
)
from qhub_desktop.core.message import (
    DAMAGED,
    Block,
    Choice,
    Clarification,
    Notice,
    Text,
    ToolCall,
)
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.store.verified_messages import damage_text
from qhub_desktop.ui.chat.answer_footer import AnswerNote
from qhub_desktop.ui.chat.composer import Composer
from qhub_desktop.ui.chat.empty_state import EmptyState, ProfileCard
from qhub_desktop.ui.chat.find import FindBar, find_in_views, highlight
from qhub_desktop.ui.controls.plain_text import set_caption
from qhub_desktop.ui.theme import theme
from tests.gallery._talk import (
    WIDTH_PX,
    called,
    live,
    question,
    staged,
    stored,
)

NARROW_PX = 460
COUNTS = Table(
    (Column("tipo_defeito", "category"), Column("total", "integer")),
    (("lixo", 21), ("falta_tinta", 10), ("gordura", 8), ("casca_laranja", 7), ("escorrido", 5)),
)
SOURCE = Provenance(
    "defeitos",
    "defeitos.xlsx",
    "Folha1",
    59,
    200,
    "SELECT tipo_defeito, count(*) AS total\nFROM defeitos\nWHERE turno = 'noite'\n"
    "GROUP BY tipo_defeito\nORDER BY total DESC\nLIMIT 5",
)
MARKDOWN = """\
## Resumo do turno da noite

O defeito mais frequente à noite é **lixo**, com 21 de 59 registos (35,6 %). Os três primeiros
somam **66 %** do total, por isso vale a pena começar por aí:

1. **Lixo** — verificar os filtros da cabina e a limpeza do rack `R12`.
2. **Falta de tinta** — confirmar a pressão da pistola.
3. **Gordura** — rever a limpeza antes da pintura.

| turno | lixo | falta_tinta | total |
|:------|-----:|------------:|------:|
| manhã |   22 |          12 |    73 |
| tarde |   19 |           9 |    68 |
| noite |   21 |          10 |    59 |

> A amostra da noite é a mais pequena; compare percentagens, não contagens.
"""
CODE = """\
Pode repetir esta consulta quando quiser:

```sql
SELECT turno, tipo_defeito, count(*) AS total
FROM defeitos
WHERE data BETWEEN '2026-02-01' AND '2026-02-28'
GROUP BY turno, tipo_defeito
ORDER BY total DESC
```

O índice é \\(C_{pk} = \\min\\left(\\frac{USL - \\bar{x}}{3\\hat{\\sigma}}, b\\right)\\).

- `turno` tem três valores
    - manhã, tarde e noite
- `tipo_defeito` tem oito

Mais em [duckdb.org](https://duckdb.org).
"""


def conversation(*, width: int = WIDTH_PX) -> QWidget:
    """Questions, tool lines, words, a chart."""
    chart = Chart("barh", draw("barh", "Top 5 defeitos, turno noite", COUNTS), COUNTS, SOURCE)
    answer = stored(
        *called("top_defeitos", {"n": 5, "turno": "noite"}, {"total": 59}, ms=12),
        *called("gerar_grafico", {"tipo": "barh"}, "ok", ms=31, widget=chart),
        Text("O defeito mais frequente à noite é **lixo**, com 21 de 59 registos (35,6 %)."),
    )
    return staged(question("top 5 defeitos na noite"), answer, width=width)


def narrow() -> QWidget:
    """The same beside two open panels in a small window."""
    return conversation(width=NARROW_PX)


def indicators() -> QWidget:
    """Several KPI in a row, a table under them."""
    kpis = [
        Kpi("Defeitos em fevereiro", 200, "", change=-0.083, standing="good"),
        Kpi("Lixo", 31.0, "%", change=0.042, standing="bad"),
        Kpi("Registos à noite", 59, "", target=50, standing="warn"),
    ]
    table = TableView("Defeitos por tipo, turno noite", COUNTS, 8, SOURCE)
    blocks: list[Block] = []
    for kpi in kpis:
        blocks += called("gerar_kpi", {"titulo": kpi.title}, "ok", ms=4, widget=kpi)
    blocks += called("gerar_tabela", {"titulo": table.title}, "ok", ms=9, widget=table)
    answer = stored(*blocks, Text("Fevereiro fechou com menos 8,3 % de defeitos."))
    return staged(question("Resume o mês em números"), answer)


def markdown() -> QWidget:
    """Headings, lists, a table, a quotation."""
    words = "Faz um resumo do turno da noite para a reunião da manhã, com o que devemos ver"
    return staged(question(words), stored(Text(MARKDOWN)))


def tool_details() -> QWidget:
    """A tool line that was opened, and one that failed."""
    wrong: Json = {"erro": "A coluna 'turno_trabalho' não existe. Existem: data, turno, operador."}
    answer = stored(
        *called("consultar_dados", {"sql": "SELECT turno_trabalho FROM defeitos"}, wrong, bad=True),
        *called("consultar_dados", {"sql": SOURCE.sql}, {"top": [{"lixo": 21}]}, ms=1240),
        Text("São 21 casos de lixo à noite."),
    )
    [*answer.tool_lines.values()][1].toggle()
    return staged(question("quantos casos de lixo à noite?"), answer)


def streaming() -> QWidget:
    """Code in an answer that is still being written."""
    return live("como repito isto?", TextAdded(CODE[:260]))


def code() -> QWidget:
    """Code in an answer that is complete."""
    return staged(question("como repito isto?"), stored(Text(CODE)))


def running_tool() -> QWidget:
    """A tool at work."""
    call = ToolStarted(ToolCall("1", "consultar_dados", {}), _("Querying the data…"))
    return live("defeitos por rack", TextAdded("Vou ver os dados.\n\n"), call)


def thinking() -> QWidget:
    """A summary of what the model is thinking, in passing."""
    thought = StatusChanged("thinking", "Comparar os turnos antes de concluir alguma coisa")
    return live("porque é que a noite é pior?", thought)


def trying_again() -> QWidget:
    """The service is busy: a countdown."""
    wait = StatusChanged("retrying", "O serviço está ocupado.", 8)
    return live("porque é que a noite é pior?", wait)


def approval() -> QWidget:
    """A defect is to be recorded."""
    call = ToolCall(
        "1",
        "registar_defeito",
        {
            "turno": "noite",
            "operador": "Júlia",
            "tipo_defeito": "escorrido",
            "material": "PP_Negro",
            "rack": "R10",
            "posicao": 2,
        },
    )
    labels = {
        "turno": _("Shift"),
        "operador": _("Operator"),
        "tipo_defeito": _("Defect"),
        "material": _("Material"),
        "rack": _("Rack"),
        "posicao": _("Position"),
    }
    asked = ApprovalAsked(call, "Registar este defeito?", _("Record"), labels)
    return live(
        "regista um escorrido no R10, posição 2",
        ToolStarted(call, _("Recording a defect…")),
        asked,
    )


def cost() -> QWidget:
    """A question that may cost much."""
    return live("compara todas as folhas deste ano", CostAsked(0.4312, 0.25))


def _refusal(standing: BudgetStanding) -> str:
    try:
        standing.check()
    except BudgetSpentError as error:
        return str(error)
    raise AssertionError(standing)


def budget_spent() -> QWidget:
    """A budget is spent: the offline engine is offered."""
    standing = BudgetStanding(Budget("station", "", "day", 2.0), 2.04, 2.04)
    told = ErrorHappened("budget", _refusal(standing), "offline")
    return live("porque é que a noite é pior?", told, Done("failed"), is_over=True)


PYTHON = """# Quantos defeitos há por rack, e quanto se afasta cada um da média
import numpy as np

def desvio(valores):
    '''Desvios padrão em relação à média.'''
    return (valores - valores.mean()) / valores.std(ddof=1)

por_rack = defeitos.groupby("rack").size()
print(desvio(por_rack).round(2).to_string())
"""
RUN = ToolCall(
    "1",
    "executar_python",
    {"codigo": PYTHON, "descricao": "Desvio de cada rack em relação à média"},
)


def python_code() -> QWidget:
    """Code that ran, with its output."""
    output = "rack\nR01   -0.62\nR02    1.24\nR03   -1.02\nR04    0.41\n"
    answer = stored(
        *called("executar_python", RUN.input, {"output": output, "sucesso": True}, ms=148),
        Text("O rack **R02** está 1,24 desvios padrão acima da média."),
    )
    next(iter(answer.tool_lines.values())).toggle()
    return staged(question("que racks se afastam da média?"), answer)


def python_approval() -> QWidget:
    """Code that waits for the person's word, and can be changed."""
    words = _("Confirm before this code runs. You may change it.")
    asked = ApprovalAsked(RUN, words, _("Run"), {"descricao": _("What for")}, code="codigo")
    return live("que racks se afastam da média?", ToolStarted(RUN, _("Computing…")), asked)


def choice() -> QWidget:
    """The answer asks back."""
    asked = Clarification(
        "De que conjunto de dados?", (Choice("defeitos", {}), Choice("retrabalho_fev", {}))
    )
    return live("quantos registos há?", asked, Done("complete"), is_over=True)


SHIFT = Clarification(
    "De que turno quer os defeitos?",
    tuple(Choice(each, {}) for each in ("manha", "tarde", "noite")),
    call_id="q1",
    wait_s=300,
)


def asked() -> QWidget:
    """A question in the middle of an answer: one option, or words."""
    answer = stored(Text("Vejo os defeitos."))
    answer.add_question(SHIFT)
    return staged(question("quantos defeitos?"), answer)


def asked_several() -> QWidget:
    """A question with several options, two of them marked."""
    answer = stored(Text("Vejo os defeitos."))
    card = answer.add_question(replace(SHIFT, is_multiple=True))
    for option in card.options[1:]:
        option.click()
    return staged(question("quantos defeitos?"), answer)


def asked_late() -> QWidget:
    """A question that the answer has not waited for any more."""
    words = TextAdded("Não sei de que turno: fico à espera.")
    return live("quantos defeitos?", SHIFT, words, Done("complete"), is_over=True)


def errors() -> QWidget:
    """A broken connection, the partial answer kept; offline from here on."""
    return live(
        "qual é o defeito mais frequente?",
        StatusChanged("offline", "Sem rede: responde o motor local."),
        TextAdded("O defeito mais frequente é **lixo**, com 62 de 2"),
        ErrorHappened(
            "cut", "A ligação caiu a meio. O que chegou ficou guardado; tente de novo.", "retry"
        ),
        UsageCounted("claude", 1234, 210, 0, 0, 0.0123),
        Done("failed"),
        is_over=True,
    )


def damaged() -> QWidget:
    """Messages that are missing, and two that were altered; one of the buttons names its copy."""
    missing = ngettext(
        "{count} message is missing here.", "{count} messages are missing here.", 2
    ).format(count=2)
    gap = stored(Notice(DAMAGED, missing))
    (note,) = gap.entries(AnswerNote)
    if note.button is not None:
        set_caption(note.button, _("Restore from the copy of {day}").format(day="21/11"))
    altered = stored(
        Text("O defeito mais frequente à noite é **lixo**, com 95 de 59 registos."),
        Notice(DAMAGED, damage_text("altered")),
    )
    asked = question("e à noite?")
    asked.show_damage(damage_text("altered"))
    return staged(gap, asked, altered)


def limit() -> QWidget:
    """Cut at the limit; how to go on."""
    words = TextAdded(MARKDOWN[:430])
    return live("resume tudo", words, Done("limit", "tokens"), is_over=True)


def empty() -> QWidget:
    """An agent introduces itself."""
    return staged(_empty("analise"), typed="")


def empty_roomy() -> QWidget:
    """The same in operators' mode."""
    return staged(_empty("qualidade", is_operator_mode=True), typed="")


def habits() -> QWidget:
    """What the person often asks, below what the agent offers."""
    offered = _empty("qualidade")
    offered.offer_habits(["Crateras por rack na noite?", "Quantos defeitos ontem por turno?"])
    return staged(offered, typed="")


def profile() -> QWidget:
    """What a dropped file holds, chips above the box."""
    stage = staged(ProfileCard(_profile(), None))
    composer = stage.findChild(Composer)
    assert composer is not None
    busy = composer.add_chip("retrabalho_fevereiro_2026.xlsx")
    busy.set_progress("A ler a folha 2 de 3", 0.62)
    composer.add_chip("medidas.csv")
    composer.add_chip("foto.heic").fail("Este tipo não se lê. Use .xlsx ou .csv.")
    return stage


def finding() -> QWidget:
    """Words found in a conversation."""
    answer = stored(Text(MARKDOWN))
    stage = staged(question("resume a noite"), answer)
    here = find_in_views(answer.views, "lixo")
    highlight(answer.views, "lixo", theme().palette, current=here[1])
    bar = FindBar(_("Find in this conversation"))
    bar.setParent(stage)
    bar.set_search_text("lixo")
    bar.set_count(2, len(here))
    bar.adjustSize()
    bar.move(WIDTH_PX - bar.width() - 24, 8)
    return stage


def changing_a_question() -> QWidget:
    """An earlier question in the box, to be asked anew; several lines."""
    stage = staged(question("top 5 defeitos"), stored(Text("…")))
    composer = stage.findChild(Composer)
    assert composer is not None
    composer.set_editing(is_editing=True)
    composer.question_box.set_text(
        "top 5 defeitos na noite\nsó do operador Carlos\ne compara com a Júlia"
    )
    return stage


SCENES: dict[str, Callable[[], QWidget]] = {
    each.__name__: each
    for each in (
        conversation,
        narrow,
        indicators,
        markdown,
        tool_details,
        streaming,
        code,
        running_tool,
        thinking,
        trying_again,
        approval,
        cost,
        budget_spent,
        python_code,
        python_approval,
        choice,
        asked,
        asked_several,
        asked_late,
        errors,
        damaged,
        limit,
        empty,
        empty_roomy,
        habits,
        profile,
        finding,
        changing_a_question,
    )
}


def _empty(agent: str, *, is_operator_mode: bool = False) -> EmptyState:
    return EmptyState(load_agents(RESOURCES / "agents")[agent], is_operator_mode=is_operator_mode)


def _profile() -> DatasetProfile:
    columns = (
        ColumnProfile("id", "integer", 0, 200, 1, 200, 100.5, 57.9),
        ColumnProfile("data", "date", 0, 28, date(2026, 2, 1), date(2026, 2, 28)),
        _category("turno", ("manha", 73), ("tarde", 68), ("noite", 59)),
        _category("operador", ("Julia", 55), ("Carlos", 52), ("Pedro", 49), ("Margareta", 44)),
        _category("tipo_defeito", ("lixo", 62), ("falta_tinta", 31), ("casca_laranja", 27)),
        _category("material", ("ABS_Cinza", 58), ("PP_Negro", 54), ("PP_Vermelho", 47)),
        _category("rack", ("R12", 38), ("R11", 37), ("R13", 36), missing=3),
        ColumnProfile("posicao", "integer", 0, 10, 1, 10, 4.59, 2.304),
    )
    return DatasetProfile(
        id="x",
        dataset="defeitos",
        file="defeitos.xlsx",
        sheet="Folha1",
        sheets=("Folha1",),
        rows=200,
        sha256="",
        columns=columns,
        preview=Table((), ()),
        warnings=("A coluna rack tem 3 células vazias.",),
    )


def _category(name: str, *top: tuple[str, int], missing: int = 0) -> ColumnProfile:
    return ColumnProfile(name, "category", missing, len(top) + 1, top=top)
