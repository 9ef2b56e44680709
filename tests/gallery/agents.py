"""The window of the agents: their form, their test bench, their versions."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from qhub_desktop.app import Program
from qhub_desktop.core.errors import QHubError
from qhub_desktop.ui.people.agents_window import AGENTS_SIZE, AgentsWindow
from qhub_desktop.ui.tasks import Tasks
from tests.program import offline_program, passing_folder
from tests.waiting import until


async def description() -> QWidget:
    """What an agent is called, and what it offers to ask."""
    return await _window()


async def prompt() -> QWidget:
    """The prompt, and a starter question answered beside it."""
    window = await _window()
    window.show_page(1)
    window.form.prompt.appendPlainText("\nNunca faças painéis.")
    window.bench.run(["Quantos defeitos de lixo houve na noite?"])
    await until(lambda: not window.bench.is_running, "the answer")
    return window


async def tools() -> QWidget:
    """Every tool with its risk and its rule."""
    window = await _window()
    window.show_page(2)
    return window


async def limits() -> QWidget:
    """The model, what may leave, and the limits."""
    window = await _window()
    window.show_page(3)
    return window


async def versions() -> QWidget:
    """Who changed it, and what."""
    window = await _window()
    window.show_page(4)
    await until(window.versions.text.toPlainText, "the comparison")
    _set_moments(window)
    return window


async def unsaved() -> QWidget:
    """Another agent was chosen, and something is not saved."""
    window = await _window()
    window.form.name.setText("Cabine 2")
    window.form.set_icon('<svg xmlns="http://www.w3.org/2000/svg"><image/></svg>')
    window.close()
    return window


async def gone() -> QWidget:
    """One that was removed."""
    window = await _window()
    window.select("analise-2")
    await until(lambda: window.versions.list.topLevelItemCount() == 2, "the versions")
    _set_moments(window)
    return window


def _set_moments(window: AgentsWindow) -> None:
    for row in range(window.versions.list.topLevelItemCount()):
        item = window.versions.list.topLevelItem(row)
        assert item is not None
        item.setText(1, f"28/02/2026 14:02:{59 - row}")


async def _window() -> AgentsWindow:
    program = offline_program(passing_folder())
    catalogue = program.agent_catalogue
    agent = program.agents["qualidade"]
    lines = agent.prompt.replace("Responde em frases curtas", "Responde numa frase")
    first = replace(agent, prompt=lines, rules={"gerar_dashboard": "never"})
    await catalogue.save(first, after=0, note="Sem painéis na linha")
    second = replace(first, limits={"rounds": 4}, model="claude-haiku-4-5")
    await catalogue.save(second, after=1, note="Mais barato")
    copy = await catalogue.duplicate("analise")
    await catalogue.remove(copy.id)
    window = AgentsWindow(
        catalogue,
        settings=program.chosen,
        drafts=program.store.settings,
        tasks=Tasks(_raise),
        parent=None,
    )
    window.resize(AGENTS_SIZE)
    _kept.append(program)
    await until(lambda: window.record is not None, "the agents")
    return window


_kept: list[Program] = []  # a scene's window works with its program until it is grabbed


def _raise(error: QHubError) -> None:
    raise error


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "description": description,
    "prompt": prompt,
    "tools": tools,
    "limits": limits,
    "versions": versions,
    "unsaved": unsaved,
    "gone": gone,
}
