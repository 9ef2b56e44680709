"""Every window of the program: its keys, its default button, its way of Tab, its names."""

import ast
import importlib
import inspect
import pkgutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
import shiboken6
from PySide6 import QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QInputDialog,
    QMainWindow,
    QPushButton,
    QSplashScreen,
    QWidget,
)

import qhub_desktop.ui
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dashboard import DashboardSpec
from qhub_desktop.core.dataset import ColumnProfile, DefectMapping
from qhub_desktop.core.documents import Document, DocumentFacts
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.person import Person
from qhub_desktop.core.settings import Policy
from qhub_desktop.tools.first_run import FirstRun
from qhub_desktop.ui.charts.study_card import AskWindow, PointPopover
from qhub_desktop.ui.chat.sent_window import SentWindow
from qhub_desktop.ui.controls.forms import FormDialog
from qhub_desktop.ui.controls.popup import DetailWindow, OwnWindow, PopupFrame
from qhub_desktop.ui.dashboards.dashboard_window import DashboardWindow, ScheduleDialog
from qhub_desktop.ui.dashboards.new_dashboard import NewDashboardWindow
from qhub_desktop.ui.dashboards.wall import Wall
from qhub_desktop.ui.dashboards.windows import ListWindow
from qhub_desktop.ui.data_panel.defect_import import DefectMappingDialog
from qhub_desktop.ui.documents.dialogs import DocumentPasswordDialog, FactsDialog
from qhub_desktop.ui.documents.viewer import DocumentWindow
from qhub_desktop.ui.importing.report_window import ReportWindow
from qhub_desktop.ui.people.account_dialog import AccountDialog
from qhub_desktop.ui.people.agents_window import AgentsWindow
from qhub_desktop.ui.people.budgets import BudgetDialog
from qhub_desktop.ui.people.conversations_window import ConversationsWindow
from qhub_desktop.ui.people.first_run import FirstRunWindow
from qhub_desktop.ui.people.password_dialog import PasswordDialog
from qhub_desktop.ui.people.people_window import PeopleWindow
from qhub_desktop.ui.people.sign_in import SignInWindow
from qhub_desktop.ui.settings.dialog import SettingsDialog
from qhub_desktop.ui.settings.documents import CollectionDialog
from qhub_desktop.ui.settings.network_fields import ProxyDialog
from qhub_desktop.ui.shell.costs_window import CostsWindow
from qhub_desktop.ui.shell.defect_window import DefectWindow
from qhub_desktop.ui.shell.examples_window import ExamplesWindow
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.shell.memory_window import MemoryWindow
from qhub_desktop.ui.shell.monitors_window import MonitorsWindow
from qhub_desktop.ui.shell.outbox import QueuedList
from qhub_desktop.ui.shell.question_window import QuestionWindow
from qhub_desktop.ui.shell.recovery import RecoveryDialog
from qhub_desktop.ui.shell.reviews_window import ReviewsWindow
from qhub_desktop.ui.shell.study_window import StudyWindow
from qhub_desktop.ui.shell.top_bar import Online, Popover
from qhub_desktop.ui.table.actions import ColumnStatistics
from qhub_desktop.ui.table.filters import FilterPopup
from qhub_desktop.ui.table.window import TableWindow
from tests.gallery import _imports, data, outbox, studies, table, widgets
from tests.gallery._main_window import Straight
from tests.ui_shell.accessibility import unnamed_controls
from tests.ui_shell.window_harness import WindowHarness, is_window, opened
from tests.waiting import until

Make = Callable[[WindowHarness], QWidget | Awaitable[QWidget]]
MOST_TABS = 200
DEFECT: JsonObject = {
    "tipo_defeito": "lixo",
    "operador": "Julia",
    "material": "PP",
    "rack": "R1",
    "posicao": 3,
}


@dataclass(frozen=True)
class Row:
    """What a window does with the keys that every window has."""

    make: Make
    default: str = ""  # what Enter presses, wherever the focus is but on another button
    is_closed_by_esc: bool = True
    is_closed_by_ctrl_w: bool = True
    has_help: bool = True  # with F1


async def _no_words(_mapping: DefectMapping, _field: str) -> tuple[str, ...]:
    return ()


def _mapping(harness: WindowHarness) -> QWidget:
    return DefectMappingDialog(
        _imports.profile(),
        DefectMapping((), ()),
        words=_no_words,
        recognise=lambda _field, _word: None,
        tasks=harness.window.tasks,
        parent=harness.window,
    )


def _list(harness: WindowHarness) -> QWidget:
    harness.window.controller.windows.open_dashboards()
    windows = harness.window.controller.windows.dashboards()
    assert windows.list is not None
    return windows.list


async def _rename(harness: WindowHarness) -> QWidget:
    listed = _list(harness)
    assert isinstance(listed, ListWindow)
    made = await harness.program.store.dashboards.create(DashboardSpec("Turnos"))
    return listed.open_rename_dialog(await harness.program.store.dashboards.find(made.id))


def _page(harness: WindowHarness) -> QWidget:
    service = harness.program.services()
    context = service.dashboards(harness.window.tasks)
    return DashboardWindow("x", context, harness.window, open_form=lambda *_given: None)


def _wall(harness: WindowHarness) -> QWidget:
    service = harness.program.services()
    return Wall([], service.dashboards(harness.window.tasks), harness.window)


def _recovery() -> QWidget:
    dialog = RecoveryDialog()
    dialog.show_choice("The data are damaged", "They can be repaired.", repair="Repair now")
    return dialog


async def _filter(_harness: WindowHarness) -> QWidget:
    return (await table.opened()).open_filter(5)


def _statistics(harness: WindowHarness) -> QWidget:
    column = ColumnProfile("turno", "category", 0, 3, date(2026, 2, 1))
    return ColumnStatistics(column, rows=200, parent=harness.window)


def _sign_in(harness: WindowHarness) -> QWidget:
    return SignInWindow(harness.program.accounts, station="P2", remember=None, locked="ana")


def _first_run(harness: WindowHarness) -> QWidget:
    first_run = FirstRun(harness.program.home / "new", Policy({"language": "en"}))
    window = FirstRunWindow(first_run, set_language=lambda _language: None)
    window.destroyed.connect(first_run._worker.close)
    return window


async def _budget(harness: WindowHarness) -> QWidget:
    card = harness.window.controller.windows.open_costs().budgets
    assert card is not None
    dialog = card.open_dialog()
    await until(dialog.amounts.isEnabled, "what was spent")
    return dialog


async def _signed_in(harness: WindowHarness) -> Person:
    return (await harness.program.accounts.add("ana", "admin", None, secret="uma frase")).person


async def _password(harness: WindowHarness) -> QWidget:
    return PasswordDialog(
        await _signed_in(harness),
        harness.program.accounts,
        harness.program.sessions,
        on_changed=lambda _person: None,
        tasks=harness.window.tasks,
        owner=harness.window,
    )


def _proxy(harness: WindowHarness) -> QWidget:
    return ProxyDialog(Straight(), tasks=harness.window.tasks, owner=harness.window)


def _account(harness: WindowHarness) -> QWidget:
    return harness.window.controller.people.open_people().people.open_new_dialog()


async def _people(harness: WindowHarness) -> QWidget:
    await _signed_in(harness)
    window = harness.window.controller.people.open_people()
    await until(window.people.list.topLevelItemCount, "the accounts")
    return window


async def _conversations(harness: WindowHarness) -> QWidget:
    window = harness.window.controller.people.open_conversations(await _signed_in(harness))
    await until(lambda: not window.note.isHidden() and window.note.text(), "the sentence")
    return window


async def _agents(harness: WindowHarness) -> QWidget:
    window = harness.window.controller.people.open_agents()
    await until(lambda: window.record is not None, "the agents")
    return window


def _document_password(harness: WindowHarness) -> QWidget:
    document = Document(
        1, "a.pdf", "0" * 64, "PDF", "", DocumentFacts(), "", "failed", "2026-02-28"
    )
    return harness.window.frame.documents.ask_password(document)


def _facts(harness: WindowHarness) -> QWidget:
    facts = DocumentFacts("IT-PIN-014", "6")
    document = Document(1, "a.pdf", "0" * 64, "PDF", "", facts, "", "ready", "2026-02-28")
    return FactsDialog(
        document, harness.program.documents, tasks=harness.window.tasks, owner=harness.window
    )


def _collection(harness: WindowHarness) -> QWidget:
    return CollectionDialog(
        None,
        {"analise": "Análise"},
        harness.program.documents,
        tasks=harness.window.tasks,
        owner=harness.window,
    )


def _point(harness: WindowHarness) -> QWidget:
    popover = PointPopover(harness.window, studies.individuals(), 3, ())
    popover.offer("Show its rows", popover.close)
    return popover


async def _questions(harness: WindowHarness) -> QWidget:
    form = harness.window.controller.windows.open_question_form()
    await until(lambda: form.written, "the sentence")
    return form


async def _study(harness: WindowHarness) -> QWidget:
    form = harness.window.controller.windows.open_statistics()
    await until(form.keep_button.isEnabled, "the study")
    return form


async def _defects(harness: WindowHarness) -> QWidget:
    form = harness.window.controller.windows.open_defects(DEFECT)
    await until(form.record_button.isEnabled, "the form")
    return form


def _popup(make: Make) -> Row:
    """A popup closes by Esc and by a click elsewhere; the keys are those of its window."""
    return Row(make, is_closed_by_ctrl_w=False, has_help=False)


WINDOWS: dict[type[QWidget], Row] = {
    MainWindow: Row(
        lambda harness: harness.window, is_closed_by_esc=False, is_closed_by_ctrl_w=False
    ),
    SettingsDialog: Row(lambda harness: harness.window.controller.open_settings("general")),
    RecoveryDialog: Row(lambda _harness: _recovery(), default="Repair now"),
    ListWindow: Row(_list),
    DashboardWindow: Row(_page),
    NewDashboardWindow: Row(
        lambda harness: harness.window.controller.windows.dashboards().open_new(),
        default="Make the dashboard",
    ),
    Wall: Row(_wall),
    ScheduleDialog: Row(lambda harness: ScheduleDialog(None, harness.window), default="Save"),
    ReportWindow: Row(lambda _harness: data.report()),
    DefectMappingDialog: Row(_mapping, default="Confirm"),
    TableWindow: Row(lambda _harness: table.opened()),
    DetailWindow: Row(lambda _harness: widgets.enlarged()),
    SignInWindow: Row(
        _sign_in,
        default="Sign in",
        is_closed_by_esc=False,
        is_closed_by_ctrl_w=False,
        has_help=False,
    ),
    FirstRunWindow: Row(
        _first_run, default="Next", is_closed_by_esc=False, is_closed_by_ctrl_w=False
    ),
    PasswordDialog: Row(_password, default="Change"),
    ProxyDialog: Row(_proxy, default="Keep, and ask again"),
    PeopleWindow: Row(_people),
    AgentsWindow: Row(_agents),
    AccountDialog: Row(_account, default="Save"),
    ConversationsWindow: Row(_conversations),
    SentWindow: Row(lambda harness: harness.window.controller.windows.open_sent(MessageId(1))),
    BudgetDialog: Row(_budget, default="Save"),
    CostsWindow: Row(lambda harness: harness.window.controller.windows.open_costs()),
    MemoryWindow: Row(lambda harness: harness.window.controller.windows.open_memory()),
    DocumentWindow: Row(
        lambda harness: DocumentWindow(
            harness.program.documents, tasks=harness.window.tasks, parent=harness.window
        )
    ),
    FactsDialog: Row(_facts, default="Save"),
    DocumentPasswordDialog: Row(_document_password, default="Read it again"),
    CollectionDialog: Row(_collection, default="Save"),
    DefectWindow: Row(_defects, default="Record"),
    QuestionWindow: Row(_questions, default="Ask"),
    StudyWindow: Row(_study),
    MonitorsWindow: Row(lambda harness: harness.window.controller.frame.monitors.open()),
    ReviewsWindow: Row(lambda harness: harness.window.controller.frame.reviews.open()),
    ExamplesWindow: Row(lambda harness: harness.window.controller.frame.reviews.open_examples()),
    AskWindow: Row(
        lambda harness: AskWindow(harness.window, "Point 4", ("Cause", "Action"), "Keep")
    ),
    FilterPopup: _popup(_filter),
    PointPopover: _popup(_point),
    ColumnStatistics: _popup(_statistics),
    QueuedList: _popup(lambda _harness: outbox.listed()),
    QInputDialog: Row(_rename, default="OK", is_closed_by_ctrl_w=False, has_help=False),
    Popover: _popup(lambda harness: Popover(Online("x"), harness.window)),
}
BASES = {FormDialog, OwnWindow, PopupFrame}
THE_SYSTEMS = (QFileDialog,)  # whose keys are those of every program
every_window = pytest.mark.parametrize("kind", WINDOWS, ids=lambda kind: kind.__name__)


def _widget_classes() -> Iterator[type[QWidget]]:
    package = qhub_desktop.ui
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for found in vars(importlib.import_module(module.name)).values():
            is_own = inspect.isclass(found) and found.__module__ == module.name
            if is_own and issubclass(found, QWidget):
                yield found


def test_every_window_is_in_the_table() -> None:
    own = {kind for kind in WINDOWS if kind.__module__.startswith("qhub_desktop")}

    assert {kind for kind in _widget_classes() if is_window(kind)} - BASES == own


def test_every_window_of_qts_own_is_in_the_table_or_the_systems() -> None:
    listed = {kind.__name__ for kind in (*WINDOWS, *THE_SYSTEMS)}
    made = {
        name.id
        for module in Path(qhub_desktop.ui.__path__[0]).rglob("*.py")
        for name in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(name, ast.Name) and _is_qt_window(name.id)
    }

    assert made - {"QDialog", "QMainWindow"} <= listed  # which stand as bases, see above
    assert not _made_plain({"QDialog", "QMainWindow"})


def _is_qt_window(name: str) -> bool:
    kind = getattr(QtWidgets, name, None)
    return inspect.isclass(kind) and issubclass(kind, QDialog | QMainWindow | QSplashScreen)


def _made_plain(names: set[str]) -> list[str]:
    """Where a window of a class without keys of ours is made."""
    return [
        f"{module.name}:{call.lineno}"
        for module in Path(qhub_desktop.ui.__path__[0]).rglob("*.py")
        for call in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        if isinstance(call.func, ast.Name)
        if call.func.id in names
    ]


@asynccontextmanager
async def _shown(kind: type[QWidget], application: QApplication) -> AsyncIterator[QWidget]:
    """A window of this kind, open and active; it is gone at the end, with all that it was given."""
    before = _children()
    async with opened(application) as harness:
        made = WINDOWS[kind].make(harness)
        window = await made if inspect.isawaitable(made) else made
        assert isinstance(window, kind)
        window.show()
        if not isinstance(window, PopupFrame):
            window.activateWindow()
            await until(window.isActiveWindow, "the window")
        outermost = _outermost(window)
        yield window
        if outermost is not harness.window:
            await _delete(outermost)
    # What outlives its test is closed by the end of the interpreter, which lets no thread work.
    assert _children() <= before


def _children() -> set[threading.Thread]:
    """The threads that speak with child processes."""
    return {each for each in threading.enumerate() if each.name.startswith("child_")}


def _outermost(window: QWidget) -> QWidget:
    parent = window.parentWidget()
    return window if parent is None else _outermost(parent)


async def _delete(window: QWidget) -> None:
    if shiboken6.isValid(window):
        window.close()
    if shiboken6.isValid(window):
        window.deleteLater()
    await until(lambda: not shiboken6.isValid(window), "the end of the window")


def _is_open(window: QWidget) -> bool:
    return shiboken6.isValid(window) and window.isVisible()


def _press(window: QWidget, key: Qt.Key, *, control: bool = False) -> None:
    modifiers = Qt.KeyboardModifier
    modifier = modifiers.ControlModifier if control else modifiers.NoModifier
    QTest.keyClick(_focused(window), key, modifier)


def _focused(window: QWidget) -> QWidget:
    """What a key in this window goes to."""
    focused: QWidget | None = window.focusWidget()  # the stubs leave None out
    return window if focused is None else focused


@every_window
async def test_its_controls_have_names_and_its_keys_do_what_the_table_says(
    kind: type[QWidget], qapp: QApplication
) -> None:
    async with _shown(kind, qapp) as window:
        assert unnamed_controls(window) == []
        buttons = window.findChildren(QPushButton)
        defaults = [button.text() for button in buttons if button.isDefault()]
        assert defaults == [each for each in [WINDOWS[kind].default] if each]
        assert _missed_by_tab(window) == []

        _press(window, Qt.Key.Key_F1)
        helps = [
            popup for popup in window.findChildren(PopupFrame) if popup.accessibleName() == "Keys"
        ]
        assert len(helps) == WINDOWS[kind].has_help
        for popup in helps:
            QTest.keyClick(popup, Qt.Key.Key_Escape)
            assert not _is_open(popup)
        assert _is_open(window)

        _press(window, Qt.Key.Key_Escape)
        assert _is_open(window) is not WINDOWS[kind].is_closed_by_esc


@every_window
async def test_ctrl_w_closes_it(kind: type[QWidget], qapp: QApplication) -> None:
    async with _shown(kind, qapp) as window:
        _press(window, Qt.Key.Key_W, control=True)

        assert _is_open(window) is not WINDOWS[kind].is_closed_by_ctrl_w


def _missed_by_tab(window: QWidget) -> list[str]:
    """Press Tab until the focus is back at the first control; return what it did not reach."""
    reachable = set(_reachable(window))
    seen: list[QWidget] = []
    for _step in range(MOST_TABS):
        focused = _focused(window)
        if seen and focused is seen[0]:
            break
        seen.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    return sorted(_name(each) for each in reachable - set(seen))


def _reachable(window: QWidget) -> Iterator[QWidget]:
    """What Tab has to reach: visible, enabled, and not there for the mouse alone."""
    for widget in window.findChildren(QWidget):
        is_there = widget.isVisible() and widget.isEnabled() and widget.window() is window
        takes_tab = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
        if is_there and takes_tab and widget.focusProxy() is None:
            yield widget


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName()!r}"
