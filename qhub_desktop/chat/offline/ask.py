"""One question over one data set: its days first, then its words."""

from datetime import date
from functools import lru_cache

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dates.days import Calendar
from qhub_desktop.chat.offline.dates.hours import find_hours
from qhub_desktop.chat.offline.dates.relative import says_relatively
from qhub_desktop.chat.offline.dates.spans import find_days
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.reading.reader import Reader
from qhub_desktop.chat.offline.vocabulary import vocabulary
from qhub_desktop.chat.offline.words import read
from qhub_desktop.core.text import Language


def ask(
    question: str,
    index: Index,
    *,
    language: Language,
    today: date,
    chosen: dict[str, str] | None = None,
    recent: str | None = None,
) -> Asked:
    """Read a question over one data set; `chosen` settles words that have several readings.

    `recent` is the column of numbers that was last compared: 'e abaixo de 22?' is about it.

    The same question is read once: a conversation is understood anew with each round.
    """
    return _asked(question, index, language, today, tuple((chosen or {}).items()), recent)


@lru_cache(maxsize=512)
def _asked(
    question: str,
    index: Index,
    language: Language,
    today: date,
    chosen: tuple[tuple[str, str], ...],
    recent: str | None,
) -> Asked:
    calendar = Calendar(today=today, last=index.last_day or today)
    rest, hours = find_hours(question)
    timed, (rest, span) = rest, find_days(rest, calendar)
    said = _blanked(timed, rest) if calendar.is_old and says_relatively(timed, rest) else ""
    rest, second = find_days(rest, calendar)
    words = vocabulary().tokens(read(rest), language, known=index.known)
    found = Reader(index, words, dict(chosen), recent).read()
    if hours is not None and index.has_hours:
        assert index.date_column is not None
        found.take_hours(index.date_column, hours)
    elif hours is not None:
        found.unknown.append(_blanked(question, timed))
    if span is not None and index.date_column is not None:
        found.take_days(index.date_column, span, second, said=said)
    elif span is not None:
        found.unknown.append(_blanked(question, rest))
    return found.asked()


def _blanked(question: str, rest: str) -> str:
    return "".join(a for a, b in zip(question, rest, strict=True) if a != b or a == " ").strip()
