"""Readings of a question that is being typed: its plans in words and parts, and their values."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.events import ModelRequest
from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.core.message import Text, ToolResult
from qhub_desktop.core.question_form import (
    FormChoice,
    FormField,
    QuestionForm,
    WrittenQuestion,
)
from qhub_desktop.core.readings import (
    MarkKind,
    PartKind,
    Reading,
    ReadingPart,
    Readings,
    ReadingValue,
    WordMark,
)
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.answer import values
from qhub_desktop.nlq.answer.question_form import AskedParts, PlanForm, asked_parts
from qhub_desktop.nlq.answer.question_writer import QuestionWriter, is_same_plan
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.dialogue.selection import unclear_words
from qhub_desktop.nlq.dialogue.state import DialogueState
from qhub_desktop.nlq.executor import Call
from qhub_desktop.nlq.lexicon import current_lexicon, reload_lexicon
from qhub_desktop.nlq.offline_engine import (
    executor_of,
    indexes_of,
    readings_listed,
    state_after,
    titles_of,
)
from qhub_desktop.nlq.phrases import (
    counts_defects,
    days_text,
    file_names,
    filter_text,
    having_text,
    ranking_text,
    title,
)
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsDashboard,
    Ask,
    AsStudy,
    AsTable,
    AsWorkbook,
    Columns,
    DataPlan,
    Describe,
    GroupBy,
    Number,
    Plan,
    Query,
    RowSelection,
    Unknown,
    dataset_of,
    parts_of,
    plan_from_json,
    plan_to_json,
    query_of,
    with_rows,
)
from qhub_desktop.nlq.schema_index import LOG, SchemaIndex
from qhub_desktop.nlq.tokenizer import Place, normalize, tokenize, word_places

_MARKED: dict[str, MarkKind] = {
    "column": "column",
    "elapsed": "column",
    "against": "column",
    "value": "value",
    "date": "period",
}


def readings_of(request: ModelRequest) -> Readings:
    """Return what the last question may mean, as the offline engine would answer it."""
    reload_lexicon()
    question = request.messages[-1].text
    if not question.strip() or (read := state_after(request)) is None:
        return Readings(question)
    state, indexes = read
    plan = state.plan
    locale = AnswerLocale(state.language)
    found = titles_of(readings_listed(state, indexes), indexes, locale)
    by_name = {each.profile.dataset: each for each in indexes}
    readings = tuple(
        _reading(name, each, by_name[dataset_of(each)], locale) for name, each in found.items()
    )
    unused = _unused_words(state, question)
    return Readings(
        question,
        readings,
        isinstance(plan, DataPlan),
        tuple(_marks(state, question, unused)),
        tuple(question[start:end] for start, end in unused),
        "" if readings else _note(state, locale),
    )


def _note(state: DialogueState, locale: AnswerLocale) -> str:
    """Return what is said where a question about data has no reading."""
    match state.plan:
        case Unknown(what="column" | "value" | "unheeded", words=words) if words:
            listed = locale.listed([f"“{each}”" for each in words])
            return locale.gettext("No reading uses {words}.").format(words=listed)
        case Unknown(what="future"):
            return locale.gettext("What will be is not in the data.")
        case _:
            return ""


def _reading(name: str, plan: DataPlan, index: SchemaIndex, locale: AnswerLocale) -> Reading:
    parts = tuple(_parts(plan, index, locale))
    return Reading(name, parts, plan_to_json(plan), index.profile.dataset)


def _parts(plan: DataPlan, index: SchemaIndex, locale: AnswerLocale) -> Iterator[ReadingPart]:
    """Yield what a plan is made of: what is told, of which groups and rows, when, and how."""
    (file,) = file_names([index]).values()
    if not isinstance(plan, Describe | Columns | AsDashboard | AsStudy):
        yield from _query_parts(query_of(plan), index, locale)
    else:
        yield ReadingPart("measure", next(iter(titles_of([plan], [index], locale))))
    yield ReadingPart("file", file)
    if form := _form(plan, locale):
        yield ReadingPart("form", form)


def _form(plan: DataPlan, locale: AnswerLocale) -> str:
    _ = locale.gettext
    match plan:
        case AsChart(kind=kind):
            return next((_(each.label) for each in chart_kinds() if each.name == kind), _("chart"))
        case AsTable():
            return _("table")
        case AsWorkbook():
            return _("Excel file")
        case AsStudy():
            return _("study")
        case _:
            return ""


def _query_parts(query: Query, index: SchemaIndex, locale: AnswerLocale) -> Iterator[ReadingPart]:
    _, names = locale.gettext, ColumnNames(index.profile, locale)
    match query:
        case Number() | GroupBy():
            yield from _named("measure", _measure(query, index, locale), names.of(query.measure))
        case _:
            told = title(with_rows(query, RowSelection(query.scope.dataset)), index, locale)
            yield ReadingPart("measure", told, is_strong=True)
    if isinstance(query, GroupBy):
        for key in query.keys:
            column = names.told(key)
            yield from _named("group", _("by {column}").format(column=column), column)
        if query.having is not None:
            what = names.measure(query.measure)
            condition = having_text(query.having, query.measure, locale)
            yield ReadingPart("filter", f"{what} {condition}")
        if query.n is not None:
            yield ReadingPart("form", ranking_text(query, locale))
    if len({each.scope for each in parts_of(query) or ()}) > 1:
        return  # what tells them apart stands in the title
    for each in query.scope.filters:
        yield ReadingPart("filter", filter_text(each, index, locale))
    if (period := query.scope.period) is not None:
        yield ReadingPart("period", locale.column(period.column), is_strong=True)
        yield ReadingPart("period", days_text(period, locale))


def _named(kind: PartKind, text: str, name: str) -> Iterator[ReadingPart]:
    """Yield a text in parts, of which the name of a column is the strong one."""
    at = text.lower().find(name.lower()) if name else -1
    if at < 0:
        yield ReadingPart(kind, text)
        return
    end = at + len(name)
    for words, is_strong in ((text[:at], False), (text[at:end], True), (text[end:], False)):
        if words.strip():
            yield ReadingPart(kind, words.strip(), is_strong)


def _measure(query: Number | GroupBy, index: SchemaIndex, locale: AnswerLocale) -> str:
    _ = locale.gettext
    if query.measure.kind == "count":
        of_defects = counts_defects(index)
        if query.is_share:
            return _("Share of the defects (%)") if of_defects else _("Share of the rows (%)")
        return _("Number of defects") if of_defects else _("Number of rows")
    told = ColumnNames(index.profile, locale).measure(query.measure)
    return told[:1].upper() + told[1:]


def _unused_words(state: DialogueState, question: str) -> list[Place]:
    """Return the places of the words that the likeliest reading has no use for."""
    words = unclear_words(state.best) if state.best is not None else ()
    if isinstance(state.plan, Unknown):
        words = tuple(dict.fromkeys((*words, *state.plan.words)))
    elif isinstance(state.plan, Ask):
        words = tuple(dict.fromkeys((*words, *state.plan.unclear)))
    found = (_place_of(each, question, 0) for each in words)
    return sorted({each for each in found if each is not None})


def _marks(state: DialogueState, question: str, unused: Sequence[Place]) -> Iterator[WordMark]:
    """Yield what the words of a question are taken for, in their order, as typed."""
    path = None if state.best is None else state.best.path
    taken = [*unused]
    found = [WordMark(*place, "unused") for place in unused]
    at = 0
    for each in path.mentions if path is not None else ():
        said = state.said_days if each.kind == "date" else each.text
        place = _place_of(said, question, at) if said else None
        if place is None:
            continue
        at = place[1]
        if (kind := _MARKED.get(each.kind)) and not any(_overlap(place, one) for one in taken):
            found.append(WordMark(*place, kind))
            taken.append(place)
    yield from sorted(found, key=lambda each: each.start)


def _overlap(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _place_of(said: str, question: str, start: int) -> Place | None:
    """Return where words stand in a question as typed, from a place on; None if they do not."""
    wanted = [normalize(word) for word, _place in word_places(said)]
    words = [(normalize(word), place) for word, place in word_places(question)]
    for at in range(len(words) - len(wanted) + 1):
        stretch = words[at : at + len(wanted)]
        if stretch and stretch[0][1][0] >= start and [word for word, _ in stretch] == wanted:
            return stretch[0][1][0], stretch[-1][1][1]
    return None


def language_of(question: str, otherwise: Language) -> Language:
    """Return the language that a question is in, where that can be told."""
    return current_lexicon().language(tokenize(question)) or otherwise


def kind_of(request: ModelRequest) -> str:
    """Return the kind of plan that the last question makes; "" where it is not one to data."""
    reload_lexicon()
    read = state_after(request)
    if read is None or isinstance(read[0].plan, (Unknown, Ask)):
        return ""
    return str(plan_to_json(read[0].plan).get("type", ""))


def value_calls(request: ModelRequest, plan: DataPlan, spoken: Language) -> tuple[Call, ...]:
    """Return the calls for the numbers of a plan, as `nlq/answer/values.py` has them."""
    reload_lexicon()
    tools = [tool.name for tool in request.tools]
    return values.value_calls(plan, indexes_of(request, tools), AnswerLocale(spoken), tools)


def value_of(
    request: ModelRequest, plan: DataPlan, results: Sequence[ToolResult], spoken: Language
) -> ReadingValue | None:
    """Return what a plan comes to by the results of its `value_calls`; None where it has none."""
    indexes = indexes_of(request, [tool.name for tool in request.tools])
    return values.value_of(plan, results, indexes, AnswerLocale(spoken))


def form_of(request: ModelRequest, given: JsonObject, spoken: Language) -> QuestionForm:
    """Return the form of a question, as it is given or filled in with a plan."""
    reload_lexicon()
    locale, note = AnswerLocale(spoken), ""
    indexes = indexes_of(request, [tool.name for tool in request.tools])
    brought = [each for each in indexes if each.profile.id not in (LOG, LOG_ID)]
    plan = None
    if "type" in given:
        plan = _with_kind(plan_from_json(given), indexes, locale)
        parts = asked_parts(plan)
    else:
        parts = codec.unpack(AskedParts, given)
    named = [each for each in indexes if each.profile.dataset == parts.dataset]
    index = [*indexes[-1:], *brought[-1:], *named][-1]
    form = PlanForm(index, locale)
    settled = form.settled(parts)
    made = form.plan(settled)
    if plan is not None and (made is None or not is_same_plan(made, plan)):
        note = locale.gettext("The form has no choice for some of what was understood.")
    fields = form.fields(settled)
    if len(indexes) > 1:
        files = [FormChoice(name, dataset) for dataset, name in file_names(indexes).items()]
        label = locale.gettext("Data")
        chosen = index.profile.dataset
        fields = (FormField(("dataset",), "dataset", label, chosen, tuple(files)), *fields)
    packed = codec.pack(settled)
    assert isinstance(packed, dict)
    return QuestionForm(packed, fields, None if made is None else plan_to_json(made), note)


def _with_kind(plan: DataPlan, indexes: Sequence[SchemaIndex], locale: AnswerLocale) -> DataPlan:
    """Return a chart's plan with the kind that it is drawn as, where the question named none."""
    for index in indexes:
        is_own = index.profile.dataset == dataset_of(plan)
        if is_own and isinstance(plan, AsChart) and plan.kind is None:
            return replace(plan, kind=executor_of(index, indexes, locale, ()).chart_kind(plan.of))
    return plan


def sentence_of(request: ModelRequest, plan: DataPlan, spoken: Language) -> WrittenQuestion:
    """Return the sentence that asks for a plan here, tried as if it were typed."""
    reload_lexicon()
    indexes = indexes_of(request, [tool.name for tool in request.tools])
    index = next(each for each in indexes if each.profile.dataset == dataset_of(plan))
    *before, last = request.messages

    def read(text: str) -> Plan:
        asked = replace(last, blocks=(Text(text),))
        found = state_after(replace(request, messages=(*before, asked)))
        return Unknown() if found is None else found[0].plan

    return QuestionWriter(index, AnswerLocale(spoken), read).write(plan)


def shown_calls(
    request: ModelRequest,
    plan: DataPlan,
    spoken: Language,
    results: Sequence[ToolResult] | None = None,
) -> tuple[Call, ...]:
    """Return the calls of an answer to a plan, or with their results the one of its chart."""
    reload_lexicon()
    tools = [tool.name for tool in request.tools]
    indexes = indexes_of(request, tools)
    index = next(each for each in indexes if each.profile.dataset == dataset_of(plan))
    executor = executor_of(index, indexes, AnswerLocale(spoken), tools)
    if results is None:
        return tuple(each for each in executor.calls(plan) if each.name in tools)
    drawn = executor.chart_call(plan, results)
    return () if drawn is None else (drawn,)
