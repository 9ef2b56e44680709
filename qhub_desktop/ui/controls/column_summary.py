"""Column summary: type, distribution and missing values of a data set's column."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy
from typing_extensions import override

from qhub_desktop.core.dataset import TYPE_NAMES, ColumnProfile
from qhub_desktop.core.table import ColumnType
from qhub_desktop.core.text import cell, ngettext, number, percent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.plain_text import elided, set_tooltip
from qhub_desktop.ui.theme import RADIUS_PX, mix, small_font, theme

TYPE_ICONS: dict[ColumnType, str] = {
    "integer": "number",
    "number": "number",
    "text": "text",
    "category": "category",
    "date": "calendar",
    "datetime": "calendar",
    "time": "clock",
    "boolean": "boolean",
}
_PAD_PX = 8
_TYPE_ICON_PX = 16
_SPARKLINE = QSize(56, 16)
_HISTOGRAM_PX = 56
_SEPARATOR = " · "
_MAX_VALUES = 8  # most frequent values shown


class ColumnView(QAbstractButton):
    """Row with a small histogram; a click expands the most frequent values."""

    def __init__(self, column: ColumnProfile, *, rows: int) -> None:
        super().__init__()
        self._column = column
        self._rows = rows
        self._facts = _facts(column, rows)
        self._values = [(cell(value), count) for value, count in column.top[:_MAX_VALUES]]
        self._histogram = _histogram(column)
        self._has_histogram = any(self._histogram)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(f"{column.name}, {_(TYPE_NAMES[column.type])}")
        self.setAccessibleDescription(". ".join([*self._facts, *map(_value_text, self._values)]))
        set_tooltip(self, f"{column.name} · {_(TYPE_NAMES[column.type])}")
        self.toggled.connect(self.updateGeometry)

    @override
    def sizeHint(self) -> QSize:
        height = self._line_px()
        if self.isChecked():
            small = QFontMetrics(small_font(self.font())).height()
            if self._has_histogram:
                height += _HISTOGRAM_PX + small + 10
            else:
                height += len(self._values) * (small + 5) + 2
            height += len(self._fact_lines()) * (small + 2) + 10
        return QSize(160, height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()  # facts wrap onto a second line in a narrow column

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head = QRect(0, 0, self.width(), self._line_px())
        if self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mix(palette.card, palette.text, 0.06)))
            painter.drawRoundedRect(head, RADIUS_PX, RADIUS_PX)
        self._draw_head(painter, head.adjusted(_PAD_PX, 0, -_PAD_PX, 0))
        if self.isChecked():
            left = _PAD_PX + _TYPE_ICON_PX + 8
            body = QRect(left, head.bottom() + 3, self.width() - left - _PAD_PX, 0)
            self._draw_body(painter, body)
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(head.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)

    def _draw_head(self, painter: QPainter, place: QRect) -> None:
        palette = theme().palette
        ratio = self.devicePixelRatioF()
        picture = pixmap(
            TYPE_ICONS[self._column.type], palette.quiet, size_px=_TYPE_ICON_PX, ratio=ratio
        )
        middle = place.center().y() + 1
        painter.drawPixmap(place.left(), middle - _TYPE_ICON_PX // 2, picture)
        graph = QRectF(
            place.right() - _SPARKLINE.width() + 1,
            middle - _SPARKLINE.height() / 2,
            _SPARKLINE.width(),
            _SPARKLINE.height(),
        )
        counts = self._histogram or [count for _value, count in self._values]
        self._draw_bars(painter, graph, tuple(counts), gap_px=1.0)
        left = place.left() + _TYPE_ICON_PX + 8
        line = QRect(left, place.top(), int(graph.left()) - 8 - left, place.height())
        painter.setFont(self.font())
        metrics = QFontMetrics(self.font())
        if self._column.missing:
            line = self._draw_missing(painter, line)
        painter.setFont(self.font())
        painter.setPen(QColor(palette.text))
        name = elided(self._column.name, metrics, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), name)

    def _draw_missing(self, painter: QPainter, line: QRect) -> QRect:
        """Draw the missing share at the end of the line; return the remaining rectangle."""
        words = _share(self._column.missing, self._rows)
        painter.setFont(small_font(self.font()))
        painter.setPen(QColor(theme().palette.warn))
        width = QFontMetrics(small_font(self.font())).horizontalAdvance(words)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(line, int(flags), words)
        return line.adjusted(0, 0, -width - 6, 0)

    def _draw_body(self, painter: QPainter, place: QRect) -> None:
        palette = theme().palette
        small = QFontMetrics(small_font(self.font()))
        painter.setFont(small_font(self.font()))
        top = place.top()
        if self._has_histogram:
            graph = QRectF(place.left(), top, place.width(), _HISTOGRAM_PX)
            self._draw_bars(painter, graph, self._histogram, gap_px=2.0)
            painter.setPen(QColor(palette.quiet))
            ends = QRect(place.left(), top + _HISTOGRAM_PX + 2, place.width(), small.height())
            painter.drawText(ends, int(Qt.AlignmentFlag.AlignLeft), cell(self._column.min))
            painter.drawText(ends, int(Qt.AlignmentFlag.AlignRight), cell(self._column.max))
            top = ends.bottom() + 8
        else:
            top = self._draw_values(painter, place) + 2
        painter.setPen(QColor(palette.quiet))
        for fact in self._fact_lines():
            line = QRect(place.left(), top, place.width(), small.height())
            words = elided(fact, small, line.width())
            painter.drawText(line, 0, words)
            top += small.height() + 2

    def _fact_lines(self) -> list[str]:
        """Return the facts wrapped to the width of the widget."""
        metrics = QFontMetrics(small_font(self.font()))
        room = self.width() - 2 * _PAD_PX - _TYPE_ICON_PX - 8
        lines: list[str] = []
        for fact in self._facts:
            if metrics.horizontalAdvance(fact) <= room:
                lines.append(fact)
            else:
                lines.extend(fact.split(_SEPARATOR))
        return lines

    def _draw_values(self, painter: QPainter, place: QRect) -> int:
        """Draw the most frequent values as a list; return its lower edge in px."""
        palette = theme().palette
        small = QFontMetrics(small_font(self.font()))
        step = small.height() + 5
        most = max((count for _value, count in self._values), default=1)
        counts = [number(count, digits=0) for _value, count in self._values]
        count_px = max((small.horizontalAdvance(words) for words in counts), default=0) + 8
        name_px = min(
            max((small.horizontalAdvance(name) for name, _count in self._values), default=0) + 8,
            (place.width() - count_px) // 2,
        )
        room = place.width() - name_px - count_px
        top = place.top()
        for (name, count), words in zip(self._values, counts, strict=True):
            line = QRect(place.left(), top, place.width(), small.height())
            painter.setPen(QColor(palette.text))
            shown = elided(name, small, name_px - 8)
            painter.drawText(line, 0, shown)
            painter.setPen(QColor(palette.quiet))
            painter.drawText(line, int(Qt.AlignmentFlag.AlignRight), words)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._bar_colour()))
            length = max(2.0, room * count / most)
            bar = QRectF(place.left() + name_px, line.top() + 3, length, line.height() - 6)
            painter.drawRoundedRect(bar, 2, 2)
            top += step
        return top

    def _draw_bars(
        self, painter: QPainter, place: QRectF, counts: tuple[int, ...], *, gap_px: float
    ) -> None:
        if not counts:
            return
        most = max(counts) or 1
        # Limit the bar width when there are few bars.
        step = place.width() / max(len(counts), 6)
        left = place.right() - step * len(counts)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._bar_colour()))
        for position, count in enumerate(counts):
            height = max(1.0, place.height() * count / most) if count else 0.0
            bar = QRectF(
                left + position * step, place.bottom() - height, max(1.0, step - gap_px), height
            )
            painter.drawRect(bar)

    def _bar_colour(self) -> str:
        palette = theme().palette
        return mix(palette.card, palette.series[0], 0.75)

    def _line_px(self) -> int:
        return QFontMetrics(self.font()).height() + 14


def _share(part: int, whole: int) -> str:
    """Format a share in whole percent; 0% and 100% only where they are exact."""
    nearest = round(100 * part / whole)
    if nearest == 0:
        return f"<{percent(0.01, digits=0)}"
    if nearest == 100 and part < whole:
        return f">{percent(0.99, digits=0)}"
    return percent(part / whole, digits=0)


def _histogram(column: ColumnProfile) -> tuple[int, ...]:
    """Return bin counts; few integers get one bin each, or some bins would be empty."""
    least, most = column.min, column.max
    if column.type != "integer" or not isinstance(least, int) or not isinstance(most, int):
        return column.histogram
    span, classes = most - least, len(column.histogram)
    if not 0 < span < classes:
        return column.histogram
    # Bins narrower than 1: each integer has its own bin, and some bins contain no integer.
    return tuple(
        column.histogram[min(value * classes // span, classes - 1)] for value in range(span + 1)
    )


def _facts(column: ColumnProfile, rows: int) -> list[str]:
    """Return the facts shown below the histogram."""
    different = ngettext("{count} different value", "{count} different values", column.distinct)
    spread_of_values = different.format(count=number(column.distinct, digits=0))
    if column.is_constant:
        spread_of_values = _("the same value in every row")
    facts = [_SEPARATOR.join((_(TYPE_NAMES[column.type]), spread_of_values))]
    if column.min is not None and not any(column.histogram) and column.mean is None:
        facts.append(_("{lower} to {upper}").format(lower=cell(column.min), upper=cell(column.max)))
    if column.mean is not None:
        spread = "" if column.std is None else f"{_SEPARATOR}s {number(column.std)}"
        facts.append(_("mean {mean}").format(mean=number(column.mean)) + spread)
    if column.quartiles is not None:
        low, middle, high = (number(each) for each in column.quartiles)
        facts.append(
            _("median {median}").format(median=middle)
            + _SEPARATOR
            + _("quartiles {low} and {high}").format(low=low, high=high)
        )
    if column.outliers:
        words = ngettext("{count} outlier", "{count} outliers", column.outliers)
        facts.append(words.format(count=number(column.outliers, digits=0)))
    if column.missing:
        facts.append(
            _("missing {count} of {rows}").format(
                count=number(column.missing, digits=0), rows=number(rows, digits=0)
            )
        )
    return facts


def _value_text(value: tuple[str, int]) -> str:
    return f"{value[0]} {value[1]}"
