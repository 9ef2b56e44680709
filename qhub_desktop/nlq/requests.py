"""Sentences to the program about itself, from the lexicons: what to remember, what was said."""

import re
from functools import cache

from qhub_desktop.core.text import Language, lexicons

Requests = dict[str, list[str]]  # patterns and words by name


@cache
def requests() -> dict[Language, Requests]:
    """Return the table of requests of each language that has one."""
    return {
        language: tables["requests"]
        for language, tables in lexicons("requests").items()
        if "requests" in tables
    }


@cache
def sentences(name: str, language: Language) -> list[re.Pattern[str]]:
    """Return the patterns of one request, to be matched against folded text; politeness may stand
    before each.
    """
    polite = "|".join(word for table in requests().values() for word in table["please"])
    return [
        re.compile(rf"\s*(?:(?:{polite})\W+)?(?:{each})", re.DOTALL)
        for each in requests()[language][name]
    ]
