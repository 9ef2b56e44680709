"""Events: what may happen to a row, the words for it in any language, and the columns of its days.

A column of dates tells when something happened, or when it was to: 'F. Caduc.', 'Env. D8',
'PromisedBy'. A question names such a day by a verb, a participle or a noun: 'caducaram', 'the day
it was sent', 'data prometida'. Both are led to the same events, which stand with their words in
`resources/lexicon_questions.toml`.
"""

# Why it is so: decisions/reading-questions.md

from functools import cache, lru_cache

from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.domain_lexicon import LANGUAGES, SHORTEST_CUT
from qhub_desktop.nlq.verbs import question_words

DUE = "due"
# Concepts of days on which something is due, or somebody was born, not when a row happened.
NO_EVENT = frozenset(["birth_date", "due_date", "expiry", "valid", "planned", "planned_date"])
_DATES = tuple(sorted(words_of("files", "date_names"), key=lambda each: -len(each)))


@dataclass(frozen=True, slots=True)
class Event:
    """What may happen, by the beginnings of the words for it."""

    name: str
    beginnings: tuple[str, ...]
    short: frozenset[str]  # what headers shorten the words to
    concepts: frozenset[str]
    near: frozenset[str]  # events that the data may have in its place

    def is_said_by(self, word: str) -> bool:
        """Return whether a normalized word of a question says that it happened."""
        return bool(self.beginnings) and word.startswith(self.beginnings)

    def is_headed_by(self, word: str) -> bool:
        """Return whether a normalized word of a column's name tells its day."""
        is_cut = len(word) >= SHORTEST_CUT and any(e.startswith(word) for e in self.beginnings)
        return is_cut or self.is_said_by(word)


@cache
def events() -> tuple[Event, ...]:
    """Return all events, read when they are first asked for."""
    return tuple(
        Event(
            name,
            tuple(dict.fromkeys(word for each in LANGUAGES for word in said.get(each, ()))),
            frozenset(said.get("short", ())),
            frozenset(said.get("concepts", ())),
            frozenset(said.get("near", ())),
        )
        for name, said in question_words()["event"].items()
    )


@lru_cache(maxsize=4096)
def events_said(word: str) -> frozenset[str]:
    """Return the events that a normalized word of a question may say."""
    return frozenset(each.name for each in events() if each.is_said_by(word))


@lru_cache(maxsize=1024)
def events_near(names: frozenset[str]) -> frozenset[str]:
    """Return the events for which the data may have some others."""
    return frozenset(near for each in events() if each.name in names for near in each.near) - names


@lru_cache(maxsize=2048)
def events_headed(word: str) -> frozenset[str]:
    """Return the events of which a normalized word of a column's name may tell the day."""
    own = next((word.removesuffix(each) for each in _DATES if word.endswith(each)), word)
    short = {each.name for each in events() if own in each.short}
    return frozenset(short or {each.name for each in events() if own and each.is_headed_by(own)})
