"""Dashboards: kept with their versions and rows, found by their words, seen by whom they may be."""

from contextlib import closing
from datetime import UTC, date, datetime, time
from pathlib import Path

import pytest

from qhub_desktop.core.dashboard import (
    DailyAt,
    DashboardSpec,
    EveryMinutes,
    NamedQuery,
    OnChange,
    PinnedCard,
    QueryRows,
    Schedule,
    Viewer,
    id_in,
    schedule_from,
    schedule_words,
)
from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.result_widgets import Kpi
from qhub_desktop.core.table import Column, Table
from qhub_desktop.store import Store
from qhub_desktop.store.database import open_connection
from qhub_desktop.store.migrations import MIGRATIONS
from tests.store.conftest import faults

TABLE = Table((Column("turno", "text"), Column("n", "integer")), (("manha", 73), ("tarde", 68)))


def rows(name: str = "turnos") -> QueryRows:
    return QueryRows(name, TABLE, 2, datetime(2026, 3, 2, 6, 30, tzinfo=UTC))


async def shifts(store: Store, title: str = "Turnos de hoje") -> str:
    """A dashboard with one query; its id."""
    made = await store.conversations.create("analise")
    held = DashboardSpec(
        title,
        "<div class='kpi-card'>Produção &amp; rejeição<script>var segredo = 1</script></div>",
        (NamedQuery("turnos", "SELECT 1", made.id),),
        (PinnedCard("c1", "Total", Kpi("Total", 200.0), "turnos", 4),),
    )
    found = await store.dashboards.create(
        held, [rows()], author="rui", agent="analise", conversation=made.id
    )
    return found.id


async def test_a_dashboard_is_whole_after_a_restart(folder: Path) -> None:
    store = Store.open(folder)
    id_ = await shifts(store)
    before = (await store.dashboards.find(id_), await store.dashboards.contents(id_))
    store.close()

    again = Store.open(folder)
    found, held = await again.dashboards.find(id_), await again.dashboards.contents(id_)
    kept = await again.dashboards.rows(id_)
    again.close()

    assert (found, held) == before
    assert len(id_) == 12
    assert set(id_) <= set("0123456789abcdef")
    assert found.url == f"qhub://dashboards/{id_}"
    assert (found.author, found.agent, found.version) == ("rui", "analise", 1)
    assert kept == [rows()]
    assert faults(folder) == []


async def test_every_change_is_a_version_and_the_earlier_ones_stay(store: Store) -> None:
    id_ = await shifts(store)
    changed = await store.dashboards.change(
        id_, DashboardSpec("Semana", "<p>Outro</p>"), author="ana"
    )

    assert (changed.title, changed.version) == ("Semana", 2)
    assert (await store.dashboards.contents(id_)).body == "<p>Outro</p>"
    assert (await store.dashboards.contents(id_, version=1)).title == "Turnos de hoje"
    listed = [(each.number, each.author) for each in await store.dashboards.versions(id_)]
    assert listed == [(2, "ana"), (1, "rui")]
    # The query is gone with the version that had it, and its rows with it.
    assert await store.dashboards.rows(id_) == []


async def test_what_is_deleted_comes_back_as_it_was(store: Store) -> None:
    id_ = await shifts(store)
    before = await store.dashboards.find(id_)
    await store.dashboards.set_deleted(id_, is_deleted=True)

    assert await store.dashboards.listed() == []
    with pytest.raises(UserError, match="no dashboard"):
        await store.dashboards.find(id_)
    with pytest.raises(UserError, match="no dashboard"):
        await store.dashboards.keep_rows(id_, [rows()])

    await store.dashboards.set_deleted(id_, is_deleted=False)
    assert await store.dashboards.listed() == [before]


async def test_a_duplicate_goes_its_own_way(store: Store) -> None:
    id_ = await shifts(store)
    await store.dashboards.keep_thumbnail(id_, b"png")
    await store.dashboards.show_to(id_, "station")
    copy = await store.dashboards.duplicate(id_, "Turnos (cópia)", author="ana")
    await store.dashboards.change(copy.id, DashboardSpec("Mudado"), author="ana")

    assert copy.id != id_
    assert (copy.author, copy.visibility) == ("ana", "me")
    assert await store.dashboards.thumbnail(copy.id) == b"png"
    assert (await store.dashboards.find(id_)).title == "Turnos de hoje"
    assert await store.dashboards.rows(id_) == [rows()]


@pytest.mark.parametrize("words", ["turnos", "PRODUCAO", "rejeição hoje", "total", ""])
async def test_a_search_finds_title_and_page_whatever_the_accents(store: Store, words: str) -> None:
    id_ = await shifts(store)
    assert [each.id for each in await store.dashboards.listed(search=words)] == [id_]


@pytest.mark.parametrize("words", ["segredo", "kpi-card", "turnos ontem"])
async def test_a_search_finds_nothing_that_nobody_sees(store: Store, words: str) -> None:
    await shifts(store)
    assert await store.dashboards.listed(search=words) == []


async def test_each_sees_their_own_what_their_agents_users_may_and_the_stations(
    store: Store,
) -> None:
    private = await shifts(store, "Privado")
    shared = await shifts(store, "Da análise")
    public = await shifts(store, "De todos")
    await store.dashboards.show_to(shared, "agent")
    await store.dashboards.show_to(public, "station")

    async def seen(name: str, *agents: str) -> set[str]:
        found = await store.dashboards.listed(viewer=Viewer(name, agents))
        return {each.id for each in found}

    assert await seen("rui", "qualidade") == {private, shared, public}
    assert await seen("julia", "analise") == {shared, public}
    assert await seen("julia", "qualidade") == {public}


async def test_the_state_of_the_data_changes_with_files_and_defects(store: Store) -> None:
    made = await store.conversations.create("analise")
    states = [await store.dashboards.state_of_data([made.id])]
    states.append(await store.dashboards.state_of_data([made.id]))
    await store.datasets.pin(made.id, "a" * 16, "vendas")
    states.append(await store.dashboards.state_of_data([made.id]))
    await store.datasets.replace(made.id, "a" * 16, "b" * 16)
    states.append(await store.dashboards.state_of_data([made.id]))
    await store.defects.add(
        Defect(date(2026, 3, 1), "manha", "Julia", "lixo", "ABS_Cinza", "R1", 1)
    )
    states.append(await store.dashboards.state_of_data([made.id]))

    assert states[0] == states[1]
    assert len(set(states)) == 4


@pytest.mark.parametrize(
    ("words", "schedule"),
    [
        ("", None),
        ("every 15", EveryMinutes(15)),
        ("at 06:05", DailyAt(time(6, 5))),
        ("change", OnChange()),
    ],
)
async def test_schedules_are_kept_as_they_are_typed(
    store: Store, words: str, schedule: Schedule
) -> None:
    assert schedule_from(words) == schedule
    assert schedule_words(schedule) == words
    id_ = await shifts(store)
    await store.dashboards.set_schedule(id_, schedule)
    assert (await store.dashboards.find(id_)).schedule == schedule


@pytest.mark.parametrize("words", ["every 0", "every ten", "at 24:00", "hourly", "every 99999"])
def test_words_that_are_no_schedule_are_refused(words: str) -> None:
    with pytest.raises(UserError, match="not a schedule"):
        schedule_from(words)


def test_an_address_and_an_id_mean_the_same() -> None:
    assert id_in("qhub://dashboards/0123456789ab") == id_in("0123456789AB") == "0123456789ab"
    for wrong in ("", "0123456789a", "qhub://dashboards/../x", "0123456789ab0"):
        with pytest.raises(UserError, match="not a dashboard"):
            id_in(wrong)


async def test_a_file_from_before_there_were_dashboards_is_brought_up_to_date(
    tmp_path: Path,
) -> None:
    path = tmp_path / "qhub.db"
    with closing(open_connection(path, fill=lambda _db: None, migrations=MIGRATIONS[:4])) as db:
        db.execute(
            "INSERT INTO conversations (id, agent, created, updated) VALUES ('0a', 'analise', 1, 1)"
        )
    store = Store.open(tmp_path)
    found = await store.dashboards.create(DashboardSpec("Novo"), conversation=ConversationId("0a"))
    store.close()

    assert found.conversation == "0a"
    assert faults(tmp_path) == []
