"""Encoding detection: a text file's encoding, newlines and damage."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import InputFile
from qhub_desktop.data.ingest.readers.sniff import is_utf16

CHUNK_BYTES = 2**20
TELL_BYTES = 2**25  # progress is reported after so many
NULS_SHARE = 0.02  # up to this share, NUL bytes are damage in a text; with more it is no text
WORDS_LIMIT = 5_000  # words with accents that are weighed
MIXED_LETTERS = 2  # so many UTF-8 sequences in another encoding's text are no coincidence

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
END_MARK = "\x1a"  # DOS and machines of its time end a text with it
MIXED = "utf-8, cp1252"  # some lines in one, some in the other

# Letters with accents of the languages that our exports come in, and the signs among them.
_LETTERS = frozenset("áàâãäåçéèêëíìîïñóòôõöúùûüýæœßÁÀÂÃÄÅÇÉÈÊËÍÌÎÏÑÓÒÔÕÖÚÙÛÜÝÆŒ")
_SIGNS = frozenset("ºª°²³µ€–—‘’“”•…«»§±×÷½¼¾£")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_ASCII = bytes(range(128))
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"  # bytes that cp1252 leaves open; latin-1 has them all
_NOT_MARKS = bytes(code for code in range(256) if code not in b'"\r\n')
# "ç" written as UTF-8, read as cp1252 and written as UTF-8 again; then a dash or a quotation mark.
_DOUBLE_ENCODED = (b"\xc3\x83\xc2", b"\xc3\xa2\xe2\x82\xac")
_UTF8_SEQUENCE = re.compile(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3})+"
)
_REPLACEMENT = "\ufffd".encode()

CHARSET_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What calls itself latin-1 is read as cp1252 by every browser.
AS_CP1252 = {"iso8859-1", "ascii"}


@dataclass
class TextScan:
    """The findings of one scan of a file's bytes: encoding, newlines, quotation marks, damage.

    Lines are counted apart from any reader: those that end outside quotation marks.
    """

    encoding: str
    errors: str = "strict"
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
    double_encoded: int = 0
    replacements: int = 0
    words: list[bytes] = field(default_factory=list)
    has_undefined: bool = False
    utf8_letters: int = 0  # that read as UTF-8, once something has not

    @property
    def is_wide(self) -> bool:
        """Whether a character takes several bytes throughout; then counts of bytes say nothing."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    @property
    def has_end_mark(self) -> bool:
        """Whether the last byte is Ctrl-Z, with which old systems end a text."""
        return self.last == END_MARK.encode("ascii")

    @property
    def newline(self) -> str | None:
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
        if not self.is_inside and b'"' not in chunk and b"\r" not in chunk:
            self.line_feeds += chunk.count(b"\n")
            return
        # Without the text between them, most marks stand in pairs: what remains is short.
        marks = chunk.translate(None, _NOT_MARKS)
        self.has_quotes = self.has_quotes or b'"' in marks
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


def scan_text(source: InputFile) -> TextScan:
    """Scan a whole file for its encoding and newlines. Raises UserError if it is not text.

    In this order: a byte order mark, UTF-16 by its zeros, strict UTF-8, and then cp1252 or cp850,
    by which of them makes words of the words. Measured on 27 files in cp1252: such rules are right
    on all, a guesser by letter frequency is wrong on 16.
    """
    with source.path.open("rb") as opened:
        head = opened.read(rejection.HEAD_BYTES)
        chosen = source.choices.encoding
        marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
        found = TextScan(marked or is_utf16(head) or "utf-8")
        if chosen is not None and chosen not in (MIXED, marked):
            found = TextScan(_normalized(chosen), errors="replace")
        opened.seek(0)
        read = 0
        decoder: codecs.IncrementalDecoder | None
        decoder = codecs.getincrementaldecoder(found.encoding)(found.errors)
        while chunk := opened.read(CHUNK_BYTES):
            if not found.is_wide:
                found.note(chunk)
            read += len(chunk)
            decoder = _decode(decoder, chunk, found, source)
            if read % TELL_BYTES < CHUNK_BYTES:
                source.tell(_("Opening {file}").format(file=source.name), None)
        _decode(decoder, b"", found, source)
    if found.nuls > found.size * NULS_SHARE:
        raise rejection.refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    if found.encoding == "cp1252" and found.errors == "strict":
        found.encoding = _single_byte_encoding(found)
    return found


def _normalized(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def _decode(
    decoder: codecs.IncrementalDecoder | None, chunk: bytes, found: TextScan, source: InputFile
) -> codecs.IncrementalDecoder | None:
    """Decode the next bytes; return None as decoder once they turn out not to be UTF-8."""
    if decoder is None:
        _note_high_bytes(chunk, found)
        return None
    if found.encoding == "utf-8" and chunk.isascii() and not decoder.getstate()[0]:
        return decoder if chunk else _finish(decoder, found, source)
    if not chunk:
        return _finish(decoder, found, source)
    try:
        text = decoder.decode(chunk)
    except UnicodeDecodeError as error:
        _fall_back(found, chunk, source, error)
        return None
    if found.is_wide:
        chunk = text.encode("utf-8", "replace")
        found.note(chunk)
    elif found.errors == "replace":
        chunk = text.encode("utf-8", "replace")
    high = chunk.translate(None, _ASCII)  # short, and so quick to search
    found.double_encoded += sum(chunk.count(each) for each in _DOUBLE_ENCODED if each in high)
    found.replacements += chunk.count(_REPLACEMENT) if _REPLACEMENT in high else 0
    if found.encoding == "utf-8" and not chunk.isascii():
        found.utf8_letters += 1  # at least; enough if the text turns out to be mixed
    return decoder


def _finish(
    decoder: codecs.IncrementalDecoder, found: TextScan, source: InputFile
) -> codecs.IncrementalDecoder | None:
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        _fall_back(found, b"", source, error)
        return None
    return decoder


def _fall_back(found: TextScan, chunk: bytes, source: InputFile, error: UnicodeDecodeError) -> None:
    """Go on in cp1252 after a decoding error. Raises UserError if the text was not UTF-8."""
    if found.is_wide:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error
    if found.utf8_letters or found.encoding == "utf-8-sig":
        found.utf8_letters += MIXED_LETTERS
    found.encoding = "cp1252"
    _note_high_bytes(chunk or error.object, found)


def _note_high_bytes(chunk: bytes, found: TextScan) -> None:
    """Collect the evidence that tells 8-bit encodings from each other and from partial UTF-8."""
    high = chunk.translate(None, _ASCII)
    found.has_undefined = found.has_undefined or any(code in high for code in _UNDEFINED)
    if not high:
        return
    if len(found.words) < WORDS_LIMIT:
        found.words += _WORD.findall(chunk)[:WORDS_LIMIT]
    whole = chunk.decode("utf-8", "ignore")
    if not whole.isascii():
        found.utf8_letters += sum(whole.count(each) for each in _LETTERS | _SIGNS)


def _single_byte_encoding(found: TextScan) -> str:
    if found.utf8_letters >= MIXED_LETTERS:
        return MIXED
    scores = {name: _word_score(found.words, name) for name in ("cp1252", "cp850")}
    if scores["cp850"] > 0 > scores["cp1252"]:
        return "cp850"
    return "latin-1" if found.has_undefined else "cp1252"


def _word_score(words: list[bytes], encoding: str) -> int:
    """Return how many more plausible than odd characters the words have beyond ASCII."""
    score = 0
    for word in words:
        if len(word) < 2:
            continue
        for letter in word.decode(encoding, "replace"):
            if not letter.isascii():
                score += 1 if letter in _LETTERS else 0 if letter in _SIGNS else -1
        if encoding == "cp1252" and re.search(rb"[A-Za-z][\x80-\x9f][A-Za-z\x80-\xff]", word):
            score -= 2  # a quotation mark or a dash in the midst of a word
    return score


def decode_mixed(line: bytes) -> str:
    """Decode a line that is not UTF-8 throughout; what is not valid UTF-8 is cp1252."""
    found: list[str] = []
    end = 0
    for whole in _UTF8_SEQUENCE.finditer(line):
        found += [_decode_rest(line[end : whole.start()]), whole[0].decode("utf-8")]
        end = whole.end()
    return "".join(found) + _decode_rest(line[end:])


def _decode_rest(part: bytes) -> str:
    has_undefined = any(code in part for code in _UNDEFINED)
    return part.decode("latin-1" if has_undefined else "cp1252")


def repaired(found: TextScan) -> list[Finding]:
    """Return the findings on what was repaired in the text."""
    findings: list[Finding] = []
    if found.nuls:
        findings.append(
            Finding(
                "nul",
                ngettext(
                    "{count} byte of zero in the text was left out.",
                    "{count} bytes of zero in the text were left out.",
                    found.nuls,
                ).format(count=found.nuls),
                found.nuls,
            )
        )
    if found.has_end_mark:
        text = _(
            "The sign at the end of the file, with which old systems end a text, was left out."
        )
        findings.append(Finding("control_characters", text))
    return findings


def doubtful(found: TextScan) -> list[Finding]:
    """Return the findings on what looks wrong in the text and was left as it is."""
    findings: list[Finding] = []
    if found.double_encoded:
        text = ngettext(
            "{count} letter looks as if its encoding had gone wrong before (such as Ã§ for ç)."
            " It is left as it is: export the file again, as UTF-8.",
            "{count} letters look as if their encoding had gone wrong before (such as Ã§ for ç)."
            " They are left as they are: export the file again, as UTF-8.",
            found.double_encoded,
        )
        findings.append(
            Finding("mojibake", text.format(count=found.double_encoded), found.double_encoded)
        )
    if found.replacements:
        text = ngettext(
            "{count} letter is lost: the file has the sign � in its place.",
            "{count} letters are lost: the file has the sign � in their place.",
            found.replacements,
        )
        findings.append(
            Finding("lost_letters", text.format(count=found.replacements), found.replacements)
        )
    return findings


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and the encoding that it was decoded from."""

    text: str
    encoding: str


def decode(content: bytes, *, chosen: str | None = None, declared: Sequence[str] = ()) -> Decoded:
    """Decode by the chosen encoding, the byte order mark, what is declared, or what fits."""
    marked = next((name for mark, name in CHARSET_MARKS if content.startswith(mark)), None)
    guessed = is_utf16(content[: rejection.HEAD_BYTES])
    for name in (chosen, marked, guessed, *declared, "utf-8", "cp1252"):
        try:
            encoding = codecs.lookup(name).name if name else ""
            if encoding in AS_CP1252:
                encoding = "cp1252"
            if encoding:
                return Decoded(content.decode(encoding), encoding)
        except (LookupError, UnicodeError):
            continue  # not what it says it is
    return Decoded(content.decode("latin-1"), "latin-1")
