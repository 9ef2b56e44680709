"""Names of what studies can be given: charts, models, tests, and the fields that errors are of."""

from collections.abc import Mapping
from typing import Any

import pydantic

from qhub_desktop.core.codec import Json
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import Takes, in_form

CHARTS: Mapping[str, str] = {
    "i": gettext_noop("Individuals chart"),
    "mr": gettext_noop("Moving range chart"),
    "xbar": gettext_noop("Averages chart"),
    "r": gettext_noop("Ranges chart"),
    "s": gettext_noop("Standard deviations chart"),
    "p": gettext_noop("p chart (share of defective parts)"),
    "np": gettext_noop("np chart (defective parts)"),
    "c": gettext_noop("c chart (defects)"),
    "u": gettext_noop("u chart (defects for each unit)"),
    "laney_p": gettext_noop("Laney p' chart"),
    "laney_u": gettext_noop("Laney u' chart"),
    "ewma": gettext_noop("EWMA chart"),
    "cusum": gettext_noop("CUSUM chart"),
    "run": gettext_noop("Run chart"),
}
CHOSEN = gettext_noop("Chosen by the data")
NONE = gettext_noop("None")
# Words of what can be chosen in a form, by the values that a model writes.
KINDS: Mapping[str, str] = {
    **CHARTS,
    "auto": CHOSEN,
    "xbar_r": gettext_noop("X̄-R chart (averages and ranges)"),
    "xbar_s": gettext_noop("X̄-S chart (averages and standard deviations)"),
    "i": gettext_noop("I-MR chart (individuals and moving ranges)"),
}
PERIODS: Mapping[str, str] = {
    "hora": gettext_noop("Hour"),
    "dia": gettext_noop("Day"),
    "turno": gettext_noop("Shift"),
    "semana": gettext_noop("Week"),
    "mes": gettext_noop("Month"),
}
MODELS: Mapping[str, str] = {
    "normal": gettext_noop("Normal"),
    "lognormal": gettext_noop("Lognormal"),
    "weibull": gettext_noop("Weibull"),
    "box_cox": gettext_noop("Normal after Box-Cox"),
    "johnson": gettext_noop("Normal after Johnson"),
    "percentiles": gettext_noop("None: percentiles of the values"),
}
GAUGES: Mapping[str, str] = {
    "anova": gettext_noop("Crossed, analysis of variance"),
    "amplitudes": gettext_noop("Crossed, averages and ranges"),
    "aninhado": gettext_noop("Nested"),
    "tipo1": gettext_noop("One reference part (type 1)"),
    "linearidade": gettext_noop("Linearity and bias"),
    "atributos": gettext_noop("Agreement of judgements (kappa)"),
}
TESTS: Mapping[str, str] = {
    "normalidade": gettext_noop("Normality (Anderson-Darling)"),
    "intervalo_tolerancia": gettext_noop("Tolerance interval"),
    "tamanho_amostra": gettext_noop("Sample size and power of a comparison"),
    "regressao": gettext_noop("Regression (line)"),
    "qui_quadrado": gettext_noop("Chi-square test of independence"),
    "fisher": gettext_noop("Fisher's exact test"),
    "proporcoes": gettext_noop("Comparison of shares"),
    "medidas": gettext_noop("Measurements, by the test that fits"),
    "t": gettext_noop("Welch's t test"),
    "t_student": gettext_noop("Student's t test"),
    "t_emparelhado": gettext_noop("Paired t test"),
    "mann_whitney": "Mann-Whitney",
    "anova": gettext_noop("Analysis of variance (one factor)"),
    "welch": gettext_noop("Welch's analysis of variance"),
    "kruskal": "Kruskal-Wallis",
    "levene": gettext_noop("Levene's test of spreads (Brown-Forsythe)"),
}
STEPS: Mapping[str, str] = {
    "paralelo": gettext_noop("Beside each other: shifts, lines, days"),
    "serie": gettext_noop("Steps that each part goes through"),
}
PHASES: Mapping[str, str] = {
    "serie": gettext_noop("Series production"),
    "inicial": gettext_noop("Initial study"),
    "maquina": gettext_noop("Machine (Cm, Cmk)"),
}
KEPT_DEMAND = "exigido_guardado"  # beside the arguments: what was last demanded of the column
KEPT_LOTS = "lotes_guardados"  # the same: the lots of the characteristic that were inspected
SEVERITIES: Mapping[str, str] = {
    "normal": gettext_noop("normal"),
    "apertada": gettext_noop("tightened"),
    "reduzida": gettext_noop("reduced"),
}
RULES: Mapping[str, str] = {
    **{f"nelson{at}": f"Nelson {at}" for at in range(1, 9)},
    **{f"we{at}": f"Western Electric {at}" for at in range(1, 5)},
}
# With how many of 100 stable series of 100 points break each of them by chance (`stability_of`).
ALARMS: Mapping[str, int] = dict(
    zip(RULES, (24, 13, 20, 16, 17, 28, 11, 1, 24, 17, 28, 25), strict=True)
)
RULE_CHOICES: Mapping[str, str] = {code: f"{RULES[code]}: {ALARMS[code]} %" for code in RULES}
USUAL_RULES = (*RULES,)[:2]  # more of them cry wolf
MEASURED = ("auto", "i", "xbar", "xbar_r", "xbar_s", "ewma", "cusum", "run")
COUNTED = ("auto", "p", "np", "c", "u", "laney_p", "laney_u")

# By a stable word of what the data do not carry: the parameters that it is about, of which a method
# has one.
_FAULTY: Mapping[str, tuple[str, ...]] = {
    "tipo": ("kind", "constant"),
    "coluna": ("not_numeric", "no_column", "not_counts", "bad_counts", "not_positive", "no_values",
               "zero_variance", "infinite"),
    "subgrupo": ("subgroups", "one_subgroup", "subgroups_of_one", "sizes"),
    "volume": ("denominator", "no_denominator", "volume_differs", "more_than_inspected",
               "more_than_units"),
    "periodo": ("no_date", "no_hour", "no_shift", "moving"),
    "estimador": ("estimator",),
    "congelar": ("baseline",),
    "etapas": ("stages",),
    "lie": ("no_limits", "limits_not_finite"),
    "lse": ("limits_reversed",),
    "modelo": ("limit_outside_model", "not_a_model", "no_fit"),
    "peca": ("too_few_parts", "nested", "unbalanced", "gaps", "incomplete", "too_few_trials"),
    "operador": ("one_operator",),
    "referencia": ("no_reference", "reference", "one_reference", "reference_varies"),
    "tolerancia": ("tolerance",),
    "por": ("one_group", "two_groups", "too_many_groups", "empty_group", "group_too_small",
            "constant_group", "table"),
    "par": ("repeated",),
    "confianca": ("shares",),
    "diferenca": ("difference", "too_many"),
    "lote": ("lot_size",),
    "nqa": ("aql", "no_plan"),
    "nivel": ("level",),
    "bom": ("risks", "plan"),
}  # fmt: skip
_FIELDS = {kind: field for field, kinds in _FAULTY.items() for kind in kinds}


def field_of(kind: str) -> str:
    """Return the parameter that a finding of `quality` is about; "" where it is none of them."""
    return _FIELDS.get(kind, "")


def asked(
    title: str,
    description: str | None = None,
    takes: Takes = "",
    *,
    most: int | None = None,
    least: float | None = None,
    above: float | None = None,
    words: Mapping[str, str] | None = None,
    choices: tuple[str, ...] = (),
    usual: Json = None,
    nothing: str = "",
    when: Mapping[str, tuple[str, ...]] | None = None,
) -> Any:
    """Return a parameter's field: its label, a model's description, limits, and a form's mark."""
    mark = in_form(takes, words=words, choices=choices, usual=usual, nothing=nothing, when=when)
    return pydantic.Field(
        title=title, description=description, json_schema_extra=mark, ge=least, le=most, gt=above
    )
