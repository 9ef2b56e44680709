"""The window of the costs: what was spent, added up as the person asks, and saved."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.core.budget import Budget
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.ui.charts.kpi_view import KpiView
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.shell.costs_window import CostsWindow
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until


async def spend(harness: WindowHarness, agent: str, usd: float) -> None:
    store = harness.program.store
    talk = await store.conversations.create(agent)
    message = await store.messages.add(talk.id, "assistant")
    await store.messages.add_usage(message.id, UsageCounted("claude-x", 10, 20, 30, 40, usd))


def rows(window: CostsWindow) -> list[tuple[object, object]]:
    """The first two columns of the table that was put there last."""
    table = window.findChildren(TableWidget)[-1].visible_table()
    return [(row[0], row[1]) for row in table.rows]


async def test_costs_are_added_up_as_asked_and_saved(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        await spend(harness, "analise", 0.25)
        await spend(harness, "qualidade", 1.5)
        store = harness.program.store
        await store.costs.set_budget(Budget("station", "", "month", 2.0))
        window = harness.window.controller.open_costs()
        await until(lambda: bool(window.findChildren(TableWidget) and window.note.text()))

        assert len(window.findChildren(KpiView)) == 2
        assert window.note.text() == "The station's budget for this month: 1.75 / 2.00 US$"
        names = {agent.id: agent.name for agent in harness.program.agents.values()}
        assert rows(window) == [(names["qualidade"], 1.5), (names["analise"], 0.25)]

        window.by_box.setCurrentIndex(window.by_box.findData("model"))
        await until(lambda: rows(window) == [("claude-x", 1.75)])
        window.export_button.click()
        assert window.dialog is not None
        target = tmp_path / "custos.csv"
        window.dialog.fileSelected.emit(str(target))
        window.dialog.close()
        await until(target.exists)

        saved = target.read_text(encoding="utf-8-sig")
        assert saved.startswith("Model")
        assert "claude-x" in saved
        (entry,) = await store.audit.listed(action="export")
        assert (entry.subject, entry.detail) == ("costs", {"file": "custos.csv"})
        window.close()
