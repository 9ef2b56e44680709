"""The two fakes: a model that plays from a script, and a person who watches and decides."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from qhub_desktop.chat.agents import Agent
from qhub_desktop.chat.context import ContextSource
from qhub_desktop.chat.guard.screen import Screen
from qhub_desktop.chat.rounds import CheckAccount
from qhub_desktop.chat.turn import Estimate, TurnRunner
from qhub_desktop.core.asking import Reply, Unanswered
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.events import ApprovalAsked, ChatEvent, ChatModel, ModelEvent, ModelRequest
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Clarification
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool, tools_of
from qhub_desktop.store import Store

Step = ModelEvent | Exception | Callable[[], "asyncio.Future[None]"]
Kind = TypeVar("Kind")


class ScriptedModel:
    """Plays one list of steps a round; an exception is raised, a callable is awaited."""

    def __init__(self, *rounds: Sequence[Step]) -> None:
        self._rounds = list(rounds)
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        for step in self._rounds.pop(0):
            if isinstance(step, Exception):
                raise step
            if callable(step):
                await step()
            else:
                yield step
            await asyncio.sleep(0)


Hold = Callable[[], None]


async def nobody(_question: Clarification, _hold: Hold) -> Reply:
    """Answer no question."""
    return Unanswered("ninguem")


class Person:
    """Sees every event, and says yes or no; `when` may act on an event.

    `changed` is what it makes of the input before it says yes; `answers` how it answers questions.
    """

    def __init__(
        self,
        *,
        says: bool | None = True,
        changed: JsonObject | None = None,
        answers: Callable[[Clarification, Hold], Awaitable[Reply]] = nobody,
    ) -> None:
        self._answers = answers
        self._changed = changed or {}
        self.saw: list[ChatEvent] = []
        self.when: Callable[[ChatEvent], None] = lambda event: None
        self._says = says

    def show(self, event: ChatEvent) -> None:
        self.saw.append(event)
        self.when(event)

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        if self._says is None:
            await asyncio.Event().wait()
        return {**request.call.input, **self._changed} if self._says else None

    async def ask(self, question: Clarification, hold: Hold) -> Reply:
        return await self._answers(question, hold)

    def all(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.saw if isinstance(event, kind)]


class Toolbox:
    """Small real tools: one reads, one shows, one writes, one fails, one never ends."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.began = asyncio.Event()

    @tool(label="A somar…", category="data", risk="read")
    async def somar(
        self, context: ToolContext, *, valores: Annotated[list[int], Field(min_length=1)]
    ) -> ToolOutput:
        """Soma."""
        source = Provenance(context.conversation, "f.csv", None, 1, 1, "SELECT 1")
        return ToolOutput({"soma": sum(valores)}, source=source)

    @tool(label="", category="render", risk="read")
    async def mostrar(self, context: ToolContext, *, titulo: str) -> ToolOutput:
        """Mostra."""
        return ToolOutput("ok", TableView(titulo, Table((Column("n", "integer"),), ((1,),)), 1))

    @tool(label="", category="data", risk="read")
    async def despejar(self, context: ToolContext, *, linhas: int) -> ToolOutput:
        """Dá tudo o que há, na tabela e no resultado."""
        rows = tuple((f"linha {number}",) for number in range(linhas))
        table = Table((Column("n", "text"),), rows)
        return ToolOutput({"linhas": [list(row) for row in rows]}, TableView("", table, linhas))

    @tool(label="", category="action", risk="write")
    async def gravar(self, context: ToolContext, *, palavra: str) -> ToolOutput:
        """Grava."""
        self.written.append(palavra)
        return ToolOutput({"gravado": palavra})

    @tool(label="", category="data", risk="read")
    async def falhar(self, context: ToolContext) -> ToolOutput:
        """Falha."""
        raise ToolError("não dá assim; tente de outra forma")

    @tool(label="", category="compute", risk="compute", code="codigo")
    async def calcular(
        self, context: ToolContext, *, codigo: str, descricao: str = ""
    ) -> ToolOutput:
        """Corre código."""
        if "falha" in codigo:
            raise ToolError("o código falhou")
        self.written.append(codigo)
        return ToolOutput({"output": f"{descricao}: {codigo}\n", "sucesso": True})

    @tool(label="", category="compute", risk="compute")
    async def esperar(self, context: ToolContext) -> ToolOutput:
        """Nunca acaba."""
        self.began.set()
        await asyncio.Event().wait()
        return ToolOutput(None)


AGENT = Agent(
    id="teste",
    name="Teste",
    summary={"pt": "", "en": ""},
    icon="",
    prompt="És um teste.",
    tools=("somar", "mostrar", "despejar", "gravar", "falhar", "calcular", "esperar"),
    starters={"pt": (), "en": ()},
)


def turns_with(
    store: Store,
    model: ChatModel,
    *,
    toolbox: object | None = None,
    settings: Settings | None = None,
    agent: Agent = AGENT,
    profiles: Mapping[str, tuple[DatasetProfile, ...]] | None = None,
    fixed: Collection[str] = (),
    estimate: Estimate | None = None,
    check_account: CheckAccount | None = None,
    context: Sequence[ContextSource] = (),
    person: str = "",
    screen: Screen | None = None,
) -> TurnRunner:
    async def pinned(conversation: ConversationId) -> tuple[DatasetProfile, ...]:
        return (profiles or {}).get(conversation, ())

    return TurnRunner(
        conversations=store.conversations,
        messages=store.messages,
        readings=store.datasets,
        model=model,
        tools=tools_of(toolbox or Toolbox()),
        agents={agent.id: agent},
        common_prompt="Regras.",
        profiles=pinned,
        settings=lambda: settings or Settings(),
        log=store.audit.add,
        fixed=fixed,
        estimate=estimate,
        check_account=check_account,
        context=context,
        person=lambda: person,
        signals=store.reviews.signals,
        screen=screen,
    )
