"""Scatter plots of two numbers."""

import math
from collections.abc import Sequence

from qhub_desktop.charts.chart_spec import (
    TIMES,
    ChartSpec,
    axis_position,
    chart,
    is_identity,
    left_out_note,
    needs_numbers,
    sample_size,
    subtitle,
    unsupported,
)
from qhub_desktop.charts.grouping import (
    MOST_SERIES,
    largest_and_others_note,
    name_of,
    natural_rank,
    others_name,
)
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, ChartKind, Figure, Points
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number

MOST_POINTS = 20_000  # of which the others are a random sample


@chart(
    ChartKind(
        name="scatter",
        label=gettext_noop("scatter"),
        takes="pair",
        suits=frozenset(["pair"]),
        words={
            "pt": "dispersao, grafico de dispersao, grafico de pontos, diagrama de dispersao, "
            "nuvem de pontos",
            "en": "scatter, scatter plot, scatter chart, scatterplot",
        },
        place=6,
        precedence=7,
    )
)
def scatter(spec: ChartSpec) -> Figure:
    """Draw a point for each row, coloured by its series."""
    x, y = _x_and_y(spec)
    parts = spec.table.cells(spec.by) if spec.by else None
    points: list[tuple[float, float, str]] = []
    for across, up in zip(spec.table.cells(x), spec.table.cells(y), strict=True):
        part = next(parts) if parts else ""
        name = "" if part is None else name_of(part)
        if (
            part is not None
            and not math.isnan(axis_position(across))
            and not math.isnan(axis_position(up))
        ):
            points.append((axis_position(across), axis_position(up), name))
    if not points:
        raise ToolError(f"Nenhuma linha tem valores em '{x}' e '{y}'. Escolha outras colunas.")
    kept = point_positions([each[0] for each in points], [each[1] for each in points])
    names, note = _series_by_name(spec.by or "", points)
    thinned = (
        _("{shown} of {count} points drawn").format(
            shown=number(len(kept)), count=number(len(points))
        )
        if len(kept) < len(points)
        else ""
    )
    return Figure(
        title=spec.title,
        subtitle=subtitle(
            spec.subtitle,
            sample_size(len(points)),
            note,
            thinned,
            left_out_note(len(spec.table.rows) - len(points)),
        ),
        marks=_marks([points[at] for at in kept], names),
        x=Axis(label=x, kind="time" if spec.type_of(x) in TIMES else "number"),
        y=Axis(label=y),
    )


def _x_and_y(spec: ChartSpec) -> tuple[str, str]:
    """Return the columns of x and y. Raises ToolError if there are not two to measure."""
    if len(spec.y) > 1:
        raise unsupported(spec, "y", "só com uma coluna; use 'by' para separar séries.")
    if spec.x and spec.type_of(spec.x) not in ("integer", "number", *TIMES):
        raise ToolError(
            f"A coluna '{spec.x}' não é numérica nem data, por isso não serve para 'x' num "
            "'scatter'. Use 'box' para comparar categorias."
        )
    numbers = [each.name for each in spec.numbers(without=(spec.x, *spec.y))]
    likely = [name for name in numbers if not is_identity(name)]
    wanted = [spec.x, *spec.y] if spec.x else list(spec.y)
    if spec.x and spec.y:
        return spec.x, spec.y[0]
    if spec.x:
        free = likely or numbers
        if not free:
            raise _needs_two_numbers(spec)
        return spec.x, free[0]
    free = [*wanted, *(likely if len(likely) + len(wanted) > 1 else numbers)]
    if len(free) < 2:
        moments = spec.columns(*TIMES)
        if free and moments and is_numeric(spec.type_of(free[0])):
            return moments[0].name, free[0]
        raise _needs_two_numbers(spec)
    return (free[1], free[0]) if spec.y else (free[0], free[1])


def _needs_two_numbers(spec: ChartSpec) -> ToolError:
    return needs_numbers(spec, "duas colunas numéricas")


def _series_by_name(by: str, points: list[tuple[float, float, str]]) -> tuple[dict[str, int], str]:
    """Return each name's series, and a note if the smaller ones share the last."""
    counts: dict[str, int] = {}
    for _x, _y, name in points:
        counts[name] = counts.get(name, 0) + 1
    if len(counts) <= MOST_SERIES:
        return {name: at for at, name in enumerate(sorted(counts, key=natural_rank))}, ""
    ranked = sorted(counts, key=lambda name: -counts[name])
    note = largest_and_others_note(by, MOST_SERIES - 1, len(counts))
    return {name: min(at, MOST_SERIES - 1) for at, name in enumerate(ranked)}, note


def _marks(points: list[tuple[float, float, str]], series: dict[str, int]) -> tuple[Points, ...]:
    piles: dict[int, list[tuple[float, float]]] = {}
    names: dict[int, str] = {}
    for x, y, name in points:
        at = series[name]
        piles.setdefault(at, []).append((x, y))
        names[at] = name if names.get(at, name) == name else others_name()
    return tuple(
        Points(
            x=tuple(x for x, _y in piles[at]),
            y=tuple(y for _x, y in piles[at]),
            name=names[at],
            series=at,
        )
        for at in sorted(piles)
    )


def point_positions(x: Sequence[float], y: Sequence[float]) -> Sequence[int]:
    """Return the points to draw: all, or a random sample and the four extremes."""
    if len(x) <= MOST_POINTS:
        return range(len(x))
    import numpy as np  # 80 ms: not before a large cloud is drawn

    # A fixed seed, so the same data give the same picture.
    chosen = np.random.default_rng(0).choice(len(x), size=MOST_POINTS - 4, replace=False)
    outermost = (np.argmin(x), np.argmax(x), np.argmin(y), np.argmax(y))
    return sorted({*map(int, chosen), *map(int, outermost)})
