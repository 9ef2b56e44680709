"""Conversations to files and back: Markdown and PDF to be read, JSON to be taken in again.

A JSON file is from outside, whoever wrote it: every value of it is checked against the types that
messages are made of, every text is made clean, and nothing that is there is replaced by it.
"""

# Why it is so: decisions/conversations.md

from __future__ import annotations  # the public class comes first

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json, JsonObject, check_types
from qhub_desktop.core.dashboard import ADDRESS
from qhub_desktop.core.errors import UserError, unreadable
from qhub_desktop.core.figure import Band, Bars, Cells, Line, Points, Slices
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Block, EndReason, Message, Reasoning, unpack_block
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import DashboardLink
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import clean_json, one_line
from qhub_desktop.core.untrusted_files import parse_json, read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.export.output import atomic_write, check_writable, os_errors_as_user_errors
from qhub_desktop.store import Store
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.datasets import Pin
from qhub_desktop.tools.conversation_document import LONGEST_TITLE, markdown_of, page_of

if TYPE_CHECKING:
    from qhub_desktop.tools.agent_catalogue import AgentCatalogue
    from qhub_desktop.tools.page_printer import Printer

FORMAT, VERSION = "qhub-conversation", 1
SUFFIXES = (".md", ".json", ".pdf")
LARGEST_BYTES = 64_000_000
MOST_MESSAGES = 20_000
LONGEST_NAME = 200
WHOLE = 1_000_000  # more messages than any conversation has
_DATASET_ID = re.compile(r"[0-9a-f]{8,64}-\d{1,6}(?:\.\d{1,6})?")
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


class ConversationFiles:
    """Exporter and importer of conversations. Owns the thread that writes until closed."""

    def __init__(self, store: Store, catalogue: AgentCatalogue, *, printer: Printer) -> None:
        self._store = store
        self._catalogue = catalogue
        self._printer = printer
        self._worker = Worker("conversation files")

    def close(self) -> None:
        """Shut down the thread."""
        self._worker.close()

    async def export(self, id_: ConversationId, target: Path) -> Conversation:
        """Write a conversation, in the format of the target's suffix.

        An existing file is replaced only by a complete one. Raises UserError if the conversation or
        the suffix is unknown, or the file cannot be written.
        """
        suffix = target.suffix.lower()
        if suffix not in SUFFIXES:
            raise UserError(
                _("{name} cannot be written. Choose a name that ends in {suffixes}.").format(
                    name=target.name, suffixes=", ".join(SUFFIXES)
                )
            )
        check_writable(target)
        conversation = await self._store.conversations.find(id_)
        messages = await self._store.messages.latest(id_, limit=WHOLE)
        agent = self._catalogue.agents.get(conversation.agent)
        name = agent.name if agent is not None else conversation.agent
        if suffix == ".pdf":
            page = await self._worker.run(
                lambda: page_of(conversation, messages, agent=name, tools=self._catalogue.tools)
            )
            with os_errors_as_user_errors(target), scratch_folder() as folder:
                made = folder / "made.pdf"
                await self._printer(page, made)
                await self._worker.run(_put, made, target)
        else:
            pins = await self._store.datasets.pinned(id_, include_unused=True)

            def write() -> None:
                if suffix == ".json":
                    text = json_of(conversation, messages, pins)
                else:
                    lines = markdown_of(
                        conversation, messages, agent=name, tools=self._catalogue.tools
                    )
                    text = "\n".join([*lines, ""])
                _write(text, target)

            await self._worker.run(write)
        detail: JsonObject = {"file": target.name}
        await self._store.audit.add("export", f"conversation {id_}", detail)
        return conversation

    async def import_file(self, path: Path) -> ImportedConversation:
        """Take in a conversation that was exported as JSON, as a new one.

        With an agent that is not there, it goes to the first that is; data sets that are not the
        person's are left out. Raises UserError, and stores nothing, if the file cannot be read or
        is not a conversation.
        """
        read = await self._worker.run(read_file, path)
        agents = self._catalogue.agents
        agent = read.agent if read.agent in agents else next(iter(agents), DEFAULT_AGENT)
        id_ = await self._store.messages.add_conversation(
            agent,
            title=read.title,
            created=read.created,
            updated=read.updated,
            is_pinned=read.is_pinned,
            is_archived=read.is_archived,
            messages=read.messages,
            pins=read.pins,
        )
        kept = await self._store.datasets.pinned(id_, include_unused=True)
        left_out = [pin.name for pin in read.pins if pin not in kept]
        return ImportedConversation(await self._store.conversations.find(id_), tuple(left_out))


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation that was taken in; `left_out` are data sets of the file that are not in it."""

    conversation: Conversation
    left_out: tuple[str, ...]

    @property
    def notice(self) -> str:
        """Sentence on what was left out, "" where nothing was."""
        if not self.left_out:
            return ""
        return _(
            "Without the data sets {names}: they are not yours here. Drop their files on the"
            " conversation to ask about them."
        ).format(names=", ".join(map(one_line, self.left_out)))


@dataclass(frozen=True, slots=True)
class ReadConversation:
    """A conversation as a file has it, every value of it checked."""

    agent: str
    title: str
    created: datetime
    updated: datetime
    is_pinned: bool
    is_archived: bool
    messages: tuple[Message, ...]
    pins: tuple[Pin, ...]


def json_of(conversation: Conversation, messages: Sequence[Message], pins: Sequence[Pin]) -> str:
    """Write a conversation as JSON with all that it holds; `read_file` reads it."""
    whole: JsonObject = {
        "format": FORMAT,
        "version": VERSION,
        "form": codec.VERSION,
        "conversation": {
            "id": conversation.id,
            "agent": conversation.agent,
            "title": conversation.title,
            "created": _moment(conversation.created),
            "updated": _moment(conversation.updated),
            "is_pinned": conversation.is_pinned,
            "is_archived": conversation.is_archived,
        },
        "data_sets": [
            {"id": pin.dataset_id, "name": pin.name, "is_used": pin.is_used} for pin in pins
        ],
        "messages": [
            {
                "id": message.id,
                "role": message.role,
                "created": _moment(message.created),
                "engine": message.engine,
                "end": message.end,
                "rating": message.rating,
                "blocks": [codec.pack(block) for block in message.blocks],
            }
            for message in messages
        ],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def read_file(path: Path) -> ReadConversation:
    """Read an exported conversation, every value of it checked. Raises UserError."""
    try:
        return _read(clean_json(parse_json(read_regular(path, most_bytes=LARGEST_BYTES))))
    except _NewerError as error:
        raise UserError(
            _(
                "{name} was written by a newer version of QHub. Install that version here too."
            ).format(name=path.name)
        ) from error
    except OSError as error:
        raise unreadable(error, path) from error
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise _refused(path, one_line(str(error)) or type(error).__name__) from error


class _NewerError(Exception):
    """A file of a later version."""


def _refused(path: Path, reason: str) -> UserError:
    return UserError(
        _(
            "{name} is not a conversation that QHub has exported ({reason}). Nothing was taken in:"
            " choose a .json file that was saved with Export."
        ).format(name=path.name, reason=reason)
    )


def _read(data: Json) -> ReadConversation:
    whole = _object(data)
    if whole.get("format") != FORMAT:
        raise ValueError("another format")
    if _of(int, whole["version"]) > VERSION or _of(int, whole["form"]) > codec.VERSION:
        raise _NewerError
    about = _object(whole["conversation"])
    listed = _list(whole["messages"])
    if len(listed) > MOST_MESSAGES:
        raise ValueError(f"more than {MOST_MESSAGES} messages")
    pins = tuple(_read_pin(each) for each in _list(whole["data_sets"]))
    if len({pin.dataset_id for pin in pins}) < len(pins) or len(
        {pin.name.casefold() for pin in pins}
    ) < len(pins):
        raise ValueError("a data set twice")
    return ReadConversation(
        agent=one_line(_of(str, about["agent"])),
        title=" ".join(_of(str, about["title"]).split())[:LONGEST_TITLE],
        created=_read_moment(about["created"]),
        updated=_read_moment(about["updated"]),
        is_pinned=_of(bool, about["is_pinned"]),
        is_archived=_of(bool, about["is_archived"]),
        messages=tuple(_read_message(each) for each in listed),
        pins=pins,
    )


def _read_pin(data: Json) -> Pin:
    fields_ = _object(data)
    id_, name = _of(str, fields_["id"]), _of(str, fields_["name"])
    # It names a folder.
    if not _DATASET_ID.fullmatch(id_) or not name.strip() or name != one_line(name):
        raise ValueError(_("the name of a data set"))
    return Pin(id_, name, _of(bool, fields_["is_used"]))


def _read_message(data: Json) -> Message:
    said = _object(data)
    blocks = tuple(_read_block(each) for each in _list(said["blocks"]))
    return Message(
        id=MessageId(0),
        role=_of(Literal["user", "assistant"], said["role"]),
        blocks=blocks,
        created=_read_moment(said["created"]),
        engine=one_line(_of(str, said["engine"]), most=LONGEST_NAME),
        end=_of(EndReason | None, said["end"]),
        rating=_of(Literal[-1, 0, 1], said["rating"]),
    )


def _read_block(data: Json) -> Block:
    block = unpack_block(_object(data))
    if isinstance(block, Reasoning):
        raise TypeError("a block of a kind that is never stored")
    check_types(type(block), block, also=_check_value)
    return block


def _read_moment(data: Json) -> datetime:
    found = datetime.fromisoformat(_of(str, data))
    if found.tzinfo is None or not _FIRST <= found <= _LAST:
        raise ValueError("a moment without a zone, or out of bounds")
    return found


def _object(data: Json) -> JsonObject:
    if not isinstance(data, dict):
        raise TypeError("an object was expected")
    return data


def _list(data: Json) -> list[Json]:
    if not isinstance(data, list):
        raise TypeError("a list was expected")
    return data


def _of(kind: Any, data: Json) -> Any:
    check_types(kind, data, also=_check_value)
    return data


def _check_value(value: object) -> None:
    """Raise TypeError for what no type can tell: charts and tables of different lengths."""
    match value:
        case Table(columns, rows):
            _check_equal(len(columns), *map(len, rows))
        case Line(x=x, y=y) | Points(x=x, y=y):
            _check_equal(len(x), len(y))
        case Bars(at=at, start=start, end=end, labels=labels):
            _check_equal(len(at), len(start), len(end), len(labels) or len(at))
        case Band(x=x, lower=lower, upper=upper):
            _check_equal(len(x), len(lower), len(upper))
        case Cells(values=values, labels=labels):
            _check_equal(*map(len, values))
            if labels:
                _check_equal(len(values), len(labels))
                _check_equal(*map(len, [*values, *labels]))
        case Slices(names=names, values=values, labels=labels):
            _check_equal(len(names), len(values), len(labels) or len(names))
        case DashboardLink(url=url):
            if not re.fullmatch(rf"{re.escape(ADDRESS)}[0-9a-f]{{12}}", url):
                raise TypeError("the address of a dashboard was expected")
        case int() if abs(value) >= 2**63:
            raise TypeError("a number that is too large")
        case _:
            pass


def _check_equal(*lengths: int) -> None:
    if any(one != other for one, other in pairwise(lengths)):
        raise TypeError("lists of one length were expected")


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _write(text: str, target: Path) -> None:
    with os_errors_as_user_errors(target), atomic_write(target) as draft:
        draft.write_text(text, encoding="utf-8", errors="replace", newline="\n")


def _put(made: Path, target: Path) -> None:
    with atomic_write(target) as draft:
        draft.write_bytes(made.read_bytes())
