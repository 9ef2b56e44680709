"""Capability, measurement systems, Pareto and yield through their tools."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Bars, Cells, Line, Points, Rule
from tests.tools.conftest import ToolHarness
from tests.tools.test_control_study import csv, study_of, told


@pytest.fixture
def normal(tmp_path: Path) -> Path:
    random.seed(11)
    rows = [f"{at // 5 + 1};{random.gauss(100, 4):.3f}" for at in range(150)]
    return csv(tmp_path, "espessura.csv", "lote;espessura", rows)


@pytest.fixture
def gauge(tmp_path: Path) -> Path:
    random.seed(5)
    rows = []
    for part in range(1, 11):
        size = random.gauss(10, 1)
        for operator, bias in (("Ana", 0.0), ("Rui", 0.0), ("Eva", 0.1)):
            rows += [
                f"{part};{operator};{size + bias + random.gauss(0, 0.1):.4f};{size:.4f}"
                for _trial in range(3)
            ]
    return csv(tmp_path, "rr.csv", "peca;operador;medida;padrao", rows)


async def test_capability_gives_indices_with_intervals_and_six_panels(
    harness: ToolHarness, normal: Path
) -> None:
    await harness.drop(normal)

    output = await harness.use(
        "capacidade", coluna="espessura", subgrupo="lote", lie=80, lse=120, alvo=100
    )

    study = study_of(output)
    indices = told(output)["indices_ic95"]
    value, low, high = indices["Cpk"]
    assert low < value < high
    assert value == pytest.approx(1.6, abs=0.25)
    assert sum(map(len, study.panels)) == 6
    outside = study.tables[1].table
    assert [column.name for column in outside.columns] == ["Limit", "Observed", "Within", "Overall"]
    for column in (1, 2, 3):
        below, above, total = (float(str(row[column])) for row in outside.rows[:3])
        assert below + above == pytest.approx(total)
    assert told(output)["ppm"]["dentro"] == pytest.approx(outside.rows[2][2], rel=1e-4)
    facts = dict(study.facts)
    assert (facts["Number of subgroups"], facts["Subgroup size"]) == ("30", "5")
    assert {"Sigma within", "Sigma overall"} <= facts.keys()
    assert study.verdict.startswith("Cpk")
    assert told(output)["n"] == 150


async def test_what_is_demanded_of_a_characteristic_is_kept(
    harness: ToolHarness, normal: Path
) -> None:
    await harness.drop(normal)
    asked = {"coluna": "espessura", "lie": 80, "lse": 120}

    usual = told(await harness.use("capacidade", **asked))
    first = told(await harness.use("capacidade", **asked, estudo="inicial"))
    said = told(await harness.use("capacidade", **asked, exigido=3.5))
    again = await harness.use("capacidade", **asked)
    still = told(await harness.use("capacidade", **asked, estudo="inicial"))

    assert [each["exigido"] for each in (usual, first, said)] == [1.33, 1.67, 3.5]
    assert "is capable" in usual["conclusao"]
    assert told(again)["exigido"] == 3.5
    assert "just capable (1.00 to 3.50)" in study_of(again).verdict
    assert study_of(again).arguments == asked  # kept once, not with each card
    assert still["exigido"] == 1.67


async def test_a_few_values_are_not_called_capable(harness: ToolHarness, tmp_path: Path) -> None:
    rows = ["9.1", "10.4", "9.8", "10.9", "10.0"]
    await harness.drop(csv(tmp_path, "poucas.csv", "medida", rows))

    output = await harness.use("capacidade", coluna="medida", lie=7.5, lse=12.5)

    assert "cannot be said" in study_of(output).verdict


async def test_an_unstable_process_leads_with_what_it_did(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(3)
    rows = [f"{random.gauss(100 + (at > 40) * 8, 1):.3f}" for at in range(80)]
    await harness.drop(csv(tmp_path, "deriva.csv", "medida", rows))

    study = study_of(await harness.use("capacidade", lie=80, lse=120))

    assert study.verdict.startswith("Ppk = ")
    assert "; Cpk = " in study.verdict
    assert study.tables[0].table.rows[0][0] == "Pp"


async def test_capability_by_a_model_shows_nothing_normal(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(4)
    rows = [f"{random.weibullvariate(10, 1.5):.4f}" for _at in range(120)]
    await harness.drop(csv(tmp_path, "enviesado.csv", "medida", rows))

    output = await harness.use("capacidade", lie=0.01, lse=40, modelo="weibull")

    study, content = study_of(output), told(output)
    names = [row[0] for row in study.tables[0].table.rows]
    facts = dict(study.facts)
    titles = [panel.title for row in study.panels for panel in row]
    lines = [mark for row in study.panels for panel in row for mark in panel.marks]
    assert names[:4] == ["Pp", "Ppl", "Ppu", "Ppk"]
    assert not [name for name in names if "within" in str(name)]
    assert float(facts["Shape (β)"]) == pytest.approx(1.5, abs=0.25)
    assert "Fit of the model (Anderson-Darling)" in facts
    assert "Normality (Anderson-Darling)" not in facts
    assert "weibull" not in " ".join((*facts.values(), *titles)).replace("Weibull", "")
    assert "Probability: Weibull distribution" in titles
    assert not [mark for mark in lines if getattr(mark, "name", "") == "Within"]
    assert content["modelo"] == "Weibull distribution"
    assert set(content["ppm"]) == {"observado", "total"}
    assert study.verdict.startswith("Ppk")


async def test_an_unstable_process_is_told_before_its_capability(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(3)
    rows = [f"{random.gauss(100 + (at > 40) * 8, 1):.3f}" for at in range(80)]
    await harness.drop(csv(tmp_path, "deriva.csv", "medida", rows))

    output = await harness.use("capacidade", lie=80, lse=120)

    study = study_of(output)
    assert study.doubts
    assert "not stable" in study.verdict
    assert next(iter(told(output))) == "avisos"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"coluna": "espessura"}, "specification limit"),
        ({"coluna": "espessura", "lie": 120, "lse": 80}, "not below"),
        ({"coluna": "espessura", "lse": 120, "onde": "lote > 99"}, "No row fits"),
        ({"coluna": "espessura", "lse": 120, "onde": "espessura = 0 OR false"}, "No row fits"),
    ],
)
async def test_capability_refuses_with_the_next_step(
    harness: ToolHarness, normal: Path, given: dict[str, object], words: str
) -> None:
    await harness.drop(normal)

    with pytest.raises(ToolError, match=words):
        await harness.use("capacidade", **given)


async def test_values_that_are_all_equal_have_no_capability(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(
        csv(tmp_path, "iguais.csv", "lote;medida", [f"{at};5.5" for at in range(40)])
    )

    with pytest.raises(ToolError, match=r"(?i)same|equal|vary|variation|spread"):
        await harness.use("capacidade", coluna="medida", lie=1, lse=9)


@pytest.mark.parametrize("method", ["anova", "amplitudes"])
async def test_a_gauge_study_has_components_that_add_up(
    harness: ToolHarness, gauge: Path, method: str
) -> None:
    await harness.drop(gauge)

    output = await harness.use(
        "estudo_rr", metodo=method, coluna="medida", peca="peca", operador="operador", tolerancia=8
    )

    parts = told(output)["componentes"]
    shares = {name: each["contribuicao"] for name, each in parts.items()}
    assert shares["grr"] + shares["part"] == pytest.approx(1, abs=1e-4)
    assert 0.05 < told(output)["grr_do_estudo"] < 0.3
    study = study_of(output)
    assert sum(map(len, study.panels)) == 7
    assert study.tables[0].table.rows[0][1] is not None


def _wide(gauge: Path, names: list[str]) -> list[str]:
    """The readings of a study, each trial in a column of its own."""
    cells: dict[tuple[str, str], list[str]] = {}
    for line in gauge.read_text(encoding="utf-8").splitlines()[1:]:
        part, operator, value, _standard = line.split(";")
        cells.setdefault((part, operator), []).append(value)
    rows = []
    for (part, who), values in cells.items():
        roles = {"Peça": part, "Nr": part, "Part": part, "Operador": who, "Who": who}
        trials = (int(next(filter(str.isdigit, name), "1")) - 1 for name in names)
        rows.append([roles.get(name) or values[at] for name, at in zip(names, trials, strict=True)])
    return [";".join(row) for row in rows]


@pytest.mark.parametrize(
    ("header", "given"),
    [
        ("Peça;Operador;V1;V2;V3", {}),
        ("Operador;Ensaio 1;Ensaio 2;Ensaio 3;Nr", {"peca": "Nr"}),
        ("Who;Part;1.a leitura;2.a leitura;3.a leitura", {"operador": "Who"}),
    ],
)
async def test_trials_in_columns_of_their_own_are_the_same_study_as_in_rows(
    harness: ToolHarness, gauge: Path, tmp_path: Path, header: str, given: dict[str, str]
) -> None:
    await harness.drop(gauge)
    rows = await harness.result("estudo_rr", coluna="medida", peca="peca", operador="operador")
    await harness.drop(csv(tmp_path, "largo.csv", header, _wide(gauge, header.split(";"))))
    output = await harness.use("estudo_rr", conjunto="largo", **given)

    content = told(output)
    assert content["componentes"] == rows["componentes"]
    assert content["ndc"] == rows["ndc"]
    assert "parts x operators x trials" in content["avisos"][0]


async def test_other_columns_called_alike_are_no_trials(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"{at % 5};{at % 3};{at}.5;{at}.25;{at}.125" for at in range(30)]
    await harness.drop(csv(tmp_path, "outra.csv", "peca;operador;T1;T2;pressao", rows))

    with pytest.raises(ToolError, match="Say which column"):
        await harness.use("estudo_rr", peca="peca", operador="operador")


async def test_all_judgements_that_are_missing_are_named(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [
        f"{part};{who};{'' if (part, who) in ((4, 'B'), (9, 'A'), (11, 'B')) else 'ok'}"
        for part in range(12)
        for who in ("A", "B")
    ]
    await harness.drop(csv(tmp_path, "juizos.csv", "peca;operador;juizo", rows))

    with pytest.raises(ToolError, match=r"3 judgements are missing.*: 4 \(B\), 9 \(A\), 11 \(B\)"):
        await harness.use(
            "estudo_rr", metodo="atributos", coluna="juizo", peca="peca", operador="operador"
        )


async def test_linearity_and_one_reference_part_and_judgements(
    harness: ToolHarness, gauge: Path, tmp_path: Path
) -> None:
    await harness.drop(gauge)
    line = await harness.result(
        "estudo_rr", metodo="linearidade", coluna="medida", referencia="padrao"
    )
    one = await harness.result(
        "estudo_rr",
        metodo="tipo1",
        coluna="medida",
        onde="peca = 1",
        referencia=10,
        tolerancia=8,
    )
    rows = [
        f"{part};{operator};{'ok' if part % 3 else 'nok'};{'ok' if part % 3 else 'nok'}"
        for part in range(12)
        for operator in ("A", "B")
        for _trial in range(2)
    ]
    await harness.drop(csv(tmp_path, "juizos.csv", "peca;operador;juizo;padrao", rows))
    judged = await harness.result(
        "estudo_rr",
        metodo="atributos",
        coluna="juizo",
        peca="peca",
        operador="operador",
        referencia="padrao",
    )

    assert line["desvio_medio"] == pytest.approx(0.033, abs=0.05)
    assert one["cg"] > 0
    assert judged["kappa_fleiss"] == pytest.approx(1)


async def test_a_study_of_operators_asks_for_its_columns(harness: ToolHarness, gauge: Path) -> None:
    await harness.drop(gauge)

    with pytest.raises(ToolError, match="operador"):
        await harness.use("estudo_rr", coluna="medida", peca="peca")


async def test_a_pareto_has_the_rest_last_and_a_table_under_it(harness: ToolHarness) -> None:
    output = await harness.use("pareto")

    study = study_of(output)
    assert told(output)["vitais"] == []  # five of eight are not few
    assert "lixo" in study.verdict
    assert study.tables[0].table.rows[-1][0] == "outros"
    assert study.tables[0].table.rows[0][1:] == (62, 31.0, 31.0)
    bars, line = (
        next(mark for mark in study.panels[0][0].marks if isinstance(mark, kind))
        for kind in (Bars, Line)
    )
    assert isinstance(bars, Bars)
    assert isinstance(line, Line)
    assert bars.end[0] == 62
    assert line.y[-1] == pytest.approx(100)


async def test_a_pareto_by_cost_adds_a_column_up(harness: ToolHarness, tmp_path: Path) -> None:
    rows = ["risco;5;10", "lixo;20;1", "risco;5;30", "outros;1;90"]
    await harness.drop(csv(tmp_path, "custos.csv", "causa;n;custo", rows))

    content = await harness.result("pareto", coluna="causa", valor="custo")

    assert [each["causa"] for each in content["causas"]] == ["risco", "lixo", "outros"]
    assert content["total"] == 131


async def test_the_yield_of_steps_is_rolled_and_weighted(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = ["pintura;1000;50;60", "polimento;950;19;19"]
    await harness.drop(csv(tmp_path, "passos.csv", "passo;pecas;mas;defeitos", rows))

    columns = {"por": "passo", "volume": "pecas", "defeituosas": "mas", "defeitos": "defeitos"}
    content = await harness.result("rendimento", **columns, passos="serie")
    beside = await harness.result("rendimento", **columns)

    assert content["rty"] == pytest.approx(0.95 * 0.98)
    assert beside["ftq"] == pytest.approx(1 - 69 / 1950, rel=1e-5)
    assert "rty" not in beside  # of shifts or lines, a product says nothing
    assert beside["dpu"] == pytest.approx(79 / 1950, rel=1e-5)


async def test_yield_of_a_defect_log_asks_for_the_volume(harness: ToolHarness) -> None:
    with pytest.raises(ToolError, match="volume"):
        await harness.use("rendimento")

    content = await harness.result("rendimento", volume=500)

    assert content["dpmo"] == pytest.approx(200 / 14_000 * 1e6, rel=1e-5)
    assert content["avisos"]


async def test_types_of_defect_are_compared_between_shifts(harness: ToolHarness) -> None:
    output = await harness.use("teste_hipotese", por="turno")

    study = study_of(output)
    content = told(output)
    assert content["gl"] == 14  # 8 types, 3 shifts
    assert 0 < content["p"] < 1
    assert sum(row[1] for row in study.tables[0].table.rows if isinstance(row[1], float)) > 0
    assert study.verdict == content["conclusao"]


async def test_shares_of_shifts_are_compared_with_what_was_inspected(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = ["manha;10;1000", "tarde;60;1000", "noite;12;1000"]
    await harness.drop(csv(tmp_path, "turnos.csv", "turno;mas;pecas", rows))

    content = await harness.result(
        "teste_hipotese", metodo="proporcoes", por="turno", coluna="mas", volume="pecas"
    )

    assert content["p"] < 0.001
    assert "tarde" in content["conclusao"]


async def test_measurements_of_shifts_are_compared_by_the_test_that_fits(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [
        f"{shift};{level + 0.1 * at + 0.03}"
        for shift, level in (("manha", 10), ("tarde", 14), ("noite", 10))
        for at in range(12)
    ]
    await harness.drop(csv(tmp_path, "espessuras.csv", "turno;espessura", rows))

    output = await harness.use("teste_hipotese", por="turno", coluna="espessura")

    study, content = study_of(output), told(output)
    assert content["teste"] == "anova"
    assert content["pares_diferentes"] == ["tarde-manha", "tarde-noite"]
    assert "tarde" in content["conclusao"]
    assert [row[1] for row in study.tables[0].table.rows] == [12, 12, 12]
    assert len(study.tables[1].table.rows) == 3
    assert study.panels[0][0].x.categories == ("manha", "noite", "tarde")
    with pytest.raises(ToolError, match="group"):
        await harness.use("teste_hipotese", por="turno", coluna="espessura", onde="turno = 'tarde'")


async def test_a_sampling_plan_is_that_of_the_standard_with_its_curve(
    harness: ToolHarness,
) -> None:
    output = await harness.use("plano_amostragem", lote=2000, nqa=2.5, nivel="S-3")

    assert (told(output)["amostra"], told(output)["aceita"]) == (20, 1)
    assert [len(row) for row in study_of(output).panels] == [1, 2]
    with pytest.raises(ToolError, match="lote"):
        await harness.use("plano_amostragem", nqa=2.5)
    with pytest.raises(ToolError, match="bom"):
        await harness.use("plano_amostragem", lote=500)
    designed = await harness.result("plano_amostragem", bom=1, mau=8)
    assert designed["rejeita"] == designed["aceita"] + 1


async def test_a_yield_without_a_defect_is_doubted_and_has_no_endless_level(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"2026-03-{day:02};{100 + day};0" for day in range(1, 21)]
    await harness.drop(csv(tmp_path, "producao.csv", "data;produzidas;sucata", rows))

    output = await harness.use("rendimento", defeituosas="sucata", volume="produzidas")

    study = study_of(output)
    assert study.doubts
    assert "inf" not in study.verdict
    assert "no defect seen" in study.verdict
    assert told(output)["nivel_sigma"] is None


async def test_a_map_finds_the_place_where_defects_concentrate(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(4)
    racks, places = ("R1", "R2", "R3", "R4"), ("1", "2", "3", "10")
    rows = [f"{random.choice(racks)};{random.choice(places)}" for _each in range(160)]
    await harness.drop(csv(tmp_path, "lugares.csv", "rack;posicao", [*rows, *["R3;10"] * 30]))

    output = await harness.use("pareto", coluna="rack", por="posicao")

    study = study_of(output)
    assert "R3 x 10" in study.verdict
    assert study.panels[0][0].x.categories == places  # 2 before 10
    assert told(output)["total"] == 190
    assert told(output)["lugares"][0]["total"] >= 30
    assert any("rates" in doubt for doubt in study.doubts)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    random.seed(3)
    rows = []
    for part in range(1, 13):
        before = random.gauss(10, 2)
        after = before + random.gauss(0.5, 0.2)
        rows += [f"{part};antes;{before:.2f};{after:.2f}", f"{part};depois;{after:.2f};{after:.2f}"]
    return csv(tmp_path, "pares.csv", "peca;momento;brilho;segunda", rows)


async def test_parts_measured_twice_are_compared_by_their_differences(
    harness: ToolHarness, pairs: Path
) -> None:
    await harness.drop(pairs)
    given = {"metodo": "t_emparelhado", "coluna": "brilho"}

    by_part = await harness.use("teste_hipotese", **given, por="momento", par="peca")
    columns = await harness.use("teste_hipotese", **given, par="segunda", onde="momento = 'antes'")
    unpaired = await harness.result("teste_hipotese", coluna="brilho", por="momento")

    assert told(by_part)["teste"] == "paired_t"
    assert told(by_part)["p"] < 1e-4 < 0.05 < unpaired["p"]
    assert told(columns)["p"] == pytest.approx(told(by_part)["p"], rel=1e-6)
    assert "depois" in study_of(by_part).verdict


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("t", "welch_t"),
        ("t_student", "pooled_t"),
        ("mann_whitney", "mann_whitney"),
        ("anova", "anova"),
        ("welch", "welch_anova"),
        ("kruskal", "kruskal_wallis"),
        ("levene", "levene"),
    ],
)
async def test_a_test_named_is_the_one_that_is_run(
    harness: ToolHarness, pairs: Path, method: str, kind: str
) -> None:
    await harness.drop(pairs)

    output = await harness.use("teste_hipotese", metodo=method, coluna="brilho", por="momento")

    assert told(output)["teste"] == kind
    assert study_of(output).verdict
    assert told(output)["efeito"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metodo": "t_emparelhado", "coluna": "brilho"}, "second measurement"),
        ({"coluna": "brilho"}, "makes the groups"),
        (
            {"metodo": "t_emparelhado", "coluna": "brilho", "por": "peca", "par": "momento"},
            "two groups",
        ),
        (
            {"metodo": "t_emparelhado", "coluna": "brilho", "por": "momento", "par": "momento"},
            "more than once",
        ),
    ],
)
async def test_pairs_that_are_none_are_refused_with_the_next_step(
    harness: ToolHarness, pairs: Path, given: dict[str, str], words: str
) -> None:
    await harness.drop(pairs)

    with pytest.raises(ToolError, match=words):
        await harness.use("teste_hipotese", **given)


async def test_what_the_offline_engine_asks_for_is_what_the_tools_take(
    harness: ToolHarness,
) -> None:
    tightened = await harness.result(
        "plano_amostragem", nqa=1.0, lote=500, nivel="II", severidade="apertada"
    )

    assert (tightened["amostra"], tightened["aceita"]) == (80, 1)


async def test_whole_numbers_of_many_values_are_measured_and_of_few_are_counted(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(8)
    rows = [f"{'AB'[at % 2]};{random.randrange(100, 900)};{at % 3 % 2}" for at in range(90)]
    await harness.drop(csv(tmp_path, "custos.csv", "fabrica;custo;avaria", rows))

    cost = await harness.result("teste_hipotese", coluna="custo", por="fabrica")
    failure = await harness.result("teste_hipotese", coluna="avaria", por="fabrica")

    assert cost["teste"] in ("welch_t", "mann_whitney")
    assert failure["teste"] == "qui_quadrado"


# --- what a card and its paper show ---------------------------------------------------------------


async def test_a_gauge_study_shows_variances_deviations_and_both_analyses(
    harness: ToolHarness, gauge: Path
) -> None:
    await harness.drop(gauge)

    study = study_of(
        await harness.use(
            "estudo_rr", coluna="medida", peca="peca", operador="operador", tolerancia=6
        )
    )

    variances, deviations, *analyses = study.tables
    names = [column.name for column in deviations.table.columns]
    assert names == ["Source of variation", "SD", "6 × SD", "% study", "% tolerance"]
    for row in deviations.table.rows:
        assert row[2] == pytest.approx(6 * float(str(row[1])))
        assert row[4] == pytest.approx(float(str(row[2])) / 6 * 100, abs=0.01)
    assert [row[0] for row in variances.table.rows] == [row[0] for row in deviations.table.rows]
    with_interaction, pooled = analyses
    assert len(with_interaction.table.rows) == 4
    assert [row[0] for row in pooled.table.rows] == ["Part to part", "Operator", "Repeatability"]


@pytest.mark.parametrize(("good", "bad"), [("ok", "nok"), ("Aprovado", "Reprovado"), ("1", "0")])
async def test_misses_and_false_alarms_are_counted_by_reading(
    harness: ToolHarness, tmp_path: Path, good: str, bad: str
) -> None:
    # Four bad and six good parts, twice: A misses one reading of eight, and alarms twice of twelve.
    wrong = {("A", 1, 0), ("A", 5, 0), ("A", 5, 1)}
    rows = []
    for part in range(1, 11):
        right, other = (bad, good) if part <= 4 else (good, bad)
        for who in ("A", "B"):
            rows += [
                f"{part};{who};{other if (who, part, trial) in wrong else right};{right}"
                for trial in range(2)
            ]
    await harness.drop(csv(tmp_path, "juizos.csv", "peca;operador;juizo;padrao", rows))

    study = study_of(
        await harness.use(
            "estudo_rr",
            metodo="atributos",
            coluna="juizo",
            peca="peca",
            operador="operador",
            referencia="padrao",
        )
    )

    matches, decisions, crossed = study.tables
    assert len(crossed.table.rows) == 3  # A x B, and both against the standard
    first, second = decisions.table.rows
    assert first[:4] == ("A", 80.0, 12.5, 16.7)
    assert second[:4] == ("B", 100.0, 0.0, 0.0)
    by_what = {(row[0], row[1]): row[2:] for row in matches.table.rows}
    # Clopper and Pearson's interval of 8 of 10 (Brown, Cai and DasGupta 2001): 44.4 to 97.5 %.
    assert by_what["A", "Against the standard"] == (10, 80.0, 44.4, 97.5)
    assert by_what["All", "Between operators"][:2] == (10, 80.0)


async def test_judgements_in_words_nobody_knows_have_no_misses(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"{part};A;{'xy'[part % 2]};{'xy'[part % 2]}" for part in range(10)]
    await harness.drop(csv(tmp_path, "juizos.csv", "peca;operador;juizo;padrao", rows))
    given = {"coluna": "juizo", "peca": "peca", "operador": "operador", "referencia": "padrao"}

    study = study_of(await harness.use("estudo_rr", metodo="atributos", **given))

    assert [column.name for column in study.tables[1].table.columns] == [
        "Operator",
        "Effectiveness, %",
        "Cohen's kappa",
    ]


async def test_residuals_are_drawn_on_the_same_scale_every_time(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [
        f"{'manha' if at % 2 else 'noite'};{('lixo', 'risco')[at % 3 == 0]}" for at in range(60)
    ]
    await harness.drop(csv(tmp_path, "d.csv", "turno;defeito", rows))

    study = study_of(await harness.use("teste_hipotese", por="turno", coluna="defeito"))

    (cells,) = study.panels[0][0].marks
    assert isinstance(cells, Cells)
    assert cells.steps == (2.0, 3.0)


async def test_box_plots_show_what_lies_outside_the_fences(
    harness: ToolHarness, tmp_path: Path
) -> None:
    values = [10, 11, 12, 13, 14, 15, 16, 40], [9, 10, 11, 12, 13, 14, 15, 16]
    rows = [f"{name};{value}.5" for name, each in zip("ab", values, strict=True) for value in each]
    await harness.drop(csv(tmp_path, "g.csv", "grupo;medida", rows))

    study = study_of(await harness.use("teste_hipotese", por="grupo", coluna="medida"))

    outliers = [
        mark
        for mark in study.panels[0][0].marks
        if isinstance(mark, Points) and mark.name == "Outliers"
    ]
    assert [(each.x, each.y) for each in outliers] == [((0.0,), (40.5,))]


async def test_a_chart_says_its_sizes_sigmas_limits_and_weights(
    harness: ToolHarness, normal: Path
) -> None:
    await harness.drop(normal)
    given = {"coluna": "espessura"}

    averages = study_of(
        await harness.use("carta_controlo", tipo="xbar_r", subgrupo="lote", etapas=["11"], **given)
    )
    facts = dict(averages.facts)
    figure = averages.panels[0][0]
    assert averages.title.startswith("X̄-R chart (averages and ranges)")
    assert figure.subtitle.startswith("30 subgroups of 5 · ")
    assert facts["Number of subgroups"] == "30"
    assert facts["Subgroup size"] == "5"
    assert float(facts["Sigma within"]) == pytest.approx(4, abs=1)
    assert float(facts["Sigma overall"]) == pytest.approx(4, abs=1)
    assert facts["Limits (average), stage 1"] != facts["Limits (average), stage 2"]
    assert "LCL 0; CL " in facts["Limits (range), stage 1"]
    lines = [
        mark for mark in figure.marks if isinstance(mark, Rule) and mark.direction == "vertical"
    ]
    assert [(each.value, each.label) for each in lines] == [(0.5, "Stage 1"), (10.5, "Stage 2")]

    weighted = dict(study_of(await harness.use("carta_controlo", tipo="ewma", **given)).facts)
    assert (weighted["λ"], weighted["L"]) == ("0.2", "3")
    sums = await harness.use("carta_controlo", tipo="cusum", parametros={"h": 4}, **given)
    facts = dict(study_of(sums).facts)
    assert (facts["k"], facts["h"]) == ("0.5", "4")


async def test_laneys_chart_says_how_far_the_shares_are_spread(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"{1000 + at};{20 + 37 * at % 41}" for at in range(30)]
    await harness.drop(csv(tmp_path, "lotes.csv", "feitas;mas", rows))

    output = await harness.use("carta_controlo", tipo="laney_p", coluna="mas", volume="feitas")

    assert float(dict(study_of(output).facts)["Laney's sigma z"]) == pytest.approx(
        told(output)["sigma_z"], abs=5e-4
    )


# --- many at once ---------------------------------------------------------------------------------


@pytest.fixture
def cavities(tmp_path: Path) -> Path:
    """Three cavities: one wide, one that shifts, one good; and one with a single value."""
    random.seed(7)
    rows = []
    for at in range(100):
        for name, spread, shift in (("C1", 1.0, 0.0), ("C2", 4.0, 0.0), ("C3", 1.0, 8.0)):
            value = random.gauss(100 + shift * (at >= 50), spread)
            rows.append(f"{name};{at // 5};{value:.4f}")
    rows.append("C4;0;100")
    return csv(tmp_path, "cavidades.csv", "cavidade;lote;medida", rows)


@pytest.mark.parametrize("subgroup", [None, 5, "lote"])
async def test_capability_of_many_is_that_of_each_the_worst_first(
    harness: ToolHarness, cavities: Path, subgroup: str | int | None
) -> None:
    await harness.drop(cavities)
    given: dict[str, Any] = {"coluna": "medida", "lie": 90, "lse": 110}
    if subgroup is not None:
        given["subgrupo"] = subgroup

    study = study_of(await harness.use("capacidade", por="cavidade", **given))

    rows = study.tables[0].table.rows
    assert [row[0] for row in rows] == ["C3", "C2", "C1", "C4"]
    assert rows[-1][2:8] == (None,) * 6
    for row, opened in zip(rows[:3], study.opens, strict=False):
        output = await harness.use("capacidade", **opened)
        own = told(output)["indices_ic95"]
        assert row[1] == told(output)["n"] == 100
        assert row[5] == pytest.approx(own["Cpk"][0], abs=1e-3)
        assert row[6] == pytest.approx(own["Ppk"][0], abs=1e-3)
    assert "not stable" in str(rows[0][-1])
    assert str(rows[2][-1]).startswith("capable")
    assert study.verdict.startswith("2 of 4 groups are below 1.33; the worst is C3")


async def test_charts_of_many_open_those_of_each(harness: ToolHarness, cavities: Path) -> None:
    await harness.drop(cavities)

    study = study_of(
        await harness.use("carta_controlo", coluna="medida", por="cavidade", onde="lote < 15")
    )

    assert study.tables[0].table.rows[0][0] == "C3"
    assert study.opens[0]["onde"] == "(lote < 15) AND CAST(\"cavidade\" AS VARCHAR) = 'C3'"
    own = study_of(await harness.use("carta_controlo", **study.opens[0]))
    assert own.points is not None
    assert len(own.points.rows) == 75
    assert not study.can_freeze
    with pytest.raises(ToolError, match="individuals or averages"):
        await harness.use("carta_controlo", coluna="medida", por="cavidade", tipo="c")


async def test_capability_of_columns_x1_to_xn_is_that_of_their_subgroups(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(4)
    values = [[round(random.gauss(100, 4), 3) for _each in range(5)] for _row in range(30)]
    rows = [f"{at + 1};" + ";".join(map(str, each)) for at, each in enumerate(values)]
    await harness.drop(csv(tmp_path, "largo.csv", "lote;x1;x2;x3;x4;x5", rows))
    wide = await harness.result("capacidade", lie=80, lse=120)
    tall = [f"{at};{value}" for at, each in enumerate(values) for value in each]
    await harness.drop(csv(tmp_path, "alto.csv", "lote;medida", tall))

    same = await harness.result("capacidade", coluna="medida", subgrupo="lote", lie=80, lse=120)

    assert wide["indices_ic95"] == same["indices_ic95"]


async def test_rows_that_are_subgroups_are_studied_by_a_group(
    harness: ToolHarness, tmp_path: Path
) -> None:
    values = np.random.default_rng(11).normal(50, 1, (40, 4))
    values[1::2] += 1.5  # every second row, of the other mould
    rows = [
        f"M{1 + at % 2};" + ";".join(f"{each:.3f}" for each in line) + ";45.5"
        for at, line in enumerate(values)
    ]
    await harness.drop(csv(tmp_path, "moldes.csv", "Molde;x1;x2;x3;x4;LIE", rows))

    told = await harness.result("capacidade", por="Molde", lie=45.5, lse=54)

    assert told["total_grupos"] == 2
    worst = told["piores"]
    assert isinstance(worst, list)
    for each in worst:
        assert isinstance(each, dict)
        own = values[int(str(each["grupo"])[1]) - 1 :: 2]
        assert each["n"] == own.size
        assert each["media"] == pytest.approx(own.mean(), abs=1e-3)
        sigma = np.ptp(own, axis=1).mean() / 2.0588
        cpk = min(own.mean() - 45.5, 54 - own.mean()) / (3 * sigma)
        assert each["cpk"] == pytest.approx(cpk, rel=2e-3)
