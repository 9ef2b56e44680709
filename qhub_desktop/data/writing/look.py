"""The colours of the interface, as workbooks wear them: on white paper, whatever the screen is."""

from qhub_desktop.core.figure import Role

ACCENT = "#0B6E99"
TEXT = "#1B1D21"
QUIET = "#5B6470"
LINE = "#E2E5EA"
PAPER = "#FFFFFF"
GOOD = "#1E7F4F"
BAD = "#C0362C"
SERIES = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#F0E442",
    "#6B7280",
)
ROLES: dict[Role, str] = {
    "centre": GOOD,
    "limit": BAD,
    "target": QUIET,
    "good": GOOD,
    "bad": BAD,
    "quiet": QUIET,
}


def colour(role: Role, series: int) -> str:
    """What a mark is drawn in."""
    return SERIES[series % len(SERIES)] if role == "series" else ROLES[role]
