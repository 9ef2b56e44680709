"""The steps of the first run: what each asks, and what it makes of the answer."""

from __future__ import annotations  # the public classes come before what they are made of

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QLineEdit,
    QPushButton,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import LONGEST_PERSON_NAME, new_account_name
from qhub_desktop.core.secret_rules import password_rules
from qhub_desktop.core.settings import Choices, KeyChoice, LanguageChoice, Policy, setting_infos
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton, icon
from qhub_desktop.ui.controls.forms import caption
from qhub_desktop.ui.controls.layouts import (
    add_to,
    column_of,
    make_label,
    row_of,
    set_height_for_width,
)
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.people.sign_in import SecretField
from qhub_desktop.ui.tasks import Tasks, WidgetTasks
from qhub_desktop.ui.theme import set_style_property, theme

if TYPE_CHECKING:
    from qhub_desktop.core.keystore import KeyPlace
    from qhub_desktop.tools.first_run import FirstRun

MOST_STATION = 60
MOST_KEY = 20_000
_MARK_PX = 22
_LANGUAGES = (("pt", "Português"), ("en", "English"))  # each in its own words

Problem = tuple[str, QWidget]  # what is to be put right, and where


class FirstRunPage(QFrame):
    """One step: what it asks, its controls, and the answer.

    Signals:
        changed: an answer that changes the window itself was given.
    """

    changed = Signal()

    def __init__(self, heading: str, words: str) -> None:
        super().__init__()
        self.heading = heading
        self.words = words
        self.column = column_of(owner=self, spacing=12)

    def taken(self, chosen: Choices) -> Choices:
        """Return the choices with the answer."""
        raise NotImplementedError

    def problem(self) -> Problem | None:
        """Return what is wrong with the answer; None if it can be taken."""
        return None


class Tile(QPushButton):
    """A large button for one of a few answers, with a line about it."""

    def __init__(self, title: str, about: str = "") -> None:
        super().__init__()
        self.setProperty("kind", "choice")
        self.setCheckable(True)
        self.setAutoDefault(False)  # Enter goes on
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        self._mark = make_label()
        self._mark.setFixedSize(_MARK_PX, _MARK_PX)
        words = column_of(spacing=2)
        self._labels = [make_label(title, role="heading")]
        if about:
            self._labels.append(make_label(about, role="quiet", is_wrapped=True))
        add_to(words, *self._labels)
        row = row_of(owner=self, margins=(16, 12), spacing=12)
        add_to(row, (words, 1), (self._mark, 0, Qt.AlignmentFlag.AlignVCenter))
        for label in (*self._labels, self._mark):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        set_height_for_width(self)
        self.toggled.connect(self._restyle)
        theme().register(self._restyle)

    def _restyle(self) -> None:
        mark = icon("check", theme().palette.accent, size_px=_MARK_PX)
        self._mark.setPixmap(mark.pixmap(_MARK_PX) if self.isChecked() else mark.pixmap(0))


class Tiles(QFrame):
    """One choice of a few.

    Signals:
        picked: the value of the tile that was chosen.
    """

    picked = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str, str]], value: str) -> None:
        """Offer values, each with a title and a line about it."""
        super().__init__()
        self._group = QButtonGroup(self)
        self.tiles: Mapping[str, Tile] = {
            each: Tile(title, about) for each, title, about in choices
        }
        column = column_of(owner=self, spacing=10)
        for each, tile in self.tiles.items():
            self._group.addButton(tile)
            column.addWidget(tile)
            tile.setChecked(each == value)
            tile.toggled.connect(lambda is_on, each=each: self._on_toggled(each, is_on=is_on))
        self.setFocusProxy(self.tiles[value])

    @property
    def value(self) -> str:
        """What is chosen."""
        return next(each for each, tile in self.tiles.items() if tile.isChecked())

    def _on_toggled(self, value: str, *, is_on: bool) -> None:
        if is_on:
            self.setFocusProxy(self.tiles[value])
            self.picked.emit(value)


class LanguagePage(FirstRunPage):
    """Asks for the language, which the window takes at once."""

    def __init__(self, chosen: Choices) -> None:
        super().__init__(
            _("Which language?"),
            _("For the window and the answers. Everything here can be changed later, in Settings."),
        )
        self.tiles = Tiles(
            [(each, name, "") for each, name in _LANGUAGES], chosen.settings.language
        )
        self.tiles.picked.connect(lambda _value: self.changed.emit())
        self.column.addWidget(self.tiles)
        self.setFocusProxy(self.tiles)

    @override
    def taken(self, chosen: Choices) -> Choices:
        language: LanguageChoice = "en" if self.tiles.value == "en" else "pt"
        return replace(chosen, settings=replace(chosen.settings, language=language))


class StationPage(FirstRunPage):
    """Asks for the name of the station, which may be empty."""

    def __init__(self, chosen: Choices) -> None:
        about = setting_infos()["station"]
        super().__init__(_("What is this station called?"), _(about.help))
        self.name = QLineEdit(one_line(chosen.settings.station))
        self.name.setMaxLength(MOST_STATION)
        self.name.setAcceptDrops(False)
        self.column.addWidget(caption(self.name, _("Name of the station (may stay empty)")))
        self.column.addWidget(self.name)
        self.setFocusProxy(self.name)

    @override
    def taken(self, chosen: Choices) -> Choices:
        station = self.name.text().strip()
        return replace(chosen, settings=replace(chosen.settings, station=station))


class FirstAccountPage(FirstRunPage):
    """Asks whether people sign in, and for the first administrator if they do."""

    def __init__(self, chosen: Choices) -> None:
        super().__init__(
            _("Who works here?"), _("Accounts can be made later, too: in the window, under People.")
        )
        self.tiles = Tiles(
            [
                ("one", _("One person"), _("Nobody signs in, and everything is open.")),
                (
                    "several",
                    _("Several people, who sign in"),
                    _("Each has conversations and agents of their own. You are the administrator."),
                ),
            ],
            "several" if chosen.has_accounts else "one",
        )
        self.name = QLineEdit(one_line(chosen.admin))
        self.name.setMaxLength(LONGEST_PERSON_NAME)
        self.name.setAcceptDrops(False)
        self.secret = SecretField(_("Password"))
        self.secret.set_text(chosen.secret)
        self.again = SecretField(_("The same once more"))
        self.again.set_text(chosen.secret)
        self.rules = [make_label(role="quiet") for _rule in range(4)]
        self.account = QFrame()
        inside = column_of(owner=self.account, margins=(0, 4, 0, 0), spacing=6)
        add_to(inside, caption(self.name, _("Your name or e-mail")), self.name)
        secrets = row_of((self.secret, 1), (self.again, 1), spacing=12)
        add_to(inside, secrets, *self.rules)
        add_to(self.column, self.tiles, self.account)
        self.setFocusProxy(self.tiles)
        self.account.setVisible(chosen.has_accounts)
        self.tiles.picked.connect(lambda value: self.account.setVisible(value == "several"))
        for field in (self.secret, self.again):
            field.edited.connect(self._show_rules)
        self.name.textChanged.connect(self._show_rules)
        self._show_rules()

    @override
    def taken(self, chosen: Choices) -> Choices:
        return replace(
            chosen,
            has_accounts=self.tiles.value == "several",
            admin=self.name.text().strip(),
            secret=self.secret.text,
        )

    @override
    def problem(self) -> Problem | None:
        if self.tiles.value == "one":
            return None
        try:
            new_account_name(self.name.text())
        except UserError as error:
            if not self.name.text().strip():
                return _("Write the name that you will sign in with."), self.name
            return str(error), self.name
        for words, is_met in password_rules(self.secret.text, self.name.text()):
            if not is_met:
                return _("The password: {rule}.").format(rule=words), self.secret
        if self.secret.text != self.again.text:
            return _("The two are not the same. Write the second one again."), self.again
        return None

    def _show_rules(self) -> None:
        secret = self.secret.text
        are_alike = (_("Both are the same"), bool(secret) and secret == self.again.text)
        for label, (words, is_met) in zip(
            self.rules, (*password_rules(secret, self.name.text()), are_alike), strict=True
        ):
            label.setText(f"{'✓' if is_met else '○'}  {words}")
            set_style_property(label, "role", "good" if is_met else "quiet")


class EnginePage(FirstRunPage):
    """Asks who answers: the offline engine, or Claude with a key, which can be tried."""

    def __init__(self, chosen: Choices, first_run: FirstRun, *, tasks: Tasks) -> None:
        super().__init__(
            _("Who answers?"), _("Both can be changed in Settings, under Engine, at any time.")
        )
        self._first_run = first_run
        self._settings = replace(chosen.settings, engine="auto")
        self._has_key = False
        self.tiles = Tiles(
            [
                (
                    "offline",
                    _("The offline engine"),
                    _("Counts, compares and draws on this computer: no key, no network, no cost."),
                ),
                (
                    "auto",
                    _("Claude, with a key"),
                    _(
                        "Answers more kinds of questions, and costs money. Without a network, the"
                        " offline engine answers."
                    ),
                ),
            ],
            "offline" if chosen.settings.engine == "offline" else "auto",
        )
        self.fixed = make_label(
            _("Fixed by whoever looks after this computer."), role="small", is_wrapped=True
        )
        self.result = StatusLabel(is_selectable=True)
        work = WidgetTasks(self, tasks, self.result.tell_error)
        self.key = SecretField(_key_label(first_run, chosen), longest=MOST_KEY)
        self.key.set_text(chosen.key, placeholder="sk-ant-…")
        self.key.edited.connect(lambda: self.result.tell(""))
        self.test_button = TextButton(_("Test connection"))
        self.test_button.setAutoDefault(False)
        self.test_button.clicked.connect(lambda: work.start(self._test(), self.test_button))
        self.place = make_label(role="small", is_wrapped=True)
        self.places = _KeyPlaces(chosen)
        self.about_key = QFrame()
        inside = column_of(owner=self.about_key, margins=(0, 4, 0, 0), spacing=6)
        line = row_of(spacing=12)
        add_to(line, (self.key, 1), (self.test_button, 0, Qt.AlignmentFlag.AlignBottom))
        add_to(inside, line, self.result, self.place, self.places)
        add_to(self.column, self.tiles, self.fixed, self.about_key)
        is_fixed = "engine" in first_run.policy.fixed
        self.tiles.setEnabled(not is_fixed)
        self.fixed.setVisible(is_fixed)
        self._is_optional = is_fixed
        self.setFocusProxy(self.key if is_fixed else self.tiles)
        self.tiles.picked.connect(lambda value: self.about_key.setVisible(value == "auto"))
        self.about_key.setVisible(self.tiles.value == "auto")
        work.start(self._look())

    @override
    def taken(self, chosen: Choices) -> Choices:
        engine = chosen.settings.engine
        if self.tiles.isEnabled():
            engine = "offline" if self.tiles.value == "offline" else "auto"
        return replace(
            chosen,
            settings=replace(chosen.settings, engine=engine),
            key="" if self.tiles.value == "offline" else self.key.text.strip(),
            key_choice=self.places.value,
            passphrase=self.places.passphrase.text,
        )

    @override
    def problem(self) -> Problem | None:
        from qhub_desktop.chat.claude.credentials import parse_key

        if self.tiles.value == "offline":
            return None
        key = self.key.text.strip()
        if not key:
            if self._has_key or self._is_optional:
                return None
            return _("Write the key, or choose the offline engine."), self.key
        try:
            parse_key(key)
        except UserError as error:
            return str(error), self.key
        return self.places.problem()

    async def _look(self) -> None:
        """Show where the key is kept, and whether there is one."""
        from qhub_desktop.core.keystore import place_sentence

        place = await self._first_run.key_place()
        if isValid(self):
            self.place.setText(place_sentence(place))
            self.places.show_for(place)
        self._has_key = await self._first_run.has_key(self._settings)
        if isValid(self) and self._has_key:
            self.key.set_text(self.key.text, placeholder=_("There is a key already"))

    async def _test(self) -> None:
        self.result.tell(_("Asking the service…"))
        said = await self._first_run.test_connection(self.key.text.strip(), self._settings)
        self.result.tell(said, role="good")


class _KeyPlaces(QFrame):
    """Choice of where a key is kept on a computer without a key store."""

    def __init__(self, chosen: Choices) -> None:
        super().__init__()
        self._is_asked = False
        self.passphrase = SecretField(_("Passphrase of the file, 8 characters or more"))
        self.passphrase.set_text(chosen.passphrase)
        self.tiles = Tiles(
            [
                ("file", _("In an encrypted file"), _("A passphrase opens it at each start.")),
                ("session", _("Only until the program ends"), ""),
            ],
            "session" if chosen.key_choice == "session" else "file",
        )
        column_of(self.tiles, self.passphrase, owner=self)
        self.tiles.picked.connect(lambda value: self.passphrase.setVisible(value == "file"))
        self.passphrase.setVisible(self.tiles.value == "file")
        self.hide()

    @property
    def value(self) -> KeyChoice:
        """What was chosen; the system's store where there is one."""
        if not self._is_asked:
            return "system"
        return "file" if self.tiles.value == "file" else "session"

    def show_for(self, place: KeyPlace) -> None:
        """Ask where there is no key store."""
        self._is_asked = place in ("none", "locked")
        self.setVisible(self._is_asked)

    def problem(self) -> Problem | None:
        """Return what is wrong with the passphrase."""
        from qhub_desktop.core.secret_file import LEAST_PASSPHRASE

        if self.value == "file" and len(self.passphrase.text) < LEAST_PASSPHRASE:
            sentence = _("A passphrase has {count} characters or more.")
            return sentence.format(count=LEAST_PASSPHRASE), self.passphrase
        return None


def _key_label(first_run: FirstRun, chosen: Choices) -> str:
    try:
        return _("Key for {host}").format(host=first_run.service(chosen.settings).host)
    except UserError:  # its address is none: said by the test, and with the first question
        return _("Key")


class DataPage(FirstRunPage):
    """Asks whether to begin with demo data."""

    def __init__(self, chosen: Choices) -> None:
        super().__init__(
            _("Begin with demo data?"),
            _("Files of your own are dropped on the window, with either."),
        )
        self.tiles = Tiles(
            [
                (
                    "demo",
                    _("With demo data"),
                    _("A month of invented paint defects, to try questions on at once."),
                ),
                ("none", _("Empty"), _("The station's defect log begins with your own records.")),
            ],
            "demo" if chosen.has_demo_data else "none",
        )
        self.column.addWidget(self.tiles)
        self.setFocusProxy(self.tiles)

    @override
    def taken(self, chosen: Choices) -> Choices:
        return replace(chosen, has_demo_data=self.tiles.value == "demo")


Step = Callable[[Choices, "FirstRun", Tasks], FirstRunPage]
_STEPS: Sequence[tuple[str, Step]] = (
    ("language", lambda chosen, _first_run, _tasks: LanguagePage(chosen)),
    ("station", lambda chosen, _first_run, _tasks: StationPage(chosen)),
    ("", lambda chosen, _first_run, _tasks: FirstAccountPage(chosen)),
    ("engine", lambda chosen, first_run, tasks: EnginePage(chosen, first_run, tasks=tasks)),
    ("", lambda chosen, _first_run, _tasks: DataPage(chosen)),
)


def steps_under(policy: Policy) -> list[Step]:
    """Return the steps that a policy leaves something to ask in."""
    left = []
    for setting, step in _STEPS:
        # A fixed service still wants its key.
        is_settled = policy.is_offline if setting == "engine" else setting in policy.fixed
        if not is_settled:
            left.append(step)
    return left


_SHOWN_FIXED = ("language", "station", "engine", "endpoint", "model")


def fixed_sentence(first_run: FirstRun) -> str:
    """Return what of the questions a policy answers, "" if nothing."""
    about = setting_infos()
    told = []
    for name in _SHOWN_FIXED:
        if (value := first_run.policy.fixed.get(name)) is not None:
            shown = dict(about[name].choices).get(value)
            told.append(f"{_(about[name].label)}: {_(shown) if shown else one_line(str(value))}")
    if not told:
        return ""
    return _("Fixed by whoever looks after this computer: {what}.").format(what="; ".join(told))
