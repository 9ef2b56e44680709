"""`qhub-desktop --self-test`: proves on this very computer that each part of the program works.

Everything is done as a person would have it done, off screen and in a folder that is removed
afterwards; the person's own data are not touched. The packaged program is proven by it, since
what was left out is only missed when it is used.
"""

from __future__ import annotations  # the program is made by who calls

import argparse
import asyncio
import csv
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from qhub_desktop.chat.claude import credentials
from qhub_desktop.core.dashboard import DashboardSpec, NamedQuery, PinnedCard
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import NO_CONVERSATION
from qhub_desktop.core.message import Text
from qhub_desktop.core.packs import PACKS
from qhub_desktop.core.paths import DEMO_DATA, hold_folder, is_left_over, policy_files
from qhub_desktop.core.result_widgets import Chart, Study, TableView
from qhub_desktop.core.secret_file import SecretFile
from qhub_desktop.core.settings import Policy, read_policy
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.embedding import Embedder
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.gui_thread import GcGuard
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.web.locked_view import LockedView
from qhub_desktop.updates import read_release

if TYPE_CHECKING:
    from qhub_desktop.app import Program

    MakeProgram = Callable[..., Program]

FOLDER = "qhub-self-test-"
LIMIT_S = 90.0  # of one check: the first page of a busy plant PC takes long
# An offer as `build/sign_update.py` makes it, and the public half of a key that is gone.
TRIAL_KEY = "453bcaa498993d307f72b32a0d00b16c51a537c521d76674bd9d0d3ababf6438"
TRIAL_OFFER = {
    "manifest": (
        '{"format": 1, "product": "qhub-desktop", "system": "windows-x64", "version": "1.0.0",'
        ' "file": "QHub-Desktop-1.0.0-setup.exe", "size": 2,'
        ' "sha256": "9b8db510ef42b8ed54a3712636fda55a4f8cfcd5493e20b74ab00cd4f3979f2d",'
        ' "notes": ""}'
    ),
    "signature": (
        "0714eaba14cfe3f105998437d1ff94f67e90deffeb21b4cd56a58fcc2027eb34"
        "e4c175f0a0b9efe90cba5a60e6d75d7f0752e56a5b785eb3a146857515bb9b01"
    ),
}
TRIAL_SERVICE = credentials.Endpoint("http://localhost:1", "self-test", "settings")


class FailedError(Exception):
    """Something works, and does the wrong thing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one check; `note` says why it failed, or what could not be tried here."""

    name: str
    ok: bool
    ms: int
    note: str = ""


@dataclass(slots=True)
class Bench:
    """The running program that is checked, and what earlier checks have left for later ones."""

    program: Program
    window: MainWindow
    folder: Path
    service: str  # the address of a service that speaks the Messages format; "" for none
    imported: dict[str, DatasetProfile] = field(default_factory=dict)
    dashboard: str = ""

    async def answer(self, question: str) -> str:
        """Ask in the window's conversation, and return the text of the answer when it is whole."""
        page = self.window.frame.centre.page
        ended = asyncio.Event()
        page.running_changed.connect(lambda _id, is_running: None if is_running else ended.set())
        page.ask(question)
        await ended.wait()
        conversation = self.window.frame.centre.conversation
        _expect(conversation is not None, "no conversation was stored")
        assert conversation is not None
        (stored,) = await self.program.store.messages.latest(conversation.id, limit=1)
        return "".join(block.text for block in stored.blocks if isinstance(block, Text))

    async def load(self, name: str) -> None:
        """Import a file of the demo data, and keep its profile."""
        (profile,) = await self.program.workspace.load(DEMO_DATA / name)
        _expect(profile.rows == demo_rows(), f"{profile.rows} rows of {demo_rows()}")
        self.imported[name] = profile


Check = Callable[[Bench], Awaitable[str | None]]


async def _policy(bench: Bench) -> str:  # noqa: ARG001  as all checks
    """An administrator's policy can be used."""
    policy = read_policy(policy_files())
    _expect(not policy.problems, " ".join(policy.problems))
    return f"{len(policy.fixed)} settings are fixed"


async def _window(bench: Bench) -> None:
    """The window is painted and filled."""
    await bench.window.open()
    picture = bench.window.grab().toImage()
    colours = {
        picture.pixel(x, y)
        for x in range(0, picture.width(), 8)
        for y in range(0, picture.height(), 8)
    }
    _expect(len(colours) > 2, "the window is blank")


async def _question(bench: Bench) -> None:
    """The offline engine counts the demo data."""
    told = await bench.answer("quantos defeitos há?")
    _expect(str(demo_rows()) in told, told)


async def _chart(bench: Bench) -> None:
    """A chart is drawn under an answer."""
    await bench.answer("mostra os defeitos por tipo num gráfico de barras")
    view = bench.window.frame.centre.page.view
    cards = view.last_answer.cards if view and view.last_answer else []
    drawn = [
        card for card in cards if isinstance(card, WidgetCard) and isinstance(card.widget, Chart)
    ]
    _expect(bool(drawn), "no chart was shown")
    _expect(not drawn[0].grab().isNull(), "the chart was not painted")


async def _import_xlsx(bench: Bench) -> None:
    await bench.load("defeitos.xlsx")


async def _import_csv(bench: Bench) -> None:
    await bench.load("defeitos.csv")


async def _sql(bench: Bench) -> None:
    """The query process reads an imported file."""
    profile = bench.imported["defeitos.csv"]
    answer = await bench.program.workspace.query(
        "SELECT count(*) AS n FROM t", {"t": profile.id}, limit=1
    )
    _expect(answer.table.rows == ((demo_rows(),),), str(answer.table.rows))


async def _study(bench: Bench) -> None:
    """A control chart of an imported file is computed, which loads SciPy, and is a study."""
    context = ToolContext(NO_CONVERSATION, (bench.imported["defeitos.csv"],))
    chart = bench.program.tools["carta_controlo"].prepare({"tipo": "c", "periodo": "dia"})
    shown = (await chart(context)).widget
    _expect(isinstance(shown, Study) and bool(shown.panels), "no study was made")


async def _python(bench: Bench) -> str:
    """Code runs locked away, over an imported file; the note says which walls stand around it."""
    profile = bench.imported["defeitos.csv"]
    tools = bench.program.python_tools
    if (why := await tools.missing()) is not None:
        return why  # a pack that is added where it is wanted: nothing has failed
    run = await tools.compute(f"print(len({profile.dataset}))", (profile,))
    _expect(run.output == f"{demo_rows()}\n", run.error or run.output)
    refused = await tools.compute("import os\nopen(os.sep + 'a', 'w')", ())
    _expect(refused.error is not None, "a file was written")
    missing = [f"not active: {', '.join(tools.missing_walls)}"] if tools.missing_walls else []
    return "; ".join([", ".join(tools.walls), *missing])


async def _local_model(bench: Bench) -> None:  # noqa: ARG001  as all checks
    """The engine of local models is there."""
    _expect(find_spec("xllamacpp") is not None, "the engine is not in the program")


async def _scans(bench: Bench) -> str | None:
    """A picture of a text is read, by the engine of the pack where the program has one."""
    documents = bench.program.documents
    if (why := await documents.ocr_missing()) is not None:
        return why  # a pack that is added where it is wanted: nothing has failed
    await documents.try_ocr()
    return None


async def _versions(bench: Bench) -> None:
    """Two files of the same rows are found to be the same."""
    old, new = (bench.imported[name] for name in ("defeitos.csv", "defeitos.xlsx"))
    changes = await bench.program.workspace.compare(old.id, new.id)
    _expect(changes.rows_same == demo_rows(), f"{changes.rows_same} rows are the same")


async def _dashboard(bench: Bench) -> None:
    """A dashboard is refreshed and its page drawn by the web engine."""
    program = bench.program
    conversation = await program.store.conversations.create(next(iter(program.agents)))
    profile = bench.imported["defeitos.csv"]
    await program.store.datasets.pin(conversation.id, profile.id, profile.dataset)
    query = NamedQuery(
        "linhas", f'SELECT count(*) AS linhas FROM "{profile.dataset}"', conversation.id
    )
    table = (await program.workspace.query("SELECT 0 AS linhas", {}, limit=1)).table
    card = PinnedCard("a1", "Linhas", TableView("Linhas", table, 1, None), query.name)
    spec = DashboardSpec("Self-test", queries=(query,), cards=(card,))
    made = await program.store.dashboards.create(spec, conversation=conversation.id)
    bench.dashboard = made.id
    filled = await program.dashboards.refresh(made.id)
    _expect(not filled.problems, "; ".join(filled.problems))
    page = await program.dashboard_files.page(filled)
    view = LockedView(page.document, page.data)
    view.resize(1000, 700)
    view.show()
    _expect(await view.until_loaded(LIMIT_S), "the page was not loaded")
    told = await view.text()
    view.stop()
    view.deleteLater()
    _expect(str(demo_rows()) in told, f"the page says: {told[:200]}")


async def _export_xlsx(bench: Bench) -> None:
    """A workbook is written, and reads as what was written: so large that other readers take it."""
    profile = bench.imported["defeitos.csv"]
    name = profile.dataset
    target = bench.folder / "exported ção.xlsx"
    sql = f'SELECT row_number() OVER () AS n, a.turno, b.data FROM "{name}" a, "{name}" b'
    written = await bench.program.workspace.export(profile.id, target, sql=sql)
    (read,) = await bench.program.workspace.load(target)
    _expect(read.rows == written.rows == demo_rows() ** 2, f"{read.rows} of {written.rows} rows")


async def _export_pdf(bench: Bench) -> None:
    """A dashboard is printed by a process of its own."""
    target = bench.folder / "dashboard.pdf"
    await bench.program.dashboard_files.export(bench.dashboard, target)
    _expect(target.read_bytes().startswith(b"%PDF"), "the file is no PDF")


async def _export_png(bench: Bench) -> None:
    target = bench.folder / "dashboard.png"
    await bench.program.dashboard_files.export(bench.dashboard, target)
    _expect(target.read_bytes().startswith(b"\x89PNG"), "the file is no PNG")


async def _updates(bench: Bench) -> None:  # noqa: ARG001  as all checks
    """A signature is verified, and another text under it refused."""
    release = read_release(json.dumps(TRIAL_OFFER).encode(), TRIAL_KEY)
    _expect(release.version == "1.0.0", release.version)
    other = {**TRIAL_OFFER, "manifest": TRIAL_OFFER["manifest"].replace("1.0.0", "2.0.0")}
    try:
        read_release(json.dumps(other).encode(), TRIAL_KEY)
    except UserError:
        return
    raise FailedError("a manifest that was changed is taken for signed")


async def _key_store(bench: Bench) -> str | None:  # noqa: ARG001  as all checks
    """A key is kept, read and forgotten; under an account that no service has."""
    try:
        await asyncio.to_thread(credentials.save_key, TRIAL_SERVICE, "self-test")
    except UserError:
        # A Linux computer may have none; Windows always has one.
        if sys.platform == "linux":
            return "this computer has no key store"
        raise
    read = await asyncio.to_thread(credentials.read_key, TRIAL_SERVICE, {})
    await asyncio.to_thread(credentials.forget_key, TRIAL_SERVICE)
    _expect(read == "self-test", "another key was read")
    left = await asyncio.to_thread(credentials.read_key, TRIAL_SERVICE, {})
    _expect(left is None, "the key was not forgotten")
    return None


async def _locked_keys(bench: Bench) -> None:
    """Keys are locked away in a file, and read with its passphrase."""
    file = bench.folder / "keys.locked"
    passphrase = "self-test self-test"  # noqa: S105  of a file that is removed
    await asyncio.to_thread(lambda: SecretFile(file, passphrase).save("a", "self-test"))
    read = await asyncio.to_thread(lambda: SecretFile(file, passphrase).read())
    _expect(read == {"a": "self-test"}, "another key was read")
    _expect(b"self-test" not in file.read_bytes(), "the file can be read")


async def _service(bench: Bench) -> str | None:
    """The service answers a question through the SDK."""
    if not bench.service:
        return "no --service was named"
    chosen = bench.program.chosen
    before = chosen.settings
    chosen.replace(replace(before, engine="claude", endpoint=bench.service))
    try:
        told = await bench.answer("Olá?")
    finally:
        chosen.replace(before)
    _expect(bool(told.strip()), "the answer is empty")
    return None


async def _close(bench: Bench) -> None:
    """Everything ends."""
    gone = asyncio.ensure_future(bench.window.until_closed())
    bench.window.close()
    await gone
    await bench.program.close()


async def _passages(bench: Bench) -> str | None:
    """The model of passages finds the one that means what is asked, in other words."""
    if problem := bench.program.model_problem():
        _expect(not getattr(sys, "frozen", False), problem)
        return problem  # from source, it is brought by dev.py where there is a network

    def embed() -> list[float]:
        embedder = Embedder.load()
        right = "O repolimento da superfície só é permitido duas vezes por unidade."
        other = "A estufa atinge oitenta graus ao fim de vinte minutos."
        question = embedder.embed(["quantas vezes posso polir a mesma peça?"], "query")[0]
        found: list[float] = (embedder.embed([right, other], "passage") @ question).tolist()
        return found

    near, far = await asyncio.to_thread(embed)
    _expect(near > far, f"{near:.3f} for the right passage, {far:.3f} for another")
    return None


# In the order in which they are run: one more subject is one more line here.
CHECKS: Mapping[str, Check] = {
    "window": _window,
    "policy": _policy,
    "question": _question,
    "chart": _chart,
    "import .xlsx": _import_xlsx,
    "import .csv": _import_csv,
    "sql": _sql,
    "study": _study,
    "python": _python,
    "local model": _local_model,
    "passages": _passages,
    "scans": _scans,
    "versions": _versions,
    "export .xlsx": _export_xlsx,
    "key store": _key_store,
    "locked keys": _locked_keys,
    "service": _service,
    "updates": _updates,
    # The web engine ends the whole program where it cannot work.
    "dashboard page": _dashboard,
    "export .pdf": _export_pdf,
    "export .png": _export_png,
    "close": _close,
}


def main(arguments: Sequence[str], make_program: MakeProgram) -> int:
    """Run every check and print what came of them; the exit code is 0 if all is well, else 1.

    The program is made when its data folder is chosen, to answer without a model; what an
    administrator has fixed is looked at apart, since the parts must work whatever it is.
    """
    asked = _parse(arguments)
    os.environ["QT_API"] = "pyside6"
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    for kept in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):  # the person's, for another service
        os.environ.pop(kept, None)
    import qasync

    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with _folder() as folder:
        for pack in PACKS:
            if (place := pack.found()) is not None:  # it may lie in the person's own folder
                os.environ[pack.variable] = str(place)
        os.environ["QHUB_HOME"] = str(folder / "home")
        with qasync.QEventLoop(application) as loop:
            asyncio.set_event_loop(loop)
            outcomes = loop.run_until_complete(
                _run(make_program, application, folder, asked.service, is_json=asked.json)
            )
    if asked.json and sys.stdout is not None:
        print(json.dumps([asdict(each) for each in outcomes]), flush=True)
    return 0 if all(each.ok for each in outcomes) else 1


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a folder of the system's temporary ones, without what a killed self-test has left."""
    for left in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        if is_left_over(left):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as made:
        held = hold_folder(Path(made))
        try:
            yield Path(made)
        finally:
            if held is not None:
                os.close(held)


async def _run(
    make_program: MakeProgram,
    application: QApplication,
    folder: Path,
    service: str,
    *,
    is_json: bool,
) -> list[Outcome]:
    troubles: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: troubles.append(repr(context.get("exception", context["message"])))
    )
    threading.excepthook = lambda crash: troubles.append(repr(crash.exc_value))
    sys.excepthook = lambda _kind, error, _trace: troubles.append(repr(error))  # Qt's slots'
    collector = GcGuard()
    program = make_program(engine="offline", policy=Policy(), is_trial=True)
    window = MainWindow(program.services(), Appearance(application, program.settings))
    bench = Bench(program, window, folder, service)
    outcomes: list[Outcome] = []
    for name, check in CHECKS.items():
        outcomes.append(await _outcome(name, check, bench))
        if not is_json:
            _print(outcomes[-1])  # at once: the web engine may end the program with the next one
    collector.close()
    if troubles:
        outcomes.append(Outcome("in the background", ok=False, ms=0, note="; ".join(troubles)))
        if not is_json:
            _print(outcomes[-1])
    return outcomes


async def _outcome(name: str, check: Check, bench: Bench) -> Outcome:
    began = time.perf_counter()
    note: str | None = None
    try:
        async with asyncio.timeout(LIMIT_S):
            note = await check(bench)
        is_ok = True
    except Exception as error:  # noqa: BLE001  whatever it is, it is what was to be found out
        is_ok, note = False, f"{type(error).__name__}: {error}"
    ms = round((time.perf_counter() - began) * 1000)
    return Outcome(name, is_ok, ms, " ".join((note or "").split()))


def _print(outcome: Outcome) -> None:
    """Print a line of the table."""
    if sys.stdout is None:  # a program without a console has none, unless it is redirected
        return
    width = max(map(len, CHECKS))
    line = f"{outcome.name:<{width}}  {'ok' if outcome.ok else 'FAILED':<6}  {outcome.ms:>6} ms"
    encoding = sys.stdout.encoding or "ascii"
    whole = f"{line}  {outcome.note}".rstrip().encode(encoding, "replace").decode(encoding)
    print(whole, flush=True)


def demo_rows() -> int:
    """Return the number of records of the demo data, counted by Python's own reader."""
    with (DEMO_DATA / "defeitos.csv").open(encoding="utf-8", newline="") as file:
        return sum(1 for _row in csv.DictReader(file))


def _expect(is_true: bool, otherwise: str) -> None:  # noqa: FBT001  reads as a sentence
    if not is_true:
        raise FailedError(otherwise)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="qhub-desktop", description=_("Checks that the program works on this computer.")
    )
    parser.add_argument("--self-test", action="store_true", required=True)
    parser.add_argument("--json", action="store_true", help=_("for programs"))
    parser.add_argument(
        "--service", default="", metavar="URL", help=_("a service to ask as well, without a key")
    )
    return parser.parse_args(arguments)
