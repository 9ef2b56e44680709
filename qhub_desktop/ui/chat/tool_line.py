"""The line of a tool call: what it does, its input and output, and files that it made."""

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QPushButton, QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.message import CHANGED_INPUT, INTERRUPTED, Choice, plan_of_call
from qhub_desktop.core.paths import exports
from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.text import field_words, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, with_signs
from qhub_desktop.sandbox import DATA_MB, RUN_S
from qhub_desktop.ui.chat.markdown_style import monospace
from qhub_desktop.ui.chat.text_views import CodeView, PlainView
from qhub_desktop.ui.controls.buttons import TextButton, pixmap
from qhub_desktop.ui.controls.code_colours import SQL, CodeHighlighter
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import captioned, elided, set_tooltip
from qhub_desktop.ui.controls.progress import Spinner
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.theme import GRID_PX, RADIUS_PX, SMALL_PT, theme

_OPENABLE = {".xlsx"}


class FileLink(QWidget):
    """Link to a file made by a tool, and to its folder; says so when the file is gone."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self.open_button = self._link_button(_("Open {name}").format(name=file.name), self._open)
        self.folder_button = self._link_button(_("Show in its folder"), self._show_folder)
        self._missing_label = make_label(role="small")
        self._missing_label.hide()
        row = row_of(owner=self, margins=(2 * GRID_PX, 0, 0, 0))
        add_to(row, self.open_button, self.folder_button, self._missing_label, STRETCH)

    @property
    def error_text(self) -> str:
        """The error shown, "" for none."""
        return self._missing_label.text()

    def _link_button(self, words: str, does: Callable[[], None]) -> QPushButton:
        button = captioned(QPushButton(), words)
        button.setProperty("kind", "link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(does)
        return button

    def _open(self) -> None:
        if self._exists():
            open_file(self._file)

    def _show_folder(self) -> None:
        open_file(self._file.parent)

    def _exists(self) -> bool:
        is_there = self._file.is_file()
        self._missing_label.setText("" if is_there else _("It is no longer there."))
        self._missing_label.setVisible(not is_there)
        return is_there


def result_file(result: Json) -> Path | None:
    """Return the file that a call reports to have stored in the program's exports; None if none."""
    match result:
        # A bare name with a known suffix only, so that nothing else can be opened from here.
        case {"estado": "gravado", "ficheiro": str(name)}:
            is_bare = Path(name).name == name and Path(name).suffix.lower() in _OPENABLE
            try:
                return exports() / name if is_bare else None
            except OSError:  # the folder is none any more
                return None
        case _:
            return None


CODE = "code"  # the title of a section that is code
_HEIGHT_PX = 28
_STATE_ICON_PX = 14
_LEAST_PX = 120
_PREVIEW_CHARACTERS = 3_000
_MAX_CHARACTERS = 200_000


class ToolLine(QWidget):
    """Line of a tool call, from its start to its result.

    Signals:
        chosen: a Choice that runs the call's code again.
    """

    chosen = Signal(object)

    def __init__(self, name: str, arguments: JsonObject, *, label: str = "") -> None:
        super().__init__()
        self._name = name
        self._arguments = arguments
        self._result: Json = None
        self._source: Provenance | None = None
        self._details: _Details | None = None
        said = one_line(str(arguments.get("descricao") or "")) or label.rstrip("…")
        self._title = said or field_words(name)
        self._header = _Header(label or f"{self._title}…")
        self._header.clicked.connect(self.toggle)
        self._error_label = StatusLabel(role="bad")
        self._error_label.setContentsMargins(_STATE_ICON_PX + 12, 0, 0, 4)
        self._column = column_of(owner=self, spacing=4)
        add_to(self._column, (self._header, 0, Qt.AlignmentFlag.AlignLeft), self._error_label)

    @property
    def text(self) -> str:
        """The shown text, error included."""
        return " ".join(filter(None, (self._header.words, self._error_label.text())))

    @property
    def is_finished(self) -> bool:
        """Whether the call has ended."""
        return self._header.is_finished

    @property
    def is_open(self) -> bool:
        """Whether the details are open."""
        return self._details is not None

    @property
    def details(self) -> tuple[str, ...]:
        """The texts of the open details."""
        return self._details.texts if self._details is not None else ()

    def finish(
        self, result: Json, *, ms: int, is_error: bool = False, source: Provenance | None = None
    ) -> None:
        """Show the result of the call, after `ms` milliseconds."""
        self._result = result
        self._source = source
        if result == INTERRUPTED:  # told to a model in the words of its prompt
            words = _("{tool} · interrupted, perhaps carried out").format(tool=self._title)
            self._header.finish(words, is_error=False)
            return
        self._header.finish(f"{self._title} · {_duration(ms)}", is_error=is_error)
        if is_error:
            self._error_label.tell(_error_text(result))
        elif (file := result_file(result)) is not None:
            self._column.addWidget(FileLink(file))

    def interrupt(self) -> None:
        """Show that the call was interrupted."""
        self._header.finish(_("{tool} · stopped").format(tool=self._title), is_error=False)

    def toggle(self) -> None:
        """Open or close the details."""
        if self._details is not None:
            self._column.removeWidget(self._details)
            self._details.hide()
            self._details.deleteLater()
            self._details = None
        else:
            self._details = _Details(self._sections())
            if self._header.is_finished and self._code:
                self._details.add_action(_("Run again"), self._run_again)
            self._column.addWidget(self._details)
        self._header.set_open(is_open=self._details is not None)

    @property
    def _code(self) -> str:
        """The code that ran: as the person changed it, if they did."""
        changed = self._result.get(CHANGED_INPUT) if isinstance(self._result, dict) else None
        given = changed if isinstance(changed, dict) else self._arguments
        return str(given.get("codigo") or "")

    def _sections(self) -> list[tuple[str, str]]:
        if self._code:
            return self._code_sections()
        query = self._source.sql if self._source and self._source.sql else ""
        asked = self._arguments.get("sql") or self._arguments.get("consulta") or ""
        arguments = {
            key: value for key, value in self._arguments.items() if value != asked or not asked
        }
        sections = [(_("Input"), _json_text(arguments) if arguments else "")]
        sections.append((_("Query"), str(asked) or query))
        if self._header.is_finished:
            sections.append((_("Result"), _json_text(self._result)))
        return [(title, text) for title, text in sections if text]

    def _code_sections(self) -> list[tuple[str, str]]:
        result = self._result if isinstance(self._result, dict) else {}
        said = str(result.get("output") or result.get("erro") or result.get("estado") or "")
        sections = [(CODE, self._code)]
        if CHANGED_INPUT in result:
            sections.append((_("Changed by the person before it ran"), ""))
        if self._header.is_finished:
            sections.append((_("Output"), said.rstrip() or _("It printed nothing.")))
        limits = _("At most {seconds} s and {memory} MB; no files, no network.")
        sections.append((limits.format(seconds=round(RUN_S), memory=DATA_MB), ""))
        return sections

    def _run_again(self) -> None:
        label = _("Run again: {what}").format(what=self._title)
        plan = plan_of_call(self._name, {**self._arguments, "codigo": self._code})
        self.chosen.emit(Choice(label, plan))


class _Header(QAbstractButton):
    """The line itself, a button that looks like text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words = text
        self.is_finished = False
        self._is_error = False
        self._is_open = False
        self._is_hovered = False
        self._spinner = Spinner()
        self._spinner.setParent(self)
        self._spinner.move(4, (_HEIGHT_PX - self._spinner.height()) // 2)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(_HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._set_text(text)

    def finish(self, text: str, *, is_error: bool) -> None:
        self.is_finished = True
        self._is_error = is_error
        self._spinner.hide()
        self._set_text(text)

    def set_open(self, *, is_open: bool) -> None:
        self._is_open = is_open
        self.update()

    @override
    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._font()).horizontalAdvance(self.words)
        return QSize(4 + _STATE_ICON_PX + 8 + words + 6 + _STATE_ICON_PX + 8, _HEIGHT_PX)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_PX, _HEIGHT_PX)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._is_hovered or self.hasFocus():
            edge = palette.accent if self.hasFocus() else palette.hover
            painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
            painter.setBrush(QColor(palette.hover))
            box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(box, RADIUS_PX, RADIUS_PX)
        colour = palette.bad if self._is_error else palette.quiet
        middle = (_HEIGHT_PX - _STATE_ICON_PX) // 2
        if self.is_finished:
            self._draw(painter, "warning" if self._is_error else "check", 4, middle, colour)
        painter.setPen(QColor(colour))
        painter.setFont(self._font())
        left = 4 + _STATE_ICON_PX + 8
        room = self.width() - left - _STATE_ICON_PX - 10
        words = elided(self.words, painter.fontMetrics(), room)
        painter.drawText(
            QRectF(left, 0, room + 2, _HEIGHT_PX), Qt.AlignmentFlag.AlignVCenter, words
        )
        arrow = "chevron-down" if self._is_open else "chevron-right"
        at = left + painter.fontMetrics().horizontalAdvance(words) + 6
        self._draw(painter, arrow, at, middle, palette.quiet)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        self.update()
        super().enterEvent(event)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        self.update()
        super().leaveEvent(event)

    def _set_text(self, text: str) -> None:
        self.words = text
        self.setAccessibleName(_("Tool: {what}").format(what=text))
        set_tooltip(self, _("Show what went in and what came out"))
        self.updateGeometry()
        self.update()

    def _font(self) -> QFont:
        font = self.font()
        points = font.pointSizeF()
        font.setPointSizeF(points * 0.92 if points > 0 else SMALL_PT)
        return font

    def _draw(self, painter: QPainter, name: str, x: int, y: int, colour: str) -> None:
        picture = pixmap(name, colour, size_px=_STATE_ICON_PX, ratio=self.devicePixelRatioF())
        painter.drawPixmap(x, y, picture)


class _Details(QFrame):
    """Box of titled texts."""

    def __init__(self, sections: list[tuple[str, str]]) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self._column = column = column_of(owner=self, margins=(12, 8, 12, 10), spacing=4)
        self._texts: list[PlainView] = []
        for title, text in sections:
            if title is CODE:
                column.addWidget(CodeView(text.rstrip()))
                continue
            caption = make_label(title, role="small")
            column.addWidget(caption)
            if not text:
                continue
            view = self._text_view(text)
            if title == _("Query"):
                self._highlighter = CodeHighlighter(view.document(), SQL)
            column.addWidget(view)
            if len(text) > _PREVIEW_CHARACTERS:
                column.addWidget(self._show_all_button(text), alignment=Qt.AlignmentFlag.AlignLeft)

    @property
    def texts(self) -> tuple[str, ...]:
        codes = [view.code for view in self.findChildren(CodeView)]
        return (*codes, *(text.toPlainText() for text in self._texts))

    def add_action(self, words: str, does: Callable[[], None]) -> None:
        """Add a button at the foot."""
        button = TextButton(words, icon_name="retry")
        button.clicked.connect(does)
        add_to(self._column, GRID_PX // 2, (button, 0, Qt.AlignmentFlag.AlignLeft))

    def _text_view(self, text: str) -> PlainView:
        view = PlainView()
        view.setAccessibleName(_("What went in and what came out"))
        points = self.font().pointSizeF()
        view.setFont(monospace(points * 0.9 if points > 0 else SMALL_PT))
        view.setPlainText(with_signs(_truncated(text, _PREVIEW_CHARACTERS)))
        self._texts.append(view)
        return view

    def _show_all_button(self, text: str) -> QPushButton:
        view = self._texts[-1]
        size_kb = number(len(text) / 1024, digits=1)
        button = captioned(QPushButton(), _("Show all ({size} KB)").format(size=size_kb))
        button.setProperty("kind", "link")

        def show() -> None:
            view.setPlainText(with_signs(_truncated(text, _MAX_CHARACTERS)))
            view.updateGeometry()
            button.hide()

        button.clicked.connect(show)
        return button


def _duration(ms: int) -> str:
    return f"{ms} ms" if ms < 1_000 else f"{number(ms / 1000, digits=1)} s"


def _json_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _truncated(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _error_text(result: Json) -> str:
    match result:
        case {"erro": str(words)} | str(words):
            return words
        case _:
            return _("The tool could not do this.")
