"""The texts of one column: some of them as a sample, all of them counted in SQL."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from qhub_desktop.data.candidates import Candidate
from qhub_desktop.data.cells import ERROR_WORDS, Cells
from qhub_desktop.data.columns import literal
from qhub_desktop.data.doubts import LISTED
from qhub_desktop.data.formats.sheet import address
from qhub_desktop.data.missing import MISSING_WORDS
from qhub_desktop.data.raw import RawTable
from qhub_desktop.data.structure import BLANKS

SEEN = "seen"  # a column's different texts, while its type is looked for
EXAMPLES = 3
GLIMPSED = 30  # values of which one must be of a type for it to be thought of
NEW = 0.97  # of a sample: above, its texts repeat too seldom to be looked at once each
MISSING = ", ".join(map(literal, MISSING_WORDS))


@dataclass
class ColumnTexts:
    """A column of the view `body`, of which `sample` are some texts and how often each is there."""

    raw: RawTable
    cells: Cells
    sample: Counter[str]
    _has_seen: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.sql = self.cells.text or "NULL"
        self._column = self.raw.column(self.cells.position)
        self._meant = {
            value: count
            for value, count in self.sample.items()
            if value.lower() not in MISSING_WORDS
        }

    def cleaned(self, cells: Cells) -> "ColumnTexts":
        """The same column with cleaner texts."""
        sample = self.sample
        if cells.error is not None:
            errors = {value for value in self._meant if value.upper() in ERROR_WORDS}
            sample = Counter({each: count for each, count in sample.items() if each not in errors})
        return ColumnTexts(self.raw, cells, sample)

    @property
    def are_padded(self) -> bool:
        """Whether blanks stand around some."""
        return bool(self.count(f"trim({self.sql}, {literal(BLANKS)}) <> {self.sql}"))

    @property
    def are_only_missing_words(self) -> bool:
        """Whether each stands for nothing."""
        return not self.count(f"lower({self.sql}) NOT IN ({MISSING})")

    def share(self, candidate: Candidate) -> float:
        """How much of the sample is of this type, but for words that stand for nothing."""
        counted = self._meant
        if not counted:
            return 0
        pattern = re.compile(candidate.pattern, re.ASCII)
        if not any(map(pattern.fullmatch, islice(counted, GLIMPSED))):
            return 0
        matching = sum(count for value, count in counted.items() if pattern.fullmatch(value))
        return matching / sum(counted.values())

    def figures(self, selected: str) -> tuple[Any, ...]:
        """What these aggregates, given as SQL, come to over the column."""
        row = self.raw.db.execute(f"SELECT {selected} FROM {self._column}").fetchone()
        assert row is not None
        return row

    def count(self, condition: str) -> int:
        """For how many cells this SQL is true."""
        (count,) = self.figures(f"count(*) FILTER ({condition})")
        return int(count)

    def counts(self, *conditions: Callable[[str], str]) -> tuple[int, ...]:
        """Of how many texts each condition, which makes SQL of SQL for a text, is true.

        Where texts repeat, each is looked at once, in a fraction of the time: they are kept in a
        table until `forget`.
        """
        sampled = sum(self.sample.values())
        if len(self.sample) > sampled * NEW:
            asked = [f"count(*) FILTER ({each(self.sql)})" for each in conditions]
            return self.figures(", ".join(asked))
        if not self._has_seen:
            self.raw.db.execute(
                f"CREATE TEMP TABLE {SEEN} AS SELECT v, count(*) AS times"
                f" FROM (SELECT {self.sql} AS v FROM {self._column}) GROUP BY v"
            )
            self._has_seen = True
        asked = [f"coalesce(sum(times) FILTER ({each('v')}), 0)::BIGINT" for each in conditions]
        row = self.raw.db.execute(f"SELECT {', '.join(asked)} FROM {SEEN}").fetchone()
        assert row is not None
        return row

    def forget(self) -> None:
        """Drop what `counts` has kept."""
        if self._has_seen:
            self.raw.db.execute(f"DROP TABLE {SEEN}")
            self._has_seen = False

    def examples(self, condition: str) -> list[str]:
        """Some different cells, as they stand, for which this SQL is true."""
        rows = self.raw.db.execute(
            f"SELECT DISTINCT {self.cells.display} AS v FROM {self._column} WHERE {condition}"
            f" ORDER BY v LIMIT {EXAMPLES}"
        ).fetchall()
        return [value for (value,) in rows]

    def addresses(self, condition: str) -> tuple[str, ...]:
        """Where in the file the first cells are for which this SQL is true."""
        raw, position = self.raw, self.cells.position
        rows = raw.db.execute(
            f"SELECT place FROM {self._column} WHERE {condition} ORDER BY place LIMIT {LISTED}"
        ).fetchall()
        return tuple(
            address(raw.first_row + place, raw.first_column + position) for (place,) in rows
        )
