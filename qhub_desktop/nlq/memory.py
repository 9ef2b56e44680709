"""Memory requests: 'lembra-te que…', 'o que sabes de mim?', 'esquece…', in both languages."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.memory import ROOT, name_from, path_of
from qhub_desktop.core.text import Language, fold, fold_in_place
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale

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


_PLEASE = r"\s*(?:(?:por favor|please|ok|olha)\W+)?"
_KNOW = r"(?:sabes|te lembras|recordas|guardaste)"
_KEEP = (
    r"(?:lembra-te|lembre-se|recorda-te|memoriza|toma nota|tome nota|guarda na memoria"
    r"|nao te esquecas)"
)
_KNOW_EN = r"(?:know|known|remember|remembered|kept|stored)"
_KEEP_EN = r"(?:remember|keep in mind|(?:make a |take )?note|don't forget|do not forget)"
_DROP = r"(?:esquece|esqueca|esquece-te|apaga|elimina)"
_SAID = r"(?:disse|contei|pedi)(?: sobre| de)?"
# Folded, the first that fits; what is in brackets is what it is about.
_SENTENCES: Sequence[tuple[Wish, Language, str]] = (
    ("forget all", "pt", r"(?:apaga|apague|esquece|elimina|limpa) (?:tudo|todas)\b.*\bmim\W*$"),
    ("forget all", "pt", r"(?:apaga|apague|esquece|limpa) (?:toda )?a tua memoria\W*$"),
    ("forget all", "en", r"(?:forget|delete|erase|clear) (?:everything|all)\b.*\bme\W*$"),
    ("forget all", "en", r"(?:delete|erase|clear) your memory\W*$"),
    (
        "tell",
        "pt",
        rf"(?:diz-me )?(?:o )?que (?:e que )?(?:tu )?(?:ja )?{_KNOW} (?:de|sobre) mim\W*$",
    ),
    ("tell", "pt", r"(?:o )?que tens na (?:tua )?memoria\W*$"),
    ("tell", "pt", r"mostra(?:-me)? as (?:tuas )?notas sobre mim\W*$"),
    (
        "tell",
        "en",
        rf"(?:tell me )?what (?:do|did|have) you {_KNOW_EN} (?:about|of) me\W*$",
    ),
    ("tell", "en", r"show (?:me )?your notes (?:about|on) me\W*$"),
    (
        "remember",
        "pt",
        rf"{_KEEP}(?: sempre)?(?: disto)?(?:\s*[:,]\s*|\s+(?:de )?que\s+)(.+)",
    ),
    (
        "remember",
        "en",
        rf"{_KEEP_EN}(?: this)?(?:\s*:\s*|,?\s+that\s+)(.+)",
    ),
    ("remember", "en", r"remember ((?:i|i'm|my|we|our)\b.+)"),
    ("forget", "pt", rf"{_DROP}(?: de)? que\s+(.+)"),
    ("forget", "pt", rf"{_DROP} (?:d?o que|aquilo que) (?:eu )?(?:te )?{_SAID}\s+(.+)"),
    ("forget", "pt", rf"{_DROP} a nota(?: sobre| de| que)?\s+(.+)"),
    ("forget", "pt", rf"{_DROP} (?:d?[ao]s? )?((?:meus?|minhas?)\s+.+)"),
    ("forget", "en", r"(?:forget|delete|erase) that\s+(.+)"),
    ("forget", "en", r"(?:forget|delete|erase) what i (?:said|told you)(?: about)?\s+(.+)"),
    ("forget", "en", r"(?:forget|delete|erase) the note(?: on| about| that)?\s+(.+)"),
    ("forget", "en", r"(?:forget|delete|erase) (my\s+.+)"),
)
_MAYBE: Sequence[tuple[Language, str]] = (("pt", r"esquece\s+(.+)"), ("en", r"forget\s+(.+)"))
_PATTERNS = [
    (wish, language, re.compile(_PLEASE + f"(?:{sentence})", re.DOTALL))
    for wish, language, sentence in _SENTENCES
]
_MAYBE_PATTERNS = [(language, re.compile(_PLEASE + each)) for language, each in _MAYBE]
_NO_TOPIC = {
    *("que", "para", "com", "por", "dos", "das", "uma", "sou", "meu", "minha", "sobre", "nota"),
    *("the", "that", "and", "for", "with", "are", "was", "our"),
}


def memory_request(text: str) -> MemoryRequest | None:
    """Read a sentence about what is remembered; None for any other."""
    folded = fold_in_place(text).lower()
    for wish, language, sentence in _PATTERNS:
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
    for language, sentence in _MAYBE_PATTERNS:
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
    if state.startswith("não confirmado"):
        return locale.gettext("Nothing was changed.")
    match request.wish:
        case "remember":
            told = locale.gettext("I will remember: «{text}»")
            lines = [told.format(text=locale.literal(one_line(request.about, most=_SHOWN)))]
            if archived := content.get("arquivadas"):
                names = ", ".join(each.removeprefix(f"{ROOT}/") for each in archived)
                lines.append(locale.gettext("Archived to make room: {name}").format(name=names))
            return "\n".join(lines)
        case "tell":
            return _told(content, locale)
        case "forget":
            name = str(content.get("caminho", "")).removeprefix(f"{ROOT}/")
            return locale.gettext("Forgotten: {name}").format(name=name)
        case "forget all":
            return locale.gettext("Forgotten: everything that I knew of you.")


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
    return {each.rstrip("s") for each in words if len(each) >= 3 and each not in _NO_TOPIC}
