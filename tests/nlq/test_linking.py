"""Linking: which column or value a word names, and what columns are for, over exports of trades.

Each table is a list of headers with what their cells are and the words that people use for them; of
values, too. The cheapest link of such words leads to that column or value, before any other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from qhub_desktop.core.table import Cell, ColumnType
from qhub_desktop.nlq.lexicon import current_lexicon, words_by_role
from qhub_desktop.nlq.schema_index import SchemaIndex, schema_index_of
from qhub_desktop.nlq.semantic.schema_linking import linker_of
from qhub_desktop.nlq.semantic.word_keys import keys_of
from qhub_desktop.nlq.tokenizer import tokenize
from tests.nlq.profiles import data
from tests.nlq.schemas import FIRST_DAY

ROWS = 200
DEAREST = 0.5  # what a link may cost
ROLES = {"code": ("code", "id"), "number": ("amount", "level", "code", "id", "flag")}
# In the file, below `@`, are a table's columns: a name, its cells, and the words that are said for
# it. Cells are days (`day`), names (`txt`), numbers of a role from one to another (`~` with
# decimals), or values, each with what is said for it. Behind `+` stand columns that only may be
# mistaken for others; two spaces go on.
TABLES = Path(__file__).with_name("linking.txt").read_text(encoding="utf-8")


@dataclass
class Header:
    """A column, and what is said for it and for its values."""

    name: str
    cells: str
    words: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[str, list[str]]:
        """The values with the words that are said for each."""
        pairs = (each.partition("=") for each in self.cells.split(", "))
        return {value: [each for each in said.split("/") if each] for value, _, said in pairs}

    @property
    def role(self) -> str:
        """The role of its numbers, '' if it holds none."""
        return self.cells.partition(" ")[0] if ".." in self.cells else ""

    def column(self) -> tuple[ColumnType, list[Cell]]:
        """Its type and cells."""
        places = range(ROWS)
        if self.cells == "day":
            return "date", [FIRST_DAY + timedelta(days=place % 120) for place in places]
        if self.cells == "txt":
            return "category", [f"{self.name[:2].upper()}z{place % 9}q" for place in places]
        if not self.role:
            known = list(self.values)
            return "category", [known[place % len(known)] for place in places]
        spread = self.cells.partition(" ")[2]
        low, high = (float(each) for each in spread.removeprefix("~").split(".."))
        steps = [place * 7919 % 1000 / 999 for place in places]
        if spread.startswith("~"):
            return "number", [round(low + (high - low) * each, 2) + 0.01 for each in steps]
        return "integer", [round(low + (high - low) * each) for each in steps]


def _tables() -> Iterator[tuple[str, list[Header]]]:
    for said in TABLES.split("@ ")[1:]:
        name, *lines = said.strip().splitlines()
        headers: list[Header] = []
        for line in lines:
            if line.startswith("+ "):
                for each in line.removeprefix("+ ").split("; "):
                    header, cells = each.split(" | ")
                    headers.append(Header(header, cells))
            elif line.startswith("  "):
                headers[-1].words.extend(_listed(line))
            else:
                header, cells, words = (each.strip() for each in line.split("|"))
                headers.append(Header(header, cells, _listed(words)))
        yield name, headers


def _listed(said: str) -> list[str]:
    return [each.strip() for each in said.split(",") if each.strip()]


def _index(name: str, headers: Sequence[Header]) -> SchemaIndex:
    return schema_index_of(data(name, {each.name: each.column() for each in headers}).profile)


def _is_first(index: SchemaIndex, phrase: str, column: str, value: str = "") -> bool:
    """Return whether a phrase as a whole names a column or a value of it, before all others."""
    words = tokenize(phrase)
    keys = keys_of(words, current_lexicon())
    joining = words_by_role("of") | words_by_role("article") | words_by_role("in_name")
    joining -= words_by_role("not_in_name")
    skipped = frozenset(n for n, word in enumerate(words) if word.normalized in joining)
    first = min((n for n in range(len(words)) if n not in skipped), default=0)
    linker, length = linker_of(index), len(words) - first
    links = [
        (each.cost, each.column, "")
        for each in linker.columns_at(keys, first, skipped)
        if each.length == length
    ] + [
        (each.cost, each.column, str(each.values[0]) if len(each.values) == 1 else "several")
        for each in linker.values_at(keys, first, skipped)
        if each.length == length
    ]
    own = min((cost for cost, *said in links if said == [column, value]), default=1.0)
    others = [cost for cost, found, _ in links if found != column]
    return own <= DEAREST + 0.001 and all(cost > own + 1e-9 for cost in others)


OVER_ALL = pytest.mark.parametrize(
    ("name", "headers"), [pytest.param(*each, id=each[0]) for each in _tables()]
)


@OVER_ALL
def test_words_lead_to_their_column_and_value(name: str, headers: Sequence[Header]) -> None:
    index = _index(name, headers)

    lost = [
        (word, header.name)
        for header in headers
        for word in header.words
        if not _is_first(index, word, header.name)
    ]
    lost += [
        (word, f"{header.name}={value}")
        for header in headers
        if not header.role
        for value, words in header.values.items()
        for word in words
        if not _is_first(index, word, header.name, value)
    ]
    assert lost == []


@OVER_ALL
def test_numbers_have_their_role(name: str, headers: Sequence[Header]) -> None:
    index = _index(name, headers)

    wrong = [
        (header.name, index.roles[header.name])
        for header in headers
        if header.role and index.roles[header.name] not in ROLES.get(header.role, (header.role,))
    ]
    assert wrong == []


def test_they_are_many() -> None:
    tables = list(_tables())
    words = [
        word
        for _, headers in tables
        for header in headers
        for word in (*header.words, *(each for said in header.values.values() for each in said))
    ]

    assert len(tables) >= 55
    assert len(words) >= 700
