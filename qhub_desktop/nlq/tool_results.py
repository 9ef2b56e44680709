"""Results of tools as typed values; their JSON is read only here."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsTable,
    DataPlan,
    GroupBy,
    Measure,
    Number,
    Plan,
    Query,
    Rows,
    Spread,
    is_top,
)
from qhub_desktop.nlq.statistic_kinds import DIVISIONS


@dataclass(frozen=True, slots=True)
class Group:
    """One group of a result: its labels and its number."""

    labels: tuple[Json, ...]
    value: float
    extremes: tuple[float, float] | None = None  # the least and the most, of a range


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Result of a query. `total` is of all groups, None if not all were fetched.

    `level` counts the groups that were not fetched, but have the value of the last that was.
    """

    groups: tuple[Group, ...] = ()
    total: float | None = None
    whole: float | None = None  # of a share: the count of all rows
    group_count: int = 0
    is_cut: bool = False  # there are more groups than were fetched: no last and no least is known
    # Of times between two columns, for each group: rows that have both, all rows, those below zero.
    counts: tuple[tuple[int, int, int], ...] = ()
    level: int = 0


def error_text(results: Sequence[ToolResult]) -> str | None:
    """Return the error of the first tool that failed."""
    for result in results:
        if result.is_error:
            match result.content:
                case {"erro": str(reason)}:
                    return reason
                case reason:
                    return str(reason)
    return None


def read_result(plan: Query, results: Sequence[ToolResult]) -> PlanResult:
    """Read the result of a query, whichever tool computed it."""
    if not results:
        return PlanResult()
    content = results[0].content
    if not isinstance(content, dict):
        return PlanResult()
    match plan:
        case Number(measure=Measure("count")):
            return _count(content, results)
        case _ if isinstance(content.get("linhas"), list):
            return _lines(plan, content, results[0])
        case GroupBy(order=order) if is_top(plan):
            read = _tallied(content)
            return _ranked(read) if order == "most" else _ranked(read, is_rising=True)
        case _:
            return _tallied(content)


def first_label(plan: DataPlan, results: Sequence[ToolResult]) -> str | None:
    """Return the label of the leading group, for groups of one column."""
    match plan:
        case AsChart(of=of):
            return first_label(of, results)
        case GroupBy(split=None, within=None, order=order):
            is_least = order == "least"
        case Spread(shows="distinct"):
            is_least = False
        case _:
            return None
    groups = read_result(plan, results).groups
    if not groups:
        return None
    pick = min if is_least else max
    label = pick(groups, key=lambda group: group.value).labels[0]
    return label if isinstance(label, str) else None


def is_empty_result(plan: Plan, results: Sequence[ToolResult]) -> bool:
    """Return whether no row matched."""
    match plan:
        case Number(measure=Measure("count")) | GroupBy() | Spread(shows="distinct"):
            read = read_result(plan, results)
            return not read.total and not read.groups
        case Number():
            return measured_value(results)[0] is None
        case _:
            return False


def tells_nothing(plan: Plan, results: Sequence[ToolResult]) -> bool:
    """Return whether no row matched, or every one: a share of all of them, or of none."""
    content = results[0].content if results else None
    match plan:
        case Rows():
            return isinstance(content, dict) and content.get("linhas") in (0, [])
        case Number(is_share=True):
            read = read_result(plan, results)
            return read.total in (0, read.whole)
        case Number(measure=Measure(kind="share")):
            return measured_value(results)[0] in (None, 0, 100)
        case _:
            return is_empty_result(plan, results)


def _count(content: JsonObject, results: Sequence[ToolResult]) -> PlanResult:
    match content:
        case {"linhas": [[int() as total, int() as whole]]}:
            return PlanResult(total=total, whole=whole)
        case {"linhas": [[int() as total]]}:
            return PlanResult(total=total, whole=_rows_total(results[0]))
        case {"total": int() as total}:
            read = _tallied(content)
            if len(results) > 1 and isinstance(results[1].content, dict):
                return PlanResult(read.groups, total, _number(results[1].content.get("total")))
            return PlanResult(read.groups, total, _rows_total(results[0]))
        case _:
            return PlanResult()


def _rows_total(result: ToolResult) -> float | None:
    return None if result.source is None else result.source.rows_total


def _tallied(content: JsonObject) -> PlanResult:
    """Read a result of one of the defect tools."""
    groups: list[Group] = []
    match content:
        case {"top": list(entries)}:
            groups = [
                Group((entry["tipo"],), _number(entry["total"]))
                for entry in entries
                if isinstance(entry, dict)
            ]
        case {"por_turno": dict(counts)} | {"por_tipo": dict(counts)}:
            groups = [Group((label,), _number(count)) for label, count in counts.items()]
    level = int(_number(content.get("empatados", 0)))
    return PlanResult(tuple(groups), _number(content.get("total")), None, len(groups), level=level)


def _ranked(read: PlanResult, *, is_rising: bool = False) -> PlanResult:
    groups = sorted(
        read.groups,
        key=lambda group: (group.value if is_rising else -group.value, str(group.labels)),
    )
    return replace(read, groups=tuple(groups))


def _lines(plan: Query, content: JsonObject, result: ToolResult) -> PlanResult:
    """Read a result of a query: labels first, then the number."""
    lines = content["linhas"]
    assert isinstance(lines, list)
    labels = _label_count(plan)
    measure = plan.measure if isinstance(plan, GroupBy) else Measure()
    groups = tuple(
        Group(tuple(line[:labels]), _number(line[labels]), _extremes(line, measure))
        for line in lines
        if isinstance(line, list) and len(line) > labels and line[labels] is not None
    )
    counts = tuple(
        _counts(line, measure) for line in lines if isinstance(line, list) and measure.unit
    )
    count = int(_number(content.get("total_linhas", len(lines))))
    if count <= len(lines):
        total: float | None = sum(group.value for group in groups)
    else:
        total = None if result.source is None else result.source.rows_used
    return PlanResult(groups, total, None, count, is_cut=count > len(lines), counts=counts)


def _extremes(line: Sequence[Json], measure: Measure) -> tuple[float, float] | None:
    """Read the last two cells of a range's line, if they are numbers."""
    match line:
        case [*_, int() | float() as least, int() | float() as most] if measure.kind == "range":
            return least, most
        case _:
            return None


def _counts(line: Sequence[Json], measure: Measure) -> tuple[int, int, int]:
    """Read the counts that stand behind a time between two columns."""
    cells = line[:-2] if measure.kind == "range" else line
    match cells:
        case [*_, int() as used, int() as rows, int() as negative]:
            return used, rows, negative
        case _:
            return 0, 0, 0


def undefined_count(plan: Plan, results: Sequence[ToolResult]) -> int:
    """Count the numbers of an answer that are missing, as of a division by zero."""
    if isinstance(plan, (AsChart, AsTable)):
        plan = plan.of
    counted = max((each.source.undefined for each in results if each.source), default=0)
    content = results[0].content if results else None
    if not isinstance(content, dict) or not isinstance(lines := content.get("linhas"), list):
        return counted
    match plan:
        # Their SQL divides by nullif(…, 0), so that groups without a number are ordered last.
        case Number(measure=Measure(kind)) | GroupBy(measure=Measure(kind)) if kind in DIVISIONS:
            place = _label_count(plan)
            missing = [line for line in lines if isinstance(line, list) and line[place] is None]
            return max(counted, len(missing))
        case _:
            return counted


def _label_count(plan: Query) -> int:
    match plan:
        case GroupBy(keys=keys):
            return len(keys)
        case Spread(shows="distinct"):
            return 1
        case _:
            return 0


def _number(value: Json) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return 0


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure with what an answer tells beside it.

    `rows` is the number of rows that it is computed from; `counts` and the extremes are those of
    `Group` and `PlanResult`.
    """

    value: float | str | None
    rows: int
    counts: tuple[int, int, int] | None = None
    extremes: tuple[float | str, float | str] | None = None


def measured_value(results: Sequence[ToolResult]) -> tuple[float | str | None, int]:
    """Return one measure, and the number of rows that it is computed from."""
    match results[0].content if results else None:
        case {"linhas": [[int() | float() | str() | None as value, int() as rows, *_]]}:
            return value, rows
        case _:
            return None, 0


def measured(measure: Measure, results: Sequence[ToolResult]) -> Measured:
    """Return one measure with what stands beside it."""
    value, rows = measured_value(results)
    read = Measured(value, rows)
    match results[0].content if results else None:
        case {"linhas": [list(line)]} if measure.unit or measure.kind == "range":
            if measure.unit:
                read = replace(read, counts=_counts(line, measure))
            match line:
                case [*_, int() | float() | str() as least, int() | float() | str() as most] if (
                    measure.kind == "range"
                ):
                    read = replace(read, extremes=(least, most))
                case _:
                    pass
        case _:
            pass
    return read
