"""What is known of a person in the window: notes in sight as they are written, and all of them."""

import json
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.store import Store
from qhub_desktop.store.memories import Place
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.note_line import NoteLine
from qhub_desktop.ui.settings.memory_link import MemoryLink
from qhub_desktop.ui.shell.memory_window import MemoryWindow, NoteCard
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until


async def put(store: Store, name: str, text: str, place: Place | None = None) -> None:
    await store.memories.edit(
        f"/memories/{name}", lambda _before: text, origin="person", place=place
    )


async def talk_with_note(store: Store) -> tuple[ConversationId, MessageId]:
    """A conversation whose answer has written a note; the question and many messages follow."""
    talk = (await store.conversations.create("analise")).id
    await store.messages.add(talk, "user", [Text("trabalho à noite")])
    given = {"comando": "create", "caminho": "/memories/turno", "texto": "Trabalha à noite."}
    answer = await store.messages.add(
        talk,
        "assistant",
        [
            ToolCall("c1", "memoria", {**given}),
            ToolResult("c1", {"estado": "guardada", "caminho": "/memories/turno"}),
            Text("Fica anotado."),
        ],
    )
    await store.messages.end(answer.id, "complete", engine="claude")
    await put(store, "turno", "Trabalha à noite.", Place(talk, answer.id, "c1"))
    return talk, answer.id


def named(cards: Sequence[NoteCard]) -> list[str]:
    return [each.note.name for each in cards]


async def shown(window: MemoryWindow, *names: str) -> list[NoteCard]:
    await until(lambda: named(window.cards) == [*names], "the notes")
    return window.cards


def line(harness: WindowHarness) -> NoteLine:
    view = harness.window.controller.frame.centre.page.view
    assert view is not None
    answers = [each for each in view.transcript.entries if isinstance(each, AnswerView)]
    return answers[0].entries(NoteLine)[0]


async def test_a_note_is_shown_in_its_answer_undone_and_edited(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        store, frame = harness.program.store, harness.window.controller.frame
        talk, _answer = await talk_with_note(store)
        await frame.centre.open(talk)
        note = line(harness)
        assert note.text == "I will remember: «Trabalha à noite.»"

        note.edit_button.click()
        window = harness.window.findChild(MemoryWindow)
        assert window is not None
        (card,) = await shown(window, "turno")
        await until(lambda: not card.editor.isHidden(), "the editor")
        card.editor.setPlainText("Trabalha de manhã.")
        card.save_button.click()
        await until(lambda: [each.note.text for each in window.cards] == ["Trabalha de manhã."])

        note.undo_button.click()
        await until(lambda: "changed" in note.status, "the refusal")
        await store.memories.delete("/memories/turno")
        await put(store, "turno", "Trabalha à noite.", Place(talk, None, "c1"))
        note.undo_button.click()
        await until(lambda: "Undone" in note.status, "undone")
        assert await store.memories.listed() == []
        assert note.undo_button.isHidden()


async def test_what_stood_in_a_note_is_shown_and_put_back(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        store = harness.program.store
        await put(store, "rack", "Usa a R12.")
        await put(store, "turno", "Trabalha à noite.")
        await put(store, "turno", "Trabalha de manhã.")
        window = harness.window.controller.windows.open_memory()
        turno, rack = await shown(window, "turno", "rack")
        assert rack.earlier_button.isHidden()

        turno.earlier_button.click()
        await until(lambda: len(turno.restore_buttons) == 1, "the version before")
        turno.restore_buttons[0].click()

        await until(lambda: window.cards[0].note.text == "Trabalha à noite.", "the note as before")
        assert window.cards[0].note.version_count == 3


async def test_every_note_is_pinned_archived_found_and_deleted(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        store = harness.program.store
        await put(store, "rack", "Usa a R12.")
        await put(store, "turno", "Trabalha à noite.")
        window = harness.window.controller.windows.open_memory()
        turno, rack = await shown(window, "turno", "rack")

        rack.pin_button.click()
        rack, turno = await shown(window, "rack", "turno")
        turno.archive_button.click()
        await until(lambda: any(each.note.is_archived for each in window.cards), "archived")
        window.search_box.setText("noite")
        (turno,) = await shown(window, "turno")
        turno.delete_button.click()
        assert len(await store.memories.listed()) == 2
        turno.delete_button.click()
        await shown(window)
        window.search_box.setText("")
        await shown(window, "rack")

        window.new_box.setPlainText("A palavra-passe é verão")
        window.add_button.click()
        assert "password" in window.status.text()
        window.new_box.setPlainText("Prefere tabelas.")
        window.add_button.click()
        await shown(window, "rack", "prefere-tabelas")

        window.clear_button.click()
        assert len(await store.memories.listed()) == 2
        window.clear_button.click()
        await shown(window)
        assert not window.empty_label.isHidden()


async def test_the_settings_lead_to_the_notes(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        await put(harness.program.store, "rack", "Usa a R12.")
        dialog = harness.window.controller.open_settings("abilities")

        dialog.part(MemoryLink).button.click()

        window = harness.window.findChild(MemoryWindow)
        assert window is not None
        await shown(window, "rack")


async def test_a_note_opens_where_it_was_said(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        store, frame = harness.program.store, harness.window.controller.frame
        talk, answer = await talk_with_note(store)
        for number in range(80):
            await store.messages.add(talk, "user", [Text(f"pergunta {number}")])
        window = harness.window.controller.windows.open_memory()
        (card,) = await shown(window, "turno")

        card.open_button.click()

        await until(lambda: frame.centre.conversation is not None, "the conversation")
        view = frame.centre.page.view
        assert view is not None
        await until(lambda: view.history.entry(answer) is not None, "the message")
        assert view.conversation == talk


async def test_notes_are_exported_and_a_service_is_refused(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        store = harness.program.store
        await put(store, "rack", "Usa a R12.")
        window = MemoryWindow(
            memories=store.memories,
            open_message=lambda _talk, _message: None,
            service="api.example.com",
            can_change_station=True,
            tasks=harness.window.controller.windows._tasks,
            parent=harness.window,
        )
        await shown(window, "rack")
        await until(window.service_box.isChecked, "the service")

        window.service_box.click()
        window._on_file_selected(str(tmp_path / "notes.json"))
        window._on_file_selected(str(tmp_path / "notes.md"))
        for name in ("notes.json", "notes.md"):
            await until((tmp_path / name).exists, name)

        assert await store.memories.refused_services() == ["api.example.com"]
        notes = json.loads((tmp_path / "notes.json").read_text(encoding="utf-8"))
        assert [each["text"] for each in notes] == ["Usa a R12."]
        assert "## rack" in (tmp_path / "notes.md").read_text(encoding="utf-8")
        window.close()
