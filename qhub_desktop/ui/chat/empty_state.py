"""Invitations to ask: in an empty conversation, and for a data set just imported."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.chat.agents import Agent
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import cell, language, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconLabel, agent_icon, icon, pixmap
from qhub_desktop.ui.controls.column_summary import TYPE_ICONS
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    add_to,
    column_of,
    make_label,
    row_of,
)
from qhub_desktop.ui.controls.plain_text import captioned, set_tooltip
from qhub_desktop.ui.importing.receipt import summary
from qhub_desktop.ui.theme import GRID_PX, OPERATOR_TARGET_PX, mix, theme

_AGENT_ICON_PX = 44
_STARTER_PX = 44
_STARTER_WIDTH_PX = 480
_MOST_HABITS = 3
_MIDDLE = Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """Start of an empty conversation: the agent's icon, name, summary and starter questions.

    Signals:
        asked: a starter question was pressed.
    """

    asked = Signal(str)

    def __init__(self, agent: Agent, *, is_operator_mode: bool = False) -> None:
        super().__init__()
        self._agent = agent
        self._is_operator_mode = is_operator_mode
        self._icon_label = make_label()
        self._hint_icon_label = make_label()
        self._starters: list[QPushButton] = []
        spoken = language()
        column = column_of(owner=self, margins=(0, 5 * GRID_PX, 0, 2 * GRID_PX))
        middle = _MIDDLE
        column.addWidget(self._icon_label, alignment=middle)
        column.addSpacing(4)
        column.addWidget(make_label(agent.name, role="title"), alignment=middle)
        summary_text = agent.summary.get(spoken, "")
        add_to(column, (make_label(summary_text, role="quiet"), 0, middle), 2 * GRID_PX)
        for question in agent.starters.get(spoken, ())[:3]:
            self._add_starter(column, question)
        self._habits = column_of()
        column.addLayout(self._habits)
        column.addSpacing(2 * GRID_PX)
        hint = make_label(
            _("Drop an Excel or CSV file anywhere in this window to ask about your own data."),
            role="small",
            is_wrapped=True,
        )
        hint.setAlignment(middle)
        add_to(column, (self._hint_icon_label, 0, middle), hint, STRETCH)
        theme().register(self._restyle)

    def offer_habits(self, questions: Sequence[str]) -> None:
        """Offer what the person often asks, below the starters."""
        if not questions:
            return
        column = self._habits
        column.addWidget(make_label(_("You often ask:"), role="small"), alignment=_MIDDLE)
        for question in questions[:_MOST_HABITS]:
            self._add_starter(column, question)

    def _add_starter(self, column: QVBoxLayout, question: str) -> None:
        starter = self._starter_button(question, is_operator_mode=self._is_operator_mode)
        self._starters.append(starter)
        row = row_of(spacing=0)  # in the middle, and narrower where there is less room
        add_to(row, STRETCH, (starter, _STARTER_WIDTH_PX), STRETCH)
        column.addLayout(row)

    @property
    def starters(self) -> tuple[QPushButton, ...]:
        """Buttons of the starter questions."""
        return tuple(self._starters)

    def _restyle(self) -> None:
        palette = theme().palette
        ratio = self.devicePixelRatioF()
        drawn = agent_icon(self._agent.icon, palette.accent, size_px=_AGENT_ICON_PX)
        self._icon_label.setPixmap(drawn.pixmap(QSize(_AGENT_ICON_PX, _AGENT_ICON_PX), ratio))
        quiet = mix(palette.page, palette.quiet, 0.7)
        self._hint_icon_label.setPixmap(pixmap("drop", quiet, size_px=20, ratio=ratio))
        for starter in self._starters:
            starter.setIcon(icon("chat", palette.accent, size_px=18))

    def _starter_button(self, question: str, *, is_operator_mode: bool) -> QPushButton:
        button = _ask_button(question)
        button.setMaximumWidth(_STARTER_WIDTH_PX + 120 * is_operator_mode)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        height = _STARTER_PX if not is_operator_mode else OPERATOR_TARGET_PX + 20
        # The application's style sheet overrides setMinimumHeight.
        button.setStyleSheet(f"min-height: {height - 2}px;")
        button.clicked.connect(lambda: self.asked.emit(question))
        return button


_WIDE_CHARACTERS = 60


def _ask_button(question: str) -> QPushButton:
    button = captioned(QPushButton(), f" {question}")
    if len(question) > _WIDE_CHARACTERS:  # a column's name may be wider than the page
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        set_tooltip(button, question)
    button.setProperty("kind", "tile")
    button.setIconSize(QSize(18, 18))
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setAccessibleName(_("Ask: {question}").format(question=question))
    return button


_MAX_GROUPS = 30
_NEARLY_ALL = 0.95  # of the rows, from where on whole numbers rather number them


def suggested_questions(profile: DatasetProfile) -> tuple[str, ...]:
    """Suggest at most three questions about existing columns."""
    groups = [column for column in profile.columns if _is_group(column)]
    numbers = [column for column in profile.columns if _is_measure(column, profile.rows)]
    dates = [column for column in profile.columns if column.type in ("date", "datetime")]
    questions: list[str] = []
    if groups:
        asked = _("How many rows by {group}?")
        questions.append(asked.format(group=groups[0].name))
    if numbers and groups:
        asked = _("Mean of {number} by {group}")
        questions.append(asked.format(number=numbers[0].name, group=groups[-1].name))
    if dates:
        asked = _("Trend by {date} in a chart")
        questions.append(asked.format(date=dates[0].name))
    if len(groups) > 1:
        asked = _("Top 5 by {group}")
        questions.append(asked.format(group=groups[1].name))
    if numbers:
        asked = _("Histogram of {number}")
        questions.append(asked.format(number=numbers[0].name))
    questions.append(_("Summarise the data"))
    return tuple(questions[:3])


def _is_group(column: ColumnProfile) -> bool:
    return (
        column.type in ("category", "text", "time", "boolean")
        and 2 <= column.distinct <= _MAX_GROUPS
    )


def _is_measure(column: ColumnProfile, rows: int) -> bool:
    """Whether a column is a measurement, not a running number or a constant.

    A few rows of a numbered table may be there twice.
    """
    is_counter = column.type == "integer" and column.distinct >= _NEARLY_ALL * rows
    return is_numeric(column.type) and column.distinct > 1 and not is_counter


_MAX_COLUMNS = 12
_MAX_NAME_PX = 160


class ProfileCard(QFrame):
    """Card of a data set: its file, size, columns and warnings.

    Signals:
        asked: a suggested question was pressed.
    """

    asked = Signal(str)

    def __init__(self, profile: DatasetProfile) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._questions: list[QPushButton] = []
        column = column_of(owner=self, margins=(2 * GRID_PX, 14), spacing=12)
        add_to(column, self._make_header(profile), self._make_columns(profile))
        for warning in _warnings(profile):
            column.addLayout(self._make_warning(warning))
        if profile.report is not None and (done := summary(profile.report)[0]):
            quiet = make_label(done, role="small", is_wrapped=True)
            column.addWidget(quiet)
        row = column_of()
        for question in suggested_questions(profile):
            row.addWidget(self._question_button(question))
        column.addLayout(row)
        theme().register(self._restyle)

    @property
    def questions(self) -> tuple[QPushButton, ...]:
        """Buttons of the suggested questions."""
        return tuple(self._questions)

    def _restyle(self) -> None:
        for button in self._questions:
            button.setIcon(icon("chat", theme().palette.accent, size_px=18))

    def _make_header(self, profile: DatasetProfile) -> QHBoxLayout:
        words = column_of(spacing=0)
        add_to(words, ElidedLabel(profile.file, role="heading", mode=Qt.TextElideMode.ElideMiddle))
        under = ElidedLabel(_size_text(profile), role="small")
        words.addWidget(under)
        return row_of(IconLabel("table", "accent", size_px=24), (words, 1), spacing=12)

    def _make_columns(self, profile: DatasetProfile) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        half = (min(len(profile.columns), _MAX_COLUMNS) + 1) // 2
        for place, column in enumerate(profile.columns[:_MAX_COLUMNS]):
            side = 4 * (place // half) if half else 0
            at = place % half if half else 0
            grid.addWidget(IconLabel(TYPE_ICONS[column.type], size_px=16), at, side)
            name = ElidedLabel(column.name)
            name.setMaximumWidth(_MAX_NAME_PX)
            name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            grid.addWidget(name, at, side + 1)
            # May shrink: in a small window the card would be wider than the page.
            grid.addWidget(ElidedLabel(_column_text(column), role="small"), at, side + 2)
            grid.setColumnStretch(side + 2, 1)
        more = len(profile.columns) - _MAX_COLUMNS
        if more > 0:
            words = ngettext("and {count} more column", "and {count} more columns", more)
            label = make_label(words.format(count=more), role="small")
            grid.addWidget(label, half, 0, 1, 7)
        return box

    def _make_warning(self, text: str) -> QHBoxLayout:
        sign = IconLabel("warning", "warn", size_px=16)
        words = make_label(text, is_wrapped=True)
        return row_of((sign, 0, Qt.AlignmentFlag.AlignTop), (words, 1))

    def _question_button(self, question: str) -> QPushButton:
        button = _ask_button(question)
        button.clicked.connect(lambda: self.asked.emit(question))
        self._questions.append(button)
        return button


def _warnings(profile: DatasetProfile) -> tuple[str, ...]:
    """Return the warnings to check; repairs are only counted, the report lists them."""
    if profile.report is None:
        return profile.warnings
    return tuple(finding.text for finding in profile.report.doubtful)


def _size_text(profile: DatasetProfile) -> str:
    rows = ngettext("{count} row", "{count} rows", profile.rows).format(count=number(profile.rows))
    count = len(profile.columns)
    columns = ngettext("{count} column", "{count} columns", count).format(count=number(count))
    return " · ".join(filter(None, (profile.sheet, rows, columns)))


def _column_text(column: ColumnProfile) -> str:
    match column.type:
        case "integer" | "number" | "date" | "datetime" | "time" if column.min is not None:
            words = f"{cell(column.min)} – {cell(column.max)}"
        case "category" | "text" if column.top:
            words = ", ".join(cell(value) for value, _count in column.top[:3])
            words += "…" if column.distinct > len(column.top[:3]) else ""
        case _:
            words = ""
    if column.missing:
        missing = ngettext("{count} missing", "{count} missing", column.missing)
        words += " · " if words else ""
        words += missing.format(count=number(column.missing))
    return words if len(words) <= 44 else f"{words[:43]}…"
