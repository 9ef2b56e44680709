"""Costs and budgets on the command line."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.wire import WireServer, answer
from tests.wire.scenes import Usage

TAKEN = Usage(100_000, 30_000, 0, 0)


def read(call: Any, *words: str, secret: str = "") -> Any:
    code, out, err = call(*words, "--json", secret=secret)
    assert code == 0, err
    return json.loads(out)


def test_a_budget_stops_claude_and_what_was_spent_is_told(
    call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with WireServer([answer("62", usage=TAKEN)]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        station = ("--scope", "station", "--period", "day")
        assert read(call, "admin", "budget", "set", *station, "--usd", "0.4")["usd"] == 0.4
        assert call("ask", "porque temos tanto lixo?", "--engine", "claude")[0] == 0
        code, _out, err = call("ask", "e ontem?", "--engine", "claude")
        assert code == 1
        assert "motor offline" in err
        code, out, err = call("ask", "quantos defeitos há?", "--engine", "auto")
        assert code == 0
        assert "200" in out
        assert "gasto" in err
        assert len(server.requests) == 1
    (total,) = read(call, "costs", "--by", "model")
    assert (total["key"], total["input_tokens"]) == ("claude-sonnet-5-5", 100_000)
    assert total["cost_usd"] == pytest.approx(0.5)
    code, out, _err = call("costs", "--by", "agent")
    assert code == 0
    assert "analise" in out
    target = tmp_path / "custos.csv"
    assert read(call, "costs", "--csv", str(target))["rows"] == 1
    assert call("costs", "--csv", str(target))[0] == 1
    with target.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["cost_usd"]) == pytest.approx(0.5)
    (listed,) = read(call, "admin", "budget", "list")
    assert listed["spent_usd"] == pytest.approx(0.5)
    assert read(call, "admin", "budget", "remove", *station)["scope"] == "station"
    assert read(call, "admin", "budget", "list") == []


def test_no_cell_of_the_costs_is_a_formula(
    call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with WireServer([answer("62", usage=TAKEN)]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        monkeypatch.setenv("ANTHROPIC_MODEL", "=1+1")
        assert call("ask", "porque temos tanto lixo?", "--engine", "claude")[0] == 0
    target = tmp_path / "custos.csv"

    assert read(call, "costs", "--by", "model", "--csv", str(target))["rows"] == 1

    with target.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["model"] == "'=1+1"
    assert row["input_tokens"] == "100000"


def test_a_costly_question_is_sent_only_when_it_was_agreed_to(
    call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[settings]\nask_above_usd = 0.01\n", encoding="utf-8")
    monkeypatch.setattr("qhub_desktop.app.policy_files", lambda: (policy,))
    question = ("ask", "porque temos tanto lixo?", "--engine", "claude")
    with WireServer([answer("Do rack R12.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        code, out, err = call(*question)
        assert (code, out.strip()) == (1, "")
        assert "--yes" in err
        assert server.requests == []
        code, out, err = call(*question, "--json")
        last = json.loads(out.splitlines()[-1])
        assert (code, last["type"], last["reason"]) == (1, "done", "cancelled")
        assert call(*question, "--yes")[:2] == (0, "Do rack R12.\n")
        assert len(server.requests) == 1


def test_a_person_sees_their_own_costs_and_sets_no_budget(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "uma frase longa"
    read(call, "admin", "people", "add", "ana", "--role", "admin", secret=secret)
    as_ana = ("--as", "ana")
    add = ("admin", "people", "add", "rui", "--role", "operador")
    own = "4071"
    monkeypatch.setenv("QHUB_NEW_SECRET", own)
    read(call, *add, *as_ana, secret=secret)
    with WireServer([answer("62", usage=TAKEN)]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        ask = ("ask", "porque temos tanto lixo?", "--engine", "claude")
        assert call(*ask, *as_ana, secret=secret)[0] == 0

    assert [each["key"] for each in read(call, "costs", "--by", "person", *as_ana, secret=secret)]
    assert read(call, "costs", "--by", "person", "--as", "rui", secret=own) == []
    (spent,) = read(call, "costs", "--by", "agent", "--person", "Ana", *as_ana, secret=secret)
    assert spent["key"] == "analise"
    assert read(call, "costs", "--person", "rui", *as_ana, secret=secret) == []
    assert read(call, "costs", "--person", "rui", "--as", "rui", secret=own) == []
    code, _out, err = call("costs", "--person", "ana", "--as", "rui", secret=own)
    assert (code, "administrador" in err) == (1, True)
    code, _out, err = call("costs", "--person", "nada", *as_ana, secret=secret)
    assert (code, "'nada'" in err) == (1, True)
    words = ("admin", "budget", "set", "--scope", "station", "--period", "day", "--usd", "9")
    code, _out, err = call(*words, "--as", "rui", secret=own)
    assert code == 1
    assert "Administrador" in err
    person = ("--scope", "person", "--name", "Rui", "--period", "month", "--usd", "1")
    made = read(call, "admin", "budget", "set", *person, *as_ana, secret=secret)
    assert made == {"scope": "person", "name": "rui", "period": "month", "usd": 1.0}
    wrong = ("--scope", "agent", "--name", "nada", "--period", "day", "--usd", "1")
    assert call("admin", "budget", "set", *wrong, *as_ana, secret=secret)[0] == 1
