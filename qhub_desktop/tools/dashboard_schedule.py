"""Schedule of dashboards: which of the open ones are due, refreshed one after the other."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Protocol

from qhub_desktop.core.dashboard import (
    DailyAt,
    Dashboard,
    DashboardSpec,
    EveryMinutes,
    OnChange,
    RenderedDashboard,
    Schedule,
)
from qhub_desktop.core.errors import QHubError

LOOK_S = 10.0  # between two looks for what is due

Listener = Callable[[RenderedDashboard], None]


class ScheduledDashboards(Protocol):
    """Store of dashboards and their schedules. Unknown ids raise UserError."""

    async def find(self, id_: str, /) -> Dashboard:
        """Find a dashboard by its id."""
        ...

    async def contents(self, id_: str, /) -> DashboardSpec:
        """Read what a dashboard holds now."""
        ...

    async def state_of_data(self, conversations: Iterable[str], /) -> str:
        """Return words that change with the data of these conversations or the defect log."""
        ...


class Refreshes(Protocol):
    """Runs the queries of a dashboard."""

    async def refresh(self, id_: str) -> RenderedDashboard:
        """Run every query on today's data. Raises UserError for an unknown id."""
        ...


def is_due(schedule: Schedule, *, last: datetime | None, now: datetime, has_changed: bool) -> bool:
    """Whether a refresh is due: `last` is when the queries ran, `has_changed` whether data did."""
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
    """Refreshes the open dashboards when they are due, until closed.

    `on_refreshed` is given each that was brought up to date. One that fails says so on its page,
    and is tried again when it is due.
    """

    def __init__(
        self, dashboards: ScheduledDashboards, data: Refreshes, on_refreshed: Listener
    ) -> None:
        self._dashboards = dashboards
        self._data = data
        self._on_refreshed = on_refreshed
        self._open: Counter[str] = Counter()
        self._seen: dict[str, str] = {}  # the state of their data when it was last looked at
        self._running: asyncio.Task[None] | None = None

    def opened(self, id_: str) -> None:
        """Count one more window that shows a dashboard."""
        self._open[id_] += 1
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())

    def closed(self, id_: str) -> None:
        """Count one window less."""
        self._open[id_] -= 1
        if self._open[id_] <= 0:
            del self._open[id_]
            self._seen.pop(id_, None)
        if not self._open:
            self.close()

    def close(self) -> None:
        """Stop refreshing."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def look(self, now: datetime | None = None) -> list[str]:
        """Refresh what is due; return the ids of those."""
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
