"""Tone of a question: frustration or hurry, read from its words alone, and never kept."""

import re
from typing import Literal

from qhub_desktop.core.text import fold, fold_in_place

Tone = Literal["none", "frustrated", "hurried"]
BRIEF = "sê breve; o passo seguinte primeiro"
_WITHIN = r"\b[^.?!]{0,60}\b"  # in the same sentence


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})(?!\w)")


# Folded words, without accents. What is said of the data is no tone: 'a linha mais rapida'.
_FRUSTRATED = _any_of(
    r"nao (?:percebes|entendes|ouviste) nada",
    r"ja (?:te|lhe|vos) (?:disse|perguntei|expliquei)",
    r"(?:estou|ando) (?:farto|farta|cansado disto|cansada disto)",
    r"que (?:porcaria|seca|raio)",
    r"nao (?:serve|presta) para nada",
    r"isto nao (?:funciona|serve|da|presta)(?! para)",
    r"(?:outra vez|de novo) (?:errado|mal|o mesmo erro|a mesma coisa)",
    r"(?:esta|continua) tudo (?:errado|mal)",
    r"pela (?:segunda|terceira|quarta|enesima) vez",
    r"nao (?:foi|e) (?:isso|isto) que (?:eu )?(?:pedi|perguntei|quero)",
    r"i(?:'ve| have)? already (?:told|asked) you",
    r"useless",
    r"fed up",
    r"for the (?:second|third|fourth|last|nth) time",
    r"this (?:is not|isn't|does not|doesn't) work(?:ing)?",
    r"(?:that's|that is|thats) not what i (?:asked|meant|want)",
    r"you (?:don't|do not|dont) understand",
    r"wrong again",
    r"what the (?:hell|heck)",
    r"wtf",
)
_HURRIED = _any_of(
    r"(?:estou|estamos|tenho|temos) (?:com |muita |cheio de |cheia de )?pressa",
    r"nao (?:tenho|temos|ha) tempo",
    r"e (?:muito )?urgente",
    r"urgente(?:mente)?[!.,:]",
    r"com urgencia",
    r"o mais (?:depressa|rapido|rapidamente) possivel",
    rf"(?:preciso|precisamos|quero|diz|diga|responde|responda){_WITHIN}(?:ja|agora mesmo|depressa)",
    r"despacha(?:-te)?",
    r"a linha esta parada",
    r"estamos parados",
    r"asap",
    r"in a hurry",
    r"hurry(?: up)?",
    r"(?:it's|it is|this is) urgent",
    r"urgent(?:ly)?[!.,:]",
    r"right away",
    rf"(?:need|want|tell|give){_WITHIN}(?:right now|immediately|quickly)",
    r"the line is (?:down|stopped)",
)
# What may stand before such words in their clause, and says nothing of the data.
_LEADING = re.compile(
    r"\s*(?:(?:e|mas|olha|olhe|isto|isso|ja|is|it|it's|this|that|but|look|i|i'm|im|am|we|we're|are"
    r"|please|por favor)\b[\s,!]*)*"
)
_BREAKS = ",:;.!-"  # between a clause and the question
_SHOUTED = re.compile(r"[!?]{3,}")


def without_tone(text: str) -> str:
    """Return a question without a clause at its start or end that only shows hurry or annoyance:
    'estou com pressa: quantos defeitos hoje?'.
    """
    words = fold_in_place(text).lower()
    for pattern in (_FRUSTRATED, _HURRIED):
        for said in pattern.finditer(words):
            before, behind = words[: said.start()].rstrip(), words[said.end() :].lstrip()
            if _LEADING.fullmatch(before) and behind[:1] in _BREAKS and len(behind.split()) > 1:
                return text[len(text) - len(behind) :].lstrip(f" {_BREAKS}")
            cut = max(map(before.rfind, f"{_BREAKS}?")) + 1  # behind the clause before
            is_last = not behind.strip(f" {_BREAKS}?") and _LEADING.fullmatch(before[cut:].strip())
            if is_last and len(before[:cut].split()) > 1:
                return text[:cut].rstrip(f" {_BREAKS}")
    return text


def tone_of(text: str) -> Tone:
    """Return the tone of a text's words, in Portuguese or English."""
    words = fold(text)
    if _FRUSTRATED.search(words) or _SHOUTED.search(words):
        return "frustrated"
    return "hurried" if _HURRIED.search(words) else "none"
