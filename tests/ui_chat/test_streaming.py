"""Text that streams in ends up as the same text shown at once."""

import random

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication, QImage, QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.streaming import StreamedText
from qhub_desktop.ui.chat.text_views import MarkdownView
from qhub_desktop.ui.theme import DARK, theme

NASTY = """\
# One

Some **bold** text with `code`, a [link](https://example.org) and a <b>tag</b>.

1. first

   ```sql
   SELECT 1

   FROM x
   ```

2. second
    - nested
    - more

| a | b |
|:--|--:|
| 1 | `2` |

---

> quoted
> twice

```
plain

code
```

* * *

![picture](/etc/passwd) and **half a sent
"""


@pytest.mark.parametrize("seed", range(3))
def test_streaming_equals_one_rendering(qtbot: QtBot, seed: int) -> None:
    chance = random.Random(seed)
    text = NASTY * 12
    streamed = StreamedText()
    qtbot.addWidget(streamed)
    at = 0
    while at < len(text):
        step = chance.randint(1, 400)
        streamed.add(text[at : at + step])
        at += step
    assert len(streamed.views) > 1

    for _slice in streamed.finish():
        pass

    whole = MarkdownView()
    qtbot.addWidget(whole)
    whole.set_markdown(text)
    (view,) = streamed.views
    assert view.toHtml() == whole.toHtml()
    assert view.heightForWidth(600) == whole.heightForWidth(600)


def test_a_long_text_ends_in_parts_that_read_as_one(qtbot: QtBot) -> None:
    text = "".join(f"## Part {n}\n\n{NASTY}\n\n" for n in range(40))
    streamed = StreamedText()
    qtbot.addWidget(streamed)
    for at in range(0, len(text), 500):
        streamed.add(text[at : at + 500])

    for _slice in streamed.finish():
        pass

    whole = MarkdownView()
    again = StreamedText()
    for widget in (whole, again):
        qtbot.addWidget(widget)
    whole.set_markdown(text)
    again.set_text(text)
    shown = "\n".join(view.toPlainText() for view in streamed.views)
    assert len(streamed.views) > 1
    assert "".join(view.markdown for view in streamed.views) == text
    assert shown.split() == whole.toPlainText().split()
    assert [view.markdown for view in again.views] == [view.markdown for view in streamed.views]
    assert streamed.maximumHeight() == whole.maximumHeight()


def test_what_is_frozen_is_not_rendered_again(qtbot: QtBot) -> None:
    streamed = StreamedText()
    qtbot.addWidget(streamed)
    streamed.add("A paragraph of words.\n\n" * 300)
    first = streamed.views[0]
    document = first.document()

    streamed.add("More words.\n\n" * 300)

    assert streamed.views[0] is first
    assert first.document() is document


def test_a_text_is_as_high_as_its_lines(qtbot: QtBot) -> None:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.set_markdown("word " * 200)

    assert view.heightForWidth(300) > view.heightForWidth(700) > 0


def test_a_picture_in_the_text_is_not_looked_for(qtbot: QtBot) -> None:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.set_markdown("![a](C:/secret.png) ![b](//elsewhere/share/b.png)")

    image = QTextDocument.ResourceType.ImageResource.value
    found = view.document().resource(image, QUrl("//elsewhere/share/b.png"))
    assert isinstance(found, QImage)
    assert (found.width(), found.height()) == (1, 1)


@pytest.mark.parametrize(
    "picture",
    [
        "![rack 12](http://evil/?rows=1)",
        "![rack *12*](<http://evil/?rows=1> 'title')",
        "![rack 12][there]\n\n[there]: http://evil/?rows=1",
        "[![rack 12](http://evil/?rows=1)](#go)",
        "- ![rack 12](http://evil/1)\n- ![](http://evil/2)",
        "| a |\n|---|\n| ![rack 12](http://evil/?rows=1) |",
        "> # ![rack 12](//evil/share)![](file://evil/x)",
    ],
)
def test_what_is_copied_of_an_answer_has_a_pictures_name_but_not_its_address(
    qtbot: QtBot, picture: str
) -> None:
    answer = AnswerView(make_card=lambda _widget: QWidget())
    qtbot.addWidget(answer)
    answer.show_text(f"Veja {picture}")
    (view,) = answer.views
    view.selectAll()
    view.copy()
    selected = QGuiApplication.clipboard().mimeData().html()

    answer._copy()

    for copied in (selected, QGuiApplication.clipboard().mimeData().html()):
        assert "<img" not in copied
        assert "evil" not in copied
        shown = QTextDocument()
        shown.setHtml(copied)
        assert "rack 12" in shown.toPlainText()


def test_a_selection_survives_more_words(qtbot: QtBot) -> None:
    streamed = StreamedText()
    qtbot.addWidget(streamed)
    streamed.add("one two three")
    view = streamed.views[0]
    cursor = view.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(7, cursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)

    streamed.add(" four")

    assert view.textCursor().selectedText() == "two"


def test_code_is_copied_as_it_was_written(qtbot: QtBot) -> None:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.set_markdown("Before\n\n```sql\nSELECT 1\n\n  FROM x\n```\n\nAfter\n\n```\nb\n```\n")
    view.resize(600, 400)
    view.show()

    (first, _second) = view.copy_buttons
    first.click()

    assert QGuiApplication.clipboard().text() == "SELECT 1\n\n  FROM x"


def test_another_palette_keeps_the_words(qtbot: QtBot) -> None:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.set_markdown(NASTY)
    words = view.toPlainText()

    theme().set_palette(DARK)

    assert view.toPlainText() == words
    assert DARK.accent.lower() in view.toHtml().lower()


def test_a_height_asked_at_another_width_moves_no_line(qtbot: QtBot) -> None:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.set_markdown("Some words that need more than a line. " * 12)
    view.resize(420, view.heightForWidth(420))
    view.show()
    before = view.grab().toImage()

    for width in (180, 420, 300):  # as a layout tries widths out, some of them again
        view.heightForWidth(width)

    assert view.grab().toImage() == before
