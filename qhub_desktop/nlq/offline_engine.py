"""The offline engine: a chat model that parses, plans, calls tools and writes sentences."""

# Why it is so: decisions/reading-questions.md

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.context import Context
from qhub_desktop.core.dataset import (
    DEFECT_FIELDS,
    DEFECT_TYPES,
    LOG_ID,
    SHIFTS,
    ColumnProfile,
    DatasetProfile,
)
from qhub_desktop.core.documents import SEARCH_TOOL, Citation, searched_words
from qhub_desktop.core.events import (
    Answering,
    ModelEvent,
    ModelRequest,
    ReadingChosen,
    RoundEnded,
    TextAdded,
)
from qhub_desktop.core.memory import RECALL_TOOL
from qhub_desktop.core.memory import TOOL as MEMORY_TOOL
from qhub_desktop.core.message import (
    Chip,
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.readings import MOST_READINGS
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.tone import tone_of, without_tone
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq import documents, memory, quoting, requests
from qhub_desktop.nlq.answer.plan_editor import PlanEditor
from qhub_desktop.nlq.answer.suggestions import FollowUps, suggestions
from qhub_desktop.nlq.answer.values import printed, value_calls, value_of
from qhub_desktop.nlq.answer.writer import AnswerWriter
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.contribution_analysis import ContributionAnalysis, analysis_target
from qhub_desktop.nlq.dialogue.clarification import (
    RememberedReadings,
    ResolvedAmbiguity,
    describe,
    reading_chips,
    resolved_by,
    word_key,
)
from qhub_desktop.nlq.dialogue.selection import meant_instead, unlike, with_other_amounts
from qhub_desktop.nlq.dialogue.state import (
    INITIAL_STATE,
    DialogueState,
    StoredStep,
    advance,
    after_step,
    interpret,
    step_to,
)
from qhub_desktop.nlq.executor import Call, PlanExecutor, defect_index, report_call
from qhub_desktop.nlq.lexicon import Lexicon, current_lexicon, reload_lexicon
from qhub_desktop.nlq.phrases import file_names, plan_title
from qhub_desktop.nlq.planner import can_be_drawn
from qhub_desktop.nlq.query_ast import (
    Abilities,
    AsDashboard,
    Ask,
    Columns,
    DataPlan,
    Describe,
    Filter,
    Goodbye,
    Greeting,
    GroupBy,
    Help,
    Identity,
    Number,
    Plan,
    Register,
    Rows,
    Thanks,
    Unknown,
    Why,
    any_plan_from_json,
    columns_of,
    dataset_of,
    plan_from_json,
    plan_to_json,
    query_of,
)
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex, schema_index_of
from qhub_desktop.nlq.tokenizer import tokenize
from qhub_desktop.nlq.tool_results import (
    error_text,
    first_label,
    is_empty_result,
    tells_nothing,
)

_KEPT_READINGS = 64
_PIECE = re.compile(r"(?:\S+\s*){1,4}")


class OfflineEngine:
    """Chat model without a language model: the same answer to the same question, no network.

    It owns one thread, begun with the first question, until closed.
    """

    def __init__(self) -> None:
        self._worker = Worker("offline")

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one round: the calls that are still needed, or else the answer in words."""
        yield Answering("offline")
        # Indexing a wide data set for the first time takes 100 ms.
        reply = await self._worker.run(_reply_to, request)
        for call in reply.calls:
            yield call
        for words, citation in reply.quotes:
            yield TextAdded(words)
            yield citation
        if reply.quotes and reply.text:
            yield TextAdded("\n\n")
        for piece in _PIECE.findall(reply.text):
            yield TextAdded(piece)
            await asyncio.sleep(0)
        for chosen_readings in reply.chosen_readings:
            yield ReadingChosen(*chosen_readings)
        if not reply.calls and reply.interpretation is not None:
            yield reply.interpretation
        if not reply.calls and reply.clarification is not None:
            yield reply.clarification
        yield RoundEnded("tools" if reply.calls else "complete")

    async def look(self, request: ModelRequest) -> "QuickLook":
        """Return how sure this engine is of a question, and the tools that it would use."""
        return await self._worker.run(_look_at, request)

    def close(self) -> None:
        """Stop the thread."""
        self._worker.close()


@dataclass(frozen=True, slots=True)
class QuickLook:
    """Whether a question would be answered at once, and the names of the tools for it."""

    is_sure: bool
    tools: tuple[str, ...]


def _look_at(request: ModelRequest) -> QuickLook:
    reload_lexicon()
    read = state_after(request)
    is_sure = read is not None and isinstance(read[0].plan, DataPlan)
    calls = reply_to(request).calls if read is not None else ()
    return QuickLook(is_sure and bool(calls), tuple(dict.fromkeys(each.name for each in calls)))


def _reply_to(request: ModelRequest) -> "Reply":
    reload_lexicon()
    return reply_to(request)


def is_small_talk(text: str) -> bool:
    """Return whether a text only greets, thanks, says goodbye, or asks who answers and how.

    Importing this module loads the words of all languages (80 ms), so do both on a thread.
    """
    plan = interpret(text, INITIAL_STATE, (), today=date.today()).plan
    return isinstance(plan, Greeting | Thanks | Goodbye | Help | Abilities | Identity)


@dataclass(frozen=True, slots=True)
class Reply:
    """One round: the calls that are still needed, or else the answer in words.

    A last round may carry an interpretation, a clarification question, and readings that were
    chosen: data set, word and name of the reading. `quotes` stand before the text, each with what
    is cited behind it.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    quotes: tuple[tuple[str, Citation], ...] = ()
    interpretation: Interpretation | None = None
    clarification: Clarification | None = None
    chosen_readings: tuple[tuple[str, str, str], ...] = ()


def reply_to(request: ModelRequest) -> Reply:
    """Return the next round for the last question, given the results so far."""
    tools = [tool.name for tool in request.tools]
    if (remembered := _remembered(request, tools)) is not None:
        return remembered
    if (recalled := _recalled(request, tools)) is not None:
        return recalled
    indexes = indexes_of(request, tools)
    if (quotation := _quoted(request, tools, indexes)) is not None:
        return quotation
    repeated = _repeated_call(request.messages)
    before, state = _fold(request, tools, indexes)
    if isinstance(state.plan, Unknown) and repeated is None:
        remembered = _remembered(request, tools, is_no_data=True)
        if remembered is not None:
            return remembered
    if (quotation := _quoted(request, tools, indexes, state)) is not None:
        return quotation
    index = index_of(state, indexes)
    locale = AnswerLocale(state.language)
    writer = AnswerWriter(index, locale)
    if repeated is not None:
        return _repeat(repeated, request, writer)
    if (asked := _asked_back(state, request, indexes, locale)) is not None:
        choices = _valued(asked, request, indexes, locale, tools)
        if isinstance(choices, Reply):
            return choices
        return Reply(
            "\n\n".join([writer.listed(asked), *_call_for_help(state, request)]),
            interpretation=_interpretation_of(state, before, indexes, locale),
            clarification=Clarification(writer.question(asked), choices),
        )
    executor = None if index is None else executor_of(index, indexes, locale, tools)
    calls = _calls(state, index, executor, locale)
    if missing := tuple(dict.fromkeys(call.name for call in calls if call.name not in tools)):
        return Reply(writer.missing_tools(missing))
    answered = _answered_calls(request.messages)
    if waiting := _waiting(calls, answered):
        return _round_of(waiting, request, len(answered))
    # One for each call, in order, also where the same call is wanted twice.
    results = [next(result for known, result in answered if known == call) for call in calls]
    drawn: ToolResult | None = None
    if executor is not None and isinstance(state.plan, DataPlan) and error_text(results) is None:
        picture = executor.chart_call(state.plan, results)
        drawn = next((result for known, result in answered if known == picture), None)
        if picture is not None and drawn is None:
            return _round_of([picture], request, len(answered))
    is_refused = isinstance(state.plan, DataPlan) and _is_refused(calls, results)
    if is_refused and (other := _rather(state, before, request, indexes, locale)) is not None:
        return other
    text = writer.write(state, results, drawn)
    if isinstance(state.plan, DataPlan) and error_text(results) is None:
        own = dataset_of(state.plan)
        if _has_rivals((own,), indexes):
            text = f"{locale.markdown.literal(file_names(indexes)[own])} · {text}"
    clarification: Clarification | None = None
    next_: tuple[Choice, ...] = ()
    instead = meant_instead(state.plan, state.others) if isinstance(state.plan, DataPlan) else ()
    if instead and not is_refused and tells_nothing(state.plan, results):
        asked = Ask("", tuple(titles_of(instead, indexes, locale).items()))
        choices = _valued(asked, request, indexes, locale, tools)
        if isinstance(choices, Reply):
            return choices
        clarification = Clarification(writer.rather(asked), choices)
        below = []
    else:
        below = _call_for_help(state, request)
        next_ = _next_questions(state, index, indexes, request, results)
    return Reply(
        "\n\n".join([text, *describe(state.ambiguities, locale.markdown), *below]),
        interpretation=replace(_interpretation_of(state, before, indexes, locale), next=next_),
        clarification=clarification,
        chosen_readings=tuple(
            (dataset_of(state.plan), word_key(each.word), each.chosen)
            for each in state.ambiguities
            if each.is_new and isinstance(state.plan, DataPlan)
        ),
    )


def _is_refused(calls: Sequence[Call], results: Sequence[ToolResult]) -> bool:
    """Return whether what was to be computed or drawn could not be.

    What stands in the way of a file that was asked for is said, and no other number.
    """
    return any(
        result.is_error and call.name in ("consultar_dados", "gerar_grafico")
        for call, result in zip(calls, results, strict=True)
    )


def _rather(
    state: DialogueState,
    before: DialogueState,
    request: ModelRequest,
    indexes: Sequence[SchemaIndex],
    locale: AnswerLocale,
) -> Reply | None:
    """Return the next round where a tool refused a plan: the other readings that have a value."""
    others = readings_listed(state, indexes)[1:]
    asked = Ask("", tuple(titles_of(others, indexes, locale).items()))
    tools = [tool.name for tool in request.tools]
    choices = _valued(asked, request, indexes, locale, tools)
    if isinstance(choices, Reply):
        return choices
    valued = tuple(each for each in choices if each.value)
    if not valued:
        return None
    understood = _interpretation_of(state, before, indexes, locale)
    writer = AnswerWriter(index_of(state, indexes), locale)
    return Reply(
        writer.listed(asked),
        interpretation=replace(understood, others=()),
        clarification=Clarification(writer.rather(asked), valued),
    )


def _remembered(
    request: ModelRequest, tools: Sequence[str], *, is_no_data: bool = False
) -> Reply | None:
    """Return the next round where the last question is about what is remembered of the person.

    Said after other questions, 'esquece…' is about a filter of theirs, unless it `is_no_data`.
    """
    questions = [each for each in request.messages if each.role == "user"]
    if not questions or MEMORY_TOOL not in tools:
        return None
    wanted = memory.memory_request(questions[-1].text)
    if wanted is None or (wanted.may_be_data and len(questions) > 1 and not is_no_data):
        return None
    answered = _answered_calls(request.messages)
    if not answered:
        return _round_of([Call(MEMORY_TOOL, memory.first_call(wanted))], request, 0)
    result = answered[-1][1]
    if (failed := error_text([result])) is not None:
        return Reply(failed)
    content = result.content if isinstance(result.content, dict) else {}
    if wanted.wish == "forget" and len(answered) == 1:
        notes = memory.notes_about(content, wanted.about)
        if len(notes) == 1:
            forget: JsonObject = {"comando": "delete", "caminho": notes[0]["caminho"]}
            return _round_of([Call(MEMORY_TOOL, forget)], request, 1)
        if not notes and wanted.may_be_data:
            return None
        return Reply(memory.which_note(notes, wanted))
    return Reply(memory.answer(wanted, content))


def _recalled(request: ModelRequest, tools: Sequence[str]) -> Reply | None:
    """Return the next round where the last question asks for what was said before."""
    question = next((each for each in reversed(request.messages) if each.role == "user"), None)
    if question is None or RECALL_TOOL not in tools:
        return None
    wanted = requests.recall_call(question.text, question.created.astimezone().date())
    if wanted is None:
        return None
    given, language = wanted
    answered = _answered_calls(request.messages)
    if not answered:
        return _round_of([Call(RECALL_TOOL, given)], request, 0)
    ((_call, result), *_more) = answered
    if (failed := error_text([result])) is not None:
        return Reply(failed)
    content = result.content if isinstance(result.content, dict) else {}
    return Reply(requests.recall_text(content, language))


def _quoted(
    request: ModelRequest,
    tools: Sequence[str],
    indexes: Sequence[SchemaIndex],
    state: DialogueState | None = None,
) -> Reply | None:
    """Return the next round where the last question is one to documents: by its words, or with a
    `state` as it was not understood of the data.
    """
    question = next((each for each in reversed(request.messages) if each.role == "user"), None)
    if question is None or SEARCH_TOOL not in tools or _has_plan(question):
        return None
    if state is None:
        language = documents.asked_of_documents(question.text, indexes)
    else:
        language = state.language
        if not documents.may_be_in_documents(state.plan, question.text, indexes, language):
            return None
    if language is None:
        return None
    given = documents.documents_call(without_tone(question.text))
    call = Call(SEARCH_TOOL, given)
    answered = _answered_calls(request.messages)
    result = next((each for known, each in answered if known == call), None)
    if result is None:
        return _round_of([call], request, len(answered))
    failed = error_text([result])
    if state is None and failed is not None:
        return Reply(failed)
    if failed is None and (second := documents.cause_call(question.text, result)) is not None:
        causes = next(
            (each for known, each in answered if known == Call(SEARCH_TOOL, second)), None
        )
        if causes is None:
            return _round_of([Call(SEARCH_TOOL, second)], request, len(answered))
        result = documents.joined(result, causes)
    searched = searched_words(given)
    found = None if failed else quoting.quoted(result, question.text, searched, language)
    if found is None:
        is_told = state is None or (
            documents.waiting_text(result, language)
            and not documents.names_data(question.text, indexes)
        )
        return Reply(documents.nothing_found(result, language)) if is_told else None
    is_of_data = state is not None and state.plan != Unknown() and not found.is_answer
    if is_of_data and documents.tells_more(indexes, question.text, found.words):
        return None
    return Reply(found.ending, quotes=found.quotes)


def _has_rivals(datasets: Collection[str], indexes: Sequence[SchemaIndex]) -> bool:
    """Return whether another file might have answered, too; the log does only where it is meant."""
    dropped = (each.profile for each in indexes if each.profile.id not in (LOG, LOG_ID))
    return len({*datasets, *(each.dataset for each in dropped)}) > 1


def readings_listed(state: DialogueState, indexes: Sequence[SchemaIndex]) -> tuple[DataPlan, ...]:
    """Return what the last question may mean, the likeliest first; what is answered leads.

    What was dropped goes before the log, which is not meant beside it.
    """
    dropped = {each.profile.dataset for each in indexes if each.profile.id not in (LOG, LOG_ID)}
    plans = [each for each in state.others if not dropped or dataset_of(each) in dropped]
    if isinstance(state.plan, Ask):
        plans = [*(plan for _, plan in state.plan.readings), *plans]
    plans = [each for each in plans if can_be_drawn(each)] or plans
    if isinstance(state.plan, DataPlan):
        plans = [state.plan, *plans]
    found = unlike(plans, indexes)[:MOST_READINGS]
    if isinstance(state.plan, Ask) and len(found) == 1:
        index = next(each for each in indexes if each.profile.dataset == dataset_of(found[0]))
        return with_other_amounts(found[0], state.best, index)
    return found


def _asked_back(
    state: DialogueState,
    request: ModelRequest,
    indexes: Sequence[SchemaIndex],
    locale: AnswerLocale,
) -> Ask | None:
    """Return the question which of its readings was meant, where a question is not answered.

    They are named by what they compute, the likeliest first; of the words that no reading uses,
    those are told that stand in the question.
    """
    match state.plan:
        case Ask(word=str(word)) as ask if word:
            return ask
        case Ask(unclear=words):
            found = readings_listed(state, indexes)
        case _:
            return None
    if not found:
        return None
    match found[0]:
        case Number(noun=str(noun)) | Rows(noun=str(noun)) if any(
            word.is_name for word in tokenize(noun)
        ):
            words = (*words, noun)  # no rows are called by a name: 'quantos são de França?'
        case _:
            pass
    questions = (each.text for each in reversed(request.messages) if each.role == "user")
    said = f" {word_key(next(questions, ''))} "
    places = {each: said.find(f" {word_key(each)} ") for each in words}
    unclear = sorted((each for each in words if places[each] >= 0), key=lambda each: places[each])
    return Ask("", tuple(titles_of(found, indexes, locale).items()), tuple(unclear))


def _valued(
    asked: Ask,
    request: ModelRequest,
    indexes: Sequence[SchemaIndex],
    locale: AnswerLocale,
    tools: Sequence[str],
) -> tuple[Choice, ...] | Reply:
    """Return the readings to choose from, each with what it comes to, or the round that asks."""
    calls = [value_calls(plan, indexes, locale, tools) for _, plan in asked.readings]
    answered = _answered_calls(request.messages)
    if waiting := _waiting([each for own in calls for each in own], answered):
        return _round_of(waiting, request, len(answered))
    choices: list[Choice] = []
    for (name, plan), own in zip(asked.readings, calls, strict=True):
        results = [next(result for known, result in answered if known == each) for each in own]
        value = value_of(plan, results, indexes, locale)
        told = "" if value is None else printed(value)
        if asked.word and told:  # whose readings are called by the word only
            told = f"{next(iter(titles_of([plan], indexes, locale)))}: {told}"
        choices.append(Choice(name, plan_to_json(plan), told))
    return tuple(choices)


def _waiting(calls: Sequence[Call], answered: Sequence[tuple[Call, ToolResult]]) -> list[Call]:
    """Return the calls that have no result yet, each once."""
    known = [call for call, _ in answered]
    return [
        call for place, call in enumerate(calls) if call not in calls[:place] and call not in known
    ]


def titles_of(
    plans: Sequence[DataPlan], indexes: Sequence[SchemaIndex], locale: AnswerLocale
) -> dict[str, DataPlan]:
    """Return plans by what they compute; behind their files, where others might do so, too."""
    by_name = {index.profile.dataset: index for index in indexes}
    files = file_names(indexes)
    datasets = {dataset_of(plan) for plan in plans}
    named: dict[str, DataPlan] = {}
    for plan in plans:
        index = by_name[dataset_of(plan)]
        name = plan_title(plan, index, locale)
        if _has_rivals(datasets, indexes):
            name = f"{files[dataset_of(plan)]} · {name}"
        named.setdefault(name, plan)
    return named


def _is_about_data(message: Message, tools: Sequence[str], indexes: Sequence[SchemaIndex]) -> bool:
    """Return whether a question is one of data, not of the memory or of documents: no topic."""
    if _has_plan(message):
        return True
    if SEARCH_TOOL in tools and documents.asked_of_documents(message.text, indexes) is not None:
        return False
    wish = memory.memory_request(message.text) if MEMORY_TOOL in tools else None
    return wish is None or wish.may_be_data


def _has_plan(message: Message) -> bool:
    """Return whether the person chose a plan, of which the words are only the label."""
    return any(isinstance(block, ChosenPlan) for block in message.blocks)


def _repeated_call(messages: Sequence[Message]) -> Call | None:
    """Return the tool call that the last question wants to be made once more."""
    question = next((each for each in reversed(messages) if each.role == "user"), None)
    for block in question.blocks if question is not None else ():
        if isinstance(block, ChosenPlan) and block.call is not None:
            return Call(*block.call)
    return None


def _repeat(call: Call, request: ModelRequest, writer: AnswerWriter) -> Reply:
    """Return the next round of a tool call that is made once more."""
    if call.name not in [tool.name for tool in request.tools]:
        return Reply(writer.missing_tools([call.name]))
    answered = _answered_calls(request.messages)
    if not answered:
        return _round_of([call], request, 0)
    return Reply(writer.repeated(error_text([result for _call, result in answered])))


def _is_tense(request: ModelRequest) -> bool:
    """Return whether the person is in a hurry or annoyed: nothing is suggested then."""
    asked = next(each for each in reversed(request.messages) if each.role == "user")
    return any(isinstance(each, Context) and "tom" in each.sections for each in asked.blocks)


def _call_for_help(state: DialogueState, request: ModelRequest) -> list[str]:
    """Return whom to call, where the person is tense for the second time in a row."""
    asked = [each for each in request.messages if each.role == "user"]
    is_again = len(asked) > 1 and tone_of(asked[-2].text) != "none"
    if not is_again or not _is_tense(request):
        return []
    return [AnswerLocale(state.language).gettext("Call whoever is responsible for the station.")]


def _next_questions(
    state: DialogueState,
    index: SchemaIndex | None,
    indexes: Sequence[SchemaIndex],
    request: ModelRequest,
    results: Sequence[ToolResult],
) -> tuple[Choice, ...]:
    """Return questions that could follow, or examples for whoever asked none."""
    plan, locale = state.plan, AnswerLocale(state.language)
    tools = [each.name for each in request.tools]
    if isinstance(plan, Unknown) and request.examples:
        return tuple(Choice(each, {}) for each in request.examples)
    if index is None or error_text(results) is not None:
        return ()
    if isinstance(plan, (Unknown, Greeting, Help, Abilities)):
        offered = suggestions(index, locale, tools)
        return tuple(Choice(each, {}) for each in offered)
    if not isinstance(plan, (DataPlan, Why)) or _is_tense(request):
        return ()
    question = next(each for each in reversed(request.messages) if each.role == "user")
    today = question.created.astimezone().date()
    follow_ups = FollowUps(
        locale, lambda text, before: interpret(text, before, indexes, today=today), tools
    )
    leader = first_label(plan, results) if isinstance(plan, DataPlan) else None
    return follow_ups.after(state, index, leader, is_empty=is_empty_result(plan, results))


def _interpretation_of(
    state: DialogueState,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    locale: AnswerLocale,
) -> Interpretation:
    """Return the plan with its parts as chips, the other readings, and the step that it was."""
    plan, index = state.plan, index_of(state, indexes)
    parts: tuple[Chip, ...] = ()
    others: tuple[Choice, ...] = ()
    if isinstance(plan, DataPlan):
        titles = titles_of(readings_listed(state, indexes)[1:], indexes, locale)
        others = tuple(Choice(name, plan_to_json(each)) for name, each in titles.items())
    if index is not None and plan == state.topic and state.topic is not None:
        parts = PlanEditor(index, locale).chips(state.topic, state.previous)
        parts = (*reading_chips(state.ambiguities), *parts)
    step = codec.pack(step_to(state, before))
    assert isinstance(step, dict)
    return Interpretation(plan_to_json(plan), parts, others, step)


def state_after(request: ModelRequest) -> tuple[DialogueState, list[SchemaIndex]] | None:
    """Return the state of the dialogue after the last question, and the data sets.

    None where it is asked of documents, of the memory, or of what was said.
    """
    tools = [tool.name for tool in request.tools]
    if _remembered(request, tools) is not None or _recalled(request, tools) is not None:
        return None
    indexes = indexes_of(request, tools)
    if _quoted(request, tools, indexes) is not None:
        return None
    _before, state = _fold(request, tools, indexes)
    return state, indexes


def indexes_of(request: ModelRequest, tools: Sequence[str]) -> list[SchemaIndex]:
    """Return the indexes of the data sets; of the log too where only its tools can see it."""
    indexes = [schema_index_of(profile) for profile in request.profiles]
    is_hidden = all(profile.dataset != LOG for profile in request.profiles)
    if "contar_defeitos" in tools and is_hidden and defect_index(indexes) is None:
        indexes.insert(0, schema_index_of(_hidden_log_profile()))
    return indexes


def _fold(
    request: ModelRequest, tools: Sequence[str], indexes: Sequence[SchemaIndex]
) -> tuple[DialogueState, DialogueState]:
    """Return the states of the dialogue before and after its last question.

    Each question that has an answer is what was understood of it then; its words are not read.
    """
    chosen = {each.dataset: dict(each.readings) for each in request.profiles if each.readings}
    before = state = INITIAL_STATE
    for place, message in enumerate(request.messages):
        if message.role != "user":
            continue
        answer = next(iter(request.messages[place + 1 : place + 2]), None)
        understood = None if answer is None else _understood(answer)
        if understood is not None:
            before, state = state, _as_understood(state, message, understood, indexes)
            told = _leader(state, request.messages[: place + 2], indexes, tools)
            state = replace(state, leader=told)
        elif _is_about_data(message, tools, indexes):
            before, state = state, _next_state(state, message, indexes, chosen)
    return before, state


def _leader(
    state: DialogueState,
    messages: Sequence[Message],
    indexes: Sequence[SchemaIndex],
    tools: Sequence[str],
) -> Filter | None:
    """Return the one group that an answer named, or the likeliest reading of a list did."""
    listed = state.plan.readings if isinstance(state.plan, Ask) else (("", state.plan),)
    plan = listed[0][1] if listed else None
    if not isinstance(plan, DataPlan) or isinstance(plan, Describe | Columns | AsDashboard):
        return None
    query, own = (
        query_of(plan),
        [each for each in indexes if each.profile.dataset == dataset_of(plan)],
    )
    if not own or not isinstance(query, GroupBy) or query.n != 1 or query.dimension.grain:
        return None
    executor = executor_of(own[0], indexes, AnswerLocale(state.language), tools)
    is_listed = isinstance(state.plan, Ask)
    calls = executor.value_calls(query) if is_listed else executor.calls(query)
    known = _answered_calls(messages)
    results = [next((each for call, each in known if call == wanted), None) for wanted in calls]
    found = [each for each in results if each is not None]
    label = first_label(query, found) if len(found) == len(calls) else None
    return None if label is None else Filter(query.dimension.column, (label,))


def _understood(answer: Message) -> tuple[Plan, Interpretation] | None:
    """Return what was understood of the question of an answer; None if that is not known."""
    kept = next((each for each in answer.blocks if isinstance(each, Interpretation)), None)
    if kept is None:
        return None
    try:
        return any_plan_from_json(kept.plan), kept
    except ValueError:  # of another version
        return None


def _as_understood(
    before: DialogueState,
    question: Message,
    understood: tuple[Plan, Interpretation],
    indexes: Sequence[SchemaIndex],
) -> DialogueState:
    """Return the state after a question as it was understood when it was answered."""
    plan, kept = understood
    if isinstance(plan, DataPlan):
        own = [each for each in indexes if each.profile.dataset == dataset_of(plan)]
        if not any(each.has_columns(columns_of(plan)) for each in own):
            return before  # of data that are not here any more
    words = current_lexicon().language(tokenize(question.text)) or before.language
    is_new = isinstance(plan, DataPlan) and plan != before.topic
    step = StoredStep(words, before.dataset, "on" if is_new else "nowhere")
    if kept.step is not None:
        with contextlib.suppress(ValueError):  # of another version
            step = codec.unpack(StoredStep, kept.step)
    elif isinstance(plan, DataPlan):
        step = replace(step, dataset=dataset_of(plan))
    return after_step(plan, step, before)


def _next_state(
    before: DialogueState,
    message: Message,
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> DialogueState:
    """Apply one more message: its words, or the plan that was chosen with it."""
    wanted = next((each for each in message.blocks if isinstance(each, ChosenPlan)), None)
    if wanted is not None and wanted.call is not None:
        return before  # its words are no question
    if wanted is not None:
        with contextlib.suppress(
            ValueError
        ):  # a plan of an earlier version: the message's words are read instead
            plan = plan_from_json(wanted.plan)
            if not resolved_by(
                before.ambiguities, plan
            ):  # chosen while it was typed, of what would be listed
                listed = _as_read(message, before, indexes, chosen)
                before = replace(before, ambiguities=listed.ambiguities)
            return _choose_plan(before, plan)
    return _as_read(message, before, indexes, chosen)


def _as_read(
    message: Message,
    before: DialogueState,
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> DialogueState:
    """Return the state after the words of a question."""
    day = message.created.astimezone().date()
    remembered = tuple((name, tuple(each.items())) for name, each in chosen.items())
    said = without_tone(message.text)
    state = _read(said, before, tuple(indexes), day, remembered, current_lexicon())
    return _as_chosen_before(said, state, indexes, chosen)


def _as_chosen_before(
    said: str,
    state: DialogueState,
    indexes: Sequence[SchemaIndex],
    chosen: Mapping[str, RememberedReadings],
) -> DialogueState:
    """Return the state with the reading that was chosen before, where several would be listed."""
    if not isinstance(state.plan, Ask) or state.plan.word:
        return state
    titles = titles_of(readings_listed(state, indexes), indexes, AnswerLocale(state.language))
    known = {name: chosen.get(dataset_of(plan), {}) for name, plan in titles.items()}
    taken = next((name for name in titles if known[name].get(word_key(said)) == name), "")
    listed = ResolvedAmbiguity(said, tuple(titles.items()), taken, is_question=True)
    if not taken:
        return replace(state, ambiguities=(listed,))
    others = tuple(plan for name, plan in titles.items() if name != taken)
    made = advance(state, titles[taken], state.language)
    return replace(made, ambiguities=(listed,), others=others, best=state.best)


@lru_cache(maxsize=_KEPT_READINGS)
def _read(
    text: str,
    before: DialogueState,
    indexes: tuple[SchemaIndex, ...],
    day: date,
    remembered: tuple[tuple[str, tuple[tuple[str, str], ...]], ...],
    _words: Lexicon,  # by which it was read
) -> DialogueState:
    """Read a question once: each round of an answer begins with all questions before it."""
    chosen = {name: dict(each) for name, each in remembered}
    return interpret(text, before, indexes, today=day, chosen=chosen)


def _choose_plan(before: DialogueState, plan: DataPlan) -> DialogueState:
    """Make a chosen plan the topic; it may resolve what a word means."""
    resolved = resolved_by(before.ambiguities, plan)
    if plan == before.topic:  # a remembered reading makes the same plan of the words
        return replace(before, plan=plan, ambiguities=resolved, others=())
    return replace(advance(before, plan, before.language), ambiguities=resolved)


def index_of(state: DialogueState, indexes: Sequence[SchemaIndex]) -> SchemaIndex | None:
    """Return the data set that an answer is about: as named, else the topic's, else the last."""
    about = state.dataset or (dataset_of(state.topic) if state.topic else "")
    named = [index for index in indexes if index.profile.dataset == about]
    return next(iter([*named, *reversed(indexes)]), None)


def executor_of(
    index: SchemaIndex, indexes: Sequence[SchemaIndex], locale: AnswerLocale, tools: Sequence[str]
) -> PlanExecutor:
    """Return what carries out plans over a data set, of several."""
    has_tools = index is defect_index(indexes)
    return PlanExecutor(index, locale, tools=tools, has_defect_tools=has_tools)


def _calls(
    state: DialogueState,
    index: SchemaIndex | None,
    executor: PlanExecutor | None,
    locale: AnswerLocale,
) -> tuple[Call, ...]:
    match state.plan:
        case Register() as report:
            call = report_call(report)
            return () if call is None else (call,)
        case Why() as why if index is not None and executor is not None:
            scope, measure = analysis_target(why, state.topic, index)
            return executor.contribution_calls(ContributionAnalysis(index, locale, scope, measure))
        case plan if isinstance(plan, DataPlan) and executor is not None:
            return executor.calls(plan)
        case _:
            return ()


def _round_of(calls: Sequence[Call], request: ModelRequest, before: int) -> Reply:
    """Return a round of calls, numbered on from those `before`."""
    made = [
        ToolCall(f"offline_{request.messages[-1].id}_{number}", call.name, call.input)
        for number, call in enumerate(calls, start=before + 1)
    ]
    return Reply("", tuple(made))


def _answered_calls(messages: Sequence[Message]) -> list[tuple[Call, ToolResult]]:
    """Return the calls of the answer under way that have a result."""
    if not messages or messages[-1].role != "assistant":
        return []
    made: dict[str, Call] = {}
    answered: list[tuple[Call, ToolResult]] = []
    for block in messages[-1].blocks:
        match block:
            case ToolCall(id_, name, given):
                made[id_] = Call(name, given)
            case ToolResult(call_id) if call_id in made:
                answered.append((made[call_id], block))
    return answered


def _hidden_log_profile() -> DatasetProfile:
    """Return the defect log when only its tools can see it: its columns and the plant's words."""
    types: dict[str, ColumnType] = {"id": "integer", "posicao": "integer", "data": "date"}
    values = {"tipo_defeito": DEFECT_TYPES, "turno": SHIFTS}
    columns = tuple(
        ColumnProfile(
            name,
            types.get(name, "category"),
            missing=0,
            distinct=len(values.get(name, ())),
            top=tuple((value, 0) for value in values.get(name, ())),
        )
        for name in DEFECT_FIELDS
    )
    table = Table(tuple(Column(each.name, each.type) for each in columns), ())
    return DatasetProfile(
        id=LOG,
        dataset=LOG,
        file=LOG,
        sheet=None,
        sheets=(),
        rows=0,
        sha256="",
        columns=columns,
        preview=table,
    )
