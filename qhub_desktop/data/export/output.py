"""Output of an export: the sheets to write, and files that appear whole or not at all."""

import errno
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from qhub_desktop.core.errors import UserError, is_disk_full
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.paths import (
    DRAFT_SUFFIX,
    hand_out,
    is_link,
    long_path,
    replace_file,
    retry_while_held,
    scratch_folder,
)
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, Study, TableView, Widget
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import LONGEST_STEM, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import IrregularFileError, check_regular
from qhub_desktop.core.values import dataclass


@dataclass(frozen=True, slots=True)
class OutputSheet:
    """Sheet to be written: a table under its title and notes, with a chart beside it.

    `name` need not be valid in Excel. If there is a figure, `table` holds the rows that it was
    drawn from.
    """

    name: str
    table: Table
    title: str = ""
    notes: tuple[str, ...] = ()
    figure: Figure | None = None
    undefined: int = 0  # cells that a division by zero has made, which are missing


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export: the number of rows, and notes on what was changed to fit the format."""

    rows: int
    notes: tuple[str, ...] = ()


def sheet_of(widget: Widget, *, name: str = "") -> OutputSheet:
    """Return a widget as one sheet; a workbook adds a second if the chart needs other values.

    `name` defaults to the widget's title.
    """
    source = source_notes(widget.source)
    undefined = 0 if widget.source is None else widget.source.undefined
    match widget:
        case Chart(figure=figure, data=data):
            notes = (figure.subtitle, *source)
            return OutputSheet(name or figure.title, data, figure.title, notes, figure, undefined)
        case TableView(title=title, table=table, row_count=count):
            notes = (_first_rows_note(len(table.rows), count), *source)
            return OutputSheet(name or title, table, title, notes, undefined=undefined)
        case Kpi(title=title):
            return OutputSheet(name or title, table_of(widget), title, source)
        case Study(title=title):
            notes = (*widget.notes, *source)
            return OutputSheet(name or title, table_of(widget), title, notes, undefined=undefined)


def table_of(widget: Widget) -> Table:
    """Return the numbers of a widget as a table."""
    match widget:
        case Chart(data=data):
            return data
        case TableView(table=table):
            return table
        case Kpi():
            columns = (
                Column(_("indicator"), "text"),
                Column(_("value"), "text" if isinstance(widget.value, str) else "number"),
                Column(_("unit"), "text"),
                Column(_("change"), "number"),
                Column(_("target"), "number"),
            )
            row = (widget.title, widget.value, widget.unit or None, widget.change, widget.target)
            return Table(columns, (row,))
        case Study(points=Table() as points):
            return points
        case Study(tables=(first, *_others)):
            return first.table
        case Study(facts=facts):
            return Table((Column(_("fact"), "text"), Column(_("value"), "text")), facts)


def source_notes(source: Provenance | None) -> tuple[str, ...]:
    """Return the source line of a widget, and the query that gave its numbers."""
    if source is None:
        return ()
    names = " · ".join(part for part in (source.dataset, source.file, source.sheet) if part)
    total = number(source.rows_total)
    if source.rows_used is None:
        rows = _("of {total} rows").format(total=total)
    else:
        rows = _("{used} of {total} rows").format(used=number(source.rows_used), total=total)
    line = _("Source: {names} · {rows}").format(names=names, rows=rows)
    query = " ".join(source.sql.split())
    return (line, *source.warnings, f"SQL: {query}") if query else (line, *source.warnings)


def _first_rows_note(shown: int, count: int) -> str:
    if shown >= count:
        return ""
    return _("first {shown} of {count} rows").format(shown=number(shown), count=number(count))


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Yield a draft beside `target` that replaces it when the block ends without an error.

    A file keeps its permissions. An error leaves `target` unchanged and no draft behind. Raises
    UserError if the target cannot be written, among others for a link, if possible before any work
    is done.
    """
    check_writable(target)
    with os_errors_as_user_errors(target):
        file = long_path(target.parent.resolve() / target.name)
    # In the same folder, since a rename is atomic only within one file system.
    name = f"~{file.stem[:LONGEST_STEM]}.{uuid.uuid4().hex[:8]}{DRAFT_SUFFIX}"
    draft = long_path(file.with_name(name))
    try:
        with os_errors_as_user_errors(target), _noted(draft):
            yield draft
            if file.exists():
                shutil.copymode(file, draft)
            else:
                hand_out(draft)
            replace_file(draft, file)
    finally:
        # A scanner that still looks at it would hide what went wrong.
        with suppress(OSError):
            retry_while_held(lambda: draft.unlink(missing_ok=True))


@contextmanager
def _noted(draft: Path) -> Iterator[None]:
    """Have a draft swept if this program is killed."""
    with ExitStack() as stack:
        with suppress(OSError):  # the file can be written all the same
            stack.enter_context(scratch_folder(draft))
        yield


def check_other_file(target: Path, source: Path) -> None:
    """Raise UserError if `target` is the very file that the rows come from, by whatever name."""
    try:
        is_same = long_path(target).samefile(long_path(source))
    except OSError:  # one of them is not there
        return
    if is_same:
        raise UserError(
            _("{name} is the file that these rows come from. Choose another name.").format(
                name=target.name
            )
        )


@contextmanager
def os_errors_as_user_errors(target: Path) -> Iterator[None]:
    """Turn each OSError in the block into a UserError about `target`."""
    try:
        yield
    except OSError as error:
        raise UserError(os_error_text(error, target)) from error


def os_error_text(error: OSError, target: Path) -> str:
    """Return a sentence on why `target` could not be written and what to do about it."""
    name, folder = target.name, target.parent
    if is_disk_full(error):
        return _(
            "There is no room left on the disk for {name}. Free some, or choose another folder."
        ).format(name=name)
    if is_link(target) and not target.is_dir():
        return _(
            "{name} is a link to another file, and nothing is written through a link. Choose that"
            " file itself, or another name."
        ).format(name=name)
    if target.is_dir():
        return _("{name} is a folder. Choose another name.").format(name=name)
    if isinstance(error, IrregularFileError) or (target.exists() and not target.is_file()):
        return _("{name} is a device or a pipe, not a file. Choose another name.").format(name=name)
    if isinstance(error, PermissionError) and _is_read_only(target):
        return _("{name} may only be read, not changed. Choose another name.").format(name=name)
    if isinstance(error, PermissionError) and target.exists():
        return _(
            "{name} is open in another program. Close it in Excel, or choose another name."
        ).format(name=name)
    if isinstance(error, PermissionError):
        return _("Nothing may be written to {folder}. Choose another folder.").format(folder=folder)
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return _("The folder {folder} is not there. Choose another folder.").format(folder=folder)
    return _("{name} could not be written ({reason}). Choose another folder.").format(
        name=name, reason=error.strerror or error
    )


def _is_read_only(target: Path) -> bool:
    return target.is_file() and not target.stat().st_mode & stat.S_IWRITE


def check_writable(target: Path) -> None:
    """Raise UserError now where writing the target would fail, or would not be what was meant.

    A link leads to a file that nobody has chosen, and a device would be replaced by a file.
    """
    with os_errors_as_user_errors(target):
        _check_target(long_path(target))


def _check_target(target: Path) -> None:
    """Raise OSError where replacing the target would fail after all work is done."""
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    with suppress(FileNotFoundError):
        check_regular(target, follows_links=False)
    if _is_read_only(target):
        # Where its folder may be written to, or by an administrator, it could be replaced.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    if target.exists():
        # Excel locks the files that it has open.
        with target.open("r+b"):
            pass
