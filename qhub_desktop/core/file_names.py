"""Names of files that every system takes."""

import re

from qhub_desktop.core.text import gettext as _

LONGEST_NAME = 80
# Windows keeps these names for devices, with any suffix.
DEVICE_NAMES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{each}{n}" for each in ("com", "lpt") for n in range(1, 10)),
}


def file_name(title: str, suffix: str) -> str:
    """A name for a file that every system takes: 'Top 5: turno?' becomes 'Top 5 turno.png'."""
    kept = re.sub(r'[<>:"/\\|?*\x00-\x1f]+', " ", title)
    stem = " ".join(kept.split())[:LONGEST_NAME].rstrip(" .") or _("chart")
    if stem.casefold().partition(".")[0] in DEVICE_NAMES:
        stem = f"{stem}_"
    return f"{stem}{suffix}"
