"""Tests of hypotheses as studies."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Bars, Cells, Figure, Line, Points
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Column, Table, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.group_samples import Samples, split
from qhub_desktop.quality.group_tests import (
    anova,
    compare_groups,
    compare_spreads,
    kruskal_wallis,
    mann_whitney,
    paired_t,
    pooled_t,
    welch_anova,
    welch_t,
)
from qhub_desktop.quality.group_verdicts import GroupTest, pairs_name, test_name
from qhub_desktop.quality.proportion_tests import (
    ChiSquareTest,
    FisherTest,
    ProportionComparison,
    chi_square,
    compare_proportions,
    fisher,
)
from qhub_desktop.tools.studies.column_studies import (
    prepare_normality,
    prepare_size,
    prepare_tolerance,
)
from qhub_desktop.tools.studies.regression_study import prepare_regression
from qhub_desktop.tools.studies.selection import (
    Computed,
    FloatArray,
    Selection,
    StudyColumns,
    Work,
    written,
)
from qhub_desktop.tools.studies.words import p_words, rounded, sentences

TOLD_GROUPS = 30
_NAMED: Mapping[str, Callable[[Samples], GroupTest]] = {  # tests that a person asks for by name
    "t": welch_t,
    "t_student": pooled_t,
    "mann_whitney": mann_whitney,
    "anova": anova,
    "welch": welch_anova,
    "kruskal": kruskal_wallis,
    "levene": compare_spreads,
}
MOST_CODES = 12  # different whole numbers that may be categories: shifts, lines, a yes or no
MUCH = (2.0, 3.0)  # residuals that tell of more than chance
BOX = 0.5  # width of a box, of the room that a group has


async def prepare(rows: Selection, given: Mapping[str, Any], user: str) -> Work:
    """Read the counts of a table; the rest is work for a thread."""
    del user
    method = given.get("metodo", "auto")
    if method == "t_emparelhado":
        return await _prepare_pairs(rows, given)
    if method == "normalidade":
        return await prepare_normality(rows, given)
    if method == "intervalo_tolerancia":
        return await prepare_tolerance(rows, given)
    if method == "tamanho_amostra":
        return await prepare_size(rows, given)
    if method == "regressao":
        return await prepare_regression(rows, given)
    if given.get("por") is None:
        raise ToolError(_("Say which column makes the groups (por)."), field="por")
    by = rows.column(given["por"])
    if method in _NAMED or method == "medidas" or (method == "auto" and _is_measured(rows, given)):
        measured = rows.measured(given.get("coluna"))
        values = await rows.columns(quoted(measured), quoted(by))
        return lambda: groups_study(values, measured, by, given)
    if method == "proporcoes":
        if not given.get("coluna") or not given.get("volume"):
            raise NotComputableError(
                "denominator",
                _(
                    "Shares need two columns: the bad units (coluna) and the units inspected"
                    " (volume)."
                ),
            )
        bad, made = (rows.number_column(given[each]) for each in ("coluna", "volume"))
        read = await rows.grouped([quoted(by)], f"sum({quoted(bad)}), sum({quoted(made)})")
        return lambda: shares_study(read, by, given)
    name = given.get("coluna") or rows.profile.defect_column("tipo_defeito")
    if name is None:
        text = _("Say which column is compared between the groups (coluna).")
        raise ToolError(text, field="coluna")
    column = rows.column(name)
    read = await rows.grouped([quoted(column), quoted(by)], "count(*)")
    return lambda: table_study(read, column, by, given)


async def _prepare_pairs(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read two measurements of the same parts: two columns, or one with groups and parts."""
    if given.get("par") is None:
        raise ToolError(
            _(
                "A paired test needs the second measurement, or with groups the column that names"
                " the part (par)."
            ),
            field="par",
        )
    first = rows.measured(given.get("coluna"))
    if given.get("por") is None:
        second = rows.number_column(given["par"])
        read = await rows.columns(quoted(first), quoted(second))
        title = _("{name} and {other}").format(name=first, other=second)

        def of_columns() -> Computed:
            found = paired_t(read.numbers(0), read.numbers(1), (first, second))
            return test_study(found, read.source, title, first, _("Measurement"), given)

        return of_columns
    by, part = rows.column(given["por"]), rows.column(given["par"])
    read = await rows.columns(quoted(first), quoted(by), quoted(part))
    title = _("{name} by {group}").format(name=first, group=by)

    def of_parts() -> Computed:
        names, one, two = _paired(read.numbers(0), read.texts(1), read.texts(2))
        return test_study(paired_t(one, two, names), read.source, title, first, by, given)

    return of_parts


def _paired(
    values: FloatArray, groups: Sequence[str], parts: Sequence[str]
) -> tuple[tuple[str, str], FloatArray, FloatArray]:
    """Return both groups' names, and the value of each part in both; NaN for one that lacks it.

    Raises NotComputableError ("two_groups", "repeated").
    """
    names = sorted({group for group in groups if group})
    if len(names) != 2:
        text = _("A paired test compares two groups, and there are {count}. Filter the rows.")
        raise NotComputableError("two_groups", text.format(count=number(len(names))))
    known: dict[str, dict[str, float]] = {name: {} for name in names}
    for value, group, part in zip(values.tolist(), groups, parts, strict=True):
        if not group or not part:
            continue
        if part in known[group]:
            text = _(
                "{part} was measured more than once in {group}: a pair is one value of each. Take"
                " the mean of each part first."
            )
            raise NotComputableError("repeated", text.format(part=part, group=group))
        known[group][part] = value
    every = list(dict.fromkeys((*known[names[0]], *known[names[1]])))
    one, two = (np.array([known[name].get(part, np.nan) for part in every]) for name in names)
    return (names[0], names[1]), one, two


def _is_measured(rows: Selection, given: Mapping[str, Any]) -> bool:
    """Return whether the column named holds measurements, and not the codes of categories."""
    name = given.get("coluna")
    if name is None:
        return False
    column = rows.column(name)
    if rows.types[column] != "integer":
        return rows.types[column] == "number"
    known = next((each for each in rows.profile.columns if each.name == column), None)
    return known is not None and known.distinct > MOST_CODES


def groups_study(read: StudyColumns, column: str, by: str, given: Mapping[str, Any]) -> Computed:
    """Compare the measurements of groups, by the test that fits them."""
    values, groups = read.numbers(0), [text or None for text in read.texts(1)]
    named = _NAMED.get(str(given.get("metodo")))
    found = compare_groups(values, groups) if named is None else named(split(values, groups))
    title = _("{name} by {group}").format(name=column, group=by)
    return test_study(found, read.source, title, column, by, given)


def test_study(
    found: GroupTest,
    source: Provenance,
    title: str,
    column: str,
    by: str,
    given: Mapping[str, Any],
) -> Computed:
    """Make a study of a test of groups."""
    groups = found.samples.groups
    degrees = [number(each, digits=0 if each.is_integer() else 1) for each in found.df]
    facts = [
        (_("Method"), test_name(found.kind)),
        *(((_("Why this test"), found.reason),) if found.reason else ()),
        (_("Statistic"), number(found.statistic, digits=3)),
        # With a semicolon: '2,0, 147,0' could be read as one number in Portuguese.
        (_("Degrees of freedom"), "; ".join(degrees) or "-"),
        ("p", p_words(found.p)),
        *(
            (_("Effect ({name})").format(name=each.symbol), f"{number(each.value)}, {each.words}")
            for each in found.effects
        ),
        (_("Total"), number(found.samples.count, digits=0)),
    ]
    lines = tuple(
        (group.name, group.count, group.mean.estimate, group.mean.low, group.mean.high,
         group.deviation, group.median)
        for group in groups
    )  # fmt: skip
    names = (
        _("Values"), _("Mean"), _("95 % from"), _("95 % to"), _("SD"), _("Median"),
    )  # fmt: skip
    columns = (Column(by, "text"), *(Column(name, "number") for name in names))
    tables = [TableView(_("Groups"), Table(columns, lines), len(lines), source)]
    told: JsonObject = {
        "teste": found.kind,
        "porque": found.reason,
        "p": rounded(found.p),
        "efeito": {each.name: rounded(each.value) for each in found.effects},
        "grupos": [
            {
                "nome": group.name,
                "n": group.count,
                "media": rounded(group.mean.estimate),
                "mediana": rounded(group.median),
            }
            for group in groups[:TOLD_GROUPS]
        ],
    }
    if found.difference is not None and found.kind != "mann_whitney":
        gap = found.difference
        told["diferenca"] = [rounded(each) for each in (gap.estimate, gap.low, gap.high)]
    if found.pairs is not None:
        pairs = found.pairs.pairs
        shown = tuple((pair.name, pair.difference, pair.low, pair.high, pair.p) for pair in pairs)
        heads = (_("Difference"), _("95 % from"), _("95 % to"), "p")
        pair_columns = (Column(_("Pair"), "text"), *(Column(name, "number") for name in heads))
        title_of_pairs = _("Pairs ({test})").format(test=pairs_name(found.pairs.method))
        view = TableView(title_of_pairs, Table(pair_columns, shown), len(shown), source)
        tables.append(view)
        told["pares_diferentes"] = [pair.name for pair in found.pairs.shown[:TOLD_GROUPS]]
    figure = _intervals(found, title, column, by)
    doubts = found.doubts
    return _finished(found, title, figure, facts, tuple(tables), doubts, told, source, given)


def _intervals(found: GroupTest, title: str, column: str, by: str) -> Figure:
    """Draw each group as a box with whiskers, its mean, and the mean's interval of 95 %."""
    groups = found.samples.groups
    places = tuple(float(at) for at in range(len(groups)))
    across: list[float] = []
    up: list[float] = []
    for at, group in zip(places, groups, strict=True):
        across += [at, at, math.nan]
        up += [group.mean.low, group.mean.high, math.nan]
    whiskers_x, whiskers_y, medians_x, medians_y = (list[float]() for _each in range(4))
    outliers: list[tuple[float, float]] = []
    for at, group in zip(places, groups, strict=True):
        far = 1.5 * (group.upper_quartile - group.lower_quartile)  # Tukey's fences
        is_near = (group.values >= group.lower_quartile - far) & (
            group.values <= group.upper_quartile + far
        )
        near = group.values[is_near]
        outliers += [(at, value) for value in group.values[~is_near].tolist()]
        whiskers_x += [at, at, math.nan]
        whiskers_y += [float(near.min()), float(near.max()), math.nan]
        medians_x += [at - BOX / 2, at + BOX / 2, math.nan]
        medians_y += [group.median, group.median, math.nan]
    return Figure(
        title,
        (
            Line(tuple(whiskers_x), tuple(whiskers_y), role="quiet"),
            Bars(
                places,
                tuple(group.lower_quartile for group in groups),
                tuple(group.upper_quartile for group in groups),
                width=BOX,
                name=_("Middle half of the values"),
            ),
            Line(tuple(medians_x), tuple(medians_y), name=_("Median"), series=6),
            Line(tuple(across), tuple(up), name=_("95 % interval of the mean"), series=1),
            Points(
                places, tuple(group.mean.estimate for group in groups), name=_("Mean"), series=1
            ),
            *_outlier_points(outliers),
        ),
        f"N = {number(found.samples.count, digits=0)}",
        x=Axis(by, "category", tuple(group.name for group in groups)),
        y=Axis(column),
    )


def _outlier_points(outliers: Sequence[tuple[float, float]]) -> tuple[Points, ...]:
    if not outliers:
        return ()
    x, y = zip(*outliers, strict=True)
    return (Points(x, y, name=_("Outliers"), role="quiet"),)


def table_study(read: StudyColumns, column: str, by: str, given: Mapping[str, Any]) -> Computed:
    """Test whether two columns of categories are independent."""
    counted = [row for row in read.table.rows if row[0] is not None and row[1] is not None]
    rows = sorted({written(row[0]) for row in counted})
    columns = sorted({written(row[1]) for row in counted})
    table = np.zeros((len(rows), len(columns)))
    for one, other, count in counted:
        table[rows.index(written(one)), columns.index(written(other))] += cast("float", count)
    left = sum(int(cast("float", row[2] or 0)) for row in read.table.rows if row not in counted)
    found: ChiSquareTest | FisherTest
    content: JsonObject
    test = chi_square(table, rows=rows, columns=columns)
    if given.get("metodo") == "fisher":
        found = fisher(table)
        facts = [(_("Method"), _("Fisher's exact test"))]
        content = {"teste": "fisher", "razao": rounded(found.odds_ratio)}
    else:
        found = test
        facts = [
            (_("Method"), _("Chi-square test of independence")),
            (_("Chi-square"), number(test.statistic)),
            (_("Degrees of freedom"), number(test.degrees, digits=0)),
            (_("Cells expecting fewer than 5"), number(test.expected_below_5, digits=0)),
        ]
        row, place = test.strongest
        content = {
            "teste": "qui_quadrado",
            "estatistica": rounded(test.statistic),
            "gl": test.degrees,
            "celula_mais_desviada": [rows[row], columns[place]],
            "residuo": rounded(float(test.adjusted_residuals[row, place])),
        }
    facts += [
        ("p", p_words(found.p)),
        (_("Effect (Cramér's V)"), number(found.effect, digits=3)),
        (_("Total"), number(float(table.sum()), digits=0)),
    ]
    content |= {"p": rounded(found.p), "efeito_v": rounded(found.effect)}
    doubts = list(found.doubts)
    if left:
        text = _("{count} have nothing in one of the two columns, and are left out.")
        doubts.append(Doubt("missing", text.format(count=number(left, digits=0))))
    title = _("{name} by {group}").format(name=column, group=by)
    figure = _residuals(test, rows, columns, (column, by), title)
    columns_ = (Column(column, "text"), *(Column(name, "number") for name in columns))
    lines = tuple((name, *table[at].tolist()) for at, name in enumerate(rows))
    residuals = tuple(
        (name, *(round(each, 2) for each in test.adjusted_residuals[at].tolist()))
        for at, name in enumerate(rows)
    )
    # Beyond 2 or -2 a count departs from what independence expects.
    named = (_("Counts"), lines), (_("Adjusted residuals"), residuals)
    tables = tuple(
        TableView(name, Table(columns_, cells), len(cells), read.source) for name, cells in named
    )
    return _finished(found, title, figure, facts, tables, doubts, content, read.source, given)


def _residuals(
    test: ChiSquareTest,
    rows: Sequence[str],
    columns: Sequence[str],
    names: tuple[str, str],
    title: str,
) -> Figure:
    """Draw where counts depart from what independence expects, on the same scale every time."""
    values = test.adjusted_residuals
    labels = tuple(
        tuple(number(float(count), digits=0) for count in line) for line in test.observed
    )
    return Figure(
        title,
        (Cells(tuple(tuple(line) for line in values.tolist()), labels, steps=MUCH),),
        _("Counts; the colour is the adjusted residual: beyond 2 is much, beyond 3 very much"),
        x=Axis(names[1], "category", tuple(columns)),
        y=Axis(names[0], "category", tuple(rows)),
    )


def shares_study(read: StudyColumns, by: str, given: Mapping[str, Any]) -> Computed:
    """Compare the shares of bad units between groups."""
    names = tuple(written(row[0]) for row in read.table.rows)
    bad, made = (
        [round(float(cast("float", row[at] or 0.0))) for row in read.table.rows] for at in (1, 2)
    )
    found = compare_proportions(bad, made, labels=names)
    places = tuple(float(at) for at in range(len(names)))
    bars = Bars(
        places,
        (0.0,) * len(names),
        tuple(100 * share for share in found.shares),
        labels=tuple(percent(share, digits=2) for share in found.shares),
    )
    title = _("{name} by {group}").format(name=given["coluna"], group=by)
    figure = Figure(
        title,
        (bars,),
        x=Axis(by, "category", names),
        y=Axis(_("Share"), lower=0.0, unit="%"),
    )
    facts = [
        (_("Method"), _("Comparison of shares")),
        ("p", p_words(found.p)),
        (_("Effect"), number(found.effect, digits=3)),
    ]
    groups: list[Json] = [
        {"nome": name, "n": count, "proporcao": rounded(share)}
        for name, count, share in zip(names, made, found.shares, strict=True)
    ]
    content: JsonObject = {
        "teste": found.method,
        "p": rounded(found.p),
        "efeito": rounded(found.effect),
        "grupos": groups,
    }
    columns = (
        Column(by, "text"),
        *(Column(name, "number") for name in (_("Bad units"), _("Units"), _("Share"))),
    )
    lines = tuple(zip(names, bad, made, found.shares, strict=True))
    shown = TableView(_("Groups"), Table(columns, lines), len(lines), read.source)
    return _finished(
        found, title, figure, facts, (shown,), found.doubts, content, read.source, given
    )


def _finished(
    found: ChiSquareTest | FisherTest | ProportionComparison | GroupTest,
    title: str,
    figure: Figure,
    facts: Sequence[tuple[str, str]],
    tables: tuple[TableView, ...],
    doubts: Sequence[Doubt],
    content: JsonObject,
    source: Provenance,
    given: Mapping[str, Any],
) -> Computed:
    study = Study(
        method="teste_hipotese",
        title=title,
        verdict=found.conclusion,
        doubts=sentences(doubts),
        panels=((figure,),),
        facts=tuple(facts),
        tables=tables,
        arguments={**given},
        source=source,
    )
    told: JsonObject = {"avisos": [*study.doubts], "conclusao": study.verdict, **content}
    return Computed(told, study, found)
