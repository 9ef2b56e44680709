"""What a scene must hold whatever it shows: names for all controls, and no text read as markup."""

from collections.abc import Iterator

from PySide6.QtGui import QKeySequence, Qt, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from tests.ui_shell.accessibility import unnamed_controls


def problems(window: QWidget) -> list[str]:
    """List what is wrong with a scene, as a person who reads or listens would say it."""
    widgets = [window, *window.findChildren(QWidget)]
    return [*unnamed_controls(window), *(said for each in widgets for said in _markup(each))]


def _markup(widget: QWidget) -> Iterator[str]:
    name = type(widget).__name__
    if isinstance(widget, QLabel):
        match widget.textFormat():
            case Qt.TextFormat.PlainText:
                pass
            case Qt.TextFormat.RichText:
                if drawn := _drawn(widget.text()) & {"<img", "http:"}:
                    yield f"{name} draws {drawn}"
            case guessing:
                yield f"{name} guesses: {guessing.name}"
    elif isinstance(widget, QAbstractButton) and not QKeySequence.mnemonic(widget.text()).isEmpty():
        yield f"{name} has a mnemonic: {widget.text()[:60]!r}"
    tip = widget.toolTip()
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
    if "\u202e" in f"{tip}{text}":
        yield f"{name} turns words around"
    if Qt.mightBeRichText(tip) and (drawn := _drawn(tip) & {"<img", "<a ", "font-weight"}):
        yield f"the tool tip of {name} draws {drawn}"
    if set(widget.windowTitle()) & set("\n\u202e"):
        yield f"the title of {name} is not one line"


def _drawn(html: str) -> set[str]:
    """What Qt makes of a text: pictures, links elsewhere, bold."""
    document = QTextDocument()
    document.setHtml(html)
    made = document.toHtml().partition("<body")[2].partition(">")[2]
    return {each for each in ("<img", "<a ", "font-weight") if each in made} | (
        {"http:"} if 'href="http:' in made else set()
    )
