"""What people say of answers, from the command line."""

import json

from tests.cli.conftest import Call


def test_thumbs_are_given_listed_and_resolved(call: Call) -> None:
    code, out, err = call("ask", "--engine", "offline", "--json", "quantos defeitos há?")
    assert code == 0, err
    talk = json.loads(call("conversations", "--json")[1])[0]["id"]

    code, out, err = call("feedback", "give", talk, "down", "--reason", "number", "--json")
    assert code == 0, err
    given = json.loads(out)
    assert given == {
        "id": 1,
        "conversation": talk,
        "message": given["message"],
        "rating": "down",
        "reason": "number",
        "text": "",
        "state": "open",
    }
    assert json.loads(call("feedback", "--json")[1]) == [given]
    assert json.loads(call("feedback", "list", "--open", "--json")[1]) == [given]
    code, out, err = call("feedback", "resolve", "1", "--note", "visto", "--json")
    assert (code, json.loads(out)["state"]) == (0, "resolved")
    assert json.loads(call("feedback", "list", "--open", "--json")[1]) == []

    code, out, err = call("feedback", "give", talk, str(given["message"]), "up")
    assert code == 0, err
    assert json.loads(call("feedback", "--json")[1])[0]["rating"] == "up"
    assert call("feedback", "give", talk, "99", "up")[0] == 1
    assert call("feedback", "give", talk, "down", "--reason", "nada")[0] == 2
    assert call("feedback", "give", talk, "down", "--text", "x" * 501)[0] == 2
    assert call("feedback", "resolve", "9")[0] == 1


def test_stored_answers_are_judged_at_no_cost(call: Call) -> None:
    for question in ("quantos defeitos há?", "quantos por turno?"):
        assert call("ask", "--engine", "offline", question)[0] == 0
    code, out, err = call("judge", "run", "--engine", "offline", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert (told["judged"], told["flagged"]) == (2, 0)
    assert set(told["items"][0]) == {"message", "numbers", "verdict", "why"}
    assert [each["numbers"]["unsupported"] for each in told["items"]] == [0, 0]
    code, out, err = call("judge", "run", "--engine", "offline", "--limit", "1", "--json")
    assert json.loads(out)["judged"] == 1


def test_an_example_is_proposed_approved_and_matched(call: Call) -> None:
    assert call("ask", "--engine", "offline", "--agent", "qualidade", "quantos lixos há?")[0] == 0
    talk = json.loads(call("conversations", "--json")[1])[0]["id"]
    code, out, err = call("examples", "add", talk, "--answer", "São 62.", "--note", "R", "--json")
    assert code == 0, err
    made = json.loads(out)
    assert set(made) == {"id", "agent", "state", "question", "calls", "answer", "note"}
    assert (made["state"], made["answer"], made["note"]) == ("proposed", "São ‹n›.", "R")
    assert json.loads(call("examples", "match", "quantos riscos há?", "--json")[1]) == []
    code, out, err = call("examples", "approve", "1", "--json")
    assert json.loads(out)["state"] == "active"
    (told,) = json.loads(call("examples", "match", "quantos riscos há?", "--json")[1])
    assert told["id"] == 1
    assert json.loads(call("examples", "list", "--json")[1])[0]["state"] == "active"
    assert json.loads(call("examples", "retire", "1", "--json")[1])["state"] == "retired"
    assert json.loads(call("examples", "match", "quantos riscos há?", "--json")[1]) == []
    assert call("examples", "approve", "9")[0] == 1
    assert call("examples", "add", talk, "--note", "x" * 201)[0] == 2
