"""Printer of pages, and what stands on each sheet: station, logo, title, page numbers."""

import asyncio
import base64
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from qhub_desktop.charts import html_document
from qhub_desktop.core.codec import JsonObject, pack
from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.processes.child import Child
from qhub_desktop.core.processes.supervisor import ChildRunner
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import map_texts, one_line, visible
from qhub_desktop.core.untrusted_files import read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.widget_pages import PageDocument

PATIENCE_S = 60.0
MOST_LOGO_BYTES = 1_000_000
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_SVG = re.compile(
    rb"\s*(?:<(?:\?xml|!--|!doctype svg)[^>]*>\s*)*<(?:svg:)?svg[\s/>]", re.IGNORECASE
)
_LONGEST = 120  # of a title at the foot of a page, in characters


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Head of every printed page: the station's name, and its logo as an address of data."""

    station: str = ""
    logo: str = ""


def read_letterhead(settings: Settings) -> Letterhead:
    """Read the head of pages that the settings name.

    Raises UserError if the logo is no picture that can be printed.
    """
    if not settings.logo:
        return Letterhead(settings.station)
    path = Path(settings.logo)
    try:
        content = read_regular(path, most_bytes=MOST_LOGO_BYTES)
        kind = _picture_kind(content)
    except (OSError, ValueError) as error:
        raise UserError(
            _(
                "The logo {name} cannot be used: {reason}. Choose another one in Settings, under"
                " General, or leave the field empty."
            ).format(name=path.name or str(path), reason=reason_of(error).rstrip("."))
        ) from error
    packed = base64.b64encode(content).decode("ascii")
    return Letterhead(settings.station, f"data:image/{kind};base64,{packed}")


def _picture_kind(content: bytes) -> str:
    if content.startswith(_PNG):
        return "png"
    if content.startswith(_JPEG):
        return "jpeg"
    if _SVG.match(content.removeprefix(b"\xef\xbb\xbf")):
        return "svg+xml"
    raise ValueError(_("it is no picture in PNG, JPEG or SVG"))


def on_paper(page: PageDocument, head: Letterhead) -> PageDocument:
    """Return a page as it is printed: under its head, with its title and the pages counted."""
    return replace(page, document=f"{page.document}\n{_paper_style(page, head)}")


def _paper_style(page: PageDocument, head: Letterhead) -> str:
    counted = _("Page {page} of {pages}").format(page="\0", pages="\1")
    before, between, after = map(_css_text, re.split("[\0\1]", counted))
    station = _css_text(one_line(head.station))
    has_head = bool(head.station or head.logo)
    width_mm, top_mm, side_mm = _SHEETS[page.sheet]
    return _filled_style(
        size=f"A4 {page.sheet}",
        top=f"{top_mm if has_head else side_mm}mm",
        side=f"{side_mm}mm",
        width=f"{width_mm - 2 * side_mm}mm",
        logo=f'url("{head.logo}")' if head.logo else "none",
        left="" if head.logo else station,
        right=station if head.logo else "",
        line="1px solid #E2E5EA" if has_head else "none",
        title=_css_text(one_line(page.title, most=_LONGEST)),
        foot=_css_text(one_line(page.foot, most=2 * _LONGEST)),
        counted=f'"{before}" counter(page) "{between}" counter(pages) "{after}"',
    )


_SHEETS = {"portrait": (210, 28, 15), "landscape": (297, 26, 12)}  # width, top, sides: in mm


def _filled_style(**parts: str) -> str:
    style = re.sub(
        r"\{\{(\w+)\}\}", lambda found: parts[found[1]], html_document.shipped("paper.css")
    )
    return f"<style>{style}</style>"


def _css_text(text: str) -> str:
    """Return what stands for a text between the quotes of a style, whatever it holds."""
    return "".join(
        each if each.isalnum() or each == " " else f"\\{ord(each):x} " for each in visible(text)
    )


class Printer(Protocol):
    """Printer of an untrusted page to an image or a PDF."""

    async def __call__(self, page: PageDocument, target: Path) -> None:
        """Render `page` in isolation, and write it to `target` in the format of its suffix.

        Raises UserError if that fails.
        """
        ...


class PagePrinter:
    """Printer in a separate process for each page, so that no page can block this one.

    `settings` returns those of the moment, which name the head of every page on paper.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._children = ChildRunner(
            lambda: Child("print", memory_mb=None, environment="pages"), limit_s=PATIENCE_S
        )

    async def __call__(self, page: PageDocument, target: Path) -> None:
        """Write the page to `target`, in the format of its suffix.

        Raises UserError if that fails.
        """
        if target.suffix.lower() == ".pdf":
            page = on_paper(page, await asyncio.to_thread(read_letterhead, self._settings()))
        failure = _("The page could not be drawn. Save it as .html or .xlsx.")
        request: JsonObject = {
            "title": page.title,
            "document": page.document,
            "data": dict(page.data),
            "target": str(target),
            "drawings": map_texts(pack(page.drawings), visible),
        }
        is_drawn = await self._children.run(
            request,
            failure=failure,
            out_of_memory=_(
                "The page could not be drawn: it needs more memory than there is. Save it as .html"
                " or .xlsx."
            ),
            out_of_time=_(
                "The page could not be drawn: it does not come to an end. Save it as .html or"
                " .xlsx."
            ),
        )
        if not is_drawn:
            raise UserError(failure)
