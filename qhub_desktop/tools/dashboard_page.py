"""A dashboard as a page: its body, a person's cards, and below them where the numbers are from."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from html import escape

from qhub_desktop.charts import pages
from qhub_desktop.core.codec import pack, plain
from qhub_desktop.core.dashboard import NamedQuery, QueryRows
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import cell, moment, ngettext, number, percent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import Chart, Kpi, TableView, Widget
from qhub_desktop.tools.dashboard_queries import CardNow, RenderedDashboard

SHOWN_ROWS = 200  # of a table on a card; the workbook has all that were kept


@dataclass(frozen=True, slots=True)
class Page:
    """A whole document for the window, and what it reads as `qhub.data`."""

    title: str
    document: str
    data: Mapping[str, Json]

    def self_contained(self) -> str:
        """The same as one file that opens anywhere without a network."""
        return pages.self_contained(self.document, self.data)


def page_of(filled: RenderedDashboard) -> Page:
    """The page of a dashboard with the rows at hand."""
    queries = {each.name: each for each in filled.contents.queries}
    own = {card.query for card in filled.contents.cards}
    named: dict[str, Json] = {
        rows.name: _named_rows(rows, queries[rows.name])
        for rows in filled.rows
        if rows.name in queries and rows.name not in own
    }
    style = f"<style>{_shipped('figures.css')}</style>"
    title = filled.contents.title
    # An agent's body has its own heading; what was made by hand has none.
    body = filled.contents.body or f"<h1>{escape(title)}</h1>"
    source = "\n".join([body, style, *_cards(filled), *_sources(filled, queries)])
    return Page(title, pages.document(source, title=title), named)


def _named_rows(rows: QueryRows, query: NamedQuery) -> JsonObject:
    """What a script finds under `qhub.data.<name>`."""
    found: dict[str, Json] = {
        "colunas": [*rows.table.names],
        "tipos": [column.type for column in rows.table.columns],
        "linhas": [[plain(each) for each in row] for row in rows.table.rows],
        "consulta": query.sql,
        "ate": rows.taken.isoformat(timespec="seconds"),
    }
    if rows.problem:
        found["erro"] = rows.problem
    return found


def _cards(filled: RenderedDashboard) -> Iterator[str]:
    if not filled.cards:
        return
    yield '<section class="qhub-cards">'
    for each in filled.cards:
        yield _card(each)
    yield "</section>"
    for each in filled.cards:
        if isinstance(each.widget, Chart):
            figure = json.dumps(pack(each.widget.figure), ensure_ascii=False)
            # Nothing in it can end the element that it stands in.
            yield (
                f'<script type="application/json" data-figure-of="{escape(each.card.id)}">'
                f"{figure.replace('<', chr(92) + 'u003c')}</script>"
            )
    yield f"<script>{_shipped('figures.js')}</script>"


def _card(now: CardNow) -> str:
    card, widget = now.card, now.widget
    kind = "kpi-card" if isinstance(card.widget, Kpi) else "chart-container"
    style = f"grid-column: span {card.width}"
    words = [
        f'<article class="{kind} qhub-card" style="{style}" data-card="{escape(card.id)}">',
        f"<h3>{escape(card.title)}</h3>",
        _inside(card.id, widget) if widget is not None else "",
    ]
    if now.problem:
        words.append(f'<p class="qhub-problem">{escape(now.problem)}</p>')
    if now.rows is not None and now.rows.source is not None:
        words.append(f'<p class="qhub-when">{escape(_when(now.rows.taken))}</p>')
    words.append("</article>")
    return "\n".join(words)


def _inside(id_: str, widget: Widget) -> str:
    match widget:
        case Chart():
            subtitle = escape(widget.figure.subtitle)
            above = f'<p class="qhub-when">{subtitle}</p>' if subtitle else ""
            return f'{above}<div class="qhub-figure" data-figure="{escape(id_)}"></div>'
        case TableView():
            return _table(widget)
        case Kpi():
            return _number(widget)


def _table(view: TableView) -> str:
    columns = view.table.columns
    sides = [' class="number"' if is_numeric(column.type) else "" for column in columns]
    head = "".join(
        f"<th{side}>{escape(column.name)}</th>" for column, side in zip(columns, sides, strict=True)
    )
    shown = view.table.rows[:SHOWN_ROWS]
    lines = "\n".join(
        "<tr>"
        + "".join(
            f"<td{side}>{escape(cell(value))}</td>" for value, side in zip(row, sides, strict=True)
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
        f'<p class="kpi-value qhub-{kpi.standing}">{escape(value)}'
        + (f' <span class="kpi-unit">{escape(kpi.unit)}</span>' if kpi.unit else "")
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


def _figure(value: float) -> str:
    return number(value) if math.isfinite(value) else "–"


def _sources(filled: RenderedDashboard, queries: Mapping[str, NamedQuery]) -> Iterator[str]:
    """Each query, and the time of its data."""
    if not filled.rows:
        return
    titles = {card.query: card.title for card in filled.contents.cards}
    heading = _("Data")
    yield f'<footer class="qhub-sources"><h4>{escape(heading)}</h4>'
    for rows in filled.rows:
        query = queries.get(rows.name)
        if query is None:
            continue
        count = ngettext("{count} row", "{count} rows", rows.row_count)
        facts = [
            titles.get(rows.name, rows.name),
            count.format(count=number(rows.row_count, digits=0)),
            rows.source.file if rows.source else "",
            _when(rows.taken),
        ]
        problem = f'<p class="qhub-problem">{escape(rows.problem)}</p>' if rows.problem else ""
        yield (
            f"<details><summary>{escape(' · '.join(filter(None, facts)))}</summary>"
            f"{problem}<pre>{escape(query.sql.strip())}</pre></details>"
        )
    yield "</footer>"


def _when(taken: datetime) -> str:
    return _("data of {moment}").format(moment=moment(taken.astimezone().replace(second=0)))


@cache
def _shipped(name: str) -> str:
    return (RESOURCES / "web" / name).read_text(encoding="utf-8")
