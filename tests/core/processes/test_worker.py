"""Work that nobody waits for: dropped where it has not begun, heard of where it fails."""

import threading

import pytest

from qhub_desktop.core.processes.threads import Worker


def test_work_ahead_is_dropped_without_a_word_where_the_worker_closes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[object] = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    done: list[str] = []
    may_go_on = threading.Event()
    worker = Worker("test")
    worker.run_ahead(may_go_on.wait)
    worker.run_ahead(lambda: done.append("ahead"))

    threading.Timer(0.05, may_go_on.set).start()
    worker.close()

    assert (done, heard) == ([], [])


def test_an_error_of_work_ahead_reaches_those_who_hear_errors_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    worker = Worker("test")

    worker.run_ahead(lambda: 1 / 0)
    worker.close()

    assert [each.exc_type for each in heard] == [ZeroDivisionError]
