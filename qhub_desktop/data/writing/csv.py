"""CSV as the person's Excel opens it: UTF-8 with its mark, ';' and decimal comma in Portuguese."""

import csv
import io
from collections.abc import Iterable, Sequence

from qhub_desktop.core.table import Cell, Table
from qhub_desktop.core.text import Language, language
from qhub_desktop.data.writing.text_cells import converters, harmless


class CsvLines:
    """Rows on their way into a text stream, which stays the caller's.

    The stream is opened with the encoding "utf-8-sig" and `newline=""`.
    """

    def __init__(
        self, stream: io.TextIOBase, names: Sequence[str], *, spoken: Language | None = None
    ) -> None:
        tongue = spoken or language()
        self._converters = converters(spoken=tongue)
        separator = ";" if tongue == "pt" else ","
        self._writer = csv.writer(stream, delimiter=separator, lineterminator="\r\n")
        self._writer.writerow([harmless(name) for name in names])

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Add these rows."""
        find = self._converters.get
        self._writer.writerows(
            [cell if (convert := find(type(cell))) is None else convert(cell) for cell in row]
            for row in rows
        )


def to_csv(table: Table, *, spoken: Language | None = None) -> bytes:
    """A whole table as the bytes of a file."""
    content = io.StringIO(newline="")
    CsvLines(content, table.names, spoken=spoken).write(table.rows)
    return content.getvalue().encode("utf-8-sig")
