"""Colours of a figure: a role or series by the palette, an amount by an even ramp."""

from functools import cache

from qhub_desktop.core.figure import (
    Band,
    Bars,
    Cells,
    Label,
    Line,
    Mark,
    Points,
    Role,
    Rule,
    Slices,
)
from qhub_desktop.ui.theme import Palette, contrast

_LIGHT = ("#EDF4F9", "#7FB8DC", "#0072B2", "#00365C")
_DARK = ("#2C3843", "#2E6C96", "#4C9FD0", "#D3ECFB")
_STEPS = 64
Lab = tuple[float, float, float]


def colour_of(mark: Mark, palette: Palette) -> str:
    """Return the colour of a mark: its role's, or its series' in the palette."""
    match mark:
        case Line(role=role, series=series) | Points(role=role, series=series):
            return role_colour(role, series, palette)
        case Bars(role=role, series=series) | Band(role=role, series=series):
            return role_colour(role, series, palette)
        case Rule(role=role) | Label(role=role):
            return role_colour(role, 0, palette)
        case Cells() | Slices():
            return palette.series[0]


def role_colour(role: Role, series: int, palette: Palette) -> str:
    """Return the colour of a role; a series takes the palette's colours in turn."""
    match role:
        case "series":
            return palette.series[series % len(palette.series)]
        case "centre" | "good":
            return palette.good
        case "limit" | "bad":
            return palette.bad
        case "target":
            return palette.warn
        case "quiet":
            return palette.quiet


def colour_at(palette: Palette, share: float) -> str:
    """The colour of a share from 0 to 1."""
    return _ramp(palette.is_dark)[round(min(1.0, max(0.0, share)) * (_STEPS - 1))]


@cache
def readable_on(colour: str) -> str:
    """Text that can be read on it: near black or white, whichever stands out more."""
    return max(("#1B1D21", "#FFFFFF"), key=lambda text: contrast(text, colour))


@cache
def _ramp(is_dark: bool) -> tuple[str, ...]:  # noqa: FBT001  which of two ramps, for the cache
    stops = [_to_lab(each) for each in (_DARK if is_dark else _LIGHT)]
    colours = []
    for step in range(_STEPS):
        place = step / (_STEPS - 1) * (len(stops) - 1)
        before = min(int(place), len(stops) - 2)
        share = place - before
        colours.append(
            _to_hex(
                (
                    stops[before][0] * (1 - share) + stops[before + 1][0] * share,
                    stops[before][1] * (1 - share) + stops[before + 1][1] * share,
                    stops[before][2] * (1 - share) + stops[before + 1][2] * share,
                )
            )
        )
    return tuple(colours)


def _to_lab(colour: str) -> Lab:
    """OKLab, in which equal distances look equal (https://bottosson.github.io/posts/oklab)."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _to_hex(lab: Lab) -> str:
    light, red_green, blue_yellow = lab
    long = (light + 0.3963377774 * red_green + 0.2158037573 * blue_yellow) ** 3
    medium = (light - 0.1055613458 * red_green - 0.0638541728 * blue_yellow) ** 3
    short = (light - 0.0894841775 * red_green - 1.2914855480 * blue_yellow) ** 3
    channels = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(each)):02X}" for each in channels)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _gamma(channel: float) -> float:
    held = min(1.0, max(0.0, channel))
    return held * 12.92 if held <= 0.0031308 else 1.055 * held ** (1 / 2.4) - 0.055
