"""Asking a model in tests: short ways to write questions, and to keep what comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from qhub_desktop.chat.claude.client import Claude
from qhub_desktop.chat.claude.pricing import load_prices
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import ChatModel, ModelEvent, ModelRequest, TextAdded
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Block, Message, Text, ToolResult, ToolSpec
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.settings import Settings

NOW = datetime(2026, 11, 20, 9, 30).astimezone()
TOOLS = (
    ToolSpec("contar_defeitos", "Conta defeitos.", {"type": "object", "properties": {}}),
    ToolSpec("top_defeitos", "Os mais frequentes.", {"type": "object", "properties": {}}),
    ToolSpec("gerar_grafico", "Desenha um gráfico.", {"type": "object", "properties": {}}),
)
HURRIED = Settings(
    engine="claude", heartbeat_s=0.3, question_s=0.5, inactivity_s=1.0, answer_s=30.0
)
PATIENT = Settings(
    engine="claude", heartbeat_s=10.0, question_s=12.0, inactivity_s=15.0, answer_s=60.0
)


def asked(text: str) -> Message:
    """A question."""
    return Message(MessageId(1), "user", (Text(text),), NOW)


def answered(*blocks: Block, engine: str = "claude-sonnet-5-5") -> Message:
    """An answer, or as much of it as there is."""
    return Message(MessageId(2), "assistant", blocks, NOW, engine=engine)


def request_of(*messages: Message, tools: tuple[ToolSpec, ...] = TOOLS) -> ModelRequest:
    """What a model is given."""
    return ModelRequest(
        stable_prompt="És um assistente da qualidade.",
        messages=messages or (asked("Quantos defeitos há?"),),
        tools=tools,
        profiles=(),
        profiles_text="defeitos: 200 linhas",
        answer_tokens=4096,
    )


@dataclass
class Heard:
    """What a model said, and how it failed if it did."""

    events: list[ModelEvent] = field(default_factory=list)
    failure: QHubError | None = None

    @property
    def text(self) -> str:
        """All the words."""
        return "".join(event.content for event in self.events if isinstance(event, TextAdded))

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


async def hear(model: ChatModel, request: ModelRequest | None = None) -> Heard:
    """Listen to a round to its end, whichever it is."""
    heard = Heard()
    try:
        async for event in model.stream(request or request_of()):
            heard.events.append(event)
    except QHubError as error:
        heard.failure = error
    return heard


@asynccontextmanager
async def claude_at(
    url: str, *, key: str | None = "sk-test", settings: Settings | None = None, **environment: str
) -> AsyncIterator[Claude]:
    """Claude, asking a service that the environment names, and trying again quickly."""
    chosen = settings or Settings(engine="claude")
    claude = Claude(
        settings=lambda: chosen,
        key=lambda _service: key,
        prices=load_prices(RESOURCES, Path("nowhere")),
        environment={"ANTHROPIC_BASE_URL": url, **environment},
        first_wait_s=0.02,
    )
    try:
        yield claude
    finally:
        await claude.close()


def result(call_id: str, content: Any, *, is_error: bool = False) -> ToolResult:
    """What came of a call."""
    return ToolResult(call_id, content, is_error=is_error)
