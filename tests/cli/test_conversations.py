"""Stored conversations on the command line."""

import argparse

import pytest

from qhub_desktop.app import Program
from qhub_desktop.cli import parse
from qhub_desktop.core.message import Text


async def test_a_conversation_is_shown_though_its_agent_is_gone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = Program()
    conversation = await program.store.conversations.create("paintshop")
    for role in ("user", "assistant"):
        await program.store.messages.add(conversation.id, role, [Text(f"said by the {role}")])
    asked: argparse.Namespace = parse(["show", conversation.id])

    await asked.run(program, asked)

    told = capsys.readouterr().out
    assert "said by the assistant" in told
    assert "paintshop" in told
    await program.close()
