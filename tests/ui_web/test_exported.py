"""Exported pages, opened from disk by a browser that knows nothing of this program."""

import json
import os
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

from typing_extensions import override

from qhub_desktop.charts import html_document
from tests.ui_web import break_outs
from tests.ui_web.listener import Listener
from tests.ui_web.test_hostile import played

DATA: dict[str, Any] = {"rows": {"secret": ["plant 7"]}}
# One of each kind; `python -m tests.bench bench_exported_pages` opens all of them in a browser.
CHOSEN = (
    *("comment_head", "comment_closed", "head_twice", "title_open", "cdata", "early_frame", "link"),
    *("meta_refresh", "location", "location_top", "window_top", "form", "write", "link_hint"),
    *("frame_source", "frame_peer", "frame_space", "frame_tampered", "hint_markup", "titled_end"),
)
HONEST = """<h1>Turnos</h1><a id="go" href="#end">fim</a><iframe id="map" src="https://x/"></iframe>
<div style="height: 3000px"><canvas id="c"></canvas></div><p id="end">fim</p><script>
const chart = new Chart(c, {type: "bar", data: {labels: ["a"], datasets: [{data: [3]}]}});
document.body.insertAdjacentHTML("beforeend", "<b id=late>" + qhub.data.rows.secret[0] + "</b>");
addEventListener("load", () => setTimeout(() => {
  go.click();
  const drawn = () => ["it drew", chart.width > 100, late.textContent, scrollY > 1000];
  setTimeout(() => console.log(drawn()), 200);
}, 200));
</script>"""


def exported(tmp_path: Path, server: Listener) -> dict[str, str]:
    """The chosen pages as files, by name."""
    sources = {name: (page, "t") for name, page in break_outs.pages().items()}
    sources |= {
        name: ("<p>x</p><script>fetch('http://SERVER/')</script>", title)
        for name, title in break_outs.titles().items()
    }
    sources["honest"] = (HONEST, "Turnos & <b>")
    paths = {}
    for name in (*CHOSEN, "honest"):
        page, title = map(server.aimed, sources[name])
        whole = html_document.self_contained(
            html_document.build(page, title=title), DATA, title=title
        )
        path = tmp_path / f"{name}.html"
        path.write_text(whole, encoding="utf-8", errors="replace", newline="\n")
        paths[name] = str(path)
    return paths


def test_a_browser_sends_nothing_of_an_exported_page(tmp_path: Path, home: Path) -> None:
    with Listener() as server:
        paths = exported(tmp_path, server)
        told = played("tests.ui_web.open_exported", paths)
        heard = server.heard

    assert heard == []
    said = {name: cast("list[str]", each["said"]) for name, each in told.items()}
    silent = [name for name in CHOSEN if "Content Security Policy" not in str(said[name])]
    assert silent == []  # each of them has tried
    assert {name: told[name]["address"] for name in paths} == {
        name: path.replace(os.sep, "/") for name, path in paths.items()
    }
    assert "it drew,true,plant 7,true" in said["honest"]
    assert told["honest"]["title"] == "Turnos & <b>"


class _Markup(HTMLParser):
    """The elements of a file and their words, but the data in it."""

    def __init__(self, whole: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.data = ""
        self._is_data = False
        self.feed(whole)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_data = ("id", "content") in attrs
        self.found.append((tag, attrs))

    @override
    def handle_data(self, data: str) -> None:
        if self._is_data:
            self.data += data
            self._is_data = False
        else:
            self.found.append(data)


def test_whatever_a_page_holds_the_file_around_it_is_ours() -> None:
    def markup(page: str, title: str) -> _Markup:
        built = html_document.build(page, title=title)
        whole = html_document.self_contained(built, DATA, title=title)
        assert whole.index("Content-Security-Policy") < whole.index("<title")
        return _Markup(whole)

    pages = {name: (page, f"title of {name}") for name, page in break_outs.pages().items()}
    pages |= {name: ("<p>x", title) for name, title in break_outs.titles().items()}
    for name, (page, title) in pages.items():
        plain, found = markup("<p>x", "other title"), markup(page, title)

        said = repr(plain.found).replace(repr("other title"), repr(title))
        assert repr(found.found) == said, name
        assert found.data.isascii(), name
        assert "<" not in found.data, name
        if name in break_outs.pages():
            assert page in json.loads(found.data)["page"], name
