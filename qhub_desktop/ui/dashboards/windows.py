"""The windows of dashboards: which are open, and the way of a widget onto one of them."""

from __future__ import annotations  # pages load the web engine: not before one is wanted

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from qhub_desktop.core.dashboard import Contents
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import Widget
from qhub_desktop.tools.dashboard_cards import title_of, with_card
from qhub_desktop.tools.dashboard_data import Filled
from qhub_desktop.tools.dashboard_schedule import DashboardSchedule
from qhub_desktop.ui.banner import Banner, Remedy
from qhub_desktop.ui.dashboards.means import Means
from qhub_desktop.ui.desk import Desk
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette

if TYPE_CHECKING:
    from qhub_desktop.ui.dashboards.list_window import ListWindow
    from qhub_desktop.ui.dashboards.page_window import PageWindow
    from qhub_desktop.ui.dashboards.wall import Wall

OFFERED = 12  # dashboards, to pin to


class DashboardWindows(QObject):
    """Opens the list, dashboards and the wall, each once, and keeps them up to date."""

    def __init__(
        self,
        desk: Desk,
        *,
        tasks: Tasks,
        banner: Callable[[], Banner],
        palette: Palette,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._banner = banner
        self._palette = palette
        self._parent = parent
        data = desk.dashboards()
        self.schedule = DashboardSchedule(desk.store, data, self._on_refreshed)
        self._means = Means(
            store=desk.store,
            data=data,
            files=desk.dashboard_files(),
            viewer=desk.viewer(),
            tasks=tasks,
        )
        self.list: ListWindow | None = None
        self.wall: Wall | None = None
        self.pages: dict[str, PageWindow] = {}

    def open_list(self) -> ListWindow:
        """Show every dashboard, or bring the list to the front."""
        from qhub_desktop.ui.dashboards.list_window import ListWindow

        if self.list is None:
            self.list = ListWindow(self._means, self._palette, self._parent)
            self.list.opened.connect(self.open)
            self.list.wall_wanted.connect(self.open_wall)
            self.list.gone.connect(self._on_gone)
            self.list.destroyed.connect(self._forget_list)
        self.list.show()
        _to_front(self.list)
        self._tasks.start(self.list.refresh())
        return self.list

    def open(self, id_: str) -> None:
        """Show one dashboard, or bring it to the front."""
        if id_ in self.pages:
            _to_front(self.pages[id_])
            return
        self._tasks.start(self._open(id_))

    def open_wall(self, ids: Sequence[str]) -> Wall:
        """Let these fill the screen in turn."""
        from qhub_desktop.ui.dashboards.wall import Wall

        if self.wall is not None:
            self.wall.close()
        wall = Wall(ids, self._means, self._palette, self._parent)
        for id_ in ids:
            self.schedule.opened(id_)
        wall.closed.connect(lambda: self._on_wall_closed(ids))
        self.wall = wall
        wall.begin()
        return wall

    def offer_pin(self, widget: Widget, conversation: str, place: QPoint | None = None) -> None:
        """Ask which dashboard a widget is to stand on."""
        self._tasks.start(self._offer_pin(widget, conversation, place or QCursor.pos()))

    def keep(self, contents: Contents, conversation: str) -> None:
        """Make a dashboard of something that a conversation has drawn, and say so."""
        self._tasks.start(self._keep(contents, conversation))

    async def pin(self, widget: Widget, conversation: str, to: str = "") -> str:
        """Put a widget on a dashboard, or on a new one; its id. Raises UserError."""
        table, author = self._means.store.dashboards, self._means.viewer.name
        if to:
            contents = with_card(await table.contents(to), widget, conversation)
            await table.change(to, contents, author=author)
        else:
            contents = with_card(Contents(title_of(widget)), widget, conversation)
            to = await self._made(contents, conversation)
        filled = await self._means.data.refresh(to)
        self._on_refreshed(filled)
        self._banner().note(
            _("Pinned to {title}.").format(title=filled.contents.title),
            Remedy(_("Open dashboard"), lambda: self.open(to)),
        )
        return to

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        for window in (self.list, self.wall, *self.pages.values()):
            if window is not None:
                window.set_palette(palette)

    def close(self) -> None:
        """Close every window, and look after none any more."""
        self.schedule.close()
        for window in (self.wall, *tuple(self.pages.values()), self.list):
            if window is not None:
                window.close()

    async def _keep(self, contents: Contents, conversation: str) -> None:
        made = await self._made(contents, conversation)
        self._on_changed()
        self._banner().note(
            _("Kept as the dashboard {title}.").format(title=contents.title),
            Remedy(_("Open dashboard"), lambda: self.open(made)),
        )

    async def _made(self, contents: Contents, conversation: str) -> str:
        """The id of a new dashboard."""
        agent = (await self._means.store.conversation(conversation)).agent
        made = await self._means.store.dashboards.create(
            contents, author=self._means.viewer.name, agent=agent, conversation=conversation
        )
        return made.id

    async def _open(self, id_: str) -> None:
        from qhub_desktop.ui.dashboards.page_window import PageWindow

        await self._means.store.dashboards.find(id_)
        if id_ in self.pages:
            return
        window = PageWindow(id_, self._means, self._palette, self._parent)
        self.pages[id_] = window
        window.closed.connect(self._on_page_closed)
        window.changed.connect(self._on_changed)
        window.wall_wanted.connect(lambda wanted: self.open_wall([wanted]))
        window.show()
        await window.open()
        self.schedule.opened(id_)

    async def _offer_pin(self, widget: Widget, conversation: str, place: QPoint) -> None:
        found = await self._means.store.dashboards.listed(viewer=self._means.viewer, limit=OFFERED)
        menu = QMenu(self._parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        quiet = self._palette.quiet
        menu.addAction(icon("plus", quiet, size_px=18), _("New dashboard")).triggered.connect(
            lambda: self._tasks.start(self.pin(widget, conversation))
        )
        if found:
            menu.addSeparator()
        for each in found:
            action = menu.addAction(icon("chart", quiet, size_px=18), each.title)
            action.triggered.connect(
                lambda _on=False, id_=each.id: self._tasks.start(
                    self.pin(widget, conversation, id_)
                )
            )
        menu.popup(place)

    def _on_refreshed(self, filled: Filled) -> None:
        id_ = filled.dashboard.id
        if id_ in self.pages:
            self._tasks.start(self.pages[id_].show_filled(filled))
        if self.wall is not None:
            self.wall.show_refreshed(filled)
        self._on_changed()

    def _on_changed(self) -> None:
        if self.list is not None:
            self._tasks.start(self.list.refresh())

    def _on_page_closed(self, id_: str) -> None:
        if self.pages.pop(id_, None) is not None:
            self.schedule.closed(id_)

    def _on_gone(self, id_: str) -> None:
        if id_ in self.pages:
            self.pages[id_].close()

    def _on_wall_closed(self, ids: Sequence[str]) -> None:
        self.wall = None
        for id_ in ids:
            self.schedule.closed(id_)

    def _forget_list(self) -> None:
        self.list = None


def _to_front(window: QWidget) -> None:
    window.raise_()
    window.activateWindow()
