"""Trial of a local model: what its file says, how fast it is here, and whether it calls a tool."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from qhub_desktop.chat.local.gguf_header import ModelHeader
from qhub_desktop.chat.local.local_model import LocalModel, chosen_file, gigabytes, model_files
from qhub_desktop.chat.turn import TurnRunner
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import Answering, StatusChanged, TextAdded
from qhub_desktop.core.ids import unstarted
from qhub_desktop.core.message import ToolCall
from qhub_desktop.core.processes.supervisor import OnProgress, Progress
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass

QUESTION = "Quantos defeitos houve no registo de defeitos?"
AGENT = "qualidade"


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial showed: seconds to load and to the first token, tokens a second, and whether a
    call was made that worked.
    """

    load_s: float
    first_token_s: float
    tokens_per_s: float
    has_called: bool


class ModelTrials:
    """Looks at model files, and tries them."""

    def __init__(self, local: LocalModel, turns: Callable[[], TurnRunner]) -> None:
        self._local = local
        self._turns = turns

    async def files(self, place: Path) -> list[Path]:
        """Return the model files in a folder, or beside a file."""
        return await asyncio.to_thread(model_files, place)

    async def header(self, place: Path) -> ModelHeader:
        """Return what a model's file says of itself. Raises UserError."""
        return await self._local.header(await asyncio.to_thread(chosen_file, place))

    async def needs(self, place: Path) -> str:
        """Return what a model needs of this computer, as a sentence. Raises UserError."""
        return await self._local.needs(await asyncio.to_thread(chosen_file, place))

    async def run(self, place: Path, on_progress: OnProgress = lambda _progress: None) -> Trial:
        """Load a model, ask it over the defect log, and run the call that it makes.

        Raises UserError and ServiceError.
        """
        preview = await self._turns().preview(unstarted(AGENT), QUESTION)
        began = time.monotonic()
        loaded = first = 0.0
        calls: list[ToolCall] = []
        async for event in self._local.stream(preview.request, file=place):
            match event:
                case Answering():
                    loaded = time.monotonic()
                    on_progress(Progress(_("It is loaded, and reads the question."), None))
                case StatusChanged("preparing", text):
                    on_progress(Progress(text, None))
                case ToolCall():
                    calls.append(event)
                    first = first or time.monotonic()
                case TextAdded():
                    first = first or time.monotonic()
                case _:
                    pass
        has_called = False
        for call in calls[:1]:
            try:
                has_called = not (await preview.run(call)).is_error
            except QHubError:
                has_called = False
        return Trial(loaded - began, max(first - loaded, 0.0), self._local.tokens_per_s, has_called)


def header_line(header: ModelHeader) -> str:
    """Write in a line what a model is."""
    parts = [
        header.name,
        gigabytes(header.size),
        _("{count} billion parameters").format(count=number(header.parameters / 1e9, digits=1)),
        _("context {tokens}").format(tokens=number(header.context)) if header.context else "",
        _("licence {licence}").format(licence=header.licence) if header.licence else "",
    ]
    return " · ".join(filter(None, parts))


def tools_sentence(header: ModelHeader) -> str:
    """Return whether a model knows tools, as a sentence."""
    if header.knows_tools:
        return _("Its chat template knows tools.")
    return _(
        "Its chat template knows no tools: it can only talk, and the app's own engine computes."
        " Choose a model with tools."
    )


def trial_sentence(trial: Trial) -> str:
    """Return what a trial showed, as sentences."""
    told = _("Loaded in {load} s, first word after {first} s, {speed} tokens a second.").format(
        load=number(trial.load_s, digits=1),
        first=number(trial.first_token_s, digits=1),
        speed=number(trial.tokens_per_s, digits=1),
    )
    called = (
        _("It counted the defects by a tool.")
        if trial.has_called
        else _("It made no call of a tool that works: the app's own engine will answer mostly.")
    )
    return f"{told} {called}"


def trial_object(header: ModelHeader, trial: Trial) -> JsonObject:
    """Return a trial as JSON."""
    return {
        **header.as_object(),
        "load_s": trial.load_s,
        "first_token_s": trial.first_token_s,
        "tokens_per_s": trial.tokens_per_s,
        "has_called": trial.has_called,
    }
