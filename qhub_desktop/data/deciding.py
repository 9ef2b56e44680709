"""What each column is, decided over every row: one value that does not fit decides for text."""

import random
from collections import Counter
from collections.abc import Sequence

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.table import ColumnType
from qhub_desktop.data import doubts
from qhub_desktop.data.becoming import Decided, become, become_chosen
from qhub_desktop.data.candidates import candidates
from qhub_desktop.data.cells import Cells, cleaned, columns_of, trimmed
from qhub_desktop.data.column_texts import ColumnTexts
from qhub_desktop.data.day_numbers import is_date_name
from qhub_desktop.data.fitting import Fit, Unfit, find_fit
from qhub_desktop.data.formats.sheet import Decimal, address
from qhub_desktop.data.raw import RawTable
from qhub_desktop.data.structure import BLANKS

SAMPLE_ROWS = 1_000


def decide(
    raw: RawTable,
    names: Sequence[str],
    *,
    positions: Sequence[int],
    decimal: Decimal,
    is_text: bool,
    chosen: dict[str, ColumnType],
) -> tuple[list[Decided], list[Finding]]:
    """What the columns at `positions` become, and what there is to say of the whole sheet.

    With `is_text` the file gives its cells no types. `chosen` are the person's, by column name.
    """
    found = columns_of(raw, positions)
    columns = {
        name: ColumnTexts(raw, cells, sample)
        for name, cells, sample in zip(names, found, _samples(raw, found), strict=True)
    }
    choices = candidates(decimal)

    def fit_of(name: str) -> Fit | Unfit:
        is_date = is_date_name(name)
        return find_fit(columns[name], choices, is_text=is_text, is_named_date=is_date)

    fits = {name: fit_of(name) for name in columns if name not in chosen}
    unfit = [
        name
        for name, texts in columns.items()
        if texts.cells.text and not isinstance(fits.get(name), Fit)
    ]
    for name, cells in zip(
        unfit, cleaned(raw, [columns[each].cells for each in unfit]), strict=True
    ):
        before = columns[name]
        is_flawed = cells != before.cells
        if is_flawed or (_has_near_miss(fits.get(name)) and before.are_padded):
            columns[name] = before.cleaned(cells if is_flawed else trimmed(cells))
            fits[name] = fit_of(name)
    sure = [fit.candidate for fit in fits.values() if isinstance(fit, Fit) and not fit.rivals]
    known_decimal = _only({each.decimal for each in sure if each.decimal})
    known_order = _only({each.order for each in sure if each.order})
    decided: list[Decided] = []
    for name, texts in columns.items():
        if name in chosen:
            decided.append(become_chosen(texts, name, chosen[name], choices))
            continue
        fit = fits[name]
        if isinstance(fit, Fit):
            fit = fit.preferring(decimal=known_decimal, order=known_order)
        decided.append(become(texts, name, fit, is_text=is_text))
    return decided, _errors(raw, [texts.cells for texts in columns.values()])


def _samples(raw: RawTable, found: Sequence[Cells]) -> list[Counter[str]]:
    """Some texts of each column: the first, and some from anywhere."""
    selected = ", ".join(each.text or "NULL" for each in found)
    somewhere = random.Random(1)  # noqa: S311  the same rows each time, and no period of the file's
    places = sorted(somewhere.sample(range(raw.rows), min(raw.rows, SAMPLE_ROWS)))
    rows = [
        *raw.db.execute(f"SELECT {selected} FROM body LIMIT {SAMPLE_ROWS}").fetchall(),
        *raw.db.execute(
            f"SELECT {selected} FROM body WHERE place IN (SELECT unnest({places}::BIGINT[]))"
        ).fetchall(),
    ]
    return [
        Counter(
            text for row in rows if row[number] is not None and (text := row[number].strip(BLANKS))
        )
        for number in range(len(found))
    ]


def _has_near_miss(fit: Fit | Unfit | None) -> bool:
    return isinstance(fit, Unfit) and fit.nearest is not None


def _only(values: set[str]) -> str:
    return next(iter(values)) if len(values) == 1 else ""


def _errors(raw: RawTable, found: Sequence[Cells]) -> list[Finding]:
    """The cells that hold an error, of all columns together."""
    flawed = [each for each in found if each.error is not None]
    if not flawed:
        return []
    places: list[tuple[int, int]] = []
    kinds: Counter[str] = Counter()
    for each in flawed:
        cell, column = f"c{each.position}", raw.column(each.position)
        is_mixed = raw.forms[each.position] == "mixed"
        kind = f"substr({cell}, 3)" if is_mixed else f"upper(trim({cell}))"
        kinds.update(
            dict(
                raw.db.execute(
                    f"SELECT {kind}, count(*) FROM {column} WHERE {each.error} GROUP BY 1"
                ).fetchall()
            )
        )
        places += [
            (place, each.position)
            for (place,) in raw.db.execute(
                f"SELECT place FROM {column} WHERE {each.error}"
                f" ORDER BY place LIMIT {doubts.LISTED}"
            ).fetchall()
        ]
    listed = tuple(
        address(raw.first_row + place, raw.first_column + position)
        for place, position in sorted(places)[: doubts.LISTED]
    )
    return [doubts.error_cells(kinds, listed)]
