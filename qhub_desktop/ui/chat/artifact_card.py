"""An artifact in an answer: its source while it is written, then what it shows."""

import html
import re
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout
from shiboken6 import isValid

from qhub_desktop.charts import pages
from qhub_desktop.core.dashboard import Contents
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.fenced import Artifact, Kind
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.chat.artifact_stage import ArtifactStage
from qhub_desktop.ui.chat.markdown_view import MarkdownView
from qhub_desktop.ui.chat.spinner import Spinner
from qhub_desktop.ui.pages import engine
from qhub_desktop.ui.pages.awake import AwakePages
from qhub_desktop.ui.pages.locked_view import LockedView
from qhub_desktop.ui.saving import ask_place, png, save
from qhub_desktop.ui.theme import GRID_PX, Palette
from qhub_desktop.ui.widgets.windows import DetailWindow

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

    def __init__(self, kind: Kind, palette: Palette, awake: AwakePages) -> None:
        super().__init__()
        engine.warm()  # while it is still being written
        self._palette = palette
        self._awake = awake
        self._artifact = Artifact(kind, "", is_closed=False)
        self._document = ""
        self.stage: ArtifactStage | None = None
        self.setProperty("kind", "card")
        self._title = QLabel()
        self._title.setProperty("role", "heading")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._spinner = Spinner(palette)
        self.source = MarkdownView(palette)
        self._said = QLabel()
        self._said.setWordWrap(True)
        self._said.hide()
        self.source_button = IconButton("code", _("Source"), palette)
        self.source_button.setCheckable(True)
        self.source_button.toggled.connect(self._on_source_toggled)
        self.enlarge_button = IconButton("enlarge", _("Enlarge"), palette)
        self.enlarge_button.clicked.connect(self.enlarge)
        self.save_button = IconButton("save", _("Save"), palette)
        self.save_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.keep_button = WordButton(
            _("Keep as a dashboard"), palette, icon_name="pin", kind="flat"
        )
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
        view = LockedView(self._document, palette=self._palette)
        window.add(view, view)
        window.finished.connect(view.stop)
        window.show()
        view.setFocus()
        return window

    def copy_picture(self) -> None:
        """Put what is seen on the clipboard."""
        assert self.stage is not None
        QGuiApplication.clipboard().setImage(self.stage.image())
        self._say(_("Picture copied."))

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        self._spinner.set_palette(palette)
        self.source.set_palette(palette)
        for button in self._buttons:
            button.set_palette(palette)
        if self.stage is not None:
            self.stage.set_palette(palette)
        for window in self.findChildren(DetailWindow):
            window.set_palette(palette)

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
        self.stage = ArtifactStage(self._document, self._palette, self._awake, is_whole=is_whole)
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
        self.dashboard_wanted.emit(Contents(self.title, body))

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
