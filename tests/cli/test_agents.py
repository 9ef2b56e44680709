"""Agents on the command line, as another program calls it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.cli.test_people import ADMIN, answered


def test_an_agent_is_written_changed_taken_in_compared_and_restored(
    call: Call, tmp_path: Path
) -> None:
    folder = tmp_path / "cabine"
    answered(call, "admin", "agents", "export", "qualidade", str(folder))
    (folder / "prompt.md").write_text("Fala de pintura.", "utf-8")
    made = answered(call, "admin", "agents", "import", str(folder))
    versions = answered(call, "admin", "agents", "versions", "qualidade")
    lines = answered(call, "admin", "agents", "compare", "qualidade", "0")
    restored = answered(call, "admin", "agents", "restore", "qualidade", "0", "--note", "de volta")
    shown = answered(call, "admin", "agents", "show", "qualidade")

    assert (made["id"], made["version"], made["as_shipped"]) == ("qualidade", 1, False)
    assert [(each["version"], each["prompt"][:9]) for each in versions] == [
        (1, "Fala de p"),
        (0, "És o assi"),
    ]
    assert {"kind": "added", "line": "Fala de pintura."} in lines
    assert (restored["version"], restored["as_shipped"]) == (2, True)
    assert shown["rules"]["registar_defeito"] == "ask"
    assert shown["rules"]["executar_python"] == "never"
    assert answered(call, "admin", "agents", "versions", "qualidade")[0]["note"] == "de volta"
    told = answered(call, "admin", "audit", "list", "--action", "agent")
    assert [each["detail"]["how"] for each in told] == ["restored", "imported"]


def test_a_copy_answers_until_it_is_removed_and_what_was_said_stays(call: Call) -> None:
    copy = answered(call, "admin", "agents", "duplicate", "analise")["id"]
    words = ("ask", "--agent", copy, "--engine", "offline", "quantos defeitos há?")
    assert "200" in call(*words)[1]
    answered(call, "admin", "agents", "remove", copy)
    listed = answered(call, "admin", "agents", "list")
    code, _out, err = call(*words)
    (talk,) = answered(call, "conversations")

    assert [(each["id"], each["removed"]) for each in listed] == [
        ("qualidade", False),
        ("analise", False),
        (copy, True),
    ]
    assert code == 1
    assert copy in err
    assert "200" in call("show", talk["id"])[1]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('privacy = "rowz"', "rowz"),
        ("colour = 1", "colour"),
        ('rules = { registar_defeito = "always" }', "registar_defeito"),
        ("limits = { rounds = 99 }", "50"),
    ],
)
def test_an_unsound_folder_is_refused_with_a_sentence(
    call: Call, tmp_path: Path, line: str, told: str
) -> None:
    answered(call, "admin", "agents", "export", "analise", str(tmp_path))
    toml = tmp_path / "agent.toml"
    kept = [each for each in toml.read_text("utf-8").splitlines() if not each.startswith("privacy")]
    toml.write_text("\n".join([line, *kept]), "utf-8")
    code, out, err = call("admin", "agents", "import", str(tmp_path), "--name", "outro")

    assert (code, out) == (1, "")
    assert told in err
    assert "Traceback" not in err
    assert len(answered(call, "admin", "agents", "list")) == 2


def test_an_operator_can_not_edit_agents(call: Call, tmp_path: Path) -> None:
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    rui = answered(
        call, *("admin", "people", "add", "rui", "--role", "operador", "--as", "ana"), secret=ADMIN
    )
    for words in (
        ["list"],
        ["show", "qualidade"],
        ["versions", "qualidade"],
        ["compare", "qualidade", "0"],
        ["export", "qualidade", str(tmp_path / "x")],
        ["import", str(tmp_path)],
        ["duplicate", "qualidade"],
        ["restore", "qualidade", "0"],
        ["remove", "qualidade"],
    ):
        code, out, err = call("admin", "agents", *words, "--as", "rui", secret=rui["secret"])
        assert (code, out) == (1, ""), words
        assert "Administrador" in err
    told = answered(call, "admin", "audit", "list", "--as", "ana", secret=ADMIN)
    assert "agent" not in {each["action"] for each in told}
    assert json.dumps(told).count("refused") == 0
