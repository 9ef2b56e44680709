"""Statistics verb: one statistical method over a file, without a window or a conversation."""

import argparse
import dataclasses
import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from qhub_desktop.cli.printing import format_table, one_line, print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_json_option,
    add_overwrite_option,
    add_password_option,
    add_sheet_option,
    check_free,
)
from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.ids import NO_CONVERSATION
from qhub_desktop.core.study import HEADS, PAGED, Study
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _

# The methods by their names here: the tool, and the argument that a name settles.
METHODS: dict[str, tuple[str, dict[str, Json]]] = {
    "chart": ("carta_controlo", {}),
    **{
        kind: ("carta_controlo", {"tipo": kind})
        for kind in ("i", "xbar", "xbar_r", "xbar_s", "p", "np", "c", "u", "laney_p", "laney_u")
    },
    **{kind: ("carta_controlo", {"tipo": kind}) for kind in ("ewma", "cusum", "run")},
    "capability": ("capacidade", {}),
    "pareto": ("pareto", {}),
    "concentration": ("pareto", {}),
    "yield": ("rendimento", {}),
    "groups": ("teste_hipotese", {"metodo": "medidas"}),
    "chi_square": ("teste_hipotese", {"metodo": "qui_quadrado"}),
    "fisher": ("teste_hipotese", {"metodo": "fisher"}),
    "shares": ("teste_hipotese", {"metodo": "proporcoes"}),
    **{
        name: ("teste_hipotese", {"metodo": method})
        for name, method in (
            ("t", "t"),
            ("t_pooled", "t_student"),
            ("t_paired", "t_emparelhado"),
            ("mann_whitney", "mann_whitney"),
            ("anova", "anova"),
            ("welch", "welch"),
            ("kruskal", "kruskal"),
            ("levene", "levene"),
        )
    },
    "normality": ("teste_hipotese", {"metodo": "normalidade"}),
    "tolerance": ("teste_hipotese", {"metodo": "intervalo_tolerancia"}),
    "sample_size": ("teste_hipotese", {"metodo": "tamanho_amostra"}),
    "regression": ("teste_hipotese", {"metodo": "regressao"}),
    "sampling": ("plano_amostragem", {}),
    "grr": ("estudo_rr", {}),
    "grr_ranges": ("estudo_rr", {"metodo": "amplitudes"}),
    "grr_nested": ("estudo_rr", {"metodo": "aninhado"}),
    "type1": ("estudo_rr", {"metodo": "tipo1"}),
    "linearity": ("estudo_rr", {"metodo": "linearidade"}),
    "agreement": ("estudo_rr", {"metodo": "atributos"}),
}
# The parameters that an option may be, by the first of them that a tool has; others refuse it.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "column": ("coluna", "defeitos"),
    "by": ("subgrupo", "por"),
    "each": ("por",),
    "order": ("ordem",),
    "exclude": ("excluir",),
    "phase": ("etapas",),
    "limits": ("congelar",),
    "freeze": ("congelar",),
    "weight": ("parametros.peso",),
    "width": ("parametros.largura",),
    "k": ("parametros.k",),
    "h": ("parametros.h",),
    "shift_start": ("turnos",),
    "day_start": ("inicio_dia",),
    "most": ("maximo",),
    "defective": ("defeituosas",),
    "opportunities": ("oportunidades",),
    "drift": ("desvio",),
    "steps": ("passos",),
    "confidence": ("confianca",),
    "share": ("proporcao",),
    "difference": ("diferenca",),
    "power": ("potencia",),
    "size": ("tamanho",),
    "lsl": ("lie",),
    "usl": ("lse",),
    "target": ("alvo", "parametros.alvo"),
    "where": ("onde",),
    "period": ("periodo",),
    "volume": ("volume",),
    "rule": ("regras",),
    "estimator": ("estimador",),
    "value": ("valor",),
    "part": ("peca",),
    "operator": ("operador",),
    "reference": ("referencia",),
    "tolerance": ("tolerancia",),
    "pair": ("par",),
    "model": ("modelo",),
    "demand": ("exigido",),
    "study": ("estudo",),
    "lot": ("lote",),
    "aql": ("nqa",),
    "level": ("nivel",),
    "severity": ("severidade",),
    "good": ("bom",),
    "bad": ("mau",),
    "characteristic": ("caracteristica",),
    "lot_number": ("identificacao",),
    "found": ("encontradas",),
}
_SEVERITIES = {"normal": "normal", "tightened": "apertada", "reduced": "reduzida"}
_PHASES = {"series": "serie", "initial": "inicial", "machine": "maquina"}
_WITHOUT_FILE = "plano_amostragem"  # the only tool that reads no data
_STEPS = {"parallel": "paralelo", "series": "serie"}
_PERIODS = {"hour": "hora", "day": "dia", "shift": "turno", "week": "semana", "month": "mes"}


def declare(verbs: Verbs) -> None:
    """Declare `stats` and `monitors`."""
    stats = verbs.add_parser("stats", help=_("a control chart, capability, or another method"))
    stats.set_defaults(run=_stats)
    stats.add_argument("method", choices=tuple(METHODS), metavar="METHOD", help=", ".join(METHODS))
    stats.add_argument(
        "path", type=Path, metavar="PATH", nargs="?", help=_("the file; none for sampling")
    )
    add_sheet_option(stats)
    stats.add_argument("--column", metavar="NAME", help=_("what is measured or counted"))
    stats.add_argument("--by", type=_name_or_count, metavar="NAME", help=_("what groups it"))
    stats.add_argument("--each", metavar="NAME", help=_("one for each value, worst first"))
    stats.add_argument("--order", metavar="NAME", help=_("what the rows are put in the order of"))
    stats.add_argument(
        "--exclude",
        action="append",
        type=_excluded,
        metavar="POINT=WHY",
        help=_("a point left out, and the reason"),
    )
    stats.add_argument(
        "--phase", action="append", metavar="POINT", help=_("where new limits begin")
    )
    stats.add_argument("--lsl", type=float, metavar="X", help=_("lower specification limit"))
    stats.add_argument("--usl", type=float, metavar="X", help=_("upper specification limit"))
    stats.add_argument("--target", type=float, metavar="X", help=_("target value"))
    stats.add_argument("--where", metavar="SQL", help=_("only rows for which this holds"))
    stats.add_argument("--period", choices=tuple(_PERIODS), help=_("what rows are counted by"))
    stats.add_argument("--volume", metavar="V", help=_("inspected: a column, or a number a period"))
    stats.add_argument("--rule", action="append", metavar="RULE", help=_("nelson1 to 8, we1 to 4"))
    stats.add_argument("--estimator", metavar="E", help=_("of sigma: Rbar/d2, pooled/c4, s/c4, …"))
    stats.add_argument("--freeze", type=int, metavar="N", help=_("the first N make the limits"))
    _declare_numbers(stats)
    stats.add_argument("--value", metavar="NAME", help=_("what is added up, as a cost"))
    stats.add_argument("--part", metavar="NAME", help=_("column of parts"))
    stats.add_argument("--operator", metavar="NAME", help=_("column of operators"))
    stats.add_argument("--reference", type=_name_or_number, metavar="R", help=_("column, or value"))
    stats.add_argument("--tolerance", type=float, metavar="X", help=_("upper minus lower limit"))
    stats.add_argument("--pair", metavar="NAME", help=_("second measurement, x, or parts"))
    models = ("normal", "lognormal", "weibull", "box_cox", "johnson", "percentiles")
    stats.add_argument("--model", choices=models, help=_("distribution for capability"))
    stats.add_argument("--demand", type=float, metavar="X", help=_("Cpk demanded; kept"))
    stats.add_argument(
        "--study", choices=tuple(_PHASES), help=_("1.33, or 1.67 at first and of a machine")
    )
    stats.add_argument("--lot", type=int, metavar="N", help=_("size of the lot to sample"))
    stats.add_argument("--aql", type=float, metavar="P", help=_("AQL in percent"))
    stats.add_argument("--level", metavar="L", help=_("inspection level: I to III, S-1 to S-4"))
    stats.add_argument("--severity", choices=tuple(_SEVERITIES), help=_("of the inspection"))
    stats.add_argument("--good", type=float, metavar="P", help=_("percent to accept, not by AQL"))
    stats.add_argument("--bad", type=float, metavar="P", help=_("percent to reject"))
    stats.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help=_("a report: this PDF, and an Excel file beside it"),
    )
    stats.add_argument(
        "--head",
        action="append",
        metavar="NAME=TEXT",
        help=_("the report on one page, with this in its head: {names}").format(
            names=", ".join(HEADS)
        ),
    )
    add_overwrite_option(stats)
    add_password_option(stats)
    add_json_option(stats)
    _declare_monitors(verbs)


def _declare_numbers(stats: argparse.ArgumentParser) -> None:
    """Declare what single methods take besides columns and limits."""
    stats.add_argument(
        "--limits",
        nargs=2,
        type=float,
        metavar=("CENTRE", "SIGMA"),
        help=_("frozen limits of another time"),
    )
    stats.add_argument("--weight", type=float, metavar="X", help=_("EWMA: of the newest value"))
    stats.add_argument("--width", type=float, metavar="X", help=_("EWMA: limits at so many sigma"))
    stats.add_argument("--k", type=float, metavar="X", help=_("CUSUM: slack, in sigma"))
    stats.add_argument("--h", type=float, metavar="X", help=_("CUSUM: limit, in sigma"))
    stats.add_argument(
        "--shift-start", action="append", metavar="NAME=TIME", help=_("when a shift begins")
    )
    stats.add_argument("--day-start", metavar="TIME", help=_("when the production day begins"))
    stats.add_argument("--most", type=int, metavar="N", help=_("bars of a Pareto at most"))
    stats.add_argument("--defective", metavar="NAME", help=_("column of defective units"))
    stats.add_argument("--opportunities", type=float, metavar="N", help=_("of a unit, for defects"))
    stats.add_argument(
        "--drift", type=float, metavar="X", help=_("shift of the sigma level, usually 1.5")
    )
    stats.add_argument(
        "--steps", choices=tuple(_STEPS), help=_("whether each unit goes through all groups")
    )
    stats.add_argument(
        "--confidence",
        type=float,
        metavar="P",
        help=_("of an interval, or a plan with c = 0, %").replace("%", "%%"),
    )
    stats.add_argument(
        "--share", type=float, metavar="P", help=_("of the parts in it, %").replace("%", "%%")
    )
    stats.add_argument("--difference", type=float, metavar="X", help=_("that is to be seen"))
    stats.add_argument(
        "--power", type=float, metavar="P", help=_("how often it is, %").replace("%", "%%")
    )
    stats.add_argument("--size", type=int, metavar="N", help=_("values of a group: tells power"))
    stats.add_argument(
        "--characteristic", metavar="NAME", help=_("whose lots decide the severity; kept")
    )
    stats.add_argument("--lot-number", metavar="ID", help=_("of the lot that was inspected"))
    stats.add_argument("--found", type=int, metavar="N", help=_("nonconforming found in it"))


def _declare_monitors(verbs: Verbs) -> None:
    monitors = verbs.add_parser("monitors", help=_("what the monitors have found"))
    monitors.set_defaults(run=_monitors)
    monitors.add_argument(
        "--open", action="store_true", help=_("only what waits for cause and action")
    )
    monitors.add_argument("--look", action="store_true", help=_("look at what came in first"))
    add_json_option(monitors)


async def _monitors(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print the violations that monitors have found, the open ones first."""
    if asked.look:
        await services.study_tools.monitors(services.store.monitors).look()
    found = await services.store.monitors.violations(is_open=True if asked.open else None)
    if asked.json:
        print_json(found)
        return
    columns = (_("When"), _("Chart"), _("Point"), _("Value"), _("Rule"), _("Cause"), _("Action"))
    rows = tuple(
        (
            each.at,
            each.title,
            each.found.label,
            each.found.value,
            "; ".join(each.found.words),
            each.cause,
            each.action,
        )
        for each in found
    )
    if not rows:
        print(_("Nothing was found."))
        return
    types: tuple[ColumnType, ...] = ("datetime", "text", "text", "number", "text", "text", "text")
    named = tuple(Column(name, type_) for name, type_ in zip(columns, types, strict=True))
    print(format_table(Table(named, rows), row_count=len(rows)))


def _name_or_count(text: str) -> str | int:
    return int(text) if text.isdigit() else text


def _excluded(text: str) -> JsonObject:
    point, _sign, why = text.partition("=")
    return {"ponto": point, "motivo": why}


def _name_or_number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def arguments_of(asked: argparse.Namespace) -> tuple[str, JsonObject]:
    """Return the tool and its arguments. Raises UserError for an option that it does not take."""
    tool, settled = METHODS[asked.method]
    given: JsonObject = {**settled}
    for option, names in _OPTIONS.items():
        value = getattr(asked, option)
        if value is None:
            continue
        parameter = _parameter(tool, option, names)
        if parameter is None:
            raise UserError(
                _("{method} does not take --{option}.").format(
                    method=asked.method, option=option.replace("_", "-")
                )
            )
        spoken = {
            "period": _PERIODS,
            "severity": _SEVERITIES,
            "steps": _STEPS,
            "study": _PHASES,
        }.get(option)
        if option == "limits":
            value = {"centro": value[0], "sigma": value[1]}
        elif option == "shift_start":
            value = dict(each.split("=", 1) if "=" in each else (each, "") for each in value)
        name, _dot, part = parameter.partition(".")
        if part:
            given[name] = {**cast("JsonObject", given.get(name, {})), part: value}
        else:
            given[name] = value if spoken is None else spoken[value]
    return tool, given


def _parameter(tool: str, option: str, names: Sequence[str]) -> str | None:
    """Return the parameter of a tool that an option is; None if it has none."""
    # It loads pydantic, which every other verb would wait for.
    from qhub_desktop.tools.studies import StudyTools

    known = inspect.signature(getattr(StudyTools, tool)).parameters
    if option == "each" and "subgrupo" not in known:  # there it is what makes the groups
        return None
    return next((each for each in names if each.partition(".")[0] in known), None)


async def _stats(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print what a method finds in a file.

    Raises UserError if the file cannot be read, or does not carry the method.
    """
    tool, given = arguments_of(asked)
    if asked.path is None and tool != _WITHOUT_FILE:
        raise UserError(_("Name the file that {method} is to read.").format(method=asked.method))
    head = _head_of(asked, tool)
    if asked.report is not None:
        from qhub_desktop.data.export.output import check_writable  # not for the other commands

        if asked.report.suffix.lower() not in ("", ".pdf"):
            raise UserError(
                _("A report is a PDF, with an Excel file beside it: name it {name}.").format(
                    name=asked.report.with_suffix(".pdf").name
                )
            )
        for suffix in (".pdf", ".xlsx"):
            check_free(asked.report.with_suffix(suffix), asked)
            check_writable(asked.report.with_suffix(suffix))
    loaded: list[DatasetProfile] = []
    if asked.path is not None and tool != _WITHOUT_FILE:
        services.workspace.warm()
        loaded += await services.workspace.load(
            asked.path, sheet=asked.sheet, password=asked.password
        )
    # The largest sheet is meant, which a tool takes to be the last one.
    # It loads pydantic, which every other verb would wait for.
    from qhub_desktop.core.tool import ToolContext

    context = ToolContext(NO_CONVERSATION, _named_apart(reversed(loaded)))
    try:
        services.tools[tool].prepare(given)  # checks them in its own words
        found = await services.study_tools.compute(tool, context, given)
    except ToolError as error:
        raise UserError(str(error)) from error
    if asked.report is not None:
        sha256 = loaded[0].sha256 if loaded else ""
        await _report(services, found.study, asked.report, sha256, head)
    if asked.json:
        print_json({**study_object(found.study), "result": numbers_of(found.result)})
        return
    print_study(found.study)


def _head_of(asked: argparse.Namespace, tool: str) -> dict[str, str] | None:
    """Return the head of a report on one page. Raises UserError for one that there is not."""
    if asked.head is None:
        return None
    if tool not in PAGED or asked.report is None:
        raise UserError(_("--head is of reports (--report) of capability and gauge studies."))
    pairs = [each.partition("=") for each in asked.head]
    for name, _sign, _text in pairs:
        if name not in HEADS:
            raise UserError(
                _("There is no {name} in a head. There are: {names}.").format(
                    name=one_line(name), names=", ".join(HEADS)
                )
            )
    return {name: text for name, _sign, text in pairs}


async def _report(
    services: CommandServices,
    study: Study,
    target: Path,
    sha256: str,
    head: dict[str, str] | None,
) -> None:
    from qhub_desktop.tools.page_printer import PagePrinter
    from qhub_desktop.tools.studies.customer_page import ReportOrigin
    from qhub_desktop.tools.studies.report import StudyReports

    now = datetime.now().astimezone()
    origin = ReportOrigin(services.viewer.name, now, sha256, head=head or {})
    printer = PagePrinter(lambda: services.chosen.settings)
    reports = StudyReports(services.workspace.exports, printer)
    await reports.write(study, target, origin, is_one_page=head is not None)


def _named_apart(profiles: Any) -> tuple[DatasetProfile, ...]:
    named: dict[str, DatasetProfile] = {}
    for profile in profiles:
        name, count = profile.dataset, 2
        while name in named:
            name, count = f"{profile.dataset}_{count}", count + 1
        named[name] = replace(profile, dataset=name)
    return tuple(named.values())


def study_object(study: Study) -> JsonObject:
    """Return a study without its pictures as JSON, every number whole."""
    told = cast("JsonObject", plain(replace(study, panels=())))
    told.pop("panels", None)
    return told


def numbers_of(value: object) -> Json:
    """Return a result of `quality` as JSON: arrays as lists, and null for what is no number."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: numbers_of(getattr(value, each.name)) for each in dataclasses.fields(value)
        }
    if isinstance(value, dict):
        return {str(key): numbers_of(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return numbers_of(value.tolist())
    if isinstance(value, (list, tuple)):
        return [numbers_of(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def print_study(study: Study) -> None:
    """Print a study for a person: the doubts before the verdict, then facts, tables, violations."""
    print(one_line(study.title))
    for doubt in study.doubts:
        print(one_line(f"! {doubt}"))
    print(one_line(study.verdict))
    print()
    for name, value in study.facts:
        print(one_line(f"{name}: {value}"))
    for view in study.tables:
        print()
        print(one_line(view.title))
        print(format_table(view.table, row_count=view.row_count))
    if study.signals and study.points is not None and study.method != "carta_controlo":
        print()
        for signal in study.signals:
            row = study.points.rows[signal.point]
            print(one_line(f"{row[0]}: {row[1]} ({', '.join(signal.rules)})"))
