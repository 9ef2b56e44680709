"""Conversations as files: all that they hold, exactly back from JSON; no hostile file comes in."""

import copy
import json
import random
import re
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from qhub_desktop.app import Program
from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.citations import citation_mark
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.documents import Citation, DocumentPlace
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import (
    Block,
    Chip,
    Choice,
    Clarification,
    Interpretation,
    Message,
    Notice,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, Provenance, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.tools.conversation_document import html_of_markdown, markdown_of, page_of
from qhub_desktop.tools.conversation_files import read_file
from tests.store.test_people import account

SOURCE = Provenance("defeitos", "março|abril.xlsx", "Folha 1", 62, 200, "SELECT 1 -- `a`", 2)
DAYS = Table(
    (Column("dia", "date"), Column("turno | nome", "category"), Column("média", "number")),
    (
        (date(2026, 2, 1), "manhã *x*", 1.5),
        (date(2026, 2, 2), None, float("nan")),
        (None, "<b>noite</b>", float("inf")),
    ),
)
COUNTS = Table(
    (Column("tipo", "category"), Column("total", "integer")), (("lixo", 62), ("gordura", 24))
)


def widgets() -> tuple[Any, ...]:
    figure = draw("bar", "Por tipo", COUNTS, x="tipo", y=["total"])
    return (
        Chart("bar", figure, COUNTS, SOURCE),
        TableView("Dias", DAYS, 900, SOURCE),
        Kpi("Total", 62, "peças", 0.05, 50, "bad", SOURCE),
        DashboardLink("Painel", "qhub://dashboards/0123456789ab"),
    )


async def lived(program: Program) -> ConversationId:
    """A conversation with a block of every kind; its id."""
    store = program.store
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text("Quantos de lixo?\n  **assim**?")])
    first, *more = widgets()
    answer = await store.messages.add(made.id, "assistant", engine="offline")
    blocks: list[Block] = [
        Interpretation({"plano": 1}, (Chip("measure", "contagem", (Choice("x", {}),)),)),
        ToolCall("c1", "contar_defeitos", {"tipo_defeito": "lixo", "n": 5}),
        ToolResult("c1", {"total": 62, "por": [1.5, None]}, first, SOURCE, ms=12, more=tuple(more)),
        ToolCall("c2", "top_defeitos", {}),
        ToolResult("c2", "falhou", is_error=True, source=SOURCE),
        Text("Há **62** de lixo.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- um\n- dois"),
        Notice("offline", "Sem rede."),
        Clarification("Qual?", (Choice("manhã", {}, "73"),)),
    ]
    for position, block in enumerate(blocks):
        await store.messages.put_block(answer.id, position, block)
    await store.messages.end(answer.id, "limit", engine="offline")
    await store.messages.rate(answer.id, -1)
    await store.messages.add(made.id, "assistant", [Text("a meio")])
    await store.datasets.pin(made.id, "0123456789ab-1", "março")
    await store.datasets.pin(made.id, "0123456789ab-3.2", "outra", is_used=False)
    await store.conversations.set_pinned(made.id, is_pinned=True)
    return made.id


def without_ids(file: Path) -> Any:
    data = json.loads(file.read_text(encoding="utf-8"))
    del data["conversation"]["id"]
    for message in data["messages"]:
        del message["id"]
    return data


async def test_a_conversation_comes_back_exactly_but_for_its_ids(tmp_path: Path) -> None:
    program = Program()
    first, second = tmp_path / "uma.json", tmp_path / "outra.json"
    id_ = await lived(program)
    before = await program.store.messages.latest(id_)

    await program.conversation_files.export(id_, first)
    imported = await program.conversation_files.import_file(first)
    made = imported.conversation
    await program.conversation_files.export(made.id, second)

    assert made.id != id_
    assert (imported.left_out, imported.notice) == ((), "")
    assert without_ids(first) == without_ids(second)
    after = await program.store.messages.latest(made.id)
    assert [repr(each.blocks) for each in after] == [repr(each.blocks) for each in before]
    assert {each.id for each in after}.isdisjoint(each.id for each in before)
    assert await program.store.messages.latest(id_) != []
    found = await program.store.conversations.listed(search="assim")
    assert {each.id for each in found} == {id_, made.id}
    await program.close()


async def test_markdown_has_results_widgets_and_sources(tmp_path: Path) -> None:
    program = Program()
    target = tmp_path / "conversa.md"
    await program.conversation_files.export(await lived(program), target)
    await program.close()

    text = target.read_text(encoding="utf-8")
    for words in (
        "# Quantos de lixo?",
        "> Quantos de lixo?\n>   **assim**?",
        "**A contar defeitos** (12 ms)",
        "- **Tipo defeito:** lixo",
        "- **Total:** 62",
        "- **Por:** 1,5, —",
        "### Por tipo",
        "| lixo | 62 |",
        "| dia | turno \\| nome | média |",
        "manhã \\*x\\*",
        "\\<b>noite\\</b>",
        "**62 peças**",
        "SELECT 1 -- `a`",
        "março|abril.xlsx",
        "qhub://dashboards/0123456789ab",
        "*Sem rede.*",
        "- manhã: 73",
    ):
        assert words in text, words


async def test_paper_has_the_drawn_charts_tables_and_sources(tmp_path: Path) -> None:
    program = Program()
    id_ = await lived(program)
    conversation = await program.store.conversations.find(id_)
    messages = await program.store.messages.latest(id_)
    page = page_of(conversation, messages, agent="Análise", tools=program.tools)
    for words in (
        'data-drawing="w0"',
        "<th>dia</th>",
        "kpi-value",
        "março|abril.xlsx",
        "SELECT 1",
        "<b>A contar defeitos</b> (12 ms)",
        "<li>Tipo defeito: lixo</li><li>N: 5</li>",
        "<li>falhou</li>",
    ):
        assert words in page.document, words
    assert "tipo_defeito" not in page.document
    assert "<b>noite</b>" not in page.document

    target = tmp_path / "conversa.pdf"
    await program.conversation_files.export(id_, target)
    await program.close()

    content = target.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(content) > 10_000
    (width, height) = map(float, re.findall(rb"/MediaBox ?\[0 0 (\S+) (\S+)\]", content)[0])
    assert width < height


def test_markup_of_an_answer_is_shown_and_never_followed() -> None:
    hostile = (
        "# <script>alert(1)</script>\n<img src=x onerror=y>\n`<b>`\n**<i>**\n"
        "```html\n<script>1</script>\n```\n| <u> | x |\n|---|---|\n| <s> | [a](javascript:1) |"
    )

    made = html_of_markdown(hostile)

    for tag in ("<script", "<img", "<u>", "<s>", "href"):
        assert tag not in made
    assert "&lt;script&gt;alert(1)" in made


def test_what_a_person_and_an_engine_said_can_not_leave_their_place() -> None:
    now = datetime(2026, 2, 1, tzinfo=UTC)
    said = Conversation(ConversationId("a" * 12), "analise", "# x\n<b>", now, now)
    result = ToolResult("c", {"x": "```\n# fora"})
    messages = [
        Message(
            MessageId(1), "assistant", (ToolCall("c", "a*b*", {}), result), now, engine="<x>\n# y"
        )
    ]

    lines = list(markdown_of(said, messages, agent="A\n# B", tools={}))

    assert [line for line in lines if line.startswith("# ")] == ["# \\# x \\<b>"]
    assert "````" in lines
    assert any(line.startswith("**a\\*b\\*** (") for line in lines)


def test_citations_stand_in_brackets_with_their_quotes_below() -> None:
    now = datetime(2026, 2, 1, tzinfo=UTC)
    said = Conversation(ConversationId("a" * 12), "analise", "Polir", now, now)
    cited = Citation(
        3, "ab" * 32, "polir <b>.pdf", "IT-PIN-014", "6", DocumentPlace(page=3), "Duas *vezes*."
    )
    text = Text(f"Duas {citation_mark(cited, 1)}(sic).")
    messages = [Message(MessageId(1), "assistant", (text, cited), now)]

    written = "\n".join(markdown_of(said, messages, agent="A", tools={}))
    paper = page_of(said, messages, agent="A", tools={}).document

    assert "Duas \\[IT-PIN-014 rev. 6, p. 3\\](sic)." in written
    assert "- [IT-PIN-014 rev. 6, p. 3], polir \\<b>.pdf: «Duas \\*vezes\\*.»" in written
    assert "<p>Duas [IT-PIN-014 rev. 6, p. 3](sic).</p>" in paper
    assert "[IT-PIN-014 rev. 6, p. 3], polir &lt;b&gt;.pdf: «Duas *vezes*.»" in paper
    assert "qhub-citation" not in written + paper


def test_what_a_tool_took_and_gave_is_told_in_words_and_rows_as_a_table() -> None:
    now = datetime(2026, 2, 1, tzinfo=UTC)
    said = Conversation(ConversationId("a" * 12), "analise", "Linhas", now, now)
    sql = "SELECT turno,\n count(*) AS n FROM defeitos GROUP BY 1"
    rows: Json = {
        "colunas": ["turno", "n|<b>"],
        "tipos": ["category", "integer"],
        "linhas": [["manha", 1234], [None, 0.5]],
        "total_linhas": 900,
        "avisos": ["a|b"],
    }
    python = {"codigo": "x = 1\nx", "descricao": "Soma"}
    record = {"tipo_defeito": "lixo", "posicao": 3}
    blocks: list[Block] = [
        ToolCall("1", "consultar_dados", {"sql": sql, "limite": 2}),
        ToolResult("1", rows, source=replace(SOURCE, sql=sql)),
        ToolCall("2", "executar_python", cast("JsonObject", python)),
        ToolResult("2", {"output": "1\n2", "sucesso": True}),
        ToolCall("3", "registar_defeito", cast("JsonObject", record)),
        ToolResult("3", {"erro": "falta: <turno>"}, is_error=True),
    ]
    messages = [Message(MessageId(1), "assistant", tuple(blocks), now)]
    tools = Program().tools

    paper = page_of(said, messages, agent="Análise", tools=tools).document
    written = "\n".join(markdown_of(said, messages, agent="Análise", tools=tools))

    for words in (
        "<b>A consultar os dados</b>",
        "<li>Limite: 2</li>",
        "<th>turno</th><th>n|&lt;b&gt;</th>",
        "<td>manha</td><td>1\xa0234</td>",
        "<td></td><td>0,5</td>",
        "<li>Total linhas: 900</li>",
        "<li>Código: <pre>x = 1\nx</pre></li><li>O que faz: Soma</li>",
        "<li>Output: <pre>1\n2</pre></li><li>Sucesso: sim</li>",
        "<li>Defeito: lixo</li><li>Posição: 3</li>",
        "<li>Erro: falta: &lt;turno&gt;</li>",
    ):
        assert words in paper, words
    assert paper.count("SELECT turno") == written.count("SELECT turno") == 1
    for words in (
        "| turno | n\\|\\<b> |",
        "| manha | 1\xa0234 |",
        "- **Código:**\n\n```\nx = 1\nx\n```",
        "- **Posição:** 3",
        "- **Erro:** falta: \\<turno>",
    ):
        assert words in written, words
    assert "{" not in written


async def test_a_suffix_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    program = Program()
    id_ = await lived(program)
    with pytest.raises(UserError, match=r"\.md, \.json, \.pdf"):
        await program.conversation_files.export(id_, tmp_path / "x.docx")
    with pytest.raises(UserError, match="conversa 000000000000"):
        await program.conversation_files.export(ConversationId("0" * 12), tmp_path / "x.md")
    await program.close()
    assert not (tmp_path / "x.docx").exists()


async def test_an_agent_that_is_not_there_gives_way_to_one_that_is(tmp_path: Path) -> None:
    program = Program()
    file = await exported(program, tmp_path)
    data = json.loads(file.read_text(encoding="utf-8"))
    data["conversation"]["agent"] = "pintura"
    file.write_text(json.dumps(data), encoding="utf-8")

    made = (await program.conversation_files.import_file(file)).conversation

    assert made.agent in program.agents
    await program.close()


async def test_a_file_that_names_somebody_elses_data_set_brings_no_access_to_it(
    tmp_path: Path,
) -> None:
    program = Program()
    file = await exported(program, tmp_path)  # names 'março' and 'outra'
    secret = tmp_path / "salários.csv"
    secret.write_text("nome;salario\nana;5000\n", encoding="utf-8")
    ana = await account(program.store, "ana", "admin")
    rui = await account(program.store, "rui", "operador", ["qualidade"])
    program.enter(ana)
    talk = await program.store.conversations.create("analise")
    (profile,) = await program.workspace.load(secret)
    await program.store.datasets.pin(talk.id, profile.id, "salários")
    data = json.loads(file.read_text(encoding="utf-8"))
    data["conversation"]["agent"] = "qualidade"
    data["data_sets"].append({"id": profile.id, "name": "salários", "is_used": True})
    file.write_text(json.dumps(data), encoding="utf-8")

    program.store.enter(rui)
    imported = await program.conversation_files.import_file(file)
    again = await program.conversation_files.import_file(file)  # not by what came in before either
    await program.store.conversations.set_deleted(imported.conversation.id, is_deleted=True)
    for made in (imported, again):
        assert made.left_out == ("março", "outra", "salários")
        assert "salários" in made.notice
        assert await program.store.datasets.pinned(made.conversation.id, include_unused=True) == []
    profiles = await program.conversation_datasets.profiles(again.conversation.id)
    assert [each.dataset for each in profiles] == ["defeitos"]

    own = await program.store.conversations.create("qualidade")
    await program.store.datasets.pin(own.id, profile.id, "own name")  # who drops the file has it
    third = await program.conversation_files.import_file(file)
    pins = await program.store.datasets.pinned(third.conversation.id)
    assert [(pin.dataset_id, pin.name) for pin in pins] == [(profile.id, "salários")]
    program.store.enter(ana)
    back = await program.conversation_files.import_file(file)
    assert back.left_out == ()  # what the station had is hers
    await program.close()


async def exported(program: Program, folder: Path) -> Path:
    file = folder / "conversa.json"
    await program.conversation_files.export(await lived(program), file)
    return file


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value in JSON stands."""
    found = [path] if path else []
    each: Any
    for name, each in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        found += places(each, (*path, name))
    return found


ODD: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1e308,
    "",
    "x",
    "\ud800",
    "../../etc",
    [],
    {},
    [[]],
    {"type": "text"},
]


async def test_whatever_is_changed_in_a_file_it_is_refused_or_can_be_shown(
    tmp_path: Path,
) -> None:
    program = Program()
    file = await exported(program, tmp_path)
    whole = json.loads(file.read_text(encoding="utf-8"))
    chance = random.Random(15)
    before = len(await program.store.conversations.listed())
    taken = refused = 0
    for place in chance.sample(places(whole), 200):
        data = copy.deepcopy(whole)
        inside = data
        for step in place[:-1]:
            inside = inside[step]
        if chance.random() < 0.3:
            del inside[place[-1]]
        else:
            inside[place[-1]] = chance.choice(ODD)
        file.write_text(json.dumps(data), encoding="utf-8")
        try:
            made = (await program.conversation_files.import_file(file)).conversation
        except UserError:
            refused += 1
            continue
        taken += 1
        for suffix in (".md", ".json"):
            await program.conversation_files.export(made.id, tmp_path / f"again{suffix}")
        page_of(made, await program.store.messages.latest(made.id), agent="x", tools=program.tools)
        read_file(tmp_path / "again.json")

    assert refused > 60
    assert len(await program.store.conversations.listed(limit=1000)) == before + taken
    await program.close()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"not json",
        b'{"format": "qhub-conversation"}',
        b'{"format": "other", "version": 1}',
        b"[" * 100_000,
        b'{"format": "qhub-conversation", "version": 1, "form": 1, "x": ' + b"9" * 5000 + b"}",
        b"<html>",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_no_conversation_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "estranho.json"
    file.write_bytes(content)

    with pytest.raises(UserError, match="is not a conversation that QHub has exported"):
        read_file(file)


def test_a_newer_file_a_huge_one_and_one_that_is_not_there_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tmp_path / "nova.json"
    newer.write_text('{"format": "qhub-conversation", "version": 2, "form": 1}', encoding="utf-8")
    with pytest.raises(UserError, match="newer version"):
        read_file(newer)
    with pytest.raises(UserError):
        read_file(tmp_path / "nada.json")
    monkeypatch.setattr("qhub_desktop.tools.conversation_files.LARGEST_BYTES", 10)
    with pytest.raises(UserError, match="more than 0 MB"):
        read_file(newer)


def test_names_of_data_sets_that_are_paths_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    for id_ in ("../../../etc", "0123456789ab-1/..", "C:\\x-1", "", "0123456789AB-1"):
        data = {
            "format": "qhub-conversation",
            "version": 1,
            "form": 1,
            "conversation": {
                "id": "x",
                "agent": "analise",
                "title": "t",
                "is_pinned": False,
                "is_archived": False,
                "created": "2026-01-01T00:00:00+00:00",
                "updated": "2026-01-01T00:00:00+00:00",
            },
            "data_sets": [{"id": id_, "name": "a", "is_used": True}],
            "messages": [],
        }
        file.write_text(json.dumps(data), encoding="utf-8")
        with pytest.raises(UserError, match="name of a data set"):
            read_file(file)
