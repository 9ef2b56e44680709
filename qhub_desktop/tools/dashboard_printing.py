"""Pages on paper and as pictures, made by a process of its own that shows them to nobody."""

import asyncio
import contextlib
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from qhub_desktop.core.child import program
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.worker import Worker
from qhub_desktop.tools.dashboard_page import Page

PATIENCE_S = 60.0
_NO_CONSOLE = 0x08000000 if sys.platform == "win32" else 0  # CREATE_NO_WINDOW


class PagePrinter:
    """Starts the program once more for each page, so that no page can hold up this one."""

    async def __call__(self, page: Page, target: Path) -> None:
        """Write the page to `target`, by its suffix. Raises UserError where that fails."""
        printing = _Printing(target)
        worker = Worker("printing")
        try:
            doing = asyncio.ensure_future(worker.run(printing.run, page))
            try:
                await asyncio.shield(doing)
            except asyncio.CancelledError:
                printing.stop()
                with contextlib.suppress(UserError):
                    await doing
                raise
        finally:
            worker.close()


class _Printing:
    """One page. `run` blocks a thread; any other may `stop` it."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._child: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def run(self, page: Page) -> None:
        with TemporaryDirectory(prefix="qhub-", ignore_cleanup_errors=True) as folder:
            source = Path(folder) / "page.json"
            packed = {"title": page.title, "document": page.document, "data": page.data}
            source.write_text(json.dumps(packed), encoding="ascii")
            self._child = subprocess.Popen(
                [*program(), "--print-page", str(source), str(self._target)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=_NO_CONSOLE,
            )
            if self._is_stopped:
                self._child.kill()
            try:
                self._child.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
        if not self._target.is_file():
            raise UserError(
                _(
                    "The page could not be drawn: it does not come to an end, or needs more memory"
                    " than there is. Save it as .html or .xlsx."
                )
            )

    def stop(self) -> None:
        self._is_stopped = True
        if self._child is not None:
            self._child.kill()
