"""What was sent, as the wire saw it: listed, read whole, shown under its answer."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from qhub_desktop.app import Program
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Text
from qhub_desktop.core.settings import Settings
from tests.chat.fakes import Person
from tests.end_to_end.qhub_process import qhub_in_turn
from tests.ui_shell.window_harness import opened
from tests.waiting import PATIENCE_S, until
from tests.wire import Call, Refusal, WireServer, answer, calls
from tests.wire.scenes import Scene


def test_every_request_is_listed_as_it_arrived_there() -> None:
    scenes: list[Scene] = [
        calls(Call("contar_defeitos", {})),
        Refusal(529, "overloaded_error", "busy"),
        answer("São 200."),
    ]
    with WireServer(scenes) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url}
        asked, sent, listed = qhub_in_turn(
            [
                ("ask", "--engine", "claude", "Quantos defeitos há?"),
                ("sent", "--last", "5", "--json"),
                ("sent", "--last", "1"),
            ],
            environment=environment,
        )

    assert asked.code == 0, asked.err
    arrived = [each.body for each in server.requests]
    kept = sent.lines[::-1]
    assert [each["body"] for each in kept] == arrived
    assert len(arrived) == 3
    assert [each["usage"] is None for each in kept] == [False, True, False]
    assert {each["message"] for each in kept} == {kept[0]["message"]}
    assert kept[0]["bytes"] == len(
        json.dumps(arrived[0], ensure_ascii=False, separators=(",", ":")).encode()
    )
    (line,) = listed.out.splitlines()
    assert server.url.partition("//")[2] in line
    assert "tokens" in line


async def test_under_an_answer_its_requests_are_seen_and_copied(
    qapp: QApplication, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([answer("São duzentos.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        settings = Settings(language="en", engine="claude", theme="light")
        async with opened(qapp, settings=settings) as harness:
            page = harness.window.frame.centre.page
            ended = asyncio.Event()
            page.running_changed.connect(lambda _id, runs: None if runs else ended.set())
            page.ask("Quantos defeitos há?")
            await asyncio.wait_for(ended.wait(), PATIENCE_S)
            conversation = harness.window.frame.centre.conversation
            assert conversation is not None
            (stored,) = await harness.program.store.messages.latest(conversation.id, limit=1)
            assert Text("São duzentos.") in stored.blocks
            window = harness.window.controller.windows.open_sent(stored.id)
            await until(window.copy_button.isEnabled, "the request")
            window.copy_button.click()
            assert window.list.count() == 1
            assert json.loads(QGuiApplication.clipboard().text()) == server.requests[0].body
            assert "Quantos defeitos há?" in window.text.toPlainText()
            assert re.fullmatch(r"\d+ columns, 0 rows; \d+ tokens", window.sentence.text())
            assert not window.text.isVisible()
            window.json_button.click()
            assert window.text.isVisible()
            window.close()
            nothing = harness.window.controller.windows.open_sent(MessageId(stored.id + 100))
            await until(nothing.note.isVisible, "the note")
            assert not nothing.list.isVisible()
            nothing.close()


async def test_where_none_is_to_be_kept_none_is_and_the_earlier_ones_go(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([answer("São 200."), answer("São 200."), answer("São 200.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        program = Program(engine="claude")
        kept = []
        for days in (30, 0, 30):
            program.chosen.replace(replace(program.settings, sent_days=days))
            talk = (await program.store.conversations.create("analise")).id
            await program.turns.reply(talk, "Quantos?", audience=Person())
            kept.append(len(await program.store.sent.latest(limit=9)))
        program.chosen.replace(replace(program.settings, sent_days=0))
        await program.warm()
        kept.append(len(await program.store.sent.latest(limit=9)))
        await program.close()

    assert kept == [1, 0, 1, 0]
    assert len(server.requests) == 3
