"""Completions of what is being typed: columns, values, periods and phrases of the data."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.core.readings import MOST_COMPLETIONS, Completion, CompletionKind
from qhub_desktop.core.text import Language
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.column_roles import own_words
from qhub_desktop.nlq.lexicon import Lexicon, current_lexicon
from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    Grain,
    Plan,
    columns_of,
    rebuilt,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, tokenize, word_places

_FEWEST_TYPED = 2  # letters typed, before a word is completed
_MOST_TYPED = 5  # words of a name
_GROUPED_BY = 8  # columns offered behind 'por'
_GRAINS: tuple[Grain, ...] = ("day", "week", "month", "weekday", "year")
_KEPT_ENTRIES = 16
_SPOKEN: tuple[Language, ...] = ("pt", "en")


@dataclass(frozen=True, slots=True)
class _Entry:
    """Text to complete with, under the words by which it begins; `of` is its column or value.

    One that `is_name` is found by its later words, too, and comes before other words for the same.
    """

    said: tuple[str, ...]
    text: str
    kind: CompletionKind
    of: str = ""
    hint: str = ""
    count: int = 0  # of rows, where it is a value
    is_name: bool = True


def completions_of(
    text: str,
    cursor: int,
    indexes: Sequence[SchemaIndex],
    spoken: Language,
    asked: Sequence[Plan],
) -> tuple[Completion, ...]:
    """Return how a text may go on at the cursor, the likeliest first.

    Args:
        text: What is typed.
        cursor: Where it goes on.
        indexes: The data sets that are asked about.
        spoken: The language of the interface, where the text has none yet.
        asked: The plans that the person has asked before, the latest first.

    """
    head = text[:cursor]
    if text[cursor : cursor + 1].isalnum():
        return ()  # within a word
    words = [(normalize(word), place) for word, place in word_places(head)]
    if words and words[-1][1][1] < cursor:
        words.append(("", (cursor, cursor)))
    language = current_lexicon().language(tokenize(head)) or spoken
    usage = _usage(asked, indexes)
    found: dict[str, tuple[tuple[int, ...], Completion]] = {}
    for place, index in enumerate(reversed(indexes)):
        entries = _entries(index, language, current_lexicon())
        is_grouped = False  # by what is typed: 'por sem'
        for length in range(min(len(words), _MOST_TYPED), 0, -1):
            typed = words[-length:]
            if length == 1 and len(typed[0][0]) < _FEWEST_TYPED:
                continue
            for entry, is_inside in _matching([word for word, _ in typed], entries):
                if entry.kind == "period" and is_grouped:
                    continue
                rank = (
                    *(-length, not entry.is_name, -usage[entry.of], is_inside),
                    entry.kind != "column",
                    *(-entry.count, place),
                )
                made = Completion(entry.text, typed[0][1][0], entry.kind, entry.hint)
                is_new = entry.text not in found or rank < found[entry.text][0]
                if is_new and head[made.start :] != made.text:
                    found[entry.text] = rank, made
                is_grouped = is_grouped or (entry.kind == "phrase" and length > 1)
    ranked = sorted(found.values(), key=lambda each: each[0])
    return tuple(made for _rank, made in ranked[:MOST_COMPLETIONS])


def _matching(
    typed: Sequence[str], entries: Mapping[str, Sequence[_Entry]]
) -> Iterator[tuple[_Entry, bool]]:
    """Yield the entries that begin as what is typed, and those with a later word that does."""
    goes_in = typed[-1] != "" and typed[0] not in current_lexicon().joining
    start = (
        typed[0][:_FEWEST_TYPED] if len(typed[0]) >= _FEWEST_TYPED or len(typed) == 1 else typed[0]
    )
    for each in entries.get(start, ()):
        places = len(each.said) - len(typed) + 1
        for at in range(places if goes_in and each.is_name else min(places, 1)):
            said = each.said[at : at + len(typed)]
            if [*said[:-1]] == [*typed[:-1]] and said[-1].startswith(typed[-1]):
                yield each, at > 0
                break


def _usage(asked: Sequence[Plan], indexes: Sequence[SchemaIndex]) -> Counter[str]:
    """Count the columns and values of plans that were asked of tables with these columns."""
    counts: Counter[str] = Counter()

    def note(part: object) -> object:
        if isinstance(part, Filter):
            counts.update(each for each in part.values if isinstance(each, str))
        return part

    for plan in asked:
        named = columns_of(plan)
        if named and any(index.has_columns(named) for index in indexes):
            counts.update(named)
            rebuilt(plan, note)
    del counts[""]
    return counts


@lru_cache(maxsize=_KEPT_ENTRIES)
def _entries(
    index: SchemaIndex, language: Language, words: Lexicon
) -> Mapping[str, tuple[_Entry, ...]]:
    """Return all that can be completed with over a data set, by the starts of its words."""
    locale = AnswerLocale(language)
    made = [
        *_columns(index),
        *_values(index),
        *_other_words(index, words),
        *_groupings(index, locale),
        *_periods(index, locale),
        *_charts(locale),
    ]
    found: defaultdict[str, list[_Entry]] = defaultdict(list)
    for each in made:
        for start in {word[:_FEWEST_TYPED] for word in each.said}:
            found[start].append(each)
    return {start: tuple(each) for start, each in found.items()}


def _said(text: str) -> tuple[str, ...]:
    return tuple(normalize(word) for word, _place in word_places(text))


def _columns(index: SchemaIndex) -> Iterator[_Entry]:
    for each in index.profile.columns:
        yield _Entry(_said(each.name), each.name, "column", each.name)


def _values(index: SchemaIndex) -> Iterator[_Entry]:
    for column in index.profile.columns:
        if column.type not in ("text", "category"):
            continue
        counts = dict(column.top)
        for value in column.known:
            if isinstance(value, str) and value.strip():
                count = counts.get(value, 0)
                yield _Entry(_said(value), value, "value", value, column.name, count)
    for name, word, meaning in own_words(index.profile):
        yield _Entry(_said(word), word, "value", meaning, f"{name}: {meaning}")


def _other_words(index: SchemaIndex, words: Lexicon) -> Iterator[_Entry]:
    """Yield the columns and values by words that mean them: of other languages, the plant's own."""
    for concept, phrases in words.words_by_concept(_SPOKEN).items():
        columns = index.concepts.get(concept) or index.parts.get(concept, ())
        values = index.value_concepts.get(concept) or index.values.get((concept,), ())
        if len(columns) == 1:
            (name,) = columns
            yield from (
                _Entry(_said(each), name, "column", name, each, is_name=False) for each in phrases
            )
        elif not columns and len(values) == 1:
            ((name, value),) = values
            for each in phrases if isinstance(value, str) else ():
                text, hint = str(value), f"{name}: {each}"
                yield _Entry(_said(each), text, "value", text, hint, is_name=False)


def _groupings(index: SchemaIndex, locale: AnswerLocale) -> Iterator[_Entry]:
    """Yield what rows may be told apart by: 'por turno', 'top 5 máquinas'."""
    _, names = locale.gettext, ColumnNames(index.profile, locale)
    by, top = _("by {column}"), _("top 5 {column}")
    for name in index.categories[:_GROUPED_BY]:
        for text in (by.format(column=name), top.format(column=name)):
            yield _Entry(_said(text), text, "phrase", name, is_name=False)
    day = index.date_column
    for grain in _GRAINS if day is not None else ():
        text = by.format(column=names.dimension(Dimension(day or "", grain)))
        yield _Entry(_said(text), text, "phrase", hint=day or "", is_name=False)


def _periods(index: SchemaIndex, locale: AnswerLocale) -> Iterator[_Entry]:
    """Yield names of days back from today, and of the months that the data have."""
    _, day = locale.gettext, index.date_column
    first, last = index.first_day, index.last_day
    if day is None or first is None or last is None:
        return
    named = [
        *(_("today"), _("yesterday"), _("this week"), _("last week"), _("this month")),
        *(_("last month"), _("this year"), _("last year"), _("the last 7 days")),
        *(_("the last 30 days"),),
    ]
    months = [
        *(_("January"), _("February"), _("March"), _("April"), _("May"), _("June"), _("July")),
        *(_("August"), _("September"), _("October"), _("November"), _("December")),
    ]
    spans = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    held = sorted({month % 12 for month in spans})
    named += [months[month] for month in held]
    if first.year != last.year:
        dated = _("{month} {year}")
        named += [dated.format(month=months[m % 12], year=m // 12) for m in spans]
    for text in named:
        yield _Entry(_said(text), text, "period", hint=day)


def _charts(locale: AnswerLocale) -> Iterator[_Entry]:
    for kind in chart_kinds():
        text = locale.gettext("{kind} chart").format(kind=locale.gettext(kind.label))
        yield _Entry(_said(text), text, "chart")
