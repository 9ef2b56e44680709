"""Invitations to ask: in an empty conversation, and for a data set just imported."""

from collections.abc import Collection, Iterator, Sequence

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
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile, ImportChoices
from qhub_desktop.core.text import cell, language, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.nlq.answer.suggestions import suggestions
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.ui.controls.buttons import (
    ElidedButton,
    IconButton,
    IconLabel,
    agent_icon,
    icon,
    pixmap,
)
from qhub_desktop.ui.controls.column_summary import TYPE_ICONS
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    FlowLayout,
    add_to,
    column_of,
    make_label,
    row_of,
)
from qhub_desktop.ui.controls.plain_text import captioned
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.importing.receipt import offers, summary
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
        forgotten: a question that was kept is not to be offered any more.
    """

    asked = Signal(str)
    forgotten = Signal(str)

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

    def offer_kept(self, questions: Sequence[str]) -> None:
        """Offer what the person has kept as starters, each with a button that lets go of it."""
        if not questions:
            return
        column = self._habits
        column.addSpacing(GRID_PX)
        column.addWidget(make_label(_("You have kept:"), role="small"), alignment=_MIDDLE)
        for question in questions:
            self._add_starter(column, question, can_forget=True)
        self._restyle()

    def offer_habits(self, questions: Sequence[str]) -> None:
        """Offer what the person often asks, below the starters."""
        if not questions:
            return
        column = self._habits
        column.addSpacing(GRID_PX)
        column.addWidget(make_label(_("You often ask:"), role="small"), alignment=_MIDDLE)
        for question in questions[:_MOST_HABITS]:
            self._add_starter(column, question)
        self._restyle()

    def _add_starter(self, column: QVBoxLayout, question: str, *, can_forget: bool = False) -> None:
        starter = self._starter_button(question, is_operator_mode=self._is_operator_mode)
        self._starters.append(starter)
        row = row_of(spacing=0)  # in the middle, and narrower where there is less room
        add_to(row, STRETCH, (starter, _STARTER_WIDTH_PX))
        if can_forget:
            forget = IconButton("close", _("Offer it no more"))
            forget.clicked.connect(starter.hide)
            forget.clicked.connect(forget.hide)
            forget.clicked.connect(lambda: self.forgotten.emit(question))
            row.addWidget(forget)
        add_to(row, STRETCH)
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
    button = captioned(ElidedButton(question, kind="tile"), f" {question}")
    if len(question) > _WIDE_CHARACTERS:  # a column's name may be wider than the page
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    button.setIconSize(QSize(18, 18))
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setAccessibleName(_("Ask: {question}").format(question=question))
    return button


_MAX_COLUMNS = 12
_MAX_NAME_PX = 160


class ProfileCard(QFrame):
    """Card of a data set: its file, size, columns, and doubts with what can be done about them.

    Signals:
        asked: a suggested question was pressed.
        choices_made: the choices to read the file again under.
    """

    asked = Signal(str)
    choices_made = Signal(object)

    def __init__(self, profile: DatasetProfile, tools: Collection[str] | None) -> None:
        """Make the card; what is suggested is done by `tools` of the agent, or by any."""
        super().__init__()
        self.setProperty("kind", "card")
        self._tools = tools
        self._questions: list[QPushButton] = []
        self.remedies: list[ElidedButton] = []
        self._inside = QWidget()
        self._column = column_of(self._inside, owner=self)
        self.show_profile(profile)
        theme().register(self._restyle)

    @property
    def profile(self) -> DatasetProfile:
        """The data set shown."""
        return self._profile

    def show_profile(self, profile: DatasetProfile) -> None:
        """Show a data set in place of the one before."""
        self._profile = profile
        self._questions, self.remedies = [], []
        self._message = StatusLabel()
        inside = QWidget()
        column = column_of(owner=inside, margins=(2 * GRID_PX, 14), spacing=12)
        add_to(column, self._make_header(profile), self._make_columns(profile))
        for warning, offered in _doubts(profile):
            column.addLayout(self._make_warning(warning, offered))
        column.addWidget(self._message)
        if profile.report is not None and (done := summary(profile.report)[0]):
            quiet = make_label(done, role="small", is_wrapped=True)
            column.addWidget(quiet)
        row = column_of()
        index = schema_index_of(profile)
        for question in suggestions(index, AnswerLocale(language()), self._tools):
            row.addWidget(self._question_button(question))
        column.addLayout(row)
        before, self._inside = self._inside, inside
        self._column.replaceWidget(before, inside)
        before.hide()
        before.deleteLater()
        self._restyle()

    def follow(self, held: Sequence[DatasetProfile]) -> None:
        """Show what has become of the data set among those of the conversation; nothing, if it is
        gone from there.
        """
        own = self._profile
        there = [each for each in held if each.place == own.place]
        there = there or [each for each in held if each.place[:2] == own.place[:2]]
        if there and own.id not in {each.id for each in there}:
            self.show_profile(there[0])
        self.setVisible(bool(there))

    def show_reading(self, words: str) -> None:
        """Show how far the file is read again."""
        for button in self.remedies:
            button.setEnabled(False)
        self._message.tell(words)

    def show_error(self, sentence: str) -> None:
        """Show why the file was not read again; it stays as it was."""
        for button in self.remedies:
            button.setEnabled(True)
        self._message.tell(sentence, role="bad")

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

    def _make_warning(self, text: str, offered: Sequence[tuple[str, ImportChoices]]) -> QHBoxLayout:
        sign = IconLabel("warning", "warn", size_px=16)
        words = column_of(make_label(text, is_wrapped=True), spacing=2)
        if offered:
            row = FlowLayout(spacing_px=GRID_PX)
            for label, choices in offered:
                row.addWidget(self._remedy_button(label, choices))
            words.addLayout(row)
        return row_of((sign, 0, Qt.AlignmentFlag.AlignTop), (words, 1))

    def _remedy_button(self, label: str, choices: ImportChoices) -> QPushButton:
        button = ElidedButton(label, kind="link")
        button.clicked.connect(lambda: self.choices_made.emit(choices))
        self.remedies.append(button)
        return button

    def _question_button(self, question: str) -> QPushButton:
        button = _ask_button(question)
        button.clicked.connect(lambda: self.asked.emit(question))
        self._questions.append(button)
        return button


def _doubts(profile: DatasetProfile) -> Iterator[tuple[str, list[tuple[str, ImportChoices]]]]:
    """Yield what is in doubt, and how it can be read otherwise; repairs are only counted, the
    report lists them.
    """
    report = profile.report
    if report is None:
        yield from ((warning, []) for warning in dict.fromkeys(profile.warnings))
        return
    told: set[str] = set()
    for finding in report.doubtful:
        if finding.text not in told:
            told.add(finding.text)
            yield finding.text, offers(finding, report.choices)


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
