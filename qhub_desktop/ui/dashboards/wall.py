"""Dashboards on the line's screen: one after the other, filling it, until somebody comes."""

import asyncio
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, number, percent
from qhub_desktop.tools.dashboard_data import Filled
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.dashboards.means import Means
from qhub_desktop.ui.dashboards.wall_habits import WallHabits, change_habits, read_habits
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.pages.locked_view import LockedView
from qhub_desktop.ui.theme import GRID_PX, Palette


class Wall(QWidget):
    """Shows dashboards in turn. How long and how large is remembered.

    Escape leaves, left and right turn the page, space holds it, up and down change its time, plus
    and minus its size.

    Signals:
        closed: nobody looks any more.
    """

    closed = Signal()

    def __init__(
        self,
        ids: Sequence[str],
        means: Means,
        palette: Palette,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Wall"))
        self.ids = list(ids)
        self._means = means
        self._palette = palette
        self._filled: Filled | None = None
        self.habits = WallHabits()
        self._at = 0
        self._is_held = False
        self._turning: asyncio.Task[None] | None = None
        self._stack = QStackedWidget()
        self.said = ElidedLabel(role="small")
        keys = ElidedLabel(
            _(
                "Left and right turn the page · space holds it · up and down change its time ·"
                " + and − its size"
            ),
            role="small",
        )
        self.leave = WordButton(_("Leave"), palette, icon_name="close", kind="flat")
        self.leave.setToolTip(_("Leave the wall (Esc)"))
        self.leave.clicked.connect(self.close)
        self.leave.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys are the wall's
        foot = QHBoxLayout()
        foot.setContentsMargins(2 * GRID_PX, 4, 2 * GRID_PX, 4)
        foot.setSpacing(3 * GRID_PX)
        foot.addWidget(self.said, 1)
        foot.addWidget(keys, 1)
        foot.addWidget(self.leave)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)
        column.addLayout(foot)
        for key, does in (
            (Qt.Key.Key_Escape, self.close),
            (Qt.Key.Key_Right, lambda: self.turn(1)),
            (Qt.Key.Key_Left, lambda: self.turn(-1)),
            (Qt.Key.Key_Space, self.hold),
            (Qt.Key.Key_Up, lambda: self.change(lambda habits: habits.slower(1))),
            (Qt.Key.Key_Down, lambda: self.change(lambda habits: habits.slower(-1))),
            (Qt.Key.Key_Plus, lambda: self.change(lambda habits: habits.larger(1))),
            (Qt.Key.Key_Minus, lambda: self.change(lambda habits: habits.larger(-1))),
        ):
            QShortcut(QKeySequence(key), self).activated.connect(does)

    @property
    def shown(self) -> str:
        """The id of the one that is seen."""
        return self.ids[self._at % len(self.ids)] if self.ids else ""

    @property
    def is_held(self) -> bool:
        """Whether the page stays."""
        return self._is_held

    @property
    def view(self) -> LockedView | None:
        """The page that is seen."""
        view = self._stack.currentWidget()
        return view if isinstance(view, LockedView) else None

    def begin(self) -> None:
        """Fill the screen, and go from one to the next."""
        self.showFullScreen()
        self.activateWindow()
        self._turning = self._means.tasks.start(self._go_round())

    def turn(self, step: int) -> None:
        """So many pages on."""
        self._at = (self._at + step) % max(1, len(self.ids))
        self._restart()

    def hold(self) -> None:
        """Stay on this page, or go on."""
        self._is_held = not self._is_held
        self._restart()

    def change(self, change: Callable[[WallHabits], WallHabits]) -> None:
        """Another time for each page, or another size."""
        self._means.tasks.start(self._change(change))

    def show_refreshed(self, filled: Filled) -> None:
        """One of them has new rows."""
        if filled.dashboard.id == self.shown:
            self._means.tasks.start(self._show(filled))

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        self.leave.set_palette(palette)
        if self.view is not None:
            self.view.set_palette(palette)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self._turning is not None:
            self._turning.cancel()
        for place in range(self._stack.count()):
            view = self._stack.widget(place)
            if isinstance(view, LockedView):
                view.stop()
        self.closed.emit()
        super().closeEvent(event)

    def _restart(self) -> None:
        if self._turning is not None:
            self._turning.cancel()
        self._turning = self._means.tasks.start(self._go_round())

    async def _change(self, change: Callable[[WallHabits], WallHabits]) -> None:
        self.habits = await change_habits(self._means.store, change)
        if not isValid(self):
            return
        if self.view is not None:
            self.view.zoom_to(self.habits.zoom)
        self._say()

    async def _go_round(self) -> None:
        self.habits = await read_habits(self._means.store)
        while self.ids:
            try:
                await self._show(await self._means.data.filled(self.shown))
            except UserError:
                # Deleted meanwhile: the others go on.
                self.ids.remove(self.shown)
                continue
            if self._is_held or len(self.ids) == 1:
                return
            await asyncio.sleep(self.habits.each_s)
            self._at = (self._at + 1) % len(self.ids)
        self.close()

    async def _show(self, filled: Filled) -> None:
        """Put a page up in place of the one before."""
        page = await self._means.files.page(filled)
        if not isValid(self):
            return
        view = LockedView(
            page.document, page.data, palette=self._palette, address=filled.dashboard.url
        )
        view.zoom_to(self.habits.zoom)
        self._stack.addWidget(view)
        before = self._stack.currentWidget()
        self._stack.setCurrentWidget(view)  # one that is not shown does not run
        await view.until_loaded()
        if not isValid(self):
            return
        if before is not None and before is not view:
            self._stack.removeWidget(before)
            if isinstance(before, LockedView):
                before.stop()
            before.deleteLater()
        self._filled = filled
        self._say()

    def _say(self) -> None:
        filled = self._filled
        if filled is None:
            return
        words = [filled.contents.title]
        if filled.rows:
            taken = min(each.taken for each in filled.rows).astimezone().replace(second=0)
            words.append(_("data of {moment}").format(moment=moment(taken)))
        if len(self.ids) > 1:
            words.append(f"{number(self._at + 1, digits=0)}/{number(len(self.ids), digits=0)}")
            words.append(_("{count} s each").format(count=number(self.habits.each_s, digits=0)))
        if self.habits.zoom != 1:
            words.append(percent(self.habits.zoom, digits=0))
        if self._is_held:
            words.append(_("held"))
        self.said.setText(" · ".join([*words, *filled.problems]))
