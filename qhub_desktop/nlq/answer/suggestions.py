"""Suggested next questions."""

from __future__ import annotations  # the dialogue is above its answers: only its type is named

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from qhub_desktop.core.message import Choice
from qhub_desktop.nlq.answer_locale import AnswerLocale
from qhub_desktop.nlq.grouping import grain_for
from qhub_desktop.nlq.query_ast import (
    Ask,
    AsStudy,
    Columns,
    Comparison,
    Describe,
    Dimension,
    GroupBy,
    Number,
    Query,
    Register,
    RowSelection,
    Several,
    Spread,
    Unknown,
    dataset_of,
    query_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.study_columns import (
    gauge_columns,
    limits,
    readings,
    rejected_column,
    subgroup_column,
)

if TYPE_CHECKING:
    from qhub_desktop.nlq.dialogue.state import DialogueState

OFFERED = 2
_LARGEST_OF_RANGES = 10  # readings; of more, the range tells less than the deviation
_GROUPS = 30  # dimensions with more groups are not suggested


class FollowUps:
    """Suggested next questions over some data sets, each tried before it is offered."""

    def __init__(
        self,
        locale: AnswerLocale,
        interpret: Callable[[str, DialogueState], DialogueState],
        tools: Collection[str],
    ) -> None:
        self._locale = locale
        self._tools = tools
        self._interpret = interpret

    def after(
        self,
        state: DialogueState,
        index: SchemaIndex,
        leader: str | None = None,
        *,
        is_empty: bool = False,
    ) -> tuple[Choice, ...]:
        """Return two questions; `leader` is the group that the answer named first.

        After an answer that `is_empty`, only general questions are suggested.
        """
        topic = state.topic
        asked: list[Choice] = []
        if not is_empty and topic is not None and dataset_of(topic) == index.profile.dataset:
            candidates = self._further(query_of(topic), index, leader)
            if isinstance(topic, (Describe, Columns, AsStudy)):
                candidates = iter(())
            asked += self._answerable(candidates, state, OFFERED)
        rest = iter(suggestions(index, self._locale, self._tools))
        known = {each.label for each in asked}
        asked += [
            each
            for each in self._answerable(rest, state, OFFERED - len(asked))
            if each.label not in known
        ]
        return tuple(asked)

    def _answerable(
        self, candidates: Iterator[str], before: DialogueState, most: int
    ) -> Iterator[Choice]:
        """Yield the first candidates that make a new, unambiguous plan."""
        while most > 0 and (question := next(candidates, None)) is not None:
            after = self._interpret(question, before)
            is_clear = not isinstance(after.plan, (Unknown, Ask, Register))
            is_said_well = after.language == self._locale.language
            if is_clear and is_said_well and after.plan not in (before.plan, before.topic):
                most -= 1
                yield Choice(question, {})

    def _further(self, wanted: Query, index: SchemaIndex, leader: str | None) -> Iterator[str]:
        """Yield drill-downs: the leading group alone, then the same query by another dimension."""
        _ = self._locale.gettext
        if isinstance(wanted, Comparison | Several):
            return  # a word more would not say which of the numbers it is about
        match wanted:
            case GroupBy(dimension=dimension, split=None, within=None):
                yield from self._drill_down(dimension, index, leader)
            case Spread(columns=(column,), shows="distinct"):
                yield from self._drill_down(Dimension(column), index, leader)
            case _:
                pass
        yield from self._by_dimension(wanted.scope, wanted, index)
        match wanted:
            case Number(measure=measure) if measure.kind == "mean":
                yield _("And the median?")
            case Spread(columns=(column,), shows="values" | "summary"):
                yield _("Unusual values of {column}").format(column=self._locale.column(column))
            case Spread(columns=(column,), shows="outliers"):
                yield _("Histogram of {column}").format(column=self._locale.column(column))
            case _:
                pass

    def _drill_down(
        self, dimension: Dimension, index: SchemaIndex, leader: str | None
    ) -> Iterator[str]:
        if dimension.grain:
            return
        is_shift = dimension.column == index.shift_column
        if leader is not None:
            named = self._locale.value(leader, is_shift=is_shift)
            yield self._locale.gettext("And only {value}?").format(value=named)

    def _by_dimension(
        self, scope: RowSelection, wanted: Query, index: SchemaIndex
    ) -> Iterator[str]:
        text = self._locale.gettext("And by {column}?")
        settled = {each.column for each in scope.filters} | _dimensions(wanted)
        names = [
            name
            for name in index.categories
            if name not in settled and 2 <= index.column(name).distinct <= _GROUPS
        ]
        if names:
            yield text.format(column=self._locale.column(names[0]))
        if index.date_column is not None and index.date_column not in settled:
            match grain_for(index, scope.period):
                case "day":
                    yield self._locale.gettext("And by day?")
                case "month":
                    yield self._locale.gettext("And by month?")
                case _:
                    yield self._locale.gettext("And by week?")
        for name in names[1:]:
            yield text.format(column=self._locale.column(name))


def _dimensions(wanted: Query) -> set[str]:
    match wanted:
        case GroupBy(keys=keys):
            return {each.column for each in keys}
        case Spread(columns=(column,), shows="distinct"):
            return {column}
        case _:
            return set()


def suggestions(
    index: SchemaIndex, locale: AnswerLocale, tools: Collection[str] | None
) -> tuple[str, ...]:
    """Return example questions about a data set, which this engine understands.

    Studies are among them where the columns are theirs, and the method is one of `tools`, or
    these are None.
    """
    made = _of_defects(index, locale) if index.type_column else _of_rows(index, locale)
    _ = locale.gettext
    general = [_("Summarise the data"), _("Which columns are there?"), _("How many rows?")]
    studies = [text for tool, text in _of_studies(index, locale) if tools is None or tool in tools]
    return tuple([*studies, *made, *general][:3])


def _of_studies(index: SchemaIndex, locale: AnswerLocale) -> Iterator[tuple[str, str]]:
    """Yield the studies for which the columns are there, each with its tool."""
    _ = locale.gettext
    measure = next(iter(readings(index)), None)
    column = locale.column(measure) if measure else ""
    if measure and len(gauge_columns(index)) == 2:
        yield "estudo_rr", _("R&R study of {column}").format(column=column)
        return  # several readings of each part are no sample of the process
    if (rejected := rejected_column(index)) is not None:
        text = _("p chart of {column} by day") if index.date_column else _("p chart of {column}")
        yield "carta_controlo", text.format(column=locale.column(rejected))
        return
    told = limits(index, measure) if measure else {}
    if measure and ("lie" in told or "lse" in told):
        texts = {"lie": _("LSL {number}"), "lse": _("USL {number}"), "alvo": _("target {number}")}
        given = [texts[each].format(number=_figure(told[each], locale)) for each in told]
        yield "capacidade", ", ".join([_("Cpk of {column}").format(column=column), *given])
    if measure and (found := subgroup_column(index)) is not None:
        subgroup, size = found
        text = (
            _("Xbar-R chart of {column} by {subgroup}")
            if size <= _LARGEST_OF_RANGES
            else _("Xbar-S chart of {column} by {subgroup}")
        )
        said = text.format(column=column, subgroup=locale.column(subgroup))
        yield "carta_controlo", said


def _figure(value: float, locale: AnswerLocale) -> str:
    """Write a number whole, without marks of thousands, which a question is not read with."""
    return f"{value:.12g}".replace(".", "," if locale.language == "pt" else ".")


def _of_defects(index: SchemaIndex, locale: AnswerLocale) -> list[str]:
    _ = locale.gettext
    made = [_("What is the most frequent defect?")]
    kind, shift = _first_value(index, index.type_column), _first_value(index, index.shift_column)
    if kind and shift and index.shift_column:
        made.append(
            _("How many {type} defects in the {shift}?").format(
                type=kind, shift=locale.value(shift, is_shift=True)
            )
        )
    settled = (index.type_column, index.shift_column)
    others = [column for column in index.categories if column not in settled]
    if column := next(iter([*others, *index.categories]), None):
        made.append(_("Defects by {column} in a chart").format(column=locale.column(column)))
    return made


def _of_rows(index: SchemaIndex, locale: AnswerLocale) -> list[str]:
    _ = locale.gettext
    made: list[str] = []
    category = next(iter(index.categories), None)
    # A figure in a name looks like one of the answer.
    measure = min(readings(index), key=lambda name: any(map(str.isdigit, name)), default=None)
    if category:
        made.append(_("How many rows by {column}?").format(column=locale.column(category)))
    if measure and category:
        made.append(
            _("Mean of {measure} by {column} in a chart").format(
                measure=locale.column(measure), column=locale.column(category)
            )
        )
    elif measure:
        made.append(_("Histogram of {column}").format(column=locale.column(measure)))
    if category and (value := _first_value(index, category)):
        made.append(
            _("How many rows with {column} “{value}”?").format(
                column=locale.column(category), value=value
            )
        )
    return made


def _first_value(index: SchemaIndex, column: str | None) -> str | None:
    if column is None:
        return None
    return next((value for value, _ in index.column(column).top if isinstance(value, str)), None)
