"""Studies of machines, lines, sizes and lots: what is planned, and what a lot leads to."""

import random
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.study import Study
from qhub_desktop.core.tool import ToolOutput
from tests.tools.conftest import ToolHarness


def _study(output: ToolOutput) -> Study:
    assert isinstance(output.widget, Study)
    return output.widget


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    random.seed(12)
    lines = [
        f"{random.gauss(100, 2):.3f},{at / 10 + random.gauss(0, 1):.3f},{at / 10},{'ABC'[at % 3]},"
        f"{at % 2},50"
        for at in range(60)
    ]
    path = tmp_path / "medidas.csv"
    path.write_text("espessura,brilho,tempo,turno,mas,feitas\n" + "\n".join(lines) + "\n", "utf-8")
    return path


async def test_a_machine_is_judged_by_cmk_of_all_its_parts(
    harness: ToolHarness, measured: Path
) -> None:
    await harness.drop(measured)
    asked = {"coluna": "espessura", "lie": 88, "lse": 112}

    machine = _study(await harness.use("capacidade", **asked, estudo="maquina"))
    series = _study(await harness.use("capacidade", **asked))
    initial = _study(await harness.use("capacidade", **asked, estudo="inicial"))

    named = {row[0]: row[1] for row in machine.tables[0].table.rows}
    overall = {row[0]: row[1] for row in series.tables[0].table.rows}
    assert named == {
        own: overall[other]
        for own, other in (("Cm", "Pp"), ("Cml", "Ppl"), ("Cmu", "Ppu"), ("Cmk", "Ppk"))
    }
    assert machine.verdict.startswith("Cmk = ")
    assert "machine is capable (at least 1.67)" in machine.verdict
    assert initial.verdict.startswith("Preliminary Ppk = ")
    assert dict(initial.facts)["Preliminary Ppk demanded"] == "1.67"
    few = await harness.use(
        "capacidade", **asked, estudo="maquina", sql="SELECT * FROM medidas LIMIT 30"
    )
    assert any("50 parts" in each for each in _study(few).doubts)


async def test_a_line_has_its_intervals_its_residuals_and_its_doubts(
    harness: ToolHarness, measured: Path
) -> None:
    await harness.drop(measured)

    output = await harness.use("teste_hipotese", metodo="regressao", coluna="brilho", par="tempo")

    study = _study(output)
    slope = study.tables[0].table.rows[1]
    assert slope[0] == "tempo"
    assert isinstance(slope[5], float)
    assert isinstance(slope[6], float)
    assert slope[5] < 1 < slope[6]
    assert [len(row) for row in study.panels] == [1, 2, 2]
    assert "says nothing of the cause" in study.verdict
    with pytest.raises(ToolError, match="par"):
        await harness.use("teste_hipotese", metodo="regressao", coluna="brilho")
    with pytest.raises(ToolError, match="itself"):
        await harness.use("teste_hipotese", metodo="regressao", coluna="brilho", par="brilho")


async def test_sizes_are_of_means_of_groups_and_of_shares(
    harness: ToolHarness, measured: Path
) -> None:
    await harness.drop(measured)
    asked = {"metodo": "tamanho_amostra", "diferenca": 2}

    two = await harness.result("teste_hipotese", **asked, coluna="espessura")
    three = await harness.result("teste_hipotese", **asked, coluna="espessura", por="turno")
    shares = await harness.result("teste_hipotese", **asked, coluna="mas", volume="feitas")
    power = await harness.result("teste_hipotese", **asked, coluna="espessura", tamanho=4)

    assert two["n_por_grupo"] < three["n_por_grupo"]  # the third mean lies between the two
    assert shares["n_por_grupo"] > 500
    assert "3 groups" in three["conclusao"]
    assert power["potencia"] < 0.9
    assert f"{two['n_por_grupo']} values of each" in power["conclusao"]


async def test_inspected_lots_decide_how_the_next_is_inspected(harness: ToolHarness) -> None:
    lot = {"lote": 1000, "nqa": 1.0, "caracteristica": "Riscos"}

    before = await harness.result("plano_amostragem", **lot)
    outputs = [
        await harness.use("plano_amostragem", **lot, identificacao=f"L{at}", encontradas=found)
        for at, found in enumerate((9, 0, 9))
    ]
    again = await harness.use("plano_amostragem", **lot, identificacao="L2", encontradas=9)
    other = await harness.result("plano_amostragem", **{**lot, "caracteristica": "Cor"})

    assert (before["amostra"], before["aceita"]) == (80, 2)
    study = _study(outputs[-1])
    assert dict(study.facts)["Inspection"] == "tightened"
    assert [row[:6] for row in study.tables[0].table.rows] == [
        ("L0", "normal", 80, "2 / 3", 9, "not accepted"),
        ("L1", "normal", 80, "2 / 3", 0, "accepted"),
        ("L2", "normal", 80, "2 / 3", 9, "not accepted"),
    ]
    assert study.verdict.startswith("Two of five lots or fewer were not accepted")
    assert _study(again).tables == study.tables  # the same lot is not counted twice
    assert "inspecao" not in other
    with pytest.raises(ToolError, match="identificacao"):
        await harness.use("plano_amostragem", **lot, encontradas=1)


async def test_a_plan_that_accepts_on_zero_needs_what_it_rejects_alone(
    harness: ToolHarness,
) -> None:
    found = await harness.use("plano_amostragem", mau=5, confianca=95)

    assert "59" in _study(found).title
    assert "c = 0" in dict(_study(found).facts)["Method"]


async def test_what_is_demanded_is_set_by_the_quality_lead_and_told_to_the_audit(
    harness: ToolHarness, measured: Path
) -> None:
    await harness.drop(measured)
    asked = {"coluna": "espessura", "lie": 88, "lse": 112}
    await harness.use("capacidade", **asked, exigido=1.5)
    entries = await harness.store.audit.listed(limit=5)
    await harness.program.accounts.add("ana", "admin", None, secret="uma palavra longa")
    ana = await harness.program.accounts.sign_in("ana", "uma palavra longa")
    harness.store.enter(ana)
    await harness.program.accounts.add("rui", "operador", None, secret="outra palavra longa")
    harness.store.enter(await harness.program.accounts.sign_in("rui", "outra palavra longa"))

    alone = await harness.use("capacidade", **asked, exigido=1.9)

    kept = await harness.store.settings.state("demand/serie/espessura")
    assert [each.detail for each in entries if each.subject == "demand/serie/espessura"] == [
        {"before": None, "after": 1.5}
    ]
    assert kept == 1.5
    assert dict(_study(alone).facts)["Cpk demanded"] == "1.90"
    assert any("this study alone" in each for each in _study(alone).doubts)


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    random.seed(3)
    lines = [
        f"{at},{made},{random.randrange(9)},{area},{random.randrange(6)}"
        for at, (made, area) in enumerate(((50, 1), (80, 2), (120, 4)) * 10)
    ]
    path = tmp_path / "contagens.csv"
    path.write_text("ponto,feitas,mas,area,riscos\n" + "\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"tipo": "np", "coluna": "mas", "volume": "feitas"}, "p chart"),
        ({"tipo": "c", "coluna": "riscos", "volume": "area"}, "u chart"),
        ({"tipo": "i", "coluna": "riscos", "congelar": 50}, "only 30"),
    ],
)
async def test_what_a_chart_hides_is_doubted(
    harness: ToolHarness, counted: Path, asked: dict[str, Any], said: str
) -> None:
    await harness.drop(counted)

    study = _study(await harness.use("carta_controlo", **asked))
    other = {"tipo": "p", "coluna": "mas", "volume": "feitas"}
    calm = _study(await harness.use("carta_controlo", **other))

    assert any(said in each for each in study.doubts), study.doubts
    assert not any(said in each for each in calm.doubts)


async def test_normality_by_groups_is_judged_in_each(
    harness: ToolHarness, measured: Path, tmp_path: Path
) -> None:
    await harness.drop(measured)
    random.seed(4)
    lines = [
        f"{random.gauss(0, 1) if at % 2 else random.expovariate(1):.4f},{'AB'[at % 2]}"
        for at in range(120)
    ]
    path = tmp_path / "grupos.csv"
    path.write_text("valor,grupo\n" + "\n".join(lines) + "\n", "utf-8")
    await harness.drop(path)

    asked = {"metodo": "normalidade", "coluna": "valor", "por": "grupo", "conjunto": "grupos"}
    study = _study(await harness.use("teste_hipotese", **asked))

    assert "1 of 2 groups of valor do not follow" in study.verdict
    assert [row[0] for row in study.tables[0].table.rows] == ["A", "B"]  # the worst first
    p_values = [row[5] for row in study.tables[0].table.rows]
    assert all(isinstance(each, float) for each in p_values)
    assert [each < 0.05 for each in p_values if isinstance(each, float)] == [True, False]
