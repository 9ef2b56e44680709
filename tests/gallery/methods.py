"""Every statistical method, computed by its tool from a file, as its card shows it."""

import random
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.study import Study
from qhub_desktop.ui.theme import GRID_PX
from tests.gallery.studies import card_of
from tests.gallery.widgets import WIDTH_PX, _page
from tests.tools.conftest import ToolHarness

Asked = tuple[str, dict[str, Any]]
WrittenRows = Callable[[], tuple[str, list[str]]]  # the names, and the rows below them


def thickness() -> tuple[str, list[str]]:
    """Subgroups of five, of three shifts; one of the shifts is a little thicker."""
    chance = random.Random(3)
    rows = []
    for at in range(150):
        shift = ("manhã", "tarde", "noite")[at // 5 % 3]
        value = chance.gauss(100 + 3 * (shift == "noite"), 4) + 16 * (at == 72)
        rows.append(
            f"2026-03-{at // 10 + 1:02};{at // 5 + 1};{shift};{value:.2f}".replace(".", ",")
        )
    return "data;lote;turno;espessura_um", rows


def lots() -> tuple[str, list[str]]:
    """Parts made and rejected, of 30 days with more spread than the binomial has."""
    chance = random.Random(9)
    rows = []
    for day in range(1, 31):
        made = chance.randrange(2000, 6000)
        share = max(0.005, chance.gauss(0.03, 0.008))
        rejected = round(made * share)
        rows.append(f"2026-04-{day:02};{made};{rejected};{rejected + chance.randrange(40)}")
    return "data;produzidas;rejeitadas;defeitos", rows


def gauge() -> tuple[str, list[str]]:
    """Ten parts, three operators, three trials."""
    chance = random.Random(5)
    rows = []
    for part in range(1, 11):
        size = chance.gauss(10, 1)
        for operator, bias in (("Ana", 0.0), ("Rui", 0.05), ("Eva", 0.15)):
            rows += [
                f"{part};{operator};{size + bias + chance.gauss(0, 0.12):.3f};{size:.3f}".replace(
                    ".", ","
                )
                for _trial in range(3)
            ]
    return "peca;operador;medida;padrao", rows


def verdicts() -> tuple[str, list[str]]:
    """Twenty parts judged twice by two inspectors, who mostly agree."""
    chance = random.Random(6)
    rows = []
    for part in range(1, 21):
        truth = "OK" if part % 3 else "NOK"
        other = "NOK" if truth == "OK" else "OK"
        for operator in ("Ana", "Rui"):
            rows += [
                f"{part};{operator};{truth if chance.random() < 0.93 else other};{truth}"
                for _trial in range(2)
            ]
    return "peca;operador;resultado;padrao", rows


def defects() -> tuple[str, list[str]]:
    """A log of defects that concentrate at one place of one rack."""
    chance = random.Random(7)
    rows = []
    for at in range(260):
        rack, place = chance.choice(("R1", "R2", "R3", "R4")), chance.randrange(1, 7)
        if at % 6 == 0:
            rack, place = "R3", 5
        kind = chance.choices(("lixo", "escorrido", "cratera", "falta_tinta"), (6, 3, 2, 1))[0]
        rows.append(f"2026-02-{at % 28 + 1:02};{rack};{place};{kind};{('manha', 'noite')[at % 2]}")
    return "data;rack;posicao;defeito;turno", rows


async def _studies(written: WrittenRows, asked: Sequence[Asked]) -> QWidget:
    """Compute studies of one file, and put their cards under each other."""
    names, rows = written()
    made: list[Study] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        harness = ToolHarness(Path(home))
        try:
            file = Path(home) / f"{written.__name__}.csv"
            file.write_text("\n".join([names, *rows]) + "\n", encoding="utf-8")
            await harness.drop(file)
            for tool, given in asked:
                widget = (await harness.use(tool, **given)).widget
                assert isinstance(widget, Study), tool
                made.append(widget)
        finally:
            await harness.program.close()
    page = _page([card_of(each) for each in made])
    page.resize(WIDTH_PX + 4 * GRID_PX, page.sizeHint().height())
    return page


def _charts(*kinds: str, **given: Any) -> list[Asked]:
    return [("carta_controlo", {"tipo": kind, **given}) for kind in kinds]


SCENES: dict[str, Callable[[], Awaitable[QWidget]]] = {
    "averages": partial(
        _studies, thickness, _charts("xbar_r", "xbar_s", coluna="espessura_um", subgrupo="lote")
    ),
    "weighted": partial(
        _studies, thickness, _charts("i", "ewma", "cusum", "run", coluna="espessura_um")
    ),
    "attributes": partial(
        _studies,
        lots,
        [
            *_charts("p", "np", "laney_p", coluna="rejeitadas", volume="produzidas"),
            *_charts("u", "laney_u", coluna="defeitos", volume="produzidas"),
            *_charts("c", coluna="defeitos"),
        ],
    ),
    "capability": partial(
        _studies,
        thickness,
        [
            ("capacidade", {"coluna": "espessura_um", "subgrupo": "lote", "lie": 80, "lse": 120}),
            ("capacidade", {"coluna": "espessura_um", "lse": 120, "modelo": "percentiles"}),
        ],
    ),
    "gauge": partial(
        _studies,
        gauge,
        [
            (
                "estudo_rr",
                {"coluna": "medida", "peca": "peca", "operador": "operador", "tolerancia": 6},
            ),
            ("estudo_rr", {"coluna": "medida", "metodo": "linearidade", "referencia": "padrao"}),
        ],
    ),
    "agreement": partial(
        _studies,
        verdicts,
        [
            (
                "estudo_rr",
                {
                    "metodo": "atributos",
                    "coluna": "resultado",
                    "peca": "peca",
                    "operador": "operador",
                    "referencia": "padrao",
                },
            )
        ],
    ),
    "groups": partial(
        _studies,
        thickness,
        [("teste_hipotese", {"coluna": "espessura_um", "por": "turno"})],
    ),
    "counts": partial(
        _studies,
        defects,
        [
            ("teste_hipotese", {"coluna": "defeito", "por": "turno"}),
            ("pareto", {"coluna": "defeito"}),
            ("pareto", {"coluna": "rack", "por": "posicao"}),
            ("plano_amostragem", {"lote": 2000, "nqa": 2.5}),
        ],
    ),
    "machine": partial(
        _studies,
        thickness,
        [
            ("capacidade", {"coluna": "espessura_um", "lie": 80, "lse": 120, "estudo": "maquina"}),
            (
                "teste_hipotese",
                {"metodo": "normalidade", "coluna": "espessura_um", "por": "turno"},
            ),
        ],
    ),
    "line": partial(
        _studies,
        gauge,
        [
            ("teste_hipotese", {"metodo": "regressao", "coluna": "medida", "par": "padrao"}),
            (
                "teste_hipotese",
                {
                    "metodo": "tamanho_amostra",
                    "coluna": "medida",
                    "por": "operador",
                    "diferenca": 0.5,
                    "tamanho": 10,
                },
            ),
        ],
    ),
    "lots": partial(
        _studies,
        lots,
        [
            *(
                (
                    "plano_amostragem",
                    {
                        "lote": 1000,
                        "nqa": 1.0,
                        "caracteristica": "Riscos",
                        "identificacao": f"L{at}",
                        "encontradas": found,
                    },
                )
                for at, found in enumerate((5, 0, 4))
            ),
            ("plano_amostragem", {"lote": 1000, "nqa": 1.0, "severidade": "reduzida"}),
            ("plano_amostragem", {"mau": 2.5}),
        ],
    ),
    "yields": partial(
        _studies, lots, [("rendimento", {"defeituosas": "rejeitadas", "volume": "produzidas"})]
    ),
}
