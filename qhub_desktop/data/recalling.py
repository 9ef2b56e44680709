"""Sheets read as others of their shape were, by the person's choice."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from qhub_desktop.data.formats.sheet import FileFormat
from qhub_desktop.data.incoming import Sheet
from qhub_desktop.data.naming import lasting
from qhub_desktop.data.raw import as_text
from qhub_desktop.data.remembering import Remembered, trimmed


def remembered_for(sheet: Sheet, format_: FileFormat, shapes: Sequence[Remembered]) -> Sheet:
    """The sheet under the choices that were made for its shape, if there are any."""
    for shape in shapes:
        if shape.choices.separator or shape.choices.encoding:
            if not sheet.raw.is_text or sheet.raw.separator is None:
                continue
            source = replace(sheet.source, choices=shape.choices)
            again = next(iter(format_.open(source).read))
            other = Sheet(again, source, sheet.format, sheet.sheets, sheet.sha256, shape.choices)
            if _has_shape(other, shape):
                return other
        elif _has_shape(sheet, shape):
            sheet.choices = shape.choices
            return sheet
    return sheet


def _has_shape(sheet: Sheet, shape: Remembered) -> bool:
    raw, head = sheet.raw, sheet.head
    place = max(shape.row, 1) - 1 - raw.first_row
    if not 0 <= place < len(head):
        return False
    names = (" ".join(as_text(cell).split()) for cell in head[place])
    cells = (*("",) * raw.first_column, *names)
    if not shape.row:
        is_of_name = lasting(Path(sheet.source.name).stem) == shape.file
        return is_of_name and len(cells) == len(shape.names)
    return trimmed(cells) == shape.names
