"""Quoting: a sentence or row of a passage that answers a question, else the nearest passages.

Sentences of a paragraph, or a row, answer where half of the question's words stand in them or in
the titles above, with each thing that the question is about ('do compressor de ar'), its codes and
numbers ('zona 3'), a word of what is said of it, and a cause or an amount of the kind where one is
asked for: how near it is in meaning tells nothing of that. Words of the plant's vocabulary stand
for each other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qhub_desktop.core.citations import sentences
from qhub_desktop.core.documents import Citation, DocumentPlace
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.text import Language, fold
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.document_questions import (
    AskedWord,
    DocumentQuestion,
    asked_in,
    begins_condition,
    is_like,
)

LEAST_SHARE = 0.5  # of the question's words that a quoted sentence must have
LEAST_FOUND = 2  # of those words, where there are as many: 'capital' begins as 'capítulo' does
MOST_SENTENCES = 3
NEAREST = 3  # passages that are shown where none answers
LEAST_WORDS = 6  # of a line that tells something without a full stop
CELL = " | "  # between the cells of a row
BETWEEN = " · "  # items or rows that are told on one line
_TERM = re.compile(r"[^\W_]+")
_STEP_NUMBER = re.compile(r"\s*\d{1,3}[.)]\s")
_BEFORE_COLON = re.compile(r"(\w+):\s")
_BULLET = re.compile(r"^[-*•+] ")
_CELLS = re.compile(r"([A-Z]+)(\d+):([A-Z]+)(\d+)")
_VALUE = re.compile(r"[^\W_]\s*:\s+\S")  # 'Cura: 30 minutos'
# 'zona A', 'alarme A17' or 'a cabina 2?', but no amount, as 'durante 15 minutos'.
_LABEL = re.compile(r"([^\W\d_]{3,}) (?:([A-Z]\d{0,2}|\d{1,2}(?=[?.,;:!]|$))(?![\w-]))")


@dataclass(frozen=True, slots=True)
class Quotes:
    """An answer of passages: words, each with what is cited behind them, and whether it claims."""

    quotes: tuple[tuple[str, Citation], ...]
    ending: str
    is_answer: bool

    @property
    def words(self) -> str:
        """The quoted words, with the titles that they stand under."""
        cited = [each for _words, each in self.quotes]
        return "\n".join(" ".join([*each.place.headings, each.file, each.quote]) for each in cited)


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence, row or title of a passage. `above` are the titles it stands under, a row's header
    with them; of those `nearest` is the last.
    """

    text: str
    is_whole: bool  # it tells something by itself
    above: str = ""
    nearest: str = ""
    topic: str = ""  # a short sentence that its passage begins with: 'Câmara de humidade.'
    passage: str = ""  # the whole of it, but for a row, which tells of itself alone


def quoted(result: ToolResult, question: str, searched: str, language: Language) -> Quotes | None:
    """Return what of the passages found answers a question, word for word, else the nearest ones;
    None where there is none. `searched` is what of the question was searched for.

    What is said of zone B answers nothing of zone A.
    """
    content: Mapping[str, Any] = result.content if isinstance(result.content, dict) else {}
    if not result.passages:
        return None
    locale = AnswerLocale(language, is_markdown=True)
    codes = [str(each) for each in content.get("codigos", ())]
    best: tuple[int, Citation] | None = None
    for passage in result.passages:
        asked = asked_in(question, searched, [*codes, passage.code], codes, language)
        found = _answer(passage, asked, _others(passage, result.passages, asked))
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    if best is not None:
        return Quotes((_told(best[1], locale),), _warning(best[1], locale), is_answer=True)
    first = locale.gettext("The nearest that I found:")
    nearest = []
    for place, passage in enumerate(result.passages[:NEAREST]):
        asked = asked_in(question, searched, [*codes, passage.code], codes, language)
        words, cited = _told(_nearest(passage, asked), locale)
        before = "\n" if place else f"{first}\n\n"
        nearest.append((f"{before}- {words}", cited))
    return Quotes(tuple(nearest), "", is_answer=False)


def _parts(passage: Citation) -> Iterator[_Part]:
    """Yield the parts of a passage, in order."""
    texts = sentences(passage.quote)
    path = " ".join([passage.file.rpartition(".")[0], passage.code, *passage.place.headings])
    headings = {" ".join(each.split()) for each in passage.place.headings}
    topic = texts[0] if len(texts[0].split()) <= LEAST_WORDS else ""
    titles, header, is_table = list[str](), "", False
    last = passage.place.headings[-1] if passage.place.headings else ""
    is_behind_title = False
    for place, text in enumerate(texts):
        is_heading = " ".join(text.split()) in headings
        is_row = CELL in text and not is_heading
        following = texts[place + 1] if place + 1 < len(texts) else ""
        is_header = is_row and not is_table and CELL in following and _has_no_number(text)
        is_title = is_heading or not (is_row or _tells(text))
        if is_header:
            header = text
        elif not is_row:
            header = ""
        if is_title:
            titles = [*titles, text] if is_behind_title else [text]
            last = text
        above = " ".join([path, *titles, header])
        whole = "" if is_row else passage.quote
        yield _Part(text, not (is_title or is_header), above, last, topic if whole else "", whole)
        is_table, is_behind_title = is_row, is_title


def _tells(text: str) -> bool:
    """Return whether a line is no mere title."""
    is_ended = text.rstrip().endswith((".", "!", "?", ";"))
    return is_ended or len(text.split()) >= LEAST_WORDS or bool(_VALUE.search(text))


def _has_no_number(row: str) -> bool:
    return not any(map(str.isdigit, row))


def _others(passage: Citation, found: Sequence[Citation], asked: DocumentQuestion) -> str:
    """Return what else of its document was found, where the cause of something is asked for: a
    section on causes does not say again of what.
    """
    if asked.cause is None:
        return ""
    same = (each.quote for each in found if each.document == passage.document)
    return " ".join(each for each in same if each != passage.quote)


def _answer(passage: Citation, asked: DocumentQuestion, others: str) -> tuple[int, Citation] | None:
    """Return the sentences or the row of a passage that answer best, and how many of the words
    they have with their titles; None where none answers.
    """
    parts = [*_parts(passage)]
    best: tuple[tuple[int, ...], tuple[int, int]] | None = None
    for start, end in _runs(parts):
        text = "".join(part.text for part in parts[start:end])
        part = replace(parts[start], text=text)
        if not _answers(part, asked, others):
            continue
        # Later sentences tell more of the things that the first one names, or name it with a colon.
        labels = " ".join(_BEFORE_COLON.findall(text))
        first = _words(f"{part.above}\n{parts[start].text}\n{labels}\n{others}")
        if end - start > 1 and not all(each.is_told(first) for each in asked.subjects):
            continue
        # An amount in a sentence without any word of the question is of something else.
        if not any(_tells_amount(each, asked) for each in parts[start:end]):
            continue
        count = _count(asked.words, _words(f"{part.above}\n{text}"))
        # Of several causes the first is told first.
        key = (
            count,
            _count(asked.words, _words(text)),
            -len(text) if asked.cause is None else -start,
        )
        if best is None or key > best[0]:
            best = key, (start, end)
    if best is None:
        return None
    return best[0][0], _cited(passage, parts, *best[1], asked)


def _runs(parts: Sequence[_Part]) -> Iterator[tuple[int, int]]:
    """Yield each row, and each one to three sentences of a paragraph."""
    for start, part in enumerate(parts):
        for end in range(start + 1, min(start + MOST_SENTENCES, len(parts)) + 1):
            yield start, end
            if not (part.is_whole and _goes_on(parts, end)):
                break


def _goes_on(parts: Sequence[_Part], end: int) -> bool:
    """Return whether the part at `end` goes on with the paragraph of the one before it."""
    if end >= len(parts) or CELL in parts[end].text or not parts[end].is_whole:
        return False
    return not parts[end - 1].text.endswith("\n") and CELL not in parts[end - 1].text


def _answers(part: _Part, asked: DocumentQuestion, others: str = "") -> bool:
    """Return whether a part bears an answer out."""
    titled = f"{part.above}\n{part.text}"
    if not part.is_whole or _is_of_another(titled, asked.question):
        return False
    if not all(code.search(f"{titled}\n{part.passage}") for code in asked.codes):
        return False
    row = f"{part.above}\n{part.text}" if CELL in part.text else part.text
    if not (asked.has_labels(titled) and asked.has_amount(row)):
        return False
    told, own = _words(titled) | _words(others), _words(part.text)
    if asked.cause is not None:
        own |= _words(part.nearest)
        if not asked.cause.is_told(own):
            return False
    if not asked.words:
        return any(code.search(part.text) for code in asked.codes)
    least = max(LEAST_SHARE * len(asked.words), min(LEAST_FOUND, len(asked.words)))
    if asked.codes or _is_key(part, asked):
        least = 1
    said = [each for each in asked.words if each not in asked.things and each.own.isalpha()]
    is_row = CELL in part.text
    has_said = bool(_count(said, told if is_row else own))
    is_on_all = len(asked.things) > len(said) and _has_things(own, asked)
    if others and _count(said, told) < len(said):
        return False
    if said and not (has_said or is_on_all) and least > 1:
        return False  # of the same thing it says something else
    count = _count(asked.words, own) + any(code.search(part.text) for code in asked.codes)
    if count < least:  # of its own; with its titles it needs the things in them
        return count > 0 and _count(asked.words, told) >= least and _has_things(told, asked)
    if asked.amount is not None and _count(said, own) == len(said) and _count(asked.things, own):
        told |= _words(part.passage)  # a step need not say again of what it is one
    return _has_things(told | _words(part.topic), asked)


def _tells_amount(part: _Part, asked: DocumentQuestion) -> bool:
    if asked.amount is None or CELL in part.text:
        return True
    has_word = not asked.words or _count(asked.words, _words(part.text)) > 0
    return asked.has_amount(part.text) and has_word


def _is_key(part: _Part, asked: DocumentQuestion) -> bool:
    """Return whether a row is the one of a number in the question: '2077 | high-voltage trip'."""
    first, cell, _others = part.text.partition(CELL)
    key = fold(first).strip()
    return bool(cell) and any(label.fullmatch(key) for label in asked.labels)


def _has_things(told: frozenset[str], asked: DocumentQuestion) -> bool:
    return all(each.is_told(told) for each in asked.things)


def _nearest(passage: Citation, asked: DocumentQuestion) -> Citation:
    """Cite neighbouring sentences of a passage that have most of a question's words and the amount
    that it asks for; of several those of the very thing, then the fewest, then the first; the first
    ones where none has any.

    A title or the header of a table begins no quote while there is something else.
    """
    parts = [*_parts(passage)]
    whole = [place for place, part in enumerate(parts) if part.is_whole] or [*range(len(parts))]
    rows = [place for place in whole if CELL in parts[place].text]
    tables = [
        (start, end)
        for start in rows
        for end in range(start + 1, start + MOST_SENTENCES + 1)
        if all(place in rows for place in range(start, end))
    ]
    runs = [run for run in _runs(parts) if run[0] in whole] + tables

    def count(run: tuple[int, int]) -> int:
        return _count(asked.words, _words(" ".join(part.text for part in parts[slice(*run)])))

    def key(run: tuple[int, int]) -> tuple[int, bool, int]:
        text = "".join(part.text for part in parts[slice(*run)])
        more = (asked.amount is not None and asked.has_amount(text)) + (
            asked.has_condition and begins_condition(text)
        )
        order = -len(text) if asked.cause is None else -run[0]
        return count(run) + more, not _is_of_another(text, asked.question), order

    start, end = max(runs, key=key)
    if not any(key((start, end))[:1]):
        start, end = whole[0], whole[0] + MOST_SENTENCES
    return _cited(passage, parts, start, end, asked)


def _cited(
    passage: Citation, parts: Sequence[_Part], start: int, end: int, asked: DocumentQuestion
) -> Citation:
    """Cite parts of a passage, and of a table the cells of a row.

    What answers often stands behind the sentence that repeats the question, or in the next step.
    """
    text = "".join(part.text for part in parts[start:end])
    is_short = end - start < MOST_SENTENCES and CELL not in text
    if is_short and (asked.amount is None or not asked.has_amount(text)):
        is_step = (
            end < len(parts) and _STEP_NUMBER.match(parts[end].text) and _STEP_NUMBER.match(text)
        )
        if is_step or _goes_on(parts, end):
            end += 1
    quote = "".join(part.text for part in parts[start:end]).strip()
    return replace(passage, quote=quote, place=_narrowed(passage.place, parts, start, end))


def _narrowed(place: DocumentPlace, parts: Sequence[_Part], start: int, end: int) -> DocumentPlace:
    """Return the place of rows of a passage, where each of its rows is one of its cells' rows."""
    rows = [at for at, part in enumerate(parts) if CELL in part.text and part.is_whole]
    cells = _CELLS.fullmatch(place.cells)
    if cells is None or not {*range(start, end)} <= {*rows}:
        return place
    left, top, right, bottom = cells.groups()
    # A title above a table is in the range, and the table's header with it.
    titles = " | ".join(place.headings[-1:]).split(CELL)
    is_titled = [each.strip() for each in parts[0].text.split(CELL)] == titles
    above = int(bottom) - int(top) + 1 - len(rows)
    if above != (rows[0] if is_titled else 0):  # rows are blank, or left out
        return place
    first, last = (int(top) + above + rows.index(at) for at in (start, end - 1))
    return replace(place, cells=f"{left}{first}:{right}{last}")


def _is_of_another(text: str, question: str) -> bool:
    """Return whether a text names another thing of a kind than the question: 'zona B' for 'A'."""
    for kind, label in _LABEL.findall(question):
        labels = {
            other
            for word, other in re.findall(r"([^\W\d_]{3,}) ([A-Z]?\d{0,2})(?![\w-])", text)
            if other and is_like(fold(kind), fold(word))
        }
        if labels and label not in labels:
            return True
    return False


def _words(text: str) -> frozenset[str]:
    return frozenset(_TERM.findall(fold(text)))


def _count(asked: Sequence[AskedWord], told: frozenset[str]) -> int:
    return sum(each.is_told(told) for each in asked)


def _told(cited: Citation, locale: AnswerLocale) -> tuple[str, Citation]:
    """Tell the words of a quote on one line: items and rows of a list stay apart."""
    told = ""
    for line in cited.quote.splitlines():
        text = " ".join(_BULLET.sub("", line.strip()).split())
        is_same = not told or told.endswith((".", "!", "?", ";", ":", ",")) or text[:1].islower()
        is_apart = CELL in line or _BULLET.match(line.strip()) or not is_same
        told += (BETWEEN if is_apart else " ") * bool(told and text) + text
    return f"«{locale.literal(told)}»", cited


def _warning(cited: Citation, locale: AnswerLocale) -> str:
    """Tell what makes a passage less sure: it is not in force, or was read off a picture."""
    told = []
    if cited.is_superseded:
        told.append(locale.gettext("This revision is superseded: a newer one is in force."))
    if cited.certainty is not None:
        read = locale.gettext("The passage was read by OCR ({certainty}).")
        told.append(read.format(certainty=locale.percent(cited.certainty, 1)))
    return " ".join(told)
