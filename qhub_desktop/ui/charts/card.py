"""The card of a widget: its title, source and menu, and its export as a picture."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFontDatabase,
    QGuiApplication,
    QKeySequence,
)
from PySide6.QtWidgets import (
    QFrame,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, TableView, Widget, title_of
from qhub_desktop.core.settings import PREVIEW_ROWS
from qhub_desktop.core.study import Study
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.untrusted import visible
from qhub_desktop.data.export.output import table_of
from qhub_desktop.data.export.text_tables import to_csv
from qhub_desktop.ui.charts.chart_body import ChartBody
from qhub_desktop.ui.charts.kpi_view import KpiView
from qhub_desktop.ui.charts.panels import StudyPanels
from qhub_desktop.ui.charts.study_card import StudyView
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.controls.code_colours import SQL, CodeHighlighter
from qhub_desktop.ui.controls.file_dialogs import open_save_dialog
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    add_to,
    column_of,
    make_label,
    row_of,
)
from qhub_desktop.ui.controls.plain_text import (
    captioned,
    make_action,
    one_line,
    set_tooltip,
)
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.saving import (
    Picture,
    Scene,
    WidgetScene,
    copy_table,
    save,
)
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.theme import (
    GRID_PX,
    LIGHT,
    SMALL_PT,
    scaled_pt,
    theme,
)

if TYPE_CHECKING:
    from qhub_desktop.ui.charts.plot_view import PlotView

MAX_LINES = 10
CHARACTERS_PER_LINE = 86  # at the usual width of a card, in the fixed font
BOX_PAD_PX = 14


class SourceLine(QWidget):
    """Provenance of a widget in one line, with a link that unfolds the query below."""

    def __init__(self, source: Provenance) -> None:
        super().__init__()
        self.link = captioned(QPushButton(), _("query"))
        self.link.setProperty("kind", "link")
        self.link.setCheckable(True)
        self.link.setAccessibleName(_("Show the query"))
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.link.setStyleSheet(
            f"min-height: 18px; padding: 0 2px; font-size: {scaled_pt(SMALL_PT)}pt;"
        )
        self.link.setVisible(bool(source.sql))
        self.query_box = QueryBox(source.sql)
        self.query_box.hide()
        self.link.toggled.connect(self.query_box.setVisible)
        words = ElidedLabel(source_text(source) + (" ·" if source.sql else ""), role="small")
        words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_tooltip(self, file_text(source))
        row = row_of(words, self.link, STRETCH, spacing=2)
        column = column_of(row, owner=self, spacing=4)
        self.warnings = {
            warning: make_label(warning, role="small", is_wrapped=True)
            for warning in source.warnings
        }
        add_to(column, *self.warnings.values(), self.query_box)


class QueryBox(QPlainTextEdit):
    """Read-only text of a query, as high as its lines."""

    def __init__(self, sql: str) -> None:
        super().__init__(visible(sql.strip()))
        self.setReadOnly(True)
        self.setAccessibleName(_("Query"))
        self.setTabChangesFocus(True)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        self.setFont(font)
        self.setProperty("kind", "chip")
        lines = sum(1 + len(line) // CHARACTERS_PER_LINE for line in sql.strip().splitlines())
        lines = max(1, min(MAX_LINES, lines))
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + BOX_PAD_PX)
        self._highlighter = CodeHighlighter(self.document(), SQL)


def source_text(source: Provenance) -> str:
    """Return the provenance as text: file, sheet, and number of rows used."""
    names = " · ".join(part for part in (source.dataset, source.sheet) if part)
    return _("Source: {names} · {rows}").format(names=names, rows=rows_text(source))


def rows_text(source: Provenance) -> str:
    """Return the number of rows used as text."""
    total = number(source.rows_total)
    if source.rows_used is None:
        return _("of {total} rows").format(total=total)
    return _("{used} of {total} rows").format(used=number(source.rows_used), total=total)


def file_text(source: Provenance) -> str:
    """Return the name of the source file, and its sheet."""
    return " · ".join(part for part in (source.file, source.sheet) if part)


ZOOM_IN, ZOOM_OUT = 0.7, 1 / 0.7


def chart_window(owner: QWidget | None, figure: Figure) -> DetailWindow:
    """Return a window with the chart, which can be zoomed and moved there."""
    # Imports pyqtgraph, 0.5 s: only when needed.
    from qhub_desktop.ui.charts.plot_view import PlotView

    window = DetailWindow(owner, figure.title, subtitle=figure.subtitle, size=QSize(1180, 760))
    plot = PlotView(figure, is_pannable=True)
    _add_plot(window, plot)
    _add_zoom_keys(window, plot.zoom, plot.reset)
    return window


def study_window(owner: QWidget | None, study: Study) -> DetailWindow:
    """Return a window with the panels of a study, which can be zoomed and moved there."""
    window = DetailWindow(owner, study.title, subtitle=study.verdict, size=QSize(1180, 760))
    panels = StudyPanels(study.panels, study.signals, title=study.title, is_pannable=True)
    _add_plot(window, panels)
    _add_zoom_keys(window, panels.zoom, panels.reset)
    panels.setFocus()
    return window


def _add_plot(window: DetailWindow, plot: QWidget) -> None:
    frame = QFrame()
    frame.setProperty("kind", "card")
    column_of(
        plot, owner=frame, margins=(2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX, GRID_PX), spacing=None
    )
    window.add(frame)
    window.add_note(_("Ctrl + wheel zooms, dragging moves, a double click shows everything."))


def _add_zoom_keys(
    window: DetailWindow, zoom: Callable[[float], object], reset: Callable[[], object]
) -> None:
    for keys, words, does in (
        (QKeySequence.StandardKey.ZoomIn, _("Zoom in"), lambda: zoom(ZOOM_IN)),
        (QKeySequence.StandardKey.ZoomOut, _("Zoom out"), lambda: zoom(ZOOM_OUT)),
        (QKeySequence("Ctrl+0"), _("Show everything"), reset),
    ):
        action = make_action(words, window)
        action.setShortcut(keys)
        action.triggered.connect(does)
        window.addAction(action)


Body = ChartBody | TableWidget | KpiView | StudyView


class WidgetCard(QFrame):
    """Card of a widget: its title, provenance and actions.

    Signals:
        pin_requested: pin this widget to a dashboard, with the plan of its question or None.
        workbook_requested: path of the Excel file to write. The receiver reports the outcome with
            `show_saved` or `show_error`.
        exported: the file that the widget was saved as, and how many rows are behind it.
        used: it was "opened" or "copied".
    """

    pin_requested = Signal(object, object)
    workbook_requested = Signal(object)
    exported = Signal(object, int)
    used = Signal(str)

    def __init__(self, widget: Widget, *, preview_rows: int = PREVIEW_ROWS) -> None:
        super().__init__()
        self._widget = widget
        self._preview_rows = preview_rows
        self._plan: JsonObject | None = None
        self._title = title_of(widget)
        self.body = _body(widget)
        self.menu = QMenu(self)
        self._menu_button = IconButton("more", _("Actions for {title}").format(title=self._title))
        self._pin_button = IconButton("pin", _("Pin to a dashboard"), on_click=self._on_pin_clicked)
        self._pin_button.hide()
        # Makes the content of the file being asked about
        self._content: Callable[[], bytes] = bytes
        self._message = StatusLabel(role="small")
        self.setProperty("kind", "card")
        self.setAccessibleName(self._title)
        # Indicators in a row are all as high as the highest.
        is_kpi = isinstance(widget, Kpi)
        vertical = QSizePolicy.Policy.Preferred if is_kpi else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        self._build()
        self._fill_menu()

    @property
    def widget(self) -> Widget:
        """The widget shown."""
        return self._widget

    @property
    def study_view(self) -> StudyView | None:
        """The body of a study's card."""
        return self.body if isinstance(self.body, StudyView) else None

    def offer_pin(self) -> None:
        """Show the button that pins the widget to a dashboard."""
        self._pin_button.show()

    def offer_workbook(self) -> None:
        """Add saving as an Excel file to the menu."""
        action = make_action(_("Save as Excel…"), self.menu)
        action.triggered.connect(self.save_workbook)
        self.menu.insertAction(self._csv_action, action)

    def offer_form(self, opens: Callable[[], object], plan: JsonObject | None = None) -> None:
        """Add to the menu, as its first line, what opens the form that the widget was made by;
        `plan` is that of its question, and is pinned with it.
        """
        self._plan = plan
        action = make_action(_("Change it by choices"), self.menu)
        action.triggered.connect(lambda _on: opens())
        self.menu.insertAction(self.menu.actions()[0], action)

    def show_saved(self, file: Path) -> None:
        """Show that the widget was saved to this file."""
        self._message.tell_saved(_("Saved as {name}.").format(name=file.name), file)

    def show_error(self, error: QHubError) -> None:
        """Show why the file was not saved."""
        self._message.tell_error(error)

    def warn_once(self, told: set[str]) -> None:
        """Leave out the warnings that cards before this one have told, and add one's own."""
        for line in self.findChildren(SourceLine):
            for warning, label in line.warnings.items():
                label.setHidden(warning in told)
            told.update(line.warnings)

    def expand_source(self) -> None:
        """Unfold the query."""
        for line in self.findChildren(SourceLine):
            line.link.setChecked(True)

    def copy_picture(self) -> None:
        """Copy the widget to the clipboard as a picture."""
        QGuiApplication.clipboard().setImage(self._picture().to_image())
        self._message.tell(_("Picture copied."))
        self.used.emit("copied")

    def copy_data(self) -> None:
        """Copy the data to the clipboard as a table."""
        copy_table(table_of(self._widget))
        self._message.tell(_("Data copied."))
        self.used.emit("copied")

    def save_png(self) -> None:
        """Ask for a file, then save the widget as PNG."""
        self._save_as(_("PNG picture"), ".png", lambda: self._picture().to_png())

    def save_svg(self) -> None:
        """Ask for a file, then save the widget as SVG."""
        self._save_as(
            _("SVG drawing"),
            ".svg",
            lambda: self._on_paper(lambda picture: picture.to_svg(dpi=self.logicalDpiX())),
        )

    def save_pdf(self) -> None:
        """Ask for a file, then save the widget as a PDF page."""
        self._save_as(
            _("PDF document"),
            ".pdf",
            lambda: self._on_paper(lambda picture: picture.to_pdf(dpi=self.logicalDpiX())),
        )

    def save_workbook(self) -> None:
        """Ask for a file, then emit `workbook_requested`."""
        self._choose_path(_("Excel workbook"), ".xlsx", self._on_workbook_selected)

    def save_csv(self) -> None:
        """Ask for a file, then save the data as CSV."""
        self._save_as(_("CSV table"), ".csv", lambda: to_csv(table_of(self._widget)))

    def open_data(self) -> DetailWindow:
        """Open a window with the data as a table."""
        self.used.emit("opened")
        data = table_of(self._widget)
        count = self._widget.row_count if isinstance(self._widget, TableView) else None
        table = TableWidget(data, row_count=count)
        window = DetailWindow(self, self._title, subtitle=self._footer(), size=QSize(960, 640))
        window.add(table)
        window.show()
        table.view.setFocus()
        return window

    def enlarge(self) -> DetailWindow:
        """Open a window with the chart."""
        match self._widget:
            case Chart(figure=figure):
                window = chart_window(self, figure)
            case Study():
                window = study_window(self, self._widget)
            case _:
                return self.open_data()
        self.used.emit("opened")
        window.show()
        return window

    def _build(self) -> None:
        is_kpi = isinstance(self._widget, Kpi)
        title = make_label(one_line(self._title))
        title.setProperty("role", "quiet" if is_kpi else "heading")
        title.setWordWrap(True)
        top = row_of((title, 1), self._pin_button, self._menu_button, spacing=GRID_PX // 2)
        column = column_of(
            top,
            owner=self,
            margins=(2 * GRID_PX, GRID_PX, GRID_PX, GRID_PX + 4),
            spacing=GRID_PX // 2,
        )
        inner = column_of(margins=(0, 0, GRID_PX, 0))
        if isinstance(self._widget, Chart) and self._widget.figure.subtitle:
            subtitle = make_label(self._widget.figure.subtitle, role="small", is_wrapped=True)
            inner.addWidget(subtitle)
        inner.addWidget(self.body)
        if isinstance(self.body, TableWidget):
            self.body.fit_rows(self._preview_rows)
        self._add_source(inner)
        inner.addWidget(self._message)
        add_to(column, inner, STRETCH)

    def _add_source(self, column: QVBoxLayout) -> None:
        source = self._widget.source
        if source is None:
            return
        if not isinstance(self._widget, Kpi):
            column.addWidget(SourceLine(source))
            return
        link = captioned(QPushButton(), rows_text(source))
        link.setProperty("kind", "link")
        set_tooltip(link, file_text(source))
        link.setAccessibleName(source_text(source))
        link.setStyleSheet(f"min-height: 18px; padding: 0; font-size: {scaled_pt(SMALL_PT)}pt;")
        link.clicked.connect(self._on_source_clicked)
        column.addWidget(link)

    def _fill_menu(self) -> None:
        self._menu_button.setMenu(self.menu)
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        has_panels = isinstance(self._widget, Study) and bool(self._widget.panels)
        is_chart = isinstance(self._widget, Chart) or has_panels
        self._add_action(_("Copy picture"), self.copy_picture)
        self._add_action(_("Save as PNG…"), self.save_png)
        if is_chart:
            self._add_action(_("Save as SVG…"), self.save_svg)
        if isinstance(self._widget, Study):
            self._add_action(_("Save as PDF…"), self.save_pdf)
        self.menu.addSeparator()
        self._add_action(_("Copy data"), self.copy_data)
        if not isinstance(self._widget, Kpi):
            self._add_action(_("Open data"), self.open_data)
        self._csv_action = self._add_action(_("Save as CSV…"), self.save_csv)
        if is_chart:
            self.menu.addSeparator()
            self._add_action(_("Enlarge"), self.enlarge)

    def _add_action(self, words: str, does: Callable[[], object]) -> QAction:
        action = make_action(words, self.menu)
        action.triggered.connect(does)
        self.menu.addAction(action)
        return action

    def _on_pin_clicked(self) -> None:
        self.pin_requested.emit(self._widget, self._plan)

    def _on_source_clicked(self) -> None:
        source = self._widget.source
        assert source is not None
        window = DetailWindow(self, self._title, subtitle=source_text(source), size=QSize(640, 300))
        window.add(QueryBox(source.sql))
        window.show()

    def _on_paper(self, write: Callable[[Picture], bytes]) -> bytes:
        """Write what is kept as a document, which is light whatever the screen is."""
        if theme().palette is LIGHT:
            return write(self._picture())
        with theme().on_paper():
            scene = self._drawn_anew()
            try:
                return write(self._picture(scene))
            finally:
                if scene is not None:
                    scene.deleteLater()

    def _drawn_anew(self) -> "PlotView | StudyPanels | None":
        """Return the chart or the panels made again, as large and with the ranges shown now."""
        match self.body:
            case ChartBody():
                from qhub_desktop.ui.charts.plot_view import PlotView

                shown = self.body.plot()
                plot = PlotView(shown.figure)
                plot.resize(shown.size())
                plot.show_range(shown.scene.viewport.x)
                return plot
            case StudyView(study=study, panels=StudyPanels() as panels):
                made = StudyPanels(study.panels, study.signals, title=study.title)
                made.resize(panels.size())
                made.set_flags(panels.flags)
                for view, before in zip(made.views(), panels.views(), strict=True):
                    view.show_range(before.scene.viewport.x)
                return made
            case _:
                return None

    def _picture(self, scene: Scene | None = None) -> Picture:
        match self._widget:
            case Chart(figure=figure):
                subtitle = figure.subtitle
            case Study():
                told = (*self._widget.doubts, self._widget.verdict)
                subtitle = "\n".join([*told, *(each.sentence for each in self._widget.overrides)])
            case _:
                subtitle = ""
        return Picture(
            scene or self._scene(),
            theme().palette,
            title=self._title,
            subtitle=subtitle,
            footer=self._footer(),
        )

    def _scene(self) -> Scene:
        match self.body:
            case ChartBody():
                return self.body.plot()
            case StudyView(panels=StudyPanels() as panels):
                return panels
            case _:
                return WidgetScene(self.body)

    def _footer(self) -> str:
        source = self._widget.source
        line = " · ".join([source_text(source), *source.warnings]) if source else ""
        if not isinstance(self._widget, Study):
            return line
        facts = " · ".join(f"{name}: {value}" for name, value in self._widget.facts)
        return "\n".join(filter(None, (facts, line)))

    def _save_as(self, kind: str, suffix: str, content: Callable[[], bytes]) -> None:
        """Ask for a file, then write the result of `content` to it."""
        # A closure would keep the card alive, and destroy it while the dialog is being destroyed.
        self._content = content
        self._choose_path(kind, suffix, self._on_file_selected)

    def _choose_path(self, kind: str, suffix: str, on_selected: Callable[[str], None]) -> None:
        """Open a non-blocking file dialog."""
        open_save_dialog(self, self._title, kind=kind, suffix=suffix, on_selected=on_selected)

    def _on_file_selected(self, name: str) -> None:
        file = Path(name)
        try:
            save(self._content(), file)
        except UserError as error:
            self.show_error(error)
            return
        self.show_saved(file)
        self.exported.emit(file, len(table_of(self._widget).rows))

    def _on_workbook_selected(self, name: str) -> None:
        self.workbook_requested.emit(Path(name))


def _body(widget: Widget) -> Body:
    match widget:
        case Chart(figure=figure):
            return ChartBody(figure)
        case TableView(table=table, row_count=count):
            return TableWidget(table, row_count=count)
        case Kpi():
            return KpiView(widget)
        case Study():
            return StudyView(widget)
