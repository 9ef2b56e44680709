"""Every dashboard that the person may see, as small pictures: to open, copy, delete, hang up."""

import asyncio
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.dashboard import Dashboard, Visibility
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.dashboards.means import Means, viewers_words
from qhub_desktop.ui.dashboards.page_window import THUMBNAIL, VISIBILITIES
from qhub_desktop.ui.dashboards.wall_habits import WallHabits, change_habits, read_habits
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.flow import Flow
from qhub_desktop.ui.icons import icon, pixmap
from qhub_desktop.ui.search_box import SearchBox
from qhub_desktop.ui.theme import GRID_PX, Painted, Palette
from qhub_desktop.ui.undo_bar import UndoBar

WANTED = QSize(1080, 720)
PAUSE_S = 0.15  # of typing, before a search begins


class ListWindow(QWidget):
    """Finds, opens and tidies up.

    Signals:
        opened: the id of one that is wanted.
        wall_wanted: the ids of those that are to fill the screen, in turn.
        gone: the id of one that was deleted.
    """

    opened = Signal(str)
    wall_wanted = Signal(list)
    gone = Signal(str)

    def __init__(self, means: Means, palette: Palette, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Dashboards"))
        self._means = means
        self._palette = palette
        self._searching: asyncio.Task[None] | None = None
        self.tiles: list[Tile] = []
        self.search = SearchBox(palette)
        self.search.setAccessibleName(_("Search the dashboards"))
        self.search.setToolTip(_("Search the dashboards"))
        self.search.textChanged.connect(self._on_text_changed)
        self.wall = WordButton(_("Wall"), palette, icon_name="full-screen")
        self.wall.setToolTip(_("The ticked ones in turn on the whole screen; all, if none is"))
        self.wall.clicked.connect(self._on_wall_clicked)
        self.empty = QLabel()
        self.empty.setProperty("role", "quiet")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.undo = UndoBar(means.tasks, palette)
        self._build()
        self.resize(WANTED.boundedTo(self.screen().availableSize() * 0.9))

    async def refresh(self) -> None:
        """Read the list again."""
        table, words = self._means.store.dashboards, self.search.text()
        found = await table.listed(viewer=self._means.viewer, search=words)
        pictures = [await table.thumbnail(each.id) for each in found]
        hung = (await read_habits(self._means.store)).hung
        if not isValid(self):
            return
        self._clear()
        for dashboard, picture in zip(found, pictures, strict=True):
            tile = Tile(dashboard, picture, self._palette, is_hung=dashboard.id in hung)
            tile.opened.connect(self.opened)
            tile.menu_wanted.connect(self._on_menu_wanted)
            tile.hung.connect(self._on_hung)
            self.tiles.append(tile)
            self._flow.addWidget(tile)
        self.empty.setVisible(not found)
        self.empty.setText(
            _("No dashboard has these words.")
            if words.strip()
            else _(
                "No dashboards yet. Ask for one in a conversation, or pin a chart, a table or an"
                " indicator with the pin on its card."
            )
        )
        self.wall.setEnabled(bool(found))

    def menu_for(self, dashboard: Dashboard) -> QMenu:
        """What can be done with one of them."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, words, does in (
            ("enlarge", _("Open"), lambda: self.opened.emit(dashboard.id)),
            ("full-screen", _("Wall"), lambda: self.wall_wanted.emit([dashboard.id])),
            ("pencil", _("Rename"), lambda: self.ask_name(dashboard)),
            ("copy", _("Duplicate"), lambda: self._means.tasks.start(self._duplicate(dashboard))),
        ):
            menu.addAction(icon(name, self._palette.quiet, size_px=18), words).triggered.connect(
                does
            )
        viewers = menu.addMenu(icon("eye", self._palette.quiet, size_px=18), _("Who sees it"))
        for each in VISIBILITIES:
            action = viewers.addAction(viewers_words(each))
            action.setCheckable(True)
            action.setChecked(each == dashboard.visibility)
            action.triggered.connect(
                lambda _on=False, each=each: self._means.tasks.start(self._show_to(dashboard, each))
            )
        menu.addSeparator()
        trash = icon("trash", self._palette.quiet, size_px=18)
        menu.addAction(trash, _("Delete")).triggered.connect(
            lambda: self._means.tasks.start(self.delete(dashboard))
        )
        return menu

    def ask_name(self, dashboard: Dashboard) -> QInputDialog:
        """Ask for another title, without holding anything up."""
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(_("Rename"))
        dialog.setLabelText(_("Name of the dashboard"))
        dialog.setTextValue(dashboard.title)
        dialog.textValueSelected.connect(
            lambda title: self._means.tasks.start(self._rename(dashboard, title))
        )
        dialog.open()
        return dialog

    async def delete(self, dashboard: Dashboard) -> None:
        """Take one out of the list, with a way back."""
        await self._means.store.dashboards.delete(dashboard.id)
        self.gone.emit(dashboard.id)
        await self.refresh()
        self.undo.offer(
            _("Deleted: {title}").format(title=dashboard.title),
            lambda: self._means.tasks.start(self._undelete(dashboard.id)),
        )

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        painted: list[Painted] = [self.search, self.wall, self.undo, *self.tiles]
        for each in painted:
            each.set_palette(palette)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self._searching is not None:
            self._searching.cancel()
        super().closeEvent(event)

    def _build(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(GRID_PX)
        bar.addWidget(self.search, 1)
        bar.addWidget(self.wall)
        inside = QWidget()
        self._flow = Flow(spacing_px=2 * GRID_PX)
        inside.setLayout(self._flow)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX)
        column.setSpacing(2 * GRID_PX)
        column.addLayout(bar)
        column.addWidget(self.empty)
        column.addWidget(scroll, 1)
        column.addWidget(self.undo)

    def _clear(self) -> None:
        for tile in self.tiles:
            self._flow.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        self.tiles = []

    async def _rename(self, dashboard: Dashboard, title: str) -> None:
        table = self._means.store.dashboards
        contents = replace(await table.contents(dashboard.id), title=title)
        await table.change(dashboard.id, contents, author=self._means.viewer.name)
        await self.refresh()

    async def _duplicate(self, dashboard: Dashboard) -> None:
        title = _("{title} (copy)").format(title=dashboard.title)
        viewer = self._means.viewer.name
        await self._means.store.dashboards.duplicate(dashboard.id, title, author=viewer)
        await self.refresh()

    async def _undelete(self, id_: str) -> None:
        await self._means.store.dashboards.undelete(id_)
        await self.refresh()

    async def _show_to(self, dashboard: Dashboard, visibility: Visibility) -> None:
        await self._means.store.dashboards.show_to(dashboard.id, visibility)
        await self.refresh()

    async def _search_soon(self) -> None:
        await asyncio.sleep(PAUSE_S)
        await self.refresh()

    def _on_text_changed(self) -> None:
        if self._searching is not None:
            self._searching.cancel()
        self._searching = self._means.tasks.start(self._search_soon())

    def _on_hung(self, id_: str, is_hung: bool) -> None:  # noqa: FBT001  a signal's
        change = partial(WallHabits.with_hung, id_=id_, is_hung=is_hung)
        self._means.tasks.start(change_habits(self._means.store, change))

    def _on_wall_clicked(self) -> None:
        hung = [tile.dashboard.id for tile in self.tiles if tile.hang.isChecked()]
        self.wall_wanted.emit(hung or [tile.dashboard.id for tile in self.tiles])

    def _on_menu_wanted(self, dashboard: Dashboard, place: QPoint) -> None:
        self.menu_for(dashboard).popup(place)


class Tile(QFrame):
    """One dashboard as a small picture with its name.

    Signals:
        opened: its id.
        menu_wanted: the dashboard, and where its menu is to open.
        hung: its id, and whether it is for the wall.
    """

    opened = Signal(str)
    menu_wanted = Signal(object, QPoint)
    hung = Signal(str, bool)

    def __init__(
        self, dashboard: Dashboard, picture: bytes | None, palette: Palette, *, is_hung: bool
    ) -> None:
        super().__init__()
        self.dashboard = dashboard
        self.setProperty("kind", "card")
        self.setAccessibleName(dashboard.title)
        self._picture = QLabel()
        self._picture.setFixedSize(THUMBNAIL)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._drawn = QPixmap()
        if picture:
            self._drawn.loadFromData(picture, "PNG")
        self.open_button = WordButton(_("Open"), palette, kind="primary")
        self.open_button.setAccessibleName(_("Open {title}").format(title=dashboard.title))
        self.open_button.clicked.connect(lambda: self.opened.emit(dashboard.id))
        self.more = IconButton(
            "more", _("Actions for {title}").format(title=dashboard.title), palette
        )
        self.more.clicked.connect(self._on_more_clicked)
        self.hang = QCheckBox(_("On the wall"))
        self.hang.setChecked(is_hung)
        self.hang.toggled.connect(lambda on: self.hung.emit(dashboard.id, on))
        self._build()
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self.more.set_palette(palette)
        self.open_button.set_palette(palette)
        if self._drawn.isNull():
            ratio = self.devicePixelRatioF()
            self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._picture.setPixmap(pixmap("chart", palette.quiet, size_px=48, ratio=ratio))
        else:
            self._picture.setPixmap(self._drawn)

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
                        viewers_words(self.dashboard.visibility),
                    ),
                )
            ),
            role="small",
        )
        doing = QHBoxLayout()
        doing.addWidget(self.open_button)
        doing.addWidget(self.hang, 1)
        doing.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID_PX, GRID_PX, GRID_PX, GRID_PX)
        column.setSpacing(GRID_PX // 2)
        column.addWidget(self._picture)
        column.addWidget(title)
        column.addWidget(facts)
        column.addLayout(doing)
        self.setFixedWidth(THUMBNAIL.width() + 2 * GRID_PX + 2)

    def _on_more_clicked(self) -> None:
        below = self.more.mapToGlobal(QPoint(0, self.more.height()))
        self.menu_wanted.emit(self.dashboard, below)
