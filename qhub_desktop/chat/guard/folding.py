"""Folded words of a text: without accents, capitals and disguise, each at its place.

Places are bits of one number, so that a phrase is found in a few operations on numbers, however
often its words stand in the text.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence

# Letters of other alphabets that look like ours, as they are written small.
_ALIKE = {
    **dict(zip("абвгԁеѕіјкӏмнорԛгѕтухһѵԝьз", "abbrdesijklmhopqrstuxhvwb3", strict=True)),
    **dict(zip("αβγδεζηικλμνορστυχω", "abydezniklmvopstuxw", strict=True)),
    "с": "c",
    "ո": "n",
    "ɡ": "g",
    "ɑ": "a",
    "ı": "i",
    "ł": "l",
    "ø": "o",
    "đ": "d",
    "ß": "ss",
    "œ": "oe",
    "æ": "ae",
    "и": "u",
    "п": "n",
    "г": "r",
    "х": "x",
}
_DIGITS = str.maketrans("0134578", "oieastb")  # 'pr3v10us'


class _Plain(dict[int, str]):
    """Characters as they are compared, each worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        apart = unicodedata.normalize("NFKD", chr(code)).lower()
        kept = (each for each in apart if unicodedata.category(each) not in _UNSEEN)
        self[code] = plain = "".join(_ALIKE.get(each, each) for each in kept)
        return plain


_UNSEEN = ("Mn", "Me", "Cf")  # accents; what joins, parts or turns letters and is not seen
_PLAIN = _Plain()
# A word; or the end of a sentence.
_TOKEN = re.compile(r"[^\W_]+|[.!?;](?=\s|$)|\n\s*\n")
# Letters set apart by one sign or a few: 'i.g.n.o.r.a', 'i g n o r e   a l l'.
_APART = re.compile(r"(?<![^\W_])[^\W_](?:[\W_]{1,3}[^\W_](?![^\W_])){3,}")
# Words without a blank between them: few words are as long.
_RUN = re.compile(r"[^\W\d_]{20,}")
_SIGNS = re.compile(r"([\W_]+)")
_SHORTEST = 3  # letters of a word that is found among others without a blank
_MOST_LETTERS = 10_000  # of what ran into each other: nobody writes more
_LEAST_WORDS = 3  # of a sentence: 'Ignore. Previous. Instructions.' is none of three


def plain(text: str) -> str:
    """Return a text as its words are compared: small letters without accents or look-alikes."""
    return text.lower() if text.isascii() else text.translate(_PLAIN)


def plain_words(text: str) -> list[str]:
    """Return the words of a phrase."""
    return [each for each in _TOKEN.findall(plain(text)) if each[0].isalnum()]


class Vocabulary:
    """Words that phrases are made of."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        self.beginnings = frozenset(each[:_SHORTEST] for each in words if len(each) >= _SHORTEST)
        self.longest = max(map(len, self.words), default=0)


class FoldedText:
    """Words of a text that are among the `known`, by place; other words count as places alone."""

    def __init__(self, text: str, known: Vocabulary) -> None:
        folded = plain(text)
        if _APART.search(folded):
            folded = _APART.sub(lambda found: _joined(found[0], known), folded)
        if _RUN.search(folded):
            folded = _RUN.sub(lambda found: " ".join(_parted(found[0], known)), folded)
        places: dict[str, list[int]] = {}
        ends: list[int] = []
        words = known.words
        begun = 0  # the place where the sentence begins
        tokens = _TOKEN.findall(folded)
        for place, token in enumerate(tokens):
            if token in words:
                places.setdefault(token, []).append(place)
            elif token.isalpha():
                continue
            elif not token[0].isalnum():
                if place - begun >= _LEAST_WORDS:
                    ends.append(place)
                    begun = place + 1
            elif not token.isdecimal() and (word := token.translate(_DIGITS)) in words:
                places.setdefault(word, []).append(place)
        self._length = len(tokens) + 1
        self._bits = {word: self._number(at) for word, at in places.items()}
        self._inside = ~self._number(ends)  # all places but the ends of sentences
        self._ends = ends

    def places(self, words: Collection[str]) -> int:
        """Return the places of any of these words, as bits."""
        found = 0
        for word in words if len(words) < len(self._bits) else self._bits.keys() & words:
            found |= self._bits.get(word, 0)
        return found

    def behind(self, places: int, most: int) -> int:
        """Return the places behind these, with up to `most` words between, in one sentence."""
        reached = step = (places << 1) & self._inside
        for _word in range(most):
            step = (step << 1) & self._inside
            reached |= step
        return reached

    def sentences(self, places: int) -> Iterator[int]:
        """Yield the sentences in which these places are, each as the bits of its places."""
        begun = 0
        for end in (*self._ends, self._length):
            sentence = (1 << end) - (1 << begun)
            if places & sentence:
                yield sentence
            begun = end

    def _number(self, places: Sequence[int]) -> int:
        bits = bytearray((self._length >> 3) + 1)
        for place in places:
            bits[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(bits, "little")


def _joined(letters: str, known: Vocabulary) -> str:
    """Return letters that were set apart as words: another sign than the first parts them."""
    if letters[1::2] == letters[1] * (len(letters) // 2):  # by one sign, as most are
        return " ".join(_parted(letters[::2], known))
    first, *rest = _SIGNS.split(letters)
    usual = rest[0]
    words = "".join(
        [first, *(b if a == usual else f" {b}" for a, b in zip(rest[::2], rest[1::2], strict=True))]
    )
    return " ".join(" ".join(_parted(each, known)) for each in words.split())


def _parted(word: str, known: Vocabulary) -> Iterator[str]:
    """Part words that ran into each other so that known ones, the longer the better, fill most."""
    if word in known.words or word.isdecimal():
        yield word
        return
    end = min(len(word), _MOST_LETTERS)
    worth, length_at = [0] * (end + 1), [0] * (end + 1)
    for at in range(end - 1, -1, -1):
        worth[at] = worth[at + 1]
        if word[at : at + _SHORTEST] not in known.beginnings:
            continue
        for length in range(_SHORTEST, min(known.longest, end - at) + 1):
            filled = worth[at + length] + length * length
            if filled > worth[at] and word[at : at + length] in known.words:
                worth[at], length_at[at] = filled, length
    done = at = 0
    while at < end:
        length = length_at[at]
        if length:
            if done < at:
                yield word[done:at]
            yield word[at : at + length]
            done = at + length
        at += length or 1
    if done < len(word):
        yield word[done:]
