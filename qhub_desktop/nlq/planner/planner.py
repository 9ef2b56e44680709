"""New query plans from a question's slots, and dashboards made of several of them."""

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from html import escape
from itertools import chain, count

from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.nlq.locale import AnswerLocale
from qhub_desktop.nlq.parser.question_frame import QuestionFrame
from qhub_desktop.nlq.phrases import title
from qhub_desktop.nlq.planner.build import numbers, presented
from qhub_desktop.nlq.planner.ranking import grain_for, grouped
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    AsDashboard,
    ByShift,
    Columns,
    Count,
    DataPlan,
    Describe,
    Dimension,
    GroupBy,
    Measure,
    Query,
    RowSelection,
    Top,
    Unknown,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import SqlCompiler
from qhub_desktop.nlq.tokenizer import plain

MOST_CARDS = 6
_LONGEST_TITLE = 120
_LONGEST_NAME = 28  # of a query; a sheet of a workbook may have 31 characters

# Draws every element that names a query of the page's own.
_SCRIPT = """
(function () {
  "use strict";
  function shown(value) {
    if (typeof value !== "number") return value === null ? "–" : String(value);
    return value.toLocaleString(undefined, { maximumFractionDigits: 2 });
  }
  function label(value) {
    var day = /^\\d{4}-(\\d\\d)-(\\d\\d)$/.exec(value);
    return day ? day[2] + "/" + day[1] : String(value);
  }
  document.querySelectorAll("[data-number]").forEach(function (element) {
    var found = qhub.data[element.dataset.number];
    element.textContent = found && found.linhas.length ? shown(found.linhas[0][0]) : "–";
  });
  document.querySelectorAll("[data-chart]").forEach(function (element) {
    var found = qhub.data[element.dataset.chart];
    if (!found) return;
    var rows = found.linhas, kind = element.dataset.kind, sets, labels;
    var drawn = found.colunas.indexOf(element.dataset.value);
    if (drawn < 0) drawn = found.colunas.length - 1;
    if (element.dataset.split) {
      labels = Array.from(new Set(rows.map(function (row) { return row[0]; })));
      var names = Array.from(new Set(rows.map(function (row) { return row[1]; })));
      sets = names.map(function (name) {
        return { label: String(name), data: labels.map(function (label) {
          var row = rows.find(function (each) { return each[0] === label && each[1] === name; });
          return row ? row[drawn] : 0;
        }) };
      });
    } else {
      labels = rows.map(function (row) { return row[0]; });
      var values = rows.map(function (row) { return row[drawn]; });
      sets = [{ label: element.dataset.value, data: values }];
    }
    new Chart(element, {
      type: kind === "barh" ? "bar" : kind,
      data: { labels: labels.map(label), datasets: sets },
      options: {
        indexAxis: kind === "barh" ? "y" : "x",
        plugins: { legend: { display: sets.length > 1 } },
      },
    });
  });
})();
"""


def overview(index: SchemaIndex, scope: RowSelection) -> tuple[Query, ...]:
    """What a dashboard shows when nothing is said: how many, over time, by the telling columns."""
    made: list[Query] = [Count(scope)]
    amounts = [name for name in index.measures if index.is_amount(name)]
    made += [Aggregate(scope, Measure("sum", name)) for name in amounts[:2]]
    if not amounts:
        made += [Aggregate(scope, Measure("mean", name)) for name in index.measures[:1]]
    measure = Measure("sum", amounts[0]) if amounts and not index.is_of_defects else Measure()
    if index.date_column is not None:
        day = Dimension(index.date_column, grain_for(index, scope.period))
        made.append(GroupBy(scope, day, measure))
    for column in index.categories[:3]:
        dimension = Dimension(column)
        made.append(
            grouped(scope, [dimension], index, is_share=False)
            if measure.kind == "count"
            else GroupBy(scope, dimension, measure)
        )
    return tuple(made[:MOST_CARDS])


def on_a_page(asked: QuestionFrame) -> tuple[Query, ...]:
    """What a dashboard shows of a question: the whole, and each of the dimensions named."""
    whole, parts = _taken_apart(asked)
    if not parts and not whole.columns:
        return overview(asked.index, asked.scope)
    if asked.has("percent") and parts:
        return _cards(parts)  # of a share, the whole says nothing
    return _cards((whole, *parts)) or overview(asked.index, asked.scope)


def listed_on_a_page(wishes: Sequence[QuestionFrame], scope: RowSelection) -> tuple[Query, ...]:
    """What a dashboard shows of several wishes, each read by itself.

    Nothing where one of them means nothing by itself, or is about other rows than all together.
    """
    parts: list[QuestionFrame] = []
    for wish in wishes:
        whole, own = _taken_apart(wish)
        says_what = own or whole.columns or wish.has_subject or wish.has("total", "count", "trend")
        if wish.scope != scope or wish.unknown or not says_what:
            return ()
        is_ranked = wish.has("top", "most", "least")
        parts += [wish] if is_ranked else own or [whole]
    return _cards(parts) if len(wishes) > 1 else ()


def _taken_apart(asked: QuestionFrame) -> tuple[QuestionFrame, list[QuestionFrame]]:
    """A question without what it is grouped by, and with each of that."""
    index = asked.index
    named = [each for each in asked.columns if not index.is_measure(each.column)]
    measured = tuple(each for each in asked.columns if each not in named)
    whole = replace(asked, dimensions=(), columns=measured, has_subject=not measured)
    return whole, [replace(whole, dimensions=(each,)) for each in (*asked.dimensions, *named)]


def _cards(parts: Sequence[QuestionFrame]) -> tuple[Query, ...]:
    made = [wanted for each in parts if (wanted := numbers(each)) is not None]
    return tuple(dict.fromkeys(made))[:MOST_CARDS]


def dashboard_of(
    plans: Sequence[Query], name: str, index: SchemaIndex, voice: AnswerLocale
) -> JsonObject:
    """What the tool needs to make it: a title, a body, a query for each number and chart."""
    writer = SqlCompiler(index, voice)
    queries: dict[str, str] = {}
    figures: list[str] = []
    charts: list[str] = []
    for plan in plans[:MOST_CARDS]:
        words = title(plan, index, voice)
        query, heading = _query_name(words, queries), escape(words)
        if getattr(plan, "is_share", False):
            heading = f"{heading} (%)"
        if isinstance(plan, Count | Aggregate):
            queries[query] = writer.number_of(plan)
            figures.append(
                f'<div class="kpi-card"><h3>{heading}</h3>'
                f'<p class="kpi-value" data-number="{query}"></p></div>'
            )
            continue
        queries[query] = writer.query(plan, is_shown=True)
        charts.append(
            f'<div class="chart-container"><h3>{heading}</h3>'
            f'<div style="position:relative;height:260px"><canvas data-chart="{query}"'
            f' data-kind="{_kind(plan)}" data-value="{escape(_value(plan, writer))}"{_split(plan)}>'
            "</canvas></div></div>"
        )
    rows = [
        f"<h1>{escape(name)}</h1>",
        f'<div class="dashboard-row">{"".join(figures)}</div>' if figures else "",
        f'<div class="dashboard-grid">{"".join(charts)}</div>' if charts else "",
        f"<script>{_SCRIPT}</script>",
    ]
    return {
        "titulo": name[:_LONGEST_TITLE],
        "html": "\n".join(filter(None, rows)),
        "dados": {**queries},
    }


def _query_name(words: str, taken: Container[str]) -> str:
    """What a query is called, on the page and as the sheet of a workbook: 'defeitos_por_turno'."""
    name = re.sub(r"[^a-z0-9]+", "_", plain(words)).strip("_")[:_LONGEST_NAME].rstrip("_")
    name = name if name[:1].isalpha() else f"q_{name}"
    numbered = (f"{name}_{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def dashboard_name(index: SchemaIndex, voice: AnswerLocale) -> str:
    """What a dashboard of a data set is called."""
    return voice.gettext("Dashboard of {file}").format(file=index.profile.file)


def _kind(plan: Query) -> str:
    match plan:
        case GroupBy(split=split) if split is not None:
            return "bar"
        case GroupBy() | Top() | ByShift():
            if plan.dimension.grain in ("day", "week", "month", "year"):
                return "line"
            return "bar" if plan.dimension.grain else "barh"
        case _:
            return "bar"


def _value(plan: Query, writer: SqlCompiler) -> str:
    return writer.names.drawn(plan) if isinstance(plan, GroupBy | Top | ByShift) else ""


def _split(plan: Query) -> str:
    return ' data-split="1"' if isinstance(plan, GroupBy) and plan.split is not None else ""


def stands_alone(asked: QuestionFrame) -> bool:
    """Whether a question is clear without what was said before it."""
    if asked.has("describe", "columns", "trend", "compare", "missing", "duplicates"):
        return True
    if asked.has("outliers", "correlation") or asked.has_subject:
        return True
    if asked.names_dataset or (asked.has("data") and asked.has("show", "count", "list")):
        return True
    if asked.filters and asked.dimensions:
        return True
    if asked.measure_kinds and any(asked.index.is_number(each.column) for each in asked.columns):
        return True
    if asked.columns and asked.has("most", "least", "top", "count", "distinct", "list", "max"):
        return True
    return any(asked.index.is_number(each.column) for each in asked.columns) and bool(
        asked.dimensions
    )


def new_plan(asked: QuestionFrame) -> DataPlan | Unknown:
    """What a question asks for by itself."""
    index = asked.index
    dataset = index.profile.dataset
    if asked.ignored and not (asked.coverage or asked.has_subject or asked.has("data")):
        return Unknown()
    if asked.has("missing") or asked.has("duplicates"):
        wanted = numbers(asked)
        assert wanted is not None
        return wanted
    if asked.has("columns") and not asked.names_something:
        return Describe(dataset) if asked.has("rows") else Columns(dataset)
    if asked.has("dashboard"):
        return AsDashboard(on_a_page(asked))
    is_of_all = not (asked.dimensions or asked.filters or asked.columns or asked.period)
    if asked.has("describe") and is_of_all:
        return Describe(dataset)
    wanted = numbers(asked)
    return Unknown() if wanted is None else presented(wanted, asked)
