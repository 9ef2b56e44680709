"""Names and values of files in an answer are shown as they stand, not as Markdown."""

import random

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from qhub_desktop.core.untrusted import literal_markdown
from qhub_desktop.tools.conversation_document import inert_markdown
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


def test_a_number_with_a_dash_begins_no_list() -> None:
    assert literal_markdown("181- CX-360G") == "181- CX-360G"


LIVELY = [
    "`",
    "``",
    "```",
    "~~~",
    "\\",
    "<img src=evil>",
    "<b>",
    "<!--",
    "<!DOCTYPE x>",
    "<?x",
    "!",
]
LIVELY += ["![a](evil)", "![a][r]", "[r]: evil", "[", "]", "(", ")", "\n", "\n\n", "\n- ", "\n> "]
LIVELY += [
    "\n# ",
    "|",
    "\n|-|-|\n",
    "\n    ",
    "\n  ```\n",
    "\n~~~~\n",
    "a",
    " ",
    "&#33;",
    "\u2028",
    "html",
]


def test_no_text_of_an_answer_loads_anything_where_its_markdown_is_shown(qtbot: QtBot) -> None:
    chance = random.Random(0)
    shown, bare = QTextDocument(), QTextDocument()
    pictures = 0
    for _case in range(1500):
        text = "".join(chance.choices(LIVELY, k=chance.randint(1, 12)))
        inert = "\n".join(inert_markdown(text))

        # As a program shows it that takes HTML in Markdown for HTML.
        shown.setMarkdown(f"{inert}\n\n# END")
        bare.setMarkdown(f"{text}\n\n# END")

        assert "\ufffc" not in shown.toRawText(), (text, inert)
        assert shown.toPlainText().endswith("END"), (text, inert)
        pictures += "\ufffc" in bare.toRawText()
    assert pictures > 100


@pytest.mark.parametrize(
    "text",
    [
        "Veja `a<b>` e ``x ` <y>``, 3 < 4 \\<b> \\![a](b)\n**forte** [l](http://x) <https://x.pt/a>",
        "```sql\nSELECT '<b>' -- ![a](b)\n```",
        "| a | b |\n|:--|--:|\n| 1 | `2<3` |\n\n1. um\n   - dois\n\n> dito",
    ],
)
def test_what_answers_are_written_with_stays_as_it_is(text: str) -> None:
    assert "\n".join(inert_markdown(text)) == text
