"""How well a few typed letters fit some words."""

import unicodedata

_START_OF_WORD = 8
_NEIGHBOUR = 5
_GAP = 1


def plain(words: str) -> str:
    """Without capitals and accents."""
    decomposed = unicodedata.normalize("NFD", words.casefold())
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def fit(typed: str, words: str) -> int | None:
    """The better the higher; nothing if a letter is missing, or they stand in another order."""
    letters, text = plain(typed).replace(" ", ""), plain(words)
    if not letters:
        return 0
    best: int | None = None
    start = text.find(letters[0])
    while start >= 0:
        score = _score(letters, text, start)
        if score is not None and (best is None or score > best):
            best = score
        start = text.find(letters[0], start + 1)
    return best


def _score(letters: str, text: str, start: int) -> int | None:
    score, before = 0, start - 1
    for letter in letters:
        at = text.find(letter, before + 1)
        if at < 0:
            return None
        if at == 0 or not text[at - 1].isalnum():
            score += _START_OF_WORD
        if at == before + 1:
            score += _NEIGHBOUR
        else:
            score -= min(at - before, 10) * _GAP
        before = at
    return score - len(text) // 20
