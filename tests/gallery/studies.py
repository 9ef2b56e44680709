"""Studies on their cards, as a quality engineer would put them in an audit file."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from statistics import mean

from PySide6.QtWidgets import QWidget

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.figure import Axis, Bars, Figure, Line, Mark, Points, Rule, stair_steps
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.study import Override, PointNote, Signal, Study
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import number
from qhub_desktop.ui.charts.card import WidgetCard, study_window
from qhub_desktop.ui.charts.panels import StudyPanels
from qhub_desktop.ui.charts.study_card import POPOVER_PX, AskWindow, PointPopover, StudyView
from qhub_desktop.ui.theme import GRID_PX
from tests.gallery.widgets import WIDTH_PX, _page, defects

SOURCE = Provenance("espessura", "espessura.xlsx", "Folha1", 60, 62, "FROM espessura ORDER BY hora")
D2, D4, E2 = 1.128, 3.267, 2.66  # factors of moving ranges of two (Montgomery, appendix VI)


def control_figure(
    title: str,
    values: Sequence[float],
    centre: Sequence[float],
    limits: tuple[Sequence[float], Sequence[float]],
    signals: dict[int, str],
    *,
    label: str = "",
) -> Figure:
    """A chart of values between stair-step limits, with the rules of its signals."""
    x = tuple(float(at + 1) for at in range(len(values)))
    lower, upper = limits
    marks: list[Mark] = []
    for heights, role, name in (
        (upper, "limit", "LSC"),
        (centre, "centre", "LC"),
        (lower, "limit", "LIC"),
    ):
        steps = stair_steps(x, heights)
        text = f"{name} = {number(heights[-1], digits=2)}"
        if role == "limit":
            marks.append(Line(*steps, role="limit", stroke="dashed", label=text))
        else:
            marks.append(Line(*steps, role="centre", label=text))
    marks.append(Line(x, tuple(values), is_dotted_at_points=True, is_selectable=True))
    at = sorted(signals)
    marks.append(
        Points(
            tuple(x[each] for each in at),
            tuple(values[each] for each in at),
            role="bad",
            labels=tuple(signals[each] for each in at),
        )
    )
    return Figure(title, tuple(marks), x=Axis("Leitura"), y=Axis(label))


def readings(count: int = 60) -> list[float]:
    """Thicknesses of which a few are out of control."""
    chance = random.Random(11)
    values = [round(chance.gauss(98, 2.1), 2) for _each in range(count)]
    values[17], values[40] = 106.9, 90.6
    for at in range(48, 58):
        values[at] = round(99.4 + abs(chance.gauss(0, 0.9)), 2)
    return values


def individuals(count: int = 60) -> Study:
    """An I-MR chart with doubts, a point left out and a table of signals."""
    values = readings(count)
    moving = [math.nan, *(abs(b - a) for a, b in pairwise(values))]
    spread, centre = mean(moving[1:]), mean(values)
    limits = [centre - E2 * spread] * count, [centre + E2 * spread] * count
    signals = {
        at: "1" for at, each in enumerate(values) if not limits[0][0] <= each <= limits[1][0]
    }
    signals |= dict.fromkeys(range(56, 58), "2")
    top = D4 * spread
    ranges = {at: "1" for at, each in enumerate(moving) if each > top}
    flat = [0.0] * count, [top] * count
    figures = (
        control_figure(
            "Valores individuais", values, [centre] * count, limits, signals, label="espessura (µm)"
        ),
        control_figure(
            "Amplitudes móveis", moving, [spread] * count, flat, ranges, label="amplitude"
        ),
    )
    columns = tuple(
        Column(name, "number") for name in ("ponto", "espessura_um", "LIC", "LC", "LSC")
    )
    rows = tuple(
        (at + 1, each, limits[0][0], centre, limits[1][0]) for at, each in enumerate(values)
    )
    found = Table(
        (Column("ponto", "integer"), Column("regra", "integer"), Column("o que diz", "text")),
        tuple(
            (at + 1, int(rule), "fora dos limites" if rule == "1" else "9 pontos do mesmo lado")
            for at, rule in sorted(signals.items())
        ),
    )
    return Study(
        "carta_controlo",
        "Carta I-MR da espessura",
        f"O processo não está sob controlo: {len(signals)} pontos violam regras. "
        "Procure primeiro o que mudou na leitura 18.",
        doubts=(
            "Duas leituras em falta foram saltadas: as amplitudes móveis passam por cima delas.",
            "Os limites foram calculados com os pontos fora de controlo incluídos.",
        ),
        panels=tuple((each,) for each in figures),
        facts=(
            ("Método", "Carta de valores individuais e amplitudes móveis (I-MR)"),
            ("Estimador de sigma", "MRbar / d2"),
            ("n", "60 leituras"),
            ("Período", "03/02/2026 06:00 – 03/02/2026 08:57"),
            ("Regras", "Nelson 1 e 2"),
            ("Filtros", "linha = Linha 1"),
        ),
        tables=(TableView("Pontos que violam regras", found, len(found.rows)),),
        points=Table(columns, rows),
        signals=tuple(Signal(at, (f"nelson{rule}",)) for at, rule in sorted(signals.items())),
        overrides=(Override("o ponto 12 foi excluído", "pistola entupida", "Júlia"),),
        arguments={"coluna": "espessura_um"},
        source=SOURCE,
    )


def proportions() -> Study:
    """A p chart of days with different volumes, so with limits in steps."""
    chance = random.Random(5)
    sizes = [chance.choice((120, 180, 180, 240, 410)) for _day in range(31)]
    shares = [
        sum(chance.random() < (0.11 if day == 22 else 0.045) for _part in range(size)) / size
        for day, size in enumerate(sizes)
    ]
    centre = sum(a * b for a, b in zip(shares, sizes, strict=True)) / sum(sizes)
    reach = [3 * math.sqrt(centre * (1 - centre) / size) for size in sizes]
    limits = (
        [max(0.0, centre - each) * 100 for each in reach],
        [(centre + each) * 100 for each in reach],
    )
    values = [each * 100 for each in shares]
    signals = {at: "1" for at, each in enumerate(values) if each > limits[1][at]}
    figure = control_figure(
        "Carta p", values, [centre * 100] * 31, limits, signals, label="peças com defeito (%)"
    )
    return Study(
        "carta_controlo",
        "Carta p dos defeitos por dia",
        "Um dia está fora de controlo: 23 de fevereiro. Os outros variam como se espera.",
        panels=((figure,),),
        facts=(("Método", "Carta p"), ("n", "31 dias, 120 a 410 peças por dia")),
        signals=tuple(Signal(at, ("nelson1",)) for at in signals),
        source=SOURCE,
    )


def pareto() -> Study:
    """A Pareto chart."""
    figure = draw("pareto", "Pareto dos defeitos", defects(), x="tipo_defeito")
    return Study(
        "pareto",
        "Pareto dos defeitos",
        "Três dos tipos fazem 63 % dos defeitos. Comece por lixo.",
        panels=((figure,),),
        facts=(("n", "200 defeitos"), ("Período", "01/02/2026 – 28/02/2026")),
        source=SOURCE,
    )


def sixpack() -> Study:
    """Six panels of a study of capability."""
    imr = individuals()
    values = readings()
    low, width = 88.0, 1.5
    edges = [low + width * at for at in range(15)]
    counts = [sum(edge <= each < edge + width for each in values) for edge in edges]
    centre, sigma = mean(values), 2.4
    grid = [low - 2 + 0.25 * at for at in range(104)]

    def normal(spread: float) -> tuple[float, ...]:
        scale = len(values) * width / (spread * math.sqrt(2 * math.pi))
        return tuple(scale * math.exp(-0.5 * ((each - centre) / spread) ** 2) for each in grid)

    histogram = Figure(
        "Histograma",
        (
            Bars(
                tuple(e + width / 2 for e in edges), (0.0,) * 15, tuple(map(float, counts)), width
            ),
            Line(tuple(grid), normal(sigma), name="dentro", series=1),
            Line(tuple(grid), normal(sigma * 1.25), name="global", series=7, stroke="dashed"),
            Rule(90, "vertical", "LIE", "bad"),
            Rule(107, "vertical", "LSE", "bad"),
        ),
        x=Axis("espessura (µm)"),
        y=Axis(),
    )
    ordered = tuple(sorted(values))
    share = tuple((at + 0.7) / (len(ordered) + 0.4) for at in range(len(ordered)))
    score = tuple(4.91 * (p**0.14 - (1 - p) ** 0.14) for p in share)
    plot = Figure(
        "Probabilidade normal",
        (
            Line((centre - 3 * sigma, centre + 3 * sigma), (-3.0, 3.0), role="centre"),
            Points(ordered, score),
        ),
        subtitle="AD = 0,61; p = 0,11",
        x=Axis("espessura (µm)"),
        y=Axis("z"),
    )
    last = Figure(
        "Últimas 25 leituras",
        (
            Points(tuple(float(at) for at in range(36, 61)), tuple(values[-25:])),
            Rule(centre, role="centre", stroke="solid"),
        ),
        x=Axis("Leitura"),
    )
    indices = Figure(
        "Cp, Cpk e intervalos a 95 %",
        (
            Line((0.98, 1.33), (3.0, 3.0)),
            Points((1.18,), (3.0,)),
            Line((0.9, 1.24), (2.0, 2.0)),
            Points((1.07,), (2.0,)),
            Line((0.8, 1.1), (1.0, 1.0)),
            Points((0.95,), (1.0,)),
            Rule(1.33, "vertical", "1,33", "target"),
        ),
        y=Axis(kind="category", categories=("", "Ppk", "Cpk", "Cp")),
    )
    first, second = imr.panels[0][0], imr.panels[1][0]
    return replace(
        imr,
        method="capacidade",
        title="Capacidade da espessura entre 90 e 107",
        verdict="Cpk = 1,07 (0,90 a 1,24): o processo cabe à justa. Não cite o índice enquanto o "
        "processo não estiver sob controlo.",
        panels=((first, histogram), (second, plot), (last, indices)),
        overrides=(),
        tables=(),
    )


def long(count: int = 100_000) -> Study:
    """Very many points, of which hundreds are signals."""
    chance = random.Random(2)
    values = [chance.gauss(50, 3) for _each in range(count)]
    signals = {at: "1" for at, each in enumerate(values) if abs(each - 50) > 9}
    figure = control_figure(
        "Valores individuais", values, [50.0] * count, ([41.0] * count, [59.0] * count), signals
    )
    return Study(
        "carta_controlo",
        "Carta I de cem mil leituras",
        f"{number(len(signals))} pontos estão fora dos limites.",
        panels=((figure,),),
        facts=(("n", number(count)),),
        signals=tuple(Signal(at, ("nelson1",)) for at in signals),
    )


def card_of(study: Study) -> WidgetCard:
    """The card of a study, drawn."""
    card = WidgetCard(study)
    assert isinstance(card.body, StudyView)
    if card.body.panels is not None:
        card.body.panels.views()
    return card


def _studies(*makers: Callable[[], Study]) -> QWidget:
    page = _page([card_of(each()) for each in makers])
    page.resize(WIDTH_PX + 4 * GRID_PX, page.sizeHint().height())
    return page


def _flagged() -> QWidget:
    card = card_of(individuals())
    assert isinstance(card.body, StudyView)
    panels = card.body.panels
    assert isinstance(panels, StudyPanels)
    panels.set_flags((17, 40))
    panels.choose(17)
    return _page([card])


def _point() -> QWidget:
    study = individuals()
    words = "1 ponto a mais de 3 sigmas da linha central"
    study = replace(study, signals=(Signal(17, ("nelson1",), (words,)),))
    when = datetime(2026, 2, 3, 9, 12, tzinfo=UTC)
    notes = [PointNote("18", "Pistola entupida", "Limpa, filtro trocado", "Júlia", when)]
    popover = PointPopover(None, study, 17, notes)
    for words in ("Ver as linhas", "Anotar causa e ação…", "Excluir este ponto…"):
        popover.offer(words, popover.close)
    frame = _page([popover])  # a picture of it alone
    frame.resize(POPOVER_PX, frame.sizeHint().height())
    return frame


def _ask() -> QWidget:
    names = ("Causa", "Ação")
    return AskWindow(None, "Ponto 18: causa e ação", names, "Guardar a nota")


def _enlarged() -> QWidget:
    return study_window(None, individuals())


SCENES: dict[str, Callable[[], QWidget]] = {
    "individuals": partial(_studies, individuals),
    "proportions": partial(_studies, proportions, pareto),
    "sixpack": partial(_studies, sixpack),
    "long": partial(_studies, long),
    "flagged": _flagged,
    "point": _point,
    "ask": _ask,
    "enlarged": _enlarged,
}
