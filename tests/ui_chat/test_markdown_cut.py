"""Where a growing text may be cut: what is frozen, and what is rendered, come to the same text."""

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from qhub_desktop.ui.chat.markdown_style import FEATURES
from qhub_desktop.ui.chat.streaming import split_text

PARAGRAPHS = "".join(f"Paragraph {at} with **some** `words` in it.\n\n" for at in range(40))


def shown(*texts: str) -> list[str]:
    """The lines that a person reads."""
    lines: list[str] = []
    for text in texts:
        document = QTextDocument()
        document.setMarkdown(text, FEATURES)
        lines += [line for line in document.toPlainText().splitlines() if line.strip()]
    return lines


def parts(text: str, *, size: int) -> list[str]:
    """All segments that a text is cut into when it grows character by character."""
    done: list[str] = []
    tail = ""
    for character in text:
        tail += character
        while found := split_text(tail, size=size):
            done.append(found.head)
            tail = found.tail
    return [*done, tail]


def test_a_short_text_is_not_cut() -> None:
    assert split_text("a\n\nb", size=100) is None


def test_paragraphs_are_cut_at_blank_lines(qapp: QApplication) -> None:
    cuts = parts(PARAGRAPHS, size=300)

    assert len(cuts) > 4
    assert "".join(cuts) == PARAGRAPHS
    assert shown(*cuts) == shown(PARAGRAPHS)


@pytest.mark.parametrize(
    "block",
    [
        "- one\n\n- two\n\n- three\n",
        "1. one\n\n2. two\n\n   more of two\n\n3. three\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "```python\nx = 1\n\n\ny = 2\n\n```\n",
        "~~~\na\n\n```\n\nb\n~~~\n",
        "> said\n\n> and said\n",
        "    indented\n\n    code\n",
        "Title\n=====\n\ntext\n",
    ],
)
def test_a_block_is_not_torn_apart(qapp: QApplication, block: str) -> None:
    text = f"{'word ' * 12}\n\n{block}\n{'word ' * 12}\n\n" * 6

    cuts = parts(text, size=200)

    assert len(cuts) > 3
    assert "".join(cuts) == text
    assert shown(*cuts) == shown(text)


def test_long_code_is_cut_between_lines_and_stays_code(qapp: QApplication) -> None:
    lines = [f"value_{at} = {at}" for at in range(200)]
    text = "```python\n" + "\n".join(lines) + "\n```\n\nafter\n"

    cuts = parts(text, size=500)

    assert len(cuts) > 2
    assert shown(*cuts) == [*lines, "after"]


def test_a_long_table_goes_on_under_its_header(qapp: QApplication) -> None:
    rows = [f"| {at} | x |" for at in range(200)]
    text = "| n | v |\n|---|---|\n" + "\n".join(rows) + "\n"

    cuts = parts(text, size=500)

    assert len(cuts) > 2
    assert all(each.startswith("| n | v |") for each in cuts)


def test_one_endless_line_is_cut_between_words() -> None:
    text = "word " * 1000

    cuts = parts(text, size=500)

    assert len(cuts) > 2
    assert "".join(cuts) == text


def test_one_endless_word_is_left_whole() -> None:
    assert parts("x" * 3000, size=500) == ["x" * 3000]
