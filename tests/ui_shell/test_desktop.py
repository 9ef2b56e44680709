"""Our place in the desktop: the icon in every size, and what is opened in other programs."""

import os
import struct
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QImageReader
from PySide6.QtWidgets import QApplication

from qhub_desktop.ui import desktop

SIZES_PX = (16, 20, 24, 32, 40, 48, 64, 96, 128, 256)


def test_the_icon_has_every_size_that_windows_asks_for() -> None:
    content = desktop.ICON.read_bytes()
    _reserved, kind, count = struct.unpack_from("<HHH", content)
    entries = [struct.unpack_from("<BBBBHHII", content, 6 + 16 * n) for n in range(count)]
    reader = QImageReader(str(desktop.ICON))

    assert kind == 1
    assert [entry[0] or 256 for entry in entries] == [*SIZES_PX]
    assert all(entry[6] + entry[7] <= len(content) for entry in entries)
    for number, size in enumerate(SIZES_PX):
        assert reader.jumpToImage(number)
        image = reader.read()
        assert image.size() == QSize(size, size)
        corner, middle = image.pixelColor(0, 0), image.pixelColor(size // 2, size - size // 8 - 1)
        assert corner.alpha() < 128  # rounded
        assert middle.alpha() == 255
        assert middle.blue() > middle.red()


def test_the_application_wears_it(qapp: QApplication) -> None:
    desktop.identify(qapp)

    drawn: QImage = qapp.windowIcon().pixmap(64, 64).toImage()

    assert not qapp.windowIcon().isNull()
    assert drawn.pixelColor(32, 4).blue() > 100


@pytest.mark.parametrize(
    ("before", "seen"),
    [({"LD_LIBRARY_PATH_ORIG": "/opt/lib"}, "/opt/lib"), ({}, None)],
)
def test_other_programs_get_the_libraries_of_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, before: dict[str, str], seen: str | None
) -> None:
    found: list[str | None] = []
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/qhub/_internal")
    for name, value in before.items():
        monkeypatch.setenv(name, value)

    def look(url: QUrl) -> bool:
        found.append(os.environ.get("LD_LIBRARY_PATH"))
        return url.isLocalFile()

    monkeypatch.setattr(QDesktopServices, "openUrl", look)

    assert desktop.open_file(tmp_path)
    assert found == [seen]
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/qhub/_internal"


def test_from_source_nothing_is_taken_from_other_programs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found: list[str | None] = []
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/own")
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda _url: found.append(os.environ["LD_LIBRARY_PATH"])
    )

    desktop.open_file(tmp_path)

    assert found == ["/opt/own"]
