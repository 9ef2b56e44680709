"""A round of the offline engine: the question understood, its calls made or its results told."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from qhub_desktop.chat.model import ModelRequest
from qhub_desktop.chat.offline.causes import Causes, about
from qhub_desktop.chat.offline.chips import Chipper
from qhub_desktop.chat.offline.follow_ups import FollowUps
from qhub_desktop.chat.offline.index import LOG, Index, index_of, unseen_log
from qhub_desktop.chat.offline.perform import Call, Performer, chosen_by_defect_tools, report_call
from qhub_desktop.chat.offline.plan import (
    Ask,
    Data,
    Plan,
    Register,
    Why,
    packed,
    unpacked,
)
from qhub_desktop.chat.offline.results import complaint, is_nothing, leading
from qhub_desktop.chat.offline.say import Teller
from qhub_desktop.chat.offline.settling import Known, chips, key, settled_by, told
from qhub_desktop.chat.offline.topic import dataset_of
from qhub_desktop.chat.offline.understand import (
    NOTHING,
    Understanding,
    taken,
    understand_one,
)
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.core.messages import Message, ToolCall, ToolResult
from qhub_desktop.core.understanding import Asked, Chip, Choice, Understood, Wanted


@dataclass(frozen=True, slots=True)
class Reply:
    """One round: the calls that are still needed, or else the answer in words.

    A last round may say what was understood, ask back, or give words the reading that was chosen:
    each word with the data set and the name of its reading.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    understood: Understood | None = None
    asked: Asked | None = None
    settled: tuple[tuple[str, str, str], ...] = ()


def reply_to(request: ModelRequest) -> Reply:
    """What to do next for the last question, given the results so far."""
    tools = [tool.name for tool in request.tools]
    indexes = _indexes(request, tools)
    chosen = {each.dataset: dict(each.readings) for each in request.profiles if each.readings}
    understood = _understood(request.messages, indexes, chosen)
    index = _index_of(understood, indexes)
    voice = Voice(understood.language)
    teller = Teller(index, voice)
    performer = None if index is None else _performer(index, indexes, voice, tools)
    calls = _calls(understood, index, performer, voice)
    if lacking := tuple(dict.fromkeys(call.name for call in calls if call.name not in tools)):
        return Reply(teller.lacks(lacking))
    answered = _answered(request.messages)
    waiting = [call for call in calls if call not in [known for known, _ in answered]]
    if waiting:
        return _calling(waiting, request, len(answered))
    results = [result for call in calls for known, result in answered if known == call]
    drawn: ToolResult | None = None
    if performer is not None and isinstance(understood.plan, Data) and complaint(results) is None:
        picture = performer.picture(understood.plan, results)
        drawn = next((result for known, result in answered if known == picture), None)
        if picture is not None and drawn is None:
            return _calling([picture], request, len(answered))
    text = teller.tell(understood, results, drawn)
    next_ = _next(understood, index, indexes, request, results)
    return Reply(
        "\n\n".join([text, *told(understood.doubted, voice), *next_]),
        understood=_shown(understood, index, voice),
        asked=_asked(understood.plan, teller),
        settled=tuple(
            (understood.about, key(each.word), each.chosen)
            for each in understood.doubted
            if each.is_new
        ),
    )


def _next(
    understood: Understanding,
    index: Index | None,
    indexes: Sequence[Index],
    request: ModelRequest,
    results: Sequence[ToolResult],
) -> list[str]:
    """A line with two questions that could follow."""
    plan, voice = understood.plan, Voice(understood.language)
    if index is None or not isinstance(plan, (Data, Why)) or complaint(results) is not None:
        return []
    asked = next(each for each in reversed(request.messages) if each.role == "user")
    follow_ups = FollowUps(indexes, voice, asked.created.astimezone().date())
    leader = leading(plan, results) if isinstance(plan, Data) else None
    line = follow_ups.line(understood, index, leader, is_empty=is_nothing(plan, results))
    return [line] if line else []


def _shown(understood: Understanding, index: Index | None, voice: Voice) -> Understood:
    """The plan, and what of it can be seen and changed."""
    plan = understood.plan
    parts: tuple[Chip, ...] = ()
    if index is not None and plan == understood.topic and understood.topic is not None:
        parts = Chipper(index, voice).chips(understood.topic, understood.kept)
        parts = (*chips(understood.doubted), *parts)
    return Understood(packed(plan), parts)


def _asked(plan: Plan, teller: Teller) -> Asked | None:
    """What is asked back, if anything is."""
    match plan:
        case Ask(word, readings):
            choices = tuple(Choice(name, packed(each)) for name, each in readings)
            return Asked(teller.question(word), choices)
        case _:
            return None


def _indexes(request: ModelRequest, tools: Sequence[str]) -> list[Index]:
    indexes = [index_of(profile) for profile in request.profiles]
    is_hidden = all(profile.dataset != LOG for profile in request.profiles)
    if "contar_defeitos" in tools and is_hidden and chosen_by_defect_tools(indexes) is None:
        indexes.insert(0, index_of(unseen_log()))
    return indexes


def _understood(
    messages: Sequence[Message], indexes: Sequence[Index], chosen: Mapping[str, Known]
) -> Understanding:
    """The last question, understood after all those before it."""
    understood = NOTHING
    for message in messages:
        if message.role == "user":
            understood = _after(understood, message, indexes, chosen)
    return understood


def _after(
    before: Understanding,
    message: Message,
    indexes: Sequence[Index],
    chosen: Mapping[str, Known],
) -> Understanding:
    """What one more question changes: by its words, or by the plan that was chosen."""
    wanted = next((each for each in message.blocks if isinstance(each, Wanted)), None)
    if wanted is not None:
        with contextlib.suppress(ValueError):  # of an earlier version: its words are left
            return _with_plan(before, unpacked(wanted.plan))
    day = message.created.astimezone().date()
    return understand_one(message.text, before, indexes, today=day, chosen=chosen)


def _with_plan(before: Understanding, plan: Data) -> Understanding:
    """What choosing a plan changes; it may settle what a word means."""
    doubted = settled_by(before.doubted, plan)
    if plan == before.topic:  # as the question is read by now, since it was chosen
        return replace(before, plan=plan, ignored=(), doubted=doubted)
    return replace(taken(before, plan, before.language), doubted=doubted)


def _index_of(understood: Understanding, indexes: Sequence[Index]) -> Index | None:
    """The data set that an answer is about; what was talked of before, or else the last."""
    about = understood.about or (dataset_of(understood.topic) if understood.topic else "")
    named = [index for index in indexes if index.profile.dataset == about]
    return next(iter([*named, *reversed(indexes)]), None)


def _performer(
    index: Index, indexes: Sequence[Index], voice: Voice, tools: Sequence[str]
) -> Performer:
    has_tools = index is chosen_by_defect_tools(indexes)
    return Performer(index, voice, tools=tools, has_defect_tools=has_tools)


def _calls(
    understood: Understanding, index: Index | None, performer: Performer | None, voice: Voice
) -> tuple[Call, ...]:
    match understood.plan:
        case Register() as report:
            call = report_call(report)
            return () if call is None else (call,)
        case Why() as why if index is not None and performer is not None:
            scope, measure = about(why, understood.topic, index)
            return performer.around(Causes(index, voice, scope, measure))
        case plan if isinstance(plan, Data) and performer is not None:
            return performer.calls(plan)
        case _:
            return ()


def _calling(calls: Sequence[Call], request: ModelRequest, before: int) -> Reply:
    """A round of calls, numbered on from those `before`."""
    made = [
        ToolCall(f"offline_{request.messages[-1].id}_{number}", call.name, call.input)
        for number, call in enumerate(calls, start=before + 1)
    ]
    return Reply("", tuple(made))


def _answered(messages: Sequence[Message]) -> list[tuple[Call, ToolResult]]:
    """The calls of the answer under way that have a result."""
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
