"""Words with several readings: asked back once, and then read as the person chose.

What was chosen comes with the data sets of a request, and leaves as an event; nothing is kept here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from qhub_desktop.chat.offline.asked import Doubt
from qhub_desktop.chat.offline.plan import Ask, Data, packed
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.chat.offline.words import read, stem
from qhub_desktop.core.understanding import Chip, Choice

Known = Mapping[str, str]  # words as they are compared, each with the name of its reading


@dataclass(frozen=True, slots=True)
class Doubted:
    """A word with its readings, each a plan, and the name of the one that was chosen."""

    word: str
    readings: tuple[tuple[str, Data], ...] = ()
    chosen: str = ""  # none yet: it is asked back
    is_new: bool = False  # chosen with this very question


def key(words: str) -> str:
    """Words as they are compared: 'Temperaturas' is what 'temperatura' was."""
    return " ".join(stem(word.plain) for word in read(words))


def open_doubt(doubts: Sequence[Doubt], known: Known) -> tuple[Doubt, dict[str, str]]:
    """The doubt to be asked about, one of which nothing is known if there is any.

    With it comes what settles the others, as far as it is known.
    """
    settled: dict[str, str] = {}
    for doubt in doubts:
        name = known.get(key(doubt.word), "")
        if (value := dict(doubt.options).get(name)) is not None:
            settled[doubt.word] = value
    doubt = next((each for each in doubts if each.word not in settled), doubts[0])
    settled.pop(doubt.word, None)
    return doubt, settled


def recalled(ask: Ask, question: str, known: Known) -> tuple[Data | Ask, tuple[Doubted, ...]]:
    """What to do about several readings: as was chosen, if anything was; and the doubt itself.

    Only what a word of the question means can be remembered.
    """
    word = key(ask.word)
    if f" {word} " not in f" {key(question)} ":
        return ask, ()
    readings, name = dict(ask.readings), known.get(word, "")
    if name not in readings:
        return ask, (Doubted(ask.word, ask.readings),)
    return readings[name], (Doubted(ask.word, ask.readings, name),)


def settled_by(doubted: Sequence[Doubted], plan: Data) -> tuple[Doubted, ...]:
    """The doubts that are settled by choosing a plan."""
    return tuple(
        replace(each, chosen=name, is_new=name != each.chosen)
        for each in doubted
        for name, made in each.readings
        if made == plan
    )


def told(doubted: Sequence[Doubted], voice: Voice) -> Iterator[str]:
    """A sentence on each word that was read as was chosen."""
    for each in doubted:
        if each.chosen and each.is_new:
            text = voice.gettext("“{word}”: {reading}, and from now on in data with these columns.")
            yield text.format(word=each.word, reading=each.chosen)
        elif each.chosen:
            text = voice.gettext("“{word}”: {reading}, as you chose before.")
            yield text.format(word=each.word, reading=each.chosen)


def chips(doubted: Sequence[Doubted]) -> Iterator[Chip]:
    """A part to choose another reading with, for each word that was read as was chosen."""
    for each in doubted:
        others = [Choice(name, packed(plan)) for name, plan in each.readings if name != each.chosen]
        if each.chosen and others:
            yield Chip("reading", f"“{each.word}”: {each.chosen}", tuple(others))
