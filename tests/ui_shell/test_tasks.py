import asyncio
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.ui.tasks import Tasks, cancel_with


async def test_what_a_person_can_be_told_is_told() -> None:
    told: list[QHubError] = []
    tasks = Tasks(told.append)

    async def fail() -> None:
        raise UserError("Choose another file.")

    await asyncio.wait([tasks.start(fail())])
    await asyncio.sleep(0)

    assert [str(error) for error in told] == ["Choose another file."]


async def test_one_task_can_have_its_errors_shown_elsewhere() -> None:
    at_the_window: list[QHubError] = []
    at_the_chip: list[QHubError] = []
    tasks = Tasks(at_the_window.append)

    async def fail() -> None:
        raise UserError("Choose another file.")

    await asyncio.wait([tasks.start(fail(), on_error=at_the_chip.append)])
    await asyncio.sleep(0)

    assert len(at_the_chip) == 1
    assert not at_the_window


async def test_a_bug_goes_to_the_loop_and_not_to_the_person() -> None:
    told: list[QHubError] = []
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: reported.append(context)
    )
    tasks = Tasks(told.append)

    async def fail() -> None:
        raise ZeroDivisionError

    await asyncio.wait([tasks.start(fail())])
    await asyncio.sleep(0)

    assert isinstance(reported[0]["exception"], ZeroDivisionError)
    assert not told


async def test_closing_waits_for_what_must_still_be_tidied() -> None:
    tidied: list[str] = []
    tasks = Tasks(lambda _error: None)

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            tidied.append("kept what had arrived")

    tasks.start(work())
    await asyncio.sleep(0)
    await tasks.cancel_all()

    assert tidied


async def test_nothing_starts_after_closing() -> None:
    tasks = Tasks(lambda _error: None)
    await tasks.cancel_all()

    late = tasks.start(asyncio.sleep(60))
    await asyncio.wait([late])

    assert late.cancelled()


async def test_stopping_all_spares_the_one_who_asks() -> None:
    tasks = Tasks(lambda _error: None)
    other = tasks.start(asyncio.sleep(60))

    async def stop() -> str:
        await tasks.stop_all()
        return "still here"

    assert await tasks.start(stop()) == "still here"
    assert other.cancelled()


async def test_a_task_ends_with_the_object_that_it_works_on(qapp: QApplication) -> None:
    tasks = Tasks(lambda _error: None)
    owner = QObject()
    task = tasks.start(asyncio.sleep(3600))
    cancel_with(owner, task)

    owner.deleteLater()
    await asyncio.wait([task])

    assert task.cancelled()
