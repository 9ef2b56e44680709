"""Row names: what a row is called, by the file's name and by what happens on its dates.

A row is what the file or the sheet is called by, in full ('consultas_2026') or cut off
('LPA_constat'), and what is done once in each row, since each has the day of it: rows with a
'CalDate' are calibrations. Who counts, lists or groups these counts, lists or groups rows.
"""

from collections.abc import Collection, Sequence
from itertools import chain

from qhub_desktop.core.text import words_of
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.row_events import NO_EVENT
from qhub_desktop.nlq.tokenizer import stem, tokenize
from qhub_desktop.nlq.verbs import verbs

_SHORTEST_ROW_NAME = 4  # letters of a word by which a file may name its rows
_OTHER_TIMES = frozenset(words_of("files", "other_times"))
_TIME_CONCEPTS = frozenset(["date", "time", "day", "hour", "minute", "month", "week", "year"])
_VOWELS = frozenset("aeiou")


def row_names_of(*names: str) -> frozenset[str]:
    """Return the stems of the words in the names of a file and its sheet."""
    words = chain.from_iterable(tokenize(name.replace("_", " ")) for name in names)
    return frozenset(stem(word.normalized) for word in words)


def is_row_name(word: str, row_names: Collection[str]) -> bool:
    """Return whether a word stands in the name of the file or the sheet, by the stems of these."""
    if len(stem(word)) < _SHORTEST_ROW_NAME or not word.isalpha():
        return False
    said = (stem(word), stem(f"{word}s"))  # the stem of 'returns' is a Portuguese one
    return any(each.endswith(said) for each in row_names)


def is_cut_row_name(word: str, row_names: Collection[str]) -> bool:
    """Return whether the file's name has what is left of a word: 'constat', of 'constatações'.

    Words are cut off between a consonant and a vowel. Of several words one in full is rather
    what the rows are: 'faturas_forn'.
    """
    named = [each for each in row_names if len(each) >= _SHORTEST_ROW_NAME and each.isalpha()]
    return len(named) == 1 and any(
        word.startswith(each)
        and len(word) > len(each) + 2
        and (each[-1] in _VOWELS, word[len(each)] in _VOWELS) == (False, True)
        for each in named
    )


def event_columns(moments: Sequence[str]) -> list[str]:
    """Return which columns of dates tell when a row happened: not what is due, or came before."""
    happened = [
        name for name in moments if not NO_EVENT & {*domain_lexicon().concepts_of_name(name)}
    ]
    return [
        name
        for name in happened
        if _OTHER_TIMES.isdisjoint(each.normalized for each in tokenize(name))
    ] or happened  # 'dt_ult_visita' is of the visit before


def tells_of_rows(name: str, row_names: Collection[str]) -> bool:
    """Return whether a column of dates is named after what the file holds: 'returnDate'."""
    words = [each.normalized for each in tokenize(name)]
    dates = {word for word in words if "date" in domain_lexicon().concepts_of_name(word)}
    return any(is_row_name(word, row_names) for word in words if word not in dates)


def is_noun(word: str) -> bool:
    """Return whether a word may name a thing, and is no form of a verb: 'calibrações'."""
    verb = verbs().form(word)
    return (verb is None or verb.kind == "bare") and not verbs().states(word)


def is_done_on(word: str, meant: Collection[str], day: str) -> bool:
    """Return whether a noun is what is done on the day that each row has: 'calibrações'.

    `meant` are its concepts, `day` the column of these days, as 'CalDate'.
    """
    done = {*domain_lexicon().concepts_of_name(day)} - _TIME_CONCEPTS
    return is_noun(word) and not done.isdisjoint(meant)


def means_rows(meant: Collection[str], row_names: Collection[str]) -> bool:
    """Return whether the concepts of a word are those of one in the file's name."""
    named = (domain_lexicon().concepts_at((word,), 0) for word in row_names)
    return any(concept in meant for found in named for concept, _ in found)
