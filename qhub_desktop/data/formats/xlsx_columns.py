"""A large sheet as whole columns, three times quicker than cell by cell, where that is exact."""

import threading
from collections.abc import Callable
from typing import Any

import fastexcel
import nanoarrow
from nanoarrow.c_array_stream import CArrayStream

from qhub_desktop.data.formats.xlsx_look import SheetLook

BATCH_ROWS = 30_720  # what one of the database's threads takes at a time


class _Columns:
    """A sheet as the database takes it: a new stream each time one is asked for.

    The reader gives one Arrow array, made anew each time; the database asks for streams, several
    times. The reader's own `to_arrow` needs a library of 100 MB.
    """

    def __init__(self, sheet: fastexcel.ExcelSheet) -> None:
        array = nanoarrow.c_array(sheet._sheet)  # noqa: SLF001  the only way to it without pyarrow
        starts = range(0, len(array), BATCH_ROWS)
        self._schema = array.schema
        self._batches = [array[at : min(len(array), at + BATCH_ROWS)] for at in starts]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream = CArrayStream.from_c_arrays(self._batches, self._schema, move=False, validate=False)
        return stream.__arrow_c_stream__(requested_schema)


def columns_of(
    content: bytes, name: str, skip_rows: int, look: Callable[[], SheetLook]
) -> Any | None:
    """The sheet's rows from one on, counted from the file's first; nothing if that is not exact.

    The reader and the look at the sheet's XML go on at the same time: neither holds the
    interpreter's lock for long.
    """
    looked: list[SheetLook] = []
    looking = threading.Thread(target=lambda: looked.append(look()), name="look")
    looking.start()
    try:
        sheet = fastexcel.read_excel(content).load_sheet(
            name, header_row=None, skip_rows=skip_rows, schema_sample_rows=None
        )
    except fastexcel.FastExcelError:
        sheet = None
    finally:
        looking.join()
    # What had to be put back, or was refused, is met again on the careful way.
    if sheet is None or not looked or not looked[0].is_simple:
        return None
    is_whole = sheet.height + skip_rows == looked[0].last_row
    return _Columns(sheet) if is_whole else None
