"""What a scene must hold whatever it shows: names for all controls, and no text read as markup."""

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QSize
from PySide6.QtGui import QKeySequence, Qt, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QScrollArea,
    QStyledItemDelegate,
    QTextEdit,
    QWidget,
)

from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.controls.plain_text import MAX_TOOLTIP_LINE, MAX_TOOLTIP_LINES
from qhub_desktop.ui.controls.popup import OwnWindow
from tests.ui_shell.accessibility import unnamed_controls

SCREEN = QSize(1366, 768)
MOST_ROWS = 30  # of a list
EDGE_PX = 1  # of an empty edge may be cut off


def problems(window: QWidget) -> list[str]:
    """List what is wrong with a scene, as a person who reads or listens would say it."""
    if isinstance(window, QFileDialog):  # its parts are Qt's own, or the system's
        return [said for each in window.findChildren(QLineEdit) for said in _markup(each)]
    widgets = [window, *window.findChildren(QWidget)]
    found = [*unnamed_controls(window), *(said for each in widgets for said in _markup(each))]
    return [*found, *_grown(window)]


def _grown(window: QWidget) -> Iterator[str]:
    """Say what a long name has made larger than its place."""
    least = window.minimumSizeHint()
    # Parts of windows, or a stack of them, are as high as what they show.
    is_whole = isinstance(window, (QMainWindow, QDialog, OwnWindow))
    if is_whole and least.boundedTo(SCREEN) != least:
        yield f"the window needs {least.width()} x {least.height()} px"
    for area in window.findChildren(QScrollArea):
        inner = area.widget()
        room = area.viewport().width()
        is_fixed = area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if inner is not None and is_fixed and area.isVisible() and inner.width() > room + EDGE_PX:
            yield f"{type(inner).__name__} is {inner.width()} px wide, in {room}"


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
    elif isinstance(widget, QAbstractItemView):
        yield from _turned_items(widget)
    if any("\u202e" in each for each in _in_field(widget)):
        yield f"{name} turns words around in its field"
    yield from _tip(name, widget.toolTip())
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
    if "\u202e" in text:
        yield f"{name} turns words around"
    if set(widget.windowTitle()) & set("\n\u202e"):
        yield f"the title of {name} is not one line"


def _in_field(widget: QWidget) -> list[str]:
    """What stands in a field, but for the person's own question."""
    match widget:
        case QLineEdit():
            return [widget.text(), widget.placeholderText()]
        case QComboBox():
            return [widget.itemText(place) for place in range(widget.count())]
        case QPlainTextEdit() | QTextEdit() if widget.isReadOnly():
            return [] if isinstance(widget.parent(), QuestionView) else [widget.toPlainText()]
    return []


def _tip(name: str, tip: str) -> Iterator[str]:
    if "\u202e" in tip:
        yield f"the tool tip of {name} turns words around"
    if Qt.mightBeRichText(tip):
        if drawn := _drawn(tip) & {"<img", "<a ", "font-weight"}:
            yield f"the tool tip of {name} draws {drawn}"
        document = QTextDocument()
        document.setHtml(tip)
        tip = document.toPlainText()
    lines = tip.splitlines() or [""]
    if max(map(len, lines)) > MAX_TOOLTIP_LINE or len(lines) > MAX_TOOLTIP_LINES:
        yield f"the tool tip of {name} is larger than a screen"


def _turned_items(view: QAbstractItemView) -> Iterator[str]:
    """Say which texts of a list that Qt paints itself turn words around."""
    model = cast("QAbstractItemModel | None", view.model())  # the stubs leave None out
    if model is None or type(view.itemDelegate()) is not QStyledItemDelegate:
        return
    for row in range(min(model.rowCount(), MOST_ROWS)):
        columns = model.columnCount() if isinstance(model, QAbstractTableModel) else 1
        for column in range(columns):
            index = model.index(row, column)
            yield from _tip(type(view).__name__, str(index.data(Qt.ItemDataRole.ToolTipRole) or ""))
            if "\u202e" in str(index.data()):
                yield f"{type(view).__name__} turns words around in row {row}"


def _drawn(html: str) -> set[str]:
    """What Qt makes of a text: pictures, links elsewhere, bold."""
    document = QTextDocument()
    document.setHtml(html)
    made = document.toHtml().partition("<body")[2].partition(">")[2]
    return {each for each in ("<img", "<a ", "font-weight") if each in made} | (
        {"http:"} if 'href="http:' in made else set()
    )
