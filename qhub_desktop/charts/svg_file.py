"""Drawings of a model as files: SVG that runs nothing and loads nothing, wherever it is opened.

A browser opens a drawing as a page, under no policy at all: none can stand in one. So a file keeps
only what is known to draw.
"""

import html
import re
from xml.etree import ElementTree as ET

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

_SVG = "http://www.w3.org/2000/svg"
_XHTML = "http://www.w3.org/1999/xhtml"
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"
_ELEMENTS = {
    _SVG: re.compile(
        """svg|g|a|defs|symbol|use|switch|title|desc|style|foreignObject
        |path|circle|ellipse|rect|line|polyline|polygon|image|text|tspan|textPath
        |linearGradient|radialGradient|stop|pattern|clipPath|mask|marker
        |filter|fe(?!Image)[A-Z]\\w+|animate|animateTransform|animateMotion|mpath|set""",
        re.VERBOSE,
    ),
    _XHTML: re.compile(
        "body|div|span|p|br|h[1-6]|b|i|u|strong|em|small|su[bp]|ul|ol|li|pre|code"
        "|table|thead|tbody|tr|t[hd]"
    ),
}
# What leads elsewhere or runs; the others only say how something is drawn.
_LEADS = re.compile(
    r"on.*|href|src.*|base|data|action|ping|target|download|formaction", re.IGNORECASE
)
_INSIDE = re.compile(r"\s*#|\s*data:image/(?:png|jpeg|gif|webp);base64,", re.IGNORECASE)
# Of styles, whatever may hold an address but that of a part of the drawing or of data. An escape
# may spell any word.
_ADDRESS = re.compile(
    r"\\|@import|(?:image(?:-set)?|src|cross-fade)\s*\(|url\s*\((?!\s*[\"']?\s*(?:#|data:))"
    r"|(?:java|vb)script:",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\w+);)\w+;")
_ROOT = re.compile(r"<svg(?=[\s/>])")
_DEEPEST = 200  # elements inside each other


@dataclass(frozen=True, slots=True)
class InertDrawing:
    """Drawing to be written to a file; one that is not whole lacks what would run or load."""

    content: bytes
    is_whole: bool


def inert_drawing(source: str) -> InertDrawing:
    """Return a drawing without what runs or loads something.

    Raises UserError for one that is no XML, which no other program could open.
    """
    for prefix, space in (("xmlns:xlink", _XLINK), ("xmlns", _SVG)):  # HTML needs neither
        if not re.search(rf"<svg\b[^>]*\s{prefix}\s*=", source):
            source = _ROOT.sub(f'<svg {prefix}="{space}"', source, count=1)
    named = _ENTITY.sub(lambda found: html.escape(html.unescape(found[0])), source)  # of HTML
    copier = _Copier()
    try:
        # Expat fetches nothing, and no entity reaches it but those of XML.
        made = copier.copy(ET.fromstring(named), 0)  # noqa: S314
    except ET.ParseError as error:
        raise UserError(
            _(
                "Other programs could not open this drawing: it is no valid SVG ({reason}). Save it"
                " as PNG or HTML."
            ).format(reason=error)
        ) from error
    if made is None:  # it begins with something else
        made = ET.Element("svg")
    made.set("xmlns", _SVG)
    made.set("xmlns:xlink", _XLINK)
    return InertDrawing(ET.tostring(made), copier.is_whole)


class _Copier:
    """Copies what is known of a drawing, and notes whether something was left out."""

    def __init__(self) -> None:
        self.is_whole = True

    def copy(self, element: ET.Element, depth: int) -> ET.Element | None:
        """Return a copy of an element, or nothing where it is not known."""
        space, name = _split(element.tag)
        known = _ELEMENTS.get(space)
        animated = element.get("attributeName", "").rpartition(":")[2].strip()
        is_kept = known is not None and known.fullmatch(name) and not _LEADS.fullmatch(animated)
        if name == "style":
            is_kept = is_kept and len(element) == 0 and not _ADDRESS.search(element.text or "")
        if not is_kept or depth > _DEEPEST:
            self.is_whole = False
            return None
        # A link leads nowhere, and its parts are drawn.
        made = ET.Element("g" if name == "a" else name)
        if space == _XHTML:
            made.set("xmlns", _XHTML)
        made.text = element.text
        for attribute, value in element.attrib.items():
            self._set(made, attribute, value)
        last = None
        for part in element:
            kept = self.copy(part, depth + 1)
            if kept is not None:
                kept.tail = part.tail
                made.append(kept)
                last = kept
            elif last is not None:
                last.tail = (last.tail or "") + (part.tail or "")
            else:
                made.text = (made.text or "") + (part.tail or "")
        return made

    def _set(self, made: ET.Element, attribute: str, value: str) -> None:
        space, name = _split(attribute)
        is_kept = _ADDRESS.search(value) is None and space in ("", _XLINK, _XML)
        if _LEADS.fullmatch(name):
            is_kept &= name == "href" and _INSIDE.match(value) is not None
        if not is_kept:
            self.is_whole = False
            return
        prefix = {_XLINK: "xlink:", _XML: "xml:"}.get(space, "")
        made.set(f"{prefix}{name}", value)


def _split(name: str) -> tuple[str, str]:
    """Return the namespace and the name in it, of a name as ElementTree has it."""
    space, _brace, local = name.removeprefix("{").rpartition("}")
    return space, local
