"""Writing SQL from values: names and texts in quotes, words compared as people write them."""

import unicodedata
from collections.abc import Mapping
from datetime import date
from typing import Literal


def quoted(name: str) -> str:
    """An identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text value, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"


def folded(text: str) -> str:
    """A name or a value without case, accents and the difference of space and underscore."""
    bare = unicodedata.normalize("NFKD", text.strip().lower())
    return "".join(each for each in bare if not unicodedata.combining(each)).replace(" ", "_")


def text_of(column: str) -> str:
    """A column's cells as text, without the blanks around it."""
    return f"trim(CAST({quoted(column)} AS VARCHAR))"


def text_is(text: str, value: str) -> str:
    """Whether some text, given as SQL, is `value`, however it is written."""
    return f"replace(lower(strip_accents({text})), ' ', '_') = {literal(folded(value))}"


def translated(text: str, meanings: Mapping[str, str]) -> str:
    """Some text, given as SQL, with other words for those that have a meaning of their own."""
    if not meanings:
        return text
    cases = " ".join(f"WHEN {literal(word)} THEN {literal(to)}" for word, to in meanings.items())
    return f"CASE {text} {cases} ELSE {text} END"


def date_is(column: str, relation: Literal[">=", "<="], day: date) -> str:
    """Whether a column's day is on the right side of `day`, that day included."""
    return f"CAST({quoted(column)} AS DATE) {relation} DATE {literal(day.isoformat())}"
