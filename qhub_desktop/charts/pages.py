"""Pages: HTML, SVG or JSX of a model as a complete document that needs no network.

A document is used unchanged; a fragment is wrapped in the shipped template. Libraries come from the
program: in the window from `/web/NAME`, in an exported file inlined.
"""

import html
import json
import re
from collections.abc import Mapping
from functools import cache

from qhub_desktop.core import text
from qhub_desktop.core.artifact import ArtifactKind
from qhub_desktop.core.codec import Json
from qhub_desktop.core.paths import RESOURCES

WEB = RESOURCES / "web"
LIBRARIES = ("chart.js", "charts.js", "react.js", "react-dom.js", "sucrase.js", "jsx.js")

# Policy of an exported file: the same restrictions as in the window.
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
# Library addresses that models write from memory, and the shipped file for each.
_KNOWN_LIBRARIES = (
    (
        re.compile(r"(?i)chart(?:\.umd)?(?:\.min)?\.js|/npm/chart\.js|chartjs"),
        "chart.js",
    ),
    (re.compile(r"(?i)react-dom(?:[@/.]|$)"), "react-dom.js"),
    (re.compile(r"(?i)(?:/|^)react(?:[@/.]|$)"), "react.js"),
    (re.compile(r"(?i)@?babel|sucrase"), "sucrase.js"),
)


def document(source: str, *, title: str = "", kind: ArtifactKind = "html") -> str:
    """Return the complete document of a source, with the shipped libraries it needs.

    A document stays unchanged but for the addresses of libraries that the program ships.
    """
    if kind == "jsx":
        return _wrap(
            '<div id="root"></div>\n<script type="text/jsx">\n'
            f"{_escape_script_end(source)}\n</script>\n"
            f"{_script_tags('jsx.js')}",
            title,
            ("react.js", "react-dom.js", "sucrase.js", *_chart_scripts(source)),
        )
    if kind == "html" and is_document(source):
        return _add_chart_scripts(_replace_libraries(source))
    found = _BODY.match(source)
    body = _replace_libraries(found[1] if found else source)
    return _wrap(body, title, () if _uses_script(body, "chart.js") else _chart_scripts(body))


def is_document(source: str) -> bool:
    """Return whether the source is a complete HTML document, not a fragment."""
    return _DOCUMENT.match(source) is not None


def self_contained(page: str, data: Mapping[str, Json] | None = None) -> str:
    """Return a page of `document` as one file with libraries and data inlined.

    It opens without a network, under a policy as strict as in the window.
    """
    policy = html.escape(EXPORTED_POLICY)
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<script>{bridge(data or {})}</script>"
    )
    inlined = _OWN_SCRIPT.sub(
        lambda found: f"<script>{_escape_script_end(library(found[1]))}</script>", page
    )
    return _insert_in_head(inlined, head)


def bridge(data: Mapping[str, Json]) -> str:
    """Return JavaScript that defines frozen `qhub.data`, safe inside a script element."""
    # JSON.parse of a string is several times faster than an object literal.
    packed = json.dumps(json.dumps(data, ensure_ascii=False, allow_nan=False))
    return (
        "(()=>{const f=o=>{if(o&&typeof o==='object'){Object.values(o).forEach(f);Object.freeze(o)}"
        "return o};Object.defineProperty(window,'qhub',{value:Object.freeze({data:f(JSON.parse("
        f"{packed.replace('<', chr(92) + 'u003c')}))}})}})}})();"
    )


@cache
def library(name: str) -> str:
    """Return the source of one of LIBRARIES. Raises KeyError for any other name."""
    if name not in LIBRARIES:
        raise KeyError(name)
    return (WEB / name).read_text(encoding="utf-8")


def _wrap(body: str, title: str, libraries: tuple[str, ...]) -> str:
    parts = {
        "language": text.language(),
        "title": html.escape(title),
        "style": (WEB / "page.css").read_text(encoding="utf-8"),
        "scripts": _script_tags(*libraries),
        "body": body,
    }
    template = (WEB / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


def _replace_libraries(source: str) -> str:
    return _SCRIPT.sub(_replacement, source)


def _replacement(found: re.Match[str]) -> str:
    address = found[1] or found[2] or found[3] or ""
    for known, name in _KNOWN_LIBRARIES:
        if known.search(address):
            return _script_tags(*{"chart.js": ("chart.js", "charts.js")}.get(name, (name,)))
    return found[0]


def _add_chart_scripts(page: str) -> str:
    if _uses_script(page, "sucrase.js"):  # for Babel, which finds its scripts by itself
        page = _insert_before_end(page, _script_tags("jsx.js"))
    if _uses_script(page, "chart.js"):
        return page
    return _insert_in_head(page, _script_tags(*_chart_scripts(page)))


def _chart_scripts(source: str) -> tuple[str, ...]:
    return ("chart.js", "charts.js") if _USES_CHARTS.search(source) else ()


def _uses_script(page: str, name: str) -> bool:
    return _script_tags(name).strip() in page


def _script_tags(*names: str) -> str:
    return "".join(f'<script src="/web/{name}"></script>\n' for name in names)


def _insert_in_head(page: str, more: str) -> str:
    place = max((found.end() for found in _HEAD.finditer(page[:100_000])), default=0)
    return page[:place] + more + page[place:]


def _insert_before_end(page: str, more: str) -> str:
    place = page.lower().rfind("</body")
    return page + more if place < 0 else page[:place] + more + page[place:]


def _escape_script_end(script: str) -> str:
    return re.sub(r"</(script)", r"<\\/\1", script, flags=re.IGNORECASE)
