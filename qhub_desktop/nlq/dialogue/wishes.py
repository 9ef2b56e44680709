"""Dashboard wishes: the parts of a question that become cards, each read as a question.

'Um painel com o custo por mês, as paragens por turno e o total de minutos' are three questions, and
what is not sure of one of them is not sure of the whole.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from qhub_desktop.core.text import Language, fold_in_place, lexicons, words_of
from qhub_desktop.nlq.dialogue.references import State
from qhub_desktop.nlq.lexicon import cues_in, current_lexicon, words_by_role
from qhub_desktop.nlq.planner import MOST_CARDS
from qhub_desktop.nlq.query_ast import (
    AsDashboard,
    Ask,
    Columns,
    DataPlan,
    Describe,
    Plan,
    Query,
    Unknown,
    query_of,
)

# Separates wishes in one question: 'os defeitos por turno, o top 5 de racks e a tendência'.
LIST = re.compile(rf"[,;]|\b(?:{'|'.join(words_by_role('listing'))})\b", re.IGNORECASE)
_ASKS_ONLY = frozenset(["", "#noise", "#show", "#again"])  # cues before a dashboard is named
_BARE_WISH_WORDS = 2  # words of a wish that goes on from the one before: 'por turno', 'e material'


def wishes_of(
    question: str, language: Language, is_of_data: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return what a question wants on a dashboard, wish by wish; nothing where it names no wish.

    Nothing, too, where rows are chosen before the dashboard is named: 'de maio, um painel com…'.
    `is_of_data` tells whether words name something in the data.
    """
    named = _named().search(fold_in_place(question))
    if named is None:
        return ()
    opening = question[: named.start()]
    if cues_in(opening, language) - _ASKS_ONLY and (
        any(map(str.isdigit, opening)) or is_of_data(opening)
    ):
        return ()
    wanted = question[named.end() :]
    purpose, colon, behind = wanted.partition(":")
    if colon and behind[:1].isspace() and not is_of_data(purpose):
        wanted = behind  # 'um painel para a reunião das 10h: …'
    wishes = (_bare(each) for each in LIST.split(wanted))
    return tuple(each for each in wishes if each)


def _bare(wish: str) -> str:
    """Return a wish without the words that only join it to what is before."""
    words = re.split(r"(\s+)", wish.strip(" \t\n:;,.!?-"))
    joining = current_lexicon().joining - words_by_role("by")
    while words and (not words[0].strip() or fold_in_place(words[0]).strip("/:") in joining):
        words = words[1:]
    return "".join(words)


def each_wished(
    state: State,
    wishes: Sequence[str],
    before: State,
    language: Language,
    interpret: Callable[[str, State], State],
) -> Plan:
    """Return the dashboard of some wishes, or what is asked back where one of them is not sure.

    Args:
        state: What the question is as one.
        wishes: Its parts, each with what it asks for.
        before: The state before the question.
        language: That of the question.
        interpret: Interprets a wish after a state.

    """
    cards: list[Query] = []
    unclear: list[str] = []
    is_sure, last = True, before
    for place, wish in enumerate(wishes):
        follow = _following(wish, wishes[place - 1], language) if place else ""
        last = interpret(follow, last) if follow else interpret(wish, before)
        plan = last.plan
        if isinstance(plan, Ask) and not plan.word:
            is_sure, unclear = False, [*unclear, *plan.unclear]
            plan = plan.readings[0][1]
        if not isinstance(plan, DataPlan) or isinstance(plan, Describe | Columns):
            is_open = isinstance(state.plan, Unknown | Ask)
            return state.plan if is_open else Unknown("unheeded", (wish,))
        cards += plan.of if isinstance(plan, AsDashboard) else (query_of(plan),)
    board = AsDashboard(tuple(dict.fromkeys(cards))[:MOST_CARDS])
    return board if is_sure else Ask("", (("", board),), tuple(dict.fromkeys(unclear)))


def _following(wish: str, former: str, language: Language) -> str:
    """Return a wish that says only what to group by as a follow-up, '' where it says more."""
    words = wish.split()
    if len(words) > _BARE_WISH_WORDS:
        return ""
    by = words_by_role("by")
    said = [fold_in_place(each) for each in former.split()]
    joined = lexicons()[language]["words"]["listing"][0]
    if fold_in_place(words[0]) in by:
        return f"{joined} {wish}"
    grouping = next((each for each in said if each in by), "")
    return f"{joined} {grouping} {wish}" if grouping and len(words) == 1 else ""


@cache
def _named() -> re.Pattern[str]:
    """Return a pattern of what a dashboard is called."""
    cues = {fold_in_place(each) for each in words_of("cue", "dashboard")}
    words = sorted(cues, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
