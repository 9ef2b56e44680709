from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.ids import NO_CONVERSATION
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.table import Table
from qhub_desktop.core.tool import ToolContext
from tests.tools.conftest import ToolHarness

LOG = pd.read_csv(DEMO_DATA / "defeitos.csv", parse_dates=["data"])


async def test_counts_are_those_of_the_whole_log(harness: ToolHarness) -> None:
    counted = await harness.result("contar_defeitos")

    assert counted["total"] == 200
    assert counted["por_tipo"] == LOG["tipo_defeito"].value_counts().to_dict()
    assert next(iter(counted["por_tipo"])) == "lixo"


async def test_filters_agree_with_pandas_however_the_values_are_written(
    harness: ToolHarness,
) -> None:
    counted = await harness.result(
        "contar_defeitos", turno="Manhã", material="pp negro", de="2026-02-05", ate="2026-02-20"
    )

    chosen = LOG[
        (LOG["turno"] == "manha")
        & (LOG["material"] == "PP_Negro")
        & LOG["data"].between("2026-02-05", "2026-02-20")
    ]
    assert counted["total"] == len(chosen) > 0


async def test_the_top_has_shares_of_what_was_filtered(harness: ToolHarness) -> None:
    top = await harness.result("top_defeitos", n=2, turno="noite")

    night = LOG[LOG["turno"] == "noite"]["tipo_defeito"].value_counts()
    assert top["total"] == 59
    assert top["top"][0] == {
        "tipo": "lixo",
        "total": int(night["lixo"]),
        "percentagem": round(100 * int(night["lixo"]) / 59, 1),
    }
    assert len(top["top"]) == 2


async def test_shifts_come_in_the_order_of_the_day_with_a_cross_table(harness: ToolHarness) -> None:
    outcome = await harness.use("defeitos_por_turno")

    assert isinstance(outcome.content, dict)
    assert list(outcome.content["por_turno"].items()) == [  # type: ignore[union-attr]
        ("manha", 73),
        ("tarde", 68),
        ("noite", 59),
    ]
    crossed = pd.crosstab(LOG["tipo_defeito"], LOG["turno"])
    assert outcome.content["por_tipo"]["lixo"] == crossed.loc["lixo"].to_dict()  # type: ignore[index,call-overload]
    assert outcome.source is not None
    assert (outcome.source.rows_used, outcome.source.rows_total) == (200, 200)


async def test_a_value_that_is_not_in_the_data_is_an_error_that_names_those_that_are(
    harness: ToolHarness,
) -> None:
    with pytest.raises(ToolError, match='"manha", "tarde", "noite"'):
        await harness.use("contar_defeitos", turno="madrugada")


async def test_none_of_a_value_that_exists_is_an_honest_zero(harness: ToolHarness) -> None:
    counted = await harness.result("contar_defeitos", tipo_defeito="lixo", de="2027-01-01")

    assert counted["total"] == 0


async def test_a_dropped_export_is_counted_instead_of_the_log(
    harness: ToolHarness, tmp_path: Path
) -> None:
    export = tmp_path / "março.csv"
    export.write_text("Tipo Defeito;Turno\nlixo;Manhã\nlixo;Noite\nrisco;Noite\n", "utf-8")
    await harness.drop(export)

    counted = await harness.result("contar_defeitos", turno="noite")

    assert counted == {"total": 2, "por_tipo": {"lixo": 1, "risco": 1}, "fonte": "março.csv"}
    with pytest.raises(ToolError, match="material"):
        await harness.use("contar_defeitos", material="ABS")


async def test_a_reported_defect_is_counted_from_then_on(harness: ToolHarness) -> None:
    written = await harness.result(
        "registar_defeito",
        tipo_defeito="crateras",
        turno="tarde",
        operador="Julia",
        material="ABS_Cinza",
        rack="R10",
        posicao=4,
        data="2026-03-02",
    )
    counted = await harness.result("contar_defeitos")
    asked = await harness.result("consultar_dados", sql="SELECT max(id) AS n FROM defeitos")

    assert written["id"] == 201
    assert counted["total"] == 201
    assert asked["linhas"] == [[201]]
    assert list((await harness.store.defects.log()).cells("data"))[-1] == date(2026, 3, 2)


async def test_a_defect_recorded_while_the_log_is_read_is_counted_too(
    harness: ToolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = harness.workspace.register
    report: JsonObject = {
        "tipo_defeito": "lixo",
        "turno": "noite",
        "operador": "Rui",
        "material": "ABS",
        "rack": "R1",
        "posicao": 3,
    }

    async def slow(dataset_id: str, name: str, rows: Table) -> DatasetProfile:
        monkeypatch.setattr(harness.workspace, "register", register)
        context = ToolContext(NO_CONVERSATION, ())
        await harness.tools["registar_defeito"].prepare({**report})(context)
        return await register(dataset_id, name, rows)

    monkeypatch.setattr(harness.workspace, "register", slow)

    assert (await harness.conversation_datasets.log()).rows == 201


async def test_quotes_in_a_value_are_only_quotes(harness: ToolHarness) -> None:
    with pytest.raises(ToolError, match="Julia"):
        await harness.use("contar_defeitos", operador="x' OR '1'='1")
