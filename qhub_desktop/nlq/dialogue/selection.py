"""Selection: the plan of a question that leads, if one does, or the question which is meant."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.nlq.dialogue.candidates import Candidate, compared
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import (
    Ask,
    Columns,
    Comparison,
    Count,
    DataPlan,
    Describe,
    Plan,
    Rows,
    Several,
    Unknown,
    dataset_of,
    plan_from_json,
    plan_to_json,
)
from qhub_desktop.nlq.schema_index import LOG
from qhub_desktop.nlq.tokenizer import normalize

# What a plan may cost to be answered, and what the next one must cost more: fitted on 480 questions
# over 24 data sets, other than those of the tests. Of 240 more, over 12 others, a half is answered
# right and an eighth wrong: no limit parts them.
_AGREED, _AGREED_LEAD = 1.6, 0.02  # both ways of reading come to it
_ALONE, _ALONE_LEAD = 0.75, 0.05  # the other way comes to nothing
_RIVAL, _RIVAL_LEAD = 0.8, 0.02  # the other way comes to another plan
_ASKED, _ASKED_LEAD = 1.15, 0.3  # the other way asks what a word means
_WITNESS = 0.3  # how much less a plan costs that both ways of reading come to
_UNLIKE = 1.2  # what the best plan costs where none fits
_WITNESS_OF_DEFECTS = 0.8  # in a log of defects, whose words the lexicon was made of
_NAMED = 0.5  # what a plan may cost where a name is of several things
_LEADING = 0.1  # what a lead is worth
_PLANT = ("shift", "operator", "material", "rack", "position")  # fields of a log of defects
_LEAST_FIELDS = 4
_OFFERED, _MOST_OFFERED = 1.6, 3  # what a plan may cost to be offered as a button


def choose(
    frame: QuestionFrame, plan: Plan, found: Sequence[Candidate]
) -> tuple[QuestionFrame, Plan]:
    """Return the plan that leads with its frame, or the question which of several is meant.

    `plan` is what the words make when they are read from left to right, `frame` what they were
    read as, and `found` are the candidates, the cheapest first. A plan that both ways of reading
    come to is trusted further than one that only the candidates have.
    """
    if _is_settled(frame, plan):
        return frame, plan
    if not found:
        is_sure = isinstance(plan, Unknown | Ask | Several | Comparison | Describe | Columns)
        return frame, plan if is_sure else Unknown()
    is_open = isinstance(plan, Ask) or bool(frame.ambiguities)
    if not (is_open or isinstance(plan, Unknown)):
        of_defects = frame.index.type_column is not None
        found = _witnessed(found, cast("DataPlan", plan), is_of_defects=of_defects)
    best, settled = found[0], replace(frame, ambiguities=())
    lead = found[1].cost - best.cost if len(found) > 1 else _OFFERED
    weighed = best.cost - _LEADING * min(lead, _OFFERED)
    if isinstance(plan, Unknown) or is_open:
        most, least = (_ASKED, _ASKED_LEAD) if is_open else (_ALONE, _ALONE_LEAD)
        if _names_several(frame):
            most = _NAMED
        if weighed <= most and lead >= least:
            return settled, best.plan
        return (frame, plan) if is_open else (settled, _offered(found) or _unknown(plan, best))
    if _is_same(best, cast("DataPlan", plan)):
        if weighed <= _AGREED and lead >= _AGREED_LEAD:
            if isinstance(best.plan, Rows) and isinstance(plan, Count) and not frame.has("count"):
                return frame, best.plan  # of which the number is told, too
            return frame, best.plan if best.called_as else plan
        return settled, _offered(found) or Unknown()
    if weighed <= _RIVAL and lead >= _RIVAL_LEAD:
        return settled, best.plan
    if best.cost > _UNLIKE and isinstance(plan, Several | Comparison):
        return frame, plan  # of several questions, which the candidates are not made for
    return settled, _offered(
        [*found[: _MOST_OFFERED - 1], Candidate(cast("DataPlan", plan), 0.0)]
    ) or Unknown()


def _witnessed(
    found: Sequence[Candidate], plan: DataPlan, *, is_of_defects: bool
) -> Sequence[Candidate]:
    """Return the candidates with the one less costly that the other way of reading comes to.

    Which of several sheets is meant, the other way hardly knows.
    """
    if dataset_of(plan) != dataset_of(found[0].plan):
        return found
    weight = _WITNESS_OF_DEFECTS if is_of_defects else _WITNESS
    agreed = [
        replace(each, cost=each.cost - weight) if _is_same(each, plan) else each for each in found
    ]
    return sorted(agreed, key=lambda each: each.cost)


def _is_same(found: Candidate, plan: DataPlan) -> bool:
    """Return whether a plan is a candidate's, codes and the names of the same things alike."""
    own = compared(found.plan)
    if own == compared(plan):
        return True
    names = dict(found.called_as)
    if not names or isinstance(plan, Describe | Columns):
        return False
    return own == compared(plan_from_json(_renamed(plan_to_json(plan), names)))


def _renamed(packed: Any, names: Mapping[str, str]) -> Any:
    """Return a plan in JSON with other columns in the place of some."""
    if isinstance(packed, dict):
        return {key: _renamed(value, names) for key, value in packed.items()}
    if isinstance(packed, list):
        return [_renamed(each, names) for each in packed]
    return names.get(packed, packed) if isinstance(packed, str) else packed


def _names_several(frame: QuestionFrame) -> bool:
    """Return whether a name is that of several things in the data, not only of columns."""
    columns = {each.name for each in frame.index.profile.columns}
    return any(value not in columns for each in frame.ambiguities for _, value in each.options)


def _unknown(plan: Plan, best: Candidate) -> Plan:
    """Return what was not understood, without the words that the best candidate knows.

    Of such a word it can not be said that it is not in the data.
    """
    if not isinstance(plan, Unknown) or plan.what not in ("column", "value") or best.path is None:
        return plan
    mentions = best.path.mentions
    unknown = {normalize(each.text) for each in mentions if each.kind in ("unknown", "noun")}
    words = tuple(said for said in plan.words if unknown & {*normalize(said).split()})
    return replace(plan, words=words) if words else Unknown()


def _is_settled(frame: QuestionFrame, plan: Plan) -> bool:
    """Return whether nothing but the first way of reading has a say.

    So in the plant's own log of defects, of which the lexicon was made, in data without rows, and
    where a question only asks for another form of an answer that there is not, or for the future.
    """
    index = frame.index
    if not index.profile.rows or index.profile.id in (LOG, LOG_ID):
        return True
    fields = [field for field in _PLANT if any(field in each for each in index.lemmas.values())]
    if index.type_column is not None and len(fields) >= _LEAST_FIELDS:
        return True
    if isinstance(plan, Describe | Columns):
        return frame.names_dataset
    return isinstance(plan, Unknown) and plan.what in ("nothing before", "future")


def _offered(found: Sequence[Candidate]) -> Ask | None:
    """Return the question which plan is meant, None if no two are worth a button."""
    plans: dict[DataPlan, DataPlan] = {}
    for each in found[:_MOST_OFFERED]:
        if each.cost <= _OFFERED:
            plans.setdefault(compared(each.plan), each.plan)
    if len(plans) < 2:
        return None
    return Ask("", tuple(("", each) for each in plans.values()))
