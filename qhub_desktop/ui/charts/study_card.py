"""A study on its card: doubts first, then the verdict, the panels, facts and tables."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.charts.panels import StudyPanels
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.layouts import column_layout, make_label, row_layout
from qhub_desktop.ui.theme import GRID_PX, theme

FACT_COLUMNS = 2
TABLE_ROWS = 8


class RemarkBox(QFrame):
    """Calm box of sentences under one icon: doubts on a study, or what was changed by hand."""

    def __init__(self, name: str, sentences: Sequence[str], *, icon_name: str) -> None:
        super().__init__()
        self._icon_name = icon_name
        self._icon_label = make_label()
        self.setProperty("kind", "chip")
        self.setAccessibleName(f"{name}: {' '.join(sentences)}")
        row = row_layout(self, margins=(10, 6, 10, 6), spacing=GRID_PX)
        row.addWidget(self._icon_label, 0, Qt.AlignmentFlag.AlignTop)
        column = column_layout(spacing=4)
        for sentence in sentences:
            label = make_label(sentence, is_wrapped=True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(label)
        row.addLayout(column, 1)
        theme().register(self._restyle)

    def _restyle(self) -> None:
        ratio = self.devicePixelRatioF()
        colour = theme().palette.warn
        self._icon_label.setPixmap(pixmap(self._icon_name, colour, size_px=18, ratio=ratio))


class StudyView(QWidget):
    """Everything of a study under its title, in the order in which it should be read."""

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study
        self.panels: StudyPanels | None = None
        column = column_layout(self, margins=(0, 0, 0, 0), spacing=GRID_PX + 2)
        if study.doubts:
            column.addWidget(RemarkBox(_("Doubts"), study.doubts, icon_name="warning"))
        self.verdict = make_label(study.verdict, is_wrapped=True)
        self.verdict.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.verdict.setVisible(bool(study.verdict))
        column.addWidget(self.verdict)
        if study.overrides:
            changed = [each.sentence for each in study.overrides]
            column.addWidget(RemarkBox(_("Changes by hand"), changed, icon_name="pencil"))
        if any(study.panels):
            self.panels = StudyPanels(study.panels, study.signals, title=study.title)
            column.addWidget(self.panels)
        if study.facts:
            column.addWidget(FactGrid(study.facts))
        for view in study.tables:
            self._add_table(view)

    def _add_table(self, view: TableView) -> None:
        column = self.layout()
        assert column is not None
        head = make_label(view.title, is_wrapped=True)
        head.setProperty("role", "heading")
        table = TableWidget(view.table, row_count=view.row_count)
        table.fit_rows(TABLE_ROWS)
        column.addWidget(head)
        column.addWidget(table)


class FactGrid(QWidget):
    """Names and values in columns beside each other: method, estimator, n, period."""

    def __init__(self, facts: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(_("Facts"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID_PX + 4)
        grid.setVerticalSpacing(2)
        rows = -(-len(facts) // FACT_COLUMNS)
        for at, (name, value) in enumerate(facts):
            column, row = divmod(at, rows)
            grid.addWidget(
                make_label(name, role="quiet"), row, 2 * column, Qt.AlignmentFlag.AlignTop
            )
            grid.addWidget(_value(value), row, 2 * column + 1)
        for column in range(FACT_COLUMNS):
            grid.setColumnStretch(2 * column + 1, 1)


def _value(text: str) -> QLabel:
    label = make_label(text, is_wrapped=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
