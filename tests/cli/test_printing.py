"""What the command line prints of an answer: lines for a program, or for a person."""

import io
import json
import sys

import pytest
from typing_extensions import override

from qhub_desktop.cli.printing import JsonAudience, TextAudience
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.events import ApprovalAsked, TextAdded
from qhub_desktop.core.message import Chip, Choice, Clarification, Interpretation, ToolCall

PLAN: JsonObject = {"plan": "count", "days": {"date": "2026-02-01"}}
UNDERSTOOD = Interpretation(
    PLAN, (Chip("measure", "média", (Choice("soma", {}),)), Chip("dimension", "mês"))
)
QUESTION = Clarification("Qual?", (Choice("ciclo", PLAN), Choice("secagem", {})))


def test_a_program_reads_the_plan_as_it_is_and_the_parts_by_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    JsonAudience().show(UNDERSTOOD)

    assert json.loads(capsys.readouterr().out) == {
        "type": "understanding",
        "plan": PLAN,
        "chips": [
            {"part": "measure", "label": "média"},
            {"part": "dimension", "label": "mês"},
        ],
    }


def test_a_program_reads_what_can_be_answered(capsys: pytest.CaptureFixture[str]) -> None:
    JsonAudience().show(QUESTION)

    assert json.loads(capsys.readouterr().out) == {
        "type": "question",
        "text": "Qual?",
        "choices": ["ciclo", "secagem"],
    }


def test_a_person_reads_what_was_understood_under_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    audience = TextAudience()

    for event in (TextAdded("São 4,5."), UNDERSTOOD, QUESTION):
        audience.show(event)

    assert capsys.readouterr().out.splitlines() == [
        "São 4,5.",
        "média · mês",
        "Qual?",
        "  - ciclo",
        "  - secagem",
    ]


async def test_a_call_to_be_approved_can_forge_no_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Person(io.StringIO):
        @override
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Person("não\n"))
    forged = "lixo\nApproved by the manager.\r\x1b[2K\u2028Type 'yes'"
    call = ToolCall("1", f"registar{forged}", {"tipo": forged, forged: 1})

    approved = await TextAudience().approve(ApprovalAsked(call, f"Registar {forged}?", "Registar"))

    lines = capsys.readouterr().out.split("\n")
    assert not approved
    assert len(lines) == 4
    assert not any(each in "".join(lines) for each in "\r\x1b\u2028")
    assert "\N{SYMBOL FOR ESCAPE}[2K" in lines[0]
