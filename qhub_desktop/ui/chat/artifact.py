"""Artifacts in an answer: their source while it is written, then the page or its picture."""

import html
import re
from dataclasses import replace
from itertools import count
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QPixmapCache,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.charts import pages
from qhub_desktop.core.artifact import Artifact, Kind
from qhub_desktop.core.dashboard import DashboardSpec
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.thread import in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.text_views import MarkdownView
from qhub_desktop.ui.controls.buttons import IconButton, WordButton
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.progress import Spinner
from qhub_desktop.ui.controls.saving import ask_place, png, save
from qhub_desktop.ui.pages import engine
from qhub_desktop.ui.pages.engine import AwakePages
from qhub_desktop.ui.pages.locked_view import LockedView
from qhub_desktop.ui.theme import GRID_PX, RADIUS_PX, Palette, theme

LOWEST_PX = 120
DOCUMENT_PX = 420  # a whole document may be made for the height that it finds
HIGHEST_PX = 640  # above, it scrolls within itself
SEEN_MS = 150  # so long it must be in sight, for a page to be woken by scrolling past
WAKING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
GROWTHS = 12  # a page that is always a little higher than it may be does not grow for ever

_numbers = count()


class ArtifactStage(QWidget):
    """Shows one document, as high as its content. It is woken when it first comes into sight."""

    def __init__(self, document: str, pages: AwakePages, *, is_whole: bool) -> None:
        super().__init__()
        self._document = document
        self._pages = pages
        self._view: LockedView | None = None
        self._picture: Still | None = None
        self._is_drawn = False
        self._growths = 0
        self._noticing = QTimer(self)
        self._noticing.setSingleShot(True)
        self._noticing.setInterval(SEEN_MS)
        self._noticing.timeout.connect(self._on_noticed)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setFixedHeight(DOCUMENT_PX if is_whole else LOWEST_PX)
        self._invite()
        theme().follow(self._restyle)

    @property
    def view(self) -> LockedView | None:
        """The page, while it is awake."""
        return self._view

    @property
    def is_asleep(self) -> bool:
        """Whether a picture stands for the page."""
        return self._view is None and self._picture is not None

    @property
    def is_in_sight(self) -> bool:
        """Whether any of it is to be seen."""
        return self.isVisible() and not self.sight.isEmpty()

    @property
    def sight(self) -> QRect:
        """The part of it that is not scrolled away, in the window's coordinates.

        Qt's visible region leaves out what children cover, as the page does.
        """
        part, widget = self.rect(), self.parentWidget()
        part.translate(self.pos())
        while widget is not None:
            part &= widget.rect()
            if widget.isWindow():
                break
            part.translate(widget.pos())
            widget = widget.parentWidget()
        return part

    def image(self) -> QImage:
        """What is to be seen; null before it was drawn."""
        if self._view is not None:
            return self._view.grab().toImage()
        return self._picture.image() if self._picture is not None else QImage()

    def wake(self) -> None:
        """Let the page run."""
        if self._view is None:
            self._is_drawn = False
            self._growths = 0
            view = LockedView(self._document, palette=_on_card(theme().palette))
            view.is_embedded = True
            view.loaded.connect(self._on_loaded)
            view.resized.connect(self._fit)
            view.measured.connect(self._on_measured)
            self._view = view
            self._column.addWidget(view)
            self.setCursor(Qt.CursorShape.ArrowCursor)
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pages.add(self)

    def fall_asleep(self) -> None:
        """Become a picture; a page that was not drawn yet is opened again when it is seen."""
        if self._view is None:
            return
        if self._is_drawn and self._view.ending is None:
            self._picture = Still(self._view.grab().toImage())
        self._let_go()
        self._invite()

    def _restyle(self) -> None:
        if self._view is not None:
            self._view.apply_palette(_on_card(theme().palette))
        self._picture = None  # it shows the old colours: drawn anew when it is seen

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._view is not None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._picture is None:
            painter.setPen(QColor(theme().palette.quiet))
            words = _("Opening…") if self._pages.has_room else _("Click to open")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
            self._noticing.start()
            return
        pixmap = self._picture.pixmap()
        height = pixmap.height() * self.width() / max(1, pixmap.width())
        painter.drawPixmap(QRectF(0, 0, self.width(), height), pixmap, QRectF(pixmap.rect()))
        self._paint_sign(painter)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._view is None and event.button() is Qt.MouseButton.LeftButton:
            self.wake()
        super().mouseReleaseEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._view is None and event.key() in WAKING_KEYS:
            self.wake()
            return
        super().keyPressEvent(event)

    def _paint_sign(self, painter: QPainter) -> None:
        """A quiet word that this is only a picture."""
        palette = theme().palette
        words = _("Paused: click to let it run")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = painter.fontMetrics()
        width, height = metrics.horizontalAdvance(words) + 2 * GRID_PX, metrics.height() + GRID_PX
        box = QRectF(self.width() - width - GRID_PX, GRID_PX, width, height)
        painter.setPen(QColor(palette.line))
        painter.setBrush(QColor(palette.panel))
        painter.drawRoundedRect(box, RADIUS_PX, RADIUS_PX)
        painter.setPen(QColor(palette.quiet))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        if self.hasFocus():
            painter.setPen(QColor(palette.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _let_go(self) -> None:
        assert self._view is not None
        self._view.stop()
        self._column.removeWidget(self._view)
        self._view.hide()
        self._view.deleteLater()
        self._view = None
        self._pages.remove(self)
        self.update()

    def _invite(self) -> None:
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(_("Paused page. Press Enter to let it run."))

    def _on_noticed(self) -> None:
        if self._view is not None or self.is_asleep or not self.is_in_sight:
            return
        if self._pages.has_room:
            self.wake()
        else:
            self._noticing.start()  # others may be scrolled away

    def _on_loaded(self) -> None:
        self._is_drawn = True
        self._fit()

    def _fit(self) -> None:
        """Be as high as the content, once that is loaded."""
        if self._view is not None and self._is_drawn:
            self._view.measure()

    def _on_measured(self, height: int) -> None:
        wanted = max(LOWEST_PX, min(height, HIGHEST_PX))
        if wanted > self.height() and self._growths < GROWTHS:
            self._growths += 1
            self.setFixedHeight(wanted)


class Still:
    """A picture that soon takes little room: a hundred of them take less than one page.

    It is packed on a thread, for that may take longer than the window's may be held up.
    """

    def __init__(self, image: QImage) -> None:
        self._image = image
        self._packed = b""
        self._key = f"still-{next(_numbers)}"  # the cache forgets by itself what is not looked at
        in_background(self._pack, "pack-picture")

    def image(self) -> QImage:
        """The picture."""
        image, packed = self._image, self._packed  # in this order: the thread has the other
        return QImage.fromData(packed) if packed else image

    def pixmap(self) -> QPixmap:
        """The same, for painting."""
        pixmap = QPixmap()
        if not QPixmapCache.find(self._key, pixmap):
            pixmap = QPixmap.fromImage(self.image())
            QPixmapCache.insert(self._key, pixmap)
        return pixmap

    def _pack(self) -> None:
        self._packed = png(self._image)
        self._image = QImage()


def _on_card(palette: Palette) -> Palette:
    """The colours of a page that stands on a card."""
    return replace(palette, page=palette.card)


TAIL_LINES = 8  # of the source, while it is being written
LONGEST_TITLE = 80

_TITLE = re.compile(r"<(title|h[1-3])\b[^>]*>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>|\{[^{}]*\}")


class ArtifactCard(QFrame):
    """One page or drawing.

    Signals:
        dashboard_wanted: it is to be kept as a dashboard; carries its Contents.
    """

    dashboard_wanted = Signal(object)

    def __init__(self, kind: Kind, awake: AwakePages) -> None:
        super().__init__()
        engine.preload()  # while it is still being written
        self._awake = awake
        self._artifact = Artifact(kind, "", is_closed=False)
        self._document = ""
        self.stage: ArtifactStage | None = None
        self.setProperty("kind", "card")
        self._title = QLabel()
        self._title.setProperty("role", "heading")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._spinner = Spinner()
        self.source = MarkdownView()
        self._said = QLabel()
        self._said.setWordWrap(True)
        self._said.hide()
        self.source_button = IconButton("code", _("Source"))
        self.source_button.setCheckable(True)
        self.source_button.toggled.connect(self._on_source_toggled)
        self.enlarge_button = IconButton("enlarge", _("Enlarge"))
        self.enlarge_button.clicked.connect(self.enlarge)
        self.save_button = IconButton("save", _("Save"))
        self.save_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.keep_button = WordButton(_("Keep as a dashboard"), icon_name="pin", kind="flat")
        self.keep_button.clicked.connect(self._on_keep_clicked)
        self._build()
        self._call(_("Drawing…"))

    @property
    def text(self) -> str:
        """As it stands in the answer, in Markdown."""
        return self._artifact.markdown

    @property
    def title(self) -> str:
        """What it calls itself."""
        return title_of(self._artifact)

    def add_code(self, code: str) -> None:
        """Some more of its source."""
        written = self._artifact.source + code
        self._artifact = Artifact(self._artifact.kind, written, is_closed=False)
        tail = "\n".join(written.rstrip("\n").split("\n")[-TAIL_LINES:])
        shown = Artifact(self._artifact.kind, tail)
        self.source.set_markdown(shown.markdown, is_final=False)

    def end(self, artifact: Artifact) -> None:
        """All of its source: show what it draws. One that broke off stays as its source."""
        self._artifact = artifact
        self._spinner.hide()
        self.source.set_markdown("")
        self.source.hide()
        if artifact.is_closed:
            self._call(self.title)
            self._set_stage(artifact)
        else:
            self._call(_("Interrupted"))
            self.source_button.setChecked(True)

    def enlarge(self) -> DetailWindow:
        """Show it in a window of its own, where it runs anew."""
        window = DetailWindow(self, self.title, wanted=QSize(1180, 800))
        view = LockedView(self._document)
        window.add(view)
        window.finished.connect(view.stop)
        window.show()
        view.setFocus()
        return window

    def copy_picture(self) -> None:
        """Put what is seen on the clipboard."""
        assert self.stage is not None
        QGuiApplication.clipboard().setImage(self.stage.image())
        self._say(_("Picture copied."))

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GRID_PX // 2)
        top.addStrut(self.save_button.sizeHint().height())  # the buttons come when it is drawn
        top.addWidget(self._spinner)
        top.addSpacing(GRID_PX // 2)
        top.addWidget(self._title, 1)
        for button in self._buttons:
            button.hide()
            top.addWidget(button)
        self._inner = QVBoxLayout()
        self._inner.setContentsMargins(0, 0, GRID_PX, 0)
        self._inner.setSpacing(GRID_PX)
        self._inner.addWidget(self.source)
        self._inner.addWidget(self._said)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, GRID_PX, GRID_PX, GRID_PX + 4)
        column.setSpacing(GRID_PX // 2)
        column.addLayout(top)
        column.addLayout(self._inner)

    @property
    def _buttons(self) -> tuple[IconButton | WordButton, ...]:
        return (self.keep_button, self.source_button, self.enlarge_button, self.save_button)

    def _call(self, name: str) -> None:
        self._title.setText(name)
        self.setAccessibleName(name)

    def _set_stage(self, artifact: Artifact) -> None:
        self._document = pages.document(artifact.source, title=self.title, kind=artifact.kind)
        is_whole = artifact.kind == "html" and pages.is_document(artifact.source)
        self.stage = ArtifactStage(self._document, self._awake, is_whole=is_whole)
        self._inner.insertWidget(0, self.stage)
        self._fill_menu(artifact.kind)
        for button in self._buttons:
            button.show()

    def _fill_menu(self, kind: Kind) -> None:
        menu = QMenu(self)
        menu.addAction(_("Copy picture")).triggered.connect(self.copy_picture)
        menu.addAction(_("Save as PNG…")).triggered.connect(self._save_png)
        if kind == "svg":
            menu.addAction(_("Save as SVG…")).triggered.connect(self._save_svg)
        menu.addAction(_("Save as HTML…")).triggered.connect(self._save_html)
        self.save_button.setMenu(menu)

    def _on_source_toggled(self, is_wanted: bool) -> None:  # noqa: FBT001  Qt's signal
        if is_wanted and not self.source.markdown:
            self.source.set_markdown(self._artifact.markdown)
        self.source.setVisible(is_wanted)
        if self.stage is not None:
            self.stage.setVisible(not is_wanted)

    def _on_keep_clicked(self) -> None:
        # A dashboard's body is HTML: what was written in React goes there as its whole document.
        is_jsx = self._artifact.kind == "jsx"
        body = self._document if is_jsx else self._artifact.source
        self.dashboard_wanted.emit(DashboardSpec(self.title, body))

    def _save_png(self) -> None:
        ask_place(self, self.title, kind=_("PNG picture"), suffix=".png", then=self._write_png)

    def _save_svg(self) -> None:
        ask_place(self, self.title, kind=_("SVG drawing"), suffix=".svg", then=self._write_svg)

    def _save_html(self) -> None:
        ask_place(self, self.title, kind=_("Web page"), suffix=".html", then=self._write_html)

    def _write_png(self, name: str) -> None:
        assert self.stage is not None
        self._write(png(self.stage.image()), name)

    def _write_svg(self, name: str) -> None:
        self._write(self._artifact.source.encode("utf-8"), name)

    def _write_html(self, name: str) -> None:
        self._write(pages.self_contained(self._document).encode("utf-8"), name)

    def _write(self, content: bytes, name: str) -> None:
        if not isValid(self):
            return
        file = Path(name)
        try:
            save(content, file)
        except UserError as error:
            self._say(str(error), role="bad")
            return
        self._say(_("Saved as {name}.").format(name=file.name))

    def _say(self, words: str, *, role: str = "small") -> None:
        self._said.setProperty("role", role)
        self._said.style().polish(self._said)
        self._said.setText(words)
        self._said.show()


def title_of(artifact: Artifact) -> str:
    """What an artifact calls itself: its title, or its first heading."""
    for found in _TITLE.finditer(artifact.source):
        words = " ".join(html.unescape(_TAG.sub(" ", found[2])).split())
        if words:
            return words[:LONGEST_TITLE]
    return _("Drawing") if artifact.kind == "svg" else _("Page")
