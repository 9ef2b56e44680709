"""A conversation with the offline engine, its calls carried out by the program's own tools."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal
from weakref import WeakKeyDictionary

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.core.codec import pack
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.events import Answering, ModelRequest, RoundEnded, TextAdded, UsageCounted
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.message import (
    Block,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Text,
    ToolCall,
    ToolResult,
    unpack_block,
)
from qhub_desktop.core.tool import ToolContext, ToolOutput
from qhub_desktop.nlq.dialogue.state import INITIAL_STATE, DialogueState, interpret
from qhub_desktop.nlq.offline_engine import OfflineEngine
from qhub_desktop.nlq.query_ast import DataPlan, plan_from_json, plan_to_json
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.tools.conversation_datasets import LOG
from tests.nlq.profiles import Data

ALL_TOOLS = (
    "contar_defeitos",
    "top_defeitos",
    "defeitos_por_turno",
    "registar_defeito",
    "perfil_dados",
    "consultar_dados",
    "gerar_grafico",
    "gerar_tabela",
    "gerar_kpi",
    "exportar_excel",
)
QUALITY_TOOLS = tuple(
    name for name in ALL_TOOLS if name not in ("defeitos_por_turno", "perfil_dados")
)
ASKED_ON = datetime(2026, 2, 20, 10, tzinfo=UTC)
MOST_ROUNDS = 8


@dataclass(frozen=True)
class Answer:
    """One turn of the engine."""

    text: str
    calls: tuple[ToolCall, ...]
    pieces: tuple[str, ...]
    rounds: int
    results: tuple[ToolResult, ...] = ()
    offered: tuple[str, ...] = ()  # to be asked next
    asked: Clarification | None = None

    @property
    def tools(self) -> list[str]:
        """What was called, in order."""
        return [call.name for call in self.calls]


@dataclass
class Conversation:
    """Questions and answers over some data sets, with every tool or with some.

    The turn is played here, on one fixed day; the engine, the tools, the workspace and the store
    are the program's.
    """

    program: Program
    data: tuple[Data, ...]
    tools: Sequence[str] = ALL_TOOLS
    broken: str = ""  # a tool that fails
    is_confirmed: bool = True
    messages: list[Message] = field(default_factory=list)
    _id: ConversationId = NO_CONVERSATION
    _engine: OfflineEngine = field(default_factory=OfflineEngine)

    async def begin(self) -> ConversationId:
        """The conversation as it is stored, with its data sets."""
        await self._context()
        return self._id

    async def ask(self, question: str) -> Answer:
        """One question, to the end of its answer."""
        return await self._answer([Text(question)])

    async def told(self, question: str) -> Answer:
        """One question, and the likeliest of its readings where several are listed."""
        answer = await self.ask(question)
        choices = () if answer.asked is None else answer.asked.choices
        return await self.choose(plan_from_json(choices[0].plan)) if choices else answer

    async def choose(self, plan: DataPlan, *, said: str = "…") -> Answer:
        """A plan that is chosen, as a part of what was understood is; as JSON, as it is stored.

        With what was `said`, where it is one of the readings of what was typed.
        """
        stored = json.loads(json.dumps(plan_to_json(plan)))
        assert plan_from_json(stored) == plan
        return await self._answer([Text(said), ChosenPlan(stored)])

    async def _answer(self, asked: Sequence[Block]) -> Answer:
        context = await self._context()
        self.messages.append(self._message("user", asked))
        blocks: list[Block] = []
        calls: list[ToolCall] = []
        pieces: list[str] = []
        understood: list[Block] = []
        offered: tuple[str, ...] = ()
        asked_back: Clarification | None = None
        for number in range(1, MOST_ROUNDS + 1):
            request = self._request(blocks, context.profiles)
            events = [event async for event in self._engine.stream(request)]
            assert events[0] == Answering("offline")
            assert not any(isinstance(event, UsageCounted) for event in events)
            for event in events:
                match event:
                    case ToolCall():
                        calls.append(event)
                        blocks.append(event)
                    case TextAdded(text):
                        pieces.append(text)
                    case Interpretation():
                        understood.append(_stored(event))
                        offered = tuple(each.label for each in event.next)
                    case Clarification():
                        asked_back = event
            if events[-1] == RoundEnded("complete"):
                answer = "".join(pieces)
                said = [*blocks, Text(answer), *understood]
                self.messages.append(self._message("assistant", said))
                results = tuple(each for each in blocks if isinstance(each, ToolResult))
                return Answer(
                    answer, tuple(calls), tuple(pieces), number, results, offered, asked_back
                )
            assert events[-1] == RoundEnded("tools")
            done = {each.call_id for each in blocks if isinstance(each, ToolResult)}
            left = [call for call in calls if call.id not in done]
            blocks += [await self._run(call, context) for call in left]
        raise AssertionError("the answer does not come to an end")

    async def _context(self) -> ToolContext:
        """The data sets, pinned to a conversation that is really stored."""
        store = self.program.store
        if not self._id:
            self._id = (await store.conversations.create(DEFAULT_AGENT)).id
            for each in self.data:
                if each.profile.dataset != LOG:
                    await _register(self.program, each)
                    await store.datasets.pin(self._id, each.profile.id, each.profile.dataset)
        names = {each.profile.dataset for each in self.data}
        there = await self.program.conversation_datasets.profiles(self._id)
        return ToolContext(self._id, tuple(each for each in there if each.dataset in names))

    def _request(
        self, blocks: Sequence[Block], profiles: tuple[DatasetProfile, ...]
    ) -> ModelRequest:
        under_way = [self._message("assistant", blocks)] if blocks else []
        return ModelRequest(
            stable_prompt="",
            messages=(*self.messages, *under_way),
            tools=tuple(self.program.tools[name].spec for name in self.tools),
            profiles=profiles,
            profiles_text="",
            answer_tokens=4096,
        )

    def _message(self, role: Literal["user", "assistant"], blocks: Sequence[Block]) -> Message:
        return Message(MessageId(len(self.messages) + 1), role, tuple(blocks), ASKED_ON)

    async def _run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Carry out a call as a turn does; what comes of it, as it comes back from the store."""
        if call.name == self.broken:
            return ToolResult(call.id, {"erro": "a consulta demorou demais"}, is_error=True)
        tool = self.program.tools[call.name]
        work = tool.prepare(call.input)
        if tool.needs_approval and not self.is_confirmed:
            outcome = ToolOutput({"estado": "não confirmado pela pessoa; nada foi gravado"})
        else:
            try:
                outcome = await work(context)
            except ToolError as error:
                return ToolResult(call.id, {"erro": str(error)}, is_error=True)
        content = json.loads(json.dumps(outcome.content))
        return ToolResult(call.id, content, outcome.widget, outcome.source)


def _stored(block: Block) -> Block:
    """A block as it comes back from the store."""
    return unpack_block(json.loads(json.dumps(pack(block))))


_registered: WeakKeyDictionary[Program, dict[str, Data]] = WeakKeyDictionary()


async def _register(program: Program, given: Data) -> None:
    """Make a data set known to a program, unless it is there from an earlier conversation."""
    there = _registered.setdefault(program, {})
    if there.get(given.profile.id) != given:
        await program.workspace.register(given.profile.id, given.profile.file, given.table)
        there[given.profile.id] = given


def interpret_all(
    questions: Iterable[tuple[str, date]], profiles: Sequence[DatasetProfile]
) -> DialogueState:
    """The state of the dialogue after these questions, each with its day."""
    indexes = [schema_index_of(profile) for profile in profiles]
    state = INITIAL_STATE
    for question, day in questions:
        state = interpret(question, state, indexes, today=day)
    return state
