"""What goes for good on the command line: people, with all that is theirs, and conversations."""

import json
import zipfile
from pathlib import Path

import pytest

from qhub_desktop.core.paths import home
from qhub_desktop.store import FILE
from qhub_desktop.store.database import now_us
from qhub_desktop.store.deletion import DAY_US
from tests.cli.conftest import Call
from tests.cli.test_people import ADMIN, PIN, answered, made
from tests.store.conftest import faults
from tests.store.test_personal_data import holding

MARKER = "Zwetschgenkuchen"
ANA = ("--as", "ana")
RUI = ("--as", "rui")
EVA = ("--as", "eva")


@pytest.fixture
def station(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """An administrator and two operators."""
    answered(call, "admin", "people", "add", "ana", "--role", "admin", secret=ADMIN)
    for name in ("rui", "eva"):
        made(call, name, monkeypatch=monkeypatch)


def ask(call: Call, who: tuple[str, ...], question: str, *files: Path, secret: str = PIN) -> str:
    """Have a question answered; the conversation."""
    words = [word for file in files for word in ("--file", str(file))]
    code, out, err = call(
        "ask", "--engine", "offline", "--json", *words, *who, question, secret=secret
    )
    assert code == 0, err
    first = json.loads(out.splitlines()[0])
    assert first["type"] == "conversation"
    return str(first["id"])


def export_of(folder: Path, name: str, cell: str) -> Path:
    """A file with this in a cell."""
    file = folder / name
    file.write_text(f"turno;nota\nmanha;{cell}\nnoite;b\n", encoding="utf-8")
    return file


@pytest.mark.usefixtures("station")
def test_somebody_goes_with_everything_that_nobody_else_has(call: Call, tmp_path: Path) -> None:
    own = export_of(tmp_path, "meu.csv", MARKER)
    shared = export_of(tmp_path, "nosso.csv", "comum")
    ask(call, RUI, f"quantas linhas com {MARKER}?", own, shared)
    kept = ask(call, EVA, "quantas linhas?", shared)
    before = answered(call, "show", kept, *EVA, secret=PIN)
    assert holding(home(), MARKER)

    delete = ("admin", "people", "delete", "rui", *ANA)
    code, _out, err = call(*delete, secret=ADMIN)
    assert (code, "--yes" in err, "conversas: 1," in err) == (1, True, True), err
    assert call("admin", "people", "delete", "ana", "--yes", *ANA, secret=ADMIN)[0] == 1
    assert call("admin", "people", "delete", "eva", "--yes", *RUI, secret=PIN)[0] == 1
    told = answered(call, *delete, "--yes", secret=ADMIN)

    assert told["deleted"]["people"] == 1
    assert told["deleted"]["conversations"] == 1
    assert told["deleted"]["pins"] == 2
    assert told["complete"]
    in_backups = [each for each in holding(home(), MARKER) if not each.startswith("backups/")]
    assert in_backups == []
    assert faults(home()) == []
    assert answered(call, "show", kept, *EVA, secret=PIN) == before
    assert "2" in call("ask", "quantas linhas?", "--conversation", kept, *EVA, secret=PIN)[1]
    assert len([*(home() / "workspace").glob("*/rows.duckdb")]) == 1
    code, _out, err = call("conversations", *RUI, secret=PIN)
    assert code == 1
    assert next(each["action"] for each in audit(call) if each["subject"] == "rui") == "refused"


def audit(call: Call) -> list[dict[str, str]]:
    found: list[dict[str, str]] = answered(call, "admin", "audit", "list", *ANA, secret=ADMIN)
    return found


@pytest.mark.usefixtures("station")
def test_everything_that_is_somebodys_is_written_to_a_zip(call: Call, tmp_path: Path) -> None:
    file = export_of(tmp_path, "meu.csv", MARKER)
    talk = ask(call, RUI, "quantas linhas?", file)
    gone = ask(call, RUI, f"{MARKER}?")
    answered(call, "conversations", "delete", gone, *RUI, secret=PIN)
    ask(call, EVA, "quantos defeitos?")
    target = tmp_path / "rui.zip"

    words = ("admin", "people", "export", "rui", "--out", str(target), *ANA)
    assert answered(call, *words, secret=ADMIN)["conversations"] == 2
    assert call(*words, secret=ADMIN)[0] == 1  # not over a file that is there

    with zipfile.ZipFile(target) as packed:
        names = packed.namelist()
        contents = {name: packed.read(name).decode() for name in names}
    told = {f"conversations/{id_}{end}" for id_ in (talk, gone) for end in (".md", ".json")}
    assert told < {*names}
    assert len(names) == 6
    assert "quantas linhas?" in contents[f"conversations/{talk}.md"]
    assert json.loads(contents[f"conversations/{talk}.json"])["format"] == "qhub-conversation"
    (rows,) = (text for name, text in contents.items() if name.startswith("files/"))
    assert MARKER in rows
    assert json.loads(contents["person.json"])["dashboards"] == []
    imported = tmp_path / "back.json"
    imported.write_text(contents[f"conversations/{talk}.json"], encoding="utf-8")
    answered(call, "conversations", "import", str(imported), *EVA, secret=PIN)


def test_a_conversation_comes_back_until_it_is_deleted_for_good(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(call, (), f"quantos defeitos com {MARKER}?", secret="")
    second = ask(call, (), f"{MARKER} de novo?", secret="")

    assert answered(call, "conversations", "delete", first)["days"] == 30
    assert [each["id"] for each in answered(call, "conversations")] == [second]
    assert call("conversations", "delete", first)[0] == 1
    assert answered(call, "conversations", "restore", first)["id"] == first
    told = answered(call, "conversations", "delete", first, "--forever")
    assert told["deleted"]["conversations"] == 1
    assert call("conversations", "restore", first)[0] == 1
    answered(call, "conversations", "delete", second)
    now = now_us()
    monkeypatch.setattr("qhub_desktop.store.deletion.now_us", lambda: now + 31 * DAY_US)
    monkeypatch.setattr("qhub_desktop.store.conversations.now_us", lambda: now + 31 * DAY_US)
    assert answered(call, "conversations") == []

    assert [each for each in holding(home(), MARKER) if not each.startswith("backups/")] == []
    assert (home() / FILE).stat().st_size > 0
    assert call("conversations", "delete", second, "--forever")[0] == 1


def test_acting_as_somebody_is_refused_where_nobody_signs_in(call: Call) -> None:
    for words in (("conversations", "delete", "0a"), ("conversations",), ("questions",)):
        code, out, err = call(*words, "--as", "ana", secret=ADMIN)
        assert (code, out) == (1, "")
        assert len(err.strip().splitlines()) == 1
