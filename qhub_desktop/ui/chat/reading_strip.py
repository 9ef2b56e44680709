"""The strip under the composer: what the question would answer, and what else it may mean."""

from collections.abc import Collection, Iterator, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.readings import Reading, Readings, ReadingValue
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import line_with_signs
from qhub_desktop.ui.controls.layouts import STRETCH, ElidedLabel, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import elided, set_tooltip
from qhub_desktop.ui.theme import (
    BODY_PT,
    GRID_PX,
    OPERATOR_TARGET_PX,
    RADIUS_PX,
    TITLE_PT,
    bold_font,
    mix,
    small_font,
    theme,
    theme_font,
)

ROW_PAD_PX = 10
_GAP_PX = 12
ROW_PX = 28
_NARROW = 31  # times the height of its font: a row that is no wider takes two lines
_SPARK = QSize(72, 20)
_MOST_VALUE_SHARE = 0.5  # of a row's width that its value may take
_SEPARATOR = " · "
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
# Words, and whether they are a name of the data.
_Run = tuple[str, bool]
_Word = tuple[str, bool, str]  # with the name of its colour
_Phrase = tuple[str, tuple[_Run, ...]]  # with the kind of its parts


def printed(value: ReadingValue) -> str:
    """Return what a reading comes to, on one line."""
    groups = (f"{line_with_signs(name)}: {number}" for name, number in value.groups)
    return _SEPARATOR.join(groups) or value.text


def whole_groups(words: str, font: QFont, room_px: float) -> str:
    """Return as many groups of what is printed as fit: a number must not be cut."""
    groups, metrics = words.split(_SEPARATOR), QFontMetrics(font)
    while len(groups) > 1 and metrics.horizontalAdvance(_SEPARATOR.join(groups)) > room_px:
        groups.pop()
    return _SEPARATOR.join(groups)


def key_px(key: str, font: QFont) -> int:
    """Return the width of a key cap, in a row of this font."""
    return QFontMetrics(small_font(font)).horizontalAdvance(key) + GRID_PX + 2


def draw_key(painter: QPainter, row: QRect, key: str) -> None:
    """Draw a key's name as a key cap at the right end of a row."""
    painter.save()
    palette, width = theme().palette, key_px(key, painter.font())
    painter.setFont(small_font(painter.font()))
    metrics = painter.fontMetrics()
    cap = QRectF(row.right() - width, row.center().y() - metrics.height() / 2 - 1, width, 0)
    cap.setHeight(metrics.height() + 2)
    painter.setPen(QPen(QColor(mix(palette.card, palette.text, 0.2)), 1))
    painter.setBrush(QColor(palette.card))
    painter.drawRoundedRect(cap.translated(0.5, 0.5), 4, 4)
    painter.setPen(QColor(palette.quiet))
    painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
    painter.restore()


def draw_back(painter: QPainter, row: QWidget, *, is_marked: bool) -> None:
    """Draw the background of a row that is marked, or that the pointer is over."""
    palette = theme().palette
    if is_marked or row.underMouse():
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.chosen if is_marked else palette.hover))
        painter.drawRoundedRect(row.rect(), RADIUS_PX, RADIUS_PX)


class ReadingRow(QAbstractButton):
    """One reading in words, with its value; the first in two lines, the others in one."""

    def __init__(self, *, is_first: bool) -> None:
        super().__init__()
        self._is_first = is_first
        self._reading: Reading | None = None
        self.value: ReadingValue | None = None
        self.is_awaited = False  # whether the value may still come
        self._phrases: list[_Phrase] = []
        self._shared: Collection[_Phrase] = ()  # with the first reading
        self._key = ""
        self._keys_px = 0
        self._is_marked = False
        self._is_stale = False
        self._least_px = ROW_PX
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # typing goes on; the keys of the box choose
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_reading(
        self, reading: Reading, shared: Collection[_Phrase], *, key: str, keys_px: int
    ) -> None:
        """Show another reading, without a value yet unless it is the same as before.

        `shared` is what the first one says, too; `keys_px` the width of the keys of all rows.
        """
        if self._reading is None or self._reading.plan != reading.plan:
            self.value, self.is_awaited = None, True
        self._reading, self._shared, self._is_stale = reading, shared, False
        # The file is named once where all are of one.
        of_file = {each for each in shared if each[0] == "file"}
        self._phrases = [each for each in _phrases(reading) if each not in of_file]
        self._key, self._keys_px = key, keys_px
        self._describe()

    def show_value(self, value: ReadingValue | None) -> None:
        """Show what the reading comes to; None where it has no value."""
        self.value, self.is_awaited = value, False
        self._describe()

    def set_marked(self, *, is_marked: bool) -> None:
        """Set whether this is the reading that Enter sends."""
        self._is_marked = is_marked
        self.update()

    def set_stale(self) -> None:
        """Show that this is a reading of words that have changed since."""
        self._is_stale = True
        self.update()

    def set_least(self, height_px: int) -> None:
        """Set the least height, for gloves."""
        self._least_px = height_px
        self.updateGeometry()

    @property
    def _lines(self) -> int:
        return 2 if self._is_first or self.width() < _NARROW * self.fontMetrics().height() else 1

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    @override
    def sizeHint(self) -> QSize:
        return QSize(
            0, max(self._least_px, self._lines * self.fontMetrics().height() + GRID_PX + 2)
        )

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._reading is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_back(painter, self, is_marked=self._is_marked and not self._is_stale)
        row = self.rect().adjusted(ROW_PAD_PX, 0, -ROW_PAD_PX, 0)
        draw_key(painter, row, self._key)
        row.setRight(row.right() - self._keys_px - _GAP_PX)
        value_px = self._draw_value(painter, row)
        row.setRight(row.right() - (value_px + _GAP_PX if value_px else 0))
        self._draw_words(painter, row)

    def _colour(self, name: str) -> QColor:
        palette = theme().palette
        return QColor(palette.quiet if self._is_stale else getattr(palette, name))

    def _draw_value(self, painter: QPainter, row: QRect) -> int:
        """Draw the value at the right end of a row; return its width."""
        value = self.value
        if value is None:
            if self.is_awaited:
                painter.setPen(QColor(theme().palette.quiet))
                painter.drawText(row, RIGHT, "…")
            return self.fontMetrics().horizontalAdvance("…") if self.is_awaited else 0
        small = small_font(self.font())
        told = whole_groups(printed(value), small, row.width() * _MOST_VALUE_SHARE)
        if not value.groups or value.spark:
            size = TITLE_PT if self._is_first else BODY_PT
            lines = [(value.text, theme_font(size, weight=QFont.Weight.DemiBold), "text")]
        elif self._is_first:
            lines = [(value.text, bold_font(self.font()), "text"), (told, small, "quiet")]
        else:
            lines = [(told, small, "text")]
        width, top = 0, row.center().y() - sum(QFontMetrics(f).height() for _w, f, _c in lines) // 2
        for words, font, colour in lines:
            metrics = QFontMetrics(font)
            shown = elided(words, metrics, row.width())
            painter.setFont(font)
            painter.setPen(self._colour(colour))
            painter.drawText(QRect(row.left(), top, row.width(), metrics.height()), RIGHT, shown)
            top += metrics.height()
            width = max(width, metrics.horizontalAdvance(shown))
        if len(value.spark) > 1:
            place = QRect(row.right() - width - _GAP_PX - _SPARK.width(), 0, 0, 0)
            place.setSize(_SPARK)
            place.moveTop(row.center().y() - _SPARK.height() // 2)
            self._draw_spark(painter, place, value.spark)
            width += _GAP_PX + _SPARK.width()
        return width

    def _draw_spark(self, painter: QPainter, place: QRect, numbers: Sequence[float]) -> None:
        low, high = min(numbers), max(numbers)
        step = place.width() / (len(numbers) - 1)
        scale = place.height() / ((high - low) or 1)
        line = [
            QPointF(place.left() + step * at, place.bottom() - (number - low) * scale)
            for at, number in enumerate(numbers)
        ]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._colour("accent"), 1.5))
        painter.drawPolyline(line)
        painter.setBrush(self._colour("accent"))
        painter.drawEllipse(line[-1], 2, 2)

    def _draw_words(self, painter: QPainter, room: QRect) -> None:
        """Draw the phrases one after the other, on a second line where there is one."""
        fonts = (self.font(), bold_font(self.font()))
        metrics = [QFontMetrics(font) for font in fonts]
        lines: list[list[_Word]] = [[]]
        left = 0
        words = [*self._words(self._phrases)]
        if (
            sum(metrics[strong].horizontalAdvance(word) for word, strong, _c in words)
            > room.width()
        ):
            # What tells it from the first reading must not be what is left out.
            words = [*self._words(sorted(self._phrases, key=lambda each: each in self._shared))]
        for word, strong, colour in words:
            wide = metrics[strong].horizontalAdvance(word)
            if left + wide > room.width() and len(lines) < self._lines:
                lines.append([])
                left = 0
            lines[-1].append((word, strong, colour))
            left += wide
        high, dots = metrics[0].height(), metrics[0].horizontalAdvance("…")
        top = room.center().y() - high * len(lines) // 2
        for line in lines:
            left = room.left()
            rest = sum(metrics[strong].horizontalAdvance(word) for word, strong, _c in line)
            for word, strong, colour in line:
                # That something is left out must be seen, also where it is a whole word.
                free = room.right() - left
                shown = elided(word, metrics[strong], free if rest <= free else free - dots)
                painter.setFont(fonts[strong])
                painter.setPen(self._colour(colour))
                painter.drawText(left, top, room.width(), high, LEFT, shown or "…")
                if shown != word:
                    break
                left += metrics[strong].horizontalAdvance(word)
                rest -= metrics[strong].horizontalAdvance(word)
            top += high

    def _words(self, phrases: Sequence[_Phrase]) -> Iterator[_Word]:
        """Yield the words of phrases, dots between; the reading's own of them stand out."""
        for at, phrase in enumerate(phrases):
            colour = "quiet" if phrase in self._shared else "text"
            if at:
                yield "· ", False, "quiet"
            for words, strong in phrase[1]:
                yield from ((f"{word} ", strong, colour) for word in words.split())

    def _describe(self) -> None:
        assert self._reading is not None
        words = [line_with_signs(self._reading.title)]
        if self.value is not None:
            words += [self.value.text, *(": ".join(each) for each in self.value.groups)]
        told = ": ".join(filter(None, [words[0], ", ".join(words[1:])]))
        self.setAccessibleName(told)
        set_tooltip(self, told)
        self.update()


def _phrases(reading: Reading) -> list[_Phrase]:
    """Return what stands between two dots: parts of a kind, with one name of the data at most."""
    phrases: list[_Phrase] = []
    for part in reading.parts:
        kind, runs = phrases[-1] if phrases else ("", ())
        words = line_with_signs(part.text)
        names = [strong for _words, strong in runs]
        if (
            part.kind == kind
            and names[-1] != part.is_strong
            and not (part.is_strong and any(names))
        ):
            phrases[-1] = (kind, (*runs, (words, part.is_strong)))
        else:
            phrases.append((part.kind, ((words, part.is_strong),)))
    return phrases


class ReadingStrip(QWidget):
    """Readings of the question, the likeliest first, with their values and the keys that take them.

    Signals:
        taken: the index of a reading that was pressed.
    """

    taken = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("What the question would answer"))
        self._readings = Readings("")
        self._chosen: int | None = None
        self._has_default = False  # whether Enter sends what the first reading answers
        self.is_stale = False  # the words have changed since
        self.least_px = ROW_PX  # of its rows
        self.rows: list[ReadingRow] = []
        self._local_label = make_label(_("Local answer, at no cost"), role="small")
        self._rows = column_of(spacing=0)
        self._note_label = ElidedLabel(role="small")
        self._keys_label = make_label(role="small")
        foot = row_of((self._note_label, 1), self._keys_label, margins=(ROW_PAD_PX, 0))
        local = row_of(self._local_label, STRETCH, margins=(ROW_PAD_PX, 0))
        column_of(local, self._rows, foot, STRETCH, owner=self, spacing=2)
        self.hide()

    @property
    def readings(self) -> Readings:
        """The readings that are shown."""
        return self._readings

    @property
    def chosen(self) -> int | None:
        """Index of the reading that the person has chosen; None where that is left to Enter."""
        return self._chosen

    @property
    def note(self) -> str:
        """What is said below the readings, or where there are none."""
        return self._note_label.text()

    @property
    def spoken(self) -> str:
        """What a screen reader says of the strip: the reading that is marked, or the first."""
        return self.rows[self._chosen or 0].accessibleName() if self._readings.readings else ""

    def show_readings(self, readings: Readings, *, is_local: bool) -> None:
        """Show readings; `is_local` where another engine would answer the question itself."""
        self._readings, self._chosen, self.is_stale = readings, None, False
        count = len(readings.readings)
        while len(self.rows) < count:
            self._add_row()
        self._has_default = count > 0 and readings.is_sure and not is_local
        keys = ["Enter" if self._has_default else "Ctrl+Enter"]
        keys += [f"Alt+{at}" for at in range(1, count)]
        keys_px = max(key_px(key, self.font()) for key in keys)
        first = _phrases(readings.readings[0]) if count else []
        for at, row in enumerate(self.rows):
            row.setVisible(at < count)
            if at < count:
                shared = first if at else ()
                row.show_reading(readings.readings[at], shared, key=keys[at], keys_px=keys_px)
        self._local_label.setVisible(is_local and count > 0)
        self._note_label.setText(_note(readings))
        self._keys_label.setText(self._keys(count, is_local=is_local))
        self._mark()
        self.setVisible(count > 0 or bool(readings.note))
        # It does not shrink from key to key: the box above it would jump.
        self.setMinimumHeight(max(self.minimumHeight(), self.sizeHint().height()))

    def show_value(self, index: int, value: ReadingValue | None) -> None:
        """Show what a reading comes to."""
        self.rows[index].show_value(value)

    def set_stale(self) -> None:
        """Show that the words have changed since they were read: nothing of it can be chosen."""
        self.is_stale, self._chosen = True, None
        for row in self.rows:
            row.set_stale()

    def clear(self) -> None:
        """Hide the strip, and forget what it showed."""
        self._readings, self._chosen = Readings(""), None
        self.setMinimumHeight(0)
        self.hide()

    def move_choice(self, step: int) -> bool:
        """Choose the next reading, or the one before; return whether the step was for the strip."""
        count = len(self._readings.readings)
        if self.is_stale or not count or (step < 0 and self._chosen is None):
            return False
        default = 0 if self._has_default else -1
        at = (default if self._chosen is None else self._chosen) + step
        self._chosen = None if at <= default else min(at, count - 1)
        self._mark()
        return True

    def set_operator_mode(self, *, is_operator_mode: bool) -> None:
        """Set large targets, for gloves."""
        self.least_px = OPERATOR_TARGET_PX if is_operator_mode else ROW_PX
        for row in self.rows:
            row.set_least(self.least_px)

    def _add_row(self) -> None:
        at = len(self.rows)
        row = ReadingRow(is_first=at == 0)
        row.set_least(self.least_px)
        row.clicked.connect(lambda: self._take(at))
        self.rows.append(row)
        self._rows.addWidget(row)

    def _take(self, at: int) -> None:
        if not self.is_stale:
            self.taken.emit(at)

    def _mark(self) -> None:
        default = 0 if self._has_default else None
        marked = default if self._chosen is None else self._chosen
        for at, row in enumerate(self.rows):
            row.set_marked(is_marked=at == marked)

    def _keys(self, count: int, *, is_local: bool) -> str:
        if not count:
            return ""
        if is_local or self._has_default:
            return _("↓ chooses · Esc hides")
        return _("Enter shows the list · ↓ chooses · Esc hides")


def _note(readings: Readings) -> str:
    """Return the words that no reading uses; where there is no reading, why."""
    if not readings.readings:
        return line_with_signs(readings.note)
    if not readings.ignored:
        return ""
    words = ", ".join(f"«{line_with_signs(each)}»" for each in readings.ignored)
    return _("Not used: {words}").format(words=words)
