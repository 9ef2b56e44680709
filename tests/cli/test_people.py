"""People on the command line, as another program calls it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.paths import home
from qhub_desktop.store import Store
from tests.cli.conftest import Call
from tests.wire import WireServer, answer

ADMIN = "uma frase longa"


PIN = "4071"


def made(call: Call, name: str, *words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have ana make an operator's account, with a PIN that is theirs from the beginning."""
    monkeypatch.setenv("QHUB_NEW_SECRET", PIN)
    add = ("admin", "people", "add", name, "--role", "operador")
    answered(call, *add, *words, "--as", "ana", secret=ADMIN)


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


def test_an_agent_that_is_not_theirs_is_not_there(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    made(call, "rui", "--agents", "qualidade", monkeypatch=monkeypatch)
    secret = PIN
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


def test_the_demos_accounts_are_made_where_there_are_none(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = answered(call, "admin", "demo")
    assert [each["name"] for each in made] == ["admin@demo.com", "rui@demo.com", "julia@demo.com"]
    admin = ("--as", "admin@demo.com")
    monkeypatch.setenv("QHUB_NEW_SECRET", ADMIN)
    answered(call, "password", *admin, secret=str(made[0]["secret"]))
    code, _out, err = call("admin", "demo", *admin, secret=ADMIN)
    assert code == 1
    assert "Já há contas aqui" in err


def test_a_password_chosen_by_somebody_else_is_replaced_before_anything_else(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    add = ("admin", "people", "add", "eva", "--role", "admin", "--as", "ana")
    chosen = str(answered(call, *add, secret=ADMIN)["secret"])
    eva = ("--as", "eva")
    for words in (
        ("conversations",),
        ("ask", "--engine", "offline", "quantos defeitos"),
        ("admin", "audit", "list"),
        ("backup", "--to", str(tmp_path / "copy.db")),
        ("backup", "list"),
    ):
        code, out, err = call(*words, *eva, secret=chosen)
        assert (code, out) == (1, ""), words
        assert "qhub password --as eva" in err, words
    assert not (tmp_path / "copy.db").exists()
    for new, problem in (
        ("", "QHUB_NEW_SECRET"),
        (chosen, "diferente da anterior"),
        (PIN, "PIN"),
        ("Password2026", "muito conhecida"),
        ("eva-2026", "nome da conta"),
    ):
        monkeypatch.setenv("QHUB_NEW_SECRET", new)
        code, _out, err = call("password", *eva, secret=chosen)
        assert (code, problem in err) == (1, True), (new, err)
    monkeypatch.setenv("QHUB_NEW_SECRET", "outra frase longa")
    assert answered(call, "password", *eva, secret=chosen) == {"name": "eva", "changed": True}
    assert call("conversations", *eva, secret=chosen)[0] == 1
    assert len(answered(call, "admin", "people", "list", *eva, secret="outra frase longa")) == 2


def test_names_that_can_pass_for_others_are_refused_at_every_door(
    call: Call, tmp_path: Path
) -> None:
    first = ("admin", "people", "add", "\u0430na", "--role", "admin")
    code, _out, err = call(*first, secret=ADMIN)
    assert (code, "dois alfabetos" in err) == (1, True)
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    file = tmp_path / "pessoas.csv"
    names = ("an\u0430", "\uff52\uff55\uff49", "ru\u200bi", "O'Neill", "José", "Иван")
    lines = "\n".join(f"{name},operador" for name in names)
    file.write_text(f"name,role\n{lines}\n", encoding="utf-8")
    words = ("admin", "people", "import", str(file), "--as", "ana", "--json")
    code, out, err = call(*words, secret=ADMIN)
    assert code == 1
    assert [each["name"] for each in json.loads(out)] == ["o'neill", "josé", "иван"]
    assert [line.split(":")[0] for line in err.splitlines()] == ["Linha 2", "Linha 3", "Linha 4"]


def test_an_operator_undoes_only_their_own_appends_and_the_log_tells_it(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    for name in ("rui", "eva"):
        made(call, name, monkeypatch=monkeypatch)
    file = tmp_path / "março.csv"
    file.write_text("data;tipo_defeito\n2026-03-01;lixo\n2026-03-02;gordura\n", encoding="utf-8")
    append = ("defects", "append", str(file), "--yes", "--as", "rui")
    number = str(answered(call, *append, secret=PIN)["id"])
    undo = ("defects", "undo", number)
    code, _out, err = call(*undo, "--as", "eva", secret=PIN)
    assert (code, "outra pessoa" in err) == (1, True)
    assert answered(call, *undo, "--as", "rui", secret=PIN) == {"removed": 2}
    number = str(answered(call, *append, secret=PIN)["id"])
    undo = ("defects", "undo", number)
    assert answered(call, *undo, "--as", "ana", secret=ADMIN) == {"removed": 2}
    code, out, _err = call("admin", "audit", "list", "--as", "ana", secret=ADMIN)
    told = [line for line in out.splitlines() if "defeitos acrescentados" in line]
    assert [("rui  " in line, "ana  " in line) for line in told] == [(False, True), (True, False)]
    assert all("2 linhas de março.csv. Acrescentadas por rui." in line for line in told)


def test_the_offline_engine_of_an_administrator_is_nobody_elses_to_overrule(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    made(call, "rui", monkeypatch=monkeypatch)
    with WireServer([answer("62"), answer("63")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        ask = ("ask", "--agent", "qualidade", "porque temos tanto lixo?", "--engine")
        rui = ("--as", "rui")
        assert call(*ask, "claude", *rui, secret=PIN)[0] == 0
        store = Store.open(home())
        store.enter(asyncio.run(store.people.find("ana")))
        asyncio.run(store.settings.save({"engine": "offline"}))
        store.close()
        asked = len(server.requests)
        for words in (
            (*ask, "claude"),
            (*ask, "auto"),
            (*ask, "claude", "--queue"),
            (*ask, "claude", "--yes", "--json"),
        ):
            code, out, err = call(*words, *rui, secret=PIN)
            assert (code, out) == (1, "")
            assert "motor offline" in err
        assert call(*ask, "offline", *rui, secret=PIN)[0] == 0
        assert len(server.requests) == asked
        assert call(*ask, "claude", "--as", "ana", secret=ADMIN)[0] == 0  # whose setting it is


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


def test_a_verb_with_others_in_it_is_asked_by_itself_too(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answered(call, "outbox") == []
    assert call("backup", "list")[0] == 0
    answered(call, "admin", "people", "add", "Ana", "--role", "admin", secret=ADMIN)
    made(call, "Rui", monkeypatch=monkeypatch)
    assert answered(call, "outbox", "--as", "ana", secret=ADMIN) == []

    for words in (["backup"], ["backup", "list"], ["restore", "x", "--yes"]):
        code, out, err = call(*words)
        assert (code, out) == (1, "")
        assert "--as" in err
        code, out, err = call(*words, "--as", "rui", secret=PIN)
        assert (code, out) == (1, "")
        assert "Administrador" in err
    assert answered(call, "backup", "--as", "ana", secret=ADMIN)["is_sound"]


def test_an_administrator_reads_what_others_said_only_once_it_is_switched_on(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    as_ana = ("--as", "ana")
    made(call, "rui", monkeypatch=monkeypatch)
    secret = PIN
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
