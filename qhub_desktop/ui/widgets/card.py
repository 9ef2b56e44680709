"""The card on which a widget stands in an answer."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
)

from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import Chart, Kpi, TableView, Widget
from qhub_desktop.data.writing.csv import to_csv
from qhub_desktop.data.writing.widget_sheets import table_of
from qhub_desktop.ui.buttons import IconButton
from qhub_desktop.ui.copying import copy_table
from qhub_desktop.ui.saving import ask_place, save
from qhub_desktop.ui.theme import GRID_PX, SMALL_PT, Palette
from qhub_desktop.ui.widgets.chart_body import ChartBody
from qhub_desktop.ui.widgets.fonts import points
from qhub_desktop.ui.widgets.kpi_view import KpiView
from qhub_desktop.ui.widgets.pictures import Picture, WidgetScene
from qhub_desktop.ui.widgets.source_line import (
    QueryBox,
    SourceLine,
    file_text,
    rows_text,
    source_text,
)
from qhub_desktop.ui.widgets.table_view import TableWidget
from qhub_desktop.ui.widgets.windows import DetailWindow, chart_window

Body = ChartBody | TableWidget | KpiView


class WidgetCard(QFrame):
    """A widget with its title, its source and what can be done with it.

    Signals:
        pin_requested: the widget is wanted on a dashboard; carries the widget.
        workbook_requested: it is wanted as an Excel file; carries the file's path. Whoever writes
            it tells the card how that went.
    """

    pin_requested = Signal(object)
    workbook_requested = Signal(object)

    def __init__(self, widget: Widget, palette: Palette) -> None:
        super().__init__()
        self._widget = widget
        self._palette = palette
        self._title = title_of(widget)
        self.body = _body(widget, palette)
        self.menu = QMenu(self)
        self._more = IconButton("more", _("Actions for {title}").format(title=self._title), palette)
        self._pin = IconButton("pin", _("Pin to a dashboard"), palette)
        self._pin.hide()
        self._pin.clicked.connect(self._on_pin_clicked)
        self._content: Callable[[], bytes] = bytes  # what the person is being asked a place for
        self._said = QLabel()
        self._said.setWordWrap(True)
        self._said.hide()
        self.setProperty("kind", "card")
        self.setAccessibleName(self._title)
        # Indicators stand in a row, where all are as high as the highest.
        is_kpi = isinstance(widget, Kpi)
        vertical = QSizePolicy.Policy.Preferred if is_kpi else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        self._build()
        self._fill_menu()

    @property
    def widget(self) -> Widget:
        """What the card shows."""
        return self._widget

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours, and the windows opened from here as well."""
        self._palette = palette
        self._more.set_palette(palette)
        self._pin.set_palette(palette)
        self.body.set_palette(palette)
        for window in self.findChildren(DetailWindow):
            window.set_palette(palette)

    def offer_pin(self) -> None:
        """Show the button that asks for the widget on a dashboard."""
        self._pin.show()

    def offer_workbook(self) -> None:
        """Offer to save the widget as an Excel file."""
        action = QAction(_("Save as Excel…"), self.menu)
        action.triggered.connect(self.save_workbook)
        self.menu.insertAction(self._csv, action)

    def tell_saved(self, file: Path) -> None:
        """Say that it is in this file now."""
        self._say(_("Saved as {name}.").format(name=file.name))

    def tell_error(self, error: QHubError) -> None:
        """Say what went wrong with the file."""
        self._say(str(error), role="bad")

    def unfold_source(self) -> None:
        """Show the query."""
        for line in self.findChildren(SourceLine):
            line.link.setChecked(True)

    def copy_picture(self) -> None:
        """Put the widget on the clipboard as it looks."""
        QGuiApplication.clipboard().setImage(self._picture().to_image())
        self._say(_("Picture copied."))

    def copy_data(self) -> None:
        """Put the numbers on the clipboard."""
        copy_table(table_of(self._widget))
        self._say(_("Data copied."))

    def save_png(self) -> None:
        """Ask where, then write the picture."""
        self._ask_file(_("PNG picture"), ".png", lambda: self._picture().to_png())

    def save_svg(self) -> None:
        """Ask where, then write the drawing."""
        self._ask_file(
            _("SVG drawing"), ".svg", lambda: self._picture().to_svg(dpi=self.logicalDpiX())
        )

    def save_workbook(self) -> None:
        """Ask where, then ask for the file."""
        self._ask_place(_("Excel workbook"), ".xlsx", self._on_workbook_place)

    def save_csv(self) -> None:
        """Ask where, then write the numbers."""
        self._ask_file(_("CSV table"), ".csv", lambda: to_csv(table_of(self._widget)))

    def open_data(self) -> DetailWindow:
        """Show the numbers in a window of their own."""
        data = table_of(self._widget)
        count = self._widget.row_count if isinstance(self._widget, TableView) else None
        table = TableWidget(data, self._palette, row_count=count)
        window = DetailWindow(self, self._title, subtitle=self._foot(), wanted=QSize(960, 640))
        window.add(table, table)
        window.show()
        table.view.setFocus()
        return window

    def enlarge(self) -> DetailWindow:
        """Show the chart in a window of its own."""
        if not isinstance(self._widget, Chart):
            return self.open_data()
        window = chart_window(self, self._widget.figure, self._palette)
        window.show()
        return window

    def _build(self) -> None:
        is_kpi = isinstance(self._widget, Kpi)
        title = QLabel(self._title)
        title.setProperty("role", "quiet" if is_kpi else "heading")
        title.setWordWrap(True)
        top = QHBoxLayout()
        top.setSpacing(GRID_PX // 2)
        top.addWidget(title, 1)
        top.addWidget(self._pin)
        top.addWidget(self._more)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, GRID_PX, GRID_PX, GRID_PX + 4)
        column.setSpacing(GRID_PX // 2)
        column.addLayout(top)
        inner = QVBoxLayout()
        inner.setContentsMargins(0, 0, GRID_PX, 0)
        inner.setSpacing(GRID_PX)
        if isinstance(self._widget, Chart) and self._widget.figure.subtitle:
            subtitle = QLabel(self._widget.figure.subtitle)
            subtitle.setProperty("role", "small")
            subtitle.setWordWrap(True)
            inner.addWidget(subtitle)
        inner.addWidget(self.body)
        if isinstance(self.body, TableWidget):
            self.body.fit_rows()
        self._add_source(inner)
        inner.addWidget(self._said)
        column.addLayout(inner)
        column.addStretch(1)

    def _add_source(self, column: QVBoxLayout) -> None:
        source = self._widget.source
        if source is None:
            return
        if not isinstance(self._widget, Kpi):
            column.addWidget(SourceLine(source))
            return
        link = QPushButton(rows_text(source))
        link.setProperty("kind", "link")
        link.setToolTip(file_text(source))
        link.setAccessibleName(source_text(source))
        link.setStyleSheet(f"min-height: 18px; padding: 0; font-size: {points(SMALL_PT)}pt;")
        link.clicked.connect(self._on_source_clicked)
        column.addWidget(link)

    def _fill_menu(self) -> None:
        self._more.setMenu(self.menu)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        is_chart = isinstance(self._widget, Chart)
        self._add_action(_("Copy picture"), self.copy_picture)
        self._add_action(_("Save as PNG…"), self.save_png)
        if is_chart:
            self._add_action(_("Save as SVG…"), self.save_svg)
        self.menu.addSeparator()
        self._add_action(_("Copy data"), self.copy_data)
        if not isinstance(self._widget, Kpi):
            self._add_action(_("Open data"), self.open_data)
        self._csv = self._add_action(_("Save as CSV…"), self.save_csv)
        if is_chart:
            self.menu.addSeparator()
            self._add_action(_("Enlarge"), self.enlarge)

    def _add_action(self, words: str, does: Callable[[], object]) -> QAction:
        action = QAction(words, self.menu)
        action.triggered.connect(does)
        self.menu.addAction(action)
        return action

    def _on_pin_clicked(self) -> None:
        self.pin_requested.emit(self._widget)

    def _on_source_clicked(self) -> None:
        source = self._widget.source
        assert source is not None
        window = DetailWindow(
            self, self._title, subtitle=source_text(source), wanted=QSize(640, 300)
        )
        window.add(QueryBox(source.sql))
        window.show()

    def _picture(self) -> Picture:
        figure = self._widget.figure if isinstance(self._widget, Chart) else None
        return Picture(
            self.body.plot() if isinstance(self.body, ChartBody) else WidgetScene(self.body),
            self._palette,
            title=self._title,
            subtitle=figure.subtitle if figure else "",
            foot=self._foot(),
        )

    def _foot(self) -> str:
        source = self._widget.source
        return source_text(source) if source else ""

    def _ask_file(self, kind: str, suffix: str, content: Callable[[], bytes]) -> None:
        """Ask where to, then write what `content` makes."""
        # A closure here would hold the card, and let go of it in the middle of the dialog's end.
        self._content = content
        self._ask_place(kind, suffix, self._on_file_selected)

    def _ask_place(self, kind: str, suffix: str, on_selected: Callable[[str], None]) -> None:
        """Ask where to, without holding anything up."""
        ask_place(self, self._title, kind=kind, suffix=suffix, then=on_selected)

    def _on_file_selected(self, name: str) -> None:
        file = Path(name)
        try:
            save(self._content(), file)
        except UserError as error:
            self.tell_error(error)
            return
        self.tell_saved(file)

    def _on_workbook_place(self, name: str) -> None:
        self.workbook_requested.emit(Path(name))

    def _say(self, words: str, *, role: str = "small") -> None:
        self._said.setProperty("role", role)
        self._said.style().polish(self._said)
        self._said.setText(words)
        self._said.show()


def title_of(widget: Widget) -> str:
    """The widget's title."""
    return widget.figure.title if isinstance(widget, Chart) else widget.title


def _body(widget: Widget, palette: Palette) -> Body:
    match widget:
        case Chart(figure=figure):
            return ChartBody(figure, palette)
        case TableView(table=table, row_count=count):
            return TableWidget(table, palette, row_count=count)
        case Kpi():
            return KpiView(widget, palette)
