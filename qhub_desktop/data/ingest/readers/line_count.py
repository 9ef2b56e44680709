"""Lines of a text, counted in its bytes apart from any reader of tables."""

# Why it is so: decisions/import-speed.md

from __future__ import annotations  # NumPy is loaded for long files only

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]

_NOT_MARKS = bytes(code for code in range(256) if code not in b'"\r\n')
WORD = 64  # bytes, of which each is a bit of a word


@dataclass(kw_only=True)
class LineCount:
    """Newlines and quotation marks of a text. Lines are those that end outside quotation marks."""

    is_long: bool = False  # so that it pays to look at many bytes at once
    size: int = 0
    nuls: int = 0
    has_quotes: bool = False
    line_feeds: int = 0  # outside quotation marks, as are the next two
    carriage_returns: int = 0
    crlf_pairs: int = 0  # of a return and a line feed
    is_inside: bool = False  # of quotation marks, at the end of what was noted
    inner: int = 0  # lines that end inside quotation marks
    longest_cell_lines: int = 0  # the most of these in one cell
    last: bytes = b""

    @property
    def line_end(self) -> str | None:
        """The newline that ends every line outside quotation marks; None if they differ."""
        if self.crlf_pairs == self.line_feeds == self.carriage_returns and self.crlf_pairs:
            return "\r\n"
        return "\n" if self.line_feeds and not self.carriage_returns else None

    @property
    def lines(self) -> int | None:
        """The number of records; None if quotation marks do not balance."""
        if self.is_inside:
            return None
        return max(self.line_feeds, self.carriage_returns) + (self.last not in (b"\n", b"\r"))

    def note(self, chunk: bytes) -> None:
        """Count what the next bytes hold."""
        self.size += len(chunk)
        self.nuls += chunk.count(0) if b"\0" in chunk else 0
        if self.last == b"\r" and chunk.startswith(b"\n"):
            self.crlf_pairs += not self.is_inside  # a pair that the end of the last bytes cut
        self.last = chunk[-1:]
        if self.is_long and self._note_at_once(chunk):
            return
        if not self.is_inside and b'"' not in chunk and b"\r" not in chunk:
            self.line_feeds += chunk.count(b"\n")
            return
        marks = chunk.translate(None, _NOT_MARKS)
        self.has_quotes = self.has_quotes or b'"' in marks
        # Without the text between them, most marks stand in pairs: what remains is short.
        parts = marks.replace(b'""', b"").split(b'"')
        for part in parts[not self.is_inside :: 2]:
            self._note_inside(part)
        self._note_outside(b'"'.join(parts[self.is_inside :: 2]))
        self.is_inside ^= len(parts) % 2 == 0

    def _note_outside(self, text: bytes) -> None:
        self.line_feeds += text.count(b"\n")
        self.carriage_returns += text.count(b"\r")
        self.crlf_pairs += text.count(b"\r\n")

    def _note_inside(self, text: bytes) -> None:
        lines = max(text.count(b"\n"), text.count(b"\r"))
        self.inner += lines
        self.longest_cell_lines = max(self.longest_cell_lines, lines)

    def _note_at_once(self, chunk: bytes) -> bool:
        """Count with NumPy; return False, and count nothing, if a line ends inside a cell.

        Three times as quick as the other way.
        """
        import numpy as np

        codes = np.frombuffer(chunk.ljust(-(-len(chunk) // WORD) * WORD, b"\0"), np.uint8)
        feeds = codes == ord("\n")
        returns = codes == ord("\r") if b"\r" in chunk else None
        is_inside = self.is_inside
        if is_inside or b'"' in chunk:
            inside = _inside_quotes(codes == ord('"'), is_inside=is_inside)
            ends = feeds if returns is None else feeds | returns
            if np.any(inside & _packed(ends)):
                return False
            # Those beyond the last byte are inside as the last one is.
            is_inside = bool(inside[-1] >> np.uint64(WORD - 1)) if len(inside) else is_inside
            self.has_quotes = self.has_quotes or b'"' in chunk
        self.is_inside = is_inside
        self.line_feeds += int(np.count_nonzero(feeds))
        if returns is not None:
            self.carriage_returns += int(np.count_nonzero(returns))
            self.crlf_pairs += int(np.count_nonzero(returns[:-1] & feeds[1:]))
        return True


def _packed(bits: NDArray[np.bool_]) -> Words:
    """Return bits as words, the first lowest."""
    import numpy as np

    return np.packbits(bits, bitorder="little").view("<u8")


def _inside_quotes(quotes: NDArray[np.bool_], *, is_inside: bool) -> Words:
    """Return a bit for each byte: whether an odd number of quotation marks stands up to it.

    A doubled mark inside a cell changes it twice, that is, not at all. Each word sums up its bits
    by halves, and then takes over what the words before it came to.
    """
    import numpy as np

    words = _packed(quotes)
    for distance in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(distance)
    ends: Any = np.bitwise_xor.accumulate(words >> np.uint64(WORD - 1))
    before = np.concatenate(([np.uint64(is_inside)], ends[:-1] ^ np.uint64(is_inside)))
    return words ^ (np.uint64(0) - before)  # all bits of a word where it begins inside
