"""Stored conversations on the command line."""

import argparse
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.cli import parse
from qhub_desktop.core.message import Text
from qhub_desktop.core.paths import home
from qhub_desktop.store import FILE
from tests.cli.conftest import Call
from tests.end_to_end.qhub_process import qhub_in_turn


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


def test_a_conversation_goes_to_a_file_and_comes_back_as_another(tmp_path: Path) -> None:
    (asked,) = qhub_in_turn(
        [["ask", "--engine", "offline", "--json", "top 3 defeitos num gráfico"]]
    )
    id_ = asked.conversation
    written = [tmp_path / f"conversa{suffix}" for suffix in (".md", ".json", ".pdf")]

    *exports, again, unknown, taken, refused = qhub_in_turn(
        [
            *(["conversations", "export", id_, "--to", str(file)] for file in written),
            ["conversations", "export", id_, "--to", str(written[0])],
            ["conversations", "export", "0" * 12, "--to", str(tmp_path / "x.md")],
            ["conversations", "import", str(written[1]), "--json"],
            ["conversations", "import", str(written[0])],
        ]
    )

    assert [each.code for each in exports] == [0, 0, 0], exports
    assert "| lixo | 62" in written[0].read_text(encoding="utf-8")
    assert written[2].read_bytes().startswith(b"%PDF-")
    assert (again.code, unknown.code, refused.code) == (1, 1, 1)
    assert "--overwrite" in again.err
    assert "não é uma conversa exportada" in refused.err
    (made,) = taken.lines
    shown, original, listed = qhub_in_turn(
        [["show", made["id"], "--json"], ["show", id_, "--json"], ["conversations", "--json"]]
    )
    assert [each["blocks"] for each in shown.lines[0]["messages"]] == [
        each["blocks"] for each in original.lines[0]["messages"]
    ]
    assert {each["id"] for each in listed.lines[0]} == {id_, made["id"]}


def test_how_a_question_is_read_is_explained_beside_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "entregas.csv"
    rows = [f"C{at % 3};{at + 1},5;2026-03-{at + 1:02}" for at in range(20)]
    file.write_text("\n".join(["Cliente;Peso kg;Data", *rows]), encoding="utf-8")
    asked = ["ask", "--engine", "offline", "--file", str(file)]

    plain, explained = qhub_in_turn(
        [[*asked, "peso médio por cliente"], [*asked, "--explain", "peso kg total por cliente"]]
    )

    assert (plain.code, explained.code) == (0, 0)
    assert "**80,5**" in explained.out
    assert "left to right" not in plain.err
    assert "'cliente': column Cliente" in explained.err
    assert "rules of the best plan: roles.take_measured, roles.take_behind_by" in explained.err
    assert "'kind': 'sum', 'column': 'Peso kg'" in explained.err
    assert ": answered" in explained.err


def test_damage_is_found_repaired_from_a_copy_and_told_of(call: Call) -> None:
    _code, out, _err = call("ask", "--engine", "offline", "--json", "quantos defeitos?")
    id_ = json.loads(out.splitlines()[0])["id"]
    _code, out, _err = call("backup", "--json")
    copy = json.loads(out)["name"]
    with closing(sqlite3.connect(home() / FILE, isolation_level=None)) as db:
        (answer,) = db.execute("DELETE FROM messages WHERE role = 'assistant' RETURNING id")

    damage = {"conversation": id_, "message": answer[0], "kind": "missing"}
    code, out, err = call("conversations", "check", id_, "--json")
    assert code == 1
    assert json.loads(out) == {"checked": 2, "damaged": [{**damage, "repaired_from": None}]}
    assert "--repair" in err

    _code, out, _err = call("show", id_, "--json")
    assert json.loads(out)["messages"][1]["blocks"][0]["kind"] == "damaged"
    _code, out, _err = call(
        "ask", "--engine", "offline", "--json", "--conversation", id_, "e à noite?"
    )
    events = [json.loads(line) for line in out.splitlines()]
    assert [each["kind"] for each in events if each["type"] == "status"] == ["damaged"]

    code, out, _err = call("conversations", "check", "--repair", "--json")
    assert code == 0
    assert json.loads(out) == {"checked": 4, "damaged": [{**damage, "repaired_from": copy}]}
    assert call("conversations", "check", "--json")[1] == '{"checked": 4, "damaged": []}\n'
    _code, out, _err = call("show", id_)
    assert "200" in out


@pytest.mark.parametrize(("id_", "kind"), [("msg_01AbC", "respostas"), ("req_01AbC", "pedido")])
def test_an_id_of_the_services_is_no_conversation(call: Call, id_: str, kind: str) -> None:
    code, out, err = call("ask", "--engine", "offline", "--conversation", id_, "olá")

    assert (code, out) == (1, "")
    assert id_ in err
    assert kind in err
    assert call("conversations", "--json")[1] == "[]\n"
    assert call("ask", "--engine", "offline", "--conversation", "0" * 12, "olá")[0] == 1
    assert call("conversations", "--json")[1] == "[]\n"
