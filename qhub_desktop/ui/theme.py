"""The look: colours, sizes and the style sheet made from them."""

from dataclasses import dataclass

GRID_PX = 8
RADIUS_PX = 6
CARD_RADIUS_PX = 10
TEXT_WIDTH_PX = 760
BODY_PT = 10.5
SMALL_PT = 9.0
TITLE_PT = 14.0
KPI_PT = 28.0


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
