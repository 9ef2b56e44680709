from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from qhub_desktop.app import Program
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.core.text import moment
from qhub_desktop.ui.shell.conversation_list import Entry
from qhub_desktop.ui.shell.sidebar import PAGE_SIZE, Sidebar
from tests.ui_shell.window_harness import opened, take_back
from tests.waiting import until


def titles(sidebar: Sidebar) -> list[str]:
    model = sidebar.model
    rows = [model.row_at(model.index(at)) for at in range(model.rowCount())]
    return [row.title for row in rows if isinstance(row, Entry)]


async def three(program: Program) -> None:
    for title, said in (
        ("Retrabalho", "o rack R12 voltou"),
        ("Turnos", "a manhã é a pior"),
        ("Lixo", "no PP_Negro"),
    ):
        made = await program.store.conversations.create("qualidade")
        await program.store.messages.add(made.id, "user", [Text(said)])
        await program.store.conversations.rename(made.id, title)


async def test_a_search_finds_what_was_said_and_shows_where(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        sidebar = harness.window.frame.sidebar
        assert titles(sidebar) == ["Lixo", "Turnos", "Retrabalho"]

        QTest.keyClick(
            harness.window,
            Qt.Key.Key_F,
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
        )
        assert sidebar.search.hasFocus()
        QTest.keyClicks(sidebar.search, "manha")
        await until(lambda: titles(sidebar) == ["Turnos"])
        row = sidebar.model.row_at(sidebar.model.index(0))

        assert isinstance(row, Entry)
        day = moment(row.conversation.updated.astimezone().date())
        assert row.snippet == f"{day} · a manhã é a pior"
        QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
        await until(lambda: len(titles(sidebar)) == 3)


async def test_a_search_without_hits_says_so(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        sidebar = harness.window.frame.sidebar
        sidebar.search.setText("nothing like this")
        await until(lambda: not titles(sidebar))

        assert "these words" in sidebar.empty_label.text()
        assert not sidebar.empty_label.isHidden()


async def test_a_conversation_is_opened_by_keyboard(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        window = harness.window
        sidebar = window.frame.sidebar
        sidebar.list.setFocus()
        found = await harness.program.store.conversations.listed(search="Turnos")
        sidebar.list.setCurrentIndex(sidebar.model.index_of(found[0].id))
        QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
        await until(lambda: window.frame.centre.conversation)

        conversation = window.frame.centre.conversation
        assert conversation is not None
        assert conversation.title == "Turnos"


async def test_deleting_takes_two_acts_and_can_be_undone(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        sidebar = harness.window.frame.sidebar
        found = await harness.program.store.conversations.listed(search="Turnos")
        sidebar.list.setFocus()
        sidebar.list.setCurrentIndex(sidebar.model.index_of(found[0].id))
        for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            QTest.keyClick(sidebar.list, key)
        assert len(titles(sidebar)) == 3

        menu = sidebar.menu_for(found[0])
        delete = next(action for action in menu.actions() if action.text() == "Delete")
        delete.trigger()
        await until(lambda: titles(sidebar) == ["Lixo", "Retrabalho"])
        take_back(harness)

        await until(lambda: titles(sidebar) == ["Lixo", "Turnos", "Retrabalho"])
        assert harness.window.frame.banner.toast.text == ""


async def test_deleting_the_open_conversation_leaves_an_empty_page(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        frame = harness.window.frame
        found = await harness.program.store.conversations.listed(search="Turnos")
        frame.open(found[0].id)
        await until(lambda: frame.centre.conversation)

        menu = frame.sidebar.menu_for(found[0])
        next(action for action in menu.actions() if action.text() == "Delete").trigger()

        await until(lambda: frame.centre.conversation is None)


async def test_an_answer_is_stopped_before_its_conversation_is_deleted(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        frame, store = harness.window.frame, harness.program.store
        (found,) = await store.conversations.listed(search="Turnos")
        stopped: list[bool] = []
        stop = frame.sidebar.stop_answer

        async def stopping(conversation: ConversationId) -> None:
            listed = await store.conversations.listed(search="Turnos")
            stopped.append(conversation in [each.id for each in listed])
            await stop(conversation)

        frame.sidebar.stop_answer = stopping
        menu = frame.sidebar.menu_for(found)
        next(action for action in menu.actions() if action.text() == "Delete").trigger()
        await until(lambda: "Turnos" not in titles(frame.sidebar))

        assert stopped == [True]
        assert stop == frame.centre.stop_answer


async def test_a_title_is_typed_over_in_its_place(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        frame = harness.window.frame
        found = await harness.program.store.conversations.listed(search="Turnos")
        frame.open(found[0].id)
        await until(lambda: frame.centre.conversation)
        frame.sidebar.list.rename(found[0].id)
        editor = frame.sidebar.list.findChild(QLineEdit)
        assert isinstance(editor, QLineEdit)
        editor.selectAll()
        QTest.keyClicks(editor, "Turnos de fevereiro")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        await until(lambda: "Turnos de fevereiro" in titles(frame.sidebar))

        await until(lambda: frame.centre.header.title == "Turnos de fevereiro")


async def test_a_title_that_turns_words_around_is_shown_straight_and_stays(
    qapp: QApplication,
) -> None:
    turned = "Turnos \u202egpj.exe"
    async with opened(qapp, prepare=three) as harness:
        sidebar, stored = harness.window.frame.sidebar, harness.program.store.conversations
        (found,) = await stored.listed(search="Turnos")
        await stored.rename(found.id, turned)
        await sidebar.refresh()

        sidebar.list.rename(found.id)
        editor = sidebar.list.findChild(QLineEdit)
        assert isinstance(editor, QLineEdit)
        shown = editor.text()
        QTest.keyClick(editor, Qt.Key.Key_Return)
        await sidebar.refresh()

        assert shown == "Turnos gpj.exe"
        assert (await stored.find(found.id)).title == turned


async def test_what_is_pinned_comes_first_and_what_is_archived_goes(qapp: QApplication) -> None:
    async with opened(qapp, prepare=three) as harness:
        sidebar = harness.window.frame.sidebar

        async def choose(title: str, words: str) -> None:
            (found,) = await harness.program.store.conversations.listed(search=title)
            menu = sidebar.menu_for(found)
            next(action for action in menu.actions() if action.text() == words).trigger()

        await choose("Retrabalho", "Pin")
        await until(lambda: titles(sidebar) == ["Retrabalho", "Lixo", "Turnos"])
        await choose("Lixo", "Archive")
        await until(lambda: titles(sidebar) == ["Retrabalho", "Turnos"])
        sidebar.archived_button.click()

        await until(lambda: titles(sidebar) == ["Retrabalho", "Lixo", "Turnos"])


async def test_more_conversations_come_as_the_list_is_scrolled(qapp: QApplication) -> None:
    async def many(program: Program) -> None:
        for number in range(PAGE_SIZE + 30):
            made = await program.store.conversations.create("qualidade")
            await program.store.conversations.rename(made.id, f"number {number}")

    async with opened(qapp, prepare=many) as harness:
        sidebar = harness.window.frame.sidebar
        assert len(titles(sidebar)) == PAGE_SIZE

        sidebar.list.verticalScrollBar().setValue(sidebar.list.verticalScrollBar().maximum())

        await until(lambda: len(titles(sidebar)) == PAGE_SIZE + 30)
