"""Form of an agent: what it is called, its prompt, its tools with their rules, its limits."""

from collections.abc import Collection, Mapping
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.chat.agent_files import (
    LARGEST_FILE,
    LONGEST_LINE,
    LONGEST_NAME,
    agent_from,
    checked_icon,
    content_of,
)
from qhub_desktop.chat.agents import LIMITS, Agent, Rule
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError, unreadable
from qhub_desktop.core.events import Privacy
from qhub_desktop.core.settings import LiveSettings, Settings, setting_infos
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import Risk, Tool
from qhub_desktop.core.untrusted import visible
from qhub_desktop.core.untrusted_files import decoded, read_regular
from qhub_desktop.ui.chat.markdown_style import monospace
from qhub_desktop.ui.controls.buttons import TextButton, agent_icon
from qhub_desktop.ui.controls.file_dialogs import open_file_dialog
from qhub_desktop.ui.controls.forms import caption, choice_box, text_box, text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    add_to,
    column_of,
    make_label,
    row_of,
    scrolled,
)
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.theme import BODY_PT, GRID_PX, scaled_pt, theme

ICON_PX = 48
STARTERS_PX = 96  # of a box of starter questions
_NUMBER_PX = 140
RULES: dict[Rule, str] = {
    "always": gettext_noop("Runs at once"),
    "ask": gettext_noop("Asks first"),
    "never": gettext_noop("Never"),
}
RISKS: dict[Risk, str] = {
    "read": gettext_noop("reads"),
    "compute": gettext_noop("computes"),
    "write": gettext_noop("writes"),
    "network": gettext_noop("goes out to the network"),
}
PRIVACIES: dict[Privacy, str] = {
    "rows": gettext_noop("Rows, as far as the settings let them"),
    "aggregates": gettext_noop("Only aggregates"),
    "nothing": gettext_noop("Nothing: the offline engine answers"),
}
LANGUAGES = {"pt": gettext_noop("in Portuguese"), "en": gettext_noop("in English")}
PAGES = (
    gettext_noop("Description"),
    gettext_noop("Prompt"),
    gettext_noop("Tools"),
    gettext_noop("Model and limits"),
)


class AgentForm(QStackedWidget):
    """The pages of the form, in the order of PAGES; `bench` stands beside the prompt.

    Signals:
        edited: something was written or chosen.
    """

    edited = Signal()

    def __init__(self, tools: Mapping[str, Tool], settings: LiveSettings, bench: QWidget) -> None:
        super().__init__()
        self._tools = tools
        self._agent: Agent | None = None
        self._shown: JsonObject = {}
        self._is_filling = False
        self._icon = ""
        self.dialog: QFileDialog | None = None
        self.name = text_field(_("Name"), most=LONGEST_NAME)
        self.summaries = {
            spoken: text_field(_spoken(_("Description"), spoken), most=LONGEST_LINE)
            for spoken in LANGUAGES
        }
        self.starters = {
            spoken: text_box(_spoken(_("Starter questions"), spoken)) for spoken in LANGUAGES
        }
        self.prompt = text_box(_("Prompt"))
        self.rules: dict[str, QComboBox] = {}
        self.model = text_field(_("Model"), most=LONGEST_LINE)
        self.privacy = QComboBox()
        self.limits: dict[str, QLineEdit] = {}
        self.icon_label = make_label()
        self.icon_label.setFixedSize(ICON_PX, ICON_PX)
        self.icon_problem = StatusLabel(role="bad")
        self.choose_icon_button = TextButton(_("Choose SVG…"), on_click=self.open_icon_dialog)
        self.no_icon_button = TextButton(_("No icon"), on_click=lambda: self.set_icon(""))
        self._add_description()
        self._add_prompt(bench)
        self._add_tools()
        self._add_limits(settings.settings, settings.policy.fixed)
        self._connect()
        theme().register(self._restyle)

    @property
    def is_edited(self) -> bool:
        """Whether something is written that is not the agent's."""
        return self._agent is not None and self._written() != self._shown

    @property
    def written(self) -> JsonObject:
        """What differs from the agent that was shown, by field."""
        return {
            name: value for name, value in self._written().items() if value != self._shown[name]
        }

    def show_agent(self, agent: Agent) -> None:
        """Fill in an agent; what was written before is forgotten."""
        self._agent = agent
        self._is_filling = True
        self.name.setText(one_line(agent.name))
        for spoken in LANGUAGES:
            self.summaries[spoken].setText(one_line(agent.summary.get(spoken, "")))
            asked = agent.starters.get(spoken, ())
            self.starters[spoken].setPlainText(visible("\n".join(asked)))
        self.prompt.setPlainText(visible(agent.prompt))
        for name, tool in self._tools.items():
            box = self.rules[name]
            box.setCurrentIndex(box.findData(agent.rule_of(tool)))
        self.model.setText(one_line(agent.model))
        self.privacy.setCurrentIndex(self.privacy.findData(agent.privacy))
        for name, line in self.limits.items():
            line.setText(str(agent.limits.get(name, "")))
        self._set_icon(agent.icon)
        self._shown = self._written()
        self._is_filling = False

    def write(self, changes: Mapping[str, Json]) -> None:
        """Write over what is shown, as `written` gave it once; what fits no field is left out."""
        if self._agent is None:
            return
        try:
            wanted = agent_from(self._agent.id, {**content_of(self._agent), **changes})
        except UserError:
            return  # the words come back, a half-written number does not
        shown, agent = self._shown, self._agent
        self.show_agent(wanted)
        self._shown, self._agent = shown, agent
        self.edited.emit()

    def draft(self) -> Agent:
        """Return the agent as it is written. Raises UserError for what cannot be."""
        assert self._agent is not None, "no agent is shown"
        for field, words in ((self.name.text(), _("Name")), (self.prompt.toPlainText(), PAGES[1])):
            if not field.strip():
                raise UserError(_("{field} is empty. Write something.").format(field=_(words)))
        return agent_from(self._agent.id, {**content_of(self._agent), **self.written})

    def open_icon_dialog(self) -> QFileDialog:
        """Open the dialog for the file of an icon."""
        title = _("Choose SVG…")
        self.dialog = open_file_dialog(self, title, kind="SVG", on_selected=self.read_icon)
        return self.dialog

    def read_icon(self, file: Path) -> None:
        """Take an icon from a file, or say why it cannot be used."""
        try:
            self.set_icon(decoded(read_regular(file, most_bytes=LARGEST_FILE)))
        except (OSError, ValueError) as error:
            self._tell_icon(str(unreadable(error, file)))

    def set_icon(self, svg: str) -> None:
        """Show another icon, or say why it cannot be used."""
        try:
            self._set_icon(checked_icon(svg))
        except UserError as error:
            self._tell_icon(str(error))

    def _set_icon(self, svg: str) -> None:
        self._icon = svg
        self.icon_problem.hide()
        self.no_icon_button.setEnabled(bool(svg))
        self._restyle()
        self._on_edited()

    def _tell_icon(self, sentence: str) -> None:
        self.icon_problem.tell(sentence)

    def _restyle(self) -> None:
        picture = agent_icon(self._icon, theme().palette.accent, size_px=ICON_PX)
        size = QSize(ICON_PX, ICON_PX)
        self.icon_label.setPixmap(picture.pixmap(size, self.devicePixelRatioF()))
        self.prompt.setFont(monospace(scaled_pt(BODY_PT)))

    def _written(self) -> JsonObject:
        """Return the content of all fields."""
        agent = self._agent
        assert agent is not None, "no agent is shown"
        rules: JsonObject = {
            name: rule for name, rule in agent.rules.items() if name not in self._tools
        }
        for name, tool in self._tools.items():
            rule = self.rules[name].currentData()
            # One that is written stays written, though it is what would be given anyway.
            if rule != agent.given_rule(tool) or agent.rules.get(name) == rule:
                rules[name] = rule
        summary: JsonObject = {**agent.summary}
        starters: JsonObject = {spoken: [*asked] for spoken, asked in agent.starters.items()}
        for spoken in LANGUAGES:
            summary[spoken] = self.summaries[spoken].text().strip()
            lines = self.starters[spoken].toPlainText().splitlines()
            starters[spoken] = [line.strip() for line in lines if line.strip()]
        limits: JsonObject = {}
        for name, line in self.limits.items():
            typed = line.text().strip()
            if typed:
                limits[name] = int(typed) if typed.isdecimal() else typed
        return {
            "name": self.name.text().strip(),
            "summary": summary,
            "icon": self._icon,
            "prompt": self.prompt.toPlainText().strip(),
            "starters": starters,
            "rules": rules,
            "privacy": self.privacy.currentData(),
            "model": self.model.text().strip(),
            "limits": limits,
        }

    def _on_edited(self, *_told: object) -> None:
        if not self._is_filling:
            self.edited.emit()

    def _connect(self) -> None:
        for line in (self.name, self.model, *self.summaries.values(), *self.limits.values()):
            line.textChanged.connect(self._on_edited)
        for box in (self.prompt, *self.starters.values()):
            box.textChanged.connect(self._on_edited)
        for choice in (self.privacy, *self.rules.values()):
            choice.currentIndexChanged.connect(self._on_edited)

    def _add_description(self) -> None:
        column = self._add_page()
        icons = row_of(self.choose_icon_button, self.no_icon_button)
        names = row_of(
            self.icon_label, (_labelled(_("Name"), self.name), 1), icons, spacing=2 * GRID_PX
        )
        names.setAlignment(icons, Qt.AlignmentFlag.AlignBottom)
        add_to(column, names, self.icon_problem)
        for spoken in LANGUAGES:
            label = _spoken(_("Description"), spoken)
            column.addLayout(_labelled(label, self.summaries[spoken]))
        for spoken in LANGUAGES:
            label = _spoken(_("Starter questions"), spoken)
            column.addLayout(_labelled(label, self.starters[spoken]))
            self.starters[spoken].setMinimumHeight(STARTERS_PX)
            self.starters[spoken].setMaximumHeight(2 * STARTERS_PX)
        column.addWidget(
            make_label(_("One question a line; the first three are shown."), role="small")
        )
        column.addStretch(1)

    def _add_prompt(self, bench: QWidget) -> None:
        left = QWidget()
        column = column_of(owner=left, margins=(0, 0, GRID_PX, 0))
        about = _(
            "What it is told before every conversation. The rules that all agents share, the data"
            " sets and the tools are added by the program."
        )
        column.addWidget(make_label(_("Prompt"), role="heading"))
        column.addWidget(make_label(about, role="small", is_wrapped=True))
        column.addWidget(self.prompt, 1)
        both = QSplitter()
        both.setHandleWidth(1)
        both.setChildrenCollapsible(False)
        both.addWidget(left)
        both.addWidget(bench)
        both.setSizes([440, 370])
        both.setStretchFactor(0, 3)
        both.setStretchFactor(1, 2)
        self.addWidget(both)

    def _add_tools(self) -> None:
        column = self._add_page()
        about = _(
            "The model is told only of the tools that it may use. What writes or goes out to the"
            " network always asks the person first."
        )
        column.addWidget(make_label(about, role="small", is_wrapped=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID_PX)
        grid.setVerticalSpacing(GRID_PX // 2)
        for place, words in enumerate((_("What it does"), _("Tool"), _("Risk"), _("Rule"))):
            grid.addWidget(make_label(words, role="small"), 0, place)
        for row, (name, tool) in enumerate(self._tools.items(), 1):
            does = tool.words
            grid.addWidget(make_label(does), row, 0)
            grid.addWidget(make_label(name, role="quiet"), row, 1)
            grid.addWidget(make_label(_(RISKS[tool.declared.risk]), role="quiet"), row, 2)
            rules = [
                (rule, _(words))
                for rule, words in RULES.items()
                if not (rule == "always" and tool.needs_approval)
            ]
            box = self.rules[name] = choice_box(_("Rule of {tool}").format(tool=does), rules)
            grid.addWidget(box, row, 3)
        grid.setColumnStretch(0, 1)
        add_to(column, grid, STRETCH)

    def _add_limits(self, settings: Settings, fixed: Collection[str]) -> None:
        column = self._add_page()
        self.model.setPlaceholderText(_("as in the settings"))
        column.addLayout(_labelled(_("Model"), self.model))
        help_ = _(
            "The name that the service knows, as claude-sonnet-5-5. Empty: as in the settings."
        )
        column.addWidget(make_label(help_, role="small", is_wrapped=True))
        self.model.setEnabled("model" not in fixed)
        self.privacy.setAccessibleName(_("What may leave for a service"))
        for privacy, words in PRIVACIES.items():
            self.privacy.addItem(_(words), privacy)
        column.addLayout(_labelled(_("What may leave for a service"), self.privacy))
        closed = _(
            "Only aggregates: the model has no SQL and no Python. It asks for counts, sums, means"
            " and quartiles of groups of at least five rows; charts, tables and studies are shown"
            " whole, to the person alone."
        )
        column.addWidget(make_label(closed, role="small", is_wrapped=True))
        about = setting_infos()
        for name in LIMITS:
            info = about[name]
            line = text_field(_(info.label), most=9)
            line.setFixedWidth(_NUMBER_PX)
            line.setAlignment(Qt.AlignmentFlag.AlignRight)
            line.setPlaceholderText(str(getattr(settings, name)))
            line.setEnabled(name not in fixed)
            self.limits[name] = line
            one = row_of(_labelled(_(info.label), line), STRETCH, spacing=None)
            column.addLayout(one)
        column.addWidget(make_label(_("Empty: as in the settings, shown in grey."), role="small"))
        if {"model", *LIMITS} & {*fixed}:
            note = _("What is disabled is fixed by whoever looks after this computer.")
            column.addWidget(make_label(note, role="small", is_wrapped=True))
        column.addStretch(1)

    def _add_page(self) -> QVBoxLayout:
        page = QWidget()
        column = column_of(owner=page, margins=(0, 0, GRID_PX, 0))
        self.addWidget(scrolled(page))
        return column


def _spoken(label: str, language: str) -> str:
    return f"{label} ({_(LANGUAGES[language])})"


def _labelled(words: str, field: QWidget) -> QVBoxLayout:
    return column_of(caption(field, words), (field, 1), spacing=2)
