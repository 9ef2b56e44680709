"""Pages: what a model has written, made into a whole document that needs no network.

A document is used as it is; a fragment is wrapped in the shipped template. Libraries come from the
program itself: in the window from `/web/NAME` beside the page, in an exported file from within it.
"""

import html
import json
import re
from collections.abc import Mapping
from functools import cache

from qhub_desktop.core import text
from qhub_desktop.core.artifact import Kind
from qhub_desktop.core.json_values import Json
from qhub_desktop.core.paths import RESOURCES

WEB = RESOURCES / "web"
LIBRARIES = ("chart.js", "charts.js", "react.js", "react-dom.js", "sucrase.js", "jsx.js")

# What an exported file may do where nobody guards it: the same as in the window.
EXPORTED_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; form-action 'none'; "
    "base-uri 'none'"
)

_DOCUMENT = re.compile(
    r"\s*(?:<!--.*?-->\s*)*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_BODY = re.compile(r"(?is)\s*<body\b[^>]*>(.*?)(?:</body\s*>\s*)?\Z")
_SCRIPT = re.compile(
    r"<script\b[^>]*?\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))[^>]*>\s*</script\s*>",
    re.IGNORECASE,
)
_OWN_SCRIPT = re.compile(r'<script src="/web/([a-z.-]+)"></script>')
_HEAD = re.compile(r"(?i)<head\b[^>]*>|<html\b[^>]*>|<!doctype\b[^>]*>")
_USES_CHARTS = re.compile(r"\bChart\s*[(.]|['\"]chart\.js")
# What models write from memory, and what it stands for here.
_KNOWN = (
    (
        re.compile(r"(?i)chart(?:\.umd)?(?:\.min)?\.js|/npm/chart\.js|chartjs"),
        "chart.js",
    ),
    (re.compile(r"(?i)react-dom(?:[@/.]|$)"), "react-dom.js"),
    (re.compile(r"(?i)(?:/|^)react(?:[@/.]|$)"), "react.js"),
    (re.compile(r"(?i)@?babel|sucrase"), "sucrase.js"),
)


def document(source: str, *, title: str = "", kind: Kind = "html") -> str:
    """The whole document for what was written, with the program's own libraries in it.

    A document stays as it is, but for addresses of libraries that the program has itself.
    """
    if kind == "jsx":
        return _wrapped(
            f'<div id="root"></div>\n<script type="text/jsx">\n{_unclosed(source)}\n</script>\n'
            f"{_scripts('jsx.js')}",
            title,
            ("react.js", "react-dom.js", "sucrase.js", *_charts(source)),
        )
    if kind == "html" and is_document(source):
        return _with_charts(_with_own_libraries(source))
    found = _BODY.match(source)
    body = _with_own_libraries(found[1] if found else source)
    return _wrapped(body, title, () if _names(body, "chart.js") else _charts(body))


def is_document(source: str) -> bool:
    """Whether this is a whole document already, not a fragment of one."""
    return _DOCUMENT.match(source) is not None


def self_contained(page: str, data: Mapping[str, Json] | None = None) -> str:
    """A document as one file that opens anywhere without a network, its data within.

    `page` is what `document` gave. It may reach out no more than it may in the window.
    """
    policy = html.escape(EXPORTED_POLICY)
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<script>{bridge(data or {})}</script>"
    )
    inlined = _OWN_SCRIPT.sub(lambda found: f"<script>{_closed(library(found[1]))}</script>", page)
    return _in_head(inlined, head)


def bridge(data: Mapping[str, Json]) -> str:
    """JavaScript that gives a page its data as `qhub.data`, frozen; fit for a script element."""
    # JSON in a string is read several times faster than a literal of objects.
    packed = json.dumps(json.dumps(data, ensure_ascii=False, allow_nan=False))
    return (
        "(()=>{const f=o=>{if(o&&typeof o==='object'){Object.values(o).forEach(f);Object.freeze(o)}"
        "return o};Object.defineProperty(window,'qhub',{value:Object.freeze({data:f(JSON.parse("
        f"{packed.replace('<', chr(92) + 'u003c')}))}})}})}})();"
    )


@cache
def library(name: str) -> str:
    """One of LIBRARIES, as it ships. Raises KeyError for any other name."""
    if name not in LIBRARIES:
        raise KeyError(name)
    return (WEB / name).read_text(encoding="utf-8")


def _wrapped(body: str, title: str, libraries: tuple[str, ...]) -> str:
    parts = {
        "language": text.language(),
        "title": html.escape(title),
        "style": (WEB / "page.css").read_text(encoding="utf-8"),
        "scripts": _scripts(*libraries),
        "body": body,
    }
    template = (WEB / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


def _with_own_libraries(source: str) -> str:
    return _SCRIPT.sub(_own_library, source)


def _own_library(found: re.Match[str]) -> str:
    address = found[1] or found[2] or found[3] or ""
    for known, name in _KNOWN:
        if known.search(address):
            return _scripts(*{"chart.js": ("chart.js", "charts.js")}.get(name, (name,)))
    return found[0]


def _with_charts(page: str) -> str:
    if _names(page, "sucrase.js"):  # written for Babel, which looks for its scripts by itself
        page = _before_the_end(page, _scripts("jsx.js"))
    if _names(page, "chart.js"):
        return page
    return _in_head(page, _scripts(*_charts(page)))


def _charts(source: str) -> tuple[str, ...]:
    return ("chart.js", "charts.js") if _USES_CHARTS.search(source) else ()


def _names(page: str, name: str) -> bool:
    return _scripts(name).strip() in page


def _scripts(*names: str) -> str:
    return "".join(f'<script src="/web/{name}"></script>\n' for name in names)


def _in_head(page: str, more: str) -> str:
    place = max((found.end() for found in _HEAD.finditer(page[:100_000])), default=0)
    return page[:place] + more + page[place:]


def _before_the_end(page: str, more: str) -> str:
    place = page.lower().rfind("</body")
    return page + more if place < 0 else page[:place] + more + page[place:]


def _closed(script: str) -> str:
    return re.sub(r"</(script)", r"<\\/\1", script, flags=re.IGNORECASE)


def _unclosed(source: str) -> str:
    """JSX that cannot end the element it stands in: only a text could hold such a tag."""
    return re.sub(r"</(script)", r"<\\/\1", source, flags=re.IGNORECASE)
