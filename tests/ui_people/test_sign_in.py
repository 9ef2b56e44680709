"""Signing in, a lock, and the next person, in real windows over a real store."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from typing_extensions import override

from qhub_desktop.app import Program
from qhub_desktop.core import text
from qhub_desktop.core.dashboard import DashboardSpec
from qhub_desktop.core.person import Person
from qhub_desktop.people.accounts import Accounts, Sessions
from qhub_desktop.store import Store
from qhub_desktop.ui.people.session import Session, sign_in_at_start
from qhub_desktop.ui.people.sign_in import FaceButton, SignInWindow
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

SECRET = "uma frase longa"


def asking() -> SignInWindow:
    """The window that asks who it is."""
    return next(
        each
        for each in QApplication.topLevelWidgets()
        if isinstance(each, SignInWindow) and each.isVisible()
    )


def is_asking() -> bool:
    return any(
        isinstance(each, SignInWindow) and each.isVisible()
        for each in QApplication.topLevelWidgets()
    )


def field(window: SignInWindow, name: str) -> QLineEdit:
    return next(each for each in window.findChildren(QLineEdit) if each.accessibleName() == name)


def labels(window: SignInWindow) -> list[QLabel]:
    return window.findChildren(QLabel)


def sign_in(window: SignInWindow, name: str, secret: str) -> None:
    field(window, "Name or e-mail").setText(name)
    password = field(window, "Password or PIN")
    password.setText(secret)
    QTest.keyClick(password, Qt.Key.Key_Return)


async def station() -> Program:
    """A program at a station with people, in English."""
    program = Program()
    text.use("en")
    await with_people(program)
    return program


async def with_people(program: Program) -> None:
    await program.accounts.add("ana", "admin", None, secret=SECRET)
    await program.accounts.add("rui", "operador", ["qualidade"], secret="4071")
    program.enter(await program.accounts.sign_in("ana", SECRET))


class NoSessions(Sessions):
    """A computer that keeps no session."""

    def __init__(self) -> None:
        pass  # nothing is kept

    kept: tuple[int, int] | None = None

    @override
    def remembered(self) -> tuple[int, int] | None:
        return self.kept

    @override
    def remember(self, person: Person) -> None:
        self.kept = (person.id, person.generation)


async def test_who_has_a_pin_is_chosen_by_face(qapp: QApplication) -> None:
    program = await station()
    await program.accounts.add("Júlia", "operador", None, secret="5172")
    signing = asyncio.ensure_future(
        sign_in_at_start(program.accounts, NoSessions(), program.store.people, station="P2")
    )
    await until(is_asking)
    window = asking()
    await until(lambda: window.findChildren(FaceButton))
    faces = window.findChildren(FaceButton)
    called = [face.accessibleName() for face in faces]
    faces[0].click()
    for key in "5172":
        next(each for each in window.findChildren(QPushButton) if each.text() == key).click()
    QTest.keyClick(field(window, "Password or PIN"), Qt.Key.Key_Return)
    session = await signing

    assert called == ["Júlia", "Rui"]
    assert session is not None
    assert session.name == "júlia"
    await program.close()


async def test_a_wrong_password_is_told_and_the_right_one_lets_in(qapp: QApplication) -> None:
    program = await station()
    sessions = NoSessions()
    signing = asyncio.ensure_future(
        sign_in_at_start(program.accounts, sessions, program.store.people, station="P2")
    )
    await until(is_asking)
    window = asking()
    sign_in(window, "rui", "9999")
    await until(lambda: window.error)
    assert "name or the password is wrong" in window.error
    assert not field(window, "Password or PIN").text()
    sign_in(window, "Rui", "4071")

    person = await signing

    assert person is not None
    assert person.name == "rui"
    assert sessions.kept is None  # nobody asked for it
    await program.close()


async def test_whose_session_is_kept_is_not_asked_until_something_changes(
    qapp: QApplication,
) -> None:
    program = await station()
    sessions = NoSessions()
    sessions.remember(await program.store.people.find("rui"))
    people = program.store.people
    found = await sign_in_at_start(program.accounts, sessions, people, station="")
    assert found is not None
    assert found.name == "rui"
    await people.set_disabled("rui", is_disabled=True)
    await people.set_disabled("rui", is_disabled=False)  # another generation
    signing = asyncio.ensure_future(
        sign_in_at_start(program.accounts, sessions, people, station="")
    )
    await until(is_asking)
    asking().close()
    assert await signing is None
    await program.close()


async def test_a_secret_chosen_by_somebody_else_is_replaced_first(qapp: QApplication) -> None:
    program = await station()
    made = await program.accounts.add("eva", "responsavel", None)
    assert made.secret is not None
    signing = asyncio.ensure_future(
        sign_in_at_start(program.accounts, NoSessions(), program.store.people, station="")
    )
    await until(is_asking)
    window = asking()
    sign_in(window, "eva", made.secret)
    new, again = "New password or PIN", "The same once more"
    await until(lambda: not field(window, new).isHidden() and window.person is not None)
    field(window, new).setText("outra frase longa")
    field(window, again).setText("outra frase curta")
    QTest.keyClick(field(window, again), Qt.Key.Key_Return)
    await until(lambda: window.error)
    field(window, again).setText("outra frase longa")
    QTest.keyClick(field(window, again), Qt.Key.Key_Return)

    assert await signing is not None

    assert not (await program.accounts.sign_in("eva", "outra frase longa")).must_change
    await program.close()


class Clock:
    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.moment


async def test_after_a_shift_the_window_is_locked_and_comes_back_as_it_was(
    qapp: QApplication,
) -> None:
    clock = Clock()
    async with opened(qapp, prepare=with_people) as harness:
        window, program = harness.window, harness.program
        assert program.person is not None
        session = Session(
            window,
            program.person,
            program.accounts,
            station=lambda: "P2",
            forget=lambda: None,
            tasks=window.tasks,
            now=clock,
        )
        window.frame.centre.page.composer.question_box.setPlainText("half a question")
        session.look()
        assert window.isVisible()
        clock.moment += timedelta(hours=8, seconds=1)
        session.look()
        await until(is_asking)
        assert not window.isVisible()
        sign_in(asking(), "ana", SECRET)
        await until(window.isVisible)
        assert window.frame.centre.page.composer.question_box.toPlainText() == "half a question"
        assert not session.is_over


async def as_eva(program: Program, act: Callable[[Store], Awaitable[object]]) -> None:
    """Have another administrator do something in another program."""
    other = Store.open(program.home)
    other.enter(await other.people.find("eva"))
    await act(other)
    other.close()


async def with_eva(program: Program) -> None:
    await with_people(program)
    await program.accounts.add("eva", "admin", None, secret=SECRET)


CHANGES: dict[str, tuple[Callable[[Store], Awaitable[object]], str]] = {
    "disabled": (lambda s: s.people.set_disabled("ana", is_disabled=True), "was disabled"),
    "demoted": (lambda s: s.people.change("ana", "operador", None), "was changed"),
    "reset": (
        lambda s: s.people.reset_secret("ana", secret="x", kind="password"),
        "was changed",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_window_locks_with_a_sentence_when_another_program_changes_its_account(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr("qhub_desktop.ui.shell.main_window.ACCOUNT_MS", 20)
    act, words = CHANGES[change]
    async with opened(qapp, prepare=with_eva) as harness:
        session = harness.window.session
        people = harness.window.controller.people.open_people()
        assert session is not None
        await asyncio.sleep(0.1)
        assert not is_asking()
        await as_eva(harness.program, act)
        await until(is_asking)
        window = asking()
        assert any(f"The account ana {words}" in each.text() for each in labels(window))
        assert not harness.window.isVisible()
        assert not people.isVisible()
        if change == "demoted":  # with the rights of now, in a window of its own
            sign_in(window, "ana", SECRET)
        else:
            sign_in(window, "ana", SECRET)
            await until(lambda: window.error)
            sign_in(window, "eva", SECRET)
        await harness.window.until_closed()
        assert session.successor is not None
        assert session.successor.role == ("operador" if change == "demoted" else "admin")
        assert session.is_over


async def test_a_window_that_is_locked_already_tells_why_it_stays_so(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_eva) as harness:
        session = harness.window.session
        assert session is not None
        session.lock()
        await until(is_asking)
        await as_eva(harness.program, CHANGES["demoted"][0])
        await harness.window.check_account()
        assert any("was changed" in each.text() for each in labels(asking()))
        sign_in(asking(), "ana", SECRET)
        await harness.window.until_closed()
        assert session.successor is not None


async def session_of(harness: WindowHarness) -> Session | None:
    """The session of a window that has just looked at its account."""
    await harness.window.check_account()
    return harness.window.session


async def test_a_window_of_nobody_locks_when_another_program_makes_the_first_account(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        assert await session_of(harness) is None
        other = Store.open(harness.program.home)
        await Accounts(other.people).add("ana", "admin", None, secret=SECRET)
        other.close()
        session = await session_of(harness)
        await until(is_asking)
        assert any("People sign in here now" in each.text() for each in labels(asking()))
        assert not harness.window.isVisible()
        sign_in(asking(), "ana", SECRET)
        await harness.window.until_closed()
        assert session is not None
        assert session.successor is not None


async def test_a_link_to_a_dashboard_of_somebody_else_opens_nothing(qapp: QApplication) -> None:
    async def as_rui(program: Program) -> None:
        await with_people(program)
        hers = DashboardSpec("Salários", "<p>x</p>")
        made = await program.store.dashboards.create(hers, (), author="ana", agent="analise")
        ids.append(made.id)
        program.enter(await program.accounts.sign_in("rui", "4071"))

    ids = list[str]()
    async with opened(qapp, prepare=as_rui) as harness:
        centre = harness.window.frame.centre
        centre.page._actions.open_dashboard(ids[0])
        await until(lambda: "belongs to somebody else" in harness.window.frame.banner.text)
        assert harness.window.controller.windows.dashboards().open_windows == {}


async def test_an_operator_sees_the_agents_that_are_theirs_and_no_more(
    qapp: QApplication,
) -> None:
    async def as_rui(program: Program) -> None:
        await with_people(program)
        program.enter(await program.accounts.sign_in("rui", "4071"))

    async with opened(qapp, prepare=as_rui) as harness:
        assert [*harness.program.agents] == ["qualidade"]
        dialog = harness.window.controller.open_settings("engine")
        assert not dialog.fields["endpoint"].control.isEnabled()
        assert dialog.fields["theme"].control.isEnabled()


async def test_another_person_at_the_lock_ends_the_window_for_theirs(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        session = harness.window.session
        assert session is not None
        session.lock()
        await until(is_asking)
        sign_in(asking(), "rui", "4071")
        await harness.window.until_closed()
        assert session.is_over
        assert session.successor is not None
        assert session.successor.name == "rui"
