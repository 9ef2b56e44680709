"""What a question names in one data set: columns, values, days, numbers and cues."""

from dataclasses import dataclass

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import Dimension, Filter, Period


@dataclass(frozen=True, slots=True)
class Asked:
    """The parts of a question, as one data set lets them be read."""

    index: Index
    cues: frozenset[str]
    first_cue: str
    dimensions: tuple[Dimension, ...]  # 'por turno': named as what to group by
    columns: tuple[Dimension, ...]  # merely named
    filters: tuple[Filter, ...]
    period: Period | None
    number: int | None
    has_subject: bool  # 'defeitos', 'linhas': says what is counted
    is_plural: bool  # of the thing that is ranked
    is_counted_column: bool  # 'quantos operadores'
    unknown: tuple[str, ...]  # words that look like values, and are none
    unknown_dimension: tuple[str, ...]  # 'por cor', where there is no colour
    ignored: tuple[str, ...]
    names_dataset: bool
    coverage: int  # how many words the data set explains

    def has(self, *cues: str) -> bool:
        """Whether one of these cues was given."""
        return any(f"#{cue}" in self.cues for cue in cues)

    @property
    def names_something(self) -> bool:
        """Whether a part of the data is named at all."""
        return bool(self.dimensions or self.columns or self.filters or self.period)
