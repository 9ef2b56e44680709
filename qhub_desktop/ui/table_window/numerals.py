"""Numbers as `core.text` writes them, forty times as fast: a screen is full of them."""

from functools import cache

from qhub_desktop.core.text import Language, language, number


def numeral(value: float, *, digits: int) -> str:
    """A finite number with exactly so many decimals."""
    group, point = _signs(language())
    written = f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
    whole, _point, rest = written.partition(".")
    whole = whole.replace(",", group)
    return f"{whole}{point}{rest}" if rest else whole


@cache
def _signs(spoken: Language) -> tuple[str, str]:
    """What stands between thousands, and before decimals."""
    sample = number(1234.5, digits=1, language=spoken)
    return sample[1:-5], sample[-2]
