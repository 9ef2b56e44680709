"""Settings, window state, pins, the defect log, and what calls have cost."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from qhub_desktop.core.dataset import COLUMNS, Defect
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.store.database import connect
from qhub_desktop.store.datasets import Pin
from qhub_desktop.store.store import Store

DEFECT = Defect(date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)


async def test_settings_come_back_and_a_missing_one_goes(folder: Path) -> None:
    store = Store.open(folder)
    assert store.settings.load_now() == {}
    await store.settings.save({"station": "P2", "rounds": 9, "theme": "dark"})
    await store.settings.save({"station": "Estação 3", "rounds": 9})
    store.close()

    store = Store.open(folder)
    assert store.settings.load_now() == {"station": "Estação 3", "rounds": 9}
    store.close()


async def test_two_programs_that_change_different_settings_keep_both(folder: Path) -> None:
    first = Store.open(folder)
    await first.settings.save({"station": "P1", "rounds": 9})
    second = Store.open(folder)

    await first.settings.save({"station": "P1", "rounds": 9, "theme": "dark"})
    await second.settings.save({"station": "P2"})

    assert first.settings.load_now() == {"station": "P2", "theme": "dark"}
    first.close()
    second.close()


async def test_window_state_comes_back_key_by_key(folder: Path) -> None:
    store = Store.open(folder)
    assert store.settings.state_now("window") is None
    await store.settings.save_state("window", {"size": [1366, 768], "is_maximised": False})
    await store.settings.save_state("panel", 240.5)
    await store.settings.save_state("panel", 250)
    store.close()

    store = Store.open(folder)
    assert store.settings.state_now("window") == {"size": [1366, 768], "is_maximised": False}
    assert store.settings.state_now("panel") == 250
    store.close()


async def test_data_sets_are_pinned_once_in_order_with_names_of_their_own(store: Store) -> None:
    made = await store.conversations.create("analise")
    names = [
        await store.datasets.pin(made.id, id_, name)
        for id_, name in (
            ("aa", "defeitos"),
            ("bb", "Defeitos"),
            ("cc", "peças"),
            ("aa", "outro"),
            ("dd", "defeitos"),
        )
    ]

    assert names == ["defeitos", "Defeitos_2", "peças", "defeitos", "defeitos_3"]
    assert await store.datasets.pinned(made.id) == [
        Pin("aa", "defeitos"),
        Pin("bb", "Defeitos_2"),
        Pin("cc", "peças"),
        Pin("dd", "defeitos_3"),
    ]


async def test_a_renamed_data_set_gets_a_name_that_nobody_has(store: Store) -> None:
    made = await store.conversations.create("analise")
    await store.datasets.pin(made.id, "aa", "defeitos")
    await store.datasets.pin(made.id, "bb", "pecas")

    assert await store.datasets.rename(made.id, "bb", "Defeitos") == "Defeitos_2"
    assert await store.datasets.rename(made.id, "bb", "defeitos_2") == "defeitos_2"
    assert await store.datasets.pinned(made.id) == [Pin("aa", "defeitos"), Pin("bb", "defeitos_2")]


async def test_a_data_set_that_is_not_used_keeps_its_place_and_name(store: Store) -> None:
    made = await store.conversations.create("analise")
    await store.datasets.pin(made.id, "aa", "defeitos")
    await store.datasets.pin(made.id, "bb", "notas", is_used=False)
    await store.datasets.set_used(made.id, "aa", is_used=False)

    assert await store.datasets.pinned(made.id) == []
    assert await store.datasets.pinned(made.id, include_unused=True) == [
        Pin("aa", "defeitos", is_used=False),
        Pin("bb", "notas", is_used=False),
    ]
    await store.datasets.set_used(made.id, "aa", is_used=True)
    assert await store.datasets.pinned(made.id) == [Pin("aa", "defeitos")]


async def test_a_newer_data_set_takes_the_place_and_the_name_of_the_old_one(store: Store) -> None:
    made = await store.conversations.create("analise")
    for id_, name in (("aa", "defeitos"), ("bb", "pecas"), ("cc", "defeitos")):
        await store.datasets.pin(made.id, id_, name)

    assert await store.datasets.replace(made.id, "aa", "cc") == "defeitos"
    assert await store.datasets.pinned(made.id) == [Pin("cc", "defeitos"), Pin("bb", "pecas")]
    assert await store.datasets.replace(made.id, "cc", "aa") == "defeitos"
    assert await store.datasets.pinned(made.id) == [Pin("aa", "defeitos"), Pin("bb", "pecas")]
    with pytest.raises(UserError):
        await store.datasets.replace(made.id, "never pinned", "dd")


async def test_an_unpinned_data_set_is_gone_from_its_conversation_alone(store: Store) -> None:
    made = await store.conversations.create("analise")
    other = await store.conversations.create("analise")
    for conversation in (made, other):
        await store.datasets.pin(conversation.id, "aa", "defeitos")

    await store.datasets.unpin(made.id, "aa")
    await store.datasets.unpin(made.id, "never pinned")

    assert await store.datasets.pinned(made.id) == []
    assert await store.datasets.pinned(other.id) == [Pin("aa", "defeitos")]


async def test_a_new_file_begins_with_the_200_demo_defects(store: Store) -> None:
    log = await store.defects.log()

    assert log.names == COLUMNS
    assert [column.type for column in log.columns][:3] == ["integer", "date", "category"]
    assert log.column("posicao").type == "integer"
    assert log.rows[0] == (
        1,
        date(2026, 2, 11),
        "manha",
        "Julia",
        "gordura",
        "ABS_Cinza",
        "R11",
        3,
    )
    assert [row[0] for row in log.rows] == list(range(1, 201))
    positions = [cell for cell in log.cells("posicao") if isinstance(cell, int)]
    assert sum(positions) == 918


async def test_a_reported_defect_gets_the_next_id_and_stays(folder: Path) -> None:
    store = Store.open(folder)
    assert await store.defects.add(DEFECT) == 201
    assert await store.defects.add(DEFECT) == 202
    store.close()

    store = Store.open(folder)
    rows = (await store.defects.log()).rows
    store.close()

    assert len(rows) == 202
    assert rows[-1] == (202, date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)


@pytest.mark.parametrize("content", [None, b"id,data\n1,2026-02-01\n", b"\xff\xfe\x00"])
def test_a_damaged_program_says_so_and_the_next_start_begins_anew(
    folder: Path, tmp_path: Path, content: bytes | None
) -> None:
    seed = tmp_path / "defeitos.csv"
    if content is not None:
        seed.write_bytes(content)

    with pytest.raises(UserError, match="Install QHub again"):
        Store.open(folder, seed=seed)

    seed.write_text(",".join(COLUMNS) + "\n1,2026-02-01,manha,Ana,lixo,PP,R1,3\n", encoding="utf-8")
    Store.open(folder, seed=seed).close()


async def test_todays_cost_is_the_sum_of_todays_calls(store: Store, folder: Path) -> None:
    made = await store.conversations.create("analise")
    answer = await store.messages.add(made.id, "assistant")
    assert await store.messages.spent_today() == 0
    calls = [
        UsageCounted("claude-x", 1000, 200, 300, 400, 0.25),
        UsageCounted("local", 10, 20, 0, 0, None),
        UsageCounted("claude-x", 1, 2, 3, 4, 0.5),
    ]
    for call in calls:
        await store.messages.add_usage(answer.id, call)

    assert await store.messages.usage(answer.id) == calls
    assert await store.messages.spent_today() == 0.75

    with connect(folder / "qhub.db") as db:
        (day,) = db.execute("SELECT DISTINCT day FROM usage").fetchone()
        yesterday = (date.fromisoformat(day) - timedelta(days=1)).isoformat()
        db.execute("UPDATE usage SET day = ? WHERE cost_usd = 0.5", (yesterday,))
    db.close()
    assert await store.messages.spent_today() == 0.25
