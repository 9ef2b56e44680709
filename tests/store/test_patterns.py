"""Habits, counted from the plans of one's own questions, and never again where they are refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Chip, Choice, ChosenPlan, Interpretation, Text
from qhub_desktop.core.patterns import AskedQuestion, patterns_in
from qhub_desktop.store import Store
from qhub_desktop.store import patterns as stored
from qhub_desktop.store.patterns import NOTE

BY_SHIFT: JsonObject = {"type": "group", "dimension": {"column": "turno"}}
TOTAL: JsonObject = {"type": "number", "scope": {"dataset": "x"}}


def _question(
    text: str = "por turno?", *, hour: int = 6, is_first: bool = True, **plan: Any
) -> AskedQuestion:
    day = datetime(2026, 3, 1, hour, tzinfo=UTC)
    return AskedQuestion(text, day, {**BY_SHIFT, **plan}, is_first=is_first)


def test_what_three_conversations_ask_is_a_pattern_with_its_hour() -> None:
    asked = [[_question(hour=hour)] for hour in (6, 6, 7, 6)] + [[_question(type="number")]]

    (found,) = patterns_in(asked)

    assert (found.seen, found.of, found.starter) == (4, 5, "por turno?")
    assert "about 06:00" in found.text
    assert found.line.endswith("(4 of 5 conversations)")


def test_a_follow_up_is_a_habit_but_begins_no_conversation() -> None:
    asked = [[_question("e por turno?", is_first=False)]] * 3

    (found,) = patterns_in(asked)
    assert ("e por turno?" in found.text, found.starter) == (True, "")
    (found,) = patterns_in([*asked, [_question("defeitos por turno")]])
    assert found.starter == "defeitos por turno"


def test_one_that_asks_the_same_ten_times_is_one_conversation() -> None:
    assert patterns_in([[_question()] * 10, [_question()]]) == []


def test_days_and_files_are_not_what_is_asked() -> None:
    asked = [
        [_question(f"por turno em {n}?", scope={"dataset": f"defeitos_{n}", "period": [n]})]
        for n in range(3)
    ]

    (found,) = patterns_in(asked)
    assert found.seen == 3


@pytest.mark.parametrize("hours", [(6, 12, 18, 23), (0, 8, 16)])
def test_no_hour_is_told_where_they_lie_apart(hours: tuple[int, ...]) -> None:
    (found,) = patterns_in([[_question(hour=hour)] for hour in hours])
    assert "about" not in found.text


def test_hours_around_midnight_are_near() -> None:
    (found,) = patterns_in([[_question(hour=hour)] for hour in (23, 0, 0, 1)])
    assert "about 00:00" in found.text


def test_what_is_refused_is_not_counted() -> None:
    asked = [[_question()]] * 3
    (found,) = patterns_in(asked)
    assert patterns_in(asked, [found.key]) == []


async def _talk(store: Store, *plans: JsonObject, text: str = "por turno?") -> ConversationId:
    talk = (await store.conversations.create("analise")).id
    for plan in plans:
        await store.messages.add(talk, "user", [Text(text)])
        answer = await store.messages.add(talk, "assistant", [Interpretation(plan, ())])
        await store.messages.end(answer.id, "complete", engine="offline")
    return talk


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "REST", timedelta(0))


@pytest.mark.usefixtures("rested")
async def test_habits_are_kept_as_a_note_that_the_person_sees(store: Store) -> None:
    for _n in range(3):
        await _talk(store, BY_SHIFT, TOTAL)

    found = await store.patterns.refresh(store.memories)

    assert [each.seen for each in found] == [3, 3]
    note = await store.memories.find(NOTE)
    assert note.text.splitlines() == [each.line for each in found]
    assert note.origin == "learned"


@pytest.mark.usefixtures("rested")
async def test_a_deleted_note_does_not_return(store: Store) -> None:
    for _n in range(3):
        await _talk(store, BY_SHIFT, BY_SHIFT)
    await store.patterns.refresh(store.memories)
    await store.memories.delete(NOTE)

    assert await store.patterns.refresh(store.memories) == []
    assert NOTE not in [each.path for each in await store.memories.listed()]
    for _n in range(3):
        await _talk(store, TOTAL, TOTAL)
    (other,) = await store.patterns.refresh(store.memories)
    assert other.seen == 3


@pytest.mark.usefixtures("rested")
async def test_it_is_counted_once_enough_conversations_rest(store: Store) -> None:
    for _n in range(3):
        await _talk(store, BY_SHIFT, TOTAL)

    assert not await store.patterns.claim_look(4)
    await _talk(store, BY_SHIFT, TOTAL)
    assert await store.patterns.claim_look(4)
    assert not await store.patterns.claim_look(1)  # whoever else asks


async def test_a_conversation_under_way_and_one_question_are_not_counted(store: Store) -> None:
    for _n in range(3):
        await _talk(store, BY_SHIFT, TOTAL)  # none of them rests for half an hour
    assert await store.patterns.listed() == []
    assert await store.patterns.refresh(store.memories) == []
    assert await store.patterns.refresh(store.memories, rest=timedelta(0)) != []


@pytest.mark.usefixtures("rested")
async def test_a_part_that_is_always_changed_the_same_way_is_a_pattern(store: Store) -> None:
    chart: JsonObject = {**BY_SHIFT, "chart": "bar"}
    chips = (Chip("chart", "sem gráfico", (Choice("barras", chart),)),)
    for _n in range(3):
        talk = (await store.conversations.create("analise")).id
        await store.messages.add(talk, "user", [Text("por turno?")])
        first = await store.messages.add(talk, "assistant", [Interpretation(BY_SHIFT, chips)])
        await store.messages.end(first.id, "complete", engine="offline")
        await store.messages.add(talk, "user", [Text("barras"), ChosenPlan(chart)])
        second = await store.messages.add(talk, "assistant", [Interpretation(chart, ())])
        await store.messages.end(second.id, "complete", engine="offline")

    found = await store.patterns.refresh(store.memories)

    assert any("barras" in each.text and not each.starter for each in found)
