"""Rules for a new password or PIN: long enough, and not one that everybody tries first.

After NIST SP 800-63B: a length and a list of what is refused (runs, repetitions, known words, the
account's own name), and no rule on which kinds of characters there are to be. Only a new secret is
held to it: one that was kept before goes on to sign in.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import groupby, pairwise

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.person import LONGEST_SECRET, SecretKind
from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _

PIN_DIGITS = range(4, 9)
SHORTEST_PASSWORD = 8
KNOWN_WORDS = RESOURCES / "known_passwords.txt"
SHORTEST_NAME = 3  # of a part of the account's name: a shorter one is in too many words
SHORTEST_RUN = 3  # as in 1234 or abcd: characters in a row
LONGEST_PIECE = 4  # that is written again and again; a longer one may be a phrase
_DATES = {4: ("%d%m", "%m%d", "%Y"), 6: ("%d%m%y", "%m%d%y", "%y%m%d")}
_DATES[8] = ("%d%m%Y", "%m%d%Y", "%Y%m%d")
_KEYPAD = re.compile(
    r"(?:0852|2580|0258|8520|7410|0147|147|741|258|852|369|963|159|951|357|753|1379|3197|7913|9731)+"
    r"|(?!.*(.).*\1)[1379]{4}"
)
_YEARS = range(1900, 2100)
# What is written for a letter in 'p4ssw0rd'; 1 stands for i and for l, so those two are one.
_LETTERS = str.maketrans("0134578@$!|l", "oieastbasiii")


def kind_of_secret(secret: str, name: str = "") -> SecretKind:
    """Return what a new secret for the account of this name is, by its form.

    Raises UserError for one that is too short or too long, or that anybody would try first.
    """
    if len(secret) > LONGEST_SECRET:
        raise UserError(_("A password has {most} characters at most.").format(most=LONGEST_SECRET))
    if is_pin(secret):
        if is_tried_first(secret, name):
            raise UserError(
                _(
                    "Everybody would try this PIN first. Choose one that is no row, no repetition"
                    " and no date."
                )
            )
        return "pin"
    if len(secret) < SHORTEST_PASSWORD:
        raise UserError(
            _("Choose a password of {least} characters or more, or a PIN of 4 to 8 digits.").format(
                least=SHORTEST_PASSWORD
            )
        )
    if is_tried_first(secret, name):
        raise UserError(
            _(
                "Everybody would try this password first. Choose one that is no row, no repetition,"
                " no well-known word and not the account's name."
            )
        )
    return "password"


def password_rules(secret: str, name: str = "") -> tuple[tuple[str, bool], ...]:
    """Return what is asked of a password in words, each with whether this one has it.

    What has it all is a password to `kind_of_secret`, and no PIN.
    """
    is_long = len(secret) >= SHORTEST_PASSWORD
    return (
        (_("{least} characters or more").format(least=SHORTEST_PASSWORD), is_long),
        (_("More than digits: those are an operator's PIN"), is_long and not is_pin(secret)),
        (
            _("No row, no repetition, no well-known word, not your name"),
            is_long and not is_tried_first(secret, name),
        ),
    )


def is_pin(secret: str) -> bool:
    """Return whether a secret has the form of a PIN."""
    return secret.isascii() and secret.isdigit() and len(secret) in PIN_DIGITS


def is_tried_first(secret: str, name: str = "") -> bool:
    """Return whether whoever guesses would begin with this secret for the account of this name."""
    plain = fold(unicodedata.normalize("NFKC", secret))
    bare = "".join(filter(str.isalnum, plain))  # 123-456-789, 1999-12-31
    return (
        any(map(_is_pattern, (plain, bare, *_without_few(bare))))
        or any(_is_pattern(bare[0::2]) and _is_pattern(bare[1::2]) for _twice in bare[7:8])
        or any(map(_is_date, (plain, bare)))
        or _is_known_word(plain, name)
    )


def _without_few(text: str) -> Iterator[str]:
    """Yield a text without a character or two at its ends, which hide no pattern: 123456789a."""
    for few in range(1, min(2, (len(text) - 2) // 3) + 1):
        yield from (text[few:], text[:-few])


def _is_pattern(text: str) -> bool:
    """Return whether a text is one run (1234, 2468, 9999), such runs alone (abcd1234, 123321), or a
    short piece again and again (1212, qwerqwer); each character may stand there twice or more.
    """
    widths = {len([*same]) for _character, same in groupby(text)}
    if len(widths) == 1:
        text = text[:: widths.pop()]  # 112233 is 123
    if len({_step(*pair) for pair in pairwise(text)}) <= 1 or _are_runs(text) or _is_drawn(text):
        return True
    for width in range(2, len(text) // 2 + 1):
        if text[width:] == text[:-width]:
            return width <= LONGEST_PIECE or _is_pattern(text[:width])
    return False


def _is_drawn(text: str) -> bool:
    """Return whether digits are lines on a keypad: its columns, diagonals and corners."""
    return _KEYPAD.fullmatch(text) is not None


def _step(earlier: str, later: str) -> int:
    """Return how far one character is from another; after 9 comes 0."""
    step = ord(later) - ord(earlier)
    return (step + 5) % 10 - 5 if earlier.isdigit() and later.isdigit() else step


def _are_runs(text: str) -> bool:
    """Return whether a text is made of runs alone, each of steps of two at most."""
    begin = 0
    while begin < len(text):
        steps = [_step(*pair) for pair in pairwise(text[begin:])]
        length = 1 + next((at for at, step in enumerate(steps) if step != steps[0]), len(steps))
        if length < SHORTEST_RUN or abs(steps[0]) > 2:
            return False
        begin += length
    return True


def _is_date(text: str) -> bool:
    """Return whether digits are a day, with or without its year, or a year."""
    if not text.isdecimal():
        return False
    for form in _DATES.get(len(text), ()):
        # The year that has a 29 February, where none is told.
        told, read = (text, form) if "y" in form.lower() else (f"2000{text}", f"%Y{form}")
        try:
            if datetime.strptime(told, read).year in _YEARS:
                return True
        except ValueError:
            continue
    return False


def _is_known_word(text: str, name: str) -> bool:
    """Return whether a text is a word of the list or of the account's name, with digits or signs
    around it or in the place of letters, once or several times.
    """
    if not any(map(str.isalpha, text)):
        return False
    own = fold(name)
    parts = [own, *own.replace("@", " ").replace(".", " ").split()]
    words = _known_words() | {_letters(each) for each in parts if len(each) >= SHORTEST_NAME}
    begin = next(at for at, each in enumerate(text) if each.isalpha())
    end = len(text) - next(at for at, each in enumerate(reversed(text)) if each.isalpha())
    return any(_letters(each) in words for each in (text, text[:end], text[begin:end]))


def _letters(text: str) -> str:
    """Return a text, or the piece that it repeats, with letters for what stands for them."""
    plain = "".join(filter(str.isalnum, text.translate(_LETTERS)))
    place = f"{plain}{plain}".find(plain, 1)
    return plain[:place] if 0 < place < len(plain) else plain


@cache
def _known_words() -> frozenset[str]:
    lines = KNOWN_WORDS.read_text(encoding="utf-8").splitlines()
    return frozenset(_letters(line) for line in lines if line and not line.startswith("#"))
