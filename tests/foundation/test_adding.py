"""What can be added to the program is added in one place, and works from the command line on."""

from tests.foundation.scratch import ScratchTree

TALK = '''\
"""Counting the words of a conversation."""

import argparse

from qhub_desktop.cli.desk import CommandDesk
from qhub_desktop.cli.parsing import Verbs, take_json


def declare(verbs: Verbs) -> None:
    """Declare `talk`."""
    talk = verbs.add_parser("talk", help="how much was said")
    talk.set_defaults(run=_talk)
    talk.add_argument("id", metavar="ID")
    take_json(talk)


async def _talk(desk: CommandDesk, asked: argparse.Namespace) -> None:
    messages = await desk.store.messages(asked.id, limit=10)
    print(len(messages))
'''

AGENT = """\
name = "Pintura"
tools = ["top_defeitos", "contar_defeitos"]

[summary]
pt = "A cabine de pintura"
en = "The paint shop"

[starters]
pt = ["Quantos defeitos?"]
en = ["How many defects?"]
"""

SETTING = """\
    shift_goal: int = _setting(
        12, "limits", mark("Defects in a shift at most"), lower=1, upper=100, unit="x"
    )
"""
FIELDS = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication(sys.argv)
from qhub_desktop.core.settings import Settings, about_settings, read_settings
from qhub_desktop.ui.settings.fields import SettingField
field = SettingField("shift_goal", about_settings()["shift_goal"], Settings().shift_goal)
print(field.control.text())
print(read_settings({"shift_goal": 30}).shift_goal, read_settings({"shift_goal": 3000}).shift_goal)
"""


def test_a_verb_is_added_as_a_module(scratch: ScratchTree) -> None:
    scratch.write("qhub_desktop/cli/verbs/talk.py", TALK)

    asked = scratch.qhub("ask", "--engine", "offline", "--json", "quantos defeitos?")
    told = scratch.qhub("talk", asked.conversation)

    assert (told.code, told.out) == (0, "2\n"), told.err
    assert "how much was said" in scratch.qhub("--help").out


def test_an_agent_is_added_as_a_folder(scratch: ScratchTree) -> None:
    for name, text in {
        "agent.toml": AGENT,
        "prompt.md": "Fala de pintura.",
        "icon.svg": "<svg/>",
    }.items():
        scratch.write(f"resources/agents/pintura/{name}", text)

    asked = scratch.qhub(
        "ask", "--agent", "pintura", "--engine", "offline", "--json", "top 3 defeitos"
    )
    (agents,) = scratch.qhub("agents", "--json").lines

    assert asked.code == 0, asked.err
    assert "lixo" in asked.text
    assert [each["name"] for each in agents] == ["Qualidade", "Análise", "Pintura"]
    assert agents[2]["tools"] == ["top_defeitos", "contar_defeitos"]


def test_a_setting_is_added_as_a_field(scratch: ScratchTree) -> None:
    scratch.insert_before("qhub_desktop/core/settings.py", "    question_s: float", SETTING)

    told = scratch.python(FIELDS)

    assert told.out.splitlines() == ["12", "30 12"], told.err
