"""Agents: their prompt, tools and starter questions, and the system prompt made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from qhub_desktop.chat.privacy import LEAST_GROUP
from qhub_desktop.core.codec import plain
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.events import Privacy
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import Language
from qhub_desktop.core.untrusted import one_line, quoted_name
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from qhub_desktop.core.tool import Tool  # it loads pydantic, which a list of agents can spare

FIRST_AGENT = "qualidade"  # where they are listed
DEFAULT_AGENT = "analise"  # on the command line

Rule = Literal["always", "ask", "never"]
LIMITS = ("rounds", "answer_tokens", "history_messages", "result_characters")  # of the settings


@dataclass(frozen=True, slots=True)
class Agent:
    """A named assistant.

    `icon` is SVG, or nothing. `tools` are names of tools and of their categories; with `None` it
    has the tools that are declared for it. `rules` say of single tools, by name, that they run at
    once, ask the person first, or are not there for it, and go before `tools`. `privacy` is what
    may leave for a service: rows, as far as the settings let them; only aggregates; or nothing, so
    that the offline engine answers. `model` and `limits` stand in for the settings of these names.
    """

    id: str
    name: str
    summary: Mapping[Language, str]
    icon: str
    prompt: str
    tools: tuple[str, ...] | None
    starters: Mapping[Language, tuple[str, ...]]
    rules: Mapping[str, Rule] = field(default_factory=dict)
    privacy: Privacy = "rows"
    model: str = ""
    limits: Mapping[str, int] = field(default_factory=dict)

    def rule_of(self, tool: Tool) -> Rule:
        """Return how it may use a tool. What writes or goes out asks first, whatever is written."""
        rule = self.rules.get(tool.spec.name) or self.given_rule(tool)
        return "ask" if rule == "always" and tool.needs_approval else rule

    def given_rule(self, tool: Tool) -> Rule:
        """Return the rule of a tool for which none is written."""
        declared = tool.declared
        if self.tools is None:
            has_it = declared.agents is None or self.id in declared.agents
        else:
            has_it = tool.spec.name in self.tools or declared.category in self.tools
        return "never" if not has_it else "ask" if tool.needs_approval else "always"

    def asks_first(self, tool: Tool, settings: Settings) -> bool:
        """Return whether the person is asked before it runs this tool."""
        is_asked_code = bool(tool.declared.code) and settings.python == "ask"
        return is_asked_code or self.rule_of(tool) == "ask"

    def tools_of(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Return the tools it may use, of those that exist: first those that it lists.

        Where only aggregates may leave, what gives them comes with any tool that gives rows.
        """
        listed = {
            name: tool
            for chosen in self.tools or ()
            for name, tool in tools.items()
            if chosen in (name, tool.declared.category)
        }
        ordered = {**listed, **tools}
        used = {
            name: tool
            for name, tool in ordered.items()
            if tool.spec.gives != "aggregates" and self.rule_of(tool) != "never"
        }
        if self.privacy == "aggregates" and any(
            each.spec.gives == "rows" for each in used.values()
        ):
            used |= {
                name: tool
                for name, tool in ordered.items()
                if tool.spec.gives == "aggregates" and self.rules.get(name) != "never"
            }
        return used

    def settings_for(self, settings: Settings, fixed: Collection[str] = ()) -> Settings:
        """Return the settings with its own model and limits, but for those that are fixed."""
        own: dict[str, Any] = {**self.limits}
        if self.model:
            own["model"] = self.model
        return replace(settings, **{name: own[name] for name in own if name not in fixed})


CATEGORY_COLUMNS = 5  # how many columns of categories have their values told
_COLUMNS, _ROWS = "Colunas:", "Primeiras linhas:"  # below which they stand, a line each


def describe(
    profiles: Iterable[DatasetProfile], settings: Settings, privacy: Privacy = "rows"
) -> str:
    """Describe the pinned data sets to a model; rows only as far as the person allowed, and what
    stands in few of them only as far as the agent's privacy does.
    """
    parts = [_describe(profile, settings, privacy) for profile in profiles]
    if not parts:
        return "Não há conjuntos de dados nesta conversa."
    return "\n\n".join(["# Conjuntos de dados desta conversa", *parts])


def _describe(profile: DatasetProfile, settings: Settings, privacy: Privacy) -> str:
    if privacy != "rows":
        return _describe_closed(profile, settings)
    name = one_line(profile.dataset)
    sheet = f", folha {quoted_name(profile.sheet)}" if profile.sheet else ""
    told = [each.name for each in profile.columns if each.type == "category"][:CATEGORY_COLUMNS]
    most = settings.top_values
    lines = [
        f"## `{name}`",
        f"Ficheiro {quoted_name(profile.file)}{sheet}; {profile.rows} linhas. {_COLUMNS}",
        *(_column(each, top=most if each.name in told else 0) for each in profile.columns),
    ]
    if rows := profile.preview.rows[: settings.rows_sent]:
        lines.append(_ROWS)
        lines.append(" | ".join(_name(name) for name in profile.preview.names))
        lines.extend(" | ".join(_plain(value) for value in row) for row in rows)
    return "\n".join(lines)


def _column(column: ColumnProfile, *, top: int) -> str:
    """Describe a column, on a line."""
    told: list[str] = [column.type]
    if column.missing:
        told.append(f"{column.missing} em falta")
    if column.min is not None and column.type not in ("text", "category"):
        told.append(f"{_plain(column.min)} a {_plain(column.max)}")
    if is_numeric(column.type) and column.mean is not None:
        told.append(f"média {_short(column.mean)}, desvio padrão {_short(column.std)}")
    if values := column.top[:top]:
        most = ", ".join(f"{_plain(value)}={count}" for value, count in values)
        most_of = ", sobretudo" if column.distinct > len(values) else ":"
        told.append(f"{column.distinct} valores{most_of} {most}")
    elif top:
        told.append(f"{column.distinct} valores")
    return f"- {quoted_name(column.name)}: {', '.join(told)}"


def _describe_closed(profile: DatasetProfile, settings: Settings) -> str:
    """Describe a data set without any figure but its rows': figures are asked of `agregar`, which
    knows what was told before. Values are told that stand in many rows, of categories alone.
    """
    lines = [
        f"## `{one_line(profile.dataset)}`",
        f"{profile.rows} linhas. {_COLUMNS}",
    ]
    has_values = [each.name for each in profile.columns if each.type == "category"]
    for column in profile.columns:
        told = f"- {quoted_name(column.name)}: {column.type}"
        if column.name in has_values[:CATEGORY_COLUMNS]:
            top = column.top[: settings.top_values]
            values = [_plain(value) for value, count in top if count >= LEAST_GROUP]
            told += f", com {', '.join(values)}" if values else ""
        lines.append(told)
    return "\n".join(lines)


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"


def _name(column: str) -> str:
    return quoted_name(column).replace("|", "\\|")


def _plain(value: object) -> str:
    """Write a value on one line of a Markdown table, whatever is in it."""
    text = "" if value is None else str(plain(value))
    return one_line(text).replace("|", "\\|")


def described_in(text: str) -> tuple[int, int]:
    """Return how many columns and how many rows of data sets `describe` has told in a text."""
    columns = rows = 0
    below = ""
    for line in text.splitlines():
        if line.endswith(_COLUMNS):
            below = _COLUMNS
        elif line == _ROWS and below:
            below, rows = _ROWS, rows - 1  # their names come first
        elif not line or line.startswith("#"):
            below = ""
        else:
            columns += below == _COLUMNS
            rows += below == _ROWS
    return columns, rows
