"""One's own password in the window, over a real store."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from qhub_desktop.core import keystore
from qhub_desktop.ui.people.password_dialog import PasswordDialog
from qhub_desktop.ui.people.session import PersonButton
from tests.ui_people.test_sign_in import SECRET, asking, is_asking, sign_in, with_people
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

NEW = "outra frase longa"


def write(dialog: PasswordDialog, *secrets: str) -> None:
    fields = dialog.findChildren(QLineEdit)
    for field, secret in zip(fields, secrets, strict=True):
        field.setText(secret)
    QTest.keyClick(fields[-1], Qt.Key.Key_Return)


def menu_of(harness: WindowHarness) -> list[str]:
    (button,) = harness.window.findChildren(PersonButton)
    menu = button.make_menu()
    labels = [action.text() for action in menu.actions()]
    menu.close()
    return labels


async def test_a_password_is_changed_where_the_old_one_is_right(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        assert "Change password…" in menu_of(harness)
        accounts = harness.program.accounts
        dialog = harness.window.controller.people.open_password_dialog()
        write(dialog, SECRET, NEW, "outra frase curta")
        assert "not the same" in dialog.problem.text()
        write(dialog, "what it never was", NEW, NEW)
        await until(lambda: "is wrong" in dialog.problem.text() and dialog.problem.isVisible())
        assert (await accounts.sign_in("ana", SECRET)).name == "ana"
        closed: list[bool] = []
        dialog.destroyed.connect(lambda: closed.append(True))
        write(dialog, SECRET, NEW, NEW)
        await until(lambda: closed, "the end of the dialog")

        assert (await accounts.sign_in("ana", NEW)).name == "ana"
        await harness.window.check_account()
        assert harness.window.isVisible()  # nobody else has changed it
        assert harness.window.session is not None
        harness.window.session.lock()
        await until(is_asking)
        sign_in(asking(), "ana", NEW)
        await until(harness.window.isVisible)


@pytest.fixture
def key_store() -> Iterator[None]:
    """A computer that keeps keys until the test ends."""
    keystore.keep_for_session()
    yield
    keystore.leave()


@pytest.mark.usefixtures("key_store")
async def test_a_session_that_is_kept_here_outlives_the_new_password(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        program = harness.program
        assert program.person is not None
        program.sessions.remember(program.person)
        dialog = harness.window.controller.people.open_password_dialog()
        closed: list[bool] = []
        dialog.destroyed.connect(lambda: closed.append(True))
        write(dialog, SECRET, NEW, NEW)
        await until(lambda: closed, "the end of the dialog")

        now = await program.store.people.find("ana")
        assert now.generation > program.person.generation
        assert program.sessions.remembered() == (now.id, now.generation)


async def test_without_an_account_there_is_no_password(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        labels = [command.label for command in harness.window.controller.people.commands()]

        assert "Change password…" not in labels
