"""Start-up: the commands exist, and the one without a window loads nothing of windows."""

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest

from qhub_desktop import __version__
from qhub_desktop.app import Program

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
    verbs = [name for name in modules if name.startswith("qhub_desktop.cli.verbs.")]
    assert "qhub_desktop.cli.verbs.conversations" in verbs
    assert "qhub_desktop.cli.verbs.stats" not in verbs  # it comes after its own


def test_the_program_tells_what_it_may_be_asked_and_opens_no_window() -> None:
    def told(*words: str) -> str:
        command = [sys.executable, "-m", "qhub_desktop", *words]
        ended = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, encoding="utf-8", timeout=60
        )
        return ended.stdout

    assert told("--version") == f"{__version__}\n"
    assert "--self-test" in told("--help")
    assert "--service" in told("--self-test", "-h")


PAINTED = """
import json, sys
from qhub_desktop.app import Program
from qhub_desktop.core.paths import home
from qhub_desktop.tools.first_run import first_run_due
import qhub_desktop.ui.shell.main_window, qhub_desktop.ui.shell.window_loop

first_run_due(home())
Program().services()
print(json.dumps([*sorted(sys.modules), *sorted(vars(sys.modules["PySide6.QtCore"]))]))
"""


def test_the_window_is_painted_before_what_messages_and_agents_load() -> None:
    asks = [sys.executable, "-c", PAINTED]
    subprocess.run(asks, stdout=subprocess.PIPE, check=True)  # makes the data folder

    ended = subprocess.run(asks, stdout=subprocess.PIPE, check=True, encoding="utf-8")

    modules = set(json.loads(ended.stdout.splitlines()[-1]))
    late = {"core.events", "core.message", "core.dataset", "core.figure", "chat.agents"}
    assert not modules & {"tomllib", *(f"qhub_desktop.{name}" for name in late)}
    assert not modules & {"PySide6.QtPdf", "qhub_desktop.ui.documents.viewer"}
    assert "QObject" in modules
    assert "Qt" not in modules  # the namespace, whose first use loads all enumerations


DROPPED = """
import sys
from qhub_desktop.ui.shell.file_intake import suffixes
print(".parquet" in suffixes(), "duckdb" in sys.modules)
"""


def test_a_file_that_is_dropped_is_known_by_its_suffix_without_the_database() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", DROPPED], stdout=subprocess.PIPE, check=True, encoding="utf-8"
    )

    assert ended.stdout.split() == ["True", "False"]


UNREAD = """
import linecache
import PySide6.QtCore
from qhub_desktop.ui.shell.window_loop import leave_sources_unread

leave_sources_unread()
before = len(linecache.cache)
import wave, colorsys
print(len(linecache.cache) - before)
"""


def test_the_source_of_what_is_imported_after_qt_is_not_read() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", UNREAD], stdout=subprocess.PIPE, check=True, encoding="utf-8"
    )

    assert ended.stdout.strip() == "0"


async def test_a_station_that_answers_offline_loads_nothing_of_claude(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    program = Program(engine="offline")

    await program.warm()
    is_built = "claude" in vars(program)
    await program.close()

    assert not is_built


KEYED = """
import asyncio, sys
from qhub_desktop.app import Program

async def keyed():
    program = Program(engine="claude")
    told = [await program.claude.has_key(), "anthropic" in sys.modules]
    await program.warm()
    told += [await program.claude.has_key(), program.claude._http == {}]
    await program.close()
    return [*told, "anthropic" in sys.modules]

print(asyncio.run(keyed()))
"""


def test_whether_there_is_a_key_is_known_before_the_sdk_is_loaded() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", KEYED],
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
        env={**os.environ, "ANTHROPIC_API_KEY": "key-for-tests"},
    )

    # Known at once, and known while the SDK is loading; which it is, in the end.
    assert ended.stdout.split() == ["[True,", "False,", "True,", "True,", "True]"]
