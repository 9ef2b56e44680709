"""Excel workbooks: cells with full precision, their errors and uncalculated formulas put back."""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree as ET

import python_calamine as calamine

from qhub_desktop.data.formats import refused, xlsx_parts
from qhub_desktop.data.formats.sheet import Merge, Opened, RawSheet, Source, Value, file_format
from qhub_desktop.data.formats.xlsx_head import head_of
from qhub_desktop.data.formats.xlsx_look import SheetLook, look_at

# Above so many bytes of XML the quicker way is tried: about 5,000 rows of 8 columns.
LARGE_BYTES = 2**21

_BROKEN = (
    calamine.CalamineError,
    zipfile.BadZipFile,
    zlib.error,
    ET.ParseError,
    EOFError,
    LookupError,  # a part that is not there, an encoding that does not exist
    NotImplementedError,
    ValueError,
)


@file_format("Excel", suffixes=(".xlsx", ".xlsm"))
def read_xlsx(source: Source) -> Opened:
    """Every sheet of a workbook that holds cells."""
    content = source.path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            xlsx_parts.refuse_declarations(archive, source)
            parts = xlsx_parts.sheets_of(archive)
            zeros = xlsx_parts.zero_styles(archive)
            sizes = {name: archive.getinfo(part).file_size for name, part in parts.items()}
        book = calamine.load_workbook(io.BytesIO(content))
    except calamine.PasswordError as error:
        raise refused.refusal(source, refused.LOCKED, refused.UNLOCK) from error
    except _BROKEN as error:
        raise refused.refusal(source, refused.BROKEN, refused.EXPORT_AGAIN) from error
    names = tuple(
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ == calamine.SheetTypeEnum.WorkSheet
    )
    workbook = _Workbook(source, content, book, parts, sizes, names, zeros)
    return Opened(names, workbook.sheets())


@dataclass(frozen=True, slots=True)
class _Workbook:
    """A workbook in memory, as its bytes and as its reader has it."""

    source: Source
    content: bytes
    book: calamine.CalamineWorkbook
    parts: dict[str, str]
    sizes: dict[str, int]
    names: tuple[str, ...]
    zeros: dict[int, int]

    def sheets(self) -> Iterator[RawSheet]:
        """Those that hold something, in the order of the workbook."""
        for number, name in enumerate(self.names, start=1):
            try:
                sheet = self._sheet(number, name)
            except _BROKEN as error:
                raise refused.refusal(self.source, refused.BROKEN, refused.EXPORT_AGAIN) from error
            if sheet is not None:
                yield sheet

    def _sheet(self, number: int, name: str) -> RawSheet | None:
        if self.sizes.get(name, 0) > LARGE_BYTES:
            return self._large(number, name)
        look = self._look(name)
        sheet = self._opened(name, look)
        if sheet.start is None:
            return None
        rows = _Counted(lambda: sheet, look)
        return RawSheet(
            name=name,
            number=number,
            rows=iter(rows),
            is_text=False,
            first_row=sheet.start[0],
            first_column=sheet.start[1],
            merges=look.merges_from(*sheet.start),
            repaired=look.repaired,
            doubtful=look.doubtful,
            done=rows.share,
        )

    def _large(self, number: int, name: str) -> RawSheet | None:
        """A sheet of which the first rows are read apart, so that there is a choice of readers."""
        with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
            head = head_of(archive, self.parts[name])
        look = SheetLook(name, self.source)
        merges: list[Merge] = []
        corner = (head.first_row, head.first_column)

        def opened() -> calamine.CalamineSheet:
            nonlocal corner
            # Whoever asks for the rows has not gone the quicker way, where the look was taken.
            look.take(self._look(name))
            sheet = self._opened(name, look)
            assert sheet.start is not None
            corner = sheet.start
            merges[:] = look.merges_from(*corner)
            return sheet

        def columns(skip_rows: int) -> Any:
            # These imports take 50 ms, and few files need them.
            from qhub_desktop.data.formats.xlsx_columns import columns_of

            return columns_of(
                self.content, name, skip_rows, lambda: self._look(name, extent="rows")
            )

        rows = _Counted(opened, look)
        return RawSheet(
            name=name,
            number=number,
            rows=iter(rows),
            is_text=False,
            first_row=head.first_row,
            first_column=head.first_column,
            merges=merges,
            repaired=look.repaired,
            doubtful=look.doubtful,
            done=rows.share,
            head=head.rows,
            columns=columns if head.rows else None,
            corner=lambda: corner,
        )

    def _look(self, name: str, *, extent: Literal["known", "rows"] = "known") -> SheetLook:
        if name not in self.parts:
            return SheetLook(name, self.source)
        with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
            return look_at(
                archive, self.parts[name], name, self.source, zeros=self.zeros, extent=extent
            )

    def _opened(self, name: str, look: SheetLook) -> calamine.CalamineSheet:
        look.check_range()
        return self.book.get_sheet_by_name(name)


class _Counted:
    """The rows of one sheet with their errors put back, and how many were read."""

    def __init__(self, opened: Callable[[], calamine.CalamineSheet], look: SheetLook) -> None:
        self._opened = opened
        self._look = look
        self._read = 0
        self._total = 1

    def share(self) -> float:
        """The part of the sheet that was read."""
        return self._read / max(1, self._total)

    def __iter__(self) -> Iterator[Sequence[Value]]:
        sheet = self._opened()
        assert sheet.start is not None
        first_row, first_column = sheet.start
        self._total = sheet.height
        flaws, padded = self._look.flaws, self._look.padded
        for number, row in enumerate(sheet.iter_rows()):
            if number < first_row:
                continue  # the reader begins at the first row of the sheet, not of the cells
            self._read = number - first_row + 1
            if number not in flaws and number not in padded:
                yield row
                continue
            cells: list[Value] = list(row)
            for column, flaw in flaws.get(number, {}).items():
                if 0 <= column - first_column < len(cells):
                    cells[column - first_column] = flaw
            for column, digits in padded.get(number, {}).items():
                if 0 <= column - first_column < len(cells):
                    cells[column - first_column] = _padded(cells[column - first_column], digits)
            yield cells


def _padded(cell: Value, digits: int) -> Value:
    """A whole number as its cell shows it, with zeros in front."""
    if isinstance(cell, float) and cell.is_integer() and cell >= 0:
        return f"{int(cell):0{digits}d}"
    return cell
