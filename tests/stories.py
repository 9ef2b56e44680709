"""Stories at a real window, each played in a process of its own.

The web engine ends with the first event loop of a process, as the program does, and tests have
many. A module of stories lists them in `STORIES` and plays the one that it is called with.
"""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence

MOST_S = 240  # less than a test may take: it is ended with its whole process then

Story = Callable[..., Awaitable[None]]


def play_apart(module: str, story: str) -> None:
    """Play a story in a process of its own. Raises AssertionError with its last words."""
    played = subprocess.run(
        [sys.executable, "-m", module, story],
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
        timeout=MOST_S,
    )
    assert played.returncode == 0, played.stderr[-3000:]


def play_here(stories: Sequence[Story], name: str) -> int:
    """Play one of these on this process's only event loop; return the exit code."""
    import qasync
    from PySide6.QtWidgets import QApplication

    from qhub_desktop.ui.web.web_engine import exit_process

    story = next(each for each in stories if each.__name__ == name)
    application = QApplication([])
    with qasync.QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(story(application))
    return exit_process(0)
