"""What was said before, found in a conversation: each hit opens where it was said."""

from PySide6.QtWidgets import QApplication, QFrame

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from qhub_desktop.ui.chat.answer import AnswerView, RecallLine
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

OFFLINE = Settings(language="pt", engine="offline")


async def long_talk(store: Store) -> tuple[ConversationId, MessageId]:
    """A conversation of many questions, and the first of them."""
    talk = (await store.conversations.create("analise")).id
    first = await store.messages.add(talk, "user", [Text("há crateras na R12?")])
    for number in range(80):
        await store.messages.add(talk, "user", [Text(f"pergunta {number}")])
    return talk, first.id


def found_in(harness: WindowHarness) -> list[RecallLine]:
    """The lines of what was found, in the open conversation."""
    view = harness.window.controller.frame.centre.page.view
    answers = () if view is None else view.transcript.entries
    return [
        line
        for each in answers
        if isinstance(each, AnswerView)
        for line in each.entries(RecallLine)
    ]


async def test_a_hit_opens_at_its_message_which_is_marked_for_a_moment(
    qapp: QApplication,
) -> None:
    async with opened(qapp, settings=OFFLINE) as harness:
        centre = harness.window.controller.frame.centre
        talk, first = await long_talk(harness.program.store)
        centre.page.ask("o que vimos sobre crateras?")
        await until(lambda: bool(found_in(harness)), "what was found")
        (line,) = found_in(harness)
        assert "há crateras na R12?" in line.buttons[0].text()

        line.buttons[0].click()

        await until(
            lambda: centre.conversation is not None and centre.conversation.id == talk, "the talk"
        )
        view = centre.page.view
        assert view is not None

        def marks() -> list[QFrame]:
            return view.transcript.findChildren(QFrame, "marker")

        await until(lambda: bool(marks()), "the mark")
        entry = view.history.entry(first)
        assert entry is not None
        (mark,) = marks()
        assert (mark.y(), mark.height()) == (entry.y(), entry.height())
        top = view.transcript.verticalScrollBar().value()
        assert top <= entry.y() < top + view.transcript.viewport().height()
        await until(lambda: not marks(), "the end of the mark")


async def test_nothing_damaged_or_of_another_tool_is_a_hit_and_none_is_opened_for_others(
    qapp: QApplication,
) -> None:
    hit: JsonObject = {
        "conversa": "0" * 12,
        "mensagem": 7,
        "data": "2026-03-01T06:00",
        "titulo": "",
        "excerto": "x",
    }
    answer = AnswerView(make_card=lambda widget: QFrame())
    calls: list[tuple[str, list[Json]]] = [
        ("procurar_conversas", [{**hit, "data": "ontem"}, {"conversa": 1}, 3, None]),
        ("ler", [hit]),
        ("procurar_conversas", [hit, {**hit, "mensagem": "x"}]),
    ]
    for number, (tool, found) in enumerate(calls):
        answer.start_tool(ToolCall(f"c{number}", tool, {}))
        answer.finish_tool(ToolResult(f"c{number}", {"mensagens": found}))

    (line,) = answer.entries(RecallLine)
    (button,) = line.buttons
    opened_at: list[tuple[str, int]] = []
    answer.message_opened.connect(lambda talk, message: opened_at.append((talk, message)))
    button.click()
    assert opened_at == [("0" * 12, 7)]
    answer.make_read_only()
    assert line.isHidden()
