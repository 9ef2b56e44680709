"""Loading what the first chart needs before anybody waits for it."""

import threading
from functools import cache

from qhub_desktop.core.text import number
from qhub_desktop.core.worker import LOADING, in_background


def warm() -> None:
    """Import pyqtgraph and the formats of numbers on a thread; call it after the first paint."""
    _loading()


def is_warm() -> bool:
    """Whether a chart can be built without waiting; starts the loading where nobody has."""
    return not _loading().is_alive()


@cache
def _loading() -> threading.Thread:
    # What is imported is imported for the whole process, once; so is this thread.
    return in_background(_load, f"{LOADING}charts")


def _load() -> None:
    import qhub_desktop.ui.widgets.plot_view  # noqa: F401  480 ms, most of it pyqtgraph

    number(1234.5)
