"""A conversation from its menu into a file, and from a file into the list."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until


async def said(harness: WindowHarness, words: str) -> ConversationId:
    store = harness.program.store
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text(words)])
    await harness.window.frame.sidebar.refresh()
    return made.id


async def test_the_menu_writes_a_conversation_and_the_palette_takes_it_in(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        controller = harness.window.controller
        conversation = await harness.program.store.conversations.find(
            await said(harness, "Quantos de lixo?")
        )
        menu = harness.window.frame.sidebar.menu_for(conversation)
        labels = {action.text(): action for action in menu.actions()}
        labels["Export as JSON…"].trigger()
        dialog = controller.files.dialog
        assert dialog is not None
        assert dialog.defaultSuffix() == "json"
        target = tmp_path / "conversa.json"
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(lambda: "conversa.json" in harness.window.frame.banner.toast.text)

        controller.files.choose_conversation()
        dialog = controller.files.dialog
        assert dialog is not None
        dialog.fileSelected.emit(str(target))
        dialog.close()
        centre = harness.window.frame.centre
        await until(lambda: centre.conversation is not None)
        assert centre.conversation is not None
        assert centre.conversation.id != conversation.id
        assert centre.conversation.title == conversation.title
        assert len(await harness.program.store.conversations.listed()) == 2


async def test_a_file_that_is_no_conversation_is_refused_in_the_window(
    qapp: QApplication, tmp_path: Path
) -> None:
    file = tmp_path / "estranho.json"
    file.write_text("[]", encoding="utf-8")
    async with opened(qapp) as harness:
        harness.window.controller.files.choose_conversation()
        dialog = harness.window.controller.files.dialog
        assert dialog is not None
        dialog.fileSelected.emit(str(file))
        dialog.close()
        await until(lambda: "is not a conversation" in harness.window.frame.banner.text)
        assert await harness.program.store.conversations.listed() == []
