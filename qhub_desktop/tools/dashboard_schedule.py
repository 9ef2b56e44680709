"""Schedule of dashboards: refreshes the open ones that are due, one after the other."""

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
    """Store of dashboards and their schedules.

    Its methods raise UserError for an unknown id.
    """

    async def find(self, id_: str, /) -> Dashboard:
        """Find a dashboard by its id."""
        ...

    async def contents(self, id_: str, /) -> DashboardSpec:
        """Read the current contents of a dashboard."""
        ...

    async def state_of_data(self, conversations: Iterable[str], /) -> str:
        """Return a token that changes with the data of the conversations or the log."""
        ...


class Refreshes(Protocol):
    """Runner of the queries of a dashboard."""

    async def refresh(self, id_: str) -> RenderedDashboard:
        """Run every query on the current data.

        Raises UserError for an unknown id.
        """
        ...


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
        self, dashboards: ScheduledDashboards, data: Refreshes, on_refreshed: Listener
    ) -> None:
        self._dashboards = dashboards
        self._data = data
        self._on_refreshed = on_refreshed
        self._open: Counter[str] = Counter()
        self._seen: dict[str, str] = {}  # the state of their data when it was last looked at
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
