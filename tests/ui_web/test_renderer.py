"""What is known of the processes that draw pages."""

import os
import subprocess
import sys

import psutil
import pytest

from qhub_desktop.ui.web import watchdog


def test_a_process_that_works_uses_the_processor_and_holds_memory_until_it_is_ended() -> None:
    works = "held = bytes([1]) * 60_000_000; print(flush=True)\nwhile 1: pass"
    working = subprocess.Popen([sys.executable, "-c", works], stdout=subprocess.PIPE)
    assert working.stdout is not None
    with working.stdout:
        working.stdout.readline()

        assert watchdog.memory_bytes(working.pid) > 50_000_000
        while watchdog.processor_s(working.pid) < 0.1:
            pass

        watchdog.kill(working.pid)
        assert working.wait() != 0
    assert watchdog.memory_bytes(working.pid) == 0
    assert watchdog.processor_s(working.pid) == 0
    watchdog.kill(working.pid)


def test_nothing_is_known_of_no_process_and_nothing_ended() -> None:
    assert watchdog.memory_bytes(0) == 0
    assert watchdog.processor_s(0) == 0
    watchdog.kill(0)


def test_a_program_without_pages_has_no_process_for_them() -> None:
    assert os.getpid() not in watchdog.renderer_process_ids()
    assert watchdog.renderer_process_ids() == set()


def test_an_error_of_the_system_that_psutil_does_not_know_ends_no_guard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(22, "the parameter is incorrect")  # 87 on Windows

    for method in ("kill", "memory_info", "cpu_times", "children"):
        monkeypatch.setattr(psutil.Process, method, refuse)

    watchdog.kill(os.getpid())
    assert watchdog.memory_bytes(os.getpid()) == 0
    assert watchdog.processor_s(os.getpid()) == 0
    assert watchdog.renderer_process_ids() == set()
