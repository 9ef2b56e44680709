"""What a column's type is called, to be translated where it is shown."""

from qhub_desktop.core.table import ColumnType
from qhub_desktop.core.text import mark

TYPE_NAMES: dict[ColumnType, str] = {
    "integer": mark("whole number"),
    "number": mark("number"),
    "text": mark("text"),
    "category": mark("category"),
    "date": mark("date"),
    "datetime": mark("date and time"),
    "boolean": mark("yes or no"),
}
