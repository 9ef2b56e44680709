"""Artifacts in an answer: their source while being written, then the page or its picture."""

import html
import re
from collections.abc import Sequence
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
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.charts import html_document, svg_file
from qhub_desktop.core.artifact import Artifact, ArtifactKind
from qhub_desktop.core.dashboard import DashboardSpec
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.threads import in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.chat.text_views import MarkdownView
from qhub_desktop.ui.controls.buttons import IconButton, TextButton
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label
from qhub_desktop.ui.controls.plain_text import LONGEST_WORD_OF_TITLE, add_action, breakable
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.progress import Spinner
from qhub_desktop.ui.controls.saving import png, save
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.theme import GRID_PX, RADIUS_PX, Palette, theme
from qhub_desktop.ui.web import web_engine
from qhub_desktop.ui.web.locked_view import Embedding, LockedView
from qhub_desktop.ui.web.web_engine import AwakePages

LOWEST_PX = 120
SCREEN_PX = 420  # height of a page that is made to fill a screen
HIGHEST_PX = 640  # of a page that scrolls inside
WHOLE_PX = 680  # up to here, a page is shown whole: scrolling by a few pixels is a nuisance
EMBEDDING = Embedding(pane_px=WHOLE_PX, screen_px=SCREEN_PX)
SEEN_MS = 150  # visible for so long before it is woken: scrolling past wakes no page
WAKING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
GROWTHS = 12  # at most: a page may go on adding to itself
REMEMBERED = 500  # sizes of documents: a conversation opened again does not move

_numbers = count()
# Width and height by the document's hash, latest last: the documents themselves may be large.
_sizes: dict[int, tuple[int, int]] = {}


class ArtifactStage(QWidget):
    """Shows one document, as high as its content; its page is started when first visible."""

    def __init__(
        self, document: str, awake: AwakePages, *, is_whole: bool, is_drawing: bool
    ) -> None:
        super().__init__()
        self._document = document
        self._is_drawing = is_drawing
        self._awake = awake
        self._view: LockedView | None = None
        self._picture: Still | None = None
        self._is_drawn = False
        self._growths = 0
        self._noticing = QTimer(self)
        self._noticing.setSingleShot(True)
        self._noticing.setInterval(SEEN_MS)
        self._noticing.timeout.connect(self._on_noticed)
        self._column = column_of(owner=self, spacing=None)
        # Of these, the width is the one at which the height was fitted.
        usual = SCREEN_PX if is_whole else LOWEST_PX
        self._fitted_width, height = _sizes.get(hash(document), (0, usual))
        self.setFixedHeight(height)
        self._invite()
        theme().on_change(self._restyle)

    @property
    def view(self) -> LockedView | None:
        """View of the page; None while it sleeps."""
        return self._view

    @property
    def is_asleep(self) -> bool:
        """Whether a picture is shown in place of the page."""
        return self._view is None and self._picture is not None

    @property
    def is_in_sight(self) -> bool:
        """Whether any part is visible."""
        return self.isVisible() and not self.sight.isEmpty()

    @property
    def sight(self) -> QRect:
        """Part that is not scrolled away, in coordinates of the window.

        QWidget.visibleRegion cannot be used: it excludes what children cover, as the page does.
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
        """Return the current picture; null before the first one."""
        if self._view is not None:
            return self._view.grab().toImage()
        return self._picture.image() if self._picture is not None else QImage()

    def wake(self) -> None:
        """Start the page."""
        if self._view is None:
            self._is_drawn = False
            self._growths = 0
            shown = self._document
            if not self._is_drawing:  # which is made for any height
                shown = html_document.for_card(shown, screen_px=SCREEN_PX)
            view = LockedView(shown, palette=_on_card(theme().palette))
            view.embed(EMBEDDING)
            view.loaded.connect(self._on_loaded)
            view.measured.connect(self._on_measured)
            self._view = view
            self._column.addWidget(view)
            view.show()
            self._column.activate()  # its size from the start: the page need not be laid out twice
            self.setCursor(Qt.CursorShape.ArrowCursor)
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._awake.add(self)

    def fall_asleep(self) -> None:
        """Replace the page by its picture; one not drawn yet is opened again when visible."""
        if self._view is None:
            return
        if self._is_drawn and self._view.ending is None:
            self._picture = Still(self._view.grab().toImage())
        self._let_go()
        self._invite()

    def _restyle(self) -> None:
        if self._view is not None:
            self._view.apply_palette(_on_card(theme().palette))
        self._picture = None  # in the old colours: drawn anew when visible

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._view is not None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._picture is None:
            painter.setPen(QColor(theme().palette.quiet))
            words = _("Opening…") if self._awake.has_room else _("Click to open")
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
        """Paint a note that this is only a picture."""
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
        self._awake.remove(self)
        self.update()

    def _invite(self) -> None:
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(_("Paused page. Press Enter to let it run."))

    def _on_noticed(self) -> None:
        if self._view is not None or self.is_asleep or not self.is_in_sight:
            return
        if self._awake.has_room:
            self.wake()
        else:
            self._noticing.start()  # others may have been scrolled away

    def _on_loaded(self) -> None:
        self._is_drawn = True

    def _on_measured(self, height: int) -> None:
        assert self._view is not None
        wanted = max(LOWEST_PX, height if height <= WHOLE_PX else HIGHEST_PX)
        # Fitted once, it only grows: what closes under the reader's hand must not move the rest.
        if wanted > self.height() or self.width() != self._fitted_width:
            self._growths += 1
            self._fitted_width = self.width()
            self.setFixedHeight(wanted)
            _remember(self._document, self._fitted_width, wanted)
        if self._growths >= GROWTHS:
            self._view.stop_measuring()


def _remember(document: str, width: int, height: int) -> None:
    _sizes.pop(hash(document), None)
    _sizes[hash(document)] = width, height
    if len(_sizes) > REMEMBERED:
        del _sizes[next(iter(_sizes))]


class Still:
    """A picture that is compressed soon: a hundred of them take less memory than one page.

    It is compressed on a thread, for that takes too long on the window's.
    """

    def __init__(self, image: QImage) -> None:
        self._image = image
        self._packed = b""
        self._key = f"still-{next(_numbers)}"  # QPixmapCache evicts what is not used
        in_background(self._pack, "pack-picture")

    def image(self) -> QImage:
        """Return the picture as an image."""
        # Read in this order: the thread writes in the other.
        image, packed = self._image, self._packed
        return QImage.fromData(packed) if packed else image

    def pixmap(self) -> QPixmap:
        """Return the picture as a pixmap, for painting."""
        pixmap = QPixmap()
        if not QPixmapCache.find(self._key, pixmap):
            pixmap = QPixmap.fromImage(self.image())
            QPixmapCache.insert(self._key, pixmap)
        return pixmap

    def _pack(self) -> None:
        self._packed = png(self._image)
        self._image = QImage()


def _on_card(palette: Palette) -> Palette:
    """Return the palette of a page on a card."""
    return replace(palette, page=palette.card)


TAIL_LINES = 8  # of the source shown while it is being written
LONGEST_TITLE = 80
MOST_NAMED = 3  # libraries, under a page that lacks them

_TITLE = re.compile(r"<(title|h[1-3])\b[^>]*>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>|\{[^{}]*\}")


class ArtifactCard(QFrame):
    """Card of an artifact: a page or a drawing.

    Signals:
        dashboard_requested: its DashboardSpec, to be stored as a dashboard.
        exported: the file that it was saved as, and a number of rows, which is 0.
    """

    dashboard_requested = Signal(object)
    exported = Signal(object, int)

    def __init__(self, kind: ArtifactKind, awake: AwakePages) -> None:
        super().__init__()
        web_engine.preload()  # while it is still being written
        self._awake = awake
        self._artifact = Artifact(kind, "", is_closed=False)
        self._document = ""
        self.stage: ArtifactStage | None = None
        self.setProperty("kind", "card")
        self._title = make_label(role="heading", is_wrapped=True)
        self._spinner = Spinner()
        self.source = MarkdownView()
        self._said = StatusLabel(role="small")
        self.source_button = IconButton("code", _("Source"))
        self.source_button.setCheckable(True)
        self.source_button.toggled.connect(self._on_source_toggled)
        self.enlarge_button = IconButton("enlarge", _("Enlarge"), on_click=self.enlarge)
        self.save_button = IconButton("save", _("Save"))
        self.save_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.keep_button = TextButton(_("Keep as a dashboard"), icon_name="pin", kind="flat")
        self.keep_button.clicked.connect(self._on_keep_clicked)
        self._build()
        self._call(_("Drawing…"))

    @property
    def text(self) -> str:
        """Artifact as Markdown, as in the answer."""
        return self._artifact.markdown

    @property
    def title(self) -> str:
        """Title of the artifact."""
        return title_of(self._artifact)

    def add_code(self, code: str) -> None:
        """Add streamed source."""
        written = self._artifact.source + code
        self._artifact = Artifact(self._artifact.kind, written, is_closed=False)
        tail = "\n".join(written.rstrip("\n").split("\n")[-TAIL_LINES:])
        shown = Artifact(self._artifact.kind, tail)
        self.source.set_markdown(shown.markdown, is_final=False)

    def end(self, artifact: Artifact) -> None:
        """Show the complete artifact; one that was cut off stays as source."""
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
        """Open the artifact in a window, where it runs anew."""
        window = DetailWindow(self, self.title, size=QSize(1180, 800))
        view = LockedView(self._document)
        window.add(view)
        window.finished.connect(view.stop)
        window.show()
        view.setFocus()
        return window

    def copy_picture(self) -> None:
        """Copy the current picture to the clipboard."""
        assert self.stage is not None
        QGuiApplication.clipboard().setImage(self.stage.image())
        self._said.tell(_("Picture copied."))

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GRID_PX // 2)
        top.addStrut(self.save_button.sizeHint().height())  # the buttons appear when it is drawn
        add_to(top, self._spinner, GRID_PX // 2, (self._title, 1))
        for button in self._buttons:
            button.hide()
            top.addWidget(button)
        self._inner = column_of(self.source, self._said, margins=(0, 0, GRID_PX, 0))
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, GRID_PX, GRID_PX, GRID_PX + 4)
        column.setSpacing(GRID_PX // 2)
        add_to(column, top, self._inner)

    @property
    def _buttons(self) -> tuple[IconButton | TextButton, ...]:
        return (self.keep_button, self.source_button, self.enlarge_button, self.save_button)

    def _call(self, name: str) -> None:
        self._title.setText(breakable(name, longest=LONGEST_WORD_OF_TITLE))
        self.setAccessibleName(name)

    def _set_stage(self, artifact: Artifact) -> None:
        self._document = html_document.build(artifact.source, title=self.title, kind=artifact.kind)
        is_whole = artifact.kind == "html" and html_document.is_document(artifact.source)
        self.stage = ArtifactStage(
            self._document, self._awake, is_whole=is_whole, is_drawing=artifact.kind == "svg"
        )
        self._inner.insertWidget(0, self.stage)
        missing = html_document.missing_libraries(artifact.source)
        if missing:
            self._said.tell(_missing_words(missing))
        self._fill_menu(artifact.kind)
        for button in self._buttons:
            button.show()

    def _fill_menu(self, kind: ArtifactKind) -> None:
        menu = QMenu(self)
        add_action(menu, _("Copy picture"), self.copy_picture)
        add_action(menu, _("Save as PNG…"), self._save_png)
        if kind == "svg":
            add_action(menu, _("Save as SVG…"), self._save_svg)
        add_action(menu, _("Save as HTML…"), self._save_html)
        self.save_button.setMenu(menu)

    def _on_source_toggled(self, is_wanted: bool) -> None:  # noqa: FBT001  Qt's signal
        if is_wanted and not self.source.markdown:
            self.source.set_markdown(self._artifact.markdown)
        self.source.setVisible(is_wanted)
        if self.stage is not None:
            self.stage.setVisible(not is_wanted)

    def _on_keep_clicked(self) -> None:
        # A dashboard's body is HTML: React goes there as its complete document.
        is_jsx = self._artifact.kind == "jsx"
        body = self._document if is_jsx else self._artifact.source
        self.dashboard_requested.emit(DashboardSpec(self.title, body))

    def _save_png(self) -> None:
        open_save_dialog(
            self, self.title, kind=_("PNG picture"), suffix=".png", on_selected=self._write_png
        )

    def _save_svg(self) -> None:
        open_save_dialog(
            self, self.title, kind=_("SVG drawing"), suffix=".svg", on_selected=self._write_svg
        )

    def _save_html(self) -> None:
        open_save_dialog(
            self, self.title, kind=_("Web page"), suffix=".html", on_selected=self._write_html
        )

    def _write_png(self, name: str) -> None:
        assert self.stage is not None
        self._write(png(self.stage.image()), name)

    def _write_svg(self, name: str) -> None:
        if not isValid(self):
            return
        try:
            drawing = svg_file.inert_drawing(self._artifact.source)
        except UserError as error:
            self._said.tell_error(error)
            return
        said = _("Saved as {name}.")
        if not drawing.is_whole:
            said = _("Saved as {name}, without what would load or run something when it is opened.")
        self._write(drawing.content, name, said=said)

    def _write_html(self, name: str) -> None:
        whole = html_document.self_contained(self._document, title=self.title)
        self._write(whole.encode("ascii"), name)

    def _write(self, content: bytes, name: str, *, said: str = "") -> None:
        if not isValid(self):
            return
        file = Path(name)
        try:
            save(content, file)
        except UserError as error:
            self._said.tell_error(error)
            return
        self._said.tell_saved((said or _("Saved as {name}.")).format(name=file.name), file)
        self.exported.emit(file, 0)


def _missing_words(names: Sequence[str]) -> str:
    """Return what is said under a page that asks for libraries which are not here."""
    return _(
        "Shown without {names}, which the page asks the network for: it may look plainer."
    ).format(names=", ".join(names[:MOST_NAMED]))


def title_of(artifact: Artifact) -> str:
    """Return the title of an artifact, or its first heading."""
    for found in _TITLE.finditer(artifact.source):
        words = " ".join(html.unescape(_TAG.sub(" ", found[2])).split())
        if words:
            return words[:LONGEST_TITLE]
    return _("Drawing") if artifact.kind == "svg" else _("Page")
