"""Texts: translated, formatted in the person's language, folded; the words of every language."""

import gettext as _gettext
import hashlib
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import date, datetime, time
from functools import cache
from math import floor, isfinite, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qhub_desktop.core.paths import RESOURCES, write_file

if TYPE_CHECKING:
    from qhub_desktop.core.codec import Json
    from qhub_desktop.core.table import Cell, Table

Language = str  # "pt", "en", or another that has a catalogue
DOMAIN = "qhub"
LOCALES: dict[Language, str] = {"pt": "pt_PT", "en": "en_GB"}  # others by their own names


class _Current:
    """The language in use. Every layer asks for words, so it lives here and nowhere else."""

    language: Language = "pt"


_spoken: ContextVar[Language] = ContextVar("spoken", default="")  # in one answer, by its question


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Say everything in a language, here and in what copies this context; "" changes nothing."""
    token = _spoken.set(language or _spoken.get())
    try:
        yield
    finally:
        _spoken.reset(token)


def use(language: Language) -> None:
    """Set the language in use."""
    _Current.language = language


def language() -> Language:
    """Return the language in use."""
    return _in_use()


def _in_use(said: Language | None = None) -> Language:
    return said or _spoken.get() or _Current.language


def gettext(message: str, *, language: Language | None = None) -> str:
    """Translate an English text; `language` for an answer in another one."""
    return _catalogue(_in_use(language)).gettext(message)


def ngettext(one: str, many: str, count: int, *, language: Language | None = None) -> str:
    """Translate an English text that depends on a count."""
    return _catalogue(_in_use(language)).ngettext(one, many, count)


def gettext_noop(message: str) -> str:
    """Mark a text for the catalogue where it is declared; it is translated where it is shown."""
    return message


_DAY = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?= |$)")
_TOO_SMALL = 5e-5  # for four decimals
_TOO_LONG = 1e20  # for its digits to be counted; from 1e28 on, babel does not write them out


def _scientific(value: float, language: Language | None) -> str:
    from babel.numbers import format_scientific

    return format_scientific(value, format="0.####E0", locale=_locale(language))


def number(value: float, *, digits: int | None = None, language: Language | None = None) -> str:
    """Format a number. `digits` is exact; without it, up to four decimals that matter."""
    if not digits and abs(value) < 1_000 and float(value).is_integer():
        return str(int(value))  # as every language writes it
    from babel.numbers import format_decimal  # 60 ms: not before a number needs it

    if abs(value) >= _TOO_LONG:
        return _scientific(value, language)
    pattern = "#,##0" if digits == 0 else "#,##0." + ("0" * digits if digits else "####")
    if digits is None and float(value).is_integer():
        pattern = "#,##0"
    shown = _without_negative_zero(value, 4 if digits is None else digits)
    return format_decimal(shown, format=pattern, locale=_locale(language))


def percent(share: float, *, digits: int = 1, language: Language | None = None) -> str:
    """Format a share of one as percent: 0.31 is '31 %' in Portuguese, '31%' in English."""
    from babel.numbers import format_decimal

    spoken = _in_use(language)
    pattern = "#,##0." + "#" * digits if digits else "#,##0"
    if abs(share) >= _TOO_LONG:
        figure = _scientific(share * 100, spoken)
    else:
        shown = _without_negative_zero(share * 100, digits)
        figure = format_decimal(shown, format=pattern, locale=_locale(spoken))
    return f"{figure}\N{NO-BREAK SPACE}%" if spoken == "pt" else f"{figure}%"


def _without_negative_zero(value: float, digits: int) -> float:
    """Return 0 for what rounds to it: babel writes -0.00001 as '-0'."""
    return value if round(value, digits) else 0


def moment(value: date | datetime | time) -> str:
    """Format a date, a time or both: dd/mm/yyyy and 24 hours, in both languages."""
    match value:
        case datetime():
            return value.strftime("%d/%m/%Y %H:%M:%S" if value.second else "%d/%m/%Y %H:%M")
        case date():
            return value.strftime("%d/%m/%Y")
        case time():
            return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def day_words(label: str) -> str:
    """Write a label that begins with a day, 2026-02-28 T1, as a day is written; others as is."""
    return _DAY.sub(lambda found: f"{found[3]}/{found[2]}/{found[1]}", label)


def cell(value: "Cell", *, language: Language | None = None) -> str:
    """Format a table's cell; an empty text for a missing one."""
    match value:
        case None:
            return ""
        case bool():
            return gettext("yes", language=language) if value else gettext("no", language=language)
        case int():
            return number(value, language=language)
        case float():
            if not isfinite(value):
                return ""
            # Four decimals would make nothing of a small p value.
            is_small = 0 < abs(value) < _TOO_SMALL
            return _scientific(value, language) if is_small else number(value, language=language)
        case datetime() | date() | time():
            return moment(value)
        case str():
            return value


_DECIMALS = 4  # of a column of a table
_FIGURES = 5  # of the largest number of a column that was worked out
_SMALL, _MOST_DECIMALS = 0.01, 9  # where a whole column is below, four are not enough


def decimals_of(table: "Table", column: int) -> int:
    """Return the number of decimals common to a column, so that they align: four at most.

    Of what was worked out, as averages are, the largest has five figures: 83.1923, 12 345.68.

    A column of small numbers alone has more of them, up to three digits of the largest.
    """
    cells = [each for row in table.rows if isinstance(each := row[column], float)]
    known = [each for each in cells if isfinite(each)]
    largest = max(map(abs, known), default=0.0)
    most = _DECIMALS
    if 0 < largest < _SMALL:
        most = min(2 - floor(log10(largest)), _MOST_DECIMALS)
    elif any(round(each, _DECIMALS) != each for each in known):  # worked out, not read
        whole = floor(log10(largest)) + 1 if largest >= 1 else 0
        most = max(2, min(most, _FIGURES - whole))
    texts = (f"{each:.{most}f}".rstrip("0") for each in known)
    return max((len(text.partition(".")[2]) for text in texts), default=0)


def aligned(value: float, digits: int) -> str:
    """Write a number with the decimals of its column; one too small for them is not zero."""
    if value and abs(value) < 10.0**-digits / 2:
        shown = max(digits, _DECIMALS)
        least = number(10.0**-shown, digits=shown)
        return f"< {least}" if value > 0 else f"> -{least}"
    return number(value, digits=digits)


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?")


def _written_moment(text: str) -> date | datetime | None:
    """Return the day or the moment that a text of JSON stands for; None where it is none."""
    if (found := _MOMENT.fullmatch(text)) is None:
        return None
    try:
        return datetime.fromisoformat(text) if found[1] else date.fromisoformat(text)
    except ValueError:  # as 2026-02-31
        return None


def value_words(value: "Json") -> str:
    """Write a JSON value for a person, such as what a tool was given, on one line or as it is."""
    match value:
        case None:
            return "—"
        case str() if (written := _written_moment(value)) is not None:
            return moment(written)
        case str() | bool() | int() | float():
            return cell(value)
        case list():
            return ", ".join(value_words(each) for each in value)
        case dict():
            return "; ".join(f"{key}: {value_words(each)}" for key, each in value.items())


def field_words(name: str) -> str:
    """Write the name of a field for a person."""
    return name.replace("_", " ").capitalize()


def _locale(spoken: Language | None) -> str:
    chosen = _in_use(spoken)
    return LOCALES.get(chosen, chosen)


@cache
def _catalogue(spoken: Language) -> _gettext.NullTranslations:
    # English is what the code says, so only the others have a catalogue.
    if spoken == "en":
        return _gettext.NullTranslations()
    # A question may be in a language that there is no catalogue of: it is answered in English.
    return _gettext.translation(
        DOMAIN, RESOURCES / "translations", languages=[spoken], fallback=True
    )


LONGEST_STEM = 80  # of a file's name that is made
DEVICE_NAMES = {
    "con",
    "conin$",
    "conout$",
    "prn",
    "aux",
    "nul",
    *(f"{each}{n}" for each in ("com", "lpt") for n in "123456789¹²³"),
}


# What turns the words around it: 'exe.png' may be the beginning of such a name, not its end.
_TURNING = re.compile("[\u2028-\u202e\u2066-\u2069]")


def file_name(title: str, suffix: str) -> str:
    """Make a file name that every system takes: 'Top 5: turno?' becomes 'Top 5 turno.png'."""
    kept = re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f]+', " ", _TURNING.sub("", title))
    stem = " ".join(kept.split())[:LONGEST_STEM].rstrip(" .") or gettext("chart")
    if is_device_name(stem):
        device, point, rest = stem.partition(".")
        stem = f"{device.rstrip()}_{point}{rest}"
    return f"{stem}{suffix}"


def is_device_name(name: str) -> bool:
    """Return whether Windows keeps a file's name for a device, whatever its suffixes."""
    return name.casefold().partition(".")[0].rstrip() in DEVICE_NAMES


def fold(text: str) -> str:
    """Fold case, accents, compatibility characters ('ª', 'ﬁ') and outer blanks.

    May be of another length: for words that are compared as a whole.
    """
    if text.isascii():
        return text.strip().lower()
    apart = unicodedata.normalize("NFKD", text.strip()).lower()
    return "".join(each for each in apart if not unicodedata.combining(each))


def fold_name(text: str) -> str:
    """Fold a name of a column or a value, with underscores for spaces."""
    return fold(text).replace(" ", "_")


def fold_in_place(text: str) -> str:
    """Fold case and accents letter for letter, with plain spaces.

    What is found in it is found in `text` at the same place. Signs such as 'º' and '²' stay what
    they are, as databases leave them that take accents away (FTS5, DuckDB).
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


class _Folded(dict[int, int]):
    """Characters without accent and capital, each worked out when it is first met."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        if unicodedata.category(character) == "Zs":
            folded = ord(" ")
        else:
            folded = ord(unicodedata.normalize("NFD", character)[0].lower()[0])
        self[code] = folded
        return folded


_FOLDED = _Folded()


WordTables = dict[str, Any]  # tables of words, as TOML gives them
_FIRST = "pt"  # where a word has several meanings, this language's goes before the others'


@cache
def lexicons(table: str | None = None) -> dict[Language, WordTables]:
    """Return the lexicon of every language (`resources/lexicon/`), or one table of each."""
    if table is not None:
        return {
            language: {table: file[table]} if table in file else {}
            for language, file in lexicons().items()
        }
    files = (RESOURCES / "lexicon").glob("*.toml")
    return {
        file.stem: read_tables(file)
        for file in sorted(files, key=lambda file: (file.stem != _FIRST, file.stem))
    }


def read_tables(file: Path) -> WordTables:
    """Read a TOML file of ours, from what was made of it before if that is kept beside it.

    tomllib takes 150 ms for the words of all languages, which every start would wait for; JSON
    takes 3.
    """
    source = file.read_bytes()

    def parsed() -> WordTables:
        import tomllib

        return tomllib.loads(source.decode("utf-8"))

    return kept_tables(file, [source], parsed)


def kept_tables(
    file: Path,
    sources: Sequence[bytes],
    make: Callable[[], WordTables],
    *,
    modules: Sequence[str] = (),
) -> WordTables:
    """Return what is made of the sources, from what is kept beside a file of ours if it is that.

    What is kept names the bytes that it was made of, and those of the `modules` that made it: an
    installed program has none, and comes with what its own have made.
    """
    is_installed = getattr(sys, "frozen", False)
    made_of = [b"".join(sources)] if is_installed else [b"".join(sources), *map(_code, modules)]
    digests: list[object] = [hashlib.sha256(each).hexdigest() for each in made_of]
    kept = file.parent / "__pycache__" / f"{file.stem}.json"
    with suppress(OSError, ValueError):
        match json.loads(kept.read_bytes()):
            case {"made_of": list(of), "tables": dict() as tables} if of[: len(digests)] == digests:
                return tables
    tables = make()
    if not is_installed:  # what is installed is nobody's to write to
        with suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            text = json.dumps({"made_of": digests, "tables": tables}, ensure_ascii=False)
            write_file(kept, text.encode("utf-8"))
    return tables


def _code(module: str) -> bytes:
    return Path(str(sys.modules[module].__file__)).read_bytes()


_TABLE = re.compile(r"\[(\w+)\.(\w+)\]")
_LINE = re.compile(r"(\w+) = (?:\[(.*)\]|\"(.*)\")")


def read_word_tables(text: str) -> WordTables:
    """Read a file of lists of words: what tomllib makes of it, in a tenth of the time.

    tomllib takes 80 ms for 23,000 words, which the first question would wait for, this takes 8. So
    such a file keeps to one list or text a line, in tables of two names, `[concept.material]`.
    """
    tables: WordTables = {}
    current = tables
    for line in text.splitlines():
        if table := _TABLE.fullmatch(line):
            current = tables.setdefault(table[1], {})[table[2]] = {}
        elif entry := _LINE.fullmatch(line):
            key, listed, single = entry.groups()
            current[key] = single if listed is None else listed.strip('"').split('", "')
    return tables


def words_of(table: str, key: str) -> tuple[Any, ...]:
    """Return what a table of the lexicons lists under a key, over all languages."""
    return tuple(
        word for file in lexicons(table).values() for word in file.get(table, {}).get(key, ())
    )


@cache
def stop_words() -> frozenset[str]:
    """Return the words of all languages that tell nothing of what a text is about, folded."""
    return frozenset(
        word for file in lexicons("stop_words").values() for word in file.get("stop_words", ())
    )


def word_table(table: str) -> dict[str, Any]:
    """Return a table of words and their values, over all languages: 'number', 'days_ago'…"""
    return {
        word: meaning
        for file in lexicons().values()
        for word, meaning in file.get(table, {}).items()
    }


def month_names() -> dict[str, int]:
    """Return the names of all languages' months, short and as files write them, with their numbers
    from 1.
    """
    short = (file.get("calendar", {}) for file in lexicons("calendar").values())
    written = (file.get("files", {}) for file in lexicons("files").values())
    return {
        name: number
        for months in (
            *(each.get("short_months", ()) for each in short),
            *(each.get("months", ()) for each in written),
        )
        for number, names in enumerate(months, 1)
        for name in names
    }
