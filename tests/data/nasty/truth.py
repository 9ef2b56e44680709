"""What is in truth in a file, and how far a reading of it is from that."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from qhub_desktop.core.dataset import DatasetProfile, Finding, ImportReport

Json = str | int | float | bool | None
SHOWN = 3  # rows named in a difference
ANYWHERE = {"kept_as_text"}  # may be said of any sheet, as nothing is changed


@dataclass(frozen=True, slots=True)
class Said:
    """A finding that the report has to hold, with the addresses it has to name."""

    kind: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """One data set. Dates and times are ISO text; `apart` holds kind, first row, last row.

    `repaired` and `doubtful` are all that may be said; `perhaps` are kinds that may be said or not.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]
    name: str | None = None
    header_row: int | None = 1
    header_rows: int = 1
    apart: tuple[tuple[str, int, int], ...] = ()
    repaired: tuple[Said, ...] = ()
    doubtful: tuple[Said, ...] = ()
    perhaps: tuple[str, ...] = ()
    encoding: str | None = None
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """What a file holds: its sheets, the biggest first, or the words of the error it is worth.

    With `is_honest` the sheet may be read otherwise, if the report says that something is doubtful;
    so may a file that is refused in a sentence. `in_child` is for what can end a process.
    """

    about: str
    sheets: tuple[Sheet, ...] = ()
    error: tuple[str, ...] = ()
    is_honest: bool = False
    in_child: bool = False
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A file by its name and bytes."""

    name: str
    content: bytes = field(repr=False)
    truth: Truth


def sheet(
    columns: str | Sequence[str],
    types: str,
    rows: Sequence[Sequence[Any]],
    *,
    repaired: Sequence[str | Said] = (),
    doubtful: Sequence[str | Said] = (),
    **more: Any,
) -> Sheet:
    """A sheet, written shortly: names and types parted by blanks, findings by their kinds."""
    return Sheet(
        tuple(columns.split() if isinstance(columns, str) else columns),
        tuple(types.split()),
        tuple(tuple(plain(cell) for cell in row) for row in rows),
        repaired=tuple(Said(each) if isinstance(each, str) else each for each in repaired),
        doubtful=tuple(Said(each) if isinstance(each, str) else each for each in doubtful),
        **more,
    )


def said(kind: str, *cells: str) -> Said:
    """A finding with its addresses."""
    return Said(kind, cells)


def plain(cell: Any) -> Json:
    """A cell as JSON can hold it."""
    match cell:
        case datetime():
            return cell.isoformat(" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            sign = "-" if cell < timedelta() else ""
            seconds = int(abs(cell).total_seconds())
            return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        case str() | bool() | int() | float() | None:
            return cell
        case _:
            return str(cell)


def as_json(truth: Truth) -> str:
    """The truth as it stands in its file, a row of data a line; what is not said is left out."""
    rows: list[str] = []

    def one_line(value: Any) -> Any:
        rows.append(json.dumps(value, ensure_ascii=False))
        return f"row {len(rows) - 1}"

    known = _without_nothing(asdict(truth), one_line)
    text = json.dumps(known, indent=1, ensure_ascii=False)
    return re.sub(r'"row (\d+)"', lambda found: rows[int(found[1])], text) + "\n"


def from_json(text: str) -> Truth:
    """The truth of a file."""
    known = json.loads(text)
    sheets = tuple(
        sheet(
            each["columns"],
            " ".join(each["types"]),
            each.get("rows", ()),
            repaired=[_said(one) for one in each.get("repaired", ())],
            doubtful=[_said(one) for one in each.get("doubtful", ())],
            name=each.get("name"),
            header_row=each.get("header_row"),
            header_rows=each.get("header_rows", 0),
            apart=tuple((kind, row, last) for kind, row, last in each.get("apart", ())),
            perhaps=tuple(each.get("perhaps", ())),
            encoding=each.get("encoding"),
            separator=each.get("separator"),
        )
        for each in known.pop("sheets", ())
    )
    return Truth(sheets=sheets, error=tuple(known.pop("error", ())), **known)


def _said(known: dict[str, Any]) -> Said:
    return Said(known["kind"], tuple(known.get("cells", ())))


def _without_nothing(value: Any, one_line: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {
            name: [one_line(row) for row in value[name]]
            if name == "rows"
            else _without_nothing(value[name], one_line)
            for name in value
            if value[name] not in (None, (), False, 0)
        }
    if isinstance(value, (list, tuple)):
        if all(isinstance(each, str) for each in value):
            return one_line(value)
        return [_without_nothing(each, one_line) for each in value]
    return value


def check(profile: DatasetProfile, rows: Sequence[Sequence[Any]], truth: Sheet) -> list[str]:
    """Everything in which a data set differs from the truth, in words; nothing if it is right."""
    found = [*_names_and_types(profile, truth), *_rows(rows, truth)]
    report = profile.report
    if report is None:
        return [*found, "there is no report"]
    found += _receipt(report)
    if truth.name is not None and profile.sheet != truth.name:
        found.append(f"the sheet is {profile.sheet!r}, not {truth.name!r}")
    if (report.header_row, report.header_rows if report.header_row else 0) != (
        truth.header_row,
        truth.header_rows if truth.header_row else 0,
    ):
        found.append(
            f"the header is row {report.header_row} ({report.header_rows} high), not"
            f" {truth.header_row} ({truth.header_rows})"
        )
    found += _apart(report, truth)
    found += _findings("repaired", report.repaired, truth.repaired, truth.perhaps)
    found += _findings("doubtful", report.doubtful, truth.doubtful, truth.perhaps)
    for name in ("encoding", "separator"):
        wanted, is_ = getattr(truth, name), getattr(report, name)
        if wanted is not None and wanted != is_:
            found.append(f"the {name} is {is_!r}, not {wanted!r}")
    return found


def receipt_of(profile: DatasetProfile) -> list[str]:
    """Whether every row of the file is accounted for; nothing if so."""
    return ["there is no report"] if profile.report is None else _receipt(profile.report)


def _receipt(report: ImportReport) -> list[str]:
    header = report.header_rows if report.header_row is not None else 0
    known = report.rows_read + header + report.rows_apart
    if known == report.rows_present:
        return []
    words = (
        f"of {report.rows_present} rows, {report.rows_read} were read, {header} are the header and"
        f" {report.rows_apart} were set apart"
    )
    return [words]


def _names_and_types(profile: DatasetProfile, truth: Sheet) -> list[str]:
    found = []
    names = tuple(column.name for column in profile.columns)
    if names != truth.columns:
        found.append(f"the columns are {names}, not {truth.columns}")
    types = tuple("text" if each.type == "category" else each.type for each in profile.columns)
    if types != truth.types:
        found.append(f"the types are {types}, not {truth.types}")
    return found


def _rows(rows: Sequence[Sequence[Any]], truth: Sheet) -> list[str]:
    found = []
    if len(rows) != len(truth.rows):
        found.append(f"there are {len(rows)} rows, not {len(truth.rows)}")
    for number, (row, wanted) in enumerate(zip(rows, truth.rows, strict=False), start=1):
        is_ = tuple(plain(cell) for cell in row)
        if not _is_same(is_, wanted):
            found.append(f"row {number} is {is_}, not {wanted}")
    return found[:SHOWN]


def _is_same(row: tuple[Json, ...], wanted: tuple[Json, ...]) -> bool:
    return row == wanted and [isinstance(cell, bool) for cell in row] == [
        isinstance(cell, bool) for cell in wanted
    ]


def _apart(report: ImportReport, truth: Sheet) -> list[str]:
    is_ = sorted(
        (row, each.kind) for each in report.set_apart for row in range(each.row, each.last_row + 1)
    )
    wanted = sorted(
        (row, kind) for kind, first, last in truth.apart for row in range(first, last + 1)
    )
    return [] if is_ == wanted else [f"set apart are {is_}, not {wanted}"]


def _findings(
    which: str, report: Sequence[Finding], truth: Sequence[Said], perhaps: Sequence[str]
) -> list[str]:
    found = []
    kinds = {each.kind for each in report}
    for wanted in truth:
        if wanted.kind not in kinds:
            found.append(f"{which}: {wanted.kind} is not said")
            continue
        cells = {cell for each in report if each.kind == wanted.kind for cell in each.cells}
        if lacking := set(wanted.cells) - cells:
            found.append(f"{which}: {wanted.kind} names {sorted(cells)}, and not {sorted(lacking)}")
    found += [
        f"{which}: {each.kind} is said without need: {each.text}"
        for each in report
        if each.kind not in {*perhaps, *ANYWHERE}
        and each.kind not in {wanted.kind for wanted in truth}
    ]
    return found
