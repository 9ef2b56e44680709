"""Text on the page, plain, Markdown or code: selectable, as high as its content."""

import math
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QIcon,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextBrowser, QTextEdit, QToolButton
from typing_extensions import override

from qhub_desktop.core.citations import NUMBER_SCHEME, SCHEME, UNSUPPORTED_SCHEME
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import with_escapes
from qhub_desktop.ui.chat.markdown_style import (
    CODE_HEADER_PX,
    CODE_PAD_PX,
    BlockDecorations,
    BlockRange,
    OfflineDocument,
    load_markdown,
    monospace,
    style_in_slices,
)
from qhub_desktop.ui.controls.buttons import IconButton, icon
from qhub_desktop.ui.controls.code_colours import PYTHON, CodeHighlighter
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    column_of,
    make_label,
    row_of,
    set_height_for_width,
)
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.desktop import open_url
from qhub_desktop.ui.theme import BODY_PT, RADIUS_PX, SMALL_PT, theme

_COPIED_MS = 1_500
_COPY_ICON_PX = 16  # of a copy button
MOST_CODE_LINES = 18  # seen at once; the others are scrolled to
INDENT = "    "
_SLICE_BLOCKS = 200  # about 5 ms
_SLICE_BUTTONS = 20
_ALL_BLOCKS = 1_000_000  # more than any text has
_NO_DECORATIONS = BlockDecorations((), ())


class MarkdownView(QTextBrowser):
    """Read-only view of Markdown, without frame or scroll bars, as high as its content.

    Signals:
        cited: address of a citation, or of a number, that was pressed.
    """

    cited = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._decorations = _NO_DECORATIONS
        self._body_pt = 0.0
        self._copy_buttons: list[QToolButton] = []
        self._is_final = True
        self._heights: dict[int, int] = {}
        _make_flat(self)
        self.setAccessibleName(_("Answer"))
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_anchor_clicked)
        self._shown_document = OfflineDocument(self)
        self.setDocument(self._shown_document)
        self._apply_colours()
        theme().on_change(self._restyle)

    @property
    def markdown(self) -> str:
        """Source of the shown text."""
        return self._text

    @property
    def copy_buttons(self) -> tuple[QToolButton, ...]:
        """Copy buttons of the code blocks, top to bottom."""
        return tuple(self._copy_buttons)

    def set_markdown(self, text: str, *, is_final: bool = True) -> None:
        """Show this text; when final, code blocks get copy buttons."""
        self._text = text
        self._is_final = is_final
        self._render()

    def set_markdown_in_slices(self, text: str) -> Iterator[None]:
        """Render this text a little at each step of the iterator; show it at the end."""
        self._text = text
        self._is_final = True
        yield from self._render_in_slices(blocks=_SLICE_BLOCKS)

    def _on_anchor_clicked(self, address: QUrl) -> None:
        if address.scheme() in (SCHEME, NUMBER_SCHEME, UNSUPPORTED_SCHEME):
            self.cited.emit(address.toString())
        elif address.scheme() in ("http", "https"):
            open_url(address)

    def _restyle(self) -> None:
        self._apply_colours()
        self._render()

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            document = self._shown_document
            if document.textWidth() != width:
                document.setTextWidth(width)
            self._heights[width] = math.ceil(document.size().height())
        return self._heights[width]

    @override
    def sizeHint(self) -> QSize:
        width = max(self.width(), 100)
        return QSize(width, self.heightForWidth(width))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(60, 0)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls, not the text

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_copy_buttons()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if (
            event.type() == QEvent.Type.FontChange
            and self._text
            and self._font_pt() != self._body_pt
        ):
            self._render()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        # A layout may ask for the height at another width after the last change of size. Put right
        # here, it costs nothing where it is not seen.
        if self._shown_document.textWidth() != self.viewport().width():
            self._shown_document.setTextWidth(self.viewport().width())
        if self._decorations.codes or self._decorations.quotes:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for code in self._decorations.codes:
                self._paint_code(painter, code)
            for quote in self._decorations.quotes:
                box = self._block_rect(quote)
                painter.fillRect(
                    QRectF(0, box.top(), 3, box.height()), QColor(theme().palette.line)
                )
            painter.end()
        super().paintEvent(event)

    def _paint_code(self, painter: QPainter, code: BlockRange) -> None:
        palette = theme().palette
        box = self._code_rect(code)
        painter.setPen(QColor(palette.line))
        painter.setBrush(QColor(palette.panel))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)
        if code.language:
            font = self.font()
            font.setPointSizeF(self._font_pt() * 0.86)
            painter.setFont(font)
            painter.setPen(QColor(palette.quiet))
            label = QRectF(box.left() + CODE_PAD_PX + 4, box.top(), box.width(), CODE_HEADER_PX)
            painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, code.language)

    def _render(self) -> None:
        for _slice in self._render_in_slices(blocks=_ALL_BLOCKS):
            pass

    def _render_in_slices(self, *, blocks: int) -> Iterator[None]:
        # A new document, styled before it is shown: changing the visible one would lay it
        # out three times over.
        body_pt = self._font_pt()
        page = OfflineDocument(self)
        font = self.font()
        font.setPointSizeF(body_pt)
        load_markdown(page, self._text, font=font)
        yield
        decorations = yield from style_in_slices(
            page, theme().palette, body_pt=body_pt, blocks=blocks
        )
        self._show(page, decorations, body_pt)
        yield
        yield from self._update_copy_buttons()

    def _show(self, page: OfflineDocument, decorations: BlockDecorations, body_pt: float) -> None:
        cursor = self.textCursor()
        anchor, position = cursor.anchor(), cursor.position()
        self.setDocument(page)
        self._shown_document.deleteLater()
        self._shown_document = page
        self._decorations = decorations
        self._body_pt = body_pt
        if anchor != position:
            self._select(anchor, position)
        self._heights.clear()
        self._place_copy_buttons()
        self.updateGeometry()

    def _select(self, anchor: int, position: int) -> None:
        last = self.document().characterCount() - 1
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(anchor, last))
        cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def _font_pt(self) -> float:
        points = self.font().pointSizeF()
        return points if points > 0 else BODY_PT

    def _apply_colours(self) -> None:
        colours = _text_colours(self)
        colours.setColor(QPalette.ColorRole.Link, QColor(theme().palette.accent))
        self.setPalette(colours)

    def _block_rect(self, block_range: BlockRange) -> QRectF:
        document = self._shown_document
        layout = document.documentLayout()
        first = layout.blockBoundingRect(document.findBlockByNumber(block_range.first))
        last = layout.blockBoundingRect(document.findBlockByNumber(block_range.last))
        return QRectF(0, first.top(), self.viewport().width(), last.bottom() - first.top())

    def _code_rect(self, code: BlockRange) -> QRectF:
        return self._block_rect(code).adjusted(0, -CODE_HEADER_PX - CODE_PAD_PX / 2, 0, CODE_PAD_PX)

    def _update_copy_buttons(self) -> Iterator[None]:
        wanted = self._decorations.codes if self._is_final else ()
        while len(self._copy_buttons) > len(wanted):
            button = self._copy_buttons.pop()
            button.hide()
            button.deleteLater()
        while len(self._copy_buttons) < len(wanted):
            self._copy_buttons.append(self._copy_button(len(self._copy_buttons)))
            # Seventy buttons made at once held the event loop up.
            if len(self._copy_buttons) % _SLICE_BUTTONS == 0:
                yield
        sign = icon("copy", theme().palette.quiet, size_px=16) if wanted else QIcon()
        for button in self._copy_buttons:
            button.setIcon(sign)
        self._place_copy_buttons()

    def _copy_button(self, number: int) -> QToolButton:
        button = QToolButton(self.viewport())
        button.setFixedSize(CODE_HEADER_PX - 2, CODE_HEADER_PX - 2)
        button.setStyleSheet("min-width: 0; min-height: 0;")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        set_tooltip(button, _("Copy the code"))
        button.setAccessibleName(_("Copy the code"))
        button.clicked.connect(lambda: self._copy_code(number))
        button.show()
        return button

    def _place_copy_buttons(self) -> None:
        for button, code in zip(self._copy_buttons, self._decorations.codes, strict=False):
            box = self._code_rect(code)
            button.move(round(box.right()) - button.width() - 2, round(box.top()) + 1)

    def _copy_code(self, number: int) -> None:
        code = self._decorations.codes[number]
        document = self._shown_document
        lines = (document.findBlockByNumber(at).text() for at in range(code.first, code.last + 1))
        QGuiApplication.clipboard().setText("\n".join(lines))
        button = self._copy_buttons[number]
        button.setIcon(icon("check", theme().palette.good, size_px=16))
        QTimer.singleShot(
            _COPIED_MS,
            button,
            lambda: button.setIcon(icon("copy", theme().palette.quiet, size_px=16)),
        )


def _make_flat(view: QTextEdit) -> None:
    """Make a text view part of the page: no frame, no scroll bars, as high as its width asks."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setStyleSheet("QTextEdit { background: transparent; border: none; }")
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    set_height_for_width(view)


def _text_colours(view: QTextEdit) -> QPalette:
    palette = theme().palette
    colours = view.palette()
    colours.setColor(QPalette.ColorRole.Text, QColor(palette.text))
    colours.setColor(QPalette.ColorRole.Highlight, QColor(palette.accent))
    colours.setColor(QPalette.ColorRole.HighlightedText, QColor(palette.on_accent))
    return colours


_LONGEST_WORD = 2_000  # letters


def wrap_mode(text: str) -> QTextOption.WrapMode:
    """Return where lines of a text end: at words, unless one is as long as only pasted ones are.

    To find the end of a word takes Qt the square of its letters: 2 s for 120,000, at each layout.
    """
    if max(map(len, text.split()), default=0) > _LONGEST_WORD:
        return QTextOption.WrapMode.WrapAnywhere
    return QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


class PlainView(QTextEdit):
    """Read-only plain text without frame or scroll bars, as high as its content."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        _make_flat(self)
        self.document().setDocumentMargin(0)
        self.document().setUndoRedoEnabled(False)
        # Cached, for the page asks for heights whenever anything on it changes.
        self._heights: dict[int, int] = {}
        self._natural_width: float | None = None
        self._measured: QTextDocument | None = None
        self.textChanged.connect(self._clear_measures)
        theme().register(self._restyle)

    @override
    def setPlainText(self, text: str) -> None:
        self.setWordWrapMode(wrap_mode(text))
        super().setPlainText(text)

    def _restyle(self) -> None:
        self.setPalette(_text_colours(self))

    def natural_width(self) -> float:
        """Return the width of the text without line wrapping, in pixels."""
        if self._natural_width is None:
            document = self._measured_document()
            document.setTextWidth(-1)
            self._natural_width = document.idealWidth()
        return self._natural_width

    def _measured_document(self) -> QTextDocument:
        """Return the text once more, to be laid out at any width.

        The document that is shown would have to be laid out back each time: the twentieth of a
        second, for a word of ten thousand letters.
        """
        if self._measured is None:
            self._measured = self.document().clone()
            self._measured.documentLayout().setPaintDevice(self.viewport())
            self._measured.setDefaultFont(self.font())
        return self._measured

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            document = self._measured_document()
            document.setTextWidth(width)
            self._heights[width] = math.ceil(document.size().height())
        return self._heights[width]

    @override
    def sizeHint(self) -> QSize:
        width = max(self.width(), 100)
        return QSize(width, self.heightForWidth(width))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(40, 0)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls, not the text

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._clear_measures()

    def _clear_measures(self) -> None:
        self._heights.clear()
        self._natural_width = self._measured = None
        self.updateGeometry()


class CodeView(QFrame):
    """Python code with a button that copies it; as high as its lines, up to MOST_CODE_LINES.

    Signals:
        submitted: Ctrl+Enter was pressed in code that can be changed.
    """

    submitted = Signal()

    def __init__(self, code: str, *, is_editable: bool = False) -> None:
        super().__init__()
        self.editor = _Editor(is_editable=is_editable)
        self.editor.setPlainText(with_escapes(code))  # what is seen is what runs
        self.editor.submitted.connect(self.submitted)
        self._highlighter = CodeHighlighter(self.editor.document(), PYTHON)
        self.copy_button = IconButton("copy", _("Copy the code"), size_px=_COPY_ICON_PX)
        self.copy_button.clicked.connect(self._copy)
        self.setFocusProxy(self.editor)
        head = row_of(make_label("Python", role="small"), STRETCH, self.copy_button, spacing=4)
        column_of(head, self.editor, owner=self, spacing=0)

    @property
    def code(self) -> str:
        """The code as it stands now."""
        return self.editor.toPlainText()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code)
        self.copy_button.set_icon("check")
        QTimer.singleShot(_COPIED_MS, self.copy_button, lambda: self.copy_button.set_icon("copy"))


class _Editor(QPlainTextEdit):
    """The text itself: it indents, and gives the wheel to the page where it has nothing to scroll.

    Signals:
        submitted: Ctrl+Enter was pressed.
    """

    submitted = Signal()

    def __init__(self, *, is_editable: bool) -> None:
        super().__init__()
        self.setReadOnly(not is_editable)
        # Of code that a person agrees to, nothing stands beyond the edge.
        wrap = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(wrap.WidgetWidth if is_editable else wrap.NoWrap)
        self.setTabChangesFocus(True)
        self.setAccessibleName(_("Python code"))
        points = self.font().pointSizeF()
        self.setFont(monospace(points * 0.9 if points > 0 else SMALL_PT))
        if is_editable:
            self.setProperty("kind", "field")
        else:
            self.setFrameShape(QFrame.Shape.NoFrame)
            self.setStyleSheet(
                "QPlainTextEdit { background: transparent; border: none; padding: 0; }"
            )
            self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    @property
    def _line_count(self) -> int:
        return round(self.document().size().height())  # in lines, not in pixels

    def _fit(self) -> None:
        margins = self.contentsMargins()
        lines = min(max(self._line_count, 1), MOST_CODE_LINES)
        room = margins.top() + margins.bottom() + 2 * round(self.document().documentMargin())
        bar = self.horizontalScrollBar().sizeHint().height()
        line_px = self.cursorRect().height()  # the font says 15.4, which a line rounds up
        self.setFixedHeight(lines * line_px + room + bar)

    @override
    def sizeHint(self) -> QSize:
        self._fit()
        return QSize(super().sizeHint().width(), self.height())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.isReadOnly():
            super().keyPressEvent(event)
        elif is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
        elif is_enter:
            line = self.textCursor().block().text()
            indent = line[: len(line) - len(line.lstrip(" "))]
            deeper = INDENT if line.rstrip().endswith(":") else ""
            self.insertPlainText(f"\n{indent}{deeper}")
        else:
            super().keyPressEvent(event)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._line_count > MOST_CODE_LINES and self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # the page scrolls
