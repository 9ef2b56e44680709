"""Finding words: whatever their accents and case, from their first letters on."""

import re
import sqlite3
import unicodedata

from qhub_desktop.store.values import storable

MOST_WORDS = 16
SNIPPET_CHARACTERS = 90
BEFORE_CHARACTERS = 24


def unindexed(db: sqlite3.Connection) -> list[int]:
    """The messages that a kill cut short before their words could be found."""
    waiting = """SELECT id FROM messages WHERE "end" IS NULL AND is_superseded = 0
        AND NOT EXISTS (SELECT 1 FROM texts WHERE message = id)"""
    return [message for (message,) in db.execute(waiting).fetchall()]


def match_of(search: str) -> str:
    """The search as SQLite's FTS5 reads it: every word, from its start. Empty if it has none."""
    words = [word for word in storable(search).split() if any(map(str.isalnum, word))]
    return " ".join('"{}"*'.format(word.replace('"', " ")) for word in words[:MOST_WORDS])


def snippet_of(text: str, search: str) -> str:
    """One line of the text around the first word that the search means."""
    line = " ".join(unicodedata.normalize("NFC", text).split())
    hit = _first_hit(line, search)
    start = max(0, hit - BEFORE_CHARACTERS)
    if start:
        # At a word's start, if there is one before the hit: find gives -1 where there is none.
        start = max(start, line.find(" ", start, hit) + 1)
    end = start + SNIPPET_CHARACTERS
    if end < len(line):
        middle = start + SNIPPET_CHARACTERS // 2
        end = line.rfind(" ", middle, end) if " " in line[middle:end] else end
    return ("… " if start else "") + line[start:end] + (" …" if end < len(line) else "")


def _first_hit(line: str, search: str) -> int:
    # The same words as unicode61 sees: letters and digits.
    starts = re.findall(r"[^\W_]+", folded(unicodedata.normalize("NFC", search)))
    if not starts:
        return 0
    hit = re.search(rf"(?<![^\W_])(?:{'|'.join(starts)})", folded(line))
    return hit.start() if hit else 0


def folded(text: str) -> str:
    """The text without accents and capitals, every character still where it was."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


class _Folding(dict[int, int]):
    """Characters without accent and capital, each worked out when it is first met."""

    def __missing__(self, code: int) -> int:
        self[code] = folded = ord(unicodedata.normalize("NFD", chr(code))[0].lower()[0])
        return folded


_FOLDING = _Folding()
