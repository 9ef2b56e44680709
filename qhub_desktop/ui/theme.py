"""The look: colours, sizes and the style sheet made from them.

Widgets say what they are with dynamic properties, set before they are first shown:

| on      | property | values                                                                    |
|---------|----------|---------------------------------------------------------------------------|
| QLabel  | `role`   | title, heading, quiet, small (quiet and small), accent, good, warn, bad   |
| button  | `kind`   | primary, flat (no frame), icon (square, no frame), danger, tile, link,    |
|         |          | pill, part (painted by hand)                                              |
| QFrame  | `kind`   | card, panel, popover, banner, note, offer, chip, line (one pixel)         |
| QMenu   | `kind`   | choices (as high as other targets)                                        |

A QWidget (not a QFrame) with a `kind` needs `WA_StyledBackground` to be painted. Colours that are
painted by hand come from the same `Palette`, through `set_palette`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.ui.sheet import SHEET

GRID_PX = 8
RADIUS_PX = 6
CARD_RADIUS_PX = 10
TEXT_WIDTH_PX = 760
BODY_PT = 10.5
SMALL_PT = 9.0
TITLE_PT = 14.0
KPI_PT = 28.0
TARGET_PX = 32  # the height of a control
OPERATOR_TARGET_PX = 44
OPERATOR_SCALE = 1.25


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one appearance, as #RRGGBB."""

    is_dark: bool
    page: str
    panel: str
    card: str
    line: str
    text: str
    quiet: str
    accent: str
    good: str
    warn: str
    bad: str
    series: tuple[str, ...]

    @property
    def on_accent(self) -> str:
        """Text and icons on the accent colour."""
        return "#FFFFFF" if not self.is_dark else "#0B1A22"

    @property
    def own(self) -> str:
        """Behind the person's own messages."""
        return mix(self.page, self.accent, 0.12)

    @property
    def edge(self) -> str:
        """Around a control that is typed in or ticked."""
        return mix(self.card, self.text, 0.48)

    @property
    def hover(self) -> str:
        """Behind what the pointer is on, on the page or a panel."""
        return mix(self.panel, self.text, 0.07)

    @property
    def chosen(self) -> str:
        """Behind what is selected, on a panel."""
        return mix(self.panel, self.accent, 0.12)


LIGHT = Palette(
    is_dark=False,
    page="#FFFFFF",
    panel="#F5F6F8",
    card="#FFFFFF",
    line="#E2E5EA",
    text="#1B1D21",
    quiet="#5B6470",
    accent="#0B6E99",
    good="#1E7F4F",
    warn="#9A6700",
    bad="#C0362C",
    series=(
        "#0072B2",
        "#E69F00",
        "#009E73",
        "#D55E00",
        "#56B4E9",
        "#CC79A7",
        "#F0E442",
        "#6B7280",
    ),
)

DARK = Palette(
    is_dark=True,
    page="#1B1D21",
    panel="#23262B",
    card="#262A30",
    line="#373C44",
    text="#ECEEF1",
    quiet="#A3ABB7",
    accent="#4CB3DD",
    good="#4CC38A",
    warn="#E2B340",
    bad="#FF7A70",
    series=(
        "#4C9FD0",
        "#F0BC52",
        "#3FC29B",
        "#EE8A4A",
        "#86CBF0",
        "#DDA0C4",
        "#F5EC7A",
        "#9BA3AF",
    ),
)


class Painted(Protocol):
    """Whatever paints by hand, and so must be told of another palette."""

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        ...


def mix(first: str, second: str, share: float) -> str:
    """The colour that lies `share` of the way from the first to the second."""
    parts = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * share):02X}" for one, other in parts)


def contrast(first: str, second: str) -> float:
    """How far two colours stand apart, as WCAG counts it: 1 to 21, text needs 4.5."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@cache
def style_sheet(palette: Palette, scale: float, *, target_px: int = TARGET_PX) -> str:
    """What the application wears. `scale` multiplies every size of text."""
    values = {
        "page": palette.page,
        "panel": palette.panel,
        "card": palette.card,
        "line": palette.line,
        "text": palette.text,
        "quiet": palette.quiet,
        "accent": palette.accent,
        "accent_hover": mix(palette.accent, palette.text, 0.14),
        "accent_down": mix(palette.accent, palette.text, 0.26),
        "accent_tint": mix(palette.card, palette.accent, 0.12),
        "on_accent": palette.on_accent,
        "good": palette.good,
        "warn": palette.warn,
        "bad": palette.bad,
        "bad_tint": mix(palette.card, palette.bad, 0.10),
        "edge": palette.edge,
        "rim": mix(palette.card, palette.text, 0.2),
        "hover": palette.hover,
        "down": mix(palette.panel, palette.text, 0.13),
        "chosen": palette.chosen,
        "disabled": mix(palette.page, palette.text, 0.42),
        "grip": mix(palette.page, palette.text, 0.24),
        "grip_hover": mix(palette.page, palette.text, 0.42),
        "radius": f"{RADIUS_PX}px",
        "card_radius": f"{CARD_RADIUS_PX}px",
        "body": f"{BODY_PT * scale:.2f}pt",
        "small": f"{SMALL_PT * scale:.2f}pt",
        "heading": f"{(BODY_PT + 1) * scale:.2f}pt",
        "title": f"{TITLE_PT * scale:.2f}pt",
        "inner": f"{target_px - 2}px",  # a control's height inside its one-pixel border
        "pill_inner": f"{target_px - 6}px",
        "choice_pad": f"{target_px // 2 - 7}px",  # above and below a line in a menu of choices
        "pill_radius": f"{(target_px - 4) // 2}px",
        "tick": f"{round(18 * scale)}px",
        "icons": (RESOURCES / "icons").as_posix(),
        "tone": "dark" if palette.is_dark else "light",
    }
    return SHEET.format_map(values)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def _luminance(colour: str) -> float:
    shares = (channel / 255 for channel in _channels(colour))
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
