"""One data set in the right column: its file, its columns, and what can be done with it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.column_view import ColumnView
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.offer_box import Action, OfferBox
from qhub_desktop.ui.theme import Painted, Palette

FIRST_COLUMNS = 24  # a wide file shows the others when they are asked for


class DatasetCard(QFrame):
    """Opens and folds; its columns open one by one.

    Signals:
        preview_wanted: all rows are to be shown.
        removal_wanted: the data set is to leave the conversation.
    """

    preview_wanted = Signal()
    removal_wanted = Signal()

    def __init__(
        self, profile: DatasetProfile, palette: Palette, *, is_log: bool, is_open: bool
    ) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.profile = profile
        self.is_log = is_log
        self._palette = palette
        self._picture = QLabel()
        self._fold = IconButton("chevron-down", "", palette)
        self._fold.clicked.connect(self._on_fold_clicked)
        title = _("Defect log") if is_log else profile.file
        name = ElidedLabel(title, role="heading")
        size = QLabel(_unbroken(size_of(profile)))
        size.setProperty("role", "small")
        size.setTextFormat(Qt.TextFormat.PlainText)
        size.setWordWrap(True)
        size.setMinimumWidth(24)  # a long sheet's name must not widen the card
        self.setAccessibleName(f"{title}, {size_of(profile)}")
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(name)
        words.addWidget(size)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        head.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignTop)

        self._preview = WordButton(_("Preview"), palette, icon_name="table", kind="flat")
        self._preview.clicked.connect(self.preview_wanted)
        self._buttons: list[WordButton | IconButton] = [self._preview]
        self.offers: list[OfferBox] = []
        doing = QHBoxLayout()
        doing.setSpacing(4)
        doing.addWidget(self._preview)
        doing.addStretch(1)
        if not is_log:
            remove = IconButton("trash", _("Take it out of this conversation"), palette)
            remove.clicked.connect(self.removal_wanted)
            self._buttons.append(remove)
            doing.addWidget(remove)

        self._body = QWidget()
        self.columns: list[ColumnView] = []
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        for warning in profile.warnings:
            said = QLabel(warning)
            said.setProperty("role", "warn")
            said.setWordWrap(True)
            said.setContentsMargins(8, 0, 8, 6)
            self._column.addWidget(said)
        self._add_columns(0, FIRST_COLUMNS)
        hidden = len(profile.columns) - len(self.columns)
        if hidden > 0:
            words_of_more = ngettext(
                "Show {count} more column", "Show {count} more columns", hidden
            )
            more = WordButton(words_of_more.format(count=hidden), palette, kind="link")
            more.clicked.connect(lambda: self._on_more_clicked(more))
            self._column.addWidget(more)
        self._column.addLayout(doing)

        column = QVBoxLayout(self)
        column.setContentsMargins(8, 10, 8, 8)
        column.setSpacing(6)
        head.setContentsMargins(8, 0, 0, 0)
        column.addLayout(head)
        self.extra = QWidget()
        self._offers = QVBoxLayout(self.extra)
        self._offers.setContentsMargins(4, 0, 4, 2)
        self._offers.setSpacing(6)
        self.extra.hide()
        column.addWidget(self.extra)
        column.addWidget(self._body)
        self._body.setVisible(is_open)
        self.set_palette(palette)

    def offer(self, words: str, actions: Sequence[Action]) -> OfferBox:
        """Say something about this data set, with what can be done; the first is the usual one."""
        box = OfferBox(words, actions, self._palette)
        self.offers.append(box)
        self._offers.addWidget(box)
        self.extra.show()
        box.dismissed.connect(lambda: self._on_offer_dismissed(box))
        return box

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        ratio = self.devicePixelRatioF()
        self._picture.setPixmap(pixmap("database", palette.accent, size_px=20, ratio=ratio))
        is_open = not self._body.isHidden()
        self._fold.set_tip(_("Fold") if is_open else _("Open"))
        self._fold.set_icon("chevron-up" if is_open else "chevron-down", palette)
        painted: list[Painted] = [*self._buttons, *self.columns, *self.offers]
        for each in painted:
            each.set_palette(palette)

    def _add_columns(self, start: int, end: int) -> None:
        for position, column in enumerate(self.profile.columns[start:end], start):
            view = ColumnView(column, rows=self.profile.rows, palette=self._palette)
            self.columns.append(view)
            self._column.insertWidget(position + len(self.profile.warnings), view)

    def _on_offer_dismissed(self, box: OfferBox) -> None:
        self.offers.remove(box)
        self.extra.setVisible(bool(self.offers))

    def _on_more_clicked(self, button: WordButton) -> None:
        button.hide()
        self._add_columns(len(self.columns), len(self.profile.columns))

    def _on_fold_clicked(self) -> None:
        self._body.setVisible(self._body.isHidden())
        self.set_palette(self._palette)


def _unbroken(size: str) -> str:
    """The size with line breaks between its parts only."""
    return " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in size.split(" · "))


def size_of(profile: DatasetProfile) -> str:
    """The sheet, how many rows and how many columns."""
    rows = ngettext("{count} row", "{count} rows", profile.rows)
    columns = ngettext("{count} column", "{count} columns", len(profile.columns))
    return " · ".join(
        filter(
            None,
            (
                profile.sheet,
                rows.format(count=number(profile.rows, digits=0)),
                columns.format(count=len(profile.columns)),
            ),
        )
    )
