"""Turns: a question stored, put to an agent with what it may know, and answered."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, Protocol

from qhub_desktop.chat.agent import Agent
from qhub_desktop.chat.briefing import describe
from qhub_desktop.chat.live import BlockKeeper, LiveAnswer
from qhub_desktop.chat.model import ChatModel, ModelRequest, ReadingChosen, Spent
from qhub_desktop.chat.tool import Setting, Tool, allowed
from qhub_desktop.chat.turn import Audience, Turn, show_error
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.events import Done, UsageCounted
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.messages import Block, Message, Text, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.understanding import Wanted


class Talk(Protocol):
    """What a turn needs to know of a conversation."""

    @property
    def agent(self) -> str:
        """The id of the agent it is held with."""
        ...


class Journal(BlockKeeper, Protocol):
    """Where conversations are kept."""

    async def conversation(self, conversation: str, /) -> Talk:
        """A conversation by its id. Raises UserError for an unknown one."""
        ...

    async def add_message(
        self, conversation: str, role: Literal["user", "assistant"], blocks: Sequence[Block] = ()
    ) -> Message:
        """Begin a message."""
        ...

    async def messages(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """The last messages, oldest first, every call in them with a result."""
        ...

    async def supersede(self, message: int) -> None:
        """Hide a message and all after it."""
        ...

    async def keep_reading(self, columns: Iterable[str], word: str, reading: str) -> None:
        """Remember what a word is taken for in data with these columns."""
        ...

    async def add_usage(self, message: int, usage: UsageCounted) -> None:
        """Keep what one call to the model took."""
        ...


class BusyError(UserError):
    """An answer is under way in the conversation."""


class Engine:
    """Turns, one after the other in a conversation, several conversations at once."""

    def __init__(
        self,
        *,
        journal: Journal,
        model: ChatModel,
        tools: Mapping[str, Tool],
        agents: Mapping[str, Agent],
        common_prompt: str,
        profiles: Callable[[str], Awaitable[tuple[DatasetProfile, ...]]],
        settings: Callable[[], Settings],
        cost: Callable[[Spent], float | None],
    ) -> None:
        self._journal = journal
        self._model = model
        self._tools = tools
        self._agents = agents
        self._common_prompt = common_prompt
        self._profiles = profiles
        self._settings = settings
        self._cost = cost
        self._busy: set[str] = set()

    async def reply(
        self,
        conversation: str,
        question: str,
        *,
        audience: Audience,
        wanted: JsonObject | None = None,
    ) -> None:
        """Store the question, then answer it; `Done` is the last event shown.

        `wanted` is the plan that the person chose, where they did not just ask. Stop by cancelling
        the task: what had arrived is kept.
        """
        blocks: list[Block] = [Text(question)]
        if wanted is not None:
            blocks.append(Wanted(wanted))
        with self._alone(conversation):
            await self._journal.add_message(conversation, "user", blocks)
            await self._answer(conversation, audience, self._model)

    async def retry(self, conversation: str, *, audience: Audience) -> None:
        """Answer the last question again; the earlier answer is hidden, not lost."""
        with self._alone(conversation):
            await self._answer_again(conversation, audience, self._model)

    async def answer(
        self,
        conversation: str,
        *,
        place: Callable[[], Awaitable[object]],
        model: ChatModel,
        audience: Audience,
    ) -> None:
        """Let `place` make a question the last one here, then have `model` answer it.

        An earlier answer to it is hidden, not lost. Raises BusyError, and does nothing, where an
        answer is under way.
        """
        with self._alone(conversation):
            await place()
            await self._answer_again(conversation, audience, model)

    async def edit(
        self, conversation: str, message: int, question: str, *, audience: Audience
    ) -> None:
        """Ask differently: the question `message` and all after it are hidden, not lost."""
        with self._alone(conversation):
            await self._journal.supersede(message)
            await self._journal.add_message(conversation, "user", [Text(question)])
            await self._answer(conversation, audience, self._model)

    @contextmanager
    def _alone(self, conversation: str) -> Iterator[None]:
        if conversation in self._busy:
            raise BusyError(_("An answer is under way here. Stop it first, or wait for its end."))
        self._busy.add(conversation)
        try:
            yield
        finally:
            self._busy.discard(conversation)

    async def _answer_again(self, conversation: str, audience: Audience, model: ChatModel) -> None:
        history = await self._journal.messages(conversation, limit=1)
        if history and history[-1].role == "assistant":
            await self._journal.supersede(history[-1].id)
        await self._answer(conversation, audience, model)

    async def _answer(self, conversation: str, audience: Audience, model: ChatModel) -> None:
        try:
            turn = await self._begin(conversation, audience, model)
        except QHubError as error:  # before there is an answer to tell it in
            show_error(error, audience)
            audience.show(Done("failed"))
            return
        except asyncio.CancelledError:
            audience.show(Done("cancelled"))
            raise
        await turn.play()

    async def _begin(self, conversation: str, audience: Audience, model: ChatModel) -> Turn:
        settings = self._settings()
        history = await self._journal.messages(conversation, limit=settings.history_messages)
        profiles = await self._profiles(conversation)
        agent = self._agents[(await self._journal.conversation(conversation)).agent]
        tools = allowed(self._tools, agent.tools)
        request = ModelRequest(
            stable_prompt=f"{agent.prompt}\n\n{self._common_prompt}",
            messages=window(history, settings.history_messages),
            tools=tuple(tool.spec for tool in tools.values()),
            profiles=profiles,
            profiles_text=describe(profiles, settings),
            answer_tokens=settings.answer_tokens,
        )
        live = LiveAnswer(await self._journal.add_message(conversation, "assistant"), self._journal)
        return Turn(
            live=live,
            request=request,
            model=model,
            tools=tools,
            setting=Setting(conversation, profiles),
            settings=settings,
            audience=audience,
            spend=lambda spent: self._spend(live.id, spent),
            remember=lambda chosen: self._remember(chosen, profiles),
        )

    async def _remember(self, chosen: ReadingChosen, profiles: Sequence[DatasetProfile]) -> None:
        for profile in profiles:
            if profile.dataset == chosen.dataset:
                names = [column.name for column in profile.columns]
                await self._journal.keep_reading(names, chosen.word, chosen.reading)

    async def _spend(self, message: int, spent: Spent) -> UsageCounted:
        usage = UsageCounted(
            model=spent.model,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cache_read_tokens=spent.cache_read_tokens,
            cache_write_tokens=spent.cache_write_tokens,
            cost_usd=self._cost(spent),
        )
        await self._journal.add_usage(message, usage)
        return usage


def window(messages: Sequence[Message], most: int) -> tuple[Message, ...]:
    """The end of a history, at most `most` messages as a model counts them, from a question on.

    A round with tools counts as two: the calls, and their results. An answer is never taken apart,
    so no call is without its result. The last question stays whatever it weighs.
    """
    starts = [place for place, message in enumerate(messages) if message.role == "user"]
    for start in starts[:-1]:
        if sum(_weight(message) for message in messages[start:]) <= most:
            return tuple(messages[start:])
    return tuple(messages[starts[-1] :]) if starts else ()


def _weight(message: Message) -> int:
    blocks = message.blocks
    rounds = sum(
        isinstance(block, ToolResult)
        and not (place + 1 < len(blocks) and isinstance(blocks[place + 1], ToolResult))
        for place, block in enumerate(blocks)
    )
    return 1 + 2 * rounds
