"""The window of one dashboard: its page, refresh, schedule, exports and cards."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import time
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QImage, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QMenu,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dashboard import (
    DailyAt,
    DashboardSpec,
    EveryMinutes,
    OnChange,
    PinnedCard,
    RenderedDashboard,
    Schedule,
    Version,
    Visibility,
    schedule_from,
    schedule_text,
    visibility_text,
    with_changed_card,
    without,
)
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.result_widgets import Widget
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.forms import choice_box, dialog_foot, text_field
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, column_of, row_of
from qhub_desktop.ui.controls.notices import Toast
from qhub_desktop.ui.controls.plain_text import add_action, set_title, set_tooltip
from qhub_desktop.ui.controls.popup import OwnWindow, add_window_keys, fit_screen
from qhub_desktop.ui.controls.saving import png
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.dashboards.card_list import CardList
from qhub_desktop.ui.services import DashboardContext
from qhub_desktop.ui.tasks import WidgetTasks
from qhub_desktop.ui.theme import GRID_PX
from qhub_desktop.ui.web.locked_view import LockedView

DEFAULT_MINUTES = "10"
DEFAULT_TIME = "06:00"


class ScheduleDialog(QDialog):
    """Dialog for the refresh schedule: an interval in minutes or a time of day.

    Signals:
        chosen: the new Schedule.
    """

    chosen = Signal(object)

    def __init__(self, held: Schedule, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_title(self, _("Refresh at another time"))
        add_window_keys(self, [("Enter", _("Save"))])
        kinds = [("every", _("Every so many minutes")), ("at", _("Every day at"))]
        self.kind_box = choice_box(_("Refresh"), kinds)
        self.time_edit = text_field(most=5)
        self.error_label = StatusLabel(role="bad")
        self.save_button = TextButton(_("Save"), kind="primary", on_click=self._on_save_clicked)
        self.save_button.setDefault(True)
        asking = row_of(self.kind_box, (self.time_edit, 1))
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * GRID_PX, 2 * GRID_PX, 3 * GRID_PX, 2 * GRID_PX)
        column.setSpacing(GRID_PX)
        add_to(column, asking, self.error_label, dialog_foot(self, self.save_button))
        self.kind_box.currentIndexChanged.connect(lambda _at: self._on_kind_changed())
        self._show(held)

    def _show(self, held: Schedule) -> None:
        self.kind_box.setCurrentIndex(1 if isinstance(held, DailyAt) else 0)
        self._on_kind_changed()
        match held:
            case EveryMinutes(minutes):
                self.time_edit.setText(str(minutes))
            case DailyAt(at):
                self.time_edit.setText(f"{at:%H:%M}")
            case _:
                pass
        self.time_edit.selectAll()
        self.time_edit.setFocus()

    def _on_kind_changed(self) -> None:
        is_daily = self.kind_box.currentData() == "at"
        self.time_edit.setText(DEFAULT_TIME if is_daily else DEFAULT_MINUTES)
        self.time_edit.setAccessibleName(
            _("Time, as 06:00") if is_daily else _("Minutes, 1 to 1440")
        )
        set_tooltip(self.time_edit, self.time_edit.accessibleName())
        self.error_label.tell("")

    def _on_save_clicked(self) -> None:
        try:
            schedule = schedule_from(
                f"{self.kind_box.currentData()} {self.time_edit.text().strip()}"
            )
        except UserError:
            is_daily = self.kind_box.currentData() == "at"
            self.error_label.tell(
                _("Write a time of the day, for example 06:00.")
                if is_daily
                else _("Write how many minutes, from 1 to 1440.")
            )
            self.time_edit.setFocus()
            return
        self.chosen.emit(schedule)
        self.accept()


DASHBOARD_SIZE = QSize(1180, 760)
THUMBNAIL = QSize(320, 200)
MAX_VERSIONS = 15
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
# Of a card: keep what its form has made instead, with the plan of its question.
KeepCard = Callable[[Widget, JsonObject | None], Awaitable[None]]
OpenForm = Callable[[PinnedCard, KeepCard, QWidget], object]
FILES = ((".html", "HTML"), (".pdf", "PDF"), (".png", "PNG"), (".xlsx", "Excel"))


class DashboardWindow(OwnWindow):
    """Window that shows a dashboard and its actions.

    Signals:
        changed: title, thumbnail or schedule have changed; update the list.
        wall_requested: id of the dashboard to show full screen.
        closed: id of the dashboard whose window was closed.
    """

    changed = Signal()
    wall_requested = Signal(str)
    closed = Signal(str)

    def __init__(
        self, id_: str, context: DashboardContext, parent: QWidget | None, *, open_form: OpenForm
    ) -> None:
        super().__init__(parent, [("F5", _("Refresh"))])
        self.id = id_
        self._context = context
        self._filled: RenderedDashboard | None = None
        self.view: LockedView | None = None
        self.status_label = StatusLabel(role="small")
        self._work = WidgetTasks(self, context.tasks, self._on_error)
        self.refresh_button = TextButton(_("Refresh"), icon_name="retry", kind="primary")
        self.refresh_button.clicked.connect(self.start_refresh)
        self._export_button = TextButton(_("Export"), icon_name="save", kind="flat")
        self._schedule_button = TextButton(_("Schedule"), icon_name="clock", kind="flat")
        self._visibility_button = TextButton(_("Who sees it"), icon_name="eye", kind="flat")
        self.versions_button = TextButton(_("Versions"), icon_name="undo", kind="flat")
        self.arrange_button = TextButton(_("Arrange"), icon_name="columns", kind="flat")
        self.arrange_button.setCheckable(True)
        self._wall_button = TextButton(_("Wall"), icon_name="full-screen", kind="flat")
        self._wall_button.clicked.connect(lambda: self.wall_requested.emit(self.id))
        self.card_list = CardList()
        self.card_list.hide()
        self.card_list.changed.connect(lambda change: self._work.start_kept(self._change(change)))
        self.card_list.taken_off.connect(lambda card: self._work.start_kept(self._take_off(card)))
        self.card_list.form_requested.connect(
            lambda card: open_form(card, partial(self._keep_card, card), self)
        )
        self.toast = Toast(self)
        self.arrange_button.toggled.connect(self.card_list.setVisible)
        self._build()
        fit_screen(self, DASHBOARD_SIZE)

    @property
    def filled(self) -> RenderedDashboard | None:
        """The shown dashboard; None before the first page."""
        return self._filled

    async def open(self) -> None:
        """Show the dashboard with its last rows. Raises UserError if it was deleted."""
        await self.show_dashboard(await self._context.data.filled(self.id))

    async def show_dashboard(self, filled: RenderedDashboard) -> None:
        """Show the dashboard with these rows."""
        page = await self._context.files.page(filled)
        blocks = await self._context.files.blocks(filled.contents)
        versions = await self._context.dashboards.versions(self.id)
        if not isValid(self):
            return
        self._filled = filled
        set_title(self, _("Dashboard {title}").format(title=filled.contents.title))
        if self.view is None:
            self.view = LockedView(page.document, page.data, address=filled.dashboard.url)
            self.view.loaded.connect(lambda: self._work.start_kept(self._store_thumbnail()))
            self._body.insertWidget(0, self.view, 1)
        else:
            self.view.show_document(page.document, page.data)
        self.card_list.show_cards(filled.contents.cards, blocks)
        self.arrange_button.setVisible(bool(self.card_list.rows))
        self.refresh_button.setEnabled(bool(filled.contents.queries))
        self._show_state(filled)
        self._fill_menus(filled)
        self._fill_versions_menu(versions[:MAX_VERSIONS])

    def start_refresh(self) -> None:
        """Start running the queries again."""
        self._work.start_kept(self._refresh())

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self.view is not None:
            self.view.stop()
        self.closed.emit(self.id)
        super().closeEvent(event)

    @property
    def _buttons(self) -> tuple[TextButton, ...]:
        return (
            self.refresh_button,
            self._export_button,
            self._schedule_button,
            self._visibility_button,
            self.versions_button,
            self.arrange_button,
            self._wall_button,
        )

    def _build(self) -> None:
        bar = row_of(margins=(2 * GRID_PX, GRID_PX), spacing=GRID_PX // 2)
        add_to(bar, self.refresh_button, STRETCH, *self._buttons[1:])
        self._body = row_of(self.card_list, spacing=0)
        self.status_label.setContentsMargins(2 * GRID_PX, 4, 2 * GRID_PX, 4)
        column_of(bar, (self._body, 1), self.status_label, owner=self, spacing=0)
        for keys, does in (
            (QKeySequence(QKeySequence.StandardKey.Refresh), self.start_refresh),
            (QKeySequence("Esc"), self.close),  # also where the page would keep it for itself
        ):
            action = QAction(self)
            action.setShortcut(keys)
            action.triggered.connect(does)
            self.addAction(action)

    def _show_state(self, filled: RenderedDashboard) -> None:
        if filled.problems:
            self.status_label.tell("\n".join([*filled.problems, *filled.warnings]), role="bad")
            return
        if not filled.rows:
            self.status_label.tell(_("Without queries: its numbers stay as they were written."))
            return
        oldest = min(each.taken for each in filled.rows)
        count = ngettext("{count} query", "{count} queries", len(filled.rows))
        state = _("{queries} · data of {moment} · {schedule}").format(
            queries=count.format(count=number(len(filled.rows), digits=0)),
            moment=moment(oldest.astimezone().replace(second=0)),
            schedule=schedule_text(filled.dashboard.schedule),
        )
        self.status_label.tell("\n".join([state, *filled.warnings]))

    def _fill_menus(self, filled: RenderedDashboard) -> None:
        files = QMenu(self)
        for suffix, kind in FILES:
            add_action(
                files,
                _("Save as {kind}…").format(kind=kind),
                partial(self.open_export_dialog, suffix),
            )
        _give_menu(self._export_button, files)
        held = filled.dashboard
        offered = SCHEDULES if held.schedule in SCHEDULES else (*SCHEDULES, held.schedule)
        times = self._choice_menu(
            [(schedule_text(each), each == held.schedule) for each in offered],
            lambda at: self._set_schedule(offered[at]),
        )
        times.addSeparator()
        add_action(times, _("Another time…"), self.open_schedule_dialog)
        _give_menu(self._schedule_button, times)
        _give_menu(
            self._visibility_button,
            self._choice_menu(
                [(visibility_text(each), each == held.visibility) for each in VISIBILITIES],
                lambda at: self._show_to(VISIBILITIES[at]),
            ),
        )

    def _fill_versions_menu(self, versions: Sequence[Version]) -> None:
        """Show the menu of earlier versions to go back to."""
        self.versions_button.setVisible(len(versions) > 1)
        words = [
            _("{moment}, by {author}").format(
                moment=moment(each.created.astimezone().replace(second=0)),
                author=each.author or _("unknown"),
            )
            for each in versions
        ]
        _give_menu(
            self.versions_button,
            self._choice_menu(
                [(each, place == 0) for place, each in enumerate(words)],
                lambda at: self._work.start_kept(self._restore_version(versions[at].number)),
            ),
        )

    def _choice_menu(
        self, entries: list[tuple[str, bool]], choose: Callable[[int], object]
    ) -> QMenu:
        menu = QMenu(self)
        group = QActionGroup(menu)
        for at, (words, is_chosen) in enumerate(entries):
            action = add_action(menu, words, lambda _on=False, at=at: choose(at))
            action.setCheckable(True)
            action.setChecked(is_chosen)
            group.addAction(action)
        return menu

    def open_export_dialog(self, suffix: str, *_signal: object) -> QFileDialog:
        """Open a non-blocking dialog for the target of an export, and return it."""
        assert self._filled is not None
        return open_save_dialog(
            self,
            self._filled.contents.title,
            kind=dict(FILES)[suffix],
            suffix=suffix,
            on_selected=lambda name: self._work.start_kept(self._save(Path(name))),
        )

    def open_schedule_dialog(self) -> ScheduleDialog:
        """Open the non-blocking schedule dialog, and return it."""
        assert self._filled is not None
        dialog = ScheduleDialog(self._filled.dashboard.schedule, self)
        dialog.chosen.connect(self._set_schedule)
        dialog.open()
        return dialog

    async def _save(self, target: Path) -> None:
        self.status_label.tell(_("Writing {name}").format(name=target.name))
        await self._context.files.export(self.id, target)
        self.status_label.tell_saved(_("Saved as {name}.").format(name=target.name), target)

    async def _refresh(self) -> None:
        self.refresh_button.setEnabled(False)
        self.status_label.tell(_("Running its queries…"))
        try:
            await self.show_dashboard(await self._context.data.refresh(self.id))
        finally:
            if isValid(self):
                self.refresh_button.setEnabled(True)

    async def _restore_version(self, version: int) -> None:
        """Restore an earlier version as a new version."""
        contents = await self._context.dashboards.contents(self.id, version=version)
        await self._change(lambda _held: contents, is_refreshed=True)

    async def _change(
        self, change: Callable[[DashboardSpec], DashboardSpec], *, is_refreshed: bool = False
    ) -> None:
        dashboards = self._context.dashboards
        contents = change(await dashboards.contents(self.id))
        await dashboards.change(self.id, contents, author=self._context.viewer.name)
        if is_refreshed and contents.queries:
            await self._refresh()
        else:
            await self.open()
        self.changed.emit()

    async def _take_off(self, card: PinnedCard) -> None:
        before = await self._context.dashboards.contents(self.id)
        await self._change(partial(without, card=card.id))
        self._offer_undo(_("Taken off: {title}").format(title=card.title), before)

    async def _keep_card(self, card: PinnedCard, widget: Widget, plan: JsonObject | None) -> None:
        """Let a card show what its form has made; what it was is offered for a while."""
        before = await self._context.dashboards.contents(self.id)
        await self._change(
            lambda held: with_changed_card(held, card.id, widget, plan), is_refreshed=True
        )
        self._offer_undo(_("Changed: {title}").format(title=card.title), before)

    def _offer_undo(self, told: str, before: DashboardSpec) -> None:
        if isValid(self):
            undo = partial(self._change, lambda _held: before, is_refreshed=True)
            self.toast.offer_undo(told, lambda: self._work.start_kept(undo()))

    def _set_schedule(self, schedule: Schedule) -> None:
        change = self._context.dashboards.set_schedule(self.id, schedule)
        self._work.start_kept(self._apply_change(change))

    def _show_to(self, visibility: Visibility) -> None:
        change = self._context.dashboards.show_to(self.id, visibility)
        self._work.start_kept(self._apply_change(change))

    async def _apply_change(self, change: Coroutine[Any, Any, None]) -> None:
        await change
        filled = await self._context.data.filled(self.id)
        self._filled = filled
        self._show_state(filled)
        self._fill_menus(filled)
        self.changed.emit()

    async def _store_thumbnail(self) -> None:
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

    def _on_error(self, error: QHubError) -> None:
        if self.isVisible():
            self.status_label.tell_error(error)
        else:  # closed meanwhile, as while a file is being written
            self._context.tasks.report(error)


def thumbnail_of(picture: QImage) -> bytes:
    """Return the top of a page as a small PNG; empty for a null image."""
    if picture.isNull() or picture.width() < THUMBNAIL.width():
        return b""
    smooth = Qt.TransformationMode.SmoothTransformation
    small = picture.scaledToWidth(THUMBNAIL.width(), smooth)
    top = small.copy(0, 0, THUMBNAIL.width(), min(THUMBNAIL.height(), small.height()))
    top.setDevicePixelRatio(1)
    return png(top)


def _give_menu(button: TextButton, menu: QMenu) -> None:
    """Set a button's menu and delete its last one, which Qt keeps; if open, once it is closed."""
    last = button.menu()
    button.setMenu(menu)
    if last is not None:
        if last.isVisible():
            last.aboutToHide.connect(last.deleteLater)
        else:
            last.deleteLater()
