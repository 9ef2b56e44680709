"""The window of the agents, over a real program: what is edited there holds at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from qhub_desktop.app import Program
from qhub_desktop.core.settings import LiveSettings, Policy
from qhub_desktop.ui.chat.empty_state import EmptyState
from qhub_desktop.ui.chat.streaming import StreamedText
from qhub_desktop.ui.people.agents_window import AgentsWindow
from qhub_desktop.ui.shell.sidebar import AgentRow
from tests.ui_people.test_sign_in import with_people
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle r="9"/></svg>'


@asynccontextmanager
async def agents_window(qapp: QApplication) -> AsyncIterator[tuple[WindowHarness, AgentsWindow]]:
    async with opened(qapp) as harness:
        yield harness, await shown(harness)


async def shown(harness: WindowHarness) -> AgentsWindow:
    window = harness.window.controller.people.open_agents()
    await until(lambda: window.record is not None, "the agents")
    return window


def rule_of(window: AgentsWindow, tool: str) -> str:
    return str(window.form.rules[tool].currentData())


def set_rule(window: AgentsWindow, tool: str, rule: str) -> None:
    box = window.form.rules[tool]
    box.setCurrentIndex(box.findData(rule))


def names_in_sidebar(harness: WindowHarness) -> list[str]:
    rows = harness.window.controller.frame.sidebar.findChildren(AgentRow)
    return [row.accessibleName() for row in rows if row.isVisibleTo(row.window())]


def starters_shown(harness: WindowHarness) -> list[str]:
    empty = harness.window.controller.frame.centre.page.findChildren(EmptyState)
    return [button.text().strip() for button in empty[-1].starters]


async def saved(window: AgentsWindow) -> None:
    await until(window.save_button.isEnabled, "the change")
    window.save()
    await until(lambda: not window.save_button.isEnabled(), "the version")


async def test_an_operator_is_offered_no_agents_to_edit(qapp: QApplication) -> None:
    async def as_rui(program: Program) -> None:
        await with_people(program)
        program.enter(await program.accounts.sign_in("rui", "4071"))

    async with opened(qapp, prepare=as_rui) as harness:
        labels = [each.label for each in harness.window.controller.people.commands()]
        assert "Agents" not in labels


async def test_what_is_saved_holds_at_once_in_the_window_and_in_the_next_answer(
    qapp: QApplication,
) -> None:
    async with agents_window(qapp) as (harness, window):
        form, agents = window.form, harness.program.agents
        form.name.setText("Pintura")
        form.starters["en"].setPlainText("How many today?\n\n  And yesterday?  ")
        form.prompt.setPlainText("Fala de pintura.")
        form.set_icon(ICON)
        set_rule(window, "gerar_dashboard", "never")
        set_rule(window, "perfil_dados", "ask")
        form.limits["rounds"].setText("3")
        form.model.setText("claude-opus-5")
        form.privacy.setCurrentIndex(form.privacy.findData("aggregates"))
        window.note.setText("para a cabine")
        await saved(window)
        await until(lambda: names_in_sidebar(harness) == ["Pintura", "Análise"], "the sidebar")

        agent = agents["qualidade"]
        assert agent.rules == {"gerar_dashboard": "never", "perfil_dados": "ask"}
        assert (agent.model, agent.limits, agent.privacy) == (
            "claude-opus-5",
            {"rounds": 3},
            "aggregates",
        )
        assert (agent.prompt, agent.icon) == ("Fala de pintura.", ICON)
        assert starters_shown(harness) == ["How many today?", "And yesterday?"]
        tools = agent.tools_of(harness.program.tools)
        assert "gerar_dashboard" not in tools
        assert agent.asks_first(tools["perfil_dados"], harness.program.settings)
        (first, _shipped) = await harness.program.agent_catalogue.versions("qualidade")
        assert first.version.note == "para a cabine"
        assert await harness.program.store.audit.listed(action="agent")


async def test_what_writes_can_not_be_set_to_run_at_once(qapp: QApplication) -> None:
    async with agents_window(qapp) as (_harness, window):
        box = window.form.rules["registar_defeito"]
        offered = [box.itemData(place) for place in range(box.count())]

        assert offered == ["ask", "never"]
        assert rule_of(window, "registar_defeito") == "ask"
        assert rule_of(window, "executar_python") == "never"  # declared for another agent


async def test_a_limit_that_a_policy_fixes_can_not_be_edited(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        program = harness.program
        window = AgentsWindow(
            program.agent_catalogue,
            settings=LiveSettings(program.settings, policy=Policy({"rounds": 4})),
            drafts=program.store.settings,
            tasks=harness.window.tasks,
            parent=None,
        )
        await until(lambda: window.record is not None, "the agents")

        limits = window.form.limits
        assert [name for name, line in limits.items() if not line.isEnabled()] == ["rounds"]
        assert limits["rounds"].placeholderText() == "4"
        assert window.form.model.isEnabled()
        window.close()


async def test_what_can_not_be_saved_is_told_and_stays_written(qapp: QApplication) -> None:
    async with agents_window(qapp) as (harness, window):
        form = window.form
        form.limits["rounds"].setText("99")
        window.save()
        await until(window.result.isVisible, "the reason")
        assert "from 1 to 50" in window.result.text()
        form.limits["rounds"].setText("")
        form.name.setText(" ")
        window.save()
        await until(lambda: "Name" in window.result.text(), "the reason")
        form.set_icon('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')

        assert "script" in form.icon_problem.text()
        assert harness.program.agents["qualidade"].name == "Qualidade"
        assert await harness.program.store.agents.latest() == []
        window.discard()


async def test_esc_asks_about_what_is_not_saved_and_another_agent_too(
    qapp: QApplication,
) -> None:
    async with agents_window(qapp) as (harness, window):
        window.form.name.setText("Pintura")
        QTest.keyClick(window.form.name, Qt.Key.Key_Escape)
        assert window.isVisible()
        assert window.question.isVisible()
        window.question.back_button.click()
        item = window.list.topLevelItem(1)
        assert item is not None
        window.list.setCurrentItem(item)
        assert window.question.isVisible()
        assert window.form.name.text() == "Pintura"
        window.question.save_button.click()
        await until(lambda: window.form.name.text() == "Análise", "the other agent")
        assert harness.program.agents["qualidade"].name == "Pintura"

        window.form.name.setText("X")
        window.close()
        window.question.discard_button.click()
        await until(lambda: not shiboken6.isValid(window) or not window.isVisible(), "the end")
        assert harness.program.agents["analise"].name == "Análise"


async def test_what_was_written_comes_back_after_the_program_was_killed(
    qapp: QApplication,
) -> None:
    async with agents_window(qapp) as (harness, window):
        window.form.prompt.setPlainText("Fala de")
        key = "agent draft/qualidade"
        store = harness.program.store.settings
        await until(lambda: store.state_now(key) is not None, "the draft on the disk")
        again = AgentsWindow(
            harness.program.agent_catalogue,
            settings=harness.program.chosen,
            drafts=store,
            tasks=harness.window.tasks,
            parent=None,
        )
        await until(lambda: again.record is not None, "the agents")
        assert again.form.prompt.toPlainText() == "Fala de"
        assert again.save_button.isEnabled()
        again.discard()
        await until(lambda: store.state_now(key) is None, "the end of the draft")
        assert not again.form.is_edited
        again.close()
        window.discard()


async def test_versions_are_compared_and_restored(qapp: QApplication) -> None:
    async with agents_window(qapp) as (harness, window):
        prompt = harness.program.agents["qualidade"].prompt
        window.form.prompt.setPlainText(f"{prompt}\nSê breve.")
        await saved(window)
        versions = window.versions
        await until(lambda: versions.list.topLevelItemCount() == 2, "the versions")
        window.show_page(4)
        assert "+ Sê breve." in versions.text.toPlainText()
        assert not versions.restore_button.isEnabled()  # it is the present one
        original = versions.list.topLevelItem(1)
        assert original is not None
        versions.list.setCurrentItem(original)
        versions.against.setCurrentIndex(1)
        versions.against.activated.emit(1)
        assert "- Sê breve." in versions.text.toPlainText()
        versions.restore_button.click()
        await until(lambda: versions.list.topLevelItemCount() == 3, "the third version")

        assert harness.program.agents["qualidade"].prompt == prompt
        assert window.form.prompt.toPlainText() == prompt


async def test_a_copy_is_made_exported_taken_in_and_removed(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with agents_window(qapp) as (harness, window):
        window.duplicate_button.click()
        await until(lambda: window.form.name.text() == "Qualidade (2)", "the copy")
        window.export(tmp_path)
        folder = tmp_path / "qualidade-2"
        await until((folder / "icon.svg").exists, "the folder")
        (folder / "prompt.md").write_text("Outro.", "utf-8")
        window.import_folder(folder)
        await until(lambda: window.form.prompt.toPlainText() == "Outro.", "the new version")
        window.remove_button.click()
        await until(lambda: not window.form.isEnabled(), "the removal")
        assert names_in_sidebar(harness) == ["Qualidade", "Análise"]
        assert "removed" in window.about.text()
        window.import_folder(tmp_path)
        await until(window.result.isVisible, "the refusal")
        assert "agent.toml" in window.result.text()


async def test_the_bench_asks_the_draft_and_leaves_nothing(qapp: QApplication) -> None:
    async with agents_window(qapp) as (harness, window):
        window.form.starters["en"].setPlainText("How many defects are there?")
        set_rule(window, "contar_defeitos", "ask")
        window.bench.run_button.click()
        assert not window.bench.run_button.isEnabled()
        await until(lambda: not window.bench.is_running, "the answer")
        texts = window.bench.texts

        assert texts[:2] == ["How many defects are there?", "Would ask first: Counting defects"]
        (answer,) = window.bench.findChildren(StreamedText)
        assert "**" in answer.text
        assert "**" not in answer.views[0].toPlainText()
        assert await harness.program.store.conversations.listed(include_archived=True) == []
        assert harness.program.agents["qualidade"].starters["en"][0] != "How many defects"
        window.bench.question.setText("Top 3 defects")
        QTest.keyClick(window.bench.question, Qt.Key.Key_Return)
        window.bench.stop()
        await until(lambda: not window.bench.is_running, "the stop")
        window.discard()


async def test_a_conversation_with_a_removed_agent_can_still_be_read(qapp: QApplication) -> None:
    async def with_talk(program: Program) -> None:
        copy = await program.agent_catalogue.duplicate("analise")
        talk = await program.store.conversations.create(copy.id)
        await program.store.conversations.rename(talk.id, "Antiga")
        await program.agent_catalogue.remove(copy.id)

    async with opened(qapp, prepare=with_talk) as harness:
        frame = harness.window.controller.frame
        (talk,) = await harness.program.store.conversations.listed()
        frame.open(talk.id)
        await until(lambda: frame.centre.header.title == "Antiga", "the conversation")
        words = [each.text() for each in frame.centre.header.findChildren(QLabel)]
        assert "Análise (2) ·" in words
        frame.new_conversation()
        assert frame.centre.agent.id == "qualidade"


async def test_an_edit_from_elsewhere_leaves_what_is_being_written(qapp: QApplication) -> None:
    async with agents_window(qapp) as (harness, window):
        catalogue = harness.program.agent_catalogue
        window.form.name.setText("Meu")
        other = replace(harness.program.agents["qualidade"], name="Dela")
        await catalogue.save(other, after=0)
        await until(lambda: window.record and window.record.version == 1, "the news")
        assert window.form.name.text() == "Meu"
        window.save()
        await until(window.result.isVisible, "the refusal")
        names = {each.agent.name for each in catalogue.records() if each.agent}

        assert "Meu" not in names
        window.discard()
        assert window.form.name.text() == "Dela"
