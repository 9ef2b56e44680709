"""Numbers written as text, as values that lose none of their digits."""

from decimal import Decimal

SURE_CHARACTERS = 15  # so few digits any float keeps
WHOLE_CHARACTERS = 18  # more fit no column of whole numbers


def whole(text: str) -> int | str:
    """A whole number, or its text where it is too long to count with."""
    return int(text) if len(text) <= WHOLE_CHARACTERS else text


def fraction(text: str) -> float | str:
    """A number with decimals, or its text where a float would change it."""
    number = float(text)
    if len(text) <= SURE_CHARACTERS or Decimal(repr(number)) == Decimal(text):
        return number
    return text
