"""The window of one dashboard: its page, refresh, schedule, exports and cards."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import time
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QImage, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.dashboard import (
    DailyAt,
    DashboardSpec,
    EveryMinutes,
    OnChange,
    RenderedDashboard,
    Schedule,
    Version,
    Visibility,
    schedule_from,
)
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number
from qhub_desktop.ui.controls.buttons import WordButton
from qhub_desktop.ui.controls.saving import ask_place, png
from qhub_desktop.ui.dashboards.card_list import CardList
from qhub_desktop.ui.dashboards.context import DashboardContext, schedule_said, viewers_words
from qhub_desktop.ui.pages.locked_view import LockedView
from qhub_desktop.ui.theme import GRID_PX

FIRST_MINUTES = "10"
FIRST_TIME = "06:00"


class ScheduleDialog(QDialog):
    """Dialog for the refresh schedule: an interval in minutes or a time of day.

    Signals:
        chosen: the new Schedule.
    """

    chosen = Signal(object)

    def __init__(self, held: Schedule, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Refresh at another time"))
        self.kind = QComboBox()
        self.kind.setAccessibleName(_("Refresh"))
        self.kind.addItem(_("Every so many minutes"), "every")
        self.kind.addItem(_("Every day at"), "at")
        self.when = QLineEdit()
        self.when.setMaxLength(5)
        self.said = QLabel()
        self.said.setProperty("role", "bad")
        self.said.setWordWrap(True)
        self.keep = WordButton(_("Save"), kind="primary")
        self.keep.setDefault(True)
        self.keep.clicked.connect(self._on_keep_clicked)
        cancel = WordButton(_("Cancel"))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        asking = QHBoxLayout()
        asking.setSpacing(GRID_PX)
        asking.addWidget(self.kind)
        asking.addWidget(self.when, 1)
        foot = QHBoxLayout()
        foot.setSpacing(GRID_PX)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * GRID_PX, 2 * GRID_PX, 3 * GRID_PX, 2 * GRID_PX)
        column.setSpacing(GRID_PX)
        column.addLayout(asking)
        column.addWidget(self.said)
        column.addLayout(foot)
        self.kind.currentIndexChanged.connect(lambda _at: self._on_kind_changed())
        self._show(held)

    def _show(self, held: Schedule) -> None:
        self.kind.setCurrentIndex(1 if isinstance(held, DailyAt) else 0)
        self._on_kind_changed()
        match held:
            case EveryMinutes(minutes):
                self.when.setText(str(minutes))
            case DailyAt(at):
                self.when.setText(f"{at:%H:%M}")
            case _:
                pass
        self.when.selectAll()
        self.when.setFocus()

    def _on_kind_changed(self) -> None:
        is_daily = self.kind.currentData() == "at"
        self.when.setText(FIRST_TIME if is_daily else FIRST_MINUTES)
        self.when.setAccessibleName(_("Time, as 06:00") if is_daily else _("Minutes, 1 to 1440"))
        self.when.setToolTip(self.when.accessibleName())
        self.said.clear()

    def _on_keep_clicked(self) -> None:
        try:
            schedule = schedule_from(f"{self.kind.currentData()} {self.when.text().strip()}")
        except UserError:
            is_daily = self.kind.currentData() == "at"
            self.said.setText(
                _("Write a time of the day, for example 06:00.")
                if is_daily
                else _("Write how many minutes, from 1 to 1440.")
            )
            self.when.setFocus()
            return
        self.chosen.emit(schedule)
        self.accept()


WANTED = QSize(1180, 760)
THUMBNAIL = QSize(320, 200)
SHOWN_VERSIONS = 15
SETTLE_S = 1.5  # for charts to be drawn before the thumbnail is taken
VISIBILITIES: tuple[Visibility, ...] = ("me", "agent", "station")
SCHEDULES: tuple[Schedule, ...] = (
    None,
    EveryMinutes(5),
    EveryMinutes(15),
    EveryMinutes(60),
    DailyAt(time(6, 0)),
    DailyAt(time(14, 0)),
    DailyAt(time(22, 0)),
    OnChange(),
)
FILES = ((".html", "HTML"), (".pdf", "PDF"), (".png", "PNG"), (".xlsx", "Excel"))


class PageWindow(QWidget):
    """Window that shows a dashboard and its actions.

    Signals:
        changed: title, thumbnail or schedule have changed; update the list.
        wall_wanted: id of the dashboard to show full screen.
        closed: id of the dashboard whose window was closed.
    """

    changed = Signal()
    wall_wanted = Signal(str)
    closed = Signal(str)

    def __init__(self, id_: str, context: DashboardContext, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.id = id_
        self._context = context
        self._filled: RenderedDashboard | None = None
        self.view: LockedView | None = None
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        self.refresh_button = WordButton(_("Refresh"), icon_name="retry", kind="primary")
        self.refresh_button.clicked.connect(self.start_refresh)
        self._export = WordButton(_("Export"), icon_name="save", kind="flat")
        self._schedule = WordButton(_("Schedule"), icon_name="clock", kind="flat")
        self._viewers = WordButton(_("Who sees it"), icon_name="eye", kind="flat")
        self.versions_button = WordButton(_("Versions"), icon_name="undo", kind="flat")
        self.arrange_button = WordButton(_("Arrange"), icon_name="columns", kind="flat")
        self.arrange_button.setCheckable(True)
        self._wall = WordButton(_("Wall"), icon_name="full-screen", kind="flat")
        self._wall.clicked.connect(lambda: self.wall_wanted.emit(self.id))
        self.cards = CardList()
        self.cards.hide()
        self.cards.changed.connect(lambda change: self._start(self._change(change)))
        self.arrange_button.toggled.connect(self.cards.setVisible)
        self._build()
        self.resize(WANTED.boundedTo(self.screen().availableSize() * 0.9))

    @property
    def filled(self) -> RenderedDashboard | None:
        """The shown dashboard; None before the first page."""
        return self._filled

    async def open(self) -> None:
        """Show the dashboard with its last rows. Raises UserError if it was deleted."""
        await self.show_filled(await self._context.data.filled(self.id))

    async def show_filled(self, filled: RenderedDashboard) -> None:
        """Show the dashboard with these rows."""
        page = await self._context.files.page(filled)
        versions = await self._context.dashboards.versions(self.id)
        if not isValid(self):
            return
        self._filled = filled
        self.setWindowTitle(_("Dashboard {title}").format(title=filled.contents.title))
        if self.view is None:
            self.view = LockedView(page.document, page.data, address=filled.dashboard.url)
            self.view.loaded.connect(lambda: self._start(self._keep_thumbnail()))
            self._body.insertWidget(0, self.view, 1)
        else:
            self.view.show_document(page.document, page.data)
        self.cards.show_cards(filled.contents.cards)
        self.arrange_button.setVisible(bool(filled.contents.cards))
        self.refresh_button.setEnabled(bool(filled.contents.queries))
        self._say_state(filled)
        self._fill_menus(filled)
        self._offer_versions(versions[:SHOWN_VERSIONS])

    def start_refresh(self) -> None:
        """Start running the queries again."""
        self._start(self._refresh())

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self.view is not None:
            self.view.stop()
        self.closed.emit(self.id)
        super().closeEvent(event)

    @property
    def _buttons(self) -> tuple[WordButton, ...]:
        return (
            self.refresh_button,
            self._export,
            self._schedule,
            self._viewers,
            self.versions_button,
            self.arrange_button,
            self._wall,
        )

    def _build(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(2 * GRID_PX, GRID_PX, 2 * GRID_PX, GRID_PX)
        bar.setSpacing(GRID_PX // 2)
        bar.addWidget(self.refresh_button)
        bar.addStretch(1)
        for button in self._buttons[1:]:
            bar.addWidget(button)
        self._body = QHBoxLayout()
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(0)
        self._body.addWidget(self.cards)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addLayout(self._body, 1)
        self.said.setContentsMargins(2 * GRID_PX, 4, 2 * GRID_PX, 4)
        column.addWidget(self.said)
        for keys, does in (
            (QKeySequence.StandardKey.Refresh, self.start_refresh),
            (QKeySequence.StandardKey.Close, self.close),
        ):
            action = QAction(self)
            action.setShortcut(keys)
            action.triggered.connect(does)
            self.addAction(action)

    def _say_state(self, filled: RenderedDashboard) -> None:
        if filled.problems:
            self._say("\n".join(filled.problems), role="bad")
            return
        if not filled.rows:
            self._say(_("Without queries: its numbers stay as they were written."))
            return
        oldest = min(each.taken for each in filled.rows)
        count = ngettext("{count} query", "{count} queries", len(filled.rows))
        self._say(
            _("{queries} · data of {moment} · {schedule}").format(
                queries=count.format(count=number(len(filled.rows), digits=0)),
                moment=moment(oldest.astimezone().replace(second=0)),
                schedule=schedule_said(filled.dashboard.schedule),
            )
        )

    def _fill_menus(self, filled: RenderedDashboard) -> None:
        files = QMenu(self)
        for suffix, kind in FILES:
            action = files.addAction(_("Save as {kind}…").format(kind=kind))
            action.triggered.connect(partial(self.ask_file, suffix))
        self._export.setMenu(files)
        held = filled.dashboard
        offered = SCHEDULES if held.schedule in SCHEDULES else (*SCHEDULES, held.schedule)
        times = self._choices(
            [(schedule_said(each), each == held.schedule) for each in offered],
            lambda at: self._set_schedule(offered[at]),
        )
        times.addSeparator()
        times.addAction(_("Another time…")).triggered.connect(self.ask_schedule)
        self._schedule.setMenu(times)
        self._viewers.setMenu(
            self._choices(
                [(viewers_words(each), each == held.visibility) for each in VISIBILITIES],
                lambda at: self._show_to(VISIBILITIES[at]),
            )
        )

    def _offer_versions(self, versions: Sequence[Version]) -> None:
        """Show the menu of earlier versions to go back to."""
        self.versions_button.setVisible(len(versions) > 1)
        words = [
            _("{moment}, by {author}").format(
                moment=moment(each.created.astimezone().replace(second=0)),
                author=each.author or _("unknown"),
            )
            for each in versions
        ]
        self.versions_button.setMenu(
            self._choices(
                [(each, place == 0) for place, each in enumerate(words)],
                lambda at: self._start(self._go_back(versions[at].number)),
            )
        )

    def _choices(self, entries: list[tuple[str, bool]], choose: Callable[[int], None]) -> QMenu:
        menu = QMenu(self)
        group = QActionGroup(menu)
        for at, (words, is_chosen) in enumerate(entries):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(is_chosen)
            action.triggered.connect(lambda _on=False, at=at: choose(at))
            group.addAction(action)
        return menu

    def ask_file(self, suffix: str, *_signal: object) -> QFileDialog:
        """Open a non-blocking dialog for the target of an export, and return it."""
        assert self._filled is not None
        return ask_place(
            self,
            self._filled.contents.title,
            kind=dict(FILES)[suffix],
            suffix=suffix,
            then=lambda name: self._start(self._save(Path(name))),
        )

    def ask_schedule(self) -> ScheduleDialog:
        """Open the non-blocking schedule dialog, and return it."""
        assert self._filled is not None
        dialog = ScheduleDialog(self._filled.dashboard.schedule, self)
        dialog.chosen.connect(self._set_schedule)
        dialog.open()
        return dialog

    async def _save(self, target: Path) -> None:
        self._say(_("Writing {name}").format(name=target.name))
        await self._context.files.export(self.id, target)
        self._say(_("Saved as {name}.").format(name=target.name))

    async def _refresh(self) -> None:
        self.refresh_button.setEnabled(False)
        self._say(_("Running its queries…"))
        try:
            await self.show_filled(await self._context.data.refresh(self.id))
        finally:
            if isValid(self):
                self.refresh_button.setEnabled(True)

    async def _go_back(self, version: int) -> None:
        """Restore an earlier version as a new version."""
        contents = await self._context.dashboards.contents(self.id, version=version)
        await self._change(lambda _held: contents)
        await self._refresh()

    async def _change(self, change: Callable[[DashboardSpec], DashboardSpec]) -> None:
        table = self._context.dashboards
        contents = change(await table.contents(self.id))
        await table.change(self.id, contents, author=self._context.viewer.name)
        await self.open()
        self.changed.emit()

    def _set_schedule(self, schedule: Schedule) -> None:
        self._start(self._keep(self._context.dashboards.set_schedule(self.id, schedule)))

    def _show_to(self, visibility: Visibility) -> None:
        self._start(self._keep(self._context.dashboards.show_to(self.id, visibility)))

    async def _keep(self, change: Coroutine[Any, Any, None]) -> None:
        await change
        filled = await self._context.data.filled(self.id)
        self._filled = filled
        self._say_state(filled)
        self._fill_menus(filled)
        self.changed.emit()

    async def _keep_thumbnail(self) -> None:
        """Store a thumbnail for the list, after the page has drawn itself."""
        await asyncio.sleep(SETTLE_S)
        if not isValid(self) or not self.isVisible():
            return
        view = self.view
        if view is None or not await view.is_alive():
            return
        picture = thumbnail_of(await view.picture())
        if picture:
            await self._context.dashboards.keep_thumbnail(self.id, picture)
            self.changed.emit()

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._context.tasks.start(coroutine, on_error=self._on_error)

    def _on_error(self, error: QHubError) -> None:
        if isValid(self):
            self._say(str(error), role="bad")

    def _say(self, words: str, *, role: str = "small") -> None:
        if not isValid(self):
            return
        self.said.setProperty("role", role)
        self.said.style().unpolish(self.said)
        self.said.style().polish(self.said)
        self.said.setText(words)


def thumbnail_of(picture: QImage) -> bytes:
    """Return the top of a page as a small PNG; empty for a null image."""
    if picture.isNull() or picture.width() < THUMBNAIL.width():
        return b""
    smooth = Qt.TransformationMode.SmoothTransformation
    small = picture.scaledToWidth(THUMBNAIL.width(), smooth)
    top = small.copy(0, 0, THUMBNAIL.width(), min(THUMBNAIL.height(), small.height()))
    top.setDevicePixelRatio(1)
    return png(top)
