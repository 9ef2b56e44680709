"""The language of an answer: its texts, and how it formats numbers, values and names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from qhub_desktop.core import text
from qhub_desktop.core.codec import Json
from qhub_desktop.core.text import Language, gettext_noop
from qhub_desktop.core.untrusted import literal_markdown, one_line
from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.tokenizer import without_unit

WEEKDAYS = (
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
    gettext_noop("Sunday"),
)
_SHIFTS: dict[tuple[str, ...], str] = {
    ("morning",): gettext_noop("morning"),
    ("afternoon",): gettext_noop("afternoon"),
    ("night",): gettext_noop("night"),
}
_COLUMNS: dict[tuple[str, ...], str] = {
    ("defect", "type"): gettext_noop("type"),
    ("shift",): gettext_noop("shift"),
    ("operator",): gettext_noop("operator"),
    ("material",): gettext_noop("material"),
    ("rack",): gettext_noop("rack"),
    ("position",): gettext_noop("position"),
    ("date",): gettext_noop("date"),
}


@dataclass(frozen=True, slots=True)
class AnswerLocale:
    """Language of an answer: its texts, its numbers, and its names for values and columns.

    With `is_markdown`, names and values are written so that Markdown shows them as they stand.
    """

    language: Language
    is_markdown: bool = False

    @property
    def markdown(self) -> "AnswerLocale":
        """Return this for sentences in Markdown."""
        return replace(self, is_markdown=True)

    def literal(self, words: str) -> str:
        """Return words from outside as what is written here shows them."""
        return literal_markdown(words) if self.is_markdown else words

    def gettext(self, message: str) -> str:
        """Translate a text."""
        return text.gettext(message, language=self.language)

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Translate a text that depends on a count."""
        return text.ngettext(one, many, count, language=self.language)

    def number(self, value: float, *, digits: int | None = None) -> str:
        """Format a number with the language's separators."""
        return text.number(value, digits=digits, language=self.language)

    def percent(self, part: float, whole: float) -> str:
        """Format a part of a whole in percent."""
        return text.percent(part / whole if whole else 0, language=self.language)

    def share(self, part: float, whole: float) -> str:
        """Format a part of a whole: '62 of 200 (31%)'."""
        return self.gettext("{part} of {whole} ({share})").format(
            part=self.number(part), whole=self.number(whole), share=self.percent(part, whole)
        )

    def listed(self, items: Sequence[str]) -> str:
        """Join words: 'a, b and c'."""
        if len(items) < 2:
            return "".join(items)
        return self.gettext("{first} and {last}").format(
            first=", ".join(items[:-1]), last=items[-1]
        )

    def value(self, value: Json | date | datetime, *, is_shift: bool = False) -> str:
        """Format a value of the data: days as dates, shifts by their names."""
        match value:
            case None | "" | "(sem valor)":
                return self.gettext("(empty)")
            case bool() | int() | float() | date():
                return text.cell(value, language=self.language)
            case str():
                if is_shift and (named := _SHIFTS.get(current_lexicon().lemmas(value))):
                    return self.gettext(named)
                return self.literal(one_line(value))
            case _:
                return self.literal(str(value))

    def column(self, name: str) -> str:
        """Format a column's name for a sentence; well-known ones are translated."""
        if label := _COLUMNS.get(tuple(sorted(current_lexicon().lemmas(name)))):
            return self.gettext(label)
        return self.literal(without_unit(name).replace("_", " ").strip())
