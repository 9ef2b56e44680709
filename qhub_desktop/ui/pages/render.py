"""`qhub-desktop --render FILE --out PNG`: draw a page in the locked view, off screen."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from PySide6.QtWidgets import QApplication

from qhub_desktop.charts import pages
from qhub_desktop.core.artifact import ArtifactKind
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.pages.locked_view import LockedView
from qhub_desktop.ui.theme import LIGHT

WIDTH_PX = 1280
HEIGHT_PX = 800
TALLEST_PX = 8_000
SETTLING_S = 0.3
SECONDS = 3.0
KINDS: dict[str, ArtifactKind] = {".svg": "svg", ".jsx": "jsx", ".tsx": "jsx"}


def main(arguments: Sequence[str]) -> int:
    """Return the exit code: 0 whatever the page did, 1 if a file cannot be used, 2 for usage."""
    asked = _parse(arguments)
    try:
        source = asked.render.read_text(encoding="utf-8", errors="replace")
        data = _data(asked.data)
        asked.out.touch()
    except (OSError, ValueError, UserError) as error:
        print(error, file=sys.stderr)  # noqa: T201  a command line
        return 1
    kind = KINDS.get(asked.render.suffix.lower(), "html")
    document = pages.document(source, title=asked.render.stem, kind=kind)
    os.environ["QT_API"] = "pyside6"
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    import qasync

    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with qasync.QEventLoop(application) as loop:
        told = loop.run_until_complete(_rendered(document, data, asked.out, asked.seconds))
    if sys.stdout is not None:  # a program without a console has none, unless it is redirected
        print(json.dumps(told), flush=True)  # noqa: T201
    return 0


async def _rendered(document: str, data: JsonObject, out: Path, seconds: float) -> JsonObject:
    view = LockedView(document, data, palette=LIGHT)
    view.resize(WIDTH_PX, HEIGHT_PX)
    view.show()
    await view.until_loaded(seconds)
    await asyncio.sleep(seconds)
    is_alive = await view.is_alive()
    if is_alive:
        view.resize(WIDTH_PX, min(max(HEIGHT_PX, view.content_size.height()), TALLEST_PX))
        await asyncio.sleep(SETTLING_S)
    told: JsonObject = {
        "title": view.title,
        "text": await view.text(),
        "blocked": [dict(asdict(each)) for each in view.blocked],
        "alive": is_alive and view.ending is None,
        "ending": view.ending,
    }
    (await view.picture()).save(str(out), "PNG")  # type: ignore[call-overload]
    view.stop()
    return told


def _data(path: Path | None) -> JsonObject:
    if path is None:
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise UserError(_("{file} holds no JSON object.").format(file=path.name))
    return data


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="qhub-desktop", description=_("Opens a page as the program does, with no window.")
    )
    parser.add_argument("--render", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True, metavar="PNG")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="N", help=_("how long it may run")
    )
    parser.add_argument("--data", type=Path, metavar="JSON", help=_("what it gets as qhub.data"))
    return parser.parse_args(arguments)
