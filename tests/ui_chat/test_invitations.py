"""What a page offers before anything was asked: starters, and questions that a file invites."""

from datetime import date

from pytestqt.qtbot import QtBot

from qhub_desktop.chat.agent_files import load_agents
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.table import Table
from qhub_desktop.ui.chat.empty_state import EmptyState, ProfileCard
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


def test_the_card_asks_what_is_pressed(qtbot: QtBot) -> None:
    card = ProfileCard(profile(COUNTER, DAY, SHIFT, POSITION), None)
    qtbot.addWidget(card)
    asked: list[str] = []
    card.asked.connect(asked.append)

    card.questions[0].click()

    assert asked == [card.questions[0].text().strip()]


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
    assert not any(each.icon().isNull() for each in empty.starters)

    assert len(empty.starters) == 3 + 3
    empty.starters[3].click()
    assert asked == ["a?"]


async def test_a_suggested_question_is_asked(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("73"), RoundEnded("complete")])
    await made.open()
    made.page.show_profile(profile(COUNTER, DAY, SHIFT, POSITION))
    (card,) = made.entries(ProfileCard)
    card.questions[0].setFocus()

    card.questions[0].click()
    await until(lambda: made.view.is_running)
    await made.settled()

    assert made.page.window().focusWidget() is made.page.composer.question_box
    assert made.questions == [card.questions[0].text().strip()]
    assert made.answers == ["73"]
