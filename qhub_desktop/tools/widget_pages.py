"""Pages that show widgets: documents for the window and for paper, and what they are made of."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import field
from html import escape
from typing import Literal

from qhub_desktop.charts import html_document
from qhub_desktop.core.codec import Json, pack
from qhub_desktop.core.figure import Figure, Panels
from qhub_desktop.core.result_widgets import Chart, Kpi, Study, TableView, Widget
from qhub_desktop.core.table import Cell, is_numeric
from qhub_desktop.core.text import aligned, cell, decimals_of, number, percent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import map_texts, visible
from qhub_desktop.core.values import dataclass

CARD_ROWS = 200  # rows of a table on a card; the workbook has all stored rows


@dataclass(frozen=True, slots=True)
class PageDocument:
    """HTML document for the window, and the data that it reads as `qhub.data`.

    `sheet` is how its paper lies when it is printed, and `foot` stands below the title at the foot
    of each sheet. `drawings` are what the printer draws, as the window does, in the places that
    `drawing_place` has left for them; they are of paper alone.
    """

    title: str
    document: str
    data: Mapping[str, Json]
    sheet: Literal["landscape", "portrait"] = "landscape"
    drawings: Mapping[str, Panels] = field(default_factory=dict)
    foot: str = ""

    def self_contained(self) -> str:
        """Return the page as one HTML file that needs no network."""
        return html_document.self_contained(self.document, self.data, title=self.title)


def widget_html(id_: str, widget: Widget, *, is_on_paper: bool = False) -> str:
    """Return a widget as a page shows it; of figures, the places that they are drawn in.

    On paper the printer draws them (`drawings_of`), on a screen the page (`figure_scripts`).
    """
    match widget:
        case Chart():
            if is_on_paper:
                return drawing_place(id_)
            subtitle = html_text(widget.figure.subtitle)
            above = f'<p class="qhub-when">{subtitle}</p>' if subtitle else ""
            return f'{above}<div class="qhub-figure" data-figure="{escape(id_)}"></div>'
        case TableView():
            return table_html(widget)
        case Kpi():
            return _number(widget)
        case Study():
            return _study(id_, widget, is_on_paper=is_on_paper)


def drawing_place(id_: str) -> str:
    """Return the place that the printer draws panels in; see `PageDocument.drawings`."""
    return f'<div class="qhub-drawing" data-drawing="{escape(id_)}"></div>'


def drawings_of(id_: str, widget: Widget) -> dict[str, Panels]:
    """Return the figures of a widget as the printer draws them; of others, nothing."""
    match widget:
        case Chart(figure=figure):
            return {id_: ((figure,),)}
        case Study(panels=panels) if panels:
            return {id_: panels}
        case _:
            return {}


def figure_scripts(id_: str, widget: Widget) -> list[str]:
    """Return the elements that hand the figures of a widget to the script that draws them."""
    match widget:
        case Chart(figure=figure):
            return [figure_script(id_, figure)]
        case Study(panels=panels):
            return [
                figure_script(_panel_id(id_, row, column), figure)
                for row, figures in enumerate(panels)
                for column, figure in enumerate(figures)
            ]
        case TableView() | Kpi():
            return []


def _study(id_: str, study: Study, *, is_on_paper: bool) -> str:
    parts = [f'<p class="qhub-doubt">{html_text(doubt)}</p>' for doubt in study.doubts]
    parts.append(f'<p class="qhub-verdict">{html_text(study.verdict)}</p>')
    parts += [f'<p class="qhub-doubt">{html_text(each.sentence)}</p>' for each in study.overrides]
    panels = drawing_place(id_) if is_on_paper else _panels_html(id_, study)
    parts += [panels, facts_html(study.facts)]
    for view in study.tables:
        parts.append(f"<h4>{html_text(view.title)}</h4>{table_html(view)}")
    return "".join(parts)


def _panels_html(id_: str, study: Study) -> str:
    """Return the places that the figures of a study are drawn in."""
    parts = []
    is_one = sum(map(len, study.panels)) == 1
    kind = "qhub-panels"
    if is_one:
        kind += " is-single"
    elif len(study.panels) > 2:
        kind += " is-tight"  # a sixpack is one picture, on one sheet
    for row, figures in enumerate(study.panels):
        parts.append(f'<div class="{kind}" style="--columns: {len(figures)}">')
        for column, figure in enumerate(figures):
            head = "" if is_one else html_text(figure.title)
            if figure.subtitle:
                head += f' <span class="qhub-when">{html_text(figure.subtitle)}</span>'
            head = f"<h4>{head}</h4>" if head else ""
            place = escape(_panel_id(id_, row, column))
            drawn = f'<div class="qhub-figure" data-figure="{place}"></div>'
            parts.append(f"<div>{head}{drawn}</div>")
        parts.append("</div>")
    return "".join(parts)


def facts_html(facts: Iterable[tuple[str, str]]) -> str:
    """Return names and values as a table; nothing where there are none."""
    rows = "".join(
        f"<tr><th>{html_text(name)}</th><td>{html_text(value)}</td></tr>" for name, value in facts
    )
    return f'<table class="data-table qhub-facts"><tbody>{rows}</tbody></table>' if rows else ""


def _written(value: Cell, digits: int) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return aligned(value, digits)
    return cell(value)


def _panel_id(id_: str, row: int, column: int) -> str:
    return f"{id_}-{row}-{column}"


def table_html(view: TableView) -> str:
    """Return the first rows of a table, and how many there are where those are not all."""
    columns = view.table.columns
    sides = [' class="number"' if is_numeric(column.type) else "" for column in columns]
    head = "".join(
        f"<th{side}>{html_text(column.name)}</th>"
        for column, side in zip(columns, sides, strict=True)
    )
    shown = view.table.rows[:CARD_ROWS]
    decimals = [decimals_of(view.table, at) for at in range(len(columns))]
    lines = "\n".join(
        "<tr>"
        + "".join(
            f"<td{side}>{html_text(_written(value, digits))}</td>"
            for value, side, digits in zip(row, sides, decimals, strict=True)
        )
        + "</tr>"
        for row in shown
    )
    rest = ""
    if view.row_count > len(shown):
        told = _("first {shown} of {count} rows").format(
            shown=number(len(shown)), count=number(view.row_count)
        )
        rest = f'<p class="qhub-when">{escape(told)}</p>'
    return (
        f'<div class="qhub-scroll"><table class="data-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>{rest}"
    )


def _number(kpi: Kpi) -> str:
    value = kpi.value if isinstance(kpi.value, str) else _figure(kpi.value)
    words = [
        f'<p class="kpi-value qhub-{kpi.standing}">{html_text(value)}'
        + (f' <span class="kpi-unit">{html_text(kpi.unit)}</span>' if kpi.unit else "")
        + "</p>"
    ]
    notes = []
    if kpi.change is not None:
        notes.append(f"{'+' if kpi.change > 0 else ''}{percent(kpi.change)}")
    if kpi.target is not None:
        notes.append(_("target {value}").format(value=number(kpi.target)))
    if notes:
        words.append(f'<p class="qhub-when">{escape(" · ".join(notes))}</p>')
    return "".join(words)


def html_text(text: str) -> str:
    """Return what a page shows as this text, whatever stands in it."""
    return escape(visible(text))


def _figure(value: float) -> str:
    return number(value) if math.isfinite(value) else "–"


def figure_script(id_: str, figure: Figure) -> str:
    """Return the element that hands a figure to the script that draws it (`figures.js`)."""
    text = json.dumps(map_texts(pack(figure), visible), ensure_ascii=False)
    # Nothing in it can end the element that it stands in, or be taken for an import of a script
    # (of Chart.js, which a page is given in another way).
    for sign in "<'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" data-figure-of="{escape(id_)}">{text}</script>'
