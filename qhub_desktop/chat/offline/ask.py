"""One question over one data set: its days first, then its words."""

from datetime import date

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dates import Calendar, find
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.reading import Reader
from qhub_desktop.chat.offline.vocabulary import vocabulary
from qhub_desktop.chat.offline.words import read
from qhub_desktop.core.text import Language


def ask(question: str, index: Index, *, language: Language, today: date) -> Asked:
    """Read a question over one data set."""
    calendar = Calendar(today=today, last=index.last_day or today)
    rest, span = find(question, calendar)
    rest, second = find(rest, calendar)
    words = vocabulary().tokens(read(rest), language, known=index.known)
    reader = Reader(index, words)
    reader.read()
    if span is not None and index.date_column is not None:
        reader.take_days(index.date_column, span, second)
    elif span is not None:
        reader.unknown.append(_blanked(question, rest))
    return reader.result()


def _blanked(question: str, rest: str) -> str:
    return "".join(a for a, b in zip(question, rest, strict=True) if a != b or a == " ").strip()
