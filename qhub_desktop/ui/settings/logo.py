"""Logo of what is printed, as it is seen: below its setting, or why it cannot be used."""

from __future__ import annotations

import asyncio
import base64

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPixmap
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.layouts import column_of, make_label
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import WidgetTasks

WIDTH_PX, HEIGHT_PX = 240, 48


@settings_part("general", after="logo")
class LogoField(QWidget):
    """Picture of the logo that the settings name; a sentence where there is none in the file."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self.picture = make_label()
        self.picture.setAccessibleName(_("Logo"))
        # Paper is white, whatever the window is.
        self.picture.setStyleSheet("background: #FFFFFF; padding: 4px;")
        self.result = StatusLabel(role="bad")
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        column_of((self.picture, 0, Qt.AlignmentFlag.AlignLeft), self.result, owner=self, spacing=4)
        self._path: str | None = None
        live_settings = context.services.live_settings
        self._follow(live_settings.settings)
        stop = live_settings.listen(self._follow)
        self.destroyed.connect(lambda _gone: stop())

    def _follow(self, settings: Settings) -> None:
        if settings.logo == self._path:
            return
        self._path = settings.logo
        self.result.tell("")
        self.picture.hide()
        self.setVisible(bool(settings.logo))
        if settings.logo:
            self._work.start(self._load(settings))

    async def _load(self, settings: Settings) -> None:
        drawn = await asyncio.to_thread(_drawn, settings, self.devicePixelRatioF())
        if isValid(self) and settings.logo == self._path:
            self.picture.setPixmap(QPixmap.fromImage(drawn))
            self.picture.show()


def _drawn(settings: Settings, ratio: float) -> QImage:
    """Return the logo as high as it is shown. Raises UserError if it cannot be drawn."""
    from qhub_desktop.tools.page_printer import read_letterhead  # not before the dialog is shown

    head = read_letterhead(settings)
    buffer = QBuffer()
    buffer.setData(QByteArray(base64.b64decode(head.logo.partition(",")[2])))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    room = QSize(round(WIDTH_PX * ratio), round(HEIGHT_PX * ratio))
    if reader.size().isValid():
        reader.setScaledSize(reader.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio))
    drawn = reader.read()
    if drawn.isNull():
        raise UserError(
            _("The logo cannot be drawn: the picture is damaged or too large. Choose another one.")
        )
    drawn.setDevicePixelRatio(ratio)
    return drawn
