"""Dashboards at a real window, with real pages in the web engine; the person is played.

`python -m tests.ui_dashboards.stories NAME` plays one of them.
"""

import asyncio
import sys
from dataclasses import replace
from datetime import date, time
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from qhub_desktop.app import Program
from qhub_desktop.core.codec import Json
from qhub_desktop.core.dashboard import DailyAt, EveryMinutes, OnChange, RenderedDashboard, id_in
from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.result_widgets import DashboardLink, Kpi, Study
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.answer import DashboardCard
from qhub_desktop.ui.dashboards.card_list import ArrangedRow, CardRow
from qhub_desktop.ui.dashboards.dashboard_window import DashboardWindow
from qhub_desktop.ui.dashboards.new_dashboard import NewDashboardWindow
from qhub_desktop.ui.dashboards.wall import STATE_KEY, Wall
from qhub_desktop.ui.dashboards.windows import DashboardWindows, ListWindow
from qhub_desktop.ui.shell.question_window import QuestionWindow
from qhub_desktop.ui.shell.study_window import StudyWindow
from qhub_desktop.ui.theme import DARK, theme
from qhub_desktop.ui.web.locked_view import LockedView
from tests.stories import play_here
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

BODY = """<p id="n"></p><script>
document.getElementById("n").textContent = "há " + qhub.data.total.linhas[0][0] + " defeitos";
</script>"""
BLOCKS = """<h2>Turnos</h2><div class="dashboard-grid">
<div class="kpi-card"><span>Total</span><div>200</div></div>
<div class="chart-container"><h3>Por turno</h3></div></div>
<div class='data-table big'><p>Pior</p></div>"""
TOTAL = "SELECT count(*) AS n FROM defeitos"


async def used(
    program: Program, conversation: ConversationId, name: str, **given: Json
) -> ToolResult:
    """A tool used as in a turn, and kept in the conversation."""
    context = ToolContext(conversation, await program.conversation_datasets.profiles(conversation))
    outcome = await program.tools[name].prepare(given)(context)
    result = ToolResult("1", outcome.content, outcome.widget, outcome.source)
    call = ToolCall("1", name, {})
    await program.store.messages.add(conversation, "user", [Text("mostra")])
    answer = await program.store.messages.add(conversation, "assistant", [call, result])
    await program.store.messages.end(answer.id, "complete", engine="offline")
    return result


async def made(harness: WindowHarness, title: str = "Total") -> tuple[str, ConversationId]:
    """A dashboard that a conversation has made: the ids of both."""
    conversation = (await harness.program.store.conversations.create("analise")).id
    result = await used(
        harness.program,
        conversation,
        "gerar_dashboard",
        titulo=title,
        html=BODY,
        dados={"total": TOTAL},
    )
    assert isinstance(result.widget, DashboardLink)
    return id_in(result.widget.url), conversation


async def listed(harness: WindowHarness) -> ListWindow:
    """The list, filled."""
    harness.window.controller.windows.open_dashboards()
    window = windows(harness).list
    assert window is not None
    await until(lambda: window.tiles)
    return window


async def listed_none(harness: WindowHarness) -> ListWindow:
    """The list, without any dashboard."""
    harness.window.controller.windows.open_dashboards()
    window = windows(harness).list
    assert window is not None
    await until(window.empty_label.isVisible)
    return window


async def page(harness: WindowHarness, id_: str) -> DashboardWindow:
    """A dashboard's window, its page there."""
    windows(harness).open(id_)
    await until(
        lambda: id_ in windows(harness).open_windows and windows(harness).open_windows[id_].view
    )
    window = windows(harness).open_windows[id_]
    assert window.view is not None
    assert await window.view.until_loaded(60)
    return window


async def words(window: DashboardWindow) -> str:
    assert window.view is not None
    assert await window.view.until_loaded(60), window.view.ending
    return await window.view.text()


def windows(harness: WindowHarness) -> DashboardWindows:
    return harness.window.controller.windows.dashboards()


async def report(harness: WindowHarness) -> None:
    await harness.program.store.defects.add(
        Defect(date(2026, 3, 1), "noite", "Julia", "lixo", "ABS_Cinza", "R1", 1)
    )


def chosen(menu: QMenu, text: str) -> None:
    """Press a line of a menu, or of one within it."""
    for action in menu.actions():
        within = action.menu()
        if isinstance(within, QMenu):
            chosen(within, text)
        elif action.text() == text:
            action.trigger()


async def pinned(card: WidgetCard, text: str) -> None:
    """Pin a card by its button, and this line of the menu."""
    window = card.window()
    before = {*window.findChildren(QMenu)}
    card._pin_button.click()
    await until(lambda: {*window.findChildren(QMenu)} - before)
    (menu,) = {*window.findChildren(QMenu)} - before
    chosen(menu, text)
    menu.close()


async def the_list_finds_duplicates_deletes_and_brings_back(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness, "Turnos")
        await made(harness, "Paragens")
        window = await listed(harness)
        assert {tile.dashboard.title for tile in window.tiles} == {"Turnos", "Paragens"}

        window.tiles[0].wall_box.click()
        hung = window.tiles[0].dashboard.id
        await until(partial(is_hung, harness, hung))

        window.search.setText("turn")
        await until(lambda: len(window.tiles) == 1)
        window.search.clear()
        await until(lambda: len(window.tiles) == 2)
        assert [tile.dashboard.id for tile in window.tiles if tile.wall_box.isChecked()] == [hung]
        dashboard = await harness.program.store.dashboards.find(id_)
        asking = window.open_rename_dialog(dashboard)
        asking.textValueSelected.emit("Três turnos")
        asking.reject()
        await until(lambda: window.tiles[0].dashboard.title == "Três turnos")
        dashboard = window.tiles[0].dashboard
        chosen(window.menu_for(dashboard), "Duplicate")
        await until(lambda: len(window.tiles) == 3)
        chosen(window.menu_for(dashboard), "Everyone at the station")
        chosen(window.menu_for(dashboard), "Delete")
        await until(lambda: len(window.tiles) == 2 and window.toast.text)
        assert id_ not in {tile.dashboard.id for tile in window.tiles}
        window.toast.buttons[0].click()
        await until(lambda: len(window.tiles) == 3)

        found = await harness.program.store.dashboards.listed()
        titles = {each.title: each.visibility for each in found}
        assert titles == {"Três turnos": "station", "Paragens": "me", "Três turnos (copy)": "me"}


async def a_dashboard_comes_back_with_its_conversation_and_opens_from_it(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        id_, conversation = await made(harness)
        await harness.window.frame.centre.open(conversation)
        await until(lambda: harness.window.findChildren(DashboardCard))
        (card,) = harness.window.findChildren(DashboardCard)
        card.button.click()
        await until(lambda: id_ in windows(harness).open_windows)

        window = await page(harness, id_)

        assert "há 200 defeitos" in await words(window)
        assert "Total · 1 row" in await words(window)


async def a_refresh_shows_todays_data_and_so_does_a_change_of_it(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        window = await page(harness, id_)
        await report(harness)

        window.refresh_button.click()
        await until(lambda: window.filled and window.filled.rows[0].table.rows == ((201,),))
        await until(window.refresh_button.isEnabled)
        assert "há 201 defeitos" in await words(window)
        menus = len(window.findChildren(QMenu))
        for _again in range(3):  # for days, on a wall
            before = window.filled
            window.refresh_button.click()
            await until(partial(is_not, window, before))
            await until(window.refresh_button.isEnabled)
        await until(lambda: len(window.findChildren(QMenu)) == menus)

        await harness.program.store.dashboards.set_schedule(id_, OnChange())
        await report(harness)
        await windows(harness).schedule.look()
        await until(lambda: window.filled and window.filled.rows[0].table.rows == ((202,),))
        theme().set_palette(DARK)


async def a_widget_is_pinned_from_its_card_to_a_new_or_another_dashboard(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        other, _other_conversation = await made(harness, "Reunião")
        conversation = (await harness.program.store.conversations.create("analise")).id
        result = await used(
            harness.program, conversation, "gerar_kpi", titulo="Quantos", consulta=TOTAL
        )
        assert isinstance(result.widget, Kpi)
        await harness.window.frame.centre.open(conversation)
        await until(lambda: harness.window.findChildren(WidgetCard))
        (card,) = harness.window.findChildren(WidgetCard)
        table = harness.program.store.dashboards
        banner = harness.window.frame.banner.toast
        await pinned(card, "New dashboard")
        await until(lambda: "Quantos" in banner.text)
        await pinned(card, "Reunião")
        await until(lambda: "Reunião" in banner.text)

        viewer = windows(harness)._context.viewer
        assert {each.title for each in await table.listed(viewer=viewer)} == {"Quantos", "Reunião"}
        assert [each.title for each in (await table.contents(other)).cards] == ["Quantos"]
        assert harness.window.frame.banner.toast.text == "Pinned to Reunião."
        both = await words(await page(harness, other))
        assert "há 200 defeitos" in both
        assert "Quantos" in both


async def cards_are_arranged_in_their_window(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        conversation = (await harness.program.store.conversations.create("analise")).id
        id_ = ""
        for title in ("um", "dois"):
            result = await used(
                harness.program, conversation, "gerar_kpi", titulo=title, consulta=TOTAL
            )
            assert isinstance(result.widget, Kpi)
            id_ = await windows(harness).pin(result.widget, conversation, id_)
        window = await page(harness, id_)

        def cards() -> list[tuple[str, int]]:
            assert window.filled is not None
            return [(each.title, each.width) for each in window.filled.contents.cards]

        card_rows(window)[1].up_button.click()
        await until(lambda: cards() == [("dois", 3), ("um", 3)])
        window.arrange_button.click()
        drag(card_rows(window)[0], below=card_rows(window)[1])
        await until(lambda: cards() == [("um", 3), ("dois", 3)])
        drag(card_rows(window)[1], above=card_rows(window)[0])
        await until(lambda: cards() == [("dois", 3), ("um", 3)])
        card_rows(window)[0].width_box.activated.emit(4)
        await until(lambda: cards() == [("dois", 12), ("um", 3)])
        card_rows(window)[1].name.setText("primeiro")
        card_rows(window)[1].name.editingFinished.emit()
        await until(lambda: cards() == [("dois", 12), ("primeiro", 3)])
        card_rows(window)[0].remove_button.click()
        await until(lambda: cards() == [("primeiro", 3)])

        assert "primeiro" in await words(window)
        assert len(await harness.program.store.dashboards.versions(id_)) == 8


async def a_card_is_changed_in_its_form_and_that_is_undone(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        frame, table = harness.window.frame, harness.program.store.dashboards
        conversation = await harness.program.store.conversations.create("analise")
        await frame.centre.open(conversation.id)
        frame.centre.page.ask("mostra os defeitos por turno num gráfico")
        await until(lambda: frame.centre.page.running_conversations)
        await until(lambda: not frame.centre.page.running_conversations)
        await until(lambda: harness.window.findChildren(WidgetCard))
        await pinned(harness.window.findChildren(WidgetCard)[0], "New dashboard")
        await until(lambda: "Pinned" in frame.banner.toast.text)
        (id_,) = [each.id for each in await table.listed()]
        window = await page(harness, id_)
        before = await table.contents(id_)
        assert before.cards[0].plan
        window.arrange_button.click()

        card_rows(window)[0].form_button.click()
        await until(lambda: window.findChildren(QuestionWindow))
        (form,) = window.findChildren(QuestionWindow)
        await until(form.ask_button.isEnabled)
        (by,) = [each for row in form.rows.values() for each in row.controls.values()
                 if each.field.path == ("dimension",)]  # fmt: skip
        by.choose([each.label for each in by.field.choices].index("operator"))
        await until(lambda: form.written and "operator" in form.written.text)
        await until(form.ask_button.isEnabled)
        form.ask_button.click()
        await until(lambda: window.toast.text)

        (card,) = (await table.contents(id_)).cards
        assert "operator" in card.title.lower()
        assert card.plan != before.cards[0].plan
        assert "Margareta" in await words(window)
        window.toast.buttons[0].click()
        await until(lambda: window.filled and window.filled.contents == before)
        assert (await table.contents(id_)) == before


async def a_study_on_a_dashboard_is_changed_in_its_panel(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        conversation = (await harness.program.store.conversations.create("analise")).id
        made = await used(
            harness.program, conversation, "pareto", conjunto="defeitos", coluna="tipo_defeito"
        )
        assert isinstance(made.widget, Study)
        id_ = await windows(harness).pin(made.widget, conversation)
        window = await page(harness, id_)
        card_rows(window)[0].form_button.click()
        (form,) = window.findChildren(StudyWindow)
        await until(form.keep_button.isEnabled)
        form.controls["coluna"].set_value("turno")
        form.controls["coluna"].edited.emit(False)
        await until(lambda: not form.keep_button.isEnabled())
        await until(form.keep_button.isEnabled)
        form.keep_button.click()
        await until(lambda: window.toast.text)

        (card,) = (await harness.program.store.dashboards.contents(id_)).cards
        assert isinstance(card.widget, Study)
        assert card.widget.arguments is not None
        assert card.widget.arguments["coluna"] == "turno"


async def a_new_one_is_made_of_recent_cards(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        conversation = (await harness.program.store.conversations.create("analise")).id
        for title in ("um", "dois", "três"):
            await used(harness.program, conversation, "gerar_kpi", titulo=title, consulta=TOTAL)
        (await listed_none(harness)).new_button.click()
        (form,) = harness.window.findChildren(NewDashboardWindow)
        await until(lambda: form.tiles)

        form.save_button.click()
        assert "title" in form.problem.text()
        form.title_field.setText("Reunião")
        form.save_button.click()
        assert "Press" in form.problem.text()
        by_title = {each.choice.label: each for each in form.tiles}
        assert [*by_title] == ["três", "dois", "um"]
        for title in ("dois", "três", "um", "três"):
            by_title[title].click()
        assert [by_title[each].value for each in ("um", "dois", "três")] == ["2", "1", ""]
        form.save_button.click()
        await until(lambda: windows(harness).open_windows)

        (window,) = windows(harness).open_windows.values()
        await until(lambda: window.view)
        assert window.filled is not None
        assert window.filled.contents.title == "Reunião"
        assert [each.title for each in window.filled.contents.cards] == ["dois", "um"]
        await until(window.card_list.isVisible)


async def a_page_that_was_generated_is_arranged(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        table = harness.program.store.dashboards
        await table.change(id_, replace(await table.contents(id_), body=BLOCKS))
        window = await page(harness, id_)
        assert [row.handle.toolTip() for row in window.card_list.rows] == [
            f"Drag {title} to its place" for title in ("Total", "Por turno", "Pior")
        ]
        window.arrange_button.click()
        last = window.card_list.rows[2]
        drag(last, above=window.card_list.rows[0])
        await until(lambda: window.filled and window.filled.contents.order == (2, 0, 1))

        shown = await words(window)
        assert shown.index("Pior") < shown.index("Total") < shown.index("Por turno")


def card_rows(window: DashboardWindow) -> list[CardRow]:
    return [row for row in window.card_list.rows if isinstance(row, CardRow)]


def drag(
    row: ArrangedRow, *, above: ArrangedRow | None = None, below: ArrangedRow | None = None
) -> None:
    """Take a card by its grip to another place of the list."""
    target = above or below
    assert target is not None
    by = QPoint(0, -target.height() // 2 + 4 if above else target.height() // 2 - 4)
    there = row.handle.mapFromGlobal(target.mapToGlobal(target.rect().center()) + by)
    there.setX(row.handle.rect().center().x())
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(row.handle, left)
    QTest.mouseMove(row.handle, there)
    QTest.mouseRelease(row.handle, left, pos=there)


async def an_earlier_version_comes_back_as_one_more(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        table = harness.program.store.dashboards
        window = await page(harness, id_)
        assert window.versions_button.isHidden()
        held = await table.contents(id_)
        await table.change(id_, replace(held, body="<p>outra coisa</p>"), author="Rui")
        await window.open()
        assert "outra coisa" in await words(window)
        now, before = menu_of(window)
        assert now.isChecked()
        assert "by Rui" in now.text()

        before.trigger()
        await until(lambda: len(menu_of(window)) == 3)

        assert "há 200 defeitos" in await words(window)
        assert await table.contents(id_) == held


def menu_of(window: DashboardWindow) -> list[QAction]:
    return window.versions_button.menu().actions()


async def the_wall_goes_round_and_does_without_what_is_deleted(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        ids = [(await made(harness, title))[0] for title in ("um", "dois", "três")]
        wall = windows(harness).open_wall(ids)
        await until(lambda: "um" in wall.status_label.text())
        assert wall.isFullScreen()
        assert "1/3" in wall.status_label.text()
        assert "30 s each" in wall.status_label.text()
        assert wall.view is not None
        await wall.view.until_loaded()
        assert wall.view.content_size.height() <= wall.view.height() + 1  # nothing to scroll to
        keys = ((Qt.Key.Key_Down, "15 s each"), (Qt.Key.Key_Plus, "110%"))
        wall.activateWindow()
        await until(wall.isActiveWindow)
        for key, said in keys:
            QTest.keyClick(wall, key)
            await until(partial(is_said, wall.status_label, said))

        await harness.program.store.dashboards.set_deleted(ids[1], is_deleted=True)
        wall.turn_page(1)
        await until(lambda: "três" in wall.status_label.text())
        wall.toggle_pause()
        await until(lambda: "held" in wall.status_label.text())
        assert wall.is_paused
        assert wall.view is not None
        assert "há 200 defeitos" in await wall.view.text()
        wall.leave_button.click()
        assert windows(harness).wall is None
        again = windows(harness).open_wall(ids[:1])
        await until(lambda: "110%" in again.status_label.text())
        assert again.preferences.each_s == 15


async def pages_turned_quickly_leave_only_the_last_on_the_wall(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        ids = [(await made(harness, title))[0] for title in ("um", "dois")]
        wall = windows(harness).open_wall(ids)
        for _turn in range(4):
            await turned(wall)
        assert wall.view is not None
        assert await wall.view.until_loaded(60)

        assert len(wall.findChildren(LockedView)) <= 2  # the last, and one that is being deleted


async def turned(wall: Wall) -> None:
    """Turn the page, and go on as soon as the next one is begun."""
    shown = wall.view
    wall.turn_page(1)
    await until(lambda: wall.view is not shown)


async def a_dashboard_closed_before_its_page_is_there_is_not_refreshed(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        windows(harness).open(id_)
        opening = under_way("DashboardWindows._open")
        await until(lambda: id_ in windows(harness).open_windows)
        windows(harness).open_windows[id_].close()
        await asyncio.wait(opening)

        assert not under_way("DashboardSchedule._run")


def under_way(name: str) -> set[asyncio.Task[object]]:
    """The tasks of this coroutine function."""
    return {each for each in asyncio.all_tasks() if name in repr(each.get_coro())}


async def any_time_can_be_chosen_for_a_refresh(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        window = await page(harness, id_)
        table = harness.program.store.dashboards
        asking = window.open_schedule_dialog()
        asking.time_edit.setText("0")
        asking.save_button.click()
        assert asking.error_label.text() == "Write how many minutes, from 1 to 1440."
        asking.time_edit.setText("7")
        asking.save_button.click()
        await until(lambda: "Every 7 minutes" in window.status_label.text())
        assert (await table.find(id_)).schedule == EveryMinutes(7)

        asking = window.open_schedule_dialog()
        assert asking.time_edit.text() == "7"
        asking.kind_box.setCurrentIndex(1)
        asking.time_edit.setText("25:10")
        asking.save_button.click()
        assert asking.error_label.text() == "Write a time of the day, for example 06:00."
        asking.time_edit.setText("5:45")
        QTest.keyClick(asking, Qt.Key.Key_Return)
        await until(lambda: "Every day at 05:45" in window.status_label.text())
        assert (await table.find(id_)).schedule == DailyAt(time(5, 45))


async def files_are_asked_for_and_written(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        window = await page(harness, id_)
        for suffix in (".html", ".xlsx"):
            target = harness.program.home / f"painel{suffix}"
            dialog = window.open_export_dialog(suffix)
            dialog.fileSelected.emit(str(target))
            await until(partial(has_said, window, f"Saved as {target.name}."))
            dialog.reject()
            assert target.stat().st_size > 1_000


async def a_file_that_fails_after_its_window_was_closed_is_told(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        id_, _conversation = await made(harness)
        window = await page(harness, id_)
        dialog = window.open_export_dialog(".html")
        dialog.fileSelected.emit(str(harness.program.home / "not there" / "painel.html"))
        dialog.reject()

        window.close()

        await until(lambda: "not there" in harness.window.frame.banner.text)


def is_not(window: DashboardWindow, before: RenderedDashboard | None) -> bool:
    """Whether a window shows something newer."""
    return window.filled is not before


def is_hung(harness: WindowHarness, id_: str) -> bool:
    kept = harness.program.store.settings.state_now(STATE_KEY)
    return isinstance(kept, dict) and kept["hung"] == [id_]


def is_said(label: QLabel, words: str) -> bool:
    return words in label.text()


def has_said(window: DashboardWindow, sentence: str) -> bool:
    return window.status_label.text() == sentence


STORIES = (
    the_list_finds_duplicates_deletes_and_brings_back,
    a_dashboard_comes_back_with_its_conversation_and_opens_from_it,
    a_refresh_shows_todays_data_and_so_does_a_change_of_it,
    a_widget_is_pinned_from_its_card_to_a_new_or_another_dashboard,
    cards_are_arranged_in_their_window,
    a_card_is_changed_in_its_form_and_that_is_undone,
    a_study_on_a_dashboard_is_changed_in_its_panel,
    a_new_one_is_made_of_recent_cards,
    a_page_that_was_generated_is_arranged,
    an_earlier_version_comes_back_as_one_more,
    the_wall_goes_round_and_does_without_what_is_deleted,
    pages_turned_quickly_leave_only_the_last_on_the_wall,
    a_dashboard_closed_before_its_page_is_there_is_not_refreshed,
    any_time_can_be_chosen_for_a_refresh,
    files_are_asked_for_and_written,
    a_file_that_fails_after_its_window_was_closed_is_told,
)


if __name__ == "__main__":
    raise SystemExit(play_here(STORIES, sys.argv[1]))
