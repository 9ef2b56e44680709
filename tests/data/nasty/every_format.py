"""One table in several kinds of file, with one truth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from tests.data.nasty.truth import Case, Sheet, Truth
from tests.data.writers import grids
from tests.data.writers.grids import Grid

HEADER = ("turno", "peça", "data", "espessura", "defeitos")
TYPES = "text text date number integer"
ROWS = (
    ("manhã", "A-101", date(2026, 2, 11), 80.5, 3),
    ("tarde", "A-102", date(2026, 2, 12), 79.25, 1),
    ("noite", "B-201", date(2026, 2, 13), 81.0, 12),
    ("manhã", "B-202", date(2026, 2, 14), 80.75, 4),
    ("tarde", "C-301", date(2026, 2, 15), 78.5, 7),
    ("noite", "C-302", date(2026, 2, 16), 82.25, 2),
)
BLANK = (None,) * 5

_MAKERS: dict[str, Callable[[Grid], bytes]] = {
    "csv": lambda grid: _windows(grids.csv_text(grid)),
    "xlsx": grids.xlsx,
    "xls": grids.xls,
    "ods": grids.ods,
    "html.xls": grids.html,
    "xml": grids.spreadsheetml,
}
ALL = tuple(_MAKERS)


def in_formats(
    name: str,
    about: str,
    grid: Grid,
    sheet: Sheet,
    *,
    formats: Sequence[str] = ("csv", "xlsx"),
    is_honest: bool = False,
) -> Iterator[Case]:
    """The same rows in each format. A sheet has a name only where the format has sheets."""
    for format_ in formats:
        named = sheet if format_ in ("csv", "html.xls") else replace(sheet, name="Dados")
        truth = Truth(about, (named,), is_honest=is_honest)
        yield Case(f"{name}.{format_}", _MAKERS[format_](grid), truth)


def _windows(text: str) -> bytes:
    try:
        return text.encode("cp1252")
    except UnicodeEncodeError:  # signs that Portuguese Windows does not know
        return text.encode("utf-8")
