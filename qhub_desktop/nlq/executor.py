"""Execution of plans by tool calls: defect tools where they fit, SQL otherwise; dashboard pages."""

import re
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import chain, count
from pathlib import PurePath

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.figure import takes
from qhub_desktop.core.message import RECORD_TOOL, ToolResult
from qhub_desktop.core.text import LOCALES, language
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.contribution_analysis import ContributionAnalysis
from qhub_desktop.nlq.phrases import counts_defects, part_names, title, unit_of
from qhub_desktop.nlq.query_ast import (
    CALENDAR_GRAINS,
    AsChart,
    AsDashboard,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Columns,
    DataPlan,
    Describe,
    Dimension,
    GroupBy,
    Measure,
    Number,
    Profile,
    Query,
    Register,
    Rows,
    RowSelection,
    Several,
    Spread,
    alike_groups,
    is_distinct,
    is_top,
    is_unranked,
    parts_of,
    scalars_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_compiler import SqlCompiler, whole_of
from qhub_desktop.nlq.sql_expressions import SqlExpressions
from qhub_desktop.nlq.tokenizer import normalize
from qhub_desktop.nlq.tool_results import read_result

_FIELDS = ("tipo_defeito", "turno", "operador", "material", "rack")
_MOST_GROUPS = (
    1_000  # groups fetched for an answer, as many as the tool gives; it tells how many there are
)
MOST_SLICES = 6  # of a pie; more are easier to read as bars
_SENTENCE = 4  # groups in a sentence; more are drawn as well
_SERIES = 4  # side by side; more become a heat map
_MOMENTS = 3  # points of a line chart, at least
_RUNNERS_UP = 3  # fetched with the first, so that ties show
_MOST_UPRIGHT = 8  # bars; more, or with longer names, become horizontal
_LONG_NAME = 12
_LONGEST_SHEET, _LONGEST_TITLE = 80, 120  # characters, limits of the tool

_LONGEST_NAME = 28  # of a query; a sheet of a workbook may have 31 characters


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: the tool and its input."""

    name: str
    input: JsonObject


class PlanExecutor:
    """Choice of the tool calls that carry out a plan over one data set."""

    def __init__(
        self,
        index: SchemaIndex,
        locale: AnswerLocale,
        *,
        tools: Collection[str],
        has_defect_tools: bool,
    ) -> None:
        self._index = index
        self._locale = locale
        self._tools = tools
        self._has_defect_tools = has_defect_tools
        self._writer = SqlCompiler(index, locale)

    def calls(self, plan: DataPlan) -> tuple[Call, ...]:
        """Return every call that a plan takes; none depends on another's result."""
        match plan:
            case AsChart(of=of, kind=kind, is_new=is_new):
                has_text = is_new and not isinstance(of, (Spread, Rows))
                text_calls = self._query_calls(of) if has_text else ()
                return (*text_calls, *self._charts(of, kind))
            case AsTable(of=of):
                return tuple(self._table(each) for each in _tables_of(of))
            case AsKpi(of=of):
                return (self._kpi(of),)
            case AsWorkbook(of=of, kind=kind):
                return (self._workbook(of, kind),)
            case AsStudy(of=of, tool=tool, given=given_to_tool):
                return (self._study(of.scope, tool, dict(given_to_tool)),)
            case AsDashboard(of=plans):
                name = dashboard_name(self._index, self._locale)
                made = dashboard_of(plans, name, self._index, self._locale)
                return (Call("gerar_dashboard", made),)
            case Describe():
                given: JsonObject = {"conjunto": self._index.profile.dataset}
                return (Call("perfil_dados", given),) if "perfil_dados" in self._tools else ()
            case Columns():
                return ()
            case _:
                return self._query_calls(plan)

    def _study(
        self, scope: RowSelection, tool: str, given: Mapping[str, str | int | float]
    ) -> Call:
        """Return the call of a statistical method over some rows."""
        asked = _nested(given)
        if self._locale.language != language() and self._locale.language in LOCALES:
            asked["idioma"] = self._locale.language
        if tool != "plano_amostragem":  # which is of no data
            asked["conjunto"] = scope.dataset
            if conditions := SqlExpressions(self._index, self._locale).conditions(scope):
                asked["onde"] = " AND ".join(conditions)
        return Call(tool, asked)

    def chart_call(self, plan: DataPlan, results: Sequence[ToolResult]) -> Call | None:
        """Return the chart of a result that has too many groups to be said in a sentence."""
        if "gerar_grafico" not in self._tools:
            return None
        match plan:
            case GroupBy(n=1) | GroupBy(within=Dimension()):
                return None
            case Several(of=of) if grouped := alike_groups(of):
                found = read_result(grouped[0], results[:1]).groups
                return self._chart(plan, None) if len(found) > _SENTENCE else None
            case GroupBy():
                pass
            case _:
                return None
        groups = read_result(plan, results).groups
        least = _MOMENTS if plan.dimension.grain in CALENDAR_GRAINS else _SENTENCE + 1
        return None if len(groups) < least else self._chart(plan, None)

    def contribution_calls(self, analysis: ContributionAnalysis) -> tuple[Call, ...]:
        """Return the queries of a contribution analysis."""
        if "consultar_dados" not in self._tools:
            return ()
        return tuple(
            Call("consultar_dados", {"sql": query, "limite": _MOST_GROUPS})
            for query in analysis.queries()
        )

    def _query_calls(self, plan: Query) -> tuple[Call, ...]:
        if (parts := parts_of(plan)) is not None:
            return tuple(self._part_call(each) for each in parts)
        return self._own_calls(plan)

    def _part_call(self, plan: Query) -> Call:
        """Return the one call of a query among several; rows without a rank are a table."""
        is_list = isinstance(plan, Rows) and not plan.by and "gerar_tabela" in self._tools
        return self._table(plan) if is_list else self._query(plan)

    def _own_calls(self, plan: Query) -> tuple[Call, ...]:
        if isinstance(plan, Rows) and plan.by and not plan.within:
            table = (self._table(plan),) if plan.n != 1 and "gerar_tabela" in self._tools else ()
            return (self._query(plan), *table)
        match plan:
            case Rows() | Spread(shows="outliers"):
                is_table = "gerar_tabela" in self._tools
                return (self._table(plan) if is_table else self._query(plan),)
            case Spread(shows="values"):
                return (self._chart(plan, None),)
            case _:
                return self._defect_calls(plan) or (self._query(plan),)

    def value_calls(self, query: Query) -> tuple[Call, ...]:
        """Return the calls for the numbers of a query alone: no list of it, no chart."""
        if (parts := parts_of(query)) is not None:
            return tuple(call for each in parts for call in self.value_calls(each)[:1])
        match query:
            case Spread(shows="values" | "summary") | Profile():
                return ()
            case Rows(scope, by=""):
                return self.value_calls(Number(scope))
            case Rows() | Spread():
                return (self._query(query),)
            case _:
                return self._defect_calls(query) or (self._query(query),)

    def _query(self, plan: Query) -> Call:
        return Call("consultar_dados", {"sql": self._writer.query(plan), "limite": _MOST_GROUPS})

    def _defect_calls(self, plan: Query) -> tuple[Call, ...]:
        """Return the calls to the defect tools that answer this, if they can."""
        if not self._has_defect_tools:
            return ()
        given = self._filters(plan.scope)
        if given is None:
            return ()
        match plan:
            case GroupBy(is_share=True) | GroupBy(within=Dimension()):
                return ()  # the defect tools give no shares, and nothing within groups
            case GroupBy() if is_unranked(plan) and plan != GroupBy(plan.scope, plan.dimension):
                return ()
            case Number(scope, Measure("count"), is_share):
                whole = self._filters(whole_of(scope, self._index)) if is_share else None
                calls = [Call("contar_defeitos", given)]
                if whole is not None and whole != given:
                    calls.append(Call("contar_defeitos", whole))
            case GroupBy(dimension=dimension, n=int(n), order="most") if self._is_type(dimension):
                if "tipo_defeito" in given:
                    return ()
                calls = [Call("top_defeitos", {"n": n if n > 1 else _RUNNERS_UP, **given})]
            case GroupBy(dimension=dimension) if self._is_shift(dimension):
                calls = [Call("defeitos_por_turno", given)]
            case GroupBy(dimension=dimension, n=None) if self._is_type(dimension):
                calls = [Call("contar_defeitos", given)]
            case _:
                return ()
        return tuple(calls) if all(call.name in self._tools for call in calls) else ()

    def _filters(self, scope: RowSelection) -> JsonObject | None:
        """Return a selection as the defect tools take it, None if they cannot."""
        given: JsonObject = {}
        for each in scope.filters:
            field = self._field(each.column)
            if each.relation != "is" or len(each.values) != 1:
                return None
            value = each.values[0]
            if field not in _FIELDS or not isinstance(value, str):
                return None
            given[field] = value
        if scope.period is not None:
            if self._field(scope.period.column) != "data" or scope.period.but is not None:
                return None
            if scope.period.start is not None:
                given["de"] = scope.period.start.isoformat()
            if scope.period.end is not None:
                given["ate"] = scope.period.end.isoformat()
        return given

    def _is_type(self, dimension: Dimension) -> bool:
        return self._field(dimension.column) == "tipo_defeito"

    def _is_shift(self, dimension: Dimension) -> bool:
        return self._field(dimension.column) == "turno"

    def _field(self, column: str) -> str | None:
        """Return the defect tools' name of a column."""
        return self._index.profile.defect_field(column)

    def _charts(self, plan: Query, wanted: str | None) -> tuple[Call, ...]:
        """Return the charts of a query: several in one, if they are of the same groups."""
        match plan:
            case Several(of=of) if not (scalars_of(of) or alike_groups(of)):
                return tuple(self._chart(each, wanted) for each in of)
            case GroupBy() if wanted == "pareto" and (study := self._pareto(plan)) is not None:
                return self._chart(plan, wanted), study
            case _:
                return (self._chart(plan, wanted),)

    def _pareto(self, plan: GroupBy) -> Call | None:
        """Return the study of causes, by number or cost; nothing where only a chart can be."""
        measure, dimension = plan.measure, plan.dimension
        is_plain = replace(plan, measure=Measure()) == GroupBy(plan.scope, dimension)
        is_amount = measure == Measure() or measure == Measure("sum", measure.column)
        if "pareto" not in self._tools or dimension.grain or not (is_plain and is_amount):
            return None
        cost = {"valor": measure.column} if measure.kind == "sum" else {}
        return self._study(plan.scope, "pareto", {"coluna": dimension.column, **cost})

    def _chart(self, plan: Query, wanted: str | None) -> Call:
        kind = wanted or self.chart_kind(plan)
        if kind == "pie" and is_too_many_slices(plan, self._index):
            kind = self.chart_kind(plan)
        given: dict[str, Json] = {
            "tipo": kind,
            "titulo": title(plan, self._index, self._locale),
            "consulta": self._drawn(plan),
        }
        match plan:
            case Several(of=of) if grouped := alike_groups(of):
                given["x"] = self._writer.names.dimension(grouped[0].dimension)
                given["y"] = [*self._writer.series(grouped)]
            case Spread(columns=columns, dimension=dimension):
                if takes(kind) == "pair":
                    given |= {"x": columns[0], "y": [*columns[1:]]}
                else:
                    given["y"] = [columns[0]]
                    if dimension is not None:
                        given["x"] = dimension.column
            case GroupBy():
                given["x"] = self._writer.names.dimension(plan.dimension)
                given["y"] = [self._writer.names.charted(plan)]
                if plan.split is not None:
                    given["por"] = self._writer.names.dimension(plan.split)
            case _:
                pass
        return Call("gerar_grafico", given)

    def _drawn(self, plan: Query) -> str:
        """Return the SELECT that a chart draws."""
        if isinstance(plan, Several) and (numbers := scalars_of(plan.of)):
            return self._writer.bars(numbers, part_names(numbers, self._index, self._locale))
        return self._writer.query(plan, is_shown=True)

    def chart_kind(self, plan: Query) -> str:
        """Return the kind of chart that suits a query."""
        match plan:
            case Several(of=of) if grouped := alike_groups(of):
                return "line" if grouped[0].dimension.grain in CALENDAR_GRAINS else "bar"
            case Spread(columns=columns, dimension=dimension):
                if len(columns) > 1:
                    return "scatter"
                return "histogram" if dimension is None else "box"
            case GroupBy(dimension=dimension):
                if dimension.grain in CALENDAR_GRAINS:
                    return "line"
                if plan.split is not None:
                    return "bar" if self._is_few(plan.split) else "heatmap"
                return "bar" if dimension.grain or self._is_short(dimension) else "barh"
            case _:
                return "bar"

    def _is_few(self, dimension: Dimension) -> bool:
        return not dimension.grain and self._index.column(dimension.column).distinct <= _SERIES

    def _is_short(self, dimension: Dimension) -> bool:
        column = self._index.column(dimension.column)
        names = [str(value) for value, _ in column.top]
        return column.distinct <= _MOST_UPRIGHT and all(len(name) <= _LONG_NAME for name in names)

    def _table(self, plan: Query) -> Call:
        given: dict[str, Json] = {
            "titulo": title(plan, self._index, self._locale),
            "consulta": self._writer.query(plan, is_shown=True),
        }
        return Call("gerar_tabela", given)

    def _workbook(self, plan: Query, kind: str | None) -> Call:
        called = title(plan, self._index, self._locale)
        sheets: list[Json] = [self._sheet(each, kind) for each in _tables_of(plan)]
        return Call("exportar_excel", {"titulo": called[:_LONGEST_TITLE], "folhas": sheets})

    def _sheet(self, plan: Query, kind: str | None) -> JsonObject:
        sheet: JsonObject = {"consulta": self._writer.query(plan, is_shown=True)}
        is_list = isinstance(plan, (Number, Rows)) or is_distinct(plan)
        if not is_list and not (isinstance(plan, Several) and scalars_of(plan.of)):
            chart = dict(self._chart(plan, kind).input)
            sheet = {"grafico": chart.pop("tipo"), **chart}
            del sheet["titulo"]
        sheet["nome"] = title(plan, self._index, self._locale)[:_LONGEST_SHEET]
        return sheet

    def _kpi(self, plan: Number) -> Call:
        given: dict[str, Json] = {
            "titulo": title(plan, self._index, self._locale),
            "consulta": self._writer.number_of(plan),
        }
        if known := unit_of(plan.measure, self._locale).strip():
            given["unidade"] = known
        return Call("gerar_kpi", given)


def _nested(given: Mapping[str, str | int | float]) -> JsonObject:
    """Return arguments with parts below their parameters: `parametros.peso`, `regras.0`."""
    made: JsonObject = {}
    for name, value in given.items():
        *above, last = name.split(".")
        place: JsonObject = made
        for each in above:
            below = place.setdefault(each, {})
            assert isinstance(below, dict)
            place = below
        place[last] = value
    return {name: _listed(value) for name, value in made.items()}


def _listed(value: Json) -> Json:
    """Return what is numbered from 0 as a list."""
    if not isinstance(value, dict):
        return value
    parts = {name: _listed(each) for name, each in value.items()}
    return [*parts.values()] if "0" in parts else parts


def _tables_of(plan: Query) -> tuple[Query, ...]:
    """Return the tables of a query: several in one, if their numbers stand side by side."""
    match plan:
        case Several(of=of) if not (scalars_of(of) or alike_groups(of)):
            return of
        case _:
            return (plan,)


def is_too_many_slices(plan: Query, index: SchemaIndex) -> bool:
    """Return whether a pie of these groups would have too many parts to be read."""
    match plan:
        case GroupBy(n=int(n)) if is_top(plan) and 1 < n <= MOST_SLICES:
            return False
        case GroupBy(dimension=dimension):
            kept = plan.scope.filter_on(dimension.column)
            if kept is not None and kept.relation == "is" and not dimension.grain:
                return len(kept.values) > MOST_SLICES
            return bool(dimension.grain) or index.column(dimension.column).distinct > MOST_SLICES
        case _:
            return False


def report_call(plan: Register) -> Call | None:
    """Return the call that records a defect, None while fields are missing."""
    return None if plan.missing else Call(RECORD_TOOL, {**dict(plan.fields)})


def defect_index(indexes: Sequence[SchemaIndex]) -> SchemaIndex | None:
    """Return the data set that the defect tools count in: the last one with types of defect."""
    for index in reversed(indexes):
        if index.profile.defect_column("tipo_defeito") is not None:
            return index
    return None


# Script of a dashboard: draws every element that names one of the page's queries.
_SCRIPT = """
(function () {
  "use strict";
  function shown(value) {
    if (typeof value !== "number") return value === null ? "–" : String(value);
    var language = document.documentElement.lang === "pt" ? "pt-PT" : "en-GB";
    return value.toLocaleString(language, { maximumFractionDigits: 2 });
  }
  function label(value) {
    var day = /^\\d{4}-(\\d\\d)-(\\d\\d)$/.exec(value);
    return day ? day[2] + "/" + day[1] : String(value);
  }
  function values(chart) {
    var isLying = chart.options.indexAxis === "y", ink = chart.ctx;
    ink.save();
    ink.font = "600 13px " + Chart.defaults.font.family;
    ink.fillStyle = getComputedStyle(chart.canvas).color;
    ink.textAlign = isLying ? "left" : "center";
    ink.textBaseline = isLying ? "middle" : "bottom";
    chart.getDatasetMeta(0).data.forEach(function (bar, place) {
      var value = chart.data.datasets[0].data[place];
      if (typeof value === "number") {
        ink.fillText(shown(value), bar.x + (isLying ? 6 : 0), bar.y - (isLying ? 0 : 4));
      }
    });
    ink.restore();
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
      var own = rows.map(function (row) { return row[drawn]; });
      sets = [{ label: element.dataset.value, data: own }];
    }
    var along = kind === "barh" ? "y" : "x", across = kind === "barh" ? "x" : "y";
    var isBar = kind === "bar" || kind === "barh";
    var isTold = isBar && sets.length === 1 && labels.length <= 12;
    var scales = {};
    scales[along] = { grid: { display: false }, ticks: { maxRotation: 0 } };
    scales[across] = {
      display: !isTold, beginAtZero: isBar, ticks: { maxTicksLimit: 5, callback: shown },
    };
    new Chart(element, {
      type: isBar ? "bar" : kind,
      data: { labels: labels.map(label), datasets: sets },
      options: {
        indexAxis: along,
        scales: isBar || kind === "line" ? scales : {},
        layout: { padding: isTold ? (kind === "barh" ? { right: 56 } : { top: 24 }) : 0 },
        plugins: { legend: { display: sets.length > 1 } },
      },
      plugins: isTold ? [{ id: "values", afterDatasetsDraw: values }] : [],
    });
  });
})();
"""


def dashboard_of(
    plans: Sequence[Query], name: str, index: SchemaIndex, locale: AnswerLocale
) -> JsonObject:
    """Return the dashboard tool's input: a title, a body, a query for each number and chart."""
    writer = SqlCompiler(index, locale)
    queries: dict[str, str] = {}
    figures: list[str] = []
    charts: list[str] = []
    single = [
        each for plan in plans for each in (plan.of if isinstance(plan, Several) else (plan,))
    ]
    for plan in single:
        words = title(plan, index, locale)
        query, heading = _query_name(words, queries), escape(words)
        if getattr(plan, "is_share", False):
            heading = f"{heading} (%)"
        if isinstance(plan, Number):
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
    """Return a query's name on the page and as a sheet of a workbook: 'defeitos_por_turno'."""
    name = re.sub(r"[^a-z0-9]+", "_", normalize(words)).strip("_")[:_LONGEST_NAME].rstrip("_")
    name = name if name[:1].isalpha() else f"q_{name}"
    numbered = (f"{name}_{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def dashboard_name(index: SchemaIndex, locale: AnswerLocale) -> str:
    """Return the title of a data set's dashboard."""
    if counts_defects(index):
        return locale.gettext("Dashboard of defects")
    return locale.gettext("Dashboard of {file}").format(file=PurePath(index.profile.file).stem)


def _kind(plan: Query) -> str:
    match plan:
        case GroupBy(split=split) if split is not None:
            return "bar"
        case GroupBy():
            if plan.dimension.grain in CALENDAR_GRAINS:
                return "line"
            return "bar" if plan.dimension.grain else "barh"
        case _:
            return "bar"


def _value(plan: Query, writer: SqlCompiler) -> str:
    return writer.names.charted(plan) if isinstance(plan, GroupBy) else ""


def _split(plan: Query) -> str:
    return ' data-split="1"' if isinstance(plan, GroupBy) and plan.split is not None else ""
