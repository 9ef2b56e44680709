"""Citations on the wire: passages of documents as a service takes them, and what it cites of them.

Claude gets each passage as a `search_result` of sentences, and cites by the number of the passage
in the request. Any other service gets text with numbers, and writes `[n]`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qhub_desktop.core.citations import replace_citations, sentences, stands_in
from qhub_desktop.core.codec import Json
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.events import TextAdded
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import percent
from qhub_desktop.core.untrusted import sanitize

# Words that may go on with a number to cite, or be followed by one on the same line.
_OPEN_END = re.compile(r"\s*(?:\[[\d,; ]*)?$")
_NUMBERS = re.compile(r"[ \t]*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")
CUT = "cortado"  # in a result: what was left out of it
INTRODUCTION = "Passagens de documentos. A frase que se apoia numa acaba no seu número: [1]."


class SentPassages:
    """The passages of one request, in the order in which they are sent.

    `are_cited` says whether the service has citations of its own.
    """

    def __init__(self, *, are_cited: bool) -> None:
        self.are_cited = are_cited
        self._sent: list[Citation] = []

    def __bool__(self) -> bool:
        return bool(self._sent)

    def encode(self, result: ToolResult, *, most: int) -> Json:
        """Encode the passages of a tool's result: the first, and those that fit in `most`
        characters.
        """
        told: list[Json] = []
        left = most
        for passage in result.passages:
            text = sanitize(passage.quote)
            left -= len(text)
            if told and left < 0:
                break
            self._sent.append(replace(passage, quote=text))
            told.append(self._search_result(passage) if self.are_cited else self._numbered(passage))
        cut = result.content.get(CUT) if isinstance(result.content, dict) else None
        if cut:
            note = f"{CUT}: {cut}"
            told.append({"type": "text", "text": note} if self.are_cited else note)
        return told if self.are_cited else "\n\n".join([INTRODUCTION, *map(str, told)])

    def _search_result(self, passage: Citation) -> Json:
        text = sanitize(passage.quote)
        return {
            "type": "search_result",
            "source": sanitize(passage.file) or str(passage.document),
            "title": _title(passage),
            # A block is the least that can be cited.
            "content": [{"type": "text", "text": each} for each in sentences(text)],
            "citations": {"enabled": True},
        }

    def _numbered(self, passage: Citation) -> str:
        return f"[{len(self._sent)}] {_title(passage)}\n{sanitize(passage.quote)}"

    def history_text(self, text: str, cited: Sequence[Citation]) -> str:
        """Return words of an earlier answer, `cited` its citations: never with a mark of ours."""

        def mark(number: int) -> str:
            if self.are_cited or not 0 < number <= len(cited):
                return ""
            wanted = cited[number - 1]
            places = (
                place
                for place, each in enumerate(self._sent, 1)
                if replace(wanted, quote=each.quote) == each
            )
            return next((f" [{place}]" for place in places), "")

        return replace_citations(text, mark)

    def located(self, location: Mapping[str, Any]) -> Citation | None:
        """Return what a service says that it cites; None where the words do not stand there."""
        match location:
            case {
                "type": "search_result_location",
                "search_result_index": int(index),
                "cited_text": str(quote),
            } if 0 <= index < len(self._sent) and stands_in(quote, self._sent[index].quote):
                return replace(self._sent[index], quote=quote.strip())
            case _:
                return None

    def numbered(self, number: int) -> Citation | None:
        """Return the passage of a number, from 1, which a service has cited as a whole."""
        return self._sent[number - 1] if 0 < number <= len(self._sent) else None


def _title(passage: Citation) -> str:
    title = sanitize(passage.label)
    if passage.certainty is None:
        return title
    return _("{place}, read by OCR ({certainty})").format(
        place=title, certainty=percent(passage.certainty)
    )


class CitedText:
    """Words of one block of an answer while it arrives, with what they cite in its place."""

    def __init__(self, passages: SentPassages) -> None:
        self._passages = passages
        self._held = ""
        self._ticks = 0  # backticks before: between two of them stands code
        self._located: list[Citation | None] = []

    def cite(self, location: Mapping[str, Any]) -> None:
        """Take what the service says that the block cites."""
        self._located.append(self._passages.located(location))

    def feed(self, text: str) -> Iterator[TextAdded | Citation]:
        """Take some more words; those that a citation may belong before are held back."""
        if not self._passages:
            yield TextAdded(text)
            return
        text = self._held + text
        end = _OPEN_END.search(text)
        assert end is not None
        text, self._held = text[: end.start()], text[end.start() :]
        done = 0
        for found in () if self._passages.are_cited else _NUMBERS.finditer(text):
            if (self._ticks + text.count("`", 0, found.start())) % 2:
                continue
            if words := text[done : found.start()]:
                yield TextAdded(words)
            done = found.end()
            for number in re.findall(r"\d+", found[1]):
                if (citation := self._passages.numbered(int(number))) is not None:
                    yield citation
        self._ticks += text.count("`")
        if done < len(text):
            yield TextAdded(text[done:])

    def finish(self) -> Iterator[TextAdded | Citation]:
        """Yield what the block cites, then what was held back of it: nothing more will come."""
        sound = [each for each in self._located if each is not None]
        yield from sound
        if self._located and not sound:
            without = _("no source")
            yield TextAdded(f" [{without}]")
        if self._held:
            yield TextAdded(self._held)
        self._held, self._located = "", []
