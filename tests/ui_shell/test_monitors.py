"""Monitors in the window: made from a card, told at once, answered in the list."""

from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel, QMenu

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.study import Study
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.ui.charts.study_card import StudyView
from qhub_desktop.ui.shell.monitors import MonitorService
from qhub_desktop.ui.shell.monitors_window import MonitorsWindow
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

CALM = [100 + each for each in (1, -2, 0.5, 2, -1, -0.5, 1.5, -1.5, 0, 2.5)] * 3


def export(folder: Path, values: list[float]) -> Path:
    path = folder / "linha.csv"
    path.write_text("\n".join(["espessura", *map(str, values)]) + "\n", encoding="utf-8")
    return path


async def drop(harness: WindowHarness, conversation: ConversationId, file: Path) -> None:
    for profile in await harness.program.workspace.load(file):
        await harness.program.store.datasets.pin(conversation, profile.id, profile.dataset)


async def frozen_chart(harness: WindowHarness, folder: Path) -> tuple[ConversationId, Study]:
    """A conversation with an export, and the chart of it with frozen limits."""
    program = harness.program
    conversation = (await program.store.conversations.create("analise")).id
    await drop(harness, conversation, export(folder, CALM))
    context = ToolContext(conversation, await program.conversation_datasets.profiles(conversation))
    computed = await program.study_tools.compute(
        "carta_controlo", context, {"coluna": "espessura", "congelar": 30}
    )
    return conversation, computed.study


def service_of(harness: WindowHarness) -> MonitorService:
    return harness.window.controller.frame.monitors


def words(window: MonitorsWindow) -> str:
    return "\n".join(each.text() for each in window.findChildren(QLabel) if each.isVisible())


async def test_a_violation_is_told_and_stands_in_the_list_until_it_is_answered(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        frame, service = harness.window.controller.frame, service_of(harness)
        conversation, study = await frozen_chart(harness, tmp_path)
        made = await service.watch(study, conversation)
        assert made is not None
        assert "linha.csv" in frame.banner.toast.text
        assert frame.sidebar.monitors_button.isHidden()

        await drop(harness, conversation, export(tmp_path, [*CALM, 140.0]))
        monitors = harness.program.study_tools.monitors(harness.program.store.monitors)
        await monitors.look()  # or the window itself has looked by now
        service.tell(await harness.program.store.monitors.violations())
        await until(lambda: not frame.sidebar.monitors_button.isHidden(), "the count")
        assert "31" in frame.banner.text
        frame.banner.remedy_button.click()
        window = service.window
        assert window is not None
        await until(lambda: window.cards, "the list")

        card = window.cards[0]
        assert "1 point more than 3 sigmas" in words(window)
        assert "140" in words(window)
        rows = card.open_rows()
        assert rows is not None
        rows.close()
        card.cause.setText("worn nozzle")
        card.button.click()
        await until(lambda: not card.problem.isHidden(), "that the action is missing")
        window.reload()  # as when another violation is found meanwhile
        await until(lambda: window.cards and window.cards[0] is not card, "the list again")
        again = window.cards[0]
        assert again.cause.text() == "worn nozzle"
        again.action.setText("changed")
        again.button.click()
        await until(lambda: window.cards[0] is not again, "the list after the answer")

        assert "worn nozzle" in words(window)
        await until(frame.sidebar.monitors_button.isHidden, "no violation")
        notes = await harness.program.store.point_notes.of(made.subject)
        assert {(each.label, each.cause, each.action) for each in notes} == {
            ("31", "worn nozzle", "changed")
        }


async def test_a_card_with_frozen_limits_offers_to_watch(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        conversation, study = await frozen_chart(harness, tmp_path)
        view = StudyView(study)
        asked: list[object] = []
        view.monitor_requested.connect(lambda each, _button: asked.append(each))
        view.work_with(
            harness.window.controller.frame.centre._study_service(),
            conversation,
            harness.window.tasks,
        )
        assert not view.monitor_button.isHidden()
        view.monitor_button.click()
        assert asked == [study]

        menu = service_of(harness).offer(study, conversation, view.monitor_button)
        data, folder = menu.actions()
        folder.trigger()
        dialog = service_of(harness).file_dialog
        assert dialog is not None
        dialog.close()
        data.trigger()
        menu.close()
        store = harness.program.store.monitors
        listed = await store.listed()
        while not listed:
            listed = await store.listed()
        assert [each.watched.kind for each in listed] == ["dataset"]
        view.deleteLater()


async def test_a_monitor_is_stopped_and_looks_again(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        conversation, study = await frozen_chart(harness, tmp_path)
        await service_of(harness).watch(study, conversation)
        window = service_of(harness).open()
        await until(lambda: window.monitors, "the monitor")
        row = window.monitors[0]
        row.button.click()
        await until(lambda: window.monitors[0] is not row, "the monitor again")
        await drop(harness, conversation, export(tmp_path, [*CALM, 140.0]))
        monitors = harness.program.study_tools.monitors(harness.program.store.monitors)
        await monitors.look()
        assert await harness.program.store.monitors.violations() == []

        stopped = window.monitors[0]
        stopped.button.click()
        await until(lambda: window.monitors[0] is not stopped, "the monitor at work")
        await monitors.look()
        found = await harness.program.store.monitors.violations()
        assert 140.0 in [each.found.value for each in found]


async def test_a_monitor_is_made_from_a_chart_of_the_open_conversation(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with opened(qapp) as harness:
        service = service_of(harness)
        window = service.open()
        await until(lambda: hasattr(window, "new_button"), "the list")
        empty = service.offer_charts(window.new_button)
        (hint,) = empty.actions()
        assert not hint.isEnabled()
        assert "Freeze limits" in hint.text()
        empty.close()

        conversation, study = await frozen_chart(harness, tmp_path)
        view = StudyView(study)
        view.setParent(harness.window)
        view.work_with(
            harness.window.controller.frame.centre._study_service(),
            conversation,
            harness.window.tasks,
        )
        window.new_button.click()
        menu = next(each for each in window.new_button.findChildren(QMenu) if each.isVisible())
        (chart,) = menu.actions()
        assert chart.text() == study.title
        choices = chart.menu()
        assert isinstance(choices, QMenu)
        choices.actions()[0].trigger()
        menu.close()

        await until(lambda: window.monitors, "the monitor")
        assert "linha.csv" in words(window)
