"""Requests to the program about itself, by sentences of the lexicons; and those for what was said.

'o que vimos ontem sobre crateras?' asks for no data. What is to be remembered: `nlq.memory`.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.text import Language, fold_in_place, lexicons, moment
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.date_units import Calendar
from qhub_desktop.nlq.temporal import days_in
from qhub_desktop.nlq.tokenizer import blanked

_MARKS = re.compile(r"\*\*|\\(?=[^\w\s])")  # of Markdown, in what was answered

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


def recall_call(text: str, today: date) -> tuple[JsonObject, Language] | None:
    """Return the input of the search that a question asks for, and its language; None for any other
    question.
    """
    folded = fold_in_place(text).lower()
    for language, table in requests().items():
        tried = (each.match(folded) for each in sentences("recall", language))
        begun = next(filter(None, tried), None)
        if begun is None:
            continue
        days = days_in(text, Calendar(today, today))
        rest = blanked(folded, [place for place, _span in days])[begun.end() :]
        about = re.search(rf"\b(?:{'|'.join(table['recall_about'])})\b", rest)
        topic = rest[about.end() :] if about else rest
        small = {word for each in requests().values() for word in each["recall_small"]}
        told = re.findall(r"[^\W_][\w-]*", topic)
        words = " ".join(word for word in told if word not in small)
        given: JsonObject = {"palavras": words}
        if days:
            _place, (first, last) = days[0]
            given |= {
                name: day.isoformat()
                for name, day in (("de", first), ("ate", last))
                if day is not None
            }
        if words or days:
            return given, language
    return None


def recall_text(content: Mapping[str, Any], language: Language) -> str:
    """Write what a search found, each hit with its day, its conversation and an excerpt."""
    locale = AnswerLocale(language, is_markdown=True)
    found = content.get("mensagens") or []
    if not found:
        return locale.gettext("I found nothing of that in your conversations.")
    first = (
        locale.gettext("No message has all of these words; these have some of them.")
        if content.get("parcial")
        else locale.gettext("This is what I found in your conversations.")
    )
    return "\n".join([first, "", *(_line(each, locale) for each in found)])


def _line(hit: Mapping[str, Any], locale: AnswerLocale) -> str:
    title, excerpt = (
        locale.literal(one_line(_MARKS.sub("", hit[name]), most=300))
        for name in ("titulo", "excerto")
    )
    said = "" if excerpt == title else f": {excerpt}"
    return f"- {moment(datetime.fromisoformat(hit['data']))}, *{title}*{said}"
