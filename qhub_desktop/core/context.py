"""Context of a question: what a model is told besides the person's words, as data, never orders."""

import re
from collections.abc import Mapping
from typing import Literal

from qhub_desktop.core.values import dataclass

SectionName = Literal["avisos", "tom", "memoria", "exemplos"]
# In the order in which they are sent. What is last is cut first; warnings never are.
SECTIONS: tuple[SectionName, ...] = ("avisos", "tom", "memoria", "exemplos")
MOST_CHARACTERS = 5_400  # 1,800 tokens at three characters each
_TAG = re.compile(rf"<(?=\s*/?\s*(?:contexto|{'|'.join(SECTIONS)})\b)", re.IGNORECASE)


NEVER_STORED: frozenset[SectionName] = frozenset({"tom"})


@dataclass(frozen=True, slots=True)
class Context:
    """In a question, beside its words: sections by name, sent before the words, as stored."""

    sections: Mapping[SectionName, str]

    @property
    def stored(self) -> "Context | None":
        """The context as it is kept and sent again, without the tone; None if that is nothing."""
        kept = {name: text for name, text in self.sections.items() if name not in NEVER_STORED}
        return Context(kept) if kept else None

    @property
    def text(self) -> str:
        """The sections as a model reads them."""
        told = [
            f"<{name}>\n{self.sections[name]}\n</{name}>"
            for name in SECTIONS
            if self.sections.get(name)
        ]
        return "\n".join(["<contexto>", *told, "</contexto>"])


def make_context(sections: Mapping[SectionName, str]) -> Context | None:
    """Return the context of these sections, cut to what may be sent; None if they say nothing.

    A section that does not fit loses its last lines.
    """
    kept: dict[SectionName, str] = {}
    room = MOST_CHARACTERS - len("<contexto>\n</contexto>")
    for name in SECTIONS:
        text = without_tags(sections.get(name, "").strip())
        room -= len(f"<{name}>\n\n</{name}>\n")
        if name != "avisos":
            while len(text) > max(0, room):
                text = text.rpartition("\n")[0]
        if text:
            kept[name] = text
            room -= len(text)
    return Context(kept) if kept else None


def without_tags(text: str) -> str:
    """Return a text in which nothing looks like a tag of a context: nobody forges one."""
    return _TAG.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", text)
