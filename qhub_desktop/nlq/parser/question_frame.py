"""What a question names in one data set: columns, values, days, numbers and cues."""

from dataclasses import dataclass

from qhub_desktop.core.chart_kinds import Takes, chart_kinds
from qhub_desktop.nlq.query_ast import Dimension, Filter, MeasureKind, Period, RowSelection
from qhub_desktop.nlq.schema_index import SchemaIndex

_MEASURES: tuple[MeasureKind, ...] = ("mean", "sum", "median", "std", "max", "min")


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """Words with several readings: each by what it is called, and by what settles it."""

    word: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class QuestionFrame:
    """The parts of a question, as one data set lets them be read."""

    index: SchemaIndex
    cues: frozenset[str]
    cue_words: tuple[tuple[str, str], ...]  # each cue with the words that gave it
    first_cue: str
    dimensions: tuple[Dimension, ...]  # 'por turno': named as what to group by
    columns: tuple[Dimension, ...]  # merely named
    filters: tuple[Filter, ...]
    period: Period | None
    number: int | None
    has_subject: bool  # 'defeitos', 'linhas': says what is counted
    counts_time: bool  # 'quantos dias'
    counts_parts: bool  # 'quantas peças': of a log of production, those that were made
    is_plural: bool  # of the thing that is ranked
    is_counted_column: bool  # 'quantos operadores'
    unknown: tuple[str, ...]  # words that look like values, and are none
    unknown_dimension: tuple[str, ...]  # 'por cor', where there is no colour
    ignored: tuple[str, ...]
    doubts: tuple[Ambiguity, ...]
    having: Filter | None  # of the groups, how many rows they are to have
    names_dataset: bool
    coverage: int  # how many words the data set explains

    def has(self, *cues: str) -> bool:
        """Whether one of these cues was given."""
        return any(f"#{cue}" in self.cues for cue in cues)

    def said(self, cue: str) -> str:
        """The words that gave a cue."""
        return dict(self.cue_words).get(cue, cue.removeprefix("#"))

    @property
    def scope(self) -> RowSelection:
        """The rows that are named."""
        return RowSelection(self.index.profile.dataset, self.filters, self.period)

    @property
    def chart_kind(self) -> str | None:
        """The kind of picture that is asked for by name."""
        named = [each for each in chart_kinds() if self.has(f"kind_{each.name}")]
        return max(named, key=lambda kind: kind.precedence).name if named else None

    def names_chart_of(self, data: Takes) -> bool:
        """Whether a kind of picture is named that is drawn from such data."""
        return any(each.takes == data and self.has(f"kind_{each.name}") for each in chart_kinds())

    @property
    def measure_kinds(self) -> tuple[MeasureKind, ...]:
        """What is asked for of the values of a column: 'mínimo e máximo'."""
        return tuple(kind for kind in _MEASURES if self.has(kind))

    @property
    def measure_kind(self) -> MeasureKind | None:
        """The one of them that is meant, if any is."""
        return next(iter(self.measure_kinds), None)

    @property
    def speaks_of_defects(self) -> bool:
        """Whether defects are named, or one of their types."""
        kind = self.index.type_column
        return self.has_subject or any(each.column == kind for each in self.filters)

    @property
    def filters_on_numbers(self) -> bool:
        """Whether rows are chosen by a column of numbers."""
        return any(self.index.is_number(each.column) for each in self.filters)

    @property
    def names_something(self) -> bool:
        """Whether a part of the data is named at all."""
        return bool(self.dimensions or self.columns or self.filters or self.period)
