"""Question verbs: ask an agent, and list the agents."""

import argparse
from pathlib import Path
from typing import get_args

from qhub_desktop.chat.agents import DEFAULT_AGENT, agent_ids
from qhub_desktop.cli.printing import JsonAudience, TextAudience, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, add_password_option
from qhub_desktop.cli.verbs.outbox import confirm_unencrypted_key, queue_question
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.settings import EngineChoice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language


def declare(verbs: Verbs) -> None:
    """Declare `ask` and `agents`."""
    ask = verbs.add_parser("ask", help=_("ask a question and watch the answer"))
    ask.set_defaults(run=_ask)
    ask.add_argument(
        "--agent",
        choices=agent_ids(RESOURCES / "agents"),
        help=_("who answers (default: analise)"),
    )
    ask.add_argument(
        "--engine",
        choices=get_args(EngineChoice),
        help=_("what answers (default: the setting)"),
    )
    ask.add_argument(
        "--file", action="append", type=Path, default=[], metavar="PATH", help=_("a file to load")
    )
    ask.add_argument("--sheet", metavar="NAME", help=_("only this sheet of the files"))
    ask.add_argument("--conversation", metavar="ID", help=_("go on with this conversation"))
    ask.add_argument(
        "--queue", action="store_true", help=_("let it wait for Claude until there is a network")
    )
    ask.add_argument("question", metavar="QUESTION")
    add_password_option(ask)
    add_json_option(ask)

    agents = verbs.add_parser("agents", help=_("the agents"))
    agents.set_defaults(run=_agents)
    add_json_option(agents)


async def _ask(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Answer a question; return the error message if it failed, or None."""
    services.workspace.warm()
    conversation = await _conversation(services, asked)
    if asked.json:
        print_json({"type": "conversation", "id": conversation})
    for path in asked.file:
        for profile in await services.workspace.load(
            path, sheet=asked.sheet, password=asked.password
        ):
            await services.store.datasets.pin(conversation, profile.id, profile.dataset)
    if asked.queue:
        await queue_question(services, conversation, asked)
        return None
    await confirm_unencrypted_key(services, asked)
    audience = JsonAudience() if asked.json else TextAudience()
    await services.turns.reply(conversation, asked.question, audience=audience)
    return audience.failure


async def _conversation(services: CommandServices, asked: argparse.Namespace) -> str:
    if asked.conversation is None:
        return (await services.store.conversations.create(asked.agent or DEFAULT_AGENT)).id
    found = await services.store.conversations.find(asked.conversation)
    if asked.agent not in (None, found.agent):
        raise UserError(
            _("Conversation {id} is with the agent {agent}. Leave --agent out.").format(
                id=found.id, agent=found.agent
            )
        )
    return found.id


async def _agents(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print the agents; as JSON with their tools, which take longer to load."""
    if asked.json:
        print_json(
            [
                {
                    "id": agent.id,
                    "name": agent.name,
                    "summary": agent.summary[language()],
                    "tools": list(agent.tools_of(services.tools)),
                }
                for agent in services.agents.values()
            ]
        )
        return
    for agent in services.agents.values():
        print(f"{agent.id:<12}{agent.name}: {agent.summary[language()]}")
