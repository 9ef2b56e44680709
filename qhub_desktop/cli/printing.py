"""Output of the command line: events and values as text for people, or as JSON lines."""

import asyncio
import io
import json
import os
import sys
import unicodedata
from collections import deque
from collections.abc import Callable, Sequence
from typing import TextIO

from typing_extensions import override

from qhub_desktop.cli.keyboard import confirm, is_terminal, terminal, typed
from qhub_desktop.core.asking import PersonAnswer, Reply, Unanswered, read_answer
from qhub_desktop.core.citations import plain_citations
from qhub_desktop.core.codec import TAGS, Json, JsonObject, plain
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import Fault, UserError
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
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.memory import told_of_note
from qhub_desktop.core.message import (
    Choice,
    Clarification,
    Interpretation,
    NumberCheck,
    ToolCall,
    number_line,
)
from qhub_desktop.core.processes.supervisor import Progress
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, Study, TableView
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import cell, percent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import line_with_signs, with_escapes, with_signs, without_escapes

SHOWN_ROWS = 20
SHOWN_WIDTH = 40
MARK = "\N{BOX DRAWINGS LIGHT VERTICAL} "  # of a line that a model may have written
COLUMNS = 80  # of a terminal that does not tell
TAB_COLUMNS = 8


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
    """Text stream of a terminal, which gets no unseen character but line ends and tabs.

    A cell or an answer could else move the cursor, and write what seems to come from the program.
    """

    @override
    def write(self, text: str, /) -> int:
        """Write a text with signs for what is not seen."""
        super().write(with_signs(text))
        return len(text)


def prepare_output() -> None:
    """Make standard output and error fit for any text: what they cannot hold is replaced."""
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
    """Show a text on one line, with signs for line ends and all that is not seen."""
    return line_with_signs(text)


class QuotedText:
    """Text of a model's, in lines that begin with a mark: none looks like a line of the program's.

    Lines are broken before the terminal would break them, for its next row would have no mark.
    """

    def __init__(self, terminal: TextIO, mark: str = MARK) -> None:
        self._terminal = terminal
        self._mark = mark
        self._columns = COLUMNS
        self._at = 0  # the column; 0 where the mark is still to be written

    def feed(self, text: str) -> str:
        """Take some more of the text; return what is to be written."""
        return "".join(map(self._next, with_signs(text)))

    def _next(self, character: str) -> str:
        if character == "\n":
            before, self._at = self._begin(), 0
            return f"{before}\n"
        wide = _columns_of(character)
        if character == "\t":
            wide = TAB_COLUMNS - self._at % TAB_COLUMNS
            character = " " * wide
        end = self._next("\n") if self._at and self._at + wide > self._columns else ""
        before = self._begin()
        self._at += wide
        return f"{end}{before}{character}"

    def _begin(self) -> str:
        if self._at:
            return ""
        self._columns = _width(self._terminal) - 1  # in the last one Windows begins a row
        self._at = sum(map(_columns_of, self._mark))
        return self._mark


def _columns_of(character: str) -> int:
    """Return how many columns a terminal may need at most; some show accents in two."""
    is_narrow = ord(character) < 0x1100 and unicodedata.east_asian_width(character) != "A"
    return 1 if is_narrow else 2


def _width(terminal: TextIO) -> int:
    try:
        return os.get_terminal_size(terminal.fileno()).columns or COLUMNS
    except OSError:
        return COLUMNS


def format_table(table: Table, *, row_count: int) -> str:
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


def quote_lines(answer: str, citations: Sequence[Citation]) -> list[str]:
    """Return what stands below an answer: where its citations stand, with the words, unless it
    quotes them itself.
    """
    quotes = [(each.label, " ".join(each.quote.split())) for each in citations]
    return [one_line(f"  [{label}] «{words}»") for label, words in quotes if words not in answer]


class JsonAudience:
    """Output of events as JSON objects, one per line; approvals are refused.

    `answers` are those to the questions that the answer asks, in order.
    """

    def __init__(self, answers: Sequence[str] = ()) -> None:
        self.failure: str | None = None
        self._answers = deque(answers)

    def show(self, event: ChatEvent) -> None:
        """Print an event as one line of JSON."""
        _print_line(event_object(event))
        if isinstance(event, ErrorHappened):
            self.failure = event.text

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse every request: a program does not confirm for a person."""

    async def ask(self, question: Clarification, _hold: Callable[[], None]) -> Reply:
        """Give the next answer; without one there is nobody to ask."""
        return _next_answer(question, self._answers) or Unanswered("ninguem")


class TextAudience:
    """Output of an answer as it arrives, for a person at a terminal.

    Where the person may be asked to approve something, all that a model may have written is quoted.
    `answers` are those to the questions that the answer asks, in order; then the person is asked.
    """

    def __init__(self, answers: Sequence[str] = ()) -> None:
        self._answers = deque(answers)
        self.failure: str | None = None
        self.fault: Fault | None = None
        self._in_text = False
        self._said = ""  # of this answer, and what it cites
        self._cited: list[Citation] = []
        self._unsupported = ""  # what is told of numbers that no tool has computed
        can_quote = terminal() is sys.stdout
        self._quoted = QuotedText(sys.stdout) if can_quote else None

    def show_question(self, text: str) -> None:
        """Print the question that is answered, where it was asked before."""
        print(f"> {text}" if self._quoted is None else QuotedText(sys.stdout, "> ").feed(text))

    def show(self, event: ChatEvent) -> None:
        """Print the parts of an event that a person reads."""
        match event:
            case TextAdded(text):
                self._write(without_escapes(plain_citations(text)))
                self._said += text
                self._in_text = True
            case ToolStarted(label=label) if label:
                self._status(label)
            case ToolUsed(call, result):
                self._line(one_line(f"· {call.name} ({result.ms} ms)"))
                if told := told_of_note(call, result):
                    self._line(one_line(told))
            case WidgetShown(Chart() as chart):
                self._line(f"[{chart.figure.title}]")
                self._line(format_table(chart.data, row_count=len(chart.data.rows)))
            case WidgetShown(TableView() as view):
                self._line(view.title)
                self._line(format_table(view.table, row_count=view.row_count))
            case WidgetShown(Kpi() as kpi):
                value = kpi.value if isinstance(kpi.value, str) else cell(kpi.value)
                self._line(f"{kpi.title}: {value} {kpi.unit}".rstrip())
            case WidgetShown(Study() as study):
                self._line(study.title)
                self._line("\n".join(filter(None, study.notes)))
                for view in study.tables:
                    self._line(view.title)
                    self._line(format_table(view.table, row_count=view.row_count))
            case WidgetShown(DashboardLink(title, url)):
                self._line(f"{title}: {url}")
            case Clarification(text, choices, call_id=""):
                self._line(
                    "\n".join([text, *(f"  - {_choice_line(choice)}" for choice in choices)])
                )
            case Clarification(text, choices):
                numbered = (
                    f"  {number}. {_choice_line(each)}" for number, each in enumerate(choices, 1)
                )
                self._line("\n".join([text, *numbered]))
            case ToolStarted(label=label) if label:
                self._status(label)
            case Interpretation(chips=chips, next=offered):
                self._line(" · ".join(chip.label for chip in chips))
                self._line("\n".join(f"  - {each.label}" for each in offered))
            case StatusChanged():
                self._show_status(event)
            case ErrorHappened(kind, text):
                self.failure, self.fault = text, kind
            case Done():
                self._line("")
                for line in quote_lines(self._said, self._cited):
                    self._line(line)
                self._said = ""
                self._cited.clear()
                if self._unsupported:
                    self._status(self._unsupported)
                self._unsupported = ""
            case Citation():
                self._cited.append(event)
            case NumberCheck():
                self._unsupported = number_line(event) if event.count("unsupported") else ""
            case Guarded(action="block"):
                pass  # its sentence is the answer
            case Guarded():
                self._status(event.text)
            case ToolStarted() | ArtifactShown() | ApprovalAsked() | UsageCounted():
                pass

    def _show_status(self, event: StatusChanged) -> None:
        match event.kind:
            case "retrying" | "queued" if event.wait_s is not None:
                told = _("{what} Trying again in {left} s")
                self._status(told.format(what=event.text, left=round(event.wait_s)))
            case "thinking" | "online":
                pass
            case _:
                self._status(event.text)

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        """Ask for approval at the terminal; refuse if there is none.

        Code is approved as it is shown.
        """
        stream = terminal()
        if stream is None:
            return None
        approved = dict(request.call.input)
        lines = [
            one_line(f"  {name}: {value}")
            for name, value in approved.items()
            if name != request.code
        ]
        if request.code:
            code = with_escapes(str(approved[request.code]))
            approved[request.code] = code
            lines += [f"    {line}" for line in code.split("\n")]
        self._line("")
        print(one_line(request.call.name), file=stream)
        print(QuotedText(stream).feed("\n".join([*lines, ""])), end="", file=stream, flush=True)
        return approved if await confirm(request.text) else None

    async def ask(self, question: Clarification, _hold: Callable[[], None]) -> Reply:
        """Give the next answer, else ask at the terminal; where there is none, nobody can."""
        if (answer := _next_answer(question, self._answers)) is not None:
            return answer
        if terminal() is None:
            return Unanswered("ninguem")
        self._line("")
        try:
            while words := (await typed(_("Answer, or only Enter to skip: "))).strip():
                try:
                    return read_answer(question, words)
                except UserError as error:
                    self._status(str(error))
        except asyncio.CancelledError:  # out of time, or answered elsewhere: the row is not ended
            print(file=terminal())
            raise
        return Unanswered("saltada")

    def _line(self, text: str) -> None:
        if self._in_text:
            self._write("\n")
            self._in_text = False
        if text:
            self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        print(text if self._quoted is None else self._quoted.feed(text), end="", flush=True)

    def _status(self, text: str) -> None:
        if self._quoted is not None and is_terminal(sys.stderr):
            self._line("")  # else the next piece of the answer would begin a row without its mark
            text = QuotedText(sys.stderr).feed(one_line(text))
        print(text, file=sys.stderr)


def _choice_line(choice: Choice) -> str:
    return f"{choice.label}: {choice.value}" if choice.value else choice.label


def _next_answer(question: Clarification, answers: deque[str]) -> PersonAnswer | None:
    """Take the next answer; one that does not fit is told on standard error, and is none."""
    try:
        return read_answer(question, answers.popleft()) if answers else None
    except UserError as error:
        print(one_line(str(error)), file=sys.stderr)
        return None


def event_object(event: ChatEvent) -> JsonObject:
    """Return an event as JSON for other programs: its public name as `type`, then its fields.

    These names and fields are the stable interface of `qhub ask --json`.
    """
    match event:
        case ToolStarted(call, label):
            return {"type": "tool_start", **_call_fields(call), "text": label}
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
        case Interpretation(plan, chips, others, next=offered):
            named: list[Json] = [{"part": chip.part, "label": chip.label} for chip in chips]
            return {
                "type": "understanding",
                "plan": plan,
                "chips": named,
                "others": [{"label": each.label, "plan": each.plan} for each in others],
                "next": [each.label for each in offered],
            }
        case Clarification(text, choices):
            return {
                "type": "question",
                "text": text,
                "choices": [each.label for each in choices],
                "values": [each.value for each in choices],
                "call_id": event.call_id,
                "is_multiple": event.is_multiple,
                "takes_text": event.takes_text,
                "wait_s": event.wait_s,
            }
        case TextAdded(text):
            return {"type": "text", "content": plain_citations(text)}
        case Citation():
            return {
                "type": "citation",
                "document": event.document,
                "file": event.file,
                "code": event.code,
                "revision": event.revision,
                "place": event.place.label_text,
                "quote": event.quote,
            }
        case NumberCheck():
            return {"type": "figures", **event.counts}
        case Guarded():
            return {
                "type": "guard",
                "action": event.action,
                "category": event.category,
                "rule": event.rule,
                "text": event.text,
            }
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


def tell_progress(progress: Progress) -> None:
    """Print what is being done; of shares, each tenth."""
    if progress.share is None:
        print(progress.text, file=sys.stderr)
    elif round(100 * progress.share) % 10 == 0:
        print(f"{progress.text} {percent(progress.share, digits=0)}", file=sys.stderr)
