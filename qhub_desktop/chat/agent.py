"""What an agent is: a role with a prompt, the tools it may use, and questions to begin with."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import Language
from qhub_desktop.core.text import gettext as _


@dataclass(frozen=True, slots=True)
class Agent:
    """A named assistant."""

    id: str
    name: str
    summary: dict[Language, str]
    icon: Path
    prompt: str
    tools: tuple[str, ...]
    starters: dict[Language, tuple[str, ...]]


def load_agents(folder: Path) -> dict[str, Agent]:
    """Every agent that ships: a folder each, with agent.toml, prompt.md and icon.svg."""
    agents = [_load(each) for each in sorted(folder.iterdir()) if (each / "agent.toml").is_file()]
    return {agent.id: agent for agent in sorted(agents, key=lambda agent: agent.id != "qualidade")}


def _load(folder: Path) -> Agent:
    try:
        declared = tomllib.loads((folder / "agent.toml").read_text(encoding="utf-8"))
        return Agent(
            id=folder.name,
            name=declared["name"],
            summary=declared["summary"],
            icon=folder / "icon.svg",
            prompt=(folder / "prompt.md").read_text(encoding="utf-8").strip(),
            tools=tuple(declared["tools"]),
            starters={spoken: tuple(asked) for spoken, asked in declared["starters"].items()},
        )
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise UserError(
            _(
                "The files of the agent '{name}' are damaged ({reason}). Install the program again."
            ).format(name=folder.name, reason=error)
        ) from error
