"""Quotations: where on a page the words stand that an answer quotes, or a person looks for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from statistics import median

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.core.text import fold
from qhub_desktop.core.values import dataclass

LEAST_SHARE = 0.5  # of the quoted words: with fewer, a mark would be at a guess
NEAR = 0.004  # of the page: how far from a line's rectangle the middle of its words may lie
GAP = 0.03  # of the page's width, between words of one mark
ALLOWED = 0.15  # of a line, by which a place in lines whose words have none may be wrong
HIGHER = 1.4  # times as high as usual: a line of larger letters
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word on a page, and its place as shares of the page."""

    text: str
    place: Rectangle


def share_in(quote: str, text: str) -> float:
    """Return the share of the quoted words that stand in a text, in their order: 0 to 1."""
    asked = _tokens(quote)
    matcher = SequenceMatcher(None, asked, _tokens(text), autojunk=False)
    found = sum(block.size for block in matcher.get_matching_blocks())
    return found / len(asked) if asked else 0.0


def located(
    quote: str, words: Sequence[PlacedWord], within: Sequence[Rectangle]
) -> tuple[Rectangle, ...]:
    """Return the places of quoted words on a page; () where less than half of them are found.

    They are looked for in the rectangles of their passage.
    """
    near = [word for word in words if any(_holds(each, word.place) for each in within)]
    spoken = list(_placed_tokens(near))
    at = _matched(_tokens(quote), [token for token, _places in spoken])
    return joined(place for index in at for place in spoken[index][1])


def likely_lines(quote: str, text: str, lines: Sequence[Rectangle]) -> tuple[Rectangle, ...]:
    """Return the lines of a passage in which a quotation stands, where no word has a place.

    () where less than half of it is found in the passage's text. A line too many may be among
    them, where the quotation begins or ends close to it.
    """
    spoken = _tokens(text)
    if not (at := _matched(_tokens(quote), spoken)):
        return ()
    start = sum(len(token) + 1 for token in spoken[: at[0]])
    end = sum(len(token) + 1 for token in spoken[: at[-1] + 1]) - 1
    return _lines_with(start, end, " ".join(spoken), lines)


def likely_occurrences(
    searched: str, text: str, lines: Sequence[Rectangle]
) -> list[tuple[Rectangle, ...]]:
    """Return the lines of each occurrence of what a person looks for, where no word has a place."""
    wanted, spoken = " ".join(_tokens(searched)), " ".join(_tokens(text))
    if not wanted:
        return []
    found = [each.start() for each in re.finditer(re.escape(wanted), spoken)]
    return [_lines_with(at, at + len(wanted), spoken, lines) for at in found]


def _matched(asked: Sequence[str], spoken: Sequence[str]) -> list[int]:
    """Return which tokens of a text are those of a quotation; [] where less than half are there."""
    matcher = SequenceMatcher(None, asked, spoken, autojunk=False)
    longest = matcher.find_longest_match()
    # The same words may stand before and after it: only those where the quotation can be count.
    slack = len(asked) // 4 + 2
    first = longest.b - longest.a - slack
    last = first + len(asked) + 2 * slack
    at = [
        place
        for block in matcher.get_matching_blocks()
        for place in range(block.b, block.b + block.size)
        if first <= place < last
    ]
    return at if asked and len(at) >= LEAST_SHARE * len(asked) else []


def _lines_with(
    start: int, end: int, text: str, lines: Sequence[Rectangle]
) -> tuple[Rectangle, ...]:
    """Return the lines in which a part of a text is likely to stand.

    Letters are taken to be as wide everywhere, but in lines that are much higher. On 3,000 texts
    drawn in lines, each of which a sentence was looked for, none was missed so, and one in four
    had a line too many.
    """
    if not lines or not text:
        return ()
    heights = [min(_sides(each)) for each in lines]
    usual = median(heights) or 1
    lengths = [
        max(_sides(line)) / (height if height > HIGHER * usual else usual)
        for line, height in zip(lines, heights, strict=True)
    ]
    ends = [sum(lengths[: place + 1]) / (sum(lengths) or 1) for place in range(len(lines))]
    near = ALLOWED / len(lines)
    first, last = start / len(text) - near, end / len(text) + near
    return tuple(
        line
        for line, begins, ends_ in zip(lines, [0.0, *ends], ends, strict=False)
        if ends_ > first and begins < last
    )


def occurrences(searched: str, words: Sequence[PlacedWord]) -> list[tuple[Rectangle, ...]]:
    """Return the places of each occurrence of what a person looks for, on one page."""
    wanted = " ".join(fold(searched).split())
    if not wanted:
        return []
    spans: list[tuple[int, int, Rectangle]] = []
    text = ""
    for word in words:
        start = len(text)
        text += fold(word.text)
        spans.append((start, len(text), word.place))
        text += " "
    found = []
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        found.append(joined(place for start, stop, place in spans if start < end and stop > at))
        at = text.find(wanted, end)
    return found


def joined(places: Iterable[Rectangle]) -> tuple[Rectangle, ...]:
    """Return the places of words as those of lines: neighbours on one line are joined."""
    made: list[Rectangle] = []
    for left, top, right, bottom in places:
        last = made[-1] if made else None
        if last is not None and _covers(last, (left, top, right, bottom)):
            continue  # a word of several parts
        is_same = (
            last is not None
            and abs((last[1] + last[3]) / 2 - (top + bottom) / 2) < (bottom - top) / 2
        )
        if last is not None and is_same and -GAP < left - last[2] < GAP:
            made[-1] = (
                min(last[0], left),
                min(last[1], top),
                max(last[2], right),
                max(last[3], bottom),
            )
        else:
            made.append((left, top, right, bottom))
    return tuple(dict.fromkeys(made))


def _sides(place: Rectangle) -> tuple[float, float]:
    return place[2] - place[0], place[3] - place[1]


def _covers(line: Rectangle, word: Rectangle) -> bool:
    is_across = line[0] <= word[0] and word[2] <= line[2]
    return is_across and line[1] <= word[1] and word[3] <= line[3]


def _holds(line: Rectangle, word: Rectangle) -> bool:
    across, down = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    is_across = line[0] - NEAR <= across <= line[2] + NEAR
    return is_across and line[1] - NEAR <= down <= line[3] + NEAR


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text))


def _placed_tokens(words: Sequence[PlacedWord]) -> Iterator[tuple[str, tuple[Rectangle, ...]]]:
    """Yield folded words with their places; one that is parted at a line's end has two."""
    parted: tuple[str, Rectangle] | None = None
    for word in words:
        tokens = _tokens(word.text)
        if parted is not None and tokens:
            start, place = parted
            if word.place[1] >= place[3] - NEAR and word.text[:1].islower():
                yield start + tokens.pop(0), (place, word.place)
            else:
                yield start, (place,)
            parted = None
        if word.text.endswith("-") and tokens:
            parted = tokens.pop(), word.place
        for token in tokens:
            yield token, (word.place,)
    if parted is not None:
        yield parted[0], (parted[1],)
