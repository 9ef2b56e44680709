"""Documents from the command line: added, searched, shown, watched, removed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from tests.cli.conftest import Call

POLISH = "A mesma peça pode ser polida no máximo duas vezes."


def _told(call: Call, *words: str) -> Any:
    code, out, err = call("docs", *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_a_document_is_added_found_with_its_place_and_removed(
    call: Call, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "polir.md"
    file.write_text(f"# IT-PIN-014 rev. 6\n\n{POLISH}\n", encoding="utf-8")

    (added,) = _told(call, "add", str(file), "--collection", "Pintura")
    assert (added["code"], added["revision"], added["state"]) == ("IT-PIN-014", "6", "words")
    found = _told(call, "search", "quantas", "vezes", "posso", "polir", "--engine", "words")
    assert set(found) == {"engine", "ms", "found", "hits"}
    (hit,) = found["hits"]
    assert POLISH in hit["text"]
    assert (hit["document"], hit["file"], hit["code"]) == (added["id"], "polir.md", "IT-PIN-014")
    assert (hit["superseded"], hit["page"], hit["rects"]) == (False, None, [])
    assert _told(call, "search", "polida", "--collection", "Outra")["hits"] == []
    assert "[IT-PIN-014 rev. 6" in call("docs", "search", "polida")[1]
    assert POLISH in _told(call, "show", str(added["id"]))["texts"][0]["text"]

    assert _told(call, "remove", str(added["id"])) == {"removed": added["id"]}
    assert _told(call, "list") == []


def test_what_cannot_be_read_is_told_and_fails(call: Call, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "velho.doc"
    file.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 2_000)

    code, _out, err = call("docs", "add", str(file))

    assert code == 1
    assert "velho.doc" in err
    (kept,) = _told(call, "list")
    assert (kept["state"], kept["error"]) == ("failed", err.strip())


def test_what_is_there_is_added_and_the_rest_is_said(
    call: Call, home: Path, tmp_path: Path
) -> None:
    words = [tmp_path / "falta.pdf", tmp_path / "polir.txt", tmp_path / "também.pdf"]
    (tmp_path / "polir.txt").write_text(POLISH, encoding="utf-8")

    code, out, err = call("docs", "add", *map(str, words), "--json")

    assert code == 1
    assert [each.split()[0] for each in err.splitlines()] == ["falta.pdf", "também.pdf"]
    assert [each["file"] for each in json.loads(out)] == ["polir.txt"]
    code, out, err = call("docs", "add", str(words[0]))
    assert (code, out) == (1, "")
    assert "falta.pdf" in err


def test_the_pack_that_reads_scans_is_added_by_itself(
    call: Call, home: Path, tmp_path: Path
) -> None:
    for verb in (["list"], ["search", "polir"], ["watch", "once"]):
        code, out, err = call("docs", "--add-ocr", str(tmp_path / "ocr.zip"), *verb)
        assert (code, out) == (2, "")
        assert f"qhub docs {verb[0]}" in err


def test_a_folder_is_watched_and_looked_at(call: Call, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "instruções"
    folder.mkdir()
    (folder / "polir.txt").write_text(POLISH, encoding="utf-8")

    (watched,) = _told(call, "watch", "add", str(folder))
    assert (watched["path"], watched["files"]) == (str(folder), 0)
    assert _told(call, "watch", "once") == [{"path": str(folder), "read": 1, "problem": ""}]
    assert [each["file"] for each in _told(call, "list")] == ["polir.txt"]
    assert _told(call, "watch", "remove", str(folder)) == []
    assert [each["state"] for each in _told(call, "list")] == ["words"]


def test_the_search_is_evaluated_and_nothing_kept(call: Call, home: Path, tmp_path: Path) -> None:
    texts = [{"id": "a", "text": POLISH}, {"id": "b", "text": "As suspensões são limpas."}]
    asked = [{"q": "quantas vezes posso polir", "gold": ["a"], "kind": "words"}]
    file = tmp_path / "set.json"
    file.write_text(json.dumps({"passages": texts, "questions": asked}), encoding="utf-8")

    told = _told(call, "eval", str(file), "--engine", "words")

    assert (told["n"], told["hit1"], told["by_kind"]["words"]["recall5"]) == (1, 1.0, 1.0)
    assert _told(call, "list") == []


def test_the_command_line_runs_as_a_module() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "qhub_desktop.cli", "--help"], capture_output=True, check=True
    )

    assert b"docs" in run.stdout


def test_a_picture_without_words_is_not_said_to_be_found_by_them(
    call: Call, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "foto.png"
    Image.new("RGB", (40, 40), "white").save(file)
    call("docs", "add", str(file), "--ocr", "never")

    _code, out, _err = call("docs", "list")

    assert "nada dele foi lido" in out
