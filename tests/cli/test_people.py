"""People on the command line, as another program calls it."""

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Call

ADMIN = "uma frase longa"


def answered(call: Call, *words: str, secret: str = "") -> Any:
    code, out, err = call(*words, "--json", secret=secret)
    assert code == 0, err
    return json.loads(out)


def test_a_station_without_accounts_works_at_once_and_refuses_names(call: Call) -> None:
    code, out, _err = call("ask", "--engine", "offline", "quantos defeitos")
    assert code == 0
    assert "200" in out
    code, _out, err = call("conversations", "--as", "ana", secret=ADMIN)
    assert code == 1
    assert "Ninguém tem conta aqui" in err


def test_people_sign_in_for_every_verb_once_there_is_an_administrator(call: Call) -> None:
    answered(call, "admin", "people", "add", "Ana", "--role", "admin", secret=ADMIN)
    for words in (["conversations"], ["admin", "people", "list"], ["ask", "quantos defeitos"]):
        code, out, err = call(*words)
        assert (code, out) == (1, "")
        assert "--as" in err
    code, _out, err = call("conversations", "--as", "ana", secret="another one")
    assert code == 1
    assert "errad" in err
    assert answered(call, "conversations", "--as", "ana", secret=ADMIN) == []


def test_an_agent_that_is_not_theirs_is_not_there(call: Call) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    rui = answered(
        call,
        *("admin", "people", "add", "rui", "--role", "operador", "--agents", "qualidade"),
        *("--as", "ana"),
        secret=ADMIN,
    )
    secret = str(rui["secret"])
    agents = answered(call, "agents", "--as", "rui", secret=secret)
    assert [each["id"] for each in agents] == ["qualidade"]
    words = ("ask", "quantos defeitos", "--engine", "offline", "--as", "rui")
    assert call(*words, "--agent", "qualidade", secret=secret)[0] == 0
    code, out, err = call(*words, "--agent", "analise", secret=secret)
    assert code == 1, out
    assert "analise" in err
    code, _out, err = call("admin", "people", "list", "--as", "rui", secret=secret)
    assert code == 1
    assert "Administrador" in err


def test_accounts_come_from_a_file_of_excel(call: Call, tmp_path: Path) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    file = tmp_path / "pessoas.csv"
    file.write_text(
        "Name;Role;Agents\nrui;responsavel;\njulia@demo.com;operador;qualidade\nx y;operador;\n"
        "eva;chefe;\nzoe;operador;nenhum\n",
        encoding="cp1252",
    )
    code, out, err = call(
        "admin", "people", "import", str(file), "--as", "ana", "--json", secret=ADMIN
    )
    made = json.loads(out)
    assert code == 1
    assert [each["name"] for each in made] == ["rui", "julia@demo.com"]
    assert [line.split(":")[0] for line in err.splitlines()] == ["Linha 4", "Linha 5", "Linha 6"]


def test_the_demos_accounts_are_made_where_there_are_none(call: Call) -> None:
    made = answered(call, "admin", "demo")
    assert [each["name"] for each in made] == ["admin@demo.com", "rui@demo.com", "julia@demo.com"]
    secret = str(made[0]["secret"])
    code, _out, err = call("admin", "demo", "--as", "admin@demo.com", secret=secret)
    assert code == 1
    assert "demo" in err


def test_the_log_is_listed_exported_and_verified(call: Call, tmp_path: Path) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    ana = ("--as", "ana")
    call("conversations", *ana, secret="wrong")
    listed = ("admin", "audit", "list", "--action")
    told = answered(call, *listed, "refused", *ana, secret=ADMIN)
    assert [each["subject"] for each in told] == ["ana"]
    for word in ("Entrada recusada", "sign-in refused"):
        assert answered(call, *listed, word, *ana, secret=ADMIN) == told
    code, _out, err = call(*listed, "eliminado", *ana, secret=ADMIN)
    assert (code, err) == (0, "")
    code, _out, err = call(*listed, "nada", *ana, secret=ADMIN)
    assert (code, "'nada'" in err) == (1, True)
    target = tmp_path / "registo.csv"
    assert call("admin", "audit", "export", str(target), *ana, secret=ADMIN)[0] == 0
    assert target.read_text(encoding="utf-8-sig").splitlines()[0].startswith("id,at,person")
    verdict = answered(call, "admin", "audit", "verify", *ana, secret=ADMIN)
    assert verdict["whole"] is True


def test_a_verb_with_others_in_it_is_asked_by_itself_too(call: Call) -> None:
    assert answered(call, "outbox") == []
    assert call("backup", "list")[0] == 0
    answered(call, "admin", "people", "add", "Ana", "--role", "admin", secret=ADMIN)
    rui = answered(
        call,
        *("admin", "people", "add", "Rui", "--role", "operador", "--as", "ana"),
        secret=ADMIN,
    )
    assert answered(call, "outbox", "--as", "ana", secret=ADMIN) == []

    for words in (["backup"], ["backup", "list"], ["restore", "x", "--yes"]):
        code, out, err = call(*words)
        assert (code, out) == (1, "")
        assert "--as" in err
        code, out, err = call(*words, "--as", "rui", secret=str(rui["secret"]))
        assert (code, out) == (1, "")
        assert "Administrador" in err
    assert answered(call, "backup", "--as", "ana", secret=ADMIN)["is_sound"]


def test_an_administrator_reads_what_others_said_only_once_it_is_switched_on(call: Call) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    as_ana = ("--as", "ana")
    add = ("admin", "people", "add", "rui", "--role", "operador", *as_ana)
    secret = str(answered(call, *add, secret=ADMIN)["secret"])
    as_rui = ("--as", "rui")
    asked = ("ask", "--engine", "offline", "--agent", "qualidade", "quantos defeitos de verniz?")
    assert call(*asked, *as_rui, secret=secret)[0] == 0
    (talk,) = answered(call, "conversations", *as_rui, secret=secret)
    id_ = str(talk["id"])

    foreign: tuple[tuple[str, ...], ...] = (
        ("show", id_),
        ("show", id_, "--of", "rui"),
        ("conversations", "--of", "rui"),
        ("conversations", "export", id_, "--to", "rui.json"),
        ("ask", "--engine", "offline", "--conversation", id_, "e ontem?"),
    )
    for words in foreign:
        code, out, err = call(*words, *as_ana, secret=ADMIN)
        assert (code, "verniz" in out + err) == (1, False), words
    for words in (("conversations",), ("conversations", "--search", "verniz")):
        assert answered(call, *words, *as_ana, secret=ADMIN) == []
    for words in (("sent",), ("outbox",), ("dashboards",), ("admin", "audit", "list")):
        assert "verniz" not in call(*words, *as_ana, secret=ADMIN)[1]
    code, _out, err = call("admin", "reading", "on", *as_rui, secret=secret)
    assert code == 1
    assert "Administrador" in err

    assert answered(call, "admin", "reading", "on", *as_ana, secret=ADMIN) == {"on": True}
    code, _out, err = call("conversations", *as_rui, secret=secret)
    assert code == 0
    assert "Os administradores podem ler" in err
    (found,) = answered(call, "conversations", "--of", "Rui", *as_ana, secret=ADMIN)
    assert found["id"] == id_
    code, out, _err = call("show", id_, "--of", "rui", *as_ana, secret=ADMIN)
    assert code == 0
    assert "rui ·" in out
    assert "quantos defeitos de verniz?" in out
    for words in (foreign[0], *foreign[3:]):  # to be read only, and only so
        assert call(*words, *as_ana, secret=ADMIN)[0] == 1
    assert call("conversations", "--of", "ana", *as_rui, secret=secret)[0] == 1
    log = answered(call, "admin", "audit", "list", "--action", "read", *as_ana, secret=ADMIN)
    assert [each["detail"]["of"] for each in log] == ["rui", "rui"]

    assert answered(call, "admin", "reading", "off", *as_ana, secret=ADMIN) == {"on": False}
    assert call("show", id_, "--of", "rui", *as_ana, secret=ADMIN)[0] == 1


def test_what_a_repair_has_saved_is_handed_over_by_an_administrator(call: Call) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    as_ana = ("--as", "ana")
    assert answered(call, "admin", "recovered", "list", *as_ana, secret=ADMIN) == []
    code, _out, err = call("admin", "recovered", "give", "ab", "--to", "ana", *as_ana, secret=ADMIN)
    assert code == 1
    assert "não são de ninguém" in err
