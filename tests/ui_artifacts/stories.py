"""Pages and drawings in answers, at a real window with the real web engine; the person is played.

`python -m tests.ui_artifacts.stories NAME` plays one of them.
"""

import asyncio
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget

from qhub_desktop.core.events import ArtifactShown, Done, TextAdded
from qhub_desktop.core.message import Text
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.artifact import ArtifactCard, ArtifactStage
from qhub_desktop.ui.chat.conversation_view import ConversationView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.chat.turn import Turn
from qhub_desktop.ui.theme import DARK, theme
from qhub_desktop.ui.web.web_engine import MOST_AWAKE
from tests.exported_pages import page_in
from tests.stories import play_here
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import PATIENCE_S, until

NOTCH_S = 0.2  # between two notches of a wheel that a hand turns

PAGE = """<h2>Defeitos por turno</h2><p id="n"></p>
<script>document.getElementById("n").textContent = "há " + (100 + 100) + " defeitos";</script>"""
DRAWING = '<svg viewBox="0 0 40 20" width="400"><title>Peça</title><text y="15">rack</text></svg>'
COUNTER = """export default function App() {
  const [n, more] = React.useState(1);
  return <button style={{padding: 40}} onClick={() => more(n + 1)}>cliques: {n}</button>;
}"""
UNFOLDING = """<!DOCTYPE html><html><head><style>
body { margin: 0; min-height: 50vh } summary { height: 60px } details p { height: 400px; margin: 0 }
</style></head><body><details><summary>mais</summary><p>dentro</p></details>
<canvas id="c"></canvas><script>
new Chart(c, {type: "bar", data: {labels: ["a", "b"], datasets: [{label: "n", data: [1, 2]}]}});
</script></body></html>"""
TALL = '<p style="height: 900px; margin: 0">alta</p><p>fim</p>'


def fenced(kind: str, source: str) -> str:
    return f"```{kind}\n{source}\n```\n"


async def told(harness: WindowHarness, answers: Sequence[str]) -> ConversationView:
    """A stored conversation with these answers, on the page."""
    store = harness.program.store
    conversation = (await store.conversations.create("analise")).id
    for answer in answers:
        await store.messages.add(conversation, "user", [Text("mostra")])
        message = await store.messages.add(conversation, "assistant", [Text(answer)])
        await store.messages.end(message.id, "complete", engine="claude")
    harness.window.resize(1100, 700)
    await harness.window.frame.centre.open(conversation)
    view = harness.window.frame.centre.page.view
    assert view is not None
    return view


def cards(view: QWidget) -> list[ArtifactCard]:
    return view.findChildren(ArtifactCard)


async def words(card: ArtifactCard) -> str:
    """What the page says, scrolled to and drawn."""
    assert card.stage is not None
    for _attempt in range(3):
        scroll_to(card)
        card.stage.wake()
        assert card.stage.view is not None
        # What grows above it may push it out of sight, and others are woken in its place.
        if await card.stage.view.until_loaded(60):
            return await card.stage.view.text()
    raise AssertionError("It is put to sleep each time before it is loaded.")


def scroll_to(card: ArtifactCard) -> Transcript:
    """Bring the foot of a card into sight."""
    above = card.parentWidget()
    while above is not None and not isinstance(above, Transcript):
        above = above.parentWidget()
    assert above is not None
    above.lay_out_now()
    above.ensureWidgetVisible(card)
    return above


async def an_answer_draws_its_page_as_soon_as_its_block_closes(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        transcript = Transcript()
        answer = AnswerView(make_card=lambda _widget: QWidget())
        transcript.append(answer)
        transcript.setParent(harness.window)
        transcript.resize(800, 600)
        transcript.show()
        turn = Turn(answer)
        turn.show(TextAdded("Veja:\n```html\n<h2>Defeitos por turno</h2>"))
        await until(lambda: answer.entries(ArtifactCard))
        (card,) = answer.entries(ArtifactCard)
        assert card.accessibleName() == "Drawing…"
        assert card.stage is None
        assert "Defeitos por turno" in card.source.toPlainText()

        turn.show(TextAdded(PAGE.removeprefix("<h2>Defeitos por turno</h2>") + "\n```\nE pronto."))
        turn.show(ArtifactShown("html", PAGE))
        turn.show(Done("complete"))
        await until(lambda: card.stage is not None)

        assert card.accessibleName() == "Defeitos por turno"
        assert "há 200 defeitos" in await words(card)
        assert answer.entries(ArtifactCard) == [card]
        assert answer.text == f"Veja:\n\n{fenced('html', PAGE).strip()}\n\nE pronto."
        transcript.close()
        transcript.deleteLater()


async def one_that_broke_off_stays_as_its_source(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        view = await told(harness, ["Veja:\n```html\n<p>meia pág"])
        await until(lambda: cards(view))
        (card,) = cards(view)
        assert card.accessibleName() == "Interrupted"
        assert card.stage is None
        assert "<p>meia pág" in card.source.toPlainText()


async def stored_artifacts_come_back_each_as_what_it_is(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        text = fenced("html", PAGE) + fenced("svg", DRAWING) + fenced("jsx", COUNTER)
        view = await told(harness, [text])
        await until(lambda: len(cards(view)) == 3)
        page, drawing, counter = cards(view)
        assert [each.title for each in cards(view)] == ["Defeitos por turno", "Peça", "Page"]
        assert "há 200 defeitos" in await words(page)
        assert "rack" in await words(drawing)
        assert "cliques: 1" in await words(counter)
        assert drawing.stage is not None
        await until(lambda: drawing.stage and drawing.stage.height() > 200)

        page.source_button.click()
        assert 'getElementById("n")' in page.source.toPlainText()
        assert page.stage is not None
        assert page.stage.isHidden()
        page.source_button.click()
        assert not page.stage.isHidden()

        window = drawing.enlarge()
        await until(window.isVisible)
        window.close()
        theme().set_palette(DARK)
        assert "há 200 defeitos" in await words(page)


async def of_many_only_a_few_are_awake_and_the_others_wake_on_a_click(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        pages = [fenced("html", f"<h2>Página {n}</h2>{PAGE}") for n in range(12)]
        view = await told(harness, ["".join(pages)])
        await until(lambda: len(cards(view)) == len(pages))
        for card in cards(view):
            assert f"Página {cards(view).index(card)}" in await words(card)
            assert card.stage is not None
            assert (
                sum(each.stage is not None and each.stage.view is not None for each in cards(view))
                <= MOST_AWAKE
            )
        sleepers = [each for each in cards(view) if each.stage is not None and each.stage.is_asleep]
        assert len(sleepers) == len(pages) - MOST_AWAKE
        stage = sleepers[0].stage
        assert stage is not None
        assert _is_drawn(stage.image())

        QTest.mouseClick(stage, Qt.MouseButton.LeftButton)

        assert stage.view is not None
        assert "Página 0" in await words(sleepers[0])


async def what_stands_in_an_artifact_can_be_taken_along(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        view = await told(harness, [fenced("html", PAGE) + fenced("svg", DRAWING)])
        await until(lambda: len(cards(view)) == 2)
        page, drawing = cards(view)
        assert await words(page)
        assert await words(drawing)
        for card, action, suffix in (
            (page, "Save as HTML…", ".html"),
            (page, "Save as PNG…", ".png"),
            (drawing, "Save as SVG…", ".svg"),
        ):
            target = harness.program.home / f"artefacto{suffix}"
            chosen(card.save_button.menu(), action)
            (dialog,) = card.findChildren(QFileDialog)
            dialog.fileSelected.emit(str(target))
            dialog.reject()
            await until(partial(_has_no_dialog, card))
        check_files(harness.program.home)

        page.keep_button.click()
        table = harness.program.store.dashboards
        toast = harness.window.frame.banner.toast
        await until(lambda: toast.text)
        (kept,) = await table.listed()
        assert kept.title == "Defeitos por turno"
        assert (await table.contents(kept.id)).body == PAGE
        said = "Kept as the dashboard Defeitos por turno."
        assert toast.text == said


async def a_page_is_as_high_as_its_content_whatever_becomes_of_it(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        view = await told(harness, [fenced("html", UNFOLDING)])
        await until(lambda: cards(view))
        (card,) = cards(view)
        assert await words(card)
        stage = card.stage
        assert stage is not None
        wide = stage.width()
        # The summary, and a chart that is half as high as it is wide.
        await until(lambda: abs(stage.height() - 60 - wide / 2) < 4)
        assert stage.view is not None

        harness.window.resize(900, 700)
        await until(lambda: stage.width() < wide)
        await until(lambda: abs(stage.height() - 60 - stage.width() / 2) < 4)

        from qhub_desktop.ui.web.web_view import WebView  # loads the web engine

        for child in stage.view.findChildren(WebView)[0].findChildren(QWidget):
            QTest.mouseClick(child, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
        await until(lambda: stage.height() > 600)
        unfolded = stage.height()

        other = await told(harness, ["outra conversa"])
        assert not cards(other)
        await harness.window.frame.centre.open(view.conversation)
        again = harness.window.frame.centre.page.view
        assert again is not None
        await until(lambda: cards(again))
        assert [each.stage and each.stage.height() for each in cards(again)] == [unfolded]


async def the_wheel_turns_the_conversation_until_a_page_is_clicked(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        view = await told(harness, ["texto\n\n" * 30 + fenced("html", TALL)])
        await until(lambda: cards(view))
        (card,) = cards(view)
        assert "alta" in await words(card)
        assert card.stage is not None
        await until(lambda: card.stage and card.stage.height() > 600)
        bar = scroll_to(card).verticalScrollBar()
        before = bar.value()
        page = card.stage.view
        assert page is not None

        from qhub_desktop.ui.web.web_view import WebView  # loads the web engine

        (web,) = page.findChildren(WebView)
        turn_wheel(card.stage, 120)
        await until(lambda: bar.value() < before)
        turn_wheel(card.stage, -120)
        await until(lambda: bar.value() >= before)
        assert web.locked_page.scrollPosition().y() == 0

        web.setFocus()
        async with asyncio.timeout(PATIENCE_S):
            while web.locked_page.scrollPosition().y() == 0:
                turn_wheel(card.stage, -120)
                await asyncio.sleep(NOTCH_S)


def turn_wheel(on: ArtifactStage, by: int) -> None:
    """A notch of 120 up or down, as it comes from the system: soon, and within no task of ours."""
    handle, place = on.window().windowHandle(), QPointF(on.sight.center())
    assert handle is not None
    loop = asyncio.get_running_loop()
    loop.call_soon(lambda: QTest.wheelEvent(handle, place, QPoint(0, by)))


def check_files(folder: Path) -> None:
    drawing = ET.parse(folder / "artefacto.svg").getroot()
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert [each.text for each in drawing] == ["Peça", "rack"]
    page = page_in((folder / "artefacto.html").read_text("utf-8"))
    assert PAGE in page
    assert 'src="' not in page
    assert _is_drawn(QImage(str(folder / "artefacto.png")))


def _has_no_dialog(card: ArtifactCard) -> bool:
    return not card.findChildren(QFileDialog)


def chosen(menu: QMenu | None, text: str) -> None:
    """Press a line of a menu."""
    assert menu is not None
    next(each for each in menu.actions() if each.text() == text).trigger()


def _is_drawn(image: QImage) -> bool:
    """Whether there is more than one colour."""
    small = image.scaled(64, 64)
    colours = {small.pixel(x, y) for x in range(64) for y in range(64)}
    return len(colours) > 1


STORIES = (
    an_answer_draws_its_page_as_soon_as_its_block_closes,
    one_that_broke_off_stays_as_its_source,
    stored_artifacts_come_back_each_as_what_it_is,
    of_many_only_a_few_are_awake_and_the_others_wake_on_a_click,
    what_stands_in_an_artifact_can_be_taken_along,
    a_page_is_as_high_as_its_content_whatever_becomes_of_it,
    the_wheel_turns_the_conversation_until_a_page_is_clicked,
)


if __name__ == "__main__":
    raise SystemExit(play_here(STORIES, sys.argv[1]))
