"""The wall: a slide show of dashboards on a full screen, and its stored preferences."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QStackedWidget, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.codec import Json
from qhub_desktop.core.dashboard import RenderedDashboard
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.settings import SettingRepository
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import ElidedLabel, add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_title, set_tooltip
from qhub_desktop.ui.controls.popup import OwnWindow
from qhub_desktop.ui.services import DashboardContext
from qhub_desktop.ui.tasks import LatestTask
from qhub_desktop.ui.theme import GRID_PX
from qhub_desktop.ui.web.locked_view import LockedView

STATE_KEY = "wall"
TIMES_S = (5, 10, 15, 30, 60, 120, 300)
ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
READABLE_PX = 540  # of a page's height: its smallest words are then read at five metres
Offered = TypeVar("Offered", int, float)


@dataclass(frozen=True, slots=True)
class WallPreferences:
    """Preferences of the wall: ids of its dashboards, seconds for each, and zoom factor."""

    hung: tuple[str, ...] = ()
    each_s: int = 30
    zoom: float = 1.0

    def slower(self, steps: int) -> "WallPreferences":
        """Return these with the time `steps` longer in the list of offered times, at most to its
        ends.
        """
        return replace(self, each_s=_step_from(TIMES_S, self.each_s, steps))

    def larger(self, steps: int) -> "WallPreferences":
        """Return these with the zoom `steps` larger in the list of offered zooms, at most to its
        ends.
        """
        return replace(self, zoom=_step_from(ZOOMS, self.zoom, steps))

    def with_hung(self, id_: str, *, is_hung: bool) -> "WallPreferences":
        """Return these with a dashboard added to or removed from the wall."""
        others = tuple(each for each in self.hung if each != id_)
        return replace(self, hung=(*others, id_) if is_hung else others)


async def read_preferences(settings: SettingRepository) -> WallPreferences:
    """Read the stored preferences; invalid values are replaced by defaults."""
    return _preferences(await settings.state(STATE_KEY))


async def change_preferences(
    settings: SettingRepository, change: Callable[[WallPreferences], WallPreferences]
) -> WallPreferences:
    """Change the stored preferences; return the new ones."""
    preferences = change(await read_preferences(settings))
    await settings.save_state(STATE_KEY, {**asdict(preferences), "hung": [*preferences.hung]})
    return preferences


def _preferences(kept: Json) -> WallPreferences:
    first = WallPreferences()
    if not isinstance(kept, dict):
        return first
    hung, each_s, zoom = kept.get("hung"), kept.get("each_s"), kept.get("zoom")
    return WallPreferences(
        tuple(str(each) for each in hung) if isinstance(hung, list) else first.hung,
        next((each for each in TIMES_S if each == each_s), first.each_s),
        next((each for each in ZOOMS if each == zoom), first.zoom),
    )


def _step_from(offered: Sequence[Offered], now: Offered, steps: int) -> Offered:
    place = offered.index(now) + steps
    return offered[min(max(place, 0), len(offered) - 1)]


class Wall(OwnWindow):
    """Full-screen slide show of dashboards.

    Escape leaves, left and right turn the page, space pauses, up and down change the time, plus
    and minus the zoom.

    Signals:
        closed: the wall was left.
    """

    closed = Signal()

    def __init__(
        self, ids: Sequence[str], context: DashboardContext, parent: QWidget | None
    ) -> None:
        super().__init__(
            parent,
            [
                ("\N{LEFTWARDS ARROW}, \N{RIGHTWARDS ARROW}", _("Turn the page")),
                (_("Space"), _("Hold the page")),
                ("\N{UPWARDS ARROW}, \N{DOWNWARDS ARROW}", _("Change the page's time")),
                ("+, \N{MINUS SIGN}", _("Change the page's size")),
            ],
        )
        set_title(self, _("Wall"))
        self.ids = list(ids)
        self._context = context
        self._filled: RenderedDashboard | None = None
        self.preferences = WallPreferences()
        self._at = 0
        self._is_paused = False
        self._sliding = LatestTask(context.tasks)
        self._stack = QStackedWidget()
        self.status_label = ElidedLabel(role="small")
        keys = make_label(_("← → page · space holds it · ↑ ↓ time · + − size"), role="small")
        self.leave_button = TextButton(_("Leave"), icon_name="close", kind="flat")
        set_tooltip(self.leave_button, _("Leave the wall (Esc)"))
        self.leave_button.clicked.connect(self.close)
        self.leave_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys go to the wall
        foot = row_of(margins=(2 * GRID_PX, 4), spacing=3 * GRID_PX)
        add_to(foot, (self.status_label, 1), keys, self.leave_button)
        column_of((self._stack, 1), foot, owner=self, spacing=0)
        for key, does in (
            (Qt.Key.Key_Escape, self.close),  # also where a page would keep it for itself
            (Qt.Key.Key_Right, lambda: self.turn_page(1)),
            (Qt.Key.Key_Left, lambda: self.turn_page(-1)),
            (Qt.Key.Key_Space, self.toggle_pause),
            (Qt.Key.Key_Up, lambda: self.change(lambda preferences: preferences.slower(1))),
            (Qt.Key.Key_Down, lambda: self.change(lambda preferences: preferences.slower(-1))),
            (Qt.Key.Key_Plus, lambda: self.change(lambda preferences: preferences.larger(1))),
            (Qt.Key.Key_Minus, lambda: self.change(lambda preferences: preferences.larger(-1))),
        ):
            QShortcut(QKeySequence(key), self).activated.connect(does)

    @property
    def visible_id(self) -> str:
        """Id of the visible dashboard."""
        return self.ids[self._at % len(self.ids)] if self.ids else ""

    @property
    def is_paused(self) -> bool:
        """Whether the slide show is paused."""
        return self._is_paused

    @property
    def view(self) -> LockedView | None:
        """View of the visible dashboard."""
        view = self._stack.currentWidget()
        return view if isinstance(view, LockedView) else None

    def start(self) -> None:
        """Go full screen and start the slide show."""
        self.showFullScreen()
        self.activateWindow()
        self._sliding.start(self._run_slides())

    def turn_page(self, step: int) -> None:
        """Go `step` pages on."""
        self._at = (self._at + step) % max(1, len(self.ids))
        self._sliding.start(self._run_slides())

    def toggle_pause(self) -> None:
        """Pause or resume the slide show."""
        self._is_paused = not self._is_paused
        self._sliding.start(self._run_slides())

    def change(self, change: Callable[[WallPreferences], WallPreferences]) -> None:
        """Change and store the preferences."""
        self._context.tasks.start(self._change(change))

    def show_refreshed(self, filled: RenderedDashboard) -> None:
        """Update a dashboard with new rows, if it is visible."""
        if filled.dashboard.id == self.visible_id:
            self._context.tasks.start(self._show(filled))

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        self._sliding.cancel()
        for place in range(self._stack.count()):
            view = self._stack.widget(place)
            if isinstance(view, LockedView):
                view.stop()
        self.closed.emit()
        super().closeEvent(event)

    async def _change(self, change: Callable[[WallPreferences], WallPreferences]) -> None:
        self.preferences = await change_preferences(self._context.settings, change)
        if not isValid(self):
            return
        if self.view is not None:
            self.view.zoom_to(self._zoom())
        self._show_status()

    async def _run_slides(self) -> None:
        self.preferences = await read_preferences(self._context.settings)
        while self.ids:
            try:
                await self._show(await self._context.data.filled(self.visible_id))
            except UserError:
                # Deleted meanwhile: continue with the others.
                self.ids.remove(self.visible_id)
                continue
            if self._is_paused or len(self.ids) == 1:
                return
            await asyncio.sleep(self.preferences.each_s)
            self._at = (self._at + 1) % len(self.ids)
        self.close()

    async def _show(self, filled: RenderedDashboard) -> None:
        """Replace the visible page by this one."""
        page = await self._context.files.page_for_wall(filled, self.preferences.each_s)
        if not isValid(self):
            return
        view = LockedView(page.document, page.data, address=filled.dashboard.url)
        view.zoom_to(self._zoom())
        before = self.view
        self._stack.addWidget(view)
        self._stack.setCurrentWidget(view)  # a hidden page does not run
        # Not after waiting: turning the page again cancels that, and a process would stay.
        if before is not None:
            self._stack.removeWidget(before)
            before.stop()
            before.deleteLater()
        await view.until_loaded()
        if not isValid(self):
            return
        self._filled = filled
        self._show_status()

    def _zoom(self) -> float:
        """Return what makes a page readable from afar: it has so many lines on any screen."""
        return max(1.0, self._stack.height() / READABLE_PX) * self.preferences.zoom

    def _show_status(self) -> None:
        filled = self._filled
        if filled is None:
            return
        words = [filled.contents.title]
        if filled.rows:
            taken = min(each.taken for each in filled.rows).astimezone().replace(second=0)
            words.append(_("data of {moment}").format(moment=moment(taken)))
        if len(self.ids) > 1:
            words.append(f"{number(self._at + 1, digits=0)}/{number(len(self.ids), digits=0)}")
            words.append(
                _("{count} s each").format(count=number(self.preferences.each_s, digits=0))
            )
        if self.preferences.zoom != 1:
            words.append(percent(self.preferences.zoom, digits=0))
        if self._is_paused:
            words.append(_("held"))
        self.status_label.setText(" · ".join([*words, *filled.problems, *filled.warnings]))
