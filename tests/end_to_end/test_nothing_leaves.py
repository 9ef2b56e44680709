"""Nothing leaves but what was asked: no connection offline, and no secret in any file or child."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import dev
from tests.end_to_end.silent_story import KEY, PASSWORD

PATIENCE_S = 280
# Recorded in every process of Python that is started: also in those that read files and run SQL.
HOOK = """
import os, sys

def _record(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = args[1] if len(args) > 1 else None
        if isinstance(address, tuple):  # a path is a socket of this computer's
            _write(f"{event} {address[0]}:{address[1]}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        _write(f"{event} {args[0]}")

def _write(line):
    with open(FILE, "a", encoding="utf-8") as file:
        file.write(f"{os.path.basename(sys.argv[0])} {line}\\n")

sys.addaudithook(_record)
"""
# A service in a network that leads nowhere (RFC 5737): whoever waits for it waits for long.
UNROUTABLE = "http://192.0.2.1"


def _watched(tmp_path: Path, **more: str) -> tuple[dict[str, str], Path]:
    """An environment in which every connection is recorded, and the file of the records."""
    recorded = tmp_path / "connections.txt"
    hook = tmp_path / "hook"
    hook.mkdir()
    code = f"FILE = {str(recorded)!r}\n{HOOK}"
    (hook / "sitecustomize.py").write_text(code, encoding="utf-8")
    paths = [str(hook), *filter(None, [os.environ.get("PYTHONPATH", str(dev.ROOT))])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        **more,
    }
    return environment, recorded


def _played(environment: Mapping[str, str], *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        check=False,
        cwd=dev.ROOT,
        encoding="utf-8",
        errors="replace",
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _records(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    # Windows has no pairs of sockets: the loops of asyncio make theirs through this address.
    return [each for each in lines if sys.platform != "win32" or " 127.0.0.1:" not in each]


def test_the_watch_sees_a_connection_and_a_name_also_in_a_child(tmp_path: Path) -> None:
    environment, recorded = _watched(tmp_path)
    child = "import socket; socket.getaddrinfo('localhost', 9)"
    code = (
        "import socket, subprocess, sys\n"
        "s = socket.socket()\n"
        "try: s.connect(('127.0.0.1', 9))\n"
        "except OSError: pass\n"
        f"subprocess.run([sys.executable, '-c', {child!r}])\n"
    )

    _played(environment, "-c", code)

    lines = recorded.read_text(encoding="utf-8").splitlines()
    assert [each.split()[1] for each in lines] == ["socket.connect", "socket.getaddrinfo"]


def test_a_whole_session_offline_asks_nobody_for_anything(tmp_path: Path, home: Path) -> None:
    environment, recorded = _watched(tmp_path)

    told = _played(environment, "-m", "tests.end_to_end.silent_story", "offline")

    said = json.loads(told.splitlines()[-1])
    assert len(said) == 6
    assert "200" in said[1]
    assert _records(recorded) == []


@pytest.mark.parametrize("engine", ["claude", "auto"])
def test_a_start_with_a_service_that_leads_nowhere_asks_it_nothing(
    tmp_path: Path, home: Path, engine: str
) -> None:
    """Whoever does not ask the network cannot wait for it."""
    environment, recorded = _watched(
        tmp_path, ANTHROPIC_BASE_URL=UNROUTABLE, ANTHROPIC_API_KEY="key-for-tests"
    )

    _played(environment, "-m", "tests.end_to_end.silent_story", "start", engine)
    for words in (["agents"], ["conversations"], ["ask", "--engine", "offline", "quantos?"]):
        _played(
            environment,
            "-c",
            f"import sys; sys.argv = ['qhub', *{words!r}]\n"
            "from qhub_desktop.app import command_line; sys.exit(command_line())",
        )

    assert _records(recorded) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of processes in /proc")
@pytest.mark.usefixtures("safe_python")
def test_a_planted_key_is_in_no_file_and_in_no_child(tmp_path: Path, home: Path) -> None:
    documents = tmp_path / "documents"
    environment, _recorded = _watched(
        tmp_path, HOME=str(documents), XDG_DOCUMENTS_DIR=str(documents)
    )
    documents.mkdir()
    environment.pop("PYTHON_KEYRING_BACKEND")

    told: dict[str, Any] = json.loads(
        _played(environment, "-m", "tests.end_to_end.silent_story", "keyed").splitlines()[-1]
    )

    assert told["asked"]
    assert all(told["asked"])
    children = told["held"]
    assert {name.rpartition(" ")[2] for name in children} >= {"query", "import", "python"}
    assert {name: places for name, places in children.items() if places} == {}
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    names = {each.name for each in files}
    assert {"qhub.db", "report.txt", "qhub.log"} <= names
    exported = {"conversation.md", "conversation.json", "conversation.pdf", "log.csv"}
    assert exported <= names
    assert any("manual" in name for name in names), names
    assert any(each.suffix == ".xlsx" for each in files)
    for file in files:
        content = file.read_bytes()
        for secret in (KEY, PASSWORD):
            for encoding in ("utf-8", "utf-16-le"):
                assert secret.encode(encoding) not in content, file
