"""Text from outside: without half characters, secrets or markup, names on one line for a model."""

# Why it is so: decisions/text-from-outside.md

import base64
import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import ClassVar, cast
from urllib.parse import quote

from qhub_desktop.core.codec import Json

HIDDEN = "<secret>"
LONGEST_NAME = 200
SHORTEST_SECRET = 6  # a shorter one is a local server's 'none', and would be found in any answer
# A part of a key is a secret too: whoever echoes a header may cut it anywhere. Of a long key every
# part of 23 characters, and every beginning of 12, is found; of a short one the whole.
PART = 12


def sanitize(text: str) -> str:
    """Replace what no encoder and no database takes: lone surrogates and NULs of some pastes.

    The two halves of one character that arrived apart are joined.
    """
    if text.isascii():
        return text.replace("\0", " ")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", " ")


# What turns the direction of the words around it ('exe.txt' for 'txt.exe'). A text in Arabic or
# Hebrew needs none of them; marks and isolates, which it may need, stay.
_DIRECTION_OVERRIDES = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e"))


def visible(text: str) -> str:
    """Return the text without characters that show others in another order than they stand."""
    return text if text.isascii() else text.translate(_DIRECTION_OVERRIDES)


# Characters that are not seen, end a line or turn the order of others: controls, marks and joiners,
# fillers, selectors of variants, halves of pairs, tags. Code points, with the last one of a range.
_UNSEEN = """
0-8 b-1f 7f-9f ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e 2060-206f 2800 3164
d800-dfff fe00-fe0f feff ffa0 fff0-fffb 13430-1345f 1bca0-1bca3 1d159 1d173-1d17a e0000-e0fff
"""
_OTHER_BLANKS = "a0 1680 2000-200a 202f 205f 3000"
UNSHOWN = "\ufffd"
# What is seen by the picture that it makes of its neighbours: of '⚠️', a man at work, a keycap.
_SELECTOR, _JOINER = "\ufe0f", "\u200d"
_PICTURES = r"\u2190-\u2bff\U0001f000-\U0001faff"
_IN_NO_PICTURE = re.compile(
    rf"(?<![{_PICTURES}])\ufe0f(?!\u20e3)|(?<![{_PICTURES}\ufe0f])\u200d|\u200d(?![{_PICTURES}])"
)


def with_signs(text: str) -> str:
    """Return the text with a sign for every character that is not seen, or moves others.

    For terminals, and for what a person agrees to. Controls become the symbols that Unicode has for
    them, all else the sign for what cannot be shown; line ends and tabs stay.
    """
    shown = text.translate(_signs())
    # The pattern is tried at every place.
    is_plain = _SELECTOR not in shown and _JOINER not in shown
    return shown if is_plain else _IN_NO_PICTURE.sub(UNSHOWN, shown)


def line_with_signs(text: str) -> str:
    """Return the text on one line, with signs for line ends and tabs, too."""
    return with_signs(text).translate({9: 0x2409, 10: 0x240A})


def with_escapes(code: str) -> str:
    """Return Python code in which each character that is not seen is written as its escape.

    In a text it means the same, so that what a person sees can run; elsewhere it is an error, as
    the character was. Blanks of other kinds are escaped, too: fields of text make them plain ones.
    """
    return code.replace("\r\n", "\n").replace("\r", "\n").translate(_escapes())


def _codes(ranges: str) -> Iterator[int]:
    for each in ranges.split():
        first, _, last = each.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


@cache
def _signs() -> dict[int, str]:
    signs = {code: UNSHOWN for code in _codes(_UNSEEN) if chr(code) not in (_SELECTOR, _JOINER)}
    return {**signs, **{code: chr(0x2400 + code) for code in signs if code < 0x20}, 0x7F: "\u2421"}


@cache
def _escapes() -> dict[int, str]:
    codes = _codes(f"{_UNSEEN} {_OTHER_BLANKS}")
    return {code: chr(code).encode("unicode_escape").decode() for code in codes}


# What Markdown takes for more than itself. A sign between letters or blanks is none, and neither is
# a bracket without an address: 'PP_Negro' and 'espessura [µm]' stay as people wrote them.
_MARKUP = re.compile(
    r"""
    \\(?=[!-/:-@\[-`{-~]|$) | ` | ~(?=~) | (?<=~)~
    | \$  # of a formula
    | \*(?!\s) | (?<!\s)\*
    | (?<![^\W_])_ | _(?![^\W_])
    | \[(?=.*\][(\[:]) | !(?=\[)
    | &(?=\#?\w+;) | <(?=[^\W\d]|[/!?])
    """,
    re.VERBOSE,
)
# At the beginning of a line it begins a heading, a list, a quotation, a rule, a box to tick.
_MARKUP_FIRST = re.compile(r"(?<!\d)(?=>|[#+*=-](?:\s|$|[#*=-])|\[[ xX]\])|(?<=\d)(?=[.)](?:\s|$))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def literal_markdown(text: str) -> str:
    """Return Markdown that shows exactly this text, on one line."""
    escaped = _MARKUP.sub(r"\\\g<0>", " ".join(text.splitlines()))
    digits = len(escaped) - len(escaped.lstrip("0123456789"))
    first = _MARKUP_FIRST.match(escaped, digits)
    return f"{escaped[:digits]}\\{escaped[digits:]}" if first else escaped


def without_escapes(text: str) -> str:
    """Return a piece of Markdown as a terminal shows it: what was escaped stands for itself."""
    return _ESCAPED.sub(r"\1", text)


def map_texts(value: Json, change: Callable[[str], str]) -> Json:
    """Return a JSON value with every text in it changed, the names of fields too."""
    match value:
        case str():
            return change(value)
        case dict():
            return {change(name): map_texts(each, change) for name, each in value.items()}
        case list():
            return [map_texts(each, change) for each in value]
        case _:
            return value


class _Secrets:
    """The secrets in use. Every text from outside is searched for them, so they live here.

    `forms` are how one may be written in an echo: as it is, in an address, in a header of basic
    authentication; in small letters, for a gateway may change the case.
    """

    forms: tuple[str, ...] = ()
    blocks: tuple[tuple[str, int], ...] = ()  # parts of a form, and where in it they stand
    shortest: int = 0  # of the parts
    beginnings: ClassVar[dict[str, list[tuple[str, int]]]] = {}  # forms and places, by character


def use_secret(secret: str | None) -> None:
    """Hide this secret in every text from outside, from now on."""
    if not secret or len(secret) < SHORTEST_SECRET or _lowered(secret) in _Secrets.forms:
        return
    encoded = base64.b64encode(secret.encode("utf-8", "replace")).decode().rstrip("=")
    forms = {secret, quote(secret, safe=""), encoded}
    known = {*_Secrets.forms, *(_lowered(form) for form in forms)}
    _Secrets.forms = tuple(sorted(known, key=len, reverse=True))
    _Secrets.blocks = tuple(
        (form[start : start + length], start)
        for form in _Secrets.forms
        for length in (PART if len(form) >= 2 * PART else len(form),)
        for start in range(0, len(form) - length + 1, length)
    )
    _Secrets.shortest = min(len(block) for block, _start in _Secrets.blocks)
    beginnings: dict[str, list[tuple[str, int]]] = {}
    for block, start in _Secrets.blocks:
        for form in _Secrets.forms:
            if form.startswith(block, start):
                beginnings.setdefault(block[0], []).append((form, start))
    _Secrets.beginnings = beginnings  # at once: another thread may be searching


def hide_secrets(text: str) -> str:
    """Replace the secrets in use, and long parts of them, wherever they stand in a text."""
    if len(text) < _Secrets.shortest:  # as most pieces of a stream
        return text
    lowered = _lowered(text)
    found = [span for block, start in _Secrets.blocks for span in _spans(lowered, block, start)]
    if not found:
        return text
    kept, done = [], 0
    for begin, end in sorted(found):
        if begin >= done:
            kept += [text[done:begin], HIDDEN]
        done = max(done, end)
    return "".join([*kept, text[done:]])


def _spans(lowered: str, block: str, start: int) -> list[tuple[int, int]]:
    """Find every place of a block of a secret, with what agrees with the secret around it."""
    found = []
    place = lowered.find(block)
    while place >= 0:
        # Several secrets may share a block, as the beginning of all keys: the longest match counts.
        reach = [
            _extent(lowered, place, form, start, len(block))
            for form in _Secrets.forms
            if form.startswith(block, start)
        ]
        found.append((min(begin for begin, _ in reach), max(end for _, end in reach)))
        place = lowered.find(block, place + len(block))
    return found


def _extent(lowered: str, place: int, form: str, start: int, length: int) -> tuple[int, int]:
    before = 0
    while before < min(place, start) and lowered[place - before - 1] == form[start - before - 1]:
        before += 1
    after, text_at, form_at = 0, place + length, start + length
    while (
        text_at + after < len(lowered)
        and form_at + after < len(form)
        and lowered[text_at + after] == form[form_at + after]
    ):
        after += 1
    return place - before, text_at + after


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(each.lower() if each.isascii() else each for each in text)  # 'İ' becomes two


class StreamFilter:
    """A text that arrives in pieces, made clean: what may be the first half of a surrogate pair
    or of a secret waits for the next piece.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece; return what can be passed on."""
        text = self._held + piece
        cut = len(text) - _open_end(text)
        self._held = text[cut:]
        return hide_secrets(sanitize(text[:cut]))

    def finish(self) -> str:
        """Return what is left when nothing more comes."""
        text, self._held = self._held, ""
        return hide_secrets(sanitize(text))


def _open_end(text: str) -> int:
    """Return how many of the last characters may belong to something that is not whole yet.

    Also where a known part has begun and goes on: its end must be hidden with it.
    """
    lowered = _lowered(text)
    for place, character in enumerate(lowered):
        if character in _Secrets.beginnings:
            rest = lowered[place:]
            for form, start in _Secrets.beginnings[character]:
                if form.startswith(rest, start):
                    return len(text) - place
    return 1 if "\ud800" <= text[-1:] <= "\udbff" else 0


# No \b before it: in JSON a key may stand after an escape, as in \nsk-ant.
_ANTHROPIC_KEY = re.compile(r"sk-ant-[A-Za-z0-9_-]{16,}")


def hide_stored_secrets(text: str) -> str:
    """Replace the secrets in use, and whatever has the form of a key of Anthropic's.

    For texts that an earlier version stored, whose keys may be others by now. Text that is JSON
    stays JSON.
    """
    # Whole keys first: of another key that begins as the one in use, the rest would be left.
    found = hide_secrets(_ANTHROPIC_KEY.sub(HIDDEN, text))
    if found == text or not text.startswith(("{", "[", '"')):
        return found
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return found
    return json.dumps(map_texts(value, hide_stored_secrets), separators=(",", ":"))


_KEY = re.compile(r"\bsk-[A-Za-z0-9_-]{6,}")
_NAMED_KEY = re.compile(
    r"(?i)((?:(?:(?:x-)?api[_-]?key|authorization|password|secret|token)[\"']?\s*[:=]\s*[\"']?|"
    r"(?:bearer|basic)\s)(?:(?:bearer|basic)\s+)?)[^\s\"',;<]{6,}"
)
SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential")


def redact(text: str) -> str:
    """Remove all that is or looks like a secret: for errors of services, reports and the log."""
    text = hide_secrets(text)
    for secret in _environment_secrets():
        text = text.replace(secret, HIDDEN)
    text = _KEY.sub(HIDDEN, text)
    return _NAMED_KEY.sub(rf"\1{HIDDEN}", text)


def _environment_secrets() -> list[str]:
    """Return the values in the environment that may be keys, the longest first."""
    found = {
        value for name, value in os.environ.items() if SECRET_NAME.search(name) and len(value) >= 8
    }
    return sorted(found, key=len, reverse=True)


def one_line(text: str, *, most: int = LONGEST_NAME) -> str:
    """Write a text on one line of at most so many characters, without control characters."""
    clean = "".join(each if each.isprintable() else " " for each in sanitize(text[: 4 * most]))
    line = " ".join(clean.split())
    is_cut = len(line) > most or len(text) > 4 * most
    return f"{line[: most - 1]}…" if is_cut else line


def quoted_name(name: str) -> str:
    """Quote a name of a file, a sheet or a column for a model: on one line, and not too long.

    In SQL's quotes, so that a column's name can be used as it stands. Whatever a name says, it
    stays a name: it begins no line of a prompt.
    """
    return '"' + one_line(name).replace('"', '""') + '"'


def clean_json(value: Json) -> Json:
    """Return a JSON value of a service without half characters and secrets."""
    return map_texts(value, lambda text: hide_secrets(sanitize(text)))


def clean_object(value: dict[str, Json]) -> dict[str, Json]:
    """Return a JSON object of a service without half characters and secrets."""
    return cast("dict[str, Json]", clean_json(value))
