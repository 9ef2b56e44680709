"""Composition root: creates every object once on first use, and closes them at exit.

Heavy modules are imported where their objects are created, so that the first paint and the
lighter commands do not wait for it.
"""

from __future__ import annotations  # most of the types below are imported lazily

import asyncio
import gc
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from qhub_desktop.core import crash, permissions, text
from qhub_desktop.core.errors import (
    DamagedStoreError,
    NoAccountsError,
    UserError,
    data_folder_error,
)
from qhub_desktop.core.paths import RESOURCES, data_folder, home, policy_files
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import (
    FLAGS_VARIABLE,
    EngineChoice,
    LiveSettings,
    Policy,
    Settings,
    offline_by_policy,
    read_flags,
    read_policy,
    valid_settings,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.budgets import BudgetedModel
    from qhub_desktop.chat.claude.client import Claude
    from qhub_desktop.chat.claude.diagnosis import Network
    from qhub_desktop.chat.claude.embeddings import EmbeddingEndpoint
    from qhub_desktop.chat.claude.pricing import Prices
    from qhub_desktop.chat.context import ContextSource
    from qhub_desktop.chat.guard.reader import GuardReader
    from qhub_desktop.chat.guard.screen import Screen
    from qhub_desktop.chat.local.local_model import LocalModel
    from qhub_desktop.chat.model_judge import ModelJudge
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.chat.patterns import PatternReader
    from qhub_desktop.chat.router import Router
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.cli.verbs import Caller, CommandServices
    from qhub_desktop.core.dashboard import Viewer
    from qhub_desktop.core.events import ModelRequest
    from qhub_desktop.core.ids import ConversationId
    from qhub_desktop.core.person import Person, Role
    from qhub_desktop.core.tool import Tool
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.nlq.offline_engine import OfflineEngine
    from qhub_desktop.people.accounts import Accounts, Sessions
    from qhub_desktop.store.backups import SafetyCopies
    from qhub_desktop.store.moderation import ModerationRepository
    from qhub_desktop.tools.agent_catalogue import AgentCatalogue
    from qhub_desktop.tools.aggregates import AggregateTools
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.conversation_files import ConversationFiles
    from qhub_desktop.tools.dashboard_export import DashboardFiles
    from qhub_desktop.tools.dashboard_refresh import DashboardQueries
    from qhub_desktop.tools.datasets import PythonTools
    from qhub_desktop.tools.defects import DefectImporter, DefectTools
    from qhub_desktop.tools.deletion import Deletion
    from qhub_desktop.tools.document_service import DocumentService
    from qhub_desktop.tools.examples import ExampleService
    from qhub_desktop.tools.exports import ExportTools
    from qhub_desktop.tools.model_trial import ModelTrials
    from qhub_desktop.tools.page_printer import PagePrinter
    from qhub_desktop.tools.readings import ReadingService
    from qhub_desktop.tools.render import RenderTools
    from qhub_desktop.tools.studies import StudyTools
    from qhub_desktop.ui.services import AppServices, DashboardContext
    from qhub_desktop.ui.shell.recovery import Wanted
    from qhub_desktop.ui.tasks import Tasks
    from qhub_desktop.updates.updater import Updater

Part = TypeVar("Part")

# Objects between two collections: what a command loads stays, and was looked through 200 times. An
# answer makes few of them that refer to each other.
COMMAND_GARBAGE = (200_000, 20, 20)

# Parts that own a thread or a process, each before what it works with.
_CLOSED_IN_ORDER = (
    *(
        "readings",
        "model",
        "offline",
        "render_tools",
        "python_tools",
        "export_tools",
        "study_tools",
    ),
    *("aggregate_tools", "documents"),
    *("conversation_files", "dashboard_files", "dashboards", "workspace", "safety_copies"),
)


class Program:
    """Objects of one running program, each created on first use.

    `engine` overrides the stored choice of engine for this run, `policy` an administrator's (the
    self-test's, which is a trial: it leaves nothing in the key store). A command line is not
    `patient`: a service that is not there is told at once.
    `trouble` is the error in the stored settings, if any. Raises UserError if the
    data folder or an administrator's policy cannot be used, or fixes another engine.
    """

    def __init__(
        self,
        *,
        engine: EngineChoice | None = None,
        policy: Policy | None = None,
        patient: bool = True,
        is_trial: bool = False,
    ) -> None:
        policy = policy or read_policy(policy_files())
        flags = read_flags(os.environ.get(FLAGS_VARIABLE, ""))
        policy = replace(policy, fixed={**flags, **policy.fixed})
        if engine is not None:
            policy.check("engine", engine)
        self.home = home()
        self._patient = patient
        self.wanted_restore: Wanted | None = None  # once this program is closed
        self.on_restore_wanted: Callable[[], object] = lambda: None
        self.store = Store.open(self.home)
        if not is_trial:
            self.store.keep_head_in_key_store()
        # The window creates these on a thread, so that their imports do not block it.
        self._building = threading.RLock()
        self._keys = Worker("keys")
        stored = self.store.settings.load_now()
        settings, self.trouble = valid_settings(stored, policy)
        text.use(settings.language)
        if policy.problems:  # told in the language that is only known now
            self.trouble = UserError(" ".join(read_policy(policy_files()).problems))
        self._stored_engine = settings.engine
        settings = settings if engine is None else replace(settings, engine=engine)
        self.chosen = LiveSettings(settings, policy=policy, stored=stored)
        self.person: Person | None = None
        self.needs_sign_in = self.store.people.are_in_use()

    def enter(self, person: Person) -> None:
        """Let this person use the program: what is theirs, and nothing else.

        Before anything is created that depends on who they are. Blocks. Raises UserError where this
        run was to ask another engine than an administrator lets them.
        """
        is_overruled = self._stored_engine == "offline" and self.settings.engine != "offline"
        if is_overruled and not person.is_admin:
            raise UserError(
                _(
                    "An administrator has chosen the offline engine here, and only they change it."
                    " Leave --engine out."
                )
            )
        self.person, self.needs_sign_in = person, False
        self.store.enter(person)
        if not person.is_admin:
            self.chosen.reserve()

    async def check_account(self, *roles: Role) -> None:
        """Raise UserError unless somebody of these roles acts, by their account as it is now."""
        await self.store.people.check_account(*roles)

    @property
    def settings(self) -> Settings:
        """Current settings."""
        return self.chosen.settings

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """Variables that may say what the settings leave open."""
        return self.chosen.policy.environment(os.environ)

    @cached_property
    def agents(self) -> Mapping[str, Agent]:
        """Agents of the person who uses the program, by id; none until somebody has signed in.

        As they are now: they change with every edit.
        """
        return self.agent_catalogue.agents

    @cached_property
    def agent_catalogue(self) -> AgentCatalogue:
        """All agents, for whoever may edit them; none until somebody has signed in."""
        from qhub_desktop.tools.agent_catalogue import AgentCatalogue

        catalogue = AgentCatalogue(
            self.store,
            RESOURCES / "agents",
            person=lambda: self.person,
            tools=lambda: self._built(lambda: self.tools),
            turns=lambda: self._built(lambda: self.turns),
        )
        if not self.needs_sign_in:
            catalogue.load_now()
        return catalogue

    @cached_property
    def accounts(self) -> Accounts:
        """The way in for people with an account."""
        from qhub_desktop.people.accounts import Accounts

        return Accounts(self.store.people)

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions of people who have signed in."""
        from qhub_desktop.people.accounts import Sessions

        return Sessions(self.home)

    @cached_property
    def workspace(self) -> Workspace:
        """Workspace of the data sets."""
        from qhub_desktop.data.workspace import Workspace

        return Workspace(
            self.home / "workspace",
            query_s=self.settings.query_s,
            keeps_files=lambda: self.settings.is_keeping_files,
            on_exported=self.store.audit.add_export,
        )

    @cached_property
    def conversation_datasets(self) -> ConversationDatasets:
        """Data sets pinned to each conversation."""
        from qhub_desktop.tools.conversation_datasets import ConversationDatasets

        return ConversationDatasets(self.store.datasets, self.store.defects, self.workspace)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Tools by name."""
        from qhub_desktop.core.tool import tools_of
        from qhub_desktop.tools.asking import AskingTools
        from qhub_desktop.tools.closed_tools import with_closed_forms
        from qhub_desktop.tools.dashboards import DashboardTools
        from qhub_desktop.tools.datasets import DatasetTools
        from qhub_desktop.tools.documents import DocumentTools
        from qhub_desktop.tools.memory import MemoryTools
        from qhub_desktop.tools.recall import RecallTools

        return with_closed_forms(
            tools_of(
                self.defect_tools,
                DatasetTools(self.conversation_datasets),
                self.python_tools,
                self.render_tools,
                DashboardTools(
                    self.store.dashboards,
                    self.store.conversations,
                    self.dashboards,
                    author=self.user,
                ),
                self.export_tools,
                self.study_tools,
                self.aggregate_tools,
                DocumentTools(self.store.documents, lambda: self.documents),
                RecallTools(self.store.recall, lambda: self.settings),
                AskingTools(self.store.questions, lambda: self.settings),
                MemoryTools(
                    self.store.memories,
                    self.store.messages,
                    settings=lambda: self.settings,
                    service=self._service_host,
                ),
            )
        )

    @cached_property
    def defect_tools(self) -> DefectTools:
        """Tools of the station's defect log."""
        from qhub_desktop.tools.defects import DefectTools

        return DefectTools(self.store.defects, self.conversation_datasets)

    @property
    def user(self) -> str:
        """Name of the user of this program: of the account, else of the system's."""
        if self.person is not None:
            return self.person.name
        return os.environ.get("USERNAME") or os.environ.get("USER", "")

    @property
    def viewer(self) -> Viewer:
        """Viewer of dashboards: the current user."""
        from qhub_desktop.core.dashboard import Viewer

        return Viewer(self.user, None if self.person is None else tuple(self.agents))

    @cached_property
    def dashboards(self) -> DashboardQueries:
        """Runner of the dashboards' queries."""
        from qhub_desktop.tools.dashboard_refresh import DashboardQueries

        return DashboardQueries(self.store.dashboards, self.conversation_datasets)

    @cached_property
    def dashboard_files(self) -> DashboardFiles:
        """Exporter of dashboards to files."""
        from qhub_desktop.tools.dashboard_export import DashboardFiles

        return DashboardFiles(
            self.dashboards,
            self.workspace,
            self._printer,
            on_exported=self.store.audit.add_export,
        )

    @property
    def _printer(self) -> PagePrinter:
        from qhub_desktop.tools.page_printer import PagePrinter

        return PagePrinter(lambda: self.settings)

    @cached_property
    def conversation_files(self) -> ConversationFiles:
        """Exporter and importer of conversations."""
        from qhub_desktop.tools.conversation_files import ConversationFiles

        return ConversationFiles(self.store, self.agent_catalogue, printer=self._printer)

    @cached_property
    def render_tools(self) -> RenderTools:
        """Rendering tools."""
        from qhub_desktop.tools.render import RenderTools

        return RenderTools(self.conversation_datasets)

    @cached_property
    def python_tools(self) -> PythonTools:
        """Tool that runs a model's Python in the sandbox, of which nothing is loaded before."""
        from qhub_desktop.core.figure import chart_kinds
        from qhub_desktop.sandbox import PythonService
        from qhub_desktop.tools.datasets import PythonTools

        service = PythonService(chart_kinds=[each.name for each in chart_kinds()])
        return PythonTools(service, self.workspace)

    @cached_property
    def aggregate_tools(self) -> AggregateTools:
        """What a model is told of data whose rows may not leave."""
        from qhub_desktop.tools.aggregates import AggregateTools

        return AggregateTools(self.conversation_datasets, self.store.datasets)

    @cached_property
    def export_tools(self) -> ExportTools:
        """Tools that export files for the user."""
        from qhub_desktop.tools.exports import ExportTools

        return ExportTools(self.store.messages, self.workspace, self.conversation_datasets)

    @cached_property
    def study_tools(self) -> StudyTools:
        """Statistical methods, of which nothing is loaded before the first."""
        from qhub_desktop.tools.studies import StudyTools

        return StudyTools(
            self.conversation_datasets,
            lambda: self.settings,
            self.store.settings,
            user=self.user,
        )

    @cached_property
    def prices(self) -> Prices:
        """Prices of the models."""
        from qhub_desktop.chat.claude.pricing import load_prices

        return load_prices(RESOURCES, self.home)

    @cached_property
    def claude(self) -> Claude:
        """Client of Claude, or of the service named in the settings."""
        from qhub_desktop.chat.claude.client import Claude
        from qhub_desktop.chat.claude.credentials import read_key

        return Claude(
            settings=lambda: self.settings,
            key=lambda service: read_key(service, self.environment),
            prices=self.prices,
            environment=self.environment,
            retries_refused=self._patient,
            log=self.store.sent,
        )

    @cached_property
    def paid(self) -> BudgetedModel:
        """Claude, as far as the budgets go."""
        from qhub_desktop.chat.budgets import BudgetedModel

        return BudgetedModel(self.claude, self.store.costs)

    @cached_property
    def offline(self) -> OfflineEngine:
        """Built-in offline engine, with the vocabulary of the registered charts."""
        import qhub_desktop.charts.catalogue  # noqa: F401  registers the charts
        from qhub_desktop.nlq.offline_engine import OfflineEngine

        return OfflineEngine()

    @cached_property
    def local(self) -> LocalModel:
        """Model of the plant's own, in a process of this program."""
        from qhub_desktop.chat.local.local_model import LocalModel

        return LocalModel(
            settings=lambda: self.settings,
            prices=self.prices,
            prompt=(RESOURCES / "prompts" / "local.md").read_text(encoding="utf-8"),
            wanted_tools=self._wanted_tools,
            log=self.store.sent,
        )

    @cached_property
    def model_trials(self) -> ModelTrials:
        """Trials of local models."""
        from qhub_desktop.tools.model_trial import ModelTrials

        return ModelTrials(self.local, lambda: self._built(lambda: self.turns))

    async def _wanted_tools(self, request: ModelRequest) -> tuple[str, ...]:
        return (await self.offline.look(request)).tools

    async def _is_sure(self, request: ModelRequest) -> bool:
        return (await self.offline.look(request)).is_sure

    @cached_property
    def model(self) -> Router:
        """Router to Claude, the local model or the offline engine."""
        from qhub_desktop.chat.router import Router
        from qhub_desktop.nlq.offline_engine import is_small_talk

        return Router(
            claude=self.paid,
            offline=self.offline,
            local=self.local,
            is_sure=self._is_sure,
            is_small_talk=is_small_talk,
            settings=lambda: self.settings,
        )

    @cached_property
    def turns(self) -> TurnRunner:
        """Runner of the turns of conversations."""
        from qhub_desktop.chat.turn import TurnRunner

        return TurnRunner(
            conversations=self.store.conversations,
            messages=self.store.messages,
            readings=self.store.datasets,
            model=self.model,
            tools=self.tools,
            agents=self.agents,
            common_prompt=(RESOURCES / "prompts" / "common.md").read_text(encoding="utf-8"),
            profiles=self.conversation_datasets.profiles_after_imports,
            settings=lambda: self.settings,
            log=self.store.audit.add,
            fixed=self.chosen.policy.fixed.keys(),
            estimate=self.model.estimate,
            check_account=self.check_account,
            context=self.context_sources,
            person=lambda: "" if self.person is None else self.person.name,
            signals=self.store.reviews.signals,
            screen=self.screen,
            leaves=self.model.leaves,
            offered=self.examples.offered,
        )

    @cached_property
    def moderation(self) -> ModerationRepository:
        """Record of what the guard did with questions."""
        from qhub_desktop.store.moderation import ModerationRepository

        return ModerationRepository(self.store.messages.database)

    @cached_property
    def guard_reader(self) -> GuardReader:
        """Rules by which the guard reads questions."""
        from qhub_desktop.chat.guard.reader import GuardReader

        return GuardReader(self.home)

    @cached_property
    def screen(self) -> Screen:
        """Guard of every question."""
        from qhub_desktop.chat.guard.screen import Screen

        return Screen(
            self.guard_reader,
            self.moderation,
            settings=lambda: self.settings,
            ask_doubt=self._ask_doubt,
        )

    async def _ask_doubt(self, conversation: ConversationId, text: str) -> bool | None:
        from qhub_desktop.chat.guard.doubt import DoubtReader

        async def agent(conversation: ConversationId) -> str:
            return (await self.store.conversations.find(conversation)).agent

        reader = DoubtReader(
            self.store.patterns,
            self.store.messages,
            self.paid,
            agent=agent,
            settings=lambda: self.settings,
            load=self.claude.load,
        )
        return await reader(conversation, text)

    @cached_property
    def readings(self) -> ReadingService:
        """Reader of questions that are being typed."""
        import qhub_desktop.charts.catalogue  # noqa: F401  registers the charts' words
        from qhub_desktop.tools.readings import ReadingService

        return ReadingService(lambda: self._built(lambda: self.turns), self.store.messages)

    @cached_property
    def context_sources(self) -> Sequence[ContextSource]:
        """What a model is told besides a question."""
        from qhub_desktop.chat.context import DamageSource, ToneSource
        from qhub_desktop.chat.memory import MemorySource

        return (
            DamageSource(self.store.integrity),
            ToneSource(),
            MemorySource(self.store.memories, self._service_host),
            self.examples,
        )

    @cached_property
    def examples(self) -> ExampleService:
        """Examples that teach, made and chosen."""
        from qhub_desktop.tools.examples import ExampleService

        return ExampleService(
            self.store.reviews.examples, lambda: self._built(lambda: self.readings)
        )

    def _service_or_none(self) -> str:
        with suppress(UserError):  # an address that is none
            return self._service_host() if self.settings.asks_service else ""
        return ""

    def _service_host(self) -> str:
        """Return the host of the service that models are asked at. Raises UserError for none."""
        from qhub_desktop.chat.claude.credentials import chosen_endpoint

        return chosen_endpoint(self.settings, self.environment).host

    @cached_property
    def documents(self) -> DocumentService:
        """Documents of the plant."""
        from qhub_desktop.tools.document_service import DocumentService

        return DocumentService(
            self.store.documents,
            self.home,
            service=self._embedding_service,
            senders=self._embedding_senders,
            synonyms=_synonyms,
        )

    @cached_property
    def embeddings(self) -> EmbeddingEndpoint:
        """The plant's own service for the meaning of texts, if the settings name one."""
        from qhub_desktop.chat.claude.embeddings import EmbeddingEndpoint

        return EmbeddingEndpoint(lambda: self.settings, log=self.store.sent)

    def _embedding_service(self) -> EmbeddingEndpoint | None:
        if self.settings.embedding_endpoint.strip() and not self.chosen.policy.is_offline:
            with suppress(UserError):  # an address that is none
                return self.embeddings if self.embeddings.model else None
        return None

    def _embedding_senders(self) -> set[str] | None:
        """Return the agents whose texts the service may get; None where they stay here anyway."""
        with suppress(UserError):  # an address that is none
            if self.embeddings.is_on_this_computer:
                return None
        return self.agent_catalogue.senders

    @cached_property
    def outbox(self) -> Outbox:
        """Outbox of questions queued for Claude."""
        from qhub_desktop.chat.outbox import Outbox

        return Outbox(
            queue=self.store.outbox,
            turns=self.turns,
            claude=self.paid,
            settings=lambda: self.settings,
            is_small_talk=self.model.is_small_talk,
            user=self.user,
            screen=self.screen,
        )

    @cached_property
    def pattern_reader(self) -> PatternReader:
        """Reader that names what the person asks about."""
        from qhub_desktop.chat.patterns import PatternReader

        return PatternReader(
            self.store.patterns,
            self.store.messages,
            self.paid,
            agents=lambda: self.agents,
            settings=lambda: self.settings,
            service=self._service_host,
            refused_services=self.store.memories.refused_services,
            hide=self.guard_reader.without_people,
        )

    @cached_property
    def judge(self) -> ModelJudge:
        """Judge of stored answers."""
        from qhub_desktop.chat.model_judge import ModelJudge

        return ModelJudge(
            self.store.reviews.judgements,
            self.store.messages,
            self.store.settings,
            self.claude,
            begin=self.store.patterns.begin_reading,
            reserve=self.paid.hold,
            propose=self.examples.propose,
            agents=lambda: self.agents,
            settings=lambda: self.settings,
            hide=self.guard_reader.without_people,
        )

    @cached_property
    def safety_copies(self) -> SafetyCopies:
        """Safety copies of what is stored."""
        from qhub_desktop.store.backups import SafetyCopies

        return SafetyCopies(self.store.path)

    @cached_property
    def deletion(self) -> Deletion:
        """What deletes for good."""
        from qhub_desktop.tools.deletion import Deletion

        return Deletion(self.store, lambda: self._built(lambda: self.workspace), self.safety_copies)

    def restore(self, wanted: Wanted) -> None:
        """Close the window, restore what is wanted, and open another.

        Raises UserError for a person who is no administrator, but damaged data anybody may repair.
        """
        if wanted != "newest":
            self.store.people.check_account_now(*ADMINS)
        self.wanted_restore = wanted
        self.on_restore_wanted()

    @cached_property
    def network(self) -> Network:
        """The way to the service, and its diagnosis."""
        from qhub_desktop.chat.claude.diagnosis import Network
        from qhub_desktop.core.keystore import KEY_FILE, KeyPlaces

        return Network(self, KeyPlaces(self.home / KEY_FILE, self._keys))

    def model_problem(self) -> str:
        """Return why passages are found by words alone; "" where the model for it is in place."""
        from qhub_desktop.knowledge.embedding import model_problem

        return model_problem()

    @cached_property
    def updates(self) -> Updater:
        """Updates in the folder that the settings name."""
        from qhub_desktop.updates.updater import Updater, WindowsInstallation

        return Updater(
            self.home,
            settings=lambda: self.settings,
            back_up=self.store.back_up_before,
            installation=WindowsInstallation(),
        )

    def begin_update(self) -> bool:
        """Begin the installation of an update that waits; return whether to end for it."""
        # Few starts have one, and the first paint need not wait for the others' import.
        return (self.home / "updates").exists() and self.updates.begin_installation()

    def services(self) -> AppServices:
        """Return the services of the window."""
        from qhub_desktop.core.keystore import KEY_FILE, KeyPlaces
        from qhub_desktop.ui.services import AppServices

        return AppServices(
            store=self.store,
            live_settings=self.chosen,
            agents=lambda: self._built(lambda: self.agents),
            agent_catalogue=lambda: self._built(lambda: self.agent_catalogue),
            turns=lambda: self._built(lambda: self.turns),
            readings=lambda: self._built(lambda: self.readings),
            question_forms=lambda: self._built(lambda: self.readings),
            outbox=lambda: self._built(lambda: self.outbox),
            workspace=lambda: self._built(lambda: self.workspace),
            conversation_datasets=lambda: self._built(lambda: self.conversation_datasets),
            defect_importer=self._defect_importer,
            defect_tools=lambda: self._built(lambda: self.defect_tools),
            dashboards=self._dashboard_context,
            updates=lambda: self._built(lambda: self.updates),
            test_connection=self._test_connection,
            save_key=self.save_key,
            has_key=lambda: self.claude.has_key(),  # noqa: PLW0108  created on first call
            safety_copies=lambda: self._built(lambda: self.safety_copies),
            deletion=lambda: self._built(lambda: self.deletion),
            restore=self.restore,
            conversation_files=lambda: self._built(lambda: self.conversation_files),
            documents=lambda: self._built(lambda: self.documents),
            python_tools=lambda: self._built(lambda: self.python_tools),
            key_places=KeyPlaces(self.home / KEY_FILE, self._keys),
            network=lambda: self._built(lambda: self.network),
            person=self.person,
            accounts=lambda: self.accounts,
            sessions=lambda: self.sessions,
            enter=self.enter,
            study_tools=lambda: self._built(lambda: self.study_tools),
            service_host=self._service_or_none,
            pattern_reader=lambda: self._built(lambda: self.pattern_reader),
            model_trials=lambda: self._built(lambda: self.model_trials),
            export_person=self._export_person,
            examples=lambda: self._built(lambda: self.examples),
            judge=lambda: self._built(lambda: self.judge),
        )

    async def _export_person(self, name: str, target: Path) -> int:
        from qhub_desktop.tools.person_files import export_person

        return await export_person(self, name, target)

    async def _test_connection(self, key: str, tried: Settings) -> str:
        if self.chosen.policy.is_offline:
            raise UserError(offline_by_policy())
        return await self.claude.test_connection(tried, key=key or None)

    def _defect_importer(self) -> DefectImporter:
        from qhub_desktop.tools.defects import DefectImporter

        return DefectImporter(self.store.defects, self._built(lambda: self.conversation_datasets))

    def _dashboard_context(self, tasks: Tasks) -> DashboardContext:
        from qhub_desktop.ui.services import DashboardContext

        return DashboardContext(
            dashboards=self.store.dashboards,
            conversations=self.store.conversations,
            messages=self.store.messages,
            settings=self.store.settings,
            data=self._built(lambda: self.dashboards),
            files=self._built(lambda: self.dashboard_files),
            viewer=self.viewer,
            tasks=tasks,
        )

    async def warm(self) -> None:
        """Load the SDK on a thread if the next question may go to Claude.

        Loaded with the question, it would delay the first answer by its import time (1.9 s; see
        tests/bench/bench_first_answer.py) and block the window as long. A station that answers
        offline never loads it. What was sent is kept no longer than the settings say, and
        what was deleted no longer than it can be brought back.
        """
        with suppress(UserError):  # a busy file: with the next start
            await self.store.sent.sweep(days=self.settings.sent_days)
        with suppress(UserError):  # the same
            if await self.store.is_deletion_due():
                await self.deletion.sweep()
        with suppress(UserError):  # an address that is none: said with the first question
            if self.settings.asks_service and await self.claude.has_key():
                self.claude.warm()

    async def hide_stored_secrets(self) -> None:
        """Take the keys out of the database that an earlier version let in; done once.

        What cannot be done now, for another program is busy or the disk is full, waits for the
        next start.
        """
        with suppress(UserError):
            if await self.store.holds_old_texts():
                from qhub_desktop.chat.claude.credentials import use_known_keys

                await self._keys.run(use_known_keys, self.settings, self.environment)
                await self.store.hide_secrets()

    async def unencrypted_host(self) -> str | None:
        """Return the host that would get the key without encryption, unless it is allowed to."""
        return await self.claude.unencrypted_host() if self.settings.asks_service else None

    async def allow_unencrypted(self, host: str) -> None:
        """Let a host get its key without encryption, from now on."""
        self.chosen.check("unencrypted_host", host)
        await self.store.settings.save({**self.store.settings.load_now(), "unencrypted_host": host})
        self.chosen.replace(replace(self.settings, unencrypted_host=host))

    async def save_key(self, key: str) -> None:
        """Store the key of the service named in the settings; "" deletes it.

        Raises UserError for a person who is no administrator.
        """
        await self.check_account(*ADMINS)
        from qhub_desktop.chat.claude import credentials as keys
        from qhub_desktop.chat.claude.credentials import chosen_endpoint

        service = chosen_endpoint(self.settings, self.environment)
        if key:
            await self._keys.run(keys.save_key, service, key)
        else:
            await self._keys.run(keys.forget_key, service)
        state = "kept" if key else "forgotten"
        await self.store.audit.add("setting", "key", {"service": service.host, "state": state})

    async def close(self) -> None:
        """Close all created objects in reverse order."""
        self._keys.close()
        built = vars(self)
        for each in ("local", "claude", "embeddings"):
            if each in built:
                await built[each].close()
        for part in _CLOSED_IN_ORDER:
            if part in built:
                built[part].close()
        self.store.close()

    def _built(self, part: Callable[[], Part]) -> Part:
        with self._building:
            return part()


def _synonyms() -> list[list[str]]:
    import qhub_desktop.charts.catalogue  # noqa: F401  registers the charts
    from qhub_desktop.nlq.lexicon import reload_lexicon

    return reload_lexicon().synonyms(("pt", "en"))


def command_line() -> int:
    """Run `qhub`."""
    from qhub_desktop.cli import main

    permissions.begin()
    gc.set_threshold(*COMMAND_GARBAGE)
    sys.excepthook = crash.print_error
    return main(sys.argv[1:], _command_services)


@asynccontextmanager
async def _command_services(
    engine: EngineChoice | None, caller: Caller | None
) -> AsyncIterator[CommandServices]:
    with _crash_reports():
        crash.watch(asyncio.get_running_loop())
        program = Program(engine=engine, patient=False)
        try:
            if caller is not None and not program.needs_sign_in:
                raise NoAccountsError
            if program.needs_sign_in:
                if caller is None:
                    raise UserError(_("Say who you are: --as NAME. Here people sign in."))
                program.enter(await program.accounts.sign_in(caller.name, caller.secret()))
            await program.hide_stored_secrets()
            yield program
        finally:
            await program.close()


def _crash_reports() -> crash.CrashReporter:
    """Begin to keep reports in the data folder, which is closed to others.

    Raises UserError if nothing can be kept there.
    """
    folder = data_folder()
    try:
        str(folder).encode()
        reports = crash.install(home())
    except OSError as error:
        raise data_folder_error(error, folder) from error
    except UnicodeEncodeError as error:
        words = _("The name of the folder {folder} is not text. Set QHUB_HOME to another folder.")
        raise UserError(words.format(folder=sanitize(str(folder)))) from error
    permissions.keep_private(folder)
    return reports


def run_window() -> int:
    """Run the application window until it is closed."""
    permissions.begin()
    gc.disable()  # until the window collects by itself: a start makes what stays, 40 ms of looking
    os.environ["QT_API"] = "pyside6"  # qasync and pyqtgraph could pick another binding
    from qhub_desktop.tools.first_run import first_run_due
    from qhub_desktop.ui.shell.window_loop import run_application

    return run_application(
        _open_program,
        first_run=lambda: first_run_due(home()),
        crash_reports=_crash_reports,
        show_error=_show_start_error,
    )


def _show_start_error(error: UserError) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    box = QMessageBox(QMessageBox.Icon.Critical, "QHub Desktop", str(error))
    box.setTextFormat(Qt.TextFormat.PlainText)  # a path may look like markup
    box.exec()


def _open_program() -> Program | DamagedStoreError:
    try:
        return Program()
    except DamagedStoreError as error:
        return error
