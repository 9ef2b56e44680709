"""Studies in a conversation: another version appears at its end, and is there the next time."""

from statistics import mean
from typing import Any

from qhub_desktop.core.figure import Figure, Line
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text, ToolCall, ToolResult
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool, tools_of
from qhub_desktop.tools.study_service import StudyService
from qhub_desktop.ui.charts.study_card import StudyView
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.harness import PageHarness
from tests.waiting import until

VALUES = (5.0, 6.0, 5.5, 9.5)


def study_of(excluded: list[dict[str, str]]) -> Study:
    left = {each["ponto"] for each in excluded}
    kept = [value for at, value in enumerate(VALUES, start=1) if str(at) not in left]
    points = Table(
        (Column("point", "integer"), Column("value", "number")), tuple(enumerate(VALUES, start=1))
    )
    line = Line((1.0, 2.0, 3.0, 4.0), VALUES, is_selectable=True)
    return Study(
        "carta_controlo",
        "Thickness",
        f"The mean is {mean(kept):.2f}.",
        panels=((Figure("Values", (line,)),),),
        points=points,
        arguments={"excluir": [{**each} for each in excluded]} if excluded else {},
    )


class MeanTools:
    """A method small enough to be checked by hand."""

    @tool(label="Chart", category="compute", risk="read")
    async def carta_controlo(
        self, context: ToolContext, *, excluir: list[dict[str, str]] | None = None
    ) -> ToolOutput:
        """Média dos pontos que não foram excluídos."""
        return ToolOutput({}, widget=study_of(excluir or []))


class NoDatasets:
    """A conversation without files."""

    async def profiles(self, conversation: ConversationId) -> tuple[Any, ...]:
        return ()


def views(made: PageHarness) -> list[StudyView]:
    return made.view.findChildren(StudyView)


async def test_a_point_left_out_gives_another_version_at_the_end(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    made.page.study_service = lambda: StudyService(
        tools_of(MeanTools()),
        NoDatasets(),  # type: ignore[arg-type]
        made.store.messages,
        made.store.point_notes,
        user="Ana",
    )
    talk = await made.conversation("a chart, please")
    call = ToolCall("call", "carta_controlo", {})
    await made.answered(talk, call, ToolResult("call", {}, study_of([])), Text("Here it is."))
    await made.page.open(talk, made.agent)
    (view,) = views(made)

    window = view.open_exclusion(3)
    window.fields[0].setText("blocked nozzle")
    window.button.click()
    await until(lambda: len(views(made)) == 2)
    await made.idle()

    assert made.questions == ["a chart, please", "Leave point 4 out: blocked nozzle"]
    assert made.answers[-1] == "The mean is 5.50."
    assert [each.study.verdict for each in views(made)] == [
        "The mean is 6.50.",
        "The mean is 5.50.",
    ]
    stored = await made.store.messages.latest(talk.id)
    assert [each.text for each in stored][-2:] == [
        "Leave point 4 out: blocked nozzle",
        "The mean is 5.50.",
    ]
    assert made.errors == []
