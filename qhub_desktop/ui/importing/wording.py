"""An import report in words: what the file was, what became of its rows, what was done to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from qhub_desktop.core.dataset import (
    ApartKind,
    DatasetProfile,
    Finding,
    ImportChoices,
    ImportReport,
    SetApart,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark, ngettext, number
from qhub_desktop.core.type_names import TYPE_NAMES

SEPARATORS: dict[str, str] = {
    ";": mark("semicolon"),
    ",": mark("comma"),
    "\t": mark("tab"),
    "|": mark("bar"),
    " ": mark("space"),
    "fixed width": mark("fixed width"),  # no sign at all
}
ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "cp1252": mark("Windows (cp1252)"),
    "utf-16": "UTF-16",
    "cp850": mark("DOS (cp850)"),
}
_APART: dict[ApartKind, str] = {
    "title": mark("above the table"),
    "note": mark("notes"),
    "blank": mark("blank"),
    "total": mark("totals"),
    "repeated_header": mark("the header again"),
}
_SHOWN_APART = 40  # of one kind; a header that comes again on each of 20,000 pages is seen by then


@dataclass(frozen=True, slots=True)
class SumLine:
    """One line of the receipt: rows, and why they are or are not rows of the data set."""

    words: str
    rows: int
    where: str = ""


def summary(report: ImportReport) -> tuple[str, str]:
    """What was done and what is in doubt, each in a few words; empty where there is nothing."""
    done = []
    if repaired := len(report.repaired):
        words = ngettext("{count} repair", "{count} repairs", repaired)
        done.append(words.format(count=number(repaired, digits=0)))
    if apart := report.rows_apart:
        words = ngettext("{count} row set apart", "{count} rows set apart", apart)
        done.append(words.format(count=number(apart, digits=0)))
    doubts = len(report.doubtful)
    in_doubt = ngettext("{count} doubt", "{count} doubts", doubts).format(count=doubts)
    return " · ".join(done), in_doubt if doubts else ""


def facts(profile: DatasetProfile, report: ImportReport) -> Iterator[tuple[str, str]]:
    """What the file is and how it was taken, as names and values."""
    yield _("File"), profile.file
    if profile.sheet is not None:
        place = ""
        if len(profile.sheets) > 1 and profile.sheet in profile.sheets:
            place = _("{position} of {count}").format(
                position=profile.sheets.index(profile.sheet) + 1, count=len(profile.sheets)
            )
        yield _("Sheet"), f"{profile.sheet} ({place})" if place else profile.sheet
    yield _("Format"), report.format
    if report.encoding is not None:
        yield _("Encoding"), encoding_name(report.encoding)
    if report.separator is not None:
        yield _("Separator"), separator_name(report.separator)
    if report.decimal is not None:
        comma, point = _("comma"), _("point")
        yield _("Decimals"), comma if report.decimal == "," else point
    yield _("Header"), header_name(report)
    if chosen := chosen_words(report.choices):
        yield _("You chose"), chosen


def header_name(report: ImportReport) -> str:
    """Where the names of the columns stand."""
    if not report.header_row:
        return _("none; the columns were numbered")
    return rows_name(report.header_row - max(report.header_rows, 1) + 1, report.header_row)


def separator_name(separator: str) -> str:
    """A separator as it is seen, with its name."""
    name = SEPARATORS.get(separator)
    if name is None:
        return separator
    is_seen = len(separator) == 1 and not separator.isspace()
    return f"{separator}  ({_(name)})" if is_seen else _(name)


def encoding_name(encoding: str) -> str:
    """An encoding by the name the person may have met."""
    plain = encoding.lower().replace("_", "-")
    if plain == "utf-8-sig":
        return _("UTF-8 with a mark at the start")
    known = ENCODINGS.get(plain)
    return _(known) if known is not None else encoding


def chosen_words(choices: ImportChoices) -> str:
    """What the person has decided about the file; empty if nothing."""
    said = []
    if choices.header_row is not None:
        row = _("header in row {row}").format(row=choices.header_row)
        said.append(row if choices.header_row else _("no header"))
    if choices.separator is not None:
        said.append(separator_name(choices.separator))
    if choices.encoding is not None:
        said.append(encoding_name(choices.encoding))
    said.extend(f"{name}: {_(TYPE_NAMES[type_])}" for name, type_ in choices.types)
    return "; ".join(said)


def sum_lines(report: ImportReport) -> tuple[list[SumLine], bool]:
    """What was taken away from the rows present, and whether the rest is what was read."""
    header = report.header_rows if report.header_row else 0
    taken = []
    if header:
        taken.append(SumLine(_("header"), header, header_name(report)))
    for kind, rows in _by_kind(report.set_apart):
        count = sum(each.last_row - each.row + 1 for each in rows)
        where = rows_name(rows[0].row, rows[0].last_row) if len(rows) == 1 else ""
        taken.append(SumLine(_(_APART[kind]), count, where))
    balance = report.rows_present - sum(line.rows for line in taken)
    return taken, balance == report.rows_read


def apart_lines(report: ImportReport) -> Iterator[tuple[str, int, list[tuple[str, str]]]]:
    """The rows set apart by kind: its name, how many, and each with its place and its text."""
    for kind, rows in _by_kind(report.set_apart):
        shown = [(rows_name(each.row, each.last_row), each.text) for each in rows[:_SHOWN_APART]]
        if more := len(rows) - len(shown):
            shown.append((_("and {count} more").format(count=number(more, digits=0)), ""))
        yield _(_APART[kind]), sum(each.last_row - each.row + 1 for each in rows), shown


def rows_name(first: int, last: int) -> str:
    """Rows of the file, as Excel numbers them."""
    if first == last:
        return _("row {row}").format(row=first)
    return _("rows {first}-{last}").format(first=first, last=last).replace("-", "\N{EN DASH}")


def as_text(profile: DatasetProfile, report: ImportReport) -> str:
    """The whole report, to be pasted into a mail."""
    lines = [_("Import report"), ""]
    lines += [f"{name}: {value}" for name, value in facts(profile, report)]
    lines += [f"SHA-256: {profile.sha256}", ""]
    taken, is_sound = sum_lines(report)
    present, read = _("rows present"), _("rows read")
    lines.append(f"{present}: {number(report.rows_present, digits=0)}")
    lines += [f"- {line.words}: {number(line.rows, digits=0)}" for line in taken]
    lines.append(f"= {read}: {number(report.rows_read, digits=0)}")
    lines.append(_("Every row is accounted for.") if is_sound else _unsound())
    lines += _told(_("Repaired"), report.repaired)
    apart = list(apart_lines(report))
    if apart:
        lines += ["", _("Set apart")]
    for kind, _count, rows in apart:
        lines += [f"- {kind}, {where}: {text}".rstrip(": ") for where, text in rows]
    lines += _told(_("In doubt"), report.doubtful)
    return "\n".join(lines) + "\n"


def sum_sentence(*, is_sound: bool) -> str:
    """Whether every row of the file is accounted for."""
    return _("Every row is accounted for.") if is_sound else _unsound()


def _unsound() -> str:
    return _("These rows do not add up. Do not rely on this data set, and send us the file.")


def _told(heading: str, findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    lines = ["", heading]
    for finding in findings:
        cells = f" [{', '.join(finding.cells)}]" if finding.cells else ""
        lines.append(f"- {finding.text} ({number(finding.count, digits=0)}){cells}")
    return lines


def _by_kind(set_apart: Sequence[SetApart]) -> Iterator[tuple[ApartKind, list[SetApart]]]:
    order = list(_APART)
    ordered = sorted(set_apart, key=lambda each: (order.index(each.kind), each.row))
    for kind, rows in groupby(ordered, key=lambda each: each.kind):
        yield kind, list(rows)
