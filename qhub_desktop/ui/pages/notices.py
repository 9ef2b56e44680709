"""What the program says about a page: that it was stopped, and where a link would lead."""

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.pages.endings import Ending
from qhub_desktop.ui.theme import Palette

LONGEST_ADDRESS = 300


class StoppedNotice(QWidget):
    """Stands where a page was, says why it is not there any more, and offers to load it again.

    Signals:
        reload_asked: the person wants the page again.
    """

    reload_asked = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._why = QLabel()
        self._why.setWordWrap(True)
        self._why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reload_button = WordButton(_("Load the page again"), palette, icon_name="retry")
        self.reload_button.clicked.connect(self.reload_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch()
        column.addWidget(self._why)
        column.addWidget(self.reload_button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()

    def tell(self, ending: Ending) -> None:
        """Say why the page was stopped."""
        self._why.setText(_why(ending))

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self.reload_button.set_palette(palette)


class LinkQuestion(QFrame):
    """Asks before a link of a page is opened in the system's browser; the page waits for nothing.

    Signals:
        agreed: the address to open, a QUrl.
    """

    agreed = Signal(QUrl)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self._url = QUrl()
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self.open_button = WordButton(_("Open in the browser"), palette)
        self.open_button.clicked.connect(self._on_open_clicked)
        self.stay_button = WordButton(_("Stay here"), palette)
        self.stay_button.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(8)
        row.addWidget(self._words, 1)
        row.addWidget(self.open_button)
        row.addWidget(self.stay_button)
        self.hide()

    def ask(self, url: QUrl) -> None:
        """Show where the link leads, host first, and wait for the person."""
        self._url = url
        # As it will be sent: an address can carry a page's data, and a host can look like another.
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if len(address) > LONGEST_ADDRESS:
            address = f"{address[:LONGEST_ADDRESS]}… ({len(address)})"
        self._words.setText(
            _("The page wants to leave the program and open {host}:\n{address}").format(
                host=url.host(QUrl.ComponentFormattingOption.FullyEncoded) or url.scheme(),
                address=address,
            )
        )
        self.show()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self.open_button.set_palette(palette)
        self.stay_button.set_palette(palette)

    def _on_open_clicked(self) -> None:
        self.hide()
        self.agreed.emit(self._url)


def _why(ending: Ending) -> str:
    match ending:
        case "spinning":
            return _("This page did not stop computing, so it was stopped.")
        case "memory":
            return _("This page wanted too much memory, so it was stopped.")
        case "flooding":
            return _("This page kept the program too busy, so it was stopped.")
        case "strayed":
            return _("This page tried to become another one, so it was stopped.")
        case "died":
            return _("This page has broken down. The rest of the program is sound.")
