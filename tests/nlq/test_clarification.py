"""Words with several readings: asked back once, then read as was chosen."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.events import ApprovalAsked, ChatEvent, TextAdded, ToolUsed
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Chip, Clarification, Interpretation, plan_of_call
from tests.unasked import Unasked

OVENS = "Turno;Temp_Estufa_1;Temp_Estufa_2\n"
JANUARY = OVENS + "Manhã;80,5;90,5\nNoite;82,5;94,5\nNoite;84,5;95,5\n"
MARCH = (
    "Temp_Estufa_2;Turno;Temp_Estufa_1\n" + "97,5;Tarde;70,5\n98,5;Tarde;71,5\n99,5;Noite;72,5\n"
)
OTHER = "Turno;Temp_Estufa_1;Temp_Estufa_2;Skid\n" + "Manhã;80,5;90,5;A\nNoite;82,5;94,5;B\n"
QUESTION = "qual a temperatura média?"


@dataclass
class Heard(Unasked):
    """What a person saw of one answer."""

    text: str = ""
    asked: Clarification | None = None
    chips: tuple[Chip, ...] = ()
    others: Sequence[str] = ()
    queries: list[str] = field(default_factory=list)

    def show(self, event: ChatEvent) -> None:
        match event:
            case TextAdded(text):
                self.text += text
            case Clarification():
                self.asked = event
            case Interpretation(chips=chips, others=others):
                self.chips, self.others = chips, [each.label for each in others]
            case ToolUsed(call):
                self.queries.append(str(call.input))

    async def approve(self, request: ApprovalAsked) -> None:
        raise AssertionError(request)

    @property
    def words(self) -> list[Chip]:
        return [chip for chip in self.chips if chip.part == "reading"]


class Station:
    """The real program, and the conversations held with it."""

    def __init__(self, program: Program) -> None:
        self._program = program

    async def load(self, file: Path, text: str) -> tuple[DatasetProfile, ...]:
        await asyncio.to_thread(file.write_text, text, encoding="utf-8")
        return await self._program.workspace.load(file)

    async def talk(self, *profiles: DatasetProfile) -> ConversationId:
        talk = (await self._program.store.conversations.create(DEFAULT_AGENT)).id
        for profile in profiles:
            await self._program.store.datasets.pin(talk, profile.id, profile.dataset)
        return talk

    async def ask(
        self, talk: ConversationId, question: str, wanted: JsonObject | None = None
    ) -> Heard:
        heard = Heard()
        await self._program.turns.reply(talk, question, audience=heard, wanted=wanted)
        return heard


@asynccontextmanager
async def station() -> AsyncIterator[Station]:
    program = Program(engine="offline")
    try:
        yield Station(program)
    finally:
        await program.close()


async def test_a_choice_is_remembered_for_other_files_of_the_same_columns(
    home: Path, tmp_path: Path
) -> None:
    async with station() as here:
        talk = await here.talk(*await here.load(tmp_path / "janeiro.csv", JANUARY))
        back = await here.ask(talk, QUESTION)
        assert back.asked is not None
        assert not back.words  # nothing has been chosen that could be changed
        wanted = next(each for each in back.asked.choices if each.label == "Temp_Estufa_2")
        first = await here.ask(talk, wanted.label, wanted.plan)

    assert "93,5" in first.text
    assert "“temperatura”: Temp_Estufa_2, e a partir de agora" in first.text

    async with station() as here:  # also after a restart
        march = await here.load(tmp_path / "março.csv", MARCH)
        again = await here.ask(await here.talk(*march), QUESTION)
        plural = await here.ask(await here.talk(*march), "e as temperaturas, em média, por turno?")

    assert again.asked is None
    assert "98,5" in again.text
    assert "“temperatura”: Temp_Estufa_2, como escolheu antes." in again.text
    assert [chip.label for chip in again.words] == ["“temperatura”: Temp_Estufa_2"]
    assert "“temperaturas”: Temp_Estufa_2, como escolheu antes." in plural.text


async def test_data_of_other_columns_is_asked_about_anew(home: Path, tmp_path: Path) -> None:
    async with station() as here:
        talk = await here.talk(*await here.load(tmp_path / "janeiro.csv", JANUARY))
        back = await here.ask(talk, QUESTION)
        assert back.asked is not None
        await here.ask(talk, back.asked.choices[0].label, back.asked.choices[0].plan)

        others = await here.load(tmp_path / "outro.csv", OTHER)
        heard = await here.ask(await here.talk(*others), QUESTION)

    assert heard.asked is not None
    assert [each.label for each in heard.asked.choices] == ["Temp_Estufa_1", "Temp_Estufa_2"]


async def test_another_choice_takes_the_place_of_the_first(home: Path, tmp_path: Path) -> None:
    async with station() as here:
        january = await here.load(tmp_path / "janeiro.csv", JANUARY)
        talk = await here.talk(*january)
        back = await here.ask(talk, QUESTION)
        assert back.asked is not None
        first = await here.ask(talk, back.asked.choices[0].label, back.asked.choices[0].plan)
        other = first.words[0].choices[0]
        assert other.label == "Temp_Estufa_2"
        await here.ask(talk, other.label, other.plan)

        again = await here.ask(await here.talk(*january), QUESTION)

    assert "“temperatura”: Temp_Estufa_2, como escolheu antes." in again.text
    assert "93,5" in again.text


async def test_changing_the_measure_right_after_a_doubt_is_such_a_choice(
    home: Path, tmp_path: Path
) -> None:
    async with station() as here:
        january = await here.load(tmp_path / "janeiro.csv", JANUARY)
        talk = await here.talk(*january)
        back = await here.ask(talk, QUESTION)
        assert back.asked is not None
        first = await here.ask(talk, back.asked.choices[0].label, back.asked.choices[0].plan)
        measure = next(chip for chip in first.chips if chip.part == "measure")
        other = next(each for each in measure.choices if "Estufa 2" in each.label)
        changed = await here.ask(talk, other.label, other.plan)
        assert "e a partir de agora" in changed.text

        again = await here.ask(await here.talk(*january), QUESTION)

    assert "93,5" in again.text


async def test_a_part_of_several_values_is_remembered_too(home: Path) -> None:
    async with station() as here:
        talk = await here.talk()
        back = await here.ask(talk, "quantos defeitos em PP?")
        assert back.asked is not None
        red = next(each for each in back.asked.choices if each.label == "PP_Vermelho")
        chosen = await here.ask(talk, red.label, red.plan)
        again = await here.ask(await here.talk(), "defeitos de PP por turno")

    assert "PP_Vermelho" in chosen.queries[0]
    assert again.asked is None
    assert all("PP_Vermelho" in query for query in again.queries)
    assert "“PP”: PP_Vermelho, como escolheu antes." in again.text


async def test_a_choice_keeps_the_days_of_the_question(home: Path) -> None:
    async with station() as here:
        talk = await here.talk()
        asked = await here.ask(talk, "quantos defeitos entre 3/2/2026 e 9/2/2026 por turno?")
        parts = next(chip for chip in asked.chips if chip.part == "dimension")
        other = next(each for each in parts.choices if each.plan)
        chosen = await here.ask(talk, other.label, other.plan)

    assert "2026-02-03" in chosen.queries[0]
    assert [chip.label for chip in chosen.chips if chip.part == "period"] == [
        chip.label for chip in asked.chips if chip.part == "period"
    ]


async def test_what_follows_up_on_a_remembered_reading_says_nothing_of_it(
    home: Path, tmp_path: Path
) -> None:
    async with station() as here:
        talk = await here.talk(*await here.load(tmp_path / "janeiro.csv", JANUARY))
        back = await here.ask(talk, QUESTION)
        assert back.asked is not None
        await here.ask(talk, back.asked.choices[1].label, back.asked.choices[1].plan)
        followed = await here.ask(talk, "e por turno?")

    assert "escolheu" not in followed.text
    assert "95" in followed.text  # of the night: Temp_Estufa_2


@pytest.mark.parametrize("question", ["volta atrás", "desfaz"])
async def test_a_choice_is_one_step_to_go_back_by(
    home: Path, tmp_path: Path, question: str
) -> None:
    async with station() as here:
        talk = await here.talk(*await here.load(tmp_path / "janeiro.csv", JANUARY))
        await here.ask(talk, "quantas linhas há por turno?")
        back = await here.ask(talk, QUESTION)
        assert back.asked is not None
        await here.ask(talk, back.asked.choices[1].label, back.asked.choices[1].plan)
        undone = await here.ask(talk, question)

    assert not undone.words
    assert any(chip.part == "dimension" and chip.label == "turno" for chip in undone.chips)


async def test_a_tool_call_is_made_once_more_and_the_topic_stays(
    home: Path, tmp_path: Path
) -> None:
    async with station() as here:
        profiles = await here.load(tmp_path / "janeiro.csv", JANUARY)
        talk = await here.talk(*profiles)
        await here.ask(talk, "quantas linhas há?")
        name = profiles[0].dataset
        plan = plan_of_call("consultar_dados", {"sql": f"SELECT count(*) AS n FROM {name}"})
        again = await here.ask(talk, "Executar de novo: máximo de temperatura", plan)
        broken = await here.ask(
            talk, "Executar de novo", plan_of_call("consultar_dados", {"sql": "x"})
        )
        missing = await here.ask(talk, "Executar de novo", plan_of_call("nenhuma", {}))

    assert [f"FROM {name}" in each for each in again.queries] == [True]
    assert again.text == "Executado de novo, com os dados de agora."
    assert not again.chips
    assert broken.text.startswith("Desta vez não resultou: ")
    assert "`nenhuma`" in missing.text


async def test_when_a_fiscal_year_begins_is_asked_once(home: Path, tmp_path: Path) -> None:
    lines = "".join(
        f"{year}-{month:02}-15;{month}\n" for year in (2024, 2025) for month in range(1, 13)
    )
    async with station() as here:
        talk = await here.talk(*await here.load(tmp_path / "vendas.csv", "Data;Montante\n" + lines))
        first = await here.ask(talk, "soma do montante no ano fiscal 2025?")
        assert first.asked is not None
        named = {each.label: each for each in first.asked.choices}
        chosen = named["01/04 – 31/03"]
        said = await here.ask(talk, chosen.label, chosen.plan)
        again = await here.ask(talk, "total montante in FY25?")

        assert "78" in said.text  # twelve months of a line each, whichever year they are of
        assert again.asked is None
        assert "01/04/2024" in again.text
        assert "31/03/2025" in again.text


async def test_a_reading_of_a_whole_question_is_remembered_with_the_columns(
    home: Path, tmp_path: Path
) -> None:
    asked = "temp estufa 1 brumosa por turno"
    async with station() as here:
        talk = await here.talk(*await here.load(tmp_path / "janeiro.csv", JANUARY))
        back = await here.ask(talk, asked)
        assert back.asked is not None
        assert len(back.asked.choices) > 1
        wanted = back.asked.choices[1]
        first = await here.ask(talk, wanted.label, wanted.plan)
        assert f"{wanted.label}, e a partir de agora" in first.text

        march = await here.talk(*await here.load(tmp_path / "março.csv", MARCH))
        other = await here.talk(*await here.load(tmp_path / "outro.csv", OTHER))
        again, elsewhere = await here.ask(march, asked), await here.ask(other, asked)

    assert again.asked is None
    assert f"{wanted.label}, como escolheu antes" in again.text
    assert back.asked.choices[0].label in again.others  # and may be chosen anew
    assert not again.words
    assert elsewhere.asked is not None
