"""Questions to the plant's documents: which they are, and what is searched for.

What a question names of data goes before what documents say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import Citation, search_input
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.text import Language, fold, fold_in_place, lexicons, stop_words, words_of
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.lexicon import tokens_in
from qhub_desktop.nlq.query_ast import Ask, Plan, Unknown, Why
from qhub_desktop.nlq.requests import requests
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import blanked

_LONG_WORD = re.compile(r"[^\W_]{3,}")
_LETTERS = 5  # by which words are compared, as the search does
_CODE = r"[^\W\d_]{2,}(?:[-_][^\W_]+)*[-_ ]?\d+"


def asked_of_documents(text: str, indexes: Sequence[SchemaIndex]) -> Language | None:
    """Return the language of a question that speaks of documents; None for any other.

    A word that names a column or a value of the data speaks of that.
    """
    for language, found in _mentions(text):
        if not any(_has(index, found[0]) for index in indexes):
            return language
    return None


def _mentions(text: str) -> Iterator[tuple[Language, re.Match[str]]]:
    """Find what speaks of documents in a question, by the language of the words."""
    folded = fold_in_place(text).lower()
    for language, table in requests().items():
        for pattern in table["documents"]:
            for found in re.finditer(pattern, folded):
                yield language, found


def _has(index: SchemaIndex, words: str) -> bool:
    beginnings = _beginnings(words)
    return any(beginnings <= _beginnings(name) for name in _names(index))


def names_data(text: str, indexes: Sequence[SchemaIndex]) -> bool:
    """Return whether a word of a question is one of a column's name or of a value."""
    beginnings = _beginnings(text)
    return any(beginnings & _beginnings(name) for index in indexes for name in _names(index))


def tells_more(indexes: Sequence[SchemaIndex], question: str, quoted: str) -> bool:
    """Return whether a question that was not understood is rather one of data than of what was
    found in documents: it names a data set, or more of its words name data than were found.
    """
    words = _beginnings(question) - _beginnings(" ".join(stop_words()))
    of_data = {
        word for index in indexes for name in _names(index) for word in words & _beginnings(name)
    }
    if any(words & _beginnings(index.profile.dataset) for index in indexes):
        return True
    lines = quoted.split("\n")
    return bool(of_data) and len(of_data) >= max(len(words & _beginnings(line)) for line in lines)


def _names(index: SchemaIndex) -> Iterator[str]:
    for column in index.profile.columns:
        yield column.name
        yield from map(str, column.known)


def may_be_in_documents(
    plan: Plan, text: str, indexes: Sequence[SchemaIndex], language: Language
) -> bool:
    """Return whether a question was not understood of the data, and may be of documents.

    So, too, one that data cannot tell: who, where or what will be, 'quem vai dar formação?', where
    it has words that name no data; and what a cause is, if not of days.
    """
    words = set(re.findall(r"[^\W_]+", fold(text)))
    match plan:
        case Unknown(what="question" | "column" | "value" | "unheeded"):
            return True
        case Unknown(what="future"):
            _named, others = _things(text, indexes, language)
            return others and not words.isdisjoint(words_of("documents", "asks_thing"))
        case Why(scope=scope):
            named, _others = _things(text, indexes, language)
            causes = words.intersection(words_of("documents", "asks_cause")) - stop_words()
            is_of_days = scope is not None and scope.period is not None
            return not named or (bool(causes) and not is_of_days)
        case Ask(word=""):  # what is proposed leaves words of the question unexplained
            return True
        case _:
            return False


def _things(text: str, indexes: Sequence[SchemaIndex], language: Language) -> tuple[bool, bool]:
    """Return whether a question has words that name a column or a value, and others."""
    known = {
        lemma
        for index in indexes
        for phrase in (*index.lemmas.values(), *index.values)
        for lemma in phrase
    }
    told = [
        token.lemma in known
        for token in tokens_in(text, language)
        if token.lemma and not token.is_cue and fold(token.text) not in stop_words()
    ]
    return any(told), not all(told)


def documents_call(question: str) -> JsonObject:
    """Return the input of the search for a question; of the very revision that it names.

    'instrução' and the like stand in few passages of one: they are not searched for; nor is what
    asks for an amount, 'quanto tempo', which stands in passages on other things.
    """
    named = re.search(_revision_pattern(), question, re.IGNORECASE)
    places = [found.span() for _language, found in _mentions(question)]
    folded = fold_in_place(question).lower()
    places += [found.span() for found in re.finditer(_amount_pattern(), folded)]
    words = blanked(question, [*places, *([] if named is None else [named.span()])], by=" ")
    is_empty = _LONG_WORD.search(words) is None
    document = "" if named is None else "{} rev. {}".format(*named.groups())
    return search_input(" ".join((question if is_empty else words).split()), document)


def cause_call(question: str, result: ToolResult) -> JsonObject | None:
    """Return the input of a second search, where a question is for a cause: for the section on
    causes of the document that is nearest, which need not say again of what. None for any other.
    """
    asked = set(re.findall(r"[^\W_]+", fold(question)))
    if not result.passages or asked.isdisjoint(words_of("documents", "asks_cause")):
        return None
    return search_input(", ".join(words_of("documents", "cause_section")), result.passages[0].file)


def joined(result: ToolResult, causes: ToolResult) -> ToolResult:
    """Return what two searches found, the passages on causes first."""
    more = [each for each in causes.passages if each not in result.passages]
    headed = [each for each in more if _is_on_causes(each)]
    own = sorted(result.passages, key=lambda each: not _is_on_causes(each))
    return replace(result, passages=(*headed, *own))


def _is_on_causes(passage: Citation) -> bool:
    title = set(re.findall(r"[^\W_]+", fold(" ".join(passage.place.headings[-1:]))))
    return not title.isdisjoint(words_of("documents", "asks_cause"))


@cache
def _revision_pattern() -> str:
    words = [
        re.escape(word)
        for tables in lexicons("documents").values()
        for word in tables.get("documents", {}).get("revision", ())
    ]
    return rf"\b({_CODE}),?\s+(?:{'|'.join(sorted(words, key=len, reverse=True))})\s*(\w{{1,3}})\b"


@cache
def _amount_pattern() -> str:
    asking = "|".join(words_of("documents", "asks_amount"))
    times = "|".join(words_of("documents", "asks_duration"))
    often = "|".join(words_of("documents", "asks_frequency"))
    return rf"\b(?:(?:{often})(?: (?:{times}))?|(?:{asking}) (?:{times}))\b"


def waiting_text(result: ToolResult, language: Language) -> str:
    """Tell how many documents are not read yet, where a search found nothing; else ""."""
    count = result.content.get("adiados") if isinstance(result.content, dict) else None
    if not isinstance(count, int):
        return ""
    told = AnswerLocale(language).ngettext(
        "{count} document is still to be read: ask again in a while.",
        "{count} documents are still to be read: ask again in a while.",
        count,
    )
    return told.format(count=count)


def nothing_found(result: ToolResult, language: Language) -> str:
    """Tell that no document has anything of it, or why that is not known yet."""
    text = AnswerLocale(language).gettext("I found nothing of that in the documents.")
    return f"{text} {waiting_text(result, language)}".rstrip()


def _beginnings(text: str) -> frozenset[str]:
    return frozenset(word[:_LETTERS] for word in _LONG_WORD.findall(fold(text)))
