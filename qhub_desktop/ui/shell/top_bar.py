"""Top bar: station, shift, and the status pill of the answering engine."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import PureWindowsPath
from urllib.parse import urlsplit

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QPushButton,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.message import LOCAL
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import IconButton, TextButton, icon
from qhub_desktop.ui.controls.layouts import ElidedLabel, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_caption, set_tooltip
from qhub_desktop.ui.controls.popup import PopupFrame
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import GRID_PX, Palette, theme

OFFLINE = "offline"  # engine name in answers of the offline engine


@dataclass(frozen=True, slots=True)
class Online:
    """Claude answers; `model` if known."""

    model: str = ""


@dataclass(frozen=True, slots=True)
class Local:
    """Another endpoint with the same API answers, or a model inside this program."""

    name: str
    is_inside: bool = False


@dataclass(frozen=True, slots=True)
class Offline:
    """Built-in offline engine answers; `has_key` where Claude could, too."""

    why: str = ""
    has_key: bool = False


@dataclass(frozen=True, slots=True)
class Retrying:
    """Failed request to the service is being retried."""

    why: str
    wait_s: float | None


@dataclass(frozen=True, slots=True)
class NoKey:
    """Claude is selected, but no key is stored."""


Connection = Online | Local | Offline | Retrying | NoKey


def expected_connection(settings: Settings, *, has_key: bool) -> Connection:
    """Return the connection to expect before the first question."""
    match settings.engine:
        case "offline":
            return Offline(has_key=has_key)
        case "local":
            return _inside(settings) or Offline(has_key=has_key)
        case "auto" if not has_key and not settings.endpoint and settings.local_model:
            return _inside(settings) or Offline()
        case "auto" if not has_key and not settings.endpoint:
            return Offline()
        case "claude" if not has_key and not settings.endpoint:
            return NoKey()
        case "auto" | "claude":
            return connection_of(settings.model, settings)


def connection_of(engine: str, settings: Settings) -> Connection:
    """Return the connection that belongs to an answer's engine name."""
    if engine == OFFLINE:
        return Offline()
    if engine.startswith(LOCAL):
        return Local(engine.removeprefix(LOCAL), is_inside=True)
    if settings.endpoint:
        host = urlsplit(settings.endpoint).hostname or settings.endpoint
        return Local(engine or settings.model or host)
    return Online(engine)


def needs_network(connection: Connection, settings: Settings) -> bool:
    """Return whether nobody can answer over this connection without a network."""
    host = urlsplit(settings.endpoint).hostname or ""
    is_beside = host == "localhost" or host.startswith("127.") or host == "::1"
    is_inside = isinstance(connection, Local) and connection.is_inside
    return isinstance(connection, Online | Local | Retrying) and not (is_beside or is_inside)


def connection_after(event: StatusChanged, before: Connection, settings: Settings) -> Connection:
    """Return the connection after a status event of an answer."""
    match event.kind:
        case "online":
            return connection_of(settings.model, settings)
        case "offline":
            return Offline(event.text)
        case "local":
            return Local(event.text, is_inside=True)
        case "retrying" | "queued":
            return Retrying(event.text, event.wait_s)
        case "thinking" | "preparing" | "budget" | "damaged":
            return before


def _inside(settings: Settings) -> Local | None:
    """Return the local model that is chosen, by the name of its file until it says its own."""
    name = PureWindowsPath(settings.local_model).stem  # which takes the other system's bars, too
    return Local(name, is_inside=True) if name else None


class StatusPill(QPushButton):
    """Pill that shows the connection and opens its explanation.

    Signals:
        settings_requested: the settings of the engine are requested.
        retry_requested: another connection attempt is requested.
    """

    settings_requested = Signal()
    retry_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "pill")
        self.setIconSize(QSize(16, 16))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._connection: Connection = Offline()
        self._is_short = False
        self.clicked.connect(self._on_clicked)
        self.show_connection(self._connection)
        theme().on_change(self._restyle)

    @property
    def connection(self) -> Connection:
        """Connection shown."""
        return self._connection

    def show_connection(self, connection: Connection) -> None:
        """Show a connection."""
        self._connection = connection
        words = _title(connection)
        set_caption(self, "" if self._is_short else f"\N{NO-BREAK SPACE}{words}")
        self.setAccessibleName(_("Engine: {state}").format(state=words))
        set_tooltip(self, _("What this means, and what to do"))
        self._restyle()

    def full_width(self) -> int:
        """Return the width with all words."""
        words = self.fontMetrics().horizontalAdvance(_title(self._connection))
        return words + self.iconSize().width() + 6 * GRID_PX

    def set_short(self, *, is_short: bool) -> None:
        """Show the sign alone where there is no room for words."""
        if is_short != self._is_short:
            self._is_short = is_short
            self.show_connection(self._connection)

    def _restyle(self) -> None:
        name, colour = _icon_for(self._connection, theme().palette)
        self.setIcon(icon(name, colour, size_px=16))

    def open(self) -> "Popover":
        """Open the explanation, which closes on a click elsewhere."""
        popover = Popover(self._connection, self)
        popover.settings_requested.connect(self.settings_requested)
        popover.retry_requested.connect(self.retry_requested)
        popover.adjustSize()
        middle = self.mapToGlobal(QPoint(self.width() // 2, self.height() + 6))
        popover.open_at(middle - QPoint(popover.width() // 2, 0))
        return popover

    def _on_clicked(self) -> None:
        self.open()


class ConnectionStatus:
    """Shows in the pill how questions are answered, and asks whether there is a key for it.

    `pill` returns the pill, which a change of language makes anew; `on_reachable` is called when
    Claude may be reachable or selected again.
    """

    def __init__(
        self,
        services: AppServices,
        *,
        pill: Callable[[], StatusPill],
        on_reachable: Callable[[], object],
        tasks: Tasks,
    ) -> None:
        self._services = services
        self._pill = pill
        self._on_reachable = on_reachable
        self._tasks = tasks
        self._has_key = False
        self._is_cut = False

    def watch_network(self) -> None:
        """Show from now on when this computer loses its network, where the system tells."""
        from PySide6.QtNetwork import QNetworkInformation  # not before the first paint

        if not QNetworkInformation.loadDefaultBackend():
            return
        gone = QNetworkInformation.Reachability.Disconnected
        unknown = QNetworkInformation.Reachability.Unknown

        def on_reachability_changed(now: QNetworkInformation.Reachability) -> None:
            if now != unknown:
                self.show_network(is_there=now != gone)

        self._network = QNetworkInformation.instance()
        self._network.reachabilityChanged.connect(on_reachability_changed)

    def show_network(self, *, is_there: bool) -> None:
        """Show who will answer now that this computer has lost its network, or has it again."""
        if is_there and self._is_cut:
            self._is_cut = False
            self._show_expected()
            self._on_reachable()
        elif not is_there and needs_network(self._pill().connection, self._settings):
            self._is_cut = True
            why = _("This computer has no network.")
            self._pill().show_connection(Offline(why, has_key=self._has_key))

    def show_answered(self, model: str) -> None:
        """Show that a model has just answered, whoever asked it."""
        self._is_cut = False
        after, shown = connection_of(model, self._settings), self._pill().connection
        match after, shown:
            case Local(name, is_inside=True), Local(told) if told.startswith(name):
                pass  # its speed is told as well
            case _:
                self._pill().show_connection(after)

    def show_status(self, event: StatusChanged) -> None:
        """Show the connection after a status event of an answer."""
        pill = self._pill()
        after = connection_after(event, pill.connection, self._settings)
        if isinstance(after, Offline):
            after = replace(after, has_key=self._has_key)
        pill.show_connection(after)
        if event.kind == "online":
            self._on_reachable()

    def end_retrying(self) -> None:
        """Show what is expected of the next question, where the last answer tried again."""
        if isinstance(self._pill().connection, Retrying):
            self._show_expected()

    def check_key(self) -> None:
        """Start to ask whether there is a key, and show what to expect."""
        self._tasks.start(self._check_key())

    def retry(self) -> None:
        """Start to try the connection again."""
        self._tasks.start(self._retry())

    @property
    def has_model(self) -> bool:
        """Whether Claude or another model is expected to answer."""
        return not isinstance(self._pill().connection, Offline | NoKey)

    @property
    def _settings(self) -> Settings:
        return self._services.live_settings.settings

    async def _check_key(self) -> None:
        self._has_key = await self._services.has_key()
        self._on_reachable()
        self._show_expected()

    def _show_expected(self) -> None:
        pill = self._pill()
        pill.show_connection(expected_connection(self._settings, has_key=self._has_key))
        pill.show()

    async def _retry(self) -> None:
        settings = self._settings
        await self._services.test_connection("", settings)
        self._pill().show_connection(connection_of(settings.model, settings))


class Popover(PopupFrame):
    """Explanation of a connection, with a button for the suitable action."""

    settings_requested = Signal()
    retry_requested = Signal()

    def __init__(self, connection: Connection, parent: QWidget) -> None:
        super().__init__(parent)
        heading = make_label(_title(connection), role="heading")
        meaning = make_label(_explanation(connection), is_wrapped=True)
        meaning.setFixedWidth(320)
        buttons = row_of()
        if isinstance(connection, Offline | Retrying):
            retry = TextButton(_("Try again"), icon_name="retry", on_click=self._on_retry_clicked)
            buttons.addWidget(retry)
        kind = "primary" if isinstance(connection, NoKey) else ""
        settings = TextButton(_("Settings…"), icon_name="gear", kind=kind)
        settings.clicked.connect(self._on_settings_clicked)
        buttons.addWidget(settings)
        buttons.addStretch(1)
        column_of(heading, meaning, 4, buttons, owner=self, margins=(16, 14))

    def _on_retry_clicked(self) -> None:
        self.close()
        self.retry_requested.emit()

    def _on_settings_clicked(self) -> None:
        self.close()
        self.settings_requested.emit()


def _title(connection: Connection) -> str:
    match connection:
        case Online():
            return _("Claude · online")
        case Local(name):
            return _("Local · {name}").format(name=name)
        case Offline():
            return _("Offline · local engine")
        case Retrying(_why, wait_s):
            if wait_s is None:
                return _("Trying again")
            return _("Trying again in {seconds} s").format(seconds=round(wait_s))
        case NoKey():
            return _("No key")


def _explanation(connection: Connection) -> str:
    match connection:
        case Online(model):
            words = _(
                "Claude answers over the network. Numbers are still computed here, by the tools;"
                " what leaves is your question, the profile of the data and the tools' results."
            )
            # The text extraction does not find a call inside an f-string.
            which = _("Model: {model}").format(model=model)
            return f"{words}\n\n{which}" if model else words
        case Local(name, is_inside=True):
            return _(
                "{name} answers, inside this program. It needs no network, and nothing leaves this"
                " computer; numbers are still computed by the tools."
            ).format(name=name)
        case Local(name):
            return _(
                "{name} answers, at the address given in Settings. Nothing goes to Anthropic."
            ).format(name=name)
        case Offline(why, has_key):
            words = _(
                "The program's own engine answers. It needs no key and no network, nothing leaves"
                " this computer, and it uses the same tools and charts."
            )
            key = "" if has_key else _("To use Claude, add a key in Settings.")
            return "\n\n".join(filter(None, (why, f"{words} {key}".strip())))
        case Retrying(why, _wait_s):
            words = _("The question is kept and is asked again by itself. Esc stops it.")
            return f"{why}\n\n{words}" if why else words
        case NoKey():
            return _(
                "Claude was chosen, but there is no key. Add one in Settings, or choose the offline"
                " engine there."
            )


def _icon_for(connection: Connection, palette: Palette) -> tuple[str, str]:
    """Return the icon name and colour of a connection."""
    match connection:
        case Online():
            return "cloud", palette.good
        case Local():
            return "database", palette.good
        case Offline():
            return "engine", palette.quiet
        case Retrying():
            return "clock", palette.warn
        case NoKey():
            return "key", palette.warn


# First hour of each of the plant's shifts.
MORNING_STARTS_H = 6
AFTERNOON_STARTS_H = 14
NIGHT_STARTS_H = 22


def shift_at(moment: datetime) -> str:
    """Return the name of the current shift."""
    if MORNING_STARTS_H <= moment.hour < AFTERNOON_STARTS_H:
        return _("Morning shift")
    if AFTERNOON_STARTS_H <= moment.hour < NIGHT_STARTS_H:
        return _("Afternoon shift")
    return _("Night shift")


class TopBar(QFrame):
    """Top bar of the window, always one line high.

    Signals:
        sidebar_toggled, panel_toggled: the column on that side is to be shown or hidden.
        theme_toggled: the other theme is requested.
        settings_opened: the settings dialog is requested.
    """

    sidebar_toggled = Signal()
    panel_toggled = Signal()
    theme_toggled = Signal()
    settings_opened = Signal()

    def __init__(self, *, station: str, now: datetime) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self._station = station
        self._sidebar_button = IconButton(
            "sidebar-left", _("Agents and conversations"), shortcut="F9"
        )
        self._sidebar_button.clicked.connect(self.sidebar_toggled)
        name = make_label("QHub", role="heading")
        self._location = ElidedLabel(role="quiet")
        self.pill = StatusPill()
        self._theme_button = IconButton("moon", "", on_click=self.theme_toggled)
        self._settings_button = IconButton("gear", _("Settings"), shortcut="Ctrl+,")
        self._settings_button.clicked.connect(self.settings_opened)
        self._panel_button = IconButton("sidebar-right", _("Data"), shortcut="F10")
        self._panel_button.clicked.connect(self.panel_toggled)

        self._name = name
        left = row_of(self._sidebar_button, name, 4, (self._location, 1))
        right = self._right = row_of(spacing=4)
        right.addStretch(1)
        for button in (self._theme_button, self._settings_button, self._panel_button):
            right.addWidget(button)
        row = QGridLayout(self)
        row.setContentsMargins(8, 6, 8, 6)
        row.addLayout(left, 0, 0)
        row.addWidget(self.pill, 0, 1)
        row.addLayout(right, 0, 2)
        # Sides of equal width keep the pill centred in the window.
        row.setColumnStretch(0, 1)
        row.setColumnStretch(2, 1)
        self.show_time(now)
        theme().register(self._restyle)

    def add_person(self, button: QWidget) -> None:
        """Show the button of who works here, before the others."""
        self._right.insertWidget(1, button)

    @property
    def location_text(self) -> str:
        """Displayed station and shift."""
        return self._location.text()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max(
            self._right.sizeHint().width(),
            self._sidebar_button.width() + self._name.sizeHint().width() + 6 * GRID_PX,
        )
        self.pill.set_short(is_short=self.width() < 2 * side + self.pill.full_width())

    def show_time(self, now: datetime) -> None:
        """Show the current shift."""
        self._location.setText(" · ".join(filter(None, (self._station, shift_at(now)))))

    def show_station(self, station: str, now: datetime) -> None:
        """Show the station and its current shift."""
        self._station = station
        self.show_time(now)

    def _restyle(self) -> None:
        palette = theme().palette
        tip = _("Light appearance") if palette.is_dark else _("Dark appearance")
        self._theme_button.set_tooltip(tip)
        self._theme_button.set_icon("sun" if palette.is_dark else "moon")
