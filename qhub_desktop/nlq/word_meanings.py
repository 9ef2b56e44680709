"""Meanings of single words: comparisons, grains of time, days, numbers, verbs."""

import re
from collections.abc import Callable, Iterable

from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import GRAINS, Grain, Relation
from qhub_desktop.nlq.tokenizer import normalize, parse_number

VERB = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('verb_ending'))})")
RELATIONS: dict[str, Relation] = {
    "#above": "above",
    "#at_least": "at least",
    "#below": "below",
    "#at_most": "at most",
    "#equal": "is",
    "#reaches": "at least",
}
AFTERWARDS: dict[str, Relation] = {"#or_more": "at least", "#or_less": "at most"}  # '3 ou mais'
FINITE = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('finite_ending'))})")
_ORDINAL_FIGURE = re.compile(rf"(\d{{1,3}})(?:{'|'.join(words_by_role('ordinal_ending'))})")
COPULAS = words_by_role("copula")
PER = words_by_role("by")
AND_WORDS, OF_WORDS, TO_WORDS = (words_by_role(each) for each in ("and", "of", "to"))
OR_WORDS = words_by_role("or")
ARTICLES = words_by_role("article")
HOW_MUCH = words_by_role("how_much")
# Cues of an order, from which every list of them derives; those of a ranking without their sign.
RANKING_WORDS = ("top", "most", "least", "worst", "best")
EXTREME_WORDS = ("max", "min")
RANKING = tuple(f"#{each}" for each in (*RANKING_WORDS, *EXTREME_WORDS))
ENDS = ("#first", "#last")
RANKED = frozenset([*RANKING, *ENDS])
# What an adjective measures: 'mais caro' is of money, 'mais novo' of an age.
MEASURED_WORDS = frozenset(["cost", "time", "date", "age", "temperature", "weight"])
MEASURED_EXTREMES = frozenset(
    f"#{edge}_{what}" for edge in EXTREME_WORDS for what in MEASURED_WORDS
)
SUPERLATIVES = RANKED | MEASURED_EXTREMES
OF_A_WHOLE = frozenset(["#part_of", "#percent", "#rate"])  # cues
ORDERING = frozenset(["#by_name", "#by_value", "#sort"])  # cues
GRAIN_CUES: dict[str, Grain] = {f"#grain_{each}": each for each in GRAINS}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY_NUMBERS: dict[str, tuple[int, ...]] = {
    name: (day,) for day, name in enumerate(WEEKDAYS, start=1)
}
WEEKDAY_NUMBERS |= {"weekend": (6, 7), "workday": (1, 2, 3, 4, 5)}


def number_of(token: Token) -> float | None:
    """Return the number that a token spells."""
    text = token.words[0].normalized
    if text in current_lexicon().numbers:
        return current_lexicon().numbers[text]
    ordinal = _ORDINAL_FIGURE.fullmatch(text)
    return float(ordinal[1]) if ordinal else parse_number(text)


def chart_named(says: Callable[[str], bool]) -> str | None:
    """Return the kind of chart that a question names, by the cues that it says."""
    named = [each for each in chart_kinds() if says(f"kind_{each.name}")]
    return max(named, key=lambda kind: kind.precedence).name if named else None


# Beside these causes are ranked or drawn, and nobody asks for one: 'o pareto das causas'.
_RANKING_CAUSES = frozenset(["#most", "#least", "#top", "#chart", "#distribution"])


def ranks_causes(cause: str, cues: Iterable[str]) -> bool:
    """Return whether a word for a cause says what rows are told apart by: 'a causa mais comum'.

    Of the cues of a question one ranks, or says that a chart is drawn. 'Porquê' is no such word.
    """
    is_noun = normalize(cause) in words_by_role("cause_noun")
    return is_noun and any(each in _RANKING_CAUSES or each.startswith("#kind_") for each in cues)
