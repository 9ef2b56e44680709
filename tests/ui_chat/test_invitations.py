"""What a page offers before anything was asked: starters, and questions that a file invites."""

from dataclasses import replace
from datetime import date

import pytest
from pytestqt.qtbot import QtBot

from qhub_desktop.chat.agent_files import load_agents
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.table import Table
from qhub_desktop.ui.chat.empty_state import EmptyState, ProfileCard, suggested_questions
from tests.ui_chat.conftest import MakeHarness
from tests.waiting import until


def profile(*columns: ColumnProfile) -> DatasetProfile:
    return DatasetProfile(
        id="x",
        dataset="defeitos",
        file="defeitos.xlsx",
        sheet="Folha1",
        sheets=("Folha1",),
        rows=200,
        sha256="",
        columns=columns,
        preview=Table((), ()),
    )


COUNTER = ColumnProfile("id", "integer", 0, 200, 1, 200)
DAY = ColumnProfile("data", "date", 0, 28, date(2026, 2, 1), date(2026, 2, 28))
SHIFT = ColumnProfile("turno", "category", 0, 3, top=(("manha", 73),))
POSITION = ColumnProfile("posicao", "integer", 0, 10, 1, 10)


def test_questions_name_columns_that_are_there() -> None:
    assert suggested_questions(profile(COUNTER, DAY, SHIFT, POSITION)) == (
        "How many rows by turno?",
        "Mean of posicao by turno",
        "Trend by data in a chart",
    )


@pytest.mark.parametrize("different", [200, 196])  # some rows stand there twice
def test_a_running_number_is_no_measure(different: int) -> None:
    counter = replace(COUNTER, distinct=different)

    assert suggested_questions(profile(counter)) == ("Summarise the data",)


def test_the_card_asks_what_is_pressed(qtbot: QtBot) -> None:
    card = ProfileCard(profile(COUNTER, DAY, SHIFT, POSITION))
    qtbot.addWidget(card)
    asked: list[str] = []
    card.asked.connect(asked.append)

    card.questions[0].click()

    assert asked == ["How many rows by turno?"]


def test_an_agent_offers_three_questions(qtbot: QtBot) -> None:
    agent = load_agents(RESOURCES / "agents")["analise"]
    empty = EmptyState(agent)
    qtbot.addWidget(empty)
    asked: list[str] = []
    empty.asked.connect(asked.append)

    empty.starters[0].click()

    assert len(empty.starters) == 3
    assert asked == [agent.starters["en"][0]]


def test_what_a_person_often_asks_is_offered_below(qtbot: QtBot) -> None:
    empty = EmptyState(load_agents(RESOURCES / "agents")["analise"])
    qtbot.addWidget(empty)
    asked: list[str] = []
    empty.asked.connect(asked.append)

    empty.offer_habits(["a?", "b?", "c?", "d?"])

    assert len(empty.starters) == 3 + 3
    empty.starters[3].click()
    assert asked == ["a?"]


async def test_a_suggested_question_is_asked(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("73"), RoundEnded("complete")])
    await made.open()
    made.page.show_profile(profile(COUNTER, DAY, SHIFT, POSITION))
    (card,) = made.entries(ProfileCard)

    card.questions[0].click()
    await until(lambda: made.view.is_running)
    await made.settled()

    assert made.questions == ["How many rows by turno?"]
    assert made.answers == ["73"]
