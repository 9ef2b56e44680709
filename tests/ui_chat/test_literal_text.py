"""Names and values of files in an answer are shown as they stand, not as Markdown."""

import random

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from qhub_desktop.core.untrusted import literal_markdown
from qhub_desktop.ui.chat.text_views import MarkdownView

SIGNS = ["*", "**", "_", "__", "`", "~~", "[", "](", ")", "!", "<b>", "</b>", "&amp;", "&", "\\"]
SIGNS += ["#", "# ", "- ", "+ ", "1. ", "2) ", "> ", "---", "===", "|", "[x] ", "a", "b1", " ", ":"]
SIGNS += ["(", ">", "<", ";", "&#35;", "é", "_c_", "PP_Negro", "5 * 3", "x]: y", "µm]", "$", '"']


def marks_of(document: QTextDocument) -> set[str]:
    """What of a document is more than plain text, by its characters."""
    marks: set[str] = set()
    cursor = QTextCursor(document)
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        form = cursor.charFormat()
        found = {
            "link": form.isAnchor() and "evil" in form.anchorHref(),
            "italic": form.fontItalic(),
            "struck": form.fontStrikeOut(),
            "code": form.fontFixedPitch(),
        }
        marks |= {name for name, is_so in found.items() if is_so}
        if cursor.currentList() is not None or cursor.blockFormat().headingLevel():
            marks.add("block")
    return marks


@pytest.mark.parametrize("frame", ["{}", "{} e mais", "Vem **{}** à frente", "“{}”"])
def test_any_text_is_shown_as_it_stands(qtbot: QtBot, frame: str) -> None:
    chance = random.Random(frame)
    view = MarkdownView()
    qtbot.addWidget(view)
    for _case in range(600):
        text = "".join(chance.choices(SIGNS, k=chance.randint(1, 7))).strip()
        if not text:
            continue

        view.set_markdown(frame.format(literal_markdown(text)))

        plain = frame.replace("**", "").format(text)
        assert view.toPlainText().split() == plain.split(), (text, literal_markdown(text))
        assert marks_of(view.document()) == set(), (text, literal_markdown(text))
