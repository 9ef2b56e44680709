"""The program's colours for the shipped template, whatever the system's appearance is."""

import json

from qhub_desktop.ui.theme import Palette

_NAMES = ("page", "panel", "card", "line", "text", "quiet", "accent", "good", "warn", "bad")


def begin(palette: Palette) -> str:
    """JavaScript for our own world, before the page's: dress the template in these colours."""
    return (
        f"var colours = new CSSStyleSheet(); colours.replaceSync({_sheet(palette)});"
        "document.adoptedStyleSheets.push(colours);"
    )


def change(palette: Palette) -> str:
    """The same for a page that is there already; charts hear of it."""
    return (
        f"colours.replaceSync({_sheet(palette)});"
        "document.dispatchEvent(new Event('qhub-appearance'));"
    )


def _sheet(palette: Palette) -> str:
    colours = {name: getattr(palette, name) for name in _NAMES}
    colours |= {f"series-{place}": each for place, each in enumerate(palette.series, 1)}
    rules = "".join(f"--{name}: {colour};" for name, colour in colours.items())
    scheme = "dark" if palette.is_dark else "light"
    # On paper the template's own colours hold.
    return json.dumps(f"@media screen {{ :root[data-qhub] {{ color-scheme: {scheme}; {rules} }} }}")
