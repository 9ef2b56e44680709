"""Where every row of a sheet went: the report on it, or a refusal where a row can not be found."""

from collections.abc import Sequence

from qhub_desktop.core.dataset import Finding, ImportReport, SetApart
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data import doubts
from qhub_desktop.data.asking import figures
from qhub_desktop.data.becoming import Decided
from qhub_desktop.data.filling import range_address
from qhub_desktop.data.formats.sheet import address
from qhub_desktop.data.incoming import Row
from qhub_desktop.data.loading import TEXT_CHARACTERS, Loaded
from qhub_desktop.data.raw import as_text


def above(loaded: Loaded) -> list[SetApart]:
    """The rows over the header."""
    first, heading = loaded.sheet.raw.first_row, loaded.heading
    head = loaded.sheet.head
    return sorted(
        [
            *(
                SetApart("title", first + place + 1, first + place + 1, _words(head[place]))
                for place in heading.titles
            ),
            *(SetApart("blank", first + place + 1, first + place + 1) for place in heading.blanks),
        ],
        key=lambda each: each.row,
    )


def check_body(loaded: Loaded, apart: Sequence[SetApart]) -> None:
    """Refuse to go on unless every row that was read is in the view `body` or set apart."""
    raw = loaded.table
    (kept,) = figures(raw.db, ["count(*)"], "body")
    (stored,) = figures(raw.db, ["count(*)"], "raw")
    below = sum(each.last_row - each.row + 1 for each in apart if each.row > raw.first_row)
    if stored != raw.rows or kept + below != stored:
        raise _lost(loaded)


def report_on(
    loaded: Loaded,
    *,
    rows: int,
    apart: tuple[SetApart, ...],
    positions: Sequence[int],
    named: Sequence[Finding],
    decided: Sequence[Decided],
    errors: Sequence[Finding],
) -> ImportReport:
    """Everything that happened to a sheet of which so many rows are stored.

    `positions` are those of the columns that were kept, and `named` tells how they were named.
    Raises UserError where rows were lost.
    """
    raw, heading, sheet = loaded.sheet.raw, loaded.heading, loaded.sheet
    # Where the format itself knows the names, they are no row of the file.
    header_rows = 0 if raw.has_names else heading.header_rows
    header_row = loaded.header_row
    report = ImportReport(
        format=sheet.format,
        rows_present=heading.body + loaded.table.rows - (heading.header_rows - header_rows),
        rows_read=rows,
        encoding=raw.encoding,
        separator=raw.separator,
        decimal=raw.decimal if raw.is_text else None,
        header_row=header_row + 1 if header_rows and header_row is not None else None,
        header_rows=header_rows,
        set_apart=apart,
        repaired=(
            *raw.repaired,
            *named,
            *_blank_columns(loaded, positions),
            *_merged(loaded),
            *errors,
            *_shorter(loaded, apart),
            *(finding for each in decided for finding in each.repaired),
        ),
        doubtful=(
            *raw.doubtful,
            *heading.findings,
            *_longer(loaded, apart),
            *(finding for each in decided for finding in each.doubtful),
            *([] if rows else [doubts.no_rows()]),
        ),
        choices=sheet.choices,
    )
    if report.rows_present != rows + report.header_rows + report.rows_apart:
        raise _lost(loaded)
    return report


def _lost(loaded: Loaded) -> UserError:
    return UserError(
        _("Some rows of {file} were lost while reading, so it was not used.").format(
            file=loaded.sheet.source.name
        )
    )


def _words(row: Row) -> str:
    return " ".join(filter(None, (as_text(cell).strip() for cell in row)))[:TEXT_CHARACTERS]


def _blank_columns(loaded: Loaded, positions: Sequence[int]) -> list[Finding]:
    """Empty columns between, or before, those that hold something."""
    first, kept = loaded.sheet.raw.first_column, set(positions)
    missing = [place for place in range(max(positions)) if place not in kept]
    letters = [address(0, first + place)[:-1] for place in missing]
    return [doubts.blank_columns(letters)] if letters else []


def _merged(loaded: Loaded) -> list[Finding]:
    raw, filled = loaded.sheet.raw, loaded.filled
    cells = tuple(
        range_address(merge, first_row=raw.first_row, first_column=raw.first_column)
        for merge in filled[: doubts.LISTED]
    )
    return [doubts.merged_filled(len(filled), cells)] if filled else []


def _shorter(loaded: Loaded, apart: Sequence[SetApart]) -> list[Finding]:
    places = _but_apart(loaded, loaded.uneven.shorter, apart)
    return [doubts.shorter_rows(len(places), _rows_at(loaded, places))] if places else []


def _longer(loaded: Loaded, apart: Sequence[SetApart]) -> list[Finding]:
    places = _but_apart(loaded, loaded.uneven.longer, apart)
    return [doubts.longer_rows(len(places), _rows_at(loaded, places))] if places else []


def _but_apart(loaded: Loaded, places: Sequence[int], apart: Sequence[SetApart]) -> list[int]:
    gone = {row for each in apart for row in range(each.row, each.last_row + 1)}
    return [place for place in places if loaded.table.first_row + place + 1 not in gone]


def _rows_at(loaded: Loaded, places: Sequence[int]) -> tuple[str, ...]:
    raw = loaded.table
    return tuple(
        address(raw.first_row + place, raw.first_column) for place in places[: doubts.LISTED]
    )


def sentences(report: ImportReport) -> tuple[str, ...]:
    """The report as the sentences that a person or a model is told."""
    said: list[str] = []
    for kind in ("title", "total", "note", "repeated_header", "blank"):
        found = [each for each in report.set_apart if each.kind == kind]
        count = sum(each.last_row - each.row + 1 for each in found)
        if count:
            said.append(_apart_sentence(kind, count, found))
    said += [finding.text for finding in (*report.repaired, *report.doubtful)]
    return tuple(said)


def _apart_sentence(kind: str, count: int, found: Sequence[SetApart]) -> str:
    texts = " / ".join(each.text for each in found if each.text)[:TEXT_CHARACTERS]
    counted = number(count, digits=0)
    match kind:
        case "title":
            words = ngettext(
                "{count} title row above the header is not part of the data: {texts}",
                "{count} title rows above the header are not part of the data: {texts}",
                count,
            )
        case "total":
            words = ngettext(
                "{count} row with totals is not part of the data: {texts}",
                "{count} rows with totals are not part of the data: {texts}",
                count,
            )
        case "note":
            words = ngettext(
                "{count} row with a note below the table is not part of the data: {texts}",
                "{count} rows with notes below the table are not part of the data: {texts}",
                count,
            )
        case "repeated_header":
            words = ngettext(
                "The header is repeated in {count} row, which is not part of the data.",
                "The header is repeated in {count} rows, which are not part of the data.",
                count,
            )
        case _:
            words = ngettext(
                "{count} blank row was left out.", "{count} blank rows were left out.", count
            )
    return words.format(count=counted, texts=texts)
