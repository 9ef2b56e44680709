"""Questions in the middle of an answer: asked, waited for, and never answered by silence."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace

import pytest

from qhub_desktop.chat.turn import TurnRunner
from qhub_desktop.core import asking
from qhub_desktop.core.asking import (
    PersonAnswer,
    Reply,
    Unanswered,
    numbered_options,
    quoted_answer,
    read_answer,
)
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import Done, RoundEnded, TextAdded, ToolStarted, ToolUsed
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import (
    Choice,
    Clarification,
    ToolCall,
    ToolResult,
    ToolSpec,
    unpack_block,
)
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.tool import tools_of
from qhub_desktop.store import Store
from qhub_desktop.tools.asking import AskingTools
from tests.chat.fakes import AGENT, Hold, Person, ScriptedModel, turns_with

ASKER = replace(AGENT, tools=("ask",))
SHIFTS = ["manha", "tarde", "noite"]
SHIFT: JsonObject = {"pergunta": "Qual turno?", "opcoes": [*SHIFTS]}
HURRIED = Settings(heartbeat_s=0.2, question_s=0.3, inactivity_s=1.0, answer_s=30.0)


def ask(number: int = 1, **given: Json) -> ToolCall:
    return ToolCall(f"q{number}", "perguntar_pessoa", {**SHIFT, **given})


def asks(*calls: ToolCall) -> ScriptedModel:
    return ScriptedModel(
        [*calls, RoundEnded("tools")], [TextAdded("Feito."), RoundEnded("complete")]
    )


def runner(store: Store, model: ScriptedModel, settings: Settings | None = None) -> TurnRunner:
    chosen = settings or Settings()
    toolbox = AskingTools(store.questions, lambda: chosen)
    return turns_with(store, model, toolbox=toolbox, agent=ASKER, settings=chosen)


async def new(store: Store) -> ConversationId:
    return (await store.conversations.create(ASKER.id)).id


def told(model: ScriptedModel) -> Sequence[object]:
    """What the model is told of its questions, in the last request."""
    blocks = model.requests[-1].messages[-1].blocks
    return [each.content for each in blocks if isinstance(each, ToolResult)]


async def test_an_answer_reaches_the_model_and_the_question_is_kept(store: Store) -> None:
    async def night(question: Clarification, _hold: Hold) -> Reply:
        assert (await store.questions.of(talk))[0].state == "open"
        return read_answer(question, "noite")

    model, person, talk = asks(ask()), Person(answers=night), await new(store)
    await runner(store, model).reply(talk, "defeitos?", audience=person)

    assert told(model) == [{"estado": "respondida", "opcoes": ["noite"], "texto": ""}]
    (question,) = person.all(Clarification)
    assert (question.call_id, question.wait_s) == ("q1", 300)
    assert person.all(ToolStarted)[0].label
    assert [each.state for each in await store.questions.of(talk)] == ["answered"]
    assert await store.questions.listed() == []
    assert person.saw[-1] == Done("complete")


async def forever(_question: Clarification, _hold: Hold) -> Reply:
    await asyncio.Event().wait()
    return Unanswered("ninguem")


async def skipped(_question: Clarification, _hold: Hold) -> Reply:
    return Unanswered("saltada")


async def nobody(_question: Clarification, _hold: Hold) -> Reply:
    return Unanswered("ninguem")


@pytest.mark.parametrize(
    ("answers", "reason", "state"),
    [(forever, "prazo", "expired"), (skipped, "saltada", "skipped"), (nobody, "ninguem", "open")],
)
async def test_silence_is_no_answer(
    store: Store,
    answers: Callable[[Clarification, Hold], Awaitable[Reply]],
    reason: str,
    state: str,
) -> None:
    model, person, talk = asks(ask()), Person(answers=answers), await new(store)
    await runner(store, model, HURRIED).reply(talk, "defeitos?", audience=person)

    assert told(model) == [{"estado": "sem_resposta", "motivo": reason}]
    assert not any(shift in json.dumps(told(model)) for shift in SHIFTS)
    (question,) = await store.questions.of(talk)
    assert question.state == state
    assert question.can_be_answered == (state != "skipped")
    assert person.saw[-1] == Done("complete")


@pytest.mark.parametrize("reply", [PersonAnswer(("noite",)), Unanswered("saltada")])
async def test_who_answers_second_is_told_so_and_the_answer_is_not_taken(
    store: Store, reply: Reply
) -> None:
    async def after_another_program(_question: Clarification, _hold: Hold) -> Reply:
        other = Store.open(store.path.parent)
        (asked,) = await other.questions.listed()
        with closing(other):
            assert await other.questions.answer(asked.id, PersonAnswer(("manha",)))
            with pytest.raises(UserError):  # the second of two others
                await other.questions.answer(asked.id, PersonAnswer(("tarde",)))
        return reply

    model, person, talk = asks(ask()), Person(answers=after_another_program), await new(store)
    await runner(store, model).reply(talk, "defeitos?", audience=person)

    assert told(model) == [{"estado": "respondida", "opcoes": ["manha"], "texto": ""}]
    assert [each.state for each in await store.questions.of(talk)] == ["answered"]
    assert person.saw[-1] == Done("complete")


async def test_an_answer_given_elsewhere_ends_the_wait_at_once(store: Store) -> None:
    waits = asyncio.Event()
    ended = asyncio.Event()

    async def until_ended(question: Clarification, hold: Hold) -> Reply:
        waits.set()
        try:
            return await forever(question, hold)
        finally:
            ended.set()

    model, person, talk = asks(ask()), Person(answers=until_ended), await new(store)
    turn = asyncio.ensure_future(runner(store, model).reply(talk, "?", audience=person))
    await waits.wait()
    with closing(Store.open(store.path.parent)) as other:
        (asked,) = await other.questions.listed()
        assert await other.questions.answer(asked.id, PersonAnswer(("noite",)))
    async with asyncio.timeout(5):  # of 300 s that the question waits
        await turn

    assert ended.is_set()
    assert told(model) == [{"estado": "respondida", "opcoes": ["noite"], "texto": ""}]
    assert len(await store.messages.latest(talk)) == 2  # no further question, and no further answer


@pytest.mark.parametrize("is_dead", [True, False])
async def test_nothing_is_handed_to_a_program_that_waits_no_more(
    store: Store, *, is_dead: bool
) -> None:
    talk = await new(store)
    with closing(Store.open(store.path.parent)) as asking_program:
        message = await asking_program.messages.add(talk, "assistant")
        asked = await asking_program.questions.add(talk, message.id, QUESTION, most=3)
        assert asked is not None
        if not is_dead:
            await asking_program.questions.settle(asked, Unanswered("ninguem"))
            assert not await store.questions.answer(asked, PersonAnswer(("noite",)))
    if is_dead:
        assert not await store.questions.answer(asked, PersonAnswer(("noite",)))


async def test_time_stands_still_while_somebody_types(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "HOLD_S", 0.2)

    async def slowly(_question: Clarification, hold: Hold) -> Reply:
        for _key in range(20):  # 2 s: past the question's time and the turn's inactivity
            hold()
            await asyncio.sleep(0.1)
        return PersonAnswer(text="o da noite")

    model, person, talk = asks(ask()), Person(answers=slowly), await new(store)
    await runner(store, model, HURRIED).reply(talk, "defeitos?", audience=person)

    assert told(model) == [{"estado": "respondida", "opcoes": [], "texto": "o da noite"}]


async def test_time_goes_on_once_nobody_types(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "HOLD_S", 0.1)

    async def gives_up(question: Clarification, hold: Hold) -> Reply:
        hold()
        return await forever(question, hold)

    model, talk = asks(ask()), await new(store)
    await runner(store, model, HURRIED).reply(talk, "?", audience=Person(answers=gives_up))

    assert told(model) == [{"estado": "sem_resposta", "motivo": "prazo"}]


async def test_the_shorter_of_two_times_holds(store: Store) -> None:
    model, person, talk = asks(ask(prazo_s=15)), Person(answers=skipped), await new(store)
    await runner(store, model).reply(talk, "?", audience=person)

    assert person.all(Clarification)[0].wait_s == 15


async def test_a_stopped_question_can_still_be_answered(store: Store) -> None:
    model, person, talk = asks(ask()), Person(answers=forever), await new(store)
    shown = asyncio.Event()
    person.when = lambda event: shown.set() if isinstance(event, Clarification) else None
    turn = asyncio.ensure_future(runner(store, model).reply(talk, "?", audience=person))
    await shown.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn

    assert person.saw[-1] == Done("cancelled")
    (question,) = await store.questions.listed()
    assert question.state == "expired"
    assert (await store.messages.latest(talk))[-1].end == "cancelled"


async def test_the_fourth_question_is_an_error_of_the_model(store: Store) -> None:
    model, person = asks(*(ask(number) for number in range(4))), Person(answers=skipped)
    talk = await new(store)
    await runner(store, model).reply(talk, "?", audience=person)

    used = person.all(ToolUsed)
    assert [each.result.is_error for each in used] == [False, False, False, True]
    assert len(person.all(Clarification)) == len(await store.questions.of(talk)) == 3


async def test_two_conversations_get_each_its_own_answer(store: Store) -> None:
    waiting = {shift: asyncio.Event() for shift in ("manha", "noite")}

    def answering(shift: str, other: str) -> Person:
        async def wait(question: Clarification, _hold: Hold) -> Reply:
            waiting[shift].set()
            await waiting[other].wait()
            return read_answer(question, shift)

        return Person(answers=wait)

    first, second = asks(ask()), asks(ask())
    async with asyncio.TaskGroup() as group:
        for model, shift, other in ((first, "manha", "noite"), (second, "noite", "manha")):
            turn = runner(store, model)
            group.create_task(turn.reply(await new(store), "?", audience=answering(shift, other)))

    assert "manha" in str(told(first))
    assert "noite" in str(told(second))


async def test_with_the_ability_off_no_model_is_told_of_it(store: Store) -> None:
    offered = {}
    for is_on in (True, False):
        model = ScriptedModel([RoundEnded("complete")])
        settings = Settings(questions=is_on)
        await runner(store, model, settings).reply(await new(store), "?", audience=Person())
        offered[is_on] = [each.name for each in model.requests[0].tools]

    assert offered == {True: ["perguntar_pessoa"], False: []}


def test_the_definition_costs_at_most_200_tokens(store: Store) -> None:
    tool = tools_of(AskingTools(store.questions, Settings))["perguntar_pessoa"]
    spec: ToolSpec = tool.spec
    definition = {
        "name": spec.name,
        "description": spec.description,
        "input_schema": spec.schema,
    }
    assert len(json.dumps(definition, ensure_ascii=False, separators=(",", ":"))) / 3.6 <= 200
    assert (tool.declared.category, tool.declared.risk) == ("ask", "read")
    assert not tool.needs_approval


@pytest.mark.parametrize(
    "given",
    [
        {"pergunta": "x" * 301},
        {"opcoes": [str(n) for n in range(7)]},
        {"opcoes": ["x" * 81]},
        {"prazo_s": 14},
        {"prazo_s": 901},
        {"opcoes": [], "texto_livre": False},
        {"opcoes": ["a", "a"]},
    ],
)
async def test_what_nobody_could_answer_is_not_asked(store: Store, given: JsonObject) -> None:
    model, person, talk = asks(replace(ask(), input={**SHIFT, **given})), Person(), await new(store)
    await runner(store, model).reply(talk, "?", audience=person)

    assert person.all(ToolUsed)[0].result.is_error
    assert person.all(Clarification) == []


QUESTION = Clarification("Qual turno?", tuple(Choice(each, {}) for each in ("manhã", "2", "noite")))


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("noite", PersonAnswer(("noite",))),
        (" MANHA ", PersonAnswer(("manhã",))),
        ("3", PersonAnswer(("noite",))),
        ("2", PersonAnswer(("2",))),
        ("a de ontem", PersonAnswer(text="a de ontem")),
        ("manhã, noite", PersonAnswer(text="manhã, noite")),
    ],
)
def test_words_are_options_where_they_name_one(words: str, answer: PersonAnswer) -> None:
    assert read_answer(QUESTION, words) == answer


def test_several_options_where_several_may_be_chosen() -> None:
    several = replace(QUESTION, is_multiple=True)

    assert read_answer(several, "noite, 1") == PersonAnswer(("noite", "manhã"))
    assert numbered_options(several, [3, 1]) == PersonAnswer(("manhã", "noite"))
    with pytest.raises(UserError):
        numbered_options(QUESTION, [1, 3])
    with pytest.raises(UserError):
        numbered_options(QUESTION, [4])


def test_only_an_option_where_nothing_else_is_taken() -> None:
    with pytest.raises(UserError, match="noite"):
        read_answer(replace(QUESTION, takes_text=False), "talvez")


def test_a_late_answer_quotes_its_question() -> None:
    answer = PersonAnswer(("noite",), "e a tarde")
    assert quoted_answer(QUESTION, answer) == "> Qual turno?\n\nnoite\ne a tarde"


def test_a_question_of_before_still_loads() -> None:
    assert unpack_block({"type": "asked", "text": "Qual?", "choices": []}) == Clarification(
        "Qual?", ()
    )


async def test_a_question_is_answered_once_and_only_by_its_own_person(store: Store) -> None:
    talk = await new(store)
    message = await store.messages.add(talk, "assistant")
    asked = await store.questions.add(talk, message.id, QUESTION, most=3)
    assert asked is not None
    await store.questions.give_up(asked)
    assert not await store.questions.answer(asked, PersonAnswer(("noite",)))
    with pytest.raises(UserError, match="no answer any more"):
        await store.questions.answer(asked, PersonAnswer(("noite",)))
    await store.questions.give_up(asked)
    assert await store.questions.settle(asked, PersonAnswer(("2",))) is None
    assert (await store.questions.find(asked)).state == "answered"

    other = await store.questions.add(talk, message.id, QUESTION, most=3)
    assert other is not None
    await store.conversations.set_deleted(talk, is_deleted=True)
    assert await store.questions.listed() == []
    with pytest.raises(UserError):
        await store.questions.answer(other, PersonAnswer(("noite",)))
