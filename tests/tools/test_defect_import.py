"""A file with columns of its own: confirmed once, counted, brought into the log, taken out."""

from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.core.dataset import DatasetProfile, DefectMapping
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.tools.defects import DefectImporter
from tests.tools.conftest import ToolHarness

HEAD = "Dt. Registo;Shift;Colaborador;Cód. Defeito;Peça/Material;Suporte;Pos."
ROWS = (
    "01/03/2026;M;Júlia;Falta Tinta;ABS Cinza;R10;1",
    "01/03/2026;T;Carlos;Casca de laranja;PP Negro;R11;2",
    "02/03/2026;N;Júlia;Zarcão;PP Negro;R12;3",
    "13/03/2026;N;Pedro;Lixo;ABS Cinza;R12;4",
    "13/03/2026;N;Pedro;Lixo;ABS Cinza;R12;4",
)


def export(folder: Path, *rows: str, name: str = "exportação.csv", head: str = HEAD) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("\n".join((head, *rows)) + "\n", encoding="utf-8")
    return file


async def dropped(harness: ToolHarness, file: Path) -> DatasetProfile:
    await harness.drop(file)
    return (await harness.workspace.load(file))[0]


async def test_a_foreign_export_is_confirmed_counted_added_once_and_taken_back(
    harness: ToolHarness, tmp_path: Path
) -> None:
    log = DefectImporter(harness.store.defects, harness.conversation_datasets)
    file = await dropped(harness, export(tmp_path / "in", *ROWS))
    proposal = await log.proposal(file)
    assert proposal is not None
    assert proposal.unknown == (("tipo_defeito", "Zarcão"),)
    assert (await harness.result("contar_defeitos"))["fonte"] == "defeitos.csv"

    words = (*proposal.mapping.words, ("tipo_defeito", "Zarcão", "outros"))
    mapping = replace(proposal.mapping, words=words)
    await log.confirm(file, mapping)
    counted = await harness.result("contar_defeitos")
    assert counted == {
        "total": 5,
        "por_tipo": {"lixo": 2, "casca_laranja": 1, "falta_tinta": 1, "outros": 1},
        "fonte": "exportação.csv",
    }

    first = await log.append(file, mapping)
    again = await log.append(file, mapping)
    assert (first.added, first.known, first.left_out) == (5, 0, 0)
    assert (again.added, again.known) == (0, 5)
    in_log = await harness.result("consultar_dados", sql="SELECT count(*) AS n FROM defeitos")
    assert in_log["linhas"] == [[205]]

    assert first.id is not None
    assert await log.take_back(first.id) == 5
    in_log = await harness.result("consultar_dados", sql="SELECT count(*) AS n FROM defeitos")
    assert in_log["linhas"] == [[200]]


async def test_a_newer_export_needs_no_confirmation_and_adds_only_what_is_new(
    harness: ToolHarness, tmp_path: Path
) -> None:
    log = DefectImporter(harness.store.defects, harness.conversation_datasets)
    older = await dropped(harness, export(tmp_path / "a", *ROWS))
    proposal = await log.proposal(older)
    assert proposal is not None
    await log.confirm(older, proposal.mapping)
    await log.append(older, proposal.mapping)

    newer = await dropped(
        harness, export(tmp_path / "b", *ROWS, "14/03/2026;1º turno;Rui;Oleo;PP Negro;R10;")
    )
    known = await log.proposal(newer)
    assert known is not None
    assert known.is_confirmed
    added = await log.append(newer, known.mapping)

    assert (added.added, added.known) == (1, 5)
    last = (await harness.store.defects.log()).rows[-1]
    assert last[2:] == ("manha", "Rui", "gordura", "PP Negro", "R10", None)


async def test_counting_translates_filters_and_groups(harness: ToolHarness, tmp_path: Path) -> None:
    log = DefectImporter(harness.store.defects, harness.conversation_datasets)
    file = await dropped(harness, export(tmp_path / "in", *ROWS, "13/03/2026;M;Rui;LIXO;PP;R1;1"))
    proposal = await log.proposal(file)
    assert proposal is not None
    await log.confirm(file, proposal.mapping)

    by_shift = await harness.result("defeitos_por_turno", tipo_defeito="lixo")
    top = await harness.result("top_defeitos", n=1)
    spelled = await harness.result("contar_defeitos", turno="N", tipo_defeito="Falta Tinta")
    since = await harness.result("contar_defeitos", de="2026-03-02", ate="2026-03-12")

    assert by_shift["por_turno"] == {"manha": 1, "noite": 2}
    assert top["top"] == [{"tipo": "lixo", "total": 3, "percentagem": 50.0}]
    assert spelled["total"] == 0
    assert since["por_tipo"] == {"Zarcão": 1}
    with pytest.raises(ToolError, match="lixo"):
        await harness.use("contar_defeitos", tipo_defeito="crateras")


async def test_an_export_in_the_plants_own_words_is_counted_without_asking(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = ("2026-03-01;M;Lixo;R10", "2026-03-02;T;Orange peel;R11", "2026-03-03;N;Dirt;R11")
    await harness.drop(export(tmp_path / "in", *rows, head="Date;Shift;Defect;Rack"))

    counted = await harness.result("contar_defeitos")

    assert counted["por_tipo"] == {"lixo": 2, "casca_laranja": 1}


async def test_the_demo_file_is_in_the_log_already(harness: ToolHarness) -> None:
    from qhub_desktop.core.paths import DEMO_DATA

    log = DefectImporter(harness.store.defects, harness.conversation_datasets)
    file = await dropped(harness, DEMO_DATA / "defeitos.csv")
    proposal = await log.proposal(file)
    assert proposal is not None
    assert proposal.is_certain

    came = await log.append(file, proposal.mapping)

    assert (came.id, came.added, came.known) == (None, 0, 200)


async def test_rows_that_are_no_defects_are_left_out_and_said(
    harness: ToolHarness, tmp_path: Path
) -> None:
    log = DefectImporter(harness.store.defects, harness.conversation_datasets)
    rows = (*ROWS, ";M;Rui;Lixo;PP;R1;1", "14/03/2026;M;Rui;;PP;R1;1")
    file = await dropped(harness, export(tmp_path / "in", *rows))
    proposal = await log.proposal(file)
    assert proposal is not None

    came = await log.append(file, proposal.mapping)

    assert (came.added, came.undated, came.untyped) == (5, 1, 1)


async def test_a_mapping_without_dates_is_refused_with_the_next_step(
    harness: ToolHarness, tmp_path: Path
) -> None:
    log = DefectImporter(harness.store.defects, harness.conversation_datasets)
    file = await dropped(harness, export(tmp_path / "in", *ROWS))
    types = ("tipo_defeito", "Cód. Defeito")

    with pytest.raises(UserError, match="data"):
        await log.append(file, DefectMapping((types,)))
    with pytest.raises(UserError, match="Shift"):
        await log.confirm(file, DefectMapping((types, ("data", "Shift"))))


async def test_the_log_itself_is_not_proposed(harness: ToolHarness) -> None:
    log = DefectImporter(harness.store.defects, harness.conversation_datasets)

    assert await log.proposal(await harness.conversation_datasets.log()) is None
