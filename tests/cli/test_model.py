"""The local model on the command line: chosen, listed, tried, asked and left."""

import json
from pathlib import Path

from tests.chat.local.tiny_model import make_model
from tests.cli.conftest import Call


def test_a_model_is_used_listed_tried_and_left(call: Call, tmp_path: Path) -> None:
    file = make_model(tmp_path / "os modelos" / "pequeno.gguf")
    assert json.loads(call("model", "--json")[1]) == {"path": ""}

    code, told, _err = call("model", "use", str(file), "--json")
    assert (code, json.loads(told)["name"]) == (0, "Pequeno")
    (listed,) = json.loads(call("model", "list", "--json")[1])
    assert listed["path"] == str(file)
    tried = json.loads(call("model", "test", "--json")[1])
    assert tried["has_called"]
    assert tried["tokens_per_s"] > 0

    assert json.loads(call("model", "off", "--json")[1]) == {"path": ""}
    code, _out, err = call("model", "test")
    assert (code, "qhub model use" in err) == (1, True)


def test_what_is_no_model_is_not_used(call: Call, tmp_path: Path) -> None:
    (other := tmp_path / "nada.gguf").write_bytes(b"nada")

    code, _out, err = call("model", "use", str(other))

    assert code == 1
    assert "nada.gguf" in err
    assert json.loads(call("model", "--json")[1]) == {"path": ""}


def test_a_question_goes_to_the_model_through_a_tool_to_its_end(call: Call, tmp_path: Path) -> None:
    call("model", "use", str(make_model(tmp_path / "pequeno.gguf")))

    question = "porque é que os defeitos mudaram tanto com a tinta nova do fornecedor?"
    code, out, _err = call("ask", "--json", "--engine", "local", question)

    events = [json.loads(line) for line in out.splitlines()]
    used = [each for each in events if each["type"] == "tool_use"]
    spent = [each for each in events if each["type"] == "usage"]
    assert code == 0
    assert [each["name"] for each in used] == ["contar_defeitos"]
    assert used[0]["result"]["total"] == 200
    assert {(each["model"], each["cost_usd"]) for each in spent} == {("local:Pequeno", 0.0)}
    assert "".join(each["content"] for each in events if each["type"] == "text") == "Feito."

    sent = [json.loads(line) for line in call("sent", "--json")[1].splitlines()]
    assert {each["host"] for each in sent} == {"este computador"}
