"""The window of the people, over a real store."""

import csv
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from shiboken6 import isValid

from qhub_desktop.app import Program
from qhub_desktop.core.budget import Budget
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.message import Text
from qhub_desktop.core.paths import home
from qhub_desktop.ui.people.account_dialog import AccountDialog
from qhub_desktop.ui.people.people_window import PeoplePage, PeopleWindow
from tests.store.test_personal_data import holding
from tests.ui_people.test_sign_in import SECRET, with_people
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until


async def opened_people(harness: WindowHarness, *, count: int) -> PeopleWindow:
    window = harness.window.controller.people.open_people()
    await until(lambda: window.people.list.topLevelItemCount() == count, "the accounts")
    return window


def rows(page: PeoplePage) -> list[list[str]]:
    items = [page.list.topLevelItem(row) for row in range(page.list.topLevelItemCount())]
    return [[item.text(column) for column in range(4)] for item in items if item is not None]


def select(page: PeoplePage, name: str) -> None:
    (item,) = page.list.findItems(name, Qt.MatchFlag.MatchExactly)
    page.list.setCurrentItem(item)


def fill(dialog: AccountDialog, name: str, *secrets: str) -> None:
    dialog.name.setText(name)
    for field, secret in zip((dialog.secret, dialog.again), secrets, strict=False):
        field.findChildren(QLineEdit)[0].setText(secret)
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)


async def test_an_operator_is_offered_no_accounts(qapp: QApplication) -> None:
    async def as_rui(program: Program) -> None:
        await with_people(program)
        program.enter(await program.accounts.sign_in("rui", "4071"))

    async with opened(qapp, prepare=as_rui) as harness:
        labels = [each.label for each in harness.window.controller.people.commands()]
        assert "Change password…" in labels
        assert "People" not in labels


async def test_a_new_account_shows_its_password_once(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        page = (await opened_people(harness, count=2)).people
        dialog = page.open_new_dialog()
        dialog.every_agent.setChecked(False)
        dialog.agents["analise"].setChecked(False)
        fill(dialog, "Eva")
        await until(lambda: len(rows(page)) == 3, "the account")

        assert rows(page)[1] == ["eva", "Operator", "Qualidade", "password to be replaced"]
        name, secret = page.secrets.text.toPlainText().split("\t")
        page.secrets.copy_button.click()
        assert QApplication.clipboard().text() == f"eva\t{secret}"
        assert (await harness.program.accounts.sign_in(name, secret)).agents == ("qualidade",)
        page.secrets.done_button.click()
        assert page.secrets.text.toPlainText() == ""


async def test_an_account_that_is_there_already_is_told_in_the_dialog(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        page = (await opened_people(harness, count=2)).people
        dialog = page.open_new_dialog()
        fill(dialog, "rui")
        await until(lambda: not dialog.problem.isHidden(), "the problem")

        assert "There is an account 'rui' already" in dialog.problem.text()
        assert dialog.save_button.isEnabled()


async def test_somebody_is_kept_out_and_let_in_and_gets_another_role(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        page, accounts = (await opened_people(harness, count=2)).people, harness.program.accounts
        select(page, "rui")
        page.disable_button.click()
        await until(lambda: rows(page)[1][3] == "disabled", "the state")
        with pytest.raises(UserError):
            await accounts.sign_in("rui", "4071")
        assert page.disable_button.text() == "Enable"
        page.disable_button.click()
        await until(lambda: rows(page)[1][3] == "", "the state")
        dialog = page.open_change_dialog()
        assert dialog is not None
        dialog.role.setCurrentIndex(1)
        dialog.save_button.click()
        await until(lambda: "signs in with a PIN" in dialog.problem.text(), "the problem")
        dialog.close()
        page.reset_button.click()
        await until(lambda: not page.secrets.isHidden(), "the new password")
        again = page.open_change_dialog()
        assert again is not None
        again.role.setCurrentIndex(1)
        again.save_button.click()
        await until(lambda: rows(page)[1][1] == "Quality lead", "the role")

        secret = page.secrets.text.toPlainText().split("\t")[1]
        assert (await accounts.sign_in("rui", secret)).role == "responsavel"
        select(page, "ana")  # oneself
        assert not page.disable_button.isEnabled()


async def test_somebodys_budget_is_set_with_the_account_and_ends_no_session(
    qapp: QApplication,
) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        page, costs = (await opened_people(harness, count=2)).people, harness.program.store.costs
        before = await harness.program.store.people.find("rui")
        select(page, "rui")
        dialog = page.open_change_dialog()
        assert dialog is not None
        await until(dialog.budget.isEnabled, "what was spent")
        dialog.budget.fields["day"].setText("much")
        dialog.save_button.click()
        assert "'much' is no amount" in dialog.problem.text()
        dialog.budget.fields["day"].setText("0,50")
        dialog.save_button.click()
        await until(lambda: costs_shown(page, 1) == ["0.00 / 0.50", ""], "the budget")

        assert await costs.budgets() == [Budget("person", "rui", "day", 0.5)]
        assert await harness.program.store.people.find("rui") == before


async def test_an_agent_that_was_removed_stays_with_whoever_has_it_until_it_is_taken_away(
    qapp: QApplication,
) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        people = harness.program.store.people
        await people.reset_secret("rui", secret="hash", kind="password")  # else no other role
        await people.change("rui", "operador", ["montagem", "qualidade"])
        before = await people.find("rui")
        page = (await opened_people(harness, count=2)).people

        async def changed(role: int, *, is_theirs: bool) -> None:
            select(page, "rui")
            dialog = page.open_change_dialog()
            assert dialog is not None
            assert dialog.agents["montagem"].text() == "montagem (not there any more)"
            dialog.role.setCurrentIndex(role)
            dialog.agents["montagem"].setChecked(is_theirs)
            dialog.save_button.click()
            await until(lambda: not isValid(dialog) or not dialog.isVisible(), "the end")

        await changed(0, is_theirs=True)
        assert await people.find("rui") == before
        await changed(1, is_theirs=True)
        kept = await people.find("rui")
        assert (kept.role, kept.agents) == ("responsavel", ("montagem", "qualidade"))
        await changed(1, is_theirs=False)
        assert (await people.find("rui")).agents == ("qualidade",)


def costs_shown(page: PeoplePage, row: int) -> list[str]:
    item = page.list.topLevelItem(row)
    assert item is not None
    return [item.text(4), item.text(5)]


async def test_accounts_come_from_a_file_and_its_bad_lines_are_told(
    qapp: QApplication, tmp_path: Path
) -> None:
    file = tmp_path / "turnos.csv"
    lines = ("name;role;agents;budget;budget_day", "eva;operador;qualidade;12,50;", "josé;chefe;;;")
    bad = "zé;operador;;1.000;"
    file.write_bytes("\n".join([*lines, bad, ""]).encode("cp1252"))
    async with opened(qapp, prepare=with_people) as harness:
        page = (await opened_people(harness, count=2)).people
        await page.import_file(file)

        assert [row[0] for row in rows(page)] == ["ana", "eva", "rui"]
        assert "Line 3: 'chefe' is no role" in page.note.text()
        assert "Line 4: '1.000' is no amount" in page.note.text()
        assert await harness.program.store.costs.budgets() == [
            Budget("person", "eva", "month", 12.5)
        ]
        assert page.secrets.text.toPlainText().startswith("eva\t")
        page.search.setText("quality")
        assert rows(page) == []
        page.search.setText("EVA oper")
        assert [row[0] for row in rows(page)] == ["eva"]


async def test_the_first_account_is_an_administrators_who_works_on(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        program = harness.program
        before = await program.store.conversations.create("qualidade")
        page = (await opened_people(harness, count=0)).people
        await until(lambda: "Nobody has an account" in page.note.text(), "the sentence")
        dialog = page.open_new_dialog()
        fill(dialog, "ana")
        assert program.person is None  # the first one's password is nobody else's to choose
        fill(dialog, "ana", SECRET, SECRET)
        await until(lambda: len(rows(page)) == 1, "the account")

        assert rows(page)[0][1] == "Administrator"
        assert "From the next start on" in page.note.text()
        assert program.user == "ana"
        assert (await program.store.conversations.find(before.id)).id == before.id


async def test_the_log_is_filtered_verified_and_exported(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        window = await opened_people(harness, count=2)
        with pytest.raises(UserError):
            await harness.program.accounts.sign_in("rui", "9999")
        window.show_page(1)
        page = window.audit
        await until(page.list.topLevelItemCount, "the entries")
        newest = page.list.topLevelItem(0)
        assert newest is not None
        assert newest.text(2) == "sign-in refused"
        page.list.setCurrentItem(newest)
        assert page.detail.text() == "rui: The password or PIN was wrong."
        page.action.setCurrentIndex(page.action.findData("account"))
        page.action.activated.emit(0)
        await until(lambda: page.list.topLevelItemCount() == 2, "the accounts that were made")
        page.search.setText("qualidade")
        await until(lambda: page.list.topLevelItemCount() == 1, "the one with the word")
        page.verify_button.click()
        await until(lambda: "The log is whole" in page.result.text(), "the verdict")
        file = tmp_path / "log.csv"
        await page.export(file)

        with file.open(encoding="utf-8-sig", newline="") as lines:
            written = [*csv.DictReader(lines)]
        assert [each["action"] for each in written][-2:] == ["refused", "export"]


async def test_somebody_is_deleted_once_that_is_confirmed(qapp: QApplication) -> None:
    async def with_talk(program: Program) -> None:
        await with_people(program)
        program.enter(await program.accounts.sign_in("rui", "4071"))
        talk = await program.store.conversations.create("qualidade")
        await program.store.messages.add(talk.id, "user", [Text("quantos?")])
        program.enter(await program.accounts.sign_in("ana", SECRET))

    async with opened(qapp, prepare=with_talk) as harness:
        page = (await opened_people(harness, count=2)).people
        select(page, "ana")  # oneself
        assert not page.delete_button.isEnabled()
        select(page, "rui")
        page.delete_button.click()
        await until(lambda: not page.deletion.isHidden(), "the question")
        assert "'rui' goes for good, with 1 conversation, 1 message" in page.deletion.text.text()
        page.deletion.back_button.click()
        assert page.deletion.isHidden()
        assert len(rows(page)) == 2
        page.delete_button.click()
        await until(lambda: not page.deletion.isHidden(), "the question")
        page.deletion.delete_button.click()
        await until(lambda: len(rows(page)) == 1, "the list without them")

        assert "'rui' is deleted." in page.note.text()
        with pytest.raises(UserError):
            await harness.program.store.people.find("rui")


async def test_what_somebody_asked_in_the_window_is_in_no_file_once_they_are_deleted(
    qapp: QApplication,
) -> None:
    marker = "zwetschgenkuchen"

    async def as_rui(program: Program) -> None:
        await with_people(program)
        program.enter(await program.accounts.sign_in("rui", "4071"))

    async def as_ana(program: Program) -> None:
        program.enter(await program.accounts.sign_in("ana", SECRET))

    async with opened(qapp, prepare=as_rui) as harness:
        page = harness.window.frame.centre.page
        page.composer.question_box.setFocus()
        QTest.keyClicks(page.composer.question_box, f"lembra-te que prefiro {marker}")
        QTest.keyClick(page.composer.question_box, Qt.Key.Key_Return)
        await until(lambda: page.view is not None and page.view.is_running, "the answer begins")
        await until(lambda: not page.running_conversations, "the answer ends")
        QTest.keyClicks(page.composer.question_box, f"rascunho {marker}")  # a draft
        notes = await harness.program.store.memories.listed()
        assert [marker in each.text for each in notes] == [True]
    assert holding(home(), marker)

    async with opened(qapp, prepare=as_ana) as harness:
        people = (await opened_people(harness, count=2)).people
        select(people, "rui")
        people.delete_button.click()
        await until(lambda: not people.deletion.isHidden(), "the question")
        people.deletion.delete_button.click()
        await until(lambda: len(rows(people)) == 1, "the list without them")
        assert "'rui' is deleted." in people.note.text()
        left = [each for each in holding(home(), marker) if not each.startswith("backups/")]
        assert left == []
    assert [each for each in holding(home(), marker) if not each.startswith("backups/")] == []


async def test_everything_of_somebody_is_written_to_a_file(
    qapp: QApplication, tmp_path: Path
) -> None:
    async def with_talk(program: Program) -> None:
        await with_people(program)
        program.enter(await program.accounts.sign_in("rui", "4071"))
        talk = await program.store.conversations.create("qualidade")
        await program.store.messages.add(talk.id, "user", [Text("quantos?")])
        program.enter(await program.accounts.sign_in("ana", SECRET))

    async with opened(qapp, prepare=with_talk) as harness:
        page = (await opened_people(harness, count=2)).people
        select(page, "rui")
        dialog = page.open_export_dialog()
        assert dialog is not None
        dialog.fileSelected.emit(str(tmp_path / "rui.zip"))
        dialog.close()

        await until(lambda: "1 conversation in rui.zip" in page.note.text(), "the file")
        with zipfile.ZipFile(tmp_path / "rui.zip") as packed:
            assert sum(name.startswith("conversations/") for name in packed.namelist()) == 2
            assert "person.json" in packed.namelist()
        (entry,) = await harness.program.store.audit.listed(person="ana", limit=1)
        assert (entry.action, entry.subject) == ("export", "rui")


async def test_heads_stand_over_their_cells(qapp: QApplication) -> None:
    async with opened(qapp, prepare=with_people) as harness:
        window = await opened_people(harness, count=2)
        list_ = window.people.list
        item = list_.topLevelItem(0)
        assert item is not None

        for column, side in ((0, Qt.AlignmentFlag.AlignLeft), (5, Qt.AlignmentFlag.AlignRight)):
            assert list_.headerItem().textAlignment(column) & side
            assert item.textAlignment(column) & side
