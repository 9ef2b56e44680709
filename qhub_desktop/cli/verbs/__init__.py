"""Verbs of the command line: one module per subject, and the shared parts of their parsers.

To add a verb, add a module here with a function `declare(verbs)` that adds the verb's parser, its
arguments, its help, and the coroutine function that runs it (`set_defaults(run=...)`). No other
file changes.
"""

from __future__ import annotations  # a verb loads only the parts of the program that it uses

import argparse
import codecs
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from qhub_desktop.core.dataset import TYPE_NAMES
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.claude.diagnosis import Network
    from qhub_desktop.chat.guard.reader import GuardReader
    from qhub_desktop.chat.guard.screen import Screen
    from qhub_desktop.chat.model_judge import ModelJudge
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.chat.patterns import PatternReader
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.core.dashboard import Viewer
    from qhub_desktop.core.person import Person
    from qhub_desktop.core.readings import ReadingSource
    from qhub_desktop.core.settings import LiveSettings
    from qhub_desktop.core.table import ColumnType
    from qhub_desktop.core.tool import Tool
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.people.accounts import Accounts
    from qhub_desktop.store import Store
    from qhub_desktop.store.backups import SafetyCopies
    from qhub_desktop.store.moderation import ModerationRepository
    from qhub_desktop.tools.agent_catalogue import AgentCatalogue
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.conversation_files import ConversationFiles
    from qhub_desktop.tools.dashboard_export import DashboardFiles
    from qhub_desktop.tools.dashboard_refresh import DashboardQueries
    from qhub_desktop.tools.datasets import PythonTools
    from qhub_desktop.tools.deletion import Deletion
    from qhub_desktop.tools.document_service import DocumentService
    from qhub_desktop.tools.examples import ExampleService
    from qhub_desktop.tools.model_trial import ModelTrials
    from qhub_desktop.tools.studies import StudyTools
    from qhub_desktop.updates.updater import Updater

    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  it has no other name
else:
    Verbs = object


class VerbModule(Protocol):
    """Interface of the modules of this package."""

    def declare(self, verbs: Verbs) -> None:
        """Add the verbs of the module, with their arguments and the functions that run them."""
        ...


def verb_modules() -> Iterator[VerbModule]:
    """Import every module of this package, in the order of their names."""
    # Found by pkgutil, for a list would be a second place to forget. A packager cannot see them,
    # and must be told to take them all: collect_submodules("qhub_desktop.cli.verbs") (PyInstaller).
    for found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        yield cast("VerbModule", importlib.import_module(f"{__name__}.{found.name}"))


# The password for somebody's account, or the new one for one's own.
NEW_SECRET_VARIABLE = "QHUB_NEW_SECRET"  # noqa: S105  its name


@dataclass(frozen=True, slots=True)
class Caller:
    """Person who calls a command: the name of an account, and a way to get its secret."""

    name: str
    secret: Callable[[], str]


class CommandServices(Protocol):
    """Parts of the program that a command may use."""

    store: Store
    trouble: UserError | None
    person: Person | None
    chosen: LiveSettings

    @property
    def accounts(self) -> Accounts:
        """Accounts of the people who sign in."""
        ...

    @property
    def safety_copies(self) -> SafetyCopies:
        """Safety copies of what is stored."""
        ...

    @property
    def workspace(self) -> Workspace:
        """Workspace of the data sets."""
        ...

    @property
    def conversation_datasets(self) -> ConversationDatasets:
        """Data sets by conversation, and the defect log."""
        ...

    @property
    def turns(self) -> TurnRunner:
        """Runner of the turns of a conversation."""
        ...

    @property
    def readings(self) -> ReadingSource:
        """Reader of questions that are not asked yet."""
        ...

    @property
    def screen(self) -> Screen:
        """Guard that reads questions before anything else does."""
        ...

    @property
    def moderation(self) -> ModerationRepository:
        """Record of what the guard did."""
        ...

    @property
    def guard_reader(self) -> GuardReader:
        """Rules of the guard."""
        ...

    @property
    def outbox(self) -> Outbox:
        """Queue of the questions that wait for Claude."""
        ...

    @property
    def pattern_reader(self) -> PatternReader:
        """Reader that names what the person asks about."""
        ...

    @property
    def judge(self) -> ModelJudge:
        """Judge of stored answers."""
        ...

    @property
    def examples(self) -> ExampleService:
        """Examples that teach."""
        ...

    @property
    def model_trials(self) -> ModelTrials:
        """Trials of local models."""
        ...

    @property
    def agents(self) -> Mapping[str, Agent]:
        """Agents by id."""
        ...

    @property
    def agent_catalogue(self) -> AgentCatalogue:
        """All agents, for whoever may edit them."""
        ...

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Tools by name."""
        ...

    @property
    def viewer(self) -> Viewer:
        """Person who views the dashboards."""
        ...

    @property
    def dashboards(self) -> DashboardQueries:
        """Runner of the dashboard queries."""
        ...

    @property
    def dashboard_files(self) -> DashboardFiles:
        """Writer of dashboards to files."""
        ...

    @property
    def conversation_files(self) -> ConversationFiles:
        """Exporter and importer of conversations."""
        ...

    @property
    def documents(self) -> DocumentService:
        """Documents of the plant."""
        ...

    @property
    def deletion(self) -> Deletion:
        """What deletes for good."""
        ...

    @property
    def updates(self) -> Updater:
        """Updates in the folder that the settings name."""
        ...

    @property
    def network(self) -> Network:
        """The way to the service, and its diagnosis."""
        ...

    @property
    def python_tools(self) -> PythonTools:
        """Tool that runs Python locked away."""
        ...

    @property
    def study_tools(self) -> StudyTools:
        """Statistical methods."""
        ...

    async def unencrypted_host(self) -> str | None:
        """Return the host that would get the key without encryption, unless it is allowed to."""
        ...

    async def allow_unencrypted(self, host: str) -> None:
        """Let a host get its key without encryption, from now on."""
        ...


# Arguments that several verbs take, and how their words are read. A function that reads one raises
# ValueError, which argparse turns into a usage error.


def add_json_option(parser: argparse.ArgumentParser, *, is_nested: bool = False) -> None:
    """Declare --json; a nested verb accepts it before its name as well as after."""
    # Suppressed where it is not given, so that the outer parser's value is left alone.
    default = argparse.SUPPRESS if is_nested else False
    parser.add_argument("--json", action="store_true", default=default, help=_("for programs"))


def add_password_option(parser: argparse.ArgumentParser) -> None:
    """Declare --password."""
    parser.add_argument("--password", metavar="WORD", help=_("of a protected workbook"))


def add_file_option(parser: argparse.ArgumentParser) -> None:
    """Declare the path of a file as the first argument."""
    parser.add_argument("path", type=Path, metavar="PATH")


def add_sheet_option(parser: argparse.ArgumentParser) -> None:
    """Declare --sheet, for a verb that reads one sheet."""
    parser.add_argument("--sheet", metavar="NAME", help=_("this sheet (default: the first)"))


def add_overwrite_option(parser: argparse.ArgumentParser) -> None:
    """Declare --overwrite, for a verb that writes a file."""
    parser.add_argument("--overwrite", action="store_true", help=_("replace a file that is there"))


def check_free(target: Path, asked: argparse.Namespace) -> None:
    """Raise UserError if the target is there and may not be replaced."""
    if os.path.lexists(target) and not asked.overwrite:
        raise UserError(
            _("{name} is there already. Choose another name, or say --overwrite.").format(
                name=target.name
            )
        )


def add_search_option(parser: argparse.ArgumentParser) -> None:
    """Declare --search, for a verb that lists."""
    parser.add_argument("--search", default="", metavar="WORDS", help=_("with these words"))


def add_other_option(parser: argparse.ArgumentParser) -> None:
    """Declare --of, for a verb that an administrator may read what is somebody else's with."""
    parser.add_argument(
        "--of",
        dest="other",
        metavar="NAME",
        help=_("of this account, where audited reading is on; the log tells of it"),
    )


def positive(text: str) -> int:
    """Parse a whole number from 1 on.

    Raises ValueError for anything else.
    """
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def row_number(text: str) -> int:
    """Parse the number of a row; 0 stands for none.

    Raises ValueError for anything else.
    """
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def separator(text: str) -> str:
    """Parse a cell separator, given as the character or by its name.

    Raises ValueError for anything else.
    """
    value = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    if len(value) != 1:
        raise ValueError(text)
    return value


def column_type(text: str) -> tuple[str, ColumnType]:
    """Parse a column's name and the type that it is to be read as, with = between.

    Raises ValueError for anything else.
    """
    name, _equals, type_ = text.rpartition("=")
    known = next((each for each in TYPE_NAMES if each == type_.strip().lower()), None)
    if not name or known is None:
        raise ValueError(text)
    return name, known


def encoding(text: str) -> str:
    """Parse the name of a text encoding.

    Raises ValueError if it is unknown.
    """
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise ValueError(text) from error
