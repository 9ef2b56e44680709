"""Citations in the words of an answer: their marks, the sentences to be quoted, and the check.

A mark is a Markdown link of a scheme of our own, `[IT-PIN-014 rev. 6, p. 3](qhub-citation:1)`: its
number counts the citations of that answer from 1. A window opens the place of the block found by
`citation_of`, and never trusts the words of the link, which a model might have written. Everywhere
else a mark is shown as `[IT-PIN-014 rev. 6, p. 3]`, by `plain_citations`.
"""

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from qhub_desktop.core.documents import Citation
from qhub_desktop.core.text import fold, words_of
from qhub_desktop.core.untrusted import literal_markdown, one_line

SCHEME = "qhub-citation"
NUMBER_SCHEME = "qhub-number"  # of the numbers in an answer that were checked
UNSUPPORTED_SCHEME = "qhub-unsupported"  # of those that no tool has computed
_OWN_LINK = re.compile(r'<a href="qhub-[a-z]+:\d+"[^>]*>(.*?)</a>', re.DOTALL)
LONGEST_LABEL = 120  # characters: of a file's name that is no code
_MARK = re.compile(rf"\[((?:\\.|[^\[\]\\])*)\]\({SCHEME}:(\d{{1,4}})\)")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_ESCAPE = re.compile(r"\\(.)")
# A sentence ends before a capital or on a line's end: 'máx. 2 vezes' and '2.5 bar' are not parted.
_SENTENCE_END = re.compile(r"(?<=[.!?;])[ \t]+(?=[«\"(]?[A-ZÀ-ÖØ-Þ])|\n+")
# No sentence ends after the number of an item, an initial as in 'A. Quintas', or an abbreviation.
_ITEM = re.compile(r"\s*(?:\d{1,3}|[^\W\d_])\.")
_NAME_BEFORE = re.compile(r"(?:^|[\s(/])(?:([A-ZÀ-ÖØ-Þ])|([^\W\d_]{2,5}))\.$")


def citation_mark(citation: Citation, number: int) -> str:
    """Return what stands in an answer for its citation of this number, from 1."""
    label = literal_markdown(one_line(citation.label, most=LONGEST_LABEL))
    words = _BRACKET.sub(r"\\\g<0>", label)
    return f"[{words}]({SCHEME}:{number})"


def citation_of(address: str, blocks: Iterable[object]) -> Citation | None:
    """Return what a link in an answer cites, by the answer's blocks; None for any other link."""
    scheme, _colon, number = address.partition(":")
    cited = [block for block in blocks if isinstance(block, Citation)]
    is_ours = scheme == SCHEME and number.isdecimal() and 0 < int(number) <= len(cited)
    return cited[int(number) - 1] if is_ours else None


def plain_citations(text: str) -> str:
    """Return a text with its marks as they are read: '[IT-PIN-014 rev. 6, p. 3]'."""
    if SCHEME not in text:
        return text
    return _MARK.sub(lambda found: "[" + _ESCAPE.sub(r"\1", found[1]) + "]", text)


def bracketed_citations(text: str) -> str:
    """Return the Markdown of an answer with its marks as links that have their brackets."""
    return _MARK.sub(rf"[\\[\1\\]]({SCHEME}:\2)", text) if SCHEME in text else text


def unlinked_citations(html: str) -> str:
    """Return the HTML of an answer with its marks as words: their addresses are ours alone."""
    return _OWN_LINK.sub(r"\1", html)


def literal_citations(text: str) -> str:
    """Return the Markdown of an answer with its marks as words in brackets, which lead nowhere."""
    return _MARK.sub(r"\\[\1\\]", text)


def replace_citations(text: str, mark: Callable[[int], str]) -> str:
    """Return a text with its marks, and the spaces before them, as `mark` writes their numbers."""
    return re.sub(rf" ?{_MARK.pattern}", lambda found: mark(int(found[2])), text)


def sentences(text: str) -> list[str]:
    """Split a passage into its sentences and lines, which joined are the passage."""
    ends = [0]
    for found in _SENTENCE_END.finditer(text):
        line = text[max(ends[-1], text.rfind("\n", 0, found.start()) + 1) : found.start()]
        if "\n" in found[0] or not _ends_no_sentence(line):
            ends.append(found.end())
    ends.append(len(text))
    return [text[start:end] for start, end in pairwise(ends) if text[start:end].strip()]


def _ends_no_sentence(line: str) -> bool:
    """Return whether what stands before a full stop and a capital begins an item or a name."""
    if _ITEM.fullmatch(line):
        return True
    name = _NAME_BEFORE.search(line)
    return name is not None and (
        bool(name[1]) or fold(name[2]) in words_of("documents", "abbreviations")
    )


def stands_in(quote: str, passage: str) -> bool:
    """Return whether quoted words stand in a passage, each character of them, but for spaces."""
    words = " ".join(quote.split())
    return bool(words) and words in " ".join(passage.split())
