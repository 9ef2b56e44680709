"""The view of a KPI: one large number with its unit, change and target."""

import html

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.result_widgets import Kpi, Standing
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.ui.charts.scales import with_unit
from qhub_desktop.ui.controls.layouts import column_of, make_label, make_markup_label
from qhub_desktop.ui.theme import KPI_PT, SMALL_PT, Palette, bold_font, scaled_pt, theme, theme_font

UP, DOWN, SAME = "▲", "▼", "="
MIN_WIDTH_PX = 132
MIN_PT = 12.0
UNIT_SHARE = 0.46  # of the value's size


class KpiView(QWidget):
    """A KPI. Its colour tells its standing, and so do its words."""

    def __init__(self, kpi: Kpi) -> None:
        super().__init__()
        self._kpi = kpi
        self._value = make_markup_label()
        self._change = make_label(change_text(kpi))
        self._target = make_label(target_text(kpi))
        self._build()
        theme().register(self._restyle)

    def _restyle(self) -> None:
        palette = theme().palette
        self._change.setStyleSheet(f"color: {standing_colour(self._kpi.standing, palette)};")
        self._target.setStyleSheet(f"color: {palette.quiet}; font-size: {scaled_pt(SMALL_PT)}pt;")
        self._update_value()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_value()

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH_PX, super().minimumSizeHint().height())

    def _update_value(self) -> None:
        """Write the value in the largest size that fits."""
        palette = theme().palette
        is_coloured = self._kpi.standing != "neutral" and self._kpi.change is None
        colour = standing_colour(self._kpi.standing, palette) if is_coloured else palette.text
        room = max(self.width(), MIN_WIDTH_PX)
        size_pt = KPI_PT
        while size_pt > MIN_PT and _width_px(self._kpi, size_pt) > room:
            size_pt -= 1
        self._value.setText(_value_html(self._kpi, size_pt, colour, palette))

    def _build(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._value.setAccessibleName(accessible_text(self._kpi))
        self._change.setFont(bold_font(self._change.font()))
        self._change.setVisible(self._kpi.change is not None)
        self._target.setVisible(self._kpi.target is not None)
        column_of(self._value, self._change, self._target, owner=self, spacing=0)
        self.setAccessibleName(f"{self._kpi.title}: {accessible_text(self._kpi)}")


def value_text(kpi: Kpi) -> str:
    """Return the number as text, without its unit."""
    return kpi.value if isinstance(kpi.value, str) else number(kpi.value)


def change_text(kpi: Kpi) -> str:
    """Return the change with an arrow, for not everyone sees colours; "" if there is none."""
    if kpi.change is None:
        return ""
    arrow = SAME if not kpi.change else UP if kpi.change > 0 else DOWN
    sign = "+" if kpi.change > 0 else ""
    return f"{arrow} {sign}{percent(kpi.change)}"


def target_text(kpi: Kpi) -> str:
    """Return the target with its unit; "" if there is none."""
    if kpi.target is None:
        return ""
    return _("target {value}").format(value=with_unit(number(kpi.target), kpi.unit))


def accessible_text(kpi: Kpi) -> str:
    """Return everything the view shows, in one line."""
    value = with_unit(value_text(kpi), kpi.unit)
    return ", ".join(part for part in (value, change_text(kpi), target_text(kpi)) if part)


def standing_colour(standing: Standing, palette: Palette) -> str:
    """Return the colour of a standing."""
    match standing:
        case "good":
            return palette.good
        case "warn":
            return palette.warn
        case "bad":
            return palette.bad
        case "neutral":
            return palette.quiet


def _width_px(kpi: Kpi, size_pt: float) -> float:
    """Return the width of value and unit at this size, in pixels."""
    large = theme_font(size_pt, weight=QFont.Weight.DemiBold)
    small = theme_font(size_pt * UNIT_SHARE)
    unit = f" {kpi.unit}" if kpi.unit else ""
    value_px = QFontMetricsF(large).horizontalAdvance(value_text(kpi))
    return value_px + QFontMetricsF(small).horizontalAdvance(unit)


def _value_html(kpi: Kpi, size_pt: float, colour: str, palette: Palette) -> str:
    """Return value and unit as HTML, on one base line."""
    size = scaled_pt(size_pt)
    value = (
        f'<span style="font-size:{size:.1f}pt; font-weight:600; color:{colour}">'
        f"{html.escape(value_text(kpi))}</span>"
    )
    if not kpi.unit:
        return value
    return (
        f'{value}<span style="font-size:{size * UNIT_SHARE:.1f}pt; color:{palette.quiet}">'
        f"&nbsp;{html.escape(kpi.unit)}</span>"
    )
