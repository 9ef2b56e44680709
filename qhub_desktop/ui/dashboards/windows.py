"""Dashboard windows: opening and updating them, the list, and pinning a widget."""

from __future__ import annotations  # pages load the web engine: not before one is shown

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QCursor, QMouseEvent, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QInputDialog,
    QMenu,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dashboard import (
    Dashboard,
    DashboardSpec,
    RenderedDashboard,
    Visibility,
    may_see,
    not_shown,
    visibility_text,
    with_card,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.result_widgets import Widget, title_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.tools.dashboard_refresh import DashboardSchedule
from qhub_desktop.ui.controls.buttons import IconButton, TextButton, icon, pixmap
from qhub_desktop.ui.controls.layouts import (
    ElidedLabel,
    FlowLayout,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.notices import Banner, Remedy, Toast
from qhub_desktop.ui.controls.plain_text import (
    add_action,
    captioned,
    entered,
    one_line,
    set_title,
    set_tooltip,
)
from qhub_desktop.ui.controls.popup import OwnWindow, SearchBox, fit_screen, make_menu
from qhub_desktop.ui.dashboards.dashboard_window import THUMBNAIL, VISIBILITIES
from qhub_desktop.ui.dashboards.wall import WallPreferences, change_preferences, read_preferences
from qhub_desktop.ui.services import DashboardContext
from qhub_desktop.ui.tasks import LatestTask
from qhub_desktop.ui.theme import GRID_PX, theme

if TYPE_CHECKING:
    from qhub_desktop.ui.dashboards.dashboard_window import DashboardWindow, OpenForm
    from qhub_desktop.ui.dashboards.new_dashboard import NewDashboardWindow, OfferedCard
    from qhub_desktop.ui.dashboards.wall import Wall

MAX_MENU_DASHBOARDS = 12  # dashboards in the menu of the pin button


class DashboardWindows(QObject):
    """Opens list, dashboards and wall, each in one window, and keeps them up to date.

    `open_form` opens the form that a card was made by.
    """

    def __init__(
        self,
        context: DashboardContext,
        *,
        banner: Callable[[], Banner],
        open_form: OpenForm,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._open_form = open_form
        self._context = context
        self._tasks = context.tasks
        self._banner = banner
        self._parent = parent
        self.schedule = DashboardSchedule(context.dashboards, context.data, self._on_refreshed)
        self.list: ListWindow | None = None
        self.wall: Wall | None = None
        self.open_windows: dict[str, DashboardWindow] = {}

    def open_list(self) -> ListWindow:
        """Open the list of dashboards, or raise it."""
        if self.list is None:
            self.list = ListWindow(self._context, self._parent)
            self.list.opened.connect(self.open)
            self.list.new_requested.connect(self.open_new)
            self.list.wall_requested.connect(self.open_wall)
            self.list.deleted.connect(self._on_deleted)
            self.list.destroyed.connect(self._forget_list)
        self.list.show()
        _bring_to_front(self.list)
        self._tasks.start(self.list.refresh())
        return self.list

    def open(self, id_: str) -> None:
        """Open a dashboard, or raise its window."""
        if id_ in self.open_windows:
            _bring_to_front(self.open_windows[id_])
            return
        self._tasks.start(self._open(id_))

    def open_new(self) -> NewDashboardWindow:
        """Open the form of a new dashboard."""
        from qhub_desktop.ui.dashboards.new_dashboard import NewDashboardWindow

        window = NewDashboardWindow(self._context, self.list or self._parent)
        window.submitted.connect(lambda title, cards: self._tasks.start(self._make(title, cards)))
        window.show()
        return window

    def open_wall(self, ids: Sequence[str]) -> Wall:
        """Open the wall with these dashboards."""
        from qhub_desktop.ui.dashboards.wall import Wall

        if self.wall is not None:
            self.wall.close()
        wall = Wall(ids, self._context, self._parent)
        for id_ in ids:
            self.schedule.opened(id_)
        wall.closed.connect(lambda: self._on_wall_closed(ids))
        self.wall = wall
        wall.start()
        return wall

    def offer_pin(
        self, widget: Widget, conversation: ConversationId, plan: JsonObject | None
    ) -> None:
        """Show the menu of dashboards to pin a widget to, with the plan of its question."""
        pin = partial(self.pin, widget, conversation, plan=plan)
        self._tasks.start(self._offer_pin(pin, QCursor.pos()))

    def save_as_dashboard(self, contents: DashboardSpec, conversation: ConversationId) -> None:
        """Store contents drawn in a conversation as a new dashboard, and notify the person."""
        self._tasks.start(self._save_as_dashboard(contents, conversation))

    async def pin(
        self,
        widget: Widget,
        conversation: ConversationId,
        to: str = "",
        *,
        plan: JsonObject | None = None,
    ) -> str:
        """Pin a widget to a dashboard or a new one; return its id. Raises UserError if it is
        gone.
        """
        dashboards, author = self._context.dashboards, self._context.viewer.name
        if to:
            contents = with_card(await dashboards.contents(to), widget, conversation, plan)
            await dashboards.change(to, contents, author=author)
        else:
            contents = with_card(DashboardSpec(title_of(widget)), widget, conversation, plan)
            to = await self._create(contents, conversation)
        filled = await self._context.data.refresh(to)
        self._on_refreshed(filled)
        self._banner().toast.tell(
            _("Pinned to {title}.").format(title=filled.contents.title),
            Remedy(_("Open dashboard"), lambda: self.open(to)),
        )
        return to

    def close(self) -> None:
        """Close every window and the refresh schedule."""
        self.schedule.close()
        for window in (self.wall, *tuple(self.open_windows.values()), self.list):
            if window is not None:
                window.close()

    async def _save_as_dashboard(
        self, contents: DashboardSpec, conversation: ConversationId
    ) -> None:
        made = await self._create(contents, conversation)
        self._on_changed()
        self._banner().toast.tell(
            _("Kept as the dashboard {title}.").format(title=contents.title),
            Remedy(_("Open dashboard"), lambda: self.open(made)),
        )

    async def _make(self, title: str, cards: Sequence[OfferedCard]) -> None:
        """Store a dashboard of these cards, and open it ready to be arranged."""
        contents = DashboardSpec(title)
        for each in cards:
            contents = with_card(contents, each.widget, each.conversation, each.plan)
        made = await self._create(contents, cards[0].conversation)
        self._on_refreshed(await self._context.data.refresh(made))
        await self._open(made)
        if made in self.open_windows:
            self.open_windows[made].arrange_button.setChecked(True)

    async def _create(self, contents: DashboardSpec, conversation: ConversationId) -> str:
        """Store a new dashboard and return its id."""
        agent = (await self._context.conversations.find(conversation)).agent
        made = await self._context.dashboards.create(
            contents, author=self._context.viewer.name, agent=agent, conversation=conversation
        )
        return made.id

    async def _open(self, id_: str) -> None:
        from qhub_desktop.ui.dashboards.dashboard_window import DashboardWindow

        found, viewer = await self._context.dashboards.find(id_), self._context.viewer
        # A link to it may come from a file; where nobody signs in, everything is one person's.
        if viewer.agents is not None and not may_see(found, viewer):
            raise UserError(not_shown())
        if id_ in self.open_windows:
            return
        window = DashboardWindow(id_, self._context, self._parent, open_form=self._open_form)
        self.open_windows[id_] = window
        window.closed.connect(self._on_window_closed)
        window.changed.connect(self._on_changed)
        window.wall_requested.connect(lambda wanted: self.open_wall([wanted]))
        window.show()
        await window.open()
        if self.open_windows.get(id_) is window:  # not closed meanwhile
            self.schedule.opened(id_)

    async def _offer_pin(self, pin: Callable[..., Coroutine[Any, Any, str]], place: QPoint) -> None:
        found = await self._context.dashboards.listed(
            viewer=self._context.viewer, limit=MAX_MENU_DASHBOARDS
        )
        menu = make_menu(self._parent)
        quiet = theme().palette.quiet
        add_action(
            menu,
            _("New dashboard"),
            lambda: self._tasks.start(pin()),
            picture=icon("plus", quiet, size_px=18),
        )
        if found:
            menu.addSeparator()
        for each in found:
            add_action(
                menu,
                each.title,
                lambda _on=False, id_=each.id: self._tasks.start(pin(id_)),
                picture=icon("chart", quiet, size_px=18),
            )
        menu.popup(place)

    def _on_refreshed(self, filled: RenderedDashboard) -> None:
        id_ = filled.dashboard.id
        if id_ in self.open_windows:
            self._tasks.start(self.open_windows[id_].show_dashboard(filled))
        if self.wall is not None:
            self.wall.show_refreshed(filled)
        self._on_changed()

    def _on_changed(self) -> None:
        if self.list is not None:
            self._tasks.start(self.list.refresh())

    def _on_window_closed(self, id_: str) -> None:
        if self.open_windows.pop(id_, None) is not None:
            self.schedule.closed(id_)

    def _on_deleted(self, id_: str) -> None:
        if id_ in self.open_windows:
            self.open_windows[id_].close()

    def _on_wall_closed(self, ids: Sequence[str]) -> None:
        self.wall = None
        for id_ in ids:
            self.schedule.closed(id_)

    def _forget_list(self) -> None:
        self.list = None


def _bring_to_front(window: QWidget) -> None:
    window.raise_()
    window.activateWindow()


DASHBOARD_LIST_SIZE = QSize(1080, 720)
DEBOUNCE_S = 0.15  # without a key press, before a search starts


class ListWindow(OwnWindow):
    """List of dashboards, to find, open, rename and delete them.

    Signals:
        opened: id of the dashboard to open.
        new_requested: the form of a new one is wanted.
        wall_requested: ids of the dashboards for the wall.
        deleted: id of a deleted dashboard.
    """

    opened = Signal(str)
    new_requested = Signal()
    wall_requested = Signal(list)
    deleted = Signal(str)

    def __init__(self, context: DashboardContext, parent: QWidget | None) -> None:
        super().__init__(parent)
        set_title(self, _("Dashboards"))
        self._context = context
        self._searching = LatestTask(context.tasks)
        self.tiles: list[DashboardTile] = []
        self.search = SearchBox(_("Search the dashboards"))
        self.search.textChanged.connect(
            lambda: self._searching.start_after(DEBOUNCE_S, self.refresh)
        )
        self.new_button = TextButton(_("New dashboard"), icon_name="plus", kind="primary")
        self.new_button.clicked.connect(self.new_requested)
        self.wall_button = TextButton(_("Wall"), icon_name="full-screen")
        set_tooltip(
            self.wall_button, _("The ticked ones in turn on the whole screen; all, if none is")
        )
        self.wall_button.clicked.connect(self._on_wall_clicked)
        self.empty_label = make_label(role="quiet", is_wrapped=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.toast = Toast(self)
        self._build()
        fit_screen(self, DASHBOARD_LIST_SIZE)

    async def refresh(self) -> None:
        """Reload the list."""
        dashboards, words = self._context.dashboards, self.search.text()
        found = await dashboards.listed(viewer=self._context.viewer, search=words)
        pictures = [await dashboards.thumbnail(each.id) for each in found]
        hung = (await read_preferences(self._context.settings)).hung
        if not isValid(self):
            return
        self._clear()
        for dashboard, picture in zip(found, pictures, strict=True):
            tile = DashboardTile(dashboard, picture, is_hung=dashboard.id in hung)
            tile.opened.connect(self.opened)
            tile.menu_requested.connect(self._on_menu_requested)
            tile.wall_toggled.connect(self._on_wall_toggled)
            self.tiles.append(tile)
            self._flow.addWidget(tile)
        self.empty_label.setVisible(not found)
        self.empty_label.setText(
            _("No dashboard has these words.")
            if words.strip()
            else _(
                "No dashboards yet. Make one of the cards of recent answers, ask for one in a"
                " conversation, or pin a chart, a table or an indicator with the pin on its card."
            )
        )
        self.wall_button.setEnabled(bool(found))

    def menu_for(self, dashboard: Dashboard) -> QMenu:
        """Return the menu of a dashboard."""
        palette = theme().palette
        menu = make_menu(self)
        for name, words, does in (
            ("enlarge", _("Open"), lambda: self.opened.emit(dashboard.id)),
            ("full-screen", _("Wall"), lambda: self.wall_requested.emit([dashboard.id])),
            ("pencil", _("Rename"), lambda: self.open_rename_dialog(dashboard)),
            ("copy", _("Duplicate"), lambda: self._context.tasks.start(self._duplicate(dashboard))),
        ):
            add_action(menu, words, does, picture=icon(name, palette.quiet, size_px=18))
        viewers = menu.addMenu(icon("eye", palette.quiet, size_px=18), _("Who sees it"))
        for each in VISIBILITIES:
            action = add_action(
                viewers,
                visibility_text(each),
                lambda _on=False, each=each: self._context.tasks.start(
                    self._show_to(dashboard, each)
                ),
            )
            action.setCheckable(True)
            action.setChecked(each == dashboard.visibility)
        menu.addSeparator()
        trash = icon("trash", palette.quiet, size_px=18)
        add_action(
            menu,
            _("Delete"),
            lambda: self._context.tasks.start(self.delete(dashboard)),
            picture=trash,
        )
        return menu

    def open_rename_dialog(self, dashboard: Dashboard) -> QInputDialog:
        """Open a non-blocking dialog for a new title, and return it."""
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_title(dialog, _("Rename"))
        dialog.setLabelText(_("Name of the dashboard"))
        dialog.setTextValue(one_line(dashboard.title))
        dialog.textValueSelected.connect(
            lambda typed: self._context.tasks.start(
                self._rename(dashboard, entered(typed, dashboard.title))
            )
        )
        dialog.open()
        return dialog

    async def delete(self, dashboard: Dashboard) -> None:
        """Delete a dashboard, and offer to undo it."""
        await self._context.dashboards.set_deleted(dashboard.id, is_deleted=True)
        self.deleted.emit(dashboard.id)
        await self.refresh()
        self.toast.offer_undo(
            _("Dashboard deleted: {title}").format(title=dashboard.title),
            lambda: self._context.tasks.start(self._undelete(dashboard.id)),
        )

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        self._searching.cancel()
        super().closeEvent(event)

    def _build(self) -> None:
        bar = row_of((self.search, 1), self.wall_button, self.new_button)
        inside = QWidget()
        self._flow = FlowLayout(spacing_px=2 * GRID_PX)
        inside.setLayout(self._flow)
        parts = (bar, self.empty_label, (scrolled(inside), 1))
        column_of(*parts, owner=self, margins=2 * GRID_PX, spacing=2 * GRID_PX)

    def _clear(self) -> None:
        for tile in self.tiles:
            self._flow.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        self.tiles = []

    async def _rename(self, dashboard: Dashboard, title: str) -> None:
        dashboards = self._context.dashboards
        contents = replace(await dashboards.contents(dashboard.id), title=title)
        await dashboards.change(dashboard.id, contents, author=self._context.viewer.name)
        await self.refresh()

    async def _duplicate(self, dashboard: Dashboard) -> None:
        title = _("{title} (copy)").format(title=dashboard.title)
        viewer = self._context.viewer.name
        await self._context.dashboards.duplicate(dashboard.id, title, author=viewer)
        await self.refresh()

    async def _undelete(self, id_: str) -> None:
        await self._context.dashboards.set_deleted(id_, is_deleted=False)
        await self.refresh()

    async def _show_to(self, dashboard: Dashboard, visibility: Visibility) -> None:
        await self._context.dashboards.show_to(dashboard.id, visibility)
        await self.refresh()

    def _on_wall_toggled(self, id_: str, is_hung: bool) -> None:  # noqa: FBT001  Qt's signal
        change = partial(WallPreferences.with_hung, id_=id_, is_hung=is_hung)
        self._context.tasks.start(change_preferences(self._context.settings, change))

    def _on_wall_clicked(self) -> None:
        hung = [tile.dashboard.id for tile in self.tiles if tile.wall_box.isChecked()]
        self.wall_requested.emit(hung or [tile.dashboard.id for tile in self.tiles])

    def _on_menu_requested(self, dashboard: Dashboard, place: QPoint) -> None:
        self.menu_for(dashboard).popup(place)


class DashboardTile(QFrame):
    """Tile of a dashboard in the list: thumbnail and title.

    Signals:
        opened: id of the dashboard.
        menu_requested: the dashboard, and the global position for its menu.
        wall_toggled: its id, and whether it is on the wall.
    """

    opened = Signal(str)
    menu_requested = Signal(object, QPoint)
    wall_toggled = Signal(str, bool)

    def __init__(self, dashboard: Dashboard, picture: bytes | None, *, is_hung: bool) -> None:
        super().__init__()
        self.dashboard = dashboard
        self.setProperty("kind", "card")
        self.setAccessibleName(dashboard.title)
        self._thumbnail_label = make_label()
        self._thumbnail_label.setFixedSize(THUMBNAIL)
        self._thumbnail_label.setAlignment(
            Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        )
        self._thumbnail = QPixmap()
        if picture:
            self._thumbnail.loadFromData(picture, "PNG")
        self.open_button = TextButton(_("Open"), kind="primary")
        self.open_button.setAccessibleName(_("Open {title}").format(title=dashboard.title))
        self.open_button.clicked.connect(lambda: self.opened.emit(dashboard.id))
        self.more_button = IconButton(
            "more", _("Actions for {title}").format(title=dashboard.title)
        )
        self.more_button.clicked.connect(self._on_more_clicked)
        self.wall_box = captioned(QCheckBox(), _("On the wall"))
        self.wall_box.setChecked(is_hung)
        self.wall_box.toggled.connect(lambda on: self.wall_toggled.emit(dashboard.id, on))
        self._build()
        theme().register(self._restyle)

    def _restyle(self) -> None:
        if self._thumbnail.isNull():
            ratio = self.devicePixelRatioF()
            self._thumbnail_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._thumbnail_label.setPixmap(
                pixmap("chart", theme().palette.quiet, size_px=48, ratio=ratio)
            )
        else:
            self._thumbnail_label.setPixmap(self._thumbnail)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit(self.dashboard.id)
        super().mouseReleaseEvent(event)

    def _build(self) -> None:
        title = ElidedLabel(self.dashboard.title, role="heading")
        facts = ElidedLabel(
            " · ".join(
                filter(
                    None,
                    (
                        moment(self.dashboard.updated.astimezone().replace(second=0)),
                        self.dashboard.author,
                        visibility_text(self.dashboard.visibility),
                    ),
                )
            ),
            role="small",
        )
        doing = row_of(self.open_button, (self.wall_box, 1), self.more_button, spacing=None)
        column_of(
            self._thumbnail_label,
            title,
            facts,
            doing,
            owner=self,
            margins=GRID_PX,
            spacing=GRID_PX // 2,
        )
        self.setFixedWidth(THUMBNAIL.width() + 2 * GRID_PX + 2)

    def _on_more_clicked(self) -> None:
        below = self.more_button.mapToGlobal(QPoint(0, self.more_button.height()))
        self.menu_requested.emit(self.dashboard, below)
