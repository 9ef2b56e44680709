"""Memory requests: 'lembra-te que…', 'o que sabes de mim?', 'esquece…', in both languages."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.memory import ROOT, name_from, path_of
from qhub_desktop.core.text import Language, fold, fold_in_place
from qhub_desktop.core.tool import DECLINED
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.requests import requests, sentences

Wish = Literal["remember", "tell", "forget", "forget all"]
ALL: JsonObject = {"comando": "view", "caminho": ROOT}
_SHOWN = 200  # characters of a note in an answer


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A sentence about what is remembered; `about` is the note's text, or what is to be forgotten.

    It `may_be_data` where the same words are said of a filter, too: 'esquece o turno'.
    """

    wish: Wish
    language: Language
    about: str = ""
    may_be_data: bool = False


_WISHES: Sequence[tuple[Wish, str]] = (
    ("forget all", "forget_all"),
    ("tell", "tell"),
    ("remember", "remember"),
    ("remember", "remember_that"),
    ("forget", "forget"),
)


@cache
def _sentences() -> list[tuple[Wish, Language, re.Pattern[str]]]:
    """Return the sentences of each wish, the first that fits; what is in brackets it is about."""
    return [
        (wish, language, each)
        for wish, name in _WISHES
        for language in requests()
        for each in sentences(name, language)
    ]


@cache
def _small_words() -> frozenset[str]:
    """Return words that tell nothing of a note's subject."""
    return frozenset(word for table in requests().values() for word in table["note_small"])


def memory_request(text: str) -> MemoryRequest | None:
    """Read a sentence about what is remembered; None for any other."""
    folded = fold_in_place(text).lower()
    for wish, language, sentence in _sentences():
        if (found := sentence.match(folded)) is None:
            continue
        if wish in ("tell", "forget all"):
            return MemoryRequest(wish, language)
        place = next(each for each in range(1, len(found.groups()) + 1) if found[each])
        about = text[slice(*found.span(place))].strip()
        if wish == "remember":
            is_question = about.endswith("?")
            about = about[:1].upper() + about[1:]
            return None if is_question else MemoryRequest(wish, language, about)
        return MemoryRequest(wish, language, about.strip(" .!"))
    for language in requests():
        (sentence,) = sentences("forget_or_filter", language)
        if found := sentence.match(folded):
            about = text[slice(*found.span(1))].strip(" .!")
            return MemoryRequest("forget", language, about, may_be_data=True)
    return None


def first_call(request: MemoryRequest) -> JsonObject:
    """Return the input of the tool's first call for a request."""
    match request.wish:
        case "remember":
            path = path_of(name_from(request.about))
            return {"comando": "create", "caminho": path, "texto": request.about}
        case "forget all":
            return {"comando": "delete", "caminho": ROOT}
        case "tell" | "forget":
            return ALL


def notes_about(content: Mapping[str, Any], about: str) -> list[Mapping[str, Any]]:
    """Return the notes that a person wants forgotten, of those that were viewed: those with the
    most of the words, and with half of them at least.
    """
    wanted = _words(about)
    if not wanted:
        return []
    archived = [{"caminho": each, "texto": ""} for each in content.get("arquivadas") or []]
    counts = [
        (len(wanted & _words(f"{each['caminho'].removeprefix(ROOT)} {each['texto']}")), each)
        for each in [*(content.get("notas") or []), *archived]
    ]
    most = max((count for count, _note in counts), default=0)
    if most * 2 < len(wanted) or not most:
        return []
    return [note for count, note in counts if count == most]


def answer(request: MemoryRequest, content: Mapping[str, Any]) -> str:
    """Write what came of a request: the content is the last call's result."""
    locale = AnswerLocale(request.language, is_markdown=True)
    state = str(content.get("estado", ""))
    if state.startswith(DECLINED):
        return locale.gettext("Nothing was changed.")
    match request.wish:
        case "remember":
            lines = [locale.gettext("It is noted.")]  # its words stand above, with Undo
            if archived := content.get("arquivadas"):
                names = ", ".join(each.removeprefix(f"{ROOT}/") for each in archived)
                lines.append(locale.gettext("Archived to make room: {name}").format(name=names))
            return "\n".join(lines)
        case "tell":
            return _told(content, locale)
        case "forget" | "forget all":
            return locale.gettext("It is gone.")  # what it was stands above


def which_note(notes: Sequence[Mapping[str, Any]], request: MemoryRequest) -> str:
    """Ask which of several notes is meant, or say that there is none."""
    locale = AnswerLocale(request.language, is_markdown=True)
    if not notes:
        return locale.gettext("I know nothing of that. To see what I know, ask what I know of you.")
    lines = [f"- {locale.literal(one_line(each['texto'], most=_SHOWN))}" for each in notes]
    return "\n".join([locale.gettext("Which of these? Say more of its words."), "", *lines])


def _told(content: Mapping[str, Any], locale: AnswerLocale) -> str:
    notes = content.get("notas") or []
    if not notes:
        return locale.gettext("I know nothing of you. Say 'remember that …', and I keep it.")
    lines = [f"- {locale.literal(one_line(each['texto'], most=_SHOWN))}" for each in notes]
    return "\n".join([locale.gettext("This is what I know of you:"), "", *lines])


def _words(text: str) -> set[str]:
    words = re.findall(r"[^\W_]+", fold(text))
    return {each.rstrip("s") for each in words if len(each) >= 3 and each not in _small_words()}
