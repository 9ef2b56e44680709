"""Pages: HTML, SVG or JSX of a model as a complete document that needs no network.

A document is used unchanged; a fragment is wrapped in the shipped template. Libraries come from the
program: in the window from `/web/NAME`, in an exported file inlined.
"""

# Why it is so: decisions/exported-pages.md

import html
import json
import re
from collections.abc import Mapping
from functools import cache

from qhub_desktop.core import text
from qhub_desktop.core.artifact import ArtifactKind
from qhub_desktop.core.codec import Json
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import gettext as _

WEB = RESOURCES / "web"
LIBRARIES = ("chart.js", "charts.js", "react.js", "react-dom.js", "sucrase.js", "jsx.js")

# Policy of an exported file, as in the window; its frame inherits it, and may load nothing but the
# srcdoc, which is no load. Trusted types lead the markup that scripts make to `framed.js`.
EXPORTED_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; frame-src 'none'; "
    "form-action 'none'; base-uri about:; require-trusted-types-for 'script'; trusted-types default"
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
    # Left out: with the library itself twice on the page, one of them would lose what it was told.
    (re.compile(r"(?i)chartjs-(?:plugin|adapter)-"), ""),
    (
        re.compile(r"(?i)chart(?:\.umd)?(?:\.min)?\.js|/npm/chart\.js|chartjs"),
        "chart.js",
    ),
    (re.compile(r"(?i)react-dom(?:[@/.]|$)"), "react-dom.js"),
    (re.compile(r"(?i)(?:/|^)react(?:[@/.]|$)"), "react.js"),
    (re.compile(r"(?i)@?babel|sucrase"), "sucrase.js"),
)
# Imports of Chart.js in a module, as its file for browsers has no exports.
_CHART_IMPORT = re.compile(
    r"\bimport\s+([\w$\s,{}*]+?)\s+from\s*([\"'])[^\"']*\bchart\.?js\b[^\"']*\2"
)
# Libraries that are not shipped, by a part of their address, and what they are called.
_NAMES = {
    "tailwind": "Tailwind CSS",
    "d3": "D3",
    "plotly": "Plotly",
    "echarts": "ECharts",
    "highcharts": "Highcharts",
    "apexcharts": "ApexCharts",
    "vega": "Vega",
    "mermaid": "Mermaid",
    "bootstrap": "Bootstrap",
    "jquery": "jQuery",
    "three": "three.js",
    "leaflet": "Leaflet",
    "alpine": "Alpine.js",
    "vue": "Vue",
    "recharts": "Recharts",
}
# Fonts and icons: a page reads as well without them, so nobody is told.
_FONTS = re.compile(r"(?i)font|typekit|icon|rsms\.me/inter|lucide|feather")
_EXTERNAL = re.compile(r"(?i)(?:https?:)?//([^?#]+)")
_STYLE_SHEET = re.compile(
    r"(?i)<link\b(?=[^>]*\brel\s*=\s*[\"']?stylesheet)[^>]*\bhref\s*=\s*[\"']?([^\"'\s>]+)"
)
_MODULE_ADDRESS = re.compile(r"(?i)\b(?:from|import)\s*\(?\s*[\"'](https?://[^\"']+)[\"']")
# Where lengths of a page may stand: its style sheets, its scripts, and styles of its elements.
_STYLED = re.compile(
    r"(?is)<(style|script)\b[^>]*>.*?</\1\s*>|\bstyle\s*=\s*(?:\"[^\"]*\"|'[^']*')"
)
_VIEWPORT_HEIGHT = re.compile(r"(?i)(?<![\w.#-])(\d+(?:\.\d+)?|\.\d+)[dls]?vh\b")
_FILLS = re.compile(r"(?i)\b100[dls]?vh\b")
_SVG_ROOT = re.compile(r"(?is)<svg\b[^>]*>")
_SVG_LENGTH = re.compile(r"(?i)\b(width|height)\s*=\s*[\"']?\s*(\d+(?:\.\d+)?)(?:px)?\s*[\"'\s>]")
# In place of Tailwind CSS, which sets the type and the edges of a page.
_PLAIN_STYLE = (
    '<style>:where(body) { font: 15px/1.45 "Segoe UI", system-ui, "Noto Sans", "DejaVu Sans",'
    " sans-serif; } :where(h1, h2, h3, p) { margin: 0 0 12px; }</style>"
)
# A drawing is shown whole, however high its view.
_DRAWING_STYLE = (
    "<style>@media screen { body > svg { display: block; margin: 0 auto;"
    " max-height: calc(100vh - 32px); } }</style>\n"
)
# A drawing in colours of its own is made for white: its text is black where it says nothing.
_ADAPTS = re.compile(r"(?i)currentcolor|var\(--|prefers-color-scheme")
_WHITE_GROUND = "<style>html, body { background: #FFFFFF; color: #1B1D21; }</style>\n"


def build(source: str, *, title: str = "", kind: ArtifactKind = "html") -> str:
    """Return the complete document of a source, with the shipped libraries it needs.

    A document stays unchanged but for the addresses of libraries.
    """
    if kind == "jsx":
        return _wrap(
            f'{_edges(source)}<div id="root"></div>\n<script type="text/jsx">\n'
            f"{_escape_script_end(source)}\n</script>\n"
            f"{_script_tags('jsx.js')}",
            title,
            ("react.js", "react-dom.js", "sucrase.js", *_chart_scripts(source)),
        )
    if kind == "svg":
        ground = "" if _ADAPTS.search(source) else _WHITE_GROUND
        drawing = _SVG_ROOT.sub(_with_view_box, source, count=1)
        return _wrap(f"{_DRAWING_STYLE}{ground}{drawing}", title, ())
    if is_document(source):
        return _add_chart_scripts(_replace_libraries(source))
    found = _BODY.match(source)
    body = _replace_libraries(found[1] if found else source)
    body = _edges(body) + body
    return _wrap(body, title, () if _uses_script(body, "chart.js") else _chart_scripts(body))


def is_document(source: str) -> bool:
    """Return whether the source is a complete HTML document, not a fragment."""
    return _DOCUMENT.match(source) is not None


def for_card(page: str, *, screen_px: int) -> str:
    """Return a page of `build` for a view that becomes as high as the content.

    Lengths in heights of the screen become those of a screen of `screen_px`: the content would
    grow with the view, and the view with the content.
    """

    def fixed(found: re.Match[str]) -> str:
        return f"{float(found[1]) * screen_px / 100:g}px"

    styled = _STYLED.sub(lambda found: _VIEWPORT_HEIGHT.sub(fixed, found[0]), page)
    # Without a document type the body is as high as the view, whatever it holds.
    return styled if "<!doctype" in styled[:2000].lower() else f"<!DOCTYPE html>\n{styled}"


def missing_libraries(source: str) -> tuple[str, ...]:
    """Return the names of libraries that a source asks the network for and that are not shipped."""
    scripts = (found[1] or found[2] or found[3] or "" for found in _SCRIPT.finditer(source))
    sheets = (found[1] for found in _STYLE_SHEET.finditer(source))
    modules = (found[1] for found in _MODULE_ADDRESS.finditer(source))
    names: dict[str, None] = {}
    for address in (*scripts, *sheets, *modules):
        found = _EXTERNAL.match(html.unescape(address))
        if found is None or _FONTS.search(found[1]):
            continue
        if not any(known.search(found[1]) for known, _name in _KNOWN_LIBRARIES):
            names[_library_name(found[1])] = None
    return tuple(names)


def self_contained(page: str, data: Mapping[str, Json] | None = None, *, title: str = "") -> str:
    """Return a page of `build` as one file with libraries and data, which opens without a network.

    Whatever stands in the page, the markup of the file is ours: the page is data in it, sent into a
    sandboxed frame. The policy of the file stops the frame's navigation, too; one within it could
    not.
    """
    content = json.dumps({"bridge": bridge(data or {}), "page": _OWN_SCRIPT.sub(_inlined, page)})
    deprived, framed = (shipped(name) for name in ("deprived.js", "framed.js"))
    whole = _filled(
        "exported.html",
        language=text.language(),
        policy=html.escape(EXPORTED_POLICY),
        title=html.escape(title),
        advice=html.escape(_("Open this file in a browser that may run scripts.")),
        content=content.replace("<", "\\u003c"),
        frame=html.escape(f"<script>{deprived}{framed}</script>"),
    )
    # No encoding that a browser may take it for makes other markup of ASCII.
    return whole.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _inlined(found: re.Match[str]) -> str:
    if found[1] not in LIBRARIES:
        return found[0]  # written by a model, of a file that is not ours
    return f"<script>{_escape_script_end(library(found[1]))}</script>"


def bridge(data: Mapping[str, Json]) -> str:
    """Return JavaScript that defines frozen `qhub.data`, safe inside a script element."""
    # JSON.parse of a string is several times faster than an object literal.
    packed = json.dumps(json.dumps(data, ensure_ascii=False, allow_nan=False))
    return (
        "(()=>{const f=o=>{if(o&&typeof o==='object'){Object.values(o).forEach(f);Object.freeze(o)}"
        "return o};Object.defineProperty(window,'qhub',{value:Object.freeze({data:f(JSON.parse("
        f"{packed.replace('<', chr(92) + 'u003c')}))}})}})}})();"
    )


def library(name: str) -> str:
    """Return the source of one of LIBRARIES. Raises KeyError for any other name."""
    if name not in LIBRARIES:
        raise KeyError(name)
    return shipped(name)


def _wrap(body: str, title: str, libraries: tuple[str, ...]) -> str:
    return _filled(
        "page.html",
        language=text.language(),
        title=html.escape(title),
        style=shipped("page.css"),
        scripts=_script_tags(*libraries),
        body=body,
    )


def _filled(template: str, **parts: str) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], shipped(template))


@cache
def shipped(name: str) -> str:
    """Return a style, a script or a template that pages are made with."""
    return (WEB / name).read_text(encoding="utf-8")


def _edges(source: str) -> str:
    """Return a style for a fragment that fills its screen, and so has edges of its own."""
    return "<style>body { padding: 0; }</style>\n" if _FILLS.search(source) else ""


def _replace_libraries(source: str) -> str:
    return _CHART_IMPORT.sub(_chart_binding, _SCRIPT.sub(_replacement, source))


def _replacement(found: re.Match[str]) -> str:
    address = found[1] or found[2] or found[3] or ""
    for known, name in _KNOWN_LIBRARIES:
        if known.search(address):
            if not name:
                return ""
            return _script_tags(*{"chart.js": ("chart.js", "charts.js")}.get(name, (name,)))
    if "tailwind" in address:
        # Its settings are given to it by a script, which would break off, charts and all.
        return f"<script>window.tailwind = {{}};</script>\n{_PLAIN_STYLE}"
    return found[0]


def _chart_binding(found: re.Match[str]) -> str:
    """Return the constants that an import of Chart.js would have bound."""
    whole, brace, names = found[1].partition("{")
    own = [each.removeprefix("*").strip().removeprefix("as ") for each in whole.split(",")]
    bound = [each.strip() for each in own if each.strip()]
    if brace:
        bound.append("{" + re.sub(r"\s+as\s+", ": ", names))
    return "; ".join(f"const {each} = window.Chart" for each in bound)


def _library_name(address: str) -> str:
    """Return what people call the library of an address without its scheme."""
    words = re.findall(r"[a-z]+\d?", address.lower())
    known = next((name for part, name in _NAMES.items() if part in words), None)
    if known is None:
        known = next((name for part, name in _NAMES.items() if part in address.lower()), None)
    file = address.rstrip("/").rpartition("/")[2]
    return known or re.split(r"(?:\.min)?\.(?:js|mjs|css)$|@", file)[0] or address


def _with_view_box(found: re.Match[str]) -> str:
    """Return an svg tag that can be scaled: without a view box it would be cut off instead."""
    tag = found[0]
    lengths = {name.lower(): length for name, length in _SVG_LENGTH.findall(tag)}
    if "viewbox" in tag.lower() or len(lengths) < len(("width", "height")):
        return tag
    return f'<svg viewBox="0 0 {lengths["width"]} {lengths["height"]}"{tag[4:]}'


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
