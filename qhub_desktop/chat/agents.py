"""Agents: their prompt, tools and starter questions, and the system prompt made of them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from qhub_desktop.chat.privacy import LEAST_GROUP
from qhub_desktop.core.codec import plain
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import Privacy
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import Language
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, quoted_name

if TYPE_CHECKING:
    from qhub_desktop.core.tool import Tool  # it loads pydantic, which a list of agents can spare

FIRST_AGENT = "qualidade"  # where they are listed
DEFAULT_AGENT = "analise"  # on the command line


@dataclass(frozen=True, slots=True)
class Agent:
    """A named assistant.

    `tools` are names of tools and of their categories; with `None` it has the tools that are
    declared for it. `confirm` are names of tools that ask the person first, whatever their risk.
    `privacy` is what may leave for a service: rows, as far as the settings let them; only
    aggregates; or nothing, so that the offline engine answers.
    """

    id: str
    name: str
    summary: dict[Language, str]
    icon: Path
    prompt: str
    tools: tuple[str, ...] | None
    starters: dict[Language, tuple[str, ...]]
    confirm: tuple[str, ...] = ()
    privacy: Privacy = "rows"

    def asks_first(self, tool: Tool, settings: Settings) -> bool:
        """Return whether the person is asked before it runs this tool."""
        is_asked_code = bool(tool.declared.code) and settings.python == "ask"
        return tool.needs_approval or is_asked_code or tool.spec.name in self.confirm

    def tools_of(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Return the tools it may use, of those that exist."""
        if self.tools is None:
            return {
                name: tool
                for name, tool in tools.items()
                if tool.declared.agents is None or self.id in tool.declared.agents
            }
        return {
            name: tool
            for chosen in self.tools
            for name, tool in tools.items()
            if chosen in (name, tool.declared.category)
        }


def agent_ids(folder: Path) -> list[str]:
    """List the agents that ship, by the names of their folders; Qualidade is the first."""
    found = [each.name for each in folder.iterdir() if (each / "agent.toml").is_file()]
    return sorted(found, key=lambda agent: (agent != FIRST_AGENT, agent))


def load_agents(folder: Path) -> dict[str, Agent]:
    """Load the agents that ship: a folder each, with agent.toml, prompt.md and icon.svg.

    Raises UserError for files that are damaged.
    """
    return {agent: _load(folder / agent) for agent in agent_ids(folder)}


def _load(folder: Path) -> Agent:
    try:
        declared = tomllib.loads((folder / "agent.toml").read_text(encoding="utf-8"))
        return Agent(
            id=folder.name,
            name=declared["name"],
            summary=declared["summary"],
            icon=folder / "icon.svg",
            prompt=(folder / "prompt.md").read_text(encoding="utf-8").strip(),
            tools=tuple(declared["tools"]) if "tools" in declared else None,
            starters={spoken: tuple(asked) for spoken, asked in declared["starters"].items()},
            confirm=tuple(declared.get("confirm", ())),
            privacy=_privacy(declared.get("privacy", "rows")),
        )
    except (OSError, KeyError, ValueError) as error:  # ValueError: no TOML, or not in UTF-8
        raise UserError(
            _(
                "The files of the agent '{name}' are damaged ({reason}). Install the program again."
            ).format(name=folder.name, reason=error)
        ) from error


def _privacy(written: object) -> Privacy:
    """Check a privacy. Raises ValueError for a word that is none: taken for another, it may open
    what was to be closed.
    """
    for each in get_args(Privacy):
        if written == each:
            return cast("Privacy", each)
    raise ValueError(f"privacy = {written!r}")


CATEGORY_COLUMNS = 5  # how many columns of categories have their values told


def describe(
    profiles: Iterable[DatasetProfile], settings: Settings, privacy: Privacy = "rows"
) -> str:
    """Describe the pinned data sets to a model; rows only as far as the person allowed, and what
    stands in few of them only as far as the agent's privacy does.
    """
    parts = [_describe(profile, settings, privacy) for profile in profiles]
    if not parts:
        return "Não há conjuntos de dados nesta conversa."
    return "# Conjuntos de dados desta conversa\n\n" + "\n\n".join(parts)


def _describe(profile: DatasetProfile, settings: Settings, privacy: Privacy) -> str:
    has_rows = privacy == "rows"
    name = one_line(profile.dataset)
    sheet = f", folha {quoted_name(profile.sheet)}" if profile.sheet else ""
    size = f"{profile.rows} linhas, {len(profile.columns)} colunas"
    lines = [
        f"## `{name}`",
        f"Ficheiro {quoted_name(profile.file)}{sheet}; {size}. Em SQL: FROM {name}",
        "",
        "| coluna | tipo | em falta | mínimo | máximo | média | desvio padrão |",
        "|---|---|---|---|---|---|---|",
        *(_row(column, profile.rows, has_range=has_rows) for column in profile.columns),
    ]
    # Free text and the warnings may quote what somebody wrote in a row: they stay here.
    categories = [column for column in profile.columns if column.type == "category"]
    for column in categories[:CATEGORY_COLUMNS] if settings.top_values else []:
        least = 1 if has_rows else LEAST_GROUP
        top = [each for each in column.top[: settings.top_values] if each[1] >= least]
        told = ", ".join(f"{_plain(value)} ({count})" for value, count in top)
        lines.append(f"- {_name(column.name)}: {column.distinct} valores; mais frequentes: {told}")
    if rows := profile.preview.rows[: settings.rows_sent if has_rows else 0]:
        lines.append("Primeiras linhas:")
        lines.append(" | ".join(_name(name) for name in profile.preview.names))
        lines.extend(" | ".join(_plain(value) for value in row) for row in rows)
    return "\n".join(lines)


def _row(column: ColumnProfile, rows: int, *, has_range: bool) -> str:
    """Describe a column; its least and its greatest value each stand in a row of their own."""
    ends = (column.min, column.max) if has_range else (None, None)
    figures: tuple[object, ...] = (*ends, None, None)
    is_many = rows - column.missing >= LEAST_GROUP and column.distinct > 1
    if is_numeric(column.type) and (has_range or is_many):
        figures = (*ends, _short(column.mean), _short(column.std))
    elif column.type in ("text", "category"):
        figures = (None, None, None, None)
    cells = " | ".join(_plain(figure) for figure in figures)
    return f"| {_name(column.name)} | {column.type} | {column.missing} | {cells} |"


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"


def _name(column: str) -> str:
    return quoted_name(column).replace("|", "\\|")


def _plain(value: object) -> str:
    """Write a value on one line of a Markdown table, whatever is in it."""
    text = "" if value is None else str(plain(value))
    return one_line(text).replace("|", "\\|")
