"""Qt as it is installed here: sound for long runs, and able to open a real window."""

import subprocess
import sys

# PySide6 6.12.0 on Python 3.11 drops a reference to None with each call that returns nothing, and
# the interpreter dies after some thousands of them: short tests never see it.
VOID_CALLS = """
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

app = QApplication([])
owner, widget = QObject(), QWidget()
for _ in range(100_000):
    owner.setObjectName("")
    widget.update()
print("alive")
"""

WINDOW = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

app = QApplication([])
window = QMainWindow()
window.show()
QTimer.singleShot(
    0,
    lambda: (
        print(app.platformName(), window.isVisible(), app.primaryScreen().size().width()),
        app.quit(),
    ),
)
app.exec()
"""


def play(program: str, surroundings: dict[str, str] | None = None) -> str:
    """What a Python of its own says, having ended well."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=surroundings,
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    ).stdout.strip()


def test_two_hundred_thousand_calls_that_return_nothing_are_survived() -> None:
    assert play(VOID_CALLS) == "alive"


def test_a_real_window_opens(xvfb: dict[str, str]) -> None:
    platform, is_visible, width_px = play(WINDOW, xvfb).split()

    assert platform in ("xcb", "windows", "cocoa")
    assert is_visible == "True"
    assert int(width_px) >= 1024
