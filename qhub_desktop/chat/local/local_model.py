"""The local model: a model file of the plant's own, served by a process of this program.

The engine speaks the Messages format, so a client of that asks it. Its process starts with the
first question, and is let go when nobody has asked for long, on a low battery, and when memory runs
short; it never outlives the program.
"""

import asyncio
import re
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from qhub_desktop.chat.claude.client import Claude
from qhub_desktop.chat.claude.pricing import Prices
from qhub_desktop.chat.claude.request_log import RequestLog
from qhub_desktop.chat.local.gguf_header import ModelHeader
from qhub_desktop.chat.local.narrowing import narrowed, shorter, trouble_in
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.events import (
    Answering,
    ModelEvent,
    ModelRequest,
    StatusChanged,
    UsageBegun,
    UsageCounted,
)
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.machine import Machine, this_machine
from qhub_desktop.core.message import LOCAL
from qhub_desktop.core.processes.child import PAUSES, Child, ChildBugError, ChildGoneError
from qhub_desktop.core.processes.supervisor import ChildRunner, ChildServer
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number

MODE = "model"
CONTEXT, LEAST_CONTEXT = 8_192, 4_096  # tokens
HEADER_S = 60.0  # to read a header, also over a slow network
SILENCE_S = 60.0  # without a token
IDLE_S = 900.0
LOOK_S = 20.0  # between two looks at battery and memory
LEAST_BATTERY = 0.2
SPARE_BYTES = 512 * 2**20  # that must stay free for everything else
HEADER_MB = 512
TICK_S = 1.0
RESERVE_TOKENS = 64

# Which tools the offline engine would use for a question.
WantedTools = Callable[[ModelRequest], Awaitable[tuple[str, ...]]]


class LocalModel:
    """A `ChatModel` of a model file. Owns a process and connections until closed."""

    def __init__(
        self,
        *,
        settings: Callable[[], Settings],
        prices: Prices,
        prompt: str,
        wanted_tools: WantedTools,
        log: RequestLog | None = None,
        machine: Callable[[], Machine] = this_machine,
        idle_s: float = IDLE_S,
        silence_s: float = SILENCE_S,
    ) -> None:
        """Start nothing yet. `prompt` is what the model is told before every question."""
        self._settings = settings
        self._prompt = prompt
        self._wanted_tools = wanted_tools
        self._machine = machine
        self._idle_s = idle_s
        self._silence_s = silence_s
        self._headers: dict[tuple[str, int, float], ModelHeader] = {}
        self._inspecting = ChildRunner(lambda: Child(MODE, memory_mb=HEADER_MB), limit_s=HEADER_S)
        self._server = ChildServer(self._start, greet=self._greet)
        self._asked: JsonObject = {}  # of the child: what it serves, and how
        self._cap_mb = HEADER_MB
        self._address = ""
        self.walls: tuple[str, ...] = ()
        self._client = Claude(
            settings=self._client_settings,
            key=lambda _service: str(self._asked.get("key", "")) or None,
            prices=prices,
            environment={},
            log=None if log is None else _LocalLog(log),
        )
        self._turn = asyncio.Lock()
        self._used = time.monotonic()
        self._watching: asyncio.Task[None] | None = None
        self.tokens_per_s = 0.0

    @property
    def path(self) -> str:
        """The model file that is chosen; "" for none."""
        return self._settings().local_model.strip()

    async def close(self) -> None:
        """End the process, and close the connections."""
        if self._watching is not None:
            self._watching.cancel()
        self._inspecting.close()
        self._server.close()
        await self._client.close()

    async def header(self, path: Path) -> ModelHeader:
        """Return what a file says of itself. Raises UserError: why it cannot be used."""
        known = (str(path), *await asyncio.to_thread(_state_of, path))
        if known not in self._headers:
            told: Any = await self._inspecting.run(
                {"path": str(path), "serves": False},
                failure=_("This model file cannot be read: it is damaged."),
                out_of_time=_(
                    "The model file could not be read in time. Copy it to this computer."
                ),
            )
            self._headers[known] = ModelHeader(**told)
        return self._headers[known]

    async def rest(self) -> None:
        """Let go of the process, until the next question."""
        async with self._turn:
            await self._server.rest()
            self._asked = {}

    async def needs(self, path: Path) -> str:
        """Return what a model would take of this computer, as a sentence.

        Raises UserError where there is no memory for it, or the file cannot be used.
        """
        header, machine = await self.header(path), self._machine()
        context = context_for(header, machine)
        told = _("It takes {memory} of memory of {free} free, with {context} tokens of context.")
        return told.format(
            memory=gigabytes(header.memory(context)),
            free=gigabytes(machine.free_bytes),
            context=number(context),
        )

    async def stream(
        self, request: ModelRequest, *, file: Path | None = None
    ) -> AsyncIterator[ModelEvent]:
        """Stream one round, of the chosen model or of another `file`.

        Raises UserError and ServiceError: the offline engine answers then.
        """
        last = request.messages[-1]
        if last.role == "assistant" and (trouble := trouble_in(last)):
            raise ServiceError(trouble, fault="malformed")
        async with self._turn:
            self._used = time.monotonic()
            served = await asyncio.to_thread(chosen_file, file or Path(self.path))
            header = await self.header(served)
            async for status in self._loading(served, header):
                yield status
            asked = narrowed(
                request,
                wanted=await self._wanted_tools(request) if last.role == "user" else (),
                prompt=self._prompt,
                knows_tools=header.knows_tools,
            )
            try:
                asked = await self._fitted(asked)
                async with aclosing(self._round(asked, header)) as events:
                    async for event in events:
                        yield event
            except ServiceError as error:
                if error.fault in ("network", "cut", "stalled"):
                    await self._server.rest()
                    self._asked = {}
                    raise ServiceError(_failure(error), fault=error.fault) from error
                raise
            except UserError as error:  # what a template makes of a question is seen only now
                raise _cannot_run() from error
            finally:
                self._used = time.monotonic()

    async def _round(
        self, request: ModelRequest, header: ModelHeader
    ) -> AsyncGenerator[ModelEvent, None]:
        begun = 0.0
        async for event in self._client.stream(request):
            match event:
                case Answering():
                    yield Answering(f"{LOCAL}{header.name}")
                case UsageBegun(usage):
                    yield UsageBegun(replace(usage, cost_usd=0.0), 0.0)
                    begun = time.monotonic()  # what it was asked is read by now
                case UsageCounted():
                    yield replace(event, cost_usd=0.0)
                    seconds = time.monotonic() - begun
                    if begun and event.output_tokens > 1 and seconds > 0:
                        self.tokens_per_s = event.output_tokens / seconds
                    yield StatusChanged("local", self._told(header))
                case _:
                    yield event

    def _told(self, header: ModelHeader) -> str:
        if not self.tokens_per_s:
            return header.name
        return _("{name} · {speed} tok/s").format(name=header.name, speed=round(self.tokens_per_s))

    async def _fitted(self, request: ModelRequest) -> ModelRequest:
        """Leave out of a request what the model has no room for, by tokens that the engine counts.

        Raises ServiceError where the question alone is too long.
        """
        room = int(str(self._asked["context"])) - request.answer_tokens - RESERVE_TOKENS
        while await self._client.count_tokens(request) > room:
            request = shorter(request)
        return request

    # The process.

    async def _loading(self, file: Path, header: ModelHeader) -> AsyncIterator[StatusChanged]:
        """Have the process serve the chosen model, telling how long that takes already."""
        machine = self._machine()
        if machine.battery is not None and machine.battery < LEAST_BATTERY:
            raise UserError(
                _("The battery is low: the local model rests until the computer is charged."),
                fault="setup",
            )
        wanted: JsonObject = {"path": str(file), "size": header.size}
        if any(self._asked.get(name) != value for name, value in wanted.items()):
            await self._server.rest()
            self._asked = {
                **wanted,
                "serves": True,
                PAUSES: True,
                "name": header.name,
                "context": context_for(header, machine),
                "threads": max(machine.cores - 1, 1),
                "key": secrets.token_urlsafe(32),
            }
            needed = header.memory(int(str(self._asked["context"])))
            self._cap_mb = (needed + SPARE_BYTES) // 2**20
        began = time.monotonic()
        starting = asyncio.ensure_future(self._server.ask(lambda _child: None))
        try:
            while not starting.done():
                await asyncio.wait([starting], timeout=TICK_S)
                if not starting.done():
                    seconds = round(time.monotonic() - began)
                    yield StatusChanged(
                        "preparing", _("loading the model, {seconds} s").format(seconds=seconds)
                    )
            await starting
        except (ChildGoneError, ChildBugError) as error:
            self._asked = {}
            raise UserError(
                _("The engine could not load this model: it ended. Choose another model file."),
                fault="setup",
            ) from error
        except QHubError:
            self._asked = {}
            raise
        finally:
            starting.cancel()
        if self._watching is None or self._watching.done():
            self._watching = asyncio.ensure_future(self._watch())

    def _start(self) -> Child:
        return Child(MODE, memory_mb=self._cap_mb, priority="low")

    def _greet(self, child: Child) -> None:
        child.send(self._asked)
        told: Any = child.receive()
        match told:
            case {"address": str(address), "walls": list(walls)}:
                self._address = address
                self.walls = tuple(map(str, walls))
                return
            case {"error": str(sentence)}:
                child.close()
                raise UserError(sentence, fault="setup")
        child.close()
        raise _cannot_run()

    async def _watch(self) -> None:
        """Let go of the process once nobody needs it, or the computer cannot spare it."""
        while self._asked:
            await asyncio.sleep(min(LOOK_S, self._idle_s))
            if self._turn.locked():
                continue
            machine = self._machine()
            is_idle = time.monotonic() - self._used >= self._idle_s
            is_low = machine.battery is not None and machine.battery < LEAST_BATTERY
            if is_idle or is_low or machine.free_bytes < SPARE_BYTES // 2:
                await self.rest()

    def _client_settings(self) -> Settings:
        return replace(
            self._settings(),
            endpoint=self._address or "http://127.0.0.1:9",
            model=f"{LOCAL}{self._asked.get('name', '')}",
            engine="claude",
            ca_file="",
            heartbeat_s=min(self._silence_s, self._settings().question_s / 2),
        )


class _LocalLog:
    """Log of what is asked of the local model, under a name that is no host."""

    def __init__(self, log: RequestLog) -> None:
        self._log = log
        self.add_usage = log.add_usage
        self.sweep = log.sweep

    async def add(
        self,
        *,
        host: str,  # noqa: ARG002  a port of this run
        path: str,
        model: str,
        body: JsonObject,
        message: MessageId | None,
        days: int,
    ) -> int:
        """Keep a request for so many days, and return its number."""
        place = _("this computer")
        return await self._log.add(
            host=place, path=path, model=model, body=body, message=message, days=days
        )


def context_for(header: ModelHeader, machine: Machine) -> int:
    """Return how many tokens of context there is memory for. Raises UserError where for none."""
    largest = min(header.context or CONTEXT, CONTEXT)
    for context in (largest, min(largest, LEAST_CONTEXT)):
        if header.memory(context) + SPARE_BYTES <= machine.free_bytes:
            return context
    raise UserError(
        _(
            "{name} needs {needed} of memory, and {free} are free. Close other programs, or choose"
            " a smaller model."
        ).format(
            name=header.name,
            needed=gigabytes(header.memory(min(largest, LEAST_CONTEXT)) + SPARE_BYTES),
            free=gigabytes(machine.free_bytes),
        ),
        fault="setup",
    )


def gigabytes(count: int) -> str:
    """Write a number of bytes as gigabytes."""
    return f"{number(count / 2**30, digits=1)} GB"


def model_files(place: Path) -> list[Path]:
    """Return the model files of a folder, or beside a file, the first parts of split ones alone."""
    folder = place if place.is_dir() else place.parent
    found = [each for each in folder.glob("*.gguf") if each.is_file()]
    return sorted(each for each in found if not _LATER_PART.search(each.name))


_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")


def chosen_file(place: Path) -> Path:
    """Return the file to be served: of a folder its first."""
    if place.is_dir():
        files = model_files(place)
        if not files:
            raise UserError(
                _("There is no model file (.gguf) in {folder}.").format(folder=place.name),
                fault="setup",
            )
        return files[0]
    return place


def _state_of(path: Path) -> tuple[int, float]:
    with suppress(OSError):
        told = path.stat()
        return told.st_size, told.st_mtime
    return 0, 0.0


def _cannot_run() -> UserError:
    return UserError(
        _(
            "The engine cannot run this model: it does not know its kind, or its chat template."
            " Choose another model file."
        ),
        fault="setup",
    )


def _failure(error: ServiceError) -> str:
    if error.fault == "stalled":
        return _("The local model has written nothing for a minute.")
    return _("The local model has ended: perhaps there was not enough memory.")
