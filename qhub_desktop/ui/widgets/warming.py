"""Loading what the first chart needs before anybody asks for one."""

from qhub_desktop.core.text import number
from qhub_desktop.core.worker import in_background


def warm() -> None:
    """Import pyqtgraph and the numbers' formats on a thread; call it after the first paint."""
    in_background(_load, "warm-charts")


def _load() -> None:
    import pyqtgraph  # noqa: F401  480 ms that nobody has to wait for

    number(1234.5)
