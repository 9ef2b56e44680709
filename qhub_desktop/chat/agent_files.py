"""Agents as folders and as JSON: how one is read, checked and written.

A folder holds `agent.toml`, `prompt.md` and `icon.svg`, as those under `resources/agents/`. What
comes from outside is checked whole: a word that is taken for another may open what was closed.
"""

# Why it is so: decisions/agents.md

from __future__ import annotations  # the public functions come first

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast, get_args
from xml.parsers import expat

from qhub_desktop.chat.agents import FIRST_AGENT, LIMITS, Agent, Rule
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.events import Privacy
from qhub_desktop.core.paths import persons_umask, write_file
from qhub_desktop.core.settings import LanguageChoice, Settings
from qhub_desktop.core.text import Language, is_device_name
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize, visible
from qhub_desktop.core.untrusted_files import decoded, parse_toml, read_regular

Word = TypeVar("Word", bound=str)
Value = TypeVar("Value")

TOML, PROMPT, ICON = "agent.toml", "prompt.md", "icon.svg"
LONGEST_ID = 40
LONGEST_NAME = 60
LONGEST_LINE = 300  # of a summary, and of a question
LONGEST_PROMPT = 50_000
MOST_STARTERS = 10
MOST_TOOLS = 200
LARGEST_ICON = 20_000
LARGEST_FILE = 400_000  # bytes
_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_KEYS = {
    *("id", "name", "summary", "icon", "prompt", "tools", "starters", "rules", "confirm"),
    *("privacy", "model", "limits"),
}


def agent_ids(folder: Path) -> list[str]:
    """List the agents that ship, by the names of their folders; Qualidade is the first."""
    return in_order(each.name for each in folder.iterdir() if (each / TOML).is_file())


def in_order(ids: Iterable[str]) -> list[str]:
    """Return the ids of agents in the order in which they are listed everywhere."""
    return sorted(ids, key=lambda agent: (agent != FIRST_AGENT, agent))


def load_agents(folder: Path) -> dict[str, Agent]:
    """Load the agents that ship. Raises UserError for malformed files."""
    found: dict[str, Agent] = {}
    for id_ in agent_ids(folder):
        try:
            found[id_] = read_folder(folder / id_, id_=id_)
        except UserError as error:
            unread = _(
                "The agent '{name}', which is part of the program, cannot be read ({reason})."
                " Install the program again."
            )
            raise UserError(unread.format(name=id_, reason=error)) from error
    return found


def read_folder(folder: Path, *, id_: str = "") -> Agent:
    """Read an agent; without an id, the one that it names itself, or the folder's name.

    Raises UserError, with what is wrong, for a folder that holds none.
    """
    if not os.path.lexists(folder / TOML):
        raise UserError(
            _(
                "There is no agent in {folder}: it has no file agent.toml. Choose the folder that"
                " has it."
            ).format(folder=folder)
        )
    content = _read_part(folder, TOML, parse_toml)
    content["prompt"] = _read_part(folder, PROMPT, decoded)
    icon = folder / ICON
    content["icon"] = _read_part(folder, ICON, decoded) if os.path.lexists(icon) else ""
    return agent_from(id_ or content.get("id") or folder.name, content)


def _read_part(folder: Path, name: str, read: Callable[[bytes], Value]) -> Value:
    """Read a file of an agent's folder, not through a link: a link may lead anywhere."""
    try:
        return read(read_regular(folder / name, most_bytes=LARGEST_FILE, follows_links=False))
    except (OSError, ValueError) as error:
        raise UserError(
            _("The agent in {folder} cannot be read: {name}: {reason}.").format(
                folder=folder, name=name, reason=reason_of(error)
            )
        ) from error


def write_folder(agent: Agent, folder: Path) -> None:
    """Write an agent as a folder, made if needed. Raises OSError."""
    with persons_umask():
        folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / TOML, toml_of(agent).encode())
    write_file(folder / PROMPT, f"{agent.prompt}\n".encode())
    if agent.icon:
        write_file(folder / ICON, f"{agent.icon}\n".encode())
    else:
        (folder / ICON).unlink(missing_ok=True)


def toml_of(agent: Agent) -> str:
    """Write all of an agent but its prompt and its icon."""
    content = content_of(agent)
    lines = [f"id = {_quoted(agent.id)}"]
    lines += [f"{name} = {_quoted(content[name])}" for name in ("name", "privacy", "model")]
    if agent.tools is not None:
        lines.append(f"tools = {_quoted(list(agent.tools))}")
    for name in ("summary", "starters", "rules", "limits"):
        table = content[name]
        assert isinstance(table, dict)
        if table:
            lines += ["", f"[{name}]"]
            lines += [f"{_key(key)} = {_quoted(value)}" for key, value in table.items()]
    return "\n".join([*lines, ""])


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _quoted(name)


def _quoted(value: object) -> str:
    """Write a text, a number or a list of texts in TOML: one text a line."""
    if isinstance(value, list):
        inside = "".join(f"    {_quoted(each)},\n" for each in value)
        return f"[\n{inside}]" if value else "[]"
    # A basic string of TOML escapes as JSON does, and DEL besides, which sanitised text has not.
    return json.dumps(value, ensure_ascii=False)


def content_of(agent: Agent) -> JsonObject:
    """Return all of an agent but its id, as JSON."""
    return {
        "name": agent.name,
        "summary": {**agent.summary},
        "icon": agent.icon,
        "prompt": agent.prompt,
        "tools": None if agent.tools is None else [*agent.tools],
        "starters": {spoken: [*asked] for spoken, asked in agent.starters.items()},
        "rules": {**agent.rules},
        "privacy": agent.privacy,
        "model": agent.model,
        "limits": {**agent.limits},
    }


def agent_from(id_: object, content: Mapping[str, Any]) -> Agent:
    """Make an agent of what was written, every value checked.

    Raises UserError with what is wrong, and where.
    """
    if unknown := content.keys() - _KEYS:
        raise UserError(
            _("'{name}' is nothing that an agent has.").format(name=_shown(min(unknown)))
        )
    asking = _texts("confirm", content.get("confirm") or [], most=MOST_TOOLS)
    rules = {
        **dict.fromkeys(asking, "ask"),
        **{
            name: _word(f"rules.{name}", rule, get_args(Rule))
            for name, rule in _table("rules", content.get("rules") or {}).items()
        },
    }
    tools = content.get("tools")
    return Agent(
        id=_id(id_),
        name=_line("name", content.get("name"), most=LONGEST_NAME),
        summary=_by_language("summary", content.get("summary"), _optional_line, ""),
        icon=checked_icon(content.get("icon") or ""),
        prompt=_prompt(content.get("prompt")),
        tools=None if tools is None else _texts("tools", tools, most=MOST_TOOLS),
        starters=_by_language("starters", content.get("starters"), _texts, ()),
        rules=cast("Mapping[str, Rule]", rules),
        privacy=_word("privacy", content.get("privacy", "rows"), get_args(Privacy)),
        model=_line("model", content.get("model") or "", is_needed=False),
        limits=_limits(content.get("limits") or {}),
    )


def _shown(written: object) -> str:
    text = visible(sanitize(str(written)))
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"


def _wrong(field: str, reason: str) -> UserError:
    return UserError(_("{field}: {reason}.").format(field=_shown(field), reason=reason))


def _id(written: object) -> str:
    id_ = str(written)
    if not _ID.fullmatch(id_) or len(id_) > LONGEST_ID or is_device_name(id_):
        raise UserError(
            _(
                "'{name}' cannot be the short name of an agent. Use small letters without accents,"
                " digits, - and _ alone, {most} at most."
            ).format(name=_shown(id_), most=LONGEST_ID)
        )
    return id_


def _line(field: str, written: object, *, most: int = LONGEST_LINE, is_needed: bool = True) -> str:
    if not isinstance(written, str):
        raise _wrong(field, _("a text is missing here"))
    line = " ".join(sanitize(written).split())
    if not line and is_needed:
        raise _wrong(field, _("a text is missing here"))
    if len(line) > most:
        raise _wrong(field, _("{most} characters at most").format(most=most))
    if visible(line) != line or any(unicodedata.category(each) == "Cc" for each in line):
        raise _wrong(field, _("a character that cannot be shown"))
    return line


def _optional_line(field: str, written: object) -> str:
    return _line(field, written, is_needed=False)


def _prompt(written: object) -> str:
    if not isinstance(written, str) or not written.strip():
        raise _wrong("prompt", _("a text is missing here"))
    prompt = "\n".join(visible(sanitize(written)).strip().splitlines())
    if len(prompt) > LONGEST_PROMPT:
        raise _wrong("prompt", _("{most} characters at most").format(most=LONGEST_PROMPT))
    return prompt


def _texts(field: str, written: object, *, most: int = MOST_STARTERS) -> tuple[str, ...]:
    if not isinstance(written, (list, tuple)):
        raise _wrong(field, _("a list of texts is expected"))
    if len(written) > most:
        raise _wrong(field, _("{most} at most").format(most=most))
    return tuple(_line(field, each) for each in cast("Sequence[object]", written))


def _table(field: str, written: object) -> dict[str, object]:
    if not isinstance(written, dict):
        raise _wrong(field, _("a table of names and values is expected"))
    return {_line(field, name): value for name, value in written.items()}


def _by_language(
    field: str, written: object, read: Callable[[str, object], Value], nothing: Value
) -> dict[Language, Value]:
    """Read a value for each language; one that is not written is that of the other."""
    table = _table(field, written or {})
    spoken: tuple[Language, ...] = get_args(LanguageChoice)
    for each in table:
        if not _LANGUAGE.fullmatch(each):
            raise _wrong(field, _("'{name}' is no language").format(name=_shown(each)))
    values = {each: read(f"{field}.{each}", value) for each, value in table.items()}
    other = next(iter(values.values()), nothing)
    return {each: values.get(each, other) for each in (*spoken, *(values.keys() - {*spoken}))}


def _word(field: str, written: object, words: tuple[Word, ...]) -> Word:
    for each in words:
        if written == each:
            return each
    reason = _("one of {words} is expected, not '{written}'")
    raise _wrong(field, reason.format(words=", ".join(words), written=_shown(written)))


def _limits(written: object) -> dict[str, int]:
    limits = _table("limits", written)
    for name, value in limits.items():
        if name not in LIMITS:
            raise _wrong("limits", _("there is no limit '{name}'").format(name=_shown(name)))
        if not isinstance(value, int):
            raise _wrong(f"limits.{name}", _("a whole number is expected"))
    numbers = cast("dict[str, int]", limits)
    Settings(**cast("dict[str, Any]", numbers))  # raises UserError for one out of bounds
    return {name: numbers[name] for name in LIMITS if name in numbers}


# What a line icon is made of. Everything else an SVG may hold either reaches out (image, use, a
# style sheet), runs (script, animations) or can keep a renderer busy for minutes (filters, dashes).
_SVG = "http://www.w3.org/2000/svg"
_SHAPES = re.compile(
    """svg|g|path|circle|ellipse|rect|line|polyline|polygon|title|desc|defs|stop
    |linearGradient|radialGradient""",
    re.VERBOSE,
)
_ATTRIBUTES = re.compile(
    """id|class|version|role|aria-hidden|aria-label|viewBox|preserveAspectRatio|width|height
    |[xyr]|[xy][12]|[crf][xy]|d|points|transform|color|opacity|clip-rule|offset
    |fill(-rule|-opacity)?|stroke(-width|-linecap|-linejoin|-miterlimit|-opacity)?
    |stop-(color|opacity)|gradient(Units|Transform)""",
    re.VERBOSE,
)
_REFERENCE = re.compile(r"url\(\s*#[\w-]+\s*\)")
MOST_SHAPES = 500
DEEPEST = 20  # shapes inside each other


def checked_icon(written: object) -> str:
    """Return the SVG of an icon, made of shapes alone; "" for none.

    Raises UserError for anything else.
    """
    if not isinstance(written, str):
        raise _wrong("icon", _("a text is missing here"))
    svg = sanitize(written).strip().removeprefix("\ufeff")
    if not svg:
        return ""
    if len(svg.encode()) > LARGEST_ICON:
        raise _icon_error(_("it has more than {most} bytes").format(most=LARGEST_ICON))
    reading = _IconReading()
    try:
        reading.parser.Parse(svg.encode(), True)  # noqa: FBT003  expat's own: this is the end
    except expat.ExpatError as error:
        raise _icon_error(_("it is no SVG ({reason})").format(reason=error)) from error
    return svg


def _icon_error(reason: str) -> UserError:
    return UserError(
        _("This icon cannot be used: {reason}. Draw it with plain shapes.").format(reason=reason)
    )


class _IconReading:
    """Looks at every element of an SVG; expat fetches nothing, and declarations are refused."""

    def __init__(self) -> None:
        self._depth = 0
        self._count = 0
        self.parser = expat.ParserCreate("UTF-8", " ")
        self.parser.StartElementHandler = self._on_element
        self.parser.EndElementHandler = self._on_end
        self.parser.StartDoctypeDeclHandler = self._on_declaration
        self.parser.ProcessingInstructionHandler = self._on_declaration

    def _on_element(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        element = name.removeprefix(f"{_SVG} ")
        if not _SHAPES.fullmatch(element) or (self._count == 1) != (element == "svg"):
            raise _icon_error(_("it has '{name}'").format(name=_shown(element.split(" ")[-1])))
        if self._depth > DEEPEST or self._count > MOST_SHAPES:
            raise _icon_error(_("it has too many parts"))
        for attribute, value in attributes.items():
            is_outside = "url" in value.lower() and not _REFERENCE.fullmatch(value.strip())
            if not _ATTRIBUTES.fullmatch(attribute) or is_outside:
                shown = _shown(attribute.split(" ")[-1])
                raise _icon_error(_("it has '{name}'").format(name=shown))

    def _on_end(self, _name: str) -> None:
        self._depth -= 1

    def _on_declaration(self, *_told: object) -> None:
        raise _icon_error(_("it has declarations of its own"))
