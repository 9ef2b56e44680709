"""The slots that a parse fills, and the cursor by which its readers move through the words."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Literal

from qhub_desktop.core.figure import Takes, chart_kinds
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.date_units import Span
from qhub_desktop.nlq.lexicon import Token
from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    Grain,
    Period,
    Relation,
    RowSelection,
    Value,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES, STATISTICS, StatisticKind
from qhub_desktop.nlq.word_meanings import ARTICLES, COPULAS, OF_A_WHOLE, OF_WORDS, chart_named

_MOST_DAYS = 330  # of a part of a year
_WEEK, _MONTH = 7, 27  # days


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """An ambiguous word: the label of each reading, and the value that resolves it."""

    word: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What a stretch of the question was read as."""

    kind: Literal["cue", "column", "dimension", "filter", "noun", "number"]
    name: str


@dataclass(frozen=True, slots=True)
class QuestionFrame:
    """The slots of a question, filled over one data set."""

    index: SchemaIndex
    cues: frozenset[str]
    cue_words: tuple[tuple[str, str], ...]  # each cue with the words that gave it
    first_cue: str
    dimensions: tuple[Dimension, ...]  # to group by: 'por turno'
    columns: tuple[Dimension, ...]  # named without saying what for
    filters: tuple[Filter, ...]
    period: Period | None
    number: int | None
    has_subject: bool  # names what is counted: 'defeitos', 'linhas'
    counts_time: bool  # 'quantos dias'
    is_plural: bool  # whether what is ranked stands in the plural
    is_counted_column: bool  # 'quantos operadores'
    having: Filter | None  # condition on the number of rows in a group
    coverage: int  # number of words that the data set explains
    counts_parts: bool = False  # 'quantas peças': in a production log, those produced
    unknown: tuple[str, ...] = ()  # words taken for values that the data does not have
    unknown_dimension: tuple[str, ...] = ()  # 'por cor', where there is no colour
    ignored: tuple[str, ...] = ()  # verbs that mean nothing here
    unheeded: tuple[str, ...] = ()  # negations, numbers and signs that say nothing of any column
    ambiguities: tuple[Ambiguity, ...] = ()
    names_dataset: bool = False
    guessed_nouns: tuple[str, ...] = ()  # taken for what a row is called, by their place alone
    noun: str = ""  # what a row is called, where no part of the data is called so
    parts: tuple[Part, ...] = ()  # in the order in which they were said
    quantile: float = 0.5  # of a percentile
    second_period: Period | None = None  # compared with the first
    forgotten: tuple[str, ...] = ()  # columns that the topic is to heed no longer
    dated_by: str = ""  # the column of moments that days are said of: 'abertas em março'
    rules: tuple[str, ...] = ()  # by which it was read, by name

    def has(self, *cues: str) -> bool:
        """Return whether one of these cues was given."""
        return any(f"#{cue}" in self.cues for cue in cues)

    def words_of(self, cue: str) -> str:
        """Return the words of a cue."""
        return dict(self.cue_words).get(cue, cue.removeprefix("#"))

    @property
    def scope(self) -> RowSelection:
        """The rows that the filters and the period select."""
        return RowSelection(self.index.profile.dataset, self.filters, self.period)

    @property
    def chart_kind(self) -> str | None:
        """The kind of chart that is named."""
        return chart_named(self.has)

    def names_chart_of(self, data: Takes) -> bool:
        """Return whether a kind of picture is named that is drawn from such data."""
        return any(each.takes == data and self.has(f"kind_{each.name}") for each in chart_kinds())

    @property
    def measure_kinds(self) -> tuple[StatisticKind, ...]:
        """The statistics that are named: 'mínimo e máximo'."""
        return tuple(kind for kind in STATISTICS if self.has(kind))

    @property
    def measure_kind(self) -> StatisticKind | None:
        """The first statistic that is named."""
        return next(iter(self.measure_kinds), None)

    @property
    def names_type(self) -> bool:
        """Whether a type of defect is named."""
        return any(each.column == self.index.type_column for each in self.filters)

    @property
    def speaks_of_defects(self) -> bool:
        """Whether defects are named, or one of their types."""
        return self.has_subject or self.names_type

    @property
    def filters_on_numbers(self) -> bool:
        """Whether rows are chosen by a column of numbers."""
        return any(self.index.is_number(each.column) for each in self.filters)

    @property
    def names_something(self) -> bool:
        """Whether any part of the data is named."""
        return bool(self.dimensions or self.columns or self.filters or self.period)


class Cursor:
    """A position among the tokens, with the modifiers that apply to the next.

    `words_said` are all tokens of the question, `tokens` those that mean something.
    """

    def __init__(self, said: Sequence[Token], tokens: Sequence[Token]) -> None:
        self.words_said = said
        self.tokens = tokens
        self.at = 0
        self.is_by = False  # after 'por': the next column is a dimension
        self.is_except = False  # after 'exceto': the next value is excluded
        self.excepted = ""  # the column of what was excluded since
        self.idle_exceptions: list[str] = []  # that have excluded nothing yet
        self.relation: Relation = "is"  # said before the column: 'acima da posição 7'
        self.last_column: str | None = None

    @property
    def is_at_end(self) -> bool:
        """Whether every token was read."""
        return self.at >= len(self.tokens)

    @property
    def here(self) -> Token:
        """The token to be read."""
        return self.tokens[self.at]

    @property
    def is_or_not(self) -> Relation:
        """The relation of a value named here: 'is', or 'is not' after 'exceto'."""
        if not self.is_except:
            return "is"
        self.idle_exceptions.clear()
        return "is not"

    def begin_exception(self) -> None:
        """Begin to exclude what is named: 'exceto'."""
        self.is_except, self.excepted = True, ""
        self.idle_exceptions.append(self.here.text)

    def end_exception_before(self, column: str) -> None:
        """End 'exceto' at a preposition and another column: 'tudo exceto lixo no R13'."""
        at = self.position_of(self.here)
        while at and self.words_said[at - 1].words[-1].normalized in ARTICLES:
            at -= 1
        is_after_of = at and self.words_said[at - 1].words[-1].normalized in OF_WORDS
        if is_after_of and self.excepted not in ("", column):
            self.is_except = False

    @property
    def is_plural(self) -> bool:
        """Whether the token here is a plural."""
        return self.here.words[0].normalized.endswith("s")

    @property
    def is_after_of(self) -> bool:
        """Whether a preposition precedes the token here: 'da', 'no', 'with'."""
        return self.joined_by(self.here) in OF_WORDS

    @property
    def before(self) -> str:
        """The lemma before this one, but for 'é', 'o' and the like."""
        for token in reversed(self.tokens[: self.at]):
            if token.lemma not in ("#noise", "#distinct"):
                return token.lemma
        return ""

    def meaning(self, at: int) -> str:
        """Return the lemma at a position, empty after the last."""
        return self.tokens[at].lemma if at < len(self.tokens) else ""

    def position_of(self, token: Token) -> int:
        """Return the position of a token in the question as it was said.

        Told by its first word itself: a word may be said twice.
        """
        first = token.words[0]
        return next((at for at, each in enumerate(self.words_said) if each.words[0] is first), 0)

    def preceding(self, token: Token) -> Token | None:
        """Return the token before another as it was said, though it may mean nothing by itself."""
        at = self.position_of(token)
        return self.words_said[at - 1] if at else None

    def joined_by(self, token: Token) -> str:
        """Return the word that joins a token to the one before."""
        before = self.preceding(token)
        return "" if before is None else before.words[-1].normalized


class SlotCollector:
    """The slots of a question over one data set, while they are being filled.

    `chosen` maps ambiguous words to their resolutions.
    """

    def __init__(self, index: SchemaIndex, cursor: Cursor, chosen: Mapping[str, str]) -> None:
        self.index = index
        self.chosen = chosen
        self.cues: list[str] = []
        self.dimensions: list[Dimension] = []
        self.columns: list[Dimension] = []
        self.column_places: dict[str, int] = {}
        self.counted: set[str] = set()  # columns whose values are counted: 'quantos operadores'
        self.plural_by: dict[str, bool] = {}
        self.filters: dict[tuple[str, Relation], list[Value]] = {}
        self.filter_places: list[tuple[int, str]] = []
        self.having: Filter | None = None
        self.period: Period | None = None
        self.number: int | None = None
        self.has_subject = False
        self.is_subject_plural = False
        self.counts_parts = False
        self.counts_time = False
        self.names_dataset = False
        self.ambiguities: list[Ambiguity] = []
        self.unknown: list[str] = []
        self.unknown_dimension: list[str] = []
        self.ignored: list[str] = []
        self.unheeded: list[str] = []
        self.derived: list[Token] = []  # verbs of a column's name: 'perdeu', of 'Peças perdidas'
        self.nouns: list[Token] = []  # the words that a row is called by
        self.guessed_nouns: list[str] = []  # of these, those that nothing in the data is called
        self.parts: list[Part] = []
        self.quantile = 0.5
        self.units: list[Token] = []  # said without a number: 'quantos minutos'
        self.moment: str | None = None  # the column that a period is about: 'abertas em março'
        self.dated_by = ""
        self.compared: list[Filter] = []  # of a column with another
        self.forgotten: list[str] = []  # columns that are no longer to be heeded
        self.is_forgetting = False
        self.years: list[int] = []
        self.signs: list[str] = []  # '#zero' and '#negative', said of a number
        self.implied = ""  # what is measured, said by an adjective: 'mais cara'
        self.second_period: Period | None = None
        self.coverage = 0
        self.rules: list[str] = []  # that read a part of the question, by name
        self._cursor = cursor
        self._shared = ""  # the column of a share's value: 'a percentagem de sucata'
        self._weekdays: list[Value] = []
        self._weekday_column = ""
        self._hours: list[Filter] = []

    @property
    def has_measure(self) -> bool:
        """Whether an average or a sum is asked for."""
        return not STATISTIC_CUES.keys().isdisjoint(self.cues)

    @property
    def has_measure_said(self) -> bool:
        """Whether a statistic or a column of numbers was named."""
        return self.has_measure or any(self.index.is_measure(each.column) for each in self.columns)

    def has_measure_of(self, name: str) -> bool:
        """Return whether a statistic of a column that is about to be named is asked for."""
        return self.has_measure and not self.columns and self.index.is_number(name)

    def add_filter(self, column: str, relation: Relation, *values: Value) -> None:
        """Add a filter; several values of a column are alternatives."""
        if self.is_forgetting:
            self.forgotten.append(column)
            return
        self.filters.setdefault((column, relation), []).extend(values)
        self.parts.append(Part("filter", column))
        self._cursor.last_column = column
        if self._cursor.is_except:
            self._cursor.excepted = column
        if self.filter_places and not self._cursor.is_at_end:
            first = self.filter_places[-1][0] + 1
            between = self._cursor.words_said[first : self._cursor.position_of(self._cursor.here)]
            if any(each.words[0].normalized in COPULAS for each in between):
                self.begin_share()
        if not self._shared and not OF_A_WHOLE.isdisjoint(self.cues):
            self._shared = column
        if not self._cursor.is_at_end:
            self.filter_places.append((self._cursor.position_of(self._cursor.here), column))

    def begin_share(self) -> None:
        """Take the filter that follows as what the share is: 'what share of failures is HDF'."""
        if not OF_A_WHOLE.isdisjoint(self.cues):
            self._shared = ""

    def add_weekdays(self, column: str, days: tuple[int, ...]) -> None:
        """Add a filter on days of the week."""
        self._weekdays += days
        self._weekday_column = column

    def add_dimension(self, dimension: Dimension) -> None:
        """Add a column: as a dimension after 'por', else merely as named."""
        if self.is_forgetting:
            self.forgotten.append(dimension.column)
            return
        is_by = self._cursor.is_by
        (self.dimensions if is_by else self.columns).append(dimension)
        self.parts.append(Part("dimension" if is_by else "column", dimension.column))

    def add_column(self, name: str | None) -> None:
        """Add a column that a pronoun asks for: 'when', 'onde'."""
        if name is not None:
            self.columns.append(Dimension(name))
            self.parts.append(Part("column", name))

    def add_cue(self, lemma: str) -> None:
        """Add a word for what is wanted."""
        self.cues.append(lemma)
        self.parts.append(Part("cue", lemma))

    def add_noun(self, token: Token) -> None:
        """Add a word that a row is called by."""
        self.nouns.append(token)
        self.parts.append(Part("noun", token.text))

    def drop_column(self, name: str) -> None:
        """Remove a column that was named only to compare it."""
        self.columns = [each for each in self.columns if each.column != name]

    def add_ambiguity(self, words: str, options: tuple[tuple[str, str], ...]) -> None:
        """Record words with several readings: each with its label and what resolves it."""
        self.ambiguities.append(Ambiguity(words, options))

    def take_days(self, column: str, span: Span, second: Span | None, *, said: str) -> None:
        """Fill the period; of two spans, group by them over all days from one to the other."""
        self.coverage += 1
        if second is None:
            self.period = Period(column, *span, said)
            return
        if "#compare" in self.cues:
            self.period = Period(column, *span, said)
            self.second_period = Period(column, *likewise(span, second))
            return
        if (shared := _shared(span, second)) is not None:  # 'a última semana de fevereiro'
            self.period = Period(column, *shared, said)
            return
        edges = [day for day in (*span, *second) if day is not None]
        self.period = Period(column, min(edges), max(edges), said, _gap(span, second))
        self.dimensions.append(Dimension(column, _grain_of(span)))

    def take_hours(self, hours: Filter) -> None:
        """Add a condition on times of day; its column is then not grouped by."""
        self.coverage += 1
        self.drop_column(hours.column)
        self._hours.append(hours)

    def frame(self) -> QuestionFrame:
        """Freeze the collected slots into a QuestionFrame."""
        filters = [
            Filter(column, tuple(dict.fromkeys(values)), relation)
            for (column, relation), values in self.filters.items()
        ]
        told = {each.column for each in self.compared if each.relation == "contains"}
        self.columns = [each for each in self.columns if each.column not in told]
        filters.extend(self.compared)
        filters.sort(
            key=lambda each: each.column != self._shared
        )  # a share's own filter comes first
        dimensions = [*self.dimensions]
        if set(self._weekdays) == set(range(1, 8)):  # 'no fim de semana ou durante a semana'
            dimensions.append(Dimension(self._weekday_column, "weekday"))
        elif self._weekdays:
            filters.append(Filter(self._weekday_column, tuple(self._weekdays), grain="weekday"))
        ranked = [*dimensions, *self.columns]
        plural = self.plural_by.get(ranked[0].column) if ranked else self.is_subject_plural
        cues = [each for each in self._cursor.tokens if each.is_cue]
        return QuestionFrame(
            index=self.index,
            cues=frozenset(self.cues),
            cue_words=tuple((each.lemma, each.text) for each in cues),
            first_cue=self.cues[0] if self.cues else "",
            dimensions=tuple(dict.fromkeys(dimensions)),
            columns=tuple(dict.fromkeys(self.columns)),
            filters=(*filters, *self._hours),
            period=self.period,
            number=self.number,
            has_subject=self.has_subject,
            counts_time=self.counts_time,
            counts_parts=self.counts_parts,
            is_plural=bool(plural),
            is_counted_column=any(each.column in self.counted for each in self.columns),
            unknown=tuple(self.unknown),
            unknown_dimension=tuple(self.unknown_dimension),
            ignored=tuple(self.ignored),
            unheeded=(*self.unheeded, *self._cursor.idle_exceptions, *self._idle_verbs()),
            ambiguities=tuple(self.ambiguities),
            having=self.having,
            names_dataset=self.names_dataset,
            coverage=self.coverage,
            dated_by=self.dated_by,
            parts=tuple(self.parts),
            quantile=self.quantile,
            second_period=self.second_period,
            forgotten=tuple(self.forgotten),
            guessed_nouns=tuple(self.guessed_nouns),
            noun=" ".join(dict.fromkeys(each.text for each in self.nouns)),
            rules=tuple(dict.fromkeys(self.rules)),
        )

    def _idle_verbs(self) -> list[str]:
        """Return the verbs of columns that nothing else in the question is about."""
        said = {part.name for part in self.parts if part.kind in ("column", "dimension", "filter")}
        return [
            each.text for each in self.derived if said.isdisjoint(self.index.columns_of_verb(each))
        ]


def likewise(span: Span, other: Span) -> Span:
    """Return the same days of another year: '1.º trimestre de 2026 com o de 2025'."""
    start, end = other
    is_year = start is not None and end is not None and (start.month, start.day) == (1, 1)
    if not is_year or end is None or (end.month, end.day) != (12, 31) or None in span:
        return other
    first, last = span
    assert first is not None
    assert last is not None
    if (last - first).days > _MOST_DAYS:
        return other
    is_leap_day = (last.month, last.day) == (2, 29)
    return first.replace(year=end.year), (
        last.replace(year=end.year, day=28 if is_leap_day else last.day)
    )


def _gap(first: Span, second: Span) -> tuple[date, date] | None:
    """Return the days between two spans: 'semana 6 e semana 8' is without the seventh."""
    early, late = sorted((first, second), key=lambda span: span[0] or date.min)
    if early[1] is None or late[0] is None:
        return None
    start, end = early[1] + timedelta(days=1), late[0] - timedelta(days=1)
    return (start, end) if start <= end else None


def _shared(first: Span, second: Span) -> Span | None:
    """Return the days that are in both spans, if there are any."""
    starts = [each[0] for each in (first, second) if each[0] is not None]
    ends = [each[1] for each in (first, second) if each[1] is not None]
    start, end = max(starts, default=None), min(ends, default=None)
    return None if start is not None and end is not None and start > end else (start, end)


def _grain_of(span: Span) -> Grain:
    first, last = span
    days = (last - first).days if first is not None and last is not None else 0
    if days > _MOST_DAYS:
        return "year"
    return "day" if days < _WEEK - 1 else "week" if days < _MONTH else "month"
