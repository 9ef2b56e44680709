"""Habits in a window: counted once enough conversations rest, with subjects a model has named."""

from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.message import Text
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import patterns
from tests.ui_shell.window_harness import opened
from tests.wire import Refusal, WireServer, answer

NAMED = answer('[{"nome": "Crateras", "palavras": ["crateras"]}]')


@pytest.mark.parametrize("scene", [NAMED, Refusal(400, "invalid_request_error", "no")])
async def test_subjects_are_named_once_however_often_the_window_looks(
    qapp: QApplication, home: Any, monkeypatch: pytest.MonkeyPatch, scene: Any
) -> None:
    monkeypatch.setattr(patterns, "REST", timedelta(0))
    with WireServer([scene]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        settings = Settings(language="en", engine="claude", patterns_every=3)
        async with opened(qapp, settings=settings) as harness:
            store, centre = harness.program.store, harness.window.frame.centre
            for day in range(3):
                talk = (await store.conversations.create("analise")).id
                for question in (f"crateras na linha {day}?", "e agora?"):
                    await store.messages.add(talk, "user", [Text(question)])
                    said = await store.messages.add(talk, "assistant", [Text("São 62.")])
                    await store.messages.end(said.id, "complete", engine="claude")

            for _minute in range(3):
                await centre.count_habits()

            assert len(server.requests) == 1
            assert ["Crateras" in each.text for each in await store.patterns.listed()] == (
                [True] if scene is NAMED else []
            )
