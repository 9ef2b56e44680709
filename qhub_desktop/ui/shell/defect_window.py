"""Window that records defects: tiles to tap, filled in with what is usual, undone for a while."""

from __future__ import annotations  # the tools are imported when it opens

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QSizePolicy,
    QWidget,
)
from shiboken6 import isValid

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import LogInShort, plant_shift
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import NO_CONVERSATION
from qhub_desktop.core.message import RECORD_TOOL, Choice
from qhub_desktop.core.person import shown_name
from qhub_desktop.core.settings import shifts_of
from qhub_desktop.core.text import day_words, number, value_words
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import InputField, ToolContext, tools_of
from qhub_desktop.ui.chat.approvals import ChoiceButton
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FlowLayout,
    add_to,
    make_label,
    row_of,
    scrolled,
    set_height_for_width,
)
from qhub_desktop.ui.controls.notices import Toast
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import Tasks, WidgetTasks
from qhub_desktop.ui.theme import GRID_PX, OPERATOR_TARGET_PX

TOLD_PX = 320  # of the toast: beside it, the summary is read
PAUSE_S = 0.6  # after a record, in which a second touch of a glove records nothing
LOOK_S = 20.0  # between two looks at the clock and the log: a shift begins, another window records
CARRIED_S = 8 * 3600  # a shift: for so long the last defect says where the next one may be
_PLACE = ("material", "rack", "posicao")  # what the next defect has in common with the last
_WHO_AND_WHEN = ("turno", "operador", "data")
_MOST_TILES = 12
_LEAST_POSITIONS, _MOST_POSITIONS = 10, 40


class TileField(QWidget):
    """One field of a tool's input: a tile for each usual value, and a box for any other.

    Signals:
        changed: another value was chosen or typed.
    """

    changed = Signal()

    def __init__(self, about: InputField, usual: Iterable[str]) -> None:
        super().__init__()
        self.about = about
        self.tiles: dict[str, ChoiceButton] = {}
        self.setAccessibleName(about.label)
        self._group = QButtonGroup(self)  # of which Tab meets one, and the arrows choose
        flow = FlowLayout(spacing_px=6)
        for each in usual:
            tile = ChoiceButton(Choice(value_words(each), {}))
            tile.setCheckable(True)
            tile.setAutoDefault(False)
            tile.toggled.connect(self._on_toggled)
            self.tiles[each] = tile
            self._group.addButton(tile)
            flow.addWidget(tile)
        self.other = text_field(
            _("{field}: another").format(field=about.label),
            placeholder=_("another"),
            most=about.length or len(str(about.most)),
        )
        self.other.setFixedWidth(14 * GRID_PX)
        self.other.textEdited.connect(self._on_typed)
        self.other.setVisible(not about.choices)
        flow.addWidget(self.other)
        self._move_tab_stop()
        self.setLayout(flow)
        set_height_for_width(self)

    @property
    def value(self) -> str | int | None:
        """What is chosen or typed; None where that is nothing, or not within the limits."""
        chosen = (each for each, tile in self.tiles.items() if tile.isChecked())
        words = next(chosen, "") or self.other.text().strip()
        if self.about.most is None:
            return words or None
        least = self.about.least or 0
        return int(words) if words.isdecimal() and least <= int(words) <= self.about.most else None

    def set_value(self, value: str | int | None) -> None:
        """Choose the tile of a value; one that has none stands in the box."""
        words = "" if value is None else str(value)
        if self.about.choices and words not in self.tiles:
            words = ""
        self._check(words)
        self.other.setText("" if words in self.tiles else words)
        self.changed.emit()

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Show at its tile how often there is each value, nothing where there is none."""
        for each, tile in self.tiles.items():
            count = counts.get(each, 0)
            tile.show_value(number(count, digits=0) if count else "")
            set_tooltip(tile, _("{count} today").format(count=count))

    def even_out(self) -> None:
        """Give all tiles the width of the widest, those of choices with room for a count."""
        room = 4 * GRID_PX if self.about.choices else 0
        widest = max((each.sizeHint().width() for each in self.tiles.values()), default=0)
        for each in self.tiles.values():
            each.setMinimumWidth(widest + room)
            each.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def _check(self, words: str) -> None:
        self._group.setExclusive(False)  # or the one that is checked stays so
        for each, tile in self.tiles.items():
            tile.setChecked(each == words)
        self._group.setExclusive(True)
        self._move_tab_stop()

    def _move_tab_stop(self) -> None:
        """Let Tab stop at the tile that is chosen, or else at the first; arrows lead to others."""
        stop = self._group.checkedButton() or next(iter(self.tiles.values()), None)
        for tile in self.tiles.values():
            policies = Qt.FocusPolicy
            tile.setFocusPolicy(policies.StrongFocus if tile is stop else policies.ClickFocus)

    def _on_toggled(self, is_on: bool) -> None:  # noqa: FBT001  a signal's
        if is_on:
            self.other.clear()
            self._move_tab_stop()
        self.changed.emit()

    def _on_typed(self) -> None:
        self._check("")
        self.changed.emit()


class DefectWindow(DetailWindow):
    """Form of the tool that records a defect; it stays open for the next one.

    Signals:
        log_changed: a defect was recorded, or taken out again.
    """

    log_changed = Signal()

    def __init__(self, services: AppServices, tasks: Tasks, owner: QWidget | None) -> None:
        super().__init__(owner, _("Report a defect"), size=QSize(1000, 740))
        self.setProperty("kind", "roomy")
        self._services = services
        self._tool = tools_of(services.defect_tools())[RECORD_TOOL]
        self._about = self._tool.input_fields()
        self._work = WidgetTasks(self, tasks, self._on_error)
        self._wanted: JsonObject = {}  # until the fields are there
        self._day: str | None = None  # another than today's, as it was said
        self._shift = ""  # the one that runs
        self.last: JsonObject = {}  # what was recorded last
        self.fields: dict[str, TileField] = {}
        self._when = make_label(role="quiet")
        self.today_button = TextButton(_("Today"), kind="link", on_click=self._use_today)
        self._inside = QWidget()
        self._rows = QGridLayout(self._inside)
        self._rows.setContentsMargins(0, 0, GRID_PX, 0)
        self._rows.setSpacing(GRID_PX)
        self._rows.setColumnStretch(1, 1)
        self.summary = make_label(role="heading", is_wrapped=True)
        self.status = StatusLabel()
        self.toast = Toast(self, widest_px=TOLD_PX, target_px=OPERATOR_TARGET_PX)
        QShortcut(QKeySequence("Ctrl+Z"), self, self._undo)
        self._count = 1
        self._is_busy = False
        self._count_label = make_label(role="heading")
        self.repeat_button = TextButton("", icon_name="retry", on_click=self._repeat)
        self.record_button = TextButton("", kind="primary", on_click=self._record)
        self._last_label = make_label(role="small", is_wrapped=True)
        self._lay_out()
        self.record_button.setDefault(True)
        self._set_count(1)
        self.following = self._work.start(self._follow())

    def _lay_out(self) -> None:
        self._count_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._count_label.setMinimumWidth(4 * GRID_PX)
        self.fewer_button, self.more_button = TextButton("−"), TextButton("+")
        steps = ((self.fewer_button, _("One fewer"), -1), (self.more_button, _("One more"), 1))
        for button, words, step in steps:
            button.setAccessibleName(words)
            button.setFixedWidth(OPERATOR_TARGET_PX)
            button.clicked.connect(lambda _on=False, step=step: self._set_count(self._count + step))
        how_many = make_label(self._about["quantos"].label, role="quiet")
        foot, counted = QWidget(), QWidget()
        set_height_for_width(foot)
        row_of(how_many, self.fewer_button, self._count_label, self.more_button, owner=counted)
        line = FlowLayout(spacing_px=2 * GRID_PX)
        foot.setLayout(line)
        for part in (counted, self.record_button, self.repeat_button):
            line.addWidget(part)
        for each in (self.fewer_button, self.more_button, self.repeat_button, self.today_button):
            each.setAutoDefault(False)
        add_to(self.column, row_of(self._when, self.today_button, STRETCH))
        self.add(scrolled(self._inside))
        # The buttons stand last, where nothing that is told moves them from under a finger.
        self.toast.keep_clear_of(foot)
        add_to(self.column, self.summary, self.status, self._last_label, foot)

    def fill(self, given: JsonObject) -> None:
        """Fill in what was said; what was not stays as it is."""
        if not self.fields:
            self._wanted = given
            return
        for name, value in given.items():
            if name in self.fields and isinstance(value, str | int):
                self.fields[name].set_value(value)
        day, count = given.get("data"), given.get("quantos")
        if isinstance(day, str):
            self._day = day if day != date.today().isoformat() else None
        if isinstance(count, int):
            self._set_count(count)
        self._show_state()

    @property
    def given(self) -> JsonObject:
        """The input of the tool, as it is filled in."""
        named: dict[str, Json] = {name: each.value for name, each in self.fields.items()}
        named |= {"data": self._day, "quantos": self._count}
        return {name: value for name, value in named.items() if value is not None}

    async def _follow(self) -> None:
        """Read the log, and from then on what others record; a shift ends while it is open."""
        short = await self._short()
        for name, about in self._about.items():
            if name not in ("data", "quantos"):
                field = TileField(about, _usual(about, short.values.get(name, ())))
                field.changed.connect(self._show_state)
                self.fields[name] = field
                row = self._rows.rowCount()
                self._rows.addWidget(make_label(about.label, role="quiet"), row, 0)
                self._rows.addWidget(field, row, 1)
        self._rows.setRowStretch(self._rows.rowCount(), 1)
        for field in self.fields.values():
            field.even_out()
        self._fill_in(short)
        self.fill(self._wanted)
        next(iter(self.fields["tipo_defeito"].tiles.values())).setFocus()
        while True:
            self._show(short)
            await asyncio.sleep(LOOK_S)
            with suppress(UserError):  # another program is busy: it is looked at again
                short = await self._short()

    async def _short(self) -> LogInShort:
        return await self._services.store.defects.log_in_short(date.today())

    async def _show_log(self) -> None:
        short = await self._short()
        if isValid(self):
            self._show(short)

    def _fill_in(self, short: LogInShort) -> None:
        """Fill in who it is, and where the last one was, if that was in the last hours."""
        now = datetime.now().astimezone()
        last = _input_of(short)
        age_s = (now - short.recorded).total_seconds() if short.recorded is not None else -1
        if 0 <= age_s < CARRIED_S:
            self.fill({name: last[name] for name in ("operador", *_PLACE)})
        if self._services.person is not None:
            self.fill({"operador": shown_name(self._services.person.name)})

    def _show(self, short: LogInShort) -> None:
        """Show what the log has by now, and the shift that runs by now."""
        self.last = _input_of(short)
        self.fields["tipo_defeito"].show_counts(short.today)
        begins = shifts_of(self._services.live_settings.settings)
        shift = plant_shift(datetime.now().astimezone(), begins)
        if shift != self._shift:
            is_said = self._day or (not self._shift and self.fields["turno"].value)
            self._shift = shift
            if not is_said:
                self.fields["turno"].set_value(shift)
        self._show_state()

    def _show_state(self) -> None:
        """Show what would be recorded, or what is missing for it."""
        count, missing = self._count, self._missing
        station = self._services.live_settings.settings.station
        today, clock = _("Today"), f"{datetime.now().astimezone():%H:%M}"
        when = day_words(self._day) if self._day else f"{today}, {clock}"
        self._when.setText(" · ".join(filter(None, (station, when))))
        self.today_button.setVisible(self._day is not None)
        told = _("Still missing: {fields}").format(fields=", ".join(missing))
        self.summary.setText(told if missing else self._words(self.given))
        self.record_button.setEnabled(not missing and not self._is_busy)
        self.repeat_button.setEnabled(not self._is_busy)
        again = _("Repeat the last")
        record = _("Record")
        if count > 1:
            again = _("{count} more alike").format(count=count)
            record = _("Record {count} alike").format(count=count)
        self.record_button.set_caption(record)
        self.repeat_button.set_caption(again)
        self.repeat_button.setVisible(bool(self.last))
        self._last_label.setVisible(bool(self.last))
        self._last_label.setText(_("The last: {defect}").format(defect=self._words(self.last)))

    @property
    def _missing(self) -> Sequence[str]:
        """The labels of what has to be chosen yet."""
        names = [each.name for each in self._about.values() if each.is_required]
        given = self.given
        return [self._about[name].label for name in names if name not in given]

    def _words(self, given: JsonObject) -> str:
        """Write a defect on one line: what it is and where, then who saw it and when."""
        names = ("tipo_defeito", *_PLACE, "turno", "operador", "data")
        shown = {name: day_words(value_words(given[name])) for name in names if name in given}
        if "posicao" in shown:
            shown["posicao"] = f"{self._about['posicao'].label} {shown['posicao']}"
        return " · ".join(shown.values())

    def _set_count(self, count: int) -> None:
        about = self._about["quantos"]
        self._count = max(int(about.least or 1), min(count, int(about.most or count)))
        self._count_label.setText(number(self._count, digits=0))
        self._show_state()

    def _use_today(self) -> None:
        self._day = None
        self._show_state()

    def _record(self) -> None:
        if not self._missing and not self._is_busy:
            self._work.start_kept(self._keep(self.given))

    def _repeat(self) -> None:
        """Record the last defect once more, or several, for whom and when the form says."""
        given = self.given
        now: JsonObject = {name: given[name] for name in _WHO_AND_WHEN if name in given}
        again: JsonObject = {**self.last, **now, "quantos": self._count}
        self._work.start_kept(self._keep(again))

    async def _keep(self, given: JsonObject) -> None:
        """Record, and wait a moment before the buttons can be pressed again."""
        self._set_busy(is_busy=True)
        try:
            await self._keep_and_tell(given)
            await asyncio.sleep(PAUSE_S)
        finally:
            self._set_busy(is_busy=False)

    def _set_busy(self, *, is_busy: bool) -> None:
        if isValid(self):
            self._is_busy = is_busy
            self._show_state()

    async def _keep_and_tell(self, given: JsonObject) -> None:
        output = await self._tool.prepare(given)(ToolContext(NO_CONVERSATION, ()))
        if not isValid(self):
            return
        told = cast("JsonObject", output.content)
        count, number_ = given.get("quantos", 1), told["desfazer"]
        words = (f"{count} × " if count != 1 else "") + self._words(given)
        self.status.hide()
        self.toast.offer_undo(
            _("Recorded: {defect}").format(defect=words),
            lambda: self._work.start_kept(self._take_back(number_, words)),
        )
        self._set_count(1)
        self._day = None
        self.fill({name: given[name] for name in _PLACE})
        self.fields["tipo_defeito"].set_value(None)
        self.log_changed.emit()
        await self._show_log()

    def _undo(self) -> None:
        """Press what the toast offers, for who has no hand for the mouse."""
        if not self.toast.isHidden() and self.toast.buttons:
            self.toast.buttons[0].click()

    async def _take_back(self, batch: Json, words: str) -> None:
        assert isinstance(batch, int)
        await self._services.defect_importer().take_back(batch)
        if isValid(self):
            self.toast.tell(_("Taken out again: {defect}").format(defect=words))
            self.log_changed.emit()
            await self._show_log()

    def _on_error(self, error: QHubError) -> None:
        self.status.tell_error(error)


def _usual(about: InputField, frequent: Sequence[str | int]) -> list[str]:
    """Return the values that have tiles: a tool's choices by how frequent they are, those of the
    log in their order, and of numbers all up to the highest.
    """
    if about.choices:
        order = {each: place for place, each in enumerate(frequent)}
        return sorted(about.choices, key=lambda each: order.get(each, len(order)))
    if about.most is not None:
        highest = max((each for each in frequent if isinstance(each, int)), default=0)
        shown = min(max(highest, _LEAST_POSITIONS), _MOST_POSITIONS, int(about.most))
        return [str(each) for each in range(int(about.least or 0), shown + 1)]
    return sorted(str(each) for each in frequent[:_MOST_TILES])


def _input_of(short: LogInShort) -> JsonObject:
    """Return the last defect as the tool's input; nothing without one."""
    if short.last is None:
        return {}
    last = short.last
    return {
        "tipo_defeito": last.type,
        "turno": last.shift,
        "operador": last.operator,
        "material": last.material,
        "rack": last.rack,
        "posicao": last.position,
    }
