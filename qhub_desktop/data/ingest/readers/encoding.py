"""Encoding detection: a text file's encoding, newlines and damage."""

# Why it is so: decisions/importing-files.md

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from itertools import islice, pairwise
from math import log

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import CountedSentence, Sentence
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.line_count import LineCount
from qhub_desktop.data.ingest.readers.sheet import InputFile
from qhub_desktop.data.ingest.readers.sniff import utf16_order

CHUNK_BYTES = 2**18  # what stays in a processor's cache is decoded in half the time
LONG_BYTES = 2**25  # with so many, it pays to load NumPy for counting
TELL_BYTES = 2**25  # progress is reported after so many
NULS_SHARE = 0.02  # up to this share, NUL bytes are damage in a text; with more it is no text
WORDS_LIMIT = 5_000  # words with accents that are weighed
MIXED_LETTERS = 2  # so many UTF-8 sequences in another encoding's text are no coincidence

_NUL = CountedSentence(
    "nul",
    "{count} byte of zero in the text was left out.",
    "{count} bytes of zero in the text were left out.",
)
_END_MARK = Sentence(
    "control_characters",
    "The sign at the end of the file, with which old systems end a text, was left out.",
)
_DOUBLE_ENCODED = CountedSentence(
    "mojibake",
    "{count} letter looks as if its encoding had gone wrong before (such as Ã§ for ç). It is left"
    " as it is: choose the encoding 'UTF-8, written twice', or export the file again.",
    "{count} letters look as if their encoding had gone wrong before (such as Ã§ for ç). They are"
    " left as they are: choose the encoding 'UTF-8, written twice', or export the file again.",
)
_CONTROL_CHARACTERS = CountedSentence(
    "control_characters",
    "{count} character of the text is a control character, which no person writes. The encoding may"
    " be {encoding}.",
    "{count} characters of the text are control characters, which no person writes. The encoding"
    " may be {encoding}.",
)
_RIVAL = Sentence(
    "encoding",
    "The text was read as {encoding}; by its letters it could be {rival} as well. Check the names,"
    " and choose the other encoding if they are wrong.",
)
_OPEN_BYTES = CountedSentence(
    "lost_letters",
    "{count} byte stands for nothing in the encoding {encoding}, and has the sign � in its place."
    " Check the names, and choose another encoding if they are wrong.",
    "{count} bytes stand for nothing in the encoding {encoding}, and have the sign � in their"
    " place. Check the names, and choose another encoding if they are wrong.",
)
_REPLACED = CountedSentence(
    "lost_letters",
    "{count} letter is lost: the file has the sign � in its place.",
    "{count} letters are lost: the file has the sign � in their place.",
)
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
END_MARK = "\x1a"  # DOS and machines of its time end a text with it
ORDER_MARK = "\ufeff"
MIXED = "utf-8, cp1252"  # some lines in one, some in the other
TWICE = "utf-8 twice"  # UTF-8 that was read as cp1252 and written as UTF-8 again
ESCAPED = "iso2022_jp"  # Japanese in 7 bits, after escape sequences

# Letters with accents of the languages that our exports come in, and the signs among them.
_LETTERS = frozenset("áàâãäåçéèêëíìîïñóòôõöúùûüýæœßÁÀÂÃÄÅÇÉÈÊËÍÌÎÏÑÓÒÔÕÖÚÙÛÜÝÆŒ")
_SIGNS = frozenset("ºª°²³µ€–—‘’“”•…«»§±×÷½¼¾£")
_WORD_BEYOND_ASCII = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_ASCII = bytes(range(128))
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"  # bytes that cp1252 leaves open; latin-1 has them all
_LATIN_1 = bytes(range(0xA0, 0x100))  # bytes that are the same letters in cp1252
_UNDEFINED_EACH = tuple(bytes([code]) for code in _UNDEFINED)
_INVISIBLE = "\xa0\xad\u3000\u200e\u200f"  # characters that are not printable, and usual
# Alphabets whose letters do not stand beside Latin ones in a word: from Greek to Thai, and letters
# of the full or half width of Japanese ones; without those of units (μm, kΩ).
_OTHER_ALPHABET = re.compile(
    "[\u0370-\u03a8\u03aa-\u03bb\u03bd-\u10ff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]"
)
_LETTER = re.compile(r"[^\W\d_\u3000-\U0010ffff]")  # beside Chinese ones, signs are usual
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_ASCII_LETTER = re.compile("[A-Za-z]")
_BESIDE_WORDS = "’·°©®™"
_ISO_2022_ESCAPES = (b"\x1b$B", b"\x1b$@", b"\x1b(J")
# What bytes 80 to BF are in cp1252, and in latin-1 where that leaves them open.
_CONTINUATIONS = "".join(
    bytes([code]).decode("latin-1" if bytes([code]) in _UNDEFINED else "cp1252")
    for code in range(0x80, 0xC0)
)
_CONTINUATION = f"[\x80-\x9f{re.escape(_CONTINUATIONS)}]"
# "ç" in UTF-8 that was read as cp1252 is "Ã§", a dash or a euro sign "â€“" and "â‚¬". Other letters
# than Ã and Â may well stand before such a sign (as in "Spaß“"), so three must be in a row.
_MOJIBAKE = re.compile(
    f"[ÂÃ]{_CONTINUATION}|[à-ï]{_CONTINUATION}{{2}}|(?:[Ä-ß]{_CONTINUATION}){{2,}}"
)
# Once a person has said so, a single letter of Europe's alphabets is enough.
_READ_TWICE = re.compile(f"[Â-Ô]{_CONTINUATION}|[à-ï]{_CONTINUATION}{{2}}")
_EUROPEAN = re.compile("[\xa0-\u024f\u0370-\u052f]|[^\x00-\u07ff]")
# How each of these begins in bytes: without it in the bytes beyond ASCII, no text is searched.
_MOJIBAKE_BYTES = re.compile(
    rb"\xc3[\x82-\x9f\xa0-\xaf](?:\xc2[\x80-\xbf]|\xe2[\x80\x82\x84]|[\xc5\xc6\xcb])"
)
# Without any of these bytes a text has neither of the two, mojibake nor controls.
_SUSPECT_EACH = (b"\xc2", b"\xe2", b"\xc5", b"\xc6", b"\xcb")
# Without NEL, which ends lines on some machines.
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")
_CONTROL_BYTES = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]")
_UTF8_SEQUENCE = re.compile(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3})+"
)
_NO_CONTINUATION = bytes(code for code in range(256) if not 0x80 <= code < 0xC0)
_REPLACEMENT = "\ufffd".encode()

CHARSET_MARKS = tuple(each for each in MARKS if each[1] != "utf-32")
# What calls itself latin-1 is read as cp1252 by every browser.
AS_CP1252 = {"iso8859-1", "ascii"}

# How likely each encoding that is chosen from is before its text is looked at, as logarithm: what
# our exports come in has the benefit of the doubt.
PRIORS = {
    "cp1252": 3.0,
    "cp850": -2.0,
    **dict.fromkeys(("cp1250", "cp1251", "cp1253", "cp1254", "cp1257"), -2.0),
    "gb18030": -1.0,
    **dict.fromkeys(("cp932", "big5hkscs", "cp949"), -2.0),
    **dict.fromkeys(("iso8859-2", "iso8859-7", "iso8859-9", "koi8-r"), -3.0),
    **dict.fromkeys(("mac-roman", "cp852", "cp866", "euc_jis_2004"), -3.0),
    **dict.fromkeys(("koi8-u", "iso8859-5", "mac-cyrillic", "cp1255", "cp1256", "cp874"), -4.0),
}
OURS_NATS = 6.0  # the same of cp1252 where there are no other letters than those of Portuguese
_RARE_LANGUAGES = {"br", "cy", "eo", "ga", "gd", "id", "ms", "mt"}
SAMPLE_BYTES = 8_192  # of lines beyond ASCII that are weighed
SAMPLE_LINE_BYTES = 400
FEW_BYTES = 4  # beyond ASCII; fewer say nothing about a language
WEIGHED_FIELDS = 150
UNSEEN = 0.02  # what counts for a pair of bytes that a language's model has not
DOUBT_NATS = 7.0  # an encoding that is less likely by more than this is no rival
FEW_DOUBT_NATS = 4.0  # the same of a letter or two that are Portuguese in cp1252
MANY_BYTES = 100  # beyond ASCII
TOLD_BYTES = 24  # beyond ASCII; with fewer, an encoding that is not the usual one is a guess
ODD_NATS = 4.0  # by which each odd character makes an encoding less likely
ODD_SHARE = 0.02  # so many odd characters more than in another encoding rule one out
_LINE_BEYOND_ASCII = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*")
_RUN_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_RUN = re.compile(rb"[\x80-\xff]{2,}")
# None of what stands between fields is the second byte of a letter.
_FIELD = re.compile(rb"[^;,\t\n\"]+")
_BETWEEN_WORDS = re.compile(r"[\x00-@\[-`{-\x7f]+")
# Words of Portuguese that no other language spells in these bytes: "ão" and "õe".
_PORTUGUESE_LETTERS = frozenset("áàâãçéêíóôõúüÁÀÂÃÇÉÊÍÓÔÕÚÜ") | _SIGNS
# Signs of units and ordinals in cp1252, which are of no language: Ø by itself, µm, 1.ª, nº, ºC, m².
_UNIT_SIGNS = re.compile(
    rb"(?<![A-Za-z\x80-\xff])(?:[\xd8\xf8](?![A-Za-z\x80-\xff])|\xb5(?=(?:[mglLsSAVFWCHTNJ]|mol|Ah|Sv|Gy|Pa|Hz|Bq|IU|kat)\b))"
    rb"|(?<=[0-9.nN])[\xaa\xb0\xba](?![\x80-\xff])|[\xb0\xba](?=[CF]\b)|(?<=m)[\xb2\xb3](?![a-z\x80-\xff])"
)
# Signs of cp1252 where signs do not stand: two together, one between letters, a euro that begins a
# word, or a dash that ends a word and a field. In other encodings these are letters.
_NO_LONE_SIGN = re.compile(
    rb"[\xa1-\xac\xae-\xff]{2}|[A-Za-z][\xa1-\xac\xae-\xb6\xb8-\xbf][A-Za-z]"
    rb"|\x80[a-z]|[A-Za-z][\x96\x97](?:[;,\t\n]|$)"
)
_SIGN_IN_WORD = re.compile(rb"[A-Za-z][\x80-\x9f][A-Za-z\x80-\xff]")
_PORTUGUESE = re.compile(rb"[A-Za-z\xe7](?:\xe3o|\xf5e|\xc3O|\xd5E)")


@dataclass
class TextScan(LineCount):
    """The findings of one scan of a file's bytes: encoding, lines, damage."""

    encoding: str
    errors: str = "strict"
    double_encoded: int = 0
    controls: int = 0  # of C1: no letters in any text
    replacements: int = 0
    inner_marks: int = 0  # byte order marks but for the one at the beginning
    words: list[bytes] = field(default_factory=list)
    sample: bytes = b""  # lines beyond ASCII
    has_undefined: bool = False
    has_cp1252_signs: bool = False  # bytes that are signs in cp1252, and nothing in latin-1
    has_escapes: bool = False  # into another alphabet
    utf8_letters: int = 0  # that read as UTF-8, once something has not
    open_bytes: int = 0  # that stand for nothing in the encoding
    rival: str = ""  # an encoding that is nearly as likely

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
        # In escapes, quotation marks may be halves of letters.
        return None if self.encoding == ESCAPED else self.line_end


def scan_text(source: InputFile) -> TextScan:
    """Scan a whole file for its encoding and newlines. Raises UserError if it is not text.

    In this order: a byte order mark, UTF-16 by its zeros, strict UTF-8, and then cp1252 where its
    letters are Portuguese, or what a statistical detector finds among the encodings that leave
    words whole.
    """
    with source.path.open("rb") as opened:
        head = opened.read(rejection.HEAD_BYTES)
        chosen = source.choices.encoding
        marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
        found = TextScan(marked or utf16_order(head) or "utf-8")
        if chosen is not None and chosen not in (MIXED, TWICE, marked):
            found = TextScan(_normalized(chosen), errors="replace")
        opened.seek(0)
        found.is_long = source.path.stat().st_size >= LONG_BYTES
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
        _set_encoding(found)
        if found.encoding in PRIORS and found.encoding != "cp1252":
            _count_open_bytes(found, source)
    elif found.encoding == "utf-8" and found.has_escapes and not found.utf8_letters:
        found.encoding = ESCAPED
    elif found.encoding.startswith("utf-8") and chosen == TWICE:
        found.encoding = TWICE
    return found


def _count_open_bytes(found: TextScan, source: InputFile) -> None:
    """Count what the detected encoding leaves open, and have it read as a sign of replacement.

    The encoding was detected by some of the lines.
    """
    decoder = codecs.getincrementaldecoder(found.encoding)("replace")
    with source.path.open("rb") as opened:
        while chunk := opened.read(CHUNK_BYTES):
            found.open_bytes += decoder.decode(chunk).count("\ufffd")
        found.open_bytes += decoder.decode(b"", final=True).count("\ufffd")
    if found.open_bytes:
        found.errors = "replace"


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
        found.has_escapes = found.has_escapes or any(each in chunk for each in _ISO_2022_ESCAPES)
        return decoder if chunk else _finish(decoder, found, source)
    if not chunk:
        return _finish(decoder, found, source)
    try:
        text = decoder.decode(chunk)
    except UnicodeDecodeError as error:
        _fall_back(found, chunk, source, error)
        return None
    found.inner_marks += text.count(ORDER_MARK)
    if found.is_wide:
        chunk = text.encode("utf-8", "replace")
        found.note(chunk)
    elif found.errors == "replace":
        chunk = text.encode("utf-8", "replace")
    # Letters of Western Europe alone need no search: none of these bytes is among them.
    if any(code in chunk for code in _SUSPECT_EACH):
        high = chunk.translate(None, _ASCII)  # short, and so quick to search
        if _MOJIBAKE_BYTES.search(high):
            found.double_encoded += len(_MOJIBAKE.findall(text))
        if _CONTROL_BYTES.search(high):
            found.controls += len(_CONTROLS.findall(_MOJIBAKE.sub("", text)))
    # One byte is looked for forty times as quickly as several.
    found.replacements += chunk.count(_REPLACEMENT) if _REPLACEMENT[:1] in chunk else 0
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
        raise rejection.damaged(source) from error
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
    found.has_cp1252_signs = found.has_cp1252_signs or bool(high.translate(None, _LATIN_1))
    if len(found.words) < WORDS_LIMIT:
        found.words += [each[0] for each in islice(_WORD_BEYOND_ASCII.finditer(chunk), WORDS_LIMIT)]
    if len(found.sample) < SAMPLE_BYTES:
        for line in _LINE_BEYOND_ASCII.finditer(chunk):
            found.sample += line[0][:SAMPLE_LINE_BYTES] + b"\n"
            if len(found.sample) >= SAMPLE_BYTES:
                break
    # Searching takes time; the bytes that go on a sequence are rare in other encodings of Europe.
    if high.translate(None, _NO_CONTINUATION) and _UTF8_SEQUENCE.search(high):
        # Only a few of them stand together in the text as well.
        whole = chunk.decode("utf-8", "ignore")
        found.utf8_letters += sum(whole.count(each) for each in _LETTERS | _SIGNS)


def _set_encoding(found: TextScan) -> None:
    """Set the encoding of a text that is not UTF-8, with its rival."""
    sample = _UNIT_SIGNS.sub(b"", _without_cut_line(found.sample[:SAMPLE_BYTES]))
    high = len(sample.translate(None, _ASCII))
    if found.utf8_letters >= MIXED_LETTERS and _is_mixed(sample):
        found.encoding = MIXED
        return
    has_letters = any(
        letter.isalpha() and letter not in _SIGNS
        for letter in _decoded(sample.translate(None, _ASCII), "cp1252")
    )
    is_clean = _word_score(found.words, "cp1252") >= 0 and not _odd_characters(sample, "cp1252")
    is_clean = is_clean and (has_letters or not _NO_LONE_SIGN.search(sample))
    if not is_clean or (has_letters and not _PORTUGUESE.search(sample)):
        found.encoding, found.rival = _detect(sample, is_clean=is_clean)
        is_other = _decoded(sample, found.encoding) != _decoded(sample, "cp1252")
        if high < TOLD_BYTES and is_other and not found.rival:
            found.rival = "cp1252"
    if found.encoding == "cp1252" and found.has_undefined:
        found.encoding = "latin-1"
        found.controls = sum(word.count(each) for word in found.words for each in _UNDEFINED_EACH)


def _is_mixed(sample: bytes) -> bool:
    """Whether what is valid UTF-8 among other bytes is so by more than chance.

    Western letters with accents are two together at most; more are those of another alphabet.
    """
    runs = _RUN_BEYOND_ASCII.findall(decode_mixed(sample))
    return sum(len(run) for run in runs if len(run) > 2) * 10 <= sum(map(len, runs))


def _without_cut_line(sample: bytes) -> bytes:
    """Return some lines without the last one, which may end within a letter, if enough remain."""
    whole = sample[: sample.rstrip(b"\n").rfind(b"\n") + 1]
    return whole if len(whole.translate(None, _ASCII)) >= MANY_BYTES else sample


def _detect(sample: bytes, *, is_clean: bool) -> tuple[str, str]:
    """Return the likeliest encoding of a text beyond ASCII, and a close rival or ''.

    `is_clean` says whether its words are words in cp1252.
    """
    high = sample.translate(None, _ASCII)
    fields = dict.fromkeys(each for each in _FIELD.findall(sample) if not each.isascii())
    weighed = b"\n".join(islice(fields, WEIGHED_FIELDS))
    odd = {name: _odd_characters(sample, name) for name in PRIORS}
    bound = min(odd.values()) + len(high) * ODD_SHARE
    is_ours = {*_decoded(high, "cp1252")} <= _PORTUGUESE_LETTERS
    priors = PRIORS | ({"cp1252": OURS_NATS} if is_ours else {})
    ranked = sorted(
        (
            (priors[name] + _likelihood(weighed, name) - odd[name] * ODD_NATS, name)
            for name in PRIORS
            if odd[name] <= bound
        ),
        reverse=True,
    )
    # The same word again says no more about a language than once.
    once = b"".join(set(_WORD_BEYOND_ASCII.findall(sample))).translate(None, _ASCII)
    in_runs = sum(map(len, _RUN.findall(sample)))
    is_few = is_clean and len(once) < FEW_BYTES and in_runs < len(high)
    (score, best), *others = ranked
    text = _decoded(sample, best)
    margin = FEW_DOUBT_NATS if is_few and is_ours else DOUBT_NATS
    close = [
        name for other, name in others if other > score - margin and _decoded(sample, name) != text
    ]
    if is_few and "cp1252" in close:
        return "cp1252", best
    return best, next(iter(close), "")


def _likelihood(fields: bytes, encoding: str) -> float:
    """Return how likely fields are in an encoding's likeliest language, as logarithm.

    Capitals count as small letters, of which the models know more, and a word counts once.
    """
    words = {each.lower() for each in _BETWEEN_WORDS.split(_decoded(fields, encoding))}
    pairs: Counter[int] = Counter()
    for word in words:
        if not word.isascii():
            letters = f" {word} ".encode(encoding, "ignore")
            pairs.update(first << 8 | second for first, second in pairwise(letters))
    return max(
        sum(
            times * log((model[pair] + UNSEEN) / (_total(model, pair >> 8) + 256 * UNSEEN))
            for pair, times in pairs.items()
        )
        for model in _models(encoding)
    )


@cache
def _total(model: bytes, first: int) -> int:
    """Return how often a byte is followed by any other."""
    return sum(model[first << 8 : first + 1 << 8])


@cache
def _models(encoding: str) -> tuple[bytes, ...]:
    """Return how often each byte follows each other one, by language."""
    # Loaded here: it takes 0.2 s, and hardly any file needs it.
    from chardet.models import load_models

    return tuple(
        model
        for name, model in load_models().items()
        if name.partition("/")[2] == encoding and name.partition("/")[0] not in _RARE_LANGUAGES
    )


def _decoded(content: bytes, encoding: str) -> str:
    return content.decode(encoding, "replace")


def _odd_characters(sample: bytes, encoding: str) -> int:
    """Return how many characters of a text beyond ASCII are odd: no letters, or in odd places."""
    text = f" {_decoded(sample, encoding)} "
    odd = 0
    for found in _BEYOND_ASCII.finditer(text):
        place = found.start()
        before, letter, after = text[place - 1], text[place], text[place + 1]
        if letter.islower() and after.isascii() and after.isupper():
            odd += 1
        if _OTHER_ALPHABET.match(letter) and _ASCII_LETTER.search(before + after):
            odd += 1
        elif letter.isalpha():
            odd += letter.isupper() and before.islower()
        elif not letter.isprintable():
            odd += 0 if letter in _INVISIBLE else 2
        elif letter == "\ufffd":
            odd += 2
        elif letter not in _BESIDE_WORDS:
            ends_word, begins_word = _LETTER.match(before), _LETTER.match(after)
            category = unicodedata.category(letter)
            if ends_word and begins_word:
                odd += category[0] != "M"
            elif ends_word or begins_word:
                odd += category in ("So", "Sm") or (category == "Sc" and bool(ends_word))
    return odd


def _word_score(words: list[bytes], encoding: str) -> int:
    """Return how many more plausible than odd characters the words have beyond ASCII."""
    score = 0
    for word, times in Counter(words).items():
        if len(word) < 2:
            continue
        for letter in word.decode(encoding, "replace"):
            if not letter.isascii():
                score += times if letter in _LETTERS else 0 if letter in _SIGNS else -times
        if _SIGN_IN_WORD.search(word):
            score -= 2 * times  # a quotation mark or a dash in the midst of a word
    return score


def undo_twice(line: str) -> str:
    """Return a line as it was before its UTF-8 was read as cp1252."""
    return _CONTROLS.sub(_as_cp1252, _READ_TWICE.sub(_read_once, line))


def _read_once(found: re.Match[str]) -> str:
    content = b"".join(map(_encoded, found[0]))
    letter = content.decode("utf-8", "ignore")
    return letter if _EUROPEAN.fullmatch(letter) else found[0]


def _encoded(letter: str) -> bytes:
    return letter.encode("latin-1" if ord(letter) < 256 else "cp1252")


def _as_cp1252(found: re.Match[str]) -> str:
    return found[0].encode("latin-1").decode("cp1252", "ignore") or found[0]


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
    return [
        *([_NUL.finding(found.nuls)] if found.nuls else []),
        *([_END_MARK.finding()] if found.has_end_mark else []),
    ]


def doubtful(found: TextScan) -> list[Finding]:
    """Return the findings on what looks wrong in the text and was left as it is."""
    findings: list[Finding] = []
    if found.double_encoded:
        findings.append(_DOUBLE_ENCODED.finding(found.double_encoded))
    if found.controls:
        likely = found.rival or ("cp1252" if found.encoding.startswith("utf") else "cp850")
        findings.append(_CONTROL_CHARACTERS.finding(found.controls, encoding=likely))
    elif found.rival:
        findings.append(_RIVAL.finding(encoding=found.encoding, rival=found.rival))
    if found.open_bytes:
        findings.append(_OPEN_BYTES.finding(found.open_bytes, encoding=found.encoding))
    if found.replacements:
        findings.append(_REPLACED.finding(found.replacements))
    return findings


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and the encoding that it was decoded from."""

    text: str
    encoding: str


def decode(content: bytes, *, chosen: str | None = None, declared: Sequence[str] = ()) -> Decoded:
    """Decode by the chosen encoding, the byte order mark, what is declared, or what fits."""
    marked = next((name for mark, name in CHARSET_MARKS if content.startswith(mark)), None)
    guessed = utf16_order(content[: rejection.HEAD_BYTES])
    for known in (chosen, marked, guessed, *declared, "utf-8", "detected", "cp1252"):
        name = _detected(content) if known == "detected" else known
        try:
            encoding = codecs.lookup(name).name if name else ""
            if encoding in AS_CP1252:
                encoding = "cp1252"
            if encoding:
                return Decoded(content.decode(encoding), encoding)
        except (LookupError, UnicodeError):
            continue  # not what it says it is
    return Decoded(content.decode("latin-1"), "latin-1")


def _detected(content: bytes) -> str:
    found = TextScan("cp1252")
    _note_high_bytes(content, found)
    _set_encoding(found)
    return found.encoding
