"""What the station has chosen for now: the current settings, and who wants to know of new ones."""

from collections.abc import Callable

from qhub_desktop.core.settings import Settings

Listener = Callable[[Settings], None]


class Chosen:
    """Holds the settings in use; `replace` is told to every listener, in the order they came."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._listeners: list[Listener] = []

    @property
    def settings(self) -> Settings:
        """The settings in use now."""
        return self._settings

    def replace(self, settings: Settings) -> None:
        """Use these from now on."""
        self._settings = settings
        for listener in tuple(self._listeners):
            listener(settings)

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every later settings."""
        self._listeners.append(listener)
