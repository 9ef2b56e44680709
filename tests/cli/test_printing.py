"""What the command line prints of an answer: lines for a program, or for a person."""

import json
import random
import sys
import unicodedata
from collections.abc import Callable
from functools import partial

import pytest

from qhub_desktop.cli.printing import MARK, JsonAudience, TextAudience
from qhub_desktop.core.citations import citation_mark
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import Citation, DocumentPlace
from qhub_desktop.core.events import (
    ApprovalAsked,
    Done,
    StatusChanged,
    TextAdded,
    ToolUsed,
    WidgetShown,
)
from qhub_desktop.core.message import (
    CheckedNumber,
    Chip,
    Choice,
    Clarification,
    Interpretation,
    NumberCheck,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.table import Table
from tests.cli.terminal import at_a_terminal, posix_alone, typing

PLAN: JsonObject = {"plan": "count", "days": {"date": "2026-02-01"}}
UNDERSTOOD = Interpretation(
    PLAN,
    (Chip("measure", "média", (Choice("soma", {}),)), Chip("dimension", "mês")),
    (Choice("mediana", {"plan": "median"}),),
    next=(Choice("por turno", {}),),
)
QUESTION = Clarification("Qual?", (Choice("ciclo", PLAN, "3,4 min"), Choice("secagem", {})))


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
        "others": [{"label": "mediana", "plan": {"plan": "median"}}],
        "next": ["por turno"],
    }


def test_a_program_reads_what_can_be_answered(capsys: pytest.CaptureFixture[str]) -> None:
    JsonAudience().show(QUESTION)

    assert json.loads(capsys.readouterr().out) == {
        "type": "question",
        "text": "Qual?",
        "choices": ["ciclo", "secagem"],
        "values": ["3,4 min", ""],
        "call_id": "",
        "is_multiple": False,
        "takes_text": True,
        "wait_s": None,
    }


CITED = Citation(
    3, "ab" * 32, "polir.pdf", "IT-PIN-014", "6", DocumentPlace(page=3), "Duas\nvezes."
)


def test_a_citation_is_an_event_behind_its_mark(capsys: pytest.CaptureFixture[str]) -> None:
    for event in (TextAdded(citation_mark(CITED, 1)), CITED):
        JsonAudience().show(event)

    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"type": "text", "content": "[IT-PIN-014 rev. 6, p. 3]"},
        {
            "type": "citation",
            "document": 3,
            "file": "polir.pdf",
            "code": "IT-PIN-014",
            "revision": "6",
            "place": "p. 3",
            "quote": "Duas\nvezes.",
        },
    ]


def test_a_person_reads_the_quotes_below_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    audience = TextAudience()

    words = (TextAdded("Duas "), TextAdded(citation_mark(CITED, 1)), CITED, TextAdded(". Fim."))
    for event in (*words, Done("complete")):
        audience.show(event)

    assert capsys.readouterr().out.splitlines() == [
        "Duas [IT-PIN-014 rev. 6, p. 3]. Fim.",
        "  [IT-PIN-014 rev. 6, p. 3] «Duas vezes.»",
    ]


def test_numbers_of_no_tool_are_told_beside_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check = NumberCheck(
        (CheckedNumber(0, 4, 6, "supported", "c1"), CheckedNumber(0, 9, 11, "unsupported"))
    )
    JsonAudience().show(check)
    counts = {"type": "figures", "supported": 1, "derived": 0, "unsupported": 1}
    assert json.loads(capsys.readouterr().out) == counts

    audience = TextAudience()
    for event in (TextAdded("São 62, 77."), check, Done("complete")):
        audience.show(event)
    told = capsys.readouterr()
    assert told.out.splitlines() == ["São 62, 77."]
    assert "1 number comes from no tool." in told.err


def test_a_person_reads_no_escapes_of_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    audience = TextAudience()

    for event in (TextAdded("«3\\. Fechar a \\*válvula\\*»"), Done("complete")):
        audience.show(event)

    assert capsys.readouterr().out.splitlines() == ["«3. Fechar a *válvula*»"]


def test_a_person_reads_what_was_understood_under_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    audience = TextAudience()

    for event in (TextAdded("São 4,5."), UNDERSTOOD, QUESTION):
        audience.show(event)

    assert capsys.readouterr().out.splitlines() == [
        "São 4,5.",
        "média · mês",
        "  - por turno",
        "Qual?",
        "  - ciclo: 3,4 min",
        "  - secagem",
    ]


FORGED = "Confirm before anything is written. Type 2345 to confirm, or only Enter to refuse: "
FORGED_ENDS = [
    "\n",
    "\r",
    "\r\n",
    "\x0b",
    "\x0c",
    "\x85",
    "\u2028",
    "\u2029",
    "\x1b[2K\r",
    "\x1b[80C",
]
FORGED_ENDS += [
    "\x9b2J",
    "\x1b]0;t\x07",
    "\x1bE",
    "\x84",
    "\x8d",
    "\b" * 90,
    "\t" * 9,
    "\t" * 11,
    "\x1b[1;1H",
]
FORGED_ENDS += [
    each * n for each in "x 漢é—🏭\u0301\u200b\u202e\ufe0f\u3164\xa0" for n in (38, 39, 77, 78, 156)
]


def rows_of(seen: str, columns: int, wide: Callable[[str], int]) -> list[str]:
    """Return the rows of a terminal that begins a new one where a character does not fit."""
    rows = [""]
    at = 0
    for character in seen:
        if character in "\n\r":
            rows.append("")
            at = 0
            continue
        width = 8 - at % 8 if character == "\t" else wide(character)
        if at + width > columns:
            rows.append("")
            at = 0
        rows[-1] += character
        at += width
    return rows


def width_of(character: str, *, ambiguous: int) -> int:
    """Return how many columns a terminal gives a character."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    kind = unicodedata.east_asian_width(character)
    return 2 if kind in "WF" else ambiguous if kind == "A" else 1


@posix_alone
@pytest.mark.parametrize("columns", [12, 40, 80])
def test_no_row_of_an_answer_looks_like_a_line_of_the_program(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(columns)
    with at_a_terminal(monkeypatch, columns=columns) as terminal:
        audience = TextAudience()
        for end in FORGED_ENDS:
            audience.show_question(f"a{end}{FORGED}")
            text = f"{chance.choice(FORGED_ENDS)}a{end}{FORGED}{end}"
            cut = chance.randrange(len(text))
            for piece in (text[:cut], text[cut:]):
                audience.show(TextAdded(piece))
            audience.show(StatusChanged("retrying", FORGED + end))
            audience.show(ToolUsed(ToolCall("1", f"a{end}{FORGED}", {}), ToolResult("1", None)))
            audience.show(Clarification(f"a{end}{FORGED}", (Choice(f"{end}{FORGED}", {}),)))
            audience.show(WidgetShown(TableView(f"{end}{FORGED}", Table((), ()), 0)))
        audience.show(Done("complete"))

    for ambiguous in (1, 2):
        rows = rows_of(terminal.seen, columns, partial(width_of, ambiguous=ambiguous))
        assert len(rows) > 400
        assert {row[:2] for row in rows[:-1]} == {MARK, "> "}
        assert rows[-1] == ""


def test_an_answer_for_a_file_or_a_program_has_no_marks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    audience = TextAudience()
    long = "São 4,5.\n" + "x" * 200

    audience.show_question(long)
    audience.show(TextAdded(long))
    audience.show(Done("complete"))

    assert capsys.readouterr().out == f"> {long}\n{long}\n"


@posix_alone
@pytest.mark.parametrize("end", FORGED_ENDS[:12])
async def test_a_call_to_be_approved_can_forge_no_line(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = f"lixo{end}{FORGED}"
    call = ToolCall("1", "registar_defeito", {"tipo": forged, "código": 1, forged: [forged]})
    with at_a_terminal(monkeypatch, typing("\n")) as terminal:
        audience = TextAudience()
        audience.show(TextAdded(f"Escreva sim.{end}{FORGED}"))

        approved = await audience.approve(ApprovalAsked(call, "Write it?", "Registar"))

    assert approved is None
    ours = [row for row in rows_of(terminal.seen, 80, len) if row and not row.startswith(MARK)]
    name, prompt = ours
    assert name == "registar_defeito"
    assert prompt.startswith("Write it? ")


@posix_alone
async def test_what_runs_is_the_code_that_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "x = 'a\u202eb\u200b\xa0'\r\n# \x1b[2K\u2028y = 1\n\tz = '⚠\ufe0f'"
    call = ToolCall("1", "executar_python", {"codigo": code, "descricao": "Soma\u202e"})
    with at_a_terminal(monkeypatch, typing("number")) as terminal:
        request = ApprovalAsked(call, "Run it?", "Run", code="codigo")
        approved = await TextAudience().approve(request)

    shown = "x = 'a\\u202eb\\u200b\\xa0'\n# \\x1b[2K\\u2028y = 1\n\tz = '⚠\\ufe0f'"
    assert approved == {**call.input, "codigo": shown}
    assert terminal.seen.split("\n")[2:5] == [
        f"{MARK}    {line}" for line in shown.replace("\t", " ").split("\n")
    ]
    assert "descricao: Soma\ufffd" in terminal.seen
