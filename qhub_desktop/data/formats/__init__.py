"""Every kind of file that can be read, told from each other by content, not by name."""

from pathlib import Path

from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.delimited import read_delimited
from qhub_desktop.data.formats.sheet import FileFormat
from qhub_desktop.data.formats.xlsx import read_xlsx

FORMATS = (read_xlsx, read_delimited)


def format_of(file: Path) -> FileFormat:
    """The reader for a file. Raises UserError for what can not be read, saying what to do."""
    refused.check(file)
    return read_xlsx if refused.is_zip(file) else read_delimited
