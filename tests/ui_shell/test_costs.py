"""The window of the costs: what was spent, added up as the person asks, and saved."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qhub_desktop.app import Program
from qhub_desktop.core.budget import Budget
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.charts.kpi_view import KpiView
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.chat.approvals import CostCard
from qhub_desktop.ui.chat.empty_state import EmptyState
from qhub_desktop.ui.people.budgets import BudgetDialog
from qhub_desktop.ui.shell.costs_window import CostsWindow
from tests.ui_people.test_sign_in import SECRET, with_people
from tests.ui_shell.window_harness import opened
from tests.waiting import until
from tests.wire import WireServer, answer


async def spend(program: Program, agent: str, usd: float) -> None:
    store = program.store
    talk = await store.conversations.create(agent)
    message = await store.messages.add(talk.id, "assistant")
    await store.messages.add_usage(message.id, UsageCounted("claude-x", 10, 20, 30, 40, usd))


def rows(window: CostsWindow) -> list[tuple[object, object]]:
    """The first two columns of the table that was put there last."""
    table = window.findChildren(TableWidget)[-1].visible_table()
    return [(row[0], row[1]) for row in table.rows]


def told(window: CostsWindow) -> str:
    """The sums of today and of this month."""
    return " ".join(each.accessibleName() for each in window.findChildren(KpiView))


def budgets(window: CostsWindow) -> list[list[str]]:
    """The budgets that are shown."""
    shown = window.budgets.list
    items = [shown.topLevelItem(row) for row in range(shown.topLevelItemCount())]
    return [[item.text(column) for column in range(3)] for item in items if item is not None]


async def test_a_budget_is_made_changed_and_taken_away_where_costs_are_seen(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        await spend(harness.program, "qualidade", 1.5)
        costs, agent = harness.program.store.costs, harness.program.agents["qualidade"]
        window = harness.window.controller.windows.open_costs()

        async def write(name: str, day: str, month: str) -> BudgetDialog:
            dialog = window.budgets.open_dialog()
            dialog.subject.setCurrentIndex(dialog.subject.findText(name))
            await until(dialog.amounts.isEnabled, "the amounts")
            dialog.amounts.fields["day"].setText(day)
            dialog.amounts.fields["month"].setText(month)
            dialog.save_button.click()
            return dialog

        dialog = await write(agent.name, "3", "1,000")
        await until(dialog.problem.text, "the problem")
        assert "'1,000' is no amount" in dialog.problem.text()
        assert "1.50" in dialog.amounts.spent["month"].text()
        assert await costs.budgets() == []
        dialog.amounts.fields["month"].setText("12,5")
        dialog.save_button.click()
        await until(lambda: budgets(window) == [[agent.name, "1.50 / 3.00", "1.50 / 12.50"]])
        await write(agent.name, "", "12.50")
        await until(lambda: budgets(window) == [[agent.name, "", "1.50 / 12.50"]])
        noted = await harness.program.store.audit.listed(action="budget")
        assert [(each.subject, each.detail) for each in noted] == [
            ("agent qualidade day", {"removed": True}),
            ("agent qualidade month", {"usd": 12.5}),
            ("agent qualidade day", {"usd": 3.0}),
        ]
        window.close()


async def test_an_operator_sees_their_own_budget_and_changes_none(qapp: QApplication) -> None:
    async def as_rui(program: Program) -> None:
        await with_people(program)
        for budget in (Budget("person", "rui", "month", 5.0), Budget("person", "ana", "day", 1.0)):
            await program.store.costs.set_budget(budget)
        program.enter(await program.accounts.sign_in("rui", "4071"))

    async with opened(qapp, prepare=as_rui) as harness:
        window = harness.window.controller.windows.open_costs()
        await until(lambda: budgets(window), "the budget")

        assert budgets(window) == [["rui", "", "0.00 / 5.00"]]
        assert not window.budgets.change_button.isVisible()
        assert not window.person_box.isVisible()
        window.close()


async def test_an_administrator_looks_at_one_persons_costs_and_saves_them(
    qapp: QApplication, tmp_path: Path
) -> None:
    async def as_ana(program: Program) -> None:
        await with_people(program)
        for name, secret in (("rui", "4071"), ("ana", SECRET)):
            program.enter(await program.accounts.sign_in(name, secret))
            await spend(program, "qualidade", 1.5 if name == "rui" else 0.25)

    async with opened(qapp, prepare=as_ana) as harness:
        window = harness.window.controller.windows.open_costs()
        await until(lambda: window.person_box.count() > 1 and bool(rows(window)))
        box = window.person_box
        assert [box.itemText(place) for place in range(box.count())] == ["Everybody", "ana", "rui"]
        name = harness.program.agents["qualidade"].name
        assert rows(window) == [(name, 1.75)]

        box.setCurrentIndex(box.findText("rui"))
        await until(lambda: rows(window) == [(name, 1.5)])
        await until(lambda: "1.50" in told(window) and "1.75" not in told(window))
        window.export_button.click()
        assert window.dialog is not None
        assert Path(window.dialog.selectedFiles()[0]).stem == "Costs rui"
        target = tmp_path / "custos.csv"
        window.dialog.fileSelected.emit(str(target))
        window.dialog.close()
        await until(target.exists)

        assert "1.5" in target.read_text(encoding="utf-8-sig")
        (entry,) = await harness.program.store.audit.listed(action="export")
        assert entry.detail == {"file": "custos.csv", "person": "rui"}
        window.close()


async def test_costs_are_added_up_as_asked_and_saved(qapp: QApplication, tmp_path: Path) -> None:
    async with opened(qapp) as harness:
        await spend(harness.program, "analise", 0.25)
        await spend(harness.program, "qualidade", 1.5)
        store = harness.program.store
        await store.costs.set_budget(Budget("station", "", "month", 2.0))
        window = harness.window.controller.windows.open_costs()
        await until(lambda: bool(window.findChildren(TableWidget) and budgets(window)))
        await until(lambda: len(window.findChildren(KpiView)) == 2)  # loaded apart

        assert budgets(window) == [["The station", "", "1.75 / 2.00"]]
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


async def test_a_costly_question_waits_for_the_persons_word_and_is_changed(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Settings(language="en", engine="claude", ask_above_usd=0.01)
    with WireServer([answer("Because of rack **R12**.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        async with opened(qapp, settings=chosen) as harness:
            page = harness.window.frame.centre.page

            def cards() -> list[CostCard]:
                return [each for each in page.findChildren(CostCard) if not each.isHidden()]

            page.composer.question_box.set_text("why so much dust?")
            page.composer.submitted.emit("why so much dust?")
            await until(lambda: bool(cards()))
            assert server.requests == []

            cards()[0].buttons["cancel"].click()
            await until(lambda: page.composer.text == "why so much dust?")
            view = page.view
            assert view is not None
            assert [type(each) for each in view.transcript.entries] == [EmptyState]
            centre = harness.window.frame.centre
            await until(lambda: centre.conversation is not None and not centre.conversation.title)

            page.composer.submitted.emit("why dust in March?")
            await until(lambda: bool(cards()))
            cards()[0].buttons["send"].click()
            await until(lambda: view.last_answer is not None and "R12" in view.last_answer.text)
            (kept,) = await harness.program.store.conversations.listed()
            assert kept.title == "why dust in March?"

        assert len(server.requests) == 1
        assert "why so much dust" not in str(server.requests[0].body)
