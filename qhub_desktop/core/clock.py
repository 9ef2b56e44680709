"""Clock of the computer: whether it can be read, and what is said where it cannot."""

import os
import sys
import time
from typing import NoReturn


def is_readable() -> bool:
    """Return whether the clock shows a time that Python can hold: from 1970 to 2262.

    In the year 9999 even the standard library's log cannot be imported. Windows counts on, and
    comes out before 1970.
    """
    try:
        return time.time() >= 0
    except OverflowError:
        return False


def use_zone_of_computer() -> None:
    """Forget the variable TZ, by which anybody could begin tomorrow, with its budgets, today."""
    if os.environ.pop("TZ", None) is not None and sys.platform != "win32":
        time.tzset()  # Windows reads the variable with the first time that is asked for


def unreadable() -> str:
    """Return the sentence for a clock that cannot be read."""
    from qhub_desktop.core.text import gettext as _

    return _(
        "The clock of this computer shows a date that cannot be. Set its date and time right, then"
        " start QHub again; nothing was changed."
    )


def refuse_start() -> NoReturn:
    """End the program before it has begun, with the sentence, which a window needs no Qt for."""
    sentence = unreadable()
    if sys.platform == "win32" and sys.stderr is None:
        import ctypes

        critical = 0x10  # MB_ICONERROR
        ctypes.windll.user32.MessageBoxW(None, sentence, "QHub Desktop", critical)
    raise SystemExit(sentence)
