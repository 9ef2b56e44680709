"""The desktop around the program: our place in its task bar, and what is opened elsewhere."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QIcon

from qhub_desktop.core.paths import RESOURCES, persons_umask
from qhub_desktop.core.processes.child import open_environment

# Shortcuts of the installer name the same, so that windows gather under the one that was pinned.
APP_ID = "QHub.Desktop"
ICON = RESOURCES / "icons" / "qhub.ico"
LIBRARY_PATH = "LD_LIBRARY_PATH"


def identify(application: QGuiApplication) -> None:
    """Tell the desktop who we are; call it before the first window."""
    application.setApplicationName("QHub Desktop")
    application.setDesktopFileName("qhub-desktop")
    application.setWindowIcon(QIcon(str(ICON)))
    if sys.platform == "win32":
        import ctypes

        # Otherwise the task bar takes us for the interpreter, and shows its icon.
        ctypes.windll.shell32.SetCurrentProcessExplicitAppUserModelID(APP_ID)


def is_saving_power() -> bool:
    """Return whether the computer asks for less work, to save its battery."""
    if sys.platform == "win32":
        import ctypes

        # SYSTEM_POWER_STATUS: four bytes, the last of which is the battery saver; two numbers.
        status = (ctypes.c_ubyte * 12)()
        return bool(ctypes.windll.kernel32.GetSystemPowerStatus(status)) and status[3] == 1
    try:
        profile = Path("/sys/firmware/acpi/platform_profile").read_text(encoding="ascii")
    except OSError:
        return False
    return profile.strip() == "low-power"


def open_url(url: QUrl) -> bool:
    """Open a link or a file in the program that the person has for it; return whether one did."""
    with open_environment(), _libraries_of_the_system(), persons_umask():
        return QDesktopServices.openUrl(url)


def open_file(path: Path) -> bool:
    """Open a file or a folder in the program that the person has for it."""
    return open_url(QUrl.fromLocalFile(str(path)))


@contextmanager
def _libraries_of_the_system() -> Iterator[None]:
    """Give other programs their own libraries: the packaged program's loader puts ours first."""
    ours = os.environ.get(LIBRARY_PATH)
    if ours is None or not getattr(sys, "frozen", False):
        yield
        return
    before = os.environ.get(f"{LIBRARY_PATH}_ORIG")  # as the loader keeps it
    if before is None:
        del os.environ[LIBRARY_PATH]
    else:
        os.environ[LIBRARY_PATH] = before
    try:
        yield
    finally:
        os.environ[LIBRARY_PATH] = ours
