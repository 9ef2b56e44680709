"""Privacy of an agent: what of a conversation may be sent to a service.

Under 'aggregates' a model has the closed form of each tool (`core.tool.Tool.closed`): no SQL, no
Python, and `agregar` in the place of the tools that give rows. Of what any other tool gave it is
told nothing, not even whether it went well, for that would be an answer, too: the person sees it.
"""

# Why it is so: decisions/privacy.md

from collections.abc import Mapping
from dataclasses import replace

from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import ModelRequest
from qhub_desktop.core.message import (
    WRONG_INPUT,
    Block,
    Gives,
    Message,
    Text,
    ToolCall,
    ToolResult,
    answers_here,
)
from qhub_desktop.core.text import gettext as _

# A group of fewer says something about one of its members, who can mostly be named.
LEAST_GROUP = 5
LOCAL_ANSWER = "(Respondido neste computador; o conteúdo não sai da fábrica.)"
SHOWN: Json = {"estado": "feito; só a pessoa vê o que deu, ou porque não deu"}
WITHHELD: Json = {"estado": "retido: deste agente só saem agregados, por agregar"}
PROMPT = (
    "# Privacidade\n\n"
    "Deste agente só saem agregados. Não há SQL nem Python: os números pedem-se a agregar, e onde "
    "uma ferramenta leva consulta, sql ou dados, dá-lhe em vez de SQL um objeto "
    "{medidas, por, filtros, periodo, primeiros, conjunto}, como em agregar; x, y e por são então "
    "colunas do resultado. A pessoa vê gráficos, tabelas, painéis e estudos inteiros; tu não vês o "
    "que deram. O que assim não se pode (linhas, máximos, um caso só, SQL, Python), di-lo numa "
    "frase: os dados deste agente ficam neste computador, e só agregados saem. Não repitas pedidos "
    "nem adivinhes valores."
)


def outgoing(request: ModelRequest) -> ModelRequest:
    """Return what of a request may leave.

    Raises UserError where nothing may.
    """
    match request.privacy:
        case "rows":
            return request
        case "nothing":
            raise nothing_leaves()
        case "aggregates":
            gives = {each.name: each.gives for each in request.closed_tools}
            return replace(
                request,
                stable_prompt=f"{request.stable_prompt}\n\n{PROMPT}",
                messages=tuple(_without_rows(each, gives) for each in request.messages),
                tools=request.closed_tools,
            )


def nothing_leaves() -> UserError:
    """Make the error for a question to a service with an agent from which nothing may leave."""
    return UserError(
        _("Nothing that this agent is asked may leave this computer: the offline engine answers."),
        fault="refused",
    )


def _without_rows(message: Message, gives: Mapping[str, Gives]) -> Message:
    if message.role == "user":
        return message
    # The words of who had all of it quote what its tools gave.
    if not message.engine or answers_here(message.engine):
        return replace(message, blocks=(Text(LOCAL_ANSWER),))
    called: dict[str, str] = {}
    blocks: list[Block] = []
    for block in message.blocks:
        match block:
            case ToolCall(id=call_id, name=name):
                called[call_id] = name
                blocks.append(block)
            case ToolResult(call_id=call_id):
                kind = gives.get(called.get(call_id, ""), "rows")
                blocks.append(_closed_result(block, kind))
            case _:
                blocks.append(block)
    return replace(message, blocks=tuple(blocks))


def _closed_result(result: ToolResult, gives: Gives) -> ToolResult:
    result = replace(result, widget=None, more=(), passages=())
    match gives, result.content:
        case "aggregates" | "nothing", _:
            return result
        case "shown", dict(content) if WRONG_INPUT.items() <= content.items():
            return result
        case "shown", _:
            return replace(result, content=SHOWN, is_error=False)
        case _:
            return replace(result, content=WITHHELD, is_error=False)
