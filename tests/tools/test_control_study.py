"""Control charts through the tool, over data sets as a conversation has them."""

import random
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Line, Points, Rule
from qhub_desktop.core.study import Study
from qhub_desktop.core.tool import ToolContext, ToolOutput
from tests.tools.conftest import ToolHarness


def csv(folder: Path, name: str, head: str, rows: list[str]) -> Path:
    path = folder / name
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def study_of(output: ToolOutput) -> Study:
    shown: object = output.widget
    assert isinstance(shown, Study)
    return shown


def told(output: ToolOutput) -> dict[str, Any]:
    content: Any = output.content
    assert isinstance(content, dict)
    return content


@pytest.fixture
def thickness(tmp_path: Path) -> Path:
    random.seed(4)
    first = date(2026, 3, 2)
    rows = [
        f"{first + timedelta(days=at)};{at // 5 + 1};{random.gauss(100, 4):.2f}" for at in range(60)
    ]
    rows[40] = rows[40].rpartition(";")[0] + ";140.0"
    return csv(tmp_path, "espessura.csv", "dia;lote;espessura", rows)


async def test_the_defects_of_a_log_are_counted_by_day_and_days_without_any_are_zero(
    harness: ToolHarness,
) -> None:
    output = await harness.use("carta_controlo")
    study = study_of(output)
    assert study.points is not None
    table = await harness.use(
        "consultar_dados", sql="SELECT data, count(*) FROM defeitos GROUP BY 1", limite=100
    )
    counted = {row[0]: row[1] for row in told(table)["linhas"]}

    values = {str(row[0]): row[1] for row in study.points.rows}
    assert sum(value for value in values.values() if isinstance(value, float)) == 200
    assert {day: value for day, value in values.items() if value} == counted
    assert len(values) == 28  # every day of February
    assert told(output)["lc"] == pytest.approx(200 / 28, abs=1e-4)
    assert any("volume" in each for each in study.doubts)


async def test_a_chart_of_shares_asks_for_the_volume_and_says_what_can_be_had_without(
    harness: ToolHarness,
) -> None:
    with pytest.raises(ToolError, match=r"volume.*c chart"):
        await harness.use("carta_controlo", tipo="p")


async def test_counts_without_a_volume_say_what_is_missing_whichever_chart_is_asked_for(
    harness: ToolHarness,
) -> None:
    without = await harness.result("carta_controlo", tipo="c")
    having = await harness.result("carta_controlo", tipo="u", volume=500)

    assert any("volume" in each for each in without["avisos"])
    assert not any("volume is missing" in each for each in having["avisos"])


async def test_a_number_a_day_makes_shares_of_counts(harness: ToolHarness) -> None:
    output = await harness.use("carta_controlo", tipo="p", volume=500)

    study = study_of(output)
    assert told(output)["lc"] == pytest.approx(200 / (28 * 500), rel=1e-5)
    assert study.points is not None
    assert [each.name for each in study.points.columns][3] == "CL (%)"
    assert study.points.rows[0][3] == pytest.approx(100 * 200 / (28 * 500), rel=1e-5)
    (figure,) = study.panels[0]
    assert figure.subtitle.endswith("500 inspected a day")
    assert figure.y.unit == "%"
    rules = [each.label for each in figure.marks if isinstance(each, Rule)]
    assert "CL = 1.429 %" in rules


async def test_a_sheet_of_volumes_is_joined_by_its_own_days(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"2026-02-{day:02};{400 + day}" for day in range(1, 29) if day != 11]
    await harness.drop(csv(tmp_path, "producao.csv", "dia;pecas", rows))

    output = await harness.use(
        "carta_controlo", conjunto="defeitos", tipo="u", volume="producao.pecas"
    )

    study = study_of(output)
    assert study.points is not None
    assert len(study.points.rows) == 27
    assert study.points.rows[0][5] == 401
    assert any("2026-02-11" in each for each in study.doubts)
    lines = [mark for mark in study.panels[0][0].marks if isinstance(mark, Line)]
    assert any(len(line.x) > 50 for line in lines)  # limits in stair-steps


async def test_a_point_far_out_is_a_signal_with_its_rule(
    harness: ToolHarness, thickness: Path
) -> None:
    await harness.drop(thickness)

    output = await harness.use("carta_controlo", coluna="espessura")

    study = study_of(output)
    assert "nelson1" in next(each.rules for each in study.signals if each.point == 40)
    assert told(output)["carta"] == study.title
    assert len(study.panels) == 2
    assert study.verdict.startswith("Not stable")


async def test_the_same_call_with_a_point_left_out_computes_other_limits_and_keeps_the_reason(
    harness: ToolHarness, thickness: Path
) -> None:
    await harness.drop(thickness)
    before = study_of(await harness.use("carta_controlo", coluna="espessura"))
    assert before.arguments is not None

    again = await harness.use(
        "carta_controlo",
        **before.arguments,
        excluir=[{"ponto": "41", "motivo": "peça de ensaio"}],
    )

    after = study_of(again)
    assert before.points is not None
    assert after.points is not None
    assert isinstance(before.points.rows[0][4], float)
    assert isinstance(after.points.rows[0][4], float)
    assert after.points.rows[0][4] < before.points.rows[0][4]
    assert all(each.point != 40 for each in after.signals)
    assert [(each.reason, each.by) for each in after.overrides] == [("peça de ensaio", "rui")]


async def test_frozen_limits_are_those_of_the_first_points(
    harness: ToolHarness, thickness: Path
) -> None:
    await harness.drop(thickness)

    whole = await harness.result("carta_controlo", coluna="espessura")
    frozen = await harness.result("carta_controlo", coluna="espessura", congelar=30)
    given = await harness.result(
        "carta_controlo", coluna="espessura", congelar={"centro": 100, "sigma": 4}
    )

    assert frozen["lsc"] < whole["lsc"]
    assert (given["lc"], given["lsc"]) == (100, 112)


@pytest.mark.parametrize("given", [{}, {"subgrupo": 3}, {"tipo": "c", "coluna": "defeitos"}])
async def test_frozen_limits_are_of_the_oldest_rows_though_the_newest_stand_first(
    harness: ToolHarness, tmp_path: Path, given: dict[str, Any]
) -> None:
    random.seed(4)
    rows = [
        f"2026-03-{1 + at // 24:02} {at % 24:02}:00;{random.gauss(80 + 6 * (at > 29), 1):.2f};"
        f"{3 + at % 3 + 9 * (at > 29)}"
        for at in range(60)
    ]
    header = "quando;espessura;defeitos"
    await harness.drop(csv(tmp_path, "antes.csv", header, rows))
    await harness.drop(csv(tmp_path, "depois.csv", header, rows[::-1]))
    asked = {"coluna": "espessura", "congelar": 9, **given}

    first = await harness.use("carta_controlo", conjunto="antes", **asked)
    turned = await harness.use("carta_controlo", conjunto="depois", **asked)

    assert told(turned)["limites"] == told(first)["limites"]
    assert "are the oldest" in " ".join(study_of(turned).doubts)
    assert "are the oldest" not in " ".join(study_of(first).doubts)
    assert (study_of(turned).arguments or {})["ordem"] == "quando"


async def test_the_rows_behind_a_point_can_be_read(harness: ToolHarness, thickness: Path) -> None:
    await harness.drop(thickness)
    conversation = await harness.conversation()
    context = ToolContext(conversation, await harness.conversation_datasets.profiles(conversation))
    tools = harness.program.study_tools
    by_value = study_of(await harness.use("carta_controlo", coluna="espessura"))
    by_lot = study_of(await harness.use("carta_controlo", coluna="espessura", subgrupo="lote"))
    by_day = study_of(await harness.use("carta_controlo", conjunto="defeitos"))

    found = [
        await harness.conversation_datasets.query(
            context, await tools.rows_behind(context, study, point), limit=100
        )
        for study, point in ((by_value, 40), (by_lot, 8), (by_day, 10))
    ]

    assert [row[2] for row in found[0].table.rows] == [140.0]
    assert {row[1] for row in found[1].table.rows} == {9}
    assert len(found[1].table.rows) == 5
    assert {row[1] for row in found[2].table.rows} == {date(2026, 2, 11)}


async def test_what_happens_before_the_production_day_begins_belongs_to_the_day_before(
    harness: ToolHarness, tmp_path: Path
) -> None:
    moments = [datetime(2026, 3, 2, 7) + timedelta(hours=at) for at in range(0, 96, 2)]
    rows = [f"{each:%Y-%m-%d %H:%M};lixo" for each in moments]
    await harness.drop(csv(tmp_path, "maquina.csv", "momento;tipo", rows))
    shifts = {"manha": "06:00", "tarde": "14:00", "noite": "22:00"}

    by_day = study_of(
        await harness.use("carta_controlo", tipo="c", periodo="dia", inicio_dia="06:00")
    )
    by_shift = study_of(
        await harness.use("carta_controlo", tipo="c", periodo="turno", turnos=shifts)
    )

    assert by_day.points is not None
    assert [row[:2] for row in by_day.points.rows][:2] == [
        ("2026-03-02", 12.0),
        ("2026-03-03", 12.0),
    ]
    assert by_shift.points is not None
    assert [row[:2] for row in by_shift.points.rows][:3] == [
        ("2026-03-02 manha", 4.0),
        ("2026-03-02 tarde", 4.0),
        ("2026-03-02 noite", 4.0),
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"coluna": "turno", "tipo": "i"}, "not hold numbers. These do"),
        ({"coluna": "nada"}, "no column"),
        ({"regras": ["nelson9"]}, "no rule"),
        ({"excluir": [{"ponto": "2027-01-01", "motivo": "x"}]}, "no point"),
        ({"onde": "turno = 'nenhum'"}, "No row fits"),
        ({"inicio_dia": "seis"}, "no time of day"),
        ({"volume": 0}, "greater than zero"),
    ],
)
async def test_what_can_not_be_charted_is_said_with_the_next_step(
    harness: ToolHarness, given: dict[str, object], words: str
) -> None:
    with pytest.raises(ToolError, match=words):
        await harness.use("carta_controlo", **given)


async def test_one_hundred_thousand_rows_are_charted(harness: ToolHarness, tmp_path: Path) -> None:
    random.seed(2)
    rows = [f"{random.gauss(10, 1):.4f}" for _ in range(100_000)]
    await harness.drop(csv(tmp_path, "muitos.csv", "medida", rows))

    study = study_of(await harness.use("carta_controlo"))

    assert study.points is not None
    assert len(study.points.rows) == 100_000
    assert study.points.rows[7][1] == float(rows[7])


async def test_the_station_says_when_its_day_and_shifts_begin(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"2026-03-{day:02} {hour:02}:30;x" for day in range(2, 14) for hour in (1, 7, 15, 23)]
    await harness.drop(csv(tmp_path, "paragens.csv", "momento;motivo", rows))
    with pytest.raises(ToolError, match="shift"):
        await harness.use("carta_controlo", tipo="c", periodo="turno")

    live = harness.program.chosen
    live.replace(
        replace(
            live.settings, day_start="06:00", shift_times="manhã 06:00, tarde 14:00, noite 22:00"
        )
    )
    output = await harness.use("carta_controlo", tipo="c", periodo="turno")

    study = study_of(output)
    assert study.arguments is not None
    assert study.arguments["turnos"] == {"manhã": "06:00", "tarde": "14:00", "noite": "22:00"}
    assert study.points is not None
    labels = [str(row[0]) for row in study.points.rows]
    # The first row is of the night before.
    assert labels[0].startswith("2026-03-01")
    assert "noite" in labels[0]


async def test_both_sums_of_a_cusum_are_one_chart_and_each_gives_signals(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(5)
    rows = [f"{random.gauss(10 - 2 * (at > 30), 1):.2f}" for at in range(60)]
    await harness.drop(csv(tmp_path, "cusum.csv", "medida", rows))

    study = study_of(await harness.use("carta_controlo", tipo="cusum", parametros={"alvo": 10}))

    (row,) = study.panels
    (figure,) = row
    assert sum(isinstance(each, Line) and len(each.x) == 60 for each in figure.marks) == 2
    assert study.verdict.startswith("Not stable")
    assert study.points is not None
    lower = [values[-1] for values in study.points.rows]
    assert {each.point for each in study.signals} == {
        at for at, value in enumerate(lower) if isinstance(value, float) and value < -5
    }
    drawn = next(each for each in figure.marks if isinstance(each, Points))
    assert all(height < -5 for height in drawn.y)


async def test_a_run_chart_that_drifts_is_not_called_stable(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"{at % 4 + 3 * (at // 8 % 2):.1f}" for at in range(64)]
    await harness.drop(csv(tmp_path, "deriva.csv", "medida", rows))

    study = study_of(await harness.use("carta_controlo", tipo="run"))

    assert any("cross their median" in each for each in study.doubts)
    assert study.verdict.startswith("Not stable")


async def test_days_are_written_as_days_are(harness: ToolHarness) -> None:
    study = study_of(await harness.use("carta_controlo"))

    assert ("Period", "01/02/2026 - 28/02/2026") in study.facts


async def test_measurements_with_moments_of_their_own_are_named_by_them(
    harness: ToolHarness, tmp_path: Path
) -> None:
    random.seed(6)
    first = datetime(2026, 3, 2, 6, 0)
    rows = [f"{first + timedelta(minutes=30 * at)};{random.gauss(98, 2):.2f}" for at in range(40)]
    rows[20] = rows[20].rpartition(";")[0] + ";131.00"
    await harness.drop(csv(tmp_path, "espessura.csv", "momento;espessura", rows))

    study = study_of(await harness.use("carta_controlo", coluna="espessura"))

    assert "02/03/2026 16:00" in study.verdict
    assert study.points is not None
    assert study.points.rows[20][0] == "2026-03-02 16:00"
    again = study_of(
        await harness.use(
            "carta_controlo",
            coluna="espessura",
            excluir=[{"ponto": "2026-03-02 16:00", "motivo": "gauge"}],
        )
    )
    # The ranges before and after the point left out are left out with it.
    assert not again.tables
    assert again.verdict.startswith("Stable")
    conversation = await harness.conversation()
    context = ToolContext(conversation, await harness.conversation_datasets.profiles(conversation))
    sql = await harness.program.study_tools.rows_behind(context, study, 20)
    found = await harness.conversation_datasets.query(context, sql, limit=9)
    assert [row[1] for row in found.table.rows] == [131.0]


async def test_every_violation_is_listed_with_all_its_rules(
    harness: ToolHarness, tmp_path: Path
) -> None:
    values = [10.0, 10.4, 9.6, 10.2, 9.8] * 5 + [13.0, 13.1, 13.2, 13.3, 13.4]
    await harness.drop(csv(tmp_path, "v.csv", "medida", [f"{each:.2f}" for each in values]))

    study = study_of(await harness.use("carta_controlo", regras=["nelson"]))

    (listed,) = study.tables
    assert listed.row_count >= len(study.signals)
    told = {row[0]: str(row[3]) for row in listed.table.rows if row[1] == "Value"}
    assert len(told) == len(study.signals)
    assert told["28"].count(";") >= 1
    assert {row[1] for row in listed.table.rows} >= {"Value", "Moving range"}


async def test_sigma_is_estimated_as_it_is_named(harness: ToolHarness, thickness: Path) -> None:
    await harness.drop(thickness)
    by_lot = {"coluna": "espessura", "subgrupo": "lote"}

    pooled = await harness.result("carta_controlo", **by_lot, estimador="pooled/c4")
    ranged = await harness.result("carta_controlo", **by_lot, estimador="MVLUE(R/d2)")
    single = await harness.result("carta_controlo", coluna="espessura", estimador="median MR/d4")

    assert pooled["estimador"] == "pooled/c4"
    assert ranged["estimador"] == "MVLUE(R/d2)"
    assert single["estimador"] == "median MR/d4"
    assert pooled["limites"]["sigma"] != ranged["limites"]["sigma"]
    with pytest.raises(ToolError, match="does not fit this chart"):
        await harness.use("carta_controlo", **by_lot, estimador="MRbar/d2")


@pytest.mark.parametrize(
    ("given", "begins"),
    [({}, [11, 21]), ({"subgrupo": 5}, [3, 5]), ({"subgrupo": "grupo"}, [6, 11])],
)
async def test_phases_begin_where_a_column_changes(
    harness: ToolHarness, tmp_path: Path, given: dict[str, Any], begins: list[int]
) -> None:
    rows = [f"{100 + at * 7 % 5 + at // 10};{'ABC'[at // 10]};g{at // 2 + 1}" for at in range(30)]
    await harness.drop(csv(tmp_path, "medidas.csv", "mm;molde;grupo", rows))

    by_column = await harness.use("carta_controlo", coluna="mm", etapas="molde", **given)

    points = begins if given.get("subgrupo") != "grupo" else [f"g{at}" for at in begins]
    by_points = await harness.use("carta_controlo", coluna="mm", etapas=points, **given)
    assert study_of(by_column).points == study_of(by_points).points
    assert len({row[3] for row in study_of(by_column).points.rows}) > 1  # type: ignore[union-attr]


async def test_phases_by_a_column_that_always_changes_are_refused(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"{100 + at * 7 % 5};p{at}" for at in range(60)]
    await harness.drop(csv(tmp_path, "medidas.csv", "mm;peca", rows))

    with pytest.raises(ToolError, match=r"peca.*59 times.*30 phases"):
        await harness.use("carta_controlo", coluna="mm", etapas="peca")
    with pytest.raises(ToolError, match="for measurements"):
        await harness.use("carta_controlo", conjunto="defeitos", etapas="turno")


async def test_an_hour_of_each_day_is_a_subgroup_of_its_own(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [
        f"2026-03-{2 + day:02};{6 + hour:02}:{15 * part:02};{10 + (day + hour + part) % 5 / 10}"
        for day in range(5)
        for hour in range(4)
        for part in range(4)
    ]
    await harness.drop(csv(tmp_path, "banho.csv", "dia;hora;ph", rows))

    by_period = study_of(await harness.use("carta_controlo", coluna="ph", periodo="hora"))
    by_column = study_of(await harness.use("carta_controlo", coluna="ph", subgrupo="hora"))

    for study in (by_period, by_column):
        assert study.points is not None
        assert len(study.points.rows) == 20
        assert study.points.rows[4][0] == "2026-03-03 06:00"


async def test_rows_out_of_order_are_put_into_it_first_and_it_is_said(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [f"2026-03-{day:02};{day / 10}" for day in (9, 2, 7, 4, 1, 8, 3, 6, 5, 10)]
    await harness.drop(csv(tmp_path, "ordem.csv", "dia;valor", rows))

    output = await harness.use("carta_controlo", coluna="valor")

    study = study_of(output)
    assert study.points is not None
    assert [row[1] for row in study.points.rows] == [day / 10 for day in range(1, 11)]
    assert '"dia"' in study.doubts[0]


async def test_a_row_of_readings_is_a_subgroup(harness: ToolHarness, tmp_path: Path) -> None:
    rows = [f"{at};{1 + at % 3};{2 + at % 4};{3 + at % 2}.5" for at in range(1, 13)]
    await harness.drop(csv(tmp_path, "largo.csv", "amostra;x1;x2;x3", rows))

    study = study_of(await harness.use("carta_controlo", tipo="xbar_r"))

    assert study.points is not None
    assert len(study.points.rows) == 12
    assert study.points.rows[0][1] == pytest.approx((2 + 3 + 4.5) / 3)


async def test_an_answer_is_in_the_language_of_the_question(
    harness: ToolHarness, thickness: Path
) -> None:
    await harness.drop(thickness)
    english = study_of(await harness.use("carta_controlo", coluna="espessura", idioma="en"))
    portuguese = study_of(await harness.use("carta_controlo", coluna="espessura", idioma="pt"))

    assert english.facts[0][0] == "Method"
    assert portuguese.facts[0][0] == "Método"
