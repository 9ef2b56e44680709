"""Clouds: whether two numbers go together."""

import math

from qhub_desktop.charts.chart_spec import (
    TIMES,
    ChartSpec,
    chart,
    is_identity,
    needs_numbers,
    place,
    refuse,
)
from qhub_desktop.charts.grouping import MOST_SERIES
from qhub_desktop.charts.wording import (
    largest_and_others,
    left_out,
    name_of,
    natural_rank,
    others,
    point_positions,
    size,
    subtitle,
)
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, ChartKind, Figure, Points
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number


@chart(
    ChartKind(
        name="scatter",
        label=gettext_noop("scatter"),
        takes="pair",
        suits=frozenset(["pair"]),
        words={
            "pt": "dispersao, grafico de dispersao, diagrama de dispersao, nuvem de pontos",
            "en": "scatter, scatter plot, scatter chart, scatterplot",
        },
        place=6,
        precedence=7,
    )
)
def scatter(request: ChartSpec) -> Figure:
    """A point a row, coloured by the series it belongs to."""
    x, y = _pair(request)
    parts = request.table.cells(request.by) if request.by else None
    points: list[tuple[float, float, str]] = []
    for across, up in zip(request.table.cells(x), request.table.cells(y), strict=True):
        part = next(parts) if parts else ""
        name = "" if part is None else name_of(part)
        if part is not None and not math.isnan(place(across)) and not math.isnan(place(up)):
            points.append((place(across), place(up), name))
    if not points:
        raise ToolError(f"Nenhuma linha tem valores em '{x}' e '{y}'. Escolha outras colunas.")
    kept = point_positions([each[0] for each in points], [each[1] for each in points])
    names, note = _series(request.by or "", points)
    thinned = (
        _("{shown} of {count} points drawn").format(
            shown=number(len(kept)), count=number(len(points))
        )
        if len(kept) < len(points)
        else ""
    )
    return Figure(
        title=request.title,
        subtitle=subtitle(
            request.subtitle,
            size(len(points)),
            note,
            thinned,
            left_out(len(request.table.rows) - len(points)),
        ),
        marks=_marks([points[at] for at in kept], names),
        x=Axis(label=x, kind="time" if request.type_of(x) in TIMES else "number"),
        y=Axis(label=y),
    )


def _pair(request: ChartSpec) -> tuple[str, str]:
    """The columns across and up. Raises ToolError where there are not two to measure."""
    if len(request.y) > 1:
        raise refuse(request, "y", "só com uma coluna; use 'by' para separar séries.")
    if request.x and request.type_of(request.x) not in ("integer", "number", *TIMES):
        raise ToolError(
            f"A coluna '{request.x}' não é numérica nem data, por isso não serve para 'x' num "
            "'scatter'. Use 'box' para comparar categorias."
        )
    numbers = [each.name for each in request.numbers(without=(request.x, *request.y))]
    likely = [name for name in numbers if not is_identity(name)]
    wanted = [request.x, *request.y] if request.x else list(request.y)
    if request.x and request.y:
        return request.x, request.y[0]
    if request.x:
        free = likely or numbers
        if not free:
            raise _too_few(request)
        return request.x, free[0]
    free = [*wanted, *(likely if len(likely) + len(wanted) > 1 else numbers)]
    if len(free) < 2:
        moments = request.columns(*TIMES)
        if free and moments and is_numeric(request.type_of(free[0])):
            return moments[0].name, free[0]
        raise _too_few(request)
    return (free[1], free[0]) if request.y else (free[0], free[1])


def _too_few(request: ChartSpec) -> ToolError:
    return needs_numbers(request, "duas colunas numéricas")


def _series(by: str, points: list[tuple[float, float, str]]) -> tuple[dict[str, int], str]:
    """Each name's series, and a note where the smaller ones share the last."""
    counts: dict[str, int] = {}
    for _x, _y, name in points:
        counts[name] = counts.get(name, 0) + 1
    if len(counts) <= MOST_SERIES:
        return {name: at for at, name in enumerate(sorted(counts, key=natural_rank))}, ""
    ranked = sorted(counts, key=lambda name: -counts[name])
    note = largest_and_others(by, MOST_SERIES - 1, len(counts))
    return {name: min(at, MOST_SERIES - 1) for at, name in enumerate(ranked)}, note


def _marks(points: list[tuple[float, float, str]], series: dict[str, int]) -> tuple[Points, ...]:
    piles: dict[int, list[tuple[float, float]]] = {}
    names: dict[int, str] = {}
    for x, y, name in points:
        at = series[name]
        piles.setdefault(at, []).append((x, y))
        names[at] = name if names.get(at, name) == name else others()
    return tuple(
        Points(
            x=tuple(x for x, _y in piles[at]),
            y=tuple(y for _x, y in piles[at]),
            name=names[at],
            series=at,
        )
        for at in sorted(piles)
    )
