"""Every kind of file that can be read, told from each other by content, not by name."""

from qhub_desktop.data.formats.delimited import read_delimited
from qhub_desktop.data.formats.kinds import Kind, kind_of
from qhub_desktop.data.formats.legacy import read_xls, read_xlsb
from qhub_desktop.data.formats.opendocument import read_ods
from qhub_desktop.data.formats.sheet import FileFormat, Source
from qhub_desktop.data.formats.spreadsheetml import read_spreadsheetml
from qhub_desktop.data.formats.xlsx import read_xlsx

FORMATS = (read_xlsx, read_xls, read_xlsb, read_ods, read_spreadsheetml, read_delimited)
READERS: dict[Kind, FileFormat] = {
    "xlsx": read_xlsx,
    "xls": read_xls,
    "xlsb": read_xlsb,
    "ods": read_ods,
    "spreadsheetml": read_spreadsheetml,
    "text": read_delimited,
}


def format_of(source: Source) -> FileFormat:
    """The reader for a file. Raises UserError for what can not be read, saying what to do."""
    return READERS[kind_of(source)]
