"""Output of the command line: events and values as text for people, or as JSON lines."""

import asyncio
import getpass
import io
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from typing_extensions import override

from qhub_desktop.core.codec import TAGS, Json, JsonObject, plain
from qhub_desktop.core.errors import Fault
from qhub_desktop.core.events import (
    ApprovalAsked,
    ArtifactShown,
    ChatEvent,
    Done,
    ErrorHappened,
    StatusChanged,
    TextAdded,
    ToolStarted,
    ToolUsed,
    UsageCounted,
    WidgetShown,
)
from qhub_desktop.core.message import Clarification, Interpretation, ToolCall
from qhub_desktop.core.processes.threads import in_background
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, Study, TableView
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import cell, words_of
from qhub_desktop.core.text import gettext as _

SHOWN_ROWS = 20
SHOWN_WIDTH = 40
# Control characters by the symbols that Unicode has for them; those without one, and marks that
# turn the order of a line around, by the sign for what can not be shown.
ONE_LINE = {
    **{code: 0x2400 + code for code in range(0x20)},
    0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), 0x2028, 0x2029), 0xFFFD),
    **dict.fromkeys((0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}
SYMBOLS = {code: symbol for code, symbol in ONE_LINE.items() if chr(code) not in "\n\t"}


def print_json(value: object) -> None:
    """Print a value as JSON on one line, flushed."""
    _print_line(plain(value))


def _print_line(value: Json) -> None:
    print(json.dumps(value, ensure_ascii=False), flush=True)


def use_utf8(stream: TextIO) -> None:
    """Set a stream to UTF-8 and bare line ends, whatever the system's code page."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", newline="\n")


class TerminalText(io.TextIOWrapper):
    """Text stream of a terminal, which gets no control character but line ends and tabs.

    A cell or an answer could else move the cursor, and write what seems to come from the program.
    """

    @override
    def write(self, text: str, /) -> int:
        """Write a text with control characters as symbols."""
        super().write(text.translate(SYMBOLS))
        return len(text)


def prepare_output() -> None:
    """Make standard output and error fit for any text: what they can not hold is replaced."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        stream.reconfigure(errors="replace")
        if stream.isatty():
            encoding, is_buffered = stream.encoding, stream.line_buffering
            made = TerminalText(stream.detach(), encoding, "replace", line_buffering=is_buffered)
            setattr(sys, name, made)


def one_line(text: str) -> str:
    """Show a text on one line, with line ends and control characters as symbols."""
    return text.translate(ONE_LINE)


def table_lines(table: Table, *, row_count: int) -> str:
    """Format the first rows of a table in aligned columns, and the number of rows."""
    shown = [
        [one_line(cell(value)[:SHOWN_WIDTH]) for value in row] for row in table.rows[:SHOWN_ROWS]
    ]
    names = [*map(one_line, table.names)]
    widths = [
        max(len(name), *(len(row[place]) for row in shown), 1) for place, name in enumerate(names)
    ]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in [names, ["-" * width for width in widths], *shown]
    ]
    if row_count > len(shown):
        rest = _("… {shown} of {total} rows").format(shown=len(shown), total=row_count)
        lines.append(rest)
    return "\n".join(lines)


async def confirm(question: str) -> bool:
    """Ask at the terminal for a word that means yes; refuse if there is no terminal."""
    if not sys.stdin.isatty():
        return False
    # Python writes a prompt past the stream that guards the terminal.
    prompt = one_line(_("{question} Type 'yes' to confirm: ").format(question=question))
    line = await typed(prompt)
    return line.strip().lower() in {yes for yes, _no in words_of("files", "yes_no")}


async def typed_secret(prompt: str) -> str:
    """Return what is typed at the terminal, which does not show it."""
    return await typed(prompt, read=getpass.getpass)


async def typed(prompt: str, *, read: Callable[[str], str] | None = None) -> str:
    """Return the line that is typed at the terminal; "" at the end of what is typed."""
    ask = read or input
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def finish(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def wait() -> None:
        try:
            text = ask(prompt)
        except (EOFError, KeyboardInterrupt):  # Windows interrupts the thread that reads
            text = ""
        with suppress(RuntimeError):  # the loop is closed: the command was stopped
            loop.call_soon_threadsafe(finish, text)

    # A thread of the loop's own pool is waited for at the end: Ctrl+C would do nothing until Enter.
    in_background(wait, "typing")
    return await line


class JsonAudience:
    """Output of events as JSON objects, one per line; approvals are refused."""

    failure: str | None = None

    def show(self, event: ChatEvent) -> None:
        """Print an event as one line of JSON."""
        _print_line(event_object(event))
        if isinstance(event, ErrorHappened):
            self.failure = event.text

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse every request: a program does not confirm for a person."""


class TextAudience:
    """Output of an answer as it arrives, for a person at a terminal."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self.fault: Fault | None = None
        self._in_text = False

    def show(self, event: ChatEvent) -> None:
        """Print the parts of an event that a person reads."""
        match event:
            case TextAdded(text):
                print(text, end="", flush=True)
                self._in_text = True
            case ToolUsed(call, result):
                self._line(f"· {call.name} ({result.ms} ms)")
            case WidgetShown(Chart() as chart):
                self._line(f"[{chart.figure.title}]")
                self._line(table_lines(chart.data, row_count=len(chart.data.rows)))
            case WidgetShown(TableView() as view):
                self._line(view.title)
                self._line(table_lines(view.table, row_count=view.row_count))
            case WidgetShown(Kpi() as kpi):
                value = kpi.value if isinstance(kpi.value, str) else cell(kpi.value)
                self._line(f"{kpi.title}: {value} {kpi.unit}".rstrip())
            case WidgetShown(Study() as study):
                self._line(study.title)
                self._line("\n".join(filter(None, study.notes)))
                for view in study.tables:
                    self._line(view.title)
                    self._line(table_lines(view.table, row_count=view.row_count))
            case WidgetShown(DashboardLink(title, url)):
                self._line(f"{title}: {url}")
            case Clarification(text, choices):
                self._line("\n".join([text, *(f"  - {choice.label}" for choice in choices)]))
            case Interpretation(chips=chips):
                self._line(" · ".join(chip.label for chip in chips))
            case StatusChanged(kind="retrying" | "queued", text=text, wait_s=left) if (
                left is not None
            ):
                told = _("{what} Trying again in {left} s").format(what=text, left=round(left))
                print(told, file=sys.stderr)
            case StatusChanged(
                kind="offline" | "retrying" | "queued" | "preparing" | "budget", text=text
            ):
                print(text, file=sys.stderr)
            case ErrorHappened(kind, text):
                self.failure, self.fault = text, kind
            case Done():
                self._line("")
            case (
                ToolStarted() | ArtifactShown() | ApprovalAsked() | StatusChanged() | UsageCounted()
            ):
                pass

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        """Ask for approval at the terminal; refuse if there is none."""
        if not sys.stdin.isatty():
            return None
        given = request.call.input
        fields = [
            one_line(f"  {name}: {value}") for name, value in given.items() if name != request.code
        ]
        code = str(given[request.code]) if request.code else ""
        fields += [f"    {one_line(line)}" for line in code.splitlines()]
        self._line("\n".join([one_line(request.call.name), *fields]))
        return given if await confirm(request.text) else None

    def _line(self, text: str) -> None:
        if self._in_text:
            print()
            self._in_text = False
        if text:
            print(text, flush=True)


def event_object(event: ChatEvent) -> JsonObject:
    """Return an event as JSON for other programs: its public name as `type`, then its fields.

    These names and fields are the stable interface of `qhub ask --json`.
    """
    match event:
        case ToolStarted(call=call):
            return {"type": "tool_start", **_call_fields(call)}
        case ToolUsed(call, result):
            return {
                "type": "tool_use",
                **_call_fields(call),
                "result": plain(result.content),
                "ms": result.ms,
                "is_error": result.is_error,
                "source": plain(result.source),
            }
        case ApprovalAsked(call=call, text=text):
            return {"type": "approval", **_call_fields(call), "text": text}
        case WidgetShown(DashboardLink() as link):
            return _plain_fields(link)
        case WidgetShown(widget):
            return {"type": TAGS[type(widget)], "data": plain(widget)}
        case Interpretation(plan, chips):
            named: list[Json] = [{"part": chip.part, "label": chip.label} for chip in chips]
            return {"type": "understanding", "plan": plan, "chips": named}
        case Clarification(text, choices):
            return {"type": "question", "text": text, "choices": [each.label for each in choices]}
        case TextAdded():
            return {"type": "text", **_plain_fields(event)}
        case StatusChanged():
            return {"type": "status", **_plain_fields(event)}
        case UsageCounted():
            return {"type": "usage", **_plain_fields(event)}
        case ArtifactShown():
            return {"type": "artifact", **_plain_fields(event)}
        case ErrorHappened():
            return {"type": "error", **_plain_fields(event)}
        case Done():
            return {"type": "done", **_plain_fields(event)}


def _call_fields(call: ToolCall) -> JsonObject:
    return {"call_id": call.id, "name": call.name, "input": plain(call.input)}


def _plain_fields(value: object) -> JsonObject:
    fields = plain(value)
    assert isinstance(fields, dict)
    return fields
