"""Context of a word: what it joins, names, counts or denies, by its neighbours in the question.

None of it chooses among readings.
"""

import re
from collections.abc import Iterator

from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Value
from qhub_desktop.nlq.semantic import event_spans
from qhub_desktop.nlq.semantic.column_meaning import (
    GAINS,
    is_daily,
)
from qhub_desktop.nlq.semantic.question_context import SHORTEST_NOUN, QuestionContext
from qhub_desktop.nlq.semantic.schema_linking import (
    INFLECTED,
    MEANT,
    RELATED,
    ColumnLink,
)
from qhub_desktop.nlq.semantic.similar_columns import (
    is_amount,
    says_cells,
    without_gender,
)
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.word_keys import (
    INFINITIVE,
    LASTING_VERBS,
    ending_with,
    is_neutral_verb,
)
from qhub_desktop.nlq.tokenizer import BLANK, root, stem, tokenize
from qhub_desktop.nlq.verbs import verbs
from qhub_desktop.nlq.word_meanings import AND_WORDS, COPULAS, FINITE, VERB

_MORE_ASKED = frozenset[str]().union(*map(words_by_role, ("and", "who", "where", "when")))
_DENIAL_REACH = 4  # words before a verb that may deny it, or say that it is one
_ASKED_OF = words_by_role("and") | words_by_role("copula") | {BLANK}
_BEFORE_ASKING = frozenset(
    words_by_role("and") | words_by_role("copula") | words_by_role("before_pronoun") | {BLANK}
)


def is_unit_of_name(context: QuestionContext, at: int) -> bool:
    """Return whether a word is the unit in a column's name that stands before it."""
    if not at:
        return False
    before, here = context.words[at - 1].normalized, context.words[at].normalized
    if here.isdigit():
        return False
    return (before, here) in context.linker.units_behind


def is_said_of_cell(context: QuestionContext, at: int) -> bool:
    """Return whether a word says that cells are filled or not: 'sem técnico atribuído'."""
    if context.words[at].normalized not in words_by_role("filled"):
        return False
    before = range(max(0, at - 4), at)
    return any(
        (each.kind == "cue" and each.lemma in ("#except", "#missing"))
        or (
            each.kind == "column"
            and each.column not in context.telling
            and _ends(context, each, at)
        )
        for place in before
        for each in context.arcs[place]
    )


def _ends(context: QuestionContext, name: Mention, at: int) -> bool:
    """Return whether a name ends right before a word, or before 'está' there."""
    between = {word.normalized for word in context.words[name.end : at]}
    return name.end <= at <= name.end + 1 and between <= words_by_role("copula")


def names_beside(context: QuestionContext, at: int) -> bool:
    """Return whether a column is named before or behind a word: 'tipo de movimento'."""
    behind = at + 1
    while behind < len(context.words) and behind in context.inside:
        behind += 1
    places = (at - 1, behind)
    return any(
        each.cost <= RELATED + 0.1
        for place in places
        if 0 <= place < len(context.words)
        for each in event_spans.columns_at(context, place)
    )


def orders(context: QuestionContext, at: int) -> bool:
    """Return whether a number says which row comes first: 'a primeira', but not 'first shift'."""
    if "#first" not in context.cues_of(at) or at + 1 == len(context.words):
        return False
    return all(each.cost > RELATED + 0.1 for each in event_spans.columns_at(context, at + 1))


def names_cells(context: QuestionContext, at: int) -> bool:
    """Return whether a word says what the cells of a wide table hold: 'produção', 'consumiu'.

    It stands in the name of the file, or has the root of a word there.
    """
    word = context.words[at].normalized
    is_money = bool(context.keys[at].concepts & GAINS)
    says_total = [each.normalized for each in context.words[max(0, at - 2) : at]] == [
        "total",
        "de",
    ]
    is_total = says_total and any(map(is_amount, context.keys[at].concepts))
    if (word.endswith("s") and not is_money) or (is_counted(context, at) and not is_total):
        return False
    roots = {root(name)[0] for name in context.index.row_names if len(name) >= SHORTEST_NOUN}
    if root(word)[0] in roots:
        return True
    return says_cells(context.index, context.keys[at].concepts, is_named=bool(roots))


def unit_of_answer(context: QuestionContext, at: int) -> str | None:
    """Return what the unit measures in which an answer is asked for: 'em kWh'."""
    if not at or context.words[at - 1].normalized not in words_by_role("in_unit"):
        return None
    word = context.words[at]
    concept = domain_lexicon().concept_of_unit(word.text)
    is_unit = concept or word.normalized in words_by_role("currency") | words_by_role("unit")
    return (concept or "") if is_unit and concept != "percentage" else None  # 'em %'


def is_row_of_day(context: QuestionContext, at: int) -> bool:
    """Return whether a row is a day, and a word says 'dias'."""
    if not is_daily(context.index):
        return False
    cues = context.lexicon.cues_at(context.stems, at, context.language)
    return any(lemma == "#grain_day" and length == 1 for lemma, length, _ in cues)


def asked(context: QuestionContext, at: int) -> str:
    """Return the cue of a pronoun that asks: 'quem', 'onde', 'quando'; '' where it joins."""
    said = context.words[at].normalized
    before = context.words[at - 1].normalized if at else ""
    asks = at == 0 or at == len(context.words) - 1 or before in _BEFORE_ASKING
    asks = asks or (at + 1 < len(context.words) and context.words[at + 1].normalized in _MORE_ASKED)
    leads = at == 1 or (at > 1 and context.words[at - 2].normalized in AND_WORDS)
    behind = [each.normalized for each in context.words[at + 1 : at + 3]]
    leads = leads or (not {*behind[:1]} - COPULAS and not {*behind[1:]} - AND_WORDS)
    asks_of = leads and before in context.lexicon.joining  # 'e de quem é', 'by whom'
    for role in ("who", "where", "when"):
        if said in words_by_role(role):
            goes_on = (
                at + 1 < len(context.words) and context.words[at + 1].normalized in _MORE_ASKED
            )
            is_inside = 0 < at < len(context.words) - 1 and not goes_on
            of_rows = role == "who" and is_inside and before not in _ASKED_OF
            of_rows = of_rows and not asks_of
            return f"#{role}" if (asks or asks_of or role == "who") and not of_rows else ""
    return ""


def is_column(context: QuestionContext, at: int) -> bool:
    """Return whether a column's whole name begins with a word."""
    links = event_spans.columns_at(context, at)
    return any(each.is_whole and each.cost <= MEANT for each in links)


def is_named_value(context: QuestionContext, at: int, length: int) -> bool:
    """Return whether a capital within a sentence names a value: 'o plano Total'."""
    text = context.words[at].text
    if not at or length > 1 or not text[:1].isupper() or text.isupper():
        return False
    found = context.values_at(at)
    return any(each.length == 1 and not each.cost for each in found)


def denies(context: QuestionContext, at: int, following: str) -> bool:
    """Return whether 'por' denies what a verb says: 'por fechar'."""
    if context.words[at].normalized not in words_by_role("not_yet") or not INFINITIVE.fullmatch(
        following
    ):
        return False
    is_name = context.words[at + 1].text[:1].isupper() or any(
        following == keys.text for keys in context.column_words
    )
    begins = verbs().form(following) is None and context.linker.begins_name(following)
    return not (is_name or begins)  # 'por pilar', of 'Pilar 5S'


def says_something(context: QuestionContext, at: int) -> bool:
    """Return whether a word that usually means nothing may mean something here."""
    word = context.words[at].normalized
    if VERB.fullmatch(word) is not None and not is_neutral_verb(word):
        return True
    if len(word) < 5 or is_neutral_verb(word):
        return False
    if word in words_by_role("adverb") | words_by_role("copula"):
        return False
    return bool(context.keys[at].concepts or context.keys[at].derived)


def is_planned(context: QuestionContext, name: str) -> bool:
    """Return whether a column tells what was planned, not what happened."""
    if not context.index.is_moment(name):
        return False
    said = {*context.index.lemmas[name], *domain_lexicon().concepts_of_name(name)}
    return any(each.startswith("planned") or each in ("expected", "due_date") for each in said)


def is_counted(context: QuestionContext, at: int) -> bool:
    """Return whether what stands here is counted: 'quantas peças', 'total de peças'."""
    return any(
        each.kind == "cue" and each.lemma == "#count" and each.end == at
        for place in range(max(0, at - 3), at)
        for each in context.arcs[place]
    )


def is_verb_of_key(context: QuestionContext, at: int, link: ColumnLink) -> bool:
    """Return whether a verb only resembles the name of a key: 'produziu', of 'ProdOrderNo'."""
    word = context.words[at].normalized
    is_verb = VERB.fullmatch(word) is not None or INFINITIVE.fullmatch(word) is not None
    is_day = context.index.is_moment(link.column) and not context.names_row(at)  # 'a encerrar'
    is_key = context.index.is_identity(link.column) and not is_day
    return is_verb and link.length == 1 and link.cost > 0 and is_key


def starts_name(context: QuestionContext, at: int) -> bool:
    """Return whether a function word may begin a name: 'N.º', 'A'."""
    if len(context.words) == at + 1:
        return False
    if context.index.values_at(context.tokens, at):
        return True
    found = context.values_at(at)
    return any(each.length > 1 and each.cost <= INFLECTED for each in found)


def begins_name(context: QuestionContext, at: int) -> bool:
    """Return whether a column's name of several words begins here: 'qtd recebida'."""
    links = event_spans.columns_at(context, at)
    return any(each.length > 1 and each.is_whole and each.cost <= RELATED for each in links)


def ends_name(context: QuestionContext, at: int) -> bool:
    """Return whether a column's name that begins with the word before goes on here."""
    links = event_spans.columns_at(context, at - 1) if at else []
    return any(each.length > 1 and each.is_whole and each.cost <= RELATED for each in links)


def qualifies(context: QuestionContext, at: int) -> bool:
    """Return whether a participle only says which things are meant: 'peças perdidas'."""
    word = context.words[at].normalized
    before = context.words[at - 1].normalized if at else ""
    is_participle = re.fullmatch(f".+(?:{ending_with('participle_ending')})", word) is not None
    is_noun = len(before) >= SHORTEST_NOUN and before.isalpha() and at - 1 not in context.joining
    return is_participle and is_noun and before[-2:] == word[-2:]


def is_idle_verb(context: QuestionContext, at: int) -> bool:
    """Return whether a verb only says what all rows are about: 'quantas portas montámos'.

    It is not idle where it names a value, a day, an amount or a flag, is denied, or is the amount
    that is asked for; nor where a column tells how rows ended.
    """
    word = context.words[at]
    if _is_verb_of_rows(context, at):
        return True
    verb = verbs().form(word.normalized)
    if word.is_quoted or (word.is_name and at > 0):
        return False
    if verb is None:
        return _is_done_by_all(context, at)
    before = [each.normalized for each in context.words[max(0, at - _DENIAL_REACH) : at]]
    if verb.kind == "bare" and not _is_said_as_verb(context, at):
        return False
    if verb.kind == "participle" and is_thing_counted(context, at):
        return False
    if verb.kind == "participle" and before[-1:] and before[-1] in words_by_role("whole"):
        return False  # 'total produzido', an amount
    if verb.role == "outcome" and context.tells_outcomes:
        return False
    if verb.kind != "finite" and words_by_role("state_marker") & {*before}:
        return False
    if words_by_role("denial") & {*before} or any(
        each.lemma in ("#except", "#missing", "#only")
        for place in range(max(0, at - _DENIAL_REACH), at)
        for each in context.arcs[place]
    ):
        return False
    if context.values_at(at):
        return False
    links = [each for each in event_spans.columns_at(context, at) if each.cost <= RELATED + 0.1]
    if any(
        each.column in context.telling or context.index.is_moment(each.column) or not each.cost
        for each in links
    ):
        return False
    return not context.asks_amount or _measures_beside(context, at)


def is_thing_counted(context: QuestionContext, at: int) -> bool:
    """Return whether a noun that looks like a participle is counted: 'quantos pedidos'."""
    said = context.words[at - 1].normalized if at else ""
    follows = at + 1 < len(context.words)
    return (
        said in words_by_role("how_many") and follows and bool(event_spans.columns_at(context, at))
    )


def _is_done_by_all(context: QuestionContext, at: int) -> bool:
    """Return whether an amount is asked for of all who do something: 'que entregam mais'.

    What is counted, those alone are that did it: 'quantos pagaram?'.
    """
    said = context.words[at].normalized
    if FINITE.fullmatch(said) is None or not verbs().states(said):
        return False
    is_counted = words_by_role("how_many") & {each.normalized for each in context.words[:at]}
    is_denied = words_by_role("denial") & {each.normalized for each in context.words[:at]}
    is_linked = context.values_at(at) or any(
        each.cost <= RELATED + 0.1 for each in event_spans.columns_at(context, at)
    )
    return not (is_counted or is_denied or is_linked) and _measures_beside(context, at)


def _measures_beside(context: QuestionContext, at: int) -> bool:
    """Return whether another word names a column of numbers."""
    others = (*range(at), *range(at + 1, len(context.words)))
    links = (each for place in others for each in event_spans.columns_at(context, place))
    return any(each.cost <= RELATED and context.index.is_measure(each.column) for each in links)


def _is_verb_of_rows(context: QuestionContext, at: int) -> bool:
    """Return whether a verb says what a row is: 'ligaram', of calls, 'visitaram', of visits."""
    keys, before = context.keys[at], context.words[max(0, at - _DENIAL_REACH) : at]
    if FINITE.fullmatch(keys.text) is None or context.values_at(at):
        return False
    is_denied = words_by_role("denial") & {each.normalized for each in before}
    if is_denied or not context.row_concepts & (keys.concepts | keys.derived):
        return False
    named = (
        each
        for each in event_spans.columns_at(context, at)
        if each.is_whole and each.cost <= RELATED
    )
    return not any(each.column in context.telling for each in named)


def is_counted_and_is(context: QuestionContext, at: int) -> bool:
    """Return whether it is said of counted rows what they are: 'how many were paid'."""
    before = [word.normalized for word in context.words[:at]]
    is_said_of = bool(before) and before[-1] in words_by_role("copula")
    return is_said_of and bool(words_by_role("how_many") & {*before})


def opposites_at(context: QuestionContext, at: int) -> Iterator[tuple[str, Value]]:
    """Yield the flags whose yes a word denies, with their no: 'reprovados', of 'Aprovado'."""
    word = context.words[at]
    against = {
        other for each in context.keys[at].concepts for other in verbs().opposites.get(each, ())
    }
    denied = [
        stem(word.normalized.removeprefix(each))
        for each in verbs().denying
        if word.normalized.startswith(each) and len(word.normalized) >= len(each) + SHORTEST_NOUN
    ]
    for column in context.index.profile.columns:
        pair = flag_values(column)
        if pair is None or pair[1] == "":
            continue
        said = [stem(each.normalized) for each in tokenize(column.name)]
        is_denied = len(said) == 1 and without_gender(said[0]) in map(without_gender, denied)
        if is_denied or against & {*domain_lexicon().concepts_of_name(column.name)}:
            yield column.name, pair[1]


def _is_said_as_verb(context: QuestionContext, at: int) -> bool:
    """Return whether what may be a noun stands where a verb does: 'did we move'."""
    if not at or context.words[at - 1].normalized in words_by_role("before_noun"):
        return False
    if context.words[at - 1].normalized in words_by_role("before_verb"):
        return True
    verb = verbs().form(context.words[at].normalized)
    if verb is not None and INFINITIVE.fullmatch(verb.infinitive):
        # Its nouns do not stand side by side: 'que máquina usa mais'.
        return is_column(context, at - 1) or context.index.is_in_file_name(context.tokens[at - 1])
    return any(
        each.normalized in words_by_role("before_plain_verb")
        for each in context.words[max(0, at - _DENIAL_REACH) : at]
    )


def is_mistyped(context: QuestionContext, at: int) -> bool:
    """Return whether a word is one slip away from what the data tell, or from an amount."""
    keys = context.keys[at]
    if not keys.is_slip:
        return False
    kinds = {domain_lexicon().kind(each) for each in keys.derived}
    return "amount" in kinds or bool(event_spans.columns_at(context, at) or context.values_at(at))


def may_name(context: QuestionContext, at: int) -> bool:
    """Return whether a word alone may name a column."""
    links = event_spans.columns_at(context, at)
    return any(each.length == 1 and each.cost <= RELATED + 0.1 for each in links)


def weighs(context: QuestionContext, at: int) -> bool:
    """Return whether a weight is a share in an amount: 'peso da Renova no frete'."""
    is_of = at + 3 < len(context.words) and at + 1 in context.inside
    if not is_of or "weight" not in context.keys[at].concepts:
        return False
    if not any(each.cost <= RELATED for each in context.values_at(at + 2)):
        return False
    return any(
        word.normalized in words_by_role("within_whole")
        and any(context.index.is_amount(each.column) for each in links)
        for place, word in enumerate(context.words[at + 3 : at + 7], start=at + 4)
        if place < len(context.words)
        and (
            links := [
                each for each in event_spans.columns_at(context, place) if each.cost <= RELATED
            ]
        )
    )


def is_between_rows(context: QuestionContext, at: int) -> bool:
    """Return whether time is asked for that lies between rows: 'tempo entre acidentes'."""
    said = [word.normalized for word in context.words[at + 1 :]]
    place = next((p for p, word in enumerate(said) if word in words_by_role("between_rows")), -1)
    return place >= 0 and not {*said[place:]} & words_by_role("spanned_and")


def lasts_most(context: QuestionContext, at: int) -> bool:
    """Return whether a verb says what took the most time: 'quem demora mais'."""
    said = [word.normalized for word in context.words[at : at + 3]]
    is_most = len(said) > 1 and said[1] in words_by_role("ranked_by")
    return (
        is_most
        and said[0].startswith(LASTING_VERBS)
        and not {*said[2:]} & words_by_role("behind_most")
    )
