"""Every kind of table that is made by seed, by what it puts to the test."""

from collections.abc import Callable, Iterator

from tests.data.nasty import (
    codes,
    layouts,
    listings,
    program_exports,
    rows_apart,
    station_sheets,
    tables_in_cells,
    typed_texts,
)
from tests.data.nasty.truth import Case

SEVERAL: dict[str, tuple[Callable[[int], Iterator[Case]], ...]] = {
    "one writing": (typed_texts.generated,),
    "mixed writings": (
        typed_texts.nearly,
        typed_texts.several_notations,
        typed_texts.thousands,
        typed_texts.several_tails,
        typed_texts.plain_codes,
        typed_texts.parts_of_days,
        typed_texts.guarded,
    ),
    "in a cell": (
        tables_in_cells.quoted_tables,
        tables_in_cells.texts_with_tabs,
        tables_in_cells.nested_pages,
    ),
    "drawn": (listings.drawn,),
}
ONE: dict[str, tuple[Callable[[int], Case], ...]] = {
    "mixed writings": (
        typed_texts.flagged,
        typed_texts.seasons,
        typed_texts.tenths_of_seconds,
        typed_texts.counters,
        typed_texts.notes,
        typed_texts.numbering,
        typed_texts.aligned,
    ),
    "drawn": (listings.pages, listings.frequencies),
    "known": (listings.blocks, listings.server_log, listings.statistics),
    "like others": (*codes.MAKERS, *rows_apart.MAKERS),
    "layouts": (*layouts.MAKERS, *station_sheets.MAKERS, *program_exports.MAKERS),
}
SORTS = tuple(dict.fromkeys([*SEVERAL, *ONE]))


def by_seed(sort: str, *seeds: int) -> Iterator[Case]:
    """Make every kind of one sort, once for each seed."""
    for seed in seeds:
        for several in SEVERAL.get(sort, ()):
            yield from several(seed)
        for one in ONE.get(sort, ()):
            yield one(seed)
