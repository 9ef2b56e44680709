"""What a person does with a study that was shown: rows, another version, notes on points."""

from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import cast

import pytest

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.figure import Figure, Line, Points
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.study import Override, Signal, Study, subject_of
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool, tools_of
from qhub_desktop.tools.conversation_document import markdown_of, page_of
from qhub_desktop.tools.studies.report import StudyReports
from qhub_desktop.tools.study_service import StudyService
from tests.tools.conftest import Drawn, ToolHarness

VALUES = {"A": 5.0, "B": 6.0, "C": 5.5, "D": 9.5}


class MeanTools:
    """A method small enough to be checked by hand: values around their mean."""

    @tool(label="Chart", category="compute", risk="read")
    async def carta_controlo(
        self,
        context: ToolContext,
        *,
        coluna: str,
        excluir: list[dict[str, str]] | None = None,
        congelar: int | None = None,
    ) -> ToolOutput:
        """Média dos pontos que não foram excluídos."""
        left = {each["ponto"]: each["motivo"] for each in excluir or ()}
        kept = [value for label, value in VALUES.items() if label not in left]
        if not kept:
            raise UserError("No point is left.")
        given: JsonObject = {"coluna": coluna}
        given |= {"excluir": cast("Json", excluir)} if excluir else {}
        given |= {"congelar": congelar} if congelar else {}
        study = Study(
            "carta_controlo",
            "Thickness",
            f"The mean is {mean(kept):.2f}.",
            points=Table((Column("point", "text"), Column("value", "number")), (*VALUES.items(),)),
            signals=(Signal(3, ("nelson1",), ("1 point beyond 3 sigmas",)),),
            overrides=tuple(Override(f"{each} left out", why, "Ana") for each, why in left.items()),
            arguments=given,
        )
        return ToolOutput({"media": mean(kept)}, widget=study)

    async def rows_behind(self, context: ToolContext, study: Study, point: int, /) -> str:
        """The defects of one rack, by its place among them."""
        racks = "SELECT DISTINCT rack FROM defeitos ORDER BY 1 LIMIT 1"
        return f"SELECT * FROM defeitos WHERE rack = ({racks} OFFSET {point})"


def service_of(harness: ToolHarness, reports: StudyReports | None = None) -> StudyService:
    toolbox = MeanTools()
    return StudyService(
        tools_of(toolbox),
        harness.conversation_datasets,
        harness.store.messages,
        harness.store.point_notes,
        user="Ana",
        points=toolbox,
        reports=reports,
        kept=harness.store.settings,
    )


async def chart(harness: ToolHarness) -> Study:
    context = ToolContext(await harness.conversation(), ())
    output = await tools_of(MeanTools())["carta_controlo"].prepare({"coluna": "x"})(context)
    assert isinstance(output.widget, Study)
    return output.widget


async def test_a_version_without_a_point_is_stored_before_it_is_shown(
    harness: ToolHarness,
) -> None:
    service, study, talk = service_of(harness), await chart(harness), await harness.conversation()

    question, answer = await service.exclude(talk, study, 3, " blocked  nozzle ")

    stored = await harness.store.messages.latest(talk)
    assert [each.id for each in stored] == [question.id, answer.id]
    assert stored[1].end == "complete"
    (result,) = [each for each in stored[1].blocks if isinstance(each, ToolResult)]
    assert isinstance(result.widget, Study)
    assert result.widget.verdict == "The mean is 5.50."
    assert result.widget.overrides == (Override("D left out", "blocked nozzle", "Ana"),)
    assert result.widget.arguments == {
        "coluna": "x",
        "excluir": [{"ponto": "D", "motivo": "blocked nozzle"}],
    }


async def test_a_second_point_is_left_out_beside_the_first(harness: ToolHarness) -> None:
    service, study, talk = service_of(harness), await chart(harness), await harness.conversation()
    _question, answer = await service.exclude(talk, study, 3, "nozzle")
    (first,) = [each.widget for each in answer.blocks if isinstance(each, ToolResult)]
    assert isinstance(first, Study)

    _question, answer = await service.exclude(talk, first, 1, "filter")

    (second,) = [each.widget for each in answer.blocks if isinstance(each, ToolResult)]
    assert isinstance(second, Study)
    assert second.verdict == "The mean is 5.25."
    assert len(second.overrides) == 2


async def test_nothing_is_stored_of_a_version_that_can_not_be(harness: ToolHarness) -> None:
    service, study, talk = service_of(harness), await chart(harness), await harness.conversation()
    others: Json = [{"ponto": each, "motivo": "x"} for each in "ABC"]
    last = replace(study, arguments={"coluna": "x", "excluir": others})

    with pytest.raises(UserError, match="for a reason"):
        await service.exclude(talk, study, 3, "  ")
    with pytest.raises(UserError, match="No point"):
        await service.exclude(talk, last, 3, "nozzle")
    with pytest.raises(UserError, match="outro_estudo"):
        await service.exclude(talk, replace(study, method="outro_estudo"), 3, "nozzle")

    assert await harness.store.messages.latest(talk) == []


async def test_limits_are_frozen_at_the_points_that_are_there(harness: ToolHarness) -> None:
    service, study, talk = service_of(harness), await chart(harness), await harness.conversation()
    assert study.can_freeze

    _question, answer = await service.freeze(talk, study)

    (frozen,) = [each.widget for each in answer.blocks if isinstance(each, ToolResult)]
    assert isinstance(frozen, Study)
    assert frozen.arguments == {"coluna": "x", "congelar": 4}
    assert not frozen.can_freeze


async def test_a_note_is_found_in_every_version_of_its_chart(harness: ToolHarness) -> None:
    service, study, talk = service_of(harness), await chart(harness), await harness.conversation()
    await service.note(study, 3, cause="nozzle", action="cleaned")
    _question, answer = await service.exclude(talk, study, 3, "nozzle")
    (other,) = [each.widget for each in answer.blocks if isinstance(each, ToolResult)]
    assert isinstance(other, Study)

    (note,) = await service.notes(other)

    assert (note.label, note.cause, note.action, note.by) == ("D", "nozzle", "cleaned", "Ana")
    assert note.at.tzinfo is not None
    assert subject_of(other) != subject_of(replace(study, arguments={"coluna": "y"}))
    with pytest.raises(UserError):
        await service.note(study, 3, cause=" ", action="")


async def test_the_rows_behind_a_point_are_found(harness: ToolHarness) -> None:
    service, study = service_of(harness), await chart(harness)

    view = await service.rows(await harness.conversation(), study, 0)

    assert view.row_count == len(view.table.rows) > 0
    assert len(set(view.table.cells("rack"))) == 1


async def test_a_stored_study_is_read_back_whole_and_written_with_its_conversation(
    harness: ToolHarness,
) -> None:
    study, talk = await chart(harness), await harness.conversation()
    panel = Figure(
        "Chart",
        (
            Line((1.0, 2.0), (5.0, 6.0), label="UCL = 6.00", role="limit", is_selectable=True),
            Points((2.0,), (6.0,), role="bad", labels=("1",)),
        ),
    )
    whole = replace(study, doubts=("Only 4 points.",), panels=((panel, panel),))
    result = ToolResult("call", None, whole)
    call = ToolCall("call", study.method, {"coluna": "x"})
    await harness.store.messages.add(talk, "assistant", (call, result))

    messages = await harness.store.messages.latest(talk)
    (stored,) = [each for each in messages[0].blocks if isinstance(each, ToolResult)]
    told = await harness.store.conversations.find(talk)
    lines = "\n".join(markdown_of(told, messages, agent="A", tools={}))
    page = page_of(told, messages, agent="A", tools={})
    paper = page.document

    assert stored.widget == whole
    assert lines.index("Only 4 points") < lines.index("The mean is")
    assert "| D | 9" in lines
    assert paper.count('data-drawing="w0"') == 1
    assert page.drawings == {"w0": whole.panels}
    assert paper.index("Only 4 points") < paper.index("The mean is")


async def test_a_report_carries_the_notes_on_points(harness: ToolHarness, tmp_path: Path) -> None:
    study, talk = await chart(harness), await harness.conversation()
    printer = Drawn()
    service = service_of(harness, StudyReports(harness.workspace.exports, printer))
    await service.note(study, 3, cause="bico gasto", action="trocado")

    files = await service.report(talk, study, tmp_path / "Espessura.pdf")

    assert [each.name for each in files] == ["Espessura.pdf", "Espessura.xlsx"]
    assert all(each.stat().st_size for each in files)
    assert "bico gasto" in printer.pages[0].document
    assert "Ana" in printer.pages[0].document


async def test_the_head_of_a_report_is_remembered_for_its_characteristic(
    harness: ToolHarness, tmp_path: Path
) -> None:
    study, talk, printer = await chart(harness), await harness.conversation(), Drawn()
    service = service_of(harness, StudyReports(harness.workspace.exports, printer))
    head = {**await service.head(study), "part": "Bumper", "number": "5G0 rev. C"}
    assert head["characteristic"] == "x"

    await service.report(talk, study, tmp_path / "page.pdf", head)
    await service.report(talk, study, tmp_path / "whole.pdf")

    assert await service.head(study) == head
    other = replace(study, arguments={"coluna": "y"})
    assert (await service.head(other))["part"] == ""
    page, whole = printer.pages
    assert "<td>Bumper</td>" in page.document
    assert "<td>5G0 rev. C</td>" in whole.document
    assert page.foot.startswith("Bumper 5G0 rev. C · Ana")
