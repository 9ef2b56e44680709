"""Context of the dashboards' windows: what they ask of the layers below, and words they share."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from qhub_desktop.core.codec import Json
from qhub_desktop.core.dashboard import (
    DailyAt,
    EveryMinutes,
    OnChange,
    RenderedDashboard,
    Schedule,
    Viewer,
    Visibility,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.store.conversations import ConversationRepository
from qhub_desktop.store.dashboards import DashboardRepository
from qhub_desktop.store.settings import SettingRepository
from qhub_desktop.ui.tasks import Tasks


class DashboardData(Protocol):
    """Rows and cards of stored dashboards. Each method raises UserError for an unknown id."""

    async def filled(self, id_: str) -> RenderedDashboard:
        """Return a dashboard with the rows of the last refresh; nothing is run."""
        ...

    async def refresh(self, id_: str) -> RenderedDashboard:
        """Run every query on today's data, keep the rows, and return the dashboard."""
        ...


class Page(Protocol):
    """A whole document, and what it reads as `qhub.data`."""

    @property
    def document(self) -> str:
        """HTML of the page."""
        ...

    @property
    def data(self) -> Mapping[str, Json]:
        """Rows by the names of their queries."""
        ...


class DashboardFiles(Protocol):
    """Dashboards as pages, and as files."""

    async def page(self, filled: RenderedDashboard) -> Page:
        """Make the page of a dashboard."""
        ...

    async def export(self, id_: str, target: Path) -> RenderedDashboard:
        """Write a dashboard to a file, whose suffix names the format. Raises UserError."""
        ...


@dataclass(frozen=True, slots=True)
class DashboardContext:
    """What the windows of dashboards work with; `viewer` is the person who looks."""

    dashboards: DashboardRepository
    conversations: ConversationRepository
    settings: SettingRepository
    data: DashboardData
    files: DashboardFiles
    viewer: Viewer
    tasks: Tasks


def visibility_text(visibility: Visibility) -> str:
    """Say who may see a dashboard, in the person's language."""
    match visibility:
        case "me":
            return _("Only me")
        case "agent":
            return _("Everyone who may use its agent")
        case "station":
            return _("Everyone at the station")


def schedule_text(schedule: Schedule) -> str:
    """Say when a dashboard refreshes itself, in the person's language."""
    match schedule:
        case None:
            return _("Only when asked")
        case EveryMinutes(minutes):
            said = ngettext("Every {count} minute", "Every {count} minutes", minutes)
            return said.format(count=number(minutes, digits=0))
        case DailyAt(at):
            return _("Every day at {time}").format(time=f"{at:%H:%M}")
        case OnChange():
            return _("When its data changes")
