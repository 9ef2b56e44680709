"""Audited reading in the window: told to everybody, offered to administrators."""

import asyncio
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from qhub_desktop.app import Program
from qhub_desktop.core.message import Text
from qhub_desktop.core.person import reading_notice
from qhub_desktop.store import Store
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.people.session import sign_in_at_start
from tests.ui_people.test_people_window import opened_people, select
from tests.ui_people.test_sign_in import NoSessions, asking, is_asking, station, with_people
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until


async def talk_of_rui(program: Program) -> None:
    """Rui has said something; ana, the administrator, uses the program."""
    await with_people(program)
    ana = program.person
    assert ana is not None
    rui = await program.store.people.find("rui")
    store = program.store
    store.enter(rui)
    talk = await store.conversations.create("qualidade")
    await store.messages.add(talk.id, "user", [Text("quantos defeitos de verniz?")])
    answer = await store.messages.add(talk.id, "assistant")
    await store.messages.put_block(answer.id, 0, Text("São 62."))
    await store.messages.end(answer.id, "complete", engine="offline")
    store.enter(ana)


def switch(harness: WindowHarness, *, is_on: bool) -> None:
    settings = harness.program.chosen
    settings.replace(replace(settings.settings, is_audited_reading=is_on))


async def logged(store: Store, action: str) -> list[str]:
    return [each.subject for each in await store.audit.listed(action=action)]


async def test_an_administrator_reads_only_once_everybody_is_told(qapp: QApplication) -> None:
    async with opened(qapp, prepare=talk_of_rui) as harness:
        service, store = harness.window.controller.people, harness.program.store
        assert service.notice is not None
        window = await opened_people(harness, count=2)
        assert service.notice.isHidden()
        assert window.people.read_button.isHidden()

        switch(harness, is_on=True)
        assert service.notice.isVisible()
        assert service.notice.accessibleName() == reading_notice()
        await window.people.load()
        assert window.people.read_button.isVisible()
        assert (await logged(store, "setting"))[0] == "is_audited_reading"

        select(window.people, "rui")
        window.people.read_button.click()
        reading = service.conversations
        assert reading is not None
        await until(reading.list.count, "the conversations")
        assert reading.list.item(0).text().startswith("quantos defeitos de verniz?")
        assert await logged(store, "read") == ["conversations"]
        reading.list.setCurrentRow(0)
        reading.list.itemActivated.emit(reading.list.item(0))
        reading.list.itemClicked.emit(reading.list.item(0))  # as a double click does
        await until(lambda: len(reading.transcript.entries) == 2, "the conversation")

        question, answer = reading.transcript.entries
        assert isinstance(question, QuestionView)
        assert isinstance(answer, AnswerView)
        assert (question.text, answer.text) == ("quantos defeitos de verniz?", "São 62.")
        assert not any(each.isVisible() for each in answer.footer.findChildren(QPushButton))
        read = await logged(store, "read")
        assert len(read) == 2
        assert read[0].startswith("conversation ")

        # Switched off meanwhile, by a script: the next reading shows nothing.
        await store.settings.save({})
        await service.refresh_notice()
        assert service.notice.isHidden()
        reading.search.setText("verniz")
        QTest.keyClick(reading.search, Qt.Key.Key_Return)
        await until(lambda: "nobody else reads them" in reading.note.text(), "the refusal")
        assert reading.transcript.isHidden()
        assert len(await logged(store, "read")) == 2
        reading.close()


async def test_an_operator_is_told_all_the_time_and_can_not_change_it(qapp: QApplication) -> None:
    async def as_rui(program: Program) -> None:
        await with_people(program)
        await program.store.settings.save(
            {**program.store.settings.load_now(), "is_audited_reading": True}
        )
        program.enter(await program.accounts.sign_in("rui", "4071"))

    async with opened(qapp, prepare=as_rui) as harness:
        service, session = harness.window.controller.people, harness.window.session
        assert service.notice is not None
        assert session is not None
        await service.refresh_notice()
        assert service.notice.isVisible()
        dialog = harness.window.controller.open_settings("general")
        assert not dialog.fields["is_audited_reading"].control.isEnabled()
        dialog.close()
        # What rui chooses for himself does not switch it off.
        harness.window.controller.toggle_theme()
        assert service.notice.isVisible()

        session.lock()
        await until(is_asking, "the lock")
        assert asking().notice.text() == reading_notice()
        asking().close()


async def test_whoever_signs_in_is_told_before(qapp: QApplication) -> None:

    program = await station()
    entering = asyncio.ensure_future(
        sign_in_at_start(
            program.accounts,
            NoSessions(),
            program.store.people,
            station="",
            notice=reading_notice(),
        )
    )
    await until(is_asking)
    assert asking().notice.isVisible()
    asking().close()
    assert await entering is None
    await program.close()
