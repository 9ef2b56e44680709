"""Going back to a safety copy where people have accounts, and the head of the log."""

import asyncio
import json
import re
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.people.accounts import Accounts
from qhub_desktop.store import Store
from qhub_desktop.store.backups import listed, make
from qhub_desktop.store.database import connect
from tests.cli.conftest import Call

ADMIN = "uma frase longa"
RUI = "outra frase longa"


def told(call: Call, *words: str, secret: str = ADMIN) -> Any:
    code, out, err = call(*words, "--json", secret=secret)
    assert code == 0, err
    return json.loads(out.splitlines()[-1])


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A station with three people, a safety copy, and after it one more administrator."""
    folder = tmp_path_factory.mktemp("restored") / "home"

    async def live() -> None:
        store = Store.open(folder)
        accounts = Accounts(store.people)
        await accounts.add("ana", "admin", None, secret=ADMIN)
        for name in ("rui", "eva"):
            await accounts.add(name, "responsavel", None, secret=RUI)
        make(folder / "qhub.db", "manual")
        await store.people.change("eva", "admin", None)
        store.close()

    asyncio.run(live())
    return folder


@pytest.fixture
def copy(station: Path, home: Path) -> Path:
    """The safety copy of a station with people."""
    shutil.copytree(station, home)
    return listed(home / "qhub.db")[0].path


def damage(home: Path) -> None:
    path = home / "qhub.db"
    path.write_bytes(b"\xa5" * 4096 + path.read_bytes()[4096:])


def drop_log(home: Path) -> None:
    with closing(connect(home / "qhub.db")) as db:
        db.execute("DROP TABLE audit")


def drop_people(home: Path) -> None:
    with closing(connect(home / "qhub.db")) as db:
        db.execute("DROP TABLE people")


def delete(home: Path) -> None:
    (home / "qhub.db").unlink()


def begin_anew(home: Path) -> None:
    """Delete the file, and have any command make another, without accounts."""
    (home / "qhub.db").unlink()
    Store.open(home).close()


def contents(home: Path) -> dict[str, object]:
    """What the files of a folder hold, without what counts the wrong passwords."""
    found: dict[str, object] = {}
    for each in filter(Path.is_file, home.iterdir()):
        found[each.name] = each.read_bytes()
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(each)) as db:
            lines = [
                line for line in db.iterdump() if not line.startswith('INSERT INTO "failures"')
            ]
            found[each.name] = lines
    return found


@pytest.mark.parametrize("lose", [damage, drop_log, drop_people, delete, begin_anew])
def test_after_damage_or_loss_an_administrator_of_that_copy_goes_back_to_it(
    call: Call, home: Path, copy: Path, lose: Any
) -> None:
    lose(home)
    before = contents(home)

    words = ("restore", str(copy), "--yes")
    for who, secret, refusal in (
        ((), ADMIN, "--as (NOME|NAME)"),
        (("--as", "ana"), "errada, claro", "is wrong|não está certo"),
        (("--as", "ninguém"), ADMIN, "."),
        (("--as", "rui"), ADMIN, "is wrong|não está certo"),
        (("--as", "rui"), RUI, "no administrator in this|não é administrador nesta"),
        (("--as", "eva"), RUI, "no administrator in this|não é administrador nesta"),  # since then
    ):
        code, out, err = call(*words, *who, secret=secret)
        assert code == 1, who
        assert re.search(refusal, err), who
        assert re.search("têm conta 3 pessoas|3 people have accounts", out) or not who
    kept = contents(home)
    assert {name: kept.get(name) for name in before} == before

    done = told(call, *words, "--as", "Ana")
    assert re.search("3 pe(ssoas|ople)", done["changes"])
    (entry, *_older) = told(call, "admin", "audit", "list", "--action", "restore", "--as", "ana")
    assert (entry["person"], entry["subject"]) == ("ana", f"safety copy {copy.name}")
    verified = told(call, "admin", "audit", "verify", "--as", "ana")
    assert verified["whole"], verified


def test_a_sound_station_is_taken_back_by_its_own_administrator_who_is_named(
    call: Call, copy: Path
) -> None:
    code, _out, err = call("restore", str(copy), "--yes", "--as", "rui", secret=ADMIN)
    assert code == 1
    assert err
    told(call, "restore", str(copy), "--yes", "--as", "ana")
    (entry, *_older) = told(call, "admin", "audit", "list", "--as", "ana", "--action", "restore")
    assert entry["person"] == "ana"


def test_a_copy_without_accounts_is_gone_back_to_without_a_name(call: Call, home: Path) -> None:
    Store.open(home).close()
    make(home / "qhub.db", "manual")
    (copy,) = listed(home / "qhub.db")
    damage(home)
    code, _out, err = call("restore", copy.name, "--yes", "--as", "ana", secret=ADMIN)
    assert code == 1
    assert "Nobody has an account here" in err
    assert told(call, "restore", copy.name, "--yes")["was_damaged"]


def test_the_head_of_the_log_is_printed_and_compared(call: Call, home: Path) -> None:
    assert call("admin", "audit", "head")[1] == f"0:{'0' * 64}\n"
    told(call, "admin", "people", "add", "ana", "--role", "admin")
    head = told(call, "admin", "audit", "head", "--as", "ana")
    code, out, _err = call("admin", "audit", "head", "--as", "ana", secret=ADMIN)
    assert code == 0
    assert re.fullmatch(r"3:[0-9a-f]{64}\n", out)
    first = f"{head['entry']}:{head['hash']}"
    assert first.startswith("2:")
    verified = told(call, "admin", "audit", "verify", "--head", first, "--as", "ana")
    assert (verified["whole"], verified["last"], verified["entries"]) == (True, 4, 4)

    code, _out, err = call(
        *("admin", "audit", "verify", "--as", "ana", "--head", f"2:{'a' * 64}"), secret=ADMIN
    )
    assert code == 1
    assert "A entrada 2 não é a que o que se guardou noutro sítio guarda" in err
    with pytest.raises(SystemExit):
        call("admin", "audit", "verify", "--head", "2", "--as", "ana", secret=ADMIN)


def test_a_forged_copy_is_refused_and_the_list_says_why(call: Call, copy: Path) -> None:
    with closing(connect(copy)) as db:
        db.execute("UPDATE people SET role = 'admin' WHERE name = 'rui'")
    code, out, _err = call("backup", "list", "--as", "ana", secret=ADMIN)
    assert code == 0
    assert "danificada (o conteúdo não é o que tinha quando foi feita)" in out
    code, _out, err = call("restore", copy.name, "--yes", "--as", "ana", secret=ADMIN)
    assert code == 1
    assert "não se pode usar: o conteúdo" in err
