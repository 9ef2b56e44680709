"""What the windows of dashboards work with."""

from dataclasses import dataclass

from qhub_desktop.core.dashboard import (
    DailyAt,
    EveryMinutes,
    OnChange,
    Schedule,
    Viewer,
    Visibility,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.store.store import Store
from qhub_desktop.tools.dashboard_data import DashboardData
from qhub_desktop.tools.dashboard_files import DashboardFiles
from qhub_desktop.ui.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Means:
    """The objects of the layers below, and who looks."""

    store: Store
    data: DashboardData
    files: DashboardFiles
    viewer: Viewer
    tasks: Tasks


def viewers_words(visibility: Visibility) -> str:
    """Who may see it, in the person's words."""
    match visibility:
        case "me":
            return _("Only me")
        case "agent":
            return _("Everyone who may use its agent")
        case "station":
            return _("Everyone at the station")


def schedule_said(schedule: Schedule) -> str:
    """When it refreshes itself, in the person's words."""
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
