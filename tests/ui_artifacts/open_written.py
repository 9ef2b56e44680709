"""A process that shows pages as models write them in cards, and tells what became of them.

Its arguments are `light` or `dark` for each round, in which the same answers are opened once more.
Standard output gets a line of JSON for each page of each round: the heights its card had, what the
page says of its own layout, and what the card says under it. With `--pictures FOLDER` each card is
saved as PNG; with `--only NAME` the others are left out.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from qhub_desktop.core import text
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.artifact import ArtifactCard
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.theme import DARK, LIGHT, TEXT_WIDTH_PX, theme
from qhub_desktop.ui.web.web_engine import AwakePages, exit_process

WRITTEN = Path(__file__).parent / "written"
AT_A_TIME = 8
CALM_S = 1.0  # without another height: a page rests
MOST_S = 12.0
SCREEN_PX = (TEXT_WIDTH_PX + 40, AT_A_TIME * 860)  # with all of them in sight
LAYOUT = """JSON.stringify({
  view: innerHeight, width: innerWidth,
  over: document.documentElement.scrollHeight - document.documentElement.clientHeight,
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  canvases: [...document.querySelectorAll('canvas')].filter(each => each.offsetHeight).map(each => {
    const ratio = devicePixelRatio, box = each.getBoundingClientRect();
    return [box.width, box.height, box.right, box.bottom, each.width / ratio, each.height / ratio];
  }),
})"""


async def main(files: Sequence[Path], rounds: Sequence[str], pictures: str) -> None:
    """Show them, some at a time."""
    for place, name in enumerate(rounds):
        theme().set_palette(DARK if name == "dark" else LIGHT)
        for first in range(0, len(files), AT_A_TIME):
            await _show(files[first : first + AT_A_TIME], place, pictures)


async def _show(files: Sequence[Path], place: int, pictures: str) -> None:
    transcript = Transcript()
    answer = AnswerView(make_card=lambda _widget: QWidget(), awake=AwakePages(AT_A_TIME))
    answer.show_text("".join(f"```{f.suffix[1:]}\n{f.read_text('utf-8')}\n```\n" for f in files))
    transcript.append(answer)
    transcript.resize(*SCREEN_PX)
    transcript.show()
    cards = answer.entries(ArtifactCard)
    heights = await _until_calm(cards)
    for file, card, own in zip(files, cards, heights, strict=True):
        words = [each.text() for each in card.findChildren(QLabel) if each.isVisible()]
        line = {"name": file.name, "round": place, "heights": own, "words": words}
        line["card_width"] = card.stage.width() if card.stage is not None else 0
        print(json.dumps(line | await layout(card)), flush=True)
        if pictures:
            card.grab().save(f"{pictures}/{file.stem}-{place}.png")
    transcript.close()
    transcript.deleteLater()
    await asyncio.sleep(0)


async def _until_calm(cards: Sequence[ArtifactCard]) -> list[list[int]]:
    """Every height that a card had, until none has changed for a while."""
    stages = [each.stage for each in cards if each.stage is not None]
    heights = [[each.height()] for each in stages]
    began = changed_at = time.monotonic()
    while time.monotonic() - changed_at < CALM_S and time.monotonic() - began < MOST_S:
        await asyncio.sleep(0.02)
        for own, stage in zip(heights, stages, strict=True):
            if stage.view is None or not await stage.view.until_loaded(0):
                changed_at = time.monotonic()
            if own[-1] != stage.height():
                own.append(stage.height())
                changed_at = time.monotonic()
    return heights


async def layout(card: ArtifactCard) -> JsonObject:
    """What a page says of its own layout."""
    # They load the web engine.
    from qhub_desktop.ui.web.isolated_profile import ISOLATED_WORLD
    from qhub_desktop.ui.web.web_view import WebView

    (view,) = card.findChildren(WebView)
    said: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    view.locked_page.runJavaScript(LAYOUT, ISOLATED_WORLD.value, said.set_result)
    return cast("JsonObject", json.loads(await asyncio.wait_for(said, MOST_S)))


def play() -> None:
    """Show them on a loop of Qt's."""
    reader = argparse.ArgumentParser()
    reader.add_argument("rounds", nargs="+")
    reader.add_argument("--pictures", default="")
    reader.add_argument("--only", nargs="*")
    asked = reader.parse_args()
    files = sorted(each for each in WRITTEN.iterdir() if not asked.only or each.stem in asked.only)
    text.use("en")
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with qasync.QEventLoop(application) as loop:
        loop.run_until_complete(main(files, asked.rounds, asked.pictures))


if __name__ == "__main__":
    play()
    exit_process(0)
