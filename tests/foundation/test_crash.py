"""Crash reports and the log: useful to whoever mends the program, and to nobody else."""

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from qhub_desktop.core import crash
from qhub_desktop.core.errors import UserError

# The hooks under test are Python's own, and pytest-qt has its hand on one of them.
pytestmark = pytest.mark.qt_no_exception_capture

KEY = "sk-ant-api03-AbCdEf0123456789_-xyz"
DATA = "lixo critico 62"


@pytest.fixture
def python_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own hooks instead of pytest's, which would fail the test for what it provokes."""
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)


@pytest.fixture
def crashes(home: Path, python_hooks: None) -> Iterator[crash.CrashReporter]:
    """What a running program has."""
    installed = crash.install(home)
    yield installed
    installed.close()


def read_back(home: Path) -> str:
    """Everything that was written down, log and reports."""
    return "\n".join(
        f"{path.name}\n{path.read_text(encoding='utf-8')}"
        for path in sorted((home / "logs").iterdir())
    )


def reports(home: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in (home / "logs").glob("crash-*.txt")]


def fail(message: str) -> None:
    raise ValueError(message)


def caught(message: str) -> Exception:
    """An error as it is after its way up, with a cause."""
    outer = KeyError(message, message)
    try:
        fail(message)
    except ValueError as error:
        outer.__cause__ = error
    return outer


def test_a_report_names_types_places_and_versions(crashes: crash.CrashReporter, home: Path) -> None:
    crash.report(caught(DATA))

    [report] = reports(home)
    assert "KeyError" in report
    assert "because of\nValueError" in report
    assert "test_crash.py" in report
    assert "in fail" in report
    assert "QHub Desktop 0." in report
    assert f"Python {sys.version.split()[0]}" in report


def test_a_report_holds_no_key_and_no_data_of_the_exception(
    crashes: crash.CrashReporter, home: Path
) -> None:
    crash.report(caught(f"could not read {DATA} with {KEY} for Julia"))

    written = read_back(home)
    assert reports(home)
    for secret in (KEY, DATA, "Julia", "could not read"):
        assert secret not in written


def test_notes_groups_and_attributes_do_not_carry_data_into_a_report(
    crashes: crash.CrashReporter, home: Path
) -> None:
    first = OSError(13, DATA, f"C:\\exports\\{DATA}.xlsx")
    first.add_note(DATA)
    crash.report(ExceptionGroup(DATA, [first, ValueError(KEY)]))

    [report] = reports(home)
    assert "PermissionError (errno 13)" in report
    assert "ValueError" in report
    assert DATA not in read_back(home)
    assert KEY not in read_back(home)


def test_the_log_masks_keys_and_leaves_out_what_exceptions_say(
    crashes: crash.CrashReporter, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANT_GATEWAY_TOKEN", "weiss-3141-gelb")
    log = logging.getLogger("qhub_desktop.data")
    log.warning("not loaded: %s", ValueError(DATA))
    log.warning("refused, x-api-key: %s", KEY)
    log.warning("the gateway refused weiss-3141-gelb, Authorization: Bearer abcdef.ghijkl")
    log.error("went wrong", exc_info=caught(DATA))

    written = read_back(home)
    assert "not loaded: ValueError" in written
    assert "went wrong" in written
    for secret in (DATA, KEY, "weiss-3141-gelb", "abcdef.ghijkl"):
        assert secret not in written


def test_the_way_to_the_users_folder_is_not_written(
    crashes: crash.CrashReporter, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "Julia Martins"))
    for name in ("LOGNAME", "USER", "USERNAME"):
        monkeypatch.setenv(name, "jmartins")
    logging.getLogger("qhub_desktop").warning(
        "no room in %s for jmartins", tmp_path / "Julia Martins" / "QHub"
    )

    written = read_back(home)
    assert "no room in ~" in written
    assert "Julia" not in written
    assert "jmartins" not in written


def test_a_thread_that_dies_is_reported(
    crashes: crash.CrashReporter, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thread = threading.Thread(target=fail, args=(DATA,))
    thread.start()
    thread.join()

    assert "ValueError" in reports(home)[0]
    assert DATA in capsys.readouterr().err  # who started it from a terminal still sees all


async def test_a_callback_that_dies_on_the_loop_is_reported(
    crashes: crash.CrashReporter, home: Path
) -> None:
    loop = asyncio.get_running_loop()
    crash.watch(loop)
    loop.call_soon(fail, DATA)
    await asyncio.sleep(0)

    assert "ValueError" in reports(home)[0]
    assert DATA not in read_back(home)


def test_a_bug_that_ends_the_program_is_reported_and_a_known_trouble_is_not(home: Path) -> None:
    with pytest.raises(ValueError, match=DATA), crash.install(home):
        fail(DATA)
    with pytest.raises(UserError), crash.install(home):
        raise UserError("Choose the file again.")

    [report] = reports(home)
    assert "ValueError" in report
    assert DATA not in read_back(home)


def test_what_fails_again_and_again_is_reported_once(
    crashes: crash.CrashReporter, home: Path
) -> None:
    told: list[Path] = []
    crashes.listen(told.append)
    for count in range(50):
        crash.report(caught(f"{DATA} {count}"))

    assert len(reports(home)) == 1
    assert len(told) == 1


def test_old_reports_make_room(home: Path, python_hooks: None) -> None:
    for _ in range(crash.REPORTS_KEPT + 5):
        crashes = crash.install(home)
        crash.report(caught(DATA))
        crashes.close()

    assert len(reports(home)) == crash.REPORTS_KEPT


def test_ending_on_purpose_is_no_crash(crashes: crash.CrashReporter, home: Path) -> None:
    crash.report(KeyboardInterrupt())

    assert reports(home) == []


def test_the_log_turns_over_before_it_fills_the_disk(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash, "LOG_BYTES", 10_000)
    crashes = crash.install(home)
    for _ in range(9):
        logging.getLogger("qhub_desktop").warning("x" * (crash.LOG_BYTES - 200))
    crashes.close()

    sizes = [path.stat().st_size for path in (home / "logs").glob("qhub.log*")]
    assert len(sizes) == crash.LOG_FILES + 1
    assert max(sizes) <= crash.LOG_BYTES


def write_lines(count: int, word: str) -> None:
    for _ in range(count):
        logging.getLogger("qhub_desktop").warning(word * (crash.LOG_BYTES // 10 // len(word)))


def test_a_log_that_another_program_holds_grows_and_keeps_the_old_ones(
    home: Path, python_hooks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash, "LOG_BYTES", 10_000)
    crashes = crash.install(home)
    logs = home / "logs"
    for number in range(1, crash.LOG_FILES + 1):
        (logs / f"qhub.log.{number}").write_text(f"old {number}", encoding="utf-8")
    real = Path.replace

    def refused(path: Path, target: Path) -> Path:
        if path.name == "qhub.log":  # as Windows does while a second program has it open
            raise PermissionError(13, "held")
        return real(path, target)

    monkeypatch.setattr(Path, "replace", refused)
    write_lines(30, "x")
    grown = (logs / "qhub.log").stat().st_size
    kept = [(logs / f"qhub.log.{n}").read_text(encoding="utf-8") for n in (1, crash.LOG_FILES)]
    monkeypatch.setattr(Path, "replace", real)
    write_lines(1, "y")
    crashes.close()

    assert grown > 2 * crash.LOG_BYTES
    assert kept == ["old 1", f"old {crash.LOG_FILES}"]
    assert (logs / "qhub.log.1").stat().st_size == grown
    assert (logs / "qhub.log.2").read_text(encoding="utf-8") == "old 1"


def test_two_programs_shift_their_log_together(
    home: Path, python_hooks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash, "LOG_BYTES", 10_000)
    first, second = crash.install(home), crash.install(home)  # each gets every line
    write_lines(20, "x")
    second.close()
    first.close()

    logs = [path.read_text(encoding="utf-8") for path in (home / "logs").glob("qhub.log*")]
    assert sum(log.count("\n") for log in logs) == 40
    assert len([log for log in logs if len(log) < crash.LOG_BYTES / 2]) <= 1  # the latest


def test_closing_gives_back_the_hooks_and_leaves_no_empty_file(home: Path) -> None:
    before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    crash.install(home).close()

    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before
    assert list((home / "logs").iterdir()) == []


def test_a_fault_that_kills_the_process_is_reported_by_the_next_one(home: Path) -> None:
    program = (
        "import faulthandler, pathlib, sys\n"
        "from qhub_desktop.core import crash\n"
        "kept = crash.install(pathlib.Path(sys.argv[1]))\n"
        "faulthandler._sigsegv()\n"
    )
    died = subprocess.run([sys.executable, "-c", program, str(home)], check=False)

    crash.install(home).close()

    assert died.returncode != 0
    [report] = reports(home)
    assert "ended by a fault" in report
    assert "<string>" in report


def test_processes_that_were_killed_do_not_fill_the_folder(home: Path) -> None:
    (home / "logs").mkdir(parents=True)
    for number in range(crash.REPORTS_KEPT + 5):
        (home / "logs" / f"fault-{number}.txt").touch()

    crash.install(home).close()

    assert len(list((home / "logs").iterdir())) == crash.REPORTS_KEPT
    assert reports(home) == []


def test_a_scanner_that_holds_the_last_file_ends_no_program(
    home: Path, python_hooks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "used by another process")

    installed = crash.install(home)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", held)
        installed.close()

    assert sys.excepthook is sys.__excepthook__
