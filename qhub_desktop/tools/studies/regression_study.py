"""Regression as a study: the line with its intervals, its residuals, and what speaks against it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Figure, Line, Points, Rule
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, Column, Table, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.quality.normality import probability_plot
from qhub_desktop.quality.regression import Regression, regression
from qhub_desktop.tools.studies.column_doubts import doubts_of_column, import_doubts
from qhub_desktop.tools.studies.column_studies import histogram_of, probability_figure
from qhub_desktop.tools.studies.selection import Computed, Selection, Work
from qhub_desktop.tools.studies.words import p_words, rounded, sentences

MOST_DRAWN_PAIRS = 5_000
STEPS_OF_LINE = 60


async def prepare_regression(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read two columns of numbers; the rest is work for a thread."""
    if given.get("par") is None:
        text = _("Name two columns: what is explained (coluna), and what explains it (par).")
        raise ToolError(text, field="par")
    y, x = rows.measured(given.get("coluna")), rows.number_column(given["par"])
    if x == y:
        text = _("A column explains itself wholly: name another one (par).")
        raise ToolError(text, field="par")
    told = [each for name in (y, x) for each in import_doubts(rows, name)]
    told += [each for name in (y, x) for each in doubts_of_column(rows, name)]
    read = await rows.columns(quoted(y), quoted(x))

    def work() -> Computed:
        found = regression(read.numbers(1), read.numbers(0), (x, y))
        doubts = sentences(dict.fromkeys((*told, *found.doubts)))
        return regression_study(found, (x, y), doubts, read.source, given)

    return work


def regression_study(
    found: Regression,
    names: tuple[str, str],
    doubts: tuple[str, ...],
    source: Provenance,
    given: Mapping[str, Any],
) -> Computed:
    """Make a study of a line through pairs."""
    x, y = names
    line = f"{y} = {number(found.intercept.value)} {_signed(found.slope.value)} × {x}"
    facts = [
        (_("Method"), _("Simple linear regression, least squares")),
        (_("Line"), line),
        ("R²", percent(found.r_squared, digits=1)),
        (_("R², adjusted"), percent(found.adjusted, digits=1)),
        (_("Correlation (r)"), number(found.correlation, digits=3)),
        (_("Standard deviation of the residuals"), number(found.deviation)),
        (_("Pairs"), number(found.x.size, digits=0)),
        (_("p of the residuals' normality"), p_words(found.normality.p or 1.0)),
        (_("Durbin-Watson"), number(found.durbin_watson, digits=2)),
    ]
    if found.lack_p is not None:
        facts.append((_("p of the lack of fit"), p_words(found.lack_p)))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, each.value, each.error, round(each.t, 3), p_words(each.p), each.low, each.high)
        for name, each in ((_("Constant"), found.intercept), (x, found.slope))
    )
    columns = (
        Column(_("Term"), "text"),
        *(Column(name, "number") for name in (_("Value"), _("Standard error"), "t")),
        Column("p", "text"),
        *(Column(name, "number") for name in (_("95 % from"), _("95 % to"))),
    )
    study = Study(
        method="teste_hipotese",
        title=_("Regression: {y} by {x}").format(y=y, x=x),
        verdict=found.conclusion,
        doubts=doubts,
        panels=_panels(found, names),
        facts=tuple(facts),
        tables=(TableView(_("Coefficients"), Table(columns, rows), len(rows), source),),
        arguments={**given},
        source=source,
    )
    content: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": study.verdict,
        "n": found.x.size,
        "constante": [rounded(each) for each in _with_ends(found.intercept)],
        "declive": [rounded(each) for each in _with_ends(found.slope)],
        "p": rounded(found.slope.p),
        "r2": rounded(found.r_squared),
        "desvio_residuos": rounded(found.deviation),
    }
    return Computed(content, study, found)


def _with_ends(coefficient: Any) -> tuple[float, float, float]:
    return coefficient.value, coefficient.low, coefficient.high


def _signed(value: float) -> str:
    return f"+ {number(value)}" if value >= 0 else f"- {number(-value)}"


def _panels(found: Regression, names: tuple[str, str]) -> tuple[tuple[Figure, ...], ...]:
    x, y = names
    steps = np.linspace(found.x.min(), found.x.max(), STEPS_OF_LINE)
    line, of_mean, of_value = found.at(steps)
    places = tuple(steps.tolist())
    drawn = np.unique(np.linspace(0, found.x.size - 1, MOST_DRAWN_PAIRS).astype(np.int64))
    fit = Figure(
        _("Line, with 95 % intervals"),
        (
            Points(tuple(found.x[drawn].tolist()), tuple(found.y[drawn].tolist())),
            Line(places, tuple(line.tolist()), role="centre"),
            Line(places, tuple((line - of_mean).tolist()), name=_("of the mean"), series=1),
            Line(places, tuple((line + of_mean).tolist()), series=1),
            Line(
                places,
                tuple((line - of_value).tolist()),
                name=_("of one value"),
                role="limit",
                stroke="dashed",
            ),
            Line(places, tuple((line + of_value).tolist()), role="limit", stroke="dashed"),
        ),
        f"R² = {percent(found.r_squared, digits=1)}, s = {number(found.deviation)}",
        x=Axis(x),
        y=Axis(y),
    )
    zero = Rule(0.0, role="centre", stroke="solid")
    residuals = _("Residual")
    against = Figure(
        _("Residuals by fitted value"),
        (zero, Points(tuple(found.fitted[drawn].tolist()), tuple(found.residuals[drawn].tolist()))),
        x=Axis(_("Fitted value")),
        y=Axis(residuals),
    )
    in_order = Figure(
        _("Residuals in the order of the rows"),
        (
            zero,
            Line(
                tuple((drawn + 1.0).tolist()),
                tuple(found.residuals[drawn].tolist()),
                is_dotted_at_points=True,
            ),
        ),
        x=Axis(_("Row")),
        y=Axis(residuals),
    )
    plot = probability_plot(found.residuals)
    return (
        (fit,),
        (probability_figure(plot, residuals), against),
        (histogram_of(found.residuals, residuals, None), in_order),
    )
