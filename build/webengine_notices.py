"""Makes the notices of what Qt WebEngine is made of, from the documentation of a release of Qt.

    python build/webengine_notices.py FOLDER COPYRIGHT

FOLDER is the documentation of Qt WebEngine, as HTML: Qt's tools list there what of Chromium's
sources goes into the library, with the licence of each part. COPYRIGHT is what a distribution has
found in all sources of that release. Both are in a distribution's packages (Debian:
qt6-webengine-doc-html); Qt's own wheels have neither. Run it again when Qt's version changes.
"""

import html
import re
import shutil
import sys
from pathlib import Path
from typing import NoReturn

TEXTS = Path(__file__).parent / "licences"
NOTICES = TEXTS / "qt-webengine-notices.html"
COPYRIGHT = TEXTS / "qt-webengine-copyright.txt"
LIST = "qtwebengine-licensing.html"
ROW = re.compile(r'<p><a href="([^"]+)">(.+?)</a></p></td><td class="tblDescr"><p>(.*?)</p>')
RELEASE = re.compile(r"Qt (\d+\.\d+\.\d+) Reference Documentation")
BODY = re.compile(r'<div class="descr"[^>]*>(.*?)<!-- @@@', re.DOTALL)
BLOCK = re.compile(r"<(p|pre|h[23]|li)\b[^>]*>(.*?)</\1>", re.DOTALL)
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Qt WebEngine {release}: licences of its parts</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }}
pre {{ white-space: pre-wrap }}
</style>
<h1>Qt WebEngine {release}: licences of its parts</h1>
<p>{count} parts of Chromium, as the documentation of Qt WebEngine {release} lists them.</p>
<ul>
{links}</ul>
{sections}</html>
"""


def main() -> int:
    """Write both files, and say what is in them."""
    if len(sys.argv) != 3:
        _give_up(__doc__.strip())
    folder, copyright_file = map(Path, sys.argv[1:])
    listed = (folder / LIST).read_text(encoding="utf-8")
    release = RELEASE.search(listed)
    rows = ROW.findall(listed)
    if release is None or not rows:
        _give_up(f"{LIST} is not what was expected.")
    links, sections = [], []
    for place, (link, name, licence) in enumerate(rows):
        text = _text_of((folder / link).read_text(encoding="utf-8"))
        if "<pre>" not in text:
            _give_up(f"{link} has no licence.")
        title = html.escape(_plain(name))
        links.append(f'<li><a href="#p{place}">{title}</a>: {html.escape(_plain(licence))}\n')
        sections.append(f'<h2 id="p{place}">{title}</h2>\n{text}')
    page = PAGE.format(
        release=release[1], count=len(rows), links="".join(links), sections="".join(sections)
    )
    NOTICES.write_text(page, encoding="utf-8", newline="\n")
    shutil.copyfile(copyright_file, COPYRIGHT)
    print(f"{len(rows)} parts of Qt WebEngine {release[1]}.")
    return 0


def _text_of(page: str) -> str:
    """Return the paragraphs and licences of one part's page."""
    body = BODY.search(page)
    found = BLOCK.findall(body[1]) if body else []
    kept = ((("pre" if tag == "pre" else "p"), _plain(text).rstrip()) for tag, text in found)
    return "".join(f"<{tag}>{html.escape(text)}</{tag}>\n" for tag, text in kept if text)


def _plain(markup: str) -> str:
    # Their texts are escaped twice; a link says where it leads.
    linked = re.sub(r'<a href="(https?:[^"]+)"[^>]*>(.*?)</a>', r"\2: \1", markup, flags=re.DOTALL)
    return html.unescape(html.unescape(re.sub(r"<[^>]+>", "", linked)))


def _give_up(sentence: str) -> NoReturn:
    sys.exit(sentence)


if __name__ == "__main__":
    sys.exit(main())
