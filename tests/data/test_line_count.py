"""Lines counted many bytes at once are those counted one way only, whatever is cut where."""

import csv
import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.data.ingest.readers.line_count import WORD, LineCount

PIECE = st.sampled_from([b'"', b'""', b"\n", b"\r\n", b"a", b",", b"b" * (WORD - 1), b"c" * WORD])
TEXT = st.lists(PIECE, max_size=60).map(b"".join)


@given(TEXT, st.integers(0, 400))
def test_counting_at_once_finds_what_counting_by_pieces_finds(text: bytes, cut: int) -> None:
    one, other = LineCount(), LineCount(is_long=True)
    for count in (one, other):
        for chunk in filter(None, (text[:cut], text[cut:])):
            count.note(chunk)

    assert replace(other, is_long=False) == one


@given(st.lists(st.lists(st.text("ab\n,\"'ç", max_size=9), min_size=2, max_size=4), min_size=1))
def test_each_record_that_a_csv_writer_writes_is_one_line(rows: list[list[str]]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    count = LineCount(is_long=True)

    for place in range(0, len(text := written.getvalue().encode()), 2 * WORD):
        count.note(text[place : place + 2 * WORD])

    assert (count.lines, count.line_end) == (len(rows), "\n")
    assert count.inner == sum(cell.count("\n") for row in rows for cell in row)
