"""Child processes of ours: what they get, what they may, and how they end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from qhub_desktop.core.processes import child
from qhub_desktop.core.processes.child import Child, ChildGoneError

WAIT_S = 20


def ends(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def framed(message: object) -> bytes:
    frame = json.dumps(message).encode("utf-8")
    return len(frame).to_bytes(4, "little") + frame


def by_hand() -> subprocess.Popen[bytes]:
    """A query process as another parent would start it."""
    return subprocess.Popen(child.command("query"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_a_child_answers_and_ends_when_closed() -> None:
    started = Child("query", memory_mb=2_048)
    assert started.receive() == {"ready": True}
    assert started.is_alive
    started.close()
    assert not started.is_alive


def test_whoever_waits_for_a_killed_child_is_told() -> None:
    started = Child("query", memory_mb=2_048)
    started.receive()
    started.kill()
    with pytest.raises(ChildGoneError):
        started.receive()
    with pytest.raises(ChildGoneError):
        started.send({"do": "query", "sql": "x" * 1_000_000})
    started.close()


def test_a_child_that_no_job_takes_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def refuse(process: subprocess.Popen[bytes]) -> None:
        started.append(process)
        raise PermissionError(13, "access is denied")  # as by another program's job

    monkeypatch.setattr(child, "_assign_to_job", refuse)

    with pytest.raises(ChildGoneError):
        Child("query")
    assert started[0].poll() is not None


def test_a_bug_in_a_child_comes_back_as_its_traceback() -> None:
    started = Child("query", memory_mb=2_048)
    started.receive()
    started.send({"do": "query", "tables": [], "limit": 1})
    with pytest.raises(child.ChildBugError, match="KeyError: 'sql'"):
        started.receive()
    started.close()


def test_a_child_ends_with_its_parent_even_in_the_middle_of_its_work() -> None:
    with by_hand() as process:
        assert process.stdin is not None
        endless = "SELECT count(*) FROM range(100000000000) a, range(100000000000) b"
        process.stdin.write(framed({"language": "en", "memory_mb": 2_048, "priority": "low"}))
        process.stdin.write(framed({"do": "query", "sql": endless, "tables": [], "limit": 1}))
        process.stdin.close()
        assert ends(process)


def test_a_child_ends_at_nonsense() -> None:
    for nonsense in (b"\xff\xff\xff\xff", framed({"memory_mb": "all"}), framed(None)[:6]):
        with by_hand() as process:
            assert process.stdin is not None
            process.stdin.write(nonsense)
            process.stdin.close()
            assert ends(process)


def test_no_key_reaches_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    monkeypatch.setenv("QHUB_HOME", "home")
    monkeypatch.setenv("SOME_TOKEN", "secret")
    started = Child("query", memory_mb=2_048)
    started.receive()
    pid = started._process.pid
    if sys.platform == "linux":
        given = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"secret" not in given
        assert b"ANTHROPIC" not in given
        assert b"PATH=" in given
    started.close()


def test_a_child_is_told_what_machine_it_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROCESSOR_ARCHITECTURE", "AMD64")

    assert child.environment_of("least")["PROCESSOR_ARCHITECTURE"] == "AMD64"


def test_the_packaged_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert child.command("query")[1:] == ["-m", "qhub_desktop", "--child", "query"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert child.command("query") == [sys.executable, "--child", "query"]


def test_a_child_never_imports_qt() -> None:
    code = (
        "import sys; sys.argv = ['qhub', '--child', 'nothing']\n"
        "import qhub_desktop.__main__ as program\n"
        "from qhub_desktop.data.ingest import import_worker\n"
        "from qhub_desktop.data.query import query_worker\n"
        "assert not [name for name in sys.modules if name.startswith(('PySide6', 'anthropic'))]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
