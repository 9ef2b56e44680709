"""What is said between people: greetings, thanks, and who answers here."""

from collections.abc import Sequence

from qhub_desktop.chat.offline.plan import (
    Abilities,
    Goodbye,
    Greeting,
    Help,
    Identity,
    Part,
    Talk,
    Thanks,
)

_GREETINGS: dict[str, Part] = {
    "#greet": "hello",
    "#greet_morning": "morning",
    "#greet_afternoon": "afternoon",
    "#greet_night": "night",
}
_SOCIAL: tuple[tuple[str, Talk], ...] = (
    ("#identity", Identity()),
    ("#abilities", Abilities()),
    ("#help", Help()),
    ("#thanks", Thanks()),
    ("#bye", Goodbye()),
)


def talk_of(cues: Sequence[str]) -> Talk | None:
    """The talk that a sentence is, if it has nothing else in it."""
    if not cues:
        return None
    rest = [cue for cue in cues if cue not in _GREETINGS and cue not in ("#again", "#noise")]
    for cue, talk in _SOCIAL:
        if cue in rest and all(each.startswith("#") for each in rest) and len(rest) <= 3:
            return talk
    if not rest and (greeted := [cue for cue in cues if cue in _GREETINGS]):
        return Greeting(_GREETINGS[greeted[0]])
    return None
