import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from qhub_desktop.chat.agents import Agent, Rule
from qhub_desktop.chat.rounds import NOT_RUN, STOPPED
from qhub_desktop.chat.turn import trim_history
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import Fault, ServiceError, UserError
from qhub_desktop.core.events import (
    Answering,
    ApprovalAsked,
    ArtifactShown,
    ChatEvent,
    Done,
    ErrorHappened,
    RoundEnded,
    StatusChanged,
    TextAdded,
    ToolStarted,
    ToolUsed,
    UsageCounted,
    WidgetShown,
)
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import (
    CHANGED_INPUT,
    Block,
    Message,
    Notice,
    NumberCheck,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, ScriptedModel, Step, Toolbox, turns_with
from tests.chat.requests import claude_at
from tests.store.test_people import account
from tests.waiting import LOOK_S, PATIENCE_S
from tests.wire import WireServer, answer, calls
from tests.wire.scenes import Scene

COMPLETE = RoundEnded("complete")
TOOLS = RoundEnded("tools")


def call(name: str, given: JsonObject | None = None, id_: str = "c1") -> ToolCall:
    return ToolCall(id_, name, given or {})


async def answer_of(store: Store, conversation: ConversationId) -> Message:
    return (await store.messages.latest(conversation))[-1]


async def until_on_disk(store: Store, conversation: ConversationId, words: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            messages = await store.messages.latest(conversation)
            if any(message.text == words for message in messages):
                return
            await asyncio.sleep(LOOK_S)


async def new(store: Store) -> ConversationId:
    return (await store.conversations.create(AGENT.id)).id


async def test_question_and_answer_are_stored_and_shown(store: Store) -> None:
    model = ScriptedModel([Answering("m"), TextAdded("Bom "), TextAdded("dia."), COMPLETE])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "olá", audience=person)

    question, answer = await store.messages.latest(talk)
    assert question.blocks == (Text("olá"),)
    assert (answer.blocks, answer.end, answer.engine) == ((Text("Bom dia."),), "complete", "m")
    assert person.saw == [TextAdded("Bom "), TextAdded("dia."), Done("complete")]


async def test_a_tool_runs_and_its_result_reaches_model_person_and_disk(store: Store) -> None:
    model = ScriptedModel(
        [TextAdded("Somo."), call("somar", {"valores": [1, 2]}), TOOLS],
        [TextAdded("São 3."), COMPLETE],
    )
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "1+2?", audience=person)

    last = model.requests[1].messages[-1]
    assert isinstance(last.blocks[2], ToolResult)
    assert last.blocks[2].content == {"soma": 3}
    (used,) = person.all(ToolUsed)
    assert (used.call.name, used.result.content) == ("somar", {"soma": 3})
    assert not used.result.is_error
    assert person.saw.index(person.all(ToolStarted)[0]) < person.saw.index(used)
    assert person.all(ToolStarted)[0].label == "A somar…"
    kinds = [type(block) for block in (await answer_of(store, talk)).blocks]
    assert kinds == [Text, ToolCall, ToolResult, Text, NumberCheck]


async def test_a_result_without_measure_is_stored_and_sent_in_part_and_shown_whole(
    store: Store, folder: Path
) -> None:
    total = 10_000
    script: list[Scene] = [calls(("despejar", {"linhas": total})), answer("Vi."), answer("Fim.")]
    person = Person()
    talk = await new(store)
    with WireServer(script) as server:
        async with claude_at(server.url) as claude:
            turns = turns_with(store, claude)
            await turns.reply(talk, "Mostra tudo.", audience=person)
            await turns.reply(talk, "E agora?", audience=person)

    assert [each.reason for each in person.all(Done)] == ["complete", "complete"]
    for request in server.requests[1:]:
        (sent,) = [
            block["content"]
            for message in request.body["messages"]
            for block in message["content"]
            if block["type"] == "tool_result"
        ]
        assert len(sent) <= 20_000
        assert "cortado" in sent
    stored = (await store.messages.latest(talk))[1].blocks[1]
    assert isinstance(stored, ToolResult)
    assert len(str(stored.content)) <= 20_000
    (shown,) = person.all(WidgetShown)
    assert isinstance(shown.widget, TableView)
    assert len(shown.widget.table.rows) == total
    assert stored.widget == shown.widget


async def test_a_widget_is_on_disk_before_it_is_shown(store: Store) -> None:
    model = ScriptedModel([call("mostrar", {"titulo": "T"}), TOOLS], [COMPLETE])
    person = Person()
    talk = await new(store)
    on_disk: list[asyncio.Task[Message]] = []

    def look(event: ChatEvent) -> None:
        if isinstance(event, WidgetShown):
            on_disk.append(asyncio.ensure_future(answer_of(store, talk)))

    person.when = look
    await turns_with(store, model).reply(talk, "mostra", audience=person)

    result = (await on_disk[0]).blocks[1]
    assert isinstance(result, ToolResult)
    assert result.widget is not None


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("somar", {"valores": []}, "valores"),
        ("somar", {"valores": ["x"], "extra": 1}, "extra"),
        ("inexistente", {}, "somar"),
        ("falhar", {}, "outra forma"),
    ],
)
async def test_a_call_that_cannot_be_run_goes_back_to_the_model_as_an_error(
    store: Store, name: str, given: JsonObject, words: str
) -> None:
    model = ScriptedModel([call(name, given), TOOLS], [TextAdded("Desculpe."), COMPLETE])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    (used,) = person.all(ToolUsed)
    assert used.result.is_error
    assert words in str(used.result.content)
    assert person.saw[-1] == Done("complete")


@pytest.mark.parametrize(("says", "written"), [(True, ["x"]), (False, [])])
async def test_nothing_is_written_without_the_persons_word(
    store: Store, says: bool, written: list[str]
) -> None:
    toolbox = Toolbox()
    model = ScriptedModel([call("gravar", {"palavra": "x"}), TOOLS], [COMPLETE])
    person = Person(says=says)

    turns = turns_with(store, model, toolbox=toolbox)
    await turns.reply(await new(store), "grava", audience=person)

    assert person.all(ApprovalAsked)[0].call.input == {"palavra": "x"}
    assert toolbox.written == written


CODE = call("calcular", {"codigo": "1 + 1", "descricao": "Soma"})


@pytest.mark.parametrize(
    ("settings", "agent", "is_asked"),
    [
        (Settings(), AGENT, False),
        (Settings(python="ask"), AGENT, True),
        (Settings(), replace(AGENT, rules={"calcular": "ask"}), True),
    ],
)
async def test_code_asks_first_where_the_settings_or_the_agent_say_so(
    store: Store, settings: Settings, agent: Agent, is_asked: bool
) -> None:
    toolbox, person = Toolbox(), Person(says=False)
    model = ScriptedModel([CODE, TOOLS], [COMPLETE])
    turns = turns_with(store, model, toolbox=toolbox, settings=settings, agent=agent)

    await turns.reply(await new(store), "soma", audience=person)

    assert [each.code for each in person.all(ApprovalAsked)] == ["codigo"] * is_asked
    assert toolbox.written == ([] if is_asked else ["1 + 1"])


@pytest.mark.parametrize("says", [True, False])
async def test_what_a_person_allows_or_refuses_stands_in_the_log(store: Store, says: bool) -> None:
    person = Person(says=says, changed={"codigo": "2 + 2"})
    turns = turns_with(
        store,
        ScriptedModel([CODE, TOOLS], [COMPLETE]),
        settings=Settings(python="ask"),
    )
    conversation = await new(store)

    await turns.reply(conversation, "soma", audience=person)

    (told,) = await store.audit.listed()
    assert (told.action, told.subject) == ("approved" if says else "declined", "calcular")
    assert told.detail["conversation"] == conversation
    changed = told.detail.get("changed")
    assert (isinstance(changed, dict) and changed["codigo"] == "2 + 2") is says


async def test_code_that_may_never_run_is_not_offered(store: Store) -> None:
    toolbox = Toolbox()
    model = ScriptedModel([CODE, TOOLS], [COMPLETE])
    turns = turns_with(store, model, toolbox=toolbox, settings=Settings(python="off"))

    await turns.reply(await new(store), "soma", audience=Person())

    assert "calcular" not in [each.name for each in model.requests[0].tools]
    assert toolbox.written == []


@pytest.mark.parametrize("code", ["2 + 2", "isto falha"])
async def test_changed_code_runs_and_is_in_the_record(store: Store, code: str) -> None:
    toolbox, person = Toolbox(), Person(changed={"codigo": code})
    model = ScriptedModel([CODE, TOOLS], [COMPLETE])
    turns = turns_with(store, model, toolbox=toolbox, settings=Settings(python="ask"))
    conversation = await new(store)

    await turns.reply(conversation, "soma", audience=person)

    stored = (await answer_of(store, conversation)).blocks
    made, result = stored[0], stored[1]
    assert isinstance(made, ToolCall)
    assert made.input == CODE.input
    assert isinstance(result, ToolResult)
    assert isinstance(result.content, dict)
    assert result.content[CHANGED_INPUT] == {"codigo": code, "descricao": "Soma"}
    assert toolbox.written == ([] if result.is_error else ["2 + 2"])


async def test_wrong_input_is_refused_before_the_person_is_asked(store: Store) -> None:
    model = ScriptedModel([call("gravar", {"palavra": 5}), TOOLS], [COMPLETE])
    person = Person()

    await turns_with(store, model).reply(await new(store), "grava", audience=person)

    assert not person.all(ApprovalAsked)
    assert person.all(ToolUsed)[0].result.is_error


async def test_a_person_who_does_not_decide_in_time_has_said_no(store: Store) -> None:
    toolbox = Toolbox()
    model = ScriptedModel([call("gravar", {"palavra": "x"}), TOOLS], [COMPLETE])
    settings = Settings(heartbeat_s=0.2, question_s=0.3)

    turns = turns_with(store, model, toolbox=toolbox, settings=settings)
    await turns.reply(await new(store), "grava", audience=Person(says=None))

    assert toolbox.written == []


async def test_the_answer_stops_after_the_rounds_it_may_take(store: Store) -> None:
    rounds: list[list[Step]] = [[call("somar", {"valores": [1]}, f"c{n}"), TOOLS] for n in range(8)]
    model = ScriptedModel(*rounds)
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    assert len(model.requests) == 8
    assert person.saw[-1] == Done("limit", "rounds")
    assert (await answer_of(store, talk)).end == "limit"


async def test_a_model_that_waits_for_calls_it_never_made_is_not_asked_again(store: Store) -> None:
    model = ScriptedModel([TextAdded("Vou ver."), TOOLS], [TextAdded("Vou ver."), TOOLS])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    assert len(model.requests) == 1
    assert person.all(ErrorHappened)[0].kind == "cut"
    assert (await answer_of(store, talk)).text == "Vou ver."


async def test_an_answer_cut_by_its_length_is_kept_and_says_so(store: Store) -> None:
    model = ScriptedModel([TextAdded("Era uma vez"), RoundEnded("tokens")])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    assert person.saw[-1] == Done("limit", "tokens")
    assert (await answer_of(store, talk)).text == "Era uma vez"


async def test_stopping_keeps_what_arrived_and_closes_the_calls(store: Store) -> None:
    toolbox = Toolbox()
    model = ScriptedModel(
        [TextAdded("Espere."), call("esperar", id_="c1"), call("falhar", id_="c2"), TOOLS]
    )
    person = Person()
    talk = await new(store)
    turns = turns_with(store, model, toolbox=toolbox)

    turn = asyncio.create_task(turns.reply(talk, "?", audience=person))
    await toolbox.began.wait()
    turn.cancel()
    with suppress(asyncio.CancelledError):
        await turn

    answer = await answer_of(store, talk)
    results = [block for block in answer.blocks if isinstance(block, ToolResult)]
    assert answer.end == "cancelled"
    assert answer.text == "Espere."
    assert [result.content for result in results] == [{"erro": STOPPED}] * 2
    assert person.saw[-1] == Done("cancelled")


@pytest.mark.parametrize("waits_for", ["a tool", "the model", "the person"])
async def test_a_turn_under_way_ends_when_another_program_disables_its_account(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, waits_for: str
) -> None:
    monkeypatch.setattr("qhub_desktop.chat.rounds.ACCOUNT_S", 0.01)
    await account(store, "ana", "admin")
    store.enter(await account(store, "rui"))
    toolbox, began = Toolbox(), asyncio.Event()

    def hang() -> asyncio.Future[None]:
        began.set()
        return asyncio.get_running_loop().create_future()

    steps: dict[str, list[Step]] = {
        "a tool": [call("esperar"), TOOLS],
        "the model": [hang, COMPLETE],
        "the person": [call("gravar", {"palavra": "x"}), TOOLS],
    }
    person = Person(says=None)
    person.when = lambda event: began.set() if isinstance(event, ToolStarted) else None
    model = ScriptedModel([TextAdded("Espere."), *steps[waits_for]])
    turns = turns_with(store, model, toolbox=toolbox, check_account=store.people.check_account)
    talk = await new(store)
    turn = asyncio.create_task(turns.reply(talk, "?", audience=person))
    await began.wait()
    await asyncio.sleep(0.05)
    assert not turn.done()
    other = Store.open(folder)
    other.enter(await other.people.find("ana"))
    await other.people.set_disabled("rui", is_disabled=True)
    other.close()
    await turn

    answer = await answer_of(store, talk)
    assert (answer.text, answer.end) == ("Espere.", "failed")
    (notice,) = [block for block in answer.blocks if isinstance(block, Notice)]
    assert "The account rui was disabled" in notice.text
    assert person.saw[-1] == Done("failed")
    assert toolbox.written == []
    with pytest.raises(UserError, match="The account rui was disabled"):
        await turns.reply(talk, "e agora?", audience=person)
    assert await answer_of(store, talk) == answer


async def test_an_unfinished_answer_is_on_disk_while_it_waits_for_more(store: Store) -> None:
    go = asyncio.Event()

    def wait() -> asyncio.Future[None]:
        return asyncio.ensure_future(_wait(go))

    model = ScriptedModel([TextAdded("meia "), TextAdded("resposta"), wait, COMPLETE])
    talk = await new(store)
    turn = asyncio.create_task(turns_with(store, model).reply(talk, "?", audience=Person()))

    await until_on_disk(store, talk, "meia resposta")
    assert not turn.done()
    go.set()
    await turn


async def test_a_checkpoint_that_failed_loses_neither_words_nor_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program may hold the file for a while."""
    go = asyncio.Event()
    put_block = store.messages.put_block

    async def refuse(*_given: object) -> None:
        go.set()
        monkeypatch.setattr(store.messages, "put_block", put_block)
        raise UserError("Another QHub program is busy.")

    monkeypatch.setattr(store.messages, "put_block", refuse)

    def wait() -> asyncio.Future[None]:
        return asyncio.ensure_future(_wait(go))

    model = ScriptedModel([TextAdded("resposta"), wait, COMPLETE])
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=Person())

    answer = await answer_of(store, talk)
    assert (answer.text, answer.end) == ("resposta", "complete")


@pytest.mark.parametrize(
    ("error", "action"),
    [
        (UserError("Chave recusada.", fault="key"), "settings"),
        (ServiceError("Cortado.", fault="cut"), "retry"),
    ],
)
async def test_a_failure_keeps_the_partial_answer_and_offers_what_to_do(
    store: Store, error: UserError | ServiceError, action: str
) -> None:
    model = ScriptedModel([TextAdded("metade"), error])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    answer = await answer_of(store, talk)
    fault: Fault = error.fault
    assert answer.blocks == (Text("metade"), Notice(fault, str(error)))
    assert person.all(ErrorHappened)[0].action == action
    assert person.saw[-1] == Done("failed")


async def test_an_answer_in_which_nothing_happens_is_ended(store: Store) -> None:
    def forever() -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    settings = Settings(heartbeat_s=0.2, question_s=0.3, inactivity_s=0.4, answer_s=30)
    person = Person()
    turns = turns_with(store, ScriptedModel([TextAdded("a"), forever]), settings=settings)

    await turns.reply(await new(store), "?", audience=person)

    assert person.saw[-1] == Done("limit", "time")


async def test_thinking_is_sent_back_within_the_turn_and_never_stored(store: Store) -> None:
    reasoning = Reasoning({"type": "thinking", "thinking": "…", "signature": "s"})
    model = ScriptedModel(
        [StatusChanged("thinking", "Vejo."), reasoning, call("somar", {"valores": [1]}), TOOLS],
        [TextAdded("1"), COMPLETE],
    )
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    assert model.requests[1].messages[-1].blocks[0] == reasoning
    assert person.all(StatusChanged) == [StatusChanged("thinking", "Vejo.")]
    assert not any(isinstance(b, Reasoning) for b in (await answer_of(store, talk)).blocks)


async def test_words_before_and_after_a_thought_are_both_stored(store: Store) -> None:
    thought = Reasoning({"type": "thinking", "thinking": "Hum.", "signature": "s"})
    model = ScriptedModel([TextAdded("Antes. "), thought, TextAdded("Depois."), COMPLETE])
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=Person())

    assert (await answer_of(store, talk)).blocks == (Text("Antes. "), Text("Depois."))


async def test_usage_is_stored_and_shown_with_its_cost(store: Store) -> None:
    usage = UsageCounted("m", 10, 500, 3, 4, 0.5)
    model = ScriptedModel([TextAdded("x"), usage, COMPLETE])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "?", audience=person)

    assert person.all(UsageCounted) == [usage]
    assert await store.messages.usage((await answer_of(store, talk)).id) == [usage]


async def test_trying_again_hides_the_first_answer_and_asks_the_same(store: Store) -> None:
    model = ScriptedModel([TextAdded("mau"), COMPLETE], [TextAdded("bom"), COMPLETE])
    talk = await new(store)
    turns = turns_with(store, model)

    await turns.reply(talk, "pergunta", audience=Person())
    await turns.retry(talk, audience=Person())

    assert [message.text for message in await store.messages.latest(talk)] == ["pergunta", "bom"]
    assert [message.text for message in model.requests[1].messages] == ["pergunta"]


async def test_a_question_can_be_put_differently(store: Store) -> None:
    model = ScriptedModel([TextAdded("a"), COMPLETE], [TextAdded("b"), COMPLETE])
    talk = await new(store)
    turns = turns_with(store, model)
    await turns.reply(talk, "primeira", audience=Person())
    question = (await store.messages.latest(talk))[0]

    await turns.edit(talk, question.id, "segunda", audience=Person())

    assert [message.text for message in await store.messages.latest(talk)] == ["segunda", "b"]


@pytest.mark.parametrize(
    ("rounds_each", "begun_at"),
    # With one round, ten questions and what was said to nine of them are twenty messages at most.
    # With three, a model counts seven in an answer, and twice twenty are reached before that. What
    # has outgrown its limit begins at one place for some questions, since what a service keeps of a
    # request is of use to one that begins alike.
    [(1, [0] * 10 + [5, 5]), (3, [0] * 5 + [3, 3, 3, 6, 6, 6, 9])],
)
async def test_the_history_is_cut_at_a_question_and_no_call_loses_its_result(
    store: Store, rounds_each: int, begun_at: list[int]
) -> None:
    talk = await new(store)
    rounds: list[Sequence[Step]] = []
    for n in range(12):
        rounds += [
            [call("somar", {"valores": [n]}, f"c{n}-{round_}"), TOOLS]
            for round_ in range(rounds_each)
        ]
        rounds.append([TextAdded(f"resposta {n}"), COMPLETE])
    model = ScriptedModel(*rounds)
    turns = turns_with(store, model)
    for n in range(12):
        await turns.reply(talk, f"pergunta {n}", audience=Person())

    asked = model.requests[:: rounds_each + 1]
    assert [request.messages[0].text for request in asked] == [f"pergunta {n}" for n in begun_at]
    sent = asked[-1].messages
    assert [message.text for message in sent if message.role == "user"] == [
        f"pergunta {n}" for n in range(begun_at[-1], 12)
    ]
    for message in sent:
        calls = {block.id for block in message.blocks if isinstance(block, ToolCall)}
        results = {block.call_id for block in message.blocks if isinstance(block, ToolResult)}
        assert calls == results


def test_the_last_question_is_sent_whatever_it_weighs(store: Store) -> None:
    blocks: tuple[Block, ...] = (Text("x"),)
    asked = asyncio.run(_message(store, blocks))

    assert trim_history([asked], 0) == (asked,)
    assert trim_history([], 20) == ()


async def test_two_answers_in_one_conversation_do_not_mix(store: Store) -> None:
    toolbox = Toolbox()
    model = ScriptedModel([call("esperar"), TOOLS])
    talk = await new(store)
    turns = turns_with(store, model, toolbox=toolbox)
    first = asyncio.create_task(turns.reply(talk, "uma", audience=Person()))
    await toolbox.began.wait()

    with pytest.raises(UserError):
        await turns.reply(talk, "outra", audience=Person())
    assert (await store.messages.latest(talk))[0].text == "uma"
    assert len(await store.messages.latest(talk)) == 2

    first.cancel()
    with suppress(asyncio.CancelledError):
        await first


async def test_what_a_kill_left_open_is_closed_when_it_is_read(store: Store) -> None:
    talk = await new(store)
    await store.messages.add(talk, "user", [Text("?")])
    cut = await store.messages.add(talk, "assistant")
    await store.messages.put_block(cut.id, 0, ToolCall("c9", "somar", {"valores": [1]}))
    model = ScriptedModel([TextAdded("ok"), COMPLETE])

    await turns_with(store, model).reply(talk, "e agora?", audience=Person())

    sent = model.requests[0].messages[1]
    assert [type(block) for block in sent.blocks] == [ToolCall, ToolResult]
    assert NOT_RUN != STOPPED


async def _message(store: Store, blocks: tuple[Block, ...]) -> Message:
    return await store.messages.add(await new(store), "user", blocks)


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


async def test_a_page_in_the_words_is_announced_once_it_is_whole(store: Store) -> None:
    words = ("Veja:\n```ht", "ml\n<p>olá</p>\n", "```\n", "```svg\n<svg")
    model = ScriptedModel([Answering("m"), *map(TextAdded, words), COMPLETE])
    person = Person()
    talk = await new(store)

    await turns_with(store, model).reply(talk, "desenha", audience=person)

    assert person.saw == [
        *map(TextAdded, words[:3]),
        ArtifactShown("html", "<p>olá</p>"),
        TextAdded(words[3]),
        Done("complete"),
    ]
    assert (await answer_of(store, talk)).text == "".join(words)


WRITE = call("gravar", {"palavra": "olá"})
SUM = call("somar", {"valores": [1, 2]})


@pytest.mark.parametrize(
    ("name", "rule", "is_told", "is_asked"),
    [
        ("somar", "always", True, False),
        ("somar", "ask", True, True),
        ("somar", "never", False, False),
        ("gravar", "always", True, True),  # what writes is asked for, whatever is written
        ("gravar", "ask", True, True),
        ("gravar", "never", False, False),
    ],
)
async def test_the_rule_of_a_tool_holds(
    store: Store, name: str, rule: Rule, is_told: bool, is_asked: bool
) -> None:
    toolbox, person = Toolbox(), Person(says=False)
    asked = SUM if name == "somar" else WRITE
    model = ScriptedModel([asked, TOOLS], [COMPLETE])
    agent = replace(AGENT, rules={name: rule})

    await turns_with(store, model, toolbox=toolbox, agent=agent).reply(
        await new(store), "faz", audience=person
    )

    assert (name in {each.name for each in model.requests[0].tools}) == is_told
    assert len(person.all(ApprovalAsked)) == is_asked
    (used,) = person.all(ToolUsed)
    assert used.result.is_error == (not is_told)
    assert toolbox.written == []


async def test_a_rule_gives_an_agent_a_tool_that_it_does_not_list(store: Store) -> None:
    agent = replace(AGENT, tools=("mostrar",), rules={"somar": "always"})
    model, person = ScriptedModel([SUM, TOOLS], [COMPLETE]), Person()
    await turns_with(store, model, agent=agent).reply(await new(store), "faz", audience=person)

    assert [each.name for each in model.requests[0].tools] == ["mostrar", "somar"]
    assert person.all(ToolUsed)[0].result.content == {"soma": 3}


@pytest.mark.parametrize("fixed", [(), ("rounds", "model")])
async def test_an_agents_model_and_limits_stand_in_for_the_settings_unless_these_are_fixed(
    store: Store, fixed: Sequence[str]
) -> None:
    limits = {"rounds": 1, "answer_tokens": 300, "history_messages": 2, "result_characters": 2500}
    agent = replace(AGENT, model="claude-opus-5", limits=limits)
    model, person = ScriptedModel([SUM, TOOLS], [COMPLETE]), Person()
    settings = Settings(model="claude-haiku-4")
    turns = turns_with(store, model, agent=agent, settings=settings, fixed=fixed)
    await turns.reply(await new(store), "faz", audience=person)

    asked = model.requests[0]
    assert (asked.answer_tokens, asked.result_characters) == (300, 2500)
    assert asked.model == ("claude-haiku-4" if fixed else "claude-opus-5")
    assert person.saw[-1] == (Done("complete") if fixed else Done("limit", "rounds"))


async def test_a_rehearsal_runs_what_leaves_nothing_behind_and_asks_nobody_for_the_log(
    store: Store,
) -> None:
    toolbox, person = Toolbox(), Person(says=True)
    model = ScriptedModel([SUM, WRITE, TOOLS], [COMPLETE])
    draft = replace(AGENT, id="rascunho")
    talk = await store.conversations.create_rehearsal(draft.id)
    turns = turns_with(store, model, toolbox=toolbox)
    await turns.rehearsal(draft).reply(talk, "faz", audience=person)

    results = [each.result.content for each in person.all(ToolUsed)]
    assert results == [{"soma": 3}, {"estado": "ensaio: a entrada está certa; nada foi feito"}]
    assert toolbox.written == []
    assert await store.audit.listed() == []
