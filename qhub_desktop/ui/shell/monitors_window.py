"""Window of the monitors: open violations first, then what was answered, then what is watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.monitor import Monitor, Violation
from qhub_desktop.core.text import day_words, moment, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label, row_of, scrolled
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import Tasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX

if TYPE_CHECKING:
    from qhub_desktop.store.monitors import MonitorRepository
    from qhub_desktop.tools.studies.monitors import Monitors

SHOWN = 100  # violations of each kind; more would take long to lay out, and nobody reads them


class MonitorsWindow(DetailWindow):
    """Window of what the monitors have found, and what they watch.

    Signals:
        answered: cause and action of a violation were noted.
        new_requested: the button pressed to have another chart watch data.
    """

    answered = Signal()
    new_requested = Signal(object)

    def __init__(
        self,
        service: Callable[[], Monitors],
        store: MonitorRepository,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            _("Monitors"),
            subtitle=_("Control charts with frozen limits that watch data."),
            size=QSize(760, 720),
        )
        self._service = service
        self._store = store
        self._tasks = tasks
        self.cards: list[ViolationCard] = []
        self.monitors: list[MonitorRow] = []
        self._inside = QWidget()
        self._column = column_of(owner=self._inside, margins=(0, 0, GRID_PX, 0))
        self.add(scrolled(self._inside))
        self.reload()

    def reload(self) -> None:
        """Read what was found; what is being written stays."""
        cancel_with(self, self._tasks.start(self._load()))

    async def _load(self) -> None:
        violations, monitors = await self._store.violations(), await self._store.listed()
        if isValid(self):
            self._show(violations, monitors)

    def _show(self, violations: Sequence[Violation], monitors: Sequence[Monitor]) -> None:
        typed = {card.violation.id: card.typed for card in self.cards}
        while (item := self._column.takeAt(0)) is not None:
            if (before := item.widget()) is not None:
                before.deleteLater()
        open_ = [each for each in violations if each.is_open]
        answered = [each for each in violations if not each.is_open]
        self.cards = [ViolationCard(each) for each in (*open_[:SHOWN], *answered[:SHOWN])]
        for card in self.cards:
            card.restore(typed.get(card.violation.id, ("", "")))
            card.kept.connect(self._on_kept)
        self.monitors = [MonitorRow(each) for each in monitors]
        for each in self.monitors:
            each.stop_requested.connect(self._on_stop_requested)
        self._column.addWidget(make_label(_open_sentence(len(open_)), role="heading"))
        for card in self.cards[: len(open_[:SHOWN])]:
            self._column.addWidget(card)
        self._column.addSpacing(GRID_PX)
        head = QWidget()
        row = row_of((make_label(_("What is watched"), role="heading"), 1), owner=head)
        self.new_button = TextButton(_("New monitor from…"), kind="link")
        self.new_button.setAutoDefault(False)
        self.new_button.clicked.connect(lambda: self.new_requested.emit(self.new_button))
        row.addWidget(self.new_button)
        add_to(self._column, head, *self.monitors)
        if not monitors:
            words = _(
                "Nothing is watched yet. Freeze the limits of a control chart, and choose"
                " Monitor this chart… on its card."
            )
            self._column.addWidget(make_label(words, role="quiet", is_wrapped=True))
        self._add_section(_("Answered"), self.cards[len(open_[:SHOWN]) :])
        self._column.addStretch(1)

    def _add_section(self, name: str, widgets: Sequence[QWidget]) -> None:
        if widgets:
            add_to(self._column, GRID_PX, make_label(name, role="heading"))
        add_to(self._column, *widgets)

    def _on_kept(self, card: ViolationCard) -> None:
        self._tasks.start(self._answer(card))

    async def _answer(self, card: ViolationCard) -> None:
        cause, action = card.typed
        try:
            await self._service().answer(card.violation, cause=cause, action=action)
        except QHubError as error:
            card.problem.tell_error(error)
            return
        if isValid(self):
            self.answered.emit()
            self.reload()

    def _on_stop_requested(self, monitor: Monitor) -> None:
        self._tasks.start(self._stop(monitor))

    async def _stop(self, monitor: Monitor) -> None:
        await self._store.set_stopped(monitor.id, is_stopped=not monitor.is_stopped)
        if isValid(self):
            self.reload()


class ViolationCard(QFrame):
    """A violation: which point, its rules in words, value and limits, its rows, what was noted.

    Signals:
        kept: this card, when what was written is to be kept.
    """

    kept = Signal(object)

    def __init__(self, violation: Violation) -> None:
        super().__init__()
        self.violation = violation
        self.setProperty("kind", "card")
        found = violation.found
        title = f"{violation.title} · {day_words(found.label)}"
        self.setAccessibleName(title)
        head = row_of(
            (make_label(title, role="heading", is_wrapped=True), 1),
            (
                make_label(moment(violation.at.replace(second=0)), role="small"),
                0,
                Qt.AlignmentFlag.AlignTop,
            ),
        )
        column = column_of(head, owner=self, margins=(2 * GRID_PX, GRID_PX + 4), spacing=6)
        role = "bad" if violation.is_open else ""
        for words in found.words:
            column.addWidget(make_label(words, role=role, is_wrapped=True))
        column.addWidget(make_label(_values(violation), role="small", is_wrapped=True))
        self.cause, self.action = QLineEdit(), QLineEdit()
        self.button = TextButton(_("Keep cause and action"), kind="primary")
        self.problem = StatusLabel(role="bad")
        self._add_notes(column)
        column.addWidget(self.problem)
        foot = row_of()
        self.rows_button = TextButton("", kind="link")
        if found.rows is not None and found.rows.rows:
            count = number(len(found.rows.rows), digits=0)
            self.rows_button.set_caption(_("Show its rows ({count})").format(count=count))
            self.rows_button.clicked.connect(self.open_rows)
            foot.addWidget(self.rows_button)
        foot.addStretch(1)
        if violation.is_open:
            self.button.clicked.connect(lambda: self.kept.emit(self))
            foot.addWidget(self.button)
        column.addLayout(foot)
        for each in (self.button, self.rows_button):
            each.setAutoDefault(False)  # Enter in a line keeps that line's violation

    def _add_notes(self, column: QVBoxLayout) -> None:
        violation = self.violation
        if violation.is_open:
            fields = row_of()
            named = (
                (self.cause, _("Cause"), violation.cause),
                (self.action, _("Action"), violation.action),
            )
            for field, name, known in named:
                field.setPlaceholderText(one_line(name))
                field.setAccessibleName(name)
                field.setText(one_line(known))
                field.returnPressed.connect(lambda: self.kept.emit(self))
                fields.addWidget(field, 1)
            column.addLayout(fields)
            return
        said = [
            _("Cause: {cause}").format(cause=violation.cause),
            _("Action: {action}").format(action=violation.action),
        ]
        for words in said:
            column.addWidget(make_label(words, is_wrapped=True))
        if violation.noted is not None:
            words = _("{by}, {when}").format(
                by=violation.noted_by, when=moment(violation.noted.replace(second=0))
            )
            column.addWidget(make_label(words, role="small"))

    @property
    def typed(self) -> tuple[str, str]:
        """Cause and action as they are written."""
        return self.cause.text(), self.action.text()

    def restore(self, typed: tuple[str, str]) -> None:
        """Put back what was being written."""
        for field, words in zip((self.cause, self.action), typed, strict=True):
            if words:
                field.setText(one_line(words))

    def open_rows(self) -> DetailWindow | None:
        """Show the rows behind the point, as they were when it was judged."""
        rows = self.violation.found.rows
        if rows is None:
            return None
        title = _("Rows of point {label}").format(label=day_words(self.violation.found.label))
        window = DetailWindow(self, title, size=QSize(860, 480))
        window.add(TableWidget(rows))
        window.show()
        return window


class MonitorRow(QFrame):
    """A monitor: what it watches, what is in its way, and a button that lets it rest.

    Signals:
        stop_requested: the monitor, to be stopped, or started again.
    """

    stop_requested = Signal(object)

    def __init__(self, monitor: Monitor) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        column = column_of(owner=self, margins=(2 * GRID_PX, GRID_PX), spacing=4)
        head = row_of((make_label(monitor.title, is_wrapped=True), 1))
        words = _("Watch again") if monitor.is_stopped else _("Stop watching")
        self.button = TextButton(words, kind="link")
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda: self.stop_requested.emit(monitor))
        head.addWidget(self.button)
        column.addLayout(head)
        watched = _("watched by {by} since {when}").format(
            by=monitor.by, when=moment(monitor.created.date())
        )
        said = [monitor.watched.name, watched]
        if monitor.is_stopped:
            said.append(_("stopped"))
        elif monitor.looked is not None:
            when = moment(monitor.looked.replace(second=0))
            said.append(_("last judged {when}").format(when=when))
        column.addWidget(make_label(" · ".join(said), role="small", is_wrapped=True))
        for problem in monitor.problems:
            column.addWidget(make_label(problem, role="bad", is_wrapped=True))


def _values(violation: Violation) -> str:
    found = violation.found
    words = _("{chart}: {value} (limits {lower} to {upper}, centre {centre})")
    return words.format(
        chart=found.chart,
        value=_written(found.value),
        lower=_written(found.lower),
        upper=_written(found.upper),
        centre=_written(found.centre),
    )


def _written(value: float | None) -> str:
    return "-" if value is None else number(value)


def _open_sentence(count: int) -> str:
    if not count:
        return _("No violation waits for cause and action.")
    words = ngettext(
        "{count} violation waits for cause and action.",
        "{count} violations wait for cause and action.",
        count,
    )
    return words.format(count=number(count, digits=0))
