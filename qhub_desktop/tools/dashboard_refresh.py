"""Refresh of dashboards: their queries run on the current data, by hand or by their schedule."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.dashboard import (
    CardNow,
    DailyAt,
    Dashboard,
    DashboardSpec,
    EveryMinutes,
    NamedQuery,
    OnChange,
    PinnedCard,
    QueryRows,
    RenderedDashboard,
    Schedule,
)
from qhub_desktop.core.errors import QHubError, ToolError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import Chart, Kpi, Study, TableView, Widget
from qhub_desktop.core.table import Table
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.tools.conversation_datasets import ConversationDatasets
from qhub_desktop.tools.render import CHART_ROWS, TABLE_ROWS, single

if TYPE_CHECKING:
    from qhub_desktop.store.dashboards import DashboardRepository

QUERY_ROWS = 10_000  # rows per query; a page contains all of them
LOOK_S = 10.0  # between two looks for what is due
_NO_ROWS = Table((), ())


class DashboardQueries:
    """Runner of dashboard queries, without a model. Owns the thread it draws on until closed."""

    def __init__(
        self, dashboards: DashboardRepository, conversation_datasets: ConversationDatasets
    ) -> None:
        self._dashboards = dashboards
        self._datasets = conversation_datasets
        self._drawing = Worker("dashboards")

    def close(self) -> None:
        """Shut down the thread."""
        self._drawing.close()

    async def first_rows(self, contents: DashboardSpec, context: ToolContext) -> list[QueryRows]:
        """Run every query of a new dashboard, and return their rows.

        Raises ToolError with the name of the first query that fails.
        """
        found = []
        for query in contents.queries:
            try:
                found.append(await self._run(contents, query, context))
            except QHubError as error:
                raise ToolError(f"A consulta '{query.name}' não corre: {error}") from error
        return found

    async def refresh(self, id_: str) -> RenderedDashboard:
        """Run every query on the current data, store the rows, and return the dashboard.

        A query that fails keeps its previous rows, with the error. Raises UserError for an unknown
        id.
        """
        contents = await self._dashboards.contents(id_)
        before = {each.name: each for each in await self._dashboards.rows(id_)}
        self._datasets.log_changed()  # another program may have added to it
        contexts: dict[str, ToolContext] = {}
        found = []
        for query in contents.queries:
            if query.conversation not in contexts:
                profiles = await self._datasets.profiles(query.conversation)
                contexts[query.conversation] = ToolContext(query.conversation, profiles)
            try:
                found.append(await self._run(contents, query, contexts[query.conversation]))
            except QHubError as error:
                found.append(_failed(query, error, before))
        await self._dashboards.keep_rows(id_, found)
        return await self.filled(id_)

    async def filled(self, id_: str) -> RenderedDashboard:
        """Return a dashboard with its stored rows, without running any query.

        Raises UserError for an unknown id.
        """
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
        self, contents: DashboardSpec, query: NamedQuery, context: ToolContext
    ) -> QueryRows:
        limit, is_whole = _limit(contents.cards, query.name)
        found = await self._datasets.query(context, query.sql, limit=limit)
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
        case Study():  # pinned as it was: a method is no query
            return CHART_ROWS, True
        case None:
            return QUERY_ROWS, True


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
        case Study() as study:
            return replace(study, title=card.title)
        case Kpi(value=before) as kpi:
            value = single(rows.table, rows.source)
            if value == before:
                return replace(kpi, title=card.title)
            # Trend and verdict belong to the number at the time of pinning.
            return replace(
                kpi,
                title=card.title,
                value=value,
                change=None,
                standing="neutral",
                source=rows.source,
            )


Listener = Callable[[RenderedDashboard], None]


def is_due(schedule: Schedule, *, last: datetime | None, now: datetime, has_changed: bool) -> bool:
    """Return whether a refresh is due.

    `last` is when the queries last ran, `has_changed` whether the data has changed since.
    """
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
    """Scheduler that refreshes the open dashboards when they are due, until closed.

    `on_refreshed` is called with each refreshed dashboard. One that fails shows its error on the
    page, and is refreshed again when next due.
    """

    def __init__(
        self, dashboards: DashboardRepository, data: DashboardQueries, on_refreshed: Listener
    ) -> None:
        self._dashboards = dashboards
        self._data = data
        self._on_refreshed = on_refreshed
        self._open: Counter[str] = Counter()
        self._seen: dict[str, str] = {}  # the state of their data when they were last refreshed
        self._running: asyncio.Task[None] | None = None

    def opened(self, id_: str) -> None:
        """Count one more open window of a dashboard."""
        self._open[id_] += 1
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())

    def closed(self, id_: str) -> None:
        """Count one open window less of a dashboard."""
        self._open[id_] -= 1
        if self._open[id_] <= 0:
            del self._open[id_]
            self._seen.pop(id_, None)
        if not self._open:
            self.close()

    def close(self) -> None:
        """Stop the scheduler."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def look(self, now: datetime | None = None) -> list[str]:
        """Refresh the dashboards that are due, and return their ids."""
        moment = now or datetime.now().astimezone()
        refreshed = []
        for id_ in tuple(self._open):
            try:
                dashboard = await self._dashboards.find(id_)
                state = await self._state_of_data(dashboard)
                if self._is_due(dashboard, moment, state):
                    filled = await self._data.refresh(id_)
                    if id_ in self._open:  # else it was closed meanwhile
                        self._seen[id_] = state
                    refreshed.append(id_)
                    self._on_refreshed(filled)
            except QHubError:
                continue  # deleted meanwhile, or the disk is busy: the next look will tell
        return refreshed

    def _is_due(self, dashboard: Dashboard, now: datetime, state: str) -> bool:
        if not dashboard.query_count:
            return False
        has_changed = self._seen.get(dashboard.id) != state  # also when it has just been opened
        return is_due(
            dashboard.schedule, last=dashboard.refreshed, now=now, has_changed=has_changed
        )

    async def _state_of_data(self, dashboard: Dashboard) -> str:
        """Return a token that changes with the data; empty where the schedule asks for none."""
        if not isinstance(dashboard.schedule, OnChange):
            return ""
        contents = await self._dashboards.contents(dashboard.id)
        return await self._dashboards.state_of_data(
            {each.conversation for each in contents.queries}
        )

    async def _run(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)
