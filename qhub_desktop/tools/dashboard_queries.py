"""Queries of dashboards, run on today's data: at once, with a refresh, or on a schedule."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.dashboard import (
    DailyAt,
    Dashboard,
    DashboardSpec,
    EveryMinutes,
    NamedQuery,
    OnChange,
    PinnedCard,
    QueryRows,
    Schedule,
)
from qhub_desktop.core.errors import QHubError, ToolError
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.core.table import Table
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.core.widgets import Chart, Kpi, TableView, Widget
from qhub_desktop.tools.conversation_datasets import ConversationDatasets
from qhub_desktop.tools.render import CHART_ROWS, TABLE_ROWS, single

PAGE_ROWS = 10_000  # of one query, which a page holds whole
_NO_ROWS = Table((), ())


@dataclass(frozen=True, slots=True)
class CardNow:
    """A card as it looks with the rows at hand. `widget` is missing where `problem` says why."""

    card: PinnedCard
    widget: Widget | None
    rows: QueryRows | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RenderedDashboard:
    """A dashboard with all that it shows."""

    dashboard: Dashboard
    contents: DashboardSpec
    rows: tuple[QueryRows, ...]
    cards: tuple[CardNow, ...]

    @property
    def problems(self) -> list[str]:
        """What could not be brought up to date, and why."""
        failed = [f"{each.name}: {each.problem}" for each in self.rows if each.problem]
        return failed + [
            f"{each.card.title}: {each.problem}" for each in self.cards if each.problem
        ]


class StoredDashboards(Protocol):
    """Store of dashboards, for running their queries. Unknown ids raise UserError."""

    async def find(self, id_: str, /) -> Dashboard:
        """Find a dashboard by its id."""
        ...

    async def contents(self, id_: str, /) -> DashboardSpec:
        """Read what it holds now."""
        ...

    async def rows(self, id_: str, /) -> Sequence[QueryRows]:
        """Read what its queries gave last, in their order."""
        ...

    async def keep_rows(self, id_: str, rows: Sequence[QueryRows], /) -> None:
        """Keep what its queries gave just now."""
        ...

    async def state_of_data(self, conversations: Iterable[str], /) -> str:
        """Return words that change with the data of these conversations or the defect log."""
        ...


class DashboardQueries:
    """Runs queries for dashboards, without any model. Owns the thread it draws on until closed."""

    def __init__(self, dashboards: StoredDashboards, shelf: ConversationDatasets) -> None:
        self._dashboards = dashboards
        self._shelf = shelf
        self._drawing = Worker("dashboards")

    def close(self) -> None:
        """Let go of the thread."""
        self._drawing.close()

    async def first_rows(self, contents: DashboardSpec, setting: ToolContext) -> list[QueryRows]:
        """Run every query of a new dashboard. Raises ToolError that names the first that fails."""
        found = []
        for query in contents.queries:
            try:
                found.append(await self._run(contents, query, setting))
            except QHubError as error:
                raise ToolError(f"A consulta '{query.name}' não corre: {error}") from error
        return found

    async def refresh(self, id_: str) -> RenderedDashboard:
        """Run every query on today's data, keep the rows, and return the dashboard.

        A query that fails keeps its former rows, and says so. Raises UserError for an unknown id.
        """
        contents = await self._dashboards.contents(id_)
        before = {each.name: each for each in await self._dashboards.rows(id_)}
        self._shelf.log_changed()  # another program may have added to it
        settings: dict[str, ToolContext] = {}
        found = []
        for query in contents.queries:
            if query.conversation not in settings:
                profiles = await self._shelf.profiles(query.conversation)
                settings[query.conversation] = ToolContext(query.conversation, profiles)
            try:
                found.append(await self._run(contents, query, settings[query.conversation]))
            except QHubError as error:
                found.append(_failed(query, error, before))
        await self._dashboards.keep_rows(id_, found)
        return await self.filled(id_)

    async def filled(self, id_: str) -> RenderedDashboard:
        """Return a dashboard with the rows of the last time; nothing is run."""
        dashboard = await self._dashboards.find(id_)
        contents = await self._dashboards.contents(id_)
        rows = tuple(await self._dashboards.rows(id_))
        by_name = {each.name: each for each in rows}
        cards = [
            await self._drawing.run(_card_now, card, by_name.get(card.query))
            for card in contents.cards
        ]
        return RenderedDashboard(dashboard, contents, rows, tuple(cards))

    async def _run(
        self, contents: DashboardSpec, query: NamedQuery, setting: ToolContext
    ) -> QueryRows:
        limit, is_whole = _limit(contents.cards, query.name)
        found = await self._shelf.query(setting, query.sql, limit=limit)
        if is_whole and found.row_count > limit:
            raise ToolError(
                f"Dá {found.row_count} linhas; um painel leva até {limit}. Agregue na consulta."
            )
        now = datetime.now().astimezone()
        return QueryRows(query.name, found.table, found.row_count, now, found.source)


def _limit(cards: Sequence[PinnedCard], query: str) -> tuple[int, bool]:
    """Return how many rows of a query are kept, and whether more would be an error."""
    match next((card.widget for card in cards if card.query == query), None):
        case Chart():
            return CHART_ROWS, True
        case TableView():
            return TABLE_ROWS, False
        case Kpi():
            return 2, True
        case None:
            return PAGE_ROWS, True


def _failed(query: NamedQuery, error: QHubError, before: Mapping[str, QueryRows]) -> QueryRows:
    now = datetime.now().astimezone()
    former = before.get(query.name) or QueryRows(query.name, _NO_ROWS, 0, now)
    return replace(former, problem=str(error))


def _card_now(card: PinnedCard, rows: QueryRows | None) -> CardNow:
    if rows is None or not rows.table.columns:
        return CardNow(card, card.widget, rows, rows.problem if rows else "")
    try:
        return CardNow(card, _drawn(card, rows), rows, rows.problem)
    except ToolError as error:
        return CardNow(card, None, rows, str(error))


def _drawn(card: PinnedCard, rows: QueryRows) -> Widget:
    match card.widget:
        case Chart(kind=kind, roles=roles, data=data) as chart:
            if rows.table == data:
                return replace(chart, figure=replace(chart.figure, title=card.title))
            figure = draw(kind, card.title, rows.table, x=roles.x, y=roles.y, by=roles.by)
            return Chart(kind, figure, rows.table, rows.source, roles)
        case TableView():
            return TableView(card.title, rows.table, rows.row_count, rows.source)
        case Kpi(value=before) as kpi:
            value = single(rows.table)
            if value == before:
                return replace(kpi, title=card.title)
            # The trend and the verdict were about the number that it was pinned with.
            return replace(
                kpi,
                title=card.title,
                value=value,
                change=None,
                standing="neutral",
                source=rows.source,
            )


LOOK_S = 10.0

Listener = Callable[[RenderedDashboard], None]


def is_due(schedule: Schedule, *, last: datetime | None, now: datetime, has_changed: bool) -> bool:
    """Return whether to refresh: `last` is when the queries ran, `has_changed` of their data."""
    match schedule:
        case None:
            return False
        case OnChange():
            return has_changed or last is None
        case EveryMinutes(minutes):
            return last is None or now - last >= timedelta(minutes=minutes)
        case DailyAt(at):
            today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
            latest = today if now >= today else today - timedelta(days=1)
            return last is None or last < latest


class DashboardSchedule:
    """Looks after the dashboards that are open, until closed.

    `on_refreshed` is given each that was brought up to date. One that fails says so on its page,
    and is tried again when it is due.
    """

    def __init__(
        self, dashboards: StoredDashboards, data: DashboardQueries, on_refreshed: Listener
    ) -> None:
        self._dashboards = dashboards
        self._data = data
        self._on_refreshed = on_refreshed
        self._open: Counter[str] = Counter()
        self._seen: dict[str, str] = {}  # the state of their data when it was last looked at
        self._running: asyncio.Task[None] | None = None

    def opened(self, id_: str) -> None:
        """Watch a dashboard from now on; two windows may show it."""
        self._open[id_] += 1
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())

    def closed(self, id_: str) -> None:
        """Watch a dashboard for one window less."""
        self._open[id_] -= 1
        if self._open[id_] <= 0:
            del self._open[id_]
            self._seen.pop(id_, None)
        if not self._open:
            self.close()

    def close(self) -> None:
        """Stop watching."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def look(self, now: datetime | None = None) -> list[str]:
        """Refresh what is due; return the ids."""
        moment = now or datetime.now().astimezone()
        refreshed = []
        for id_ in tuple(self._open):
            try:
                if await self._is_due(id_, moment):
                    filled = await self._data.refresh(id_)
                    refreshed.append(id_)
                    self._on_refreshed(filled)
            except QHubError:
                continue  # deleted meanwhile, or the disk is busy: the next look will tell
        return refreshed

    async def _is_due(self, id_: str, now: datetime) -> bool:
        dashboard = await self._dashboards.find(id_)
        if dashboard.schedule is None or not dashboard.query_count:
            return False
        has_changed = await self._has_changed(dashboard)
        return is_due(
            dashboard.schedule, last=dashboard.refreshed, now=now, has_changed=has_changed
        )

    async def _has_changed(self, dashboard: Dashboard) -> bool:
        if not isinstance(dashboard.schedule, OnChange):
            return False
        contents = await self._dashboards.contents(dashboard.id)
        about = {each.conversation for each in contents.queries}
        state = await self._dashboards.state_of_data(about)
        before = self._seen.get(dashboard.id)
        self._seen[dashboard.id] = state
        return before != state  # also when it has just been opened

    async def _run(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)
