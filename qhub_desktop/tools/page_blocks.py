"""Blocks of a page that a model has made: its indicators, charts and tables, to be put in order.

They are the elements of the classes that `gerar_dashboard` names, outermost ones alone. Each is
numbered as it stands in the source, and found by this number when the page is shown.
"""

import json
from collections.abc import Sequence
from html.parser import HTMLParser

from typing_extensions import override

from qhub_desktop.core.dashboard import PageBlock, order_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.untrusted import one_line

CLASSES = {"kpi-card", "chart-container", "data-table"}
_NUMBER = "data-qhub-block"  # the attribute
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "caption"}
_UNSEEN = {"script", "style", "template"}
# A block keeps its element and what scripts have drawn there; only its place is another.
_SCRIPT = """<script>(function () {
  var order = %s, blocks = [];
  document.querySelectorAll("[%s]").forEach(function (each) {
    blocks[Number(each.getAttribute("%s"))] = each;
  });
  if (blocks.filter(Boolean).length !== order.length) return;
  var places = blocks.map(function (each) {
    var place = document.createComment("");
    each.replaceWith(place);
    return place;
  });
  order.forEach(function (block, place) { places[place].replaceWith(blocks[block]); });
})();</script>"""


def blocks_of(body: str) -> tuple[PageBlock, ...]:
    """Return the blocks of a page as they stand in its source."""
    return tuple(PageBlock(at, title) for at, (_place, title) in enumerate(_read(body)))


def titles_of(body: str) -> dict[str, str]:
    """Return what the blocks are called, by the queries that their elements name in `data-…`."""
    reader = _Reader(body)
    reader.feed(body)
    reader.close()
    return {name: reader.found[block][1] for name, block in reader.names.items()}


def in_order(body: str, order: Sequence[int]) -> str:
    """Return a page whose blocks stand in this order; the page itself where it has no such."""
    if not order:
        return body
    found = _read(body)
    kept = order_of(order, len(found))
    if kept == tuple(range(len(found))):
        return body
    parts, last = [], 0
    for at, (place, _title) in enumerate(found):
        parts += [body[last:place], f' {_NUMBER}="{at}"']
        last = place
    return "".join([*parts, body[last:], _SCRIPT % (json.dumps(kept), _NUMBER, _NUMBER)])


def _read(body: str) -> list[tuple[int, str]]:
    reader = _Reader(body)
    reader.feed(body)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    """Reads where the tags of blocks stand, behind their names, and what the blocks are called."""

    def __init__(self, body: str) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self.names: dict[str, int] = {}  # that attributes of data have, with the block
        self._starts = [0]
        for line in body.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._within = ""  # the tag of the block
        self._depth = 0
        self._title = ""
        self._heading = ""  # the last one before the block
        self._tag = ""

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        if self._within:
            told = (value for name, value in attrs if name.startswith("data-") and value)
            self.names.update((value, len(self.found) - 1) for value in told)
            self._depth += tag == self._within
            return
        classes = {*(dict(attrs).get("class") or "").split()}
        if classes & CLASSES:
            line, column = self.getpos()
            self.found.append((self._starts[line - 1] + column + 1 + len(tag), ""))
            self._within, self._depth, self._title = tag, 1, ""

    @override
    def handle_endtag(self, tag: str) -> None:
        self._tag = ""
        if tag == self._within:
            self._depth -= 1
            if not self._depth:
                self._end_block()

    @override
    def handle_data(self, data: str) -> None:
        words = " ".join(data.split())
        if not words or self._tag in _UNSEEN:
            return
        if self._within:
            self._title = self._title or words
        elif self._tag in _HEADINGS:
            self._heading = words

    @override
    def close(self) -> None:
        super().close()
        if self._within:
            self._end_block()

    def _end_block(self) -> None:
        place, _none = self.found[-1]
        said = self._title or self._heading
        title = said or _("Block {number}").format(number=number(len(self.found)))
        self.found[-1] = (place, one_line(title))
        self._within = ""
