"""Start-up: the commands exist, and the one without a window loads nothing of windows."""

import importlib.metadata
import json
import subprocess
import sys

ASK = """
import json, sys
from qhub_desktop.app import command_line

sys.argv = ["qhub", "ask", "--engine", "offline", "--json", "quantos defeitos?"]
code = command_line()
print(json.dumps([code, sorted(sys.modules)]))
"""


def test_both_commands_lead_to_a_function() -> None:
    commands = importlib.metadata.distribution("qhub-desktop").entry_points

    assert {command.name for command in commands} == {"qhub", "qhub-desktop"}
    assert all(callable(command.load()) for command in commands)


def test_an_answer_on_the_command_line_needs_no_window_and_no_model() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ASK], stdout=subprocess.PIPE, check=True, encoding="utf-8"
    )

    code, modules = json.loads(ended.stdout.splitlines()[-1])
    assert code == 0
    packages = {module.partition(".")[0] for module in modules}
    assert packages.isdisjoint({"PySide6", "shiboken6", "pyqtgraph", "qasync"})
    assert packages.isdisjoint({"anthropic", "pandas"})
